//! Texts with blanks beside them, up to a width in characters. The widths of Rust's formats end at 65,535.

/// At the left.
pub(crate) fn left(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(missing(text, width))
}

/// At the right.
pub(crate) fn right(text: &str, width: usize) -> String {
    " ".repeat(missing(text, width)) + text
}

/// In the middle, or half a character to the left of it.
pub(crate) fn centred(text: &str, width: usize) -> String {
    let missing = missing(text, width);
    let before = missing / 2;
    " ".repeat(before) + text + &" ".repeat(missing - before)
}

fn missing(text: &str, width: usize) -> usize {
    width.saturating_sub(text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_stand_where_formats_put_them_and_beyond_their_widths() {
        for (text, width) in [("", 3), ("ab", 5), ("ab", 2), ("abc", 2), ("q\u{308}", 5)] {
            assert_eq!(left(text, width), format!("{text:<width$}"));
            assert_eq!(right(text, width), format!("{text:>width$}"));
            assert_eq!(centred(text, width), format!("{text:^width$}"));
        }
        assert_eq!(centred("a", 100_001).len(), 100_001);
    }
}
