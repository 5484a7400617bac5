//! Charts of a study: a quantity in colours over two others, as SVG, as PNG, and as a page that tells what is under the
//! pointer.
//!
//! A full grid becomes an area of cells with contours, other members become dots. The same chart gives the same bytes
//! on every machine.

mod colours;
mod contours;
mod drawing;
mod hover;
mod picture;
mod png;
mod strokes;

use crate::lettering::{readable, width};
use crate::ticks::{Ticks, linear};
use colours::{CLASSES, UNDEFINED, map};
use drawing::{Anchor, Drawing, Rgb};

/// What a chart shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Stands above it; may be empty.
    pub title: String,
    /// The names of the abscissa, the ordinate and the colour.
    pub labels: [String; 3],
    /// Their units; may be empty.
    pub units: [String; 3],
    /// Abscissas, one for each member.
    pub x: Vec<f64>,
    /// Ordinates.
    pub y: Vec<f64>,
    /// What the colours say.
    pub colour: Colour,
    /// Whose these are, for the page; may be empty.
    pub members: Vec<i64>,
}

/// What the colours of a chart say.
#[derive(Debug, Clone, PartialEq)]
pub enum Colour {
    /// Numbers; undefined ones are grey.
    Numbers(Vec<f64>),
    /// Words of a few.
    Words {
        /// The words.
        words: Vec<String>,
        /// The index of each member's.
        codes: Vec<u32>,
    },
}

/// The chart as an SVG document.
#[must_use]
pub fn svg(chart: &Chart) -> String {
    let title = chart.description();
    drawing::svg(&drawn(chart, &Layout::new(chart)), &title)
}

/// The chart as a PNG file, with two pixels for one of the SVG.
#[must_use]
pub fn png(chart: &Chart) -> Vec<u8> {
    picture::png(&drawn(chart, &Layout::new(chart)), 2)
}

/// The chart as a page in one file that loads nothing: by pointer, finger or arrow keys the numbers of a cell or dot.
#[must_use]
pub fn html(chart: &Chart) -> String {
    hover::html(chart, &Layout::new(chart))
}

/// The places of the parts, in pixels.
const LEFT: f64 = 78.0;
const TOP: f64 = 44.0;
const WIDE: f64 = 520.0;
const HIGH: f64 = 420.0;
const BOTTOM: f64 = 58.0;
const GAP: f64 = 22.0;
const BAR: f64 = 16.0;
const SIDE: f64 = 112.0;
const SMALL: f64 = 12.0;
const LABEL: f64 = 13.0;
const INK: Rgb = [0x22, 0x22, 0x22];
const PALE: Rgb = [0x77, 0x77, 0x77];

/// The values along an axis, where they form a grid; their range otherwise.
struct Axis {
    /// In increasing order; empty where there is no grid.
    values: Vec<f64>,
    lo: f64,
    hi: f64,
    ticks: Ticks,
}

impl Axis {
    /// The axis of these values: half a cell beyond the first and the last of a grid.
    fn new(values: Vec<f64>, all: &[f64], marks: f64) -> Axis {
        let finite = || all.iter().copied().filter(|x| x.is_finite());
        let (mut lo, mut hi) = (
            finite().fold(f64::INFINITY, f64::min),
            finite().fold(f64::NEG_INFINITY, f64::max),
        );
        if lo > hi {
            (lo, hi) = (0.0, 1.0);
        }
        match (
            values.as_slice(),
            values.windows(2).next(),
            values.windows(2).last(),
        ) {
            ([first, .., last], Some(begin), Some(end)) => {
                (lo, hi) = (
                    first - 0.5 * (begin[1] - begin[0]),
                    last + 0.5 * (end[1] - end[0]),
                );
            }
            _ => {
                let room = match hi - lo > 1e-9 * lo.abs().max(hi.abs()) {
                    true => 0.03 * (hi - lo),
                    false => 0.5 * lo.abs().max(1.0),
                };
                (lo, hi) = (lo - room, hi + room);
            }
        }
        let ticks = linear(lo, hi, (hi - lo) / marks);
        Axis {
            values,
            lo,
            hi,
            ticks,
        }
    }

    /// The part of the axis before a value.
    fn part(&self, x: f64) -> f64 {
        (x - self.lo) / (self.hi - self.lo)
    }

    /// The edges of the cells: midway between values.
    fn edges(&self) -> Vec<f64> {
        let inner = self.values.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        [self.lo]
            .into_iter()
            .chain(inner)
            .chain([self.hi])
            .collect()
    }
}

