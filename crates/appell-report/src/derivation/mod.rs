//! The equations of one formalism, shown to a person.
//!
//! A [`Derivation`] is made once, in the notation of text or of LaTeX; [`Derivation::text`] and
//! [`Derivation::latex`] write it down. It says what the system is, then step by step how the
//! motion follows: definitions and linear systems, which stay unsolved unless they are diagonal.
//! Long expressions that occur several times have names, so its length is linear in the algebra.
//!
//! Formulas are shown in the shortest of a few equal forms; nothing else is computed here.

mod agreement;
mod blocks;
mod breaking;
mod build;
mod closed;
mod formula_width;
mod latex;
mod layout;
mod mathml;
mod simplify;
mod split_system;
mod statement;
mod text;
mod tidy;
mod unit_rows;
mod vocabulary;

use appell_expr::Style;
use appell_mech::{Constraints, Equations, System, output};
use closed::{Closed, Depth};
use std::collections::HashMap;

pub use build::Common;
pub(crate) use latex::escaped as tex_words;
pub(crate) use mathml::{Parts, Typeset, folded, parts};
pub use vocabulary::RESULTS;

/// The equations of one formalism for one model, every formula a string in one notation.
#[derive(Debug, Clone, PartialEq)]
pub struct Derivation {
    /// The notation of the formulas.
    pub style: Style,
    /// The title of the model.
    pub title: String,
    /// Where the model says it comes from.
    pub origin: Option<String>,
    /// The formalism's name on the command line.
    pub form: String,
    /// The formalism's name in print.
    pub form_title: String,
    /// The formalism's equations in general.
    pub statement: String,
    /// Where these come from.
    pub sources: Vec<String>,
    /// `q`, in the file's order.
    pub coordinates: Vec<String>,
    /// The parameters, in the file's order.
    pub parameters: Vec<String>,
    /// `T` and `V`, or `L`.
    pub energies: Vec<Definition>,
    /// `M`, `r`; with constraints also `A`, `B`, and `W` where a reaction is not Chetaev's.
    pub tables: Vec<Table>,
    /// The constraint rows, in the file's order.
    pub rows: Vec<Row>,
    /// What the parts above have in common.
    pub abbreviations: Vec<Definition>,
    /// The coordinates of the carrier: q and the fibre coordinates.
    pub state: Vec<String>,
    /// How the motion is found, in order.
    pub steps: Vec<Step>,
    /// The rates of the state.
    pub rate: Vec<Definition>,
    /// What the recipe needs besides those steps, in order.
    pub recipe_steps: Vec<Step>,
    /// The objects of the paper's own recipe, as far as they are wanted.
    pub recipe: Vec<Exhibit>,
    /// What the results need besides all those steps, in order.
    pub result_steps: Vec<Step>,
    /// What the results have in common and the motion does not need.
    pub shared: Vec<Definition>,
    /// What else follows, by the name of the output.
    pub results: Vec<Results>,
    /// Remarks in words.
    pub notes: Vec<String>,
}

/// `name = value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What is defined.
    pub name: String,
    /// What it is.
    pub value: String,
}

/// A matrix or, with one column, a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its letter.
    pub name: String,
    /// What it is, in words.
    pub meaning: &'static str,
    /// Its entries with their names, row by row.
    pub entries: Vec<Vec<Definition>>,
}

/// One row of the constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name in the file.
    pub name: String,
    /// The left side of `.. = 0`.
    pub left: String,
    /// What is to be said about it in words; empty for an ordinary row.
    pub remark: String,
}

/// One step on the way to the motion; it may use the names of earlier steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Names for expressions.
    Define(Vec<Definition>),
    /// The linear system `matrix unknowns = right`.
    Solve {
        /// What is solved for, in words.
        name: String,
        /// What is known of the matrix, in words.
        kind: &'static str,
        /// The square matrix, row by row.
        matrix: Vec<Vec<String>>,
        /// The unknowns, row by row; one column for each right side.
        unknowns: Vec<Vec<String>>,
        /// The right sides, row by row.
        right: Vec<Vec<String>>,
    },
    /// A diagonal linear system, solved.
    Solved {
        /// What is solved for, in words.
        name: String,
        /// Whether an unknown is 0 where its denominator vanishes.
        least_norm: bool,
        /// The unknowns and their values.
        unknowns: Vec<Definition>,
    },
}

