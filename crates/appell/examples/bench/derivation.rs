//! From the text of a model to a right-hand side that was called once.

use crate::{Figure, model::snake, seconds};
use appell::{Prepared, gallery, read};
use appell_expr::IdentityKey;
use appell_mech::output;
use appell_study::motion::choices::derived_for;
use std::hint::black_box;

const MODELS: [&str; 2] = ["rolling-disc", "bicycle"];
/// Links of the snakes.
const SIZES: [usize; 6] = [4, 8, 10, 16, 32, 64];
const QUANTITY: &str = "model to right-hand side";

/// Measures models of the gallery, the bicycle with what a process before decided about it, and snakes with the power of
/// their links by which the time grows.
pub fn round(_: bool) {
    for entry in MODELS.iter().filter_map(|name| gallery::find(name)) {
        let time = seconds(|| drop(derive(entry.name, entry.text, &[])));
        show("Appell", entry.name, (QUANTITY, "s"), time);
    }
    let bicycle = gallery::find("bicycle").expect("it is in the gallery");
    let decided = derive(bicycle.name, bicycle.text, &[]);
    let again = seconds(|| drop(derive(bicycle.name, bicycle.text, &decided)));
    let peer = "a second process of Appell";
    show(peer, bicycle.name, (QUANTITY, "s"), again);
    let snakes = SIZES.map(|n| {
        let (name, text) = (format!("snake, n = {n}"), snake(n));
        let time = seconds(|| drop(derive(&name, &text, &[])));
        show("Appell", &name, (QUANTITY, "s"), time);
        (n as f64, time)
    });
    let [(n, first), .., (m, last)] = snakes;
    let power = (last / first).ln() / (m / n).ln();
    show("Appell", "snake", ("power of n", "1"), power);
}

fn show(peer: &str, system: &str, (quantity, unit): (&str, &str), value: f64) {
    let figure = Figure {
        peer: peer.to_owned(),
        system,
        quantity,
        value,
        unit,
        error: None,
        note: "from the text".to_owned(),
        state: None,
    };
    figure.print();
}

/// What was decided on the way is what a second process would know.
fn derive(name: &str, text: &str, decided: &[(IdentityKey, bool)]) -> Vec<(IdentityKey, bool)> {
    let (model, _) = read(name, text).expect("a good model");
    model.graph.tell_decided(decided.iter().copied());
    let prepared = Prepared::new(&model, &[], &[]).expect("good parameters");
    let equations = derived_for(&prepared, None).expect("a formalism applies");
    let field = equations.interpreter(&[output::RATE]).expect("complete");
    let size = |i: usize| 0.3 + 0.1 * i as f64;
    let y: Vec<f64> = (0..equations.state.len()).map(size).collect();
    let _ = black_box(field.results(0.0, &y));
    model.graph.decided()
}
