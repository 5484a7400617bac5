//! What a model is at a given state: its functions with the values of its parameters.

pub mod derived;
pub mod error;
pub mod exact_values;
pub mod found;
pub mod identity_cache;
pub mod inputs;
pub mod measurement;
mod metric;
pub mod narrow;
pub mod outputs;
pub mod parameters;
pub mod prepared;
pub mod rows;
pub mod scattered;
pub(crate) mod several;
pub mod stationary;
pub mod sudden;
pub(crate) mod vanishing;
