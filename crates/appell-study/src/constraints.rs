//! What the constraints are: classes, integrals, singular sets, special parameters.

pub mod candidates;
pub mod classes;
pub mod special;
