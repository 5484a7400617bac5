//! Integrals of rows that are holonomic only after an integrating factor.
//!
//! The formulas are those of textbooks; each is also held against a computed motion, in which the
//! search has no part, and must not be constant in space.

use crate::common::{model, prepare};
use appell::{RunOptions, check, run};

const PLACE: [f64; 3] = [0.6, 1.1, 0.4];

fn text(rows: &[&str], claims: &[String]) -> String {
    let named = |(i, row): (usize, &&str)| format!("c{i} = \"{row} = 0\"\n");
    let rows: String = rows.iter().enumerate().map(named).collect();
    let claims = claims.iter().enumerate();
    let claims = claims.map(|(i, claim)| format!("kept_{i} = {{ constant = \"{claim}\" }}\n"));
    let claims: String = claims.collect();
    let [x, y, z] = PLACE;
    format!(
        r#"
coordinates = ["x", "y", "z"]
[parameters]
k = 2
a = 3
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "x/3 - z/5"
[constraints]
{rows}
[initial]
state = ["x = {x}", "y = {y}", "z = {z}", "x' = 0.5", "y' = -0.4", "z' = 0.3"]
inconsistent = "project"
[claims]
{claims}
"#
    )
}

/// What `check` says of the rows, and whether the first one is holonomic by its class.
fn combinations(rows: &[&str]) -> (Vec<String>, bool) {
    let model = model(&text(rows, &[]));
    let (found, _) = check(&prepare(&model), None);
    let class = &found.constraints[0].words;
    assert_eq!(
        class.contains(&"holonomic"),
        !class.contains(&"nonholonomic")
    );
    let holonomic = class.contains(&"holonomic");
    let combinations = found.holonomic_combinations;
    (combinations.expect("decided"), holonomic)
}

/// The functions, without what their rates are.
fn functions(rows: &[&str]) -> Vec<String> {
    let (words, _) = combinations(rows);
    let function = |words: &String| words.split(" = const").next().map(str::to_owned);
    words.iter().filter_map(function).collect()
}

/// Each function keeps its value along a motion to the tolerance of its claim, and the numbers of the
/// motion know nothing of the search.
#[track_caller]
fn assert_kept(rows: &[&str], functions: &[String]) {
    let model = model(&text(rows, functions));
    let options = RunOptions::until(0.3);
    let p = prepare(&model);
    let run =
        run(&p, &options, &mut Default::default()).unwrap_or_else(|e| panic!("{rows:?}: {e:?}"));
    assert_eq!(run.claims.len(), functions.len());
    for claim in &run.claims {
        assert_eq!(claim.holds, Some(true), "{rows:?}: {functions:?} {claim:?}");
    }
    let first = run.trajectory.samples.first().expect("a sample");
    let last = run.last_state();
    let moved = first
        .y
        .iter()
        .zip(last)
        .take(3)
        .any(|(x, y)| (x - y).abs() > 1e-3);
    assert!(moved, "{rows:?}: nothing moves");
}

