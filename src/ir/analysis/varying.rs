//! Which values may differ from one iteration of a loop to the next.

use crate::hash::FastSet;
use crate::ir::{Block, For, OpKind, ValueId};

/// The values that change with a loop.
#[derive(Clone, Debug, Default)]
pub struct Varying {
    values: FastSet<ValueId>,
}

impl Varying {
    /// Looks through the body of a loop: what is computed in it of values that do not change does not change either.
    /// `is_pure` says which values are computed of others alone.
    pub fn of(f: &For, is_pure: &dyn Fn(ValueId) -> bool) -> Varying {
        let mut varying = Varying::default();
        varying.values.insert(f.iv);
        varying.values.extend(&f.carried);
        varying.block(&f.body, is_pure);
        varying
    }

    fn block(&mut self, block: &Block, is_pure: &dyn Fn(ValueId) -> bool) {
        for op in &block.ops {
            match &op.kind {
                OpKind::For(f) => {
                    self.values.insert(f.iv);
                    self.values.extend(&f.carried);
                }
                OpKind::While(w) => self.values.extend(&w.carried),
                _ => {}
            }
            for inner in op.kind.blocks() {
                self.block(inner, is_pure);
            }
            // What is no pure operation on values may give something else each time.
            let varies = !op.results.iter().all(|&v| is_pure(v))
                || op.kind.operands().iter().any(|v| self.values.contains(v));
            if varies {
                self.values.extend(&op.results);
            }
        }
    }

    /// Whether a value is the same in every iteration.
    pub fn is_fixed(&self, value: ValueId) -> bool {
        !self.values.contains(&value)
    }
}
