//! Why a question to a model has no answer.

use appell_expr::Unbound;
use appell_flow::EvalError;
use appell_mech::Unavailable;
use appell_model::{Code, Diagnostic};
use std::fmt;

/// Why a question to a model has no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// The question does not fit the model: what, where in its text, and what to do.
    Question(Box<Diagnostic>),
    /// A formalism, or one of its results, is not to be had for the model.
    Unavailable(Unavailable),
    /// Something has no value at a state, as at a singular one.
    NoValue(String),
    /// An argument, or a file beside the model, cannot be read.
    Argument(String),
}

impl Error {
    /// A question that does not fit, in words that need no place in the text.
    pub fn question(code: Code, message: impl Into<String>) -> Self {
        Diagnostic::new(code, message, Default::default(), "").into()
    }

    /// An argument that cannot be read.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::Argument(message.into())
    }

    /// Something that has no value.
    pub fn no_value(why: impl Into<String>) -> Self {
        Self::NoValue(why.into())
    }

    /// The code of a question that does not fit.
    pub fn code(&self) -> Option<Code> {
        self.diagnostic().map(|diagnostic| diagnostic.code)
    }

    /// The place and the remedy, where the question does not fit the model.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match self {
            Self::Question(diagnostic) => Some(diagnostic),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Question(diagnostic) => &diagnostic.message,
            Self::Unavailable(Unavailable(why)) | Self::NoValue(why) | Self::Argument(why) => why,
        })
    }
}

impl std::error::Error for Error {}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Question(Box::new(diagnostic))
    }
}

impl From<Unavailable> for Error {
    fn from(why: Unavailable) -> Self {
        Self::Unavailable(why)
    }
}

impl From<Unbound> for Error {
    fn from(unbound: Unbound) -> Self {
        Self::Unavailable(Unavailable(unbound.to_string()))
    }
}

impl From<EvalError> for Error {
    fn from(error: EvalError) -> Self {
        Self::NoValue(error.to_string())
    }
}
