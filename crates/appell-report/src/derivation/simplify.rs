//! The shortest of a few equal forms of an expression, for the eye only.
//!
//! Products of sums are multiplied out where that makes the whole shorter, mostly because terms
//! cancel. All rewrites are those of the algebra, so no domain changes but by cancellation.

use appell_expr::{Ex, Graph, Id, Node, Printer, Rational, Style};
use std::collections::HashMap;

/// A product is not multiplied out into more terms than this.
const MAX_TERMS: usize = 48;
/// Powers of sums beyond this are not multiplied out.
const MAX_EXPONENT: i64 = 4;

/// Finds short forms; remembers them.
pub(super) struct Simplifier<'g> {
    graph: &'g Graph,
    measure: Printer<'g>,
    shortest: HashMap<Id, Ex<'g>>,
    expanded: HashMap<Id, Ex<'g>>,
}

impl<'g> Simplifier<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        let measure = Printer::new(graph, Style::Text);
        Self { graph, measure, shortest: HashMap::new(), expanded: HashMap::new() }
    }

    /// Lets a symbol stand for an expression wherever it occurs from now on.
    pub(super) fn replace(&mut self, x: Ex<'g>, symbol: Ex<'g>) {
        self.shortest.insert(x.id(), symbol);
        self.expanded.insert(x.id(), symbol);
    }

    /// The length of the text of an expression.
    pub(super) fn length(&mut self, x: Ex<'g>) -> usize {
        self.measure.length(x)
    }

    /// A short form of an expression.
    pub(super) fn short(&mut self, x: Ex<'g>) -> Ex<'g> {
        for id in self.graph.reachable(&[x.id()]) {
            if !self.shortest.contains_key(&id) {
                let (rebuilt, expanded) = (self.rebuilt(id), self.multiplied_out(id));
                let shorter = self.length(expanded) < self.length(rebuilt);
                self.shortest.insert(id, if shorter { expanded } else { rebuilt });
                self.expanded.insert(id, expanded);
            }
        }
        self.shortest[&x.id()]
    }

    /// The node, its children in their shortest forms.
    fn rebuilt(&self, id: Id) -> Ex<'g> {
        let graph = self.graph;
        match graph.node(id) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => graph.ex(id),
            Node::Sum(constant, terms) => {
                let terms = terms.iter().map(|(x, c)| self.shortest[x].scale(c));
                graph.sum(&terms.chain([graph.number(constant)]).collect::<Vec<_>>())
            }
            Node::Product(factors) => {
                let powers = factors.iter().map(|(x, e)| self.shortest[x].pow_rational(e));
                graph.product(&powers.collect::<Vec<_>>())
            }
            Node::Power(base, exponent) => self.shortest[&base].power(self.shortest[&exponent]),
            Node::Call(function, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|x| self.shortest[x]).collect();
                graph.call(function, &arguments)
            }
        }
    }

    /// The node as a sum of products, what is no polynomial in its shortest form.
    fn multiplied_out(&self, id: Id) -> Ex<'g> {
        let graph = self.graph;
        match graph.node(id) {
            Node::Sum(constant, terms) => {
                let terms = terms.iter().map(|(x, c)| self.expanded[x].scale(c));
                graph.sum(&terms.chain([graph.number(constant)]).collect::<Vec<_>>())
            }
            Node::Product(factors) => {
                let mut product = vec![graph.one()];
                for (x, e) in &factors {
                    let times = e.to_i64().filter(|e| (1..=MAX_EXPONENT).contains(e));
                    let factor = match times {
                        Some(_) => self.expanded[x],
                        None => self.shortest[x].pow_rational(e),
                    };
                    for _ in 0..times.unwrap_or(1) {
                        let terms = terms(factor);
                        if product.len() * terms.len() > MAX_TERMS {
                            return self.rebuilt(id);
                        }
                        let pairs = product.iter().flat_map(|x| terms.iter().map(|y| *x * *y));
                        product = pairs.collect();
                    }
                }
                graph.sum(&product)
            }
            _ => self.rebuilt(id),
        }
    }
}

