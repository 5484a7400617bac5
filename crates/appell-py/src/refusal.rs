//! What the facade refuses, as exceptions.

use appell::{Diagnostic, Error, Source, show};
use pyo3::create_exception;
use pyo3::exceptions::{PyArithmeticError, PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::any::Any;

create_exception!(
    _appell,
    Refused,
    PyException,
    "The model or the question is wrong; its argument is a JSON list of diagnostics."
);
create_exception!(
    appell,
    NumericalError,
    PyArithmeticError,
    "A value does not exist, as at a singular state."
);

/// Why there is no answer.
pub enum Refusal {
    /// Diagnostics, as JSON.
    Diagnostics(String),
    /// A wrong argument, in words.
    Words(String),
    /// Something has no value.
    Numerical(String),
    /// A mistake of this library: what the panic said.
    Panic(String),
}

impl Refusal {
    /// A panic that was caught.
    pub fn panic(payload: &(dyn Any + Send)) -> Refusal {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Refusal::Panic(text.unwrap_or("it panicked").to_owned())
    }

    /// What a model answers to a question that does not fit it.
    pub fn of_error(error: Error, source: &Source) -> Refusal {
        match error {
            Error::Question(diagnostic) => Refusal::of(&[*diagnostic], source),
            Error::NoValue(why) => Refusal::Numerical(why),
            other => Refusal::Words(other.to_string()),
        }
    }

    /// Diagnostics about a text.
    pub fn of(diagnostics: &[Diagnostic], source: &Source) -> Refusal {
        Refusal::Diagnostics(show::diagnostics_json(diagnostics, source))
    }
}

/// The exception for a refusal.
pub fn refused(refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::Diagnostics(json) => Refused::new_err(json),
        Refusal::Words(words) => PyValueError::new_err(words),
        Refusal::Numerical(why) => NumericalError::new_err(why),
        Refusal::Panic(what) => PyRuntimeError::new_err(format!(
            "a mistake inside Appell ({what}); please report it with the model that shows it"
        )),
    }
}
