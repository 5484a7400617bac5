//! Verdicts that would be false: of rows whose real states are all singular, of rows without a real point, of constants
//! that no digits tell from 0, of holonomic rows that touch. What is true of each follows from a line of algebra.

use crate::common::{claim, model, prepare, proof};
use appell::prove::{Proof, Verdict, prove};
use appell::{Control, ExitKind, RunOptions, Status, check, run};

fn space(rows: &str, state: &str, claims: &str) -> String {
    format!(
        "coordinates = [\"x\", \"y\", \"z\"]\n[parameters]\ng = 1\n[energy]\n\
         kinetic = \"(x'^2 + y'^2 + z'^2)/2\"\npotential = \"g*z\"\n[constraints]\n{rows}\n\
         [initial]\nstate = [{state}]\n[simulate]\nuntil = 1\n[claims]\n{claims}\n"
    )
}

fn is_open(proof: &Proof, name: &str) -> bool {
    matches!(claim(proof, name).verdict, Verdict::Undecided { .. })
}

/// Sums of squares over the real numbers, all of whose states are singular: the equations of motion are not those of
/// the linear rows that say the same, so that neither `z'' = -g` nor its opposite is said. What the rows say
/// of states stays proved.
#[test]
fn sums_of_squares_say_nothing_of_accelerations() {
    for (row, state, known) in [
        (
            "x'^2 + y'^2 + z'^2 = 2*x'*y' + 2*z'*x' - x'^2",
            "\"x = 0.1\", \"y = 0.2\", \"y' = 0.5\"",
            "x' = z'",
        ),
        (
            "(x' - y')^2 + (z' - x'*y)^2 = 0",
            "\"x = 0.1\", \"y = 0.2\", \"x' = 0.5\"",
            "z' = y*x'",
        ),
        (
            "exp((x' - y*z')^2) = 1",
            "\"y = 0.2\", \"z' = 0.5\"",
            "x' = y*z'",
        ),
        (
            "x'^2 + y'^2 + z'^2 - x'*y' - y'*z' - z'*x' = 0",
            "\"x' = 0.5\", \"y' = 0.5\"",
            "x' = y'",
        ),
        (
            "(x' - y')^2 + (z' - x'*y)^2 + (x - y)^2 = 0",
            "\"x = 0.2\", \"y = 0.2\", \"x' = 0.5\", \"y' = 0.5\"",
            "x = y",
        ),
    ] {
        let claims = format!(
            "a = {{ equation = \"z'' = -g\" }}\nb = {{ equation = \"x'' = 0\" }}\n\
             c = {{ equation = \"x'' = -y*(g + x'^2)/(2 + y^2)\" }}\n\
             d = {{ equation = \"multiplier(r) = 0\" }}\nknown = {{ equation = \"{known}\" }}"
        );
        let found = proof(&space(&format!("r = \"{row}\""), state, &claims));
        for name in ["a", "b", "c", "d"] {
            let judged = claim(&found, name);
            assert!(is_open(&found, name), "{row}: {name}: {:?}", judged.verdict);
        }
        assert!(claim(&found, "known").verdict.is_proved(), "{row}: {known}");
        let identities = found.identities.iter().map(|identity| &identity.verdict);
        let all = identities.chain(found.equivalence.iter().map(|form| &form.verdict));
        let undecided = |verdict: &Verdict| matches!(verdict, Verdict::Undecided { .. });
        assert!(all.into_iter().all(undecided), "{row}");
    }
}

const CLASSES: &str = "h = { class = [\"holonomic\"] }\nn = { class = [\"nonholonomic\"] }\n\
                       i = { class = [\"inherent\"] }\nk = { equation = \"x' = y'\" }";

/// One factor is positive, by means of its terms: what is left is the plane.
#[test]
fn factors_that_are_positive_say_nothing() {
    for factor in [
        "x'^2 + y'^2*z'^2 - x'*y'*z' + 1",
        "x'^4 + y'^4 - x'*y' + 1",
        "x'^4*y'^4 - x'*y' + 1",
        "x'^6 + y'^6 + z'^6 - 3*x'^2*y'^2*z'^2 + 1",
        "x'^4*y'^2 + x'^2*y'^4 + 1.1 - 3*x'^2*y'^2 + z'^2",
    ] {
        let row = format!("r = \"(x' - y')*({factor}) = 0\"");
        let found = proof(&space(&row, "\"x' = 0.4\", \"y' = 0.4\"", CLASSES));
        assert!(claim(&found, "h").verdict.is_proved(), "{factor}");
        assert!(claim(&found, "n").verdict.is_refuted(), "{factor}");
        assert!(claim(&found, "k").verdict.is_proved(), "{factor}");
    }
}

