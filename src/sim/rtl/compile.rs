//! The flat netlist as a program over 64-bit words.

use super::Contents;
use super::slot::Slot;
use super::wide::{Kind, Node, write_big};
use crate::rtl::flatten::{Flat, Step};
use crate::rtl::netlist::*;
use crate::rtl::order::least_first;
use num_bigint::BigUint;
use std::collections::HashMap;
use std::ops::Range;

/// One operation; `d` is written, the other letters are read. Positions of words, unless `u8` or masks.
#[derive(Clone, Debug)]
#[rustfmt::skip]
pub(super) enum Op {
    Copy { d: u32, a: u32 },
    Not { d: u32, a: u32, mask: u64 },
    Add { d: u32, a: u32, b: u32, mask: u64 },
    Sub { d: u32, a: u32, b: u32, mask: u64 },
    And { d: u32, a: u32, b: u32 },
    Or { d: u32, a: u32, b: u32 },
    Xor { d: u32, a: u32, b: u32 },
    /// Factors are first extended by sign from 64 - `free` bits.
    Mul { d: u32, a: u32, b: u32, free_a: u8, free_b: u8, mask: u64 },
    Eq { d: u32, a: u32, b: u32 },
    Ne { d: u32, a: u32, b: u32 },
    Lt { d: u32, a: u32, b: u32 },
    Le { d: u32, a: u32, b: u32 },
    LtSigned { d: u32, a: u32, b: u32, free: u8 },
    LeSigned { d: u32, a: u32, b: u32, free: u8 },
    Shl { d: u32, a: u32, b: u32, mask: u64 },
    Shr { d: u32, a: u32, b: u32 },
    Sar { d: u32, a: u32, b: u32, free: u8, mask: u64 },
    Mux { d: u32, c: u32, a: u32, b: u32 },
    /// `a << by | b`
    Join { d: u32, a: u32, b: u32, by: u8 },
    /// `a >> by & mask`
    Slice { d: u32, a: u32, by: u8, mask: u64 },
    /// The same across a border of words.
    SliceAcross { d: u32, a: u32, by: u8, mask: u64 },
    Extend { d: u32, a: u32, free: u8, mask: u64 },
    IsFull { d: u32, a: u32, mask: u64 },
    IsNotZero { d: u32, a: u32 },
    Parity { d: u32, a: u32 },
    /// The word of a memory at an address that may be past its end.
    Look { memory: u32, address: u32, out: Slot },
    /// Values to 128 bits.
    Medium(Box<Node>),
    /// Values of any width.
    Wide(Box<Node>),
}

impl Op {
    /// How many operations on words take as long.
    pub fn cost(&self) -> u64 {
        match self {
            Op::Medium(_) | Op::Look { .. } => 8,
            Op::Wide(_) => 100,
            _ => 1,
        }
    }
}

/// At the clock edge `out` takes `on_reset` if `reset` is 1, else `next` if `enable` is 1.
#[derive(Clone, Debug)]
pub(super) struct RegisterCell {
    pub out: Slot,
    pub next: u32,
    /// A constant 1 if there is none.
    pub enable: u32,
    /// A constant 0 if there is none.
    pub reset: u32,
    pub on_reset: u32,
}

/// A memory.
#[derive(Clone, Debug)]
pub(super) struct MemoryCell {
    pub width: u32,
    pub depth: u64,
    pub writes: Vec<[Slot; 3]>,
    /// The synchronous ones.
    pub reads: Vec<[Slot; 3]>,
    /// The words of the initial contents, if there are any.
    pub init: Option<Vec<u64>>,
}

impl MemoryCell {
    /// Machine words of one element.
    pub fn stride(&self) -> usize {
        self.width.div_ceil(64) as usize
    }
}

/// The whole design.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// In an order in which every operation follows those it depends on.
    pub ops: Vec<Op>,
    /// What stands in registers, then in outputs of memories, as the netlist has them; together they are the first words.
    pub state: Vec<Slot>,
    /// What becomes of the first words with every edge: those registers of one word that always take what they are given.
    pub moves: Vec<u32>,
    /// The other registers, in the order of their words.
    pub registers: Vec<RegisterCell>,
    pub memories: Vec<MemoryCell>,
    /// The slot of each net.
    pub slots: Vec<Slot>,
    /// Constants in place, all else 0.
    pub words: Vec<u64>,
}

