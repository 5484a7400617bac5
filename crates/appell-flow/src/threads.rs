//! Threads side by side, as many as can be had: a system may have less than it has processors.

use std::thread::{Builder, Scope};

/// Starts at most so many threads; how many could be started.
pub fn start<'scope, F: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    count: usize,
    work: impl Fn() -> F,
) -> usize {
    let starts = |_: &usize| Builder::new().spawn_scoped(scope, work()).is_ok();
    (0..count).take_while(starts).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_that_are_started_work() {
        let done = AtomicUsize::new(0);
        let count = || {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let started = std::thread::scope(|scope| start(scope, 3, || count));
        assert_eq!([started, done.into_inner()], [3, 3]);
    }
}
