//! Programs over [`Precise`] numbers.

use super::functions::{asin, atan, atan2, exp, log, pi, sin_cos};
use super::{Precise, Undefined};
use crate::function::Function;
use crate::num::Rational;
use crate::program::{Numbers, SlotSolve};
use crate::sketch::SolveKind;

/// Pivots below `2^-RANK_BITS` of the largest entry of their matrix count as 0.
const RANK_BITS: i64 = 140;

/// The number system; it has no state.
pub(super) struct PreciseNumbers;

impl Numbers for PreciseNumbers {
    type Value = Precise;
    type Error = Undefined;

    fn number(&mut self, x: &Rational) -> Precise {
        Precise::from(x)
    }

    fn pi(&mut self) -> Precise {
        pi()
    }

    fn add(&mut self, x: &Precise, y: &Precise) -> Precise {
        x + y
    }

    fn mul(&mut self, x: &Precise, y: &Precise) -> Precise {
        x * y
    }

    fn exact_power(&mut self, x: &Precise, e: &Rational) -> Result<Precise, Undefined> {
        let degree = u32::try_from(e.denominator()).map_err(|_| Undefined)?;
        let exponent = i64::try_from(e.numerator()).map_err(|_| Undefined)?;
        let root = if degree == 1 {
            x.clone()
        } else {
            x.root(degree)?
        };
        root.integer_power(exponent)
    }

    fn power(&mut self, x: &Precise, y: &Precise) -> Result<Precise, Undefined> {
        exp(&(&log(x)? * y))
    }

    fn call(&mut self, f: Function, x: &[&Precise]) -> Result<Precise, Undefined> {
        let hyperbolic = |sign: i64| -> Result<Precise, Undefined> {
            let up = exp(x[0])?;
            let down = Precise::from(sign).divided(&up)?;
            Ok((&up + &down).scaled(-1))
        };
        match f {
            Function::Sin => Ok(sin_cos(x[0])?.0),
            Function::Cos => Ok(sin_cos(x[0])?.1),
            Function::Tan => {
                let (s, c) = sin_cos(x[0])?;
                s.divided(&c)
            }
            Function::Asin => asin(x[0]),
            Function::Acos => Ok(&pi().scaled(-1) - &asin(x[0])?),
            Function::Atan => atan(x[0]),
            Function::Sinh => hyperbolic(-1),
            Function::Cosh => hyperbolic(1),
            Function::Tanh => hyperbolic(-1)?.divided(&hyperbolic(1)?),
            Function::Exp => exp(x[0]),
            Function::Log => log(x[0]),
            Function::Abs => Ok(x[0].abs()),
            Function::Sign => Ok(Precise::from(x[0].sign())),
            Function::Atan2 => atan2(x[0], x[1]),
            Function::Min if x[0] < x[1] => Ok(x[0].clone()),
            Function::Max if x[0] > x[1] => Ok(x[0].clone()),
            Function::Min | Function::Max => Ok(x[1].clone()),
        }
    }

    /// Elimination with complete pivoting; the least solution where the kind allows for it.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Precise>,
        right: &mut Vec<Precise>,
    ) -> Result<(), Undefined> {
        let n = solve.size;
        let rows = rows_of(n, &matrix, right);
        let (mut reduced, pivots) = eliminated(rows, n)?;
        if pivots.len() == n {
            *right = solution(&reduced, &pivots, n);
            return Ok(());
        }
        if !matches!(solve.kind, SolveKind::Consistent { .. }) {
            return Err(Undefined);
        }
        // The least solution of the independent rows: A^T (A A^T)^-1 b.
        let rank = pivots.len();
        reduced.truncate(rank);
        let dot = |x: &[Precise], y: &[Precise]| {
            let products = x.iter().zip(y).take(n).map(|(x, y)| x * y);
            products.fold(Precise::zero(), |sum, x| &sum + &x)
        };
        let gram = reduced.iter().map(|x| {
            let products = reduced.iter().map(|y| dot(x, y));
            products.chain(x[n..].iter().cloned()).collect()
        });
        let (gram, pivots) = eliminated(gram.collect(), rank)?;
        if pivots.len() < rank {
            return Err(Undefined);
        }
        let weights = solution(&gram, &pivots, rank);
        let columns = solve.columns;
        for (index, x) in right.iter_mut().enumerate() {
            let (j, c) = (index / columns, index % columns);
            let terms = (0..rank).map(|i| &reduced[i][j] * &weights[i * columns + c]);
            *x = terms.fold(Precise::zero(), |sum, x| &sum + &x);
        }
        Ok(())
    }
}

fn rows_of(n: usize, matrix: &[Precise], right: &[Precise]) -> Vec<Vec<Precise>> {
    let columns = right.len() / n.max(1);
    let row = |i: usize| {
        let left = &matrix[i * n..(i + 1) * n];
        [left, &right[i * columns..(i + 1) * columns]].concat()
    };
    (0..n).map(row).collect()
}

/// Reduced rows, and their pivots as `(row, column)`.
pub(crate) type Eliminated = (Vec<Vec<Precise>>, Vec<(usize, usize)>);

/// Eliminates with pivots among the first `n` columns.
pub(crate) fn eliminated(mut rows: Vec<Vec<Precise>>, n: usize) -> Result<Eliminated, Undefined> {
    let sizes = rows.iter().flat_map(|row| &row[..n]);
    let largest = sizes.filter_map(Precise::magnitude).max();
    let negligible = largest.unwrap_or(0) - RANK_BITS;
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    while let Some((i, j)) = best_pivot(&rows, n, &pivots, negligible) {
        let next = pivots.len();
        rows.swap(i, next);
        let pivot = rows[next][j].clone();
        for x in &mut rows[next] {
            *x = x.divided(&pivot)?;
        }
        let pivot_row = rows[next].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != next) {
            let factor = row[j].clone();
            for (x, p) in row.iter_mut().zip(&pivot_row) {
                *x = &*x - &(&factor * p);
            }
        }
        pivots.push((next, j));
    }
    Ok((rows, pivots))
}

/// The largest entry of the rows and columns that have no pivot yet.
fn best_pivot(
    rows: &[Vec<Precise>],
    n: usize,
    pivots: &[(usize, usize)],
    negligible: i64,
) -> Option<(usize, usize)> {
    let free = |j: &usize| pivots.iter().all(|(_, column)| column != j);
    let entries = (pivots.len()..rows.len()).flat_map(|i| (0..n).filter(free).map(move |j| (i, j)));
    let sized = entries.filter_map(|(i, j)| Some((rows[i][j].magnitude()?, i, j)));
    let best = sized
        .filter(|(size, ..)| *size > negligible)
        .max_by_key(|(size, ..)| *size)?;
    Some((best.1, best.2))
}

fn solution(rows: &[Vec<Precise>], pivots: &[(usize, usize)], n: usize) -> Vec<Precise> {
    let mut place = vec![0; n];
    for (row, column) in pivots {
        place[*column] = *row;
    }
    (0..n).flat_map(|j| rows[place[j]][n..].to_vec()).collect()
}
