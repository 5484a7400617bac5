//! Programs as source code for other tools: straight lines, one for each operation, and calls of a solver.
//!
//! A language is a row of [`LANGUAGES`]: how it writes a number, a function, a line, a linear solve, and
//! what stands around. What it computes is the program, so every language gives the same numbers.

mod c;
mod julia;
mod matlab;
mod python;
mod rust;

pub(crate) use c::C_IN_PARTS;

use appell_expr::{Function, Operation, Program, Rational, Slot, SlotSolve, SolveKind, Statement};

/// The languages, in the order in which they are shown.
pub static LANGUAGES: &[&Language] = &[
    &c::C,
    &python::NUMPY,
    &python::JAX,
    &python::CASADI,
    &julia::JULIA,
    &matlab::MATLAB,
    &rust::RUST,
];

/// Pivots below this part of the largest are rounding errors.
const REGULAR: f64 = 1e-15;

/// How a language writes a program.
#[derive(Debug)]
pub struct Language {
    /// The name on the command line.
    pub id: &'static str,
    /// What it is for, in words.
    pub title: &'static str,
    /// What begins a comment.
    pub comment: &'static str,
    /// The first index of arrays.
    pub first: usize,
    /// The brackets of an index.
    pub index: (&'static str, &'static str),
    /// What stands before the names of functions.
    pub prefix: &'static str,
    /// Names of functions that differ from the model language's.
    pub names: &'static [(Function, &'static str)],
    /// The name of the square root.
    pub sqrt: &'static str,
    /// `x = value` as a line.
    pub define: fn(&str, &str) -> String,
    /// `base^exponent`.
    pub power: fn(&str, &str) -> String,
    /// An entry of the solution of a linear solve.
    pub unknown: fn(&Entry) -> String,
    /// The lines of a linear solve.
    pub solve: fn(&Solve<'_>) -> Vec<String>,
    /// What stands once before the functions, each where they have this in their text: imports, and what solves
    /// linear systems.
    pub prelude: &'static [(&'static str, &'static str)],
    /// What stands once after the functions, likewise.
    pub postlude: &'static [(&'static str, &'static str)],
    /// A function, from its lines.
    pub frame: fn(&Code<'_>) -> String,
}

/// A function to be written.
pub struct Export<'c> {
    /// Its name.
    pub name: String,
    /// What it is, for comments: lines without line ends.
    pub head: Vec<String>,
    /// The names of the state, for comments.
    pub state: Vec<String>,
    /// The names of the parameters, for comments.
    pub parameters: Vec<String>,
    /// What it computes. Each after the first does so in other independent velocities, for states where those
    /// before it fail.
    pub charts: Vec<Chart<'c>>,
}

/// A program to be written, in one choice of independent velocities where it has any.
pub struct Chart<'c> {
    /// The program. Its inputs are `t`, the state, the parameters, in this order.
    pub program: &'c Program,
    /// What is done first, with the same inputs: its results take the place of the last ones of the state.
    pub before: Option<&'c Program>,
    /// Its systems that may be singular, in their order.
    pub singular: Vec<Singular>,
}

/// What is known of a system that may be singular.
#[derive(Debug, Clone, Default)]
pub struct Singular {
    /// Its rank; one that is not known is decided in each call.
    pub rank: Option<usize>,
    /// Scales that bring the entries `d_i d_j K_ij` to the order of 1: constants, since what is chosen of equations that
    /// contradict each other a little must be smooth in the state.
    pub scales: Vec<f64>,
}

/// Pivots of a choice of independent velocities that are tried one after the other, as parts of the largest: below
/// them the independent velocities no longer determine the others.
pub const LEVELS: [f64; 4] = [3e-2, 1e-3, 1e-6, 1e-10];

/// A place in the solution of a linear solve.
pub struct Entry {
    /// The number of the solve, from 1.
    pub number: usize,
    /// The row, from 0.
    pub row: usize,
    /// The column, from 0.
    pub column: usize,
    /// How many columns there are.
    pub columns: usize,
}

/// A linear solve, ready to be written.
pub struct Solve<'c> {
    /// Its number, from 1.
    pub number: usize,
    /// What it is about, in words.
    pub title: &'c str,
    /// Whether its matrix is symmetric.
    pub symmetric: bool,
    /// What its matrix must be.
    pub regularity: Regularity<'c>,
    /// The matrix, row by row.
    pub matrix: Vec<Vec<String>>,
    /// The right-hand sides, row by row.
    pub right: Vec<Vec<String>>,
    /// The names of the unknowns, row by row.
    pub unknowns: Vec<Vec<String>>,
}

