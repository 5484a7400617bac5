//! What is not given of a start that misses the constraints: as these say beside what is given.

use crate::values::rows::{Goal, Rows, SOLVED};
use crate::values::scattered::scattered;
use appell_flow::linear;

/// Moves of what is not given count so little beside those of what is.
const LITTLE: f64 = 1e-4;
/// Scattered values of what is not given from which rows that are not linear are solved.
const STARTS: u32 = 12;
/// A solution that moves what is given by less than this part of what another does is better.
const BETTER: f64 = 0.1;

/// A start of which some components are not given.
pub(super) struct NotGiven<'s> {
    pub rows: &'s Rows,
    /// Whether the rows are linear in the components.
    pub is_linear: bool,
    /// How moves of the components are measured.
    pub metric: &'s [f64],
    pub is_given: &'s [bool],
}

impl NotGiven<'_> {
    /// The components `w` with those that are not given put where the rows hold while what is given moves as little as can
    /// be, so that a miss is one of what is given. As they are where all are given or that leads nowhere.
    pub fn completed(
        &self,
        place: (f64, &[f64]),
        w: &[f64],
        most: impl Fn() -> Option<usize>,
    ) -> Vec<f64> {
        if self.is_given.iter().all(|given| *given) {
            return w.to_vec();
        }
        let size = match linear::max_norm(w.iter()) {
            0.0 => 1.0,
            size => size,
        };
        let starts = if self.is_linear { 1 } else { STARTS };
        let start = |trial: u32| -> Vec<f64> {
            let moved = |(i, x): (u32, &f64)| match self.is_given[i as usize] || trial == 0 {
                true => *x,
                false => x + size * scattered(1009 * trial + i),
            };
            (0..).zip(w).map(moved).collect()
        };
        let found = (0..starts).filter_map(|trial| {
            let found = self.nearest(place, start(trial), LITTLE, &most)?;
            Some((self.moved(w, &found), found, trial))
        });
        let best = found.reduce(|best, other| {
            if other.0 < BETTER * best.0 {
                other
            } else {
                best
            }
        });
        let Some((_, found, trial)) = best else {
            return w.to_vec();
        };
        // Solutions depend on the square of the weight: twice as much of it says what they are where it is 0.
        let twice = self.nearest(place, start(trial), LITTLE * 2.0_f64.sqrt(), &most);
        let twice = twice.unwrap_or_else(|| found.clone());
        let value = |i: usize| match self.is_given[i] {
            true => w[i],
            false if (found[i] - twice[i]).abs() < LITTLE * size => 2.0 * found[i] - twice[i],
            false => found[i],
        };
        (0..w.len()).map(value).collect()
    }

    /// The components on the rows nearest to a start, where moves of what is not given count so little.
    fn nearest(
        &self,
        (t, fixed): (f64, &[f64]),
        start: Vec<f64>,
        little: f64,
        most: impl Fn() -> Option<usize>,
    ) -> Option<Vec<f64>> {
        let n = start.len();
        let weight = |i: usize| if self.is_given[i] { 1.0 } else { little };
        let weighted = self.metric.iter().enumerate();
        let weighted = weighted.map(|(place, x)| x * weight(place / n) * weight(place % n));
        let goal = Goal::nearest(weighted.collect(), start, vec![true; n]);
        let found = self.rows.minimize_or(t, fixed, &goal, most).ok()?;
        (found.residual <= SOLVED).then_some(found.w)
    }

    /// By how much what is given moves.
    fn moved(&self, w: &[f64], found: &[f64]) -> f64 {
        let n = w.len();
        let gap = |i: usize| {
            if self.is_given[i] {
                found[i] - w[i]
            } else {
                0.0
            }
        };
        let terms = (0..n * n).map(|place| gap(place / n) * self.metric[place] * gap(place % n));
        terms.sum::<f64>().max(0.0).sqrt()
    }
}
