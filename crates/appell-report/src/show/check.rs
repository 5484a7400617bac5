//! What is known of a model, as text.

use super::equilibria::equilibria_lines;
use super::layout::{Page, listed};
use super::run::start_lines;
use crate::units::Units;
use appell_study::constraints::classes::{ConstraintClass, Replacement};
use appell_study::questions::check::Check;
use appell_study::states::status::{Judgement, Ranks, Status};
use appell_study::values::prepared::Prepared;

/// Coordinates, freedoms, constraints, start and states: what `appell check` prints.
pub fn check_text(p: &Prepared<'_>, check: &Check) -> String {
    let mut page = Page::default();
    page.line(&p.model.title);
    for (aspect, lines) in check_entries(p, check) {
        page.entry(&aspect, lines);
    }
    page.finish()
}

/// The aspects of a model with their lines; one without lines has nothing to say.
pub(crate) fn check_entries(p: &Prepared<'_>, check: &Check) -> Vec<(String, Vec<String>)> {
    let mut entries: Vec<(String, Vec<String>)> = Vec::new();
    let mut entry = |aspect: &str, lines: Vec<String>| entries.push((aspect.to_owned(), lines));
    entry(
        "coordinates",
        listed(p.model.coordinates.iter().map(|c| c.name.clone())),
    );
    let units = Units::of(p.model);
    let units = units.iter().flat_map(Units::listed);
    entry("units", listed(units));
    entry(
        "freedoms",
        vec![format!(
            "{} of {} coordinates",
            check.dof, check.coordinates
        )],
    );
    entry("metric", vec![check.metric.to_owned()]);
    let stationary = match check.stationary {
        true => "yes",
        false => "no: something depends on the time",
    };
    entry("stationary", vec![stationary.to_owned()]);
    entry("parameters", check.special.clone());
    let constraints = check.constraints.iter().flat_map(constraint_lines);
    entry(
        "constraints",
        match (check.constraints.is_empty(), p.constraints.motion_alone()) {
            (true, Some(_)) => vec!["v = psi(q, z, t), by [motion] only".to_owned()],
            (true, None) => vec!["none".to_owned()],
            (false, _) => constraints.collect(),
        },
    );
    entry("hidden", check.hidden.clone());
    entry("growth", growth_line(check).into_iter().collect());
    let combinations = check.holonomic_combinations.iter().flatten();
    entry("holonomic", combinations.cloned().collect());
    entry("singular", singular_lines(check));
    entry("bad charts", check.chart_singular.clone());
    let replaced = check.simplified.iter().flatten();
    entry("simplified", replaced.flat_map(replacement_lines).collect());
    if let Some(initial) = &check.initial {
        let judgement = judgement_lines(&initial.judgement);
        let lines = start_lines(p, &initial.start).into_iter().chain(judgement);
        entry("start", lines.collect());
    }
    for (index, judgement) in check.states.iter().flatten().enumerate() {
        entry(
            &format!("state {index}"),
            judgement_lines(judgement).to_vec(),
        );
    }
    if let Some(found) = &check.equilibria {
        entry("equilibria", equilibria_lines(p, found));
    }
    entries
}

/// What was put in the place of a contrived row.
fn replacement_lines(replacement: &Replacement) -> Vec<String> {
    let Replacement {
        constraint,
        by,
        verdict,
        why,
        left_out,
        ..
    } = replacement;
    let mut lines = vec![
        format!("{constraint}: {}", by.join(", ")),
        format!("  accelerations and reactions unchanged: {verdict}, {why}"),
    ];
    lines.extend(left_out.iter().map(|sheet| format!("  left out: {sheet}")));
    lines
}

/// Where `A` loses rank.
fn singular_lines(check: &Check) -> Vec<String> {
    match &check.singular {
        Some(sheets) if sheets.is_empty() && !check.constraints.is_empty() => {
            vec!["nowhere".to_owned()]
        }
        Some(sheets) => sheets.clone(),
        None => check.why.get("singular").cloned().into_iter().collect(),
    }
}

fn growth_line(check: &Check) -> Option<String> {
    let growth = check.growth_vector.as_ref()?;
    let ranks: Vec<String> = growth.iter().map(ToString::to_string).collect();
    let space = match check.distribution_has_time {
        true => " on Q x R",
        false => "",
    };
    (!check.constraints.is_empty()).then(|| format!("({}){space}", ranks.join(", ")))
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
        .as_ref()
        .map(|degree| format!("of degree {degree}"));
    let words = words.iter().map(|word| (*word).to_owned()).chain(degree);
    let words: Vec<String> = words.collect();
    let words = match words.is_empty() && !constraint.open.is_empty() {
        true => "undecided".to_owned(),
        false => words.join(", "),
    };
    let remarks = remarks(constraint);
    let mut lines = match standing.as_slice() {
        [one] => {
            let rest = one.strip_prefix(&format!("{name}: ")).unwrap_or(one);
            vec![format!("{name} (1 row, {rest}): {words}")]
        }
        rows => {
            let head = format!("{name} ({} rows): {words}", constraint.rows);
            let rows = rows.iter().map(|row| format!("  {row}"));
            [head].into_iter().chain(rows).collect()
        }
    };
    lines.extend(remarks);
    lines
}

/// Why a nonlinearity is contrived, and what says the same.
fn remarks(constraint: &ConstraintClass) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(why) = &constraint.contrived {
        lines.push(format!("  contrived: {why}"));
    }
    if let Some(rows) = &constraint.equivalent {
        lines.push(format!("  equivalent to {}", rows.join(", ")));
    }
    for rows in constraint.equivalent_linear.iter() {
        let place = constraint.place();
        lines.push(format!("  says the same as {}{place}", rows.join(", ")));
    }
    for rows in constraint.branches.iter().skip(1) {
        lines.push(format!("  another sheet: {}", rows.join(", ")));
    }
    let mut said: Vec<&String> = Vec::new();
    for (key, why) in &constraint.open {
        if *key != "equivalent_linear" && !said.contains(&why) {
            lines.push(format!("  {key}: undecided, {why}"));
            said.push(why);
        }
    }
    lines
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
