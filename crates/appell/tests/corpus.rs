//! Every model of `strangers/` answers every question: end states and forces as computed by other means, in
//! every form; the words that are expected where there is no motion; and never a panic.

mod common;

use appell::{
    Control, ExitKind, FORMALISMS, FormValues, Formalism, Model, Prepared, RunOptions, Source,
    State, check, eval, linearize, read, render, render_all, run, show,
};
use common::corpus::{Entry, corpus, in_threads};

/// What an expectation may be missed by, relative to `max(1, |value|)`.
const LIMIT: f64 = 1e-8;
/// A motion that is to end at a time ends there as accurately as this.
const STOPS: f64 = 1e-3;

/// The model, with the expected expressions as a plot: so they have values along the motion.
fn with_expectations(entry: &Entry) -> Result<Model, String> {
    let expected = entry.expected();
    let quantities: Vec<String> = expected
        .iter()
        .filter(|(expression, _)| *expression != "t")
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

/// What is wrong with the end of a motion, by the file's expectations.
fn misses(entry: &Entry, motion: &appell::Run) -> Vec<String> {
    let mut wrong = Vec::new();
    let plot = motion.plots.last();
    let mut curves = plot.iter().flat_map(|plot| &plot.curves);
    for (expression, wanted) in entry.expected() {
        let found = match expression {
            "t" => motion.last_time(),
            _ => {
                let (name, points) = curves.next().expect("a curve for each");
                assert_eq!(name, expression);
                points.last().map_or(f64::NAN, |point| point.1)
            }
        };
        let off = (found - wanted).abs() / wanted.abs().max(1.0);
        if !(off <= LIMIT) {
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
        Err(error) => return Some(vec![render(&error, &p.model.source, false)]),
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
    if !(found.max_residual <= 1e-11) {
        wrong.push(format!("a residual of {:.1e}", found.max_residual));
    }
    if !found.ledger.closes() {
        wrong.push(format!("the energy does not balance: {:?}", found.ledger));
    }
    let refuted = found
        .claims
        .iter()
        .filter(|claim| claim.holds == Some(false));
    wrong.extend(refuted.map(|claim| format!("a claim: {claim:?}")));
    Some(wrong)
}

/// All motions of a model; how many there were, and what was wrong.
fn motions(entry: &Entry) -> (usize, Vec<String>) {
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
        Err(error) => return (0, vec![render(&error, &model.source, false)]),
    };
    if model.simulate.until.is_none() {
        return (0, vec![]);
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    let forms = FORMALISMS.iter().map(|form| Some(*form));
    for form in [None].into_iter().chain(forms) {
        let Some(own) = motion(&p, entry, form) else {
            continue;
        };
        count += 1;
        let name = form.map_or("by default", |form| form.id);
        wrong.extend(own.into_iter().map(|what| format!("{name}: {what}")));
    }
    (count, wrong)
}

/// Collects what is wrong over all models, and fails with all of it.
fn over_the_corpus(question: impl Fn(&Entry) -> (usize, Vec<String>) + Sync) -> usize {
    let entries = corpus();
    assert!(entries.len() >= 160, "{}", entries.len());
    let answers = in_threads(entries.len(), |index| question(&entries[index]));
    let (mut count, mut wrong) = (0, Vec::new());
    for (entry, answer) in entries.iter().zip(answers) {
        match answer {
            Ok((own, words)) => {
                count += own;
                wrong.extend(
                    words
                        .into_iter()
                        .map(|what| format!("{}: {what}", entry.name)),
                );
            }
            Err(panic) => wrong.push(format!("{}: {panic}", entry.name)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    count
}

#[test]
fn every_motion_ends_as_expected_in_every_form() {
    let runs = over_the_corpus(motions);
    println!("{runs} runs");
    assert!(runs >= 1500, "{runs}");
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
    let (answer, _) = check(p, None);
    let start = answer.initial?.start;
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
    for (id, own) in &values.forms {
        match own {
            FormValues::Values { accel: own, .. } => {
                let apart = own.iter().zip(accel).map(|(x, y)| (x - y).abs());
                let apart = apart.fold(0.0, f64::max);
                if !(apart <= LIMIT * size) {
                    wrong.push(format!("{id}: {own:?} for {accel:?}"));
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
    over_the_corpus(|entry| {
        let Some(model) = prepared(entry) else {
            return (0, vec![]);
        };
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        (1, values(&p))
    });
}

#[test]
fn every_model_is_checked_derived_and_linearised() {
    over_the_corpus(|entry| {
        let Some(model) = prepared(entry) else {
            return (0, vec![]);
        };
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        let (answer, problem) = check(&p, None);
        assert!(!show::check_text(&p, &answer).is_empty());
        let mut wrong = Vec::new();
        if let Some(problem) = problem.filter(|_| entry.stops().is_none()) {
            wrong.push(render(&problem, &model.source, false));
        }
        for form in FORMALISMS.iter().copied() {
            let text = show::derivation_text(&p, form, true);
            let empty = text.map_or_else(|why| why.to_string().is_empty(), |text| text.is_empty());
            if empty {
                wrong.push(format!("{}: nothing derived", form.id));
            }
        }
        match linearize(&p, None) {
            Ok(found) => assert!(!show::linearize_text(&found).is_empty()),
            Err(refused) => assert!(!refused.why().is_empty()),
        }
        (1, wrong)
    });
}
