//! What happens within a completed step over lanes: samples and stop conditions.

use super::block::finite;
use super::manifold::{Instant, Scratch};
use super::march::Shared;
use crate::backend::vectorised::Vectorised;
use crate::backend::{Combination, LaneCode};
use crate::lane_step::Block;
use crate::lanes::{LANES, Lanes, Mask};
use crate::motion::CrossingSense;
use crate::stop::{
    PARTS, PROBES, Part, ZERO, becomes_true, beside, comes_near, has_peak, is_inner, is_resolved,
    reaches,
};

/// The motion over the last step by its dense output: rows of the length of the state.
pub(super) struct Dense {
    coefficients: Vec<Lanes>,
    /// The length of the step.
    h: Lanes,
}

/// What ends motions within the step.
pub(super) struct Stopped {
    /// The lanes that stop.
    pub lanes: Mask,
    /// The part of the step up to which a lane's motion is kept; 1 where it does not stop.
    pub kept: Lanes,
    /// The condition.
    pub condition: [u32; LANES],
    /// The lanes in which a condition has no value.
    pub failed: Mask,
}

impl Dense {
    pub fn new(shared: &Shared<'_>, n: usize) -> Dense {
        Dense {
            coefficients: vec![Lanes::default(); n * shared.tableau().dense_count()],
            h: Lanes::default(),
        }
    }

    /// Takes the dense stages and writes the coefficients; the lanes in which they have values.
    #[inline(always)]
    pub fn complete(
        &mut self,
        shared: &Shared<'_>,
        code: &LaneCode,
        scratch: &mut Scratch,
        block: &mut Block,
        h: Lanes,
    ) -> Mask {
        self.h = h;
        let (method, n) = (shared.tableau(), block.y.len());
        let last = method.stage_count();
        let mut good = Mask::ALL;
        let dense = method.dense.stages.iter().zip(method.dense.nodes);
        for (i, (row, node)) in dense.enumerate() {
            let place = (last + 1 + i) * n;
            let (done, next) = block.slopes.split_at_mut(place);
            Combination {
                first: &block.y,
                factor: h,
                weights: row,
                slopes: done,
                out: &mut scratch.state,
            }
            .run();
            let t = block.t + Lanes::all(*node) * h;
            let next = &mut next[..n];
            let refused = code.call(0, &mut scratch.buffers, &t, &scratch.state, &block.p, next);
            good = good.and(Mask::of_bits(refused).not()).and(finite(next));
        }
        let out = &mut self.coefficients;
        for c in 0..n {
            let rise = block.end[c] - block.y[c];
            let start = h * block.slopes[c] - rise;
            out[c] = rise;
            out[n + c] = start;
            out[2 * n + c] = rise - h * block.slopes[last * n + c] - start;
            scratch.state[c] = Lanes::all(0.0);
        }
        for (i, weights) in method.dense.weights.iter().enumerate() {
            Combination {
                first: &scratch.state,
                factor: h,
                weights,
                slopes: &block.slopes,
                out: &mut out[(3 + i) * n..(4 + i) * n],
            }
            .run();
        }
        good
    }

    /// The state at a part of the step; at its end the end.
    #[inline(always)]
    fn state(&self, block: &Block, theta: Lanes, out: &mut [Lanes]) {
        let n = block.y.len();
        let one = Lanes::all(1.0);
        let end = one.at_most(theta);
        for (c, out) in out.iter_mut().enumerate() {
            let mut sum = Lanes::all(0.0);
            for i in (0..self.coefficients.len() / n.max(1)).rev() {
                let factor = if i % 2 == 0 { theta } else { one - theta };
                sum = factor * (self.coefficients[i * n + c] + sum);
            }
            *out = end.choose(block.end[c], sum + block.y[c]);
        }
    }

