//! Fused multiply-add against the software reference, which goes through `rustc_apfloat` for the named formats.

use super::*;
use crate::sim::softfloat::{Arithmetic, arithmetic};

fn check_fma(format: FloatFormat, triples: impl IntoIterator<Item = Vec<u128>>) {
    check(&format!("fma {format}"), &fma(format), triples, |x| {
        arithmetic(format, Arithmetic::Fma, [x[0], x[1], x[2]])
    });
}

/// Triples in which product and addend often nearly cancel.
fn triples(format: FloatFormat, count: usize, seed: u64) -> Vec<Vec<u128>> {
    let mut random = Random::new(seed);
    let mask = u128::MAX >> (128 - format.width());
    let sign = mask ^ mask >> 1;
    pairs(format, count, seed)
        .into_iter()
        .map(|(a, b)| {
            let product = arithmetic(format, Arithmetic::Mul, [a, b, 0]);
            let near = |offset: u128| (product ^ sign).wrapping_add(offset) & mask;
            let c = match random.below(4) {
                0 => near(random.below(3).into()),
                1 => near(u128::from(random.below(5)) << random.below(u64::from(format.frac) + 2)),
                _ => operand(format, &mut random),
            };
            vec![a, b, c]
        })
        .collect()
}

#[test]
fn fma_all_triples_of_the_least_formats() {
    for (exp, frac) in [(2, 1), (3, 1), (2, 2)] {
        let f = FloatFormat { exp, frac };
        let count = 1u128 << f.width();
        let all = (0..count * count * count)
            .map(|i| vec![i % count, i / count % count, i / count / count]);
        check_fma(f, all);
    }
}

#[test]
fn fma_of_tiny_formats() {
    for f in tiny_formats() {
        let mut random = Random::new(20);
        let some = (0..60_000).map(|_| (0..3).map(|_| random.bits(f.width())).collect());
        check_fma(f, some.collect::<Vec<_>>());
    }
}

#[test]
fn fma_of_ieee_formats() {
    for f in IEEE {
        let wide = f == FloatFormat::F64;
        check_fma(f, triples(f, if wide { 10_000 } else { 48_000 }, 21));
        let corners = corners(f);
        let mut random = Random::new(22);
        let mut pick = || corners[random.below(corners.len() as u64) as usize];
        let count = if wide { 6_000 } else { 30_000 };
        let crossed: Vec<Vec<u128>> = (0..count).map(|_| vec![pick(), pick(), pick()]).collect();
        check_fma(f, crossed);
    }
}

#[test]
fn fma_of_odd_formats() {
    for (exp, frac) in [
        (9, 14),
        (3, 20),
        (2, 25),
        (15, 5),
        (4, 40),
        (11, 1),
        (15, 112),
    ] {
        let f = FloatFormat { exp, frac };
        check_fma(f, triples(f, 1_500, 23));
    }
}
