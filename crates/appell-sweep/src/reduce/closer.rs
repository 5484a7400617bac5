//! Between two looks an expression may bend more than its values there tell: at a corner of `abs(x)`, in a narrow peak,
//! at a jump. The states are smooth where the expression is not, so that it is looked at more closely along them.
//!
//! An interval is left as it is where the polynomial through the values meets the expression in its middle. Others are
//! halved until the expression is a polynomial of degree four, to 1e-10 of its range, or as halving has shown.

/// How many values a polynomial goes through.
pub(super) const NODES: usize = 6;
/// Values of a piece: at its ends, its middle and its quarters.
pub(super) const FIVE: usize = 5;
/// An interval is halved so often at most: a corner is then known to a millionth of it.
const DEEPEST: usize = 20;
/// So many values for each look at most: what has no polynomial anywhere, as rounding, ends soon.
const MOST: usize = 16;

/// A part of the time between two looks, with values of its own.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    /// The place of the look before it.
    pub interval: usize,
    /// Where it begins.
    pub a: f64,
    /// Where it ends.
    pub b: f64,
    /// The expressions at its five places, one place after the other.
    pub values: Vec<f64>,
    /// Whether a polynomial stands between them; there is a jump otherwise.
    pub is_smooth: bool,
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
        (k + 1)
            .saturating_sub(count / 2)
            .min(self.times.len() - count)
    }

    /// The polynomial through the nearest values at a time behind place `k`.
    pub fn through(&self, k: usize, t: f64, index: usize) -> f64 {
        let count = NODES.min(self.times.len());
        let first = self.first(k, count);
        let own = |i: usize| self.value(first + i, index);
        let weights = weights(&self.times[first..first + count], t);
        (0..count).map(|i| weights[i] * own(i)).sum()
    }

    /// A row at a time behind place `k`: the polynomials through the nearest rows; a straight line where a shorter one
    /// differs from it, as beside a kink.
    pub fn row(&self, k: usize, t: f64, out: &mut [f64]) {
        let long = NODES.min(self.times.len());
        let short = 4.min(long);
        let (first, inner) = (self.first(k, long), self.first(k, short));
        let of_long = weights(&self.times[first..first + long], t);
        let of_short = weights(&self.times[inner..inner + short], t);
        for (index, out) in out.iter_mut().enumerate() {
            let at = |first: usize, weights: &[f64; NODES], count: usize| -> f64 {
                let own = |i: usize| weights[i] * self.value(first + i, index);
                (0..count).map(own).sum()
            };
            let (found, check) = (at(first, &of_long, long), at(inner, &of_short, short));
            let (before, after) = (self.value(k, index), self.value(k + 1, index));
            let values = (first..first + long).map(|k| self.value(k, index));
            let (least, most) = extremes(values);
            *out = match (found - check).abs() <= 0.02 * (most - least) {
                true => found,
                false => {
                    let part = (t - self.times[k]) / (self.times[k + 1] - self.times[k]);
                    before + part * (after - before)
                }
            };
        }
    }
}

/// What the values at these times, at most [`NODES`], count in that of their polynomial (Lagrange).
pub(super) fn weights(times: &[f64], t: f64) -> [f64; NODES] {
    let mut weights = [0.0; NODES];
    for (i, own) in times.iter().enumerate() {
        let others = times.iter().enumerate().filter(|(j, _)| *j != i);
        weights[i] = others
            .map(|(_, other)| (t - other) / (own - other))
            .product();
    }
    weights
}

fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
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
}

/// A piece that is not judged yet.
struct Open {
    piece: Piece,
    /// By how much the polynomial of the piece that it is half of was off, for each expression; 0 for none.
    before: Vec<f64>,
}

/// The pieces of the intervals in which values at the looks tell too little, in the direction of the motion; `at` gives
/// the expressions at a time behind a place.
pub(crate) fn pieces(looks: Looks<'_>, mut at: impl FnMut(usize, f64, &mut [f64])) -> Vec<Piece> {
    let (times, width) = (looks.times, looks.width);
    let intervals = times.len().saturating_sub(1);
    let mut middles = vec![f64::NAN; intervals * width];
    for (k, middle) in middles.chunks_exact_mut(width).enumerate() {
        at(k, 0.5 * (times[k] + times[k + 1]), middle);
    }
    let scale = |index: usize| {
        let own = |values: &'_ [f64]| values.iter().skip(index).step_by(width).copied().collect();
        let (looked, between): (Vec<f64>, Vec<f64>) = (own(looks.values), own(&middles));
        Scale::of(looked.into_iter().chain(between))
    };
    let scales: Vec<Scale> = (0..width).map(scale).collect();
    let mut open = Vec::new();
    for k in 0..intervals {
        let (a, b) = (times[k], times[k + 1]);
        let middle = &middles[k * width..(k + 1) * width];
        let fits = |index: usize| {
            let off = looks.through(k, 0.5 * (a + b), index) - middle[index];
            scales[index].is_nothing(off.abs())
        };
        if !(0..width).all(fits) {
            let row = |k: usize| &looks.values[k * width..(k + 1) * width];
            let piece = Piece::new(k, (a, b), [row(k), middle, row(k + 1)]);
            let before = vec![0.0; width];
            open.push(Open { piece, before });
        }
    }
    let mut found = halved(open, &scales, MOST * times.len(), &mut at);
    let forward = times.first() <= times.last();
    found.sort_by(|one, other| {
        let of_time = one.a.total_cmp(&other.a);
        let of_time = if forward { of_time } else { of_time.reverse() };
        one.interval.cmp(&other.interval).then(of_time)
    });
    found
}

