//! Division, square root and remainder against the software reference, by recurrences and by products.

use super::*;
use crate::hwarith::testing::Random as Bits;
use crate::ir::UnaryOp;
use crate::sim::softfloat;

fn check_div(f: FloatFormat, pairs: impl IntoIterator<Item = Vec<u128>>) {
    let pairs: Vec<Vec<u128>> = pairs.into_iter().collect();
    for (how, graph) in [("steps", div(f)), ("products", div_high_radix(f))] {
        check(&format!("div {f} by {how}"), &graph, pairs.clone(), |x| {
            softfloat::binary(f, BinaryOp::Div, x[0], x[1]).unwrap()
        });
    }
}

fn check_mod(f: FloatFormat, pairs: impl IntoIterator<Item = Vec<u128>>) {
    check(&format!("mod {f}"), &modulo(f), pairs, |x| {
        softfloat::binary(f, BinaryOp::Mod, x[0], x[1]).unwrap()
    });
}

fn check_sqrt(f: FloatFormat, values: impl IntoIterator<Item = u128>) {
    let values: Vec<Vec<u128>> = values.into_iter().map(|x| vec![x]).collect();
    for (how, graph) in [("steps", sqrt(f)), ("products", sqrt_high_radix(f))] {
        check(&format!("sqrt {f} by {how}"), &graph, values.clone(), |x| {
            softfloat::unary(f, UnaryOp::Sqrt, x[0]).unwrap()
        });
    }
}

/// Operations with subnormals flushed are the others between flushes.
#[test]
fn flushing_products_and_quotients() {
    type Make = fn(FloatFormat) -> Graph;
    let cases: [(BinaryOp, Make); 2] =
        [(BinaryOp::Mul, mul_flushing), (BinaryOp::Div, div_flushing)];
    for (op, make) in cases {
        let want = |f: FloatFormat, x: &[u128]| {
            let flush = |x| softfloat::unary(f, UnaryOp::Flush, x).unwrap();
            flush(softfloat::binary(f, op, flush(x[0]), flush(x[1])).unwrap())
        };
        for f in tiny_formats() {
            check(op.name(), &make(f), all_pairs(f), |x| want(f, x));
        }
        for f in IEEE {
            check(op.name(), &make(f), many_pairs(f, 36), |x| want(f, x));
        }
    }
}

#[test]
fn div_all_pairs_of_tiny_formats() {
    for f in tiny_formats() {
        check_div(f, all_pairs(f));
    }
}

#[test]
fn div_of_ieee_formats() {
    for f in IEEE {
        check_div(f, many_pairs(f, 30));
    }
}

#[test]
fn sqrt_of_tiny_formats_and_halves() {
    let small = [FloatFormat::F16, FloatFormat::BF16];
    for f in tiny_formats().into_iter().chain(small) {
        check_sqrt(f, many_values(f, 31));
    }
}

#[test]
fn sqrt_of_wide_formats() {
    for f in [FloatFormat::F32, FloatFormat::F64] {
        check_sqrt(f, many_values(f, 32));
    }
}

/// The least and the greatest remainders, where a digit that is one too small or too large shows.
#[test]
fn quotients_and_roots_next_to_floats_and_halfway_between_them() {
    for f in [FloatFormat::F16, FloatFormat::F32, FloatFormat::F64, QUAD] {
        let p = f.frac + 1;
        let one = BigInt::from(1) << f.frac;
        let mut random = Bits::new(45);
        let mut significand = |bits: u32| {
            let ends = [BigInt::from(0), (BigInt::from(1) << (bits - 1)) - 1];
            let inner = random.value(HwType::ui(bits - 1)) >> random.below(bits - 1);
            let places = random.below(6) as usize;
            (BigInt::from(1) << (bits - 1)) + ends.get(places).cloned().unwrap_or(inner)
        };
        let float = |significand: &BigInt| {
            let fits = significand.bits() == u64::from(p);
            let bias = (1u128 << (f.exp - 1)) - 1;
            fits.then(|| (bias << f.frac) + (significand - &one).to_u128().unwrap())
        };
        let (mut pairs, mut squares) = (Vec::new(), Vec::new());
        let count = if f == QUAD { 30 } else { 3_000 };
        for _ in 0..count {
            // A quotient or root with the bit that is rounded.
            let (y, result) = (significand(p), significand(p + 1));
            for near in -1..=1 {
                for shift in [p - 1, p] {
                    let x = ((&y * &result) >> shift) + near;
                    pairs.extend(float(&x).zip(float(&y)).map(|(x, y)| vec![x, y]));
                }
                for shift in [p, p + 1] {
                    let x = ((&result * &result) >> shift) + near;
                    squares.extend(float(&x));
                    let next_binade = float(&x).map(|x| x + (1 << f.frac));
                    squares.extend(next_binade);
                }
            }
        }
        assert!(pairs.len() > count && squares.len() > count);
        check_div(f, pairs);
        check_sqrt(f, squares);
    }
}

#[test]
fn mod_all_pairs_of_tiny_formats() {
    for f in tiny_formats() {
        check_mod(f, all_pairs(f));
    }
}

/// Fewer pairs where the exponents differ by hundreds and thousands: that many steps each.
#[test]
fn mod_of_ieee_formats() {
    let counts = [20_000, 4_000, 4_000, 300];
    for (f, count) in IEEE.into_iter().zip(counts) {
        let some = pairs(f, count, 33).into_iter().map(|(a, b)| vec![a, b]);
        check_mod(f, some);
    }
}

#[test]
fn recurrences_of_odd_formats() {
    for (exp, frac) in [(9, 14), (3, 20), (2, 30), (5, 40), (8, 1), (7, 2)] {
        let f = FloatFormat { exp, frac };
        let some = || pairs(f, 2_000, 34).into_iter().map(|(a, b)| vec![a, b]);
        check_div(f, some());
        check_mod(f, some().take(500));
        check_sqrt(f, some().map(|x| x[0]));
    }
    let quad = || pairs(QUAD, 30, 35).into_iter().map(|(a, b)| vec![a, b]);
    check_div(QUAD, quad());
    check_sqrt(QUAD, quad().map(|x| x[0]));
}
