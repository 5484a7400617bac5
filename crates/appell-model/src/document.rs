//! The file as a tree of values with their places: TOML and nothing more.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::malformed;
use crate::outline;
use crate::source::Source;
use crate::text::{self, Text};
use appell_expr::{Rational, Span};
use toml_edit::{ImDocument, Item, TableLike, Value};

/// Larger files are refused: 1 MiB. The largest model of the gallery has a few KiB.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// A value with its place: for a table under a header, the header or the key.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Kind {
    Text(Text),
    /// Exact, from the number's own digits.
    Number(Rational),
    /// `nan`, `inf`, or digits beyond what is read, as written.
    NotFinite(String),
    Boolean(bool),
    Date,
    List(Vec<Node>),
    Table(Table),
}

/// The entries of a table in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) entries: Vec<Entry>,
}

/// A key and its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

impl Kind {
    /// "a number", "a list", ...
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Number(_) | Self::NotFinite(_) => "a number",
            Self::Boolean(_) => "a boolean",
            Self::Date => "a date or time",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Table {
    /// The entry of this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

/// Reads a file as TOML 1.0; `None` if it is not.
pub(crate) fn parse(source: &Source, report: &mut Report) -> Option<Table> {
    if let Some(refusal) = too_large(source) {
        return report.refuse(refusal);
    }
    if source.text.starts_with('\u{feff}') {
        let message = "the file begins with a byte order mark";
        let label = "save it as UTF-8 without a mark";
        return report.reject(Code::NotToml, message, Span::new(0, 3), label);
    }
    match ImDocument::parse(source.text.as_str()) {
        Ok(document) => {
            let mut builder = Builder {
                source,
                headers: Vec::new(),
                strays: Vec::new(),
            };
            builder.find_headers(document.as_table());
            builder.headers.sort_unstable();
            let table = builder.table(document.as_table());
            for (key, place) in builder.strays {
                let message = format!("`{key}` reaches into a list of tables under another header");
                let label = "write it under its own [[header]]";
                report.say(Code::DuplicateKey, message, place, label);
            }
            Some(table)
        }
        Err(error) => report.refuse(malformed::explain(source, &error)),
    }
}

fn too_large(source: &Source) -> Option<Diagnostic> {
    let bytes = source.text.len();
    if bytes > MAX_BYTES {
        let message = format!("the file has {bytes} bytes, more than the limit of {MAX_BYTES}");
        let start = Span::new(0, 0);
        return Some(Diagnostic::new(
            Code::TooLarge,
            message,
            start,
            "models are small",
        ));
    }
    let place = outline::too_deep(&source.text)?;
    let message = format!(
        "the file nests more than {} levels deep",
        outline::MAX_DEPTH
    );
    let span = Span::new(place, place + 1);
    Some(Diagnostic::new(
        Code::TooLarge,
        message,
        span,
        "brackets and dotted keys count",
    ))
}

/// Builds our tree from that of the TOML reader. Everything in it recurses as deep as the file
/// nests, which [`outline`] bounds.
struct Builder<'s> {
    source: &'s Source,
    /// Where the headers of tables stand, ascending.
    headers: Vec<usize>,
    /// Keys under one header that reach into a list of tables under another. TOML forbids them,
    /// the reader does not.
    strays: Vec<(String, Span)>,
}

impl Builder<'_> {
    fn find_headers(&mut self, table: &toml_edit::Table) {
        if !table.is_dotted() && !table.is_implicit() {
            self.headers.extend(table.span().map(|span| span.start));
        }
        for (_, item) in table.iter() {
            match item {
                Item::Table(inner) => self.find_headers(inner),
                Item::ArrayOfTables(tables) => {
                    tables.iter().for_each(|inner| self.find_headers(inner))
                }
                Item::None | Item::Value(_) => {}
            }
        }
    }

    fn table(&mut self, table: &dyn TableLike) -> Table {
        let mut entries = Vec::new();
        for (key, item) in table.iter() {
            let key_span = table
                .key(key)
                .and_then(toml_edit::Key::span)
                .map_or(Span::default(), span);
            if let Some(value) = self.node(item, key_span) {
                entries.push(Entry {
                    key: key.to_owned(),
                    key_span,
                    value,
                });
            }
        }
        entries.sort_unstable_by_key(|entry| entry.key_span.start);
        Table { entries }
    }

    fn node(&mut self, item: &Item, key_span: Span) -> Option<Node> {
        Some(match item {
            Item::None => return None,
            Item::Value(v) => self.value(v, key_span),
            Item::Table(t) => Node {
                kind: Kind::Table(self.table(t)),
                span: key_span,
            },
            Item::ArrayOfTables(tables) => {
                let nodes = tables.iter().map(|t| self.element(t, key_span)).collect();
                Node {
                    kind: Kind::List(nodes),
                    span: key_span,
                }
            }
        })
    }

    /// A table of a list of tables under headers.
    fn element(&mut self, element: &toml_edit::Table, key_span: Span) -> Node {
        let start = element.span().map_or(key_span.start, |s| s.start);
        let next = self.headers.partition_point(|header| *header <= start);
        let end = self.headers.get(next).copied().unwrap_or(usize::MAX);
        let table = self.table(element);
        for entry in table
            .entries
            .iter()
            .filter(|entry| entry.key_span.start > end)
        {
            let is_direct = match element.get(&entry.key) {
                Some(Item::Table(t)) => t.is_dotted(),
                Some(Item::Value(_)) => true,
                _ => false,
            };
            if is_direct {
                self.strays.push((entry.key.clone(), entry.key_span));
            }
        }
        Node {
            kind: Kind::Table(table),
            span: self.source.line_span(start),
        }
    }

