//! What newcomers write first: each mistake is told with the right spelling, and what is told works.

use appell_model::{Diagnostic, Source, read, render_all};

const PENDULUM: &str = r#"title = "Pendulum"
coordinates = ["theta", "x"]

[parameters]
m = 1.0
l = 0.5
g = 9.81

[energy]
kinetic = "1/2*m*(l^2*theta'^2 + x'^2)"
potential = "-m*g*l*cos(theta)"

[constraints]
row = "x' = theta'"

[initial]
state = ["theta = 0.3", "theta' = 0"]

[simulate]
until = 2
"#;

const BALL: &str = r#"title = "Ball"
gravity = "-9.81*N.z"
coordinates = ["x", "y", "z", "a", "b", "c"]

[parameters]
m = 1.0
R = 0.1

[frames]
A = { parent = "N", angle = "a", axis = "z" }
B = { parent = "A", angle = "b", axis = "x" }
C = { parent = "B", angle = "c", axis = "z" }

[bodies.ball]
mass = "m"
frame = "C"
position = "[x, y, z]"
inertia = ["2/5*m*R^2", "2/5*m*R^2", "2/5*m*R^2"]

[constraints]
roll = "v(ball, -R*N.z) = 0"

[[loads]]
body = "ball"
force = "3*N.x"

[initial]
state = ["z = R", "b = 1", "x' = 1"]

[simulate]
until = 1
"#;

