//! Derivatives and substitution, bottom up over the arena: no recursion, linear in the DAG.

use crate::corners::joined;
use crate::function::Function;
use crate::graph::{Ex, Graph, Id, Node};
use crate::num::Rational;
use rustc_hash::FxHashMap;

impl<'g> Ex<'g> {
    /// The partial derivative by a symbol. Memoised in the graph.
    pub fn diff(self, symbol: Self) -> Self {
        let graph = self.graph();
        graph.assert_own(&[symbol]);
        let key = (self.id(), symbol.id());
        if let Some(known) = graph.derivatives.borrow().get(&key) {
            return graph.ex(*known);
        }
        match self.depends_on(symbol) {
            true => self.diff_by_its_own(symbol),
            false => graph.zero(),
        }
    }

    /// The same by a symbol that occurs in it.
    fn diff_by_its_own(self, symbol: Self) -> Self {
        let graph = self.graph();
        let zero = graph.zero();
        let known = |id: Id| {
            !graph.may_hold(id, symbol.id())
                || graph.derivatives.borrow().contains_key(&(id, symbol.id()))
        };
        let of_symbol = |id: Id| graph.int(i64::from(id == symbol.id()));
        for id in graph.reachable_unless(&[self.id()], known) {
            let derivative = match id != symbol.id() && is_still(graph, id, symbol) {
                true => zero.id(),
                false => {
                    let of_child = |child: Id| derivative(graph, child, symbol);
                    derivative_of_node(graph, id, &of_symbol, &of_child).id()
                }
            };
            graph
                .derivatives
                .borrow_mut()
                .insert((id, symbol.id()), derivative);
        }
        derivative(graph, self.id(), symbol)
    }

    /// `Sum_s rates[s] d self/ds`: the rate of change along the given rates of symbols.
    pub fn rate(self, rates: &[(Self, Self)]) -> Self {
        let symbols: Vec<Self> = rates.iter().map(|(symbol, _)| *symbol).collect();
        let partials = self.partials(&symbols).into_iter().zip(rates);
        let terms: Vec<Self> = partials
            .filter(|(partial, _)| !partial.is_zero())
            .map(|(partial, (_, rate))| partial * *rate)
            .collect();
        self.graph().sum(&terms)
    }

    /// `d self/ds` for each of the symbols; those that do not occur cost nothing.
    pub fn partials(self, symbols: &[Self]) -> Vec<Self> {
        let graph = self.graph();
        graph.assert_own(symbols);
        symbols.iter().map(|symbol| self.diff(*symbol)).collect()
    }

    /// Replaces symbols by expressions, all at once.
    pub fn substitute(self, replacements: &[(Self, Self)]) -> Self {
        self.graph().substitute(&[self], replacements)[0]
    }
}

impl Graph {
    /// Replaces symbols by expressions, all at once, in several expressions.
    pub fn substitute<'g>(&'g self, xs: &[Ex<'g>], by: &[(Ex<'g>, Ex<'g>)]) -> Vec<Ex<'g>> {
        by.iter().for_each(|(s, x)| self.assert_own(&[*s, *x]));
        let roots: Vec<Id> = xs.iter().map(|x| x.id()).collect();
        let mut image: FxHashMap<Id, Id> = by.iter().map(|(s, x)| (s.id(), x.id())).collect();
        let stays = |id: Id| by.iter().all(|(s, _)| !self.may_hold(id, s.id()));
        for id in self.reachable_unless(&roots, stays) {
            if !image.contains_key(&id) {
                let mut stays = true;
                self.look(id, |node| {
                    node.for_each_child(|child| stays &= image_of(&image, child) == child);
                });
                let new = match stays {
                    true => id,
                    false => self.rebuilt(id, &image).id(),
                };
                image.insert(id, new);
            }
        }
        let images = roots.iter().map(|id| self.ex(image_of(&image, *id)));
        images.collect()
    }

    /// The node with its children replaced by their images, where they have any.
    pub(crate) fn rebuilt(&self, id: Id, image: &FxHashMap<Id, Id>) -> Ex<'_> {
        let of = |x: Id| image_of(image, x);
        match self.node(id) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => self.ex(id),
            Node::Sum(constant, terms) => {
                let constant = (self.number(constant).id(), Rational::one());
                let terms = terms.iter().map(|(x, c)| (of(*x), c.clone()));
                self.linear(terms.chain([constant]))
            }
            Node::Product(factors) => {
                self.monomial(factors.iter().map(|(x, e)| (of(*x), e.clone())))
            }
            Node::Power(base, exponent) => self.ex(of(base)).power(self.ex(of(exponent))),
            Node::Call(function, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|x| self.ex(of(*x))).collect();
                self.call(function, &arguments)
            }
        }
    }
}