/// A factor that is positive, which nothing here tells: without a real point of it, nothing is said of the row. Robinson's
/// form and a small number is positive and no sum of squares.
#[test]
fn rows_without_a_known_real_point_have_no_class() {
    let robinson = "x'^6 + y'^6 + z'^6 + 3*x'^2*y'^2*z'^2 - x'^4*(y'^2 + z'^2) - y'^4*(x'^2 + z'^2) \
                    - z'^4*(x'^2 + y'^2) + 0.01";
    let row = format!("r = \"(x' - y')*({robinson}) = 0\"");
    let text = space(&row, "\"x' = 0.4\", \"y' = 0.4\"", CLASSES);
    let found = proof(&text);
    // The start lies on the plane alone.
    assert!(claim(&found, "h").verdict.is_proved() && claim(&found, "n").verdict.is_refuted());
    let verdict = &claim(&found, "i").verdict;
    assert!(is_open(&found, "i"), "{verdict:?}");
    let model = model(&text);
    let (checked, _) = check(&prepare(&model), None);
    let open = &checked.constraints[0].open["contrived"];
    assert!(
        !open.contains("curved where") || open.contains("no real point"),
        "{open}"
    );
}

/// A factor with real points is still what it is.
#[test]
fn rows_with_a_real_point_keep_their_class() {
    for (row, [x, y]) in [
        ("(x' - y')*(x'^2 + y'^2 - 1) = 0", [0.6, 0.8]),
        ("x'^2 + y'^2 = z'^2", [0.6, 0.6]),
        ("x'^4 + y'^4 = 1 + x'*z'", [0.6, 0.6]),
        ("(x' - y')*(x'^4 + y'^4 - 3*x'*y' + 0.4375) = 0", [1.0, 0.5]),
    ] {
        let state = &format!("\"x' = {x}\", \"y' = {y}\"");
        let found = proof(&space(&format!("r = \"{row}\""), state, CLASSES));
        let verdict = &claim(&found, "n").verdict;
        assert!(verdict.is_proved(), "{row}: {verdict:?}");
    }
}

/// Constants that are 0, whatever number of digits is looked at: no class may take them for others, and none
/// refutes what is true. A constant that is not 0 keeps its class.
#[test]
fn constants_that_are_zero_make_no_class() {
    let claims = "a = { class = [\"affine\"] }\nl = { class = [\"linear\"] }\nh = { class = [\"holonomic\"] }";
    for (constant, zero) in [
        ("16*atan(1/5) - 4*atan(1/239) - pi", true),
        ("atan2(1,2) + atan2(1,3) - pi/4", true),
        ("asin(sin(2)) - pi + 2", true),
        ("16*atan(1/5) - 4*atan(1/239) - 22/7", false),
    ] {
        for row in [
            format!("x' + ({constant})*x = z'"),
            format!("x' + ({constant})*y*y' = z'"),
            format!("x' + (1 + ({constant})*y^2)*y' = z'"),
        ] {
            let found = proof(&space(
                &format!("r = \"{row}\""),
                "\"y = 0.3\", \"z' = 0.3\"",
                claims,
            ));
            for name in ["a", "l", "h"] {
                let verdict = &claim(&found, name).verdict;
                // What is decided is decided rightly: with the constant 0 it is linear and holonomic.
                let right = match name {
                    "a" => !verdict.is_proved(),
                    _ => !verdict.is_refuted(),
                };
                assert!(right || !zero, "{row}: {name}: {verdict:?}");
                assert!(
                    zero || !matches!(verdict, Verdict::Undecided { .. }),
                    "{row}: {name}: {verdict:?}"
                );
            }
        }
    }
}

/// A half of a plane is no linear set: what says the same as a linear row where it has a value is a cone.
#[test]
fn rows_without_a_value_at_rest_are_linear_on_their_domain_only() {
    for row in ["exp(log(x')) = y*z'", "x'^y = x'^y*z'/z' + x' - z'"] {
        let claims = "a = { class = [\"affine\"] }\nl = { class = [\"linear\"] }\nc = { class = [\"cone\"] }";
        let state = "\"y = 0.3\", \"z' = 0.3\"";
        let found = proof(&space(&format!("r = \"{row}\""), state, claims));
        for name in ["l", "a"] {
            let verdict = format!("{:?}", claim(&found, name).verdict);
            assert!(is_open(&found, name), "{row}: {verdict}");
            assert!(
                verdict.contains("says the same as a linear row where x' > 0"),
                "{row}: {verdict}"
            );
        }
        assert!(claim(&found, "c").verdict.is_proved(), "{row}");
    }
}

