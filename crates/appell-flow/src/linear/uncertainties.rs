//! How well the eigenvalues of a matrix are known, where its entries are known to a part of themselves.

use super::eigenvalues::balance;
use super::hessenberg::HessenbergForm;
use appell_expr::limits::look;
use nalgebra::{Complex, DMatrix, DVector};
use std::f64::consts::TAU;

/// Steps of inverse iteration; the first gives the digits.
const TURNS: usize = 3;
/// Matrices of more unknowns are brought to Hessenberg form: elimination for each eigenvalue would take n^4 operations. In
/// smaller ones large entries must not hide small ones.
const MANY: usize = 64;
/// Shifts from an eigenvalue that are tried, each four times the one before: at some the shifted matrix is singular
/// to the last digit.
const SHIFTS: i32 = 12;
/// Places on a circle at which it is seen whether an eigenvalue may come there.
const PLACES: usize = 16;
/// Radii of circles that are tried, each twice the one before.
const RADII: i32 = 64;
/// Between the places of a circle the bound may be as many times larger.
const BETWEEN: f64 = 2.0;

/// How far each of these eigenvalues moves at most if every entry changes by this part of itself; infinite where that
/// is not known. One that is nearly multiple changes by far less than its [`condition`] says, as the root of the change:
/// it stays within the smallest circle found that no eigenvalue of such a matrix can cross.
pub(super) fn uncertainties(n: usize, a: &[f64], values: &[(f64, f64)], part: f64) -> Vec<f64> {
    let a = balanced(n, a);
    let reduced = (n > MANY).then(|| HessenbergForm::new(&a));
    let of = |re: f64, im: f64| {
        look();
        let first = part * condition(&a, reduced.as_ref(), (re, im));
        let size = re.hypot(im);
        match size > 0.0 && first > part.sqrt() * size {
            true => radius(&a, (re, im), part).map_or(first, |radius| radius.min(first)),
            false => first,
        }
    };
    // What is known of an eigenvalue is known of its conjugate.
    let mut last = None;
    let known = values.iter().map(|&(re, im)| {
        let place = (re, im.abs());
        match last {
            Some((before, known)) if before == place => known,
            _ => last.insert((place, of(re, im))).1,
        }
    });
    known.collect()
}

fn balanced(n: usize, a: &[f64]) -> DMatrix<f64> {
    let mut a = DMatrix::from_fn(n, n, |i, j| a[i * n + j]);
    balance(&mut a);
    a
}

/// By how much an eigenvalue changes, to first order, if every entry changes by a small part of itself, relative to that
/// part: `|y|^T |A| |x| / |y^H x|` with the right and left eigenvectors, by inverse iteration
/// [golub2013, sect. 7.2, 7.6]. It is large for eigenvalues that are nearly multiple.
fn condition(a: &DMatrix<f64>, reduced: Option<&HessenbergForm>, (re, im): (f64, f64)) -> f64 {
    let n = a.nrows();
    let vectors = |power: i32| {
        let shift = f64::EPSILON * a.norm() * 4f64.powi(power);
        let z = Complex::new(re + shift, im);
        if let Some(reduced) = reduced {
            let factors = reduced.shifted(z);
            let right = null_vector(n, |x| Some(factors.solve(x)))?;
            return Some((right, null_vector(n, |x| Some(factors.solve_adjoint(x)))?));
        }
        let shifted = shifted(a, z);
        let (right, left) = (shifted.clone().lu(), shifted.adjoint().lu());
        let right = null_vector(n, |x| right.solve(x))?;
        Some((right, null_vector(n, |x| left.solve(x))?))
    };
    let Some((x, y)) = (0..SHIFTS).find_map(vectors) else {
        return f64::INFINITY;
    };
    let (left, right) = (y.map(|z| z.norm()), x.map(|z| z.norm()));
    let moved = (left.transpose() * a.abs() * right)[(0, 0)];
    let found = moved / y.dotc(&x).norm();
    if found.is_nan() { f64::INFINITY } else { found }
}

/// `A - z`.
fn shifted(a: &DMatrix<f64>, z: Complex<f64>) -> DMatrix<Complex<f64>> {
    let mut m = a.map(|x| Complex::new(x, 0.0));
    (0..a.nrows()).for_each(|i| m[(i, i)] -= z);
    m
}

/// What a matrix of n unknowns that is nearly singular nearly takes to 0, by inverse iteration; `solve` solves its systems.
fn null_vector(
    n: usize,
    solve: impl Fn(&DVector<Complex<f64>>) -> Option<DVector<Complex<f64>>>,
) -> Option<DVector<Complex<f64>>> {
    let start = |i: usize, _| Complex::new(1.0, 0.1 * (i as f64 * 2.399_963).sin());
    let mut x = DVector::from_fn(n, start);
    for _ in 0..TURNS {
        x = solve(&x)?;
        let length = x.norm();
        if !length.is_normal() {
            return None;
        }
        x /= Complex::new(length, 0.0);
    }
    Some(x)
}

