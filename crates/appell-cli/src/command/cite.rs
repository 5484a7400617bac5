//! `appell cite`: what a run rests on.

use super::Exit;
use crate::args::Cite;
use crate::input;
use crate::problem::Problem;
use crate::terminal::print;
use appell::limits::attempt;

/// Prints BibTeX entries.
pub fn cite(args: &Cite) -> Result<Exit, Problem> {
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared(&model, &args.given, None)?;
    let cited = attempt(|| appell::cite(&prepared, args.form, args.method.as_deref()));
    let cited = cited
        .map_err(Problem::Stopped)?
        .map_err(|error| Problem::of(&model, error))?;
    print(&cited.bibtex())?;
    Ok(Exit::Done)
}
