//! Every model of `strangers/` answers every question: end states and forces as computed by other means, in
//! every form; the words that are expected where there is no motion; and never a panic.
//!
//! The ordinary tests ask one model in so many, and run it by default and in two forms in turn; `cargo xtask corpus`
//! asks all, in every form, and prints how many runs there were.

use crate::common::corpus::{Entry, is_whole, over_the_corpus};
use crate::common::words;
use appell::{
    Control, ExitKind, FORMALISMS, FormValues, Formalism, Model, Prepared, Run, RunOptions, Source,
    State, check, eval, linearize, read, render, render_all, run, show,
};

/// What an expectation may be missed by, relative to `max(1, |value|)`.
const LIMIT: f64 = 1e-8;
/// In the ordinary test, one in so many forms is run beside the usual one.
const FORMS_AT_ONCE: usize = 6;
/// A motion that is to end at a time ends there as accurately as this.
const STOPS: f64 = 1e-3;

/// Claims that do not hold, on purpose, by model.
const FALSE: [(&str, &[&str]); 3] = [
    ("jumps-heading", &["heading"]),
    ("jumps-oscillator", &["k0", "k1", "k2"]),
    ("toe-angle-zero", &["stands", "spin"]),
];

/// The row whose multiplier an expectation speaks of.
fn row_of(expression: &str) -> Option<&str> {
    let row = expression.strip_prefix("multiplier(")?;
    row.strip_suffix(')')
}

/// The model, with the expected expressions as a plot: so they have values along the motion.
fn with_expectations(entry: &Entry) -> Result<Model, String> {
    let expected = entry.expected();
    let quantities: Vec<String> = expected
        .iter()
        .filter(|(expression, _)| *expression != "t" && row_of(expression).is_none())
        .map(|(expression, _)| format!("\"{expression}\""))
        .collect();
    let plot = match quantities.is_empty() {
        true => String::new(),
        false => format!("\n[[plots]]\nx = \"t\"\ny = [{}]\n", quantities.join(", ")),
    };
    let text = format!("{}{plot}", entry.text);
    let read = read(&entry.name, &text);
    read.map(|(model, _)| model)
        .map_err(|errors| render_all(&errors, &Source::new(&entry.name, &text), false))
}

/// The last value of a column of the samples.
fn last(motion: &Run, column: &str) -> Option<f64> {
    let place = motion
        .table
        .columns
        .iter()
        .position(|other| other == column)?;
    Some(motion.table.rows.last()?[place])
}

/// Whether a constraint has a force of which it is not known where it acts: then no body's is known.
fn acts_somewhere(motion: &Run) -> bool {
    let columns = &motion.table.columns;
    let shown = |constraint: &str| {
        let force = |prefix: &str| format!("{prefix}[{constraint} on ");
        let [force, torque] = ["R", "torque"].map(force);
        let mut names = columns.iter();
        names.any(|column| column.starts_with(&force) || column.starts_with(&torque))
    };
    let rows = columns.iter().filter_map(|column| {
        let row = column.strip_prefix("lambda[")?.strip_suffix(']')?;
        Some((row, last(motion, column)?))
    });
    let mut pushing = rows.filter(|(row, value)| *value != 0.0 && !row.starts_with("unit_"));
    pushing.any(|(row, _)| !shown(row.split('.').next().unwrap_or(row)))
}

/// What is wrong with the end of a motion, by the file's expectations.
fn misses(entry: &Entry, motion: &Run) -> Vec<String> {
    let mut wrong = Vec::new();
    let plot = motion.plots.last();
    let mut curves = plot.iter().flat_map(|plot| &plot.curves);
    for (expression, wanted) in entry.expected() {
        let found = match (expression, row_of(expression)) {
            ("t", _) => motion.last_time(),
            (_, Some(row)) => last(motion, &format!("lambda[{row}]")).unwrap_or(f64::NAN),
            _ => {
                let (name, points) = curves.next().expect("a curve for each");
                assert_eq!(name, expression);
                points.last().map_or(f64::NAN, |point| point.1)
            }
        };
        if found.is_nan() && expression.contains("R(") && acts_somewhere(motion) {
            continue;
        }
        let off = (found - wanted).abs() / wanted.abs().max(1.0);
        if off.is_nan() || off > LIMIT {
            wrong.push(format!(
                "{expression} = {found:e}, not {wanted:e}: {off:.1e}"
            ));
        }
    }
    wrong
}

/// What is wrong with a motion in a form; `None` where the form does not apply.
fn motion(
    p: &Prepared<'_>,
    entry: &Entry,
    form: Option<&'static Formalism>,
) -> Option<Vec<String>> {
    if form.is_some_and(|form| (form.derive)(&p.system, &p.constraints).is_err()) {
        return None;
    }
    let options = RunOptions {
        form,
        samples: Some(2),
        ..RunOptions::default()
    };
    let found = match run(p, &options, &mut Control::default()) {
        Ok(found) => found,
        Err(error) => return Some(vec![words(p, error)]),
    };
    if let Some(t) = entry.stops() {
        let ended = found.exit == ExitKind::NumericalFailure;
        let near = (found.last_time() - t).abs() <= STOPS;
        return Some(match ended && near {
            true => vec![],
            false => vec![format!("it should end at t = {t}: {}", found.outcome)],
        });
    }
    let mut wrong = misses(entry, &found);
    if found.exit != ExitKind::Done {
        wrong.push(found.outcome.clone());
    }
    if found.max_residual.is_nan() || found.max_residual > 1e-11 {
        wrong.push(format!("a residual of {:.1e}", found.max_residual));
    }
    if !found.ledger.closes() {
        wrong.push(format!("the energy does not balance: {:?}", found.ledger));
    }
    let known = FALSE.iter().find(|(name, _)| *name == entry.name);
    let is_false = |name: &str| known.is_some_and(|(_, claims)| claims.contains(&name));
    let judged = found
        .claims
        .iter()
        .filter_map(|claim| Some((claim, claim.holds?)));
    let misjudged = judged.filter(|(claim, holds)| *holds == is_false(&claim.name));
    wrong.extend(misjudged.map(|(claim, _)| format!("a claim: {claim:?}")));
    Some(wrong)
}

