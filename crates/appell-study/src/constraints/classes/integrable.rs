//! Which rows, and which combinations of them, are holonomic.

use super::integrals::{Integral, integrals};
use crate::values::prepared::Prepared;
use crate::values::stationary::needs_time_of;
use appell_expr::{Ex, Finding, Matrix, generic_rank};
use appell_mech::{Growth, growth_of_affine_rows, growth_of_any_rows, is_affine, states_on};

/// What brackets tell of all rows together.
pub(crate) struct Integrability {
    /// The growth vector, or why there is none.
    pub growth: Result<Vec<usize>, String>,
    /// Whether it is that of a distribution on `Q x R`.
    pub with_time: bool,
    /// How many combinations of the velocity rows are holonomic, beyond the holonomic rows.
    pub hidden: Option<usize>,
}

/// Whether rows that are affine in the velocities have a part free of them, or depend on time.
pub(super) fn needs_time(p: &Prepared<'_>, rows: &[Ex<'_>]) -> bool {
    needs_time_of(&p.system, rows)
}

fn growth<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<Growth> {
    let (system, constraints) = (&p.system, &p.constraints);
    p.kept.growth(rows, || match curved(p, rows).is_empty() {
        true => growth_of_affine_rows(system, constraints, rows, needs_time(p, rows)),
        false => growth_of_any_rows(system, constraints, rows),
    })
}

/// How many independent rows there are, how many functions are constant by them, and `log2` of the
/// probability that there are fewer.
fn counts<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<(usize, usize, f64)> {
    let found = growth(p, rows)?;
    let bound = match &found.exact {
        Finding::Holds(bound) => bound.exponent,
        Finding::Fails | Finding::FailsAtSome | Finding::Open(_) => return None,
    };
    let locus = states_on(&p.system, &p.constraints, &curved(p, rows), &[]);
    let slopes = Matrix::jacobian(p.system.graph, rows, &p.system.v);
    let order: Vec<usize> = (0..p.system.n()).collect();
    let rank = generic_rank(&locus, &slopes, &order)?.rank;
    Some((rank, found.missing, bound))
}

fn curved<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    match rows.iter().all(|row| is_affine(&p.system, *row)) {
        true => Vec::new(),
        false => rows.to_vec(),
    }
}

/// Whether rows together can be integrated, and `log2` of the probability that this is wrong; `None` if
/// it is open.
pub(crate) fn is_holonomic<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<(bool, f64)> {
    if rows.is_empty() {
        return None;
    }
    let (rank, missing, bound) = counts(p, rows)?;
    Some((missing >= rank, bound))
}

impl Integrability {
    /// Nothing is known of the brackets.
    pub fn refused(why: &str) -> Self {
        Self {
            growth: Err(why.to_owned()),
            with_time: false,
            hidden: None,
        }
    }
}

/// Looks at all rows together, each with the name of the row that says it.
pub(crate) fn integrability<'g>(p: &Prepared<'g>, rows: &[(&str, Ex<'g>)]) -> Integrability {
    let refuse = Integrability::refused;
    if p.constraints.k() == 0 && p.constraints.parametric.is_some() {
        return refuse("the constraints are given by v = psi(q, z, t) only");
    }
    let all: Vec<Ex<'g>> = rows.iter().map(|(_, row)| *row).collect();
    let Some(found) = growth(p, &all) else {
        return refuse("the rows are too large for iterated brackets");
    };
    let affine = all.iter().all(|row| is_affine(&p.system, *row));
    let ranks = match affine {
        true => Ok(found.ranks.clone()),
        false => Err("rows that are not linear in the velocities have no distribution".to_owned()),
    };
    let exact = matches!(found.exact, Finding::Holds(_));
    let positions = positions(p);
    let known = match positions.is_empty() {
        true => 0,
        false => {
            let locus = states_on(&p.system, &p.constraints, &[], &[]);
            let slopes = Matrix::jacobian(p.system.graph, &positions, &p.system.q);
            let order: Vec<usize> = (0..p.system.n()).collect();
            generic_rank(&locus, &slopes, &order).map_or(0, |found| found.rank)
        }
    };
    let hidden = exact.then_some(found.missing.saturating_sub(known));
    Integrability {
        growth: ranks,
        with_time: needs_time(p, &all),
        hidden,
    }
}

/// The holonomic rows.
fn positions<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let holonomic = p.constraints.holonomic();
    holonomic.filter_map(|row| row.position).collect()
}

/// Integrals of the combinations that are holonomic, as far as they are found.
pub(super) fn integrals_of<'g>(
    p: &Prepared<'g>,
    rows: &[(&str, Ex<'g>)],
    hidden: Option<usize>,
) -> Vec<Integral> {
    match hidden {
        Some(hidden) if hidden > 0 => integrals(p, rows, &positions(p), hidden),
        _ => Vec::new(),
    }
}

/// The holonomic combinations in words, so many with these integrals.
pub(crate) fn combinations(hidden: usize, integrals: &[Integral]) -> Vec<String> {
    let mut words: Vec<String> = integrals.iter().map(Integral::words).collect();
    let left = hidden.saturating_sub(words.len());
    if left > 0 {
        words.push(format!(
            "{left} more, whose {} not found",
            if left == 1 {
                "integral was"
            } else {
                "integrals were"
            }
        ));
    }
    words
}
