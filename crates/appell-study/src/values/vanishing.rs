//! Constants that vanish exactly, and not in rounded numbers.
//!
//! With `a = 0.1`, `b = 0.2`, `c = 0.3` the doubles of `a + b - c` leave 5.6e-17, and with `alpha = pi/2` those of
//! `cos(alpha)` 6.1e-17: a rigidity that is none, a row that is none, a sign that is wrong. So what numbers are asked of is
//! written without them.

use crate::values::exact_values::closed_values;
use crate::values::parameters::enclosed_numbers;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Graph, Id, Matrix, Node, Rational, elementary, vanishes};

/// Sums of constants are looked at that are less than this part of their terms.
const CANCELS: f64 = 1e-4;
/// Longer sums are not looked at.
const MAX_TERMS: usize = 200;
/// Rounded they are as they should be where they are off by less than this part of themselves.
const ROUNDING: f64 = 1e-12;

/// A number, the same summed from the last term on, and the sum of the absolute terms.
#[derive(Clone, Copy)]
struct Rounded {
    value: f64,
    backward: f64,
    size: f64,
}

impl Rounded {
    /// Whether it is rounding for a considerable part.
    fn cancels(self) -> bool {
        self.size > 0.0 && self.value.abs() <= CANCELS * self.size
    }

    /// Whether rounding makes it another number, in one order of the terms or the other.
    fn misses(self, exact: f64) -> bool {
        let is_off = |x: f64| (x - exact).abs() > ROUNDING * exact.abs();
        is_off(self.value) || is_off(self.backward)
    }
}

/// Terms `c_1 x + c_2 x + ..` of a sum with constants `c_i`, or a function of constants, where `x` is 1.
struct Constants<'g> {
    /// The sum.
    whole: Id,
    /// `c_1 + c_2 + ..`, and as it is rounded.
    constant: Ex<'g>,
    rounded: Rounded,
    /// `x`
    factor: Ex<'g>,
    /// The terms.
    terms: Vec<Ex<'g>>,
}

/// The sums and functions in a system and its constraints in which constants cancel at the values of the parameters, and their
/// rounded numbers do not, or by other numbers; beside each the same without these, or with the numbers that they are.
pub(crate) fn vanishing_constants<'g>(p: &Prepared<'g>) -> Vec<(Ex<'g>, Ex<'g>)> {
    let graph = p.system.graph;
    let suspicious = suspicious(p);
    if suspicious.is_empty() {
        return Vec::new();
    }
    let exact = closed_values(p);
    let mut found: Vec<(Ex<'g>, Ex<'g>)> = Vec::new();
    for constants in suspicious {
        let value = constants.constant.substitute(&exact);
        let number = enclosed_numbers(graph, &[value]).map(|all| all[0]);
        let exact = match number {
            Some(x) if !constants.rounded.misses(x) => None,
            Some(0.0) => vanishes(value).then(|| graph.zero()),
            Some(x) => Rational::from_decimal(&format!("{x:e}")).map(|x| graph.number(x)),
            None => None,
        };
        let Some(exact) = exact else { continue };
        let without = |whole: Ex<'g>| {
            let less = constants.terms.iter().fold(whole, |sum, term| sum - *term);
            less + exact * constants.factor
        };
        let whole = graph.ex(constants.whole);
        match found.iter_mut().find(|(known, _)| *known == whole) {
            Some((_, reduced)) => *reduced = without(*reduced),
            None => found.push((whole, without(whole))),
        }
    }
    // What stands within another one comes before it.
    for place in 1..found.len() {
        found[place].1 = found[place].1.substitute(&found[..place]);
    }
    found
}

/// What may cancel.
fn suspicious<'g>(p: &Prepared<'g>) -> Vec<Constants<'g>> {
    let graph = p.system.graph;
    let all = graph.reachable(&expressions(p));
    let symbols = p.model.parameters.iter().zip(&p.parameters);
    let symbols = symbols.filter(|(parameter, _)| !parameter.is_input);
    let last = all.iter().map(|id| id.index()).max().unwrap_or_default();
    let mut known = vec![None; last + 1];
    for (parameter, value) in symbols {
        if let Some(place) = known.get_mut(parameter.symbol.index()) {
            *place = Some(rounded(*value));
        }
    }
    let mut found = Vec::new();
    for id in all {
        if known[id.index()].is_some() {
            continue;
        }
        let node = graph.node(id);
        if let Some(value) = number(&node, &known) {
            if value.cancels() {
                let whole = graph.ex(id);
                found.push(Constants {
                    whole: id,
                    constant: whole,
                    rounded: value,
                    factor: graph.one(),
                    terms: vec![whole],
                });
            }
            known[id.index()] = Some(value);
        } else if let Node::Sum(constant, terms) = &node {
            found.extend(like_terms(graph, id, (constant, terms), &known));
        }
    }
    found
}

