//! The models of `strangers/claims` and those of `strangers` that are for proofs, each with what is true of it in comments:
//! claims that hold, claims that fail, freedoms, words and what kind of state the start is.

use crate::common::corpus::{Entry, corpus, models_of, stranger};
use crate::common::{model, prepare};
use appell::prove::{ClaimVerdict, Verdict, prove_seeded};
use appell::{Model, Prepared, check, read};

/// The words of the lines `# key: words`, split at commas.
fn told(text: &str, key: &str) -> Vec<String> {
    let words = text.lines().filter_map(|line| {
        line.strip_prefix("# ")?
            .strip_prefix(key)?
            .strip_prefix(": ")
    });
    words
        .flat_map(|words| words.split(", ").map(str::to_owned))
        .collect()
}

/// Those of the folder, and the models of the corpus that have claims or are for proofs.
fn models() -> Vec<(String, Model)> {
    let is_proved = |entry: &Entry| {
        let runs = ["expect", "stops", "refused"];
        entry.text.contains("[claims]")
            || runs
                .iter()
                .all(|word| entry.comments(word).next().is_none())
    };
    let all = models_of("strangers/claims")
        .into_iter()
        .chain(corpus().into_iter().filter(is_proved));
    all.map(|entry| (entry.name.clone(), entry.model()))
        .collect()
}

/// What is wrong with a verdict, where a claim holds or fails; what is hard may be undecided.
fn mistake(text: &str, claim: &ClaimVerdict) -> Option<String> {
    let is_in = |key: &str| told(text, key).contains(&claim.name);
    let (holds, fails) = (is_in("holds"), is_in("fails"));
    let (hard_holds, hard_fails) = (is_in("holds, open"), is_in("fails, open"));
    let said = match &claim.verdict {
        Verdict::Proved { .. } if holds || hard_holds => return None,
        Verdict::Refuted { .. } if fails || hard_fails => return None,
        Verdict::Undecided { .. } if hard_holds || hard_fails || is_in("undecided") => {
            return None;
        }
        Verdict::Proved { .. } => "proved".to_owned(),
        Verdict::Refuted { .. } => "refuted".to_owned(),
        Verdict::Undecided { why } => format!("undecided: {why}"),
    };
    Some(format!("{} is {said}", claim.name))
}

#[test]
fn every_claim_has_its_verdict() {
    for (name, model) in models() {
        let text = &model.source.text;
        for seed in [0, 1] {
            let proof = prove_seeded(&prepare(&model), seed);
            let found: Vec<String> = proof
                .claims
                .iter()
                .filter_map(|c| mistake(text, c))
                .collect();
            assert!(
                found.is_empty(),
                "{name}, seed {seed}: {}",
                found.join("; ")
            );
            let pairs = proof.equivalence.iter().map(|e| (e.b, &e.verdict));
            let identities = proof
                .identities
                .iter()
                .map(|i| (i.name.as_str(), &i.verdict));
            for (what, verdict) in pairs.chain(identities) {
                assert!(!verdict.is_refuted(), "{name}: {what}: {verdict:?}");
            }
        }
    }
}

/// No message speaks of the program's own names.
#[test]
fn what_is_undecided_is_said_in_plain_words() {
    for (name, model) in models() {
        for claim in prove_seeded(&prepare(&model), 0).claims {
            if let Verdict::Undecided { why } = &claim.verdict {
                assert!(
                    !why.contains("(0)") && !why.contains("Some("),
                    "{name}: {why}"
                );
            }
        }
    }
}

#[test]
fn freedoms_words_and_starts_are_those_of_the_real_states() {
    for (name, model) in models() {
        let text = &model.source.text;
        let (found, problem) = check(&prepare(&model), None);
        let code = problem.as_ref().map(|why| why.code.id());
        let wanted = told(text, "code");
        assert_eq!(
            code,
            wanted.first().map(String::as_str),
            "{name}: {problem:?}"
        );
        if code.is_some() {
            continue;
        }
        for freedoms in told(text, "freedoms") {
            assert_eq!(found.dof.to_string(), freedoms, "{name}: freedoms");
        }
        let hidden = told(text, "hidden")
            .first()
            .map_or(0, |n| n.parse().expect("a number"));
        assert_eq!(found.hidden.len(), hidden, "{name}: {:?}", found.hidden);
        for class in &found.constraints {
            for word in told(text, &format!("words {}", class.name)) {
                assert!(
                    class.words.contains(&word.as_str()),
                    "{name}: no {word}: {class:?}"
                );
            }
            for word in told(text, &format!("not {}", class.name)) {
                assert!(
                    !class.words.contains(&word.as_str()),
                    "{name}: {word}: {class:?}"
                );
            }
        }
        let initial = found.initial.expect("a start");
        let status = serde_json::to_value(initial.judgement.status).expect("a word");
        for word in told(text, "start") {
            assert_eq!(status, word, "{name}: {:?}", initial.judgement.why);
        }
    }
}

/// What depends on a claim's neighbours is no proof: each alone has the verdict that it has beside the others.
#[test]
fn a_claim_alone_has_the_same_verdict() {
    let whole = stranger("angles-beside-logarithms");
    let text = &whole.source.text;
    let (head, claims) = text.split_once("[claims]").expect("claims");
    let lines = claims.lines().filter(|line| line.contains(" = {"));
    let mut count = 0;
    for line in lines {
        let (alone, _) = read("alone", &format!("{head}[claims]\n{line}\n")).expect("a model");
        for claim in prove_seeded(&prepare(&alone), 0).claims {
            assert_eq!(mistake(text, &claim), None);
            count += 1;
        }
    }
    assert_eq!(count, 4);
}

/// A file's method is looked at by every command.
#[test]
fn an_unknown_method_is_refused_before_anything_is_asked() {
    let wrong = model(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[simulate]\nmethod = \"dop835\"\n",
    );
    let error = Prepared::new(&wrong, &[], &[]).err().expect("an error");
    assert!(
        error.to_string().contains("unknown method `dop835`"),
        "{error:?}"
    );
    let right = model(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[simulate]\nmethod = \"auto\"\n",
    );
    assert!(Prepared::new(&right, &[], &[]).is_ok());
}

/// Where the model has no value, no claim is refuted.
#[test]
fn a_claim_without_a_value_at_the_start_says_so() {
    let silent = model(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[initial]\nstate = [\"x = -1\"]\n\
         [claims]\ncube = { equation = \"log(x^3) = 3*log(x)\" }\n",
    );
    match &prove_seeded(&prepare(&silent), 0).claims[0].verdict {
        Verdict::Proved { components, .. } => {
            assert!(components.contains("no value at the start"), "{components}");
        }
        Verdict::Undecided { .. } => {}
        refuted => panic!("{refuted:?}"),
    }
}
