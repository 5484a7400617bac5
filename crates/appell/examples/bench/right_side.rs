//! One right-hand side by every backend, at 64 states: machine code as the C function that other programs
//! would call, as theirs are measured, and besides as the integrators call it.

use crate::{Figure, right_side_of, seconds};
use appell_flow::backend::BACKENDS;
use appell_flow::{Compiled, Field, Workspace};
use std::hint::black_box;

const MODELS: [&str; 3] = ["perpendicular", "rolling-disc", "bicycle"];
const STATES: usize = 64;

/// Measures every model and backend.
pub fn round(_: bool) {
    for name in MODELS {
        let tape = right_side_of(name);
        for backend in BACKENDS {
            let note = format!("{} operations", tape.ops.len());
            match Compiled::new(tape.clone(), backend) {
                Ok(field) => each_way(name, backend.id, &field, &note),
                Err(why) => show(name, backend.id, f64::NAN, why.0),
            }
        }
    }
}

/// Measures the C function where there is one, and the call as a field.
fn each_way(system: &str, backend: &str, field: &Compiled, note: &str) {
    let called = match field.c_function() {
        // What is compiled when it pays is measured as it is used.
        Some(function) if backend != "auto" => {
            let by_address = evaluate(field, |y, out| function.call(0.0, y, out));
            show(system, backend, by_address, note.to_owned());
            format!("{backend}, as a field")
        }
        _ => backend.to_owned(),
    };
    let mut workspace = Workspace::default();
    let as_field = evaluate(field, |y, out| {
        (field as &dyn Field)
            .eval(&mut workspace, 0.0, y, out)
            .is_ok()
    });
    show(system, &called, as_field, note.to_owned());
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
fn evaluate(field: &Compiled, mut right_side: impl FnMut(&[f64], &mut [f64]) -> bool) -> f64 {
    let state = |k: usize| move |i: usize| 0.3 + 0.1 * i as f64 + 1e-3 * k as f64;
    let states: Vec<Vec<f64>> = (0..STATES)
        .map(|k| (0..field.inputs()).map(state(k)).collect())
        .collect();
    let mut out = vec![0.0; field.outputs()];
    let all = || {
        for y in &states {
            // A refused state takes its time too.
            let _ = black_box(right_side(black_box(y), &mut out));
        }
    };
    seconds(all) * 1e9 / STATES as f64
}
