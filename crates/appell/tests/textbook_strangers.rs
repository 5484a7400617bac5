//! Models of people who teach mechanics, and what is true of them by hand.

use crate::common::{at, checked, claim, last, model, motion, prepare, proof, until};
use appell::{
    Code, Error, Formalism, Prepared, RunOptions, Status, Stepper, linearize, run, start,
};

fn plane(energy: &str, more: &str) -> String {
    format!("coordinates = [\"x\", \"y\"]\n[energy]\n{energy}\n{more}\n")
}

const FREE: &str = "kinetic = \"(x'^2 + y'^2)/2\"\npotential = \"(x^2 + y^2)/2\"";

#[track_caller]
fn refused(p: &Prepared<'_>) -> Code {
    match linearize(p, None) {
        Err(Error::Question(diagnostic)) => diagnostic.code,
        other => panic!("{other:?}"),
    }
}

/// An oscillator by a parameter that the time scales, and a servo constraint whose actuator turns: neither has linear
/// equations with constant coefficients.
#[test]
fn times_in_given_velocities_and_in_directions_of_reactions_count() {
    let scaled = "[motion]\nvariables = [\"z\"]\nequations = [\"x' = z*(2 + sin(3*t))\", \"y' = z*(2 + sin(3*t))\"]\n\
                  [initial]\nstate = [\"x = 0\", \"y = 0\", \"z = 0\"]";
    let turning = "[constraints]\nc = { equation = \"x' = 2*y'\", reaction = { x = \"1\", y = \"t\" } }\n\
                   [initial]\nstate = [\"x = 0\", \"y = 0\", \"x' = 0\", \"y' = 0\"]";
    for more in [scaled, turning] {
        let model = model(&plane(FREE, more));
        let p = prepare(&model);
        assert!(!appell::check(&p, None).0.stationary, "{more}");
        assert_eq!(refused(&p), Code::NotSteady, "{more}");
    }
    for more in [
        scaled.replace("sin(3*t)", "1"),
        turning.replace("\"t\"", "\"1/4\""),
    ] {
        assert!(checked(&plane(FREE, &more)).stationary, "{more}");
    }
}

/// On Appell's cone, given by parameters alone, the speed falls to 0 at `t = (1 + a^2)/(g a)`: at the tip of the cone the
/// velocity does not tell the direction.
#[test]
fn motions_end_where_parameters_become_singular() {
    let text = "coordinates = [\"x\", \"y\", \"z\"]\n[parameters]\na = 0.7\ng = 9.81\n[energy]\n\
                kinetic = \"(x'^2 + y'^2 + z'^2)/2\"\npotential = \"g*z\"\n[motion]\nvariables = [\"u\", \"ph\"]\n\
                equations = [\"x' = u*cos(ph)\", \"y' = u*sin(ph)\", \"z' = a*u\"]\n\
                [initial]\nstate = [\"u = 1\", \"ph = 0.3\"]";
    let cone = model(text);
    let p = prepare(&cone);
    let tip = 1.49 / (9.81 * 0.7);
    let ended = run(&p, &until(1.0), &mut Default::default()).expect("it begins");
    assert!(
        (ended.table.rows.last().expect("rows")[0] - tip).abs() < 1e-6,
        "{}",
        ended.outcome
    );
    assert!(ended.outcome.contains("Psi^T M Psi"), "{}", ended.outcome);
    // Parameters that only grow small are regular.
    let decaying = text
        .replace("u*cos(ph)", "exp(-40*t)*u")
        .replace("u*sin(ph)", "exp(-40*t)*ph");
    let decaying = model(
        &decaying
            .replace("a*u", "0")
            .replace("potential = \"g*z\"\n", ""),
    );
    let p = prepare(&decaying);
    let moved = motion(&p, &until(1.0));
    assert!((last(&moved, "x'") - 1.0).abs() < 1e-9);
}

/// `L` with a term of first degree: the energy has none, and is least at rest.
#[test]
fn magnetic_terms_of_a_lagrangian_are_no_kinetic_energy() {
    let lagrangian = "lagrangian = \"(x'^2 + y'^2)/2 + 1.7*(x*y' - y*x')/2\"";
    let potential = "kinetic = \"(x'^2 + y'^2)/2\"\npotential = \"-1.7*(x*y' - y*x')/2\"";
    for energy in [lagrangian, potential] {
        let model = model(&plane(energy, "[initial]\nstate = [\"x = 1\"]"));
        let start = start(&prepare(&model)).expect("a start");
        assert_eq!(start.v, [0.0, 0.0], "{energy}");
    }
}

