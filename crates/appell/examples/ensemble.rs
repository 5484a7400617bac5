//! Benchmark: trajectories of the two pucks (`zoo/perpendicular.toml`, `t = 0..10`) for one second of
//! processor time at a true error of 1e-8, by every backend and by C with eight lanes written by hand. What
//! is missing on a machine is named.

use appell::{EnsembleOptions, Members, Prepared, RunOptions, ensemble, gallery, read};
use std::path::Path;
use std::process::Command;

/// The true error that is wanted.
const ERROR: f64 = 1e-8;
/// Members of a timed ensemble.
const COUNT: usize = 200_000;

/// Seconds of processor time of this process and its threads.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split(' ').collect();
    let ticks = |k: usize| fields.get(k).and_then(|x| x.parse::<f64>().ok());
    (ticks(12).unwrap_or(f64::NAN) + ticks(13).unwrap_or(f64::NAN)) / 100.0
}

/// The largest memory of this process so far, in megabytes.
fn peak_memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}

/// Members near the file's start, on the constraint: both velocities turned together and scaled.
fn members(count: usize) -> Members {
    let columns = ["x1'", "y1'", "x2'", "y2'"].map(str::to_owned).to_vec();
    let values = (0..count).flat_map(|k| {
        let part = k as f64 / count as f64;
        let (sin, cos) = (0.6 * (part - 0.5)).sin_cos();
        let (a, b) = (1.0 + 0.2 * part, 1.1 - 0.1 * part);
        let turn =
            |x: f64, y: f64, size: f64| [size * (cos * x - sin * y), size * (sin * x + cos * y)];
        let ([a1, a2], [b1, b2]) = (turn(0.3, 0.4, a), turn(0.4, -0.3, b));
        [a1, a2, b1, b2]
    });
    Members::new(columns, values.collect())
}

/// The states at the end, and trajectories for one second of processor time.
fn timed(p: &Prepared<'_>, count: usize, tolerance: f64, backend: &str) -> (Vec<f64>, f64, String) {
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
    let clock = processor_time();
    let done = ensemble(p, &members, &options, &mut Default::default());
    let time = processor_time() - clock;
    match done {
        Ok(done) => {
            let words = format!(
                "{}, {} alone, {:.1} steps",
                done.backend,
                done.alone,
                done.steps.iter().map(|x| f64::from(*x)).sum::<f64>() / count as f64
            );
            (done.y, count as f64 / time, words)
        }
        Err(why) => (Vec::new(), f64::NAN, why.message),
    }
}

/// What a C program of `benches/native/` prints.
fn by_hand(name: &str, argument: &str) -> Result<String, String> {
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../benches/native/{name}.c"));
    let program = std::env::temp_dir().join(format!("appell-{name}-{}", std::process::id()));
    let words = |error: std::io::Error| format!("no C compiler: {error}");
    let built = Command::new("cc")
        .args(["-O3", "-march=native", "-o"])
        .args([&program, &source])
        .arg("-lm")
        .output()
        .map_err(words)?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let printed = Command::new(&program).arg(argument).output().map_err(words);
    let _ = std::fs::remove_file(&program);
    Ok(String::from_utf8_lossy(&printed?.stdout).trim().to_owned())
}

fn main() {
    let entry = gallery::find("perpendicular").expect("it is in the gallery");
    let (model, _) = read(entry.name, entry.text).expect("it is right");
    let p = Prepared::new(&model, &[], &[]).expect("its parameters are");
    let few = 256;
    let (exact, ..) = timed(&p, few, 1e-13, "cc");
    let error = |tolerance: f64| {
        let (y, ..) = timed(&p, few, tolerance, "cc");
        let pairs = y.iter().zip(&exact);
        pairs.fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
    };
    let mut tolerance = 1e-5;
    while error(tolerance) > ERROR {
        tolerance /= 1.25;
    }
    println!(
        "two pucks, t = 0..10, tolerance {tolerance:.2e}: true error {:.2e}",
        error(tolerance)
    );
    let unit = match by_hand("perpendicular-lanes", &format!("{tolerance:e}")) {
        Ok(text) => {
            println!("  C by hand   {text}");
            text.split_whitespace().next().and_then(|x| x.parse().ok())
        }
        Err(why) => {
            println!("  C by hand: {why}");
            None
        }
    };
    let unit = unit.unwrap_or(f64::NAN);
    // Arguments choose backends.
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |id: &&&str| wanted.is_empty() || wanted.iter().any(|own| own == **id);
    for backend in ["interp", "jit", "cc"].iter().filter(is_wanted) {
        // The fastest of some rounds counts: the others were disturbed.
        let count = if *backend == "cc" { COUNT } else { COUNT / 8 };
        let rounds = (0..5).map(|_| timed(&p, count, tolerance, backend));
        let best = rounds.max_by(|a, b| a.1.total_cmp(&b.1));
        let (_, rate, words) = best.unwrap_or_default();
        println!(
            "  {backend:8} {rate:12.0} a second, {:.2} of C by hand ({words})",
            rate / unit
        );
    }
    let (_, rate, words) = timed(&p, 1_000_000, tolerance, "cc");
    println!(
        "  a million: {rate:.0} a second ({words}), at most {:.0} MB in all",
        peak_memory()
    );
}
