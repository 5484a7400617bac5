//! States and ranks that several questions look at, found once.

use appell_mech::Growth;
use appell_model::Diagnostic;
use serde::Serialize;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// States that several questions look at, found once.
#[derive(Default, Clone)]
pub(crate) struct Found {
    /// The start.
    pub start: OnceCell<Result<Start, Diagnostic>>,
    /// States beside a singular start at which the rows have no higher rank.
    pub near_start: OnceCell<Vec<SampleState>>,
    /// Scattered states on the constraints by their numbers.
    pub scattered: RefCell<BTreeMap<u32, Option<SampleState>>>,
    /// Whether rows have no derivative where they hold, by their numbers.
    pub flat: RefCell<BTreeMap<usize, Option<bool>>>,
    /// Ranks at generic states.
    pub ranks: OnceCell<Option<ExactRanks>>,
    /// The generic rank of the holonomic rows.
    pub position_rank: OnceCell<Option<usize>>,
    /// The generic rank of the rows, where they depend on each other or nearly do.
    pub row_rank: OnceCell<Option<usize>>,
    /// How rows that depend on these others, by their indices, stand to them.
    pub agreement: RefCell<BTreeMap<Vec<usize>, Agreement>>,
    /// Whether the holonomic rows depend on each other at all states, in their derivatives.
    pub dependent_positions: OnceCell<bool>,
    /// Which they are at the time and coordinates that were asked for last.
    pub dependent_at: RefCell<Option<(Vec<f64>, DependentPositions)>>,
    /// Whether signs of coordinates or velocities stand in the active rows or their derivatives.
    pub rows_have_signs: OnceCell<bool>,
    /// An active row on velocities that touches the others at all states, by its index.
    pub touching_velocities: OnceCell<Option<usize>>,
    /// Which parameters are special: found by one of the threads that look at the same model.
    pub choice: Arc<OnceLock<SpecialParameters>>,
}

impl Found {
    /// What of this holds where other rows are active, which are counted in another way: parameters that are 0 make rows
    /// void.
    pub fn of_other_rows(&self) -> Self {
        Self {
            start: self.start.clone(),
            scattered: self.scattered.clone(),
            choice: Arc::clone(&self.choice),
            ..Self::default()
        }
    }
}

/// Which values of parameters are special, in words that hold in every reading of the model.
#[derive(Debug, Clone)]
pub(crate) struct SpecialParameters {
    /// If any are: the places of those with values of their own, and of those defined by others.
    pub places: Option<[Vec<usize>; 2]>,
    /// What they change.
    pub why: Vec<String>,
    /// The growth of the active rows with parameters free, as far as it was looked for.
    pub growth: Option<Option<Growth>>,
}

/// The state a run starts from, and how it was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Start {
    /// The time.
    pub t: f64,
    /// The coordinates.
    pub q: Vec<f64>,
    /// The velocities.
    pub v: Vec<f64>,
    /// The parameters of the velocities, if the model is parametrised.
    pub z: Option<Vec<f64>>,
    /// The equations of `[initial]`, as written.
    pub given: Vec<String>,
    /// Whether the given velocities had to be moved.
    pub projected: bool,
    /// The largest scaled residual of the constraints with the given equations alone.
    pub residual_before: f64,
    /// The same at the state used.
    pub residual_after: f64,
    /// What was chosen for the user, in sentences.
    pub remarks: Vec<String>,
}

/// How rows that depend on others stand to them; rows by their indices among the active ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// They hold wherever the others do.
    Follow,
    /// These do not; the rank of all rows at almost all states of the others, where it was found.
    Apart(Vec<usize>, Option<usize>),
    /// It is not known of these.
    Open(Vec<usize>),
}

/// Holonomic rows whose derivatives depend on those of the others wherever all hold, by their indices among the active
/// rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct DependentPositions {
    /// Those that do not follow from the others: a circle and its tangent.
    pub touching: Vec<usize>,
    /// Those that hold where the others do, about the state: `z = 1` on a unit sphere beside `x = 0` and `y = 0`.
    pub following: Vec<usize>,
}

/// A time, coordinates and velocities.
pub(crate) type SampleState = (f64, Vec<f64>, Vec<f64>);

/// Ranks at generic states on the constraints, for the values of the parameters that are in force, from
/// points of prime fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExactRanks {
    /// Of `A`.
    pub a: usize,
    /// Of `[A|B]`.
    pub augmented: usize,
    /// Whether they are only bounds, since no state on the constraints was found.
    pub at_most: bool,
}
