//! The values of parameters: the file's, or those of the command line.

use appell_expr::{Closed, Ex, Id, Rational, Sketch};
use appell_flow::Interpreter;
use appell_model::{Code, Diagnostic, Model, Parameter, impossible_inertias, nearest};

/// A parameter's value from the command line instead of the file's.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The parameter.
    pub name: String,
    /// Its exact value.
    pub value: Rational,
}

/// The values of the parameters, the overrides in place of the file's.
pub(crate) fn parameter_values(
    model: &Model,
    overrides: &[Override],
) -> Result<Vec<f64>, Diagnostic> {
    let graph = &model.graph;
    let known = || model.parameters.iter().map(|p| p.name.as_str());
    if let Some(wanted) = overrides
        .iter()
        .find(|wanted| known().all(|own| own != wanted.name))
    {
        return Err(unknown("parameter", &wanted.name, known().collect()));
    }
    let given: Vec<(Ex<'_>, Ex<'_>)> = model
        .parameters
        .iter()
        .map(|p| {
            let instead = overrides.iter().rev().find(|o| o.name == p.name);
            let value = instead.map_or(graph.ex(p.value), |o| graph.number(o.value.clone()));
            (graph.ex(p.symbol), value)
        })
        .collect();
    let closed = Closed::new(&given);
    let values: Result<Vec<f64>, Diagnostic> = model
        .parameters
        .iter()
        .map(|p| admissible_value(model, &closed, p))
        .collect();
    let values = values?;
    match impossible_inertias(model, &values).into_iter().next() {
        Some(fault) => Err(fault.note(format!("for {}", in_words(overrides)))),
        None => Ok(values),
    }
}

/// `m = 2, r = 1/2`
fn in_words(overrides: &[Override]) -> String {
    let one = |o: &Override| format!("{} = {}", o.name, o.value);
    overrides.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The value of one parameter, finite and between its limits.
fn admissible_value<'g>(
    model: &'g Model,
    closed: &Closed<'g>,
    p: &Parameter,
) -> Result<f64, Diagnostic> {
    let of = |x: Id| closed_value(model, closed, model.graph.ex(x));
    let value = of(p.symbol);
    let (min, max) = (
        p.min.map_or(f64::NEG_INFINITY, of),
        p.max.map_or(f64::INFINITY, of),
    );
    if !value.is_finite() {
        let message = format!("parameter `{}` is not a finite number", p.name);
        return Err(Diagnostic::new(
            Code::NotFinite,
            message,
            p.span,
            "its value",
        ));
    }
    if value < min || value > max {
        let message = format!(
            "parameter `{}` = {value} is not between {min} and {max}",
            p.name
        );
        return Err(Diagnostic::new(
            Code::OutsideLimits,
            message,
            p.span,
            "declared here",
        ));
    }
    Ok(value)
}

/// The value of an expression in parameters; NaN if it speaks of anything else.
pub(crate) fn closed_value<'g>(model: &'g Model, closed: &Closed<'g>, x: Ex<'g>) -> f64 {
    let mut sketch = Sketch::new(&model.graph);
    sketch.output_list("value", &[closed.written_out(x)]);
    let Ok(program) = sketch.program(&[model.graph.ex(model.time)], &["value"]) else {
        return f64::NAN;
    };
    let interpreter = Interpreter::new(program, &[]);
    interpreter
        .results(f64::NAN, &[])
        .map_or(f64::NAN, |values| values[0])
}

/// A name from outside the file that is none of the file's.
pub(crate) fn unknown(kind: &str, name: &str, known: Vec<&str>) -> Diagnostic {
    let message = format!("unknown {kind} `{name}`");
    let note = match (nearest(name, known.iter().copied()), known.is_empty()) {
        (_, true) => format!("this model has no {kind}"),
        (Some(near), _) => format!("did you mean `{near}`? known: {}", known.join(", ")),
        (None, _) => format!("known: {}", known.join(", ")),
    };
    Diagnostic::new(Code::UnknownName, message, Default::default(), "").note(note)
}
