//! What a front may ask of a run beyond the file: a start, times; and the right-hand side by itself.

use crate::common::{self, gallery_model, model, prepare};
use appell::{RightSide, RunOptions, State, eval, read_states, run};

fn options(start: &str, p: &appell::Prepared<'_>) -> RunOptions {
    let states = read_states(start, p).expect("a state");
    RunOptions {
        start: states.into_iter().next(),
        ..RunOptions::until(1.0)
    }
}

/// The file's own start, given as a state, gives the same motion to the last bit.
#[test]
fn a_given_start_is_the_files_own() {
    let model = gallery_model("skate");
    let p = prepare(&model);
    for state in [
        r#"{"q": [0, 0, 0], "v": [1, 0, 2]}"#,
        r#"{"q": [0, 0, 0], "z": [1, 2]}"#,
    ] {
        let given = run(&p, &options(state, &p), &mut Default::default()).expect("a motion");
        let of_file = run(&p, &RunOptions::until(1.0), &mut Default::default()).expect("a motion");
        assert!(given.trajectory == of_file.trajectory, "{state}");
        assert!(!given.start.projected);
    }
}

/// Off the constraints the file's rule holds: refused, or moved least in the kinetic metric.
#[test]
fn a_start_off_the_constraints_is_refused_or_moved() {
    const MODEL: &str = r#"coordinates = ["x", "y"]
        [energy]
        kinetic = "1/2*x'^2 + 3/2*y'^2"
        [constraints]
        ramp = "y' = x'"
        "#;
    let off = r#"{"t": 1, "q": [5, 6], "v": [4, 0]}"#;
    let strict = model(MODEL);
    let p = prepare(&strict);
    let error = run(&p, &options(off, &p), &mut Default::default()).expect_err("refused");
    assert_eq!(error.code(), Some(appell::Code::InconsistentStart));
    let lenient = model(&format!("{MODEL}[initial]\ninconsistent = \"project\"\n"));
    let p = prepare(&lenient);
    let moved = appell::RunOptions {
        until: Some(2.0),
        ..options(off, &p)
    };
    let start = run(&p, &moved, &mut Default::default())
        .expect("a motion")
        .start;
    // Momentum along (1, 1) is kept: v = (m_x 4)/(m_x + m_y) = 1.
    assert!(start.projected && (start.t, &start.q[..]) == (1.0, &[5.0, 6.0]));
    common::close("velocities", &start.v, &[1.0, 1.0], 1e-12);
}

/// Reported times change nothing of the steps; they must lie in order.
#[test]
fn times_are_chosen() {
    let model = gallery_model("perpendicular");
    let p = prepare(&model);
    let asked = |times: &[f64], until| RunOptions {
        times: Some(times.to_vec()),
        until,
        ..RunOptions::default()
    };
    let whole = run(&p, &RunOptions::until(2.0), &mut Default::default()).expect("a motion");
    let times = [0.5, 0.5, 1.25, 2.0];
    let chosen = run(&p, &asked(&times, None), &mut Default::default()).expect("a motion");
    let reported: Vec<f64> = chosen.trajectory.samples.iter().map(|s| s.t).collect();
    assert_eq!(reported, times);
    assert_eq!(chosen.trajectory.steps, whole.trajectory.steps);
    assert_eq!(chosen.last_state(), whole.last_state());
    for wrong in [&[1.0, 0.5][..], &[-1.0], &[3.0], &[f64::NAN]] {
        let answer = run(&p, &asked(wrong, Some(2.0)), &mut Default::default());
        assert!(answer.is_err(), "{wrong:?}");
    }
}

/// The right-hand side is `(v, q'')` as evaluated, its derivative that of central differences.
#[test]
fn the_right_side_is_what_is_evaluated() {
    for name in ["skate", "rolling-disc", "perpendicular"] {
        let model = gallery_model(name);
        let p = prepare(&model);
        let f = RightSide::new(&p, None, None).expect("a form");
        let n = f.state_names.len() / 2;
        let y: Vec<f64> = (0..2 * n).map(|i| 0.3 + 0.17 * i as f64).collect();
        let state = State {
            t: 0.5,
            q: y[..n].to_vec(),
            v: Some(y[n..].to_vec()),
            z: None,
        };
        let values = eval(&p, &[state], &[appell::FORMALISMS[0]]);
        let rate = f.eval(0.5, &y).expect("a value");
        assert_eq!(rate[..n], y[n..]);
        let appell::FormValues::Values { accel, .. } = &values.states[0].forms["multipliers"]
        else {
            panic!("{name}: no value");
        };
        // Accelerations are evaluated in fewer unknowns: other sums, whose terms are as large as the largest of them.
        let size = accel.iter().fold(1.0, |size: f64, a| size.max(a.abs()));
        for (rate, accel) in rate[n..].iter().zip(accel) {
            assert!(
                (rate - accel).abs() <= 64.0 * f64::EPSILON * size,
                "{name}: {rate} for {accel}"
            );
        }
        let jacobian = f.jacobian(0.5, &y).expect("a derivative");
        for j in 0..2 * n {
            let shifted = |h: f64| {
                let mut y = y.clone();
                y[j] += h;
                f.eval(0.5, &y).expect("a value")
            };
            let (up, down) = (shifted(1e-5), shifted(-1e-5));
            for i in 0..2 * n {
                let difference = (up[i] - down[i]) / 2e-5;
                let entry = jacobian[i * 2 * n + j];
                assert!(
                    (difference - entry).abs() < 1e-6 * (1.0 + entry.abs()),
                    "{name} {i} {j}"
                );
            }
        }
        assert!(
            f.eval(0.5, &y[1..])
                .expect_err("too short")
                .to_string()
                .contains("numbers")
        );
    }
}
