//! Models as strangers write them (`models/strangers`), each with what is true of it.
//!
//! The truths were derived by hand and checked at states that Newton's method finds from random real
//! ones, at 50 digits.

use crate::common::{last, motion, prepare};
use appell::prove::Verdict;
use appell::{ExitKind, Formalism, Model, RunOptions, check, conserved, prove, read};

/// A model, its claims that hold, those that fail, and those that have no value anywhere.
type Truths = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

/// A claim of a constant that jumps on the file's own motion is among those that fail.
const TRUTHS: &[Truths] = &[
    (
        "angular-rows",
        &["one_rests", "sines", "double"],
        &["a_rests", "a_zero"],
        &[],
    ),
    ("bouncing-sign", &["E"], &["side", "way", "signed"], &[]),
    ("claims-on-nothing", &[], &[], &["root", "arc", "domain"]),
    (
        "compass-needle",
        &["speed", "cosine"],
        &["log", "half"],
        &[],
    ),
    ("cone-near-chart", &[], &[], &[]),
    (
        "conveyor-off",
        &["quadratic", "keeps"],
        &["together", "rest"],
        &[],
    ),
    ("empty-model", &[], &[], &["anything"]),
    ("equal-parameters", &[], &[], &[]),
    ("factor-with-root", &[], &["k0"], &[]),
    ("factor-with-root-conserved", &[], &[], &[]),
    ("friction-of-powers", &["first", "second"], &["third"], &[]),
    (
        "gears-at-rest-ratio",
        &["locked"],
        &["input_stops", "all_stop"],
        &[],
    ),
    (
        "heading-row",
        &["blade", "tangent", "forward"],
        &["straight"],
        &[],
    ),
    ("hyperboloid-chart", &[], &[], &[]),
    (
        "identities-of-a-notebook",
        &["r1", "r2", "r3", "r4", "r5"],
        &["w1", "w2", "w3", "w4"],
        &[],
    ),
    ("indefinite-form", &["product"], &["rest", "line"], &[]),
    (
        "isokinetic-in-gravity",
        &["right", "kinetic"],
        &["wrong", "energy"],
        &[],
    ),
    ("jumps-heading", &["side"], &["heading"], &[]),
    ("jumps-oscillator", &["k3"], &["k0", "k1", "k2"], &[]),
    (
        "kepler-with-slip",
        &["area", "laplace"],
        &["mistyped", "rounded"],
        &[],
    ),
    (
        "logistic-gear",
        &["rolls", "position"],
        &["never", "other"],
        &[],
    ),
    (
        "moon-landing-units",
        &["energy", "momentum", "spin"],
        &["without_probe", "nearly"],
        &[],
    ),
    ("nano-beam", &["energy", "free"], &["linear", "tiny"], &[]),
    (
        "nested-roots",
        &["sum", "golden", "large", "moving"],
        &["close"],
        &[],
    ),
    (
        "norms-and-angles",
        &["turned", "crossed", "squared"],
        &["left", "oriented"],
        &[],
    ),
    (
        "pendulum-with-zero-lengths",
        &["squares", "level"],
        &["parallel", "rates"],
        &[],
    ),
    ("pipe-and-line", &["weak"], &["third", "line"], &[]),
    ("positive-factor", &[], &[], &[]),
    ("quartic-of-rest", &[], &[], &[]),
    ("redundant-quadrics", &["k0"], &["k1"], &[]),
    (
        "robot-hand-modes",
        &["one_at_a_time"],
        &["no_lift", "stays_open"],
        &[],
    ),
    ("root-of-square", &[], &[], &[]),
    ("row-and-its-square", &[], &[], &[]),
    ("row-of-small-terms", &[], &[], &[]),
    ("scale-log", &["a", "b", "c"], &[], &[]),
    (
        "sheets-of-a-hyperboloid",
        &["upper", "lower", "kept"],
        &["always", "wrong_sheet"],
        &[],
    ),
    (
        "skates-with-spring-factor",
        &["both"],
        &["grips", "slopes"],
        &[],
    ),
    ("solar-system-si", &["energy", "px", "L"], &[], &[]),
    ("squares-with-sign", &[], &[], &[]),
    ("sum-of-three-squares", &["x", "y", "speed"], &["rest"], &[]),
    ("three-boats-in-line", &["either", "energy"], &["BC"], &[]),
    (
        "three-hinges",
        &["squares", "together"],
        &["first", "second", "both", "third"],
        &[],
    ),
    ("tiny-residual", &[], &[], &[]),
    ("toe-angle-zero", &["blade"], &["stands", "spin"], &[]),
    ("twisted-cubic", &[], &[], &[]),
    (
        "two-equal-wheels",
        &["mean", "turn"],
        &["straight", "still"],
        &[],
    ),
    ("two-rows-parallel", &[], &["k0"], &[]),
    ("vector-parallel", &["gram"], &["same", "across"], &[]),
];

