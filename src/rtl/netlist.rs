//! The netlist: modules of nets, combinational assignments, registers, memories and instances.
//!
//! All nets are unsigned bit vectors of known width. An expression is one operation over nets and
//! constants, so that the text has one operation an assignment. Signedness is a property of the
//! operations that care (multiply, compare, shift right, extend). One clock; registers and memories
//! take their new contents at its rising edge. Every net has exactly one driver; there is no
//! combinational loop. Registers without `reset` and memories without `init` start unknown.

use crate::arena::{Arena, Id};
use crate::ir::Foreign;
pub use crate::machine::program::address_width;
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// A place in the source, e.g. `saxpy.py:6`, which many items share.
pub type Origin = std::sync::Arc<str>;
/// Handle of a net of a module.
pub type NetId = Id<Net>;
/// Handle of a module of a design.
pub type ModuleId = Id<Module>;

/// Modules; instantiated modules come before those that use them.
#[derive(Clone, Debug, Default)]
pub struct Design {
    /// All modules, the top one last.
    pub modules: Arena<Module>,
    /// Comment lines at the head of the file.
    pub header: Vec<String>,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Name, unique in the design and no reserved word.
    pub name: String,
    /// Comment lines before the module.
    pub comments: Vec<String>,
    /// Ports in order. The clock (`clock`) and reset (`reset`) are among them if used.
    pub ports: Vec<Port>,
    /// All nets, ports included.
    pub nets: Arena<Net>,
    /// Contents, in the order of printing.
    pub items: Vec<Item>,
    /// Clock of all registers, memories and instances; an input port.
    pub clock: Option<NetId>,
    /// Synchronous, active-high reset; an input port.
    pub reset: Option<NetId>,
    /// In texts, this module of the user's stands for the items, which compute what it does.
    pub foreign: Option<Foreign>,
    /// For who simulates: what depends on timing, as a bit that says that it is asked in a cycle, and one that says what is
    /// found. No part of what is printed.
    pub asked: Vec<(Operand, Operand)>,
    /// For who builds around it: registers whose pulse begins a later part of what a start begins, each with the arrays that
    /// are accessed from there on and not before. No part of what is printed.
    pub stages: Vec<(NetId, Vec<String>)>,
    /// Registers of which several hold the same: synthesisers are told to leave them as they are.
    pub replicas: BTreeSet<NetId>,
}

/// Direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Driven from outside.
    Input,
    /// Driven by this module.
    Output,
}

/// A port; its name and width are those of its net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Direction.
    pub direction: Direction,
    /// The net.
    pub net: NetId,
}

/// A bit vector.
#[derive(Clone, Debug)]
pub struct Net {
    /// Name, unique in the module and no reserved word.
    pub name: String,
    /// Bits, at least 1.
    pub width: u32,
    /// Whether the name says something. Texts may leave out a net whose name was made up, where what it is driven by can
    /// stand in its place.
    pub named: bool,
}

/// A net or a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A net, whole.
    Net(NetId),
    /// A constant of the given width.
    Const {
        /// Bits, at least 1.
        width: u32,
        /// Below 2^width.
        value: BigUint,
    },
}

/// A part of a module.
#[derive(Clone, Debug)]
pub enum Item {
    /// A section heading or remark, one line.
    Comment(String),
    /// Combinational: `out = expr`.
    Assign {
        /// Driven net.
        out: NetId,
        /// One operation.
        expr: Expr,
        /// Origin in the source, e.g. `saxpy.py:6`.
        origin: Option<Origin>,
    },
    /// A register.
    Register(Register),
    /// A memory.
    Memory(Memory),
    /// Another module.
    Instance(Instance),
}

/// A register: at the clock edge, `reset` if the module's reset is 1, else `next` if `enable` is 1 or absent.
#[derive(Clone, Debug)]
pub struct Register {
    /// The register's net.
    pub out: NetId,
    /// New value, of the same width.
    pub next: Operand,
    /// Width 1.
    pub enable: Option<NetId>,
    /// Value after reset; `None`: not reset.
    pub reset: Option<BigUint>,
    /// Origin in the source.
    pub origin: Option<Origin>,
}

/// How a memory is meant to be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryStyle {
    /// The synthesiser decides.
    Auto,
    /// Lookup-table memory.
    Distributed,
    /// Block memory.
    Block,
}

