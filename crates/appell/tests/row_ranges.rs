//! Rows that are solved for a root or an inverse function hold only within its range: motions end there, and nothing begins
//! beyond.

use crate::common::{model, motion, prepare, until, with, words};
use crate::equilibria::{found, of};
use appell::{Code, Kind, Model, Status, check, run};

fn of_row(row: &str, potential: &str, state: &str) -> Model {
    model(&format!(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"{potential}\"\n\
         [constraints]\nr = \"{row}\"\n[initial]\nstate = [{state}]\n"
    ))
}

/// Row, potential, start; the time at which it asks for a value out of the range, and the function.
const ENDS: [(&str, &str, &str, f64, &str); 7] = [
    // On the circle of the speed 2 the angle falls from 60 degrees to 0: t = (c/g) ln tan 75 deg.
    (
        "y' = sqrt(4 - x'^2)",
        "9.81*y",
        r#""x' = 1""#,
        0.268_487_7,
        "sqrt(4 - x'^2)",
    ),
    (
        "acos(x') = y",
        "0",
        r#""y = 0.5", "y' = -1""#,
        0.5,
        "acos(x')",
    ),
    (
        "asin(x') = y",
        "0",
        r#""y = 0.2", "y' = 1""#,
        std::f64::consts::FRAC_PI_2 - 0.2,
        "asin(x')",
    ),
    // Beyond a quarter turn the angle is that of the opposite direction.
    (
        "atan(y'/x') = t",
        "0",
        r#""x' = 1""#,
        std::f64::consts::FRAC_PI_2,
        "atan(y'/x')",
    ),
    // With u = x': u' = -(0.3 + 3 u^2)/(1 + 9 u^4), from 0.2^(1/3) to 0; the time by quadrature.
    (
        "x' = y'^(1/3)",
        "y + 0.3*x",
        r#""y' = 0.2""#,
        1.259_793_979_6,
        "y'^(1/3)",
    ),
    (
        "sqrt(x'^2 + y'^2) = 1 - t",
        "x",
        r#""x' = 0.3""#,
        1.0,
        "sqrt(x'^2 + y'^2)",
    ),
    (
        "sqrt(1 - x'^2) = y",
        "0",
        r#""y = 0.5", "x' = sqrt(3)/2", "y' = -1""#,
        0.5,
        "sqrt(1 - x'^2)",
    ),
];

#[test]
fn motions_end_where_a_row_would_need_a_value_out_of_the_range() {
    for (row, potential, state, end, function) in ENDS {
        let model = of_row(row, potential, state);
        let run = motion(&prepare(&model), &until(3.0));
        let last = run.trajectory.samples.last().expect("an end").t;
        assert!(
            (last - end).abs() < 1e-5,
            "{row}: {last} for {end}, {}",
            run.outcome
        );
        let why = format!("a value out of the range of `{function}`");
        assert!(run.outcome.contains(&why), "{row}: {}", run.outcome);
    }
}