/// The different finite values, in increasing order; none where there are too many for a grid.
fn levels(all: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = all.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let width = values
        .last()
        .zip(values.first())
        .map_or(0.0, |(b, a)| b - a);
    values.dedup_by(|b, a| (*b - *a).abs() <= 1e-9 * width);
    match values.len() <= 4096 && values.iter().all(|x| x.is_finite()) {
        true => values,
        false => Vec::new(),
    }
}

/// A grid: its values along both axes, and the members of each cell.
type Grid = (Vec<f64>, Vec<f64>, Vec<Vec<usize>>);

/// The members of each cell of a grid, the first axis fastest; none where half of the cells would be empty.
fn grid(chart: &Chart) -> Option<Grid> {
    let (xs, ys) = (levels(&chart.x), levels(&chart.y));
    let cells = xs.len() * ys.len();
    if xs.len() < 2 || ys.len() < 2 || cells > 2 * chart.x.len() {
        return None;
    }
    let place = |values: &[f64], x: f64| {
        let after = values
            .partition_point(|value| *value < x)
            .min(values.len() - 1);
        let before = after.saturating_sub(1);
        match (values[after] - x).abs() < (x - values[before]).abs() {
            true => after,
            false => before,
        }
    };
    let mut members = vec![Vec::new(); cells];
    for (member, (x, y)) in chart.x.iter().zip(&chart.y).enumerate() {
        members[place(&ys, *y) * xs.len() + place(&xs, *x)].push(member);
    }
    Some((xs, ys, members))
}

impl Chart {
    /// In how many cells of the grid several members lie, of which the last is drawn.
    #[must_use]
    pub fn shared_cells(&self) -> usize {
        let cells = grid(self).map_or_else(Vec::new, |(_, _, cells)| cells);
        cells.iter().filter(|members| members.len() > 1).count()
    }

    /// A name with its unit.
    fn name(&self, index: usize) -> String {
        match self.units[index].as_str() {
            "" => readable(&self.labels[index]),
            unit => format!("{} in {unit}", readable(&self.labels[index])),
        }
    }

    /// The chart in words.
    fn description(&self) -> String {
        let [x, y, colour] = [0, 1, 2].map(|index| self.name(index));
        // A member may have several rows, as those of its samples.
        let mut members = self.members.clone();
        members.sort_unstable();
        members.dedup();
        let count = match members.len() {
            0 => format!("{} points", self.x.len()),
            count => format!("{count} members"),
        };
        let what = format!("{colour} over {x} and {y}, {count}");
        match self.title.as_str() {
            "" => what,
            title => format!("{title}: {what}"),
        }
    }

    /// The range of the numbers; none where no number is defined.
    fn range(&self) -> Option<(f64, f64)> {
        let Colour::Numbers(values) = &self.colour else {
            return None;
        };
        let finite = || values.iter().copied().filter(|x| x.is_finite());
        let (lo, hi) = (
            finite().fold(f64::INFINITY, f64::min),
            finite().fold(f64::NEG_INFINITY, f64::max),
        );
        match lo <= hi {
            true if hi - lo > 1e-12 * lo.abs().max(hi.abs()) => Some((lo, hi)),
            true => Some((lo - 0.5 * lo.abs().max(1.0), hi + 0.5 * hi.abs().max(1.0))),
            false => None,
        }
    }

    /// The mean of the numbers of some members, or the word that most of them have.
    fn value(&self, members: &[usize]) -> Option<f64> {
        match &self.colour {
            Colour::Numbers(values) => {
                let of_members = members.iter().map(|member| values[*member]);
                let mean = of_members.sum::<f64>() / members.len() as f64;
                mean.is_finite().then_some(mean)
            }
            Colour::Words { words, codes } => {
                let count = |word: usize| {
                    members
                        .iter()
                        .filter(|member| codes[**member] as usize == word)
                        .count()
                };
                let most = (0..words.len()).rev().max_by_key(|word| count(*word))?;
                (!members.is_empty()).then_some(most as f64)
            }
        }
    }

    /// The colour of a value.
    fn shade(&self, value: Option<f64>, range: Option<(f64, f64)>) -> Rgb {
        match (&self.colour, value, range) {
            (Colour::Words { .. }, Some(word), _) => CLASSES[word as usize % CLASSES.len()],
            (_, Some(x), Some((lo, hi))) => map((x - lo) / (hi - lo)),
            _ => UNDEFINED,
        }
    }
}

/// Where the members stand.
struct Layout {
    axes: [Axis; 2],
    /// The members of each cell of a grid, the first axis fastest.
    cells: Option<Vec<Vec<usize>>>,
}

