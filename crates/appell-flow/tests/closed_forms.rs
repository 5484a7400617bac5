//! Motions with known solutions.

use crate::common::{Manifold, System, Watched, distance, dot, field, options, unit};
use appell_flow::{CrossingSense, ExitKind, Options, Outcome, Stop, integrate};
use std::f64::consts::{PI, TAU};

/// `x'' = -x` with the quadrature of `x'^2` behind the state.
fn oscillator() -> System {
    let mut system = System::free(field(3, 3, |_, y, out| {
        out.copy_from_slice(&[y[1], -y[0], y[1] * y[1]]);
    }));
    system.names.truncate(2);
    system
}

#[test]
fn a_hundred_periods_and_the_work_along_them() {
    let end = 100.0 * TAU + 1.0;
    let run = oscillator().run(&[1.0, 0.0, 0.0], &options(end, 1e-13));
    let expected = [end.cos(), -end.sin(), 0.5 * end - 0.25 * (2.0 * end).sin()];
    let last = &run.samples[run.samples.len() - 1];
    assert!(distance(&last.y, &expected) < 1e-9, "{:?}", last.y);
    assert_eq!(last.t, end);
    assert!(matches!(run.outcome, Outcome::Finished { .. }));
    assert_eq!(run.max_residual, 0.0);
}

#[test]
fn backwards_is_the_same_motion() {
    let samples = vec![0.0, -0.5, -1.0, -7.0];
    let backwards = Options {
        samples,
        ..options(-7.0, 1e-12)
    };
    let run = oscillator().run(&[1.0, 0.0, 0.0], &backwards);
    assert_eq!(
        run.samples.iter().map(|s| s.t).collect::<Vec<_>>(),
        backwards.samples
    );
    for sample in &run.samples {
        let expected = [sample.t.cos(), -sample.t.sin()];
        assert!(distance(&sample.y[..2], &expected) < 1e-10, "{sample:?}");
    }
}

#[test]
fn the_error_follows_the_tolerance() {
    let error = |tolerance| {
        let run = oscillator().run(&[1.0, 0.0, 0.0], &options(TAU, tolerance));
        distance(&run.samples[0].y[..2], &[1.0, 0.0])
    };
    let errors = [1e-4, 1e-7, 1e-10, 1e-13].map(error);
    assert!(errors.is_sorted_by(|a, b| a > b), "{errors:?}");
    assert!(errors[0] < 1e-2 && errors[3] < 1e-11, "{errors:?}");
}

/// Kepler's ellipse of eccentricity 0.6 from perihelion, at equidistant samples within long steps.
#[test]
fn kepler_s_ellipse_is_followed_at_every_sample() {
    let e: f64 = 0.6;
    let system = System::free(field(4, 4, |_, y, out| {
        let cube = y[0].hypot(y[1]).powi(3);
        out.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
    }));
    let samples: Vec<f64> = (0..=200).map(|k| f64::from(k) * 0.1).collect();
    let run = system.run(
        &[1.0 - e, 0.0, 0.0, ((1.0 + e) / (1.0 - e)).sqrt()],
        &Options {
            samples,
            ..options(20.0, 1e-13)
        },
    );
    assert_eq!(run.samples.len(), 201);
    for sample in &run.samples {
        let mut anomaly = sample.t;
        for _ in 0..50 {
            let defect = anomaly - e * anomaly.sin() - sample.t;
            anomaly -= defect / (1.0 - e * anomaly.cos());
        }
        let expected = [anomaly.cos() - e, (1.0 - e * e).sqrt() * anomaly.sin()];
        assert!(
            distance(&sample.y[..2], &expected) < 1e-10,
            "t = {}",
            sample.t
        );
        let y = &sample.y;
        let energy = 0.5 * dot(&y[2..], &y[2..]) - 1.0 / y[0].hypot(y[1]);
        let momentum = y[0] * y[3] - y[1] * y[2];
        assert!((energy + 0.5).abs() < 1e-11 && (momentum - 0.8).abs() < 1e-11);
    }
}

