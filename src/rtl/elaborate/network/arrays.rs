//! Arrays that processes share: memories between them, and ports.

use super::Around;
use crate::codes;
use crate::diagnostics::Diagnostic;
use crate::ir::{Array, ArrayId, ArrayKind, MemoryKind};
use crate::machine::program::address_width;
use crate::rtl::elaborate::cells::bit;
use crate::rtl::elaborate::manifest;
use crate::rtl::elaborate::ports::style;
use crate::rtl::interface::manifest::{Bank, MemoryPort, Port};
use crate::rtl::netlist::*;
use std::collections::BTreeMap;

/// Ports of an array outside of the module.
const MOST_PORTS: usize = 2;

/// One port of a memory, as a process has it.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    address: NetId,
    pub(super) ce: NetId,
    pub(super) q: Option<NetId>,
    write: Option<(NetId, NetId)>,
}

impl Lane {
    /// The same with another enable and another net of what is read.
    pub(super) fn with(self, ce: NetId, q: Option<NetId>) -> Lane {
        Lane { ce, q, ..self }
    }
}

/// Ports of processes that never work at the same time.
type Shared = Vec<Lane>;

/// Processes that have ports of a memory, and these.
pub(super) type Accesses = Vec<(usize, Vec<Lane>)>;

struct Merged {
    active: Operand,
    address: Operand,
    /// Enable and data.
    write: Option<(Operand, Operand)>,
}

fn bank_depth(array: &Array, bank: u64) -> u64 {
    let shape = crate::ir::partition::bank_shape(&array.shape, &array.partition, bank);
    shape.iter().product()
}

