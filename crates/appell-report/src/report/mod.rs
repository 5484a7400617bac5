//! The page of a model: its equations, its motion and its forces in one file.

mod beside;
mod draft;
mod plots;
mod scene;

use crate::page::{self, Assets, Page, ProofGroup};
use crate::plot::Figure;
use crate::show;
use crate::tex;
use appell_expr::latex_name;
use appell_expr::limits::{attempt, regardless};
use appell_flow::{Control, ExitKind};
use appell_model::{Claim, ClaimKind, Diagnostic};
use appell_study::motion::along::ClaimResult;
use appell_study::motion::choices::{RunOptions, settings};
use appell_study::motion::run::Run;
use appell_study::motion::sampled_motion::SampledMotion;
use appell_study::questions::prove::{ClaimVerdict, Proof, Verdict};
use appell_study::values::error::Error;
use appell_study::values::outputs::drawn;
use appell_study::values::prepared::Prepared;

use draft::Moved;

pub use draft::Draft;

/// A page with what belongs to it.
#[derive(Debug, Clone)]
pub struct Report {
    /// The page, one file of HTML.
    pub html: String,
    /// The equations of the form that was run, a fragment of an article in LaTeX.
    pub tex: String,
    /// The plots of the page, one SVG document each.
    pub pictures: Vec<Figure>,
    /// The motion that it shows; none where the work was stopped before it began.
    pub run: Option<Run>,
}

/// Fewer samples than these make a motion jerky.
const SMOOTH: usize = 601;
/// The page keeps no more than these.
const KEPT: usize = 801;
/// Of everything that is drawn it keeps about so many numbers, but a hundred samples in any case.
const NUMBERS: usize = 60_000;

/// Looks at the model, proves what can be proved, runs it, and writes the page; `warnings` are those of
/// reading it.
///
/// # Errors
/// As for [`appell_study::motion::run::run()`].
pub fn report(
    p: &Prepared<'_>,
    options: &RunOptions,
    warnings: &[Diagnostic],
    control: &mut Control<'_>,
) -> Result<Report, Error> {
    let (page, run) = whole(p, options, warnings, control)?;
    Ok(Report {
        html: page::write(&page, &Assets::embedded()),
        tex: show::harmless(&tex::fragment(&page)),
        pictures: page.plots.iter().map(|plot| plot.figure.clone()).collect(),
        run,
    })
}

/// The page of a [`report()`] alone, with a style and a script that the caller has: a program for browsers need not
/// hold what stands beside it.
///
/// # Errors
/// As for [`report()`].
pub fn html(
    p: &Prepared<'_>,
    options: &RunOptions,
    warnings: &[Diagnostic],
    assets: &Assets,
    control: &mut Control<'_>,
) -> Result<String, Error> {
    let (page, _) = whole(p, options, warnings, control)?;
    Ok(page::write(&page, assets))
}

/// All that is told, and the motion. What was not found yet when the work was stopped is left out.
fn whole(
    p: &Prepared<'_>,
    options: &RunOptions,
    warnings: &[Diagnostic],
    control: &mut Control<'_>,
) -> Result<(Page, Option<Run>), Error> {
    let options = smooth(p, options);
    // What cannot run says so before anything slow begins.
    settings(p, &options, 0.0)?;
    let (beside, moved) = beside::beside(p, options.form, control.cancel, || {
        attempt(|| draft::moved(p, &options, control))
    });
    let beside = beside?;
    let (moved, stopped) = match moved {
        Ok(moved) => (Some(moved?), None),
        Err(why) => (None, Some(why)),
    };
    let mut draft = Draft {
        forms: beside.forms,
        moved,
        classification: beside.classification,
        proof: Some(beside.proof),
    };
    let mut page = regardless(|| page(p, &options, warnings, &draft))?;
    if let Some(why) = stopped {
        page.outcome = format!("The motion was not computed: {why}.");
    }
    let run = draft.moved.take().map(|moved| moved.run);
    Ok((page, run))
}

/// With samples enough for a smooth motion.
fn smooth(p: &Prepared<'_>, options: &RunOptions) -> RunOptions {
    let wanted = options.samples.or(p.model.simulate.samples);
    RunOptions {
        samples: Some(wanted.map_or(SMOOTH, |count| count.max(SMOOTH))),
        ..options.clone()
    }
}