/// Curves and surfaces that touch: one point is left of the plane, a line or a point of the space. The derivatives
/// of the rows say less, so that nothing is refuted or proved by them.
#[test]
fn holonomic_rows_that_touch_leave_nothing_to_their_derivatives() {
    for (rows, state) in [
        ("r = \"x^2 + y^2 = 1\"\ns = \"x = 1\"", "\"x = 1\""),
        (
            "r = \"x^2 + y^2 = 1\"\ns = \"(x - 2)^2 + y^2 = 1\"",
            "\"x = 1\"",
        ),
        ("r = \"y = 0\"\ns = \"y = x^2\"", "\"x = 0\""),
        ("r = \"y = 0\"\ns = \"y = x^3\"", "\"x = 0\""),
        ("r = \"y = 0\"\ns = \"y = x^9\"", "\"x = 0\""),
    ] {
        let claims = "a = { equation = \"y' = 0\" }\nb = { equation = \"x' = 0\" }\n\
                      c = { equation = \"x'' = 0\" }\nd = { equation = \"z'' = -g\" }\ne = { equation = \"y = 0\" }";
        let text = space(rows, state, claims);
        let found = proof(&text);
        for name in ["a", "b", "e"] {
            let verdict = &claim(&found, name).verdict;
            assert!(!verdict.is_refuted(), "{rows}: {name}: {verdict:?}");
        }
        for name in ["c", "d"] {
            let verdict = &claim(&found, name).verdict;
            assert!(is_open(&found, name), "{rows}: {name}: {verdict:?}");
        }
        let model = model(&text);
        let (checked, _) = check(&prepare(&model), None);
        assert_eq!(checked.dof, 1, "{rows}");
    }
}

/// Two spheres that touch have one real point in common, and lines over the complex numbers.
#[test]
fn surfaces_that_touch_refute_no_velocity() {
    let rows = "r = \"x^2 + y^2 + z^2 = 1\"\ns = \"(x - 2)^2 + y^2 + z^2 = 1\"";
    let claims = "a = { equation = \"y' = 0\" }\nb = { equation = \"z' = 0\" }\nc = { equation = \"z'' = -g\" }";
    let found = proof(&space(rows, "\"x = 1\"", claims));
    for name in ["a", "b", "c"] {
        assert!(
            is_open(&found, name),
            "{name}: {:?}",
            claim(&found, name).verdict
        );
    }
}

/// Rows that follow from others are redundant, and touch nothing: their accelerations are known.
#[test]
fn redundant_holonomic_rows_touch_nothing() {
    for rows in [
        "r = \"x^2 + y^2 = 1\"\ns = \"2*x^2 + 2*y^2 = 2\"",
        "r = \"x = 1\"\ns = \"x^2 = x\"",
        "r = \"x = y\"\ns = \"sin(x) = sin(y)\"",
    ] {
        let claims = "a = { equation = \"z'' = -g\" }";
        let found = proof(&space(rows, "\"x = 1\"", claims));
        assert!(
            claim(&found, "a").verdict.is_proved(),
            "{rows}: {:?}",
            claim(&found, "a").verdict
        );
    }
}

/// Without masses nothing determines accelerations, and no identity on them is refuted.
#[test]
fn motions_without_masses_are_not_refuted() {
    let text = "coordinates = [\"x\", \"y\"]\n[energy]\n\
                lagrangian = \"x*y' - y*x' - (x^2 + y^2)/2\"\n[initial]\nstate = [\"x = 1\"]\n[simulate]\nuntil = 1\n";
    let found = proof(text);
    assert!(!found.is_refuted(), "{:?}", found.identities);
}

/// Nothing crosses the speed of light, where the masses have no value: the energy of a free relativistic particle jumps
/// nowhere. The same function beside other masses jumps.
#[test]
fn relativistic_energies_are_constant() {
    for c in ["2", "299792458", "1e-5"] {
        let text = format!(
            "coordinates = [\"x\", \"y\"]\n[parameters]\nc = {c}\n[energy]\n\
             lagrangian = \"-c^2*sqrt(1 - (x'^2 + y'^2)/c^2)\"\n[initial]\nstate = [\"x = 1\", \"x' = 4e-6\"]\n\
             [simulate]\nuntil = 1\n[claims]\nE = {{ constant = \"E\" }}\n\
             q = {{ constant = \"1/sqrt(1 - (x'^2 + y'^2)/c^2)\" }}\n"
        );
        let found = proof(&text);
        for name in ["E", "q"] {
            let verdict = &claim(&found, name).verdict;
            assert!(verdict.is_proved(), "c = {c}: {verdict:?}");
        }
    }
}

