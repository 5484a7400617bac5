//! Every question on a model, and what two ways to the same answer must agree in.

use appell::limits::{attempt, stopped};
use appell::{
    ConservedOptions, EnsembleOptions, ExitKind, FORMALISMS, FormValues, Formalism, LANGUAGES,
    Members, Model, Prepared, Run, RunOptions, Source, State, check, conserved_with, ensemble,
    eval, export, linearize, prove, read, render_all, report, run, show,
};
use appell_flow::Workspace;
use appell_mech::output;
use appell_study::motion::choices::derived_for;
use appell_study::states::nearest::parameters_of;
use appell_study::states::start::start;
use serde_json::Value;

/// A question: what is wrong with its answer, in words.
pub type Question = (
    &'static str,
    fn(&Model, &Prepared<'_>) -> Result<(), String>,
);

/// Work on a question, and who lets it be done.
pub type Work<'w> = dyn FnMut() -> Result<(), String> + 'w;
pub type Ask<'a> = dyn FnMut(&'static str, &mut Work<'_>) + 'a;

/// All of them, the quick ones first.
pub const QUESTIONS: &[Question] = &[
    ("check", checked),
    ("eval", evaluated),
    ("run", moved),
    ("again", checked_again),
    ("threads", in_threads),
    ("linearize", linearized),
    ("derive", derived),
    ("export", exported),
    ("prove", proved),
    ("conserved", searched),
    ("report", reported),
];
/// How many of them are quick.
pub const QUICK: usize = 3;

/// Forms agree to this part of the largest acceleration at a regular state.
const APART: f64 = 1e-6;
/// This part of their terms is rounding.
const DIGITS: f64 = 1e-13;
/// What is 0 is changed by such a part of what 1 is changed by: levers and slopes of 1 round beside it.
const NEAR_ZERO: f64 = 1e-2;
/// Motions are short.
const UNTIL: f64 = 0.3;

/// Whether a question must be asked where this one is to be.
pub fn leads_to(question: &str, wanted: &str) -> bool {
    ["read", "prepare", wanted].contains(&question)
}

/// Reads a text, and asks what `ask` lets be asked, every question or the quick ones; whether it is a model.
pub fn each(text: &str, is_full: bool, ask: &mut Ask<'_>) -> bool {
    let mut good = None;
    ask("read", &mut || {
        match read("m.toml", text) {
            Ok((model, warnings)) => {
                render_all(&warnings, &model.source, false);
                good = Some(model);
            }
            Err(errors) => {
                let said = render_all(&errors, &Source::new("m.toml", text), false);
                if said.is_empty() {
                    return Err("a refusal without a word".to_owned());
                }
            }
        }
        Ok(())
    });
    let Some(model) = good else { return false };
    let mut prepared = None;
    ask("prepare", &mut || {
        prepared = Prepared::new(&model, &[], &[]).ok();
        Ok(())
    });
    let Some(p) = prepared else { return false };
    let count = if is_full { QUESTIONS.len() } else { QUICK };
    for (name, question) in &QUESTIONS[..count] {
        ask(name, &mut || question(&model, &p));
    }
    true
}

/// JSON that a program can read.
fn sound(json: &str) -> Result<Value, String> {
    serde_json::from_str(json).map_err(|error| format!("no JSON: {error}"))
}

fn checked(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    let (answer, _) = check(p, None);
    let (json, text) = (show::json_line(&answer), show::check_text(p, &answer));
    let found = sound(&json)?;
    let freedoms = found["dof"].to_string();
    if !text.contains(&freedoms) {
        return Err(format!(
            "the text does not have the {freedoms} freedoms of the JSON"
        ));
    }
    Ok(())
}

/// The same question to the same text, read anew.
fn checked_again(model: &Model, p: &Prepared<'_>) -> Result<(), String> {
    let json = show::json_line(&check(p, None).0);
    let again = read("m.toml", &model.source.text).map_err(|_| "it is not read again")?;
    let again = Prepared::new(&again.0, &[], &[])
        .map(|p| show::json_line(&check(&p, None).0))
        .map_err(|_| "it is not prepared again")?;
    match again == json || stopped().is_some() {
        true => Ok(()),
        false => Err("the second answer is another".to_owned()),
    }
}

fn evaluated(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    let Ok(start) = start(p) else {
        return Ok(());
    };
    let state = State {
        t: start.t,
        q: start.q,
        v: Some(start.v),
        z: None,
    };
    let answer = eval(p, std::slice::from_ref(&state), FORMALISMS);
    show::eval_text(p, &answer);
    sound(&show::json_line(&answer))?;
    // Out of budget there are none.
    let Some(values) = answer.states.first() else {
        return Ok(());
    };
    let Some(accel) = values
        .accel
        .as_ref()
        .filter(|_| values.status == appell::Status::Regular)
    else {
        return Ok(());
    };
    let size = accel.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    for (form, result) in &values.forms {
        let FormValues::Values { accel: by_form, .. } = result else {
            continue;
        };
        let off = apart(accel, by_form);
        let is_rounding =
            || off < rounding(p, form, &state) || off < swing(p, &state, accel, (form, by_form));
        if off.is_nan() || off > APART * size && !is_rounding() {
            return Err(format!("`{form}` is off by {off:.1e} of {size:.1e}"));
        }
    }
    Ok(())
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most, x| if x.is_nan() { x } else { x.max(most) })
}

