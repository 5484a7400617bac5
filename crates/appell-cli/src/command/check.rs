//! `appell check`: what the model is.

use super::Exit;
use crate::args::Check;
use crate::input;
use crate::problem::Problem;
use crate::terminal::{complain, print};
use appell::show;

/// Prints the check; a start that cannot be used is shown beside it.
pub fn check(args: &Check) -> Result<Exit, Problem> {
    let path = args.states.as_deref();
    path.map_or(Ok(()), |states| input::apart(&args.given.model, states))?;
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared(&model, &args.given, Some(&args.parameters))?;
    let states = path
        .map(|path| input::states(path, &prepared))
        .transpose()?;
    let (mut check, problem) = appell::check(&prepared, states.as_deref());
    if args.equilibria {
        let found = appell::equilibria(&prepared, &args.ranges);
        check.equilibria = Some(found.map_err(|error| Problem::of(&model, error))?);
    }
    print(&if args.json {
        show::json_line(&check)
    } else {
        show::check_text(&prepared, &check)
    })?;
    match problem {
        None => Ok(Exit::Done),
        Some(problem) => {
            complain(&Problem::of(&model, problem));
            Ok(Exit::Wrong)
        }
    }
}