/// Compiles a flat design; fails where it has a combinational loop.
pub(super) fn compile(flat: &Flat) -> Result<Program, String> {
    let mut compiler = Compiler::default();
    let steps = flat.steps(least_first)?;
    let is_move = |(register, _): &&(Register, Option<NetId>)| {
        let is_controlled = register.enable.is_some() || register.reset.is_some();
        !is_controlled && flat.nets[register.out].width <= 64
    };
    let (moves, registers): (Vec<_>, Vec<_>) = flat.registers.iter().partition(is_move);
    let out = |(register, _): &(Register, Option<NetId>)| register.out;
    let reads = flat.memories.iter().flat_map(Memory::clocked);
    let reads: Vec<NetId> = reads.map(|(_, port)| port.out).collect();
    let kept = moves.iter().chain(&registers).map(|register| out(register));
    compiler.place(flat, &steps, kept.chain(reads.iter().copied()));
    let state = flat.registers.iter().map(out).chain(reads);
    let slots = &compiler.program.slots;
    compiler.program.state = state.map(|net| slots[net.index()]).collect();
    for step in steps {
        match step {
            Step::Assign(index) => {
                let (out, expr) = &flat.assigns[index];
                compiler.assign(*out, expr);
            }
            Step::Read(memory, port) => {
                let read = &flat.memories[memory].reads[port];
                let out = compiler.program.slots[read.out.index()];
                let address = compiler.slot(&read.addr).at;
                let memory = memory as u32;
                let look = Op::Look {
                    memory,
                    address,
                    out,
                };
                compiler.program.ops.push(look);
            }
        }
    }
    for (register, _) in moves {
        let next = compiler.slot(&register.next).at;
        compiler.program.moves.push(next);
    }
    for (register, reset) in registers {
        compiler.register(register, *reset);
    }
    for memory in &flat.memories {
        compiler.memory(memory);
    }
    Ok(compiler.program)
}

#[derive(Default)]
struct Compiler {
    program: Program,
    /// Constants in place, by value and number of words.
    constants: HashMap<(BigUint, u32), u32>,
}

impl Compiler {
    /// Gives every net a slot, those of `kept` first and in their order. A net that equals another bit for bit shares its slot.
    fn place(&mut self, flat: &Flat, steps: &[Step], kept: impl Iterator<Item = NetId>) {
        let mut shared: Vec<Option<NetId>> = vec![None; flat.nets.len()];
        let assigns = steps.iter().filter_map(|step| match step {
            Step::Assign(index) => Some(&flat.assigns[*index]),
            Step::Read(..) => None,
        });
        for (out, expr) in assigns.clone() {
            shared[out.index()] = same_words(flat, *out, expr);
        }
        let mut placed: Vec<Option<u32>> = vec![None; flat.nets.len()];
        for net in kept.chain(flat.nets.ids()) {
            let is_new = shared[net.index()].is_none() && placed[net.index()].is_none();
            if is_new {
                placed[net.index()] = Some(self.words(flat.nets[net].width));
            }
        }
        for (out, _) in assigns {
            let out = out.index();
            if let Some(source) = shared[out] {
                placed[out] = placed[source.index()];
            }
        }
        self.program.slots = flat
            .nets
            .iter()
            .map(|(id, net)| Slot {
                at: placed[id.index()].unwrap_or_default(),
                width: net.width,
            })
            .collect();
    }

    fn words(&mut self, width: u32) -> u32 {
        let at = self.program.words.len();
        let words = width.div_ceil(64) as usize;
        self.program.words.resize(at + words, 0);
        at as u32
    }

    fn slot(&mut self, operand: &Operand) -> Slot {
        match operand {
            Operand::Net(net) => self.program.slots[net.index()],
            Operand::Const { width, value } => self.constant(*width, value),
        }
    }

    fn constant(&mut self, width: u32, value: &BigUint) -> Slot {
        let key = (value.clone(), width.div_ceil(64));
        if let Some(at) = self.constants.get(&key) {
            return Slot { at: *at, width };
        }
        let slot = Slot {
            at: self.words(width),
            width,
        };
        write_big(&mut self.program.words, slot, value);
        self.constants.insert(key, slot.at);
        slot
    }

    fn assign(&mut self, out: NetId, expr: &Expr) {
        let out = self.program.slots[out.index()];
        let args: Vec<Slot> = expr.operands().iter().map(|o| self.slot(o)).collect();
        if args.first().is_some_and(|slot| slot.at == out.at) {
            return;
        }
        let narrow = out.width <= 64 && args.iter().all(|slot| slot.width <= 64);
        let kind = kind(expr);
        match (narrow, &kind) {
            (true, _) => self.narrow(out, &kind, &args),
            (false, Kind::Slice { lo }) if out.width <= 64 => self.slice(out, args[0], *lo),
            _ => {
                let node = Box::new(Node { out, kind, args });
                let op = match node.fits_128() {
                    true => Op::Medium(node),
                    false => Op::Wide(node),
                };
                self.program.ops.push(op);
            }
        }
    }

