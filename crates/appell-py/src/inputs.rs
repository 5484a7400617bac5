//! Inputs of a motion from Python: numbers, expressions, samples, functions.

use appell::{Feedback, Hold, InputSource, InputValues};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// One input, as the package hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Input {
    name: String,
    number: Option<f64>,
    expression: Option<String>,
    times: Option<Vec<f64>>,
    values: Option<Vec<f64>>,
    linear: bool,
    function: Option<Py<PyAny>>,
    sample_time: Option<f64>,
}

/// The first exception of a function of the user.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Takes it.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps an exception, unless there was one before; no number.
    pub fn keep(&self, error: PyErr) -> f64 {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
        f64::NAN
    }
}

impl Input {
    /// As the facade takes it.
    pub fn into_source(self, raised: &Raised) -> (String, InputSource) {
        let source = match self {
            Self {
                function: Some(function),
                sample_time,
                ..
            } => {
                let function = feedback(function, raised.clone());
                InputSource::Values(match sample_time {
                    Some(every) => InputValues::sampled(function, every),
                    None => InputValues::Function(function),
                })
            }
            Self {
                times: Some(times),
                values: Some(values),
                linear,
                ..
            } => InputSource::Values(InputValues::Samples {
                times,
                values,
                hold: if linear { Hold::Linear } else { Hold::Zero },
            }),
            Self {
                expression: Some(text),
                ..
            } => InputSource::Expression(text),
            Self { number, .. } => InputSource::Number(number.unwrap_or_default()),
        };
        (self.name, source)
    }
}

/// `f(t, y)` of Python; where it raises an exception there is no value, and the run ends.
pub fn feedback(function: Py<PyAny>, raised: Raised) -> Feedback {
    Box::new(move |t, y| {
        Python::attach(|py| {
            let answer = function.call1(py, (t, PyArray1::from_slice(py, y)));
            let value = answer.and_then(|value| value.extract::<f64>(py));
            value.unwrap_or_else(|error| raised.keep(error))
        })
    })
}
