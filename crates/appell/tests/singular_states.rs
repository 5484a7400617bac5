//! The judged states of `reference/singular-states.json`: ranks, status, and an answer in words.

use crate::common::{self, checked, last, model, motion, prepare, until};
use appell::{FORMALISMS, Prepared, RunOptions, Status, check, eval, read, read_states};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The status that belongs to each judged state: its verdict in the words of the command line.
const STATUS: [(&str, Status); 21] = [
    ("parallel-rest", Status::Singular),
    ("parallel-one-at-rest", Status::Regular),
    ("quadratic-rest", Status::Singular),
    ("appell-hamel-rest", Status::Singular),
    ("equal-speeds-rest", Status::Singular),
    ("degree1-cone-rest", Status::Singular),
    ("quartic-rest", Status::Singular),
    ("crossing-planes", Status::Singular),
    ("squared-constraint", Status::Singular),
    ("radial-origin", Status::Singular),
    ("coaxial-a0", Status::Chart),
    ("snakeboard-ph-pi/2", Status::Singular),
    ("snakeboard-ph-0", Status::Chart),
    ("disc-redundant", Status::Redundant),
    ("inconsistent-drift", Status::Inconsistent),
    ("euler-gimbal", Status::Chart),
    ("lorentz-null", Status::Singular),
    ("speed-program-zero", Status::Singular),
    ("pursuit-capture", Status::Singular),
    ("empty-fibre", Status::Empty),
    ("skate-any", Status::Regular),
];

fn model_text(case: &Value) -> String {
    let string = |value: &Value| value.as_str().expect("a string").to_owned();
    let mut toml = format!(
        "appell = 1\ncoordinates = {}\n[parameters]\n",
        case["coordinates"]
    );
    for (name, value) in case["parameters"].as_object().expect("parameters") {
        let _ = writeln!(toml, "{name} = {}", string(value));
    }
    let _ = writeln!(
        toml,
        "[energy]\nkinetic = {}\n[constraints]",
        case["kinetic"]
    );
    for (index, row) in case["constraints"]
        .as_array()
        .expect("rows")
        .iter()
        .enumerate()
    {
        let _ = writeln!(toml, "c{index} = {row}");
    }
    if let Some(parametrisation) = case.get("parametrization") {
        let psi = parametrisation["psi"].as_object().expect("psi");
        let equations: Vec<String> = psi
            .iter()
            .map(|(x, psi)| format!("{x}' = {}", string(psi)))
            .collect();
        let _ = writeln!(
            toml,
            "[motion]\nvariables = {}\nequations = {}",
            parametrisation["z"],
            json!(equations)
        );
    }
    toml
}

#[test]
fn ranks_and_verdicts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/singular-states.json");
    let cases: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("text")).expect("JSON");
    let cases = cases.as_array().expect("a list");
    assert_eq!(cases.len(), STATUS.len());
    for (case, (id, status)) in cases.iter().zip(STATUS) {
        assert_eq!(case["id"], id);
        let text = model_text(case);
        let (model, _) = read(id, &text).unwrap_or_else(|errors| {
            panic!(
                "{id}:\n{}",
                appell::render_all(&errors, &appell::Source::new(id, &text), false)
            )
        });
        let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
        let states = read_states(&json!([case["state"]]).to_string(), &prepared).expect("a state");
        let (answer, _) = check(&prepared, Some(&states));
        let judged = &answer.states.expect("states were given")[0];
        assert_eq!(judged.status, status, "{id}: {judged:?}");
        let ranks = [
            ("rank_C", judged.rank.a),
            ("rank_C_augmented_b", judged.rank.augmented),
            ("rank_M", judged.rank.mass),
            ("rank_Gab", judged.rank.gram),
            ("rank_dphi", judged.rank.dphi),
            ("rank_psi", judged.rank.psi),
        ];
        for (name, rank) in ranks {
            match case.get(name) {
                Some(Value::Number(wanted)) => {
                    assert_eq!(rank.map(|r| r as u64), wanted.as_u64(), "{id} {name}");
                }
                Some(_) => assert_eq!(rank, None, "{id} {name} is undefined"),
                None => {}
            }
        }
        let regular = status == Status::Regular;
        assert_eq!(
            judged.why.is_some(),
            !regular,
            "{id}: a reason unless regular"
        );
        answer_is_finite_or_in_words(id, &prepared, &states);
    }
}

