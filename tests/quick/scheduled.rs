//! Schedules in Python: they say what flags say, and the hardware is still the kernel's.

use crate::directives::target;
use crate::support;
use allo_hls::directives::{self, Directive};
use allo_hls::driver::{self, Compilation};
use allo_hls::frontend::Choice;
use allo_hls::sim::selfcheck::Checked;

const KERNELS: &str = "
from allo import *
from allo.schedule import Schedule

@kernel
def inner(v: i32[12]) -> i32:
    s: i32 = 0
    for i in range(12):
        s += v[i]
    return s

@kernel
def top(a: i32[6, 8], b: i32[8, 4], c: i32[6, 4]) -> i32:
    acc: i32[6, 4] = 0
    for i in range(6):
        for j in range(4):
            for k in range(8):
                acc[i, j] += a[i, k] * b[k, j]
    v: i32[12]
    for n in range(12, name=\"copy\"):
        v[n] = acc[n // 4, n % 4]
    for p, q in grid(6, 4, name=\"pq\"):
        c[p, q] = acc[p, q] + 1
    return inner(v)

";

/// The kernel `top` with what lines say about the schedule `s` of it. Error: the first message.
pub fn scheduled_or(kernels: &str, lines: &str) -> Result<Compilation, String> {
    let body: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    let start = "def made():\n    s = top.schedule()\n";
    let text = format!("{kernels}\n{start}{body}    return s\n");
    let (mut sources, file) = support::source("kernel.py", &text);
    let choice = Choice {
        top: None,
        schedule: Some("made"),
    };
    let target = target(&[]).expect("a target");
    let compiled = driver::compile(&mut sources, file, choice, &target);
    compiled.map_err(|errors| errors.0[0].message.clone())
}

/// The same, which ran beside the reference.
pub fn scheduled(kernels: &str, lines: &str) -> Compilation {
    let compiled = scheduled_or(kernels, lines).unwrap_or_else(|why| panic!("{lines}: {why}"));
    if let Checked::Not(why) = &compiled.checked {
        panic!("{lines}: not checked: {why:?}");
    }
    compiled
}

/// What flags say.
fn flags(flags: &[(&str, &str)]) -> Vec<Directive> {
    let flags = flags.iter();
    let flags = flags.map(|(name, value)| directives::flag(name, value));
    flags.collect::<Result<_, _>>().expect("flags")
}

fn says(lines: &str, said: &[(&str, &str)]) -> Compilation {
    let compiled = scheduled(KERNELS, lines);
    assert_eq!(compiled.directives, flags(said), "{lines}");
    let again = directives::read(&directives::to_toml(&compiled.directives));
    assert_eq!(again.expect("TOML"), compiled.directives, "{lines}");
    compiled
}

#[test]
fn primitives_say_what_flags_say() {
    says(
        "io, ii = s.split(s.loop(\"i\", under=s.op(\"top\")), factor=4)
s.reorder((\"k\", s.loop(\"j\", path=\"i.inner/j\")))
assert s.loop(\"k\").name == \"k\" and ii.name == \"i.inner\"
s.pipeline(\"top/i.inner/j\", ii=0).pipeline(s.live(s.loop(\"copy\")), ii=-1).apply()",
        &[
            ("split", "top/i=4"),
            ("reorder", "k,j"),
            ("pipeline", "j=0"),
            ("no-pipeline", "copy"),
        ],
    );
    says(
        "s.unroll(\"top/i\", factor=2)
second = s.loop(\"j#1\")
s.pipeline([second, \"j#0\"], ii=-1)",
        &[
            ("unroll", "top/i=2"),
            ("no-pipeline", "j#1"),
            ("no-pipeline", "j#0"),
        ],
    );
    says(
        "tiles, points = s.tile(s.affine(s.loops(\"top/i\", \"i/j\")), factors=2)
s.unroll(points[1])
s.partition([\"acc\", s.buffer(\"b\")], dim=2, kind=s.Cyclic, factor=2)
s.partition(\"a\", dim=1, kind=Schedule.Block, factor=3)
s.bind_storage(s.buffer(\"v\", under=\"top\"), impl=s.LUTRAM, mem_type=s.RAM_1P)
s.cse().dce().licm().canonicalize().apply_patterns(\"canonicalize\").materialize()",
        &[
            ("tile", "top/i=2,j=2"),
            ("unroll", "j.inner"),
            ("partition", "acc:cyclic:2:dim=2"),
            ("partition", "b:cyclic:2:dim=2"),
            ("partition", "a:block:3:dim=1"),
            ("storage", "top/v:lutram:RAM_1P"),
        ],
    );
    says(
        "flat = s.flatten(s.loops(\"pq.p\", \"pq.q\"))
s.unroll((flat, \"k\"), factor=2, tag_only=True)
s.pipeline()",
        &[
            ("flatten", "pq.p,pq.q"),
            ("unroll", "pq.p_pq.q=2"),
            ("unroll", "k=2"),
            ("pipeline", "k"),
            ("pipeline", "copy"),
            ("pipeline", "pq.p_pq.q"),
        ],
    );
}

#[test]
fn a_schedule_can_be_looked_at() {
    let text = "s.split(\"copy\", factor=4)
tree = s.dump_tree()
assert \"buffer acc: i32[6, 4]\" in tree and tree.count(\"loop\") == 7
assert s.payload.count(\"for \") == 8 and \"copy.inner\" in s.payload
assert \"every 3\" not in s.payload
s.pipeline(\"copy.inner\", ii=3)
m = s.export(\"rtl\", clock=\"100MHz\", device=\"ecp5\")
assert s.payload != tree and s.loop(\"k\") == s.loops()[2]";
    says(text, &[("split", "copy=4"), ("pipeline", "copy.inner=3")]);
}
