//! Models as strangers write them, each with what is true of it.
//!
//! The truths were derived by hand and checked at states that Newton's method finds from random real
//! ones, at 50 digits.

use crate::common::corpus::stranger;
use crate::common::{last, motion, prepare};
use appell::{ExitKind, Formalism, RunOptions, check, conserved};

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
