//! Systems that may be singular but have a solution: redundant constraints.

use super::dot;
use super::pivoting::Elimination;
use super::{Scratch, THRESHOLD, Unsolved, finite, improve, ldlt, lu, residual};

/// The shape of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `A = A^T`.
    Symmetric,
    /// Any square matrix.
    General,
}

/// Pivots above this times their absolute terms need no exchange: refinement mends what is lost.
const SAFE: f64 = 1e-5;
/// A pivot of a matrix of known rank below this times its absolute terms is nothing but rounding.
const NOISE: f64 = 1e-14;
/// What a solution without exchanges may miss of its equations, relative to their terms, before it is refined.
/// Where a pivot is tiny beside the entries below it, the right-hand side is lost behind them.
const MISSED: f64 = 1e-9;

/// The solution of `A X = B` of least Euclidean norm, column by column, for a square matrix that may
/// be singular while `B` lies in its range; returns the rank.
///
/// Regular matrices are eliminated without exchange of columns (`L D L^T`, or `L U`). Where a pivot
/// vanishes, complete pivoting of the equilibrated matrix finds the rank `r`, a solution `x` with
/// `n - r` zeros and a basis `N` of the null space; the answer is `x - N (N^T N)^-1 N^T x`.
///
/// With `rank = Some(r)` the matrix has exactly this rank: `r` pivots are taken, the other rows are left out
/// and not examined. So it is for ranks that `scratch` holds ([`hold_ranks`](Scratch::hold_ranks)).
///
/// # Errors
/// [`Unsolved::Singular`] where there are not so many pivots above rounding errors.
/// [`Unsolved::Inconsistent`], naming the rows of the contradictions, where what remains of a dependent
/// row is above [`THRESHOLD`] times its absolute terms; unknowns below one count as one there.
/// [`Unsolved::NotFinite`].
pub fn consistent(
    kind: Kind,
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    rank: Option<usize>,
    scratch: &mut Scratch,
) -> Result<usize, Unsolved> {
    let rank = scratch.held_rank().or(rank);
    if rank.is_none_or(|rank| rank >= n) && regular(kind, n, a, b, x, scratch).is_ok() {
        scratch.found_rank(n);
        return Ok(n);
    }
    if !(a.iter().chain(b).all(|x| x.is_finite())) {
        return Err(Unsolved::NotFinite);
    }
    let found = least_norm(n, n, a, b, x, rank)?;
    scratch.found_rank(found);
    Ok(found)
}

/// The solution of `A x = b` for a symmetric matrix by elimination as it is, without exchanges or refinement.
///
/// # Errors
/// A pivot is small beside its terms.
pub(crate) fn eliminated(
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), Unsolved> {
    ldlt::solved(n, a, b, x, scratch, safe)
}

fn safe(pivot: f64, size: f64) -> bool {
    pivot.abs() > SAFE * size
}

/// The fast path: no pivot vanishes.
fn regular(
    kind: Kind,
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), Unsolved> {
    x.copy_from_slice(b);
    match kind {
        Kind::Symmetric => {
            ldlt::factor(n, a, &mut scratch.factors, safe)?;
            ldlt::solve(n, &scratch.factors, x);
            residual(n, a, b, x, &mut scratch.residual);
            solves(n, a, b, x, &scratch.residual)?;
            ldlt::solve(n, &scratch.factors, &mut scratch.residual);
        }
        Kind::General => {
            lu::factor(n, a, scratch, safe)?;
            lu::solve(n, &scratch.factors, &scratch.order, x);
            residual(n, a, b, x, &mut scratch.residual);
            solves(n, a, b, x, &scratch.residual)?;
            lu::solve(n, &scratch.factors, &scratch.order, &mut scratch.residual);
        }
    }
    improve(x, &scratch.residual)
}

/// Whether what is left of the equations is rounding, each row and each unknown in its own scale.
fn solves(n: usize, a: &[f64], b: &[f64], x: &[f64], residual: &[f64]) -> Result<(), Unsolved> {
    let r = b.len().checked_div(n).unwrap_or(0);
    let largest = |entries: &mut dyn Iterator<Item = f64>| entries.fold(0.0, f64::max);
    let rows: Vec<f64> = (0..n)
        .map(|i| largest(&mut a[i * n..(i + 1) * n].iter().map(|x| x.abs())))
        .collect();
    let relative = |i: usize, j: usize| (a[i * n + j] / rows[i]).abs();
    let columns: Vec<f64> = (0..n)
        .map(|j| largest(&mut (0..n).map(|i| relative(i, j))))
        .collect();
    for c in 0..r {
        let unknown = largest(&mut (0..n).map(|j| columns[j] * x[j * r + c].abs()));
        let small = |i: usize| {
            let terms = rows[i] * unknown + b[i * r + c].abs();
            residual[i * r + c].abs() <= MISSED * terms
        };
        if !(0..n).all(small) {
            return Err(Unsolved::NotFinite);
        }
    }
    Ok(())
}

