//! The manifold over lanes: projection, and the watch for singular states.

use super::block::Block;
use super::march::Shared;
use crate::backend::{LaneCode, Room, scale};
use crate::lanes::{Lanes, Mask};

/// A start off the manifold by more than this is none.
pub(super) const OFF: f64 = 1e-6;
/// The watched quantity below this is a singular state.
pub(super) const SINGULAR: f64 = 1e-6;
/// A correction longer than this many tolerances leaves the neighbourhood of the step.
const FAR: f64 = 10.0;
/// Off the manifold by less than this, relative to the terms of a row, is rounding.
const ROUNDING: f64 = 1e-12;
/// Rounding level: a row whose terms nearly all carry an error of half a unit.
const AIM: f64 = 1e-15;
/// Newton's corrections converge quadratically; more than these would only chase rounding errors.
const CORRECTIONS: usize = 8;
/// Parts of a suspicious step.
const PARTS: usize = 4;

/// What a projection did.
pub(super) struct Settled {
    /// The largest residual before, relative to its terms.
    pub before: Lanes,
    /// The lanes in which it failed.
    pub failed: Mask,
    /// The lanes in which it led far away.
    pub far: Mask,
}

/// Room for the intermediate values of one thread.
pub(super) struct Desk {
    pub room: Room,
    pub results: Vec<Lanes>,
    kept: Vec<Lanes>,
    previous: Vec<Lanes>,
    pub state: Vec<Lanes>,
}

/// What the watch saw of a step.
pub(super) struct Sight {
    /// The lanes in which a singular state may lie in the step.
    pub suspicious: Mask,
    /// The square root of the least pivot at the end.
    pub sigma: Lanes,
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

impl Desk {
    pub fn new(shared: &Shared<'_>, code: &LaneCode) -> Desk {
        let n = shared.score.names.len();
        let longest = (0..code.functions()).map(|k| code.outputs(k)).max();
        let zeros = |length: usize| vec![Lanes::default(); length];
        Desk {
            room: code.room(),
            results: zeros(longest.unwrap_or(0)),
            kept: zeros(n),
            previous: zeros(n),
            state: zeros(n),
        }
    }
}

impl Shared<'_> {
    /// Projects `end`, reached at `t` from `start`, in some lanes, as a single motion is projected.
    #[inline(always)]
    pub fn project(
        &self,
        code: &LaneCode,
        desk: &mut Desk,
        (t, p): (&Lanes, &[Lanes]),
        (start, end): (&[Lanes], &mut [Lanes]),
        lanes: Mask,
    ) -> Settled {
        let mut settled = Settled {
            before: Lanes::all(0.0),
            failed: Mask::NONE,
            far: Mask::NONE,
        };
        if self.score.stages.is_empty() {
            return settled;
        }
        let (rtol, atol) = self.tolerances();
        let mut length = Lanes::all(0.0);
        for (k, stage) in self.score.stages.iter().enumerate() {
            let rows = stage.residual.outputs.len();
            let (first, count) = (stage.moved.start, stage.moved.len());
            desk.kept[..count].copy_from_slice(&end[stage.moved.clone()]);
            let refused = code.call(1 + k, &mut desk.room, t, end, p, &mut desk.results);
            let mut after = worst(&desk.results, rows);
            settled.before = settled.before.max(after);
            // What is no number is not settled.
            let number = after.at_most(Lanes::all(f64::MAX));
            let mut failed = Mask::of_bits(refused).or(number.not());
            let mut moving = lanes.and(failed.not()).and(Lanes::all(AIM).below(after));
            for _ in 0..CORRECTIONS {
                if !moving.any() {
                    break;
                }
                for c in 0..count {
                    let w = end[first + c];
                    desk.previous[c] = w;
                    // Lanes that are not moved keep their bits.
                    end[first + c] = moving.choose(w + desk.results[2 * rows + c], w);
                }
                let refused = code.call(1 + k, &mut desk.room, t, end, p, &mut desk.results);
                let next = worst(&desk.results, rows);
                let fell = moving.and(next.below(after));
                let back = moving.and(fell.not());
                for c in 0..count {
                    end[first + c] = back.choose(desk.previous[c], end[first + c]);
                }
                after = fell.choose(next, after);
                failed = failed.or(fell.and(Mask::of_bits(refused)));
                moving = fell.and(Lanes::all(AIM).below(after));
            }
            settled.failed = settled.failed.or(failed);
            for c in 0..count {
                let old = desk.kept[c];
                let moved = (end[first + c] - old) / scale(start[first + c], old, rtol, atol);
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

    /// Whether singular states are watched for.
    pub fn watches(&self) -> bool {
        self.options.watch && self.score.watch.is_some()
    }

    /// Eliminates `A M^-1 A^T`.
    #[inline(always)]
    pub fn gram(
        &self,
        code: &LaneCode,
        room: &mut Room,
        gram: &mut [Lanes],
        (t, y, p): (&Lanes, &[Lanes], &[Lanes]),
    ) -> Gram {
        let k = self.score.watch.as_ref().map_or(0, |watch| watch.rows);
        let place = 1 + self.score.stages.len();
        let refused = code.call(place, room, t, y, p, gram);
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

    /// Looks through the step to `block.end`. A zero between two places needs a slope that carries `s` down
    /// and up again: suspicious are lanes in which twice the steepest slope seen could do that.
    #[inline(always)]
    pub fn watch(
        &self,
        code: &LaneCode,
        desk: &mut Desk,
        block: &Block,
        h: Lanes,
        lanes: Mask,
    ) -> Sight {
        let rough = self.watch_parts(code, desk, block, h, 2);
        if !rough.suspicious.and(lanes).any() {
            return rough;
        }
        let fine = self.watch_parts(code, desk, block, h, PARTS);
        // Nothing may depend on whether another lane was suspicious.
        Sight {
            suspicious: rough.suspicious.and(fine.suspicious),
            ..rough
        }
    }

    /// The states in between are those of Hermite's cubic.
    #[inline(always)]
    fn watch_parts(
        &self,
        code: &LaneCode,
        desk: &mut Desk,
        block: &Block,
        h: Lanes,
        parts: usize,
    ) -> Sight {
        let n = block.y.len();
        let last = self.tableau.stage_count() * n;
        let mut largest = block.largest;
        let mut sigma = [block.sigma; PARTS + 1];
        let mut low = Mask::NONE;
        for (i, sigma) in sigma.iter_mut().enumerate().take(parts + 1).skip(1) {
            let theta = Lanes::all(i as f64 / parts as f64);
            let rest = Lanes::all(1.0) - theta;
            // y0 + theta (F0 + (1 - theta) (F1 + theta F2))
            for c in 0..n {
                let rise = block.end[c] - block.y[c];
                let first = h * block.slopes[c] - rise;
                let second = rise - h * block.slopes[last + c] - first;
                let between = block.y[c] + theta * (rise + rest * (first + theta * second));
                desk.state[c] = if i == parts { block.end[c] } else { between };
            }
            let t = block.t + theta * h;
            let at = (&t, &desk.state[..], &block.p[..]);
            let gram = self.gram(code, &mut desk.room, &mut desk.results, at);
            largest = largest.max(gram.largest);
            *sigma = gram.least.sqrt();
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
        Sight {
            suspicious: low,
            sigma: sigma[parts],
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
