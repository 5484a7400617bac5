//! A command that is given several models.

use super::Exit;
use crate::args::Given;
use crate::input;
use crate::problem::Problem;
use crate::terminal::{self, print, print_problem, print_text};
use appell::show;
use std::path::PathBuf;

/// Takes the answer of one model, text or JSON.
pub type Answer<'a> = dyn FnMut(&str) -> Result<(), Problem> + 'a;

/// Asks each model; the greatest exit code counts, and a wrong model takes nothing away from the others. One by
/// itself answers as ever.
pub fn each(
    given: &Given,
    more: &[PathBuf],
    json: bool,
    one: impl Fn(&Given, &mut Answer<'_>) -> Result<Exit, Problem>,
) -> Result<Exit, Problem> {
    if more.is_empty() {
        return one(given, &mut |text| terminal::answer(json, text));
    }
    let models: Vec<&PathBuf> = [&given.model].into_iter().chain(more).collect();
    if models.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Problem::new("only one model comes from standard input"));
    }
    let mut answers = Vec::new();
    let (mut gravest, mut stopped) = (Exit::Done, None);
    for (index, model) in models.iter().copied().enumerate() {
        let name = input::name(model);
        let given = Given {
            model: model.clone(),
            ..given.clone()
        };
        let mut take = |text: &str| {
            if json {
                answers.push((name.clone(), Ok(text.to_owned())));
                return Ok(());
            }
            let gap = if index > 0 { "\n" } else { "" };
            print_text(&format!("{gap}{}:\n{text}", show::plain(&name)))
        };
        match one(&given, &mut take) {
            Ok(exit) => gravest = gravest.max(exit),
            Err(problem @ Problem::Stopped(_)) => {
                // Of those that are not reached it is said why.
                let unreached = models[index..].iter().map(|model| input::name(model));
                let why = problem.list();
                answers.extend(unreached.map(|name| (name, Err(why.clone()))));
                stopped = Some((index, problem));
                break;
            }
            Err(problem) => {
                print_problem(&problem);
                answers.push((name, Err(problem.list())));
                gravest = gravest.max(Exit::Wrong);
            }
        }
    }
    let is_answered = !matches!(stopped, Some((0, _)));
    if json && is_answered {
        print(&show::several_json(&answers))?;
    }
    match stopped {
        // The object is there already.
        Some((index, problem)) if !json || index == 0 => Err(problem),
        _ => Ok(gravest),
    }
}
