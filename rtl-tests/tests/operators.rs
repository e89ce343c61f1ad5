//! Every operator of the table and every conversion: the evaluated description against floating-point libraries
//! by other hands. A row that is added to the table is tested here without further ado.

use allo_hls::hwarith::fast::Fast;
use allo_hls::hwarith::{Graph, eval};
use allo_hls::ir::{BinaryOp, Conversion, FloatFormat, Scalar, StorageFormat};
use allo_hls::sim::operands::{Random, corners, many_tuples, operand};
use allo_hls::sim::{formats, softfloat};
use allo_hls::units::float::{self, Kind, OPERATORS};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rtl_tests::oracle::{ORACLES, apfloat::ODD_FORMATS};

/// The format of `f8e5m2` with arithmetic, for which all pairs are few enough.
const E5M2: FloatFormat = FloatFormat { exp: 5, frac: 2 };

/// The outputs of a description; every so often those of the evaluator that defines the operations are compared.
fn evaluate(graph: &Graph, inputs: &[Vec<u128>]) -> Vec<u128> {
    let views: Vec<&[u128]> = inputs.iter().map(Vec::as_slice).collect();
    let mut fast = Fast::new(graph).expect("operators have pure operations on words");
    let results = fast.eval(&views);
    for (input, result) in inputs.iter().zip(&results).step_by(1 + inputs.len() / 20) {
        let input: Vec<BigInt> = input.iter().map(|&x| BigInt::from(x)).collect();
        assert_eq!(eval::eval(graph, &input)[0], BigInt::from(*result));
    }
    results
}

fn check_operators(format: FloatFormat) {
    for op in OPERATORS {
        let graph = (op.make)(format);
        let inputs = many_tuples(format, op.operands(), 5);
        assert!(inputs.len() >= 46_000 || op.operands() == 1 || format.width() <= 8);
        let results = evaluate(&graph, &inputs);
        let mut opinions = 0;
        for (i, (input, got)) in inputs.iter().zip(results).enumerate() {
            // Much slower than the others.
            if i % 16 == 0 || format.width() <= 8 {
                let own = softfloat::operator(format, op.kind, input);
                assert_eq!(Some(got), own, "{} {format} of {input:x?}", op.name);
            }
            for (who, oracle, _) in ORACLES {
                if let Some(want) = oracle(op.kind, format, input) {
                    opinions += 1;
                    assert_eq!(got, want, "{} {format} of {input:x?} by {who}", op.name);
                }
            }
        }
        // Square roots are only in SoftFloat, and with few binades integral values; no library rounds them to odd.
        let is_integral =
            op.name.starts_with("fround") || matches!(op.name, "ffloor" | "fceil" | "ftrunc");
        let only_own =
            ORACLES.len() == 1 && (op.name == "fsqrt" || is_integral) || op.name == "fround_odd";
        assert!(
            opinions >= inputs.len() * 9 / 10 || only_own,
            "{} {format} has no oracle",
            op.name
        );
    }
}

#[test]
fn operators_on_f16() {
    check_operators(FloatFormat::F16);
}

#[test]
fn operators_on_bf16() {
    check_operators(FloatFormat::BF16);
}

#[test]
fn operators_on_f32() {
    check_operators(FloatFormat::F32);
}

#[test]
fn operators_on_f64() {
    check_operators(FloatFormat::F64);
}

#[test]
fn operators_on_all_pairs_of_e5m2() {
    check_operators(E5M2);
}

#[test]
fn operators_on_odd_formats() {
    for format in ODD_FORMATS {
        check_operators(*format);
    }
}

/// Arithmetic on `f8e4m3` as a kernel does it: in f16, rounded when stored.
#[test]
fn all_pairs_of_f8e4m3_through_f16() {
    use rustc_apfloat::{Float, FloatConvert, ieee};
    let (stored, wide) = (Scalar::Storage(StorageFormat::F8E4M3), FloatFormat::F16);
    let load = float::conversion(stored, wide.into(), Conversion::of_cast(wide.into()));
    let store = float::conversion(wide.into(), stored, Conversion::of_cast(stored));
    let codes: Vec<Vec<u128>> = (0..256).map(|x| vec![x]).collect();
    let values = evaluate(&load, &codes);
    let pairs: Vec<(usize, usize)> = (0..1 << 16).map(|i| (i & 255, i >> 8)).collect();
    for (kind, graph) in [
        (BinaryOp::Add, float::add(wide)),
        (BinaryOp::Mul, float::mul(wide)),
    ] {
        let inputs: Vec<Vec<u128>> = pairs
            .iter()
            .map(|p| vec![values[p.0], values[p.1]])
            .collect();
        let sums = evaluate(&graph, &inputs).into_iter().map(|x| vec![x]);
        let results = evaluate(&store, &sums.collect::<Vec<_>>());
        for (&(a, b), got) in pairs.iter().zip(results) {
            let x = |code: usize| -> ieee::Half {
                let code = ieee::Float8E4M3FN::from_bits(code as u128);
                code.convert(&mut false).value
            };
            let half = match kind {
                BinaryOp::Add => (x(a) + x(b)).value,
                _ => (x(a) * x(b)).value,
            };
            let code: ieee::Float8E4M3FN = half.convert(&mut false).value;
            let want = if code.is_nan() { 0x7f } else { code.to_bits() };
            assert_eq!(got, want, "{} of {a:#x}, {b:#x}", kind.name());
        }
    }
}

