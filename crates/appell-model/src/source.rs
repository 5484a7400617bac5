//! The text a model is read from, and places in it.

use appell_expr::Span;

/// A model file: its name, for messages, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file's name as the user gave it.
    pub name: String,
    /// Its whole text.
    pub text: String,
}

/// A place as an editor shows it; both count from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Source {
    /// A source of this name and text.
    pub fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Line and column of a byte offset; an offset outside the text, or within a character, is
    /// moved to the character before it.
    pub fn place(&self, offset: usize) -> Place {
        let before = &self.text[..self.floor(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// The bytes of the line an offset lies in, without its line end.
    pub fn line_span(&self, offset: usize) -> Span {
        let offset = self.floor(offset);
        let start = self.text[..offset]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let rest = &self.text[start..];
        let line = rest.split('\n').next().unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        Span::new(start, start + line.len())
    }

    /// The nearest character boundary at or before an offset.
    pub(crate) fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let source = Source::new("m.toml", "a = 1\r\nθ = \"é\"\n");
        let place = |offset| {
            let Place { line, column } = source.place(offset);
            (line, column)
        };
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(4), (1, 5));
        assert_eq!(place(7), (2, 1));
        assert_eq!(place(9), (2, 2), "after the two bytes of θ");
        assert_eq!(place(8), (2, 1), "inside θ");
        assert_eq!(place(999), (3, 1));
    }

    #[test]
    fn a_line_ends_before_its_line_end() {
        let source = Source::new("m.toml", "a = 1\r\nb = 2\n");
        assert_eq!(source.line_span(2).of(&source.text), "a = 1");
        assert_eq!(source.line_span(8).of(&source.text), "b = 2");
        assert_eq!(source.line_span(14).of(&source.text), "");
    }
}
