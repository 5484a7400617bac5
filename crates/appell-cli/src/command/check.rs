//! `appell check`: what the model is.

use super::Exit;
use super::several::{Answer, each};
use crate::args::{Check, Given};
use crate::input;
use crate::output;
use crate::problem::Problem;
use crate::terminal::{print_problem, remark, tell};
use appell::limits::{attempt, regardless};
use appell::{Prepared, Simplified, show};
use std::path::Path;

/// Prints the check of each model.
pub fn check(args: &Check) -> Result<Exit, Problem> {
    each(&args.given, &args.more, args.json, |given, answer| {
        one(args, given, answer)
    })
}

/// A start that cannot be used is shown beside the check.
fn one(args: &Check, given: &Given, answer: &mut Answer<'_>) -> Result<Exit, Problem> {
    let path = args.states.as_deref();
    path.map_or(Ok(()), |states| input::apart(&given.model, states))?;
    if args.json
        && args
            .simplify
            .as_deref()
            .is_some_and(|path| path == Path::new("-"))
    {
        return Err(Problem::new(
            "`--simplify -` and `--json` both write to the standard output: give the simpler model a file",
        ));
    }
    let model = input::model(&given.model)?;
    let prepared = input::prepared(&model, given, Some(&args.parameters))?;
    let states = path
        .map(|path| input::states(path, &prepared))
        .transpose()?;
    let simplified = args
        .simplify
        .as_deref()
        .map(|path| simpler(path, args, &prepared))
        .transpose()?;
    let checked = attempt(|| appell::check(&prepared, states.as_deref()));
    let (mut check, problem) = checked.map_err(Problem::Stopped)?;
    check.simplified = simplified.map(|simplified| simplified.replaced);
    if args.equilibria {
        match attempt(|| appell::equilibria(&prepared, &args.ranges)) {
            Ok(found) => {
                check.equilibria = Some(found.map_err(|error| Problem::of(&model, error))?);
            }
            Err(why) => drop(check.why.insert("equilibria", why.to_string())),
        }
    }
    let problem = problem.map(|problem| Problem::of(&model, problem));
    // What was found within the budget is said.
    answer(&regardless(|| match args.json {
        true => show::json_with_error(&check, problem.as_ref().map(Problem::list)),
        false => show::check_text(&prepared, &check),
    }))?;
    let useless = check.initial.as_ref().map(|initial| &initial.judgement);
    let useless = useless.filter(|judgement| !judgement.has_motion());
    match problem {
        None => match useless {
            None => Ok(Exit::Done),
            Some(judgement) => {
                let why = judgement.why.as_deref().unwrap_or_default();
                tell(&format!(
                    "the initial state determines no motion: {}\n",
                    show::plain(why)
                ));
                Ok(Exit::Wrong)
            }
        },
        Some(problem) => {
            print_problem(&problem);
            Ok(Exit::Wrong)
        }
    }
}

/// Writes the simpler model; where nothing is contrived, nothing is written.
fn simpler(path: &Path, args: &Check, prepared: &Prepared<'_>) -> Result<Simplified, Problem> {
    output::writable(path, &args.given.model)?;
    let simplified = attempt(|| appell::simplify(prepared)).map_err(Problem::Stopped)?;
    let simplified = simplified.map_err(|error| Problem::of(prepared.model, error))?;
    if simplified.replaced.is_empty() {
        remark(&format!(
            "nothing is contrived: `{}` is not written\n",
            path.display()
        ));
    } else {
        output::write_text(path, &simplified.text)?;
        remark(&format!("the simpler model is in `{}`\n", path.display()));
    }
    Ok(simplified)
}
