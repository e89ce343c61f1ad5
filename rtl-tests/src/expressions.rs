//! A module with every kind of expression at many widths, and what it should compute, over exact integers.

use crate::bench::Env;
use allo_hls::rtl::netlist::*;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};

/// Widths that the expressions are built at: around the words of simulators.
pub const WIDTHS: [u32; 8] = [1, 2, 7, 32, 33, 64, 65, 100];

/// One output of the module and its expression.
#[derive(Clone, Debug)]
pub struct Case {
    /// The output port.
    pub out: NetId,
    /// What drives it.
    pub expr: Expr,
}

/// The module, its input ports and its outputs.
#[derive(Clone, Debug)]
pub struct Suite {
    /// One module named `expressions`.
    pub design: Design,
    /// Input ports.
    pub inputs: Vec<NetId>,
    /// Outputs.
    pub cases: Vec<Case>,
}

impl Suite {
    /// Every expression kind at all of [`WIDTHS`].
    pub fn new() -> Suite {
        Suite::of_widths(&WIDTHS)
    }
    /// Every expression kind at the given widths.
    pub fn of_widths(widths: &[u32]) -> Suite {
        let mut builder = Builder::default();
        builder.build(widths);
        builder.finish()
    }
    /// The only module.
    pub fn module(&self) -> &Module {
        let top = self.design.top().expect("the design has a module");
        &self.design.modules[top]
    }
    /// `count` input vectors, of edge values and random ones.
    pub fn vectors(&self, count: usize) -> Vec<Env> {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        (0..count)
            .map(|_| {
                let value = |net: &NetId| {
                    let width = self.module().nets[*net].width;
                    (*net, random.edgy(width))
                };
                self.inputs.iter().map(value).collect()
            })
            .collect()
    }
    /// The value that `case` must have.
    pub fn expected(&self, case: &Case, env: &Env) -> BigUint {
        let width = self.module().nets[case.out].width;
        model(self.module(), &case.expr, width, env)
    }
}

impl Default for Suite {
    fn default() -> Self {
        Suite::new()
    }
}

/// A small generator of reproducible numbers.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    /// `width` bits, all equally likely.
    pub fn bits(&mut self, width: u32) -> BigUint {
        let words = width.div_ceil(32);
        let digits = (0..words).map(|_| (self.word() >> 32) as u32).collect();
        BigUint::new(digits) & ones(width)
    }
    /// `width` bits, often at an end of the signed or unsigned range.
    pub fn edgy(&mut self, width: u32) -> BigUint {
        let top = BigUint::one() << (width - 1);
        match self.word() >> 61 {
            0 => BigUint::zero(),
            1 => ones(width),
            2 => top,
            3 => ones(width) ^ top,
            4 => BigUint::from((self.word() >> 57) as u32) & ones(width),
            _ => self.bits(width),
        }
    }
}

