//! The rates at one state by every backend: what is timed beside other programs must be the same function.

use crate::{Figure, right_side_of};
use appell_flow::backend::BACKENDS;
use appell_flow::{Compiled, Field, Workspace};

const MODELS: [&str; 3] = ["perpendicular", "rolling-disc", "bicycle"];

/// Prints the rates at the first of the states at which right-hand sides are timed.
pub fn round(_: bool) {
    for name in MODELS {
        let tape = right_side_of(name);
        for backend in BACKENDS {
            let Ok(field) = Compiled::new(tape.clone(), backend) else {
                continue;
            };
            let state: Vec<f64> = (0..field.inputs()).map(|i| 0.3 + 0.1 * i as f64).collect();
            let mut rates = vec![0.0; field.outputs()];
            let evaluated = field.eval(&mut Workspace::default(), 0.0, &state, &mut rates);
            let figure = Figure {
                peer: format!("Appell, {}", backend.id),
                system: name,
                quantity: "rates",
                value: 0.0,
                unit: "",
                error: None,
                note: String::new(),
                state: Some(&rates).filter(|_| evaluated.is_ok()).map(|x| &x[..]),
            };
            figure.print();
        }
    }
}
