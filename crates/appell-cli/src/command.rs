//! The commands, one a file, and how they end.

#[cfg(feature = "sweep")]
pub mod chart;
pub mod check;
pub mod cite;
pub mod completions;
pub mod conserved;
pub mod derive;
pub mod ensemble;
pub mod eval;
pub mod explain;
pub mod fmu;
pub mod forms;
pub mod lab;
pub mod linearize;
pub mod manual;
pub mod new;
pub mod prove;
pub mod report;
pub mod run;
pub mod runs;
pub mod schema;
pub mod several;
#[cfg(feature = "sweep")]
pub mod sweep;

use appell::ExitKind;
use std::process::ExitCode;

/// How a command ended; a [`crate::problem::Problem`] is [`Exit::Wrong`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// As asked.
    Done = 0,
    /// A claim does not hold.
    Refuted = 1,
    /// A wrong model or command line.
    Wrong = 2,
    /// A singular state, a step that became too small, no value.
    NumericalFailure = 3,
    /// Too many steps, too much time or memory.
    Budget = 4,
    /// Ctrl-C.
    Interrupted = 130,
    /// SIGTERM, as schedulers send it.
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

impl From<ExitKind> for Exit {
    fn from(kind: ExitKind) -> Exit {
        match kind {
            ExitKind::Done => Exit::Done,
            ExitKind::NumericalFailure => Exit::NumericalFailure,
            ExitKind::Budget => Exit::Budget,
            ExitKind::Interrupted => Exit::Interrupted,
        }
    }
}
