//! `A = L D L^T` without pivoting, for symmetric matrices that need none.

use super::{Scratch, THRESHOLD, Unsolved, finite, refill, subtract_row};

/// Solves `A X = B` for a symmetric positive definite `A` (only its lower triangle is read).
///
/// # Errors
/// [`Unsolved::Singular`] where a pivot is not above [`THRESHOLD`] times the same pivot computed
/// with absolute values: `A` is singular, indefinite or undefined.
pub fn ldlt(
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), Unsolved> {
    solved(n, a, b, x, scratch, counts)
}

/// The same for a sum of a positive semidefinite matrix and a small multiple of the unit matrix: however small a pivot is,
/// it is no rounding.
///
/// # Errors
/// [`Unsolved::Singular`] where a pivot is not positive.
pub fn ldlt_regularised(
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), Unsolved> {
    solved(n, a, b, x, scratch, |pivot, _| pivot > 0.0)
}

/// Whether a pivot is positive beside the same pivot computed with absolute values.
fn counts(pivot: f64, size: f64) -> bool {
    pivot > THRESHOLD * size
}

/// The same with pivots that pass `admissible(pivot, size)`, as in [`factor`].
pub(super) fn solved(
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    scratch: &mut Scratch,
    admissible: impl Fn(f64, f64) -> bool,
) -> Result<(), Unsolved> {
    let factors = &mut scratch.factors;
    factor(n, a, factors, admissible)?;
    x.copy_from_slice(b);
    solve(n, factors, x);
    finite(x)
}

/// `out = L^-1 B` scaled by `D^-1/2`, for a positive definite `A = L D L^T` and `B` of `n x r`:
/// the rows of the result are those of `A^-1/2 B` up to a rotation.
///
/// # Errors
/// As [`ldlt`].
pub fn half_solve(
    n: usize,
    a: &[f64],
    b: &[f64],
    out: &mut [f64],
    scratch: &mut Scratch,
) -> Result<(), Unsolved> {
    let factors = &mut scratch.factors;
    factor(n, a, factors, counts)?;
    out.copy_from_slice(b);
    half(n, factors, out);
    finite(out)
}

/// Overwrites `x` by `D^-1/2 L^-1 x`.
pub(crate) fn half(n: usize, factors: &[f64], x: &mut [f64]) {
    let r = x.len().checked_div(n).unwrap_or(0);
    forward(n, r, factors, x);
    for i in 0..n {
        let root = factors[i * n + i].sqrt();
        for value in &mut x[i * r..(i + 1) * r] {
            *value /= root;
        }
    }
}

/// Writes `L` (unit, below the diagonal) and `D` (on it) if every pivot passes `admissible(pivot, size)`,
/// where `size` is the pivot computed with absolute values.
pub(crate) fn factor(
    n: usize,
    a: &[f64],
    factors: &mut Vec<f64>,
    admissible: impl Fn(f64, f64) -> bool,
) -> Result<(), Unsolved> {
    if n > SMALL {
        return factor_by_columns(n, a, factors, admissible);
    }
    refill(factors, a.iter().copied());
    for j in 0..n {
        let mut pivot = factors[j * n + j];
        let mut size = pivot.abs();
        for k in 0..j {
            let term = factors[j * n + k] * factors[j * n + k] * factors[k * n + k];
            pivot -= term;
            size += term.abs();
        }
        if !admissible(pivot, size) {
            return Err(Unsolved::Singular { pivot: j });
        }
        factors[j * n + j] = pivot;
        for i in j + 1..n {
            let mut entry = factors[i * n + j];
            for k in 0..j {
                entry -= factors[i * n + k] * factors[j * n + k] * factors[k * n + k];
            }
            factors[i * n + j] = entry / pivot;
        }
    }
    Ok(())
}

/// Up to here rows lie near each other.
const SMALL: usize = 16;

/// The same operations in the same order, with the columns of `L` as rows meanwhile: the entries of a column are
/// computed side by side.
fn factor_by_columns(
    n: usize,
    a: &[f64],
    factors: &mut Vec<f64>,
    admissible: impl Fn(f64, f64) -> bool,
) -> Result<(), Unsolved> {
    refill(factors, (0..n * n).map(|k| a[(k % n) * n + k / n]));
    for j in 0..n {
        let (before, rest) = factors.split_at_mut(j * n);
        let mut pivot = rest[j];
        let column = &mut rest[j + 1..n];
        let mut size = pivot.abs();
        for (k, of_k) in before.chunks_exact(n).enumerate() {
            let term = of_k[j] * of_k[j] * of_k[k];
            pivot -= term;
            size += term.abs();
        }
        if !admissible(pivot, size) {
            return Err(Unsolved::Singular { pivot: j });
        }
        for (k, of_k) in before.chunks_exact(n).enumerate() {
            let (factor, diagonal) = (of_k[j], of_k[k]);
            let pairs = column.iter_mut().zip(&of_k[j + 1..]);
            pairs.for_each(|(entry, l)| *entry -= l * factor * diagonal);
        }
        column.iter_mut().for_each(|entry| *entry /= pivot);
        rest[j] = pivot;
    }
    for i in 0..n {
        for j in 0..i {
            factors[i * n + j] = factors[j * n + i];
        }
    }
    Ok(())
}