/// What the matrix of a linear solve must be.
pub enum Regularity<'c> {
    /// Regular: a pivot below this part of the largest, a number or `least`, is an error.
    Pivots(String),
    /// Symmetric of this rank, where it is known; below the order the solution of least norm is wanted.
    Rank {
        /// The rank.
        rank: Option<usize>,
        /// The first so many unknowns are the same in every solution.
        unique: usize,
        /// See [`Singular::scales`].
        scales: &'c [f64],
    },
}

impl Regularity<'_> {
    /// Whether it is the choice of independent velocities that must be regular.
    fn is_of_a_choice(&self) -> bool {
        matches!(self, Self::Pivots(least) if least == LEAST)
    }
}

/// The argument that holds one of [`LEVELS`].
const LEAST: &str = "least";

/// A function in a language, to be framed.
pub struct Code<'c> {
    /// Its name.
    pub name: &'c str,
    /// Its programs, of which there is at least one.
    pub bodies: Vec<Body>,
}

/// A program as lines of a language.
pub struct Body {
    /// The lines, without indentation.
    pub lines: Vec<String>,
    /// The names and values of the results.
    pub results: Vec<(String, Vec<String>)>,
}

impl Solve<'_> {
    /// The order of the matrix.
    pub fn order(&self) -> usize {
        self.matrix.len()
    }
}

impl Language {
    /// The language of this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        LANGUAGES.iter().copied().find(|language| language.id == id)
    }

    fn input(&self, array: &str, index: usize) -> String {
        let (open, close) = self.index;
        format!("{array}{open}{}{close}", self.first + index)
    }

    fn function(&self, function: Function) -> String {
        let other = self.names.iter().find(|(known, _)| *known == function);
        let name = other.map_or(function.name(), |(_, name)| name);
        format!("{}{name}", self.prefix)
    }
}

impl Export<'_> {
    /// Comments: the head, and which number stands where.
    fn comments(&self, language: &Language) -> String {
        let list = |array: &str, names: &[String]| {
            let item =
                |(i, name): (usize, &String)| format!("{} = {name}", language.input(array, i));
            names.iter().enumerate().map(item).collect::<Vec<String>>()
        };
        let state = list("y", &self.state);
        let parameters = list("p", &self.parameters);
        let lines = self.head.iter().cloned().chain(state).chain(parameters);
        let mark = language.comment;
        lines
            .map(|line| {
                // C goes on with a comment where a line ends so.
                let end = if line.ends_with('\\') { "." } else { "" };
                format!("{mark} {line}{end}\n")
            })
            .collect()
    }
}

impl Body {
    /// The lines with this indentation.
    pub fn indented(&self, indentation: &str) -> String {
        let lines = self.lines.iter();
        lines.map(|line| format!("{indentation}{line}\n")).collect()
    }
}

/// Programs as source code: a function each. Names of the results are those of the outputs.
pub fn code(language: &Language, exports: &[Export<'_>]) -> String {
    let mut text = String::new();
    for (index, export) in exports.iter().enumerate() {
        let charts = export.charts.iter();
        let bodies = charts.map(|chart| body(language, export, chart)).collect();
        let name = &export.name;
        let comments = export.comments(language);
        text += if index == 0 { "" } else { &comments };
        text += &(language.frame)(&Code { name, bodies });
        text += if index + 1 < exports.len() { "\n" } else { "" };
    }
    let used = |parts: &[(&str, &str)]| -> String {
        let used = parts.iter().filter(|(mark, _)| text.contains(mark));
        used.map(|(_, part)| *part).collect()
    };
    let first = exports.first().map(|export| export.comments(language));
    let [before, after] = [language.prelude, language.postlude].map(used);
    match first {
        Some(comments) => comments + &before + &text + &after,
        None => text,
    }
}

fn body(language: &Language, export: &Export<'_>, chart: &Chart<'_>) -> Body {
    let (state, parameters) = (export.state.len(), export.parameters.len());
    let mut inputs: Vec<String> = ["t".to_owned()]
        .into_iter()
        .chain((0..state).map(|i| language.input("y", i)))
        .chain((0..parameters).map(|i| language.input("p", i)))
        .collect();
    let several = export.charts.len() > 1;
    let mut writer = Writer {
        language,
        program: chart.program,
        singular: chart.singular.iter(),
        several,
        letter: "v",
        names: Vec::new(),
        lines: Vec::new(),
        solves: 0,
    };
    if let Some(before) = chart.before {
        let corrected: Vec<String> = writer.write(before, &inputs).into_values().collect();
        let place = 1 + state - corrected.len();
        inputs.splice(place..=state, corrected);
    }
    writer.letter = "x";
    let results = writer.write(chart.program, &inputs).0;
    Body {
        lines: writer.lines,
        results,
    }
}

/// The results of a program by name.
struct Results(Vec<(String, Vec<String>)>);

impl Results {
    fn into_values(self) -> impl Iterator<Item = String> {
        self.0.into_iter().flat_map(|(_, values)| values)
    }
}

struct Writer<'p> {
    language: &'p Language,
    program: &'p Program,
    singular: std::slice::Iter<'p, Singular>,
    /// Whether there are several choices of independent velocities.
    several: bool,
    /// What the names of values begin with.
    letter: &'static str,
    names: Vec<String>,
    lines: Vec<String>,
    solves: usize,
}

