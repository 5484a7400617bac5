//! All pages as Markdown for the generator: those of `docs/` with their formulas as MathML, those that are made, and the
//! list of contents.

use crate::{gallery, reference};
use appell_report::mathml::{display, inline};
use std::fs;
use std::path::Path;

/// Writes the pages under a folder, in which those of the commands lie already.
pub fn write(folder: &Path) -> Result<(), String> {
    copy(&reference::place(""), folder)?;
    let (list, models) = gallery::pages()?;
    let folder_of_models = folder.join("gallery");
    fs::create_dir_all(&folder_of_models).map_err(|error| said(&folder_of_models, &error))?;
    save(&folder.join("gallery.md"), &list)?;
    for (name, text) in &models {
        save(&folder_of_models.join(format!("{name}.md")), text)?;
    }
    let commands = commands(folder)?;
    let summary = folder.join("SUMMARY.md");
    save(&summary, &contents(&read(&summary)?, &models, &commands))
}

fn said(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| said(path, &error))
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| said(path, &error))
}

/// The pages of a folder and of those in it.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(|error| said(to, &error))?;
    let entries = fs::read_dir(from).map_err(|error| said(from, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| said(from, &error))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else if is_shown(&path) {
            save(&target, &read(&path)?)?;
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let text = prepared(&read(&path)?).map_err(|why| said(&path, &why))?;
            save(&target, &text)?;
        }
    }
    Ok(())
}

/// Pictures, and the designs and commands that made them.
fn is_shown(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("svg" | "toml" | "sh"))
}

/// A page for the generator: formulas become MathML, names of files stand above their fences.
fn prepared(page: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut in_fence = false;
    for line in page.lines() {
        let mark = line.strip_prefix("```");
        match mark {
            Some(info) if !in_fence => text += &fence(info),
            Some(_) => text += "```\n",
            None if in_fence => text += &format!("{line}\n"),
            None => text += &format!("{}\n", formulas(line)?),
        }
        in_fence ^= mark.is_some();
    }
    Ok(text)
}

/// The first line of a fence, with what it means above it.
fn fence(info: &str) -> String {
    let words: Vec<&str> = info.split_whitespace().collect();
    match words[..] {
        ["toml", name] => {
            format!("<p class=\"file\">{name}</p>\n\n```toml\n")
        }
        ["sh", ..] => "```sh\n".to_owned(),
        ["output"] => "```text\n".to_owned(),
        _ => format!("```{info}\n"),
    }
}

/// A line with what stands between dollars as MathML; code in backticks is left.
fn formulas(line: &str) -> Result<String, String> {
    if let Some(latex) = line
        .strip_prefix("$$")
        .and_then(|rest| rest.strip_suffix("$$"))
    {
        let markup = known(latex, display(latex))?;
        return Ok(format!("<div class=\"equations\">{markup}</div>"));
    }
    let mut text = String::new();
    for (index, piece) in line.split('`').enumerate() {
        if index > 0 {
            text.push('`');
        }
        if index % 2 == 1 {
            text += piece;
            continue;
        }
        for (index, part) in piece.split('$').enumerate() {
            text += &match index % 2 {
                1 => known(part, inline(part))?,
                _ => part.to_owned(),
            };
        }
    }
    Ok(text)
}

/// The markup, unless a command was not understood: that is shown as its name.
fn known(latex: &str, markup: String) -> Result<String, String> {
    let functions = ["sin", "cos", "exp", "log", "dim", "det", "min", "max"];
    for command in latex.split('\\').skip(1) {
        let end = command.find(|c: char| !c.is_ascii_alphabetic());
        let name = &command[..end.unwrap_or(command.len())];
        if name.len() > 1
            && !functions.contains(&name)
            && markup.contains(&format!("<mi>{name}</mi>"))
        {
            return Err(format!("`\\{name}` in `{latex}` is not known"));
        }
    }
    Ok(within_markdown(&markup))
}

/// MathML in a line of Markdown: on one line, without the LaTeX, and without signs that Markdown would read.
fn within_markdown(markup: &str) -> String {
    let bare = match (markup.find("<annotation"), markup.find("</semantics>")) {
        (Some(from), Some(to)) => markup[..from].to_owned() + &markup[to..],
        _ => markup.to_owned(),
    };
    let bare = bare
        .replace("<semantics>", "")
        .replace("</semantics>", "")
        .replace('\n', " ");
    let mut safe = String::new();
    for c in bare.chars() {
        match c {
            '*' | '_' | '[' | ']' | '\\' | '`' | '|' | '~' => safe += &format!("&#{};", c as u32),
            c => safe.push(c),
        }
    }
    safe
}

/// The pages of the commands that were written, with a list of them.
fn commands(folder: &Path) -> Result<Vec<String>, String> {
    let place = folder.join("commands");
    let entries = fs::read_dir(&place).map_err(|error| said(&place, &error))?;
    let names =
        entries.filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| name != "appell").collect();
    names.sort();
    let tool = read(&place.join("appell.md"))?;
    let links = names
        .iter()
        .map(|name| format!("- [{}](commands/{name}.md)\n", name.replacen('-', " ", 1)));
    let text = format!("{tool}\n## Commands\n\n{}", links.collect::<String>());
    save(
        &folder.join("commands.md"),
        &text.replacen("# appell", "# Commands", 1),
    )?;
    fs::remove_file(place.join("appell.md")).map_err(|error| said(&place, &error))?;
    Ok(names)
}

/// The list of contents with the models and the commands.
fn contents(summary: &str, models: &[(String, String)], commands: &[String]) -> String {
    let mut text = String::new();
    for line in summary.lines() {
        text += &format!("{line}\n");
        if line.ends_with("(gallery.md)") {
            text.extend(models.iter().map(|(name, page)| {
                let title = page
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .trim_start_matches("# ");
                format!("  - [{title}](gallery/{name}.md)\n")
            }));
        }
        if line.ends_with("(commands.md)") {
            let link = |name: &String| {
                format!("  - [{}](commands/{name}.md)\n", name.replacen('-', " ", 1))
            };
            text.extend(commands.iter().map(link));
        }
    }
    text
}
