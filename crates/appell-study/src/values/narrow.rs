//! Functions that are felt in a narrow place only: a step of an integrator may pass one over.

use appell_expr::{Ex, Function, Graph, Id, Node, Rational};
use appell_mech::Equations;
use appell_model::{ClaimKind, Model};

/// More of them are not looked for.
const MAX_FUNCTIONS: usize = 64;
/// From here on a power is felt near its largest values only.
const LARGE_POWER: f64 = 10.0;

/// A function that is felt where its argument is near a value.
#[derive(Debug, Clone, Copy)]
pub struct NarrowFunction<'g> {
    /// At whose zero that is: `u` of `tanh(u)`, `atan(u)` and `1/cosh(u)`; none where it is the largest argument along the motion.
    pub zero: Option<Ex<'g>>,
    /// By whose change it is felt: `u`; the exponent of `exp`; `e log|x|` of a power `x^e`.
    pub argument: Ex<'g>,
    /// Whether it is the same on both sides: an error estimate sees a step of `tanh(u)`, but not that of its derivative.
    pub is_local: bool,
}

/// The quantities that a motion needs of narrow functions, see [`narrow`](appell_flow::Motion::narrow) and
/// [`peaks`](appell_flow::Motion::peaks).
pub fn quantities<'g>(functions: &[NarrowFunction<'g>]) -> [Vec<Ex<'g>>; 2] {
    let pairs = functions
        .iter()
        .filter_map(|function| Some([function.zero?, function.argument]));
    let peaks = functions.iter().filter(|function| function.zero.is_none());
    [
        pairs.flatten().collect(),
        peaks.map(|function| function.argument).collect(),
    ]
}

/// The narrow functions in the equations of motion and in the conditions that end it; quotients in the model's own expressions
/// only, for elimination brings many more.
pub fn narrow_functions<'g>(model: &Model, equations: &Equations<'g>) -> Vec<NarrowFunction<'g>> {
    let graph = equations.sketch.graph();
    let of_equations = graph.reachable(&equations.sketch.expressions());
    let conditions = conditions(model);
    let forces = model.forces.iter().map(|(_, force)| *force);
    let mechanics: Vec<Id> = [model.lagrangian]
        .into_iter()
        .chain(forces)
        .chain(conditions.iter().copied())
        .collect();
    let constants = constants(model);
    let mut found = functions(graph, &constants, &of_equations);
    found.extend(functions(graph, &constants, &graph.reachable(&conditions)));
    found.extend(quotients(graph, &constants, &graph.reachable(&mechanics)));
    // A form has its own symbols: parameters of the velocities, momenta.
    let of_state = model
        .coordinates
        .iter()
        .flat_map(|coordinate| [coordinate.q, coordinate.v]);
    let of_state: Vec<Id> = of_state.chain([model.time]).collect();
    let known = |x: Ex<'g>| {
        let symbols = x.symbols();
        let is_known = |symbol: &Ex<'g>| {
            of_equations.contains(&symbol.id()) || of_state.contains(&symbol.id())
        };
        symbols.iter().all(is_known)
    };
    found.retain(|function| function.zero.is_none_or(known) && known(function.argument));
    moving(&constants, found)
}

/// The narrow functions in an expression of the time and the state.
pub(crate) fn narrow_in<'g>(model: &Model, x: Ex<'g>) -> Vec<NarrowFunction<'g>> {
    let graph = x.graph();
    let all = graph.reachable(&[x.id()]);
    let constants = constants(model);
    let mut found = functions(graph, &constants, &all);
    found.extend(quotients(graph, &constants, &all));
    moving(&constants, found)
}

/// The conditions that are followed along a motion: of stops, and of claims that hold always.
pub(crate) fn conditions(model: &Model) -> Vec<Id> {
    let stops = model.simulate.stop.iter().map(|stop| stop.difference);
    let claims = model.claims.iter().filter_map(|claim| match &claim.kind {
        ClaimKind::Always(condition) => Some(condition.difference),
        _ => None,
    });
    stops.chain(claims).collect()
}

/// The parameters that are no inputs.
pub(crate) fn constants(model: &Model) -> Vec<Id> {
    let constants = model
        .parameters
        .iter()
        .filter(|parameter| !parameter.is_input);
    constants.map(|parameter| parameter.symbol).collect()
}

pub(crate) fn moves(constants: &[Id], x: Ex<'_>) -> bool {
    x.symbols()
        .iter()
        .any(|symbol| !constants.contains(&symbol.id()))
}

/// Those that are no constants, each once; none where there are too many.
fn moving<'g>(constants: &[Id], found: Vec<NarrowFunction<'g>>) -> Vec<NarrowFunction<'g>> {
    let mut all: Vec<NarrowFunction<'g>> = Vec::new();
    for function in found {
        let same = |other: &&mut NarrowFunction<'g>| {
            (other.zero, other.argument) == (function.zero, function.argument)
        };
        match all.iter_mut().find(same) {
            Some(other) => other.is_local |= function.is_local,
            None if moves(constants, function.argument) => all.push(function),
            None => {}
        }
        if all.len() > MAX_FUNCTIONS {
            return Vec::new();
        }
    }
    all
}

