//! One trajectory by every method and backend; the bicycle's motion with its whole account, and without.

use crate::{Figure, rates, seconds, wall_seconds, with_model};
use appell::{Prepared, RunOptions, gallery, read, run};
use appell_flow::backend::{BACKENDS, Backend};
use appell_flow::method::{DOP853, METHODS, Method};
use appell_flow::{
    Compiled, Control, Interpreter, Motion, Options, Outcome, Trajectory, integrate,
};
use appell_mech::output;
use appell_study::values::derived::Derived;
use std::hint::black_box;

const MODELS: [&str; 2] = ["perpendicular", "rolling-disc"];
const END: f64 = 10.0;
/// The end of M2, its samples 0.1 s apart, and the one at two seconds.
const M2_END: f64 = 20.0;
const M2_SAMPLES: usize = 201;
const LOOK: usize = 20;
/// A method that is not there by this number of steps is not meant for such tolerances.
const MAX_STEPS: usize = 20_000;

/// Measures a sweep of tolerances: the steps alone, without projection, watch and ledger, as the peers'.
pub fn round(quick: bool) {
    for name in MODELS {
        with_model(name, |prepared, equations| {
            let y = first_state(prepared);
            let tape = rates(prepared, equations);
            let names = equations.input_names();
            // The first backend changes while it runs, and the second is never meant to be fast.
            for backend in BACKENDS.iter().skip(2) {
                let Ok(field) = Compiled::new(tape.clone(), backend) else {
                    continue;
                };
                let motion = Motion::free(&names, &field);
                // The others are for stiff systems and for long times.
                for method in METHODS.iter().filter(|m| m.order.is_none_or(|p| p > 5)) {
                    let peer = format!("Appell, {}, {}", method.id, backend.id);
                    sweep(name, &peer, &motion, method, &y, quick);
                }
            }
        });
    }
}

fn sweep(
    system: &str,
    peer: &str,
    motion: &Motion,
    method: &'static Method,
    y: &[f64],
    quick: bool,
) {
    let step = if quick { 8 } else { 2 };
    for quarter in (28..=58).step_by(step) {
        let tolerance = 10f64.powf(-f64::from(quarter) / 4.0);
        let options = Options {
            until: END,
            rtol: tolerance,
            atol: tolerance,
            monitored: false,
            max_steps: MAX_STEPS,
            ..Options::default()
        };
        let go = || -> Trajectory {
            integrate(motion, method, 0.0, y, &options, &mut Control::default())
        };
        let end = go();
        if !matches!(end.outcome, Outcome::Finished { .. }) {
            continue;
        }
        let figure = Figure {
            peer: peer.to_owned(),
            system,
            quantity: "trajectory",
            value: seconds(|| {
                black_box(go());
            }) * 1e6,
            unit: "us",
            error: None,
            note: format!("tolerance {tolerance:.1e}, {} steps", end.steps),
            state: end.samples.last().map(|last| &last.y[..]),
        };
        figure.print();
    }
}

/// The initial state, as a run finds it.
pub(crate) fn first_state(prepared: &Prepared) -> Vec<f64> {
    let options = RunOptions {
        until: Some(0.0),
        ..RunOptions::default()
    };
    let Ok(found) = run(prepared, &options, &mut Control::default()) else {
        panic!("it does not start")
    };
    [found.start.q, found.start.v].concat()
}

/// IFToMM's motion M2: 20 s, and by how many percent the energy changes.
pub fn bicycle_round(quick: bool) {
    with_model("bicycle", |prepared, equations| {
        let tolerances: &[f64] = if quick {
            &[1e-6, 1e-8]
        } else {
            &[1e-5, 1e-6, 1e-7, 1e-8]
        };
        for &tolerance in tolerances {
            whole_run(prepared, tolerance);
        }
        for backend in BACKENDS.iter().skip(2) {
            steps_alone(prepared, equations, backend, tolerances);
        }
    });
}

