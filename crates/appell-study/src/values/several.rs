//! The least of several states at which an energy is stationary on rows that are not linear.

use crate::values::rows::{Goal, Rows, SOLVED};
use crate::values::scattered::scattered;
use appell_expr::Ex;
use appell_flow::linear;
use appell_flow::newton::Found;

/// Scattered starts from which a lesser state is sought.
const STARTS: u32 = 24;
/// The sizes of these: the distance of the state found, and each a part of the one before.
const SCALES: u32 = 8;
const SHRINKING: f64 = 0.2;

/// Whether rows are not linear in the unknowns.
pub(crate) fn are_nonlinear(rows: &[Ex<'_>], unknowns: &[Ex<'_>]) -> bool {
    let mut slopes = rows
        .iter()
        .flat_map(|row| unknowns.iter().map(|w| row.diff(*w)));
    slopes.any(|slope| unknowns.iter().any(|w| slope.depends_on(*w)))
}

/// Whether a row is constant between jumps, as `sign(x) = 1`.
pub(crate) fn have_jumps(rows: &[Ex<'_>], unknowns: &[Ex<'_>]) -> bool {
    let mut rows = rows.iter().filter(|row| row.depends_on_any(unknowns));
    rows.any(|row| row.partials(unknowns).into_iter().all(|x| x.is_zero()))
}

/// The state with the least objective among those that scattered starts lead to, `found` among them.
///
/// The starts lie around that of the goal, at most as far from it as `found` and down to a hundred thousandth of it: a
/// state that is nearer has some components that are. Of states as good as each other the first found stays; of mirror images,
/// which differ by signs, that whose first other component is positive: rounding decides which is found first. Which others
/// are as good is told.
pub(crate) fn least_of_several(
    rows: &Rows,
    (t, fixed): (f64, &[f64]),
    goal: &Goal,
    found: Found,
    most: impl Fn() -> Option<usize>,
) -> (Found, AsGood) {
    let moved = found.w.iter().zip(&goal.start);
    let size = moved.fold(0.0, |size: f64, (w, start)| size.max((w - start).abs()));
    let start = |trial: u32| -> Vec<f64> {
        let length = 0.5 * size * SHRINKING.powi((trial % SCALES) as i32);
        let components = goal.start.iter().zip(&goal.free).zip(0u32..);
        components
            .map(|((start, free), i)| match free {
                true => start + length * scattered(1009 * trial + i),
                false => *start,
            })
            .collect()
    };
    let others = (0..STARTS).filter_map(|trial| {
        let restarted = Goal {
            metric: goal.metric.clone(),
            linear: goal.linear.clone(),
            free: goal.free.clone(),
            start: start(trial),
        };
        rows.minimize_or(t, fixed, &restarted, &most).ok()
    });
    others.fold((found, AsGood::None), |(best, others), other| {
        if other.residual > SOLVED || other.rank < best.rank {
            return (best, others);
        }
        if goal.is_clearly_less(&other.w, &best.w) {
            return (other, AsGood::None);
        }
        if goal.is_clearly_less(&best.w, &other.w) {
            return (best, others);
        }
        match mirrored(&best.w, &other.w) {
            Some(i) if other.w[i] > 0.0 => (other, others.max(AsGood::Mirrored)),
            Some(_) => (best, others.max(AsGood::Mirrored)),
            None if differ(&best.w, &other.w) => (best, AsGood::Many),
            None => (best, others),
        }
    })
}

/// Which other states are as good as the best one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AsGood {
    None,
    /// One that differs by signs.
    Mirrored,
    /// Others, as all directions of a given speed.
    Many,
}

/// Components that differ by more than this part of the largest are those of another state.
const OTHER: f64 = 1e-2;

fn differ(one: &[f64], other: &[f64]) -> bool {
    let most = OTHER * linear::max_norm(one.iter());
    one.iter().zip(other).any(|(x, y)| (x - y).abs() > most)
}

/// Components of mirror images agree to this part of the largest, but for their signs.
const MIRRORED: f64 = 1e-6;

/// The first component with another sign, where two states differ by nothing else.
fn mirrored(one: &[f64], other: &[f64]) -> Option<usize> {
    let near = MIRRORED * linear::max_norm(one.iter());
    let mut pairs = one.iter().zip(other);
    let are_alike = pairs.all(|(x, y)| (x.abs() - y.abs()).abs() <= near);
    let mut pairs = one.iter().zip(other);
    let first = pairs.position(|(x, y)| (x - y).abs() > 2.0 * near)?;
    are_alike.then_some(first)
}
