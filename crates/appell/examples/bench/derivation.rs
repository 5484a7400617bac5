//! From the text of a model to a right-hand side that was called once.

use crate::{Figure, model::snake, seconds};
use appell::{Prepared, gallery, read};
use appell_mech::output;
use appell_study::motion::choices::derived_for;
use std::hint::black_box;

const MODELS: [&str; 2] = ["rolling-disc", "bicycle"];
/// Links of the snakes.
const SIZES: [usize; 3] = [4, 8, 10];

/// Measures models of the gallery and snakes.
pub fn round(_: bool) {
    let texts = MODELS.iter().filter_map(|name| gallery::find(name));
    let models = texts.map(|entry| (entry.name.to_owned(), entry.text.to_owned()));
    let snakes = SIZES.map(|n| (format!("snake, n = {n}"), snake(n)));
    for (name, text) in models.chain(snakes) {
        let figure = Figure {
            peer: "Appell".to_owned(),
            system: &name,
            quantity: "model to right-hand side",
            value: seconds(|| derive(&name, &text)),
            unit: "s",
            error: None,
            note: "from the text".to_owned(),
            state: None,
        };
        figure.print();
    }
}

fn derive(name: &str, text: &str) {
    let (model, _) = read(name, text).expect("a good model");
    let prepared = Prepared::new(&model, &[], &[]).expect("good parameters");
    let equations = derived_for(&prepared, None).expect("a formalism applies");
    let field = equations.interpreter(&[output::RATE]).expect("complete");
    let size = |i: usize| 0.3 + 0.1 * i as f64;
    let y: Vec<f64> = (0..equations.state.len()).map(size).collect();
    let _ = black_box(field.results(0.0, &y));
}
