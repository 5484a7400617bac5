//! Diagnostics about the question rather than the file.

use appell_expr::Span;
use appell_model::{Diagnostic, Label, Severity, Source, render};
use serde_json::{Value, json};

/// A diagnostic of `Prepared::new`, `check` or `run` as it is shown on a terminal.
///
/// One without a place in the file, as about an option, is shown without lines of the file.
pub fn diagnostic_text(diagnostic: &Diagnostic, source: &Source, colour: bool) -> String {
    if diagnostic.label.span != Span::default() {
        return render(diagnostic, source, colour);
    }
    let (word, tone) = match diagnostic.severity {
        Severity::Error => ("error", "1;31"),
        Severity::Warning => ("warning", "1;33"),
    };
    let (red, bold, end) = match colour {
        true => (format!("\u{1b}[{tone}m"), "\u{1b}[1m", "\u{1b}[0m"),
        false => (String::new(), "", ""),
    };
    let message = super::plain(&diagnostic.message);
    let head = format!(
        "{red}{word}[{}]{end}{bold}: {message}{end}\n",
        diagnostic.code.id()
    );
    let notes = diagnostic
        .notes
        .iter()
        .map(|note| format!("  = {}\n", super::plain(note)));
    notes.fold(head, |text, note| text + &note)
}

/// Diagnostics for programs: a list of `{"code", "severity", "message", "file", "line", "column", "span",
/// "hint", "more", "notes", "text"}`. `span` counts characters of the source, its end excluded; `text` is
/// what a terminal shows. Without a place, `line`, `column` and `span` are null.
pub fn diagnostics_json(diagnostics: &[Diagnostic], source: &Source) -> String {
    let place = |span: Span| {
        let characters = |offset| source.text.get(..offset).map(|text| text.chars().count());
        let start = source.place(span.start);
        let is_known = span != Span::default();
        json!({
            "line": is_known.then_some(start.line),
            "column": is_known.then_some(start.column),
            "span": is_known.then(|| [characters(span.start), characters(span.end)]),
        })
    };
    let label = |label: &Label| {
        let mut entry = place(label.span);
        entry["hint"] = json!(label.text);
        entry
    };
    let one = |diagnostic: &Diagnostic| {
        let mut entry = label(&diagnostic.label);
        entry["code"] = json!(diagnostic.code.id());
        entry["severity"] = json!(match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        });
        entry["message"] = json!(diagnostic.message);
        entry["file"] = json!(source.name);
        entry["more"] = diagnostic.more.iter().map(label).collect();
        entry["notes"] = json!(diagnostic.notes);
        entry["text"] = json!(diagnostic_text(diagnostic, source, false));
        entry
    };
    super::json_line(&diagnostics.iter().map(one).collect::<Vec<Value>>())
}

/// The same for a problem in words, of no place and no code.
pub fn words_json(message: &str, notes: &[String]) -> String {
    super::json_line(&[json!({
        "code": null,
        "severity": "error",
        "message": message,
        "file": null,
        "line": null,
        "column": null,
        "span": null,
        "hint": null,
        "more": [],
        "notes": notes,
        "text": message,
    })])
}

#[cfg(test)]
mod tests {
    use super::*;
    use appell_model::Code;

    #[test]
    fn lines_of_the_file_are_shown_only_where_they_matter() {
        let source = Source::new("m.toml", "coordinates = []\n");
        let what = |span| {
            Diagnostic::new(Code::BadValue, "no end time", span, "here").note("write --until")
        };
        let placed = diagnostic_text(&what(Span::new(0, 11)), &source, false);
        assert!(placed.contains("m.toml:1:1"), "{placed}");
        let without = diagnostic_text(&what(Span::default()), &source, false);
        assert_eq!(without, "error[E0012]: no end time\n  = write --until\n");
        let coloured = diagnostic_text(&what(Span::default()), &source, true);
        assert_eq!(
            coloured.lines().next(),
            Some("\u{1b}[1;31merror[E0012]\u{1b}[0m\u{1b}[1m: no end time\u{1b}[0m")
        );
    }

    #[test]
    fn programs_get_places_in_characters() {
        let source = Source::new("m.toml", "title = \"\u{e9}\"\nz = 1\n");
        let placed = Diagnostic::new(Code::BadValue, "not this", Span::new(13, 14), "here");
        let nowhere = Diagnostic::new(Code::BadValue, "no end time", Span::default(), "");
        let text = diagnostics_json(&[placed, nowhere], &source);
        let list: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(list[0]["span"], json!([12, 13]), "{list}");
        assert_eq!(
            (&list[0]["line"], &list[0]["column"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(list[0]["hint"], json!("here"));
        assert_eq!(list[0]["code"], json!("E0012"));
        assert_eq!(list[1]["span"], Value::Null);
        assert_eq!(list[1]["text"], json!("error[E0012]: no end time\n"));
    }
}
