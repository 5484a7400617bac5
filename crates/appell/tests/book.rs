//! Equations of motion beside those of the books: one text for each in `book/`.
//!
//! Above the line `Equations of motion` stands what the source prints, below it what is shown here.
//! That this is what runs is held by `derivations.rs`, formula by formula.

use appell::{Formalism, Prepared, gallery, read, show};
use std::path::Path;

/// The motion as the command shows it, without its results.
fn motion(model: &str, form: &str) -> String {
    let entry = gallery::find(model).expect("it is in the gallery");
    let (model, _) = read(entry.name, entry.text).expect("it is right");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let form = Formalism::find(form).expect("it is in the table");
    let text = show::derivation_text(&p, form, false).expect("it applies");
    let start = text.find("Equations of motion").expect("a heading");
    let end = text.find("\nResults").unwrap_or(text.len());
    text[start..end].to_owned()
}

/// Run with `UPDATE_GOLDEN=1` to write the lower parts anew, then read them.
#[test]
fn equations_are_those_of_the_books() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/book");
    let files = std::fs::read_dir(folder).expect("the texts");
    let mut count = 0;
    for file in files {
        let path = file.expect("a file").path();
        let kept = std::fs::read_to_string(&path).expect("a text");
        let head = kept.lines().next().expect("a heading");
        let (model, form) = head.split_once(" by ").expect("a model by a form");
        let end = kept.find("Equations of motion").unwrap_or(kept.len());
        let now = format!("{}{}", &kept[..end], motion(model, form));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &now).expect("the text can be written");
            continue;
        }
        assert!(now == kept, "{head} reads differently:\n{now}");
        count += 1;
    }
    assert!(count == 0 || count >= 30, "{count} texts");
}
