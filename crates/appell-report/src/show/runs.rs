//! The motions for several values of a parameter.

use super::json::json_line;
use super::layout::{Page, wrapped};
use super::number::{size, value};
use super::run::verdict;
use appell_study::motion::run::Run;

/// How the motion ended for each value, its energy and the claims that do not hold.
pub fn runs_text(parameter: &str, runs: &[(f64, Result<Run, String>)]) -> String {
    let mut page = Page::default();
    for (x, run) in runs {
        page.line(&format!("{parameter} = {}", value(*x)));
        match run {
            Ok(run) => one(&mut page, run),
            Err(why) => page.entry("no motion", wrapped(why)),
        }
    }
    page.finish()
}

fn one(page: &mut Page, run: &Run) {
    page.entry("motion", wrapped(&run.outcome));
    let (defect, bound) = (size(run.ledger.defect), size(run.ledger.bound));
    page.entry(
        "energy",
        [format!("defect {defect} (the tolerances allow {bound})")],
    );
    let (held, rest): (Vec<_>, Vec<_>) = run
        .claims
        .iter()
        .partition(|claim| claim.holds == Some(true));
    let head = match (held.len(), run.claims.len()) {
        (_, 0) => None,
        (held, all) if held == all => Some(format!("all {all} as claimed")),
        (held, all) => Some(format!("{held} of {all} as claimed")),
    };
    let rest = rest
        .into_iter()
        .flat_map(|claim| wrapped(&format!("{}: {}", claim.name, verdict(claim))));
    page.entry("claims", head.into_iter().chain(rest));
}

/// One object: `{"parameter", "values", "runs"}`, where each run is as of one motion, or has the list `error`.
pub fn runs_json(parameter: &str, runs: &[(f64, Result<Run, String>)]) -> String {
    let values: Vec<f64> = runs.iter().map(|(x, _)| *x).collect();
    let line = |run: &Result<Run, String>| match run {
        Ok(run) => json_line(&run.summary()).trim_end().to_owned(),
        Err(why) => {
            let list = super::words_json(why, &[]);
            format!("{{\"error\":{}}}", list.trim_end())
        }
    };
    let lines: Vec<String> = runs.iter().map(|(_, run)| line(run)).collect();
    let (parameter, values) = (json_line(&parameter), json_line(&values));
    let (parameter, values) = (parameter.trim_end(), values.trim_end());
    let lines = lines.join(",");
    format!("{{\"parameter\":{parameter},\"values\":{values},\"runs\":[{lines}]}}\n")
}
