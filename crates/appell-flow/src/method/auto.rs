//! The method chosen by the tool: an explicit one, and an implicit one where the motion turns out stiff.

use super::{DOP853, Method, Problem, RADAU5, TAYLOR};
use crate::evaluation::{EvalError, Workspace};
use crate::linear::rough_eigenvalues;
use crate::step::{Span, Stepper};
use crate::tape::Tape;
use crate::tape::jacobian::Derivatives;
use crate::unsupported::Unsupported;

/// `taylor` or `dop853` by tolerance and size of the equations, and `radau5` from where they are stiff:
/// where twice, some steps apart, `h` times the fastest rate of decay is beyond what an explicit method needs
/// for its accuracy, so that stability alone holds the step down [hairer1996, sect. IV.2].
pub static AUTO: Method = Method {
    id: "auto",
    title: "chosen by tolerance, size and stiffness",
    source: "hairer1996",
    order: None,
    dense_order: None,
    needs_tape: false,
    tableau: DOP853.tableau,
    stepper: |problem| Ok(Box::new(Auto::new(problem)?)),
};

/// Looser tolerances are met in less time by stages than by series, compiled or not: on the two pucks these take 2.4 times
/// longer at 1e-10, on the disc 1.4 times at a true error of 1e-13. But with a fourth of the steps they lose less to
/// rounding: on the disc they come to 1e-14, stages to 5e-14.
const TIGHT: f64 = 1e-13;
/// Series of longer programs do not pay: they are interpreted where they are too long for a compiler.
const LONG: usize = 400;
/// The motion is looked at once in so many steps.
const EVERY: usize = 50;
/// `h |lambda|` beyond which decay is followed by stability rather than by accuracy.
const STIFF: f64 = 2.5;
/// The implicit method must make steps longer by this factor on the average.
const LONGER: f64 = 3.0;

struct Auto<'a> {
    problem: Problem<'a>,
    explicit: &'static Method,
    inner: Box<dyn Stepper + 'a>,
    method: &'static Method,
    why: String,
    tape: Option<&'a Tape>,
    workspace: Workspace,
    derivatives: Derivatives,
    steps: usize,
    /// Looks in a row that found the motion stiff, and the decay.
    stiff: usize,
    decay: f64,
    /// Whether another method begins after this step.
    next: Option<&'static Method>,
    changed: bool,
    /// The step of the explicit method when it was left, and the time then.
    left: Option<(f64, f64)>,
    end: (f64, Vec<f64>),
    /// Evaluations and remarks of what was left.
    evaluations: usize,
    remarks: Vec<String>,
}

/// The explicit method for a problem, and why.
fn explicit(problem: &Problem, tape: Option<&Tape>) -> (&'static Method, String) {
    let options = problem.options;
    let tolerance = options.rtol.max(options.atol);
    let Some(tape) = tape else {
        return (
            &DOP853,
            "only values of the right-hand side are known".to_owned(),
        );
    };
    let count = tape.ops.len();
    let numerical = tape.solves.iter().any(|solve| solve.direct.is_none());
    if tolerance > TIGHT {
        let why = format!("at the tolerance {tolerance:.0e} it does less work than a series");
        (&DOP853, why)
    } else if numerical || count > LONG {
        let what = if numerical {
            "with linear systems that are not written out".to_owned()
        } else {
            format!("with {count} operations")
        };
        (
            &DOP853,
            format!("a right-hand side {what} makes series costly"),
        )
    } else {
        let why = format!(
            "at the tolerance {tolerance:.0e} a series has fewer steps than stages, and less rounding"
        );
        (&TAYLOR, why)
    }
}

/// The fastest rate of decay at `(t, y)`, where it holds down the steps of an explicit method of this length.
pub(crate) fn stiff_decay(
    tape: &Tape,
    (workspace, derivatives): (&mut Workspace, &mut Derivatives),
    (t, y): (f64, &[f64]),
    h: f64,
) -> Option<f64> {
    let m = tape.inputs - 1;
    let mut jacobian = vec![0.0; tape.outputs.len() * m];
    derivatives
        .jacobian(tape, workspace, t, y, &mut jacobian)
        .ok()?;
    jacobian.truncate(m * m);
    let rows = jacobian.chunks_exact(m.max(1));
    let norm = rows
        .map(|row| row.iter().map(|x| x.abs()).sum::<f64>())
        .fold(0.0, f64::max);
    if norm * h.abs() <= STIFF {
        return None;
    }
    let ahead = h.signum();
    let fastest =
        rough_eigenvalues(m, &jacobian)?
            .iter()
            .fold(0.0, |most: f64, (real, imaginary)| {
                if -ahead * real > imaginary.abs() {
                    most.max(-ahead * real)
                } else {
                    most
                }
            });
    (fastest * h.abs() > STIFF).then_some(fastest)
}