/// Overwrites `x` by `(L D L^T)^-1 x`.
pub(super) fn solve(n: usize, factors: &[f64], x: &mut [f64]) {
    let r = x.len().checked_div(n).unwrap_or(0);
    forward(n, r, factors, x);
    for i in 0..n {
        for value in &mut x[i * r..(i + 1) * r] {
            *value /= factors[i * n + i];
        }
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            subtract_row(x, r, i, k, factors[k * n + i]);
        }
    }
}

fn forward(n: usize, r: usize, factors: &[f64], x: &mut [f64]) {
    for i in 0..n {
        for k in 0..i {
            subtract_row(x, r, i, k, factors[i * n + k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{Numbers, distance, product, transpose};
    use super::*;

    #[test]
    fn a_positive_definite_system_is_solved_for_several_right_sides() {
        let mut numbers = Numbers(1);
        for n in 1..=12 {
            let root = numbers.matrix(n, n);
            let mut a = product(n, n, n, &root, &transpose(n, n, &root));
            (0..n).for_each(|i| a[i * n + i] += 1.0);
            let expected = numbers.matrix(n, 3);
            let b = product(n, n, 3, &a, &expected);
            let mut x = vec![0.0; 3 * n];
            ldlt(n, &a, &b, &mut x, &mut Scratch::default()).expect("positive definite");
            assert!(distance(&x, &expected) < 1e-13, "n = {n}");
        }
    }

    /// Large matrices are factored in another layout, with the same bits.
    #[test]
    fn the_layout_changes_no_bit() {
        let (mut numbers, n) = (Numbers(5), 23);
        let root = numbers.matrix(n, n);
        let mut a = product(n, n, n, &root, &transpose(n, n, &root));
        (0..n).for_each(|i| a[i * n + i] += 1.0);
        let mut by_columns = Vec::new();
        factor(n, &a, &mut by_columns, |pivot, size| {
            pivot > THRESHOLD * size
        })
        .expect("definite");
        let mut by_rows = a.clone();
        for j in 0..n {
            for i in j..n {
                let entry = (0..j).fold(by_rows[i * n + j], |entry, k| {
                    entry - by_rows[i * n + k] * by_rows[j * n + k] * by_rows[k * n + k]
                });
                let pivot = if i == j { 1.0 } else { by_rows[j * n + j] };
                by_rows[i * n + j] = entry / pivot;
            }
        }
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let pair = [&by_columns, &by_rows].map(|entries| entries[i * n + j].to_bits());
            assert_eq!(pair[0], pair[1], "{i} {j}");
        }
        a[7 * n + 7] = -1e3;
        let refused = factor(n, &a, &mut by_columns, |pivot, size| {
            pivot > THRESHOLD * size
        });
        assert_eq!(refused, Err(Unsolved::Singular { pivot: 7 }));
    }

    #[test]
    fn hilbert_s_matrix_of_order_four_has_its_known_inverse() {
        let a: Vec<f64> = (0..16).map(|k| 1.0 / (k / 4 + k % 4 + 1) as f64).collect();
        let unit: Vec<f64> = (0..16)
            .map(|k| f64::from(u8::from(k / 4 == k % 4)))
            .collect();
        let mut x = vec![0.0; 16];
        ldlt(4, &a, &unit, &mut x, &mut Scratch::default()).expect("positive definite");
        let inverse = [
            16.0, -120.0, 240.0, -140.0, -120.0, 1200.0, -2700.0, 1680.0, 240.0, -2700.0, 6480.0,
            -4200.0, -140.0, 1680.0, -4200.0, 2800.0,
        ];
        assert!(distance(&x, &inverse) < 1e-12);
    }

    #[test]
    fn what_is_not_positive_definite_is_refused_at_its_pivot() {
        let refuse = |a: &[f64], pivot| {
            let mut x = [0.0; 2];
            let answer = ldlt(2, a, &[1.0, 1.0], &mut x, &mut Scratch::default());
            assert_eq!(answer, Err(Unsolved::Singular { pivot }), "{a:?}");
        };
        refuse(&[1.0, 2.0, 2.0, 1.0], 1);
        refuse(&[0.0, 1.0, 1.0, 0.0], 0);
        refuse(&[1.0, 3.0, 3.0, 9.0], 1);
        refuse(&[0.3, 0.1, 0.1, 0.1 / 3.0], 1);
        refuse(&[f64::NAN, 0.0, 0.0, 1.0], 0);
    }

    #[test]
    fn half_a_solution_carries_the_norm_of_the_metric() {
        let a = [4.0, 1.0, 1.0, 3.0];
        let b = [1.0, 2.0];
        let mut half = [0.0; 2];
        half_solve(2, &a, &b, &mut half, &mut Scratch::default()).expect("positive definite");
        // b . A^-1 b = (3 - 4 + 16) / 11
        let norm = half[0] * half[0] + half[1] * half[1];
        assert!((norm - 15.0 / 11.0).abs() < 1e-15);
    }
}
