//! First integrals, as text.

use super::layout::{Page, wrapped};
use super::proof::words;
use appell_study::questions::conserved::Conserved;
use appell_study::values::prepared::Prepared;

/// What was searched and what was found: what `appell conserved` prints.
pub fn conserved_text(p: &Prepared<'_>, conserved: &Conserved) -> String {
    let mut page = Page::default();
    page.line(&p.model.title);
    let families = conserved.ansatz.split("; ");
    page.entry("searched", families.flat_map(wrapped));
    let integrals = conserved.integrals.iter().flat_map(|integral| {
        let verdict = format!("  {}: {}", integral.kind, words(&integral.verdict));
        [integral.expression.clone(), verdict]
    });
    page.entry("conserved", integrals);
    if conserved.integrals.is_empty() {
        page.entry("conserved", ["nothing of what was searched"]);
    }
    if conserved.interrupted {
        page.entry("interrupted", ["what was found so far is kept"]);
    }
    page.finish()
}
