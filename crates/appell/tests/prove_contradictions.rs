//! Statements that a motion or a state of the model contradicts: never proved; and refutations that rest on
//! states without a motion: never given. What is true of each model follows from a line of algebra.

use crate::common::{claim, model, motion, prepare, proof};
use appell::prove::{Verdict, prove};
use appell::{ExitKind, RunOptions, check, conserved, run};

fn plane(potential: &str, more: &str) -> String {
    format!(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"{potential}\"\n{more}\n[simulate]\nuntil = 4\n"
    )
}

fn space(potential: &str, more: &str) -> String {
    format!(
        "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\npotential = \"{potential}\"\n{more}\n[simulate]\nuntil = 1\n"
    )
}

/// Constants that jump along the motion of the file: in forces, in energies behind `E`, at poles under
/// roots, and where what jumps cancels.
const JUMPING: &[(&str, &str, &str)] = &[
    ("abs(x)", "x = -1, x' = 0.5", "x''"),
    ("abs(x)", "x = -1, x' = 0.5", "x''^2 + x''"),
    ("x*sign(y)", "x = 0.5, y = -1, x' = 0.2, y' = 1", "E"),
    ("x*sign(y)", "x = 0.5, y = -1, x' = 0.2, y' = 1", "T + V"),
    (
        "x*sign(y)",
        "x = 0.5, y = -1, x' = 0.2, y' = 1",
        "E^2 + 3*E",
    ),
    ("sign(x)", "x = -1, x' = 3", "E"),
    ("atan(tan(x))", "x = -1, x' = 3", "E"),
    ("atan(x) + atan(1/x)", "x = -1, x' = 1", "T + V"),
    ("atan(x) + atan(1/x)", "x = -1, x' = 1", "E"),
    ("sqrt(x^2)/x", "x = -1, x' = 1", "T + V"),
    ("y*sqrt(x^2)/x", "x = -1, x' = 0.9, y = 0.3", "T + V"),
    ("y*abs(x)/x", "x = -1, x' = 0.9, y = 0.3", "T + V"),
    ("0", "x = -1, x' = 1", "sqrt(1 + 1/x^2)*x/sqrt(1 + x^2)"),
    ("0", "x = -1, x' = 1", "sqrt(1/x^2)*x"),
    ("0", "x = -1, x' = 1", "sqrt(1 + x^2)/(x*sqrt(1 + 1/x^2))"),
    ("0", "x = -1, x' = 1", "sqrt(1 + tan(x)^2)*cos(x)"),
    ("0", "x = -1, x' = 1", "sqrt(1 + 1/sinh(x)^2)*tanh(x)"),
];

#[test]
fn what_jumps_along_the_motion_is_not_proved_constant() {
    for (potential, start, constant) in JUMPING {
        let rows: Vec<String> = start.split(", ").map(|row| format!("\"{row}\"")).collect();
        let more = format!(
            "[initial]\nstate = [{}]\n[claims]\na = {{ constant = \"{constant}\" }}",
            rows.join(", ")
        );
        let model = model(&plane(potential, &more));
        let p = prepare(&model);
        let moved = motion(&p, &RunOptions::default());
        // Where the potential is seen to jump the motion ends.
        let passes = moved.exit == ExitKind::Done || moved.outcome.contains("does not balance");
        assert!(
            !passes || moved.claims[0].holds == Some(false),
            "{constant} with {potential}"
        );
        let proof = prove(&p);
        let claim = &proof.claims[0];
        assert_eq!(
            claim.holds, None,
            "{constant} with {potential}: {:?}",
            claim.verdict
        );
        assert!(!claim.between.is_empty(), "{constant} with {potential}");
    }
}

/// No motion of Kepler's problem passes the centre, where its force is infinite.
#[test]
fn poles_of_the_forces_are_still_no_jumps() {
    let more = "[initial]\nstate = [\"x = 1\", \"y' = 1.1\"]\n[claims]\ne = { constant = \"E\" }\nt = { constant = \"T + V\" }\na = { constant = \"y'*(x*y' - y*x') - x/sqrt(x^2 + y^2)\" }";
    let found = proof(&plane("-1/sqrt(x^2 + y^2)", more));
    for claim in &found.claims {
        assert_eq!(
            claim.holds,
            Some(true),
            "{}: {:?}",
            claim.name,
            claim.verdict
        );
    }
}

#[test]
fn integrals_say_between_which_jumps_they_are_constant() {
    let more =
        "[forces]\nx = \"sign(y)\"\n[initial]\nstate = [\"y = -1\", \"x' = 0.2\", \"y' = 1\"]";
    let model = model(&plane("0", more));
    let found = conserved(&prepare(&model), None);
    for integral in &found.integrals {
        // y*sign(y) is continuous.
        let jumps = integral.expression.contains("x*sign(y)");
        assert_eq!(
            integral.kind.contains("between jumps of sign(y)"),
            jumps,
            "{integral:?}"
        );
    }
}

