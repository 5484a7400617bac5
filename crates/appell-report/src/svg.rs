//! A [`Figure`] as a self-contained SVG document.
//!
//! The drawing needs no style sheet, no font, no identifier and no network, so that many of them
//! may stand in one page. The same figure gives the same bytes on every machine.

use crate::lettering::{escape, fitted, readable, width, wrapped};
use crate::plot::{self, Axis, Curve, Dot, Figure, Plot, SCREEN, Series};
use crate::ticks;

/// Colours that stay apart for every kind of colour vision [okabe2008, fig. 16], without the
/// yellow that is too light on white.
pub(crate) const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333",
];

/// Dashes, so that the curves stay apart without colours as well. The first line is solid.
pub(crate) const PATTERNS: [&str; 7] = ["", "8 4", "2 3", "8 3 2 3", "14 4", "5 2", "8 3 2 3 2 3"];

/// How many hues and dashes there are.
pub(crate) const HUES: usize = COLOURS.len();
pub(crate) const DASHES: usize = PATTERNS.len();

/// What tells a curve from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pen {
    /// The index of its colour.
    pub hue: usize,
    /// The index of its dash; the first is solid.
    pub dash: usize,
}

impl Pen {
    /// The pen of the curve with this number. The dash moves on when the colours are through, so that 49
    /// curves differ.
    pub(crate) fn of(index: usize) -> Self {
        Self {
            hue: index % HUES,
            dash: (index + index / HUES) % DASHES,
        }
    }

    fn colour(self) -> &'static str {
        COLOURS[self.hue % HUES]
    }

    fn attributes(self) -> String {
        let (colour, dash) = (self.colour(), PATTERNS[self.dash % DASHES]);
        if dash.is_empty() {
            format!("stroke=\"{colour}\"")
        } else {
            format!("stroke=\"{colour}\" stroke-dasharray=\"{dash}\"")
        }
    }
}

/// Free space around the axes, in pixels.
const LEFT: f64 = 72.0;
const RIGHT: f64 = 28.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 54.0;

/// Font sizes and the distances of the lines set in them.
const TITLE: f64 = 16.0;
const TITLE_LEADING: f64 = 21.0;
const LABEL: f64 = 13.0;
pub(crate) const SMALL: f64 = 12.0;
pub(crate) const LEGEND_LEADING: f64 = 19.0;

/// More curves than these share the last line of the legend.
const LEGEND_ENTRIES: usize = 24;

/// Draws a figure. Every figure can be drawn: without points it shows its axes and says so.
#[must_use]
pub fn write(figure: &Figure) -> String {
    let pens: Vec<Pen> = (0..figure.series.len()).map(Pen::of).collect();
    drawn(figure, &pens, plot::lay_out(figure, SCREEN))
}

/// The same for a page, each curve with a pen of its own: no more points than an eye can tell.
pub(crate) fn with_pens(figure: &Figure, pens: &[Pen]) -> String {
    let mut plot = plot::lay_out(figure, SCREEN);
    for curve in &mut plot.curves {
        curve.coarsen(COARSE);
    }
    drawn(figure, pens, plot)
}

/// Hundredths of a pixel by which a curve of a page may be beside itself.
const COARSE: i64 = 25;

fn drawn(figure: &Figure, pens: &[Pen], plot: Plot) -> String {
    let figure = &lettered(figure);
    let (wide, high) = (plot.x.scale.length, plot.y.scale.length);
    let title = wrapped(&figure.title, wide / TITLE, 3);
    let legend = legend_entries(figure, wide);
    let rows = legend.last().map_or(0, |entry| entry.row + 1);

    let title_end = TOP + title.len() as f64 * TITLE_LEADING;
    let legend_end = title_end + rows as f64 * LEGEND_LEADING;
    let top = legend_end
        + if plot.y.ticks.note.is_empty() {
            12.0
        } else {
            28.0
        };
    let (page_wide, page_high) = (number(LEFT + wide + RIGHT), number(top + high + BOTTOM));

    [
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{page_wide}\" \
             height=\"{page_high}\" viewBox=\"0 0 {page_wide} {page_high}\" role=\"img\" \
             font-family=\"Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif\" \
             font-size=\"{SMALL}\" fill=\"#444\">\n"
        ),
        format!(
            "<title>{}</title>\n",
            escape(title_or_labels(figure).trim())
        ),
        format!("<desc>{}</desc>\n", escape(&description(figure, &plot))),
        format!("<rect width=\"{page_wide}\" height=\"{page_high}\" fill=\"#fff\"/>\n"),
        title_lines(&title),
        legend
            .iter()
            .map(|entry| legend_entry(entry, title_end, pens))
            .collect(),
        format!(
            "<g transform=\"translate({} {})\">\n",
            number(LEFT),
            number(top)
        ),
        grid(&plot),
        tick_labels(&plot),
        axis_labels(figure, &plot),
        curves(figure, &plot, pens),
        String::from("</g>\n</svg>\n"),
    ]
    .concat()
}

