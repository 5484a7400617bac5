//! The classic motions of rigid bodies of `reference/closed-forms.json`, by the gallery's models:
//! samples, closed forms, invariants, thresholds. Where the file's coordinates are others, its states are
//! compared as rotations and angular velocities.

mod common;

use appell::{Prepared, Run};
use common::attitude::{Matrix, Vector, chain, cross, dot, from_zxz, product, quaternion, times, transposed};
use common::closed::{
    INVARIANTS, SAMPLES, at_time, claims_hold, classic, columns, constant, equations, from_gallery,
    overrides, sampled, samples,
};
use common::reference::{number, numbers};
use common::{at, close, column, last, prepare};
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
    let model = from_gallery("rolling-disc", &equations(&DISC, &start[..2]));
    drop(model);
    let names = ["x", "y", "psi", "theta", "phi", "psi'", "theta'", "phi'"];
    let model = from_gallery("rolling-disc", &equations(&names, &start));
    let p = Prepared::new(&model, &overrides(&["m=1"]), &[]).expect("parameters");
    let run = sampled(&p, 2.0, 0.5);
    let forces = ["R[no_slip on disc].x", "R[no_slip on disc].y"];
    for sample in samples(&entry) {
        let found = at_time(&run, sample.t, &DISC);
        close("state", &found, &disc_state(&sample.state), SAMPLES);
        let velocities = at_time(&run, sample.t, &["x'", "y'", "E"]);
        let wanted = [sample.state[5], sample.state[6], sample.energy];
        close("velocities", &velocities, &wanted, SAMPLES);
        close("force", &at_time(&run, sample.t, &forces), &sample.multipliers, SAMPLES);
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
