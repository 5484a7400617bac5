//! `appell check`

mod common;
use common::*;
use serde_json::json;

#[test]
fn text_says_what_the_model_is() {
    let output = run(&["check", &zoo("perpendicular")]);
    assert_exit(&output, 0);
    let text = stdout(&output);
    for words in [
        "Two pucks whose velocities stay perpendicular",
        "x1, y1, x2, y2",
        "3 of 4 coordinates",
        "positive definite",
        "perpendicular (1 row, independent): homogeneous, cone, of degree 2",
        "regular",
        "ranks: A 1, [A|B] 1, M 4, A M^-1 W 1, d phi 1",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(stderr(&output).is_empty());
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let output = run(&["check", &zoo("perpendicular"), "--json"]);
    assert_exit(&output, 0);
    assert_eq!(stdout(&output).lines().count(), 1);
    let check = json(&output.stdout);
    let keys = [
        "coordinates",
        "dof",
        "stationary",
        "constraints",
        "holonomic_combinations",
        "growth_vector",
        "singular",
        "initial",
    ];
    assert_keys(&check, &keys, &["metric", "why"]);
    assert_eq!(check["coordinates"], 4);
    assert_eq!(check["dof"], 3);
    assert_eq!(check["stationary"], true);
    let constraint = &check["constraints"][0];
    let keys = [
        "name",
        "rows",
        "class",
        "degree",
        "contrived",
        "equivalent_linear",
    ];
    assert_keys(constraint, &keys, &["standing"]);
    assert_eq!(constraint["class"], json!(["homogeneous", "cone"]));
    assert_eq!(constraint["degree"], 2.0);
}

#[test]
fn states_are_judged_with_their_six_ranks() {
    let states = r#"[{"q": [1, -2, 1, 2], "v": ["0.3", "0.4", "0.4", "-0.3"]},
                     {"t": 1, "q": [0, 0, 0, 0], "v": [0, 0, 0, 0]},
                     {"q": [1, -2, 1, 2], "v": [1, 0.4, 0.4, -0.3]}]"#;
    let output = run_with(
        &["check", &zoo("perpendicular"), "--states", "-", "--json"],
        states,
    );
    assert_exit(&output, 0);
    let check = json(&output.stdout);
    let judged = check["states"].as_array().expect("a list");
    let words: Vec<&str> = judged
        .iter()
        .map(|state| state["status"].as_str().expect("a word"))
        .collect();
    assert_eq!(words, ["regular", "singular", "off-constraint"]);
    for state in judged {
        assert_keys(state, &["rank", "status", "why"], &[]);
        assert_keys(
            &state["rank"],
            &["A", "psi", "augmented", "M", "gram", "dphi"],
            &[],
        );
    }
    let text = stdout(&run_with(
        &["check", &zoo("perpendicular"), "--states", "-"],
        states,
    ));
    assert!(text.contains("state 1       singular: "), "{text}");
}

#[test]
fn a_start_that_contradicts_the_constraints_is_shown_and_exits_with_2() {
    let model = zoo_text("skate").replace("\"z1 = 1\"", "\"x' = 1\", \"y' = 1\", \"z1 = 1\"");
    assert_ne!(model, zoo_text("skate"));
    let output = run_with(&["check", "-"], &model);
    assert_exit(&output, 2);
    assert!(
        stderr(&output).contains("error[E0501]"),
        "{}",
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("blade"),
        "the rest is said: {}",
        stdout(&output)
    );
    assert_exit(&run_with(&["check", "-", "--json"], &model), 2);
    assert_exit(&run_with(&["run", "-"], &model), 2);
}

#[test]
fn constraints_can_be_left_out_and_parameters_changed() {
    let model = zoo("perpendicular");
    let check = json(&run(&["check", &model, "--drop", "perpendicular", "--json"]).stdout);
    assert_eq!(check["dof"], 4);
    assert_exit(&run(&["check", &model, "-p", "m1=1/3", "-p", "m2=1e-3"]), 0);
}

#[test]
fn equilibria_are_found_in_a_box() {
    let arguments = [
        "check",
        "-",
        "--equilibria",
        "--box",
        "theta=-3:3",
        "--json",
    ];
    let output = run_with(&arguments, &zoo_text("skate"));
    assert_exit(&output, 0);
    let found = &json(&output.stdout)["equilibria"];
    let keys = [
        "searched",
        "steady_in",
        "ignorable",
        "states",
        "excluded",
        "why",
    ];
    assert_keys(found, &keys, &[]);
    let states = found["states"].as_array().expect("a list");
    let at_rest = states.iter().filter(|state| state["kind"] == "equilibrium");
    assert_eq!(at_rest.count(), 2, "{states:?}");
    assert!(states.iter().all(|state| state["stability"].is_null()));
    assert!(found["why"]["stability"].is_string());
    let output = run_with(
        &["check", "-", "--equilibria"],
        &zoo_text("parallel-velocities"),
    );
    assert_exit(&output, 0);
    let text = stdout(&output);
    assert!(
        text.contains("excluded: v = 0 is a singular state of `parallel`"),
        "{text}"
    );
}

#[test]
fn a_box_is_a_range_of_something_known() {
    for (range, wanted) in [
        ("tehta=0:1", "did you mean `theta`?"),
        ("theta=1", "write NAME=LOW:HIGH"),
        ("theta=2:1", "ends before it begins"),
    ] {
        let output = run_with(
            &["check", "-", "--equilibria", "--box", range],
            &zoo_text("skate"),
        );
        assert_exit(&output, 2);
        assert!(stderr(&output).contains(wanted), "{}", stderr(&output));
    }
}
