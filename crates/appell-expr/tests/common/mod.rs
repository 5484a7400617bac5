//! Formulas as text for the tests: read into a graph, and worked out in double precision twice,
//! once as written and once from the graph, by code that shares nothing with the crate.

#![allow(dead_code, reason = "each test file uses its part")]

use appell_expr::{AstKind, Ex, Function, Graph, Id, Node, Operator, parse};
use std::collections::HashMap;

/// The expression that a text means: every name is a symbol, primes belong to the name.
pub fn read<'g>(graph: &'g Graph, text: &str) -> Ex<'g> {
    let sentence = parse(text).unwrap_or_else(|error| panic!("{text}: {:?}", error.kind));
    let mut done: Vec<Ex<'g>> = Vec::new();
    for node in &sentence.ast.nodes {
        done.push(match &node.kind {
            AstKind::Number(x) => graph.number(x.clone()),
            AstKind::Name(name) if name == "pi" => graph.pi(),
            AstKind::Name(name) => graph.symbol(name),
            AstKind::Neg(a) => -done[a.index()],
            AstKind::Binary(operator, a, b) => {
                let (a, b) = (done[a.index()], done[b.index()]);
                match operator {
                    Operator::Add => a + b,
                    Operator::Sub => a - b,
                    Operator::Mul => a * b,
                    Operator::Div => a / b,
                    Operator::Pow => a.power(b),
                }
            }
            AstKind::Prime(a, count) => {
                let name = done[a.index()]
                    .symbol_name()
                    .expect("primes stand on names here");
                graph.symbol(&format!("{name}{}", "'".repeat(*count as usize)))
            }
            AstKind::Call { name, args, .. } if name == "sqrt" => done[args[0].index()].sqrt(),
            AstKind::Call { name, args, .. } => {
                let arguments: Vec<Ex<'g>> = args.iter().map(|a| done[a.index()]).collect();
                graph.call(
                    Function::from_name(name).expect("a known function"),
                    &arguments,
                )
            }
            AstKind::Vector(_) | AstKind::Axis { .. } => panic!("{text}: scalars only"),
        });
    }
    done[sentence.lhs.index()]
}

/// The value of a text as written, straight from its syntax; not a number if any part of it is
/// infinite or undefined.
pub fn value_as_written(text: &str, at: &HashMap<String, f64>) -> f64 {
    let sentence = parse(text).expect("a formula");
    let mut done: Vec<f64> = Vec::new();
    for node in &sentence.ast.nodes {
        done.push(match &node.kind {
            AstKind::Number(x) => x.to_f64(),
            AstKind::Name(name) if name == "pi" => std::f64::consts::PI,
            AstKind::Name(name) => at[name],
            AstKind::Neg(a) => -done[a.index()],
            AstKind::Binary(operator, a, b) => {
                let (a, b) = (done[a.index()], done[b.index()]);
                match operator {
                    Operator::Add => a + b,
                    Operator::Sub => a - b,
                    Operator::Mul => a * b,
                    Operator::Div => a / b,
                    Operator::Pow => a.powf(b),
                }
            }
            AstKind::Call { name, args, .. } => {
                let arguments: Vec<f64> = args.iter().map(|a| done[a.index()]).collect();
                function_value(name, &arguments)
            }
            other => panic!("{text}: {other:?} has no value here"),
        });
    }
    if done.iter().all(|x| x.is_finite()) {
        done[sentence.lhs.index()]
    } else {
        f64::NAN
    }
}

/// The value of an expression of a graph.
pub fn value(x: Ex<'_>, at: &HashMap<String, f64>) -> f64 {
    let graph = x.graph();
    let mut done: HashMap<Id, f64> = HashMap::new();
    for id in graph.reachable(&[x.id()]) {
        let value = match graph.node(id) {
            Node::Number(x) => x.to_f64(),
            Node::Pi => std::f64::consts::PI,
            Node::Symbol(index) => at[&graph.symbol_name(index)],
            Node::Sum(constant, terms) => {
                constant.to_f64() + terms.iter().map(|(x, c)| c.to_f64() * done[x]).sum::<f64>()
            }
            Node::Product(factors) => factors
                .iter()
                .map(|(x, e)| done[x].powf(e.to_f64()))
                .product(),
            Node::Power(base, exponent) => done[&base].powf(done[&exponent]),
            Node::Call(f, arguments) => {
                let arguments: Vec<f64> = arguments.iter().map(|x| done[x]).collect();
                function_value(f.name(), &arguments)
            }
        };
        done.insert(id, value);
    }
    done[&x.id()]
}

fn function_value(name: &str, x: &[f64]) -> f64 {
    match name {
        "sqrt" => x[0].sqrt(),
        "sin" => x[0].sin(),
        "cos" => x[0].cos(),
        "tan" => x[0].tan(),
        "asin" => x[0].asin(),
        "acos" => x[0].acos(),
        "atan" => x[0].atan(),
        "sinh" => x[0].sinh(),
        "cosh" => x[0].cosh(),
        "tanh" => x[0].tanh(),
        "exp" => x[0].exp(),
        "log" => x[0].ln(),
        "abs" => x[0].abs(),
        "sign" if x[0] == 0.0 => 0.0,
        "sign" => x[0].signum(),
        "atan2" => x[0].atan2(x[1]),
        "min" => x[0].min(x[1]),
        "max" => x[0].max(x[1]),
        other => panic!("{other} is no function"),
    }
}

/// Values by name.
pub fn point(values: &[(&str, f64)]) -> HashMap<String, f64> {
    values
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect()
}

/// Reproducible points: a linear congruence, its upper bits.
pub struct Points(pub u64);

impl Points {
    /// A number between `lo` and `hi`.
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        lo + (hi - lo) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}

/// Runs `work` on a thread with a stack of 512 KiB.
pub fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(work);
    thread.expect("a thread").join().expect("enough stack");
}
