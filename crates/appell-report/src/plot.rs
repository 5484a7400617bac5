//! What a plot shows, and where on the paper it stands: ranges, scales, curves in hundredths of a
//! pixel. The drawing itself is [`crate::svg`].

use crate::ticks::{self, Ticks};
use std::collections::BTreeSet;

/// Curves over one pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Printed above the plot.
    pub title: String,
    /// Printed below the horizontal axis.
    pub x_label: String,
    /// Printed beside the vertical axis.
    pub y_label: String,
    /// The units of both axes, as `m/s`; empty where unknown.
    pub units: [String; 2],
    /// Whether the vertical axis is logarithmic; values below `1e-300` are left out.
    pub log_y: bool,
    /// Whether one unit is equally long on both axes, as for a path in the plane. The ends of each
    /// curve are marked then: open at the start, filled at the end. Not on a logarithmic axis.
    pub equal_aspect: bool,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
}

/// One curve: its points are joined in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Whether its points stand alone, as for rounding errors; a line shows their running maximum.
    pub scattered: bool,
    /// Its name in the legend.
    pub label: String,
    /// Points `(x, y)`. The line is interrupted at a point that has no place on the axes: not
    /// finite, above `1e300` in size, or below `1e-300` on a logarithmic axis.
    pub points: Vec<(f64, f64)>,
}

/// A point on the paper in hundredths of a pixel, from the upper left corner of the axes.
pub(crate) type Dot = (i64, i64);

/// A figure laid out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plot {
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
}

/// One axis laid out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub scale: Scale,
    pub ticks: Ticks,
}

/// What is drawn for one series.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Curve {
    /// Lines of two points and more.
    pub lines: Vec<Vec<Dot>>,
    /// Points without a neighbour to be joined with.
    pub single: Vec<Dot>,
    /// The first and the last point of all.
    pub ends: Option<(Dot, Dot)>,
    /// How many points have no place on the axes.
    pub left_out: usize,
}

impl Curve {
    /// Leaves out what is within so many hundredths of a pixel of the rest, and dots that nearly cover others.
    pub(crate) fn coarsen(&mut self, by: i64) {
        for line in &mut self.lines {
            *line = simplified(line, by);
        }
        let cell = |dot: &Dot| (dot.0.div_euclid(COVERED), dot.1.div_euclid(COVERED));
        let mut taken = BTreeSet::new();
        self.single.retain(|dot| taken.insert(cell(dot)));
    }
}

/// Dots so near to each other, in hundredths of a pixel, look like one.
const COVERED: i64 = 250;

/// Of a line the points without which it would be farther than `by` from itself [douglas1973].
fn simplified(line: &[Dot], by: i64) -> Vec<Dot> {
    let Some(last) = line.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut kept = BTreeSet::from([0, last]);
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let distance = |i: &usize| beside(line[*i], line[from], line[to]);
        let farthest = (from + 1..to).max_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(at) = farthest.filter(|at| distance(at) > by as f64) {
            kept.insert(at);
            open.extend([(from, at), (at, to)]);
        }
    }
    kept.into_iter().map(|i| line[i]).collect()
}

/// How far a point is from the stretch between two others.
fn beside(point: Dot, from: Dot, to: Dot) -> f64 {
    let part = |a: Dot, b: Dot| ((b.0 - a.0) as f64, (b.1 - a.1) as f64);
    let ((ax, ay), (bx, by)) = (part(from, to), part(from, point));
    let square = ax * ax + ay * ay;
    let along = match square > 0.0 {
        true => ((ax * bx + ay * by) / square).clamp(0.0, 1.0),
        false => 0.0,
    };
    (bx - along * ax).hypot(by - along * ay)
}

/// Above this size a number is as good as infinite: widths and margins could overflow.
const LARGEST: f64 = 1e300;
/// Below this size a number is as good as zero.
const SMALLEST: f64 = 1e-300;
/// The plane of the axes in pixels; with equal aspect, the sides are chosen within the bounds.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sheet {
    width: f64,
    height: f64,
    narrowest: f64,
    heights: (f64, f64),
    /// The least distances of the marks along both axes, room for their labels: a fifth of the side or less. With
    /// equal aspect they are equal, so that the grid is one of squares.
    gaps: (f64, f64),
    equal_gap: f64,
}

