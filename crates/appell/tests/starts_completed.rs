//! What is not given of a start follows from the constraints before what is given is moved.

use crate::starts::start;
use appell::Start;

fn crank(state: &str) -> Start {
    start(&format!(
        "coordinates = [\"a\", \"b\", \"x\"]\n[parameters]\nr = 0.1\nl = 0.3\n[energy]\n\
         kinetic = \"0.01*a'^2 + 0.01*b'^2 + x'^2\"\n[constraints]\np = \"r*cos(a) + l*cos(b) = x\"\n\
         q = \"r*sin(a) = l*sin(b)\"\n[initial]\nstate = [{state}]\ninconsistent = \"project\"\n"
    ))
}

/// Two angles of a slider-crank to four digits, with the slider left to the rows: they move by what was rounded.
#[test]
fn rounded_angles_of_a_slider_crank() {
    let found = crank(r#""a = 0.8", "b = 0.2415", "a' = 1""#);
    let b = (0.8f64.sin() / 3.0).asin();
    assert!(
        (found.q[0] - 0.8).abs() < 5e-5 && (found.q[1] - b).abs() < 5e-5,
        "{found:?}"
    );
    let x = 0.1 * 0.8f64.cos() + 0.3 * b.cos();
    assert!((found.q[2] - x).abs() < 5e-5, "{found:?}");
    assert!(found.residual_after < 1e-15);
}

/// The same of velocities.
#[test]
fn rounded_velocities_of_a_slider_crank() {
    let found = crank(r#""a = 0.8", "a' = 1", "b' = 0.2389""#);
    let b = (0.8f64.sin() / 3.0).asin();
    let ratio = 0.8f64.cos() / (3.0 * b.cos());
    assert!(
        (found.v[0] - 1.0).abs() < 3e-4 && (found.v[1] - ratio).abs() < 3e-4,
        "{found:?}"
    );
    assert!((found.v[1] / found.v[0] - ratio).abs() < 1e-12);
    assert!(
        !found.remarks.iter().any(|remark| remark.contains("sheet")),
        "{:?}",
        found.remarks
    );
}

/// Two angles of a four-bar to six digits: the third is not 0, on whatever branch Newton's method leads there.
#[test]
fn rounded_angles_of_a_four_bar() {
    let [r, l, s, d] = [0.113_f64, 0.37, 0.29, 0.4];
    for a in [0.3_f64, 0.754388, 1.5, 2.5] {
        // The triangle of the other rods, above the line from the end of the crank to the pivot.
        let (x, y) = (d - r * a.cos(), -r * a.sin());
        let apart = x.hypot(y);
        let b = y.atan2(x) + ((l * l + apart * apart - s * s) / (2.0 * l * apart)).acos();
        let c = (r * a.sin() + l * b.sin()).atan2(r * a.cos() + l * b.cos() - d);
        let rounded = |x: f64| (x * 1e6).round() / 1e6;
        let found = start(&format!(
            "coordinates = [\"a\", \"b\", \"c\"]\n[energy]\nkinetic = \"(0.3*a'^2 + 0.8*b'^2 + 0.5*c'^2)/2\"\n\
             [constraints]\nacross = \"0.113*cos(a) + 0.37*cos(b) = 0.4 + 0.29*cos(c)\"\n\
             up = \"0.113*sin(a) + 0.37*sin(b) = 0.29*sin(c)\"\n[initial]\nstate = [\"a = {}\", \"b = {}\"]\n\
             inconsistent = \"project\"\n",
            rounded(a),
            rounded(b)
        ));
        let turn = (found.q[2] - c) / std::f64::consts::TAU;
        let gaps = [
            found.q[0] - a,
            found.q[1] - b,
            (turn - turn.round()) * std::f64::consts::TAU,
        ];
        assert!(
            gaps.iter().all(|gap| gap.abs() < 2e-6),
            "a = {a}: {found:?}"
        );
    }
}

/// Without a row, velocities of least energy are those of the moving frame: that they were chosen is said.
#[test]
fn velocities_in_a_moving_frame_are_told() {
    let found = start(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"(x' - 2)^2/2\"\n[initial]\nstate = [\"x = 1\"]\n",
    );
    assert!((found.v[0] - 2.0).abs() < 1e-12, "{found:?}");
    assert!(
        found
            .remarks
            .iter()
            .any(|remark| remark.contains("least kinetic energy")),
        "{:?}",
        found.remarks
    );
}

/// With `y = 2` the nearest of `x' = 2 z'` to `(1, 1)` is `z' = 3/5`, whatever `y'` is.
#[test]
fn what_is_not_given_leaves_no_trace_in_what_is() {
    let start = start(
        "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"x'^2 + y'^2 + z'^2\"\n[constraints]\nc = \"x' = y*z'\"\n\
         h = \"x + y = 3\"\n[initial]\nstate = [\"x = 1\", \"x' = 1\", \"z' = 1\"]\ninconsistent = \"project\"",
    );
    assert!(
        (start.v[2] - 0.6).abs() < 1e-14 && (start.v[0] - 1.2).abs() < 1e-14,
        "{:?}",
        start.v
    );
}