/// What the page says, as far as it is known.
fn page(
    p: &Prepared<'_>,
    options: &RunOptions,
    warnings: &[Diagnostic],
    draft: &Draft,
) -> Result<Page, Error> {
    let moved = draft.moved.as_ref();
    let run = moved.map(|moved| &moved.run);
    let claims = claims(p, draft.proof.as_ref(), run);
    let (outcome, last) = run.map_or_else(Default::default, |run| parted(&run.outcome));
    let ended = run.is_some_and(|run| run.exit == ExitKind::Done);
    let times = |moved: &Moved| -> Vec<f64> {
        let samples = &moved.run.trajectory.samples;
        moved.kept.iter().map(|i| samples[*i].t).collect()
    };
    Ok(Page {
        title: p.model.title.clone(),
        origin: p.model.origin.clone(),
        about: p.model.about.clone(),
        summary: run.map_or(Vec::new(), |run| {
            // Of claims only when all is known.
            let told: &[page::Claim] = if draft.proof.is_some() { &claims } else { &[] };
            summary(p, run, told)
        }),
        well: ended && claims.iter().all(|claim| claim.holds != Some(false)),
        outcome,
        file: file_name(p).to_owned(),
        text: p.model.source.text.clone(),
        parameters: parameters(p),
        classification: draft.classification.clone(),
        warnings: warnings
            .iter()
            .map(|warning| warning.message.clone())
            .collect(),
        form: match (run, draft.forms.first()) {
            (Some(run), _) => run.form.id,
            (None, first) => first.map_or("", |form| form.id),
        },
        forms: draft.forms.clone(),
        proof: draft.proof.as_ref().map_or(Vec::new(), groups),
        claims,
        times: moved.map_or(Vec::new(), times),
        scene: moved.and_then(|moved| moved.scene.clone()),
        plots: moved.map_or(Vec::new(), |moved| moved.plots.clone()),
        provenance: match run {
            Some(run) => provenance(p, run, options, &last)?,
            None => Vec::new(),
        },
    })
}

/// The name of the model's file; where it lies is nobody's business.
fn file_name<'p>(p: &'p Prepared<'_>) -> &'p str {
    let name = &p.model.source.name;
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// About how many numbers a sample has on the page.
fn columns(sampled_motion: &SampledMotion<'_, '_>) -> usize {
    let equations = &sampled_motion.own().equations;
    let drawn: usize = drawn(sampled_motion.p.model).iter().map(Vec::len).sum();
    drawn + 11 * equations.forces.len() + equations.ledger.len() + 4 * sampled_motion.p.system.n()
}

/// The samples that the page keeps: the first, the last, and evenly spaced ones between.
fn kept(samples: usize, columns: usize) -> Vec<usize> {
    let most = (NUMBERS / columns.max(1)).clamp(101, KEPT);
    let stride = samples.div_ceil(most).max(1);
    let last = samples.checked_sub(1);
    let inner = (0..samples.saturating_sub(1)).step_by(stride);
    inner.chain(last).collect()
}

/// The motion and its account in plain sentences.
fn summary(p: &Prepared<'_>, run: &Run, claims: &[page::Claim]) -> Vec<String> {
    let mut said = vec![format!(
        "The constraints hold to {} of their terms; the energy balances to {}, and the tolerances \
         allow {}.",
        show::size(run.max_residual),
        show::size(run.ledger.defect.abs()),
        show::size(run.ledger.bound)
    )];
    if p.constraints.k() == 0 {
        said = vec![format!(
            "The energy balances to {}, and the tolerances allow {}.",
            show::size(run.ledger.defect.abs()),
            show::size(run.ledger.bound)
        )];
    }
    said.extend(
        show::remarks_on_forces(run)
            .iter()
            .map(|said| sentence(said)),
    );
    let count = |holds: Option<bool>| claims.iter().filter(|claim| claim.holds == holds).count();
    let all = claims.len();
    let wrong = p.model.claims.iter().filter(|claim| claim.refuted).count();
    said.extend(match (count(Some(true)), count(Some(false))) {
        _ if all == 0 => None,
        (holds, _) if holds == all => Some(all_as_claimed(all, wrong)),
        (right, 0) => Some(format!(
            "Of {all} claims {right} {}, the others are open.",
            as_told(wrong)
        )),
        (right, not) => Some(format!(
            "Of {all} claims {right} {} and {not} {} not.",
            as_told(wrong),
            if wrong == 0 { "do" } else { "are" }
        )),
    });
    said
}

/// A remark as a sentence of its own.
fn sentence(remark: &str) -> String {
    let mut letters = remark.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// A claim that a formula is wrong does not hold, it is right.
fn as_told(wrong: usize) -> &'static str {
    match wrong {
        0 => "hold",
        _ => "are as the file says",
    }
}

/// That all claims hold, and that the formulas that the file calls wrong are.
fn all_as_claimed(all: usize, wrong: usize) -> String {
    let right = match all - wrong {
        0 => None,
        1 => Some("The claim of the file holds".to_owned()),
        n => Some(format!("All {n} claims of the file hold")),
    };
    let refuted = match wrong {
        0 => None,
        1 => Some("the formula that it marks as wrong is refuted".to_owned()),
        n => Some(format!(
            "the {n} formulas that it marks as wrong are refuted"
        )),
    };
    match (right, refuted) {
        (Some(right), Some(refuted)) => format!("{right}, and {refuted}."),
        (Some(right), None) => format!("{right}."),
        (None, _) if wrong == 1 => {
            "The formula that the file marks as wrong is refuted.".to_owned()
        }
        (None, _) => format!("The {wrong} formulas that the file marks as wrong are refuted."),
    }
}

/// A sentence about a motion without the state in brackets, and that state.
fn parted(outcome: &str) -> (String, String) {
    let parts = outcome.split_once(" (").and_then(|(before, rest)| {
        let (state, after) = rest.split_once(')')?;
        Some((format!("{before}{after}"), state.to_owned()))
    });
    parts.unwrap_or_else(|| (outcome.to_owned(), String::new()))
}

fn parameters(p: &Prepared<'_>) -> Vec<page::Parameter> {
    let parameters = p.model.parameters.iter().zip(&p.parameters);
    let row = |(parameter, value): (&appell_model::Parameter, &f64)| page::Parameter {
        latex: latex_name(&parameter.name),
        value: show::value(*value),
        unit: parameter.unit.clone().unwrap_or_default(),
        about: parameter.about.clone().unwrap_or_default(),
    };
    parameters.map(row).collect()
}

/// Whether it is proved; `None` where that is open.
fn settled(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Proved { .. } => Some(true),
        Verdict::Refuted { .. } => Some(false),
        Verdict::Undecided { .. } => None,
    }
}

