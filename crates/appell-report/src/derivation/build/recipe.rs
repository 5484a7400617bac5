//! The objects of a paper's recipe, under the letters of the paper.

use super::super::statement::statement;
use super::super::vocabulary::component;
use super::super::{Definition, Exhibit, Table};
use super::DerivationWriter;
use appell_expr::{Ex, Style, latex_name};
use appell_mech::{Index, Object};

impl<'g> DerivationWriter<'_, 'g> {
    /// Those objects that are wanted and not empty; of particles and bodies, one after the other.
    pub(super) fn recipe(&mut self) -> Vec<Exhibit> {
        let wanted = self.wanted;
        let objects = self.equations.formalism.recipe.iter();
        let objects = objects.filter(|object| wanted.contains(&object.output));
        objects.flat_map(|object| self.exhibits(object)).collect()
    }

    fn exhibits(&mut self, object: &Object) -> Vec<Exhibit> {
        let sketch = self.sketch;
        let Some(matrix) = sketch.get(object.output) else {
            return Vec::new();
        };
        if self.left_out(object, matrix.entries()) {
            return vec![self.exhibit(object, None, Vec::new())];
        }
        let (rows, columns) = (matrix.rows(), matrix.columns());
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
                [] => self.letter(object, None),
                _ => self.entry_name(object, &indices),
            };
            let value = self.show(*value);
            entries.push(Definition { name, value });
        }
        let entries: Vec<_> = entries.chunks(columns.max(1)).map(<[_]>::to_vec).collect();
        if object.indices.first() != Some(&Index::Body) {
            let whole = (!entries.is_empty()).then(|| self.exhibit(object, None, entries));
            return whole.into_iter().collect();
        }
        let inspected = self.system.inspected_velocities();
        let parts = inspected.iter().zip(entries.chunks(3));
        parts
            .map(|((name, _), rows)| self.exhibit(object, Some(name), rows.to_vec()))
            .collect()
    }

    /// Whether an object is too long; found when its formulas are collected.
    fn left_out(&mut self, object: &Object, entries: &[Ex<'g>]) -> bool {
        if self.planned.is_none() && self.simplifier.new_parts(entries) > self.most_parts {
            self.left_out.push(object.output);
        }
        self.left_out.contains(&object.output)
    }

    fn exhibit(
        &self,
        object: &Object,
        body: Option<&str>,
        entries: Vec<Vec<Definition>>,
    ) -> Exhibit {
        let formula = match self.style {
            Style::Text => object.formula.to_owned(),
            Style::Latex => statement(object.formula),
        };
        Exhibit {
            output: object.output,
            left_out: self.left_out.contains(&object.output),
            formula,
            table: Table {
                name: self.letter(object, body),
                meaning: object.meaning,
                entries,
            },
        }
    }

    /// The paper's letter, the index P of a particle or body by its name.
    fn letter(&self, object: &Object, body: Option<&str>) -> String {
        match (self.style, body) {
            (Style::Text, None) => object.letter.to_owned(),
            (Style::Latex, None) => object.latex.to_owned(),
            (Style::Text, Some(name)) => object.letter.replace("^P", &format!("^{name}")),
            (Style::Latex, Some(name)) => {
                let name = latex_name(name);
                object.latex.replace("^{P}", &format!("^{{{name}}}"))
            }
        }
    }

    /// Such as `G[z1,z2]` in `[G_alpha beta]`: the first letters of the letter.
    fn entry_name(&mut self, object: &Object, indices: &[&str]) -> String {
        let words = |c: char| !c.is_ascii_alphabetic();
        let stem = object.letter.split(words).find(|word| !word.is_empty());
        let symbol: Ex<'g> = component(self.graph, stem.unwrap_or_default(), indices);
        self.printer.print(symbol)
    }

    /// What an index of so many values counts; numbers where the names do not fit.
    fn labels(&self, index: Index, count: usize) -> Vec<String> {
        let (model, equations) = (self.system.model, self.equations);
        let names: Vec<String> = match index {
            Index::Coordinate => model.coordinates.iter().map(|q| q.name.clone()).collect(),
            Index::Fibre => equations.state_names[self.system.n()..].to_vec(),
            Index::Row => {
                let active = self.constraints.active();
                active.map(|row| row.name.clone()).collect()
            }
            Index::Dependent => {
                let chart = self.constraints.chart.as_ref();
                let dependent = chart.map_or(&[][..], |chart| &chart.dependent);
                let name = |i: &usize| model.coordinates[*i].name.clone();
                dependent.iter().map(name).collect()
            }
            Index::Body => {
                let names = self.system.inspected_velocities().into_iter();
                names
                    .flat_map(|(name, _)| ["x", "y", "z"].map(|axis| format!("{name}.{axis}")))
                    .collect()
            }
            Index::Pair => {
                let names = model.coordinates.iter().map(|q| q.name.as_str());
                let pairs = names
                    .clone()
                    .flat_map(|h| names.clone().map(move |j| format!("{h},{j}")));
                pairs.collect()
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
