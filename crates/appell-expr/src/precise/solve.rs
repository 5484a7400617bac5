//! Elimination over balls: every pivot excludes 0.

use super::NoValue;
use super::ball::{Ball, signed};
use crate::limits::look;

/// Rows of a matrix with their right sides behind.
pub(crate) type Rows = Vec<Vec<Ball>>;

/// A system `x_P + F x_F = b` in the rows that were found independent.
pub(crate) struct Reduced {
    /// Which row and which column each pivot had.
    pub pivots: Vec<(usize, usize)>,
    /// The other columns.
    free: Vec<usize>,
    /// `F` and `b`, a row for each pivot.
    rows: Rows,
    /// Whether the other rows have nothing but exact zeros left.
    pub rest_is_zero: bool,
}

/// Eliminates with pivots among the first `n` columns, which exclude 0 and are not below `2^negligible`.
///
/// # Errors
/// Where what is left of the other rows does not hold 0 on the right, or is too wide to say so.
pub(crate) fn eliminated(
    mut rows: Rows,
    n: usize,
    negligible: Option<i64>,
    bits: u64,
) -> Result<Reduced, NoValue> {
    let largest = sizes(&rows, n).max();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut columns: Vec<usize> = Vec::new();
    while let Some((i, j)) = best_pivot(&rows, n, &columns, negligible) {
        let next = columns.len();
        rows.swap(i, next);
        order.swap(i, next);
        columns.push(j);
        let (above, below) = rows.split_at_mut(next + 1);
        let pivot_row = &above[next];
        for row in below.iter_mut().filter(|row| !row[j].is_zero()) {
            look();
            let factor = row[j].over(&pivot_row[j], bits)?.negative();
            // Earlier pivots' columns hold exact zeros here.
            for (x, p) in row.iter_mut().zip(pivot_row).filter(|(_, p)| !p.is_zero()) {
                *x = x.plus(&factor.times(p, bits), bits);
            }
            row[j] = Ball::zero();
        }
    }
    let free: Vec<usize> = (0..n).filter(|j| !columns.contains(j)).collect();
    let rest = &rows[columns.len()..];
    // What may be 0 must be so up to a third of the digits, or the rank is not known.
    let wide = largest.map_or(i64::MIN, |size| size - signed(bits / 3));
    let left = || rest.iter().flat_map(|row| free.iter().map(|j| &row[*j]));
    if negligible.is_none() && left().any(|x| x.size().magnitude() > Some(wide)) {
        return Err(NoValue::Wide);
    }
    if negligible.is_none()
        && rest
            .iter()
            .flat_map(|row| &row[n..])
            .any(Ball::excludes_zero)
    {
        return Err(NoValue::Undefined);
    }
    let rest_is_zero = left().all(Ball::is_zero);
    rows.truncate(columns.len());
    let rows = substituted(&rows, n, &columns, &free, bits)?;
    Ok(Reduced {
        pivots: order.into_iter().zip(columns).collect(),
        free,
        rows,
        rest_is_zero,
    })
}

fn sizes(rows: &Rows, n: usize) -> impl Iterator<Item = i64> + '_ {
    let entries = rows.iter().flat_map(move |row| &row[..n]);
    entries.filter_map(Ball::magnitude)
}

/// The largest entry of the rows and columns that have no pivot yet.
fn best_pivot(
    rows: &Rows,
    n: usize,
    columns: &[usize],
    negligible: Option<i64>,
) -> Option<(usize, usize)> {
    let free: Vec<usize> = (0..n).filter(|j| !columns.contains(j)).collect();
    let mut best: Option<(i64, usize, usize)> = None;
    for (i, row) in rows.iter().enumerate().skip(columns.len()) {
        for j in &free {
            let size = row[*j].magnitude();
            let better = size.filter(|size| best.is_none_or(|best| *size > best.0));
            if let Some(size) = better.filter(|_| row[*j].excludes_zero()) {
                best = Some((size, i, *j));
            }
        }
    }
    let best = best.filter(|(size, ..)| negligible.is_none_or(|least| *size >= least))?;
    Some((best.1, best.2))
}

