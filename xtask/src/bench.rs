//! How long the tool takes. Times are printed for a reader; no test depends on them.

use crate::steps::cargo;

/// Benchmarks of the facade, run in an optimised build: from the text of each gallery model to its
/// first right-hand side and its proofs, how derivations grow with the size of the system, and one
/// right-hand side and ensembles by every backend beside C by hand.
const EXAMPLES: [&str; 4] = ["first_rhs", "snake", "right_side", "ensemble"];

/// Runs the benchmarks one after the other.
///
/// # Errors
/// A sentence, if one cannot be built or does not end well.
pub fn run() -> Result<(), String> {
    EXAMPLES.iter().try_for_each(|example| {
        let arguments =
            format!("run --locked --release --quiet --package appell --example {example}");
        let status = cargo(&arguments).status();
        let status = status.map_err(|error| format!("cargo could not be started: {error}"))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`cargo {arguments}` failed: {status}"))
        }
    })
}