/// The motions of a model, of this number in the corpus; how many there were, and what was wrong.
fn motions(index: usize, entry: &Entry) -> (usize, Vec<String>) {
    let model = match with_expectations(entry) {
        Ok(model) => model,
        Err(_) if entry.refused().is_some() => return (0, vec![]),
        Err(words) => return (0, vec![words]),
    };
    if entry.refused().is_some() {
        return (0, vec!["it is not refused".to_owned()]);
    }
    let p = match Prepared::new(&model, &[], &[]) {
        Ok(p) => p,
        Err(error) => return (0, vec![error.to_string()]),
    };
    if model.simulate.until.is_none() {
        return (0, vec![]);
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    let chosen = |place: &usize| is_whole() || (place + index).is_multiple_of(FORMS_AT_ONCE);
    let forms = (0..FORMALISMS.len()).filter(chosen);
    let forms = forms.map(|place| Some(FORMALISMS[place]));
    for form in [None].into_iter().chain(forms) {
        let Some(faults) = motion(&p, entry, form) else {
            continue;
        };
        count += 1;
        let name = form.map_or("by default", |form| form.id);
        wrong.extend(faults.into_iter().map(|what| format!("{name}: {what}")));
    }
    (count, wrong)
}

#[test]
fn every_motion_ends_as_expected_in_every_form() {
    let runs = over_the_corpus(3, motions);
    println!("{runs} runs");
    assert!(runs >= if is_whole() { 1500 } else { 100 }, "{runs}");
}

/// The model as it is, ready; `None` where it is to be refused.
fn prepared(entry: &Entry) -> Option<Model> {
    let read = read(&entry.name, &entry.text);
    match (read, entry.refused()) {
        (Ok((model, _)), None) => Some(model),
        (Err(_), Some(_)) => None,
        (Ok(_), Some(why)) => panic!("not refused, though {why}"),
        (Err(errors), None) => {
            let source = Source::new(&entry.name, &entry.text);
            panic!("{}", render_all(&errors, &source, false))
        }
    }
}

/// The start as a state.
fn start(p: &Prepared<'_>) -> Option<State> {
    let options = RunOptions::until(0.0);
    let start = run(p, &options, &mut Control::default()).ok()?.start;
    Some(State {
        t: start.t,
        q: start.q,
        v: Some(start.v),
        z: None,
    })
}

/// Values at the start: those of all forms agree, and none is undefined where the state moves.
fn values(p: &Prepared<'_>) -> Vec<String> {
    let Some(state) = start(p) else {
        return vec![];
    };
    let evaluation = eval(p, &[state], FORMALISMS);
    assert!(!show::eval_text(p, &evaluation).is_empty());
    let values = &evaluation.states[0];
    let Some(accel) = &values.accel else {
        return vec![];
    };
    let size = accel.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    let mut wrong = Vec::new();
    for (id, result) in &values.forms {
        match result {
            FormValues::Values { accel: by_form, .. } => {
                let apart = by_form.iter().zip(accel).map(|(x, y)| (x - y).abs());
                let apart = apart.fold(0.0, f64::max);
                if apart.is_nan() || apart > LIMIT * size {
                    wrong.push(format!("{id}: {by_form:?} for {accel:?}"));
                }
            }
            FormValues::Unavailable { .. } => {}
            FormValues::Undefined { why, .. } => wrong.push(format!("{id}: {why}")),
        }
    }
    wrong
}

#[test]
fn every_start_has_the_same_values_in_every_form() {
    over_the_corpus(6, |_, entry| {
        let Some(model) = prepared(entry) else {
            return (0, vec![]);
        };
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        (1, values(&p))
    });
}

#[test]
fn every_model_is_derived_and_linearised() {
    over_the_corpus(12, |_, entry| {
        let Some(model) = prepared(entry) else {
            return (0, vec![]);
        };
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        let mut wrong = Vec::new();
        for form in FORMALISMS.iter().copied() {
            let text = show::derivation_text(&p, form, false);
            let empty = text.map_or_else(|why| why.to_string().is_empty(), |text| text.is_empty());
            if empty {
                wrong.push(format!("{}: nothing derived", form.id));
            }
        }
        match linearize(&p, None) {
            Ok(found) => assert!(!show::linearize_text(&found).is_empty()),
            Err(refused) => assert!(!refused.to_string().is_empty()),
        }
        (1, wrong)
    });
}

/// The classes of rows take long where bodies turn by quaternions: of these, two.
fn is_checked(entry: &Entry) -> bool {
    let few = ["hoop-quaternion", "funnel-tiny-entry"];
    !entry.text.contains("quaternion = ") || few.contains(&entry.name.as_str())
}

#[test]
fn every_model_is_checked() {
    over_the_corpus(16, |_, entry| {
        let Some(model) = prepared(entry).filter(|_| is_checked(entry)) else {
            return (0, vec![]);
        };
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        let (answer, problem) = check(&p, None);
        assert!(!show::check_text(&p, &answer).is_empty());
        let moves = entry.stops().is_none() && model.simulate.until.is_some();
        let problem = problem.filter(|_| moves);
        let words = problem.map(|problem| render(&problem, &model.source, false));
        (1, words.into_iter().collect())
    });
}
