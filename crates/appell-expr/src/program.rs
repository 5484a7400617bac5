//! Programs: equations that stay unsolved, ready to be run over any number system.
//!
//! A program is `[Let, Solve]*` with named outputs. A `Let` evaluates one node; a `Solve`
//! gives values to unknowns `X` with `K X = Y`. No inverse is ever written out.

use crate::function::Function;
use crate::graph::{Ex, Graph, Id, Node};
use crate::matrix::Matrix;
use crate::num::Rational;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// What is known of the matrix of a [`Solve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SolveKind {
    /// Symmetric positive definite.
    PositiveDefinite,
    /// Symmetric and regular, perhaps indefinite.
    Symmetric,
    /// Regular.
    General,
    /// Perhaps singular, the right side in its range: the solution of least Euclidean norm.
    Consistent {
        /// The first so many unknowns must be the same in every solution, else it is an error.
        unique: usize,
    },
}

impl SolveKind {
    /// In words, for printed programs.
    pub fn words(self) -> &'static str {
        match self {
            Self::PositiveDefinite => "positive definite",
            Self::Symmetric => "symmetric",
            Self::General => "regular",
            Self::Consistent { .. } => "least norm if singular",
        }
    }
}

/// The statement `matrix unknowns = right`, `size x size` times `size x columns`, row by row.
#[derive(Debug, Clone)]
pub struct Solve {
    /// What the unknowns are called.
    pub name: String,
    /// What is known of the matrix.
    pub kind: SolveKind,
    /// The number of rows of the matrix.
    pub size: usize,
    /// The number of right-hand sides.
    pub columns: usize,
    /// The matrix.
    pub matrix: Vec<Id>,
    /// The right-hand sides.
    pub right: Vec<Id>,
    /// Symbols that stand for the solution.
    pub unknowns: Vec<Id>,
}

/// One step of a [`Sketch`]; it may use the symbols of earlier steps.
#[derive(Debug, Clone)]
pub enum Step {
    /// A symbol and the expression it stands for.
    Let(Id, Id),
    /// A linear system.
    Solve(Solve),
}

impl Step {
    /// The symbols it gives a meaning to.
    fn defined(&self) -> &[Id] {
        match self {
            Self::Let(symbol, _) => std::slice::from_ref(symbol),
            Self::Solve(solve) => &solve.unknowns,
        }
    }

    /// Whether it gives a meaning to this symbol.
    pub fn defines(&self, symbol: Id) -> bool {
        self.defined().contains(&symbol)
    }

    /// The expressions it is made of.
    fn used(&self) -> Vec<Id> {
        match self {
            Self::Let(_, value) => vec![*value],
            Self::Solve(solve) => solve.matrix.iter().chain(&solve.right).copied().collect(),
        }
    }
}

/// A program being written, in the algebra of a graph.
#[derive(Debug, Clone)]
pub struct Sketch<'g> {
    graph: &'g Graph,
    steps: Vec<Step>,
    outputs: Vec<(String, Matrix<'g>)>,
}

