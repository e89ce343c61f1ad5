//! Whether data decide what a kernel gets from streams and puts into them, and in which order; and how many elements
//! those are.

use super::Values;
use super::trip::Trip;
use crate::hash::FastSet;
use crate::ir::{ArrayId, ArrayKind, Block, Kernel, Op, OpKind, Param, ValueId};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Elements that are got from a stream, and that are put into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Got.
    pub got: u64,
    /// Put.
    pub put: u64,
}

/// How many elements a run moves of each stream; `None`: bounds of a loop are not constant, something is moved under a
/// condition, or depends on timing.
pub fn moved(kernel: &Kernel) -> Option<BTreeMap<ArrayId, Moved>> {
    let mut all = BTreeMap::new();
    count(&Values::of(kernel), &kernel.body, 1, &mut all)?;
    Some(all)
}

/// Adds what `times` runs of a block move.
fn count(
    values: &Values,
    block: &Block,
    times: u64,
    all: &mut BTreeMap<ArrayId, Moved>,
) -> Option<()> {
    for op in &block.ops {
        match &op.kind {
            OpKind::Get { at } | OpKind::Put { at, .. } => {
                if at.when.is_some() {
                    return None;
                }
                let moved = all.entry(at.array).or_default();
                let side = match op.kind {
                    OpKind::Get { .. } => &mut moved.got,
                    _ => &mut moved.put,
                };
                *side = side.checked_add(times)?;
            }
            OpKind::For(f) if f.body.any_op(&transfers) => {
                let trip = Trip::of(f, |value| values.constant(value).cloned())?;
                count(
                    values,
                    &f.body,
                    times.checked_mul(trip.count.to_u64()?)?,
                    all,
                )?;
            }
            kind if kind.is_transfer() => return None,
            kind if kind.blocks().iter().any(|block| block.any_op(&transfers)) => return None,
            _ => {}
        }
    }
    Some(())
}

/// Whether what is got and put is the same whatever the arguments and elements are.
pub fn are_constant(kernel: &Kernel) -> bool {
    let mut data = Data {
        kernel,
        values: kernel.params.iter().filter_map(scalar).collect(),
        decides: false,
    };
    // Carried values hand data to the next iteration.
    loop {
        let before = data.values.len();
        data.block(&kernel.body);
        if data.values.len() == before {
            return !data.decides;
        }
    }
}

fn scalar(param: &Param) -> Option<ValueId> {
    match param {
        Param::Scalar(value) => Some(*value),
        Param::Array(_) => None,
    }
}

fn transfers(op: &Op) -> bool {
    op.kind.is_transfer()
}

/// What a block transfers, in order: streams, and whether elements are got; `None`: further inside, or it depends on something.
fn transferred(block: &Block) -> Option<Vec<(ArrayId, bool)>> {
    let mut found = Vec::new();
    for op in &block.ops {
        match &op.kind {
            OpKind::Get { at } | OpKind::Put { at, .. } if at.when.is_none() => {
                found.push((at.array, matches!(op.kind, OpKind::Get { .. })));
            }
            kind if kind.is_transfer() => return None,
            kind if kind.blocks().iter().any(|block| block.any_op(&transfers)) => return None,
            _ => {}
        }
    }
    Some(found)
}

/// Values that depend on arguments or elements.
struct Data<'k> {
    kernel: &'k Kernel,
    values: FastSet<ValueId>,
    /// Whether one of them decides about a transfer.
    decides: bool,
}