/// A set on which no state satisfies the rows is no singular one.
#[test]
fn singular_sets_meet_the_constraints() {
    for rows in [
        "r = \"sqrt(x'^2 + y'^2 + z'^2) = 2\"",
        "r = \"x*z' - z*x' = 1\"\ns = \"x^2 + z^2 = 1\"",
    ] {
        let model = model(&space(rows, "\"x = 0.6\", \"z = 0.8\"", ""));
        let (checked, _) = check(&prepare(&model), None);
        assert_eq!(checked.singular, Some(Vec::new()), "{rows}");
    }
    let row = "r = { equation = \"x' = t\", reaction = { y = \"1\" } }";
    let model = model(&space(row, "\"x = 0\"", ""));
    let (checked, _) = check(&prepare(&model), None);
    assert_eq!(checked.singular, Some(vec!["everywhere".to_owned()]));
}

/// The start lies on one sheet of the first row, which says the second one too: that has no sheet of its own.
#[test]
fn rows_follow_from_the_sheet_of_the_start() {
    for (rows, state) in [
        (
            "r = \"x'*y' = 0\"\ns = \"x'*z' = 0\"",
            "\"y' = 1\", \"x' = 0\"",
        ),
        (
            "r = \"x'*(y' - z) = 0\"\ns = \"x'*(z' - 1) = 0\"",
            "\"z = 0.5\", \"x' = 0\", \"y' = 1\", \"z' = 1\"",
        ),
    ] {
        let model = model(&space(rows, state, ""));
        let (checked, _) = check(&prepare(&model), None);
        assert_eq!(checked.dof, 2, "{rows}");
        let said = checked
            .constraints
            .iter()
            .map(|class| class.equivalent_linear.clone());
        let plane = Some(vec!["x' = 0".to_owned()]);
        assert_eq!(said.collect::<Vec<_>>(), [plane.clone(), plane], "{rows}");
    }
}

/// The rate of an acceleration is not 0: `x'' = -x` is no constant, `x'' + x` is, whatever names the acceleration.
#[test]
fn accelerations_are_constant_only_where_their_rates_vanish() {
    let free = |claims: &str| {
        format!(
            "coordinates = ['x', 'y']\n[particles]\nP = {{ mass = 2, position = '[x, y, 0]' }}\n[energy]\n\
             potential = 'x^2 + y^2'\n[initial]\nstate = ['x = 1']\n[simulate]\nuntil = 3\n[claims]\n{claims}"
        )
    };
    let cases = [
        (free("c = { constant = \"x''\" }"), false),
        (free("c = { constant = \"x'' + x\" }"), true),
        (free("c = { constant = \"dot(a(P), N.x) + x\" }"), true),
        (free("c = { constant = \"dot(a(P), N.x)\" }"), false),
        (free("c = { constant = \"(T + V)'\" }"), true),
        (free("c = { constant = \"T'\" }"), false),
        (free("c = { constant = \"x*y'' - y*x''\" }"), true),
    ];
    // On a circle x x'' + y y'' + 2 T = 0; the rows are redundant, and one of them holds on the circle only.
    let circle = |claims: &str| {
        format!(
            "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = 'x^2/2'\n[constraints]\n\
             c = 'x^2 + y^2 = 1'\nd = \"x*x' = (x^2 + y^2 - 1 - y)*y'\"\n[initial]\nstate = ['x = 0.6', 'y = 0.8']\n\
             [simulate]\nuntil = 3\n[claims]\n{claims}"
        )
    };
    let on_circle = [
        (circle("c = { constant = \"x*x'' + y*y'' + 2*T\" }"), true),
        (circle("c = { constant = \"x*x'' + y*y''\" }"), false),
    ];
    for (text, holds) in cases.into_iter().chain(on_circle) {
        let found = proof(&text);
        let verdict = &claim(&found, "c").verdict;
        assert_eq!(
            (verdict.is_proved(), verdict.is_refuted()),
            (holds, !holds),
            "{text}\n{verdict:?}"
        );
    }
}

