//! `P A P^T = L D L^T` with blocks of order one and two, for symmetric indefinite matrices.

use super::lu::eliminate;
use super::{Scratch, Unsolved, counts, improve, refill, residual, subtract_row, swap_rows};

/// Bunch and Kaufman's constant `(1 + sqrt 17) / 8`, which balances the growth of both pivots.
const ALPHA: f64 = 0.640_388_203_202_208;

/// Solves `A X = B` for a symmetric, possibly indefinite `A` by diagonal pivoting
/// (Bunch & Kaufman 1977) and one step of iterative refinement.
///
/// # Errors
/// [`Unsolved::Singular`] where the best pivot is below [`THRESHOLD`](super::THRESHOLD) times the same entry computed
/// with absolute values.
pub fn bunch_kaufman(
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), Unsolved> {
    factor(n, a, scratch)?;
    x.copy_from_slice(b);
    solve(n, &scratch.factors, &scratch.order, x);
    residual(n, a, b, x, &mut scratch.residual);
    solve(n, &scratch.factors, &scratch.order, &mut scratch.residual);
    improve(x, &scratch.residual)
}

/// In `order`: the second row of a pivot of order two, which has no exchange of its own.
const SECOND: usize = usize::MAX;

/// Eliminates in full storage. `factors` keeps `D` on its diagonal blocks and `L` below them, rows
/// exchanged throughout; `order[k]` is the row exchanged with the last of the pivot that begins at `k`.
fn factor(n: usize, a: &[f64], scratch: &mut Scratch) -> Result<(), Unsolved> {
    refill(&mut scratch.factors, a.iter().copied());
    refill(&mut scratch.magnitudes, a.iter().map(|x| x.abs()));
    scratch.order.clear();
    let (u, size) = (&mut scratch.factors, &mut scratch.magnitudes);
    while scratch.order.len() < n {
        let k = scratch.order.len();
        let (block, row) = choose(n, u, k);
        let last = k + block - 1;
        exchange(n, u, last, row);
        exchange(n, size, last, row);
        if !counts(u[last * n + k], size[last * n + k]) {
            return Err(Unsolved::Singular { pivot: k });
        }
        scratch.order.push(row);
        if block == 1 {
            eliminate(n, u, size, k);
        } else {
            eliminate_two(n, u, size, k);
            scratch.order.push(SECOND);
        }
    }
    Ok(())
}

/// The order of the pivot at step `k` and the row to be brought to its last row.
fn choose(n: usize, u: &[f64], k: usize) -> (usize, usize) {
    let Some((row, below)) = largest(n, u, k, k + 1, k) else {
        return (1, k);
    };
    let diagonal = u[k * n + k].abs();
    if diagonal >= ALPHA * below {
        return (1, k);
    }
    let across = largest(n, u, row, k, row).map_or(0.0, |(_, value)| value);
    if diagonal * across >= ALPHA * below * below {
        (1, k)
    } else if u[row * n + row].abs() >= ALPHA * across {
        (1, row)
    } else {
        (2, row)
    }
}

/// The largest entry of a column from row `from`, the row `except` left out.
fn largest(n: usize, u: &[f64], column: usize, from: usize, except: usize) -> Option<(usize, f64)> {
    (from..n)
        .filter(|&i| i != except)
        .map(|i| (i, u[i * n + column].abs()))
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Exchanges rows and columns `i` and `k`.
fn exchange(n: usize, u: &mut [f64], i: usize, k: usize) {
    if i != k {
        swap_rows(u, n, i, k);
        for row in 0..n {
            u.swap(row * n + i, row * n + k);
        }
    }
}

fn eliminate_two(n: usize, u: &mut [f64], size: &mut [f64], k: usize) {
    let block = [u[k * n + k], u[(k + 1) * n + k], u[(k + 1) * n + k + 1]];
    for i in k + 2..n {
        let (first, second) = divide(block, u[i * n + k], u[i * n + k + 1]);
        for j in k + 2..n {
            u[i * n + j] -= first * u[k * n + j] + second * u[(k + 1) * n + j];
            size[i * n + j] += first.abs() * size[k * n + j] + second.abs() * size[(k + 1) * n + j];
        }
        u[i * n + k] = first;
        u[i * n + k + 1] = second;
    }
}

/// `[p, q; q, s]^-1 (x, y)`, scaled by `q`, the largest entry of a block that was chosen.
fn divide([p, q, s]: [f64; 3], x: f64, y: f64) -> (f64, f64) {
    let (p, s) = (p / q, s / q);
    let determinant = (p * s - 1.0) * q;
    ((s * x - y) / determinant, (p * y - x) / determinant)
}

/// The pivots in turn: first row and order.
fn pivots(order: &[usize]) -> impl DoubleEndedIterator<Item = (usize, usize)> + '_ {
    (0..order.len()).filter(|&k| order[k] != SECOND).map(|k| {
        (
            k,
            if order.get(k + 1) == Some(&SECOND) {
                2
            } else {
                1
            },
        )
    })
}