/// A page on a screen.
pub(crate) const SCREEN: Sheet = Sheet {
    width: 620.0,
    height: 320.0,
    narrowest: 320.0,
    heights: (280.0, 560.0),
    gaps: (78.0, 42.0),
    equal_gap: 56.0,
};
/// The column of a journal, in letters of the same size: a pixel is 0.585 points there.
pub(crate) const COLUMN: Sheet = Sheet {
    width: 318.0,
    height: 210.0,
    narrowest: 200.0,
    heights: (170.0, 330.0),
    gaps: (64.0, 42.0),
    equal_gap: 34.0,
};
/// Free space inside the axes, as a part of the range.
const MARGIN: f64 = 0.05;

impl Series {
    /// What is joined by lines: the points, or the largest value so far.
    fn line(&self) -> Vec<(f64, f64)> {
        if !self.scattered {
            return self.points.clone();
        }
        let mut most = f64::NEG_INFINITY;
        let largest = |&(x, y): &(f64, f64)| {
            most = if y.is_finite() { most.max(y) } else { most };
            (x, most)
        };
        self.points.iter().map(largest).collect()
    }
}

impl Figure {
    fn is_equal(&self) -> bool {
        self.equal_aspect && !self.log_y
    }

    fn has_place(&self, (x, y): (f64, f64)) -> bool {
        x.abs() <= LARGEST && y.abs() <= LARGEST && (y >= SMALLEST || !self.log_y)
    }

    /// The points that can be drawn, of all series.
    fn drawable(&self) -> impl Iterator<Item = (f64, f64)> {
        let points = self
            .series
            .iter()
            .flat_map(|series| series.points.iter().copied());
        points.filter(|&point| self.has_place(point))
    }

    /// Whether every series runs from left to right: a graph fills the width of its axes, while a
    /// path keeps clear of them.
    fn is_graph(&self) -> bool {
        self.series.iter().all(|series| {
            let drawable = series.points.iter().filter(|&&point| self.has_place(point));
            drawable.is_sorted_by(|a, b| a.0 <= b.0)
        })
    }
}

/// Lays a figure out; always possible.
pub(crate) fn lay_out(figure: &Figure, sheet: Sheet) -> Plot {
    let x = Range::of(figure.drawable().map(|point| point.0)).opened();
    let x = if figure.is_graph() && !figure.is_equal() {
        x
    } else {
        x.padded(MARGIN)
    };
    let y = Range::of(figure.drawable().map(|point| point.1));
    let (x, y, gaps) = if figure.log_y {
        let y = Scale::logarithmic(y, sheet.height);
        (Scale::linear(x, sheet.width), y, sheet.gaps)
    } else if figure.is_equal() {
        let (x, y) = equal_scales(x, y.opened().padded(MARGIN), sheet);
        (x, y, (sheet.equal_gap, sheet.equal_gap))
    } else {
        (
            Scale::linear(x, sheet.width),
            Scale::linear(y.opened().padded(MARGIN), sheet.height),
            sheet.gaps,
        )
    };
    let curves = figure
        .series
        .iter()
        .map(|series| curve(figure, series, &x, &y));
    Plot {
        curves: curves.collect(),
        x: x.axis(gaps.0),
        y: y.axis(gaps.1),
    }
}

/// The bounds of some values.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Range {
    lo: f64,
    hi: f64,
}

impl Range {
    /// The bounds of the values; empty (`lo > hi`) without values.
    fn of(values: impl Iterator<Item = f64>) -> Range {
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            lo = lo.min(value);
            hi = hi.max(value);
        }
        Range { lo, hi }
    }

    fn width(self) -> f64 {
        self.hi - self.lo
    }

    /// A range wide enough for an axis: where the values are one up to rounding, a tenth of it to
    /// either side, so that a constant looks constant; without values, from zero to one.
    fn opened(self) -> Range {
        if self.lo > self.hi {
            return Range { lo: 0.0, hi: 1.0 };
        }
        let size = self.lo.abs().max(self.hi.abs());
        if size < SMALLEST {
            return Range { lo: -1.0, hi: 1.0 };
        }
        if self.width() <= 64.0 * f64::EPSILON * size {
            return self.widened(size / 10.0);
        }
        self
    }

    fn padded(self, part: f64) -> Range {
        self.widened(part * self.width())
    }

    fn widened(self, by: f64) -> Range {
        Range {
            lo: self.lo - by,
            hi: self.hi + by,
        }
    }
}

