//! A module under construction: named nets with the item that drives each.

use crate::hash::FastMap;
use crate::rtl::namer::Namer;
use crate::rtl::netlist::*;
use num_bigint::BigUint;
use num_traits::One;

/// A module and the names it uses.
#[derive(Debug, Default)]
pub struct Cells {
    /// The module so far.
    pub module: Module,
    /// Names of the module's scope.
    pub namer: Namer,
    shared: FastMap<(Expr, u32), NetId>,
}

impl Cells {
    /// An empty module. Nothing inside has its name, which not all tools take.
    pub fn new(name: &str) -> Cells {
        let mut cells = Cells::default();
        cells.module.name = name.to_string();
        cells.namer.take(name);
        cells
    }

    /// A module that is there, to be added to.
    pub fn of(module: Module) -> Cells {
        let mut cells = Cells::default();
        for net in module.nets.values() {
            cells.namer.take(&net.name);
        }
        for item in &module.items {
            if let Item::Instance(instance) = item {
                cells.namer.take(&instance.name);
            }
        }
        cells.module = module;
        cells
    }

    /// A port; its name gets `_` appended until it is free.
    pub fn port(&mut self, direction: Direction, name: &str, width: u32) -> NetId {
        let name = self.namer.suffixed(name);
        self.module.port(direction, name, width)
    }

    /// Name of a net.
    pub fn name(&self, net: NetId) -> &str {
        &self.module.nets[net].name
    }

    /// A net without a driver yet.
    pub fn net(&mut self, name: &str, width: u32) -> NetId {
        let name = self.namer.numbered(name);
        self.module.net(name, width)
    }

    /// Drives a net.
    pub fn drive(&mut self, out: NetId, expr: Expr) {
        self.module.items.push(Item::Assign {
            out,
            expr,
            origin: None,
        });
    }

    /// A new net with the value of an expression; equal wiring is shared.
    pub fn assign(&mut self, name: &str, width: u32, expr: Expr, origin: Option<Origin>) -> NetId {
        let wiring = matches!(
            expr,
            Expr::Slice { .. } | Expr::Extend { .. } | Expr::Concat(_) | Expr::Copy(_)
        );
        let key = wiring.then(|| (expr.clone(), width));
        if let Some(net) = key.as_ref().and_then(|k| self.shared.get(k)) {
            return *net;
        }
        let out = self.net(name, width);
        self.module.items.push(Item::Assign { out, expr, origin });
        if let Some(key) = key {
            self.shared.insert(key, out);
        }
        out
    }

    /// As [`Cells::assign`], with a name that says nothing.
    pub fn assign_unnamed(
        &mut self,
        name: &str,
        width: u32,
        expr: Expr,
        origin: Option<Origin>,
    ) -> NetId {
        let before = self.module.nets.len();
        let net = self.assign(name, width, expr, origin);
        if self.module.nets.len() > before {
            self.module.nets[net].named = false;
        }
        net
    }

    /// A new register.
    pub fn register(
        &mut self,
        name: &str,
        width: u32,
        next: Operand,
        enable: Option<NetId>,
        reset: Option<u64>,
        origin: Option<Origin>,
    ) -> NetId {
        let out = self.net(name, width);
        self.drive_register(out, next, enable, reset, origin);
        out
    }

    /// Makes an existing net a register.
    pub fn drive_register(
        &mut self,
        out: NetId,
        next: Operand,
        enable: Option<NetId>,
        reset: Option<u64>,
        origin: Option<Origin>,
    ) {
        self.module.items.push(Item::Register(Register {
            out,
            next,
            enable,
            reset: reset.map(BigUint::from),
            origin,
        }));
    }

    /// A heading.
    pub fn comment(&mut self, text: impl Into<String>) {
        self.module.items.push(Item::Comment(text.into()));
    }

    /// A net for an operand (a constant gets one).
    pub fn as_net(&mut self, operand: Operand, name: &str) -> NetId {
        match operand {
            Operand::Net(net) => net,
            constant => {
                let width = self.module.operand_width(&constant);
                self.assign_unnamed(name, width, Expr::Copy(constant), None)
            }
        }
    }

