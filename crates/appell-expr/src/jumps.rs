//! Where a function may jump along an analytic motion.
//!
//! A function whose rate vanishes is constant between its jumps only. Rational functions,
//! and analytic functions of arguments without poles, have one value on both sides of every
//! point that a motion passes: what is meromorphic in time and constant on one side is constant.
//! Jumps come from `sign` at 0, from the cut of `atan2`, from functions of a quotient at its pole
//! (`atan(1/x)`), and from quotients with a corner (`abs(x)/x`).

use crate::field::{Range, compile, ranges_of, vanishes};
use crate::function::Function;
use crate::graph::{Ex, Graph, Id, Node};
use crate::num::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known along all motions of a model.
#[derive(Debug, Clone, Default)]
pub struct Known<'g> {
    /// Positive wherever an expression is looked at.
    pub positive: Vec<Ex<'g>>,
    /// Symbols and other expressions that do not change.
    pub constant: Vec<Ex<'g>>,
    /// Finite as long as there is a motion: their denominators do not vanish.
    pub finite: Vec<Ex<'g>>,
}

/// The parts of an expression at which it may jump along a motion, as far as what is known does
/// not exclude it. No part means no jump; a jump that is named may cancel against another.
pub fn jumps<'g>(x: Ex<'g>, known: &Known<'g>) -> Vec<Ex<'g>> {
    let graph = x.graph();
    let ids = graph.reachable(&[x.id()]);
    let Some(ranges) = ranges_at(graph, &ids, &known.positive) else {
        return Vec::new();
    };
    let mut finder = Finder {
        graph,
        ranges,
        traits: FxHashMap::default(),
        found: Vec::new(),
        constant: known.constant.iter().map(|c| c.id()).collect(),
        denominators: denominators(graph, &known.finite),
    };
    for id in ids {
        finder.visit(id);
    }
    finder.note(x.id());
    graph.exs(&finder.found)
}

/// Whether `x` has one value whatever that of `symbol` is. A derivative that vanishes does not say so: `sign(t - 1)` has
/// one. In doubt, where a function with jumps is taken of the symbol, it is not.
pub fn is_free_of<'g>(x: Ex<'g>, symbol: Ex<'g>) -> bool {
    if !x.depends_on(symbol) {
        return true;
    }
    vanishes(x.diff(symbol)) && jumps_with(x, symbol).is_empty()
}

/// The parts at which `x` may jump when `symbol` alone changes.
pub fn jumps_with<'g>(x: Ex<'g>, symbol: Ex<'g>) -> Vec<Ex<'g>> {
    let mut constant = x.symbols();
    constant.retain(|s| *s != symbol);
    let known = Known {
        constant,
        ..Known::default()
    };
    jumps(x, &known)
}

/// Whether `sign` is in it.
pub fn has_sign(x: Ex<'_>) -> bool {
    !signs_of(x).is_empty()
}

/// What `sign` is taken of in it.
pub fn signs_of(x: Ex<'_>) -> Vec<Ex<'_>> {
    let graph = x.graph();
    let of = |id: Id| match graph.node(id) {
        Node::Call(Function::Sign, u) => Some(graph.ex(u[0])),
        _ => None,
    };
    let all = graph.reachable(&[x.id()]).into_iter();
    all.filter_map(of).collect()
}

/// What stands in denominators of an expression, and may vanish as far as its form tells.
pub fn denominators_of<'g>(x: Ex<'g>) -> Vec<Ex<'g>> {
    let graph = x.graph();
    let mut found: Vec<Id> = denominators(graph, &[x]).into_iter().collect();
    found.sort_unstable();
    graph.exs(&found)
}