/// `depth` words of `width` bits. A read with an enable gives the word at `addr` after the edge if that is 1, and holds it; a
/// read of a word written at the same edge gives an unspecified value. One without gives the word at `addr` within the cycle. Addresses past the end read an
/// unspecified value and write nothing.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Name, unique among nets and memories.
    pub name: String,
    /// Bits of a word.
    pub width: u32,
    /// Words.
    pub depth: u64,
    /// Initial contents (`depth` words); with no write port it is a ROM.
    pub init: Option<Vec<BigUint>>,
    /// Preferred implementation.
    pub style: MemoryStyle,
    /// Write ports (at most two).
    pub writes: Vec<WritePort>,
    /// Read ports.
    pub reads: Vec<ReadPort>,
    /// Origin in the source.
    pub origin: Option<Origin>,
}

impl Memory {
    /// The ports that read at the clock edge, with their enables.
    pub fn clocked(&self) -> impl Iterator<Item = (&Operand, &ReadPort)> {
        let ports = self.reads.iter();
        ports.filter_map(|port| Some((port.enable.as_ref()?, port)))
    }
}

/// Writes `data` to `addr` where `enable` is 1.
#[derive(Clone, Debug)]
pub struct WritePort {
    /// Width 1.
    pub enable: Operand,
    /// Width max(1, ceil(log2 depth)).
    pub addr: Operand,
    /// Width of a word.
    pub data: Operand,
}

/// `out` takes the word at `addr` where `enable` is 1, or is that word at any time.
#[derive(Clone, Debug)]
pub struct ReadPort {
    /// Width 1; `None`: the read is asynchronous, which only memory of lookup tables or registers can be.
    pub enable: Option<Operand>,
    /// Width max(1, ceil(log2 depth)).
    pub addr: Operand,
    /// Driven net, width of a word.
    pub out: NetId,
}

/// An instance of another module of the design. Clock and reset are connected by the printer's caller like all ports.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The module.
    pub module: ModuleId,
    /// Instance name, unique among nets, memories and instances.
    pub name: String,
    /// One net for each port of the module, in its order. Widths match.
    pub connections: Vec<NetId>,
    /// Origin in the source.
    pub origin: Option<Origin>,
}

/// Bitwise and arithmetic operations on operands of the output's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// Sum modulo 2^width.
    Add,
    /// Difference modulo 2^width.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// Comparisons; output width 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl CompareOp {
    /// Whether it holds of two numbers that compare so.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            CompareOp::Eq => order.is_eq(),
            CompareOp::Ne => order.is_ne(),
            CompareOp::Lt => order.is_lt(),
            CompareOp::Le => order.is_le(),
            CompareOp::Gt => order.is_gt(),
            CompareOp::Ge => order.is_ge(),
        }
    }
}

/// Dynamic shifts; an amount of the width or more gives the fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShiftOp {
    /// Left.
    Left,
    /// Right, zero fill.
    Right,
    /// Right, sign fill.
    RightArithmetic,
}

/// One combinational operation. The output width is that of the assigned net.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// The operand itself (same width).
    Copy(Operand),
    /// Every bit flipped (same width).
    Not(Operand),
    /// Both operands have the output's width.
    Binary {
        op: BinaryOp,
        lhs: Operand,
        rhs: Operand,
    },
    /// Product of the operands, each read as signed or unsigned, modulo 2^output width. The operands' widths are
    /// free; the output is at most their sum wide.
    Multiply {
        lhs: Operand,
        lhs_signed: bool,
        rhs: Operand,
        rhs_signed: bool,
    },
    /// Both operands have the same width; the output has width 1.
    Compare {
        op: CompareOp,
        signed: bool,
        lhs: Operand,
        rhs: Operand,
    },
    /// `value` has the output's width, the amount any.
    Shift {
        op: ShiftOp,
        value: Operand,
        amount: Operand,
    },
    /// `cond` (width 1) ? `on_true` : `on_false`, both of the output's width.
    Mux {
        cond: Operand,
        on_true: Operand,
        on_false: Operand,
    },
    /// Operands from most to least significant; the widths add up to the output's.
    Concat(Vec<Operand>),
    /// Bits `lo .. lo + output width` of a net.
    Slice { value: NetId, lo: u32 },
    /// `value`, narrower than the output, extended by copies of its top bit or by zeros.
    Extend { value: Operand, signed: bool },
    /// `value` (`width` bits) is all ones / not zero / odd number of ones; output width 1.
    Reduce { op: BinaryOp, value: Operand },
}

