//! After lowering: tables that are never written become constant, zero fills that nothing sees go.

use crate::arena::Arena;
use crate::ir::{
    Arg, Array, ArrayId, ArrayKind, Block, Const, For, Kernel, KernelId, Op, OpKind, ValueId,
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};

/// What lowering knows about the arrays it made.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Locals with the tables that initialise them.
    tables: Vec<(ArrayId, ArrayId)>,
    /// Arrays filled with zero because they have no initialiser.
    zero_filled: Vec<ArrayId>,
}

impl Notes {
    /// `local` is initialised by a copy of `table`.
    pub(super) fn table(&mut self, local: ArrayId, table: ArrayId) {
        self.tables.push((local, table));
    }
    /// `array` is filled with zero where it is declared.
    pub(super) fn zero_filled(&mut self, array: ArrayId) {
        self.zero_filled.push(array);
    }
}

/// Arrays that the kernel may write. `writes(callee, i)` says whether a callee writes its
/// parameter `i`.
pub(super) fn written_arrays(
    kernel: &Kernel,
    writes: impl Fn(KernelId, usize) -> bool,
) -> BTreeSet<ArrayId> {
    let mut found = BTreeSet::new();
    visit(&kernel.body, &mut |op| writes_of(op, &writes, &mut found));
    found
}

fn writes_of(op: &Op, writes: &impl Fn(KernelId, usize) -> bool, found: &mut BTreeSet<ArrayId>) {
    match &op.kind {
        OpKind::Store { array, .. } | OpKind::Fill { array, .. } => {
            found.insert(*array);
        }
        OpKind::Copy { dst, .. } => {
            found.insert(*dst);
        }
        OpKind::Call(call) => {
            found.extend(&call.result_arrays);
            for (i, arg) in call.args.iter().enumerate() {
                if let Arg::Array(id) = arg
                    && writes(call.kernel, i)
                {
                    found.insert(*id);
                }
            }
        }
        _ => {}
    }
}

fn visit(block: &Block, f: &mut impl FnMut(&Op)) {
    for op in &block.ops {
        f(op);
        op.kind.blocks().into_iter().for_each(|b| visit(b, f));
    }
}

/// Applies both simplifications and drops the arrays that they leave unused.
pub(super) fn simplify(kernel: &mut Kernel, notes: &Notes) {
    promote_tables(kernel, notes);
    for array in &notes.zero_filled {
        let extents = kernel.arrays[*array].shape.clone();
        let constants = index_constants(&kernel.body);
        let check = Coverage {
            array: *array,
            extents: &extents,
            constants: &constants,
        };
        check.drop_fill(&mut kernel.body);
    }
    compact(kernel);
    drop_dead_constants(kernel);
}

/// A local whose only write is its initialisation is the table itself.
fn promote_tables(kernel: &mut Kernel, notes: &Notes) {
    for (local, table) in &notes.tables {
        if kernel.arrays[*local].kind != ArrayKind::Local {
            continue;
        }
        let mut others = false;
        visit(&kernel.body, &mut |op| {
            let own = matches!(&op.kind, OpKind::Copy { dst, src } if dst == local && src == table);
            let mut found = BTreeSet::new();
            // Whether a callee writes is not known here for kernels under construction: assume it.
            writes_of(op, &|_, _| true, &mut found);
            others |= !own && found.contains(local);
        });
        if others {
            continue;
        }
        let kind = kernel.arrays[*table].kind.clone();
        kernel.arrays[*local].kind = kind;
        remove(
            &mut kernel.body,
            &mut |op| matches!(&op.kind, OpKind::Copy { dst, src } if dst == local && src == table),
        );
    }
}

fn remove(block: &mut Block, unwanted: &mut impl FnMut(&Op) -> bool) {
    block.ops.retain(|op| !unwanted(op));
    for op in &mut block.ops {
        op.kind
            .blocks_mut()
            .into_iter()
            .for_each(|b| remove(b, unwanted));
    }
}

fn index_constants(block: &Block) -> BTreeMap<ValueId, BigInt> {
    let mut found = BTreeMap::new();
    visit(block, &mut |op| {
        if let (OpKind::Const(Const::Int(v)), [id]) = (&op.kind, &op.results[..]) {
            found.insert(*id, v.clone());
        }
    });
    found
}

/// Decides whether a zero fill is overwritten before anything can see it.
struct Coverage<'k> {
    array: ArrayId,
    extents: &'k [u64],
    constants: &'k BTreeMap<ValueId, BigInt>,
}

