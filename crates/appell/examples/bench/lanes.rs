//! One right-hand side over lanes, for each lane, by every backend.

use crate::{Figure, right_side_of, seconds};
use appell_flow::backend::BACKENDS;
use appell_flow::ensemble::RightSide;
use appell_flow::lanes::{LANES, Lanes};
use std::hint::black_box;

const MODELS: [&str; 2] = ["perpendicular", "rolling-disc"];
const STATES: usize = 64;

/// Measures every model and backend.
pub fn round(_: bool) {
    for name in MODELS {
        let tape = right_side_of(name);
        for backend in BACKENDS {
            let n = tape.outputs.len();
            let (value, note) = match RightSide::new(tape.clone(), backend) {
                Ok(right_side) => (evaluate(right_side, n), format!("{LANES} lanes")),
                Err(why) => (f64::NAN, why.0),
            };
            let figure = Figure {
                peer: format!("Appell, {}", backend.id),
                system: name,
                quantity: "right-hand side, a lane",
                value,
                unit: "ns",
                error: None,
                note,
                state: None,
            };
            figure.print();
        }
    }
}

/// Nanoseconds for one lane of one evaluation.
fn evaluate(mut right_side: RightSide, n: usize) -> f64 {
    let number = |k: usize, i: usize, lane: usize| {
        0.3 + 0.1 * i as f64 + 1e-3 * k as f64 + 1e-4 * lane as f64
    };
    let state = |k: usize| {
        let component = |i: usize| Lanes(std::array::from_fn(|lane| number(k, i, lane)));
        (0..n).map(component).collect()
    };
    let states: Vec<Vec<Lanes>> = (0..STATES).map(state).collect();
    let (t, mut out) = (Lanes::default(), vec![Lanes::default(); n]);
    let all = || {
        for y in &states {
            // A refused state takes its time too.
            black_box(right_side.eval(&t, black_box(y), &mut out));
        }
    };
    seconds(all) * 1e9 / (STATES * LANES) as f64
}