/// The pendulum of unit length and gravity in Cartesian coordinates: `x^2 + y^2 = 1` and its derivative.
fn pendulum() -> System {
    let right = |_: f64, y: &[f64], out: &mut [f64]| {
        let (q, v) = (&y[..2], &y[2..4]);
        let lambda = (q[1] - dot(v, v)) / dot(q, q);
        out.copy_from_slice(&[v[0], v[1], lambda * q[0], lambda * q[1] - 1.0]);
    };
    let circle = [
        field(4, 1, |_, y, out| out[0] = dot(&y[..2], &y[..2]) - 1.0),
        field(4, 1, |_, y, out| out[0] = dot(&y[..2], &y[..2]) + 1.0),
        field(4, 2, |_, y, out| {
            out.copy_from_slice(&[2.0 * y[0], 2.0 * y[1]])
        }),
        unit(2),
    ];
    let tangent = [
        field(4, 1, |_, y, out| out[0] = dot(&y[..2], &y[2..])),
        field(4, 1, |_, y, out| {
            out[0] = (y[0] * y[2]).abs() + (y[1] * y[3]).abs()
        }),
        field(4, 2, |_, y, out| out.copy_from_slice(&y[..2])),
        unit(2),
    ];
    System {
        names: ["x", "y", "x'", "y'"].map(String::from).to_vec(),
        field: field(4, 4, right),
        energy: Some(field(4, 1, |_, y, out| {
            out[0] = 0.5 * dot(&y[2..], &y[2..]) + y[1]
        })),
        stages: vec![
            Manifold {
                moved: 0..2,
                fields: circle,
            },
            Manifold {
                moved: 2..4,
                fields: tangent,
            },
        ],
        monitored: Some(Watched {
            jacobian: field(4, 2, |_, y, out| out.copy_from_slice(&y[..2])),
            metric: unit(2),
            rows: 1,
            rank: None,
        }),
    }
}