impl<'g> Sketch<'g> {
    /// An empty program.
    pub fn new(graph: &'g Graph) -> Self {
        Self {
            graph,
            steps: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// The graph it is written in.
    pub fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// The solution `X` of `matrix X = right`, as new symbols `name[i]` or `name[i,j]`.
    pub fn solve(
        &mut self,
        kind: SolveKind,
        name: &str,
        matrix: &Matrix<'g>,
        right: &Matrix<'g>,
    ) -> Matrix<'g> {
        let columns = right.columns();
        let unknowns = Matrix::from_fn(self.graph, right.rows(), columns, |i, j| {
            let column = if columns == 1 {
                String::new()
            } else {
                format!(",{}", j + 1)
            };
            self.graph
                .fresh_symbol(&format!("{name}[{}{column}]", i + 1))
        });
        self.solve_for(kind, name, &unknowns, matrix, right);
        unknowns
    }

    /// Lets the given symbols stand for the solution of `matrix unknowns = right`.
    ///
    /// # Panics
    /// If the shapes do not fit: they are decided by the formulas in the source.
    pub fn solve_for(
        &mut self,
        kind: SolveKind,
        name: &str,
        unknowns: &Matrix<'g>,
        matrix: &Matrix<'g>,
        right: &Matrix<'g>,
    ) {
        let (size, columns) = (right.rows(), right.columns());
        assert_eq!(
            (matrix.rows(), matrix.columns()),
            (size, size),
            "a square system: {name}"
        );
        assert_eq!(
            (unknowns.rows(), unknowns.columns()),
            (size, columns),
            "unknowns: {name}"
        );
        let ids = |m: &Matrix<'g>| m.entries().iter().map(|x| x.id()).collect();
        self.steps.push(Step::Solve(Solve {
            name: name.to_owned(),
            kind,
            size,
            columns,
            matrix: ids(matrix),
            right: ids(right),
            unknowns: ids(unknowns),
        }));
    }

    /// Lets a symbol stand for an expression, without putting it in its place.
    pub fn bind(&mut self, symbol: Ex<'g>, value: Ex<'g>) {
        self.steps.push(Step::Let(symbol.id(), value.id()));
    }

    /// Names a result.
    pub fn output(&mut self, name: &str, value: Matrix<'g>) {
        self.outputs.push((name.to_owned(), value));
    }

    /// Names a list of results.
    pub fn output_list(&mut self, name: &str, values: &[Ex<'g>]) {
        self.output(name, Matrix::column(self.graph, values.to_vec()));
    }

    /// The value of a named result.
    pub fn get(&self, name: &str) -> Option<&Matrix<'g>> {
        self.outputs
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value)
    }

    /// The steps, in the order in which they are carried out.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The named results.
    pub fn outputs(&self) -> &[(String, Matrix<'g>)] {
        &self.outputs
    }

    /// The program that computes the outputs of these names (in this order) from the inputs.
    ///
    /// Only what they need is kept.
    ///
    /// # Errors
    /// A symbol that is neither an input nor an unknown of a solve, or an output that is not there.
    pub fn program(&self, inputs: &[Ex<'g>], names: &[&str]) -> Result<Program, Unbound> {
        let mut outputs = Vec::new();
        for name in names {
            let value = self.get(name).ok_or_else(|| Unbound((*name).to_owned()))?;
            outputs.push((*name, value));
        }
        let mut writer = Writer::new(self.graph, inputs);
        for index in self.needed_steps(&outputs) {
            writer.write_step(&self.steps[index])?;
        }
        for (name, value) in outputs {
            writer.write_output(name, value)?;
        }
        Ok(writer.program)
    }

    /// The indices of the steps that the outputs depend on, in order.
    pub fn needed_steps(&self, outputs: &[(&str, &Matrix<'g>)]) -> Vec<usize> {
        let mut owner: FxHashMap<Id, usize> = FxHashMap::default();
        for (index, step) in self.steps.iter().enumerate() {
            owner.extend(step.defined().iter().map(|id| (*id, index)));
        }
        let mut needed: FxHashSet<usize> = FxHashSet::default();
        let mut pending: Vec<Id> = outputs
            .iter()
            .flat_map(|(_, value)| value.entries().iter().map(|x| x.id()))
            .collect();
        while !pending.is_empty() {
            let reachable = self.graph.reachable(&std::mem::take(&mut pending));
            for index in reachable.iter().filter_map(|id| owner.get(id)) {
                if needed.insert(*index) {
                    pending.extend(self.steps[*index].used());
                }
            }
        }
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        needed
    }
}

/// A name that a program needs and nothing provides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbound(pub String);

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing gives a value to `{}`", self.0)
    }
}

impl std::error::Error for Unbound {}

/// The place of a value while a program runs.
pub type Slot = u32;

/// One step of a program.
#[derive(Debug, Clone)]
pub enum Statement {
    /// Evaluate one operation into a slot.
    Let(Slot, Operation),
    /// Solve a linear system.
    Solve(SlotSolve),
}

/// A node whose children are slots and whose numbers stand in the program's table.
#[derive(Debug, Clone)]
pub enum Operation {
    /// A number of the table.
    Number(u32),
    /// The number pi.
    Pi,
    /// `constant + Sum c_i x_i`, constants by their place in the table.
    Sum(u32, Box<[(Slot, u32)]>),
    /// `Prod x_i ^ e_i`.
    Product(Box<[(Slot, Rational)]>),
    /// `base ^ exponent`.
    Power(Slot, Slot),
    /// A function.
    Call(Function, Box<[Slot]>),
}

/// A [`Solve`] on slots.
#[derive(Debug, Clone)]
pub struct SlotSolve {
    /// What the unknowns are called.
    pub name: String,
    /// What is known of the matrix.
    pub kind: SolveKind,
    /// The number of rows of the matrix.
    pub size: usize,
    /// The number of right-hand sides.
    pub columns: usize,
    /// The matrix, row by row.
    pub matrix: Vec<Slot>,
    /// The right-hand sides, row by row.
    pub right: Vec<Slot>,
    /// The first of the consecutive slots that receive the solution, row by row.
    pub unknowns: Slot,
}

/// A named result: `rows x columns`, row by row.
#[derive(Debug, Clone)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// Where its values stand.
    pub slots: Vec<Slot>,
}

/// Straight-line code with solves, owned and `Sync`: inputs in the first slots, outputs by name.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The names of the inputs, slots `0..inputs.len()`.
    pub inputs: Vec<String>,
    /// The steps.
    pub statements: Vec<Statement>,
    /// The results.
    pub outputs: Vec<Output>,
    /// The numbers that sums and number operations refer to; 0, 1, -1 come first.
    pub numbers: Vec<Rational>,
    /// How many slots there are.
    pub slots: usize,
}

