//! Claims of classes, of singular states, and claims that say nothing.

use super::draft::Truth::{self, Fails, Holds, Void};
use super::draft::{Case, Draft};
use super::random::Random;

/// A row in x, y, z, classes that it has and has not.
type Classified = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const CLASSES: &[Classified] = &[
    (
        "y' = x*z'",
        &["linear", "homogeneous", "nonholonomic"],
        &["holonomic", "general", "time-dependent"],
    ),
    (
        "x' + 2*y' = 3*z'",
        &["linear", "holonomic"],
        &["nonholonomic", "general"],
    ),
    (
        "y' = 2*z' + 3",
        &["affine", "holonomic"],
        &["nonholonomic", "homogeneous"],
    ),
    (
        "z'^2 = x'^2 + y'^2",
        &["homogeneous", "cone", "nonholonomic"],
        &["linear", "holonomic", "affine"],
    ),
    (
        "x'*y' = z'^2",
        &["homogeneous", "cone"],
        &["linear", "holonomic", "contrived"],
    ),
    (
        "x'^2 + y'^2 + z'^2 = 4",
        &["general", "nonholonomic"],
        &["homogeneous", "linear", "holonomic"],
    ),
    (
        "y' = t*x'",
        &["linear", "time-dependent", "nonholonomic"],
        &["holonomic", "general"],
    ),
    (
        "(x' - y')*(x' + z')",
        &["contrived"],
        &["linear", "inherent", "time-dependent"],
    ),
    (
        "y*x' - x*y'",
        &["linear", "holonomic"],
        &["nonholonomic", "general"],
    ),
    (
        "y*z*x' + x*z*y' + x*y*z'",
        &["linear", "holonomic"],
        &["nonholonomic"],
    ),
    (
        "exp(x)*(y' - sin(z)*z')",
        &["linear", "holonomic"],
        &["nonholonomic"],
    ),
    (
        "x*y^2*z^3*(x'/x + y'/y - z'/z)",
        &["holonomic"],
        &["nonholonomic", "general"],
    ),
    ("(x' - y')^2", &["holonomic"], &["nonholonomic", "inherent"]),
    (
        "(x'^2 + 1)*(y' - x*z')",
        &["nonholonomic"],
        &["holonomic", "inherent"],
    ),
    ("z' = sqrt(x'^2)", &[], &["linear", "affine", "holonomic"]),
    (
        "x' = y*z' + t",
        &["affine", "time-dependent", "nonholonomic"],
        &["homogeneous", "holonomic"],
    ),
    (
        "sin(x)*x' + cos(y)*y'",
        &["linear", "holonomic"],
        &["nonholonomic"],
    ),
    (
        "x'*cos(z) + y'*sin(z)",
        &["linear", "nonholonomic"],
        &["holonomic"],
    ),
    (
        "x'/(1 + x^2) = y'/(1 + y^2)",
        &["linear", "holonomic"],
        &["nonholonomic"],
    ),
];

/// Claims of class.
pub fn classes(random: &mut Random, number: usize) -> Case {
    let (row, has, has_not) = CLASSES[number % CLASSES.len()];
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.row(row);
    let mut state =
        |word: &str, truth: Truth| draft.statement(format!("{{ class = [\"{word}\"] }}"), truth);
    has.iter().for_each(|word| state(word, Holds));
    state(random.pick(has_not), Fails);
    draft.case("classes", number)
}

/// Rows, states where their rank is lower, states where it is not.
type Singular = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const SINGULAR: &[Singular] = &[
    (
        "z'^2 = x'^2 + y'^2",
        &["x' = 0", "y' = 0", "z' = 0"],
        &["x' = 3", "y' = 4", "z' = 5"],
    ),
    (
        "(x' - 2*y')*(z' - x*y')",
        &["x' = 2*y'", "z' = x*y'"],
        &["x = 0", "x' = 2", "y' = 1", "z' = 1"],
    ),
    ("y' = x*z'", &[], &["x' = 0", "y' = 0", "z' = 0", "x = 0"]),
    ("y*(x' - z')", &["y = 0"], &["y = 1", "x' = 1", "z' = 1"]),
    ("x'^2 = y^2", &["x' = 0", "y = 0"], &["x' = 2", "y = 2"]),
    (
        "1e-30*(y' - x*z')",
        &[],
        &["x = 0", "y' = 0", "x' = 0", "z' = 0"],
    ),
    ("x^2 = y^2", &["x = 0", "y = 0"], &["x = 1", "y = 1"]),
    ("sin(x) = 0", &[], &["x = 0"]),
    ("x'^2 + y'^2 = 4", &[], &["x' = 0", "y' = 2"]),
    (
        "x'*y' = z'^2",
        &["x' = 0", "y' = 0", "z' = 0"],
        &["x' = 1", "y' = 0", "z' = 0"],
    ),
];

/// Claims of singular states.
pub fn singular(_: &mut Random, number: usize) -> Case {
    let (row, singular, regular) = SINGULAR[number % SINGULAR.len()];
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.row(row);
    let mut state = |equations: &[&str], truth: Truth| {
        let list: Vec<String> = equations.iter().map(|e| format!("\"{e}\"")).collect();
        draft.statement(format!("{{ singular_at = [{}] }}", list.join(", ")), truth);
    };
    if !singular.is_empty() {
        state(singular, Holds);
    }
    state(regular, Fails);
    draft.case("singular states", number)
}

/// Claims without a value anywhere, domains without a state, rows that no state satisfies.
pub fn void(random: &mut Random, number: usize) -> Case {
    const NOWHERE: &[&str] = &[
        "sqrt(-1 - x^2) = 1",
        "log(-1 - x'^2) = x",
        "asin(2 + x^2) = y",
        "acos(-3 - y'^2) = 1",
        "sqrt(-1 - x^2) = sqrt(-1 - x^2)",
        "x' = y' + 0*log(-2 - y^2)",
        "log(-exp(x)) = x",
        "sqrt(sin(x) - 2) = y'",
    ];
    const EMPTY: &[(&str, &str)] = &[
        ("x'^2 < -1", "x' = 1"),
        ("exp(x) < 0", "x = y"),
        ("x^2 + y^2 + 1 < 0", "x' = x'"),
        ("sin(x) > 2", "y' = 0"),
    ];
    let mut draft = Draft::new(&["x", "y", "z"]);
    match number % 3 {
        0 => {
            draft.row(
                random
                    .pick(&["x'^2 + y'^2 + 1 = 0", "exp(x') + 1 = 0", "x^2 + y^2 = -1"])
                    .to_owned(),
            );
            draft.equation("x' = y'", Void);
            draft.equation("z' = 0", Void);
        }
        1 => draft.row("z' = x*y'"),
        _ => {}
    }
    if !number.is_multiple_of(3) {
        draft.equation(NOWHERE[number % NOWHERE.len()], Void);
        let (domain, equation) = EMPTY[number % EMPTY.len()];
        draft.within(domain, equation, Void);
    }
    draft.case("void", number)
}
