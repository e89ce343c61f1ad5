//! A module written as expressions: signals with operators, over the cells of the netlist.

use super::cells::Cells;
use crate::rtl::netlist::*;
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, BitAnd, BitOr, Not, Sub};

/// A module under construction.
pub struct Circuit {
    cells: RefCell<Cells>,
    /// The nets that stand for constants.
    constants: RefCell<HashMap<NetId, BigUint>>,
}

/// A net of a circuit.
#[derive(Clone, Copy)]
pub struct Signal<'c> {
    circuit: &'c Circuit,
    net: NetId,
}

impl Circuit {
    /// A module without contents, with the input ports `ap_clk` and, if it is reset, `ap_rst`.
    pub fn new(name: &str, comment: String, is_reset: bool) -> Circuit {
        let mut cells = Cells::new(name);
        cells.module.comments = vec![comment];
        cells.module.clock = Some(cells.port(Direction::Input, "ap_clk", 1));
        if is_reset {
            cells.module.reset = Some(cells.port(Direction::Input, "ap_rst", 1));
        }
        Circuit {
            cells: RefCell::new(cells),
            constants: RefCell::default(),
        }
    }

    /// The module.
    pub fn finish(self) -> Module {
        self.cells.into_inner().module
    }

    /// Keeps a name from being given to a net.
    pub fn reserve(&self, name: &str) {
        self.cells.borrow_mut().namer.take(name);
    }

    /// Name of a net.
    pub fn name(&self, net: Signal<'_>) -> String {
        self.cells.borrow().name(net.net).to_string()
    }

    /// The clock.
    pub fn clock(&self) -> Signal<'_> {
        let clock = self.cells.borrow().module.clock;
        self.signal(clock.expect("every circuit has a clock"))
    }

    /// The reset.
    ///
    /// Panics if the module has none: the one who asks knows.
    pub fn reset(&self) -> Signal<'_> {
        let reset = self.cells.borrow().module.reset;
        self.signal(reset.expect("the circuit is reset"))
    }

    /// An input port.
    pub fn input(&self, name: &str, width: u32) -> Signal<'_> {
        self.signal(self.cells.borrow_mut().port(Direction::Input, name, width))
    }

    /// An output port, to be given a value by [`Signal::set`] or as a register.
    pub fn port(&self, name: &str, width: u32) -> Signal<'_> {
        self.signal(self.cells.borrow_mut().port(Direction::Output, name, width))
    }

    /// An output port with a value.
    pub fn output(&self, name: &str, value: Signal<'_>) {
        self.port(name, value.width()).set(value);
    }

    /// A net to be given a value later.
    pub fn wire(&self, name: &str, width: u32) -> Signal<'_> {
        self.signal(self.cells.borrow_mut().net(name, width))
    }

    /// A constant.
    pub fn constant(&self, width: u32, value: impl Into<BigUint>) -> Signal<'_> {
        let value: BigUint = value.into();
        let operand = Operand::constant(width, value.clone());
        let mut cells = self.cells.borrow_mut();
        let net = cells.assign_unnamed("constant", width, Expr::Copy(operand), None);
        self.constants.borrow_mut().insert(net, value);
        self.signal(net)
    }

    /// A bit that is always 0.
    pub fn zero(&self) -> Signal<'_> {
        self.constant(1, 0u32)
    }

    /// A bit that is always 1.
    pub fn one(&self) -> Signal<'_> {
        self.constant(1, 1u32)
    }

    /// Parts side by side, the lowest first.
    pub fn join<'c>(&'c self, parts: &[Signal<'c>]) -> Signal<'c> {
        if let [only] = parts {
            return *only;
        }
        let width = parts.iter().map(|part| part.width()).sum();
        let operands = parts.iter().rev().map(|part| part.operand()).collect();
        self.expr(width, Expr::Concat(operands))
    }

    /// Whether any of the bits is 1.
    pub fn any<'c>(&'c self, bits: impl IntoIterator<Item = Signal<'c>>) -> Signal<'c> {
        bits.into_iter().fold(self.zero(), |a, b| a | b)
    }

    /// Of values of one width, that of a number; 0 past their end. No value: a bit that is 0.
    pub fn choose<'c>(&'c self, number: Signal<'c>, values: &[Signal<'c>]) -> Signal<'c> {
        let width = values.first().map_or(1, |value| value.width());
        let mut level = values.to_vec();
        for bit in 0..number.width() {
            if level.is_empty() {
                break;
            }
            let bit = number.bit(bit);
            let none = self.constant(width, 0u32);
            level = level
                .chunks(2)
                .map(|pair| bit.mux(pair.get(1).copied().unwrap_or(none), pair[0]))
                .collect();
        }
        let first = level.first().copied();
        first.unwrap_or_else(|| self.constant(width, 0u32))
    }

    /// Remembers in a net that `set` was 1, until `clear` is 1 without it. 0 after a reset.
    pub fn flag<'c>(&'c self, net: Signal<'c>, set: Signal<'c>, clear: Signal<'c>) {
        net.register(Some(0), None, set | (net & !clear));
    }

    /// A memory; [`Memory::name`] is made unique.
    pub fn memory(&self, mut memory: Memory) {
        let mut cells = self.cells.borrow_mut();
        memory.name = cells.namer.numbered(&memory.name);
        cells.module.items.push(Item::Memory(memory));
    }

    /// An instance of a module whose inputs are given by name; gives its outputs by name.
    ///
    /// Panics if an input other than the clock is not given.
    pub fn instance<'c>(
        &'c self,
        (id, module): (ModuleId, &Module),
        name: &str,
        inputs: &[(String, Signal<'c>)],
    ) -> Outputs<'c> {
        let mut outputs = HashMap::new();
        let mut connections = Vec::new();
        for port in &module.ports {
            let Net {
                name: pin, width, ..
            } = &module.nets[port.net];
            let net = match port.direction {
                Direction::Input if Some(port.net) == module.clock => self.clock(),
                Direction::Input => {
                    let given = inputs.iter().find(|(given, _)| given == pin);
                    given
                        .unwrap_or_else(|| panic!("input '{pin}' of '{name}' is given"))
                        .1
                }
                Direction::Output => self.wire(&format!("{name}_{pin}"), *width),
            };
            if port.direction == Direction::Output {
                outputs.insert(pin.clone(), net);
            }
            connections.push(net.net);
        }
        let mut cells = self.cells.borrow_mut();
        let instance = Instance {
            module: id,
            name: cells.namer.numbered(name),
            connections,
            origin: None,
        };
        cells.module.items.push(Item::Instance(instance));
        Outputs(outputs)
    }

    /// A heading of what follows.
    pub fn comment(&self, text: &str) {
        self.cells.borrow_mut().comment(text);
    }

    fn signal(&self, net: NetId) -> Signal<'_> {
        Signal { circuit: self, net }
    }

    fn expr(&self, width: u32, expr: Expr) -> Signal<'_> {
        let mut cells = self.cells.borrow_mut();
        let net = cells.assign_unnamed("n", width, expr, None);
        self.signal(net)
    }
}

