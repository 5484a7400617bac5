//! Writes `docs/errata.md`: `cargo xtask errata`.

mod document;

use std::process::ExitCode;

fn main() -> ExitCode {
    let written = document::errata()
        .and_then(|text| std::fs::write(document::PLACE, text).map_err(|error| error.to_string()));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
