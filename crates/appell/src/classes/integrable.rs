//! Which rows, and which combinations of them, are holonomic.

use super::contrived::{Nature, active_rows};
use super::integrals::{Integral, integrals};
use crate::prepared::Prepared;
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
    /// Those with their integrals, as far as they were found.
    pub integrals: Vec<Integral>,
}

/// The rows in their linear form, where they have one: of several branches the first.
fn linear_rows<'g>(phi: Ex<'g>, nature: &Nature<'g>) -> Option<Vec<Ex<'g>>> {
    match nature {
        Nature::Affine => Some(vec![phi]),
        Nature::Contrived { branches, .. } => branches.first().cloned(),
        Nature::Inherent { .. } | Nature::Open { .. } => None,
    }
}

/// Whether rows that are affine in the velocities have a part free of them, or depend on time.
pub(super) fn needs_time(p: &Prepared<'_>, rows: &[Ex<'_>]) -> bool {
    let graph = p.system.graph;
    let rest: Vec<Ex<'_>> = rows.iter().map(|row| graph.ex(row.id())).collect();
    let at_rest: Vec<_> = p.system.v.iter().map(|v| (*v, graph.zero())).collect();
    let moves = |row: &Ex<'_>| {
        let row = graph.ex(row.id());
        let constant = row.substitute(&at_rest);
        !(appell_expr::vanishes(constant) && appell_expr::vanishes(row.diff(p.system.t)))
    };
    rest.iter().any(moves)
}

fn growth<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<Growth> {
    let (system, constraints) = (&p.system, &p.constraints);
    if rows.iter().all(|row| is_affine(system, *row)) {
        growth_of_affine_rows(system, constraints, rows, needs_time(p, rows))
    } else {
        growth_of_any_rows(system, constraints, rows)
    }
}

/// How many independent rows there are, and how many functions are constant by them; the second
/// is proved to be no smaller than stated where it is not 0.
fn counts<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<(usize, usize)> {
    let found = growth(p, rows)?;
    let certain = found.missing == 0 || matches!(found.exact, Finding::Holds(_));
    let locus = states_on(&p.system, &p.constraints, &curved(p, rows), &[]);
    let slopes = Matrix::jacobian(p.system.graph, rows, &p.system.v);
    let order: Vec<usize> = (0..p.system.n()).collect();
    let rank = generic_rank(&locus, &slopes, &order)?.rank;
    certain.then_some((rank, found.missing))
}

fn curved<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    match rows.iter().all(|row| is_affine(&p.system, *row)) {
        true => Vec::new(),
        false => rows.to_vec(),
    }
}

/// Whether the rows of one entry together can be integrated; `None` if that is open.
pub(crate) fn is_holonomic<'g>(p: &Prepared<'g>, rows: &[(Ex<'g>, &Nature<'g>)]) -> Option<bool> {
    if rows.is_empty() {
        return None;
    }
    if rows
        .iter()
        .any(|(_, nature)| matches!(nature, Nature::Inherent { .. }))
    {
        return Some(false);
    }
    let linear: Option<Vec<Vec<Ex<'g>>>> = rows
        .iter()
        .map(|(phi, nature)| linear_rows(*phi, nature))
        .collect();
    let rows = linear.map_or_else(
        || rows.iter().map(|(phi, _)| *phi).collect(),
        |x| x.concat(),
    );
    let (rank, missing) = counts(p, &rows)?;
    Some(missing >= rank)
}

/// Looks at all rows together.
pub(crate) fn integrability<'g>(p: &Prepared<'g>, natures: &[Nature<'g>]) -> Integrability {
    let named = active_rows(p);
    let refuse = |why: &str| Integrability {
        growth: Err(why.to_owned()),
        with_time: false,
        hidden: None,
        integrals: Vec::new(),
    };
    if p.constraints.k() == 0 && p.constraints.parametric.is_some() {
        return refuse("the constraints are given by v = psi(q, z, t) only");
    }
    if named.iter().any(|(_, phi)| phi.is_none()) {
        return refuse("a row is given on accelerations");
    }
    let mut rows: Vec<(&str, Ex<'g>)> = Vec::new();
    for ((name, phi), nature) in named.iter().zip(natures) {
        let Some(phi) = *phi else { continue };
        let own = linear_rows(phi, nature).unwrap_or_else(|| vec![phi]);
        rows.extend(own.into_iter().map(|row| (*name, row)));
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
    let exact = found.missing == 0 || matches!(found.exact, Finding::Holds(_));
    let positions: Vec<Ex<'g>> = p
        .constraints
        .holonomic()
        .filter_map(|row| row.position)
        .collect();
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
    let integrals = match hidden {
        Some(hidden) if hidden > 0 => integrals(p, &rows, &positions, hidden),
        _ => Vec::new(),
    };
    Integrability {
        growth: ranks,
        with_time: needs_time(p, &all),
        hidden,
        integrals,
    }
}

/// The holonomic combinations in words.
pub(crate) fn combinations(found: &Integrability) -> Option<Vec<String>> {
    let hidden = found.hidden?;
    let mut words: Vec<String> = found.integrals.iter().map(Integral::words).collect();
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
    Some(words)
}
