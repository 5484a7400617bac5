//! Where an expression may bend within a short time, whatever was seen of it at the looks: at a corner, a jump, a narrow
//! function. Other quantities tell when: `x - 0.3` of `abs(x - 0.3)` and `exp(-((x - 0.3)/w)^2)`, which the looks know.

use super::closer::Looks;
use appell_flow::root::{bisect, minimum};
use std::convert::Infallible;

/// A quantity that tells where an expression may bend.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guide {
    /// The expression.
    pub of: usize,
    /// The quantity.
    pub index: usize,
    /// What it tells.
    pub tells: Tells,
}

/// When an expression may bend, by a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    /// Where it is the largest.
    Tops,
    /// Where it vanishes, or comes near to it.
    Zeros,
    /// Where it comes near to zero, and perhaps to the other side for a moment: of a condition, whose other crossings are seen.
    Touches,
    /// By its growth how often, since it is the phase of a sine.
    Turns,
}

/// A phase grows by no more than this, in radians, from one cut to the next: an expression is then seen as it is.
const TURN: f64 = 1.0;
/// An expression is not followed through more cuts along a motion.
const MAX_TURNS: f64 = 1e5;
/// No frequency is known of what grows by so much, in radians, from one look to the next.
const HALF_A_TURN: f64 = std::f64::consts::PI;

/// Where a quantity that has one sign comes nearer to zero than this part of what it is around, it may touch it.
const TOUCHES: f64 = 0.1;

impl Guide {
    /// The times that it tells, with the places of the looks before them; not to be asked where it
    /// [turns too often](Self::turns_too_often). `at` gives its value at a time behind a look.
    pub fn times(
        &self,
        looks: Looks<'_>,
        middles: &[f64],
        at: &mut dyn FnMut(usize, f64) -> f64,
    ) -> Vec<(usize, f64)> {
        let mut times = Vec::new();
        for (k, middle) in middles.iter().enumerate() {
            let (a, b) = (looks.times[k], looks.times[k + 1]);
            let places = [a, 0.5 * (a + b), b];
            let values = [
                looks.value(k, self.index),
                *middle,
                looks.value(k + 1, self.index),
            ];
            let mut found = |t: f64| times.push((k, t));
            let at = &mut |t: f64| at(k, t);
            match self.tells {
                Tells::Tops => top(places, values, at).into_iter().for_each(&mut found),
                Tells::Turns => self.turns(looks, middles, k).for_each(&mut found),
                Tells::Touches if crosses(values) => {}
                Tells::Zeros | Tells::Touches => {
                    zeros(places, values, at).into_iter().for_each(&mut found);
                }
            }
        }
        times
    }

    /// By how much the quantity grows and falls behind a look.
    fn growth(&self, looks: Looks<'_>, middles: &[f64], k: usize) -> f64 {
        let [from, to] = [k, k + 1].map(|k| looks.value(k, self.index));
        (middles[k] - from).abs() + (to - middles[k]).abs()
    }

    /// Even times behind a look between which a phase grows little; none where it has no value.
    fn turns(&self, looks: Looks<'_>, middles: &[f64], k: usize) -> impl Iterator<Item = f64> {
        let (a, b) = (looks.times[k], looks.times[k + 1]);
        let growth = Some(self.growth(looks, middles, k)).filter(|growth| growth.is_finite());
        let count = growth.map_or(1.0, |growth| (growth / TURN).ceil().max(1.0));
        (1..count as u32).map(move |i| a + f64::from(i) / count * (b - a))
    }

    /// Whether the phase of an expression turns more often than is followed.
    pub fn turns_too_often(&self, looks: Looks<'_>, middles: &[f64]) -> bool {
        let all = (0..middles.len()).map(|k| self.growth(looks, middles, k));
        let known = all.filter(|growth| growth.is_finite());
        self.tells == Tells::Turns && known.sum::<f64>() > MAX_TURNS * TURN
    }

    /// Whether the phase of an expression grows by more than half a turn between looks.
    pub fn hides_frequencies(&self, looks: Looks<'_>, middles: &[f64]) -> bool {
        let mut all = (0..middles.len()).map(|k| self.growth(looks, middles, k));
        self.tells == Tells::Turns && all.any(|growth| growth > HALF_A_TURN)
    }
}

/// Whether a quantity has both signs, or vanishes.
fn crosses(values: [f64; 3]) -> bool {
    let sign = values[0].signum();
    values.iter().any(|x| sign * x <= 0.0)
}

/// What is the largest so near to an end is so there.
const BESIDE: f64 = 1e-9;
/// Slopes at the ends, of what rises or falls by 1 between three times, are off by less.
const BENT: f64 = 0.5;

/// Where a quantity is the largest between the first and the last of three times; none where it goes up or down all the way.
fn top(
    [a, _, b]: [f64; 3],
    [from, middle, to]: [f64; 3],
    at: &mut dyn FnMut(f64) -> f64,
) -> Option<f64> {
    // As far as a parabola tells: it rises at the beginning and falls at the end.
    let slopes = [
        4.0 * middle - 3.0 * from - to,
        4.0 * middle - 3.0 * to - from,
    ];
    let (least, most) = (from.min(middle).min(to), from.max(middle).max(to));
    let [rises, falls] = slopes.map(|slope| slope > -BENT * (most - least));
    (rises && falls).then(|| highest(a, b, at)).filter(|t| {
        // At an end it is seen, and rises on.
        let beside = (t - a).abs().min((t - b).abs());
        beside > BESIDE * (b - a).abs()
    })
}

