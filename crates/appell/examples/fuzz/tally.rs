//! What was counted, over one call or several.

use crate::worker::Outcome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The largest of some numbers, and whose it is.
#[derive(Default, Clone, Copy, Serialize, Deserialize)]
struct Worst {
    value: u64,
    seed: u64,
    index: u64,
}

/// What is known of one question.
#[derive(Default, Serialize, Deserialize)]
struct Account {
    asked: u64,
    stopped: u64,
    /// Milliseconds of the processor, of all answers together.
    milliseconds: u64,
    /// Processor time of the longest answer, of the longest way to stop, the largest memory.
    worst: [Worst; 3],
}

/// Models and answers, counted.
#[derive(Default, Serialize, Deserialize)]
pub struct Tally {
    /// The calls that were added up, in words.
    pub calls: Vec<String>,
    pub models: u64,
    pub valid: u64,
    accounts: BTreeMap<String, Account>,
    kinds: BTreeMap<String, u64>,
}

impl Tally {
    /// What a file counted before, or nothing.
    pub fn of(path: Option<&Path>) -> Self {
        let text = path.and_then(|path| fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// Writes it to a file that is whole at every moment.
    pub fn keep(&self, path: &Path) -> std::io::Result<()> {
        let draft = path.with_extension("draft");
        fs::write(&draft, serde_json::to_string_pretty(self)?)?;
        fs::rename(draft, path)
    }

    /// Counts a model.
    pub fn add(&mut self, seed: u64, outcome: &Outcome) {
        self.models += 1;
        self.valid += u64::from(outcome.is_model);
        for asked in &outcome.asked {
            let account = self.accounts.entry(asked.question.clone()).or_default();
            account.asked += 1;
            account.stopped += u64::from(asked.stopped);
            account.milliseconds += asked.times[0];
            for (worst, value) in account.worst.iter_mut().zip(asked.times) {
                if value > worst.value {
                    let index = outcome.index;
                    *worst = Worst { value, seed, index };
                }
            }
        }
    }

    /// Counts something that is wrong; how often it was seen.
    pub fn find(&mut self, question: &str, words: &str) -> u64 {
        let count = self.kinds.entry(kind(question, words)).or_default();
        *count += 1;
        *count
    }

    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn print(&self) {
        println!("{} models, {} of them valid", self.models, self.valid);
        println!(
            "{:<12}{:>9}{:>9}{:>9}{:>10}{:>16}{:>10}",
            "question", "asked", "stopped", "mean ms", "worst ms", "worst after ms", "worst MB"
        );
        for (question, account) in &self.accounts {
            let mean = account.milliseconds as f64 / account.asked.max(1) as f64;
            let [time, late, memory] = account.worst.map(|worst| worst.value);
            println!(
                "{question:<12}{:>9}{:>9}{mean:>9.1}{time:>10}{late:>16}{memory:>10}",
                account.asked, account.stopped
            );
        }
        for (kind, count) in &self.kinds {
            println!("{count} times {kind}");
        }
    }
}

/// Findings of one kind have one cause, as a rule: the question, and the words without numbers and names.
pub fn kind(question: &str, words: &str) -> String {
    let mut quoted = false;
    let letters = words.chars().filter(|c| {
        quoted ^= *c == '`';
        !quoted && !c.is_ascii_digit()
    });
    format!("{question}: {}", letters.take(60).collect::<String>())
}
