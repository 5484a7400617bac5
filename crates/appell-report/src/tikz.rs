//! A [`Figure`] as a picture in TikZ, for the column of a journal: its letters are those of the article around it.
//!
//! It is laid out as the SVG of [`crate::svg`] is, narrower. No text of the model is a command in it.

use crate::lettering::{greek_name, width};
use crate::plot::{self, Axis, COLUMN, Curve, Dot, Figure, Plot};
use crate::svg::{
    COLOURS, Entry, LEGEND_LEADING, PATTERNS, Pen, SMALL, hundredths, legend_entries, lettered,
    number,
};

/// Points of a pixel of the layout: 420 of these are a column of 246 points.
const POINT: f64 = 0.585;
/// More dots than these are too many for the memory of TeX.
const DOTS: usize = 12_000;

const HEAD: &str = "\
% A plot written by Appell: \\usepackage{tikz} in the preamble, then \\input this file in a figure.
";

/// Draws a figure. Every figure can be drawn: without points it shows its axes and says so.
#[must_use]
pub fn write(figure: &Figure) -> String {
    let figure = &lettered(figure);
    let mut plot = plot::lay_out(figure, COLUMN);
    lighten(&mut plot.curves);
    let wide = plot.x.scale.length;
    let legend = legend_entries(figure, wide);
    let colours = COLOURS.iter().enumerate();
    let colours = colours.map(|(i, hex)| {
        let hex = hex.trim_start_matches('#').to_uppercase();
        format!("\\definecolor{{appell{i}}}{{HTML}}{{{hex}}}\n")
    });
    [
        HEAD.to_owned(),
        caption(&figure.title),
        format!(
            "\\begin{{tikzpicture}}[x={POINT}pt, y={POINT}pt, line join=round, inner sep=0pt, outer sep=0pt, font=\\scriptsize]\n"
        ),
        colours.collect(),
        grid(&plot),
        marks(&plot),
        names(figure, &plot),
        curves(figure, &plot),
        entries(&legend, &plot),
        "\\end{tikzpicture}\n".to_owned(),
    ]
    .concat()
}

/// The title stands in a remark: an article has its own below the figure.
fn caption(title: &str) -> String {
    match title.trim() {
        "" => String::new(),
        title => format!("% {}\n", tex(title)),
    }
}

/// Leaves points out, coarser and coarser, until TeX can hold them.
fn lighten(curves: &mut [Curve]) {
    for by in (0..8).map(|i| 25_i64 << i) {
        let count =
            |curve: &Curve| curve.single.len() + curve.lines.iter().map(Vec::len).sum::<usize>();
        if by > 25 && curves.iter().map(count).sum::<usize>() <= DOTS {
            return;
        }
        for curve in curves.iter_mut() {
            curve.coarsen(by);
            if by > 25 {
                curve.single = curve.single.iter().step_by(2).copied().collect();
            }
        }
    }
}

/// The fine grid, the grid, the lines of zero, and the two axes.
fn grid(plot: &Plot) -> String {
    let (wide, high) = (number(plot.x.scale.length), number(plot.y.scale.length));
    let upright = |x: f64| format!(" ({0},0)--({0},{high})", number(plot.x.scale.place(x)));
    let level = |y: f64| format!(" (0,{0})--({wide},{0})", number(plot.y.scale.place(y)));
    let values =
        |axis: &Axis| -> Vec<f64> { axis.ticks.marks.iter().map(|mark| mark.value).collect() };
    let fine: String = plot.y.ticks.minor.iter().map(|&y| level(y)).collect();
    let main = values(&plot.x).into_iter().map(upright);
    let main: String = main.chain(values(&plot.y).into_iter().map(level)).collect();
    let zero = plot.x.inner_zero().map(upright).into_iter();
    let zero: String = zero.chain(plot.y.inner_zero().map(level)).collect();
    let axes = format!(" (0,{high})--(0,0)--({wide},0)");
    let all = [
        (fine, 5, 0.3),
        (main, 12, 0.3),
        (zero, 30, 0.4),
        (axes, 55, 0.4),
    ];
    all.into_iter()
        .filter(|(path, ..)| !path.is_empty())
        .map(|(path, grey, width)| format!("\\draw[black!{grey}, line width={width}pt]{path};\n"))
        .collect()
}