impl Data<'_> {
    fn is_data(&self, value: ValueId) -> bool {
        self.values.contains(&value)
    }

    fn mark(&mut self, from: &[ValueId], to: &[ValueId]) {
        for (&from, &to) in from.iter().zip(to) {
            if self.is_data(from) {
                self.values.insert(to);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for op in &block.ops {
            self.op(op);
        }
    }

    fn op(&mut self, op: &Op) {
        let is_decided = match &op.kind {
            OpKind::For(f) => {
                self.mark(&f.inits, &f.carried);
                self.mark(&f.inits, &op.results);
                self.block(&f.body);
                self.mark(&f.body.yields, &f.carried);
                self.mark(&f.body.yields, &op.results);
                [f.lo, f.hi, f.step]
                    .into_iter()
                    .any(|bound| self.is_data(bound))
            }
            OpKind::While(w) => {
                self.mark(&w.inits, &w.carried);
                self.block(&w.cond);
                self.block(&w.body);
                self.mark(&w.body.yields, &w.carried);
                self.mark(&w.carried, &op.results);
                w.cond.yields.iter().any(|&test| self.is_data(test))
            }
            OpKind::If(branch) => {
                self.block(&branch.then);
                self.block(&branch.otherwise);
                self.mark(&branch.then.yields, &op.results);
                self.mark(&branch.otherwise.yields, &op.results);
                self.is_data(branch.cond)
            }
            OpKind::Get { at } | OpKind::Put { at, .. } => {
                self.decides |= at.when.is_some_and(|when| self.is_data(when));
                matches!(op.kind, OpKind::Get { .. })
            }
            OpKind::Attempt { .. } => {
                self.decides = true;
                true
            }
            OpKind::Load { at, .. } => {
                let array = &self.kernel.arrays[at.array];
                let is_table = matches!(array.kind, ArrayKind::Table(_));
                !is_table || at.indices.iter().any(|&index| self.is_data(index))
            }
            OpKind::Call(_) => true,
            kind => kind.operands().into_iter().any(|value| self.is_data(value)),
        };
        if !is_decided {
            return;
        }
        self.values.extend(&op.results);
        let either = match &op.kind {
            OpKind::If(branch) => transferred(&branch.then).zip(transferred(&branch.otherwise)),
            _ => None,
        };
        let is_same = either.is_some_and(|(then, otherwise)| then == otherwise);
        for block in op.kind.blocks() {
            self.decides |= !is_same && block.any_op(&transfers);
            // What is assigned inside depends on how often it runs.
            block.for_each_op(&mut |op| self.values.extend(&op.results));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::FileId;
    use crate::ir::read::read;

    /// Whether the rates of a kernel of a stream, an array and a scalar are constant.
    fn constant(body: &str) -> bool {
        let head = "top kernel @f(s: i32[] stream 2, x: i32[8], %n: i32) {\n%0: index = const 0\n%8: index = const 8\n%1: index = const 1\n";
        let program = read(FileId::default(), &format!("{head}{body}\n}}")).expect("a kernel");
        are_constant(&program.kernels[program.top])
    }

    /// What a kernel of the same parameters moves of its stream.
    fn moved_by(body: &str) -> Option<Moved> {
        let head = "top kernel @f(s: i32[] stream 2, x: i32[8], %n: i32) {\n%0: index = const 0\n%8: index = const 8\n%3: index = const 3\n";
        let program = read(FileId::default(), &format!("{head}{body}\n}}")).expect("a kernel");
        let all = moved(&program.kernels[program.top])?;
        Some(all.into_values().next().unwrap_or_default())
    }

    #[test]
    fn loops_of_constant_bounds_are_counted_with_their_steps() {
        let puts = "for %i = %0 to %8 step %3 label \"i\" {\nput s[], %n\nput s[], %n\n}";
        assert_eq!(moved_by(puts), Some(Moved { got: 0, put: 6 }));
        let gets =
            "for %i = %0 to %8 step %3 label \"i\" {\n%v: i32 = get s[]\n}\n%w: i32 = get s[]";
        assert_eq!(moved_by(gets), Some(Moved { got: 4, put: 0 }));
    }

    #[test]
    fn what_is_moved_under_conditions_or_in_loops_that_data_end_is_not_counted() {
        let c = "%c: u1 = cmp eq %n, %n : i32";
        assert_eq!(moved_by(&format!("{c}\nput s[] if %c, %n")), None);
        assert_eq!(
            moved_by(&format!("{c}\nif %c {{\nput s[], %n\n}} else {{\n}}")),
            None
        );
        let bound =
            "%h: index = cast %n : i32\nfor %i = %0 to %h step %3 label \"i\" {\nput s[], %n\n}";
        assert_eq!(moved_by(bound), None);
    }

    #[test]
    fn loops_of_constant_bounds_transfer_constant_numbers() {
        assert!(constant(
            "for %i = %0 to %8 step %1 label \"i\" {\n%v: i32 = load x[%i]\nput s[], %v\n}"
        ));
        assert!(constant(
            "for %i = %0 to %8 step %1 label \"i\" {\n%c: u1 = cmp eq %i, %1 : index\nput s[] if %c, %n\n}"
        ));
    }

    #[test]
    fn branches_that_transfer_alike_decide_nothing() {
        let either = |other: &str| {
            format!(
                "%c: u1 = cmp eq %n, %n : i32\nif %c {{\nput s[], %n\n}} else {{\n%m: i32 = neg %n\n{other}\n}}"
            )
        };
        assert!(constant(&either("put s[], %m")));
        assert!(!constant(&either("put s[], %m\nput s[], %m")));
        assert!(!constant(&either("put s[] if %c, %m")));
    }

    #[test]
    fn what_depends_on_an_element_or_argument_does_not() {
        let conditions = [
            "%c: u1 = cmp eq %n, %n : i32",
            "%v: i32 = load x[%0]\n%c: u1 = cmp eq %v, %v : i32",
        ];
        for condition in conditions {
            assert!(!constant(&format!("{condition}\nput s[] if %c, %n")));
            assert!(!constant(&format!(
                "{condition}\nif %c {{\nput s[], %n\n}} else {{\n}}"
            )));
        }
    }
}
