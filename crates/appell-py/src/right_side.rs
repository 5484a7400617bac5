//! The equations of motion as a function for other integrators.

use crate::refusal::NumericalError;
use appell::Error;
use numpy::ndarray::Array2;
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArray2, PyArrayLike1, PyArrayLike2};
use pyo3::prelude::*;

/// `f(t, y)`, compiled once, immutable.
#[pyclass(frozen, module = "appell._appell")]
pub struct RightSide(pub appell::RightSide);

/// Arrays of any layout and any real type; lists too.
type Vector<'py> = PyArrayLike1<'py, f64, AllowTypeChange>;

/// The same in two dimensions.
type Table<'py> = PyArrayLike2<'py, f64, AllowTypeChange>;

#[pymethods]
impl RightSide {
    /// The names of `y`.
    #[getter]
    fn state_names(&self) -> Vec<String> {
        self.0.state_names.clone()
    }

    /// The addresses of `int f(double t, const double *y, double *out, void *data)` and of its data.
    #[getter]
    fn c_function(&self) -> Option<(usize, usize)> {
        let function = self.0.c_function()?;
        Some((function.address() as usize, function.data() as usize))
    }

    fn __call__<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        y: Vector<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let y = numbers(&y);
        let rates = self.0.eval(t, &y).map_err(no_value)?;
        Ok(rates.into_pyarray(py))
    }

    /// The names of `p`.
    #[getter]
    fn parameters(&self) -> Vec<String> {
        self.0.parameter_names.clone()
    }

    /// `p` where it is not given.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.parameters)
    }

    /// With other parameters, one for all columns of `y` or one each.
    fn columns<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        y: Table<'py>,
        p: Table<'py>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, columns) = y.as_array().dim();
        let [y, p] = [y, p].map(|x| x.as_array().iter().copied().collect::<Vec<f64>>());
        let rates = self.0.eval_with(t, &y, &p, columns).map_err(no_value)?;
        let rates = Array2::from_shape_vec((rows, columns), rates);
        let rates = rates.map_err(|error| NumericalError::new_err(error.to_string()))?;
        Ok(rates.into_pyarray(py))
    }

    /// With other parameters.
    fn with_parameters<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        y: Vector<'py>,
        p: Vector<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let y = numbers(&y);
        let p = numbers(&p);
        let rates = self.0.eval_with(t, &y, &p, 1).map_err(no_value)?;
        Ok(rates.into_pyarray(py))
    }

    /// `df/dy`, row by row.
    #[pyo3(signature = (t, y, p=None))]
    fn jac<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        y: Vector<'py>,
        p: Option<Vector<'py>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let y = numbers(&y);
        let entries = match p {
            None => self.0.jacobian(t, &y),
            Some(p) => {
                let p = numbers(&p);
                self.0.jacobian_with(t, &y, &p)
            }
        };
        let entries = entries.map_err(no_value)?;
        matrix(py, y.len(), y.len(), entries)
    }

    /// `df/dp`, then `df/dt`, row by row.
    fn parameter_jac<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        y: Vector<'py>,
        p: Vector<'py>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (y, p) = (numbers(&y), numbers(&p));
        let entries = self.0.parameter_jacobian(t, &y, &p).map_err(no_value)?;
        matrix(py, self.0.state_names.len(), p.len() + 1, entries)
    }
}

fn matrix(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let matrix = Array2::from_shape_vec((rows, columns), entries);
    let matrix = matrix.map_err(|error| NumericalError::new_err(error.to_string()))?;
    Ok(matrix.into_pyarray(py))
}

fn numbers(x: &Vector<'_>) -> Vec<f64> {
    x.as_array().iter().copied().collect()
}

fn no_value(error: Error) -> PyErr {
    NumericalError::new_err(error.to_string())
}
