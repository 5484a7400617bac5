//! Constants that vanish exactly, though the doubles of the parameters leave a rest: what is asked in numbers is as exact as what is
//! proved.

use crate::common::{last, model, motion, prepare, until, with};
use appell::{Model, Prepared, Status, check, linearize, parse_override, run};

/// `a + b - c` is 0, and 5.6e-17 in doubles.
fn of(coordinates: &str, more: &str) -> Model {
    model(&format!(
        "coordinates = [{coordinates}]\n[parameters]\na = 0.1\nb = 0.2\nc = 0.3\nal = \"pi/2\"\ns = \"sqrt(3)\"\n{more}\n"
    ))
}

const LINE: &str = "\"x\"";

fn end(p: &Prepared<'_>) -> f64 {
    last(&motion(p, &until(1.0)), "x")
}

#[test]
fn forces_that_vanish_do_not_act() {
    for force in [
        "sign(a + b - c)",
        "sign(cos(al))",
        "sign(s^2 - 3)",
        "1e17*(a + b - c)",
        "1e17*(sqrt(2)*s - sqrt(6))",
    ] {
        let text = format!(
            "[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"{force}\"\n[initial]\nstate = [\"x' = 0\"]"
        );
        let model = of(LINE, &text);
        assert_eq!(end(&prepare(&model)), 0.0, "{force}");
        // With another value they do.
        assert!(
            end(&with(&model, &["c=0.2", "al=1", "s=2"], &[])) > 0.1,
            "{force}"
        );
    }
}

#[test]
fn what_vanishes_is_no_rigidity() {
    let model = of(
        LINE,
        "[energy]\nkinetic = \"x'^2/2\"\npotential = \"(a + b - c)*x^2/2\"\n[initial]\nstate = [\"x = 0\"]",
    );
    let found = linearize(&prepare(&model), None).expect("an equilibrium");
    assert!(!format!("{found:?}").contains("minimum"), "{found:?}");
}

/// `check` counts freedoms without the rows that vanish, and so does the motion.
#[test]
fn rows_that_vanish_do_not_hold_anything() {
    let space = "\"x\", \"y\", \"z\"";
    let energy =
        "[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\npotential = \"x\"\n[constraints]\n";
    for (rows, state, freedoms) in [
        (
            "r = \"(a + b - c)*y' = 0\"",
            "\"x' = 0\", \"y' = 1\", \"z' = 0\"",
            3,
        ),
        (
            "r = \"cos(al)*x' = 0\"",
            "\"x' = 0\", \"y' = 1\", \"z' = 0\"",
            3,
        ),
        (
            "r1 = \"c*x' = y'\"\nr2 = \"c*x' = y' + (a + b - c)*z\"",
            "\"x' = 0\", \"z = 1\", \"z' = 0\"",
            2,
        ),
        (
            "r = \"cos(al)*x' + y' = 1\"",
            "\"x' = 0\", \"y' = 1\", \"z' = 0\"",
            2,
        ),
    ] {
        let model = of(
            space,
            &format!("{energy}{rows}\n[initial]\nstate = [{state}]"),
        );
        let p = prepare(&model);
        let (found, problem) = check(&p, None);
        assert!(problem.is_none(), "{rows}: {problem:?}");
        assert_eq!(found.dof, freedoms, "{rows}");
        let moved = run(&p, &until(1.0), &mut Default::default()).expect("it begins");
        assert!(
            moved.outcome.starts_with("The motion was computed"),
            "{rows}: {}",
            moved.outcome
        );
    }
}

#[test]
fn a_division_by_what_vanishes_has_no_value() {
    for potential in ["1e-16*x/(a + b - c)", "x/cos(al)"] {
        let model = of(
            LINE,
            &format!(
                "[energy]\nkinetic = \"x'^2/2\"\npotential = \"{potential}\"\n[initial]\nstate = [\"x = 0\"]"
            ),
        );
        let initial = check(&prepare(&model), None).0.initial.expect("a start");
        assert_eq!(initial.judgement.status, Status::Singular, "{potential}");
    }
}

/// Values change in place, and in ensembles, with and without the rest.
#[test]
fn other_values_leave_it() {
    let model = of(
        LINE,
        "[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"1e17*(a + b - c)\"\n[initial]\nstate = [\"x' = 0\"]",
    );
    let mut p = prepare(&model);
    assert_eq!(end(&p), 0.0);
    let given = |text: &str| vec![parse_override(text).expect("an override")];
    p.set_parameters(&given("c=0")).expect("values");
    assert!(end(&p) > 1e16);
    p.set_parameters(&given("b=0.2")).expect("values");
    assert_eq!(end(&p), 0.0);
}