/// Output ports of an instance.
pub struct Outputs<'c>(HashMap<String, Signal<'c>>);

impl<'c> Outputs<'c> {
    /// The net at a port.
    ///
    /// Panics if there is no such port: the one who asks knows the module.
    pub fn get(&self, port: &str) -> Signal<'c> {
        *self
            .0
            .get(port)
            .unwrap_or_else(|| panic!("the module has the port '{port}'"))
    }

    /// The net at a port that may not be there.
    pub fn find(&self, port: &str) -> Option<Signal<'c>> {
        self.0.get(port).copied()
    }
}

impl<'c> Signal<'c> {
    /// Bits.
    pub fn width(self) -> u32 {
        self.circuit.cells.borrow().module.nets[self.net].width
    }

    /// As part of an item.
    pub fn operand(self) -> Operand {
        match self.value() {
            Some(value) => Operand::constant(self.width(), value),
            None => Operand::Net(self.net),
        }
    }

    /// The net.
    pub fn net(self) -> NetId {
        self.net
    }

    fn value(self) -> Option<BigUint> {
        self.circuit.constants.borrow().get(&self.net).cloned()
    }

    /// Gives a net that has no value yet that of another.
    pub fn set(self, value: Signal<'c>) {
        let operand = value.operand();
        self.circuit
            .cells
            .borrow_mut()
            .drive(self.net, Expr::Copy(operand));
    }

    /// Makes a net a register, which takes `next` where `enable` is 1; `None` as reset: not reset.
    pub fn register(self, reset: Option<u64>, enable: Option<Signal<'c>>, next: Signal<'c>) {
        let next = next.operand();
        self.circuit
            .cells
            .borrow_mut()
            .module
            .items
            .push(Item::Register(Register {
                out: self.net,
                next,
                enable: enable.map(|enable| enable.net),
                reset: reset.map(BigUint::from),
                origin: None,
            }));
    }