/// A falling chain: `M` is positive until the chain is stretched, and negative beyond.
#[test]
fn the_metric_of_the_start_counts() {
    let chain = "coordinates = [\"x\"]\n[energy]\nkinetic = \"(1 - x)*x'^2/4\"\npotential = \"-9.81*(1 + 2*x - x^2)/4\"\n";
    let model = model(chain);
    let p = prepare(&model);
    let answer = appell::check(&p, None).0;
    assert_eq!(
        answer.metric,
        "positive definite at the start, indefinite elsewhere"
    );
    let options = appell::RunOptions {
        form: Formalism::find("udwadia-kalaba"),
        ..until(0.2)
    };
    let by_roots = motion(&p, &options);
    let usual = motion(&p, &until(0.2));
    assert!((last(&by_roots, "x") - last(&usual, "x")).abs() < 1e-9);
    assert_eq!(
        checked("coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 - y'^2)/2\"\n").metric,
        "indefinite"
    );
}

/// A pendulum on a sphere is in a bad chart at its poles, whatever its mass.
#[test]
fn values_of_parameters_stand_in_no_singular_set() {
    let text = "coordinates = [\"th\", \"phi\"]\n[parameters]\nm = 3\nJ = 0\n[energy]\n\
                kinetic = \"m*(th'^2 + sin(th)^2*phi'^2)/2 + J*phi'^2/2\"\n[initial]\nstate = [\"th = 1\"]\n";
    let answer = checked(text);
    let charts = answer.chart_singular.join("; ");
    assert!(
        charts.contains("cos(th)^2") && !charts.contains('3'),
        "{charts}"
    );
}

/// Velocities off `v = psi`, with which accelerations can be computed all the same.
#[test]
fn velocities_that_no_parameters_give_are_off_the_constraint() {
    let more = "[motion]\nvariables = [\"z\"]\nequations = [\"x' = z\", \"y' = 2*z\"]";
    let model = model(&plane(FREE, more));
    let p = prepare(&model);
    assert_eq!(
        at(&p, 0.0, &[0.0, 0.0], &[1.0, 2.0]).status,
        Status::Regular
    );
    assert_eq!(
        at(&p, 0.0, &[0.0, 0.0], &[1.0, 1.0]).status,
        Status::OffConstraint
    );
}

/// The rate of what jumps at the border of its domain.
#[test]
fn closed_domains_keep_nothing_from_their_border() {
    let text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"sign(x)\"\n\
                [initial]\nstate = [\"x = 1\", \"x' = -0.2\"]\n[claims]\n\
                closed = { equation = \"E' = 0\", where = \"x >= 0\" }\nopen = { equation = \"E' = 0\", where = \"x > 0\" }\n";
    let proof = proof(text);
    assert_eq!(claim(&proof, "closed").holds, None);
    assert_eq!(claim(&proof, "open").holds, Some(true));
}

/// In whatever units a row is written, it touches the other.
#[test]
fn rows_touch_in_any_units() {
    for scale in ["1", "1e-8", "1e8"] {
        let rows = format!(
            "[constraints]\na = \"{scale}*(x'^2 + y'^2) = {scale}\"\nb = \"x' = 1\"\n\
             [initial]\nstate = [\"x = 0\", \"y = 0\", \"x' = 1\", \"y' = 0\"]"
        );
        let answer = checked(&plane("kinetic = \"(x'^2 + y'^2)/2\"", &rows));
        let initial = answer.initial.expect("a start");
        let why = initial.judgement.why.unwrap_or_default();
        assert!(why.contains("tangent to each other"), "{scale}: {why}");
    }
}

/// A row that is solved for a root of the time ends with it, and that is said.
#[test]
fn rows_end_with_the_roots_of_the_time() {
    let more = "[constraints]\nc = \"x' = sqrt(1 - t)\"\n[initial]\nstate = [\"x = 1\"]";
    let model = model(&plane(
        "kinetic = \"(x'^2 + y'^2)/2\"\npotential = \"y\"",
        more,
    ));
    let ended = run(&prepare(&model), &until(2.0), &mut Default::default()).expect("it begins");
    let outcome = &ended.outcome;
    assert!(
        outcome.contains("out of the range of `sqrt(1 - t)`"),
        "{outcome}"
    );
}

/// On a sphere of velocities the pole is approached, `tan(a/2) = tan(1/2) e^(3t)`, and never reached.
#[test]
fn parameters_that_come_near_a_singular_state_go_on() {
    let sphere = "coordinates = [\"x\", \"y\", \"w\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + w'^2)/2\"\npotential = \"3*w\"\n\
                  [motion]\nvariables = [\"a\", \"b\"]\n\
                  equations = [\"x' = sin(a)*cos(b)\", \"y' = sin(a)*sin(b)\", \"w' = cos(a)\"]\n\
                  [initial]\nstate = [\"a = 1\", \"b = 0\"]\n";
    let model = model(sphere);
    let p = prepare(&model);
    let moved = motion(&p, &until(6.0));
    let angle = 2.0 * ((0.5_f64).tan() * (18.0_f64).exp()).atan();
    assert!(
        (last(&moved, "a") - angle).abs() < 1e-7,
        "{}",
        moved.outcome
    );
    let mut stepper = Stepper::new(&p, 0.5, &RunOptions::default()).expect("it moves");
    for step in 1..=12 {
        stepper
            .step()
            .unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
}
