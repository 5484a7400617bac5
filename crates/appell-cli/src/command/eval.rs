//! `appell eval`: everything at given states.

use super::Exit;
use crate::args::{Eval, FormOrAll};
use crate::input;
use crate::problem::Problem;
use crate::terminal::answer;
use appell::limits::attempt;
use appell::show;

/// Prints what every form gives at every state.
pub fn eval(args: &Eval) -> Result<Exit, Problem> {
    input::apart(&args.given.model, &args.states)?;
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared(&model, &args.given, Some(&args.parameters))?;
    let states = input::states(&args.states, &prepared)?;
    let forms = FormOrAll::meant(&args.form);
    let evaluation = attempt(|| appell::eval(&prepared, &states, &forms));
    let evaluation = evaluation.map_err(Problem::Stopped)?;
    answer(
        args.json,
        &if args.json {
            show::json_line(&evaluation)
        } else {
            show::eval_text(&prepared, &evaluation)
        },
    )?;
    Ok(if evaluation.any_evaluated() {
        Exit::Done
    } else {
        Exit::NumericalFailure
    })
}
