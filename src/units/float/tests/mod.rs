//! Every operator against exact arithmetic and against `rustc_apfloat`.

mod double_path;
mod fused;
mod oracle;
mod recurrences;
mod storage;

use super::*;
use crate::hwarith::builder::rebuild;
use crate::hwarith::fast::Fast;
use crate::hwarith::graph::{Graph, Op};
use crate::hwarith::iterate::unrolled;
use crate::hwarith::types::HwType;
use crate::ir::{BinaryOp, CompareOp, FloatFormat, Rounding};
use crate::sim::operands::{Random, corners, operand, pairs};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rustc_apfloat::{Float, ieee};
use std::cmp::Ordering;

const IEEE: [FloatFormat; 4] = [
    FloatFormat::F16,
    FloatFormat::BF16,
    FloatFormat::F32,
    FloatFormat::F64,
];

/// IEEE binary128, the widest format.
const QUAD: FloatFormat = FloatFormat { exp: 15, frac: 112 };

const COMPARES: [CompareOp; 12] = [
    CompareOp::Eq,
    CompareOp::Ne,
    CompareOp::Lt,
    CompareOp::Le,
    CompareOp::Gt,
    CompareOp::Ge,
    CompareOp::Ueq,
    CompareOp::One,
    CompareOp::Ult,
    CompareOp::Ule,
    CompareOp::Ugt,
    CompareOp::Uge,
];

const MIN_MAX: [(BinaryOp, bool, bool); 4] = [
    (BinaryOp::Min, true, false),
    (BinaryOp::Max, false, false),
    (BinaryOp::MinNan, true, true),
    (BinaryOp::MaxNan, false, true),
];

/// Small enough for all pairs; the last ones have fewer binades than fraction bits.
fn tiny_formats() -> Vec<FloatFormat> {
    [
        (2, 1),
        (3, 1),
        (3, 2),
        (4, 2),
        (5, 2),
        (4, 3),
        (2, 4),
        (2, 5),
        (3, 4),
    ]
    .map(|(exp, frac)| FloatFormat { exp, frac })
    .to_vec()
}

/// Runs a graph on every input; every so often on the reference evaluator as well.
fn check(
    what: &str,
    graph: &Graph,
    inputs: impl IntoIterator<Item = Vec<u128>>,
    expected: impl Fn(&[u128]) -> u128,
) {
    graph.validate().unwrap_or_else(|e| panic!("{what}: {e}"));
    let inputs: Vec<Vec<u128>> = inputs.into_iter().collect();
    let expanded = (!graph.steps.is_empty()).then(|| {
        let expanded = unrolled(graph);
        super::finish::finish(&expanded, expanded.outputs[0])
    });
    let mut fast = Fast::new(expanded.as_ref().unwrap_or(graph));
    for (block, inputs) in inputs.chunks(1024).enumerate() {
        let views: Vec<&[u128]> = inputs.iter().map(Vec::as_slice).collect();
        let got = match &mut fast {
            Some(fast) => fast.eval(&views),
            None => views.iter().map(|input| slow(graph, input)).collect(),
        };
        for (i, (input, got)) in inputs.iter().zip(got).enumerate() {
            let want = expected(input);
            assert_eq!(got, want, "{what} of {input:x?}: {got:#x}, not {want:#x}");
            // The evaluator that defines the operations, now and then.
            if (block + i) % 256 == 0 && fast.is_some() {
                assert_eq!(slow(graph, input), want, "{what} of {input:x?}, slow");
            }
        }
    }
}

/// The one output, by the reference evaluator.
fn slow(graph: &Graph, inputs: &[u128]) -> u128 {
    let inputs: Vec<BigInt> = inputs.iter().map(|&i| BigInt::from(i)).collect();
    let output = &crate::hwarith::eval::eval(graph, &inputs)[0];
    output.to_u128().expect("outputs are unsigned")
}

