//! The classic motions of rigid bodies of `reference/closed-forms.json`, by the gallery's models:
//! samples, closed forms, invariants, thresholds. Where the file's coordinates are others, its states are
//! compared as rotations and angular velocities.

use crate::common::attitude::{
    Matrix, Vector, chain, cross, dot, from_zxz, product, quaternion, times, transposed,
};
use crate::common::closed::{
    INVARIANTS, SAMPLES, at_time, claims_hold, classic, columns, constant, equations, from_gallery,
    overrides, sampled, samples,
};
use crate::common::reference::{number, numbers};
use crate::common::{close, column, last, prepare};
use appell::{Prepared, Run};
use std::f64::consts::FRAC_PI_2;

const E: [&str; 4] = ["e0", "e1", "e2", "e3"];
const E_RATES: [&str; 4] = ["e0'", "e1'", "e2'", "e3'"];

/// Attitude and `omega` in the body at a sampled time of a model with a quaternion.
fn attitude(run: &Run, t: f64) -> (Matrix, Vector) {
    quaternion(&at_time(run, t, &E), &at_time(run, t, &E_RATES))
}

/// The file's state as Euler angles z-x-z that start at `first`, with their rates.
fn of_file(state: &[f64], first: usize) -> (Matrix, Vector) {
    let (q, v) = state.split_at(state.len() / 2);
    chain([2, 0, 2], &q[first..first + 3], &v[first..first + 3])
}

#[track_caller]
fn same_attitude(what: &str, (r, omega): (Matrix, Vector), (wanted_r, wanted): (Matrix, Vector)) {
    close(what, &r.concat(), &wanted_r.concat(), SAMPLES);
    close(what, &omega, &wanted, SAMPLES);
}

/// The file's angles are z-x-z with the contact at `-a n`, `n = R_z R_x e_y`; the model's
/// heading is the same, its lean is counted from the upright, its spin the other way.
fn disc_state(file: &[f64]) -> [f64; 8] {
    [
        file[0],
        file[1],
        file[2],
        file[3] - FRAC_PI_2,
        -file[4],
        file[7],
        file[8],
        -file[9],
    ]
}

const DISC: [&str; 8] = ["x", "y", "psi", "theta", "phi", "psi'", "theta'", "phi'"];

/// `P_nu(cos th)` and its derivative by th, with `nu (nu + 1) = -1/4 - tau^2`, as the
/// hypergeometric series in `s = sin(th/2)^2`.
fn conical(th: f64, tau2: f64) -> [f64; 2] {
    let s = (th / 2.0).sin().powi(2);
    let (mut term, mut value, mut slope) = (1.0, 1.0, 0.0);
    for k in 0..4000 {
        let k = f64::from(k);
        let ratio = ((k + 0.5).powi(2) + tau2) / (k + 1.0).powi(2);
        slope += term * ratio * (k + 1.0);
        term *= ratio * s;
        value += term;
    }
    [value, slope * th.sin() / 2.0]
}

/// The constants of `p = c1 P_nu(cos th) + c2 P_nu(-cos th)` at a state of the file's disc:
/// `p` the spin about the axis, `dp/dth = q m a^2/(C + m a^2)`, `q = phi' sin th`.
fn disc_integrals(th: f64, p: f64, q: f64) -> [f64; 2] {
    let (ma2, a, c) = (0.25, 0.0625, 0.125);
    let tau2 = ma2 * c / (a * (c + ma2)) - 0.25;
    let [f, df] = conical(th, tau2);
    let [g, minus_dg] = conical(std::f64::consts::PI - th, tau2);
    let (dp, dg) = (q * ma2 / (c + ma2), -minus_dg);
    let det = f * dg - g * df;
    [(p * dg - g * dp) / det, (f * dp - df * p) / det]
}

