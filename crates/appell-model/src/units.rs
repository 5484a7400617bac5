//! Units: which formulas contradict those of a model.

mod check;
mod form;
mod given;

pub(crate) use check::check;
pub(crate) use form::{Form, Unknown};