fn all_pairs(format: FloatFormat) -> impl Iterator<Item = Vec<u128>> {
    let count = 1u128 << format.width();
    (0..count * count).map(move |i| vec![i / count, i % count])
}

/// 46,000 pairs and more: corners against corners, and interacting random ones.
fn many_pairs(format: FloatFormat, seed: u64) -> impl Iterator<Item = Vec<u128>> {
    let corners = corners(format);
    let count = 48_000usize.saturating_sub(corners.len() * corners.len());
    let crossed: Vec<Vec<u128>> = corners
        .iter()
        .flat_map(|&a| corners.iter().map(move |&b| vec![a, b]))
        .collect();
    let random = pairs(format, count.max(16_000), seed);
    crossed
        .into_iter()
        .chain(random.into_iter().map(|(a, b)| vec![a, b]))
}

/// All patterns if there are at most 2^16, else corners and random ones.
fn many_values(format: FloatFormat, seed: u64) -> Vec<u128> {
    if format.width() <= 16 {
        return (0..1 << format.width()).collect();
    }
    let mut random = Random::new(seed);
    let mut values = corners(format);
    values.extend((0..46_000).map(|_| operand(format, &mut random)));
    values
}

/// A binary operation by `rustc_apfloat`, on bit patterns.
fn apfloat(format: FloatFormat, op: &str, a: u128, b: u128) -> u128 {
    fn go<F: Float>(op: &str, a: u128, b: u128) -> Option<u128> {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        let value = match op {
            "add" => (a + b).value,
            "mul" => (a * b).value,
            _ => unreachable!(),
        };
        (!value.is_nan()).then(|| value.to_bits())
    }
    let result = match format {
        FloatFormat::F16 => go::<ieee::Half>(op, a, b),
        FloatFormat::BF16 => go::<ieee::BFloat>(op, a, b),
        FloatFormat::F32 => go::<ieee::Single>(op, a, b),
        FloatFormat::F64 => go::<ieee::Double>(op, a, b),
        QUAD => go::<ieee::Quad>(op, a, b),
        _ => unreachable!(),
    };
    result.unwrap_or_else(|| oracle::nan(format))
}

/// What a comparison should give.
fn holds(op: CompareOp, order: Option<Ordering>) -> bool {
    use CompareOp::*;
    let Some(order) = order else {
        return matches!(op, Ne | Ueq | Ult | Ule | Ugt | Uge);
    };
    match op {
        Eq | Ueq => order.is_eq(),
        Ne | One => order.is_ne(),
        Lt | Ult => order.is_lt(),
        Le | Ule => order.is_le(),
        Gt | Ugt => order.is_gt(),
        Ge | Uge => order.is_ge(),
    }
}

#[test]
fn add_all_pairs_of_tiny_formats() {
    for f in tiny_formats() {
        let what = format!("add {f}");
        check(&what, &add(f), all_pairs(f), |x| oracle::add(f, x[0], x[1]));
    }
}

#[test]
fn mul_all_pairs_of_tiny_formats() {
    for f in tiny_formats() {
        let what = format!("mul {f}");
        for graph in [mul(f), mul_late(f)] {
            check(&what, &graph, all_pairs(f), |x| oracle::mul(f, x[0], x[1]));
        }
    }
}

#[test]
fn add_of_ieee_formats() {
    for f in IEEE {
        let what = format!("add {f}");
        check(&what, &add(f), many_pairs(f, 1), |x| {
            apfloat(f, "add", x[0], x[1])
        });
    }
}

#[test]
fn mul_of_ieee_formats() {
    for f in IEEE {
        let what = format!("mul {f}");
        for graph in [mul(f), mul_late(f)] {
            check(&what, &graph, many_pairs(f, 2), |x| {
                apfloat(f, "mul", x[0], x[1])
            });
        }
    }
}

