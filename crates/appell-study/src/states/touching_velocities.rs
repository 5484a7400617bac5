//! Rows on velocities that touch: at every real state that is found their derivatives say less than they do, as those
//! of `x'^2 + y'^2 = 1` beside `x' = 1` say nothing of `y'`. Nothing follows from them for accelerations.

use crate::states::regular_points::any_regular_point;
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::states::touching::{are_apart, rank_beside};
use crate::values::found::SampleState;
use crate::values::measurement::Table;
use crate::values::prepared::Prepared;
use crate::values::scattered::moved;
use appell_expr::Ex;
use appell_flow::Measured;
use appell_mech::{function, is_affine};

/// States at which ranks are looked at.
const VIEWS: u32 = 6;
/// States where rows touch are found to half of their digits only: derivatives below this part of their terms count
/// as none.
const COARSE: f64 = 1e-4;
/// How far a state is moved along the others, and what a row has to miss there of the size of its terms.
const STEP: f64 = 0.1;
const MISSED: f64 = 1e-6;

/// An active row, by its index, that touches the others at all real states that are found: its derivatives depend on
/// theirs there, and it does not hold at states of theirs close by.
pub(crate) fn touching_velocities(p: &Prepared<'_>) -> Option<usize> {
    *p.found.touching_velocities.get_or_init(|| find(p))
}

/// The same at this state, where no state is known at which the rows do not touch: beside the set on which they do,
/// derivatives that vanish there are as small as the way to it, and no rounding.
pub(crate) fn touch_at(p: &Prepared<'_>, state: &SampleState) -> bool {
    let Some(rows) = curved_rows(p) else {
        return false;
    };
    let touches = touching_at(p, &rows, state).is_some();
    touches && !any_regular_point(p, &rows, &p.system.v, |_, _, _| true)
}

/// The active rows, if they are all on velocities and some are curved.
fn curved_rows<'g>(p: &Prepared<'g>) -> Option<Vec<Ex<'g>>> {
    let active = p.constraints.active();
    let rows: Vec<Ex<'g>> = active.map(|row| row.phi).collect::<Option<_>>()?;
    let curved = rows.iter().any(|row| !is_affine(&p.system, *row));
    curved.then_some(rows)
}

fn find(p: &Prepared<'_>) -> Option<usize> {
    let rows = curved_rows(p)?;
    let begun = start(p).ok().map(|start| (start.t, start.q, start.v));
    let on = (0..VIEWS).filter_map(|sample| scattered_constrained_state(p, sample));
    let mut states = begun.into_iter().chain(on);
    let first = touching_at(p, &rows, &states.next()?)?;
    let everywhere = states.all(|state| touching_at(p, &rows, &state).is_some());
    // A point where the rows are independent is certain, whatever numbers say.
    let is_regular = || any_regular_point(p, &rows, &p.system.v, |_, _, _| true);
    (everywhere && !is_regular()).then_some(first)
}

/// A row that touches the others at one state.
fn touching_at<'g>(p: &Prepared<'g>, rows: &[Ex<'g>], state: &SampleState) -> Option<usize> {
    let (t, q, v) = state;
    let a = p.measure(*t, q, v)?.table(function::A);
    let all: Vec<usize> = (0..a.rows).collect();
    if coarse_rank(&a, &all) == a.rows || are_apart(&a.values(), &lengths(&a, &all), COARSE) {
        return None;
    }
    let kept = independent(&a);
    let others = kept.iter().map(|row| rows[*row]);
    let others: Vec<Ex<'g>> = others.collect();
    let mut dependent = (0..rows.len()).filter(|row| !kept.contains(row));
    dependent.find(|row| leaves(p, &others, rows[*row], state))
}

/// The first rows that are independent of each other, where a part of their terms counts as none.
fn independent(a: &Table) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for row in 0..a.rows {
        let with = [kept.as_slice(), &[row]].concat();
        if coarse_rank(a, &with) == with.len() {
            kept = with;
        }
    }
    kept
}

fn coarse_rank(a: &Table, rows: &[usize]) -> usize {
    let lines = rows.iter().flat_map(|row| line(a, *row));
    let values: Vec<f64> = lines.map(|x| x.value).collect();
    rank_beside(&values, &lengths(a, rows), COARSE)
}

/// The size of the largest terms of each row.
fn lengths(a: &Table, rows: &[usize]) -> Vec<f64> {
    let most = |row: &usize| {
        line(a, *row)
            .iter()
            .fold(0.0, |most: f64, x| most.max(x.size))
    };
    rows.iter().map(most).collect()
}

fn line(a: &Table, row: usize) -> &[Measured] {
    &a.entries[row * a.columns..][..a.columns]
}

/// Whether velocities close by that satisfy the other rows do not satisfy this one.
fn leaves<'g>(p: &Prepared<'g>, others: &[Ex<'g>], row: Ex<'g>, state: &SampleState) -> bool {
    let (t, q, v) = state;
    let (fixed, unknowns) = (&p.system.q, &p.system.v);
    let moved = moved(v, STEP, 23);
    let found = match others.is_empty() {
        true => Some(moved),
        false => p.rows(others, fixed, unknowns).root(*t, q, &moved),
    };
    let compiled = p.rows(&[row], fixed, unknowns);
    let missed = found.and_then(|v| compiled.residuals(*t, &[q.as_slice(), &v].concat()).ok());
    missed.is_some_and(|all| all.iter().any(|(x, size)| x.abs() > MISSED * size))
}
