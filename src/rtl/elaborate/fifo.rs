//! Queues as modules: the oldest element is at hand in the cycle after it was put, and an element can be put and taken in each.

use super::cells::{Cells, bit};
use super::datapath::constant;
use super::ports::style;
use super::transfers::count_width;
use crate::ir::MemoryKind;
use crate::rtl::netlist::*;
use num_bigint::BigUint;

/// What a queue is like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Bits of an element.
    pub width: u32,
    /// Elements that it holds; a power of two, 2 at least.
    pub capacity: u64,
    /// What it holds when it is cleared, oldest first, beside those.
    pub tokens: Vec<BigUint>,
}

/// The module of a queue. Whoever puts makes sure that there is room, whoever takes that there is an element.
///
/// Its ports are, in this order: clock, reset, `clear`, `write`, `din`, `read`, `dout`, `empty_n`, and `left`, which says that
/// an element that was put is taken.
pub fn build(name: &str, shape: &Shape) -> Module {
    let mut cells = Cells::new(name);
    let width = shape.width;
    let input = |cells: &mut Cells, name: &str, width| cells.port(Direction::Input, name, width);
    let [clock, reset] = ["ap_clk", "ap_rst"].map(|name| input(&mut cells, name, 1));
    cells.module.clock = Some(clock);
    cells.module.reset = Some(reset);
    cells.module.comments = vec![format!("queue of {} x {width} bits", shape.capacity)];
    let clear = input(&mut cells, "clear", 1);
    let write = input(&mut cells, "write", 1);
    let din = input(&mut cells, "din", width);
    let read = input(&mut cells, "read", 1);
    let dout = cells.port(Direction::Output, "dout", width);
    let empty_n = cells.port(Direction::Output, "empty_n", 1);
    let left = cells.port(Direction::Output, "left", 1);
    let tokens = Tokens::build(&mut cells, shape, Operand::Net(read), clear);
    let taken = match &tokens {
        None => Operand::Net(read),
        Some(tokens) => {
            let others = cells.invert(tokens.some.clone(), "no_tokens");
            cells.gate(BinaryOp::And, Operand::Net(read), others, "taken")
        }
    };
    cells.drive(left, Expr::Copy(taken.clone()));
    let mut queue = Queue {
        cells,
        shape,
        clear,
    };
    let (oldest, some) = queue.build(Operand::Net(write), din, taken);
    let mut cells = queue.cells;
    let (oldest, some) = match tokens {
        None => (oldest, some),
        Some(tokens) => {
            let value = Expr::Mux {
                cond: tokens.some.clone(),
                on_true: tokens.value,
                on_false: oldest,
            };
            let value = cells.assign("oldest", width, value, None);
            let some = cells.gate(BinaryOp::Or, tokens.some, some, "some");
            (Operand::Net(value), some)
        }
    };
    cells.drive(dout, Expr::Copy(oldest));
    cells.drive(empty_n, Expr::Copy(some));
    cells.module
}

/// What a queue holds at first.
struct Tokens {
    /// Whether some are left.
    some: Operand,
    /// The oldest of them.
    value: Operand,
}

impl Tokens {
    fn build(cells: &mut Cells, shape: &Shape, read: Operand, clear: NetId) -> Option<Tokens> {
        let count = shape.tokens.len() as u64;
        if count == 0 {
            return None;
        }
        let width = count_width(count);
        let taken = cells.net("tokens_taken", width);
        let some = Expr::Compare {
            op: CompareOp::Ne,
            signed: false,
            lhs: Operand::Net(taken),
            rhs: constant(&count.into(), width),
        };
        let some = Operand::Net(cells.assign("tokens_left", 1, some, None));
        let take = cells.gate(BinaryOp::And, read, some.clone(), "token_taken");
        let more = cells.resize(take, width, false, "more");
        let next = binary(cells, BinaryOp::Add, Operand::Net(taken), more, width);
        let next = unless(cells, clear, next, width);
        // After a reset nothing is there until the first start.
        let none = BigUint::from(count);
        cells.module.items.push(Item::Register(Register {
            out: taken,
            next: next.clone(),
            enable: None,
            reset: Some(none),
            origin: None,
        }));
        let address = address_width(count);
        let value = cells.net("token", shape.width);
        let addr = cells.resize(next, address, false, "token_address");
        let name = cells.namer.numbered("tokens_mem");
        cells.module.items.push(Item::Memory(Memory {
            name,
            width: shape.width,
            depth: count,
            init: Some(shape.tokens.clone()),
            style: MemoryStyle::Distributed,
            writes: Vec::new(),
            reads: vec![ReadPort {
                enable: bit(true),
                addr,
                out: value,
            }],
            origin: None,
        }));
        Some(Tokens {
            some,
            value: Operand::Net(value),
        })
    }
}

