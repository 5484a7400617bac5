//! Asks models, one after the other, and prints a line of JSON about each.

use crate::watch::{Asked, Watch};
use crate::{Wanted, mutation, questions, root};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// What became of a model.
#[derive(Serialize, Deserialize)]
pub struct Outcome {
    pub index: u64,
    pub is_model: bool,
    pub asked: Vec<Asked>,
    /// The text, where something is wrong.
    pub text: Option<String>,
}

/// Where the model that a process is asking is written down, to be found if it ends the process.
pub fn note(wanted: &Wanted) -> PathBuf {
    let name = format!("{}-{}.toml", wanted.seed, wanted.from);
    root().join("target/fuzz").join(name)
}

/// Asks the models of these arguments; true, since what is wrong is told in the lines.
pub fn work(wanted: &Wanted) -> bool {
    let (watch, place) = (Watch::new(wanted.budget, wanted.memory), note(wanted));
    let texts = texts(root());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let given = wanted.text.as_ref();
    let given = given.map(|path| fs::read_to_string(path).expect("a text"));
    for index in wanted.from..wanted.from + wanted.models {
        let mut dice = wanted.dice(index);
        let text = match &given {
            Some(text) => text.clone(),
            None => mutation::mutated(&texts, &mut dice),
        };
        // Without the file a model that ends the process must be made again from its number.
        let _ = fs::write(&place, format!("# model {index}\n{text}"));
        let (is_model, asked) = asked(&watch, &text, wanted.is_full(index), None);
        let is_wrong = asked.iter().any(|answer| answer.wrong.is_some());
        let outcome = Outcome {
            index,
            is_model,
            asked,
            text: is_wrong.then_some(text),
        };
        let line = serde_json::to_string(&outcome).expect("words and numbers");
        if writeln!(stdout(), "{line}").is_err() {
            break;
        }
    }
    let _ = fs::remove_file(place);
    true
}

/// Asks the questions on a text, or only this one.
pub fn asked(watch: &Watch, text: &str, is_full: bool, only: Option<&str>) -> (bool, Vec<Asked>) {
    let mut asked = Vec::new();
    let is_model = questions::each(text, is_full, &mut |question, work| {
        if only.is_none_or(|only| questions::leads_to(question, only)) {
            asked.push(watch.ask(question, work));
        }
    });
    (is_model, asked)
}

/// The models of the gallery and of the corpus.
fn texts(root: &Path) -> Vec<String> {
    let gallery = appell::gallery::entries().iter();
    let mut texts: Vec<String> = gallery.map(|entry| entry.text.to_owned()).collect();
    let files = fs::read_dir(root.join("strangers")).expect("the corpus");
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    let corpus = files.iter();
    texts.extend(corpus.filter_map(|path| fs::read_to_string(path).ok()));
    texts
}
