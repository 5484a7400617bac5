//! States beside a start where the rows have a lower rank than elsewhere.
//!
//! What is proved of states where the rows are independent says nothing there. That a rate vanishes at the start alone says
//! little: that of `x^2` vanishes at `x = 0`, however `x` moves.

use crate::states::nearest::{nearest_of_rank, nearest_on_constraints};
use crate::states::start::start;
use crate::states::status::{Judgement, Status, judge};
use crate::values::found::SampleState;
use crate::values::prepared::Prepared;
use crate::values::scattered::{are_within, moved};
use appell_expr::Ex;
use appell_flow::Measured;
use appell_mech::function;

/// How far from the start states are sought, in its units.
const STEP: f64 = 0.07;
/// Farther than so many steps a state is none beside the start.
const FEW: f64 = 4.0;
/// So many coordinates and velocities, at most, are moved each by itself.
const ALONE: usize = 12;
/// A state satisfies rows that it misses by less than this part of their terms.
const HELD: f64 = 1e-13;
/// States at double roots are known to half their digits: a rate that is less than this part of its terms may vanish.
const MOVES: f64 = 1e-4;

/// States on the constraints beside the start at which the rows have no higher rank, and which a motion may pass; none
/// where the start is regular.
pub(crate) fn states_near_start(p: &Prepared<'_>) -> Vec<SampleState> {
    let found = p
        .found
        .near_start
        .get_or_init(|| find(p).unwrap_or_default());
    found.clone()
}

/// Whether some of these functions of the time, the coordinates and the velocities do not vanish at such a state.
pub(crate) fn differ_near_start<'g>(p: &Prepared<'g>, functions: &[Ex<'g>]) -> bool {
    let states = states_near_start(p);
    if states.is_empty() || !functions.iter().all(|x| is_of_state(p, *x)) {
        return false;
    }
    let program = p.functions_of(functions);
    let at = |(t, q, v): &SampleState| program.measured(*t, &[q.as_slice(), v].concat()).ok();
    let mut values = states.iter().filter_map(at).flatten();
    values.any(|x| is_clear(&x))
}

/// Whether an expression is made of the time, the coordinates, the velocities and the parameters alone.
fn is_of_state<'g>(p: &Prepared<'g>, x: Ex<'g>) -> bool {
    let system = &p.system;
    let parameters = p.model.parameters.iter();
    let known: Vec<Ex<'g>> = parameters
        .map(|parameter| system.graph.ex(parameter.symbol))
        .chain([system.t])
        .chain(system.q.iter().chain(&system.v).copied())
        .collect();
    x.symbols().iter().all(|symbol| known.contains(symbol))
}

/// Whether a value is more than what the digits of a state leave open.
pub(crate) fn is_clear(x: &Measured) -> bool {
    x.value.is_finite() && x.value.abs() > MOVES * x.size
}

fn find(p: &Prepared<'_>) -> Option<Vec<SampleState>> {
    let start = start(p).ok()?;
    let here = judge(p, start.t, &start.q, &start.v, start.z.as_deref());
    let is_lower = matches!(here.status, Status::Singular | Status::Inconsistent);
    if !is_lower {
        return None;
    }
    let m = p.measure(start.t, &start.q, &start.v);
    let positions = m.and_then(|m| m.table(function::POSITION_Q).rank());
    let ranks = positions.zip(here.rank.a);
    let is_like_start = |(t, q, v): &SampleState| {
        let close = are_within(&start.q, q, FEW * STEP) && are_within(&start.v, v, FEW * STEP);
        close && is_alike(&here, &judge(p, *t, q, v, None))
    };
    let states = guesses((start.t, start.q.clone(), start.v.clone()));
    let states = states
        .into_iter()
        .filter_map(|state| on_rows(p, state, ranks));
    let states = states.filter(|state| satisfies_hidden_rows(p, state));
    Some(states.filter(is_like_start).collect())
}

/// Whether a state satisfies what the rows say of the place alone.
fn satisfies_hidden_rows(p: &Prepared<'_>, (t, q, v): &SampleState) -> bool {
    let hidden = p.constraints.hidden.iter();
    let rows: Vec<Ex<'_>> = hidden.flat_map(|row| [row.position, row.rate]).collect();
    let values = p
        .functions_of(&rows)
        .measured(*t, &[q.as_slice(), v].concat());
    let holds = |x: &Measured| x.value.abs() <= HELD * x.size;
    rows.is_empty() || values.is_ok_and(|values| values.iter().all(holds))
}

/// A state on the rows near a given one: this itself where it satisfies them, or one where the holonomic and all rows have
/// these ranks.
fn on_rows(
    p: &Prepared<'_>,
    (t, q, v): SampleState,
    ranks: Option<(usize, usize)>,
) -> Option<SampleState> {
    let active = p.constraints.active();
    let rows: Vec<Ex<'_>> = active
        .flat_map(|row| row.position.into_iter().chain(row.phi))
        .collect();
    let values = p
        .functions_of(&rows)
        .measured(t, &[q.as_slice(), &v].concat());
    let holds = |x: &Measured| x.value.abs() <= HELD * x.size;
    if values.is_ok_and(|values| values.iter().all(holds)) {
        return Some((t, q, v));
    }
    let found = nearest_of_rank(p, (t, &q, &v), ranks?);
    let (q, v) = found.or_else(|| nearest_on_constraints(p, t, &q, &v))?;
    Some((t, q, v))
}

/// Whether the rows have no higher rank at one state than at the start, and leave a finite acceleration.
fn is_alike(start: &Judgement, there: &Judgement) -> bool {
    let has_none = there.rank.augmented > there.rank.a;
    let is_off = matches!(there.status, Status::OffConstraint | Status::Empty);
    let is_no_higher = match start.rank.a {
        None => there.rank.a.is_none(),
        Some(rank) => there.rank.a.is_some_and(|other| other <= rank),
    };
    is_no_higher && !is_off && !has_none
}

/// The start moved along its velocities, at random, and in each coordinate, each velocity, and both.
fn guesses((t, q, v): SampleState) -> Vec<SampleState> {
    let along = [STEP, -STEP].map(|h| {
        let q = q.iter().zip(&v).map(|(q, v)| q + h * v).collect();
        (t + h, q, v.clone())
    });
    let alone = |x: &[f64], i: usize| {
        let mut x = x.to_vec();
        x[i] += STEP * x[i].abs().max(1.0);
        x
    };
    let few = 0..q.len().min(ALONE);
    let places = few.clone().map(|i| (t, alone(&q, i), v.clone()));
    let velocities = few.clone().map(|i| (t, q.clone(), alone(&v, i)));
    let both = few.map(|i| (t, alone(&q, i), alone(&v, i)));
    let at_random = [
        (t, moved(&q, STEP, 17), v.clone()),
        (t, moved(&q, STEP, 29), moved(&v, STEP, 61)),
    ];
    let all = along.into_iter().chain(places).chain(velocities);
    all.chain(both).chain(at_random).collect()
}
