//! Parameters whose values in the file lower a rank or a degree: what is true for the file's values
//! is what counts, whatever holds for others.

use super::draft::Truth::{Fails, Holds};
use super::draft::{Case, Draft};
use super::random::Random;

/// One of the kinds.
pub fn case(random: &mut Random, number: usize) -> Case {
    let mut draft = match number % KINDS {
        0 => equal_coefficients(random),
        1 => toe_angle(random),
        2 => rows_that_coincide(random),
        3 => void_row(random),
        4 => lower_degree(random),
        5 => reducible_here(random),
        6 => irreducible_elsewhere(random),
        7 => massless(random),
        8 => equal_masses(random),
        9 => vanishing_difference(random),
        _ => degenerate_matrix(random),
    };
    // A parameter that nothing depends on changes nothing.
    if random.once_in(4) {
        draft.parameter("unused", "3.5");
    }
    draft.case("parameters", number)
}

/// How many different kinds there are.
pub const KINDS: usize = 11;

/// `a x' + b y' = 0` and `b x' + a y' = 0`: the same row for a = b, a rest for others.
fn equal_coefficients(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z"]);
    let value = random.pick(&["1", "2.5", "0.3", "7"]);
    let opposite = random.once_in(2);
    draft.parameter("a", value);
    draft.parameter(
        "b",
        if opposite {
            format!("-{value}")
        } else {
            value.to_owned()
        },
    );
    draft.row("a*x' + b*y' = 0");
    draft.row("b*x' + a*y' = 0");
    let sign = if opposite { "-" } else { "+" };
    draft.start("x' = 1");
    draft.start(if opposite { "y' = 1" } else { "y' = -1" });
    draft.start("z' = 2");
    draft.holds(format!("x' {sign} y' = 0"));
    draft.fails("x' = 0");
    draft.fails("y' = 0");
    draft.constant(format!("x {sign} y"), Holds);
    draft.constant("x", Fails);
    draft
}

/// Two wheels with a toe angle of 0: one row.
fn toe_angle(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "theta"]);
    let angle = random.pick(&["0", "\"0*pi\"", "\"pi - pi\"", "\"pi\""]);
    draft.parameter("alpha", angle);
    draft.parameter("c", random.pick(&["0.3", "1", "2.5"]));
    draft.row("-sin(theta + alpha)*(x' - c*cos(theta)*theta') + cos(theta + alpha)*(y' - c*sin(theta)*theta')");
    draft.row("-sin(theta - alpha)*(x' + c*cos(theta)*theta') + cos(theta - alpha)*(y' + c*sin(theta)*theta')");
    draft.start("theta = 0.2");
    draft.start("theta' = 1");
    draft.start("x' = 0.6*cos(0.2)");
    draft.start("y' = 0.6*sin(0.2)");
    draft.holds("x'*sin(theta) = y'*cos(theta)");
    draft.fails("x'*cos(theta) + y'*sin(theta) = 0");
    draft.fails("x' = 0");
    // The mass centre is on the axle: no moment about it.
    draft.constant("theta'", Holds);
    draft.constant("x'*cos(theta) + y'*sin(theta)", Holds);
    draft
}

/// `f + p g` and `f - p g` with p = 0.
fn rows_that_coincide(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z", "w"]);
    let (f, start) = random_row(random);
    let g = random.pick(&["w' - y'", "w' - x*z'", "w' + 2*x'", "w' - sin(x)*x'"]);
    draft.parameter("p", "0");
    draft.row(format!("{f} + p*({g})"));
    draft.row(format!("{f} - p*({g})"));
    for equation in start {
        draft.start(*equation);
    }
    draft.start("w' = 17");
    draft.holds(f);
    draft.holds(format!("({f})*({g})"));
    draft.fails(g);
    draft.fails("w' = 0");
    draft
}

