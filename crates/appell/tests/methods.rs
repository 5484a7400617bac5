//! Every method of the table on the gallery.

use crate::common;
use crate::common::{close, last, model, motion, prepare, until};
use appell::{ExitKind, METHODS, Model, Prepared, Run, RunOptions, gallery, read, run};

fn moved(name: &str, options: &RunOptions) -> Result<Run, String> {
    let entry = gallery::find(name).expect("it is in the gallery");
    let (model, _) = read(entry.name, entry.text).expect("it is right");
    let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
    run(&prepared, options, &mut Default::default()).map_err(|error| error.to_string())
}

fn by(method: &str, rtol: f64) -> RunOptions {
    RunOptions {
        method: Some(method.to_owned()),
        rtol: Some(rtol),
        atol: Some(0.01 * rtol),
        samples: Some(5),
        ..RunOptions::default()
    }
}

/// The largest difference of two runs at their samples, relative to the size of the states.
fn apart(a: &Run, b: &Run) -> f64 {
    let pairs = a.trajectory.samples.iter().zip(&b.trajectory.samples);
    let size = b.trajectory.samples.iter().flat_map(|sample| &sample.y);
    let size = size.fold(1.0f64, |size, y| size.max(y.abs()));
    pairs
        .flat_map(|(a, b)| a.y.iter().zip(&b.y))
        .fold(0.0f64, |worst, (a, b)| worst.max((a - b).abs()))
        / size
}

/// Series and stages agree on every model, and series keep the constraints to rounding.
#[test]
fn series_give_every_motion_of_the_gallery() {
    for entry in gallery::entries() {
        let stages = moved(entry.name, &by("dop853", 1e-11)).expect("it moves");
        let series = moved(entry.name, &by("taylor", 1e-11))
            .unwrap_or_else(|why| panic!("{}: {why}", entry.name));
        assert_eq!(series.method.id, "taylor");
        assert_eq!(
            series.exit, stages.exit,
            "{}: {}",
            entry.name, series.outcome
        );
        assert_eq!(
            series.trajectory.samples.len(),
            stages.trajectory.samples.len(),
            "{}",
            entry.name
        );
        let difference = apart(&series, &stages);
        assert!(difference < 1e-7, "{}: {difference:e}", entry.name);
        assert!(
            series.max_residual < 1e-14,
            "{}: {:e}",
            entry.name,
            series.max_residual
        );
    }
}

/// Where there is no C compiler both are interpreted.
#[test]
fn series_by_machine_code_give_the_motions_of_the_interpreter() {
    for name in [
        "perpendicular",
        "chaplygin-sleigh",
        "snakeboard",
        "rolling-disc",
    ] {
        let [wanted, found] = ["interp", "cc"].map(|backend| {
            let options = RunOptions {
                backend: Some(backend.to_owned()),
                ..by("taylor", 1e-10)
            };
            moved(name, &options).expect("it moves")
        });
        assert_eq!(found.exit, wanted.exit, "{name}");
        assert_eq!(found.trajectory.steps, wanted.trajectory.steps, "{name}");
        let difference = apart(&found, &wanted);
        assert!(difference < 1e-12, "{name}: {difference:e}");
    }
}

/// Nonlinear, holonomic and several linear rows: every method keeps them to rounding and closes its ledger.
#[test]
fn every_method_keeps_the_constraints() {
    for name in [
        "perpendicular",
        "rolling-disc",
        "chaplygin-sleigh",
        "snakeboard",
    ] {
        let wanted = moved(name, &by("dop853", 1e-11)).expect("it moves");
        for method in METHODS {
            let run = moved(name, &by(method.id, 1e-8))
                .unwrap_or_else(|why| panic!("{name} by {method:?}: {why}"));
            let place = format!("{name} by {method:?}");
            assert_eq!(run.exit, ExitKind::Done, "{place}: {}", run.outcome);
            assert!(run.max_residual < 1e-14, "{place}: {:e}", run.max_residual);
            let difference = apart(&run, &wanted);
            let bound = if method.order == Some(2) { 1e-2 } else { 1e-4 };
            assert!(difference < bound, "{place}: {difference:e}");
        }
    }
}

