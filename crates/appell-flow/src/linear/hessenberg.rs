//! Matrices of many unknowns in Hessenberg form, for systems with many shifts.

use nalgebra::linalg::Hessenberg;
use nalgebra::{Complex, DMatrix, DVector};

/// `A = Q H Q^T` with `Q` orthogonal and no entries of `H` below those next to the diagonal: a system with `A - z` takes
/// some n^2 operations for each `z` [golub2013, sect. 7.4].
pub(super) struct HessenbergForm {
    q: DMatrix<f64>,
    h: DMatrix<f64>,
}

/// `H - z = N U` by elimination with exchange of neighbouring rows.
pub(super) struct Factors<'r> {
    reduced: &'r HessenbergForm,
    n: usize,
    /// Row after row, above the diagonal.
    u: Vec<Complex<f64>>,
    /// Whether two rows were exchanged, and then how much of the upper was taken from the lower.
    steps: Vec<(bool, Complex<f64>)>,
}

impl HessenbergForm {
    pub fn new(a: &DMatrix<f64>) -> Self {
        let (q, h) = Hessenberg::new(a.clone()).unpack();
        Self { q, h }
    }

    /// The factors of `H - z`.
    pub fn shifted(&self, z: Complex<f64>) -> Factors<'_> {
        let n = self.h.nrows();
        let mut u = vec![Complex::new(0.0, 0.0); n * n];
        for i in 0..n {
            for j in i.saturating_sub(1)..n {
                u[i * n + j] = Complex::new(self.h[(i, j)], 0.0);
            }
            u[i * n + i] -= z;
        }
        let mut steps = Vec::with_capacity(n.saturating_sub(1));
        for k in 0..n.saturating_sub(1) {
            let (above, below) = u.split_at_mut((k + 1) * n);
            let (upper, lower) = (&mut above[k * n + k..], &mut below[k..n]);
            let exchanged = lower[0].norm_sqr() > upper[0].norm_sqr();
            if exchanged {
                upper.swap_with_slice(lower);
            }
            let part = lower[0] / upper[0];
            lower
                .iter_mut()
                .zip(upper)
                .for_each(|(x, y)| *x -= part * *y);
            steps.push((exchanged, part));
        }
        Factors {
            reduced: self,
            n,
            u,
            steps,
        }
    }

    /// `Q^T x`, `Q x`.
    fn turned(&self, x: &DVector<Complex<f64>>, back: bool) -> DVector<Complex<f64>> {
        let [re, im] = [x.map(|x| x.re), x.map(|x| x.im)].map(|part| match back {
            true => &self.q * part,
            false => self.q.tr_mul(&part),
        });
        re.zip_map(&im, Complex::new)
    }
}

impl Factors<'_> {
    /// `(A - z)^-1 b`; not finite where `z` is an eigenvalue to the last digit.
    pub fn solve(&self, b: &DVector<Complex<f64>>) -> DVector<Complex<f64>> {
        let mut x = self.reduced.turned(b, false);
        for (k, (exchanged, part)) in self.steps.iter().enumerate() {
            if *exchanged {
                x.swap_rows(k, k + 1);
            }
            let multiple = part * x[k];
            x[k + 1] -= multiple;
        }
        for i in (0..self.n).rev() {
            let row = &self.u[i * self.n..(i + 1) * self.n];
            let others: Complex<f64> = (i + 1..self.n).map(|j| row[j] * x[j]).sum();
            x[i] = (x[i] - others) / row[i];
        }
        self.reduced.turned(&x, true)
    }

    /// `(A - z)^-H b`.
    pub fn solve_adjoint(&self, b: &DVector<Complex<f64>>) -> DVector<Complex<f64>> {
        let mut x = self.reduced.turned(b, false);
        for i in 0..self.n {
            let row = &self.u[i * self.n..(i + 1) * self.n];
            let entry = x[i] / row[i].conj();
            x[i] = entry;
            (i + 1..self.n).for_each(|j| x[j] -= row[j].conj() * entry);
        }
        for (k, (exchanged, part)) in self.steps.iter().enumerate().rev() {
            let multiple = part.conj() * x[k + 1];
            x[k] -= multiple;
            if *exchanged {
                x.swap_rows(k, k + 1);
            }
        }
        self.reduced.turned(&x, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::check::Numbers;

    #[test]
    fn solutions_are_those_of_the_matrix() {
        let mut random = Numbers(7);
        for n in [1, 2, 3, 8, 30] {
            let a = DMatrix::from_row_slice(n, n, &random.matrix(n, n));
            let numbers = random.matrix(2, n);
            let b = DVector::from_fn(n, |i, _| Complex::new(numbers[i], numbers[n + i]));
            let z = Complex::new(0.3, 1.7);
            let mut shifted = a.map(|x| Complex::new(x, 0.0));
            (0..n).for_each(|i| shifted[(i, i)] -= z);
            let reduced = HessenbergForm::new(&a);
            let factors = reduced.shifted(z);
            let gaps = [
                (&shifted * factors.solve(&b) - &b).norm(),
                (shifted.adjoint() * factors.solve_adjoint(&b) - &b).norm(),
            ];
            assert!(
                gaps.iter().all(|gap| *gap < 1e-11 * b.norm()),
                "{n}: {gaps:?}"
            );
        }
    }
}