impl Coverage<'_> {
    /// Removes the fill if what follows it in its block overwrites everything first.
    fn drop_fill(&self, block: &mut Block) {
        let fill = block
            .ops
            .iter()
            .position(|op| matches!(&op.kind, OpKind::Fill { array, .. } if *array == self.array));
        match fill {
            Some(at) => {
                let next = block.ops[at + 1..].iter().find(|op| self.touches(op));
                if next.is_some_and(|op| self.overwrites(op)) {
                    block.ops.remove(at);
                }
            }
            None => {
                for op in &mut block.ops {
                    op.kind
                        .blocks_mut()
                        .into_iter()
                        .for_each(|b| self.drop_fill(b));
                }
            }
        }
    }

    fn touches(&self, op: &Op) -> bool {
        let mut found = false;
        let mut look = |op: &Op| {
            found |= match &op.kind {
                OpKind::Load { array, .. }
                | OpKind::Store { array, .. }
                | OpKind::Fill { array, .. } => *array == self.array,
                OpKind::Copy { dst, src } => *dst == self.array || *src == self.array,
                OpKind::Call(call) => {
                    call.result_arrays.contains(&self.array)
                        || call.args.contains(&Arg::Array(self.array))
                }
                _ => false,
            };
        };
        look(op);
        op.kind
            .blocks()
            .into_iter()
            .for_each(|b| visit(b, &mut look));
        found
    }

    fn overwrites(&self, op: &Op) -> bool {
        match &op.kind {
            OpKind::Fill { array, .. } => *array == self.array,
            OpKind::Copy { dst, src } => *dst == self.array && *src != self.array,
            OpKind::Call(call) => {
                call.result_arrays.contains(&self.array)
                    && !call.args.contains(&Arg::Array(self.array))
            }
            OpKind::For(f) => self.nest_overwrites(f, &mut Vec::new()),
            _ => false,
        }
    }

    /// Whether a nest of complete loops stores every element once, before any other access to it.
    fn nest_overwrites(&self, f: &For, ivs: &mut Vec<(ValueId, u64)>) -> bool {
        let constant = |id: ValueId| self.constants.get(&id).and_then(ToPrimitive::to_u64);
        let (Some(0), Some(extent), Some(1)) = (constant(f.lo), constant(f.hi), constant(f.step))
        else {
            return false;
        };
        ivs.push((f.iv, extent));
        let Some(at) = f.body.ops.iter().position(|op| self.touches(op)) else {
            return false;
        };
        match &f.body.ops[at].kind {
            OpKind::Store { array, indices, .. } if *array == self.array => {
                self.stores_all(indices, ivs)
                    && f.body.ops[at + 1..]
                        .iter()
                        .all(|op| self.only_at(op, indices))
            }
            OpKind::For(inner) => {
                let alone = f.body.ops[at + 1..].iter().all(|op| !self.touches(op));
                alone && self.nest_overwrites(inner, ivs)
            }
            _ => false,
        }
    }

    /// Whether the indices are the induction variables of complete loops, each once.
    fn stores_all(&self, indices: &[ValueId], ivs: &[(ValueId, u64)]) -> bool {
        let distinct: BTreeSet<_> = indices.iter().collect();
        distinct.len() == indices.len()
            && ivs.iter().all(|(_, extent)| *extent > 0)
            && indices
                .iter()
                .zip(self.extents)
                .all(|(index, extent)| ivs.contains(&(*index, *extent)))
    }

    /// Whether the operation touches the array at most by loads and stores of the element.
    fn only_at(&self, op: &Op, element: &[ValueId]) -> bool {
        match &op.kind {
            OpKind::Load { array, indices } | OpKind::Store { array, indices, .. } => {
                *array != self.array || indices == element
            }
            OpKind::Fill { .. } | OpKind::Copy { .. } | OpKind::Call(_) => !self.touches(op),
            other => other
                .blocks()
                .into_iter()
                .all(|b| b.ops.iter().all(|op| self.only_at(op, element))),
        }
    }
}

/// Drops arrays that nothing refers to, and renumbers the others.
fn compact(kernel: &mut Kernel) {
    let mut used = BTreeSet::new();
    collect_arrays(&mut kernel.body, &mut used);
    let mut arrays: Arena<Array> = Arena::new();
    let mut map = BTreeMap::new();
    for (id, array) in kernel.arrays.iter() {
        let kept =
            matches!(array.kind, ArrayKind::Param(_) | ArrayKind::Result(_)) || used.contains(&id);
        if kept {
            map.insert(id, arrays.push(array.clone()));
        }
    }
    if arrays.len() == kernel.arrays.len() {
        return;
    }
    kernel.arrays = arrays;
    renumber(&mut kernel.body, &map);
    for param in &mut kernel.params {
        if let crate::ir::Param::Array(id) = param {
            *id = map[id];
        }
    }
    for slot in &mut kernel.results {
        if let crate::ir::ResultSlot::Array(id) = slot {
            *id = map[id];
        }
    }
}

fn collect_arrays(block: &mut Block, used: &mut BTreeSet<ArrayId>) {
    for op in &mut block.ops {
        used.extend(arrays_of(&mut op.kind).into_iter().map(|id| *id));
        op.kind
            .blocks_mut()
            .into_iter()
            .for_each(|b| collect_arrays(b, used));
    }
}

fn renumber(block: &mut Block, map: &BTreeMap<ArrayId, ArrayId>) {
    for op in &mut block.ops {
        for id in arrays_of(&mut op.kind) {
            *id = map[id];
        }
        op.kind
            .blocks_mut()
            .into_iter()
            .for_each(|b| renumber(b, map));
    }
}

/// The arrays that an operation names itself.
fn arrays_of(kind: &mut OpKind) -> Vec<&mut ArrayId> {
    match kind {
        OpKind::Load { array, .. } | OpKind::Store { array, .. } | OpKind::Fill { array, .. } => {
            vec![array]
        }
        OpKind::Copy { dst, src } => vec![dst, src],
        OpKind::Call(call) => call
            .args
            .iter_mut()
            .filter_map(|arg| match arg {
                Arg::Array(id) => Some(id),
                Arg::Scalar(_) => None,
            })
            .chain(call.result_arrays.iter_mut())
            .collect(),
        _ => vec![],
    }
}

/// Drops constants that nothing uses.
fn drop_dead_constants(kernel: &mut Kernel) {
    let mut used = BTreeSet::new();
    used.extend(kernel.body.yields.iter().copied());
    visit(&kernel.body, &mut |op| {
        used.extend(op.kind.operands());
        op.kind
            .blocks()
            .into_iter()
            .for_each(|b| used.extend(b.yields.iter().copied()));
    });
    remove(&mut kernel.body, &mut |op| {
        matches!(op.kind, OpKind::Const(_)) && op.results.iter().all(|r| !used.contains(r))
    });
}
