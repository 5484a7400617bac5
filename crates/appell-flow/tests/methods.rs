//! Each method where it is at home: series against another method and closed forms, stiff motions against
//! published values, long reversible motions.

use crate::common::{Manifold, distance, field, options, unit};
use appell_expr::Function;
use appell_flow::method::{AUTO, DOP853, LEAPFROG, METHODS, Method, RADAU5, TAYLOR};
use appell_flow::tape::{Op, Register};
use appell_flow::{
    Control, Field, Formula, Motion, Options, Outcome, Stage, Tape, Trajectory, Velocities,
    integrate,
};

fn go(field: &dyn Field, method: &'static Method, start: &[f64], options: &Options) -> Trajectory {
    let names: Vec<String> = (0..field.inputs()).map(|i| format!("y{i}")).collect();
    let motion = Motion::free(&names, field);
    integrate(
        &motion,
        method,
        0.0,
        start,
        options,
        &mut Control::default(),
    )
}

fn end(run: &Trajectory) -> &[f64] {
    assert!(
        matches!(run.outcome, Outcome::Finished { .. }),
        "{}",
        run.outcome
    );
    &run.samples[run.samples.len() - 1].y
}

/// A tape in the making.
struct Draft(Tape);

impl Draft {
    fn new(inputs: usize, constants: &[f64]) -> Draft {
        Draft(Tape {
            inputs,
            constants: constants.to_vec(),
            ops: vec![],
            solves: vec![],
            outputs: vec![],
        })
    }

    fn push(&mut self, op: Op) -> Register {
        self.0.ops.push(op);
        (self.0.first() + self.0.ops.len() - 1) as Register
    }
}

const ARGUMENT: Register = 100;
const SECOND: Register = 101;
const CONSTANT: Register = 102;

/// The field `y' = f(u, w)` with `u = 0.4 + 0.3 sin(t + y/5)`, `w = 0.5 + 0.2 cos t`, so that the series of
/// its argument has all orders; the operation names its arguments by [`ARGUMENT`], [`SECOND`], [`CONSTANT`].
fn of_operation(op: Op) -> Tape {
    let mut draft = Draft::new(2, &[0.4, 0.3, 0.5, 0.2, 1.7]);
    let fifth = draft.push(Op::Mul(1, 5));
    let angle = draft.push(Op::Add(0, fifth));
    let sine = draft.push(Op::Call(Function::Sin, angle, angle));
    let scaled = draft.push(Op::Mul(3, sine));
    let u = draft.push(Op::Add(scaled, 2));
    let cosine = draft.push(Op::Call(Function::Cos, 0, 0));
    let half = draft.push(Op::Mul(cosine, 5));
    let w = draft.push(Op::Add(4, half));
    let named = |x: Register| match x {
        ARGUMENT => u,
        SECOND => w,
        CONSTANT => 6,
        _ => x,
    };
    let value = draft.push(match op {
        Op::Neg(x) => Op::Neg(named(x)),
        Op::Abs(x) => Op::Abs(named(x)),
        Op::Sqrt(x) => Op::Sqrt(named(x)),
        Op::OrZero(x) => Op::OrZero(named(x)),
        Op::Add(x, y) => Op::Add(named(x), named(y)),
        Op::Sub(x, y) => Op::Sub(named(x), named(y)),
        Op::Mul(x, y) => Op::Mul(named(x), named(y)),
        Op::Div(x, y) => Op::Div(named(x), named(y)),
        Op::Power(x, y) => Op::Power(named(x), named(y)),
        Op::Call(f, x, y) => Op::Call(f, named(x), named(y)),
        Op::SinCos(x) => Op::SinCos(named(x)),
        other => other,
    });
    let mut result = value;
    if matches!(op, Op::SinCos(_)) {
        let cosine = draft.push(Op::Part);
        result = draft.push(Op::Div(value, cosine));
    }
    draft.0.outputs = vec![result];
    draft.0
}