/// Rows and their integrals.
const INTEGRABLE: &[(&[&str], &[&str])] = &[
    (&["y*x' - x*y'"], &["y/x"]),
    (&["exp(x)*(y*z*x' + x*z*y' + x*y*z')"], &["x*y*z"]),
    (&["y*z*x' + 2*x*z*y' + 3*x*y*z'"], &["x*y^2*z^3"]),
    (&["sin(z)*(y*z*x' + 2*x*z*y' + 3*x*y*z')/x"], &["x*y^2*z^3"]),
    (&["x'/(1 + x^2) - y'/(1 + y^2)"], &["atan(y) - atan(x)"]),
    (&["(1 + y^2)*x' - (1 + x^2)*y'"], &["atan(y) - atan(x)"]),
    // y' = p y x' + q x'
    (&["y' - y*x' - x*x'"], &["exp(-x)*(x + y + 1)"]),
    (&["y' - x*y*x' - x^3*x'"], &["exp(-x^2/2)*(x^2 + y + 2)"]),
    (&["y' + exp(x)*y*x' - exp(x)*x'"], &["exp(exp(x))*(y - 1)"]),
    (
        &["y' + cos(x)*y*x' - sin(x)*cos(x)*x'"],
        &["exp(sin(x))*(sin(x) - y - 1)"],
    ),
    (&["y' + y*x'/x - x*x'"], &["x^3 - 3*x*y"]),
    (&["y' - 2*y*x'/x - x^2*exp(x)*x'"], &["y/x^2 - exp(x)"]),
    (&["y' + tan(x)*y*x' - cos(x)*x'"], &["y/cos(x) - x"]),
    (&["x' - k*x - t"], &["exp(-k*t)*(k*t + k^2*x + 1)"]),
    (&["x*y' + k*y*x' - x^2*x'"], &["x^(k)*(x^2 - k*y - 2*y)"]),
    // Separable, Bernoulli, homogeneous, Riccati.
    (&["x*x' + exp(y)*y'"], &["x^2 + 2*exp(y)"]),
    (
        &["(x^3 - 6*x^2 + 11*x - 6)*y' - y*x'"],
        &["y^2*(x - 2)^2/((x - 1)*(x - 3))"],
    ),
    (
        &["x'/sqrt(1 - x^2) + y'/sqrt(4 - y^2)"],
        &["x*sqrt(4 - y^2) + y*sqrt(1 - x^2)"],
    ),
    (&["y' - y*x'/x - x*y^3*x'"], &["x^2*(x^2*y^2 + 2)/y^2"]),
    (&["(x^2 + y^2)*x' - 2*x*y*y'"], &["(x + y)*(x - y)/x"]),
    (&["x*y*x' - (x^2 + y^2)*y'"], &["y*exp(-x^2/(2*y^2))"]),
    (
        &["(x + y)*x' + (y - x)*y'"],
        &["exp(2*atan(x/y))*(x^2 + y^2)"],
    ),
    (&["y' - (x + y)^2*x'"], &["x - atan(x + y)"]),
    (
        &["y' - y^2*x' - x'/x^2"],
        &["x*exp(-2*atan((2*x*y + 1)/sqrt(3))/sqrt(3))"],
    ),
    // Three coordinates; letters in exponents.
    (
        &["(2*x*y + z^2)*x' + x^2*y' + 2*x*z*z'"],
        &["x^2*y + x*z^2"],
    ),
    (
        &["(y^2 + y*z)*x' + (x*z + z^2)*y' + (y^2 - x*y)*z'"],
        &["y*(x + z)/(y + z)"],
    ),
    (&["y*x' - x*y' - (x^2 + y^2)*z'"], &["z - atan(x/y)"]),
    (&["a*y*z*x' + k*x*z*y' + x*y*z'"], &["z*x^(a)*y^(k)"]),
    (
        &["sqrt(x^2 + y^2)*z' - x*x' - y*y'"],
        &["sqrt(x^2 + y^2) - z"],
    ),
    // Rows that can be integrated only together.
    (&["x' - y*z'", "y' + x*z'"], &["x^2 + y^2", "z - atan(x/y)"]),
    (
        &["x' - y*z'", "y' - x*z'"],
        &["y^2 - x^2", "exp(z)*(x - y)"],
    ),
    (&["x' + z*y' - y*z'", "y*z' - z*y' - x*x'"], &["x", "z/y"]),
];

#[test]
fn integrals_are_found_and_keep_their_values() {
    let mut others = Vec::new();
    for (rows, wanted) in INTEGRABLE {
        let functions = functions(rows);
        assert_kept(rows, &functions);
        if functions != *wanted {
            others.push((rows, functions));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// Rates are stated only where they are constant combinations of the rows.
#[test]
fn what_is_said_of_rates_is_true() {
    let words = |rows| combinations(rows).0;
    let one = words(&["2*y*z*x' + 2*x*z*y' + 2*x*y*z'"]);
    assert_eq!(one, ["x*y*z = const, its rate is c0/2"]);
    let one = words(&["y*x' - x*y'"]);
    assert_eq!(one, ["y/x = const, from c0"]);
}

#[test]
fn nothing_is_found_where_nothing_is() {
    for row in [
        "z' - y*x'",
        "x'*sin(z) - y'*cos(z)",
        "y' - z*x'",
        "exp(x)*(z' - y*x')",
        "z' - z*(y*x' + x*y') - x'*y",
        "z' - x'*t",
        "x*z' - y*x' + y'*z",
        "x' + y*y' + x*z'",
        "cos(x)*z' + sin(x)*y'",
        "(1 + x^2)*z' - y*x' + x*y'",
    ] {
        let (words, holonomic) = combinations(&[row]);
        assert_eq!((words.len(), holonomic), (0, false), "{row}: {words:?}");
    }
}

/// An integral that is no elementary function is counted and not made up.
#[test]
fn what_has_no_closed_form_is_left() {
    for row in [
        "y' - exp(-x^2)*x'",
        // Functions of x that the values of the parameters make numbers are no integrals.
        "y' - x'*sqrt(1 + sin(x)^2/k^2)",
        "y' - x'/(k + cos(x))",
    ] {
        let (words, holonomic) = combinations(&[row]);
        assert!(holonomic, "{row}");
        assert_eq!(words, ["1 more, whose integral was not found"], "{row}");
    }
}
