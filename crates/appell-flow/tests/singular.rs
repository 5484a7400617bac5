//! Motions that run into states where the rank of the constraints changes, and motions that do not.

use crate::common::{Manifold, System, Watched, appell, dot, field, options, unit};
use appell_flow::{Control, CrossingSense, ExitKind, Options, Outcome, Stop, integrate};

/// On the cone `z'^2 = a^2 (x'^2 + y'^2)` the speed along a generator falls by `g a / sqrt(1 + a^2)`:
/// `z'' = -g a^2 / (1 + a^2)`, so the vertex is met at `z'(0) (1 + a^2) / (g a^2)`.
fn vertex_time(a: f64, g: f64, climb: f64) -> f64 {
    climb * (1.0 + a * a) / (g * a * a)
}

#[test]
fn appell_s_particle_ends_at_the_vertex() {
    for (a, tolerance) in [(1.0, 1e-12), (1.0, 1e-6), (0.5, 1e-9)] {
        let start = [0.0, 0.0, 0.0, 1.6, 1.2, 2.0 * a];
        let run = appell(a, 9.81).run(&start, &options(1.0, tolerance));
        let Outcome::Singular { at, rank: 1, sigma } = &run.outcome else {
            panic!("{}", run.outcome)
        };
        let expected = vertex_time(a, 9.81, 2.0 * a);
        assert!(
            (at.t - expected).abs() < 1e-7 || expected > 1.0,
            "{} {expected}",
            at.t
        );
        assert!(*sigma < 1e-6);
        assert!(at.state[5].1.abs() < 1e-6, "z' at the vertex");
        assert_eq!(run.outcome.exit_kind(), ExitKind::NumericalFailure);
        let last = &run.samples[run.samples.len() - 1];
        assert!(
            last.t <= at.t && at.t - last.t < 1e-5,
            "the last state is regular, just before"
        );
        assert!(
            last.y[5] > 0.0 && run.max_residual < 1e-14,
            "{:e}",
            run.max_residual
        );
    }
}

/// Why the rank monitor exists: without it the motion goes through the vertex on to the other nappe, with
/// every residual at rounding level.
#[test]
fn without_the_watch_the_particle_passes_to_the_other_nappe() {
    let start = [0.0, 0.0, 0.0, 1.6, 1.2, 2.0];
    let unmonitored = Options {
        monitored: false,
        ..options(1.0, 1e-10)
    };
    let run = appell(1.0, 9.81).run(&start, &unmonitored);
    assert!(
        matches!(run.outcome, Outcome::Finished { .. }),
        "{}",
        run.outcome
    );
    let last = &run.samples[run.samples.len() - 1];
    assert!(last.y[5] < -1.0 && last.y[3] < 0.0, "{:?}", last.y);
    assert!(run.max_residual < 1e-14);
}

#[test]
fn a_condition_met_before_the_vertex_ends_the_motion_first() {
    let system = appell(1.0, 9.81);
    let gap = field(6, 1, |_, y, out| out[0] = y[5] - 1e-3);
    let mut motion = system.motion();
    motion.stops = vec![Stop {
        gap: &*gap,
        crossing: CrossingSense::Falling,
        text: "z' < 1e-3".to_owned(),
        deepest: false,
        impassable: false,
    }];
    let start = [0.0, 0.0, 0.0, 1.6, 1.2, 2.0];
    let samples = (0..=10).map(|k| 0.1 * f64::from(k)).collect();
    let wanted = Options {
        samples,
        ..options(1.0, 1e-12)
    };
    let method = &appell_flow::method::DOP853;
    let run = integrate(
        &motion,
        method,
        0.0,
        &start,
        &wanted,
        &mut Control::default(),
    );
    let Outcome::Stopped { at, .. } = &run.outcome else {
        panic!("{}", run.outcome)
    };
    assert!(
        (at.t - (2.0 - 1e-3) / (0.5 * 9.81)).abs() < 1e-12,
        "{}",
        at.t
    );
    let times: Vec<f64> = run.samples.iter().map(|sample| sample.t).collect();
    assert_eq!(times.len(), 6);
    assert_eq!(times[5], at.t);
}

