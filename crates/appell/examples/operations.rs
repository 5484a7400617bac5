//! The operations of one evaluation of the equations of motion: of the multipliers as they are written, of the
//! reduced ones, and how far the two are apart at a few states.
//!
//! `cargo run --release -p appell --example operations [FILE..]`, of the whole gallery where no file is given.

use appell::{Formalism, Prepared, gallery, read};
use appell_flow::{Field, Interpreter, Tape};
use appell_mech::{Style, output, reduced};
use appell_study::motion::choices::derived_for;

const NAMES: [&str; 2] = [output::RATE, output::WORK];

fn line(name: &str, text: &str) -> Option<String> {
    let (model, _) = read(name, text).ok()?;
    let p = Prepared::new(&model, &[], &[]).ok()?;
    let form = Formalism::find("multipliers")?;
    let equations = (form.derive)(&p.system, &p.constraints).ok()?;
    let inputs = equations.inputs();
    let usual = Interpreter::new(equations.program(&NAMES).ok()?, &p.parameters);
    let work = |interpreter: &Interpreter| Tape::new(interpreter.program(), &p.parameters).work();
    let mut line = format!("{:6}", work(&usual));
    for style in Style::ALL {
        let Some(short) = reduced(&p.system, &p.constraints, style) else {
            line.push_str("      -");
            continue;
        };
        let short = short.program(&inputs, &NAMES).expect("complete");
        let short = Interpreter::new(short, &p.parameters);
        let count = equations.state.len();
        line.push_str(&format!(
            " {:6} ({:.0e})",
            work(&short),
            apart(&usual, &short, count)
        ));
    }
    line.push_str(&by_choice(&p, &usual));
    Some(line)
}

/// The same by a choice of velocities, where there is one.
fn by_choice(p: &Prepared<'_>, usual: &Interpreter) -> String {
    let Ok(derived) = derived_for(p, None) else {
        return String::new();
    };
    match derived.by_choice(&NAMES) {
        Some(Ok(program)) => {
            let chosen = Interpreter::new(program, &p.parameters);
            let operations = Tape::new(chosen.program(), &p.parameters).work();
            let far = apart(usual, &chosen, usual.inputs());
            format!(" {operations:6} ({far:.0e})")
        }
        _ => "      -".to_owned(),
    }
}

/// How far rates are apart at a few states, relative to the largest.
fn apart(usual: &Interpreter, short: &Interpreter, count: usize) -> f64 {
    let mut apart: f64 = 0.0;
    for trial in 0..5 {
        let y: Vec<f64> = (0..count)
            .map(|i| ((1 + i * i + 7 * trial) as f64 * 0.7).sin() + 0.3)
            .collect();
        let (Ok(a), Ok(b)) = (usual.results(0.3, &y), short.results(0.3, &y)) else {
            continue;
        };
        let size = a[..count]
            .iter()
            .fold(1.0, |most: f64, x| most.max(x.abs()));
        let pairs = a[..count].iter().zip(&b[..count]);
        apart = pairs.fold(apart, |most, (a, b)| most.max((a - b).abs() / size));
    }
    apart
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a file");
        println!("{file:40} {}", line(file, &text).unwrap_or_default());
    }
    for entry in gallery::entries().iter().filter(|_| files.is_empty()) {
        let line = line(entry.name, entry.text).unwrap_or_default();
        println!("{:40} {line}", entry.name);
    }
}