/// The solution of least norm of a `rows x cols` system, by complete pivoting, and the rank; see
/// [`consistent`].
fn least_norm(
    rows: usize,
    cols: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    rank: Option<usize>,
) -> Result<usize, Unsolved> {
    let magnitudes: Vec<f64> = a.iter().map(|x| x.abs()).collect();
    let elimination = Elimination::new(rows, cols, a, &magnitudes, rank);
    let sound = elimination.ratios.iter().all(|ratio| *ratio > NOISE);
    if rank.is_some_and(|rank| elimination.rank < rank || !sound) {
        let pivot = elimination.rank;
        return Err(Unsolved::Singular { pivot });
    }
    let null = elimination.null_space();
    let columns = b.len().checked_div(rows).unwrap_or(0);
    for c in 0..columns {
        let right: Vec<f64> = (0..rows).map(|i| b[i * columns + c]).collect();
        if rank.is_none() {
            elimination.examine(&magnitudes, &right)?;
        }
        let mut solution = elimination.basic(&right);
        let rest = |i: usize| -> f64 {
            let terms = a[i * cols..(i + 1) * cols].iter().zip(&solution);
            right[i] - terms.map(|(a, x)| a * x).sum::<f64>()
        };
        let correction = elimination.basic(&(0..rows).map(rest).collect::<Vec<_>>());
        improve(&mut solution, &correction)?;
        null.iter()
            .for_each(|direction| remove(&mut solution, direction));
        (0..cols).for_each(|j| x[j * columns + c] = solution[j]);
    }
    finite(x).map(|()| elimination.rank)
}

/// An orthonormal basis of the null space of a `rows x cols` matrix, with the magnitudes and the
/// threshold of [`rank_at_most`](super::rank_at_most()).
pub fn null_space(
    most: Option<usize>,
    rows: usize,
    cols: usize,
    values: &[f64],
    magnitudes: &[f64],
) -> Vec<Vec<f64>> {
    Elimination::new(rows, cols, values, magnitudes, None)
        .at_most(most)
        .null_space()
}

/// Whether the first `unique` unknowns of a consistent square system of this rank are the same in every
/// solution: no direction of the null space moves them, in the scales of the unknowns.
pub(crate) fn determines(n: usize, a: &[f64], unique: usize, rank: usize) -> bool {
    let magnitudes: Vec<f64> = a.iter().map(|x| x.abs()).collect();
    let elimination = Elimination::new(n, n, a, &magnitudes, Some(rank));
    let scaled = |direction: &[f64]| -> Vec<f64> {
        let pairs = direction.iter().zip(&elimination.col_scale);
        pairs.map(|(x, scale)| (x / scale).abs()).collect()
    };
    let still = |direction: &Vec<f64>| {
        let moves = scaled(direction);
        let largest = moves.iter().copied().fold(0.0, f64::max);
        moves[..unique].iter().all(|x| *x <= STILL * largest)
    };
    elimination.rank == rank && elimination.null_space().iter().all(still)
}

/// An unknown that a null direction moves by less than this is not moved: rows that are redundant on the
/// constraints only are a little less so beside them.
const STILL: f64 = 1e-6;

impl Elimination {
    /// `L^-1 P R b`: the right-hand side as elimination leaves it.
    fn forward(&self, b: &[f64]) -> Vec<f64> {
        let mut y: Vec<f64> = self
            .row_order
            .iter()
            .map(|&i| self.row_scale[i] * b[i])
            .collect();
        for i in 0..self.rows {
            for k in 0..i.min(self.rank) {
                y[i] -= self.at(i, k) * y[k];
            }
        }
        y
    }

    /// Overwrites the first `rank` places of `y` by `U^-1 y`.
    fn backward(&self, y: &mut [f64]) {
        for i in (0..self.rank).rev() {
            for k in i + 1..self.rank {
                y[i] -= self.at(i, k) * y[k];
            }
            y[i] /= self.at(i, i);
        }
    }

