//! report

mod lettering;
pub mod plot;
pub mod svg;
mod ticks;
