//! What rows say over the real numbers, holonomic ones by what they say of the place.

use crate::states::flat_rows::is_flat_by_numbers;
use crate::states::ranks::parameters_in_force;
use crate::states::real_rows::{RealRow, Signs, real_row};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Finding, RealForm, vanish_on};
use appell_mech::{ConstraintRow, put_on_positions};

/// What each active row says over the real numbers; `None` for rows on accelerations.
pub(super) fn real_rows<'g>(p: &Prepared<'g>) -> Vec<Option<RealRow<'g>>> {
    let active = p.constraints.active();
    let each = active.enumerate();
    each.map(|(index, row)| real_row_of(p, index, row))
        .collect()
}

/// A row of a model. A holonomic row without a derivative where it holds, as a sum of squares, says more of
/// velocities than its rate does: the rates of what it says of the place.
fn real_row_of<'g>(p: &Prepared<'g>, index: usize, row: &ConstraintRow<'g>) -> Option<RealRow<'g>> {
    let real = real_row(p, row.phi?);
    let place = row.position.and_then(|row| said_of_place(p, index, row));
    let Some(place) = place else {
        return Some(real);
    };
    Some(RealRow {
        rows: place.rows.iter().map(|x| p.system.total_rate(*x)).collect(),
        changed: true,
        why: place.why.join(", "),
        sides: place.sides,
        ..real
    })
}

/// What a holonomic row says of the place, if all its derivatives vanish wherever that holds.
fn said_of_place<'g>(p: &Prepared<'g>, index: usize, row: Ex<'g>) -> Option<RealForm<'g>> {
    let q = &p.system.q;
    let form = Signs::new(p).zeros(row, q);
    let is_other = form.rows != [row] && !form.rows.is_empty();
    if !is_other || form.nowhere {
        return None;
    }
    // Beside inequalities roots take either sign at random points.
    if !form.sides.is_empty() {
        return is_flat_by_numbers(p, index).then_some(form);
    }
    let mut locus = parameters_in_force(p);
    put_on_positions(&mut locus, form.rows.clone(), q, &[]);
    let is_flat = matches!(vanish_on(&locus, &row.partials(q)), Finding::Holds(_));
    is_flat.then_some(form)
}