    /// At most 64 bits of a wider net.
    fn slice(&mut self, out: Slot, value: Slot, lo: u32) {
        let (d, a) = (out.at, value.at + lo / 64);
        let by = (lo % 64) as u8;
        let mask = out.top_mask();
        let op = match lo % 64 + out.width > 64 {
            true => Op::SliceAcross { d, a, by, mask },
            false => Op::Slice { d, a, by, mask },
        };
        self.program.ops.push(op);
    }

    fn narrow(&mut self, out: Slot, kind: &Kind, args: &[Slot]) {
        let d = out.at;
        let mask = out.top_mask();
        let at = |index: usize| args.get(index).map_or(0, |slot| slot.at);
        let free = |index: usize| args.get(index).map_or(0, |slot| (64 - slot.width) as u8);
        let (a, b) = (at(0), at(1));
        let op = match kind {
            Kind::Copy | Kind::Extend { signed: false } => Op::Copy { d, a },
            Kind::Not => Op::Not { d, a, mask },
            Kind::Binary(BinaryOp::Add) => Op::Add { d, a, b, mask },
            Kind::Binary(BinaryOp::Sub) => Op::Sub { d, a, b, mask },
            Kind::Binary(BinaryOp::And) => Op::And { d, a, b },
            Kind::Binary(BinaryOp::Or) => Op::Or { d, a, b },
            Kind::Binary(BinaryOp::Xor) => Op::Xor { d, a, b },
            Kind::Multiply {
                lhs_signed,
                rhs_signed,
            } => {
                let free_a = if *lhs_signed { free(0) } else { 0 };
                let free_b = if *rhs_signed { free(1) } else { 0 };
                Op::Mul {
                    d,
                    a,
                    b,
                    free_a,
                    free_b,
                    mask,
                }
            }
            Kind::Compare { op, signed } => compare(*op, *signed, d, a, b, free(0)),
            Kind::Shift(ShiftOp::Left) => Op::Shl { d, a, b, mask },
            Kind::Shift(ShiftOp::Right) => Op::Shr { d, a, b },
            Kind::Shift(ShiftOp::RightArithmetic) => {
                let free = free(0);
                Op::Sar {
                    d,
                    a,
                    b,
                    free,
                    mask,
                }
            }
            Kind::Mux => Op::Mux {
                d,
                c: a,
                a: b,
                b: at(2),
            },
            Kind::Concat => return self.concat(d, args),
            Kind::Slice { lo } => Op::Slice {
                d,
                a,
                by: *lo as u8,
                mask,
            },
            Kind::Extend { signed: true } => Op::Extend {
                d,
                a,
                free: free(0),
                mask,
            },
            Kind::Reduce(BinaryOp::And) => {
                let mask = args.first().map_or(0, |slot| slot.top_mask());
                Op::IsFull { d, a, mask }
            }
            Kind::Reduce(BinaryOp::Or) => Op::IsNotZero { d, a },
            Kind::Reduce(_) => Op::Parity { d, a },
        };
        self.program.ops.push(op);
    }

    fn concat(&mut self, d: u32, parts: &[Slot]) {
        let Some(first) = parts.first() else { return };
        let mut a = first.at;
        for part in &parts[1..] {
            let (b, by) = (part.at, part.width as u8);
            self.program.ops.push(Op::Join { d, a, b, by });
            a = d;
        }
        if parts.len() == 1 {
            self.program.ops.push(Op::Copy { d, a });
        }
    }

    fn register(&mut self, register: &Register, reset: Option<NetId>) {
        let out = self.program.slots[register.out.index()];
        let next = self.slot(&register.next).at;
        let bit = |net: Option<NetId>, otherwise: u8| {
            net.map_or(Operand::constant(1, otherwise), Operand::Net)
        };
        let value = reset.and(register.reset.as_ref());
        let enable = self.slot(&bit(register.enable, 1)).at;
        let reset = self.slot(&bit(reset.filter(|_| value.is_some()), 0)).at;
        let on_reset = value.map_or(next, |value| self.constant(out.width, value).at);
        self.program.registers.push(RegisterCell {
            out,
            next,
            enable,
            reset,
            on_reset,
        });
    }

