//! Benchmark: from a model file to its first right-hand side, and all its proofs, for every model of
//! the gallery.
//!
//! Prints the median of several runs, phase by phase, and each model's ratio to the pucks, which
//! depends less on the machine.

use appell::{FORMALISMS, Prepared, gallery, read};
use appell_flow::Interpreter;
use appell_mech::output;
use std::time::{Duration, Instant};

const RUNS: usize = 9;
/// The model that the ratios refer to.
const UNIT: &str = "perpendicular";

struct Phases {
    read: Duration,
    prepare: Duration,
    derive: Duration,
    evaluate: Duration,
    /// Every proof about the model, after all that.
    prove: Duration,
}

impl Phases {
    /// From the file to the first right-hand side.
    fn total(&self) -> Duration {
        self.read + self.prepare + self.derive + self.evaluate
    }
}

fn once(entry: &gallery::Entry) -> Phases {
    let clock = Instant::now();
    let Ok((model, _)) = read(entry.name, entry.text) else {
        panic!("{} is not right", entry.name)
    };
    let read = clock.elapsed();
    let Ok(prepared) = Prepared::new(&model, &[], &[]) else {
        panic!("{}'s parameters", entry.name)
    };
    let prepare = clock.elapsed();
    let derived = FORMALISMS
        .iter()
        .find_map(|f| (f.derive)(&prepared.system, &prepared.constraints).ok());
    let equations = derived.expect("a formalism applies");
    let program = equations
        .program(&[output::RATE])
        .expect("the rate is complete");
    let field = Interpreter::new(program, &prepared.parameters);
    let derive = clock.elapsed();
    let y: Vec<f64> = (0..equations.state.len())
        .map(|i| 0.3 + 0.1 * i as f64)
        .collect();
    // Whether this state has a rate does not matter to the time.
    let _ = std::hint::black_box(field.results(0.5, &y));
    let evaluate = clock.elapsed();
    let _ = std::hint::black_box(appell::prove(&prepared));
    Phases {
        read,
        prepare: prepare - read,
        derive: derive - prepare,
        evaluate: evaluate - derive,
        prove: clock.elapsed() - evaluate,
    }
}

fn median(entry: &gallery::Entry) -> Phases {
    let mut runs: Vec<Phases> = (0..RUNS).map(|_| once(entry)).collect();
    runs.sort_by_key(Phases::total);
    runs.swap_remove(RUNS / 2)
}

fn main() {
    let milliseconds = |d: Duration| d.as_secs_f64() * 1e3;
    let Some(unit) = gallery::find(UNIT) else {
        panic!("{UNIT} is not in the gallery")
    };
    let unit = median(unit).total();
    println!(
        "model file to first right-hand side, median of {RUNS}, milliseconds (aim: 5), and all proofs (aim: 2000)"
    );
    println!(
        "{:28} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8}",
        "", "read", "prepare", "derive", "eval", "total", "ratio", "proofs"
    );
    for entry in gallery::entries() {
        let phases = median(entry);
        println!(
            "{:28} {:7.3} {:7.3} {:7.3} {:7.3} {:7.3} {:7.2} {:8.1}",
            entry.name,
            milliseconds(phases.read),
            milliseconds(phases.prepare),
            milliseconds(phases.derive),
            milliseconds(phases.evaluate),
            milliseconds(phases.total()),
            phases.total().as_secs_f64() / unit.as_secs_f64(),
            milliseconds(phases.prove),
        );
    }
}
