//! A quantity along a motion, known at times: its extrema, integrals and crossings of zero.
//!
//! Between two times stands the polynomial through the six nearest values, or pieces that know it more closely.

use super::Crossing;
use super::closer::{self, FIVE, Looks, NODES, Piece, weights};
use appell_expr::Relation;

/// A quantity at times in the direction of the motion, one of several side by side.
pub(super) struct Curve<'v> {
    looks: Looks<'v>,
    pieces: &'v [Piece],
    index: usize,
    parts: Vec<Part>,
}

/// A part of the time, with the quantity at its ends.
#[derive(Debug, Clone, Copy)]
struct Part {
    a: f64,
    b: f64,
    from: f64,
    to: f64,
    between: Between,
}

impl Part {
    fn is_continuous(&self) -> bool {
        !matches!(self.between, Between::Jump)
    }
}

/// Whether a quantity comes from below 0 to it or beyond.
fn rises(from: f64, to: f64) -> bool {
    from < 0.0 && to >= 0.0
}

/// What stands between the ends of a part.
#[derive(Debug, Clone, Copy)]
enum Between {
    /// The polynomial around a place.
    Looks(usize),
    /// That of a piece.
    Piece(usize),
    /// Nothing: the nearer end counts.
    Jump,
}

/// The part of the time between two looks after which a quantity that starts with 0 has a sign.
const SHORTLY: f64 = 1e-3;

impl<'v> Curve<'v> {
    /// The quantity of this index, with what is known of it between the looks.
    pub fn new(looks: Looks<'v>, between: &'v closer::Between, index: usize) -> Self {
        let pieces = &between.pieces;
        let count = looks.times.len();
        let mut parts = Vec::with_capacity(count + FIVE * pieces.len());
        let mut next = 0;
        for k in 0..count.saturating_sub(1) {
            let first = next;
            while pieces.get(next).is_some_and(|piece| piece.interval == k) {
                parts.extend(quarters(pieces, next));
                next += 1;
            }
            if first == next {
                parts.push(Part {
                    a: looks.times[k],
                    b: looks.times[k + 1],
                    from: looks.value(k, index),
                    to: looks.value(k + 1, index),
                    between: Between::Looks(k),
                });
            }
        }
        Self {
            looks,
            pieces,
            index,
            parts,
        }
    }

    pub fn time(&self, k: usize) -> f64 {
        self.looks.times[k]
    }

    pub fn value(&self, k: usize) -> f64 {
        self.looks.value(k, self.index)
    }

    pub fn count(&self) -> usize {
        self.looks.times.len()
    }

    /// The value at the end.
    pub fn last(&self) -> f64 {
        self.value(self.count() - 1)
    }

    /// The value at the first time, or if it is 0 there, the value shortly after, whose sign it takes.
    pub fn at_start(&self) -> f64 {
        match self.value(0) {
            0.0 if self.count() > 1 => {
                self.at(self.time(0) + SHORTLY * (self.time(1) - self.time(0)))
            }
            value => value,
        }
    }

    /// The value at a time between the first and the last.
    pub fn at(&self, t: f64) -> f64 {
        let forward = self.time(self.count() - 1) >= self.time(0);
        let after = self
            .parts
            .partition_point(|part| (part.b < t) == forward && part.b != t);
        match self.parts.get(after) {
            Some(part) => self.within(part, t),
            None => self.last(),
        }
    }

    /// The value at a time of a part.
    fn within(&self, part: &Part, t: f64) -> f64 {
        match part.between {
            _ if t == part.a => part.from,
            _ if t == part.b => part.to,
            Between::Looks(k) => self.looks.through(k, t, self.index),
            Between::Piece(number) => {
                let piece = &self.pieces[number];
                let times: [f64; FIVE] = std::array::from_fn(|place| piece.time(place));
                let weights = weights(&times, t);
                let term = |place: usize| weights[place] * piece.values[place];
                (0..FIVE).map(term).sum()
            }
            Between::Jump if (t - part.a).abs() <= (part.b - t).abs() => part.from,
            Between::Jump => part.to,
        }
    }

    /// The largest value.
    pub fn max(&self) -> f64 {
        self.extreme(1.0)
    }

    /// The least value.
    pub fn min(&self) -> f64 {
        -self.extreme(-1.0)
    }

