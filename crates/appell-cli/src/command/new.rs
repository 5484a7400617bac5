//! `appell new`: a model to begin with.

use super::Exit;
use crate::args::New;
use crate::problem::Problem;
use crate::terminal::print;
use appell::gallery::{self, Entry};

/// The model printed where none is named.
const STARTER: &str = "perpendicular";

const STARTER_HEAD: &str = "\
# A model to begin with. Save it as model.toml, then
#   appell check model.toml     says what it is
#   appell run model.toml       computes its motion
# A prime is the time derivative; a formula stands in \"double quotes\".
";

/// Prints a model of the gallery, or their list.
pub fn new(args: &New) -> Result<Exit, Problem> {
    match &args.name {
        _ if args.list => print(&list())?,
        Some(name) => print(find(name)?.text)?,
        None => print(&format!("{STARTER_HEAD}\n{}", find(STARTER)?.text))?,
    }
    Ok(Exit::Done)
}

fn find(name: &str) -> Result<&'static Entry, Problem> {
    // The name of the file is a fair way to ask for the model.
    let name = name.strip_suffix(".toml").unwrap_or(name);
    gallery::find(name).ok_or_else(|| {
        let near = appell::nearest_word(name, gallery::entries().iter().map(|entry| entry.name));
        let problem = Problem::new(format!("the gallery has no model `{name}`"));
        let problem = near.into_iter().fold(problem, |problem, near| {
            problem.note(format!("did you mean `{near}`?"))
        });
        problem.note("`appell new --list` shows all")
    })
}

fn list() -> String {
    gallery::entries().iter().map(line).collect()
}

/// A model with its title, and below them what it shows.
fn line(entry: &Entry) -> String {
    let about = entry.about().map(wrapped);
    format!(
        "{}: {}\n{}",
        entry.name,
        entry.title(),
        about.unwrap_or_default()
    )
}

/// Indented lines that fit on a terminal.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 80;
    let mut lines = vec![String::from("   ")];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if lines[last].chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(String::from("   "));
        }
        let last = lines.len() - 1;
        lines[last] += &format!(" {word}");
    }
    lines.join("\n") + "\n"
}