/// The smallest radius of those tried of a circle around `z` that no eigenvalue can cross.
fn radius(a: &DMatrix<f64>, (re, im): (f64, f64), part: f64) -> Option<f64> {
    let least = part * re.hypot(im);
    let mut radii = (0..RADII).map(|power| least * 2f64.powi(power));
    let place = |radius: f64, k: usize| {
        let angle = TAU * (k as f64 + 0.5) / PLACES as f64;
        Complex::new(re + radius * angle.cos(), im + radius * angle.sin())
    };
    radii.find(|radius| (0..PLACES).all(|k| is_free(a, place(*radius, k), part)))
}

/// Whether `z` is no eigenvalue of any matrix whose entries differ from those of `A` by no more than this part of
/// themselves.
fn is_free(a: &DMatrix<f64>, z: Complex<f64>, part: f64) -> bool {
    is_free_beside(a, z, &(a.abs() * part))
}

/// Whether `z` is no eigenvalue of any matrix whose entries differ from those of `A` by no more than those of `D`:
/// `rho(|(A - z)^-1| D) < 1`. That is so where elimination of `1 - |(A - z)^-1| D` meets positive pivots only.
pub(super) fn is_free_beside(a: &DMatrix<f64>, z: Complex<f64>, d: &DMatrix<f64>) -> bool {
    // Cofactors, which small matrices are inverted by otherwise, cancel where the rank is low.
    let Some(inverse) = shifted(a, z).lu().try_inverse() else {
        return false;
    };
    let n = a.nrows();
    let moved = inverse.map(|z| z.norm()) * d * BETWEEN;
    let mut m = DMatrix::identity(n, n) - moved;
    for k in 0..n {
        let pivot = m[(k, k)];
        // NaN is no positive pivot.
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        for i in k + 1..n {
            let factor = m[(i, k)] / pivot;
            (k + 1..n).for_each(|j| m[(i, j)] -= factor * m[(k, j)]);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::spectrum;
    use super::*;

    fn all(n: usize, a: &[f64]) -> Vec<(f64, f64)> {
        spectrum(n, a, None).expect("it converges").all()
    }

    fn conditions(n: usize, a: &[f64], values: &[(f64, f64)]) -> Vec<f64> {
        let a = balanced(n, a);
        values
            .iter()
            .map(|value| condition(&a, None, *value))
            .collect()
    }

    /// Of a symmetric matrix each condition is its eigenvalue's own size; blocks of very different scales do not touch
    /// each other; that of a nearly double eigenvalue is large.
    #[test]
    fn conditions_tell_what_is_known_of_eigenvalues() {
        let (n, a) = (
            4,
            [
                0.0, 1.0, 0.0, 0.0, -1e12, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1e-3, 0.0,
            ],
        );
        let values = all(n, &a);
        let found = conditions(n, &a, &values);
        for (condition, (re, im)) in found.iter().zip(&values) {
            assert!((condition / re.hypot(*im) - 1.0).abs() < 1e-6, "{found:?}");
        }
        let near = conditions(2, &[0.0, 1.0, 1e-12, 0.0], &[(1e-6, 0.0), (-1e-6, 0.0)]);
        assert!(
            near.iter().all(|c| (c / 1e-6 - 1.0).abs() < 1e-3),
            "{near:?}"
        );
        let double = conditions(2, &[0.5, 0.5, -0.5, 1.5], &[(1.0 + 1e-8, 0.0)]);
        assert!(double[0] > 1e6, "{double:?}");
    }

    /// Eigenvalues of a few digits, at which the shifted matrix may be singular to the last of them.
    #[test]
    fn a_simple_eigenvalue_has_a_condition_wherever_it_is() {
        for square in 1..200 {
            let square = f64::from(square) / 4.0;
            let a = [0.0, 1.0, square, 0.0];
            let values = all(2, &a);
            for (condition, (re, _)) in conditions(2, &a, &values).iter().zip(&values) {
                assert!(
                    (condition / re.abs() - 1.0).abs() < 1e-6,
                    "{square}: {condition}"
                );
            }
        }
    }

    /// Double eigenvalues move by the root of a change, triple ones by its cubic root.
    #[test]
    fn multiple_eigenvalues_are_known_to_a_root() {
        for sign in [1.0, -1.0] {
            let double = [0.0, 1.0, -1.0, 2.0 * sign];
            for known in uncertainties(2, &double, &all(2, &double), 1e-9) {
                assert!((3e-5..1e-3).contains(&known), "{known:e}");
            }
            let triple = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, sign, -3.0, 3.0 * sign];
            for known in uncertainties(3, &triple, &all(3, &triple), 1e-9) {
                assert!((1e-3..2e-2).contains(&known), "{known:e}");
            }
        }
    }

    /// Real parts that a change of the entries may take to the other side stay open.
    #[test]
    fn what_may_change_its_sign_is_not_known() {
        let a = [0.0, 1.0, -1e-12, 1e-20];
        let values = all(2, &a);
        for (known, (re, _)) in uncertainties(2, &a, &values, 1e-9).iter().zip(&values) {
            assert!(known >= &re.abs(), "{known:e} {re:e}");
        }
    }
}
