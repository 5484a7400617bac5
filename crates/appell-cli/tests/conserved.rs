//! `appell conserved`: the JSON of the contract, the text, exit codes.

use crate::common::{assert_exit, assert_keys, json, run, run_with, stdout, zoo};

#[test]
fn json_has_the_keys_of_the_contract() {
    let output = run(&["conserved", &zoo("contact-oscillator"), "--json"]);
    assert_exit(&output, 0);
    let found = json(&output.stdout);
    assert_keys(&found, &["ansatz", "integrals", "seed"], &[]);
    assert_eq!(found["seed"], 0);
    let integrals = found["integrals"].as_array().expect("a list");
    assert_eq!(integrals.len(), 2, "{integrals:?}");
    for integral in integrals {
        assert_eq!(integral["verdict"], "proved");
        let bound = integral["bound"].as_str();
        assert!(
            bound.is_some_and(|bound| bound.starts_with("2^-")),
            "{integral}"
        );
        assert!(integral["kind"].is_string());
    }
    assert_eq!(integrals[1]["expression"], "y'^2 + y^2");
}

#[test]
fn text_says_what_was_searched() {
    let output = run(&["conserved", &zoo("prescribed-speed")]);
    assert_exit(&output, 0);
    let text = stdout(&output);
    assert!(text.contains("candidates)"), "{text}");
    assert!(text.contains("nothing of what was searched"), "{text}");
}

/// The degree and the seed are asked for on the command line; a second seed finds the same.
#[test]
fn a_cubic_integral_with_two_seeds() {
    let text = r#"
appell = 1
coordinates = ["q1", "q2", "q3"]
[energy]
kinetic = "(q1'^2 + q2'^2 + q3'^2)/2"
potential = "exp(q1 - q2) + exp(q2 - q3)"
"#;
    let of = |arguments: &[&str]| {
        let all = [&["conserved", "-", "--json"], arguments].concat();
        let output = run_with(&all, text);
        assert_exit(&output, 0);
        json(&output.stdout)
    };
    let cubic = |found: &serde_json::Value| {
        let integrals = found["integrals"].as_array().expect("a list").clone();
        let mut integrals = integrals.into_iter();
        integrals.find(|x| x["kind"] == "cubic in the velocities")
    };
    assert_eq!(cubic(&of(&[])), None);
    let (first, second) = (
        of(&["--degree", "3"]),
        of(&["--degree", "3", "--seed", "7"]),
    );
    assert_eq!((&first["seed"], &second["seed"]), (&0.into(), &7.into()));
    let texts = [&first, &second].map(|found| cubic(found).expect("found")["expression"].clone());
    assert_eq!(texts[0], texts[1]);
    assert_exit(&run(&["conserved", &zoo("skate"), "--degree", "9"]), 2);
}
