//! A TOML file with places, and what is wrong with it.

use appell_expr::Span;
use appell_model::{Code, Diagnostic, nearest};
use toml_edit::{Item, TableLike, Value};

/// What is wrong so far.
#[derive(Default)]
pub(crate) struct Report(pub Vec<Diagnostic>);

impl Report {
    /// Notes an error; for `?` and `None`.
    pub fn say<T>(
        &mut self,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: &str,
    ) -> Option<T> {
        self.0.push(Diagnostic::new(code, message, span, label));
        None
    }

    /// A word that is none of those that are known.
    pub fn unknown<'k>(
        &mut self,
        code: Code,
        what: &str,
        word: &str,
        span: Span,
        known: impl Iterator<Item = &'k str>,
    ) {
        let known: Vec<&str> = known.collect();
        let label = nearest(word, known.iter().copied())
            .map_or_else(String::new, |near| format!("did you mean `{near}`?"));
        let diagnostic = Diagnostic::new(code, format!("unknown {what} `{word}`"), span, label);
        self.0
            .push(diagnostic.note(format!("known: {}", known.join(", "))));
    }
}

/// An entry of a table.
pub(crate) struct Entry<'t> {
    pub key: &'t str,
    pub span: Span,
    pub item: &'t Item,
}

/// The entries of a table, in the order of the file.
pub(crate) fn entries(table: &dyn TableLike) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = table
        .iter()
        .map(|(key, item)| Entry {
            key,
            span: span(table.key(key).and_then(toml_edit::Key::span)),
            item,
        })
        .collect();
    entries.sort_by_key(|entry| entry.span.start);
    entries
}

fn span(range: Option<std::ops::Range<usize>>) -> Span {
    range.map_or_else(Span::default, |range| Span::new(range.start, range.end))
}

impl Entry<'_> {
    /// The place of the value, or of its key.
    pub fn place(&self) -> Span {
        self.item
            .span()
            .map_or(self.span, |range| span(Some(range)))
    }

    /// A finite number.
    pub fn number(&self, report: &mut Report) -> Option<f64> {
        let value = self.item.as_value().and_then(number);
        match value {
            Some(x) if x.is_finite() => Some(x),
            Some(_) => report.say(
                Code::NotFinite,
                format!("`{}` is not finite", self.key),
                self.place(),
                "a finite number",
            ),
            None => self.wrong("a number", report),
        }
    }

    /// A whole number that is not negative.
    pub fn count(&self, report: &mut Report) -> Option<u64> {
        let value = self.item.as_integer().and_then(|n| u64::try_from(n).ok());
        value.or_else(|| self.wrong("a whole number, 0 or more", report))
    }

    /// A text.
    pub fn text(&self, report: &mut Report) -> Option<String> {
        let text = self.item.as_str().map(str::to_owned);
        text.or_else(|| self.wrong("a string", report))
    }

    /// A text, or several.
    pub fn texts(&self, report: &mut Report) -> Option<Vec<(String, Span)>> {
        if let Some(text) = self.item.as_str() {
            return Some(vec![(text.to_owned(), self.place())]);
        }
        let texts = self.item.as_array().map(|list| {
            let texts = list
                .iter()
                .map(|item| Some((item.as_str()?.to_owned(), span(item.span()))));
            texts.collect::<Option<Vec<_>>>()
        });
        texts
            .flatten()
            .or_else(|| self.wrong("a list of strings", report))
    }

    /// Numbers of a list.
    pub fn numbers(&self, report: &mut Report) -> Option<Vec<f64>> {
        let list = self.item.as_array().map(|list| {
            let finite = |x: &Value| number(x).filter(|x| x.is_finite());
            list.iter().map(finite).collect::<Option<Vec<f64>>>()
        });
        list.flatten()
            .or_else(|| self.wrong("a list of finite numbers", report))
    }

    /// Two numbers of a list.
    pub fn pair(&self, report: &mut Report) -> Option<[f64; 2]> {
        let pair = self.numbers(report)?.try_into().ok();
        pair.or_else(|| self.wrong("two numbers", report))
    }

    /// A table.
    pub fn table(&self, report: &mut Report) -> Option<&dyn TableLike> {
        let table = self.item.as_table_like();
        table.or_else(|| self.wrong("a table", report))
    }

    fn wrong<T>(&self, needed: &str, report: &mut Report) -> Option<T> {
        let message = format!("`{}` is not {needed}", self.key);
        report.say(
            Code::WrongType,
            message,
            self.place(),
            &format!("{needed} is needed"),
        )
    }
}

fn number(value: &Value) -> Option<f64> {
    value
        .as_float()
        .or_else(|| value.as_integer().map(|n| n as f64))
}
