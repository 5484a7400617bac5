//! The manifold over lanes: projection, and a trial step with it. The rank monitor is in `rows.rs`.

use super::block::finite;
use super::march::Shared;
use crate::backend::{Buffers, LaneCode, scale};
use crate::lane_step::{Trial, Tried};
use crate::lanes::{Lanes, Mask};
use crate::rules::{AIM, CORRECTIONS, FAR, ROUGH, ROUNDING};

/// The times of the lanes, and their parameters.
#[derive(Clone, Copy)]
pub(super) struct Instant<'a> {
    pub t: &'a Lanes,
    pub p: &'a [Lanes],
}

/// What a projection did.
pub(super) struct Projected {
    /// The largest residual before, relative to its terms.
    pub before: Lanes,
    /// The lanes in which it failed.
    pub failed: Mask,
    /// The lanes in which it led far away.
    pub far: Mask,
}

/// Buffers for the intermediate values of one thread.
pub(super) struct Scratch {
    pub buffers: Buffers,
    pub results: Vec<Lanes>,
    kept: Vec<Lanes>,
    previous: Vec<Lanes>,
    pub state: Vec<Lanes>,
    /// The rows of the rank monitor at two places.
    pub before: Vec<Lanes>,
    pub after: Vec<Lanes>,
    /// `A M^-1 A^T` at each, and buffers for an elimination.
    pub grams: [Vec<Lanes>; 3],
}

impl Scratch {
    pub fn new(shared: &Shared<'_>, code: &LaneCode) -> Scratch {
        let n = shared.program.motion.names.len();
        let longest = (0..code.functions()).map(|k| code.outputs(k)).max();
        let zeros = |length: usize| vec![Lanes::default(); length];
        let square = shared.monitored.map_or(0, |size| size.rows * size.rows);
        Scratch {
            buffers: code.buffers(),
            results: zeros(longest.unwrap_or(0)),
            kept: zeros(n),
            previous: zeros(n),
            state: zeros(n),
            before: zeros(shared.rows()),
            after: zeros(shared.rows()),
            grams: std::array::from_fn(|_| zeros(square)),
        }
    }
}

impl Shared<'_> {
    /// Projects `end`, reached from `start`, in some lanes, as a single motion is projected.
    #[inline(always)]
    pub fn project(
        &self,
        code: &LaneCode,
        scratch: &mut Scratch,
        at: Instant<'_>,
        start: &[Lanes],
        end: &mut [Lanes],
        lanes: Mask,
    ) -> Projected {
        let mut settled = Projected {
            before: Lanes::all(0.0),
            failed: Mask::NONE,
            far: Mask::NONE,
        };
        if self.program.motion.stages.is_empty() {
            return settled;
        }
        let (rtol, atol) = self.tolerances();
        let mut length = Lanes::all(0.0);
        for (k, stage) in self.program.motion.stages.iter().enumerate() {
            scratch.kept[..stage.moved.len()].copy_from_slice(&end[stage.moved.clone()]);
            let (before, failed) = self.correct(code, scratch, at, k, end, lanes);
            settled.before = settled.before.max(before);
            settled.failed = settled.failed.or(failed);
            for (i, old) in stage.moved.clone().zip(&scratch.kept) {
                let moved = (end[i] - *old) / scale(start[i], *old, rtol, atol);
                length = length + moved * moved;
            }
        }
        let length = (length / Lanes::all(start.len().max(1) as f64)).sqrt();
        settled.far = Lanes::all(FAR)
            .below(length)
            .and(Lanes::all(ROUNDING).below(settled.before));
        settled.failed = settled.failed.and(lanes);
        settled.far = settled.far.and(lanes);
        settled
    }

    /// Newton's method on one stage in some lanes: the largest residual before, and the lanes that failed.
    #[inline(always)]
    fn correct(
        &self,
        code: &LaneCode,
        scratch: &mut Scratch,
        at: Instant<'_>,
        k: usize,
        end: &mut [Lanes],
        lanes: Mask,
    ) -> (Lanes, Mask) {
        let Scratch {
            buffers,
            results,
            previous,
            ..
        } = scratch;
        let stage = &self.program.motion.stages[k];
        let rows = stage.residual.outputs();
        let (first, count) = (stage.moved.start, stage.moved.len());
        let refused = code.call(1 + k, buffers, at.t, end, at.p, results);
        let before = worst(results, rows);
        let mut after = before;
        // A residual that is not a number is not small.
        let number = after.at_most(Lanes::all(f64::MAX));
        let mut failed = Mask::of_bits(refused).or(number.not());
        let mut moving = lanes.and(failed.not()).and(Lanes::all(AIM).below(after));
        for _ in 0..CORRECTIONS {
            if !moving.any() {
                break;
            }
            for c in 0..count {
                let w = end[first + c];
                previous[c] = w;
                // Lanes that are not moved keep their bits.
                end[first + c] = moving.choose(w + results[2 * rows + c], w);
            }
            let refused = code.call(1 + k, buffers, at.t, end, at.p, results);
            let next = worst(results, rows);
            let fell = moving.and(next.below(after));
            let back = moving.and(fell.not());
            for c in 0..count {
                end[first + c] = back.choose(previous[c], end[first + c]);
            }
            after = fell.choose(next, after);
            failed = failed.or(fell.and(Mask::of_bits(refused)));
            moving = fell.and(Lanes::all(AIM).below(after));
        }
        (before, failed)
    }

    /// Tries a step in every lane: stages, error, projection, the slope at the end, a first sample of the rank monitor.
    #[inline(always)]
    pub fn attempt(&self, code: &LaneCode, scratch: &mut Scratch, trial: &mut Trial<'_>) -> Tried {
        if let Some(native) = code.native() {
            return native.step(trial);
        }
        let refused = code.trial(&mut scratch.buffers, trial);
        let error = *trial.error;
        let mut strange = Mask::of_bits(refused).or(error.equals(error).not());
        let good = error.at_most(Lanes::all(1.0)).and(strange.not());
        let good = good.and(Mask::of_bits(trial.active));
        let t = *trial.t + *trial.h;
        let at = Instant { t: &t, p: trial.p };
        let settled = self.project(code, scratch, at, trial.y, trial.end, good);
        strange = strange.or(settled.failed).or(settled.far);
        let n = trial.y.len();
        let last = self.tableau().stage_count() * n;
        let slope = &mut trial.slopes[last..last + n];
        let refused = code.call(0, &mut scratch.buffers, &t, trial.end, trial.p, slope);
        let without = Mask::of_bits(refused).or(finite(slope).not());
        strange = strange.or(without.and(good));
        let mut suspicious = Mask::NONE;
        if let Some(size) = self.monitored {
            let sample = self.look(code, scratch, trial, size, ROUGH);
            *trial.largest_end = sample.largest;
            trial.rows_end.copy_from_slice(&scratch.before);
            suspicious = sample.suspicious.and(good);
        }
        Tried {
            good: good.and(strange.not()).bits(),
            strange: strange.bits(),
            suspicious: suspicious.bits(),
        }
    }
}

/// The largest of the rows relative to its terms; no number where one is none.
#[inline(always)]
fn worst(results: &[Lanes], rows: usize) -> Lanes {
    let zero = Lanes::all(0.0);
    let mut worst = zero;
    for a in 0..rows {
        let (c, size) = (results[a].abs(), results[rows + a]);
        let relative = c.equals(zero).choose(zero, c / size.max(c));
        let known = relative.at_most(worst).or(worst.equals(worst).not());
        worst = known.choose(worst, relative);
    }
    worst
}
