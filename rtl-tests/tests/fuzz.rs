//! A short campaign of random kernels, and the kernels that once went wrong.

use allo_hls::driver::Compilation;
use allo_hls::ir::{ArrayTags, Op, OpKind, Tags};
use allo_hls::levels::Level;
use allo_hls::rtl::netlist::{Expr, Item, NetId, Operand, WritePort};
use allo_hls::sim::value::Signature;
use allo_hls::sim::vectors;
use rtl_tests::fuzz::{self, Setting, Verdict};
use rtl_tests::{generate, networks, walks};
use std::collections::BTreeSet;

fn setting(seed: u64) -> Setting {
    Setting {
        steps: fuzz::STEPS,
        period: [10.0, 5.0, 2.5][(seed % 3) as usize],
        skip: Vec::new(),
        seed,
        vectors: 4,
        directed: seed.is_multiple_of(2),
        level: [Level::One, Level::Two, Level::Three][(seed % 3) as usize],
    }
}

#[test]
fn random_kernels_behave_as_the_reference() {
    let mut right = 0;
    for seed in 1..=60 {
        let kernel = generate::kernel(seed);
        match fuzz::check(&kernel.text, kernel.top, &setting(seed)) {
            Verdict::Right(_) => right += 1,
            Verdict::Refused(_) => {}
            Verdict::Wrong(why) => panic!("seed {seed}: {why}\n{}", kernel.text),
        }
    }
    assert!(right > 40, "most kernels compile: {right}");
}

/// Arrays that are streamed share masters with one another and with buffers, at all widths, beside memories that pause.
#[test]
fn random_walks_behave_as_blocks() {
    let mut right = 0;
    for seed in 1..=24 {
        let kernel = walks::kernel(seed);
        let setting = Setting {
            steps: 10 * fuzz::STEPS,
            vectors: 1,
            ..setting(seed)
        };
        match fuzz::check_as_block(&kernel.text, kernel.top, &setting) {
            Verdict::Right(values) => right += usize::from(values > 0),
            Verdict::Refused(_) => {}
            Verdict::Wrong(why) => panic!("seed {seed}: {why}\n{}", kernel.text),
        }
    }
    assert!(right > 16, "most are compared: {right}");
}

/// What is counted in the kernels of some seeds, of any kind and about accesses that meet.
fn found(seeds: impl Iterator<Item = u64>, count: impl Fn(&Compilation) -> usize) -> [usize; 2] {
    let mut found = [0; 2];
    for seed in seeds {
        let kernels = [generate::kernel, rtl_tests::accesses::kernel];
        for (found, kernel) in found.iter_mut().zip(kernels.map(|kernel| kernel(seed))) {
            let compiled = fuzz::compile(&kernel.text, kernel.top, &setting(seed));
            *found += compiled.map_or(0, |compiled| count(&compiled));
        }
    }
    found
}

/// Memories that were cut into slices: what is read is put together of what several memories give.
fn cut_memories(compiled: &Compilation) -> usize {
    let modules = compiled.design.modules.values();
    let cut = modules.map(|module| {
        let reads = module.items.iter().flat_map(|item| match item {
            Item::Memory(memory) => memory.reads.iter().map(|port| port.out).collect(),
            _ => Vec::new(),
        });
        let read: BTreeSet<NetId> = reads.collect();
        let is_read = |part: &Operand| part.net().is_some_and(|net| read.contains(&net));
        let words = module.items.iter().filter(|item| match item {
            Item::Assign {
                expr: Expr::Concat(parts),
                ..
            } => parts.len() > 1 && parts.iter().all(is_read),
            _ => false,
        });
        words.count()
    });
    cut.sum()
}

/// A quarter of them is built for a device whose blocks are so small that large memories are slices.
#[test]
fn random_kernels_have_memories_that_are_cut() {
    let found = found((2..80).step_by(4), cut_memories);
    assert!(found.iter().all(|found| *found > 0), "{found:?}");
}

/// Memories in which values wait: both ports are there in every cycle, and the one that reads has no clock.
fn delay_lines(compiled: &Compilation) -> usize {
    let modules = compiled.design.modules.values();
    let items = modules.flat_map(|module| &module.items);
    let lines = items.filter(|item| match item {
        Item::Memory(memory) => {
            let always = |port: &WritePort| port.enable == Operand::constant(1, 1u32);
            memory.reads.iter().all(|port| port.enable.is_none())
                && memory.writes.first().is_some_and(always)
        }
        _ => false,
    });
    lines.count()
}

/// A quarter of them is built for a device of so many lookup tables that values wait in them.
#[test]
fn random_kernels_have_values_that_wait_in_memories() {
    let found = found((3..140).step_by(4), delay_lines);
    assert!(found.iter().all(|found| *found > 0), "{found:?}");
}

