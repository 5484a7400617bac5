//! From the algebra to strings: what is shown, under which names, in which order.
//!
//! The derivation is written twice by the same functions. The first time its formulas are only
//! collected; then it is known what they have in common and deserves a name, and the second
//! time they are printed.

use super::simplify::{Simplifier, never_zero, quotient};
use super::vocabulary::{self, RESULTS, component};
use super::{Definition, Derivation, Results, Row, Step, Table, latex};
use appell_expr::{Ex, Graph, Id, Matrix, Node, Printer, Solve, SolveKind, Style, latex_name, vanishes};
use appell_mech::{Constraints, Equations, System, output};
use std::collections::{HashMap, HashSet};

/// What is longer than this in text, and used more than once, gets a name.
const LONG: usize = 36;
/// Entries of matrices that are longer than this are called by their names elsewhere.
const LONG_ENTRY: usize = 48;
/// A solution that is not longer than its name by more than this is put in its place.
const SHORT_SOLUTION: usize = 2;

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

/// The solution of a diagonal system, row by row.
struct Solution<'g> {
    values: Vec<Ex<'g>>,
    /// Whether no denominator can vanish.
    regular: bool,
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
    /// Those symbols that have been dealt with.
    settled: HashSet<Id>,
    /// The numbers of the steps that the results need.
    steps: Vec<usize>,
    /// How unknowns are called.
    unknowns: HashMap<Id, Ex<'g>>,
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
        printer.loosen();
        Self {
            graph,
            system,
            constraints,
            equations,
            style,
            simplifier: Simplifier::new(graph, &equations.parameters),
            printer,
            tables: Vec::new(),
            deferred: HashMap::new(),
            settled: HashSet::new(),
            steps: needed_steps(equations),
            unknowns: HashMap::new(),
            blocks: vec![Vec::new()],
            planned: None,
            block: 0,
        }
    }

    // ---- first: what has a name of its own

    /// Names the entries of matrices, the accelerations and the reactions.
    fn prepare(&mut self) {
        self.name_tables();
        let (accel, reaction) = (self.system.a.clone(), self.reaction_symbols());
        for at in 0..self.steps.len() {
            self.defer_when_possible(&accel, output::ACCEL, at);
            self.defer_when_possible(&reaction, output::REACTION, at);
            if let Some(solve) = as_solve(&self.equations.sketch.steps()[self.steps[at]]) {
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
            let marked = name.ends_with("]_");
            let plain = if marked { self.graph.symbol(name.trim_end_matches('_')) } else { unknown };
            self.unknowns.insert(unknown.id(), plain);
            if marked {
                self.simplifier.replace(unknown, plain);
            }
        }
    }

    fn put_in_short_solutions(&mut self, solve: &Solve) {
        let Some(solution) = self.solution(solve) else { return };
        for (unknown, value) in self.graph.exs(&solve.unknowns).into_iter().zip(solution.values) {
            let most = self.simplifier.length(self.unknowns[&unknown.id()]) + SHORT_SOLUTION;
            if value.as_rational().is_some() || self.simplifier.length(value) <= most {
                self.simplifier.replace(unknown, value);
            }
        }
    }

    /// The solution of a diagonal system.
    fn solution(&mut self, solve: &Solve) -> Option<Solution<'g>> {
        let (graph, size) = (self.graph, solve.size);
        let matrix = graph.exs(&solve.matrix);
        let matrix: Vec<Ex<'g>> = matrix.iter().map(|x| self.simplifier.short(*x)).collect();
        let on_diagonal = |index: usize| index / size == index % size;
        if size == 0 || (0..size * size).any(|index| matrix[index].is_zero() == on_diagonal(index)) {
            return None;
        }
        let sure = !matches!(solve.kind, SolveKind::Consistent { .. });
        let (mut values, mut regular) = (Vec::new(), true);
        for (index, right) in graph.exs(&solve.right).into_iter().enumerate() {
            let d = matrix[index / solve.columns * (size + 1)];
            let right = self.simplifier.short(right);
            let nonzero = sure || never_zero(d);
            regular &= nonzero;
            let value = if nonzero { quotient(right, d) } else { right / d };
            values.push(self.simplifier.short(value));
        }
        Some(Solution { values, regular })
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
            if !known && self.simplifier.length(*value) > LONG_ENTRY {
                self.simplifier.replace(*raw, *symbol);
            }
        }
        self.tables.push(NamedMatrix { letter, meaning, columns: matrix.columns(), entries });
    }

    /// Lets symbols stand for the entries of an output, as soon as what these are made of has
    /// been found in the steps before the one numbered `at`.
    fn defer_when_possible(&mut self, symbols: &[Ex<'g>], name: &str, at: usize) {
        let values = self.output(name);
        let ids: Vec<Id> = values.iter().map(|x| x.id()).collect();
        let parts = self.graph.reachable(&ids);
        let steps = self.equations.sketch.steps();
        let mut later = self.steps[at..].iter().map(|index| &steps[*index]);
        let own = |id: &Id| symbols.iter().any(|symbol| symbol.id() == *id);
        let open = later.any(|step| parts.iter().any(|id| step.defines(*id) && !own(id)));
        if open || symbols.iter().all(|symbol| self.settled.contains(&symbol.id())) {
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
        // A formula shown whole in several places, as a matrix entry is, counts once.
        uses.extend(roots.iter().map(|id| (*id, 1)));
        let mut count = |id: Id| *uses.entry(id).or_default() += 1;
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
    ///
    /// If it needs one acceleration or reaction, all of them are defined here.
    fn definitions_in_order(
        &self,
        block: &[Ex<'g>],
        chosen: &HashSet<Id>,
        done: &mut HashSet<Id>,
    ) -> Vec<Id> {
        let roots: Vec<Id> = block.iter().map(|x| x.id()).collect();
        let needed = self.in_order(&roots, chosen, &mut done.clone());
        let families = [self.system.a.clone(), self.reaction_symbols()];
        let families = families.iter().map(|family| family.iter().map(|x| x.id()));
        let whole = families.filter(|family| family.clone().any(|id| needed.contains(&id)));
        let roots: Vec<Id> = whole.flatten().chain(roots).collect();
        self.in_order(&roots, chosen, done)
    }

    fn in_order(&self, roots: &[Id], chosen: &HashSet<Id>, done: &mut HashSet<Id>) -> Vec<Id> {
        let mut order = Vec::new();
        let mut pending: Vec<(Id, bool)> = roots.iter().rev().map(|id| (*id, false)).collect();
        while let Some((id, left)) = pending.pop() {
            if left {
                order.push(id);
                continue;
            }
            if !done.insert(id) {
                continue;
            }
            let mut parts: Vec<Id> = Vec::new();
            self.graph.node(id).for_each_child(|child| parts.push(child));
            let meaning = self.deferred.get(&id).map(|x| x.id());
            if meaning.is_some() || chosen.contains(&id) {
                pending.push((id, true));
            }
            pending.extend(parts.into_iter().chain(meaning).rev().map(|id| (id, false)));
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
            notes: equations.remark.iter().cloned().chain(vocabulary::ambiguity(self.system)).collect(),
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
        let opposite = -x;
        if self.planned.is_none() {
            let shown = self.blocks.iter().flatten().any(|y| *y == opposite);
            self.blocks[self.block].push(if shown { opposite } else { x });
            return String::new();
        }
        match self.printer.name(opposite) {
            Some(name) => format!("-{name}"),
            None => self.printer.print(x),
        }
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
        let equations = self.equations;
        let mut steps = Vec::new();
        for index in self.steps.clone() {
            let Some(step) = self.step(&equations.sketch.steps()[index]) else { continue };
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
        let names: Vec<Ex<'g>> = solve.unknowns.iter().map(|id| self.unknowns[id]).collect();
        let Some(solution) = self.solution(solve) else {
            let unknowns = names.iter().map(|x| self.show_as_it_is(*x)).collect::<Vec<_>>();
            return Step::Solve {
                name: solve.name.clone(),
                kind: solve.kind.words(),
                matrix: self.show_rows(&graph.exs(&solve.matrix), solve.size),
                unknowns: unknowns.chunks(solve.columns.max(1)).map(<[_]>::to_vec).collect(),
                right: self.show_rows(&graph.exs(&solve.right), solve.columns),
            };
        };
        let pairs = names.into_iter().zip(solution.values);
        let unknowns = pairs.map(|(name, value)| Definition {
            name: self.show_as_it_is(name),
            value: self.show_as_it_is(value),
        });
        let unknowns = unknowns.collect();
        Step::Solved { name: solve.name.clone(), least_norm: !solution.regular, unknowns }
    }

    fn rate(&mut self) -> Vec<Definition> {
        let values = self.output(output::RATE);
        let names: Vec<String> = self.equations.state_names.clone();
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

/// The steps that what is shown depends on.
fn needed_steps(equations: &Equations<'_>) -> Vec<usize> {
    let names = RESULTS.iter().map(|(name, _)| *name).chain([output::RATE]);
    let outputs = names.filter_map(|name| Some((name, equations.sketch.get(name)?)));
    equations.sketch.needed_steps(&outputs.collect::<Vec<_>>())
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
