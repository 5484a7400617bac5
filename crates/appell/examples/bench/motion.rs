//! One trajectory by every method and backend; the bicycle's motion with its whole account.

use crate::{Figure, seconds, with_model};
use appell::{Prepared, RunOptions, run};
use appell_flow::backend::BACKENDS;
use appell_flow::method::{METHODS, Method};
use appell_flow::{Compiled, Control, Motion, Options, Outcome, Tape, Trajectory, integrate};
use appell_mech::output;
use std::hint::black_box;

const MODELS: [&str; 2] = ["perpendicular", "rolling-disc"];
const END: f64 = 10.0;
/// A method that is not there by this number of steps is not meant for such tolerances.
const MAX_STEPS: usize = 20_000;

/// Measures a sweep of tolerances: the steps alone, without projection, watch and ledger, as the peers'.
pub fn round(quick: bool) {
    for name in MODELS {
        with_model(name, |prepared, equations| {
            let y = first_state(prepared);
            let program = equations.program(&[output::RATE]).expect("complete");
            let tape = Tape::new(&program, &prepared.parameters);
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
            watch: false,
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
fn first_state(prepared: &Prepared) -> Vec<f64> {
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
    with_model("bicycle", |prepared, _| {
        let tolerances: &[f64] = if quick {
            &[1e-6, 1e-8]
        } else {
            &[1e-5, 1e-6, 1e-7, 1e-8]
        };
        for &tolerance in tolerances {
            let options = RunOptions {
                until: Some(20.0),
                rtol: Some(tolerance),
                atol: Some(tolerance),
                ..RunOptions::default()
            };
            let go = || run(prepared, &options, &mut Control::default());
            let Ok(done) = go() else {
                panic!("it does not move")
            };
            let column = |name: &str| done.table.columns.iter().position(|own| own == name);
            let values = |name: &str| -> Vec<f64> {
                let rows = done.table.rows.iter();
                column(name).map_or(vec![], |at| rows.map(|row| row[at]).collect())
            };
            let energy = values("E");
            let (least, most) = energy
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |range, e| {
                    (range.0.min(*e), range.1.max(*e))
                });
            // Lean and steer at two seconds, to be compared: samples are 0.1 s apart.
            let at = |name: &str| values(name).get(20).copied().unwrap_or(f64::NAN);
            let figure = Figure {
                peer: "Appell".to_owned(),
                system: "bicycle",
                quantity: "M2",
                value: seconds(|| {
                    let _ = black_box(go());
                }),
                unit: "s",
                error: energy
                    .first()
                    .map(|first| 100.0 * (most - least) / first.abs()),
                note: format!(
                    "tolerance {tolerance:.0e}; at 2 s lean {:.4}, steer {:.4}",
                    at("phi"),
                    at("delta")
                ),
                state: None,
            };
            figure.print();
        }
    });
}
