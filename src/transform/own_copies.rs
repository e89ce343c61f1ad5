//! Workers that may write any element of an array each get a copy of it, and marks of what they have written; behind the grid
//! each element comes from the copy of the worker that wrote it, and stays what it was if none did.
//!
//! No element is written by two workers, so that no order among them has to be kept.

use super::grids::with_local;
use super::local_copy;
use super::network::{Group, GroupKind};
use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::{
    Array, ArrayId, ArrayKind, ArrayTags, BinaryOp, Build, Const, Kernel, Op, OpKind, Scalar,
    ValueId,
};
use std::ops::Range;

/// What a worker has in place of an array.
#[derive(Clone, Copy)]
struct Own {
    copy: ArrayId,
    marks: ArrayId,
}

/// Gives the workers of a grid copies of an array that they write element by element; those who read it find what was there
/// before, or what they wrote. Gives how many groups were added before the grid.
pub(super) fn run(
    outer: &mut Kernel,
    groups: &mut Vec<Group>,
    grid: Range<usize>,
    (id, is_read): (ArrayId, bool),
) -> usize {
    let mut owns = Vec::new();
    for at in grid.clone() {
        let writes = |op: &Op| touch::arrays(&op.kind).1.contains(&id);
        let inside = |op: &Op| op.kind.blocks().iter().any(|block| block.any_op(&writes));
        if !groups[at].ops.iter().any(|op| writes(op) || inside(op)) {
            continue;
        }
        let own = own(outer, &mut groups[at..=at], (id, owns.len()));
        mark(outer, &mut groups[at].ops, own);
        clear(outer, &mut groups[at], own);
        owns.push(own);
    }
    let span = groups[grid.start].span;
    let gathered = gathered(outer, id, &owns, span);
    groups.insert(grid.end, gathered);
    if is_read {
        let handed = handed(outer, id, &owns, span);
        groups.insert(grid.start, handed);
    }
    usize::from(is_read)
}

/// Puts what is in an array into each of the copies.
fn handed(outer: &mut Kernel, id: ArrayId, owns: &[Own], span: Span) -> Group {
    let element = |build: &mut Build, counters: &[ValueId]| {
        let value = build.load(id, counters.to_vec());
        for own in owns {
            build.store(own.copy, counters.to_vec(), value);
        }
    };
    statements(outer, id, "hand", span, element)
}

/// A group that walks through an array.
fn statements(
    outer: &mut Kernel,
    id: ArrayId,
    what: &str,
    span: Span,
    element: impl FnOnce(&mut Build, &[ValueId]),
) -> Group {
    let Array { name, shape, .. } = outer.arrays[id].clone();
    let name = format!("{name}_{what}");
    let ops = local_copy::nest(outer, &shape, &[], &name, span, element);
    Group {
        name,
        span,
        kind: GroupKind::Statements,
        ops,
    }
}

/// The arrays of a worker, which it uses from now on.
fn own(outer: &mut Kernel, group: &mut [Group], (id, number): (ArrayId, usize)) -> Own {
    let copy = with_local(outer, group, id);
    let array = &mut outer.arrays[copy];
    array.name = format!("{}_{number}", array.name);
    let marks = Array {
        name: format!("{}_marks", array.name),
        kind: ArrayKind::Local,
        elem: Scalar::BOOL,
        partition: Vec::new(),
        tags: ArrayTags::default(),
        ..array.clone()
    };
    let marks = outer.arrays.push(marks);
    Own { copy, marks }
}

/// Marks each element that operations store.
fn mark(outer: &mut Kernel, ops: &mut Vec<Op>, own: Own) {
    for mut op in std::mem::take(ops) {
        for block in op.kind.blocks_mut() {
            mark(outer, &mut block.ops, own);
        }
        let stored = match &op.kind {
            OpKind::Store { at, .. } if at.array == own.copy => Some(at.clone()),
            _ => None,
        };
        let span = op.span;
        ops.push(op);
        if let Some(mut at) = stored {
            at.array = own.marks;
            let mut build = outer.build(ops, span);
            let value = build.op(Scalar::BOOL, OpKind::Const(Const::Int(1.into())));
            build.define(OpKind::Store { at, value }, vec![]);
        }
    }
}

/// Has a worker begin without marks.
fn clear(outer: &mut Kernel, group: &mut Group, own: Own) {
    let mut ops = Vec::new();
    let mut build = outer.build(&mut ops, group.span);
    let value = build.zero(Scalar::BOOL);
    let fill = OpKind::Fill {
        array: own.marks,
        value,
    };
    build.define(fill, vec![]);
    ops.append(&mut group.ops);
    group.ops = ops;
}

/// Puts into an array what workers have written.
fn gathered(outer: &mut Kernel, id: ArrayId, owns: &[Own], span: Span) -> Group {
    let element = |build: &mut Build, counters: &[ValueId]| {
        let mut any = build.zero(Scalar::BOOL);
        let mut value = None;
        for own in owns {
            let mark = build.load(own.marks, counters.to_vec());
            let new = build.load(own.copy, counters.to_vec());
            any = build.binary(BinaryOp::Or, any, mark);
            value = Some(match value {
                None => new,
                Some(old) => build.select(mark, new, old),
            });
        }
        let Some(value) = value else { return };
        let mut store = OpKind::store(id, counters.to_vec(), value);
        if let OpKind::Store { at, .. } = &mut store {
            at.when = Some(any);
        }
        build.define(store, vec![]);
    };
    statements(outer, id, "gather", span, element)
}