/// `z'^2 = x'^2 + y'^2` follows from the circle and `z' = x y' - y x'`, and leaves the one freedom that they leave.
#[test]
fn a_square_that_follows_from_other_rows_takes_no_freedom() {
    let text = space(
        "h = \"x^2 + y^2 = 1\"\nn = \"z' = x*y' - y*x'\"\nn2 = \"z'^2 = x'^2 + y'^2\"",
        "\"x = 0.6\", \"y = 0.8\", \"z' = 0.5\"",
        "c = { class = [\"redundant\"] }\nzz = { equation = \"z'' = -g/2\" }",
    );
    let model = model(&text);
    let (found, _) = check(&prepare(&model), None);
    assert_eq!(found.dof, 1);
    assert_eq!(found.constraints[2].equivalent_linear, None);
    let proof = prove(&prepare(&model));
    for name in ["c", "zz"] {
        assert!(claim(&proof, name).verdict.is_proved(), "{name}");
    }
}

/// On the cylinder the second row is 0 = 0, whatever `z'` is, and rounding makes a row of it.
#[test]
fn a_row_that_vanishes_where_the_others_hold_does_not_stop_the_motion() {
    let cylinder = "h = \"x^2 + y^2 = 1\"\n";
    let state = "\"x = 0.6\", \"y = 0.8\", \"x' = -0.8\", \"y' = 0.6\", \"z' = 0.5\"";
    let claims = "fall = { equation = \"z = 0.5*t - g*t^2/2\" }\nz = { equation = \"z'' = -g\" }";
    let rows = format!("{cylinder}n = \"(x^2 + y^2 - 1)*z'^2 + x*x' + y*y' = 0\"");
    let run_of = |rows: &str| {
        let model = model(&space(rows, state, claims));
        run(
            &prepare(&model),
            &RunOptions::default(),
            &mut Control::default(),
        )
    };
    let run = run_of(&rows).expect("it runs");
    for claim in &run.claims {
        assert!(
            claim.holds == Some(true),
            "{} {:?}",
            claim.name,
            claim.drift
        );
    }
    let silent = run_of(&format!("{cylinder}n = \"(x^2 + y^2 - 1)*z' = 0\"")).expect("words");
    assert_eq!(silent.exit, ExitKind::NumericalFailure);
    assert!(
        silent.outcome.contains("leave it out (--drop n)"),
        "{}",
        silent.outcome
    );
}

/// Two rows that say the same beside a reaction with a direction of its own: which of them to leave out is told.
#[test]
fn dependent_rows_beside_a_given_reaction_are_refused_with_a_remedy() {
    let text = space(
        "a = \"x' = y'\"\nb = \"2*x' = 2*y'\"\nc = { equation = \"z' = sin(t)\", reaction = { z = \"1\", x = \"1/10\" } }",
        "\"x = 0\"",
        "",
    );
    let run_of = |text: &str| {
        let model = model(text);
        run(
            &prepare(&model),
            &RunOptions::default(),
            &mut Control::default(),
        )
        .expect("words")
    };
    let refused = run_of(&text);
    assert_eq!(refused.exit, ExitKind::NumericalFailure);
    assert!(refused.outcome.contains("--drop b"), "{}", refused.outcome);
    let without = text.replace("b = \"2*x' = 2*y'\"\n", "");
    assert_eq!(run_of(&without).exit, ExitKind::Done);
}

/// States with `x = 0` and `y` not 0 are regular: the rows are `y y' = 0` and `y z' = 0` there. Only where `y = 0` are
/// they dependent.
#[test]
fn a_larger_set_than_the_singular_one_is_not_singular() {
    let text = space(
        "c = \"x*x' + y*y' + x*y*z' = 0\"\nd = \"y*z' = x*x'\"",
        "\"x = 1\", \"y = 1\", \"y' = 1\"",
        "both = { singular_at = [\"x = 0\", \"y = 0\"] }\none = { singular_at = [\"x = 0\"] }\n\
         other = { singular_at = [\"y = 0\"] }",
    );
    let given = model(&text);
    let found = run(
        &prepare(&given),
        &RunOptions::default(),
        &mut Control::default(),
    );
    let holds = found.expect("a motion").claims.into_iter().map(|c| c.holds);
    let wanted = [Some(true), Some(false), Some(true)];
    assert_eq!(holds.collect::<Vec<_>>(), wanted);
    let proof = proof(&text);
    assert!(matches!(
        claim(&proof, "one").verdict,
        Verdict::Refuted { .. }
    ));
    assert!(claim(&proof, "other").verdict.is_proved());
}