impl Program {
    /// The place of zero in [`Program::numbers`].
    pub const ZERO: u32 = 0;
    /// The place of one.
    pub const ONE: u32 = 1;
    /// The place of minus one.
    pub const MINUS_ONE: u32 = 2;

    /// The number of results, all outputs together.
    pub fn result_len(&self) -> usize {
        self.outputs.iter().map(|o| o.slots.len()).sum()
    }

    /// Where the values of the named output stand among all results.
    pub fn range(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let mut start = 0;
        for output in &self.outputs {
            let end = start + output.slots.len();
            if output.name == name {
                return Some(start..end);
            }
            start = end;
        }
        None
    }

    /// Runs the program: `values` holds the inputs in its first slots and is filled up.
    ///
    /// # Errors
    /// Whatever the number system cannot do: a solve with a singular matrix, an inverse of 0.
    pub fn run<N: Numbers>(
        &self,
        system: &mut N,
        numbers: &[N::Value],
        values: &mut Vec<N::Value>,
    ) -> Result<(), N::Error> {
        values.truncate(self.inputs.len());
        values.resize(self.slots, numbers[Self::ZERO as usize].clone());
        for statement in &self.statements {
            match statement {
                Statement::Let(slot, operation) => {
                    values[*slot as usize] = evaluate(system, operation, numbers, values)?;
                }
                Statement::Solve(solve) => run_solve(system, solve, values)?,
            }
        }
        Ok(())
    }

    /// The table of numbers in a number system, to be made once for many runs.
    pub fn convert_numbers<N: Numbers>(&self, system: &mut N) -> Vec<N::Value> {
        self.numbers.iter().map(|x| system.number(x)).collect()
    }
}

