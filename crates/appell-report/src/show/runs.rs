//! The motions for several values of a parameter, and by several forms.

use super::json::json_line;
use super::layout::{Page, wrapped};
use super::number::{size, value};
use super::run::verdict;
use appell_study::motion::run::Run;
use appell_study::values::prepared::Prepared;

/// How the motion ended for each value, its energy and the claims that do not hold.
pub fn runs_text(parameter: &str, runs: &[(f64, Result<Run, Failure>)]) -> String {
    let mut page = Page::default();
    for (x, run) in runs {
        page.line(&format!("{parameter} = {}", value(*x)));
        match run {
            Ok(run) => one(&mut page, run),
            Err(why) => page.entry("no motion", wrapped(&why.words)),
        }
    }
    page.finish()
}

/// Why there is no motion.
pub struct Failure {
    /// In words.
    pub words: String,
    /// As the JSON list `error`.
    pub list: String,
}

/// What a form gives of a motion.
pub enum FormRun {
    /// It does not apply, for this reason.
    Unavailable(String),
    /// The motion.
    Motion(Box<Run>),
    /// There is none, for this reason.
    Wrong(Failure),
}

/// The motions by several forms, and what each differs by from the first.
pub fn forms_text(p: &Prepared<'_>, runs: &[(&'static str, FormRun)]) -> String {
    let mut page = Page::default();
    let mut first: Option<(&str, &Run)> = None;
    for (id, run) in runs {
        page.line(id);
        match run {
            FormRun::Motion(run) => {
                one(&mut page, run);
                if let Some((other, base)) = first {
                    let apart = size(apart(base, run, 2 * p.system.n()));
                    page.entry("beside", [format!("at most {apart} from {other}, relative to coordinates and velocities above 1")]);
                }
                first = first.or(Some((id, run)));
            }
            FormRun::Unavailable(why) => page.entry("unavailable", wrapped(why)),
            FormRun::Wrong(why) => page.entry("no motion", wrapped(&why.words)),
        }
    }
    page.finish()
}

/// By how much two motions differ in coordinates and velocities at the samples that they share, relative to these where they
/// are above 1.
fn apart(a: &Run, b: &Run, columns: usize) -> f64 {
    let pairs = a.table.rows.iter().zip(&b.table.rows);
    let shared = pairs.take_while(|(a, b)| a[0] == b[0]);
    let differences = shared.flat_map(|(a, b)| {
        let state = a[1..].iter().zip(&b[1..]).take(columns);
        state.map(|(a, b)| (a - b).abs() / a.abs().max(1.0))
    });
    differences.fold(0.0, f64::max)
}

/// One object: `{"forms": {..}}`, where each is as of one motion, or has `unavailable`, or the list `error`.
pub fn forms_json(runs: &[(&'static str, FormRun)]) -> String {
    let entry = |(id, run): &(&'static str, FormRun)| {
        let value = match run {
            FormRun::Motion(run) => summary(run),
            FormRun::Unavailable(why) => {
                format!("{{\"unavailable\":{}}}", json_line(why).trim_end())
            }
            FormRun::Wrong(why) => wrong(why),
        };
        format!("\"{id}\":{value}")
    };
    let entries: Vec<String> = runs.iter().map(entry).collect();
    format!("{{\"forms\":{{{}}}}}\n", entries.join(","))
}

fn summary(run: &Run) -> String {
    json_line(&run.summary()).trim_end().to_owned()
}

fn wrong(why: &Failure) -> String {
    format!("{{\"error\":{}}}", why.list.trim_end())
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
pub fn runs_json(parameter: &str, runs: &[(f64, Result<Run, Failure>)]) -> String {
    let values: Vec<f64> = runs.iter().map(|(x, _)| *x).collect();
    let line = |run: &Result<Run, Failure>| match run {
        Ok(run) => summary(run),
        Err(why) => wrong(why),
    };
    let lines: Vec<String> = runs.iter().map(|(_, run)| line(run)).collect();
    let (parameter, values) = (json_line(&parameter), json_line(&values));
    let (parameter, values) = (parameter.trim_end(), values.trim_end());
    let lines = lines.join(",");
    format!("{{\"parameter\":{parameter},\"values\":{values},\"runs\":[{lines}]}}\n")
}
