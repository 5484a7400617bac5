//! The signs of a symmetric matrix.

use super::THRESHOLD;
use super::max_norm;
use nalgebra::DMatrix;

/// How many eigenvalues are positive, negative, zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inertia {
    /// Positive ones.
    pub positive: usize,
    /// Negative ones.
    pub negative: usize,
    /// Those below [`THRESHOLD`] times the largest, after scaling the diagonal to 1.
    pub zero: usize,
}

/// The inertia of a finite symmetric `n x n` matrix (Sylvester: it survives the scaling, which
/// makes it independent of the units of the coordinates).
pub fn inertia(n: usize, a: &[f64]) -> Inertia {
    let scale: Vec<f64> = (0..n)
        .map(|i| {
            let size = (0..n).fold(a[i * n + i].abs(), |s, j| s.max(a[i * n + j].abs() * 1e-3));
            if size > 0.0 { 1.0 / size.sqrt() } else { 1.0 }
        })
        .collect();
    let scaled = DMatrix::from_fn(n, n, |i, j| a[i * n + j] * scale[i] * scale[j]);
    let eigenvalues = scaled.symmetric_eigenvalues();
    let largest = max_norm(eigenvalues.iter());
    let count = |test: fn(f64) -> bool| {
        eigenvalues
            .iter()
            .filter(|x| x.abs() > THRESHOLD * largest && test(**x))
            .count()
    };
    let (positive, negative) = (count(|x| x > 0.0), count(|x| x < 0.0));
    Inertia {
        positive,
        negative,
        zero: n - positive - negative,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_do_not_depend_on_units() {
        let signs = |a: &[f64]| {
            let Inertia {
                positive,
                negative,
                zero,
            } = inertia(2, a);
            (positive, negative, zero)
        };
        assert_eq!(signs(&[1.0, 0.0, 0.0, 1e-14]), (2, 0, 0));
        assert_eq!(signs(&[1.0, 0.0, 0.0, -1e9]), (1, 1, 0));
        assert_eq!(signs(&[1.0, 1.0, 1.0, 1.0]), (1, 0, 1));
        assert_eq!(signs(&[0.0, 2.0, 2.0, 0.0]), (1, 1, 0));
        assert_eq!(signs(&[0.0; 4]), (0, 0, 2));
    }
}
