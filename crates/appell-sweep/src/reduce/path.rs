//! The states of a motion between the places where it was looked at, and whether these are enough to know them.
//!
//! Where velocities stand beside the coordinates, two polynomials are known of each coordinate: that through its values at
//! the nearest places, and that which has the velocities too (Hermite). The second follows an oscillation with five places
//! in a period as closely as the first does with forty, and only it tells a motion that turns once between two places from
//! one at rest. Both are written as Newton's, the nearest place first, so that those of fewer places are the first terms.

use super::bends::{Bends, Side, first_within};
use super::closer::{NODES, extremes};

/// Values and velocities.
const TERMS: usize = 2 * NODES;
/// Where polynomials of two lengths differ by more than this part of the range, the longer one tells nothing.
const ROUGH: f64 = 1e-3;
/// The same of a cubic and a straight line, which differ where nothing but an acceleration is.
const ROUGH_LINE: f64 = 0.02;
/// Where they differ by no more than this part of the range along the motion, values alone are enough, to a thousandth of
/// it; the derivative of a coordinate has its rounding, and that of the steps, over the time between two places.
const FINE: f64 = 1e-6;
/// By so much of the range, or of the largest value, polynomials of two lengths differ where a motion is followed: the
/// longer one is then off by some hundredth of it.
const FOLLOWED: (f64, f64) = (1e-6, 1e-8);
/// The velocities of a polynomial are less close than its values, at the ends most.
const OF_VELOCITIES: f64 = 2.0;
/// A velocity turns where it changes by more than this part of its range from one look to the next, as where a ball meets a wall:
/// forces and places there are the largest.
const TURNED: f64 = 0.02;
/// There polynomials of two lengths may differ by this part of the change: of what is not smooth, the longer one is off by
/// far more than they differ.
const OF_TURNS: f64 = 1e-4;

/// Times in the direction of the motion, and states there: coordinates, then their velocities.
#[derive(Clone, Copy)]
pub(crate) struct Path<'v> {
    pub times: &'v [f64],
    pub states: &'v [f64],
    /// How many numbers a state has.
    pub n: usize,
}

/// The polynomials of a path, interval by interval, as they are asked for.
pub(crate) struct Polynomials<'v> {
    path: Path<'v>,
    bends: &'v Bends,
    /// The range of each number of a state along the motion.
    ranges: Vec<f64>,
    known: Vec<Option<Piece>>,
}

/// What stands between two places.
struct Piece {
    /// The times of the nearest places, the nearest first.
    nodes: Vec<f64>,
    /// For each number of a state.
    components: Vec<Component>,
}

/// What stands for a coordinate or velocity between two places.
enum Component {
    /// The polynomial through the values.
    Values([f64; NODES]),
    /// So many terms of that with velocities.
    Hermite([f64; TERMS], usize),
    /// The derivative of so many terms of it.
    Derivative([f64; TERMS], usize),
    /// Those of both sides, which meet at a time; their derivatives for a velocity.
    Bent(Box<[Side; 2]>, f64, bool),
    /// A straight line: there is a corner that is not known more closely.
    Line([f64; 2]),
}

/// Newton's divided differences of the values at these times; with rates each time counts twice.
pub(super) fn divided<const N: usize>(
    times: &[f64],
    values: &[f64],
    rates: Option<&[f64]>,
) -> [f64; N] {
    let each = if rates.is_some() { 2 } else { 1 };
    let count = each * times.len();
    let mut c = [0.0; N];
    for (i, c) in c[..count].iter_mut().enumerate() {
        *c = values[i / each];
    }
    for level in 1..count {
        for i in (level..count).rev() {
            let (near, far) = ((i - level) / each, i / each);
            c[i] = match rates {
                Some(rates) if near == far => rates[near],
                _ => (c[i] - c[i - 1]) / (times[far] - times[near]),
            };
        }
    }
    c
}

