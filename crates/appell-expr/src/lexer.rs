//! Text to tokens: numbers, names, signs. Spaces and line breaks separate and mean nothing else.

use crate::ast::{Operator, Relation};
use crate::span::Span;
use crate::syntax_error::{SyntaxError, SyntaxErrorKind, brief};
use unicode_ident::{is_xid_continue, is_xid_start};

/// The two kinds of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    /// `( )`
    Round,
    /// `[ ]`
    Square,
}

impl Bracket {
    pub(crate) fn opening(self) -> char {
        match self {
            Self::Round => '(',
            Self::Square => '[',
        }
    }

    pub(crate) fn closing(self) -> char {
        match self {
            Self::Round => ')',
            Self::Square => ']',
        }
    }
}

/// What a token is; what it says is read from the text at its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Number,
    Name,
    Operator(Operator),
    Prime,
    Dot,
    Comma,
    Open(Bracket),
    Close(Bracket),
    Relation(Relation),
    /// The end of the text, or the place of the first error; its span is empty.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// The tokens up to the end or to the first error, always closed by [`TokenKind::End`].
///
/// The error is handed on instead of returned, because the parser may find one further left.
#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) list: Vec<Token>,
    pub(crate) error: Option<SyntaxError>,
}

/// Splits `text` into tokens.
pub(crate) fn tokenise(text: &str) -> Tokens {
    let mut lexer = Lexer { text, at: 0 };
    let mut list = Vec::new();
    let mut error = None;
    loop {
        match lexer.token() {
            Ok(Some(token)) => list.push(token),
            Ok(None) => break,
            Err(found) => {
                error = Some(found);
                break;
            }
        }
    }
    let end = error.as_ref().map_or(text.len(), |error| error.span.start);
    list.push(Token {
        kind: TokenKind::End,
        span: Span::new(end, end),
    });
    Tokens { list, error }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Moves on while `accept` holds; `at` stays on a character boundary.
    fn skip_while(&mut self, accept: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
    }

    fn token(&mut self) -> Result<Option<Token>, SyntaxError> {
        self.skip_while(char::is_whitespace);
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            return Ok(None);
        };
        let kind = match first {
            '0'..='9' => self.number()?,
            c if starts_name(c) => {
                self.skip_while(continues_name);
                TokenKind::Name
            }
            '=' | '<' | '>' | '!' | ':' => self.relation(first)?,
            _ => self.sign(first)?,
        };
        Ok(Some(Token {
            kind,
            span: Span::new(start, self.at),
        }))
    }

    /// `1`, `0.1`, `1e-3`, `2_000.5`: digits on both sides of a point, `_` between digits only.
    fn number(&mut self) -> Result<TokenKind, SyntaxError> {
        let start = self.at;
        self.skip_while(is_digit_or_underscore);
        if self.rest().strip_prefix('.').is_some_and(starts_with_digit) {
            self.at += 1;
            self.skip_while(is_digit_or_underscore);
        }
        if let Some(length) = exponent_sign_length(self.rest()) {
            self.at += length;
            self.skip_while(is_digit_or_underscore);
        }
        let number = &self.text[start..self.at];
        if self.rest().starts_with('.') {
            return Err(self.point_after_number(start));
        }
        if has_stray_underscore(number) {
            let kind = SyntaxErrorKind::MalformedNumber {
                text: brief(number),
            };
            return Err(kind.at(Span::new(start, self.at)));
        }
        Ok(TokenKind::Number)
    }

    /// A point after a finished number: `5.`, `5.x`, or, with more digits, `1.2.3`.
    fn point_after_number(&mut self, start: usize) -> SyntaxError {
        let digits = &self.text[start..self.at];
        self.skip_while(|c| c == '.' || is_digit_or_underscore(c));
        let span = Span::new(start, self.at);
        let text = span.of(self.text);
        let kind = if text.len() == digits.len() + 1 && !digits.contains(['.', 'e', 'E']) {
            SyntaxErrorKind::TrailingPoint {
                digits: brief(digits),
            }
        } else {
            SyntaxErrorKind::MalformedNumber { text: brief(text) }
        };
        kind.at(span)
    }

    /// A run of the characters `= < > ! :`, which must be one relation.
    fn relation(&mut self, first: char) -> Result<TokenKind, SyntaxError> {
        let start = self.at;
        self.skip_while(|c| matches!(c, '=' | '<' | '>' | '!' | ':'));
        let span = Span::new(start, self.at);
        Ok(TokenKind::Relation(match span.of(self.text) {
            "=" => Relation::Equal,
            "<" => Relation::Less,
            "<=" => Relation::LessEqual,
            ">" => Relation::Greater,
            ">=" => Relation::GreaterEqual,
            "==" => return Err(SyntaxErrorKind::DoubleEqual.at(span)),
            "!" | ":" => {
                return Err(SyntaxErrorKind::UnknownCharacter { character: first }.at(span));
            }
            other => {
                let kind = SyntaxErrorKind::UnknownRelation {
                    found: brief(other),
                };
                return Err(kind.at(span));
            }
        }))
    }

    /// A sign of one character.
    fn sign(&mut self, first: char) -> Result<TokenKind, SyntaxError> {
        let start = self.at;
        let kind = match first {
            '+' => TokenKind::Operator(Operator::Add),
            '-' => TokenKind::Operator(Operator::Sub),
            '*' => TokenKind::Operator(Operator::Mul),
            '/' => TokenKind::Operator(Operator::Div),
            '^' => TokenKind::Operator(Operator::Pow),
            '\'' => TokenKind::Prime,
            '.' => TokenKind::Dot,
            ',' => TokenKind::Comma,
            '(' => TokenKind::Open(Bracket::Round),
            ')' => TokenKind::Close(Bracket::Round),
            '[' => TokenKind::Open(Bracket::Square),
            ']' => TokenKind::Close(Bracket::Square),
            character => {
                let span = Span::new(start, start + character.len_utf8());
                return Err(SyntaxErrorKind::UnknownCharacter { character }.at(span));
            }
        };
        if self.rest().starts_with("**") {
            return Err(SyntaxErrorKind::DoubleStar.at(Span::new(start, start + 2)));
        }
        self.at += first.len_utf8();
        Ok(kind)
    }
}

