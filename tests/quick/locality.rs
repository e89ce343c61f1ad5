//! Local copies, windows and fused nests: each schedule runs beside the reference.

use crate::scheduled::{scheduled, scheduled_or};
use allo_hls::driver::Compilation;

const HEAD: &str = "from allo import *\n";

/// A kernel `top` of these parameters and lines.
fn kernel(params: &str, lines: &str) -> String {
    let body: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!("{HEAD}@kernel\ndef top({params}):\n{body}")
}

/// The shape of a local array.
fn shape(compiled: &Compilation, name: &str) -> Vec<u64> {
    let kernel = &compiled.directed.kernels[compiled.directed.top];
    let mut arrays = kernel.arrays.values();
    let found = arrays.find(|array| array.name == name);
    found
        .unwrap_or_else(|| panic!("no array '{name}'"))
        .shape
        .clone()
}

/// The text of the ir after directives.
fn directed(compiled: &Compilation) -> String {
    allo_hls::ir::print::print(&compiled.directed, None)
}

#[test]
fn buffers_hold_what_an_iteration_touches() {
    let add = kernel(
        "a: i32[6, 8], b: i32[6, 8]",
        "for i in range(6):
    for j in range(8):
        b[i, j] = a[i, j] + 1",
    );
    for (array, fills, backs) in [("a", 1, 0), ("b", 0, 1)] {
        let compiled = scheduled(&add, &format!("s.buffer_at(\"{array}\", \"i\")"));
        assert_eq!(shape(&compiled, &format!("{array}_local")), [1, 8]);
        let text = directed(&compiled);
        assert_eq!(text.matches("_fill\"").count(), fills, "{text}");
        assert_eq!(text.matches("_back\"").count(), backs, "{text}");
    }
    // The innermost loop is fine, a copy of a copy, too.
    scheduled(&add, "s.buffer_at(\"b\", \"j\")");
    scheduled(
        &add,
        "local = s.buffer_at(\"a\", \"i\")\ns.buffer_at(local, \"j\")",
    );
    let gemm = kernel(
        "a: f32[4, 6], b: f32[6, 5], c: f32[4, 5]",
        "for i in range(4):
    for j in range(5):
        for k in range(6):
            c[i, j] += a[i, k] * b[k, j]",
    );
    let compiled = scheduled(
        &gemm,
        "s.reorder((\"k\", \"j\"))
local = s.buffer_at(\"c\", \"i\")
s.partition(local, dim=2, kind=s.Cyclic, factor=2)
s.pipeline(\"j\")",
    );
    assert_eq!(shape(&compiled, "c_local"), [1, 5]);
    let strided = kernel(
        "a: i32[16], b: i32[16]",
        "for io in range(4):
    for ii in range(4):
        b[io * 4 + ii] = a[io * 4 + ii] + 1",
    );
    let compiled = scheduled(&strided, "s.buffer_at(\"b\", \"io\")");
    assert_eq!(shape(&compiled, "b_local"), [4]);
    // What is left over of a split loop reaches beyond the end.
    let rest = kernel(
        "a: i32[10], b: i32[10]",
        "for i in range(10):\n    b[i] = a[i] + b[i]",
    );
    for array in ["a", "b"] {
        let lines = format!("o, i = s.split(\"i\", factor=4)\ns.buffer_at(\"{array}\", o)");
        let compiled = scheduled(&rest, &lines);
        assert_eq!(shape(&compiled, &format!("{array}_local")), [4]);
    }
}

#[test]
fn boxes_that_overlap_keep_what_others_wrote() {
    let stencil = kernel(
        "a: i32[12], n: i32[12]",
        "for i in range(1, 11):
    for k in range(3):
        if n[i] > k:
            a[i + k - 1] += a[i] * n[k]",
    );
    let compiled = scheduled(&stencil, "s.buffer_at(\"a\", \"i\")");
    assert_eq!(shape(&compiled, "a_local"), [3]);
    let triangle = kernel(
        "a: i32[8, 8]",
        "for i in range(8):
    for j in range(i, i + 3):
        a[i, j] = a[i, j - 1] + 1",
    );
    let compiled = scheduled(&triangle, "s.buffer_at(\"a\", \"i\")");
    assert_eq!(shape(&compiled, "a_local"), [1, 4]);
    let grid = kernel(
        "a: i32[7], b: i32[11]",
        "for i, z in grid(5, 2):
    for k in range(3):
        if k == z:
            b[2 * i + k] = a[i + k] + z",
    );
    scheduled(
        &grid,
        "s.buffer_at(\"b\", \"i\")\ns.unroll(\"i\", factor=2)",
    );
}

#[test]
fn windows_move_with_their_loop() {
    let blur = kernel(
        "a: i32[6, 10], b: i32[6, 8]",
        "for y in range(6):
    for x in range(8):
        b[y, x] = a[y, x] + 2 * a[y, x + 1] + 3 * a[y, x + 2]",
    );
    for ring in ["False", "True"] {
        let lines = format!("s.reuse_at(\"a\", \"x\", ring={ring})\ns.pipeline(\"x\", ii=0)");
        let compiled = scheduled(&blur, &lines);
        assert_eq!(shape(&compiled, "a_reuse"), [1, 3]);
    }
    let rows = kernel(
        "a: i32[8, 6], b: i32[6, 6]",
        "for y in range(6):
    for x in range(6):
        b[y, x] = a[y, x] + a[y + 1, x] - a[y + 2, x]",
    );
    for ring in ["False", "True"] {
        let compiled = scheduled(&rows, &format!("s.reuse_at(\"a\", \"y\", ring={ring})"));
        assert_eq!(shape(&compiled, "a_reuse"), [3, 6]);
    }
    let convolution = kernel(
        "a: i32[8, 9], w: i32[3, 3], b: i32[6, 7]",
        "for y, x in grid(6, 7, name=\"yx\"):
    v: i32 = 0
    for r, c in grid(3, 3):
        v += a[y + r, x + c] * w[r, c]
    b[y, x] = v",
    );
    let convolution = convolution.replace("grid(3, 3)", "reduction(3, 3)");
    let convolution = convolution.replace(
        "    for r, c in reduction(3, 3):\n            v +=",
        "    for r in range(3):\n            for c in range(3):\n                v +=",
    );
    let compiled = scheduled(
        &convolution,
        "lines = s.reuse_at(\"a\", \"y\")
window = s.reuse_at(lines, \"x\")
s.partition(lines, dim=1)
s.partition(window)
s.pipeline(\"x\", ii=0)",
    );
    assert_eq!(shape(&compiled, "a_reuse"), [3, 9]);
    assert_eq!(shape(&compiled, "a_reuse_reuse"), [3, 3]);
    // By more than one, backwards, and along what is not the first loop around.
    let strided = kernel(
        "a: i32[20], b: i32[8]",
        "for i in range(8):
    b[i] = a[2 * i] - a[2 * i + 3] + a[2 * i + 1]",
    );
    let backwards = kernel(
        "a: i32[12], b: i32[10]",
        "for i in range(9, -1, -1):
    b[i] = a[i] - a[i + 1] + 5 * a[i + 2]",
    );
    let inner = kernel(
        "a: i32[5, 9], b: i32[5, 7], m: u3",
        "for r in range(5):
    for i in range(m, 7):
        b[r, i] = a[r, i] - a[4 - r, i + 2] + a[r, i + 1]",
    );
    for text in [&strided, &backwards] {
        for ring in ["False", "True"] {
            scheduled(text, &format!("s.reuse_at(\"a\", \"i\", ring={ring})"));
        }
    }
    let why = scheduled_or(&inner, "s.reuse_at(\"a\", \"i\")").expect_err("two rows");
    assert!(why.contains("not of constant size"), "{why}");
    scheduled(&inner.replace("4 - r", "r"), "s.reuse_at(\"a\", \"i\")");
}

#[test]
fn a_nest_becomes_a_part_of_a_later_one() {
    let plain = kernel(
        "a: i32[6, 5], c: i32[6, 5]",
        "b: i32[6, 5] = 0
for bi in range(6):
    for bj in range(5):
        b[bi, bj] = a[bi, bj] + 1
for ci in range(6):
    for cj in range(5):
        c[ci, cj] = b[ci, cj] * 2",
    );
    for (producer, axis) in [("bi", "ci"), ("bj", "ci"), ("bj", "cj"), ("bi", "cj")] {
        let lines = format!(
            "axis = s.compute_at(\"{producer}\", \"{axis}\")
assert axis.name == \"{axis}\" and s.live(axis) == axis"
        );
        let compiled = scheduled(&plain, &lines);
        let loops = if axis == "ci" { 3 } else { 2 };
        assert_eq!(
            directed(&compiled).matches("= for ").count()
                + directed(&compiled).matches("  for ").count(),
            loops,
            "{lines}"
        );
    }
    let three = kernel(
        "a: i32[4, 4, 4], d: i32[4, 4, 4]",
        "b: i32[4, 4, 4] = 0
for bi in range(4):
    for bj in range(4):
        for bm in range(4):
            b[bi, bj, bm] = a[bi, bj, bm] * 2
c: i32[4, 4, 4] = 0
for ci in range(4):
    for cj in range(4):
        for cm in range(4):
            c[ci, cj, cm] = b[ci, cj, cm] + 1
for di in range(4):
    for dj in range(4):
        for dm in range(4):
            d[di, dj, dm] = c[di, dj, dm] % 3",
    );
    scheduled(
        &three,
        "s.compute_at(\"bj\", \"cj\")\ns.compute_at(\"cm\", \"dm\")",
    );
    let guarded = kernel(
        "a: i32[8], c: i32[8], d: i32[10]",
        "for p in range(1, 8):
    c[p] = a[p] + 1
for q in range(10):
    d[q] = q * 2",
    );
    scheduled(&guarded, "s.compute_at(\"p\", \"q\")");
    let both = kernel(
        "a: i32[4, 3], c: i32[4, 3], d: i32[6, 5]",
        "for p in range(4):
    c[p, 0] = 1
    for q in range(1, 3):
        c[p, q] = a[p, q] + c[p, q - 1]
for r in range(6):
    d[r, 0] += 7
    for t in range(5):
        d[r, t] = r * t",
    );
    scheduled(&both, "s.compute_at(\"q\", \"t\")");
    // What an earlier iteration made, and what a later one overwrites.
    let shifted = kernel(
        "a: i32[8], b: i32[8], c: i32[8]",
        "for p in range(1, 8):
    b[p] = a[p] + a[p - 1]
for q in range(1, 8):
    c[q] = b[q - 1] + b[q]
    a[q] = 0",
    );
    let why = scheduled_or(&shifted, "s.compute_at(\"p\", \"q\")").expect_err("a[p - 1]");
    assert!(why.contains("touches an element here before"), "{why}");
    scheduled(
        &shifted.replace("a[p - 1]", "3"),
        "s.compute_at(\"p\", \"q\")",
    );
    let ahead = shifted
        .replace("a[p - 1]", "3")
        .replace("b[q - 1]", "b[(q + 1) & 7]");
    let why = scheduled_or(&ahead, "s.compute_at(\"p\", \"q\")").expect_err("b[q + 1]");
    assert!(why.contains("touches an element here before"), "{why}");
}
