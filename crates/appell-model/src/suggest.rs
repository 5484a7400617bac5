//! The known word nearest to a mistyped one.

/// Words longer than this are not typing slips.
const LONGEST: usize = 40;

/// The candidate nearest to `word`, if it is near enough to have been meant: about a third of
/// its letters apart at most, one at least; other capitals count as near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > LONGEST {
        return None;
    }
    let allowed = ((length + 1) / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 4 * LONGEST && *candidate != word)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(distance, candidate)| {
            distance <= allowed && distance < candidate.chars().count().max(length)
        })
        .min_by_key(|&(distance, candidate)| (distance, letters(candidate) != letters(word)))
        .map(|(_, candidate)| candidate)
}

/// The letters in alphabetical order: of two words equally near the one with swapped letters is meant.
fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.to_lowercase().chars().collect();
    letters.sort_unstable();
    letters
}

/// Letters to change, swap, add or drop; 0 if only capitals differ.
fn distance(a: &str, b: &str) -> usize {
    strsim::damerau_levenshtein(&a.to_lowercase(), &b.to_lowercase())
}

/// `did you mean `theta`?`, or the given words where nothing is near.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    match nearest(word, candidates) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => otherwise.to_owned(),
    }
}

/// "`a`, `b` or `c`"
pub(crate) fn alternatives(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = ["theta", "x", "kinetic"];
        assert_eq!(nearest("tetha", known), Some("theta"));
        assert_eq!(nearest("Kinetic", known), Some("kinetic"));
        assert_eq!(nearest("kinetics", known), Some("kinetic"));
        assert_eq!(nearest("potential", known), None);
        assert_eq!(
            nearest("q", known),
            None,
            "one letter is no slip of another"
        );
        assert_eq!(nearest("x1", known), Some("x"));
        assert_eq!(nearest(&"theta".repeat(1000), known), None);
    }

    #[test]
    fn alternatives_read_as_a_sentence() {
        assert_eq!(alternatives(&["a"]), "`a`");
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