    /// The largest value of the quantity times a sign; where it is none, as `log(x)` at negative numbers, it is passed over,
    /// NaN where there is none at all.
    fn extreme(&self, sign: f64) -> f64 {
        let unbounded = self.pieces.iter().filter(|piece| piece.is_unbounded);
        if unbounded
            .flat_map(|piece| piece.values)
            .any(|x| sign * x > 0.0)
        {
            return f64::INFINITY;
        }
        let ends = [self.value(0)]
            .into_iter()
            .chain(self.parts.iter().map(|part| part.to));
        let highest = ends.map(|x| sign * x).fold(f64::NAN, f64::max);
        let peaks = (0..self.parts.len()).filter_map(|number| self.peak(number, sign, highest));
        peaks.map(|(_, height)| height).fold(highest, f64::max)
    }

    /// The time and height of a peak of the quantity times a sign, inside a part and not lower than so much: there is one
    /// where an end is higher than the values around it.
    fn peak(&self, number: usize, sign: f64, least: f64) -> Option<(f64, f64)> {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let part = &self.parts[number];
        let (from, to) = (sign * part.from, sign * part.to);
        let before = number.checked_sub(1).map(|i| sign * self.parts[i].from);
        let after = self.parts.get(number + 1).map(|next| sign * next.to);
        let is_at_first = from >= to && before.is_none_or(|before| from >= before);
        let is_at_last = to >= from && after.is_none_or(|after| to >= after);
        // A value that stands still on the other side of an end is that of a bound, as of `min(x, 0.3)`: no polynomial
        // rises above it.
        let is_bound = is_at_first && before == Some(from) || is_at_last && after == Some(to);
        if !(is_at_first || is_at_last) || is_bound || matches!(part.between, Between::Jump) {
            return None;
        }
        // One that is lower by more than it rises above its neighbours stays below.
        let around = [before, after]
            .into_iter()
            .flatten()
            .fold(from.min(to), f64::min);
        let top = from.max(to);
        if top + (top - around) < least {
            return None;
        }
        let height = |t: f64| sign * self.within(part, t);
        let (mut a, mut b) = (part.a, part.b);
        for _ in 0..48 {
            let (left, right) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
            if height(left) < height(right) {
                a = left;
            } else {
                b = right;
            }
        }
        let t = 0.5 * (a + b);
        let found = height(t);
        (found > top).then_some((t, found))
    }

    /// The integral over the time: Gauss's rule with three places on each part. NaN where it has none.
    pub fn integral(&self) -> f64 {
        if self.pieces.iter().any(|piece| piece.diverges) {
            return f64::NAN;
        }
        let place = 0.6_f64.sqrt();
        let rule = [(-place, 5.0 / 18.0), (0.0, 8.0 / 18.0), (place, 5.0 / 18.0)];
        let of_part = |part: &Part| {
            let length = part.b - part.a;
            if let Some(sum) = self.even(part) {
                return length * sum;
            }
            let at = |x: f64| self.within(part, 0.5 * (part.a + part.b) + 0.5 * length * x);
            let values = rule.iter().map(|(x, w)| w * at(*x));
            length * values.sum::<f64>()
        };
        self.parts.iter().map(of_part).sum()
    }

    /// The mean over a part between even times, in closed form: that of the polynomial through six values.
    fn even(&self, part: &Part) -> Option<f64> {
        const INNER: [f64; NODES] = [11.0, -93.0, 802.0, 802.0, -93.0, 11.0];
        let Between::Looks(k) = part.between else {
            return None;
        };
        let (length, count) = (part.b - part.a, self.count());
        let is_even = |i: usize| {
            let step = self.time(i + 1) - self.time(i);
            (step - length).abs() <= 1e-9 * length.abs()
        };
        let inside = k >= 2 && k + 3 < count && (k - 2..k + 3).all(is_even);
        let sum = || {
            INNER
                .iter()
                .zip(k.saturating_sub(2)..)
                .map(|(w, i)| w * self.value(i))
                .sum::<f64>()
        };
        inside.then(|| sum() / 1440.0)
    }

    /// The mean over the time; the value where there is none to speak of.
    pub fn mean(&self) -> f64 {
        let time = self.time(self.count() - 1) - self.time(0);
        match time == 0.0 {
            true => self.value(0),
            false => self.integral() / time,
        }
    }

