//! Forces that rows which depend on each other leave open: what runs, states and pages say of them.

use crate::common::{at, held_by_two_rows, model, motion, prepare, until};
use crate::equilibria_units::CRANKS;
use appell::{Prepared, RunOptions, report, show};
use appell_flow::Control;

/// Two particles a fixed distance apart, each kept from moving along x: how the two rows share the load is a choice,
/// their sum is not.
fn shared() -> appell::Model {
    held_by_two_rows(
        "[simulate]
until = 1
[claims]
shares = { equation = \"dot(R(P), N.x) = dot(R(Q), N.x)\" }
half = { constant = \"multiplier(first)\" }
push = { always = \"dot(R(P), N.x) < 0\" }
wrong = { equation = \"y'*dot(R(P), N.x) = 0\" }
sum = { equation = \"dot(R(P) + R(Q), N.x) = -3\" }
both = { equation = \"multiplier(first) + multiplier(second) = -3\" }
across = { equation = \"dot(R(P), N.y) = 0\" }
work = { equation = \"power(first) = 0\" }
total = { equation = \"reaction(x) = -3\" }
",
    )
}

/// One particle, held by the same row twice: the multipliers are a choice, the force on it is none.
fn twice() -> appell::Model {
    model(
        "coordinates = [\"x\", \"y\"]
[particles]
A = { mass = 1, position = \"[x, 0, 0]\", force = \"4*N.x\" }
B = { mass = 3, position = \"[y, 0, 0]\" }
[constraints]
one = \"x' = y'\"
two = \"2*x' = 2*y'\"
[claims]
force = { equation = \"dot(R(A), N.x) = -3\" }
part = { equation = \"5*multiplier(one) = -3\" }
",
    )
}

fn ran(p: &Prepared<'_>) -> appell::Run {
    motion(p, &until(1.0))
}

#[test]
fn runs_say_which_forces_are_a_choice() {
    let model = shared();
    let p = prepare(&model);
    let run = ran(&p);
    let found = run
        .indeterminate
        .as_ref()
        .expect("rows depend on each other");
    assert_eq!(found.rows, ["first", "second"]);
    let forces = found.forces.iter();
    let forces: Vec<_> = forces
        .map(|f| (f.constraint.as_str(), f.on.as_str()))
        .collect();
    assert_eq!(forces, [("first", "P"), ("second", "Q")]);
    assert!(!found.total_on_each);
    for claim in &run.claims {
        let open = ["shares", "half", "push", "wrong"].contains(&claim.name.as_str());
        assert_eq!(claim.least_multipliers, open, "{claim:?}");
        assert_eq!(claim.holds, Some(claim.name != "wrong"), "{claim:?}");
    }
    let text = show::run_text(&p, &run);
    assert_eq!(
        text.matches("statically indeterminate").count(),
        1,
        "{text}"
    );
    assert!(text.contains("holds for the least multipliers"), "{text}");
    let json = show::json_line(&run.summary());
    assert!(json.contains("\"total_on_each\":false"), "{json}");
    assert!(json.contains("\"least_multipliers\":true"), "{json}");
}

#[test]
fn the_total_on_a_body_may_be_unique() {
    let model = twice();
    let p = prepare(&model);
    let run = ran(&p);
    let found = run
        .indeterminate
        .as_ref()
        .expect("rows depend on each other");
    assert_eq!((found.rows.len(), found.forces.len()), (2, 4));
    assert!(found.total_on_each, "{found:?}");
    let open = run.claims.iter().map(|claim| claim.least_multipliers);
    assert_eq!(open.collect::<Vec<_>>(), [false, true]);
    assert!(run.claims.iter().all(|claim| claim.holds == Some(true)));
}

#[test]
fn states_say_it_and_independent_rows_do_not() {
    let model = shared();
    let p = prepare(&model);
    let values = at(&p, 0.0, &[0.0, 0.0], &[0.0, 1.0]);
    let found = values.indeterminate.expect("rows depend on each other");
    assert_eq!(found, ran(&p).indeterminate.expect("the same"));
    let p = crate::common::with(&model, &[], &["second"]);
    assert!(
        at(&p, 0.0, &[0.0, 0.0], &[0.0, 1.0])
            .indeterminate
            .is_none()
    );
    let run = ran(&p);
    assert!(run.indeterminate.is_none());
    assert!(run.claims.iter().all(|claim| !claim.least_multipliers));
}

#[test]
fn pages_say_it_once() {
    let model = shared();
    let p = prepare(&model);
    let page = report(&p, &RunOptions::default(), &[], &mut Control::default());
    let html = page.expect("a page").html;
    assert_eq!(
        html.matches("Statically indeterminate: the rows first, second")
            .count(),
        1
    );
    assert!(html.contains("holds for the least multipliers"));
}

/// A plate on three parallel cranks can be assembled in other ways too, in which its rows are independent: what runs say is
/// of the way in which they start.
#[test]
fn a_plate_on_three_cranks_is_overconstrained_as_it_starts() {
    let text = format!("{CRANKS}[initial]\nstate = [\"a = 1\", \"a' = 3\"]\n");
    let model = model(&text);
    let p = prepare(&model);
    let run = ran(&p);
    let found = run
        .indeterminate
        .as_ref()
        .expect("rows depend on each other");
    let all = ["ja.x", "ja.y", "jb.x", "jb.y", "jc.x", "jc.y"];
    assert!(
        found.rows.iter().all(|row| all.contains(&&**row)),
        "{found:?}"
    );
    assert!(
        found.forces.iter().any(|force| force.constraint == "ja"),
        "{found:?}"
    );
}
