//! A page for each model of the gallery.

use appell::gallery::{self, Entry};
use appell::{Formalism, Model, Prepared, check, show};
use std::fmt::Write;

/// The list of models, and a page for each with its name.
pub fn pages() -> Result<(String, Vec<(String, String)>), String> {
    let mut list = String::from(
        "# Models\n\nEach has its equations, its text and a page with its motion that needs no network. `appell new NAME > NAME.toml` writes the text.\n\n",
    );
    let mut pages = Vec::new();
    for entry in gallery::entries() {
        let about = entry.about().unwrap_or_default().split_whitespace();
        let about = about.collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            list,
            "- [{}](gallery/{}.md). {}",
            escaped(entry.title()),
            entry.name,
            escaped(&about)
        );
        pages.push((entry.name.to_owned(), page(entry)?));
    }
    Ok((list, pages))
}

fn page(entry: &Entry) -> Result<String, String> {
    let file = format!("{}.toml", entry.name);
    let read = appell::read(&file, entry.text);
    let (model, _) = read.map_err(|_| format!("{file} cannot be read"))?;
    let prepared = Prepared::new(&model, &[], &[]).map_err(|error| format!("{file}: {error}"))?;
    let mut text = format!("# {}\n\n", escaped(entry.title()));
    if let Some(about) = entry.about() {
        let _ = writeln!(text, "{}\n", escaped(about));
    }
    if let Some(origin) = &model.origin {
        let _ = writeln!(text, "*{}*\n", escaped(origin));
    }
    let name = entry.name;
    let _ = writeln!(
        text,
        "<p><a class=\"player\" href=\"../../gallery/{name}.html\">Its motion, with forces, plots, all forms and proofs</a> · \
         <a class=\"player\" href=\"../../lab.html#gallery/{name}\">Change it in the lab</a></p>\n"
    );
    let _ = writeln!(text, "## Constraints\n\n{}", constraints(&model, &prepared));
    text += &equations(&prepared);
    text += &claims(&model);
    let _ = writeln!(
        text,
        "## The model\n\n`appell new {name} > {file}`\n\n```toml\n{}```",
        entry.text
    );
    Ok(text)
}

/// The rows in words.
fn constraints(model: &Model, prepared: &Prepared<'_>) -> String {
    let (check, _) = check(prepared, None);
    let mut text = format!(
        "{} coordinates, {} freedoms.\n\n",
        check.coordinates, check.dof
    );
    for class in &check.constraints {
        let constraint = model
            .constraints
            .iter()
            .find(|constraint| constraint.name == class.name);
        let written = constraint.map_or("", |c| c.text.as_str());
        let _ = writeln!(
            text,
            "- **{}**: `{written}`; {}",
            class.name,
            class.words.join(", ")
        );
    }
    text
}

/// Formulas that are longer are left to the page of the motion.
const LONGEST: usize = 60_000;
/// The forms of which the first that applies and is short enough is shown.
const SHOWN: [&str; 2] = ["gibbs-appell", "multipliers"];

/// The equations as MathML.
fn equations(prepared: &Prepared<'_>) -> String {
    let forms = SHOWN.iter().filter_map(|id| Formalism::find(id));
    let written = |form: &'static Formalism| show::derivation_mathml(prepared, form, false).ok();
    let mut short = forms
        .filter_map(written)
        .filter(|markup| markup.len() < LONGEST);
    short.next().map_or(String::new(), |markup| {
        format!(
            "## Equations\n\n<div class=\"equations\">\n{}\n</div>\n\n",
            markup.replace('\n', " ")
        )
    })
}

/// What the file claims.
fn claims(model: &Model) -> String {
    let mut text = String::from("## Claims\n\n");
    let mut any = false;
    for claim in &model.claims {
        let refuted = if claim.refuted { " (refuted)" } else { "" };
        let notes = [claim.about.as_deref(), claim.cite.as_deref()];
        let notes: Vec<&str> = notes.into_iter().flatten().collect();
        let _ = writeln!(
            text,
            "- **{}**{refuted} {}",
            claim.name,
            escaped(&notes.join("; "))
        );
        any = true;
    }
    if any { text + "\n" } else { String::new() }
}

/// Words as they are: Markdown reads nothing into them.
fn escaped(words: &str) -> String {
    let mut text = String::new();
    for c in words.chars() {
        if "*_[]<>`|~$\\".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}