#[test]
fn exact_oracle_agrees_with_apfloat() {
    for f in IEEE {
        for (a, b) in pairs(f, 2_000, 3) {
            assert_eq!(oracle::add(f, a, b), apfloat(f, "add", a, b));
            assert_eq!(oracle::mul(f, a, b), apfloat(f, "mul", a, b));
        }
    }
}

#[test]
fn odd_formats() {
    for (exp, frac) in [(9, 14), (6, 9), (3, 20), (2, 30), (15, 5), (4, 40), (11, 1)] {
        let f = FloatFormat { exp, frac };
        let some = || pairs(f, 4_000, 4).into_iter().map(|(a, b)| vec![a, b]);
        check(&format!("add {f}"), &add(f), some(), |x| {
            oracle::add(f, x[0], x[1])
        });
        for graph in [mul(f), mul_late(f)] {
            check(&format!("mul {f}"), &graph, some(), |x| {
                oracle::mul(f, x[0], x[1])
            });
        }
    }
}

#[test]
fn compare_all_pairs_of_tiny_formats() {
    for f in [(3, 2), (2, 3), (5, 2)].map(|(exp, frac)| FloatFormat { exp, frac }) {
        for op in COMPARES {
            let what = format!("{} {f}", op.name());
            check(&what, &compare(f, op), all_pairs(f), |x| {
                u128::from(holds(op, oracle::order(f, x[0], x[1])))
            });
        }
    }
}

#[test]
fn compare_of_ieee_formats() {
    for f in IEEE {
        for op in COMPARES {
            let what = format!("{} {f}", op.name());
            let inputs = many_pairs(f, 5).chain(corners(f).into_iter().map(|a| vec![a, a]));
            check(&what, &compare(f, op), inputs, |x| {
                u128::from(holds(op, native_order(f, x[0], x[1])))
            });
        }
    }
}

/// Order by `rustc_apfloat`.
fn native_order(format: FloatFormat, a: u128, b: u128) -> Option<Ordering> {
    fn go<F: Float>(a: u128, b: u128) -> Option<Ordering> {
        F::from_bits(a).partial_cmp(&F::from_bits(b))
    }
    match format {
        FloatFormat::F16 => go::<ieee::Half>(a, b),
        FloatFormat::BF16 => go::<ieee::BFloat>(a, b),
        FloatFormat::F32 => go::<ieee::Single>(a, b),
        _ => go::<ieee::Double>(a, b),
    }
}

#[test]
fn min_max_all_pairs_and_ieee() {
    let tiny = [(3, 2), (2, 3), (5, 2)].map(|(exp, frac)| FloatFormat { exp, frac });
    for (op, smaller, nan_wins) in MIN_MAX {
        for f in tiny {
            check(op.name(), &min_max(f, op), all_pairs(f), |x| {
                oracle::min_max(f, smaller, nan_wins, x[0], x[1])
            });
        }
        for f in IEEE {
            check(op.name(), &min_max(f, op), many_pairs(f, 6), |x| {
                oracle::min_max(f, smaller, nan_wins, x[0], x[1])
            });
        }
    }
}

#[test]
fn sign_operations_keep_other_bits() {
    for f in [FloatFormat::F16, FloatFormat::BF16] {
        let values = || many_values(f, 7).into_iter().map(|x| vec![x]);
        let sign = 1u128 << (f.width() - 1);
        check("neg", &neg(f), values(), |x| x[0] ^ sign);
        check("abs", &abs(f), values(), |x| x[0] & !sign);
    }
}

#[test]
fn conversions_between_ieee_formats() {
    for from in IEEE {
        for to in IEEE {
            let what = format!("{from} to {to}");
            let values = many_values(from, 8).into_iter().map(|x| vec![x]);
            check(&what, &convert(from, to), values, |x| {
                oracle::convert(from, to, x[0])
            });
        }
    }
}