    /// The low `width` bits, or the extension to `width` bits.
    pub fn resize(&mut self, value: Operand, width: u32, signed: bool, name: &str) -> Operand {
        let have = self.module.operand_width(&value);
        match width.cmp(&have) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.slice(value, 0, width, name),
            std::cmp::Ordering::Greater => match value {
                Operand::Const { value, .. } => {
                    let negative = signed && value.bit(u64::from(have) - 1);
                    let fill = if negative {
                        (BigUint::one() << width) - (BigUint::one() << have)
                    } else {
                        BigUint::default()
                    };
                    Operand::Const {
                        width,
                        value: value | fill,
                    }
                }
                value => {
                    let name = format!("{name}_x{width}");
                    let extended = Expr::Extend { value, signed };
                    Operand::Net(self.assign_unnamed(&name, width, extended, None))
                }
            },
        }
    }

    /// `width` bits from bit `lo`.
    pub fn slice(&mut self, value: Operand, lo: u32, width: u32, name: &str) -> Operand {
        match value {
            Operand::Const { value, .. } => Operand::Const {
                width,
                value: (value >> lo) & ((BigUint::one() << width) - 1u32),
            },
            Operand::Net(net) if lo == 0 && self.module.nets[net].width == width => {
                Operand::Net(net)
            }
            Operand::Net(net) => {
                let name = format!("{name}_{}_{lo}", lo + width - 1);
                let slice = Expr::Slice { value: net, lo };
                Operand::Net(self.assign_unnamed(&name, width, slice, None))
            }
        }
    }

    /// A one-bit operation; constants are folded.
    pub fn gate(&mut self, op: BinaryOp, a: Operand, b: Operand, name: &str) -> Operand {
        let absorbing = match op {
            BinaryOp::And => false,
            BinaryOp::Or => true,
            _ => {
                let expr = Expr::Binary { op, lhs: a, rhs: b };
                return Operand::Net(self.assign(name, 1, expr, None));
            }
        };
        for (x, y) in [(&a, &b), (&b, &a)] {
            if let Operand::Const { value, .. } = x {
                let one = value.is_one();
                return if one == absorbing {
                    x.clone()
                } else {
                    y.clone()
                };
            }
        }
        if a == b {
            return a;
        }
        let expr = Expr::Binary { op, lhs: a, rhs: b };
        Operand::Net(self.assign(name, 1, expr, None))
    }

    /// The complement of a bit.
    pub fn invert(&mut self, a: Operand, name: &str) -> Operand {
        match a {
            Operand::Const { value, .. } => bit(!value.is_one()),
            net => Operand::Net(self.assign(name, 1, Expr::Not(net), None)),
        }
    }

    /// Of several guarded values, the one whose guard is 1 (at most one is; with none, any).
    pub fn select(&mut self, choices: &[(Operand, Operand)], name: &str) -> Option<Operand> {
        let mut level = choices.to_vec();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [left, right] => self.choice(left, right, name),
                    single => single[0].clone(),
                })
                .collect();
        }
        level.pop().map(|(_, value)| value)
    }

    /// One of two guarded values, and whether it is either's turn.
    fn choice(
        &mut self,
        (guard, value): &(Operand, Operand),
        (other_guard, other): &(Operand, Operand),
        name: &str,
    ) -> (Operand, Operand) {
        let either = self.gate(BinaryOp::Or, guard.clone(), other_guard.clone(), "either");
        if value == other {
            return (either, value.clone());
        }
        let width = self.module.operand_width(value);
        let expr = Expr::Mux {
            cond: guard.clone(),
            on_true: value.clone(),
            on_false: other.clone(),
        };
        (either, Operand::Net(self.assign(name, width, expr, None)))
    }

    /// Whether any of the bits is 1.
    pub fn any(&mut self, bits: &[Operand], name: &str) -> Operand {
        let mut bits = bits.iter().cloned();
        match bits.next() {
            None => bit(false),
            Some(first) => bits.fold(first, |a, b| self.gate(BinaryOp::Or, a, b, name)),
        }
    }
}

/// A one-bit constant.
pub fn bit(value: bool) -> Operand {
    Operand::Const {
        width: 1,
        value: BigUint::from(value),
    }
}
