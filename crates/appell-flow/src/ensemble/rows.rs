//! The rank monitor over lanes: whether a combination of the rows can vanish within a step.
//!
//! Singular values alone do not tell: the least one falls to zero and rises again, and between two places where it is large
//! its slopes are those of a motion that turns. The rows themselves do: where a combination `c A` vanishes between two
//! places, its products with itself in the metric turn negative, `(c A0) M^-1 (c A1)^T < 0`. So the product must be a
//! good part of the squares, for all `c` at once: a matrix is definite, whatever the units of the rows.

use super::manifold::{Instant, Scratch};
use super::march::Shared;
use crate::backend::LaneCode;
use crate::lane_step::{Block, Monitored, Trial};
use crate::lanes::{Bits, Lanes, Mask};
use crate::rules::{FINE, SINGULAR, STEADY};

/// What the rank monitor saw of a step.
pub(super) struct RankSample {
    /// The lanes in which a singular state may lie in the step.
    pub suspicious: Mask,
    /// The largest entry of the diagonal of `A M^-1 A^T` so far.
    pub largest: Lanes,
}

/// The size of `A M^-1 A^T` at a state.
pub(super) struct Strength {
    /// The least pivot; below zero, or zero, where there is none.
    pub least: Lanes,
    /// The largest entry of the diagonal.
    pub largest: Lanes,
}

impl Strength {
    /// The lanes in which the rows are independent, beside the largest that was met so far.
    #[inline(always)]
    pub fn is_regular(&self, largest: Lanes) -> Mask {
        let zero = Lanes::all(SINGULAR * SINGULAR) * largest;
        let number = largest.at_most(Lanes::all(f64::MAX));
        zero.below(self.least).and(number)
    }
}

/// The pivots of `A M^-1 A^T`, whose lower triangle is left in `gram`; `buffers` is as large.
#[inline(always)]
pub(super) fn strength(
    size: Monitored,
    rows: &[Lanes],
    gram: &mut [Lanes],
    buffers: &mut [Lanes],
) -> Strength {
    let (k, n) = (size.rows, size.columns);
    let raised = &rows[k * n..];
    let mut largest = Lanes::all(0.0);
    for i in 0..k {
        for j in 0..=i {
            let mut sum = Lanes::all(0.0);
            for c in 0..n {
                sum = sum + rows[i * n + c] * raised[j * n + c];
            }
            gram[i * k + j] = sum;
        }
        largest = largest.max(gram[i * k + i]);
    }
    buffers.copy_from_slice(gram);
    Strength {
        least: least_pivot(k, buffers),
        largest,
    }
}

/// The lanes in which no combination of the rows `x` changes by much to the rows `y`: with the mean `W` of both `M^-1` the
/// symmetric part of `x W y^T` less a part of the mean of `x M^-1 x^T` and `y M^-1 y^T`, which are given, is definite.
#[inline(always)]
fn steady(
    size: Monitored,
    [x, y]: [&[Lanes]; 2],
    grams: [&[Lanes]; 2],
    buffers: &mut [Lanes],
) -> Mask {
    let (k, n) = (size.rows, size.columns);
    let (of_x, of_y) = (&x[k * n..], &y[k * n..]);
    let part = Lanes::all(0.5 * STEADY);
    for i in 0..k {
        for j in 0..=i {
            let mut sum = Lanes::all(0.0);
            for c in 0..n {
                let (a, b) = (i * n + c, j * n + c);
                sum = sum + (x[a] * of_y[b] + x[b] * of_y[a]);
                sum = sum + (y[a] * of_x[b] + y[b] * of_x[a]);
            }
            let mean = grams[0][i * k + j] + grams[1][i * k + j];
            buffers[i * k + j] = Lanes::all(0.25) * sum - part * mean;
        }
    }
    Lanes::all(0.0).below(least_pivot(k, buffers))
}

