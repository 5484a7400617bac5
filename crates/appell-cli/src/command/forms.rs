//! `appell run --form kane,maggi`: a motion by each of several forms.

use super::Exit;
use super::run::{exit, run_options};
use crate::args;
use crate::input;
use crate::problem::Problem;
use crate::terminal::{print, print_problem, sum_up, with_progress};
use appell::limits::stopped;
use appell::show::{self, FormRun};
use appell::{Formalism, Override, RunOptions};

/// Computes the motions one after the other; a form that does not apply is no failure.
pub fn forms(
    args: &args::Run,
    overrides: &[Override],
    forms: &[&'static Formalism],
) -> Result<Exit, Problem> {
    if !args.output.is_empty() || args.svg_dir.is_some() {
        let message = "of several forms nothing is written to files: the motion is the same";
        return Err(Problem::new(message).note("give one form with -o and --svg-dir"));
    }
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared_with(&model, &args.given, overrides)?;
    sum_up(&format!("{}\n", show::plain(&model.title)), args.json)?;
    let mut motions: Vec<(&'static str, FormRun)> = Vec::new();
    let mut gravest = Exit::Done;
    for form in forms {
        if let Err(why) = appell::derive(&prepared, form) {
            motions.push((form.id, FormRun::Unavailable(why.to_string())));
            continue;
        }
        let options = RunOptions {
            form: Some(form),
            ..run_options(args)
        };
        let run = with_progress(|control| appell::run(&prepared, &options, control));
        let run = match run {
            Err(why) if motions.is_empty() => return Err(Problem::Stopped(why)),
            Err(_) => break,
            Ok(run) => run.map_err(|error| Problem::of(&model, error)),
        };
        motions.push((
            form.id,
            match run {
                Ok(run) => {
                    gravest = gravest.max(exit(&run));
                    FormRun::Motion(Box::new(run))
                }
                Err(problem) => {
                    print_problem(&problem);
                    gravest = gravest.max(Exit::Wrong);
                    FormRun::Wrong(problem.failure())
                }
            },
        ));
        if stopped().is_some() {
            break;
        }
    }
    sum_up(&show::forms_text(&prepared, &motions), args.json)?;
    if args.json {
        print(&show::forms_json(&motions))?;
    }
    Ok(gravest)
}
