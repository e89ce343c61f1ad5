//! Memories, and how each pipeline uses their ports.

use super::{Gather, Part};
use crate::hwarith::graph::MemId;
use crate::ir::MemoryKind;
use crate::machine::program::{LeafId, Mem, Place as Where, PortRef};
use crate::report::data::{Access, Memory, Pipeline, Use};
use crate::schedule::device::Device;
use std::collections::{BTreeMap, BTreeSet};

impl Gather<'_> {
    pub(super) fn memories(&self, pipelines: &[Pipeline]) -> Vec<Memory> {
        let mut memories = Vec::new();
        for part in &self.parts {
            let banks = banks(part);
            for (id, mem) in part.program.mems.iter() {
                let uses = self.uses(part, id, pipelines);
                // Of a stream, what is got or put; a bank may be one that nobody accesses.
                let is_beside = matches!(mem.place, Where::Stream(side) if !side.is_of_elements());
                if uses.is_empty() || is_beside {
                    continue;
                }
                memories.push(Memory {
                    name: mem.name.clone(),
                    process: part.process.clone(),
                    place: self.place(mem.span),
                    kind: kind(mem, &self.build.target.device).into(),
                    words: mem.depth,
                    bits: mem.width,
                    banks: banks.get(&id).copied().unwrap_or(1),
                    ports: mem.ports.into(),
                    uses,
                });
            }
        }
        memories
    }

    fn uses(&self, part: &Part, mem: MemId, pipelines: &[Pipeline]) -> Vec<Use> {
        let leaves = part.program.leaves.ids();
        leaves
            .filter_map(|leaf| self.used(part, mem, leaf, &pipelines[part.pipeline(leaf)]))
            .collect()
    }

    fn used(&self, part: &Part, mem: MemId, leaf: LeafId, pipeline: &Pipeline) -> Option<Use> {
        let of = &part.program.leaves[leaf];
        let accesses = of.accesses.iter().enumerate();
        let accesses = accesses.filter(|(_, access)| access.mem == mem);
        let accesses: Vec<Access> = accesses
            .map(|(at, access)| self.access(part, leaf, at, access))
            .collect();
        if accesses.is_empty() {
            return None;
        }
        let slots = pipeline.ii.unwrap_or(pipeline.depth);
        let ports: BTreeSet<&str> = accesses.iter().map(|access| &*access.port).collect();
        let taken: BTreeSet<(&str, u64)> = accesses
            .iter()
            .map(|access| (&*access.port, access.slot))
            .collect();
        let name = &part.program.mems[mem].name;
        let bound = pipeline.bound.as_ref().and_then(|b| b.ports.as_ref());
        Some(Use {
            pipeline: part.pipeline(leaf),
            slots,
            busy: taken.len() as u64,
            available: ports.len() as u64 * slots,
            binds: bound.is_some_and(|bound| bound.memory == *name),
            accesses,
        })
    }
}

fn kind(mem: &Mem, device: &Device) -> &'static str {
    match (&mem.place, mem.kind) {
        (Where::External, _) => "outside",
        (Where::Stream(_), _) => "stream",
        (Where::Rom(_), _) => "ROM",
        (Where::State(_), _) => "state",
        (Where::Local, MemoryKind::Block) => "block RAM",
        _ if mem.is_asynchronous => "LUT RAM, read without a clock",
        (Where::Local, MemoryKind::Distributed) if device.memory.lut_ram => "LUT RAM",
        (Where::Local, MemoryKind::Distributed) => "block RAM or registers",
    }
}

/// Banks of the array of which a memory is one, for parameters and results.
fn banks(part: &Part) -> BTreeMap<MemId, u64> {
    let ports = part.program.args.iter().chain(&part.program.returns);
    let arrays = ports.filter_map(|port| match port {
        PortRef::Array(array) => Some(&array.banks),
        _ => None,
    });
    let banks = arrays.flat_map(|banks| banks.iter().map(|mem| (*mem, banks.len() as u64)));
    banks.collect()
}
