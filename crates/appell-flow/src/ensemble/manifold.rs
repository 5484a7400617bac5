//! The manifold over lanes: projection, and the rank monitor.

use super::block::finite;
use super::march::Shared;
use crate::backend::{LaneCode, Room, scale};
use crate::lane_step::{Block, Trial, Tried};
use crate::lanes::{Bits, Lanes, Mask};
use crate::rules::{AIM, CORRECTIONS, FAR, PARTS, ROUNDING, SINGULAR};

/// Parts of a step at the first look.
const ROUGH: usize = 2;

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

/// Room for the intermediate values of one thread.
pub(super) struct Scratch {
    pub room: Room,
    pub results: Vec<Lanes>,
    kept: Vec<Lanes>,
    previous: Vec<Lanes>,
    pub state: Vec<Lanes>,
}

/// What the rank monitor saw of a step.
pub(super) struct RankSample {
    /// The lanes in which a singular state may lie in the step.
    pub suspicious: Mask,
    /// The least pivot at the end.
    pub least: Lanes,
    /// The largest entry of the diagonal so far.
    pub largest: Lanes,
}

/// `A M^-1 A^T` at a state.
pub(super) struct Gram {
    /// The least pivot, at least 0.
    pub least: Lanes,
    /// The largest entry of the diagonal.
    pub largest: Lanes,
    /// The lanes in which it has no value.
    pub refused: Mask,
}

impl Scratch {
    pub fn new(shared: &Shared<'_>, code: &LaneCode) -> Scratch {
        let n = shared.program.motion.names.len();
        let longest = (0..code.functions()).map(|k| code.outputs(k)).max();
        let zeros = |length: usize| vec![Lanes::default(); length];
        Scratch {
            room: code.room(),
            results: zeros(longest.unwrap_or(0)),
            kept: zeros(n),
            previous: zeros(n),
            state: zeros(n),
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
            room,
            results,
            previous,
            ..
        } = scratch;
        let stage = &self.program.motion.stages[k];
        let rows = stage.residual.outputs();
        let (first, count) = (stage.moved.start, stage.moved.len());
        let refused = code.call(1 + k, room, at.t, end, at.p, results);
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
            let refused = code.call(1 + k, room, at.t, end, at.p, results);
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
        let refused = code.trial(&mut scratch.room, trial);
        let error = *trial.error;
        let mut strange = Mask::of_bits(refused).or(error.equals(error).not());
        let good = error.at_most(Lanes::all(1.0)).and(strange.not());
        let good = good.and(Mask::of_bits(trial.active));
        let t = *trial.t + *trial.h;
        let at = Instant { t: &t, p: trial.p };
        let settled = self.project(code, scratch, at, trial.y, trial.end, good);
        strange = strange.or(settled.failed).or(settled.far);
        let n = trial.y.len();
        let last = self.tableau.stage_count() * n;
        let slope = &mut trial.slopes[last..last + n];
        let refused = code.call(0, &mut scratch.room, &t, trial.end, trial.p, slope);
        let without = Mask::of_bits(refused).or(finite(slope).not());
        strange = strange.or(without.and(good));
        let mut suspicious = Mask::NONE;
        if self.watches() {
            let sample = self.monitored(code, scratch, trial, ROUGH);
            (*trial.least_end, *trial.largest_end) = (sample.least, sample.largest);
            suspicious = sample.suspicious.and(good);
        }
        Tried {
            good: good.and(strange.not()).bits(),
            strange: strange.bits(),
            suspicious: suspicious.bits(),
        }
    }

    /// Whether singular states are monitored.
    pub fn watches(&self) -> bool {
        self.options.monitored && self.program.motion.monitored.is_some()
    }

    /// Eliminates `A M^-1 A^T`.
    #[inline(always)]
    pub fn gram(
        &self,
        code: &LaneCode,
        room: &mut Room,
        gram: &mut [Lanes],
        at: Instant<'_>,
        y: &[Lanes],
    ) -> Gram {
        let k = self
            .program
            .motion
            .monitored
            .as_ref()
            .map_or(0, |monitored| monitored.rows);
        let place = 1 + self.program.motion.stages.len();
        let refused = code.call(place, room, at.t, y, at.p, gram);
        let zero = Lanes::all(0.0);
        let mut largest = zero;
        for i in 0..k {
            largest = largest.max(gram[i * k + i]);
        }
        let mut least = largest;
        for i in 0..k {
            let pivot = gram[i * k + i];
            // A pivot that is no number counts as none.
            least = pivot.at_most(largest).choose(least.min(pivot), zero);
            for j in i + 1..k {
                let factor = gram[j * k + i] / pivot;
                for l in i + 1..=j {
                    gram[j * k + l] = gram[j * k + l] - factor * gram[l * k + i];
                }
            }
        }
        Gram {
            least: least.max(zero),
            largest,
            refused: Mask::of_bits(refused),
        }
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
        let (rtol, atol) = self.tolerances();
        let trial = block.trial(&h, rtol, atol);
        let fine = self.monitored(code, scratch, &trial, PARTS);
        // Nothing may depend on whether another lane was suspicious.
        suspicious & fine.suspicious.bits()
    }

    /// Looks through a trial step. A zero between two places needs a slope that carries `s` down and up again:
    /// suspicious are lanes in which twice the steepest slope seen could do that.
    ///
    /// The states in between are those of Hermite's cubic.
    #[inline(always)]
    pub fn monitored(
        &self,
        code: &LaneCode,
        scratch: &mut Scratch,
        trial: &Trial<'_>,
        parts: usize,
    ) -> RankSample {
        let (n, h) = (trial.y.len(), *trial.h);
        let last = self.tableau.stage_count() * n;
        let mut largest = *trial.largest;
        let mut least = *trial.least;
        let mut sigma = [least.sqrt(); PARTS + 1];
        let mut low = Mask::NONE;
        for (i, sigma) in sigma.iter_mut().enumerate().take(parts + 1).skip(1) {
            let theta = Lanes::all(i as f64 / parts as f64);
            let rest = Lanes::all(1.0) - theta;
            // y0 + theta (F0 + (1 - theta) (F1 + theta F2))
            for c in 0..n {
                let rise = trial.end[c] - trial.y[c];
                let first = h * trial.slopes[c] - rise;
                let second = rise - h * trial.slopes[last + c] - first;
                let between = trial.y[c] + theta * (rise + rest * (first + theta * second));
                scratch.state[c] = if i == parts { trial.end[c] } else { between };
            }
            let t = *trial.t + theta * h;
            let at = Instant { t: &t, p: trial.p };
            let Scratch {
                room,
                results,
                state,
                ..
            } = scratch;
            let gram = self.gram(code, room, results, at, state);
            largest = largest.max(gram.largest);
            least = gram.least;
            *sigma = least.sqrt();
            let number = gram.largest.at_most(Lanes::all(f64::MAX));
            low = low.or(gram.refused).or(number.not());
        }
        let mut steepest = Lanes::all(0.0);
        for i in 0..parts {
            steepest = steepest.max((sigma[i + 1] - sigma[i]).abs());
        }
        let zero = Lanes::all(SINGULAR) * largest.sqrt();
        for i in 0..parts {
            low = low
                .or((sigma[i] + sigma[i + 1]).at_most(steepest + steepest))
                .or(sigma[i + 1].at_most(zero));
        }
        RankSample {
            suspicious: low,
            least,
            largest,
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
