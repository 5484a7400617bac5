//! The benchmark bicycle, built from four bodies and two rolling contacts, against the published figures of
//! `reference/bicycle.json`.

use crate::common::closed::{at_time, claims_hold, columns, file, from_gallery, sampled};
use crate::common::reference::{number, numbers};
use crate::common::{at, close, column, prepare};
use appell::{Prepared, StateValues};

/// The file's order is x y z yaw roll pitch thR steer thF: there the rear wheel turns against the frame,
/// in the model against the leaning frame `L`, so that `ar = thR + pitch`.
fn of_file(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values[6] += values[5];
    values
}

/// Position and velocity of a state of the file.
fn state(values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (of_file(&values[..9]), of_file(&values[9..]))
}

#[track_caller]
fn within(what: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    let errors = found.iter().zip(wanted).map(|(x, y)| (x - y).abs());
    let worst = errors.fold(0.0, f64::max);
    println!("{what}: worst deviation {worst:e}");
    assert!(
        worst < tolerance,
        "{what}: {found:?} for {wanted:?}, off by {worst:e}"
    );
}

/// The force of a constraint on a body.
fn force(values: &StateValues, constraint: &str, body: &str) -> [f64; 3] {
    let found = values
        .forces
        .iter()
        .find(|f| f.constraint == constraint && f.on == body);
    found
        .unwrap_or_else(|| panic!("{constraint} on {body} in {:?}", values.forces))
        .force
}

#[test]
fn the_state_of_basu_mandal() {
    let entry = &file("bicycle")["basu_mandal_2007_table1"];
    let model = from_gallery("bicycle", "");
    let p = prepare(&model);
    let (q, v) = state(&numbers(&entry["my_state"]));
    let values = at(&p, 0.0, &q, &v);
    let accel = values.accel.clone().expect("it moves");
    let wanted = numbers(&entry["my_accelerations"]);
    within("accelerations", &accel, &of_file(&wanted), 1e-11);
    // The published figures in their own axes: X = -x, Y = y, Z = -z, and the angles of the file.
    let published = [
        "xdd", "ydd", "zdd", "thetadd", "psidd", "phidd", "psifdd", "betardd", "betafdd",
    ];
    let published = published.map(|key| number(&entry["output_published"][key]));
    let [x, y, z, yaw, roll, pitch, spin, steer, front] = accel[..] else {
        panic!("nine accelerations")
    };
    let computed = [
        -x,
        y,
        -z,
        -yaw,
        -roll,
        -pitch,
        -steer,
        -(spin - pitch),
        -front,
    ];
    within("published", &computed, &published, 1e-11);
    let forces = [
        force(&values, "rear_roll", "rear"),
        force(&values, "front_roll", "front"),
    ];
    let wanted = numbers(&entry["multipliers_contact_force_on_bike_N"]);
    within("contact forces", &forces.concat(), &wanted, 1e-9);
}

/// A start of the gallery's model, replaced.
fn started(state: &str) -> appell::Model {
    from_gallery("bicycle", state)
}

fn accelerations(p: &Prepared<'_>, q: &[f64], v: &[f64]) -> Vec<f64> {
    at(p, 0.0, q, v).accel.expect("it moves")
}

/// Upright and straight on, the accelerations of lean and steer are those of the linear equations
/// `M q'' + v C1 q' = 0` exactly: what is of higher order vanishes by symmetry.
#[test]
fn upright_with_zero_steer() {
    let linear = &file("bicycle")["linear"]["recomputed_20_digits"];
    let matrix = |key: &str| -> Vec<Vec<f64>> {
        linear[key]
            .as_array()
            .expect("rows")
            .iter()
            .map(numbers)
            .collect()
    };
    let (m, c) = (matrix("M"), matrix("C1"));
    let speed = 4.6;
    let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    for rates in [[0.0, 0.0], [0.5, 0.0], [0.0, -0.7], [0.3, 0.4]] {
        let model = started(&format!(
            r#""x = 0", "y = 0", "z = -rr", "psi = 0", "phi = 0", "th = 0", "ar = 0", "delta = 0",
            "af = 0", "ar' = -4.6/rr", "phi' = {}", "delta' = {}""#,
            rates[0], rates[1]
        ));
        let p = prepare(&model);
        let run = sampled(&p, 0.01, 0.01);
        let found = accelerations(&p, &run.start.q, &run.start.v);
        let load = [0, 1].map(|i| -speed * (c[i][0] * rates[0] + c[i][1] * rates[1]));
        let wanted = [
            (m[1][1] * load[0] - m[0][1] * load[1]) / det,
            (m[0][0] * load[1] - m[1][0] * load[0]) / det,
        ];
        close("lean, steer", &[found[4], found[7]], &wanted, 1e-11);
        if rates == [0.0, 0.0] {
            assert!(found.iter().all(|a| a.abs() < 1e-12), "{found:?}");
        }
    }
}

