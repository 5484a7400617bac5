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
    gram: Vec<f64>,
}

/// One place.
#[derive(Default, Clone)]
struct Sample {
    /// Singular values of `A M^-1/2`, largest first.
    sigma: Vec<f64>,
    /// The rows of `A M^-1/2` in a common basis, n x k, each of unit length.
    rows: Vec<f64>,
    /// The lengths that they had.
    lengths: Vec<f64>,
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
            gram: vec![0.0; rows * rows],
        }
    }

    /// Measures the constraints along the step; false where the metric cannot be factored.
    pub fn sample(
        &mut self,
        monitored: &MonitoredRows<&dyn Field>,
        (lifted, weights): (bool, &[f64]),
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
                (lifted, weights),
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
        (lifted, weights): (bool, &[f64]),
        workspace: &mut Workspace,
        (t, y): (f64, &[f64]),
        place: usize,
    ) -> Result<bool, EvalError> {
        let (k, n) = (self.rows, self.columns);
        evaluate(monitored.jacobian, workspace, t, y, &mut self.jacobian)?;
        evaluate(monitored.metric, workspace, t, y, &mut self.metric)?;
        if lifted {
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
        for i in 0..n {
            white.extend((0..k).map(|a| weights[a] * self.jacobian[a * n + i]));
        }
        half(n, &self.factors, white);
        self.gram.fill(0.0);
        for column in white.chunks_exact(k.max(1)) {
            for (a, x) in column.iter().enumerate() {
                for (b, y) in column[..=a].iter().enumerate() {
                    self.gram[a * k + b] += x * y;
                }
            }
        }
        sample.lengths.clear();
        for a in 0..k {
            let length = self.gram[a * k + a].sqrt();
            sample.lengths.push(length);
            let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
            let row = white.iter_mut().skip(a).step_by(k);
            row.for_each(|x| *x *= factor);
        }
        eigenvalues(k, &mut self.gram);
        let roots = (0..k).map(|a| self.gram[a * k + a].max(0.0).sqrt());
        sample.sigma.clear();
        sample.sigma.extend(roots);
        sample.sigma.sort_unstable_by(|a, b| b.total_cmp(a));
        Ok(sample.sigma.iter().all(|s| s.is_finite()))
    }

    /// The greatest length of each row in the step.
    pub fn lengths(&self) -> Vec<f64> {
        let longest = |a: usize| {
            let all = self
                .samples
                .iter()
                .filter_map(|sample| sample.lengths.get(a));
            all.copied().fold(0.0, f64::max)
        };
        (0..self.rows).map(longest).collect()
    }

    /// Forgets what was measured, with other weights of the rows.
    pub fn forget(&mut self) {
        (self.first, self.last) = (None, None);
    }

    /// Whether the rank neither drops nor rises and no row turns round; `largest` is the largest singular
    /// value met so far.
    pub fn clear(&self, rank: usize, largest: &mut f64) -> bool {
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
        let pairs = || s.iter().zip(&s[1..]);
        let steepest = pairs().fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
        let far = s.iter().all(|s| *s > FAR) && pairs().all(|(a, b)| a + b > STEEP * steepest);
        far && self
            .samples
            .iter()
            .zip(&self.samples[1..])
            .all(|(a, b)| self.steady(a, b))
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
    use crate::linear::check::Numbers;
    use crate::linear::singular_values;

    #[test]
    fn roots_of_the_gram_matrix_are_singular_values() {
        let mut numbers = Numbers(11);
        for k in [1, 2, 3, 4, 5, 6, ROTATED, ROTATED + 1, 20] {
            let n = k + 2;
            let a = numbers.matrix(k, n);
            let mut gram = vec![0.0; k * k];
            for i in 0..k {
                for j in 0..k {
                    gram[i * k + j] = (0..n).map(|c| a[i * n + c] * a[j * n + c]).sum();
                }
            }
            eigenvalues(k, &mut gram);
            let mut roots: Vec<f64> = (0..k).map(|i| gram[i * k + i].sqrt()).collect();
            roots.sort_by(|a, b| b.total_cmp(a));
            for (root, sigma) in roots.iter().zip(singular_values(k, n, &a)) {
                assert!((root - sigma).abs() < 1e-13 * roots[0], "{root} {sigma}");
            }
        }
    }
}
