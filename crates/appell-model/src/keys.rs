//! The keys of every table, from the rows of [`crate::format`], and the words that some of them take.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Kind, Node, Table};
use crate::elsewhere;
use crate::entries::limited;
pub(crate) use crate::format::words::{CLASSES, COLOURS, PLANES, SHAPES};
use crate::format::{self, names_of};
use crate::suggest::{alternatives, did_you_mean, nearest};
use crate::text::Text;

/// Keys of the whole model, in the order in which files have them.
pub const MODEL: &[&str] = names_of!(format::MODEL);
pub(crate) const PARAMETER: &[&str] = names_of!(format::PARAMETER);
pub(crate) const INPUT: &[&str] = names_of!(format::INPUT);
pub(crate) const PARTICLE: &[&str] = names_of!(format::PARTICLE);
pub(crate) const FRAME: &[&str] = names_of!(format::FRAME);
pub(crate) const BODY: &[&str] = names_of!(format::BODY);
pub(crate) const INERTIA: &[&str] = names_of!(format::INERTIA);
pub(crate) const LOAD: &[&str] = names_of!(format::LOAD);
/// Keys of `[energy]`.
pub const ENERGY: &[&str] = names_of!(format::ENERGY);
pub(crate) const CONSTRAINT: &[&str] = names_of!(format::CONSTRAINT);
pub(crate) const REACTION: &[&str] = names_of!(format::REACTION);
pub(crate) const MOTION: &[&str] = names_of!(format::MOTION);
pub(crate) const INITIAL: &[&str] = names_of!(format::INITIAL);
pub(crate) const SIMULATE: &[&str] = names_of!(format::SIMULATE);
/// What a claim may claim.
pub(crate) const CLAIM_KINDS: &[&str] = format::CLAIM.one_of;
pub(crate) const CLAIM: &[&str] = names_of!(format::CLAIM);
pub(crate) const PLOT: &[&str] = names_of!(format::PLOT);
pub(crate) const ANIMATION: &[&str] = names_of!(format::ANIMATION);
pub(crate) const SHAPE: &[&str] = names_of!(format::SHAPE);

impl Table {
    /// Reports every key that is not among `known`; `owner` names the table in messages.
    pub(crate) fn check_keys(&self, owner: &str, known: &[&str], report: &mut Report) {
        for entry in self
            .entries
            .iter()
            .filter(|entry| !known.contains(&entry.key.as_str()))
        {
            report.push(unknown_key(entry, owner, known));
        }
    }
}

/// A key that is meant by another word.
enum Meant {
    /// It is called so elsewhere.
    Elsewhere(&'static str),
    /// It is mistyped.
    Near(String),
}

fn meant(key: &str, known: &[&str]) -> Option<Meant> {
    let elsewhere = elsewhere::key(key, known).map(Meant::Elsewhere);
    let near = || nearest(key, known.iter().copied()).map(|near| Meant::Near(near.to_owned()));
    elsewhere.or_else(near)
}

/// Whether an unknown key of a table stands for one of these: what is missing then is no news.
pub(crate) fn stands_for(table: &Table, known: &[&str], wanted: &[&str]) -> bool {
    let unknown = |entry: &&Entry| !known.contains(&entry.key.as_str());
    let mut meant = table
        .entries
        .iter()
        .filter(unknown)
        .filter_map(|entry| meant(&entry.key, known));
    meant.any(|meant| match meant {
        Meant::Elsewhere(ours) => wanted.contains(&ours),
        Meant::Near(ours) => wanted.contains(&ours.as_str()),
    })
}

pub(crate) fn unknown_key(entry: &Entry, owner: &str, known: &[&str]) -> Diagnostic {
    let key = entry.key.as_str();
    let message = format!("unknown key `{key}` in {owner}");
    let label = match (meant(key, known), elsewhere::instead_of_key(key)) {
        (Some(Meant::Elsewhere(ours)), _) => format!("write `{ours}`"),
        (_, Some(instead)) => instead.to_owned(),
        (None, _) if MODEL.contains(&key) => {
            "this is a key of the whole model: write it above the first [table], or as a table of its own".into()
        }
        (Some(Meant::Near(ours)), _) => format!("did you mean `{ours}`?"),
        (None, _) => "there is no such key: use one of those below, or remove it".into(),
    };
    Diagnostic::new(Code::UnknownKey, message, entry.key_span, label)
        .note(format!("known: {}", known.join(", ")))
}

/// A claim that is a text, as the table that it should be.
fn claimed(text: &str) -> String {
    match text.split_once('=') {
        Some((left, right)) if right.trim().starts_with("const") => {
            format!("write `{{ constant = \"{}\" }}`", left.trim())
        }
        Some(_) => format!("write `{{ equation = \"{text}\" }}`"),
        None if text == "constant" || text == "conserved" => {
            "write `{ constant = \"T + V\" }`".into()
        }
        None => format!("write `{{ constant = \"{text}\" }}`"),
    }
}

impl Node {
    /// An error saying that this value has the wrong type.
    pub(crate) fn wrong_type(&self, key: &str, wanted: &str) -> Diagnostic {
        // What is described rather than named stands without quotes.
        let shown = if key.contains([' ', '[']) {
            key.to_owned()
        } else {
            format!("`{key}`")
        };
        let message = format!("{shown} must be {wanted}, not {}", self.kind.name());
        let label = self
            .remedy(key, wanted)
            .unwrap_or_else(|| format!("write {wanted}"));
        let diagnostic = Diagnostic::new(Code::WrongType, message, self.span, label);
        match self.kind {
            Kind::Date => diagnostic.note("dates and times have no use in a model"),
            _ => diagnostic,
        }
    }