/// Text at a place in pixels, from the lower left corner of the axes.
fn node(style: &str, (x, y): (f64, f64), text: &str) -> String {
    let (x, y) = (number(x), number(y));
    format!("\\node[{style}] at ({x},{y}) {{{}}};\n", tex(text))
}

/// The labels of the marks and the notes that complete them.
fn marks(plot: &Plot) -> String {
    let (wide, high) = (plot.x.scale.length, plot.y.scale.length);
    let below = plot.x.ticks.marks.iter();
    let below = below.map(|mark| {
        node(
            "anchor=base",
            (plot.x.scale.place(mark.value), -16.0),
            &mark.label,
        )
    });
    let beside = plot.y.ticks.marks.iter();
    let beside = beside.map(|mark| {
        node(
            "anchor=east",
            (-6.0, plot.y.scale.place(mark.value)),
            &mark.label,
        )
    });
    let notes = [
        (&plot.x, "anchor=base east", (wide, -34.0)),
        (&plot.y, "anchor=base west", (0.0, high + 8.0)),
    ];
    let notes = notes
        .into_iter()
        .filter(|(axis, ..)| !axis.ticks.note.is_empty());
    let notes = notes.map(|(axis, style, at)| node(style, at, &axis.ticks.note));
    below.chain(beside).chain(notes).collect()
}

/// What the axes show.
fn names(figure: &Figure, plot: &Plot) -> String {
    let (wide, high) = (plot.x.scale.length, plot.y.scale.length);
    let below = (wide / 2.0, -36.0);
    let labels = plot
        .y
        .ticks
        .marks
        .iter()
        .map(|mark| SMALL * width(&mark.label));
    let beside = (-12.0 - labels.fold(0.0, f64::max), high / 2.0);
    let named = |style: &str, at: (f64, f64), label: &str| match label.trim() {
        "" => String::new(),
        label => node(&format!("{style}, font=\\footnotesize"), at, label),
    };
    named("anchor=base", below, &figure.x_label)
        + &named("anchor=south, rotate=90", beside, &figure.y_label)
}

fn curves(figure: &Figure, plot: &Plot) -> String {
    if plot.curves.iter().all(|curve| curve.ends.is_none()) {
        return node(
            "",
            (plot.x.scale.length / 2.0, plot.y.scale.length / 2.0),
            "no data",
        );
    }
    let ended = figure.equal_aspect && !figure.log_y;
    let drawn = plot.curves.iter().enumerate();
    drawn
        .map(|(i, line)| curve(Pen::of(i), line, plot.y.scale.length, ended))
        .collect()
}

/// Colour, thickness and dashes.
fn style(pen: Pen) -> String {
    let colour = format!("appell{}, line width=0.9pt", pen.hue % COLOURS.len());
    let pattern: Vec<f64> = PATTERNS[pen.dash % PATTERNS.len()]
        .split_whitespace()
        .filter_map(|length| length.parse().ok())
        .collect();
    let dashes = pattern.chunks(2).filter_map(|pair| match pair {
        [on, off] => Some(format!(
            "on {}pt off {}pt",
            number(on * POINT),
            number(off * POINT)
        )),
        _ => None,
    });
    let dashes: Vec<String> = dashes.collect();
    match dashes.is_empty() {
        true => colour,
        false => format!("{colour}, dash pattern={}", dashes.join(" ")),
    }
}