/// The least pivot of a symmetric matrix of which the lower triangle is given; zero where one is no number.
#[inline(always)]
fn least_pivot(k: usize, gram: &mut [Lanes]) -> Lanes {
    let zero = Lanes::all(0.0);
    let mut least = Lanes::all(f64::INFINITY);
    for i in 0..k {
        let pivot = gram[i * k + i];
        let number = pivot.at_most(Lanes::all(f64::MAX));
        least = least.min(number.choose(pivot, zero));
        for j in i + 1..k {
            let factor = gram[j * k + i] / pivot;
            for l in i + 1..=j {
                gram[j * k + l] = gram[j * k + l] - factor * gram[l * k + i];
            }
        }
    }
    least
}

impl Shared<'_> {
    /// How many numbers the rows of the rank monitor are at a state.
    pub fn rows(&self) -> usize {
        self.monitored.map_or(0, Monitored::len)
    }

    /// The place of the rows among the functions over lanes.
    pub fn monitor(&self) -> usize {
        1 + self.program.motion.stages.len()
    }

    /// Looks again, more closely, where a first look suspected a singular state in the step to `block.end`.
    #[inline(never)]
    pub fn look_again(
        &self,
        code: &LaneCode,
        scratch: &mut Scratch,
        block: &mut Block,
        h: Lanes,
        suspicious: Bits,
    ) -> Bits {
        let Some(size) = self.monitored else {
            return 0;
        };
        let (rtol, atol) = self.tolerances();
        let trial = block.trial(&h, rtol, atol);
        let fine = self.look(code, scratch, &trial, size, FINE);
        // Nothing may depend on whether another lane was suspicious.
        suspicious & fine.suspicious.bits()
    }

    /// Looks through a trial step: suspicious are lanes in which the rows are nearly dependent at some place, or change
    /// by much from one place to the next. The states in between are those of Hermite's cubic. The rows at the end are
    /// left in `scratch.before`.
    #[inline(always)]
    pub fn look(
        &self,
        code: &LaneCode,
        scratch: &mut Scratch,
        trial: &Trial<'_>,
        size: Monitored,
        parts: usize,
    ) -> RankSample {
        let mut largest = *trial.largest;
        let mut least = Lanes::all(f64::INFINITY);
        let mut clear = Mask::ALL;
        scratch.before.copy_from_slice(trial.rows);
        let Scratch { before, grams, .. } = &mut *scratch;
        let [gram, _, pivots] = grams;
        strength(size, before, gram, pivots);
        for i in 1..=parts {
            let theta = Lanes::all(i as f64 / parts as f64);
            match i == parts {
                true => scratch.state.copy_from_slice(trial.end),
                false => self.between(trial, theta, &mut scratch.state),
            }
            let t = *trial.t + theta * *trial.h;
            let at = Instant { t: &t, p: trial.p };
            let Scratch {
                buffers,
                state,
                before,
                after,
                grams: [gram, next, pivots],
                ..
            } = scratch;
            let refused = code.call(self.monitor(), buffers, at.t, state, at.p, after);
            let strength = strength(size, after, next, pivots);
            largest = largest.max(strength.largest);
            least = least.min(strength.least);
            clear = clear.and(Mask::of_bits(refused).not()).and(steady(
                size,
                [before, after],
                [gram, next],
                pivots,
            ));
            std::mem::swap(before, after);
            std::mem::swap(gram, next);
        }
        let regular = Strength { least, largest }.is_regular(largest);
        RankSample {
            suspicious: clear.and(regular).not(),
            largest,
        }
    }

    /// The state at a part of a trial step by Hermite's cubic.
    #[inline(always)]
    fn between(&self, trial: &Trial<'_>, theta: Lanes, out: &mut [Lanes]) {
        let (n, h) = (trial.y.len(), *trial.h);
        let last = self.tableau().stage_count() * n;
        let rest = Lanes::all(1.0) - theta;
        // y0 + theta (F0 + (1 - theta) (F1 + theta F2))
        for (c, out) in out.iter_mut().enumerate() {
            let rise = trial.end[c] - trial.y[c];
            let first = h * trial.slopes[c] - rise;
            let second = rise - h * trial.slopes[last + c] - first;
            *out = trial.y[c] + theta * (rise + rest * (first + theta * second));
        }
    }
}
