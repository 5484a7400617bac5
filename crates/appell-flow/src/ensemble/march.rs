//! The steps of a block, lane by lane: each lane has its own time, step, acceptance and end.

use super::advance::Advancing;
use super::block::Queue;
use super::manifold::Scratch;
use super::within::{Dense, Stopped};
use super::{Ending, EnsembleProgram, Members, Report};
use crate::backend::LaneCode;
use crate::backend::vectorised::{Vectorised, vectorised};
use crate::control::{by_clock, part_of_step};
use crate::lane_step::{Advance, Advanced, Begin, Block, Monitored};
use crate::lanes::{Bits, LANES, Lanes, Mask, chosen};
use crate::method::Method;
use crate::motion::{Control, Options};
use crate::rules::STRETCH;
use crate::tableau::Tableau;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;

/// Members that a thread takes at a time.
pub(super) const HANDFUL: usize = 64;
/// Numbers that are collected before they are handed over.
const FULL: usize = 8_192;

/// What all threads share.
pub(super) struct Shared<'a> {
    pub program: &'a EnsembleProgram<'a>,
    pub members: &'a Members<'a>,
    pub options: &'a Options,
    pub method: &'static Method,
    /// The constants of the steps over lanes, where the method has any.
    pub tableau: Option<&'static Tableau>,
    /// The functions over lanes, where there are any.
    pub code: Option<&'a LaneCode>,
    /// The constraints that are watched for singular states.
    pub monitored: Option<Monitored>,
    /// The next member that nobody has taken.
    pub next: AtomicUsize,
    pub cancel: &'a AtomicBool,
}

/// The end of a member's motion.
struct End {
    member: usize,
    t: f64,
    ending: Ending,
    steps: u32,
    rejected: u32,
    alone: Option<String>,
}

/// Reports on their way to the caller's thread, in order.
pub(super) struct Batch {
    /// A member and the place of the sample.
    heads: Vec<Head>,
    /// A state for each head.
    states: Vec<f64>,
}

enum Head {
    Sample { member: usize, index: usize },
    End(End),
}

impl Batch {
    /// One that does not have to grow before it is full.
    fn for_state(n: usize) -> Batch {
        let count = FULL.div_ceil(n + 1);
        Batch {
            heads: Vec::with_capacity(count),
            states: Vec::with_capacity(count * n),
        }
    }

    /// Hands on all reports; gives the number of ends.
    pub fn report(&self, n: usize, report: &mut dyn FnMut(Report<'_>)) -> usize {
        let mut ends = 0;
        for (k, head) in self.heads.iter().enumerate() {
            let y = &self.states[k * n..(k + 1) * n];
            match head {
                Head::Sample { member, index } => report(Report::Sample {
                    member: *member,
                    index: *index,
                    y,
                }),
                Head::End(end) => {
                    ends += 1;
                    report(Report::End {
                        member: end.member,
                        t: end.t,
                        y,
                        ending: end.ending,
                        steps: end.steps,
                        rejected: end.rejected,
                        alone: end.alone.as_deref(),
                    });
                }
            }
        }
        ends
    }

    fn add(&mut self, head: Head, state: impl Iterator<Item = f64>) {
        self.heads.push(head);
        self.states.extend(state);
    }
}

/// Where a thread leaves its reports.
struct Reports<'a> {
    sender: &'a SyncSender<Batch>,
    batch: Batch,
    /// The length of a state.
    n: usize,
}

impl Reports<'_> {
    fn add(&mut self, head: Head, state: impl Iterator<Item = f64>) {
        self.batch.add(head, state);
        if self.batch.states.len() + self.batch.heads.len() >= FULL {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.batch.heads.is_empty() {
            // Nobody listens only where the caller's thread has panicked.
            let next = Batch::for_state(self.n);
            let _ = self.sender.send(std::mem::replace(&mut self.batch, next));
        }
    }
}

