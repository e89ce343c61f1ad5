//! Fills that nothing sees go: what follows them overwrites elements before anything reads them.

use super::inline;
use crate::ir::analysis::Values;
use crate::ir::analysis::initialised::{Found, follow};
use crate::ir::analysis::touch::{arrays, touches};
use crate::ir::*;
use std::collections::{BTreeSet, HashMap};

/// Drops such fills in all blocks.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    let all = Accesses::of(&body.ops);
    drop_fills(kernel, &mut body, &values, &all);
    kernel.body = body;
}

/// Drops those at the top level of kernels that the first call behind overwrites as a whole. (Where calls stay apart,
/// such a fill would be a process of its own.)
pub fn run_before_calls(program: &mut Program) {
    // What is too large is refused where it is built.
    let Ok(inlined) = inline::all(program) else {
        return;
    };
    for kernel in program.kernels.values_mut() {
        let mut body = std::mem::take(&mut kernel.body);
        let mut place = 0..;
        let dropped: BTreeSet<usize> = (0..body.ops.len())
            .filter(|&at| is_overwritten(kernel, &body.ops[at..], &inlined))
            .collect();
        body.ops
            .retain(|_| place.next().is_some_and(|at| !dropped.contains(&at)));
        kernel.body = body;
    }
}

/// Whether the first of some operations is a fill of a local array, which the next one with that array overwrites, by a
/// call.
fn is_overwritten(kernel: &Kernel, ops: &[Op], inlined: &[Kernel]) -> bool {
    let OpKind::Fill { array, .. } = ops[0].kind else {
        return false;
    };
    let accesses = |op: &&Op| touches(op, array);
    let Some(OpKind::Call(call)) = ops[1..].iter().find(accesses).map(|op| &op.kind) else {
        return false;
    };
    let callee = &inlined[call.kernel.index()];
    let passed = call.arrays(callee).into_iter();
    let mut passed = passed.filter(|(_, outside)| *outside == array);
    let (Some((own, _)), None) = (passed.next(), passed.next()) else {
        return false;
    };
    let is_plain = callee.mapping.is_empty() && kernel.arrays[array].kind == ArrayKind::Local;
    is_plain && follow(callee, &Values::of(callee), own, &callee.body.ops) == Found::All
}

/// How often each array is accessed.
struct Accesses(HashMap<ArrayId, usize>);

impl Accesses {
    fn of<'b>(ops: impl IntoIterator<Item = &'b Op>) -> Accesses {
        let mut accesses = Accesses(HashMap::new());
        for op in ops {
            accesses.add(op);
        }
        accesses
    }

    fn add(&mut self, op: &Op) {
        let (read, written) = arrays(&op.kind);
        for array in BTreeSet::from_iter(read.into_iter().chain(written)) {
            *self.0.entry(array).or_default() += 1;
        }
        for block in op.kind.blocks() {
            block.ops.iter().for_each(|op| self.add(op));
        }
    }
}

fn drop_fills(kernel: &Kernel, block: &mut Block, values: &Values, all: &Accesses) {
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            drop_fills(kernel, inner, values, all);
        }
    }
    let is_fill = |op: &Op| matches!(op.kind, OpKind::Fill { .. });
    if !block.ops.iter().any(is_fill) {
        return;
    }
    // The operations that access each array, the last one first.
    let mut after: HashMap<ArrayId, Vec<usize>> = HashMap::new();
    let mut accesses: HashMap<ArrayId, usize> = HashMap::new();
    let mut dropped = BTreeSet::new();
    for (i, op) in block.ops.iter().enumerate().rev() {
        for (array, count) in Accesses::of([op]).0 {
            *accesses.entry(array).or_default() += count;
            if let OpKind::Fill { array, .. } = op.kind {
                let ops = after.get(&array).into_iter().flatten().rev();
                let found = follow(kernel, values, array, ops.map(|&i| &block.ops[i]));
                let is_unseen = match found {
                    Found::All => true,
                    // What comes before the fill, or after the block, sees nothing either.
                    Found::WhatIsRead => {
                        kernel.arrays[array].kind == ArrayKind::Local
                            && all.0.get(&array) == accesses.get(&array)
                    }
                    Found::Open => false,
                };
                if is_unseen {
                    dropped.insert(i);
                    continue;
                }
            }
            after.entry(array).or_default().push(i);
        }
    }
    let mut place = 0..;
    block
        .ops
        .retain(|_| place.next().is_some_and(|i| !dropped.contains(&i)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::FileId;
    use crate::ir::read::read;

    /// Whether the fill stays in front of a call of a kernel with this body.
    fn stays(body: &str) -> bool {
        let text = format!(
            "kernel @f(a: i32[4], %n: i32) {{\n%0: index = const 0\n%1: index = const 1\n%4: index = const 4\n{body}\n}}\n\
             top kernel @g(%x: i32) {{\nlocal t: i32[4]\n%0: i32 = const 0\nfill t, %0\ncall @f(t, %x)\n}}"
        );
        let mut program = read(FileId::default(), &text).expect("a program");
        run_before_calls(&mut program);
        let is_fill = |op: &Op| matches!(op.kind, OpKind::Fill { .. });
        program.kernels[program.top].body.any_op(&is_fill)
    }

    #[test]
    fn a_call_that_overwrites_an_array_needs_no_fill_before() {
        assert!(!stays(
            "for %i = %0 to %4 step %1 label \"i\" {\nstore a[%i], %n\n}"
        ));
    }

    #[test]
    fn one_that_reads_or_leaves_elements_does() {
        let part = "for %i = %1 to %4 step %1 label \"i\" {\nstore a[%i], %n\n}";
        assert!(stays(part));
        assert!(stays("%v: i32 = load a[%0]\nstore a[%1], %v"));
    }
}
