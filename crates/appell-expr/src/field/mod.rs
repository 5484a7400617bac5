//! Identity testing in prime fields: see [`decide`].

mod angles;
mod arithmetic;
mod coupled;
mod degree;
mod identity;
mod linear;
mod locus;
mod plan;
mod prime;
mod root;
mod samples;

pub use identity::{Bound, Finding, Question, Results, decide, opaque_functions, vanishes};
pub use locus::Locus;
pub(crate) use locus::{Step, compile};
pub use samples::{Column, LinearRelation, SampleSource, Samples};
