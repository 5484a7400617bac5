//! Constants that vanish exactly, and not in rounded numbers.
//!
//! With `a = 0.1`, `b = 0.2`, `c = 0.3` the doubles of `a + b - c` leave 5.6e-17, and with `alpha = pi/2` those of
//! `cos(alpha)` 6.1e-17: a rigidity that is none, a row that is none, a sign that is wrong. So what numbers are asked of is
//! written without them.

use crate::values::exact_values::closed_values;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Id, Node, Rational, elementary, vanishes};
use appell_mech::{Constraints, System};
use std::collections::HashMap;

/// What is left of terms by rounding is less than this part of them.
const ROUNDING: f64 = 1e-12;

/// A number, and the sum of the absolute terms it was made of.
#[derive(Clone, Copy)]
struct Rounded {
    value: f64,
    size: f64,
}

impl Rounded {
    /// Whether it may be 0 but for rounding, and is not.
    fn may_vanish(self) -> bool {
        self.value != 0.0 && self.value.abs() <= ROUNDING * self.size
    }
}

/// The expressions in a system and its constraints in which constants vanish at the values of the parameters, though their
/// rounded numbers do not, and the same without these.
pub(crate) fn vanishing_constants<'g>(p: &Prepared<'g>) -> Vec<(Ex<'g>, Ex<'g>)> {
    let graph = p.system.graph;
    let suspicious = suspicious(p);
    if suspicious.is_empty() {
        return Vec::new();
    }
    let exact = closed_values(p);
    let vanishing = suspicious.into_iter().filter_map(|(id, constant)| {
        let value = graph.ex(constant).substitute(&exact);
        vanishes(value).then(|| (graph.ex(id), graph.ex(id) - graph.ex(constant)))
    });
    vanishing.collect()
}

/// The expressions with constants in them that may vanish, the constants beside.
fn suspicious(p: &Prepared<'_>) -> Vec<(Id, Id)> {
    let graph = p.system.graph;
    let symbols = p.model.parameters.iter().zip(&p.parameters);
    let symbols = symbols.filter(|(own, _)| !own.is_input);
    let mut known: HashMap<Id, Rounded> = symbols
        .map(|(own, value)| (own.symbol, rounded(*value)))
        .collect();
    let mut found = Vec::new();
    for id in graph.reachable(&expressions(&p.system, &p.constraints)) {
        if known.contains_key(&id) {
            continue;
        }
        let node = graph.node(id);
        if let Some(value) = number(&node, &known) {
            if value.may_vanish() {
                found.push((id, id));
            }
            known.insert(id, value);
        } else if let Node::Sum(constant, terms) = &node {
            let own: Vec<&(Id, Rational)> = terms
                .iter()
                .filter(|(x, _)| known.contains_key(x))
                .collect();
            if sum(constant, own.iter().copied(), &known).is_some_and(Rounded::may_vanish) {
                let terms = own.into_iter().map(|(x, c)| graph.ex(*x).scale(c));
                let all: Vec<Ex<'_>> = terms.chain([graph.number(constant.clone())]).collect();
                found.push((id, graph.sum(&all).id()));
            }
        }
    }
    found
}

fn expressions(system: &System<'_>, constraints: &Constraints<'_>) -> Vec<Id> {
    let matrices = [
        &system.momentum,
        &system.mass,
        &system.right,
        &system.force,
        &constraints.a,
        &constraints.b,
        &constraints.w,
    ];
    let psi = constraints.parametric.iter();
    let psi = psi.flat_map(|own| [&own.psi, &own.partial]);
    let entries = matrices
        .into_iter()
        .chain(psi)
        .flat_map(|own| own.entries());
    let rows = constraints.rows.iter();
    let rows = rows.flat_map(|row| row.phi.iter().chain(&row.position));
    let all = entries
        .chain(rows)
        .chain([&system.lagrangian, &system.energy]);
    all.map(|x| x.id()).collect()
}

fn rounded(value: f64) -> Rounded {
    Rounded {
        value,
        size: value.abs(),
    }
}

/// The number of an expression in constants, as a program would round it.
fn number(node: &Node, known: &HashMap<Id, Rounded>) -> Option<Rounded> {
    match node {
        Node::Number(x) => Some(rounded(x.to_f64())),
        Node::Pi => Some(rounded(std::f64::consts::PI)),
        Node::Symbol(_) => None,
        Node::Sum(constant, terms) => sum(constant, terms.iter(), known)
            .filter(|_| terms.iter().all(|(x, _)| known.contains_key(x))),
        Node::Product(factors) => {
            let mut product = 1.0;
            for (x, e) in factors {
                product *= elementary::power(known.get(x)?.value, e.to_f64());
            }
            Some(rounded(product))
        }
        Node::Power(base, exponent) => {
            let [base, exponent] = [base, exponent].map(|x| known.get(x).map(|own| own.value));
            Some(rounded(elementary::power(base?, exponent?)))
        }
        Node::Call(function, arguments) => {
            let of = |x: &Id| known.get(x).map(|own| own.value);
            let first = of(&arguments[0])?;
            let second = arguments.get(1).map_or(Some(0.0), of)?;
            let value = function.value(first, second);
            Some(Rounded { value, size: 1.0 })
        }
    }
}

fn sum<'t>(
    constant: &Rational,
    terms: impl Iterator<Item = &'t (Id, Rational)>,
    known: &HashMap<Id, Rounded>,
) -> Option<Rounded> {
    let mut found = rounded(constant.to_f64());
    for (x, c) in terms {
        let own = known.get(x)?.value * c.to_f64();
        found.value += own;
        found.size += own.abs();
    }
    Some(found)
}
