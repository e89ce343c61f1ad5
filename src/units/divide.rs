//! Division by digit recurrence: the unsigned recurrence as iterated steps, which float division uses too, and on it the
//! integer quotients and remainders of the language.
//!
//! Restoring division, radix 2 (Ercegovac and Lang, Digital Arithmetic, 2004, section 1.6; Parhami, Computer Arithmetic,
//! section 13.1): a step takes the next bit of the dividend into the partial remainder, subtracts the divisor, and keeps the
//! difference unless it is negative. On 4-input LUTs a carry bit and a LUT for each bit of the remainder. Non-restoring
//! division needs as many (one of them is the exclusive or before an adder-subtracter) and then corrects the remainder;
//! radix 4 has five in place of four for two bits of the quotient.

use crate::hwarith::graph::{Graph, NodeId, Predicate};
use crate::hwarith::types::HwType;

/// Quotient (`ui<steps>`) and remainder (as wide as the divisor) of the dividend `partial * 2^steps + low` by `divisor`.
///
/// All are unsigned. `partial < divisor`; `low` has `steps` bits and is 0 if not given. For a divisor of 0 the quotient is
/// all ones, the remainder the low bits of the dividend.
pub fn recurrence(
    g: &mut Graph,
    partial: NodeId,
    low: Option<NodeId>,
    divisor: NodeId,
    steps: u32,
) -> (NodeId, NodeId) {
    let width = g.width(divisor);
    let partial = g.cast(partial, HwType::ui(width));
    let low = low.unwrap_or_else(|| g.constant(0));
    let low = g.cast(low, HwType::ui(steps));
    let state = g.concat(&[partial, low]);
    let end = g.iterate(step(width, steps), steps, &[state, divisor]);
    let quotient = g.extract(end, 0, steps);
    let remainder = g.extract(end, steps, width);
    (quotient, remainder)
}

/// One bit of the quotient. The state is a partial remainder of `width` bits above `low` bits, where bits of the dividend
/// leave at the top and bits of the quotient enter at the bottom.
fn step(width: u32, low: u32) -> Graph {
    let mut g = Graph::new();
    let state = g.input(0, HwType::ui(width + low));
    let divisor = g.input(1, HwType::ui(width));
    let shifted = g.extract(state, low - 1, width + 1);
    let difference = g.sub(shifted, divisor);
    let less = g.bit(difference, width + 1);
    let kept = g.mux(less, shifted, difference);
    let mut parts = vec![g.extract(kept, 0, width)];
    if low > 1 {
        parts.push(g.extract(state, 0, low - 1));
    }
    parts.push(g.not(less));
    let next = g.concat(&parts);
    g.outputs.push(next);
    g
}

/// Quotient (as wide as the numerator) and remainder (as wide as the denominator, or the numerator if that has fewer bits) of
/// unsigned numbers. For a denominator of 0 the quotient is all ones, the remainder the low bits of the numerator.
pub fn unsigned(g: &mut Graph, numerator: NodeId, denominator: NodeId) -> (NodeId, NodeId) {
    let steps = g.width(numerator);
    let divisor = saturated(g, denominator, steps + 1);
    let zero = g.constant(0);
    let (quotient, remainder) = recurrence(g, zero, Some(numerator), divisor, steps);
    let width = g.width(remainder).min(steps);
    (quotient, g.extract(remainder, 0, width))
}

/// A denominator of at most `width` bits that gives the same for numerators of fewer bits: above them, one bit says whether
/// it is larger than any of them.
fn saturated(g: &mut Graph, denominator: NodeId, width: u32) -> NodeId {
    let have = g.width(denominator);
    if have <= width {
        return denominator;
    }
    let low = g.extract(denominator, 0, width - 1);
    let high = g.extract(denominator, width - 1, have - width + 1);
    let zero = g.constant(0);
    let large = g.icmp(Predicate::Ne, high, zero);
    g.concat(&[large, low])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hwarith::builder::rebuild;
    use crate::hwarith::eval::eval;
    use crate::hwarith::iterate::{rolled, unrolled};
    use crate::hwarith::testing::Random;
    use num_bigint::BigInt;
    use num_integer::Integer;
    use num_traits::Zero;

    fn unsigned_graph(n: u32, d: u32) -> Graph {
        let mut g = Graph::new();
        let (a, b) = (g.input(0, HwType::ui(n)), g.input(1, HwType::ui(d)));
        let (quotient, remainder) = unsigned(&mut g, a, b);
        g.outputs = vec![quotient, remainder];
        g.validate().expect("valid");
        g
    }

    fn quotient_and_remainder(a: &BigInt, b: &BigInt, n: u32, d: u32) -> Vec<BigInt> {
        if b.is_zero() {
            vec![HwType::ui(n).max(), HwType::ui(n.min(d)).wrap(a)]
        } else {
            let (q, r) = a.div_rem(b);
            vec![q, r]
        }
    }

    #[test]
    fn unsigned_division_of_all_pairs() {
        for n in 1..=6 {
            for d in 1..=6 {
                let graph = unsigned_graph(n, d);
                let variants = [
                    rebuild(&graph),
                    unrolled(&graph),
                    rolled(&graph, |_, _| 2),
                    graph,
                ];
                for variant in &variants {
                    variant.validate().expect("valid");
                }
                for a in 0..1 << n {
                    for b in 0..1 << d {
                        let inputs = [BigInt::from(a), BigInt::from(b)];
                        let wanted = quotient_and_remainder(&inputs[0], &inputs[1], n, d);
                        for variant in &variants {
                            assert_eq!(eval(variant, &inputs), wanted, "{a} / {b} ({n}, {d})");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn unsigned_division_of_wide_numbers() {
        let mut random = Random::new(1);
        for (n, d) in [
            (64, 64),
            (300, 120),
            (90, 300),
            (300, 1),
            (1, 300),
            (33, 32),
        ] {
            let graph = unsigned_graph(n, d);
            let expanded = unrolled(&graph);
            for _ in 0..40 {
                let (a, b) = (
                    random.value(HwType::ui(n)),
                    random.value(HwType::ui(d)) >> random.below(d),
                );
                let wanted = quotient_and_remainder(&a, &b, n, d);
                let inputs = [a, b];
                assert_eq!(eval(&graph, &inputs), wanted, "{inputs:?}");
                assert_eq!(eval(&expanded, &inputs), wanted, "{inputs:?}");
            }
        }
    }

    /// As a divider of significands uses it: `x / y` in [1/2, 1) to so many bits, with the rest.
    #[test]
    fn the_recurrence_starts_with_a_partial_remainder() {
        for (width, steps) in [(4u32, 7u32), (5, 5), (3, 1)] {
            let mut g = Graph::new();
            let x = g.input(0, HwType::ui(width));
            let y = g.input(1, HwType::ui(width));
            let (quotient, remainder) = recurrence(&mut g, x, None, y, steps);
            g.outputs = vec![quotient, remainder];
            let expanded = unrolled(&g);
            for y in 1..1 << width {
                for x in 0..y {
                    let scaled: BigInt = BigInt::from(x) << steps;
                    let (q, r) = scaled.div_rem(&BigInt::from(y));
                    let inputs = [BigInt::from(x), BigInt::from(y)];
                    assert_eq!(eval(&g, &inputs), [q.clone(), r.clone()], "{x} / {y}");
                    assert_eq!(eval(&expanded, &inputs), [q, r], "{x} / {y}");
                }
            }
        }
    }
}
