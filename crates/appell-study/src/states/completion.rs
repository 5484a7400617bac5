//! What is not given of a start that misses the constraints: as these say beside what is given.

use crate::values::rows::{Goal, Rows, SOLVED};

/// Moves of what is not given count so little beside those of what is.
const LITTLE: f64 = 1e-4;

/// Values `w` of which some are not given: these are put where the rows hold while what is given moves as little as can
/// be in the metric, so that a miss is one of what is given. As they are where all are given or that leads nowhere.
pub(super) fn completed(
    rows: &Rows,
    (t, fixed): (f64, &[f64]),
    mut metric: Vec<f64>,
    w: &[f64],
    is_given: &[bool],
    most: impl FnOnce() -> Option<usize>,
) -> Vec<f64> {
    let n = w.len();
    if is_given.iter().all(|own| *own) {
        return w.to_vec();
    }
    let weight = |i: usize| if is_given[i] { 1.0 } else { LITTLE };
    for (place, entry) in metric.iter_mut().enumerate() {
        *entry *= weight(place / n) * weight(place % n);
    }
    let goal = Goal::nearest(metric, w.to_vec(), vec![true; n]);
    let found = rows.minimize_or(t, fixed, &goal, most).ok();
    let Some(found) = found.filter(|found| found.residual <= SOLVED) else {
        return w.to_vec();
    };
    let pairs = w.iter().zip(&found.w).zip(is_given);
    pairs
        .map(|((own, found), given)| if *given { *own } else { *found })
        .collect()
}