    /// What to write for this value, where that is known.
    fn remedy(&self, key: &str, wanted: &str) -> Option<String> {
        let pair = |entry: &Entry| {
            let value = match &entry.value.kind {
                Kind::Number(number) => number.to_f64().to_string(),
                Kind::Text(text) => text.value.clone(),
                _ => "..".to_owned(),
            };
            format!("\"{} = {value}\"", entry.key)
        };
        Some(match (&self.kind, wanted) {
            (Kind::Text(text), "a list") if key == "coordinates" => {
                let names = text.value.split([',', ' ']).filter(|name| !name.is_empty());
                let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
                format!("write `[{}]`", names.join(", "))
            }
            (Kind::Text(text), "a list") if matches!(key, "state" | "stop" | "keep" | "equations") => {
                format!("write `[\"{}\"]`", text.value)
            }
            (Kind::Table(table), "a list") if key == "state" => {
                let pairs: Vec<String> = table.entries.iter().map(pair).collect();
                format!("write `[{}]`", pairs.join(", "))
            }
            (Kind::Table(_), "a list") if matches!(key, "loads" | "plots") => format!("write `[[{key}]]`"),
            (Kind::List(_), "a string") => "put it in a string: a vector is `\"[a, b, c]\"`".into(),
            (Kind::List(_), "a table") => match key.trim_matches(['[', ']']) {
                "bodies" => "write `[bodies.NAME]` for each body".into(),
                "forces" => "write `[forces]` with a line for each coordinate; forces at points and bodies are `[[loads]]`".into(),
                "particles" => "write `[particles]` with a line `NAME = { mass = .., position = \"..\" }` for each".into(),
                "constraints" | "points" | "define" | "parameters" => {
                    format!("write `[{key}]` with a line `NAME = ..` for each")
                }
                section @ ("energy" | "initial" | "simulate" | "motion") => format!("write `[{section}]`"),
                _ => return None,
            },
            (Kind::Text(text), "a table") if key.starts_with("claim ") => claimed(&text.value),
            _ => return None,
        })
    }

