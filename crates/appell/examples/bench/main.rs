//! Benchmark: Appell's figures, as `cargo xtask bench` asks for them.
//!
//! It is called with the name of a part. For each line it reads it measures once, prints one JSON object
//! a line, and an empty line at the end of the round.

mod derivation;
mod ensemble;
mod lanes;
mod model;
mod motion;
mod rates;
mod right_side;
mod whole;

use appell::{Prepared, gallery, read};
use appell_flow::Tape;
use appell_mech::output;
use appell_study::motion::choices::derived_for;
use appell_study::values::derived::Derived;
use serde_json::json;
use std::io::Write;
use std::sync::OnceLock;
use std::time::Instant;

/// A round is so many pieces of this length, in seconds; the fastest counts, for the others were disturbed.
const PIECES: usize = 12;
const PIECE: f64 = 5e-3;
/// Of long works a few pieces are enough, for what disturbs them is a small part.
const LONG: f64 = 5e-2;
const LONG_PIECES: usize = 3;

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

/// Seconds of processor time for one of the works, which are done by this thread.
pub fn seconds(work: impl FnMut()) -> f64 {
    shortest(work, || processor_time().unwrap_or_else(wall))
}

/// Seconds of the wall's clock for one of the works, where other threads take part.
pub fn wall_seconds(work: impl FnMut()) -> f64 {
    shortest(work, wall)
}

fn shortest(mut work: impl FnMut(), now: impl Fn() -> f64) -> f64 {
    let mut round = |count: usize| {
        let start = now();
        (0..count).for_each(|_| work());
        now() - start
    };
    let mut count = 1;
    let mut time = round(count);
    while time < PIECE {
        count *= if time < PIECE / 8.0 { 4 } else { 2 };
        time = round(count);
    }
    let pieces = if time < LONG { PIECES } else { LONG_PIECES };
    (0..pieces).map(|_| round(count)).fold(time, f64::min) / count as f64
}

fn wall() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// What this thread has had of a processor, in seconds, where the system says so.
fn processor_time() -> Option<f64> {
    // The account is brought up to date whenever another thread may run.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}

/// Does something with a model of the gallery and the equations by which its motion is computed.
pub fn with_model(name: &str, use_it: impl FnOnce(&Prepared, &Derived)) {
    let Some(entry) = gallery::find(name) else {
        panic!("{name} is not in the gallery")
    };
    let Ok((model, _)) = read(entry.name, entry.text) else {
        panic!("{name} is not right")
    };
    let Ok(prepared) = Prepared::new(&model, &[], &[]) else {
        panic!("{name}'s parameters")
    };
    let equations = derived_for(&prepared, None).expect("a formalism applies");
    use_it(&prepared, &equations);
}

/// The right-hand side of a model of the gallery.
pub fn right_side_of(name: &str) -> Tape {
    let mut tape = None;
    with_model(name, |prepared, equations| {
        tape = Some(rates(prepared, equations));
    });
    tape.expect("a model has one")
}

/// What a motion asks for at each stage of a step, but for the works.
pub fn rates(prepared: &Prepared, equations: &Derived) -> Tape {
    let names = [output::RATE];
    let program = equations.by_choice(&names);
    let program = program.unwrap_or_else(|| equations.program(&names));
    Tape::new(&program.expect("complete"), &prepared.parameters)
}

/// The work of a round, quick or not.
type Round = fn(bool);

/// The parts, each with its works.
const PARTS: [(&str, &[Round]); 6] = [
    (
        "right-side",
        &[right_side::round, lanes::round, rates::round],
    ),
    ("trajectory", &[motion::round]),
    ("ensemble", &[ensemble::round]),
    ("bicycle", &[motion::bicycle_round]),
    ("whole-run", &[whole::round]),
    ("derivation", &[derivation::round]),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["million"] {
        return ensemble::million();
    }
    let asked = |part: &&(&str, &[Round])| arguments.first().is_some_and(|name| name == part.0);
    let Some((_, rounds)) = PARTS.iter().find(asked) else {
        let known: Vec<&str> = PARTS.iter().map(|part| part.0).collect();
        eprintln!("parts: {}", known.join(", "));
        std::process::exit(2)
    };
    let quick = arguments.iter().any(|argument| argument == "--quick");
    for _ in std::io::stdin().lines() {
        rounds.iter().for_each(|round| round(quick));
        println!();
        // Who waits for the end of the round must see it; if nobody does, there is nothing to do.
        let _ = std::io::stdout().flush();
    }
}
