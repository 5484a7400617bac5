//! Functions that are felt in a narrow place only: a step of an integrator may pass one over.

use appell_expr::{Ex, Function, Id, Node, Rational};
use appell_mech::Equations;
use appell_model::Model;

/// More of them are not looked for.
const MOST: usize = 64;

/// Of functions in the equations of motion the quantity `a` at whose zero each is the narrowest, and the argument `s` by
/// which it is felt: `u` twice of `tanh(u)`, `atan(u)` and `1/cosh(u)`; `x - b` and the exponent of `exp(-((x - b)/w)^2)`; `x - b`
/// and the logarithm of the base of `1/(1 + ((x - b)/w)^2)`.
///
/// Functions are looked for in all expressions of the equations, quotients in the model's own: elimination brings many more.
pub(crate) fn narrow_functions<'g>(model: &Model, equations: &Equations<'g>) -> Vec<[Ex<'g>; 2]> {
    let graph = equations.sketch.graph();
    let mut found: Vec<[Ex<'g>; 2]> = Vec::new();
    let of_equations = graph.reachable(&equations.sketch.expressions());
    for id in &of_equations {
        match graph.node(*id) {
            Node::Call(Function::Tanh | Function::Atan | Function::Cosh, u) => {
                found.push([graph.ex(u[0]); 2]);
            }
            Node::Call(Function::Exp, w) => {
                let w = graph.ex(w[0]);
                found.extend(squared(w).into_iter().map(|a| [a, w]));
            }
            _ => {}
        }
    }
    let forces = model.forces.iter().map(|(_, force)| *force);
    let own: Vec<Id> = [model.lagrangian].into_iter().chain(forces).collect();
    for id in graph.reachable(&own) {
        let Node::Product(factors) = graph.node(id) else {
            continue;
        };
        let below = factors.iter().filter(|(_, e)| e.is_negative());
        let sums = below.map(|(base, _)| graph.ex(*base));
        for base in sums.filter(|base| matches!(base.node(), Node::Sum(..))) {
            let s = base.call(Function::Abs).call(Function::Log);
            found.extend(squared(base).into_iter().map(|a| [a, s]));
        }
    }
    let parameters: Vec<Id> = model.parameters.iter().map(|own| own.symbol).collect();
    let moves = |x: Ex<'g>| {
        x.symbols()
            .iter()
            .any(|own| !parameters.contains(&own.id()))
    };
    // A form has its own symbols: parameters of the velocities, momenta.
    let known = |x: &Ex<'g>| {
        x.symbols()
            .iter()
            .all(|own| of_equations.contains(&own.id()))
    };
    found.retain(|[a, s]| moves(*a) && known(a) && known(s));
    found.sort_by_key(|own| own.map(|x| x.id()));
    found.dedup();
    if found.len() > MOST {
        found.clear();
    }
    found
}

/// What stands squared, or in an absolute value, somewhere in an expression.
fn squared(x: Ex<'_>) -> Vec<Ex<'_>> {
    let graph = x.graph();
    let is_even = |e: &Rational| e.to_i64().is_some_and(|e| e > 0 && e % 2 == 0);
    let mut found = Vec::new();
    for id in graph.reachable(&[x.id()]) {
        match graph.node(id) {
            Node::Product(factors) => {
                let squares = factors.iter().filter(|(_, e)| is_even(e));
                found.extend(squares.map(|(base, _)| graph.ex(*base)));
            }
            Node::Call(Function::Abs, u) => found.push(graph.ex(u[0])),
            _ => {}
        }
    }
    found
}