    /// The value a cycle later; 0 after a reset.
    pub fn delayed(self, name: &str) -> Signal<'c> {
        let net = self.circuit.wire(name, self.width());
        net.register(Some(0), None, self);
        net
    }

    /// The same under a name that says something.
    pub fn named(self, name: &str) -> Signal<'c> {
        let net = self.circuit.wire(name, self.width());
        net.set(self);
        net
    }

    /// One bit.
    pub fn bit(self, at: u32) -> Signal<'c> {
        self.bits(at, 1)
    }

    /// `width` bits from bit `lo`.
    pub fn bits(self, lo: u32, width: u32) -> Signal<'c> {
        if let Some(value) = self.value() {
            return self.circuit.constant(width, (value >> lo) & mask(width));
        }
        if lo == 0 && width == self.width() {
            return self;
        }
        self.circuit.expr(
            width,
            Expr::Slice {
                value: self.net,
                lo,
            },
        )
    }

    /// The low bits, or with zeros above.
    pub fn resize(self, width: u32) -> Signal<'c> {
        match self.value() {
            _ if width <= self.width() => self.bits(0, width),
            Some(value) => self.circuit.constant(width, value),
            None => {
                let value = self.operand();
                let extend = Expr::Extend {
                    value,
                    signed: false,
                };
                self.circuit.expr(width, extend)
            }
        }
    }

    /// With so many zeros below.
    pub fn above(self, zeros: u32) -> Signal<'c> {
        match zeros {
            0 => self,
            _ => self
                .circuit
                .join(&[self.circuit.constant(zeros, 0u32), self]),
        }
    }

    /// The bit as often as that.
    pub fn repeat(self, times: u32) -> Signal<'c> {
        self.circuit.join(&vec![self; times as usize])
    }

    /// Where this bit is 1 the first value, else the second.
    pub fn mux(self, on_true: Signal<'c>, on_false: Signal<'c>) -> Signal<'c> {
        if let Some(value) = self.value() {
            return if value.is_zero() { on_false } else { on_true };
        }
        if on_true.net == on_false.net {
            return on_true;
        }
        let width = on_true.width();
        let expr = Expr::Mux {
            cond: self.operand(),
            on_true: on_true.operand(),
            on_false: on_false.operand(),
        };
        self.circuit.expr(width, expr)
    }

    /// Whether two values are equal.
    pub fn equals(self, other: Signal<'c>) -> Signal<'c> {
        self.compare(CompareOp::Eq, other)
    }

    /// Whether it is a number; never, if that has more bits.
    pub fn is(self, value: u64) -> Signal<'c> {
        let width = self.width();
        if width < 64 && value >> width != 0 {
            return self.circuit.zero();
        }
        self.equals(self.circuit.constant(width, value))
    }

    /// Whether it is at most another, unsigned.
    pub fn at_most(self, other: Signal<'c>) -> Signal<'c> {
        self.compare(CompareOp::Le, other)
    }

    fn compare(self, op: CompareOp, other: Signal<'c>) -> Signal<'c> {
        let expr = Expr::Compare {
            op,
            signed: false,
            lhs: self.operand(),
            rhs: other.operand(),
        };
        self.circuit.expr(1, expr)
    }

    /// Whether any bit is 1.
    pub fn some(self) -> Signal<'c> {
        self.reduce(BinaryOp::Or)
    }

    /// Whether all bits are 1.
    pub fn full(self) -> Signal<'c> {
        self.reduce(BinaryOp::And)
    }

    fn reduce(self, op: BinaryOp) -> Signal<'c> {
        if self.width() == 1 {
            return self;
        }
        let value = self.operand();
        self.circuit.expr(1, Expr::Reduce { op, value })
    }

    /// The sum with a number.
    pub fn plus(self, value: u64) -> Signal<'c> {
        self + self.circuit.constant(self.width(), value)
    }

    fn binary(self, op: BinaryOp, other: Signal<'c>) -> Signal<'c> {
        let expr = Expr::Binary {
            op,
            lhs: self.operand(),
            rhs: other.operand(),
        };
        self.circuit.expr(self.width(), expr)
    }

    /// What an operation with a constant bit is without it: that bit, or the other operand.
    fn folded(self, other: Signal<'c>, absorbing: bool) -> Option<Signal<'c>> {
        if self.width() != 1 {
            return None;
        }
        let decide = |constant: Signal<'c>, other: Signal<'c>| {
            let value = constant.value()?;
            Some(match value.is_one() == absorbing {
                true => constant,
                false => other,
            })
        };
        decide(self, other).or_else(|| decide(other, self))
    }
}

fn mask(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

impl<'c> BitAnd for Signal<'c> {
    type Output = Signal<'c>;
    fn bitand(self, other: Signal<'c>) -> Signal<'c> {
        let folded = self.folded(other, false);
        folded.unwrap_or_else(|| self.binary(BinaryOp::And, other))
    }
}

impl<'c> BitOr for Signal<'c> {
    type Output = Signal<'c>;
    fn bitor(self, other: Signal<'c>) -> Signal<'c> {
        let folded = self.folded(other, true);
        folded.unwrap_or_else(|| self.binary(BinaryOp::Or, other))
    }
}

impl<'c> Add for Signal<'c> {
    type Output = Signal<'c>;
    fn add(self, other: Signal<'c>) -> Signal<'c> {
        self.binary(BinaryOp::Add, other)
    }
}

impl<'c> Sub for Signal<'c> {
    type Output = Signal<'c>;
    fn sub(self, other: Signal<'c>) -> Signal<'c> {
        self.binary(BinaryOp::Sub, other)
    }
}

impl<'c> Not for Signal<'c> {
    type Output = Signal<'c>;
    fn not(self) -> Signal<'c> {
        match self.value() {
            Some(value) => {
                let flipped = mask(self.width()) - value;
                self.circuit.constant(self.width(), flipped)
            }
            None => self.circuit.expr(self.width(), Expr::Not(self.operand())),
        }
    }
}
