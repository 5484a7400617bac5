//! Numbers for expressions in parameters: to see that they are finite and within their limits.

use appell_expr::{Graph, Id, Node};
use std::collections::HashMap;

/// The value of an expression in double precision, where symbols have the given values; not a
/// number where one has none. Bottom up over what the expression consists of, no recursion.
pub(crate) fn evaluate(graph: &Graph, expression: Id, symbols: &HashMap<Id, f64>) -> f64 {
    let mut values: HashMap<Id, f64> = HashMap::new();
    for id in graph.reachable(&[expression]) {
        let at = |child: &Id| values.get(child).copied().unwrap_or(f64::NAN);
        let value = match graph.node(id) {
            Node::Number(n) => n.to_f64(),
            Node::Pi => std::f64::consts::PI,
            Node::Symbol(_) => symbols.get(&id).copied().unwrap_or(f64::NAN),
            Node::Sum(constant, parts) => parts
                .iter()
                .fold(constant.to_f64(), |sum, (x, c)| sum + c.to_f64() * at(x)),
            Node::Product(parts) => parts.iter().map(|(x, e)| e.power_of(at(x))).product(),
            Node::Power(base, exponent) => at(&base).powf(at(&exponent)),
            Node::Call(function, arguments) => {
                function.value(at(&arguments[0]), arguments.get(1).map_or(0.0, at))
            }
        };
        values.insert(id, value);
    }
    values.get(&expression).copied().unwrap_or(f64::NAN)
}
