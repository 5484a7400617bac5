//! Programs as register tapes: what every backend runs.
//!
//! A [`Tape`] is a program whose parameters have values. Its operations are of the simplest kind, each
//! writes one new register, and equal ones stand once: constants are folded, what no result needs is
//! gone, `sin` and `cos` of one argument stand side by side, reciprocals are shared, integer powers are
//! products. Small symmetric systems are written out as `L D L^T` along their structural zeros
//! (module `ldlt`), with the numerical routine as the way out where a pivot is not safe.
//!
//! What is multiplied by an exact zero, here a parameter of value 0 too, is dropped with its poles, as
//! the algebra does; so are terms that cancel exactly.

mod build;
mod cofactors;
pub(crate) mod jacobian;
mod ldlt;
mod measured;
pub(crate) mod schedule;
pub(crate) mod series;
mod sparsity;
mod tangent;

use crate::direction::Direction;
use crate::evaluation::{EvalError, Workspace};
use crate::functions::solve_numerically;
use crate::linear::Scratch;
use crate::parameters::Parameters;
use appell_expr::{Function, Program, SlotSolve, SolveKind, elementary};
use schedule::Schedule;

/// The place of a value: inputs first, then constants, then the results of the operations.
pub type Register = u32;

/// One operation on registers; the k-th writes register `first + k` of its [`Tape`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// `-x`
    Neg(Register),
    /// `|x|`
    Abs(Register),
    /// The square root.
    Sqrt(Register),
    /// `x`, or 0 where it is undefined.
    OrZero(Register),
    /// `x + y`
    Add(Register, Register),
    /// `x - y`
    Sub(Register, Register),
    /// `x y`
    Mul(Register, Register),
    /// `x / y`
    Div(Register, Register),
    /// `x ^ y`
    Power(Register, Register),
    /// A function; those of one argument have it twice.
    Call(Function, Register, Register),
    /// The sine of `x`; the cosine follows as a [`Op::Part`].
    SinCos(Register),
    /// A linear system by its place in [`Tape::solves`]; the unknowns follow as [`Op::Part`]s.
    Solve(u32),
    /// Written by an operation before it.
    Part,
}

/// A number, or 0 where it is undefined.
#[inline(always)]
pub(crate) fn or_zero(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x }
}

/// A linear system on registers.
#[derive(Debug, Clone)]
pub struct TapeSolve {
    /// The statement of the program: its name, kind and sizes.
    pub statement: SlotSolve,
    /// The matrix, row by row.
    pub matrix: Vec<Register>,
    /// The right-hand sides, row by row.
    pub right: Vec<Register>,
    /// The solution written out, where there is one.
    pub direct: Option<Direct>,
}

/// A solution computed by the operations before its [`Op::Solve`].
#[derive(Debug, Clone)]
pub struct Direct {
    /// It counts where `a > b` for every pair `(a, b)`; the numerical routine is called otherwise.
    pub guards: Vec<(Register, Register)>,
    /// The unknowns, row by row.
    pub solution: Vec<Register>,
}

/// A program with fixed parameters as straight-line code: a field of `(t, y)`.
#[derive(Debug, Clone)]
pub struct Tape {
    /// The number of inputs: the time and what is read of the state.
    pub inputs: usize,
    /// The constants, in the registers behind the inputs.
    pub constants: Vec<f64>,
    /// The operations, in the registers behind the constants.
    pub ops: Vec<Op>,
    /// The linear systems.
    pub solves: Vec<TapeSolve>,
    /// The results.
    pub outputs: Vec<Register>,
}

impl Tape {
    /// The tape of a program whose last inputs have these values. Those that are driven are read after the
    /// state.
    pub fn new(program: &Program, parameters: impl Into<Parameters>) -> Tape {
        build::tape(program, &parameters.into().for_program(program))
    }

    /// The tape of the sizes of a program's results ([`Measured`](crate::Measured)); `None` where the
    /// program solves large linear systems.
    pub fn of_sizes(program: &Program, parameters: impl Into<Parameters>) -> Option<Tape> {
        measured::tape(program, &parameters.into().for_program(program))
    }

