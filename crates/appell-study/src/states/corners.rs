//! Corners and jumps of rows: states at which a row has no derivative, as `abs(x') + abs(y') = 1` at `x' = 0`. One-sided
//! derivatives are two, and each gives another motion.

use crate::states::real_rows::Signs;
use crate::values::prepared::Prepared;
use crate::values::several::have_jumps;
use appell_expr::{Ex, Function, Node, Sketch};
use appell_flow::Measured;
use appell_mech::ConstraintRow;

/// Values below this part of their terms are rounding.
const ROUNDING: f64 = 1e-10;

/// The active row that has no derivative at a state, and what changes its sign there.
pub(crate) fn corner_at<'g>(
    p: &Prepared<'g>,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Option<(String, Ex<'g>)> {
    let mut active = p.constraints.active();
    let has_signs = |row: &ConstraintRow<'g>| !signs_in(p, &functions_of(row)).is_empty();
    let turns = p
        .found
        .rows_have_signs
        .get_or_init(|| active.clone().any(has_signs));
    if !turns {
        return None;
    }
    let state = [q, v].concat();
    active.find_map(|row| {
        let functions = functions_of(row);
        let mut signs = signs_in(p, &functions).into_iter();
        let turned = signs.find(|sign| jumps(p, &functions, *sign, t, &state) == Some(true))?;
        Some((row.name.clone(), argument(turned)?))
    })
}

/// What changes its sign at corners and jumps of the active rows.
pub(crate) fn corners_of<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let active = p.constraints.active();
    let known = Signs::new(p);
    let mut found: Vec<Ex<'g>> = Vec::new();
    for sign in active.flat_map(|row| signs_in(p, &functions_of(row))) {
        let corner = argument(sign).filter(|u| !known.of(*u).excludes_zero());
        found.extend(corner.filter(|u| !found.contains(u)));
    }
    found
}

/// A row and its derivatives.
fn functions_of<'g>(row: &ConstraintRow<'g>) -> Vec<Ex<'g>> {
    let given = row.position.into_iter().chain(row.phi);
    given.chain(row.a.iter().copied()).collect()
}

/// The signs of functions of coordinates or velocities in some expressions.
fn signs_in<'g>(p: &Prepared<'g>, xs: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let graph = p.system.graph;
    let roots: Vec<_> = xs.iter().map(|x| x.id()).collect();
    let all = graph.reachable(&roots).into_iter().map(|id| graph.ex(id));
    let moving = [p.system.q.as_slice(), &p.system.v].concat();
    let moves = |x: &Ex<'g>| argument(*x).is_some_and(|u| u.depends_on_any(&moving));
    all.filter(moves).collect()
}

/// `u` of `sign(u)`.
fn argument<'g>(x: Ex<'g>) -> Option<Ex<'g>> {
    match x.node() {
        Node::Call(Function::Sign, u) => Some(x.graph().ex(u[0])),
        _ => None,
    }
}

/// Whether the argument of a sign is 0 at a state and some functions have two values there, by which sign it takes.
fn jumps<'g>(
    p: &Prepared<'g>,
    functions: &[Ex<'g>],
    sign: Ex<'g>,
    t: f64,
    state: &[f64],
) -> Option<bool> {
    let graph = p.system.graph;
    let u = argument(sign)?;
    let on_side = |side: Ex<'g>| graph.substitute(functions, &[(sign, side)]);
    let mut sketch = Sketch::new(graph);
    sketch.output_list("u", &[u]);
    sketch.output_list("above", &on_side(graph.one()));
    sketch.output_list("below", &on_side(-graph.one()));
    let all = p.compile(&sketch, &["u", "above", "below"]);
    let all = all.measured(t, state).ok()?;
    let (above, below) = all[1..].split_at(functions.len());
    let is_nothing = |x: f64, size: f64| x.abs() <= ROUNDING * size;
    let differ = |(x, y): (&Measured, &Measured)| {
        !is_nothing(x.value - y.value, x.size.max(y.size)) && x.value != y.value
    };
    let mut pairs = above.iter().zip(below);
    Some(is_nothing(all[0].value, all[0].size) && pairs.any(differ))
}

/// Whether a row has no derivatives at all, as `sign(x) = 1`.
pub(crate) fn is_constant_between_jumps(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> bool {
    let all = [p.system.q.as_slice(), &p.system.v].concat();
    let given = row.position.or(row.phi);
    given.is_some_and(|x| have_jumps(&[x], &all))
}
