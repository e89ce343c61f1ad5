//! Dropping of long chains of values, such as a list in a list in a list, without a deep stack.

use std::any::Any;
use std::cell::RefCell;

thread_local! {
    /// What waits to be dropped; `None` while nothing is being dropped.
    static GRAVE: RefCell<Option<Vec<Box<dyn Any>>>> = const { RefCell::new(None) };
}

/// Drops what a value held, after what is being dropped now and not within it.
pub fn bury<T: 'static>(contents: T) {
    let first = GRAVE.with_borrow_mut(|grave| match grave {
        Some(waiting) => {
            waiting.push(Box::new(contents));
            None
        }
        None => {
            *grave = Some(Vec::new());
            Some(contents)
        }
    });
    let Some(first) = first else { return };
    drop(first);
    loop {
        let next = GRAVE.with_borrow_mut(|grave| grave.as_mut().and_then(Vec::pop));
        if next.is_none() {
            GRAVE.set(None);
            return;
        }
    }
}
