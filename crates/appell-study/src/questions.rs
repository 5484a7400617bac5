//! What is asked of a model: each module is one question.

pub mod arguments;
pub mod check;
pub mod closed_forms;
pub mod conserved;
pub(crate) mod continuity;
pub mod equilibria;
pub mod eval;
pub mod least_energy;
pub mod linearize;
pub mod misprint;
pub mod prove;
