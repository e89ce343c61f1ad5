//! The emitted operator modules in Verilator, a new operation in every cycle, against the reference.

use allo_hls::driver::{self, Target};
use allo_hls::ir::{Conversion, FloatFormat, Overflow, Rounding, Scalar, StorageFormat};
use allo_hls::sim::operands::{Random, corners, tuples};
use allo_hls::sim::operations::convert;
use allo_hls::sim::value::Value;
use allo_hls::sim::{elementary, softfloat};
use allo_hls::units::float::OPERATORS;
use allo_hls::units::float::elementary::FUNCTIONS;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rtl_tests::lint;
use rtl_tests::stream::{self, Stream};

/// Operations of each module.
const COUNT: usize = 1500;

const FLOATS: [FloatFormat; 4] = [
    FloatFormat::F16,
    FloatFormat::BF16,
    FloatFormat::F32,
    FloatFormat::F64,
];

fn target(mhz: f64) -> Target {
    Target::new("ecp5", 1000.0 / mhz).expect("a built-in device")
}

/// Tuples of operands of a type: corners, interacting ones, or any.
fn inputs(ty: Scalar) -> Vec<Vec<u128>> {
    let mut random = Random::new(8);
    match ty {
        Scalar::Float(f) => {
            let corners = corners(f);
            let mut pick = || corners[random.below(corners.len() as u64) as usize];
            let crossed = (0..COUNT / 2).map(|_| vec![pick(), pick(), pick()]);
            let mut all: Vec<Vec<u128>> = crossed.collect();
            all.extend(tuples(f, 3, COUNT - all.len(), 9));
            all
        }
        _ => (0..COUNT as u128)
            .map(|i| match ty.width() {
                ..=8 => vec![i & ((1 << ty.width()) - 1)],
                // Of every size.
                width => {
                    let size = 1 + random.below(u64::from(width)) as u32;
                    let bits = random.bits(size);
                    let all = (1u128 << width) - 1;
                    vec![if i % 2 == 0 { bits } else { !bits & all }]
                }
            })
            .collect(),
    }
}

#[test]
fn operators_compute_what_the_reference_does() {
    let mut streams = Vec::new();
    let mut operators = Vec::new();
    for format in FLOATS {
        for op in OPERATORS {
            // Hundreds of steps and more: the evaluator's business.
            if op.name == "fmod" && format.exp > 5 {
                continue;
            }
            let module = driver::operator(op, format, None, &target(120.0)).expect("a module");
            let operands = Scalar::Float(format);
            streams.push(Stream { module, operands });
            operators.push((op, format));
        }
    }
    let inputs: Vec<_> = FLOATS.map(|f| (f.into(), inputs(f.into()))).to_vec();
    let folder = tempfile::tempdir().expect("a folder");
    let Some(answers) = stream::run(folder.path(), &streams, &inputs) else {
        return;
    };
    for ((op, format), results) in operators.into_iter().zip(answers) {
        let (_, tuples) = &inputs[FLOATS.iter().position(|f| *f == format).expect("listed")];
        for (i, got) in results {
            let operands = &tuples[i][..op.operands()];
            let want = softfloat::operator(format, op.kind, operands);
            assert_eq!(
                Some(got.into()),
                want,
                "{} {format} of {operands:x?}",
                op.name
            );
        }
    }
}

#[test]
fn functions_compute_what_the_reference_does() {
    let formats = [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32];
    let mut streams = Vec::new();
    let mut functions = Vec::new();
    for format in formats {
        for op in FUNCTIONS.iter().filter(|op| (op.formats)(format)) {
            let module = driver::operator(op, format, None, &target(120.0)).expect("a module");
            let operands = Scalar::Float(format);
            streams.push(Stream { module, operands });
            functions.push((op, format));
        }
    }
    let inputs: Vec<_> = formats.map(|f| (f.into(), inputs(f.into()))).to_vec();
    let folder = tempfile::tempdir().expect("a folder");
    let Some(answers) = stream::run(folder.path(), &streams, &inputs) else {
        return;
    };
    for ((op, format), results) in functions.into_iter().zip(answers) {
        let (_, tuples) = &inputs[formats.iter().position(|f| *f == format).expect("listed")];
        for (i, got) in results {
            let operands = &tuples[i][..op.operands()];
            let want = elementary::function(op.kind, format, operands);
            assert_eq!(
                Some(got.into()),
                want,
                "{} {format} of {operands:x?}",
                op.name
            );
        }
    }
}