/// A map from values to pixels along one axis.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// The value at the beginning of the axis.
    pub lo: f64,
    /// The value at its end.
    pub hi: f64,
    /// The distance between the two in pixels.
    pub length: f64,
    log: bool,
}

impl Scale {
    fn linear(Range { lo, hi }: Range, length: f64) -> Scale {
        let log = false;
        Scale {
            lo,
            hi,
            length,
            log,
        }
    }

    /// The range is that of positive values, not yet opened.
    fn logarithmic(range: Range, length: f64) -> Scale {
        let (lo, hi) = match range {
            Range { lo, hi } if lo > hi => (1.0, 10.0),
            Range { lo, hi } if hi <= lo * (1.0 + 1e-9) => (lo / 3.0, hi * 3.0),
            Range { lo, hi } => {
                let margin = (hi.log10() - lo.log10()) * MARGIN;
                (lo * 10_f64.powf(-margin), hi * 10_f64.powf(margin))
            }
        };
        Scale {
            lo: lo.max(f64::MIN_POSITIVE),
            hi: hi.min(f64::MAX),
            length,
            log: true,
        }
    }

    /// Pixels from the beginning of the axis.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.log10() - self.lo.log10()) / (self.hi.log10() - self.lo.log10())
        } else {
            (value - self.lo) / (self.hi - self.lo)
        };
        part * self.length
    }

    /// The axis with marks `gap` pixels apart or more, as far as they are evenly spaced.
    fn axis(self, gap: f64) -> Axis {
        let ticks = if self.log {
            ticks::logarithmic(self.lo, self.hi, (self.length / gap) as usize)
        } else {
            // One number for both axes of equal aspect, whatever the rounding of each.
            let unit = (self.hi - self.lo) / self.length;
            ticks::linear(self.lo, self.hi, unit * gap * (1.0 - 1e-9))
        };
        Axis { scale: self, ticks }
    }
}

/// Scales with as many units to a pixel on both axes: the sides follow the ranges as far as they
/// may, then the range that is too short is widened.
fn equal_scales(x: Range, y: Range, sheet: Sheet) -> (Scale, Scale) {
    let Sheet {
        width: widest,
        narrowest,
        heights,
        ..
    } = sheet;
    let height = (widest * (y.width() / x.width())).clamp(heights.0, heights.1);
    let width = (height * (x.width() / y.width())).clamp(narrowest, widest);
    let unit = (x.width() / width).max(y.width() / height);
    let x = x.widened((unit * width - x.width()) / 2.0);
    let y = y.widened((unit * height - y.width()) / 2.0);
    (Scale::linear(x, width), Scale::linear(y, height))
}

/// The points of one series on the paper.
fn curve(figure: &Figure, series: &Series, x: &Scale, y: &Scale) -> Curve {
    let hundredths = |pixels: f64| (100.0 * pixels).round() as i64;
    let on_paper =
        |&(px, py): &(f64, f64)| (hundredths(x.place(px)), hundredths(y.length - y.place(py)));
    let line = series.line();
    let runs: Vec<Vec<Dot>> = line
        .split(|&point| !figure.has_place(point))
        .filter(|run| !run.is_empty())
        .map(|run| run.iter().map(on_paper).collect())
        .collect();
    let drawn: usize = runs.iter().map(Vec::len).sum();
    let ends = runs.first().zip(runs.last());
    let ends = ends.and_then(|(first, last)| Some((*first.first()?, *last.last()?)));
    let dense = drawn > 2 * x.length as usize;
    let (single, lines) = runs
        .into_iter()
        .map(|run| straightened(if dense { thinned(&run) } else { run }))
        .partition::<Vec<_>, _>(|line| line.len() == 1);
    let single: Vec<Dot> = match series.scattered {
        true => {
            let points = series.points.iter();
            let drawable = points.filter(|point| figure.has_place(**point));
            drawable.map(on_paper).collect()
        }
        false => single.into_iter().flatten().collect(),
    };
    let left_out = (series.points.iter()).filter(|point| !figure.has_place(**point));
    Curve {
        lines,
        single: apart(single.into_iter()),
        ends,
        left_out: left_out.count(),
    }
}

