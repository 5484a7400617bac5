//! What was meant by words of the command line that other tools would understand.

use appell::{FORMALISMS, LANGUAGES};
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// What to write instead; none where clap has said all.
pub fn of(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => of_command(text(ContextKind::InvalidSubcommand)?),
        ErrorKind::UnknownArgument => of_option(text(ContextKind::InvalidArg)?),
        ErrorKind::InvalidValue => {
            let option = text(ContextKind::InvalidArg)?;
            of_form(option, text(ContextKind::InvalidValue)?)
        }
        _ => None,
    }
}

/// A model where a command should be.
fn of_command(word: &str) -> Option<String> {
    let is_model = word.ends_with(".toml") || word == "-";
    is_model.then(|| format!("did you mean `appell run {word}`, or `appell check {word}`?"))
}

/// `--latex` for `--to latex`.
fn of_option(option: &str) -> Option<String> {
    let name = option.strip_prefix("--")?;
    let languages = LANGUAGES.iter().map(|language| language.id);
    let mut notations = ["text", "latex", "mathml", "json"]
        .into_iter()
        .chain(languages);
    let known = notations.any(|notation| notation == name);
    known.then(|| format!("equations are written so by `appell derive MODEL --to {name}`"))
}

/// Other names of forms.
fn of_form(option: &str, value: &str) -> Option<String> {
    if !option.starts_with("--form") {
        return None;
    }
    let value = value.to_lowercase();
    let id = match value.as_str() {
        "lagrange" | "euler-lagrange" | "lagrangian" | "newton" | "newton-euler" | "dae" => {
            "multipliers"
        }
        "appell" | "gibbs" => "gibbs-appell",
        "hamiltonian" => "hamilton",
        "udwadia" | "kalaba" => "udwadia-kalaba",
        "boltzmann" | "hamel" => "boltzmann-hamel",
        "voronets" => "voronec",
        "chaplygin-voronec" => "chaplygin",
        _ => return None,
    };
    let form = FORMALISMS.iter().find(|form| form.id == id)?;
    Some(format!("did you mean `{id}`: {}?", form.title))
}
