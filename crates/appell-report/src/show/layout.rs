//! The layout of a summary: a column of labels, beside each its lines.

use crate::padding;

/// The column in which the lines begin, unless a label is longer.
const LABELS: usize = 14;
/// Lists are broken before this column where they can be.
const WIDTH: usize = 100;

/// A summary that grows from top to bottom.
#[derive(Default)]
pub(super) struct Page {
    text: String,
}

impl Page {
    /// A label with its lines; nothing at all if there are none.
    pub(super) fn entry<S: AsRef<str>>(&mut self, label: &str, lines: impl IntoIterator<Item = S>) {
        let mut label = label;
        for line in lines {
            self.line(&format!("  {label:LABELS$}{}", line.as_ref()));
            label = "";
        }
    }

    /// A line across both columns.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(plain(line).trim_end());
        self.text.push('\n');
    }

    /// The whole summary.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// The text with a stand-in for characters that would steer a terminal or turn the text.
pub fn plain(text: &str) -> String {
    text.chars().map(appell_model::harmless).collect()
}

/// Items separated by commas, in as many lines as they need.
pub(super) fn listed(items: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if fits(line, ", ", &item) => {
                line.push_str(", ");
                line.push_str(&item);
            }
            Some(line) => {
                line.push(',');
                lines.push(item);
            }
            None => lines.push(item),
        }
    }
    lines
}

/// Whether an item, a separator before it and a comma behind it still have room in a line.
fn fits(line: &str, separator: &str, item: &str) -> bool {
    let length = |text: &str| text.chars().count();
    LABELS + length(line) + length(separator) + length(item) < WIDTH
}

/// Words in as many lines as they need.
pub(super) fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if fits(line, " ", word) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The text with lines of at most so many characters: what is longer goes on below the column in which its words
/// began, or below its indentation. Words stay whole.
pub fn fitted(text: &str, width: usize) -> String {
    text.split_inclusive('\n')
        .map(|line| match line.chars().count() > width + 1 {
            true => folded(line.trim_end_matches('\n'), width) + "\n",
            false => line.to_owned(),
        })
        .collect()
}

fn folded(line: &str, width: usize) -> String {
    let indent = line.len() - line.trim_start().len();
    // Behind the first gap between columns there is what a label speaks of.
    let gap = line[indent..].find("  ").map(|at| indent + at);
    let column = gap.map(|at| at + line[at..].len() - line[at..].trim_start().len());
    let column = column.map(|at| line[..at].chars().count());
    let hang = column.unwrap_or(indent + 2).min(width / 2);
    let (mut done, mut rest) = (String::new(), line);
    loop {
        let most = width - if done.is_empty() { 0 } else { hang };
        let start = if done.is_empty() { hang } else { 0 };
        // `x = 1` stays together.
        let bound = |at: usize| rest[..at].ends_with('=') || rest[at + 1..].starts_with('=');
        let blanks = rest.char_indices().enumerate();
        let blanks = blanks.filter(|(k, (at, c))| *c == ' ' && *k > start && !bound(*at));
        let all: Vec<(usize, usize)> = blanks.map(|(k, (at, _))| (k, at)).collect();
        let fits = rest.chars().count() <= most;
        let within = all.iter().rev().find(|(k, _)| *k <= most);
        match within.or(all.first()).filter(|_| !fits) {
            None => return done + rest,
            Some((_, at)) => {
                done += rest[..*at].trim_end();
                done += &format!("\n{}", " ".repeat(hang));
                rest = rest[*at..].trim_start();
            }
        }
    }
}

/// Rows of cells as lines of columns: the first column stands to the left, the others to the right.
pub(super) fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let length = |cell: &String| cell.chars().count();
    let width = |j: usize| {
        rows.iter()
            .filter_map(|row| row.get(j))
            .map(length)
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let cell = |(j, text): (usize, &String)| match j {
        0 => padding::left(text, widths[0]),
        _ => format!("  {}", padding::right(text, widths[j])),
    };
    rows.iter()
        .map(|row| row.iter().enumerate().map(cell).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stand_beside_their_labels() {
        let mut page = Page::default();
        page.entry("steps", ["12"]);
        page.entry("nothing", [""; 0]);
        page.entry("claims", ["one", "two\u{1b}[31m"]);
        let expected = "  steps         12\n  claims        one\n                two\u{fffd}[31m\n";
        assert_eq!(page.finish(), expected);
    }

    #[test]
    fn long_lines_go_on_below_their_words() {
        let text = "  claims        one two three four\nshort\n";
        let narrow = "  claims        one two\n           three four\nshort\n";
        assert_eq!(fitted(text, 23), narrow);
        assert_eq!(fitted(text, 40), text);
        let sentence = "The motion was computed to its end.";
        let lines = fitted(sentence, 14);
        assert_eq!(lines, "The motion was\n  computed to\n  its end.\n");
        assert_eq!(fitted("unbreakable\n", 4), "unbreakable\n");
    }

    #[test]
    fn lists_are_broken_at_commas() {
        let items = (0..40).map(|i| format!("x{i} = 1"));
        let lines = listed(items);
        assert!(lines.len() > 1);
        assert!(lines.iter().all(|line| LABELS + line.len() <= WIDTH));
        assert_eq!(lines.join(" ").split(", ").count(), 40);
        assert!(listed([]).is_empty());
    }

    #[test]
    fn long_sentences_are_broken_at_blanks() {
        let sentence = vec!["word"; 60].join(" ");
        let lines = wrapped(&sentence);
        assert!(lines.len() > 1);
        assert!(lines.iter().all(|line| LABELS + line.len() <= WIDTH));
        assert_eq!(lines.join(" "), sentence);
        assert_eq!(wrapped(&"x".repeat(500)).len(), 1, "a word stays whole");
    }

    #[test]
    fn columns_are_aligned_also_where_rows_are_short() {
        let row = |cells: &[&str]| cells.iter().map(|&c| c.to_owned()).collect::<Vec<String>>();
        let lines = columns(&[
            row(&["", "q", "v"]),
            row(&["θ", "1", "-0.5"]),
            row(&["xyz", "10"]),
        ]);
        assert_eq!(lines, ["      q     v", "θ     1  -0.5", "xyz  10"]);
        assert!(columns(&[]).is_empty());
    }
}
