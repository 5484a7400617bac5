//! A few models of `cargo xtask fuzz`, the same every time, and all that it once found: none panics, and what must
//! agree agrees. A question ends after so many looks at its stop, so that no clock decides.

#[path = "../examples/fuzz/mutation.rs"]
mod mutation;
#[path = "../examples/fuzz/questions.rs"]
mod questions;

use crate::common::dice::Dice;
use appell::limits::Stop;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// How many models the ordinary test makes.
const MODELS: u64 = 12;
/// A question of the test may look so often at its stop.
const LOOKS: u64 = 100_000;

fn texts(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let files = fs::read_dir(folder).expect("the folder").flatten();
    let mut paths: Vec<_> = files.map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).expect("a text");
        (path.display().to_string(), text)
    };
    paths.iter().map(read).collect()
}

/// What is wrong with the answers to all questions, or to one.
fn wrong(text: &str, only: Option<&str>) -> Vec<String> {
    let mut wrong = Vec::new();
    questions::each(text, true, &mut |question, work| {
        if only.is_some_and(|only| !questions::leads_to(question, only)) {
            return;
        }
        let stop = Arc::new(Stop::at_look(LOOKS));
        if let Some(Err(words)) = questions::under(stop, work) {
            wrong.push(format!("{question}: {words}"));
        }
    });
    wrong
}

#[test]
fn models_made_of_others_are_answered() {
    let mut all = texts("zoo");
    all.extend(texts("strangers"));
    let all: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    for index in 0..MODELS {
        let text = mutation::mutated(&all, &mut Dice::of(index));
        let wrong = wrong(&text, None);
        assert!(wrong.is_empty(), "{index}: {wrong:?}\n{text}");
    }
}

#[test]
fn what_was_found_once_is_not_found_again() {
    for (path, text) in texts("fuzz") {
        let name = Path::new(&path).file_stem().unwrap_or_default();
        let question = name.to_string_lossy();
        let question = question.split('-').next();
        let wrong = wrong(&text, question);
        assert!(wrong.is_empty(), "{path}: {wrong:?}");
    }
}

/// What the test would not notice: a question that panics, an entry that cannot be taken away.
#[test]
fn smaller_texts_lack_one_entry_each() {
    let text =
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n[claims]\na = \"1\"\nb = \"2\"\n";
    let smaller = mutation::smaller(text);
    assert_eq!(smaller.len(), 6);
    assert!(smaller.iter().all(|shorter| shorter.len() < text.len()));
    assert!(
        smaller
            .iter()
            .any(|shorter| shorter.contains("a =") && !shorter.contains("b ="))
    );
}
