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
    codes.map(|code| format!("{}  {}\n", code.id(), code.title())).collect()
}

/// The codes of the same hundred, if there are any.
fn unknown(id: &str) -> Problem {
    let family: String = id.trim().to_uppercase().chars().take(3).collect();
    let near: Vec<Code> = CODES.iter().copied().filter(|code| code.id().starts_with(&family)).collect();
    let message = format!("there is no code `{id}`");
    if near.is_empty() || family.len() < 3 {
        return Problem::with_hint(message, "`appell explain` lists all codes");
    }
    let near: Vec<String> = near.iter().map(|code| format!("{} ({})", code.id(), code.title())).collect();
    Problem::with_hint(message, format!("near it: {}", near.join(", ")))
}