#[test]
fn the_rolling_disc_wobbles() {
    let entry = classic("rolling_disc_wobble");
    let start = disc_state(&numbers(&entry["initial_state"]));
    let model = from_gallery("rolling-disc", &equations(&DISC, &start));
    let p = Prepared::new(&model, &overrides(&["m=1"]), &[]).expect("parameters");
    let run = sampled(&p, 2.0, 0.5);
    let forces = ["R[no_slip on disc].x", "R[no_slip on disc].y"];
    for sample in samples(&entry) {
        let found = at_time(&run, sample.t, &DISC);
        close("state", &found, &disc_state(&sample.state), SAMPLES);
        let velocities = at_time(&run, sample.t, &["x'", "y'", "E"]);
        let wanted = [sample.state[5], sample.state[6], sample.energy];
        close("velocities", &velocities, &wanted, SAMPLES);
        close(
            "force",
            &at_time(&run, sample.t, &forces),
            &sample.multipliers,
            SAMPLES,
        );
    }
    let wanted = ["c1", "c2"].map(|key| number(&entry["invariants_t0"][key]));
    let run = sampled(&p, 10.0, 0.1);
    for row in columns(&run, &["theta", "psi'", "phi'"]) {
        let th = row[0] + FRAC_PI_2;
        let spin = -row[2] + row[1] * th.cos();
        let found = disc_integrals(th, spin, row[1] * th.sin());
        close("c1, c2", &found, &wanted, INVARIANTS);
    }
    constant("E", &column(&run, "E"));
}

/// A disc of mass 1 and radius 1/2 that starts as `names` and `values` say.
fn disc(names: &[&str], values: &[f64], until: f64) -> Run {
    let given = format!("\"x = 0\", \"y = 0\", {}", equations(names, values));
    let model = from_gallery("rolling-disc", &given);
    let p = Prepared::new(&model, &overrides(&["m=1"]), &[]).expect("parameters");
    sampled(&p, until, until / 20.0)
}

/// Upright rolling with the spin w3 is stable iff `w3^2 > A m g a/(C (C + m a^2))`. A small lean
/// `d` with the integral of `dq/dth = (C/A) p` at zero satisfies `d'' = sigma^2 d`.
#[test]
fn upright_rolling_loses_its_stability_at_the_threshold() {
    let entry = classic("rolling_disc_thresholds");
    let (mga, inertia, a, c) = (4.905_f64, 0.3125, 0.0625, 0.125);
    let critical = (a * mga / (c * (c + 0.25))).sqrt();
    close("uniform disc", &[critical * critical], &[9.81 / 1.5], 1e-14);
    let small = 1e-5;
    for share in [0.98, 1.02] {
        let w = share * critical;
        let square = (mga - c * (c + 0.25) * w * w / a) / inertia;
        // The file's spin is w: the model's is -w, and psi' = (C/A) w d.
        let names = ["psi", "theta", "phi", "psi'", "theta'", "phi'"];
        let run = disc(&names, &[0.0, small, 0.0, c / a * w * small, 0.0, -w], 4.0);
        for row in columns(&run, &["t", "theta"]) {
            let s = square.abs().sqrt() * row[0];
            let growth = if square > 0.0 { s.cosh() } else { s.cos() };
            close("lean", &[row[1] / small], &[growth], 1e-6);
        }
        if share < 1.0 {
            let figures = &entry["numeric_max_real_eig_at_0p98_and_1p02_of_threshold"];
            let rate = figures["0.98"]
                .as_f64()
                .unwrap_or_else(|| number(&figures["0.98"]));
            close("rate", &[square.sqrt()], &[rate], 1e-11);
        }
    }
}

/// Spinning upright about the vertical is stable iff `psi'^2 > m g a/(A + m a^2)`.
#[test]
fn upright_spinning_loses_its_stability_at_the_threshold() {
    let critical = 4.905_f64 / 0.3125;
    close(
        "uniform disc",
        &[critical],
        &[4.0 * 9.81 / (5.0 * 0.5)],
        1e-14,
    );
    let small = 1e-5;
    for share in [0.98, 1.02] {
        let square = critical * (1.0 - share);
        let rate = (share * critical).sqrt();
        // The spin about the axis follows the lean: dp/dth = q m a^2/(C + m a^2).
        let spin = 2.0 / 3.0 * rate * small;
        let psi_part = rate * (FRAC_PI_2 + small).cos();
        let names = ["psi", "theta", "phi", "psi'", "theta'", "phi'"];
        let start = [0.0, small, 0.0, rate, 0.0, psi_part - spin];
        let run = disc(&names, &start, 4.0);
        for row in columns(&run, &["t", "theta"]) {
            let s = square.abs().sqrt() * row[0];
            let growth = if square > 0.0 { s.cosh() } else { s.cos() };
            close("lean", &[row[1] / small], &[growth], 1e-6);
        }
    }
}