/// From the text of the model to the judged claims; and another motion of the same model, of which everything is
/// derived and compiled already.
fn whole_run(prepared: &Prepared, tolerance: f64) {
    let options = RunOptions {
        until: Some(M2_END),
        samples: Some(M2_SAMPLES),
        rtol: Some(tolerance),
        atol: Some(tolerance),
        ..RunOptions::default()
    };
    let go = || run(prepared, &options, &mut Control::default());
    let Ok(done) = go() else {
        panic!("it does not move")
    };
    let column = |name: &str| done.table.columns.iter().position(|column| column == name);
    let values = |name: &str| -> Vec<f64> {
        let rows = done.table.rows.iter();
        column(name).map_or(vec![], |at| rows.map(|row| row[at]).collect())
    };
    let again = wall_seconds(|| {
        let _ = black_box(go());
    });
    let first = wall_seconds(|| {
        let entry = gallery::find("bicycle").expect("it is in the gallery");
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let prepared = Prepared::new(&model, &[], &[]).expect("its parameters are");
        let _ = black_box(run(&prepared, &options, &mut Control::default()));
    });
    let at = |name: &str| values(name).get(LOOK).copied().unwrap_or(f64::NAN);
    let looked = [at("phi"), at("delta")];
    for (peer, time) in [
        ("Appell, the whole run", first),
        ("Appell, another run", again),
    ] {
        show_m2(peer, (time, change(&values("E"))), tolerance, looked);
    }
}

/// The steps and the samples, with everything compiled before: what EXUDYN's solver does once its model is built.
/// Without projection, watch, account and claims.
fn steps_alone(
    prepared: &Prepared,
    equations: &Derived,
    backend: &'static Backend,
    tolerances: &[f64],
) {
    let Ok(field) = Compiled::new(rates(prepared, equations), backend) else {
        return;
    };
    let energy = equations.program(&[output::ENERGY]).expect("complete");
    let energy = Interpreter::new(energy, &prepared.parameters);
    let names = equations.input_names();
    let at = |name: &str| {
        names
            .iter()
            .position(|known| known == name)
            .expect("a name")
    };
    let motion = Motion::free(&names, &field);
    let start = first_state(prepared);
    for &tolerance in tolerances {
        let options = Options {
            until: M2_END,
            rtol: tolerance,
            atol: tolerance,
            samples: (0..M2_SAMPLES)
                .map(|k| M2_END * k as f64 / (M2_SAMPLES - 1) as f64)
                .collect(),
            monitored: false,
            ..Options::default()
        };
        let go = || {
            let control = &mut Control::default();
            integrate(&motion, &DOP853, 0.0, &start, &options, control)
        };
        let samples = go().samples;
        let energies = samples
            .iter()
            .filter_map(|s| energy.results(s.t, &s.y).ok());
        let energies: Vec<f64> = energies.map(|value| value[0]).collect();
        let time = seconds(|| {
            black_box(go());
        });
        show_m2(
            &format!("Appell, the steps alone, {}", backend.id),
            (time, change(&energies)),
            tolerance,
            [at("phi"), at("delta")].map(|i| samples[LOOK].y[i]),
        );
    }
}

/// By how many percent of its first value the energy changes.
fn change(energies: &[f64]) -> f64 {
    let (least, most) = energies
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |range, e| {
            (range.0.min(*e), range.1.max(*e))
        });
    100.0 * (most - least) / energies.first().copied().unwrap_or(f64::NAN).abs()
}

/// Lean and steer at two seconds are there to be compared.
fn show_m2(peer: &str, (time, error): (f64, f64), tolerance: f64, [lean, steer]: [f64; 2]) {
    let figure = Figure {
        peer: peer.to_owned(),
        system: "bicycle",
        quantity: "M2",
        value: time,
        unit: "s",
        error: Some(error),
        note: format!("tolerance {tolerance:.0e}; at 2 s lean {lean:.4}, steer {steer:.4}"),
        state: None,
    };
    figure.print();
}
