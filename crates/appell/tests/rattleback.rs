//! The rattleback of Kane & Levinson against `reference/closed-forms.json`: its accelerations, its motion,
//! and every reversal of its spin.

use crate::common::attitude::{Vector, chain, times, transposed};
use crate::common::closed::{
    SAMPLES, at_time, claims_hold, classic, columns, from_gallery, sampled, samples,
};
use crate::common::reference::{number, numbers};
use crate::common::{self, at, close, prepare};
use appell::Run;

const ANGLES: [&str; 3] = ["gamma", "alpha", "beta"];
const RATES: [&str; 3] = ["gamma'", "alpha'", "beta'"];

/// `omega` in the body, and the upward vertical there.
fn turning(angles: &[f64], rates: &[f64]) -> (Vector, Vector) {
    let (r, omega) = chain([2, 0, 1], angles, rates);
    (omega, times(transposed(r), [0.0, 0.0, -1.0]))
}

/// The stone with this initial spin about `B.z`, down.
fn start(spin: &str) -> String {
    format!(
        r#""x = 0", "y = 0", "gamma = 0", "alpha = 0", "beta = pi/360",
        "dot(omega(stone), B.x) = 0", "dot(omega(stone), B.y) = 0", "dot(omega(stone), B.z) = {spin}""#
    )
}

/// The material point at the contact stays behind as the stone rolls on: without the rate of the
/// offset these accelerations are others.
#[test]
fn accelerations_at_the_start() {
    let entry = classic("rattleback_KL_spin_minus5");
    let model = from_gallery("rattleback", "");
    let p = prepare(&model);
    let run = sampled(&p, 0.1, 0.1);
    let (q, v) = (&run.start.q, &run.start.v);
    let accel = at(&p, 0.0, q, v).accel.expect("it moves");
    let (omega, up) = turning(&q[3..], &v[3..]);
    close(
        "start",
        &[omega, up].concat(),
        &numbers(&entry["initial_state"]),
        1e-14,
    );
    // omega' = (omega by the rates) q'' + (omega by the angles) q'.
    let h = 1e-6;
    let moved = |step: f64| -> Vec<f64> { (3..6).map(|i| q[i] + step * v[i]).collect() };
    let ahead = turning(&moved(h), &v[3..]).0;
    let behind = turning(&moved(-h), &v[3..]).0;
    let by_rates = turning(&q[3..], &accel[3..]).0;
    let found = [0, 1, 2].map(|i| by_rates[i] + (ahead[i] - behind[i]) / (2.0 * h));
    close("omega'", &found, &numbers(&entry["omega_dot_t0"]), 1e-10);
}

#[test]
fn the_motion() {
    let entry = classic("rattleback_KL_spin_minus5");
    let model = from_gallery("rattleback", &start("-5"));
    let run = sampled(&prepare(&model), 1.0, 0.5);
    for sample in samples(&entry) {
        let angles = at_time(&run, sample.t, &ANGLES);
        let (omega, up) = turning(&angles, &at_time(&run, sample.t, &RATES));
        close(
            "omega, gamma",
            &[omega, up].concat(),
            &sample.state,
            SAMPLES,
        );
        close(
            "E",
            &at_time(&run, sample.t, &["E"]),
            &[sample.energy],
            SAMPLES,
        );
    }
    let run = sampled(&prepare(&model), 10.0, 0.1);
    claims_hold(&run, &["energy", "normal", "momentum", "moment"]);
}

/// The times at which the spin about the upward vertical changes its sign.
fn reversals(run: &Run) -> Vec<f64> {
    let names = [&["t"][..], &ANGLES, &RATES].concat();
    let spins = columns(run, &names).into_iter().map(|row| {
        let (omega, up) = turning(&row[1..4], &row[4..]);
        (row[0], common::attitude::dot(omega, up))
    });
    let spins: Vec<(f64, f64)> = spins.collect();
    let changes = (4..spins.len() - 4).filter(|i| spins[*i].1 * spins[*i + 1].1 < 0.0);
    changes.map(|i| root(&spins[i - 3..i + 5])).collect()
}

/// The zero between the two middle points of the polynomial through the points.
fn root(points: &[(f64, f64)]) -> f64 {
    let value = |t: f64| -> f64 {
        let term = |(i, (ti, y)): (usize, &(f64, f64))| {
            let others = points.iter().enumerate().filter(|(j, _)| *j != i);
            y * others
                .map(|(_, (tj, _))| (t - tj) / (ti - tj))
                .product::<f64>()
        };
        points.iter().enumerate().map(term).sum()
    };
    let middle = points.len() / 2;
    let (mut low, mut high) = (points[middle - 1].0, points[middle].0);
    for _ in 0..60 {
        let t = (low + high) / 2.0;
        if value(t) * value(low) > 0.0 {
            low = t
        } else {
            high = t
        }
    }
    (low + high) / 2.0
}

#[test]
fn every_reversal_of_the_spin() {
    let figures = classic("rattleback_reversal");
    for (spin, key, (until, step)) in [
        ("-5", "w3=-5,rtol=1e-13", (2.9, 2e-4)),
        ("5", "w3=+5,rtol=1e-13", (11.6, 1e-3)),
    ] {
        let wanted = figures[key]["first_zero_of_vertical_spin"]
            .as_array()
            .expect("times");
        let wanted: Vec<f64> = wanted
            .iter()
            .map(|t| t.as_f64().unwrap_or_else(|| number(t)))
            .collect();
        let model = from_gallery("rattleback", &start(spin));
        let run = sampled(&prepare(&model), until, step);
        let found = reversals(&run);
        assert_eq!(found.len(), wanted.len(), "{found:?} for {wanted:?}");
        for (t, wanted) in found.iter().zip(&wanted) {
            let error = (t - wanted).abs();
            println!("{spin}: {t} for {wanted}, {error:e}");
            assert!(error < 1e-7, "{t} for {wanted}: {error:e}");
        }
    }
}

/// The same by a stop condition, which locates the first reversal by itself.
#[test]
fn the_first_reversal_stops_a_run() {
    let figures = &classic("rattleback_reversal")["w3=-5,rtol=1e-13"];
    let wanted = &figures["first_zero_of_vertical_spin"][0];
    let wanted = wanted.as_f64().unwrap_or_else(|| number(wanted));
    let text = appell::gallery::find("rattleback")
        .expect("it is there")
        .text;
    let text = text.replace("until = 3.0", "stop = [\"spin < 0\"]\nuntil = 3.0");
    let (model, _) = appell::read("rattleback", &text).expect("it is right");
    let run = sampled(&prepare(&model), 3.0, 0.1);
    let error = (run.last_time() - wanted).abs();
    assert!(error < 1e-7, "{}: {error:e}", run.outcome);
}
