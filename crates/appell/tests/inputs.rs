//! Inputs: quantities from outside that may change during a motion.

use crate::common::{self, prepare, until};
use appell::prove::Verdict;
use appell::{
    Error, ExitKind, Hold, InputSource, InputValues, Prepared, RightSide, Run, RunOptions, State,
    Stepper, linearize_along,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cart of mass 2 with damping 0.5, pushed by `tau`.
const CART: &str = "coordinates = ['x']\n[parameters]\nm = 2\nc = 0.5\n[inputs]\ntau = { value = 0, unit = 'N' }\n[energy]\n\
    kinetic = \"m*x'^2/2\"\n[forces]\nx = \"tau - c*x'\"\n[initial]\nstate = [\"x = 0\", \"x' = 1\"]\n[claims]\n\
    law = { equation = \"m*x'' = tau - c*x'\" }\nenergy = { constant = 'E' }\n";

/// A knife edge whose heading a torque turns, with a second force along the edge.
const SLEIGH: &str = "coordinates = ['x', 'y', 'theta']\n[parameters]\nm = 1.5\nI = 0.4\na = 0.3\n[inputs]\ntau = 0\npush = 0.2\n\
    [energy]\nkinetic = \"m*(x'^2 + y'^2)/2 + I*theta'^2/2\"\n[forces]\ntheta = 'tau'\nx = 'push*cos(theta)'\n\
    y = 'push*sin(theta)'\n[constraints]\nedge = \"-x'*sin(theta) + y'*cos(theta) = a*theta'\"\n[initial]\n\
    state = [\"x = 0\", \"y = 0\", \"theta = 0\", \"x' = 1\", \"theta' = 0.1\"]\n";

fn close(got: f64, wanted: f64, tolerance: f64) {
    common::close("a value", &[got], &[wanted], tolerance);
}

fn with<T>(text: &str, look: impl FnOnce(&Prepared<'_>) -> T) -> T {
    let (model, _) = appell::read("model.toml", text).expect("it is a model");
    look(&prepare(&model))
}

fn driven(p: &Prepared<'_>, name: &str, source: InputSource, options: &RunOptions) -> Run {
    let p = p.driven(vec![(name.to_owned(), source)]).expect("an input");
    let run = appell::run(&p, options, &mut Default::default()).expect("it runs");
    assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
    assert!(run.ledger.closes(), "{:?}", run.ledger);
    run
}

fn samples(times: &[f64], values: &[f64], hold: Hold) -> InputSource {
    InputSource::Values(InputValues::Samples {
        times: times.to_vec(),
        values: values.to_vec(),
        hold,
    })
}

#[test]
fn an_input_without_a_drive_has_its_value() {
    with(CART, |p| {
        let run = appell::run(p, &until(2.0), &mut Default::default()).expect("it runs");
        // x' = exp(-t/4)
        close(run.last_state()[1], (-0.5_f64).exp(), 1e-10);
    });
}

#[test]
fn an_expression_drives_as_its_closed_form() {
    with(CART, |p| {
        let tau = InputSource::Expression("m*cos(t) + c*sin(t) - c*x' + c*x'".to_owned());
        let run = driven(p, "tau", tau, &until(3.0));
        // v = sin(t) + exp(-t/4), x = 1 - cos(t) + 4 (1 - exp(-t/4))
        let (t, decay) = (3.0_f64, (-0.75_f64).exp());
        close(
            run.last_state()[0],
            1.0 - t.cos() + 4.0 * (1.0 - decay),
            1e-9,
        );
        close(run.last_state()[1], t.sin() + decay, 1e-9);
        // The law holds along the motion with the input of each time.
        assert_eq!(run.claims[0].holds, Some(true), "{:?}", run.claims[0]);
    });
}

#[test]
fn feedback_makes_a_linear_oscillator() {
    with(CART, |p| {
        let tau = InputSource::Expression("c*x' - 8*x".to_owned());
        let run = driven(p, "tau", tau, &until(3.0));
        // 2 x'' = -8 x
        close(run.last_state()[0], 6.0_f64.sin() / 2.0, 1e-9);
        let function: appell::Feedback = Box::new(|_, y| 0.5 * y[1] - 8.0 * y[0]);
        let source = InputSource::Values(InputValues::Function(function));
        let same = driven(p, "tau", source, &until(3.0));
        assert_eq!(run.last_state(), same.last_state());
    });
}

/// The state of the cart after a constant push over a time.
fn pushed((x, v): (f64, f64), tau: f64, t: f64) -> (f64, f64) {
    let (m, c) = (2.0, 0.5);
    let (end, decay) = (tau / c, (-c * t / m).exp());
    (
        x + end * t + (v - end) * m / c * (1.0 - decay),
        end + (v - end) * decay,
    )
}

#[test]
fn held_samples_are_motions_in_pieces() {
    with(CART, |p| {
        let (times, values) = ([0.0, 0.7, 0.9, 2.5], [3.0, -4.0, 0.0, 10.0]);
        let run = driven(p, "tau", samples(&times, &values, Hold::Zero), &until(3.0));
        let ends = [0.7, 0.9, 2.5, 3.0];
        let (mut state, mut work) = ((0.0, 1.0), 0.0);
        for ((tau, from), to) in values.iter().zip(times).zip(ends) {
            let next = pushed(state, *tau, to - from);
            work += tau * (next.0 - state.0);
            state = next;
        }
        close(run.last_state()[0], state.0, 1e-10);
        close(run.last_state()[1], state.1, 1e-10);
        // Of the work of all forces on x, that of the input is what the energy and the damping leave.
        let heat = 0.5 * squared_speeds(&times, &values, &ends);
        close(run.ledger.work["x"], work - heat, 1e-8);
    });
}

/// The integral of `v^2` over the pieces, by Simpson's rule on their closed forms.
fn squared_speeds(times: &[f64], values: &[f64], ends: &[f64]) -> f64 {
    let (mut state, mut sum) = ((0.0, 1.0), 0.0);
    for ((tau, from), to) in values.iter().zip(times).zip(ends) {
        let (count, length) = (2000, to - from);
        let h = length / f64::from(count);
        for i in 0..=count {
            let weight = match i {
                0 => 1.0,
                i if i == count => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            sum += weight * h / 3.0 * pushed(state, *tau, f64::from(i) * h).1.powi(2);
        }
        state = pushed(state, *tau, length);
    }
    sum
}

#[test]
fn held_samples_of_a_constrained_system_are_runs_one_after_the_other() {
    with(SLEIGH, |p| {
        let source = samples(&[0.0, 1.0, 1.5], &[0.5, -1.0, 0.25], Hold::Zero);
        let whole = driven(p, "tau", source, &until(2.0));
        let mut options = until(1.0);
        for (tau, end) in [(0.5, 1.0), (-1.0, 1.5), (0.25, 2.0)] {
            options.until = Some(end);
            let part = driven(p, "tau", InputSource::Number(tau), &options);
            let state = part.last_state();
            options.start = Some(appell::State {
                t: end,
                q: state[..3].to_vec(),
                v: Some(state[3..].to_vec()),
                z: None,
            });
            if end == 2.0 {
                for (a, b) in whole.last_state().iter().zip(state) {
                    close(*a, *b, 1e-9);
                }
                // Multipliers are those of the input that is in force.
                let row = |run: &Run| run.table.rows.last().cloned().unwrap_or_default();
                for (a, b) in row(&whole).iter().zip(row(&part)) {
                    close(*a, b, 1e-8);
                }
            }
        }
    });
}

#[test]
fn samples_joined_by_lines_are_a_ramp_forwards_and_backwards() {
    with(CART, |p| {
        let p = Prepared::new(p.model, &[appell_override("c", 0)], &[]).expect("no damping");
        let ramp = || samples(&[0.0, 1.0, 4.0], &[0.0, 6.0, 0.0], Hold::Linear);
        let run = driven(&p, "tau", ramp(), &until(4.0));
        // v' = 3 t up to 1, then 3 - (t - 1)
        close(run.last_state()[1], 1.0 + 1.5 + 4.5, 1e-10);
        close(run.last_state()[0], 1.0 + 0.5 + 3.0 * 2.5 + 9.0, 1e-9);
        let back = RunOptions {
            start: Some(appell::State {
                t: 4.0,
                q: run.last_state()[..1].to_vec(),
                v: Some(run.last_state()[1..].to_vec()),
                z: None,
            }),
            ..until(0.0)
        };
        let run = driven(&p, "tau", ramp(), &back);
        close(run.last_state()[0], 0.0, 1e-9);
        close(run.last_state()[1], 1.0, 1e-9);
    });
}

fn appell_override(name: &str, value: i64) -> appell::Override {
    appell::parse_override(&format!("{name}={value}")).expect("a value")
}

#[test]
fn a_sampled_controller_is_asked_at_its_instants_only() {
    with(CART, |p| {
        let function: appell::Feedback = Box::new(|t, y| if t < 2.05 { -4.0 * y[0] } else { 0.0 });
        let source = InputSource::Values(InputValues::sampled(function, 0.1));
        let run = driven(p, "tau", source, &until(3.0));
        let mut state = (0.0, 1.0);
        for k in 0..30 {
            let tau = if k <= 20 { -4.0 * state.0 } else { 0.0 };
            state = pushed(state, tau, 0.1);
        }
        close(run.last_state()[0], state.0, 1e-9);
        close(run.last_state()[1], state.1, 1e-9);
    });
}

#[test]
fn what_drives_nothing_is_refused_in_words() {
    with(CART, |p| {
        let refused = |name: &str, source: InputSource| {
            let driven = p.driven(vec![(name.to_owned(), source)]);
            let found = driven.and_then(|p| appell::run(&p, &until(2.0), &mut Default::default()));
            match found.expect_err("it is wrong") {
                Error::Question(diagnostic) => [vec![diagnostic.message], diagnostic.notes]
                    .concat()
                    .join(" "),
                other => other.to_string(),
            }
        };
        let expression = |text: &str| InputSource::Expression(text.to_owned());
        let late = samples(&[0.5, 1.0], &[1.0, 2.0], Hold::Zero);
        let short = samples(&[0.0, 1.0], &[1.0, 2.0], Hold::Linear);
        let falling = samples(&[0.0, 0.0], &[1.0, 2.0], Hold::Zero);
        let nothing: appell::Feedback = Box::new(|_, _| 0.0);
        let still = InputSource::Values(InputValues::sampled(nothing, 0.0));
        for (name, source, words) in [
            ("tua", InputSource::Number(1.0), "unknown input `tua`"),
            ("m", InputSource::Number(1.0), "unknown input `m`"),
            ("tau", expression("sin(tt)"), "`tt`"),
            ("tau", expression("2*tau"), "`tau` is no parameter"),
            ("tau", late, "begin at t = 0.5"),
            ("tau", short, "end at t = 1"),
            ("tau", falling, "must rise"),
            ("tau", still, "a number > 0"),
        ] {
            let said = refused(name, source);
            assert!(said.contains(words), "{said}");
        }
    });
}

#[test]
fn what_is_proved_holds_for_every_input() {
    let free = CART.replace("c = 0.5", "c = 0");
    with(&free, |p| {
        let proof = appell::prove(p);
        assert_eq!(proof.claims[0].holds, Some(true));
        // With tau = 0 and c = 0 the energy would stay.
        assert!(proof.claims[1].verdict.is_refuted());
        let found = appell::conserved(p, None);
        let listed: Vec<&str> = found
            .integrals
            .iter()
            .map(|x| x.expression.as_str())
            .collect();
        assert!(listed.iter().all(|x| !x.contains("tau")), "{listed:?}");
    });
}

#[test]
fn a_state_that_refutes_tells_its_inputs() {
    let text = CART.replace(
        "law = {",
        "free = { equation = \"x'' = -c*x'/m\" }\nlaw = {",
    );
    with(&text, |p| {
        let proof = appell::prove(p);
        let Verdict::Refuted {
            witness: Some(witness),
            ..
        } = &proof.claims[0].verdict
        else {
            panic!("{:?}", proof.claims[0].verdict);
        };
        let number = |x: &String| x.parse::<f64>().expect("a number");
        // The two sides differ by tau/m.
        let [left, right] = witness.values.each_ref().map(number);
        close(left - right, number(&witness.inputs["tau"]) / 2.0, 1e-12);
        assert_ne!(left, right);
    });
}

#[test]
fn an_acceleration_may_be_an_input() {
    let text = CART.replace(
        "[initial]",
        "[constraints]\nservo = \"x'' = tau\"\n[initial]",
    );
    with(&text, |p| {
        let run = driven(
            p,
            "tau",
            InputSource::Expression("6*t".to_owned()),
            &until(1.0),
        );
        close(run.last_state()[0], 2.0, 1e-9);
        close(run.last_state()[1], 4.0, 1e-9);
    });
}

#[test]
fn a_right_side_takes_parameters_without_being_made_anew() {
    with(SLEIGH, |p| {
        let f = RightSide::new(p, None, None).expect("a right side");
        assert_eq!(f.parameter_names, ["m", "I", "a", "tau", "push"]);
        let y = [0.1, -0.2, 0.7, 1.0, 0.4, 0.9];
        let rate = f.eval(0.3, &y).expect("a value");
        let same = f.eval_with(0.3, &y, &f.parameters, 1).expect("a value");
        rate.iter()
            .zip(&same)
            .for_each(|(a, b)| close(*a, *b, 1e-14));
        let values = [2.0, 0.7, 0.1, 1.3, -0.4];
        let texts = ["m=2", "I=0.7", "a=0.1", "tau=1.3", "push=-0.4"];
        let read = |text| appell::parse_override(text).expect("a value");
        let overrides = texts.map(read);
        let other = Prepared::new(p.model, &overrides, &[]).expect("admissible");
        let other = RightSide::new(&other, None, None).expect("a right side");
        let (found, wanted) = (
            f.eval_with(0.3, &y, &values, 1).expect("a value"),
            other.eval(0.3, &y).expect("a value"),
        );
        found
            .iter()
            .zip(&wanted)
            .for_each(|(a, b)| close(*a, *b, 1e-13));
        let (found, wanted) = (
            f.jacobian_with(0.3, &y, &values).expect("a value"),
            other.jacobian(0.3, &y).expect("a value"),
        );
        found
            .iter()
            .zip(&wanted)
            .for_each(|(a, b)| close(*a, *b, 1e-13));
        // Columns, each with parameters of its own.
        let beside = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).flat_map(|(a, b)| [*a, *b]).collect()
        };
        let both = f.eval_with(0.3, &beside(&y, &y), &beside(&f.parameters, &values), 2);
        let both = both.expect("values");
        assert_eq!(
            both,
            beside(&same, &f.eval_with(0.3, &y, &values, 1).expect("a value"))
        );
        assert!(f.eval_with(0.3, &y, &values[1..], 1).is_err());
    });
}

#[test]
fn steps_are_the_run_with_held_inputs() {
    with(SLEIGH, |p| {
        let mut control = Stepper::new(p, 0.05, &RunOptions::default()).expect("it moves");
        let place = control
            .inputs
            .iter()
            .position(|input| input == "tau")
            .expect("an input");
        let torque = |y: &[f64]| 1.0 - y[2] - 0.8 * y[5];
        for _ in 0..40 {
            let tau = torque(control.state());
            control.set(place, tau).expect("a number");
            control.step().expect("a step");
            // An input that is held asks for no short steps.
            assert_eq!(control.steps(), 1);
        }
        let function: appell::Feedback = Box::new(move |_, y| torque(y));
        let source = InputSource::Values(InputValues::sampled(function, 0.05));
        let run = driven(p, "tau", source, &until(2.0));
        close(control.t(), 2.0, 1e-15);
        for (a, b) in control.state().iter().zip(run.last_state()) {
            close(*a, *b, 1e-9);
        }
        // The multiplier is that of the state with the input that was set last.
        let (accel, multipliers) = control.answers().expect("a regular state");
        assert_eq!((accel.len(), multipliers.len()), (3, 1));
        let again = control.state().to_vec();
        control.reset(None, None).expect("the start");
        assert_eq!(control.t(), 0.0);
        control
            .reset(Some(2.0), Some(&again))
            .expect("a state on the constraints");
        close(
            control.answers().expect("a state").1[0],
            multipliers[0],
            1e-12,
        );
        let off: Vec<f64> = again.iter().map(|x| x + 0.1).collect();
        assert!(control.reset(Some(2.0), Some(&off)).is_err());
        assert_eq!(control.state(), again);
    });
}

/// A controller that counts its calls: what it answers depends on how often it was asked.
#[test]
fn a_sampled_controller_is_asked_once_at_each_of_its_times() {
    let text = CART.replace("c = 0.5", "c = 0");
    with(&text, |p| {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&calls);
        // Nothing in its first ten periods, then a unit force.
        let function: appell::Feedback = Box::new(move |_, _| {
            f64::from(u8::from(counter.fetch_add(1, Ordering::Relaxed) >= 10))
        });
        let source = InputSource::Values(InputValues::sampled(function, 0.1));
        let run = driven(p, "tau", source, &until(3.0));
        // x = t + (t - 1)^2/4 at t = 3
        close(run.last_state()[0], 4.0, 1e-9);
        assert_eq!(calls.load(Ordering::Relaxed), 30);
    });
}

