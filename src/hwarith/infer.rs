//! Result type of every operation, as tables over the operands' signs.
//!
//! `add`, `sub`, `mul`, `div`, `cast`, `icmp`: CIRCT HWArith rationale, "Bit Width Rules". The other
//! operations are stated in the same form (docs/hwarith.md has all the tables).

use super::types::HwType;

/// A rule for two operands.
pub type Rule = fn(HwType, HwType) -> HwType;

/// The rules by the name of the operation, with what they say in words: what `typeof` answers from.
pub static RULES: &[(&str, Rule, &str)] = &[
    (
        "add",
        add,
        "one bit more than the wider operand, an unsigned one counting its sign bit beside a signed one",
    ),
    ("sub", sub, "as add, always signed"),
    ("mul", mul, "the sum of the widths, signed if an operand is"),
    (
        "div",
        div,
        "the dividend's width, one bit more if the divisor is signed",
    ),
    (
        "mod",
        modulo,
        "the narrower of the dividend's width and what holds a value below the divisor; the dividend's sign",
    ),
    (
        "icmp",
        |_, _| HwType::ui(1),
        "always ui1; the operands are compared in the narrowest type that holds both",
    ),
    (
        "common",
        common,
        "the narrowest type that holds both operands",
    ),
];

/// Result of `a + b`.
pub fn add(a: HwType, b: HwType) -> HwType {
    match (a.signed, b.signed) {
        (false, false) => HwType::ui(a.width.max(b.width) + 1),
        (true, true) => HwType::si(a.width.max(b.width) + 1),
        (false, true) => mixed_sum(a.width, b.width),
        (true, false) => mixed_sum(b.width, a.width),
    }
}

/// Result of `a - b`: as `a + b`, always signed.
pub fn sub(a: HwType, b: HwType) -> HwType {
    HwType::si(add(a, b).width)
}

/// Result of a sum of any number of terms: the widest one and ceil(log2 n) bits; beside a signed term an
/// unsigned one counts a bit more. Of two terms it is [`add`].
pub fn sum(terms: &[HwType]) -> HwType {
    let signed = terms.iter().any(|t| t.signed);
    let width = |t: &HwType| t.width + u32::from(signed && !t.signed);
    let widest = terms.iter().map(width).max().unwrap_or(1);
    HwType {
        signed,
        width: widest + terms.len().max(1).next_power_of_two().trailing_zeros(),
    }
}

fn mixed_sum(unsigned: u32, signed: u32) -> HwType {
    HwType::si(if unsigned >= signed {
        unsigned + 2
    } else {
        signed + 1
    })
}

/// Result of `a * b`.
pub fn mul(a: HwType, b: HwType) -> HwType {
    HwType {
        signed: a.signed || b.signed,
        width: a.width + b.width,
    }
}

/// Result of `a / b`, truncated toward zero.
pub fn div(a: HwType, b: HwType) -> HwType {
    HwType {
        signed: a.signed || b.signed,
        width: a.width + u32::from(b.signed),
    }
}

/// Result of `a % b`, with the sign of `a`; less than `b` and not above `a` in magnitude.
pub fn modulo(a: HwType, b: HwType) -> HwType {
    let magnitude = match (a.signed, b.signed) {
        (false, false) | (true, true) => b.width,
        // si<b> reaches 2^(b-1), so the remainder 2^(b-1) - 1.
        (false, true) => (b.width - 1).max(1),
        // The remainder 2^b - 2 takes a sign.
        (true, false) => b.width + 1,
    };
    HwType {
        signed: a.signed,
        width: a.width.min(magnitude),
    }
}

