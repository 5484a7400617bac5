//! Holonomic rows that touch: where all of them hold the derivatives of one depend on those of the others, though it
//! does not follow from them, as a circle and its tangent.

use crate::states::ranks::{has_points_on_positions, of_positions, parameters_in_force};
use crate::states::regular_points::any_regular_point;
use crate::states::scattered_states::scattered_state;
use crate::states::start::start;
use crate::values::found::DependentPositions;
use crate::values::prepared::Prepared;
use crate::values::scattered::moved;
use appell_expr::{Ex, Sketch, tally_on};
use appell_flow::{Measured, linear};
use appell_mech::put_on_positions;

/// States at which ranks are looked at, and how many have to be found to say something of all.
const VIEWS: u32 = 6;
const ENOUGH: usize = 3;
/// Random points at which a row is held against the others.
const POINTS: usize = 16;
/// How far a state is moved along the others.
const STEP: f64 = 0.1;
/// So many such states are looked at.
const ABOUT: u32 = 3;
/// States where rows touch are found to half of their digits only, from afar to fewer: derivatives below this part of
/// their terms count as none.
const COARSE: f64 = 1e-4;
const FROM_AFAR: f64 = 1e-2;

/// The holonomic rows that depend on others at a state on all of them, and wherever all hold. Which of several rows count
/// as the others does not depend on their order, as to whether one touches.
pub(crate) fn dependent_positions(p: &Prepared<'_>, t: f64, q: &[f64]) -> DependentPositions {
    let place = [&[t], q].concat();
    let last = p.found.dependent_at.borrow().clone();
    if let Some((_, found)) = last.filter(|(last, _)| *last == place) {
        return found;
    }
    let found = find(p, t, q);
    *p.found.dependent_at.borrow_mut() = Some((place, found.clone()));
    found
}

/// The same at the start; none where there is none.
pub(crate) fn dependent_at_start(p: &Prepared<'_>) -> DependentPositions {
    let found = start(p).map(|start| dependent_positions(p, start.t, &start.q));
    found.unwrap_or_default()
}

fn find<'g>(p: &Prepared<'g>, t: f64, q: &[f64]) -> DependentPositions {
    let all = holonomic(p);
    let rows: Vec<Ex<'_>> = all.iter().map(|(_, row)| *row).collect();
    let depend = || all.len() > 1 && are_dependent(p, &rows, t, q);
    if !*p.found.dependent_positions.get_or_init(depend) {
        return DependentPositions::default();
    }
    // Where their rank is lower than elsewhere, that says nothing of other states.
    let here = coarse_rank(p, &rows, COARSE, t, q);
    if ranks_elsewhere(p, &rows)
        .into_iter()
        .any(|rank| here < Some(rank))
    {
        return DependentPositions::default();
    }
    let [mut kept, dependent] = parted(p, all, t, q);
    let mut found = DependentPositions::default();
    let mut rest = Vec::new();
    for row in dependent {
        if !touches(p, &own_rows(&kept), row.1, t, q) {
            rest.push(row);
        } else if let Some((others, left)) = exchanged(p, &kept, row, t, q) {
            kept = others;
            rest.push(left);
        } else {
            found.touching.push(row.0);
        }
    }
    let others = own_rows(&kept);
    let follows = |(_, row): &&Indexed<'g>| follows(p, &others, *row, t, q);
    found.following = rest.iter().filter(follows).map(|entry| entry.0).collect();
    found.following.sort_unstable();
    found
}

/// A row with its index among the active ones.
type Indexed<'g> = (usize, Ex<'g>);

fn own_rows<'g>(all: &[Indexed<'g>]) -> Vec<Ex<'g>> {
    all.iter().map(|(_, row)| *row).collect()
}

/// The first rows whose derivatives are independent at a state, and the rest.
fn parted<'g>(p: &Prepared<'g>, all: Vec<Indexed<'g>>, t: f64, q: &[f64]) -> [Vec<Indexed<'g>>; 2] {
    let (mut kept, mut rest) = (Vec::new(), Vec::new());
    for row in all {
        kept.push(row);
        if !are_independent(p, &kept, t, q) {
            kept.pop();
            rest.push(row);
        }
    }
    [kept, rest]
}

fn are_independent<'g>(p: &Prepared<'g>, rows: &[Indexed<'g>], t: f64, q: &[f64]) -> bool {
    coarse_rank(p, &own_rows(rows), COARSE, t, q) == Some(rows.len())
}

/// Whether a row whose derivatives depend on those of others says more than they do about a state.
fn touches<'g>(p: &Prepared<'g>, others: &[Ex<'g>], row: Ex<'g>, t: f64, q: &[f64]) -> bool {
    let says_more = !others.is_empty() && is_no_consequence(p, others, row);
    says_more && holds_about(p, others, row, t, q) == Some(false)
}

/// Whether a row holds about a state wherever the others do.
fn follows<'g>(p: &Prepared<'g>, others: &[Ex<'g>], row: Ex<'g>, t: f64, q: &[f64]) -> bool {
    let may = others.is_empty() || !is_no_consequence(p, others, row);
    may && holds_about(p, others, row, t, q) == Some(true)
}