/// Back substitution: the free columns and the right sides in terms of a unit matrix at the pivots.
fn substituted(
    rows: &Rows,
    n: usize,
    columns: &[usize],
    free: &[usize],
    bits: u64,
) -> Result<Rows, NoValue> {
    let mut solved: Rows = vec![Vec::new(); rows.len()];
    for p in (0..rows.len()).rev() {
        let row = &rows[p];
        let kept = free.iter().map(|j| &row[*j]).chain(&row[n..]);
        let mut line = Vec::new();
        for (c, x) in kept.enumerate() {
            let mut x = x.clone();
            for (q, column) in columns.iter().enumerate().skip(p + 1) {
                let factor = &row[*column];
                if !factor.is_zero() && !solved[q][c].is_zero() {
                    x = x.minus(&factor.times(&solved[q][c], bits), bits);
                }
            }
            line.push(if x.is_zero() {
                x
            } else {
                x.over(&row[columns[p]], bits)?
            });
        }
        solved[p] = line;
    }
    Ok(solved)
}

impl Reduced {
    /// The value of each pivot's unknown where the others are 0, by the first right side.
    pub fn steps(&self) -> impl Iterator<Item = ((usize, usize), &Ball)> {
        let right = self.free.len();
        let values = self.rows.iter().map(move |row| &row[right]);
        self.pivots.iter().copied().zip(values)
    }

    /// The solution of a regular system, row by row.
    pub fn solution(&self, n: usize, columns: usize) -> Vec<Ball> {
        let mut solution = vec![Ball::zero(); n * columns];
        for ((_, j), row) in self.pivots.iter().zip(&self.rows) {
            solution[j * columns..(j + 1) * columns].clone_from_slice(row);
        }
        solution
    }

    /// The solution of least Euclidean norm, `A^T (A A^T)^-1 b` with `A = [1, F]`.
    ///
    /// # Errors
    /// One of the first `unique` unknowns is not the same in every solution.
    pub fn least(
        &self,
        n: usize,
        columns: usize,
        unique: usize,
        bits: u64,
    ) -> Result<Vec<Ball>, NoValue> {
        let (rank, free) = (self.rows.len(), self.free.len());
        let moved = |row: &[Ball]| row[..free].iter().any(Ball::excludes_zero);
        let pivots = self.pivots.iter().zip(&self.rows);
        let moves = pivots
            .clone()
            .any(|((_, j), row)| *j < unique && moved(row));
        if moves || self.free.iter().any(|j| *j < unique) {
            return Err(NoValue::Undefined);
        }
        let product = |x: &[Ball], y: &[Ball], start: Ball| {
            let pairs = x[..free].iter().zip(&y[..free]);
            pairs.fold(start, |sum, (x, y)| sum.plus(&x.times(y, bits), bits))
        };
        let gram = (0..rank).map(|i| {
            let entry = |j: usize| {
                let one = if i == j { Ball::one() } else { Ball::zero() };
                product(&self.rows[i], &self.rows[j], one)
            };
            let left = (0..rank).map(entry);
            left.chain(self.rows[i][free..].iter().cloned()).collect()
        });
        let gram = eliminated(gram.collect(), rank, None, bits)?;
        if gram.pivots.len() < rank {
            return Err(NoValue::Wide);
        }
        let weights = gram.solution(rank, columns);
        let mut least = vec![Ball::zero(); n * columns];
        for c in 0..columns {
            for (i, (_, j)) in self.pivots.iter().enumerate() {
                least[j * columns + c] = weights[i * columns + c].clone();
            }
            for (f, j) in self.free.iter().enumerate() {
                let terms =
                    (0..rank).map(|i| self.rows[i][f].times(&weights[i * columns + c], bits));
                least[j * columns + c] = terms.fold(Ball::zero(), |sum, x| sum.plus(&x, bits));
            }
        }
        Ok(least)
    }
}
