//! Methods of integration in one table with their sources: [`METHODS`].

mod auto;
mod dop853;
mod leapfrog;
mod radau5;
mod runge_kutta;
mod taylor;

pub use crate::tableau::{Dense, ErrorEstimate, Tableau};
pub use auto::AUTO;
pub(crate) use auto::stiff_decay;
pub use dop853::DOP853;
pub use leapfrog::LEAPFROG;
pub use radau5::RADAU5;
pub use taylor::TAYLOR;

use crate::motion::{Motion, Options};
use crate::step::Stepper;
use crate::unsupported::Unsupported;
use std::fmt;

/// Every method, the default first.
pub static METHODS: &[&Method] = &[&DOP853, &TAYLOR, &RADAU5, &LEAPFROG];

/// The method of this identifier; `auto` is [`AUTO`], which chooses among them.
pub fn find(id: &str) -> Option<&'static Method> {
    let mut methods = METHODS.iter().copied().chain([&AUTO]);
    methods.find(|method| method.id == id)
}

/// A method of integration.
pub struct Method {
    /// The name on the command line.
    pub id: &'static str,
    /// The name in words.
    pub title: &'static str,
    /// The key of the source in `refs.bib`.
    pub source: &'static str,
    /// The order of the step; `None` where it follows from the tolerance.
    pub order: Option<u32>,
    /// The order of the dense output, if it is fixed.
    pub dense_order: Option<u32>,
    /// Whether it asks the field for its tape: see [`Field::tape`](crate::Field::tape).
    pub needs_tape: bool,
    /// The constants of the explicit Runge-Kutta method that runs over lanes, if any.
    pub tableau: Option<&'static Tableau>,
    /// Sets the method to work on a motion, or says in words that follow a colon why it cannot.
    pub(crate) stepper: Constructor,
}

type Constructor = for<'a> fn(&Problem<'a>) -> Result<Box<dyn Stepper + 'a>, Unsupported>;

/// What a method is set to work on.
#[derive(Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub motion: &'a Motion<'a>,
    pub options: &'a Options,
    /// `(t, y)`
    pub start: (f64, &'a [f64]),
}

