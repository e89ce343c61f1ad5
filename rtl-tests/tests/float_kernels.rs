//! Kernels of float operations: netlists in process and emitted text in Verilator against the reference.

use allo_hls::levels::Level;
use allo_hls::sim::cosim::{self, CosimOptions};
use rtl_tests::fuzz::{self, Setting, Verdict};

/// Every operator, several together, in and around loops; `T` stands for the type.
const KERNELS: &[(&str, &str)] = &[
    (
        "saxpy_div",
        "def top(a: T, x: 'T[9]', y: 'T[9]', o: 'T[9]'):
    for i in range(9):
        o[i] = a * x[i] / y[i]
",
    ),
    (
        "normalise",
        "def top(x: 'T[8]', o: 'T[8]'):
    s: T = 0.0
    for i in range(8):
        s += x[i] * x[i]
    r: T = math.sqrt(s)
    for i in range(8):
        o[i] = x[i] / r
",
    ),
    (
        "fma_chain",
        "def top(x: T, c: 'T[7]', o: 'T[2]'):
    h: T = 0.0
    for i in range(7):
        h = math.fma(h, x, c[i])
    o[0] = h
    o[1] = math.fma(c[0], c[1], -c[2])
",
    ),
    (
        "remainders",
        "def top(x: 'T[5]', y: 'T[5]', o: 'T[5]', q: 'T[5]'):
    for i in range(5):
        o[i] = x[i] % y[i]
        q[i] = x[i] // y[i]
",
    ),
    (
        "tests",
        "def top(x: 'T[6]', y: 'T[6]', o: 'T[6]', c: 'u1[6]'):
    for i in range(6):
        o[i] = math.floor(min(x[i], y[i])) - math.ceil(max(abs(x[i]), -y[i]))
        c[i] = x[i] / y[i] <= math.sqrt(x[i])
",
    ),
    (
        "activations",
        "def top(x: 'T[7]', s: 'T[7]', g: 'T[7]', t: 'T[7]'):
    for i in range(7):
        s[i] = 1.0 / (1.0 + math.exp(-x[i]))
        g[i] = 0.5 * x[i] * (1.0 + math.erf(x[i] * 0.7071067811865476))
        t[i] = math.tanh(x[i])
",
    ),
    (
        "layer_norm",
        "def top(x: 'T[8]', o: 'T[8]'):
    mean: T = 0.0
    for i in range(8):
        mean += x[i] / 8
    spread: T = 0.0
    for i in range(8):
        spread += (x[i] - mean) * (x[i] - mean) / 8
    rate: T = math.rsqrt(spread + 0.001)
    for i in range(8):
        o[i] = (x[i] - mean) * rate
",
    ),
    (
        "rotary",
        "def top(position: T, x: 'T[4]', y: 'T[4]', u: 'T[4]', v: 'T[4]'):
    for k in range(4):
        c: T = math.cos(position * x[k])
        s: T = math.sin(position * x[k])
        u[k] = x[k] * c - y[k] * s
        v[k] = x[k] * s + y[k] * c + math.tan(y[k])
",
    ),
    (
        "logarithms",
        "def top(x: 'T[5]', o: 'T[5]', p: 'T[5]'):
    for i in range(5):
        o[i] = math.log(x[i]) + math.log2(abs(x[i]))
        p[i] = math.sinh(x[i]) * math.cosh(x[i]) - math.exp2(x[i])
",
    ),
    (
        "powers",
        "def top(x: 'T[5]', y: 'T[5]', o: 'T[5]', p: 'T[5]'):
    for i in range(5):
        o[i] = x[i] ** y[i]
        p[i] = abs(x[i]) ** (y[i] / 64)
",
    ),
];

/// Those that have hardware for the type. A remainder of f64 takes a thousand cycles, more than the bench waits.
fn runs(name: &str, ty: &str) -> bool {
    match name {
        "remainders" | "rotary" | "logarithms" => ty != "f64",
        "powers" => ty == "f32",
        _ => true,
    }
}

fn text(kernel: &str, ty: &str, options: &str) -> String {
    let kernel = kernel
        .replace("'T[", &format!("'{ty}["))
        .replace("T ", &format!("{ty} "));
    let kernel = kernel.replace("T,", &format!("{ty},"));
    format!("from allo import *\nfrom allo import math\n\n@kernel{options}\n{kernel}")
}

fn setting(seed: u64, vectors: u64) -> Setting {
    Setting {
        steps: fuzz::STEPS,
        period: [10.0, 5.0, 20.0][(seed % 3) as usize],
        skip: Vec::new(),
        seed,
        vectors,
        directed: false,
        level: Level::One,
    }
}

#[test]
fn netlists_compute_what_the_reference_does() {
    const FTZ: &str = "(options=KernelOptions(subnormals='ftz'))";
    for (ty, options) in [
        ("f16", ""),
        ("bf16", FTZ),
        ("f32", ""),
        ("f32", FTZ),
        ("f64", ""),
        ("apfloat(6, 9)", FTZ),
    ] {
        for (seed, (name, kernel)) in (1..).zip(KERNELS) {
            if runs(name, ty) {
                let text = text(kernel, ty, options);
                match fuzz::check(&text, "top", &setting(seed, 6)) {
                    Verdict::Right(values) => assert!(values > 0),
                    other => panic!("{name} of {ty}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn emitted_text_computes_what_the_reference_does() {
    for (name, kernel) in KERNELS {
        let compiled = fuzz::compile(&text(kernel, "f32", ""), "top", &setting(0, 0))
            .unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let options = CosimOptions {
            vectors: 24,
            ..CosimOptions::default()
        };
        let sv = compiled.systemverilog();
        cosim::cosim(&compiled.program, &compiled.manifest, &sv, &options)
            .unwrap_or_else(|e| panic!("{name}: {e:?}"));
    }
}