impl Shared<'_> {
    /// One thread's part of the work.
    pub fn work(&self, sender: &SyncSender<Batch>) {
        let mut reports = Reports {
            sender,
            batch: Batch::for_state(self.program.motion.names.len()),
            n: self.program.motion.names.len(),
        };
        match self.code.filter(|_| self.options.until != self.members.t) {
            Some(code) => vectorised(March::new(self, code, &mut reports)),
            None => self.one_after_the_other(&mut reports),
        }
        reports.flush();
    }

    /// The constants of the steps over lanes.
    pub fn tableau(&self) -> &'static Tableau {
        self.tableau.expect("lanes have a tableau")
    }

    pub fn tolerances(&self) -> (f64, f64) {
        let Begin { rtol, atol, .. } = Begin::of(self.options);
        (rtol, atol)
    }

    fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// The next members, at most so many; none at the end.
    fn handful(&self, size: usize) -> Range<usize> {
        let count = self.members.count;
        let first = self.next.fetch_add(size, Ordering::Relaxed).min(count);
        first..count.min(first + size)
    }

    fn one_after_the_other(&self, reports: &mut Reports<'_>) {
        loop {
            let members = self.handful(1);
            if members.is_empty() || self.cancelled() {
                return;
            }
            members.for_each(|member| self.alone(member, reports));
        }
    }

    /// Runs a member as a single motion, from its start.
    fn alone(&self, member: usize, reports: &mut Reports<'_>) {
        let mut y = vec![0.0; self.program.motion.names.len()];
        let mut p = vec![0.0; self.program.parameters];
        (self.members.start)(member, &mut y, &mut p);
        let mut control = Control {
            cancel: Some(self.cancel),
            progress: None,
            stream: None,
        };
        let motion = self.run_alone(&y, &p, &mut control);
        let mut samples = self.options.samples.iter().enumerate().peekable();
        for sample in &motion.samples {
            while samples
                .next_if(|(_, t)| **t == sample.t)
                .map(|(index, _)| {
                    reports.add(Head::Sample { member, index }, sample.y.iter().copied());
                })
                .is_some()
            {}
        }
        let Some(last) = motion.samples.last() else {
            return;
        };
        let end = End {
            member,
            t: last.t,
            ending: Ending::of(&motion.outcome, &self.program.motion.stops),
            steps: motion.steps as u32,
            rejected: motion.rejected as u32,
            alone: Some(motion.outcome.to_string()),
        };
        reports.add(Head::End(end), last.y.iter().copied());
    }
}

/// One thread's march with its block.
struct March<'a, 's, 'o> {
    shared: &'a Shared<'s>,
    code: &'a LaneCode,
    block: Block,
    queue: Queue,
    /// Members that were taken and have not begun.
    taken: Range<usize>,
    scratch: Scratch,
    dense: Dense,
    sample: Vec<Lanes>,
    reports: &'a mut Reports<'o>,
}

/// The trial steps that are looked at.
struct Attempt {
    h: Lanes,
    /// The lanes whose step may be taken.
    good: Bits,
    /// The lanes that are to be run alone.
    strange: Bits,
    stopped: Option<Stopped>,
}

impl<'a, 's, 'o> March<'a, 's, 'o> {
    fn new(
        shared: &'a Shared<'s>,
        code: &'a LaneCode,
        reports: &'a mut Reports<'o>,
    ) -> March<'a, 's, 'o> {
        let n = shared.program.motion.names.len();
        March {
            shared,
            code,
            block: Block::new(shared),
            queue: Queue::new(shared),
            taken: 0..0,
            scratch: Scratch::new(shared, code),
            dense: Dense::new(shared, n),
            sample: vec![Lanes::default(); n],
            reports,
        }
    }
}

impl Vectorised for March<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        loop {
            if self.shared.cancelled() {
                return self.interrupt();
            }
            if self.block.active != Bits::MAX {
                self.refill();
                if self.block.active == 0 {
                    return;
                }
            }
            let attempt = self.attempt();
            self.advance(&attempt);
            chosen(attempt.strange).for_each(|lane| self.alone(lane));
        }
    }
}