/// Of every stretch of points within half a pixel's column, the first, the lowest, the highest and
/// the last: the line covers the same pixels [jugel2014, the M4 aggregation].
fn thinned(run: &[Dot]) -> Vec<Dot> {
    let column = |dot: &Dot| dot.0.div_euclid(50);
    let mut kept = Vec::new();
    for stretch in run.chunk_by(|a, b| column(a) == column(b)) {
        let indices = 0..stretch.len();
        let lowest = indices.clone().min_by_key(|&i| stretch[i].1).unwrap_or(0);
        let highest = indices.max_by_key(|&i| stretch[i].1).unwrap_or(0);
        let wanted = BTreeSet::from([0, lowest, highest, stretch.len() - 1]);
        kept.extend(wanted.into_iter().map(|i| stretch[i]));
    }
    kept
}

/// The line without repeated points and without points on the way from one neighbour straight to
/// the next.
fn straightened(run: Vec<Dot>) -> Vec<Dot> {
    let mut line: Vec<Dot> = Vec::with_capacity(run.len());
    for dot in run {
        match line[..] {
            [.., last] if last == dot => {}
            [.., before, last] if is_on_the_way(before, last, dot) => {
                line.pop();
                line.push(dot);
            }
            _ => line.push(dot),
        }
    }
    line
}

fn is_on_the_way(from: Dot, via: Dot, to: Dot) -> bool {
    let (a, b) = (
        (via.0 - from.0, via.1 - from.1),
        (to.0 - via.0, to.1 - via.1),
    );
    a.0 * b.1 == a.1 * b.0 && a.0 * b.0 + a.1 * b.1 > 0
}

