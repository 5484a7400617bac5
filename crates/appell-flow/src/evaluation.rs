//! What an evaluation needs, and how it may fail.

use std::fmt;

/// Room for intermediate values. A field resizes it as it likes and may not rely on what it finds:
/// several fields use the same one in turn.
#[derive(Debug, Default, Clone)]
pub struct Workspace {
    /// Free for the field's use.
    pub values: Vec<f64>,
    /// The state with the inputs behind it.
    pub driven: Vec<f64>,
    /// For the linear solves inside a field, in the same order at each evaluation.
    pub linear: crate::linear::Scratch,
}

/// Why a field has no value at a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvalError {
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

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::Singular { what } => write!(f, "{what} is singular"),
            EvalError::Inconsistent { what } => write!(f, "{what} contradict each other"),
            EvalError::NotFinite { what } => write!(f, "{what} is not a finite number"),
        }
    }
}

impl std::error::Error for EvalError {}

impl From<Box<EvalError>> for EvalError {
    fn from(error: Box<EvalError>) -> EvalError {
        *error
    }
}

/// Whether all numbers are finite; without an early way out all are looked at at once.
#[inline(always)]
pub(crate) fn all_finite(numbers: &[f64]) -> bool {
    numbers.iter().fold(true, |all, x| all & x.is_finite())
}
