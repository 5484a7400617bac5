//! Singular values by rotations of rows.

/// The singular values of a `rows x cols` matrix, largest first, `rows` of them (zeros where
/// `rows > cols`).
///
/// One-sided Jacobi rotations (Hestenes 1958) make the rows orthogonal; their lengths are the singular
/// values. Small ones keep their relative accuracy where the rows differ in scale only.
/// An undefined entry gives undefined values.
pub fn singular_values(rows: usize, cols: usize, values: &[f64]) -> Vec<f64> {
    let mut a = values.to_vec();
    orthogonalise(&mut a, rows, cols, cols);
    let mut lengths: Vec<f64> = (0..rows)
        .map(|i| inner(&a, (cols, cols), i, i).sqrt())
        .collect();
    lengths.sort_by(|a, b| b.total_cmp(a));
    lengths
}

/// The equations `A x = b` with orthogonal rows: the same equations rotated, so that each says one number of `x`, its right
/// side over the length of its row. `equations` has the rows of `A`, each with its entry of `b` behind it.
pub fn orthogonal_rows(rows: usize, cols: usize, equations: &[f64]) -> Vec<f64> {
    let mut a = equations.to_vec();
    orthogonalise(&mut a, rows, cols, cols + 1);
    a
}

/// Rotates rows of `width` entries until the first `cols` of each are orthogonal to those of every other.
fn orthogonalise(a: &mut [f64], rows: usize, cols: usize, width: usize) {
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for i in 0..rows {
            for j in i + 1..rows {
                rotated |= rotate(a, (cols, width), i, j);
            }
        }
        if !rotated {
            break;
        }
    }
}

/// Six sweeps reach double precision in practice.
const SWEEPS: usize = 30;

/// The inner product of the first `cols` entries of two rows of `width`.
fn inner(a: &[f64], (cols, width): (usize, usize), i: usize, j: usize) -> f64 {
    (0..cols).map(|c| a[i * width + c] * a[j * width + c]).sum()
}

/// Makes rows `i` and `j` orthogonal; false if they are.
fn rotate(a: &mut [f64], (cols, width): (usize, usize), i: usize, j: usize) -> bool {
    let of = |i: usize, j: usize| inner(a, (cols, width), i, j);
    let (p, q, s) = (of(i, i), of(i, j), of(j, j));
    let oblique = q.abs() > f64::EPSILON * (p * s).sqrt();
    if !oblique {
        return false;
    }
    let zeta = (s - p) / (2.0 * q);
    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    for c in 0..width {
        let (x, y) = (a[i * width + c], a[j * width + c]);
        a[i * width + c] = cosine * x - sine * y;
        a[j * width + c] = sine * x + cosine * y;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::check::Numbers;
    use super::*;

    #[test]
    fn equations_with_orthogonal_rows_have_the_same_solution() {
        let mut numbers = Numbers(11);
        let (a, x) = (numbers.matrix(3, 5), numbers.matrix(5, 1));
        let b = product_of(&a, &x);
        let equations: Vec<f64> = (0..3)
            .flat_map(|i| [&a[5 * i..5 * i + 5], &b[i..=i]].concat())
            .collect();
        let turned = orthogonal_rows(3, 5, &equations);
        for (i, row) in turned.chunks(6).enumerate() {
            let left: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((left - row[5]).abs() < 1e-14, "{row:?}");
            for other in turned.chunks(6).skip(i + 1) {
                let inner: f64 = row[..5].iter().zip(other).map(|(a, b)| a * b).sum();
                assert!(inner.abs() < 1e-14, "{row:?} {other:?}");
            }
        }
    }

    fn product_of(a: &[f64], x: &[f64]) -> Vec<f64> {
        a.chunks(x.len())
            .map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
            .collect()
    }

    #[test]
    fn known_values_are_found() {
        let close = |a: &[f64], b: &[f64]| {
            assert_eq!(a.len(), b.len());
            a.iter()
                .zip(b)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{a} {b}"));
        };
        close(
            &singular_values(2, 2, &[3.0, 0.0, 4.0, 5.0]),
            &[45f64.sqrt(), 5f64.sqrt()],
        );
        close(&singular_values(1, 3, &[1.0, 2.0, 2.0]), &[3.0]);
        close(&singular_values(3, 1, &[1.0, 2.0, 2.0]), &[3.0, 0.0, 0.0]);
        close(&singular_values(0, 3, &[]), &[]);
        // equal rows, a tiny one, and the golden ratio of a shear
        close(&singular_values(2, 2, &[1.0, 1.0, 1.0, 1.0]), &[2.0, 0.0]);
        let golden = (1.0 + 5f64.sqrt()) / 2.0;
        close(
            &singular_values(2, 2, &[1.0, 1.0, 0.0, 1.0]),
            &[golden, 1.0 / golden],
        );
    }

    #[test]
    fn they_agree_with_the_library_s() {
        let mut numbers = Numbers(6);
        for (rows, cols) in [(2, 5), (4, 4), (5, 9), (6, 3)] {
            let a = numbers.matrix(rows, cols);
            let mut theirs = nalgebra::DMatrix::from_row_slice(rows, cols, &a)
                .singular_values()
                .as_slice()
                .to_vec();
            theirs.sort_by(|a, b| b.total_cmp(a));
            for (ours, theirs) in singular_values(rows, cols, &a).iter().zip(&theirs) {
                assert!((ours - theirs).abs() < 1e-13);
            }
        }
    }
}