    fn memory(&mut self, memory: &Memory) {
        let mut writes = Vec::new();
        for port in &memory.writes {
            writes.push([&port.enable, &port.addr, &port.data].map(|o| self.slot(o)));
        }
        let mut reads = Vec::new();
        for (enable, port) in memory.clocked() {
            let out = Operand::Net(port.out);
            reads.push([enable, &port.addr, &out].map(|o| self.slot(o)));
        }
        let stride = memory.width.div_ceil(64) as usize;
        let init = memory.init.as_ref().map(|values| {
            let digits = values.iter().flat_map(|value| {
                let padding = std::iter::repeat(0);
                value.iter_u64_digits().chain(padding).take(stride)
            });
            digits.collect()
        });
        let cell = MemoryCell {
            width: memory.width,
            depth: memory.depth,
            writes,
            reads,
            init,
        };
        self.program.memories.push(cell);
    }
}

fn compare(op: CompareOp, signed: bool, d: u32, a: u32, b: u32, free: u8) -> Op {
    match (op, signed) {
        (CompareOp::Eq, _) => Op::Eq { d, a, b },
        (CompareOp::Ne, _) => Op::Ne { d, a, b },
        (CompareOp::Lt, false) => Op::Lt { d, a, b },
        (CompareOp::Le, false) => Op::Le { d, a, b },
        (CompareOp::Lt, true) => Op::LtSigned { d, a, b, free },
        (CompareOp::Le, true) => Op::LeSigned { d, a, b, free },
        (CompareOp::Gt, _) => compare(CompareOp::Lt, signed, d, b, a, free),
        (CompareOp::Ge, _) => compare(CompareOp::Le, signed, d, b, a, free),
    }
}

/// The net whose words are those of `out` too.
fn same_words(flat: &Flat, out: NetId, expr: &Expr) -> Option<NetId> {
    let words = |net: NetId| flat.nets[net].width.div_ceil(64);
    match expr {
        Expr::Copy(Operand::Net(net)) => Some(*net),
        Expr::Extend {
            value: Operand::Net(net),
            signed: false,
        } if words(*net) == words(out) => Some(*net),
        _ => None,
    }
}

fn kind(expr: &Expr) -> Kind {
    match expr {
        Expr::Copy(_) => Kind::Copy,
        Expr::Not(_) => Kind::Not,
        Expr::Binary { op, .. } => Kind::Binary(*op),
        Expr::Multiply {
            lhs_signed,
            rhs_signed,
            ..
        } => Kind::Multiply {
            lhs_signed: *lhs_signed,
            rhs_signed: *rhs_signed,
        },
        Expr::Compare { op, signed, .. } => Kind::Compare {
            op: *op,
            signed: *signed,
        },
        Expr::Shift { op, .. } => Kind::Shift(*op),
        Expr::Mux { .. } => Kind::Mux,
        Expr::Concat(_) => Kind::Concat,
        Expr::Slice { lo, .. } => Kind::Slice { lo: *lo },
        Expr::Extend { signed, .. } => Kind::Extend { signed: *signed },
        Expr::Reduce { op, .. } => Kind::Reduce(*op),
    }
}

impl Op {
    /// Calls `each` with every word that it reads.
    pub fn read(&self, mut each: impl FnMut(usize)) {
        let args = match *self {
            Op::Copy { a, .. }
            | Op::Not { a, .. }
            | Op::Slice { a, .. }
            | Op::Extend { a, .. }
            | Op::IsFull { a, .. }
            | Op::IsNotZero { a, .. }
            | Op::Parity { a, .. }
            | Op::Look { address: a, .. } => [a; 3],
            Op::SliceAcross { a, .. } => [a, a + 1, a],
            Op::Add { a, b, .. }
            | Op::Sub { a, b, .. }
            | Op::And { a, b, .. }
            | Op::Or { a, b, .. }
            | Op::Xor { a, b, .. }
            | Op::Mul { a, b, .. }
            | Op::Eq { a, b, .. }
            | Op::Ne { a, b, .. }
            | Op::Lt { a, b, .. }
            | Op::Le { a, b, .. }
            | Op::LtSigned { a, b, .. }
            | Op::LeSigned { a, b, .. }
            | Op::Shl { a, b, .. }
            | Op::Shr { a, b, .. }
            | Op::Sar { a, b, .. }
            | Op::Join { a, b, .. } => [a, b, a],
            Op::Mux { c, a, b, .. } => [c, a, b],
            Op::Medium(ref node) | Op::Wide(ref node) => {
                return node
                    .args
                    .iter()
                    .flat_map(|slot| slot.range())
                    .for_each(each);
            }
        };
        args.into_iter().for_each(|at| each(at as usize));
    }

