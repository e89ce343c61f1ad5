//! Expressions as text, for languages that share SystemVerilog's operators.

use super::inline::Inlined;
use super::layout::{long_amount, mask};
use super::netlist::*;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// What differs between the languages.
pub(super) trait Dialect {
    /// An identifier, escaped if the language reserves it.
    fn name(&self, name: &str) -> String;
    /// A choice.
    fn mux(&self, cond: &str, on_true: &str, on_false: &str) -> String;
    /// `value` extended to `width` bits by its own sign.
    fn cast(&self, width: u32, value: &str) -> String;
    /// Copies side by side.
    fn repeat(&self, count: u32, value: &str) -> String;
    /// The symbols of less and greater.
    fn less(&self) -> [&'static str; 2];
}

/// Adds an indented line.
pub(super) fn line_of(text: &mut String, depth: usize, line: &str) {
    for _ in 0..depth {
        text.push_str("    ");
    }
    text.push_str(line);
    text.push('\n');
}

/// Prints the expressions of a module. Every operand has exactly the width of its operation.
pub(super) struct ExprText<'a> {
    pub module: &'a Module,
    pub dialect: &'a dyn Dialect,
    pub inlined: &'a Inlined<'a>,
}

impl ExprText<'_> {
    /// The operation, for an output of `width` bits.
    pub fn expr(&self, expr: &Expr, width: u32) -> String {
        match expr {
            Expr::Copy(value) => self.operand(value),
            Expr::Not(value) => match self.operand(value) {
                // Yosys takes `~8'(x)` for a cast to `~8` bits.
                cast if cast.starts_with(|c: char| c.is_ascii_digit()) => format!("~({cast})"),
                // An operand has no operator but this one in front, which may not stand twice.
                inverted if inverted.starts_with('~') => inverted[1..].to_string(),
                value => format!("~{value}"),
            },
            Expr::Binary { op, lhs, rhs } => {
                let op = binary_symbol(*op);
                format!("{} {op} {}", self.operand(lhs), self.operand(rhs))
            }
            Expr::Multiply {
                lhs,
                lhs_signed,
                rhs,
                rhs_signed,
            } => {
                let signed = *lhs_signed || *rhs_signed;
                let lhs = self.factor(lhs, *lhs_signed, signed, width);
                let rhs = self.factor(rhs, *rhs_signed, signed, width);
                format!("{lhs} * {rhs}")
            }
            Expr::Compare {
                op,
                signed,
                lhs,
                rhs,
            } => {
                let signed = *signed && !matches!(op, CompareOp::Eq | CompareOp::Ne);
                let op = self.compare_symbol(*op);
                let (lhs, rhs) = match (lhs, rhs) {
                    (Operand::Net(lhs), Operand::Net(rhs)) if signed && self.width(*lhs) > 1 => {
                        (self.with_sign_of(*rhs, *lhs), self.with_sign_of(*lhs, *rhs))
                    }
                    _ => (self.compared(lhs, signed), self.compared(rhs, signed)),
                };
                format!("{lhs} {op} {rhs}")
            }
            Expr::Shift { op, value, amount } => self.shift(*op, value, amount, width),
            Expr::Mux {
                cond,
                on_true,
                on_false,
            } => self.dialect.mux(
                &self.operand(cond),
                &self.operand(on_true),
                &self.operand(on_false),
            ),
            Expr::Concat(parts) => match parts.as_slice() {
                [part] => self.operand(part),
                _ => self.concat(parts),
            },
            Expr::Slice { value, lo } => self.bits(*value, *lo, width),
            Expr::Extend { value, signed } => {
                let value = self.operand(value);
                match signed {
                    true => self.dialect.cast(width, &format!("$signed({value})")),
                    false => self.dialect.cast(width, &value),
                }
            }
            Expr::Reduce { op, value } => format!("{}{}", binary_symbol(*op), self.operand(value)),
        }
    }

    /// Parts side by side; several of one kind in a row as copies.
    fn concat(&self, parts: &[Operand]) -> String {
        let parts = self.flat(parts);
        let runs: Vec<&[Operand]> = parts.chunk_by(|a, b| a == b && a.net().is_some()).collect();
        let text = |run: &&[Operand]| match run.len() {
            1 => self.whole(&run[0]),
            count => self.dialect.repeat(count as u32, &self.whole(&run[0])),
        };
        match runs[..] {
            // A repetition stands in braces of its own.
            [run] if run.len() > 1 => text(&run),
            _ => {
                let texts: Vec<String> = runs.iter().map(text).collect();
                format!("{{{}}}", texts.join(", "))
            }
        }
    }

    /// The parts with those of concatenations among them.
    fn flat(&self, parts: &[Operand]) -> Vec<Operand> {
        let inner = |part: &Operand| match part.net().and_then(|net| self.inlined.expr(net)) {
            Some(Expr::Concat(parts)) => self.flat(parts),
            _ => vec![part.clone()],
        };
        parts.iter().flat_map(inner).collect()
    }

    /// A factor in `width` bits; the product's sign matters to synthesisers only, which then need not multiply
    /// the copies of the top bit.
    fn factor(&self, value: &Operand, value_signed: bool, signed: bool, width: u32) -> String {
        let narrow = self.operand_width(value) < width;
        match value {
            Operand::Const { value, width: own } => {
                let value = match value_signed && narrow && value.bit(u64::from(own - 1)) {
                    true => value | (mask(width) ^ mask(*own)),
                    false => value & mask(width),
                };
                match signed {
                    true => signed_literal(width, &value),
                    false => literal(width, &value),
                }
            }
            Operand::Net(net) => {
                let kept = match width < self.width(*net) {
                    true => self.bits(*net, 0, width),
                    false => self.net(*net),
                };
                match (narrow, value_signed, signed) {
                    (true, true, _) => self.dialect.cast(width, &format!("$signed({kept})")),
                    (true, false, true) => {
                        format!("$signed({})", self.dialect.cast(width, &kept))
                    }
                    (true, false, false) => self.dialect.cast(width, &kept),
                    (false, _, true) => format!("$signed({kept})"),
                    (false, _, false) => kept,
                }
            }
        }
    }

    /// The bits of a signed number with the sign of the one it is compared with: exchanged, signs order as unsigned numbers
    /// do. Of a signed comparison synthesisers make one that takes two carries out of its chain and gates behind them.
    fn with_sign_of(&self, other: NetId, value: NetId) -> String {
        let low = self.width(value) - 1;
        let (sign, rest) = (self.bits(other, low, 1), self.bits(value, 0, low));
        format!("{{{sign}, {rest}}}")
    }

    fn compared(&self, value: &Operand, signed: bool) -> String {
        match value {
            Operand::Const { width, value } if signed => signed_literal(*width, value),
            Operand::Net(net) if signed => format!("$signed({})", self.name(*net)),
            _ => self.operand(value),
        }
    }

    fn shift(&self, op: ShiftOp, value: &Operand, amount: &Operand, width: u32) -> String {
        let shifted = self.operand(value);
        let (left, symbol) = match op {
            ShiftOp::Left => (shifted.clone(), "<<"),
            ShiftOp::Right => (shifted.clone(), ">>"),
            ShiftOp::RightArithmetic => (format!("$signed({shifted})"), ">>>"),
        };
        match (amount, long_amount(width, self.operand_width(amount))) {
            (Operand::Net(net), Some(bits)) => {
                let high = self.bits(*net, bits, self.width(*net) - bits);
                let low = self.bits(*net, 0, bits);
                // Both alternatives must be unsigned or signed; the fill and the shift each stand in a
                // concatenation, which is unsigned and of their own width.
                let fill = self.fill(op, value, width);
                let shifted = format!("{{{left} {symbol} {low}}}");
                self.dialect.mux(&format!("(|{high})"), &fill, &shifted)
            }
            _ => format!("{left} {symbol} {}", self.operand(amount)),
        }
    }

    /// `width` copies of what a shift brings in.
    fn fill(&self, op: ShiftOp, value: &Operand, width: u32) -> String {
        match (op, value) {
            (ShiftOp::RightArithmetic, Operand::Net(net)) => {
                self.dialect.repeat(width, &self.bits(*net, width - 1, 1))
            }
            (ShiftOp::RightArithmetic, Operand::Const { value, .. })
                if value.bit(u64::from(width - 1)) =>
            {
                literal(width, &mask(width))
            }
            _ => literal(width, &BigUint::default()),
        }
    }

    /// A net's name, what stands in its place, or a literal.
    pub fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Net(net) => self.net(*net),
            Operand::Const { width, value } => literal(*width, value),
        }
    }

    /// As [`Self::operand`], where nothing stands beside it.
    pub fn whole(&self, operand: &Operand) -> String {
        match operand
            .net()
            .and_then(|net| Some((net, self.inlined.expr(net)?)))
        {
            Some((net, expr)) => self.expr(expr, self.width(net)),
            None => self.operand(operand),
        }
    }

    /// A net's name, or what stands in its place.
    fn net(&self, net: NetId) -> String {
        let Some(expr) = self.inlined.expr(net) else {
            return self.name(net);
        };
        let text = self.expr(expr, self.width(net));
        match expr {
            Expr::Copy(_)
            | Expr::Slice { .. }
            | Expr::Concat(_)
            | Expr::Extend { .. }
            | Expr::Not(_) => text,
            _ => format!("({text})"),
        }
    }

    /// Bits `lo .. lo + width` of a net; a net of one bit has no select.
    pub fn bits(&self, net: NetId, lo: u32, width: u32) -> String {
        let name = self.name(net);
        match width {
            _ if width == self.width(net) => name,
            1 => format!("{name}[{lo}]"),
            _ => format!("{name}[{}:{lo}]", lo + width - 1),
        }
    }

    fn name(&self, net: NetId) -> String {
        self.dialect.name(&self.module.nets[net].name)
    }

    fn width(&self, net: NetId) -> u32 {
        self.module.nets[net].width
    }

    fn operand_width(&self, operand: &Operand) -> u32 {
        self.module.operand_width(operand)
    }

    fn compare_symbol(&self, op: CompareOp) -> &'static str {
        let [less, greater] = self.dialect.less();
        match op {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => less,
            CompareOp::Le => "<=",
            CompareOp::Gt => greater,
            CompareOp::Ge => ">=",
        }
    }
}

/// `value` as a literal of `width` bits: decimal where that is short, else hexadecimal.
pub fn literal(width: u32, value: &BigUint) -> String {
    match value.to_u32() {
        Some(0 | 1) if width == 1 => format!("1'b{value}"),
        Some(small) if small < 1000 => format!("{width}'d{small}"),
        _ => format!("{width}'h{}", hex(width, value)),
    }
}

/// All hexadecimal digits of `width` bits, in groups of four.
fn hex(width: u32, value: &BigUint) -> String {
    let digits = width.div_ceil(4) as usize;
    let plain = format!("{value:0>digits$x}");
    let mut grouped = String::with_capacity(plain.len() + plain.len() / 4);
    for (index, digit) in plain.chars().enumerate() {
        if index > 0 && (digits - index).is_multiple_of(4) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped
}

fn signed_literal(width: u32, value: &BigUint) -> String {
    match value.to_u32() {
        Some(small) if small < 1000 && !value.bit(u64::from(width - 1)) => {
            format!("{width}'sd{small}")
        }
        _ => format!("{width}'sh{}", hex(width, value)),
    }
}

fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}
