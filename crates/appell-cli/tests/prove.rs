//! `appell prove`: verdicts, the JSON of the contract, exit codes.

use crate::common::{assert_exit, assert_keys, json, run, run_with, stdout, zoo};

#[test]
fn json_has_the_keys_of_the_contract() {
    let output = run(&["prove", &zoo("skate"), "--json"]);
    assert_exit(&output, 0);
    let proof = json(&output.stdout);
    assert_keys(
        &proof,
        &["equivalence", "identities", "claims", "seed"],
        &["points", "unavailable"],
    );
    let pairs = proof["equivalence"].as_array().expect("a list");
    assert!(pairs.len() >= 9, "{pairs:?}");
    for pair in pairs {
        assert_eq!(pair["verdict"], "proved", "{pair}");
        assert!(
            pair["bound"]
                .as_str()
                .is_some_and(|bound| bound.starts_with("2^-")),
            "{pair}"
        );
        assert!(pair["components"].is_string(), "{pair}");
        assert_eq!(pair["parameters"], "generic", "{pair}");
    }
    for claim in proof["claims"].as_array().expect("a list") {
        assert_eq!(claim["holds"], true, "{claim}");
    }
}

/// Other primes and points: the same verdicts, at most other bounds.
#[test]
fn a_second_seed_is_a_second_witness() {
    let of = |seed: &str| {
        let output = run(&["prove", &zoo("skate"), "--seed", seed, "--json"]);
        assert_exit(&output, 0);
        json(&output.stdout)
    };
    let (first, second) = (of("0"), of("7"));
    assert_eq!((&first["seed"], &second["seed"]), (&0.into(), &7.into()));
    for list in ["equivalence", "identities", "claims"] {
        let verdicts = |proof: &serde_json::Value| -> Vec<serde_json::Value> {
            let all = proof[list].as_array().expect("a list");
            all.iter().map(|x| x["verdict"].clone()).collect()
        };
        assert_eq!(verdicts(&first), verdicts(&second), "{list}");
    }
}

#[test]
fn a_wrong_claim_is_refuted_with_a_state() {
    let text = std::fs::read_to_string(zoo("skate")).expect("it is there");
    let wrong = text.replace(
        "z1' = -g*sin(alpha)*cos(theta)",
        "z1' = -1.0000001*g*sin(alpha)*cos(theta)",
    );
    assert_ne!(text, wrong);
    let output = run_with(&["prove", "-", "--json"], &wrong);
    assert_exit(&output, 1);
    let proof = json(&output.stdout);
    let claims = proof["claims"].as_array().expect("a list");
    let claim = claims
        .iter()
        .find(|claim| claim["name"] == "speed")
        .expect("the claim");
    assert_eq!(
        (&claim["verdict"], &claim["holds"]),
        (&"refuted".into(), &false.into())
    );
    let values = claim["witness"]["values"].as_array().expect("two values");
    assert!(values.len() == 2 && values[0] != values[1], "{values:?}");
}

#[test]
fn text_says_how_sure_it_is() {
    let output = run(&["prove", &zoo("pars")]);
    assert_exit(&output, 0);
    let text = stdout(&output);
    for words in [
        "multipliers = projector",
        "wrong with probability below 2^-",
        "refuted, as claimed",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
