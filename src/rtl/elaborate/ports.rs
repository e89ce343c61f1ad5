//! Memories: the array ports of the top module and the memories inside, shared by the accesses of all leaves.

use super::Top;
use super::cells::bit;
use crate::arena::Table;
use crate::hwarith::graph::MemId;
use crate::ir::MemoryKind;
use crate::machine::program::{Leaf, Mem, Place, PortRef};
use crate::rtl::interface::manifest::MemoryPort;
use crate::rtl::netlist::*;
use crate::schedule::LeafSchedule;
use std::collections::BTreeMap;

/// One load or store as nets.
pub struct AccessUse {
    /// Port within the memory's read or write ports (external memories: of all ports).
    pub port: u32,
    /// It happens in this cycle.
    pub active: Operand,
    /// Which element.
    pub address: Operand,
    /// What is written.
    pub data: Option<Operand>,
}

/// Accesses that exclude one another, as one.
pub(super) struct Merged {
    pub(super) active: Operand,
    address: Operand,
    pub(super) data: Operand,
}

/// Nets of one port of an external memory.
struct ArrayPort {
    address: NetId,
    ce: NetId,
    q: Option<NetId>,
    write: Option<(NetId, NetId)>,
}

/// A memory with everything that uses it.
#[derive(Default)]
pub struct MemoryUse {
    /// In order of leaves.
    pub uses: Vec<AccessUse>,
    external: Vec<ArrayPort>,
    /// Read data of each read port of an inner memory.
    reads: Vec<NetId>,
}

impl MemoryUse {
    /// Gives a memory that nobody builds its only read data.
    pub fn set_read_data(&mut self, data: NetId) {
        self.reads = vec![data];
    }

    /// Read data of a port.
    pub fn read_data(&self, port: u32) -> Option<NetId> {
        match self.external.get(port as usize) {
            Some(array_port) => array_port.q,
            None => self.reads.get(port as usize).copied(),
        }
    }
}

/// (reads, writes) of each port of a memory.
type PortRoles = BTreeMap<u32, (bool, bool)>;

