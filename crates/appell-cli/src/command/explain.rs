//! `appell explain`: the page of a code.

use super::Exit;
use crate::args::Explain;
use crate::problem::Problem;
use crate::terminal::print;
use appell::{CODES, Code};

/// Prints the page of a code, or the list of codes.
pub fn explain(args: &Explain) -> Result<Exit, Problem> {
    match &args.code {
        Some(id) => {
            let code = Code::from_id(id.trim()).ok_or_else(|| unknown(id))?;
            print(&format!("{}\n", code.explanation().trim_end()))?;
        }
        None => print(&list(CODES.iter().copied()))?,
    }
    Ok(Exit::Done)
}

fn list(codes: impl Iterator<Item = Code>) -> String {
    codes
        .map(|code| format!("{}  {}\n", code.id(), code.title()))
        .collect()
}

/// Shows the codes of the same hundred, if there are any.
fn unknown(id: &str) -> Problem {
    let family: String = id.trim().to_uppercase().chars().take(3).collect();
    let is_near = |code: &&Code| family.len() == 3 && code.id().starts_with(&family);
    let near: Vec<String> = CODES
        .iter()
        .filter(is_near)
        .map(|code| format!("{}  {}", code.id(), code.title()))
        .collect();
    let problem = Problem::new(format!("there is no code `{id}`"));
    if near.is_empty() {
        return problem.note("`appell explain` lists all codes");
    }
    near.into_iter().fold(problem, Problem::note)
}
