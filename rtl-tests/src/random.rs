//! Random netlists: hierarchy, registers, memories and every kind of expression.

use crate::bench::{Bench, Env};
use crate::expressions::Random;
use allo_hls::rtl::netlist::*;
use num_bigint::BigUint;

const WIDTHS: [u32; 9] = [1, 1, 2, 5, 8, 32, 33, 64, 90];
const RESET_CYCLES: usize = 6;

/// A random design of `size` operations a module with stimuli for `cycles` cycles.
pub fn bench(seed: u64, size: usize, cycles: usize) -> Bench {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut design = Design::default();
    let inner = Builder::new(&mut random, "inner", &design, None).build(size / 2);
    let inner = design.modules.push(inner);
    let top = Builder::new(&mut random, "top", &design, Some(inner)).build(size);
    let vectors = (0..cycles).map(|cycle| vector(&mut random, &top, cycle));
    let vectors = vectors.collect();
    design.modules.push(top);
    Bench::new(design, vectors)
}

fn vector(random: &mut Random, module: &Module, cycle: usize) -> Env {
    let inputs = module
        .ports
        .iter()
        .filter(|port| port.direction == Direction::Input && Some(port.net) != module.clock);
    let value = |port: &Port| {
        let value = match Some(port.net) == module.reset {
            true if cycle < RESET_CYCLES => BigUint::from(1u32),
            true => BigUint::from(u32::from(random.word().is_multiple_of(50))),
            false => random.edgy(module.nets[port.net].width),
        };
        (port.net, value)
    };
    inputs.map(value).collect()
}

struct Builder<'a> {
    random: &'a mut Random,
    design: &'a Design,
    inner: Option<ModuleId>,
    module: Module,
    /// Nets that expressions may read.
    pool: Vec<NetId>,
    reset: NetId,
}

