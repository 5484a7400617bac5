//! The summary of a motion.

use super::layout::{Page, columns, listed, wrapped};
use super::number::{size, value};
use crate::padding;
use crate::units::Units;
use appell_study::motion::along::ClaimResult;
use appell_study::motion::ledger::Ledger;
use appell_study::motion::run::Run;
use appell_study::values::found::Start;
use appell_study::values::prepared::Prepared;

/// Freedoms, form, start, steps, residual, ledger, claims and the outcome: what `appell run` says
/// on standard error.
pub fn run_text(p: &Prepared<'_>, run: &Run) -> String {
    let mut page = Page::default();
    page.entry(
        "freedoms",
        [format!("{} of {} coordinates", run.freedoms, p.system.n())],
    );
    page.entry("form", [format!("{}: {}", run.form.id, run.form.title)]);
    // A few operations less are no news.
    let shorter = run
        .operations
        .filter(|[short, written]| 5 * short <= 4 * written);
    if let Some([short, written]) = shorter {
        let line = format!("run by a shorter program: {short} operations instead of {written}");
        page.entry("", [line]);
    }
    page.entry(
        "method",
        [format!("{}: {}", run.method.id, run.method.title)],
    );
    for line in run.why.iter().chain(&run.trajectory.remarks) {
        page.entry("", wrapped(line));
    }
    if let Some(remark) = &run.backend_remark {
        page.entry("backend", wrapped(remark));
    }
    page.entry("start", start_lines(p, &run.start));
    let units = Units::of(p.model);
    page.entry("units", listed(units.iter().flat_map(Units::listed)));
    let motion = &run.trajectory;
    let (steps, rejected, evaluations) = (motion.steps, motion.rejected, motion.rhs_evaluations);
    page.entry(
        "steps",
        [format!(
            "{steps}, and {rejected} rejected; {evaluations} evaluations"
        )],
    );
    page.entry(
        "residual",
        [format!(
            "at most {} relative to its terms",
            size(run.max_residual)
        )],
    );
    page.entry("energy", ledger_lines(&run.ledger));
    page.entry(
        "forces",
        remarks_on_forces(run).iter().flat_map(|said| wrapped(said)),
    );
    page.entry("claims", claim_lines(&run.claims));
    for line in wrapped(&run.outcome) {
        page.line(&line);
    }
    page.finish()
}

/// Given -> used, with what had to be chosen.
pub(super) fn start_lines(p: &Prepared<'_>, start: &Start) -> Vec<String> {
    let mut lines = vec![format!("t = {}", value(start.t))];
    let headed = |head: &str, items: Vec<String>| {
        let lines = listed(items).into_iter().enumerate();
        let line =
            |(i, line): (usize, String)| format!("{:7}{line}", if i == 0 { head } else { "" });
        lines.map(line).collect::<Vec<String>>()
    };
    lines.extend(headed("given", start.given.clone()));
    lines.extend(headed("used", state_items(p, start)));
    if start.projected {
        let (before, after) = (size(start.residual_before), size(start.residual_after));
        lines.push(format!(
            "moved on to the constraints: residual {before} -> {after} relative to its terms"
        ));
    } else {
        lines.push(format!(
            "residual {} relative to its terms",
            size(start.residual_after)
        ));
    }
    lines.extend(start.remarks.iter().flat_map(|remark| wrapped(remark)));
    lines
}

/// `x = 1, ..., x' = 2, ..., z1 = 3`
fn state_items(p: &Prepared<'_>, start: &Start) -> Vec<String> {
    let item = |(name, x): (String, &f64)| format!("{name} = {}", value(*x));
    let names = p.model.state_names().into_iter();
    let state = names.zip(start.q.iter().chain(&start.v)).map(item);
    let variables = p.model.motion.variables.iter();
    let variables = variables.map(|variable| variable.name.clone());
    let parameters = variables.zip(start.z.iter().flatten()).map(item);
    state.chain(parameters).collect()
}

fn ledger_lines(ledger: &Ledger) -> Vec<String> {
    let row = |name: &str, x: f64| vec![name.to_owned(), value(x)];
    let mut rows = vec![row("change", ledger.change)];
    rows.extend(
        ledger
            .work
            .iter()
            .map(|(name, work)| row(&format!("work of {name}"), *work)),
    );
    let (defect, bound) = (size(ledger.defect), size(ledger.bound));
    rows.push(vec![
        "defect".to_owned(),
        format!("{defect} (the tolerances allow {bound})"),
    ]);
    let mut lines = columns(&rows);
    if let Some(star) = ledger.energy_star {
        let both = [("E", ledger.energy), ("E*", star)];
        let row = |(name, [first, last]): (&str, [f64; 2])| {
            let (first, last, change) = (value(first), value(last), value(last - first));
            vec![
                name.to_owned(),
                format!("{first} -> {last}"),
                format!("change {change}"),
            ]
        };
        lines.extend(columns(&both.map(row)));
    }
    lines
}

/// What is to be known of the forces that are shown.
pub(crate) fn remarks_on_forces(run: &Run) -> Vec<String> {
    let open = run.indeterminate.iter().map(|found| found.text.clone());
    let distributed = (!run.distributed.is_empty()).then(|| {
        format!(
            "the forces of {} on single bodies are those of an ideal guide, by Gauss' principle; what a motor exerts is \
             said by `reaction = {{ on = .., torque = .., against = .. }}`",
            run.distributed.join(", ")
        )
    });
    open.chain(distributed).collect()
}

fn claim_lines(claims: &[ClaimResult]) -> Vec<String> {
    let width = claims
        .iter()
        .map(|claim| claim.name.chars().count())
        .max()
        .unwrap_or(0);
    let line =
        |claim: &ClaimResult| format!("{}  {}", padding::left(&claim.name, width), verdict(claim));
    claims.iter().map(line).collect()
}

/// What became of a claim, with its drift and the reason.
pub(crate) fn verdict(claim: &ClaimResult) -> String {
    let word = match (claim.holds, claim.refuted) {
        (Some(true), false) => "holds",
        (Some(true), true) => "refuted, as claimed",
        (Some(false), _) => "does not hold",
        (None, _) => "not decided",
    };
    let of = match (claim.least_multipliers, claim.holds) {
        (true, Some(_)) => " for the least multipliers, of several",
        _ => "",
    };
    let at = match (claim.missed_at, claim.samples, claim.drift) {
        (Some(t), ..) => format!(" at t = {}", value(t)),
        (_, Some(samples), Some(_)) => format!(" at the {samples} samples"),
        _ => String::new(),
    };
    let drift = claim
        .drift
        .map_or_else(String::new, |drift| format!(" (drift {})", size(drift)));
    let why = claim
        .why
        .as_ref()
        .map_or_else(String::new, |why| format!(": {why}"));
    format!("{word}{of}{at}{drift}{why}")
}