fn ones(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

#[derive(Default)]
struct Builder {
    module: Module,
    inputs: Vec<NetId>,
    cases: Vec<Case>,
}

impl Builder {
    fn finish(mut self) -> Suite {
        self.module.name = "expressions".to_string();
        let mut design = Design::default();
        design.modules.push(self.module);
        Suite {
            design,
            inputs: self.inputs,
            cases: self.cases,
        }
    }

    fn build(&mut self, widths: &[u32]) {
        let mut input = |name: String, width| {
            let net = self.module.port(Direction::Input, name, width);
            self.inputs.push(net);
            net
        };
        let cond = input("cond".to_string(), 1);
        let mut pairs = Vec::new();
        for width in widths.iter().copied() {
            let a = input(format!("a{width}"), width);
            let b = input(format!("b{width}"), width);
            pairs.push((width, a, b));
        }
        for (width, a, b) in &pairs {
            self.same_width(*width, *a, *b, cond);
            self.compares(*width, *a, *b);
            self.reductions(*width, *a);
            self.slices(*width, *a);
            for (other, c, d) in &pairs {
                self.multiplies(*width, *a, *other, *d);
                self.shifts(*width, *a, *d);
                self.joins(*width, *a, *other, *c);
            }
        }
    }

    fn case(&mut self, width: u32, expr: Expr) {
        let name = format!("y{}", self.cases.len());
        let out = self.module.port(Direction::Output, name, width);
        self.module.items.push(Item::Assign {
            out,
            expr: expr.clone(),
            origin: None,
        });
        self.cases.push(Case { out, expr });
    }

    fn same_width(&mut self, width: u32, a: NetId, b: NetId, cond: NetId) {
        self.case(width, Expr::Copy(a.into()));
        self.case(width, Expr::Not(a.into()));
        self.case(width, Expr::Not(pattern(width)));
        for op in [
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
        ] {
            for (lhs, rhs) in operand_pairs(width, a, b) {
                self.case(width, Expr::Binary { op, lhs, rhs });
            }
        }
        for (on_true, on_false) in operand_pairs(width, a, b) {
            let cond = cond.into();
            self.case(
                width,
                Expr::Mux {
                    cond,
                    on_true,
                    on_false,
                },
            );
        }
    }

    fn compares(&mut self, width: u32, a: NetId, b: NetId) {
        let edges = [
            Operand::constant(width, 0u32),
            Operand::constant(width, ones(width)),
            Operand::constant(width, BigUint::one() << (width - 1)),
            Operand::constant(width, ones(width) >> 1u32),
        ];
        let mut pairs = operand_pairs(width, a, b);
        for edge in edges {
            pairs.push((a.into(), edge.clone()));
            pairs.push((edge, a.into()));
        }
        for op in [
            CompareOp::Eq,
            CompareOp::Ne,
            CompareOp::Lt,
            CompareOp::Le,
            CompareOp::Gt,
            CompareOp::Ge,
        ] {
            for signed in [false, true] {
                for (lhs, rhs) in pairs.clone() {
                    self.case(
                        1,
                        Expr::Compare {
                            op,
                            signed,
                            lhs,
                            rhs,
                        },
                    );
                }
            }
        }
    }

    fn reductions(&mut self, width: u32, a: NetId) {
        for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
            self.case(
                1,
                Expr::Reduce {
                    op,
                    value: a.into(),
                },
            );
            self.case(
                1,
                Expr::Reduce {
                    op,
                    value: pattern(width),
                },
            );
        }
    }

    fn slices(&mut self, width: u32, value: NetId) {
        let ends = [0, 1, width / 2, 31, 32, 63, 64, width - 1];
        for lo in ends.into_iter().filter(|lo| *lo < width) {
            for taken in [1, 2, 33, 64, width - lo] {
                if lo + taken <= width {
                    self.case(taken, Expr::Slice { value, lo });
                }
            }
        }
    }

    fn multiplies(&mut self, width: u32, a: NetId, other: u32, d: NetId) {
        let sum = width + other;
        for out in [sum, sum - 1, width.max(other), width.min(other), 1] {
            for (lhs_signed, rhs_signed) in
                [(false, false), (false, true), (true, false), (true, true)]
            {
                for (lhs, rhs) in [(a.into(), d.into()), (a.into(), pattern(other))] {
                    self.case(
                        out,
                        Expr::Multiply {
                            lhs,
                            lhs_signed,
                            rhs,
                            rhs_signed,
                        },
                    );
                }
            }
        }
    }

    fn shifts(&mut self, width: u32, a: NetId, amount: NetId) {
        for op in [ShiftOp::Left, ShiftOp::Right, ShiftOp::RightArithmetic] {
            let mut shift = |value, amount| self.case(width, Expr::Shift { op, value, amount });
            shift(a.into(), amount.into());
            shift(pattern(width), amount.into());
            for by in [0, 1, width - 1, width, 2 * width] {
                shift(a.into(), Operand::constant(32, by));
            }
        }
    }

    fn joins(&mut self, width: u32, a: NetId, other: u32, c: NetId) {
        self.case(width + other, Expr::Concat(vec![a.into(), c.into()]));
        let parts = vec![c.into(), pattern(3), a.into()];
        self.case(width + other + 3, Expr::Concat(parts));
        if width < other {
            for signed in [false, true] {
                let value = a.into();
                self.case(other, Expr::Extend { value, signed });
                let value = pattern(width);
                self.case(other, Expr::Extend { value, signed });
            }
        }
    }
}

