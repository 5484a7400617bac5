//! What was proved, refuted or left open, as text.

use super::layout::Page;
use crate::padding;
use appell_study::questions::prove::{CERTAIN, ClaimVerdict, Parameters, Proof, Verdict, Witness};
use appell_study::values::prepared::Prepared;

/// Equivalences, identities and claims with their verdicts: what `appell prove` prints.
pub fn proof_text(p: &Prepared<'_>, proof: &Proof) -> String {
    let mut page = Page::default();
    page.line(&p.model.title);
    page.entry("points", [proof.points]);
    let pairs = proof
        .equivalence
        .iter()
        .map(|e| (format!("{} = {}", e.a, e.b), &e.verdict));
    page.entry("equivalence", verdicts(pairs.collect()));
    let unavailable = proof
        .unavailable
        .iter()
        .map(|form| format!("{}: {}", form.form, form.why));
    page.entry("unavailable", unavailable);
    let identities = proof
        .identities
        .iter()
        .map(|i| (i.name.clone(), &i.verdict));
    page.entry("identities", verdicts(identities.collect()));
    page.entry("claims", proof.claims.iter().flat_map(claim));
    page.finish()
}

/// A verdict in words, and below it the state that refutes.
#[must_use]
pub fn verdict_lines(verdict: &Verdict) -> Vec<String> {
    let below = refuting(verdict).into_iter();
    let below = below.map(|line| line.trim().to_owned());
    [words(verdict)].into_iter().chain(below).collect()
}

/// Names and verdicts in two columns, witnesses below.
fn verdicts(list: Vec<(String, &Verdict)>) -> Vec<String> {
    let width = list
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let lines = |(name, verdict): (String, &Verdict)| {
        [format!(
            "{}  {}",
            padding::left(&name, width),
            words(verdict)
        )]
        .into_iter()
        .chain(refuting(verdict))
        .collect::<Vec<_>>()
    };
    list.into_iter().flat_map(lines).collect()
}

fn claim(claim: &ClaimVerdict) -> Vec<String> {
    let holds = match (claim.holds, claim.verdict.is_refuted()) {
        (Some(true), true) => ", as claimed",
        (Some(false), _) => ": the claim does not hold",
        _ => "",
    };
    let domain = match claim.domain.is_empty() {
        true => String::new(),
        false => format!(", where {}", claim.domain.join(" and ")),
    };
    let line = format!("{}: {}{holds}{domain}", claim.name, words(&claim.verdict));
    [line].into_iter().chain(refuting(&claim.verdict)).collect()
}

/// A verdict in words, without its witness.
pub(crate) fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Proved {
            bound,
            points,
            parameters,
            components,
            ..
        } => {
            let points = points.map_or_else(String::new, |points| format!(" at {points} points"));
            let parameters = match parameters {
                Parameters::Any => "",
                Parameters::Defined => ", with the file's definitions of parameters",
                Parameters::Values => ", for the file's values",
            };
            // Said only where there is more than one component, or a sheet was chosen.
            let components = match components.as_str() {
                "all" => String::new(),
                one if one.starts_with("the only one") && !one.contains(';') => String::new(),
                components => format!("; components: {components}"),
            };
            match bound.as_str() {
                CERTAIN => format!("proved{points}, with certainty{parameters}{components}"),
                bound => format!(
                    "proved{points}, wrong with probability below {bound}{parameters}{components}"
                ),
            }
        }
        Verdict::Refuted { why, .. } => {
            let why = why
                .as_ref()
                .map_or_else(String::new, |why| format!(": {why}"));
            format!("refuted{why}")
        }
        Verdict::Undecided { why } => format!("undecided: {why}"),
    }
}

/// The state that refutes, in three lines.
pub(crate) fn refuting(verdict: &Verdict) -> Vec<String> {
    let Verdict::Refuted {
        witness: Some(witness),
        ..
    } = verdict
    else {
        return Vec::new();
    };
    let Witness {
        t,
        q,
        v,
        inputs,
        values,
        component,
    } = witness;
    let which = component.map_or_else(String::new, |i| format!(", component {i}"));
    let inputs = inputs
        .iter()
        .map(|(name, value)| format!(", {name} = {value}"));
    vec![
        format!("    {} is not {}{which}", values[0], values[1]),
        format!("    at t = {t}, q = ({})", q.join(", ")),
        format!("    v = ({}){}", v.join(", "), inputs.collect::<String>()),
    ]
}
