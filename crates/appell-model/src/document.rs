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
        return report.refuse(Diagnostic::new(Code::NotToml, message, Span::new(0, 3), label));
    }
    match ImDocument::parse(source.text.as_str()) {
        Ok(document) => Some(table(source, document.as_table())),
        Err(error) => report.refuse(malformed::explain(source, &error)),
    }
}

fn too_large(source: &Source) -> Option<Diagnostic> {
    let bytes = source.text.len();
    if bytes > MAX_BYTES {
        let message = format!("the file has {bytes} bytes, more than the limit of {MAX_BYTES}");
        let start = Span::new(0, 0);
        return Some(Diagnostic::new(Code::TooLarge, message, start, "models are small"));
    }
    let place = outline::too_deep(&source.text)?;
    let message = format!("the file nests more than {} levels deep", outline::MAX_DEPTH);
    let span = Span::new(place, place + 1);
    Some(Diagnostic::new(Code::TooLarge, message, span, "brackets and dotted keys count"))
}

/// Recurses as deep as the file nests, which [`outline`] bounds.
fn table(source: &Source, table: &dyn TableLike) -> Table {
    let mut entries: Vec<Entry> = table
        .iter()
        .filter_map(|(key, item)| {
            let key_span = table.key(key).and_then(toml_edit::Key::span).map_or(Span::default(), span);
            let value = node(source, item, key_span)?;
            Some(Entry { key: key.to_owned(), key_span, value })
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    Table { entries }
}

fn node(source: &Source, item: &Item, key_span: Span) -> Option<Node> {
    match item {
        Item::None => None,
        Item::Value(v) => Some(value(source, v, key_span)),
        Item::Table(t) => Some(Node { kind: Kind::Table(table(source, t)), span: key_span }),
        Item::ArrayOfTables(tables) => {
            let nodes = tables.iter().map(|t| {
                let header = t.span().map_or(key_span, |s| source.line_span(s.start));
                Node { kind: Kind::Table(table(source, t)), span: header }
            });
            Some(Node { kind: Kind::List(nodes.collect()), span: key_span })
        }
    }
}

fn value(source: &Source, value: &Value, key_span: Span) -> Node {
    let span = value.span().map_or(key_span, span);
    let kind = match value {
        Value::String(_) => Kind::Text(text::decode(&source.text, span)),
        Value::Integer(n) => Kind::Number(Rational::from(*n.value())),
        Value::Float(x) => {
            let digits = span.of(&source.text);
            match Rational::from_decimal(digits) {
                Some(exact) if x.value().is_finite() => Kind::Number(exact),
                _ => Kind::NotFinite(digits.to_owned()),
            }
        }
        Value::Boolean(b) => Kind::Boolean(*b.value()),
        Value::Datetime(_) => Kind::Date,
        Value::Array(list) => {
            let nodes = list.iter().map(|element| self::value(source, element, span));
            Kind::List(nodes.collect())
        }
        Value::InlineTable(t) => Kind::Table(table(source, t)),
    };
    Node { kind, span }
}

fn span(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start, range.end)
}