/// The figure with its names as they are read, and units behind those of the axes.
pub(crate) fn lettered(figure: &Figure) -> Figure {
    let mut figure = figure.clone();
    let [x, y] = figure.units.each_ref().map(|unit| unit.trim().to_owned());
    let with = |label: &str, unit: &str| match (label, unit) {
        (label, "") => readable(label),
        ("", unit) => format!("in {unit}"),
        (label, unit) => format!("{} in {unit}", readable(label)),
    };
    let single = figure.series.len() == 1;
    for series in &mut figure.series {
        // One curve that is named by its axis needs no name of its own.
        series.label = match single && series.label == figure.y_label {
            true => with(&series.label, &y),
            false => readable(&series.label),
        };
    }
    figure.x_label = with(&figure.x_label, &x);
    figure.y_label = with(&figure.y_label, &y);
    figure
}

/// What the drawing is called where it cannot be seen.
fn title_or_labels(figure: &Figure) -> String {
    if figure.title.trim().is_empty() {
        format!("{} against {}", figure.y_label, figure.x_label)
    } else {
        figure.title.clone()
    }
}

/// The figure in words: axes, their ranges, the curves and what is missing from them.
fn description(figure: &Figure, plot: &Plot) -> String {
    let axis = |name: &str, label: &str, axis: &Axis| {
        let (lo, hi) = (ticks::short(axis.scale.lo), ticks::short(axis.scale.hi));
        format!("{name} axis: {label}, from {lo} to {hi}.")
    };
    let scale = if figure.log_y {
        "Vertical logarithmic"
    } else {
        "Vertical"
    };
    let mut sentences = vec![
        axis("Horizontal", &figure.x_label, &plot.x),
        axis(scale, &figure.y_label, &plot.y),
    ];
    for (series, curve) in figure.series.iter().zip(&plot.curves) {
        sentences.push(format!(
            "Curve: {}, {} points.",
            series.label,
            series.points.len()
        ));
        if curve.left_out > 0 {
            sentences.push(format!("Points that cannot be shown: {}.", curve.left_out));
        }
    }
    sentences.join(" ")
}

fn title_lines(lines: &[String]) -> String {
    let line = |(i, line): (usize, &String)| {
        let y = number(TOP + TITLE * 0.75 + i as f64 * TITLE_LEADING);
        format!(
            "<text x=\"{LEFT}\" y=\"{y}\" font-size=\"{TITLE}\" font-weight=\"600\" \
             fill=\"#222\">{}</text>\n",
            escape(line)
        )
    };
    lines.iter().enumerate().map(line).collect()
}

/// One name in the legend; `series` is `None` for the line that counts the rest.
pub(crate) struct Entry {
    pub series: Option<usize>,
    pub text: String,
    pub x: f64,
    pub row: usize,
}

/// The names of the curves set in rows. A single curve needs none that the vertical axis has.
pub(crate) fn legend_entries(figure: &Figure, room: f64) -> Vec<Entry> {
    let is_named = |series: &Series| !series.label.trim().is_empty();
    let says_more = match &figure.series[..] {
        [only] => is_named(only) && only.label != figure.y_label,
        several => several.iter().any(is_named),
    };
    if !says_more {
        return Vec::new();
    }
    let names = figure.series.iter().take(LEGEND_ENTRIES).enumerate();
    let mut texts: Vec<(Option<usize>, String)> = names
        .map(|(i, series)| (Some(i), fitted(series.label.trim(), 22.0)))
        .collect();
    if figure.series.len() > LEGEND_ENTRIES {
        texts.push((
            None,
            format!("and {} more", figure.series.len() - LEGEND_ENTRIES),
        ));
    }
    let (mut x, mut row) = (0.0, 0);
    let set = |(series, text): (Option<usize>, String)| {
        let wide = 34.0 + SMALL * width(&text);
        if x > 0.0 && x + wide > room {
            (x, row) = (0.0, row + 1);
        }
        let entry = Entry {
            series,
            text,
            x,
            row,
        };
        x += wide + 20.0;
        entry
    };
    texts.into_iter().map(set).collect()
}

fn legend_entry(entry: &Entry, top: f64, pens: &[Pen]) -> String {
    let (x, y) = (
        LEFT + entry.x,
        top + 10.0 + entry.row as f64 * LEGEND_LEADING,
    );
    let (left, right, line) = (number(x), number(x + 28.0), number(y));
    let pen = entry.series.and_then(|index| pens.get(index));
    let sample = pen.map_or_else(String::new, |pen| {
        format!(
            "<path d=\"M{left} {line}H{right}\" fill=\"none\" {} stroke-width=\"2\"/>\n",
            pen.attributes()
        )
    });
    let (at, base) = (number(x + 34.0), number(y + 4.0));
    format!(
        "{sample}<text x=\"{at}\" y=\"{base}\">{}</text>\n",
        escape(&entry.text)
    )
}