/// How much of a form's accelerations may be rounding, by the sizes of the terms that they are summed from: where a blade
/// slips with 1e12, terms of 1e24 cancel.
fn rounding(p: &Prepared<'_>, form: &str, state: &State) -> f64 {
    let measured = || {
        let form = derived_for(p, Formalism::find(form)).ok()?;
        let State { t, q, v, .. } = state;
        let z = parameters_of(p, *t, q, v.as_ref()?, None);
        let y = p.carrier_state(form.carrier, *t, q, v.as_ref()?, z.as_deref())?;
        let values = form.measured_values(&[output::ACCEL]).ok()?;
        values.measured(&mut Workspace::default(), *t, &y).ok()
    };
    let sizes = measured().into_iter().flatten().map(|x| x.size);
    let size = sizes.fold(0.0, f64::max);
    // Terms without bound would excuse everything.
    if size.is_finite() { DIGITS * size } else { 0.0 }
}

/// How much accelerations, and those of a form, change where the state does by what forms may lose of it: `cos(1e12*v)`
/// has few digits, so has the sum of weights and contact forces where the gravity is 1e12, and beside terms of 1e8 what
/// an inertia of 1e-3 makes of their rounding.
fn swing(p: &Prepared<'_>, state: &State, accel: &[f64], (form, by_form): (&str, &[f64])) -> f64 {
    let nudged = |x: &[f64], by: [f64; 2]| {
        let each = x.iter().zip(by.iter().cycle());
        each.map(|(x, by)| x * (1.0 + by) + by * NEAR_ZERO)
            .collect()
    };
    let forms: Vec<&Formalism> = FORMALISMS
        .iter()
        .copied()
        .filter(|f| f.id == form)
        .collect();
    let change = |(q, v): ([f64; 2], [f64; 2])| {
        let beside = State {
            q: nudged(&state.q, q),
            v: state.v.as_ref().map(|x| nudged(x, v)),
            ..state.clone()
        };
        let answer = eval(p, &[beside], &forms);
        let other = answer.states[0].accel.as_deref().unwrap_or_default();
        let of_form = answer.states[0]
            .forms
            .get(form)
            .and_then(|values| match values {
                FormValues::Values { accel: beside, .. } => Some(apart(beside, by_form)),
                _ => None,
            });
        apart(other, accel).max(of_form.unwrap_or_default())
    };
    let alike = [1.0, -1.0, 2.0].map(|by| ([by * 1e-14; 2], [by * 1e-12; 2]));
    let alternate = ([0.0; 2], [1e-15, -1e-15]);
    let changes = alike.into_iter().chain([alternate]).map(change);
    changes.fold(0.0, f64::max)
}

fn options(backend: &str) -> RunOptions {
    RunOptions {
        until: None,
        backend: Some(backend.to_owned()),
        samples: Some(3),
        ..RunOptions::default()
    }
}

/// A short motion from the start.
fn motion(p: &Prepared<'_>, backend: &str) -> Option<Run> {
    let until = Some(start(p).ok()?.t + UNTIL);
    let options = RunOptions {
        until,
        ..options(backend)
    };
    run(p, &options, &mut Default::default()).ok()
}

