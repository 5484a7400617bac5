//! Benchmark: Appell's figures, as `cargo xtask bench` asks for them.
//!
//! It is called with the name of a part. For each line it reads it measures once, prints one JSON object
//! a line, and an empty line at the end of the round.

mod derivation;
mod lanes;
mod model;
mod motion;
mod right_side;

use appell::{FORMALISMS, Prepared, gallery, read};
use appell_mech::Equations;
use serde_json::json;
use std::io::Write;
use std::time::Instant;

/// A round is so many pieces of this length, in seconds; the fastest counts, for the others were disturbed.
const PIECES: usize = 12;
const PIECE: f64 = 2e-3;

/// One result; from the state its error is found.
pub(crate) struct Figure<'a> {
    pub peer: String,
    pub system: &'a str,
    pub quantity: &'a str,
    pub value: f64,
    pub unit: &'a str,
    pub error: Option<f64>,
    pub note: String,
    pub state: Option<&'a [f64]>,
}

impl Figure<'_> {
    /// Prints it as a line.
    pub fn print(&self) {
        let line = json!({
            "peer": self.peer, "system": self.system, "quantity": self.quantity, "value": self.value,
            "unit": self.unit, "error": self.error, "note": self.note, "state": self.state,
        });
        println!("{line}");
    }
}

/// Seconds for one of the works.
pub fn seconds(mut work: impl FnMut()) -> f64 {
    let mut round = |count: usize| {
        let clock = Instant::now();
        (0..count).for_each(|_| work());
        clock.elapsed().as_secs_f64()
    };
    let mut count = 1;
    let mut time = round(count);
    while time < PIECE {
        count *= if time < PIECE / 8.0 { 4 } else { 2 };
        time = round(count);
    }
    (0..PIECES).map(|_| round(count)).fold(time, f64::min) / count as f64
}

/// Does something with a model of the gallery and the first form of its equations.
pub fn with_model(name: &str, use_it: impl FnOnce(&Prepared, &Equations)) {
    let Some(entry) = gallery::find(name) else {
        panic!("{name} is not in the gallery")
    };
    let Ok((model, _)) = read(entry.name, entry.text) else {
        panic!("{name} is not right")
    };
    let Ok(prepared) = Prepared::new(&model, &[], &[]) else {
        panic!("{name}'s parameters")
    };
    let mut forms = FORMALISMS.iter();
    let equations = forms.find_map(|f| (f.derive)(&prepared.system, &prepared.constraints).ok());
    use_it(&prepared, &equations.expect("a formalism applies"));
}

/// The work of a round, quick or not.
type Round = fn(bool);

/// The parts, each with its work.
const PARTS: [(&str, Round); 5] = [
    ("right-side", right_side::round),
    ("lanes", lanes::round),
    ("trajectory", motion::round),
    ("bicycle", motion::bicycle_round),
    ("derivation", derivation::round),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = |part: &&(&str, Round)| arguments.first().is_some_and(|name| name == part.0);
    let Some((_, round)) = PARTS.iter().find(asked) else {
        let known: Vec<&str> = PARTS.iter().map(|part| part.0).collect();
        eprintln!("parts: {}", known.join(", "));
        std::process::exit(2)
    };
    let quick = arguments.iter().any(|argument| argument == "--quick");
    for _ in std::io::stdin().lines() {
        round(quick);
        println!();
        // Who waits for the end of the round must see it; if nobody does, there is nothing to do.
        let _ = std::io::stdout().flush();
    }
}