/// A ball's state from the file's: two coordinates, then Euler angles z-x-z.
fn ball_start(entry: &serde_json::Value, names: [&str; 2]) -> String {
    let state = numbers(&entry["initial_state"]);
    let (r, omega) = of_file(&state, 2);
    let omega = times(r, omega);
    let e = from_zxz(&state[2..5]);
    let rates = [format!("{}'", names[0]), format!("{}'", names[1])];
    let places = equations(&names, &state[..2]);
    let velocities = equations(&[&rates[0], &rates[1]], &state[5..7]);
    let spin = equations(
        &["dot(omega(ball), N.z)", "dot(omega(ball), N.x)"],
        &[omega[2], omega[0]],
    );
    format!("{places}, {}, {velocities}, {spin}", equations(&E, &e))
}

#[test]
fn the_ball_on_a_turntable() {
    let entry = classic("ball_on_turntable");
    let model = from_gallery("ball-on-turntable", &ball_start(&entry, ["x", "y"]));
    let p = prepare(&model);
    let run = sampled(&p, 10.0, 0.25);
    let forces = ["R[no_slip on ball].x", "R[no_slip on ball].y"];
    for sample in samples(&entry) {
        let found = at_time(&run, sample.t, &["x", "y", "x'", "y'"]);
        let wanted = [0, 1, 5, 6].map(|i| sample.state[i]);
        close("place", &found, &wanted, SAMPLES);
        same_attitude("turn", attitude(&run, sample.t), of_file(&sample.state, 2));
        close(
            "force",
            &at_time(&run, sample.t, &forces),
            &sample.multipliers,
            SAMPLES,
        );
        // The file's energy is without that of the height.
        let height = 1.3 * 9.81 * 0.2;
        close(
            "E",
            &at_time(&run, sample.t, &["E"]),
            &[sample.energy + height],
            SAMPLES,
        );
    }
    // Z'' = i kappa Z' with kappa = 2/7 of the table's rate.
    let kappa = 2.0 / 7.0 * 1.7;
    for row in columns(&run, &["t", "x", "y", "x'", "y'"]) {
        let (s, c) = (kappa * row[0]).sin_cos();
        let (u, v) = (0.1, 0.3);
        let wanted = [
            0.5 + (u * s + v * (c - 1.0)) / kappa,
            (v * s - u * (c - 1.0)) / kappa,
            u * c - v * s,
            v * c + u * s,
        ];
        close("circle", &row[1..], &wanted, SAMPLES);
    }
    for (t, wanted) in entry["closed_form_values"].as_object().expect("values") {
        let t: f64 = t.parse().expect("a time");
        let wanted = [0, 1, 5, 6].map(|i| number(&wanted[i]));
        let found = at_time(&run, t, &["x", "y", "x'", "y'"]);
        close("closed form", &found, &wanted, SAMPLES);
    }
    claims_hold(&run, &["spin", "moving", "circle_x", "circle_y"]);
}

/// On a table that is tilted the centre of the circle drifts across the slope.
#[test]
fn the_ball_on_a_tilted_turntable() {
    let model = from_gallery("ball-on-tilted-turntable", "");
    let run = sampled(&prepare(&model), 10.0, 0.25);
    let (kappa, down) = (2.0 / 7.0 * 1.7, 5.0 / 7.0 * 9.81 * 0.05_f64.sin());
    let drift = down / kappa;
    close(
        "drift",
        &[drift],
        &[2.5 * 9.81 * 0.05_f64.sin() / 1.7],
        1e-14,
    );
    for row in columns(&run, &["t", "x", "y"]) {
        // Z' = i drift + (Z'_0 - i drift) exp(i kappa t).
        let (s, c) = (kappa * row[0]).sin_cos();
        let (u, v) = (0.1, 0.3 - drift);
        let wanted = [
            0.5 + (u * s + v * (c - 1.0)) / kappa,
            drift * row[0] + (v * s - u * (c - 1.0)) / kappa,
        ];
        close("cycloid", &row[1..], &wanted, SAMPLES);
    }
    claims_hold(&run, &["spin", "down", "across", "drift", "weight"]);
}

