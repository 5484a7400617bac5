//! Motions against closed forms: events, outcomes, the watch, samples, the ledger.

use crate::common::{self, close, column, last, model, motion, motions, prepare, until, words};
use appell::{
    Code, Control, EnsembleOptions, ExitKind, Members, Prepared, RunOptions, ensemble, gallery, run,
};
use appell_flow::Outcome;
use std::f64::consts::{PI, TAU};
use std::sync::atomic::{AtomicBool, Ordering};

const PROJECTILE: &str = r#"coordinates = ["x", "y"]
gravity = "-g*N.y"
parameters = { g = 9.81, h = 2 }
[particles]
P = { mass = 1.5, position = "[x, y, 0]" }
[initial]
state = ["x = 0", "y = h", "x' = 3", "y' = 5"]
[simulate]
stop = ["#;

/// The ground is hit at t = (v + sqrt(v^2 + 2 g h))/g; other conditions at their own times,
/// in whatever direction they are crossed, the first of several.
#[test]
fn stops_are_located() {
    let ground = (5.0 + (25.0_f64 + 2.0 * 9.81 * 2.0).sqrt()) / 9.81;
    let cases = [
        ("\"y < 0\"", ground),
        ("\"y <= 0\"", ground),
        ("\"0 > y\"", ground),
        ("\"y = 0\"", ground),
        ("\"y' < 0\"", 5.0 / 9.81),
        ("\"x > 2\"", 2.0 / 3.0),
        ("\"t >= 0.3\"", 0.3),
        ("\"norm(v(P)) < 3.1\"", (5.0 - 0.61_f64.sqrt()) / 9.81),
        ("\"norm(v(P)) < 3.001\"", (5.0 - 0.006001_f64.sqrt()) / 9.81),
        ("\"y < 0\", \"x > 2\", \"x > 2.5\"", 2.0 / 3.0),
    ];
    for (stop, wanted) in cases {
        let model = model(&format!("{PROJECTILE}{stop}]"));
        for run in motions(&prepare(&model), &until(10.0)) {
            let t = run.last_time();
            close(stop, &[t], &[wanted], 1e-10);
            assert!(
                matches!(run.trajectory.outcome, Outcome::Stopped { .. }),
                "{}",
                run.outcome
            );
            assert_eq!(run.exit, ExitKind::Done);
            let y = 2.0 + 5.0 * t - 9.81 / 2.0 * t * t;
            let place = ["x", "y", "x'", "y'"].map(|name| last(&run, name));
            close("place", &place, &[3.0 * t, y, 3.0, 5.0 - 9.81 * t], 1e-10);
            let times = column(&run, "t");
            assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
        }
    }
    // A condition that never becomes true, and one that is true from the start on.
    for stop in ["\"y > 100\"", "\"x < -1\"", "\"y < 3\""] {
        let model = model(&format!("{PROJECTILE}{stop}]"));
        let run = motion(&prepare(&model), &until(0.1));
        assert!(
            run.exit == ExitKind::Done && run.last_time() <= 0.1,
            "{}",
            run.outcome
        );
        let told = run.outcome.contains("holds at the start");
        assert_eq!(told, stop.contains("y < 3"), "{}", run.outcome);
    }
}

/// Conditions that are true for a short time within a step are met by every method; a motion that begins on a
/// surface and leaves it to the side of the condition ends at once, on the other side where it comes back.
#[test]
fn stops_are_met_however_short_they_are_true() {
    let swing = "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\npotential = 'x^2/2'\n[initial]\n\
        state = ['x = 1']\n";
    let fall = "coordinates = ['x']\n[parameters]\nv = 0\nh = 1\n[energy]\nkinetic = \"x'^2/2\"\n\
        potential = '10*x'\n[initial]\nstate = ['x = h', \"x' = v\"]\n";
    let ground = fall.replace("h = 1", "h = 0");
    let thrown = ground.replace("v = 0", "v = 5");
    let cases: [(&str, &str, f64); 9] = [
        (swing, "x < -0.9999", (-0.9999_f64).acos()),
        (swing, "x < -0.99999999", (-0.99999999_f64).acos()),
        (swing, "abs(x) < 1e-6", 1e-6_f64.acos()),
        (
            swing,
            "x' > 0.9999999",
            1.5 * PI - (2e-7_f64 - 1e-14).sqrt(),
        ),
        (fall, "abs(x) < 0.001", (0.999_f64 / 5.0).sqrt()),
        (&ground, "x < 0", 0.0),
        (&ground, "x <= 0", 0.0),
        (&thrown, "x < 0", 1.0),
        (&thrown, "x' < 0", 0.5),
    ];
    for (text, stop, wanted) in cases {
        let text = format!("{text}[simulate]\nuntil = 50\nstop = [\"{stop}\"]\n");
        let model = model(&text);
        let p = prepare(&model);
        for method in ["dop853", "radau5", "taylor"] {
            let run = motion(
                &p,
                &RunOptions {
                    method: Some(method.to_owned()),
                    ..RunOptions::default()
                },
            );
            close(
                &format!("{method}, {stop}"),
                &[run.last_time()],
                &[wanted],
                1e-6,
            );
        }
        let members = Members::new(
            vec!["x".to_owned()],
            vec![last(&motion(&p, &until(0.0)), "x")],
        );
        let done = ensemble(&p, &members, &Default::default(), &mut Control::default());
        let done = done.expect("an ensemble");
        close(stop, &done.t, &[wanted], 1e-6);
    }
}

/// A Chaplygin sleigh there and back again, in every formalism: the end of the way out is the
/// start of the way back.
#[test]
fn there_and_back() {
    let text = |initial: &str| {
        format!(
            r#"coordinates = ["x", "y", "th"]
            parameters = {{ m = 1.4, J = 0.3, a = 0.25 }}
            [energy]
            kinetic = "m/2*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2) + J/2*th'^2"
            potential = "2*x"
            [constraints]
            blade = "x'*sin(th) = y'*cos(th)"
            [motion]
            variables = ["u", "w"]
            equations = ["x' = u*cos(th)", "y' = u*sin(th)", "th' = w"]
            [initial]
            {initial}"#
        )
    };
    let out = model(&text(
        "state = [\"x = 1\", \"th = 0.4\", \"u = 0.8\", \"w = 1.5\"]",
    ));
    let names = ["x", "y", "th", "x'", "y'", "th'"];
    let out = motions(&prepare(&out), &until(3.0));
    assert!(out.len() >= 3);
    for there in &out {
        let end = names.map(|name| last(there, name));
        close(
            there.form.id,
            &end,
            &names.map(|name| last(&out[0], name)),
            1e-9,
        );
        let given: Vec<String> = names
            .iter()
            .zip(end)
            .map(|(name, x)| format!("\"{name} = {x:e}\""))
            .collect();
        // The digits as given satisfy the row to rounding only.
        let initial = format!(
            "t = 3\ninconsistent = \"project\"\nstate = [{}]",
            given.join(", ")
        );
        let back = model(&text(&initial));
        let p = prepare(&back);
        let options = RunOptions {
            form: Some(there.form),
            ..until(0.0)
        };
        let back = motion(&p, &options);
        let start = names.map(|name| column(there, name)[0]);
        close(
            there.form.id,
            &names.map(|name| last(&back, name)),
            &start,
            1e-9,
        );
        close("work", &[back.ledger.change], &[-there.ledger.change], 1e-9);
        assert_eq!(back.last_time(), 0.0);
        assert!(back.ledger.defect.abs() < 1e-10, "{:?}", back.ledger);
        let times = column(&back, "t");
        assert!(
            times[0] == 3.0 && times.windows(2).all(|w| w[0] > w[1]),
            "{times:?}"
        );
    }
}

/// x'' = f(x, x', t) from x = `x`, x' = `v`.
fn one_coordinate(force: &str, x: f64, v: f64) -> appell::Model {
    model(&format!(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"1/2*x'^2\"\n[forces]\nx = \"{force}\"\n\
         [initial]\nstate = [\"x = {x:e}\", \"x' = {v:e}\"]"
    ))
}

/// x = 1/(1 - t) solves x'' = 2 x^3: no number at t = 1, and nothing beyond is claimed.
#[test]
fn a_motion_that_grows_without_bound_ends_in_words() {
    let model = one_coordinate("2*x^3", 1.0, 1.0);
    let run = motion(&prepare(&model), &RunOptions::until(2.0));
    assert_eq!(run.exit, ExitKind::NumericalFailure, "{}", run.outcome);
    let outcome = &run.trajectory.outcome;
    assert!(
        matches!(
            outcome,
            Outcome::Underflow { .. } | Outcome::EvalError { .. }
        ),
        "{outcome}"
    );
    close("t", &[run.last_time()], &[1.0], 1e-4);
    for (t, x) in column(&run, "t")
        .into_iter()
        .zip(column(&run, "x"))
        .filter(|(t, _)| *t < 0.9)
    {
        close("x", &[x], &[1.0 / (1.0 - t)], 1e-7);
    }
}

/// x'' = sqrt(1 - x) has no value beyond x = 1, which is reached at a finite speed.
#[test]
fn a_motion_that_leaves_its_domain_ends_in_words() {
    let model = one_coordinate("sqrt(1 - x)", 0.0, 1.0);
    let run = motion(&prepare(&model), &RunOptions::until(5.0));
    assert_eq!(run.exit, ExitKind::NumericalFailure, "{}", run.outcome);
    let outcome = &run.trajectory.outcome;
    assert!(
        matches!(
            outcome,
            Outcome::EvalError { .. } | Outcome::Underflow { .. }
        ),
        "{outcome}"
    );
    // x'^2 = 1 + 4/3 (1 - (1 - x)^(3/2)); the last state is at the edge.
    let (x, v) = (last(&run, "x"), last(&run, "x'"));
    assert!(x <= 1.0 && x > 1.0 - 1e-6, "{x}");
    close(
        "v^2",
        &[v * v],
        &[7.0 / 3.0 - 4.0 / 3.0 * (1.0 - x).powf(1.5)],
        1e-8,
    );
}

/// Two rows that are one at t = 0 only: the start has rank 1, every later state rank 2.
#[test]
fn rows_that_are_redundant_at_the_start_only() {
    let model = model(
        r#"coordinates = ["x", "y", "z"]
        [energy]
        kinetic = "1/2*(x'^2 + y'^2 + z'^2)"
        [constraints]
        first = "x' = 1"
        second = "x' + t^2*y' = 1"
        [initial]
        state = ["x = 0", "x' = 1", "z' = 1"]"#,
    );
    let p = prepare(&model);
    match run(&p, &until(1.0), &mut Control::default()) {
        Ok(run) => {
            common::assert_finite(&run);
            assert_eq!(run.exit, ExitKind::NumericalFailure, "{}", run.outcome);
            assert!(run.outcome.contains("singular") || run.outcome.contains("rank"));
        }
        Err(error) => {
            let words = words(&p, error);
            assert!(
                words.contains("singular") || words.contains("rank"),
                "{words}"
            );
        }
    }
}

#[test]
fn an_interrupted_run_keeps_what_was_computed() {
    let model = one_coordinate("-x", 1.0, 0.0);
    let p = prepare(&model);
    let cancel = AtomicBool::new(false);
    let mut done = Vec::new();
    let mut progress = |part: f64| {
        done.push(part);
        cancel.store(part > 0.3, Ordering::Relaxed);
    };
    let mut control = Control {
        cancel: Some(&cancel),
        progress: Some(&mut progress),
        stream: None,
    };
    let found = run(&p, &until(100.0), &mut control).expect("it moves");
    assert_eq!(found.exit, ExitKind::Interrupted);
    assert!(matches!(
        found.trajectory.outcome,
        Outcome::Interrupted { .. }
    ));
    let t = found.last_time();
    assert!((30.0..60.0).contains(&t), "{t}");
    close("x", &[last(&found, "x")], &[t.cos()], 1e-9);
    assert!(
        done.windows(2).all(|w| w[0] <= w[1]),
        "progress never falls"
    );
    assert!(found.outcome.contains("kept"), "{}", found.outcome);
}

/// Appell's particle without its `stop` line. On its nappe z'' = -g/2, so the vertex is reached
/// at t = 2/4.905 = 0.407747...
fn appells_particle() -> appell::Model {
    let entry = gallery::find("appell-particle").expect("it is there");
    let lines = entry.text.lines().filter(|line| !line.starts_with("stop"));
    let text: Vec<&str> = lines.collect();
    appell::read("appell.toml", &text.join("\n"))
        .expect("it is right")
        .0
}

#[test]
fn the_watch_ends_the_motion_at_the_vertex() {
    let model = appells_particle();
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    for tolerance in [1e-6, 1e-9, 1e-12] {
        let options = RunOptions {
            rtol: Some(tolerance),
            atol: Some(tolerance),
            ..until(1.0)
        };
        for run in motions(&p, &options) {
            let outcome = &run.trajectory.outcome;
            assert!(matches!(outcome, Outcome::Singular { .. }), "{outcome}");
            assert_eq!(run.exit, ExitKind::NumericalFailure);
            let t = run.last_time();
            assert!((t - 2.0 / 4.905).abs() < 1e-6, "{}: {t}", run.form.id);
            assert!(run.max_residual < 1e-13, "{}", run.max_residual);
            assert!(
                column(&run, "z'").iter().all(|dz| *dz > -1e-6),
                "never on the other nappe"
            );
            // The path up to there: z' = 2 - g t/2, along x : y = 4 : 3.
            for ((t, dz), dx) in column(&run, "t")
                .iter()
                .zip(column(&run, "z'"))
                .zip(column(&run, "x'"))
            {
                let wanted = 2.0 - 4.905 * t;
                close("v", &[dz, dx], &[wanted, 0.8 * wanted], 1e-5);
            }
        }
    }
}

/// Without the watch the run ends as if nothing had been: every residual at rounding, the
/// energy conserved, and yet on the other nappe, where no motion through the vertex is determined.
#[test]
fn without_the_watch_the_nappe_is_lost_unnoticed() {
    let model = appells_particle();
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let options = RunOptions {
        unmonitored: true,
        ..until(1.0)
    };
    let run = motion(&p, &options);
    assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
    assert!(run.max_residual < 1e-13, "{}", run.max_residual);
    let (dx, dy, dz) = (last(&run, "x'"), last(&run, "y'"), last(&run, "z'"));
    assert!((dz * dz - dx * dx - dy * dy).abs() < 1e-13 * dz * dz);
    assert!(dz < -0.5, "it went on through the vertex: {dz}");
}

/// The first and the last time are always among the samples, evenly spaced, and those inside
/// steps are as good as the steps.
#[test]
fn samples() {
    let model = one_coordinate("-x", 1.0, 0.0);
    let p = prepare(&model);
    for (count, rows) in [(1, 1), (2, 2), (3, 3), (1000, 1000)] {
        let run = motion(
            &p,
            &RunOptions {
                samples: Some(count),
                ..until(TAU)
            },
        );
        let (times, x) = (column(&run, "t"), column(&run, "x"));
        assert_eq!(times.len(), rows, "{times:?}");
        assert_eq!(*times.last().expect("a time"), TAU);
        for (i, t) in times.iter().enumerate() {
            if count > 1 {
                let step = TAU / (count - 1) as f64;
                close("t", &[*t], &[step * i as f64], 1e-14);
            }
            close("x", &[x[i]], &[t.cos()], 1e-10);
        }
        close(
            "end",
            &[last(&run, "x"), last(&run, "x'")],
            &[1.0, 0.0],
            1e-10,
        );
        assert!(run.ledger.change.abs() < 1e-10, "{count}: {:?}", run.ledger);
    }
    // The account does not depend on how often one looks.
    let model = one_coordinate("1 - x'", 0.0, 0.0);
    let p = prepare(&model);
    let changes = [1, 2, 50].map(|count| {
        let run = motion(
            &p,
            &RunOptions {
                samples: Some(count),
                ..until(2.0)
            },
        );
        assert!(
            run.ledger.defect.abs() < 1e-10,
            "{count} samples: {:?}",
            run.ledger
        );
        run.ledger.change
    });
    let end = 0.5 * (1.0 - (-2.0_f64).exp()).powi(2);
    close("change", &changes, &[end; 3], 1e-10);
    let none = RunOptions {
        samples: Some(0),
        ..until(1.0)
    };
    let error = run(&p, &none, &mut Control::default()).expect_err("no samples");
    assert_eq!(error.code(), Some(Code::BadValue));
}

/// A start that is the end: one state, no work.
#[test]
fn no_time_at_all() {
    let model = one_coordinate("-x", 1.0, 0.5);
    let run = motion(&prepare(&model), &until(0.0));
    assert_eq!(run.exit, ExitKind::Done);
    close("state", run.last_state(), &[1.0, 0.5], 0.0);
    assert_eq!((run.ledger.change, run.ledger.defect), (0.0, 0.0));
}

/// A belt moves at c under a particle with drag, a motor on y, and a lead that is at rest:
/// each entry of the account by hand.
#[test]
fn the_ledger_names_every_force_and_constraint() {
    let model = model(
        r#"coordinates = ["x", "y", "z"]
        gravity = "-g*N.z"
        parameters = { m = 1.5, c = 0.8, k = 0.6, f = 2, g = 9.81 }
        [particles]
        P = { mass = "m", position = "[x, y, z]", force = "-k*dot(v(P), N.x)*N.x" }
        [forces]
        y = "f"
        [constraints]
        belt = "x' = c"
        floor = "z = 0"
        [motion]
        variables = ["u"]
        equations = ["x' = c", "y' = u", "z' = 0"]
        [initial]
        state = ["x = 0", "y = 0", "z = 0", "y' = 0"]"#,
    );
    let (time, c, k, f, m) = (2.5, 0.8, 0.6, 2.0, 1.5);
    for run in motions(&prepare(&model), &until(time)) {
        let drag = k * c * c * time;
        let motor = f * f * time * time / (2.0 * m);
        let work = &run.ledger.work;
        let names: Vec<&str> = work.keys().map(String::as_str).collect();
        for name in ["P", "y", "belt", "floor", "moving_frames", "projection"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        let entries = ["P", "y", "belt", "floor", "moving_frames"].map(|name| work[name]);
        close("work", &entries, &[-drag, motor, drag, 0.0, 0.0], 1e-10);
        close("change", &[run.ledger.change], &[motor], 1e-10);
        assert!(work["projection"].abs() < 1e-10 && run.ledger.defect.abs() < 1e-10);
    }
}

/// A free particle seen from a frame that swings, b sin(w t): its velocity in space stays u, so
/// E = T2 - T0 = m/2 (u^2 - 2 u b w cos(w t)) changes by the work of the frame alone.
#[test]
fn the_ledger_accounts_for_moving_frames() {
    let model = model(
        r#"coordinates = ["x"]
        parameters = { m = 1.5, b = 0.3, w = 2 }
        [particles]
        P = { mass = "m", position = "[x + b*sin(w*t), 0, 0]" }
        [initial]
        state = ["x = 0", "x' = 1"]"#,
    );
    let (m, b, w, time) = (1.5, 0.3, 2.0, 3.0_f64);
    let speed = 1.0 + b * w;
    let change = -m * speed * b * w * ((w * time).cos() - 1.0);
    for run in motions(&prepare(&model), &until(time)) {
        let found = [run.ledger.change, run.ledger.work["moving_frames"]];
        close("work", &found, &[change, change], 1e-10);
        close(
            "x",
            &[last(&run, "x")],
            &[speed * time - b * (w * time).sin()],
            1e-10,
        );
    }
}

/// Dry friction stops a block of speed 0.8 at t = 4, one on a spring within the third swing, and a puck in the plane
/// at t = 5/(mu g): from there on steps go to and fro across the jump, and the outcome names it.
#[test]
fn dry_friction_that_holds_a_body_is_named() {
    let block = "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"-0.2*sign(x')\"\n\
                 [initial]\nstate = [\"x' = 0.8\"]";
    let puck = "coordinates = ['x', 'y']\nparameters = { mu = 0.3, g = 9.81 }\n[particles]\n\
                P = { mass = 2, position = '[x, y, 0]', force = '-2*mu*g*unit(v(P))' }\n\
                [initial]\nstate = [\"x' = 3\", \"y' = 4\"]";
    let cases = [
        (block, 4.0, "`x'` is 0 there", "`tanh((x')/v0)`"),
        (puck, 5.0 / (0.3 * 9.81), "`x'^2 + y'^2` is 0 there", "v0^2"),
    ];
    for (text, at, what, instead) in cases {
        let model = model(text);
        let run = motion(&prepare(&model), &until(10.0));
        assert!(run.outcome.contains(what), "{}", run.outcome);
        assert!(run.outcome.contains(instead), "{}", run.outcome);
        close("t", &[run.last_time()], &[at], 1e-3);
    }
    // Without a jump nothing is said of one.
    let smooth = block.replace("sign(x')", "tanh(x'/0.01)");
    let run = motion(&prepare(&model(&smooth)), &until(10.0));
    assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
}

/// Amplitudes of 1e-13 beside an absolute tolerance of 1e-12 are not controlled; those of 1 and rest are.
#[test]
fn a_state_below_the_absolute_tolerance_is_told() {
    let text = |x: &str| {
        format!(
            "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\npotential = 'x^2/2'\n\
             [initial]\nstate = ['x = {x}']"
        )
    };
    for (x, told) in [("1e-13", true), ("1e-3", false), ("0", false)] {
        let run = motion(&prepare(&model(&text(x))), &until(1.0));
        assert_eq!(
            run.outcome.contains("absolute tolerance"),
            told,
            "{}",
            run.outcome
        );
    }
}

/// A condition is not true where it has no value, and the motion goes on: `log(0.5 - x)` beyond x = 0.5. It becomes true
/// where it gets a value that satisfies it: `sqrt(x - 0.5) < 0.3` at x = 0.5, t = pi/6. Ensembles say the same.
#[test]
fn conditions_without_a_value_are_not_true() {
    let text = |stop: &str| {
        format!(
            "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\npotential = 'x^2/2'\n\
             [initial]\nstate = ['x = 0', \"x' = 1\"]\n[simulate]\nstop = ['{stop}']"
        )
    };
    let cases = [
        ("log(0.5 - x) > 10", 10.0),
        ("sqrt(x - 0.5) < 0.3", PI / 6.0),
        ("1/x < -5", PI),
        ("sqrt(x) > 0.9", (0.81_f64).asin()),
        ("log(x + 0.5) = 0", (0.5_f64).asin()),
    ];
    for (stop, end) in cases {
        let model = model(&text(stop));
        let p = prepare(&model);
        for run in motions(&p, &until(10.0)) {
            assert_eq!(run.exit, ExitKind::Done, "{stop}: {}", run.outcome);
            close(stop, &[run.last_time()], &[end], 1e-9);
        }
        let members = Members::new(vec!["x'".to_owned()], vec![1.0, 1.0]);
        let options = EnsembleOptions {
            run: until(10.0),
            ..Default::default()
        };
        let all = ensemble(&p, &members, &options, &mut Control::default()).expect("motions");
        close(stop, &all.t, &[end, end], 1e-9);
    }
}

/// Forces that act for a moment are met: pulses of 1 s within 10 s and within 100 s on a body at rest.
#[test]
fn forces_of_a_moment_are_not_stepped_over() {
    let pulses = [
        ("sign(t - 5) - sign(t - 6)", 10.0, 2.0, 1e-4),
        ("exp(-8*(t - 70)^2)", 100.0, (PI / 8.0).sqrt(), 1e-8),
    ];
    for (force, end, v, tolerance) in pulses {
        let model = model(&format!(
            "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = '{force}'\n[initial]\nstate = ['x = 0']"
        ));
        let run = motion(&prepare(&model), &until(end));
        close(force, &[last(&run, "x'")], &[v], tolerance);
    }
}

/// What a claim became.
fn claim(run: &appell::Run, name: &str) -> (Option<bool>, Option<f64>, Option<usize>) {
    let found = run.claims.iter().find(|claim| claim.name == name);
    let found = found.unwrap_or_else(|| panic!("{name}"));
    (found.holds, found.missed_at, found.samples)
}

/// `x = cos t` with samples at its ends only: what fails between them is seen, when first, and in its domain.
#[test]
fn conditions_are_looked_at_between_samples() {
    let model = model(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n\
         [initial]\nstate = [\"x = 1\"]\n[claims]\n\
         above = { always = \"x > -1/2\" }\n\
         rising = { always = \"x > -1/2\", where = \"x' > 0\" }\n\
         falling = { always = \"x > -1/2\", where = [\"x' < 0\", \"x > -0.6\"] }\n\
         touched = { always = \"x >= -1\" }\n\
         energy = { always = \"x^2 + x'^2 <= 1\" }\n\
         never = { always = \"x < -1/2\", refuted = true }\n\
         beside = { always = \"1e-12*x > -1e-13\" }\n\
         asked = { always = \"x > -1/2\", tolerance = 0.6 }\n",
    );
    let p = prepare(&model);
    let options = RunOptions {
        samples: Some(2),
        ..until(TAU)
    };
    for run in motions(&p, &options) {
        let third = TAU / 3.0;
        for (name, wanted) in [("above", third), ("rising", PI), ("falling", third)] {
            let (holds, missed, samples) = claim(&run, name);
            let words = format!("{name} in {}", run.form.id);
            assert_eq!((holds, samples), (Some(false), None), "{words}");
            close(&words, &[missed.expect("a time")], &[wanted], 1e-6);
        }
        for name in ["touched", "energy", "asked"] {
            assert_eq!(claim(&run, name), (Some(true), None, None), "{name}");
        }
        assert_eq!(claim(&run, "never"), (Some(true), Some(0.0), None));
        // It is missed by less than 1e-9, not by rounding, and between the samples only.
        assert_eq!(claim(&run, "beside").0, Some(false));
    }
    let many = motion(&p, &until(TAU));
    assert_eq!(claim(&many, "beside").0, Some(false));
}

/// A blow of 10 ms, a narrow force and a narrow wall: steps end where the force jumps, whatever the method.
#[test]
fn steps_end_where_forces_jump() {
    let root = 2f64.sqrt();
    let beyond = 3.01 + root * (2.0 - (root - 1.0) / 50.0);
    let cases = [
        (
            "0",
            "50*(sign(t - 2) - sign(t - 2.01))",
            "x' = 0",
            [2.995, 1.0],
        ),
        (
            "0",
            "25*(sign(x - 3) - sign(x - 3.01))",
            "x' = 1",
            [beyond, root],
        ),
        (
            "5000*max(0, 0.01 - abs(x - 3))",
            "0",
            "x' = 1",
            [0.9804, -1.0],
        ),
    ];
    for (potential, force, start, wanted) in &cases {
        let model = model(&format!(
            "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"{potential}\"\n\
             [forces]\nx = \"{force}\"\n[initial]\nstate = [\"x = 0\", \"{start}\"]\n"
        ));
        let p = prepare(&model);
        for method in ["dop853", "taylor", "radau5"] {
            let options = RunOptions {
                method: Some(method.to_owned()),
                ..until(5.0)
            };
            let run = motion(&p, &options);
            let end = [last(&run, "x"), last(&run, "x'")];
            close(&format!("{force} by {method}"), &end, wanted, 1e-7);
            assert!(run.ledger.closes(), "{method}: {:?}", run.ledger);
        }
    }
}

/// What falls on a stiff spring without damping bounces; the motion between is a parabola, that on the spring a part of
/// a circle. A long step into the spring tells nothing of where it begins.
#[test]
fn stiff_springs_throw_back() {
    const G: f64 = 9.81;
    for stiffness in [1e4_f64, 1e6, 1e8] {
        let model = model(&format!(
            "coordinates = [\"z\"]\n[energy]\nkinetic = \"z'^2/2\"\npotential = \"9.81*z + {stiffness}*min(z, 0)^2/2\"\n\
             [initial]\nstate = [\"z = 1\"]\n"
        ));
        let run = motion(&prepare(&model), &until(10.0));
        let speed = (2.0 * G).sqrt();
        let turned = (speed / stiffness.sqrt()).atan2(G / stiffness);
        let rise = speed / G;
        let period = 2.0 * rise + (TAU - 2.0 * turned) / stiffness.sqrt();
        let since = (10.0 + rise).rem_euclid(period) - rise;
        let wanted = [1.0 - G * since * since / 2.0, -G * since];
        let end = [last(&run, "z"), last(&run, "z'")];
        close(&format!("stiffness {stiffness}"), &end, &wanted, 1e-6);
        assert!(run.trajectory.steps < 2000, "{}", run.trajectory.steps);
    }
}

/// Rows are as good in other units, nearly parallel, or longer and longer: none of these states is singular.
#[test]
fn lengths_of_rows_do_not_end_a_motion() {
    let cases = [
        (
            "y",
            "a = \"1e-5*(y' - x') = 0\"\nb = \"1e5*(z' - x') = 0\"",
            [1.5; 3],
            3.0,
            "x' = 1",
        ),
        (
            "z - x",
            "a = \"x' + y' = 0\"\nb = \"x' + (1 + 1e-6)*y' = 0\"",
            [0.0, 0.0, -1.5],
            3.0,
            "z' = 1",
        ),
        (
            "-x",
            "a = \"(1 + x^2)^6*(y' - x') = 0\"\nb = \"z' = x'\"",
            [32.0 / 3.0; 3],
            8.0,
            "x = 0",
        ),
        (
            "-x",
            "a = \"exp(x)*(y' - x') = 0\"\nb = \"z' = 0\"",
            [16.0, 16.0, 0.0],
            8.0,
            "x = 0",
        ),
    ];
    for (potential, rows, wanted, end, start) in cases {
        let model = model(&format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
             potential = \"{potential}\"\n[constraints]\n{rows}\n[initial]\nstate = [\"{start}\"]\n"
        ));
        let run = motion(&prepare(&model), &until(end));
        let place = ["x", "y", "z"].map(|name| last(&run, name));
        close(rows, &place, &wanted, 1e-6);
    }
}