/// Of a model: what is right, what is written instead, what the first message advises.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    // Functions and numbers of other languages.
    (
        PENDULUM,
        "cos(theta)",
        "np.cos(theta)",
        "write `cos` by itself",
    ),
    (
        PENDULUM,
        "cos(theta)",
        "math.cos(theta)",
        "write `cos` by itself",
    ),
    (
        PENDULUM,
        "atan2(x, 1)*g*l",
        "np.arctan2(x, 1)*g*l",
        "write `atan2` by itself",
    ),
    (PENDULUM, "cos(theta)", "Cos(theta)", "did you mean `cos`?"),
    (
        PENDULUM,
        "theta'^2",
        "theta^2'",
        "for the power of a rate write `x'^2`",
    ),
    (PENDULUM, "cos(theta)", "cos[theta]", "write `cos(...)`"),
    (PENDULUM, "theta'^2", "theta'**2", "write `^` for a power"),
    (PENDULUM, "theta = pi/4", "theta = PI/4", "write `pi`"),
    (PENDULUM, "theta = pi/4", "theta = \u{3c0}/4", "write `pi`"),
    (
        PENDULUM,
        "theta = 30*pi/180",
        "theta = 30 deg",
        "angles are in radians: write `30*pi/180`",
    ),
    (
        PENDULUM,
        "theta = 30*pi/180",
        "theta = radians(30)",
        "write `x*pi/180`",
    ),
    (PENDULUM, "1/2*m", "\u{bd}*m", "write `1/2`"),
    // Units.
    (
        PENDULUM,
        "g = { value = 9.81, unit = \"m/s^2\" }",
        "g = \"9.81 m/s^2\"",
        "write `{ value = 9.81, unit = \"m/s^2\" }`",
    ),
    (
        BALL,
        "mass = \"1\"",
        "mass = \"1 kg\"",
        "units are not written in formulas: write `1`",
    ),
    (
        PENDULUM,
        "until = \"2\"",
        "until = \"2 s\"",
        "write `2*s` for a product; a unit is left out",
    ),
    (
        PENDULUM,
        "m = 1.5",
        "m = 1,5",
        "write `1.5`: the decimal sign is a point",
    ),
    (
        PENDULUM,
        "m = 1.0 # mass",
        "m = 1.0 // mass",
        "comments begin with `#`",
    ),
    (
        PENDULUM,
        "until = 2",
        "until = 2;",
        "lines end without a sign: remove it",
    ),
    // Rates.
    (
        PENDULUM,
        "theta'^2",
        "thetadot^2",
        "write `theta'` for a rate",
    ),
    (
        PENDULUM,
        "theta'^2",
        "thetad^2",
        "write `theta'` for a rate",
    ),
    (
        PENDULUM,
        "theta'^2",
        "Dtheta^2",
        "write `theta'` for a rate",
    ),
    (
        PENDULUM,
        "theta'^2",
        "theta_t^2",
        "write `theta'` for a rate",
    ),
    (
        PENDULUM,
        "x' = theta'",
        "vx = theta'",
        "write `x'` for a rate",
    ),
    (
        PENDULUM,
        "x' = theta'",
        "\u{1e8b} = theta'",
        "write `x'` for a rate",
    ),
    (
        PENDULUM,
        "x' = theta'",
        "x\u{307} = theta'",
        "write `x'` for a rate",
    ),
    (
        PENDULUM,
        "theta'^2",
        "diff(theta, t)^2",
        "a rate is written with a prime: `theta'`",
    ),
    (
        PENDULUM,
        "theta'^2",
        "diff(theta(t), t)^2",
        "a rate is written with a prime: `theta'`",
    ),
    (
        PENDULUM,
        "x'' = theta''",
        "diff(x, t, 2) = theta''",
        "a rate is written with a prime: `x''`",
    ),
    (
        PENDULUM,
        "theta'^2",
        "der(theta)^2",
        "a rate is written with a prime: `theta'`",
    ),
    (
        PENDULUM,
        "cos(theta)",
        "cos(theta(t))",
        "write `theta`: a coordinate depends on the time by itself",
    ),
    (
        PENDULUM,
        "\"theta = 0.3\"",
        "\"theta(0) = 0.3\"",
        "write `theta`: a coordinate depends on the time by itself",
    ),
    // Letters.
    (PENDULUM, "cos(theta)", "cos(\u{3b8})", "write `theta`"),
    (
        PENDULUM,
        "cos(theta)",
        "cos(\\theta)",
        "write `theta` without the backslash",
    ),
    (
        PENDULUM,
        "cos(theta)",
        "cos(Theta)",
        "did you mean `theta`?",
    ),
    // Several equations, conditions.
    (
        PENDULUM,
        "[\"x' = 0\", \"theta' = 0\"]",
        "\"x' = 0, theta' = 0\"",
        "several equations are a list of strings: `[\"...\", \"...\"]`",
    ),
    (
        PENDULUM,
        "[\"x' = 0\", \"theta' = 0\"]",
        "\"x' = 0; theta' = 0\"",
        "several equations are a list of strings: `[\"...\", \"...\"]`",
    ),
    (PENDULUM, "x' = theta'", "x' == theta'", "write one `=`"),
    // Starts.
    (
        PENDULUM,
        "state = [\"theta = 0.3\"]",
        "state = \"theta = 0.3\"",
        "write `[\"theta = 0.3\"]`",
    ),
    (
        PENDULUM,
        "state = [\"theta = 0.3\", \"x = 1\"]",
        "state = { theta = 0.3, x = 1 }",
        "write `[\"theta = 0.3\", \"x = 1\"]`",
    ),
    (
        PENDULUM,
        "state = [\"theta = 0.3\"]",
        "state = [0.3]",
        "write an equation in a string",
    ),
    (
        PENDULUM,
        "state = [\"theta = 0.3\"]",
        "theta = 0.3",
        "write `state = [\"theta = 0.3\"]`",
    ),
    (
        PENDULUM,
        "t = 2\nstate = []",
        "state = [\"t = 2\"]",
        "write `t = ...` in [initial], outside the list",
    ),
    // Sections and keys under other names.
    (PENDULUM, "[energy]", "[Energy]", "did you mean `energy`?"),
    (PENDULUM, "[parameters]", "[params]", "write `parameters`"),
    (
        PENDULUM,
        "[parameters]",
        "[constants]",
        "write `parameters`",
    ),
    (PENDULUM, "coordinates", "coords", "write `coordinates`"),
    (PENDULUM, "coordinates", "q", "write `coordinates`"),
    (
        PENDULUM,
        "[\"theta\", \"x\"]",
        "\"theta, x\"",
        "write `[\"theta\", \"x\"]`",
    ),
    (PENDULUM, "kinetic =", "T =", "write `kinetic`"),
    (PENDULUM, "potential =", "V =", "write `potential`"),
    (
        PENDULUM,
        "[initial]",
        "[initial_conditions]",
        "write `initial`",
    ),
    (PENDULUM, "[simulate]", "[simulation]", "write `simulate`"),
    (
        PENDULUM,
        "until",
        "tspan",
        "write `until = ...` with the end time",
    ),
    (
        PENDULUM,
        "samples = 20\nuntil",
        "dt = 0.1\nuntil",
        "the tolerances choose the steps; `samples = 200` says",
    ),
    (
        PENDULUM,
        "[constraints]\nrow",
        "[[constraints]]\nequation",
        "write `[constraints]` with a line `NAME = ..` for each",
    ),
    (BALL, "[bodies.ball]", "[body.ball]", "write `bodies`"),
    (
        BALL,
        "[bodies.ball]",
        "[[bodies]]",
        "write `[bodies.NAME]` for each body",
    ),
    (BALL, "frame =", "orientation =", "write `frame`"),
    (BALL, "[[loads]]", "[loads]", "write `[[loads]]`"),
    // Vectors.
    (
        BALL,
        "\"[x, y, z]\"",
        "[\"x\", \"y\", \"z\"]",
        "put it in a string: a vector is `\"[a, b, c]\"`",
    ),
    (
        BALL,
        "\"[x, y, z]\"",
        "\"(x, y, z)\"",
        "write a vector as `[a, b, c]`",
    ),
    (
        BALL,
        "\"-9.81*N.z\"",
        "9.81",
        "write a vector, such as `[a, b, c]` or `a*N.x`",
    ),
    (BALL, "3*N.x", "3*Nx", "write `N.x`"),
    (BALL, "3*N.x", "3*ex", "write `N.x`"),
    (
        BALL,
        "3*N.x",
        "3*world.x",
        "write `N`, or a frame of [frames]",
    ),
    (
        BALL,
        "dot(v(ball), N.x) = 0",
        "v(ball).x = 0",
        "write the component `dot(v(ball), N.x)`",
    ),
    (
        BALL,
        "dot(v(ball), N.x) = 0",
        "v(ball)[0] = 0",
        "write a component as `dot(v(ball), N.x)`",
    ),
    (
        BALL,
        "dot(v(ball), N.x) = 0",
        "v(ball).dot(N.x) = 0",
        "write `dot(v(ball), ...)`",
    ),
    (BALL, "v(ball) = 0", "vel(ball) = 0", "write `v`"),
    (
        BALL,
        "axis = \"[1, 0, 0]\"",
        "axis = [1, 0, 0]",
        "put it in a string: a vector is `\"[a, b, c]\"`",
    ),
];