impl Module {
    /// Adds a net. The caller answers for the name being unique.
    pub fn net(&mut self, name: impl Into<String>, width: u32) -> NetId {
        self.nets.push(Net {
            name: name.into(),
            width,
            named: true,
        })
    }
    /// Adds a port with its net.
    pub fn port(&mut self, direction: Direction, name: impl Into<String>, width: u32) -> NetId {
        let net = self.net(name, width);
        self.ports.push(Port { direction, net });
        net
    }
    /// Width of an operand.
    pub fn operand_width(&self, operand: &Operand) -> u32 {
        match operand {
            Operand::Net(net) => self.nets[*net].width,
            Operand::Const { width, .. } => *width,
        }
    }
}

impl Operand {
    /// A constant; bits above `width` are dropped.
    pub fn constant(width: u32, value: impl Into<BigUint>) -> Operand {
        let mask = (BigUint::from(1u32) << width) - 1u32;
        Operand::Const {
            width,
            value: value.into() & mask,
        }
    }
    /// The net, if it is one.
    pub fn net(&self) -> Option<NetId> {
        match self {
            Operand::Net(net) => Some(*net),
            Operand::Const { .. } => None,
        }
    }
}

impl From<NetId> for Operand {
    fn from(net: NetId) -> Operand {
        Operand::Net(net)
    }
}

impl Expr {
    /// Its operands, from left to right.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Expr::Copy(value)
            | Expr::Not(value)
            | Expr::Extend { value, .. }
            | Expr::Reduce { value, .. } => vec![value.clone()],
            Expr::Binary { lhs, rhs, .. }
            | Expr::Multiply { lhs, rhs, .. }
            | Expr::Compare { lhs, rhs, .. } => vec![lhs.clone(), rhs.clone()],
            Expr::Shift { value, amount, .. } => vec![value.clone(), amount.clone()],
            Expr::Mux {
                cond,
                on_true,
                on_false,
            } => vec![cond.clone(), on_true.clone(), on_false.clone()],
            Expr::Concat(parts) => parts.clone(),
            Expr::Slice { value, .. } => vec![Operand::Net(*value)],
        }
    }
}

impl Expr {
    /// The same operation on translated operands.
    pub fn map(self, operand: impl Fn(Operand) -> Operand, net: impl Fn(NetId) -> NetId) -> Expr {
        match self {
            Expr::Copy(value) => Expr::Copy(operand(value)),
            Expr::Not(value) => Expr::Not(operand(value)),
            Expr::Binary { op, lhs, rhs } => Expr::Binary {
                op,
                lhs: operand(lhs),
                rhs: operand(rhs),
            },
            Expr::Multiply {
                lhs,
                lhs_signed,
                rhs,
                rhs_signed,
            } => Expr::Multiply {
                lhs: operand(lhs),
                lhs_signed,
                rhs: operand(rhs),
                rhs_signed,
            },
            Expr::Compare {
                op,
                signed,
                lhs,
                rhs,
            } => Expr::Compare {
                op,
                signed,
                lhs: operand(lhs),
                rhs: operand(rhs),
            },
            Expr::Shift { op, value, amount } => Expr::Shift {
                op,
                value: operand(value),
                amount: operand(amount),
            },
            Expr::Mux {
                cond,
                on_true,
                on_false,
            } => Expr::Mux {
                cond: operand(cond),
                on_true: operand(on_true),
                on_false: operand(on_false),
            },
            Expr::Concat(parts) => Expr::Concat(parts.into_iter().map(operand).collect()),
            Expr::Slice { value, lo } => Expr::Slice {
                value: net(value),
                lo,
            },
            Expr::Extend { value, signed } => Expr::Extend {
                value: operand(value),
                signed,
            },
            Expr::Reduce { op, value } => Expr::Reduce {
                op,
                value: operand(value),
            },
        }
    }
}

impl Operand {
    /// The same of another net.
    pub fn renamed(self, read: impl Fn(NetId) -> NetId) -> Operand {
        match self {
            Operand::Net(net) => Operand::Net(read(net)),
            constant => constant,
        }
    }
}

impl Register {
    /// The same with other nets for those that it reads, and for the one that it drives.
    pub fn renamed(
        self,
        read: impl Fn(NetId) -> NetId,
        driven: impl Fn(NetId) -> NetId,
    ) -> Register {
        Register {
            out: driven(self.out),
            next: self.next.renamed(&read),
            enable: self.enable.map(&read),
            ..self
        }
    }
}