/// `v = psi` gives one of two sheets, and the start lies on the other one.
#[test]
fn what_psi_reaches_says_nothing_of_a_start_elsewhere() {
    let two = "[constraints]\nr = \"(x' - y')*(x' - 2*y') = 0\"\n[motion]\nvariables = [\"u\"]\nequations = [\"x' = u\", \"y' = u\"]\n[initial]\nstate = [\"x' = 2\", \"y' = 1\"]\n[claims]\na = { constant = \"y - x\" }\nb = { equation = \"x'' = -1/2\" }\nc = { equation = \"x' = y'\" }\nd = { constant = \"T + V\" }";
    let found = proof(&plane("x", two));
    for name in ["a", "b", "c"] {
        assert!(claim(&found, name).verdict.is_refuted(), "{name}");
    }
    assert_eq!(claim(&found, "d").holds, Some(true));
    let cone = "[constraints]\nr = \"z'^2 = x'^2 + y'^2\"\n[motion]\nvariables = [\"u\", \"w\"]\nequations = [\"x' = u\", \"y' = w\", \"z' = sqrt(u^2 + w^2)\"]\n[initial]\nstate = [\"x' = 3\", \"y' = 4\", \"z' = -5\"]\n[claims]\na = { equation = \"z' = abs(z')\" }";
    let found = proof(&space("z", cone));
    assert!(claim(&found, "a").verdict.is_refuted());
    let standing = found.identities.iter().map(|identity| &identity.verdict);
    assert!(!standing.into_iter().any(Verdict::is_refuted));
}

/// Voronec's form with `y' = 0` solved for says nothing of the sheet `x' = 0`.
#[test]
fn a_form_is_not_refuted_where_its_velocities_are_no_chart() {
    let product = "[constraints]\nr = \"x'*y' = 0\"\n[initial]\nstate = [\"x' = 1\", \"y' = 0\"]";
    let twisted = "[constraints]\nr = \"x'*y' = y*z'*y'\"";
    for text in [plane("x + y", product), space("0", twisted)] {
        let found = proof(&text);
        assert!(!found.is_refuted(), "{:?}", found.equivalence);
        assert!(
            found
                .equivalence
                .iter()
                .any(|pair| pair.verdict.is_proved())
        );
    }
}

/// `x'^3 = y'^3` is the line `x' = y'`; at rest `A` vanishes and the cube says nothing.
#[test]
fn states_where_rows_lose_rank_refute_no_accelerations() {
    let cubes = "[constraints]\nr = \"x'^3 = y'^3\"\n[initial]\nstate = [\"x' = 1\", \"y' = 1\"]\n[claims]\na = { equation = \"x'' = y''\" }\nb = { constant = \"x' - y'\" }\nc = { equation = \"x'' = -1/2\" }\nd = { equation = \"x'' = 1\" }";
    let found = proof(&space("x", cubes));
    for name in ["a", "b", "c"] {
        assert_eq!(claim(&found, name).holds, Some(true), "{name}");
    }
    assert!(claim(&found, "d").verdict.is_refuted());
    let square = "[constraints]\nr = \"(x' - y*z')^2 = 0\"\n[initial]\nstate = [\"z' = 1\", \"y' = 1\"]\n[claims]\na = { equation = \"x' = y*z'\" }\nb = { equation = \"x'' = y*z'' + y'*z'\" }";
    let found = proof(&space("0", square));
    assert_eq!(claim(&found, "a").holds, Some(true));
    assert_eq!(claim(&found, "b").holds, None);
}

/// `x' = y' + z` and `x' = y'` say `z = 0`, so that `z' = 0` along every motion.
#[test]
fn states_without_a_motion_refute_nothing() {
    let rows = "[constraints]\nr = \"x' = y' + z\"\ns = \"x' = y'\"\n[initial]\nstate = [\"z = 0\", \"x' = 1\"]\n[claims]\na = { constant = \"z\" }\nb = { equation = \"z' = 0\" }";
    let found = proof(&space("0", rows));
    for claim in &found.claims {
        assert!(
            !claim.verdict.is_refuted(),
            "{}: {:?}",
            claim.name,
            claim.verdict
        );
    }
}

/// `A M^-1 A^T = 0`: every acceleration along `x'' = y''` satisfies the equations.
#[test]
fn accelerations_that_nothing_determines_are_not_proved() {
    let text = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 - y'^2)/2\"\n[constraints]\nr = \"x' = y'\"\n[initial]\nstate = [\"x' = 1\"]\n[claims]\na = { equation = \"x'' = 0\" }\nb = { equation = \"x' = y'\" }";
    let found = proof(text);
    assert_eq!(claim(&found, "a").holds, None);
    assert_eq!(claim(&found, "b").holds, Some(true));
}

/// `alphabar = 0` and `alpha = sign(y')`: a sign vanishes at rest and has no slope.
#[test]
fn standing_identities_hold_for_rows_with_signs() {
    for row in ["x' = sign(y')", "x' = 2*sign(y') + y'"] {
        let more = format!("[constraints]\nr = \"{row}\"\n[initial]\nstate = [\"y' = -1\"]");
        let found = proof(&plane("y", &more));
        for identity in &found.identities {
            assert!(!identity.verdict.is_refuted(), "{row}: {identity:?}");
        }
    }
}