/// A row and a start on it, for the velocities of x, y, z.
fn random_row(random: &mut Random) -> (&'static str, &'static [&'static str]) {
    const ROWS: &[(&str, &[&str])] = &[
        ("z' - x*y'", &["x = 2", "x' = 1", "y' = 1", "z' = 2"]),
        ("z'^2 - x'^2 - y'^2", &["x' = 3", "y' = 4", "z' = 5"]),
        ("z' - sqrt(1 + x'^2)", &["x' = 0", "y' = 4", "z' = 1"]),
        ("z' - x'*y'", &["x' = 3", "y' = 4", "z' = 12"]),
        ("z' - exp(x)*x'", &["x = 0", "x' = 3", "y' = 4", "z' = 3"]),
        ("x' + y' + z'", &["x' = 3", "y' = 4", "z' = -7"]),
    ];
    ROWS[random.below(ROWS.len())]
}

/// `p (row) = 0` with p = 0 beside another row.
fn void_row(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z", "w"]);
    let (f, start) = random_row(random);
    draft.parameter("p", random.pick(&["0", "\"1 - 1\"", "0.0", "\"sin(0)\""]));
    draft.row(f);
    draft.row("p*(w' - 2*x') = 0");
    for equation in start {
        draft.start(*equation);
    }
    draft.start("w' = 17");
    draft.holds(f);
    draft.holds("p*w' = 0");
    draft.fails("w' = 2*x'");
    draft.fails("w' = 0");
    draft
}

/// A curved row that is linear for p = 0.
fn lower_degree(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z"]);
    let curved = random.pick(&["x'^2", "x'*y'", "sqrt(1 + z'^2)", "exp(x')", "z'^3"]);
    let linear = random.pick(&["x*x'", "3*x'", "cos(x)*x'", "(1 + x^2)*x'"]);
    draft.parameter("p", "0");
    draft.row(format!("p*{curved} + y' = {linear}"));
    draft.start("x = 1/2");
    draft.start("x' = 1");
    draft.start("z' = 3");
    draft.start(format!("y' = {linear}"));
    draft.holds(format!("y' = {linear}"));
    draft.holds(format!("p*{curved} = {linear} - y'"));
    draft.fails("y' = 0");
    draft.fails("y' = x' + z'");
    draft
}

/// Irreducible for most p, two components for p = 0.
fn reducible_here(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z"]);
    let k = random.pick(&["2", "3", "5"]);
    let bent = random.pick(&["x'*z'", "x'^2", "sqrt(1 + x'^2)", "exp(x)*x'*z'"]);
    draft.parameter("p", "0");
    draft.row(format!("y'^2 = {k}^2*z'^2 + p*{bent}"));
    draft.start("x' = 1");
    draft.start(format!("y' = {k}"));
    draft.start(if random.once_in(2) {
        "z' = 1"
    } else {
        "z' = -1"
    });
    draft.holds(format!("y'^2 = {k}^2*z'^2"));
    draft.holds(format!("(y' - {k}*z')*(y' + {k}*z')"));
    draft.fails(format!("y' = {k}*z'"));
    draft.fails(format!("y' = -{k}*z'"));
    draft
}

/// Two components for most p, one line counted twice for p = 1.
fn irreducible_elsewhere(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.parameter("p", "1");
    let g = random.pick(&["y'", "x*y'", "y'*exp(x)", "y'^2 + y'"]);
    draft.row(format!("(x' - ({g}))*(x' - p*({g}))"));
    draft.start("x = 1");
    draft.start("y' = 2");
    draft.start(format!("x' = {g}"));
    draft.start("z' = 1");
    draft.holds(format!("x' = {g}"));
    draft.fails("x' = 0");
    draft.fails("z' = 0");
    draft
}

/// A wheel without inertia: the metric is singular, the motion is not.
fn massless(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "phi"]);
    draft.parameter("I", "0");
    draft.parameter("m", "2");
    let r = random.pick(&["2", "0.5", "1/3"]);
    draft.kinetic("m/2*x'^2 + I/2*phi'^2");
    draft.row(format!("x' = {r}*phi'"));
    draft.start("phi' = 3");
    draft.start(format!("x' = {r}*3"));
    draft.holds(format!("x'*phi' = {r}*phi'^2"));
    draft.fails("x' = 0");
    draft.fails("phi' = 1");
    draft
}

/// Momenta that are kept for equal masses only.
fn equal_masses(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y"]);
    let value = random.pick(&["2", "0.5", "3"]);
    draft.parameter("m", value);
    draft.parameter("n", value);
    draft.kinetic("(m*x'^2 + n*y'^2)/2");
    draft.potential("(x - y)^2/2");
    draft.start("x = 1");
    draft.start("x' = 1");
    draft.start("y' = 3");
    draft.constant("x' + y'", Holds);
    draft.constant("m*x' + n*y'", Holds);
    draft.constant("x' - y'", Fails);
    draft.holds("m*x' = n*x'");
    draft
}

/// A claim that is false for most p and true for the file's.
fn vanishing_difference(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z"]);
    let (value, root) = random
        .pick(&[&("4", "2"), &("9", "3"), &("0.25", "1/2")])
        .to_owned();
    draft.parameter("p", value);
    draft.row("z' = sqrt(p)*x' + x*y'");
    draft.start("x = 1");
    draft.start("x' = 1");
    draft.start("y' = 1");
    draft.start(format!("z' = {root} + 1"));
    draft.holds(format!("z' = {root}*x' + x*y'"));
    draft.holds(format!("p*x' = ({root})^2*x'"));
    draft.fails(format!("z' = {root}*x'"));
    draft.fails("z' = p*x' + x*y'");
    draft
}

/// Three rows whose matrix loses rank at p = q.
fn degenerate_matrix(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z", "w"]);
    let value = random.pick(&["2", "0.5", "-3"]);
    draft.parameter("p", value);
    draft.parameter("q", value);
    draft.row("x' + p*y' + z'");
    draft.row("x' + q*y' + w*z'");
    draft.row("(w - 1)*z' + (q - p)*x'");
    draft.start("w = 2");
    draft.start("z' = 0");
    draft.start("y' = 1");
    draft.start("x' = -p");
    draft.start("w' = 1");
    draft.holds("(w - 1)*z' = 0");
    draft.holds("x' + p*y' + z' = 0");
    draft.fails("x' = 0");
    draft.fails("y' = 0");
    draft
}