/// The first of the dots in each pixel.
fn apart(dots: impl Iterator<Item = Dot>) -> Vec<Dot> {
    let mut taken = BTreeSet::new();
    dots.filter(|dot| taken.insert((dot.0.div_euclid(100), dot.1.div_euclid(100))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(points: Vec<(f64, f64)>) -> Figure {
        Figure {
            series: vec![Series {
                label: String::new(),
                points,
                scattered: false,
            }],
            ..Figure::default()
        }
    }

    fn only_curve(figure: &Figure) -> Curve {
        lay_out(figure, SCREEN).curves.remove(0)
    }

    fn dots(curve: &Curve) -> impl Iterator<Item = &Dot> {
        curve.lines.iter().flatten().chain(&curve.single)
    }

    #[test]
    fn everything_drawable_is_inside_the_axes_at_every_size_and_place() {
        for exponent in (-330..=300).step_by(7) {
            for place in [-1e300, -1.0, 0.0, 1e-12, 1.0, 1e16, 1e300] {
                for (log_y, equal_aspect) in [(false, false), (true, false), (false, true)] {
                    let size: f64 = format!("1e{exponent}").parse().expect("a number");
                    let point = |i: i32| {
                        let s = f64::from(i);
                        (place + size * s.sin(), place + size * s.cos())
                    };
                    let mut figure = figure((0..50).map(point).collect());
                    (figure.log_y, figure.equal_aspect) = (log_y, equal_aspect);
                    let plot = lay_out(&figure, SCREEN);
                    let bounds = [&plot.x.scale, &plot.y.scale].map(|s| (100.0 * s.length) as i64);
                    let inside = |dot: &Dot| {
                        (0..=bounds[0]).contains(&dot.0) && (0..=bounds[1]).contains(&dot.1)
                    };
                    assert!(dots(&plot.curves[0]).all(inside), "{size:e} at {place:e}");
                    let marks = [&plot.x, &plot.y].map(|axis| axis.ticks.marks.len());
                    assert!(
                        marks.iter().all(|&n| n >= 2),
                        "{size:e} at {place:e}: {plot:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_coarse_line_stays_beside_itself() {
        let wave = |i: i64| (10 * i, (3000.0 * (0.01 * i as f64).sin()) as i64);
        let line: Vec<Dot> = (0..2000).map(wave).collect();
        let coarse = simplified(&line, 25);
        assert!(coarse.len() < line.len() / 10, "{}", coarse.len());
        assert_eq!((coarse.first(), coarse.last()), (line.first(), line.last()));
        for dot in &line {
            let near = coarse.windows(2).map(|ends| beside(*dot, ends[0], ends[1]));
            assert!(near.fold(f64::INFINITY, f64::min) <= 25.0, "{dot:?}");
        }
        assert!(simplified(&[], 25).is_empty());
    }

    #[test]
    fn scattered_points_have_their_running_maximum() {
        let mut figure = figure(vec![(0.0, 1.0), (1.0, 4.0), (2.0, 0.0), (3.0, 2.0)]);
        figure.log_y = true;
        figure.series[0].scattered = true;
        let curve = only_curve(&figure);
        assert_eq!(curve.single.len(), 3);
        let heights: Vec<i64> = curve.lines[0].iter().map(|dot| dot.1).collect();
        assert!(
            heights.windows(2).all(|pair| pair[1] <= pair[0]),
            "{heights:?}"
        );
    }

    #[test]
    fn a_value_that_is_not_finite_breaks_the_line() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e301] {
            let figure = figure(vec![
                (0.0, 0.0),
                (1.0, 1.0),
                (2.0, bad),
                (3.0, 0.0),
                (4.0, 1.0),
                (bad, 0.0),
            ]);
            let curve = only_curve(&figure);
            assert_eq!(curve.lines.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
            assert_eq!(curve.left_out, 2);
            assert_eq!(curve.ends, Some((curve.lines[0][0], curve.lines[1][1])));
        }
    }

    #[test]
    fn values_that_are_not_positive_have_no_place_on_a_logarithmic_axis() {
        let mut figure = figure(vec![(0.0, 1.0), (1.0, 0.0), (2.0, -1.0), (3.0, 10.0)]);
        figure.log_y = true;
        let curve = only_curve(&figure);
        assert_eq!((curve.single.len(), curve.left_out), (2, 2));
    }

    #[test]
    fn a_logarithmic_axis_holds_every_decade() {
        let mut figure = figure(
            (-300..=300)
                .map(|i| (f64::from(i), f64::powi(10.0, i)))
                .collect(),
        );
        figure.log_y = true;
        let curve = only_curve(&figure);
        // A straight line up to the rounding to a hundredth of a pixel.
        let (first, last) = curve.ends.expect("ends");
        assert!(first.1 - last.1 > 30_000 && last.0 - first.0 == 62_000);
        for &(x, y) in &curve.lines[0] {
            let chord = first.1 + (last.1 - first.1) * x / 62_000;
            assert!((y - chord).abs() <= 2, "{x} {y} {chord}");
        }
    }

    #[test]
    fn a_constant_up_to_rounding_is_one_level_line_in_the_middle() {
        let noise = |i: i32| (f64::from(i), 9.81 + f64::from(i % 7) * 1.8e-15);
        let curve = only_curve(&figure((0..1000).map(noise).collect()));
        assert_eq!(curve.lines, [[(0, 16_000), (62_000, 16_000)]]);
    }

    #[test]
    fn a_point_alone_is_a_dot_in_the_middle() {
        for point in [(0.0, 0.0), (3.0, -1e-310), (1e300, 1e300), (-2.0, 5e-324)] {
            let curve = only_curve(&figure(vec![point, point]));
            assert_eq!(curve.single, [(31_000, 16_000)], "{point:?}");
            assert!(curve.lines.is_empty());
        }
    }

    #[test]
    fn one_unit_is_equally_long_on_both_axes() {
        for ratio in [1e-9, 0.01, 0.3, 1.0, 2.0, 40.0, 1e9] {
            let mut figure = figure(vec![(0.0, 0.0), (1.0, ratio), (0.5, ratio / 3.0)]);
            figure.equal_aspect = true;
            let Plot { x, y, .. } = lay_out(&figure, SCREEN);
            let units = [x.scale, y.scale].map(|s| (s.hi - s.lo) / s.length);
            assert!((units[0] / units[1] - 1.0).abs() < 1e-12, "{ratio}");
            let steps = [&x, &y].map(|a| a.ticks.marks[1].value - a.ticks.marks[0].value);
            assert!((steps[0] / steps[1] - 1.0).abs() < 1e-12, "{ratio}");
            assert!(y.scale.length <= 560.0 && y.scale.length >= 280.0);
            assert!(x.scale.length <= 620.0 && x.scale.length >= 320.0);
        }
    }

    /// A dense signal with two spikes one sample wide.
    fn dense() -> Vec<(f64, f64)> {
        let wave = |i: i32| (f64::from(i), (f64::from(i) * 0.37).sin());
        let mut points: Vec<(f64, f64)> = (0..200_000).map(wave).collect();
        points[77_777].1 = 5.0;
        points[123_456].1 = -4.0;
        points
    }

    #[test]
    fn thinning_keeps_the_extremes_and_the_ends_of_every_column() {
        let curve = only_curve(&figure(dense()));
        let drawn: usize = curve.lines.iter().map(Vec::len).sum();
        assert!(drawn <= 4 * 2 * 621, "{drawn} points");
        // Axes from -4.45 to 5.45: the spikes stand 5% of the height from its ends, which are
        // 9.9 units apart.
        let expected = |value: f64| ((5.45 - value) / 9.9 * 32_000.0).round() as i64;
        let heights = || dots(&curve).map(|dot| dot.1);
        assert_eq!(heights().min(), Some(expected(5.0)));
        assert_eq!(heights().max(), Some(expected(-4.0)));
        for column in 0..1240 {
            let here = dots(&curve)
                .filter(|dot| dot.0.div_euclid(50) == column)
                .map(|dot| dot.1);
            let (lo, hi) = here.fold((i64::MAX, i64::MIN), |(lo, hi), y| (lo.min(y), hi.max(y)));
            // 160 samples, nine turns of the wave: it comes near -1 and 1.
            assert!(
                lo <= expected(0.98) && hi >= expected(-0.98),
                "column {column}: {lo} {hi}"
            );
        }
    }

    #[test]
    fn a_few_points_are_all_kept() {
        let zigzag = (0..500).map(|i| (f64::from(i), f64::from(i % 2)));
        assert_eq!(only_curve(&figure(zigzag.collect())).lines[0].len(), 500);
    }

    #[test]
    fn a_straight_line_needs_two_points_and_a_turn_back_three() {
        assert_eq!(
            straightened(vec![(0, 0), (1, 2), (1, 2), (2, 4), (5, 10)]),
            [(0, 0), (5, 10)]
        );
        assert_eq!(
            straightened(vec![(0, 0), (4, 4), (2, 2)]),
            [(0, 0), (4, 4), (2, 2)]
        );
        assert_eq!(straightened(vec![(3, 3), (3, 3)]), [(3, 3)]);
    }

    #[test]
    fn scattered_points_are_no_more_than_pixels() {
        let scattered = |i: i32| match i % 2 {
            0 => (f64::from(i), (f64::from(i) * 0.1).sin()),
            _ => (f64::NAN, 0.0),
        };
        let curve = only_curve(&figure((0..100_000).map(scattered).collect()));
        let pixels: BTreeSet<Dot> = curve
            .single
            .iter()
            .map(|&(x, y)| (x.div_euclid(100), y.div_euclid(100)))
            .collect();
        assert_eq!(pixels.len(), curve.single.len());
        assert!(curve.single.len() < 50_000);
    }

    #[test]
    fn an_empty_figure_has_axes() {
        for series in [vec![], vec![Series::default()]] {
            let figure = Figure {
                series,
                ..Figure::default()
            };
            let plot = lay_out(&figure, SCREEN);
            assert_eq!((plot.x.scale.lo, plot.x.scale.hi), (0.0, 1.0));
            assert!(plot.curves.iter().all(|curve| dots(curve).next().is_none()));
        }
    }
}