    /// From places to original columns, scales undone.
    fn unscaled(&self, y: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.cols];
        for (&j, y) in self.col_order.iter().zip(y) {
            x[j] = self.col_scale[j] * y;
        }
        x
    }

    /// The solution whose non-pivot unknowns vanish.
    fn basic(&self, b: &[f64]) -> Vec<f64> {
        let mut y = self.forward(b);
        y.truncate(self.rank);
        self.backward(&mut y);
        self.unscaled(&y)
    }

    /// An orthonormal basis of the null space in the original unknowns.
    pub(super) fn null_space(&self) -> Vec<Vec<f64>> {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for free in self.rank..self.cols {
            let mut y: Vec<f64> = (0..self.cols)
                .map(|i| f64::from(u8::from(i == free)))
                .collect();
            (0..self.rank).for_each(|i| y[i] = -self.at(i, free));
            self.backward(&mut y);
            let mut direction = self.unscaled(&y);
            for _ in 0..2 {
                normalise(&mut direction);
                basis.iter().for_each(|other| remove(&mut direction, other));
            }
            normalise(&mut direction);
            basis.push(direction);
        }
        basis
    }

    /// Refuses a right-hand side outside the range.
    fn examine(&self, magnitudes: &[f64], b: &[f64]) -> Result<(), Unsolved> {
        let y = self.forward(b);
        let sizes = self.sizes(magnitudes, b);
        let violated = (self.rank..self.rows).filter(|&i| {
            let small = y[i].abs() <= THRESHOLD * sizes[i];
            !small
        });
        let mut rows: Vec<usize> = violated.flat_map(|place| self.combination(place)).collect();
        rows.sort_unstable();
        rows.dedup();
        if rows.is_empty() {
            Ok(())
        } else {
            Err(Unsolved::Inconsistent { rows })
        }
    }

    /// The same elimination as [`forward`](Self::forward) in absolute values, from `|b|` plus a row's
    /// largest coefficient: the effect of one unit of an unknown.
    fn sizes(&self, magnitudes: &[f64], b: &[f64]) -> Vec<f64> {
        let start = |&i: &usize| {
            let row = &magnitudes[i * self.cols..(i + 1) * self.cols];
            self.row_scale[i] * row.iter().fold(b[i].abs(), |size, a| size.max(*a))
        };
        let mut sizes: Vec<f64> = self.row_order.iter().map(start).collect();
        for i in 0..self.rows {
            for k in 0..i.min(self.rank) {
                sizes[i] += self.at(i, k).abs() * sizes[k];
            }
        }
        sizes
    }

    /// The original rows in the combination that vanishes with the row in this place: `w L = e`.
    fn combination(&self, place: usize) -> Vec<usize> {
        let mut weights: Vec<f64> = (0..self.rank).map(|k| self.at(place, k)).collect();
        for k in (0..self.rank).rev() {
            for i in k + 1..self.rank {
                weights[k] -= weights[i] * self.at(i, k);
            }
        }
        let taking_part = (0..self.rank).filter(|&k| weights[k].abs() > 1e-8);
        taking_part
            .chain([place])
            .map(|k| self.row_order[k])
            .collect()
    }
}

fn normalise(x: &mut [f64]) {
    let largest = x
        .iter()
        .fold(f64::MIN_POSITIVE, |size, x| size.max(x.abs()));
    x.iter_mut().for_each(|x| *x /= largest);
    let norm = dot(x, x).sqrt();
    if norm > 0.0 {
        x.iter_mut().for_each(|x| *x /= norm);
    }
}

/// Removes from `x` its component along a unit vector.
fn remove(x: &mut [f64], unit: &[f64]) {
    let component = dot(x, unit);
    x.iter_mut()
        .zip(unit)
        .for_each(|(x, unit)| *x -= component * unit);
}

#[cfg(test)]
mod tests {
    use super::super::check::{Numbers, distance, product, transpose};
    use super::*;

    fn solved(kind: Kind, n: usize, a: &[f64], b: &[f64]) -> Result<Vec<f64>, Unsolved> {
        let mut x = vec![0.0; b.len()];
        consistent(kind, n, a, b, &mut x, None, &mut Scratch::default()).map(|_| x)
    }

    /// `A = B C` of rank `r`, `x = A^T y` lies in the row space: it is the solution of least norm.
    #[test]
    fn the_solution_of_least_norm_lies_in_the_row_space() {
        let mut numbers = Numbers(5);
        for (n, rank) in [(3, 1), (5, 3), (8, 7), (12, 9), (6, 6)] {
            for kind in [Kind::General, Kind::Symmetric] {
                let left = numbers.matrix(n, rank);
                let right = match kind {
                    Kind::General => numbers.matrix(rank, n),
                    Kind::Symmetric => transpose(n, rank, &left),
                };
                let a = product(n, rank, n, &left, &right);
                let y = numbers.matrix(n, 2);
                let expected = product(n, n, 2, &transpose(n, n, &a), &y);
                let b = product(n, n, 2, &a, &expected);
                let x = solved(kind, n, &a, &b).expect("consistent");
                assert!(distance(&x, &expected) < 1e-12, "{n} {rank} {kind:?}");
            }
        }
    }

