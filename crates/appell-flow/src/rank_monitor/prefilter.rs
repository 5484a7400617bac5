//! The prefilter of the rank monitor: cheap, and sufficient where nothing is near.

use crate::evaluation::{EvalError, Workspace};
use crate::field::{Field, evaluate};
use crate::interpolant::Interpolant;
use crate::linear::{THRESHOLD, factor, half};
use crate::motion::MonitoredRows;
use crate::rules::{PARTS, SINGULAR};
use nalgebra::DMatrix;

/// Where `s` stays above this, roots of the eigenvalues of `A M^-1 A^T` are its singular values to more
/// digits than the comparisons need, and the error of a cubic between the ends of a step is small.
const FAR: f64 = 1e-2;
/// A zero between two places is looked for where this many times the steepest slope seen could carry `s`
/// there; [`RankMonitor::examine`](crate::rank_monitor::RankMonitor::examine) does so with half of it.
const STEEP: f64 = 4.0;
/// Above this order Jacobi's rotations cost more than a reduction to tridiagonal form.
const ROTATED: usize = 8;
/// Rows that turn by less than sixty degrees between two places have not jumped.
const TURN: f64 = 0.5;

/// How rows and metric are scaled before they are measured.
pub(super) struct Scaling<'m> {
    /// Whether directions without inertia are given the mean one.
    pub is_lifted: bool,
    /// The units of the coordinates.
    pub units: &'m [f64],
    /// What each row is multiplied with.
    pub weights: &'m [f64],
    /// A longer row counts as so long.
    pub most: f64,
}

/// The constraints at some places of a step, with room for the computation.
pub(crate) struct Prefilter {
    rows: usize,
    columns: usize,
    samples: [Sample; PARTS + 1],
    /// The time of the last sample, so that it need not be had again where the next step begins.
    first: Option<f64>,
    last: Option<f64>,
    state: Vec<f64>,
    jacobian: Vec<f64>,
    metric: Vec<f64>,
    factored: Vec<f64>,
    factors: Vec<f64>,
    /// Nearly the direction in which `A M^-1 A^T` is largest.
    direction: Vec<f64>,
    product: Vec<f64>,
    triangle: Vec<f64>,
}

/// One place.
#[derive(Default, Clone)]
struct Sample {
    /// The lower triangle of `A M^-1 A^T`.
    gram: Vec<f64>,
    /// Bounds from below of the largest and the least singular value, where all are far from 0.
    bounds: Option<Bounds>,
    /// Singular values of `A M^-1/2`, largest first, once they are needed.
    sigma: Vec<f64>,
    /// The rows of `A M^-1/2` in a common basis, n x k, each of unit length.
    rows: Vec<f64>,
    /// The lengths that they had, none longer than it counts.
    lengths: Vec<f64>,
}

/// Bounds of the singular values from below.
#[derive(Clone, Copy)]
struct Bounds {
    largest: f64,
    /// `tr((A M^-1 A^T)^-1)^-1/2`, at least the least one divided by the root of their number: as smooth as it, and 0
    /// with it.
    least: f64,
}

impl Prefilter {
    pub fn new(monitored: &MonitoredRows<&dyn Field>) -> Prefilter {
        let (rows, columns) = (monitored.rows, monitored.columns());
        Prefilter {
            rows,
            columns,
            samples: Default::default(),
            first: None,
            last: None,
            state: Vec::new(),
            jacobian: vec![0.0; rows * columns],
            metric: vec![0.0; columns * columns],
            factored: Vec::new(),
            factors: Vec::new(),
            direction: (0..rows).map(|a| 1.0 / (a + 1) as f64).collect(),
            product: Vec::new(),
            triangle: Vec::new(),
        }
    }

    /// Measures the constraints along the step; false where the metric cannot be factored.
    pub fn sample(
        &mut self,
        monitored: &MonitoredRows<&dyn Field>,
        scaling: &Scaling<'_>,
        workspace: &mut Workspace,
        interpolant: &Interpolant,
    ) -> Result<bool, EvalError> {
        let mut state = std::mem::take(&mut self.state);
        let start = interpolant.time(0.0);
        let mut places = 0..=PARTS;
        if self.last == Some(start) {
            self.samples.swap(0, PARTS);
            self.first = self.last;
        }
        self.last = None;
        if self.first == Some(start) {
            places.next();
        }
        let mut sound = true;
        for i in places {
            let theta = i as f64 / PARTS as f64;
            match i {
                0 => {
                    state.clear();
                    state.extend_from_slice(interpolant.span.y);
                }
                _ => interpolant.sketch(theta, &mut state),
            }
            sound &= self.measure(
                monitored,
                scaling,
                workspace,
                (interpolant.time(theta), &state),
                i,
            )?;
        }
        self.state = state;
        if sound {
            self.first = Some(start);
            self.last = Some(interpolant.span.t + interpolant.span.h);
        } else {
            self.first = None;
        }
        Ok(sound)
    }