/// Of those built at the second level or beyond, many begin again before they are done.
#[test]
fn random_kernels_have_invocations_that_overlap() {
    let overlaps = |compiled: &Compilation| usize::from(compiled.schedule.restart.is_some());
    let found = found(1..=30, overlaps);
    assert!(found.iter().all(|found| *found > 4), "{found:?}");
}

/// Quotients and roots in blocks and on recurrences, of the kind that is sooner done.
#[test]
fn random_kernels_have_faster_quotients_and_roots() {
    let mut found = [0; 2];
    for seed in (1..400).step_by(2) {
        let kernel = generate::kernel(seed);
        let texts = [" / ", "sqrt("].map(|text| kernel.text.contains(text));
        if texts.contains(&true)
            && let Ok(compiled) = fuzz::compile(&kernel.text, kernel.top, &setting(seed))
        {
            for module in compiled.design.modules.values() {
                for (found, name) in found.iter_mut().zip(["fdiv_", "fsqrt_"]) {
                    let is_it = module.name.starts_with(name) && module.name.contains("_fast");
                    *found += usize::from(is_it);
                }
            }
        }
    }
    assert!(found.iter().all(|found| *found > 0), "{found:?}");
}

/// Loops over strips of iterations, of which there are more than a strip only where their number is not known; and sums of which the
/// number of terms is known only when they begin: three loops over a strip.
fn strips(compiled: &Compilation) -> [usize; 2] {
    let mut strips = [0; 2];
    compiled.kernel.body.for_each_op(&mut |op| {
        if let OpKind::For(f) = &op.kind
            && f.label.ends_with("_strips")
        {
            let loops = f
                .body
                .ops
                .iter()
                .filter(|op| matches!(op.kind, OpKind::For(_)));
            strips[0] += 1;
            strips[1] += usize::from(loops.count() == 3);
        }
    });
    strips
}

/// Stencils of which some rows have fewer columns than others, with borders, and with elements that all iterations load.
#[test]
fn random_kernels_have_stencils() {
    const PASSES: [&str; 4] = ["align", "clamps", "speculate", "promote_reads"];
    let mut found = [0; PASSES.len()];
    for seed in (3..3000).step_by(6) {
        let kernel = rtl_tests::accesses::kernel(seed);
        // Their extents.
        if kernel.text.contains("[9, 24]")
            && let Ok(compiled) = fuzz::compile(&kernel.text, kernel.top, &setting(seed))
        {
            for (found, pass) in found.iter_mut().zip(PASSES) {
                *found += usize::from(compiled.passes.contains(&pass));
            }
        }
    }
    assert!(found.iter().all(|found| *found > 0), "{found:?}");
}

/// Recurrences of rows take turns: the loop over them, of which there is one, is the inner one.
#[test]
fn random_kernels_have_recurrences_that_take_turns() {
    let mut found = 0;
    for seed in (3..4800).step_by(3) {
        let kernel = generate::kernel(seed);
        // A name of theirs.
        if kernel.text.contains("last")
            && let Ok(compiled) = fuzz::compile(&kernel.text, kernel.top, &setting(seed))
        {
            found += usize::from(compiled.passes.contains(&"interleave"));
        }
    }
    assert!(found > 5, "{found}");
}

/// Sums of triangular nests take turns, too.
#[test]
fn random_kernels_have_strips_that_end_early() {
    let mut found = [0; 2];
    for seed in (3..900).step_by(3) {
        let kernel = generate::kernel(seed);
        // Their name.
        if kernel.text.contains("sum")
            && let Ok(compiled) = fuzz::compile(&kernel.text, kernel.top, &setting(seed))
        {
            let strips = strips(&compiled);
            found = [found[0] + strips[0], found[1] + strips[1]];
        }
    }
    assert!(found.iter().all(|found| *found > 1), "{found:?}");
}

#[test]
fn random_kernels_have_every_construct() {
    const CONSTRUCTS: [&str; 44] = [
        " / ",
        " // ",
        " % ",
        " ** ",
        " << ",
        " >> ",
        " & ",
        " | ",
        " ^ ",
        "(~",
        "(-",
        "(not ",
        " and ",
        " or ",
        " if ",
        "elif ",
        "else:",
        "match ",
        "case 1 | 3:",
        "while ",
        "range(",
        ", -1)",
        "allo.grid(",
        "min(",
        "max(",
        "abs(",
        "allo.math.fma(",
        "allo.math.sqrt(",
        "allo.math.floor(",
        "allo.linalg.matmul(",
        "typing_style=\"cpp\"",
        "subnormals=\"ftz\"",
        "f16",
        "bf16",
        "f32",
        "f64",
        "af",
        "small",
        "f8e4m3",
        "f8e5m2",
        "hif8",
        "f4e2m1",
        " -> (",
        "[()]",
    ];
    let texts: Vec<String> = (1..1500).map(|seed| generate::kernel(seed).text).collect();
    for construct in CONSTRUCTS {
        let body = |text: &&String| {
            text.split_once("@kernel")
                .is_some_and(|(_, b)| b.contains(construct))
        };
        let count = texts.iter().filter(body).count();
        assert!(count >= 8, "{construct}: {count}");
    }
    let calls = texts
        .iter()
        .filter(|text| text.contains("callee") && text.matches("callee").count() > 1);
    assert!(calls.count() > 50);
}

