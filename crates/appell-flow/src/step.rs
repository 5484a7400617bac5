//! One step of a method: slopes, end, error estimate and dense output.

use crate::field::{Field, Trouble, Workspace, evaluate};
use crate::method::Method;

/// The slopes and the dense output of the step in hand.
pub(crate) struct Stepper<'a> {
    method: &'static Method,
    field: &'a dyn Field,
    workspace: Workspace,
    size: usize,
    /// `slope_count` rows of `size`; the first is the slope at the start of the step.
    slopes: Vec<f64>,
    argument: Vec<f64>,
    /// The coefficients `F0, F1, ...` of the dense output, rows of `size`.
    coefficients: Vec<f64>,
    /// Right-hand sides evaluated so far.
    pub evaluations: usize,
}

impl<'a> Stepper<'a> {
    pub fn new(method: &'static Method, field: &'a dyn Field) -> Stepper<'a> {
        let size = field.outputs();
        let mut workspace = Workspace::default();
        workspace.linear.hold_ranks();
        Stepper {
            method,
            field,
            workspace,
            size,
            slopes: vec![0.0; size * method.slope_count()],
            argument: vec![0.0; size],
            coefficients: Vec::new(),
            evaluations: 0,
        }
    }

    /// Evaluates the slope at the start of the first step, which fixes the ranks of consistent systems.
    pub fn start(&mut self, t: f64, y: &[f64]) -> Result<(), Trouble> {
        Ok(self.slope(0, t, y)?)
    }

    /// The slope at the start of the step.
    pub fn first_slope(&self) -> &[f64] {
        &self.slopes[..self.size]
    }

    /// Takes the stages of a step of length `h` and writes its end.
    pub fn trial(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> Result<(), Trouble> {
        let method = self.method;
        for (i, (row, node)) in method.stages.iter().zip(method.nodes).enumerate().skip(1) {
            self.stage(i, row, t + node * h, y, h)?;
        }
        combine(y, h, method.weights, &self.slopes, end);
        Ok(())
    }

    /// The estimated error of the trial step in the norm of [`size`], each component relative to `scale`.
    pub fn error(&self, h: f64, scale: &[f64]) -> f64 {
        let fine = self.weighted(self.method.error.fine, scale);
        let coarse = self.weighted(self.method.error.coarse, scale);
        match fine == 0.0 {
            true => 0.0,
            false => h.abs() * fine * fine / fine.hypot(0.1 * coarse),
        }
    }

    fn weighted(&self, weights: &[f64], scale: &[f64]) -> f64 {
        let sum = |c: usize| -> f64 {
            let slopes = self.slopes[c..].iter().step_by(self.size);
            weights.iter().zip(slopes).map(|(w, k)| w * k).sum()
        };
        size((0..self.size).map(|c| sum(c) / scale[c]))
    }

    /// Completes the step at `end` (which may have been projected): the last slope and the dense output.
    pub fn complete(&mut self, t: f64, y: &[f64], h: f64, end: &[f64]) -> Result<(), Trouble> {
        let method = self.method;
        let last = method.stage_count();
        self.slope(last, t + h, end)?;
        let dense = method.dense.stages.iter().zip(method.dense.nodes);
        for (i, (row, node)) in dense.enumerate() {
            self.stage(last + 1 + i, row, t + node * h, y, h)?;
        }
        dense_coefficients(method, h, y, end, &self.slopes, &mut self.coefficients);
        Ok(())
    }

    /// The dense output at `y(t + theta h)`, `y` the start of the completed step.
    pub fn dense(&self, y: &[f64], theta: f64, out: &mut [f64]) {
        dense_at(y, &self.coefficients, theta, out);
    }

    /// Makes the end of the completed step the start of the next.
    pub fn advance(&mut self) {
        let last = self.method.stage_count() * self.size;
        self.slopes.copy_within(last..last + self.size, 0);
    }

    fn stage(&mut self, i: usize, row: &[f64], t: f64, y: &[f64], h: f64) -> Result<(), Trouble> {
        let mut argument = std::mem::take(&mut self.argument);
        combine(y, h, row, &self.slopes, &mut argument);
        let answer = self.slope(i, t, &argument);
        self.argument = argument;
        Ok(answer?)
    }

    fn slope(&mut self, i: usize, t: f64, y: &[f64]) -> Result<(), Box<Trouble>> {
        self.evaluations += 1;
        self.workspace.linear.rewind();
        let out = &mut self.slopes[i * self.size..(i + 1) * self.size];
        evaluate(self.field, &mut self.workspace, t, y, out)
    }

    /// A first step such that Euler's method would err by a hundredth of the tolerance
    /// (Hairer, Norsett & Wanner, II.4); `scale` holds the tolerances, `limit` the longest step.
    pub fn first_step(&mut self, t: f64, y: &[f64], limit: f64, scale: &[f64]) -> f64 {
        let relative = |x: &[f64]| size(x.iter().zip(scale).map(|(x, scale)| x / scale));
        let slope = self.first_slope().to_vec();
        let (position, speed) = (relative(y), relative(&slope));
        let guess = if position < 1e-5 || speed < 1e-5 {
            1e-6
        } else {
            0.01 * position / speed
        };
        let guess = guess.min(limit.abs()).copysign(limit);
        combine(y, guess, &[1.0], &slope, &mut self.argument);
        let argument = self.argument.clone();
        let mut next = vec![0.0; self.size];
        self.evaluations += 1;
        self.workspace.linear.rewind();
        if evaluate(
            self.field,
            &mut self.workspace,
            t + guess,
            &argument,
            &mut next,
        )
        .is_err()
        {
            return guess;
        }
        next.iter_mut()
            .zip(&slope)
            .for_each(|(next, slope)| *next -= slope);
        let change = relative(&next) / guess.abs();
        let largest = speed.max(change);
        let step = match largest <= 1e-15 {
            true => 1e-6f64.max(guess.abs() * 1e-3),
            false => (0.01 / largest).powf(1.0 / f64::from(self.method.order)),
        };
        step.min(100.0 * guess.abs())
            .min(limit.abs())
            .copysign(limit)
    }
}

