//! What errors of the start propose: the nearest state that satisfies the constraints.

use crate::states::nearest::nearest_on_constraints;
use crate::states::residuals::scaled_residual;
use crate::states::start::{Given, ROUNDING, missed_positions, velocities};
use crate::states::velocity_problem::{Velocities, VelocityProblem};
use crate::values::prepared::Prepared;
use appell_flow::linear;

/// Coordinates and velocities.
type PhasePoint = (Vec<f64>, Vec<f64>);

/// The velocities that equations of the start give at coordinates on the constraints, and those nearest to them that satisfy
/// the constraints there.
pub(super) fn with_velocities<'g>(
    p: &Prepared<'g>,
    t: f64,
    given: &Given<'g>,
    near: Option<Vec<f64>>,
) -> (Vec<f64>, Option<PhasePoint>) {
    let rest = vec![0.0; p.system.n()];
    let Some(q) = near else {
        return (rest, None);
    };
    let mut unsaid = Vec::new();
    if let Ok(Velocities { v: found, .. }) = velocities(p, t, &q, given, &mut unsaid) {
        return (found.clone(), Some((q, found)));
    }
    let wanted = VelocityProblem::new(p, t, &q, given)
        .ok()
        .and_then(|problem| {
            let wanted = problem.wanted(p, given, &mut unsaid).ok()?;
            Some(problem.split(&wanted.w).0)
        });
    let wanted = wanted.unwrap_or(rest);
    let near = nearest_on_constraints(p, t, &q, &wanted);
    (wanted.clone(), near.or(Some((q, wanted))))
}

/// Numbers that a message shows; more help nobody.
const SHOWN: usize = 12;

/// How the numbers of a proposed state are rounded.
#[derive(Clone, Copy)]
enum Digits {
    /// Ten of the largest: what is small beside it has fewer.
    OfLargest,
    /// Ten of each number.
    OfEach,
    All,
}

/// What differs in the nearest state that satisfies the constraints from a given one, in words. It is rounded as far as it
/// still satisfies them, for it may be copied.
pub(super) fn nearest_in_words(
    p: &Prepared<'_>,
    t: f64,
    (q, v): (&[f64], &[f64]),
    near: Option<PhasePoint>,
) -> String {
    let Some((near_q, near_v)) = near else {
        return "no state was found nearby that satisfies them".to_owned();
    };
    let holonomic: Vec<_> = p.constraints.positions().collect();
    let rows = p.rows(&holonomic, &[], &p.system.q);
    let satisfies = |changes: &[Option<f64>]| {
        let pairs = changes.iter().zip(q.iter().chain(v));
        let state: Vec<f64> = pairs.map(|(new, old)| new.unwrap_or(*old)).collect();
        let (q, v) = state.split_at(q.len());
        let residual = p.measure(t, q, v).map(|m| scaled_residual(&m));
        let positions = rows.residuals(t, q);
        residual.is_some_and(|residual| residual <= ROUNDING)
            && positions
                .is_ok_and(|residuals| missed_positions(p, &rows, (t, q), &residuals).is_empty())
    };
    let all = [Digits::OfLargest, Digits::OfEach, Digits::All].map(|digits| {
        let changed = [changes(q, &near_q, digits), changes(v, &near_v, digits)];
        changed.concat()
    });
    let differs = |changes: &&Vec<Option<f64>>| changes.iter().any(Option::is_some);
    let found = all.iter().find(|changes| satisfies(changes));
    let found = found
        .or_else(|| all.iter().find(differs))
        .unwrap_or(&all[0]);
    let listed = p.model.state_names().into_iter().zip(found);
    let mut listed: Vec<String> = listed
        .filter_map(|(name, value)| Some(format!("{name} = {}", (*value)?)))
        .collect();
    if listed.is_empty() {
        return "the nearest state that satisfies them differs from it by less than ten digits show"
            .to_owned();
    }
    let more = listed.len().saturating_sub(SHOWN);
    listed.truncate(SHOWN);
    if more > 0 {
        listed.push(format!("{more} more"));
    }
    format!(
        "the nearest state that satisfies them has {}",
        listed.join(", ")
    )
}

/// The numbers that differ from the given ones by more than their digits show.
fn changes(given: &[f64], near: &[f64], digits: Digits) -> Vec<Option<f64>> {
    let largest = linear::max_norm(given.iter().chain(near));
    let change = |(given, near): (&f64, &f64)| {
        let (close, shown) = match digits {
            Digits::OfLargest => (ROUNDING * largest, rounded(*near, largest)),
            Digits::OfEach => (ROUNDING * near.abs(), rounded(*near, *near)),
            Digits::All => (0.0, *near),
        };
        let close = close.max(f64::EPSILON * largest);
        ((given - near).abs() > close).then_some(shown)
    };
    given.iter().zip(near).map(change).collect()
}

/// Ten significant digits of the size, without trailing zeros.
fn rounded(x: f64, size: f64) -> f64 {
    let unit = 10f64.powf(9.0 - size.abs().log10().floor());
    let cut = (x * unit).round() / unit;
    let shown = if cut.is_finite() { cut } else { x };
    // No sign for zero.
    shown + 0.0
}