    /// The times at which the quantity begins to be in this relation to 0, in their order; `g = 0` begins only where it
    /// does not jump to the other side.
    pub fn beginnings(&self, relation: Relation) -> impl Iterator<Item = f64> + '_ {
        self.times(move |part, from, to| match relation {
            Relation::Greater => from <= 0.0 && to > 0.0,
            Relation::GreaterEqual => from < 0.0 && to >= 0.0,
            Relation::Less => from >= 0.0 && to < 0.0,
            Relation::LessEqual => from > 0.0 && to <= 0.0,
            Relation::Equal => part.is_continuous() && (rises(from, to) || rises(-from, -to)),
        })
    }

    /// The times at which the quantity is zero as it rises, or falls: where it jumps to the other side it is not.
    pub fn zeros(&self, direction: Crossing) -> impl Iterator<Item = f64> + '_ {
        self.times(move |part, from, to| {
            let rising = direction != Crossing::Falling && rises(from, to);
            let falling = direction != Crossing::Rising && rises(-from, -to);
            part.is_continuous() && (rising || falling)
        })
    }

    /// The times at which the quantity is zero, or jumps past it, between values that count in a part.
    fn times(&self, counts: impl Fn(&Part, f64, f64) -> bool) -> impl Iterator<Item = f64> {
        let halves = (0..self.parts.len()).flat_map(move |number| {
            let halves = self.halves(number).into_iter().flatten();
            halves.map(move |half| (&self.parts[number], half))
        });
        halves.filter_map(move |(part, [(t, from), (until, to)])| {
            let time = || match from == 0.0 {
                true => t,
                false => self.root(part, (t, from), until),
            };
            counts(part, from, to).then(time)
        })
    }

    /// The ends of a part with their values; those of two halves where it reaches the other side of zero in between.
    fn halves(&self, number: usize) -> [Option<[(f64, f64); 2]>; 2] {
        let part = &self.parts[number];
        let (first, last) = ((part.a, part.from), (part.b, part.to));
        let sign = -part.from.signum();
        let turn = match part.from * part.to > 0.0 {
            true => self
                .peak(number, sign, 0.0)
                .filter(|(_, height)| *height > 0.0),
            false => None,
        };
        match turn {
            Some((t, height)) => {
                let turn = (t, sign * height);
                [Some([first, turn]), Some([turn, last])]
            }
            None => [Some([first, last]), None],
        }
    }

    /// Where the quantity changes its sign in a part from a time with this value on, by bisection.
    fn root(&self, part: &Part, (mut a, value): (f64, f64), mut b: f64) -> f64 {
        let positive = value > 0.0;
        loop {
            let t = 0.5 * (a + b);
            if t == a || t == b {
                return b;
            }
            if (self.within(part, t) > 0.0) == positive {
                a = t;
            } else {
                b = t;
            }
        }
    }
}

/// The parts of a piece.
fn quarters(pieces: &[Piece], number: usize) -> impl Iterator<Item = Part> {
    let piece = &pieces[number];
    let between = match piece.is_smooth {
        true => Between::Piece(number),
        false => Between::Jump,
    };
    (0..FIVE - 1).map(move |place| Part {
        a: piece.time(place),
        b: piece.time(place + 1),
        from: piece.values[place],
        to: piece.values[place + 1],
        between,
    })
}

#[cfg(test)]
mod tests {
    use super::super::closer::between;
    use super::*;
    use std::f64::consts::PI;

    /// A function at so many even times, and the pieces where that is too little.
    struct Sampled {
        times: Vec<f64>,
        values: Vec<f64>,
        between: closer::Between,
    }

    impl Sampled {
        fn new(f: impl Fn(f64) -> f64, until: f64, count: usize) -> Self {
            let step = until / (count - 1) as f64;
            let times: Vec<f64> = (0..count).map(|i| step * i as f64).collect();
            let values: Vec<f64> = times.iter().map(|t| f(*t)).collect();
            let looks = Looks {
                times: &times,
                values: &values,
                width: 1,
            };
            let all = between(looks, &[true], (&[], &[]), |_, t, out| out[0] = f(t));
            Self {
                between: all.into_iter().next().expect("one for one expression"),
                times,
                values,
            }
        }

