//! The shortest of a few equal forms of an expression, for the eye only.
//!
//! Products of sums are multiplied out where that makes the whole shorter, mostly because terms
//! cancel. Parameters cancel in quotients, as if they did not vanish; all other rewrites are
//! those of the algebra.

use super::unit_rows::{Relation, united};
use appell_expr::{Ex, Graph, Id, Node, Printer, Rational, Style};
use rustc_hash::FxHashMap;

/// A product is not multiplied out into more terms than this.
const MAX_TERMS: usize = 48;
/// What has more parts than this, written out as a tree, is not multiplied out.
const MAX_PARTS: usize = 300;
/// Powers of sums beyond this are not multiplied out.
const MAX_EXPONENT: i64 = 4;

/// The size of an expression as a tree.
#[derive(Clone, Copy)]
struct Size {
    /// Its nodes.
    parts: usize,
    /// Its text is at least so long.
    letters: usize,
}

impl Size {
    fn with(self, child: Self) -> Self {
        Self {
            parts: self.parts.saturating_add(child.parts),
            letters: self.letters.saturating_add(child.letters),
        }
    }
}

/// The letters that a node has at least besides those of its children: ` + ` between terms, one between factors.
/// 0 for a symbol, whose name is a text of its own.
fn own_letters(node: &Node) -> usize {
    match node {
        Node::Symbol(_) => 0,
        Node::Number(_) | Node::Pi | Node::Power(..) => 1,
        Node::Sum(constant, terms) => {
            let count = terms.len() + usize::from(!constant.is_zero());
            3 * count.saturating_sub(1) + usize::from(count < 2)
        }
        Node::Product(factors) => factors.len().saturating_sub(1).max(1),
        Node::Call(..) => 3,
    }
}

/// Finds short forms; remembers them.
#[derive(Clone)]
pub(super) struct Simplifier<'g> {
    graph: &'g Graph,
    parameters: Vec<Id>,
    /// Other factors that cancel.
    divisors: Vec<Id>,
    /// Sums that are numbers on the constraints.
    relations: Vec<Relation<'g>>,
    measure: Printer<'g>,
    sizes: FxHashMap<Id, Size>,
    shortest: FxHashMap<Id, Ex<'g>>,
    expanded: FxHashMap<Id, Ex<'g>>,
}