/// `x' = sqrt(y)` of a stone on a cliff ends at `y = 0`, unless the row is left out.
#[test]
fn rows_that_are_left_out_end_nothing() {
    let model = of_row("x' = sqrt(y)", "y", r#""y = 0.5""#);
    let ended = motion(&prepare(&model), &until(2.0));
    assert!(
        ended.outcome.contains("out of the range"),
        "{}",
        ended.outcome
    );
    let free = with(&model, &[], &["r"]);
    let run = run(&free, &until(2.0), &mut Default::default()).expect("a motion");
    assert!(
        run.outcome.contains("computed to its end"),
        "{}",
        run.outcome
    );
}

#[test]
fn rows_that_ask_for_no_value_of_a_function_are_refused() {
    for row in [
        "atan(x') = pi/2",
        "tanh(x') = 1",
        "exp(x') = 0",
        "atan(x') = 2",
    ] {
        let model = of_row(row, "0", "");
        let p = prepare(&model);
        let problem = check(&p, None).1.unwrap_or_else(|| panic!("{row}"));
        assert_eq!(problem.code, Code::InconsistentConstraints);
        let text = words(&p, problem);
        assert!(text.contains("no real velocity satisfies it"), "{text}");
    }
}

/// Beside the end of a root its slope is 3e15, and a miss of 0.2 is small beside that; at an end itself a start is one.
#[test]
fn starts_beyond_a_range_are_refused() {
    let beyond = of_row("x' = y'^(1/3)", "0", r#""x' = -0.2", "y' = 1e-24""#);
    let p = prepare(&beyond);
    let problem = check(&p, None).1.expect("a refusal");
    assert_eq!(problem.code, Code::InconsistentStart);
    let text = words(&p, problem);
    assert!(text.contains("out of the range of `y'^(1/3)`"), "{text}");
    for (row, state) in [
        ("atan2(y', x') = y", r#""y = pi", "x' = -1""#),
        ("acos(x') = y", r#""y = pi/2", "y' = -1""#),
    ] {
        let model = of_row(row, "0", state);
        assert_eq!(check(&prepare(&model), None).1, None, "{row}");
    }
}

/// Equal tangents leave planes a half turn apart, and the arcsine of a sine has corners.
#[test]
fn functions_with_poles_and_folds_are_no_linear_rows() {
    let rows = [
        "tan(x') = tan(y')",
        "tan(x' - y') = 0",
        "1/tan(x') = 1/tan(y')",
        "asin(sin(x')) = y'",
        "acos(cos(x')) = y'",
    ];
    for row in rows {
        let model = of_row(row, "0", r#""x' = 0.4", "y' = 0.4""#);
        let class = &check(&prepare(&model), None).0.constraints[0];
        assert_eq!(class.equivalent_linear, None, "{row}");
        let straight = ["linear", "affine"]
            .iter()
            .any(|word| class.words.contains(word));
        assert!(!straight, "{row}: {:?}", class.words);
    }
}

/// Starts that are moved on to rows like squares end at the root itself: there the rows have no derivative.
#[test]
fn rows_like_squares_are_singular_after_a_projection() {
    let rows = [
        "sqrt(x'^2 + y'^2) = x'",
        "x'^2*y'^2 + x'^2 + y'^2 - 2*x'*y' = 0",
    ];
    for row in rows {
        let text = format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"y^2\"\n\
             [constraints]\nr = \"{row}\"\n[initial]\nstate = [\"x' = 0.6\", \"y' = 0.5\"]\ninconsistent = \"project\"\n"
        );
        let model = model(&text);
        let initial = check(&prepare(&model), None).0.initial.expect("a start");
        assert_eq!(initial.judgement.status, Status::Singular, "{row}");
    }
}

/// A blade on a turntable, its row written by velocities relative to that: at rest the row vanishes identically, and not by its
/// form.
#[test]
fn equilibria_beside_rows_in_a_turning_frame() {
    let model = model(
        "coordinates = [\"x\", \"y\", \"th\"]\n[parameters]\nOm = 0.6\n[frames]\n\
         P = { angle = \"Om*t\", axis = \"z\" }\nB = { parent = \"P\", angle = \"th\", axis = \"z\" }\n[bodies.sl]\n\
         mass = 1\nframe = \"B\"\nposition = \"x*P.x + y*P.y\"\ninertia = [1, 1, 1]\n\
         force = \"-4*((x - 0.3)*P.x + y*P.y)\"\n[constraints]\n\
         blade = \"dot(v(sl) - cross(Om*N.z, pos(sl)), B.y) = 0\"\n[initial]\n\
         state = [\"x = 0.3\", \"y = 0.1\", \"th = 0.4\"]\n",
    );
    let found = found(&prepare(&model), &[]);
    assert!(found.excluded.is_empty(), "{:?}", found.excluded);
    let rest = of(&found, Kind::Equilibrium);
    let [place] = rest.as_slice() else {
        panic!("{rest:?}")
    };
    // Along the blade the spring and the centrifugal force balance.
    let [x, y, th] = place.q[..] else { panic!() };
    let along = -4.0 * ((x - 0.3) * th.cos() + y * th.sin()) + 0.36 * (x * th.cos() + y * th.sin());
    assert!(along.abs() < 1e-12, "{along}");
    assert_eq!(place.family, Some(2));
}
