//! A question under a clock that counts the processor's time, and under a bound on memory.

use crate::questions;
use appell::limits::{Stop, Why};
use serde::{Deserialize, Serialize};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// What is promised of the way from a stop to the end.
const LATE: u64 = 500;
/// Who goes on for so long does not end at all.
const LOST: u64 = 30_000;
const LOOK: Duration = Duration::from_millis(10);

/// What became of a question.
#[derive(Serialize, Deserialize)]
pub struct Asked {
    pub question: String,
    /// What is wrong with it, in words.
    pub wrong: Option<String>,
    /// Milliseconds of the processor, those after a stop, megabytes of memory.
    pub times: [u64; 3],
    pub stopped: bool,
}

/// What is watched at present.
#[derive(Default)]
struct Watched {
    /// The stop, the time at which the question began and at which it is to end.
    now: Mutex<Option<(Arc<Stop>, u64)>>,
    /// The time at which it was stopped; 0 for not at all.
    stopped: AtomicU64,
    memory: AtomicU64,
}

/// The thread that watches.
pub struct Watch {
    watched: Arc<Watched>,
    panic: Arc<Mutex<String>>,
    budget: u64,
}

impl Watch {
    /// Watches with a budget in milliseconds of the processor and in megabytes.
    pub fn new(budget: u64, memory: u64) -> Self {
        let panic: Arc<Mutex<String>> = Arc::default();
        let told = Arc::clone(&panic);
        set_hook(Box::new(move |info| {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        }));
        let watched = Arc::new(Watched::default());
        let shared = Arc::clone(&watched);
        thread::spawn(move || {
            loop {
                thread::sleep(LOOK);
                shared.look(memory);
            }
        });
        Self {
            watched,
            panic,
            budget,
        }
    }

    /// Asks a question.
    pub fn ask(
        &self,
        question: &'static str,
        work: &mut dyn FnMut() -> Result<(), String>,
    ) -> Asked {
        let (stop, began) = (Arc::new(Stop::new()), processor());
        self.watched.stopped.store(0, Ordering::SeqCst);
        self.watched.memory.store(0, Ordering::SeqCst);
        self.set(Some((Arc::clone(&stop), began + self.budget)));
        let done = catch_unwind(AssertUnwindSafe(|| {
            questions::under(Arc::clone(&stop), work)
        }));
        self.set(None);
        let ended = processor();
        let late = match self.watched.stopped.load(Ordering::SeqCst) {
            0 => 0,
            stopped => ended.saturating_sub(stopped),
        };
        let wrong = match done {
            Ok(answer) => answer.and_then(Result::err),
            Err(_) => {
                let said = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
                Some(format!("a panic: {said}"))
            }
        };
        let wrong = wrong.or_else(|| {
            (late > LATE).then(|| format!("it went on for {late} ms after its budget"))
        });
        Asked {
            question: question.to_owned(),
            wrong,
            times: [
                ended - began,
                late,
                self.watched.memory.load(Ordering::SeqCst),
            ],
            stopped: stop.why().is_some(),
        }
    }

    fn set(&self, now: Option<(Arc<Stop>, u64)>) {
        *self
            .watched
            .now
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = now;
    }
}

impl Watched {
    fn look(&self, most: u64) {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((stop, end)) = now.as_ref() else {
            return;
        };
        let (time, memory) = (processor(), memory());
        self.memory.fetch_max(memory, Ordering::SeqCst);
        let why = match (time > *end, memory > most) {
            (true, _) => Why::Time,
            (_, true) => Why::Memory,
            _ => return,
        };
        // Only the first look at which it is over counts.
        let _ = self
            .stopped
            .compare_exchange(0, time.max(1), Ordering::SeqCst, Ordering::SeqCst);
        stop.set(why);
        if time > self.stopped.load(Ordering::SeqCst) + LOST {
            eprintln!("a question does not end: its model is kept");
            std::process::exit(3);
        }
    }
}

/// Milliseconds of the processor that this process has had, where the system tells.
fn processor() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let numbers = stat.rsplit_once(')').map_or("", |(_, numbers)| numbers);
    let ticks = numbers.split_whitespace().skip(11).take(2);
    10 * ticks
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum::<u64>()
}

/// Megabytes in use, where the system tells.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| {
        line.trim()
            .trim_end_matches("kB")
            .trim()
            .parse::<u64>()
            .ok()
    });
    kilobytes.unwrap_or_default() / 1024
}
