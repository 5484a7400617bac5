//! A motion as arrays.

use appell::{Run, show};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// A computed motion. Its table goes to NumPy without a copy.
#[pyclass(frozen, module = "appell._appell")]
pub struct Motion {
    /// One line of JSON: everything but the numbers of the samples.
    #[pyo3(get)]
    json: String,
    /// What a terminal shows.
    #[pyo3(get)]
    text: String,
    /// The columns of the table.
    #[pyo3(get)]
    columns: Vec<String>,
    /// Columns x samples: each column is contiguous.
    #[pyo3(get)]
    table: Py<PyArray2<f64>>,
    /// The plots of the file: title, name of the abscissa, curves with name, abscissae, ordinates.
    #[pyo3(get)]
    plots: Vec<Plot>,
    /// How long the run took, without the way to Python and back.
    #[pyo3(get)]
    seconds: f64,
}

type Plot = (String, String, Vec<(String, Vec<f64>, Vec<f64>)>);

/// What a motion leaves, free of the model's thread.
pub struct Computed {
    json: String,
    text: String,
    columns: Vec<String>,
    table: Array2<f64>,
    plots: Vec<Plot>,
    seconds: f64,
}

impl Computed {
    /// Takes a run apart.
    pub fn new(prepared: &appell::Prepared<'_>, run: Run, seconds: f64) -> Computed {
        let (width, height) = (run.table.columns.len(), run.table.rows.len());
        let entry = |(column, sample): (usize, usize)| run.table.rows[sample][column];
        let table = Array2::from_shape_fn((width, height), entry);
        let plots = run.plots.iter().map(|plot| {
            let curves = plot.curves.iter().map(|(name, points)| {
                let (x, y) = points.iter().copied().unzip();
                (name.clone(), x, y)
            });
            (plot.title.clone(), plot.x_label.clone(), curves.collect())
        });
        Computed {
            json: description(&run),
            text: show::run_text(prepared, &run),
            columns: run.table.columns.clone(),
            table,
            plots: plots.collect(),
            seconds,
        }
    }

    /// As an object of Python.
    pub fn into_motion(self, py: Python<'_>) -> Motion {
        Motion {
            json: self.json,
            text: self.text,
            columns: self.columns,
            table: self.table.into_pyarray(py).unbind(),
            plots: self.plots,
            seconds: self.seconds,
        }
    }
}

/// What `appell run --json` prints, and what else is known.
fn description(run: &Run) -> String {
    let mut entry: Value = json!(run.summary());
    let exit = match run.exit {
        appell::ExitKind::Done => "done",
        appell::ExitKind::NumericalFailure => "numerical failure",
        appell::ExitKind::Budget => "budget",
        appell::ExitKind::Interrupted => "interrupted",
    };
    let more = json!({
        "exit": exit,
        "form": run.form.id,
        "method": run.method.id,
        "start": run.start,
        "dof": run.freedoms,
        "rejected": run.trajectory.rejected,
        "stopped_by": run.stopped_by(),
    });
    if let (Value::Object(entry), Value::Object(more)) = (&mut entry, more) {
        entry.extend(more);
    }
    show::json_line(&entry)
}
