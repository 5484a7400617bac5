//! Rows that hold wherever affine rows do, and say nothing beside them.

use super::contrived::{Nonlinearity, active_rows};
use crate::states::real_rows::RealRow;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Finding, vanish_on};
use appell_mech::{is_affine, states_on};

/// The nature of a row that holds wherever the affine ones of the other rows do: it says nothing beside them.
pub(super) fn consequence<'g>(
    p: &Prepared<'g>,
    index: usize,
    phi: Ex<'g>,
    real: &[Option<RealRow<'g>>],
) -> Option<Nonlinearity<'g>> {
    let rows = active_rows(p).into_iter().zip(real).enumerate();
    let others = rows.filter(|(other, _)| *other != index);
    let affine = others.filter_map(|(_, ((name, _), row))| {
        let row = row.as_ref()?;
        let affine = !row.plain_corners && is_affine(&p.system, row.plain);
        affine.then_some((name, row.plain))
    });
    let (names, affine): (Vec<&str>, Vec<Ex<'g>>) = affine.unzip();
    let bound = bound_that_follows(p, &affine, &[phi])?;
    Some(Nonlinearity::Contrived {
        why: match names.len() {
            1 => format!("it holds wherever `{}` does", names[0]),
            _ => format!("it holds wherever `{}` do", names.join("`, `")),
        },
        branches: Vec::new(),
        settled: true,
        by_numbers: false,
        at_start: false,
        given: true,
        bound,
    })
}

/// Whether rows vanish wherever affine ones do.
pub(super) fn follows<'g>(p: &Prepared<'g>, affine: &[Ex<'g>], rows: &[Ex<'g>]) -> bool {
    bound_that_follows(p, affine, rows).is_some()
}

/// Planes without those that lie on others of them.
pub(super) fn without_parts<'g>(p: &Prepared<'g>, planes: Vec<Vec<Ex<'g>>>) -> Vec<Vec<Ex<'g>>> {
    let is_part = |plane: &Vec<Ex<'g>>| {
        let mut wider = planes.iter().filter(|wide| wide.len() < plane.len());
        wider.any(|wide| follows(p, plane, wide))
    };
    let whole = planes.iter().filter(|plane| !is_part(plane));
    whole.cloned().collect()
}

/// The same, with `log2` of the probability that it is wrong.
fn bound_that_follows(p: &Prepared<'_>, affine: &[Ex<'_>], rows: &[Ex<'_>]) -> Option<f64> {
    if affine.is_empty() {
        return None;
    }
    let locus = states_on(&p.system, &p.constraints, affine, &[]);
    match vanish_on(&locus, rows) {
        Finding::Holds(bound) => Some(bound.exponent),
        _ => None,
    }
}
