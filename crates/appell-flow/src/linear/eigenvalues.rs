//! Eigenvalues of small real matrices, with those at zero counted rather than computed.

use super::Unsolved;
use super::max_norm;
use super::precise_spectrum::precise;
use appell_expr::elementary;
use nalgebra::{DMatrix, DVector, SVD, Schur};

/// The eigenvalues of a real matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// `(re, im)` of those that are not exactly zero, by real, then imaginary part.
    pub values: Vec<(f64, f64)>,
    /// How many are zero.
    pub zeros: usize,
}

impl Spectrum {
    /// All of them, by real, then imaginary part.
    pub fn all(&self) -> Vec<(f64, f64)> {
        let zeros = std::iter::repeat_n((0.0, 0.0), self.zeros);
        let mut all: Vec<(f64, f64)> = self.values.iter().copied().chain(zeros).collect();
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        all
    }
}

/// A singular value below this times the largest is zero: the rounding of the matrix.
const ZERO: f64 = 1e-13;
/// Eigenvalues above the norm divided by this are known well enough in doubles; more digits are taken for others, where
/// there are not too many unknowns: that takes some hundred times longer.
const NARROW: f64 = 100.0;
const MANY: usize = 64;
/// More QR steps than this for each eigenvalue are a failure; three are usual.
const STEPS: usize = 60;
/// Attempts from other bases, where the QR iteration stands still.
const ATTEMPTS: usize = 4;
/// Sweeps of the balancing; few are needed.
const SWEEPS: usize = 40;

/// The spectrum of a finite row-major `n x n` matrix.
///
/// The matrix is balanced [golub2013, sect. 7.5]. A zero eigenvalue of multiplicity m in Jordan blocks is
/// moved by rounding as far as the m-th root of it, so zeros are taken out one by one: a null vector
/// `u` begins an orthonormal basis, in which the first column vanishes, and the rest of the matrix goes
/// on [golub1976, the deflation by null vectors]. They are as many as `zeros` says, or as singular values are negligible. The
/// others come from the real Schur form [golub2013, sect. 7.5]; where that would lose the small ones beside large entries,
/// all is computed in twice the digits.
///
/// # Errors
/// [`Unsolved::NotFinite`], also where the QR iteration does not converge.
pub fn spectrum(n: usize, a: &[f64], zeros: Option<usize>) -> Result<Spectrum, Unsolved> {
    match zeros {
        None => spectrum_beside(n, a, &[]),
        Some(_) => spectrum_of_block(n, a, &[], zeros),
    }
}

/// The same, where each entry is known to so much: 0 is an eigenvalue where that leaves it open. Without `rounding` it is
/// taken to be that of the largest entry of each row.
///
/// # Errors
/// As for [`spectrum`].
pub fn spectrum_beside(n: usize, a: &[f64], rounding: &[f64]) -> Result<Spectrum, Unsolved> {
    let parts = irreducible(n, a);
    if parts.len() < 2 {
        return spectrum_of_block(n, a, rounding, None);
    }
    let mut whole = Spectrum {
        values: Vec::new(),
        zeros: 0,
    };
    for part in parts {
        let [block, rounding] = [a, rounding].map(|all| block_of(n, all, &part));
        let spectrum = spectrum_of_block(part.len(), &block, &rounding, None)?;
        whole.values.extend(spectrum.values);
        whole.zeros += spectrum.zeros;
    }
    let values = Spectrum {
        zeros: 0,
        ..whole.clone()
    }
    .all();
    Ok(Spectrum { values, ..whole })
}

/// The entries of a diagonal block; none of no matrix.
pub(super) fn block_of(n: usize, a: &[f64], places: &[usize]) -> Vec<f64> {
    let entries = places
        .iter()
        .flat_map(|i| places.iter().filter_map(move |j| a.get(i * n + j)));
    entries.copied().collect()
}

/// The places of the irreducible diagonal blocks: of the unknowns of each every one depends on every other, through
/// entries that are not 0. The spectrum is that of the blocks, whatever their scales.
pub(super) fn irreducible(n: usize, a: &[f64]) -> Vec<Vec<usize>> {
    let reaches = reaches(n, a);
    let together = |i: usize, j: usize| reaches[i * n + j] && reaches[j * n + i];
    let first = |i: usize| (0..i).all(|j| !together(i, j));
    let blocks = (0..n).filter(|i| first(*i));
    blocks
        .map(|i| (0..n).filter(|j| together(i, *j)).collect())
        .collect()
}

