//! Constants of the motion: of every component, of one only, between jumps only, of no motion; and
//! the constants of the solar system and of stiff springs in SI units.

use super::draft::Truth::{Fails, Holds};
use super::draft::{Case, Draft};
use super::random::Random;

/// How many different kinds there are.
pub const KINDS: usize = 8;

/// One of the kinds.
pub fn case(random: &mut Random, number: usize) -> Case {
    let draft = match number % KINDS {
        0 => of_one_component(random),
        1 => of_a_linear_row(random),
        2 => of_a_cone(random),
        3 => isokinetic(random),
        4 => oscillators(random),
        5 => of_a_branch(random),
        6 => of_free_branches(random),
        _ => of_scale(random),
    };
    draft.case("constants", number)
}

/// Functions of x alone, not constant.
const SLOPES: &[&str] = &[
    "x",
    "sin(x)",
    "exp(x)",
    "(1 + x^2)",
    "sqrt(2 + x^2)",
    "atan(x)",
    "x^2",
    "1/(1 + x^2)",
];

/// `z' = k x'`, where all velocities are kept, times `z' = g(x) y'`, where y' is not.
fn of_one_component(random: &mut Random) -> Draft {
    let (k, g) = (random.coefficient(), random.pick(SLOPES));
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.row(format!("(z' - {k}*x')*(z' - {g}*y')"));
    draft.start("x = 1/2");
    draft.start("x' = 1");
    draft.start("y' = 2");
    draft.start(if random.once_in(2) {
        format!("z' = {k}*x'")
    } else {
        format!("z' = {g}*y'")
    });
    draft.constant("x'", Holds);
    draft.constant("x'^2 + y'^2 + z'^2", Holds);
    draft.constant("y'^2 + z'^2", Holds);
    draft.constant("y'", Fails);
    draft.constant("z'", Fails);
    draft.constant(format!("y'*sqrt(1 + ({g})^2)"), Fails);
    draft.holds("x'' = 0");
    draft.fails("y'' = 0");
    draft
}

/// `z' = g(x) y'` under a force along x.
fn of_a_linear_row(random: &mut Random) -> Draft {
    let g = random.pick(SLOPES);
    let potential = random.pick(&["x", "x^2/2", "cos(x)", "1/(2 + x^2)"]);
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.potential(potential);
    draft.row(format!("z' = {g}*y'"));
    draft.start("x = 1/2");
    draft.start("x' = 1");
    draft.start("y' = 2");
    draft.constant(format!("x'^2/2 + {potential}"), Holds);
    draft.constant("T + V", Holds);
    draft.constant(format!("y'*sqrt(1 + ({g})^2)"), Holds);
    draft.constant("y'^2 + z'^2", Holds);
    draft.constant("x'", Fails);
    draft.constant("y'", Fails);
    draft.constant("z' + x'", Fails);
    draft
}

/// A cone: the force of the constraint is along the mirrored velocity.
fn of_a_cone(random: &mut Random) -> Draft {
    let k = random.pick(&["1", "2", "0.25", "3"]);
    let potential = random.pick(&["z", "3*z", "z^2/2", "exp(z)"]);
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.potential(potential);
    draft.row(format!("z'^2 = {k}*(x'^2 + y'^2)"));
    draft.start("x' = 3");
    draft.start("y' = 4");
    draft.start(format!("z' = 5*sqrt({k})"));
    draft.constant("y'/x'", Holds);
    draft.constant("T + V", Holds);
    draft.constant("x'", Fails);
    draft.constant("z'", Fails);
    draft.constant("z'/x'", Holds);
    draft.constant("x*y' - y*x'", Fails);
    draft
}

/// A given speed under a uniform force.
fn isokinetic(random: &mut Random) -> Draft {
    let s = random.positive();
    let mut draft = Draft::new(&["x", "y"]);
    draft.potential("y");
    draft.row(format!("x'^2 + y'^2 = {s}"));
    draft.start("x' = 0");
    draft.start(format!("y' = sqrt({s})"));
    draft.constant("x'^2 + y'^2", Holds);
    draft.constant(format!("x'*exp(-y/{s})"), Holds);
    draft.constant("T + V", Fails);
    draft.constant(format!("x'*exp(-2*y/{s})"), Fails);
    draft.constant("y'", Fails);
    draft
}

