//! Partitions of arrays that directives ask for, and the way of what is directed from parameters of kernels to the arrays
//! that are passed.

use super::Directive;
use crate::codes;
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::partition::{MAX_BANKS, banks, parts};
use crate::ir::{
    Array, ArrayId, ArrayTags, Kernel, KernelId, OpKind, Partition, PartitionKind, Program,
};
use std::collections::BTreeMap;

/// Splits an array. Gives what is to be noted about it. Errors: why it cannot be split so.
pub fn split(
    array: &mut Array,
    kind: PartitionKind,
    factor: i64,
    dim: i64,
) -> Result<Vec<String>, String> {
    let rank = array.shape.len();
    if rank == 0 {
        return Err("it has one element".into());
    }
    if kind == PartitionKind::Skew && array.partition.iter().any(|one| one.kind == kind) {
        return Err("it has skewed banks already".into());
    }
    let dims = match usize::try_from(dim) {
        // Which dimension is divided makes no difference to which elements share a skewed bank.
        Ok(0) if kind == PartitionKind::Skew => rank - 1..rank,
        Ok(0) => 0..rank,
        Ok(dim) if dim <= rank => dim - 1..dim,
        _ => {
            return Err(format!(
                "its dimensions are 1 to {rank}, and 0 is all of them"
            ));
        }
    };
    let mut notes = Vec::new();
    for dim in dims {
        if array.partition.iter().any(|one| one.dim == dim) {
            return Err(format!("dimension {} is split already", dim + 1));
        }
        let extent = array.shape[dim];
        kind.check_factor(factor)?;
        let asked = match kind {
            PartitionKind::Complete => extent,
            _ => factor.unsigned_abs(),
        };
        if asked > extent {
            let (asked, dim) = (asked, dim + 1);
            notes.push(format!(
                "dimension {dim} has {extent} parts instead of {asked}"
            ));
        }
        let factor = parts(kind, extent, asked);
        if factor > 1 {
            array.partition.push(Partition { kind, dim, factor });
        }
    }
    match banks(&array.shape, &array.partition) {
        many if many > MAX_BANKS => Err(format!("more than {MAX_BANKS} banks")),
        _ if array.is_elementwise() && array.tags.memory.is_some() => {
            Err("an earlier directive says what its memory is made of".into())
        }
        _ => Ok(notes),
    }
}

/// What is remembered of directives until the last one is carried out.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Which one split an array.
    pub split: BTreeMap<(KernelId, ArrayId), Directive>,
    /// Arrays that were made, each with the dimensions of which every index is best a memory of its own.
    pub windows: Vec<(KernelId, ArrayId, Vec<usize>)>,
    /// Kernels that are copies for some calls, each with the name of the one that it is a copy of.
    pub copies: Vec<(String, String)>,
}

impl Asked {
    /// A kernel was put before another one: that and those behind have the next handles.
    pub fn inserted(&mut self, before: KernelId) {
        let moved = |id: KernelId| match id < before {
            true => id,
            false => KernelId::new(id.index() + 1),
        };
        let split = std::mem::take(&mut self.split).into_iter();
        self.split = split
            .map(|((kernel, array), directive)| ((moved(kernel), array), directive))
            .collect();
        for window in &mut self.windows {
            window.0 = moved(window.0);
        }
    }

    /// Splits what nobody has said anything else about.
    pub fn split_windows(&self, program: &mut Program) {
        for (kernel, array, dims) in &self.windows {
            let array = &mut program.kernels[*kernel].arrays[*array];
            if array.partition.is_empty() && array.tags == ArrayTags::default() {
                let dims = dims.iter().filter(|dim| array.shape[**dim] > 1);
                let split = dims.map(|&dim| Partition {
                    kind: PartitionKind::Complete,
                    dim,
                    factor: array.shape[dim],
                });
                array.partition = split.collect();
            }
        }
    }
}

/// Banks in which no two elements are that are in different banks of either partition; `None`: these say different things of a
/// dimension, or are too many.
fn joined(shape: &[u64], one: &[Partition], other: &[Partition]) -> Option<Vec<Partition>> {
    if one == other {
        return Some(one.to_vec());
    }
    let is_skewed = |all: &[Partition]| all.iter().any(|p| p.kind == PartitionKind::Skew);
    if is_skewed(one) || is_skewed(other) {
        return None;
    }
    let mut all = one.to_vec();
    for new in other {
        match all.iter_mut().find(|old| old.dim == new.dim) {
            Some(old) => *old = finer(shape[new.dim], old, new)?,
            None => all.push(new.clone()),
        }
    }
    (banks(shape, &all) <= MAX_BANKS).then_some(all)
}

