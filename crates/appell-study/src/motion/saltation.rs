//! The deviations from a motion where its field jumps.

use appell_flow::{Direction, Drive, Interpreter};
use appell_mech::output;
use std::sync::Arc;

/// Parts of a mean step over which the field is compared on both sides of a surface.
const BESIDE: [f64; 2] = [1e-5, 1e-6];
/// The shortest part of a step by which the motion is led behind a surface.
const LEAST: f64 = 1e-16;
/// As a part of the field: the error with which a jump is known. And of a rate on the one side: what is none.
const KNOWN: f64 = 1e-7;
const GRAZING: f64 = 1e-6;

/// A quantity at whose zero a field may jump.
pub(crate) enum Surface {
    /// What stands in a `sign` of the field.
    OfField(Interpreter),
    /// The switch of this index of the inputs.
    OfInputs(Arc<Drive>, usize),
}

impl Surface {
    fn value(&self, t: f64, y: &[f64]) -> Option<f64> {
        match self {
            Self::OfField(gap) => gap.results(t, y).ok()?.first().copied(),
            Self::OfInputs(drive, index) => Some((drive.switches().nth(*index)?.value)(t, y)),
        }
    }

    /// How it changes where the state changes by `dy`, and time and parameters along a direction.
    fn change(&self, t: f64, y: &[f64], dy: &[f64], direction: &Direction) -> Option<f64> {
        match self {
            Self::OfField(gap) => {
                let moved = gap.duals_along(t, y, dy, direction, None).ok()?;
                moved.first().map(|gap| gap.along(0))
            }
            Self::OfInputs(drive, index) => {
                Some((drive.switches().nth(*index)?.slope)(t, y, dy, direction))
            }
        }
    }
}

/// The time, and the state with its deviations `w`, just behind a surface `g(t, y) = 0` that the motion crosses and at
/// which its field may jump from `f-` to `f+`:
///
/// `w+ = w- + (f- - f+) dt`, `dt = -(g_y w- + g_p dp)/(g_t + g_y f-)`,
///
/// as a neighbouring motion meets the surface by `dt` later and has `f-` for `f+` meanwhile. None where the motion does
/// not go on through the surface, or only touches it; and at a jump where there are no deviations, for the adjoint
/// equations, which follow the motion, jump otherwise.
pub(crate) fn across(
    surface: &Surface,
    field: &Interpreter,
    (t, y): (f64, &[f64]),
    directions: &[Direction],
    step: f64,
) -> Option<(f64, Vec<f64>)> {
    let size = field.program().range(output::RATE)?.len();
    let (state, deviations) = y.split_at(size);
    let sides = |part: f64| {
        let side = |h: f64| beside(field, (t, state), h);
        Some([side(-part * step)?, side(part * step)?])
    };
    let [[before, after], [f, next]] = [sides(BESIDE[0])?, sides(BESIDE[1])?];
    let (t, state) = behind(surface, (t, state), &next, step)?;
    let (jump, coarse) = (difference(&f, &next), difference(&before, &after));
    let known = KNOWN * largest(&f).max(largest(&next));
    let is_known = largest(&difference(&jump, &coarse)) <= known;
    // As of `sqrt(abs(x))*sign(x)`, which is continuous and steep.
    let vanishes = !is_known && largest(&jump) < 0.5 * largest(&coarse);
    if vanishes || is_known && largest(&jump) <= known {
        return Some((t, [&state, deviations].concat()));
    }
    if !is_known || directions.is_empty() {
        return None;
    }
    let change = |dy: &[f64], direction: &Direction| surface.change(t, &state, dy, direction);
    let time = Direction {
        time: 1.0,
        ..Direction::of_state(directions[0].parameters.len())
    };
    let [enters, leaves] = [change(&f, &time)?, change(&next, &time)?];
    if enters * leaves <= 0.0 || leaves.abs() < GRAZING * enters.abs() {
        return None;
    }
    let mut all = state.clone();
    for (w, direction) in deviations.chunks_exact(size).zip(directions) {
        let later = -change(w, direction)? / enters;
        all.extend(w.iter().zip(&jump).map(|(w, jump)| w + jump * later));
    }
    Some((t, all))
}

/// `f` on the side of a state to which the motion goes in the time `h`, at the state.
fn beside(field: &Interpreter, (t, state): (f64, &[f64]), h: f64) -> Option<Vec<f64>> {
    let at = |f: &[f64], h: f64| {
        let found = field.results(t + h, &moved(state, f, h)).ok()?;
        found.iter().all(|x| x.is_finite()).then_some(found)
    };
    let here = field.results(t, state).ok()?;
    let there = at(&here, h)?;
    let [one, two] = [at(&there, h)?, at(&there, 2.0 * h)?];
    let values = one.iter().zip(&two);
    Some(values.map(|(one, two)| 2.0 * one - two).collect())
}

/// The first state on the way from here that rounding errors do not leave on the surface: on it there are no derivatives.
fn behind(
    surface: &Surface,
    (t, state): (f64, &[f64]),
    rate: &[f64],
    step: f64,
) -> Option<(f64, Vec<f64>)> {
    let gap = |h: f64| surface.value(t + h, &moved(state, rate, h));
    let side = gap(BESIDE[1] * step)?.signum();
    let mut part = LEAST;
    while part < BESIDE[1] && gap(part * step)? * side <= 0.0 {
        part *= 2.0;
    }
    let h = part * step;
    Some((t + h, moved(state, rate, h)))
}

fn moved(state: &[f64], rate: &[f64], h: f64) -> Vec<f64> {
    state.iter().zip(rate).map(|(y, f)| y + h * f).collect()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
