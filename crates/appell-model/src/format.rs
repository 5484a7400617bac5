//! The model format as a table: every key of every section, what it takes, its default and what it is for.
//!
//! The reader checks keys against these rows (`keys.rs`), the reference and `appell explain loads` print
//! them, and the schema for editors is made of them: none of the three can know a key that the others do not.

mod schema;
mod sections;
mod shown;
mod takes;
pub(crate) mod words;

pub use schema::schema;
pub use sections::SECTIONS;
pub(crate) use sections::*;
pub(crate) use shown::*;
pub(crate) use takes::Takes;

use crate::codes::Code;

/// The language of formulas, in Markdown.
pub const LANGUAGE: &str = include_str!("format/language.md");

/// Whether a key may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must be there.
    Required,
    /// It may be left out; what holds then, in words or as a value.
    Default(&'static str),
}

/// One key.
#[derive(Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    pub(crate) takes: Takes,
    /// Whether it may be left out.
    pub presence: Presence,
    /// What it is for, in Markdown.
    pub about: &'static str,
}

/// A row.
pub(crate) const fn key(
    name: &'static str,
    takes: Takes,
    presence: Presence,
    about: &'static str,
) -> Key {
    Key {
        name,
        takes,
        presence,
        about,
    }
}

impl Key {
    /// What it takes, in words: "vector expression", "list of equations".
    pub fn takes(&self) -> String {
        self.takes.words()
    }

    /// What may stand in its formulas besides numbers, where that is limited.
    pub fn admits(&self) -> Option<&'static str> {
        self.takes.admits()
    }

    /// The section of what stands under it.
    pub fn section(&self) -> Option<&'static Section> {
        self.takes.section()
    }
}

/// A table of the format.
#[derive(Debug)]
pub struct Section {
    /// The name under which it is explained, as `loads`.
    pub name: &'static str,
    /// As it stands in a file, as `[[loads]]`.
    pub written: &'static str,
    /// What it is for, in Markdown.
    pub about: &'static str,
    /// Its keys in the order in which files have them; none where the keys are names of the model.
    pub keys: &'static [Key],
    /// Keys of which at least one must be there.
    pub one_of: &'static [&'static str],
    /// What is wrong with it most often, besides unknown keys, missing keys and wrong types.
    pub errors: &'static [Code],
    /// Lines that show it, as they stand in a file.
    pub example: &'static str,
}

impl Section {
    /// The row of a key.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// The names of keys, for the reader.
pub(crate) const fn names<const N: usize>(keys: &[Key]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut i = 0;
    while i < N {
        names[i] = keys[i].name;
        i += 1;
    }
    names
}

/// The names of the keys of a section, as a constant.
macro_rules! names_of {
    ($section:expr) => {
        &$crate::format::names::<{ $section.keys.len() }>($section.keys)
    };
}
pub(crate) use names_of;

/// Errors of every section.
pub const ANY_SECTION: &[Code] = &[
    Code::UnknownKey,
    Code::MissingKey,
    Code::WrongType,
    Code::TooLarge,
    Code::NotFinite,
];

/// Errors of TOML itself.
pub const TOML: &[Code] = &[
    Code::NotToml,
    Code::PrimeInQuotes,
    Code::PrimeInKey,
    Code::BareKey,
    Code::InlineTable,
    Code::Escape,
    Code::DuplicateKey,
];

/// Errors of the language of formulas.
pub const FORMULAS: &[Code] = &[
    Code::Formula,
    Code::UnknownName,
    Code::ImplicitProduct,
    Code::FunctionWithoutBracket,
    Code::DoubleEqual,
    Code::Bracket,
    Code::DoubleStar,
    Code::UnknownCharacter,
    Code::MalformedNumber,
    Code::Relation,
    Code::WrongSentence,
    Code::UnknownFunction,
    Code::MissingStar,
    Code::Arguments,
    Code::VectorScalar,
    Code::Components,
    Code::NotAQuantity,
    Code::ThirdRate,
    Code::DivisionByZero,
    Code::NotAllowed,
    Code::NonSmooth,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::CODES;

    #[test]
    fn every_section_is_reached_from_the_model() {
        let mut reached = vec![&MODEL];
        let mut next = 0;
        while next < reached.len() {
            for key in reached[next].keys {
                let section = key.section();
                if let Some(section) =
                    section.filter(|s| !reached.iter().any(|known| known.name == s.name))
                {
                    reached.push(section);
                }
            }
            next += 1;
        }
        let names = |sections: &[&Section]| {
            let mut names: Vec<&str> = sections.iter().map(|section| section.name).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names(&reached), names(SECTIONS));
    }

    #[test]
    fn every_code_stands_somewhere() {
        let of_sections = SECTIONS.iter().flat_map(|section| section.errors);
        let known: Vec<Code> = of_sections
            .chain(ANY_SECTION)
            .chain(TOML)
            .chain(FORMULAS)
            .copied()
            .collect();
        for code in CODES {
            assert!(known.contains(code), "{code}: {}", code.title());
        }
    }

    #[test]
    fn every_function_and_reserved_name_is_documented() {
        let reserved = crate::names::RESERVED.iter().map(|(name, _)| *name);
        let functions = crate::function_names::all();
        let shown = |name: &str, after: char| LANGUAGE.contains(&format!("`{name}{after}"));
        for name in reserved {
            assert!(shown(name, '`'), "{name}");
        }
        for name in functions {
            assert!(shown(name, '('), "{name}");
        }
    }

    #[test]
    fn rows_are_texts() {
        for section in SECTIONS {
            assert!(section.about.ends_with('.'), "{}", section.name);
            assert!(!section.example.is_empty(), "{}", section.name);
            for key in section.keys {
                let row = format!("{}.{}", section.name, key.name);
                assert!(key.about.ends_with('.'), "{row}: {}", key.about);
                assert!(!key.takes().is_empty(), "{row}");
            }
        }
    }
}
