//! Conversions of a chosen rounding: descriptions, reference and whole kernels against a statement of the rules that shares
//! nothing with either.

#[path = "../rounding/mod.rs"]
mod rounding;

use crate::support;
use allo_hls::diagnostics::Diagnostics;
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::frontend::Compiled;
use allo_hls::hwarith::fast::Fast;
use allo_hls::ir::{Conversion, FloatFormat, Overflow, Rounding, read};
use allo_hls::prove::Limits;
use allo_hls::prove::design::{Proof, prove};
use allo_hls::sim::cosim::{self, CosimOptions};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::operations::convert;
use allo_hls::sim::softfloat;
use allo_hls::sim::value::Value;
use allo_hls::units::float;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rounding::{Number, OVERFLOWS, Statement, number, pairs, patterns, reference, ty, ways};
use std::collections::HashMap;
use std::time::Duration;

#[test]
fn every_pair_in_every_way() {
    for (from, to) in pairs() {
        let statement = Statement::new(from, to);
        let inputs = patterns(from);
        let places: Vec<_> = inputs.iter().map(|&x| statement.place(x)).collect();
        let views: Vec<&[u128]> = inputs.iter().map(std::slice::from_ref).collect();
        // Several ways may be one module.
        let mut results = HashMap::new();
        for (turn, how) in ways(from, to).into_iter().enumerate() {
            let tag = float::conversion_tag(from, to, how);
            let results: &Vec<u128> = results.entry(tag).or_insert_with(|| {
                let graph = float::conversion(from, to, how);
                Fast::new(&graph).expect("words").eval(&views)
            });
            for (i, (&x, &got)) in inputs.iter().zip(results).enumerate() {
                let (want, specified) = statement.result(how, &places[i]);
                let what = || format!("{from} to {to} {how:?} of {x:#x}: not {want:#x}");
                assert!(got == want || !specified, "{}, but {got:#x}", what());
                if (i + turn) % 11 == 0 {
                    let own = reference(from, to, how, x);
                    let agrees = own == (want, specified) || !specified && !own.1;
                    assert!(agrees, "reference: {}, but {own:x?}", what());
                }
            }
        }
    }
}

/// The examples of the language's text, by hand.
#[test]
fn worked_examples() {
    let f32 = |x: f32| u128::from(x.to_bits());
    let minus = |size: u32| u128::from(size.wrapping_neg());
    for (from, x, to, rounding, is_limited, want) in [
        ("f32", f32(65520.0), "f16", "rne", false, 0x7c00),
        ("f32", f32(65520.0), "f16", "rz", false, 0x7bff),
        ("f32", f32(65520.0), "f16", "rne", true, 0x7bff),
        ("f32", f32(464.0), "f8e4m3", "rne", false, 0x7e),
        ("f32", f32(464.0), "f8e4m3", "rna", false, 0x7f),
        ("f32", f32(464.0), "f8e4m3", "rp", false, 0x7f),
        ("f32", f32(464.0), "f8e4m3", "rne", true, 0x7e),
        ("f32", f32(-2.5), "i8", "rz", false, minus(2) & 255),
        ("f32", f32(-2.5), "i8", "rne", false, minus(2) & 255),
        ("f32", f32(-2.5), "i8", "rna", false, minus(3) & 255),
        ("f32", f32(-2.5), "i8", "rm", false, minus(3) & 255),
        ("f32", f32(-2.5), "i8", "ro", false, minus(3) & 255),
        ("i16", 300, "i8", "rz", false, 44),
        ("i16", 300, "i8", "rz", true, 127),
        ("i8", 255, "u16", "rz", false, 65535),
        ("i8", 255, "u16", "rz", true, 0),
        ("f32", f32(1.0 + 1.0 / 2048.0), "f16", "rne", false, 0x3c00),
        ("f32", f32(1.0 + 1.0 / 2048.0), "f16", "ro", false, 0x3c01),
        ("f32", f32(0.75), "f4e2m1", "rne", false, 2),
        ("f32", f32(0.75), "f4e2m1", "ro", false, 1),
        ("i32", 70000, "f16", "rne", false, 0x7c00),
        ("i32", 70000, "f16", "rne", true, 0x7bff),
    ] {
        let rounding = Rounding::ALL.iter().find(|r| r.name() == rounding);
        let how = Conversion {
            rounding: *rounding.expect("a rounding"),
            overflow: OVERFLOWS[usize::from(is_limited)],
        };
        let (from, to) = (ty(from), ty(to));
        let graph = float::conversion(from, to, how);
        let got = Fast::new(&graph).expect("words").eval(&[&[x]])[0];
        assert_eq!(got, want, "{from} to {to} {how:?} of {x:#x}");
        assert_eq!(
            reference(from, to, how, x).0,
            want,
            "reference: {from} to {to} {how:?}"
        );
    }
}

/// The integral value that a finite number is rounded to, found among integers.
fn integral(f: FloatFormat, rounding: Rounding, pattern: u128) -> u128 {
    let wide = ty("i1024");
    let how = Conversion {
        rounding,
        overflow: Overflow::Usual,
    };
    let sign = pattern >> (f.width() - 1) << (f.width() - 1);
    match number(f.into(), pattern) {
        Number::Nan => f.nan().to_u128().expect("a pattern"),
        Number::Infinite(_) => pattern,
        Number::Finite(..) => {
            let rounded = convert(
                f.into(),
                wide,
                how,
                &Value::wrapped(f.into(), BigInt::from(pattern)),
            );
            let back = convert(wide, f.into(), how, &rounded).pattern(f.into());
            sign | back.to_u128().expect("a pattern")
        }
    }
}

