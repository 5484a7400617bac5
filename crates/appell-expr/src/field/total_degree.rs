//! Degrees in some symbols.

use crate::graph::{Ex, Graph, Id, Node};
use rustc_hash::{FxHashMap, FxHashSet};

/// The total degree as a polynomial in these symbols; `None` if it is none.
pub fn degree_in(x: Ex<'_>, symbols: &[Ex<'_>]) -> Option<u32> {
    let graph: &Graph = x.graph();
    let wanted: FxHashSet<Id> = symbols.iter().map(|s| s.id()).collect();
    let mut degrees: FxHashMap<Id, Option<u32>> = FxHashMap::default();
    for id in graph.reachable(&[x.id()]) {
        let of = |id: &Id| degrees.get(id).copied().flatten();
        let degree = graph.look(id, |node| match node {
            Node::Number(_) | Node::Pi => Some(0),
            Node::Symbol(_) => Some(u32::from(wanted.contains(&id))),
            Node::Sum(_, terms) => {
                let terms = terms.iter().map(|(x, _)| of(x));
                terms
                    .collect::<Option<Vec<u32>>>()
                    .map(|d| d.into_iter().max().unwrap_or(0))
            }
            Node::Product(factors) => {
                let powers = factors.iter().map(|(x, e)| match of(x)? {
                    0 => Some(0),
                    d if !e.is_negative() => d.checked_mul(u32::try_from(e.to_i64()?).ok()?),
                    _ => None,
                });
                powers.sum()
            }
            other => {
                let mut free = true;
                other.for_each_child(|child| free &= of(&child) == Some(0));
                free.then_some(0)
            }
        });
        degrees.insert(id, degree);
    }
    degrees[&x.id()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_of_polynomials() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        assert_eq!(degree_in(x * y + y.sin(), &[x]), Some(1));
        assert_eq!(degree_in(x * y, &[x, y]), Some(2));
        assert_eq!(degree_in(x.sin(), &[x]), None);
        assert_eq!(degree_in(y / x, &[x]), None);
        assert_eq!(degree_in((x + y).pow(3), &[x]), Some(3));
        assert_eq!(degree_in(x.sqrt(), &[x]), None);
    }
}