/// The entries of one output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// The name of the output.
    pub output: &'static str,
    /// What it is, in words.
    pub meaning: &'static str,
    /// Its entries.
    pub entries: Vec<Definition>,
}

/// An object of a paper's recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exhibit {
    /// The name of the output.
    pub output: &'static str,
    /// What it is, in the letters of the general statement; may be empty.
    pub formula: String,
    /// Its letter in the paper, what it is in words, its entries.
    pub table: Table,
    /// Whether the entries are left out because they are too long for a page.
    pub left_out: bool,
}

impl Exhibit {
    /// Whether it is one number, whose name is its letter.
    fn is_number(&self) -> bool {
        matches!(self.table.entries.as_slice(), [row] if row.len() == 1 && row[0].name == self.table.name)
    }
}

/// Whether a formula speaks of a name, and not of a longer one.
fn mentions(formula: &str, name: &str) -> bool {
    formula.match_indices(name).any(|(at, _)| {
        let (before, after) = (&formula[..at], &formula[at + name.len()..]);
        !before.ends_with(is_of_word) && !after.starts_with(is_of_word)
    })
}

/// A derivation with its small systems solved may be longer than that in parts by this factor,
const MOST_LONGER: usize = 2;
/// and longer than that as it runs by the part of it with this number below.
const SOME_LONGER: usize = 8;

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The formulas of the motion and of the recipe, by the words in them: names are looked for in those only that
/// have all their words.
struct Uses {
    formulas: Vec<Formula>,
    by_word: HashMap<String, Vec<usize>>,
}

/// A formula, and what it defines if that is a definition among the steps of the motion or of the recipe.
struct Formula {
    text: String,
    of: Option<String>,
    /// Whether it is one of the motion, which may be put off.
    moves: bool,
}

impl Uses {
    fn of(derivation: &Derivation) -> Self {
        let mut formulas = Vec::new();
        let mut add = |text: &String, of: Option<&String>, moves: bool| {
            formulas.push(Formula {
                text: text.clone(),
                of: of.cloned(),
                moves,
            });
        };
        let recipe = derivation.recipe.iter().flat_map(|x| &x.table.entries);
        for entry in derivation.rate.iter().chain(recipe.flatten()) {
            add(&entry.value, None, false);
        }
        for (steps, moves) in [(&derivation.steps, true), (&derivation.recipe_steps, false)] {
            for step in steps {
                match step {
                    Step::Define(list) => {
                        let each = list.iter();
                        each.for_each(|d| add(&d.value, Some(&d.name), moves));
                    }
                    Step::Solved { unknowns, .. } => {
                        let each = unknowns.iter();
                        each.for_each(|d| add(&d.value, Some(&d.name), false));
                    }
                    Step::Solve { matrix, right, .. } => {
                        let entries = matrix.iter().chain(right).flatten();
                        entries.for_each(|entry| add(entry, None, false));
                    }
                }
            }
        }
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, formula) in formulas.iter().enumerate() {
            for word in words(&formula.text) {
                match by_word.get_mut(word) {
                    Some(places) if places.last() == Some(&index) => {}
                    Some(places) => places.push(index),
                    None => {
                        by_word.insert(word.to_owned(), vec![index]);
                    }
                }
            }
        }
        Self { formulas, by_word }
    }

    /// Whether a formula other than its own speaks of a name, which has a letter or digit, and has not been put off with these.
    fn has(&self, name: &String, moved: &[&String]) -> bool {
        let none = Vec::new();
        let places = words(name).map(|word| self.by_word.get(word).unwrap_or(&none));
        let fewest = places.min_by_key(|places| places.len());
        fewest.unwrap_or(&none).iter().any(|place| {
            let Formula { text, of, moves } = &self.formulas[*place];
            let gone = |of: &String| of == name || *moves && moved.contains(&of);
            !of.as_ref().is_some_and(gone) && mentions(text, name)
        })
    }
}

