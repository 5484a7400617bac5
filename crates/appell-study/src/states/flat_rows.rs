//! Rows without a derivative where they hold, by numbers: where [`flatness`](super::ranks::flatness) knows nothing.

use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::values::measurement::Table;
use crate::values::prepared::Prepared;
use appell_expr::degree_in;
use appell_mech::{ConstraintRow, function, is_affine};

/// Whether all derivatives of an active row that is not linear vanish by numbers: at the start and at scattered states
/// on the constraints, to half the digits, as Newton's method finds states on a square.
pub(crate) fn is_flat_by_numbers(p: &Prepared<'_>, index: usize) -> bool {
    let mut active = p.constraints.active();
    let bent = |row: &ConstraintRow<'_>| match row.position {
        Some(position) => degree_in(position, &p.system.q) != Some(1),
        None => row.phi.is_some_and(|phi| !is_affine(&p.system, phi)),
    };
    if !active.nth(index).is_some_and(bent) {
        return false;
    }
    let begun = start(p).ok().map(|start| (start.t, start.q, start.v));
    let scattered = (0..VIEWS).filter_map(|sample| scattered_constrained_state(p, sample));
    let states = scattered.chain(begun);
    let tables: Vec<Table> = states
        .filter_map(|(t, q, v)| Some(p.measure(t, &q, &v)?.table(function::A)))
        .collect();
    !tables.is_empty() && tables.iter().all(|a| is_flat_line(a, index))
}

/// Whether a row of `A` is hardly anything: states near a square's zero are found to half the digits only.
pub(crate) fn is_flat_line(a: &Table, row: usize) -> bool {
    let line = &a.entries[row * a.columns..(row + 1) * a.columns];
    let size = line.iter().fold(0.0, |most: f64, x| most.max(x.size));
    // Where a derivative has no value, as that of `atan2` at the origin, nothing is known of the row.
    size.is_finite() && line.iter().all(|x| x.value.abs() <= 1e-4 * size)
}

/// States at which a row is looked at.
const VIEWS: u32 = 4;
