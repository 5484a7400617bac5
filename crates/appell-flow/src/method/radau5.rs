//! Radau IIA of order 5, for stiff motions.

use super::{Method, Problem};
use crate::evaluation::{EvalError, Workspace};
use crate::field::{Field, evaluate};
use crate::linear::{Factored, dot};
use crate::step::{Span, Stepper, first_step, hermite, size};
use crate::tape::Tape;
use crate::tape::jacobian::Derivatives;
use crate::unsupported::Unsupported;

/// Radau IIA of three stages and order 5, stiffly accurate and L-stable [hairer1996, sect. IV.8]:
/// `Z_i = h Sum_j a_ij f(t + c_j h, y + Z_j)`, `y_1 = y + Z_3`.
///
/// Newton's iteration is simplified to one Jacobian for the step, exact, and takes place in the eigenbasis of
/// the inverse of `(a_ij)`: one real system `gamma/h - J` and one complex one `(alpha + i beta)/h - J`.
/// Components on which nothing depends, as works, are carried behind without being solved for. The error is
/// `(gamma/h - J)^-1 (f(t, y) + (d_1 Z_1 + d_2 Z_2 + d_3 Z_3)/h)`, the step by Gustafsson's prediction, the
/// dense output the polynomial of collocation, of order 3.
pub static RADAU5: Method = Method {
    id: "radau5",
    title: "Radau IIA of order 5, implicit, for stiff motions",
    source: "hairer1996",
    order: Some(5),
    dense_order: Some(3),
    needs_tape: true,
    tableau: None,
    stepper: |problem| Ok(Box::new(Radau::new(problem)?)),
};

const ROOT: f64 = 2.449_489_742_783_178;
const NODES: [f64; 3] = [(4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0];
/// The eigenvalues of the inverse of `(a_ij)`: `GAMMA` and `ALPHA +- i BETA`.
const GAMMA: f64 = 3.637_834_252_744_496;
const ALPHA: f64 = 2.681_082_873_627_752;
const BETA: f64 = 3.050_430_199_247_410_5;
/// Its eigenvectors, real and imaginary parts side by side, and their inverse.
const T: [[f64; 3]; 3] = [
    [
        9.123_239_487_089_294e-2,
        -0.141_255_295_020_954_2,
        -3.002_919_410_514_742_4e-2,
    ],
    [
        0.241_717_932_707_107,
        0.204_129_352_293_799_93,
        0.382_942_112_757_261_9,
    ],
    [0.966_048_182_615_093, 1.0, 0.0],
];
const INVERSE: [[f64; 3]; 3] = [
    [
        4.325_579_890_063_155,
        0.339_199_251_815_809_85,
        0.541_770_539_935_874_9,
    ],
    [
        -4.178_718_591_551_905,
        -0.327_682_820_761_062_4,
        0.476_623_554_500_550_44,
    ],
    [
        -0.502_872_634_945_786_9,
        2.571_926_949_855_605_5,
        -0.596_039_204_828_224_9,
    ],
];
/// The weights of `Z_i / h` in the estimate of the error.
const ERROR: [f64; 3] = [
    -(13.0 + 7.0 * ROOT) / 3.0,
    (-13.0 + 7.0 * ROOT) / 3.0,
    -1.0 / 3.0,
];

/// Newton's iterations in a step.
const ITERATIONS: usize = 7;
const SAFETY: f64 = 0.9;
/// A step changes by a factor between these.
const SHRINK: f64 = 0.2;
const GROW: f64 = 8.0;
/// The Jacobian is kept while Newton converges faster than this.
const KEEP: f64 = 1e-3;
/// The step is kept where it would grow by less than this, and with it the factors.
const STEADY: f64 = 1.2;

struct Radau<'a> {
    field: &'a dyn Field,
    tape: &'a Tape,
    workspace: Workspace,
    derivatives: Derivatives,
    /// All components, and those on which the field depends.
    n: usize,
    m: usize,
    rtol: f64,
    scale: Vec<f64>,
    /// `n x m`
    jacobian: Vec<f64>,
    /// Whether the Jacobian is of the start of the step.
    fresh: bool,
    /// The step of the factors.
    factored: Option<f64>,
    real: Factored,
    complex: Factored,
    /// `Z_i` and `W = T^-1 Z`, rows of n.
    stages: Vec<f64>,
    transformed: Vec<f64>,
    slopes: Vec<f64>,
    first: Vec<f64>,
    last: Vec<f64>,
    argument: Vec<f64>,
    right: Vec<f64>,
    solution: Vec<f64>,
    /// The stages of the step before and its length.
    before: Option<(f64, Vec<f64>)>,
    shift: Vec<f64>,
    /// Whether the iteration of the trial converged, in how many steps, and how fast.
    converged: bool,
    iterations: usize,
    speed: f64,
    after_rejection: bool,
    /// The last step that was taken and its error.
    taken: Option<(f64, f64)>,
    trial: (f64, Vec<f64>),
    evaluations: usize,
}

