//! Who watches while a command works: the clock, the memory and the signals.
//!
//! The work is stopped where it looks (see `appell::limits`), and what it had found is put into words. Should
//! it not look for too long, the program ends all the same: what a user types is heeded within half a second.

use crate::command::Exit;
use crate::drafts;
use crate::terminal::tell;
use appell::limits::{Stop, Why, under};
use std::fs;
use std::process;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A time that a command may take; `None` for any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget(pub Option<Duration>);

/// Bytes that a command may use; `None` for any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory(pub Option<u64>);

/// The memory that a command may use by default.
pub const MEMORY: Memory = Memory(Some(4_000_000_000));

const TIMES: &[(&str, f64)] = &[
    ("ms", 1e-3),
    ("min", 60.0),
    ("s", 1.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("", 1.0),
];
const SIZES: &[(&str, f64)] = &[
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// A number with one of these units, or `none`.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<Option<f64>> {
    if text == "none" {
        return Some(None);
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].trim();
    let known = units
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(unit));
    let number: f64 = digits.trim().parse().ok()?;
    let value = number * known?.1;
    (value.is_finite() && value > 0.0).then_some(Some(value))
}

impl FromStr for Budget {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = quantity(text, TIMES).ok_or("write a time such as 90s, 5min, 2h, or none")?;
        let time = found.map(Duration::try_from_secs_f64).transpose();
        time.map(Self).map_err(|_| "this is too long: write none")
    }
}

impl FromStr for Memory {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = quantity(text, SIZES);
        let found = found.ok_or("write a size such as 500MB, 2GB, 1GiB, or none")?;
        Ok(Self(found.map(|bytes| bytes as u64)))
    }
}

/// How often the clock and the memory are looked at.
const LOOK: Duration = Duration::from_millis(10);
/// Among so many looks one is at what compilers have of the memory; a compiler starts others.
const LOOKS_AT_OTHERS: u64 = 8;
const MAX_DEPTH: usize = 4;
/// Once the work is told to stop: after so much time of the processors no more is computed of what is put
/// into words, no more is written, and the program ends.
const PRESSING: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(260)];
const GRACE: Duration = Duration::from_millis(400);
/// A program that waits for a pipe or a keyboard uses no processor: it ends after this.
const IDLE: Duration = Duration::from_millis(400);
const NOTHING: Duration = Duration::from_millis(30);
/// Whatever else happens.
const LONGEST: Duration = Duration::from_secs(3);
/// How long a second signal waits for compilers to end and drafts to be removed.
const CLEANING: Duration = Duration::from_millis(30);

/// The signal that came first; 0 for none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// What ends the program when it was told to stop.
pub fn exit_for(why: Why) -> Exit {
    match (why, SIGNAL.load(Ordering::SeqCst)) {
        (Why::Time | Why::Memory, _) => Exit::Budget,
        (Why::Interrupted, TERMINATED) => Exit::Terminated,
        (Why::Interrupted, _) => Exit::Interrupted,
    }
}

/// What is told of it, and whether anything had been found.
pub fn words(why: Why, budget: Budget, memory: Memory, found: bool) -> String {
    let kept = if found {
        ", what was found is kept"
    } else {
        ""
    };
    let given = |what: &str, option: &str| format!("{what} is used up{kept}: {option} allows more");
    match why {
        Why::Interrupted => format!("interrupted{kept}"),
        Why::Time => {
            let time = budget.0.unwrap_or_default().as_secs_f64();
            given(&format!("the budget of {time} s"), "--budget")
        }
        Why::Memory => {
            let size = memory.0.unwrap_or_default() as f64 / 1e6;
            given(&format!("the budget of {size:.0} MB of memory"), "--memory")
        }
    }
}

/// Works under the eyes of the clock, and of who may send signals.
pub fn watched<T>(budget: Budget, memory: Memory, work: impl FnOnce() -> T) -> (T, Option<Why>) {
    let stop = Arc::new(Stop::new());
    signals(&stop);
    let signal = Arc::clone(&stop);
    // Without this thread there are no limits, and the work is done nevertheless.
    drop(thread::Builder::new().spawn(move || watch(&signal, budget, memory)));
    let done = under(Some(Arc::clone(&stop)), work);
    (done, stop.why().filter(|_| stop.was_heeded()))
}

