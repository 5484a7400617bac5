//! What `check` says of rows that strangers wrote, each true by hand.

use crate::common::{model, prepare};
use appell::{Check, Code, Status, check};

fn text(rows: &str, start: &str) -> String {
    format!(
        r#"
        coordinates = ["x", "y", "z"]
        [energy]
        kinetic = "1/2*(x'^2 + y'^2 + z'^2)"
        [constraints]
        {rows}
        [initial]
        state = [{start}]
        "#
    )
}

/// The answer about one row, with a start.
fn of(row: &str, start: &str) -> (Check, Option<Code>) {
    let model = model(&text(&format!("c = \"{row}\""), start));
    let p = prepare(&model);
    let (answer, problem) = check(&p, None);
    (answer, problem.map(|problem| problem.code))
}

#[track_caller]
fn status(row: &str, start: &str) -> Status {
    let (answer, problem) = of(row, start);
    let initial = answer.initial;
    initial
        .unwrap_or_else(|| panic!("{row}: {problem:?}"))
        .judgement
        .status
}

fn words(row: &str, start: &str) -> Vec<&'static str> {
    of(row, start).0.constraints[0].words.clone()
}

const AT_ONE: &str = r#""x = 1", "y = 1", "z = 1""#;

/// The derivative is 60 s^59 where s = 1 or s = -1.
#[test]
fn a_high_power_of_a_sum_has_derivatives() {
    let row = "(x' + y' + z' + x + y + z)^60 = 1";
    assert_eq!(status(row, AT_ONE), Status::Regular);
    let words = words(row, AT_ONE);
    assert!(!words.contains(&"cone"), "{words:?}");
}

