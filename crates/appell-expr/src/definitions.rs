//! Symbols that are defined by each other, as the parameters of a model are.

use crate::graph::{Ex, Id};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A symbol and what it stands for.
pub type Definition<'g> = (Ex<'g>, Ex<'g>);

/// The definitions in an order in which they can be computed: each time the first whose needs are met. Those
/// that need each other in a circle come last.
pub fn in_order<'g>(definitions: &[Definition<'g>]) -> Vec<Definition<'g>> {
    let places: FxHashMap<Id, usize> = (0..).zip(definitions).map(|(i, d)| (d.0.id(), i)).collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); definitions.len()];
    let mut open = vec![0_usize; definitions.len()];
    for (user, (_, value)) in definitions.iter().enumerate() {
        for needed in value.symbols().iter().filter_map(|s| places.get(&s.id())) {
            users[*needed].push(user);
            open[user] += 1;
        }
    }
    let ready = (0..definitions.len()).filter(|i| open[*i] == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = ready.map(Reverse).collect();
    let mut order = Vec::with_capacity(definitions.len());
    while let Some(Reverse(next)) = ready.pop() {
        order.push(next);
        for user in &users[next] {
            open[*user] -= 1;
            if open[*user] == 0 {
                ready.push(Reverse(*user));
            }
        }
    }
    order.extend((0..definitions.len()).filter(|i| open[*i] > 0));
    order.into_iter().map(|i| definitions[i]).collect()
}

/// Definitions with all others put in.
pub struct Closed<'g> {
    values: FxHashMap<Id, Ex<'g>>,
}

impl<'g> Closed<'g> {
    /// Puts them into each other, each once.
    pub fn new(definitions: &[Definition<'g>]) -> Self {
        let mut closed = Self {
            values: FxHashMap::default(),
        };
        for (symbol, value) in in_order(definitions) {
            let value = closed.written_out(value);
            closed.values.insert(symbol.id(), value);
        }
        closed
    }

    /// An expression with every symbol replaced that has a definition.
    pub fn written_out(&self, x: Ex<'g>) -> Ex<'g> {
        let symbols = x.symbols().into_iter();
        let known = symbols.filter_map(|s| Some((s, *self.values.get(&s.id())?)));
        x.substitute(&known.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn definitions_in_any_order_are_put_into_each_other() {
        let g = Graph::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| g.symbol(name));
        let given = [(a, b + c), (b, 2 * c), (c, g.int(3)), (d, g.int(1))];
        let order: Vec<Ex<'_>> = in_order(&given).iter().map(|(s, _)| *s).collect();
        assert_eq!(order, [c, b, a, d]);
        let closed = Closed::new(&given);
        assert_eq!(closed.written_out(a * d), g.int(9));
        let circle = [(a, b + 1), (b, a + 1), (c, g.int(3))];
        assert_eq!(in_order(&circle)[0].0, c);
    }

    /// Every link is put in once: a chain of so many would else take minutes.
    #[test]
    fn long_chains_are_followed_in_linear_time() {
        let g = Graph::new();
        let symbols: Vec<Ex<'_>> = (0..20_000).map(|i| g.symbol(&format!("p{i}"))).collect();
        let first = (symbols[0], g.one());
        let links = symbols.windows(2).map(|pair| (pair[1], pair[0] + 1));
        let mut chain: Vec<Definition<'_>> = [first].into_iter().chain(links).collect();
        chain.reverse();
        let before = g.len();
        let last = Closed::new(&chain).written_out(symbols[symbols.len() - 1]);
        assert_eq!(last, g.int(20_000));
        assert!(g.len() < before + 2 * symbols.len());
    }
}