/// Sets the stop when a budget is used up; ends the program when a stop that is set is not heeded.
fn watch(stop: &Stop, budget: Budget, memory: Memory) {
    let end = budget.0.and_then(|time| Instant::now().checked_add(time));
    let mut since: Option<(Instant, Option<Duration>)> = None;
    let (mut looks, mut others) = (0_u64, 0);
    loop {
        thread::sleep(LOOK);
        if end.is_some_and(|end| Instant::now() >= end) {
            stop.set(Why::Time);
        }
        if looks.is_multiple_of(LOOKS_AT_OTHERS) {
            others = resident_below("self", MAX_DEPTH);
        }
        looks += 1;
        let fits = |most| resident("self").is_none_or(|own| own + others <= most);
        if !memory.0.is_none_or(fits) {
            stop.set(Why::Memory);
        }
        let Some(why) = stop.why() else { continue };
        let (began, before) = *since.get_or_insert_with(|| (Instant::now(), processor_time()));
        let wall = began.elapsed();
        let used = match (processor_time(), before) {
            (Some(now), Some(before)) => now.saturating_sub(before),
            _ => wall,
        };
        (1..)
            .zip(PRESSING)
            .filter(|(_, after)| used >= *after)
            .for_each(|(d, _)| stop.press(d));
        if used >= GRACE || wall >= LONGEST || (wall >= IDLE && used <= NOTHING) {
            // The work may hold standard error, and wait for its reader.
            let told = thread::Builder::new()
                .spawn(move || tell(&format!("{}\n", words(why, budget, memory, false))));
            drop(told);
            thread::sleep(LOOK);
            leave(exit_for(why));
        }
    }
}

/// Ends the program at once, and leaves nothing behind.
fn leave(exit: Exit) -> ! {
    drafts::remove_all();
    process::exit(exit as i32);
}

/// What a process has of the memory, where the system tells.
fn resident(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// What those have that a process started, as compilers: `depth` generations of them.
fn resident_below(process: &str, depth: usize) -> u64 {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let started =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let started: Vec<String> = started.collect();
    let started = started.iter().flat_map(|text| text.split_whitespace());
    let below = |child| match depth {
        0 => 0,
        _ => resident(child).unwrap_or(0) + resident_below(child, depth - 1),
    };
    started.map(below).sum()
}

/// The time that all threads have had of the processors, where the system tells.
fn processor_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in parentheses, and may hold any character.
    let (_, numbers) = stat.rsplit_once(')')?;
    let ticks = numbers.split_whitespace().skip(11).take(2);
    let ticks: Option<Vec<u64>> = ticks.map(|ticks| ticks.parse().ok()).collect();
    Some(Duration::from_millis(10 * ticks?.iter().sum::<u64>()))
}

#[cfg(unix)]
const TERMINATED: i32 = signal_hook::consts::SIGTERM;
#[cfg(not(unix))]
const TERMINATED: i32 = 15;

/// Notes a signal: the first stops the work, the second ends the program.
fn note(signal: i32, stop: &Stop) {
    let first = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    stop.set(Why::Interrupted);
    if first.is_err() {
        thread::sleep(CLEANING);
        leave(exit_for(Why::Interrupted));
    }
}

#[cfg(unix)]
fn signals(stop: &Arc<Stop>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    let stop = Arc::clone(stop);
    // A file that grows beyond what the system allows is an error of writing it, and not the end: who watches
    // for this signal meets the error.
    drop(signal_hook::flag::register(SIGXFSZ, Arc::default()));
    // Where no handler can be set, signals do what they do to every program.
    if let Ok(mut all) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
        drop(thread::Builder::new().spawn(move || {
            all.forever().for_each(|signal| note(signal, &stop));
        }));
    }
}

#[cfg(not(unix))]
fn signals(stop: &Arc<Stop>) {
    let stop = Arc::clone(stop);
    // Where no handler can be set, Ctrl-C does what it does to every program.
    drop(ctrlc::set_handler(move || note(2, &stop)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_with_their_units() {
        let time = |text: &str| text.parse::<Budget>().map(|budget| budget.0);
        assert_eq!(time("60s"), Ok(Some(Duration::from_secs(60))));
        assert_eq!(time("1.5 min"), Ok(Some(Duration::from_secs(90))));
        assert_eq!(time("250ms"), Ok(Some(Duration::from_millis(250))));
        assert_eq!(time("2"), Ok(Some(Duration::from_secs(2))));
        assert_eq!(time("none"), Ok(None));
        for wrong in ["", "s", "-1s", "0s", "1 week", "nan", "inf", "1e300h", "ü"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        let size = |text: &str| text.parse::<Memory>().map(|memory| memory.0);
        assert_eq!(size("2GB"), Ok(Some(2_000_000_000)));
        assert_eq!(size("1GiB"), Ok(Some(1 << 30)));
        assert_eq!(size("500mb"), Ok(Some(500_000_000)));
        assert!(size("2").is_err() && size("2s").is_err());
    }
}
