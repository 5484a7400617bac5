//! Starts whose equations have no value or no derivative where what is not given is 0.

use crate::common::{model, prepare};
use crate::starts::start;
use appell::check;

fn of(rows: &str, state: &str) -> Vec<f64> {
    let constraints = match rows.is_empty() {
        true => String::new(),
        false => format!("[constraints]\nc = \"{rows}\"\n"),
    };
    let found = start(&format!(
        "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + 2*z'^2)/2\"\n{constraints}\
         [initial]\nstate = [{state}]\n"
    ));
    found.q
}

#[track_caller]
fn close(found: &[f64], wanted: [f64; 3]) {
    let gaps = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    let worst = gaps.fold(0.0, f64::max);
    assert!(worst < 1e-12, "{found:?} beside {wanted:?}");
}

/// A number that is given, and what follows from it by a function that is none at 0.
#[test]
fn what_follows_from_a_given_coordinate() {
    close(&of("", r#""x = 4", "z = 3*sqrt(x)""#), [4.0, 0.0, 6.0]);
    close(&of("", r#""z = 3*sqrt(x)", "x = 2^2""#), [4.0, 0.0, 6.0]);
    close(&of("", r#""x = 4", "z = 1/x""#), [4.0, 0.0, 0.25]);
    close(
        &of("", r#""x = 4", "z = log(x)", "y = -1""#),
        [4.0, -1.0, 4f64.ln()],
    );
    close(&of("", r#""x = 4", "z = x^(-2)""#), [4.0, 0.0, 0.0625]);
    close(&of("z = sqrt(x)", r#""x = 4""#), [4.0, 0.0, 2.0]);
}

/// What a row leaves open is found away from 0.
#[test]
fn what_a_row_says_of_the_others() {
    let norm = |q: &[f64]| q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let on_sphere = of("norm([x, y, z]) = 2", "");
    assert!((norm(&on_sphere) - 2.0).abs() < 1e-12, "{on_sphere:?}");
    close(&of("x = sqrt(y)", r#""x = 0.25""#), [0.25, 0.0625, 0.0]);
    close(&of("x = 1/y", r#""x = 0.25""#), [0.25, 4.0, 0.0]);
    close(&of("1/x + 1/y = 1", r#""x = 4""#), [4.0, 4.0 / 3.0, 0.0]);
}

/// A row without a value at 0 moves nothing that it does not speak of: the others are nearest to 0 as ever.
#[test]
fn what_another_row_determines_stays_nearest() {
    let found = start(
        "coordinates = [\"x\", \"y\", \"z\", \"w\", \"u\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2 + w'^2 + u'^2)/2\"\n\
         [constraints]\nline = \"x + 2*y = 5\"\nroot = \"z = sqrt(w)\"\n[initial]\nstate = [\"z = 2\", \"cos(u) = 0.5\"]\n",
    );
    let wanted = [1.0, 2.0, 2.0, 4.0];
    let worst = found
        .q
        .iter()
        .zip(wanted)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(worst < 1e-9, "{:?}", found.q);
    assert!(found.q[4].abs() < 7.0, "{:?}", found.q);
}

/// Equations that leave one coordinate open each are solved one after the other, in whatever order they stand, wherever
/// they have a value.
#[test]
fn one_coordinate_after_the_other() {
    close(&of("", r#""y = sqrt(x - 3)", "y = 1""#), [4.0, 1.0, 0.0]);
    close(&of("", r#""y = 1", "y = sqrt(x - 3)""#), [4.0, 1.0, 0.0]);
    close(&of("", r#""log(x - 3) = 0""#), [4.0, 0.0, 0.0]);
    close(
        &of("", r#""y = 1/x + 1/2", "y = 2""#),
        [2.0 / 3.0, 2.0, 0.0],
    );
    let angle = 0.5f64.acos();
    close(
        &of("", r#""y = acos(x - 2)", "x = 2.5""#),
        [2.5, angle, 0.0],
    );
    close(
        &of("", r#""y = acos(x - 2)", "y = 1""#),
        [2.0 + 1f64.cos(), 1.0, 0.0],
    );
    let y = 20f64.ln();
    close(
        &of("", r#""z = log(y)", "y = log(x)", "x = 20""#),
        [20.0, y, y.ln()],
    );
    close(
        &of("", r#""acos(x - 50) = 1""#),
        [50.0 + 1f64.cos(), 0.0, 0.0],
    );
    close(&of("", r#""1/(x - 5) = 2""#), [5.5, 0.0, 0.0]);
    close(&of("", r#""log(y - 1000) = 0""#), [0.0, 1001.0, 0.0]);
    let found = of("", r#""1/x = 1e-9", "sqrt(y - 1e6) = 3""#);
    assert!(
        (found[0] - 1e9).abs() < 1e-3 && (found[1] - 1_000_009.0).abs() < 1e-6,
        "{found:?}"
    );
    close(
        &of("z = sqrt(y - 1)", r#""y = x^2", "x = 3""#),
        [3.0, 9.0, 8f64.sqrt()],
    );
}

/// Where the nearest root of one equation leaves another without a value, another root is taken.
#[test]
fn another_root_where_the_nearest_leads_nowhere() {
    close(&of("", r#""x^2 = 4", "y = sqrt(x - 1)""#), [2.0, 1.0, 0.0]);
    close(
        &of("", r#""x^2 = 4", "y = sqrt(-1 - x)""#),
        [-2.0, 1.0, 0.0],
    );
}

/// What cannot hold is refused in words that say so.
#[test]
fn equations_that_never_hold() {
    let text = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
                [initial]\nstate = [\"y = sqrt(x - 3)\", \"y = -1\"]\n";
    let (model, _) = appell::read("m.toml", text).expect("a model");
    let p = appell::Prepared::new(&model, &[], &[]).expect("prepared");
    let error = appell_study::states::start::start(&p).expect_err("no start");
    let said = &error.message;
    assert!(said.contains("no coordinates were found"), "{said}");
}

/// Far roots, of coordinates and of velocities, and those on the tails of functions.
#[test]
fn far_roots_are_found() {
    type Part = fn(&appell::Start) -> f64;
    let solved = |row: &str, state: &str, of: Part, wanted: f64| {
        let state = match state.is_empty() {
            true => String::new(),
            false => format!("[initial]\nstate = [\"{state}\"]\n"),
        };
        let found = start(&format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nc = \"{row}\"\n{state}"
        ));
        let far = (of(&found) - wanted).abs() / wanted.abs();
        assert!(far < 1e-6, "{row}, {state}: {} beside {wanted}", of(&found));
    };
    let [x, v]: [Part; 2] = [|start| start.q[0], |start| start.v[0]];
    for (row, state, wanted) in [
        ("x^3 = 1e21", "", 1e7),
        ("x^3 = 1e24", "y = 1", 1e8),
        ("atan(x) = y", "y = 1.57", 1.57_f64.tan()),
        ("tanh(x) = y", "y = 0.999999", 0.999999_f64.atanh()),
        ("exp(-x) = y", "y = 1e-9", 9.0 * 10_f64.ln()),
        ("exp(x) = 1e20*y", "y = 1", 20.0 * 10_f64.ln()),
    ] {
        solved(row, state, x, wanted);
    }
    for (row, state, wanted) in [
        ("x'^3 = 1e27", "y' = 1", 1e9),
        ("exp(x') = 1e20", "y' = 1", 20.0 * 10_f64.ln()),
        ("atan(x') = y'", "y' = 1.57", 1.57_f64.tan()),
        ("exp(x') = y'", "y' = 1e-9", -9.0 * 10_f64.ln()),
        ("x'/(1 + x') = y'", "y' = 0.999999", 999_999.0),
    ] {
        solved(row, state, v, wanted);
    }
}

/// Of double roots beside what is given all digits are found.
#[test]
fn double_roots_beside_given_coordinates() {
    close(
        &of("sin(x) = y", r#""y = 1""#),
        [std::f64::consts::FRAC_PI_2, 1.0, 0.0],
    );
    close(&of("x^2 - 2*x + 1 = y", r#""y = 0""#), [1.0, 0.0, 0.0]);
}

/// Rows that have no derivative, or none at rest, hold at some coordinates all the same.
#[test]
fn rows_that_no_correction_leads_to_are_met() {
    for row in [
        "sign(x) = 1",
        "sign(x*y) = -1",
        "sqrt(1 - x^2) = 0",
        "sign(x') = 1",
        "sqrt(1 - x'^2) + sqrt(1 - y'^2) = 0",
    ] {
        let text = format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nr = \"{row}\"\n"
        );
        let model = model(&text);
        let (found, _) = check(&prepare(&model), None);
        let residual = found.initial.map(|x| x.start.residual_after);
        assert_eq!(residual, Some(0.0), "{row}");
    }
}