/// The root mean square.
pub(crate) fn size(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    (values.map(|x| x * x).sum::<f64>() / count).sqrt()
}

/// `out = y + h Sum_i weights_i slopes_i`, the slopes in rows of the length of `y`.
fn combine(y: &[f64], h: f64, weights: &[f64], slopes: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (weight, slope) in weights.iter().zip(slopes.chunks_exact(y.len().max(1))) {
        if *weight != 0.0 {
            out.iter_mut()
                .zip(slope)
                .for_each(|(out, k)| *out += weight * k);
        }
    }
    out.iter_mut()
        .zip(y)
        .for_each(|(out, y)| *out = y + h * *out);
}

/// Writes `F0, F1, ...` of [`Dense`](crate::method::Dense) in rows of the length of `y0`.
pub(crate) fn dense_coefficients(
    method: &Method,
    h: f64,
    y0: &[f64],
    y1: &[f64],
    slopes: &[f64],
    out: &mut Vec<f64>,
) {
    let n = y0.len();
    let (first, last) = (&slopes[..n], &slopes[method.stage_count() * n..]);
    out.clear();
    out.resize(n * method.dense_count(), 0.0);
    for c in 0..n {
        let rise = y1[c] - y0[c];
        let start = h * first[c] - rise;
        out[c] = rise;
        out[n + c] = start;
        out[2 * n + c] = rise - h * last[c] - start;
    }
    let zeros = vec![0.0; n];
    for (i, weights) in method.dense.weights.iter().enumerate() {
        combine(
            &zeros,
            h,
            weights,
            slopes,
            &mut out[(3 + i) * n..(4 + i) * n],
        );
    }
}

