//! Diagnostics as text, with the lines they speak of.
//!
//! ```text
//! error[E0102]: unknown name `tetha`
//!   --> skate.toml:18:17
//! 18 | blade = "x'*sin(tetha) - y'*cos(theta) = 0"
//!    |                 ^^^^^ did you mean `theta`?
//!    = known: coordinates x, y, theta; parameters m, I, g, alpha
//! ```

use crate::codes::Severity;
use crate::diagnostic::{Diagnostic, Label};
use crate::source::Source;
use appell_expr::Span;
use unicode_width::UnicodeWidthChar;

/// Columns of source shown at most; longer lines are cut around what is marked.
const COLUMNS: usize = 100;
/// Columns kept before a mark in a cut line.
const LEAD: usize = 30;
/// Characters of a message, label or note shown at most.
const WORDS: usize = 600;
/// Columns of a tab.
const TAB: usize = 4;

/// The diagnostic as it is shown on a terminal or in a page, ending with a line end.
///
/// With `colour`, ANSI sequences are added; they change nothing else. Control characters of the
/// source and of the messages are never passed on.
pub fn render(diagnostic: &Diagnostic, source: &Source, colour: bool) -> String {
    let snippets = snippets(diagnostic, source);
    let last = snippets
        .iter()
        .map(|snippet| snippet.line)
        .max()
        .unwrap_or(1);
    let page = Page {
        gutter: last.to_string().len(),
        colour,
        tone: tone(diagnostic.severity),
    };
    let mut text = page.header(diagnostic);
    text += &page.location(diagnostic, source);
    let mut previous = None;
    for snippet in &snippets {
        if previous.is_some_and(|line| line + 1 < snippet.line) {
            text += "...\n";
        }
        text += &page.snippet(snippet, source);
        previous = Some(snippet.line);
    }
    for note in &diagnostic.notes {
        text += &page.note(note);
    }
    text
}

/// One after the other, with an empty line between.
pub fn render_all(diagnostics: &[Diagnostic], source: &Source, colour: bool) -> String {
    let pages: Vec<String> = diagnostics
        .iter()
        .map(|d| render(d, source, colour))
        .collect();
    pages.join("\n")
}

/// ANSI parameters.
type Tone = &'static str;
const BOLD: Tone = "1";
const FRAME: Tone = "1;34";

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
    }
}

/// A line of the source with its marks.
struct Snippet<'a> {
    line: usize,
    span: Span,
    marks: Vec<Mark<'a>>,
}

struct Mark<'a> {
    span: Span,
    text: &'a str,
    primary: bool,
}

/// The lines to show, in order, each once.
fn snippets<'a>(diagnostic: &'a Diagnostic, source: &Source) -> Vec<Snippet<'a>> {
    let mut all: Vec<Snippet> = Vec::new();
    let labels = std::iter::once(&diagnostic.label).chain(&diagnostic.more);
    for (index, label) in labels.enumerate() {
        for mark in marks(label, index == 0, source) {
            let span = source.line_span(mark.span.start);
            match all.iter_mut().find(|snippet| snippet.span == span) {
                Some(snippet) => snippet.marks.push(mark),
                None => {
                    let line = source.place(span.start).line;
                    all.push(Snippet {
                        line,
                        span,
                        marks: vec![mark],
                    });
                }
            }
        }
    }
    all.sort_by_key(|snippet| snippet.line);
    for snippet in &mut all {
        snippet
            .marks
            .sort_by_key(|mark| (mark.span.start, !mark.primary));
    }
    all
}

/// The marks of a label: one, or where it covers several lines one in the first line and one,
/// with the text, in the last.
fn marks<'a>(label: &'a Label, primary: bool, source: &Source) -> Vec<Mark<'a>> {
    let start = source.floor(label.span.start);
    let end = source.floor(label.span.end).max(start);
    let first = source.line_span(start);
    let last = source.line_span(if end > start { end - 1 } else { end });
    let mark = |start, end, text| Mark {
        span: Span::new(start, end),
        text,
        primary,
    };
    if first == last {
        return vec![mark(start, end.min(first.end.max(start)), &label.text)];
    }
    let text = last.of(&source.text);
    let indent = text.len() - text.trim_start().len();
    vec![
        mark(start, first.end.max(start), ""),
        mark(
            (last.start + indent).min(end),
            end.min(last.end),
            &label.text,
        ),
    ]
}

/// How a page is set out.
struct Page {
    gutter: usize,
    colour: bool,
    tone: Tone,
}