impl<'p> Writer<'p> {
    fn write(&mut self, program: &'p Program, inputs: &[String]) -> Results {
        self.program = program;
        self.names = vec![String::new(); program.slots];
        for (slot, name) in inputs.iter().enumerate().take(program.inputs.len()) {
            self.names[slot].clone_from(name);
        }
        for statement in &program.statements {
            match statement {
                Statement::Let(slot, operation) => self.define(*slot, operation),
                Statement::Solve(solve) => self.solve(solve),
            }
        }
        let results = program.outputs.iter().map(|output| {
            let values = output.slots.iter().map(|slot| self.name(*slot));
            (output.name.clone(), values.collect())
        });
        Results(results.collect())
    }

    fn name(&self, slot: Slot) -> String {
        self.names[slot as usize].clone()
    }

    fn define(&mut self, slot: Slot, operation: &Operation) {
        let value = match operation {
            // Numbers need no line of their own.
            Operation::Number(number) => {
                self.names[slot as usize] = self.number(*number);
                return;
            }
            Operation::Pi => format!("{:?}", std::f64::consts::PI),
            Operation::Sum(constant, terms) => self.sum(*constant, terms),
            Operation::Product(factors) => self.product(factors),
            Operation::Power(base, exponent) => {
                (self.language.power)(&self.name(*base), &self.name(*exponent))
            }
            Operation::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|x| self.name(*x)).collect();
                format!(
                    "{}({})",
                    self.language.function(*function),
                    arguments.join(", ")
                )
            }
        };
        let name = format!("{}{slot}", self.letter);
        self.lines.push((self.language.define)(&name, &value));
        self.names[slot as usize] = name;
    }

    fn number(&self, index: u32) -> String {
        written(&self.program.numbers[index as usize])
    }

    /// `constant + Sum c x`.
    fn sum(&self, constant: u32, terms: &[(Slot, u32)]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (slot, coefficient) in terms {
            let name = self.name(*slot);
            parts.push(match *coefficient {
                Program::ONE => name,
                Program::MINUS_ONE => format!("(-{name})"),
                other => format!("{}*{name}", self.number(other)),
            });
        }
        if constant != Program::ZERO || parts.is_empty() {
            parts.push(self.number(constant));
        }
        parts.join(" + ")
    }

    /// `Prod x^e`.
    fn product(&self, factors: &[(Slot, Rational)]) -> String {
        let mut above: Vec<String> = Vec::new();
        let mut below: Vec<String> = Vec::new();
        for (slot, exponent) in factors {
            let side = if exponent.is_negative() {
                &mut below
            } else {
                &mut above
            };
            side.push(self.factor(&self.name(*slot), &exponent.abs()));
        }
        let above = if above.is_empty() {
            "1.0".to_owned()
        } else {
            above.join("*")
        };
        below
            .iter()
            .fold(above, |text, factor| format!("{text}/{factor}"))
    }

    fn factor(&self, name: &str, exponent: &Rational) -> String {
        const LARGEST: i64 = 4;
        match exponent.to_i64() {
            Some(1) => name.to_owned(),
            Some(n @ 2..=LARGEST) => format!("({})", vec![name; n as usize].join("*")),
            _ if *exponent == Rational::new(1, 2) => {
                format!("{}{}({name})", self.language.prefix, self.language.sqrt)
            }
            _ => (self.language.power)(name, &written(exponent)),
        }
    }

    fn solve(&mut self, solve: &SlotSolve) {
        self.solves += 1;
        let rows = |slots: &[Slot], columns: usize| -> Vec<Vec<String>> {
            let row = |row: &[Slot]| row.iter().map(|slot| self.name(*slot)).collect();
            slots.chunks(columns.max(1)).map(row).collect()
        };
        let count = solve.matrix.len().checked_div(solve.size).unwrap_or(0);
        let (matrix, right) = (
            rows(&solve.matrix, count),
            rows(&solve.right, solve.columns),
        );
        let unknowns: Vec<Vec<String>> = (0..count)
            .map(|row| {
                let (number, columns) = (self.solves, solve.columns);
                let entry = |column| Entry {
                    number,
                    row,
                    column,
                    columns,
                };
                let entries = (0..columns).map(entry);
                entries
                    .map(|entry| (self.language.unknown)(&entry))
                    .collect()
            })
            .collect();
        for (slot, name) in (solve.unknowns as usize..).zip(unknowns.iter().flatten()) {
            self.names[slot] = name.clone();
        }
        let regularity = match solve.kind {
            SolveKind::OfRows { unique } => match self.singular.next() {
                Some(known) if known.rank == Some(count) => {
                    Regularity::Pivots(format!("{REGULAR:e}"))
                }
                known => Regularity::Rank {
                    rank: known.and_then(|known| known.rank),
                    unique,
                    scales: known.map_or(&[], |known| &known.scales),
                },
            },
            SolveKind::General if self.several => Regularity::Pivots(LEAST.to_owned()),
            _ => Regularity::Pivots(format!("{REGULAR:e}")),
        };
        let lines = (self.language.solve)(&Solve {
            number: self.solves,
            title: &solve.name,
            symmetric: !matches!(solve.kind, SolveKind::General | SolveKind::Chosen),
            regularity,
            matrix,
            right,
            unknowns,
        });
        self.lines.extend(lines);
    }
}

