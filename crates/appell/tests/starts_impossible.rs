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
