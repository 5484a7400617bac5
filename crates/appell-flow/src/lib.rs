//! Appell's numerics: programs run in floating point, motions are integrated and monitored.
//!
//! [`integrate()`] takes a [`Motion`] (fields, a manifold, conditions), a [`method::Method`] from the
//! table, a start and [`Options`], and gives a [`Trajectory`] with its [`Outcome`]. No mechanics here:
//! everything comes through [`Field`].

pub mod backend;
pub mod ensemble;
pub mod field;
pub mod linear;
pub mod method;
pub mod motion;
mod narrow;
pub mod newton;
pub mod outcome;
pub mod trajectory;

mod control;
mod dependent_rows;
mod direction;
mod drive;
mod dual;
mod evaluation;
mod functions;
mod integrate;
mod interp;
mod interpolant;
mod lane_step;
pub mod lanes;
mod parameters;
mod project;
mod rank_monitor;
pub mod residual;
mod reverse;
pub mod root;
mod rules;
mod step;
mod stop;
mod switching;
mod tableau;
mod tangents;
pub mod tape;
pub mod threads;
mod trial;
mod unsupported;

pub use backend::{BACKENDS, Backend, CFunction, Compiled};
pub use direction::Direction;
pub use drive::{Drive, Feedback, Hold, InputValues, Slope, Switch};
pub use dual::Dual;
pub use evaluation::{EvalError, Workspace};
pub use field::{Field, Formula, Joined, Pinned, Quantity};
pub use integrate::integrate;
pub use interp::{Interpreter, Measured, TermSizes};
pub use motion::{
    Control, CrossingSense, MonitoredRows, Motion, Options, Stage, Stop, Stream, Switched,
    UnprojectedRows, Velocities,
};
pub use outcome::{ExitKind, Outcome, Place, significant};
pub use parameters::Parameters;
pub use reverse::Pullback;
pub use rules::SINGULAR;
pub use stop::{BARELY, becomes_true, quantities};
pub use tangents::Tangents;
pub use tape::Tape;
pub use trajectory::{Sample, StepEnds, Trajectory};
pub use unsupported::Unsupported;