fn operations() -> Vec<Op> {
    let (x, y, c) = (ARGUMENT, SECOND, CONSTANT);
    let mut all = vec![
        Op::Neg(x),
        Op::Abs(x),
        Op::Sqrt(x),
        Op::OrZero(x),
        Op::SinCos(x),
        Op::Mul(x, x),
    ];
    for (x, y) in [(x, y), (x, c), (c, x)] {
        all.extend([Op::Add(x, y), Op::Sub(x, y), Op::Mul(x, y)]);
        all.extend([Op::Div(x, y), Op::Power(x, y)]);
    }
    let functions = [
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Asin,
        Function::Acos,
        Function::Atan,
        Function::Sinh,
        Function::Cosh,
        Function::Tanh,
        Function::Exp,
        Function::Log,
        Function::Abs,
        Function::Sign,
    ];
    all.extend(functions.map(|f| Op::Call(f, x, x)));
    all.extend([
        Op::Call(Function::Atan2, x, y),
        Op::Call(Function::Atan2, y, x),
        Op::Call(Function::Atan2, x, c),
    ]);
    all
}

/// A wrong coefficient of any order would show: the step is as long as the series allows.
#[test]
fn the_series_of_every_operation_is_right() {
    for op in operations() {
        let tape = of_operation(op);
        let wanted = go(&tape, &DOP853, &[0.1], &options(3.0, 1e-14));
        let found = go(&tape, &TAYLOR, &[0.1], &options(3.0, 1e-14));
        let apart = distance(end(&found), end(&wanted)) / end(&wanted)[0].abs().max(1.0);
        assert!(apart < 1e-13, "{op:?}: {apart:e}");
        assert!(found.steps < 60, "{op:?}: {} steps", found.steps);
    }
}

/// And the derivatives by the state: Newton's iteration of `radau5` needs few corrections only with them.
#[test]
fn the_jacobian_of_every_operation_is_right() {
    for op in operations() {
        let tape = of_operation(op);
        let wanted = go(&tape, &DOP853, &[0.1], &options(3.0, 1e-13));
        let found = go(&tape, &RADAU5, &[0.1], &options(3.0, 1e-9));
        let apart = distance(end(&found), end(&wanted)) / end(&wanted)[0].abs().max(1.0);
        assert!(apart < 1e-7, "{op:?}: {apart:e}");
    }
}

/// `y' = |sin t|` has a corner in every half turn: `y(10) = 6 + 1 - cos(10 - 3 pi)`. So has `max(sin t, 0)`:
/// `y(10) = 2 + 2 - ...`.
#[test]
fn series_end_at_corners() {
    let pi = std::f64::consts::PI;
    let last = 1.0 - (10.0 - 3.0 * pi).cos();
    for (op, expected) in [
        (Op::Abs(2), 6.0 + last),
        (Op::Call(Function::Abs, 2, 2), 6.0 + last),
    ] {
        let mut draft = Draft::new(1, &[0.0]);
        draft.push(Op::Call(Function::Sin, 0, 0));
        draft.0.outputs = vec![draft.push(op)];
        let run = go(&draft.0, &TAYLOR, &[0.0], &options(10.0, 1e-13));
        assert!((end(&run)[0] - expected).abs() < 1e-11, "{op:?} {:?}", run);
    }
    for (f, expected) in [(Function::Max, 4.0), (Function::Min, -2.0 - last)] {
        let mut draft = Draft::new(1, &[0.0]);
        draft.push(Op::Call(Function::Sin, 0, 0));
        draft.0.outputs = vec![draft.push(Op::Call(f, 2, 1))];
        let run = go(&draft.0, &TAYLOR, &[0.0], &options(10.0, 1e-13));
        assert!((end(&run)[0] - expected).abs() < 1e-11, "{f:?} {:?}", run);
    }
}

/// `y' = y^2`, `y = 1 / (1 - t)`: the step follows the distance of the pole.
#[test]
fn a_pole_is_approached_by_a_geometric_sequence_of_steps() {
    let mut draft = Draft::new(2, &[]);
    draft.0.outputs = vec![draft.push(Op::Mul(1, 1))];
    let run = go(&draft.0, &TAYLOR, &[1.0], &options(0.999, 1e-12));
    assert!((end(&run)[0] / 1000.0 - 1.0).abs() < 1e-8, "{run:?}");
    assert!(run.steps < 100, "{}", run.steps);
}

