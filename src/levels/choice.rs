//! One thing that may be directed: iterations of a loop side by side, and the banks that they need.

use super::lanes::Lanes;
use super::variants::Variant;
use super::{Aim, Level};
use crate::diagnostics::SourceMap;
use crate::ir::analysis::touch::Touched;
use crate::ir::analysis::{Values, touch};
use crate::ir::partition::{MAX_BANKS, banks, parts};
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet};

/// What may be directed for one nest.
pub struct Choice {
    /// The loop of which iterations run side by side.
    pub path: Path,
    /// How many.
    pub lanes: Lanes,
    /// Arrays that are split, one dimension each, cyclically.
    splits: BTreeMap<ArrayId, Partition>,
    /// Arrays that are read through as many ports as are needed.
    copied: BTreeSet<ArrayId>,
    /// The banks that an array has already along the dimension of the lanes.
    pub aligned: Option<u64>,
}

impl Choice {
    /// So many iterations of a loop of a variant; with a bank for each lane, along the dimension in which the lanes' elements
    /// lie side by side, where arrays may be split. `None` where that is more than there may be.
    pub fn of(variant: &Variant, path: &Path, count: u64, aim: &Aim) -> Option<Choice> {
        let Variant { kernel, values, .. } = variant;
        let lanes = Lanes::of(kernel, values, path, count)?;
        let mut choice = Choice {
            path: path.clone(),
            lanes,
            splits: BTreeMap::new(),
            copied: BTreeSet::new(),
            aligned: None,
        };
        let Some(f) = kernel.body.for_at(path) else {
            return Some(choice);
        };
        choice.copied = copied(kernel, values, f);
        if aim.level != Level::Three {
            return Some(choice);
        }
        for (array, dim) in dimensions(values, f) {
            let mut known = kernel.arrays[array].partition.iter();
            let known = known.find(|other| other.dim == dim);
            choice.aligned = choice.aligned.max(known.map(|known| known.factor));
            let split = cyclic(&kernel.arrays[array], dim, lanes, aim);
            choice.splits.extend(split.map(|split| (array, split)));
        }
        choice
            .splits
            .retain(|array, _| !choice.copied.contains(array));
        Some(choice)
    }

    /// The kernel of a variant directed so.
    pub fn directed(&self, variant: &Variant) -> Kernel {
        let mut directed = variant.clone();
        self.tag(directed.kernel_mut());
        directed.into_kernel()
    }

    /// Directs the kernel of a variant so.
    pub fn tag(&self, kernel: &mut Kernel) {
        if let Some(Op {
            kind: OpKind::For(f),
            ..
        }) = kernel.body.op_at_mut(&self.path)
        {
            f.tags.unroll = Some(Unroll::Abreast(self.lanes.count));
        }
        for (&array, split) in &self.splits {
            kernel.arrays[array].partition.push(split.clone());
        }
        for &array in &self.copied {
            kernel.arrays[array].tags.ports = Some(MOST_READS);
        }
    }

    /// What is directed, in words.
    pub fn words(&self, variant: &Variant, sources: &SourceMap) -> Option<String> {
        let Variant { kernel, order, .. } = variant;
        let line = sources.line_of(kernel.body.op_at(&self.path)?.span);
        let label = &kernel.body.for_at(&self.path)?.label;
        let count = self.lanes.count;
        let mut words =
            format!("loop '{label}' (line {line}) runs {count} iterations side by side");
        let listed = |arrays: Vec<&ArrayId>| {
            let names = arrays
                .into_iter()
                .map(|&array| format!("'{}'", kernel.arrays[array].name));
            names.collect::<Vec<_>>().join(", ")
        };
        let banks = listed(self.splits.keys().collect());
        let copies = listed(self.copied.iter().collect());
        if let Some(order) = order {
            words += &format!(", in the order {}", order.names.join(", "));
        }
        if !banks.is_empty() {
            words += &format!(", with banks of {banks}");
        }
        if !copies.is_empty() {
            words += &format!(", with copies of {copies}");
        }
        Some(words)
    }
}

/// Arrays inside that a loop's iterations gather from and users say nothing of: banks do not help, copies do.
fn copied(kernel: &Kernel, values: &Values, f: &For) -> BTreeSet<ArrayId> {
    let mut found = gathered(values, &f.body);
    found.retain(|id| {
        let array = &kernel.arrays[*id];
        array.kind.most_ports() > MOST_PORTS
            && array.tags == ArrayTags::default()
            && array.partition.is_empty()
    });
    found
}

/// Arrays that a block only reads, at places that are no sums of counters.
pub fn gathered(values: &Values, block: &Block) -> BTreeSet<ArrayId> {
    // Counters and arguments are no results.
    let mut computed = BTreeSet::new();
    block.for_each_op(&mut |op| computed.extend(op.results.iter().copied()));
    let mut found = BTreeSet::new();
    block.for_each_op(&mut |op| {
        let Some(at) = touch::element(&op.kind) else {
            return;
        };
        let is_computed = |&index: &ValueId| {
            let mut terms = values.affine(index).terms.into_iter();
            terms.any(|term| computed.contains(&term.0))
        };
        if at.indices.iter().any(is_computed) {
            found.insert(at.array);
        }
    });
    let touched = Touched::by_block(block);
    found.retain(|id| !touched.written.contains(id));
    found
}

/// The split of an array for so many lanes, if it may be split.
fn cyclic(array: &Array, dim: usize, lanes: Lanes, aim: &Aim) -> Option<Partition> {
    let Array {
        shape,
        partition,
        kind,
        tags,
        ..
    } = array;
    let is_inside = !matches!(kind, ArrayKind::Param(_) | ArrayKind::Result(_));
    let kind = PartitionKind::Cyclic;
    let factor = parts(kind, shape[dim], lanes.count.into());
    let one = Partition { kind, dim, factor };
    let is_split = partition.iter().any(|other| other.dim == dim);
    let all = [&partition[..], std::slice::from_ref(&one)].concat();
    // What users direct of it would be of memories that there are no more.
    let is_free = *tags == ArrayTags::default();
    let may_be = (is_inside || aim.partition_args) && is_free && !is_split && factor > 1;
    (may_be && banks(shape, &all) <= MAX_BANKS).then_some(one)
}

/// Of each array that a loop's iterations access: the dimension in which neighbouring iterations access neighbouring elements,
/// if all accesses agree.
fn dimensions(values: &Values, f: &For) -> BTreeMap<ArrayId, usize> {
    let mut found: BTreeMap<ArrayId, Option<usize>> = BTreeMap::new();
    f.body.for_each_op(&mut |op| {
        let Some(at) = touch::element(&op.kind) else {
            return;
        };
        let moves = |&index: &ValueId| {
            let sum = values.affine(index);
            sum.terms
                .iter()
                .any(|term| term.0 == f.iv && term.1.abs() == 1)
        };
        if let Some(dim) = at.indices.iter().position(moves) {
            let known = found.entry(at.array).or_insert(Some(dim));
            *known = known.filter(|known| *known == dim);
        }
    });
    let all = found.into_iter();
    all.filter_map(|(array, dim)| Some((array, dim?))).collect()
}