/// A constant with its top bit set and others mixed.
fn pattern(width: u32) -> Operand {
    let value = (BigUint::from(0x9_5a3c_0ff1_e2d4_b796u128) << 40u32) + 0xc3_a587_1b2du64;
    let shifted = value >> (108 - width);
    Operand::constant(width, shifted)
}

fn operand_pairs(width: u32, a: NetId, b: NetId) -> Vec<(Operand, Operand)> {
    vec![
        (a.into(), b.into()),
        (a.into(), pattern(width)),
        (pattern(width), b.into()),
        (pattern(width), pattern(width)),
    ]
}

/// What the netlist's definition says that `expr` is worth.
fn model(module: &Module, expr: &Expr, width: u32, env: &Env) -> BigUint {
    let unsigned = |operand: &Operand| match operand {
        Operand::Net(net) => env[net].clone(),
        Operand::Const { value, .. } => value.clone(),
    };
    let int = |operand: &Operand| BigInt::from(unsigned(operand));
    let signed = |operand: &Operand| {
        let width = module.operand_width(operand);
        let value = int(operand);
        match value.bit(u64::from(width - 1)) {
            true => value - (BigInt::one() << width),
            false => value,
        }
    };
    let read = |operand: &Operand, is_signed| match is_signed {
        true => signed(operand),
        false => int(operand),
    };
    let result = match expr {
        Expr::Copy(value) => int(value),
        Expr::Not(value) => !int(value),
        Expr::Binary { op, lhs, rhs } => {
            let (a, b) = (int(lhs), int(rhs));
            match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
            }
        }
        Expr::Multiply {
            lhs,
            lhs_signed,
            rhs,
            rhs_signed,
        } => read(lhs, *lhs_signed) * read(rhs, *rhs_signed),
        Expr::Compare {
            op,
            signed,
            lhs,
            rhs,
        } => {
            let (a, b) = (read(lhs, *signed), read(rhs, *signed));
            BigInt::from(u32::from(match op {
                CompareOp::Eq => a == b,
                CompareOp::Ne => a != b,
                CompareOp::Lt => a < b,
                CompareOp::Le => a <= b,
                CompareOp::Gt => a > b,
                CompareOp::Ge => a >= b,
            }))
        }
        Expr::Shift { op, value, amount } => {
            let amount = unsigned(amount).to_u32().unwrap_or(u32::MAX).min(width);
            match op {
                ShiftOp::Left => int(value) << amount,
                ShiftOp::Right => int(value) >> amount,
                ShiftOp::RightArithmetic => signed(value) >> amount,
            }
        }
        Expr::Mux {
            cond,
            on_true,
            on_false,
        } => match unsigned(cond).is_zero() {
            true => int(on_false),
            false => int(on_true),
        },
        Expr::Concat(parts) => parts.iter().fold(BigInt::zero(), |sum, part| {
            (sum << module.operand_width(part)) + int(part)
        }),
        Expr::Slice { value, lo } => int(&Operand::Net(*value)) >> *lo,
        Expr::Extend { value, signed } => read(value, *signed),
        Expr::Reduce { op, value } => {
            let bits = unsigned(value);
            BigInt::from(u32::from(match op {
                BinaryOp::And => bits == ones(module.operand_width(value)),
                BinaryOp::Or => !bits.is_zero(),
                _ => bits.count_ones() % 2 == 1,
            }))
        }
    };
    let wrapped = result & BigInt::from_biguint(Sign::Plus, ones(width));
    wrapped.to_biguint().unwrap_or_default()
}
