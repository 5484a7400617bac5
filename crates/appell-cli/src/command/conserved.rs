//! `appell conserved`: first integrals, found and proved.

use super::Exit;
use crate::args::Conserved;
use crate::input;
use crate::problem::Problem;
use crate::terminal::answer;
use appell::{ConservedOptions, show};
use std::time::Duration;

/// Prints what was searched and found. Ctrl-C ends the search and keeps what was found.
pub fn conserved(args: &Conserved) -> Result<Exit, Problem> {
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared(&model, &args.given, Some(&args.parameters))?;
    let options = ConservedOptions {
        degree: args.degree.into(),
        seed: args.seed,
        // The clock is watched from outside.
        budget: Duration::MAX,
    };
    let conserved = appell::conserved_with(&prepared, &options, None);
    answer(
        args.json,
        &if args.json {
            show::json_line(&conserved)
        } else {
            show::conserved_text(&prepared, &conserved)
        },
    )?;
    Ok(match &conserved {
        found if found.interrupted => Exit::Interrupted,
        found if found.over_budget => Exit::Budget,
        _ => Exit::Done,
    })
}