impl Page {
    fn paint(&self, tone: Tone, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{tone}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    fn header(&self, diagnostic: &Diagnostic) -> String {
        let word = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let head = self.paint(self.tone, &format!("{word}[{}]", diagnostic.code.id()));
        let message = self.paint(BOLD, &format!(": {}", words(&diagnostic.message)));
        format!("{head}{message}\n")
    }

    fn location(&self, diagnostic: &Diagnostic, source: &Source) -> String {
        let place = source.place(diagnostic.label.span.start);
        let arrow = self.paint(FRAME, &format!("{:gutter$}-->", "", gutter = self.gutter));
        format!(
            "{arrow} {}:{}:{}\n",
            words(&source.name),
            place.line,
            place.column
        )
    }

    fn note(&self, note: &str) -> String {
        let note = words(note);
        let mut text = String::new();
        for (index, line) in note.lines().enumerate() {
            let sign = if index == 0 { "=" } else { " " };
            let sign = self.paint(
                FRAME,
                &format!("{:gutter$} {sign}", "", gutter = self.gutter),
            );
            text += format!("{sign} {line}").trim_end();
            text.push('\n');
        }
        text
    }

    fn snippet(&self, snippet: &Snippet, source: &Source) -> String {
        let view = View::new(snippet, source);
        let number = format!("{:>gutter$} |", snippet.line, gutter = self.gutter);
        let mut text = format!("{} {}", self.paint(FRAME, &number), view.text)
            .trim_end()
            .to_owned();
        text.push('\n');
        let bar = self.paint(FRAME, &format!("{:gutter$} |", "", gutter = self.gutter));
        for mark in &snippet.marks {
            let (start, width) = view.columns(mark.span);
            let sign = if mark.primary { "^" } else { "-" };
            let under = format!("{} {}", sign.repeat(width), words(mark.text));
            let tone = if mark.primary { self.tone } else { FRAME };
            let under = self.paint(tone, under.trim_end());
            text += &format!("{bar} {:start$}{under}\n", "");
        }
        text
    }
}

/// One character of a line as shown.
struct Cell {
    /// Its byte in the source.
    byte: usize,
    /// The column it begins in.
    column: usize,
    shown: char,
}

/// A line as shown, cut to what fits.
struct View {
    text: String,
    cells: Vec<Cell>,
    /// The columns of the uncut line that are shown.
    from: usize,
    to: usize,
    /// Columns of the whole line.
    width: usize,
}

impl View {
    fn new(snippet: &Snippet, source: &Source) -> Self {
        let (cells, width) = cells(snippet.span, source);
        let mut view = Self {
            text: String::new(),
            cells,
            from: 0,
            to: width,
            width,
        };
        if width > COLUMNS {
            let wanted = snippet
                .marks
                .iter()
                .map(|mark| view.column(mark.span.start))
                .min();
            let from = wanted.unwrap_or(0).saturating_sub(LEAD);
            view.from = if from < LEAD {
                0
            } else {
                from.min(width - COLUMNS)
            };
            view.to = view.from + COLUMNS;
        }
        view.text = view.shown();
        view
    }

    fn shown(&self) -> String {
        let inside = |cell: &&Cell| (self.from..self.to).contains(&cell.column);
        let mut text: String = self
            .cells
            .iter()
            .filter(inside)
            .map(|cell| cell.shown)
            .collect();
        if self.from > 0 {
            text.insert(0, '…');
        }
        if self.to < self.width {
            text.push('…');
        }
        text
    }

    /// The column in the uncut line at which a byte of the source is shown.
    fn column(&self, byte: usize) -> usize {
        let at = self.cells.partition_point(|cell| cell.byte < byte);
        self.cells.get(at).map_or(self.width, |cell| cell.column)
    }