/// Row by row, whether unknown i depends on unknown j, by itself or through others.
pub(super) fn reaches(n: usize, a: &[f64]) -> Vec<bool> {
    let mut reaches: Vec<bool> = (0..n * n).map(|k| a[k] != 0.0 || k / n == k % n).collect();
    for through in 0..n {
        for i in (0..n).filter(|i| *i != through) {
            if reaches[i * n + through] {
                (0..n).for_each(|j| reaches[i * n + j] |= reaches[through * n + j]);
            }
        }
    }
    reaches
}

fn spectrum_of_block(
    n: usize,
    a: &[f64],
    rounding: &[f64],
    zeros: Option<usize>,
) -> Result<Spectrum, Unsolved> {
    let largest = max_norm(a.iter());
    if !a.iter().all(|x| x.is_finite()) {
        return Err(Unsolved::NotFinite);
    }
    if largest == 0.0 {
        return Ok(Spectrum {
            values: Vec::new(),
            zeros: n,
        });
    }
    let scaled = DMatrix::from_fn(n, n, |i, j| a[i * n + j] / largest);
    let mut balanced = scaled.clone();
    balance(&mut balanced);
    let rough = in_doubles(&balanced, zeros);
    let is_enough = n > MANY
        || rough
            .as_ref()
            .is_some_and(|estimate| is_narrow(&balanced, estimate));
    let fine = (!is_enough).then(|| {
        let rounding: Vec<f64> = rounding.iter().map(|x| x / largest).collect();
        precise(&scaled, &rounding, zeros)
    });
    let (values, found) = fine.flatten().or(rough).ok_or(Unsolved::NotFinite)?;
    let spectrum = Spectrum {
        values: values
            .into_iter()
            .map(|(re, im)| (re * largest, im * largest))
            .collect(),
        zeros: 0,
    };
    Ok(Spectrum {
        values: spectrum.all(),
        zeros: found,
    })
}

/// The eigenvalues of a finite matrix where the digits of the small ones do not matter.
pub(crate) fn rough_eigenvalues(n: usize, a: &[f64]) -> Option<Vec<(f64, f64)>> {
    let mut balanced = DMatrix::from_fn(n, n, |i, j| a[i * n + j]);
    balance(&mut balanced);
    eigenvalues(balanced)
}

/// The eigenvalues, and how many are 0, by reflections.
fn in_doubles(a: &DMatrix<f64>, zeros: Option<usize>) -> Option<(Vec<(f64, f64)>, usize)> {
    let (size, mut rest) = (a.norm(), a.clone());
    let mut found = 0;
    while rest.nrows() > 0 && zeros.is_none_or(|zeros| found < zeros) {
        let (sigma, u) = least_direction(&rest)?;
        if zeros.is_none() && sigma > ZERO * size {
            break;
        }
        rest = without(&rest, &u);
        found += 1;
    }
    Some((eigenvalues(rest)?, found))
}

/// Whether all eigenvalues are so large that rounding of the largest entry takes nothing from them.
fn is_narrow(a: &DMatrix<f64>, (values, zeros): &(Vec<(f64, f64)>, usize)) -> bool {
    let least = values
        .iter()
        .map(|(re, im)| re.hypot(*im))
        .fold(f64::INFINITY, f64::min);
    *zeros == 0 && least * NARROW > a.norm()
}

/// A diagonal similarity by powers of two after which each row is about as long as its column; gives the factors of the
/// columns, whose inverses are those of the rows.
pub(super) fn balance(a: &mut DMatrix<f64>) -> Vec<f64> {
    let n = a.nrows();
    let mut factors = vec![1.0; n];
    for _ in 0..SWEEPS {
        let mut changed = false;
        for i in 0..n {
            let others = || (0..n).filter(|j| *j != i);
            let row: f64 = others().map(|j| a[(i, j)].abs()).sum();
            let column: f64 = others().map(|j| a[(j, i)].abs()).sum();
            let factor = (row / column).sqrt().log2().round().exp2();
            // Rows and columns of zeros stay as they are.
            if !factor.is_normal() || row / factor + column * factor >= 0.95 * (row + column) {
                continue;
            }
            a.row_mut(i).scale_mut(1.0 / factor);
            a.column_mut(i).scale_mut(factor);
            factors[i] *= factor;
            changed = true;
        }
        if !changed {
            break;
        }
    }
    factors
}

