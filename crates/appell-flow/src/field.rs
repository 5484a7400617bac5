//! A function of time and state in numbers: all that the integrator knows of the equations.

use crate::backend::Compiled;
use crate::tape::Tape;
use std::fmt;

/// A function `out = f(t, y)` in double precision.
///
/// It is immutable and `Sync`; buffers belong to the caller, so one field serves many threads.
/// A field reads the first [`inputs`](Field::inputs) components of the state it is given.
pub trait Field: Sync {
    /// The number of components of `y` that are read.
    fn inputs(&self) -> usize;
    /// The number of components that are written.
    fn outputs(&self) -> usize;
    /// Writes `f(t, y)` into `out`, of length [`outputs`](Field::outputs).
    ///
    /// # Errors
    /// [`Trouble`] where the function has no value; `out` is then unspecified. It is boxed so that the
    /// answer of the usual case fits a register.
    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<Trouble>>;

    /// The operations that compute it, where they are known: for methods that ask for more than values.
    fn tape(&self) -> Option<&Tape> {
        None
    }

    /// The field itself where it is a compiled tape: methods may then take several evaluations at once.
    fn compiled(&self) -> Option<&Compiled> {
        None
    }
}

/// Room for intermediate values. A field resizes it as it likes and may not rely on what it finds:
/// several fields use the same one in turn.
#[derive(Debug, Default, Clone)]
pub struct Workspace {
    /// Free for the field's use.
    pub values: Vec<f64>,
    /// For the linear solves inside a field, in the same order at each evaluation.
    pub linear: crate::linear::Scratch,
}

/// Why a field has no value at a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// A linear system has no unique solution.
    Singular {
        /// The system, in words that end a sentence: `the mass matrix`.
        what: String,
    },
    /// A linear system has no solution.
    Inconsistent {
        /// The rows that contradict each other.
        what: String,
    },
    /// A number is infinite or undefined.
    NotFinite {
        /// The quantity.
        what: String,
    },
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Singular { what } => write!(f, "{what} is singular"),
            Trouble::Inconsistent { what } => write!(f, "{what} contradict each other"),
            Trouble::NotFinite { what } => write!(f, "{what} is not a finite number"),
        }
    }
}

impl std::error::Error for Trouble {}

impl From<Box<Trouble>> for Trouble {
    fn from(trouble: Box<Trouble>) -> Trouble {
        *trouble
    }
}

/// A [`Field`] written as a Rust function, for closed forms and tests.
pub struct Formula<F> {
    inputs: usize,
    outputs: usize,
    function: F,
}

impl<F: Fn(f64, &[f64], &mut [f64]) + Sync> Formula<F> {
    /// The field `function(t, y, out)` with `y` of length `inputs` and `out` of length `outputs`.
    pub fn new(inputs: usize, outputs: usize, function: F) -> Formula<F> {
        Formula {
            inputs,
            outputs,
            function,
        }
    }
}

impl<F: Fn(f64, &[f64], &mut [f64]) + Sync> Field for Formula<F> {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn outputs(&self) -> usize {
        self.outputs
    }

    fn eval(
        &self,
        _: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<Trouble>> {
        (self.function)(t, y, out);
        Ok(())
    }
}

/// Whether all numbers are finite; without an early way out all are looked at at once.
#[inline(always)]
pub(crate) fn all_finite(numbers: &[f64]) -> bool {
    numbers.iter().fold(true, |all, x| all & x.is_finite())
}

/// Evaluates a field on the leading part of `y` and refuses infinite or undefined values.
///
/// # Errors
/// The field's own, or [`Trouble::NotFinite`].
pub fn evaluate(
    field: &dyn Field,
    workspace: &mut Workspace,
    t: f64,
    y: &[f64],
    out: &mut [f64],
) -> Result<(), Box<Trouble>> {
    field.eval(workspace, t, &y[..field.inputs()], out)?;
    if all_finite(out) {
        return Ok(());
    }
    match out.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Box::new(Trouble::NotFinite {
            what: format!("component {} of the field", index + 1),
        })),
    }
}