    fn measure(
        &mut self,
        monitored: &MonitoredRows<&dyn Field>,
        scaling: &Scaling<'_>,
        workspace: &mut Workspace,
        (t, y): (f64, &[f64]),
        place: usize,
    ) -> Result<bool, EvalError> {
        let (k, n) = (self.rows, self.columns);
        evaluate(monitored.jacobian, workspace, t, y, &mut self.jacobian)?;
        evaluate(monitored.metric, workspace, t, y, &mut self.metric)?;
        let units = scaling.units;
        for (i, row) in self.metric.chunks_exact_mut(n.max(1)).enumerate() {
            (row.iter_mut().zip(units)).for_each(|(x, unit)| *x *= units[i] * unit);
        }
        if scaling.is_lifted {
            let trace: f64 = (0..n).map(|i| self.metric[i * n + i]).sum();
            let mean = trace / n.max(1) as f64;
            (0..n).for_each(|i| self.metric[i * n + i] += mean);
        }
        // A constant metric is factored once.
        if self.factored != self.metric {
            let safe = |pivot: f64, size: f64| pivot > THRESHOLD * size;
            if factor(n, &self.metric, &mut self.factors, safe).is_err() {
                self.factored.clear();
                return Ok(false);
            }
            self.factored.clone_from(&self.metric);
        }
        let sample = &mut self.samples[place];
        let white = &mut sample.rows;
        white.clear();
        for (i, unit) in units.iter().enumerate() {
            let scaled = |a: usize| scaling.weights[a] * self.jacobian[a * n + i] * unit;
            white.extend((0..k).map(scaled));
        }
        half(n, &self.factors, white);
        sample.gram.clear();
        sample.gram.resize(k * k, 0.0);
        for column in white.chunks_exact(k.max(1)) {
            for (a, x) in column.iter().enumerate() {
                for (b, y) in column[..=a].iter().enumerate() {
                    sample.gram[a * k + b] += x * y;
                }
            }
        }
        sample.lengths.clear();
        for a in 0..k {
            let length = sample.gram[a * k + a].sqrt();
            sample.lengths.push(length);
            let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
            let row = white.iter_mut().skip(a).step_by(k);
            row.for_each(|x| *x *= factor);
        }
        shorten(k, scaling.most, &mut sample.gram, &mut sample.lengths);
        sample.sigma.clear();
        sample.bounds = None;
        Ok(self.samples[place].lengths.iter().all(|x| x.is_finite()))
    }

    /// Finds the bounds of a sample that has none yet.
    fn bounds(&mut self, place: usize) -> Option<Bounds> {
        let (k, sample) = (self.rows, &mut self.samples[place]);
        if sample.bounds.is_none() {
            let trace = trace_of_inverse(k, &sample.gram, &mut self.triangle)?;
            let longest = sample.lengths.iter().copied().fold(0.0, f64::max);
            let along = power(k, &sample.gram, &mut self.direction, &mut self.product);
            sample.bounds = Some(Bounds {
                largest: along.sqrt().max(longest),
                least: trace.sqrt().recip(),
            });
        }
        sample.bounds
    }

    /// Whether the rank neither drops nor rises and no row turns round; `largest` is the largest singular
    /// value met so far.
    pub fn clear(&mut self, rank: usize, largest: &mut f64) -> bool {
        // In a browser the engine is to be small first.
        let bounded = rank == self.rows && cfg!(not(target_arch = "wasm32"));
        if bounded && self.clear_by_bounds(largest) {
            return true;
        }
        let k = self.rows;
        for sample in self.samples.iter_mut().filter(|s| s.sigma.len() < k) {
            sample.sigma = singular_values(k, &sample.gram);
        }
        let sizes = self
            .samples
            .iter()
            .filter_map(|sample| sample.sigma.first());
        *largest = sizes.fold(*largest, |largest, s| largest.max(*s));
        let bound = 0.5 * SINGULAR * *largest;
        let risen = |sample: &Sample| sample.sigma.get(rank).is_some_and(|s| *s > bound);
        if *largest <= 0.0 || risen(&self.samples[PARTS]) {
            return false;
        }
        let mut s = [1.0; PARTS + 1];
        if let Some(last) = rank.checked_sub(1) {
            for (s, sample) in s.iter_mut().zip(&self.samples) {
                *s = sample.sigma.get(last).map_or(0.0, |sigma| sigma / *largest);
            }
        }
        is_far(&s) && self.is_steady()
    }