/// The terms of a sum, or the expression alone.
fn terms(x: Ex<'_>) -> Vec<Ex<'_>> {
    let graph = x.graph();
    match x.node() {
        Node::Sum(constant, parts) => {
            let parts = parts.iter().map(|(x, c)| graph.ex(*x).scale(c));
            let constant = (!constant.is_zero()).then(|| graph.number(constant));
            parts.chain(constant).collect()
        }
        _ => vec![x],
    }
}

/// `x/d` where `d` is known not to vanish: common factors cancel.
pub(super) fn quotient<'g>(x: Ex<'g>, d: Ex<'g>) -> Ex<'g> {
    let divided: Option<Vec<Ex<'g>>> = terms(x).into_iter().map(|x| reduced(x, d)).collect();
    match divided {
        Some(parts) => x.graph().sum(&parts),
        None => x / d,
    }
}

/// `x/d` if every factor of `d` is one of `x`.
fn reduced<'g>(x: Ex<'g>, d: Ex<'g>) -> Option<Ex<'g>> {
    let graph = x.graph();
    let ((c, mut factors), (divisor, below)) = (monomial(x), monomial(d));
    for (base, e) in below {
        match factors.iter_mut().find(|(x, power)| *x == base && power.is_negative() == e.is_negative()) {
            Some((_, power)) => *power = &*power - &e,
            None if e.is_negative() => factors.push((base, -&e)),
            None => return None,
        }
    }
    let powers: Vec<Ex<'g>> = factors.iter().map(|(x, e)| graph.ex(*x).pow_rational(e)).collect();
    Some(graph.product(&powers).scale(&(&c / &divisor)?))
}

/// Whether it is a number other than 0 or has factors in the denominator only.
pub(super) fn never_zero(x: Ex<'_>) -> bool {
    let (c, factors) = monomial(x);
    !c.is_zero() && factors.iter().all(|(_, e)| e.is_negative())
}

/// `c` and the factors of `c Prod x_i ^ e_i`.
fn monomial(x: Ex<'_>) -> (Rational, Vec<(Id, Rational)>) {
    match x.node() {
        Node::Number(c) => (c, Vec::new()),
        Node::Product(factors) => (Rational::one(), factors.into_vec()),
        Node::Sum(constant, parts) if constant.is_zero() && parts.len() == 1 => {
            let (c, x) = (parts[0].1.clone(), x.graph().ex(parts[0].0));
            (c, monomial(x).1)
        }
        _ => (Rational::one(), vec![(x.id(), Rational::one())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_is_multiplied_out() {
        let g = Graph::new();
        let [m, x, y, a] = ["m", "x", "y", "a"].map(|name| g.symbol(name));
        let mut simplifier = Simplifier::new(&g);
        let difference = m * (x + y).pow(2) - m * x.pow(2) - 2 * (m * x * y);
        assert_eq!(simplifier.short(difference), m * y.pow(2));
        assert_eq!(simplifier.short(m * (x + y) - m * x - m * y), g.zero());
        assert_eq!(simplifier.short((x * (y + a) - x * y).sin()), (x * a).sin());
    }

    #[test]
    fn what_is_short_stays() {
        let g = Graph::new();
        let [m, x, y] = ["m", "x", "y"].map(|name| g.symbol(name));
        let mut simplifier = Simplifier::new(&g);
        for kept in [m * (x.pow(2) + y.pow(2)) / 2, (x + y).pow(3), x / x, (x + y) / (x * m)] {
            assert_eq!(simplifier.short(kept), kept);
        }
    }

    #[test]
    fn a_replacement_is_not_looked_into() {
        let g = Graph::new();
        let [x, y, s] = ["x", "y", "s"].map(|name| g.symbol(name));
        let mut simplifier = Simplifier::new(&g);
        simplifier.replace(x + y, s);
        assert_eq!(simplifier.short((x + y) * y), s * y);
    }

    #[test]
    fn quotients_lose_common_factors() {
        let g = Graph::new();
        let [m, x, y] = ["m", "x", "y"].map(|name| g.symbol(name));
        assert_eq!(quotient(2 * (m * x) - 3 * (m * y), m), 2 * x - 3 * y);
        assert_eq!(quotient(x, 2 * (m + y)), x / (2 * (m + y)));
        assert_eq!(quotient(m * x + y, m), (m * x + y) / m);
        assert_eq!(quotient(g.zero(), m), g.zero());
        assert_eq!(quotient(m.pow(2) * x, m), m * x);
        assert_eq!(quotient(x / m, (x * m).recip()), x.pow(2));
        assert_eq!(quotient(x + y, m.recip()), m * x + m * y);
    }
}