    /// The tape of a program's results and, behind them, their derivatives along directions, one after the other.
    /// It reads the time, the state and behind it the state's part of each direction; then the last `still` components
    /// of the state, which do not change; then what is driven, and the change of that along each direction.
    pub fn with_tangents(
        program: &Program,
        parameters: impl Into<Parameters>,
        directions: &[Direction],
        still: usize,
    ) -> Tape {
        let parameters = parameters.into().for_program(program);
        tangent::tape(program, &parameters, directions, still)
    }

    /// About how many operations an evaluation takes: comparisons of guards are some, systems that are not written
    /// out count as eliminations.
    pub fn work(&self) -> usize {
        const NUMERICAL: usize = 10;
        let parts = |op: &&Op| !matches!(op, Op::Part | Op::Solve(_));
        let solves = self.solves.iter().map(|solve| {
            let (size, columns) = (solve.statement.size, solve.statement.columns);
            match &solve.direct {
                Some(direct) => direct.guards.len(),
                None => NUMERICAL * size * size * (size + columns),
            }
        });
        self.ops.iter().filter(parts).count() + solves.sum::<usize>()
    }

    /// Whether machine code may refuse what the tape does not.
    pub(crate) fn leaves_out(&self) -> bool {
        self.solves.iter().any(TapeSolve::is_left_out)
    }

    /// The tape with values for its last inputs. They become the first constants: no register moves.
    #[must_use]
    pub fn pinned(&self, last: &[f64]) -> Tape {
        Tape {
            inputs: self.inputs - last.len(),
            constants: [last, &self.constants].concat(),
            ..self.clone()
        }
    }

    /// The register of the first operation.
    pub fn first(&self) -> usize {
        self.inputs + self.constants.len()
    }

    /// The value of a register that is a constant.
    pub fn constant(&self, register: Register) -> Option<f64> {
        let place = (register as usize).checked_sub(self.inputs)?;
        self.constants.get(place).copied()
    }

    /// Whether all held ranks are full, so that written-out solutions may be used.
    pub(crate) fn is_regular(&self, scratch: &Scratch) -> bool {
        !scratch.holds() || self.has_full_ranks(scratch)
    }

    /// Whether all ranks that are held or known are full.
    pub(crate) fn has_full_ranks(&self, scratch: &Scratch) -> bool {
        let consistent = self.solves.iter().filter(|s| s.is_consistent());
        let mut places = consistent.enumerate();
        places.all(|(k, solve)| scratch.admits(k, solve.statement.size, solve.unique()))
    }

    /// Whether every solution that is written out counts, by the values of registers.
    pub(crate) fn is_written_out(&self, at: impl Fn(Register) -> f64) -> bool {
        let direct = self.solves.iter().filter_map(|solve| solve.direct.as_ref());
        let mut guards = direct.flat_map(|direct| &direct.guards);
        guards.all(|(a, b)| at(*a) > at(*b))
    }

    /// Fills the registers in, runs the operations, in an order of their own or as they stand, and reads the results.
    pub(crate) fn evaluate(
        &self,
        order: Option<&Schedule>,
        workspace: &mut Workspace,
        (t, y): (f64, &[f64]),
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let Workspace { values, linear, .. } = workspace;
        // Every operation writes its register before it is read: what is left there need not be cleared.
        values.resize(self.first() + self.ops.len(), 0.0);
        values[0] = t;
        values[1..self.inputs].copy_from_slice(&y[..self.inputs - 1]);
        values[self.inputs..self.first()].copy_from_slice(&self.constants);
        match order {
            Some(order) => order.run(self, values, linear)?,
            None => self.run(values, linear)?,
        }
        for (out, register) in out.iter_mut().zip(&self.outputs) {
            *out = values[*register as usize];
        }
        Ok(())
    }

    /// Runs the operations on registers whose inputs are filled in.
    pub(crate) fn run(
        &self,
        registers: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), EvalError> {
        for (target, op) in (self.first()..).zip(&self.ops) {
            self.step(target, *op, registers, scratch)?;
        }
        Ok(())
    }