    fn value(&mut self, value: &Value, key_span: Span) -> Node {
        let span = value.span().map_or(key_span, span);
        let text = &self.source.text;
        let kind = match value {
            Value::String(_) => Kind::Text(text::decode(text, span)),
            Value::Integer(n) => Kind::Number(Rational::from(*n.value())),
            Value::Float(x) => {
                let digits = span.of(text);
                match Rational::from_decimal(digits) {
                    Some(exact) if x.value().is_finite() => Kind::Number(exact),
                    _ => Kind::NotFinite(digits.to_owned()),
                }
            }
            Value::Boolean(b) => Kind::Boolean(*b.value()),
            Value::Datetime(_) => Kind::Date,
            Value::Array(list) => Kind::List(
                list.iter()
                    .map(|element| self.value(element, span))
                    .collect(),
            ),
            Value::InlineTable(t) => Kind::Table(self.table(t)),
        };
        Node { kind, span }
    }
}

fn span(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Table, Vec<Diagnostic>> {
        let mut report = Report::default();
        let table = parse(&Source::new("m.toml", text), &mut report);
        report
            .finish()
            .map(|_| table.expect("a table where there is no error"))
    }

    /// The codes of what is said of a text that is refused.
    fn codes(text: &str) -> Vec<Code> {
        parsed(text)
            .expect_err(text)
            .iter()
            .map(|d| d.code)
            .collect()
    }

    #[test]
    fn numbers_are_exact() {
        let number = |text: &str| match parsed(&format!("a = {text}"))
            .expect(text)
            .entries
            .remove(0)
            .value
            .kind
        {
            Kind::Number(number) => number,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(number("0.1"), Rational::new(1, 10));
        assert_eq!(number("-2_000.50e-1"), Rational::new(-4001, 20));
        assert_eq!(number("0xff"), Rational::from(255));
        assert_eq!(number("9007199254740993"), Rational::from(9007199254740993));
        assert_eq!(number("1e3"), Rational::from(1000));
        let tiny = parsed("a = 1e-900")
            .expect("TOML")
            .entries
            .remove(0)
            .value
            .kind;
        assert!(
            matches!(tiny, Kind::NotFinite(_)),
            "no exact number of reasonable size"
        );
    }

    #[test]
    fn entries_stand_in_the_order_of_the_file_with_their_places() {
        let text = "[c.b]\nx = 1\n[a]\ny = [1, 'z']\n[c]\n\"w\" = {v = 2}\n";
        let table = parsed(text).expect("TOML");
        let keys: Vec<&str> = table.entries.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["a", "c"]);
        let Kind::Table(a) = &table.entries[0].value.kind else {
            panic!("a table")
        };
        assert_eq!(a.entries[0].value.span.of(text), "[1, 'z']");
        let Kind::Table(c) = &table.entries[1].value.kind else {
            panic!("a table")
        };
        assert_eq!(c.get("w").map(|e| e.key_span.of(text)), Some("\"w\""));
    }

    #[test]
    fn newer_toml_and_loose_toml_are_refused() {
        let cases = [
            ("a = { b = 1,\n c = 2 }", Code::InlineTable),
            ("a = { b = 1, }", Code::InlineTable),
            ("a = {\n b = 1 }", Code::InlineTable),
            ("a = { # c\n b = 1 }", Code::InlineTable),
            (r#"a = "\e""#, Code::Escape),
            (r#"a = "\x41""#, Code::Escape),
            (r#"a = "\ud800""#, Code::Escape),
            ("\u{feff}a = 1", Code::NotToml),
            ("a = 1\rb = 2", Code::NotToml),
            ("a = 07:32", Code::NotToml),
            ("a = \"\u{7}\"", Code::NotToml),
            ("a = 99999999999999999999", Code::BadValue),
            ("a = 1e999", Code::NotFinite),
            ("[[b.c]]\n[b]\nc.d = 1", Code::DuplicateKey),
            ("[[b.c]]\nd = 1\n[b]\nc.e.f = 1", Code::DuplicateKey),
            ("a = 1\n[a]\n", Code::DuplicateKey),
        ];
        for (text, code) in cases {
            assert_eq!(codes(text), [code], "{text}");
        }
        assert!(parsed("[[b.c]]\nd.e = 1\n[b.c.f]\ng = 1\n[[b.c]]\nd.e = 1").is_ok());
    }

    #[test]
    fn what_was_meant_is_recognised() {
        let cases = [
            ("a = ['x = 0', 'x' = 1']", Code::PrimeInQuotes),
            ("a = 'x'' = 1'", Code::PrimeInQuotes),
            ("a = { b = 'x' = 1' }", Code::PrimeInQuotes),
            ("x'' = 1", Code::PrimeInKey),
            ("a = { x' = 1 }", Code::PrimeInKey),
            ("a = [ x' = 1 ]", Code::PrimeInKey),
            ("alphaθ = 1", Code::BareKey),
            ("a = { θ = 1 }", Code::BareKey),
            ("[θ]", Code::BareKey),
            ("a = 1 b", Code::NotToml),
        ];
        for (text, code) in cases {
            assert_eq!(codes(text), [code], "{text}");
        }
    }

    #[test]
    fn size_and_nesting_are_bounded() {
        assert_eq!(codes(&" ".repeat(MAX_BYTES + 1)), [Code::TooLarge]);
        assert_eq!(
            codes(&format!("a = {}1{}", "[".repeat(17), "]".repeat(17))),
            [Code::TooLarge]
        );
    }
}
