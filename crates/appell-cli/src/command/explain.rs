//! `appell explain`: a code, a section or key of the format, a formalism, a method, or a word that answers use.

use super::Exit;
use crate::args::Explain;
use crate::problem::Problem;
use crate::terminal::print;
use appell::format::{Key, LANGUAGE, Presence, SECTIONS, Section};
use appell::glossary::{self, Word};
use appell::{CODES, Code, FORMALISMS, Formalism, METHODS};

/// Prints what is asked for, or all that can be.
pub fn explain(args: &Explain) -> Result<Exit, Problem> {
    let text = match &args.topic {
        Some(topic) => about(topic.trim()).ok_or_else(|| unknown(topic.trim()))?,
        None => list(),
    };
    print(&text)?;
    Ok(Exit::Done)
}

/// Everything that bears this name: a code, or sections, keys and words of one name, one after the other.
fn about(topic: &str) -> Option<String> {
    if let Some(code) = Code::from_id(topic) {
        return Some(format!("{}\n", code.explanation().trim_end()));
    }
    if matches!(topic, "formulas" | "formula") {
        return Some(LANGUAGE.to_owned());
    }
    let bare = topic.trim_matches(['[', ']']);
    let sections = SECTIONS.iter().filter(|section| section.name == bare);
    let mut texts: Vec<String> = sections.map(|section| of_section(section)).collect();
    texts.extend(keys(bare).map(|(section, key)| of_key(section, key)));
    let id = bare.to_lowercase();
    let forms = FORMALISMS.iter().filter(|form| form.id == id);
    texts.extend(forms.map(|form| of_form(form)));
    texts.extend(of_method(&id));
    texts.extend(glossary::word(bare).map(of_word));
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The keys of this name that are not explained as a section; `loads.against` is that of one section.
fn keys(name: &str) -> impl Iterator<Item = (&'static Section, &'static Key)> {
    let (owner, name) = match name.split_once('.') {
        Some((owner, name)) => (Some(owner.to_owned()), name.to_owned()),
        None => (None, name.to_owned()),
    };
    let sections = SECTIONS.iter().copied();
    let asked = sections.filter(move |s| owner.as_ref().is_none_or(|owner| owner == s.name));
    asked.filter_map(move |section| {
        let key = section.key(&name)?;
        let elsewhere = key.section().is_some_and(|other| other.name == name);
        (!elsewhere).then_some((section, key))
    })
}

fn of_section(section: &Section) -> String {
    let mut text = format!("# {}\n\n{}\n", section.written, section.about);
    for key in section.keys {
        text += &format!("\n{}\n", of_row(key));
    }
    if !section.one_of.is_empty() {
        text += &format!("\nOne of these is needed: {}.\n", section.one_of.join(", "));
    }
    text += &format!("\n```toml\n{}```\n", section.example);
    if !section.errors.is_empty() {
        text += "\nErrors:\n";
        for code in section.errors {
            text += &format!("  {}  {}\n", code.id(), code.title());
        }
    }
    text
}

/// A key with what it takes, its default and what it is for.
fn of_row(key: &Key) -> String {
    let left_out = match key.presence {
        Presence::Required => "required".to_owned(),
        Presence::Default(default) => format!("default: {default}"),
    };
    let admits = key.admits();
    let admits = admits.map(|what| format!("\n    may contain {what}"));
    format!(
        "{}: {}; {left_out}\n    {}{}",
        key.name,
        key.takes(),
        key.about,
        admits.unwrap_or_default()
    )
}

fn of_key(section: &Section, key: &Key) -> String {
    format!(
        "# `{}` in {}\n\n{}\n",
        key.name,
        section.written,
        of_row(key)
    )
}

fn of_word(word: Word) -> String {
    format!("# {}\n\n{}\n", word.name, word.text)
}

/// A formalism with its equations and where they are printed.
fn of_form(form: &Formalism) -> String {
    format!(
        "# {}\n\n{}:\n\n    {}\n\n{}. `appell derive MODEL --form {}` writes them for a model.\n",
        form.id,
        form.title,
        form.statement,
        form.sources.join(", "),
        form.id
    )
}

/// A method of integration, if one has this name.
fn of_method(id: &str) -> Option<String> {
    let method = METHODS.iter().find(|method| method.id == id)?;
    let order = method
        .order
        .map_or_else(String::new, |order| format!(", of order {order}"));
    let (title, source) = (method.title, method.source);
    Some(format!(
        "# {id}\n\n{title}{order}, [{source}]. `appell run MODEL --method {id}` integrates by it.\n"
    ))
}

/// Codes, sections and words.
fn list() -> String {
    let codes = CODES.iter();
    let codes: String = codes
        .map(|code| format!("  {}  {}\n", code.id(), code.title()))
        .collect();
    let sections: Vec<&str> = SECTIONS.iter().map(|section| section.name).collect();
    let words: Vec<&str> = glossary::words().map(|word| word.name).collect();
    let forms: Vec<&str> = FORMALISMS.iter().map(|form| form.id).collect();
    let methods: Vec<&str> = METHODS.iter().map(|method| method.id).collect();
    format!(
        "Errors and warnings\n{codes}\nThe language of formulas\n  formulas\n\nSections of a model, and their keys as `loads.against`\n{}\nFormalisms\n{}\nMethods of integration\n{}\nWords of answers\n{}",
        wrapped(&sections),
        wrapped(&forms),
        wrapped(&methods),
        wrapped(&words)
    )
}

/// Names with commas between them, in lines that fit.
fn wrapped(names: &[&str]) -> String {
    const WIDTH: usize = 78;
    let mut lines = vec![String::from(" ")];
    for (index, name) in names.iter().enumerate() {
        let comma = if index + 1 < names.len() { "," } else { "" };
        let last = lines.len() - 1;
        if lines[last].len() + name.len() + 2 > WIDTH {
            lines.push(String::from(" "));
        }
        let last = lines.len() - 1;
        lines[last] += &format!(" {name}{comma}");
    }
    lines.join("\n") + "\n"
}

/// Shows the codes of the same hundred, or the nearest word.
fn unknown(topic: &str) -> Problem {
    let family: String = topic.to_uppercase().chars().take(3).collect();
    let is_near = |code: &&Code| family.len() == 3 && code.id().starts_with(&family);
    let near = CODES.iter().filter(is_near);
    let mut near: Vec<String> = near
        .map(|code| format!("{}  {}", code.id(), code.title()))
        .collect();
    let problem = Problem::new(if near.is_empty() {
        format!("nothing is called `{topic}`")
    } else {
        format!("there is no code `{topic}`")
    });
    if near.is_empty() {
        let sections = SECTIONS.iter().flat_map(|s| {
            [s.name]
                .into_iter()
                .chain(s.keys.iter().map(|key| key.name))
        });
        let known = sections.chain(glossary::words().map(|word| word.name));
        let known = known.chain(FORMALISMS.iter().map(|form| form.id));
        near.extend(
            appell::nearest_word(topic, known).map(|word| format!("did you mean `{word}`?")),
        );
        near.push("`appell explain` lists what is explained".to_owned());
    }
    near.into_iter().fold(problem, Problem::note)
}
