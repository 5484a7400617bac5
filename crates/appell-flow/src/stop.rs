//! Where a condition becomes true within a step.

use crate::evaluation::{EvalError, Workspace};
use crate::field::{Field, evaluate};
use crate::interpolant::Interpolant;
use crate::motion::{Crossing, Stop};
use crate::root::{bisect, minimum};

/// Parts of a step between which the sign of a condition's quantity is compared.
pub(crate) const PARTS: usize = 8;

/// A quantity this small at the very start, relative to its values in the first step, is zero: a motion
/// that starts on a surface is on the side where it is [`SHORTLY`] after.
pub(crate) const ZERO: f64 = 1e-12;
/// Small parts of the first step: at the first where the quantity is more than [`SEEN`] of its values in that step
/// its sign is beyond rounding.
pub(crate) const SHORTLY: [f64; 3] = [1e-6, 1e-4, 1e-2];
pub(crate) const SEEN: f64 = 1e-9;
/// The part of a step over which slopes are measured.
pub(crate) const SLOPE: f64 = 1e-4;

/// The quantity of a condition at the ends of a part of a step, and its slopes there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub gaps: [f64; 2],
    pub slopes: [f64; 2],
}

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
        let found = evaluate(
            stop.gap,
            workspace,
            interpolant.time(theta),
            &state,
            &mut gap,
        );
        match found.map_err(|error| *error) {
            Ok(()) => Ok(gap[0]),
            // Where it has no value the condition is not true.
            Err(EvalError::NotFinite { .. }) => Ok(f64::NAN),
            Err(error) => Err(error),
        }
    };
    let place = |i: usize| i as f64 / PARTS as f64;
    let mut gaps = [0.0; PARTS + 1];
    for (i, value) in gaps.iter_mut().enumerate() {
        *value = gap(place(i))?;
    }
    let largest = gaps.iter().fold(0.0, |size: f64, g| size.max(g.abs()));
    if first_step && gaps[0].abs() <= ZERO * largest {
        for shortly in SHORTLY {
            gaps[0] = gap(shortly)?;
            if gaps[0].abs() > SEEN * largest {
                break;
            }
        }
        if becomes_true(stop.crossing, 0.0, gaps[0]) {
            return Ok(Some(0.0));
        }
    }
    for i in 0..PARTS {
        let (a, b, start) = (place(i), place(i + 1), gaps[i]);
        let mut end = becomes_true(stop.crossing, start, gaps[i + 1]).then_some(b);
        if end.is_none() && comes_near(&gaps, i) {
            let [before, after] = beside(i);
            let part = Part::new(&gaps, i, [gap(before)?, gap(after)?]);
            if part.turns(stop.crossing) {
                let side = start.signum();
                let (turn, least) = minimum(a, b, |theta| gap(theta).map(|gap| side * gap))?;
                end = becomes_true(stop.crossing, start, side * least).then_some(turn);
            }
        }
        if let Some(end) = end {
            let true_now = |theta| Ok(becomes_true(stop.crossing, start, gap(theta)?));
            return bisect(a, end, true_now).map(Some);
        }
    }
    Ok(None)
}

/// Whether the quantity may come to zero and turn back within a part of the step: it is no farther from zero than it
/// changes in the step.
pub(crate) fn comes_near(gaps: &[f64; PARTS + 1], part: usize) -> bool {
    let least = gaps.iter().fold(f64::INFINITY, |least, g| least.min(*g));
    let most = gaps.iter().fold(-f64::INFINITY, |most, g| most.max(*g));
    gaps[part].abs().min(gaps[part + 1].abs()) <= 2.0 * (most - least)
}

/// Places beside the ends of a part, over which slopes are measured: outside it, so that no turn hides there, but
/// within the step.
pub(crate) fn beside(part: usize) -> [f64; 2] {
    let [a, b] = [part, part + 1].map(|i| i as f64 / PARTS as f64);
    let before = if part == 0 { SLOPE } else { a - SLOPE };
    let after = if part + 1 == PARTS {
        1.0 - SLOPE
    } else {
        b + SLOPE
    };
    [before, after]
}

impl Part {
    /// From the quantity at the ends of all parts, and beside this one.
    pub fn new(gaps: &[f64; PARTS + 1], part: usize, at_sides: [f64; 2]) -> Part {
        let sides = beside(part);
        let slope = |end: usize| {
            let place = (part + end) as f64 / PARTS as f64;
            (at_sides[end] - gaps[part + end]) / (sides[end] - place)
        };
        Part {
            gaps: [gaps[part], gaps[part + 1]],
            slopes: [slope(0), slope(1)],
        }
    }

    /// Whether a quantity that is on one side of zero at both ends turns between them on its way to the other: it
    /// falls towards zero at one end and rises from it at the other.
    pub fn turns(&self, crossing: Crossing) -> bool {
        let side = self.gaps[0].signum();
        let asked = match crossing {
            Crossing::Falling => side > 0.0,
            Crossing::Rising => side < 0.0,
            Crossing::Either => true,
        };
        let [falls, rises] = self.slopes.map(|slope| side * slope);
        asked && side * self.gaps[1] > 0.0 && falls < 0.0 && rises > 0.0
    }
}

/// Whether a condition that is judged by `before` and `after` has become true. It is not true where its quantity has no
/// value, NaN.
pub(crate) fn becomes_true(crossing: Crossing, before: f64, after: f64) -> bool {
    let before = if before.is_nan() { 0.0 } else { before };
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
    fn a_quantity_turns_where_its_slopes_lead_towards_zero_and_from_it() {
        use Crossing::{Either, Falling, Rising};
        let part = |gaps, slopes| Part { gaps, slopes };
        let above = part([0.9, 0.9], [-4.0, 4.0]);
        assert!(above.turns(Falling) && above.turns(Either) && !above.turns(Rising));
        let below = part([-0.9, -0.9], [4.0, -4.0]);
        assert!(below.turns(Rising) && below.turns(Either) && !below.turns(Falling));
        assert!(!part([0.9, 0.9], [4.0, -4.0]).turns(Falling), "away");
        assert!(!part([0.9, 1.9], [-1.0, -1.0]).turns(Falling), "no turn");
        // x^2 - 1 at the ends of the second part of eight from 0.
        let gaps = [-1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let [before, after] = beside(1);
        let slopes = Part::new(&gaps, 1, [before, after]).slopes;
        assert!(slopes[0] < 0.0 && slopes[1] > 0.0, "{slopes:?}");
    }

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
