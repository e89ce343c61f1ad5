//! Proofs of whole kernels: what is right is proven, a planted fault is found, and the rest is refused.

mod planted;

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::ir::Scalar;
use allo_hls::levels::Level;
use allo_hls::prove::design::{self, Proof, Statistics, prove, refutation};
use allo_hls::prove::{Limits, Stop};
use allo_hls::rtl::netlist::{BinaryOp, CompareOp, Expr, Item, Operand, ShiftOp};
use allo_hls::sim::cosim::{self, CosimOptions};
use allo_hls::sim::elements::Elements;
use allo_hls::sim::elements::Invocation;
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::value::{Signature, Value};
use num_bigint::BigInt;
use planted::mutated;
use std::time::Duration;

fn compile(text: &str, top: Option<&str>) -> Compilation {
    compile_at(Level::One, text, top)
}

fn compile_at(level: Level, text: &str, top: Option<&str>) -> Compilation {
    let mut sources = SourceMap::default();
    let file = sources.add("kernel.py", text);
    // Not a measured device, whose delays change with every measurement.
    let device = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/device.toml");
    let mut target = Target::new(device, 10.0).expect("a device");
    target.aim.level = level;
    match driver::compile(&mut sources, file, top, &target) {
        Ok(compilation) => compilation,
        Err(e) => panic!("{:?}", e.0.iter().map(|d| &d.message).collect::<Vec<_>>()),
    }
}

fn limits() -> Limits {
    Limits::within(Duration::from_secs(300))
}

#[track_caller]
fn proven(compilation: &Compilation) -> Statistics {
    match prove(&compilation.question(), &limits()) {
        Proof::Proven(statistics) => statistics,
        other => panic!("{}: {other:?}", compilation.manifest.module),
    }
}

