//! Identity testing in prime fields: see [`decide`].

mod angles;
mod arithmetic;
mod degree;
mod generic;
mod ideal;
mod identity;
mod linear;
mod locus;
mod plan;
mod prime;
mod root;
mod samples;
mod section;
mod sheets;
mod sparse;
mod surface;

pub use generic::{
    GenericRank, differs_on, generic_rank, rank_is_exact, relations, tally_on, vanish_on,
};
pub use identity::{Bound, Cover, Finding, Question, Results, decide, opaque_functions, vanishes};
pub use locus::{Locus, degree_in};
pub(crate) use locus::{Step, compile};
pub use samples::{Column, LinearRelation, SampleSource, Samples};
