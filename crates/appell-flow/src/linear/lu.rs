//! `P A = L U` by partial pivoting, for general matrices.

use super::pivoting::lost;
use super::{POOR, Scratch, Unsolved, counts, improve, refill, residual, subtract_row, swap_rows};

/// Solves `A X = B` for a general `A` by rows pivoted relative to their size, with one step of
/// iterative refinement.
///
/// # Errors
/// [`Unsolved::Singular`] where no pivot of a column is above [`THRESHOLD`](super::THRESHOLD) times
/// the same entry computed with absolute values.
pub fn lu(
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), Unsolved> {
    factor(n, a, scratch, counts)?;
    x.copy_from_slice(b);
    solve(n, &scratch.factors, &scratch.order, x);
    residual(n, a, b, x, &mut scratch.residual);
    solve(n, &scratch.factors, &scratch.order, &mut scratch.residual);
    improve(x, &scratch.residual)
}

/// The same for a choice of unknowns, which is poor where `|det A|` is below [`POOR`].
///
/// # Errors
/// [`Unsolved::Singular`] for a poor choice.
pub fn lu_of_choice(
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), Unsolved> {
    lu(n, a, b, x, scratch)?;
    match product_of_pivots(n, scratch) > POOR {
        true => Ok(()),
        false => Err(Unsolved::Singular { pivot: n - 1 }),
    }
}

/// `|det A|`; 0 where pivots cancel.
pub fn determinant(n: usize, a: &[f64]) -> f64 {
    let mut scratch = Scratch::default();
    let factored = factor(n, a, &mut scratch, counts);
    factored.map_or(0.0, |()| product_of_pivots(n, &scratch))
}

fn product_of_pivots(n: usize, scratch: &Scratch) -> f64 {
    let pivots = (0..n).map(|k| scratch.factors[k * n + k]);
    pivots.product::<f64>().abs()
}

/// Writes `L` (unit) and `U`; `order[k]` is the row exchanged with row `k` in step `k`.
/// A pivot must pass `admissible(pivot, size)`.
pub(super) fn factor(
    n: usize,
    a: &[f64],
    scratch: &mut Scratch,
    admissible: impl Fn(f64, f64) -> bool,
) -> Result<(), Unsolved> {
    refill(&mut scratch.factors, a.iter().copied());
    refill(&mut scratch.magnitudes, a.iter().map(|x| x.abs()));
    refill(&mut scratch.residual, (0..n).map(|i| row_size(n, a, i)));
    scratch.order.clear();
    let (u, size, scale) = (
        &mut scratch.factors,
        &mut scratch.magnitudes,
        &mut scratch.residual,
    );
    for k in 0..n {
        let relative = |i: &usize| u[i * n + k].abs() / scale[*i];
        let row = (k..n)
            .max_by(|i, j| relative(i).total_cmp(&relative(j)))
            .unwrap_or(k);
        swap_rows(u, n, k, row);
        swap_rows(size, n, k, row);
        scale.swap(k, row);
        if !admissible(u[k * n + k], size[k * n + k]) {
            return Err(Unsolved::Singular { pivot: k });
        }
        scratch.order.push(row);
        eliminate(n, u, size, k);
    }
    Ok(())
}

/// The largest entry of a row; 1 for a row of zeros.
fn row_size(n: usize, a: &[f64], i: usize) -> f64 {
    let size = a[i * n..(i + 1) * n]
        .iter()
        .fold(0.0, |size: f64, x| size.max(x.abs()));
    if size > 0.0 { size } else { 1.0 }
}

/// Subtracts multiples of row `k` from those below it, with the sizes of what was summed.
pub(super) fn eliminate(n: usize, u: &mut [f64], size: &mut [f64], k: usize) {
    for i in k + 1..n {
        let (entry, pivot) = (u[i * n + k], u[k * n + k]);
        let lost = lost(entry, size[i * n + k], pivot, size[k * n + k]);
        let factor = entry / pivot;
        u[i * n + k] = factor;
        for j in k + 1..n {
            let across = u[k * n + j];
            u[i * n + j] -= factor * across;
            size[i * n + j] += factor.abs() * size[k * n + j] + lost * across.abs();
        }
    }
}

/// Overwrites `x` by `U^-1 L^-1 P x`.
pub(super) fn solve(n: usize, u: &[f64], order: &[usize], x: &mut [f64]) {
    let r = x.len().checked_div(n).unwrap_or(0);
    for (k, &row) in order.iter().enumerate() {
        swap_rows(x, r, k, row);
    }
    for i in 0..n {
        (0..i).for_each(|k| subtract_row(x, r, i, k, u[i * n + k]));
    }
    for i in (0..n).rev() {
        (i + 1..n).for_each(|k| subtract_row(x, r, i, k, u[i * n + k]));
        for value in &mut x[i * r..(i + 1) * r] {
            *value /= u[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{Numbers, distance, product};
    use super::*;

    #[test]
    fn general_systems_are_solved_for_several_right_sides() {
        let mut numbers = Numbers(3);
        for n in 1..=12 {
            let a = numbers.matrix(n, n);
            let expected = numbers.matrix(n, 3);
            let b = product(n, n, 3, &a, &expected);
            let mut x = vec![0.0; 3 * n];
            lu(n, &a, &b, &mut x, &mut Scratch::default()).expect("regular");
            assert!(distance(&x, &expected) < 1e-11, "n = {n}");
        }
    }

    #[test]
    fn rows_of_different_units_do_not_mislead_the_pivot() {
        let a = [1.0, 1e12, 1.0, 1.0];
        let b = [1e12, 2.0];
        let mut x = [0.0; 2];
        lu(2, &a, &b, &mut x, &mut Scratch::default()).expect("regular");
        // x = y + delta with y = 1 - 1e-12 to first order
        assert!((x[0] - (1.0 + 1e-12)).abs() < 1e-15 && (x[1] - (1.0 - 1e-12)).abs() < 1e-15);
    }

    #[test]
    fn singular_and_undefined_matrices_are_refused() {
        let mut x = [0.0; 2];
        for a in [[1.0, 2.0, 2.0, 4.0], [0.1, 0.3, 0.2, 0.6]] {
            let answer = lu(2, &a, &[1.0, 1.0], &mut x, &mut Scratch::default());
            assert_eq!(answer, Err(Unsolved::Singular { pivot: 1 }));
        }
        let answer = lu(1, &[f64::NAN], &[1.0], &mut x[..1], &mut Scratch::default());
        assert_eq!(answer, Err(Unsolved::Singular { pivot: 0 }));
    }
}