/// `y x' - x y' = 0`: a straight line through the origin, where the row vanishes for every velocity.
fn radial(rank: Option<usize>) -> System {
    let row = || field(4, 2, |_, y, out| out.copy_from_slice(&[y[1], -y[0]]));
    System {
        names: ["x", "y", "x'", "y'"].map(String::from).to_vec(),
        field: field(4, 4, |_, y, out| {
            out.copy_from_slice(&[y[2], y[3], 0.0, 0.0])
        }),
        energy: None,
        stages: vec![Manifold {
            moved: 2..4,
            fields: [
                field(4, 1, |_, y, out| out[0] = y[1] * y[2] - y[0] * y[3]),
                field(4, 1, |_, y, out| {
                    out[0] = (y[1] * y[2]).abs() + (y[0] * y[3]).abs()
                }),
                row(),
                unit(2),
            ],
        }],
        monitored: Some(Watched {
            jacobian: row(),
            metric: unit(2),
            rows: 1,
            rank,
        }),
    }
}

#[test]
fn a_linear_constraint_may_be_singular_at_a_configuration() {
    let run = radial(None).run(&[-1.0, -2.0, 0.7, 1.4], &options(3.0, 1e-10));
    let Outcome::Singular { at, .. } = &run.outcome else {
        panic!("{}", run.outcome)
    };
    assert!((at.t - 1.0 / 0.7).abs() < 1e-7, "{}", at.t);
}

#[test]
fn a_start_in_a_singular_state_is_seen_by_its_rank() {
    let start = [0.0, 0.0, 0.7, 1.4];
    let run = radial(Some(1)).run(&start, &options(3.0, 1e-10));
    assert!(
        matches!(run.outcome, Outcome::Singular { rank: 1, .. }),
        "{}",
        run.outcome
    );
    assert_eq!(run.samples.len(), 1);
    let run = radial(None).run(&start, &options(3.0, 1e-10));
    let Outcome::RankRose { at, rank: 0 } = &run.outcome else {
        panic!("{}", run.outcome)
    };
    assert!(at.t < 1e-3, "{}", at.t);
}

/// `x' sin w - y' cos w = 0`, `w = omega t`: the row turns for ever, by a quarter and more in a long
/// step, and nothing is singular. The second row is twice the first if `redundant`.
fn skate(omega: f64, redundant: bool) -> System {
    let rows = if redundant { 2 } else { 1 };
    let fill = move |out: &mut [f64], width: usize, values: &[f64]| {
        out.chunks_mut(width).enumerate().for_each(|(i, row)| {
            row.iter_mut()
                .zip(values)
                .for_each(|(x, value)| *x = (1 + i) as f64 * value)
        })
    };
    let row = move |y: &[f64]| [y[2].sin(), -y[2].cos()];
    let jacobian = move || field(6, 2 * rows, move |_, y, out| fill(out, 2, &row(y)));
    System {
        names: ["x", "y", "w", "x'", "y'", "w'"].map(String::from).to_vec(),
        field: field(6, 6, move |_, y, out| {
            let (sin, cos) = y[2].sin_cos();
            let along = omega * (y[3] * cos + y[4] * sin);
            out.copy_from_slice(&[y[3], y[4], omega, -along * sin, along * cos, 0.0]);
        }),
        energy: None,
        stages: vec![Manifold {
            moved: 3..5,
            fields: [
                field(6, rows, move |_, y, out| {
                    fill(out, 1, &[dot(&row(y), &y[3..5])])
                }),
                field(6, rows, move |_, y, out| {
                    fill(
                        out,
                        1,
                        &[dot(&row(y).map(f64::abs), &[y[3].abs(), y[4].abs()])],
                    )
                }),
                jacobian(),
                unit(2),
            ],
        }],
        monitored: Some(Watched {
            jacobian: jacobian(),
            metric: unit(2),
            rows,
            rank: None,
        }),
    }
}

