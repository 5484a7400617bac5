//! Rows that touch: where all of them hold their derivatives say less of velocities than they do, so that nothing follows
//! for accelerations. And states at which rows have no derivative at all.

use crate::common::{self, checked, model, prepare, proof};
use appell::prove::Verdict;
use appell::{Status, check, read_states, simplify};

/// Coordinates with unit masses.
fn text(coordinates: &[&str], potential: &str, rows: &str, state: &str, claims: &str) -> String {
    let squares = coordinates.iter().map(|x| format!("{x}'^2"));
    let kinetic = squares.collect::<Vec<_>>().join(" + ");
    format!(
        "coordinates = {coordinates:?}\n[energy]\nkinetic = \"({kinetic})/2\"\npotential = \"{potential}\"\n\
         [constraints]\n{rows}\n[initial]\nstate = [{state}]\n[claims]\n{claims}\n"
    )
}

const PLANE: [&str; 2] = ["x", "y"];
const SPACE: [&str; 3] = ["x", "y", "z"];
const PAIR: [&str; 4] = ["x", "y", "u", "w"];

/// `y' = 0` follows from each, so that `y'' = -1` is false though derivatives leave `y''` free.
#[test]
fn rows_that_touch_say_nothing_of_accelerations() {
    for (coordinates, rows, state) in [
        (
            SPACE.as_slice(),
            "a = \"x'^2 + y'^2 = z'^2\"\nb = \"x' = z'\"",
            "\"x' = 1\", \"z' = 1\"",
        ),
        (
            &SPACE,
            "a = \"x'^2 + y'^2 + z'^2 = 1\"\nb = \"x' = 1\"",
            "\"x' = 1\"",
        ),
        (&PLANE, "c = \"norm([x', y', 0]) = x'\"", "\"x' = 1\""),
        (&PLANE, "c = \"norm([x, y, 0]) = x\"", "\"x = 1\""),
        (
            &PLANE,
            "c = \"norm([x', y', 0]) + norm([x' - 2, y', 0]) = 2\"",
            "\"x' = 1\"",
        ),
        (
            &PAIR,
            "c = \"norm([x', y', 0]) + norm([u', w', 0]) = x' + u'\"",
            "\"x' = 1\", \"u' = 2\"",
        ),
    ] {
        let claims = "falls = { equation = \"y'' = -1\" }\nrate = { equation = \"(y'^2)' = 0\" }\n\
                      force = { equation = \"reaction(y) = 0\" }\naside = { equation = \"y' = 0\" }";
        let found = proof(&text(coordinates, "y", rows, state, claims));
        for claim in &found.claims {
            match claim.name.as_str() {
                "aside" => assert!(!claim.verdict.is_refuted(), "{rows}: {:?}", claim.verdict),
                _ => assert!(is_open(&claim.verdict), "{rows}: {claim:?}"),
            }
        }
        let identities = found.identities.iter().map(|identity| &identity.verdict);
        let all = identities.chain(found.equivalence.iter().map(|form| &form.verdict));
        assert!(all.into_iter().all(is_open), "{rows}");
    }
}

fn is_open(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Undecided { .. })
}

/// What rows say together is found in squares of their combinations.
#[test]
fn what_rows_that_touch_say_together_is_proved() {
    let same = "same = { equation = \"x' = u'\" }\nlikewise = { equation = \"y' = w'\" }";
    let lengths =
        "a = \"norm([x', y', 0]) = norm([u', w', 0])\"\nb = \"x'*u' + y'*w' = u'^2 + w'^2\"";
    let sphere = "a = \"x'^2 + y'^2 + z'^2 = 1\"\nb = \"x' = 1\"";
    let rest = "y = { equation = \"y' = 0\" }\nz = { equation = \"z' = 0\" }";
    for (text, freedoms) in [
        (text(&PAIR, "0", lengths, "\"x' = 1\", \"u' = 1\"", same), 2),
        (text(&SPACE, "y", sphere, "\"x' = 1\"", rest), 0),
    ] {
        let found = proof(&text);
        let proved = found.claims.iter().all(|claim| claim.verdict.is_proved());
        assert!(proved, "{:?}", found.claims);
        let found = checked(&text);
        assert_eq!(found.dof, freedoms);
        let redundant = |word: &&str| *word == "redundant";
        let words = found.constraints.iter().flat_map(|class| &class.words);
        assert!(!words.into_iter().any(redundant), "{:?}", found.constraints);
        assert!(found.singular.is_none(), "{:?}", found.singular);
    }
}