    /// Two equal rows share the multiplier of one: `M = 1, A = (1; 1)`.
    #[test]
    fn a_redundant_constraint_shares_its_multiplier() {
        let kkt = [1.0, -1.0, -1.0, -1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
        let x = solved(Kind::Symmetric, 3, &kkt, &[0.0, -6.0, -6.0]).expect("consistent");
        assert!(distance(&x, &[6.0, 3.0, 3.0]) < 1e-15);
    }

    #[test]
    fn a_contradiction_names_the_rows_that_take_part() {
        let a = [
            1.0, 1.0, 0.0, 0.0, //
            0.0, 0.0, 5.0, 0.0, //
            2.0, 2.0, 0.0, 0.0, //
            0.0, 0.0, 0.0, 0.0,
        ];
        let answer = solved(Kind::General, 4, &a, &[1.0, 1.0, 3.0, 0.0]);
        assert_eq!(answer, Err(Unsolved::Inconsistent { rows: vec![0, 2] }));
        let answer = solved(Kind::General, 4, &a, &[1.0, 1.0, 2.0, 1e-3]);
        assert_eq!(answer, Err(Unsolved::Inconsistent { rows: vec![3] }));
        let x = solved(Kind::General, 4, &a, &[1.0, 1.0, 2.0, 0.0]).expect("consistent");
        assert!(distance(&x, &[0.5, 0.5, 0.2, 0.0]) < 1e-15);
    }

    #[test]
    fn rounding_errors_of_a_right_side_are_no_contradiction() {
        let a = [1.0, 2.0, 2.0, 4.0];
        let x = solved(Kind::Symmetric, 2, &a, &[1e-17, -3e-17]).expect("consistent");
        assert!(distance(&x, &[0.0, 0.0]) < 1e-15);
    }

    #[test]
    fn a_given_rank_is_kept_where_the_matrix_is_perturbed() {
        let a = [1.0, 1.0, 1.0, 1.0 + 1e-7];
        let mut x = [0.0; 2];
        let (kind, rank) = (Kind::Symmetric, Some(1));
        consistent(
            kind,
            2,
            &a,
            &[2.0, 2.0 + 1e-3],
            &mut x,
            rank,
            &mut Scratch::default(),
        )
        .expect("one row is kept");
        assert!(
            (x[0] - x[1]).abs() < 1e-6 && (x[0] + x[1] - 2.0).abs() < 2e-3,
            "{x:?}"
        );
    }

    /// Two systems in turn: the rank of the first is held at one though a perturbation makes it two.
    #[test]
    fn held_ranks_belong_to_the_place_in_the_sequence() {
        let scratch = &mut Scratch::default();
        let solve = |a: &[f64], b: &[f64], scratch: &mut Scratch| {
            let mut x = [0.0; 2];
            let answer = consistent(Kind::Symmetric, 2, a, b, &mut x, None, scratch);
            answer.map(|_| x).expect("consistent")
        };
        let (ones, unit) = ([1.0; 4], [1.0, 0.0, 0.0, 1.0]);
        let perturbed = [1.0, 1.0, 1.0, 1.0 + 1e-4];
        scratch.hold_ranks();
        for (first, right) in [(&ones, [2.0, 2.0]), (&perturbed, [2.0, 2.01])] {
            scratch.rewind();
            let x = solve(first, &right, scratch);
            assert!((x[0] - x[1]).abs() < 1e-3, "{x:?}");
            assert_eq!(solve(&unit, &[3.0, 4.0], scratch), [3.0, 4.0]);
        }
    }

    #[test]
    fn the_null_space_is_orthonormal_and_annihilated() {
        let mut numbers = Numbers(7);
        let a = product(4, 3, 6, &numbers.matrix(4, 3), &numbers.matrix(3, 6));
        let sizes: Vec<f64> = a.iter().map(|x| x.abs()).collect();
        let basis = null_space(None, 4, 6, &a, &sizes);
        assert_eq!(basis.len(), 3);
        for (i, x) in basis.iter().enumerate() {
            assert!(distance(&product(4, 6, 1, &a, x), &[0.0; 4]) < 1e-14);
            for (j, y) in basis.iter().enumerate() {
                let unit = f64::from(u8::from(i == j));
                assert!((dot(x, y) - unit).abs() < 1e-15);
            }
        }
        assert_eq!(
            null_space(None, 2, 2, &[1.0, 0.0, 0.0, 1.0], &[1.0; 4]).len(),
            0
        );
    }

    #[test]
    fn undefined_entries_are_refused() {
        let answer = solved(Kind::Symmetric, 1, &[f64::NAN], &[1.0]);
        assert_eq!(answer, Err(Unsolved::NotFinite));
        let answer = solved(
            Kind::General,
            2,
            &[1.0, 0.0, 0.0, 1.0],
            &[f64::INFINITY, 0.0],
        );
        assert_eq!(answer, Err(Unsolved::NotFinite));
    }
}
