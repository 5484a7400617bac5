//! The law about the length of functions.

use super::Violation;
use super::repository::{File, Repository};

/// A function may have as many lines without a reason.
const MOST_LINES: usize = 60;

/// How the comment above a longer function begins the reason.
const REASON: &str = "One piece: ";

/// No function of the crates is longer than a page, but where the comment above it says why.
pub fn functions(repository: &Repository) -> Vec<Violation> {
    let sources = repository.ending(".rs").filter(|file| {
        let mut parts = file.path.split('/');
        parts.next() == Some("crates") && parts.nth(1) == Some("src")
    });
    sources.flat_map(too_long).collect()
}

fn too_long(file: &File) -> Vec<Violation> {
    let lines: Vec<&str> = file.text.lines().collect();
    let starts = (0..lines.len()).filter(|&start| has_function(lines[start]));
    let long = starts.filter_map(|start| {
        let length = length(&lines[start..])?;
        (length > MOST_LINES && !has_reason(&lines[..start])).then(|| Violation {
            path: file.path.clone(),
            line: start + 1,
            message: format!(
                "{length} lines, more than {MOST_LINES}: split it by what has a name, or say above it \
                 why it is one (`{REASON}..`)"
            ),
        })
    });
    long.collect()
}

/// Whether a function begins in this line: `fn` after nothing but words such as `pub(crate) const unsafe`.
fn has_function(line: &str) -> bool {
    let Some((before, after)) = line.split_once("fn ") else {
        return false;
    };
    let qualifier = |word: &str| {
        let known = ["pub", "const", "unsafe", "async", "extern", "\"C\"", "in"];
        known.contains(&word) || word.starts_with("pub(") || word.ends_with(')')
    };
    (before.is_empty() || before.ends_with(' '))
        && before.split_whitespace().all(qualifier)
        && after.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The number of lines of the function that begins here; none if it has no body of its own lines.
fn length(lines: &[&str]) -> Option<usize> {
    let head = lines
        .iter()
        .position(|line| line.ends_with(['{', '}', ';']))?;
    if !lines[head].ends_with('{') {
        return None;
    }
    let indent = lines[0].len() - lines[0].trim_start().len();
    let close = format!("{}}}", &lines[0][..indent]);
    lines
        .iter()
        .position(|line| *line == close)
        .map(|at| at + 1)
}

/// Whether the comment that ends here, attributes aside, gives the reason.
fn has_reason(before: &[&str]) -> bool {
    let above = before.iter().rev().map(|line| line.trim_start());
    let mut above = above.take_while(|line| line.starts_with("//") || line.starts_with("#["));
    above.any(|line| line.starts_with("//") && line.contains(REASON))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function of so many lines, with its signature over two.
    fn function(head: &str, lines: usize) -> String {
        let body = "        let _ = 1;\n".repeat(lines - 3);
        format!("{head}\n    x: f64) {{\n{body}    }}\n")
    }

    fn broken(path: &str, text: &str) -> Vec<usize> {
        let found = functions(&Repository::of(&[(path, text)]));
        found.iter().map(|violation| violation.line).collect()
    }

    const SOURCE: &str = "crates/a/src/lib.rs";

    #[test]
    fn a_long_function_is_found_by_its_first_line() {
        for head in [
            "fn f(",
            "pub fn f(",
            "pub(crate) const unsafe fn f<T>(",
            "pub(in a) fn f(",
        ] {
            let head = format!("    {head}");
            assert!(broken(SOURCE, &function(&head, MOST_LINES)).is_empty());
            let long = function(&head, MOST_LINES + 1);
            assert_eq!(broken(SOURCE, &long), [1], "{head}");
            assert_eq!(broken(SOURCE, &format!("struct A;\n\n{long}")), [3]);
            assert!(broken("crates/a/tests/all.rs", &long).is_empty());
        }
    }

    #[test]
    fn a_reason_stands_in_the_comment_of_the_function() {
        let long = function("    pub fn f(", MOST_LINES + 1);
        let reason = "    /// What it does.\n    ///\n    /// One piece: a table.\n";
        assert!(broken(SOURCE, &format!("{reason}{long}")).is_empty());
        assert!(broken(SOURCE, &format!("{reason}    #[inline]\n{long}")).is_empty());
        assert_eq!(
            broken(SOURCE, &format!("{reason}    struct A;\n{long}")),
            [5]
        );
        assert_eq!(broken(SOURCE, &format!("    /// One piece.\n{long}")), [2]);
    }

    #[test]
    fn declarations_and_what_follows_them_are_no_functions() {
        let declared = format!("    fn f(&self);\n{}    }}\n", "    // a line\n".repeat(80));
        assert!(broken(SOURCE, &declared).is_empty());
        let call = format!("    let x = fn_of(\n{}    }}\n", "    1,\n".repeat(80));
        assert!(broken(SOURCE, &call).is_empty());
        let text = format!(
            "    // fn f(x) {{\n{}    }}\n",
            "    // a line\n".repeat(80)
        );
        assert!(broken(SOURCE, &text).is_empty());
    }
}
