//! Between two looks an expression may bend more than its values there tell: at a corner of `abs(x)`, in a narrow peak,
//! at a jump. The states are smooth where the expression is not, so that it is looked at more closely along them.
//!
//! An interval is left as it is where the polynomial through the values meets the expression in its middle. Others are
//! halved until the expression is a polynomial of degree four, to 1e-10 of its range, or as halving has shown. Each
//! expression is looked at for itself: what is asked of others does not change its numbers. Intervals in which [`Guide`]s
//! tell a corner or a narrow function are cut there first: looks and middles may all lie beside it.

use super::guides::Guide;

/// How many values a polynomial goes through.
pub(super) const NODES: usize = 6;
/// Values of a piece: at its ends, its middle and its quarters.
pub(super) const FIVE: usize = 5;
/// An interval is halved so often at most: a corner is then known to a millionth of it.
const DEEPEST: usize = 20;
/// So many values for each look at most: what has no polynomial anywhere, as rounding, ends soon.
const MAX_VALUES: usize = 64;
/// And so many for each cut.
const MAX_VALUES_AT_CUTS: usize = 64;
/// Intervals are not cut nearer to each other, or to their ends, than this part of them.
const SHORTEST: f64 = 1e-9;
/// Where a polynomial misses by more than this part of the range, it tells nothing.
const ROUGH: f64 = 0.02;
/// What has grown by so much after [`DEEPEST`] halvings has no bound: `x^-p` by `2^(20 p)`, jumps and logarithms by no more
/// than their place in an interval does.
const GROWS: f64 = 50.0;
/// What has grown by so much has no integral: `p >= 1`.
const DIVERGES: f64 = 3e4;

/// What an expression does between looks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Between {
    /// Where values at the looks tell too little, in the direction of the motion.
    pub pieces: Vec<Piece>,
    /// Whether more values would have told more.
    pub is_cut_short: bool,
}

/// A part of the time between two looks, with values of its own.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    /// The place of the look before it.
    pub interval: usize,
    /// Where it begins.
    pub a: f64,
    /// Where it ends.
    pub b: f64,
    /// The expression at its five places.
    pub values: [f64; FIVE],
    /// Whether a polynomial stands between them; there is a jump otherwise.
    pub is_smooth: bool,
    /// Whether the expression has no bound here.
    pub is_unbounded: bool,
    /// Whether it has no integral either.
    pub diverges: bool,
}

/// Places in the direction of the motion, and rows of values there.
#[derive(Clone, Copy)]
pub(crate) struct Looks<'v> {
    pub times: &'v [f64],
    pub values: &'v [f64],
    /// The length of a row.
    pub width: usize,
}

impl Looks<'_> {
    pub fn value(&self, k: usize, index: usize) -> f64 {
        self.values[k * self.width + index]
    }

    /// The first of so many places around the interval behind place `k`.
    pub fn first(&self, k: usize, count: usize) -> usize {
        first_around(k, count, self.times.len())
    }

    /// The polynomial through the nearest values at a time behind place `k`.
    pub fn through(&self, k: usize, t: f64, index: usize) -> f64 {
        let count = NODES.min(self.times.len());
        let first = self.first(k, count);
        let value = |i: usize| self.value(first + i, index);
        let weights = weights(&self.times[first..first + count], t);
        (0..count).map(|i| weights[i] * value(i)).sum()
    }
}

/// The first of so many places, of `all`, around the interval behind place `k`.
pub(super) fn first_around(k: usize, count: usize, all: usize) -> usize {
    (k + 1).saturating_sub(count / 2).min(all - count)
}

/// What the values at these times, at most [`NODES`], count in that of their polynomial (Lagrange).
pub(super) fn weights(times: &[f64], t: f64) -> [f64; NODES] {
    let mut weights = [0.0; NODES];
    for (i, node) in times.iter().enumerate() {
        let others = times.iter().enumerate().filter(|(j, _)| *j != i);
        weights[i] = others
            .map(|(_, other)| (t - other) / (node - other))
            .product();
    }
    weights
}

pub(super) fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let nothing = (f64::INFINITY, f64::NEG_INFINITY);
    values.fold(nothing, |(least, most), x| (least.min(x), most.max(x)))
}

/// What counts as nothing of an expression.
struct Scale {
    /// Its range between the least and the largest value.
    range: f64,
    /// Its rounding.
    rounding: f64,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (least, most) = extremes(values.filter(|x| x.is_finite()));
        let range = (most - least).max(0.0);
        let rounding = 1e-14 * least.abs().max(most.abs());
        Self {
            range,
            rounding: if rounding.is_finite() { rounding } else { 0.0 },
        }
    }

    /// Whether a difference is none.
    fn is_nothing(&self, difference: f64) -> bool {
        difference <= 1e-10 * self.range + self.rounding
    }

    /// Whether the quartic through five values is the expression where a parabola misses it by so much, and missed it by so
    /// much on twice the length. The quartic is off by far less: what is nearly constant is not followed below 1e-11.
    fn is_polynomial(&self, off: f64, before: f64) -> bool {
        let falls = off <= 0.25 * before;
        self.is_nothing(off) || falls && off <= 1e-5 * self.range + 1e3 * self.rounding
    }
}