/// The type in which `a` and `b` are compared, merged by a mux, or combined bit by bit: the narrowest
/// that preserves both.
pub fn common(a: HwType, b: HwType) -> HwType {
    let mixed = |unsigned: u32, signed: u32| {
        HwType::si(if unsigned >= signed {
            unsigned + 1
        } else {
            signed
        })
    };
    match (a.signed, b.signed) {
        (false, false) => HwType::ui(a.width.max(b.width)),
        (true, true) => HwType::si(a.width.max(b.width)),
        (false, true) => mixed(a.width, b.width),
        (true, false) => mixed(b.width, a.width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    type Value = fn(i64, i64) -> i64;

    const fn ui(width: u32) -> HwType {
        HwType::ui(width)
    }
    const fn si(width: u32) -> HwType {
        HwType::si(width)
    }

    /// All types of 1 to `width` bits.
    fn types(width: u32) -> Vec<HwType> {
        (1..=width).flat_map(|w| [ui(w), si(w)]).collect()
    }

    fn values(ty: HwType) -> std::ops::RangeInclusive<i64> {
        let bound = |v: BigInt| i64::try_from(v).expect("small type");
        bound(ty.min())..=bound(ty.max())
    }

    /// Every pair of types up to `width` bits.
    fn pairs(width: u32) -> impl Iterator<Item = (HwType, HwType)> {
        let all = types(width);
        let other = all.clone();
        all.into_iter()
            .flat_map(move |a| other.clone().into_iter().map(move |b| (a, b)))
    }

    /// Least and greatest value of `f` over two types; a zero divisor has none.
    fn needed(a: HwType, b: HwType, f: Value, divides: bool) -> (BigInt, BigInt) {
        let results: Vec<i64> = values(a)
            .flat_map(|x| values(b).map(move |y| (x, y)))
            .filter(|&(_, y)| !divides || y != 0)
            .map(|(x, y)| f(x, y))
            .collect();
        let least = results.iter().min().copied().unwrap_or(0);
        let most = results.iter().max().copied().unwrap_or(0);
        (least.into(), most.into())
    }

    fn sound_and_minimal(rule: Rule, f: Value, divides: bool) {
        for (a, b) in pairs(6) {
            let stated = rule(a, b);
            let (least, most) = needed(a, b, f, divides);
            assert!(
                stated.contains(&least) && stated.contains(&most),
                "({a}, {b}) -> {stated} does not hold {least} ..= {most}"
            );
            if a.width > 1 && b.width > 1 {
                assert_eq!(stated, HwType::of_range(&least, &most), "({a}, {b})");
            }
        }
    }

    #[test]
    fn examples_of_the_rationale() {
        let add_like = [
            (si(3), si(3), si(4)),
            (ui(3), si(4), si(5)),
            (si(4), ui(6), si(8)),
        ];
        for (a, b, r) in add_like {
            assert_eq!(add(a, b), r, "add ({a}, {b})");
            assert_eq!(sub(a, b), r, "sub ({a}, {b})");
        }
        assert_eq!(add(ui(3), ui(4)), ui(5));
        assert_eq!(sub(ui(3), ui(4)), si(5));
        assert_eq!(mul(ui(3), ui(4)), ui(7));
        assert_eq!(mul(si(3), si(3)), si(6));
        assert_eq!(mul(si(3), ui(5)), si(8));
        assert_eq!(div(ui(3), ui(4)), ui(3));
        assert_eq!(div(si(3), si(3)), si(4));
        assert_eq!(div(ui(3), si(4)), si(4));
        assert_eq!(div(si(4), ui(6)), si(4));
        assert_eq!(common(ui(5), ui(6)), ui(6));
        assert_eq!(common(si(3), si(4)), si(4));
        assert_eq!(common(si(3), ui(6)), si(7));
        assert_eq!(common(si(3), ui(5)), si(6));
    }

    #[test]
    fn sums_hold_every_value_and_no_bit_more() {
        sound_and_minimal(add, |x, y| x + y, false);
    }

    #[test]
    fn differences_hold_every_value_and_no_bit_more() {
        sound_and_minimal(sub, |x, y| x - y, false);
    }

    #[test]
    fn products_hold_every_value_and_no_bit_more() {
        sound_and_minimal(mul, |x, y| x * y, false);
    }

    #[test]
    fn quotients_hold_every_value_and_no_bit_more() {
        sound_and_minimal(div, |x, y| x / y, true);
    }

    #[test]
    fn remainders_hold_every_value_and_no_bit_more() {
        sound_and_minimal(modulo, |x, y| x % y, true);
    }

    #[test]
    fn a_sum_of_two_terms_has_the_binary_type() {
        for (a, b) in pairs(16) {
            assert_eq!(sum(&[a, b]), add(a, b), "({a}, {b})");
        }
    }

    #[test]
    fn sums_of_many_terms_hold_every_value_and_no_bit_more_where_the_terms_are_alike() {
        for (a, b) in pairs(5) {
            for n in 1..=9usize {
                for of_a in 0..=n {
                    let terms: Vec<HwType> = (0..n).map(|i| if i < of_a { a } else { b }).collect();
                    let lo: BigInt = terms.iter().copied().map(HwType::min).sum();
                    let hi: BigInt = terms.iter().copied().map(HwType::max).sum();
                    let stated = sum(&terms);
                    assert!(stated.contains(&lo) && stated.contains(&hi), "{terms:?}");
                    if a == b && a.width > 3 {
                        assert_eq!(stated, HwType::of_range(&lo, &hi), "{terms:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_common_type_holds_both_operands_and_no_bit_more() {
        for (a, b) in pairs(6) {
            let lo = a.min().min(b.min());
            let hi = a.max().max(b.max());
            assert_eq!(common(a, b), HwType::of_range(&lo, &hi), "({a}, {b})");
        }
    }

    /// The rationale's tables, row by row, for add and icmp: `(U)` and `(S)` take the wider operand and
    /// `extra` bits, `(M)` has a bit more for the sign where the unsigned operand is at least as wide.
    fn table(a: HwType, b: HwType, extra: u32) -> HwType {
        let mixed = |u: u32, s: u32| si(if u >= s { u + 1 + extra } else { s + extra });
        match (a.signed, b.signed) {
            (false, false) => ui(a.width.max(b.width) + extra),
            (true, true) => si(a.width.max(b.width) + extra),
            (false, true) => mixed(a.width, b.width),
            (true, false) => mixed(b.width, a.width),
        }
    }

    #[test]
    fn formulas_of_the_tables_to_16_bits() {
        for (a, b) in pairs(16) {
            assert_eq!(add(a, b), table(a, b, 1), "add ({a}, {b})");
            assert_eq!(sub(a, b), si(table(a, b, 1).width), "sub ({a}, {b})");
            assert_eq!(common(a, b), table(a, b, 0), "icmp ({a}, {b})");
            let signed = a.signed || b.signed;
            let of = |width| HwType { signed, width };
            assert_eq!(mul(a, b), of(a.width + b.width), "mul ({a}, {b})");
            let quotient = match (a.signed, b.signed) {
                (false, false) | (true, false) => a.width,
                (true, true) | (false, true) => a.width + 1,
            };
            assert_eq!(div(a, b), of(quotient), "div ({a}, {b})");
            let remainder = match (a.signed, b.signed) {
                (false, false) => ui(a.width.min(b.width)),
                (true, true) => si(a.width.min(b.width)),
                (false, true) if b.width == 1 => ui(1),
                (false, true) => ui(a.width.min(b.width - 1)),
                (true, false) => si(a.width.min(b.width + 1)),
            };
            assert_eq!(modulo(a, b), remainder, "mod ({a}, {b})");
        }
    }
}
