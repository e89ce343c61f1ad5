//! Workers that may access what another one writes each get a copy of the array, and marks of what they have written; behind the
//! grid each element comes from the copy of the last worker, in the order of their numbers, that wrote it, and stays what it was if
//! none did.
//!
//! So each worker finds what was there before the grid, and what it wrote itself; a program that keeps workers apart does not see
//! that, and of any other what comes out does not depend on who is faster.

use super::groups::{Group, GroupKind, around, range, with_local};
use super::local_copy;
use crate::diagnostics::Span;
use crate::ir::analysis::touch::Touched;
use crate::ir::{
    Array, ArrayId, ArrayKind, ArrayTags, BinaryOp, Build, Kernel, Op, OpKind, Scalar, ValueId,
};

/// What a worker has in place of an array.
#[derive(Clone, Copy)]
struct Own {
    copy: ArrayId,
    /// If it writes.
    marks: Option<ArrayId>,
}

/// Gives the workers of a grid copies of an array that they access; those who read it find what was there before, or what they
/// wrote.
pub(super) fn run(
    outer: &mut Kernel,
    groups: &mut Vec<Group>,
    grid: usize,
    (id, is_read): (ArrayId, bool),
) {
    let grid_at = range(groups, grid);
    let span = groups[grid_at.start].span;
    let mut owns = Vec::new();
    let is_one = |one: &Group, other: &Group| one.worker(grid) == other.worker(grid);
    for those in groups[grid_at.clone()].chunk_by_mut(is_one) {
        let touched = those.iter().map(|group| Touched::by_all(&group.ops));
        let touched: Vec<Touched> = touched.collect();
        let is_user = touched.iter().any(|touched| touched.contains(id));
        if those[0].worker(grid).is_none() || !is_user {
            continue;
        }
        let first = touched
            .iter()
            .position(|touched| touched.written.contains(&id));
        let own = own(outer, those, (id, owns.len()), first.is_some());
        if let (Some(first), Some(marks)) = (first, own.marks) {
            for group in those.iter_mut() {
                mark(outer, &mut group.ops, (own.copy, marks));
            }
            clear(outer, &mut those[first], marks);
        }
        owns.push(own);
    }
    let around = around(groups, grid);
    let gathered = gathered(outer, id, &owns, span);
    groups.insert(grid_at.end, gathered.inside(&around));
    if is_read {
        let handed = handed(outer, id, &owns, span);
        groups.insert(grid_at.start, handed.inside(&around));
    }
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
        workers: Vec::new(),
        ops,
    }
}

/// The arrays of a worker, which it uses from now on.
fn own(
    outer: &mut Kernel,
    groups: &mut [Group],
    (id, number): (ArrayId, usize),
    is_written: bool,
) -> Own {
    let copy = with_local(outer, groups, id);
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
    let marks = is_written.then(|| outer.arrays.push(marks));
    Own { copy, marks }
}

/// Marks each element that operations store in a copy.
fn mark(outer: &mut Kernel, ops: &mut Vec<Op>, (copy, marks): (ArrayId, ArrayId)) {
    for mut op in std::mem::take(ops) {
        for block in op.kind.blocks_mut() {
            mark(outer, &mut block.ops, (copy, marks));
        }
        let stored = match &op.kind {
            OpKind::Store { at, .. } if at.array == copy => Some(Some(at.clone())),
            OpKind::Fill { array, .. } if *array == copy => Some(None),
            OpKind::Copy { dst, .. } if *dst == copy => Some(None),
            _ => None,
        };
        let span = op.span;
        ops.push(op);
        let Some(stored) = stored else { continue };
        let mut build = outer.build(ops, span);
        let value = build.always();
        let marked = match stored {
            Some(mut at) => {
                at.array = marks;
                OpKind::Store { at, value }
            }
            None => OpKind::Fill {
                array: marks,
                value,
            },
        };
        build.define(marked, vec![]);
    }
}

/// Has a worker begin without marks.
fn clear(outer: &mut Kernel, group: &mut Group, marks: ArrayId) {
    let mut ops = Vec::new();
    let mut build = outer.build(&mut ops, group.span);
    let value = build.zero(Scalar::BOOL);
    let fill = OpKind::Fill {
        array: marks,
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
            let Some(marks) = own.marks else { continue };
            let mark = build.load(marks, counters.to_vec());
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
