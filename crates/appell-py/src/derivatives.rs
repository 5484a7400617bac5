//! The derivatives of a motion as arrays.

use appell::{ExitKind, Sensitivity};
use numpy::ndarray::Array3;
use numpy::{IntoPyArray, PyArray1, PyArray3};
use pyo3::prelude::*;

/// What a motion is differentiated to.
#[pyclass(frozen, module = "appell._appell")]
pub struct Derivatives {
    /// What it is differentiated by.
    #[pyo3(get)]
    names: Vec<String>,
    /// What is differentiated.
    #[pyo3(get)]
    columns: Vec<String>,
    /// How many of these are coordinates and velocities.
    #[pyo3(get)]
    state: usize,
    /// Samples x columns x names.
    #[pyo3(get)]
    values: Py<PyArray3<f64>>,
    /// The times of the samples.
    #[pyo3(get)]
    times: Py<PyArray1<f64>>,
    /// The condition that ended the motion.
    #[pyo3(get)]
    condition: Option<String>,
    /// The derivatives of its time, and of the columns there, columns x names; empty if none did.
    #[pyo3(get)]
    event_time: Vec<f64>,
    #[pyo3(get)]
    event_values: Vec<f64>,
    /// How it ended, a sentence.
    #[pyo3(get)]
    outcome: String,
    /// Whether it ended as it should.
    #[pyo3(get)]
    done: bool,
}

impl Derivatives {
    /// As objects of Python.
    pub fn new(py: Python<'_>, found: Sensitivity) -> Derivatives {
        let shape = (found.times.len(), found.columns.len(), found.names.len());
        let values = Array3::from_shape_vec(shape, found.values);
        let event = found
            .event
            .map(|event| (event.condition, event.time, event.values));
        let (condition, event_time, event_values) = match event {
            Some((condition, time, values)) => (Some(condition), time, values),
            None => (None, Vec::new(), Vec::new()),
        };
        Derivatives {
            names: found.names,
            columns: found.columns,
            state: found.state,
            values: values.unwrap_or_default().into_pyarray(py).unbind(),
            times: found.times.into_pyarray(py).unbind(),
            condition,
            event_time,
            event_values,
            outcome: found.outcome,
            done: found.exit == ExitKind::Done,
        }
    }
}
