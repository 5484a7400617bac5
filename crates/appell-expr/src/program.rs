//! Programs: equations that stay unsolved, ready to be run over any number system.
//!
//! A program is `[Let, Solve]*` with named outputs. A `Let` evaluates one node; a `Solve`
//! gives values to unknowns `X` with `K X = Y`. No inverse is ever written out.

use crate::function::Function;
use crate::limits::look;
use crate::num::Rational;

/// What is known of the matrix of a [`Solve`](crate::Solve).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SolveKind {
    /// Symmetric positive definite.
    PositiveDefinite,
    /// Symmetric and regular, perhaps indefinite.
    Symmetric,
    /// Regular.
    General,
    /// Rows solved for a choice of dependent unknowns, scaled so that the determinant was 1 where they were chosen: where
    /// its size is below a tenth, another choice would be better, and this one is an error.
    Chosen,
    /// Made of the constraint rows `A`, as `A G A^T` or bordered by it: the right side is in its range,
    /// its rank is `unique` and that of `A` together, which a run may take as known. The solution of
    /// least Euclidean norm. No kind for systems of another origin.
    OfRows {
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
            Self::Chosen => "regular by choice",
            Self::OfRows { .. } => "least norm if singular",
        }
    }
}

/// After so many statements it is looked whether the work is to stop.
const LOOK: usize = 32;

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

impl Operation {
    /// The slots that it reads.
    pub fn arguments(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        self.for_each_argument(|slot| slots.push(slot));
        slots
    }

    /// Does something with each slot that it reads.
    pub fn for_each_argument(&self, mut act: impl FnMut(Slot)) {
        match self {
            Self::Number(_) | Self::Pi => {}
            Self::Sum(_, terms) => terms.iter().for_each(|(x, _)| act(*x)),
            Self::Product(factors) => factors.iter().for_each(|(x, _)| act(*x)),
            Self::Power(base, exponent) => [*base, *exponent].into_iter().for_each(act),
            Self::Call(_, arguments) => arguments.iter().for_each(|x| act(*x)),
        }
    }
}

/// A [`Solve`](crate::Solve) on slots.
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
#[derive(Debug, Clone)]
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

/// A program without inputs and results: the first numbers stand where every program has them.
impl Default for Program {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            statements: Vec::new(),
            outputs: Vec::new(),
            numbers: [0, 1, -1].map(Rational::from).to_vec(),
            slots: 0,
        }
    }
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
        for (index, statement) in self.statements.iter().enumerate() {
            if index % LOOK == 0 {
                look();
            }
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
