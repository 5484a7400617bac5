//! Appell's numerics: programs run in floating point, motions are integrated and watched.
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
pub mod newton;
pub mod outcome;
pub mod trajectory;

mod control;
mod dual;
mod integrate;
mod interp;
pub mod lanes;
mod passage;
mod project;
pub mod residual;
mod root;
mod rules;
mod screen;
mod step;
mod stop;
pub mod tape;
mod watch;

pub use backend::{BACKENDS, Backend, CFunction, Compiled};
pub use dual::Dual;
pub use field::{Field, Formula, Trouble, Workspace};
pub use integrate::integrate;
pub use interp::{Interpreter, Measured, TermSizes};
pub use motion::{Control, Crossing, Motion, Options, Stage, Stop, Velocities, Watch};
pub use outcome::{ExitKind, Outcome, Place};
pub use tape::Tape;
pub use trajectory::{Sample, Trajectory};
