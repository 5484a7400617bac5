//! What first integrals are made of: functions that occur in a model, factors, sums of logarithms.

pub(crate) mod factor;
pub(crate) mod functions;
pub(crate) mod product;