fn functions<'g>(graph: &'g Graph, constants: &[Id], all: &[Id]) -> Vec<NarrowFunction<'g>> {
    let has_top = |x: Ex<'g>| has_top(constants, x);
    let is_squared = |function: Id| {
        all.iter().any(|id| match graph.node(*id) {
            Node::Product(factors) => factors
                .iter()
                .any(|factor| *factor == (function, Rational::from(2))),
            _ => false,
        })
    };
    let mut found = Vec::new();
    for id in all {
        match graph.node(*id) {
            Node::Call(function, u) => {
                use Function::{Atan, Cosh, Exp, Sinh, Tanh};
                let u = graph.ex(u[0]);
                let zero = match function {
                    Tanh | Atan | Cosh | Sinh => Some(u),
                    Exp => None,
                    _ => continue,
                };
                let is_local = match function {
                    Tanh => is_squared(*id),
                    Exp => has_top(u),
                    _ => function != Atan,
                };
                found.push(NarrowFunction {
                    zero,
                    argument: u,
                    is_local,
                });
            }
            Node::Power(base, exponent) => {
                let (base, exponent) = (graph.ex(base), graph.ex(exponent));
                found.push(of_power(base, exponent, has_top(base) || has_top(exponent)));
            }
            Node::Product(factors) => {
                let large = factors.iter().filter(|(_, e)| is_large(e));
                found.extend(
                    large.map(|(base, e)| of_power(graph.ex(*base), graph.number(e.clone()), true)),
                );
            }
            _ => {}
        }
    }
    found
}

/// Whether a power with this exponent is felt near its largest values only, as `cos(x)^60`.
pub(crate) fn is_large(exponent: &Rational) -> bool {
    exponent.to_f64() >= LARGE_POWER
}

fn of_power<'g>(base: Ex<'g>, exponent: Ex<'g>, is_local: bool) -> NarrowFunction<'g> {
    NarrowFunction {
        zero: None,
        argument: exponent * base.call(Function::Abs).call(Function::Log),
        is_local,
    }
}

/// `1/(1 + u^2)`, `1/(exp(u) + exp(-u))`, `sqrt(1 + u^2)`
fn quotients<'g>(graph: &'g Graph, constants: &[Id], all: &[Id]) -> Vec<NarrowFunction<'g>> {
    let mut found = Vec::new();
    for id in all {
        let Node::Product(factors) = graph.node(*id) else {
            continue;
        };
        let narrow = |e: &Rational| e.is_negative() || !e.is_integer();
        for (base, exponent) in factors.iter().filter(|(_, e)| narrow(e)) {
            let base = graph.ex(*base);
            let Node::Sum(constant, terms) = base.node() else {
                continue;
            };
            if !has_top(constants, base) {
                continue;
            }
            // As of `1 + u^2`; of a distance `x^2 + y^2` the step is felt from afar.
            let squares = squared(base)
                .into_iter()
                .filter(|square| moves(constants, *square));
            let moving: Vec<Ex<'g>> = squares.flat_map(|square| square.symbols()).collect();
            let is_still = |term: Id| !graph.ex(term).depends_on_any(&moving);
            let is_local = !constant.is_zero() || terms.iter().any(|(term, _)| is_still(*term));
            // Where exponential functions overflow, their sum has no logarithm: it turns where one is about 1.
            found.extend(graph.reachable(&[base.id()]).into_iter().filter_map(|id| {
                let Node::Call(Function::Exp, w) = graph.node(id) else {
                    return None;
                };
                let w = graph.ex(w[0]);
                Some(NarrowFunction {
                    zero: Some(w),
                    argument: w,
                    is_local,
                })
            }));
            // A root bends where its base is the smallest, `sqrt(1 + u^2)`.
            let down = match exponent.is_negative() {
                true => exponent.clone(),
                false => exponent * &Rational::from(-1),
            };
            found.push(of_power(
                base,
                graph.number(down),
                is_local && exponent.is_negative(),
            ));
        }
    }
    found
}

/// Whether an expression may be the largest, or the smallest, in the middle of a straight way: there is a square in it, an
/// absolute value, or a function that turns.
fn has_top(constants: &[Id], x: Ex<'_>) -> bool {
    use Function::{Abs, Cos, Cosh, Exp, Sin};
    let graph = x.graph();
    let moves = |id: Id| moves(constants, graph.ex(id));
    let turns = |id: Id| match graph.node(id) {
        Node::Product(factors) => {
            let moving = || factors.iter().filter(|(base, _)| moves(*base));
            moving().count() > 1 || moving().any(|(_, e)| is_even(e))
        }
        Node::Call(function, u) => [Abs, Cos, Cosh, Exp, Sin].contains(&function) && moves(u[0]),
        _ => false,
    };
    graph.reachable(&[x.id()]).into_iter().any(turns)
}

fn is_even(e: &Rational) -> bool {
    e.to_i64().is_some_and(|e| e > 0 && e % 2 == 0)
}

/// What stands squared, or in an absolute value, somewhere in an expression.
fn squared(x: Ex<'_>) -> Vec<Ex<'_>> {
    let graph = x.graph();
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
