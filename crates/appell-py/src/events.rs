//! Events of a motion from Python: conditions and functions, ends, resets.

use crate::inputs::{Raised, feedback};
use appell::{CrossingSense, Event, StateMap, Then, When};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// One event, as the package hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct EventInput {
    name: String,
    formula: Option<String>,
    function: Option<Py<PyAny>>,
    /// Positive where only rising crossings count, negative where only falling ones do.
    direction: f64,
    terminal: bool,
    set: Option<Vec<(String, String)>>,
    map: Option<Py<PyAny>>,
}

impl EventInput {
    /// As the facade takes it.
    pub fn into_event(self, raised: &Raised) -> Event {
        let sense = match self.direction {
            x if x > 0.0 => CrossingSense::Rising,
            x if x < 0.0 => CrossingSense::Falling,
            _ => CrossingSense::Either,
        };
        let when = match (self.function, self.formula) {
            (Some(function), _) => {
                When::Function(Arc::from(feedback(function, raised.clone())), sense)
            }
            (None, formula) => When::Formula(formula.unwrap_or_default(), sense),
        };
        let then = match (self.map, self.set) {
            (Some(map), _) => Then::Map(state_map(map, raised.clone())),
            (None, Some(pairs)) => Then::Set(pairs),
            (None, None) if self.terminal => Then::End,
            (None, None) => Then::GoOn,
        };
        Event {
            name: self.name,
            when,
            then,
        }
    }
}

/// `g(t, y)` of Python, which gives a state.
fn state_map(function: Py<PyAny>, raised: Raised) -> StateMap {
    Arc::new(move |t, y| {
        Python::attach(|py| {
            let answer = function.call1(py, (t, PyArray1::from_slice(py, y)));
            let state = answer.and_then(|y| {
                let y = y.bind(py).cast::<PyArray1<f64>>()?;
                Ok(y.to_vec()?)
            });
            state.map_err(|error| raised.keep(error)).ok()
        })
    })
}