/// A number as the nearest double, the shortest that reads back; negative ones in brackets.
fn written(number: &Rational) -> String {
    let value = number.to_f64();
    if value < 0.0 {
        format!("({value:?})")
    } else {
        format!("{value:?}")
    }
}

/// Numbers as the shortest that read back.
fn numbers(values: &[f64]) -> Vec<String> {
    values.iter().map(|value| format!("{value:?}")).collect()
}

/// `None` as -1: the rank is decided in the call.
fn or_minus_one(rank: Option<usize>) -> String {
    rank.map_or("-1".to_owned(), |rank| rank.to_string())
}

/// `[[a, b], [c, d]]`
fn nested(rows: &[Vec<String>]) -> String {
    let rows: Vec<String> = rows
        .iter()
        .map(|row| format!("[{}]", row.join(", ")))
        .collect();
    format!("[{}]", rows.join(", "))
}

/// `[a b; c d]`
fn semicolons(rows: &[Vec<String>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    format!("[{}]", rows.join("; "))
}

/// A system solved by `matrix \ right` or a function for what may be singular.
fn divided(language: &Language, solve: &Solve<'_>, matrix: &str) -> Vec<String> {
    let right = semicolons(&solve.right);
    let call = match &solve.regularity {
        Regularity::Pivots(_) if !solve.regularity.is_of_a_choice() => {
            format!("{matrix} \\ {right}")
        }
        Regularity::Pivots(least) => format!("chosen({matrix}, {right}, {least})"),
        Regularity::Rank {
            rank,
            unique,
            scales,
        } => {
            let (rank, scales) = (or_minus_one(*rank), numbers(scales).join("; "));
            format!("least_norm({matrix}, {right}, {rank}, {unique}, [{scales}])")
        }
    };
    vec![
        format!("{} {}", language.comment, solve.title),
        (language.define)(&format!("s{}", solve.number), &call),
    ]
}

/// An entry of `s1` as the element of an array of rows.
fn of_a_matrix(language: &Language, entry: &Entry) -> String {
    let (open, close) = language.index;
    let [row, column] = [entry.row, entry.column].map(|i| language.first + i);
    format!("s{}{open}{row}, {column}{close}", entry.number)
}

/// An entry of `s1` as the element of an array that has row after row.
fn of_a_list(entry: &Entry) -> String {
    format!(
        "s{}[{}]",
        entry.number,
        entry.row * entry.columns + entry.column
    )
}