/// With the steer exactly 0 and a lean nothing is singular: the accelerations are the limit of those with
/// a small steer, on either side.
#[test]
fn lean_with_steer_exactly_zero() {
    let at_steer = |steer: f64| {
        let model = started(&format!(
            r#""x = 0", "y = 0", "psi = 0", "phi = 0.05", "ar = 0", "delta = {steer:e}", "af = 0",
            "ar' = -4.6/rr", "phi' = 0", "delta' = 0""#
        ));
        let p = prepare(&model);
        let run = sampled(&p, 0.01, 0.01);
        assert!(run.start.residual_after < 1e-14, "{:?}", run.start);
        assert!(
            (run.start.q[2] + 0.3).abs() < 0.01,
            "on the ground: {:?}",
            run.start.q
        );
        accelerations(&p, &run.start.q, &run.start.v)
    };
    let mean = |h: f64| -> Vec<f64> {
        let both = at_steer(h).into_iter().zip(at_steer(-h));
        both.map(|(a, b)| (a + b) / 2.0).collect()
    };
    let (near, far) = (mean(1e-3), mean(2e-3));
    let limit: Vec<f64> = near
        .iter()
        .zip(&far)
        .map(|(a, b)| (4.0 * a - b) / 3.0)
        .collect();
    let exact = at_steer(0.0);
    println!("{exact:?}");
    close("accelerations", &exact, &limit, 1e-8);
    assert!(exact.iter().all(|a| a.is_finite()));
}

/// IFToMM's "uncontrolled bicycle", manoeuvre 1.
#[test]
fn iftomm_manoeuvre_1() {
    let entry = &file("bicycle")["iftomm_M1_v4_roll_rate_0.05"];
    let model = started(
        r#""x = 0", "y = 0", "z = -rr", "psi = 0", "phi = 0", "th = 0", "ar = 0", "delta = 0", "af = 0",
        "ar' = -4/rr", "phi' = 0.05", "delta' = 0""#,
    );
    let p = prepare(&model);
    let run = sampled(&p, 20.0, 0.1);
    let names = ["x", "y", "z", "psi", "phi", "th", "ar", "delta", "af"];
    let rates = names.map(|name| format!("{name}'"));
    let rates = rates.each_ref().map(String::as_str);
    let (q, v) = state(&numbers(&entry["initial_state"]));
    within(
        "start",
        &[run.start.q.clone(), run.start.v.clone()].concat(),
        &[q, v].concat(),
        1e-13,
    );
    for sample in entry["samples"].as_array().expect("samples") {
        let t = sample["t"].as_f64().expect("a time");
        let (q, v) = state(&numbers(&sample["state"]));
        within(
            &format!("coordinates at {t}"),
            &at_time(&run, t, &names),
            &q,
            1e-9,
        );
        within(
            &format!("velocities at {t}"),
            &at_time(&run, t, &rates),
            &v,
            1e-9,
        );
    }
    let energies = column(&run, "E");
    let start = number(&entry["E0"]);
    close("E0", &energies[..1], &[start], 1e-14);
    let spread = |pick: fn(f64, f64) -> f64| energies.iter().copied().fold(start, pick);
    let percent = 100.0 * (spread(f64::max) - spread(f64::min)) / start;
    println!("energy: {percent:e} %, {} steps", run.trajectory.steps);
    assert!(percent < 1e-8, "{percent:e} %");
    claims_hold(&run, &["energy"]);
    // The contacts stay on the ground.
    let residuals = ["residual[rear_touch]", "residual[front_touch]"];
    for row in columns(&run, &residuals) {
        assert!(row.iter().all(|x| x.abs() < 1e-13), "{row:?}");
    }
}