/// Two oscillators, alike or not.
fn oscillators(random: &mut Random) -> Draft {
    let alike = random.once_in(2);
    let (k, l) = if alike {
        ("4", "4")
    } else {
        (
            "4",
            random.pick(&["1", "9", "2", "4.0001", "4.000000000001"]),
        )
    };
    let mut draft = Draft::new(&["x", "y"]);
    draft.potential(format!("({k}*x^2 + {l}*y^2)/2"));
    draft.start("x = 1");
    draft.start("y = 2");
    draft.start("x' = 1/2");
    let both = if alike { Holds } else { Fails };
    draft.constant(format!("x'^2 + {k}*x^2"), Holds);
    draft.constant(format!("y'^2 + {l}*y^2"), Holds);
    draft.constant("x*y' - y*x'", both);
    draft.constant("x'*y' + 4*x*y", both);
    draft.constant("x'^2 + y'^2", Fails);
    draft
}

/// `x^2 = y^2` under a force along x: different on the two lines.
fn of_a_branch(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.potential(random.pick(&["x", "x^2", "exp(x)"]));
    draft.row("x^2 = y^2");
    draft.start("x = 1");
    let up = random.once_in(2);
    draft.start(if up { "y = 1" } else { "y = -1" });
    draft.start("x' = 1");
    draft.start(if up { "y' = 1" } else { "y' = -1" });
    draft.constant("T + V", Holds);
    draft.constant("z'", Holds);
    draft.constant("x'^2 - y'^2", Holds);
    draft.constant("x' - y'", Fails);
    draft.constant("x' + y'", Fails);
    draft.constant("x - y", Fails);
    draft
}

/// Linear branches without forces: velocities are kept, combinations of places on one branch only.
fn of_free_branches(random: &mut Random) -> Draft {
    let (k, l) = (
        random.pick(&["2", "3", "5"]),
        random.pick(&["7", "1/2", "4"]),
    );
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.row(format!("(y' - {k}*x')*(y' - {l}*x' + z')"));
    draft.start("x' = 1");
    draft.start("z' = 3");
    draft.start(if random.once_in(2) {
        format!("y' = {k}")
    } else {
        format!("y' = {l} - 3")
    });
    draft.constant("x'", Holds);
    draft.constant("y'/x'", Holds);
    draft.constant("x*y' - y*x'", Holds);
    draft.constant(format!("y - {k}*x"), Fails);
    draft.constant(format!("y - {l}*x + z"), Fails);
    draft.constant(format!("(y' - {k}*x')*(y - {l}*x + z)"), Holds);
    draft
}

/// Constants times something large, and constants but for something small.
fn of_scale(random: &mut Random) -> Draft {
    let (large, small) = (
        random.pick(&["1e20", "3e40", "1e60"]),
        random.pick(&["1e-20", "2e-40", "1e-60"]),
    );
    let mut draft = Draft::new(&["x", "y"]);
    draft.potential("x^2/2 + x*y^2");
    draft.start("x' = 1");
    draft.start("y = 1");
    draft.constant(format!("{large}*(T + V)"), Holds);
    draft.constant(format!("{small}*(x'^2 + y'^2 + x^2 + 2*x*y^2)"), Holds);
    draft.constant(format!("T + V + {small}*x"), Fails);
    draft.constant(format!("{small}*y'"), Fails);
    draft.constant(format!("{large}*(T + V) + x'"), Fails);
    draft
}

/// Quantities that are constant between jumps, on motions that cross one.
pub fn with_jumps(random: &mut Random, number: usize) -> Case {
    let draft = if number.is_multiple_of(3) {
        heading(random)
    } else {
        swinging(random)
    };
    draft.case("constant between jumps", number)
}

fn swinging(random: &mut Random) -> Draft {
    const JUMPING: &[&str] = &[
        "sign(x')",
        "abs(x')/x'",
        "atan(x) + atan(1/x)",
        "x/abs(x)",
        "atan2(x', w*x) + w*t",
        "sqrt(x'^2)/x'",
        "sign(x)*(x'^2 + w^2*x^2)",
        "max(x, 0)/x",
        "atan(x/x') + atan(x'/x)",
        "sign(x*x')",
        "abs(x)/x + T + V",
    ];
    let mut draft = Draft::new(&["x"]);
    draft.parameter("w", random.pick(&["1", "2", "0.9"]));
    draft.potential("w^2*x^2/2");
    draft.start("x = 1");
    draft.start("x' = 0.1");
    draft.until(10);
    draft.constant("x'^2 + w^2*x^2", Holds);
    for quantity in random.shuffled(JUMPING).into_iter().take(2) {
        draft.constant(quantity, Fails);
    }
    draft
}