/// A number system that programs run over: doubles, doubles with error sizes, a prime field.
pub trait Numbers {
    /// A number.
    type Value: Clone;
    /// What may go wrong.
    type Error;
    /// An exact number.
    fn number(&mut self, x: &Rational) -> Self::Value;
    /// The number pi.
    fn pi(&mut self) -> Self::Value;
    /// `x + y`.
    fn add(&mut self, x: &Self::Value, y: &Self::Value) -> Self::Value;
    /// `x y`.
    fn mul(&mut self, x: &Self::Value, y: &Self::Value) -> Self::Value;
    /// `x ^ e` for an exact exponent.
    ///
    /// # Errors
    /// Where the power is not defined, if the system has no value for that.
    fn exact_power(&mut self, x: &Self::Value, e: &Rational) -> Result<Self::Value, Self::Error>;
    /// `x ^ y`.
    ///
    /// # Errors
    /// Where the power is not defined, if the system has no value for that.
    fn power(&mut self, x: &Self::Value, y: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// A function of one or two arguments.
    ///
    /// # Errors
    /// Where the function is not defined, if the system has no value for that.
    fn call(&mut self, f: Function, x: &[&Self::Value]) -> Result<Self::Value, Self::Error>;
    /// Solves `matrix X = right` and leaves `X` in `right`.
    ///
    /// # Errors
    /// A matrix that is not what the kind says; a right side that is not in the range.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Self::Value>,
        right: &mut Vec<Self::Value>,
    ) -> Result<(), Self::Error>;
}

fn evaluate<N: Numbers>(
    system: &mut N,
    operation: &Operation,
    numbers: &[N::Value],
    values: &[N::Value],
) -> Result<N::Value, N::Error> {
    let at = |slot: Slot| &values[slot as usize];
    match operation {
        Operation::Number(index) => Ok(numbers[*index as usize].clone()),
        Operation::Pi => Ok(system.pi()),
        Operation::Sum(constant, terms) => {
            let mut sum = numbers[*constant as usize].clone();
            for (slot, c) in terms {
                sum = match *c {
                    Program::ONE => system.add(&sum, at(*slot)),
                    c => {
                        let term = system.mul(&numbers[c as usize], at(*slot));
                        system.add(&sum, &term)
                    }
                };
            }
            Ok(sum)
        }
        Operation::Product(factors) => {
            let mut product: Option<N::Value> = None;
            for (slot, e) in factors {
                let power = if e.is_one() {
                    at(*slot).clone()
                } else {
                    system.exact_power(at(*slot), e)?
                };
                product = Some(match product {
                    Some(product) => system.mul(&product, &power),
                    None => power,
                });
            }
            Ok(product.unwrap_or_else(|| numbers[Program::ONE as usize].clone()))
        }
        Operation::Power(base, exponent) => system.power(at(*base), at(*exponent)),
        Operation::Call(function, arguments) => match **arguments {
            [x] => system.call(*function, &[at(x)]),
            _ => system.call(*function, &[at(arguments[0]), at(arguments[1])]),
        },
    }
}

fn run_solve<N: Numbers>(
    system: &mut N,
    solve: &SlotSolve,
    values: &mut [N::Value],
) -> Result<(), N::Error> {
    let read = |slots: &[Slot]| slots.iter().map(|s| values[*s as usize].clone()).collect();
    let matrix: Vec<N::Value> = read(&solve.matrix);
    let mut right: Vec<N::Value> = read(&solve.right);
    system.solve(solve, matrix, &mut right)?;
    for (value, target) in right
        .into_iter()
        .zip(&mut values[solve.unknowns as usize..])
    {
        *target = value;
    }
    Ok(())
}

/// Translates ids of a graph to slots of a program.
struct Writer<'g> {
    graph: &'g Graph,
    slots: FxHashMap<Id, Slot>,
    numbers: FxHashMap<Rational, u32>,
    program: Program,
}

