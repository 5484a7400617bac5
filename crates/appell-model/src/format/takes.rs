//! What a key takes: in words for the reference, and for the schema.

use super::Section;
use crate::settings::Setting;

/// What a key takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Takes {
    /// The number 1.
    Version,
    /// Any string.
    Text,
    /// The name of something of the model.
    Name(&'static str),
    /// One word of a list.
    Word(&'static [&'static str]),
    /// Words of a list: as a list, or in one string with commas.
    Words(&'static [&'static str]),
    /// Words in general: as a list, or in one string with commas.
    Ids(&'static str),
    /// A word of a list, or a colour `#rrggbb`.
    Colour(&'static [&'static str]),
    /// A number, or a formula in a string.
    Scalar(&'static Setting),
    /// A vector in a string, or 0.
    Vector(&'static Setting),
    /// A scalar or a vector: a number, or a formula in a string.
    Expression(&'static Setting),
    /// The name of a point, or a vector in a string.
    Place(&'static Setting),
    /// A formula in a string, of this kind.
    Formula(&'static str, &'static Setting),
    /// A finite number above 0, written as a number.
    Positive,
    /// An integer from 1 to this.
    Count(u32),
    /// `true` or `false`.
    Flag,
    /// A list, of so many elements if that is fixed.
    List(&'static Takes, Option<usize>),
    /// One, or a list.
    OneOrMore(&'static Takes),
    /// A table.
    Table(&'static Section),
    /// A table whose keys are names of the model.
    Named(&'static Takes, Naming),
    /// One of several.
    Either(&'static [Takes]),
}

/// Whose names the keys of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// They are declared: names of formulas, none of the reserved ones.
    Declared,
    /// Any words.
    Free,
    /// Coordinates.
    Coordinates,
}

impl Takes {
    /// In words.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Version => "the number 1".into(),
            Self::Text => "text".into(),
            Self::Name(what) => format!("name of {what}"),
            Self::Word(words) => alternatives(words),
            Self::Words(words) => format!("list of words: {}", quoted(words).join(", ")),
            Self::Ids(what) => format!("list of {what}"),
            Self::Colour(words) => format!("{} or `\"#rrggbb\"`", quoted(words).join(", ")),
            Self::Scalar(_) => "number or scalar expression".into(),
            Self::Vector(_) => "vector expression".into(),
            Self::Expression(_) => "number, scalar or vector expression".into(),
            Self::Place(_) => "name of a point, or vector expression".into(),
            Self::Formula(kind, _) => (*kind).into(),
            Self::Positive => "number above 0".into(),
            Self::Count(most) => format!("integer from 1 to {most}"),
            Self::Flag => "`true` or `false`".into(),
            Self::List(of, None) => format!("list, each: {}", of.words()),
            Self::List(of, Some(count)) => format!("list of {count}, each: {}", of.words()),
            Self::OneOrMore(of) => format!("{}, or a list of such", of.words()),
            Self::Table(section) => format!("table {}", section.written),
            Self::Named(of, _) => format!("table of names, each: {}", of.words()),
            Self::Either(ways) => {
                let ways: Vec<String> = ways.iter().map(Self::words).collect();
                ways.join("; or ")
            }
        }
    }

    /// What its formulas may contain.
    pub(crate) fn admits(&self) -> Option<&'static str> {
        match self {
            Self::Scalar(setting)
            | Self::Vector(setting)
            | Self::Expression(setting)
            | Self::Place(setting)
            | Self::Formula(_, setting) => {
                Some(setting.admitted()).filter(|words| *words != "everything")
            }
            Self::List(of, _) | Self::OneOrMore(of) | Self::Named(of, _) => of.admits(),
            Self::Either(ways) => ways.iter().find_map(Self::admits),
            _ => None,
        }
    }

    /// The section of what stands within.
    pub(crate) fn section(&self) -> Option<&'static Section> {
        match self {
            Self::Table(section) => Some(section),
            Self::List(of, _) | Self::OneOrMore(of) | Self::Named(of, _) => of.section(),
            Self::Either(ways) => ways.iter().find_map(Self::section),
            _ => None,
        }
    }
}

fn quoted(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("`\"{word}\"`")).collect()
}

fn alternatives(words: &[&str]) -> String {
    let words = quoted(words);
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}