/// Conversions that are no casts.
fn chosen_ways() -> Vec<(Scalar, Scalar, Conversion)> {
    let (usual, sat) = (Overflow::Usual, Overflow::Saturate);
    let ways = [
        ("f32", "f16", Rounding::Odd, usual),
        ("f32", "bf16", Rounding::Zero, sat),
        ("f32", "f8e4m3", Rounding::NearestAway, sat),
        ("f32", "f8e5m2", Rounding::Up, usual),
        ("f32", "hif8", Rounding::NearestEven, usual),
        ("f16", "hif8", Rounding::Down, sat),
        ("bf16", "f4e2m1", Rounding::Odd, usual),
        ("f32", "i32", Rounding::NearestEven, usual),
        ("f32", "u8", Rounding::Up, usual),
        ("i32", "f16", Rounding::Down, usual),
        ("i64", "f32", Rounding::Odd, usual),
        ("i32", "u8", Rounding::Zero, sat),
    ];
    let ty = |name| Scalar::named(name).expect("a type");
    let row =
        |(from, to, rounding, overflow)| (ty(from), ty(to), Conversion { rounding, overflow });
    ways.map(row).to_vec()
}

#[test]
fn conversions_compute_what_the_reference_does() {
    let stored = StorageFormat::ALL.map(Scalar::Storage);
    let floats: Vec<Scalar> = FLOATS
        .map(Scalar::Float)
        .into_iter()
        .chain(stored)
        .collect();
    let integers = [Scalar::signed(32), Scalar::unsigned(8), Scalar::signed(64)];
    let types: Vec<Scalar> = floats.iter().copied().chain(integers).collect();
    let mut conversions = Vec::new();
    for &from in &types {
        for &to in &types {
            if from != to && (floats.contains(&from) || floats.contains(&to)) {
                conversions.push((from, to, Conversion::of_cast(to)));
            }
        }
    }
    conversions.extend(chosen_ways());
    let modules = conversions.iter().map(|&(from, to, how)| Stream {
        module: driver::conversion(from, to, how, None, &target(150.0)).expect("a module"),
        operands: from,
    });
    let streams: Vec<Stream> = modules.collect();
    let inputs: Vec<_> = types.iter().map(|&ty| (ty, inputs(ty))).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let Some(answers) = stream::run(folder.path(), &streams, &inputs) else {
        return;
    };
    for ((from, to, how), results) in conversions.into_iter().zip(answers) {
        let (_, tuples) = inputs.iter().find(|(ty, _)| *ty == from).expect("listed");
        for (i, got) in results {
            let x = tuples[i][0];
            let value = convert(from, to, how, &Value::wrapped(from, BigInt::from(x)));
            let want = value.pattern(to).to_u128().expect("at most 64 bits");
            assert_eq!(u128::from(got), want, "{from} to {to} {how:?} of {x:#x}");
        }
    }
}

/// What people download and build in: no tool has anything to say about it.
#[test]
fn modules_stand_alone_and_are_clean() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["fadd", "fmul", "fdiv", "flt", "exp", "sin"] {
        let op = allo_hls::units::float::operator(name).expect("an operator");
        let module =
            driver::operator(op, FloatFormat::BF16, None, &target(150.0)).expect("a module");
        let text = allo_hls::rtl::systemverilog::print(&module.design);
        let file = format!("{name}.sv");
        std::fs::write(folder.path().join(&file), text).expect("writable");
        lint::verilator(folder.path(), &file, &module.manifest.module).expect(name);
        lint::yosys(folder.path(), &file, &module.manifest.module).expect(name);
    }
}