fn starts_name(c: char) -> bool {
    (c == '_' || is_xid_start(c)) && !looks_like_a_sign(c)
}

fn continues_name(c: char) -> bool {
    is_xid_continue(c) && !looks_like_a_sign(c)
}

/// Characters that Unicode lets into names and that a reader takes for a dot product or a prime.
fn looks_like_a_sign(c: char) -> bool {
    matches!(
        c,
        '\u{b7}' | '\u{387}' | '\u{2b9}' | '\u{2ba}' | '\u{2bc}' | '\u{2bd}' | '\u{2c8}'
    )
}

fn is_digit_or_underscore(c: char) -> bool {
    c.is_ascii_digit() || c == '_'
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// The length of `e`, `e+` or `e-` at the start of `rest`, if a digit follows.
fn exponent_sign_length(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix(['e', 'E'])?;
    let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
    starts_with_digit(digits).then_some(rest.len() - digits.len())
}

/// Whether an underscore stands anywhere but between two digits.
fn has_stray_underscore(number: &str) -> bool {
    number
        .split(|c: char| !is_digit_or_underscore(c))
        .any(|part| part.starts_with('_') || part.ends_with('_') || part.contains("__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let tokens = tokenise(text);
        assert_eq!(tokens.error, None, "{text}");
        tokens.list.iter().map(|token| token.kind).collect()
    }

    fn texts(text: &str) -> Vec<&str> {
        tokenise(text)
            .list
            .iter()
            .map(|token| token.span.of(text))
            .collect()
    }

    fn error(text: &str) -> (SyntaxErrorKind, &str) {
        let error = tokenise(text).error.expect("an error");
        (error.kind, error.span.of(text))
    }

    #[test]
    fn numbers_take_as_much_as_they_can() {
        assert_eq!(
            texts("1 0.1 1e-3 2_000.5 1E+05"),
            ["1", "0.1", "1e-3", "2_000.5", "1E+05", ""]
        );
        // No digit after the `e`: it is a name, and the parser will miss the operator.
        assert_eq!(
            texts("2e 2e+x 2ex"),
            ["2", "e", "2", "e", "+", "x", "2", "ex", ""]
        );
    }

    #[test]
    fn points_and_underscores_stand_between_digits() {
        let malformed = |text: &str| SyntaxErrorKind::MalformedNumber {
            text: text.to_owned(),
        };
        for (text, found) in [
            ("1_", "1_"),
            ("1__0 + x", "1__0"),
            ("1_.5", "1_.5"),
            ("1e5_", "1e5_"),
            ("1.2.3", "1.2.3"),
            ("1.2.", "1.2."),
            ("1e3.5", "1e3.5"),
            ("1..5", "1..5"),
        ] {
            assert_eq!(error(text), (malformed(found), found), "{text}");
        }
        let trailing = SyntaxErrorKind::TrailingPoint {
            digits: "5".to_owned(),
        };
        assert_eq!(error("5."), (trailing.clone(), "5."));
        assert_eq!(error("5.x"), (trailing, "5."));
    }

    #[test]
    fn names_are_unicode_identifiers() {
        assert_eq!(
            texts("θ_1 λ ẋ _a été 変数x2"),
            ["θ_1", "λ", "ẋ", "_a", "été", "変数x2", ""]
        );
        assert!(
            kinds("θ_1 λ ẋ")
                .iter()
                .take(3)
                .all(|kind| *kind == TokenKind::Name)
        );
    }

    #[test]
    fn a_middle_dot_is_no_letter_though_unicode_allows_it_in_names() {
        assert!(is_xid_continue('·'));
        assert_eq!(
            error("a·b"),
            (SyntaxErrorKind::UnknownCharacter { character: '·' }, "·")
        );
        assert_eq!(
            error("xʹ"),
            (SyntaxErrorKind::UnknownCharacter { character: 'ʹ' }, "ʹ")
        );
    }

    #[test]
    fn relations_are_whole_runs() {
        use Relation::{Equal, Greater, GreaterEqual, Less, LessEqual};
        let expected = [Equal, Less, LessEqual, Greater, GreaterEqual].map(TokenKind::Relation);
        assert_eq!(kinds("= < <= > >=")[..5], expected);
        assert_eq!(error("a == b"), (SyntaxErrorKind::DoubleEqual, "=="));
        for run in ["=<", "=>", "<>", "!=", ":=", "===", "<=>", "<<"] {
            let kind = SyntaxErrorKind::UnknownRelation {
                found: run.to_owned(),
            };
            assert_eq!(error(&format!("a{run}b")).0, kind);
        }
        assert_eq!(
            error("n!"),
            (SyntaxErrorKind::UnknownCharacter { character: '!' }, "!")
        );
    }

    #[test]
    fn the_end_stands_where_the_first_error_is() {
        let tokens = tokenise("a + § b");
        assert_eq!(tokens.list.len(), 3);
        assert_eq!(
            tokens.list[2],
            Token {
                kind: TokenKind::End,
                span: Span::new(4, 4)
            }
        );
    }
}