/// The words of a formula: what [`mentions`] takes for parts of a name.
fn words(formula: &str) -> impl Iterator<Item = &str> {
    let words = formula.split(|c: char| !is_of_word(c));
    words.filter(|word| !word.is_empty())
}

impl Derivation {
    /// Collects what is needed for the rates and for these outputs, out of [`RESULTS`] and the
    /// formalism's recipe.
    pub fn new<'g>(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        equations: &Equations<'g>,
        style: Style,
        wanted: &[&str],
    ) -> Self {
        let of = (system, constraints, equations);
        Self::beside(of, style, wanted, false, &mut None)
    }

    /// As [`Derivation::new`], among derivations of one system and its constraints in one notation:
    /// what they have in common is kept. With `short`, objects of a recipe that are certainly too long
    /// for a page are left out.
    pub fn beside<'g>(
        of: (&System<'g>, &Constraints<'g>, &Equations<'g>),
        style: Style,
        wanted: &[&str],
        short: bool,
        common: &mut Option<Common<'g>>,
    ) -> Self {
        let agree =
            |closed: &Closed<'g>| agreement::agree(of.2, &closed.sketch, &closed.on_rows, wanted);
        let mut write = |closed: Option<&Closed<'g>>| {
            let sketch = closed.map_or(&of.2.sketch, |closed| &closed.sketch);
            let mut scribe = build::derivation(of, sketch, style, wanted, short);
            scribe.take(common);
            scribe.cancel(closed.map_or(&[], |closed| &closed.divisors));
            let mut derivation = scribe.write_all();
            derivation.drop_numbers();
            derivation
        };
        let named = || closed::closed(of, wanted, Depth::Names);
        let apart = closed::closed(of, wanted, Depth::Parts).filter(agree);
        let unsolved = match &apart {
            Some(apart) => write(Some(apart)),
            None => write(named().as_ref()),
        };
        let Some(closed) = closed::closed(of, wanted, Depth::Small) else {
            return unsolved;
        };
        let solved = write(Some(&closed));
        let length = solved.length();
        if length > MOST_LONGER * unsolved.length() || !agree(&closed) {
            return unsolved;
        }
        // Only now, for it is written for nothing but its length.
        let whole = match &apart {
            Some(_) => write(named().as_ref()).length(),
            None => unsolved.length(),
        };
        match length > whole + whole / SOME_LONGER {
            true => unsolved,
            false => solved,
        }
    }

    /// Plain text, at most 100 columns wide where its formulas can be broken.
    pub fn text(&self) -> String {
        text::write(self)
    }

    /// A fragment of LaTeX that needs the package `amsmath` only.
    pub fn latex(&self) -> String {
        latex::write(self)
    }

    /// A fragment of HTML with its formulas in MathML, each with its LaTeX as an annotation.
    ///
    /// It is to be made in the notation of LaTeX. Abbreviations and intermediate objects are folded;
    /// it has neither styles nor scripts, so that it may stand in any page.
    pub fn mathml(&self) -> String {
        mathml::write(self)
    }

    /// The tables that belong to the constraints, and the others.
    fn parted_tables(&self) -> (Vec<&Table>, Vec<&Table>) {
        self.tables
            .iter()
            .partition(|table| ["A", "B", "W"].contains(&table.name.as_str()))
    }

    /// Whether there is a result that was not said before.
    fn has_results(&self) -> bool {
        self.results
            .iter()
            .any(|results| !results.unsaid().is_empty())
    }

    /// Accelerations that no step gives, but are the motion, stand among the steps.
    fn say_the_motion(&mut self) {
        let given: Vec<&str> = self.steps.iter().flat_map(Step::names).collect();
        let rates = self.rate.iter();
        let given = rates
            .filter(|rate| given.contains(&rate.name.as_str()))
            .count();
        let results = self.results.iter_mut();
        let accelerations = results.filter(|results| results.output == output::ACCEL);
        let mut open: Vec<Definition> = Vec::new();
        for entry in accelerations.flat_map(|results| &mut results.entries) {
            let moves = self.rate.iter().any(|rate| rate.name == entry.name);
            if given == 0 && moves && entry.name != entry.value {
                open.push(entry.clone());
                entry.value.clone_from(&entry.name);
            }
        }
        if !open.is_empty() {
            self.steps.push(Step::Define(open));
        }
    }

    /// What a solution gives is not defined before it.
    fn say_once(&mut self) {
        for place in 1..self.steps.len() {
            let Step::Solved { unknowns, .. } = self.steps[place].clone() else {
                continue;
            };
            for step in &mut self.steps[..place] {
                if let Step::Define(list) = step {
                    list.retain(|d| !unknowns.contains(d));
                }
            }
        }
        self.drop_empty_steps();
    }

    fn drop_empty_steps(&mut self) {
        for steps in [
            &mut self.steps,
            &mut self.recipe_steps,
            &mut self.result_steps,
        ] {
            steps.retain(|step| match step {
                Step::Define(list) | Step::Solved { unknowns: list, .. } => !list.is_empty(),
                Step::Solve { .. } => true,
            });
        }
    }

    /// Unknowns that are numbers stand as these wherever they are used: they need no line of their own, unless
    /// the motion or a result is called so.
    fn drop_numbers(&mut self) {
        let is_number = |d: &Definition| d.value.parse::<f64>().is_ok();
        let text = self.everything();
        let said = |d: &Definition| mentions(&text, &d.name);
        let all = [
            &mut self.steps,
            &mut self.recipe_steps,
            &mut self.result_steps,
        ];
        for step in all.into_iter().flatten() {
            if let Step::Solved { unknowns, .. } = step {
                unknowns.retain(|d| !is_number(d) || said(d));
            }
        }
        self.drop_empty_steps();
    }

    /// Every formula, and the names of rates and results.
    fn everything(&self) -> String {
        let tables = self.tables.iter();
        let tables = tables.chain(self.recipe.iter().map(|x| &x.table));
        let entries = tables.flat_map(|table| table.entries.iter().flatten());
        let results = self.results.iter().flat_map(|results| &results.entries);
        let moved: Vec<&Definition> = self.rate.iter().chain(results).collect();
        let named = self.abbreviations.iter().chain(&self.shared);
        let values = entries.chain(named).chain(moved.iter().copied());
        let values = values.map(|d| d.value.as_str());
        let further = self.recipe_steps.iter().chain(&self.result_steps);
        let steps = self.steps.iter().chain(further).flat_map(Step::formulas);
        let names = moved.iter().map(|d| d.name.as_str());
        values
            .chain(steps)
            .chain(names)
            .collect::<Vec<&str>>()
            .join(" ")
    }

    /// Of these names, all abbreviations made last, those that only the results speak of stand with these.
    fn put_off(&mut self, last: &[String]) {
        let uses = Uses::of(self);
        let mut moved: Vec<&String> = Vec::new();
        for name in last.iter().rev() {
            if !uses.has(name, &moved) {
                moved.push(name);
            }
        }
        for name in moved {
            for step in &mut self.steps {
                if let Step::Define(list) = step
                    && let Some(place) = list.iter().position(|d| d.name == *name)
                {
                    self.shared.insert(0, list.remove(place));
                }
            }
        }
        self.drop_empty_steps();
    }

    /// The letters of all its formulas together.
    fn length(&self) -> usize {
        let of = |list: &[Definition]| {
            list.iter()
                .map(|d| d.name.len() + d.value.len())
                .sum::<usize>()
        };
        let tables = self
            .tables
            .iter()
            .chain(self.recipe.iter().map(|x| &x.table));
        let tables: usize = tables
            .flat_map(|table| &table.entries)
            .map(|row| of(row))
            .sum();
        let steps = self
            .steps
            .iter()
            .chain(&self.recipe_steps)
            .chain(&self.result_steps);
        let results: usize = self
            .results
            .iter()
            .map(|results| of(&results.entries))
            .sum();
        let definitions = of(&self.abbreviations) + of(&self.rate) + of(&self.shared);
        tables + definitions + results + steps.map(Step::length).sum::<usize>()
    }

    /// The rates that neither a step nor the accelerations give.
    fn unsaid_rates(&self) -> Vec<Definition> {
        let given = self.steps.iter().flat_map(Step::names);
        let accelerations = self
            .results
            .iter()
            .filter(|results| results.output == output::ACCEL);
        let accelerations = accelerations.flat_map(|results| &results.entries);
        let given: Vec<&str> = given
            .chain(accelerations.map(|d| d.name.as_str()))
            .collect();
        let is_unsaid = |d: &&Definition| d.name != d.value && !given.contains(&d.name.as_str());
        self.rate.iter().filter(is_unsaid).cloned().collect()
    }
}