impl Memory {
    /// The same with other nets for those that it reads, and for those that it drives.
    pub fn renamed(self, read: impl Fn(NetId) -> NetId, driven: impl Fn(NetId) -> NetId) -> Memory {
        let operand = |operand: Operand| operand.renamed(&read);
        let writes = self.writes.into_iter().map(|port| WritePort {
            enable: operand(port.enable),
            addr: operand(port.addr),
            data: operand(port.data),
        });
        let reads = self.reads.into_iter().map(|port| ReadPort {
            enable: port.enable.map(operand),
            addr: operand(port.addr),
            out: driven(port.out),
        });
        Memory {
            writes: writes.collect(),
            reads: reads.collect(),
            ..self
        }
    }
}

impl Item {
    /// The same with other nets for those that it reads, and for those that it drives; of an instance, which nets it drives is not known
    /// here, and all count as read.
    pub fn renamed(self, read: impl Fn(NetId) -> NetId, driven: impl Fn(NetId) -> NetId) -> Item {
        match self {
            Item::Comment(text) => Item::Comment(text),
            Item::Assign { out, expr, origin } => Item::Assign {
                out: driven(out),
                expr: expr.map(|operand| operand.renamed(&read), &read),
                origin,
            },
            Item::Register(register) => Item::Register(register.renamed(read, driven)),
            Item::Memory(memory) => Item::Memory(memory.renamed(read, driven)),
            Item::Instance(instance) => Item::Instance(Instance {
                connections: instance.connections.into_iter().map(read).collect(),
                ..instance
            }),
        }
    }
}

impl Memory {
    /// Width of its addresses.
    pub fn address_width(&self) -> u32 {
        address_width(self.depth)
    }
    /// The nets that its ports read, apart from the clock.
    pub fn read_nets(&self) -> Vec<NetId> {
        let writes = self.writes.iter();
        let reads = self.reads.iter();
        writes
            .flat_map(|w| [&w.enable, &w.addr, &w.data])
            .chain(reads.flat_map(|r| r.enable.iter().chain([&r.addr])))
            .filter_map(Operand::net)
            .collect()
    }
}

impl Design {
    /// The top module: the last one.
    pub fn top(&self) -> Option<ModuleId> {
        self.modules.ids().next_back()
    }
    /// Items of the design if it were one module.
    pub fn flat_items(&self) -> u64 {
        let mut sizes: Vec<u64> = Vec::new();
        for module in self.modules.values() {
            let size = |item: &Item| match item {
                Item::Instance(instance) => sizes[instance.module.index()],
                _ => 1,
            };
            let all = module.items.iter().map(size);
            sizes.push(all.fold(0, u64::saturating_add));
        }
        sizes.pop().unwrap_or(0)
    }
    /// Direction, width and connected net of each port of an instance.
    pub fn pins(&self, instance: &Instance) -> Vec<(Port, NetId)> {
        let ports = &self.modules[instance.module].ports;
        ports
            .iter()
            .copied()
            .zip(instance.connections.iter().copied())
            .collect()
    }
    /// The nets that an item drives.
    pub fn driven(&self, item: &Item) -> Vec<NetId> {
        match item {
            Item::Comment(_) => Vec::new(),
            Item::Assign { out, .. } => vec![*out],
            Item::Register(register) => vec![register.out],
            Item::Memory(memory) => memory.reads.iter().map(|read| read.out).collect(),
            Item::Instance(instance) => self.connected(instance, Direction::Output),
        }
    }
    /// The nets that an item reads, apart from clock and reset of registers and memories.
    pub fn read(&self, item: &Item) -> Vec<NetId> {
        match item {
            Item::Comment(_) => Vec::new(),
            Item::Assign { expr, .. } => nets_of(&expr.operands()),
            Item::Register(register) => {
                let mut nets = nets_of(std::slice::from_ref(&register.next));
                nets.extend(register.enable);
                nets
            }
            Item::Memory(memory) => memory.read_nets(),
            Item::Instance(instance) => self.connected(instance, Direction::Input),
        }
    }
    /// The nets at an instance's ports of a direction.
    pub fn connected(&self, instance: &Instance, direction: Direction) -> Vec<NetId> {
        self.pins(instance)
            .into_iter()
            .filter(|(port, _)| port.direction == direction)
            .map(|(_, net)| net)
            .collect()
    }
}

fn nets_of(operands: &[Operand]) -> Vec<NetId> {
    operands.iter().filter_map(Operand::net).collect()
}
