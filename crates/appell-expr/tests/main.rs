//! The tests of this crate in one program: it is linked once, and its tests share the processors.

mod common;

mod calculus;
mod enclosures;
mod identities;
mod inverse_functions;
mod numbers;
mod parser;
mod parser_limits;
mod parser_mistakes;
mod printing;
mod program;
mod real;
mod rewrites;
