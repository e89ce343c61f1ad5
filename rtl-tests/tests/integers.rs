//! Integer division, powers and shifts as hardware: all pairs of small types, wide types, and the loops they are used in.

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::levels::Level;
use allo_hls::sim::cosim::{self, CosimOptions};
use rtl_tests::fuzz::{self, Setting, Verdict};

/// In the netlist's simulator, at a clock.
fn right(text: &str, period: f64, vectors: u64) {
    let setting = Setting {
        steps: fuzz::STEPS,
        period,
        skip: Vec::new(),
        seed: 1,
        vectors,
        directed: false,
        level: Level::One,
    };
    match fuzz::check(text, "top", &setting) {
        Verdict::Right(_) => {}
        Verdict::Refused(why) | Verdict::Wrong(why) => panic!("{period} ns: {why}\n{text}"),
    }
}

const ALL: [&str; 6] = ["a / b", "a // b", "a % b", "a ** b", "a << b", "a >> b"];

/// Results of `operations` on every pair of values of a type, from operands that the kernel counts up itself.
fn all_pairs(ty: &str, width: u32, operations: &[&str]) -> String {
    let count = 1u32 << (2 * width);
    let mut text = format!("from allo import {ty}, kernel\n\n@kernel\ndef top(");
    for index in 0..operations.len() {
        text += &format!("r{index}: \"{ty}[{count}]\", ");
    }
    text += &format!("):\n    for k in range({count}):\n");
    text += &format!("        a: {ty} = k\n        b: {ty} = k >> {width}\n");
    for (index, operation) in operations.iter().enumerate() {
        text += &format!("        r{index}[k] = {operation}\n");
    }
    text
}

#[test]
fn all_pairs_of_small_types() {
    for width in 1..=5 {
        for sign in ["i", "u"] {
            if (sign, width) != ("i", 1) {
                let ty = format!("{sign}{width}");
                right(&all_pairs(&ty, width, &ALL), 10.0, 1);
            }
        }
    }
}

/// Each operation alone is another module than all together.
#[test]
fn all_pairs_of_six_bits() {
    for ty in ["i6", "u6"] {
        right(&all_pairs(ty, 6, &ALL), 5.0, 1);
        for operation in ALL {
            right(&all_pairs(ty, 6, &[operation]), 10.0, 1);
        }
    }
}

/// One invocation is one operation, so that units are iterative.
fn block(style: &str, ty: &str, other: &str, operations: &[&str]) -> String {
    let results: Vec<&str> = vec![ty; operations.len()];
    format!(
        "from allo import *\n\n@kernel(options=KernelOptions(typing_style=\"{style}\"))\n\
         def top(a: {ty}, b: {other}) -> ({}):\n    return {}\n",
        results.join(", "),
        operations.join(", ")
    )
}

#[test]
fn blocks_of_wide_types() {
    for period in [10.0, 4.0] {
        for (ty, other) in [
            ("i32", "i32"),
            ("u32", "u32"),
            ("i64", "i64"),
            ("u128", "u128"),
            ("apint(77, signed=True)", "apint(77, signed=True)"),
            ("i32", "u8"),
            ("u16", "i32"),
            ("apint(300)", "u16"),
        ] {
            for style in ["hls", "cpp"] {
                right(&block(style, ty, other, &ALL[..3]), period, 40);
                right(&block(style, ty, other, &ALL[4..]), period, 40);
            }
        }
        right(&block("hls", "i32", "u8", &ALL[3..4]), period, 20);
        right(&block("cpp", "u64", "u64", &ALL[3..4]), period, 8);
    }
}

#[test]
fn the_index_type() {
    let operations = ["a / b", "a // b", "a % b", "a ** b", "a << b", "a >> b"];
    let text = block("cpp", "index", "index", &operations);
    right(&text, 10.0, 30);
    // Ranges of loop variables make the operands narrow.
    right(
        "from allo import i32, kernel\n\n@kernel\ndef top(out: \"i32[96]\", rest: \"i32[96]\"):\n    \
         for i in range(12):\n        for j in range(1, 9):\n            \
         out[i * 8 + j - 1] = i // j\n            rest[i * 8 + j - 1] = (i - 6) % j\n",
        10.0,
        1,
    );
}