/// Van der Pol's oscillator in the scaling `y_1' = y_2`, `y_2' = ((1 - y_1^2) y_2 - y_1) / eps`, `eps = 1/mu^2`.
fn van_der_pol(mu: f64) -> Tape {
    let mut draft = Draft::new(3, &[1.0, 1.0 / (mu * mu)]);
    let square = draft.push(Op::Mul(1, 1));
    let damping = draft.push(Op::Sub(3, square));
    let force = draft.push(Op::Mul(damping, 2));
    let sum = draft.push(Op::Sub(force, 1));
    let rate = draft.push(Op::Div(sum, 4));
    draft.0.outputs = vec![2, rate];
    draft.0
}

/// Robertson's reaction.
fn robertson() -> Tape {
    let mut draft = Draft::new(4, &[0.04, 1e4, 3e7]);
    let slow = draft.push(Op::Mul(4, 1));
    let product = draft.push(Op::Mul(2, 3));
    let back = draft.push(Op::Mul(5, product));
    let square = draft.push(Op::Mul(2, 2));
    let fast = draft.push(Op::Mul(6, square));
    let first = draft.push(Op::Sub(back, slow));
    let minus = draft.push(Op::Neg(first));
    let second = draft.push(Op::Sub(minus, fast));
    draft.0.outputs = vec![first, second, fast];
    draft.0
}

/// `mu = 1000`; the values at t = 2 from the test set of initial value problems [mazzia2008, vdpol].
#[test]
fn van_der_pol_s_oscillator_is_stiff() {
    let wanted = [1.706_167_732_170_483, -0.892_809_701_024_797_5];
    let tape = van_der_pol(1e3);
    for (tolerance, bound) in [(1e-6, 1e-4), (1e-9, 1e-7)] {
        let run = go(&tape, &RADAU5, &[2.0, 0.0], &options(2.0, tolerance));
        let error = distance(end(&run), &wanted);
        assert!(error < bound, "{tolerance:e}: {error:e}");
        // Stability would ask an explicit method for a million.
        assert!(run.steps < 6000, "{}", run.steps);
    }
}

/// At t = 40, to ten digits.
const ROBERTSON: [f64; 3] = [0.715_827_068_8, 9.185_534_765e-6, 0.284_163_745_7];

/// At t = 40 as it is quoted to ten digits; at t = 1e11 from the same test set.
#[test]
fn robertson_s_reaction_is_stiffer() {
    let tape = robertson();
    let settings = |until: f64| Options {
        until,
        rtol: 1e-10,
        atol: 1e-14,
        ..Options::default()
    };
    let run = go(&tape, &RADAU5, &[1.0, 0.0, 0.0], &settings(40.0));
    for (y, wanted) in end(&run).iter().zip(ROBERTSON) {
        assert!((y / wanted - 1.0).abs() < 1e-8, "{y} {wanted}");
    }
    let late = Options {
        atol: 1e-22,
        ..settings(1e11)
    };
    let run = go(&tape, &RADAU5, &[1.0, 0.0, 0.0], &late);
    let wanted = [
        2.083_340_149_701_255e-8,
        8.333_360_770_334_713e-14,
        0.999_999_979_166_505,
    ];
    for (y, wanted) in end(&run).iter().zip(wanted) {
        assert!((y / wanted - 1.0).abs() < 1e-5, "{y} {wanted}");
    }
    assert!(run.steps < 8000, "{}", run.steps);
}

