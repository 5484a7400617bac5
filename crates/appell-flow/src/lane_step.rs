//! A step over lanes: what goes in, what comes out.
#![cfg_attr(
    not(feature = "cc"),
    allow(dead_code, reason = "read by the C over lanes")
)]

use crate::lanes::{Bits, LANES, Lanes, Mask};
use crate::motion::Options;
use std::ops::Range;

/// The members in the lanes.
pub(crate) struct Block {
    pub member: [usize; LANES],
    /// The lanes with a member.
    pub active: Bits,
    pub t: Lanes,
    /// The next step, with its sign.
    pub h: Lanes,
    pub y: Vec<Lanes>,
    pub p: Vec<Lanes>,
    /// Rows of the length of `y`: stages, the end of the step, dense stages.
    pub slopes: Vec<Lanes>,
    /// The place of the slope at the end of the step.
    pub last: usize,
    /// The end of the trial step.
    pub end: Vec<Lanes>,
    /// The square of the error of the trial step, in units of the tolerance.
    pub error: Lanes,
    /// The lanes whose last step was rejected.
    pub rejected_last: Mask,
    pub steps: Lanes,
    pub rejected: Lanes,
    /// The largest entry of the diagonal of `A M^-1 A^T` so far.
    pub largest: Lanes,
    /// The rows of the rank monitor at the start of the step.
    pub rows: Vec<Lanes>,
    /// The same at the end of the trial step.
    pub largest_end: Lanes,
    pub rows_end: Vec<Lanes>,
    pub next_sample: [usize; LANES],
}

impl Block {
    /// The step from here.
    pub fn trial<'a>(&'a mut self, h: &'a Lanes, rtol: f64, atol: f64) -> Trial<'a> {
        Trial {
            t: &self.t,
            h,
            y: &self.y,
            p: &self.p,
            slopes: &mut self.slopes,
            end: &mut self.end,
            rows: &self.rows,
            largest: &self.largest,
            error: &mut self.error,
            rows_end: &mut self.rows_end,
            largest_end: &mut self.largest_end,
            active: self.active,
            rtol,
            atol,
        }
    }
}

/// What a step needs to know of the manifold beside the functions, which are, in this order: the right-hand
/// side; for each stage residual, sizes of the terms, correction; `A` and `(M^-1 A^T)^T` where singular states are
/// monitored; the conditions.
#[derive(Debug, Clone)]
pub(crate) struct Manifold {
    /// The number of rows of each stage, and the components that it moves.
    pub stages: Vec<(usize, Range<usize>)>,
    /// The constraints that the rank monitor sees.
    pub monitored: Option<Monitored>,
}

/// The size of `A`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Monitored {
    pub rows: usize,
    pub columns: usize,
}

impl Monitored {
    /// How many numbers `A` and `(M^-1 A^T)^T` are.
    pub fn len(self) -> usize {
        2 * self.rows * self.columns
    }
}

/// What the beginning of members needs to know.
pub(crate) struct Begin {
    pub until: f64,
    pub max_step: f64,
    pub rtol: f64,
    pub atol: f64,
}

impl Begin {
    /// As is asked for; tolerances below rounding are not.
    pub fn of(options: &Options) -> Begin {
        Begin {
            until: options.until,
            max_step: options.max_step,
            rtol: options.rtol.max(4.0 * f64::EPSILON),
            atol: options.atol,
        }
    }
}

/// Members on a GPU that run at a time: component `c` of member `i` at `c count + i`.
#[derive(Default)]
pub(crate) struct Chunk {
    pub count: usize,
    pub y: Vec<f64>,
    pub p: Vec<f64>,
    pub end: Vec<f64>,
    pub t: Vec<f64>,
    pub steps: Vec<u32>,
    pub rejected: Vec<u32>,
    pub ending: Vec<u32>,
    /// Component `c` of sample `k` of member `i` at `(k n + c) count + i`.
    pub samples: Vec<f64>,
    /// How many samples each member has.
    pub sampled: Vec<u32>,
}

/// A member on a GPU is at the last time.
pub(crate) const FINISHED: u32 = 1;
/// Its budget of steps is used up.
pub(crate) const SPENT: u32 = 2;

/// A trial step over lanes.
pub(crate) struct Trial<'a> {
    pub t: &'a Lanes,
    pub h: &'a Lanes,
    pub y: &'a [Lanes],
    pub p: &'a [Lanes],
    /// Rows of the length of `y`; the first is the slope at the start, that after the stages the slope at the
    /// end.
    pub slopes: &'a mut [Lanes],
    pub end: &'a mut [Lanes],
    /// What the rank monitor saw at the start.
    pub rows: &'a [Lanes],
    pub largest: &'a Lanes,
    /// The square of the error, in units of the tolerance.
    pub error: &'a mut Lanes,
    /// What the rank monitor saw at the end.
    pub rows_end: &'a mut [Lanes],
    pub largest_end: &'a mut Lanes,
    pub active: Bits,
    pub rtol: f64,
    pub atol: f64,
}

/// What became of a trial step. Its end is projected in the lanes that are good.
pub(crate) struct Tried {
    /// The lanes whose step may be taken.
    pub good: Bits,
    /// The lanes in which something has no value or the projection fails or leads far away.
    pub strange: Bits,
    /// The lanes that the first sample of the rank monitor suspects.
    pub suspicious: Bits,
}

/// What becomes of the lanes after a trial step.
pub(crate) struct Advance<'a> {
    /// The steps that were tried.
    pub taken: &'a Lanes,
    pub until: f64,
    pub max_step: f64,
    pub max_steps: f64,
    /// The lanes whose step is taken.
    pub good: Bits,
    /// The lanes whose step was too long.
    pub refused: Bits,
}

/// The lanes that do not simply go on.
pub(crate) struct Advanced {
    /// At the last time.
    pub arrived: Bits,
    /// The next step is below the rounding of the time.
    pub brief: Bits,
    /// The budget of steps is used up.
    pub spent: Bits,
}