/// What jumps with an input becomes true at the jump.
#[test]
fn conditions_on_inputs_become_true_where_these_jump() {
    let stops = |condition: &str| {
        CART.replace(
            "[claims]",
            &format!("[simulate]\nstop = ['{condition}']\n[claims]"),
        )
    };
    let push = || samples(&[0.0, 0.25, 0.5], &[0.0, 1.0, 0.0], Hold::Zero);
    for condition in [
        "tau > 0.3",
        "tau = 0.3",
        "tau + 0.01*x > 0.3",
        "0.7 > 1 - tau",
    ] {
        with(&stops(condition), |p| {
            let run = driven(p, "tau", push(), &until(1.0));
            close(run.last_time(), 0.25, 1e-12);
        });
    }
    with(&stops("tau < -0.3"), |p| {
        close(driven(p, "tau", push(), &until(1.0)).last_time(), 1.0, 0.0);
    });
    with(&stops("tau > 0.3"), |p| {
        let mut stepper = Stepper::new(p, 0.1, &until(1.0)).expect("a stepper");
        stepper.step().expect("a step");
        assert_eq!(stepper.stopped_by(), None);
        stepper.set(0, 1.0).expect("an input");
        stepper.step().expect("a step");
        assert_eq!(stepper.stopped_by(), Some("tau > 0.3"));
        close(stepper.t(), 0.1, 1e-12);
        // It is true from now on, and does not become so again.
        stepper.step().expect("a step");
        assert_eq!(stepper.stopped_by(), None);
    });
}

/// At fixed inputs only the value of a function counts.
#[test]
fn linear_equations_along_a_motion_need_no_derivatives_of_functions() {
    with(CART, |p| {
        let function: appell::Feedback = Box::new(|t, _| t.sin());
        let source = InputSource::Values(InputValues::Function(function));
        let p = p
            .driven(vec![("tau".to_owned(), source)])
            .expect("an input");
        let state = State {
            t: 1.0,
            q: vec![0.0],
            v: Some(vec![1.0]),
            z: None,
        };
        let found = linearize_along(&p, &[state]).expect("linear equations");
        assert_eq!(found.a[0], [[0.0, 1.0], [0.0, -0.25]]);
        assert_eq!(found.b[0], [[0.0], [0.5]]);
    });
}
