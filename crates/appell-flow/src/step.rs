//! What a method of integration does, step by step: the one interface behind the table of methods.

use crate::backend::vectorised::{Vectorised, vectorised};
use crate::evaluation::{EvalError, all_finite};
use crate::tableau::ErrorEstimate;
use appell_expr::elementary;

/// A step from `(t, y)` of length `h`, with its end where that is known.
#[derive(Clone, Copy)]
pub(crate) struct Span<'a> {
    pub t: f64,
    pub h: f64,
    /// The start.
    pub y: &'a [f64],
    /// The end, projected to the manifold.
    pub end: &'a [f64],
}

impl<'a> Span<'a> {
    pub fn new(t: f64, h: f64, y: &'a [f64], end: &'a [f64]) -> Self {
        Self { t, h, y, end }
    }
}

/// A method at work on one motion. The calls come in this order:
/// `start`, `first_step`, then for each step `trial`, `error`, and, where it is taken, `complete`,
/// `extend` if somebody looks into it, `advance`, `accepted`; else `rejected`.
pub(crate) trait Stepper {
    /// Evaluates what the first step begins with, which fixes the ranks of consistent systems.
    fn start(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError>;

    /// The length of the first step, of the sign of `limit` and not beyond it; `scale` holds the tolerance
    /// of each component.
    fn first_step(&mut self, t: f64, y: &[f64], limit: f64, scale: &[f64]) -> f64;

    /// Writes the end of a step of length `h`.
    fn trial(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> Result<(), EvalError>;

    /// The estimated error of the trial step in units of the tolerance, in the norm of [`size`].
    fn error(&mut self, h: f64, scale: &[f64]) -> f64;

    /// Completes the step: evaluates what the next one begins with at its projected end.
    fn complete(&mut self, span: &Span) -> Result<(), EvalError>;

    /// Makes [`dense`](Stepper::dense) ready for the completed step.
    fn extend(&mut self, span: &Span) -> Result<(), EvalError>;

    /// The dense output at `t + theta h`, after [`extend`](Stepper::extend).
    fn dense(&self, span: &Span, theta: f64, out: &mut [f64]);

    /// A cheaper and less accurate dense output, which needs no `extend`: Hermite's cubic at best.
    fn sketch(&self, span: &Span, theta: f64, out: &mut [f64]);

    /// Makes the end of the completed step the start of the next.
    fn advance(&mut self);

    /// The length of the step after one of length `h` was taken with this error.
    fn accepted(&mut self, h: f64, error: f64, scale: &[f64]) -> f64;

    /// The length of the next trial after one of length `h` was not taken; the error if that was why.
    fn rejected(&mut self, h: f64, error: Option<f64>) -> f64;

    /// Right-hand sides evaluated so far. A series of order p counts as p.
    fn evaluations(&self) -> usize;

    /// By how many tolerances a step may have erred: more than 1 only where the step is fixed.
    fn coarseness(&self) -> f64 {
        1.0
    }

    /// What the user should know of the method on this motion, in sentences.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The method at work and why it was chosen, where there was a choice.
    fn choice(&self) -> Option<(&'static str, String)> {
        None
    }
}

/// The root mean square.
pub(crate) fn size(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    (values.map(|x| x * x).sum::<f64>() / count).sqrt()
}

/// `out = y + h Sum_i weights_i slopes_i`, the slopes in rows of the length of `y`.
pub(crate) fn combine(y: &[f64], h: f64, weights: &[f64], slopes: &[f64], out: &mut [f64]) {
    vectorised(Combine {
        y,
        h,
        weights,
        slopes,
        out,
    });
}

/// See [`combine`].
pub(crate) struct Combine<'a> {
    pub y: &'a [f64],
    pub h: f64,
    pub weights: &'a [f64],
    pub slopes: &'a [f64],
    pub out: &'a mut [f64],
}

impl Vectorised for Combine<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let n = self.out.len();
        let (y, h) = (&self.y[..n], self.h);
        sums(self.weights, self.slopes, self.out, |c, sum| y[c] + h * sum);
    }
}

/// The finer and the coarser weighted sum of slopes that estimate the error.
pub(crate) struct ErrorSums<'a> {
    pub weights: &'a ErrorEstimate,
    pub slopes: &'a [f64],
    /// Room for both, one behind the other.
    pub out: &'a mut [f64],
}

impl Vectorised for ErrorSums<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (fine, coarse) = self.out.split_at_mut(self.out.len() / 2);
        sums(self.weights.fine, self.slopes, fine, |_, sum| sum);
        sums(self.weights.coarse, self.slopes, coarse, |_, sum| sum);
    }
}

