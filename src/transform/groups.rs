//! Groups of operations that become the processes of a network, and what they need of one another.

use crate::diagnostics::Span;
use crate::ir::analysis::Values;
use crate::ir::analysis::touch::Touched;
use crate::ir::{Array, ArrayId, ArrayKind, Block, Kernel, Op, OpKind, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Memories that workers were given.
#[derive(Default)]
pub(super) struct Given {
    /// What that takes, in words.
    pub(super) notes: Vec<Note>,
    /// Whether copies are among them because workers may access what others write.
    pub(super) has_copies: bool,
}

/// A note about a network.
pub type Note = (Span, String);

/// The operations of a process, over the values and arrays of the network.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) kind: GroupKind,
    /// The workers that it is or is inside of, from the outermost.
    pub(super) workers: Vec<Worker>,
    pub(super) ops: Vec<Op>,
}

/// A worker of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Worker {
    /// Of all grids of the network, numbered as they stand in the text, those outside before those inside of them.
    pub(super) grid: usize,
    pub(super) number: u32,
}

/// What a process was in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// Statements between calls.
    Statements,
    /// A call, with the arrays that are passed and what the callee calls them, in the order of its parameters.
    Call(Vec<(ArrayId, String)>),
}

impl Group {
    /// Whether both are in different workers of one grid.
    pub(super) fn is_beside(&self, other: &Group) -> bool {
        let mut pairs = self.workers.iter().zip(&other.workers);
        let first = pairs.find(|(one, other)| one != other);
        first.is_some_and(|(one, other)| one.grid == other.grid)
    }

    /// The same group inside of these workers.
    pub(super) fn inside(self, workers: &[Worker]) -> Group {
        let workers = workers.to_vec();
        Group { workers, ..self }
    }

    /// Its worker of a grid.
    pub(super) fn worker(&self, grid: usize) -> Option<u32> {
        let mut workers = self.workers.iter();
        workers
            .find(|worker| worker.grid == grid)
            .map(|worker| worker.number)
    }
}

/// What is known of the values of some groups.
pub(super) fn values(outer: &Kernel, groups: &[Group]) -> Values {
    let mut kernel = outer.clone();
    kernel.body.ops = groups.iter().flat_map(|group| group.ops.clone()).collect();
    Values::of(&kernel)
}

/// The groups of a grid: they stand one behind the other.
pub(super) fn range(groups: &[Group], grid: usize) -> Range<usize> {
    let is_of_it = |group: &Group| group.worker(grid).is_some();
    let start = groups.iter().position(is_of_it).unwrap_or(0);
    start
        ..groups
            .iter()
            .rposition(is_of_it)
            .map_or(start, |last| last + 1)
}

/// The workers that a grid is inside of.
pub(super) fn around(groups: &[Group], grid: usize) -> Vec<Worker> {
    let first = &groups[range(groups, grid).start];
    let workers = first.workers.iter();
    workers
        .take_while(|worker| worker.grid != grid)
        .copied()
        .collect()
}

/// Has groups use an array inside in place of another one.
pub(super) fn with_local(outer: &mut Kernel, groups: &mut [Group], outside: ArrayId) -> ArrayId {
    let array = &outer.arrays[outside];
    let local = Array {
        name: format!("{}_local", array.name),
        kind: ArrayKind::Local,
        ..array.clone()
    };
    let local = outer.arrays.push(local);
    let rename = |id: &mut ArrayId| {
        if *id == outside {
            *id = local;
        }
    };
    for group in groups {
        for op in &mut group.ops {
            op.kind.for_each_array(&mut { rename });
            for inner in op.kind.blocks_mut() {
                inner.for_each_array(&mut { rename });
            }
        }
        if let GroupKind::Call(passed) = &mut group.kind {
            passed.iter_mut().for_each(|(id, _)| rename(id));
        }
    }
    local
}

/// A group that copies a whole array.
pub(super) fn copying(name: &str, span: Span, dst: ArrayId, src: ArrayId) -> Group {
    Group {
        name: name.into(),
        span,
        kind: GroupKind::Statements,
        workers: Vec::new(),
        ops: vec![Op {
            kind: OpKind::Copy { dst, src },
            results: Vec::new(),
            span,
        }],
    }
}

