//! What deserves a name because it is long and used more than once, and where it is defined.

use super::super::vocabulary;
use super::DerivationWriter;
use appell_expr::{Ex, Id, Printer, Style, latex_name};
use std::collections::{HashMap, HashSet};

/// What is longer than this in text, and used more than once, gets a name.
const LONG: usize = 36;
/// The same for what is used at least so many times: angular velocities by a quaternion.
const OFTEN: (usize, usize) = (24, 6);

impl<'g> DerivationWriter<'_, 'g> {
    /// Chooses abbreviations, and where everything is defined.
    pub(super) fn plan(&mut self) {
        let roots: Vec<Id> = self.blocks.iter().flatten().map(|x| x.id()).collect();
        let ids = self.graph.reachable(&roots);
        let chosen = self.chosen(&roots, &ids);
        let prefix = vocabulary::abbreviation_prefix(self.graph, &ids, self.system);
        let mut done = HashSet::new();
        let mut planned = Vec::new();
        let mut count = 0;
        for (place, block) in self.blocks.iter().enumerate() {
            // In rows given for the accelerations these are what is sought.
            let order = match place {
                0 => self.in_order(&ids_of(block), &chosen, &mut done, &self.sought()),
                _ => self.definitions_in_order(block, &chosen, &mut done),
            };
            for id in order.iter().filter(|id| chosen.contains(id)) {
                count += 1;
                let name = format!("{prefix}{count}");
                let name = if self.style == Style::Latex {
                    latex_name(&name)
                } else {
                    name
                };
                self.printer.abbreviate(self.graph.ex(*id), name);
            }
            planned.push(order);
        }
        self.planned = Some(planned);
    }

    /// Expressions that are long and used more than once, their own parts abbreviated.
    fn chosen(&self, roots: &[Id], ids: &[Id]) -> HashSet<Id> {
        let mut uses: HashMap<Id, usize> = HashMap::new();
        // A formula shown whole in several places, as a matrix entry is, counts once.
        uses.extend(roots.iter().map(|id| (*id, 1)));
        let mut count = |id: Id| *uses.entry(id).or_default() += 1;
        ids.iter()
            .for_each(|id| self.graph.node(*id).for_each_child(&mut count));
        let mut measure = Printer::new(self.graph, Style::Text);
        let mut chosen = HashSet::new();
        for id in ids {
            let x = self.graph.ex(*id);
            let (long, often) = OFTEN;
            let length = measure.length(x);
            if uses[id] > 1 && length > LONG || uses[id] >= often && length > long {
                measure.abbreviate(x, "c00".to_owned());
                chosen.insert(*id);
            }
        }
        chosen
    }

    /// What a block needs that is not defined before it, each after what it needs itself.
    ///
    /// If it needs one acceleration or reaction, all of them are defined here.
    fn definitions_in_order(
        &self,
        block: &[Ex<'g>],
        chosen: &HashSet<Id>,
        done: &mut HashSet<Id>,
    ) -> Vec<Id> {
        let roots = ids_of(block);
        let none = HashSet::new();
        let needed = self.in_order(&roots, chosen, &mut done.clone(), &none);
        let families = [self.system.a.clone(), self.reaction_symbols()];
        let families = families.iter().map(|family| family.iter().map(|x| x.id()));
        let whole = families.filter(|family| family.clone().any(|id| needed.contains(&id)));
        let roots: Vec<Id> = whole.flatten().chain(roots).collect();
        self.in_order(&roots, chosen, done, &none)
    }

    /// The symbols of accelerations.
    fn sought(&self) -> HashSet<Id> {
        self.system.a.iter().map(|x| x.id()).collect()
    }

    /// What is to be defined for these formulas, but for what is defined later anyway.
    fn in_order(
        &self,
        roots: &[Id],
        chosen: &HashSet<Id>,
        done: &mut HashSet<Id>,
        later: &HashSet<Id>,
    ) -> Vec<Id> {
        let mut order = Vec::new();
        let mut pending: Vec<(Id, bool)> = roots.iter().rev().map(|id| (*id, false)).collect();
        while let Some((id, left)) = pending.pop() {
            if left {
                order.push(id);
                continue;
            }
            if later.contains(&id) || !done.insert(id) {
                continue;
            }
            let mut parts: Vec<Id> = Vec::new();
            self.graph
                .node(id)
                .for_each_child(|child| parts.push(child));
            let meaning = self.deferred.get(&id).map(|x| x.id());
            if meaning.is_some() || chosen.contains(&id) {
                pending.push((id, true));
            }
            pending.extend(parts.into_iter().chain(meaning).rev().map(|id| (id, false)));
        }
        order
    }
}

fn ids_of(formulas: &[Ex<'_>]) -> Vec<Id> {
    formulas.iter().map(|x| x.id()).collect()
}
