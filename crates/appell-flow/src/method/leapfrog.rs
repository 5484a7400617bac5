//! The leapfrog with symmetric projection, for long runs of reversible motions.

use super::{Method, Problem};
use crate::evaluation::{EvalError, Workspace};
use crate::field::evaluate;
use crate::linear::{Kind, Scratch, consistent, saddle};
use crate::motion::{Motion, Velocities};
use crate::project::{Projector, scaled};
use crate::rank_monitor::RankMonitor;
use crate::step::{Span, Stepper, first_step, hermite, size};
use crate::unsupported::Unsupported;
use nalgebra::{DMatrix, DVector, SVD};

/// The reversible leapfrog of fixed step for `q' = v`, `v' = a(q, v, t)`:
/// `q_1/2 = q_0 + h/2 v_0`, `v_1 = v_0 + h a(q_1/2, (v_0 + v_1)/2, t + h/2)`, `q_1 = q_1/2 + h/2 v_1`
/// [mclachlan2006, sect. 3], with the accelerations of the constrained motion, so that the step in `v` is
/// consistent with the constraints at `q_1/2`. It keeps them exactly by symmetric projection
/// [hairer2006, sect. V.4.1]: `y_1 = Phi(y_0 + P(y_0) c) + P(y_1) c` with `c` such that `y_1` lies on them,
/// where `P = W^-1 J^T (J W^-1 J^T)^+`.
///
/// Where the motion is reversible, `a(q, -v) = a(q, v)`, so is the step: the same step with `-v` leads back.
/// Energy and integrals then oscillate over long times instead of drifting. Terms in `L` that are total
/// derivatives do no harm, for `a` does not contain them.
pub static LEAPFROG: Method = Method {
    id: "leapfrog",
    title: "reversible leapfrog of fixed step, of order 2, for long runs",
    source: "mclachlan2006",
    order: Some(2),
    dense_order: Some(3),
    needs_tape: false,
    tableau: None,
    stepper: |problem| Ok(Box::new(Leapfrog::new(problem)?)),
};

/// Iterations of the implicit step and of the projection.
const ITERATIONS: usize = 60;
/// Residuals below this part of their terms may be rounding errors.
const ROUNDED: f64 = 1e-13;
/// Differences below this, relative to the values, are rounding errors.
const SAME: f64 = 1e-9;
/// The error of a step is estimated once in so many.
const EVERY: usize = 64;
/// A step that errs by more than this part of the state does not resolve the motion.
const COARSE: f64 = 5e-3;
/// Steps that were shortened, where the fixed length is too long, err by less: they are not reversible, so that their
/// errors add up.
const FINE: f64 = 1e-5;
/// Smaller changes say nothing about a motion that begins at rest.
const REST: f64 = 1e-6;
/// A step shorter than this part of the fixed length is a shortened one.
const SHORTENED: f64 = 0.75;
/// An acceleration that changes by less than this part in half a step is resolved.
const STEADY: f64 = 0.3;
/// Where this change makes more than this part of a velocity in the step, its error is looked at; where it makes
/// more than so many times the velocity, the step leaps over what the accelerations do.
const CHANGE: f64 = 0.01;
const LEAP: f64 = 2.0;
/// The distance to a singular state may change by this part of itself in a step.
const APPROACH: f64 = 0.5;

/// What breaks reversibility.
const TIMED: &str = "The accelerations depend on the time, so that the motion is no reversible one: over long \
    times `leapfrog` need not keep the energy in bounds.";
const ODD: &str = "The motion is not reversible: its accelerations change when all velocities are reversed, as by \
    friction, magnetic or gyroscopic terms. Over long times `leapfrog` has no advantage here.";
const ONE_WAY: &str = "The constraints do not hold when all velocities are reversed, so that the motion is not \
    reversible. Over long times `leapfrog` has no advantage here.";

