//! The tabs of equations: what a page has room for, and what waits.

use super::{Form, Page};
use crate::derivation::{Parts, Typeset, folded, parts};
use crate::lettering::escape;
use appell_expr::limits::is_hurried;
use std::cell::RefCell;
use std::collections::HashMap;

/// The formulas that stand in the page ready for reading take about so many bytes; the others wait, packed.
const READY: usize = 150_000;
/// The form that is run may take as much as so many others.
const SHARES: usize = 4;

/// A section for each form, and the LaTeX of formulas that wait until they are looked at.
pub(crate) fn sections(page: &Page) -> (String, Vec<String>) {
    let typeset = RefCell::new(Typeset::default());
    let mut systems: HashMap<String, &'static str> = HashMap::new();
    // The form that was run comes first, so that it is the one with the matrices.
    let (run, others): (Vec<&Form>, Vec<&Form>) =
        page.forms.iter().partition(|form| form.id == page.form);
    let mut shares = SHARES * run.len() + others.len();
    let mut html = String::new();
    for (index, form) in run.iter().chain(&others).enumerate() {
        let share = if index < run.len() { SHARES } else { 1 };
        let left = READY.saturating_sub(typeset.borrow().spent());
        typeset.borrow_mut().allow(left * share / shares.max(1));
        shares -= share;
        html.push_str(&section(form, &mut systems, &typeset));
    }
    (html, typeset.into_inner().late)
}

fn section(
    form: &Form,
    systems: &mut HashMap<String, &'static str>,
    typeset: &RefCell<Typeset>,
) -> String {
    let title = escape(form.title);
    let id = escape(form.id);
    let content = match &form.derivation {
        Err(why) => remark(why),
        Ok(_) if is_hurried() => remark("Derived, but not written: the work was stopped."),
        Ok(derivation) => content(form, parts(derivation, typeset), systems),
    };
    let applies = form.derivation.is_ok();
    format!(
        "<section class=\"form\" id=\"form-{id}\" data-applies=\"{applies}\">\n<h3>{title}</h3>\n{content}</section>\n"
    )
}

fn remark(words: &str) -> String {
    format!("<p class=\"remark\">{}</p>\n", escape(words))
}

fn content(form: &Form, parts: Parts, systems: &mut HashMap<String, &'static str>) -> String {
    let system = match systems.get(&parts.system) {
        Some(first) => remark(&format!(
            "Energies, matrices and constraints: as under {first}."
        )),
        None => {
            let shown = folded("Energies, matrices, constraints", &parts.system);
            systems.insert(parts.system, form.title);
            shown
        }
    };
    [
        parts.statement,
        system,
        parts.motion,
        folded("The recipe, step by step", &parts.recipe),
        folded("Results: energies, reactions, forces", &parts.results),
        parts.notes,
    ]
    .concat()
}
