//! The values of parameters: the file's, or those of the command line.

use appell_expr::{Ball, Balls, Closed, Ex, Graph, Id, Rational, Sketch};
use appell_flow::Interpreter;
use appell_model::{Code, Diagnostic, Model, Parameter, impossible_values, nearest};

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
        .find(|wanted| known().all(|name| name != wanted.name))
    {
        let error = unknown("parameter", &wanted.name, known().collect());
        return Err(match no_parameter(model, &wanted.name) {
            Some(note) => error.note(note),
            None => error,
        });
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
    // All at once: each by itself would be compiled with all those that it is made of.
    let of = |part: &dyn Fn(&Parameter) -> Option<Id>| -> Vec<Option<f64>> {
        let wanted = model.parameters.iter().filter_map(part);
        let wanted: Vec<Ex<'_>> = wanted.map(|id| graph.ex(id)).collect();
        let mut numbers = closed_numbers(model, &closed, &wanted).into_iter();
        let all = model.parameters.iter();
        all.map(|p| part(p).and_then(|_| numbers.next())).collect()
    };
    let (min, max) = (of(&|p| p.min), of(&|p| p.max));
    let found = of(&|p| Some(p.symbol))
        .into_iter()
        .zip(min.into_iter().zip(max));
    let values: Result<Vec<f64>, Diagnostic> = model
        .parameters
        .iter()
        .zip(found)
        .map(|(p, (value, (min, max)))| {
            let limits = (
                min.unwrap_or(f64::NEG_INFINITY),
                max.unwrap_or(f64::INFINITY),
            );
            admissible(p, value.unwrap_or(f64::NAN), limits)
        })
        .collect();
    let values = values?;
    match impossible_values(model, &values).into_iter().next() {
        Some(fault) => Err(fault.note(format!("for {}", in_words(overrides)))),
        None => Ok(values),
    }
}

/// What a name is that is taken for one of a parameter, and where its value is given.
fn no_parameter(model: &Model, name: &str) -> Option<String> {
    let plain = name.trim_end_matches('\'');
    let is_coordinate = model
        .coordinates
        .iter()
        .any(|coordinate| coordinate.name == plain);
    let is_variable = || {
        model
            .motion
            .variables
            .iter()
            .any(|variable| variable.name == name)
    };
    let what = match (is_coordinate, plain == name) {
        (true, true) => "a coordinate",
        (true, false) => "a velocity",
        (false, _) if is_variable() => "a motion variable",
        _ => return None,
    };
    Some(format!(
        "`{name}` is {what}: its value at the start stands in `state` of [initial], as `\"{name} = 0.3\"`"
    ))
}

/// `m = 2, r = 1/2`
fn in_words(overrides: &[Override]) -> String {
    let one = |o: &Override| format!("{} = {}", o.name, o.value);
    overrides.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The value of one parameter, finite and between its limits.
fn admissible(p: &Parameter, value: f64, (min, max): (f64, f64)) -> Result<f64, Diagnostic> {
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

/// The values of expressions in parameters; NaN for one that speaks of anything else.
pub(crate) fn closed_numbers<'g>(
    model: &'g Model,
    closed: &Closed<'g>,
    expressions: &[Ex<'g>],
) -> Vec<f64> {
    let written: Vec<Ex<'g>> = expressions.iter().map(|x| closed.written_out(*x)).collect();
    numbers_of(model, &written).unwrap_or_else(|| {
        let one = |x: &Ex<'g>| numbers_of(model, &[*x]).map_or(f64::NAN, |values| values[0]);
        written.iter().map(one).collect()
    })
}

/// The values of expressions without parameters, if all of them have one.
fn numbers_of<'g>(model: &'g Model, expressions: &[Ex<'g>]) -> Option<Vec<f64>> {
    if let Some(values) = enclosed_numbers(&model.graph, expressions) {
        return Some(values);
    }
    let mut sketch = Sketch::new(&model.graph);
    sketch.output_list("value", expressions);
    let program = sketch.program(&[model.graph.ex(model.time)], &["value"]);
    let interpreter = Interpreter::new(program.ok()?, &[]);
    interpreter.results(f64::NAN, &[]).ok()
}

/// Bits of enclosures of constants.
const BITS: u64 = 256;

/// The doubles nearest to constants, 0 for what is not told from it: where terms cancel, sums of doubles are rounding
/// alone. `None` where one has no enclosure.
pub(crate) fn enclosed_numbers<'g>(graph: &'g Graph, constants: &[Ex<'g>]) -> Option<Vec<f64>> {
    let mut sketch = Sketch::new(graph);
    sketch.output_list("value", constants);
    let program = sketch.program(&[], &["value"]).ok()?;
    let values = Balls::new(BITS).run(&program, &[]).ok()?;
    let number = |x: &Ball| if x.excludes_zero() { x.to_f64() } else { 0.0 };
    Some(values.iter().map(number).collect())
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