/// Overwrites `x` by `A^-1 x = P^T L^-T D^-1 L^-1 P x`.
fn solve(n: usize, u: &[f64], order: &[usize], x: &mut [f64]) {
    let r = x.len().checked_div(n).unwrap_or(0);
    for (k, block) in pivots(order) {
        swap_rows(x, r, k + block - 1, order[k]);
    }
    for (k, block) in pivots(order) {
        for i in k + block..n {
            (k..k + block).for_each(|column| subtract_row(x, r, i, column, u[i * n + column]));
        }
        divide_rows(n, u, x, r, k, block);
    }
    for (k, block) in pivots(order).rev() {
        for column in k..k + block {
            (k + block..n).for_each(|i| subtract_row(x, r, column, i, u[i * n + column]));
        }
    }
    for (k, block) in pivots(order).rev() {
        swap_rows(x, r, k + block - 1, order[k]);
    }
}

fn divide_rows(n: usize, u: &[f64], x: &mut [f64], r: usize, k: usize, block: usize) {
    for c in 0..r {
        let first = k * r + c;
        if block == 1 {
            x[first] /= u[k * n + k];
        } else {
            let entries = [u[k * n + k], u[(k + 1) * n + k], u[(k + 1) * n + k + 1]];
            (x[first], x[first + r]) = divide(entries, x[first], x[first + r]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{Numbers, distance, product, transpose};
    use super::*;

    fn solved(n: usize, a: &[f64], b: &[f64]) -> Result<Vec<f64>, Unsolved> {
        let mut x = vec![0.0; b.len()];
        bunch_kaufman(n, a, b, &mut x, &mut Scratch::default()).map(|()| x)
    }

    #[test]
    fn symmetric_indefinite_systems_are_solved() {
        let mut numbers = Numbers(2);
        for n in (1..=12).chain(1..=12) {
            let root = numbers.matrix(n, n);
            let flip = transpose(n, n, &root);
            let a: Vec<f64> = root.iter().zip(&flip).map(|(x, y)| x + y).collect();
            let expected = numbers.matrix(n, 2);
            let x = solved(n, &a, &product(n, n, 2, &a, &expected)).expect("regular");
            assert!(
                distance(&x, &expected) < 1e-11,
                "n = {n}: {}",
                distance(&x, &expected)
            );
        }
    }

    #[test]
    fn zero_diagonals_and_wide_scales_need_blocks() {
        let (small, large) = (1.0 / 1024.0, 1024.0);
        #[rustfmt::skip]
        let a = [
            0.0, small, 0.0, 2.0,
            small, 0.0, 3.0, 0.0,
            0.0, 3.0, 0.0, large,
            2.0, 0.0, large, 0.0,
        ];
        let expected = [1.0, -2.0, 0.5, 4.0];
        let x = solved(4, &a, &product(4, 4, 1, &a, &expected)).expect("regular");
        assert!(distance(&x, &expected) < 1e-12);
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let rank_one = [1.0, -2.0, -2.0, 4.0];
        let zero = [0.0; 4];
        let undefined = [0.0, f64::NAN, f64::NAN, 0.0];
        assert_eq!(
            solved(2, &rank_one, &[1.0, 0.0]),
            Err(Unsolved::Singular { pivot: 1 })
        );
        assert_eq!(
            solved(2, &zero, &[1.0, 0.0]),
            Err(Unsolved::Singular { pivot: 0 })
        );
        assert_eq!(
            solved(2, &undefined, &[1.0, 0.0]),
            Err(Unsolved::Singular { pivot: 0 })
        );
    }
}
