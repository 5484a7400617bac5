//! First integrals: what is known to be one is found, and what is found keeps its value.

use crate::common::corpus::stranger;
use crate::common::{expressions, gallery_model, model, prepare};
use appell::{
    Conserved, ConservedOptions, Prepared, RunOptions, check, conserved, conserved_with, gallery,
    read, run,
};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn of(text: &str) -> Conserved {
    conserved(&prepare(&model(text)), None)
}

fn of_gallery(name: &str) -> Conserved {
    let model = gallery_model(name);
    conserved(&prepare(&model), None)
}

#[track_caller]
fn assert_found(conserved: &Conserved, wanted: &str) {
    let found = expressions(conserved);
    assert!(
        found.contains(&wanted),
        "{wanted}: {found:#?}\n{}",
        conserved.ansatz
    );
}

/// The model as text with every integral that was found as a claim.
fn with_claims(text: &str, conserved: &Conserved) -> String {
    let claims = conserved.integrals.iter().enumerate();
    let claims = claims
        .map(|(i, integral)| format!("found_{i} = {{ constant = \"{}\" }}\n", integral.expression));
    let claims: String = claims.collect();
    match text.find("\n[claims]") {
        Some(at) => {
            let line = at + 1 + text[at + 1..].find('\n').expect("the table has entries") + 1;
            format!("{}{claims}{}", &text[..line], &text[line..])
        }
        None => format!("{text}\n[claims]\n{claims}"),
    }
}

/// Every integral is an expression that a file may have, and constant along a computed motion:
/// neither the search nor the proof has a part in that.
#[track_caller]
fn assert_constant(name: &str, text: &str, conserved: &Conserved) {
    let text = with_claims(text, conserved);
    let (model, _) = read(name, &text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let p: Prepared<'_> = prepare(&model);
    let options = RunOptions::until(0.5);
    let run =
        run(&p, &options, &mut Default::default()).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    let found = run
        .claims
        .iter()
        .filter(|claim| claim.name.starts_with("found_"));
    let found: Vec<_> = found.collect();
    assert_eq!(found.len(), conserved.integrals.len(), "{name}");
    for claim in found {
        assert_eq!(claim.holds, Some(true), "{name}: {claim:?}\n{text}");
    }
}

/// With more time than any machine takes.
fn unhurried() -> ConservedOptions {
    ConservedOptions {
        budget: Duration::from_secs(3_600),
        ..ConservedOptions::default()
    }
}

#[test]
fn nothing_false_on_the_gallery() {
    let mut count = 0;
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("the gallery is right");
        let found = conserved_with(&prepare(&model), &unhurried(), None);
        assert!(!found.interrupted && !found.over_budget, "{}", entry.name);
        assert!(found.integrals.iter().all(|x| x.verdict.is_proved()));
        assert_constant(entry.name, entry.text, &found);
        count += found.integrals.len();
    }
    assert!(count >= 50, "{count}");
}

/// Where the file claims an integral within the ansatz, it is found; where it refutes one, not.
#[test]
fn the_integrals_of_the_papers_are_found() {
    assert_eq!(expressions(&of_gallery("chaplygin-sleigh")), ["E"]);
    // E* of Talamucci's example 3; the energy itself is not conserved.
    assert_eq!(expressions(&of_gallery("affine-particle")), ["E_star"]);
    assert_eq!(
        expressions(&of_gallery("contact-oscillator")),
        ["E", "y'^2 + y^2"]
    );
    // The last is the square of x' sqrt(1 + y^2).
    let pars = of_gallery("pars");
    for wanted in ["E", "m*y'", "y^2*x'^2 + x'^2"] {
        assert_found(&pars, wanted);
    }
    assert_found(&of_gallery("coaxial-discs"), "R*theta1 - R*theta2 + a*psi");
    let skate = of_gallery("skate");
    let beside = "x'*theta'*cos(theta) + y'*theta'*sin(theta) + g*sin(alpha)*sin(theta)";
    assert_eq!(expressions(&skate), ["E", "I*theta'", beside]);
    // A prescribed speed leaves nothing of the kind.
    assert!(expressions(&of_gallery("prescribed-speed")).is_empty());
}