#[test]
fn the_ball_in_a_vertical_cylinder() {
    let entry = classic("ball_in_vertical_cylinder");
    let model = from_gallery("ball-in-cylinder", &ball_start(&entry, ["beta", "z"]));
    let p = prepare(&model);
    let run = sampled(&p, 0.05, 0.01);
    for sample in samples(&entry) {
        let found = at_time(&run, sample.t, &["beta", "z", "beta'", "z'", "E"]);
        let [beta, z, dbeta, dz] = [0, 1, 5, 6].map(|i| sample.state[i]);
        close(
            "place",
            &found,
            &[beta, z, dbeta, dz, sample.energy],
            SAMPLES,
        );
        same_attitude("turn", attitude(&run, sample.t), of_file(&sample.state, 2));
        let up = at_time(&run, sample.t, &["R[up on ball].z"]);
        close("force", &up, &sample.multipliers[1..], SAMPLES);
    }
    let (rate, k) = (6.0, 0.4_f64);
    let nu = rate * (k / (1.0 + k)).sqrt();
    let rest = -9.81 / (k * rate * rate) - 0.1 * 2.5 / rate;
    let run = sampled(&p, 10.0, 0.1);
    for row in columns(&run, &["t", "beta", "z"]) {
        let (s, c) = (nu * row[0]).sin_cos();
        let wanted = [rate * row[0], rest * (1.0 - c) + 0.4 / nu * s];
        close("closed form", &row[1..], &wanted, SAMPLES);
    }
    claims_hold(&run, &["energy", "rate", "screw", "oscillation", "normal"]);
}

#[test]
fn suslovs_problem() {
    let entry = classic("suslov");
    let model = from_gallery("suslov", "");
    let p = prepare(&model);
    let run = sampled(&p, 10.0, 0.5);
    for sample in samples(&entry) {
        same_attitude("turn", attitude(&run, sample.t), of_file(&sample.state, 0));
        let found = at_time(&run, sample.t, &["E", "lambda[suslov]"]);
        close(
            "E, lambda",
            &found,
            &[sample.energy, sample.multipliers[0]],
            SAMPLES,
        );
    }
    // w1 = sqrt(2E/I11) cos X, w2 = sqrt(2E/I22) sin X, X - X0 = gd(K t + s0).
    let (i11, i22, i13, i23) = (2.0_f64, 3.0_f64, 0.5, 0.3);
    let twice = i11 * 0.49 + i22 * 0.16;
    let axis = (i23 / i22.sqrt()).atan2(i13 / i11.sqrt());
    let k = (twice / (i11 * i22)).sqrt() * (i13 * i13 / i11 + i23 * i23 / i22).sqrt();
    let start = (-0.4 * i22.sqrt()).atan2(0.7 * i11.sqrt()) - axis;
    let s0 = start.tan().asinh();
    for t in column(&run, "t") {
        let x = axis + (k * t + s0).sinh().atan();
        let wanted = [
            (twice / i11).sqrt() * x.cos(),
            (twice / i22).sqrt() * x.sin(),
            0.0,
        ];
        close("omega", &attitude(&run, t).1, &wanted, SAMPLES);
    }
    claims_hold(&run, &["energy", "first", "second", "axis"]);
}

/// No closed form is at hand for a body that does not turn about a line of space: its momentum in
/// space, worked out here from the attitude, keeps two components, and the line is kept.
#[test]
fn veselovas_problem() {
    let model = from_gallery("veselova", "");
    let run = sampled(&prepare(&model), 10.0, 0.25);
    let inertia = [1.0, 1.7, 2.2];
    let momenta = column(&run, "t").into_iter().map(|t| {
        let (r, omega) = attitude(&run, t);
        close("no turn about N.z", &[times(r, omega)[2]], &[0.0], 1e-13);
        times(r, [0, 1, 2].map(|i| inertia[i] * omega[i]))
    });
    let momenta: Vec<Vector> = momenta.collect();
    for axis in [0, 1] {
        constant(
            "momentum",
            &momenta.iter().map(|k| k[axis]).collect::<Vec<_>>(),
        );
    }
    claims_hold(&run, &["energy", "momentum_x", "momentum_y", "line"]);
}