#[test]
fn conversions_between_small_formats() {
    let formats: Vec<FloatFormat> = (2..6)
        .flat_map(|exp| [1, 2, 3, 4, 7].map(|frac| FloatFormat { exp, frac }))
        .collect();
    for &from in &formats {
        for &to in &formats {
            let what = format!("{from} to {to}");
            let values = (0..1u128 << from.width()).map(|x| vec![x]);
            check(&what, &convert(from, to), values, |x| {
                oracle::convert(from, to, x[0])
            });
        }
    }
}

/// Between formats with the same exponents, all that is added is what rounding adds.
#[test]
fn a_fraction_becomes_shorter_beside_its_exponent() {
    let sums = |from, to| {
        let graph = rebuild(&convert(from, to));
        let nodes = graph.nodes.iter();
        nodes
            .filter(|(_, node)| matches!(node.op, Op::Add | Op::Sub))
            .count()
    };
    assert_eq!(sums(FloatFormat::F32, FloatFormat::BF16), 1);
    assert!(sums(FloatFormat::F32, FloatFormat::F16) > 1);
}

/// Integer types of the casts.
fn int_types() -> Vec<HwType> {
    [1, 2, 7, 8, 16, 31, 32, 33, 64, 128]
        .into_iter()
        .flat_map(|w| [HwType::ui(w), HwType::si(w)])
        .collect()
}

/// Integers of a type around powers of two, and random ones.
fn integers(ty: HwType, random: &mut Random) -> Vec<u128> {
    let mask = u128::MAX >> (128 - ty.width);
    let mut values = vec![0, 1, mask, mask >> 1, (mask >> 1) + 1];
    for bit in 0..ty.width {
        let power = 1u128 << bit;
        let random = random.bits(128) & (power - 1);
        let half = power >> 1 | power >> 12 | power >> 25 | power >> 54;
        for value in [power, power - 1, power | 1, power | random, power | half] {
            values.extend([value & mask, value.wrapping_neg() & mask]);
        }
    }
    values
}

#[test]
fn integers_to_floats() {
    let mut random = Random::new(9);
    for f in IEEE.into_iter().chain(tiny_formats()) {
        for ty in int_types() {
            let what = format!("{ty} to {f}");
            let values = integers(ty, &mut random).into_iter().map(|x| vec![x]);
            check(&what, &from_int(ty, f), values, |x| {
                oracle::from_int(f, &ty.wrap(&BigInt::from(x[0])))
            });
        }
    }
    let f = FloatFormat::BF16;
    let values = (0..1u128 << 16).map(|x| vec![x]);
    check("si16 to bf16", &from_int(HwType::si(16), f), values, |x| {
        oracle::from_int(f, &BigInt::from(x[0] as u16 as i16))
    });
}

/// All inputs for some types, a sample for the others.
fn half_floats_to_integers(format: FloatFormat) {
    let all = many_values(format, 10);
    for ty in int_types() {
        let full = [(1, true), (8, false), (16, true), (33, true), (64, false)];
        if full.contains(&(ty.width, ty.signed)) {
            floats_to(ty, format, all.clone());
        } else {
            floats_to(ty, format, all.iter().copied().step_by(13).collect());
        }
    }
}

#[test]
fn f16_to_integers() {
    half_floats_to_integers(FloatFormat::F16);
}

#[test]
fn bf16_to_integers() {
    half_floats_to_integers(FloatFormat::BF16);
}

#[test]
fn floats_to_integers() {
    for f in tiny_formats() {
        for ty in int_types() {
            floats_to(ty, f, many_values(f, 10));
        }
    }
    for f in [FloatFormat::F32, FloatFormat::F64] {
        for ty in int_types() {
            let mut random = Random::new(11);
            let mut values = corners(f);
            values.extend((0..4_000).map(|_| operand(f, &mut random)));
            floats_to(ty, f, values);
        }
    }
}