/// A row without derivatives where it holds is no row to be left out.
#[test]
fn a_row_without_derivatives_is_to_be_written_as_its_root() {
    let rows = "c = \"3*x' + 4*y' = 5*norm([x', y', 0])\"";
    let found = checked(&text(&PLANE, "y", rows, "\"x' = 3\", \"y' = 4\"", ""));
    let judged = found.initial.expect("a start").judgement;
    assert_eq!(judged.status, Status::Singular);
    let why = judged.why.expect("a reason");
    assert!(
        why.contains("write its root") && !why.contains("--drop"),
        "{why}"
    );
    assert!(
        found.why["singular"].contains("everywhere"),
        "{:?}",
        found.why
    );
}

/// The real zeros of a product of a factor and one that vanishes only where that does.
#[test]
fn a_factor_that_vanishes_only_where_another_does_says_nothing() {
    for (row, state) in [
        ("x'*(x'^2 + y'^2) = 0", ""),
        ("x'*(x'^2 + (y' - 1)^2) = 0", "\"y' = 1\""),
    ] {
        let text = text(&SPACE, "x + y", &format!("a = \"{row}\""), state, "");
        let found = checked(&text);
        assert_eq!(found.dof, 2, "{row}");
        let combinations = found.holonomic_combinations.expect("they are known");
        assert_eq!(combinations, ["x = const, from a"], "{row}");
        let model = model(&text);
        let simpler = simplify(&prepare(&model)).expect("it is contrived");
        assert_eq!(simpler.replaced[0].by, ["x' = 0"], "{row}");
    }
}

/// `(1, 0)` is allowed and `(3, 0)` is not; `(3, 0)` is and `(1, 0)` is not.
#[test]
fn inequalities_keep_a_row_from_being_a_cone() {
    for (row, state) in [
        (
            "norm([x', y', 0]) + norm([x' - 2, y', 0]) = 2",
            "\"x' = 1\"",
        ),
        (
            "norm([x', y', 0]) - norm([x' - 2, y', 0]) = 2",
            "\"x' = 3\"",
        ),
    ] {
        let found = checked(&text(&PLANE, "0", &format!("c = \"{row}\""), state, ""));
        let class = &found.constraints[0];
        assert!(!class.words.contains(&"cone"), "{row}: {class:?}");
    }
}

/// Directions given by unit vectors, and lengths that are components.
#[test]
fn freedoms_are_those_of_the_real_zeros() {
    for (coordinates, row, state, freedoms) in [
        (
            PLANE.as_slice(),
            "unit([x', y', 0]) = [1, 0, 0]",
            "\"x' = 1\"",
            1,
        ),
        (
            &SPACE,
            "unit([x', y', z']) = [0.6, 0.8, 0]",
            "\"x' = 0.6\", \"y' = 0.8\"",
            1,
        ),
        (
            &PAIR,
            "norm([x', y', 0]) + norm([u', w', 0]) = x' + u'",
            "\"x' = 1\", \"u' = 2\"",
            2,
        ),
        (&PLANE, "norm([x, y, 0]) = x", "\"x = 1\"", 1),
    ] {
        let found = checked(&text(
            coordinates,
            "0",
            &format!("c = \"{row}\""),
            state,
            "",
        ));
        assert_eq!(found.dof, freedoms, "{row}");
    }
}

/// The derivative of a unit vector has the rank 2 at all velocities: with three rows for two conditions the start is
/// redundant, and none is singular.
#[test]
fn rows_that_touch_in_two_and_not_in_three_are_not_singular() {
    let row = "c = \"unit([x', y', z']) = [0.6, 0.8, 0]\"";
    let found = checked(&text(&SPACE, "0", row, "\"x' = 0.6\", \"y' = 0.8\"", ""));
    assert_eq!(found.singular, Some(Vec::new()), "{:?}", found.why);
    let judged = found.initial.expect("a start").judgement;
    assert_eq!(judged.status, Status::Redundant, "{:?}", judged.why);
}

