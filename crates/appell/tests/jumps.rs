//! Constants with jumps: what a proof says of them and what a motion shows never disagree.

use crate::common::{close, model, motion, prepare, until};
use appell::prove::{ClaimVerdict, prove};
use appell::{Run, RunOptions};

/// A knife edge that turns while it slides.
const HEADING: &str = r#"
coordinates = ["x", "y", "theta"]
[energy]
kinetic = "(x'^2 + y'^2)/2 + theta'^2/5"
[constraints]
blade = "y'*cos(theta) - x'*sin(theta) = 0"
[initial]
state = ["theta = 0.1", "theta' = 1", "x' = 1"]
[simulate]
until = 10
"#;

const OSCILLATOR: &str = r#"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
state = ["x = 1", "x' = 0.1"]
[simulate]
until = 10
"#;

/// A point without forces that passes both axes, and a rotor that makes several turns.
const FREE: &str = r#"
coordinates = ["x", "y", "theta"]
[parameters]
m = 2
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + theta'^2/2"
[initial]
state = ["x = -1", "y = 0.5", "x' = 0.4", "y' = -0.3", "theta = 0.2", "theta' = 1.1"]
[simulate]
until = 10
"#;

/// An oscillator that pushes a point while it is on the left.
const PUSHED: &str = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "x^2/2"
[forces]
y = "abs(x) - x"
[initial]
state = ["x = 1", "x' = 0.1", "y = 0", "y' = 0"]
[simulate]
until = 10
"#;

/// An oscillator from rest: `sign(x')` is 0 at the start.
const RELEASED: &str = r#"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
state = ["x = 1", "x' = 0"]
[simulate]
until = 10
"#;

/// What a claim is, between what it may jump, and whether the motion shows a jump.
struct Row {
    claim: &'static str,
    between: &'static [&'static str],
    drifts: bool,
}

