//! From a start to the end of a motion, with its account; one or many.

pub mod acceleration_check;
pub mod adjoint;
pub mod along;
mod always;
pub mod chart_changes;
pub mod choices;
pub mod claims;
pub mod ensemble;
pub mod events;
pub mod handover;
pub mod ledger;
mod lost_terms;
pub mod lyapunov;
mod poles;
pub(crate) mod resets;
pub mod right_side;
pub mod run;
mod saltation;
pub mod sampled_motion;
pub mod samples;
pub mod sensitivity;
pub mod stepper;
pub(crate) mod sticking;
pub(crate) mod tangent_flow;
pub mod underflow;
