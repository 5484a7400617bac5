//! Consistent states: nearest ones and those of least energy.

use appell_flow::newton::{ConstrainedMinimum, Found, NewtonLimits, damped_newton, minimize};

/// `z^2 = x^2 + y^2`, `times` over.
fn on_cone(
    times: usize,
    metric: &[f64],
    linear: &[f64],
    free: [bool; 3],
    start: [f64; 3],
) -> Found {
    let problem = ConstrainedMinimum {
        metric,
        linear,
        free: &free,
        rows: times,
        most: None,
        residual: &|w, c, sizes| {
            c.fill(w[2] * w[2] - w[0] * w[0] - w[1] * w[1]);
            sizes.fill(w[2] * w[2] + w[0] * w[0] + w[1] * w[1]);
            Ok(())
        },
        jacobian: &|w, out| {
            let row = [-2.0 * w[0], -2.0 * w[1], 2.0 * w[2]];
            out.chunks_mut(3).for_each(|out| out.copy_from_slice(&row));
            Ok(())
        },
        curvature: &|_, mu, out| {
            let mu: f64 = mu.iter().sum();
            out.fill(0.0);
            (out[0], out[4], out[8]) = (-2.0 * mu, -2.0 * mu, 2.0 * mu);
            Ok(())
        },
    };
    minimize(&problem, &start).expect("finite")
}

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn close(found: &Found, expected: [f64; 3], tolerance: f64) {
    assert!(found.converged, "{found:?}");
    for (w, expected) in found.w.iter().zip(expected) {
        assert!((w - expected).abs() < tolerance, "{found:?}");
    }
}

/// The nearest point of the cone to (1.6, 1.2, 1.5): the half-plane through the point and the axis cuts
/// the cone in the diagonal, whose nearest point has both legs (2 + 1.5) / 2.
#[test]
fn the_nearest_point_of_a_cone() {
    let start = [1.6, 1.2, 1.5];
    let linear = start.map(|w: f64| -w);
    for times in [1, 2] {
        let found = on_cone(times, &UNIT, &linear, [true; 3], start);
        close(&found, [1.4, 1.05, 1.75], 1e-13);
        assert_eq!(found.rank, 1);
        assert!(found.residual < 1e-15 && found.stationarity < 1e-12);
    }
}

#[test]
fn kept_components_are_not_touched() {
    let linear = [-1.6, -1.2, -1.5];
    let found = on_cone(1, &UNIT, &linear, [false, false, true], [1.6, 1.2, 1.5]);
    close(&found, [1.6, 1.2, 2.0], 1e-14);
    assert_eq!(&found.w[..2], &[1.6, 1.2]);
    // the other nappe if one starts there
    let found = on_cone(1, &UNIT, &linear, [false, false, true], [1.6, 1.2, -1.0]);
    close(&found, [1.6, 1.2, -2.0], 1e-14);
}

/// Least energy with x = 1 given, from rest in the others, where the row's free derivatives vanish.
#[test]
fn least_energy_is_found_from_a_vertex() {
    let found = on_cone(1, &UNIT, &[0.0; 3], [false, true, true], [1.0, 0.0, 0.0]);
    close(&found, [1.0, 0.0, found.w[2].signum()], 1e-12);
    // with a gyroscopic term the sheets differ: 1/2 z^2 - z has its least value on the upper one
    let found = on_cone(
        1,
        &UNIT,
        &[0.0, 0.0, -1.0],
        [false, true, true],
        [1.0, 0.0, 0.0],
    );
    close(&found, [1.0, 0.0, 1.0], 1e-12);
}

#[test]
fn the_metric_weighs() {
    // Minimise 1/2 (x^2 + 4 (y - 2)^2) on z^2 = x^2 + y^2 with z = 1 fixed: a point of the unit circle
    // nearest to (0, 2) in that metric: (0, 1), from beside it.
    let metric = [1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 1.0];
    let found = on_cone(
        1,
        &metric,
        &[0.0, -8.0, 0.0],
        [true, true, false],
        [0.6, 0.5, 1.0],
    );
    close(&found, [0.0, 1.0, 1.0], 1e-9);
}

#[test]
fn what_cannot_be_satisfied_is_said_to_be_so() {
    let residual = |w: &[f64], c: &mut [f64], sizes: &mut [f64]| {
        (c[0], sizes[0]) = (w[0] * w[0] + 1.0, w[0] * w[0] + 1.0);
        Ok(())
    };
    let problem = ConstrainedMinimum {
        metric: &[1.0],
        linear: &[-3.0],
        free: &[true],
        rows: 1,
        most: None,
        residual: &residual,
        jacobian: &|w, out| {
            out[0] = 2.0 * w[0];
            Ok(())
        },
        curvature: &|_, mu, out| {
            out[0] = 2.0 * mu[0];
            Ok(())
        },
    };
    let found = minimize(&problem, &[3.0]).expect("finite");
    assert!(!found.converged && found.residual > 0.1, "{found:?}");
}

#[test]
fn nothing_free_and_no_rows_are_legal() {
    let found = on_cone(1, &UNIT, &[0.0; 3], [false; 3], [3.0, 4.0, 5.0]);
    close(&found, [3.0, 4.0, 5.0], 1e-15);
    let problem = ConstrainedMinimum {
        metric: &[2.0],
        linear: &[-6.0],
        free: &[true],
        rows: 0,
        most: None,
        residual: &|_, _, _| Ok(()),
        jacobian: &|_, _| Ok(()),
        curvature: &|_, _, out| {
            out.fill(0.0);
            Ok(())
        },
    };
    let found = minimize(&problem, &[1.0]).expect("finite");
    assert!(
        found.converged && (found.w[0] - 3.0).abs() < 1e-15,
        "{found:?}"
    );
}

/// The one convergence test of Newton's method: `arctan x = 0` from 3, where the full corrections lead away
/// for ever; halved ones reach the root to the last place, quadratically at the end.
#[test]
fn corrections_that_lead_away_are_halved() {
    let root = |halvings: i32, corrections: usize| {
        let limits = NewtonLimits {
            corrections,
            halvings,
            aim: 0.0,
        };
        let residual = |w: &[f64]| Some((w[0].atan().abs(), ()));
        let correction = |w: &[f64], (): &()| Some(vec![-w[0].atan() * (1.0 + w[0] * w[0])]);
        let reduced = damped_newton(vec![3.0], limits, residual, correction);
        reduced.expect("a value at the start")
    };
    let stuck = root(0, 50);
    assert_eq!(stuck.w, [3.0], "the full correction makes it larger");
    let found = root(10, 50);
    assert_eq!(found.size, 0.0, "{:?}", found.w);
    assert!(root(10, 3).size > 0.0 && root(10, 5).size < 1e-14);
}
