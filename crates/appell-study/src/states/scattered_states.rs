//! States without pattern, the same every time: places from which a model is looked at.

use crate::states::nearest::nearest_on_constraints;
use crate::states::real_rows::real_row;
use crate::values::found::SampleState;
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::Ex;

/// A time, coordinates and velocities without pattern.
pub(crate) fn scattered_state(p: &Prepared<'_>, sample: u32) -> SampleState {
    let n = p.system.n();
    let t = 1.0 + 0.3 * f64::from(sample);
    let numbers = |shift: u32| (163 * sample + shift..).take(n).map(scattered).collect();
    (t, numbers(11), numbers(71))
}

/// The state on the constraints nearest to a scattered one, if one is found.
pub fn scattered_constrained_state(p: &Prepared<'_>, sample: u32) -> Option<SampleState> {
    if let Some(found) = p.found.scattered.borrow().get(&sample) {
        return found.clone();
    }
    let (t, q, v) = scattered_state(p, sample);
    let found = nearest_on_constraints(p, t, &q, &v).map(|(q, v)| (t, q, v));
    let found = found.or_else(|| by_damped_steps(p, sample, (t, q, v)));
    let mut known = p.found.scattered.borrow_mut();
    known.insert(sample, found.clone());
    found
}

/// Scattered states in which it is looked whether constraints hold anywhere.
const ELSEWHERE: u32 = 3;

/// Whether the constraints hold at some state, sought from scattered ones and with coordinates and velocities moved
/// together from this one: `x'^2 = x - 1e6` holds far from all scattered ones.
pub(crate) fn hold_somewhere(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> bool {
    if (0..ELSEWHERE).any(|k| scattered_constrained_state(p, k).is_some()) {
        return true;
    }
    let active = p.constraints.active();
    let rows: Vec<Ex<'_>> = active
        .flat_map(|row| row.position.into_iter().chain(row.phi))
        .collect();
    let unknowns = [&p.system.q[..], &p.system.v].concat();
    let rows = p.rows(&rows, &[], &unknowns);
    let (_, far_q, far_v) = scattered_state(p, ELSEWHERE);
    let starts = [[q, v].concat(), [far_q, far_v].concat()];
    let mut starts = starts.iter();
    starts.any(|w| {
        let found = rows.root(t, &[], w);
        let found = found.or_else(|| rows.damped_root(t, &[], w));
        found.is_some_and(|root| rows.is_resolved(t, &[], w, &root))
    })
}

/// Velocities from which a solution is sought: the tip of a cone attracts many of them.
const TRIALS: u32 = 24;

/// Velocities by a damped method, which needs no independent rows, on what the rows
/// say over the real numbers, so that squares are no error. Coordinates stay where they are.
fn by_damped_steps(p: &Prepared<'_>, sample: u32, (t, q, v): SampleState) -> Option<SampleState> {
    let mut rows = Vec::new();
    for row in p.constraints.active() {
        if row.position.is_some() {
            return None;
        }
        rows.extend(real_row(p, row.phi?).rows);
    }
    let rows = p.rows(&rows, &p.system.q, &p.system.v);
    let elsewhere = (1..TRIALS).map(|trial| {
        let v = scattered_state(p, 1009 * trial + sample).2;
        let upright = |v: Vec<f64>| v.into_iter().map(f64::abs).collect();
        if trial % 2 == 1 { upright(v) } else { v }
    });
    let mut starts = [v].into_iter().chain(elsewhere);
    let v = starts.find_map(|start| rows.damped_root(t, &q, &start))?;
    Some((t, q, v))
}
