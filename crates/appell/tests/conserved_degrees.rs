//! Integrals of degree three and four in the velocities, and rational ones; each also as a claim on a
//! computed motion, in which the search has no part.

use crate::common::{expressions, model, prepare};
use appell::{Conserved, ConservedOptions, RunOptions, conserved_with, read, run};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn of_degree(text: &str, degree: usize) -> Conserved {
    let options = ConservedOptions {
        degree,
        budget: Duration::from_secs(100_000),
        ..ConservedOptions::default()
    };
    conserved_with(&prepare(&model(text)), &options, None)
}

/// What is found is this, proved, and constant along a motion.
#[track_caller]
fn assert_all(text: &str, degree: usize, wanted: &[&str]) {
    let found = of_degree(text, degree);
    assert_eq!(expressions(&found), wanted, "{}", found.ansatz);
    assert!(found.integrals.iter().all(|x| x.verdict.is_proved()));
    let claims = found.integrals.iter().enumerate();
    let claims = claims.map(|(i, x)| format!("kept_{i} = {{ constant = \"{}\" }}\n", x.expression));
    let claims: String = claims.collect();
    let text = format!("appell = 1\n{text}\n[claims]\n{claims}");
    let (model, _) = read("found.toml", &text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let options = RunOptions::until(0.5);
    let run = run(&prepare(&model), &options, &mut Default::default()).expect("a start");
    assert_eq!(run.claims.len(), wanted.len());
    for claim in &run.claims {
        assert_eq!(claim.holds, Some(true), "{claim:?}\n{text}");
    }
}

fn lattice(potential: &str) -> String {
    format!(
        r#"
coordinates = ["q1", "q2", "q3"]
[energy]
kinetic = "(q1'^2 + q2'^2 + q3'^2)/2"
potential = "{potential}"
[initial]
state = ["q1 = 0.1", "q2 = 0.3", "q3 = -0.2", "q1' = 1", "q2' = -0.4", "q3' = 0.2"]
"#
    )
}

/// Hénon's integral of the lattice of Toda, periodic and open.
#[test]
fn todas_cubic() {
    let cubic = "q1'*q2'*q3' - q1'*exp(q2 - q3) - q2'*exp(q3 - q1) - q3'*exp(q1 - q2)";
    let periodic = lattice("exp(q1 - q2) + exp(q2 - q3) + exp(q3 - q1)");
    assert_all(&periodic, 3, &["E", "q1' + q2' + q3'", cubic]);
    assert_all(&periodic, 2, &["E", "q1' + q2' + q3'"]);
    let cubic = "q1'*q2'*q3' - q1'*exp(q2 - q3) - q3'*exp(q1 - q2)";
    let open = lattice("exp(q1 - q2) + exp(q2 - q3)");
    assert_all(&open, 3, &["E", "q1' + q2' + q3'", cubic]);
}

fn plane(parameters: &str, potential: &str) -> String {
    format!(
        r#"
coordinates = ["x", "y"]
[parameters]
{parameters}
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "{potential}"
[initial]
state = ["x = 0.7", "y = 0.5", "x' = 0.3", "y' = 0.4"]
"#
    )
}

/// The potentials of Holt with 3/4 and 9/2: a cubic and a quartic integral.
#[test]
fn holts_cubic_and_quartic() {
    let potential = |c: &str| format!("{c}*y^(4/3) + x^2*y^(-2/3) + d*y^(-2/3)");
    let cubic =
        "2*x'^3 + 3*x'*y'^2 + 6*x^2*x'/y^(2/3) - 9*y^(4/3)*x' + 6*d*x'/y^(2/3) + 18*x*y^(1/3)*y'";
    assert_all(&plane("d = 0.7", &potential("3/4")), 3, &["E", cubic]);
    let quartic = "x'^4 + 2*x'^2*y'^2 + 4*x^2*x'^2/y^(2/3) + 4*d*x'^2/y^(2/3) + 24*x*y^(1/3)*x'*y' + 72*x^2*y/y^(1/3)";
    assert_all(&plane("d = 0.7", &potential("9/2")), 4, &["E", quartic]);
}

/// The case 1 : 16 of Hénon and Heiles' potential has a quartic integral, a generic one none.
#[test]
fn the_quartic_of_henon_and_heiles() {
    let quartic = "9*x'^4 + 36*x^2*y*x'^2 + 18*A*x^2*x'^2 - 12*x^3*x'*y' - 2*x^6 - 12*x^4*y^2 - 12*A*x^4*y + 9*A^2*x^4";
    let special = plane("A = 1", "A*(x^2 + 16*y^2)/2 + x^2*y + 16*y^3/3");
    assert_all(&special, 4, &["E", quartic]);
    assert_all(&plane("A = 1", "A*(x^2 + y^2)/2 + x^2*y + y^3"), 4, &["E"]);
}

#[test]
fn the_cubic_of_fokas_and_lagerstrom() {
    let cubic = "y*x'^3 - x*x'^2*y' - y*x'*y'^2 + 4*y*x'/(x^2 - y^2)^(2/3) + x*y'^3 + 4*x*y'/(x^2 - y^2)^(2/3)";
    assert_all(&plane("", "(x^2 - y^2)^(-2/3)"), 3, &["E", cubic]);
}

/// The vector of Runge and Lenz beside energy and angular momentum: five independent functions.
#[test]
fn keplers_five_integrals() {
    let text = r#"
coordinates = ["x", "y", "z"]
[parameters]
k = 1.5
m = 2
[energy]
kinetic = "m*(x'^2 + y'^2 + z'^2)/2"
potential = "-k/sqrt(x^2 + y^2 + z^2)"
[initial]
state = ["x = 2", "y = 1", "z = 0.5", "x' = 0.3", "y' = 0.4", "z' = -0.2"]
"#;
    let lenz = "m*x*x'*z' - m*z*x'^2 - m*z*y'^2 + m*y*y'*z' + k*z/sqrt(x^2 + y^2 + z^2)";
    let momenta = ["x*y' - y*x'", "x*z' - z*x'", "y*z' - z*y'"];
    let found = of_degree(text, 2);
    let all = expressions(&found);
    assert_eq!(all.len(), 5, "{all:?}");
    assert_eq!((all[0], all[4]), ("E", lenz), "{all:?}");
    assert!(momenta.iter().all(|x| all.contains(x)), "{all:?}");
}

/// A particle whose speed a thermostat keeps, under gravity: with `v = c` the rates of `log x'` and
/// `log y'` are `g z'/c^2`.
#[test]
fn the_isokinetic_particle_in_gravity() {
    let text = r#"
coordinates = ["x", "y", "z"]
[parameters]
g = 9.81
m = 2
c = 3
[energy]
kinetic = "m*(x'^2 + y'^2 + z'^2)/2"
potential = "m*g*z"
[constraints]
speed = "x'^2 + y'^2 + z'^2 = c^2"
[initial]
state = ["x' = 2", "y' = 1", "z' = 2"]
"#;
    assert_all(text, 2, &["y'/x'", "x'*exp(-g*z/c^2)", "(x*y' - y*x')/x'"]);
}

/// On the file's component `y' = x'`; most random points lie on the other factor of the row.
#[test]
fn what_changes_at_the_start_is_not_offered() {
    let text = r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "x"
[constraints]
c0 = "(y'^2 - x'^2)*(z' - sqrt(x'^2 + 1)) = 0"
[initial]
state = ["x' = 1", "y' = 1", "z' = 5"]
"#;
    let found = of_degree(text, 2);
    for wrong in ["y'", "z + x'*z'"] {
        assert!(!expressions(&found).contains(&wrong), "{found:?}");
    }
}

/// Another seed draws other primes and finds the same.
#[test]
fn a_second_seed_is_a_second_witness() {
    let model = model(&lattice("exp(q1 - q2) + exp(q2 - q3)"));
    let with = |seed: u64| {
        let options = ConservedOptions {
            degree: 3,
            seed,
            budget: Duration::from_secs(100_000),
        };
        conserved_with(&prepare(&model), &options, None)
    };
    let (first, second) = (with(0), with(12_345));
    assert_eq!((first.seed, second.seed), (0, 12_345));
    assert_eq!(expressions(&first), expressions(&second));
}

/// Without time nothing is found, and that is said; what was asked to stop says so.
#[test]
fn the_time_is_over() {
    let model = model(&lattice("exp(q1 - q2) + exp(q2 - q3)"));
    let options = ConservedOptions {
        degree: 6,
        budget: Duration::ZERO,
        ..ConservedOptions::default()
    };
    let found = conserved_with(&prepare(&model), &options, None);
    assert!(found.over_budget && !found.interrupted);
    let words = "the limit of time was reached before all of this was searched";
    assert!(found.ansatz.ends_with(words), "{}", found.ansatz);
    let flag = AtomicBool::new(true);
    let found = conserved_with(&prepare(&model), &options, Some(&flag));
    assert!(found.interrupted && found.integrals.is_empty());
}