/// What replaces an expression: by default itself.
fn image_of(image: &FxHashMap<Id, Id>, id: Id) -> Id {
    image.get(&id).copied().unwrap_or(id)
}

/// The derivatives `Sum_s X^s df/ds` of functions along one vector field `X`, in one pass over their nodes, which are
/// remembered. Where `X` has many components that costs less than all partial derivatives.
pub struct LieDerivative<'g> {
    graph: &'g Graph,
    field: FxHashMap<Id, Id>,
    known: FxHashMap<Id, Id>,
}

impl<'g> LieDerivative<'g> {
    /// Along the field with these components, by the symbols of the coordinates.
    pub fn new(graph: &'g Graph, components: impl Iterator<Item = (Ex<'g>, Ex<'g>)>) -> Self {
        Self {
            graph,
            field: components.map(|(q, x)| (q.id(), x.id())).collect(),
            known: FxHashMap::default(),
        }
    }

    /// The derivative of a function.
    pub fn of(&mut self, f: Ex<'g>) -> Ex<'g> {
        let (graph, field) = (self.graph, &self.field);
        let component = |id: Id| {
            field
                .get(&id)
                .map_or_else(|| graph.zero(), |x| graph.ex(*x))
        };
        for id in graph.reachable_unless(&[f.id()], |id| self.known.contains_key(&id)) {
            let of_child = |child: Id| graph.ex(self.known[&child]);
            let derivative = derivative_of_node(graph, id, &component, &of_child);
            self.known.insert(id, derivative.id());
        }
        graph.ex(self.known[&f.id()])
    }
}

/// Whether the derivatives of all children of a node are known to be zero.
fn is_still(graph: &Graph, id: Id, symbol: Ex<'_>) -> bool {
    let mut still = true;
    graph.look(id, |node| {
        node.for_each_child(|child| still &= known_derivative(graph, child, symbol).is_none());
    });
    still
}

/// A derivative that is known already, if it is not zero.
fn known_derivative(graph: &Graph, id: Id, symbol: Ex<'_>) -> Option<Id> {
    if !graph.may_hold(id, symbol.id()) {
        return None;
    }
    let known = graph.derivatives.borrow()[&(id, symbol.id())];
    let is_zero = graph.ex(known).is_zero();
    (!is_zero).then_some(known)
}

/// The same as an expression.
fn derivative<'g>(graph: &'g Graph, id: Id, symbol: Ex<'g>) -> Ex<'g> {
    let known = known_derivative(graph, id, symbol);
    known.map_or_else(|| graph.zero(), |known| graph.ex(known))
}

/// The derivative of a node by those of symbols, and of its children, which are known.
fn derivative_of_node<'g>(
    graph: &'g Graph,
    id: Id,
    of_symbol: &dyn Fn(Id) -> Ex<'g>,
    d: &dyn Fn(Id) -> Ex<'g>,
) -> Ex<'g> {
    match graph.node(id) {
        Node::Number(_) | Node::Pi => graph.zero(),
        Node::Symbol(_) => of_symbol(id),
        Node::Sum(_, terms) => graph.linear(terms.iter().map(|(x, c)| (d(*x).id(), c.clone()))),
        Node::Product(factors) => derivative_of_product(graph, &factors, d),
        Node::Power(base, exponent) => {
            let (x, y, power) = (graph.ex(base), graph.ex(exponent), graph.ex(id));
            // (x^y)' = y x^(y-1) x' + x^y log(x) y'
            let (dx, dy) = (d(base), d(exponent));
            let by_base = if dx.is_zero() {
                dx
            } else {
                y * x.power(y - 1) * dx
            };
            let by_exponent = if dy.is_zero() {
                dy
            } else {
                power * x.call(Function::Log) * dy
            };
            by_base + by_exponent
        }
        Node::Call(function, arguments) => {
            let arguments: Vec<Ex<'g>> = arguments.iter().map(|x| graph.ex(*x)).collect();
            let rates: Vec<Ex<'g>> = arguments.iter().map(|x| d(x.id())).collect();
            if rates.iter().all(|rate| rate.is_zero()) {
                return graph.zero();
            }
            derivative_of_call(graph.ex(id), function, &arguments, &rates)
        }
    }
}

