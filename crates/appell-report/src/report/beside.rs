//! What stands on the page besides the motion: found while that is computed, each part in a thread of
//! its own from a reading of its own, so that no part depends on what another has derived.

use crate::page::Form;
use crate::show;
use appell_expr::Style;
use appell_expr::limits::{Why, attempt, current, under};
use appell_mech::{FORMALISMS, Formalism};
use appell_model::Diagnostic;
use appell_study::questions::check::check;
use appell_study::questions::closed_forms::GEOMETRIC;
use appell_study::questions::prove::{Proof, prove};
use appell_study::states::start::start;
use appell_study::values::prepared::Prepared;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

/// Formalisms that are derived from one reading, and share what they have in common.
const TOGETHER: usize = 4;

/// The stack of a thread: formulas may be deep.
const STACK: usize = 16 << 20;

/// The parts of a page that do not depend on the motion.
pub(super) struct Beside {
    pub classification: Vec<(String, Vec<String>)>,
    pub proof: Proof,
    pub forms: Vec<Form>,
}

/// Finds them while `work` is computed in this thread; `form` is the one that is run. Formalisms that are
/// not begun when the flag is set are left out.
pub(super) fn beside<T>(
    p: &Prepared<'_>,
    form: Option<&'static Formalism>,
    cancel: Option<&AtomicBool>,
    work: impl FnOnce() -> T,
) -> (Result<Beside, Diagnostic>, T) {
    // States that every part looks at are found once.
    let _start = attempt(|| start(p));
    let recipe = p.recipe();
    thread::scope(|scope| {
        let groups: Vec<_> = FORMALISMS
            .chunks(TOGETHER)
            .rev()
            .map(|group| {
                let recipe = recipe.clone();
                spawned(scope, move || {
                    recipe.with(|p| forms(p, group, form, cancel))
                })
            })
            .collect();
        let classified = |p: &Prepared<'_>| {
            let found = attempt(|| show::check_entries(p, &check(p, None).0));
            found.unwrap_or_else(|why| vec![("not classified".to_owned(), vec![why.to_string()])])
        };
        let beside = recipe.clone();
        let proof = spawned(scope, move || beside.with(prove));
        let checked = spawned(scope, move || recipe.with(classified));
        let done = work();
        let found = || -> Result<Beside, Diagnostic> {
            let forms: Vec<Vec<Form>> = groups
                .into_iter()
                .rev()
                .map(joined)
                .collect::<Result<_, _>>()?;
            Ok(Beside {
                classification: joined(checked)?,
                proof: joined(proof)?,
                forms: forms.into_iter().flatten().collect(),
            })
        };
        (found(), done)
    })
}

/// A part of the page, found in a thread of its own or, where there are no threads, when it is asked for.
struct Part<'scope, T>(Box<dyn FnOnce() -> T + 'scope>);

/// A thread with room for deep formulas.
fn spawned<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Part<'scope, T> {
    if cfg!(target_family = "wasm") {
        return Part(Box::new(work));
    }
    let builder = thread::Builder::new().stack_size(STACK);
    let stop = current();
    let work = Arc::new(Mutex::new(Some(work)));
    let theirs = Arc::clone(&work);
    let begun = move || under(stop, || taken(&theirs).map(|work| work()));
    match builder.spawn_scoped(scope, begun) {
        // A panic of the thread is ours.
        Ok(handle) => Part(Box::new(move || {
            let done = handle.join().unwrap_or_else(|panic| resume_unwind(panic));
            done.expect("the thread alone took its work")
        })),
        // A system may have no more threads.
        Err(_) => Part(Box::new(move || taken(&work).expect("no thread took it")())),
    }
}

fn taken<F>(work: &Mutex<Option<F>>) -> Option<F> {
    work.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// The result of a part.
fn joined<T>(part: Part<'_, T>) -> T {
    part.0()
}

/// The equations of these formalisms. The tensors of a connection are left out where they are too long
/// for a page, unless it is the form that is run.
pub(super) fn forms(
    p: &Prepared<'_>,
    formalisms: &[&'static Formalism],
    run: Option<&'static Formalism>,
    cancel: Option<&AtomicBool>,
) -> Vec<Form> {
    let mut common = None;
    let mut form = |form: &&'static Formalism| {
        let cancelled = cancel.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let is_run = run.is_some_and(|run| run.id == form.id);
        let short = form.id == GEOMETRIC && !is_run;
        let late = |why: Why| Err(format!("Not derived: {why}."));
        let derive = || show::derivation_beside(p, form, Style::Latex, short, &mut common);
        let derivation = match cancelled {
            true => late(Why::Interrupted),
            false => attempt(derive).map_or_else(late, |derived| {
                derived.map_err(|why| format!("Does not apply to this model: {why}."))
            }),
        };
        Form {
            id: form.id,
            title: form.title,
            derivation,
        }
    };
    formalisms.iter().map(&mut form).collect()
}