/// A ball without slip on a plane that turns: `E - Omega J` about the axis, where E alone
/// is not conserved.
const TURNTABLE: &str = r#"
coordinates = ["x", "y", "e0", "e1", "e2", "e3"]
[parameters]
m = 0.6
r = 0.25
k = 0.4
Omega = 1.5
[frames]
B = { parent = "N", quaternion = ["e0", "e1", "e2", "e3"] }
[bodies.ball]
mass = "m"
frame = "B"
position = "[x, y, r]"
inertia = ["k*m*r^2", "k*m*r^2", "k*m*r^2"]
[constraints]
no_slip = "v(ball, -r*N.z) = Omega*[-y, x, 0]"
[initial]
state = ["x = 0.3", "y = 0.1", "x' = 0.4", "y' = -0.2", "dot(omega(ball), N.z) = 0.7"]
"#;

#[test]
fn the_work_and_the_impulse_of_constant_forces() {
    let geared = "coordinates = [\"s\", \"c\", \"L\", \"R\"]\n[parameters]\nJ = 1\ntau = 1\n[energy]\n\
                  kinetic = \"J*(s'^2 + c'^2 + L'^2 + 2*R'^2)/2\"\n[forces]\ns = \"tau\"\n[constraints]\n\
                  gear = \"s' = 3*c'\"\ndiff = \"2*c' = L' + R'\"\n";
    let found = of(geared);
    assert_found(&found, "E - tau*s");
    // By hand: with u = c' and w = L' the second motion is free, and s' gains 27 tau t / (38 J).
    assert_found(&found, "27*tau*t - 38*J*s'");
    let falls = "coordinates = [\"x\", \"y\"]\n[parameters]\nm = 2\nF = 3\n[energy]\n\
                 kinetic = \"m*(x'^2 + y'^2)/2\"\npotential = \"-F*x\"\n";
    assert_found(&of(falls), "F*t - m*x'");
    let turned = "coordinates = [\"th\"]\n[parameters]\ntau = 0.3\n[energy]\nkinetic = \"th'^2/2\"\n\
                  potential = \"-cos(th)\"\n[forces]\nth = \"tau\"\n";
    assert_eq!(expressions(&of(turned)), ["E - tau*th"]);
}

#[test]
fn the_moving_energy_on_a_turntable() {
    let found = of(TURNTABLE);
    let moving = &found.integrals[0];
    assert_eq!(moving.kind, "moving energy");
    assert!(
        moving
            .expression
            .starts_with("E - Omega*(m*r^2*k*dot(B.x, N.z)"),
        "{moving:?}"
    );
    assert!(!expressions(&found).contains(&"E"));
    assert_constant("turntable", &format!("appell = 1\n{TURNTABLE}"), &found);
    let still = TURNTABLE.replace("Omega*[-y, x, 0]", "0*N.x");
    assert_found(&of(&still), "E");
}

/// A ball whose mass centre lies beside its centre, rolling on a plane.
const BALL: &str = r#"
coordinates = ["x", "y", "psi", "theta", "phi"]
gravity = "-g*N.z"
[parameters]
m = 2.0
R = 0.5
a = 0.1
A = 0.3
C = 0.2
g = 9.81
[frames]
F = { parent = "N", angle = "psi", axis = "z" }
G = { parent = "F", angle = "theta", axis = "x" }
B = { parent = "G", angle = "phi", axis = "z" }
[bodies.top]
mass = "m"
frame = "B"
position = "[x, y, R] - a*B.z"
inertia = ["A", "A", "C"]
[constraints]
no_slip = "v(top, a*B.z - R*N.z) = 0"
[initial]
state = ["x = 0", "y = 0", "psi = 0", "theta = 0.4", "phi = 0", "psi' = 1.5", "theta' = 0.2", "phi' = 3"]
"#;