fn stranger(name: &str) -> Model {
    let path = format!(
        "{}/tests/models/strangers/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (model, _) = read(name, &text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    model
}

/// What is wrong with the verdicts on a model.
fn mistakes((name, holds, fails, void): &Truths) -> Vec<String> {
    let model = stranger(name);
    let proof = prove(&prepare(&model));
    let mut found = Vec::new();
    let mut named = 0;
    for claim in &proof.claims {
        let is_in = |names: &[&str]| names.contains(&claim.name.as_str());
        named += usize::from(is_in(holds) || is_in(fails) || is_in(void));
        let said = match &claim.verdict {
            Verdict::Proved { .. } if is_in(fails) && claim.holds != Some(false) => "proved",
            Verdict::Proved { .. } if is_in(void) => "proved",
            Verdict::Refuted { .. } if !is_in(fails) => "refuted",
            _ => continue,
        };
        found.push(format!("{name}: {} is {said}", claim.name));
    }
    assert_eq!(named, proof.claims.len(), "{name}: a claim without a truth");
    let pairs = proof
        .equivalence
        .iter()
        .map(|e| (e.b.to_owned(), &e.verdict));
    let identities = proof
        .identities
        .iter()
        .map(|i| (i.name.clone(), &i.verdict));
    let refuted = pairs
        .chain(identities)
        .filter(|(_, verdict)| verdict.is_refuted());
    found.extend(refuted.map(|(what, _)| format!("{name}: {what} is refuted")));
    found
}

#[test]
fn no_verdict_on_a_strangers_model_is_false() {
    let found: Vec<String> = TRUTHS.iter().flat_map(mistakes).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Every model of the folder has its truths.
#[test]
fn every_stranger_is_in_the_table() {
    let folder = format!("{}/tests/models/strangers", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("the folder of models");
    for file in files {
        let name = file.expect("a file").file_name();
        let name = name.to_string_lossy();
        // Models that are run only lie in a folder of their own.
        if !name.ends_with(".toml") {
            continue;
        }
        let known = |(known, ..): &Truths| name.strip_suffix(".toml") == Some(known);
        assert!(TRUTHS.iter().any(known), "{name}");
    }
}

/// On the other factor, `y' = x'`, these drift by 0.5 in 1 s from the file's start.
#[test]
fn integrals_of_one_factor_are_not_offered() {
    let model = stranger("factor-with-root-conserved");
    let found = conserved(&prepare(&model), None);
    for integral in &found.integrals {
        let text = integral.expression.replace(' ', "");
        assert!(
            !["y'", "z+x'*z'", "x'*z'+z"].contains(&text.as_str()),
            "{text}"
        );
    }
}

/// Freedoms and growth agree, and are those of the file's parameters.
#[test]
fn dependent_rows_are_counted_once() {
    for (name, freedoms, growth) in [
        ("toe-angle-zero", 2, &[2, 3][..]),
        ("equal-parameters", 2, &[2]),
        ("row-and-its-square", 2, &[2, 3]),
    ] {
        let model = stranger(name);
        let (found, _) = check(&prepare(&model), None);
        assert_eq!(found.dof, freedoms, "{name}");
        assert_eq!(found.growth_vector.as_deref(), Some(growth), "{name}");
    }
}

/// The twisted cubic has rank 2, one of its three rows is redundant.
#[test]
fn a_redundant_quadric_is_called_so() {
    let model = stranger("twisted-cubic");
    let (found, _) = check(&prepare(&model), None);
    let words = found.constraints.iter().flat_map(|c| &c.words);
    assert_eq!(
        words.filter(|word| **word == "redundant").count(),
        1,
        "{:?}",
        found.constraints
    );
    assert_eq!(found.dof, 2);
}

/// `x'^2 + z x' y' + y'^2 = 0` is two lines where z = 3: no rest, nothing to integrate.
#[test]
fn a_form_whose_sign_changes_is_no_sum_of_squares() {
    let model = stranger("squares-with-sign");
    let (found, _) = check(&prepare(&model), None);
    let class = &found.constraints[0];
    assert_eq!(found.dof, 2);
    assert!(!class.words.contains(&"holonomic"), "{class:?}");
    assert!(
        !class.contrived.as_deref().unwrap_or("").contains("squares"),
        "{class:?}"
    );
}

/// A factor that vanishes nowhere leaves the other; a sum of fourth powers leaves rest.
#[test]
fn classes_are_those_of_the_real_states() {
    let class = |name: &str| {
        let model = stranger(name);
        let (found, _) = check(&prepare(&model), None);
        found.constraints[0].clone()
    };
    let positive = class("positive-factor");
    let linear = positive.words.contains(&"linear") || positive.equivalent_linear.is_some();
    assert!(linear, "{positive:?}");
    let rest = class("quartic-of-rest");
    assert!(!rest.words.contains(&"inherent"), "{rest:?}");
    let root = class("root-of-square");
    assert!(!root.words.contains(&"linear"), "{root:?}");
    assert!(!root.words.contains(&"holonomic"), "{root:?}");
}

/// What is on the constraint for every purpose is not refused, nor called off it.
#[test]
fn rounding_is_no_residual() {
    let model = stranger("tiny-residual");
    let moved = motion(&prepare(&model), &RunOptions::default());
    assert_eq!(moved.exit, ExitKind::Done, "{}", moved.outcome);
    let model = stranger("row-of-small-terms");
    let moved = motion(&prepare(&model), &RunOptions::default());
    assert!(moved.max_residual < 1e-8, "{}", moved.max_residual);
}

/// Forms that solve the rows for a velocity reach the end of a regular motion, as the others do.
#[test]
fn a_form_changes_its_chart() {
    for name in ["hyperboloid-chart", "cone-near-chart"] {
        let model = stranger(name);
        let p = prepare(&model);
        let ends: Vec<f64> = ["multipliers", "voronec", "gibbs-appell"]
            .iter()
            .map(|id| {
                let options = RunOptions {
                    form: Formalism::find(id),
                    until: Some(5.0),
                    ..RunOptions::default()
                };
                let moved = motion(&p, &options);
                assert_eq!(
                    moved.exit,
                    ExitKind::Done,
                    "{name}, {id}: {}",
                    moved.outcome
                );
                last(&moved, "x")
            })
            .collect();
        for end in &ends[1..] {
            assert!(
                (end - ends[0]).abs() < 1e-4 * ends[0].abs().max(1.0),
                "{name}: {ends:?}"
            );
        }
    }
}
