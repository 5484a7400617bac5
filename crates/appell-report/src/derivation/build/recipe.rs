//! The objects of a paper's recipe, under the letters of the paper.

use super::super::vocabulary::component;
use super::super::{Definition, Exhibit, Table, latex};
use super::Scribe;
use appell_expr::{Ex, Style};
use appell_mech::{Index, Object};

impl<'g> Scribe<'_, 'g> {
    /// Those objects that are wanted and not empty.
    pub(super) fn recipe(&mut self) -> Vec<Exhibit> {
        let wanted = self.wanted;
        let objects = self.equations.formalism.recipe.iter();
        let objects = objects.filter(|object| wanted.contains(&object.output));
        objects.filter_map(|object| self.exhibit(object)).collect()
    }

    fn exhibit(&mut self, object: &Object) -> Option<Exhibit> {
        let equations = self.equations;
        let matrix = equations.sketch.get(object.output)?;
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let (letter, formula) = match self.style {
            Style::Text => (object.letter.to_owned(), object.formula.to_owned()),
            Style::Latex => (object.latex.to_owned(), latex::statement(object.formula)),
        };
        let labels: Vec<Vec<String>> = object
            .indices
            .iter()
            .zip([rows, columns])
            .map(|(index, count)| self.labels(*index, count))
            .collect();
        let mut entries = Vec::new();
        for (place, value) in matrix.entries().iter().enumerate() {
            let at = [place / columns, place % columns];
            let indices: Vec<&str> = labels.iter().zip(at).map(|(l, i)| l[i].as_str()).collect();
            let name = match indices.as_slice() {
                [] => letter.clone(),
                _ => self.entry_name(object, &indices),
            };
            let value = self.show(*value);
            entries.push(Definition { name, value });
        }
        let entries: Vec<_> = entries.chunks(columns.max(1)).map(<[_]>::to_vec).collect();
        (!entries.is_empty()).then_some(Exhibit {
            output: object.output,
            formula,
            table: Table {
                name: letter,
                meaning: object.meaning,
                entries,
            },
        })
    }

    /// Such as `G[z1,z2]` in `[G_alpha beta]`.
    fn entry_name(&mut self, object: &Object, indices: &[&str]) -> String {
        let stem = object.letter.trim_start_matches('[');
        let end = stem.find(|c: char| !c.is_ascii_alphabetic());
        let symbol: Ex<'g> = component(self.graph, &stem[..end.unwrap_or(stem.len())], indices);
        self.printer.print(symbol)
    }

    /// What an index of so many values counts; numbers where the names do not fit.
    fn labels(&self, index: Index, count: usize) -> Vec<String> {
        let (model, equations) = (self.system.model, self.equations);
        let names: Vec<String> = match index {
            Index::Coordinate => model.coordinates.iter().map(|q| q.name.clone()).collect(),
            Index::Fibre => equations.state_names[self.system.n()..].to_vec(),
            Index::Row => {
                let active = self.constraints.rows.iter().filter(|row| row.is_active());
                active.map(|row| row.name.clone()).collect()
            }
            Index::Dependent => {
                let chart = self.constraints.chart.as_ref();
                let dependent = chart.map_or(&[][..], |chart| &chart.dependent);
                let name = |i: &usize| model.coordinates[*i].name.clone();
                dependent.iter().map(name).collect()
            }
            Index::Particle => {
                let particles = model.particles.iter();
                particles
                    .flat_map(|p| ["x", "y", "z"].map(|axis| format!("{}.{axis}", p.name)))
                    .collect()
            }
            Index::Number => Vec::new(),
        };
        if names.len() == count {
            names
        } else {
            (1..=count).map(|i| i.to_string()).collect()
        }
    }
}
