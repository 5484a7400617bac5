//! Expressions over the real numbers: where their values lie, and where they vanish.

mod domain;
mod enclosure;
mod form;
mod fourier;
mod means;
mod monotone;
mod range;
mod zeros;

pub use domain::{Comparison, Condition};
pub use monotone::is_on_a_convex_domain;
pub use range::{Range, is_nowhere_defined, range};
pub use zeros::{RealForm, real_form};
