//! The deviations from a motion where its field jumps.

use appell_flow::{Direction, Drive, Interpreter, linear};
use appell_mech::output;
use std::sync::Arc;

/// Parts of a mean step by whose ways the field is compared on both sides of a surface.
const BESIDE: [f64; 2] = [1e-5, 1e-6];
/// Normals that differ by less than this are those of one surface.
const PARALLEL: f64 = 1e-9;
/// A distance from a surface where the motion has no speed.
const SMALL: f64 = 1e-9;
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
/// as a neighbouring motion meets the surface by `dt` later and has `f-` for `f+` meanwhile. `None` where the motion does
/// not cross the surface, or meets a second one there at which the field jumps. Also `None` at a jump where no deviations
/// are followed: the adjoint equations have jumps of their own.
///
/// One piece: what is known of both sides, one thing after the other.
pub(crate) fn across(
    surfaces: &[Surface],
    met: usize,
    field: &Interpreter,
    (t, y): (f64, &[f64]),
    directions: &[Direction],
    step: f64,
) -> Option<(f64, Vec<f64>)> {
    let size = field.program().range(output::RATE)?.len();
    let (state, deviations) = y.split_at(size);
    let parameters = directions
        .first()
        .map_or(0, |direction| direction.parameters.len());
    let time = Direction {
        time: 1.0,
        ..Direction::of_state(parameters)
    };
    // On the surface itself the field may have no derivatives.
    let here = field.results(t, state).ok()?;
    let near = moved(state, &here, BESIDE[1] * step);
    let near = (t + BESIDE[1] * step, &near[..]);
    let (surface, normal) = (&surfaces[met], gradient(&surfaces[met], near, &time)?);
    let others = surfaces.iter().enumerate().filter(|(i, _)| *i != met);
    let place = (t, state);
    let jumps_too = |other: &Surface| {
        let Some(other_normal) = gradient(other, near, &time) else {
            return false;
        };
        let h = BESIDE[0] * step.abs();
        let is_there = other
            .value(t, state)
            .is_some_and(|gap| gap.abs() <= 2.0 * h * speed(&other_normal, &here));
        is_there
            && !are_parallel(&other_normal, &normal)
            && jumps_at(field, place, &here, &other_normal, h)
    };
    if others.into_iter().any(|(_, other)| jumps_too(other)) {
        return None;
    }
    let sides = |part: f64| beside(field, (t, state), &here, &normal, part * step.abs());
    let [coarse, fine] = [sides(BESIDE[0])?, sides(BESIDE[1])?];
    let jump = |of: &[Vec<f64>; 2]| difference(&of[0], &of[1]);
    let known = KNOWN * linear::max_norm(&fine[0]).max(linear::max_norm(&fine[1]));
    let is_known = linear::max_norm(&difference(&jump(&fine), &jump(&coarse))) <= known;
    // As of `sqrt(abs(x))*sign(x)`, which is continuous and steep.
    let vanishes =
        !is_known && linear::max_norm(&jump(&fine)) < 0.5 * linear::max_norm(&jump(&coarse));
    if vanishes || is_known && linear::max_norm(&jump(&fine)) <= known {
        let (t, state) = behind(surface, (t, state), &here, step)?;
        return Some((t, [&state, deviations].concat()));
    }
    if !is_known || directions.is_empty() {
        return None;
    }
    // Below the surface and above it.
    let rates = fine
        .each_ref()
        .map(|f| normal[0] + linear::dot(&normal[1..], f));
    let [f, next] = match rates.map(|rate| step.signum() * rate) {
        [below, above] if below > 0.0 && above > 0.0 => [0, 1],
        [below, above] if below < 0.0 && above < 0.0 => [1, 0],
        _ => return None,
    };
    let (enters, leaves) = (rates[f], rates[next]);
    if leaves.abs() < GRAZING * enters.abs() {
        return None;
    }
    let jump = difference(&fine[f], &fine[next]);
    let (t, state) = behind(surface, (t, state), &fine[next], step)?;
    let mut all = state.clone();
    for (w, direction) in deviations.chunks_exact(size).zip(directions) {
        let later = -surface.change(t, &state, w, direction)? / enters;
        all.extend(w.iter().zip(&jump).map(|(w, jump)| w + jump * later));
    }
    Some((t, all))
}

/// Whether a field jumps across a surface with this normal, which the motion comes to within a time `h`.
fn jumps_at(
    field: &Interpreter,
    place: (f64, &[f64]),
    here: &[f64],
    normal: &[f64],
    h: f64,
) -> bool {
    let sides = beside(field, place, here, normal, 4.0 * h);
    sides.is_none_or(|[below, above]| {
        let size = linear::max_norm(&below).max(linear::max_norm(&above));
        linear::max_norm(&difference(&below, &above)) > KNOWN * size
    })
}

/// Whether two normals are those of one surface: there one delay is that of both.
fn are_parallel(a: &[f64], b: &[f64]) -> bool {
    let lengths = (linear::square(a) * linear::square(b)).sqrt();
    linear::dot(a, b).abs() >= (1.0 - PARALLEL) * lengths
}

/// How fast a quantity with this gradient changes, at most.
fn speed(gradient: &[f64], rate: &[f64]) -> f64 {
    let terms = gradient[1..].iter().zip(rate);
    gradient[0].abs() + terms.map(|(a, f)| (a * f).abs()).sum::<f64>()
}

/// `(g_t, g_y)`.
fn gradient(surface: &Surface, (t, state): (f64, &[f64]), time: &Direction) -> Option<Vec<f64>> {
    let at_rest = vec![0.0; state.len()];
    let still = Direction::of_state(time.parameters.len());
    let mut all = vec![surface.change(t, state, &at_rest, time)?];
    for i in 0..state.len() {
        let mut dy = at_rest.clone();
        dy[i] = 1.0;
        all.push(surface.change(t, state, &dy, &still)?);
    }
    all.iter().any(|x| *x != 0.0).then_some(all)
}

/// `f` below a surface and above it, at a state on it, by values at distances that the motion takes a time `h` for, and twice
/// as much.
fn beside(
    field: &Interpreter,
    (t, state): (f64, &[f64]),
    here: &[f64],
    gradient: &[f64],
    h: f64,
) -> Option<[Vec<f64>; 2]> {
    let terms = gradient[1..].iter().zip(state);
    let size = terms.map(|(a, y)| (a * y).abs()).fold(1.0, f64::max);
    let speed = speed(gradient, here);
    let distance = if speed > 0.0 { h * speed } else { SMALL * size };
    let square = linear::dot(gradient, gradient);
    let at = |g: f64| {
        let y = moved(state, &gradient[1..], g / square);
        let found = field.results(t + g / square * gradient[0], &y).ok()?;
        found.iter().all(|x| x.is_finite()).then_some(found)
    };
    let side = |sign: f64| {
        let [one, two] = [at(sign * distance)?, at(2.0 * sign * distance)?];
        let values = one.iter().zip(&two);
        Some(values.map(|(one, two)| 2.0 * one - two).collect())
    };
    Some([side(-1.0)?, side(1.0)?])
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

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
