//! Functions that are felt in a narrow place only: a step of an integrator may pass one over.

use appell_expr::{Ex, Function, Graph, Id, Node, Rational};
use appell_mech::Equations;
use appell_model::Model;

/// More of them are not looked for.
const MOST: usize = 64;

/// A function that is felt where its argument is near a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NarrowFunction<'g> {
    /// At its zero the function is the narrowest: `u` of `tanh(u)`, `atan(u)` and `1/cosh(u)`, `x - b` of
    /// `exp(-((x - b)/w)^2)` and of `1/(1 + ((x - b)/w)^2)`.
    pub zero: Ex<'g>,
    /// By whose change it is felt: `u`; the exponent; the logarithm of what stands in the denominator.
    pub argument: Ex<'g>,
    /// Whether it is the same on both sides: an error estimate sees a step of `tanh(u)`, but not that of its derivative.
    pub is_local: bool,
}

/// The narrow functions in the equations of motion and in the conditions that end it; quotients in the model's own expressions
/// only, for elimination brings many more.
pub(crate) fn narrow_functions<'g>(
    model: &Model,
    equations: &Equations<'g>,
) -> Vec<NarrowFunction<'g>> {
    let graph = equations.sketch.graph();
    let stops = model.simulate.stop.iter().map(|stop| stop.difference);
    let written = equations.sketch.expressions().into_iter();
    let of_equations = graph.reachable(&written.chain(stops.clone()).collect::<Vec<Id>>());
    let forces = model.forces.iter().map(|(_, force)| *force);
    let own: Vec<Id> = [model.lagrangian]
        .into_iter()
        .chain(forces)
        .chain(stops)
        .collect();
    let mut found = functions(graph, &of_equations);
    found.extend(quotients(graph, &graph.reachable(&own)));
    // A form has its own symbols: parameters of the velocities, momenta.
    let known = |x: Ex<'g>| {
        let symbols = x.symbols();
        symbols.iter().all(|own| of_equations.contains(&own.id()))
    };
    found.retain(|own| known(own.zero) && known(own.argument));
    moving(model, found)
}

/// The narrow functions in an expression of the time and the state.
pub(crate) fn narrow_in<'g>(model: &Model, x: Ex<'g>) -> Vec<NarrowFunction<'g>> {
    let graph = x.graph();
    let all = graph.reachable(&[x.id()]);
    let mut found = functions(graph, &all);
    found.extend(quotients(graph, &all));
    moving(model, found)
}

/// Those that are no constants, each once; none where there are too many.
fn moving<'g>(model: &Model, found: Vec<NarrowFunction<'g>>) -> Vec<NarrowFunction<'g>> {
    let constants = model.parameters.iter().filter(|own| !own.is_input);
    let constants: Vec<Id> = constants.map(|own| own.symbol).collect();
    let moves = |x: Ex<'g>| {
        let symbols = x.symbols();
        symbols.iter().any(|own| !constants.contains(&own.id()))
    };
    let mut all: Vec<NarrowFunction<'g>> = Vec::new();
    for own in found {
        let same = |other: &&mut NarrowFunction<'g>| {
            (other.zero, other.argument) == (own.zero, own.argument)
        };
        match all.iter_mut().find(same) {
            Some(other) => other.is_local |= own.is_local,
            None if moves(own.zero) => all.push(own),
            None => {}
        }
        if all.len() > MOST {
            return Vec::new();
        }
    }
    all
}

fn functions<'g>(graph: &'g Graph, all: &[Id]) -> Vec<NarrowFunction<'g>> {
    let is_squared = |function: Id| {
        all.iter().any(|id| match graph.node(*id) {
            Node::Product(factors) => factors
                .iter()
                .any(|own| *own == (function, Rational::from(2))),
            _ => false,
        })
    };
    let mut found = Vec::new();
    for id in all {
        match graph.node(*id) {
            Node::Call(function @ (Function::Tanh | Function::Atan | Function::Cosh), u) => {
                let u = graph.ex(u[0]);
                let is_local =
                    function == Function::Cosh || function == Function::Tanh && is_squared(*id);
                found.push(NarrowFunction {
                    zero: u,
                    argument: u,
                    is_local,
                });
            }
            Node::Call(Function::Exp, w) => {
                let argument = graph.ex(w[0]);
                found.extend(squared(argument).into_iter().map(|zero| NarrowFunction {
                    zero,
                    argument,
                    is_local: true,
                }));
            }
            _ => {}
        }
    }
    found
}

fn quotients<'g>(graph: &'g Graph, all: &[Id]) -> Vec<NarrowFunction<'g>> {
    let mut found = Vec::new();
    for id in all {
        let Node::Product(factors) = graph.node(*id) else {
            continue;
        };
        for (base, _) in factors.iter().filter(|(_, e)| e.is_negative()) {
            let base = graph.ex(*base);
            let Node::Sum(constant, terms) = base.node() else {
                continue;
            };
            // As of `1 + u^2`; of a distance `x^2 + y^2` the step is felt from afar.
            let squares = squared(base);
            let moving: Vec<Ex<'g>> = squares.iter().flat_map(|own| own.symbols()).collect();
            let is_still = |term: Id| !graph.ex(term).depends_on_any(&moving);
            let is_local = !constant.is_zero() || terms.iter().any(|(term, _)| is_still(*term));
            let argument = base.call(Function::Abs).call(Function::Log);
            found.extend(squares.iter().map(|zero| NarrowFunction {
                zero: *zero,
                argument,
                is_local,
            }));
        }
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
