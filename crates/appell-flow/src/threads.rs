//! How many threads can be had: a system may have less than it has processors.

use std::sync::Barrier;
use std::thread::{Builder, scope};

/// How many of so many threads can run at once beside this one.
pub fn startable(wanted: usize) -> usize {
    let (mut count, mut barriers) = (0, Vec::new());
    barriers.resize_with(wanted, || Barrier::new(2));
    scope(|scope| {
        for barrier in &barriers {
            let spawned = Builder::new().spawn_scoped(scope, || barrier.wait());
            if spawned.is_err() {
                break;
            }
            count += 1;
        }
        // All of them were there.
        for barrier in &barriers[..count] {
            barrier.wait();
        }
    });
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_threads_can_be_started() {
        assert_eq!([startable(0), startable(3)], [0, 3]);
    }
}
