//! The Taylor series method, with its order by the tolerance and its step by the coefficients.

use super::{Method, Problem};
use crate::backend::{Compiled, CompiledSeries};
use crate::evaluation::{EvalError, Workspace};
use crate::field::Field;
use crate::linear;
use crate::rules::PROBES;
use crate::step::{Span, Stepper, size};
use crate::tape::Tape;
use crate::tape::series::{Expansion, Series};
use crate::unsupported::Unsupported;
use std::any::Any;

/// The Taylor series method: `y(t + h) = Sum_k y_k h^k`, `k <= p`, with coefficients by recurrence along the
/// operations of the right-hand side, through every linear solve with one factorisation for each step
/// [jorba2005, sect. 3]. The order is `p = ceil(1 - log(eps) / 2)` for a relative tolerance `eps`, which
/// makes the work for a unit of time least; the step is the longest at which the last two terms are within
/// the tolerance. The polynomial itself is the dense output.
pub static TAYLOR: Method = Method {
    id: "taylor",
    title: "Taylor series of adaptive order",
    source: "jorba2005",
    order: None,
    dense_order: None,
    needs_tape: true,
    tableau: None,
    stepper: |problem| Ok(Box::new(Taylor::new(problem)?)),
};

/// The order for a relative tolerance.
pub(crate) fn order(tolerance: f64) -> u32 {
    let tolerance = tolerance.clamp(f64::EPSILON, 1e-2);
    (1.0 - 0.5 * tolerance.ln()).ceil() as u32
}

/// The step is kept by this factor below the one at which the last terms meet the tolerance.
const SAFETY: f64 = 0.98;
/// Terms before the last two may exceed a geometric series by this factor; beyond it the last two are small
/// by symmetry and say nothing of the radius of convergence.
const SLACK: f64 = 30.0;
/// A step to a corner of the right-hand side ends beyond it by this part of the time or of the step.
const BEYOND: f64 = 1e-12;
/// A slope that is off by less than this many tolerances over the step is the ordinary end of the series.
const ORDINARY: f64 = 100.0;

struct Taylor<'a> {
    /// By machine code, where there is some; interpreted otherwise, and where that is refused.
    compiled: Option<CompiledSeries<'a>>,
    interpreted: Option<Series<'a>>,
    tape: &'a Tape,
    order: usize,
    size: usize,
    until: f64,
    workspace: Workspace,
    current: Expansion,
    next: Expansion,
    /// What projection moved at the end of the step.
    shift: Vec<f64>,
    /// The part of the trial step beyond which a corner lies.
    corner: Option<f64>,
    /// The start of the trial step.
    time: f64,
    expansions: usize,
    field: &'a dyn Field,
    probing: Workspace,
    probes: usize,
    /// The state of a probe, and the two slopes there.
    probe: [Vec<f64>; 3],
}

