//! `appell prove`: proved, refuted or undecided.

use super::Exit;
use super::several::{Answer, each};
use crate::args::{Given, Prove};
use crate::input;
use crate::problem::Problem;
use appell::show;

/// Prints the proof of each model.
pub fn prove(args: &Prove) -> Result<Exit, Problem> {
    each(&args.given, &args.more, args.json, |given, answer| {
        one(args, given, answer)
    })
}

/// Something refuted that should hold is an exit code of its own.
fn one(args: &Prove, given: &Given, answer: &mut Answer<'_>) -> Result<Exit, Problem> {
    let model = input::model(&given.model)?;
    let prepared = input::prepared(&model, given, Some(&args.parameters))?;
    let proof = appell::prove_seeded(&prepared, args.seed);
    answer(&if args.json {
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
