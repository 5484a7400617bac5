//! The tabs of equations, within a budget.

use super::{Form, Page};
use crate::derivation::{Parts, Typeset, folded, parts};
use crate::lettering::escape;
use std::collections::HashMap;

/// All equations together take at most so many bytes of the page.
const BUDGET: usize = 900_000;
/// The longest formula that is shown if there is room, in bytes of LaTeX; then shorter ones.
const LONGEST: [usize; 5] = [40_000, 8_000, 3_000, 1_200, 500];

/// A section for each form. Where they are too long for a page, long formulas are left out first.
pub(crate) fn sections(page: &Page) -> String {
    let [longer @ .., least] = LONGEST;
    let typeset = Typeset::default();
    let fitting = longer
        .iter()
        .find_map(|longest| with_formulas_up_to(page, *longest, BUDGET, &typeset));
    fitting
        .or_else(|| with_formulas_up_to(page, least, usize::MAX, &typeset))
        .unwrap_or_default()
}

/// The sections, unless they are longer than `most` bytes.
fn with_formulas_up_to(
    page: &Page,
    longest: usize,
    most: usize,
    typeset: &Typeset,
) -> Option<String> {
    let mut systems: HashMap<String, &'static str> = HashMap::new();
    // The form that was run comes first, so that it is the one with the matrices.
    let (run, others): (Vec<&Form>, Vec<&Form>) =
        page.forms.iter().partition(|form| form.id == page.form);
    let mut html = String::new();
    for form in run.iter().chain(&others) {
        html.push_str(&section(form, longest, &mut systems, typeset));
        if html.len() > most {
            return None;
        }
    }
    Some(html)
}

fn section(
    form: &Form,
    longest: usize,
    systems: &mut HashMap<String, &'static str>,
    typeset: &Typeset,
) -> String {
    let title = escape(form.title);
    let id = escape(form.id);
    let content = match &form.derivation {
        Err(why) => format!("<p class=\"remark\">{}</p>\n", escape(why)),
        Ok(derivation) => content(form, parts(derivation, longest, typeset), systems),
    };
    let applies = form.derivation.is_ok();
    format!(
        "<section class=\"form\" id=\"form-{id}\" data-applies=\"{applies}\">\n<h3>{title}</h3>\n{content}</section>\n"
    )
}

fn content(form: &Form, parts: Parts, systems: &mut HashMap<String, &'static str>) -> String {
    let system = match systems.get(&parts.system) {
        Some(first) => format!(
            "<p class=\"remark\">Energies, matrices and constraints: as under {}.</p>\n",
            escape(first)
        ),
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