    /// The projected state at a part of the step. Where it cannot be projected it is left as it is.
    #[inline(always)]
    pub fn projected(
        &self,
        shared: &Shared<'_>,
        code: &LaneCode,
        scratch: &mut Scratch,
        block: &Block,
        theta: Lanes,
        out: &mut Vec<Lanes>,
    ) {
        let n = block.y.len();
        let mut state = std::mem::take(&mut scratch.state);
        self.state(block, theta, &mut state);
        out.clear();
        out.extend_from_slice(&state);
        let (t, p) = (block.t + theta * self.h, &block.p);
        let settled = shared.project(
            code,
            scratch,
            Instant { t: &t, p },
            &block.y,
            out,
            Mask::ALL,
        );
        for c in 0..n {
            out[c] = settled.failed.choose(state[c], out[c]);
        }
        scratch.state = state;
    }

    /// The conditions that become true first.
    #[inline(always)]
    pub fn stops(
        &self,
        shared: &Shared<'_>,
        code: &LaneCode,
        scratch: &mut Scratch,
        block: &Block,
        lanes: Mask,
    ) -> Stopped {
        let mut found = Stopped {
            lanes: Mask::NONE,
            kept: Lanes::all(1.0),
            condition: [0; LANES],
            failed: Mask::NONE,
        };
        let before = code.functions() - shared.program.motion.stops.len();
        for (index, stop) in shared.program.motion.stops.iter().enumerate() {
            let mut condition = Condition {
                crossing: stop.crossing,
                function: before + index,
                dense: self,
                code,
                block,
                failed: Mask::NONE,
            };
            let (crossed, part) = condition.crossed(scratch, lanes);
            found.failed = found.failed.or(condition.failed);
            let earlier = crossed.and(part.below(found.kept).or(found.lanes.not()));
            found.kept = earlier.choose(part, found.kept);
            found.lanes = found.lanes.or(earlier);
            earlier
                .lanes()
                .for_each(|lane| found.condition[lane] = index as u32);
        }
        found
    }
}

/// After so many golden sections a part is narrower than rounding lets a smooth minimum be known.
const SECTIONS: usize = 40;

/// A stop condition along the last step.
struct Condition<'a> {
    crossing: CrossingSense,
    /// Its place among the functions over lanes.
    function: usize,
    dense: &'a Dense,
    code: &'a LaneCode,
    block: &'a Block,
    /// The lanes in which it had no value.
    failed: Mask,
}

