//! Poles of the user's own parameters of the velocities.

use crate::common::forms::form;
use crate::common::{close, model, motion, prepare};
use appell::{Control, EnsembleOptions, ExitKind, Members, Run, RunOptions, ensemble};

/// A blade whose heading passes a right angle, where `y' = u*tan(th)` has a pole.
const BLADE: &str = r#"
coordinates = ["x", "y", "th"]
[energy]
kinetic = "(x'^2 + y'^2)/2 + 0.2*th'^2"
[forces]
x = "0.3"
th = "0.05*cos(t)"
[constraints]
b = "x'*sin(th) - y'*cos(th) = 0"
[motion]
variables = ["u", "w"]
equations = ["x' = u", "y' = u*tan(th)", "th' = w"]
[initial]
state = ["x = 0", "y = 0", "th = 1", "u = 1", "w = 1"]
[simulate]
until = 4
"#;

/// The velocities grow, but the parameter keeps its size.
const GROWING: &str = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[forces]
x = "x"
[constraints]
c = "y' = 0"
[motion]
variables = ["u"]
equations = ["x' = u*x", "y' = 0"]
[initial]
state = ["x = 1", "y = 0", "u = 1"]
[simulate]
until = 9
"#;

fn by(text: &str, id: &str, tolerance: f64, until: f64) -> Run {
    let model = model(text);
    let options = RunOptions {
        form: Some(form(id)),
        rtol: Some(tolerance),
        atol: Some(tolerance),
        until: Some(until),
        ..RunOptions::default()
    };
    motion(&prepare(&model), &options)
}

#[test]
fn a_pole_of_the_parameters_is_passed_in_another_form_and_told() {
    for start in ["th = 1", "th = 1.2", "th = 0.4"] {
        let text = BLADE.replace("th = 1\"", &format!("{start}\""));
        for (tolerance, until) in [(1e-6, 20.0), (1e-8, 4.0), (1e-10, 4.0)] {
            let exact = by(&text, "multipliers", 1e-12, until);
            let run = by(&text, "gibbs-appell", tolerance, until);
            assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
            assert!(
                run.outcome.contains("as near a pole of `psi`"),
                "{}",
                run.outcome
            );
            let apart = |i: usize| (run.last_state()[i] - exact.last_state()[i]).abs();
            let off = apart(0).max(apart(1));
            assert!(
                off < 3e3 * tolerance,
                "{start} {tolerance}: {off:e}, {}",
                run.outcome
            );
        }
    }
}

#[test]
fn velocities_that_grow_with_the_place_are_no_pole() {
    let run = by(GROWING, "gibbs-appell", 1e-8, 9.0);
    assert!(!run.outcome.contains("pole"), "{}", run.outcome);
    // x'' = x from x = x' = 1: x = exp(t).
    let x = run.last_state()[0];
    assert!((x / 9f64.exp() - 1.0).abs() < 1e-6, "{x}");
}

/// What stops a motion may have a pole, through which it comes back or not.
#[test]
fn conditions_at_poles_stop_a_motion() {
    for condition in ["1/abs(x) > 1e5", "tan(y) > 1e5", "abs(x) < 1e-5"] {
        let model = model(&format!(
            "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = 'x^2/2'\n[initial]\n\
             state = ['x = 1', \"y' = 1\"]\n[simulate]\nuntil = 5\nstop = ['{condition}']\n"
        ));
        let p = prepare(&model);
        let run = motion(&p, &RunOptions::default());
        let wanted = std::f64::consts::FRAC_PI_2 - 1e-5;
        close(condition, &[run.last_time()], &[wanted], 1e-8);
        // So it is for members of an ensemble, and for others beside them.
        let members = Members::new(vec!["y'".to_owned()], vec![1.0, 1.0, 1.0]);
        let found = ensemble(
            &p,
            &members,
            &EnsembleOptions::default(),
            &mut Control::default(),
        );
        close(condition, &found.expect("motions").t, &[wanted; 3], 1e-8);
    }
}
