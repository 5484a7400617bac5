//! Eigenvalues of matrices whose entries have very different sizes, in twice the digits of a double.
//!
//! The QR iteration errs by the rounding of the largest entry. What is small beside that, as the slow motions of a stiff
//! system, is lost in doubles, though entries that are known each to a part of itself say what it is.

use super::double_double::{Complex, DoubleDouble};
use super::eigenvalues::{balance, is_nearly_singular};
use super::uncertainties::is_free_beside;
use nalgebra::DMatrix;

/// Where the rounding of entries is given, it is at least this part of the largest of their row.
const LAST_PLACES: f64 = 8.0 * f64::EPSILON;
/// Else they are known to this part of themselves and of the largest of their row.
const KNOWN: f64 = 1e-10;
const ROUNDING: f64 = 1e-14;
/// Steps of the QR iteration for an eigenvalue at most, and after so many without success another shift is tried.
const STEPS: usize = 60;
const STUCK: usize = 12;
/// An entry below the diagonal is 0 beside its neighbours on the diagonal.
const NEGLIGIBLE: f64 = 1e-31;
/// Imaginary parts below this part of the largest entry are rounding.
const REAL: f64 = 1e-28;
/// Steps of the iteration for a null vector.
const TURNS: usize = 4;
/// Components of vectors below this part of the largest are rounding; balancing would take them for small units.
const NO_COMPONENT: f64 = 1e-24;
/// What is left of two equal terms.
const CANCELLED: f64 = 1e-28;
/// A component of a null vector of at least this part of the largest may be eliminated by.
const LARGE: f64 = 0.1;

/// The eigenvalues, and how many of them are 0: so many as are given, or as the entries allow.
///
/// A null vector `u` replaces a unit vector `e_p` in the basis: `a_ij - u_i a_pj/u_p` for the others. Rows that are small
/// stay small, unlike by reflections. `None` where the iteration does not converge.
pub(super) fn precise(
    a: &DMatrix<f64>,
    rounding: &[f64],
    zeros: Option<usize>,
) -> Option<(Vec<(f64, f64)>, usize)> {
    let mut rest = Known::new(a, rounding);
    let mut found = 0;
    while !rest.entries.is_empty() && zeros.is_none_or(|zeros| found < zeros) {
        if zeros.is_none() && !rest.may_be_singular() {
            break;
        }
        let u = null_vector(&rest.entries)?;
        rest = rest.without(&u);
        found += 1;
    }
    let values = eigenvalues(&rest.entries)?;
    Some((values, found))
}

/// A balanced matrix, and what rounding may have added to each entry: one far below others of its row, in the units in
/// which the matrix was given, may be rounding itself, and balancing takes it for a small unit.
struct Known {
    entries: Vec<Vec<DoubleDouble>>,
    rounding: Vec<Vec<f64>>,
    /// And to which part of itself each entry is known.
    part: f64,
}

impl Known {
    fn new(a: &DMatrix<f64>, rounding: &[f64]) -> Known {
        let n = a.nrows();
        let rows: Vec<f64> = a.row_iter().map(|row| row.amax()).collect();
        let mut balanced = a.clone();
        let factors = balance(&mut balanced);
        let uncertainty = |i: usize, j: usize| {
            let least = match rounding.get(i * n + j) {
                Some(given) => given.max(LAST_PLACES * rows[i]),
                None => ROUNDING * rows[i],
            };
            least * factors[j] / factors[i]
        };
        Known {
            entries: table(n, |i, j| DoubleDouble::from(balanced[(i, j)])),
            rounding: table(n, uncertainty),
            part: if rounding.is_empty() { KNOWN } else { 0.0 },
        }
    }

    /// Whether 0 is an eigenvalue as far as the matrix is known: by the rounding of the largest entry, and by that of each.
    fn may_be_singular(&self) -> bool {
        let n = self.entries.len();
        let mut rounded = DMatrix::from_fn(n, n, |i, j| self.entries[i][j].value());
        let factors = balance(&mut rounded);
        let known = DMatrix::from_fn(n, n, |i, j| {
            self.part * rounded[(i, j)].abs() + self.rounding[i][j] * factors[j] / factors[i]
        });
        let zero = nalgebra::Complex::new(0.0, 0.0);
        is_nearly_singular(&rounded) && !is_free_beside(&rounded, zero, &known)
    }