/// The terms of a sum that are alike but for constants, where these cancel.
fn like_terms<'g>(
    graph: &'g Graph,
    whole: Id,
    (constant, terms): (&Rational, &[(Id, Rational)]),
    known: &[Option<Rounded>],
) -> Vec<Constants<'g>> {
    if terms.len() > MAX_TERMS {
        return Vec::new();
    }
    let product = |factors: &[Factor]| {
        let powers = factors.iter().map(|(x, e)| graph.ex(*x).pow_rational(e));
        graph.product(&powers.collect::<Vec<_>>())
    };
    let number = (graph.one().id(), constant.clone());
    let number = Some(&number).filter(|_| !constant.is_zero());
    let mut groups: Vec<Group<'_>> = Vec::new();
    for term in number.into_iter().chain(terms) {
        let factors = match graph.node(term.0) {
            Node::Product(factors) => factors.to_vec(),
            Node::Number(_) => Vec::new(),
            _ => vec![(term.0, Rational::one())],
        };
        let (constants, others): (Vec<Factor>, Vec<Factor>) = factors
            .into_iter()
            .partition(|(x, _)| known[x.index()].is_some());
        let value = constants.iter().fold(term.1.to_f64(), |value, (x, e)| {
            value * elementary::power(known[x.index()].map_or(f64::NAN, |x| x.value), e.to_f64())
        });
        let place = groups.iter().position(|group| group.others == others);
        let place = place.unwrap_or_else(|| {
            groups.push(Group {
                others,
                members: Vec::new(),
                values: Vec::new(),
            });
            groups.len() - 1
        });
        groups[place].values.push(value);
        groups[place].members.push((constants, term));
    }
    groups.retain(|group| group.values.len() > 1 && sum(&group.values).cancels());
    let constants = groups.into_iter().map(|group| {
        let constants = group
            .members
            .iter()
            .map(|(constants, (_, c))| product(constants).scale(c));
        let terms = group
            .members
            .iter()
            .map(|(_, (x, c))| graph.ex(*x).scale(c));
        Constants {
            whole,
            constant: graph.sum(&constants.collect::<Vec<_>>()),
            rounded: sum(&group.values),
            factor: product(&group.others),
            terms: terms.collect(),
        }
    });
    constants.collect()
}

/// A base and its exponent.
type Factor = (Id, Rational);

/// Terms of a sum whose factors are the same but for constants.
struct Group<'t> {
    others: Vec<Factor>,
    /// The constant factors of each, beside it.
    members: Vec<(Vec<Factor>, &'t (Id, Rational))>,
    /// The constants as they are rounded.
    values: Vec<f64>,
}

fn expressions(p: &Prepared<'_>) -> Vec<Id> {
    let (system, constraints) = (&p.system, &p.constraints);
    let psi = constraints.parametric.iter();
    let psi = psi.flat_map(|parametrisation| [&parametrisation.psi, &parametrisation.partial]);
    let matrices = p
        .matrices()
        .into_iter()
        .chain([&system.momentum])
        .chain(psi);
    let rows = constraints.rows.iter();
    let rows = rows.flat_map(|row| row.phi.iter().chain(&row.position));
    let all = matrices.flat_map(Matrix::entries).chain(rows);
    let all = all.chain([&system.lagrangian, &system.energy]);
    all.map(|x| x.id()).collect()
}

fn rounded(value: f64) -> Rounded {
    Rounded {
        value,
        backward: value,
        size: value.abs(),
    }
}

/// The number of an expression in constants, as a program would round it.
fn number(node: &Node, known: &[Option<Rounded>]) -> Option<Rounded> {
    let of = |x: &Id| Some(known[x.index()]?.value);
    match node {
        Node::Number(x) => Some(rounded(x.to_f64())),
        Node::Pi => Some(rounded(std::f64::consts::PI)),
        Node::Symbol(_) => None,
        Node::Sum(constant, terms) => {
            let mut values = vec![constant.to_f64()];
            for (x, c) in terms {
                values.push(of(x)? * c.to_f64());
            }
            Some(sum(&values))
        }
        Node::Product(factors) => {
            let mut product = 1.0;
            for (x, e) in factors {
                product *= elementary::power(of(x)?, e.to_f64());
            }
            Some(rounded(product))
        }
        Node::Power(base, exponent) => Some(rounded(elementary::power(of(base)?, of(exponent)?))),
        Node::Call(function, arguments) => {
            let first = of(&arguments[0])?;
            let second = arguments.get(1).map_or(Some(0.0), of)?;
            let value = function.value(first, second);
            let size = if value == 0.0 { 0.0 } else { 1.0 };
            Some(Rounded {
                size,
                ..rounded(value)
            })
        }
    }
}

/// A sum as it is rounded.
fn sum(values: &[f64]) -> Rounded {
    Rounded {
        value: values.iter().sum(),
        backward: values.iter().rev().sum(),
        size: values.iter().map(|x| x.abs()).sum(),
    }
}
