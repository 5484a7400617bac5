//! A motion step by step.

use crate::refusal::NumericalError;
use appell::Error;
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArrayLike1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A motion that is computed step by step.
#[pyclass(frozen, module = "appell._appell")]
pub struct Stepper(pub Mutex<appell::Stepper>);

#[pymethods]
impl Stepper {
    /// The names of the state.
    #[getter]
    fn state_names(&self) -> Vec<String> {
        self.own().state_names.clone()
    }

    /// The names of the inputs.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.own().inputs.clone()
    }

    /// The names of the constraint rows.
    #[getter]
    fn rows(&self) -> Vec<String> {
        self.own().rows.clone()
    }

    /// The time.
    #[getter]
    fn t(&self) -> f64 {
        self.own().t()
    }

    /// The state.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.own().state())
    }

    /// The values of the inputs.
    #[getter]
    fn values(&self) -> Vec<f64> {
        self.own().values().to_vec()
    }

    /// The stop condition that was met.
    #[getter]
    fn stopped_by(&self) -> Option<String> {
        self.own().stopped_by().map(str::to_owned)
    }

    /// Sets the input of this place.
    fn set(&self, input: usize, value: f64) -> PyResult<()> {
        self.own().set(input, value).map_err(exception)
    }

    /// Goes on by one step; the state.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut stepper = self.own();
        stepper.step().map_err(exception)?;
        Ok(PyArray1::from_slice(py, stepper.state()))
    }

    /// Goes back to the start, or on from a state.
    #[pyo3(signature = (t, state))]
    fn reset(
        &self,
        t: Option<f64>,
        state: Option<PyArrayLike1<'_, f64, AllowTypeChange>>,
    ) -> PyResult<()> {
        let mut stepper = self.own();
        let state: Option<Vec<f64>> = state.map(|y| y.as_array().iter().copied().collect());
        stepper.reset(t, state.as_deref()).map_err(exception)
    }

    /// Accelerations and multipliers.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn answers<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let (accel, multipliers) = self.own().answers().map_err(exception)?;
        Ok((accel.into_pyarray(py), multipliers.into_pyarray(py)))
    }
}

impl Stepper {
    fn own(&self) -> MutexGuard<'_, appell::Stepper> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn exception(error: Error) -> PyErr {
    match error {
        Error::NoValue(why) => NumericalError::new_err(why),
        other => PyValueError::new_err(other.to_string()),
    }
}
