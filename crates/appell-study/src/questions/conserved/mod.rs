//! First integrals, found and proved.
//!
//! A candidate `I = Sum c_k b_k(q, v, t)` with numbers `c_k` is an integral where
//! `Sum c_k b_k' = 0` on the constraints, `q''` being that of the motion: at every state one linear
//! equation for the `c_k`. The equations at random states of a prime field have the kernel that
//! all states have; it is lifted to rational numbers, freed of what is trivial, and each integral
//! is then proved like any identity, and looked at in numbers at the start and at other states.
//! The same with logarithms `log b_k` gives products of powers and exponentials, such as quotients
//! of two velocities.

mod ansatz;
mod graded;
mod in_thread;
mod named;
mod numeric_check;
mod ratios;
mod search;
mod staged_search;
mod words;

use crate::questions::prove::Verdict;
use crate::questions::prove::constraint_set::ConstraintSet;
use crate::questions::prove::forms::Forms;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Id};
use appell_mech::FORMALISMS;
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The answer of `appell conserved`.
#[derive(Debug, Clone, Serialize)]
pub struct Conserved {
    /// What was searched, in words.
    pub ansatz: String,
    /// What was found: energies, then functions of which none is a function of those before it and,
    /// unless it is a simpler one, of the energies.
    pub integrals: Vec<Integral>,
    /// Which primes and points were drawn.
    pub seed: u64,
    /// Whether the search was stopped; what was found so far is kept.
    #[serde(skip)]
    pub interrupted: bool,
    /// Whether something was not searched for want of room or time; `ansatz` says what.
    #[serde(skip)]
    pub over_budget: bool,
}

/// A function that keeps its value along every motion.
#[derive(Debug, Clone, Serialize)]
pub struct Integral {
    /// As a model file writes it, such as in `{ constant = "..." }`.
    pub expression: String,
    /// What it is.
    pub kind: String,
    /// That it is proved, and for which parameters.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What is searched, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConservedOptions {
    /// The degree in the velocities up to which polynomials are tried, from 1 to
    /// [`ConservedOptions::MAX_DEGREE`].
    pub degree: usize,
    /// The seed of the random primes and points; another makes an independent check.
    pub seed: u64,
    /// What is not found in this time is not searched.
    pub budget: Duration,
}

impl ConservedOptions {
    /// The highest degree in the velocities.
    pub const MAX_DEGREE: usize = 6;
}

impl Default for ConservedOptions {
    fn default() -> Self {
        Self {
            degree: 2,
            seed: 0,
            budget: Duration::from_secs(60),
        }
    }
}

/// Which of these functions of the state are no functions of those before them, on the constraints.
#[must_use]
pub fn independent(p: &Prepared<'_>, functions: &[Id]) -> Vec<usize> {
    let p = p.exact();
    let graph = p.system.graph;
    let functions: Vec<Ex<'_>> = functions.iter().map(|id| graph.ex(*id)).collect();
    let forms = Forms::new(p, &FORMALISMS[..1]);
    search::independent(p, &ConstraintSet::new(p, &forms), &functions, 0)
}

/// Searches the ansatz of [`ConservedOptions::default`] for first integrals, until the flag is set.
pub fn conserved(p: &Prepared<'_>, cancel: Option<&AtomicBool>) -> Conserved {
    conserved_with(p, &ConservedOptions::default(), cancel)
}

/// Searches for first integrals until the flag is set or the time is over; what was proved by then
/// is kept.
pub fn conserved_with(
    p: &Prepared<'_>,
    options: &ConservedOptions,
    cancel: Option<&AtomicBool>,
) -> Conserved {
    in_thread::watched(p, options, cancel)
}
