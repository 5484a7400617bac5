//! The works that a motion rests on, as BibTeX.

use crate::show::plain;
use appell_mech::Formalism;
use appell_study::motion::choices::{equations_for, method_for};
use appell_study::values::error::Error;
use appell_study::values::prepared::Prepared;

/// The bibliography of the repository.
const REFERENCES: &str = include_str!(concat!(env!("OUT_DIR"), "/refs.bib"));

/// The sources of a model, of the form of its equations and of the method of integration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citations {
    /// BibTeX entries in the order of the bibliography, after that of Appell itself.
    pub entries: Vec<String>,
    /// Sources of the model that the bibliography has not, as the model names them.
    pub unknown: Vec<String>,
}

impl Citations {
    /// A file for BibTeX; what is not known stands in comments.
    pub fn bibtex(&self) -> String {
        let unknown = self.unknown.iter();
        let comment = |source: &String| format!("% not in the bibliography: {}\n", plain(source));
        let comments = unknown.map(comment);
        let entries = self.entries.join("\n\n") + "\n";
        comments.collect::<String>() + &entries
    }
}

/// Collects what a run with this form and this method uses; by default those that a run would choose.
///
/// # Errors
/// The form does not apply; an unknown method.
pub fn cite(
    p: &Prepared<'_>,
    form: Option<&'static Formalism>,
    method: Option<&str>,
) -> Result<Citations, Error> {
    let form = equations_for(p, form)?.formalism;
    let method = method_for(p, method)?;
    let origin = p.model.origin.as_deref().unwrap_or_default();
    let origin: Vec<&str> = origin.split(';').map(str::trim).collect();
    let cites = p
        .model
        .claims
        .iter()
        .filter_map(|claim| claim.cite.as_deref());
    let named: Vec<&str> = origin.iter().copied().chain(cites).collect();
    let by_key = |key: &str| {
        let in_form = form
            .sources
            .iter()
            .any(|source| keys(source).any(|other| other == key));
        in_form || method.source.trim_matches(['[', ']']) == key
    };
    let all: Vec<(&str, &str)> = entries().collect();
    let known: Vec<&str> = all.iter().map(|(key, _)| *key).collect();
    let by_name = |key: &str| named.iter().any(|text| names(text, &known) == Some(key));
    let used = all.iter().filter(|(key, _)| by_key(key) || by_name(key));
    let unknown = origin.iter().filter(|text| {
        text.contains(|c: char| c.is_ascii_digit()) && names(text, &known).is_none()
    });
    Ok(Citations {
        entries: [own_entry()]
            .into_iter()
            .chain(used.map(|(_, text)| (*text).to_owned()))
            .collect(),
        unknown: unknown.map(|text| (*text).to_owned()).collect(),
    })
}

fn own_entry() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "@misc{{appell,\n  author  = {{{{The Appell authors}}}},\n  title   = {{Appell: mechanics with \
         constraints on velocities}},\n  note    = {{Version {version}}},\n}}"
    )
}

/// The keys in a source such as `[benenti2007, (7.1), corrected]`.
fn keys(source: &str) -> impl Iterator<Item = &str> {
    source
        .split(['[', ']', ';'])
        .filter_map(|part| part.split(',').next())
        .map(str::trim)
}

/// The entries of the bibliography: key and text.
fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let starts: Vec<usize> = REFERENCES
        .match_indices("\n@")
        .map(|(at, _)| at + 1)
        .collect();
    let ends: Vec<usize> = starts
        .iter()
        .skip(1)
        .copied()
        .chain([REFERENCES.len()])
        .collect();
    starts.into_iter().zip(ends).filter_map(|(start, end)| {
        let text = REFERENCES.get(start..end)?.trim();
        let (_, rest) = text.split_once('{')?;
        Some((rest.split(',').next()?.trim(), text))
    })
}

/// The entry that a text like `Benenti 2007, section 9` names: the first author's name, with the year if
/// it says one. Without a year the entry must be the only one of this author, or have none either.
fn names<'k>(text: &str, known: &[&'k str]) -> Option<&'k str> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .collect();
    let is_year = |word: &String| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let author = |key: &str| {
        key.trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    };
    let first = words.first()?;
    let of_author = || known.iter().copied().filter(|key| author(key) == *first);
    match words.iter().find(|word| is_year(word)) {
        Some(year) => of_author().find(|key| key.ends_with(year.as_str())),
        None => {
            let mut candidates = of_author();
            let only = candidates.next().filter(|_| candidates.next().is_none());
            only.or_else(|| of_author().find(|key| *key == first))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_is_known_by_author_and_year() {
        let known = [
            "appell1900",
            "appell1911",
            "roithmayr2010",
            "talamucci",
            "talamucci2020",
        ];
        let cases = [
            ("Appell 1911", Some("appell1911")),
            ("Appell", None),
            ("Roithmayr & Hodges, section 4", Some("roithmayr2010")),
            ("Roithmayr 1999", None),
            ("Talamucci, (40), corrected", Some("talamucci")),
            ("Talamucci 2020", Some("talamucci2020")),
            ("Eq. (26)", None),
            ("", None),
        ];
        for (text, key) in cases {
            assert_eq!(names(text, &known), key, "{text}");
        }
    }

    #[test]
    fn every_source_of_the_tables_is_an_entry() {
        let known: Vec<&str> = entries().map(|(key, _)| key).collect();
        let form_sources = appell_mech::FORMALISMS.iter().flat_map(|form| form.sources);
        let methods = appell_flow::method::METHODS
            .iter()
            .map(|method| &method.source);
        for source in form_sources.chain(methods) {
            let key = keys(source).find(|key| !key.is_empty());
            assert!(key.is_some_and(|key| known.contains(&key)), "{source}");
        }
        for (key, text) in entries() {
            assert!(
                text.starts_with('@') && text.ends_with('}'),
                "{key}: {text}"
            );
        }
    }
}
