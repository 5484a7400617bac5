//! How long work may go on: a stop that is set from outside, and looked at wherever work may last.
//!
//! A [`Stop`] is one word. Who watches the clock, the memory or the keyboard sets it; work that is
//! done [`under`] it calls [`look`] in its innermost loops and is left at once when it is set. It is
//! left by unwinding to the nearest [`attempt`], as cancelled queries are in rust-analyzer's database:
//! hundreds of functions that only compute need not say in their results that somebody has lost
//! patience, and nobody can forget to hand the stop on. A look outside of any attempt does nothing, so
//! what was found before can be put into words afterwards.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// Why work is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The user has had enough.
    Interrupted,
    /// The time is used up.
    Time,
    /// The memory is used up.
    Memory,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupted => "it was interrupted",
            Self::Time => "the budget of time is used up",
            Self::Memory => "the budget of memory is used up",
        })
    }
}

/// Tells work to stop; shared by those who set it and those who look at it.
#[derive(Debug, Default)]
pub struct Stop {
    /// 0 as long as work may go on.
    word: AtomicU8,
    /// Whether some work has been left because of it.
    heeded: AtomicBool,
    /// After so many looks it sets itself; 0 for never.
    looks: AtomicU64,
    /// How little patience is left.
    pressing: AtomicU8,
}

impl Stop {
    /// One that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that is set by the look of this number, for tests that need the same instant again.
    pub fn at_look(number: u64) -> Self {
        Self {
            looks: AtomicU64::new(number),
            ..Self::default()
        }
    }

    /// How many looks are left until it sets itself, for tests that count work without a clock.
    pub fn looks_left(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// Sets it; the first reason stays.
    pub fn set(&self, why: Why) {
        let word = match why {
            Why::Interrupted => 1,
            Why::Time => 2,
            Why::Memory => 3,
        };
        let (set, unset) = (Ordering::SeqCst, 0);
        // That it was set before is no failure.
        let _ = self.word.compare_exchange(unset, word, set, set);
    }

    /// Why work is to stop, if it is.
    pub fn why(&self) -> Option<Why> {
        match self.word.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Why::Interrupted),
            2 => Some(Why::Time),
            _ => Some(Why::Memory),
        }
    }

    /// Says how little patience is left with what is being put into words: 1 for computing no more of it, 2
    /// for writing no more of it.
    pub fn press(&self, degree: u8) {
        self.pressing.fetch_max(degree, Ordering::SeqCst);
    }

    /// Whether work was left because of it.
    pub fn was_heeded(&self) -> bool {
        self.heeded.load(Ordering::SeqCst)
    }

    fn looked_at(&self) -> Option<Why> {
        if self.looks.load(Ordering::Relaxed) > 0 && self.looks.fetch_sub(1, Ordering::Relaxed) == 1
        {
            self.set(Why::Interrupted);
        }
        self.why()
    }
}

/// What this thread works under.
struct ThreadState {
    stop: RefCell<Option<Arc<Stop>>>,
    /// Attempts that are under way.
    attempts: Cell<u32>,
}

thread_local! {
    static HERE: ThreadState = const {
        ThreadState {
            stop: RefCell::new(None),
            attempts: Cell::new(0),
        }
    };
}

/// What [`attempt`] catches.
struct Left(Why);

/// Leaves the work of this thread if it is to stop: a few nanoseconds.
#[inline]
pub fn look() {
    HERE.with(|here| {
        if here.attempts.get() > 0 {
            look_up(here);
        }
    });
}

fn look_up(here: &ThreadState) {
    let stop = here.stop.borrow();
    let Some(why) = stop.as_ref().and_then(|stop| stop.looked_at()) else {
        return;
    };
    // Who cleans up while a panic passes is let alone.
    if !std::thread::panicking() {
        stop.iter()
            .for_each(|stop| stop.heeded.store(true, Ordering::SeqCst));
        drop(stop);
        resume_unwind(Box::new(Left(why)));
    }
}