    /// The same of rows that are all independent, by bounds that take less time than singular values.
    fn clear_by_bounds(&mut self, largest: &mut f64) -> bool {
        let mut s = [0.0; PARTS + 1];
        let mut most = *largest;
        for (place, s) in s.iter_mut().enumerate() {
            let Some(bounds) = self.bounds(place) else {
                return false;
            };
            most = most.max(bounds.largest);
            *s = bounds.least;
        }
        s.iter_mut().for_each(|s| *s /= most);
        let is_clear = is_far(&s) && self.is_steady();
        if is_clear {
            *largest = most;
        }
        is_clear
    }

    /// Whether no row turns much from place to place.
    fn is_steady(&self) -> bool {
        let mut pairs = self.samples.iter().zip(&self.samples[1..]);
        pairs.all(|(a, b)| self.steady(a, b))
    }

    /// Whether no row turns much between two places.
    fn steady(&self, first: &Sample, second: &Sample) -> bool {
        let k = self.rows.max(1);
        (0..self.rows).all(|a| {
            let pairs = first.rows.iter().skip(a).step_by(k);
            let pairs = pairs.zip(second.rows.iter().skip(a).step_by(k));
            pairs.map(|(x, y)| x * y).sum::<f64>() > TURN
        })
    }
}

/// Rows that are longer than `most` are made as long.
fn shorten(k: usize, most: f64, gram: &mut [f64], lengths: &mut [f64]) {
    if most <= 0.0 {
        return;
    }
    for (a, length) in lengths.iter_mut().enumerate() {
        if *length > most {
            let factor = most / *length;
            (0..=a).for_each(|b| gram[a * k + b] *= factor);
            (a..k).for_each(|b| gram[b * k + a] *= factor);
            *length = most;
        }
    }
}

/// Whether what is 0 where the rank drops is far from it at all places, and no steeper between them than that it stays so.
fn is_far(s: &[f64; PARTS + 1]) -> bool {
    let pairs = || s.iter().zip(&s[1..]);
    let steepest = pairs().fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
    s.iter().all(|s| *s > FAR) && pairs().all(|(a, b)| a + b > STEEP * steepest)
}

/// The trace of the inverse of a positive definite matrix (its lower triangle): the sum of the squares of `L^-1`, where
/// `L L^T` is the matrix. `None` where a pivot is lost in rounding.
fn trace_of_inverse(k: usize, gram: &[f64], triangle: &mut Vec<f64>) -> Option<f64> {
    triangle.clear();
    triangle.extend_from_slice(gram);
    let l = &mut triangle[..k * k];
    let mut trace = 0.0;
    for i in 0..k {
        for j in 0..i {
            let before: f64 = (0..j).map(|m| l[i * k + m] * l[j * k + m]).sum();
            l[i * k + j] = (l[i * k + j] - before) * l[j * k + j];
        }
        let before: f64 = (0..i).map(|m| l[i * k + m] * l[i * k + m]).sum();
        let pivot = l[i * k + i] - before;
        if pivot.is_nan() || pivot <= THRESHOLD * l[i * k + i] {
            return None;
        }
        // The inverses of the pivots stand on the diagonal, the columns of `L^-1` in the upper triangle.
        let inverse = pivot.sqrt().recip();
        trace += inverse * inverse;
        for column in 0..i {
            let first = l[column * k + column] * l[i * k + column];
            let rest: f64 = (column + 1..i)
                .map(|m| l[column * k + m] * l[i * k + m])
                .sum();
            let entry = -inverse * (first + rest);
            l[column * k + i] = entry;
            trace += entry * entry;
        }
        l[i * k + i] = inverse;
    }
    Some(trace)
}

/// A bound from below of the largest eigenvalue of a symmetric matrix (its lower triangle): the quotient of Rayleigh at a
/// direction that is turned towards it by two steps of the power method, and is kept for the next matrix.
fn power(k: usize, gram: &[f64], direction: &mut Vec<f64>, product: &mut Vec<f64>) -> f64 {
    let mut quotient = 0.0;
    for _ in 0..2 {
        product.clear();
        product.resize(k, 0.0);
        for a in 0..k {
            for b in 0..a {
                product[a] += gram[a * k + b] * direction[b];
                product[b] += gram[a * k + b] * direction[a];
            }
            product[a] += gram[a * k + a] * direction[a];
        }
        let along: f64 = direction.iter().zip(&*product).map(|(x, y)| x * y).sum();
        let square: f64 = direction.iter().map(|x| x * x).sum();
        quotient = along / square;
        let length = product.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length.is_nan() || length <= 0.0 {
            break;
        }
        std::mem::swap(direction, product);
        direction.iter_mut().for_each(|x| *x /= length);
    }
    quotient
}