#[test]
fn equations_with_signs_name_where_these_vanish() {
    let more = "[initial]\nstate = [\"x = 1\", \"y = 2\", \"x' = 1\"]\n[claims]\na = { equation = \"sign(x - y)^2 = 1\" }\nb = { equation = \"abs(sign(x)) = 1\" }\nc = { equation = \"x*sign(x) = abs(x)\" }\nd = { equation = \"sign(x)^3 = sign(x)\" }\ne = { equation = \"sign(1 + x^2) = 1\" }";
    let found = proof(&plane("0", more));
    let holds: Vec<Option<bool>> = found.claims.iter().map(|claim| claim.holds).collect();
    assert_eq!(holds, [None, None, Some(true), Some(true), Some(true)]);
    let row = "[constraints]\nr = \"x' = sign(y')\"\n[initial]\nstate = [\"y' = -1\"]\n[claims]\na = { equation = \"x'^2 = 1\" }\nb = { equation = \"x'^3 = x'\" }";
    let found = proof(&plane("0", row));
    let holds: Vec<Option<bool>> = found.claims.iter().map(|claim| claim.holds).collect();
    assert_eq!(holds, [None, Some(true)]);
}

/// A row that its parameter takes away leaves a free particle.
#[test]
fn a_void_row_stops_no_motion() {
    let more = "[parameters]\na = 0\n[constraints]\nr = \"a*x' = a*y'\"\n[initial]\nstate = [\"x' = 1\", \"y' = -1\"]";
    let model = model(&plane("0", more));
    let p = prepare(&model);
    let found = run(&p, &RunOptions::default(), &mut Default::default()).expect("it moves");
    let last = found.trajectory.samples.last().expect("samples");
    assert!((last.t - 4.0).abs() < 1e-12, "{}", last.t);
    assert!((last.y[0] - 4.0).abs() < 1e-9 && (last.y[1] + 4.0).abs() < 1e-9);
}

/// One strictly monotone function of two velocities: the plane where these are equal.
#[test]
fn monotone_rows_are_planes() {
    for f in [
        "u + sinh(u)",
        "u + exp(u)",
        "u + u^3",
        "u^5 + u^3",
        "2*u + sin(u)",
        "u + atan(u)",
        "u + tanh(u)",
        "u*exp(u^2)",
    ] {
        let (left, right) = (f.replace('u', "x'"), f.replace('u', "y'"));
        let more = format!(
            "[constraints]\nr = \"{left} = {right}\"\n[initial]\nstate = [\"x' = 1\", \"y' = 1\"]"
        );
        let model = model(&plane("0", &more));
        let class = check(&prepare(&model), None).0.constraints.remove(0);
        assert!(class.words.contains(&"holonomic"), "{f}: {:?}", class.words);
        assert!(class.words.contains(&"contrived"), "{f}: {:?}", class.words);
    }
}

/// Where a row has no derivative no motion has the velocities that the row then allows: `(x^2)' = 0` leaves `x` alone
/// whatever its value, and `t x' = 0` leaves `x` alone at `t = 0` as well.
#[test]
fn states_that_no_motion_passes_refute_nothing() {
    for (row, start, claims) in [
        (
            "x*x' = 0",
            "\"y = 1\", \"y' = 1\"",
            &["constant = \"x\""][..],
        ),
        (
            "sin(x)*x' = 0",
            "\"y' = 1\"",
            &["constant = \"x\"", "constant = \"cos(x)\""],
        ),
        (
            "t*x' = 0",
            "\"y' = 1\"",
            &["constant = \"x\"", "equation = \"x' = 0\""],
        ),
        (
            "sin(t)*(x' - y) = 0",
            "\"y' = 1\"",
            &["equation = \"x' = y\""],
        ),
        (
            "y*y' = 0",
            "\"x' = 1\"",
            &["constant = \"y\"", "equation = \"y'' = 0\""],
        ),
        (
            "x*y*z = 0",
            "\"z = 1\"",
            &["equation = \"x'*y'*z = 0\"", "equation = \"x'*y'*z' = 0\""],
        ),
    ] {
        let claims = claims.iter().enumerate();
        let claims: Vec<String> = claims
            .map(|(i, claim)| format!("c{i} = {{ {claim} }}"))
            .collect();
        let more = format!(
            "[constraints]\nr = \"{row}\"\n[initial]\nstate = [{start}]\n[claims]\n{}\nwrong = {{ constant = \"x + y\" }}",
            claims.join("\n")
        );
        let found = proof(&space("-x - 2*y - z", &more));
        for claim in &found.claims {
            let refuted = matches!(claim.verdict, Verdict::Refuted { .. });
            assert_eq!(
                refuted,
                claim.name == "wrong",
                "{row}, {}: {:?}",
                claim.name,
                claim.verdict
            );
        }
    }
}