    /// The matrix on the quotient by a null vector.
    fn without(&self, u: &[DoubleDouble]) -> Known {
        let (n, a) = (self.entries.len(), &self.entries);
        let length = |i: usize| -> f64 { a[i].iter().map(|x| x.value().abs()).sum() };
        let usable = (0..n).filter(|i| u[*i].value().abs() >= LARGE);
        let p = usable
            .min_by(|i, j| length(*i).total_cmp(&length(*j)))
            .unwrap_or(0);
        let factors: Vec<DoubleDouble> = u.iter().map(|x| *x / u[p]).collect();
        let other = |i: usize| if i < p { i } else { i + 1 };
        let entry = |i: usize, j: usize| {
            let (i, j) = (other(i), other(j));
            let moved = factors[i] * a[p][j];
            let left = a[i][j] - moved;
            match left.value().abs() <= CANCELLED * moved.value().abs() {
                true => DoubleDouble::ZERO,
                false => left,
            }
        };
        let rounding = |i: usize, j: usize| {
            let (i, j) = (other(i), other(j));
            self.rounding[i][j] + factors[i].value().abs() * self.rounding[p][j]
        };
        Known {
            entries: table(n - 1, entry),
            rounding: table(n - 1, rounding),
            part: self.part,
        }
    }
}

fn table<T>(n: usize, entry: impl Fn(usize, usize) -> T) -> Vec<Vec<T>> {
    let row = |i: usize| (0..n).map(|j| entry(i, j)).collect();
    (0..n).map(row).collect()
}

/// What a nearly singular matrix takes to almost nothing: inverse iteration with `A^T A`.
fn null_vector(a: &[Vec<DoubleDouble>]) -> Option<Vec<DoubleDouble>> {
    let n = a.len();
    let transposed: Vec<Vec<DoubleDouble>> = (0..n)
        .map(|i| a.iter().map(|row| row[i]).collect())
        .collect();
    let start = |i: usize| DoubleDouble::from(1.0 + 0.1 * (i as f64 * 2.399_963).sin());
    let mut u: Vec<DoubleDouble> = (0..n).map(start).collect();
    for _ in 0..TURNS {
        let w = unit(solution(&transposed, u))?;
        u = unit(solution(a, w))?;
    }
    Some(u)
}

/// A vector divided by its largest component.
fn unit(x: Vec<DoubleDouble>) -> Option<Vec<DoubleDouble>> {
    let largest = x.iter().fold(DoubleDouble::ZERO, |most, x| {
        if x.abs().value() > most.value() {
            x.abs()
        } else {
            most
        }
    });
    let is_usable = largest.value().is_normal() && x.iter().all(|x| x.value().is_finite());
    let component = |x: DoubleDouble| match (x / largest).value().abs() < NO_COMPONENT {
        true => DoubleDouble::ZERO,
        false => x / largest,
    };
    is_usable.then(|| x.into_iter().map(component).collect())
}

