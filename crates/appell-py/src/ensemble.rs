//! Ensembles as arrays.

use appell::Ending;
use numpy::ndarray::{Array2, Array3, ShapeError};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// What became of the members. Numbers go to NumPy without a copy.
#[pyclass(frozen, get_all, module = "appell._appell")]
pub struct Ensemble {
    /// The names of the state.
    names: Vec<String>,
    /// Members x state: the last states.
    y: Py<PyArray2<f64>>,
    /// The last times.
    t: Py<PyArray1<f64>>,
    /// Codes of the endings: see [`endings`].
    status: Py<PyArray1<i8>>,
    /// Accepted steps.
    steps: Py<PyArray1<u32>>,
    /// Rejected steps.
    rejected: Py<PyArray1<u32>>,
    /// The times of the samples.
    times: Option<Py<PyArray1<f64>>>,
    /// Members x samples x state.
    samples: Option<Py<PyArray3<f64>>>,
    /// What is to be said of members that were refused or failed, the first hundred of them.
    remarks: Vec<(usize, String)>,
    /// How many were moved on to the constraints at their start.
    moved: usize,
    /// The form of the equations.
    form: &'static str,
    /// What ran the programs, and why not the backend that was asked for.
    backend: (String, Option<String>),
    /// How long it took, without the way to Python and back.
    seconds: f64,
}

impl Ensemble {
    /// As an object of Python.
    pub fn new(py: Python<'_>, done: appell::Ensemble, seconds: f64) -> PyResult<Ensemble> {
        let (members, n) = (done.count, done.state_names.len());
        let wrong = |error: ShapeError| PyRuntimeError::new_err(error.to_string());
        let y = Array2::from_shape_vec((members, n), done.y).map_err(wrong)?;
        let (times, samples) = match done.samples {
            Some(samples) => {
                let shape = (members, samples.times.len(), n);
                let y = Array3::from_shape_vec(shape, samples.y).map_err(wrong)?;
                (Some(samples.times), Some(y))
            }
            None => (None, None),
        };
        let status: Vec<i8> = done.endings.iter().map(|ending| code(*ending)).collect();
        Ok(Ensemble {
            names: done.state_names,
            y: y.into_pyarray(py).unbind(),
            t: done.t.into_pyarray(py).unbind(),
            status: status.into_pyarray(py).unbind(),
            steps: done.steps.into_pyarray(py).unbind(),
            rejected: done.rejected.into_pyarray(py).unbind(),
            times: times.map(|times| times.into_pyarray(py).unbind()),
            samples: samples.map(|samples| samples.into_pyarray(py).unbind()),
            remarks: done.remarks,
            moved: done.moved,
            form: done.form.id,
            backend: (done.backend, done.backend_remark),
            seconds,
        })
    }
}

/// Every way to end, the refused start last.
const ENDINGS: [Option<Ending>; 12] = [
    Some(Ending::Finished),
    Some(Ending::Stopped(0)),
    Some(Ending::Singular),
    Some(Ending::RankRose),
    Some(Ending::SheetLost),
    Some(Ending::Underflow),
    Some(Ending::Error),
    Some(Ending::StepsExhausted),
    Some(Ending::Interrupted),
    Some(Ending::RowMissed),
    Some(Ending::Impassable),
    None,
];

/// As SciPy has it, what is negative did not succeed.
fn code(ending: Option<Ending>) -> i8 {
    match ending {
        Some(Ending::Finished) => 0,
        Some(Ending::Stopped(_)) => 1,
        Some(Ending::Singular) => -1,
        Some(Ending::RankRose) => -2,
        Some(Ending::SheetLost) => -3,
        Some(Ending::Underflow) => -4,
        Some(Ending::Error) => -5,
        Some(Ending::StepsExhausted) => -6,
        Some(Ending::Interrupted) => -7,
        None => -8,
        Some(Ending::RowMissed) => -9,
        Some(Ending::Impassable) => -10,
    }
}

/// All codes with their words.
pub fn endings() -> Vec<(i8, &'static str)> {
    let entry = |ending: &Option<Ending>| (code(*ending), ending.map_or("refused", Ending::word));
    ENDINGS.iter().map(entry).collect()
}

/// The part of the work that is done, told from thread to thread.
#[derive(Default)]
pub struct Meter(AtomicU64);

impl Meter {
    /// Tells it.
    pub fn set(&self, part: f64) {
        self.0.store(part.to_bits(), Ordering::Relaxed);
    }

    /// What was told last.
    pub fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}
