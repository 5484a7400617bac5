//! From the algebra to strings: what is shown, under which names, in which order.
//!
//! The derivation is written twice by the same functions. The first time its formulas are only
//! collected; then it is known what they have in common and deserves a name, and the second
//! time they are printed.

use super::simplify::{Simplifier, quotient};
use super::vocabulary::{self, RESULTS, component};
use super::{Definition, Derivation, Results, Row, Step, Table, latex};
use appell_expr::{Ex, Graph, Id, Matrix, Node, Printer, Solve, SolveKind, Style, latex_name, vanishes};
use appell_mech::{Constraints, Equations, System, output};
use std::collections::{HashMap, HashSet};

/// What is longer than this in text, and used more than once, gets a name.
const LONG: usize = 36;

/// Writes the derivation of one formalism.
pub(super) fn derivation<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &Equations<'g>,
    style: Style,
) -> Derivation {
    let mut scribe = Scribe::new(system, constraints, equations, style);
    scribe.prepare();
    scribe.write();
    scribe.plan();
    scribe.write()
}

/// A matrix or vector of the system, with its entries under their names.
struct NamedMatrix<'g> {
    letter: &'static str,
    meaning: &'static str,
    columns: usize,
    entries: Vec<(Ex<'g>, Ex<'g>)>,
}

struct Scribe<'a, 'g> {
    graph: &'g Graph,
    system: &'a System<'g>,
    constraints: &'a Constraints<'g>,
    equations: &'a Equations<'g>,
    style: Style,
    simplifier: Simplifier<'g>,
    printer: Printer<'g>,
    tables: Vec<NamedMatrix<'g>>,
    /// Symbols for accelerations and reactions, and what they stand for.
    deferred: HashMap<Id, Ex<'g>>,
    /// The formulas of each block: the system, the steps, the results.
    blocks: Vec<Vec<Ex<'g>>>,
    /// The definitions to be made before each block, once they are planned.
    planned: Option<Vec<Vec<Id>>>,
    block: usize,
}

impl<'a, 'g> Scribe<'a, 'g> {
    fn new(
        system: &'a System<'g>,
        constraints: &'a Constraints<'g>,
        equations: &'a Equations<'g>,
        style: Style,
    ) -> Self {
        let graph = system.graph;
        let mut printer = Printer::new(graph, style);
        printer.lead_with(&equations.parameters);
        Self {
            graph,
            system,
            constraints,
            equations,
            style,
            simplifier: Simplifier::new(graph),
            printer,
            tables: Vec::new(),
            deferred: HashMap::new(),
            blocks: vec![Vec::new()],
            planned: None,
            block: 0,
        }
    }

    // ---- first: what has a name of its own

    /// Names the entries of matrices, the accelerations and the reactions.
    fn prepare(&mut self) {
        self.trim_unknowns();
        self.name_tables();
        let accelerations = self.output(output::ACCEL);
        for (symbol, value) in self.system.a.clone().into_iter().zip(accelerations) {
            self.defer(symbol, value);
        }
        let reactions = self.output(output::REACTION);
        for (symbol, value) in self.reaction_symbols().into_iter().zip(reactions) {
            self.defer(symbol, value);
        }
    }

    /// Unknowns that had to avoid those of another derivation lose the mark of that.
    fn trim_unknowns(&mut self) {
        for solve in self.equations.sketch.steps().iter().filter_map(as_solve) {
            for unknown in self.graph.exs(&solve.unknowns) {
                let name = unknown.symbol_name().unwrap_or_default();
                if name.ends_with("]_") {
                    let plain = self.graph.symbol(name.trim_end_matches('_'));
                    self.simplifier.replace(unknown, plain);
                }
            }
        }
    }