impl Layout {
    fn new(chart: &Chart) -> Self {
        let (xs, ys, cells) = match grid(chart) {
            Some((xs, ys, cells)) => (xs, ys, Some(cells)),
            None => (Vec::new(), Vec::new(), None),
        };
        Self {
            axes: [Axis::new(xs, &chart.x, 6.0), Axis::new(ys, &chart.y, 6.0)],
            cells,
        }
    }
}

fn drawn(chart: &Chart, layout: &Layout) -> Drawing {
    let axes = &layout.axes;
    let range = chart.range();
    let levels = range.map(|(lo, hi)| linear(lo, hi, (hi - lo) / 6.0));
    let mut drawing = Drawing::new(LEFT + WIDE + GAP + BAR + SIDE, TOP + HIGH + BOTTOM);
    match &layout.cells {
        Some(members) => {
            let values: Vec<Option<f64>> = members.iter().map(|cell| chart.value(cell)).collect();
            cells(&mut drawing, chart, axes, &values, range);
            if let (Some(levels), Some(range)) = (&levels, range) {
                lines(&mut drawing, axes, &values, &inner(levels, range));
            }
        }
        None => dots(&mut drawing, chart, axes, range),
    }
    frame(&mut drawing, chart, axes);
    match (&chart.colour, range.zip(levels)) {
        (Colour::Words { words, codes }, _) => legend(&mut drawing, words, codes),
        (_, Some((range, levels))) => bar(&mut drawing, chart, range, &levels),
        _ => {}
    }
    drawing
}

fn at_x(axis: &Axis, x: f64) -> f64 {
    LEFT + WIDE * axis.part(x)
}

fn at_y(axis: &Axis, y: f64) -> f64 {
    TOP + HIGH * (1.0 - axis.part(y))
}

fn cells(
    drawing: &mut Drawing,
    chart: &Chart,
    [x, y]: &[Axis; 2],
    values: &[Option<f64>],
    range: Option<(f64, f64)>,
) {
    let shades = values.iter().map(|value| chart.shade(*value, range));
    let (columns, rows) = (x.edges(), y.edges());
    let columns = columns.iter().map(|edge| at_x(x, *edge)).collect();
    let rows = rows.iter().map(|edge| at_y(y, *edge)).collect();
    drawing.cells(columns, rows, shades.collect());
}

/// The marks within a range: at its ends the lines would follow the rounding errors of a plateau.
fn inner(levels: &Ticks, (lo, hi): (f64, f64)) -> Vec<f64> {
    let room = 1e-3 * (hi - lo);
    let values = levels.marks.iter().map(|mark| mark.value);
    values
        .filter(|x| lo + room < *x && *x < hi - room)
        .collect()
}

/// Where the quantity has these values.
fn lines(drawing: &mut Drawing, [x, y]: &[Axis; 2], values: &[Option<f64>], levels: &[f64]) {
    let places = [
        x.values
            .iter()
            .map(|value| at_x(x, *value))
            .collect::<Vec<_>>(),
        y.values.iter().map(|value| at_y(y, *value)).collect(),
    ];
    for level in levels {
        for line in contours::at(*level, &places, values) {
            drawing.line(&line, 0.7, [0xff, 0xff, 0xff]);
        }
    }
}

fn dots(drawing: &mut Drawing, chart: &Chart, [x, y]: &[Axis; 2], range: Option<(f64, f64)>) {
    let radius = (160.0 / (chart.x.len().max(1) as f64).sqrt()).clamp(0.8, 4.0);
    for member in 0..chart.x.len() {
        let (own_x, own_y) = (chart.x[member], chart.y[member]);
        if own_x.is_finite() && own_y.is_finite() {
            let shade = chart.shade(chart.value(&[member]), range);
            drawing.dot([at_x(x, own_x), at_y(y, own_y)], radius, shade);
        }
    }
}

