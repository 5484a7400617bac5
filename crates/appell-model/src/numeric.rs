//! Numbers for expressions in parameters: to see that they are finite and within their limits.

use appell_expr::{Function, Graph, Id, Node, Rational};
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
            Node::Product(parts) => parts.iter().map(|(x, e)| power(at(x), e)).product(),
            Node::Power(base, exponent) => at(&base).powf(at(&exponent)),
            Node::Call(function, arguments) => {
                let arguments: Vec<f64> = arguments.iter().map(at).collect();
                call(function, &arguments)
            }
        };
        values.insert(id, value);
    }
    values.get(&expression).copied().unwrap_or(f64::NAN)
}

fn power(x: f64, exponent: &Rational) -> f64 {
    match exponent.to_i64().and_then(|e| i32::try_from(e).ok()) {
        Some(e) => x.powi(e),
        None if *exponent == Rational::new(1, 2) => x.sqrt(),
        None => x.powf(exponent.to_f64()),
    }
}

fn call(function: Function, arguments: &[f64]) -> f64 {
    let x = arguments.first().copied().unwrap_or(f64::NAN);
    let y = arguments.get(1).copied().unwrap_or(f64::NAN);
    match function {
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Asin => x.asin(),
        Function::Acos => x.acos(),
        Function::Atan => x.atan(),
        Function::Sinh => x.sinh(),
        Function::Cosh => x.cosh(),
        Function::Tanh => x.tanh(),
        Function::Exp => x.exp(),
        Function::Log => x.ln(),
        Function::Abs => x.abs(),
        Function::Sign if x == 0.0 => 0.0,
        Function::Sign => x.signum(),
        Function::Atan2 => x.atan2(y),
        Function::Min => x.min(y),
        Function::Max => x.max(y),
    }
}
