//! Makes the text of a finding smaller, as long as the finding stays.

use crate::watch::{Asked, Watch};
use crate::{Wanted, mutation, tally, worker};
use std::fs;

/// A finding is made smaller in so many attempts.
const ATTEMPTS: usize = 300;

/// Prints the smallest text that was found with the same finding on this question; false where the text
/// has none.
pub fn lessen(wanted: &Wanted, question: &str) -> bool {
    let path = wanted.text.as_ref().expect("--text");
    let mut text = fs::read_to_string(path).expect("a text");
    let watch = Watch::new(wanted.budget, wanted.memory);
    let Some(kind) = found(&watch, &text, question) else {
        return false;
    };
    let mut attempts = 0;
    'smaller: loop {
        for smaller in mutation::smaller(&text) {
            attempts += 1;
            if attempts > ATTEMPTS {
                break 'smaller;
            }
            if found(&watch, &smaller, question).as_ref() == Some(&kind) {
                text = smaller;
                // What ends this process leaves the last text that did not.
                let _ = fs::write(path, &text);
                continue 'smaller;
            }
        }
        break;
    }
    true
}

/// The kind of the finding that this question has on a text.
fn found(watch: &Watch, text: &str, question: &str) -> Option<String> {
    let (_, asked) = worker::asked(watch, text, true, Some(question));
    let kind = |asked: Asked| Some(tally::kind(question, &asked.wrong?));
    asked
        .into_iter()
        .filter(|asked| asked.question == question)
        .find_map(kind)
}
