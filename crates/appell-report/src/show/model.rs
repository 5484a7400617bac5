//! What a model says of itself, for programs.

use appell_model::{Model, Parameter};
use appell_study::values::prepared::Prepared;
use serde_json::{Value, json};

/// One line of JSON: `{"title", "source", "about", "t", "coordinates", "parameters": [{"name", "value", "min", "max",
/// "unit", "about"}], "inputs": as parameters, "constraints": [{"name", "rows"}], "bodies", "variables", "claims", "plots"}`.
///
/// `t` is the initial time, `bodies` are the particles, then the bodies; `variables` those of `[motion]`; `claims` and `plots` are
/// counted by their names and titles.
pub fn model_json(p: &Prepared<'_>) -> String {
    let model: &Model = p.model;
    let parameter = |(parameter, value): (&Parameter, &f64)| {
        json!({
            "name": parameter.name,
            "value": value,
            "min": parameter.min.map(|limit| p.constant(limit)),
            "max": parameter.max.map(|limit| p.constant(limit)),
            "unit": parameter.unit,
            "about": parameter.about,
        })
    };
    let all = || model.parameters.iter().zip(&p.parameters);
    let (inputs, parameters): (Vec<_>, Vec<_>) = all().partition(|(entry, _)| entry.is_input);
    let listed = |some: Vec<(&Parameter, &f64)>| some.into_iter().map(parameter).collect();
    let (inputs, parameters): (Vec<Value>, Vec<Value>) = (listed(inputs), listed(parameters));
    let constraints = model
        .constraints
        .iter()
        .map(|c| json!({"name": c.name, "rows": c.rows.len()}));
    let names = |list: Vec<&String>| json!(list);
    super::json_line(&json!({
        "title": model.title,
        "source": model.origin,
        "about": model.about,
        "t": p.constant(model.initial.time),
        "coordinates": names(model.coordinates.iter().map(|q| &q.name).collect()),
        "parameters": parameters,
        "inputs": inputs,
        "constraints": constraints.collect::<Vec<Value>>(),
        "bodies": names(model.bodies.iter().map(|body| &body.name).collect()),
        "variables": names(model.motion.variables.iter().map(|z| &z.name).collect()),
        "claims": names(model.claims.iter().map(|claim| &claim.name).collect()),
        "plots": names(model.plots.iter().map(|plot| &plot.title).collect()),
    }))
}
