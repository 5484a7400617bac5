//! Every reference case through `eval`, in every formalism that applies.

use appell::{Evaluation, FORMALISMS, FormValues, Prepared, eval, read, read_states};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference")
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("a string: {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    let items = value
        .as_array()
        .unwrap_or_else(|| panic!("a list: {value}"));
    items
        .iter()
        .map(|x| text(x).parse().expect("a number"))
        .collect()
}

/// The cases that are systems with states, by file name.
fn cases() -> Vec<(String, Value)> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(reference()).expect("the reference folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let case: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("text")).expect("JSON");
        if case.get("kinetic").is_some() && case.get("states").is_some() {
            cases.push((name, case));
        }
    }
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

/// The case as a model file.
fn model_text(case: &Value) -> String {
    let mut toml = String::from("appell = 1\n");
    let list = |value: &Value| serde_json::to_string(value).expect("a list");
    let _ = writeln!(toml, "coordinates = {}", list(&case["coordinates"]));
    let _ = writeln!(toml, "[parameters]");
    for (name, value) in case["parameters"].as_object().expect("parameters") {
        let _ = writeln!(toml, "{name} = {}", text(value));
    }
    let _ = writeln!(toml, "[energy]\nkinetic = {}", case["kinetic"]);
    if let Some(potential) = case.get("potential") {
        let _ = writeln!(toml, "potential = {potential}");
    }
    let _ = writeln!(toml, "[forces]");
    for (name, value) in case
        .get("forces")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let _ = writeln!(toml, "{name} = {value}");
    }
    let _ = writeln!(toml, "[constraints]");
    for (index, row) in case["constraints"]
        .as_array()
        .expect("constraints")
        .iter()
        .enumerate()
    {
        let _ = writeln!(toml, "c{} = {row}", index + 1);
    }
    if let Some(parametrisation) = case.get("parametrization") {
        let psi = parametrisation["psi"].as_object().expect("psi");
        let equations: Vec<String> = psi
            .iter()
            .map(|(x, psi)| format!("{x}' = {}", text(psi)))
            .collect();
        let _ = writeln!(
            toml,
            "[motion]\nvariables = {}",
            list(&parametrisation["z"])
        );
        let _ = writeln!(toml, "equations = {}", list(&json!(equations)));
    } else if let Some(independent) = case.get("independent_velocities") {
        let _ = writeln!(toml, "[motion]\nindependent = {}", list(independent));
    }
    toml
}

fn evaluate(name: &str, case: &Value, states: &Value) -> Evaluation {
    evaluate_text(name, &model_text(case), states)
}

fn evaluate_text(name: &str, toml: &str, states: &Value) -> Evaluation {
    let (model, _) = read(name, toml).unwrap_or_else(|errors| {
        panic!(
            "{name}:\n{}",
            appell::render_all(&errors, &appell::Source::new(name, toml), false)
        )
    });
    let prepared = Prepared::new(&model, &[], &[]).expect("parameters are numbers");
    let states = read_states(&states.to_string(), &prepared).expect("states");
    eval(&prepared, &states, FORMALISMS)
}

fn input(state: &Value) -> Value {
    let mut input = json!({"t": state["t"], "q": state["q"], "v": state["v"]});
    if let Some(z) = state.get("z") {
        input["z"] = z.clone();
    }
    input
}

/// The largest difference allowed: 1e-12 of the terms, here of the largest component.
const TOLERANCE: f64 = 1e-12;

fn agree(place: &str, got: &[f64], wanted: &[f64]) {
    assert_eq!(got.len(), wanted.len(), "{place}: as many numbers");
    let size = wanted.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    for (got, wanted) in got.iter().zip(wanted) {
        let error = (got - wanted).abs();
        assert!(
            error <= TOLERANCE * size,
            "{place}: {got} instead of {wanted}, off by {error:e}"
        );
    }
}

/// Compares an optional number of ours with an optional one of the case under any of its names.
fn agree_if_given(place: &str, got: Option<f64>, truth: &Value, names: &[&str]) {
    let wanted = names.iter().find_map(|name| truth.get(*name));
    if let (Some(got), Some(wanted)) = (got, wanted) {
        let wanted: f64 = text(wanted).parse().expect("a number");
        agree(&format!("{place} {}", names[0]), &[got], &[wanted]);
    }
}

#[test]
fn every_formalism_gives_the_true_accelerations_multipliers_reactions_and_energies() {
    let cases = cases();
    assert_eq!(cases.len(), 41, "cases of the reference folder");
    for (name, case) in &cases {
        let states = case["states"].as_array().expect("states");
        let inputs: Vec<Value> = states.iter().map(input).collect();
        let found = evaluate(name, case, &json!(inputs));
        for (index, (truth, values)) in states.iter().zip(&found.states).enumerate() {
            for (form, result) in &values.forms {
                let place = format!("{name}, state {index}, {form}");
                check_form(&place, form, result, truth);
            }
        }
    }
}

