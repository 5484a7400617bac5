//! The entries of a table or list, as many as are allowed.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Kind, Node, Table};
use appell_expr::Span;

/// More entries of a table or list than this are refused.
const MAX_ENTRIES: usize = 5000;

/// The entries of a table of the model whose keys are names.
pub(crate) fn entries<'d>(model: &'d Table, key: &str, report: &mut Report) -> &'d [Entry] {
    match model.get(key).map(|entry| &entry.value) {
        None => &[],
        Some(Node {
            kind: Kind::Table(table),
            span,
        }) => limited(&table.entries, key, *span, report),
        Some(node) => {
            // Several readers ask for some tables; the complaint is wanted once.
            let diagnostic = node.wrong_type(key, "a table");
            report.push_once(diagnostic);
            &[]
        }
    }
}

/// The first of the elements, and an error if there are more than can be read.
pub(crate) fn limited<'d, E>(
    elements: &'d [E],
    key: &str,
    place: Span,
    report: &mut Report,
) -> &'d [E] {
    if elements.len() <= MAX_ENTRIES {
        return elements;
    }
    let message = format!(
        "`{key}` has {} entries, more than the limit of {MAX_ENTRIES}",
        elements.len()
    );
    report.push_once(Diagnostic::new(Code::TooLarge, message, place, "too many"));
    &elements[..MAX_ENTRIES]
}
