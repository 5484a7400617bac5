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
use super::unit_rows;
use super::vocabulary;
use super::{Definition, Derivation, Row, Step, Table};
use appell_expr::{Ex, Graph, Id, Printer, Sketch, Solve, Style, latex_name};
use appell_mech::{Constraints, Equations, System, output};
use rustc_hash::FxHashSet;
use std::collections::{HashMap, HashSet};

/// The derivation of one formalism, to be written; with `short` objects that are too long for a page are
/// left out.
pub(super) fn derivation<'a, 'g>(
    of: (&'a System<'g>, &'a Constraints<'g>, &'a Equations<'g>),
    sketch: &'a Sketch<'g>,
    style: Style,
    wanted: &'a [&'a str],
    short: bool,
) -> DerivationWriter<'a, 'g> {
    let mut scribe = DerivationWriter::new(of, sketch, style, wanted);
    scribe.most_parts = match short {
        true => MOST_PARTS,
        false => usize::MAX,
    };
    scribe
}

/// An object of more expressions than this has more than 40 kB of LaTeX, be it in itself or in the
/// abbreviations that it needs.
const MOST_PARTS: usize = 4_000;

/// What derivations of one system and its constraints have in common: the matrices, and short forms of
/// everything in them.
#[derive(Clone)]
pub struct Common<'g> {
    simplifier: Simplifier<'g>,
    tables: Vec<NamedMatrix<'g>>,
}

/// A matrix or vector of the system, with its entries under their names.
#[derive(Clone)]
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

pub(super) struct DerivationWriter<'a, 'g> {
    graph: &'g Graph,
    system: &'a System<'g>,
    constraints: &'a Constraints<'g>,
    equations: &'a Equations<'g>,
    /// What is shown: the steps of the equations, or these with small systems solved.
    sketch: &'a Sketch<'g>,
    style: Style,
    /// Whether the constraints are cones in the velocities, so that `E* = E`.
    cone: bool,
    /// The outputs to be shown.
    wanted: &'a [&'a str],
    simplifier: Simplifier<'g>,
    printer: Printer<'g>,
    tables: Vec<NamedMatrix<'g>>,
    /// Objects of more expressions are left out.
    most_parts: usize,
    left_out: Vec<&'static str>,
    /// Symbols for accelerations and reactions, and what they stand for.
    deferred: HashMap<Id, Ex<'g>>,
    /// Those symbols that have been dealt with.
    settled: HashSet<Id>,
    /// The numbers of the steps that anything shown needs, in order.
    steps: Vec<usize>,
    /// The same in parts: for the motion; for the recipe besides; for the results besides.
    sections: [Vec<usize>; 3],
    /// How unknowns are called.
    unknowns: HashMap<Id, Ex<'g>>,
    /// The formulas of each block: the system, the steps, the results.
    blocks: Vec<Vec<Ex<'g>>>,
    /// All these formulas.
    shown: FxHashSet<Id>,
    /// The definitions to be made before each block, once they are planned.
    planned: Option<Vec<Vec<Id>>>,
    block: usize,
}

