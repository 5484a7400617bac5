//! What is known of a model, as text.

use super::equilibria::equilibria_lines;
use super::layout::{Page, listed};
use super::run::start_lines;
use crate::check::Check;
use crate::classes::ConstraintClass;
use crate::prepared::Prepared;
use crate::status::{Judgement, Ranks, Status};

/// Coordinates, freedoms, constraints, start and states: what `appell check` prints.
pub fn check_text(p: &Prepared<'_>, check: &Check) -> String {
    let mut page = Page::default();
    page.line(&p.model.title);
    page.entry(
        "coordinates",
        listed(p.model.coordinates.iter().map(|c| c.name.clone())),
    );
    page.entry(
        "freedoms",
        [format!(
            "{} of {} coordinates",
            check.dof, check.coordinates
        )],
    );
    page.entry("metric", [check.metric]);
    page.entry(
        "stationary",
        [if check.stationary {
            "yes"
        } else {
            "no: something depends on the time"
        }],
    );
    if check.constraints.is_empty() {
        page.entry("constraints", ["none"]);
    }
    page.entry(
        "constraints",
        check.constraints.iter().flat_map(constraint_lines),
    );
    if let Some(initial) = &check.initial {
        let judgement = judgement_lines(&initial.judgement);
        page.entry(
            "start",
            start_lines(p, &initial.start).into_iter().chain(judgement),
        );
    }
    for (index, judgement) in check.states.iter().flatten().enumerate() {
        page.entry(&format!("state {index}"), judgement_lines(judgement));
    }
    if let Some(found) = &check.equilibria {
        page.entry("equilibria", equilibria_lines(p, found));
    }
    let open: Vec<&str> = check
        .why
        .keys()
        .copied()
        .filter(|key| *key != "initial")
        .collect();
    page.entry("not yet", [open.join(", ")]);
    page.finish()
}

/// The words of one entry, and what became of its rows.
fn constraint_lines(constraint: &ConstraintClass) -> Vec<String> {
    let ConstraintClass {
        name,
        words,
        standing,
        ..
    } = constraint;
    let degree = constraint
        .degree
        .map(|degree| format!("of degree {degree}"));
    let words = words.iter().map(|word| (*word).to_owned()).chain(degree);
    let words = words.collect::<Vec<String>>().join(", ");
    match standing.as_slice() {
        [one] => {
            let own = one.strip_prefix(&format!("{name}: ")).unwrap_or(one);
            vec![format!("{name} (1 row, {own}): {words}")]
        }
        rows => {
            let head = format!("{name} ({} rows): {words}", constraint.rows);
            let rows = rows.iter().map(|row| format!("  {row}"));
            [head].into_iter().chain(rows).collect()
        }
    }
}

/// The verdict with its reason, and the ranks.
fn judgement_lines(judgement: &Judgement) -> [String; 2] {
    let why = judgement
        .why
        .as_ref()
        .map_or_else(String::new, |why| format!(": {why}"));
    [
        format!("{}{why}", status_word(judgement.status)),
        rank_line(&judgement.rank),
    ]
}

/// The verdict as in JSON.
pub(super) fn status_word(status: Status) -> &'static str {
    match status {
        Status::Regular => "regular",
        Status::Singular => "singular",
        Status::Redundant => "redundant",
        Status::Inconsistent => "inconsistent",
        Status::Chart => "chart",
        Status::OffConstraint => "off-constraint",
        Status::Empty => "empty",
    }
}

fn rank_line(rank: &Ranks) -> String {
    let Ranks {
        a,
        psi,
        augmented,
        mass,
        gram,
        dphi,
    } = *rank;
    let ranks = [
        ("A", a),
        ("Psi", psi),
        ("[A|B]", augmented),
        ("M", mass),
        ("A M^-1 W", gram),
        ("d phi", dphi),
    ];
    let known = ranks
        .iter()
        .filter_map(|(name, rank)| Some(format!("{name} {}", (*rank)?)));
    let known: Vec<String> = known.collect();
    if known.is_empty() {
        "no rank has a value".to_owned()
    } else {
        format!("ranks: {}", known.join(", "))
    }
}