/// The mean squares of both [sums](ErrorSums) in units of the tolerance, which `scale` has for each component.
pub(crate) fn error_squares(sums: &[f64], scale: &[f64]) -> [f64; 2] {
    const WIDTH: usize = 4;
    let n = scale.len();
    let (fine, coarse) = sums.split_at(n);
    let mut squares = [[0.0; WIDTH]; 2];
    let whole = n - n % WIDTH;
    for first in (0..whole).step_by(WIDTH) {
        let all = [fine, coarse, scale].map(|x| &x[first..first + WIDTH]);
        for k in 0..WIDTH {
            let inverse = 1.0 / all[2][k];
            let (fine, coarse) = (all[0][k] * inverse, all[1][k] * inverse);
            squares[0][k] += fine * fine;
            squares[1][k] += coarse * coarse;
        }
    }
    for c in whole..n {
        let (fine, coarse) = (fine[c] / scale[c], coarse[c] / scale[c]);
        squares[0][c - whole] += fine * fine;
        squares[1][c - whole] += coarse * coarse;
    }
    squares.map(|squares| squares.iter().sum::<f64>() / n.max(1) as f64)
}

/// Whether all numbers are finite.
pub(crate) struct Finite<'a>(pub &'a [f64]);

impl Vectorised for Finite<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        all_finite(self.0)
    }
}

/// `out(c) = last(c, Sum_i weights_i slopes_i(c))`, a few components at a time, whose sums stay in
/// registers.
#[inline(always)]
fn sums(weights: &[f64], slopes: &[f64], out: &mut [f64], last: impl Fn(usize, f64) -> f64 + Copy) {
    let first = blocks::<8>(weights, slopes, out, 0, last);
    let first = blocks::<4>(weights, slopes, out, first, last);
    blocks::<1>(weights, slopes, out, first, last);
}

/// Sums the components from `first` on that fill blocks of this width; the first one left.
#[inline(always)]
fn blocks<const WIDTH: usize>(
    weights: &[f64],
    slopes: &[f64],
    out: &mut [f64],
    mut first: usize,
    last: impl Fn(usize, f64) -> f64,
) -> usize {
    let n = out.len();
    for out in out[first..].chunks_exact_mut(WIDTH) {
        let sums = block::<WIDTH>(weights, slopes, n, first);
        for (k, (out, sum)) in out.iter_mut().zip(sums).enumerate() {
            *out = last(first + k, sum);
        }
        first += WIDTH;
    }
    first
}

/// The components from `first` on of a weighted sum of rows of length `n`.
#[inline(always)]
fn block<const WIDTH: usize>(
    weights: &[f64],
    slopes: &[f64],
    n: usize,
    first: usize,
) -> [f64; WIDTH] {
    let mut sums = [0.0; WIDTH];
    for (weight, row) in weights.iter().zip(slopes.chunks_exact(n)) {
        if *weight != 0.0 {
            let slopes = sums.iter_mut().zip(&row[first..first + WIDTH]);
            slopes.for_each(|(sum, k)| *sum += weight * k);
        }
    }
    sums
}

/// Hermite's cubic through both ends of a step with the slopes there.
pub(crate) fn hermite(span: &Span, first: &[f64], last: &[f64], theta: f64, out: &mut [f64]) {
    let rest = 1.0 - theta;
    for (c, out) in out.iter_mut().enumerate() {
        let rise = span.end[c] - span.y[c];
        let start = span.h * first[c] - rise;
        let end = rise - span.h * last[c];
        *out = span.y[c] + theta * (rise + rest * (start + theta * (end - start)));
    }
}

/// A first step such that Euler's method would err by a hundredth of the tolerance, for a method of this
/// order [hairer1993, sect. II.4]; `slope_at(h)` writes the slope after a step of Euler's method.
pub(crate) fn first_step(
    order: u32,
    y: &[f64],
    slope: &[f64],
    limit: f64,
    scale: &[f64],
    mut slope_at: impl FnMut(f64, &mut [f64]) -> bool,
) -> f64 {
    let relative = |x: &[f64]| size(x.iter().zip(scale).map(|(x, scale)| x / scale));
    let (position, speed) = (relative(y), relative(slope));
    let guess = if position < 1e-5 || speed < 1e-5 {
        1e-6
    } else {
        0.01 * position / speed
    };
    let guess = guess.min(limit.abs()).copysign(limit);
    let mut next = vec![0.0; y.len()];
    if !slope_at(guess, &mut next) {
        return guess;
    }
    next.iter_mut()
        .zip(slope)
        .for_each(|(next, slope)| *next -= slope);
    let change = relative(&next) / guess.abs();
    let largest = speed.max(change);
    let step = match largest <= 1e-15 {
        true => 1e-6f64.max(guess.abs() * 1e-3),
        false => elementary::power(0.01 / largest, 1.0 / f64::from(order)),
    };
    step.min(100.0 * guess.abs())
        .min(limit.abs())
        .copysign(limit)
}
