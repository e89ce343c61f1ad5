//! Conversions from and to the storage formats, against the exact rounding of [`StorageFormat`], which is tested
//! on tables of its own.

use super::*;
use crate::ir::{Conversion, Scalar, StorageFormat};
use crate::sim::formats;

/// Every type that a storage format is converted from and to.
fn others() -> Vec<Scalar> {
    let floats = IEEE.into_iter().chain(tiny_formats()).map(Scalar::Float);
    let odd = [(6, 9), (9, 14), (4, 40)].map(|(exp, frac)| FloatFormat { exp, frac }.into());
    let stored = StorageFormat::ALL.map(Scalar::Storage);
    let ints = [1, 2, 3, 4, 8, 9, 16, 32, 64, 128];
    let ints = ints
        .into_iter()
        .flat_map(|w| [Scalar::signed(w), Scalar::unsigned(w)]);
    floats.chain(odd).chain(stored).chain(ints).collect()
}

/// What the reference says.
fn reference(from: Scalar, to: Scalar, bits: u128) -> u128 {
    let is_float = formats::is_any_float;
    match (is_float(from), is_float(to)) {
        (true, true) => formats::convert(from, to, bits),
        (true, false) => {
            let value = formats::to_int(from, to, bits);
            HwType::ui(to.width()).wrap(&value).to_u128().unwrap()
        }
        _ => formats::from_int(to, from.wrap(&BigInt::from(bits))),
    }
}

fn check_conversion(from: Scalar, to: Scalar, values: impl IntoIterator<Item = u128>) {
    let graph = conversion(from, to, Conversion::of_cast(to));
    let values = values.into_iter().map(|x| vec![x]);
    let what = format!("{from} to {to}");
    check(&what, &graph, values, |x| reference(from, to, x[0]));
}

#[test]
fn every_code_to_every_type() {
    for from in StorageFormat::ALL {
        for to in others() {
            check_conversion(from.into(), to, 0..1 << from.width());
        }
    }
}

/// All patterns of short types, and of long ones those around every code and every middle of two.
fn telling(ty: Scalar) -> Vec<u128> {
    if ty.width() <= 11 {
        return (0..1 << ty.width()).collect();
    }
    let mut random = Random::new(21);
    if let Scalar::Float(f) = ty {
        let mut values = corners(f);
        values.extend((0..1_000).map(|_| operand(f, &mut random)));
        for exp in -27..20 {
            for eighths in 0..32u32 {
                let exact = crate::sim::softfloat::Exact {
                    negative: false,
                    mantissa: (32 + eighths).into(),
                    exponent: exp - 5,
                };
                let near = crate::sim::softfloat::round(f, &exact, false);
                let sign = 1 << (f.width() - 1);
                for near in [near.max(1) - 1, near, near + 1] {
                    values.extend([near, near | sign]);
                }
            }
        }
        return values;
    }
    let mask = u128::MAX >> (128 - ty.width());
    let small = (0..=1024).flat_map(|i| [i, 0u128.wrapping_sub(i)]);
    let large = (10..ty.width())
        .flat_map(|place| [0, 1, 2, 3, 4, 5, 6, 7].map(|eighths| (8 + eighths) << place >> 3));
    let large = large.flat_map(|x: u128| [x.wrapping_sub(1), x, x + 1, 0u128.wrapping_sub(x)]);
    small.chain(large).map(|x| x & mask).collect()
}

#[test]
fn every_type_to_every_storage_format() {
    for to in StorageFormat::ALL {
        for from in others() {
            check_conversion(from, to.into(), telling(from));
        }
    }
}

#[test]
fn all_half_floats_to_storage_formats() {
    for from in [FloatFormat::F16, FloatFormat::BF16] {
        for to in StorageFormat::ALL {
            check_conversion(from.into(), to.into(), 0..1 << 16);
        }
    }
}

/// `rustc_apfloat` knows the OCP formats.
#[test]
fn apfloat_agrees_on_ocp_formats() {
    use rustc_apfloat::FloatConvert;
    fn through<T: Float>(x: ieee::Single) -> (u128, bool)
    where
        ieee::Single: FloatConvert<T>,
    {
        let mut inexact = false;
        let value: T = x.convert(&mut inexact).value;
        (value.to_bits(), value.is_nan())
    }
    let f = FloatFormat::F32;
    for bits in telling(f.into()) {
        let x = ieee::Single::from_bits(bits);
        let cases = [
            (StorageFormat::F8E5M2, through::<ieee::Float8E5M2>(x)),
            (StorageFormat::F8E4M3, through::<ieee::Float8E4M3FN>(x)),
        ];
        for (to, (want, is_nan)) in cases {
            let want = if is_nan { to.nan().into() } else { want };
            assert_eq!(
                reference(f.into(), to.into(), bits),
                want,
                "{bits:#x} to {to}"
            );
        }
    }
}