    /// The string, or an error.
    pub(crate) fn text(&self, key: &str, report: &mut Report) -> Option<&Text> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => report.refuse(self.wrong_type(key, "a string")),
        }
    }

    /// The elements, or an error.
    pub(crate) fn list(&self, key: &str, report: &mut Report) -> Option<&[Node]> {
        match &self.kind {
            Kind::List(nodes) => Some(limited(nodes, key, self.span, report)),
            _ => report.refuse(self.wrong_type(key, "a list")),
        }
    }

    /// The elements of a list, or the value itself as the only one.
    pub(crate) fn one_or_more(&self) -> &[Node] {
        match &self.kind {
            Kind::List(nodes) => nodes,
            _ => std::slice::from_ref(self),
        }
    }

    /// The strings of a list, or an error for each element that is none.
    pub(crate) fn texts(&self, key: &str, report: &mut Report) -> Option<Vec<&Text>> {
        let nodes = self.list(key, report)?;
        Some(
            nodes
                .iter()
                .filter_map(|node| node.text(&format!("an element of {key}"), report))
                .collect(),
        )
    }

    /// The table, with its keys checked, or an error.
    pub(crate) fn table(&self, owner: &str, known: &[&str], report: &mut Report) -> Option<&Table> {
        let table = self.any_table(owner, report)?;
        table.check_keys(owner, known, report);
        Some(table)
    }

    /// The table, whose keys are names, or an error.
    pub(crate) fn any_table(&self, owner: &str, report: &mut Report) -> Option<&Table> {
        match &self.kind {
            Kind::Table(table) => Some(table),
            _ => report.refuse(self.wrong_type(owner, "a table")),
        }
    }

    /// True or false, or an error.
    pub(crate) fn boolean(&self, key: &str, report: &mut Report) -> Option<bool> {
        match self.kind {
            Kind::Boolean(value) => Some(value),
            _ => report.refuse(self.wrong_type(key, "`true` or `false`")),
        }
    }

    /// A number above zero, or an error.
    pub(crate) fn positive(&self, key: &str, report: &mut Report) -> Option<f64> {
        let value = match &self.kind {
            Kind::Number(number) => number.to_f64(),
            Kind::NotFinite(_) => f64::INFINITY,
            _ => return report.refuse(self.wrong_type(key, "a number")),
        };
        if value > 0.0 && value.is_finite() {
            return Some(value);
        }
        let message = format!("`{key}` must be finite and above 0");
        report.reject(Code::BadValue, message, self.span, "for example 1e-9")
    }

    /// An integer of at least 1, or an error.
    pub(crate) fn count(&self, key: &str, most: i64, report: &mut Report) -> Option<usize> {
        let Kind::Number(number) = &self.kind else {
            return report.refuse(self.wrong_type(key, "an integer"));
        };
        let count = number.to_i64().filter(|n| (1..=most).contains(n));
        if let Some(count) = count.and_then(|n| usize::try_from(n).ok()) {
            return Some(count);
        }
        let message = format!("`{key}` must be an integer from 1 to {most}");
        report.reject(Code::BadValue, message, self.span, "for example 200")
    }

    /// One of the known words, or an error.
    pub(crate) fn word(
        &self,
        key: &str,
        known: &'static [&str],
        report: &mut Report,
    ) -> Option<&'static str> {
        let text = self.text(key, report)?;
        let found = known.iter().find(|word| **word == text.value).copied();
        if found.is_none() {
            report.push(unknown_word(&text.value, text.span, key, known));
        }
        found
    }
}

/// An error about a word that is not among the known ones.
pub(crate) fn unknown_word(
    word: &str,
    span: appell_expr::Span,
    key: &str,
    known: &[&str],
) -> Diagnostic {
    let message = format!("`{word}` is not a word of `{key}`");
    let otherwise = format!("write {}", alternatives(known));
    let label = did_you_mean(word, known.iter().copied(), &otherwise);
    let diagnostic = Diagnostic::new(Code::UnknownWord, message, span, &label);
    if label == otherwise {
        diagnostic
    } else {
        diagnostic.note(format!("known: {}", known.join(", ")))
    }
}

impl Table {
    /// The string under a key, if it is there.
    pub(crate) fn optional_text(&self, key: &str, report: &mut Report) -> Option<String> {
        let entry = self.get(key)?;
        entry.value.text(key, report).map(|text| text.value.clone())
    }

    /// The value under a key that must be there; `owner` and `place` say where it is missing.
    pub(crate) fn required(
        &self,
        key: &str,
        owner: &str,
        place: appell_expr::Span,
        report: &mut Report,
    ) -> Option<&Node> {
        match self.get(key) {
            Some(entry) => Some(&entry.value),
            // It is there under another name, which is said already.
            None if self
                .entries
                .iter()
                .any(|entry| elsewhere::key(&entry.key, &[key]).is_some()) =>
            {
                None
            }
            None => {
                let message = format!("{owner} has no `{key}`");
                report.reject(
                    Code::MissingKey,
                    message,
                    place,
                    match key {
                        "coordinates" => {
                            "add `coordinates = [\"x\", \"y\"]` with their names".to_owned()
                        }
                        _ => format!("add `{key} = ...`"),
                    },
                )
            }
        }
    }
}