impl<'a> Taylor<'a> {
    fn new(problem: &Problem<'a>) -> Result<Taylor<'a>, Unsupported> {
        let field = problem.motion.field;
        let tape = field.tape().ok_or_else(|| {
            "it needs the operations of the right-hand side, and knows its values only".to_owned()
        })?;
        let (_, y) = problem.start;
        let options = problem.options;
        let largest = linear::max_norm(y).max(1.0);
        let order = order(options.rtol + options.atol / largest) as usize;
        let workspace = || {
            let mut workspace = Workspace::default();
            workspace.linear.hold_ranks();
            workspace.linear.set_row_rank(problem.motion.rank());
            workspace
        };
        let code = field.as_any().and_then(<dyn Any>::downcast_ref::<Compiled>);
        Ok(Taylor {
            compiled: code.and_then(|code| code.series(order)),
            interpreted: None,
            tape,
            order,
            size: tape.outputs.len(),
            until: options.until,
            workspace: workspace(),
            current: Expansion::default(),
            next: Expansion::default(),
            shift: vec![0.0; tape.outputs.len()],
            corner: None,
            time: problem.start.0,
            expansions: 0,
            field,
            probing: workspace(),
            probes: 0,
            probe: std::array::from_fn(|_| vec![0.0; tape.outputs.len()]),
        })
    }

    fn expand(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError> {
        self.expansions += 1;
        if let Some(code) = &self.compiled
            && self
                .next
                .by(|rows| code.expand(&mut self.workspace.linear, t, y, rows))
        {
            return Ok(());
        }
        let ahead = if self.until < t { -1.0 } else { 1.0 };
        let series = self
            .interpreted
            .get_or_insert_with(|| Series::new(self.tape, self.order));
        series.expand(&mut self.workspace, t, y, ahead, &mut self.next)
    }

    fn beyond(&self, h: f64) -> f64 {
        BEYOND * self.time.abs().max(h.abs())
    }

    /// By how many tolerances the polynomial's slope is off over the step, where it is worst; places where the
    /// right-hand side has no value are passed over.
    fn defect(&mut self, h: f64, scale: &[f64]) -> f64 {
        let (rows, room) = (&self.current.rows, &mut self.probing.linear);
        let code = self.compiled.as_ref();
        if let Some(worst) = code.and_then(|x| x.defect(room, (self.time, h), rows, scale)) {
            self.probes += PROBES.len();
            return worst;
        }
        let Self {
            current,
            size: n,
            probe: [state, slope, rate],
            ..
        } = self;
        let mut worst = 0.0_f64;
        for part in PROBES {
            let ahead = part * h;
            current.state(*n, ahead, state);
            slope.fill(0.0);
            // Horner's scheme for the sum of k y_k ahead^(k - 1).
            for (k, row) in current
                .rows
                .chunks_exact((*n).max(1))
                .enumerate()
                .skip(1)
                .rev()
            {
                let coefficients = slope.iter_mut().zip(row);
                coefficients.for_each(|(slope, c)| *slope = *slope * ahead + k as f64 * c);
            }
            let (t, room) = (self.time + ahead, &mut self.probing);
            self.probes += 1;
            if self.field.eval(room, t, state, rate).is_ok() {
                let off = slope.iter().zip(rate.iter()).zip(scale);
                worst = worst.max(size(off.map(|((p, f), scale)| (p - f) * h / scale)));
            }
        }
        worst
    }

    /// The coefficients of one order in units of the tolerance.
    fn term(&self, k: usize, scale: &[f64]) -> f64 {
        let row = self.current.rows.chunks_exact(self.size.max(1)).nth(k);
        let row = row.unwrap_or_default();
        size(row.iter().zip(scale).map(|(c, scale)| c / scale))
    }

    /// The step at which the last two terms are as large as the tolerance.
    fn longest(&self, scale: &[f64]) -> f64 {
        let p = self.order;
        let bound = |k: usize, term: f64, allowed: f64| match term > 0.0 {
            true => (allowed / term).powf(1.0 / k as f64),
            false => f64::INFINITY,
        };
        let last = |k: usize| bound(k, self.term(k, scale), 1.0);
        let mut h = last(p).min(last(p - 1));
        // A geometric series from the state to the tolerance.
        let ratio = self.term(0, scale).max(1.0).powf(1.0 / p as f64);
        for k in p.saturating_sub(4).max(1)..p - 1 {
            let term = self.term(k, scale);
            let allowed = SLACK * ratio.powi((p - k) as i32);
            if h.is_infinite() || term * h.powi(k as i32) > allowed {
                h = h.min(bound(k, term, allowed));
            }
        }
        SAFETY * h
    }
}

impl Stepper for Taylor<'_> {
    fn start(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError> {
        self.expand(t, y)?;
        self.advance();
        Ok(())
    }

    fn first_step(&mut self, _: f64, _: &[f64], limit: f64, scale: &[f64]) -> f64 {
        self.longest(scale).min(limit.abs()).copysign(limit)
    }

    fn trial(&mut self, t: f64, _: &[f64], h: f64, end: &mut [f64]) -> Result<(), EvalError> {
        self.time = t;
        self.current.state(self.size, h, end);
        self.corner = self.current.corner(h);
        Ok(())
    }

    /// The larger of the last two terms; a step across a corner is never taken.
    fn error(&mut self, h: f64, scale: &[f64]) -> f64 {
        let beyond = self.beyond(h);
        if self
            .corner
            .is_some_and(|place| (1.0 - place) * h.abs() > 3.0 * beyond)
        {
            return f64::INFINITY;
        }
        let term = |k: usize| self.term(k, scale) * h.abs().powi(k as i32);
        let last = term(self.order).max(term(self.order - 1));
        // What is rejected anyway needs no probes.
        match last > 1.0 {
            true => last,
            false => last.max(self.defect(h, scale) / ORDINARY),
        }
    }

    fn complete(&mut self, span: &Span) -> Result<(), EvalError> {
        // Nothing begins at the end.
        if span.h == self.until - span.t {
            return Ok(());
        }
        self.expand(span.t + span.h, span.end)
    }

    fn extend(&mut self, span: &Span) -> Result<(), EvalError> {
        self.current.state(self.size, span.h, &mut self.shift);
        let moved = self.shift.iter_mut().zip(span.end);
        moved.for_each(|(shift, end)| *shift = end - *shift);
        Ok(())
    }

    /// The polynomial, bent to the projected end in its last term.
    fn dense(&self, span: &Span, theta: f64, out: &mut [f64]) {
        self.current.state(self.size, theta * span.h, out);
        let weight = theta.powi(self.order as i32);
        let shifts = out.iter_mut().zip(&self.shift);
        shifts.for_each(|(out, shift)| *out += weight * shift);
    }

    fn sketch(&self, span: &Span, theta: f64, out: &mut [f64]) {
        self.current.state(self.size, theta * span.h, out);
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.current, &mut self.next);
    }

    fn accepted(&mut self, h: f64, _: f64, scale: &[f64]) -> f64 {
        self.longest(scale).copysign(h)
    }

    fn rejected(&mut self, h: f64, error: Option<f64>) -> f64 {
        match (self.corner, error) {
            (Some(place), Some(error)) if error.is_infinite() => {
                h * place + self.beyond(h).copysign(h)
            }
            (_, Some(error)) => {
                let factor = 0.9 / error.powf(1.0 / self.order as f64);
                h * factor.clamp(0.1, 0.9)
            }
            _ => h / 3.0,
        }
    }

    /// A series counts as so many evaluations as it has orders, a probe as one.
    fn evaluations(&self) -> usize {
        self.expansions * self.order + self.probes
    }
}