    /// The words that it writes.
    pub fn written(&self) -> Range<usize> {
        let d = match *self {
            Op::Look { out, .. } => return out.range(),
            Op::Medium(ref node) | Op::Wide(ref node) => return node.out.range(),
            Op::Copy { d, .. }
            | Op::Not { d, .. }
            | Op::Add { d, .. }
            | Op::Sub { d, .. }
            | Op::And { d, .. }
            | Op::Or { d, .. }
            | Op::Xor { d, .. }
            | Op::Mul { d, .. }
            | Op::Eq { d, .. }
            | Op::Ne { d, .. }
            | Op::Lt { d, .. }
            | Op::Le { d, .. }
            | Op::LtSigned { d, .. }
            | Op::LeSigned { d, .. }
            | Op::Shl { d, .. }
            | Op::Shr { d, .. }
            | Op::Sar { d, .. }
            | Op::Mux { d, .. }
            | Op::Join { d, .. }
            | Op::Slice { d, .. }
            | Op::SliceAcross { d, .. }
            | Op::Extend { d, .. }
            | Op::IsFull { d, .. }
            | Op::IsNotZero { d, .. }
            | Op::Parity { d, .. } => d as usize,
        };
        d..d + 1
    }

    /// Computes it.
    #[inline]
    pub fn run(&self, w: &mut [u64], memories: &[Contents], cells: &[MemoryCell]) {
        match *self {
            Op::Copy { d, a } => w[d as usize] = w[a as usize],
            Op::Not { d, a, mask } => w[d as usize] = !w[a as usize] & mask,
            Op::Add { d, a, b, mask } => {
                w[d as usize] = w[a as usize].wrapping_add(w[b as usize]) & mask;
            }
            Op::Sub { d, a, b, mask } => {
                w[d as usize] = w[a as usize].wrapping_sub(w[b as usize]) & mask;
            }
            Op::And { d, a, b } => w[d as usize] = w[a as usize] & w[b as usize],
            Op::Or { d, a, b } => w[d as usize] = w[a as usize] | w[b as usize],
            Op::Xor { d, a, b } => w[d as usize] = w[a as usize] ^ w[b as usize],
            Op::Mul {
                d,
                a,
                b,
                free_a,
                free_b,
                mask,
            } => {
                let (a, b) = (signed(w[a as usize], free_a), signed(w[b as usize], free_b));
                w[d as usize] = a.wrapping_mul(b) as u64 & mask;
            }
            Op::Eq { d, a, b } => w[d as usize] = u64::from(w[a as usize] == w[b as usize]),
            Op::Ne { d, a, b } => w[d as usize] = u64::from(w[a as usize] != w[b as usize]),
            Op::Lt { d, a, b } => w[d as usize] = u64::from(w[a as usize] < w[b as usize]),
            Op::Le { d, a, b } => w[d as usize] = u64::from(w[a as usize] <= w[b as usize]),
            Op::LtSigned { d, a, b, free } => {
                let less = signed(w[a as usize], free) < signed(w[b as usize], free);
                w[d as usize] = u64::from(less);
            }
            Op::LeSigned { d, a, b, free } => {
                let at_most = signed(w[a as usize], free) <= signed(w[b as usize], free);
                w[d as usize] = u64::from(at_most);
            }
            Op::Shl { d, a, b, mask } => {
                let shifted = amount(w[b as usize]).map_or(0, |by| w[a as usize] << by);
                w[d as usize] = shifted & mask;
            }
            Op::Shr { d, a, b } => {
                w[d as usize] = amount(w[b as usize]).map_or(0, |by| w[a as usize] >> by);
            }
            Op::Sar {
                d,
                a,
                b,
                free,
                mask,
            } => {
                let by = w[b as usize].min(63);
                w[d as usize] = (signed(w[a as usize], free) >> by) as u64 & mask;
            }
            Op::Mux { d, c, a, b } => {
                w[d as usize] = w[if w[c as usize] != 0 { a } else { b } as usize];
            }
            Op::Join { d, a, b, by } => {
                w[d as usize] = w[a as usize] << by | w[b as usize];
            }
            Op::Slice { d, a, by, mask } => w[d as usize] = w[a as usize] >> by & mask,
            Op::SliceAcross { d, a, by, mask } => {
                let (low, high) = (w[a as usize], w[a as usize + 1]);
                w[d as usize] = (low >> by | high << (64 - by)) & mask;
            }
            Op::Extend { d, a, free, mask } => {
                w[d as usize] = signed(w[a as usize], free) as u64 & mask;
            }
            Op::IsFull { d, a, mask } => w[d as usize] = u64::from(w[a as usize] == mask),
            Op::IsNotZero { d, a } => w[d as usize] = u64::from(w[a as usize] != 0),
            Op::Parity { d, a } => w[d as usize] = u64::from(w[a as usize].count_ones() & 1),
            Op::Look {
                memory,
                address,
                out,
            } => {
                let address = w[address as usize];
                let (cell, contents) = (&cells[memory as usize], &memories[memory as usize]);
                contents.read(cell, address, &mut w[out.range()]);
            }
            Op::Medium(ref node) => node.run_128(w),
            Op::Wide(ref node) => node.run_big(w),
        }
    }
}