struct Leapfrog<'a> {
    motion: &'a Motion<'a>,
    parts: Velocities,
    workspace: Workspace,
    scratch: Scratch,
    n: usize,
    /// Per stage of the projection, the rank of its rows where some depend on others.
    ranks: Vec<Option<usize>>,
    /// The fixed step, without sign; until it is known, that of the caller.
    step: Option<f64>,
    chosen: bool,
    until: f64,
    first: Vec<f64>,
    last: Vec<f64>,
    /// The largest estimated error, in tolerances.
    coarseness: f64,
    steps: usize,
    from: (f64, Vec<f64>),
    /// The slope in the middle of the step in hand, and its end.
    middle: Vec<f64>,
    end: Vec<f64>,
    /// The rank monitor's measure of singular states, with its values at the start and at the end of the step.
    monitor: Option<(RankMonitor<'a>, [f64; 2])>,
    /// How many steps were shortened.
    shortened: usize,
    remarks: Vec<String>,
    converged: bool,
    evaluations: usize,
}

impl<'a> Leapfrog<'a> {
    fn new(problem: &Problem<'a>) -> Result<Leapfrog<'a>, Unsupported> {
        let motion = problem.motion;
        let (t, y) = problem.start;
        let parts = motion.velocities.clone().filter(|parts| {
            let fits = parts.q.len() == parts.v.len() && parts.v.end <= y.len();
            fits && parts.q.end <= y.len()
        });
        let parts = parts.ok_or_else(|| {
            "it needs coordinates and their velocities as the state, (q, v); choose a form of the equations \
             that has them, as `--form multipliers`"
                .to_owned()
        })?;
        let n = motion.field.outputs();
        let mut leapfrog = Leapfrog {
            motion,
            parts,
            workspace: Workspace::default(),
            scratch: Scratch::default(),
            n,
            ranks: dependent_ranks(motion, t, y),
            step: problem.options.step,
            chosen: problem.options.step.is_none(),
            until: problem.options.until,
            first: vec![0.0; n],
            last: vec![0.0; n],
            coarseness: 0.0,
            steps: 0,
            from: (t, y.to_vec()),
            middle: vec![0.0; n],
            end: y.to_vec(),
            monitor: None,
            shortened: 0,
            remarks: Vec::new(),
            converged: true,
            evaluations: 0,
        };
        leapfrog.workspace.linear.hold_ranks();
        let rank = problem.motion.rank();
        leapfrog.workspace.linear.set_row_rank(rank);
        let monitored = motion
            .monitored
            .as_ref()
            .filter(|_| problem.options.monitored);
        let monitored = monitored.filter(|monitored| monitored.jacobian.outputs() > 0);
        // Where it cannot be measured the run says so.
        let monitor = monitored.and_then(|monitored| RankMonitor::new(monitored, t, y).ok());
        leapfrog.monitor = monitor.map(|(monitor, s)| (monitor, [s; 2]));
        leapfrog.examine(t, y)?;
        Ok(leapfrog)
    }

    /// Looks for what breaks reversibility, at the start.
    fn examine(&mut self, t: f64, y: &[f64]) -> Result<(), Unsupported> {
        let mut slope = vec![0.0; self.n];
        if self.slope(t, y, &mut slope).is_err() {
            return Ok(());
        }
        let (q, v) = (self.parts.q.clone(), self.parts.v.clone());
        if distance(&slope[q], &y[v.clone()]) > SAME {
            return Err("its state is not one of coordinates and their velocities".into());
        }
        let [even, steady] = self.symmetries(t, y);
        let kept = self.lies_on_constraints(t, &flipped(y, &v));
        let broken = [(steady, TIMED), (even, ODD), (kept, ONE_WAY)];
        let broken = broken.into_iter().filter(|(holds, _)| !holds);
        self.remarks
            .extend(broken.map(|(_, remark)| remark.to_owned()));
        Ok(())
    }

    /// Whether the accelerations are even in the velocities, and whether they do not depend on the time: at the
    /// start, and at a state near it where everything moves.
    fn symmetries(&mut self, t: f64, y: &[f64]) -> [bool; 2] {
        let v = self.parts.v.clone();
        let mut moving = y.to_vec();
        for (i, x) in moving[v.clone()].iter_mut().enumerate() {
            *x = 1.1 * *x + 0.1 * (i + 1) as f64;
        }
        let (mut even, mut steady) = (true, true);
        for state in [y.to_vec(), moving] {
            let mut slope = vec![0.0; self.n];
            if self.slope(t, &state, &mut slope).is_err() {
                continue;
            }
            let mut same = |t: f64, state: &[f64]| {
                let mut other = vec![0.0; self.n];
                let found = self.slope(t, state, &mut other).is_ok();
                !found || distance(&other[v.clone()], &slope[v.clone()]) <= SAME
            };
            even &= same(t, &flipped(&state, &v));
            steady &= same(t + 0.618, &state);
        }
        [even, steady]
    }

    /// Whether a state lies on the constraints.
    fn lies_on_constraints(&mut self, t: f64, y: &[f64]) -> bool {
        self.motion.stages.iter().all(|stage| {
            let rows = stage.residual.outputs();
            let (mut c, mut sizes) = (vec![0.0; rows], vec![0.0; rows]);
            let workspace = &mut self.workspace;
            evaluate(stage.residual, workspace, t, y, &mut c).is_ok()
                && evaluate(stage.magnitudes, workspace, t, y, &mut sizes).is_ok()
                && c.iter()
                    .zip(&sizes)
                    .all(|(c, size)| scaled(*c, *size) <= SAME)
        })
    }

    fn slope(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
        self.evaluations += 1;
        self.workspace.linear.rewind();
        Ok(evaluate(self.motion.field, &mut self.workspace, t, y, out)?)
    }

    /// The step without projection. Quadratures are taken in the middle.
    fn plain(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> Result<bool, EvalError> {
        let (q, v) = (self.parts.q.clone(), self.parts.v.clone());
        let mut middle = y.to_vec();
        for (i, j) in q.clone().zip(v.clone()) {
            middle[i] = y[i] + 0.5 * h * y[j];
        }
        let mut slope = vec![0.0; self.n];
        let mut before = f64::INFINITY;
        let mut converged = false;
        for _ in 0..ITERATIONS {
            self.slope(t + 0.5 * h, &middle, &mut slope)?;
            let mut change = 0.0f64;
            for j in v.clone() {
                let mean = y[j] + 0.5 * h * slope[j];
                change = change.max((mean - middle[j]).abs() / (1.0 + mean.abs()));
                middle[j] = mean;
            }
            // Contraction has ended in rounding errors.
            if change == 0.0 || (change < 1e-14 && change >= before) {
                converged = true;
                break;
            }
            before = change;
        }
        for (c, end) in end.iter_mut().enumerate() {
            *end = y[c] + h * slope[c];
        }
        self.middle.copy_from_slice(&slope);
        for j in v.clone() {
            end[j] = y[j] + 2.0 * (middle[j] - y[j]);
        }
        for (i, j) in q.zip(v) {
            end[i] = middle[i] + 0.5 * h * end[j];
        }
        Ok(converged)
    }

    /// `y <- y + P(at) c` in all stages, `c` row after row.
    fn shift(&mut self, t: f64, at: &[f64], c: &[f64], y: &mut [f64]) -> Result<(), EvalError> {
        let motion = self.motion;
        let mut rest = c;
        for (stage, rank) in motion.stages.iter().zip(&self.ranks) {
            let (rows, n) = (stage.residual.outputs(), stage.moved.len());
            let (mine, others) = rest.split_at(rows);
            rest = others;
            let (mut jacobian, mut metric) = (vec![0.0; rows * n], vec![0.0; n * n]);
            evaluate(stage.jacobian, &mut self.workspace, t, at, &mut jacobian)?;
            evaluate(stage.metric, &mut self.workspace, t, at, &mut metric)?;
            let system = saddle(n, rows, &metric, &jacobian);
            let mut right = [&vec![0.0; n][..], mine].concat();
            if let Some(rank) = rank {
                project_on_range(&mut right[n..], &jacobian, *rank);
            }
            let mut x = vec![0.0; n + rows];
            let kind = Kind::Symmetric;
            consistent(
                kind,
                n + rows,
                &system,
                &right,
                &mut x,
                rank.map(|rank| n + rank),
                &mut self.scratch,
            )
            .map_err(|_| EvalError::Singular {
                what: "the system of the projection to the constraints".to_owned(),
            })?;
            let moved = y[stage.moved.clone()].iter_mut().zip(&x);
            moved.for_each(|(w, dw)| *w += dw);
        }
        Ok(())
    }

    /// All residuals, and the largest relative to what a change of all components by their largest makes:
    /// where all terms of a row vanish, they are no measure.
    fn residual(&mut self, t: f64, y: &[f64]) -> Result<(Vec<f64>, f64), EvalError> {
        let motion = self.motion;
        let (mut all, mut worst) = (Vec::new(), 0.0f64);
        for stage in &motion.stages {
            let rows = stage.residual.outputs();
            let (mut c, mut sizes) = (vec![0.0; rows], vec![0.0; rows]);
            evaluate(stage.residual, &mut self.workspace, t, y, &mut c)?;
            evaluate(stage.magnitudes, &mut self.workspace, t, y, &mut sizes)?;
            let n = stage.moved.len();
            let mut jacobian = vec![0.0; rows * n];
            evaluate(stage.jacobian, &mut self.workspace, t, y, &mut jacobian)?;
            let moved = y[stage.moved.clone()].iter();
            let largest = moved.fold(0.0f64, |largest, w| largest.max(w.abs()));
            for (size, row) in sizes.iter_mut().zip(jacobian.chunks_exact(n.max(1))) {
                let sum: f64 = row.iter().map(|x| x.abs()).sum();
                *size = size.max(sum * largest);
            }
            let parts = c.iter().zip(&sizes).map(|(c, size)| scaled(*c, *size));
            worst = parts.fold(worst, f64::max);
            all.extend(c);
        }
        Ok((all, worst))
    }

    /// The step with symmetric projection.
    fn step(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> Result<bool, EvalError> {
        if self.motion.stages.is_empty() {
            return self.plain(t, y, h, end);
        }
        let rows = self.motion.stages.iter().map(|s| s.residual.outputs());
        let mut c = vec![0.0; rows.sum()];
        let (mut best, mut kept) = (f64::INFINITY, end.to_vec());
        let mut converged = false;
        let mut at = y.to_vec();
        for iteration in 0..ITERATIONS {
            let mut from = y.to_vec();
            if iteration > 0 {
                self.shift(t, y, &c, &mut from)?;
            }
            if !self.plain(t, &from, h, end)? {
                return Ok(false);
            }
            if iteration > 0 {
                self.shift(t + h, &at, &c, end)?;
            }
            at.copy_from_slice(end);
            let (residual, worst) = self.residual(t + h, end)?;
            let slow = worst > 0.5 * best;
            if worst < best {
                best = worst;
                kept.copy_from_slice(end);
                converged = worst <= SAME;
            }
            // Where it no longer falls, rounding errors are reached.
            if worst == 0.0 || (slow && worst <= ROUNDED) {
                break;
            }
            c.iter_mut().zip(&residual).for_each(|(c, r)| *c -= 0.5 * r);
        }
        end.copy_from_slice(&kept);
        Ok(converged)
    }

    /// The difference of one step and two of half the length, in tolerances: about the error of the step.
    fn estimate(&mut self, t: f64, y: &[f64], h: f64, scale: &[f64]) -> Option<f64> {
        let [mut whole, mut half, mut end] = [0, 1, 2].map(|_| vec![0.0; self.n]);
        let done = self.step(t, y, h, &mut whole).ok()?
            && self.step(t, y, 0.5 * h, &mut half).ok()?
            && self.step(t + 0.5 * h, &half, 0.5 * h, &mut end).ok()?;
        let apart = whole.iter().zip(&end).zip(scale);
        let apart = apart.map(|((a, b), scale)| (a - b) / (0.75 * scale));
        done.then(|| size(apart))
    }
}

impl Leapfrog<'_> {
    /// Whether the step in hand is too long for the motion: it nears a singular state by a good part of the
    /// distance, or it errs by a good part of the state. Steps of fixed length would pass over what ends a motion.
    fn is_too_long(&mut self, h: f64, scale: &[f64]) -> bool {
        let (t, y) = self.from.clone();
        if let Some((monitor, [first, last])) = &mut self.monitor {
            let Ok(s) = monitor.gauge(t + h, &self.end) else {
                return true;
            };
            *last = s;
            if (s - *first).abs() > APPROACH * s.max(*first) {
                return true;
            }
        }
        let turned = self.turned(h);
        let shortened = self.step.is_some_and(|step| h.abs() < SHORTENED * step);
        if turned < CHANGE && !shortened {
            return false;
        }
        if turned > LEAP {
            return true;
        }
        let sizes = self.sizes(scale);
        let error = self.estimate(t, &y, h, &sizes);
        let allowed = if shortened { FINE } else { COARSE };
        error.is_none_or(|error| error > allowed)
    }

    /// What the change of an acceleration over half the step makes in the step of its velocity, relative to
    /// this; 0 where the acceleration keeps its size.
    fn turned(&self, h: f64) -> f64 {
        let y = &self.from.1;
        let of = |j: usize| {
            let (first, middle) = (self.first[j], self.middle[j]);
            let change = (middle - first).abs();
            let turned = h.abs() * change;
            match change > STEADY * first.abs().max(middle.abs()) && turned > REST {
                true => turned / y[j].abs().max(self.end[j].abs()),
                false => 0.0,
            }
        };
        self.parts.v.clone().map(of).fold(0.0, f64::max)
    }

    /// The size of each coordinate and velocity about the step; quadratures do not count.
    fn sizes(&self, scale: &[f64]) -> Vec<f64> {
        let y = &self.from.1;
        let mut sizes = vec![f64::INFINITY; scale.len()];
        for j in self.parts.q.clone().chain(self.parts.v.clone()) {
            sizes[j] = y[j].abs().max(self.end[j].abs()).max(REST);
        }
        sizes
    }
}

/// Per stage of the projection, the rank of its rows where some depend on others; none where it cannot be found.
fn dependent_ranks(motion: &Motion<'_>, t: f64, y: &[f64]) -> Vec<Option<usize>> {
    let found = Projector::new(motion, t, y).map(|projector| projector.dependent_ranks());
    found.unwrap_or_else(|_| vec![None; motion.stages.len()])
}

/// Projects numbers, one for each row of a Jacobian, on what changes of its columns make of the rows. Residuals at one
/// state are no such changes at another where rows depend on each other: `(J W^-1 J^T)^+` ignores the rest.
fn project_on_range(c: &mut [f64], jacobian: &[f64], rank: usize) {
    let (rows, columns) = (c.len(), jacobian.len() / c.len().max(1));
    let jacobian = DMatrix::from_row_slice(rows, columns, jacobian);
    let u = SVD::new(jacobian, true, false).u.unwrap_or_default();
    let rest = DVector::from_column_slice(c);
    c.fill(0.0);
    for direction in u.column_iter().take(rank) {
        let part = direction.dot(&rest);
        c.iter_mut()
            .zip(&direction)
            .for_each(|(c, x)| *c += part * x);
    }
}

/// The state with all velocities reversed.
fn flipped(y: &[f64], v: &std::ops::Range<usize>) -> Vec<f64> {
    let mut back = y.to_vec();
    back[v.clone()].iter_mut().for_each(|x| *x = -*x);
    back
}

/// The largest difference relative to the largest value.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let largest = a
        .iter()
        .chain(b)
        .fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, f64::max) / largest
}

