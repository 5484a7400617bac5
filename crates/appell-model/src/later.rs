//! Errors that are found by later stages, in words of the model.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::model::{Inconsistent, Model};
use appell_expr::Span;

/// These constraints cannot hold together; `why` is one sentence, such as a state and a rank.
///
/// The constraints are given by their indices in the model.
pub fn inconsistent_constraints(model: &Model, constraints: &[usize], why: &str) -> Diagnostic {
    let entries = || constraints.iter().filter_map(|i| model.constraints.get(*i));
    let names: Vec<String> = entries().map(|c| format!("`{}`", c.name)).collect();
    let message = match names.as_slice() {
        [one] => format!("the constraint {one} cannot hold"),
        all => format!("the constraints {} cannot hold together", all.join(", ")),
    };
    let place = entries().next().map_or(Span::default(), |c| c.span);
    let label = match names.len() {
        1 => "correct it or remove it",
        _ => "correct or remove one of them",
    };
    let mut diagnostic = Diagnostic::new(Code::InconsistentConstraints, message, place, label);
    for constraint in entries().skip(1) {
        diagnostic = diagnostic.also(constraint.span, "contradicts the others");
    }
    diagnostic.note(why)
}

/// `[motion]` contradicts the constraints, as `message` says; `label` tells what to do.
pub fn contradictory_motion(model: &Model, message: &str, label: &str) -> Diagnostic {
    Diagnostic::new(Code::ContradictoryMotion, message, model.motion.span, label)
}

/// The initial state violates these rows, each given by the index of its constraint in the model
/// and its residual.
pub fn inconsistent_start(model: &Model, residuals: &[(usize, f64)]) -> Diagnostic {
    let message = "the initial state does not satisfy the constraints";
    let label = match model.initial.inconsistent {
        Some(Inconsistent::Project) => "begin nearer to them",
        _ => "correct it, or write `inconsistent = \"project\"` to move it on to them",
    };
    let mut diagnostic =
        Diagnostic::new(Code::InconsistentStart, message, model.initial.span, label);
    for (index, residual) in residuals {
        if let Some(constraint) = model.constraints.get(*index) {
            // The file does not show the rows that the tool adds.
            let row = match constraint.added {
                true => format!("`{}`, {}: ", constraint.name, constraint.text),
                false => String::new(),
            };
            let label = format!("{row}the residual is {residual:e}");
            diagnostic = diagnostic.also(constraint.span, label);
        }
    }
    diagnostic
}

/// The kinetic energy does not determine the acceleration of these coordinates, given by their
/// indices; `why` is one sentence, such as a state and a rank.
pub fn singular_kinetic_energy(model: &Model, coordinates: &[usize], why: &str) -> Diagnostic {
    let label = "give it a mass or a moment of inertia, or remove it";
    undetermined(model, coordinates, label).note(why)
}

/// The same where it determines them in other places: these coordinates fail here, as Euler's angles
/// do where two of their axes are parallel.
pub fn singular_coordinates(model: &Model, coordinates: &[usize], why: &str) -> Diagnostic {
    let label = "start elsewhere, or take other angles or a quaternion";
    undetermined(model, coordinates, label)
        .note(why)
        .note("it is regular in other places: only these coordinates fail here")
}

fn undetermined(model: &Model, coordinates: &[usize], label: &str) -> Diagnostic {
    let entries = || coordinates.iter().filter_map(|i| model.coordinates.get(*i));
    let rates: Vec<String> = entries().map(|c| format!("`{}'`", c.name)).collect();
    let message = format!("the kinetic energy is singular in {}", rates.join(", "));
    let place = entries().next().map_or(Span::default(), |c| c.span);
    let diagnostic = Diagnostic::new(Code::SingularKineticEnergy, message, place, label);
    entries()
        .skip(1)
        .fold(diagnostic, |diagnostic, coordinate| {
            diagnostic.also(coordinate.span, "this one too")
        })
}