fn curve(pen: Pen, curve: &Curve, high: f64, ended: bool) -> String {
    let top = (100.0 * high).round() as i64;
    let at = |&(x, y): &Dot| format!("({},{})", hundredths(x), hundredths(top - y));
    let (style, colour) = (style(pen), format!("appell{}", pen.hue % COLOURS.len()));
    let mut out = String::new();
    for line in curve.lines.iter().filter(|line| line.len() > 1) {
        // TeX reads lines of some length only.
        let points: Vec<String> = line.iter().map(at).collect();
        let rows = points.chunks(8).map(|row| row.join("--"));
        let path = rows.collect::<Vec<_>>().join("--\n  ");
        out += &format!("\\draw[{style}] {path};\n");
    }
    let (size, opacity) = if out.is_empty() {
        (1.4, 1.0)
    } else {
        (0.8, 0.45)
    };
    for row in curve.single.chunks(4) {
        let dots: String = row
            .iter()
            .map(|dot| format!(" {} circle[radius={size}pt]", at(dot)))
            .collect();
        out += &format!("\\fill[{colour}, opacity={opacity}]{dots};\n");
    }
    if let Some((start, end)) = curve.ends.filter(|_| ended) {
        let draw = format!("\\draw[{colour}, line width=0.9pt");
        out += &format!("{draw}, fill=white] {} circle[radius=1.9pt];\n", at(&start));
        out += &format!(
            "{draw}, fill={colour}] {} circle[radius=1.9pt];\n",
            at(&end)
        );
    }
    out
}

/// The legend above the axes, the first row on top.
fn entries(legend: &[Entry], plot: &Plot) -> String {
    let rows = legend.last().map_or(0, |entry| entry.row + 1);
    let lift = if plot.y.ticks.note.is_empty() {
        12.0
    } else {
        28.0
    };
    let one = |entry: &Entry| {
        let y = plot.y.scale.length + lift + (rows - 1 - entry.row) as f64 * LEGEND_LEADING;
        let sample = entry.series.map(|index| {
            let (left, right, y) = (number(entry.x), number(entry.x + 28.0), number(y + 4.0));
            format!(
                "\\draw[{}] ({left},{y})--({right},{y});\n",
                style(Pen::of(index))
            )
        });
        sample.unwrap_or_default() + &node("anchor=base west", (entry.x + 34.0, y), &entry.text)
    };
    legend.iter().map(one).collect()
}

/// Scripts beyond ASCII, and what they are in a formula.
const SCRIPTS: [(&str, char); 2] = [("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", '^'), ("₀₁₂₃₄₅₆₇₈₉", '_')];
const SIGNS: [(char, &str); 5] = [
    ('−', "-"),
    ('×', "\\times "),
    ('·', "\\cdot "),
    ('∞', "\\infty "),
    ('′', "'"),
];

/// A text in LaTeX: letters that stand alone are those of formulas, but for units, and nothing in it is a command.
fn tex(text: &str) -> String {
    let mut out = String::new();
    let mut formula = String::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let read = &text[..text.len() - rest.len()];
        let is_unit = read.starts_with("in ") || read.contains(" in ");
        let length = match mathematics(before, rest, &formula, is_unit) {
            Some((written, length)) => {
                formula += &written;
                length
            }
            None => {
                flush(&mut formula, &mut out);
                plain(c, &mut out);
                c.len_utf8()
            }
        };
        before = c;
        rest = &rest[length..];
    }
    flush(&mut formula, &mut out);
    out
}

fn flush(formula: &mut String, out: &mut String) {
    if !formula.is_empty() {
        *out += &format!("${}$", formula.trim_end());
        formula.clear();
    }
}