impl<'a, 'g> DerivationWriter<'a, 'g> {
    fn new(
        of: (&'a System<'g>, &'a Constraints<'g>, &'a Equations<'g>),
        sketch: &'a Sketch<'g>,
        style: Style,
        wanted: &'a [&'a str],
    ) -> Self {
        let (system, constraints, equations) = of;
        let graph = system.graph;
        let mut printer = Printer::new(graph, style);
        printer.lead_with(&equations.parameters);
        printer.loosen();
        for argument in &equations.arguments {
            let name = match style {
                Style::Text => argument.name.clone(),
                Style::Latex => latex_name(&argument.name),
            };
            printer.abbreviate(argument.symbol, name);
        }
        let cone = wanted.contains(&output::ENERGY_STAR) && constraints.are_cones(system);
        let sections = needed_steps(equations, sketch, cone, wanted);
        let mut simplifier = Simplifier::new(graph, &equations.parameters);
        simplifier.stay_on(unit_rows::relations(system, constraints));
        Self {
            graph,
            system,
            constraints,
            equations,
            sketch,
            style,
            cone,
            wanted,
            simplifier,
            printer,
            tables: Vec::new(),
            most_parts: usize::MAX,
            left_out: Vec::new(),
            deferred: HashMap::new(),
            settled: HashSet::new(),
            steps: sections.concat(),
            sections,
            unknowns: HashMap::new(),
            blocks: vec![Vec::new()],
            shown: FxHashSet::default(),
            planned: None,
            block: 0,
        }
    }

    /// Names the matrices as another derivation of the same system has done, or for others to come.
    pub(super) fn take(&mut self, common: &mut Option<Common<'g>>) {
        if let Some(known) = common {
            if known.simplifier.cancels(&self.equations.parameters) {
                (self.simplifier, self.tables) = (known.simplifier.clone(), known.tables.clone());
            }
            return;
        }
        self.name_tables();
        *common = Some(Common {
            simplifier: self.simplifier.clone(),
            tables: self.tables.clone(),
        });
    }

    /// From now on these cancel in quotients, for they vanish nowhere.
    pub(super) fn cancel(&mut self, divisors: &[Ex<'g>]) {
        self.simplifier.cancel(divisors);
    }

    pub(super) fn write_all(mut self) -> Derivation {
        self.prepare();
        self.write();
        self.plan();
        self.write()
    }

    /// What stands before the equations of motion; the definitions made here are the first block.
    fn opening(&mut self) -> Derivation {
        self.block = 0;
        let (equations, model) = (self.equations, self.system.model);
        let formalism = equations.formalism;
        let (text, latex) = formalism.statements(self.constraints.ideal);
        let statement = match self.style {
            Style::Text => text,
            Style::Latex => latex,
        };
        Derivation {
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
            recipe_steps: Vec::new(),
            recipe: Vec::new(),
            result_steps: Vec::new(),
            shared: Vec::new(),
            results: Vec::new(),
            notes: equations
                .remark
                .iter()
                .cloned()
                .chain(vocabulary::ambiguity(self.system))
                .chain(
                    self.simplifier
                        .is_on_rows()
                        .then(|| unit_rows::NOTE.to_owned()),
                )
                .collect(),
        }
    }

    fn write(&mut self) -> Derivation {
        let mut derivation = self.opening();
        let [motion, recipe, results] = self.sections.clone();
        let definitions = self.own_coordinates();
        append(
            &mut derivation.steps,
            (!definitions.is_empty()).then_some(Step::Define(definitions)),
        );
        for step in self.steps(&motion) {
            append(&mut derivation.steps, Some(step));
        }
        derivation.recipe_steps = self.steps(&recipe);
        derivation.result_steps = self.steps(&results);
        derivation.rate = self.rate();
        derivation.results = self.results();
        derivation.recipe = self.recipe();
        let [motion, recipe, results] = self.last_definitions();
        let last: Vec<String> = match &motion {
            Some(Step::Define(list)) => list.iter().map(|d| d.name.clone()).collect(),
            _ => Vec::new(),
        };
        append(&mut derivation.steps, motion);
        derivation.say_the_motion();
        derivation.put_off(&last);
        derivation.say_once();
        append(&mut derivation.recipe_steps, recipe);
        append(&mut derivation.result_steps, results);
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

    /// What the results have in common, each in the section whose steps it speaks of; those that
    /// are results stand among these.
    fn last_definitions(&mut self) -> [Option<Step>; 3] {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        let ids = self.planned.as_ref().map(|p| p[self.block].clone());
        let shown = |id: &Id| {
            let among = |symbols: &[Ex<'g>]| symbols.iter().any(|x| x.id() == *id);
            let wanted = |name: &str| self.wanted.contains(&name);
            wanted(output::ACCEL) && among(&self.system.a)
                || wanted(output::REACTION) && among(&self.reaction_symbols())
        };
        for id in ids.iter().flatten().filter(|id| !shown(id)) {
            parts[self.section_of(*id)].push(*id);
        }
        self.definitions();
        parts.map(|ids| {
            let ids = ids.into_iter().map(|id| self.planned_definition(id));
            let list: Vec<Definition> = ids.collect();
            (!list.is_empty()).then_some(Step::Define(list))
        })
    }

    /// The last section to whose steps an expression owes anything.
    fn section_of(&self, id: Id) -> usize {
        let parts = self.graph.reachable(&[id]);
        let steps = self.sketch.steps();
        let gives = |index: &usize| match &steps[*index] {
            appell_expr::Step::Let(symbol, _) => parts.contains(symbol),
            appell_expr::Step::Solve(solve) => {
                let mut names = solve.unknowns.iter().map(|x| self.unknowns[x].id());
                names.any(|name| parts.contains(&name))
            }
        };
        let owed = |section: &usize| self.sections[*section].iter().any(gives);
        [2, 1].into_iter().find(owed).unwrap_or(0)
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
            let shown = match self.shown.contains(&opposite.id()) {
                true => opposite,
                false => x,
            };
            self.shown.insert(shown.id());
            self.blocks[self.block].push(shown);
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
            let residual = row.residual(self.system);
            // By itself it would be 0 = 0.
            let left = match unit_rows::unit(row) {
                Some(_) => self.show_as_it_is(residual),
                None => self.show(residual),
            };
            let remark = vocabulary::remark(row, constraints);
            Row {
                name: row.name.clone(),
                left,
                remark,
            }
        };
        constraints.rows.iter().map(row).collect()
    }

    /// These steps of the sketch, each after the definitions it needs itself.
    fn steps(&mut self, indices: &[usize]) -> Vec<Step> {
        let sketch = self.sketch;
        let mut steps = Vec::new();
        for index in indices {
            let Some(step) = self.step(&sketch.steps()[*index]) else {
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

/// The steps that what is shown depends on: for the motion, for the recipe besides, for what says
/// nothing of the motion besides.
fn needed_steps(
    equations: &Equations<'_>,
    sketch: &Sketch<'_>,
    cone: bool,
    wanted: &[&str],
) -> [Vec<usize>; 3] {
    let needed = |names: &[&str]| {
        let outputs = names
            .iter()
            .filter_map(|name| Some((*name, sketch.get(name)?)));
        sketch.needed_steps(&outputs.collect::<Vec<_>>())
    };
    let recipe = equations
        .formalism
        .recipe
        .iter()
        .map(|object| object.output);
    let recipe: Vec<&str> = recipe.filter(|name| wanted.contains(name)).collect();
    let (aside, rest): (Vec<&str>, Vec<&str>) = wanted
        .iter()
        .filter(|name| !recipe.contains(name))
        .partition(|name| **name == output::ENERGY_STAR);
    let motion = needed(&[&rest[..], &[output::STATE, output::STATE_RATE]].concat());
    let mut recipe = needed(&recipe);
    recipe.retain(|step| !motion.contains(step));
    let mut aside = match cone {
        true => Vec::new(),
        false => needed(&aside),
    };
    aside.retain(|step| !motion.contains(step) && !recipe.contains(step));
    [motion, recipe, aside]
}

fn as_solve(step: &appell_expr::Step) -> Option<&Solve> {
    match step {
        appell_expr::Step::Solve(solve) => Some(solve),
        appell_expr::Step::Let(..) => None,
    }
}

/// Adds a step; definitions in a row are one step, and so are solved parts of one system.
fn append(steps: &mut Vec<Step>, step: Option<Step>) {
    match (steps.last_mut(), step) {
        (Some(Step::Define(list)), Some(Step::Define(more))) => list.extend(more),
        (
            Some(Step::Solved {
                name,
                least_norm,
                unknowns,
            }),
            Some(Step::Solved {
                name: other,
                least_norm: least,
                unknowns: more,
            }),
        ) if *name == other && *least_norm == least => unknowns.extend(more),
        (_, step) => steps.extend(step),
    }
}
