//! Processes that ask models, begun anew after so many models, and after a model that ends one.

use crate::tally::Tally;
use crate::worker::{Outcome, note};
use crate::{Wanted, root};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// A process asks so many models: what it keeps from one to the next does not add up.
const CHUNK: u64 = 500;
/// As many findings of a kind are kept.
const KEPT: u64 = 2;
/// So many models from one message to the next.
const OFTEN: u64 = 1_000;

/// What the threads share that wait for processes.
struct All {
    wanted: Wanted,
    /// The first model that no process has yet.
    next: AtomicU64,
    tally: Mutex<Tally>,
    began: Instant,
}

/// Asks all models; whether nothing is wrong.
pub fn all(mut wanted: Wanted) -> bool {
    if wanted.text.is_some() {
        (wanted.models, wanted.full) = (1, 1);
    }
    fs::create_dir_all(root().join("target/fuzz")).expect("a folder for notes");
    let mut tally = Tally::of(wanted.tally.as_deref());
    let Wanted {
        seed, from, models, ..
    } = wanted;
    tally
        .calls
        .push(format!("seed {seed}, from {from}, {models} models"));
    let all = All {
        next: AtomicU64::new(wanted.from),
        tally: Mutex::new(tally),
        began: Instant::now(),
        wanted,
    };
    thread::scope(|scope| {
        for _ in 0..all.wanted.jobs {
            scope.spawn(|| all.chunks());
        }
    });
    let tally = all.tally();
    tally.print();
    all.keep(&tally);
    tally.is_sound()
}

impl All {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, tally: &Tally) {
        if let Some(path) = &self.wanted.tally
            && let Err(error) = tally.keep(path)
        {
            eprintln!("`{}` cannot be written: {error}", path.display());
        }
    }

    /// Has chunk after chunk asked, until none is left.
    fn chunks(&self) {
        let end = self.wanted.from + self.wanted.models;
        loop {
            let from = self.next.fetch_add(CHUNK, Ordering::SeqCst);
            if from >= end {
                return;
            }
            self.chunk(from, end.min(from + CHUNK));
        }
    }

    /// Has the models from one to another asked, by as many processes as that takes.
    fn chunk(&self, from: u64, end: u64) {
        let mut next = from;
        while next < end {
            let part = Wanted {
                from: next,
                models: end - next,
                ..self.wanted.clone()
            };
            next = self.process(&part);
        }
    }

    /// Has models asked by one process; the first that is left.
    fn process(&self, part: &Wanted) -> u64 {
        let mut command = command(part, "worker");
        let mut child = command.stdout(Stdio::piped()).spawn().expect("a process");
        let lines = BufReader::new(child.stdout.take().expect("its lines")).lines();
        let mut next = part.from;
        for line in lines.map_while(Result::ok) {
            if let Ok(outcome) = serde_json::from_str::<Outcome>(&line) {
                next = outcome.index + 1;
                self.count(part, &outcome);
            }
        }
        let status = child.wait().expect("an ended process");
        if status.success() {
            return part.from + part.models;
        }
        let text = fs::read_to_string(note(part)).unwrap_or_default();
        self.found(part, next, "process", &format!("it ended: {status}"), &text);
        next + 1
    }

    fn count(&self, part: &Wanted, outcome: &Outcome) {
        let mut tally = self.tally();
        tally.add(part.seed, outcome);
        if tally.models.is_multiple_of(OFTEN) {
            let seconds = self.began.elapsed().as_secs_f64();
            println!(
                "{} models, {} valid, {seconds:.0} s",
                tally.models, tally.valid
            );
            self.keep(&tally);
        }
        drop(tally);
        for asked in &outcome.asked {
            if let (Some(words), Some(text)) = (&asked.wrong, &outcome.text) {
                self.found(part, outcome.index, &asked.question, words, text);
            }
        }
    }

    /// Tells of a finding, and keeps the first of a kind.
    fn found(&self, part: &Wanted, index: u64, question: &str, words: &str, text: &str) {
        println!("{index} {question}: {words}");
        if self.tally().find(question, words) > KEPT {
            return;
        }
        let words = words.replace('\n', " ");
        let begin = format!(
            "# found by `cargo xtask fuzz --seed {}`, model {index}: {question}: {words}",
            part.seed
        );
        let name = format!("{question}-{}-{index}.toml", part.seed);
        let path = root().join("fuzz").join(name);
        let kept = lessened(part, question, text, &path);
        let kept = kept.and_then(|text| fs::write(&path, format!("{begin}\n{text}")));
        if let Err(error) = kept {
            eprintln!("`{}` cannot be written: {error}", path.display());
        }
    }
}

/// The text made smaller, by a process of its own, which works in the file.
fn lessened(part: &Wanted, question: &str, text: &str, path: &Path) -> std::io::Result<String> {
    fs::write(path, text)?;
    let part = Wanted {
        text: Some(path.to_owned()),
        ..part.clone()
    };
    // Where it ends early, what it had reached stands.
    let _ = command(&part, question).status();
    fs::read_to_string(path)
}

/// This program as one that does a part of the work.
fn command(wanted: &Wanted, part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let numbers = [
        ("--models", wanted.models),
        ("--seed", wanted.seed),
        ("--from", wanted.from),
        ("--full", wanted.full),
        ("--budget", wanted.budget),
        ("--memory", wanted.memory),
    ];
    for (option, number) in numbers {
        command.args([option, &number.to_string()]);
    }
    if let Some(text) = &wanted.text {
        command.arg("--text").arg(text);
    }
    command.args(["--part", part]);
    command
}