impl<'g> Simplifier<'g> {
    pub(super) fn new(graph: &'g Graph, parameters: &[Ex<'g>]) -> Self {
        let parameters = parameters.iter().map(|x| x.id()).collect();
        let mut measure = Printer::new(graph, Style::Text);
        measure.loosen();
        let (sizes, shortest, expanded) = Default::default();
        Self {
            graph,
            parameters,
            divisors: Vec::new(),
            relations: Vec::new(),
            measure,
            sizes,
            shortest,
            expanded,
        }
    }

    /// Takes it from now on that these sums are numbers.
    pub(super) fn stay_on(&mut self, relations: Vec<Relation<'g>>) {
        for relation in &relations {
            let (sum, value) = relation.whole();
            self.replace(sum, value);
        }
        self.relations = relations;
    }

    /// Whether it takes sums for numbers that are these on the constraints only.
    pub(super) fn is_on_rows(&self) -> bool {
        !self.relations.is_empty()
    }

    /// Lets the factors of these cancel too, in what is not short yet.
    pub(super) fn cancel(&mut self, divisors: &[Ex<'g>]) {
        for divisor in divisors {
            let short = self.short(*divisor);
            let factors = [*divisor, short].into_iter().flat_map(|x| monomial(x).1);
            self.divisors.extend(factors.map(|(x, _)| x));
        }
    }

    /// Whether these are the parameters that cancel.
    pub(super) fn cancels(&self, parameters: &[Ex<'g>]) -> bool {
        self.parameters
            .iter()
            .copied()
            .eq(parameters.iter().map(|x| x.id()))
    }

    /// How many expressions there are in some that it has not made short yet.
    pub(super) fn new_parts(&self, xs: &[Ex<'g>]) -> usize {
        let ids: Vec<Id> = xs.iter().map(|x| x.id()).collect();
        let known = |id: Id| self.shortest.contains_key(&id);
        self.graph.reachable_unless(&ids, known).len()
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
        if let Some(known) = self.shortest.get(&x.id()) {
            return *known;
        }
        let known = |id: Id| self.shortest.contains_key(&id);
        for id in self.graph.reachable_unless(&[x.id()], known) {
            let plain = self.rebuilt(id);
            let rebuilt = united(plain, &self.relations);
            let small = self.size(rebuilt).parts <= MAX_PARTS;
            let expanded = match small.then(|| self.multiplied_out(id)).flatten() {
                Some(expanded) => united(expanded, &self.relations),
                None => rebuilt,
            };
            let shorter = expanded != rebuilt && self.is_shorter(expanded, rebuilt);
            self.shortest
                .insert(id, if shorter { expanded } else { rebuilt });
            self.expanded.insert(id, expanded);
        }
        self.shortest[&x.id()]
    }

    /// Whether the text of the first is shorter; that of a product multiplied out mostly is not, which is seen
    /// before it is laid out.
    fn is_shorter(&mut self, x: Ex<'g>, than: Ex<'g>) -> bool {
        let length = self.length(than);
        self.size(x).letters < length && self.length(x) < length
    }

    /// The size of an expression as a tree, up to a great number.
    fn size(&mut self, x: Ex<'g>) -> Size {
        if let Some(size) = self.sizes.get(&x.id()) {
            return *size;
        }
        let known = |id: Id| self.sizes.contains_key(&id);
        for id in self.graph.reachable_unless(&[x.id()], known) {
            let mut size = self.graph.look(id, |node| Size {
                parts: 1,
                letters: own_letters(node),
            });
            if size.letters == 0 {
                size.letters = self.measure.length(self.graph.ex(id));
            }
            self.graph.look(id, |node| {
                node.for_each_child(|child| size = size.with(self.sizes[&child]));
            });
            self.sizes.insert(id, size);
        }
        self.sizes[&x.id()]
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
                let parts = factors
                    .iter()
                    .map(|(x, e)| primitive_power(self.shortest[x], e));
                let (powers, contents): (Vec<_>, Vec<_>) = parts.unzip();
                let content = contents
                    .iter()
                    .fold(Rational::one(), |product, c| &product * c);
                self.reduced(graph.product(&powers)).scale(&content)
            }
            Node::Power(base, exponent) => self.shortest[&base].power(self.shortest[&exponent]),
            Node::Call(function, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|x| self.shortest[x]).collect();
                graph.call(function, &arguments)
            }
        }
    }

    /// The node as a sum of products, what is no polynomial in its shortest form; nothing where that is too long, or
    /// the node rebuilt.
    fn multiplied_out(&self, id: Id) -> Option<Ex<'g>> {
        let graph = self.graph;
        match graph.node(id) {
            Node::Sum(constant, terms) => {
                if terms
                    .iter()
                    .all(|(x, _)| self.expanded[x] == self.shortest[x])
                {
                    return None;
                }
                let terms = terms.iter().map(|(x, c)| self.expanded[x].scale(c));
                Some(graph.sum(&terms.chain([graph.number(constant)]).collect::<Vec<_>>()))
            }
            Node::Product(factors) => {
                let mut sums = Vec::new();
                let mut count = 1;
                for (x, e) in &factors {
                    let times = e.to_i64().filter(|e| (1..=MAX_EXPONENT).contains(e));
                    let factor = match times {
                        Some(_) => self.expanded[x],
                        None => self.shortest[x].pow_rational(e),
                    };
                    let terms = terms(factor);
                    for _ in 0..times.unwrap_or(1) {
                        count *= terms.len();
                        if count > MAX_TERMS {
                            return None;
                        }
                        sums.push(terms.clone());
                    }
                }
                let mut product = vec![graph.one()];
                for terms in sums {
                    let pairs = product.iter().flat_map(|x| terms.iter().map(|y| *x * *y));
                    product = pairs.collect();
                }
                let product: Vec<Ex<'g>> = product.into_iter().map(|x| self.reduced(x)).collect();
                Some(graph.sum(&product))
            }
            _ => None,
        }
    }

    /// A product in which no parameter stands above and below; nor any other factor, as far as it goes on
    /// to stand below: the whole has a value where it had one.
    fn reduced(&self, x: Ex<'g>) -> Ex<'g> {
        let (c, factors) = monomial(x);
        let total = |x: &Id| -> Option<i64> {
            let powers = factors.iter().filter(|(y, _)| y == x);
            powers.map(|(_, e)| e.to_i64()).sum()
        };
        let may_cancel = |x: &Id| {
            let never_zero = self.parameters.contains(x) || self.divisors.contains(x);
            never_zero || total(x).is_some_and(|total| total < 0)
        };
        let mut sums: Vec<(Id, Rational)> = Vec::new();
        for (x, e) in &factors {
            match sums.iter_mut().find(|(y, _)| x == y && may_cancel(y)) {
                Some((_, sum)) => *sum = &*sum + e,
                None => sums.push((*x, e.clone())),
            }
        }
        if sums.len() == factors.len() {
            return x;
        }
        let powers: Vec<Ex<'g>> = sums
            .iter()
            .map(|(x, e)| self.graph.ex(*x).pow_rational(e))
            .collect();
        self.graph.product(&powers).scale(&c)
    }
}

