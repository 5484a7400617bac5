//! `cargo xtask bench`: how long the tool takes beside others, in one run.
//!
//! Every participant of a part is made ready, and then they are measured in turn, round by round: what
//! disturbs the machine disturbs all, and ratios are taken within a round. No test depends on times.

mod figures;
mod machine;
mod participants;
mod report;

use figures::{Figure, Reference, Row, disagreements, rows};
use machine::Machine;
use participants::{PARTICIPANTS, PARTS, Part};
use std::path::Path;
use std::time::Instant;

const QUICK_ROUNDS: usize = 2;

/// Where a whole run is written down.
const DOCUMENT: &str = "docs/performance.md";

/// Runs the parts that are asked for, all by default. A whole run, not a quick one, writes its document.
///
/// # Errors
/// A sentence, if the arguments are wrong or nothing can be built.
pub fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let quick = arguments.contains(&"--quick");
    let names = arguments.iter().filter(|argument| **argument != "--quick");
    let names: Vec<&str> = names.copied().collect();
    let is_part = |name: &&&str| PARTS.iter().any(|part| part.name == **name);
    if let Some(unknown) = names.iter().find(|name| !is_part(name)) {
        let known = PARTS.map(|part| part.name).join(", ");
        return Err(format!(
            "no part `{unknown}`; there are {known}, and the option --quick"
        ));
    }
    let text = std::fs::read_to_string(root.join("benches/peers/reference.json"));
    let reference = Reference::read(&text.map_err(|error| format!("reference.json: {error}"))?)?;
    let machine = Machine::new(root)?;
    let (mut all, mut body) = (Vec::new(), String::new());
    let mut missing = machine.missing.clone();
    for part in &PARTS {
        if names.is_empty() || names.contains(&part.name) {
            let rows = measure(&machine, part, quick, &reference, &mut missing);
            body += &format!("\n## {}\n", part.title);
            body += &format!(
                "\nIn {} rounds.\n{}",
                rounds(part, quick),
                report::tables(&rows)
            );
            all.extend(rows);
        }
    }
    let document = document(&machine, &all, &body, &missing, quick);
    println!("{document}");
    if names.is_empty() && !quick {
        let path = root.join(DOCUMENT);
        std::fs::write(&path, document).map_err(|error| format!("{DOCUMENT}: {error}"))?;
        eprintln!("{DOCUMENT} is written");
    }
    Ok(())
}

/// How many rounds there are of a part.
fn rounds(part: &Part, quick: bool) -> usize {
    if quick { QUICK_ROUNDS } else { part.rounds }
}

/// Asks all participants of a part in turn.
fn measure(
    machine: &Machine,
    part: &Part,
    quick: bool,
    reference: &Reference,
    missing: &mut Vec<String>,
) -> Vec<Row> {
    let mut running = Vec::new();
    let (part, count) = (part.name, rounds(part, quick));
    for participant in PARTICIPANTS.iter().filter(|p| p.parts.contains(&part)) {
        match participant.start(machine, part, quick) {
            Ok(ready) => running.push(ready),
            Err(why) => missing.push(format!("{part}, {}: {}", participant.name, why.trim())),
        }
    }
    let clock = Instant::now();
    let mut found: Vec<Vec<Figure>> = Vec::new();
    for round in 1..=count {
        let seconds = clock.elapsed().as_secs();
        eprintln!("{part}: round {round} of {count}, {seconds} s");
        let mut figures = Vec::new();
        running.retain_mut(|participant| match participant.round() {
            Ok(found) => {
                figures.extend(found);
                true
            }
            Err(why) => {
                missing.push(format!("{part}, {}: {why}", participant.name));
                false
            }
        });
        for figure in &mut figures {
            figure.judge(reference);
        }
        found.push(figures);
    }
    let rows = rows(&found);
    missing.extend(disagreements(&rows));
    rows
}

fn document(machine: &Machine, all: &[Row], body: &str, missing: &[String], quick: bool) -> String {
    let mut text = "# Performance\n\nWritten by `cargo xtask bench`".to_owned();
    text += if quick { ", a quick run.\n" } else { ".\n" };
    text += &format!("\n{}", report::headlines(all));
    text += "
All programs were measured in turn, round by round. A figure is the median over the rounds of its part with the least and \
the most in brackets; in a round the fastest of several short pieces counts. Ratios are taken within a round: \
they depend less on the machine than times do, but between an Intel Xeon and an AMD EPYC those of (A) and (B) differed by up to 1.75. \
All are timed by the processor's clock, but for start-up and \
Appell's whole run of M2, where threads take part: these by the wall's.

(A) is `perpendicular` of the gallery in `zoo/`, (B) is `rolling-disc`. Trajectories are compared at equal true error: \
tolerances are swept, the error is that of the state at the end against 30 digits \
(`benches/peers/reference.json`), the largest of its components relative to `max(1, |y|)`, and the time is \
interpolated in the logarithms. Appell's trajectories are the steps alone, as those of the others. Of M2, *the \
steps alone* begin with compiled equations and end with the samples, as EXUDYN's solver begins with a built model; \
they keep the constraints as well as they keep the tolerance. *The whole run* begins with the text of the model: \
equations, compilation, steps, projection, rank monitor, energy account and claims; *another run* of the same model finds \
equations and code ready. Appell's ensembles are with derivation, projection and rank monitor, and without the time of the \
C compiler, as heyoka's are without that of LLVM. heyoka's figures are without the cost of the calls from Python.

";
    text += "| machine | |\n|---|---|\n";
    for (what, value) in machine.description() {
        text += &format!("| {what} | {value} |\n");
    }
    text += &format!("\n## Aims\n\n{}", report::aims(all));
    text += "\nWhat is unknown has a side that no program measures yet, or that is missing here.\n\n## Missing\n\n";
    if missing.is_empty() {
        text += "Nothing.\n";
    }
    for what in missing {
        text += &format!("- {}\n", what.lines().next().unwrap_or_default());
    }
    text + body
}
