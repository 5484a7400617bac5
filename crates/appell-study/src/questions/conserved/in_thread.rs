//! The search in a thread of its own, so that who waits is free to give up at any time.

use super::staged_search::search_all;
use super::{Conserved, ConservedOptions};
use crate::values::prepared::Prepared;
use appell_expr::limits::{Stop, Why, attempt, stopped, under};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The stack of the thread: formulas may be deep.
const STACK: usize = 16 << 20;
/// How often the flag is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long a search that was told to stop may take to say what it has.
const GRACE: Duration = Duration::from_millis(250);

/// What the search has, so far or at its end.
enum SearchProgress {
    SoFar(Conserved),
    Whole(Conserved),
}

/// The search, until the flag is set or its time is over.
pub(super) fn watched(
    p: &Prepared<'_>,
    options: &ConservedOptions,
    cancel: Option<&AtomicBool>,
) -> Conserved {
    let told = Arc::new(Stop::new());
    let (sender, receiver) = channel();
    let (recipe, signal, options) = (p.recipe(), Arc::clone(&told), *options);
    let work = move || {
        let stop = || signal.why().is_some();
        // Nobody may be listening any more.
        let news = |found: Conserved| drop(sender.send(SearchProgress::SoFar(found)));
        let search = || recipe.with(|p| search_all(p, &options, &stop, &news));
        if let Ok(Ok(found)) = under(Some(Arc::clone(&signal)), || attempt(search)) {
            drop(sender.send(SearchProgress::Whole(found)));
        }
    };
    match Builder::new().stack_size(STACK).spawn(work) {
        Ok(worker) => wait(&receiver, worker, &told, (options, cancel)),
        Err(_) => search_all(p, &options, &|| is_set(cancel), &|_| ()),
    }
}

fn is_set(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

fn wait(
    receiver: &Receiver<SearchProgress>,
    worker: JoinHandle<()>,
    told: &Stop,
    (options, cancel): (ConservedOptions, Option<&AtomicBool>),
) -> Conserved {
    let end = Instant::now().checked_add(options.budget);
    let mut latest = None;
    let mut ended_for: Option<(Why, Instant)> = None;
    loop {
        if ended_for.is_none() {
            let late = end.is_some_and(|end| Instant::now() >= end);
            let why = is_set(cancel).then_some(Why::Interrupted);
            let why = why.or_else(stopped).or(late.then_some(Why::Time));
            ended_for = why.map(|why| (why, Instant::now()));
            why.into_iter().for_each(|why| told.set(why));
        }
        match receiver.recv_timeout(LOOK) {
            Ok(SearchProgress::Whole(found)) => return ended(found, ended_for.map(|(why, _)| why)),
            Ok(SearchProgress::SoFar(found)) => latest = Some(found),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                if let Err(panic) = worker.join() {
                    resume_unwind(panic);
                }
                let why = ended_for.map(|(why, _)| why);
                return ended(latest.unwrap_or_else(|| nothing(options)), why);
            }
        }
        if let Some((why, _)) = ended_for.filter(|(_, since)| since.elapsed() >= GRACE) {
            return ended(latest.unwrap_or_else(|| nothing(options)), Some(why));
        }
    }
}

/// Before anything was searched.
fn nothing(options: ConservedOptions) -> Conserved {
    Conserved {
        ansatz: "nothing so far".to_owned(),
        integrals: Vec::new(),
        seed: options.seed,
        interrupted: false,
        over_budget: false,
    }
}

fn ended(mut found: Conserved, why: Option<Why>) -> Conserved {
    match why {
        None => {}
        Some(Why::Interrupted) => {
            found.interrupted = true;
            found
                .ansatz
                .push_str("; interrupted before all of this was searched");
        }
        Some(why @ (Why::Time | Why::Memory)) => {
            found.over_budget = true;
            let left = match why {
                Why::Memory => "; the limit of memory was reached before all of this was searched",
                _ => "; the limit of time was reached before all of this was searched",
            };
            found.ansatz.push_str(left);
        }
    }
    found
}
