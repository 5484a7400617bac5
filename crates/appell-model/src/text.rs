//! TOML strings: what they say, and where in the file each of their characters stands.

use appell_expr::Span;

/// A string value with the place of every character.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    /// What it says, escapes resolved.
    pub(crate) value: String,
    /// The string in the file, with its quotes.
    pub(crate) span: Span,
    /// From the byte in `value` on, up to the next entry, bytes stand at this place in the file
    /// one after the other. Ascending, the first entry for byte 0; two entries for one byte are
    /// the ends of something in the file that says nothing.
    places: Vec<(usize, usize)>,
    /// The place in the file where the contents end.
    end: usize,
}

impl Text {
    /// The place in the file of a range of bytes of the value.
    pub(crate) fn place(&self, span: Span) -> Span {
        if span.start >= self.value.len() {
            return Span::new(self.end, self.end);
        }
        let start = self.start_of(span.start);
        let end = if span.end >= self.value.len() {
            self.end
        } else {
            self.end_before(span.end)
        };
        Span::new(start, end.max(start))
    }

    /// Where the contents stand, without quotes.
    pub(crate) fn contents(&self) -> Span {
        self.place(Span::new(0, self.value.len()))
    }

    /// Where a byte of the value begins in the file: after anything that says nothing.
    fn start_of(&self, byte: usize) -> usize {
        let after = self.places.partition_point(|(from, _)| *from <= byte);
        let (from, place) = self.places[after.saturating_sub(1)];
        place + (byte - from)
    }

    /// Where what precedes a byte of the value ends in the file.
    fn end_before(&self, byte: usize) -> usize {
        let at = self.places.partition_point(|(from, _)| *from < byte);
        match self.places.get(at) {
            Some((from, place)) if *from == byte => *place,
            _ => self.start_of(byte),
        }
    }
}

/// Resolves the string that stands at `span` of a file that is valid TOML.
pub(crate) fn decode(file: &str, span: Span) -> Text {
    let raw = span.of(file);
    let (quotes, basic) = match raw.as_bytes() {
        [b'"', b'"', b'"', _, _, _, ..] => (3, true),
        [b'\'', b'\'', b'\'', _, _, _, ..] => (3, false),
        [b'"', ..] => (1, true),
        _ => (1, false),
    };
    let body = raw
        .get(quotes..raw.len().saturating_sub(quotes))
        .unwrap_or_default();
    let mut decoder = Decoder {
        body,
        at: 0,
        origin: span.start + quotes,
        text: Text {
            value: String::new(),
            span,
            places: Vec::new(),
            end: span.start + quotes + body.len(),
        },
    };
    if quotes == 3 {
        decoder.skip_line_end();
    }
    decoder.mark();
    while decoder.step(basic) {}
    decoder.text
}

struct Decoder<'t> {
    body: &'t str,
    at: usize,
    /// The place of the body in the file.
    origin: usize,
    text: Text,
}

impl<'t> Decoder<'t> {
    fn rest(&self) -> &'t str {
        &self.body[self.at..]
    }

    /// Says that what follows stands at the present place.
    fn mark(&mut self) {
        self.text
            .places
            .push((self.text.value.len(), self.origin + self.at));
    }

    fn skip_line_end(&mut self) {
        let rest = self.rest();
        let after = rest
            .strip_prefix('\n')
            .or_else(|| rest.strip_prefix("\r\n"))
            .unwrap_or(rest);
        self.at += rest.len() - after.len();
    }

    /// Takes the next character or escape; false at the end.
    fn step(&mut self, basic: bool) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return false;
        };
        if first == '\\' && basic {
            self.mark();
            self.escape(&rest[1..]);
            self.mark();
        } else if rest.starts_with("\r\n") {
            self.text.value.push('\n');
            self.at += 2;
            self.mark();
        } else {
            self.text.value.push(first);
            self.at += first.len_utf8();
        }
        true
    }

    /// Takes an escape, `after` its backslash.
    fn escape(&mut self, after: &str) {
        let letter = after.chars().next().unwrap_or('\\');
        let digits = match letter {
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let character = match letter {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            'u' | 'U' => code_point(after.get(1..=digits)),
            ' ' | '\t' | '\r' | '\n' => {
                // The end of a line: it and all blanks after it vanish.
                self.at +=
                    1 + after.len() - after.trim_start_matches([' ', '\t', '\r', '\n']).len();
                return;
            }
            other => other,
        };
        self.text.value.push(character);
        self.at += (1 + letter.len_utf8() + digits).min(self.rest().len());
    }
}

fn code_point(digits: Option<&str>) -> char {
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    number
        .and_then(char::from_u32)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The string that is the whole of `raw`.
    fn text(raw: &str) -> Text {
        decode(raw, Span::new(0, raw.len()))
    }

    /// The places of the characters of the value, as they stand in the file.
    fn pieces(raw: &str) -> Vec<&str> {
        let text = text(raw);
        let characters = text.value.char_indices();
        characters
            .map(|(i, c)| text.place(Span::new(i, i + c.len_utf8())).of(raw))
            .collect()
    }

    #[test]
    fn plain_strings_are_shifted_by_the_quote() {
        assert_eq!(text("\"x' = 1\"").value, "x' = 1");
        assert_eq!(pieces("\"aé\""), ["a", "é"]);
        assert_eq!(pieces("'a\\b'"), ["a", "\\", "b"]);
        assert_eq!(text("\"\"").value, "");
        assert_eq!(text("\"\"").contents(), Span::new(1, 1));
    }

    #[test]
    fn escapes_are_one_character_each() {
        let raw = r#""a\tb\"c\\\u03b8\U0001F600d""#;
        assert_eq!(text(raw).value, "a\tb\"c\\θ😀d");
        assert_eq!(
            pieces(raw),
            [
                "a",
                r"\t",
                "b",
                r#"\""#,
                "c",
                r"\\",
                r"\u03b8",
                r"\U0001F600",
                "d"
            ]
        );
    }

    #[test]
    fn several_lines_keep_their_places() {
        let raw = "\"\"\"\r\n a\r\n b \\\n   c\"\"\"";
        assert_eq!(text(raw).value, " a\n b c");
        assert_eq!(pieces(raw), [" ", "a", "\r\n", " ", "b", " ", "c"]);
        let literal = "'''\n\\x'' y'''";
        assert_eq!(text(literal).value, "\\x'' y");
        assert_eq!(pieces(literal).concat(), "\\x'' y");
    }

    #[test]
    fn quotes_may_end_a_string_of_several_lines() {
        assert_eq!(text("\"\"\"a\"\"\"\"").value, "a\"");
        assert_eq!(text("''''a''''").value, "'a'");
    }
}