/// A component on which nothing depends: `x'' = -x` with the work `x'^2` behind it.
#[test]
fn quadratures_are_carried_through_the_implicit_step() {
    let mut draft = Draft::new(3, &[]);
    let minus = draft.push(Op::Neg(1));
    let square = draft.push(Op::Mul(2, 2));
    draft.0.outputs = vec![2, minus, square];
    let names = ["x", "x'"].map(str::to_owned).to_vec();
    let t: f64 = 5.0;
    let expected = [t.cos(), -t.sin(), 0.5 * t - 0.25 * (2.0 * t).sin()];
    for method in [&RADAU5, &TAYLOR, &DOP853] {
        let motion = Motion::free(&names, &draft.0);
        let start = [1.0, 0.0, 0.0];
        let wanted = options(t, 1e-10);
        let run = integrate(
            &motion,
            method,
            0.0,
            &start,
            &wanted,
            &mut Control::default(),
        );
        assert!(
            distance(end(&run), &expected) < 1e-8,
            "{method:?} {:?}",
            end(&run)
        );
    }
}

#[test]
fn auto_turns_to_the_implicit_method_where_the_motion_is_stiff_and_says_so() {
    let run = go(&van_der_pol(1e3), &AUTO, &[2.0, 0.0], &options(0.5, 1e-6));
    let explicit = go(&van_der_pol(1e3), &DOP853, &[2.0, 0.0], &options(0.5, 1e-6));
    assert_eq!(run.method, "radau5", "{:?}", run.why);
    assert!(run.why.as_deref().is_some_and(|why| why.contains("stiff")));
    assert!(distance(end(&run), end(&explicit)) < 1e-5);
    assert!(10 * run.steps < explicit.steps, "{}", run.steps);
    let mut draft = Draft::new(3, &[]);
    let minus = draft.push(Op::Neg(1));
    draft.0.outputs = vec![2, minus];
    for (tolerance, method) in [(1e-9, "dop853"), (3e-14, "taylor")] {
        let run = go(&draft.0, &AUTO, &[1.0, 0.0], &options(300.0, tolerance));
        assert_eq!(run.method, method, "{:?}", run.why);
        assert!(run.why.is_some());
    }
}

/// A skate on an inclined plane: `(x, y, theta)` of unit mass and inertia, `x' sin(theta) = y' cos(theta)`.
struct Skate {
    names: Vec<String>,
    field: Box<dyn Field>,
    stage: Manifold,
}

impl Skate {
    /// With friction `-mu v` on the velocities.
    fn new(friction: f64) -> Skate {
        let rate = move |_: f64, y: &[f64], out: &mut [f64]| {
            let (sin, cos) = y[2].sin_cos();
            let (vx, vy, w) = (y[3], y[4], y[5]);
            let force = [1.0 - friction * vx, -friction * vy, -friction * w];
            let b = w * (vx * cos + vy * sin);
            let lambda = -(force[0] * sin - force[1] * cos + b);
            out.copy_from_slice(&[
                vx,
                vy,
                w,
                force[0] + lambda * sin,
                force[1] - lambda * cos,
                force[2],
            ]);
        };
        let blade = [
            field(6, 1, |_, y, out| {
                out[0] = y[3] * y[2].sin() - y[4] * y[2].cos();
            }),
            field(6, 1, |_, y, out| {
                out[0] = (y[3] * y[2].sin()).abs() + (y[4] * y[2].cos()).abs();
            }),
            field(6, 3, |_, y, out| {
                out.copy_from_slice(&[y[2].sin(), -y[2].cos(), 0.0]);
            }),
            unit(3),
        ];
        Skate {
            names: ["x", "y", "theta", "x'", "y'", "theta'"]
                .map(str::to_owned)
                .to_vec(),
            field: field(6, 6, rate),
            stage: Manifold {
                moved: 3..6,
                fields: blade,
            },
        }
    }

    fn motion(&self) -> Motion<'_> {
        let [residual, magnitudes, jacobian, metric] = &self.stage.fields;
        Motion {
            stages: vec![Stage {
                moved: self.stage.moved.clone(),
                residual: &**residual,
                magnitudes: &**magnitudes,
                jacobian: &**jacobian,
                metric: &**metric,
                rank: None,
                names: vec![],
            }],
            velocities: Some(Velocities { q: 0..3, v: 3..6 }),
            ..Motion::free(&self.names, &*self.field)
        }
    }

    fn leap(&self, start: &[f64], step: f64, steps: usize, samples: usize) -> Trajectory {
        let until = step * steps as f64;
        let sample = |k: usize| until * k as f64 / samples as f64;
        let wanted = Options {
            step: Some(step),
            samples: (0..=samples).map(sample).collect(),
            ..options(until, 1e-9)
        };
        let motion = self.motion();
        integrate(
            &motion,
            &LEAPFROG,
            0.0,
            start,
            &wanted,
            &mut Control::default(),
        )
    }
}

