//! The cases of the reference folder as models, and comparison with their numbers.

use appell::{Evaluation, Formalism, Prepared, Source, eval, read, read_states, render_all};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The largest difference allowed, relative to `max(1, largest component)`.
pub const TOLERANCE: f64 = 1e-12;

/// A system of the reference folder with its true states.
pub struct Case {
    /// The file's name without its ending.
    pub name: String,
    /// The file.
    pub data: Value,
}

/// The text of a JSON string.
#[track_caller]
pub fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("a string: {value}"))
}

/// A number written as a string.
#[track_caller]
pub fn number(value: &Value) -> f64 {
    text(value).parse().expect("a number")
}

/// A list of numbers written as strings.
#[track_caller]
pub fn numbers(value: &Value) -> Vec<f64> {
    let items = value
        .as_array()
        .unwrap_or_else(|| panic!("a list: {value}"));
    items.iter().map(number).collect()
}

/// A true state: `t`, `q`, `v`.
pub fn state(truth: &Value) -> (f64, Vec<f64>, Vec<f64>) {
    (
        number(&truth["t"]),
        numbers(&truth["q"]),
        numbers(&truth["v"]),
    )
}

/// All cases that are systems with states, by file name.
pub fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).expect("the reference folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let data: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("text")).expect("JSON");
        if data.get("kinetic").is_some() && data.get("states").is_some() {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            cases.push(Case { name, data });
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(cases.len(), 41, "cases of the reference folder");
    cases
}

impl Case {
    /// The true values at each state.
    pub fn states(&self) -> &[Value] {
        self.data["states"].as_array().expect("states")
    }

    /// The system as a model file.
    pub fn model_text(&self) -> String {
        let case = &self.data;
        let mut toml = String::from("appell = 1\n");
        let list = |value: &Value| serde_json::to_string(value).expect("a list");
        let table = |name: &str| case.get(name).and_then(Value::as_object);
        let _ = writeln!(toml, "coordinates = {}", list(&case["coordinates"]));
        let _ = writeln!(toml, "[parameters]");
        for (name, value) in table("parameters").expect("parameters") {
            let _ = writeln!(toml, "{name} = {}", text(value));
        }
        let _ = writeln!(toml, "[energy]\nkinetic = {}", case["kinetic"]);
        if let Some(potential) = case.get("potential") {
            let _ = writeln!(toml, "potential = {potential}");
        }
        let _ = writeln!(toml, "[forces]");
        for (name, value) in table("forces").into_iter().flatten() {
            let _ = writeln!(toml, "{name} = {value}");
        }
        let _ = writeln!(toml, "[constraints]");
        let rows = case["constraints"].as_array().expect("constraints");
        for (index, row) in rows.iter().enumerate() {
            let _ = writeln!(toml, "c{} = {row}", index + 1);
        }
        if let Some(parametrisation) = case.get("parametrization") {
            let psi = parametrisation["psi"].as_object().expect("psi");
            let equation = |(x, psi): (&String, &Value)| format!("{x}' = {}", text(psi));
            let equations: Vec<String> = psi.iter().map(equation).collect();
            let variables = list(&parametrisation["z"]);
            let equations = list(&json!(equations));
            let _ = writeln!(
                toml,
                "[motion]\nvariables = {variables}\nequations = {equations}"
            );
        } else if let Some(independent) = case.get("independent_velocities") {
            let _ = writeln!(toml, "[motion]\nindependent = {}", list(independent));
        }
        toml
    }

    /// The formalisms at every state.
    pub fn evaluate(&self, formalisms: &[&'static Formalism]) -> Evaluation {
        self.evaluate_text(&self.model_text(), formalisms)
    }

    /// The same of another model with the coordinates of the case.
    pub fn evaluate_text(&self, toml: &str, formalisms: &[&'static Formalism]) -> Evaluation {
        let name = &self.name;
        let (model, _) = read(name, toml).unwrap_or_else(|errors| {
            let source = Source::new(name, toml);
            panic!("{name}:\n{}", render_all(&errors, &source, false))
        });
        let prepared = Prepared::new(&model, &[], &[]).expect("parameters are numbers");
        let input = |state: &Value| {
            let mut input = json!({"t": state["t"], "q": state["q"], "v": state["v"]});
            if let Some(z) = state.get("z") {
                input["z"] = z.clone();
            }
            input
        };
        let inputs: Vec<Value> = self.states().iter().map(input).collect();
        let states = read_states(&json!(inputs).to_string(), &prepared).expect("states");
        eval(&prepared, &states, formalisms)
    }
}

/// Each number within [`TOLERANCE`] times `condition` of the wanted one.
#[track_caller]
pub fn agree(place: &str, got: &[f64], wanted: &[f64], condition: f64) {
    super::close(place, got, wanted, TOLERANCE * condition.max(1.0));
}