/// The bases of negative powers.
fn denominators(graph: &Graph, xs: &[Ex<'_>]) -> FxHashSet<Id> {
    let roots: Vec<Id> = xs.iter().map(|x| x.id()).collect();
    let mut found = FxHashSet::default();
    for id in graph.reachable(&roots) {
        graph.look(id, |node| {
            if let Node::Product(factors) = node {
                let below = factors.iter().filter(|(_, e)| e.is_negative());
                found.extend(below.map(|(x, _)| *x));
            }
        });
    }
    found
}

/// What is known of the values of all these.
fn ranges_at(graph: &Graph, ids: &[Id], positive: &[Ex<'_>]) -> Option<FxHashMap<Id, Range>> {
    let values: Vec<Ex<'_>> = graph.exs(ids);
    let positive: Vec<Ex<'_>> = positive.iter().map(|x| graph.ex(x.id())).collect();
    let all = [values.as_slice(), &positive].concat();
    let mut symbols: Vec<Ex<'_>> = Vec::new();
    for symbol in all.iter().flat_map(|x| x.symbols()) {
        if !symbols.contains(&symbol) {
            symbols.push(graph.ex(symbol.id()));
        }
    }
    let program = compile(&symbols, &all).ok()?;
    let ranges = ranges_of(&program, values.len());
    Some(ids.iter().copied().zip(ranges).collect())
}

/// What a part is like along a motion.
#[derive(Debug, Clone, Copy, Default)]
struct Traits {
    /// It changes.
    varies: bool,
    /// It may be infinite.
    poles: bool,
    /// It may be continuous without being analytic.
    corners: bool,
    /// It may jump by itself.
    jumps: bool,
}

impl Traits {
    fn and(self, other: Self) -> Self {
        Self {
            varies: self.varies || other.varies,
            poles: self.poles || other.poles,
            corners: self.corners || other.corners,
            jumps: false,
        }
    }
}

struct Finder<'g> {
    graph: &'g Graph,
    ranges: FxHashMap<Id, Range>,
    traits: FxHashMap<Id, Traits>,
    found: Vec<Id>,
    constant: Vec<Id>,
    /// What does not vanish while there is a motion.
    denominators: FxHashSet<Id>,
}

impl Finder<'_> {
    fn of(&self, id: Id) -> Traits {
        self.traits.get(&id).copied().unwrap_or_default()
    }

    /// Whether it has one sign wherever the whole is looked at.
    fn keeps_sign(&self, id: Id) -> bool {
        let one_sided = |range: &Range| range.is_positive() || range.is_negative();
        !self.of(id).varies
            || self.denominators.contains(&id)
            || self.ranges.get(&id).is_some_and(one_sided)
            || self.is_on_an_ellipse(id)
            || self.is_product_of_such(id)
    }

    fn is_product_of_such(&self, id: Id) -> bool {
        let Node::Product(factors) = self.graph.node(id) else {
            return false;
        };
        factors.iter().all(|(x, _)| self.keeps_sign(*x))
    }

    /// Whether it is `a sin(u)^2 + b cos(u)^2 + ..` with `a, b > 0` and no negative term, which vanishes nowhere.
    fn is_on_an_ellipse(&self, id: Id) -> bool {
        let Node::Sum(constant, terms) = self.graph.node(id) else {
            return false;
        };
        let is = |x: &Id, holds: fn(&Range) -> bool| self.ranges.get(x).is_some_and(holds);
        let adds = |(x, c): &(Id, Rational)| !c.is_negative() && is(x, Range::is_nonnegative);
        if constant.is_negative() || !terms.iter().all(adds) {
            return false;
        }
        let angles = terms.iter().filter_map(|(x, _)| self.square_of(*x));
        let all: Vec<(Function, Id)> = angles.collect();
        let has = |f: Function, u: Id| all.contains(&(f, u));
        all.iter()
            .any(|(_, u)| has(Function::Sin, *u) && has(Function::Cos, *u))
    }

    /// The sine or cosine of which a term is an even power, times what is positive.
    fn square_of(&self, id: Id) -> Option<(Function, Id)> {
        let Node::Product(factors) = self.graph.node(id) else {
            return None;
        };
        let angle = |x: &Id| match self.graph.node(*x) {
            Node::Call(f @ (Function::Sin | Function::Cos), u) => Some((f, u[0])),
            _ => None,
        };
        let even = |e: &Rational| e.to_i64().is_some_and(|e| e > 0 && e % 2 == 0);
        let place = factors
            .iter()
            .position(|(x, e)| even(e) && angle(x).is_some())?;
        let mut others = factors.iter().enumerate().filter(|(i, _)| *i != place);
        let positive = others.all(|(_, (x, e))| {
            let range = self.ranges.get(x);
            range.is_some_and(|r| r.is_positive() || r.is_negative() && even(e))
        });
        angle(&factors[place].0).filter(|_| positive)
    }

    fn visit(&mut self, id: Id) {
        let node = self.graph.node(id);
        let mut traits = Traits::default();
        if self.constant.contains(&id) {
            self.traits.insert(id, traits);
            return;
        }
        node.for_each_child(|child| traits = traits.and(self.of(child)));
        match &node {
            Node::Number(_) | Node::Pi => {}
            Node::Symbol(_) => traits.varies = true,
            Node::Sum(_, terms) => terms.iter().for_each(|(x, _)| self.note(*x)),
            Node::Product(factors) => self.product(factors, &mut traits),
            Node::Power(base, exponent) => {
                self.note(*base);
                self.note(*exponent);
                traits.corners |= !self.keeps_sign(*base);
                traits.jumps = traits.poles;
            }
            Node::Call(function, arguments) => {
                arguments.iter().for_each(|x| self.note(*x));
                let poles = traits.poles;
                self.call(*function, arguments, &mut traits);
                traits.jumps |= poles;
            }
        }
        if !traits.varies {
            traits = Traits::default();
        }
        self.traits.insert(id, traits);
    }

    /// Names a part that jumps and is used as it is.
    fn note(&mut self, id: Id) {
        if self.of(id).jumps && !self.found.contains(&id) {
            self.found.push(id);
        }
    }

    fn product(&mut self, factors: &[(Id, Rational)], traits: &mut Traits) {
        for (x, e) in factors {
            match self.sign_of(*x) {
                // sign(u) u is continuous; sign(u)^2 alone is not, for sign(0) = 0.
                Some(u)
                    if factors
                        .iter()
                        .any(|(y, e)| self.vanishes_with(*y, u) && !e.is_negative()) =>
                {
                    traits.corners = true;
                }
                _ => self.note(*x),
            }
            if !self.keeps_sign(*x) {
                // -u/sqrt(u) is a root, however u is written.
                let is_root = factors
                    .iter()
                    .any(|(y, f)| !(f + e).is_negative() && self.is_multiple(*x, *y));
                traits.poles |= e.is_negative() && !is_root;
                traits.corners |= !e.is_integer();
            }
            // A root of a pole changes its branch there: sqrt(1 + 1/x^2) is sqrt(1 + x^2)/|x|.
            traits.corners |= !e.is_integer() && self.of(*x).poles;
        }
        let inner = factors.iter().any(|(x, _)| self.found.contains(x));
        if traits.poles && traits.corners && traits.varies && !inner {
            traits.jumps = true;
        }
    }

    /// `u` of `sign(u)` that jumps.
    fn sign_of(&self, id: Id) -> Option<Id> {
        let argument = self.graph.look(id, |node| match node {
            Node::Call(Function::Sign, x) => Some(x[0]),
            _ => None,
        });
        argument.filter(|_| self.of(id).jumps && !self.of(id).poles)
    }

    fn vanishes_with(&self, x: Id, u: Id) -> bool {
        let size = |node: &Node| matches!(node, Node::Call(Function::Abs, y) if y[0] == u);
        x == u || self.graph.look(x, size)
    }

    /// Whether one sum is a multiple of the other.
    fn is_multiple(&self, x: Id, y: Id) -> bool {
        let (Node::Sum(a, xs), Node::Sum(b, ys)) = (self.graph.node(x), self.graph.node(y)) else {
            return false;
        };
        let (Some((_, first)), Some((_, second))) = (xs.first(), ys.first()) else {
            return false;
        };
        let same = |a: &Rational, b: &Rational| a * second == b * first;
        let mut pairs = xs.iter().zip(&ys);
        xs.len() == ys.len() && same(&a, &b) && pairs.all(|((x, a), (y, b))| x == y && same(a, b))
    }

    fn call(&self, function: Function, x: &[Id], traits: &mut Traits) {
        let range = |id: Id| self.ranges.get(&id).cloned().unwrap_or_default();
        match function {
            Function::Sign => traits.jumps = !self.keeps_sign(x[0]),
            Function::Atan2 => {
                let (y, x) = (range(x[0]), range(x[1]));
                let off_the_cut = x.is_positive() || y.is_positive() || y.is_negative();
                traits.jumps = !off_the_cut;
            }
            Function::Tan => {
                let end = Rational::new(157, 100);
                traits.poles |= !range(x[0]).is_within(&-&end, &end);
            }
            Function::Log => traits.poles |= !self.keeps_sign(x[0]),
            Function::Abs => traits.corners |= !self.keeps_sign(x[0]),
            Function::Min | Function::Max => {
                let gap = range(x[0]).minus(&range(x[1]));
                traits.corners |= !gap.is_positive() && !gap.is_negative();
            }
            Function::Asin | Function::Acos => traits.corners = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(build: impl for<'g> Fn(&'g Graph) -> (Ex<'g>, Vec<Ex<'g>>)) -> Vec<String> {
        let g = Graph::new();
        let (x, positive) = build(&g);
        let known = Known {
            positive,
            constant: vec![g.symbol("m")],
            finite: vec![g.symbol("w").pow(-2)],
        };
        let parts = jumps(x, &known);
        parts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_jumps_is_named() {
        let sign = found(|g| (g.symbol("x").call(Function::Sign) + g.symbol("y"), vec![]));
        assert_eq!(sign, ["sign(x)"]);
        let ratio = found(|g| (g.symbol("x").call(Function::Abs) / g.symbol("x"), vec![]));
        assert_eq!(ratio, ["abs(x)/x"]);
        let angle = found(|g| {
            let (x, y) = (g.symbol("x"), g.symbol("y"));
            (y - g.call(Function::Atan2, &[y, x]), vec![])
        });
        assert_eq!(angle, ["atan2(y, x)"]);
        let inverse = found(|g| {
            let x = g.symbol("x");
            (
                x.call(Function::Atan) + x.pow(-1).call(Function::Atan),
                vec![],
            )
        });
        assert_eq!(inverse.len(), 1, "{inverse:?}");
        let tangent = found(|g| {
            let x = g.symbol("x");
            (x.call(Function::Tan).call(Function::Atan) - x, vec![])
        });
        assert_eq!(tangent, ["atan(tan(x))"]);
    }

    #[test]
    fn even_powers_of_a_sign_jump_at_its_zero() {
        let alone = found(|g| (g.symbol("x").call(Function::Sign).pow(2), vec![]));
        assert_eq!(alone, ["sign(x)"]);
        let with_x = found(|g| {
            let x = g.symbol("x");
            (x * x.call(Function::Sign).pow(2), vec![])
        });
        assert_eq!(with_x, Vec::<String>::new());
    }

    #[test]
    fn what_switches_with_a_symbol_depends_on_it() {
        let g = Graph::new();
        let (t, x) = (g.symbol("t"), g.symbol("x"));
        let switch = (t - 1).call(Function::Sign);
        let switched = g.call(Function::Max, &[switch, g.zero()]);
        for expression in [
            switch,
            x * switch + 2,
            switched,
            t.call(Function::Abs) / t,
            t,
        ] {
            assert!(!is_free_of(expression, t), "{expression}");
        }
        let constant = (t.pow(2) + 1).call(Function::Sign) * x;
        let (sin, cos) = (t.call(Function::Sin), t.call(Function::Cos));
        for expression in [x.call(Function::Sign), constant, sin.pow(2) + cos.pow(2)] {
            assert!(is_free_of(expression, t), "{expression}");
        }
        assert!(!is_free_of(x.call(Function::Sign), x));
    }

    #[test]
    fn a_pole_under_a_root_is_a_jump() {
        let root = found(|g| {
            let x = g.symbol("x");
            ((x.pow(-2) + 1).sqrt() * x / (x.pow(2) + 1).sqrt(), vec![])
        });
        assert_eq!(root.len(), 1, "{root:?}");
        let tangent = found(|g| {
            let x = g.symbol("x");
            let secant = (x.call(Function::Tan).pow(2) + 1).sqrt();
            (secant * x.call(Function::Cos), vec![])
        });
        assert_eq!(tangent.len(), 1, "{tangent:?}");
    }

    #[test]
    fn what_does_not_jump_is_not() {
        type Case = for<'g> fn(&'g Graph) -> (Ex<'g>, Vec<Ex<'g>>);
        let none: [Case; 11] = [
            |g| {
                let (x, a) = (g.symbol("x"), g.symbol("a"));
                let (s, c) = (x.call(Function::Sin), x.call(Function::Cos));
                ((a * s.pow(2) + 3 * c.pow(2)).sqrt(), vec![a])
            },
            |g| {
                let u = g.symbol("x").pow(2) + g.symbol("y").pow(2);
                (-u / u.sqrt(), vec![])
            },
            |g| (g.symbol("x").call(Function::Abs) / g.symbol("w"), vec![]),
            |g| (g.symbol("y") / g.symbol("x"), vec![]),
            |g| (g.symbol("x").call(Function::Abs), vec![]),
            |g| {
                let x = g.symbol("x");
                (x * x.call(Function::Sign), vec![])
            },
            |g| (g.symbol("m").call(Function::Sign) * g.symbol("x"), vec![]),
            |g| ((g.symbol("x") / g.symbol("m")).call(Function::Exp), vec![]),
            |g| {
                let x = g.symbol("x");
                (x.call(Function::Abs) / x, vec![x])
            },
            |g| {
                let (x, y) = (g.symbol("x"), g.symbol("y"));
                (g.call(Function::Atan2, &[y, x.pow(2) + 1]), vec![])
            },
            |g| {
                let x = g.symbol("x");
                ((x.sqrt() + 1).pow(-1).call(Function::Atan), vec![])
            },
        ];
        for build in none {
            assert_eq!(found(build), Vec::<String>::new());
        }
    }
}