/// Lines of a model in whose place others are tried.
fn replaced(model: &str, right: &str, by: &str) -> String {
    if model.contains(right) {
        return model.replacen(right, by, 1);
    }
    // What is no part of the model stands for a line, a row, a value or a term of it.
    let places = [
        (
            "state = [\"theta = 0.3\", \"theta' = 0\"]",
            right.contains("state = "),
        ),
        ("g = 9.81", right.starts_with("g = ")),
        ("m = 1.0", right.starts_with("m = ")),
        ("mass = \"m\"", right.starts_with("mass = ")),
        ("until = 2", right.starts_with("until = ")),
        ("until", right.starts_with("samples = ")),
        ("axis = \"x\"", right.starts_with("axis = ")),
        ("theta = 0.3", right.starts_with("theta = ")),
        ("\"x' = theta'\"", right.starts_with('[')),
        ("x' = theta'", right.starts_with("x''")),
        ("v(ball, -R*N.z) = 0", right.contains("v(ball)")),
        ("g*l", right.ends_with("*g*l")),
    ];
    let (place, _) = places
        .into_iter()
        .find(|(place, fits)| *fits && model.contains(place))
        .unwrap_or_else(|| panic!("{right}"));
    model.replacen(place, by, 1)
}

fn shown(diagnostics: &[Diagnostic], text: &str) -> String {
    render_all(diagnostics, &Source::new("m.toml", text), false)
}

fn first_label(text: &str) -> String {
    match read("m.toml", text) {
        Ok(_) => String::new(),
        Err(diagnostics) => {
            let mut errors = diagnostics
                .iter()
                .filter(|one| one.code.id().starts_with('E'));
            let first = errors.next().expect("one at least");
            first.label.text.clone()
        }
    }
}