impl<'a> Auto<'a> {
    fn new(problem: &Problem<'a>) -> Result<Auto<'a>, Unsupported> {
        let tape = problem.motion.field.tape();
        let (method, why) = explicit(problem, tape);
        Ok(Auto {
            inner: (method.stepper)(problem)?,
            explicit: method,
            method,
            why,
            tape,
            workspace: Workspace::default(),
            derivatives: Derivatives::default(),
            steps: 0,
            stiff: 0,
            decay: 0.0,
            next: None,
            changed: false,
            left: None,
            end: (problem.start.0, problem.start.1.to_vec()),
            evaluations: 0,
            remarks: Vec::new(),
            problem: *problem,
        })
    }

    /// The fastest rate of decay at the end of a step, where it could matter.
    fn decay(&mut self, span: &Span) -> Option<f64> {
        let place = (span.t + span.h, span.end);
        let room = (&mut self.workspace, &mut self.derivatives);
        stiff_decay(self.tape?, room, place, span.h)
    }

    /// Looks whether another method should go on.
    fn look(&mut self, span: &Span) {
        if self.method.id == RADAU5.id {
            let Some((time, step)) = self.left else {
                return;
            };
            let mean = (span.t + span.h - time).abs() / self.steps as f64;
            if mean < LONGER * step {
                self.next = Some(self.explicit);
                self.tape = None;
                self.why = format!(
                    "`{}` was tried where the motion is stiff, but its steps were hardly longer",
                    RADAU5.id
                );
            } else {
                self.left = None;
            }
        } else {
            let found = self.decay(span);
            self.stiff = found.map_or(0, |_| self.stiff + 1);
            self.decay = found.unwrap_or(0.0);
            if self.stiff == 2 {
                self.next = Some(&RADAU5);
                self.left = Some((span.t + span.h, span.h.abs()));
                self.why = format!(
                    "from t = {:.3e} the motion is stiff: it decays at the rate {:.1e}, and stability held the \
                     steps of `{}` at {:.1e}",
                    span.t + span.h,
                    self.decay,
                    self.explicit.id,
                    span.h.abs()
                );
            }
        }
    }

    /// Goes on with another method.
    fn change(&mut self, method: &'static Method) {
        let problem = Problem {
            start: (self.end.0, self.problem.start.1),
            ..self.problem
        };
        let made = (method.stepper)(&problem).ok();
        let Some(mut stepper) = made else { return };
        if stepper.start(self.end.0, &self.end.1).is_err() {
            return;
        }
        self.evaluations += self.inner.evaluations();
        self.remarks.extend(self.inner.remarks());
        self.inner = stepper;
        self.method = method;
        self.steps = 0;
        self.stiff = 0;
        self.changed = true;
    }
}

impl Stepper for Auto<'_> {
    fn start(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError> {
        self.workspace.linear.hold_ranks();
        self.workspace
            .linear
            .set_row_rank(self.problem.motion.rank());
        let begun = self.inner.start(t, y);
        // An exponential that overflows below a line has a value, and no series.
        let (Err(why), true) = (&begun, self.method.id == TAYLOR.id) else {
            return begun;
        };
        let stages = (DOP853.stepper)(&self.problem).map_err(|_| why.clone())?;
        (self.inner, self.method, self.explicit) = (stages, &DOP853, &DOP853);
        self.why = "where the motion begins a series has no finite coefficients".to_owned();
        self.inner.start(t, y)
    }

    fn first_step(&mut self, t: f64, y: &[f64], limit: f64, scale: &[f64]) -> f64 {
        self.inner.first_step(t, y, limit, scale)
    }

    fn trial(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> Result<(), EvalError> {
        self.inner.trial(t, y, h, end)
    }

    fn error(&mut self, h: f64, scale: &[f64]) -> f64 {
        self.inner.error(h, scale)
    }

    fn complete(&mut self, span: &Span) -> Result<(), EvalError> {
        self.inner.complete(span)?;
        if self.tape.is_some() && (self.steps + 1).is_multiple_of(EVERY) {
            self.look(span);
            self.end.0 = span.t + span.h;
            self.end.1.copy_from_slice(span.end);
        }
        Ok(())
    }

    fn extend(&mut self, span: &Span) -> Result<(), EvalError> {
        self.inner.extend(span)
    }

    fn dense(&self, span: &Span, theta: f64, out: &mut [f64]) {
        self.inner.dense(span, theta, out);
    }

    fn sketch(&self, span: &Span, theta: f64, out: &mut [f64]) {
        self.inner.sketch(span, theta, out);
    }

    fn advance(&mut self) {
        self.inner.advance();
        self.steps += 1;
        if let Some(method) = self.next.take() {
            self.change(method);
        }
    }

    fn accepted(&mut self, h: f64, error: f64, scale: &[f64]) -> f64 {
        if !std::mem::take(&mut self.changed) {
            return self.inner.accepted(h, error, scale);
        }
        let limit = self.problem.options.until - self.end.0;
        let (t, y) = (self.end.0, std::mem::take(&mut self.end.1));
        let first = self.inner.first_step(t, &y, limit, scale);
        self.end.1 = y;
        // What held the explicit method was not accuracy.
        first.abs().max(h.abs()).min(limit.abs()).copysign(h)
    }

    fn rejected(&mut self, h: f64, error: Option<f64>) -> f64 {
        self.next = None;
        self.inner.rejected(h, error)
    }

    fn evaluations(&self) -> usize {
        self.evaluations + self.inner.evaluations()
    }

    fn remarks(&self) -> Vec<String> {
        [self.remarks.clone(), self.inner.remarks()].concat()
    }

    fn choice(&self) -> Option<(&'static str, String)> {
        Some((self.method.id, self.why.clone()))
    }
}