    /// Writes one register, and those of the [`Op::Part`]s behind it.
    #[inline(always)]
    fn step(
        &self,
        target: usize,
        op: Op,
        registers: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), EvalError> {
        let at = |register: Register| registers[register as usize];
        registers[target] = match op {
            Op::Neg(x) => -at(x),
            Op::Abs(x) => at(x).abs(),
            Op::Sqrt(x) => at(x).sqrt(),
            Op::OrZero(x) => or_zero(at(x)),
            Op::Add(x, y) => at(x) + at(y),
            Op::Sub(x, y) => at(x) - at(y),
            Op::Mul(x, y) => at(x) * at(y),
            Op::Div(x, y) => at(x) / at(y),
            Op::Power(x, y) => elementary::power(at(x), at(y)),
            Op::Call(function, x, y) => function.value(at(x), at(y)),
            Op::SinCos(x) => {
                let (sin, cos) = elementary::sin_cos(at(x));
                registers[target + 1] = cos;
                sin
            }
            Op::Solve(index) => {
                return self.solves[index as usize].run(registers, target, scratch);
            }
            Op::Part => return Ok(()),
        };
        Ok(())
    }

    /// What an operation reads; of a system, its matrix and right-hand sides.
    pub(crate) fn arguments(&self, op: &Op) -> impl Iterator<Item = Register> {
        let (operands, solve) = match *op {
            Op::Neg(x) | Op::Abs(x) | Op::Sqrt(x) | Op::OrZero(x) | Op::SinCos(x) => {
                ([Some(x), None], None)
            }
            Op::Add(x, y)
            | Op::Sub(x, y)
            | Op::Mul(x, y)
            | Op::Div(x, y)
            | Op::Power(x, y)
            | Op::Call(_, x, y) => ([Some(x), Some(y)], None),
            Op::Solve(index) => ([None; 2], Some(&self.solves[index as usize])),
            Op::Part => ([None; 2], None),
        };
        let system = solve
            .into_iter()
            .flat_map(|s| s.matrix.iter().chain(&s.right));
        operands.into_iter().flatten().chain(system.copied())
    }
}

/// Machine code does not hand larger matrices over: where a written-out solution does not count, the tape is interpreted.
const LARGEST_HANDED_OVER: usize = 1_000;

impl TapeSolve {
    /// Whether machine code refuses where the written-out solution does not count.
    pub(crate) fn is_left_out(&self) -> bool {
        self.direct.is_some() && self.matrix.len() > LARGEST_HANDED_OVER
    }

    /// Whether the rank is held during a run.
    pub(crate) fn is_consistent(&self) -> bool {
        matches!(self.statement.kind, SolveKind::OfRows { .. })
    }

    /// The unknowns of a system with a held rank that are no multipliers.
    fn unique(&self) -> usize {
        match self.statement.kind {
            SolveKind::OfRows { unique } => unique,
            _ => 0,
        }
    }

    fn run(
        &self,
        registers: &mut [f64],
        target: usize,
        scratch: &mut Scratch,
    ) -> Result<(), EvalError> {
        let at = |register: &Register| registers[*register as usize];
        let size = self.statement.size;
        let admitted = !self.is_consistent() || scratch.admits(0, size, self.unique());
        let direct = self
            .direct
            .as_ref()
            .filter(|direct| admitted && direct.guards.iter().all(|(a, b)| at(a) > at(b)));
        if let Some(direct) = direct {
            if self.is_consistent() {
                scratch.regular(size);
            }
            for (k, register) in direct.solution.iter().enumerate() {
                registers[target + k] = registers[*register as usize];
            }
            return Ok(());
        }
        let matrix: Vec<f64> = self.matrix.iter().map(at).collect();
        let mut right: Vec<f64> = self.right.iter().map(at).collect();
        solve_numerically(&self.statement, &matrix, &mut right, scratch)?;
        registers[target..target + right.len()].copy_from_slice(&right);
        Ok(())
    }
}
