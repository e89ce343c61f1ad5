//! Bit-level building blocks of the float operators, cut into levels that a scheduler can separate.
//!
//! Shifters and the normaliser are made of one mux level per bit of the amount, largest distance first:
//! on 4-input LUTs the bits that a level can only clear merge with the next level.

use crate::hwarith::graph::{Graph, NodeId, Op, Predicate};
use crate::hwarith::types::HwType;

/// Bits needed to write `value` in binary, 0 for 0.
pub(super) fn bit_length(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

/// The `count` low bits.
pub(super) fn low(g: &mut Graph, value: NodeId, count: u32) -> NodeId {
    if g.ty(value) == HwType::ui(count) {
        value
    } else {
        g.extract(value, 0, count)
    }
}

/// The `count` high bits.
pub(super) fn high(g: &mut Graph, value: NodeId, count: u32) -> NodeId {
    let width = g.width(value);
    if count == width {
        low(g, value, count)
    } else {
        g.extract(value, width - count, count)
    }
}

/// Zero of `count` bits.
pub(super) fn zeros(g: &mut Graph, count: u32) -> NodeId {
    let zero = g.constant(0);
    g.cast(zero, HwType::ui(count))
}

/// `value` with `count` zeros below it.
pub(super) fn pad_low(g: &mut Graph, value: NodeId, count: u32) -> NodeId {
    if count == 0 {
        return value;
    }
    let zero = zeros(g, count);
    g.concat(&[value, zero])
}

/// Whether any bit is set.
pub(super) fn any(g: &mut Graph, value: NodeId) -> NodeId {
    if g.width(value) == 1 {
        return value;
    }
    let zero = g.constant(0);
    g.icmp(Predicate::Ne, value, zero)
}

/// Whether no bit is set.
pub(super) fn none(g: &mut Graph, value: NodeId) -> NodeId {
    let zero = g.constant(0);
    g.icmp(Predicate::Eq, value, zero)
}

/// Whether every bit of an unsigned value is set.
pub(super) fn all(g: &mut Graph, value: NodeId) -> NodeId {
    let ones = g.ty(value).max();
    let ones = g.constant(ones);
    g.icmp(Predicate::Eq, value, ones)
}

/// `count` copies of a bit.
pub(super) fn repeat(g: &mut Graph, bit: NodeId, count: u32) -> NodeId {
    if count == 1 {
        return bit;
    }
    g.concat(&vec![bit; count as usize])
}

/// `value` if the bit is 1, else 0.
pub(super) fn gate(g: &mut Graph, value: NodeId, enable: NodeId) -> NodeId {
    let width = g.width(value);
    let mask = repeat(g, enable, width);
    g.and(value, mask)
}

/// `a & !b` of two single bits.
pub(super) fn and_not(g: &mut Graph, a: NodeId, b: NodeId) -> NodeId {
    let b = g.not(b);
    g.and(a, b)
}

/// The low `width` bits of `a - b`.
pub(super) fn sub_low(g: &mut Graph, a: NodeId, b: NodeId, width: u32) -> NodeId {
    let difference = g.sub(a, b);
    low(g, difference, width)
}

/// `value` in exactly `width` bits: zeros below if it is narrower, else the high `width - 1` bits and
/// whether any of the others is set ("sticky").
pub(super) fn resize_sticky(g: &mut Graph, value: NodeId, width: u32) -> NodeId {
    let excess = g.width(value) as i64 - i64::from(width);
    if excess <= 0 {
        return pad_low(g, value, (-excess) as u32);
    }
    jam(g, value, excess as u32)
}

/// `value` shifted right by a constant and narrowed by as much, bit 0 collecting what falls out.
fn jam(g: &mut Graph, value: NodeId, distance: u32) -> NodeId {
    let width = g.width(value);
    if distance == 0 {
        return value;
    }
    if distance + 1 >= width {
        return any(g, value);
    }
    let kept = high(g, value, width - distance - 1);
    let lost = low(g, value, distance + 1);
    let sticky = any(g, lost);
    g.concat(&[kept, sticky])
}

/// An amount brought to `bits` bits: all ones if it does not fit.
pub(super) fn saturate(g: &mut Graph, amount: NodeId, bits: u32) -> NodeId {
    let width = g.width(amount);
    if width <= bits {
        return amount;
    }
    let over = high(g, amount, width - bits);
    let over = any(g, over);
    g.name(over, "is_beyond");
    let amount = low(g, amount, bits);
    let mask = repeat(g, over, bits);
    let saturated = g.or(amount, mask);
    g.name(saturated, "saturated");
    saturated
}

/// Names a value; if it is the low bits of another one, that one too, which may have no more bits that anything reads.
pub(super) fn name_low(g: &mut Graph, value: NodeId, name: &str) {
    g.name(value, name);
    if matches!(g.nodes[value].op, Op::Extract { lo: 0 }) {
        let whole = g.nodes[value].args[0];
        g.name(whole, name);
    }
}

/// Names what a level of a shifter makes; the last one makes the result, which the caller names.
fn name_level(g: &mut Graph, value: NodeId, side: &str, level: u32) {
    if level > 0 {
        g.name(value, &format!("{side}_{}", 1u64 << level));
    }
}

/// `value >> amount` in the width of `value`, bit 0 collecting the bits that fall out.
pub(super) fn shift_right_sticky(g: &mut Graph, value: NodeId, amount: NodeId) -> NodeId {
    let width = g.width(value);
    let amount = saturate(g, amount, bit_length(width - 1));
    (0..g.width(amount)).rev().fold(value, |value, level| {
        let shifted = jam(g, value, 1 << level);
        g.name(shifted, &format!("by_{}", 1u64 << level));
        let bit = g.bit(amount, level);
        let value = g.mux(bit, shifted, value);
        name_level(g, value, "right", level);
        value
    })
}

/// `value >> amount` in the width of `value`, and whether any bit fell out. `over`: whether all do, whatever the amount, and
/// whether there are any.
pub(super) fn shift_right_lost(
    g: &mut Graph,
    value: NodeId,
    amount: NodeId,
    over: Option<(NodeId, NodeId)>,
) -> (NodeId, NodeId) {
    let width = g.width(value);
    let levels = g.width(amount);
    let mut lost: Vec<NodeId> = over.iter().map(|&(over, some)| g.and(over, some)).collect();
    let mut value = value;
    for level in (0..levels).rev() {
        let bit = g.bit(amount, level);
        let distance = 1 << level;
        let out = low(g, value, width.min(distance));
        let out = any(g, out);
        lost.push(g.and(out, bit));
        let shifted = shift_right_const(g, value, distance);
        value = g.mux(bit, shifted, value);
        name_level(g, value, "right", level);
        // One table with the second of the levels: known as late as the first one is done.
        if let Some((over, _)) = over.filter(|_| level == levels.saturating_sub(2)) {
            let keep = g.not(over);
            value = gate(g, value, keep);
        }
    }
    let lost = lost.into_iter().reduce(|all, one| g.or(all, one));
    let lost = lost.unwrap_or_else(|| g.constant(0));
    (value, lost)
}

/// `value` shifted right by a constant and narrowed by as much.
fn shift_right_const(g: &mut Graph, value: NodeId, distance: u32) -> NodeId {
    match g.width(value).checked_sub(distance) {
        None | Some(0) => g.constant(0),
        Some(kept) => high(g, value, kept),
    }
}

/// `value >> amount` in the width of `value`; every bit of the amount counts.
pub(super) fn shift_right(g: &mut Graph, value: NodeId, amount: NodeId) -> NodeId {
    (0..g.width(amount)).rev().fold(value, |value, level| {
        let shifted = shift_right_const(g, value, 1 << level);
        let bit = g.bit(amount, level);
        g.mux(bit, shifted, value)
    })
}

/// `value << amount` in the width of `value`.
pub(super) fn shift_left(g: &mut Graph, value: NodeId, amount: NodeId) -> NodeId {
    (0..g.width(amount)).rev().fold(value, |value, level| {
        let shifted = shift_left_const(g, value, 1 << level);
        let bit = g.bit(amount, level);
        g.mux(bit, shifted, value)
    })
}

/// `value` shifted left by a constant within its width.
fn shift_left_const(g: &mut Graph, value: NodeId, distance: u32) -> NodeId {
    let width = g.width(value);
    if distance >= width {
        return zeros(g, width);
    }
    let kept = low(g, value, width - distance);
    pad_low(g, kept, distance)
}

/// A value with a summary of which of its groups of four bits, from the top, are nonzero.
#[derive(Clone, Copy)]
pub(super) struct Grouped {
    /// The value.
    pub value: NodeId,
    /// One bit per group, the highest group on top.
    groups: NodeId,
    /// Whether so many of the top bits are zero, where that was computed apart.
    top: Option<(u32, NodeId)>,
}

/// Bits of a group: what one LUT can test.
const GROUP: u32 = 4;

impl Grouped {
    /// Computes the summary.
    pub fn new(g: &mut Graph, value: NodeId) -> Grouped {
        let width = g.width(value);
        let groups: Vec<NodeId> = (0..width)
            .step_by(GROUP as usize)
            .map(|above| {
                let count = GROUP.min(width - above);
                let group = g.extract(value, width - above - count, count);
                let nonzero = any(g, group);
                g.name(nonzero, &format!("nonzero_{}", width - above - count));
                nonzero
            })
            .collect();
        let groups = g.concat(&groups);
        g.name(groups, "nonzero_groups");
        Grouped {
            value,
            groups,
            top: None,
        }
    }

    /// One of two values as wide, the first where `cond` is 1. Both are summed up and tested as [`normalise`] begins, before
    /// it is known which one it is.
    pub fn chosen(g: &mut Graph, cond: NodeId, values: [NodeId; 2]) -> Grouped {
        let first = 1 << (bit_length(g.width(values[0]) - 1) - 1);
        let both = values.map(|value| Grouped::new(g, value));
        let tops = both.map(|one| one.top_is_zero(g, first));
        let mut choose = |[one, other]: [NodeId; 2]| g.mux(cond, one, other);
        let groups = choose(both.map(|one| one.groups));
        Grouped {
            value: choose(values),
            groups,
            top: Some((first, choose(tops))),
        }
    }

    /// Whether the value is zero.
    pub fn is_zero(self, g: &mut Graph) -> NodeId {
        none(g, self.groups)
    }

    /// Whether the `count` top bits, a power of two, are zero.
    fn top_is_zero(self, g: &mut Graph, count: u32) -> NodeId {
        if let Some((_, top)) = self.top.filter(|(known, _)| *known == count) {
            return top;
        }
        let source = if count >= GROUP {
            let groups = (count / GROUP).min(g.width(self.groups));
            high(g, self.groups, groups)
        } else {
            high(g, self.value, count)
        };
        none(g, source)
    }

    /// Shifts left by a power of two if `shift` is 1. Half as many top bits, which the next level tests, are tested on both sides
    /// before it is known which one it is.
    fn shift_left_if(self, g: &mut Graph, shift: NodeId, distance: u32) -> Grouped {
        let value = shift_left_const(g, self.value, distance);
        // Below a group's width the summary is not looked at any more.
        let groups = match distance >= GROUP {
            true => shift_left_const(g, self.groups, distance / GROUP),
            false => self.groups,
        };
        let moved = Grouped {
            value,
            groups,
            top: None,
        };
        let next = distance / 2;
        let top = (next > 0).then(|| {
            let [moved, stayed] = [moved, self].map(|side| side.top_is_zero(g, next));
            (next, g.mux(shift, moved, stayed))
        });
        let groups = match distance >= GROUP {
            true => g.mux(shift, groups, self.groups),
            false => groups,
        };
        g.name(groups, &format!("groups_left_{distance}"));
        Grouped {
            value: g.mux(shift, value, self.value),
            groups,
            top,
        }
    }
}

/// Shifts left until the top bit is 1, by at most `2^levels - 1` and, if given, at most `limit`.
/// Returns the shifted value and the amount, of `levels` bits.
///
/// Leading-zero count and shift are one: each level tests the top bits and moves them. The limit is
/// honoured without a subtraction: as long as the amount so far equals the limit's high bits (`!free`), a
/// level may shift only if the limit has that bit; once it is smaller, anything goes.
pub(super) fn normalise(
    g: &mut Graph,
    value: Grouped,
    levels: u32,
    limit: Option<NodeId>,
) -> (NodeId, Option<NodeId>) {
    let mut limiter = limit.map(|limit| Limiter::new(g, limit, levels));
    let mut value = value;
    let mut amount = Vec::new();
    for level in (0..levels).rev() {
        let wanted = value.top_is_zero(g, 1 << level);
        let shift = match &mut limiter {
            Some(limiter) => limiter.admit(g, wanted, level),
            None => wanted,
        };
        value = value.shift_left_if(g, shift, 1 << level);
        g.name(shift, &format!("is_left_{}", 1u64 << level));
        name_level(g, value.value, "left", level);
        amount.push(shift);
    }
    let amount = (!amount.is_empty()).then(|| g.concat(&amount));
    if let Some(amount) = amount {
        g.name(amount, "leading_zeros");
    }
    (value.value, amount)
}

/// Keeps an amount that is built from its top bit down from passing a limit.
struct Limiter {
    limit: NodeId,
    /// The amount is already below the limit, whatever bits follow.
    free: Option<NodeId>,
}

impl Limiter {
    fn new(g: &mut Graph, limit: NodeId, levels: u32) -> Limiter {
        let width = g.width(limit);
        let free = (width > levels).then(|| {
            let over = high(g, limit, width - levels);
            let free = any(g, over);
            g.name(free, "has_room");
            free
        });
        Limiter { limit, free }
    }

    /// The amount's bit `level`, given whether it is wanted.
    fn admit(&mut self, g: &mut Graph, wanted: NodeId, level: u32) -> NodeId {
        let bit = (level < g.width(self.limit)).then(|| g.bit(self.limit, level));
        let allowed = match (self.free, bit) {
            (Some(free), Some(bit)) => g.or(free, bit),
            (Some(either), None) | (None, Some(either)) => either,
            (None, None) => g.constant(0),
        };
        let shift = g.and(wanted, allowed);
        self.free = bit
            .map(|bit| {
                let spared = and_not(g, bit, shift);
                match self.free {
                    Some(free) => g.or(free, spared),
                    None => spared,
                }
            })
            .or(self.free);
        if let Some(free) = self.free {
            g.name(free, "has_room");
        }
        shift
    }
}

/// Shifts left by the leading zeros of `until`, a value as wide. Returns the shifted value and the amount; what a value without
/// any bit is shifted by means nothing.
///
/// The zeros are counted in groups of four bits: while the values move by whole groups, so does the count within each group.
pub(super) fn normalise_by(g: &mut Graph, value: NodeId, until: NodeId) -> (NodeId, NodeId) {
    let width = g.width(until);
    let filled = pad_low(g, until, width.next_multiple_of(GROUP) - width);
    let groups = g.width(filled) / GROUP;
    let [mut some, mut two, mut one] = group_counts(g, filled);
    let mut value = value;
    let mut amount = Vec::new();
    let starts_empty = |g: &mut Graph, some: NodeId, count: u32| {
        let above = high(g, some, count);
        none(g, above)
    };
    let mut next = None;
    for level in (0..bit_length(groups - 1)).rev() {
        let distance = 1 << level;
        let shift = next.unwrap_or_else(|| starts_empty(g, some, distance));
        // What comes next is known of both sides before it is known which one it is.
        next = (level > 0).then(|| {
            let moved = shift_left_const(g, some, distance);
            let [moved, stayed] = [moved, some].map(|some| starts_empty(g, some, distance / 2));
            g.mux(shift, moved, stayed)
        });
        [some, two, one] = [some, two, one].map(|summary| {
            let shifted = shift_left_const(g, summary, distance);
            g.mux(shift, shifted, summary)
        });
        let shifted = shift_left_const(g, value, GROUP * distance);
        value = g.mux(shift, shifted, value);
        amount.push(shift);
    }
    for (count, distance) in [(two, 2), (one, 1)] {
        let shift = high(g, count, 1);
        let shifted = shift_left_const(g, value, distance);
        value = g.mux(shift, shifted, value);
        amount.push(shift);
    }
    (value, g.concat(&amount))
}

/// For each group of four bits: whether one is set, and the two bits of the number of leading zeros.
fn group_counts(g: &mut Graph, value: NodeId) -> [NodeId; 3] {
    let groups = g.width(value) / GROUP;
    let mut counts = [Vec::new(), Vec::new(), Vec::new()];
    for group in (0..groups).rev() {
        let bits = g.extract(value, group * GROUP, GROUP);
        let [second, third, fourth] = [1, 2, 3].map(|place| g.bit(bits, place));
        counts[0].push(any(g, bits));
        let upper = g.or(fourth, third);
        counts[1].push(g.not(upper));
        let second = g.not(second);
        let below = g.or(third, second);
        counts[2].push(and_not(g, below, fourth));
    }
    counts.map(|bits| g.concat(&bits))
}
