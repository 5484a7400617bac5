//! Starts that no state satisfies: to rounding, an angle of 1e160 would satisfy any equation.

use crate::common::{checked, model, prepare};
use appell::{Code, check};

fn of_one_coordinate(energy: &str, more: &str) -> String {
    format!("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n{energy}\n{more}\n")
}

#[test]
fn equations_that_no_state_satisfies_are_refused() {
    for equations in [
        "\"sin(x) = 1.2\"",
        "\"cos(x) = 2\"",
        "\"cos(x) = 1.0001\"",
        "\"cos(x)^2 = 1.5\"",
        "\"cos(x) + cos(3*x) = 3\"",
        "\"cos(x) = 0.5\", \"sin(x) = 0.5\"",
        "\"exp(x) = 0\"",
        "\"tanh(x) = 1\"",
        "\"sign(x) = 0.5\"",
        "\"x^2/(1 + x^2) = 1\"",
        "\"x = 0\", \"atan(x') = pi/2\"",
    ] {
        let text = of_one_coordinate("", &format!("[initial]\nstate = [{equations}]"));
        let found = checked(&text);
        assert!(found.initial.is_none(), "{equations}: {:?}", found.initial);
    }
    let solvable = of_one_coordinate("", "[initial]\nstate = [\"cos(x) = 0.5\"]");
    let start = checked(&solvable).initial.expect("it has solutions");
    assert!(
        (start.start.q[0].cos() - 0.5).abs() < 1e-15,
        "{:?}",
        start.start.q
    );
}

/// A number that the parameters do not give is the reason, and not what follows from it.
#[test]
fn a_given_number_without_a_value_is_named() {
    let start = "[parameters]\nl = 0.4\n[initial]\nstate = [\"x = -sqrt(l^2 - 0.25)\"]";
    let model = model(&of_one_coordinate("", start));
    let (_, problem) = check(&prepare(&model), None);
    let problem = problem.expect("it has no start");
    assert!(
        problem.message.contains("x = -sqrt(l^2 - 0.25)")
            && problem
                .message
                .contains("no value for these values of the parameters"),
        "{}",
        problem.message
    );
}

/// Without a start in the file it is the constraints that contradict each other.
#[test]
fn constraints_that_no_coordinates_satisfy_are_told_with_their_place() {
    let text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\nc = \"x = 1\"\nd = \"x = 2\"\n";
    let model = model(text);
    let (_, problem) = check(&prepare(&model), None);
    let problem = problem.expect("no start");
    assert_eq!(problem.code, Code::InconsistentConstraints);
    assert_eq!(
        &model.source.text[problem.label.span.start..problem.label.span.end],
        "x = 1"
    );
}

/// Where a root or an inverse function ends there is no derivative; what it says has one.
#[test]
fn starts_at_the_ends_of_functions_are_found() {
    for (equation, x) in [
        ("sqrt(x) = 0", 0.0),
        ("sqrt(x - 1) = 0", 1.0),
        ("acos(x) = 0", 1.0),
        ("(x - 3)^2 = 0", 3.0),
    ] {
        let text = of_one_coordinate("", &format!("[initial]\nstate = [\"{equation}\"]"));
        let start = checked(&text)
            .initial
            .unwrap_or_else(|| panic!("{equation}"))
            .start;
        assert!((start.q[0] - x).abs() < 1e-15, "{equation}: {:?}", start.q);
    }
}

/// Of `x^2 = p` rounding chose the sign, another at each `p`.
#[test]
fn of_two_signs_the_positive_is_taken_and_told() {
    for k in 1..=30 {
        for equation in ["x^2 = k/100", "cos(x) = k/100", "x^4 = k"] {
            let more = format!("[initial]\nstate = [\"{equation}\"]\n[parameters]\nk = {k}");
            let start = checked(&of_one_coordinate("", &more))
                .initial
                .expect("a start")
                .start;
            assert!(start.q[0] > 0.0, "{equation} {k}: {:?}", start.q);
            let told = start
                .remarks
                .iter()
                .any(|remark| remark.contains("either sign of `x`"));
            assert!(told, "{:?}", start.remarks);
        }
    }
}

/// Without rows the parametrisation says which velocities there are: `x' = z1 cos(1)`, `y' = z1 sin(1)`.
#[test]
fn velocities_follow_from_a_parametrisation_alone() {
    let text = "coordinates = [\"x\", \"y\", \"a\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + a'^2)/2\"\n[motion]\n\
        variables = [\"z1\", \"z2\"]\nequations = [\"x' = z1*cos(a)\", \"y' = z1*sin(a)\", \"a' = z2\"]\n\
        [initial]\nstate = [\"a = 1\", \"x' = 1\"]";
    let start = checked(text).initial.expect("a start").start;
    assert!((start.v[1] - 1.0_f64.tan()).abs() < 1e-12, "{:?}", start.v);
}

/// `x x' = 1` holds elsewhere than at `x = 0`.
#[test]
fn constraints_that_fail_at_the_start_only_are_not_called_inconsistent() {
    let text = of_one_coordinate("", "[constraints]\nc = \"x*x' = 1\"");
    let model = model(&text);
    let (_, problem) = check(&prepare(&model), None);
    assert_eq!(problem.expect("no start").code, Code::InconsistentStart);
}

/// Beside what is given: of `tanh(x') = 1` numbers tend to a solution, and rounding would end at one.
#[test]
fn constraints_that_no_state_satisfies_beside_what_is_given() {
    for (row, state) in [
        ("tanh(x') = y'", "y' = 1"),
        ("tanh(x) = y", "y = 1"),
        ("exp(x') = y'", "y' = -1"),
    ] {
        let text = format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nc = \"{row}\"\n\
             [initial]\nstate = [\"{state}\"]\n"
        );
        let found = checked(&text);
        assert!(
            found.initial.is_none(),
            "{row}, {state}: {:?}",
            found.initial
        );
    }
}
