//! The parameters as exact numbers.

use crate::values::parameters::enclosed_numbers;
use crate::values::prepared::Prepared;
use appell_expr::{Closed, Ex, Rational, in_order};

/// Symbols and what they stand for.
pub(crate) type Values<'g> = Vec<(Ex<'g>, Ex<'g>)>;

/// Parameters with exact values of their own, and those that the file defines by others, in an order in
/// which they can be computed. Inputs are not among them: what is asked of a model holds for any of them.
pub(crate) fn parameter_values<'g>(p: &Prepared<'g>) -> (Values<'g>, Values<'g>) {
    let graph = p.system.graph;
    let (mut values, mut open) = (Vec::new(), Vec::new());
    let all = p.model.parameters.iter().zip(&p.parameters);
    for (parameter, number) in all.filter(|(parameter, _)| !parameter.is_input) {
        let (symbol, value) = (graph.ex(parameter.symbol), graph.ex(parameter.value));
        // Members of ensembles have numbers of their own.
        let given = p.overridden(&parameter.name);
        match given.filter(|exact| exact.to_f64() == *number) {
            Some(exact) => values.push((symbol, graph.number(exact))),
            None if value.symbols().is_empty() => values.push((symbol, in_force(value, *number))),
            None => open.push((symbol, value)),
        }
    }
    (values, in_order(&open))
}

/// The parameters as whole numbers that look random.
pub(crate) fn random_values<'g>(p: &Prepared<'g>, seed: u64) -> Values<'g> {
    let graph = p.system.graph;
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 16).cast_signed()
    };
    let parameters = p.model.parameters.iter();
    parameters
        .map(|parameter| (graph.ex(parameter.symbol), graph.int(next())))
        .collect()
}

/// The file's value, unless another number is in force.
fn in_force<'g>(value: Ex<'g>, number: f64) -> Ex<'g> {
    let exact = enclosed_numbers(value.graph(), &[value]);
    let same = exact.is_some_and(|x| (x[0] - number).abs() <= 1e-14 * number.abs());
    match Rational::from_decimal(&format!("{number:e}")) {
        Some(given) if !same => value.graph().number(given),
        _ => value,
    }
}

/// Every parameter by numbers alone.
pub(crate) fn closed_values<'g>(p: &Prepared<'g>) -> Values<'g> {
    let (values, definitions) = parameter_values(p);
    closed(&values, &definitions)
}

/// Values, and definitions with everything before them put in.
pub(crate) fn closed<'g>(values: &Values<'g>, definitions: &Values<'g>) -> Values<'g> {
    let all = [values.as_slice(), definitions].concat();
    let closed = Closed::new(&all);
    let definitions = definitions.iter();
    let definitions = definitions.map(|(symbol, value)| (*symbol, closed.written_out(*value)));
    values.iter().copied().chain(definitions).collect()
}