/// A smooth wall 100 times as high as the kinetic energy, whose tail at the start is lost in rounding: SciPy's DOP853 at
/// 1e-12 turns round in it, too.
#[test]
fn a_series_does_not_step_over_a_wall() {
    let text = "appell = 1
coordinates = [\"x\"]
[energy]
kinetic = \"x'^2/2\"
potential = \"50*exp(-((x-3)/0.3)^2)\"
[initial]
state = [\"x = 0\", \"x' = 1\"]
[simulate]
until = 5
";
    let (model, _) = read("wall.toml", text).expect("it is right");
    let prepared = Prepared::new(&model, &[], &[]).expect("no parameters");
    let run = run(&prepared, &by("taylor", 1e-11), &mut Default::default()).expect("it moves");
    let end = &run.trajectory.samples.last().expect("an end").y;
    assert!((end[0] + 0.102_213_8).abs() < 1e-6, "{end:?}");
}

#[test]
fn a_form_without_velocities_is_refused_by_the_leapfrog_in_words() {
    let options = RunOptions {
        form: appell::Formalism::find("hamilton"),
        ..by("leapfrog", 1e-8)
    };
    let why = moved("perpendicular", &options).expect_err("momenta are no velocities");
    assert!(
        why.contains("leapfrog") && why.contains("velocities"),
        "{why}"
    );
}

#[test]
fn a_run_says_which_method_was_chosen_and_why() {
    let run = moved("perpendicular", &by("auto", 1e-10)).expect("it moves");
    assert!(METHODS.iter().any(|method| method.id == run.method.id));
    assert!(run.why.as_deref().is_some_and(|why| why.contains("1e-10")));
}

#[test]
fn a_length_of_steps_that_no_one_heeds_is_named() {
    let words = |method: &str| {
        let options = RunOptions {
            step: Some(0.01),
            ..by(method, 1e-8)
        };
        let run = moved("perpendicular", &options).expect("it moves");
        run.trajectory.remarks.join(" ")
    };
    assert!(words("dop853").contains("0.01 is kept by `leapfrog`"));
    assert!(!words("leapfrog").contains("kept by"));
}

/// The motion of a model in a string by the leapfrog with this step.
fn leaps(text: &str, step: Option<f64>) -> Result<Run, String> {
    let (model, _): (Model, _) = read("test", text).expect("it is right");
    let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
    let options = RunOptions {
        method: Some("leapfrog".to_owned()),
        step,
        ..RunOptions::default()
    };
    run(&prepared, &options, &mut Default::default()).map_err(|error| error.to_string())
}

/// A fall into the centre of gravity: E = -1, and the time to the centre is pi/(2 sqrt 2) = 1.1107.
const COLLISION: &str = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
potential = "-1/sqrt(x^2 + y^2)"
[initial]
state = ["x = 1", "y = 0", "x' = 0", "y' = 0"]
[simulate]
until = 5
[claims]
energy = { constant = "T + V" }
"#;

#[test]
fn leaps_end_at_a_pole_and_allow_no_more_than_the_energy() {
    for step in [None, Some(0.1), Some(0.01), Some(1e-3), Some(2.7e-4)] {
        let run = leaps(COLLISION, step).expect("it moves");
        assert_eq!(run.exit, ExitKind::NumericalFailure, "{}", run.outcome);
        let time = std::f64::consts::PI / 8.0_f64.sqrt();
        assert!((run.last_time() - time).abs() < 0.01, "{}", run.outcome);
        assert!(
            run.outcome.contains("at a pole of the forces"),
            "{}",
            run.outcome
        );
        // Of an energy of -1, and terms of at most 8 at nine in ten samples.
        assert!(run.ledger.bound < 0.1, "{:?}", run.ledger);
    }
}

#[test]
fn leaps_end_at_a_singular_state_in_time() {
    let crossing = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
[constraints]
c = "x'^2 - y'^2*(1 - t)^2 = 0"
[initial]
state = ["x = 0", "y = 0", "x' = 1", "y' = 1"]
[simulate]
until = 3
"#;
    for step in [None, Some(0.07), Some(0.01)] {
        let run = leaps(crossing, step).expect("it moves");
        assert_eq!(run.exit, ExitKind::NumericalFailure, "{}", run.outcome);
        assert!((run.last_time() - 1.0).abs() < 1e-5, "{}", run.outcome);
        assert!(run.outcome.contains("singular state"), "{}", run.outcome);
    }
}

/// Kepler's ellipse of eccentricity 0.6: resolved leaps keep their length and their energy.
#[test]
fn leaps_that_resolve_the_motion_are_left_alone() {
    let ellipse = COLLISION
        .replace("y' = 0\"", "y' = 0.632455532\"")
        .replace("until = 5", "until = 20");
    let run = leaps(&ellipse, Some(1e-3)).expect("it moves");
    assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
    assert_eq!(run.trajectory.steps, 20_000);
    assert_eq!(run.trajectory.rejected, 0);
    assert!(run.ledger.defect.abs() < 1e-3, "{:?}", run.ledger);
}

/// A ball on a floor that is a stiff spring, by its potential and by its force. The contact lasts 3e-3.
const WALL: [&str; 2] = [
    "potential = \"1e6*min(x, 0)^2/2 + 9.81*x\"",
    "[forces]\nx = \"-9.81 + max(0, -1e6*x)\"",
];

/// `x` and `x'` at the end: of falls and contacts, each a part of a sine, in closed form.
fn bounces(until: f64) -> [f64; 2] {
    let (g, omega) = (9.81_f64, 1e3_f64);
    let (fall, speed) = ((2.0 / g).sqrt(), (2.0 * g).sqrt());
    // x = -(v/w) sin(w t) - g/w^2 (1 - cos(w t))
    let contact = 2.0 * (std::f64::consts::PI - (speed * omega / g).atan()) / omega;
    let mut left = until - fall;
    while left > contact + 2.0 * fall {
        left -= contact + 2.0 * fall;
    }
    let up = left - contact;
    assert!(up > 0.0, "the end is in the air");
    [speed * up - g * up * up / 2.0, speed - g * up]
}

#[test]
fn leaps_into_a_stiff_wall_are_right_or_told() {
    let wanted = bounces(10.0);
    for wall in WALL {
        let text = format!(
            "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n{wall}\n[initial]\nstate = [\"x = 1\", \"x' = 0\"]\n\
             [simulate]\nuntil = 10\n"
        );
        let run = leaps(&text, None).expect("it moves");
        let off = (run.last_state()[0] - wanted[0]).abs();
        assert!(off < 0.02, "{off}: {}", run.outcome);
        // Of an energy of 9.81: a spring that is not touched has none.
        assert!(run.ledger.bound < 0.2, "{:?}", run.ledger);
        assert!(
            run.ledger.change.abs() < 0.2 || run.ledger.work.len() > 2,
            "{:?}",
            run.ledger
        );
    }
}

/// A force that jumps with the time, at the very start too: an oscillation about one place or the other, from jump to jump.
const SWITCHED: &str = r#"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "10*x^2"
[forces]
x = "-0.3*sign(sin(3*t))"
[initial]
state = ["x = 1", "x' = 0"]
[simulate]
until = 5
"#;

fn switched(until: f64) -> [f64; 2] {
    let (omega, pi) = (20.0_f64.sqrt(), std::f64::consts::PI);
    let (mut x, mut v, mut t, mut side) = (1.0, 0.0, 0.0, 1.0);
    while t < until {
        let length = f64::min(pi / 3.0, until - t);
        let centre = -0.3 * side / 20.0;
        let (sin, cos) = (omega * length).sin_cos();
        let off = x - centre;
        (x, v) = (
            centre + off * cos + v / omega * sin,
            v * cos - off * omega * sin,
        );
        (t, side) = (t + length, -side);
    }
    [x, v]
}

#[test]
fn every_method_is_accurate_across_jumps() {
    let (model, _): (Model, _) = read("test", SWITCHED).expect("it is right");
    let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
    for method in ["dop853", "taylor", "auto"] {
        // The last jump within the last hundredth of the last step too.
        for until in [0.3, 1.0473, 5.0] {
            for rtol in [1e-6, 1e-9, 1e-12] {
                let options = RunOptions {
                    until: Some(until),
                    atol: Some(rtol),
                    ..by(method, rtol)
                };
                let run = run(&prepared, &options, &mut Default::default()).expect("it moves");
                assert_eq!(
                    run.exit,
                    ExitKind::Done,
                    "{method} {until} {rtol}: {}",
                    run.outcome
                );
                for (x, wanted) in run.last_state().iter().zip(switched(until)) {
                    let off = (x - wanted).abs();
                    assert!(
                        off < 20.0 * rtol + 1e-11,
                        "{method} {until} {rtol}: {off:e}"
                    );
                }
            }
        }
    }
}

/// A push of a ten-thousandth of a second gives a velocity of 1: steps of a hundredth of the time pass it over where it is one
/// of many that are not looked for, shorter ones do not, whether the file or the caller says how long they may be.
#[test]
fn steps_are_no_longer_than_they_may_be() {
    let others = (0..70).map(|k| format!(" + exp(-(t - {})^2)", 100 + k));
    let push = "10000/sqrt(pi)*exp(-(10000*(t - 4.9123))^2)".to_owned();
    let push = push + &others.collect::<String>();
    let end = |simulate: &str, longest: Option<f64>| {
        let model = model(&format!(
            "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\n\
             x = '{push}'\n[simulate]\nuntil = 10\n{simulate}"
        ));
        let options = RunOptions {
            max_step: longest,
            ..RunOptions::default()
        };
        let run = motion(&prepare(&model), &options);
        last(&run, "x'")
    };
    close("passed over", &[end("", None)], &[0.0], 1e-9);
    close("the file", &[end("max_step = 1e-4", None)], &[1.0], 1e-6);
    let told = end("max_step = 5", Some(1e-4));
    close("the caller", &[told], &[1.0], 1e-6);
}

/// A blade's row written as a vector along its normal: two rows that depend on each other, otherwise at each heading.
#[test]
fn the_leapfrog_keeps_rows_that_depend_on_each_other() {
    let text = |rows: &str| {
        format!(
            "coordinates = ['x', 'y', 'th']\n[energy]\nkinetic = \"(x'^2 + y'^2 + th'^2)/2\"\n[constraints]\n{rows}\n\
             [initial]\nstate = ['x = 0', 'y = 0', 'th = 0', \"x' = 1\", \"th' = 2\"]\n[simulate]\nuntil = 0.5\n"
        )
    };
    let one = text("blade = \"x'*sin(th) - y'*cos(th) = 0\"");
    let two = text(
        "along = \"(x'*sin(th) - y'*cos(th))*sin(th) = 0\"\nacross = \"(x'*sin(th) - y'*cos(th))*cos(th) = 0\"",
    );
    let [one, two] = [one, two].map(|text| {
        let model = common::model(&text);
        let p = common::prepare(&model);
        let options = RunOptions {
            method: Some("leapfrog".to_owned()),
            step: Some(1e-2),
            ..Default::default()
        };
        common::motion(&p, &options)
    });
    assert_eq!(two.trajectory.steps, 50);
    common::close("the end", two.last_state(), one.last_state(), 1e-9);
}

/// A force that is switched on by a logistic function, whose exponential overflows long before: it has a value and no
/// series, and the method that is chosen takes stages.
#[test]
fn where_a_series_has_no_coefficients_stages_are_taken() {
    let text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"1/(1 + exp(-(t - 5)/0.001))\"\n\
        [initial]\nstate = [\"x = 0\"]\n";
    let model = model(text);
    let options = RunOptions {
        method: Some("auto".to_owned()),
        rtol: Some(1e-13),
        atol: Some(1e-13),
        ..until(10.0)
    };
    let found = motion(&prepare(&model), &options);
    assert_eq!(found.method.id, "dop853", "{:?}", found.why);
    close("the end", found.last_state(), &[12.5, 5.0], 1e-6);
}
