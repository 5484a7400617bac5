//! Appell's study of a model: from the mechanics of `appell-mech` and the numbers of `appell-flow` to answers.
//!
//! The folders are in the order of the way through them, and none speaks of a later one:
//!
//! ```text
//! values -> states -> constraints -> motion -> questions
//! ```
//!
//! [`Prepared`](values::prepared::Prepared) is a model with values for its parameters; every question is a function of it.

pub mod constraints;
pub mod motion;
pub mod questions;
pub mod states;
pub mod values;