/// Whether the least singular value is the rounding of the largest entry.
pub(super) fn is_nearly_singular(a: &DMatrix<f64>) -> bool {
    least_direction(a).is_none_or(|(sigma, _)| sigma <= ZERO * a.norm())
}

/// The least singular value with its right vector of unit length.
fn least_direction(a: &DMatrix<f64>) -> Option<(f64, DVector<f64>)> {
    let svd = SVD::try_new(a.clone(), false, true, f64::EPSILON, 100 * a.nrows())?;
    let (place, sigma) = svd.singular_values.argmin();
    let u = svd.v_t?.row(place).transpose();
    let length = u.norm();
    (length.is_normal() && sigma.is_finite()).then(|| (sigma, u / length))
}

/// The matrix in an orthonormal basis that begins with `u`, without the first row and column.
fn without(a: &DMatrix<f64>, u: &DVector<f64>) -> DMatrix<f64> {
    let n = a.nrows();
    reflected(a, u).view((1, 1), (n - 1, n - 1)).into_owned()
}

/// `H a H` with the reflection `H` that takes the first unit vector to `u` or `-u`.
fn reflected(a: &DMatrix<f64>, u: &DVector<f64>) -> DMatrix<f64> {
    let mut w = u.clone();
    w[0] += if u[0] < 0.0 { -1.0 } else { 1.0 };
    let w = w.normalize();
    let left = a - &w * (w.transpose() * a) * 2.0;
    &left - (&left * &w) * w.transpose() * 2.0
}

