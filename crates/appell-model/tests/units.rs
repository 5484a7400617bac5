//! Formulas held against the units of a model: what contradicts them is found at its place, what is unstated is free.

use appell_model::{Code, Diagnostic, Source, read, render_all};

/// A bead on a rotating, sprung rod, with every unit.
const BEAD: &str = r#"
coordinates = ["x", "theta"]
[parameters]
m = { value = 2, unit = "kg" }
J = { value = 0.3, unit = "kg m^2" }
k = { value = 5, unit = "N/m" }
l = { value = 0.5, unit = "m" }
g = { value = 9.81, unit = "m/s^2" }
Omega = { value = 2, unit = "rad/s" }
[units]
x = "m"
theta = "rad"
[inputs]
tau = { value = 0, unit = "N*m" }
[define]
stretch = "x - l"
[energy]
kinetic = "1/2*m*x'^2 + 1/2*(J + m*x^2)*theta'^2"
potential = "m*g*x*sin(theta) + k/2*stretch^2"
[forces]
theta = "tau"
[constraints]
turn = "theta' = Omega*(1 - x/l)"
[initial]
state = ["x = 1", "theta = 0.2"]
[claims]
energy = { equation = "E = T + V" }
"#;

fn said(text: &str) -> Vec<Diagnostic> {
    read("m.toml", text).map_or_else(|errors| errors, |(_, warnings)| warnings)
}

fn shown(text: &str) -> String {
    render_all(&said(text), &Source::new("m.toml", text), false)
}

#[test]
fn a_model_with_right_units_is_silent_and_knows_its_dimensions() {
    assert_eq!(shown(BEAD), "");
    let (model, _) = read("m.toml", BEAD).expect("a good model");
    let dimensions = model.dimensions.as_ref().expect("units are given");
    let written = |name: &str| dimensions.symbols[&model.graph.symbol(name).id()].written();
    assert_eq!(written("x'"), "m/s");
    assert_eq!(written("theta''"), "1/s²");
    assert_eq!(dimensions.energy.as_ref().expect("known").written(), "J");
}

#[test]
fn each_wrong_formula_is_found_at_its_place() {
    for (right, wrong, marked, words) in [
        (
            "k/2*stretch^2",
            "k/2*stretch",
            "k/2*stretch",
            "a sum of J and N",
        ),
        (
            "1/2*m*x'^2 ",
            "1/2*m*x' ",
            "1/2*(J + m*x^2)*theta'^2",
            "a sum of kg m/s and J",
        ),
        ("(J + m*x^2)", "(J + m*x)", "m*x", "a sum of kg m² and kg m"),
        (
            "theta = \"tau\"",
            "x = \"tau\"",
            "tau",
            "a force is in N, and this in J",
        ),
        (
            "Omega*(1 - x/l)",
            "Omega*(l - x/l)",
            "x/l",
            "a sum of m and 1",
        ),
        (
            "Omega*(1 - x/l)",
            "Omega*x",
            "Omega*x",
            "one side is in 1/s, the other in m/s",
        ),
        (
            "sin(theta)",
            "sin(x)",
            "x",
            "the argument of `sin` is a number, and this is in m",
        ),
        (
            "\"E = T + V\"",
            "\"E = k*x\"",
            "k*x",
            "one side is in J, the other in",
        ),
        (
            "\"x = 1\"",
            "\"x = m\"",
            "m",
            "one side is in m, the other in kg",
        ),
        ("\"x - l\"", "\"x - g\"", "g", "a sum of m and m/s²"),
        (
            "J = { value = 0.3,",
            "J = { value = \"m*l\",",
            "m*l",
            "this name is in kg m², and its value in kg m",
        ),
        ("x = \"m\"", "x = \"s\"", "", "a sum of"),
        ("\"N/m\"", "\"N/mm\"", "", "a sum of J and kJ"),
    ] {
        let text = BEAD.replacen(right, wrong, 1);
        assert_ne!(text, BEAD, "{right}");
        let found = said(&text);
        let shown = shown(&text);
        assert!(found.iter().all(|d| d.code == Code::Dimension), "{shown}");
        let first = found
            .first()
            .unwrap_or_else(|| panic!("{wrong} is not found"));
        assert!(first.message.contains(words), "{wrong}: {shown}");
        let at = &text[first.label.span.start..first.label.span.end];
        assert!(marked.is_empty() || at == marked, "{wrong}: {at}\n{shown}");
    }
}

#[test]
fn degrees_in_a_sine_are_told() {
    let text = BEAD
        .replace("[inputs]", "alpha = \"deg\"\n[inputs]")
        .replace("[\"x\", \"theta\"]", "[\"x\", \"theta\", \"alpha\"]")
        .replace("sin(theta)", "sin(alpha)");
    assert!(
        shown(&text).contains("is in radians, and this in deg"),
        "{}",
        shown(&text)
    );
}

