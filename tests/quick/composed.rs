//! Schedules of callees, and kernels made of nests: each runs beside the reference.

use crate::scheduled::{scheduled, scheduled_or};
use allo_hls::directives;
use allo_hls::driver::Compilation;

const KERNELS: &str = "
from allo import *

@kernel
def worker(v: i32[16], w: i32[16]):
    for i in range(16):
        w[i] = v[i] * 3 + w[i]

@kernel
def middle(v: i32[16], w: i32[16]) -> i32:
    worker(v, w)
    s: i32 = 0
    for k in range(16):
        s += w[k]
    return s

@kernel
def top(x: i32[16], y: i32[16], z: i32[16]) -> i32:
    worker(x, y)
    t: i32 = middle(y, z)
    worker(z, x)
    for i in range(16):
        z[i] = z[i] + t
        x[i] = x[i] - t
    return t

ws = worker.schedule()
outer, inner = ws.split(\"i\", factor=4)
ws.unroll(inner)
ws.partition(\"v\", kind=ws.Cyclic, factor=4)

ms = middle.schedule()
ms.pipeline(\"k\", ii=3)
ms.compose(ws)
";

/// Names of kernels and loops.
fn says(lines: &str) -> String {
    let compiled = scheduled(KERNELS, lines);
    let text = directives::to_toml(&compiled.directives);
    let again = directives::read(&text).expect("TOML");
    assert_eq!(again, compiled.directives);
    text
}

#[test]
fn a_callees_schedule_holds_where_it_is_called() {
    let both = says("s.compose(ws)");
    // `middle` calls it as well, which is left as it is.
    assert!(both.contains("caller = \"top\""), "{both}");
    assert!(both.contains("loop = \"worker_of_top/i\""), "{both}");
    let second = says("s.compose(ws, id=1)\ns.pipeline(\"worker_1/i.outer\", ii=5)");
    assert!(second.contains("id = 1"), "{second}");
    assert!(second.contains("loop = \"i.inner\""), "{second}");
    let each = says("s.compose(ws, id=0)\ns.compose(ws, id=1)\ns.unroll(\"top/i\", factor=2)");
    assert!(each.contains("array = \"worker_0/v\""), "{each}");
    assert!(each.contains("array = \"worker_1/v\""), "{each}");
}

#[test]
fn schedules_of_callees_of_callees_come_along() {
    // The inner kernel is one of its own for `middle` alone once `top` has others.
    let text = says("s.compose(ws, id=0)\ns.compose(ws, id=1)\ns.compose(ms)");
    assert!(text.contains("loop = \"k\""), "{text}");
    assert!(text.contains("loop = \"worker/i\""), "{text}");
    let why = scheduled_or(KERNELS, "s.compose(ms)").expect_err("worker is shared");
    assert!(why.contains("called from elsewhere, too"), "{why}");
}

#[test]
fn what_cannot_be_composed_is_refused() {
    for (lines, message) in [
        (
            "s.compose(ws, id=2)",
            "'top' calls 'worker' 2 times, counted from 0",
        ),
        ("s.compose(s)", "a schedule is not composed with itself"),
        ("s.compose(3)", "a schedule is composed, not an int"),
        ("s.compose(ws, id=-1)", "'id' is at least 0"),
    ] {
        let why = scheduled_or(KERNELS, lines).expect_err(lines);
        assert!(why.contains(message), "{lines}: {why}");
    }
    let other = KERNELS
        .replace("    worker(x, y)\n", "")
        .replace("    worker(z, x)\n", "");
    let why = scheduled_or(&other, "s.compose(ws)").expect_err("no call");
    assert!(why.contains("'top' does not call 'worker'"), "{why}");
}

#[test]
fn a_nest_becomes_a_kernel() {
    let text = says(
        "made, call = s.outline(\"top/i\", func_name=\"stage\")
assert made.name == \"stage\" and call.name == \"stage\"
assert s.op(\"stage\") == made and s.loop(\"i\", under=made).name == \"i\"
s.unroll(s.loop(\"stage/i\"), factor=2)
s.outline(s.loop(\"k\"), func_name=\"sum\")
s.pipeline(\"sum/k\", ii=0)",
    );
    assert!(text.contains("loop = \"stage/i\""), "{text}");
    for (lines, message) in [
        (
            "s.outline(\"k\", func_name=\"worker\")",
            "there is a kernel 'worker' already",
        ),
        (
            "s.outline(\"k\", func_name=\"a b\")",
            "'a b' is no name of a kernel",
        ),
        (
            "s.outline(\"k\", func_name=\"q\", mapping=[2])",
            "a scalar is carried from one iteration to the next",
        ),
        (
            "k = s.loop(\"k\")\ns.outline(k, func_name=\"q\")\ns.pipeline(k)",
            "the loop 'k' is no more",
        ),
    ] {
        let why = scheduled_or(KERNELS, lines).expect_err(lines);
        assert!(why.contains(message), "{lines}: {why}");
    }
}

const SHARED: &str = "
from allo import *

@kernel
def top(A: i32[16, 16], B: i32[16, 16]):
    L: i32[16, 16]
    for i, j in grid(16, 16):
        L[i, j] = A[i, j] + 1
    for p, q in grid(16, 16):
        B[p, q] = L[p, 15 - q] * 3
    for r in range(1, 15, 2):
        for c in range(16):
            B[r, c] = B[r, c] + L[r - 1, c]
    for u in range(1, 16):
        for v in range(u):
            A[u, v] = A[u - 1, v] + L[v, u]

";

/// Each nest as a grid of workers that run at the same time, each on banks of its own; blocks that do not come out even, steps, and
/// bounds that depend on the loop around.
#[test]
fn workers_share_a_nest_in_blocks() {
    let plain = scheduled(SHARED, "pass");
    let shared = scheduled(
        SHARED,
        "s.outline(\"i\", func_name=\"one\", mapping=[4, 3])
s.outline(\"p\", func_name=\"two\", mapping=[2])
s.outline(\"r\", func_name=\"three\", mapping=3)",
    );
    let processes =
        |compiled: &Compilation| compiled.network.as_ref().map(|(_, parts)| parts.len());
    assert_eq!(processes(&plain), None);
    // Twelve workers, two, three, the last nest, and the copies of the parameters of each grid, there and back.
    assert!(processes(&shared) > Some(12 + 2 + 3 + 1));
    for (lines, message) in [
        (
            "s.outline(\"u\", func_name=\"q\", mapping=[2])",
            "an element that this accesses may be written by another iteration",
        ),
        (
            "s.outline(\"u\", func_name=\"q\", mapping=[2, 2])",
            "the bounds of 'v' depend on the loops around it",
        ),
        (
            "s.outline(\"r\", func_name=\"q\", mapping=[2, 2, 2])",
            "so that the nest is not perfect",
        ),
        (
            "s.outline(\"i\", func_name=\"q\", mapping=[0])",
            "'mapping' is at least 1",
        ),
        (
            "s.outline(\"i\", func_name=\"q\", mapping=[64, 64])",
            "a grid has 1 to 1024 workers",
        ),
        (
            "s.outline(\"i\", func_name=\"q\", mapping=[1, 1, 1, 1, 1, 1, 1])",
            "at most 6 loops can be divided",
        ),
    ] {
        let why = scheduled_or(SHARED, lines).expect_err(lines);
        assert!(why.contains(message), "{lines}: {why}");
    }
}

/// A grid of workers has one schedule, which is that of each worker; `under` means the loops of all.
#[test]
fn a_grids_schedule_is_that_of_its_workers() {
    let text = "
from allo import *
import allo

@kernel(mapping=[2])
def pe(a: i32[2, 8], b: i32[2, 8]):
    w = allo.get_wid(0)
    sums: i32[8]
    for k in range(8):
        sums[k] = a[w, k] + 1
    for l in range(8):
        b[w, l] = sums[l] * 5

@kernel
def top(a: i32[2, 8], b: i32[2, 8]):
    pe(a, b)

ps = pe.schedule()
ps.pipeline(\"k\", ii=2)
";
    for lines in [
        "s.compose(ps)",
        "s.pipeline(\"pe/k\", ii=2)",
        "s.pipeline(s.loop(\"k\", under=\"pe\"), ii=2)",
    ] {
        let compiled = scheduled(text, lines);
        let loops = compiled.manifest.loops.iter();
        let workers = loops.filter(|one| one.name == "k").map(|one| one.ii);
        assert_eq!(workers.collect::<Vec<_>>(), [Some(2); 2], "{lines}");
    }
    let iterations = |lines: &str, name: &str| {
        let compiled = scheduled(text, lines);
        let loops = compiled.manifest.loops.iter();
        let named = loops.filter(|one| one.name == name).map(|one| one.trip[0]);
        named.collect::<Vec<_>>()
    };
    for lines in [
        "outer, inner = s.split(s.loop(\"k\", under=\"pe\"), factor=4)",
        "outer, inner = s.split(\"pe/k\", factor=4)",
        "outer, inner = s.split(s.loop(\"k\", under=s.op(\"pe\")), factor=4)",
    ] {
        let lines = format!("{lines}\ns.pipeline(outer, ii=4)");
        assert_eq!(iterations(&lines, "k.outer"), [Some(2); 2], "{lines}");
    }
    let lines = "s.buffer_at(s.buffer(\"sums\", under=\"pe\"), s.loop(\"l\", under=\"pe\"))
s.unroll(\"pe/l\", factor=2)";
    assert_eq!(iterations(lines, "l"), [Some(4); 2]);
    let lines = "s.partition(s.buffer(\"sums\", under=\"pe\"), kind=s.Cyclic, factor=2)
s.compute_at(\"pe/k\", \"pe/l\")";
    assert_eq!(iterations(lines, "k"), []);
    let why = scheduled_or(text, "s.outline(\"pe/k\", func_name=\"q\")").err();
    let why = why.expect("one kernel is made of one loop");
    assert!(why.contains("several loops have this name"), "{why}");
}

/// What is made of one template is not what another schedule of it is about.
#[test]
fn a_schedule_of_one_instance_of_a_template_is_not_that_of_the_others() {
    let text = "
from allo import *
N = Template(\"N\")

@kernel(N)
def add(x: i32[N], y: i32[N]):
    for i in range(N):
        y[i] = x[i] + 1

@kernel
def top(a: i32[8], b: i32[8], c: i32[24], d: i32[24]):
    add[8](a, b)
    add[24](c, d)

ps = add[8].schedule()
ps.pipeline(\"i\", ii=3)
";
    let compiled = scheduled(text, "s.compose(ps)\ns.pipeline(\"add_24/i\", ii=2)");
    let loops = compiled.manifest.loops.iter();
    let intervals: Vec<_> = loops.map(|one| (one.trip[0], one.ii)).collect();
    assert_eq!(intervals, [(Some(8), Some(3)), (Some(24), Some(2))]);
}