    fn name_tables(&mut self) {
        let (system, constraints) = (self.system, self.constraints);
        let q: Vec<&str> = system.model.coordinates.iter().map(|c| c.name.as_str()).collect();
        let active = constraints.rows.iter().filter(|row| row.is_active());
        let rows: Vec<&str> = active.map(|row| row.name.as_str()).collect();
        self.name_table("M", "the mass matrix L_vv", &system.mass, &q, Some(&q));
        self.name_table("r", "the right side of the free motion M q'' = r", &system.right, &q, None);
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
            if !known && self.simplifier.length(*value) > LONG {
                self.simplifier.replace(*raw, *symbol);
            }
        }
        self.tables.push(NamedMatrix { letter, meaning, columns: matrix.columns(), entries });
    }

    /// Lets a symbol stand for an expression that is defined where it is first needed.
    fn defer(&mut self, symbol: Ex<'g>, value: Ex<'g>) {
        let short = self.simplifier.short(value);
        let atom = matches!(short.node(), Node::Symbol(_) | Node::Number(_));
        if short != symbol {
            self.deferred.insert(symbol.id(), short);
        }
        if !atom {
            self.simplifier.replace(value, symbol);
        }
    }

    fn output(&self, name: &str) -> Vec<Ex<'g>> {
        self.equations.sketch.get(name).map_or_else(Vec::new, |m| m.entries().to_vec())
    }

    fn reaction_symbols(&self) -> Vec<Ex<'g>> {
        let names = self.system.model.coordinates.iter().map(|c| c.name.as_str());
        names.map(|name| component(self.graph, "R", &[name])).collect()
    }

    // ---- between: what deserves a name

    /// Chooses abbreviations, and where everything is defined.
    fn plan(&mut self) {
        let roots: Vec<Id> = self.blocks.iter().flatten().map(|x| x.id()).collect();
        let ids = self.graph.reachable(&roots);
        let chosen = self.chosen(&roots, &ids);
        let prefix = vocabulary::abbreviation_prefix(self.graph, &ids, self.system);
        let mut done = HashSet::new();
        let mut planned = Vec::new();
        let mut count = 0;
        for block in &self.blocks {
            let order = self.definitions_in_order(block, &chosen, &mut done);
            for id in order.iter().filter(|id| chosen.contains(id)) {
                count += 1;
                let name = format!("{prefix}{count}");
                let name = if self.style == Style::Latex { latex_name(&name) } else { name };
                self.printer.abbreviate(self.graph.ex(*id), name);
            }
            planned.push(order);
        }
        self.planned = Some(planned);
    }

    /// Expressions that are long and used more than once, their own parts abbreviated.
    fn chosen(&self, roots: &[Id], ids: &[Id]) -> HashSet<Id> {
        let mut uses: HashMap<Id, usize> = HashMap::new();
        let mut count = |id: Id| *uses.entry(id).or_default() += 1;
        roots.iter().for_each(|id| count(*id));
        ids.iter().for_each(|id| self.graph.node(*id).for_each_child(&mut count));
        let mut measure = Printer::new(self.graph, Style::Text);
        let mut chosen = HashSet::new();
        for id in ids {
            let x = self.graph.ex(*id);
            if uses[id] > 1 && measure.length(x) > LONG {
                measure.abbreviate(x, "c00".to_owned());
                chosen.insert(*id);
            }
        }
        chosen
    }

    /// What a block needs that is not defined before it, each after what it needs itself.
    fn definitions_in_order(
        &self,
        block: &[Ex<'g>],
        chosen: &HashSet<Id>,
        done: &mut HashSet<Id>,
    ) -> Vec<Id> {
        let mut order = Vec::new();
        let mut pending: Vec<(Id, bool)> = block.iter().rev().map(|x| (x.id(), false)).collect();
        while let Some((id, left)) = pending.pop() {
            if left {
                order.push(id);
                continue;
            }
            if !done.insert(id) {
                continue;
            }
            let meaning = self.deferred.get(&id).map(|x| x.id());
            if meaning.is_some() || chosen.contains(&id) {
                pending.push((id, true));
            }
            pending.extend(meaning.map(|id| (id, false)));
            self.graph.node(id).for_each_child(|child| pending.push((child, false)));
        }
        order
    }

    // ---- twice: the derivation

    fn write(&mut self) -> Derivation {
        self.block = 0;
        let (equations, model) = (self.equations, self.system.model);
        let formalism = equations.formalism;
        let statement = match self.style {
            Style::Text => formalism.statement.to_owned(),
            Style::Latex => latex::statement(formalism.statement),
        };
        let mut derivation = Derivation {
            style: self.style,
            title: model.title.clone(),
            origin: model.origin.clone(),
            form: formalism.id.to_owned(),
            form_title: formalism.title.to_owned(),
            statement,
            sources: formalism.sources.iter().map(|&source| source.to_owned()).collect(),
            coordinates: self.show_all(&self.system.q),
            parameters: self.show_all(&equations.parameters),
            energies: self.energies(),
            tables: self.tables(),
            rows: self.rows(),
            abbreviations: self.definitions(),
            state: self.show_all(&equations.state),
            steps: Vec::new(),
            rate: Vec::new(),
            results: Vec::new(),
            notes: vocabulary::ambiguity(self.system).into_iter().collect(),
        };
        derivation.steps = self.steps();
        derivation.rate = self.rate();
        derivation.results = self.results();
        append(&mut derivation.steps, self.last_definitions());
        derivation
    }

    /// The definitions before the present block, which ends here.
    fn definitions(&mut self) -> Vec<Definition> {
        let ids = match &self.planned {
            Some(planned) => planned[self.block].clone(),
            None => {
                self.blocks.push(Vec::new());
                Vec::new()
            }
        };
        self.block += 1;
        ids.into_iter().map(|id| self.planned_definition(id)).collect()
    }

    /// What the results have in common; those that are results stand among these.
    fn last_definitions(&mut self) -> Option<Step> {
        if let Some(planned) = &mut self.planned {
            let deferred = &self.deferred;
            planned[self.block].retain(|id| !deferred.contains_key(id));
        }
        let last = self.definitions();
        (!last.is_empty()).then_some(Step::Define(last))
    }

    fn planned_definition(&mut self, id: Id) -> Definition {
        let name = self.printer.print(self.graph.ex(id));
        let value = match self.deferred.get(&id) {
            Some(value) => self.printer.print(*value),
            None => self.printer.print_definition(self.graph.ex(id)),
        };
        Definition { name, value }
    }

    /// The text of an expression; while collecting, nothing.
    fn show(&mut self, x: Ex<'g>) -> String {
        let x = self.simplifier.short(x);
        self.show_as_it_is(x)
    }

    fn show_as_it_is(&mut self, x: Ex<'g>) -> String {
        if self.planned.is_some() {
            return self.printer.print(x);
        }
        self.blocks[self.block].push(x);
        String::new()
    }

    fn show_all(&mut self, xs: &[Ex<'g>]) -> Vec<String> {
        xs.iter().map(|x| self.show(*x)).collect()
    }

    fn show_rows(&mut self, entries: &[Ex<'g>], columns: usize) -> Vec<Vec<String>> {
        entries.chunks(columns.max(1)).map(|row| self.show_all(row)).collect()
    }

    fn define(&mut self, name: Ex<'g>, value: Ex<'g>) -> Definition {
        Definition { name: self.show_as_it_is(name), value: self.show(value) }
    }

    /// `name = value` for a name that is no symbol of the algebra.
    fn define_named(&mut self, name: &str, value: Ex<'g>) -> Definition {
        let name = if self.style == Style::Latex { latex_name(name) } else { name.to_owned() };
        Definition { name, value: self.show(value) }
    }

    fn energies(&mut self) -> Vec<Definition> {
        let model = self.system.model;
        match (model.kinetic, model.potential) {
            (Some(kinetic), Some(potential)) => vec![
                self.define_named("T", self.graph.ex(kinetic)),
                self.define_named("V", self.graph.ex(potential)),
            ],
            _ => vec![self.define_named("L", self.system.lagrangian)],
        }
    }

    fn tables(&mut self) -> Vec<Table> {
        let tables = std::mem::take(&mut self.tables);
        let shown = tables.iter().map(|table| self.table(table)).collect();
        self.tables = tables;
        shown
    }

    fn table(&mut self, table: &NamedMatrix<'g>) -> Table {
        let mut entries = Vec::new();
        for (symbol, value) in &table.entries {
            let name = self.printer.print(*symbol);
            entries.push(Definition { name, value: self.show_as_it_is(*value) });
        }
        let entries = entries.chunks(table.columns.max(1)).map(<[_]>::to_vec).collect();
        Table { name: table.letter.to_owned(), meaning: table.meaning, entries }
    }

    fn rows(&mut self) -> Vec<Row> {
        let constraints = self.constraints;
        let row = |row| {
            let row: &appell_mech::ConstraintRow<'g> = row;
            let left = self.show(row.residual(self.system));
            let remark = vocabulary::remark(row, constraints);
            Row { name: row.name.clone(), left, remark }
        };
        constraints.rows.iter().map(row).collect()
    }

    /// The steps that the results need, each after the definitions it needs itself.
    fn steps(&mut self) -> Vec<Step> {
        let sketch = &self.equations.sketch;
        let names = RESULTS.iter().map(|(name, _)| *name).chain([output::RATE]);
        let outputs: Vec<_> = names.filter_map(|name| Some((name, sketch.get(name)?))).collect();
        let mut steps = Vec::new();
        for index in sketch.needed_steps(&outputs) {
            let Some(step) = self.step(&sketch.steps()[index]) else { continue };
            let before = self.definitions();
            append(&mut steps, (!before.is_empty()).then_some(Step::Define(before)));
            append(&mut steps, Some(step));
        }
        steps
    }

    fn step(&mut self, step: &appell_expr::Step) -> Option<Step> {
        match step {
            // The accelerations are defined where they are first needed.
            appell_expr::Step::Let(symbol, _) if self.deferred.contains_key(symbol) => None,
            appell_expr::Step::Let(symbol, value) => {
                let definition = self.define(self.graph.ex(*symbol), self.graph.ex(*value));
                Some(Step::Define(vec![definition]))
            }
            appell_expr::Step::Solve(solve) if solve.size == 0 => None,
            appell_expr::Step::Solve(solve) => Some(self.solve(solve)),
        }
    }

    fn solve(&mut self, solve: &Solve) -> Step {
        let graph = self.graph;
        let matrix: Vec<Ex<'g>> = graph.exs(&solve.matrix).iter().map(|x| self.simplifier.short(*x)).collect();
        let diagonal = matrix.iter().enumerate().all(|(index, x)| {
            let off_diagonal = index / solve.size != index % solve.size;
            x.is_zero() == off_diagonal
        });
        let (unknowns, right) = (graph.exs(&solve.unknowns), graph.exs(&solve.right));
        if !diagonal {
            return Step::Solve {
                name: solve.name.clone(),
                kind: solve.kind.words(),
                matrix: self.show_rows(&matrix, solve.size),
                unknowns: self.show_rows(&unknowns, solve.columns),
                right: self.show_rows(&right, solve.columns),
            };
        }
        let mut least_norm = false;
        let mut solved = Vec::new();
        for (index, (unknown, right)) in unknowns.into_iter().zip(right).enumerate() {
            let row = index / solve.columns;
            let d = matrix[row * solve.size + row];
            let right = self.simplifier.short(right);
            let regular = d.as_rational().is_some() || !matches!(solve.kind, SolveKind::Consistent { .. });
            least_norm |= !regular;
            let value = if regular { quotient(right, d) } else { right / d };
            let name = self.show(unknown);
            solved.push(Definition { name, value: self.show_as_it_is(value) });
        }
        Step::Solved { name: solve.name.clone(), least_norm, unknowns: solved }
    }

    fn rate(&mut self) -> Vec<Definition> {
        let values = self.output(output::RATE);
        let names: Vec<String> = self.equations.state_names();
        let pairs = names.iter().zip(values);
        pairs.map(|(name, value)| self.define_named(&format!("{name}'"), value)).collect()
    }

    fn results(&mut self) -> Vec<Results> {
        let mut results = Vec::new();
        for (name, meaning) in RESULTS {
            let values = self.output(name);
            if !values.is_empty() {
                let entries = self.entries(name, &values);
                results.push(Results { output: name, meaning, entries });
            }
        }
        results
    }

    fn entries(&mut self, name: &str, values: &[Ex<'g>]) -> Vec<Definition> {
        match name {
            output::ACCEL => {
                let symbols = self.system.a.clone();
                symbols.into_iter().map(|symbol| self.result(symbol)).collect()
            }
            output::REACTION => {
                let symbols = self.reaction_symbols();
                symbols.into_iter().map(|symbol| self.result(symbol)).collect()
            }
            output::LAMBDA => {
                let names = self.constraints.rows.iter().map(|row| format!("lambda[{}]", row.name));
                names.zip(values).map(|(name, value)| self.define_named(&name, *value)).collect()
            }
            output::ENERGY => vec![self.energy(values[0])],
            output::ENERGY_STAR => vec![self.energy_star(values[0])],
            _ => vec![self.define_named("E'", values[0])],
        }
    }

    /// What a deferred symbol stands for; the symbol itself where that has been said before.
    fn result(&mut self, symbol: Ex<'g>) -> Definition {
        let name = self.printer.print(symbol);
        let before = self.planned.iter().flat_map(|planned| planned[..self.block].iter().flatten());
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
                return Definition { name: "E".to_owned(), value: value.to_owned() };
            }
        }
        self.define_named("E", energy)
    }

    /// `E*` by its difference from `E`.
    fn energy_star(&mut self, star: Ex<'g>) -> Definition {
        let name = if self.style == Style::Latex { "E^{*}" } else { "E*" };
        let difference = self.show(star - self.system.energy);
        let value = if difference == "0" { "E".to_owned() } else { format!("{difference} + E") };
        Definition { name: name.to_owned(), value }
    }
}

fn as_solve(step: &appell_expr::Step) -> Option<&Solve> {
    match step {
        appell_expr::Step::Solve(solve) => Some(solve),
        appell_expr::Step::Let(..) => None,
    }
}

/// Adds a step; definitions in a row are one step.
fn append(steps: &mut Vec<Step>, step: Option<Step>) {
    match (steps.last_mut(), step) {
        (Some(Step::Define(list)), Some(Step::Define(more))) => list.extend(more),
        (_, step) => steps.extend(step),
    }
}