    /// Where a mark begins in the shown text, and how many columns it takes: one at least.
    fn columns(&self, span: Span) -> (usize, usize) {
        let start = self.column(span.start).clamp(self.from, self.to);
        let end = self.column(span.end).clamp(start, self.to);
        let shift = usize::from(self.from > 0);
        (start - self.from + shift, (end - start).max(1))
    }
}

/// The characters of a line with their columns, and the columns of all.
fn cells(span: Span, source: &Source) -> (Vec<Cell>, usize) {
    let mut cells = Vec::new();
    let mut column = 0;
    for (offset, character) in span.of(&source.text).char_indices() {
        let byte = span.start + offset;
        if character == '\t' {
            for _ in 0..TAB {
                cells.push(Cell {
                    byte,
                    column,
                    shown: ' ',
                });
                column += 1;
            }
        } else {
            let shown = harmless(character);
            cells.push(Cell {
                byte,
                column,
                shown,
            });
            column += shown.width().unwrap_or(0);
        }
    }
    (cells, column)
}

/// The character itself, or a stand-in for one that would steer the terminal or turn the text.
pub fn harmless(character: char) -> char {
    match character {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => {
            '\u{fffd}'
        }
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// Harmless and not endless.
fn words(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(WORDS)
        .map(|c| if c == '\n' { c } else { harmless(c) })
        .collect();
    if text.chars().nth(WORDS).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::Code;

    fn diagnostic(span: Span) -> Diagnostic {
        Diagnostic::new(
            Code::UnknownName,
            "unknown name `tetha`",
            span,
            "did you mean `theta`?",
        )
    }

    /// The span of the first occurrence of `part`.
    fn at(source: &Source, part: &str) -> Span {
        let start = source.text.find(part).expect("the part is in the text");
        Span::new(start, start + part.len())
    }

    #[test]
    fn the_shape_of_the_reference() {
        let line = "blade = \"x'*sin(tetha) - y'*cos(theta) = 0\"";
        let source = Source::new("skate.toml", &format!("{}{line}\n", "\n".repeat(17)));
        let shown = diagnostic(at(&source, "tetha"))
            .note("known: coordinates x, y, theta; parameters m, I, g, alpha");
        let expected = [
            "error[E0102]: unknown name `tetha`",
            "  --> skate.toml:18:17",
            "18 | blade = \"x'*sin(tetha) - y'*cos(theta) = 0\"",
            "   |                 ^^^^^ did you mean `theta`?",
            "   = known: coordinates x, y, theta; parameters m, I, g, alpha\n",
        ];
        assert_eq!(render(&shown, &source, false), expected.join("\n"));
    }

    #[test]
    fn wide_letters_and_tabs_move_the_mark() {
        let source = Source::new("m.toml", "\t\"漢é\" tetha");
        let shown = render(&diagnostic(at(&source, "tetha")), &source, false);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], " --> m.toml:1:7");
        assert_eq!(lines[2], "1 |     \"漢é\" tetha");
        assert_eq!(lines[3], "  |           ^^^^^ did you mean `theta`?");
    }

    #[test]
    fn long_lines_are_cut_on_both_sides() {
        let source = Source::new(
            "m.toml",
            &format!("{}tetha{}", "a".repeat(500), "b".repeat(500)),
        );
        let shown = render(&diagnostic(at(&source, "tetha")), &source, false);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines[2],
            format!("1 | …{}tetha{}…", "a".repeat(30), "b".repeat(65))
        );
        assert_eq!(lines[3].find('^'), Some(4 + 1 + 30));
    }

    #[test]
    fn several_lines_and_several_labels() {
        let source = Source::new(
            "m.toml",
            "one = \"\"\"\n  two\n  three\n  tetha\"\"\"\nfive = 5\n",
        );
        let start = at(&source, "\"\"\"").start;
        let span = Span::new(start, at(&source, "tetha\"\"\"").end);
        let shown = render(
            &diagnostic(span).also(at(&source, "five"), "here"),
            &source,
            false,
        );
        let expected = [
            "error[E0102]: unknown name `tetha`",
            " --> m.toml:1:7",
            "1 | one = \"\"\"",
            "  |       ^^^",
            "...",
            "4 |   tetha\"\"\"",
            "  |   ^^^^^^^^ did you mean `theta`?",
            "5 | five = 5",
            "  | ---- here\n",
        ];
        assert_eq!(shown, expected.join("\n"));
    }

    #[test]
    fn colour_changes_nothing_else_and_control_characters_are_stopped() {
        let source = Source::new("m\u{1b}.toml", "\u{1b}[31m\u{202e}tetha\u{7}");
        let plain = render(&diagnostic(at(&source, "tetha")), &source, false);
        assert!(
            !plain.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{plain:?}"
        );
        let coloured = render(&diagnostic(at(&source, "tetha")), &source, true);
        let mut stripped = coloured.clone();
        for tone in ["0", "1", "1;31", "1;34"] {
            stripped = stripped.replace(&format!("\u{1b}[{tone}m"), "");
        }
        assert_ne!(coloured, plain);
        assert_eq!(stripped, plain);
    }

    #[test]
    fn spans_outside_the_text_are_shown_at_its_end() {
        for text in ["", "a", "a\n", "é"] {
            let source = Source::new("m.toml", text);
            for (start, end) in [(0, 0), (1, 1), (7, 9), (2, 1), (0, 99)] {
                let shown = render(&diagnostic(Span { start, end }), &source, false);
                assert_eq!(shown.lines().count(), 4, "{shown}");
            }
        }
    }
}
