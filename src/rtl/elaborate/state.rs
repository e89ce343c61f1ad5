//! What is kept between invocations: a reset makes the module write what arrays are at first, element by element, and it is
//! not idle until that is done. A scalar is a register, which has its first value from the reset.

use super::Top;
use super::cells::bit;
use super::datapath::constant;
use super::fifo::count_width;
use super::ports::{AccessUse, MemoryUse, style};
use crate::hwarith::graph::MemId;
use crate::machine::program::{Mem, Place, address_width};
use crate::rtl::netlist::*;
use num_bigint::BigUint;

/// The counter that goes through the elements.
struct Counter {
    /// Element that is read from the initial contents.
    at: NetId,
    /// Element that is written: the one before.
    written: NetId,
    /// Whether one is.
    writes: NetId,
}

impl Top<'_> {
    /// Writes all arrays of state after a reset; gives 1 while it does.
    pub(super) fn load_state(&mut self) -> Operand {
        let program = self.program;
        let states = program
            .mems
            .iter()
            .filter_map(|(id, mem)| match &mem.place {
                Place::State(words) if words.len() > 1 => Some((id, &words[..])),
                _ => None,
            });
        let states: Vec<_> = states.collect();
        let Some(depth) = states.iter().map(|state| state.1.len() as u64).max() else {
            return bit(false);
        };
        self.cells.comment("state after a reset");
        let (counter, loads) = self.counter(depth);
        for (id, words) in states {
            let write = self.load(id, words, depth, &counter);
            self.memories[id].uses.push(write);
        }
        loads
    }

    fn counter(&mut self, depth: u64) -> (Counter, Operand) {
        let cells = &mut self.cells;
        let width = count_width(depth);
        let at = cells.net("load_at", width);
        let reads = Expr::Compare {
            op: CompareOp::Ne,
            signed: false,
            lhs: Operand::Net(at),
            rhs: constant(&depth.into(), width),
        };
        let reads = cells.assign("load_reads", 1, reads, None);
        let next = Expr::Binary {
            op: BinaryOp::Add,
            lhs: Operand::Net(at),
            rhs: constant(&1.into(), width),
        };
        let next = Operand::Net(cells.assign("load_next", width, next, None));
        cells.drive_register(at, next, Some(reads), Some(0), None);
        let written = cells.register("load_written", width, Operand::Net(at), None, None, None);
        let writes = cells.register("load_writes", 1, Operand::Net(reads), None, Some(0), None);
        let [reads_now, writes_now] = [reads, writes].map(Operand::Net);
        let loads = cells.gate(BinaryOp::Or, reads_now, writes_now, "loads");
        let counter = Counter {
            at,
            written,
            writes,
        };
        (counter, loads)
    }

    /// The write of the initial contents of one memory.
    fn load(&mut self, id: MemId, words: &[BigUint], depth: u64, counter: &Counter) -> AccessUse {
        let mem = &self.program.mems[id];
        let own_width = address_width(mem.depth).min(count_width(depth));
        let writes = Operand::Net(counter.writes);
        let is_longest = mem.depth == depth;
        let active = match is_longest {
            true => writes,
            false => {
                let is_inside = Expr::Compare {
                    op: CompareOp::Lt,
                    signed: false,
                    lhs: Operand::Net(counter.written),
                    rhs: constant(&mem.depth.into(), count_width(depth)),
                };
                let is_inside = self.cells.assign("load_inside", 1, is_inside, None);
                let is_inside = Operand::Net(is_inside);
                self.cells.gate(BinaryOp::And, writes, is_inside, "load_we")
            }
        };
        let is_same = words.iter().all(|word| *word == words[0]);
        let data = match is_same {
            true => constant(&words[0].clone().into(), mem.width),
            false => self.initial(id, words, own_width, counter),
        };
        AccessUse {
            port: 0,
            active,
            address: self.low(counter.written, own_width),
            data: Some(data),
        }
    }

    /// A scalar of state: a register, with one more for what each port has read.
    pub(super) fn scalar_state(&mut self, mem: &Mem, first: &BigUint, usage: &MemoryUse) {
        let origin = Some(self.sources.location(mem.span).into());
        let name = format!("{}_kept", mem.name);
        let kept = self.cells.net(&name, mem.width);
        let (reads, write) = self.inner_ports(mem, usage);
        let (active, next) = match write {
            Some(write) => (write.enable, write.data),
            None => (bit(false), Operand::Net(kept)),
        };
        let enable = self.cells.as_net(active, "kept_en");
        self.cells.module.items.push(Item::Register(Register {
            out: kept,
            next,
            enable: Some(enable),
            reset: Some(first.clone()),
            origin: origin.clone(),
        }));
        for read in reads {
            let (out, kept) = (read.out, Operand::Net(kept));
            let enable = read.enable.map(|bit| self.cells.as_net(bit, "read_en"));
            self.cells
                .drive_register(out, kept, enable, None, origin.clone());
        }
    }

    /// The lowest bits of a net.
    fn low(&mut self, net: NetId, width: u32) -> Operand {
        if self.cells.module.nets[net].width == width {
            return Operand::Net(net);
        }
        let slice = Expr::Slice { value: net, lo: 0 };
        Operand::Net(self.cells.assign("load_address", width, slice, None))
    }

    /// The word of the element that is written, out of a table.
    fn initial(
        &mut self,
        id: MemId,
        words: &[BigUint],
        address: u32,
        counter: &Counter,
    ) -> Operand {
        let mem = &self.program.mems[id];
        let addr = self.low(counter.at, address);
        let out = self.cells.net(&format!("{}_init", mem.name), mem.width);
        let name = self.cells.namer.numbered(&format!("{}_init_mem", mem.name));
        self.cells.module.items.push(Item::Memory(Memory {
            name,
            width: mem.width,
            depth: mem.depth,
            init: Some(words.to_vec()),
            style: style(mem.kind),
            writes: Vec::new(),
            reads: vec![ReadPort {
                enable: Some(bit(true)),
                addr,
                out,
            }],
            origin: Some(self.sources.location(mem.span).into()),
        }));
        Operand::Net(out)
    }
}