impl Condition<'_> {
    /// The quantity at a part of the step.
    #[inline(always)]
    fn gap(&mut self, scratch: &mut Scratch, theta: Lanes, lanes: Mask) -> Lanes {
        let Scratch { buffers, state, .. } = scratch;
        self.dense.state(self.block, theta, state);
        let (t, mut gap) = (self.block.t + theta * self.dense.h, [Lanes::default()]);
        let p = &self.block.p;
        let refused = self
            .code
            .call(self.function, buffers, &t, state, p, &mut gap);
        let without = Mask::of_bits(refused).or(finite(&gap).not());
        self.failed = self.failed.or(without.and(lanes));
        gap[0]
    }

    /// The lanes in which the condition becomes true, and the part of the step where it first does: first by
    /// its sign between parts of the step, then by bisection to neighbouring numbers.
    #[inline(always)]
    fn crossed(&mut self, scratch: &mut Scratch, lanes: Mask) -> (Mask, Lanes) {
        let place = |i: usize| i as f64 / PARTS as f64;
        let mut gaps = [Lanes::default(); PARTS + 1];
        for (i, value) in gaps.iter_mut().enumerate() {
            *value = self.gap(scratch, Lanes::all(place(i)), lanes);
        }
        let largest = gaps
            .iter()
            .fold(Lanes::all(0.0), |size, g| size.max(g.abs()));
        let begins = self.block.steps.equals(Lanes::all(0.0));
        let on = gaps[0]
            .abs()
            .at_most(Lanes::all(ZERO) * largest)
            .and(begins);
        // What begins on a surface is looked at more closely alone.
        self.failed = self.failed.or(on.and(lanes));
        let (mut a, mut b) = (Lanes::all(0.0), Lanes::all(1.0));
        let mut start = gaps[0];
        let probes = PROBES.map(|theta| self.gap(scratch, Lanes::all(theta), lanes));
        let mut crossed = Mask::NONE;
        for lane in lanes.lanes() {
            // What changes too quickly too.
            if !is_resolved(&gaps.map(|gap| gap.0[lane]), probes.map(|gap| gap.0[lane])) {
                self.failed.0[lane] = !0;
            }
            let part = (0..PARTS)
                .find(|i| becomes_true(self.crossing, gaps[*i].0[lane], gaps[i + 1].0[lane]));
            if let Some(i) = part {
                (a.0[lane], b.0[lane]) = (place(i), place(i + 1));
                start.0[lane] = gaps[i].0[lane];
                crossed.0[lane] = !0;
            }
        }
        self.suspect_turns(scratch, &gaps, lanes, b);
        let mut open = crossed;
        while open.any() {
            let middle = Lanes::all(0.5) * (a + b);
            open = open.and(a.below(middle)).and(middle.below(b));
            let now = self.gap(scratch, middle, open);
            let holds = start.compare(now, |x, y| becomes_true(self.crossing, x, y));
            b = open.and(holds).choose(middle, b);
            a = open.and(holds.not()).choose(middle, a);
        }
        (crossed, b)
    }

    /// Lanes in which the quantity crosses zero and comes back within a part, or has a pole that leads through infinity, before the end of the part where the
    /// condition is known to become true, are looked at more closely alone.
    #[inline(always)]
    fn suspect_turns(
        &mut self,
        scratch: &mut Scratch,
        gaps: &[Lanes; PARTS + 1],
        lanes: Mask,
        end: Lanes,
    ) {
        for part in 0..PARTS {
            let of_lane = |lane: usize| gaps.map(|gap| gap.0[lane]);
            let before_end = |lane: usize| (part as f64) < end.0[lane] * PARTS as f64;
            let may_turn = |lane: usize| {
                let gaps = of_lane(lane);
                comes_near(&gaps, part) || has_peak(&gaps, part)
            };
            let near = lanes
                .lanes()
                .filter(|lane| before_end(*lane) && may_turn(*lane));
            let near: Vec<usize> = near.collect();
            if near.is_empty() {
                continue;
            }
            let [before, after] =
                beside(part).map(|theta| self.gap(scratch, Lanes::all(theta), lanes));
            let mut turning = Mask::NONE;
            for lane in near {
                let sides = [before.0[lane], after.0[lane]];
                let peaks = has_peak(&of_lane(lane), part);
                let turns = Part::new(&of_lane(lane), part, sides).turns();
                if turns || peaks {
                    turning.0[lane] = !0;
                }
                if peaks && !turns && is_inner(part) {
                    self.failed.0[lane] = !0;
                }
            }
            if turning.any() {
                let least = self.least(scratch, part, gaps[part], turning);
                let crossing = self.crossing;
                let crosses = gaps[part].compare(least, |x, y| reaches(crossing, x.signum() * y));
                self.failed = self.failed.or(crosses.and(turning));
            }
        }
    }

    /// The value nearest to zero, or beyond it, within a part of the step, by golden section.
    #[inline(always)]
    fn least(&mut self, scratch: &mut Scratch, part: usize, start: Lanes, lanes: Mask) -> Lanes {
        let golden = Lanes::all(0.5 * (5f64.sqrt() - 1.0));
        let [mut a, mut b] = [part, part + 1].map(|i| Lanes::all(i as f64 / PARTS as f64));
        let mut least = start;
        for _ in 0..SECTIONS {
            let (left, right) = (b - golden * (b - a), a + golden * (b - a));
            let (at_left, at_right) = (
                self.gap(scratch, left, lanes),
                self.gap(scratch, right, lanes),
            );
            let side = start.compare(Lanes::all(0.0), |x, _| x > 0.0);
            let lower = at_left.below(at_right);
            let to_left = side.and(lower).or(side.not().and(lower.not()));
            b = to_left.choose(right, b);
            a = to_left.choose(a, left);
            let inner = to_left.choose(at_left, at_right);
            let better = side
                .and(inner.below(least))
                .or(side.not().and(least.below(inner)));
            least = better.choose(inner, least);
        }
        least
    }
}
