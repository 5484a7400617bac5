//! Writes the pages that are made from the program itself: `cargo xtask reference` those that are kept in `docs/`,
//! `cargo xtask site` the whole of the documentation as Markdown for the generator.

mod gallery;
mod pages;
mod reference;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let written = match arguments[..] {
        [] => reference::write(),
        [folder] => pages::write(Path::new(folder)),
        _ => Err("one folder at most".to_owned()),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