/// `Sum_i e_i x_i^(e_i - 1) x_i' Prod_(j != i) x_j^e_j`: no division, so no new poles, once the factors are joined that take
/// each other's jumps away.
fn derivative_of_product<'g>(
    graph: &'g Graph,
    factors: &[(Id, Rational)],
    d: &dyn Fn(Id) -> Ex<'g>,
) -> Ex<'g> {
    if let Some(factors) = joined(graph, factors) {
        // An absolute value that was not there before has no derivative yet.
        let of_absolute = |id: Id| match graph.node(id) {
            Node::Call(Function::Abs, u) => graph.ex(u[0]).call(Function::Sign) * d(u[0]),
            _ => d(id),
        };
        return derivative_of_factors(graph, &factors, of_absolute);
    }
    derivative_of_factors(graph, factors, d)
}

fn derivative_of_factors<'g>(
    graph: &'g Graph,
    factors: &[(Id, Rational)],
    d: impl Fn(Id) -> Ex<'g>,
) -> Ex<'g> {
    let mut terms = Vec::new();
    for (i, (x, e)) in factors
        .iter()
        .enumerate()
        .filter(|(_, (_, e))| !e.is_zero())
    {
        let rate = d(*x);
        if rate.is_zero() {
            continue;
        }
        let others = factors
            .iter()
            .enumerate()
            .filter(|(j, _)| *j != i)
            .map(|(_, f)| f.clone());
        let term = match logarithmic_rate(graph, *x, &d).filter(|_| e.is_negative()) {
            Some(rate) => {
                let pair = [(*x, e.clone()), (rate.id(), Rational::one())];
                graph.monomial(others.chain(pair))
            }
            None => {
                let lowered = (*x, e - &Rational::one());
                graph.monomial(others.chain([lowered, (rate.id(), Rational::one())]))
            }
        };
        terms.push((term.id(), e.clone()));
    }
    graph.linear(terms.into_iter())
}

/// `x'/x` of a function that overflows, without its quotients: where `cosh(u)` and `exp(w)` have no value, `sinh(u)/cosh(u)^2`
/// and `exp(w)/(a + exp(w))^2` have one.
fn logarithmic_rate<'g>(graph: &'g Graph, x: Id, d: impl Fn(Id) -> Ex<'g>) -> Option<Ex<'g>> {
    match graph.node(x) {
        Node::Call(Function::Cosh, u) => Some(graph.ex(u[0]).call(Function::Tanh) * d(u[0])),
        // b exp(w)/(a + b exp(w)) = 1/(1 + a exp(-w)/b)
        Node::Sum(constant, terms) => {
            let [(term, factor)] = &terms[..] else {
                return None;
            };
            let Node::Call(Function::Exp, w) = graph.node(*term) else {
                return None;
            };
            let part = graph.number(constant) / graph.number(factor.clone());
            let below = part * (-graph.ex(w[0])).call(Function::Exp);
            Some(d(w[0]) / (graph.one() + below))
        }
        _ => None,
    }
}

/// The chain rule for the function `f = function(x, ..)`.
fn derivative_of_call<'g>(f: Ex<'g>, function: Function, x: &[Ex<'g>], dx: &[Ex<'g>]) -> Ex<'g> {
    use Function::{
        Abs, Acos, Asin, Atan, Atan2, Cos, Cosh, Exp, Log, Max, Min, Sign, Sin, Sinh, Tan, Tanh,
    };
    let graph = f.graph();
    let one = graph.one();
    let root = |y: Ex<'g>| y.pow_rational(&Rational::new(-1, 2));
    let factor = match function {
        Sin => x[0].cos(),
        Cos => -x[0].sin(),
        Tan => one + f.pow(2),
        Asin => root(one - x[0].pow(2)),
        Acos => -root(one - x[0].pow(2)),
        Atan => (one + x[0].pow(2)).recip(),
        Sinh => x[0].call(Cosh),
        Cosh => x[0].call(Sinh),
        Tanh => one - f.pow(2),
        Exp => f,
        Log => x[0].recip(),
        Abs => x[0].call(Sign),
        // Zero off the jump; the corner itself is flagged by the model reader.
        Sign => graph.zero(),
        Atan2 => {
            let square = x[0].pow(2) + x[1].pow(2);
            return (x[1] * dx[0] - x[0] * dx[1]) / square;
        }
        // min, max (a, b) = (a + b -+ |a - b|) / 2
        Min | Max => {
            let side = if function == Min { -1 } else { 1 };
            let switch = side * ((x[0] - x[1]).call(Sign) * (dx[0] - dx[1]));
            return (dx[0] + dx[1] + switch) / 2;
        }
    };
    factor * dx[0]
}