/// The angular momentum about the contact is constant in space.
#[test]
fn the_chaplygin_sphere() {
    let model = from_gallery("chaplygin-sphere", "");
    let run = sampled(&prepare(&model), 10.0, 0.25);
    let inertia = [0.02, 0.03, 0.04];
    let momenta = column(&run, "t").into_iter().map(|t| {
        let (r, omega) = attitude(&run, t);
        let spin = times(r, [0, 1, 2].map(|i| inertia[i] * omega[i]));
        let velocity: [f64; 3] = at_time(&run, t, &["x'", "y'", "z'"])
            .try_into()
            .expect("three");
        let orbital = cross([0.0, 0.0, 0.3], velocity.map(|v| 1.1 * v));
        [0, 1, 2].map(|i| spin[i] + orbital[i])
    });
    let momenta: Vec<Vector> = momenta.collect();
    for axis in 0..3 {
        constant(
            "momentum",
            &momenta.iter().map(|k| k[axis]).collect::<Vec<_>>(),
        );
    }
    claims_hold(
        &run,
        &["energy", "momentum_x", "momentum_y", "momentum_z", "weight"],
    );
}

#[test]
fn the_routh_sphere() {
    let entry = classic("routh_sphere");
    let model = from_gallery("routh-sphere", "");
    let p = prepare(&model);
    let run = sampled(&p, 10.0, 0.5);
    for sample in samples(&entry) {
        let (r, omega) = attitude(&run, sample.t);
        let found = [omega, times(transposed(r), [0.0, 0.0, 1.0])].concat();
        close("omega, gamma", &found, &sample.state, SAMPLES);
        close(
            "E",
            &at_time(&run, sample.t, &["E"]),
            &[sample.energy],
            SAMPLES,
        );
    }
    let wanted = ["Jellett -Iw.r", "Routh"].map(|key| number(&entry["invariants_t0"][key]));
    let inertia = [0.35, 0.35, 0.3];
    for t in column(&run, "t") {
        let (r, w) = attitude(&run, t);
        let up = times(transposed(r), [0.0, 0.0, 1.0]);
        let arm = [-up[0], -up[1], 0.15 - up[2]];
        let jellett = -dot([0, 1, 2].map(|i| inertia[i] * w[i]), arm);
        let across = arm[0] * arm[0] + arm[1] * arm[1];
        let routh = w[2] * (0.35 * 0.3 + 0.35 * across + 0.3 * arm[2] * arm[2]).sqrt();
        close("Jellett, Routh", &[jellett, routh], &wanted, INVARIANTS);
    }
    claims_hold(&run, &["energy", "jellett", "routh", "weight", "contact"]);
}

/// The car's headings after the way 1, 5, 10, at a given speed: no freedom is left.
#[test]
fn the_car_with_three_trailers() {
    let entry = classic("car_three_trailers");
    let all = ["x", "y", "th0", "th1", "th2", "th3"];
    let model = from_gallery("car-with-trailers-at-given-speed", "");
    let p = prepare(&model);
    let run = sampled(&p, 10.0, 1.0);
    assert_eq!(run.freedoms, 0);
    for sample in samples(&entry) {
        close(
            "way",
            &at_time(&run, sample.t, &all),
            &sample.state,
            SAMPLES,
        );
    }
    // In the end all axles are on circles about one centre.
    let run = sampled(&p, 60.0, 60.0);
    let angles = all.map(|name| last(&run, name));
    let hitches = [2, 3, 4].map(|i| angles[i] - angles[i + 1]);
    close(
        "hitches",
        &hitches,
        &numbers(&entry["steady_hitch_angles"]),
        SAMPLES,
    );
    let mut radius = 2.0 / 0.2_f64.tan();
    for (hitch, d) in hitches.into_iter().zip([1.5, 1.2, 0.8]) {
        close("circle", &[hitch.sin()], &[d / radius], SAMPLES);
        radius = (radius * radius - d * d).sqrt();
    }
}

/// Straight on, tan of half the first hitch angle decays as exp(-v t/d1).
#[test]
fn the_car_straightens_its_trailers() {
    let state = equations(
        &["x", "y", "th0", "th1", "th2", "th3"],
        &[0.0, 0.0, 0.0, 0.9, 0.4, -0.2],
    );
    let model = from_gallery("car-with-trailers-at-given-speed", &state);
    let p = Prepared::new(&model, &overrides(&["delta=0"]), &[]).expect("parameters");
    let run = sampled(&p, 5.0, 0.25);
    for row in columns(&run, &["t", "th1"]) {
        let wanted = (0.45_f64).tan() * (-row[0] / 1.5).exp();
        close("tractrix", &[(row[1] / 2.0).tan()], &[wanted], SAMPLES);
    }
}