/// `x'^3 + y'^3 + z'^3 - 3 x' y' z' = (x' + y' + z') (..)`, and the start is a zero of the other factor.
#[test]
fn no_integral_is_named_whose_rate_does_not_vanish_at_the_start() {
    let row = "a = \"x'^3 + y'^3 + z'^3 = 3*x'*y'*z'\"";
    let state = "\"x' = 1\", \"y' = 1\", \"z' = 1\"";
    let combinations = checked(&text(&SPACE, "x", row, state, "")).holonomic_combinations;
    let named = combinations.iter().flatten();
    assert!(
        !named.into_iter().any(|integral| integral.contains("const")),
        "{combinations:?}"
    );
}

/// At a corner a row has two derivatives and there are two motions: `x'' = -1/2` holds on all sides of it, and
/// `x'' = -1`, by the mean of both derivatives, on none.
#[test]
fn corners_of_rows_are_singular_and_refute_nothing() {
    let claims = "slow = { equation = \"x'' = -1/2\" }\nfree = { equation = \"x'' = -1\" }";
    let row = "c = \"abs(x') + abs(y') = 1\"";
    let text = text(&PLANE, "x", row, "\"x' = 1/2\", \"y' = 1/2\"", claims);
    let model = model(&text);
    let p = prepare(&model);
    for (v, status) in [
        ("[0, 1]", Status::Singular),
        ("[0, -1]", Status::Singular),
        ("[1, 0]", Status::Singular),
        ("[0.25, -0.75]", Status::Regular),
    ] {
        let state = format!("[{{\"q\": [0, 0], \"v\": {v}}}]");
        let states = read_states(&state, &p).expect("a state");
        let judged = check(&p, Some(&states)).0.states.expect("they are judged");
        assert_eq!(judged[0].status, status, "{v}: {:?}", judged[0].why);
    }
    let found = proof(&text);
    assert!(
        !found.claims[0].verdict.is_refuted(),
        "{:?}",
        found.claims[0]
    );
    assert!(
        !found.claims[1].verdict.is_proved(),
        "{:?}",
        found.claims[1]
    );
    let singular = checked(&text).singular;
    assert!(singular.is_none(), "{singular:?}");
}

/// `x = 0`, where `abs(x)` has a corner, is no place that the row allows.
#[test]
fn corners_off_the_rows_are_no_singular_states() {
    let found = checked(&text(&PLANE, "0", "c = \"abs(x) = 1\"", "\"x = 1\"", ""));
    assert_eq!(found.singular, Some(Vec::new()), "{:?}", found.why);
}

/// Of `x'/(x'^2 + y'^2) = 1` all derivatives vanish where `x'^2 = y'^2` and `y' = 0`: at rest, where it has no value.
#[test]
fn no_state_is_listed_as_singular_where_a_row_has_no_value() {
    let row = "c = \"x'/(x'^2 + y'^2) = 1\"";
    let found = checked(&text(&PLANE, "0", row, "\"x' = 1\"", ""));
    assert_eq!(found.singular, Some(Vec::new()), "{:?}", found.why);
}

/// Of nine rows of rank eight one depends on the others, whichever comes last; that it touches those before it says
/// nothing.
#[test]
fn the_order_of_rows_changes_no_verdict() {
    let text = include_str!("../../../strangers/triangle-on-two-pins.toml");
    let (head, rest) = text.split_once("[constraints]\n").expect("it has rows");
    let (rows, rest) = rest.split_once("[initial]").expect("it has a state");
    let rows: Vec<&str> = rows.lines().collect();
    for first in 0..rows.len() {
        for turned in [false, true] {
            let mut order = rows.clone();
            order.rotate_left(first);
            if turned {
                order.reverse();
            }
            let lines = order.join("\n");
            let found = checked(&format!("{head}[constraints]\n{lines}\n[initial]{rest}"));
            assert_eq!(found.dof, 1, "{lines}");
            assert_eq!(
                found.initial.expect("it starts").judgement.status,
                Status::Redundant,
                "{lines}"
            );
        }
    }
}

