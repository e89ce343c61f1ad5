//! Bounds on time, memory and depth of all computation of a program.

use crate::error::Limit;

/// Most steps.
const MAX_STEPS: u64 = 3_000_000;
/// Most memory, in words of 40 bytes; what is freed counts too.
const MAX_CELLS: u64 = 3_000_000;
/// Deepest nesting of calls.
const MAX_CALLS: usize = 100;

/// What a program has used up.
#[derive(Debug, Default)]
pub struct Bounds {
    steps: u64,
    /// How often the steps were exceeded.
    exceeded: u32,
    cells: u64,
    /// Calls in progress.
    calls: usize,
}

impl Bounds {
    /// Counts steps of computation.
    ///
    /// # Errors
    /// When there are too many.
    pub fn tick(&mut self, steps: u64) -> Result<(), Limit> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps <= MAX_STEPS {
            return Ok(());
        }
        // What follows is judged by itself, but with less patience, and not for ever.
        self.exceeded += 1;
        if self.exceeded <= 4 {
            self.steps = MAX_STEPS / 16 * 15;
        }
        Err(Limit::Steps)
    }

    /// Counts memory taken, in words of 40 bytes.
    ///
    /// # Errors
    /// When it is too much.
    pub fn charge(&mut self, cells: u64) -> Result<(), Limit> {
        self.cells = self.cells.saturating_add(cells);
        match self.cells {
            ..=MAX_CELLS => Ok(()),
            _ => Err(Limit::Memory),
        }
    }

    /// A call begins.
    ///
    /// # Errors
    /// When they are nested too deeply.
    pub fn enter(&mut self) -> Result<(), Limit> {
        if self.calls >= MAX_CALLS {
            return Err(Limit::Calls);
        }
        self.calls += 1;
        Ok(())
    }

    /// A call ends.
    pub fn leave(&mut self) {
        self.calls -= 1;
    }
}