/// The verdict with the state that refutes, if there is one.
fn in_words(verdict: &Verdict) -> String {
    let witness = show::refuting(verdict);
    let witness: Vec<&str> = witness.iter().map(|line| line.trim()).collect();
    match witness.is_empty() {
        true => show::words(verdict),
        false => format!("{}: {}", show::words(verdict), witness.join(", ")),
    }
}

fn groups(proof: &Proof) -> Vec<ProofGroup> {
    let row = |name: String, verdict: &Verdict| (name, in_words(verdict), settled(verdict));
    let equivalence = proof.equivalence.iter();
    let identities = proof.identities.iter();
    vec![
        ProofGroup {
            title: "The forms are equivalent".to_owned(),
            rows: equivalence
                .map(|e| row(format!("{} = {}", e.a, e.b), &e.verdict))
                .collect(),
        },
        ProofGroup {
            title: "Identities that hold for every model, here for this one".to_owned(),
            rows: identities
                .map(|i| row(i.name.clone(), &i.verdict))
                .collect(),
        },
    ]
}

/// Where no proof was sought yet.
const NOT_YET: &str = "not yet";

fn claims(p: &Prepared<'_>, proof: Option<&Proof>, run: Option<&Run>) -> Vec<page::Claim> {
    let one = |(index, claim): (usize, &Claim)| {
        let mut proofs = proof.iter().flat_map(|proof| &proof.claims);
        let proved = proofs.find(|proved| proved.name == claim.name);
        let along = run.and_then(|run| run.claims.get(index));
        let mut judged = one_claim(p, claim, proved, along);
        if proof.is_none() {
            judged.proof = NOT_YET.to_owned();
        }
        judged
    };
    p.model.claims.iter().enumerate().map(one).collect()
}

fn one_claim(
    p: &Prepared<'_>,
    claim: &Claim,
    proved: Option<&ClaimVerdict>,
    along: Option<&ClaimResult>,
) -> page::Claim {
    let text = as_written(&p.model.source.text, claim);
    let source = claim.cite.iter().chain(&claim.about).cloned();
    // A proof decides before numbers do.
    let moving = along.and_then(|along| along.holds);
    let holds = match proved.and_then(|proved| proved.holds) {
        Some(true) if moving == Some(false) => Some(false),
        Some(holds) => Some(holds),
        None => moving,
    };
    page::Claim {
        name: claim.name.clone(),
        text,
        proof: proved.map_or_else(String::new, |proved| in_words(&proved.verdict)),
        motion: along.map_or_else(String::new, show::verdict),
        holds,
        cite: source.collect::<Vec<String>>().join(": "),
    }
}

