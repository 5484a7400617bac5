//! Models of the gallery that state a system of the reference folder in their own words: with points,
//! frames, bodies and motion variables, against its 30-digit numbers.

use crate::common::reference::{agree, cases, numbers, text};
use crate::common::{gallery_model, with};
use appell::{FORMALISMS, FormValues, StateValues, eval, read_states};
use serde_json::{Value, json};

/// A parameter's name in the case and in the model.
type Renamed = (&'static str, &'static str);

/// Each model with its case, and the parameters that have other names in the model.
const TABLE: [(&str, &str, &[Renamed]); 6] = [
    ("appell-nappes", "appell-particle", &[]),
    ("perpendicular-kane", "kane-perpendicular-planar", &SIGMA),
    (
        "perpendicular-kane",
        "kane-perpendicular-planar-paper-data",
        &SIGMA,
    ),
    ("perpendicular-spins", "two-bodies-omega-perpendicular", &[]),
    ("zekovic-fork", "zekovich-fork-linear", &[]),
    ("zekovic-fork-contrived", "zekovich-fork-nonlinear", &[]),
];

/// The forces of the two pucks.
const SIGMA: [Renamed; 4] = [
    ("s1", "sigma1"),
    ("s2", "sigma2"),
    ("s3", "sigma3"),
    ("s4", "sigma4"),
];

#[test]
fn models_of_reference_systems_give_their_numbers() {
    let cases = cases();
    for (name, id, renamed) in TABLE {
        let case = cases.iter().find(|case| case.name == id);
        let case = case.unwrap_or_else(|| panic!("{id}"));
        let model = gallery_model(name);
        let parameters = case.data["parameters"].as_object().expect("parameters");
        let in_model = |(parameter, value): (&String, &Value)| {
            let row = renamed.iter().find(|(old, _)| old == parameter);
            format!(
                "{}={}",
                row.map_or(parameter.as_str(), |row| row.1),
                text(value)
            )
        };
        let overrides: Vec<String> = parameters.iter().map(in_model).collect();
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let prepared = with(&model, &overrides, &[]);
        let input = |s: &Value| json!({"t": s["t"], "q": s["q"], "v": s["v"]});
        let inputs: Vec<Value> = case.states().iter().map(input).collect();
        let states = read_states(&json!(inputs).to_string(), &prepared).expect("states");
        let found = eval(&prepared, &states, FORMALISMS);
        assert!(!case.states().is_empty() && found.states.len() == case.states().len());
        for (truth, values) in case.states().iter().zip(&found.states) {
            forms_agree(name, values, truth);
            forces_agree(name, values, truth);
        }
    }
}

#[track_caller]
fn forms_agree(name: &str, values: &StateValues, truth: &Value) {
    let mut compared = 0;
    for (form, result) in &values.forms {
        let place = |what: &str| format!("{name} by {form}: {what}");
        match result {
            FormValues::Values {
                accel,
                reaction,
                lambda,
                ..
            } => {
                agree(&place("accel"), accel, &numbers(&truth["accel"]), 1.0);
                agree(
                    &place("reaction"),
                    reaction,
                    &numbers(&truth["reaction"]),
                    1.0,
                );
                agree(&place("lambda"), lambda, &numbers(&truth["lambda"]), 1.0);
                compared += 1;
            }
            FormValues::Unavailable { .. } => {}
            FormValues::Undefined { why, .. } => panic!("{}", place(why)),
        }
    }
    assert!(compared >= 8, "{name}: {compared} formalisms");
}

/// The forces and couples on each body, where the case has them.
#[track_caller]
fn forces_agree(name: &str, values: &StateValues, truth: &Value) {
    for wanted in truth["constraint_forces"].as_array().into_iter().flatten() {
        let acting = values.forces.iter().filter(|f| wanted["body"] == *f.on);
        let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
        for part in acting {
            force = [0, 1, 2].map(|i| force[i] + part.force[i]);
            torque = [0, 1, 2].map(|i| torque[i] + part.torque[i]);
        }
        let place = format!("{name} on {}", wanted["body"]);
        agree(&place, &force, &numbers(&wanted["force"]), 1.0);
        agree(&place, &torque, &numbers(&wanted["torque"]), 1.0);
    }
}