/// At the vertex of the cone the row has no derivative, so that it is singular although no minor vanishes there.
#[test]
fn the_vertex_of_a_cone_is_singular() {
    let singular = |rows: &str, state: &str| {
        let model = model(&space(rows, state, ""));
        check(&prepare(&model), None).0.singular
    };
    let cone = "c = \"z' = sqrt(x'^2 + y'^2)\"";
    let vertex = vec!["x' = 0, y' = 0".to_owned()];
    assert_eq!(singular(cone, "\"x' = 1\""), Some(vertex));
    // A distance that cannot vanish on the constraint, and one that has no zero at all.
    let apart = "c = \"sqrt(x^2 + y^2 + z^2) = 2\"";
    assert_eq!(singular(apart, "\"x = 2\""), Some(vec![]));
    let smooth = "c = \"z' = sqrt(1 + x'^2)\"";
    assert_eq!(singular(smooth, "\"x' = 1\""), Some(vec![]));
    // Where the row itself has a pole there is no state.
    let pole = "c = \"z' = 1/x'\"";
    assert_eq!(singular(pole, "\"x' = 1\""), Some(vec![]));
}

/// A row on accelerations leaves all velocities free: no velocity is a function of others, and `E*` is not defined.
#[test]
fn rows_on_accelerations_have_no_dependent_velocities() {
    let text = space("s = \"x'*x'' + y'*y'' = 1\"", "\"x' = 1\", \"y' = 1\"", "");
    let given = model(&text);
    let found = run(
        &prepare(&given),
        &RunOptions::default(),
        &mut Control::default(),
    );
    assert_eq!(found.expect("a motion").ledger.energy_star, None);
    let identities = prove(&prepare(&given)).identities;
    let of_star = identities
        .iter()
        .filter(|identity| identity.name.contains("E*") || identity.name.contains("alphabar"));
    for identity in of_star {
        assert!(!identity.verdict.is_proved(), "{}", identity.name);
    }
}

/// Where a constraint jumps the velocities have to, so that what is constant between the jumps is no constant: `x'` is
/// -1 where `y < 0` and 3 where `y > 0`. The motion ends there, with the reason.
#[test]
fn constraints_that_jump_break_constants() {
    let text = space(
        "c = \"x' = 2*sign(y) + 1\"",
        "\"y = -1\", \"y' = 1\"",
        "x = { constant = \"x'\" }\nT = { constant = \"T + V\" }",
    );
    let found = proof(&text);
    for name in ["x", "T"] {
        assert!(is_open(&found, name), "{name}");
    }
    let model = model(&text.replace("until = 1", "until = 3"));
    let run = run(
        &prepare(&model),
        &RunOptions::default(),
        &mut Control::default(),
    )
    .expect("it begins");
    assert_ne!(run.exit, ExitKind::Done);
    let words = "the constraint `c` jumps";
    assert!(run.outcome.contains(words), "{}", run.outcome);
}

/// A sum of squares of the place leaves as many freedoms as what it says of the place does, though its rate vanishes.
#[test]
fn squares_of_the_place_are_as_many_conditions_as_they_say() {
    for (row, freedoms) in [
        ("x^2 + y^2 = 0", 1),
        ("x^2 = 0", 2),
        ("x^2 + y^2 = 2*x*y", 2),
        ("(x - y)^2 + z^2 = 0", 1),
        ("x^2 + y^2 + z^2 = 0", 0),
        ("x^2 + y^2 = 4", 2),
    ] {
        let model = model(&space(&format!("c = \"{row}\""), "", ""));
        let found = check(&prepare(&model), None).0;
        assert_eq!(found.dof, freedoms, "{row}");
        let words = &found.constraints[0].words;
        assert!(!words.contains(&"redundant"), "{row}: {words:?}");
    }
}

/// Rows that nearly have no derivative, or nearly touch, have one and do not: a point of them is certain.
#[test]
fn what_is_nearly_a_square_or_a_tangent_is_none() {
    for (rows, state) in [
        (
            "c = \"x'^2 - 2*x'*y' + 0.9999999999*y'^2 = 0\"",
            "\"y' = 1\"",
        ),
        (
            "c = \"x'^2 + y'^2 = 2*x' + 4*y' - 4.99999999\"",
            "\"x' = 1.0001\", \"y' = 2\"",
        ),
        (
            "c = \"x = 1\"\nd = \"x^2 + y^2 = 1.00000001\"",
            "\"y = 1e-4\"",
        ),
    ] {
        let model = model(&space(rows, state, ""));
        let found = check(&prepare(&model), None).0;
        let singular = found.singular.unwrap_or_default();
        assert!(
            singular.iter().all(|sheet| !sheet.contains("everywhere")),
            "{rows}: {singular:?}"
        );
        let words = format!("{:?}", found.constraints);
        assert!(
            !words.contains("square") && !words.contains("touches"),
            "{rows}: {words}"
        );
    }
}

