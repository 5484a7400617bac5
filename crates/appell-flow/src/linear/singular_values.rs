//! Singular values by rotations of rows.

/// The singular values of a `rows x cols` matrix, largest first, `rows` of them (zeros where
/// `rows > cols`).
///
/// One-sided Jacobi rotations (Hestenes 1958) make the rows orthogonal; their lengths are the singular
/// values. Small ones keep their relative accuracy where the rows differ in scale only.
/// An undefined entry gives undefined values.
pub fn singular_values(rows: usize, cols: usize, values: &[f64]) -> Vec<f64> {
    let mut a = values.to_vec();
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for i in 0..rows {
            for j in i + 1..rows {
                rotated |= rotate(&mut a, cols, i, j);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut lengths: Vec<f64> = (0..rows).map(|i| inner(&a, cols, i, i).sqrt()).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    lengths.reverse();
    lengths
}

/// Six sweeps reach double precision in practice.
const SWEEPS: usize = 30;

fn inner(a: &[f64], cols: usize, i: usize, j: usize) -> f64 {
    (0..cols).map(|c| a[i * cols + c] * a[j * cols + c]).sum()
}

/// Makes rows `i` and `j` orthogonal; false if they are.
fn rotate(a: &mut [f64], cols: usize, i: usize, j: usize) -> bool {
    let (p, q, s) = (
        inner(a, cols, i, i),
        inner(a, cols, i, j),
        inner(a, cols, j, j),
    );
    let oblique = q.abs() > f64::EPSILON * (p * s).sqrt();
    if !oblique {
        return false;
    }
    let zeta = (s - p) / (2.0 * q);
    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    for c in 0..cols {
        let (x, y) = (a[i * cols + c], a[j * cols + c]);
        a[i * cols + c] = cosine * x - sine * y;
        a[j * cols + c] = sine * x + cosine * y;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::check::Numbers;
    use super::*;

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