/// The fine grid, the grid, the lines of zero, and the two axes.
fn grid(plot: &Plot) -> String {
    let (wide, high) = (plot.x.scale.length, plot.y.scale.length);
    let upright = |x: f64| format!("M{} 0V{}", number(plot.x.scale.place(x)), number(high));
    let level = |y: f64| {
        format!(
            "M0 {}H{}",
            number(high - plot.y.scale.place(y)),
            number(wide)
        )
    };
    let fine: String = plot.y.ticks.minor.iter().map(|&y| level(y)).collect();
    let main: String = (plot.x.ticks.marks.iter().map(|mark| upright(mark.value)))
        .chain(plot.y.ticks.marks.iter().map(|mark| level(mark.value)))
        .collect();
    let zero: String = (plot.x.inner_zero().map(upright).into_iter())
        .chain(plot.y.inner_zero().map(level))
        .collect();
    let axes = format!("M0 0V{}H{}", number(high), number(wide));
    [
        (fine, "#f3f3f3"),
        (main, "#e2e2e2"),
        (zero, "#b8b8b8"),
        (axes, "#777"),
    ]
    .into_iter()
    .filter(|(path, _)| !path.is_empty())
    .map(|(path, colour)| format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\"/>\n"))
    .collect()
}

impl Axis {
    /// Zero, if the axis has a mark there.
    pub(crate) fn inner_zero(&self) -> Option<f64> {
        self.ticks
            .marks
            .iter()
            .map(|mark| mark.value)
            .find(|&value| value == 0.0)
    }
}

/// The labels of the marks and the notes that complete them.
fn tick_labels(plot: &Plot) -> String {
    let high = plot.y.scale.length;
    let text = |x: f64, y: f64, label: &str| {
        let (x, y, label) = (number(x), number(y), escape(label));
        format!("<text x=\"{x}\" y=\"{y}\">{label}</text>\n")
    };
    let below = |place: f64, label: &str| text(place, high + 18.0, label);
    let beside = |place: f64, label: &str| text(-8.0, high - place + 4.0, label);
    let marks = |axis: &Axis, set: &dyn Fn(f64, &str) -> String| -> String {
        let marks = axis.ticks.marks.iter();
        marks
            .map(|mark| set(axis.scale.place(mark.value), &mark.label))
            .collect()
    };
    let notes = [
        (&plot.x, "end", plot.x.scale.length, high + 38.0),
        (&plot.y, "start", 0.0, -10.0),
    ];
    let notes: String = notes
        .into_iter()
        .filter(|(axis, ..)| !axis.ticks.note.is_empty())
        .map(|(axis, anchor, x, y)| {
            let text = text(x, y, &axis.ticks.note);
            format!("<g text-anchor=\"{anchor}\">{text}</g>\n")
        })
        .collect();
    format!(
        "<g text-anchor=\"middle\">\n{}</g>\n<g text-anchor=\"end\">\n{}</g>\n{notes}",
        marks(&plot.x, &below),
        marks(&plot.y, &beside),
    )
}

fn axis_labels(figure: &Figure, plot: &Plot) -> String {
    let (wide, high) = (plot.x.scale.length, plot.y.scale.length);
    let note = width(&plot.x.ticks.note) * SMALL;
    let labels = plot
        .y
        .ticks
        .marks
        .iter()
        .map(|mark| SMALL * width(&mark.label));
    let beside = (-20.0 - labels.fold(0.0, f64::max)).max(14.0 - LEFT);
    let text = |place: String, label: &str, room: f64| {
        if label.trim().is_empty() {
            return String::new();
        }
        let label = escape(&fitted(label.trim(), room / LABEL));
        format!(
            "<text {place} text-anchor=\"middle\" font-size=\"{LABEL}\" fill=\"#222\">\
             {label}</text>\n"
        )
    };
    let below = format!("x=\"{}\" y=\"{}\"", number(wide / 2.0), number(high + 41.0));
    let turned = format!(
        "transform=\"translate({} {}) rotate(-90)\"",
        number(beside),
        number(high / 2.0)
    );
    text(below, &figure.x_label, wide - 2.0 * note) + &text(turned, &figure.y_label, high)
}

fn curves(figure: &Figure, plot: &Plot, pens: &[Pen]) -> String {
    if plot.curves.iter().all(|curve| curve.ends.is_none()) {
        let (x, y) = (
            number(plot.x.scale.length / 2.0),
            number(plot.y.scale.length / 2.0),
        );
        return format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">no data</text>\n");
    }
    let with_ends = figure.equal_aspect && !figure.log_y;
    let drawn = plot.curves.iter().zip(pens);
    drawn
        .map(|(curve, pen)| curve_elements(*pen, curve, with_ends))
        .collect()
}

