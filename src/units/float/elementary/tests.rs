//! Functions against the correctly rounded ones of the reference, the machine's, and their own bounds.

use super::ball::Fixed;
use super::evaluate::evaluate;
use super::piecewise::{Piece, Piecewise, Request};
use super::smooth::{Slope, Smooth};
use super::*;
use crate::hwarith::HwType;
use crate::hwarith::eval::eval;
use crate::hwarith::fast::Fast;
use crate::hwarith::testing::Random;
use crate::ir::Scalar;
use crate::sim::operands::{corners, tuples};
use crate::sim::softfloat;
use num_bigint::BigInt;
use num_traits::Signed;

const F32: FloatFormat = FloatFormat::F32;

fn results(function: &Operator, format: FloatFormat, inputs: &[Vec<u128>]) -> Vec<u128> {
    let graph = graph(function.name, format);
    graph.validate().expect("valid");
    let views: Vec<&[u128]> = inputs.iter().map(Vec::as_slice).collect();
    let mut fast = Fast::new(graph).expect("functions are pure");
    fast.eval(&views)
}

fn unary() -> impl Iterator<Item = &'static Operator> {
    FUNCTIONS.iter().filter(|f| f.operands() == 1)
}

/// `scripts/accuracy` tries every argument; here it is one of 67.
#[test]
fn results_of_16_bits_are_the_nearest_floats() {
    std::thread::scope(|scope| {
        for format in [FloatFormat::F16, FloatFormat::BF16] {
            scope.spawn(move || {
                for function in unary() {
                    let inputs: Vec<Vec<u128>> =
                        (0..1 << 16).step_by(67).map(|x| vec![x]).collect();
                    let got = results(function, format, &inputs);
                    for (x, got) in inputs.iter().zip(got) {
                        let want = softfloat::operator(format, function.kind, x);
                        assert_eq!(Some(got), want, "{} {format} {x:x?}", function.name);
                    }
                }
            });
        }
    });
}

/// Pairs whose power is nearer to a number halfway between two floats than any other, but for those exactly there
/// (`f16`: 2^-32.05 units in the last place for the first, `bf16`: 2^-28.10), by a search of all pairs.
const NEAR_HALVES: [(FloatFormat, &[(u128, u128)]); 2] = [
    (
        FloatFormat::F16,
        &[
            (0x4cb9, 0x8572),
            (0x01fe, 0xa0ea),
            (0x4886, 0x8744),
            (0x7713, 0xb328),
            (0x51aa, 0xb5c6),
            (0x39ba, 0x187d),
            (0x609e, 0x1834),
            (0x756b, 0x112e),
        ],
    ),
    (
        FloatFormat::BF16,
        &[(0x70e3, 0x3a21), (0x6e5d, 0x3d25), (0x2e93, 0x38af)],
    ),
];

/// `scripts/accuracy` tries as many pairs as it is told; here are a sample, the pairs that need the most accuracy, and
/// powers exactly halfway between two floats.
#[test]
fn powers_of_16_bits_are_the_nearest_floats() {
    std::thread::scope(|scope| {
        for (format, hard) in NEAR_HALVES {
            scope.spawn(move || {
                let function = of(Kind::Binary(BinaryOp::Pow), format).expect("a function");
                let mut inputs: Vec<Vec<u128>> = hard.iter().map(|&(x, y)| vec![x, y]).collect();
                // 1.5, 2, 3, 1/2, 3/4 as exponents give exact roots and powers, of which some are halfway.
                let one = ending::bias(format) as u128;
                let exponents = [(0, 1), (1, 0), (1, 1)]
                    .map(|(e, half)| (one + e) << format.frac | half << (format.frac - 1));
                let halves =
                    [0, 1].map(|half| (one - 1) << format.frac | half << (format.frac - 1));
                for y in exponents.into_iter().chain(halves) {
                    inputs.extend((0..1 << 15).step_by(331).map(|x| vec![x, y]));
                    // Short significands, whose powers are exact, of a binade.
                    let short = (0..1 << format.frac).step_by(1 << (format.frac - 6));
                    inputs.extend(short.map(|x| vec![(one + 1) << format.frac | x, y]));
                }
                let mut random = Random::new(31);
                for _ in 0..1000 {
                    let bits = random.value(HwType::ui(32));
                    let bits = u128::try_from(&bits).expect("unsigned");
                    inputs.push(vec![bits >> 16, bits & 0xffff]);
                }
                inputs.extend(tuples(format, 2, 500, 5));
                for (x, got) in inputs.iter().zip(results(function, format, &inputs)) {
                    let want = softfloat::operator(format, function.kind, x);
                    assert_eq!(Some(got), want, "{format} {x:x?}");
                }
            });
        }
    });
}