struct Queue<'s> {
    cells: Cells,
    shape: &'s Shape,
    clear: NetId,
}

impl Queue<'_> {
    /// The oldest element, and whether there is one.
    fn build(&mut self, write: Operand, din: NetId, read: Operand) -> (Operand, Operand) {
        let Shape {
            width, capacity, ..
        } = *self.shape;
        let address = address_width(capacity);
        let (_, wr) = self.pointer("wr", write.clone(), address);
        let (rd_next, _) = self.pointer("rd", read.clone(), address);
        let some = self.count(write.clone(), read);
        let cells = &mut self.cells;
        let out = cells.net("word", width);
        let name = cells.namer.numbered("mem");
        let bits = capacity.saturating_mul(width.into());
        cells.module.items.push(Item::Memory(Memory {
            name,
            width,
            depth: capacity,
            init: None,
            style: style(MemoryKind::by_size(bits)),
            writes: vec![WritePort {
                enable: write.clone(),
                addr: wr.clone(),
                data: Operand::Net(din),
            }],
            reads: vec![ReadPort {
                enable: bit(true),
                addr: rd_next.clone(),
                out,
            }],
            origin: None,
        }));
        // What is put into an empty queue is not in the memory yet when it is read.
        let same = Expr::Compare {
            op: CompareOp::Eq,
            signed: false,
            lhs: wr,
            rhs: rd_next,
        };
        let same = Operand::Net(cells.assign("same", 1, same, None));
        let passes = cells.gate(BinaryOp::And, write, same, "passes");
        let passes = cells.register("passed", 1, passes, None, Some(0), None);
        let last = cells.register("last", width, Operand::Net(din), None, None, None);
        let oldest = Expr::Mux {
            cond: Operand::Net(passes),
            on_true: Operand::Net(last),
            on_false: Operand::Net(out),
        };
        let oldest = cells.assign("stored", width, oldest, None);
        (Operand::Net(oldest), some)
    }

    /// A place that moves on; where it is next, and now.
    fn pointer(&mut self, name: &str, moves: Operand, width: u32) -> (Operand, Operand) {
        let cells = &mut self.cells;
        let now = cells.net(name, width);
        let more = cells.resize(moves, width, false, "more");
        let next = binary(cells, BinaryOp::Add, Operand::Net(now), more, width);
        let next = unless(cells, self.clear, next, width);
        cells.drive_register(now, next.clone(), None, Some(0), None);
        (next, Operand::Net(now))
    }

    /// Whether there is an element.
    fn count(&mut self, write: Operand, read: Operand) -> Operand {
        let cells = &mut self.cells;
        let width = count_width(self.shape.capacity);
        let now = cells.net("count", width);
        let [more, less] = [write, read].map(|bit| cells.resize(bit, width, false, "more"));
        let next = binary(cells, BinaryOp::Add, Operand::Net(now), more, width);
        let next = binary(cells, BinaryOp::Sub, next, less, width);
        let next = unless(cells, self.clear, next, width);
        cells.drive_register(now, next.clone(), None, Some(0), None);
        let some = Expr::Compare {
            op: CompareOp::Ne,
            signed: false,
            lhs: next,
            rhs: constant(&0.into(), width),
        };
        let some = Operand::Net(cells.assign("some_next", 1, some, None));
        Operand::Net(cells.register("some", 1, some, None, Some(0), None))
    }
}

fn binary(cells: &mut Cells, op: BinaryOp, lhs: Operand, rhs: Operand, width: u32) -> Operand {
    let expr = Expr::Binary { op, lhs, rhs };
    Operand::Net(cells.assign("next", width, expr, None))
}

/// A value, or 0 where the queue is cleared.
fn unless(cells: &mut Cells, clear: NetId, value: Operand, width: u32) -> Operand {
    let expr = Expr::Mux {
        cond: Operand::Net(clear),
        on_true: constant(&0.into(), width),
        on_false: value,
    };
    Operand::Net(cells.assign("next", width, expr, None))
}