/// What is claimed, as it stands in the file after the claim's name: `constant = "E"`.
fn as_written(source: &str, claim: &Claim) -> String {
    let key = match claim.kind {
        ClaimKind::Constant(_) => "constant",
        ClaimKind::Equation(_) => "equation",
        ClaimKind::Always(_) => "always",
        ClaimKind::Class(_) => "class",
        ClaimKind::SingularAt(_) => "singular_at",
        ClaimKind::Equivalent(_) => "equivalent",
    };
    let rest = source.get(claim.span.end..).unwrap_or_default();
    let value = rest
        .split_once(key)
        .and_then(|(_, rest)| rest.split_once('='))
        .map(|(_, value)| value.trim_start());
    let value = value.map(|value| &value[..value_length(value)]);
    format!("{key} = {}", value.unwrap_or_default())
}

/// How long the value of TOML is that a text begins with: a string, or a list of such.
fn value_length(text: &str) -> usize {
    let (mut quote, mut open, mut escaped) = (None, 0usize, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(q), c) if q == c => {
                quote = None;
                if open == 0 {
                    return at + c.len_utf8();
                }
            }
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => open += 1,
            (None, ']') if open <= 1 => return at + 1,
            (None, ']') => open -= 1,
            (None, ',' | '}' | '\n') if open == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn provenance(
    p: &Prepared<'_>,
    run: &Run,
    options: &RunOptions,
    last: &str,
) -> Result<Vec<(String, String)>, Diagnostic> {
    let settings = settings(p, options, run.start.t)?;
    let motion = &run.trajectory;
    let rows = [
        ("Program", format!("Appell {}", env!("CARGO_PKG_VERSION"))),
        ("Model", file_name(p).to_owned()),
        ("Its SHA-256", page::digest(&p.model.source.text)),
        (
            "Form of the equations",
            format!("{} ({})", run.form.title, run.form.id),
        ),
        (
            "Method",
            format!("{} ({})", run.method.title, run.method.id),
        ),
        (
            "Tolerances",
            format!("relative {:e}, absolute {:e}", settings.rtol, settings.atol),
        ),
        (
            "Steps",
            format!(
                "{}, and {} rejected; {} evaluations",
                motion.steps, motion.rejected, motion.rhs_evaluations
            ),
        ),
        (
            "Residual of the constraints",
            format!(
                "at most {} relative to its terms",
                show::size(run.max_residual)
            ),
        ),
        (
            "Energy",
            format!(
                "changes by {}, of which {} is missing in the works; the tolerances allow {}",
                show::value(run.ledger.change),
                show::size(run.ledger.defect),
                show::size(run.ledger.bound)
            ),
        ),
    ];
    let last = ("Last state", last.to_owned());
    let rows = rows
        .into_iter()
        .chain([last])
        .filter(|(_, value)| !value.is_empty());
    Ok(rows.map(|(what, value)| (what.to_owned(), value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_shown_as_written() {
        let rows = [
            (r#""E" }"#, r#""E""#),
            (r#"["a", 'b]'], cite = "c" }"#, r#"["a", 'b]']"#),
            (r#""a \" b", x"#, r#""a \" b""#),
            ("1\n2", "1"),
            ("", ""),
        ];
        for (text, value) in rows {
            assert_eq!(&text[..value_length(text)], value, "{text}");
        }
    }

    #[test]
    fn the_state_is_taken_out_of_the_sentence() {
        let (sentence, state) = parted("It ended, t = 1 (x = 2, y = 3). Do this.");
        assert_eq!(
            (sentence.as_str(), state.as_str()),
            ("It ended, t = 1. Do this.", "x = 2, y = 3")
        );
        assert_eq!(parted("It (ended").1, "");
    }

    #[test]
    fn both_ends_are_kept_and_no_sample_twice() {
        assert_eq!(kept(0, 1), Vec::<usize>::new());
        assert_eq!(kept(1, 1), [0]);
        assert_eq!(kept(3, 1), [0, 1, 2]);
        let many = kept(100_001, 1);
        assert_eq!((many.first(), many.last()), (Some(&0), Some(&100_000)));
        assert!(many.len() <= KEPT + 1 && many.is_sorted_by(|a, b| a < b));
        assert!((100..=102).contains(&kept(100_001, 1_000_000).len()));
    }
}