/// Rows that have no derivative where they hold bear no reaction: such states are singular, not redundant.
#[test]
fn rows_without_a_derivative_are_singular() {
    for (row, start) in [
        ("x'^4 + 4*y'^4 - 4*x'^2*y'^2 = 0", AT_ONE),
        ("cosh(x' + y') = 1", AT_ONE),
        ("(x' - y)^2 = 0", r#""x = 1", "y = 1", "z' = 1""#),
        ("x^2 + y^2 = 0", r#""x = 0", "y = 0", "z' = 1""#),
    ] {
        assert_eq!(status(row, start), Status::Singular, "{row}");
    }
}

/// Velocities that are not given are found wherever they are, and however large.
#[test]
fn starts_are_found_at_any_scale_and_in_any_domain() {
    for (row, given) in [
        ("x'^2 + y'^2 = 1e60", ""),
        ("x'^2 + y'^2 = 1e-300", ""),
        ("log(x') + log(y') = 0", r#", "x' = 4""#),
        ("log(x') - log(y') = log(x)", r#", "x' = 4""#),
        ("asin(x' + y') = 1", ""),
    ] {
        let start = format!("{AT_ONE}{given}");
        assert_eq!(status(row, &start), Status::Regular, "{row}");
    }
    let (answer, _) = of("log(x') + log(y') = 0", &format!("{AT_ONE}, \"x' = 4\""));
    let v = answer.initial.expect("a start").start.v;
    assert!(
        (v[0] - 4.0).abs() < 1e-12 && (v[1] - 0.25).abs() < 1e-12,
        "{v:?}"
    );
}

/// It is the only row, and has a slope wherever it has a value.
#[test]
fn a_row_that_few_states_can_have_is_not_redundant() {
    let (answer, _) = of("asin(x') = acos(y')", &format!("{AT_ONE}, \"x' = 0.6\""));
    assert_eq!(answer.dof, 2);
    assert!(!answer.constraints[0].words.contains(&"redundant"));
}

/// A cone holds with each multiple of the velocities.
#[test]
fn cones_are_invariant_under_scaling() {
    for row in [
        "(x' - y)^2 = 0",
        "x' = y",
        "cos(x') = cos(y')",
        "(x'^2 - 1)^3 = 0",
    ] {
        let words = words(row, AT_ONE);
        assert!(!words.contains(&"cone"), "{row}: {words:?}");
    }
    for row in ["x'^2 + y'^2 = z'^2", "x'*y' = 0", "x' = x*y'"] {
        let words = words(row, AT_ONE);
        assert!(words.contains(&"cone"), "{row}: {words:?}");
    }
}

/// What moves by itself does so though its derivative does not.
#[test]
fn rows_on_positions_that_move_depend_on_the_time() {
    for (row, start) in [
        ("x^2 = t + 1", r#""x = 1", "y = 1""#),
        ("y = t", r#""x = 1""#),
    ] {
        let (answer, _) = of(row, start);
        assert!(!answer.stationary, "{row}");
        assert!(
            answer.constraints[0].words.contains(&"time-dependent"),
            "{row}"
        );
    }
}

/// Singular states satisfy the constraints.
#[test]
fn singular_sets_lie_on_the_constraints() {
    for row in ["x^2 + y^2 = 2", "sin(x') = 0", "x'^2 + y'^2 = 1"] {
        let (answer, _) = of(row, AT_ONE);
        assert_eq!(answer.singular, Some(Vec::new()), "{row}");
    }
    let model = model(&text("a = \"x^2 + y^2 = 2\"\nb = \"x = 1\"", "\"z = 1\""));
    let (answer, _) = check(&prepare(&model), None);
    assert_eq!(answer.singular, Some(Vec::new()));
    let (answer, _) = of("x'^2 + y'^2 = z'^2", AT_ONE);
    assert_eq!(
        answer.singular,
        Some(vec!["x' = 0, y' = 0, z' = 0".to_owned()])
    );
}

/// Equations that contradict each other are no set: the two ends of a rod in one place, `cos(y) = 0` beside `5*cos(y)^2 = -4`.
#[test]
fn singular_sets_are_not_empty() {
    let arc = text("arc = \"x' = y'*sqrt(4*sin(y)^2 + 9*cos(y)^2)\"", AT_ONE);
    let rod = r#"
        coordinates = ["x", "y", "z", "w"]
        [energy]
        kinetic = "(x'^2 + y'^2 + z'^2 + w'^2)/2"
        [constraints]
        rod = "sqrt((x - z)^2 + (y - w)^2) = 2"
        knife = "(x' + z')*(x - z) + (y' + w')*(y - w) = 0"
        [initial]
        state = ["x = 1", "y = 0", "z = -1", "w = 0"]
        "#;
    for text in [arc.as_str(), rod] {
        let model = model(text);
        let (answer, _) = check(&prepare(&model), None);
        assert_eq!(answer.singular, Some(Vec::new()), "{text}");
    }
}

/// On one side of x = 0 the row is `z' = 0`, on the other it is not holonomic.
#[test]
fn maxima_of_the_place_are_piecewise() {
    let words = words("z' = max(x, 0)*y'", r#""x = -1", "y = 1""#);
    assert!(
        words.contains(&"piecewise") && !words.contains(&"nonholonomic"),
        "{words:?}"
    );
}

/// Rows that contradict each other are refused, however far away velocities are sought: at 1e48 all of them seem
/// to hold.
#[test]
fn affine_rows_that_contradict_each_other_are_refused() {
    for rows in [
        ["x' + y' = 0", "y' + z' = 0", "x' - z' = 1"],
        ["x' - y' = 0", "y' - z' = 0", "z' - x' = 1e-3"],
        ["x' + y' = 1", "2*x' + 2*y' = 3", "z' = 0"],
        ["x*x' + y*y' = 1e-9", "x*x' + y*y' = 0", "z' = 1"],
        ["x' = y'", "x' = y' + 1e20", "z' = y'"],
    ] {
        let named = (1..).zip(rows).map(|(i, row)| format!("c{i} = \"{row}\""));
        let named: Vec<String> = named.collect();
        let model = model(&text(&named.join("\n"), AT_ONE));
        let (answer, problem) = check(&prepare(&model), None);
        let code = problem.map(|problem| problem.code);
        assert_eq!(code, Some(Code::InconsistentConstraints), "{rows:?}");
        assert!(answer.initial.is_none(), "{rows:?}");
    }
}

/// `(x' - y')^2 + z^2 y'^2 = 0` allows `x' = y'` where `z = 0`: the coefficient of a square that may vanish stays a factor.
#[test]
fn squares_keep_coefficients_that_vanish() {
    for (row, coefficient) in [
        ("x'^2 + y'^2*(1 + z^2) - 2*x'*y' = 0", "z"),
        ("x'^2 + y'^2 = 2*x'*y'*cos(z)", "sin(z)"),
    ] {
        let (answer, _) = of(row, "'x = 1/2', 'y = 2/3', 'z = 0.25', \"z' = 2\"");
        let class = &answer.constraints[0];
        for line in class.equivalent_linear.iter().flatten() {
            let bare = line == "y' = 0" || line == "-y' = 0";
            assert!(!bare, "{row}: {:?}", class.equivalent_linear);
        }
        let last = class
            .equivalent_linear
            .as_ref()
            .and_then(|rows| rows.last());
        let last = last.unwrap_or_else(|| panic!("{row}: {class:?}"));
        assert!(last.contains(coefficient), "{row}: {last}");
    }
    // Coefficients that vanish nowhere are left out.
    let (answer, _) = of("x'^2 + y'^2*(2 + z^2) - 2*x'*y' = 0", "\"z' = 2\"");
    let rows = answer.constraints[0].equivalent_linear.clone();
    assert!(rows.expect("rows").contains(&"y' = 0".to_owned()));
}

/// A root that is a sine has its sign: `(x' - y' sin z)(x' - 2 y' sin z) = 0`.
#[test]
fn sheets_have_no_corner_where_a_sine_vanishes() {
    let row = "(x' - y'*sin(z))*(x' - 2*y'*sin(z)) = 0";
    let start = "\"x' = sin(z)\", \"y' = 1\", 'z = 0.3', \"z' = -1\"";
    let (answer, _) = of(row, start);
    let rows = answer.constraints[0]
        .equivalent_linear
        .clone()
        .expect("rows");
    assert!(
        rows.iter()
            .all(|row| !row.contains("sqrt") && !row.contains("abs")),
        "{rows:?}"
    );
}
