//! Where a condition becomes true within a step.

use crate::evaluation::{EvalError, Workspace};
use crate::field::{Field, evaluate};
use crate::interpolant::Interpolant;
use crate::motion::{Crossing, Stop};
use crate::root::bisect;

/// Parts of a step between which the sign of a condition's quantity is compared.
pub(crate) const PARTS: usize = 8;

/// A quantity this small at the very start, relative to its values in the first step, is zero: a motion
/// that starts on a surface does not cross it there. It starts on the side where it is [`SHORTLY`] after.
pub(crate) const ZERO: f64 = 1e-12;
/// A small part of the first step.
pub(crate) const SHORTLY: f64 = 1e-6;

/// The condition that becomes true first and the part of the step where it does.
pub(crate) fn first_stop(
    stops: &[Stop<&dyn Field>],
    workspace: &mut Workspace,
    interpolant: &Interpolant,
    first_step: bool,
) -> Result<Option<(usize, f64)>, EvalError> {
    let mut first: Option<(usize, f64)> = None;
    for (index, stop) in stops.iter().enumerate() {
        let place = crossing(stop, workspace, interpolant, first_step)?;
        let earlier = |place: &f64| first.is_none_or(|(_, earliest)| *place < earliest);
        if let Some(place) = place.filter(earlier) {
            first = Some((index, place));
        }
    }
    Ok(first)
}

fn crossing(
    stop: &Stop<&dyn Field>,
    workspace: &mut Workspace,
    interpolant: &Interpolant,
    first_step: bool,
) -> Result<Option<f64>, EvalError> {
    let mut state = Vec::new();
    let mut gap = |theta: f64| -> Result<f64, EvalError> {
        let mut gap = [0.0];
        interpolant.write(theta, &mut state);
        evaluate(
            stop.gap,
            workspace,
            interpolant.time(theta),
            &state,
            &mut gap,
        )?;
        Ok(gap[0])
    };
    let place = |i: usize| i as f64 / PARTS as f64;
    let mut gaps = [0.0; PARTS + 1];
    for (i, value) in gaps.iter_mut().enumerate() {
        *value = gap(place(i))?;
    }
    let largest = gaps.iter().fold(0.0, |size: f64, g| size.max(g.abs()));
    if first_step && gaps[0].abs() <= ZERO * largest {
        gaps[0] = gap(SHORTLY)?;
    }
    for i in 0..PARTS {
        let start = gaps[i];
        if becomes_true(stop.crossing, start, gaps[i + 1]) {
            let true_now = |theta| Ok(becomes_true(stop.crossing, start, gap(theta)?));
            return bisect(place(i), place(i + 1), true_now).map(Some);
        }
    }
    Ok(None)
}

/// Whether a condition that is judged by `before` and `after` has become true.
pub(crate) fn becomes_true(crossing: Crossing, before: f64, after: f64) -> bool {
    match crossing {
        Crossing::Rising => before <= 0.0 && after > 0.0,
        Crossing::Falling => before >= 0.0 && after < 0.0,
        Crossing::Either => before != 0.0 && before * after <= 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_become_true_only_by_crossing() {
        use Crossing::{Either, Falling, Rising};
        assert!(becomes_true(Rising, -1.0, 1.0) && !becomes_true(Rising, 1.0, 2.0));
        assert!(becomes_true(Falling, 1.0, -1.0) && !becomes_true(Falling, 1.0, 0.0));
        assert!(becomes_true(Either, 1.0, -1.0) && becomes_true(Either, -1.0, 0.0));
        assert!(
            !becomes_true(Either, 0.0, 1.0),
            "starting on the surface is no crossing"
        );
    }
}