fn check_form(place: &str, form: &str, result: &FormValues, truth: &Value) {
    match result {
        FormValues::Values {
            accel,
            reaction,
            energy,
            lambda,
            rate,
            state,
            ..
        } => {
            agree(&format!("{place} accel"), accel, &numbers(&truth["accel"]));
            agree(
                &format!("{place} reaction"),
                reaction,
                &numbers(&truth["reaction"]),
            );
            agree(
                &format!("{place} lambda"),
                lambda,
                &numbers(&truth["lambda"]),
            );
            let known: f64 = text(&truth["energy"]).parse().expect("a number");
            agree(&format!("{place} energy"), &[*energy], &[known]);
            assert_eq!(rate.len(), state.len(), "{place}");
            if let Some(zdot) = truth.get("zdot").filter(|_| form == "gibbs-appell") {
                let n = accel.len();
                agree(&format!("{place} z'"), &rate[n..], &numbers(zdot));
            }
        }
        FormValues::Unavailable { unavailable } => {
            let excuses: &[&str] = match form {
                "maggi" | "boltzmann-hamel" => &["is not affine in the velocities"],
                "chaplygin" => &[" depends on "],
                "connection" => &[
                    "on the place only",
                    "terms of degree 1",
                    "depends on the velocities or on the time",
                    "it is affine in the velocities",
                    "the reaction is not Chetaev's",
                    "the rows are dependent",
                ],
                _ => panic!("{place}: {unavailable}"),
            };
            let excused = excuses.iter().any(|excuse| unavailable.contains(excuse));
            assert!(excused, "{place}: {unavailable}");
        }
        FormValues::Undefined { why, .. } => panic!("{place}: {why}"),
    }
}

#[test]
fn energies_of_both_kinds_their_rates_and_the_power_of_the_reaction_are_true() {
    let mut stars = 0;
    for (name, case) in &cases() {
        let states = case["states"].as_array().expect("states");
        let inputs: Vec<Value> = states.iter().map(input).collect();
        let found = evaluate(name, case, &json!(inputs));
        for (index, (truth, values)) in states.iter().zip(&found.states).enumerate() {
            let place = format!("{name}, state {index}");
            agree_if_given(&place, values.energy, truth, &["energy"]);
            agree_if_given(&place, values.energy_rate, truth, &["dEdt", "energy_rate"]);
            agree_if_given(
                &place,
                values.reaction_power,
                truth,
                &["constraint_power", "reaction_power"],
            );
            agree_if_given(&place, values.energy_star, truth, &["energy_star"]);
            agree_if_given(&place, values.energy_star_rate, truth, &["dEstar_dt"]);
            if let (Some(got), Some(wanted)) = (
                &values.alphabar_minus_alpha,
                truth.get("alphabar_minus_alpha"),
            ) {
                agree(&format!("{place} alphabar - alpha"), got, &numbers(wanted));
                stars += 1;
            }
        }
    }
    assert!(stars > 100, "only {stars} states have E*");
}

/// The case with its points as particles, so that reactions come out as vectors.
fn with_particles(case: &Value, particles: &[(&str, &str, &str)]) -> String {
    let mut toml = model_text(case);
    let kinetic = toml
        .lines()
        .find(|line| line.starts_with("kinetic"))
        .expect("a line")
        .to_owned();
    toml = toml.replace(&kinetic, "");
    toml.push_str("[particles]\n");
    for (name, mass, position) in particles {
        let _ = writeln!(
            toml,
            "{name} = {{ mass = \"{mass}\", position = \"{position}\" }}"
        );
    }
    toml
}

#[test]
fn forces_on_particles_are_those_of_the_cases_with_points() {
    let plane = [("P1", "m1", "[x1, y1, 0]"), ("P2", "m2", "[x2, y2, 0]")];
    let capital = [("P1", "M1", "[x1, y1, 0]"), ("P2", "M2", "[x2, y2, 0]")];
    let numbered = [("P1", "m1", "[q1, q2, 0]"), ("P2", "m2", "[q3, q4, 0]")];
    let single = |mass: &'static str, position: &'static str| vec![("P", mass, position)];
    let table = [
        ("appell-particle", single("m", "[x, y, z]")),
        ("equal-magnitude-planar", plane.to_vec()),
        ("parallel-planar", plane.to_vec()),
        ("kane-perpendicular-planar", numbered.to_vec()),
        ("kane-perpendicular-planar-paper-data", numbered.to_vec()),
        ("prescribed-speed-planar", single("m", "[x, y, 0]")),
        ("talamucci-ex2-inverse-sqrt", single("M", "[x, y, z]")),
        ("talamucci-ex3-affine", single("M", "[x, y, z]")),
        ("talamucci-ex4", capital.to_vec()),
        ("talamucci-ex5", capital.to_vec()),
        ("talamucci-ex6-pursuit", single("M", "[x, y, z]")),
        ("talamucci-ex7-pendulum", capital.to_vec()),
    ];
    for (name, case) in &cases() {
        let Some((_, particles)) = table.iter().find(|row| row.0 == name) else {
            continue;
        };
        let toml = with_particles(case, particles);
        let states = case["states"].as_array().expect("states");
        let inputs: Vec<Value> = states.iter().map(input).collect();
        let found = evaluate_text(name, &toml, &json!(inputs));
        for (truth, values) in states.iter().zip(&found.states) {
            for wanted in truth["constraint_forces"].as_array().expect("forces") {
                let own = values
                    .forces
                    .iter()
                    .filter(|force| wanted["body"] == *force.on);
                let sum = own.fold([0.0; 3], |sum, f| [0, 1, 2].map(|i| sum[i] + f.force[i]));
                agree(
                    &format!("{name} force on {}", wanted["body"]),
                    &sum,
                    &numbers(&wanted["force"]),
                );
            }
            agree(
                &format!("{name} accel"),
                values.accel.as_ref().expect("regular"),
                &numbers(&truth["accel"]),
            );
        }
    }
}
