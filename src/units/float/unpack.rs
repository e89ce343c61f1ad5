//! Splits a bit pattern into fields and tells the classes of numbers apart.
//!
//! Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 3.1 (binary interchange formats)
//! and 8.1 (unpacking).

use super::bits::{Grouped, all, any, bit_length, low, none, normalise};
use crate::hwarith::graph::{Graph, NodeId, Op};
use crate::hwarith::types::HwType;
use crate::ir::FloatFormat;

/// The fields of a float, and the tests on them that every operator shares.
#[derive(Clone, Copy)]
pub(super) struct Unpacked {
    /// Sign bit.
    pub sign: NodeId,
    /// Exponent field.
    pub exp: NodeId,
    /// Fraction field.
    pub frac: NodeId,
    /// The exponent field is 0: subnormal or zero.
    pub tiny: NodeId,
}

/// Widths of the fields of a format, and its bias, which is free.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Exponent bits.
    pub exp: u32,
    /// Fraction bits.
    pub frac: u32,
    /// Exponent field of 1.
    pub bias: i64,
}

impl Layout {
    /// Whether the bias is in the middle of the range.
    pub fn is_ieee(self) -> bool {
        self.bias == (1 << (self.exp - 1)) - 1
    }
}

impl From<FloatFormat> for Layout {
    fn from(format: FloatFormat) -> Layout {
        Layout {
            exp: format.exp,
            frac: format.frac,
            bias: (1 << (format.exp - 1)) - 1,
        }
    }
}

/// Splits `bits`, of the format's width.
pub(super) fn unpack(g: &mut Graph, format: FloatFormat, bits: NodeId) -> Unpacked {
    let exp = g.extract(bits, format.frac, format.exp);
    let fields = Unpacked {
        sign: g.bit(bits, format.exp + format.frac),
        exp,
        frac: low(g, bits, format.frac),
        tiny: none(g, exp),
    };
    let operand = match g.nodes[bits].op {
        Op::Input(index @ 0..3) => Some(["a", "b", "c"][index as usize].to_string()),
        _ => g.nodes[bits].name.clone(),
    };
    if let Some(operand) = operand {
        g.name(fields.sign, &format!("{operand}_sign"));
        g.name(fields.exp, &format!("{operand}_exponent"));
        g.name(fields.frac, &format!("{operand}_fraction"));
        g.name(fields.tiny, &format!("{operand}_is_tiny"));
    }
    fields
}

/// Input `index` of an operator: a bit pattern of the format.
pub(super) fn input(g: &mut Graph, format: FloatFormat, index: u32) -> NodeId {
    g.input(index, HwType::ui(format.width()))
}

/// Whether a bit pattern is a NaN.
pub(super) fn is_nan(g: &mut Graph, format: FloatFormat, bits: NodeId) -> NodeId {
    let exp = g.extract(bits, format.frac, format.exp);
    let frac = low(g, bits, format.frac);
    let (top, nonzero) = (all(g, exp), any(g, frac));
    g.and(top, nonzero)
}

impl Unpacked {
    /// The significand: hidden bit on top of the fraction.
    pub fn significand(&self, g: &mut Graph) -> NodeId {
        let hidden = g.not(self.tiny);
        let significand = g.concat(&[hidden, self.frac]);
        self.name(g, significand, "significand");
        significand
    }
    /// Names a node that says something of the operand after it, if that has a name.
    pub fn name(&self, g: &mut Graph, node: NodeId, what: &str) {
        let name = g.nodes[self.exp].name.as_deref();
        if let Some(operand) = name.and_then(|name| name.strip_suffix("_exponent")) {
            let name = format!("{operand}_{what}");
            g.name(node, &name);
        }
    }
    /// The exponent field of the number with this significand: 1 for subnormals, else the field.
    pub fn effective_exp(&self, g: &mut Graph) -> NodeId {
        let bit = g.bit(self.exp, 0);
        let bit = g.or(bit, self.tiny);
        let exp = with_low_bit(g, self.exp, bit);
        self.name(g, exp, "effective_exponent");
        exp
    }
    /// The significand shifted left until its top bit is 1, and the exponent field (signed) that belongs to it.
    /// A zero stays 0, with an exponent that means nothing.
    pub fn normalised(&self, g: &mut Graph) -> (NodeId, NodeId) {
        let significand = self.significand(g);
        let exp = self.effective_exp(g);
        let significand = Grouped::new(g, significand);
        normalised(g, significand, exp)
    }
    /// Infinity or NaN.
    pub fn is_special(&self, g: &mut Graph) -> NodeId {
        let special = all(g, self.exp);
        self.name(g, special, "is_special");
        special
    }
}

/// A significand shifted left until its top bit is 1, and the sum `exp` less the distance.
pub(super) fn normalised(g: &mut Graph, significand: Grouped, exp: NodeId) -> (NodeId, NodeId) {
    let levels = bit_length(g.width(significand.value) - 1);
    let (normal, zeros) = normalise(g, significand, levels, None);
    g.name(normal, "normalised");
    let zeros = zeros.expect("a significand has at least two bits");
    (normal, g.sub(exp, zeros))
}

/// `value` with bit 0 replaced; `value` has at least 2 bits.
pub(super) fn with_low_bit(g: &mut Graph, value: NodeId, bit: NodeId) -> NodeId {
    let width = g.width(value);
    let rest = g.extract(value, 1, width - 1);
    g.concat(&[rest, bit])
}