/// The axes with their marks and names, and the title.
fn frame(drawing: &mut Drawing, chart: &Chart, [x, y]: &[Axis; 2]) {
    let (right, below) = (LEFT + WIDE, TOP + HIGH);
    let corners = [
        [LEFT, TOP],
        [right, TOP],
        [right, below],
        [LEFT, below],
        [LEFT, TOP],
    ];
    drawing.line(&corners, 1.0, PALE);
    let mut widest = 0.0_f64;
    for mark in &x.ticks.marks {
        let place = at_x(x, mark.value);
        drawing.line(&[[place, below], [place, below + 4.0]], 1.0, PALE);
        drawing.text(
            [place, below + 18.0],
            SMALL,
            Anchor::Middle,
            INK,
            &mark.label,
        );
    }
    for mark in &y.ticks.marks {
        let place = at_y(y, mark.value);
        drawing.line(&[[LEFT - 4.0, place], [LEFT, place]], 1.0, PALE);
        drawing.text(
            [LEFT - 8.0, place + 4.0],
            SMALL,
            Anchor::End,
            INK,
            &mark.label,
        );
        widest = widest.max(SMALL * width(&mark.label));
    }
    drawing.text(
        [right, below + 36.0],
        SMALL,
        Anchor::End,
        INK,
        &x.ticks.note,
    );
    drawing.text([LEFT, TOP - 8.0], SMALL, Anchor::Start, INK, &y.ticks.note);
    drawing.text(
        [LEFT + 0.5 * WIDE, below + 42.0],
        LABEL,
        Anchor::Middle,
        INK,
        &chart.name(0),
    );
    let beside = (LEFT - 18.0 - widest).max(14.0);
    drawing.upright([beside, TOP + 0.5 * HIGH], LABEL, INK, &chart.name(1));
    title(drawing, &chart.title);
}

/// The title: in two lines, and smaller letters, where it is too wide.
fn title(drawing: &mut Drawing, text: &str) {
    const LARGE: f64 = 15.0;
    let room = LEFT + WIDE + GAP + BAR + SIDE - 2.0 * GAP;
    let width = |text: &str| width(text).max(strokes::width(text));
    let middle = text.len() / 2;
    let blanks = text.match_indices(' ').map(|(place, _)| place);
    let blank = blanks.min_by_key(|place| place.abs_diff(middle));
    let lines = match blank {
        Some(blank) if width(text) * LARGE > room => vec![&text[..blank], &text[blank + 1..]],
        _ => vec![text],
    };
    let widest = lines.iter().map(|line| width(line)).fold(0.0, f64::max);
    let size = LARGE.min(room / widest.max(1e-3));
    // A name beside is centred on the plot, which a wide title would leave.
    let centre = match widest * size > WIDE {
        true => GAP + 0.5 * room,
        false => LEFT + 0.5 * WIDE,
    };
    for (i, line) in lines.iter().rev().enumerate() {
        let height = if lines.len() == 1 {
            22.0
        } else {
            32.0 - 17.0 * i as f64
        };
        drawing.text([centre, height], size, Anchor::Middle, INK, line);
    }
}

/// The colours and what they stand for.
fn bar(drawing: &mut Drawing, chart: &Chart, (lo, hi): (f64, f64), levels: &Ticks) {
    const STEPS: usize = 210;
    let left = LEFT + WIDE + GAP;
    let rows = (0..=STEPS)
        .map(|i| TOP + HIGH * (1.0 - i as f64 / STEPS as f64))
        .collect();
    let shades = (0..STEPS)
        .map(|i| map((i as f64 + 0.5) / STEPS as f64))
        .collect();
    drawing.cells(vec![left, left + BAR], rows, shades);
    let corners = [
        [left, TOP],
        [left + BAR, TOP],
        [left + BAR, TOP + HIGH],
        [left, TOP + HIGH],
        [left, TOP],
    ];
    drawing.line(&corners, 1.0, PALE);
    let mut widest = 0.0_f64;
    for mark in &levels.marks {
        let place = TOP + HIGH * (1.0 - (mark.value - lo) / (hi - lo));
        drawing.line(&[[left + BAR, place], [left + BAR + 4.0, place]], 1.0, PALE);
        drawing.text(
            [left + BAR + 8.0, place + 4.0],
            SMALL,
            Anchor::Start,
            INK,
            &mark.label,
        );
        widest = widest.max(SMALL * width(&mark.label));
    }
    drawing.text([left, TOP - 8.0], SMALL, Anchor::Start, INK, &levels.note);
    let beside = (left + BAR + 26.0 + widest).min(LEFT + WIDE + GAP + BAR + SIDE - 8.0);
    drawing.upright([beside, TOP + 0.5 * HIGH], LABEL, INK, &chart.name(2));
    let Colour::Numbers(values) = &chart.colour else {
        return;
    };
    let undefined = values.iter().filter(|x| !x.is_finite()).count();
    if undefined > 0 {
        let below = TOP + HIGH + 18.0;
        drawing.cells(
            vec![left, left + BAR],
            vec![below, below - 10.0],
            vec![UNDEFINED],
        );
        let part = 100.0 * undefined as f64 / values.len() as f64;
        let part = if part < 1.0 {
            "below 1".to_owned()
        } else {
            format!("{part:.0}")
        };
        drawing.text(
            [left + BAR + 8.0, below],
            SMALL,
            Anchor::Start,
            INK,
            &format!("none: {part} %"),
        );
    }
}

