//! Small dense linear algebra in double precision.
//!
//! Matrices are row-major slices. A system `A X = B` has `A` of `n x n` and `B`, `X` of `n x r`:
//! `r` right-hand sides side by side. An entry counts as zero when it is below [`THRESHOLD`] times
//! the same entry computed with absolute values, so a difference that cancels is not taken for a number.

mod bunch_kaufman;
mod consistent;
mod double_double;
mod eigenvalues;
mod factored;
mod growth;
mod hessenberg;
mod inertia;
mod ldlt;
mod lu;
mod pivoting;
mod precise_spectrum;
mod saddle;
mod singular_values;
mod uncertainties;
mod vectors;

pub use bunch_kaufman::bunch_kaufman;
pub use consistent::{Kind, consistent, null_space};
pub(crate) use consistent::{determines, eliminated};
pub(crate) use eigenvalues::rough_eigenvalues;
pub use eigenvalues::{Spectrum, spectrum, spectrum_beside};
pub(crate) use factored::Factored;
pub use growth::{Growth, Known, growth};
pub use inertia::{Inertia, inertia};
pub(crate) use ldlt::{factor, half};
pub use ldlt::{half_solve, ldlt, ldlt_regularised};
pub use lu::{determinant, lu, lu_of_choice};
pub use pivoting::{SLACK, has_full_rank, pivots, rank, rank_at_most};
pub use saddle::saddle;
pub(crate) use saddle::saddle_into;
pub use singular_values::singular_values;
pub use vectors::{dot, max_norm, square};

use std::fmt;

/// An entry below this times its absolute terms is zero (theory, section 2).
pub const THRESHOLD: f64 = 1e-10;

/// A choice of unknowns whose determinant has fallen to this part of what it was is poor: what is left of it is the
/// inverse of how errors have grown.
pub const POOR: f64 = 0.1;

/// Reusable room for the solvers; its contents mean nothing between calls, but for ranks that are held.
#[derive(Debug, Default, Clone)]
pub struct Scratch {
    /// The factors.
    factors: Vec<f64>,
    /// The entries of the same elimination computed with absolute values.
    magnitudes: Vec<f64>,
    /// The residual of the refinement.
    residual: Vec<f64>,
    /// The order of the rows.
    order: Vec<usize>,
    /// The ranks that [`consistent`] holds, if it does, and the place of its next call.
    held: Option<Vec<usize>>,
    next: usize,
    /// The rank of the constraint rows, where it is known.
    rows: Option<usize>,
}

impl Scratch {
    /// From now on the `k`-th call of [`consistent`] after a [`rewind`](Self::rewind) keeps the rank that
    /// the first `k`-th call found: the rank fixed at the start of a run. Rows that are redundant on the
    /// constraints only would otherwise count as independent a little off them.
    pub fn hold_ranks(&mut self) {
        self.held = Some(Vec::new());
        self.next = 0;
    }

    /// From now on the constraint rows have this rank: systems whose ranks follow from it need not find
    /// them.
    pub fn set_row_rank(&mut self, rank: Option<usize>) {
        self.rows = rank;
    }

    /// The rank of a system of order `n` made of constraint rows, with `unique` unknowns besides their
    /// multipliers.
    pub(crate) fn known_rank(&self, n: usize, unique: usize) -> Option<usize> {
        self.rows.map(|rows| (unique + rows).min(n))
    }

    /// Begins the sequence of calls anew.
    pub fn rewind(&mut self) {
        self.next = 0;
    }

    /// Goes back to the place after so many calls.
    pub(crate) fn rewind_to(&mut self, calls: usize) {
        self.next = calls;
    }

    /// The ranks that are held, in the order of the calls.
    pub fn held_ranks(&self) -> &[usize] {
        self.held.as_deref().unwrap_or_default()
    }

    /// Whether ranks are held.
    pub(crate) fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// Whether the call after the next `k` ones need not keep a rank below `n`, the order of its system;
    /// `unique` of its unknowns are no multipliers.
    pub(crate) fn admits(&self, k: usize, n: usize, unique: usize) -> bool {
        let held = self.held.as_ref().and_then(|held| held.get(self.next + k));
        let rank = held.copied().or(self.known_rank(n, unique));
        rank.is_none_or(|rank| rank >= n)
    }

    /// Takes the place of a call of [`consistent`] that would have found a regular matrix of order `n`.
    pub(crate) fn regular(&mut self, n: usize) {
        self.next += 1;
        self.found_rank(n);
    }

    /// The number of calls since the ranks were rewound.
    pub(crate) fn calls(&self) -> usize {
        self.next
    }