/// The pushed car goes the same way, only otherwise in time.
#[test]
fn the_driven_car_goes_the_same_way() {
    let all = ["x", "y", "th0", "th1", "th2", "th3"];
    let entry = classic("car_three_trailers");
    let text = appell::gallery::find("car-with-trailers")
        .expect("it is there")
        .text;
    for sample in samples(&entry).into_iter().skip(1) {
        let heading = sample.state[2];
        let stop = format!("[simulate]\nstop = [\"th0 > {heading:e}\"]");
        let (model, _) =
            appell::read("car", &text.replace("[simulate]", &stop)).expect("it is right");
        let run = sampled(&prepare(&model), 10.0, 0.5);
        let found = all.map(|name| last(&run, name));
        close("way", &found, &sample.state, SAMPLES);
        claims_hold(&run, &["steering", "first", "second", "third", "power"]);
    }
}

/// The roller racer: the wheels' rows by hand, and the work of the rider.
#[test]
fn the_roller_racer() {
    let model = from_gallery("roller-racer", "");
    let run = sampled(&prepare(&model), 10.0, 0.1);
    for row in columns(&run, &["theta", "phi", "x'", "y'", "theta'", "phi'"]) {
        let (theta, steer) = (row[0], row[0] + row[1]);
        let rear = row[3] * theta.cos() - row[2] * theta.sin() - 0.5 * row[4];
        let front = row[3] * steer.cos() - row[2] * steer.sin() + 0.2 * (row[4] + row[5]);
        close("no side slip", &[rear, front], &[0.0, 0.0], 1e-13);
    }
    let work = &run.ledger.work;
    let rider = work["load 1 on handlebar"] + work["load 2 on seat"];
    close("work", &[run.ledger.change], &[rider], INVARIANTS);
    claims_hold(&run, &["power", "rear", "turn"]);
}

/// `a` relative to the turned body and back: the helper of this file is itself a rotation.
#[test]
fn the_rotations_are_rotations() {
    let (r, _) = chain([2, 0, 2], &[0.3, 1.1, -0.7], &[0.0; 3]);
    let (same, omega) = quaternion(&from_zxz(&[0.3, 1.1, -0.7]), &[0.0; 4]);
    close("attitude", &r.concat(), &same.concat(), 1e-15);
    close("at rest", &omega, &[0.0; 3], 0.0);
    let one = product(r, transposed(r));
    close(
        "orthogonal",
        &one.concat(),
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        1e-15,
    );
}

/// With the mass centre as coordinates the height of Routh's sphere depends on its attitude: the derivative
/// of `touch` is the vertical row of `no_slip` on unit quaternions, and must be so off them too, where the
/// stages of a step are.
#[test]
fn rows_that_are_one_on_unit_quaternions_are_one() {
    let text = appell::gallery::find("routh-sphere")
        .expect("it is there")
        .text;
    let text = text
        .replace("[x, y, z] - s*B.z", "[x, y, z]")
        .replace("\"z = a\"", "\"dot(pos(ball) + r, N.z) = 0\"");
    let (model, _) = appell::read("routh", &text).expect("it is right");
    let p = prepare(&model);
    assert_eq!(p.constraints.k(), 4, "three of no_slip and the norm");
    let run = sampled(&p, 2.0, 0.5);
    for sample in samples(&classic("routh_sphere")) {
        let (r, omega) = attitude(&run, sample.t);
        let found = [omega, times(transposed(r), [0.0, 0.0, 1.0])].concat();
        close("omega, gamma", &found, &sample.state, SAMPLES);
    }
    assert!(run.trajectory.steps < 500, "{} steps", run.trajectory.steps);
}

/// A row in coordinates has Gauss' distribution only, and none where `M` is singular: then the sum
/// of the forces on a body is not known, and no number is made up for it.
#[test]
fn forces_without_a_place_are_not_summed() {
    let text = appell::gallery::find("ball-in-cylinder")
        .expect("it is there")
        .text;
    let without: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("wall "))
        .collect();
    assert!(without.len() + 1 == text.lines().count());
    let (model, _) = appell::read("cylinder", &without.join("\n")).expect("it is right");
    let run = sampled(&prepare(&model), 0.1, 0.1);
    let claim = run
        .claims
        .iter()
        .find(|claim| claim.name == "normal")
        .expect("it is there");
    let why = claim.why.clone().unwrap_or_default();
    assert!(claim.holds.is_none() && why.contains("touch"), "{claim:?}");
}
