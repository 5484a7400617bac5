//! Members side by side, and how they begin.

use super::manifold::{Instant, Scratch};
use super::march::Shared;
use super::rows::strength;
use crate::backend::vectorised::{Vectorised, vectorised};
use crate::backend::{Combination, LaneCode, scale};
use crate::lane_step::{Begin, Block};
use crate::lanes::{Bits, LANES, Lanes, Mask, chosen};
use crate::rules::OFF;

/// Members that are ready to begin.
pub(super) struct Queue {
    /// The members from which on the block's lanes are still to be given out.
    taken: usize,
    count: usize,
    block: Block,
}

/// What became of a block of starts.
pub(super) enum Refill {
    /// There are members to be given out.
    Ready,
    /// All members have begun.
    Empty,
}

impl Block {
    pub(super) fn new(shared: &Shared<'_>) -> Block {
        let n = shared.program.motion.names.len();
        let zero = Lanes::default();
        let rows = vec![zero; shared.rows()];
        Block {
            member: [0; LANES],
            active: 0,
            t: Lanes::all(shared.members.t),
            h: zero,
            y: vec![zero; n],
            p: vec![zero; shared.program.parameters],
            slopes: vec![zero; n * shared.tableau().slope_count()],
            last: n * shared.tableau().stage_count(),
            end: vec![zero; n],
            error: zero,
            rejected_last: Mask::NONE,
            steps: zero,
            rejected: zero,
            largest: zero,
            rows: rows.clone(),
            largest_end: zero,
            rows_end: rows,
            next_sample: [0; LANES],
        }
    }

    /// Takes over one lane of another block, at its beginning.
    fn take(&mut self, lane: usize, other: &Block, from: usize) {
        let copy = |to: &mut [Lanes], other: &[Lanes]| {
            for (to, other) in to.iter_mut().zip(other) {
                to.0[lane] = other.0[from];
            }
        };
        let n = self.y.len();
        copy(&mut self.y, &other.y);
        copy(&mut self.p, &other.p);
        copy(&mut self.slopes[..n], &other.slopes[..n]);
        self.member[lane] = other.member[from];
        self.active |= 1 << lane;
        self.t.0[lane] = other.t.0[from];
        self.h.0[lane] = other.h.0[from];
        self.rejected_last.0[lane] = 0;
        self.steps.0[lane] = 0.0;
        self.rejected.0[lane] = 0.0;
        self.largest.0[lane] = other.largest.0[from];
        copy(&mut self.rows, &other.rows);
        self.next_sample[lane] = 0;
    }

    /// One lane of the state.
    pub fn state(y: &[Lanes], lane: usize) -> impl Iterator<Item = f64> {
        y.iter().map(move |x| x.0[lane])
    }
}

impl Queue {
    pub fn new(shared: &Shared<'_>) -> Queue {
        Queue {
            taken: 0,
            count: 0,
            block: Block::new(shared),
        }
    }

    /// Gives the next member to a lane; `false` where the queue is empty.
    pub fn give(&mut self, block: &mut Block, lane: usize) -> bool {
        while self.taken < self.count {
            let from = self.taken;
            self.taken += 1;
            if self.block.active >> from & 1 == 1 {
                block.take(lane, &self.block, from);
                return true;
            }
        }
        false
    }

    /// Makes the next members ready: projection, slope, first step. Those that cannot begin in a lane are
    /// handed to `alone`.
    pub fn fill(
        &mut self,
        shared: &Shared<'_>,
        code: &LaneCode,
        scratch: &mut Scratch,
        members: std::ops::Range<usize>,
        mut alone: impl FnMut(usize),
    ) -> Refill {
        if members.is_empty() {
            return Refill::Empty;
        }
        (self.taken, self.count) = (0, members.len());
        let block = &mut self.block;
        let mut state = vec![0.0; block.y.len()];
        let mut parameters = vec![0.0; block.p.len()];
        let first = members.start;
        for lane in 0..LANES {
            // What is over repeats a member, so that no lane is without numbers.
            let member = members.clone().nth(lane).unwrap_or(first);
            (shared.members.start)(member, &mut state, &mut parameters);
            block.member[lane] = member;
            let copy = |to: &mut [Lanes], from: &[f64]| {
                for (to, from) in to.iter_mut().zip(from) {
                    to.0[lane] = *from;
                }
            };
            copy(&mut block.y, &state);
            copy(&mut block.p, &parameters);
        }
        block.active = Bits::MAX >> (LANES - self.count);
        block.t = Lanes::all(shared.members.t);
        let ready = vectorised(Beginning {
            shared,
            code,
            scratch,
            block,
        });
        let refused = block.active & !ready;
        block.active &= ready;
        chosen(refused).for_each(|lane| alone(first + lane));
        Refill::Ready
    }
}

/// The beginning of a block of members: gives the lanes that may go on as lanes.
struct Beginning<'a, 's> {
    shared: &'a Shared<'s>,
    code: &'a LaneCode,
    scratch: &'a mut Scratch,
    block: &'a mut Block,
}

