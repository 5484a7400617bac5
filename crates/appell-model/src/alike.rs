//! Names that equations print alike: `x1` and `x_1` are both the letter x with the index 1.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::model::Model;
use appell_expr::latex_name;
use std::collections::HashMap;

/// Warns of coordinates and parameters that are one symbol in LaTeX and on pages.
pub(crate) fn check(model: &Model, report: &mut Report) {
    let coordinates = model.coordinates.iter().map(|own| (&own.name, own.span));
    let parameters = model.parameters.iter().map(|own| (&own.name, own.span));
    let mut known: HashMap<String, &String> = HashMap::new();
    for (name, span) in coordinates.chain(parameters) {
        if let Some(other) = known.insert(latex_name(name), name) {
            let message = format!("`{other}` and `{name}` are printed as the same symbol");
            let label = "give one of them another name";
            let note = "equations in LaTeX and on pages do not tell them apart; in text they do";
            report.push(Diagnostic::new(Code::Alike, message, span, label).note(note));
        }
    }
}