/// The words and how many members have each.
fn legend(drawing: &mut Drawing, words: &[String], codes: &[u32]) {
    let left = LEFT + WIDE + GAP;
    let used = (0..words.len()).filter(|word| codes.iter().any(|code| *code as usize == *word));
    for (row, word) in used.enumerate() {
        let top = TOP + 22.0 * row as f64;
        let shade = CLASSES[word % CLASSES.len()];
        drawing.cells(vec![left, left + 14.0], vec![top + 14.0, top], vec![shade]);
        drawing.text(
            [left + 21.0, top + 11.5],
            SMALL,
            Anchor::Start,
            INK,
            &words[word],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(colour: impl Fn(f64, f64) -> f64) -> Chart {
        let values: Vec<(f64, f64)> = (0..12)
            .flat_map(|i| (0..10).map(move |j| (0.5 + 0.1 * f64::from(i), f64::from(j))))
            .collect();
        Chart {
            title: "Title & more".to_owned(),
            labels: ["m", "theta'(0)", "E"].map(str::to_owned),
            units: ["kg", "rad/s", ""].map(str::to_owned),
            x: values.iter().map(|(x, _)| *x).collect(),
            y: values.iter().map(|(_, y)| *y).collect(),
            colour: Colour::Numbers(values.iter().map(|(x, y)| colour(*x, *y)).collect()),
            members: (0..120).collect(),
        }
    }

    #[test]
    fn a_grid_becomes_cells_and_contours() {
        let chart = chart(|x, y| x * y);
        let (xs, ys, members) = grid(&chart).expect("a grid");
        assert_eq!((xs.len(), ys.len()), (12, 10));
        assert!(members.iter().all(|cell| cell.len() == 1));
        let text = svg(&chart);
        assert!(
            text.contains("Title &amp; more") && text.contains("m in kg"),
            "{text}"
        );
        assert!(text.contains("stroke=\"#ffffff\""), "{text}");
        assert_eq!(text, svg(&chart));
        assert!(png(&chart).starts_with(b"\x89PNG\r\n\x1a\n"));
    }

    /// The outermost cells are as large as those inside.
    #[test]
    fn cells_reach_beyond_the_values() {
        for (values, ends) in [
            (vec![0.5, 1.0, 1.5], (0.25, 1.75)),
            (vec![1.0, 2.0], (0.5, 2.5)),
            (vec![0.0, 1.0, 2.0, 4.0], (-0.5, 5.0)),
        ] {
            let axis = Axis::new(values.clone(), &values, 6.0);
            assert_eq!((axis.lo, axis.hi), ends, "{values:?}");
        }
    }

    /// A plateau at the end of the range has rounding errors, and no lines.
    #[test]
    fn plateaus_have_no_contours() {
        let chart = chart(|x, y| if x > 1.0 { 2.0 - 1e-15 * y } else { 0.0 });
        let within = inner(&linear(0.0, 2.0, 0.3), (0.0, 2.0));
        assert_eq!(within, [0.5, 1.0, 1.5]);
        assert_eq!(svg(&chart).matches("stroke=\"#ffffff\"").count(), 3 * 9);
    }

    /// Nothing that may stand in a column keeps a chart from being drawn.
    #[test]
    fn charts_of_anything_can_be_drawn() {
        let mut odd = [
            chart(|_, _| f64::NAN),
            chart(|_, _| 1.0),
            chart(|x, _| 1e300 * x),
        ];
        odd[1].x = vec![3.0; 120];
        odd[2].y[5] = f64::NAN;
        let mut empty = chart(|x, _| x);
        (empty.x, empty.y, empty.colour) = (vec![], vec![], Colour::Numbers(vec![]));
        let mut words = chart(|x, _| x);
        let codes = (0..120).map(|i| i % 3).collect();
        words.colour = Colour::Words {
            words: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            codes,
        };
        for chart in odd.into_iter().chain([empty, words]) {
            let text = svg(&chart);
            assert!(!text.contains("NaN") && !text.contains("inf\""), "{text}");
            assert!(png(&chart).len() > 1000);
            let page = html(&chart);
            assert!(!page.contains("NaN") && !page.contains(":inf"), "{page}");
        }
    }
}
