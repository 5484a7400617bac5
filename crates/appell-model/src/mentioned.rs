//! The results of mechanics that a file speaks of.

use crate::model::Quantity;
use appell_expr::Id;
use std::collections::HashMap;

/// Every quantity spoken of, with its symbol.
#[derive(Debug, Default)]
pub(crate) struct Results {
    list: Vec<(Quantity, Id)>,
    by_symbol: HashMap<Id, usize>,
    by_quantity: HashMap<Quantity, Id>,
}

impl Results {
    pub(crate) fn insert(&mut self, quantity: Quantity, symbol: Id) {
        if !self.by_symbol.contains_key(&symbol) {
            self.by_symbol.insert(symbol, self.list.len());
            self.by_quantity.insert(quantity.clone(), symbol);
            self.list.push((quantity, symbol));
        }
    }

    /// The quantity that a symbol stands for.
    pub(crate) fn quantity(&self, symbol: Id) -> Option<Quantity> {
        self.by_symbol.get(&symbol).map(|i| self.list[*i].0.clone())
    }

    /// The symbol that stands for a quantity.
    pub(crate) fn symbol(&self, quantity: &Quantity) -> Option<Id> {
        self.by_quantity.get(quantity).copied()
    }

    /// All, in the order in which they were first spoken of.
    pub(crate) fn take(&mut self) -> Vec<(Quantity, Id)> {
        std::mem::take(&mut self.list)
    }
}