fn floats_to(ty: HwType, f: FloatFormat, values: Vec<u128>) {
    let what = format!("{f} to {ty}");
    let values = values.into_iter().map(|x| vec![x]);
    check(&what, &to_int(f, ty), values, |x| {
        let value = oracle::to_int(f, ty, x[0]);
        HwType::ui(ty.width).wrap(&value).to_u128().unwrap()
    });
}

#[test]
fn floor_and_ceil() {
    for f in IEEE.into_iter().chain(tiny_formats()) {
        let values = || many_values(f, 12).into_iter().map(|x| vec![x]);
        check(
            &format!("floor {f}"),
            &to_integral(f, Rounding::Down),
            values(),
            |x| oracle::integral(f, false, x[0]),
        );
        check(
            &format!("ceil {f}"),
            &to_integral(f, Rounding::Up),
            values(),
            |x| oracle::integral(f, true, x[0]),
        );
    }
}

#[test]
fn widest_format() {
    let some = || pairs(QUAD, 150, 13).into_iter().map(|(a, b)| vec![a, b]);
    for op in ["add", "mul"] {
        let graph = if op == "add" { add(QUAD) } else { mul(QUAD) };
        check(op, &graph, some(), |x| apfloat(QUAD, op, x[0], x[1]));
    }
    check("lt", &compare(QUAD, CompareOp::Lt), some(), |x| {
        u128::from(holds(CompareOp::Lt, oracle::order(QUAD, x[0], x[1])))
    });
    for other in [FloatFormat::F64, FloatFormat::BF16] {
        let firsts = some().map(|x| vec![x[0]]);
        check("from quad", &convert(QUAD, other), firsts, |x| {
            oracle::convert(QUAD, other, x[0])
        });
        let values = pairs(other, 150, 14).into_iter().map(|(a, _)| vec![a]);
        check("to quad", &convert(other, QUAD), values, |x| {
            oracle::convert(other, QUAD, x[0])
        });
    }
}

#[test]
fn integers_wider_than_any_float() {
    let f = FloatFormat::F64;
    for ty in [HwType::si(300), HwType::ui(1100), HwType::si(4096)] {
        let (there, back) = (from_int(ty, f), to_int(f, ty));
        there.validate().expect("valid");
        back.validate().expect("valid");
        let pattern = HwType::ui(ty.width);
        for shift in [0, 40, 52, 54, 200, 299, 1023, 1024, 4094] {
            let value = ty.wrap(&(BigInt::from(0x3_5555_5555_5555_5555u128) << shift));
            let bits = crate::hwarith::eval::eval(&there, &[pattern.wrap(&value)]);
            let want = oracle::from_int(f, &value);
            assert_eq!(bits, [BigInt::from(want)], "{value} of {ty}");
            let integer = crate::hwarith::eval::eval(&back, &bits);
            let want = oracle::to_int(f, ty, want);
            assert_eq!(integer, [pattern.wrap(&want)], "{ty} of {bits:?}");
        }
    }
}

#[test]
fn graphs_are_free_of_dead_and_repeated_nodes() {
    let mut sizes = Vec::new();
    for f in IEEE {
        for graph in [
            add(f),
            mul(f),
            min_max(f, BinaryOp::Max),
            to_integral(f, Rounding::Down),
        ] {
            let mut used = vec![false; graph.nodes.len()];
            let mut seen = std::collections::HashSet::new();
            for (_, node) in graph.nodes.iter() {
                assert!(seen.insert((&node.op, &node.args, node.ty)), "{node:?}");
                node.args.iter().for_each(|a| used[a.index()] = true);
            }
            used[graph.outputs[0].index()] = true;
            assert!(used.iter().all(|&u| u), "{}", graph.print(0));
            sizes.push(graph.nodes.len());
        }
    }
    // The descriptions do not grow with the fraction, only with the levels of its shifters.
    assert!(sizes.iter().all(|&n| n < 300), "{sizes:?}");
}