/// The place of the largest value between two times.
fn highest(a: f64, b: f64, at: &mut dyn FnMut(f64) -> f64) -> f64 {
    let Ok((t, _)) = minimum(a.min(b), a.max(b), |t| Ok::<_, Infallible>(-at(t)));
    t
}

/// Where a quantity vanishes, or comes near to it, between the first and the last of three times.
fn zeros([a, middle, b]: [f64; 3], values: [f64; 3], at: &mut dyn FnMut(f64) -> f64) -> Vec<f64> {
    let [from, between, to] = values;
    let sign = from.signum();
    let largest = values.iter().map(|x| sign * x).fold(0.0, f64::max);
    if crosses(values) {
        let halves = [(a, from, middle, between), (middle, between, b, to)];
        let crossing = halves
            .into_iter()
            .filter(|(_, x, _, y)| (*x > 0.0) != (*y > 0.0));
        return crossing
            .map(|(a, x, b, _)| crossing_between(a, x, b, at))
            .collect();
    }
    let turned = [-from, -between, -to].map(|x| sign * x);
    let dips = top([a, middle, b], turned, &mut |t| -sign * at(t));
    match dips.map(|t| (t, sign * at(t))) {
        Some((t, value)) if value <= 0.0 => {
            vec![
                crossing_between(a, from, t, at),
                crossing_between(b, to, t, at),
            ]
        }
        Some((t, value)) if value <= TOUCHES * largest => vec![t],
        _ => Vec::new(),
    }
}

/// Where a quantity changes its sign between a time at which it has this value and another.
fn crossing_between(a: f64, value: f64, b: f64, at: &mut dyn FnMut(f64) -> f64) -> f64 {
    let changed = |t: f64| Ok::<_, Infallible>((at(t) > 0.0) != (value > 0.0));
    let Ok(t) = bisect(a, b, changed);
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times that a quantity tells on `[0, 8]` with looks at whole numbers.
    fn told(quantity: impl Fn(f64) -> f64, tells: Tells) -> Vec<f64> {
        let times: Vec<f64> = (0..9).map(f64::from).collect();
        let values: Vec<f64> = times.iter().map(|t| quantity(*t)).collect();
        let middles: Vec<f64> = (0..8).map(|k| quantity(f64::from(k) + 0.5)).collect();
        let looks = Looks {
            times: &times,
            values: &values,
            width: 1,
        };
        let guide = Guide {
            of: 0,
            index: 0,
            tells,
        };
        let found = guide.times(looks, &middles, &mut |_, t| quantity(t));
        found.into_iter().map(|(_, t)| t).collect()
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() < 1e-6, "{found:?}");
        }
    }

    /// Closed form: crossings, two in one interval, a touch, and none.
    #[test]
    fn zeros_are_found_also_where_they_touch() {
        assert_close(&told(|t| t - 2.3, Tells::Zeros), &[2.3]);
        assert_close(&told(|t| 2.3 - t, Tells::Zeros), &[2.3]);
        assert_close(
            &told(|t| (t - 2.3).powi(2) - 1e-4, Tells::Zeros),
            &[2.29, 2.31],
        );
        assert_close(&told(|t| (t - 2.3).powi(2) + 1e-9, Tells::Zeros), &[2.3]);
        assert_close(&told(|t| (t - 2.3).powi(2) + 1.0, Tells::Zeros), &[]);
        assert_close(&told(|_| 0.0, Tells::Zeros), &[]);
        assert_close(
            &told(|t| (t - 2.3).powi(2) - 1e-12, Tells::Touches),
            &[2.3, 2.3],
        );
        assert_close(&told(|t| t - 2.3, Tells::Touches), &[]);
    }

    #[test]
    fn tops_are_found_between_looks_and_at_them() {
        assert_close(&told(|t| -(t - 2.3).powi(2), Tells::Tops), &[2.3]);
        assert_close(&told(|t| -1e6 * (t - 4.6).powi(4), Tells::Tops), &[4.6]);
        assert_close(&told(|t| (t - 2.3).powi(2), Tells::Tops), &[]);
        assert_close(&told(|t| t, Tells::Tops), &[]);
        for place in [3.001, 2.999] {
            let near = told(|t| -(t - place).powi(2), Tells::Tops);
            let is_close = |t: &f64| (t - place).abs() < 1e-6;
            assert!(near.iter().any(is_close), "{near:?}");
        }
    }

    #[test]
    fn phases_cut_evenly_and_none_without_a_value_does() {
        let found = told(
            |t| if t == 3.0 { f64::INFINITY } else { 2.5 * t },
            Tells::Turns,
        );
        assert_eq!(found.len(), 12, "{found:?}");
        assert_close(&found[..2], &[1.0 / 3.0, 2.0 / 3.0]);
    }
}
