//! Corners and jumps that a factor takes away, and those that stay.
//!
//! The rules differentiate `sign(u) abs(u)` to `sign(u)^2 u'`, which is 0 at `u = 0` because `sign(0)` is; the product is `u`.
//! So such factors are joined before. Where `abs(u)`, `sign(u)` or `max(a, b)` has a corner or a jump that no
//! factor takes away, what the rules give there is no derivative.

use crate::function::Function;
use crate::graph::{Ex, Graph, Id, Node};
use crate::num::Rational;
use rustc_hash::FxHashMap;

/// The factors of a product with `sign(u) abs(u)` as `u`, `sign(u) u` as `abs(u)`, and without even powers of `sign(u)` beside
/// `u` or `abs(u)`; `None` if there is nothing to join.
pub(crate) fn joined(graph: &Graph, factors: &[(Id, Rational)]) -> Option<Vec<(Id, Rational)>> {
    let signs = factors.iter().enumerate().filter_map(|(place, (x, e))| {
        let u = argument(graph, *x, Function::Sign)?;
        Some((place, u, e.to_i64().filter(|e| *e > 0)?))
    });
    let mut found: Option<Vec<(Id, Rational)>> = None;
    for (place, u, power) in signs {
        let size = |x: Id| argument(graph, x, Function::Abs) == Some(u);
        let vanishes = |(x, e): &(Id, Rational)| e.is_one() && (*x == u || size(*x));
        let Some(beside) = factors.iter().position(vanishes) else {
            continue;
        };
        let (x, _) = factors[beside];
        let other = match (power % 2 == 0, size(x)) {
            (true, _) => x,
            (false, true) => u,
            (false, false) => graph.ex(u).call(Function::Abs).id(),
        };
        let all = found.get_or_insert_with(|| factors.to_vec());
        all[beside].0 = other;
        all[place].1 = Rational::zero();
    }
    found
}

/// What is 0 where the rules do not give the derivatives of some expressions: `u` of `sign(u)` and `abs(u)`, `a - b` of
/// `max(a, b)`.
pub fn corners_of<'g>(xs: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let Some(graph) = xs.first().map(|x| x.graph()) else {
        return Vec::new();
    };
    let joined = with_joined_factors(graph, xs);
    let mut bent: Vec<Id> = joined.clone();
    for id in graph.reachable(&joined) {
        let node = graph.node(id);
        node.for_each_child(|child| {
            if !is_flat_with(graph, &node, child) {
                bent.push(child);
            }
        });
    }
    let mut corners: Vec<Ex<'g>> = Vec::new();
    for corner in bent.into_iter().filter_map(|id| corner(graph, id)) {
        if !corners.contains(&corner) && !corner.symbols().is_empty() {
            corners.push(corner);
        }
    }
    corners
}

/// Some expressions with the factors of all products in them joined.
fn with_joined_factors(graph: &Graph, xs: &[Ex<'_>]) -> Vec<Id> {
    let roots: Vec<Id> = xs.iter().map(|x| x.id()).collect();
    let mut image: FxHashMap<Id, Id> = FxHashMap::default();
    for id in graph.reachable(&roots) {
        let rebuilt = graph.rebuilt(id, &image).id();
        let product = match graph.node(rebuilt) {
            Node::Product(factors) => joined(graph, &factors),
            _ => None,
        };
        let new = product.map(|factors| graph.monomial(factors.into_iter()).id());
        image.insert(id, new.unwrap_or(rebuilt));
    }
    roots.iter().map(|id| image[id]).collect()
}

/// Whether a product vanishes to more than the first order where a factor has its corner or jump, so that its derivative is 0
/// there, as the rules say.
fn is_flat_with(graph: &Graph, node: &Node, factor: Id) -> bool {
    let Node::Product(factors) = node else {
        return false;
    };
    let Node::Call(Function::Sign | Function::Abs, u) = graph.node(factor) else {
        return false;
    };
    let vanishes = |x: Id| x == u[0] || argument(graph, x, Function::Abs) == Some(u[0]);
    let orders = factors.iter().filter(|(x, _)| vanishes(*x));
    let order = orders.fold(Rational::zero(), |sum, (_, e)| &sum + e);
    order > Rational::one()
}

/// What is 0 at the corner or jump of a call: `u` of `abs(u)` and `sign(u)`, `a - b` of `max(a, b)` and `min(a, b)`.
pub fn corner(graph: &Graph, id: Id) -> Option<Ex<'_>> {
    match graph.node(id) {
        Node::Call(Function::Sign | Function::Abs, u) => Some(graph.ex(u[0])),
        Node::Call(Function::Max | Function::Min, u) => Some(graph.ex(u[0]) - graph.ex(u[1])),
        _ => None,
    }
}

/// `u` of a call `f(u)`.
fn argument(graph: &Graph, id: Id, f: Function) -> Option<Id> {
    graph.look(id, |node| match node {
        Node::Call(function, u) if *function == f => Some(u[0]),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_joined_factors() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let (sign, size) = (x.call(Function::Sign), x.call(Function::Abs));
        assert!((sign * size).diff(x).is_one());
        assert!((sign.pow(2) * x).diff(x).is_one());
        assert_eq!((sign.pow(2) * size).diff(x), sign);
        assert_eq!((sign * x).diff(x), sign);
        assert_eq!((y * sign * size).diff(x), y);
        assert_eq!((sign.pow(3) * size * y).diff(y), x);
        let inner = (x * y).call(Function::Sign) * (x * y).call(Function::Abs);
        assert_eq!(inner.diff(x), y);
    }

    #[test]
    fn corners_that_no_factor_takes_away_are_found() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let (sign, size) = (x.call(Function::Sign), x.call(Function::Abs));
        let max = g.call(Function::Max, &[x, y]);
        for smooth in [
            sign * size,
            sign.pow(2) * x,
            x * size,
            sign * size.pow(2),
            sign * x.pow(3),
        ] {
            assert_eq!(corners_of(&[smooth]), [], "{smooth}");
        }
        for bent in [
            sign,
            size,
            sign * x,
            sign.pow(2) * size,
            size + x * size,
            size * y,
        ] {
            assert_eq!(corners_of(&[bent]), [x], "{bent}");
        }
        assert_eq!(corners_of(&[sign * size.sin()]), [x]);
        assert_eq!(corners_of(&[max * y, y]), [x - y]);
        assert_eq!(corners_of(&[]), []);
    }
}