impl Around<'_> {
    pub(super) fn lane(&mut self, process: usize, port: &MemoryPort) -> Lane {
        let write = port.we.as_ref().zip(port.d.as_ref());
        Lane {
            address: self.net(process, &port.address),
            ce: self.net(process, &port.ce),
            q: port.q.as_ref().map(|q| self.net(process, q)),
            write: write.map(|(we, d)| (self.net(process, we), self.net(process, d))),
        }
    }

    /// Memories of arrays inside; ports of those outside, with the entries of parameters in `ports` and those of
    /// results, by number, as what it gives.
    pub(super) fn arrays(
        &mut self,
        ports: &mut [Option<Port>],
    ) -> Result<BTreeMap<usize, Port>, Diagnostic> {
        let kernel = &self.network.kernel;
        let used = std::mem::take(&mut self.arrays);
        let mut banks: BTreeMap<ArrayId, Vec<Bank>> = BTreeMap::new();
        for ((id, bank), users) in used {
            let array = &kernel.arrays[id];
            let shared = self.share(&users);
            let depth = bank_depth(array, bank);
            self.cells.comment(format!("array {}", array.name));
            let is_inside = array.kind == ArrayKind::Local;
            // What is only read may be copied to any number of memories.
            let counts =
                |lanes: &&Shared| !is_inside || lanes.iter().any(|lane| lane.write.is_some());
            let needed = shared.iter().filter(counts).count();
            if needed > MOST_PORTS {
                let message = format!(
                    "processes that run at the same time need {needed} {}ports of '{}': there are {MOST_PORTS}",
                    if is_inside { "write " } else { "" },
                    array.name
                );
                return Err(Diagnostic::error(codes::NETWORK, array.span, message)
                    .help("let one process access it and hand the elements on by streams"));
            }
            if is_inside {
                match self.is_twice(id) {
                    true => self.memory_twice(array, bank, depth, &users),
                    false => self.memory(array, bank, depth, &shared),
                }
                continue;
            }
            let named = self.outside(array, bank, depth, &shared);
            let ports = named;
            banks
                .entry(id)
                .or_default()
                .push(Bank { bank, depth, ports });
        }
        let mut results = BTreeMap::new();
        for (id, array) in kernel
            .arrays
            .iter()
            .filter(|(_, array)| array.stream.is_none())
        {
            let mut entry = || manifest::array_port(array, banks.remove(&id).unwrap_or_default());
            match array.kind {
                ArrayKind::Param(number) => ports[number] = Some(entry()),
                ArrayKind::Result(number) => _ = results.insert(number, entry()),
                ArrayKind::Local | ArrayKind::Table(_) | ArrayKind::State(_) => {}
            }
        }
        Ok(results)
    }

    /// Which ports of processes are one: those of processes of which each is done before the next one starts.
    fn share(&self, users: &Accesses) -> Vec<Shared> {
        let before = self.network.behind();
        let apart = |a: usize, b: usize| before[a].contains(&b) || before[b].contains(&a);
        let mut shared: Vec<(Vec<usize>, Shared)> = Vec::new();
        for (process, lanes) in users {
            let mut free: Vec<usize> = (0..shared.len())
                .filter(|&at| shared[at].0.iter().all(|other| apart(*other, *process)))
                .collect();
            free.reverse();
            for &lane in lanes {
                match free.pop() {
                    Some(at) => {
                        shared[at].0.push(*process);
                        shared[at].1.push(lane);
                    }
                    None => shared.push((vec![*process], vec![lane])),
                }
            }
        }
        shared.into_iter().map(|(_, lanes)| lanes).collect()
    }

    /// The ports of one bank of an array outside.
    fn outside(
        &mut self,
        array: &Array,
        bank: u64,
        depth: u64,
        shared: &[Shared],
    ) -> Vec<MemoryPort> {
        let name = self.port_name(array);
        let base = match array.partition.is_empty() {
            true => name,
            false => format!("{name}_{bank}"),
        };
        let width = array.elem.width();
        let mut named = Vec::new();
        for (number, lanes) in shared.iter().enumerate() {
            let name = |part: &str| format!("{base}_{part}{number}");
            let cells = &mut self.cells;
            let address = cells.port(Direction::Output, &name("address"), address_width(depth));
            let ce = cells.port(Direction::Output, &name("ce"), 1);
            let q = lanes.iter().any(|lane| lane.q.is_some());
            let q = q.then(|| cells.port(Direction::Input, &name("q"), width));
            let writes = lanes.iter().any(|lane| lane.write.is_some());
            let write = writes.then(|| {
                let we = cells.port(Direction::Output, &name("we"), 1);
                (we, cells.port(Direction::Output, &name("d"), width))
            });
            let merged = self.merged(lanes, &base);
            let cells = &mut self.cells;
            cells.drive(address, Expr::Copy(merged.address));
            cells.drive(ce, Expr::Copy(merged.active));
            if let (Some((we, d)), Some((enable, data))) = (write, merged.write) {
                cells.drive(we, Expr::Copy(enable));
                cells.drive(d, Expr::Copy(data));
            }
            for lane in lanes {
                if let (Some(own), Some(q)) = (lane.q, q) {
                    cells.drive(own, Expr::Copy(Operand::Net(q)));
                }
            }
            let text = |net: NetId| cells.name(net).to_string();
            named.push(MemoryPort {
                address: text(address),
                ce: text(ce),
                q: q.map(text),
                we: write.map(|write| text(write.0)),
                d: write.map(|write| text(write.1)),
            });
        }
        named
    }

    /// What the ports of an array outside are called after.
    fn port_name(&self, array: &Array) -> String {
        match array.kind {
            ArrayKind::Result(number) if self.network.kernel.results.len() > 1 => {
                format!("ap_return_{number}")
            }
            ArrayKind::Result(_) => "ap_return".into(),
            _ => array.name.clone(),
        }
    }

    fn merged(&mut self, lanes: &[Lane], name: &str) -> Merged {
        let cells = &mut self.cells;
        let guards: Vec<Operand> = lanes.iter().map(|lane| Operand::Net(lane.ce)).collect();
        let addresses = lanes
            .iter()
            .map(|lane| (Operand::Net(lane.ce), Operand::Net(lane.address)));
        let addresses: Vec<_> = addresses.collect();
        let writers = lanes.iter().filter_map(|lane| {
            let (we, d) = lane.write?;
            Some((lane.ce, we, d))
        });
        let writers: Vec<_> = writers.collect();
        let active = cells.any(&guards, &format!("{name}_active"));
        let address = cells.select(&addresses, &format!("{name}_address"));
        let enables = writers.iter().map(|(ce, we, _)| {
            cells.gate(
                BinaryOp::And,
                Operand::Net(*ce),
                Operand::Net(*we),
                "writes",
            )
        });
        let enables: Vec<Operand> = enables.collect();
        let data = enables.iter().zip(&writers);
        let data: Vec<_> = data
            .map(|(enable, (_, _, d))| (enable.clone(), Operand::Net(*d)))
            .collect();
        let write = cells.select(&data, &format!("{name}_data")).map(|data| {
            let enable = cells.any(&enables, &format!("{name}_write"));
            (enable, data)
        });
        Merged {
            active,
            address: address.unwrap_or_else(|| bit(false)),
            write,
        }
    }

    /// Two memories that processes share, for every other invocation each.
    fn memory_twice(&mut self, array: &Array, bank: u64, depth: u64, users: &Accesses) {
        let halves = [false, true].map(|is_odd| {
            let own = users.iter().map(|(process, lanes)| {
                let lanes = lanes.iter();
                let lanes = lanes.map(|lane| self.lane_of_half(*process, *lane, is_odd));
                (*process, lanes.collect())
            });
            let own: Accesses = own.collect();
            let shared = self.share(&own);
            self.memory(array, bank, depth, &shared);
            own
        });
        let [even, odd] = halves;
        for ((process, lanes), (even, odd)) in users.iter().zip(even.iter().zip(&odd)) {
            for (lane, (even, odd)) in lanes.iter().zip(even.1.iter().zip(&odd.1)) {
                self.read_half(*process, *lane, [*even, *odd]);
            }
        }
    }

    /// A memory that processes share.
    fn memory(&mut self, array: &Array, bank: u64, depth: u64, shared: &[Shared]) {
        let width = array.elem.width();
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for lanes in shared {
            let merged = self.merged(lanes, &array.name);
            let cells = &mut self.cells;
            if lanes.iter().any(|lane| lane.q.is_some()) {
                let out = cells.net(&format!("{}_q", array.name), width);
                for own in lanes.iter().filter_map(|lane| lane.q) {
                    cells.drive(own, Expr::Copy(Operand::Net(out)));
                }
                let enable = match &merged.write {
                    None => merged.active,
                    Some((write, _)) => {
                        let not = cells.invert(write.clone(), "reads");
                        cells.gate(BinaryOp::And, merged.active, not, "reads")
                    }
                };
                reads.push(ReadPort {
                    enable: Some(enable),
                    addr: merged.address.clone(),
                    out,
                });
            }
            writes.extend(merged.write.map(|(enable, data)| WritePort {
                enable,
                addr: merged.address,
                data,
            }));
        }
        let name = match array.partition.is_empty() {
            true => format!("{}_mem", array.name),
            false => format!("{}_{bank}_mem", array.name),
        };
        let name = self.cells.namer.numbered(&name);
        let bits = depth.saturating_mul(width.into());
        self.cells.module.items.push(Item::Memory(Memory {
            name,
            width,
            depth,
            init: None,
            style: style(MemoryKind::by_size(bits)),
            writes,
            reads,
            origin: Some(self.sources.location(array.span).into()),
        }));
    }
}
