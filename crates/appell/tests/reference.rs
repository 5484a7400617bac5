//! Every reference case through `eval`, in every formalism that applies.

use crate::common::reference::{Case, agree, cases, number, numbers};
use appell::{FORMALISMS, FormValues};
use serde_json::Value;
use std::fmt::Write as _;

/// The reference cases with a row that is not affine in the velocities.
const NONLINEAR: [&str; 25] = [
    "appell-hamel",
    "appell-particle",
    "benenti-9.4-inclined-equal-masses",
    "benenti-9.4-inclined-plane",
    "benenti-9.4-parallel-velocities",
    "chaplygin-nonlinear-n4-k2",
    "degree3-affine",
    "equal-magnitude-planar",
    "equal-speeds-two-points",
    "generic-rheonomic-n4-k2",
    "isokinetic-two-particles",
    "kane-perpendicular-planar",
    "kane-perpendicular-planar-paper-data",
    "parallel-planar",
    "perpendicular-velocities",
    "planar-body-point-speed",
    "point-velocity-angular-velocity",
    "prescribed-speed-planar",
    "quadratic-homogeneous-qdep",
    "speed-program-rheonomic",
    "talamucci-ex2-inverse-sqrt",
    "talamucci-ex4",
    "talamucci-ex7-pendulum",
    "two-bodies-omega-perpendicular",
    "zekovich-fork-nonlinear",
];

/// Compares an optional number of ours with an optional one of the case under any of its names.
fn agree_if_given(place: &str, got: Option<f64>, truth: &Value, names: &[&str]) {
    let wanted = names.iter().find_map(|name| truth.get(*name));
    if let (Some(got), Some(wanted)) = (got, wanted) {
        agree(
            &format!("{place} {}", names[0]),
            &[got],
            &[number(wanted)],
            1.0,
        );
    }
}

#[test]
fn every_formalism_gives_the_true_accelerations_multipliers_reactions_and_energies() {
    let mut counts = [0; 2];
    for case in &cases() {
        let is_nonlinear = NONLINEAR.contains(&case.name.as_str());
        let found = case.evaluate(FORMALISMS);
        for (index, (truth, values)) in case.states().iter().zip(&found.states).enumerate() {
            for (form, result) in &values.forms {
                let place = format!("{}, state {index}, {form}", case.name);
                let of_linear_rows = ["maggi", "boltzmann-hamel"].contains(form);
                let applies = matches!(result, FormValues::Values { .. });
                assert!(!of_linear_rows || applies != is_nonlinear, "{place}");
                let found = check_form(&place, form, result, truth);
                counts = [
                    counts[0] + usize::from(found[0]),
                    counts[1] + usize::from(found[1]),
                ];
            }
        }
    }
    assert!(
        counts[0] > 100 && counts[1] > 100,
        "{counts:?} states have momenta and parameters"
    );
}

/// Whether the form has the momenta of the case, and the rates of its own parameters.
fn check_form(place: &str, form: &str, result: &FormValues, truth: &Value) -> [bool; 2] {
    match result {
        FormValues::Values {
            accel,
            reaction,
            energy,
            lambda,
            rate,
            state,
            ..
        } => {
            let same = |what: &str, got: &[f64], wanted: &[f64]| {
                agree(&format!("{place} {what}"), got, wanted, 1.0);
            };
            same("accel", accel, &numbers(&truth["accel"]));
            same("reaction", reaction, &numbers(&truth["reaction"]));
            same("lambda", lambda, &numbers(&truth["lambda"]));
            same("energy", &[*energy], &[number(&truth["energy"])]);
            assert_eq!(rate.len(), state.len(), "{place}");
            let n = accel.len();
            let has_momenta = form == "hamilton" && truth.get("pdot").is_some();
            if has_momenta {
                same("p", &state[n..], &numbers(&truth["p"]));
                same("p'", &rate[n..], &numbers(&truth["pdot"]));
            }
            let rates = truth.get("zdot").map(numbers);
            let in_parameters =
                ["gibbs-appell", "maggi", "boltzmann-hamel", "kane"].contains(&form);
            let rates = rates.filter(|zdot| in_parameters && zdot.len() == rate.len() - n);
            if let Some(rates) = &rates {
                same("z", &state[n..], &numbers(&truth["z"]));
                same("z'", &rate[n..], rates);
            }
            [has_momenta, rates.is_some()]
        }
        FormValues::Unavailable { unavailable } => {
            let excuses: &[&str] = match form {
                "maggi" | "boltzmann-hamel" => &["is not affine in the velocities"],
                "chaplygin" => &[" depends on "],
                "connection" => &[
                    "on the place only",
                    "terms of degree 1",
                    "depends on the velocities or on the time",
                    "it is affine in the velocities",
                    "the reaction is not Chetaev's",
                    "the rows are dependent",
                ],
                _ => panic!("{place}: {unavailable}"),
            };
            let excused = excuses.iter().any(|excuse| unavailable.contains(excuse));
            assert!(excused, "{place}: {unavailable}");
            [false; 2]
        }
        FormValues::Undefined { why, .. } => panic!("{place}: {why}"),
    }
}

