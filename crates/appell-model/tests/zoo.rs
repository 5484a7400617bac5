//! Every model of the gallery is read without a word.

use appell_model::{Source, read, render_all};
use std::fs;

/// Name and text of every file of the gallery.
fn gallery() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../zoo");
    let mut files: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the gallery is there")
        .map(|entry| entry.expect("its entries can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| {
            let name = path
                .file_name()
                .expect("a file has a name")
                .to_string_lossy()
                .into_owned();
            (
                name,
                fs::read_to_string(&path).expect("the file can be read"),
            )
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_model_is_read() {
    let files = gallery();
    assert!(!files.is_empty());
    for (name, text) in files {
        if let Err(errors) = read(&name, &text) {
            panic!("{}", render_all(&errors, &Source::new(&name, &text), false));
        }
    }
}
