//! What becomes of a trial step.

use crate::evaluation::EvalError;
use crate::project::Correction;
use crate::rank_monitor::Finding;

/// Why a trial step is not taken.
pub(crate) enum Refusal {
    /// The estimated error, in units of the tolerance.
    Error(f64),
    EvalError(EvalError),
    /// The projection leads far away.
    Far(Correction),
    /// A row that depends on others is missed.
    Missed(MissedRow),
    /// The motion is to be left within the step: the length up to there.
    Beyond(f64),
    /// The right-hand side jumps within the step: the length to take instead.
    Jump(f64),
}

/// A row that is not satisfied.
pub(crate) struct MissedRow {
    /// What it is called.
    pub name: String,
    /// What it misses, relative to its terms.
    pub part: f64,
}

impl From<EvalError> for Refusal {
    fn from(error: EvalError) -> Refusal {
        Refusal::EvalError(error)
    }
}

/// A trial step that may be taken.
pub(crate) struct AcceptedStep {
    pub h: f64,
    pub error: f64,
    pub correction: Correction,
    pub ending: Option<Ending>,
    /// Whether the motion is left at its end.
    pub leaves: bool,
}

/// What ends the motion within a step.
pub(crate) enum Ending {
    /// The condition of this index, at this part of the step.
    Stop(usize, f64),
    Rank(Finding),
}

impl Ending {
    /// The part of the step up to which the motion is kept.
    pub fn kept(&self) -> f64 {
        match self {
            Ending::Stop(_, place) => *place,
            Ending::Rank(finding) => finding.kept(),
        }
    }
}
