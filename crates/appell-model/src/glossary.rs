//! The words that answers use, each with what it means here: one text for `appell explain` and the documentation.

/// All of them: Markdown with a heading for each word.
pub const GLOSSARY: &str = include_str!("glossary.md");

/// A word and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// As it stands in the heading.
    pub name: &'static str,
    /// Markdown.
    pub text: &'static str,
}

/// The words in the order of the alphabet.
pub fn words() -> impl Iterator<Item = Word> {
    let sections = GLOSSARY.split("\n## ").skip(1);
    sections.filter_map(|section| {
        let (name, text) = section.split_once('\n')?;
        let text = text.trim();
        Some(Word { name, text })
    })
}

/// The word that is meant: in capitals or not, with blanks, `-` or `_`, in the singular or plural; or the first that is
/// made of it, as `kinetic metric` of `metric`; or that whose text introduces it, as *isolated*; or of which it is made, as
/// `bad charts` of `chart`.
pub fn word(name: &str) -> Option<Word> {
    let wanted = plain(name);
    let emphasised = format!("*{}*", name.trim().to_lowercase());
    let holds = |whole: &str, part: &str| whole.split(' ').any(|w| w == part);
    words()
        .find(|word| plain(word.name) == wanted)
        .or_else(|| words().find(|word| holds(&plain(word.name), &wanted)))
        .or_else(|| words().find(|word| word.text.contains(&emphasised)))
        .or_else(|| words().find(|word| holds(&wanted, &plain(word.name))))
}

fn plain(name: &str) -> String {
    let lower = name.trim().to_lowercase().replace(['-', '_'], " ");
    match lower.strip_suffix('s') {
        Some(one) if one.len() > 1 && !one.ends_with('s') => one.to_owned(),
        _ => lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::CLASSES;

    #[test]
    fn words_stand_in_order_with_their_texts() {
        let names: Vec<String> = words().map(|word| word.name.to_lowercase()).collect();
        assert!(names.is_sorted(), "{names:?}");
        assert!(words().all(|word| word.text.ends_with('.')));
    }

    #[test]
    fn every_class_of_constraints_is_explained() {
        for class in CLASSES {
            assert!(word(class).is_some(), "{class}");
        }
        assert_eq!(
            word("moving_frames").map(|word| word.name),
            Some("moving frames")
        );
        assert_eq!(word("Sheets").map(|word| word.name), Some("sheet"));
        assert_eq!(word("metric").map(|word| word.name), Some("kinetic metric"));
        assert_eq!(word("bad charts").map(|word| word.name), Some("chart"));
        assert_eq!(word("nobody"), None);
    }
}
