//! Constants that vanish exactly, though the doubles of the parameters leave a rest: what is asked in numbers is as exact as what is
//! proved.

use crate::common::{last, model, motion, prepare, until, with};
use appell::{
    Control, EnsembleOptions, Members, Model, Prepared, Status, check, ensemble, linearize,
    parse_override, run, sensitivity,
};

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
        "sign(1e17*(a + b - c))",
        "sign(sqrt(2)*s - sqrt(6))",
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
    for potential in [
        "(a + b - c)*x^2/2",
        "a*x^2/2 + b*x^2/2 - c*x^2/2",
        "(sqrt(2)^2 - 2)*x^2/2",
        "a*b*x^2 - 0.02*(x^2 + s) + s",
    ] {
        let model = of(
            LINE,
            &format!(
                "[energy]\nkinetic = \"x'^2/2\"\npotential = \"{potential}\"\n[initial]\nstate = [\"x = 0\"]"
            ),
        );
        let found = linearize(&prepare(&model), None).expect("an equilibrium");
        assert!(
            !format!("{found:?}").contains("minimum"),
            "{potential}: {found:?}"
        );
    }
}

/// Beside others, and where digits are lost only: the force is 1, and 57 in doubles.
#[test]
fn what_is_left_of_a_sum_has_its_digits() {
    let model = of(
        "\"x\", \"y\"",
        "[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[forces]\nx = \"1e20*(a*a - 0.01) + y + 1e17*cos(al)*x\"\n\
         [initial]\nstate = [\"x = 1\", \"y = 0.5\", \"x' = 0\", \"y' = 0\"]",
    );
    assert!((end(&prepare(&model)) - 1.25).abs() < 1e-9);
    let model = of(
        LINE,
        "[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"1e18*(a + b - c) + 1\"\n[initial]\nstate = [\"x' = 0\"]",
    );
    assert!((end(&prepare(&model)) - 0.5).abs() < 1e-9);
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
        "[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"sign(a + b - c)\"\n[initial]\nstate = [\"x' = 0\"]",
    );
    let mut p = prepare(&model);
    assert_eq!(end(&p), 0.0);
    let given = |text: &str| vec![parse_override(text).expect("an override")];
    p.set_parameters(&given("c=0")).expect("values");
    assert!((end(&p) - 0.5).abs() < 1e-12);
    p.set_parameters(&given("b=0.2")).expect("values");
    assert_eq!(end(&p), 0.0);
}

/// Members that differ in their starts move as the model does by itself; where a parameter differs, they have what doubles leave.
#[test]
fn members_move_as_the_model_does() {
    let model = of(
        LINE,
        "[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"sign(a + b - c)\"\n[initial]\nstate = [\"x = 1\", \"x' = 0\"]",
    );
    let p = prepare(&model);
    for (column, value, wanted) in [("x", 1.0, 1.0), ("c", 0.2, 1.5)] {
        let members = Members::new(vec![column.to_owned()], vec![value]);
        let options = EnsembleOptions {
            run: until(1.0),
            threads: 1,
        };
        let done = ensemble(&p, &members, &options, &mut Control::default()).expect("an ensemble");
        assert!((done.y[0] - wanted).abs() < 1e-12, "{column}: {:?}", done.y);
    }
    let spring = of(
        LINE,
        "[energy]\nkinetic = \"x'^2/2\"\npotential = \"1e17*(a + b - c)*x^2\"\n[initial]\nstate = [\"x = 1\", \"x' = 0\"]",
    );
    let found = sensitivity(
        &prepare(&spring),
        &until(1.0),
        &["x".to_owned()],
        &mut Control::default(),
    );
    let found = found.expect("derivatives");
    let last = found.values.len() - found.columns.len();
    assert_eq!(found.values[last], 1.0, "{:?}", found.columns);
}
