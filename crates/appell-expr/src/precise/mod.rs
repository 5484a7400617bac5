//! Numbers with a rigorous error bound, for witnesses: programs run over them, slowly.
//!
//! A [`Ball`] is a midpoint `m 2^e` of any precision and a radius; the true value lies within it.
//! [`Balls`] is the number system, with its working precision in bits. A sign, a branch or a pivot is
//! chosen only where the ball excludes the other choice, so what a ball excludes is excluded for sure.

mod ball;
mod float;
mod functions;
mod numbers;
mod radius;
mod solve;

pub use ball::Ball;
pub use numbers::Balls;
pub(crate) use solve::{Reduced, Rows, eliminated};

/// Numbers beyond `2^(+-LIMIT)` are refused, or enclosed by everything below that.
const LIMIT: i64 = 1 << 24;

/// Why a value has no enclosure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoValue {
    /// There is none: a pole, a root or logarithm of a negative number, an overflow.
    Undefined,
    /// The ball reaches over a pole, a jump or the end of a domain: a higher precision may tell.
    Wide,
}
