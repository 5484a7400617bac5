//! A run as users call it, of a model that was read and derived before, beside the steps of its motion.

use crate::motion::first_state;
use crate::{Figure, rates, seconds, with_model};
use appell::{RunOptions, run};
use appell_flow::backend::CC;
use appell_flow::method::DOP853;
use appell_flow::{Compiled, Control, Motion, Options, integrate};
use std::hint::black_box;

/// The models, with the ends of their motions.
const MODELS: [(&str, f64); 3] = [
    ("perpendicular", 10.0),
    ("rolling-disc", 10.0),
    ("bicycle", 20.0),
];
const SAMPLES: usize = 201;
const TOLERANCE: f64 = 1e-9;

/// Measures both with machine code by the C compiler.
pub fn round(_: bool) {
    for (name, until) in MODELS {
        with_model(name, |prepared, equations| {
            let Ok(field) = Compiled::new(rates(prepared, equations), &CC) else {
                return;
            };
            let names = equations.input_names();
            let (motion, y) = (Motion::free(&names, &field), first_state(prepared));
            let options = Options {
                until,
                rtol: TOLERANCE,
                atol: TOLERANCE,
                monitored: false,
                ..Options::default()
            };
            let steps = || integrate(&motion, &DOP853, 0.0, &y, &options, &mut Control::default());
            let wanted = RunOptions {
                until: Some(until),
                samples: Some(SAMPLES),
                rtol: Some(TOLERANCE),
                atol: Some(TOLERANCE),
                backend: Some(CC.id.to_owned()),
                ..RunOptions::default()
            };
            let whole = || run(prepared, &wanted, &mut Control::default());
            assert!(whole().is_ok(), "{name} moves");
            let times = [
                (
                    "Appell, the whole run",
                    seconds(|| drop(black_box(whole()))),
                ),
                (
                    "Appell, the steps alone",
                    seconds(|| drop(black_box(steps()))),
                ),
            ];
            for (peer, time) in times {
                let figure = Figure {
                    peer: peer.to_owned(),
                    system: name,
                    quantity: "whole run",
                    value: time * 1e6,
                    unit: "us",
                    error: None,
                    note: format!("{} steps", steps().steps),
                    state: None,
                };
                figure.print();
            }
        });
    }
}