/// No number of the evaluation is NaN or infinite, and what is missing has a reason.
fn answer_is_finite_or_in_words(id: &str, prepared: &Prepared<'_>, states: &[appell::State]) {
    let evaluation = eval(prepared, states, FORMALISMS);
    let values = &evaluation.states[0];
    let printed = serde_json::to_value(values).expect("JSON");
    match &values.accel {
        Some(accel) => assert!(accel.iter().all(|a| a.is_finite()), "{id}: {printed}"),
        None => assert!(
            values.why.is_some(),
            "{id}: null without a reason: {printed}"
        ),
    }
    for (form, result) in printed["forms"].as_object().expect("forms") {
        let said = result.get("unavailable").or(result.get("why")).is_some();
        assert!(said || result["accel"].is_array(), "{id} {form}: {result}");
    }
}

/// A parallelogram of two cranks, flat at t = 0.2059: there it may become an antiparallelogram, and nothing says which.
#[test]
fn no_form_leads_past_a_change_point() {
    let text = "coordinates = ['x1', 'y1', 'x2', 'y2']\ngravity = '[0, -9.81, 0]'\n[particles]\nP1 = { mass = 1, position = '[x1, y1, 0]' }\n\
                P2 = { mass = 3, position = '[x2, y2, 0]' }\n[constraints]\nr1 = 'x1^2 + y1^2 = 1.3^2'\nr2 = '(x2 - 2)^2 + y2^2 = 1.3^2'\n\
                bar = '(x1 - x2)^2 + (y1 - y2)^2 = 4'\n[initial]\nstate = ['x1 = 0', 'y1 = -1.3', 'x2 = 2', 'y2 = -1.3', \"x1' = 10.4\", \"x2' = 10.4\"]\n";
    let model = common::model(text);
    let p = common::prepare(&model);
    for form in ["multipliers", "kane", "maggi", "gibbs-appell"] {
        let options = RunOptions {
            form: appell::Formalism::find(form),
            ..common::until(0.5)
        };
        let run = appell::run(&p, &options, &mut Default::default());
        let run = run.unwrap_or_else(|error| panic!("{}", common::words(&p, error)));
        assert!(
            (run.last_time() - 0.20585).abs() < 1e-4,
            "{form}: {}",
            run.outcome
        );
        assert!(run.outcome.contains("singular"), "{form}: {}", run.outcome);
    }
}

/// `M = diag(1, 1 - x)` with `y' = x'`: the mass of the motion is `2 - x`, and `(2 - x)^(3/2) = 2^(3/2) - 3/2 sqrt(2) t`.
#[test]
fn motions_go_on_where_the_constraints_make_up_for_a_mass_that_vanishes() {
    let model = model(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + (1 - x)*y'^2)/2\"\n[constraints]\nc = \"y' = x'\"\n\
         [initial]\nstate = [\"x = 0\", \"y = 0\", \"x' = 1\"]\n[claims]\nreduced = { constant = \"(2 - x)*x'^2\" }",
    );
    let done = motion(&prepare(&model), &until(1.0));
    let mass = (2.0_f64.powf(1.5) - 1.5 * 2.0_f64.sqrt()).powf(2.0 / 3.0);
    assert!((last(&done, "x") - (2.0 - mass)).abs() < 1e-8);
    assert_eq!(done.claims[0].holds, Some(true));
}

/// `z` has no inertia, and `y' = x z'` feels it where `x` is not 0.
#[test]
fn charts_are_bad_where_rows_do_not_feel_what_has_no_inertia() {
    for (kinetic, row) in [("x'^2 + y'^2", "y' = x*z'"), ("x'^2 + x^2*z'^2", "y' = x'")] {
        let found = checked(&format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"{kinetic}\"\n[constraints]\nc = \"{row}\"\n\
             [initial]\nstate = [\"x = 1\"]"
        ));
        assert_eq!(found.chart_singular, ["x = 0"], "{row}");
    }
}