/// With c = cos(theta): Jellett's `R L.N_z - a L.B_z`, and Routh's
/// `omega_3^2 (A C + m C (R c - a)^2 + m A R^2 (1 - c^2))`, here 0.002 (82 - 20 c + 25 (1 - c^2)).
#[test]
fn jellett_and_the_square_of_routh() {
    let up = ["x", "y"].map(|i| format!("25*dot(B.{i}, N.z)^2*dot(omega(top), B.z)^2"));
    let square = "82*dot(omega(top), B.z)^2";
    let lines = "A*dot(B.x, N.z)*dot(omega(top), B.x) + A*dot(B.y, N.z)*dot(omega(top), B.y) + C*dot(B.z, N.z)*dot(omega(top), B.z)";
    let quaternion = BALL
        .replace(
            "\"psi\", \"theta\", \"phi\"]",
            "\"e0\", \"e1\", \"e2\", \"e3\"]",
        )
        .replace(
            "F = { parent = \"N\", angle = \"psi\", axis = \"z\" }\n",
            "",
        )
        .replace(
            "G = { parent = \"F\", angle = \"theta\", axis = \"x\" }\n",
            "",
        )
        .replace(
            "{ parent = \"G\", angle = \"phi\", axis = \"z\" }",
            "{ parent = \"N\", quaternion = [\"e0\", \"e1\", \"e2\", \"e3\"] }",
        );
    let quaternion = &quaternion[..quaternion.find("[initial]").expect("it is there")];
    for (text, tilt, spin) in [
        (
            BALL,
            "dot(omega(top), B.z)^2*cos(theta)",
            "(psi'*cos(theta) + phi')",
        ),
        (
            quaternion,
            "dot(B.z, N.z)*dot(omega(top), B.z)^2",
            "dot(omega(top), B.z)",
        ),
    ] {
        let found = of(text);
        assert_found(&found, "E");
        assert_found(&found, &format!("R*({lines}) - a*C*{spin}"));
        assert_found(
            &found,
            &format!("{} + {} - 20*{tilt} + {square}", up[0], up[1]),
        );
        assert_eq!(found.integrals.len(), 3, "{:#?}", expressions(&found));
    }
    assert_constant("ball", &format!("appell = 1\n{BALL}"), &of(BALL));
}

/// What was searched is said, and how far there was room for it.
#[test]
fn the_budget_is_kept_and_said() {
    let names = |mark: &str| {
        let names = (0..25).map(|i| format!("x{i}{mark}"));
        names.collect::<Vec<_>>()
    };
    let squares = |mark: &str| names(&format!("{mark}^2")).join(" + ");
    let text = format!(
        "coordinates = {:?}\n[energy]\nkinetic = \"({})/2\"\npotential = \"({})^2\"\n",
        names(""),
        squares("'"),
        squares("")
    );
    let found = of(&text);
    assert!(
        found.over_budget
            && found
                .ansatz
                .contains("left out: products of two velocities")
    );
    assert_found(&found, "E");
    let small = of("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n");
    assert!(
        small.ansatz.contains("polynomials of degree 4 in x"),
        "{}",
        small.ansatz
    );
    assert_eq!(expressions(&small), ["E", "x'"]);
}

#[test]
fn a_search_can_be_stopped() {
    let model = gallery_model("pars");
    let flag = AtomicBool::new(true);
    let stopped = conserved(&prepare(&model), Some(&flag));
    assert!(stopped.interrupted && stopped.integrals.is_empty());
    assert!(
        stopped
            .ansatz
            .ends_with("interrupted before all of this was searched")
    );
}

/// Lotka's and Volterra's equations as rows: what `check` finds of the rows is conserved.
#[test]
fn what_the_rows_say_of_the_place() {
    let found = of(
        "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\n\
                    a = \"x' = x*(1 - y)\"\nb = \"y' = y*(x - 1)\"\n[initial]\nstate = ['x = 1.5', 'y = 1']\n",
    );
    assert_eq!(expressions(&found), ["x*y*exp(-x - y)"]);
}

/// Coefficients of rows that hold velocities are constant between jumps where they are numbers, as `x'/sqrt(x'^2)`; what is
/// made of them is not.
#[test]
fn what_rows_with_a_speed_say_of_the_place() {
    for rows in [
        "c = \"sqrt(x'^2 + y'^2) = z'\"\nd = \"x' + y' = 0\"",
        "c = \"sqrt(x'^2 + y'^2) = z'\"\nd = \"x*y' = y*x'\"",
        "c = \"sqrt(x'^2 + y'^2) = z*z'\"\nd = \"x' = y'\"",
    ] {
        let text = format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\npotential = \"x\"\n\
             [constraints]\n{rows}\n[initial]\nstate = [\"x = 1\", \"y = 1\", \"z = 1\", \"x' = 1\"]\n\
             [simulate]\nuntil = 0.5\n"
        );
        let found = of(&text);
        assert_constant(rows, &text, &found);
        let (checked, _) = check(&prepare(&model(&text)), None);
        let combinations = checked.holonomic_combinations.expect("they are known");
        let of_place = |words: &String| !words.contains("sqrt") && !words.contains("*x'");
        assert!(combinations.iter().all(of_place), "{combinations:?}");
    }
}