#[test]
fn each_mistake_is_told_with_what_is_right() {
    let mut wrong = Vec::new();
    for (model, right, written, advice) in MISTAKES {
        let label = first_label(&replaced(model, right, written));
        if !label.contains(advice) {
            wrong.push(format!("{written}: {label}"));
        }
        let corrected = replaced(model, right, right);
        if let Err(diagnostics) = read("m.toml", &corrected) {
            wrong.push(format!(
                "{right} is refused:\n{}",
                shown(&diagnostics, &corrected)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_misnamed_section_is_the_only_thing_that_is_said() {
    for (model, section, other) in [
        (PENDULUM, "[parameters]", "[params]"),
        (PENDULUM, "[energy]", "[Energy]"),
        (PENDULUM, "coordinates =", "coords ="),
        (PENDULUM, "kinetic =", "T ="),
        (BALL, "[frames]", "[frame]"),
    ] {
        let text = model.replace(section, other);
        let diagnostics = read("m.toml", &text).expect_err(other);
        let errors = diagnostics
            .iter()
            .filter(|one| one.code.id().starts_with('E'));
        assert_eq!(errors.count(), 1, "{}", shown(&diagnostics, &text));
    }
}

#[test]
fn other_formats_are_named() {
    for (text, format) in [
        ("{\"coordinates\": [\"x\"]}\n", "JSON"),
        ("title: Pendulum\ncoordinates: [theta]\n", "YAML"),
        ("import sympy as sp\n", "Python"),
        ("<mujoco>\n</mujoco>\n", "XML"),
        (
            "model Pendulum\n  Real theta;\nend Pendulum;\n",
            "a program",
        ),
    ] {
        let label = first_label(text);
        assert!(
            label.contains(&format!("this looks like {format}")),
            "{label}"
        );
    }
}

#[test]
fn line_ends_of_windows_and_tabs_are_read() {
    let windows = PENDULUM.replace('\n', "\r\n").replace("m = ", "\tm\t=\t");
    assert!(read("m.toml", &windows).is_ok());
    let label = first_label(&PENDULUM.replace('\n', "\r"));
    assert!(label.contains("line ends of Unix or Windows"), "{label}");
    let label = first_label(&format!("\u{feff}{PENDULUM}"));
    assert!(label.contains("without a mark"), "{label}");
}

/// A parameter `E` hides the energy, and is constant in every motion.
#[test]
fn claims_of_parameters_are_told() {
    let with = |claim: &str| {
        let text = PENDULUM.replace("g = 9.81", "g = 9.81\nE = 2e11");
        format!("{text}\n[claims]\nc = {{ constant = \"{claim}\" }}\n")
    };
    for (claim, told) in [
        ("E", true),
        ("2*m*g", false),
        ("E + theta'", false),
        ("T", false),
    ] {
        let (_, warnings) = read("model.toml", &with(claim)).expect("a right model");
        let codes: Vec<&str> = warnings.iter().map(|warning| warning.code.id()).collect();
        assert_eq!(codes.contains(&"W0201"), told, "{claim}: {codes:?}");
    }
}

/// `tan(pi/2)` rounds to 1.6e16, and `tan(pi/4)` is 1.
#[test]
fn tangents_of_parts_of_a_turn_are_exact() {
    let with = |potential: &str| PENDULUM.replace("-m*g*l*cos(theta)", potential);
    for pole in ["x*tan(pi/2)", "x/cos(pi/2)", "x*tan(-3*pi/2)"] {
        let errors = read("model.toml", &with(pole)).expect_err(pole);
        assert_eq!(errors[0].code.id(), "E0119", "{pole}");
    }
    for (written, plain) in [
        ("tan(5*pi/4)*x", "x"),
        ("x*tan(-pi/4)", "-x"),
        ("tan(3*pi)*x", "0"),
    ] {
        let [a, b] = [written, plain].map(|term| read("model.toml", &with(term)).expect(term).0);
        let printed =
            |model: &appell_model::Model| model.graph.ex(model.potential.expect("one")).to_string();
        assert_eq!(printed(&a), printed(&b), "{written}");
    }
}