/// A piece that is not judged yet.
struct Open {
    piece: Piece,
    /// By how much the parabola of the piece that it is half of was off; 0 for none.
    before: f64,
    /// By how much that of the whole interval was.
    first: f64,
}

/// What each expression does between the looks; of those that are not wanted only whether looks tell their frequency. The
/// motion bends at some times, each with the place of the look before it. `at` gives all expressions at a time behind a
/// place.
pub(crate) fn between(
    looks: Looks<'_>,
    wanted: &[bool],
    (guides, bends): (&[Guide], &[(usize, f64)]),
    mut at: impl FnMut(usize, f64, &mut [f64]),
) -> Vec<Between> {
    let (times, width) = (looks.times, looks.width);
    let intervals = times.len().saturating_sub(1);
    let mut middles = vec![f64::NAN; intervals * width];
    for (k, middle) in middles.chunks_exact_mut(width).enumerate() {
        at(k, 0.5 * (times[k] + times[k + 1]), middle);
    }
    let mut row = vec![f64::NAN; width];
    let column =
        |index: usize| -> Vec<f64> { middles.iter().skip(index).step_by(width).copied().collect() };
    let of = |index: usize| guides.iter().filter(move |guide| guide.of == index);
    let mut of_index = |index: usize| {
        let mut at = |index: usize, k: usize, t: f64| {
            at(k, t, &mut row);
            row[index]
        };
        let mut cuts = bends.to_vec();
        let mut is_cut_short = false;
        for guide in of(index) {
            let value = &mut |k: usize, t: f64| at(guide.index, k, t);
            let middles = column(guide.index);
            match guide.turns_too_often(looks, &middles) {
                true => is_cut_short = true,
                false => cuts.extend(guide.times(looks, &middles, value)),
            }
        }
        let at = &mut |k: usize, t: f64| at(index, k, t);
        let mut found = of_one(looks, index, (&column(index), &cuts), at);
        found.is_cut_short |= is_cut_short;
        found
    };
    // What is known from the looks alone.
    let seen = |index: usize| Between {
        pieces: Vec::new(),
        is_cut_short: of(index).any(|guide| guide.hides_frequencies(looks, &column(guide.index))),
    };
    let found = |index: usize| match wanted[index] {
        true => of_index(index),
        false => seen(index),
    };
    (0..width).map(found).collect()
}

/// What one expression does, with its values in the middles of the intervals and the times at which these are cut, with their
/// places.
fn of_one(
    looks: Looks<'_>,
    index: usize,
    (middles, cuts): (&[f64], &[(usize, f64)]),
    at: &mut impl FnMut(usize, f64) -> f64,
) -> Between {
    let times = looks.times;
    let at_cuts: Vec<f64> = cuts.iter().map(|(k, t)| at(*k, *t)).collect();
    let looked = (0..times.len()).map(|k| looks.value(k, index));
    let scale = Scale::of(looked.chain(middles.iter().chain(&at_cuts).copied()));
    let mut open = Vec::new();
    for (k, middle) in middles.iter().enumerate() {
        let [first, last] = [k, k + 1].map(|k| (times[k], looks.value(k, index)));
        let cuts = cuts.iter().zip(&at_cuts);
        let here = cuts.filter(|((place, _), _)| *place == k);
        let here: Vec<(f64, f64)> = here.map(|((_, t), value)| (*t, *value)).collect();
        if !here.is_empty() {
            open.extend(cut(k, first, here, last, at));
            continue;
        }
        let off = looks.through(k, 0.5 * (first.0 + last.0), index) - middle;
        if !scale.is_nothing(off.abs()) {
            let piece = Piece::new(k, (first.0, last.0), [first.1, *middle, last.1]);
            open.push(Open::new(piece));
        }
    }
    let most = MAX_VALUES * times.len() + MAX_VALUES_AT_CUTS * cuts.len();
    let mut found = halved(open, &scale, most, at);
    let forward = times.first() <= times.last();
    found.pieces.sort_by(|one, other| {
        let of_time = one.a.total_cmp(&other.a);
        let of_time = if forward { of_time } else { of_time.reverse() };
        one.interval.cmp(&other.interval).then(of_time)
    });
    found
}