/// `A^-1 b` by elimination with exchanges of rows; a pivot that vanishes is taken for rounding.
fn solution(a: &[Vec<DoubleDouble>], mut b: Vec<DoubleDouble>) -> Vec<DoubleDouble> {
    let n = a.len();
    let mut a = a.to_vec();
    let largest = a
        .iter()
        .flatten()
        .fold(0.0, |most: f64, x| most.max(x.value().abs()));
    let least = DoubleDouble::from(NEGLIGIBLE * largest);
    for k in 0..n {
        let size = |i: &usize| a[*i][k].value().abs();
        let pivot = (k..n)
            .max_by(|i, j| size(i).total_cmp(&size(j)))
            .unwrap_or(k);
        a.swap(k, pivot);
        b.swap(k, pivot);
        if a[k][k].value() == 0.0 {
            a[k][k] = least;
        }
        let (above, below) = a.split_at_mut(k + 1);
        let row = &above[k];
        for (i, other) in below.iter_mut().enumerate() {
            if other[k].value() == 0.0 {
                continue;
            }
            let factor = other[k] / row[k];
            (k + 1..n).for_each(|j| other[j] = other[j] - factor * row[j]);
            b[k + 1 + i] = b[k + 1 + i] - factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known = (k + 1..n).fold(b[k], |sum, j| sum - a[k][j] * b[j]);
        b[k] = known / a[k][k];
    }
    b
}

/// A rotation of two rows that takes the second of two numbers to 0.
#[derive(Clone, Copy)]
struct Rotation {
    c: Complex,
    s: Complex,
}

impl Rotation {
    fn of(a: Complex, b: Complex) -> Option<Rotation> {
        let length = (a.square() + b.square()).sqrt();
        (length.value() > 0.0).then(|| Rotation {
            c: a.over(length),
            s: b.over(length),
        })
    }

    fn of_rows(
        self,
        a: &mut [Vec<Complex>],
        k: usize,
        other: usize,
        columns: std::ops::Range<usize>,
    ) {
        for j in columns {
            let (x, y) = (a[k][j], a[other][j]);
            a[k][j] = self.c.conj() * x + self.s.conj() * y;
            a[other][j] = self.c * y - self.s * x;
        }
    }

    fn of_columns(
        self,
        a: &mut [Vec<Complex>],
        k: usize,
        other: usize,
        rows: std::ops::Range<usize>,
    ) {
        for row in &mut a[rows] {
            let (x, y) = (row[k], row[other]);
            row[k] = self.c * x + self.s * y;
            row[other] = self.c.conj() * y - self.s.conj() * x;
        }
    }
}

/// The eigenvalues of a real matrix, those that are not real in exact pairs.
fn eigenvalues(a: &[Vec<DoubleDouble>]) -> Option<Vec<(f64, f64)>> {
    let n = a.len();
    let mut h: Vec<Vec<Complex>> = (a.iter())
        .map(|row| row.iter().map(|x| Complex::from(*x)).collect())
        .collect();
    let largest = h
        .iter()
        .flatten()
        .fold(0.0, |most: f64, x| most.max(x.length()));
    for k in 0..n.saturating_sub(2) {
        for i in k + 2..n {
            if h[i][k] == Complex::ZERO {
                continue;
            }
            if let Some(rotation) = Rotation::of(h[k + 1][k], h[i][k]) {
                rotation.of_rows(&mut h, k + 1, i, k..n);
                rotation.of_columns(&mut h, k + 1, i, 0..n);
            }
        }
    }
    let values = by_qr(&mut h)?;
    in_pairs(&values, REAL * largest)
}

/// The eigenvalues of a Hessenberg matrix by the QR iteration with the shifts of Wilkinson [golub2013, sect. 7.5].
fn by_qr(h: &mut [Vec<Complex>]) -> Option<Vec<Complex>> {
    let mut values = Vec::new();
    let (mut end, mut steps) = (h.len(), 0);
    while end > 0 {
        let last = end - 1;
        let begin = (1..end)
            .rev()
            .find(|i| {
                let beside = h[i - 1][i - 1].length() + h[*i][*i].length();
                h[*i][i - 1].length() <= NEGLIGIBLE * beside
            })
            .unwrap_or(0);
        if begin == last {
            values.push(h[last][last]);
            (end, steps) = (last, 0);
            continue;
        }
        steps += 1;
        if steps > STEPS {
            return None;
        }
        let shift = match steps % STUCK {
            0 => h[last][last] + Complex::from(DoubleDouble::from(h[last][last - 1].length())),
            _ => shift(h, last),
        };
        step(h, begin..end, shift);
    }
    Some(values)
}

/// The eigenvalue of the last two rows and columns that is nearer to the last entry.
fn shift(h: &[Vec<Complex>], last: usize) -> Complex {
    let half = Complex::from(DoubleDouble::from(0.5));
    let (a, d) = (h[last - 1][last - 1], h[last][last]);
    let (mean, apart) = ((a + d) * half, (a - d) * half);
    let root = (apart * apart + h[last - 1][last] * h[last][last - 1]).sqrt();
    let (one, other) = (mean + root, mean - root);
    match (one - d).length() < (other - d).length() {
        true => one,
        false => other,
    }
}

/// `H - s = Q R`, `H <- R Q + s` for the rows and columns of a range.
fn step(h: &mut [Vec<Complex>], range: std::ops::Range<usize>, shift: Complex) {
    range.clone().for_each(|i| h[i][i] = h[i][i] - shift);
    let pairs = range.start..range.end - 1;
    let rotate = |k: usize| {
        let rotation = Rotation::of(h[k][k], h[k + 1][k])?;
        rotation.of_rows(h, k, k + 1, k..range.end);
        Some(rotation)
    };
    let rotations: Vec<Option<Rotation>> = pairs.clone().map(rotate).collect();
    for (k, rotation) in pairs.zip(rotations) {
        if let Some(rotation) = rotation {
            rotation.of_columns(h, k, k + 1, range.start..k + 2);
        }
    }
    range.for_each(|i| h[i][i] = h[i][i] + shift);
}

/// The numbers in doubles: real, or with the conjugate of each.
fn in_pairs(values: &[Complex], real: f64) -> Option<Vec<(f64, f64)>> {
    let all: Vec<(f64, f64)> = values
        .iter()
        .map(|z| (z.re.value(), z.im.value()))
        .collect();
    if !all.iter().all(|z| z.0.is_finite() && z.1.is_finite()) {
        return None;
    }
    let (mut upper, mut lower): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
    let mut pairs = Vec::new();
    for (re, im) in all {
        match im {
            im if im > real => upper.push((re, im)),
            im if im < -real => lower.push((re, im)),
            _ => pairs.push((re, 0.0)),
        }
    }
    for (re, im) in upper {
        let gap = |z: &(f64, f64)| (z.0 - re).hypot(z.1 + im);
        let nearest = (0..lower.len()).min_by(|i, j| gap(&lower[*i]).total_cmp(&gap(&lower[*j])));
        lower.swap_remove(nearest?);
        pairs.extend([(re, im), (re, -im)]);
    }
    lower.is_empty().then_some(pairs)
}
