//! `appell eval`

use crate::common::*;
use serde_json::{Value, json};
use std::fs;

const STATE: &str = r#"[{"t": 0, "q": [1, -2, 1, 2], "v": ["0.3", "0.4", "0.4", "-0.3"]}]"#;
const REST: &str = r#"[{"q": [1, -2, 1, 2], "v": [0, 0, 0, 0]}]"#;

/// Evaluates states of the two pucks.
fn evaluated(arguments: &[&str], states: &str, code: i32) -> Value {
    let model = zoo("perpendicular");
    let output = run_with(
        &[&["eval", &model, "--states", "-", "--json"], arguments].concat(),
        states,
    );
    assert_exit(&output, code);
    assert_eq!(stdout(&output).lines().count(), 1);
    json(&output.stdout)
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let evaluation = evaluated(&[], STATE, 0);
    assert_keys(&evaluation, &["states"], &[]);
    let state = &evaluation["states"][0];
    let keys = [
        "t",
        "q",
        "v",
        "status",
        "accel",
        "lambda",
        "reaction",
        "energy",
        "energy_star",
        "energy_rate",
        "energy_star_rate",
        "reaction_power",
        "alphabar_minus_alpha",
        "residual",
        "rank",
        "forms",
        "forces",
    ];
    assert_keys(state, &keys, &["why", "energy_star_why"]);
    assert_keys(
        &state["forms"],
        &[
            "multipliers",
            "projector",
            "gibbs-appell",
            "gauss",
            "udwadia-kalaba",
            "hamilton",
            "maggi",
            "boltzmann-hamel",
            "voronec",
            "chaplygin",
            "kane",
            "connection",
        ],
        &[],
    );
    let keys = [
        "accel",
        "state_names",
        "state",
        "rate",
        "lambda",
        "reaction",
        "energy",
    ];
    assert_keys(&state["forms"]["multipliers"], &keys, &[]);
    assert_keys(&state["forms"]["maggi"], &["unavailable"], &[]);
    // Kane's two sets of equations give the same accelerations.
    let kane = &state["forms"]["kane"];
    assert_keys(kane, &keys, &["not_in_evidence"]);
    let pairs = numbers(&kane["accel"])
        .into_iter()
        .zip(numbers(&kane["not_in_evidence"]["accel"]));
    assert!(
        pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-13),
        "{kane}"
    );
    let keys = [
        "constraint",
        "on",
        "point",
        "at",
        "force",
        "torque",
        "unique",
    ];
    assert_keys(&state["forces"][0], &keys, &["rule"]);
}

/// `lambda = -22/15` and the accelerations of the two pucks, by hand: `A = (x2', y2', x1', y1')`,
/// `M q'' = s e + A^T lambda`, `A q'' + 0 = 0`.
#[test]
fn numbers_are_those_of_the_reference() {
    let state = &evaluated(&[], STATE, 0)["states"][0];
    let lambda = -22.0 / 15.0;
    let accelerations = [
        1.0 + 0.4 * lambda,
        -0.3 * lambda,
        (1.0 + 0.3 * lambda) / 2.0,
        0.4 * lambda / 2.0,
    ];
    for form in ["multipliers", "projector"] {
        let found = numbers(&state["forms"][form]["accel"]);
        for (found, wanted) in found.iter().zip(accelerations) {
            assert!((found - wanted).abs() < 1e-14, "{form}: {found} {wanted}");
        }
    }
    assert!((numbers(&state["lambda"])[0] - lambda).abs() < 1e-14);
    assert_eq!(state["forces"].as_array().map(Vec::len), Some(2));
}

/// Forms in independent velocities hold on the constraints only; that is no matter of rounding.
#[test]
fn a_form_says_why_it_has_no_value_beside_the_constraints() {
    let (model, state) = (
        zoo("chaplygin-sleigh"),
        r#"[{"q": [0, 0, 0.3], "v": [1, 2, 0.5]}]"#,
    );
    let arguments = [
        "eval", &model, "--states", "-", "--form", "voronec", "--json",
    ];
    let output = run_with(&arguments, state);
    let found: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let why = found["states"][0]["forms"]["voronec"]["why"].as_str();
    assert!(
        why.is_some_and(
            |why| why.ends_with("holds on the constraints, which the state does not satisfy")
        ),
        "{found}"
    );
}