impl<'g> Writer<'g> {
    fn new(graph: &'g Graph, inputs: &[Ex<'g>]) -> Self {
        let mut writer = Self {
            graph,
            slots: FxHashMap::default(),
            numbers: FxHashMap::default(),
            program: Program::default(),
        };
        for number in [0, 1, -1] {
            writer.number(&Rational::from(number));
        }
        for input in inputs {
            let slot = writer.new_slot();
            writer.slots.insert(input.id(), slot);
            writer
                .program
                .inputs
                .push(input.symbol_name().unwrap_or_default());
        }
        writer
    }

    fn new_slot(&mut self) -> Slot {
        let slot = Slot::try_from(self.program.slots).expect("fewer than 2^32 slots");
        self.program.slots += 1;
        slot
    }

    fn number(&mut self, x: &Rational) -> u32 {
        if let Some(index) = self.numbers.get(x) {
            return *index;
        }
        let index = u32::try_from(self.program.numbers.len()).expect("fewer than 2^32 numbers");
        self.program.numbers.push(x.clone());
        self.numbers.insert(x.clone(), index);
        index
    }

    /// Writes what is needed for `roots` and returns their slots.
    fn write(&mut self, roots: &[Id]) -> Result<Vec<Slot>, Unbound> {
        let written = &self.slots;
        for id in self
            .graph
            .reachable_unless(roots, |id| written.contains_key(&id))
        {
            let operation = self.operation(id)?;
            let slot = self.new_slot();
            self.slots.insert(id, slot);
            self.program
                .statements
                .push(Statement::Let(slot, operation));
        }
        Ok(roots.iter().map(|id| self.slots[id]).collect())
    }

    fn operation(&mut self, id: Id) -> Result<Operation, Unbound> {
        Ok(match self.graph.node(id) {
            Node::Number(x) => Operation::Number(self.number(&x)),
            Node::Pi => Operation::Pi,
            Node::Symbol(index) => return Err(Unbound(self.graph.symbol_name(index))),
            Node::Sum(constant, terms) => {
                let constant = self.number(&constant);
                let mut slots = Vec::with_capacity(terms.len());
                for (x, c) in &terms {
                    slots.push((self.slots[x], self.number(c)));
                }
                Operation::Sum(constant, slots.into())
            }
            Node::Product(factors) => Operation::Product(
                factors
                    .iter()
                    .map(|(x, e)| (self.slots[x], e.clone()))
                    .collect(),
            ),
            Node::Power(base, exponent) => {
                Operation::Power(self.slots[&base], self.slots[&exponent])
            }
            Node::Call(function, arguments) => {
                Operation::Call(function, arguments.iter().map(|x| self.slots[x]).collect())
            }
        })
    }

    fn write_step(&mut self, step: &Step) -> Result<(), Unbound> {
        match step {
            Step::Let(symbol, value) => {
                let slots = self.write(&[*value])?;
                self.slots.insert(*symbol, slots[0]);
                Ok(())
            }
            Step::Solve(solve) => self.write_solve(solve),
        }
    }

    fn write_solve(&mut self, solve: &Solve) -> Result<(), Unbound> {
        let matrix = self.write(&solve.matrix)?;
        let right = self.write(&solve.right)?;
        let unknowns: Vec<Slot> = solve.unknowns.iter().map(|_| self.new_slot()).collect();
        self.slots
            .extend(solve.unknowns.iter().copied().zip(unknowns.iter().copied()));
        self.program.statements.push(Statement::Solve(SlotSolve {
            name: solve.name.clone(),
            kind: solve.kind,
            size: solve.size,
            columns: solve.columns,
            matrix,
            right,
            unknowns: unknowns.first().copied().unwrap_or_default(),
        }));
        Ok(())
    }

    fn write_output(&mut self, name: &str, value: &Matrix<'g>) -> Result<(), Unbound> {
        let ids: Vec<Id> = value.entries().iter().map(|x| x.id()).collect();
        let slots = self.write(&ids)?;
        let (rows, columns) = (value.rows(), value.columns());
        self.program.outputs.push(Output {
            name: name.to_owned(),
            rows,
            columns,
            slots,
        });
        Ok(())
    }
}