#[test]
fn constant_operands() {
    let constants = [
        "a / 10",
        "a // 10",
        "a % 10",
        "a / -7",
        "a // -7",
        "a % -7",
        "a / 16",
        "a // 16",
        "a % 16",
        "a // -16",
        "a / 1",
        "a // -1",
        "a % 1",
        "a / 0",
        "a // 0",
        "a % 0",
        "1000 / a",
        "1000 // a",
        "1000 % a",
        "a ** 0",
        "a ** 1",
        "a ** 7",
        "a ** 15",
        "a ** -3",
        "a ** 1000",
        "2 ** a",
        "3 ** a",
        "0 ** a",
        "1 ** a",
        "a << 3",
        "a << 40",
        "a >> 3",
        "a >> 40",
        "1 << a",
        "a / 641",
        "a % 65537",
    ];
    for ty in ["i32", "u32", "i9", "u64"] {
        for some in constants.chunks(9) {
            let signed = |operation: &&&str| ty.starts_with('i') || !operation.contains('-');
            let some: Vec<&str> = some.iter().filter(signed).copied().collect();
            right(&block("hls", ty, ty, &some), 10.0, 25);
        }
    }
    right(
        &block(
            "hls",
            "i16",
            "i16",
            &["-1 ** b", "(-2) ** b", "(-8) ** b", "(-1) ** b"],
        ),
        10.0,
        40,
    );
}

const GCD: &str = "from allo import u32, kernel

@kernel
def top(a: u32, b: u32) -> u32:
    x: u32 = a
    y: u32 = b
    while y != 0:
        t: u32 = x % y
        x = y
        y = t
    return x
";

const DIGITS: &str = "from allo import u32, u8, kernel

@kernel
def top(a: u32, out: \"u8[10]\") -> u32:
    n: u32 = a
    for i in range(10):
        out[i] = n % 10
        n = n // 10
    return n
";

const MODPOW: &str = "from allo import u16, u32, kernel

@kernel
def top(b: u32, e: u16, m: u16) -> u32:
    r: u32 = 1
    x: u32 = b % m
    k: u16 = e
    while k != 0:
        if k & 1:
            r = r * x % m
        x = x * x % m
        k = k >> 1
    return r
";

const STREAM: &str = "from allo import i32, kernel

@kernel
def top(a: \"i32[24]\", b: \"i32[24]\", q: \"i32[24]\", r: \"i32[24]\"):
    for i in range(24):
        x: i32 = a[i]
        y: i32 = b[i]
        q[i] = x // y
        r[i] = x % y
";

#[test]
fn loops_with_divisions() {
    for text in [GCD, DIGITS, MODPOW, STREAM] {
        for period in [10.0, 5.0, 2.5] {
            right(text, period, 12);
        }
    }
}

fn compile(text: &str) -> Compilation {
    let mut sources = SourceMap::default();
    let file = sources.add("kernel.py", text);
    let target = Target::new("ecp5", 10.0).expect("a built-in device");
    driver::compile(&mut sources, file, Some("top"), &target)
        .unwrap_or_else(|e| panic!("{}", e.render(&sources, false)))
}

#[test]
fn verilator_agrees() {
    let (wide, shifts) = (
        block("hls", "i64", "i64", &ALL[..3]),
        block("hls", "apint(77, signed=True)", "i9", &ALL[4..]),
    );
    let small = all_pairs("i4", 4, &ALL);
    for text in [GCD, DIGITS, MODPOW, STREAM, &wide, &shifts, &small] {
        let compiled = compile(text);
        let options = CosimOptions {
            vectors: 20,
            ..CosimOptions::default()
        };
        let source = compiled.systemverilog();
        cosim::cosim(&compiled.program, &compiled.manifest, &source, &options)
            .unwrap_or_else(|e| panic!("{}\n{text}", fuzz::explained(&e)));
    }
}

/// One module gives quotient and remainder; an element of the stream is done each cycle, a block takes the iterative one.
#[test]
fn the_schedule_chooses_the_implementation() {
    let stream = compile(STREAM);
    assert_eq!(stream.hardware.units.len(), 1);
    let units: Vec<u32> = stream
        .schedule
        .variants(&stream.hardware)
        .map(|(_, v)| v.interval)
        .collect();
    assert_eq!(units, [1]);
    let block = compile(&block("hls", "u32", "u32", &["a // b", "a % b"]));
    let units: Vec<u32> = block
        .schedule
        .variants(&block.hardware)
        .map(|(_, v)| v.interval)
        .collect();
    assert!(matches!(units[..], [interval] if interval > 1), "{units:?}");
}