impl Method {
    /// Whether the method applies to a motion from `(t, y)`.
    ///
    /// # Errors
    /// Why not, in words that follow a colon.
    pub fn examine(
        &self,
        motion: &Motion,
        options: &Options,
        t: f64,
        y: &[f64],
    ) -> Result<(), Unsupported> {
        let problem = Problem {
            motion,
            options,
            start: (t, y),
        };
        (self.stepper)(&problem).map(|_| ())
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

#[cfg(test)]
mod tests {
    //! Orders as they are measured, for every row of the table.

    use super::*;
    use crate::step::Span;
    use crate::tape::{Op, Tape};
    use crate::{Field, Velocities};

    /// Kepler's problem, `r'' = -r / |r|^3`, with the state `(x, y, x', y')`.
    fn kepler() -> Tape {
        Tape {
            inputs: 5,
            constants: vec![],
            ops: vec![
                Op::Mul(1, 1),
                Op::Mul(2, 2),
                Op::Add(5, 6),
                Op::Sqrt(7),
                Op::Mul(7, 8),
                Op::Div(1, 9),
                Op::Neg(10),
                Op::Div(2, 9),
                Op::Neg(12),
            ],
            solves: vec![],
            outputs: vec![3, 4, 11, 13],
        }
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

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        apart.fold(0.0, f64::max)
    }

    /// The tolerance from which a method may take its order: `taylor` takes 5.
    const TOLERANCE: f64 = 1e-3;

    /// Errors of `n` equal steps on the ellipse, `t = 0..3`: at the end, the largest of the dense output
    /// in between, and the largest of the sketch.
    fn errors(method: &Method, n: usize) -> [f64; 3] {
        let field = kepler();
        let names: Vec<String> = ["x", "y", "x'", "y'"].map(str::to_owned).to_vec();
        let motion = Motion {
            velocities: Some(Velocities { q: 0..2, v: 2..4 }),
            ..Motion::free(&names, &field)
        };
        let (h, mut y) = (3.0 / n as f64, ellipse(0.0).to_vec());
        let options = Options {
            until: 3.0,
            rtol: TOLERANCE,
            atol: TOLERANCE,
            step: Some(h),
            ..Options::default()
        };
        let start = y.clone();
        let problem = Problem {
            motion: &motion,
            options: &options,
            start: (0.0, &start),
        };
        let mut stepper = (method.stepper)(&problem).expect("it applies");
        let (mut end, mut dense) = (vec![0.0; 4], vec![0.0; 4]);
        let [mut between, mut sketched] = [0.0f64; 2];
        // Newton's iterations go on to rounding.
        let scale = [1e-13; 4];
        stepper.start(0.0, &y).expect("regular");
        stepper.first_step(0.0, &y, h, &scale);
        for k in 0..n {
            let t = k as f64 * h;
            stepper.trial(t, &y, h, &mut end).expect("regular");
            assert!(stepper.error(h, &scale).is_finite(), "{method:?}");
            let span = Span::new(t, h, &y, &end);
            stepper.complete(&span).expect("regular");
            stepper.extend(&span).expect("regular");
            for theta in [0.25, 0.5, 0.75] {
                stepper.dense(&span, theta, &mut dense);
                between = between.max(distance(&dense, &ellipse(t + theta * h)));
                stepper.sketch(&span, theta, &mut dense);
                sketched = sketched.max(distance(&dense, &ellipse(t + theta * h)));
            }
            std::mem::swap(&mut y, &mut end);
            stepper.advance();
            stepper.accepted(h, 0.5, &scale);
        }
        [distance(&y, &ellipse(3.0)), between, sketched]
    }

    #[test]
    fn the_measured_orders_are_the_stated_ones() {
        for method in METHODS {
            let order = method.order.unwrap_or(taylor::order(TOLERANCE));
            // Between the first terms of the error and rounding.
            let (few, halvings) = if order < 7 { (80, 2) } else { (10, 3) };
            let (coarse, fine) = (errors(method, few), errors(method, few << halvings));
            let measured = |i: usize| (coarse[i] / fine[i]).log2() / f64::from(halvings);
            let step = measured(0);
            assert!(
                (step - f64::from(order)).abs() < 0.5,
                "{}: {step}",
                method.id
            );
            // The local error of an extension of order p is of order p + 1.
            let stated = method.dense_order.unwrap_or(order);
            let dense = measured(1);
            let expected = f64::from(order.min(stated + 1));
            assert!(
                (dense - expected).abs() < 0.5,
                "{}: dense {dense}",
                method.id
            );
            let sketch = measured(2);
            assert!(sketch > f64::from(order.min(4)) - 0.5, "{sketch}");
        }
    }

    #[test]
    fn the_estimate_of_dop853_is_of_the_size_of_a_high_order_error() {
        let field = crate::Formula::new(1, 1, |t: f64, _: &[f64], out: &mut [f64]| {
            out[0] = t.cos();
        });
        let names = ["x".to_owned()];
        let motion = Motion::free(&names, &field);
        let problem = Problem {
            motion: &motion,
            options: &Options::default(),
            start: (0.0, &[0.0]),
        };
        let mut stepper = (DOP853.stepper)(&problem).expect("it applies");
        stepper.start(0.0, &[0.0]).expect("regular");
        let mut estimate = |h: f64| {
            stepper.trial(0.0, &[0.0], h, &mut [0.0]).expect("regular");
            stepper.error(h, &[1.0])
        };
        let order = (estimate(1.0) / estimate(0.5)).log2();
        assert!((7.0..9.5).contains(&order), "{order}");
    }

    #[test]
    fn what_needs_the_operations_says_so_where_there_are_none() {
        let field = crate::Formula::new(1, 1, |_, y: &[f64], out: &mut [f64]| out[0] = -y[0]);
        assert!(field.tape().is_none());
        let names = ["x".to_owned()];
        let motion = Motion::free(&names, &field);
        for method in METHODS.iter().filter(|method| method.needs_tape) {
            let refused = method.examine(&motion, &Options::default(), 0.0, &[1.0]);
            assert!(
                refused.is_err_and(|why| why.0.contains("operations")),
                "{method:?}"
            );
        }
    }
}
