//! What follows from the steps: the rates of the state and the results.

use super::super::vocabulary::RESULTS;
use super::super::{Definition, Results};
use super::DerivationWriter;
use appell_expr::{Ex, Style, vanishes};
use appell_mech::output;

impl<'g> DerivationWriter<'_, 'g> {
    /// The form's own fibre coordinates, where the programs read others.
    pub(super) fn own_coordinates(&mut self) -> Vec<Definition> {
        let equations = self.equations;
        let values = self.output(output::STATE);
        let pairs = equations.state_names.iter().zip(values);
        let renamed = pairs.filter(|(name, value)| value.symbol_name().as_ref() != Some(*name));
        renamed
            .map(|(name, value)| self.define_named(name, value))
            .collect()
    }

    pub(super) fn rate(&mut self) -> Vec<Definition> {
        let equations = self.equations;
        let values = self.output(output::STATE_RATE);
        let pairs = equations.state_names.iter().zip(values);
        pairs
            .map(|(name, value)| self.define_named(&format!("{name}'"), value))
            .collect()
    }

    pub(super) fn results(&mut self) -> Vec<Results> {
        let mut results = Vec::new();
        let wanted = self.wanted;
        for (name, meaning) in RESULTS.into_iter().filter(|row| wanted.contains(&row.0)) {
            let values = self.output(name);
            if !values.is_empty() {
                let entries = self.entries(name, &values);
                results.push(Results {
                    output: name,
                    meaning,
                    entries,
                });
            }
        }
        results
    }

    fn entries(&mut self, name: &str, values: &[Ex<'g>]) -> Vec<Definition> {
        match name {
            output::ACCEL => {
                let symbols = self.system.a.clone();
                symbols
                    .into_iter()
                    .map(|symbol| self.result(symbol))
                    .collect()
            }
            output::REACTION => {
                let symbols = self.reaction_symbols();
                symbols
                    .into_iter()
                    .map(|symbol| self.result(symbol))
                    .collect()
            }
            output::LAMBDA => {
                let names = self
                    .constraints
                    .rows
                    .iter()
                    .map(|row| format!("lambda[{}]", row.name));
                names
                    .zip(values)
                    .map(|(name, value)| self.define_named(&name, *value))
                    .collect()
            }
            output::ENERGY => vec![self.energy(values[0])],
            output::ENERGY_STAR => vec![self.energy_star(values[0])],
            _ => vec![self.energy_rate(values[0])],
        }
    }

    /// `E' = -L_t + R.v + F.v`, the reactions by their names.
    fn energy_rate(&mut self, rate: Ex<'g>) -> Definition {
        let (system, graph) = (self.system, self.graph);
        let active = system.force.dot(&system.velocity()) - system.lagrangian.diff(system.t);
        let reaction = self.output(output::REACTION);
        let power = |reaction: &[Ex<'g>]| {
            let pairs = reaction.iter().zip(&system.v);
            graph.sum(&pairs.map(|(r, v)| *r * *v).collect::<Vec<_>>())
        };
        if active + power(&reaction) != rate {
            return self.define_named("E'", rate);
        }
        let named = power(&self.reaction_symbols());
        self.define_named("E'", active + named)
    }

    /// What a deferred symbol stands for; the symbol itself where that has been said before.
    fn result(&mut self, symbol: Ex<'g>) -> Definition {
        let name = self.printer.print(symbol);
        let before = self
            .planned
            .iter()
            .flat_map(|planned| planned[..self.block].iter().flatten());
        let said = before.into_iter().any(|id| *id == symbol.id());
        let value = match self.deferred.get(&symbol.id()) {
            Some(value) if !said => self.show_as_it_is(*value),
            _ => name.clone(),
        };
        Definition { name, value }
    }

    /// `E = T + V` where that is so.
    fn energy(&mut self, energy: Ex<'g>) -> Definition {
        let model = self.system.model;
        if let (Some(kinetic), Some(potential)) = (model.kinetic, model.potential) {
            let (kinetic, potential) = (self.graph.ex(kinetic), self.graph.ex(potential));
            if vanishes(energy - kinetic - potential) {
                let value = if potential.is_zero() { "T" } else { "T + V" };
                return Definition {
                    name: "E".to_owned(),
                    value: value.to_owned(),
                };
            }
        }
        self.define_named("E", energy)
    }

    /// `E*` by its difference from `E`.
    fn energy_star(&mut self, star: Ex<'g>) -> Definition {
        let name = if self.style == Style::Latex {
            "E^{*}"
        } else {
            "E*"
        };
        let difference = match self.cone {
            true => "0".to_owned(),
            false => self.show(star - self.system.energy),
        };
        let value = if difference == "0" {
            "E".to_owned()
        } else {
            format!("{difference} + E")
        };
        Definition {
            name: name.to_owned(),
            value,
        }
    }
}