#[test]
fn what_is_merely_unstated_is_free() {
    // A mass of 1, a stiffness of 1, gravity as a number, a speed as a number, a length as one.
    for (stated, bare) in [
        ("1/2*m*x'^2", "1/2*x'^2"),
        ("k/2*stretch^2", "x^2/2"),
        ("m*g*x", "9.81*m*x"),
        ("Omega*(1 - x/l)", "3*(1 - x/l)"),
        ("\"x - l\"", "\"x - 1\""),
        (", unit = \"N/m\"", ""),
        (", unit = \"N/m\"", ", unit = \"furlongs per fortnight\""),
        ("sin(theta)", "sin(0.3*x)"),
        ("\"E = T + V\"", "\"E = 9.81\""),
    ] {
        // The unit of a coordinate is not stated either.
        let text = BEAD
            .replace("[units]\nx = \"m\"\ntheta = \"rad\"", "")
            .replacen(stated, bare, 1);
        assert_eq!(shown(&text), "", "{bare}");
    }
    let without = BEAD
        .replace("unit", "about")
        .replace("[abouts]\nx = \"m\"\ntheta = \"rad\"", "")
        .replace("k/2*stretch^2", "k/2*stretch");
    assert_eq!(shown(&without), "");
}

#[test]
fn places_of_bodies_are_lengths() {
    let text = r#"
coordinates = ["x", "phi"]
gravity = "-g*N.z"
[parameters]
m = { value = 2, unit = "kg" }
r = { value = 0.1, unit = "m" }
I = { value = 0.1, unit = "kg m^2" }
g = { value = 9.81, unit = "m/s^2" }
F = { value = 1, unit = "N" }
[frames]
D = { angle = "phi", axis = "y" }
[bodies.disc]
mass = "m"
frame = "D"
position = "[x, 0, r]"
inertia = ["I", "I", "I"]
force = "F*N.x"
[constraints]
rolls = "dot(v(disc, -r*N.z), N.x) = 0"
"#;
    assert_eq!(shown(text), "");
    for (right, wrong, words) in [
        (
            "[x, 0, r]",
            "[x, 0, m]",
            "a position is in m, and this in kg",
        ),
        ("force = \"F*N.x\"", "force = \"F*r*N.x\"", "a force is in"),
        (
            "\"-g*N.z\"",
            "\"-m*g*N.z\"",
            "gravity is in m/s², and this in",
        ),
        (
            "[\"I\",",
            "[\"m*r\",",
            "an inertia is in kg m², and this in kg m",
        ),
        ("-r*N.z", "-I*N.z", "an offset is in m, and this in kg m²"),
    ] {
        let shown = shown(&text.replacen(right, wrong, 1));
        assert!(shown.contains(words), "{wrong}: {shown}");
    }
}

#[test]
fn names_and_near_units_are_told() {
    let shown = shown(&BEAD.replace("\"N/m\"", "\"newtons\""));
    assert!(
        shown.contains("the unit `newtons` is not known") && shown.contains("`N`"),
        "{shown}"
    );
    let errors = said(&BEAD.replace("x = \"m\"", "xx = \"m\""));
    assert!(
        errors.iter().any(|d| d.code == Code::UnknownName),
        "{errors:?}"
    );
}

/// Free fall in kilometres and hours.
#[test]
fn the_time_has_a_unit_of_its_own() {
    let text = r#"
coordinates = ["y"]
[parameters]
m = { value = 1, unit = "kg" }
g = { value = 127137.6, unit = "km/h^2" }
[units]
y = "km"
t = "h"
[energy]
kinetic = "m*y'^2/2"
potential = "m*g*y"
[claims]
a = { equation = "y'' = -g" }
"#;
    assert_eq!(shown(text), "");
    let in_seconds = shown(&text.replace("t = \"h\"\n", ""));
    assert!(
        in_seconds.contains("one side is in 1.00e3 m/s², the other in 7.72e-5 m/s²"),
        "{in_seconds}"
    );
    let wrong = shown(&text.replace("\"h\"", "\"km\""));
    assert!(wrong.contains("`km` is no unit of time"), "{wrong}");
}

#[test]
fn velocities_and_forces_of_points_have_units() {
    let text = r#"
coordinates = ["x", "y"]
[parameters]
m = { value = 1, unit = "kg" }
c = { value = 3, unit = "m/s" }
[units]
x = "m"
y = "m"
[particles]
p = { mass = "m", position = "[x, y, 0]" }
[constraints]
row = "dot(v(p), N.x) = c"
[claims]
speed = { equation = "v(p) = [c, c, c]" }
force = { equation = "R(p) = [m*c/t, m*c/t, m*c/t]" }
"#;
    assert_eq!(shown(text), "");
    let turning = r#"
coordinates = ["th"]
[parameters]
J = { value = 1, unit = "kg m^2" }
n = { value = 6, unit = "rad/s" }
[frames]
B = { angle = "th", axis = "z" }
[bodies.b]
mass = 1
frame = "B"
inertia = ["J", "J", "J"]
[claims]
turns = { equation = "omega(b) = n*N.z" }
"#;
    assert_eq!(shown(turning), "");
    assert!(shown(&turning.replace("rad/s", "rpm")).contains("W0202"));
    for (right, wrong) in [
        ("N.x) = c", "N.x) = m"),
        ("v(p) = [c, c, c]", "a(p) = [c, c, c]"),
        ("v(p) = [c, c, c]", "v(p) = pos(p)"),
    ] {
        let shown = shown(&text.replace(right, wrong));
        assert!(shown.contains("W0202"), "{wrong}: {shown}");
    }
}
