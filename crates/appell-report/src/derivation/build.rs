//! From the algebra to strings: what is shown, under which names, in which order.
//!
//! The derivation is written twice by the same functions. The first time its formulas are only
//! collected; then it is known what they have in common and deserves a name, and the second
//! time they are printed.

mod naming;
mod outcome;
mod planning;
mod recipe;

use super::simplify::Simplifier;
use super::vocabulary;
use super::{Definition, Derivation, Row, Step, Table, latex};
use appell_expr::{Ex, Graph, Id, Printer, Solve, Style, latex_name};
use appell_mech::{Constraints, Equations, System, output};
use std::collections::{HashMap, HashSet};

/// Writes the derivation of one formalism.
pub(super) fn derivation<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &Equations<'g>,
    style: Style,
    wanted: &[&str],
) -> Derivation {
    let mut scribe = Scribe::new(system, constraints, equations, style, wanted);
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
    /// The outputs to be shown.
    wanted: &'a [&'a str],
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
        wanted: &'a [&'a str],
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
            wanted,
            simplifier: Simplifier::new(graph, &equations.parameters),
            printer,
            tables: Vec::new(),
            deferred: HashMap::new(),
            settled: HashSet::new(),
            steps: needed_steps(equations, wanted),
            unknowns: HashMap::new(),
            blocks: vec![Vec::new()],
            planned: None,
            block: 0,
        }
    }

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
            sources: formalism
                .sources
                .iter()
                .map(|&source| source.to_owned())
                .collect(),
            coordinates: self.show_all(&self.system.q),
            parameters: self.show_all(&equations.parameters),
            energies: self.energies(),
            tables: self.tables(),
            rows: self.rows(),
            abbreviations: self.definitions(),
            state: equations
                .state_names
                .iter()
                .map(|name| self.named(name))
                .collect(),
            steps: Vec::new(),
            rate: Vec::new(),
            recipe: Vec::new(),
            results: Vec::new(),
            notes: equations
                .remark
                .iter()
                .cloned()
                .chain(vocabulary::ambiguity(self.system))
                .collect(),
        };
        derivation.steps = self.steps();
        derivation.rate = self.rate();
        derivation.results = self.results();
        derivation.recipe = self.recipe();
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
        ids.into_iter()
            .map(|id| self.planned_definition(id))
            .collect()
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
        entries
            .chunks(columns.max(1))
            .map(|row| self.show_all(row))
            .collect()
    }

    fn define(&mut self, name: Ex<'g>, value: Ex<'g>) -> Definition {
        Definition {
            name: self.show_as_it_is(name),
            value: self.show(value),
        }
    }

    /// `name = value` for a name that is no symbol of the algebra.
    fn define_named(&mut self, name: &str, value: Ex<'g>) -> Definition {
        Definition {
            name: self.named(name),
            value: self.show(value),
        }
    }

    fn named(&self, name: &str) -> String {
        if self.style == Style::Latex {
            latex_name(name)
        } else {
            name.to_owned()
        }
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
            entries.push(Definition {
                name,
                value: self.show_as_it_is(*value),
            });
        }
        let entries = entries
            .chunks(table.columns.max(1))
            .map(<[_]>::to_vec)
            .collect();
        Table {
            name: table.letter.to_owned(),
            meaning: table.meaning,
            entries,
        }
    }

    fn rows(&mut self) -> Vec<Row> {
        let constraints = self.constraints;
        let row = |row| {
            let row: &appell_mech::ConstraintRow<'g> = row;
            let left = self.show(row.residual(self.system));
            let remark = vocabulary::remark(row, constraints);
            Row {
                name: row.name.clone(),
                left,
                remark,
            }
        };
        constraints.rows.iter().map(row).collect()
    }

    /// The steps that the results need, each after the definitions it needs itself.
    fn steps(&mut self) -> Vec<Step> {
        let equations = self.equations;
        let own = self.own_coordinates();
        let mut steps = Vec::new();
        append(&mut steps, (!own.is_empty()).then_some(Step::Define(own)));
        for index in self.steps.clone() {
            let Some(step) = self.step(&equations.sketch.steps()[index]) else {
                continue;
            };
            let before = self.definitions();
            append(
                &mut steps,
                (!before.is_empty()).then_some(Step::Define(before)),
            );
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
            let unknowns = names
                .iter()
                .map(|x| self.show_as_it_is(*x))
                .collect::<Vec<_>>();
            return Step::Solve {
                name: solve.name.clone(),
                kind: solve.kind.words(),
                matrix: self.show_rows(&graph.exs(&solve.matrix), solve.size),
                unknowns: unknowns
                    .chunks(solve.columns.max(1))
                    .map(<[_]>::to_vec)
                    .collect(),
                right: self.show_rows(&graph.exs(&solve.right), solve.columns),
            };
        };
        let pairs = names.into_iter().zip(solution.values);
        let unknowns = pairs.map(|(name, value)| Definition {
            name: self.show_as_it_is(name),
            value: self.show_as_it_is(value),
        });
        let unknowns = unknowns.collect();
        Step::Solved {
            name: solve.name.clone(),
            least_norm: !solution.regular,
            unknowns,
        }
    }
}

/// The steps that what is shown depends on.
fn needed_steps(equations: &Equations<'_>, wanted: &[&str]) -> Vec<usize> {
    let shown = [output::STATE, output::STATE_RATE];
    let names = wanted.iter().copied().chain(shown);
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