/// Halves pieces until they are polynomials, all of one length before any shorter one, so that no place uses up what
/// others need.
fn halved(
    mut open: Vec<Open>,
    scales: &[Scale],
    mut left: usize,
    at: &mut impl FnMut(usize, f64, &mut [f64]),
) -> Vec<Piece> {
    let mut found = Vec::new();
    for depth in 0..=DEEPEST {
        let mut halves = Vec::new();
        for Open { mut piece, before } in open {
            if left < 2 {
                found.push(piece.broken());
                continue;
            }
            left -= 2;
            piece.look_at_quarters(at);
            let off: Vec<f64> = (0..scales.len()).map(|index| piece.off(index)).collect();
            let is_known = |index: usize| {
                let falls = off[index] <= 0.25 * before[index];
                scales[index].is_nothing(off[index])
                    || (falls && off[index] <= 1e-5 * scales[index].range)
            };
            piece.is_smooth = (0..scales.len()).all(is_known);
            let without =
                off.iter().all(|off| off.is_nan()) && piece.values.iter().all(|x| x.is_nan());
            if piece.is_smooth || without || depth == DEEPEST {
                found.push(piece);
            } else {
                halves.extend(piece.halves(&off));
            }
        }
        open = halves;
    }
    found
}

impl Piece {
    /// A piece with the values at its ends and in its middle.
    fn new(interval: usize, (a, b): (f64, f64), rows: [&[f64]; 3]) -> Self {
        let unknown = vec![f64::NAN; rows[0].len()];
        let values = [rows[0], &unknown, rows[1], &unknown, rows[2]].concat();
        Self {
            interval,
            a,
            b,
            values,
            is_smooth: false,
        }
    }

    /// How many expressions there are.
    fn width(&self) -> usize {
        self.values.len() / FIVE
    }

    /// The time of one of its places.
    pub fn time(&self, place: usize) -> f64 {
        match place {
            0 => self.a,
            4 => self.b,
            _ => self.a + 0.25 * place as f64 * (self.b - self.a),
        }
    }

    /// An expression at one of its places.
    pub fn value(&self, place: usize, index: usize) -> f64 {
        self.values[place * self.width() + index]
    }

    fn look_at_quarters(&mut self, at: &mut impl FnMut(usize, f64, &mut [f64])) {
        let width = self.width();
        for place in [1, 3] {
            let (interval, t) = (self.interval, self.time(place));
            at(
                interval,
                t,
                &mut self.values[place * width..(place + 1) * width],
            );
        }
    }

    /// By how much the parabola through the ends and the middle misses the quarters.
    fn off(&self, index: usize) -> f64 {
        let [a, one, middle, three, b] = [0, 1, 2, 3, 4].map(|place| self.value(place, index));
        let first = (0.375 * a + 0.75 * middle - 0.125 * b - one).abs();
        let second = (-0.125 * a + 0.75 * middle + 0.375 * b - three).abs();
        // A number that is none says that nothing is known.
        if first >= second || first.is_nan() {
            first
        } else {
            second
        }
    }

    /// Its halves, whose quarters are not known yet.
    fn halves(&self, off: &[f64]) -> [Open; 2] {
        let width = self.width();
        let row = |place: usize| &self.values[place * width..(place + 1) * width];
        let middle = self.time(2);
        [(self.a, middle, 0), (middle, self.b, 2)].map(|(a, b, first)| Open {
            piece: Self::new(
                self.interval,
                (a, b),
                [row(first), row(first + 1), row(first + 2)],
            ),
            before: off.to_vec(),
        })
    }

    /// With a straight line's values at the quarters that were not looked at.
    fn broken(mut self) -> Self {
        let width = self.width();
        for place in [1, 3] {
            for index in 0..width {
                let mean = 0.5 * (self.value(place - 1, index) + self.value(place + 1, index));
                self.values[place * width + index] = mean;
            }
        }
        self
    }
}
