//! What has a name of its own: entries of matrices, unknowns, accelerations, reactions.

use super::super::simplify::{never_zero, quotient};
use super::super::vocabulary::component;
use super::{DerivationWriter, NamedMatrix, Solution, as_solve};
use appell_expr::{Ex, Id, Matrix, Node, Solve, SolveKind};
use appell_mech::output;

/// Entries of matrices that are longer than this are called by their names elsewhere.
const LONG_ENTRY: usize = 48;
/// A solution that is not longer than its name by more than this is put in its place.
const SHORT_SOLUTION: usize = 2;

impl<'g> DerivationWriter<'_, 'g> {
    /// Names the entries of matrices, the accelerations and the reactions.
    pub(super) fn prepare(&mut self) {
        if self.tables.is_empty() {
            self.name_tables();
        }
        let (accel, reaction) = (self.system.a.clone(), self.reaction_symbols());
        for at in 0..self.steps.len() {
            self.defer_when_possible(&accel, output::ACCEL, at);
            self.defer_when_possible(&reaction, output::REACTION, at);
            if let Some(solve) = as_solve(&self.sketch.steps()[self.steps[at]]) {
                self.name_unknowns(solve);
                self.put_in_short_solutions(solve);
            }
        }
        self.defer_when_possible(&accel, output::ACCEL, self.steps.len());
        self.defer_when_possible(&reaction, output::REACTION, self.steps.len());
    }

    /// Unknowns that had to avoid those of another derivation lose the mark of that.
    fn name_unknowns(&mut self, solve: &Solve) {
        for unknown in self.graph.exs(&solve.unknowns) {
            let name = unknown.symbol_name().unwrap_or_default();
            let stem = name.trim_end_matches('_');
            let marked = stem.ends_with(']') && stem != name;
            let plain = if marked {
                self.graph.symbol(stem)
            } else {
                unknown
            };
            self.unknowns.insert(unknown.id(), plain);
            if marked {
                self.simplifier.replace(unknown, plain);
            }
        }
    }

    fn put_in_short_solutions(&mut self, solve: &Solve) {
        let Some(solution) = self.solution(solve) else {
            return;
        };
        for (unknown, value) in self
            .graph
            .exs(&solve.unknowns)
            .into_iter()
            .zip(solution.values)
        {
            let most = self.simplifier.length(self.unknowns[&unknown.id()]) + SHORT_SOLUTION;
            if value.as_rational().is_some() || self.simplifier.length(value) <= most {
                self.simplifier.replace(unknown, value);
            }
        }
    }

    /// The solution of a diagonal system.
    pub(super) fn solution(&mut self, solve: &Solve) -> Option<Solution<'g>> {
        let (graph, size) = (self.graph, solve.size);
        let matrix = graph.exs(&solve.matrix);
        let matrix: Vec<Ex<'g>> = matrix.iter().map(|x| self.simplifier.short(*x)).collect();
        let on_diagonal = |index: usize| index / size == index % size;
        if size == 0 || (0..size * size).any(|index| matrix[index].is_zero() == on_diagonal(index))
        {
            return None;
        }
        let sure = !matches!(solve.kind, SolveKind::OfRows { .. });
        let (mut values, mut regular) = (Vec::new(), true);
        for (index, right) in graph.exs(&solve.right).into_iter().enumerate() {
            let d = matrix[index / solve.columns * (size + 1)];
            let right = self.simplifier.short(right);
            let nonzero = sure || never_zero(d);
            regular &= nonzero;
            let value = if nonzero {
                quotient(right, d)
            } else {
                right / d
            };
            values.push(self.simplifier.short(value));
        }
        Some(Solution { values, regular })
    }

    pub(super) fn name_tables(&mut self) {
        let (system, constraints) = (self.system, self.constraints);
        let q: Vec<&str> = system
            .model
            .coordinates
            .iter()
            .map(|c| c.name.as_str())
            .collect();
        let active = constraints.active();
        let rows: Vec<&str> = active.map(|row| row.name.as_str()).collect();
        self.name_table("M", "the mass matrix L_vv", &system.mass, &q, Some(&q));
        self.name_table(
            "r",
            "the right side of the free motion M q'' = r",
            &system.right,
            &q,
            None,
        );
        if rows.is_empty() {
            return;
        }
        self.name_table("A", "phi_v", &constraints.a, &rows, Some(&q));
        self.name_table("B", "phi_q v + phi_t", &constraints.b, &rows, None);
        if !constraints.ideal {
            let meaning = "the directions of the reactions, in place of A^T";
            self.name_table("W", meaning, &constraints.w, &q, Some(&rows));
        }
    }

    fn name_table(
        &mut self,
        letter: &'static str,
        meaning: &'static str,
        matrix: &Matrix<'g>,
        rows: &[&str],
        columns: Option<&[&str]>,
    ) {
        let mut entries = Vec::new();
        for (index, raw) in matrix.entries().iter().enumerate() {
            let (i, j) = (index / matrix.columns(), index % matrix.columns());
            let symbol = match columns {
                Some(columns) => component(self.graph, letter, &[rows[i], columns[j]]),
                None => component(self.graph, letter, &[rows[i]]),
            };
            entries.push((symbol, self.simplifier.short(*raw)));
        }
        for ((symbol, value), raw) in entries.iter().zip(matrix.entries()) {
            let known = self.simplifier.short(*raw) != *value;
            if !known && self.simplifier.length(*value) > LONG_ENTRY {
                self.simplifier.replace(*raw, *symbol);
            }
        }
        self.tables.push(NamedMatrix {
            letter,
            meaning,
            columns: matrix.columns(),
            entries,
        });
    }

    /// Lets symbols stand for the entries of an output, as soon as what these are made of has
    /// been found in the steps before the one numbered `at`.
    fn defer_when_possible(&mut self, symbols: &[Ex<'g>], name: &str, at: usize) {
        let values = self.output(name);
        let ids: Vec<Id> = values.iter().map(|x| x.id()).collect();
        let parts = self.graph.reachable(&ids);
        let steps = self.sketch.steps();
        let mut later = self.steps[at..].iter().map(|index| &steps[*index]);
        let is_named = |id: &Id| symbols.iter().any(|symbol| symbol.id() == *id);
        let open = later.any(|step| parts.iter().any(|id| step.defines(*id) && !is_named(id)));
        if open
            || symbols
                .iter()
                .all(|symbol| self.settled.contains(&symbol.id()))
        {
            return;
        }
        for (symbol, value) in symbols.iter().zip(values) {
            self.settled.insert(symbol.id());
            self.defer(*symbol, value);
        }
    }

    /// Lets a symbol stand for an expression that is defined where it is first needed.
    fn defer(&mut self, symbol: Ex<'g>, value: Ex<'g>) {
        let short = self.simplifier.short(value);
        if short == symbol {
            return;
        }
        self.deferred.insert(symbol.id(), short);
        if !matches!(short.node(), Node::Symbol(_) | Node::Number(_)) {
            self.simplifier.replace(value, symbol);
        } else if symbol != value {
            self.simplifier.replace(symbol, short);
        }
    }

    pub(super) fn output(&self, name: &str) -> Vec<Ex<'g>> {
        self.sketch
            .get(name)
            .map_or_else(Vec::new, |m| m.entries().to_vec())
    }

    pub(super) fn reaction_symbols(&self) -> Vec<Ex<'g>> {
        let names = self
            .system
            .model
            .coordinates
            .iter()
            .map(|c| c.name.as_str());
        names
            .map(|name| component(self.graph, "R", &[name]))
            .collect()
    }
}
