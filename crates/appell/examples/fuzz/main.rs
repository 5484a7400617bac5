//! `cargo xtask fuzz`: models made of the gallery's and the corpus's, asked every question, under a budget of time and
//! memory. What panics, goes on after its budget, or differs from what it must agree with, is made smaller and kept
//! in `fuzz/`, where the tests ask it again.

#[path = "../../tests/common/dice.rs"]
#[allow(dead_code)]
mod dice;
mod mutation;
mod questions;
mod watch;

use dice::Dice;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use watch::{Asked, Watch};

const USAGE: &str =
    "usage: fuzz [--models N] [--seed S] [--from I] [--budget MS] [--memory MB] [--text FILE]";
/// As many findings of a kind are kept.
const KEPT: usize = 2;
/// A finding is made smaller in so many attempts.
const ATTEMPTS: usize = 300;

/// The arguments.
struct Wanted {
    models: u64,
    seed: u64,
    from: u64,
    budget: u64,
    memory: u64,
    text: Option<PathBuf>,
}

fn wanted() -> Option<Wanted> {
    let mut wanted = Wanted {
        models: 1_000,
        seed: 1,
        from: 0,
        budget: 1_000,
        memory: 1_500,
        text: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(option) = words.next() {
        let word = words.next()?;
        let place = match option.as_str() {
            "--models" => &mut wanted.models,
            "--seed" => &mut wanted.seed,
            "--from" => &mut wanted.from,
            "--budget" => &mut wanted.budget,
            "--memory" => &mut wanted.memory,
            "--text" => {
                wanted.text = Some(word.into());
                continue;
            }
            _ => return None,
        };
        *place = word.parse().ok()?;
    }
    Some(wanted)
}

/// What is known of one question.
#[derive(Default)]
struct Account {
    asked: u64,
    stopped: u64,
    /// Processor time of the longest answer, of the longest way to stop, the largest memory.
    worst: [u64; 3],
}

struct Finding {
    question: &'static str,
    words: String,
    text: String,
    index: u64,
}

fn main() {
    let Some(wanted) = wanted() else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let watch = Watch::new(
        wanted.budget,
        wanted.memory,
        root.join("target/fuzz-model.toml"),
    );
    let mut accounts: BTreeMap<&'static str, Account> = BTreeMap::new();
    let mut findings: Vec<Finding> = Vec::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let texts = texts(&root);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (mut good, began) = (0, Instant::now());
    let given = wanted
        .text
        .map(|path| fs::read_to_string(path).expect("a text"));
    let count = if given.is_some() { 1 } else { wanted.models };
    for index in wanted.from..wanted.from + count {
        let mut dice = Dice::of(wanted.seed.wrapping_mul(1 << 32).wrapping_add(index));
        let text = given
            .clone()
            .unwrap_or_else(|| mutation::mutated(&texts, &mut dice));
        let (is_model, asked) = questioned(&watch, &text);
        good += u64::from(is_model);
        for Asked {
            question,
            wrong,
            times,
            stopped,
        } in asked
        {
            let account = accounts.entry(question).or_default();
            account.asked += 1;
            account.stopped += u64::from(stopped);
            (0..3).for_each(|i| account.worst[i] = account.worst[i].max(times[i]));
            let Some(words) = wrong else { continue };
            let count = kinds.entry(kind(question, &words)).or_default();
            *count += 1;
            println!("{index} {question}: {words}");
            if *count <= KEPT {
                let text = lessened(&watch, &text, question, &words);
                findings.push(Finding {
                    question,
                    words,
                    text,
                    index,
                });
            }
        }
        if (index + 1).is_multiple_of(100) {
            let done = index + 1 - wanted.from;
            println!(
                "{done} models, {good} valid, {:.0} s",
                began.elapsed().as_secs_f64()
            );
        }
    }
    summary(&accounts, &kinds, (count, good));
    kept(&root, wanted.seed, &findings);
    std::process::exit(i32::from(!findings.is_empty()));
}

/// The models of the gallery and of the corpus.
fn texts(root: &Path) -> Vec<String> {
    let gallery = appell::gallery::entries().iter();
    let mut texts: Vec<String> = gallery.map(|entry| entry.text.to_owned()).collect();
    let files = fs::read_dir(root.join("strangers")).expect("the corpus");
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    texts.extend(
        files
            .iter()
            .filter_map(|path| fs::read_to_string(path).ok()),
    );
    texts
}

fn questioned(watch: &Watch, text: &str) -> (bool, Vec<Asked>) {
    watch.note(text);
    let mut asked = Vec::new();
    let is_model = questions::each(text, &mut |question, work| {
        asked.push(watch.ask(question, work));
    });
    (is_model, asked)
}

/// Findings of one kind have one cause, as a rule: the question, and the words without numbers and names.
fn kind(question: &str, words: &str) -> String {
    let mut quoted = false;
    let letters = words.chars().filter(|c| {
        quoted ^= *c == '`';
        !quoted && !c.is_ascii_digit()
    });
    format!("{question}: {}", letters.take(60).collect::<String>())
}

/// The smallest text that was found with the same finding.
fn lessened(watch: &Watch, text: &str, question: &'static str, words: &str) -> String {
    let (mut text, wanted) = (text.to_owned(), kind(question, words));
    let mut attempts = 0;
    'smaller: loop {
        for smaller in mutation::smaller(&text) {
            attempts += 1;
            if attempts > ATTEMPTS {
                return text;
            }
            let (_, asked) = questioned(watch, &smaller);
            let same = |own: &Asked| {
                let words = own.wrong.as_deref();
                words.is_some_and(|words| kind(own.question, words) == wanted)
            };
            if asked.iter().any(same) {
                text = smaller;
                continue 'smaller;
            }
        }
        return text;
    }
}

fn summary(
    accounts: &BTreeMap<&'static str, Account>,
    kinds: &BTreeMap<String, usize>,
    (models, good): (u64, u64),
) {
    println!("{models} models, {good} of them valid");
    println!(
        "{:<12}{:>10}{:>10}{:>12}{:>16}{:>12}",
        "question", "asked", "stopped", "worst ms", "worst after ms", "worst MB"
    );
    for (question, account) in accounts {
        let [time, late, memory] = account.worst;
        println!(
            "{question:<12}{:>10}{:>10}{time:>12}{late:>16}{memory:>12}",
            account.asked, account.stopped
        );
    }
    for (kind, count) in kinds {
        println!("{count} times {kind}");
    }
}

fn kept(root: &Path, seed: u64, findings: &[Finding]) {
    let folder = root.join("fuzz");
    for finding in findings {
        let words = finding.words.replace('\n', " ");
        let text = format!(
            "# found by `cargo xtask fuzz --seed {seed}`, model {}: {}: {words}\n{}",
            finding.index, finding.question, finding.text
        );
        let name = format!("{}-{seed}-{}.toml", finding.question, finding.index);
        if let Err(error) =
            fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(&name), text))
        {
            eprintln!("`{name}` cannot be written: {error}");
        }
    }
}