/// An input may change at any time, and what is made of it with it.
#[test]
fn nothing_made_of_inputs_is_conserved() {
    let text = "coordinates = [\"x\", \"y\"]\n[inputs]\nu = 0\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
        [forces]\nx = \"u\"\n[initial]\nstate = [\"x' = 1\"]\n";
    let found = of(text);
    let made_of_it = |x: &&str| x.contains('u');
    assert_eq!(expressions(&found).iter().find(|x| made_of_it(x)), None);
    assert_found(&found, "y'");
}

/// With these radii the sum of both turns is 0: `(s' + p')/s'` is constant by the row alone.
#[test]
fn a_quotient_that_the_rows_hold_constant_is_no_integral() {
    let text = "coordinates = [\"s\", \"p\", \"c\"]\nparameters = { rs = 0.1, rp = 0.05 }\n[energy]\n\
        kinetic = \"(s'^2 + p'^2 + 2*c'^2)/2\"\n[forces]\ns = \"0.7\"\nc = \"-0.2*c'\"\n\
        [constraints]\nroll = \"rs*s' + 2*rp*p' = 0\"\nring = \"s' = 3*c'\"\n[initial]\nstate = [\"s' = 3\"]\n";
    let found = of(text);
    assert_found(&found, "rs*s + 2*rp*p");
    let quotient = |x: &&str| x.contains("/s'");
    assert_eq!(expressions(&found).iter().find(|x| quotient(x)), None);
}

/// What is constant on both sides of a corner of a row need not be so across: `y'/x'` is 1 before and -1 after.
#[test]
fn quotients_are_constant_between_corners_of_rows_only() {
    let text = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"x\"\n\
        [constraints]\nr = \"y' = abs(x')\"\n[initial]\nstate = [\"x = 1\", \"x' = 1\"]\n[claims]\n\
        slope = { constant = \"y'/x'\" }\nspeed = { constant = \"x' + t/2\" }\n";
    let proof = appell::prove(&prepare(&model(text)));
    let verdict = |name: &str| {
        let found = proof.claims.iter().find(|claim| claim.name == name);
        &found.expect("a claim").verdict
    };
    assert!(verdict("speed").is_proved(), "{:?}", verdict("speed"));
    match verdict("slope") {
        appell::Verdict::Undecided { why } => assert!(why.contains("1/x'"), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// The sphere by `x` and `y` ends at the equator, where the mass matrix has no value: no motion gets beyond.
#[test]
fn the_energy_of_a_pendulum_within_its_chart_is_constant() {
    let text = "coordinates = [\"x\", \"y\"]\ngravity = \"-9.8*N.z\"\n[particles]\n\
        P = { mass = 1, position = \"[x, y, -sqrt(1 - x^2 - y^2)]\" }\n[initial]\nstate = [\"x = 0.3\", \"y' = 0.4\"]\n\
        [claims]\nenergy = { constant = \"T + V\" }\n";
    let proof = appell::prove(&prepare(&model(text)));
    assert!(proof.claims[0].verdict.is_proved(), "{:?}", proof.claims);
}

/// `x' exp(3 t)` is 0 at rest; only its logarithm has no value there.
#[test]
fn products_have_values_where_their_factors_vanish() {
    let text = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[forces]\nx = \"-3*x'\"\ny = \"2*t - y'\"\n";
    let found = of(text);
    let product = found
        .integrals
        .iter()
        .find(|integral| integral.expression.contains("exp"));
    let product = format!("{:?}", product.expect("x' exp(3 t)"));
    assert!(!product.contains("no value"), "{product}");
}

/// The rate of a square vanishes where what is squared does: at a start where the rows lose their rank that proves nothing.
#[test]
fn a_square_that_changes_beside_a_singular_start_is_no_integral() {
    let changing = [
        ("sum-of-cubes-on-its-line", "x^2 + 2*x*y", "x'"),
        ("row-that-vanishes-at-the-start", "x^2", "E"),
        ("product-beside-a-place-that-moves", "y^2", "z'"),
    ];
    for (name, square, kept) in changing {
        let model = stranger(name);
        let p = prepare(&model);
        let found = conserved(&p, None);
        let integrals = expressions(&found);
        assert!(
            integrals.iter().all(|text| !text.starts_with(square)),
            "{name}: {integrals:?}"
        );
        assert!(integrals.contains(&kept), "{name}: {integrals:?}");
        let (checked, _) = check(&p, None);
        let combinations = checked.holonomic_combinations.unwrap_or_default();
        assert!(
            combinations.iter().all(|text| !text.starts_with(square)),
            "{name}: {combinations:?}"
        );
    }
}