        fn curve(&self) -> Curve<'_> {
            let looks = Looks {
                times: &self.times,
                values: &self.values,
                width: 1,
            };
            Curve::new(looks, &self.between, 0)
        }
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64, apart: f64) {
        assert!((found - expected).abs() <= apart, "{found}, not {expected}");
    }

    /// No polynomial rises above a bound that the values stand at.
    #[test]
    fn a_bound_is_not_exceeded() {
        for rate in [1.0, 2.0, 3.0, 5.0] {
            for count in [201, 501] {
                let above = Sampled::new(|t| (rate * t).cos().min(0.3), 10.0, count);
                assert_eq!(above.curve().max(), 0.3, "{rate} {count}");
                let below = Sampled::new(|t| (rate * t).cos().max(0.2), 10.0, count);
                assert_eq!(below.curve().min(), 0.2, "{rate} {count}");
            }
        }
    }

    /// Where the quantity changes its sign after the start.
    fn changes(curve: &Curve<'_>) -> Vec<f64> {
        let both = [Relation::Greater, Relation::Less].map(|relation| curve.beginnings(relation));
        let mut times: Vec<f64> = both.into_iter().flatten().collect();
        times.retain(|time| *time != curve.time(0));
        times.sort_by(f64::total_cmp);
        times
    }

    /// What comes down to 0 and stays there is never below it.
    #[test]
    fn what_touches_zero_is_not_below_it() {
        let sampled = Sampled::new(|t| (1.0 - t).max(0.0), 2.0, 5);
        let curve = sampled.curve();
        assert_eq!(curve.beginnings(Relation::Less).count(), 0);
        let touching: Vec<f64> = curve.beginnings(Relation::LessEqual).collect();
        assert_eq!(touching, [1.0]);
    }

    /// Closed forms of a sine, forwards and backwards.
    #[test]
    fn a_sine_has_its_extrema_integral_and_zeros() {
        for until in [10.0, -10.0] {
            let sampled = Sampled::new(|t| (t + 0.3).sin(), until, 501);
            let curve = sampled.curve();
            assert_near(curve.max(), 1.0, 1e-12);
            assert_near(curve.min(), -1.0, 1e-12);
            let integral = 0.3_f64.cos() - (until + 0.3).cos();
            assert_near(curve.integral(), integral, 1e-11);
            assert_near(curve.mean(), integral / until, 1e-12);
            let rising: Vec<f64> = curve.beginnings(Relation::Greater).collect();
            let first = if until > 0.0 {
                2.0 * PI - 0.3
            } else {
                -PI - 0.3
            };
            assert_near(rising[0], first, 1e-12);
            // Multiples of pi between 0.3 and 10.3, or -9.7.
            let zeros = if until > 0.0 { 3 } else { 4 };
            assert_eq!(changes(&curve).len(), zeros);
            assert_near(curve.at(0.55 * until), (0.55 * until + 0.3).sin(), 1e-12);
        }
    }

    #[test]
    fn a_corner_is_found_where_it_is() {
        let sampled = Sampled::new(|t| (t - 1.003).abs(), 2.0, 201);
        let curve = sampled.curve();
        assert!((0.0..1e-7).contains(&curve.min()), "{}", curve.min());
        assert_eq!(curve.max(), 1.003);
        assert_near(
            curve.integral(),
            0.5 * (1.003 * 1.003 + 0.997 * 0.997),
            1e-11,
        );
        let sampled = Sampled::new(|t| (t - 1.003).abs() - 1e-5, 2.0, 201);
        let times = changes(&sampled.curve());
        assert_eq!(times.len(), 2, "{times:?}");
        assert_near(times[0], 1.003 - 1e-5, 1e-12);
        assert_near(times[1], 1.003 + 1e-5, 1e-12);
    }

    /// As narrow as half of the distance of two places; the integral is the square root of pi times the width.
    #[test]
    fn a_narrow_peak_has_its_height_and_area() {
        for width in [0.01, 0.1] {
            let peak = |t: f64| (-(t.cos() / width).powi(2)).exp();
            let sampled = Sampled::new(peak, 10.0, 501);
            let curve = sampled.curve();
            assert_near(curve.max(), 1.0, 1e-8);
            let fine = Sampled::new(peak, 10.0, 200_001);
            assert_near(curve.integral(), fine.curve().integral(), 1e-8);
        }
    }

    /// Between two places a condition comes and goes.
    #[test]
    fn a_crossing_between_two_places_is_seen() {
        let sampled = Sampled::new(|t| -t.cos() * t.sin() - 0.499_99, 10.0, 501);
        let times = changes(&sampled.curve());
        // sin(2t) = -0.99998 around 3 pi/4 and 7 pi/4.
        let apart = 0.5 * 0.99998_f64.acos();
        let expected = [0.75, 0.75, 1.75, 1.75, 2.75, 2.75].map(|x| x * PI);
        let signs = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0];
        assert_eq!(times.len(), 6, "{times:?}");
        for ((found, middle), sign) in times.iter().zip(expected).zip(signs) {
            assert_near(*found, middle + sign * apart, 1e-8);
        }
    }

    /// `atan2` of an angle that turns jumps at half a turn; it is zero at whole ones.
    #[test]
    fn a_jump_to_the_other_side_is_no_zero() {
        let angle = Sampled::new(|t| t.sin().atan2(t.cos()), 9.0, 501);
        let curve = angle.curve();
        let zeros: Vec<f64> = curve.zeros(Crossing::Both).collect();
        assert_eq!(zeros.len(), 1, "{zeros:?}");
        assert_near(zeros[0], 2.0 * PI, 1e-9);
        assert_eq!(changes(&curve).len(), 2);
    }

    /// An angle that jumps by a turn is never between its ends.
    #[test]
    fn a_jump_is_no_slope() {
        let angle = |t: f64| t.sin().atan2(t.cos());
        let sampled = Sampled::new(angle, 20.0, 501);
        let curve = sampled.curve();
        for k in 0..2000 {
            let t = 0.01 * f64::from(k) + 0.003;
            assert_near(curve.at(t), angle(t), 1e-9);
        }
        assert_near(curve.max(), PI, 1e-6);
        assert_near(curve.integral(), 0.5 * (20.0 - 6.0 * PI).powi(2), 1e-6);
    }

    /// Some ten turns between two looks: as a sine, and as the small change of what is nearly constant.
    #[test]
    fn what_bends_often_is_followed() {
        let sine = Sampled::new(|t| (40.0 * t).sin(), 20.0, 501);
        assert_near(sine.curve().mean(), (1.0 - 800.0_f64.cos()) / 800.0, 1e-9);
        assert_near(sine.curve().max(), 1.0, 1e-9);
        assert!(!sine.between.is_cut_short);
        let nearly = Sampled::new(|t| 1.0 + 1e-9 * (40.0 * t).sin(), 20.0, 501);
        assert_near(nearly.curve().mean(), 1.0, 1e-11);
        assert!(!nearly.between.is_cut_short);
        let faster = Sampled::new(|t| (4000.0 * t).sin(), 20.0, 501);
        assert!(faster.between.is_cut_short);
    }

    #[test]
    fn a_pole_has_no_bound_and_no_integral() {
        let inverse = Sampled::new(|t| 1.0 / t.cos(), 10.0, 501);
        let curve = inverse.curve();
        assert_eq!(
            (curve.max(), curve.min()),
            (f64::INFINITY, f64::NEG_INFINITY)
        );
        assert!(curve.integral().is_nan());
        let square = Sampled::new(|t| t.cos().powi(-2), 10.0, 501);
        assert_eq!(square.curve().max(), f64::INFINITY);
        assert_near(square.curve().min(), 1.0, 1e-9);
        // An integral of what has no bound: of 1/sqrt|t - 1| from 0 to 2.
        let root = Sampled::new(|t| (t - 1.0003).abs().powf(-0.5), 2.0, 201);
        assert_eq!(root.curve().max(), f64::INFINITY);
        let integral = 2.0 * (1.0003_f64.sqrt() + 0.9997_f64.sqrt());
        assert_near(root.curve().integral(), integral, 1e-3);
        let step = Sampled::new(|t| (t - 1.0003).signum(), 2.0, 201);
        assert_eq!((step.curve().max(), step.curve().min()), (1.0, -1.0));
    }

    #[test]
    fn what_has_no_value_has_no_extreme() {
        let never = Sampled::new(|t| (-1.0 - t).ln(), 2.0, 201);
        assert!(never.curve().max().is_nan() && never.curve().min().is_nan());
        let half = Sampled::new(|t| (t - 1.0).sqrt(), 2.0, 201);
        assert_eq!((half.curve().max(), half.curve().min()), (1.0, 0.0));
    }

    /// What is rounding only ends soon.
    #[test]
    fn noise_has_few_pieces() {
        let noise = |t: f64| (t + 1.0) - t - 1.0;
        let sampled = Sampled::new(noise, 10.0, 501);
        let count = sampled.between.pieces.len();
        assert!(count <= 33 * 501, "{count}");
        assert!(sampled.curve().max() < 1e-14);
    }

    #[test]
    fn a_motion_of_one_place_is_that_place() {
        let looks = Looks {
            times: &[2.0],
            values: &[7.0, 5.0],
            width: 2,
        };
        let none = closer::Between::default();
        let curve = Curve::new(looks, &none, 1);
        assert_eq!(
            (curve.max(), curve.min(), curve.mean(), curve.integral()),
            (5.0, 5.0, 5.0, 0.0)
        );
        assert_eq!(changes(&curve).len(), 0);
    }
}
