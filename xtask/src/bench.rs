//! How long the tool takes. Times are printed for a reader; no test depends on them.

use crate::steps::cargo;

/// Prints, for each model of the gallery, the time from the file's text to the first evaluated
/// right-hand side, measured in an optimised build by the example `first_rhs` of the facade.
///
/// # Errors
/// A sentence, if the example cannot be built or does not end well.
pub fn run() -> Result<(), String> {
    let arguments = "run --locked --release --quiet --package appell --example first_rhs";
    let status = cargo(arguments).status();
    let status = status.map_err(|error| format!("cargo could not be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`cargo {arguments}` failed: {status}"))
    }
}
