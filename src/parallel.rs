//! Independent work on all processors. Threads live as long as the work: a process that was forked, as Python's are, has none of
//! its parent's.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::{Builder, ScopedJoinHandle, available_parallelism, scope};

/// Stack of a thread that compiles, in bytes: the bounds on nesting are chosen for it.
pub const STACK: usize = 512 << 20;

/// Most threads, that of the caller counted in: there is seldom more to do.
const MOST: usize = 16;

/// Processors that this process may use; to find out takes longer than many a piece of work.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).min(MOST));

/// Threads that help somewhere now.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// What `f` makes of each item, in their order.
///
/// # Panics
/// As `f` does.
pub fn map<T: Send, R: Send>(items: Vec<T>, f: impl Fn(T) -> R + Sync) -> Vec<R> {
    map_large(true, items, f)
}

/// As [`map`], on the thread of the caller alone unless the work is `large`: to start another one takes as long as a hundred
/// thousand operations.
///
/// # Panics
/// As `f` does.
pub fn map_large<T: Send, R: Send>(
    large: bool,
    items: Vec<T>,
    f: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let wanted = if large {
        items.len().saturating_sub(1)
    } else {
        0
    };
    let helpers = Helpers::at_most(wanted);
    if helpers.0 == 0 {
        return items.into_iter().map(f).collect();
    }
    let count = items.len();
    let items = Mutex::new(items.into_iter().enumerate());
    let work = || {
        let mut made = Vec::new();
        while let Some((at, item)) = next(&items) {
            made.push((at, f(item)));
        }
        made
    };
    let mut made: Vec<(usize, R)> = Vec::with_capacity(count);
    scope(|scope| {
        let start = |_| Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        // Where the system gives no thread, the caller does the work.
        let threads: Vec<ScopedJoinHandle<_>> =
            (0..helpers.0).map_while(|n| start(n).ok()).collect();
        made.extend(work());
        for thread in threads {
            made.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, result)| result).collect()
}

fn next<I: Iterator>(items: &Mutex<I>) -> Option<I::Item> {
    items.lock().unwrap_or_else(PoisonError::into_inner).next()
}

/// So many threads that may help, until they are dropped.
struct Helpers(usize);

impl Helpers {
    fn at_most(wanted: usize) -> Helpers {
        let processors = *PROCESSORS;
        let mut given = 0;
        let more = |busy: usize| {
            given = wanted.min((processors - 1).saturating_sub(busy));
            Some(busy + given)
        };
        let _ = HELPERS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        Helpers(given)
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        HELPERS.fetch_sub(self.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let squares = |n: u64| map((0..n).collect(), |i| i * i);
        for n in [0, 1, 2, 1000] {
            assert_eq!(squares(n), (0..n).map(|i| i * i).collect::<Vec<u64>>());
        }
        let inside = map((0..20).collect(), squares);
        assert_eq!(inside.iter().map(Vec::len).sum::<usize>(), 190);
    }

    #[test]
    #[should_panic(expected = "seven")]
    fn a_panic_is_that_of_the_caller() {
        map((0..100).collect(), |i: u32| assert!(i != 7, "seven"));
    }
}
