//! The tests of this crate in one program: it is linked once, and its tests share the processors.

mod common;

mod closed_forms;
mod duals;
mod linear;
mod methods;
mod newton;
mod outcomes;
mod redundant;
mod singular;
mod sliding;
mod tape;