impl<'a> Builder<'a> {
    fn new(
        random: &'a mut Random,
        name: &str,
        design: &'a Design,
        inner: Option<ModuleId>,
    ) -> Builder<'a> {
        let mut module = Module {
            name: name.to_string(),
            ..Module::default()
        };
        module.clock = Some(module.port(Direction::Input, "ap_clk", 1));
        let reset = module.port(Direction::Input, "ap_rst", 1);
        module.reset = Some(reset);
        Builder {
            random,
            design,
            inner,
            module,
            pool: Vec::new(),
            reset,
        }
    }

    /// First registers with reset, then combinational logic, memories, instances and registers without reset that
    /// read it, then more logic; so that all is known after a few cycles of reset.
    fn build(mut self, size: usize) -> Module {
        for index in 0..6 {
            let width = self.width();
            let name = format!("in{index}");
            let net = self.module.port(Direction::Input, name, width);
            self.pool.push(net);
        }
        let states: Vec<NetId> = (0..size / 4).map(|_| self.fresh("state")).collect();
        self.pool.extend(&states);
        self.logic(size / 2);
        let known = self.pool.clone();
        for index in 0..4 {
            self.memory(index, &known);
        }
        for index in 0..self.inner.map_or(0, |_| 2) {
            self.instance(index, &known);
        }
        for _ in 0..size / 8 {
            self.pipeline_register(&known);
        }
        self.logic(size / 2);
        for state in states {
            self.state_register(state);
        }
        self.outputs(8);
        self.module
    }

    fn below(&mut self, end: usize) -> usize {
        (self.random.word() >> 33) as usize % end
    }

    fn width(&mut self) -> u32 {
        WIDTHS[self.below(WIDTHS.len())]
    }

    fn fresh(&mut self, what: &str) -> NetId {
        let width = self.width();
        self.net(what, width)
    }

    fn net(&mut self, what: &str, width: u32) -> NetId {
        let name = format!("{what}_{}", self.module.nets.len());
        let net = self.module.net(name, width);
        // Texts may leave out nets without a name that says something.
        self.module.nets[net].named = self.below(3) == 0;
        net
    }

    fn assign(&mut self, width: u32, expr: Expr) -> NetId {
        let out = self.net("n", width);
        self.module.items.push(Item::Assign {
            out,
            expr,
            origin: Some(format!("k.py:{width}").into()),
        });
        out
    }

    fn any(&mut self) -> NetId {
        let index = self.below(self.pool.len());
        self.pool[index]
    }

    /// A net of the pool, or a constant now and then, fitted to `width`.
    fn operand(&mut self, width: u32) -> Operand {
        if self.below(6) == 0 {
            return Operand::constant(width, self.random.edgy(width));
        }
        let net = self.any();
        self.fitted(net, width).into()
    }

    fn fitted(&mut self, net: NetId, width: u32) -> NetId {
        let own = self.module.nets[net].width;
        let signed = self.below(2) == 0;
        match own.cmp(&width) {
            std::cmp::Ordering::Equal => net,
            std::cmp::Ordering::Greater => {
                let lo = self.below((own - width + 1) as usize) as u32;
                self.assign(width, Expr::Slice { value: net, lo })
            }
            std::cmp::Ordering::Less => {
                let value = net.into();
                self.assign(width, Expr::Extend { value, signed })
            }
        }
    }

    fn logic(&mut self, count: usize) {
        for _ in 0..count {
            let width = self.width();
            let (width, expr) = self.expr(width);
            let out = self.assign(width, expr);
            self.pool.push(out);
        }
    }

    fn expr(&mut self, width: u32) -> (u32, Expr) {
        let flag = self.below(2) == 0;
        match self.below(9) {
            0 => (width, Expr::Not(self.operand(width))),
            1 => {
                let lhs = self.any().into();
                let rhs = self.any().into();
                let sum = self.module.operand_width(&lhs) + self.module.operand_width(&rhs);
                let expr = Expr::Multiply {
                    lhs,
                    lhs_signed: flag,
                    rhs,
                    rhs_signed: self.below(2) == 0,
                };
                (1 + self.below(sum as usize) as u32, expr)
            }
            2 => {
                let ops = [CompareOp::Eq, CompareOp::Lt, CompareOp::Le, CompareOp::Gt];
                let op = ops[self.below(4)];
                let (lhs, rhs) = (self.operand(width), self.operand(width));
                let expr = Expr::Compare {
                    op,
                    signed: flag,
                    lhs,
                    rhs,
                };
                (1, expr)
            }
            3 => {
                let ops = [ShiftOp::Left, ShiftOp::Right, ShiftOp::RightArithmetic];
                let op = ops[self.below(3)];
                let value = self.operand(width);
                let width_of_amount = [3, 7, 32][self.below(3)];
                let amount = self.operand(width_of_amount);
                (width, Expr::Shift { op, value, amount })
            }
            4 => {
                let cond = self.operand(1);
                let (on_true, on_false) = (self.operand(width), self.operand(width));
                let expr = Expr::Mux {
                    cond,
                    on_true,
                    on_false,
                };
                (width, expr)
            }
            5 => {
                let parts: Vec<Operand> =
                    (0..1 + self.below(4)).map(|_| self.any().into()).collect();
                let sum = parts.iter().map(|p| self.module.operand_width(p)).sum();
                (sum, Expr::Concat(parts))
            }
            6 => {
                let ops = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
                let op = ops[self.below(3)];
                let value = self.operand(width);
                (1, Expr::Reduce { op, value })
            }
            _ => {
                let ops = [
                    BinaryOp::Add,
                    BinaryOp::Sub,
                    BinaryOp::And,
                    BinaryOp::Or,
                    BinaryOp::Xor,
                ];
                let op = ops[self.below(5)];
                let (lhs, rhs) = (self.operand(width), self.operand(width));
                (width, Expr::Binary { op, lhs, rhs })
            }
        }
    }

    fn memory(&mut self, index: usize, known: &[NetId]) {
        let width = self.width();
        let depth = [1, 2, 5, 16, 21][self.below(5)];
        let all = std::mem::replace(&mut self.pool, known.to_vec());
        let mut writes = Vec::new();
        if index > 0 {
            let first = self.fitted(known[0], 1);
            let second = self.assign(1, Expr::Not(first.into()));
            let running = self.assign(1, Expr::Not(self.reset.into()));
            for wanted in [first, second].into_iter().take(index.min(2)) {
                // What the reset has not yet reached must not get into the memory.
                let (op, lhs, rhs) = (BinaryOp::And, wanted.into(), running.into());
                let enable = self.assign(1, Expr::Binary { op, lhs, rhs });
                writes.push(WritePort {
                    enable: enable.into(),
                    addr: self.address(depth),
                    data: self.operand(width),
                });
            }
        }
        let mut reads = Vec::new();
        for _ in 0..1 + self.below(2) {
            let (op, rhs) = (BinaryOp::Or, self.reset.into());
            let lhs = self.operand(1);
            let enable = self.assign(1, Expr::Binary { op, lhs, rhs });
            let is_clocked = self.below(3) > 0;
            reads.push(ReadPort {
                enable: is_clocked.then(|| enable.into()),
                addr: self.address(depth),
                out: self.net("q", width),
            });
        }
        self.pool = all;
        self.pool.extend(reads.iter().map(|read| read.out));
        let init = (0..depth).map(|_| self.random.edgy(width)).collect();
        self.module.items.push(Item::Memory(Memory {
            name: format!("memory_{index}"),
            width,
            depth,
            init: Some(init),
            style: [
                MemoryStyle::Auto,
                MemoryStyle::Block,
                MemoryStyle::Distributed,
            ][index % 3],
            writes,
            reads,
            origin: None,
        }));
    }

    /// An address that lies inside the memory.
    fn address(&mut self, depth: u64) -> Operand {
        let width = address_width(depth);
        let net = self.any();
        let free = self.fitted(net, width);
        if depth.is_power_of_two() && depth > 1 {
            return free.into();
        }
        let inside = self.assign(
            1,
            Expr::Compare {
                op: CompareOp::Lt,
                signed: false,
                lhs: free.into(),
                rhs: Operand::constant(width, depth),
            },
        );
        let addr = self.assign(
            width,
            Expr::Mux {
                cond: inside.into(),
                on_true: free.into(),
                on_false: Operand::constant(width, 0u32),
            },
        );
        addr.into()
    }

    fn instance(&mut self, index: usize, known: &[NetId]) {
        let Some(module) = self.inner else { return };
        let all = std::mem::replace(&mut self.pool, known.to_vec());
        let inner = &self.design.modules[module];
        let mut connections = Vec::new();
        let mut outputs = Vec::new();
        for port in &inner.ports {
            let width = inner.nets[port.net].width;
            let net = if inner.clock == Some(port.net) {
                self.module.clock.unwrap_or(self.reset)
            } else if inner.reset == Some(port.net) {
                self.reset
            } else if port.direction == Direction::Output {
                let net = self.net("from", width);
                outputs.push(net);
                net
            } else {
                let net = self.any();
                self.fitted(net, width)
            };
            connections.push(net);
        }
        self.pool = all;
        self.pool.extend(outputs);
        self.module.items.push(Item::Instance(Instance {
            module,
            name: format!("in{index}_"),
            connections,
            origin: Some("k.py:1".into()),
        }));
    }

    fn pipeline_register(&mut self, known: &[NetId]) {
        let next = known[self.below(known.len())];
        let out = self.net("stage", self.module.nets[next].width);
        self.pool.push(out);
        self.module.items.push(Item::Register(Register {
            out,
            next: next.into(),
            enable: None,
            reset: None,
            origin: None,
        }));
    }

    fn state_register(&mut self, out: NetId) {
        let width = self.module.nets[out].width;
        let next = self.operand(width);
        let enable = match self.below(2) {
            0 => None,
            _ => {
                let net = self.any();
                Some(self.fitted(net, 1))
            }
        };
        let reset = Some(self.random.edgy(width));
        self.module.items.push(Item::Register(Register {
            out,
            next,
            enable,
            reset,
            origin: None,
        }));
    }

    fn outputs(&mut self, count: usize) {
        for index in 0..count {
            let value = self.any();
            let width = self.module.nets[value].width;
            let out = self
                .module
                .port(Direction::Output, format!("out{index}"), width);
            self.module.items.push(Item::Assign {
                out,
                expr: Expr::Copy(value.into()),
                origin: None,
            });
        }
    }
}