/// Evaluates the dense output in `theta`.
pub(crate) fn dense_at(y0: &[f64], coefficients: &[f64], theta: f64, out: &mut [f64]) {
    out.fill(0.0);
    let rows = coefficients.chunks_exact(y0.len().max(1)).enumerate();
    for (i, row) in rows.rev() {
        let factor = if i % 2 == 0 { theta } else { 1.0 - theta };
        out.iter_mut()
            .zip(row)
            .for_each(|(out, f)| *out = factor * (f + *out));
    }
    out.iter_mut().zip(y0).for_each(|(out, y)| *out += y);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Formula;
    use crate::method::METHODS;

    /// Errors of `n` equal steps on Kepler's ellipse, `e = 0.5`, `t = 0..3`: at the end, and the
    /// largest of the dense output in between.
    fn errors(method: &'static Method, n: usize) -> (f64, f64) {
        let field = Formula::new(4, 4, |_, y: &[f64], out: &mut [f64]| {
            let cube = y[0].hypot(y[1]).powi(3);
            out.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
        });
        let mut stepper = Stepper::new(method, &field);
        let (h, mut y) = (3.0 / n as f64, ellipse(0.0).to_vec());
        let (mut end, mut dense, mut between) = (vec![0.0; 4], vec![0.0; 4], 0.0f64);
        stepper.start(0.0, &y).expect("regular");
        for k in 0..n {
            let t = k as f64 * h;
            stepper.trial(t, &y, h, &mut end).expect("regular");
            stepper.complete(t, &y, h, &end).expect("regular");
            for theta in [0.25, 0.5, 0.75] {
                stepper.dense(&y, theta, &mut dense);
                between = between.max(distance(&dense, &ellipse(t + theta * h)));
            }
            std::mem::swap(&mut y, &mut end);
            stepper.advance();
        }
        (distance(&y, &ellipse(3.0)), between)
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter()
            .zip(b)
            .fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
    }

    /// Kepler's ellipse with semi-axis 1, mu = 1, e = 0.5, by Newton on his equation.
    fn ellipse(t: f64) -> [f64; 4] {
        let e: f64 = 0.5;
        let mut anomaly = t;
        for _ in 0..30 {
            anomaly -= (anomaly - e * anomaly.sin() - t) / (1.0 - e * anomaly.cos());
        }
        let (sin, cos) = anomaly.sin_cos();
        let (b, rate) = ((1.0 - e * e).sqrt(), 1.0 / (1.0 - e * cos));
        [cos - e, b * sin, -sin * rate, b * cos * rate]
    }

    #[test]
    fn the_measured_orders_are_the_stated_ones() {
        for method in METHODS {
            let (coarse, fine) = (errors(method, 10), errors(method, 80));
            let step = (coarse.0 / fine.0).log2() / 3.0;
            // The local error of an extension of order p is of order p + 1.
            let dense = (coarse.1 / fine.1).log2() / 3.0 - 1.0;
            assert!(
                (step - f64::from(method.order)).abs() < 0.5,
                "{}: {step}",
                method.id
            );
            let stated = f64::from(method.dense_order);
            assert!((dense - stated).abs() < 0.5, "{}: dense {dense}", method.id);
        }
    }

    #[test]
    fn the_estimate_is_of_the_size_of_a_high_order_error() {
        let field = Formula::new(1, 1, |t: f64, _: &[f64], out: &mut [f64]| out[0] = t.cos());
        let mut stepper = Stepper::new(METHODS[0], &field);
        stepper.start(0.0, &[0.0]).expect("regular");
        let mut estimate = |h: f64| {
            stepper.trial(0.0, &[0.0], h, &mut [0.0]).expect("regular");
            stepper.error(h, &[1.0])
        };
        let order = (estimate(1.0) / estimate(0.5)).log2();
        assert!((7.0..9.5).contains(&order), "{order}");
    }
}