/// The terms of a sum, or the expression alone.
pub(super) fn terms(x: Ex<'_>) -> Vec<Ex<'_>> {
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
        None => {
            let (x, c) = primitive_power(x, &Rational::one());
            let (d, factor) = primitive_power(d, &Rational::from(-1));
            (x * d).scale(&(&c * &factor))
        }
    }
}

/// `x^e` as a power of a sum with coprime integer coefficients, times a number.
fn primitive_power<'g>(x: Ex<'g>, e: &Rational) -> (Ex<'g>, Rational) {
    let content = content(x);
    let power = e.to_i64().and_then(|e| content.pow(e));
    match (content.recip(), power) {
        (Some(inverse), Some(power)) => (x.scale(&inverse).pow_rational(e), power),
        _ => (x.pow_rational(e), Rational::one()),
    }
}

/// The greatest number that divides every coefficient of a sum, with the sign of the first term
/// if all have that sign; 1 for anything else.
pub(super) fn content(x: Ex<'_>) -> Rational {
    let Node::Sum(constant, parts) = x.node() else {
        return Rational::one();
    };
    let constant = Some(constant).filter(|constant| !constant.is_zero());
    let numbers: Vec<Rational> = parts
        .into_iter()
        .map(|part| part.1)
        .chain(constant)
        .collect();
    let negative = numbers.iter().all(Rational::is_negative);
    let size = numbers
        .iter()
        .fold(Rational::zero(), |g, c| common_divisor(g, c.abs()));
    if negative { -&size } else { size }
}

/// Euclid's algorithm for rational numbers that are not negative.
fn common_divisor(mut x: Rational, mut y: Rational) -> Rational {
    while !y.is_zero() {
        let quotient = (&x / &y).and_then(|q| integer_part(&q));
        let Some(quotient) = quotient else {
            return Rational::one();
        };
        let rest = &x - &(&quotient * &y);
        x = std::mem::replace(&mut y, rest);
    }
    x
}

/// The integer below a number that is not negative, if it is of ordinary size.
fn integer_part(x: &Rational) -> Option<Rational> {
    let (n, d) = (
        i64::try_from(x.numerator()).ok()?,
        i64::try_from(x.denominator()).ok()?,
    );
    Some(Rational::from(n / d))
}

/// `x/d` if every factor of `d` is one of `x`.
pub(super) fn reduced<'g>(x: Ex<'g>, d: Ex<'g>) -> Option<Ex<'g>> {
    let graph = x.graph();
    let ((c, mut factors), (divisor, below)) = (monomial(x), monomial(d));
    for (base, e) in below {
        match factors
            .iter_mut()
            .find(|(x, power)| *x == base && power.is_negative() == e.is_negative())
        {
            Some((_, power)) => *power = &*power - &e,
            None if e.is_negative() => factors.push((base, -&e)),
            None => return None,
        }
    }
    let powers: Vec<Ex<'g>> = factors
        .iter()
        .map(|(x, e)| graph.ex(*x).pow_rational(e))
        .collect();
    Some(graph.product(&powers).scale(&(&c / &divisor)?))
}

/// Whether it is a number other than 0 or has factors in the denominator only.
pub(super) fn never_zero(x: Ex<'_>) -> bool {
    let (c, factors) = monomial(x);
    !c.is_zero() && factors.iter().all(|(_, e)| e.is_negative())
}