fn curve_elements(pen: Pen, curve: &Curve, with_ends: bool) -> String {
    let colour = pen.colour();
    let circle = |&(x, y): &Dot, radius: f64, fill: &str| {
        let (x, y) = (hundredths(x), hundredths(y));
        format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>\n")
    };
    let path: String = curve.lines.iter().map(|line| path_data(line)).collect();
    let mut out = String::new();
    if !path.is_empty() {
        out = format!(
            "<path d=\"{path}\" fill=\"none\" {} stroke-width=\"1.75\" \
             stroke-linejoin=\"round\"/>\n",
            pen.attributes()
        );
    }
    let dots: String = curve.single.iter().map(|dot| dot_data(*dot)).collect();
    if !dots.is_empty() {
        let (wide, opacity) = if path.is_empty() {
            (5.0, 1.0)
        } else {
            (2.6, 0.45)
        };
        out += &format!(
            "<path d=\"{dots}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{wide}\" \
             stroke-linecap=\"round\" opacity=\"{opacity}\"/>\n"
        );
    }
    if let Some((start, end)) = curve.ends.filter(|_| with_ends) {
        let marks = circle(&start, 3.5, "#fff") + &circle(&end, 3.5, colour);
        out += &format!("<g stroke=\"{colour}\" stroke-width=\"1.75\">\n{marks}</g>\n");
    }
    out
}

/// `M` to the first point, `L` to the others.
fn path_data(line: &[Dot]) -> String {
    let point = |&(x, y): &Dot| format!("{} {}", hundredths(x), hundredths(y));
    let Some((first, rest)) = line.split_first() else {
        return String::new();
    };
    let rest: Vec<String> = rest.iter().map(point).collect();
    format!("M{}L{}", point(first), rest.join(" "))
}

/// A point, as a line of no length with round ends.
fn dot_data((x, y): Dot) -> String {
    let (x, y) = (hundredths(x), hundredths(y));
    format!("M{x} {y}H{x}")
}

/// Pixels to a hundredth, without trailing zeros.
pub(crate) fn number(pixels: f64) -> String {
    hundredths((100.0 * pixels).round() as i64)
}

/// `n / 100` as a decimal.
pub(crate) fn hundredths(n: i64) -> String {
    let sign = if n < 0 { "-" } else { "" };
    let (whole, part) = (n.unsigned_abs() / 100, n.unsigned_abs() % 100);
    match (part, part % 10) {
        (0, _) => format!("{sign}{whole}"),
        (_, 0) => format!("{sign}{whole}.{}", part / 10),
        _ => format!("{sign}{whole}.{part:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_printed_short() {
        let cases = [
            (0.0, "0"),
            (-0.001, "0"),
            (12.5, "12.5"),
            (-0.05, "-0.05"),
            (2.345678, "2.35"),
            (-100.999, "-101"),
        ];
        for (pixels, text) in cases {
            assert_eq!(number(pixels), text);
        }
    }

    #[test]
    fn curves_differ_in_colour_and_dash() {
        let attributes = |index| Pen::of(index).attributes();
        let pens: std::collections::BTreeSet<String> = (0..49).map(attributes).collect();
        assert_eq!(pens.len(), 49);
        let dashes: std::collections::BTreeSet<&str> = PATTERNS.into_iter().collect();
        assert_eq!(dashes.len(), DASHES);
    }

    #[test]
    fn the_legend_stays_inside_the_axes_and_counts_what_it_leaves_out() {
        let series = |i: usize| Series {
            label: format!("curve {i} {}", "with a long name".repeat(i % 5)),
            points: Vec::new(),
            scattered: false,
        };
        let figure = Figure {
            series: (0..100).map(series).collect(),
            ..Figure::default()
        };
        let entries = legend_entries(&figure, 320.0);
        assert_eq!(entries.len(), LEGEND_ENTRIES + 1);
        assert_eq!(entries[LEGEND_ENTRIES].text, "and 76 more");
        for entry in &entries {
            assert!(
                entry.x + 34.0 + SMALL * width(&entry.text) <= 320.0,
                "{}",
                entry.text
            );
        }
    }

    #[test]
    fn one_curve_is_named_once() {
        let figure = |label: &str| Figure {
            y_label: String::from("m"),
            series: vec![Series {
                label: label.to_owned(),
                points: Vec::new(),
                scattered: false,
            }],
            ..Figure::default()
        };
        assert!(legend_entries(&figure("m"), 600.0).is_empty());
        assert!(legend_entries(&figure(" "), 600.0).is_empty());
        assert_eq!(legend_entries(&figure("n"), 600.0).len(), 1);
    }
}