fn moved(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    let Some(first) = motion(p, "interp") else {
        return Ok(());
    };
    show::run_text(p, &first);
    sound(&show::json_line(&first.summary()))?;
    show::write_csv(&first.table, &mut std::io::sink()).map_err(|error| error.to_string())?;
    // Nobody asks for more when the time is up.
    if stopped().is_some() {
        return Ok(());
    }
    let Some(second) = motion(p, "jit") else {
        return Ok(());
    };
    if stopped().is_some() {
        return Ok(());
    }
    let bits = |run: &Run| -> Vec<u64> { run.last_state().iter().map(|x| x.to_bits()).collect() };
    match bits(&first) == bits(&second) && first.outcome == second.outcome {
        true => Ok(()),
        false => Err(format!(
            "the interpreter and machine code differ: {:?} {} and {:?} {}",
            first.last_state(),
            first.outcome,
            second.last_state(),
            second.outcome
        )),
    }
}

fn in_threads(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    let Ok(start) = start(p) else {
        return Ok(());
    };
    let Some(name) = p.model.coordinates.first().map(|c| c.name.clone()) else {
        return Ok(());
    };
    let q = start.q.first().copied().unwrap_or_default();
    let values = (0..20).map(|i| q + 1e-3 * f64::from(i)).collect();
    let members = Members::new(vec![name], values);
    let ends = |threads: usize| {
        let run = RunOptions {
            until: Some(start.t + UNTIL),
            samples: None,
            ..options("interp")
        };
        let options = EnsembleOptions { run, threads };
        ensemble(p, &members, &options, &mut Default::default()).ok()
    };
    let (Some(one), Some(two)) = (ends(1), ends(2)) else {
        return Ok(());
    };
    let bits = |all: &[f64]| -> Vec<u64> { all.iter().map(|x| x.to_bits()).collect() };
    match stopped().is_some() || bits(&one.y) == bits(&two.y) && one.endings == two.endings {
        true => Ok(()),
        false => Err("two threads end elsewhere than one".to_owned()),
    }
}

fn linearized(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    if let Ok(found) = linearize(p, None) {
        show::linearize_text(&found);
        sound(&show::linearize_json(&[found]))?;
    }
    Ok(())
}

fn derived(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    for form in FORMALISMS {
        // That a form does not apply is an answer.
        let _ = show::derivation_text(p, form, true);
    }
    sound(&show::derivation_json(p, &FORMALISMS[..2], false)).map(|_| ())
}

fn exported(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    for language in LANGUAGES {
        export(p, &FORMALISMS[..1], language);
    }
    Ok(())
}

fn proved(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    let proof = prove(p);
    show::proof_text(p, &proof);
    sound(&show::json_line(&proof))?;
    if stopped().is_some() {
        return Ok(());
    }
    let Some(run) = motion(p, "interp").filter(|run| run.exit == ExitKind::Done) else {
        return Ok(());
    };
    for claim in proof
        .claims
        .iter()
        .filter(|claim| claim.holds == Some(true))
    {
        // What is refuted at some state may hold on a motion: only what is proved must.
        let along = run
            .claims
            .iter()
            .find(|other| other.name == claim.name && !other.refuted);
        if along.is_some_and(|other| other.holds == Some(false)) {
            return Err(format!(
                "`{}` is proved, and does not hold along the motion",
                claim.name
            ));
        }
    }
    Ok(())
}

fn searched(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    let options = ConservedOptions {
        degree: 1,
        ..Default::default()
    };
    let found = conserved_with(p, &options, None);
    show::conserved_text(p, &found);
    sound(&show::json_line(&found)).map(|_| ())
}

fn reported(_: &Model, p: &Prepared<'_>) -> Result<(), String> {
    let Ok(start) = start(p) else {
        return Ok(());
    };
    let options = RunOptions {
        until: Some(start.t + UNTIL),
        ..options("interp")
    };
    let Ok(page) = report(p, &options, &[], &mut Default::default()) else {
        return Ok(());
    };
    match page.html.ends_with("</html>\n") {
        true => Ok(()),
        false => Err("the page has no end".to_owned()),
    }
}

/// The answer to a question that is asked under a stop.
pub fn under<T>(stop: std::sync::Arc<appell::limits::Stop>, work: impl FnOnce() -> T) -> Option<T> {
    appell::limits::under(Some(stop), || attempt(work)).ok()
}