/// All values of 16 bits and fewer; else corners and more.
fn values(ty: Scalar) -> Vec<u128> {
    if ty.width() <= 16 {
        return (0..1 << ty.width()).collect();
    }
    let mut random = Random::new(6);
    match ty {
        Scalar::Float(f) => {
            let mut values = corners(f);
            values.extend((0..20_000).map(|_| operand(f, &mut random)));
            values
        }
        _ => {
            let all = u128::MAX >> (128 - ty.width());
            let ones = (0..ty.width()).map(|place| (1u128 << place) - 1);
            let near = ones.flat_map(|x| (0..3).map(move |i| x + i));
            let both = near.flat_map(|x| [x, 0u128.wrapping_sub(x)]);
            let mut values: Vec<u128> = both.map(|x| x & all).collect();
            values.extend((0..20_000).map(|_| {
                let width = 1 + random.below(u64::from(ty.width())) as u32;
                let x = random.bits(width);
                if random.below(2) == 0 {
                    x
                } else {
                    0u128.wrapping_sub(x) & all
                }
            }));
            values
        }
    }
}

fn floats() -> Vec<Scalar> {
    use FloatFormat as F;
    let ieee = [F::F16, F::BF16, F::F32, F::F64].map(Scalar::Float);
    let stored = StorageFormat::ALL.map(Scalar::Storage);
    ieee.into_iter().chain(stored).collect()
}

fn integers() -> Vec<Scalar> {
    [1, 8, 16, 32, 64]
        .into_iter()
        .flat_map(both_signs)
        .collect()
}

fn both_signs(width: u32) -> [Scalar; 2] {
    [Scalar::signed(width), Scalar::unsigned(width)]
}

#[test]
fn conversions_of_odd_formats_and_widths() {
    let odd = |formats: &[FloatFormat]| -> Vec<Scalar> {
        formats.iter().copied().map(Scalar::Float).collect()
    };
    let formats = odd(ODD_FORMATS);
    let widths: Vec<Scalar> = [2, 3, 5, 11, 17, 25, 33, 48, 65, 100]
        .into_iter()
        .flat_map(both_signs)
        .collect();
    check_conversions(&formats, &formats);
    check_conversions(&formats, &floats());
    check_conversions(&floats(), &formats);
    check_conversions(&formats[1..3], &widths);
    check_conversions(&widths, &formats[1..3]);
    let wide = [FloatFormat::F16, FloatFormat::F64].map(Scalar::Float);
    check_conversions(&wide, &widths);
    check_conversions(&widths, &wide);
}

fn reference(from: Scalar, to: Scalar, bits: u128) -> u128 {
    let low = |value: BigInt| Scalar::unsigned(to.width()).wrap(&value);
    match (formats::is_any_float(from), formats::is_any_float(to)) {
        (true, true) => formats::convert(from, to, bits),
        (true, false) => low(formats::to_int(from, to, bits))
            .to_u128()
            .expect("low bits"),
        _ => formats::from_int(to, from.wrap(&BigInt::from(bits))),
    }
}

fn check_conversions(from: &[Scalar], to: &[Scalar]) {
    for &from in from {
        let inputs: Vec<Vec<u128>> = values(from).into_iter().map(|x| vec![x]).collect();
        for &to in to.iter().filter(|&&to| to != from) {
            let graph = float::conversion(from, to, Conversion::of_cast(to));
            let results = evaluate(&graph, &inputs);
            for (i, (input, got)) in inputs.iter().zip(results).enumerate() {
                let x = input[0];
                // Much slower than the others, and the library's tests ask it for every input.
                if i % 16 == 0 {
                    assert_eq!(got, reference(from, to, x), "{from} to {to} of {x:#x}");
                }
                for (who, _, oracle) in ORACLES {
                    if let Some(want) = oracle(from, to, x) {
                        assert_eq!(got, want, "{from} to {to} of {x:#x} by {who}");
                    }
                }
            }
        }
    }
}

#[test]
fn conversions_between_floats() {
    check_conversions(&floats(), &floats());
}

#[test]
fn conversions_of_floats_to_integers() {
    check_conversions(&floats(), &integers());
}

#[test]
fn conversions_of_integers_to_floats() {
    check_conversions(&integers(), &floats());
}

/// The table is what the reference has.
#[test]
fn every_operator_has_a_reference() {
    for op in OPERATORS {
        let operands = vec![0x3c00; op.operands()];
        assert!(
            softfloat::operator(FloatFormat::F16, op.kind, &operands).is_some(),
            "{}",
            op.name
        );
        let same = OPERATORS.iter().filter(|o| o.name == op.name).count();
        assert_eq!(same, 1, "{}", op.name);
        assert!(matches!(op.kind, Kind::Fma) == (op.operands() == 3));
    }
}