/// The shortest text of a double reads back as the same double.
#[test]
fn numbers_are_read_exactly() {
    let q = "[9.5566013511917, 0.30000000000000004, 1e-7, 123456789.12345679]";
    let states = format!(r#"[{{"q": {q}, "v": [0.3, 0.4, 0.4, -0.3]}}]"#);
    let output = run_with(
        &["eval", &zoo("perpendicular"), "--states", "-", "--json"],
        &states,
    );
    let expected = q.replace(' ', "");
    assert!(
        stdout(&output).contains(&format!("\"q\":{expected}")),
        "{}",
        stdout(&output)
    );
}

#[test]
fn only_the_wanted_forms_are_evaluated() {
    let forms = |list: &str| {
        let evaluation = evaluated(&["--form", list], STATE, 0);
        let forms = evaluation["states"][0]["forms"]
            .as_object()
            .expect("an object");
        forms.keys().cloned().collect::<Vec<String>>()
    };
    assert_eq!(forms("projector"), ["projector"]);
    assert_eq!(forms("projector,multipliers"), ["multipliers", "projector"]);
    assert_eq!(forms("all").len(), 12);
}

#[test]
fn only_if_no_state_has_a_value_the_exit_code_is_3() {
    let alone = evaluated(&[], REST, 3);
    let state = &alone["states"][0];
    assert_eq!(state["status"], "singular");
    assert_eq!(state["accel"], Value::Null);
    assert!(
        state["why"]
            .as_str()
            .is_some_and(|why| why.contains("rank")),
        "{state}"
    );
    let both = json!([json(REST.as_bytes())[0], json(STATE.as_bytes())[0]]).to_string();
    assert_eq!(
        evaluated(&[], &both, 0)["states"].as_array().map(Vec::len),
        Some(2)
    );
}

#[test]
fn parameters_are_changed_and_constraints_left_out() {
    let heavy = evaluated(&["-p", "m1=4", "-p", "m2=8/2"], STATE, 0);
    let energy = heavy["states"][0]["energy"].as_f64().expect("a number");
    assert!((energy - 1.0).abs() < 1e-15, "{energy}");
    let free = evaluated(&["--drop", "perpendicular"], STATE, 0);
    assert_eq!(numbers(&free["states"][0]["accel"]), [1.0, 0.0, 0.5, 0.0]);
}

#[test]
fn text_shows_the_same_as_a_table() {
    let output = run_with(&["eval", &zoo("perpendicular"), "--states", "-"], STATE);
    assert_exit(&output, 0);
    let text = stdout(&output);
    for words in [
        "state 0, t = 0, regular",
        "q'' multipliers",
        "0.413333333",
        "-1.46666667",
        "perpendicular on P1 at (1, -2, 0): (-0.586666667, 0.44, 0)",
        "maggi: ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn states_that_cannot_be_read_are_refused_in_words() {
    let model = zoo("perpendicular");
    let cases = [
        ("", "not JSON"),
        ("3", "JSON list"),
        ("{}", "\"q\" is missing"),
        (r#"[{"q": [1, 2], "v": [0, 0, 0, 0]}]"#, "4 are needed"),
        (
            r#"[{"q": [1, 2, 3, "nan"], "v": [0, 0, 0, 0]}]"#,
            "not a finite number",
        ),
        (
            r#"[{"q": [1, 2, 3, "x"], "v": [0, 0, 0, 0]}]"#,
            "`x` is no parameter",
        ),
        (r#"[{"q": [1, 2, 3, 4], "w": [0, 0, 0, 0]}]"#, "unknown key"),
        (
            r#"[{"q": [1, 2, 3, 4], "q": [0, 0, 0, 0], "v": [0, 0, 0, 0]}]"#,
            "duplicate field `q`",
        ),
    ];
    for (states, words) in cases {
        let output = run_with(&["eval", &model, "--states", "-"], states);
        assert_exit(&output, 2);
        assert!(
            stderr(&output).contains(words),
            "{states}: {}",
            stderr(&output)
        );
    }
    let skate = |z: &str| format!(r#"[{{"q": [0, 0, 0], "v": [1, 0, 2], "z": {z}}}]"#);
    let states = ["eval", &zoo("skate"), "--states", "-"];
    assert_exit(&run_with(&states, &skate("[1, 2]")), 0);
    let output = run_with(&states, &skate("[1, 3]"));
    assert_exit(&output, 2);
    assert!(stderr(&output).contains("\"v\"[2] is 2, and \"z\" gives 3; give one of them"));
    let both = run_with(&["eval", "-", "--states", "-"], "");
    assert_exit(&both, 2);
    assert!(stderr(&both).contains("cannot both come from standard input"));
    let missing = run(&["eval", &model, "--states", "nowhere.json"]);
    assert_exit(&missing, 2);
    assert!(stderr(&missing).contains("there is no file `nowhere.json`"));
}

#[test]
fn a_model_from_standard_input_and_states_from_a_file() {
    let folder = folder("eval");
    let states = inside(&folder, "states.json");
    fs::write(&states, STATE).expect("written");
    let output = run_with(
        &["eval", "-", "--states", &states, "--json"],
        &zoo_text("perpendicular"),
    );
    assert_exit(&output, 0);
    assert_eq!(json(&output.stdout), evaluated(&[], STATE, 0));
}

/// The text names the point a force acts at, a couple as such, and Gauss' rule where it was used.
#[test]
fn text_says_where_forces_act() {
    let model = r#"coordinates = ["x", "y", "th"]
[frames]
B = { parent = "N", angle = "th", axis = "z" }
[points]
Q = "pos(sleigh) - 0.3*B.x"
[bodies.sleigh]
mass = 2
frame = "B"
position = "[x, y, 0] + 0.3*B.x"
inertia = [0, 0, 0.5]
[constraints]
blade = "#;
    let state = r#"[{"t": 0, "q": [0, 0, 0], "v": [1, 0, 0.4]}]"#;
    let folder = folder("forces-act");
    // 2 (y'' + 0.3 th'') = F, 0.5 th'' = -0.3 F, y'' = x' th' = 0.4.
    for (row, words) in [
        (
            r#""dot(v(Q), B.y) = 0""#,
            "blade on sleigh at Q (0, 0, 0): (0, 0.588235294, 0)\n",
        ),
        (
            r#""dot(v(sleigh, -0.3*B.x), B.y) = 0""#,
            "blade on sleigh at (0, 0, 0): (0, 0.588235294, 0)\n",
        ),
        (
            r#""x'*sin(th) - y'*cos(th) = 0""#,
            "blade on sleigh at (0.3, 0, 0): (0, 0.588235294, 0), couple (0, 0, -0.176470588), \
             distributed by Gauss' principle",
        ),
        (
            r#""dot(omega(sleigh), N.z) = 0.4""#,
            "blade on sleigh: couple (0, 0, 0)",
        ),
    ] {
        let path = inside(&folder, "sleigh.toml");
        fs::write(&path, format!("{model}{row}\n")).expect("the model is written");
        let output = run_with(&["eval", &path, "--states", "-"], state);
        assert_exit(&output, 0);
        let text = stdout(&output);
        assert!(text.contains(words), "{row}: {text}");
    }
}