fn heading(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "theta"]);
    draft.row("y'*cos(theta) - x'*sin(theta)");
    draft.start("theta = 0.1");
    draft.start(format!("theta' = {}", random.pick(&["1", "2", "-1"])));
    draft.start("x' = 1");
    draft.until(10);
    draft.constant("theta - atan2(y', x')", Fails);
    draft.constant("atan(tan(theta)) - theta", Fails);
    draft.constant("theta'", Holds);
    draft.constant("x'*cos(theta) + y'*sin(theta)", Holds);
    draft.constant("x'^2 + y'^2", Holds);
    draft
}

/// Bodies that attract each other, or on stiff springs, in SI units.
pub fn in_si_units(random: &mut Random, number: usize) -> Case {
    let draft = match number % 3 {
        0 => planets(random),
        1 => one_planet(random),
        _ => springs(random),
    };
    draft.case("SI units", number)
}

fn planets(random: &mut Random) -> Draft {
    const NAMES: [&str; 8] = ["x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3"];
    let count = random.between(2, 4);
    let mut draft = Draft::new(&NAMES[..2 * count]);
    draft.parameter("G", "6.674e-11");
    let mut kinetic = Vec::new();
    let mut potential = String::from("0");
    for i in 0..count {
        let mass = format!(
            "{}.{}e{}",
            random.between(1, 9),
            random.between(100, 999),
            random.between(21, 30)
        );
        draft.parameter(&format!("m{i}"), mass);
        kinetic.push(format!("m{i}/2*(x{i}'^2 + y{i}'^2)"));
        for j in 0..i {
            potential += &format!(" - G*m{i}*m{j}/sqrt((x{i} - x{j})^2 + (y{i} - y{j})^2)");
        }
    }
    draft.kinetic(kinetic.join(" + "));
    draft.potential(potential);
    let sum = |term: &str| {
        let terms: Vec<String> = (0..count)
            .map(|i| term.replace('#', &i.to_string()))
            .collect();
        terms.join(" + ")
    };
    draft.constant("T + V", Holds);
    draft.constant(sum("m#*x#'"), Holds);
    draft.constant(sum("m#*(x#*y#' - y#*x#')"), Holds);
    draft.constant(format!("{} + m0*1e-9*x0'", sum("m#*x#'")), Fails);
    draft.constant("T + V*(1 + 1e-12)", Fails);
    draft.constant("m0*(x0*y0' - y0*x0')", Fails);
    draft
}

fn one_planet(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y"]);
    draft.parameter("mu", random.pick(&["1.327e20", "3.986e14", "4.9e12"]));
    draft.potential("-mu/sqrt(x^2 + y^2)");
    draft.start("x = 1.5e11");
    draft.start("y' = 3e4");
    draft.constant("T + V", Holds);
    draft.constant("x*y' - y*x'", Holds);
    draft.constant("y'*(x*y' - y*x') - mu*x/sqrt(x^2 + y^2)", Holds);
    draft.constant("x'*(x*y' - y*x') + mu*y/sqrt(x^2 + y^2)", Holds);
    draft.constant("y'*(x*y' - y*x') - mu*(1 + 1e-10)*x/sqrt(x^2 + y^2)", Fails);
    draft.constant("(x'^2 + y'^2)/2 - mu/sqrt(x^2 + y^2 + 1)", Fails);
    draft
}

fn springs(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z"]);
    draft.parameter("k", random.pick(&["1e12", "2.1e11", "7e15"]));
    draft.parameter("m", random.pick(&["1e-3", "0.02", "1e-9"]));
    draft.kinetic("m/2*(x'^2 + y'^2 + z'^2)");
    draft.potential("k/2*(x - y)^2 + k/2*(y - z)^2");
    draft.start("x = 1e-6");
    draft.start("x' = 1");
    draft.constant("T + V", Holds);
    draft.constant("x' + y' + z'", Holds);
    draft.constant("m*(x' + y' + z')^2", Holds);
    draft.constant("(x - z)^2*k + m*(x' - z')^2", Holds);
    draft.constant("x' + y'", Fails);
    draft.constant("T + V + 1e-9*x'", Fails);
    draft
}