/// Why the work of this thread is to stop, for loops that end in an orderly way: who asks is taken
/// to heed the answer.
pub fn stopped() -> Option<Why> {
    HERE.with(|here| {
        let stop = here.stop.borrow();
        let why = stop.as_ref()?.why()?;
        stop.iter()
            .for_each(|stop| stop.heeded.store(true, Ordering::SeqCst));
        Some(why)
    })
}

/// How little patience is left with this thread: see [`Stop::press`].
pub fn pressing() -> u8 {
    HERE.with(|here| {
        let stop = here.stop.borrow();
        stop.as_ref()
            .map_or(0, |stop| stop.pressing.load(Ordering::Relaxed))
    })
}

/// Whether what is put into words should be cut short: who asks is taken to do so.
pub fn is_hurried() -> bool {
    pressing() > 0 && stopped().is_some()
}

/// What this thread works under, to be handed on to threads that help it.
pub fn current() -> Option<Arc<Stop>> {
    HERE.with(|here| here.stop.borrow().clone())
}

/// Puts back what was before, also when it is left by unwinding.
struct Restore<F: FnMut()>(F);

impl<F: FnMut()> Drop for Restore<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Works under a stop; `None` lifts the one that is in force.
pub fn under<T>(stop: Option<Arc<Stop>>, work: impl FnOnce() -> T) -> T {
    let swap = |stop| HERE.with(|here| here.stop.replace(stop));
    let mut before = Some(swap(stop));
    let _restore = Restore(|| drop(before.take().map(swap)));
    work()
}

/// Works until the stop is set.
///
/// # Errors
/// Why it was left.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T, Why> {
    let count = |more: bool| {
        HERE.with(|here| {
            let now = here.attempts.get();
            here.attempts.set(if more { now + 1 } else { now - 1 });
        });
    };
    count(true);
    let done = catch_unwind(AssertUnwindSafe(|| {
        look();
        work()
    }));
    count(false);
    done.map_err(|panic| match panic.downcast::<Left>() {
        Ok(left) => left.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// Works to the end whatever is set: looks do nothing meanwhile.
pub fn regardless<T>(work: impl FnOnce() -> T) -> T {
    let swap = |attempts| HERE.with(|here| here.attempts.replace(attempts));
    let before = swap(0);
    let _restore = Restore(|| {
        swap(before);
    });
    work()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::panic_any;

    fn forever() {
        loop {
            look();
        }
    }

    #[test]
    fn work_is_left_at_the_nearest_attempt() {
        let stop = Arc::new(Stop::at_look(1000));
        under(Some(Arc::clone(&stop)), || {
            let whole = attempt(|| {
                let inner = attempt(forever);
                assert_eq!(inner, Err(Why::Interrupted));
                assert_eq!(stopped(), Some(Why::Interrupted));
                // What is begun now is left at once, and what is between two attempts by the outer one.
                assert_eq!(attempt(|| ()), Err(Why::Interrupted));
                look();
            });
            assert_eq!(whole, Err(Why::Interrupted));
            // Outside of attempts nothing is left.
            look();
        });
        assert!(stop.was_heeded());
        assert_eq!(stopped(), None);
    }

    #[test]
    fn the_first_reason_stays() {
        let stop = Stop::new();
        stop.set(Why::Memory);
        stop.set(Why::Interrupted);
        assert_eq!(stop.why(), Some(Why::Memory));
        assert!(!stop.was_heeded());
    }

    #[test]
    fn panics_pass_and_threads_are_handed_the_stop() {
        let panicked = catch_unwind(|| attempt(|| panic_any(7)));
        assert_eq!(panicked.expect_err("it passes").downcast_ref(), Some(&7));
        let stop = Arc::new(Stop::new());
        stop.set(Why::Time);
        under(Some(stop), || {
            let here = current();
            let there = std::thread::spawn(|| under(here, || attempt(forever)));
            assert_eq!(there.join().expect("no panic"), Err(Why::Time));
            assert_eq!(attempt(|| regardless(look)), Err(Why::Time));
            let freed = attempt(|| ()).is_err() && under(None, || attempt(look)).is_ok();
            assert!(freed);
        });
    }
}
