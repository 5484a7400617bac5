//! Benchmark: how the derivation grows with the size of the system.
//!
//! A planar snake of n links in absolute angles, each on wheels that do not slip sideways: n + 2
//! coordinates, n constraints. Prints the time from the text to a callable right-hand side and the
//! number of its operations, with the exponents between sizes.

use appell::{Formalism, Prepared, read};
use appell_flow::Interpreter;
use appell_mech::output;
use std::time::Instant;

#[path = "bench/model.rs"]
mod model;
use model::snake;

const SIZES: [usize; 5] = [4, 8, 16, 32, 64];
const RUNS: usize = 3;

/// Seconds and operations to a right-hand side that was called once.
fn once(n: usize) -> (f64, usize) {
    let text = snake(n);
    let clock = Instant::now();
    let (model, _) = read("snake.toml", &text).expect("a good model");
    let prepared = Prepared::new(&model, &[], &[]).expect("good parameters");
    let form = Formalism::find("multipliers").expect("it is in the table");
    let equations = (form.derive)(&prepared.system, &prepared.constraints).expect("it applies");
    let program = equations.program(&[output::RATE]).expect("complete");
    let operations = program.statements.len();
    let field = Interpreter::new(program, &prepared.parameters);
    let y: Vec<f64> = (0..equations.state.len())
        .map(|i| 0.3 + 0.1 * i as f64)
        .collect();
    let _ = std::hint::black_box(field.results(0.0, &y));
    (clock.elapsed().as_secs_f64(), operations)
}

fn main() {
    println!(
        "n-link snake, text to right-hand side, best of {RUNS} (aims: time n^3, operations n^2.2)"
    );
    println!(
        "{:>4} {:>10} {:>7} {:>11} {:>7}",
        "n", "ms", "power", "operations", "power"
    );
    let mut last: Option<(usize, f64, usize)> = None;
    for n in SIZES {
        let runs: Vec<(f64, usize)> = (0..RUNS).map(|_| once(n)).collect();
        let seconds = runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
        let operations = runs[0].1;
        let power = |ratio: f64, before: usize| ratio.ln() / (n as f64 / before as f64).ln();
        let powers = last.map(|(before, time, count)| {
            let (time, count) = (seconds / time, operations as f64 / count as f64);
            [power(time, before), power(count, before)].map(|p| format!("{p:.2}"))
        });
        let [by_time, by_count] = powers.unwrap_or_default();
        println!(
            "{n:4} {:10.2} {by_time:>7} {operations:11} {by_count:>7}",
            seconds * 1e3
        );
        last = Some((n, seconds, operations));
    }
}