/// `c` and the factors of `c Prod x_i ^ e_i`.
pub(super) fn monomial(x: Ex<'_>) -> (Rational, Vec<(Id, Rational)>) {
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
        let mut simplifier = Simplifier::new(&g, &[]);
        let difference = m * (x + y).pow(2) - m * x.pow(2) - 2 * (m * x * y);
        assert_eq!(simplifier.short(difference), m * y.pow(2));
        assert_eq!(simplifier.short(m * (x + y) - m * x - m * y), g.zero());
        assert_eq!(simplifier.short((x * (y + a) - x * y).sin()), (x * a).sin());
    }

    #[test]
    fn what_is_short_stays() {
        let g = Graph::new();
        let [m, x, y] = ["m", "x", "y"].map(|name| g.symbol(name));
        let mut simplifier = Simplifier::new(&g, &[]);
        for kept in [
            m * (x.pow(2) + y.pow(2)) / 2,
            (x + y).pow(3),
            x / x,
            (x + y) / (x * m),
        ] {
            assert_eq!(simplifier.short(kept), kept);
        }
    }

    /// What is said of a text before it is laid out is never too much.
    #[test]
    fn texts_are_no_shorter_than_they_are_said_to_be() {
        let g = Graph::new();
        let [m, x, y, q] = ["m", "x", "y", "M[psi,th]"].map(|name| g.symbol(name));
        let half = Rational::new(-1, 2);
        let few = [
            x,
            q,
            -x,
            x / 2,
            -(x / y),
            x - 1,
            x.recip(),
            x.sqrt(),
            x.pow_rational(&half) * y,
            (x + y).pow(2) / (m - q),
            -(m * (x - y)) / 3,
            x.power(y + 1) * g.pi(),
            (x * y).sin() - (2 * m).cos() / q,
            2 * (x - y) * (m + 1).sqrt() - q / (x * y.pow(3)),
        ];
        let mut all = few.to_vec();
        for x in few {
            all.extend(
                few.iter()
                    .flat_map(|y| [x + *y, x * *y, x / *y, (x - *y).cos()]),
            );
        }
        let mut simplifier = Simplifier::new(&g, &[]);
        let mut close = 0;
        for x in all {
            let (size, length) = (simplifier.size(x), simplifier.length(x));
            assert!(size.letters <= length, "{x}: {} letters", size.letters);
            close += usize::from(2 * size.letters > length);
        }
        assert!(close > 400, "{close}");
    }

    #[test]
    fn a_replacement_is_not_looked_into() {
        let g = Graph::new();
        let [x, y, s] = ["x", "y", "s"].map(|name| g.symbol(name));
        let mut simplifier = Simplifier::new(&g, &[]);
        simplifier.replace(x + y, s);
        assert_eq!(simplifier.short((x + y) * y), s * y);
    }

    #[test]
    fn numbers_are_taken_out_of_factors() {
        let g = Graph::new();
        let [m, x, y] = ["m", "x", "y"].map(|name| g.symbol(name));
        let mut simplifier = Simplifier::new(&g, &[]);
        assert_eq!(simplifier.short(m * (2 * x - 2 * y) / 2), m * (x - y));
        assert_eq!(
            simplifier.short(m / (-x / 2 - y / 6)),
            -6 * (m / (3 * x + y))
        );
        assert_eq!(
            quotient(4 * x + 2 * y, 6 * m + 2),
            (2 * x + y) / (3 * m + 1)
        );
        assert_eq!(content(x), Rational::one());
        assert_eq!(content(6 * x + 4), Rational::from(2));
    }

    #[test]
    fn parameters_cancel() {
        let g = Graph::new();
        let [m, x] = ["m", "x"].map(|name| g.symbol(name));
        let mut simplifier = Simplifier::new(&g, &[m]);
        assert_eq!(simplifier.short(m * x.sin() / m), x.sin());
        assert_eq!(simplifier.short(2 * (m * (x + 1) / m) - 2 * x), g.int(2));
        assert_eq!(simplifier.short(x / x), x / x);
    }

    #[test]
    fn what_stays_below_cancels_above() {
        let g = Graph::new();
        let [x, y] = ["x", "y"].map(|name| g.symbol(name));
        let mut simplifier = Simplifier::new(&g, &[]);
        assert_eq!(simplifier.short(x * y / x.pow(2)), y / x);
        assert_eq!(simplifier.short(x.pow(2) / x), x.pow(2) / x);
        assert_eq!(simplifier.short(x.sqrt() / x), x.sqrt() / x);
        let mut simplifier = Simplifier::new(&g, &[]);
        simplifier.cancel(&[2 * x]);
        assert_eq!(simplifier.short(x.pow(2) * y / x), x * y);
        assert_eq!(simplifier.short(x * y / y), x * y / y);
    }

    #[test]
    fn quotients_lose_common_factors() {
        let g = Graph::new();
        let [m, x, y] = ["m", "x", "y"].map(|name| g.symbol(name));
        assert_eq!(quotient(2 * (m * x) - 3 * (m * y), m), 2 * x - 3 * y);
        assert_eq!(quotient(x, 2 * (m + y)), x / (m + y) / 2);
        assert_eq!(quotient(m * x + y, m), (m * x + y) / m);
        assert_eq!(quotient(g.zero(), m), g.zero());
        assert_eq!(quotient(m.pow(2) * x, m), m * x);
        assert_eq!(quotient(x / m, (x * m).recip()), x.pow(2));
        assert_eq!(quotient(x + y, m.recip()), m * x + m * y);
    }
}
