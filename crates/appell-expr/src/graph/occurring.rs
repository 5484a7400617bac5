//! Which symbols occur in an expression: so much is kept beside each node that most questions need no walk.

use super::{Ex, Graph, Id, Node};

/// The symbols in an expression, as bits by their numbers. From the 129th symbol on several share a bit.
type Bits = u128;

/// By id.
#[derive(Default)]
pub(super) struct Occurring(Vec<Bits>);

impl Occurring {
    /// Enters the node that has just been made.
    pub fn enter(&mut self, node: &Node) {
        let mut bits = match node {
            Node::Symbol(index) => 1 << (index % Bits::BITS),
            _ => 0,
        };
        node.for_each_child(|child| bits |= self.0[child.index()]);
        self.0.push(bits);
    }
}

impl Graph {
    /// Whether `part` may occur in `x`: what it is made of does. Of a symbol, among at most 128, that is certain.
    pub(crate) fn may_hold(&self, x: Id, part: Id) -> bool {
        let Occurring(all) = &*self.occurring.borrow();
        all[x.index()] & all[part.index()] == all[part.index()]
    }

    /// Whether each symbol has a bit of its own.
    fn is_told_apart(&self) -> bool {
        self.symbols.borrow().len() <= Bits::BITS as usize
    }

    /// Whether `part` occurs in `x`.
    pub(super) fn holds(&self, x: Id, part: Id) -> bool {
        let is_symbol = self.look(part, |node| matches!(node, Node::Symbol(_)));
        let may_hold = self.may_hold(x, part);
        match may_hold && !(is_symbol && self.is_told_apart()) {
            true => {
                let elsewhere = |id: Id| !self.may_hold(id, part);
                self.reachable_unless(&[x], elsewhere).contains(&part)
            }
            false => may_hold,
        }
    }

    /// The symbols in several expressions, in the order in which they were made or met.
    pub(super) fn symbols_in(&self, xs: &[Ex<'_>]) -> Vec<Id> {
        if !self.is_told_apart() {
            let roots: Vec<Id> = xs.iter().map(|x| x.id).collect();
            let mut ids = self.reachable(&roots);
            ids.retain(|id| self.look(*id, |node| matches!(node, Node::Symbol(_))));
            return ids;
        }
        let bits = {
            let Occurring(all) = &*self.occurring.borrow();
            xs.iter().fold(0, |bits, x| bits | all[x.id.index()])
        };
        let numbers = (0..Bits::BITS).filter(|index| bits >> index & 1 == 1);
        numbers
            .map(|index| self.intern(Node::Symbol(index)).id)
            .collect()
    }
}