/// The arithmetic-geometric mean: the period of amplitude `a` is `2 pi / agm(1, cos(a / 2))` (Gauss).
fn agm(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

#[test]
fn the_pendulum_on_its_circle_has_gauss_s_period() {
    let amplitude: f64 = 2.0;
    let period = TAU / agm(1.0, (0.5 * amplitude).cos());
    let start = [amplitude.sin(), -amplitude.cos(), 0.0, 0.0];
    let samples: Vec<f64> = (0..=40).map(|k| 0.5 * f64::from(k)).collect();
    let system = pendulum();
    let mut motion = system.motion();
    // It turns round at half a period: its angular momentum, zero at the start, changes its sign.
    let momentum = field(4, 1, |_, y, out| out[0] = y[0] * y[3] - y[1] * y[2]);
    let text = "x*y' - y*x' > 0".to_owned();
    motion.stops = vec![Stop {
        gap: &*momentum,
        crossing: CrossingSense::Rising,
        text,
        deepest: false,
        impassable: false,
    }];
    let wanted = Options {
        samples,
        ..options(20.0, 1e-13)
    };
    let method = &appell_flow::method::DOP853;
    let run = integrate(
        &motion,
        method,
        0.0,
        &start,
        &wanted,
        &mut Default::default(),
    );
    let Outcome::Stopped { at, condition } = &run.outcome else {
        panic!("{}", run.outcome)
    };
    assert_eq!(condition, "x*y' - y*x' > 0");
    assert!(
        (at.t - 0.5 * period).abs() < 1e-11,
        "{} {}",
        at.t,
        0.5 * period
    );
    assert!((at.state[0].1 + amplitude.sin()).abs() < 1e-11);
    assert_eq!(run.outcome.exit_kind(), ExitKind::Done);

    motion.stops.clear();
    let whole = Options {
        until: 5.0 * period,
        ..wanted
    };
    let run = integrate(
        &motion,
        method,
        0.0,
        &start,
        &whole,
        &mut Default::default(),
    );
    let end = &run.samples[run.samples.len() - 1];
    assert!(distance(&end.y, &start) < 1e-10, "{:?}", end.y);
    assert!(run.max_residual < 1e-15, "{:e}", run.max_residual);
    let energy = |y: &[f64]| 0.5 * dot(&y[2..], &y[2..]) + y[1];
    let change = energy(&end.y) - energy(&start);
    assert!(
        change.abs() < 1e-12 && run.projection_work.abs() < 1e-12,
        "{change:e}"
    );
}

/// With a loose tolerance the projection does visible work; motion on the circle otherwise conserves.
#[test]
fn the_work_of_projection_is_accounted_for() {
    let start = [(2.0f64).sin(), -(2.0f64).cos(), 0.0, 0.0];
    let system = pendulum();
    let run = system.run(&start, &options(10.0 * PI, 1e-5));
    assert!(
        run.projection_work.abs() > 1e-9,
        "{:e}",
        run.projection_work
    );
    let last = &run.samples[run.samples.len() - 1];
    assert_eq!(last.projection_work, run.projection_work);
    assert!(run.max_residual < 1e-15);
}

/// Two pucks with perpendicular velocities (Roithmayr & Hodges, section 4; masses 1 and 2, a push of 1
/// along x on each), against a Taylor series of 60 digits.
#[test]
fn perpendicular_pucks_end_where_sixty_digits_say() {
    let row = |v: &[f64]| [v[2], v[3], v[0], v[1]];
    let right = move |_: f64, y: &[f64], out: &mut [f64]| {
        let inverse = [1.0, 1.0, 0.5, 0.5];
        let push = [1.0, 0.0, 1.0, 0.0];
        let row = row(&y[4..]);
        let gram: f64 = (0..4).map(|i| row[i] * inverse[i] * row[i]).sum();
        let free: f64 = (0..4).map(|i| row[i] * inverse[i] * push[i]).sum();
        out[..4].copy_from_slice(&y[4..8]);
        (0..4).for_each(|i| out[4 + i] = inverse[i] * (push[i] - free / gram * row[i]));
        out[8] = y[4] + y[6];
    };
    let metric = || {
        field(0, 16, |_, _, out| {
            out.fill(0.0);
            [1.0, 1.0, 2.0, 2.0]
                .iter()
                .enumerate()
                .for_each(|(i, m)| out[5 * i] = *m);
        })
    };
    let energy = |y: &[f64]| 0.5 * dot(&y[4..6], &y[4..6]) + dot(&y[6..8], &y[6..8]);
    let system = System {
        names: vec![],
        field: field(9, 9, right),
        energy: Some(field(9, 1, move |_, y, out| out[0] = energy(y))),
        stages: vec![Manifold {
            moved: 4..8,
            fields: [
                field(8, 1, |_, y, out| out[0] = y[4] * y[6] + y[5] * y[7]),
                field(8, 1, |_, y, out| {
                    out[0] = (y[4] * y[6]).abs() + (y[5] * y[7]).abs()
                }),
                field(8, 4, move |_, y, out| out.copy_from_slice(&row(&y[4..]))),
                metric(),
            ],
        }],
        monitored: Some(Watched {
            jacobian: field(8, 4, move |_, y, out| out.copy_from_slice(&row(&y[4..]))),
            metric: metric(),
            rows: 1,
            rank: Some(1),
        }),
    };
    let start = [1.0, -2.0, 1.0, 2.0, 0.3, 0.4, 0.4, -0.3, 0.0];
    let samples: Vec<f64> = (0..=100).map(|k| 0.1 * f64::from(k)).collect();
    let run = system.run(
        &start,
        &Options {
            samples,
            ..options(10.0, 1e-12)
        },
    );
    let end = &run.samples[run.samples.len() - 1];
    let expected = [
        35.584_623_740_715_24,
        22.397_835_788_571_96,
        13.492_317_598_838_984,
        -15.292_670_813_797_358,
        7.126_896_689_298_535,
        4.315_853_456_906_995,
        1.849_059_779_480_088_6,
        -3.053_407_200_284_304,
    ];
    assert!(distance(&end.y[..8], &expected) < 1e-10, "{:?}", end.y);
    assert!(run.max_residual < 1e-15, "{:e}", run.max_residual);
    let defect = energy(&end.y) - energy(&start) - end.y[8] - run.projection_work;
    assert!(defect.abs() < 1e-10, "{defect:e}");
}