type Machine = fn(f64) -> f64;

/// The functions that the machine has, each off by less than two units of an f64.
const MACHINE: [(&str, Machine); 12] = [
    ("exp", f64::exp),
    ("exp2", f64::exp2),
    ("log", f64::ln),
    ("log2", f64::log2),
    ("rsqrt", |x| 1.0 / x.sqrt()),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("sinh", f64::sinh),
    ("cosh", f64::cosh),
    ("tanh", f64::tanh),
    ("erf", pxfm::f_erf),
];

/// Units in the last place between a result and the exact one; infinite if one is no number and the other is, or one
/// is zero or
/// infinite and the other far from it.
fn ulps(got: f32, exact: f64) -> f64 {
    let near = |a: f64, b: f64| a == b && a.is_sign_negative() == b.is_sign_negative();
    if exact.is_nan() || near(got.into(), exact) {
        return if exact.is_nan() && got.to_bits() != 0x7fc0_0000 {
            f64::INFINITY
        } else {
            0.0
        };
    }
    let exponent = (exact.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let ulp = 2f64.powi(exponent.clamp(-126, 127) - 23);
    // As a number, infinity is what the next float would be; beyond it all are as good.
    let number = if got.is_infinite() {
        2f64.powi(128).copysign(got.into())
    } else {
        got.into()
    };
    (number - exact.clamp(-(2f64.powi(128)), 2f64.powi(128))).abs() / ulp
}

/// Corners of the format, arguments where results change their kind, and any.
fn arguments(count: usize) -> Vec<Vec<u128>> {
    let near = |x: f32| (-3i32..=3).map(move |d| x.to_bits().wrapping_add_signed(d));
    let turns = (1..40).map(|n| n as f32 * std::f32::consts::FRAC_PI_4);
    let edges = [
        0.5, 1.0, 1.5, 2.0, 4.0, 16.0, 88.72284, 89.41599, 103.27893, 127.99999, 128.0, 149.0,
        150.0, 9.01, 3.9,
    ];
    let edges = edges
        .into_iter()
        .chain(turns)
        .flat_map(|x| [x, -x])
        .flat_map(near);
    let mut all: Vec<Vec<u128>> = corners(F32).into_iter().map(|x| vec![x]).collect();
    all.extend(edges.map(|x| vec![x.into()]));
    let mut random = Random::new(7);
    let any = (0..count).map(|i| {
        let bits = u32::try_from(&random.value(HwType::ui(32))).expect("32 bits");
        // Every other one from 2^-24 to 2^8, where most functions are no trivial ones.
        let exponent = 103 + (bits >> 23 & 0x1f);
        let near = bits & 0x807f_ffff | exponent << 23;
        vec![u128::from(if i % 2 == 0 { near } else { bits })]
    });
    all.extend(any);
    all
}

#[test]
fn results_of_f32_are_off_by_less_than_one_unit() {
    std::thread::scope(|scope| {
        for (name, exact) in MACHINE {
            scope.spawn(move || {
                let function = unary().find(|f| f.name == name).expect("a function");
                let inputs = arguments(30_000);
                for (x, got) in inputs.iter().zip(results(function, F32, &inputs)) {
                    let (x, got) = (f32::from_bits(x[0] as u32), f32::from_bits(got as u32));
                    let error = ulps(got, exact(x.into()));
                    assert!(error < 0.64, "{name} {x:e} = {got:e}: {error}");
                }
            });
        }
    });
}

/// Special values, and results that are exact.
#[test]
fn special_cases_are_those_of_the_standard() {
    for format in [
        FloatFormat::F16,
        FloatFormat::BF16,
        F32,
        FloatFormat { exp: 6, frac: 12 },
        FloatFormat { exp: 5, frac: 19 },
    ] {
        for function in unary() {
            let infinity = ((1u128 << format.exp) - 1) << format.frac;
            let sign = 1u128 << (format.width() - 1);
            let one = ending::bias(format) as u128;
            // Integers and halves of both signs, and the limits.
            let powers = (1..8).flat_map(|k| [(one + k) << format.frac, (one - k) << format.frac]);
            let all = [
                0,
                1,
                one << format.frac,
                infinity - 1,
                infinity,
                infinity + 1,
            ];
            let all = all.into_iter().chain(powers).flat_map(|x| [x, x | sign]);
            let inputs: Vec<Vec<u128>> = all.map(|x| vec![x]).collect();
            for (x, got) in inputs.iter().zip(results(function, format, &inputs)) {
                let want = softfloat::operator(format, function.kind, x).expect("a function");
                let is_special = |bits: u128| bits & infinity == infinity || bits & (sign - 1) == 0;
                let near = got.abs_diff(want) <= u128::from(!is_special(want));
                assert!(near, "{} {format} {x:x?}: {got:x} {want:x}", function.name);
            }
        }
    }
}

/// Every argument; of powers one pair in a few, other ones in each format.
#[test]
fn results_of_8_bits_are_the_nearest_floats() {
    let small = |width: u32| {
        let formats = (2..=width - 2).map(move |exp| (exp, width - 1 - exp));
        formats.map(|(exp, frac)| FloatFormat { exp, frac })
    };
    let formats: Vec<FloatFormat> = (4..=8)
        .flat_map(small)
        .chain([FloatFormat { exp: 4, frac: 5 }])
        .collect();
    std::thread::scope(|scope| {
        for (number, &format) in formats.iter().enumerate() {
            scope.spawn(move || {
                for function in FUNCTIONS {
                    let width = format.width();
                    let all = 0..1u128 << width;
                    let inputs: Vec<Vec<u128>> = match function.operands() {
                        1 => all.map(|x| vec![x]).collect(),
                        _ if width > 8 => continue,
                        _ => {
                            let step = std::env::var("ALL_PAIRS").map_or(29, |_| 1);
                            let pairs = (number as u128..1 << (2 * width)).step_by(step);
                            let hard = (width == 7).then_some(vec![0x2a, 0x5b]);
                            let pairs = pairs.map(|x| vec![x >> width, x % (1 << width)]);
                            pairs.chain(hard).collect()
                        }
                    };
                    for (x, got) in inputs.iter().zip(results(function, format, &inputs)) {
                        let want = softfloat::operator(format, function.kind, x);
                        assert_eq!(Some(got), want, "{} {format} {x:x?}", function.name);
                    }
                }
            });
        }
    });
}

/// Small formats of which there is no table of results: off by less than one unit in the last place.
#[test]
fn results_that_are_rounded_twice_are_next_to_the_exact_ones() {
    let formats = [(4, 7), (3, 20), (7, 3), (4, 52), (10, 2), (2, 8)];
    std::thread::scope(|scope| {
        for (exp, frac) in formats {
            scope.spawn(move || {
                let format = FloatFormat { exp, frac };
                for function in FUNCTIONS {
                    let inputs = tuples(format, function.operands(), 60, 3);
                    for (x, got) in inputs.iter().zip(results(function, format, &inputs)) {
                        let want = softfloat::operator(format, function.kind, x);
                        let want = want.expect("a function");
                        assert!(
                            got.abs_diff(want) <= 1,
                            "{} {format} {x:x?}: {got:x} {want:x}",
                            function.name
                        );
                    }
                }
            });
        }
    });
}

/// Of f64 the proven bound counts; that a result is the nearest float or beside it says that nothing is wrong
/// altogether.
#[test]
fn results_of_f64_are_next_to_the_exact_ones() {
    std::thread::scope(|scope| {
        for function in FUNCTIONS {
            scope.spawn(move || {
                let format = FloatFormat::F64;
                let mut inputs = tuples(format, function.operands(), 40, 21);
                let mut random = Random::new(4);
                let mut near = || {
                    2f64.powi(random.below(24) as i32 - 16).to_bits()
                        | u64::from(random.below(1 << 31))
                };
                inputs.extend(
                    (0..40).map(|_| (0..function.operands()).map(|_| near().into()).collect()),
                );
                for (x, got) in inputs.iter().zip(results(function, format, &inputs)) {
                    let want = softfloat::operator(format, function.kind, x).expect("a function");
                    assert!(
                        got.abs_diff(want) <= 1,
                        "{} {x:x?}: {got:x} {want:x}",
                        function.name
                    );
                }
            });
        }
    });
}

/// Where rounding, the reduction of arguments or cancellation is hard.
#[test]
fn hard_cases_of_f64_are_next_to_the_exact_ones() {
    let mut tried = 0;
    for line in include_str!("hard_cases.txt").lines() {
        let mut words = line.split(' ');
        let Some(function) = words
            .next()
            .and_then(|name| FUNCTIONS.iter().find(|f| f.name == name))
        else {
            continue;
        };
        let bits = words.map(|word| u128::from_str_radix(word, 16).expect("hexadecimal"));
        let input: Vec<u128> = bits.collect();
        let got = results(function, FloatFormat::F64, std::slice::from_ref(&input))[0];
        let want = softfloat::operator(FloatFormat::F64, function.kind, &input);
        let want = want.expect("a function");
        assert!(got.abs_diff(want) <= 1, "{line}: {got:x} {want:x}");
        tried += 1;
    }
    assert!(tried > 90, "{tried}");
}

/// Powers of two are exact, half of the least number becomes 0.
#[test]
fn exp2_of_integers_is_exact() {
    for format in [FloatFormat::F16, FloatFormat::BF16, F32] {
        let function = of(Kind::Unary(UnaryOp::Exp2), format).expect("a function");
        let whole = |n: i32| crate::sim::formats::from_int(Scalar::Float(format), n.into());
        let inputs: Vec<Vec<u128>> = (-160..140).map(|n| vec![whole(n)]).collect();
        for (x, got) in inputs.iter().zip(results(function, format, &inputs)) {
            let want = softfloat::operator(format, function.kind, x);
            assert_eq!(Some(got), want, "{format} {x:x?}");
        }
    }
}

#[test]
fn powers_of_f32_are_off_by_less_than_one_unit() {
    let function = of(Kind::Binary(BinaryOp::Pow), F32).expect("a function");
    let mut random = Random::new(9);
    let corners: Vec<u128> = [
        0f32,
        1.0,
        2.0,
        3.0,
        0.5,
        1.5,
        16_777_216.0,
        16_777_215.0,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        1e-45,
    ]
    .iter()
    .flat_map(|x| [x.to_bits().into(), (-x).to_bits().into()])
    .collect();
    let mut inputs: Vec<Vec<u128>> = Vec::new();
    for &x in &corners {
        inputs.extend(corners.iter().map(|&y| vec![x, y]));
    }
    inputs.extend(tuples(F32, 2, 4000, 3));
    for _ in 0..30_000 {
        // Bases of every size, and exponents that keep the result among the numbers.
        let bits =
            |random: &mut Random| u32::try_from(&random.value(HwType::ui(32))).expect("32 bits");
        let x = f32::from_bits(bits(&mut random) & 0x7fff_ffff);
        let size = f64::from(x).log2().abs().max(1e-7);
        let y = (f64::from(bits(&mut random) as i32) / 2f64.powi(31) * 150.0 / size) as f32;
        inputs.push(vec![x.to_bits().into(), y.to_bits().into()]);
    }
    for (input, got) in inputs.iter().zip(results(function, F32, &inputs)) {
        let [x, y] = [0, 1].map(|i| f32::from_bits(input[i] as u32));
        let got = f32::from_bits(got as u32);
        let error = ulps(got, f64::from(x).powf(y.into()));
        assert!(error < 0.64, "{x:e} ** {y:e} = {got:e}: {error}");
    }
}

/// What the tables say of their errors, at points of every segment and at its ends.
#[test]
fn tables_keep_their_bounds() {
    let piece = |function, start, span, scale| Piece {
        function,
        start,
        span,
        scale,
    };
    let pieces = [
        piece(Smooth::Exp2, 0, 0, 0),
        piece(Smooth::Exp2Falling, 0, 0, 0),
        piece(Smooth::Log2Ratio, 0, -1, 0),
        piece(Smooth::LogRatio, -1, -2, 0),
        piece(Smooth::Rsqrt, 1, 1, 1),
        piece(Smooth::SineRatio, 0, -1, 0),
        piece(Smooth::Cosine, 0, -1, 0),
        piece(Smooth::Tanh, 1, -3, 3),
        piece(Smooth::Sinh, 1, -1, 1),
        piece(Smooth::Erf, 1, 1, 0),
        piece(Smooth::Line(Slope::TwoOverRootPi), 1, 0, 0),
    ];
    let mut random = Random::new(2);
    for piece in pieces {
        for (argument, accuracy) in [(6, 8), (16, 18), (27, 27)] {
            let request = Request {
                pieces: vec![piece],
                argument,
                accuracy,
            };
            let tables = Piecewise::new(&request).expect("tables");
            let mut g = Graph::new();
            let t = g.input(0, HwType::ui(argument));
            let value = evaluate(&mut g, &tables, None, t);
            g.outputs.push(value);
            g.validate().expect("valid");
            let ty = HwType {
                width: g.width(value),
                signed: g.ty(value).signed,
            };
            let mut fast = Fast::new(&g).expect("pure");
            let fixed = Fixed { bits: 120 };
            for i in 0..200 {
                let most = (1u128 << argument) - 1;
                let t = match i {
                    0 => 0,
                    1 => most,
                    _ => u128::try_from(&random.value(HwType::ui(argument))).expect("small"),
                };
                let got = ty.wrap(&BigInt::from(fast.eval(&[&[t]])[0]));
                let x = fixed.dyadic(
                    BigInt::from(piece.start) << argument | BigInt::from(t),
                    piece.span - argument as i32,
                );
                let exact = piece
                    .function
                    .series(fixed, &x, 1)
                    .swap_remove(0)
                    .scaled(piece.scale);
                let error = ((got << (fixed.bits - tables.unit)) - &exact.mid).abs();
                let bound: BigInt = &tables.bound << (fixed.bits - tables.unit - 64);
                assert!(
                    error <= bound + exact.rad,
                    "{piece:?} {argument} {accuracy} at {t}"
                );
                assert!(tables.bound <= BigInt::from(1) << (64 + tables.unit - accuracy));
            }
        }
    }
}

/// Powers of the 16-bit formats are right if the error before rounding is below one part of 2^(frac + beyond): by
/// docs/function-errors.md at most 0.55 of it come from the exponent, the rest may come from the table.
#[test]
fn powers_of_16_bits_keep_their_budget() {
    for format in [FloatFormat::F16, FloatFormat::BF16] {
        let bits = format.frac + beyond("pow", format) + 1;
        let tables = power::tables_of(bits).expect("tables");
        // Half of the budget is what the table was asked for.
        let asked = BigInt::from(1) << (64 + tables.unit - bits);
        assert!(&tables.bound * 10 <= asked * 9, "{format}");
    }
}

/// There is a description in every format of a function; here are some of them, with `ALL_FORMATS` all small ones, by which
/// the wider formats are tried too that those need.
#[test]
fn small_formats_have_descriptions() {
    let all = (2..=11).flat_map(|exp| (1..=52).map(move |frac| FloatFormat { exp, frac }));
    let small = all.filter(|format| has_function(*format) && !has_polynomials(*format));
    let step = std::env::var("ALL_FORMATS").map_or(61, |_| 1);
    let some: Vec<FloatFormat> = small.step_by(step).collect();
    std::thread::scope(|scope| {
        for half in some.chunks(some.len().div_ceil(2)) {
            scope.spawn(move || {
                for format in half {
                    for function in FUNCTIONS {
                        let graph = graph(function.name, *format);
                        let types = graph.input_types();
                        assert_eq!(graph.validate(), Ok(()), "{} {format}", function.name);
                        assert_eq!(types.len(), function.operands());
                        let width = graph.width(graph.outputs[0]);
                        assert_eq!(width, format.width(), "{} {format}", function.name);
                    }
                }
            });
        }
    });
}

/// Those of all significands, as the digits of quotients and roots rely on.
#[test]
fn reciprocals_are_a_little_too_small() {
    for (frac, places) in [(1, 7), (3, 8), (7, 13), (10, 16), (12, 18)] {
        let mut g = Graph::new();
        let fraction = g.input(0, HwType::ui(frac));
        let is_twice = g.input(1, HwType::ui(1));
        let reciprocal = below_reciprocal(&mut g, fraction, places).expect("a table");
        let root = below_reciprocal_root(&mut g, is_twice, fraction, places).expect("a table");
        g.outputs = vec![reciprocal, root];
        for x in 0..1i64 << frac {
            for twice in 0..2 {
                let found = eval(&g, &[BigInt::from(x), BigInt::from(twice)]);
                let y = BigInt::from((1 << frac) + x);
                // Of r / 2^places times y / 2^frac, and of its square.
                let one = BigInt::from(1) << (places + frac);
                let [r, s] = [0, 1].map(|at| found[at].clone());
                assert!(&r * &y < one && (&r + 2) * &y > one, "1 / {y}: {r}");
                let (a, one) = (y << twice, one << places);
                let next = &s + 2;
                assert!(&s * &s * &a < one && &next * &next * &a > one, "{a}: {s}");
            }
        }
    }
}
