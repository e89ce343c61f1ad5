//! Comparisons, minimum and maximum: one integer comparison of the bit patterns, corrected for signs.
//!
//! IEEE 754-2019, sections 5.11 (comparison predicates) and 9.6 (minimum and maximum: `Min`/`Max` are
//! minimumNumber and maximumNumber, `MinNan`/`MaxNan` are minimum and maximum). As signed integers, bit
//! patterns are in the order of their values, except that two negative ones are in reverse.

use super::bits::{and_not, gate, low, none};
use super::finish::finish;
use super::unpack::{input, is_nan};
use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;
use crate::ir::{BinaryOp, CompareOp, FloatFormat};

/// `a op b` of two bit patterns `ui<width>`; the output is `ui1`.
pub fn compare(format: FloatFormat, op: CompareOp) -> Graph {
    let mut g = Graph::new();
    let (a, b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let plan = Plan::of(op);
    let (nan_a, nan_b) = (is_nan(&mut g, format, a), is_nan(&mut g, format, b));
    let unordered = g.or(nan_a, nan_b);
    let ordered = |g: &mut Graph, result| match plan.unordered {
        true => g.or(result, unordered),
        false => and_not(g, result, unordered),
    };
    let result = match (plan.less, plan.greater) {
        (false, false) => {
            let equal = is_equal(&mut g, format, a, b);
            ordered(&mut g, equal)
        }
        (true, true) => {
            let equal = is_equal(&mut g, format, a, b);
            let different = g.not(equal);
            ordered(&mut g, different)
        }
        (less, _) => {
            let (x, y) = if less { (a, b) } else { (b, a) };
            is_less(&mut g, format, (x, y), plan.equal, ordered)
        }
    };
    finish(&g, result)
}

/// The relations for which a comparison is true.
struct Plan {
    less: bool,
    equal: bool,
    greater: bool,
    unordered: bool,
}

impl Plan {
    fn of(op: CompareOp) -> Plan {
        use CompareOp::*;
        Plan {
            less: matches!(op, Ne | Lt | Le | One | Ult | Ule),
            equal: matches!(op, Eq | Le | Ge | Ueq | Ule | Uge),
            greater: matches!(op, Ne | Gt | Ge | One | Ugt | Uge),
            unordered: matches!(op, Ne | Ueq | Ult | Ule | Ugt | Uge),
        }
    }
}

/// Whether two numbers are equal: the same pattern, or both zero.
fn is_equal(g: &mut Graph, format: FloatFormat, a: NodeId, b: NodeId) -> NodeId {
    let same = g.icmp(Predicate::Eq, a, b);
    let zeros = both_zero(g, format, a, b);
    g.or(same, zeros)
}

/// Whether a number `a` is less than `b`, or equal if `or_equal`; `ordered` sees to operands that are no numbers.
fn is_less(
    g: &mut Graph,
    format: FloatFormat,
    (a, b): (NodeId, NodeId),
    or_equal: bool,
    ordered: impl Fn(&mut Graph, NodeId) -> NodeId,
) -> NodeId {
    let zeros = both_zero(g, format, a, b);
    // At most as great: not greater.
    let (a, b) = if or_equal { (b, a) } else { (a, b) };
    pattern_less(g, format, (a, b), |g, less| {
        let result = if or_equal {
            let at_most = g.not(less);
            g.or(at_most, zeros)
        } else {
            and_not(g, less, zeros)
        };
        ordered(g, result)
    })
}

fn both_zero(g: &mut Graph, format: FloatFormat, a: NodeId, b: NodeId) -> NodeId {
    let bits = g.or(a, b);
    let magnitudes = low(g, bits, format.width() - 1);
    none(g, magnitudes)
}

/// `then` of whether `a` comes before `b` in the order in which -0 is less than +0; anything beside a NaN.
///
/// With two negative operands the reverse of `a <= b` as integers, which is `2a < 2b + 1`. What follows that comparison is the
/// longest path: it chooses between what `then` makes of both outcomes.
fn pattern_less(
    g: &mut Graph,
    format: FloatFormat,
    (a, b): (NodeId, NodeId),
    then: impl Fn(&mut Graph, NodeId) -> NodeId,
) -> NodeId {
    let sign = format.width() - 1;
    let (sign_a, sign_b) = (g.bit(a, sign), g.bit(b, sign));
    let negative = g.and(sign_a, sign_b);
    let zero = g.constant(0);
    let (a, b) = (g.concat(&[a, zero]), g.concat(&[b, negative]));
    let signed = HwType::si(format.width() + 1);
    let (a, b) = (g.cast(a, signed), g.cast(b, signed));
    let less = g.icmp(Predicate::Lt, a, b);
    let reversed = g.not(negative);
    let (if_less, if_not) = (then(g, reversed), then(g, negative));
    g.mux(less, if_less, if_not)
}

/// `Min`, `Max`, `MinNan` or `MaxNan` of two bit patterns `ui<width>`.
///
/// Panics on any other operation.
pub fn min_max(format: FloatFormat, op: BinaryOp) -> Graph {
    let (smaller, nan_wins) = match op {
        BinaryOp::Min => (true, false),
        BinaryOp::Max => (false, false),
        BinaryOp::MinNan => (true, true),
        BinaryOp::MaxNan => (false, true),
        _ => panic!("{} is not a minimum or maximum", op.name()),
    };
    let mut g = Graph::new();
    let (a, b) = (input(&mut g, format, 0), input(&mut g, format, 1));
    let (nan_a, nan_b) = (is_nan(&mut g, format, a), is_nan(&mut g, format, b));
    let operands = if smaller { (a, b) } else { (b, a) };
    let take_a = pattern_less(&mut g, format, operands, |g, less| {
        if nan_wins {
            return less;
        }
        let first = g.or(less, nan_b);
        and_not(g, first, nan_a)
    });
    let nan = if nan_wins {
        g.or(nan_a, nan_b)
    } else {
        g.and(nan_a, nan_b)
    };
    let number = g.mux(take_a, a, b);
    let result = or_canonical_nan(&mut g, format, number, nan);
    finish(&g, result)
}

/// `bits`, or the canonical NaN.
pub(super) fn or_canonical_nan(
    g: &mut Graph,
    format: FloatFormat,
    bits: NodeId,
    nan: NodeId,
) -> NodeId {
    let number = g.not(nan);
    let bits = gate(g, bits, number);
    let pattern = g.constant(format.nan());
    let pattern = g.cast(pattern, HwType::ui(format.width()));
    let pattern = gate(g, pattern, nan);
    g.or(bits, pattern)
}
