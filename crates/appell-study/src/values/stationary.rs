//! Whether anything depends on the time.

use crate::values::prepared::Prepared;
use appell_expr::{Ex, vanishes};
use appell_mech::{ConstraintRow, System};

/// Whether nothing depends on the time.
pub(crate) fn is_stationary(p: &Prepared<'_>) -> bool {
    let still = |x: Ex<'_>| vanishes(x.diff(p.system.t));
    let force = p.system.force.entries();
    still(p.system.lagrangian)
        && force.iter().all(|f| still(*f))
        && !p.constraints.rows.iter().any(|row| depends_on_time(p, row))
}

/// Whether the row, or for acceleration rows its coefficients, depend on the time by themselves.
pub fn depends_on_time(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> bool {
    let moves = |x: Ex<'_>| !vanishes(x.diff(p.system.t));
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
        !(vanishes(constant) && vanishes(row.diff(system.t)))
    };
    rows.iter().any(moves)
}