/// Of three products one says nothing where the others hold already, and a motion begins there.
#[test]
fn products_that_others_say_are_no_squares() {
    let rows = "a = \"x'*y' = 0\"\nb = \"y'*z' = 0\"\nc = \"z'*x' = 0\"";
    let model = model(&space(rows, "\"x' = 1\"", ""));
    let found = check(&prepare(&model), None).0;
    let start = found.initial.expect("a start");
    assert!(start.judgement.has_motion(), "{:?}", start.judgement.why);
}

/// Nothing is classified where the constraint has no rows, and nothing is refuted of it.
#[test]
fn classes_of_a_motion_without_rows_are_open() {
    let of = |motion: &str, class: &str| {
        let text = format!(
            "coordinates = [\"x\", \"y\", \"th\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + th'^2)/2\"\n\
             [motion]\n{motion}\n[claims]\nc = {{ class = [\"{class}\"] }}\n"
        );
        let model = model(&text);
        prove(&prepare(&model)).claims.remove(0).verdict
    };
    let blade = "variables = [\"z1\", \"z2\"]\n\
                 equations = [\"x' = z1*cos(th)\", \"y' = z1*sin(th)\", \"th' = z2\"]";
    let free = "variables = [\"z1\", \"z2\", \"z3\"]\n\
                equations = [\"x' = z1\", \"y' = z2\", \"th' = z3\"]";
    for class in ["nonholonomic", "holonomic"] {
        let verdict = of(blade, class);
        assert!(matches!(verdict, Verdict::Undecided { .. }), "{verdict:?}");
        assert!(matches!(of(free, class), Verdict::Refuted { .. }));
    }
}

/// Parameters whose terms cancel: `asin(1/2) - pi/6` is 0, and `exp(1e-20) - 1` is not.
#[test]
fn parameters_that_cancel_are_no_rounding() {
    let of = |value: &str| {
        proof(&format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[parameters]\nb = \"{value}\"\n[energy]\n\
             kinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\nc = \"z' - b*x*y' = 0\"\n\
             [claims]\nheld = {{ constant = \"z\" }}\nplane = {{ class = [\"holonomic\"] }}\n"
        ))
    };
    for (value, holds) in [
        ("asin(1/2) - pi/6", true),
        ("tan(pi/8) - sqrt(2) + 1", true),
        ("exp(1e-20) - 1", false),
        ("cosh(1e-10) - 1", false),
    ] {
        let proof = of(value);
        for name in ["held", "plane"] {
            assert_eq!(claim(&proof, name).holds, Some(holds), "{name} for {value}");
        }
    }
}

/// `sin(x) = x` at 0 alone, and `tan(x) = x` there too: their derivatives vanish there, so that no velocity of their
/// states refutes `x' = 0`.
#[test]
fn holonomic_rows_without_derivatives_let_no_velocity_refute() {
    for row in ["sin(x) = x", "tanh(x) = x", "tan(x) = x"] {
        let text = space(
            &format!("c = \"{row}\""),
            "",
            "still = { equation = \"x' = 0\" }",
        );
        let found = proof(&text);
        assert_ne!(claim(&found, "still").holds, Some(false), "{row}");
    }
}

/// At `z = 0` the row `z (x' - y') = 0` says nothing of a start that has other velocities.
#[test]
fn what_fails_at_a_singular_start_is_not_proved() {
    let row = "c = \"z*(x' - y') = 0\"";
    let claims = "same = { equation = \"y' = x'\" }";
    assert!(is_open(
        &proof(&space(row, "\"x' = 2\", \"y' = 0\"", claims)),
        "same"
    ));
    let regular = proof(&space(row, "\"z = 1\", \"x' = 2\"", claims));
    assert_eq!(claim(&regular, "same").holds, Some(true));
}

/// A lone root at which a row has no derivative: no row depends on another there.
#[test]
fn a_row_without_derivatives_at_a_state_is_singular() {
    for row in ["tan(x) = x", "tan(x') = x'"] {
        let model = model(&space(&format!("c = \"{row}\""), "\"y' = 1\"", ""));
        let start = check(&prepare(&model), None).0.initial.expect("a start");
        let judged = start.judgement;
        assert_eq!(judged.status, Status::Singular, "{row}: {:?}", judged.why);
    }
}

/// `x'^2 + y'^2 = z'^2` and `x' = z'` touch where both hold: where the start is singular, no list says that nothing is.
#[test]
fn a_singular_start_is_among_the_singular_states() {
    let rows = "c = \"x'^2 + y'^2 = z'^2\"\nd = \"x' = z'\"";
    let model = model(&space(rows, "\"x' = 1\"", ""));
    let found = check(&prepare(&model), None).0;
    let start = found.initial.expect("a start").judgement;
    assert_eq!(start.status, Status::Singular, "{:?}", start.why);
    let listed = found.singular.is_some_and(|all| all.is_empty());
    assert!(!listed, "nothing is said to be singular");
}