/// Neither the evaluator nor the simulation passes kernels over.
#[test]
fn random_kernels_run_in_every_form() {
    let (mut evaluated, mut simulated) = (0, 0);
    for seed in 1..=20 {
        let kernel = generate::kernel(seed);
        let Ok(compilation) = fuzz::compile(&kernel.text, kernel.top, &setting(seed)) else {
            continue;
        };
        let inputs = vectors::generate(&Signature::of(&compilation.program), 4, seed);
        let values = fuzz::evaluate_on(&compilation, &inputs, 4_000).expect("right");
        evaluated += usize::from(values > 0);
        let report = fuzz::compare_on(&compilation, &inputs, seed, 4_000).expect("right");
        simulated += usize::from(report.compared > 0);
    }
    assert!(
        evaluated >= 12 && simulated >= 12,
        "{evaluated}, {simulated}"
    );
}

/// Directives reach the kernels: few are refused.
#[test]
fn random_kernels_are_directed() {
    let (mut directed, mut stored, mut limited) = (0, 0, 0);
    for seed in (2..=40).step_by(2) {
        let kernel = generate::kernel(seed);
        let Ok(compilation) = fuzz::compile(&kernel.text, kernel.top, &setting(seed)) else {
            continue;
        };
        let tagged = |op: &Op| matches!(&op.kind, OpKind::For(f) if f.tags != Tags::default());
        let mut kernels = compilation.directed.kernels.values();
        directed += usize::from(kernels.any(|kernel| kernel.body.any_op(&tagged)));
        let kernels = compilation.directed.kernels.values();
        let mut arrays = kernels.flat_map(|kernel| kernel.arrays.values());
        stored += usize::from(arrays.any(|array| array.tags != ArrayTags::default()));
        let mut units = compilation.hardware.units.values();
        limited += usize::from(units.any(|unit| unit.most.is_some()));
    }
    let counts = [directed, stored, limited];
    assert!(counts.iter().all(|&count| count > 2), "{counts:?}");
}

#[test]
fn kernels_that_once_went_wrong() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels");
    for entry in std::fs::read_dir(folder).expect("the folder of kernels") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "py") {
            continue; // the folders of the suite
        }
        let text = std::fs::read_to_string(&path).expect("a kernel");
        // One of each clock.
        for seed in 0..3 {
            match fuzz::check(&text, "top", &setting(seed)) {
                Verdict::Right(compared) if compared > 0 => {}
                other => panic!("{}: {other:?}", path.display()),
            }
        }
    }
}

/// Chains, forks, joins, feedback, grids of workers, state: with pauses, in chains, after resets.
#[test]
fn random_networks_behave_as_the_reference() {
    let mut streams = 0;
    for seed in 1..=24 {
        let network = networks::network(seed);
        match fuzz::check(&network.text, network.top, &setting(seed)) {
            Verdict::Right(values) => streams += usize::from(values > 0),
            other => panic!("seed {seed}: {other:?}\n{}", network.text),
        }
    }
    assert!(streams > 18, "most networks end: {streams}");
}

#[test]
fn random_networks_have_every_construct() {
    const CONSTRUCTS: [&str; 9] = [
        "Stateful[",
        "mapping=[",
        "while ",
        "Stream[i32] = [",
        "Stream[f16",
        "return ",
        "top(a",
        ", o",
        "kept",
    ];
    let texts: Vec<String> = (1..300).map(|seed| networks::network(seed).text).collect();
    for construct in CONSTRUCTS {
        let count = texts.iter().filter(|text| text.contains(construct)).count();
        assert!(count >= 8, "{construct}: {count}");
    }
}

/// What depends on timing is told as further arguments, also where no stream leads out.
#[test]
fn kernels_that_ask_run_in_verilator() {
    let text = "
from allo import *

@kernel
def counts(s: Stream[i8], x: \"i8[7]\"):
    for i in range(7):
        s.put(x[i])

@kernel
def top(x: \"i8[7]\", y: \"i8[7]\"):
    s: Stream[i8]
    counts(s, x)
    at: i8 = 0
    while at < 7:
        if not s.empty():
            y[at] = s.get()
            at += 1
";
    let verdict = fuzz::check_in_verilator(text, "top", &setting(3));
    assert!(matches!(verdict, Verdict::Right(n) if n > 0), "{verdict:?}");
}