impl Top<'_> {
    fn scheduled_leaves(&self) -> impl Iterator<Item = (&Leaf, &LeafSchedule)> {
        let leaves = self.program.leaves.values();
        leaves.zip(self.schedule.leaves.values())
    }

    fn port_roles(&self) -> Table<MemId, PortRoles> {
        let mut roles: Table<MemId, PortRoles> = self.of_memories();
        for (leaf, schedule) in self.scheduled_leaves() {
            for (access, &port) in leaf.accesses.iter().zip(&schedule.ports) {
                let (reads, writes) = roles[access.mem].entry(port).or_default();
                *(if access.is_store { writes } else { reads }) = true;
            }
        }
        roles
    }

    /// Something empty for each memory.
    fn of_memories<T: Default>(&self) -> Table<MemId, T> {
        self.program.mems.ids().map(|_| T::default()).collect()
    }

    /// Declares the port groups of arrays, in order of parameters and results.
    pub(super) fn declare_array_ports(&mut self) {
        self.memories = self.of_memories();
        self.array_ports = self.of_memories();
        let roles = self.port_roles();
        for port in self.program.args.iter().chain(&self.program.returns) {
            let PortRef::Array(array) = port else {
                continue;
            };
            for &mem in &array.banks {
                for (&port, &(reads, writes)) in &roles[mem] {
                    self.declare_array_port(mem, port, reads, writes);
                }
            }
        }
    }

    fn declare_array_port(&mut self, index: MemId, port: u32, reads: bool, writes: bool) {
        let mem = &self.program.mems[index];
        let cells = &mut self.cells;
        let name = |part: &str| format!("{}_{part}{port}", mem.name);
        let address = cells.port(Direction::Output, &name("address"), mem.address_width());
        let ce = cells.port(Direction::Output, &name("ce"), 1);
        let q = reads.then(|| cells.port(Direction::Input, &name("q"), mem.width));
        let write = writes.then(|| {
            (
                cells.port(Direction::Output, &name("we"), 1),
                cells.port(Direction::Output, &name("d"), mem.width),
            )
        });
        self.array_ports[index].push(MemoryPort {
            address: cells.name(address).to_string(),
            ce: cells.name(ce).to_string(),
            q: q.map(|q| cells.name(q).to_string()),
            we: write.map(|w| cells.name(w.0).to_string()),
            d: write.map(|w| cells.name(w.1).to_string()),
        });
        self.memories[index].external.push(ArrayPort {
            address,
            ce,
            q,
            write,
        });
    }

    /// Nets of the read data of inner memories, which leaves need before the memories are complete.
    pub(super) fn declare_memory_outputs(&mut self) {
        let reads = self.read_ports();
        for (index, mem) in self.program.mems.iter() {
            if mem.place.is_outside() {
                continue;
            }
            for port in 0..reads[index] {
                let net = self.cells.net(&format!("{}_q{port}", mem.name), mem.width);
                self.memories[index].reads.push(net);
            }
        }
    }

    fn read_ports(&self) -> Table<MemId, u32> {
        let mut reads: Table<MemId, u32> = self.of_memories();
        for (leaf, schedule) in self.scheduled_leaves() {
            let accesses = leaf.accesses.iter().zip(&schedule.ports);
            for (access, &port) in accesses.filter(|(access, _)| !access.is_store) {
                let count = &mut reads[access.mem];
                *count = (*count).max(port + 1);
            }
        }
        reads
    }

    /// Drives array ports and completes inner memories.
    pub(super) fn drive_memories(&mut self) {
        for index in self.memories.ids() {
            let usage = std::mem::take(&mut self.memories[index]);
            let mem = &self.program.mems[index];
            if usage.uses.is_empty() {
                continue;
            }
            let kind = match mem.place {
                // See `drive_streams`.
                Place::Stream(_) => continue,
                Place::External => "array",
                Place::Local => "local array",
                Place::Rom(_) => "table",
                Place::State(_) => "state",
            };
            self.cells.comment(format!(
                "{kind} {} ({})",
                mem.name,
                self.sources.location(mem.span)
            ));
            match &mem.place {
                Place::External => self.drive_external(mem, &usage),
                Place::State(words) if words.len() == 1 => {
                    self.scalar_state(mem, &words[0], &usage);
                }
                _ => self.inner_memory(mem, &usage),
            }
        }
    }

    fn drive_external(&mut self, mem: &Mem, usage: &MemoryUse) {
        for (port, nets) in usage.external.iter().enumerate() {
            let users: Vec<&AccessUse> = usage
                .uses
                .iter()
                .filter(|u| u.port as usize == port)
                .collect();
            let name = format!("{}_p{port}", mem.name);
            let merged = self.merge(&users, &name, mem);
            self.cells.drive(nets.address, Expr::Copy(merged.address));
            self.cells.drive(nets.ce, Expr::Copy(merged.active));
            if let Some((we, d)) = nets.write {
                let writers: Vec<&AccessUse> =
                    users.iter().copied().filter(|u| u.data.is_some()).collect();
                let merged = self.merge(&writers, &format!("{name}_w"), mem);
                self.cells.drive(we, Expr::Copy(merged.active));
                self.cells.drive(d, Expr::Copy(merged.data));
            }
        }
    }

    /// The ports of a memory inside, each with the accesses that use it.
    pub(super) fn inner_ports(
        &mut self,
        mem: &Mem,
        usage: &MemoryUse,
    ) -> (Vec<ReadPort>, Option<WritePort>) {
        let mut reads = Vec::new();
        for (port, &out) in usage.reads.iter().enumerate() {
            let users: Vec<&AccessUse> = usage
                .uses
                .iter()
                .filter(|u| u.data.is_none() && u.port as usize == port)
                .collect();
            let merged = self.merge(&users, &format!("{}_r{port}", mem.name), mem);
            reads.push(ReadPort {
                enable: (!mem.is_asynchronous).then_some(merged.active),
                addr: merged.address,
                out,
            });
        }
        let writers: Vec<&AccessUse> = usage.uses.iter().filter(|u| u.data.is_some()).collect();
        let write = (!writers.is_empty()).then(|| {
            let merged = self.merge(&writers, &format!("{}_w", mem.name), mem);
            WritePort {
                enable: merged.active,
                addr: merged.address,
                data: merged.data,
            }
        });
        (reads, write)
    }

    fn inner_memory(&mut self, mem: &Mem, usage: &MemoryUse) {
        let (reads, write) = self.inner_ports(mem, usage);
        let init = match &mem.place {
            Place::Rom(words) => Some(words.clone()),
            _ => None,
        };
        let name = self.cells.namer.numbered(&format!("{}_mem", mem.name));
        self.cells.module.items.push(Item::Memory(Memory {
            name,
            width: mem.width,
            depth: mem.depth,
            init,
            style: style(mem.kind),
            writes: write.into_iter().collect(),
            reads,
            origin: Some(self.sources.location(mem.span).into()),
        }));
    }

    /// One access out of several that exclude one another.
    pub(super) fn merge(&mut self, users: &[&AccessUse], name: &str, mem: &Mem) -> Merged {
        let zero = |width: u32| super::datapath::constant(&0.into(), width);
        let guards: Vec<Operand> = users.iter().map(|u| u.active.clone()).collect();
        let addresses: Vec<(Operand, Operand)> = users
            .iter()
            .map(|u| (u.active.clone(), u.address.clone()))
            .collect();
        let data: Vec<(Operand, Operand)> = users
            .iter()
            .filter_map(|u| Some((u.active.clone(), u.data.clone()?)))
            .collect();
        let active = match guards.len() {
            0 => bit(false),
            _ => self.cells.any(&guards, &format!("{name}_active")),
        };
        let address = self.cells.select(&addresses, &format!("{name}_address"));
        let data = self.cells.select(&data, &format!("{name}_data"));
        Merged {
            active,
            address: address.unwrap_or_else(|| zero(mem.address_width())),
            data: data.unwrap_or_else(|| zero(mem.width)),
        }
    }
}

/// How a memory of a kind is meant to be built.
pub(super) fn style(kind: MemoryKind) -> MemoryStyle {
    match kind {
        MemoryKind::Distributed => MemoryStyle::Distributed,
        MemoryKind::Block => MemoryStyle::Block,
    }
}
