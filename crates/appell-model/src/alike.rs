//! Names that equations print alike: `x1` and `x_1` are both the letter x with the index 1.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::model::Model;
use appell_expr::latex_name;
use std::collections::HashMap;

/// Letters that derivations give an index: those of the right side and of the reaction.
const OF_COORDINATES: [&str; 2] = ["r", "R"];

/// Warns of coordinates and parameters that are one symbol in LaTeX and on pages, with each other or with what derivations
/// print: `lambda_c` and the multiplier of the row `c`.
pub(crate) fn check(model: &Model, report: &mut Report) {
    let coordinates = model
        .coordinates
        .iter()
        .map(|coordinate| (&coordinate.name, coordinate.span));
    let parameters = model
        .parameters
        .iter()
        .map(|parameter| (&parameter.name, parameter.span));
    let mut known: HashMap<String, &String> = HashMap::new();
    let components = components(model);
    for (name, span) in coordinates.chain(parameters) {
        let printed = latex_name(name);
        if let Some((_, what)) = components.iter().find(|(symbol, _)| *symbol == printed) {
            let message = format!("`{name}` is printed as the symbol of {what}");
            let note = "equations in LaTeX and on pages do not tell them apart; in text they do";
            report.push(
                Diagnostic::new(Code::Alike, message, span, "give it another name").note(note),
            );
        }
        if let Some(other) = known.insert(latex_name(name), name) {
            let message = format!("`{other}` and `{name}` are printed as the same symbol");
            let label = "give one of them another name";
            let note = "equations in LaTeX and on pages do not tell them apart; in text they do";
            report.push(Diagnostic::new(Code::Alike, message, span, label).note(note));
        }
    }
}

/// The symbols that derivations print for components, with what they are.
fn components(model: &Model) -> Vec<(String, String)> {
    let rows = model.constraints.iter().map(|constraint| {
        let name = format!("lambda[{}]", constraint.name);
        (
            latex_name(&name),
            format!("the multiplier of `{}`", constraint.name),
        )
    });
    let of_coordinates = model.coordinates.iter().flat_map(|coordinate| {
        let component = |letter| {
            let name = format!("{letter}[{}]", coordinate.name);
            let what = format!("the component `{name}` of the derivation");
            (latex_name(&name), what)
        };
        OF_COORDINATES.into_iter().map(component)
    });
    rows.chain(of_coordinates).collect()
}