impl<'a> Radau<'a> {
    fn new(problem: &Problem<'a>) -> Result<Radau<'a>, Unsupported> {
        let field = problem.motion.field;
        let tape = field.tape().ok_or_else(|| {
            "it needs the operations of the right-hand side for exact derivatives, and knows its values only"
                .to_owned()
        })?;
        let (n, m) = (field.outputs(), tape.inputs - 1);
        let mut workspace = Workspace::default();
        workspace.linear.hold_ranks();
        workspace.linear.set_row_rank(problem.motion.rank());
        Ok(Radau {
            field,
            tape,
            workspace,
            derivatives: Derivatives::default(),
            n,
            m,
            rtol: problem.options.rtol.max(problem.options.atol),
            scale: vec![1.0; n],
            jacobian: vec![0.0; n * m],
            fresh: false,
            factored: None,
            real: Factored::default(),
            complex: Factored::default(),
            stages: vec![0.0; 3 * n],
            transformed: vec![0.0; 3 * n],
            slopes: vec![0.0; 3 * n],
            first: vec![0.0; n],
            last: vec![0.0; n],
            argument: vec![0.0; n],
            right: Vec::new(),
            solution: Vec::new(),
            before: None,
            shift: vec![0.0; n],
            converged: false,
            iterations: 0,
            speed: 1.0,
            after_rejection: false,
            taken: None,
            trial: (0.0, vec![0.0; n]),
            evaluations: 0,
        })
    }

    /// Makes the Jacobian and the factors ready for a step of length `h`.
    fn prepare(&mut self, t: f64, y: &[f64], h: f64) -> Result<(), EvalError> {
        if !self.fresh && self.speed > KEEP {
            let (tape, workspace, y) = (self.tape, &mut self.workspace, &y[..self.m]);
            self.derivatives
                .jacobian(tape, workspace, t, y, &mut self.jacobian)?;
            self.fresh = true;
            self.factored = None;
        }
        if self.factored == Some(h) {
            return Ok(());
        }
        let (m, jacobian) = (self.m, &self.jacobian);
        let real = (0..m * m).map(|k| diagonal(k, m, GAMMA / h) - jacobian[k]);
        let singular = |_| EvalError::Singular {
            what: "the system of an implicit step".to_owned(),
        };
        self.real.prepare(m, real, false, None).map_err(singular)?;
        // (alpha + i beta)/h - J as a real matrix of twice the order.
        let complex = (0..4 * m * m).map(|k| {
            let (i, j) = (k / (2 * m), k % (2 * m));
            let place = (i % m) * m + j % m;
            match (i < m, j < m) {
                (true, true) | (false, false) => diagonal(place, m, ALPHA / h) - jacobian[place],
                (true, false) => -diagonal(place, m, BETA / h),
                (false, true) => diagonal(place, m, BETA / h),
            }
        });
        self.complex
            .prepare(2 * m, complex, false, None)
            .map_err(singular)?;
        self.factored = Some(h);
        Ok(())
    }

    /// Slopes at the stages.
    fn evaluate_stages(&mut self, t: f64, y: &[f64], h: f64) -> Result<(), EvalError> {
        let n = self.n;
        for (i, node) in NODES.iter().enumerate() {
            let stage = &self.stages[i * n..(i + 1) * n];
            let sums = self.argument.iter_mut().zip(y).zip(stage);
            sums.for_each(|((out, y), z)| *out = y + z);
            self.evaluations += 1;
            self.workspace.linear.rewind();
            let out = &mut self.slopes[i * n..(i + 1) * n];
            evaluate(
                self.field,
                &mut self.workspace,
                t + node * h,
                &self.argument,
                out,
            )?;
        }
        Ok(())
    }

    /// The polynomial of the step before, continued, or nothing.
    fn guess(&mut self, h: f64) {
        let n = self.n;
        let Some((length, stages)) = &self.before else {
            self.stages.fill(0.0);
            self.transformed.fill(0.0);
            return;
        };
        for (i, node) in NODES.iter().enumerate() {
            let weights = lagrange(1.0 + node * h / length);
            for c in 0..n {
                let sum: f64 = (0..3).map(|j| weights[j] * stages[j * n + c]).sum();
                self.stages[i * n + c] = sum - stages[2 * n + c];
            }
        }
        transform(&INVERSE, n, &self.stages, &mut self.transformed);
    }

    /// Newton's iteration from a guess; false where it does not converge.
    fn newton(&mut self, t: f64, y: &[f64], h: f64) -> Result<bool, EvalError> {
        let n = self.n;
        let enough = (10.0 * f64::EPSILON / self.rtol).max(0.03_f64.min(self.rtol.sqrt()));
        let mut before = 0.0;
        let mut speed: f64 = 1.0;
        for iteration in 0..ITERATIONS {
            self.iterations = iteration + 1;
            self.evaluate_stages(t, y, h)?;
            let change = self.correct(h)?;
            transform(&T, n, &self.transformed, &mut self.stages);
            if iteration > 0 {
                let ratio = if before > 0.0 { change / before } else { 0.0 };
                speed = if iteration == 1 {
                    ratio
                } else {
                    (ratio * speed).sqrt()
                };
                self.speed = speed;
                let left = (ITERATIONS - 1 - iteration) as i32;
                let rest = speed / (1.0 - speed) * change;
                if change > 0.0 && (speed >= 0.99 || rest * speed.powi(left) > enough) {
                    return Ok(false);
                }
                if rest <= enough {
                    return Ok(true);
                }
            } else if change <= 1e-3 * enough {
                self.speed = 0.0;
                return Ok(true);
            }
            before = change;
        }
        Ok(false)
    }

    /// One correction of `W`; its size in units of the tolerance.
    fn correct(&mut self, h: f64) -> Result<f64, EvalError> {
        let (n, m) = (self.n, self.m);
        let mut right = std::mem::take(&mut self.right);
        right.clear();
        right.resize(3 * n, 0.0);
        transform(&INVERSE, n, &self.slopes, &mut right);
        for c in 0..n {
            let w = |i: usize| self.transformed[i * n + c];
            right[c] -= GAMMA / h * w(0);
            right[n + c] -= (ALPHA * w(1) - BETA * w(2)) / h;
            right[2 * n + c] -= (ALPHA * w(2) + BETA * w(1)) / h;
        }
        let lost = |_| EvalError::NotFinite {
            what: "a stage of an implicit step".to_owned(),
        };
        self.real
            .solve(&right[..m], &mut self.solution)
            .map_err(lost)?;
        right[..m].copy_from_slice(&self.solution);
        let pair: Vec<f64> = [&right[n..n + m], &right[2 * n..2 * n + m]].concat();
        self.complex
            .solve(&pair, &mut self.solution)
            .map_err(lost)?;
        right[n..n + m].copy_from_slice(&self.solution[..m]);
        right[2 * n..2 * n + m].copy_from_slice(&self.solution[m..]);
        // What nothing depends on follows from the rest.
        for c in m..n {
            let row = &self.jacobian[c * m..(c + 1) * m];
            let carried = |i: usize| right[i * n + c] + dot(row, &right[i * n..i * n + m]);
            let [real, x, y] = [0, 1, 2].map(carried);
            let square = ALPHA * ALPHA + BETA * BETA;
            right[c] = real * h / GAMMA;
            right[n + c] = h * (ALPHA * x + BETA * y) / square;
            right[2 * n + c] = h * (ALPHA * y - BETA * x) / square;
        }
        let moves = self.transformed.iter_mut().zip(&right);
        moves.for_each(|(w, dw)| *w += dw);
        let scaled = right.iter().zip(self.scale.iter().cycle());
        let change = size(
            scaled
                .map(|(dw, scale)| dw / scale)
                .collect::<Vec<_>>()
                .into_iter(),
        );
        self.right = right;
        Ok(change)
    }

    /// `(gamma/h - J)^-1 (Sum d_i Z_i / h + slope)`, into the solution.
    fn defect(&mut self, h: f64, slope: &[f64]) -> bool {
        let (n, m) = (self.n, self.m);
        let right: Vec<f64> = (0..n)
            .map(|c| {
                let sum: f64 = (0..3).map(|i| ERROR[i] * self.stages[i * n + c]).sum();
                sum / h + slope[c]
            })
            .collect();
        let solved = self.real.solve(&right[..m], &mut self.solution).is_ok();
        for (c, rest) in right.iter().enumerate().skip(m) {
            let row = &self.jacobian[c * m..(c + 1) * m];
            let carried = rest + dot(row, &self.solution[..m]);
            self.solution.push(carried * h / GAMMA);
        }
        solved
    }

    fn defect_size(&self, scale: &[f64]) -> f64 {
        size(self.solution.iter().zip(scale).map(|(x, scale)| x / scale))
    }
}

/// The entry `k` of `value` times the unit matrix.
fn diagonal(k: usize, m: usize, value: f64) -> f64 {
    if k.is_multiple_of(m + 1) { value } else { 0.0 }
}

/// Rows combined by a matrix.
fn transform(matrix: &[[f64; 3]; 3], n: usize, from: &[f64], to: &mut [f64]) {
    for (i, row) in matrix.iter().enumerate() {
        for c in 0..n {
            let [x, y, z] = [from[c], from[n + c], from[2 * n + c]];
            to[i * n + c] = row[0] * x + row[1] * y + row[2] * z;
        }
    }
}

/// The weights of `Z_1, Z_2, Z_3` in the polynomial through 0 and them at `theta`.
fn lagrange(theta: f64) -> [f64; 3] {
    let weight = |j: usize| {
        let others = (0..3).filter(|i| *i != j);
        let product = others.map(|i| (theta - NODES[i]) / (NODES[j] - NODES[i]));
        theta / NODES[j] * product.product::<f64>()
    };
    [0, 1, 2].map(weight)
}

impl Stepper for Radau<'_> {
    fn start(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError> {
        self.evaluations += 1;
        self.workspace.linear.rewind();
        let (workspace, first) = (&mut self.workspace, &mut self.first);
        Ok(evaluate(self.field, workspace, t, y, first)?)
    }

    fn first_step(&mut self, t: f64, y: &[f64], limit: f64, scale: &[f64]) -> f64 {
        self.scale.copy_from_slice(scale);
        self.evaluations += 1;
        let (field, workspace, argument) = (self.field, &mut self.workspace, &mut self.argument);
        let slope = &self.first;
        first_step(5, y, slope, limit, scale, |h, out| {
            workspace.linear.rewind();
            let sums = argument.iter_mut().zip(y).zip(slope);
            sums.for_each(|((out, y), k)| *out = y + h * k);
            evaluate(field, workspace, t + h, argument, out).is_ok()
        })
    }

    fn trial(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> Result<(), EvalError> {
        self.prepare(t, y, h)?;
        self.guess(h);
        self.trial.0 = t;
        self.trial.1.copy_from_slice(y);
        self.converged = self.newton(t, y, h).unwrap_or(false);
        let third = &self.stages[2 * self.n..];
        let ends = end.iter_mut().zip(y).zip(third);
        ends.for_each(|((end, y), z)| *end = y + z);
        Ok(())
    }

    fn error(&mut self, h: f64, scale: &[f64]) -> f64 {
        if !self.converged {
            return f64::INFINITY;
        }
        let first = std::mem::take(&mut self.first);
        let solved = self.defect(h, &first);
        self.first = first;
        let mut error = self.defect_size(scale);
        // Far from the solution the stiff components of the estimate are damped by a second look.
        if solved && error >= 1.0 && (self.after_rejection || self.taken.is_none()) {
            let argument = self.trial.1.iter().zip(&self.solution).map(|(y, e)| y + e);
            let argument: Vec<f64> = argument.collect();
            let mut slope = vec![0.0; self.n];
            self.evaluations += 1;
            self.workspace.linear.rewind();
            let (field, workspace) = (self.field, &mut self.workspace);
            if evaluate(field, workspace, self.trial.0, &argument, &mut slope).is_ok() {
                self.defect(h, &slope);
                error = self.defect_size(scale);
            }
        }
        match solved {
            true => error,
            false => f64::INFINITY,
        }
    }

    fn complete(&mut self, span: &Span) -> Result<(), EvalError> {
        self.evaluations += 1;
        self.workspace.linear.rewind();
        let (workspace, last) = (&mut self.workspace, &mut self.last);
        Ok(evaluate(
            self.field,
            workspace,
            span.t + span.h,
            span.end,
            last,
        )?)
    }

    fn extend(&mut self, span: &Span) -> Result<(), EvalError> {
        let third = &self.stages[2 * self.n..];
        let ends = span.end.iter().zip(span.y).zip(third);
        let shifts = self.shift.iter_mut().zip(ends);
        shifts.for_each(|(shift, ((end, y), z))| *shift = end - (y + z));
        Ok(())
    }

    fn dense(&self, span: &Span, theta: f64, out: &mut [f64]) {
        let (n, weights) = (self.n, lagrange(theta));
        let bent = theta * theta * theta;
        for (c, out) in out.iter_mut().enumerate() {
            let sum: f64 = (0..3).map(|j| weights[j] * self.stages[j * n + c]).sum();
            *out = span.y[c] + sum + bent * self.shift[c];
        }
    }

    fn sketch(&self, span: &Span, theta: f64, out: &mut [f64]) {
        hermite(span, &self.first, &self.last, theta, out);
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.first, &mut self.last);
        self.fresh = false;
    }

    fn accepted(&mut self, h: f64, error: f64, scale: &[f64]) -> f64 {
        self.scale.copy_from_slice(scale);
        let error = error.max(1e-10);
        let work = (2 * ITERATIONS + 1) as f64 / (2 * ITERATIONS + self.iterations) as f64;
        let mut factor = SAFETY * work / error.powf(0.25);
        if let Some((length, previous)) = self.taken {
            let predicted =
                SAFETY * (length / h).abs().recip() * (previous / (error * error)).powf(0.25);
            factor = factor.min(predicted);
        }
        factor = factor.clamp(SHRINK, GROW);
        if self.after_rejection {
            factor = factor.min(1.0);
        }
        self.after_rejection = false;
        self.taken = Some((h, error.max(1e-2)));
        let stages = match self.before.take() {
            Some((_, mut stages)) => {
                stages.copy_from_slice(&self.stages);
                stages
            }
            None => self.stages.clone(),
        };
        self.before = Some((h, stages));
        if (1.0..=STEADY).contains(&factor) && self.speed <= KEEP {
            return h;
        }
        h * factor
    }

    fn rejected(&mut self, h: f64, error: Option<f64>) -> f64 {
        self.after_rejection = true;
        if !self.converged && !self.fresh {
            self.speed = 1.0;
        }
        match error.filter(|error| error.is_finite()) {
            Some(error) => h * (SAFETY / error.powf(0.25)).clamp(SHRINK, SAFETY),
            None => 0.5 * h,
        }
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }
}