impl Vectorised for Beginning<'_, '_> {
    type Output = Bits;

    #[inline(always)]
    fn run(mut self) -> Bits {
        if let Some(native) = self.code.native() {
            return native.begin(self.block, &Begin::of(self.shared.options));
        }
        let ready = self.settle();
        self.block.h = self.first_step();
        ready.bits()
    }
}

impl Beginning<'_, '_> {
    /// Puts the starts on the constraints and takes their slopes; the lanes that are regular there.
    #[inline(always)]
    fn settle(&mut self) -> Mask {
        let Beginning {
            shared,
            code,
            scratch,
            block,
        } = self;
        let n = block.y.len();
        let mut size = Lanes::all(0.0);
        for x in block.y.iter().chain(&block.p) {
            size = size + x.abs();
        }
        let mut ready = size.at_most(Lanes::all(f64::MAX));
        block.end.copy_from_slice(&block.y);
        let at = Instant {
            t: &block.t,
            p: &block.p,
        };
        let active = Mask::of_bits(block.active);
        let settled = shared.project(code, scratch, at, &block.y, &mut block.end, active);
        ready = ready
            .and(settled.failed.not())
            .and(settled.before.at_most(Lanes::all(OFF)));
        block.y.copy_from_slice(&block.end);
        let Scratch { buffers, grams, .. } = scratch;
        if let Some(size) = shared.monitored {
            let place = shared.monitor();
            let refused = code.call(place, buffers, at.t, &block.y, at.p, &mut block.rows);
            let [gram, _, pivots] = grams;
            let strength = strength(size, &block.rows, gram, pivots);
            block.largest = strength.largest;
            let regular = strength.is_regular(block.largest);
            ready = ready.and(regular).and(Mask::of_bits(refused).not());
        }
        let refused = code.call(0, buffers, at.t, &block.y, at.p, &mut block.slopes);
        ready
            .and(Mask::of_bits(refused).not())
            .and(finite(&block.slopes[..n]))
    }

    /// The first step as for a single motion: Euler's method would err by a hundredth of the tolerance
    /// [hairer1993, sect. II.4].
    #[inline(always)]
    fn first_step(&mut self) -> Lanes {
        let Beginning {
            shared,
            code,
            scratch,
            block,
        } = self;
        let n = block.y.len();
        let (rtol, atol) = shared.tolerances();
        let (mut position, mut speed) = (Lanes::all(0.0), Lanes::all(0.0));
        for c in 0..n {
            let scale = scale(block.y[c], block.y[c], rtol, atol);
            let (x, k) = (block.y[c] / scale, block.slopes[c] / scale);
            position = position + x * x;
            speed = speed + k * k;
        }
        let mean = |sum: Lanes| (sum / Lanes::all(n.max(1) as f64)).sqrt();
        let (position, speed) = (mean(position), mean(speed));
        let rest = shared.options.until - shared.members.t;
        let limit = rest.abs().min(shared.options.max_step);
        let slow = Lanes::all(1e-5);
        let tiny = position.below(slow).or(speed.below(slow));
        let guess = tiny.choose(Lanes::all(1e-6), Lanes::all(0.01) * position / speed);
        let guess = guess.min(Lanes::all(limit));
        let signed = guess.map(|x| x.copysign(rest));
        Combination {
            first: &block.y,
            factor: signed,
            weights: &[1.0],
            slopes: &block.slopes,
            out: &mut block.end,
        }
        .run();
        let (first, second) = block.slopes[..2 * n].split_at_mut(n);
        let (buffers, t) = (&mut scratch.buffers, block.t + signed);
        let refused = code.call(0, buffers, &t, &block.end, &block.p, second);
        let mut change = Lanes::all(0.0);
        for c in 0..n {
            let x = (second[c] - first[c]) / scale(block.y[c], block.y[c], rtol, atol);
            change = change + x * x;
        }
        let largest = speed.max(mean(change) / guess);
        let still = largest.at_most(Lanes::all(1e-15));
        let order = Lanes::all(1.0 / f64::from(shared.tableau().order));
        let wanted = ((Lanes::all(0.01) / largest).log2() * order).exp2();
        let step = still.choose((guess * Lanes::all(1e-3)).max(Lanes::all(1e-6)), wanted);
        let step = step.min(Lanes::all(100.0) * guess).min(Lanes::all(limit));
        let usable = finite(second)
            .and(Mask::of_bits(refused).not())
            .and(largest.at_most(Lanes::all(1e300)));
        usable.choose(step, guess).map(|x| x.copysign(rest))
    }
}

/// The lanes in which all numbers are finite.
#[inline(always)]
pub(super) fn finite(numbers: &[Lanes]) -> Mask {
    let mut sum = Lanes::all(0.0);
    for x in numbers {
        sum = sum + x.abs();
    }
    sum.at_most(Lanes::all(f64::MAX))
}
