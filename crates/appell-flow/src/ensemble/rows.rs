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

/// The pivots of `A M^-1 A^T`.
#[inline(always)]
pub(super) fn strength(size: Monitored, rows: &[Lanes], gram: &mut [Lanes]) -> Strength {
    product(size, rows, rows, gram);
    let k = size.rows;
    let mut largest = Lanes::all(0.0);
    for i in 0..k {
        largest = largest.max(gram[i * k + i]);
    }
    Strength {
        least: least_pivot(k, gram),
        largest,
    }
}

/// The lanes in which no combination of the rows changes by much from one place to the next, in the metric of either.
#[inline(always)]
fn steady(size: Monitored, [before, after]: [&[Lanes]; 2], gram: &mut [Lanes]) -> Mask {
    let zero = Lanes::all(0.0);
    let mut steady = Mask::ALL;
    for (x, y) in [(before, after), (after, before)] {
        changes(size, [x, y], [before, after], gram);
        steady = steady.and(zero.below(least_pivot(size.rows, gram)));
    }
    steady
}

/// The lower triangle of the symmetric part of `A M^-1 A^T`, `A` at one state, the rest at another.
#[inline(always)]
fn product(size: Monitored, x: &[Lanes], y: &[Lanes], gram: &mut [Lanes]) {
    for i in 0..size.rows {
        for j in 0..=i {
            gram[i * size.rows + j] = entry(size, x, y, (i, j));
        }
    }
}

/// Likewise that product less a part of the mean of those at each end of a part of the step.
#[inline(always)]
fn changes(size: Monitored, [x, y]: [&[Lanes]; 2], ends: [&[Lanes]; 2], gram: &mut [Lanes]) {
    let part = Lanes::all(0.5 * STEADY);
    for i in 0..size.rows {
        for j in 0..=i {
            let [first, last] = ends.map(|own| entry(size, own, own, (i, j)));
            gram[i * size.rows + j] = entry(size, x, y, (i, j)) - part * (first + last);
        }
    }
}

/// One entry.
#[inline(always)]
fn entry(size: Monitored, x: &[Lanes], y: &[Lanes], (i, j): (usize, usize)) -> Lanes {
    let n = size.columns;
    let raised = &y[size.rows * n..];
    let mut sum = Lanes::all(0.0);
    for c in 0..n {
        sum = sum + (x[i * n + c] * raised[j * n + c] + x[j * n + c] * raised[i * n + c]);
    }
    Lanes::all(0.5) * sum
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
        for i in 1..=parts {
            let theta = Lanes::all(i as f64 / parts as f64);
            match i == parts {
                true => scratch.state.copy_from_slice(trial.end),
                false => self.between(trial, theta, &mut scratch.state),
            }
            let t = *trial.t + theta * *trial.h;
            let at = Instant { t: &t, p: trial.p };
            let Scratch {
                room,
                state,
                before,
                after,
                gram,
                ..
            } = scratch;
            let refused = code.call(self.monitor(), room, at.t, state, at.p, after);
            let strength = strength(size, after, gram);
            largest = largest.max(strength.largest);
            least = least.min(strength.least);
            clear =
                clear
                    .and(Mask::of_bits(refused).not())
                    .and(steady(size, [before, after], gram));
            std::mem::swap(before, after);
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
        let last = self.tableau.stage_count() * n;
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