/// The part of a formula that a text begins with, and how many bytes of the text it is.
fn mathematics(before: char, text: &str, formula: &str, is_unit: bool) -> Option<(String, usize)> {
    let mut all = text.chars();
    let (c, next) = (all.next()?, all.next().unwrap_or(' '));
    let length = c.len_utf8();
    for (script, mark) in SCRIPTS {
        let digits = text
            .chars()
            .map_while(|c| Some((c, script.chars().position(|other| other == c)?)));
        let digits: Vec<(char, usize)> = digits.collect();
        if !digits.is_empty() {
            let plain = digits
                .iter()
                .map(|(_, i)| char::from_digit(*i as u32, 10).unwrap_or('-'));
            let plain: String = plain.collect();
            // One script after another has an empty letter of its own.
            let apart = if formula.ends_with('}') { "{}" } else { "" };
            let length = digits.iter().map(|(c, _)| c.len_utf8()).sum();
            return Some((format!("{apart}{mark}{{{plain}}}"), length));
        }
    }
    if let Some((_, sign)) = SIGNS.iter().find(|(other, _)| *other == c) {
        return Some(((*sign).to_owned(), length));
    }
    if let Some(name) = greek_name(c) {
        return Some((format!("\\{name} "), length));
    }
    let alone = !is_unit
        && before != '\''
        && !before.is_alphabetic()
        && !next.is_ascii_alphanumeric()
        && next != '_';
    let name = formula.trim_end_matches('\'');
    let primed = name.ends_with(' ') || name.ends_with(|c: char| c.is_ascii_alphabetic());
    match c {
        '\'' if primed || formula.ends_with('}') => {
            // A prime is a script above, as a power is.
            let power = formula.rfind('^') > formula.rfind('_');
            Some((if power { "{}'" } else { "'" }.to_owned(), 1))
        }
        '-' if before == ' ' && next == ' ' => Some(("-".to_owned(), 1)),
        c if c.is_ascii_alphabetic() && alone && before != '_' && !before.is_ascii_digit() => {
            Some((c.to_string(), 1))
        }
        _ => None,
    }
}

/// A character of a text. What the fonts of an article may lack is shown by its number.
fn plain(c: char, out: &mut String) {
    match c {
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
        '\\' => out.push_str("\\textbackslash{}"),
        '~' => out.push_str("\\textasciitilde{}"),
        '^' => out.push_str("\\textasciicircum{}"),
        '<' | '>' | '|' => out.push_str(&format!("${c}$")),
        '"' => out.push_str("\\textquotedbl{}"),
        '…' => out.push_str("\\ldots{}"),
        ' '..='~' | '¡'..='ſ' => out.push(c),
        c if c.is_whitespace() => out.push(' '),
        c => out.push_str(&format!("[U+{:04X}]", u32::from(c))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_set_as_in_formulas_and_nothing_is_a_command() {
        let rows = [
            ("x", "$x$"),
            ("θ₁'", "$\\theta _{1}'$"),
            ("E - E₀", "$E$ $-$ $E_{0}$"),
            ("×10⁻⁷ + 9.81", "$\\times$10$^{-7}$ + 9.81"),
            ("work of F_1", "work of F\\_1"),
            ("x'⁷₁", "$x'^{7}{}_{1}$"),
            ("x²'", "$x^{2}{}'$"),
            ("don't", "don't"),
            (
                "\\input{x} 50% $a$ ^",
                "\\textbackslash{}input\\{$x$\\} 50\\% \\$$a$\\$ \\textasciicircum{}",
            ),
            ("é 速 \u{202e}\n", "é [U+901F] [U+202E] "),
            ("x in m/s²", "$x$ in m/s$^{2}$"),
        ];
        for (text, expected) in rows {
            assert_eq!(tex(text), expected, "{text}");
        }
    }

    #[test]
    fn a_plot_of_many_points_is_one_that_tex_can_hold() {
        let wild = |i: i32| (f64::from(i), (f64::from(i) * 1.7).sin() * f64::from(i % 97));
        let series = |scattered| crate::plot::Series {
            label: "x".to_owned(),
            points: (0..60_000).map(wild).collect(),
            scattered,
        };
        let figure = Figure {
            series: vec![series(false), series(true), series(false)],
            ..Figure::default()
        };
        let text = write(&figure);
        assert!(
            text.matches('(').count() < DOTS + 200,
            "{}",
            text.matches('(').count()
        );
        assert!(text.lines().all(|line| line.len() < 250));
    }
}