/// What a group needs of the others.
pub(super) struct Needs {
    pub(super) values: BTreeSet<ValueId>,
    pub(super) defined: BTreeSet<ValueId>,
    pub(super) touched: Touched,
}

impl Needs {
    pub(super) fn of(group: &Group) -> Needs {
        let mut block = Block {
            ops: group.ops.clone(),
            yields: Vec::new(),
        };
        let defined = block.defined();
        let mut values = BTreeSet::new();
        block.for_each_use(&mut |value| _ = values.insert(*value));
        values.retain(|value| !defined.contains(value));
        Needs {
            values,
            defined,
            touched: Touched::by_block(&block),
        }
    }

    pub(super) fn arrays(&self) -> BTreeSet<ArrayId> {
        self.touched
            .read
            .union(&self.touched.written)
            .copied()
            .collect()
    }
}

/// Constants of all groups: they are wherever they are needed.
pub(super) fn constants(groups: &[Group]) -> BTreeMap<ValueId, Op> {
    let ops = groups.iter().flat_map(|group| &group.ops);
    let constants = ops.filter(|op| matches!(op.kind, OpKind::Const(_)));
    constants.map(|op| (op.results[0], op.clone())).collect()
}

/// For each group the ones before it that have to be done when it begins: they hand it a value, or one of them writes an array
/// that the other accesses.
pub(super) fn orders(
    outer: &Kernel,
    groups: &[Group],
    needs: &[Needs],
    constants: &BTreeMap<ValueId, Op>,
) -> Vec<Vec<usize>> {
    let after = |number: usize, other: usize| {
        let (own, before) = (&needs[number], &needs[other]);
        let mut values = own.values.iter();
        let hands_on = values.any(|v| before.defined.contains(v) && !constants.contains_key(v));
        // Workers of a grid never write what another one accesses.
        let is_worker = groups[number].is_beside(&groups[other]);
        hands_on || !is_worker && meet(outer, &before.touched, &own.touched)
    };
    let numbers = 0..groups.len();
    numbers
        .map(|number| (0..number).filter(|&other| after(number, other)).collect())
        .collect()
}

/// For each of the arrays that groups access those that do, and which groups are certainly done when each begins.
pub(super) struct Accesses {
    pub(super) users: BTreeMap<ArrayId, Vec<usize>>,
    pub(super) written: BTreeSet<ArrayId>,
    pub(super) behind: Vec<BTreeSet<usize>>,
}

impl Accesses {
    pub(super) fn of(outer: &Kernel, groups: &[Group]) -> Accesses {
        let needs: Vec<Needs> = groups.iter().map(Needs::of).collect();
        let mut users: BTreeMap<ArrayId, Vec<usize>> = BTreeMap::new();
        for (number, needs) in needs.iter().enumerate() {
            for array in needs.arrays() {
                users.entry(array).or_default().push(number);
            }
        }
        let written = needs.iter().flat_map(|needs| &needs.touched.written);
        let orders = orders(outer, groups, &needs, &constants(groups));
        Accesses {
            users,
            written: written.copied().collect(),
            behind: behind(orders.iter().map(Vec::as_slice)),
        }
    }
}

/// All that are before each one, given those directly before it, which have smaller numbers.
pub(super) fn behind<'a>(orders: impl IntoIterator<Item = &'a [usize]>) -> Vec<BTreeSet<usize>> {
    let mut behind: Vec<BTreeSet<usize>> = Vec::new();
    for order in orders {
        let mut all: BTreeSet<usize> = order.iter().copied().collect();
        for &other in order {
            all.extend(&behind[other]);
        }
        behind.push(all);
    }
    behind
}

/// Whether two groups access an array, that is no stream, and one of them writes it.
fn meet(outer: &Kernel, one: &Touched, other: &Touched) -> bool {
    let is_memory = |id: &&ArrayId| outer.arrays[**id].stream.is_none();
    let clash = |written: &BTreeSet<ArrayId>, other: &Touched| {
        written
            .iter()
            .filter(is_memory)
            .any(|id| other.contains(*id))
    };
    clash(&one.written, other) || clash(&other.written, one)
}
