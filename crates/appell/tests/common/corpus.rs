//! The models of `strangers/`, with what is expected of them.

use appell::{Model, Source, read, render_all};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A model of the corpus.
pub struct Entry {
    pub name: String,
    pub text: String,
}

impl Entry {
    /// A number by the name alone [Fowler, Noll and Vo, FNV-1a]: a model that is added changes nothing in the shares of
    /// the others.
    fn number(&self) -> usize {
        let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        self.name.bytes().fold(0x811c_9dc5, step) as usize
    }

    /// The model, which must be one.
    pub fn model(&self) -> Model {
        let (model, _) = read(&self.name, &self.text).unwrap_or_else(|errors| {
            let source = Source::new(&self.name, &self.text);
            panic!("{}", render_all(&errors, &source, false))
        });
        model
    }

    /// What follows a word in the comments at the end, as `# expect: `, line by line.
    pub fn comments<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        self.text.lines().filter_map(move |line| {
            line.strip_prefix("# ")?
                .strip_prefix(word)?
                .strip_prefix(": ")
        })
    }

    /// Expressions with their values at the end of the motion.
    pub fn expected(&self) -> Vec<(&str, f64)> {
        self.comments("expect")
            .map(|line| {
                let (expression, value) = line.rsplit_once(" = ").expect("EXPRESSION = NUMBER");
                (expression, value.trim().parse().expect("a number"))
            })
            .collect()
    }

    /// Where the motion cannot go on.
    pub fn stops(&self) -> Option<f64> {
        let line = self.comments("stops").next()?;
        line.strip_prefix("t = ")?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    }

    /// Why the file is refused.
    pub fn refused(&self) -> Option<&str> {
        self.comments("refused").next()
    }
}

/// Whether the whole corpus is asked for, as by `cargo xtask corpus`, and not the share of the ordinary tests.
pub fn is_whole() -> bool {
    std::env::var_os("APPELL_CORPUS").is_some()
}

/// All models of the folder, by name.
pub fn corpus() -> Vec<Entry> {
    models_of("strangers")
}

/// The model of this name, which is in `strangers/` or in `strangers/claims/`.
pub fn stranger(name: &str) -> Model {
    let mut all = corpus().into_iter().chain(models_of("strangers/claims"));
    let found = all.find(|entry| entry.name == name);
    found
        .unwrap_or_else(|| panic!("no stranger `{name}`"))
        .model()
}

/// The models of a folder of the repository, by name.
pub fn models_of(folder: &str) -> Vec<Entry> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let files = std::fs::read_dir(&folder).expect("the folder of the corpus");
    let mut entries: Vec<Entry> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .map(|path| Entry {
            name: path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            text: std::fs::read_to_string(&path).expect("a text"),
        })
        .collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

/// Collects what is wrong over all models, each with its number, in the ordinary test over one in `share`, and fails with
/// all of it.
pub fn over_the_corpus(
    share: usize,
    question: impl Fn(usize, &Entry) -> (usize, Vec<String>) + Sync,
) -> usize {
    let entries = corpus();
    assert!(entries.len() >= 160, "{}", entries.len());
    let answers = in_threads(entries.len(), |index| {
        let number = entries[index].number();
        match is_whole() || number.is_multiple_of(share) {
            true => question(number / share, &entries[index]),
            false => (0, vec![]),
        }
    });
    let (mut count, mut wrong) = (0, Vec::new());
    for (entry, answer) in entries.iter().zip(answers) {
        match answer {
            Ok((part, words)) => {
                count += part;
                wrong.extend(
                    words
                        .into_iter()
                        .map(|what| format!("{}: {what}", entry.name)),
                );
            }
            Err(panic) => wrong.push(format!("{}: {panic}", entry.name)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    count
}

/// The answers of a function for all numbers below `count`, in order, found in as many threads as there are
/// processors. A panic is an answer too: its words.
pub fn in_threads<T: Send>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<Result<T, String>> {
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<(usize, Result<T, String>)>> = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count.max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let call = std::panic::AssertUnwindSafe(|| work(index));
                    let answer = std::panic::catch_unwind(call).map_err(|panic| {
                        let text = panic.downcast_ref::<String>().cloned();
                        let words = panic.downcast_ref::<&str>().map(|x| (*x).to_owned());
                        format!("a panic: {}", text.or(words).unwrap_or_default())
                    });
                    answers.lock().expect("no panic here").push((index, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().expect("no panic here");
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
