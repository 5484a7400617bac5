//! Many trajectories of the pucks at once, for the processor time of one; and the memory of a million.

use crate::{Figure, with_model};
use appell::{EnsembleOptions, Members, RunOptions, ensemble};
use appell_flow::Control;
use appell_flow::backend::CUDA;
use std::process::Command;
use std::time::Instant;

/// Backends with the members of their timed ensembles: enough that the derivation, which is timed too, and the
/// ticks of the system's clock do not count.
const BACKENDS: [(&str, usize); 2] = [("jit", 1 << 16), ("cc", 1 << 19)];
/// Of a quick round, so many times fewer.
const QUICK: usize = 4;
const MILLION: usize = 1_000_000;
/// Members whose true ends are known.
const CHECKED: usize = 64;
const SYSTEM: &str = "perpendicular ensemble";

/// Measures a sweep of tolerances on one thread, by every backend that has lanes.
pub fn round(quick: bool) {
    for (backend, count) in BACKENDS {
        let count = count / if quick { QUICK } else { 1 };
        for quarter in (26..=32).step_by(2) {
            let tolerance = 10f64.powf(-f64::from(quarter) / 4.0);
            let done = run(count, tolerance, backend);
            let figure = Figure {
                peer: format!("Appell, {backend}"),
                system: SYSTEM,
                quantity: "ensemble",
                value: done.time / count as f64 * 1e6,
                unit: "us",
                error: None,
                note: format!("tolerance {tolerance:.1e}; {}", done.note),
                state: done.ends.get(..8 * CHECKED),
            };
            figure.print();
        }
    }
    if CUDA.examine().is_ok() {
        device();
    }
    memory();
}

/// Members of the ensemble on a device.
const ON_DEVICE: usize = 1 << 23;

/// The same on a device: the program there alone, and all with copies, reports and the derivation.
fn device() {
    run(1 << 10, 1e-8, CUDA.id);
    let done = run(ON_DEVICE, 1e-8, CUDA.id);
    let alone = done.device_seconds.unwrap_or(f64::NAN);
    for (quantity, seconds) in [
        ("ensemble, the program of a device", alone),
        ("ensemble, the whole call with a device", done.wall),
    ] {
        let figure = Figure {
            peer: "Appell, cuda".to_owned(),
            system: SYSTEM,
            quantity,
            value: seconds / ON_DEVICE as f64 * 1e6,
            unit: "us",
            error: None,
            note: done.note.clone(),
            state: done.ends.get(..8 * CHECKED),
        };
        figure.print();
    }
}

/// The peak memory of a process that runs a million, as such a process says it.
fn memory() {
    let program = std::env::current_exe().expect("this program has a path");
    let said = Command::new(program).arg("million").output();
    let said = said.expect("it can be started again").stdout;
    let value = String::from_utf8_lossy(&said).trim().parse();
    let figure = Figure {
        peer: "Appell".to_owned(),
        system: "perpendicular",
        quantity: "ensemble's memory",
        value: value.unwrap_or(f64::NAN),
        unit: "MB",
        error: None,
        note: "a million members, their starts and ends".to_owned(),
        state: None,
    };
    figure.print();
}

/// Runs a million and prints the largest memory of this process, in megabytes.
pub fn million() {
    let _ = std::hint::black_box(run(MILLION, 1e-8, "cc"));
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    println!("{}", kilobytes.unwrap_or(f64::NAN) / 1024.0);
}

struct Done {
    ends: Vec<f64>,
    /// Seconds of processor time, all in all.
    time: f64,
    /// Seconds on the clock.
    wall: f64,
    device_seconds: Option<f64>,
    note: String,
}

fn run(count: usize, tolerance: f64, backend: &str) -> Done {
    let options = EnsembleOptions {
        run: RunOptions {
            rtol: Some(tolerance),
            atol: Some(tolerance),
            backend: Some(backend.to_owned()),
            ..RunOptions::default()
        },
        threads: 1,
    };
    let members = members(count);
    let mut found = None;
    with_model("perpendicular", |prepared, _| {
        let (start, begun) = (processor_time(), Instant::now());
        let done = ensemble(prepared, &members, &options, &mut Control::default());
        let done = done.unwrap_or_else(|why| panic!("{why}"));
        let steps = done.steps.iter().map(|x| f64::from(*x)).sum::<f64>() / count as f64;
        found = Some(Done {
            time: processor_time() - start,
            wall: begun.elapsed().as_secs_f64(),
            device_seconds: done.device_seconds,
            note: format!("{steps:.1} steps, {} alone", done.alone),
            ends: done.y,
        });
    });
    found.expect("the model was used")
}

/// The members that all participants have, as `benches/peers/systems.py` says them.
fn members(count: usize) -> Members {
    let columns = ["x1'", "y1'", "x2'", "y2'"].map(str::to_owned).to_vec();
    let values = (0..count).flat_map(|k| {
        let share = (k as f64 * 0.6180339887498949) % 1.0;
        let other = (k as f64 * 0.7548776662466927) % 1.0;
        let (sin, cos) = (0.9272952180016122 + (share - 0.5)).sin_cos();
        let size = 0.4 + 0.2 * other;
        let (a, b) = (size * cos, size * sin);
        [a, b, b, -a]
    });
    Members::new(columns, values.collect())
}

/// Seconds of processor time of this process and all its threads; without that of a compiler that it calls.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split(' ').collect();
    let ticks = |k: usize| fields.get(k).and_then(|x| x.parse::<f64>().ok());
    (ticks(12).unwrap_or(f64::NAN) + ticks(13).unwrap_or(f64::NAN)) / 100.0
}