/// `theta = w t`, and along the blade `u' = sin`: the skate on an inclined plane drifts along a cycloid
/// without going down.
const SKATE: [f64; 6] = [0.0, 0.0, 0.0, 0.7, 0.0, 1.5];

fn energy(y: &[f64]) -> f64 {
    0.5 * (y[3] * y[3] + y[4] * y[4] + y[5] * y[5]) - y[0]
}

#[test]
fn the_leapfrog_goes_back_where_it_came_from() {
    let skate = Skate::new(0.0);
    let run = skate.leap(&SKATE, 0.05, 400, 1);
    assert_eq!((run.steps, run.rejected), (400, 0));
    let mut back = end(&run).to_vec();
    assert!(run.max_residual < 1e-14, "{:e}", run.max_residual);
    assert!(distance(&back, &SKATE) > 0.1, "it has moved: {back:?}");

    back[3..].iter_mut().for_each(|v| *v = -*v);
    let run = skate.leap(&back, 0.05, 400, 1);
    assert_eq!((run.steps, run.rejected), (400, 0), "on the way back");
    let mut start = end(&run).to_vec();
    start[3..].iter_mut().for_each(|v| *v = -*v);
    assert!(distance(&start, &SKATE) < 1e-10, "{start:?}");
    assert!(run.remarks.is_empty(), "{:?}", run.remarks);
}

#[test]
fn the_leapfrog_is_of_second_order_with_constraints_too() {
    let skate = Skate::new(0.0);
    let exact = integrate(
        &skate.motion(),
        &DOP853,
        0.0,
        &SKATE,
        &options(2.0, 1e-13),
        &mut Control::default(),
    );
    let error = |steps: usize| {
        let run = skate.leap(&SKATE, 2.0 / steps as f64, steps, 1);
        distance(end(&run), end(&exact))
    };
    let order = (error(50) / error(400)).log2() / 3.0;
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

/// The error of the energy oscillates; a method of the same order without symmetry would drift.
#[test]
fn the_energy_of_a_long_leap_stays_in_bounds() {
    let skate = Skate::new(0.0);
    let run = skate.leap(&SKATE, 0.05, 100_000, 2_000);
    let start = energy(&SKATE);
    let defects: Vec<f64> = run
        .samples
        .iter()
        .map(|sample| (energy(&sample.y) - start).abs())
        .collect();
    let worst = |part: &[f64]| part.iter().fold(0.0f64, |worst, e| worst.max(*e));
    let (early, late) = (worst(&defects[..200]), worst(&defects[1800..]));
    assert!(worst(&defects) < 1e-2, "{:e}", worst(&defects));
    assert!(late < 1.5 * early + 1e-9, "{early:e} {late:e}");
}

#[test]
fn the_leapfrog_warns_where_the_motion_is_not_reversible_and_refuses_other_states() {
    let rough = Skate::new(0.3);
    let run = rough.leap(&SKATE, 0.05, 10, 1);
    assert!(
        run.remarks
            .iter()
            .any(|remark| remark.contains("not reversible")),
        "{:?}",
        run.remarks
    );
    let field = Formula::new(2, 2, |_, y: &[f64], out: &mut [f64]| {
        out.copy_from_slice(&[-y[1], y[0]]);
    });
    let run = go(&field, &LEAPFROG, &[1.0, 0.0], &options(1.0, 1e-9));
    let refused = matches!(run.outcome, Outcome::Unsuitable { .. });
    assert!(refused && run.outcome.to_string().contains("leapfrog"));
    assert!(METHODS.iter().any(|method| method.id == "leapfrog"));
}
