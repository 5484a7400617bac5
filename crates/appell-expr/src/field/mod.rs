//! Identity testing in prime fields: see [`decide`].

mod angles;
mod arcs;
mod arithmetic;
mod closing;
#[cfg(test)]
mod completeness;
mod constants;
mod degree;
mod draft;
mod explicit;
mod exponents;
mod first_look;
mod gaussian;
mod generic;
mod ideal;
mod identity;
mod in_turn;
mod linear;
mod locus;
mod logarithms;
mod pieces;
mod plan;
mod prime;
mod principal;
mod radicands;
mod ranges;
mod remembered;
mod root;
mod samples;
mod section;
mod sheets;
mod sparse;
mod surface;
mod total_degree;
mod tower;

pub use generic::{
    GenericRank, combined_rows, differs_on, generic_rank, has_one_rank, have_no_common_zero,
    rank_is_exact, relations, tally_curved_on, tally_on, vanish_on,
};
pub use identity::{Bound, Cover, Finding, Question, Results, decide, opaque_functions, vanishes};
pub use locus::Locus;
pub(crate) use locus::{Step, compile};
pub(crate) use ranges::{Range, ranges_of};
pub use remembered::IdentityKey;
pub use samples::{Column, LinearRelation, SampleSource, Samples};
pub use total_degree::degree_in;