/// The eigenvalues by the real Schur form; from another basis where that stands still, as it does
/// for permutations.
fn eigenvalues(a: DMatrix<f64>) -> Option<Vec<(f64, f64)>> {
    let n = a.nrows();
    if n == 0 {
        return Some(Vec::new());
    }
    let mut a = a;
    for attempt in 0..ATTEMPTS {
        if let Some(schur) = Schur::try_new(a.clone(), f64::EPSILON, STEPS * n) {
            let values = schur.complex_eigenvalues();
            let finite = values.iter().all(|x| x.re.is_finite() && x.im.is_finite());
            return finite.then(|| values.iter().map(|x| (x.re, x.im)).collect());
        }
        let angle = |i: usize| elementary::sin((attempt * n + i) as f64 * 2.399_963 + 0.5);
        a = reflected(&a, &DVector::from_fn(n, |i, _| angle(i)).normalize());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::check::{Numbers, product, transpose};
    use super::*;

    fn all(n: usize, a: &[f64]) -> Vec<(f64, f64)> {
        spectrum(n, a, None).expect("it converges").all()
    }

    fn assert_close(found: &[(f64, f64)], expected: &[(f64, f64)], tolerance: f64) {
        assert_eq!(found.len(), expected.len());
        for (x, y) in found.iter().zip(expected) {
            let distance = (x.0 - y.0).hypot(x.1 - y.1);
            assert!(distance <= tolerance * y.0.hypot(y.1).max(1.0), "{found:?}");
        }
    }

    /// `Q a Q^T` with a product of reflections `Q`.
    fn hidden(n: usize, a: &[f64], seed: u64) -> Vec<f64> {
        let mut numbers = Numbers(seed);
        let mut a = DMatrix::from_row_slice(n, n, a);
        for _ in 0..3 {
            let u = DVector::from_fn(n, |_, _| numbers.next()).normalize();
            a = reflected(&a, &u);
        }
        a.transpose().as_slice().to_vec()
    }

    #[test]
    fn known_spectra_are_found() {
        assert_close(
            &all(2, &[0.0, 1.0, -4.0, 0.0]),
            &[(0.0, -2.0), (0.0, 2.0)],
            1e-15,
        );
        assert_close(&all(1, &[-3.0]), &[(-3.0, 0.0)], 0.0);
        assert_eq!(all(0, &[]), []);
        assert_eq!(all(3, &[0.0; 9]), [(0.0, 0.0); 3]);
        // Companion matrix of (x - 1)(x - 2)(x - 3)(x - 4).
        let a = [
            10.0, -35.0, 50.0, -24.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0,
        ];
        let expected = [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)];
        assert_close(&all(4, &a), &expected, 1e-12);
    }

    #[test]
    fn permutations_do_not_stand_still() {
        let half = 0.75f64.sqrt();
        let three = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert_close(
            &all(3, &three),
            &[(-0.5, -half), (-0.5, half), (1.0, 0.0)],
            1e-14,
        );
        for n in 3..9 {
            let cycle: Vec<f64> = (0..n * n)
                .map(|place| f64::from(u8::from((place / n + 1) % n == place % n)))
                .collect();
            assert!(
                all(n, &cycle)
                    .iter()
                    .all(|x| (x.0.hypot(x.1) - 1.0).abs() < 1e-13)
            );
        }
    }

    /// Blocks at zero of sizes 3, 2, 1 beside other eigenvalues, in a basis that shows nothing.
    #[test]
    fn jordan_blocks_at_zero_are_exact() {
        let n = 10;
        let mut a = vec![0.0; n * n];
        for (i, j, x) in [
            (0, 1, 1.0),
            (1, 2, 2.0),
            (3, 4, 0.5),
            (6, 6, -2.0),
            (7, 7, 5.0),
        ] {
            a[i * n + j] = x;
        }
        (a[8 * n + 9], a[9 * n + 8], a[2 * n + 7], a[5 * n + 6]) = (3.0, -3.0, 4.0, -1.0);
        let expected: Vec<(f64, f64)> = [(-2.0, 0.0), (0.0, -3.0)]
            .into_iter()
            .chain([(0.0, 0.0); 6])
            .chain([(0.0, 3.0), (5.0, 0.0)])
            .collect();
        for seed in 1..20 {
            let hidden = hidden(n, &a, seed);
            let found = spectrum(n, &hidden, None).expect("it converges");
            assert_eq!(found.zeros, 6);
            let mut all = found.all();
            // Real parts at zero come in the order of their rounding.
            all.sort_by(|x, y| {
                (x.0.round(), x.1)
                    .partial_cmp(&(y.0.round(), y.1))
                    .expect("numbers")
            });
            assert_close(&all, &expected, 1e-13);
        }
    }

    #[test]
    fn small_eigenvalues_are_not_taken_for_zeros() {
        for small in [1e-3, 1e-8, 1e-11] {
            let a = hidden(3, &[small, 1.0, 0.0, 0.0, -1.0, 0.5, 0.0, 0.0, 2.0], 7);
            let found = spectrum(3, &a, None).expect("it converges");
            assert_eq!(found.zeros, 0);
            assert!((found.values[1].0 - small).abs() < 1e-15, "{found:?}");
        }
    }

    #[test]
    fn a_given_number_of_zeros_is_kept() {
        let a = hidden(
            4,
            &[
                0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-15, 1.0, 0.0, 0.0, 0.0, -1.0,
            ],
            3,
        );
        assert_eq!(spectrum(4, &a, None).expect("it converges").zeros, 3);
        let found = spectrum(4, &a, Some(2)).expect("it converges");
        assert_eq!((found.zeros, found.values.len()), (2, 2));
        assert_close(
            &found.all(),
            &[(-1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
            1e-14,
        );
    }

    /// `M x'' = -x - k (x - y) - d x'`, `m y'' = -k (y - x) - c (y - x)'`: what is slow is `x'' = -x - d x'` but for
    /// parts of `m/M`, and lost in the rounding of `k/m` unless more digits are taken. In coordinates `x`, `y - x`.
    #[test]
    fn slow_motions_beside_stiff_ones_keep_their_digits() {
        for (k, m, c, d) in [
            (1e5, 1e-6, 100.0, 2e-10),
            (1e9, 1e-6, 1.0, 0.1),
            (1e7, 1e-9, 0.0, -0.3),
        ] {
            #[rustfmt::skip]
            let a = [
                0.0, 0.0, 1.0, 0.0,
                0.0, 0.0, 0.0, 1.0,
                -1.0, k, -d, c,
                1.0, -k / m - k, d, -c / m - c,
            ];
            let found = all(4, &a);
            let slow: Vec<_> = found.iter().filter(|z| z.0.hypot(z.1) < 2.0).collect();
            assert_eq!(slow.len(), 2, "{found:?}");
            for z in slow {
                assert!((z.0 + d / 2.0).abs() < 2e-6 * (d.abs() + m), "{found:?}");
                assert!(
                    (z.1.abs() - (1.0 - d * d / 4.0).sqrt()).abs() < 1e-5,
                    "{found:?}"
                );
            }
        }
    }

    /// A force that pushes apart, beside a stiff spring: 0 is no eigenvalue, and one grows.
    #[test]
    fn small_eigenvalues_beside_stiff_entries_are_no_zeros() {
        let (k, m) = (1e7, 1e-9);
        for (s, expected) in [(-1.0, 0.904_987_562), (1.0, -0.1)] {
            #[rustfmt::skip]
            let a = [
                0.0, 0.0, 1.0, 0.0,
                0.0, 0.0, 0.0, 1.0,
                -s - k, k, -0.2, 0.0,
                k / m, -k / m, 0.0, 0.0,
            ];
            let found = spectrum(4, &a, None).expect("it converges");
            assert_eq!(found.zeros, 0, "{found:?}");
            let near = |z: &&(f64, f64)| (z.0 - expected).abs() < 1e-6;
            assert!(found.values.iter().any(|z| near(&z)), "{found:?}");
            // Without `s` there is a zero, and rounding of the stiff entries does not hide it.
            let mut free = a;
            free[8] = -k;
            assert_eq!(spectrum(4, &free, None).expect("it converges").zeros, 1);
        }
    }

    /// `x'' = y - x`, `y'' = x - 2 y + z`, `z'' = y - z`: all may move together.
    #[test]
    fn a_free_chain_has_a_jordan_block_of_zeros() {
        #[rustfmt::skip]
        let a = [
            0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
            -1.0, 1.0, 0.0, 0.0, 0.0, 0.0,
            1.0, -2.0, 1.0, 0.0, 0.0, 0.0,
            0.0, 1.0, -1.0, 0.0, 0.0, 0.0,
        ];
        assert_eq!(spectrum(6, &a, None).expect("it converges").zeros, 2);
    }

    /// Rounding that couples what is not coupled is no small unit: without it 0 is an eigenvalue.
    #[test]
    fn entries_that_are_rounding_hide_no_zero() {
        #[rustfmt::skip]
        let a = [
            4e-16, 0.0, 2.8, 0.0, 0.07,
            0.0, 0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 1.0,
            -1.2e-15, 9.5, -8.6, -0.3, -1.0,
            -2.8e-15, 11.7, 13.2, 11.0, -9.3,
        ];
        assert_eq!(spectrum(5, &a, None).expect("it converges").zeros, 1);
    }

    /// Units of coordinates change rows and columns, not eigenvalues.
    #[test]
    fn units_do_not_matter() {
        let mut numbers = Numbers(11);
        let n = 6;
        let a = numbers.matrix(n, n);
        let units = [1.0, 1e6, 1e-9, 1e3, 1e-4, 1e8];
        let scaled: Vec<f64> = (0..n * n)
            .map(|place| a[place] * units[place / n] / units[place % n])
            .collect();
        assert_close(&all(n, &scaled), &all(n, &a), 1e-13);
    }

    #[test]
    fn no_finite_matrix_panics_or_loops() {
        let mut numbers = Numbers(8);
        for n in 1..8 {
            for power in [-308, -150, 0, 150, 307] {
                let scale = 10f64.powi(power);
                let a: Vec<f64> = numbers.matrix(n, n).iter().map(|x| x * scale).collect();
                let _ = spectrum(n, &a, None);
                let mixed: Vec<f64> = (0..n * n)
                    .map(|i| numbers.next() * 10f64.powf(300.0 * numbers.next()) * (i % 3) as f64)
                    .collect();
                let _ = spectrum(n, &mixed, None);
            }
            let thin = numbers.matrix(n, 1);
            let rank_one = product(n, 1, n, &thin, &transpose(n, 1, &thin));
            assert_eq!(spectrum(n, &rank_one, None).expect("finite").zeros, n - 1);
        }
        assert_eq!(spectrum(1, &[f64::NAN], None), Err(Unsolved::NotFinite));
        assert_eq!(
            spectrum(1, &[f64::INFINITY], None),
            Err(Unsolved::NotFinite)
        );
    }
}
