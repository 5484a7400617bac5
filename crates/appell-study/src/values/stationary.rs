//! On what the motion depends: on the time, on pieces of functions.

use crate::values::prepared::Prepared;
use appell_expr::{Ex, Function, Node, is_free_of, vanishes};
use appell_mech::{ConstraintRow, System};

/// Whether nothing depends on the time: neither energies and forces nor rows, in which directions these act, and the velocities
/// that `[motion]` gives.
pub(crate) fn is_stationary(p: &Prepared<'_>) -> bool {
    let still = |x: &Ex<'_>| is_free_of(*x, p.system.t);
    let psi = p.constraints.parametric.iter();
    let mut psi = psi.flat_map(|parametrisation| parametrisation.psi.entries());
    still(&p.system.lagrangian)
        && p.system.force.entries().iter().all(still)
        && p.constraints.w.entries().iter().all(still)
        && psi.all(still)
        && !p.constraints.rows.iter().any(|row| depends_on_time(p, row))
}

/// Whether the row, or for acceleration rows its coefficients, depend on the time by themselves.
pub fn depends_on_time(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> bool {
    let moves = |x: Ex<'_>| !is_free_of(x, p.system.t);
    // The derivative of `x = t` does not depend on the time, the row does.
    match row.position.or(row.phi) {
        Some(row) => moves(row),
        None => moves(row.b) || row.a.iter().any(|a| moves(*a)),
    }
}

pub(crate) fn needs_time_of(system: &System<'_>, rows: &[Ex<'_>]) -> bool {
    let graph = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, graph.zero())).collect();
    let moves = |row: &Ex<'_>| {
        let row = graph.ex(row.id());
        let constant = row.substitute(&at_rest);
        !(vanishes(constant) && is_free_of(row, system.t))
    };
    rows.iter().any(moves)
}

/// What the motion is made of beside the forces: masses, rows and velocities that are given.
pub(crate) fn geometry<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let (system, constraints) = (&p.system, &p.constraints);
    let psi = constraints.parametric.iter();
    let psi = psi.flat_map(|psi| psi.psi.entries().iter().copied());
    let rows = constraints.active();
    let rows = rows.flat_map(|row| row.a.iter().copied().chain([row.b]).chain(row.phi));
    let masses = system.mass.entries().iter().copied();
    let all = masses.chain(psi).chain(rows);
    all.chain(constraints.w.entries().iter().copied()).collect()
}

/// Whether the motion changes with a symbol in pieces: what one piece shows is not said of the next.
pub(crate) fn is_piecewise_in<'g>(p: &Prepared<'g>, symbol: Ex<'g>) -> bool {
    let right = p.system.right.entries().iter().copied();
    let all: Vec<Ex<'g>> = geometry(p).into_iter().chain(right).collect();
    has_pieces(&all, &[symbol])
}

/// Whether functions with corners or jumps of some of these symbols occur.
pub(crate) fn has_pieces<'g>(rows: &[Ex<'g>], of: &[Ex<'g>]) -> bool {
    let Some(graph) = rows.first().map(|x| x.graph()) else {
        return false;
    };
    let roots: Vec<_> = rows.iter().map(|x| x.id()).collect();
    graph.reachable(&roots).into_iter().any(|id| {
        let pieces = graph.look(id, |node| match node {
            Node::Call(f, _) => matches!(
                f,
                Function::Sign | Function::Abs | Function::Min | Function::Max | Function::Atan2
            ),
            _ => false,
        });
        pieces && graph.ex(id).depends_on_any(of)
    })
}