/// `(x' - y')^2 + (y' - z')^2 + (z' - x')^2 = 0` follows from both: beside the set on which the derivatives are parallel
/// they are not, by as little as the start misses it.
#[test]
fn a_start_beside_a_set_of_rows_that_touch_is_singular() {
    let rows = "a = \"x'^2 + y'^2 + z'^2 = 1\"\nb = \"x'*y' + y'*z' + z'*x' = 1\"";
    let found = checked(&text(&SPACE, "x - 2*y", rows, "\"x = 1\", \"y = 0.5\"", ""));
    let initial = found.initial.expect("it has velocities");
    assert_eq!(initial.judgement.status, Status::Singular);
}

/// Where both rows are independent `z'` rests; on the sheet `x' = 0`, on which the second start lies, `z'' = -x`.
#[test]
fn claims_are_held_against_a_start_of_lower_rank() {
    let rows = "a = \"x'*y' = 0\"\nb = \"x'*z' = 0\"";
    let claim = "rests = { constant = \"z'\" }";
    let verdict = |state: &str| {
        let proof = proof(&text(&SPACE, "x*z", rows, state, claim));
        proof
            .claims
            .into_iter()
            .next()
            .expect("one is claimed")
            .verdict
    };
    let first = verdict("\"x = 1\", \"x' = 0.5\"");
    assert!(matches!(first, Verdict::Proved { .. }), "{first:?}");
    let second = verdict("\"x = 1\", \"y' = 0.3\", \"z' = 0.1\"");
    assert!(matches!(second, Verdict::Refuted { .. }), "{second:?}");
}

/// A forearm on an arm, each hinge an equation of unit vectors between quaternions: a double pendulum.
#[test]
fn two_hinges_of_unit_vectors_leave_two_freedoms() {
    let body = |name: &str, frame: &str, place: &str| {
        format!(
            "[bodies.{name}]\nmass = 2\nframe = '{frame}'\nposition = '{place}'\ninertia = [0.4, 0.3, 0.6]\n"
        )
    };
    let text = [
        "coordinates = ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3', 'u1', 'u2', 'u3', 'f0', 'f1', 'f2', 'f3']\n",
        "gravity = '[0, -9.81, 0]'\n[frames]\nB = { quaternion = ['e0', 'e1', 'e2', 'e3'] }\n",
        "C = { quaternion = ['f0', 'f1', 'f2', 'f3'] }\n",
        &body("arm", "B", "[x, y, z]"),
        &body("forearm", "C", "[u1, u2, u3]"),
        "[constraints]\npin = 'pos(arm) = 0.5*B.y'\naxis = 'B.x = N.x'\n",
        "elbow = 'pos(forearm) - 0.5*C.y = pos(arm) + 0.5*B.y'\nparallel = 'C.x = B.x'\n",
        "[initial]\nstate = ['e0 = cos(0.3)', 'e1 = sin(0.3)', 'f0 = cos(0.5)', 'f1 = sin(0.5)']\n",
    ];
    let found = checked(&text.concat());
    assert_eq!(found.dof, 2);
    let initial = found.initial.expect("it starts");
    assert_eq!(
        initial.judgement.status,
        Status::Redundant,
        "{:?}",
        initial.judgement.why
    );
}

/// Near `z = 0` the row `b` says `z = 0` as well, but on another branch it does not: in either order one of them follows.
#[test]
fn which_of_two_rows_that_say_the_same_stands_first_is_no_matter() {
    let [a, b] = ["a = 'z = 0'\n", "b = 'sin(x)^2 + cos(x + z)^2 = 1'\n"];
    for rows in [format!("{a}{b}"), format!("{b}{a}")] {
        let text = text(&["x", "z"], "9.81*x", &rows, "'x = 0.3', \"x' = 0.5\"", "");
        let found = checked(&text);
        assert_eq!(found.dof, 1, "{rows}");
        let model = model(&text);
        let p = prepare(&model);
        let run = common::motion(&p, &common::until(1.0));
        common::close(
            &rows,
            run.last_state(),
            &[0.3 + 0.5 - 9.81 / 2.0, 0.0, 0.5 - 9.81, 0.0],
            1e-9,
        );
    }
}