    /// The rank that is held for the `k`-th call.
    pub(crate) fn held(&self, k: usize) -> Option<usize> {
        self.held.as_ref()?.get(k).copied()
    }

    /// The rank held for this call, if it is not the first of its place.
    fn held_rank(&mut self) -> Option<usize> {
        self.next += 1;
        self.held.as_ref()?.get(self.next - 1).copied()
    }

    /// Remembers the rank of a first call.
    fn found_rank(&mut self, rank: usize) {
        if let Some(held) = self.held.as_mut().filter(|held| held.len() < self.next) {
            held.push(rank);
        }
    }
}

/// Why a linear system has no (unique) solution. Rows and columns count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsolved {
    /// The pivot in this step vanishes.
    Singular {
        /// The step of the elimination: the number of pivots that do not vanish before it.
        pivot: usize,
    },
    /// The right-hand side is not in the range of the matrix.
    Inconsistent {
        /// The rows that take part in a contradiction.
        rows: Vec<usize>,
    },
    /// The matrix, the right-hand side or the solution is not finite.
    NotFinite,
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsolved::Singular { pivot } => {
                write!(f, "the matrix is singular: pivot {} vanishes", pivot + 1)
            }
            Unsolved::Inconsistent { rows } => {
                let rows: Vec<String> = rows.iter().map(|row| (row + 1).to_string()).collect();
                write!(f, "rows {} contradict each other", rows.join(", "))
            }
            Unsolved::NotFinite => write!(f, "the linear system is not finite"),
        }
    }
}

impl std::error::Error for Unsolved {}

/// `residual = b - a x`, shapes `n x r`, `n x n`, `n x r`.
fn residual(n: usize, a: &[f64], b: &[f64], x: &[f64], residual: &mut Vec<f64>) {
    residual.clear();
    residual.extend_from_slice(b);
    let r = b.len().checked_div(n).unwrap_or(0);
    for i in 0..n {
        for j in 0..n {
            let factor = a[i * n + j];
            if factor != 0.0 {
                for c in 0..r {
                    residual[i * r + c] -= factor * x[j * r + c];
                }
            }
        }
    }
}

/// `x <- x + dx`, then the check that the solution is a solution in numbers.
fn improve(x: &mut [f64], dx: &[f64]) -> Result<(), Unsolved> {
    for (x, dx) in x.iter_mut().zip(dx) {
        *x += dx;
    }
    finite(x)
}

/// Whether an entry is a number rather than the rounding error of a difference that cancels;
/// `size` is the entry computed with absolute values.
fn counts(entry: f64, size: f64) -> bool {
    entry.abs() > THRESHOLD * size
}

fn finite(x: &[f64]) -> Result<(), Unsolved> {
    match x.iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(Unsolved::NotFinite),
    }
}

/// `row(i) <- row(i) - factor * row(k)` in an `n x r` array.
fn subtract_row(x: &mut [f64], r: usize, i: usize, k: usize, factor: f64) {
    if factor != 0.0 {
        for c in 0..r {
            x[i * r + c] -= factor * x[k * r + c];
        }
    }
}

fn swap_rows(x: &mut [f64], r: usize, i: usize, k: usize) {
    if i != k {
        for c in 0..r {
            x.swap(i * r + c, k * r + c);
        }
    }
}

/// Copies `source` into a reused buffer.
fn refill(buffer: &mut Vec<f64>, source: impl IntoIterator<Item = f64>) {
    buffer.clear();
    buffer.extend(source);
}

#[cfg(test)]
pub(crate) mod check {
    //! Reproducible matrices and the measure of an error.

    /// Numbers in [-1, 1) by a linear congruential generator.
    pub struct Numbers(pub u64);

    impl Numbers {
        pub fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 11) as f64) / ((1u64 << 52) as f64) - 1.0
        }

        pub fn matrix(&mut self, rows: usize, cols: usize) -> Vec<f64> {
            (0..rows * cols).map(|_| self.next()).collect()
        }
    }

    /// `a b` for `m x n` times `n x r`.
    pub fn product(m: usize, n: usize, r: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
        let entry = |i: usize, c: usize| (0..n).map(|j| a[i * n + j] * b[j * r + c]).sum();
        (0..m * r)
            .map(|index| entry(index / r, index % r))
            .collect()
    }

    pub fn transpose(m: usize, n: usize, a: &[f64]) -> Vec<f64> {
        (0..m * n)
            .map(|index| a[index % m * n + index / m])
            .collect()
    }

    /// The largest difference relative to the largest entry of `b` (at least 1).
    pub fn distance(a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(a.len(), b.len());
        let size = super::max_norm(b).max(1.0);
        a.iter()
            .zip(b)
            .fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
            / size
    }
}