/// The pieces of an interval that is cut at some times, each with the value there.
fn cut(
    k: usize,
    first: (f64, f64),
    mut cuts: Vec<(f64, f64)>,
    last: (f64, f64),
    at: &mut impl FnMut(usize, f64) -> f64,
) -> Vec<Open> {
    let length = (last.0 - first.0).abs();
    let apart = |a: f64, b: f64| (b - a).abs() > SHORTEST * length;
    cuts.sort_by(|(a, _), (b, _)| (a - first.0).abs().total_cmp(&(b - first.0).abs()));
    let mut ends = vec![first];
    for (t, value) in cuts {
        if apart(ends[ends.len() - 1].0, t) && apart(t, last.0) {
            ends.push((t, value));
        }
    }
    ends.push(last);
    let piece = |pair: &[(f64, f64)]| {
        let [(a, from), (b, to)] = [pair[0], pair[1]];
        let middle = at(k, 0.5 * (a + b));
        Open::new(Piece::new(k, (a, b), [from, middle, to]))
    };
    ends.windows(2).map(piece).collect()
}

/// Halves pieces until they are polynomials, all of one length before any shorter one, so that no place uses up what
/// others need.
fn halved(
    mut open: Vec<Open>,
    scale: &Scale,
    mut left: usize,
    at: &mut impl FnMut(usize, f64) -> f64,
) -> Between {
    let mut found = Between::default();
    for depth in 0..=DEEPEST {
        let mut halves = Vec::new();
        for Open {
            mut piece,
            before,
            first,
        } in open
        {
            if left < 2 {
                found.is_cut_short = true;
                found
                    .pieces
                    .push(piece.cut_short(before <= ROUGH * scale.range));
                continue;
            }
            left -= 2;
            piece.look_at_quarters(at);
            let off = piece.off();
            let first = if depth == 0 { off } else { first };
            piece.is_smooth = scale.is_polynomial(off, before);
            let without = piece.values.iter().all(|x| x.is_nan());
            if piece.is_smooth || without {
                found.pieces.push(piece);
            } else if depth == DEEPEST {
                piece.is_unbounded = off > GROWS * first || off == f64::INFINITY;
                piece.diverges = off > DIVERGES * first || off == f64::INFINITY;
                found.pieces.push(piece);
            } else {
                halves.extend(piece.halves(off, first));
            }
        }
        open = halves;
    }
    found
}

impl Open {
    /// One that no other was halved for.
    fn new(piece: Piece) -> Self {
        Self {
            piece,
            before: 0.0,
            first: 0.0,
        }
    }
}

impl Piece {
    /// A piece with the values at its ends and in its middle.
    fn new(interval: usize, (a, b): (f64, f64), [first, middle, last]: [f64; 3]) -> Self {
        Self {
            interval,
            a,
            b,
            values: [first, f64::NAN, middle, f64::NAN, last],
            is_smooth: false,
            is_unbounded: false,
            diverges: false,
        }
    }

    /// The time of one of its places.
    pub fn time(&self, place: usize) -> f64 {
        match place {
            0 => self.a,
            4 => self.b,
            _ => self.a + 0.25 * place as f64 * (self.b - self.a),
        }
    }

    fn look_at_quarters(&mut self, at: &mut impl FnMut(usize, f64) -> f64) {
        for place in [1, 3] {
            self.values[place] = at(self.interval, self.time(place));
        }
    }

    /// The parabola through the ends and the middle at the quarters.
    fn parabola(&self) -> [f64; 2] {
        let [a, _, middle, _, b] = self.values;
        [
            0.375 * a + 0.75 * middle - 0.125 * b,
            -0.125 * a + 0.75 * middle + 0.375 * b,
        ]
    }

    /// By how much the parabola misses the quarters.
    fn off(&self) -> f64 {
        let [first, second] = self.parabola();
        let (first, second) = (
            (first - self.values[1]).abs(),
            (second - self.values[3]).abs(),
        );
        // A number that is none says that nothing is known.
        if first >= second || first.is_nan() {
            first
        } else {
            second
        }
    }

    /// Its halves, whose quarters are not known yet.
    fn halves(&self, off: f64, first: f64) -> [Open; 2] {
        let (middle, values) = (self.time(2), &self.values);
        [(self.a, middle, 0), (middle, self.b, 2)].map(|(a, b, place)| Open {
            piece: Self::new(
                self.interval,
                (a, b),
                [values[place], values[place + 1], values[place + 2]],
            ),
            before: off,
            first,
        })
    }

    /// With values at the quarters that were not looked at: those of the parabola, or of straight lines where that tells
    /// nothing.
    fn cut_short(mut self, follows: bool) -> Self {
        let [a, _, middle, _, b] = self.values;
        let straight = [0.5 * (a + middle), 0.5 * (middle + b)];
        let quarters = if follows { self.parabola() } else { straight };
        (self.values[1], self.values[3]) = (quarters[0], quarters[1]);
        self.is_smooth = follows;
        self
    }
}