impl Stepper for Leapfrog<'_> {
    fn start(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError> {
        let mut first = std::mem::take(&mut self.first);
        let answer = self.slope(t, y, &mut first);
        self.first = first;
        answer
    }

    /// The fixed step; if none is given, one whose error is as large as the tolerance at the start.
    fn first_step(&mut self, t: f64, y: &[f64], limit: f64, scale: &[f64]) -> f64 {
        let rest = (self.until - t).abs();
        let mut h = match self.step {
            Some(step) => step.min(rest),
            None => {
                let (motion, workspace) = (self.motion, &mut self.workspace);
                let slope = &self.first;
                first_step(2, y, slope, limit, scale, |h, out| {
                    let moved = y.iter().zip(slope).map(|(y, k)| y + h * k);
                    let moved: Vec<f64> = moved.collect();
                    workspace.linear.rewind();
                    evaluate(motion.field, workspace, t + h, &moved, out).is_ok()
                })
                .abs()
            }
        };
        let sign = 1.0f64.copysign(limit);
        if self.chosen {
            for _ in 0..6 {
                let error = self.estimate(t, y, sign * h, scale).unwrap_or(8.0);
                h = (h * error.max(1e-6).cbrt().recip().clamp(0.1, 10.0)).min(limit.abs());
            }
        }
        // Steps of one length, the last one too.
        let count = (rest / h).ceil().max(1.0);
        h = rest / count;
        self.step = Some(h);
        if self.chosen {
            self.remarks.push(format!(
                "Steps of fixed length {h:.3e}, as the tolerances ask at the start; `--step` sets it."
            ));
        }
        sign * h
    }

    fn trial(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> Result<(), EvalError> {
        self.from.0 = t;
        self.from.1.copy_from_slice(y);
        self.converged = self.step(t, y, h, end)?;
        self.end.copy_from_slice(end);
        Ok(())
    }

    /// The step is fixed: it fails only where the iterations do, or where it does not resolve the motion. Its
    /// error is estimated now and then.
    fn error(&mut self, h: f64, scale: &[f64]) -> f64 {
        if !self.converged || self.is_too_long(h, scale) {
            return f64::INFINITY;
        }
        if self.steps.is_multiple_of(EVERY) {
            let (t, y) = self.from.clone();
            let error = self.estimate(t, &y, h, scale).unwrap_or(0.0);
            self.coarseness = self.coarseness.max(error);
        }
        0.0
    }

    fn complete(&mut self, span: &Span) -> Result<(), EvalError> {
        let mut last = std::mem::take(&mut self.last);
        let answer = self.slope(span.t + span.h, span.end, &mut last);
        self.last = last;
        answer
    }

    fn extend(&mut self, _: &Span) -> Result<(), EvalError> {
        Ok(())
    }

    fn dense(&self, span: &Span, theta: f64, out: &mut [f64]) {
        hermite(span, &self.first, &self.last, theta, out);
    }

    fn sketch(&self, span: &Span, theta: f64, out: &mut [f64]) {
        self.dense(span, theta, out);
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.first, &mut self.last);
        self.steps += 1;
        if let Some((_, [first, last])) = &mut self.monitor {
            *first = *last;
        }
    }

    fn accepted(&mut self, h: f64, _: f64, _: &[f64]) -> f64 {
        let step = self.step.unwrap_or(h.abs());
        self.shortened += usize::from(h.abs() < SHORTENED * step);
        step.min(2.0 * h.abs()).copysign(h)
    }

    fn rejected(&mut self, h: f64, _: Option<f64>) -> f64 {
        0.5 * h
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.remarks.clone();
        if self.shortened > 0 {
            remarks.push(format!(
                "{} steps were shortened where the fixed length does not resolve the motion; there it is not \
                 reversible. `--step` sets a shorter one.",
                self.shortened
            ));
        }
        remarks
    }

    fn coarseness(&self) -> f64 {
        self.coarseness.max(1.0)
    }
}
