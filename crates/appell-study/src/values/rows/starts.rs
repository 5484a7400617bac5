//! Starts for Newton's method where there is no value at rest, or it leads nowhere from there.

use super::{Rows, worst_of};
use crate::values::scattered::scattered;
use appell_flow::newton::Found;
use appell_flow::root::bisect;

/// Directions in which starts are sought.
const DIRECTIONS: u32 = 16;
/// So many unknowns are given all signs.
const MOST_SIGNS: usize = 5;
/// Residuals that differ by no more than this factor are alike.
const ALIKE: f64 = 1.1;

impl Rows {
    /// In scattered directions from `near`: where a single row changes its sign on the way from 10^-160 to 10^160, and
    /// where the rows are smallest against their terms, as near to 1 as can be.
    pub fn starts<'r>(
        &'r self,
        t: f64,
        fixed: &'r [f64],
        near: &'r [f64],
    ) -> impl Iterator<Item = Vec<f64>> + 'r {
        (0..DIRECTIONS).flat_map(move |trial| {
            let along = |(i, x): (u32, &f64), length: f64| {
                let sign = |x: f64| if trial % 2 == 1 { x.abs() } else { x };
                x + length * sign(scattered(1009 * trial + i))
            };
            let at = |length: f64| -> Vec<f64> {
                (0..).zip(near).map(|pair| along(pair, length)).collect()
            };
            let look = |length: f64| -> Option<Look> {
                let rows = self
                    .residual
                    .measured(t, &[fixed, &at(length)].concat())
                    .ok()?;
                let worst = worst_of(&rows);
                let is_negative = rows.first().is_some_and(|row| row.value < 0.0);
                worst.is_finite().then_some(Look {
                    length,
                    worst,
                    is_negative,
                })
            };
            let lengths = (-160..=160).filter(|k| k % 4 == 0 || (-4..12).contains(k));
            let looks: Vec<Look> = lengths.filter_map(|k| look(10f64.powi(k))).collect();
            let zero = (self.count == 1)
                .then(|| change_of_sign(&looks, look))
                .flatten();
            [zero, usual(&looks)]
                .into_iter()
                .flatten()
                .map(at)
                .collect::<Vec<_>>()
        })
    }

    /// Where rows hold that no correction leads to, as `sign(x) = 1` and `sqrt(1 - x^2) = 0`: at unknowns of size 1, as few as can
    /// be, or at those nearby.
    pub fn held_at_units(&self, t: f64, fixed: &[f64], near: &[f64]) -> Option<Found> {
        let signs = near.len().min(MOST_SIGNS);
        let with = |pattern: usize| -> Vec<f64> {
            let sign = |i: usize| {
                if pattern >> (i % signs.max(1)) & 1 == 1 {
                    -1.0
                } else {
                    1.0
                }
            };
            (0..near.len()).map(sign).collect()
        };
        let holds = |w: &[f64]| {
            let rows = self.residual.measured(t, &[fixed, w].concat());
            rows.is_ok_and(|rows| rows.iter().all(|row| row.value.is_finite()))
                && self.are_held(t, fixed, w)
        };
        let mut w = (0..1 << signs).map(with).find(|w| holds(w))?;
        for i in 0..w.len() {
            let kept = std::mem::replace(&mut w[i], near[i]);
            if !holds(&w) {
                w[i] = kept;
            }
        }
        Some(Found {
            residual: self.worst(t, fixed, &w)?,
            w,
            multipliers: Vec::new(),
            stationarity: 0.0,
            rank: 0,
            iterations: 0,
            converged: true,
        })
    }
}

/// The rows at a length.
#[derive(Clone, Copy)]
struct Look {
    length: f64,
    /// The largest row relative to its terms.
    worst: f64,
    /// The sign of the first.
    is_negative: bool,
}

/// Where the row changes its sign, nearest to the length 1.
fn change_of_sign(looks: &[Look], look: impl Fn(f64) -> Option<Look>) -> Option<f64> {
    let changes = looks
        .windows(2)
        .filter(|two| two[0].is_negative != two[1].is_negative);
    let distance = |two: &&[Look]| two[0].length.ln().abs();
    let two = changes.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let has_turned =
        |length: f64| Ok::<bool, ()>(look(length).ok_or(())?.is_negative == two[1].is_negative);
    bisect(two[0].length, two[1].length, has_turned).ok()
}

/// Of the lengths that are as good as each other but for rounding, as all are for `x'/y' = 2`, that nearest to 1.
fn usual(looks: &[Look]) -> Option<f64> {
    let least = looks
        .iter()
        .fold(f64::INFINITY, |least, look| least.min(look.worst));
    let good = looks.iter().filter(|look| look.worst <= ALIKE * least);
    let lengths = good.map(|look| look.length);
    lengths.min_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()))
}