#[test]
fn energies_of_both_kinds_their_rates_and_the_power_of_the_reaction_are_true() {
    let mut stars = 0;
    for case in &cases() {
        let found = case.evaluate(FORMALISMS);
        for (index, (truth, values)) in case.states().iter().zip(&found.states).enumerate() {
            let place = format!("{}, state {index}", case.name);
            agree_if_given(&place, values.energy, truth, &["energy"]);
            agree_if_given(&place, values.energy_rate, truth, &["dEdt", "energy_rate"]);
            agree_if_given(
                &place,
                values.reaction_power,
                truth,
                &["constraint_power", "reaction_power"],
            );
            agree_if_given(&place, values.energy_star, truth, &["energy_star"]);
            agree_if_given(&place, values.energy_star_rate, truth, &["dEstar_dt"]);
            if let (Some(got), Some(wanted)) = (
                &values.alphabar_minus_alpha,
                truth.get("alphabar_minus_alpha"),
            ) {
                agree(
                    &format!("{place} alphabar - alpha"),
                    got,
                    &numbers(wanted),
                    1.0,
                );
                stars += 1;
            }
        }
    }
    assert!(stars > 100, "only {stars} states have E*");
}

/// The case with its points as particles, so that reactions come out as vectors.
fn with_particles(case: &Case, particles: &[(&str, &str, &str)]) -> String {
    let mut toml = case.model_text();
    let kinetic = toml
        .lines()
        .find(|line| line.starts_with("kinetic"))
        .expect("a line")
        .to_owned();
    toml = toml.replace(&kinetic, "");
    toml.push_str("[particles]\n");
    for (name, mass, position) in particles {
        let _ = writeln!(
            toml,
            "{name} = {{ mass = \"{mass}\", position = \"{position}\" }}"
        );
    }
    toml
}

#[test]
fn forces_on_particles_are_those_of_the_cases_with_points() {
    let plane = [("P1", "m1", "[x1, y1, 0]"), ("P2", "m2", "[x2, y2, 0]")];
    let capital = [("P1", "M1", "[x1, y1, 0]"), ("P2", "M2", "[x2, y2, 0]")];
    let numbered = [("P1", "m1", "[q1, q2, 0]"), ("P2", "m2", "[q3, q4, 0]")];
    let single = |mass: &'static str, position: &'static str| vec![("P", mass, position)];
    let table = [
        ("appell-particle", single("m", "[x, y, z]")),
        ("equal-magnitude-planar", plane.to_vec()),
        ("parallel-planar", plane.to_vec()),
        ("kane-perpendicular-planar", numbered.to_vec()),
        ("kane-perpendicular-planar-paper-data", numbered.to_vec()),
        ("prescribed-speed-planar", single("m", "[x, y, 0]")),
        ("talamucci-ex2-inverse-sqrt", single("M", "[x, y, z]")),
        ("talamucci-ex3-affine", single("M", "[x, y, z]")),
        ("talamucci-ex4", capital.to_vec()),
        ("talamucci-ex5", capital.to_vec()),
        ("talamucci-ex6-pursuit", single("M", "[x, y, z]")),
        ("talamucci-ex7-pendulum", capital.to_vec()),
    ];
    for case in &cases() {
        let name = &case.name;
        let Some((_, particles)) = table.iter().find(|row| row.0 == name) else {
            continue;
        };
        let found = case.evaluate_text(&with_particles(case, particles), FORMALISMS);
        for (truth, values) in case.states().iter().zip(&found.states) {
            for wanted in truth["constraint_forces"].as_array().expect("forces") {
                let acting = values
                    .forces
                    .iter()
                    .filter(|force| wanted["body"] == *force.on);
                let sum = acting.fold([0.0; 3], |sum, f| [0, 1, 2].map(|i| sum[i] + f.force[i]));
                agree(
                    &format!("{name} force on {}", wanted["body"]),
                    &sum,
                    &numbers(&wanted["force"]),
                    1.0,
                );
            }
            agree(
                &format!("{name} accel"),
                values.accel.as_ref().expect("regular"),
                &numbers(&truth["accel"]),
                1.0,
            );
        }
    }
}
