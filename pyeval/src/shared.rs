//! Cells that all their owners see change, until they are frozen.

use crate::burial::bury;
use crate::error::Limit;
use std::cell::{Cell, Ref, RefCell, RefMut};

/// A value that all its owners see change. It is frozen as soon as something relies on it that may look at
/// any later time.
#[derive(Debug)]
pub struct Shared<T: Default + 'static> {
    value: RefCell<T>,
    frozen: Cell<bool>,
}

impl<T: Default + 'static> Drop for Shared<T> {
    fn drop(&mut self) {
        bury(std::mem::take(self.value.get_mut()));
    }
}

impl<T: Default + 'static> Shared<T> {
    /// A cell of its own.
    pub fn new(value: T) -> Self {
        Shared {
            value: RefCell::new(value),
            frozen: Cell::new(false),
        }
    }

    /// To read. No call of Python code may happen while the guard lives.
    pub fn get(&self) -> Ref<'_, T> {
        self.value.borrow()
    }

    /// To write; `None` if it is frozen. No call of Python code may happen while the guard lives.
    pub fn edit(&self) -> Option<RefMut<'_, T>> {
        (!self.frozen.get()).then(|| self.value.borrow_mut())
    }

    /// Whether it may not change any more.
    pub fn is_frozen(&self) -> bool {
        self.frozen.get()
    }

    /// Forbids changes; whether it was allowed until now.
    pub fn freeze(&self) -> bool {
        !self.frozen.replace(true)
    }
}

/// Bounds walks over values that share parts, whose size as a tree can be exponential.
#[derive(Debug)]
pub struct Fuel(u32);

impl Default for Fuel {
    fn default() -> Self {
        Fuel(1 << 20)
    }
}

impl Fuel {
    /// Counts one visited value.
    ///
    /// # Errors
    /// When it is used up.
    pub fn burn(&mut self) -> Result<(), Limit> {
        self.0 = self.0.checked_sub(1).ok_or(Limit::Parts)?;
        Ok(())
    }
}