#[track_caller]
fn example(name: &str) {
    let path = format!("{}/examples/{name}.py", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("an example");
    proven(&compile(&text, (name == "called").then_some("called")));
}

#[test]
fn small_examples_are_proven() {
    for name in [
        "scalar_add",
        "choose",
        "clamp",
        "classify",
        "fill",
        "vector_add",
        "called",
    ] {
        example(name);
    }
}

#[test]
fn examples_with_products_and_sums_are_proven() {
    for name in ["saxpy_i32", "prefix_sum", "fir"] {
        example(name);
    }
}

const KERNELS: &str = r#"
from allo import i8, i16, i32, i64, u1, u3, u4, u8, u32, kernel, apint
i96 = apint(96, signed=True)

@kernel
def triple(a: i32, b: i32, c: i32) -> i96:
    return a * b * c

@kernel
def polynomial(x: i16, y: i16) -> i64:
    return (x + y) * (x - y) * (x + 3)

@kernel
def powers(x: i32) -> i32:
    return x ** 5 - x ** 2

@kernel
def shifts(a: i32, n: i8) -> i32:
    return (a << n) ^ (a >> n)

@kernel
def histogram(samples: "u3[6]", bins: "u8[8]"):
    for b in range(8):
        bins[b] = 0
    for i in range(6):
        bins[samples[i]] += 1

@kernel
def ones(x: u32) -> u8:
    n: u8 = 0
    for i in range(32):
        n += x[i]
    return n

@kernel
def sort(x: "i8[4]"):
    for i in range(3):
        for j in range(3):
            if x[j] > x[j + 1]:
                t: i8 = x[j]
                x[j] = x[j + 1]
                x[j + 1] = t

@kernel
def squares(n: u4) -> i32:
    acc: i32 = 0
    for i in range(n):
        acc += i * i
    return acc

@kernel
def threes(n: u3) -> i32:
    acc: i32 = 0
    i: i32 = 0
    while i < n:
        acc += 3 * i
        i += 1
    return acc

@kernel
def element(x: "i32[5]", i: u4) -> i32:
    return x[i]

@kernel
def dot(x: "i32[6]", y: "i32[6]") -> i32:
    acc: i32 = 0
    for i in range(6):
        acc += x[i] * y[i]
    return acc

@kernel
def wide(x: i96, y: i96, out: "i96[2]"):
    for i in range(2):
        out[i] = (x * y) >> (i * 90)

@kernel
def endless(n: i32) -> i32:
    i: i32 = 0
    while i < n:
        i += 1
    return i
"#;

#[test]
fn kernels_of_all_constructs_are_proven() {
    for top in [
        "triple",
        "polynomial",
        "powers",
        "shifts",
        "histogram",
        "ones",
        "sort",
        "squares",
        "threes",
        "element",
        "dot",
        "wide",
    ] {
        proven(&compile(KERNELS, Some(top)));
    }
}

/// Products are compared as polynomials; what is left for the solver would not end.
#[test]
fn products_need_no_solver() {
    for top in ["triple", "polynomial", "dot"] {
        let statistics = proven(&compile(KERNELS, Some(top)));
        assert_eq!(statistics.solved, 0, "{top}");
    }
}

/// A fault in the netlist's first operation that `damage` accepts is found, and seen in a simulation.
#[track_caller]
fn fault_is_found(top: &str, damage: impl Fn(&mut Expr) -> bool) {
    fault_is_found_in(KERNELS, top, damage);
}

#[track_caller]
fn fault_is_found_in(text: &str, top: &str, damage: impl Fn(&mut Expr) -> bool) {
    let mut compilation = compile(text, Some(top));
    let module = compilation.design.top().expect("a module");
    let items = &mut compilation.design.modules[module].items;
    let damaged = items.iter_mut().any(|item| match item {
        Item::Assign {
            expr,
            origin: Some(_),
            ..
        } => damage(expr),
        _ => false,
    });
    assert!(damaged, "{top} has nothing to damage");
    match prove(&compilation.question(), &limits()) {
        Proof::Refuted(arguments) => {
            let found = refutation(&compilation.question(), &arguments);
            assert!(
                found.message.contains(&format!("{top}(")),
                "{}",
                found.message
            );
            let confirmed = |text: &String| text.starts_with("simulated: ");
            assert!(
                found.notes.iter().any(|(_, text)| confirmed(text)),
                "{:?}",
                found.notes
            );
        }
        other => panic!("{top}: {other:?}"),
    }
}

#[test]
fn planted_faults_are_found() {
    fault_is_found("polynomial", |expr| match expr {
        Expr::Multiply { rhs_signed, .. } => {
            *rhs_signed = !*rhs_signed;
            true
        }
        _ => false,
    });
    fault_is_found("sort", |expr| match expr {
        Expr::Compare {
            signed: signed @ true,
            op: CompareOp::Lt | CompareOp::Gt,
            ..
        } => {
            *signed = false;
            true
        }
        _ => false,
    });
    fault_is_found("shifts", |expr| match expr {
        Expr::Shift {
            op: op @ ShiftOp::RightArithmetic,
            ..
        } => {
            *op = ShiftOp::Right;
            true
        }
        _ => false,
    });
    fault_is_found("dot", |expr| match expr {
        Expr::Binary {
            op: op @ BinaryOp::Add,
            ..
        } => {
            *op = BinaryOp::Or;
            true
        }
        _ => false,
    });
    fault_is_found("threes", |expr| match expr {
        Expr::Compare {
            op: op @ CompareOp::Lt,
            ..
        } => {
            *op = CompareOp::Le;
            true
        }
        _ => false,
    });
}

const DIVISIONS: &str = r#"
from allo import i8, u8, i16, u12, u16, i32, u32, i64, kernel

@kernel
def tenth(a: u32) -> u32:
    return a / 10

@kernel
def seventh(a: i32) -> i32:
    return a / (-7)

@kernel
def floored(a: i32) -> i32:
    return a // 7

@kernel
def floored_by_negative(a: i32) -> i32:
    return a // (-12)

@kernel
def thousandths(a: i32) -> i32:
    return a % 1000

@kernel
def digit(a: u32) -> u32:
    return (a / 10) % 10

@kernel
def long(a: i64) -> i64:
    return a // 10

@kernel
def middle(a: i16, b: i16) -> i32:
    return (a + b) // 3

@kernel
def sum_of_digits(a: "i32[3]") -> i32:
    s: i32 = 0
    for i in range(3):
        s += a[i] % 100 // 3
    return s

@kernel
def eighth(a: i32) -> i32:
    return a / 8 + a // 16 + a % 4

@kernel
def thousandth(a: u16) -> u16:
    return a / 1000

@kernel
def quotient(a: i8, b: i8) -> i8:
    return a / b

@kernel
def floored_quotient(a: i8, b: i8) -> i8:
    return a // b

@kernel
def wide_floored_quotient(a: i16, b: i16) -> i16:
    return a // b

@kernel
def wide_quotient(a: u32, b: u32) -> u32:
    return a / b

@kernel
def remainder(a: i16, b: i16) -> i16:
    return a % b
"#;

#[test]
fn divisions_are_proven() {
    for top in [
        "tenth",
        "seventh",
        "sum_of_digits",
        "long",
        "floored",
        "floored_by_negative",
        "thousandths",
        "middle",
        "eighth",
        "thousandth",
        "quotient",
        "floored_quotient",
        "wide_floored_quotient",
        "wide_quotient",
        "remainder",
    ] {
        proven(&compile(DIVISIONS, Some(top)));
    }
}

/// A product by a reciprocal is the quotient itself once the condition on its numbers holds.
#[test]
fn quotients_by_constants_need_no_solver() {
    for top in [
        "tenth",
        "seventh",
        "long",
        "floored",
        "thousandths",
        "middle",
    ] {
        let statistics = proven(&compile(DIVISIONS, Some(top)));
        assert_eq!(statistics.solved, 0, "{top}");
    }
}

/// The condition is on the numbers of the netlist: a multiplier near the right one is proven if it is right for all
/// numerators, which it is if it is at both ends of every step of the quotient, and else refuted.
#[test]
fn a_reciprocal_is_proven_only_if_it_is_right() {
    let right = compile(DIVISIONS, Some("thousandth"));
    let module = right.design.top().expect("a module");
    let number = |value: u32| {
        let ty = Scalar::unsigned(16);
        Invocation::of(vec![Elements::one(ty, Value::int(ty, value.into()))])
    };
    let ends = (1..=65)
        .flat_map(|k| [1000 * k - 1, 1000 * k])
        .chain([0, 65_535]);
    let ends: Vec<Invocation> = ends.map(number).collect();
    let mut seen = [0, 0];
    for delta in -4i32..=4 {
        let mut spoilt = right.clone();
        let items = &mut spoilt.design.modules[module].items;
        let factor = items.iter_mut().find_map(|item| match item {
            Item::Assign {
                expr:
                    Expr::Multiply {
                        rhs: Operand::Const { value, .. },
                        ..
                    },
                ..
            } => Some(value),
            _ => None,
        });
        let factor = factor.expect("a product by a constant");
        *factor = (BigInt::from(factor.clone()) + delta)
            .to_biguint()
            .expect("positive");
        let is_right = simulates(&spoilt, Some(ends.clone()));
        match prove(&spoilt.question(), &limits()) {
            Proof::Proven(_) => assert!(is_right, "{delta}"),
            Proof::Refuted(_) => assert!(!is_right, "{delta}"),
            Proof::Open(stop) => panic!("{delta}: {stop:?}"),
        }
        seen[usize::from(is_right)] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

/// Whether a netlist behaves in simulation, with given or random inputs.
fn simulates(compilation: &Compilation, args: Option<Vec<Invocation>>) -> bool {
    let engine = Netlist::new(&compilation.design, &compilation.manifest).expect("ports");
    let options = CosimOptions {
        vectors: 100,
        args,
        threads: 1,
        ..CosimOptions::default()
    };
    let (program, manifest) = (&compilation.program, &compilation.manifest);
    cosim::cosim_on(&engine, program, manifest, &options, &|_, _| ()).is_ok()
}

/// Every operation of a kernel is spoilt in turn: what is proven all the same is no fault, as simulations agree.
/// Shows a kernel with a fault in one item of its netlist after the other, and the item's number. Only in what was written
/// in the kernel: a fault of the control may show in the invocation after the one that is proven.
fn spoilt(right: &Compilation, mut show: impl FnMut(&Compilation, usize)) {
    for module in right.design.modules.ids() {
        for at in 0..right.design.modules[module].items.len() {
            let mut spoilt = right.clone();
            let Item::Assign {
                expr,
                origin: Some(_),
                ..
            } = &mut spoilt.design.modules[module].items[at]
            else {
                continue;
            };
            let Some(other) = mutated(expr) else { continue };
            *expr = other;
            show(&spoilt, at);
        }
    }
}

#[test]
fn no_fault_is_proven_right() {
    let (mut refuted, mut harmless) = (0, 0);
    for (text, top) in [
        (KERNELS, "shifts"),
        (KERNELS, "sort"),
        (KERNELS, "ones"),
        (KERNELS, "threes"),
        (KERNELS, "polynomial"),
        (DIVISIONS, "middle"),
        (DIVISIONS, "quotient"),
    ] {
        spoilt(&compile(text, Some(top)), |spoilt, at| {
            match prove(&spoilt.question(), &Limits::of_work(40_000_000)) {
                Proof::Refuted(_) => refuted += 1,
                Proof::Open(_) => {}
                Proof::Proven(_) => {
                    harmless += 1;
                    assert!(simulates(spoilt, None), "{top}, item {at}");
                }
            }
        });
    }
    assert!(
        refuted > 20 && refuted > 2 * harmless,
        "{refuted}, {harmless}"
    );
}

#[test]
fn what_a_proof_does_not_cover_is_refused() {
    let open = |text: &str, top: &str, limits: Limits| match prove(
        &compile(text, Some(top)).question(),
        &limits,
    ) {
        Proof::Open(stop) => stop,
        other => panic!("{other:?}"),
    };
    let floats = "from allo import f32, kernel\n@kernel\ndef add(a: f32, b: f32) -> f32:\n    return a + b\n";
    let stop = open(floats, "add", limits());
    assert!(
        matches!(&stop, Stop::Unsuitable(what, Some(_)) if what == "add of f32"),
        "{stop:?}"
    );
    let stop = open(KERNELS, "endless", limits());
    assert!(
        matches!(&stop, Stop::Unsuitable(what, Some(_)) if what.contains("1024 times")),
        "{stop:?}"
    );
    let few = Limits {
        nodes: 100,
        ..limits()
    };
    assert!(matches!(open(KERNELS, "histogram", few), Stop::TooLarge(_)));
    let late = Limits::within(Duration::ZERO);
    assert_eq!(open(KERNELS, "histogram", late), Stop::Time);
}

/// A build proves a kernel where that takes no longer than to run it, and says the same on every machine.
#[test]
fn an_attempt_ends_with_its_work() {
    let attempt = |text: &str, top: &str, work: u64| {
        let compiled = compile(text, Some(top));
        match design::attempt(&compiled.question(), work) {
            Some(Proof::Proven(_)) => Some(true),
            Some(Proof::Refuted(_)) => Some(false),
            Some(Proof::Open(stop)) => panic!("an attempt is not open: {stop:?}"),
            None => None,
        }
    };
    assert_eq!(attempt(KERNELS, "polynomial", 1 << 22), Some(true));
    assert_eq!(attempt(KERNELS, "polynomial", 1 << 16), None);
    // A proof that needs the solver: what it is worth is counted, so that the least work that is enough is always the same.
    let least = |text: &str, top: &str| {
        let (mut low, mut high) = (0, 1 << 27);
        while high - low > 1_000 {
            let middle = (low + high) / 2;
            match attempt(text, top, middle) {
                Some(true) => high = middle,
                _ => low = middle,
            }
        }
        high
    };
    assert_eq!(least(KERNELS, "sort"), least(KERNELS, "sort"));
    let wide = "from allo import *\n@kernel\ndef f(a: u128, b: u128) -> u128:\n    return a * b\n";
    assert_eq!(attempt(wide, "f", 1 << 30), None);
    let floats = "from allo import *\n@kernel\ndef f(a: f32) -> f32:\n    return a + 1.0\n";
    assert_eq!(attempt(floats, "f", 1 << 30), None);
}

/// What an attempt says of netlists with faults: never that they are right, and often that they are wrong.
#[test]
fn an_attempt_refutes_faults() {
    let mut refuted = 0;
    for top in ["element", "polynomial", "shifts"] {
        spoilt(
            &compile(KERNELS, Some(top)),
            |spoilt, at| match design::attempt(&spoilt.question(), 1 << 24) {
                Some(Proof::Refuted(_)) => refuted += 1,
                Some(Proof::Proven(_)) => assert!(simulates(spoilt, None), "{top}, item {at}"),
                _ => {}
            },
        );
    }
    assert!(refuted > 5, "{refuted}");
}

/// A network of the tests.
fn network(name: &str) -> Compilation {
    let path = format!("{}/tests/networks/{name}.py", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a network");
    compile_at(Level::Two, &text, Some("top"))
}

/// Chains, a fan-out, feedback, arrays and scalars between processes, streams of the top kernel, overlapping invocations.
#[test]
fn networks_are_proven() {
    for name in [
        "array_in_banks",
        "chain",
        "feedback",
        "got_behind",
        "overlapping_scalars",
        "overlapping_stages",
        "overlapping_streams",
        "shared_input",
        "systolic_streams",
    ] {
        match name {
            "overlapping_streams" => refused(&network(name), "kept between invocations"),
            _ => _ = proven(&network(name)),
        }
    }
}

#[track_caller]
fn refused(compilation: &Compilation, why: &str) {
    match prove(&compilation.question(), &limits()) {
        Proof::Open(Stop::Unsuitable(what, Some(_))) => assert!(what.contains(why), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_data_or_time_decide_of_a_network_is_not_proven() {
    refused(
        &network("conditional"),
        "a stream under a condition that the data decide",
    );
    let promise = "from allo import *\nimport allo\n@kernel\ndef f(x: \"i32[4]\"):\n    for i in range(4):\n        \
                   allo.assume(x, i, type=\"inter\", direction=\"raw\")\n        x[i] = x[i] + 1\n";
    refused(&compile(promise, None), "a promise about dependences");
}

/// In each module in turn, the first operations that can be others: what is proven is right in an invocation.
#[test]
fn faults_of_networks_are_found() {
    let right = network("arrays");
    let signature = Signature::of(&right.program);
    let slots = signature.params.iter();
    let args = slots.map(|slot| {
        let value = |place: usize| Value::int(slot.ty, (7 * place as i128 + 3) % 100);
        Elements::given(slot.ty, (0..slot.len()).map(value).collect())
    });
    let once = Invocation::of(args.collect());
    let few = || Limits {
        cycles: 100,
        ..limits()
    };
    assert!(matches!(prove(&right.question(), &few()), Proof::Proven(_)));
    let mut refuted = 0;
    for module in right.design.modules.ids() {
        let items = &right.design.modules[module].items;
        let faults = items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| match item {
                Item::Assign { expr, .. } => Some((at, mutated(expr)?)),
                _ => None,
            });
        for (at, fault) in faults.take(3) {
            let mut spoilt = right.clone();
            if let Item::Assign { expr, .. } = &mut spoilt.design.modules[module].items[at] {
                *expr = fault;
            }
            match prove(&spoilt.question(), &few()) {
                Proof::Refuted(_) => refuted += 1,
                Proof::Proven(_) => {
                    assert!(
                        simulates(&spoilt, Some(vec![once.clone()])),
                        "{module:?}, item {at}"
                    )
                }
                Proof::Open(_) => {}
            }
        }
    }
    assert!(refuted >= 3, "{refuted}");
}