#[test]
fn rows_that_turn_smoothly_are_no_alarm_and_redundant_ones_no_obstacle() {
    for redundant in [false, true] {
        for tolerance in [1e-2, 1e-4, 1e-11] {
            let run = skate(2.0, redundant)
                .run(&[0.0, 0.0, 0.0, 1.0, 0.0, 2.0], &options(20.0, tolerance));
            assert!(
                matches!(run.outcome, Outcome::Finished { .. }),
                "{tolerance}: {}",
                run.outcome
            );
            let y = &run.samples[run.samples.len() - 1].y;
            // The blade runs on a circle of radius 1/2 with unit speed.
            let (sin, cos) = 40f64.sin_cos();
            let error = (y[0] - 0.5 * sin)
                .abs()
                .max((y[1] - 0.5 * (1.0 - cos)).abs());
            assert!(error < 1e3 * tolerance, "{tolerance}: {error:e}");
            assert!(run.max_residual < 1e-14);
        }
    }
}

/// Free motion monitored by an arbitrary `A(t)` of one row and a constant metric.
fn monitored(
    row: impl Fn(f64) -> [f64; 2] + Sync + Send + 'static,
    metric: [f64; 4],
    until: f64,
) -> Outcome {
    let mut system = System::free(field(2, 2, |_, _, out| out.copy_from_slice(&[1.0, 0.0])));
    let metric = field(0, 4, move |_, _, out| out.copy_from_slice(&metric));
    let jacobian = field(0, 2, move |t, _, out| out.copy_from_slice(&row(t)));
    system.monitored = Some(Watched {
        jacobian,
        metric,
        rows: 1,
        rank: None,
    });
    system.run(&[0.0, 0.0], &options(until, 1e-8)).outcome
}

const UNIT: [f64; 4] = [1.0, 0.0, 0.0, 1.0];

#[test]
fn a_row_that_turns_round_without_vanishing_is_a_lost_sheet() {
    let sign = |t: f64| if t < 0.3 { [1.0, 0.1] } else { [-1.0, 0.1] };
    let outcome = monitored(sign, UNIT, 1.0);
    let Outcome::SheetLost { at, .. } = &outcome else {
        panic!("{outcome}")
    };
    assert!((at.t - 0.3).abs() < 1e-6, "{}", at.t);
}

#[test]
fn a_near_miss_is_passed_and_a_hit_is_not() {
    for (miss, passes) in [(1e-3, true), (1e-5, true), (1e-7, false)] {
        let outcome = monitored(move |t| [t - 0.37, miss], UNIT, 1.0);
        assert_eq!(
            matches!(outcome, Outcome::Finished { .. }),
            passes,
            "{miss}: {outcome}"
        );
        if let Outcome::Singular { at, .. } = &outcome {
            assert!((at.t - 0.37).abs() < 1e-7, "{}", at.t);
        }
    }
}

/// In the metric `x'^2 - y'^2` the row (1, t) becomes lightlike at t = 1: `A M^-1 A^T = 1 - t^2`.
#[test]
fn an_indefinite_metric_is_singular_where_a_row_is_lightlike() {
    let outcome = monitored(|t| [1.0, t], [1.0, 0.0, 0.0, -1.0], 3.0);
    let Outcome::Singular { at, .. } = &outcome else {
        panic!("{outcome}")
    };
    assert!((at.t - 1.0).abs() < 1e-7, "{}", at.t);
}

/// `M` has no inertia along y; a row in that direction may vanish all the same.
#[test]
fn a_singular_metric_is_no_blindfold() {
    let metric = [1.0, 0.0, 0.0, 0.0];
    let outcome = monitored(|t| [1.0, 1.0 - t], metric, 2.0);
    assert!(matches!(outcome, Outcome::Finished { .. }), "{outcome}");
    let outcome = monitored(|t| [0.0, 1.0 - t], metric, 2.0);
    let Outcome::Singular { at, .. } = &outcome else {
        panic!("{outcome}")
    };
    assert!((at.t - 1.0).abs() < 1e-7, "{outcome}");
}