/// The roots of the eigenvalues of a symmetric matrix (its lower triangle), largest first.
fn singular_values(k: usize, gram: &[f64]) -> Vec<f64> {
    let mut gram = gram.to_vec();
    eigenvalues(k, &mut gram);
    let roots = (0..k).map(|a| gram[a * k + a].max(0.0).sqrt());
    let mut sigma: Vec<f64> = roots.collect();
    sigma.sort_unstable_by(|a, b| b.total_cmp(a));
    sigma
}

/// Overwrites the diagonal of a symmetric matrix (its lower triangle) by its eigenvalues.
fn eigenvalues(k: usize, a: &mut [f64]) {
    if k <= ROTATED || a.iter().any(|entry| !entry.is_finite()) {
        return rotations(k, a);
    }
    let symmetric = DMatrix::from_fn(k, k, |i, j| a[i.max(j) * k + i.min(j)]);
    let found = symmetric.symmetric_eigenvalues();
    (0..k).for_each(|i| a[i * k + i] = found[i]);
}

/// Jacobi's rotations [golub2013, sect. 8.5].
fn rotations(k: usize, a: &mut [f64]) {
    const SWEEPS: usize = 12;
    for _ in 0..SWEEPS {
        let mut off = 0.0;
        for p in 1..k {
            for q in 0..p {
                let entry = a[p * k + q];
                let bound = f64::EPSILON * (a[p * k + p].abs() * a[q * k + q].abs()).sqrt();
                if entry.abs() <= bound {
                    continue;
                }
                off += entry.abs();
                rotate(k, a, p, q);
            }
        }
        if off == 0.0 {
            break;
        }
    }
}

/// The rotation that makes the entry `(p, q)`, `p > q`, vanish.
fn rotate(k: usize, a: &mut [f64], p: usize, q: usize) {
    let entry = a[p * k + q];
    let cotangent = 0.5 * (a[q * k + q] - a[p * k + p]) / entry;
    // Where the square overflows, the tangent is 0 but for rounding.
    let root = (1.0 + cotangent * cotangent).sqrt();
    let tangent = cotangent.signum() / (cotangent.abs() + root);
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    a[q * k + q] += tangent * entry;
    a[p * k + p] -= tangent * entry;
    a[p * k + q] = 0.0;
    let place = |i: usize, j: usize| i.max(j) * k + i.min(j);
    for i in (0..k).filter(|i| *i != p && *i != q) {
        let (x, y) = (a[place(i, q)], a[place(i, p)]);
        a[place(i, q)] = cosine * x + sine * y;
        a[place(i, p)] = cosine * y - sine * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear;
    use crate::linear::check::Numbers;

    const ORDERS: [usize; 9] = [1, 2, 3, 4, 5, 6, ROTATED, ROTATED + 1, 20];

    /// A matrix and the lower triangle of its product with its transpose.
    fn with_gram(numbers: &mut Numbers, k: usize, n: usize) -> (Vec<f64>, Vec<f64>) {
        let a = numbers.matrix(k, n);
        let mut gram = vec![0.0; k * k];
        for i in 0..k {
            for j in 0..=i {
                gram[i * k + j] = (0..n).map(|c| a[i * n + c] * a[j * n + c]).sum();
            }
        }
        (a, gram)
    }

    #[test]
    fn roots_of_the_gram_matrix_are_singular_values() {
        let mut numbers = Numbers(11);
        for k in ORDERS {
            let (a, gram) = with_gram(&mut numbers, k, k + 2);
            let roots = singular_values(k, &gram);
            for (root, sigma) in roots.iter().zip(linear::singular_values(k, k + 2, &a)) {
                assert!((root - sigma).abs() < 1e-13 * roots[0], "{root} {sigma}");
            }
        }
    }

    #[test]
    fn bounds_are_those_of_the_singular_values() {
        let mut numbers = Numbers(5);
        for k in ORDERS {
            let (_, gram) = with_gram(&mut numbers, k, k + 2);
            let sigma = singular_values(k, &gram);
            let trace = trace_of_inverse(k, &gram, &mut Vec::new()).expect("regular");
            let exact: f64 = sigma.iter().map(|s| (s * s).recip()).sum();
            assert!((trace - exact).abs() < 1e-9 * exact, "{k}: {trace} {exact}");
            let (mut direction, mut product) = (vec![1.0; k], Vec::new());
            let mut last = 0.0;
            for _ in 0..200 {
                let found = power(k, &gram, &mut direction, &mut product);
                assert!(found <= sigma[0] * sigma[0] * (1.0 + 1e-14));
                last = found;
            }
            assert!(last > 0.99 * sigma[0] * sigma[0], "{k}");
        }
        // Two rows that are parallel.
        assert_eq!(
            trace_of_inverse(2, &[1.0, 0.0, 2.0, 4.0], &mut Vec::new()),
            None
        );
    }
}