/// The value whose top bit stands below `free` unused bits.
fn signed(word: u64, free: u8) -> i64 {
    ((word << free) as i64) >> free
}

/// A shift amount that does not shift everything out.
fn amount(word: u64) -> Option<u32> {
    u32::try_from(word).ok().filter(|by| *by < 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::vectors::Rng;
    use std::collections::BTreeSet;

    /// One of each kind, over words that `a`, `b` and `c` begin and that do not overlap.
    #[rustfmt::skip]
    fn every_kind() -> Vec<Op> {
        let (d, a, b, c) = (0, 4, 8, 12);
        let (mask, free, by) = (u64::MAX >> 7, 7, 9);
        let slot = |at, width| Slot { at, width };
        let node = |kind, width| {
            Box::new(Node { out: slot(d, width), kind, args: vec![slot(a, width), slot(b, width)] })
        };
        let add = || Kind::Binary(BinaryOp::Add);
        vec![
            Op::Copy { d, a }, Op::Not { d, a, mask }, Op::Add { d, a, b, mask }, Op::Sub { d, a, b, mask },
            Op::And { d, a, b }, Op::Or { d, a, b }, Op::Xor { d, a, b },
            Op::Mul { d, a, b, free_a: free, free_b: 0, mask },
            Op::Eq { d, a, b }, Op::Ne { d, a, b }, Op::Lt { d, a, b }, Op::Le { d, a, b },
            Op::LtSigned { d, a, b, free }, Op::LeSigned { d, a, b, free },
            Op::Shl { d, a, b, mask }, Op::Shr { d, a, b }, Op::Sar { d, a, b, free, mask },
            Op::Mux { d, c, a, b }, Op::Join { d, a, b, by }, Op::Slice { d, a, by, mask },
            Op::SliceAcross { d, a, by, mask }, Op::Extend { d, a, free, mask },
            Op::IsFull { d, a, mask: 1 }, Op::IsNotZero { d, a }, Op::Parity { d, a },
            Op::Look { memory: 0, address: a, out: slot(d, 64) },
            Op::Medium(node(add(), 128)), Op::Wide(node(add(), 256)),
        ]
    }

    /// What an operation does not read changes nothing, and what it reads does; it writes where it says.
    #[test]
    fn operations_read_and_write_what_they_say() {
        let cell = MemoryCell {
            width: 64,
            depth: 16,
            writes: Vec::new(),
            reads: Vec::new(),
            init: None,
        };
        let mut contents = Contents::new(&cell);
        contents.unknown = Some(1);
        let (cells, memories) = ([cell], [contents]);
        for op in every_kind() {
            let mut random = Rng::new(3);
            // Short ones are often equal, shift by little and are addresses.
            let mut word = || random.next() >> [0, 60, 63][random.next() as usize % 3];
            let mut read = BTreeSet::new();
            op.read(|at| read.extend([at]));
            let mut mattered = BTreeSet::new();
            for _ in 0..200 {
                let before: Vec<u64> = (0..16).map(|_| word()).collect();
                let mut after = before.clone();
                op.run(&mut after, &memories, &cells);
                for at in (0..16).filter(|at| !op.written().contains(at)) {
                    assert_eq!(after[at], before[at], "{op:?} writes {at}");
                    let mut other = before.clone();
                    other[at] = word();
                    op.run(&mut other, &memories, &cells);
                    if other[op.written()] != after[op.written()] {
                        mattered.insert(at);
                    }
                }
            }
            assert_eq!(mattered, read, "{op:?}");
        }
    }
}
