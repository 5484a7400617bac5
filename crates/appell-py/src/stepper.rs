//! A motion step by step.

use crate::refusal::NumericalError;
use appell::{Control, Error};
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArrayLike1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a long step looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// A motion that is computed step by step.
#[pyclass(frozen, module = "appell._appell")]
pub struct Stepper(pub Mutex<appell::Stepper>);

#[pymethods]
impl Stepper {
    /// The names of the state.
    #[getter]
    fn state_names(&self, py: Python<'_>) -> Vec<String> {
        self.own(py).state_names.clone()
    }

    /// The names of the inputs.
    #[getter]
    fn inputs(&self, py: Python<'_>) -> Vec<String> {
        self.own(py).inputs.clone()
    }

    /// The names of the constraint rows.
    #[getter]
    fn rows(&self, py: Python<'_>) -> Vec<String> {
        self.own(py).rows.clone()
    }

    /// The time.
    #[getter]
    fn t(&self, py: Python<'_>) -> f64 {
        self.own(py).t()
    }

    /// The state.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.own(py).state())
    }

    /// The values of the inputs.
    #[getter]
    fn values(&self, py: Python<'_>) -> Vec<f64> {
        self.own(py).values().to_vec()
    }

    /// The stop condition that was met.
    #[getter]
    fn stopped_by(&self, py: Python<'_>) -> Option<String> {
        self.own(py).stopped_by().map(str::to_owned)
    }

    /// Sets the input of this place.
    fn set(&self, py: Python<'_>, input: usize, value: f64) -> PyResult<()> {
        self.own(py).set(input, value).map_err(exception)
    }

    /// Goes on by one step, without the interpreter's lock; the state. Ctrl-C ends it on the way.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut stepper = self.own(py);
        let (cancel, mut raised) = (AtomicBool::new(false), None);
        let stepped = {
            let (stepper, raised) = (&mut *stepper, &mut raised);
            py.detach(|| {
                let mut last = Instant::now();
                let mut look = |_| {
                    if last.elapsed() >= LOOK {
                        *raised = Python::attach(|py| py.check_signals()).err();
                        cancel.store(raised.is_some(), Ordering::Relaxed);
                        last = Instant::now();
                    }
                };
                stepper.step_with(&mut Control {
                    cancel: Some(&cancel),
                    progress: Some(&mut look),
                    stream: None,
                })
            })
        };
        if let Some(signal) = raised {
            return Err(signal);
        }
        stepped.map_err(exception)?;
        Ok(PyArray1::from_slice(py, stepper.state()))
    }

    /// Goes back to the start, or on from a state.
    #[pyo3(signature = (t, state))]
    fn reset(
        &self,
        py: Python<'_>,
        t: Option<f64>,
        state: Option<PyArrayLike1<'_, f64, AllowTypeChange>>,
    ) -> PyResult<()> {
        let mut stepper = self.own(py);
        let state: Option<Vec<f64>> = state.map(|y| y.as_array().iter().copied().collect());
        stepper.reset(t, state.as_deref()).map_err(exception)
    }

    /// Accelerations and multipliers.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn answers<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let (accel, multipliers) = self.own(py).answers().map_err(exception)?;
        Ok((accel.into_pyarray(py), multipliers.into_pyarray(py)))
    }
}

impl Stepper {
    /// Another thread may be at a step, which asks for the interpreter's lock now and then: it is not held meanwhile.
    fn own(&self, py: Python<'_>) -> MutexGuard<'_, appell::Stepper> {
        let locked = self.0.lock_py_attached(py);
        locked.unwrap_or_else(PoisonError::into_inner)
    }
}

fn exception(error: Error) -> PyErr {
    match error {
        Error::NoValue(why) => NumericalError::new_err(why),
        other => PyValueError::new_err(other.to_string()),
    }
}
