//! Programs as source code for other tools: straight lines, one for each operation, and calls of a solver.
//!
//! A language is a row of [`LANGUAGES`]: how it writes a number, a function, a line, a linear solve, and
//! what stands around. What it computes is the program, so every language gives the same numbers.

mod c;
mod julia;
mod matlab;
mod python;

use appell_expr::{Function, Operation, Program, Rational, Slot, SlotSolve, SolveKind, Statement};

/// The languages, in the order in which they are shown.
pub static LANGUAGES: &[&Language] = &[
    &c::C,
    &python::NUMPY,
    &python::JAX,
    &python::CASADI,
    &julia::JULIA,
    &matlab::MATLAB,
];

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
    /// `x = value` as a line.
    pub define: fn(&str, &str) -> String,
    /// `base^exponent`.
    pub power: fn(&str, &str) -> String,
    /// The lines of a linear solve.
    pub solve: fn(&Solve<'_>) -> Vec<String>,
    /// What stands around the lines: all of the text.
    pub frame: fn(&Code<'_>) -> String,
}

/// A linear solve, ready to be written.
pub struct Solve<'c> {
    /// Its number, from 1.
    pub number: usize,
    /// What it is about, in words.
    pub title: &'c str,
    /// Whether the matrix may be singular, with the solution of least norm wanted.
    pub least_norm: bool,
    /// The matrix, row by row.
    pub matrix: Vec<Vec<String>>,
    /// The right-hand sides, row by row.
    pub right: Vec<Vec<String>>,
    /// The unknowns, row by row.
    pub unknowns: Vec<Vec<String>>,
}

/// A program in a language, to be framed.
pub struct Code<'c> {
    /// The language.
    pub language: &'c Language,
    /// What it is, for comments: lines without line ends.
    pub head: &'c [String],
    /// The names of the state, for comments.
    pub state: &'c [String],
    /// The names of the parameters, for comments.
    pub parameters: &'c [String],
    /// The lines, without indentation.
    pub lines: Vec<String>,
    /// The names and values of the results.
    pub results: Vec<(String, Vec<String>)>,
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
        let other = self.names.iter().find(|(own, _)| *own == function);
        let name = other.map_or(function.name(), |(_, name)| name);
        format!("{}{name}", self.prefix)
    }
}

impl Code<'_> {
    /// Comments: the head, and which number stands where.
    pub fn comments(&self) -> String {
        let list = |array: &str, names: &[String]| {
            let item =
                |(i, name): (usize, &String)| format!("{} = {name}", self.language.input(array, i));
            names.iter().enumerate().map(item).collect::<Vec<String>>()
        };
        let state = list("y", self.state);
        let parameters = list("p", self.parameters);
        let lines = self.head.iter().cloned().chain(state).chain(parameters);
        let mark = self.language.comment;
        lines.map(|line| format!("{mark} {line}\n")).collect()
    }

    /// The lines with this indentation.
    pub fn body(&self, indentation: &str) -> String {
        let lines = self.lines.iter();
        lines.map(|line| format!("{indentation}{line}\n")).collect()
    }
}

/// A program as source code. Its inputs are `t`, the state, the parameters, in this order.
///
/// `head` are comments; names of the results are those of the outputs.
pub fn code(
    language: &Language,
    program: &Program,
    (state, parameters): (&[String], &[String]),
    head: &[String],
) -> String {
    let mut writer = Writer {
        language,
        program,
        names: vec![String::new(); program.slots],
        lines: Vec::new(),
        solves: 0,
    };
    let inputs = ["t".to_owned()]
        .into_iter()
        .chain((0..state.len()).map(|i| language.input("y", i)))
        .chain((0..parameters.len()).map(|i| language.input("p", i)));
    for (slot, name) in inputs.enumerate().take(program.inputs.len()) {
        writer.names[slot] = name;
    }
    for statement in &program.statements {
        match statement {
            Statement::Let(slot, operation) => writer.define(*slot, operation),
            Statement::Solve(solve) => writer.solve(solve),
        }
    }
    let results = program.outputs.iter().map(|output| {
        let values = output.slots.iter().map(|slot| writer.name(*slot));
        (output.name.clone(), values.collect())
    });
    let results = results.collect();
    (language.frame)(&Code {
        language,
        head,
        state,
        parameters,
        lines: writer.lines,
        results,
    })
}

struct Writer<'p> {
    language: &'p Language,
    program: &'p Program,
    names: Vec<String>,
    lines: Vec<String>,
    solves: usize,
}

impl Writer<'_> {
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
        let name = format!("x{slot}");
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
                format!("{}sqrt({name})", self.language.prefix)
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
            .map(|i| {
                (0..solve.columns)
                    .map(|j| format!("u{}_{i}_{j}", self.solves))
                    .collect()
            })
            .collect();
        for (slot, name) in (solve.unknowns as usize..).zip(unknowns.iter().flatten()) {
            self.names[slot] = name.clone();
        }
        let lines = (self.language.solve)(&Solve {
            number: self.solves,
            title: &solve.name,
            least_norm: matches!(solve.kind, SolveKind::Consistent { .. }),
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

/// A system solved by `matrix \ right`, and the unknowns taken from the matrix of solutions.
fn divided(language: &Language, solve: &Solve<'_>, matrix: &str) -> Vec<String> {
    let right = semicolons(&solve.right);
    let call = match solve.least_norm {
        true => format!("pinv({matrix}) * {right}"),
        false => format!("{matrix} \\ {right}"),
    };
    let all = format!("s{}", solve.number);
    let mut lines = vec![
        format!("{} {}", language.comment, solve.title),
        (language.define)(&all, &call),
    ];
    let (open, close) = language.index;
    for (i, row) in (1..).zip(&solve.unknowns) {
        let entry = |j: usize| format!("{all}{open}{i}, {j}{close}");
        let one = |(j, name): (usize, &String)| (language.define)(name, &entry(j));
        lines.extend((1..).zip(row).map(one));
    }
    lines
}
