//! One right-hand side by every backend, at 64 states.

use crate::{Figure, seconds, with_model};
use appell_flow::backend::BACKENDS;
use appell_flow::{Compiled, Field, Tape, Workspace};
use appell_mech::output;
use std::hint::black_box;

const MODELS: [&str; 3] = ["perpendicular", "rolling-disc", "bicycle"];
const STATES: usize = 64;

/// Measures every model and backend.
pub fn round(_: bool) {
    for name in MODELS {
        with_model(name, |prepared, equations| {
            let program = equations.program(&[output::RATE]).expect("complete");
            let tape = Tape::new(&program, &prepared.parameters);
            for backend in BACKENDS {
                let note = format!("{} operations", tape.ops.len());
                match Compiled::new(tape.clone(), backend) {
                    Ok(field) => show(name, backend.id, evaluate(&field), note),
                    Err(why) => show(name, backend.id, f64::NAN, why),
                }
            }
        });
    }
}

fn show(system: &str, backend: &str, value: f64, note: String) {
    let figure = Figure {
        peer: format!("Appell, {backend}"),
        system,
        quantity: "right-hand side",
        value,
        unit: "ns",
        error: None,
        note,
        state: None,
    };
    figure.print();
}

/// Nanoseconds for one evaluation.
fn evaluate(field: &dyn Field) -> f64 {
    let state = |k: usize| move |i: usize| 0.3 + 0.1 * i as f64 + 1e-3 * k as f64;
    let states: Vec<Vec<f64>> = (0..STATES)
        .map(|k| (0..field.inputs()).map(state(k)).collect())
        .collect();
    let mut workspace = Workspace::default();
    let mut out = vec![0.0; field.outputs()];
    let all = || {
        for y in &states {
            // A refused state takes its time too.
            let _ = black_box(field.eval(&mut workspace, 0.0, black_box(y), &mut out));
        }
    };
    seconds(all) * 1e9 / STATES as f64
}
