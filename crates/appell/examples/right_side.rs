//! Benchmark: one right-hand side of some models, by every backend and by hand-written C.
//!
//! The C programs of `benches/native/` are compiled with the system's compiler and time themselves at the
//! same states; what is missing on a machine is named. Ratios refer to the hand-written function.

use appell::{FORMALISMS, Prepared, gallery, read};
use appell_flow::backend::BACKENDS;
use appell_flow::{Compiled, Field, Interpreter, Tape, TermSizes, Workspace};
use appell_mech::output;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A large model without a program in C: the code made by `cc` stands for one.
const LARGE: &str = "bicycle";
/// The fastest of so many rounds counts: the others were disturbed.
const ROUNDS: usize = 15;
/// Evaluations go round so many states.
const STATES: usize = 64;

/// Nanoseconds for one evaluation.
fn time(field: &dyn Field, states: &[Vec<f64>]) -> f64 {
    let mut workspace = Workspace::default();
    let mut out = vec![0.0; field.outputs()];
    let mut round = |count: usize| {
        let clock = Instant::now();
        for k in 0..count {
            let y = &states[k % STATES];
            // A refused state takes its time too.
            let _ = black_box(field.eval(&mut workspace, 0.0, black_box(y), &mut out));
        }
        clock.elapsed().as_secs_f64() * 1e9 / count as f64
    };
    let count = (2e6 / round(20_000)).max(64.0) as usize;
    (0..ROUNDS)
        .map(|_| round(count))
        .fold(f64::INFINITY, f64::min)
}

/// The folder of the C programs, each with the name of a model.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/native")
}

/// The models that have a program in C.
fn by_hand() -> Vec<String> {
    let files = std::fs::read_dir(folder()).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    let programs = paths.filter(|path| path.extension().is_some_and(|end| end == "c"));
    let stem = |path: PathBuf| {
        path.file_stem()
            .map(|name| name.to_string_lossy().into_owned())
    };
    // Those over lanes are for the example `ensemble`.
    let single = |name: &String| !name.ends_with("-lanes");
    let mut names: Vec<String> = programs.filter_map(stem).filter(single).collect();
    names.sort();
    names
}

/// The time that the C program prints, in nanoseconds.
fn native(name: &str) -> Result<f64, String> {
    let source = folder().join(format!("{name}.c"));
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
    let printed = Command::new(&program).output().map_err(words);
    let _ = std::fs::remove_file(&program);
    let printed = String::from_utf8_lossy(&printed?.stdout).into_owned();
    printed
        .trim()
        .parse()
        .map_err(|_| format!("it printed `{printed}`"))
}

fn main() {
    println!("one right-hand side, the fastest of {ROUNDS} rounds, nanoseconds");
    let by_hand = by_hand();
    for name in by_hand.iter().map(String::as_str).chain([LARGE]) {
        let Some(entry) = gallery::find(name) else {
            println!("{name} is not in the gallery");
            continue;
        };
        let Ok((model, _)) = read(entry.name, entry.text) else {
            panic!("{name} is not right")
        };
        let Ok(prepared) = Prepared::new(&model, &[], &[]) else {
            panic!("{name}'s parameters")
        };
        let equations = FORMALISMS
            .iter()
            .find_map(|f| (f.derive)(&prepared.system, &prepared.constraints).ok())
            .expect("a formalism applies");
        let program = equations.program(&[output::RATE]).expect("complete");
        let reference = Interpreter::new(program, &prepared.parameters);
        let tape = Tape::new(reference.program(), &prepared.parameters);
        let size = |i: usize| 0.3 + 0.1 * i as f64;
        let states: Vec<Vec<f64>> = (0..STATES)
            .map(|k| {
                (0..tape.inputs())
                    .map(|i| size(i) + 1e-3 * k as f64)
                    .collect()
            })
            .collect();
        let direct = tape
            .solves
            .iter()
            .filter(|solve| solve.direct.is_some())
            .count();
        println!(
            "{name}: {} operations, {direct} of {} systems written out",
            tape.ops.len(),
            tape.solves.len()
        );
        let base = (name != LARGE).then(|| native(name));
        let unit = match &base {
            Some(Ok(time)) => Some(*time),
            Some(Err(why)) => {
                println!("  C by hand: {}", why.trim());
                None
            }
            None => None,
        };
        let show = |what: &str, time: f64| match unit {
            Some(unit) => println!("  {what:12} {time:10.1} {:8.2}", time / unit),
            None => println!("  {what:12} {time:10.1}"),
        };
        if let Some(time) = unit {
            show("C by hand", time);
        }
        show("program", time(&reference, &states));
        show(
            "with sizes",
            time(&TermSizes(reference.clone()), &states[..]),
        );
        for backend in BACKENDS {
            let clock = Instant::now();
            match Compiled::new(tape.clone(), backend) {
                Ok(field) => {
                    let made = clock.elapsed().as_secs_f64() * 1e3;
                    show(backend.id, time(&field, &states));
                    println!("  {:12} {made:10.2} ms to make", "");
                }
                Err(why) => println!("  {}: {why}", backend.id),
            }
        }
    }
}
