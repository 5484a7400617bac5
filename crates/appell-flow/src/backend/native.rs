//! Machine code: how it is called, and how it calls back.
#![allow(unsafe_code, reason = "machine code is called here")]

use crate::field::{Trouble, Workspace};
use crate::interp::{call, solve_numerically};
use crate::linear::Scratch;
use crate::tape::Tape;
use appell_expr::Function;
use std::any::Any;
use std::ffi::c_void;

/// Solves the system of this place, its matrix and right side at the beginning of the work area, and
/// leaves the solution there. Not 0 where it is refused.
pub(super) type Rescue = extern "C" fn(*mut c_void, u32) -> u32;

/// `(t, y, out, work, context, rescue)`: writes the results to `out`. Not 0 where a system was refused.
pub(super) type Entry =
    unsafe extern "C" fn(f64, *const f64, *mut f64, *mut f64, *mut c_void, Rescue) -> u32;

/// Machine code for one tape.
pub(super) struct Machine {
    entry: Entry,
    /// Keeps the code in memory.
    _owner: Box<dyn Any + Send + Sync>,
    /// The length of the work area.
    room: usize,
}

/// What a call back needs.
struct Context<'a> {
    tape: &'a Tape,
    scratch: &'a mut Scratch,
    work: *mut f64,
    /// How many ranks were held or found before the call.
    before: usize,
    trouble: Option<Box<Trouble>>,
}

impl Machine {
    /// # Safety
    /// `entry` must be code for `tape`, and [`eval`](Self::eval) be given the same tape: the code reads
    /// `inputs - 1` numbers, writes `outputs`, uses [`work`] numbers of the work area, and calls back with
    /// the places of the tape's systems. `owner` must keep it in memory.
    pub unsafe fn new(entry: Entry, tape: &Tape, owner: Box<dyn Any + Send + Sync>) -> Machine {
        Machine {
            entry,
            _owner: owner,
            room: work(tape),
        }
    }

    /// Runs the code; the ranks that the scratch holds must be full.
    #[inline]
    pub fn eval(
        &self,
        tape: &Tape,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<Trouble>> {
        let (y, out) = (&y[..tape.inputs - 1], &mut out[..tape.outputs.len()]);
        let Workspace { values, linear } = workspace;
        if values.len() < self.room {
            values.resize(self.room, 0.0);
        }
        let work = values.as_mut_ptr();
        let mut context = Context {
            tape,
            before: linear.calls(),
            scratch: linear,
            work,
            trouble: None,
        };
        let place = (&raw mut context).cast::<c_void>();
        // SAFETY: the code is that of this tape (see `new`), and the slices have the lengths of the tape.
        let answer = unsafe { (self.entry)(t, y.as_ptr(), out.as_mut_ptr(), work, place, rescue) };
        match (answer, context.trouble.take()) {
            (0, _) => {
                if context.scratch.holds() {
                    context.pass(usize::MAX);
                }
                Ok(())
            }
            (_, Some(trouble)) => Err(trouble),
            (_, None) => Err(Box::new(Trouble::NotFinite {
                what: "a linear system".to_owned(),
            })),
        }
    }
}

impl Context<'_> {
    /// Accounts for the systems with held ranks that were solved directly before the system `index`.
    fn pass(&mut self, index: usize) {
        let solves = self.tape.solves.iter().take(index);
        let consistent = solves.filter(|solve| solve.is_consistent());
        let done = self.scratch.calls() - self.before;
        for solve in consistent.skip(done) {
            self.scratch.regular(solve.statement.size);
        }
    }

    fn solve(&mut self, index: usize, work: &mut [f64]) -> Result<(), Trouble> {
        self.pass(index);
        let solve = &self.tape.solves[index];
        let (matrix, rest) = work.split_at(solve.matrix.len());
        let mut right = rest[..solve.right.len()].to_vec();
        solve_numerically(&solve.statement, matrix, &mut right, self.scratch)?;
        work[..right.len()].copy_from_slice(&right);
        Ok(())
    }
}

/// The length of the work area.
fn work(tape: &Tape) -> usize {
    let lengths = tape.solves.iter().map(|s| s.matrix.len() + s.right.len());
    lengths.max().unwrap_or(0)
}

extern "C" fn rescue(context: *mut c_void, index: u32) -> u32 {
    // SAFETY: machine code hands on the context that `Machine::eval` gave to it; nobody else refers to it
    // or to its work area, of length `work(tape)`, during the call.
    let (context, work) = unsafe {
        let context = &mut *context.cast::<Context>();
        let length = work(context.tape);
        let work = std::slice::from_raw_parts_mut(context.work, length);
        (context, work)
    };
    match context.solve(index as usize, work) {
        Ok(()) => 0,
        Err(trouble) => {
            context.trouble = Some(Box::new(trouble));
            1
        }
    }
}

/// Writes the sine and the cosine of `x` to two numbers at `out`.
pub(super) extern "C" fn sin_cos(x: f64, out: *mut f64) {
    let (sin, cos) = x.sin_cos();
    // SAFETY: machine code gives the place of two numbers on its stack.
    unsafe {
        out.write(sin);
        out.add(1).write(cos);
    }
}

/// `x ^ y`
pub(super) extern "C" fn power(x: f64, y: f64) -> f64 {
    x.powf(y)
}

/// A function with the address that machine code calls; those of one argument pass over the second.
macro_rules! function {
    ($f:ident) => {{
        extern "C" fn f(x: f64, y: f64) -> f64 {
            call(Function::$f, x, y)
        }
        f as *const () as usize
    }};
}

/// The address of a function.
pub(super) fn address(f: Function) -> usize {
    match f {
        Function::Sin => function!(Sin),
        Function::Cos => function!(Cos),
        Function::Tan => function!(Tan),
        Function::Asin => function!(Asin),
        Function::Acos => function!(Acos),
        Function::Atan => function!(Atan),
        Function::Sinh => function!(Sinh),
        Function::Cosh => function!(Cosh),
        Function::Tanh => function!(Tanh),
        Function::Exp => function!(Exp),
        Function::Log => function!(Log),
        Function::Abs => function!(Abs),
        Function::Sign => function!(Sign),
        Function::Atan2 => function!(Atan2),
        Function::Min => function!(Min),
        Function::Max => function!(Max),
    }
}
