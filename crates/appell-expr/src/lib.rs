//! Appell's algebra: exact, hash-consed expressions and the programs made of them.
//!
//! [`Graph`] is the arena, [`Ex`] an expression at hand, [`Program`] what numbers run through.
//! Nothing here knows mechanics or files.

mod ast;
mod calculus;
mod corners;
mod definitions;
pub mod elementary;
mod field;
mod fraction;
mod function;
mod graph;
mod jumps;
mod lexer;
pub mod limits;
mod matrix;
mod num;
mod parser;
mod precise;
mod print;
mod program;
mod real;
mod rewrite;
mod sketch;
mod span;
mod syntax_error;
mod witness;

pub use ast::{Ast, AstId, AstKind, AstNode, Axis, Mention, Operator, Relation, Role, Sentence};
pub use calculus::LieDerivative;
pub use corners::{corner, corners_of};
pub use definitions::{Closed, Definition, in_order};
pub use field::{
    Bound, Column, Cover, Finding, GenericRank, IdentityKey, LinearRelation, Locus, Question,
    Results, SampleSource, Samples, combined_rows, decide, degree_in, differs_on, generic_rank,
    has_one_rank, have_no_common_zero, opaque_functions, rank_is_exact, relations, tally_curved_on,
    tally_on, vanish_on, vanishes,
};
pub use fraction::{Fraction, Fractions, simplified};
pub use function::Function;
pub use graph::{Ex, Graph, Id, Node};
pub use jumps::{Known, denominators_of, has_sign, is_free_of, jumps, jumps_with, signs_of};
pub use matrix::Matrix;
pub use num::Rational;
pub use parser::parse;
pub use precise::{Ball, Balls, NoValue};
pub use print::{Printer, Style, latex_name};
pub use program::{Numbers, Operation, Output, Program, Slot, SlotSolve, SolveKind, Statement};
pub use real::{
    Comparison, Condition, Range, RealForm, is_nowhere_defined, is_on_a_convex_domain, range,
    real_form,
};
pub use rewrite::{REWRITES, Rewrite};
pub use sketch::{Sketch, Solve, Step, Unbound};
pub use span::Span;
pub use syntax_error::{SyntaxError, SyntaxErrorKind};
pub use witness::{Approach, Counterexample, Enclosed, Verdict, verdict};