const fn row(claim: &'static str, between: &'static [&'static str], drifts: bool) -> Row {
    Row {
        claim,
        between,
        drifts,
    }
}

const SMOOTH: &[&str] = &[];

const TABLE: &[(&str, &[Row])] = &[
    (
        HEADING,
        &[
            row("theta - atan2(y', x')", &["atan2(y', x')"], true),
            // The speed of the blade is constant itself, and its sign never jumps.
            row("sign(x'*cos(theta) + y'*sin(theta))", SMOOTH, false),
            row("x'^2 + y'^2", SMOOTH, false),
            row("y'/x' - tan(theta)", SMOOTH, false),
        ],
    ),
    (
        OSCILLATOR,
        &[
            row("sign(x')", &["sign(x')"], true),
            row("abs(x')/x'", &["abs(x')/x'"], true),
            row("atan(x) + atan(1/x)", &["atan(1/x)"], true),
            row("x'^2 + x^2", SMOOTH, false),
            row("sqrt(x^2)/x", &["abs(x)/x"], true),
            row("x'^2 + x^2 + 3*sign(x + 2*x')", &["sign(2*x' + x)"], true),
            row("abs(x)*sign(x) - x", SMOOTH, false),
            row("min(x, 0) + max(x, 0) - x", SMOOTH, false),
            row("abs(x'^2 + x^2)", SMOOTH, false),
            row("(x'^2 + x^2)/x*x", SMOOTH, false),
            row("log(x'^2 + x^2 + 1)", SMOOTH, false),
            row("sign(x'^2 + x^2 + 1)*(x'^2 + x^2)", SMOOTH, false),
            row("tan(x - x + 1)*sign(x)^2", &["sign(x)"], false),
        ],
    ),
    (
        FREE,
        &[
            row("sign(x)", &["sign(x)"], true),
            row("sign(m)*x'", SMOOTH, false),
            row("theta - atan(tan(theta))", &["atan(tan(theta))"], true),
            row(
                "theta - atan2(sin(theta), cos(theta))",
                &["atan2(sin(theta), cos(theta))"],
                true,
            ),
            row("m*x' + exp(y'/m)", SMOOTH, false),
            row("atan2(m*y', x'^2 + 1)", SMOOTH, false),
            row("(x*y' - y*x')/(x'^2 + y'^2)", SMOOTH, false),
            row("x' + max(x, -x)/x", &["max(x, -x)/x"], true),
        ],
    ),
];

fn claims(text: &str, rows: &[Row], domain: &str) -> String {
    let lines = (0..).zip(rows).map(|(i, row): (usize, &Row)| {
        let constant = row.claim;
        format!("k{i} = {{ constant = \"{constant}\"{domain} }}\n")
    });
    format!("{text}[claims]\n{}", lines.collect::<String>())
}

/// The proof's claims, and whether each holds along the file's motion.
fn both(text: &str) -> Vec<(ClaimVerdict, Option<bool>)> {
    let model = model(text);
    let p = prepare(&model);
    let run = motion(&p, &RunOptions::default());
    let held = run.claims.iter().map(|claim| claim.holds);
    prove(&p).claims.into_iter().zip(held).collect()
}

/// A geodesic of the hyperbolic plane: no motion crosses `w = 0`, where its energy is infinite.
#[test]
fn poles_of_the_model_are_not_crossed() {
    let text = r#"
coordinates = ["x", "w"]
[energy]
kinetic = "(x'^2 + w'^2)/(2*w^2)"
[initial]
state = ["x = 0", "w = 1", "x' = 0.5", "w' = 0.3"]
[simulate]
until = 5
"#;
    let rows = [row("sqrt(x'^2 + w'^2)/w", SMOOTH, false)];
    let (claim, held) = &both(&claims(text, &rows, ""))[0];
    assert_eq!((claim.holds, *held), (Some(true), Some(true)));
}

#[test]
fn proofs_and_motions_agree() {
    for (text, rows) in TABLE {
        for ((claim, held), row) in both(&claims(text, rows, "")).into_iter().zip(*rows) {
            let what = row.claim;
            assert_eq!(held, Some(!row.drifts), "{what}: along the motion");
            assert_eq!(claim.between, row.between, "{what}: {:?}", claim.verdict);
            let proved = row.between.is_empty();
            assert_eq!(
                claim.verdict.is_proved(),
                proved,
                "{what}: {:?}",
                claim.verdict
            );
            assert_eq!(claim.holds, proved.then_some(true), "{what}");
        }
    }
}

/// Even powers too: `sign(0)^2` is 0, and 1 beside it.
#[test]
fn even_powers_of_a_sign_are_no_constants() {
    let rows = [
        "sign(x')^2",
        "sign(x')^4",
        "sign(x')*sign(x')",
        "abs(sign(x'))",
    ];
    let rows = rows.map(|claim| row(claim, &[], true));
    for (claim, held) in both(&claims(RELEASED, &rows, "")) {
        assert!(
            !claim.verdict.is_proved(),
            "{}: {:?}",
            claim.name,
            claim.verdict
        );
        assert_ne!(held, Some(true), "{}", claim.name);
    }
    let rows = [
        row("sign(x' + 2)^2", SMOOTH, false),
        row("x^2 + x'^2", SMOOTH, false),
    ];
    let found = both(&claims(RELEASED, &rows, ", where = \"x' > -1.9\""));
    assert!(found.iter().all(|(claim, _)| claim.holds == Some(true)));
}

/// Where signs are given, or follow, nothing is crossed.
#[test]
fn a_domain_excludes_jumps() {
    let rows = [
        row("sign(x)", SMOOTH, false),
        row("abs(x)/x", SMOOTH, false),
        row("atan(x) + atan(1/x)", SMOOTH, false),
        row("sign(x + sqrt(x^2 + 1))", SMOOTH, false),
        row("sign(x + 2)*y'", SMOOTH, false),
        row("atan2(y', x)*0 + y'", SMOOTH, false),
    ];
    for (claim, held) in both(&claims(FREE, &rows, ", where = \"x > 0.01\"")) {
        assert!(
            claim.verdict.is_proved(),
            "{}: {:?}",
            claim.name,
            claim.verdict
        );
        assert_eq!(
            (claim.holds, held),
            (Some(true), Some(true)),
            "{}",
            claim.name
        );
    }
    // Both signs of x are in this domain.
    for (claim, held) in both(&claims(FREE, &rows[..3], ", where = \"x^2 > 0.0001\"")) {
        assert_eq!((claim.holds, held), (None, Some(false)), "{}", claim.name);
        assert_eq!(claim.between.len(), 1, "{:?}", claim.between);
    }
}

/// A motion may leave the domain, change the value, and come back.
#[test]
fn a_constant_of_a_domain_changes_outside() {
    let rows = [row("y'", &["x > 0"], true)];
    let found = both(&claims(PUSHED, &rows, ", where = \"x > 0\""));
    let (claim, held) = &found[0];
    assert_eq!((claim.holds, *held), (None, Some(false)));
    assert_eq!(claim.between, ["x > 0"]);
    let why = serde_json::to_value(claim).expect("plain data");
    assert_eq!(why["verdict"], "undecided");
    assert_eq!(why["between"][0], "x > 0");
    let smooth = [row("x'^2 + x^2", SMOOTH, false)];
    let (claim, held) = &both(&claims(PUSHED, &smooth, ", where = \"x > 0\""))[0];
    assert_eq!((claim.holds, *held), (Some(true), Some(true)));
}

/// At a step of the potential the velocity jumps, though no force is seen on either side.
#[test]
fn steps_of_the_potential_are_jumps_of_velocities() {
    let text = OSCILLATOR.replace("x^2/2\"", "5*sign(x - 3)\"").replace(
        "[simulate]",
        "[claims]\nspeed = { constant = \"x'\" }\n[simulate]",
    );
    let model = model(&text);
    let p = prepare(&model);
    let proof = prove(&p);
    let speed = proof.claims.iter().find(|claim| claim.name == "speed");
    let speed = speed.expect("it is claimed");
    assert_eq!(
        (speed.holds, speed.between.as_slice()),
        (None, &["sign(x - 3)".to_owned()][..])
    );
}

/// A body that dry friction holds goes no further, and the words name what it sticks at.
#[test]
fn what_sticks_is_named_at_once() {
    for (start, speed) in [("x = 1", "x' = 0"), ("x = 0.1", "x' = 1")] {
        let text = OSCILLATOR
            .replace("[initial]", "[forces]\nx = \"-2*sign(x')\"\n[initial]")
            .replace("x = 1", start)
            .replace("x' = 0.1", speed);
        let model = model(&text);
        let run = motion(&prepare(&model), &RunOptions::default());
        assert!(
            run.outcome.contains("`x'` is 0 there but for rounding"),
            "{}",
            run.outcome
        );
        assert!(run.trajectory.steps < 1000, "{}", run.trajectory.steps);
    }
}

/// The motion of a particle of mass 1 that starts at 0 with this speed under a force.
fn pushed(force: &str, speed: f64, until: f64) -> (Run, [f64; 2]) {
    let text = format!(
        "coordinates = [\"x\"]\n[particles]\nP = {{ mass = 1, position = \"[x, 0, 0]\", force = \"{force}*N.x\" }}\n\
         [initial]\nstate = [\"x' = {speed}\"]\n[simulate]\nuntil = {until}\n"
    );
    let model = model(&text);
    let run = motion(&prepare(&model), &RunOptions::default());
    let last = [run.last_state()[0], run.last_state()[1]];
    (run, last)
}

/// A barrier of a centimetre and 2.5 J throws a particle of 0.5 J back, from far away too; and a blow of 0.02 s of a
/// triangle gives its impulse.
#[test]
fn narrow_forces_of_nested_corners_are_met() {
    let barrier = "-1e5*max(0, min(x - 5, 5.01 - x))";
    for (speed, until) in [(1.0, 10.0), (0.1, 100.0)] {
        let (run, [x, v]) = pushed(barrier, speed, until);
        assert!(
            (v + speed).abs() < 1e-6 && x < 5.0,
            "{x} {v}: {}",
            run.outcome
        );
    }
    let (_, [_, v]) = pushed(barrier, 3.0, 10.0);
    assert!((v - 2.0).abs() < 1e-6, "{v}");
    let (_, [_, v]) = pushed("max(0, 1 - abs(t - 500)*100)", 0.0, 1000.0);
    assert!((v - 0.01).abs() < 1e-8, "{v}");
}

/// `x'' = -sqrt(|x'|) sign(x')` rests from `t = 2` on: `x' = (1 - t/2)^2`, `x = 2/3`. The force is continuous, and nothing
/// else is said of it. Drag by the square of the speed has no corner.
#[test]
fn what_is_continuous_is_not_called_a_jump() {
    let (run, [x, _]) = pushed("-sqrt(abs(x'))*sign(x')", 1.0, 1.9);
    assert!(
        (x - (2.0 - 2.0 * 0.05f64.powi(3)) / 3.0).abs() < 1e-7,
        "{x}: {}",
        run.outcome
    );
    let (run, _) = pushed("-sqrt(abs(x'))*sign(x')", 1.0, 3.0);
    assert!(!run.outcome.contains("the force jumps"), "{}", run.outcome);
    let (run, [x, _]) = pushed("-abs(x')*x'", 1.0, 3.0);
    assert!((x - 4f64.ln()).abs() < 1e-8, "{x}: {}", run.outcome);
}

/// Forces with corners that a motion is drawn to and crosses slowly: there the quantity is rounded, and no short step tells
/// its sign. The numbers are those of SciPy's Radau with tolerances of 1e-10.
#[test]
fn motions_go_on_across_harmless_corners() {
    let slip = "coordinates = ['x', 'phi']\n[define]\ns = \"x' - 0.3*phi'\"\nF = '-784.8*s/(0.05 + abs(s))'\n[energy]\n\
                kinetic = \"50*x'^2 + 0.2*phi'^2\"\n[forces]\nx = 'F'\nphi = '-0.3*F + 50*cos(2*t)'\n[initial]\n\
                state = [\"x' = 5\", \"0.3*phi' = 5\"]\n";
    let falls = |force: &str| {
        format!(
            "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"{force}\"\n[initial]\n\
             state = ['x = 0', \"x' = 0.5\"]\n"
        )
    };
    let cases = [
        (
            slip.to_owned(),
            3.0,
            vec![15.0159653, 50.0472793, 4.7765461, 15.96224061],
        ),
        (
            falls("-1000*(x' - 0.5) - abs(x' - 0.5) + cos(t)"),
            6.0,
            vec![2.99971591, 0.50095893],
        ),
        (
            falls("3*tanh((0.5 - x')/1e-3)/(1 + 0.5*abs(0.5 - x')) - 4*x + 4*0.0887*cos(3*t)"),
            2.0,
            vec![],
        ),
    ];
    for (text, end, wanted) in cases {
        let model = model(&text);
        let run = motion(&prepare(&model), &until(end));
        assert_eq!(run.last_time(), end, "{text}{}", run.outcome);
        let found = &run.last_state()[..wanted.len()];
        close(&text, found, &wanted, 1e-7);
    }
}
