//! Equations with signs where these are 0: random points never lie there.

use super::constraint_set::ConstraintSet;
use crate::values::outputs::switch;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Function, Matrix, Node, Range, range, vanish_on};

/// Where an equation fails that holds wherever no sign in it or in the rows is 0, in words.
pub(super) fn exception<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    zeros: &Matrix<'g>,
) -> Option<String> {
    let of_state = |x: &Ex<'g>| x.symbols().iter().all(|s| set.symbols.contains(s));
    if set.is_parametrised() || !zeros.entries().iter().all(of_state) {
        return None;
    }
    let rows = [&set.position_rows, &set.velocity_rows];
    let all: Vec<Ex<'g>> = rows
        .into_iter()
        .flatten()
        .chain(zeros.entries())
        .copied()
        .collect();
    arguments_of_signs(p, &all).into_iter().find_map(|u| {
        let zero = p.system.graph.zero();
        let by = [
            (u.call(Function::Sign), zero),
            (u.call(Function::Abs), zero),
        ];
        let locus = set.locus_where(u, &by);
        let values: Vec<Ex<'g>> = zeros.entries().iter().map(|x| x.substitute(&by)).collect();
        let fails = vanish_on(&locus, &values).fails();
        fails.then(|| {
            format!("it holds where {u} is not 0; where {u} = 0 that sign is 0, and it fails")
        })
    })
}

/// Both sides of each place where expressions change from one formula to another: `abs(u)` at `u = 0`, `max(a, b)` at
/// `a = b`.
pub(super) fn both_sides<'g>(p: &Prepared<'g>, zeros: &Matrix<'g>) -> Vec<Vec<Ex<'g>>> {
    let graph = p.system.graph;
    let roots: Vec<_> = zeros.entries().iter().map(|x| x.id()).collect();
    let inside = graph.reachable(&roots).into_iter();
    let switches = inside.filter_map(|id| switch(graph, id));
    switches.flat_map(|u| [vec![u], vec![-u]]).collect()
}

/// `u` of each `sign(u)` that may be 0.
fn arguments_of_signs<'g>(p: &Prepared<'g>, xs: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let graph = p.system.graph;
    let roots: Vec<_> = xs.iter().map(|x| x.id()).collect();
    let inside = graph.reachable(&roots).into_iter();
    let arguments = inside.filter_map(|id| match graph.node(id) {
        Node::Call(Function::Sign, x) => Some(graph.ex(x[0])),
        _ => None,
    });
    arguments
        .filter(|u| !range(*u, &|_| Range::all()).excludes_zero())
        .filter(|u| {
            [&p.system.q, &p.system.v]
                .into_iter()
                .flatten()
                .any(|s| u.depends_on(*s))
        })
        .collect()
}