/// `x y = 0` and `x z = 0` beside the plane `x = 0` take one freedom there, two along the line `y = z = 0`.
#[test]
fn freedoms_are_those_of_the_start() {
    let rows = "c = \"x*y = 0\"\nd = \"x*z = 0\"";
    for (state, freedoms) in [("\"y = 1\", \"z = 1\"", 2), ("\"x = 1\"", 1)] {
        let model = model(&space(rows, state, ""));
        let p = prepare(&model);
        assert_eq!(check(&p, None).0.dof, freedoms, "{state}");
        let options = RunOptions {
            until: Some(0.1),
            ..RunOptions::default()
        };
        let run = run(&p, &options, &mut Control::default()).expect("a motion");
        assert_eq!(run.freedoms, freedoms, "{state}");
    }
}

/// A product of twelve linear factors, and a sum of fortieth powers: their degrees are read from their form.
#[test]
fn high_degrees_are_found() {
    let factors: Vec<String> = (1..=12).map(|k| format!("(x' - {k}*y' + z')")).collect();
    for row in [
        format!("{} = 0", factors.join("*")),
        "x'^40 + y'^40 = z'^40".to_owned(),
    ] {
        let claims = "h = { class = [\"homogeneous\"] }\ng = { class = [\"general\"] }";
        let found = proof(&space(
            &format!("c = \"{row}\""),
            "\"x' = 1\", \"y' = 1\"",
            claims,
        ));
        assert_eq!(claim(&found, "h").holds, Some(true), "{row}");
        assert_ne!(claim(&found, "g").holds, Some(true), "{row}");
    }
}

/// Powers of what is negative and logarithms of it have no value, in equations as in constants, for a proof as for a run.
#[test]
fn what_is_defined_nowhere_decides_nothing() {
    let claims = "root = { equation = \"(-8)^(1/3) = -2\" }\n\
                  square = { equation = \"(-1 - x^2)^(2/3) = (1 + x^2)^(2/3)\" }\n\
                  same = { equation = \"log(-1) = log(-1)\" }\n\
                  number = { constant = \"log(-1)\" }\npower = { constant = \"(-8)^(1/3)\" }\n\
                  whole = { equation = \"(-x^2 - 8)^3 = -(x^2 + 8)^3\" }";
    let text = space("row = \"z' = y*x'\"", "\"x = 0.3\", \"x' = 1\"", claims);
    let proof = proof(&text);
    let model = model(&text);
    let run = run(
        &prepare(&model),
        &RunOptions::until(0.1),
        &mut Control::default(),
    );
    let run = run.expect("it moves");
    for name in ["root", "square", "same", "number", "power"] {
        assert!(is_open(&proof, name), "{name}: {:?}", claim(&proof, name));
        let found = run.claims.iter().find(|claim| claim.name == name);
        assert_eq!(found.expect("it is claimed").holds, None, "{name}");
    }
    assert!(claim(&proof, "whole").verdict.is_proved());
}

/// `v = psi(q, z, t)` without rows: at a cusp of the velocities neither rows nor parameters tell whether they are singular, which
/// may be named in the claim; `E*` needs velocities that depend on others, and an angle at the origin has no value.
#[test]
fn velocities_that_are_given_alone_leave_open_what_rows_tell() {
    let text = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[motion]\nvariables = ['u']\n\
                equations = [\"x' = u^2\", \"y' = u^3\"]\n[initial]\nstate = ['u = -1']\n[simulate]\nuntil = 0.5\n[claims]\n\
                rest = { singular_at = [\"x' = 0\", \"y' = 0\"] }\nnamed = { singular_at = ['u = 0'] }\n\
                moving = { singular_at = ['u = 2'] }\nestar = { equation = 'E_star = E' }\n\
                angle = { equation = 'atan2(x - x, 0) = 0' }\n";
    let model = model(text);
    let p = prepare(&model);
    let holds = |claims: Vec<(String, Option<bool>)>| {
        let wanted = [None, None, Some(false), None, None];
        for ((name, found), wanted) in claims.into_iter().zip(wanted) {
            assert_eq!(found, wanted, "{name}");
        }
    };
    let proved = prove(&p).claims.into_iter();
    holds(proved.map(|claim| (claim.name, claim.holds)).collect());
    let run = run(&p, &RunOptions::default(), &mut Control::default()).expect("a motion");
    assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
}
