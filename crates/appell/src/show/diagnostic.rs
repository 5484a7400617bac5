//! Diagnostics about the question rather than the file.

use appell_expr::Span;
use appell_model::{Diagnostic, Severity, Source, render};

/// A diagnostic of [`crate::Prepared::new`], [`crate::check()`] or [`crate::run()`] as it is shown on a terminal.
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
}