impl March<'_, '_, '_> {
    /// Gives members to idle lanes, as long as there are any.
    fn refill(&mut self) {
        for lane in chosen(!self.block.active) {
            while !self.queue.give(&mut self.block, lane) {
                if self.taken.is_empty() {
                    self.taken = self.shared.handful(HANDFUL);
                }
                if self.taken.is_empty() {
                    return;
                }
                let first = self.taken.start;
                let members = first..self.taken.end.min(first + LANES);
                self.taken.start = members.end;
                let (shared, reports) = (self.shared, &mut *self.reports);
                self.queue
                    .fill(shared, self.code, &mut self.scratch, members, |member| {
                        shared.alone(member, reports);
                    });
            }
            self.record_start(lane);
        }
    }

    /// Ends all motions where they are.
    fn interrupt(&mut self) {
        for lane in chosen(self.block.active) {
            self.end(lane, Ending::Interrupted);
        }
    }

    /// The samples at the start.
    fn record_start(&mut self, lane: usize) {
        let block = &mut self.block;
        while self.shared.options.samples.get(block.next_sample[lane]) == Some(&block.t.0[lane]) {
            let head = Head::Sample {
                member: block.member[lane],
                index: block.next_sample[lane],
            };
            block.next_sample[lane] += 1;
            self.reports.add(head, Block::state(&block.y, lane));
        }
    }

    /// Reports the end of a lane's motion at its present state.
    fn end(&mut self, lane: usize, ending: Ending) {
        let block = &mut self.block;
        block.active &= !(1 << lane);
        let end = End {
            member: block.member[lane],
            t: block.t.0[lane],
            ending,
            steps: block.steps.0[lane] as u32,
            rejected: block.rejected.0[lane] as u32,
            alone: None,
        };
        self.reports
            .add(Head::End(end), Block::state(&block.y, lane));
    }

    /// The next steps, made to end at the last time rather than just before it.
    #[inline(always)]
    fn clipped(&self) -> Lanes {
        let options = self.shared.options;
        let rest = Lanes::all(options.until) - self.block.t;
        let h = self.block.h.abs().min(Lanes::all(options.max_step));
        let last = rest.abs().at_most(h * Lanes::all(STRETCH));
        let next = h.zip(rest, f64::copysign);
        last.choose(rest, self.block.t.zip(next, by_clock))
    }

    /// Tries a step in every lane, and looks within it.
    #[inline(always)]
    fn attempt(&mut self) -> Attempt {
        let h = self.clipped();
        let March {
            shared,
            code,
            block,
            scratch,
            ..
        } = self;
        let active = block.active;
        let (rtol, atol) = shared.tolerances();
        let tried = shared.attempt(code, scratch, &mut block.trial(&h, rtol, atol));
        let mut attempt = Attempt {
            h,
            good: tried.good,
            strange: tried.strange,
            stopped: None,
        };
        if tried.suspicious != 0 {
            let suspicious = shared.look_again(code, scratch, block, h, tried.suspicious);
            attempt.strange |= suspicious;
            attempt.good &= !suspicious;
        }
        if !shared.program.motion.stops.is_empty() || self.samples_within(h, attempt.good) {
            self.look_within(&mut attempt);
        }
        attempt.strange &= active;
        attempt
    }

    /// Whether a lane has a sample within its step.
    #[inline(always)]
    fn samples_within(&self, h: Lanes, good: Bits) -> bool {
        !self.shared.options.samples.is_empty()
            && chosen(good).any(|lane| self.next_sample_within(lane, h.0[lane], 1.0).is_some())
    }

    /// The part of a lane's step of this length at which its next sample lies, if the part `kept` of the step reaches it.
    #[inline(always)]
    fn next_sample_within(&self, lane: usize, h: f64, kept: f64) -> Option<f64> {
        let options = self.shared.options;
        let (t, until) = (self.block.t.0[lane], options.until);
        let end = if h == until - t { until } else { t + h };
        let time = options.samples.get(self.block.next_sample[lane])?;
        part_of_step(*time, [t, end, until], h, kept)
    }

    /// The dense output, and what it shows.
    #[inline(always)]
    fn look_within(&mut self, attempt: &mut Attempt) {
        let (shared, code, h) = (self.shared, self.code, attempt.h);
        let complete = self
            .dense
            .complete(shared, code, &mut self.scratch, &mut self.block, h);
        attempt.strange |= attempt.good & !complete.bits();
        attempt.good &= complete.bits();
        let mut kept = Lanes::all(1.0);
        if !shared.program.motion.stops.is_empty() {
            let (scratch, block) = (&mut self.scratch, &self.block);
            let good = Mask::of_bits(attempt.good);
            let stopped = self.dense.stops(shared, code, scratch, block, good);
            attempt.strange |= stopped.failed.bits();
            attempt.good &= !stopped.failed.bits();
            kept = stopped.kept;
            attempt.stopped = Some(stopped);
        }
        self.record_within(attempt, kept);
    }

    /// Records the samples up to the parts `kept` of the steps.
    #[inline(always)]
    fn record_within(&mut self, attempt: &Attempt, kept: Lanes) {
        loop {
            let mut place = Lanes::all(1.0);
            let mut here = Mask::NONE;
            for lane in chosen(attempt.good) {
                let (h, kept) = (attempt.h.0[lane], kept.0[lane]);
                while let Some(part) = self.next_sample_within(lane, h, kept) {
                    if part > 0.0 {
                        place.0[lane] = part;
                        here.0[lane] = !0;
                        break;
                    }
                    self.block.next_sample[lane] += 1;
                }
            }
            if !here.any() {
                return;
            }
            let (scratch, block, out) = (&mut self.scratch, &self.block, &mut self.sample);
            self.dense
                .projected(self.shared, self.code, scratch, block, place, out);
            for lane in here.lanes() {
                let head = Head::Sample {
                    member: self.block.member[lane],
                    index: self.block.next_sample[lane],
                };
                self.block.next_sample[lane] += 1;
                self.reports.add(head, Block::state(&self.sample, lane));
            }
        }
    }

    /// Takes the steps that are good, shortens those that are too long: the next start, or the end of the
    /// motion.
    #[inline(always)]
    fn advance(&mut self, attempt: &Attempt) {
        let options = self.shared.options;
        let refused = self.block.active & !(attempt.good | attempt.strange);
        let stops = self.stop(attempt);
        let advance = Advance {
            taken: &attempt.h,
            until: options.until,
            max_step: options.max_step,
            max_steps: options.max_steps as f64,
            good: attempt.good & !stops,
            refused,
        };
        let block = &mut self.block;
        let Advanced {
            arrived,
            brief,
            spent,
        } = match self.code.native() {
            Some(native) => native.advance(block, &advance),
            None => Advancing {
                block,
                advance: &advance,
                order: self.shared.tableau().order,
            }
            .run(),
        };
        chosen(arrived).for_each(|lane| self.end(lane, Ending::Finished));
        // They tell why.
        chosen(brief).for_each(|lane| self.alone(lane));
        chosen(spent & self.block.active).for_each(|lane| self.spent(lane));
    }

    /// Ends a motion that has used up its steps; where it is stiff, it is run alone by a method for that.
    fn spent(&mut self, lane: usize) {
        let of_lane = |all: &[Lanes]| all.iter().map(|x| x.0[lane]).collect::<Vec<_>>();
        let (y, p) = (of_lane(&self.block.y), of_lane(&self.block.p));
        let (t, h) = (self.block.t.0[lane], self.block.h.0[lane]);
        match self.shared.is_stiff(t, &y, &p, h) {
            true => self.alone(lane),
            false => self.end(lane, Ending::StepsExhausted),
        }
    }

    /// Ends the motions that stop within the step.
    #[inline(always)]
    fn stop(&mut self, attempt: &Attempt) -> Bits {
        let Some(stopped) = &attempt.stopped else {
            return 0;
        };
        let stops = stopped.lanes.bits() & attempt.good;
        if stops == 0 {
            return 0;
        }
        let (scratch, block, out) = (&mut self.scratch, &self.block, &mut self.sample);
        let kept = stopped.kept;
        self.dense
            .projected(self.shared, self.code, scratch, block, kept, out);
        for lane in chosen(stops) {
            let block = &mut self.block;
            for (y, sample) in block.y.iter_mut().zip(&self.sample) {
                y.0[lane] = sample.0[lane];
            }
            block.t.0[lane] += stopped.kept.0[lane] * attempt.h.0[lane];
            block.steps.0[lane] += 1.0;
            let condition = stopped.condition[lane];
            let stop = &self.shared.program.motion.stops[condition as usize];
            let ending = match stop.impassable {
                true => Ending::Impassable,
                false => Ending::Stopped(condition),
            };
            self.end(lane, ending);
        }
        stops
    }

    /// Runs a lane's member alone, from its start.
    fn alone(&mut self, lane: usize) {
        self.block.active &= !(1 << lane);
        self.shared.alone(self.block.member[lane], self.reports);
    }
}
