//! `appell prove`: proved, refuted or undecided.

use super::Exit;
use crate::args::Prove;
use crate::input;
use crate::problem::Problem;
use crate::terminal::print;
use appell::show;

/// Prints the proof; something refuted that should hold is an exit code of its own.
pub fn prove(args: &Prove) -> Result<Exit, Problem> {
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared(&model, &args.given, Some(&args.parameters))?;
    let proof = appell::prove_seeded(&prepared, args.seed);
    print(&if args.json {
        show::json_line(&proof)
    } else {
        show::proof_text(&prepared, &proof)
    })?;
    Ok(if proof.is_refuted() {
        Exit::Refuted
    } else {
        Exit::Done
    })
}
