//! The extension module `appell._appell`: what the Python package `appell` is made of.
//!
//! No logic here: the facade's results go over as JSON, motions as arrays. `worker` is the thread in
//! which a model lives, `session` the questions to it.

mod derivatives;
mod ensemble;
mod events;
mod inputs;
mod motion;
mod refusal;
mod right_side;
mod session;
mod stepper;
mod study;
mod worker;

use pyo3::prelude::*;

/// Questions to models, answered in Rust.
#[pymodule(gil_used = false)]
mod _appell {
    #[pymodule_export]
    use crate::derivatives::Derivatives;
    #[pymodule_export]
    use crate::ensemble::Ensemble;
    #[pymodule_export]
    use crate::motion::Motion;
    #[pymodule_export]
    use crate::refusal::{NumericalError, Refused};
    #[pymodule_export]
    use crate::right_side::RightSide;
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::stepper::Stepper;

    use super::PyResult;
    use appell::{CODES, ENERGY_KEYS, FORMALISMS, METHODS, MODEL_KEYS, gallery};
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// The models of the gallery: name, title, text.
    #[pyfunction]
    fn gallery_entries() -> Vec<(&'static str, &'static str, &'static str)> {
        let entries = gallery::entries().iter();
        entries
            .map(|entry| (entry.name, entry.title(), entry.text))
            .collect()
    }

    /// The forms of the equations: id, title.
    #[pyfunction]
    fn forms() -> Vec<(&'static str, &'static str)> {
        FORMALISMS
            .iter()
            .map(|form| (form.id, form.title))
            .collect()
    }

    /// The methods of integration: id, title.
    #[pyfunction]
    fn methods() -> Vec<(&'static str, &'static str)> {
        METHODS
            .iter()
            .map(|method| (method.id, method.title))
            .collect()
    }

    /// The keys of a model in the order in which files have them, and those of its energies.
    #[pyfunction]
    fn keys() -> (Vec<&'static str>, Vec<&'static str>) {
        (MODEL_KEYS.to_vec(), ENERGY_KEYS.to_vec())
    }

    /// The text of a model with equations of `[initial]` given anew.
    #[pyfunction]
    #[pyo3(signature = (text, equations, time))]
    fn with_initial(text: &str, equations: Vec<String>, time: Option<f64>) -> PyResult<String> {
        let text = appell::with_initial(text, &equations);
        let text = text.map_err(|no| PyValueError::new_err(no.message))?;
        Ok(match time {
            Some(time) => appell::with_time(&text, time),
            None => text,
        })
    }

    /// The codes of the ways in which members of an ensemble end, and their words.
    #[pyfunction]
    fn endings() -> Vec<(i8, &'static str)> {
        crate::ensemble::endings()
    }

    /// What there is of a study in a folder, as JSON.
    #[pyfunction]
    fn study_status(py: Python<'_>, out: &str) -> PyResult<String> {
        let there = py.detach(|| crate::study::status(std::path::Path::new(out)));
        there.map_err(PyValueError::new_err)
    }

    /// A chart of a study as the bytes of an SVG, PNG or HTML file: the names of its columns and what stands at them.
    #[pyfunction]
    fn study_chart(
        py: Python<'_>,
        out: &str,
        names: [String; 3],
        labels: [Option<String>; 3],
        section: Option<String>,
        title: String,
        format: &str,
    ) -> PyResult<Py<PyBytes>> {
        let wanted = appell::ChartColumns {
            names,
            section,
            labels,
            title,
        };
        let out = std::path::Path::new(out);
        let found = py.detach(|| crate::study::picture(out, &wanted, format));
        let bytes = found.map_err(PyValueError::new_err)?;
        Ok(PyBytes::new(py, &bytes).unbind())
    }

    /// The explanation of a code such as `E0102`; none for an unknown one.
    #[pyfunction]
    fn explanation(code: &str) -> Option<&'static str> {
        let found = CODES.iter().find(|known| known.id() == code);
        found.map(|code| code.explanation())
    }
}