#[test]
fn rounding_to_integral_floats() {
    let odd =
        [(2, 1), (2, 4), (3, 1), (5, 2), (4, 40)].map(|(exp, frac)| FloatFormat { exp, frac });
    let usual = [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32];
    for format in usual.into_iter().chain(odd) {
        let inputs = patterns(format.into());
        let views: Vec<&[u128]> = inputs.iter().map(std::slice::from_ref).collect();
        for &rounding in Rounding::ALL {
            let (op, graph) = (rounding.integral(), float::to_integral(format, rounding));
            let results = Fast::new(&graph).expect("words").eval(&views);
            for (&x, got) in inputs.iter().zip(results) {
                let want = integral(format, rounding, x);
                assert_eq!(got, want, "{op:?} of {x:#x} in {format}");
                assert_eq!(
                    softfloat::unary(format, op, x),
                    Some(want),
                    "{op:?} of {x:#x}"
                );
            }
        }
    }
}

/// The hardware of a kernel that is given as `ir`.
fn built(text: &str) -> Compilation {
    let (sources, file) = support::source("kernel.ir", text);
    let program = match read::read(file, text) {
        Ok(program) => program,
        Err(error) => panic!("{}", error.render(&sources, false)),
    };
    let compiled = Compiled {
        program: program.clone(),
        definitions: Default::default(),
        directives: vec![],
        warnings: Diagnostics::default(),
    };
    let target = Target::new("ecp5", 8.0).expect("a device");
    driver::build(&sources, compiled, program, &target)
        .unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)))
}

/// A kernel of conversions of one parameter, with results of all of them.
fn kernel(from: &str, conversions: &[(&str, &str, &str)]) -> String {
    let types: Vec<&str> = conversions.iter().map(|c| c.0).collect();
    let names: Vec<String> = (1..=types.len()).map(|i| format!("%{i}")).collect();
    let line = |(i, (to, rounding, overflow)): (usize, &(&str, &str, &str))| {
        format!(
            "  {}: {to} = convert {rounding} {overflow} %x.0 : {from}\n",
            names[i]
        )
    };
    let lines: String = conversions.iter().enumerate().map(line).collect();
    format!(
        "top kernel @f(%x.0: {from}) -> ({}) {{\n{lines}  return {}\n}}\n",
        types.join(", "),
        names.join(", ")
    )
}

#[test]
fn netlists_convert_as_the_reference_does() {
    for (from, conversions) in [
        (
            "f32",
            &[
                ("f16", "ro", "usual"),
                ("f16", "rz", "sat"),
                ("f8e4m3", "rz", "sat"),
                ("hif8", "rm", "usual"),
            ][..],
        ),
        (
            "f32",
            &[
                ("i8", "rne", "unspecified"),
                ("u16", "rp", "sat"),
                ("i32", "ro", "usual"),
            ],
        ),
        (
            "i32",
            &[
                ("f16", "rna", "sat"),
                ("i8", "rz", "sat"),
                ("f8e5m2", "rp", "usual"),
            ],
        ),
        (
            "u16",
            &[
                ("i8", "rz", "sat"),
                ("i16", "rz", "usual"),
                ("hif8", "rne", "sat"),
            ],
        ),
    ] {
        let compiled = built(&kernel(from, conversions));
        let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("a netlist");
        let options = CosimOptions {
            vectors: 200,
            ..CosimOptions::default()
        };
        let (program, manifest) = (&compiled.program, &compiled.manifest);
        match cosim::cosim_on(&engine, program, manifest, &options, &|_, _| ()) {
            Ok(report) => assert!(report.compared > 0),
            Err(error) => panic!("{from}: {}", error.to_diagnostic().message),
        }
    }
}

/// What is unspecified is neither compared nor lost sight of.
#[test]
fn integers_out_of_range_are_unspecified_where_the_kernel_says_so() {
    let (f32, i8) = (ty("f32"), ty("i8"));
    let how = |overflow| Conversion {
        rounding: Rounding::Zero,
        overflow,
    };
    let of = |overflow, x: f32| reference(f32, i8, how(overflow), x.to_bits().into());
    assert_eq!(of(Overflow::Unspecified, 127.9), (127, true));
    for x in [128.0, -129.0, f32::INFINITY, f32::NAN] {
        assert!(!of(Overflow::Unspecified, x).1, "{x}");
        assert!(
            of(Overflow::Usual, x).1 && of(Overflow::Saturate, x).1,
            "{x}"
        );
    }
    assert_eq!(of(Overflow::Usual, -1e9), (128, true));
}

#[test]
fn conversions_between_integers_are_proven() {
    let conversions = [
        ("i8", "rz", "sat"),
        ("u8", "rz", "sat"),
        ("u32", "rz", "sat"),
        ("i12", "rz", "usual"),
    ];
    let compiled = built(&kernel("i16", &conversions));
    let limits = Limits::within(Duration::from_secs(60));
    match prove(&compiled.question(), &limits) {
        Proof::Proven(_) => {}
        other => panic!("{other:?}"),
    }
}
