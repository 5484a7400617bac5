//! `cargo xtask fuzz`: models made of the gallery's and the corpus's, asked many questions, under a budget of time and
//! memory, by processes that are begun anew where one ends early. What panics, ends its process, goes on after its
//! budget, or differs from what it must agree with, is made smaller and kept in `fuzz/`, where the tests ask it again.

#[path = "../../tests/common/dice.rs"]
#[allow(dead_code)]
mod dice;
mod mutation;
mod processes;
mod questions;
mod smaller;
mod tally;
mod watch;
mod worker;

use dice::Dice;
use std::path::{Path, PathBuf};

const USAGE: &str =
    "usage: fuzz [--models N] [--seed S] [--from I] [--full N] [--jobs N] [--budget MS] \
    [--memory MB] [--tally FILE] [--text FILE]
  --full N      every question of each N-th model only, the quick ones of the others (1)
  --jobs N      processes side by side (1)
  --tally FILE  adds what this call counts to the file's counts
  --text FILE   asks one model, every question";

/// The arguments.
#[derive(Clone)]
struct Wanted {
    models: u64,
    seed: u64,
    from: u64,
    full: u64,
    jobs: u64,
    budget: u64,
    memory: u64,
    tally: Option<PathBuf>,
    text: Option<PathBuf>,
    /// Which part of the work a process begun by another does: `worker`, or a question to make a text smaller by.
    part: Option<String>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            models: 1_000,
            seed: 1,
            from: 0,
            full: 1,
            jobs: 1,
            budget: 1_000,
            memory: 1_500,
            tally: None,
            text: None,
            part: None,
        }
    }
}

fn wanted() -> Option<Wanted> {
    let mut wanted = Wanted::default();
    let mut words = std::env::args().skip(1);
    while let Some(option) = words.next() {
        let word = words.next()?;
        let number = match option.as_str() {
            "--models" => &mut wanted.models,
            "--seed" => &mut wanted.seed,
            "--from" => &mut wanted.from,
            "--full" => &mut wanted.full,
            "--jobs" => &mut wanted.jobs,
            "--budget" => &mut wanted.budget,
            "--memory" => &mut wanted.memory,
            other => {
                match other {
                    "--tally" => wanted.tally = Some(word.into()),
                    "--text" => wanted.text = Some(word.into()),
                    "--part" => wanted.part = Some(word),
                    _ => return None,
                }
                continue;
            }
        };
        *number = word.parse().ok()?;
    }
    let is_sound = wanted.full > 0 && wanted.jobs > 0;
    is_sound.then_some(wanted)
}

impl Wanted {
    /// The dice that make a model.
    fn dice(&self, index: u64) -> Dice {
        Dice::of(self.seed.wrapping_mul(1 << 32).wrapping_add(index))
    }

    /// Whether this model is asked every question.
    fn is_full(&self, index: u64) -> bool {
        index.is_multiple_of(self.full)
    }
}

/// The repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn main() {
    let Some(wanted) = wanted() else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let corpus = root().join("strangers");
    if !corpus.is_dir() {
        let corpus = corpus.display();
        eprintln!(
            "{corpus}, where this program was built, is gone: models are made of what is there"
        );
        std::process::exit(2);
    }
    let is_sound = match wanted.part.as_deref() {
        Some("worker") => worker::work(&wanted),
        Some(question) => smaller::lessen(&wanted, question),
        None => processes::all(wanted),
    };
    std::process::exit(i32::from(!is_sound));
}