/// Rows with one more in the place of one that follows then, and that one: `sin(z)*x = 0` says less than
/// `z = 0`, and a motion does not know which of them stands first in the file.
fn exchanged<'g>(
    p: &Prepared<'g>,
    kept: &[Indexed<'g>],
    row: Indexed<'g>,
    t: f64,
    q: &[f64],
) -> Option<(Vec<Indexed<'g>>, Indexed<'g>)> {
    (0..kept.len()).find_map(|index| {
        let mut others = kept.to_vec();
        let left = std::mem::replace(&mut others[index], row);
        let says_all =
            are_independent(p, &others, t, q) && follows(p, &own_rows(&others), left.1, t, q);
        says_all.then_some((others, left))
    })
}

/// The holonomic rows by their indices among the active ones.
fn holonomic<'g>(p: &Prepared<'g>) -> Vec<(usize, Ex<'g>)> {
    let active = p.constraints.active();
    let rows = active.enumerate();
    rows.filter_map(|(index, row)| Some((index, row.position?)))
        .collect()
}

/// Whether the derivatives of holonomic rows depend on each other wherever all hold: exactly, or at all real states
/// that are found, of which one is known. Where random points are met at none, one is enough.
fn are_dependent<'g>(p: &Prepared<'g>, all: &[Ex<'g>], t: f64, q: &[f64]) -> bool {
    if of_positions(p).is_some_and(|rank| rank < all.len()) {
        return true;
    }
    // The state that is at hand is cheap to look at, and as a rule says no.
    if coarse_rank(p, all, COARSE, t, q).is_none_or(|rank| rank == all.len()) {
        return false;
    }
    let ranks = ranks_elsewhere(p, all);
    let enough = ranks.len() >= ENOUGH || !has_points_on_positions(p);
    let seem = enough && ranks.iter().all(|rank| *rank < all.len());
    // Numbers say so of rows that nearly touch as well: a point where they do not is certain.
    seem && !any_regular_point(p, all, &p.system.q, |_, _, _| true)
}

/// The ranks of all rows at real states that are found from afar.
fn ranks_elsewhere<'g>(p: &Prepared<'g>, all: &[Ex<'g>]) -> Vec<usize> {
    let rows = p.rows(all, &[], &p.system.q);
    let states = (0..VIEWS).filter_map(|sample| {
        let (t, q, _) = scattered_state(p, sample);
        Some((t, rows.damped_root(t, &[], &q)?))
    });
    states
        .filter_map(|(t, q)| coarse_rank(p, all, FROM_AFAR, t, &q))
        .collect()
}

/// The rank of the derivatives of some rows by the coordinates, where a part of their terms counts as none.
fn coarse_rank<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    part: f64,
    t: f64,
    q: &[f64],
) -> Option<usize> {
    let mut sketch = Sketch::new(p.system.graph);
    let slopes = rows.iter().flat_map(|row| row.partials(&p.system.q));
    sketch.output_list("slopes", &slopes.collect::<Vec<_>>());
    let state = [q, &vec![0.0; q.len()]].concat();
    let all = p.compile(&sketch, &["slopes"]).measured(t, &state).ok()?;
    let values: Vec<f64> = all.iter().map(|x| x.value).collect();
    let largest = |row: &[Measured]| row.iter().fold(0.0, |most: f64, x| most.max(x.size));
    let lengths: Vec<f64> = all.chunks(q.len().max(1)).map(largest).collect();
    let rank = rank_beside(&values, &lengths, part);
    Some(
        match rank < rows.len() && are_apart(&values, &lengths, part) {
            true => rows.len(),
            false => rank,
        },
    )
}

/// The rank of rows, of which a part of their terms, of these sizes, counts as none.
pub(super) fn rank_beside(values: &[f64], lengths: &[f64], part: f64) -> usize {
    let columns = values.len() / lengths.len().max(1);
    let counts = |length: &f64| vec![part / linear::THRESHOLD * length; columns];
    let sizes: Vec<f64> = lengths.iter().flat_map(counts).collect();
    linear::rank(lengths.len(), columns, values, &sizes)
}

/// Whether rows beside terms of these sizes are independent by their singular values: along many rows that speak of
/// their neighbours, what elimination may have lost adds up to more than there is.
pub(super) fn are_apart(values: &[f64], lengths: &[f64], part: f64) -> bool {
    let columns = values.len() / lengths.len().max(1);
    let row = |(row, length): (&[f64], &f64)| row.iter().map(|x| x / length).collect::<Vec<_>>();
    let rows = values.chunks(columns.max(1)).zip(lengths);
    let scaled: Vec<f64> = rows.flat_map(row).collect();
    let sigma = linear::singular_values(lengths.len(), columns, &scaled);
    sigma.last().is_some_and(|least| *least > part)
}

/// Whether a row holds at no random point of the others.
fn is_no_consequence<'g>(p: &Prepared<'g>, others: &[Ex<'g>], row: Ex<'g>) -> bool {
    let mut locus = parameters_in_force(p);
    put_on_positions(&mut locus, others.to_vec(), &p.system.q, &[]);
    let (other, zero) = tally_on(&locus, &[row], POINTS);
    other > 0 && zero == 0
}

/// Whether states of the others close by satisfy a row, all or not all; `None` where none was found.
fn holds_about<'g>(
    p: &Prepared<'g>,
    others: &[Ex<'g>],
    row: Ex<'g>,
    t: f64,
    q: &[f64],
) -> Option<bool> {
    let rows = p.rows(others, &[], &p.system.q);
    let compiled = p.rows(&[row], &[], &p.system.q);
    let found = (0..ABOUT).filter_map(|sample| {
        let q = rows.root(t, &[], &moved(q, STEP, 23 + 61 * sample))?;
        compiled.misses(&rows, t, &[], &q).map(|missed| !missed)
    });
    found.reduce(|a, b| a && b)
}
