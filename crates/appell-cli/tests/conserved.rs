//! `appell conserved`: the JSON of the contract, the text, exit codes.

mod common;

use common::{assert_exit, assert_keys, json, run, stdout, zoo};

#[test]
fn json_has_the_keys_of_the_contract() {
    let output = run(&["conserved", &zoo("contact-oscillator"), "--json"]);
    assert_exit(&output, 0);
    let found = json(&output.stdout);
    assert_keys(&found, &["ansatz", "integrals"], &[]);
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
