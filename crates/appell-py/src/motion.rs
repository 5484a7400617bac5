//! A motion as arrays.

use appell::{MetEvent, Run, show};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// A computed motion. Its table goes to NumPy without a copy; words are made when they are read.
#[pyclass(frozen, module = "appell._appell")]
pub struct Motion {
    run: Arc<Run>,
    /// Columns x samples: each column is contiguous.
    #[pyo3(get)]
    table: Py<PyArray2<f64>>,
    /// How long the run took, without the way to Python and back.
    #[pyo3(get)]
    seconds: f64,
}

/// Name, time, state, state after a reset.
type Event = (String, f64, Vec<f64>, Option<Vec<f64>>);

/// The title, the name of the abscissa, curves with name, abscissae, ordinates.
type Plot = (String, String, Vec<(String, Vec<f64>, Vec<f64>)>);

#[pymethods]
impl Motion {
    /// One line of JSON: everything but the numbers of the samples.
    #[getter]
    fn json(&self) -> String {
        description(&self.run)
    }

    /// The columns of the table.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.run.table.columns.clone()
    }

    /// The names of the state.
    #[getter]
    fn state_names(&self) -> Vec<String> {
        self.run.state_names.clone()
    }

    /// How it ended, a sentence.
    #[getter]
    fn outcome(&self) -> &str {
        &self.run.outcome
    }

    /// The same as a word.
    #[getter]
    fn exit(&self) -> &'static str {
        exit(&self.run)
    }

    /// The stop condition that ended it.
    #[getter]
    fn stopped_by(&self) -> Option<&str> {
        self.run.stopped_by()
    }

    /// The events that happened: name, time, state, state after a reset.
    #[getter]
    fn events(&self) -> Vec<Event> {
        let event = |met: &MetEvent| {
            let MetEvent {
                name,
                t,
                state,
                after,
            } = met.clone();
            (name, t, state, after)
        };
        self.run.events.iter().map(event).collect()
    }

    /// Evaluations of the right-hand side.
    #[getter]
    fn rhs_evaluations(&self) -> usize {
        self.run.trajectory.rhs_evaluations
    }

    /// The plots of the file.
    #[getter]
    fn plots(&self) -> Vec<Plot> {
        let plots = self.run.plots.iter().map(|plot| {
            let curves = plot.curves.iter().map(|(name, points)| {
                let (x, y) = points.iter().copied().unzip();
                (name.clone(), x, y)
            });
            (plot.title.clone(), plot.x_label.clone(), curves.collect())
        });
        plots.collect()
    }
}

impl Motion {
    /// The run, for whoever has the model; of the samples it has the last only.
    pub fn run(&self) -> Arc<Run> {
        Arc::clone(&self.run)
    }
}

/// What a motion leaves, free of the model's thread.
pub struct Computed {
    run: Run,
    table: Array2<f64>,
    seconds: f64,
}

impl Computed {
    /// Lays the table out by columns, and lets go of what it replaces: that is cheap here, where it was made.
    pub fn new(mut run: Run, seconds: f64) -> Computed {
        let rows = std::mem::take(&mut run.table.rows);
        let (width, height) = (run.table.columns.len(), rows.len());
        let mut table = Array2::zeros((width, height));
        for (sample, row) in rows.iter().enumerate() {
            let places = table.column_mut(sample);
            row.iter().zip(places).for_each(|(x, place)| *place = *x);
        }
        let samples = &mut run.trajectory.samples;
        let before_last = samples.len().saturating_sub(1);
        samples.drain(..before_last);
        Computed {
            run,
            table,
            seconds,
        }
    }

    /// As an object of Python.
    pub fn into_motion(self, py: Python<'_>) -> Motion {
        Motion {
            run: Arc::new(self.run),
            table: self.table.into_pyarray(py).unbind(),
            seconds: self.seconds,
        }
    }
}

fn exit(run: &Run) -> &'static str {
    match run.exit {
        appell::ExitKind::Done => "done",
        appell::ExitKind::NumericalFailure => "numerical failure",
        appell::ExitKind::Budget => "budget",
        appell::ExitKind::Interrupted => "interrupted",
    }
}

/// What `appell run --json` prints, and what else is known.
fn description(run: &Run) -> String {
    let mut entry: Value = json!(run.summary());
    let more = json!({
        "exit": exit(run),
        "form": run.form.id,
        "method": run.method.id,
        "start": run.start,
        "dof": run.freedoms,
        "rejected": run.trajectory.rejected,
        "stopped_by": run.stopped_by(),
        "indeterminate": run.indeterminate,
    });
    if let (Value::Object(entry), Value::Object(more)) = (&mut entry, more) {
        entry.extend(more);
    }
    show::json_line(&entry)
}