impl Step {
    /// The letters of its formulas.
    fn length(&self) -> usize {
        let names = match self {
            // Its unknowns stand among its formulas.
            Self::Solve { .. } => Vec::new(),
            Self::Define(_) | Self::Solved { .. } => self.names(),
        };
        names.iter().chain(&self.formulas()).map(|x| x.len()).sum()
    }

    /// What it says of the unknowns, or what they are.
    fn formulas(&self) -> Vec<&str> {
        match self {
            Self::Define(list) | Self::Solved { unknowns: list, .. } => {
                list.iter().map(|d| d.value.as_str()).collect()
            }
            Self::Solve {
                matrix,
                unknowns,
                right,
                ..
            } => {
                let entries = matrix.iter().chain(unknowns).chain(right).flatten();
                entries.map(String::as_str).collect()
            }
        }
    }

    /// What it gives a value to.
    fn names(&self) -> Vec<&str> {
        match self {
            Self::Define(definitions)
            | Self::Solved {
                unknowns: definitions,
                ..
            } => definitions.iter().map(|d| d.name.as_str()).collect(),
            Self::Solve { unknowns, .. } => unknowns.iter().flatten().map(String::as_str).collect(),
        }
    }
}

impl Table {
    /// Whether every entry is 0.
    fn is_zero(&self) -> bool {
        self.entries
            .iter()
            .flatten()
            .all(|entry| entry.value == "0")
    }

    /// Whether it is square and equal to its transpose.
    fn is_symmetric(&self) -> bool {
        let size = self.entries.len();
        let value = |i: usize, j: usize| self.entries[i].get(j).map(|entry| &entry.value);
        (0..size)
            .all(|i| self.entries[i].len() == size && (0..i).all(|j| value(i, j) == value(j, i)))
    }

    /// The entries one by one: not the zeros, nor the lower half of a symmetric matrix.
    fn listed(&self) -> Vec<Definition> {
        let first = |i: usize| if self.is_symmetric() { i } else { 0 };
        let upper = self
            .entries
            .iter()
            .enumerate()
            .flat_map(|(i, row)| row.iter().skip(first(i)));
        upper.filter(|entry| entry.value != "0").cloned().collect()
    }

    /// What a list of the entries leaves out.
    fn omission(&self) -> &'static str {
        if self.is_symmetric() {
            "symmetric; the other entries are 0"
        } else {
            "the other entries are 0"
        }
    }
}

impl Results {
    /// The entries that no step gives.
    fn unsaid(&self) -> Vec<Definition> {
        self.entries
            .iter()
            .filter(|entry| entry.name != entry.value)
            .cloned()
            .collect()
    }
}