/// The one of two partitions of a dimension that divides the banks of the other one.
fn finer(extent: u64, one: &Partition, other: &Partition) -> Option<Partition> {
    let divides = |fine: &Partition, coarse: &Partition| match (fine.kind, coarse.kind) {
        _ if fine == coarse || fine.factor == extent => true,
        (PartitionKind::Cyclic, PartitionKind::Cyclic) => fine.factor.is_multiple_of(coarse.factor),
        (PartitionKind::Block, PartitionKind::Block) => {
            fine.factor.is_multiple_of(coarse.factor) && extent.is_multiple_of(fine.factor)
        }
        _ => false,
    };
    let both = [(one, other), (other, one)];
    let fine = both
        .into_iter()
        .find(|(fine, coarse)| divides(fine, coarse));
    fine.map(|(fine, _)| fine.clone())
}

/// Splits each array that is passed to a kernel as that splits its parameter, and each that takes a result likewise; of the
/// limits of their ports, the narrowest holds.
///
/// Errors: an array that is split in two ways of which neither divides the banks of the other, at the call.
pub fn hand_over(
    program: &mut Program,
    mut asked: BTreeMap<(KernelId, ArrayId), Directive>,
) -> Result<(), Diagnostic> {
    let ids: Vec<KernelId> = program.kernels.iter().map(|(id, _)| id).collect();
    for id in ids {
        for pass in passes(program, &program.kernels[id]) {
            let param = &program.kernels[pass.callee].arrays[pass.param];
            let limit = param.tags.ports;
            let (name, partition) = (param.name.clone(), param.partition.clone());
            let array = &mut program.kernels[id].arrays[pass.array];
            let limits = array.tags.ports.into_iter().chain(limit);
            array.tags.ports = limits.min();
            let Some(directive) = asked.get(&(pass.callee, pass.param)).cloned() else {
                continue;
            };
            array.partition = match asked.contains_key(&(id, pass.array)) {
                false => partition,
                true => joined(&array.shape, &array.partition, &partition).ok_or_else(|| {
                    let why = format!(
                        "{directive}: '{}', which is passed for '{name}', is split in another way",
                        array.name
                    );
                    Diagnostic::error(codes::DIRECTIVE, pass.span, why)
                })?,
            };
            asked.insert((id, pass.array), directive);
        }
    }
    Ok(())
}

/// An array that stands for one of a callee.
struct Pass {
    array: ArrayId,
    callee: KernelId,
    param: ArrayId,
    span: Span,
}

fn passes(program: &Program, kernel: &Kernel) -> Vec<Pass> {
    let mut passes = Vec::new();
    kernel.body.for_each_op(&mut |op| {
        let OpKind::Call(call) = &op.kind else { return };
        let callee = &program.kernels[call.kernel];
        let arrays = call.arrays(callee).into_iter();
        passes.extend(arrays.map(|(param, array)| Pass {
            array,
            callee: call.kernel,
            param,
            span: op.span,
        }));
    });
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition((kind, dim, factor): (PartitionKind, usize, u64)) -> Partition {
        Partition { kind, dim, factor }
    }

    /// What is joined of 12 x 8 elements, in either order.
    fn of(
        one: &[(PartitionKind, usize, u64)],
        other: &[(PartitionKind, usize, u64)],
    ) -> Option<Vec<Partition>> {
        let all = |list: &[(PartitionKind, usize, u64)]| -> Vec<Partition> {
            list.iter().copied().map(partition).collect()
        };
        let (one, other) = (all(one), all(other));
        let sorted = |mut found: Vec<Partition>| {
            found.sort_by_key(|p| p.dim);
            found
        };
        let both = [(&one, &other), (&other, &one)];
        let [found, turned] = both.map(|(a, b)| joined(&[12, 8], a, b).map(sorted));
        assert_eq!(found, turned);
        found
    }

    #[test]
    fn banks_that_divide_others_are_those_of_both() {
        use PartitionKind::{Block, Complete, Cyclic, Skew};
        let made = |list: &[(PartitionKind, usize, u64)]| {
            Some(list.iter().copied().map(partition).collect::<Vec<_>>())
        };
        let two = [(Cyclic, 0, 2), (Block, 1, 4)];
        assert_eq!(of(&two[..1], &two[1..]), made(&two));
        assert_eq!(
            of(&[(Cyclic, 0, 4)], &[(Cyclic, 0, 2)]),
            made(&[(Cyclic, 0, 4)])
        );
        assert_eq!(of(&[(Cyclic, 0, 4)], &[(Cyclic, 0, 3)]), None);
        assert_eq!(
            of(&[(Block, 0, 6)], &[(Block, 0, 3)]),
            made(&[(Block, 0, 6)])
        );
        // Blocks of 2 and of 3 elements.
        assert_eq!(of(&[(Block, 1, 4)], &[(Block, 1, 3)]), None);
        assert_eq!(of(&[(Block, 0, 2)], &[(Cyclic, 0, 2)]), None);
        assert_eq!(
            of(&[(Complete, 1, 8)], &[(Block, 1, 3)]),
            made(&[(Complete, 1, 8)])
        );
        assert_eq!(of(&[(Skew, 1, 2)], &[(Cyclic, 0, 2)]), None);
    }
}
