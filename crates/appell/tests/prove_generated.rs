//! Verdicts on generated models: no false statement is proved, no true one refuted.
//!
//! The truth of each claim is known by construction (`generated`), never from the prover.

use crate::generated::cases;
use crate::generated::draft::{Case, Truth};
use appell::prove::{Proof, Verdict, prove};
use appell::{Prepared, Source, read, render_all};
use std::collections::BTreeMap;

/// What became of the claims of a class.
#[derive(Default, Clone, Copy)]
struct Tally {
    models: usize,
    claims: usize,
    undecided: usize,
    refused: usize,
}

/// The proof of a case, or why there is none.
fn proof_of(case: &Case) -> Result<Proof, String> {
    let read = read(&case.name, &case.text);
    let (model, _) = read.map_err(|errors| {
        let source = Source::new(&case.name, &case.text);
        render_all(&errors, &source, false)
    })?;
    let prepared = Prepared::new(&model, &[], &[]).map_err(|error| error.to_string())?;
    Ok(prove(&prepared))
}

/// What is wrong with a verdict, if anything. A claim that is proved between jumps only does not
/// hold, so that its proof is not false.
fn wrong(verdict: &Verdict, holds: Option<bool>, truth: Truth) -> Option<&'static str> {
    match (verdict, truth) {
        (Verdict::Proved { .. }, Truth::Fails) if holds != Some(false) => Some("false, but proved"),
        (Verdict::Refuted { .. }, Truth::Holds) => Some("true, but refuted"),
        (Verdict::Proved { .. } | Verdict::Refuted { .. }, Truth::Void) => {
            Some("without a value anywhere, but decided")
        }
        _ => None,
    }
}

/// The false verdicts on a case: on its claims, and on what holds for every model.
fn mistakes(case: &Case, proof: &Proof, tally: &mut Tally) -> Vec<String> {
    let mut found = Vec::new();
    for statement in &case.statements {
        let claim = proof
            .claims
            .iter()
            .find(|claim| claim.name == statement.name);
        let claim = claim.unwrap_or_else(|| panic!("{}: no {}", case.name, statement.name));
        let open = matches!(claim.verdict, Verdict::Undecided { .. });
        tally.undecided += usize::from(open && statement.truth != Truth::Void);
        if let Some(wrong) = wrong(&claim.verdict, claim.holds, statement.truth) {
            found.push(format!("{} is {wrong}", statement.text));
        }
    }
    let pairs = proof
        .equivalence
        .iter()
        .map(|e| (format!("{} = {}", e.a, e.b), &e.verdict));
    let identities = proof
        .identities
        .iter()
        .map(|i| (i.name.clone(), &i.verdict));
    let standing = pairs
        .chain(identities)
        .filter(|(_, verdict)| verdict.is_refuted());
    found.extend(standing.map(|(name, _)| format!("{name} is refuted")));
    found
}

/// Proves every case of a seed; prints what stayed open.
fn judge(seed: u64) {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    let cases = cases(seed);
    assert!(cases.len() >= 300, "only {} cases", cases.len());
    for case in &cases {
        let tally = tallies.entry(case.class).or_default();
        tally.models += 1;
        tally.claims += case.statements.len();
        match proof_of(case) {
            Ok(proof) => {
                let found = mistakes(case, &proof, tally);
                if !found.is_empty() {
                    wrong.push(format!(
                        "{}\n  {}\n{}",
                        case.name,
                        found.join("\n  "),
                        case.text
                    ));
                }
            }
            Err(why) => {
                eprintln!("{}: {why}", case.name);
                tally.refused += 1;
                tally.undecided += case.statements.len();
            }
        }
    }
    print(seed, &tallies);
    assert!(
        wrong.is_empty(),
        "{} of {} models have a false verdict:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// The share that stayed open, by class and of all.
fn print(seed: u64, tallies: &BTreeMap<&str, Tally>) {
    let mut all = Tally::default();
    for (class, tally) in tallies {
        let Tally {
            models,
            claims,
            undecided,
            refused,
        } = *tally;
        println!(
            "{class:26} {models:4} models, {claims:5} claims, {undecided:4} undecided, {refused:3} models refused"
        );
        all = Tally {
            models: all.models + models,
            claims: all.claims + claims,
            undecided: all.undecided + undecided,
            refused: all.refused + refused,
        };
    }
    let share = 100.0 * all.undecided as f64 / all.claims as f64;
    println!(
        "seed {seed}: {} models, {} claims, {share:.1} % undecided",
        all.models, all.claims
    );
}

/// No false verdict. `APPELL_SEED` chooses other cases than those of every day.
#[test]
fn no_verdict_on_a_generated_model_is_false() {
    let chosen = std::env::var("APPELL_SEED");
    judge(chosen.map_or(1, |seed| seed.parse().expect("a seed is a whole number")));
}