/// The value of Newton's polynomial with these terms, and its derivative; each time counts as often as there are terms
/// for it.
pub(super) fn newton(times: &[f64], c: &[f64], each: usize, t: f64) -> (f64, f64) {
    let (mut value, mut slope) = (0.0, 0.0);
    for (i, c) in c.iter().enumerate().rev() {
        let apart = t - times[i / each];
        slope = slope * apart + value;
        value = value * apart + c;
    }
    (value, slope)
}

impl<'v> Path<'v> {
    pub fn polynomials(self, bends: &'v Bends) -> Polynomials<'v> {
        Polynomials {
            path: self,
            bends,
            ranges: (0..self.n).map(|index| self.size(index).0).collect(),
            known: self.times.iter().map(|_| None).collect(),
        }
    }

    pub(super) fn value(&self, k: usize, index: usize) -> f64 {
        self.states[k * self.n + index]
    }

    /// So many places from a first one on, those nearest to the interval behind place `k` first.
    fn places(&self, k: usize, (first, count): (usize, usize)) -> Vec<usize> {
        let mut places: Vec<usize> = (first..first + count).collect();
        places.sort_by_key(|place| (2 * place).abs_diff(2 * k + 1));
        places
    }

    /// The range of a number of a state along the motion, and its largest absolute value.
    fn size(&self, index: usize) -> (f64, f64) {
        let values = (0..self.times.len()).map(|k| self.value(k, index));
        let (least, most) = extremes(values);
        (most - least, least.abs().max(most.abs()))
    }

    /// What stands behind place `k`; `ranges` are those along the motion.
    fn piece(&self, k: usize, ranges: &[f64], bends: &Bends) -> Piece {
        let segment = bends.segment(k, self.times.len());
        let places = self.places(k, first_within(k, &segment));
        let bend = bends.behind(k);
        let nodes: Vec<f64> = places.iter().map(|place| self.times[*place]).collect();
        let values = |index: usize| -> Vec<f64> {
            let samples = places.iter().map(|place| self.value(*place, index));
            samples.collect()
        };
        let half = self.n / 2;
        // In one point polynomials may agree by accident, as where a sine is zero.
        let [a, b] = [self.times[k], self.times[k + 1]];
        let apart = |one: &dyn Fn(f64) -> f64, other: &dyn Fn(f64) -> f64| {
            let differences = [0.5, 0.25].map(|part| {
                let t = a + part * (b - a);
                (one(t) - other(t)).abs()
            });
            differences[0].max(differences[1])
        };
        let component = |index: usize| {
            if let Some(meeting) = bend.and_then(|bend| bend.times[index % half]) {
                let sides = Box::new(self.sides(k, index % half, bends));
                return Component::Bent(sides, meeting.t, index >= half);
            }
            let samples = values(index);
            let (least, most) = extremes(samples.iter().copied());
            let range = most - least;
            let c: [f64; NODES] = divided(&nodes, &samples, None);
            let through = |count: usize, t: f64| newton(&nodes, &c[..count], 1, t).0;
            let is_fine =
                || apart(&|t| through(NODES, t), &|t| through(4, t)) <= FINE * ranges[index];
            if nodes.len() == NODES && is_fine() {
                return Component::Values(c);
            }
            let (q, v) = (values(index % half), values(index % half + half));
            let hermite: [f64; TERMS] = divided(&nodes, &q, Some(&v));
            let is_rate = index >= half;
            let of = |terms: usize, t: f64| {
                let (value, slope) = newton(&nodes, &hermite[..terms], 2, t);
                if is_rate { slope } else { value }
            };
            let is_close = |terms: &usize| {
                let full = |t: f64| of(*terms, t);
                match terms {
                    4 => apart(&full, &|t| through(2, t)) <= ROUGH_LINE * range,
                    _ => apart(&full, &|t| of(terms - 4, t)) <= ROUGH * range,
                }
            };
            let lengths = [TERMS, 8, 4].into_iter();
            let mut lengths = lengths.filter(|terms| *terms <= 2 * nodes.len());
            match lengths.find(is_close) {
                Some(terms) if is_rate => Component::Derivative(hermite, terms),
                Some(terms) => Component::Hermite(hermite, terms),
                None => Component::Line([c[0], c[1]]),
            }
        };
        let components = (0..self.n).map(component).collect();
        Piece { nodes, components }
    }

    /// Whether two polynomials of a coordinate differ by more than allowed behind place `k`.
    pub(super) fn is_missed(
        &self,
        k: usize,
        i: usize,
        allowed: &[Allowed],
        (known, bends): (&mut Differences, &Bends),
    ) -> bool {
        let segment = bends.segment(k, self.times.len());
        let (first, count) = first_within(k, &segment);
        let (value, slope) = match count {
            NODES => {
                let span = self.times[first + NODES - 1] - self.times[first];
                // By the place of the interval among its six; places are even, but for the last one.
                let slot = &mut known[k - first];
                let is_known = |old: &Difference| (old.span - span).abs() <= 1e-9 * span.abs();
                if !slot.as_ref().is_some_and(is_known) {
                    *slot = None;
                }
                let difference = slot.get_or_insert_with(|| self.difference(k, first, span));
                self.apart(difference, first, i)
            }
            _ => self.apart_among_few(k, i, (first, count)),
        };
        let allowed = self.allowed_behind(k, i, &allowed[i]);
        value.abs() > allowed.value || slope.abs() > allowed.rate
    }

    /// By how much the velocity of a coordinate changes behind place `k`.
    fn turn(&self, k: usize, i: usize) -> f64 {
        let rate = i + self.n / 2;
        (self.value(k + 1, rate) - self.value(k, rate)).abs()
    }

    /// What is allowed for a coordinate behind place `k`.
    pub(super) fn allowed_behind(&self, k: usize, i: usize, allowed: &Allowed) -> Allowed {
        let turn = self.turn(k, i);
        let most = match turn > allowed.turn {
            true => OF_TURNS * turn,
            false => f64::INFINITY,
        };
        let time = (self.times[k + 1] - self.times[k]).abs();
        Allowed {
            value: allowed.value.min(most * time),
            rate: allowed.rate.min(most),
            turn: allowed.turn,
        }
    }

    /// What is allowed for each coordinate.
    pub(super) fn allowed(&self, nothing: f64) -> Vec<Allowed> {
        let half = self.n / 2;
        let apart = (self.times[1] - self.times[0]).abs();
        let each = (0..half).map(|i| {
            let ((range, most), (range_of_rate, most_of_rate)) =
                (self.size(i), self.size(i + half));
            let noise = FOLLOWED.1 * most + nothing;
            let of_rate = FOLLOWED.0 * range_of_rate + FOLLOWED.1 * most_of_rate + noise / apart;
            Allowed {
                value: FOLLOWED.0 * range + noise,
                rate: OF_VELOCITIES * of_rate,
                turn: TURNED * range_of_rate + nothing,
            }
        });
        each.collect()
    }

    /// What the polynomials of six and of four places differ by in the middle behind place `k`.
    fn difference(&self, k: usize, first: usize, span: f64) -> Difference {
        let places = self.places(k, (first, NODES));
        let nodes: Vec<f64> = places.iter().map(|place| self.times[*place]).collect();
        let t = 0.5 * (self.times[k] + self.times[k + 1]);
        let of = |values: &[f64], rates: &[f64]| {
            let mut c: [f64; TERMS] = divided(&nodes, values, Some(rates));
            c[..8].fill(0.0);
            newton(&nodes, &c, 2, t)
        };
        let mut difference = Difference {
            span,
            of_values: [(0.0, 0.0); NODES],
            of_rates: [(0.0, 0.0); NODES],
        };
        let none = [0.0; NODES];
        for (i, place) in places.iter().enumerate() {
            let mut one = none;
            one[i] = 1.0;
            difference.of_values[place - first] = of(&one, &none);
            difference.of_rates[place - first] = of(&none, &one);
        }
        difference
    }

    /// By how much the polynomials of a coordinate differ, and their slopes.
    fn apart(&self, difference: &Difference, first: usize, i: usize) -> (f64, f64) {
        let base = self.value(first, i);
        let (mut value, mut slope) = (0.0, 0.0);
        for place in 0..NODES {
            let q = self.value(first + place, i) - base;
            let v = self.value(first + place, i + self.n / 2);
            let (of_value, of_rate) = (difference.of_values[place], difference.of_rates[place]);
            value += of_value.0 * q + of_rate.0 * v;
            slope += of_value.1 * q + of_rate.1 * v;
        }
        (value, slope)
    }

    /// The same where there are fewer places: that of all and that of two less.
    fn apart_among_few(&self, k: usize, i: usize, (first, count): (usize, usize)) -> (f64, f64) {
        if count < 4 {
            return (f64::INFINITY, f64::INFINITY);
        }
        let places = self.places(k, (first, count));
        let column = |index: usize| places.iter().map(move |place| self.value(*place, index));
        let nodes: Vec<f64> = places.iter().map(|place| self.times[*place]).collect();
        let (values, rates): (Vec<f64>, Vec<f64>) = column(i).zip(column(i + self.n / 2)).collect();
        let mut c: [f64; TERMS] = divided(&nodes, &values, Some(&rates));
        c[..2 * count - 4].fill(0.0);
        newton(
            &nodes,
            &c[..2 * count],
            2,
            0.5 * (self.times[k] + self.times[k + 1]),
        )
    }
}

/// Where a coordinate is followed.
pub(super) struct Allowed {
    /// By how much two polynomials may differ in it, and in its velocity.
    pub value: f64,
    pub rate: f64,
    /// By how much its velocity may change from one place to the next.
    turn: f64,
}

/// Differences by the place of the interval among six.
pub(super) type Differences = [Option<Difference>; NODES];

/// What values and velocities at six places count in the difference of two polynomials, and in its derivative.
pub(super) struct Difference {
    /// The time from the first to the last place.
    span: f64,
    of_values: [(f64, f64); NODES],
    of_rates: [(f64, f64); NODES],
}

impl Polynomials<'_> {
    /// The state at a time behind place `k`.
    pub fn row(&mut self, k: usize, t: f64, out: &mut [f64]) {
        let of_path = || self.path.piece(k, &self.ranges, self.bends);
        let piece = self.known[k].get_or_insert_with(of_path);
        let nodes = &piece.nodes;
        let goes_on = self.path.times[k + 1] > self.path.times[k];
        for (out, component) in out.iter_mut().zip(&piece.components) {
            *out = match component {
                Component::Values(c) => newton(nodes, c, 1, t).0,
                Component::Hermite(c, terms) => newton(nodes, &c[..*terms], 2, t).0,
                Component::Derivative(c, terms) => newton(nodes, &c[..*terms], 2, t).1,
                Component::Bent(sides, at, is_rate) => {
                    let is_behind = if goes_on { t > *at } else { t < *at };
                    let (value, rate) = sides[usize::from(is_behind)].at(t);
                    if *is_rate { rate } else { value }
                }
                Component::Line(c) => newton(nodes, c, 1, t).0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `q = sin(rate t)` and its velocity at even places.
    fn sine(rate: f64, until: f64, count: usize) -> (Vec<f64>, Vec<f64>) {
        let time = |i| until * i as f64 / (count - 1) as f64;
        let times: Vec<f64> = (0..count).map(time).collect();
        let states = times
            .iter()
            .flat_map(|t| [(rate * t).sin(), rate * (rate * t).cos()]);
        let states = states.collect();
        (times, states)
    }

    /// Closed form: five and more places in a period tell a sine to 1e-6, ten to 1e-9; its velocity to ten times that.
    #[test]
    fn few_places_in_a_period_tell_a_sine() {
        for (in_period, close) in [(5.0, 1e-6), (10.0, 1e-9), (100.0, 1e-9)] {
            let rate = std::f64::consts::TAU * 10.0;
            let (times, states) = sine(rate, 1.0, (10.0 * in_period) as usize + 1);
            let path = Path {
                times: &times,
                states: &states,
                n: 2,
            };
            let bends = path.bends(1e-9);
            let mut polynomials = path.polynomials(&bends);
            for k in 3..times.len() - 4 {
                for part in [0.1, 0.5, 0.8] {
                    let t = times[k] + part * (times[k + 1] - times[k]);
                    let mut row = [0.0; 2];
                    polynomials.row(k, t, &mut row);
                    let off = (row[0] - (rate * t).sin()).abs();
                    let off_of_rate = (row[1] / rate - (rate * t).cos()).abs();
                    assert!(off < close, "{in_period}: {off:e}");
                    assert!(off_of_rate < 10.0 * close, "{in_period}: {off_of_rate:e}");
                }
            }
        }
    }

    /// A motion that turns once, twice or half a time between two places is told from one that these follow.
    #[test]
    fn a_motion_that_turns_between_places_is_not_followed() {
        for (in_period, is_followed) in [
            (0.5, false),
            (1.0, false),
            (2.0, false),
            (3.0, false),
            (6.0, false),
            (9.0, true),
            (12.0, true),
            (1000.0, true),
        ] {
            let (times, states) = sine(std::f64::consts::TAU, 500.0 / in_period, 501);
            let path = Path {
                times: &times,
                states: &states,
                n: 2,
            };
            assert_eq!(path.bends(1e-9).is_followed, is_followed, "{in_period}");
        }
    }

    /// Rest with rounding is followed, and a force that jumps now and then; no ball that bounces, however seldom.
    #[test]
    fn rest_and_some_corners_are_followed() {
        let times: Vec<f64> = (0..501).map(|i| 0.01 * f64::from(i)).collect();
        let rest: Vec<f64> = (0..1002).map(|i| 1e-17 * f64::from(i % 7)).collect();
        let bounces = |period: f64| -> Vec<f64> {
            let states = times.iter().flat_map(|t| {
                let phase = t % period;
                [phase * (period - phase), period - 2.0 * phase]
            });
            states.collect()
        };
        // To and fro with an acceleration of 1 or -1.
        let corners: Vec<f64> = bounces(2.105)
            .chunks(2)
            .zip(&times)
            .flat_map(|(state, t)| {
                let side = if ((t / 2.105) as usize).is_multiple_of(2) {
                    1.0
                } else {
                    -1.0
                };
                [side * state[0], side * state[1]]
            })
            .collect();
        let all = [
            (rest, true),
            (corners, true),
            (bounces(2.105), false),
            (bounces(0.1), false),
        ];
        for (states, is_followed) in all {
            let path = Path {
                times: &times,
                states: &states,
                n: 2,
            };
            assert_eq!(path.bends(1e-9).is_followed, is_followed);
        }
    }

    /// Beside the jump of a velocity nothing is much larger than on either side.
    #[test]
    fn no_velocity_is_larger_beside_a_bounce() {
        let times: Vec<f64> = (0..21).map(|i| 0.1 * f64::from(i)).collect();
        let states = times.iter().flat_map(|t| match *t < 0.93 {
            true => [-*t, -1.0],
            false => [*t - 1.86, 1.0],
        });
        let states: Vec<f64> = states.collect();
        let path = Path {
            times: &times,
            states: &states,
            n: 2,
        };
        let bends = path.bends(1e-9);
        let mut polynomials = path.polynomials(&bends);
        for (k, t) in times[..20].iter().enumerate() {
            for part in [0.2, 0.5, 0.9] {
                let mut row = [0.0; 2];
                polynomials.row(k, t + 0.1 * part, &mut row);
                assert!(row[1].abs() <= 1.0 + 2.0 * ROUGH_LINE, "{k}: {}", row[1]);
            }
        }
    }
}
