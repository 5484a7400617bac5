//! `appell linearize`.

use crate::common::*;
use serde_json::Value;

/// `x'' + c x' + k x = 0`, started away from its equilibrium.
const DAMPED: &str = r#"
title = "Damped"
coordinates = ["x"]
parameters = { k = 4, c = 0.2, x0 = 0 }
[energy]
kinetic = "1/2*x'^2"
potential = "1/2*k*(x - x0)^2"
[forces]
x = "-c*x'"
[initial]
state = ["x = 1", "x' = 0"]
"#;

fn model(folder: &std::path::Path) -> String {
    let model = inside(folder, "model.toml");
    std::fs::write(&model, DAMPED).expect("written");
    model
}

fn complex(value: &Value) -> Vec<Vec<f64>> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(numbers)
        .collect()
}

#[test]
fn one_state_gives_one_object() {
    let folder = folder("linearize-one");
    let model = model(&folder);
    for arguments in [
        &["linearize", &model, "--initial", "x = 0", "--json"][..],
        &["linearize", &model, "-p", "x0=1", "--json"],
    ] {
        let output = run(arguments);
        assert_exit(&output, 0);
        let found = json(&output.stdout);
        assert_keys(&found, &["state_names", "matrix", "eigenvalues"], &[]);
        assert_eq!(found["state_names"], serde_json::json!(["x", "x'"]));
        assert_eq!(complex(&found["matrix"]), [[0.0, 1.0], [-4.0, -0.2]]);
        let values = complex(&found["eigenvalues"]);
        let frequency = (4.0f64 - 0.01).sqrt();
        for (value, im) in values.iter().zip([-frequency, frequency]) {
            assert!(
                (value[0] + 0.1).abs() < 1e-15 && (value[1] - im).abs() < 1e-15,
                "{values:?}"
            );
        }
    }
    let text = run(&["linearize", &model, "--initial", "x=0"]);
    assert_exit(&text, 0);
    let text = stdout(&text);
    for words in [
        "(x')'",
        "-0.1 +- 1.9974",
        "period 3.15",
        "decays",
        "stable: every small",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn states_come_from_a_file_with_expressions() {
    let folder = folder("linearize-at");
    let model = model(&folder);
    let state = r#"{"q": ["x0"], "v": [0]}"#;
    let output = run_with(
        &["linearize", &model, "--at", "-", "-p", "x0=2.5", "--json"],
        state,
    );
    assert_exit(&output, 0);
    let two = run_with(
        &["linearize", &model, "--at", "-", "--json"],
        &format!("[{state}, {state}]"),
    );
    assert_exit(&two, 0);
    let two = json(&two.stdout);
    assert_keys(&two, &["states"], &[]);
    assert_eq!(two["states"].as_array().map(Vec::len), Some(2));
    for (state, words) in [
        (r#"{"q": ["x"], "v": [0]}"#, "`x` is no parameter"),
        (r#"{"q": ["x9"], "v": [0]}"#, "did you mean `x0`?"),
        (r#"{"q": ["1/0"], "v": [0]}"#, "division by zero"),
        (r#"{"q": [0]}"#, "one of \"v\" and \"z\" is needed"),
        ("3", "states are a JSON list"),
    ] {
        let wrong = run_with(&["linearize", &model, "--at", "-"], state);
        assert_exit(&wrong, 2);
        assert!(
            stderr(&wrong).contains(words),
            "{state}: {}",
            stderr(&wrong)
        );
    }
}

#[test]
fn a_range_gives_branches_crossings_and_files() {
    let folder = folder("linearize-range");
    let model = model(&folder);
    let (csv, plots) = (inside(&folder, "roots.csv"), inside(&folder, "plots"));
    let range = ["-p", "c=-0.55:1:0.1", "--initial", "x = 0"];
    let output = run(&[
        &[
            "linearize",
            &model,
            "--crossings",
            "--json",
            "-o",
            &csv,
            "--svg-dir",
            &plots,
        ],
        &range[..],
    ]
    .concat());
    assert_exit(&output, 0);
    assert_eq!(stderr(&output), "Damped\n");
    let found = json(&output.stdout);
    assert_keys(
        &found,
        &["parameter", "values", "eigenvalues", "crossings"],
        &[],
    );
    assert_eq!(
        (found["parameter"].as_str(), numbers(&found["values"]).len()),
        (Some("c"), 16)
    );
    let crossings = found["crossings"].as_array().expect("a list");
    assert_eq!(crossings.len(), 1, "{crossings:?}");
    assert!(crossings[0]["value"].as_f64().expect("a number").abs() < 1e-12);
    assert!(
        crossings[0]["kind"]
            .as_str()
            .expect("words")
            .contains("gains stability")
    );
    let table = std::fs::read_to_string(&csv).expect("the file");
    assert!(
        table.starts_with("c,re 1,im 1,re 2,im 2\n-0.55,0.275,"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 17);
    assert_files(std::path::Path::new(&plots), &["plot-1.svg", "plot-2.svg"]);
    let text = run(&[&["linearize", &model], &range[..]].concat());
    assert_exit(&text, 0);
    assert!(!stdout(&text).contains("crossings"));
    let plain = json(&run(&[&["linearize", &model, "--json"], &range[..]].concat()).stdout);
    assert_keys(&plain, &["parameter", "values", "eigenvalues"], &[]);
}

#[test]
fn gaps_are_null_with_a_reason() {
    let folder = folder("linearize-gaps");
    let model = inside(&folder, "model.toml");
    std::fs::write(&model, DAMPED.replace("1/2*k*", "sqrt(k)*")).expect("written");
    let output = run(&[
        "linearize",
        &model,
        "--initial",
        "x = 0",
        "-p",
        "k=-1:1:1",
        "--json",
    ]);
    assert_exit(&output, 0);
    let found = json(&output.stdout);
    assert!(
        found["eigenvalues"][0].is_null() && found["eigenvalues"][2].is_array(),
        "{found}"
    );
    assert_eq!(found["why"][0]["value"], -1.0);
    assert!(stderr(&output).contains("none at k = -1"));
}

#[test]
fn wrong_questions_exit_with_2_and_singular_states_with_3() {
    let folder = folder("linearize-wrong");
    let model = model(&folder);
    let unsteady = run(&["linearize", &model]);
    assert_exit(&unsteady, 2);
    for words in [
        "E0502",
        "not steady: x'' = -4 at t = 0",
        "--at FILE",
        "--initial",
    ] {
        assert!(stderr(&unsteady).contains(words), "{}", stderr(&unsteady));
    }
    for (arguments, words) in [
        (&["--crossings"][..], "need the range of a parameter"),
        (&["-o", "roots.csv"], "need the range of a parameter"),
        (&["--svg-dir", "plots"], "need the range of a parameter"),
        (&["-p", "k=1:2", "-p", "c=1:2"], "only one parameter"),
        (&["-p", "z=1:2"], "unknown parameter `z`"),
        (&["-p", "k=1:2:1e-9"], "more than 10000 values"),
        (
            &["-p", "k=1:2", "-o", "roots.txt"],
            "use .csv, .json, .npz or .arrow",
        ),
        (&["--initial", "x"], "is no equation"),
        (
            &["--initial", "x = 0", "--at", "state.json"],
            "cannot be used with",
        ),
        (&["--drop", "nothing"], "constraint"),
    ] {
        let output = run(&[&["linearize", &model], arguments].concat());
        assert_exit(&output, 2);
        assert!(
            stderr(&output).contains(words),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(output.stdout.is_empty());
    }
    let at_rest = r#"{"q": [0, 0, 0], "v": [0, 0, 0]}"#;
    let singular = run_with(
        &["linearize", &zoo("appell-particle"), "--at", "-"],
        at_rest,
    );
    assert_exit(&singular, 3);
    assert!(
        stderr(&singular).contains("singular state"),
        "{}",
        stderr(&singular)
    );
}

/// Interrupted in its midst: what was computed is printed.
#[cfg(unix)]
#[test]
fn an_interrupted_sweep_keeps_what_was_computed() {
    let folder = folder("linearize-interrupted");
    let model = model(&folder);
    let arguments = [
        "linearize",
        &model,
        "--initial",
        "x = 0",
        "-p",
        "k=1:10000:1.0001",
        "--json",
    ];
    let output = interrupted_amid(&arguments);
    let found = json(&output.stdout);
    let count = numbers(&found["values"]).len();
    assert!(count < 9999, "{count}");
    assert_eq!(found["eigenvalues"].as_array().map(Vec::len), Some(count));
}
