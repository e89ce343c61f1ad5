//! Levels: what the compiler directs by itself takes fewer cycles and no more than it may, stands in the head of the text, and
//! leaves alone what users direct.

use crate::directives::{checked_for, compile_for, target};
use crate::support;
use allo_hls::codes;
use allo_hls::driver::Compilation;
use allo_hls::frontend;
use allo_hls::ir::{ArrayKind, Kernel, OpKind};
use allo_hls::levels::{self, Forecast, Foreseen, Level};
use allo_hls::rtl::netlist::Item;
use allo_hls::schedule::forecast;
use allo_hls::sim::cosim::{self, CosimOptions};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::transform::ways::{Ways, Worth};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Two nests.
const KERNEL: &str = "
from allo import *

@kernel
def top(a: \"i32[12, 16]\", x: \"i32[16]\", y: \"i32[12]\", z: \"i32[128]\", w: \"i32[128]\"):
    for i in range(12, name=\"rows\"):
        s: i32 = 0
        for j in range(16, name=\"columns\"):
            s += a[i, j] * x[j]
        y[i] = s
    for i in range(128, name=\"line\"):
        w[i] = z[i] + 7
";

/// Rows are what can run side by side: an iteration of the inner loop waits for the one before. All rows write one
/// element.
const RECURRENCE: &str = "
from allo import *

@kernel
def top(a: \"i32[12, 16]\", y: \"i32[12]\", last: \"i32[1]\"):
    for i in range(12, name=\"rows\"):
        s: i32 = 1
        t: i32 = i
        for j in range(16, name=\"columns\"):
            s = s * 3 + a[i, j]
            t = t ^ (s >> 2)
        y[i] = s
        last[0] = t
";

fn built(level: Level, flags: &[(&str, &str)]) -> Compilation {
    built_of(KERNEL, level, flags)
}

fn built_of(kernel: &str, level: Level, flags: &[(&str, &str)]) -> Compilation {
    let mut target = target(flags).expect("directives");
    target.aim.level = level;
    checked_for(kernel, &target)
}

/// What the head of the text says of decisions.
fn decisions(compiled: &Compilation) -> Vec<&str> {
    let lines = compiled.design.header.iter().map(String::as_str);
    lines.filter(|line| line.starts_with("-O2: ")).collect()
}

/// The loops that are named there.
fn directed(compiled: &Compilation) -> Vec<&str> {
    let decisions = decisions(compiled).into_iter();
    let names = decisions.map(|line| line.split('\'').nth(1).expect("a name"));
    names.collect()
}

/// Cycles of an invocation, as they are counted beside the reference.
fn cycles(compiled: &Compilation) -> u64 {
    let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("a netlist");
    let options = CosimOptions {
        vectors: 1,
        ..CosimOptions::default()
    };
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    let report = cosim::cosim_on(&engine, program, manifest, &options, &|_, _| ());
    match report {
        Ok(report) => report.cycles[0],
        Err(error) => panic!("{}", error.to_diagnostic().message),
    }
}

#[test]
fn iterations_side_by_side_take_fewer_cycles() {
    let (plain, fast) = (built(Level::One, &[]), built(Level::Two, &[]));
    assert_eq!(decisions(&plain), [""; 0]);
    let (before, now) = (cycles(&plain), cycles(&fast));
    // Half of them, but for the iterations that are under way when a loop ends.
    assert!(5 * now < 3 * before, "{now} cycles instead of {before}");
    let said = decisions(&fast);
    let start = "-O2: loop 'columns' (line 8) runs 2 iterations side by side: ";
    assert!(said[0].starts_with(start), "{said:?}");
    assert_eq!(directed(&fast), ["columns", "line"]);
}

/// With the loops inside as one.
#[test]
fn rows_run_side_by_side() {
    let [plain, fast] = [Level::One, Level::Two].map(|level| built_of(RECURRENCE, level, &[]));
    assert_eq!(directed(&fast), ["rows"]);
    let (before, now) = (cycles(&plain), cycles(&fast));
    assert!(5 * now < 3 * before, "{now} cycles instead of {before}");
}

/// A directive is for the whole nest: what is good beside it is the user's to say. Other nests are the compiler's.
#[test]
fn nests_that_users_direct_are_left_alone() {
    let ways = [
        ("unroll", "columns=4"),
        ("unroll", "rows=3"),
        ("pipeline", "columns=2"),
        ("pipeline", "rows"),
        ("no-pipeline", "columns"),
    ];
    for flag in ways {
        assert_eq!(directed(&built(Level::Two, &[flag])), ["line"], "{flag:?}");
    }
    let all = [("pipeline", "columns"), ("pipeline", "line")];
    let [plain, fast] = [Level::One, Level::Two].map(|level| {
        let mut target = target(&all).expect("directives");
        target.aim.level = level;
        // Else the next invocation could begin earlier.
        target.is_core = true;
        checked_for(KERNEL, &target)
    });
    assert_eq!(plain.systemverilog(), fast.systemverilog());
}

/// Nobody has to ask for it.
#[test]
fn the_second_level_is_the_default() {
    let text = |flags: &[&str]| {
        let output =
            support::allo_hls(&[&["examples/dot_i32.py", "--check", "off"], flags].concat());
        assert!(output.status.success(), "{flags:?}");
        String::from_utf8(output.stdout).expect("a text")
    };
    let default = text(&[]);
    assert!(default.contains("\n// -O2: loop '"), "{default}");
    assert_eq!(default, text(&["-O2"]));
    assert!(!text(&["-O1"]).contains("-O2"));
}

/// A product of matrices, the rows of another one weighted, and a sum of columns: rows are read here and there.
const WIDE: &str = "
from allo import *

@kernel
def top(a: \"i16[20, 12]\", b: \"i16[12, 18]\", c: \"i32[20, 18]\", r: \"f32[18]\", m: \"f32[22, 18]\", v: \"f32[22]\", w: \"f32[22]\"):
    t: \"i32[20, 18]\" = 0
    for i in range(20):
        for k in range(12):
            for j in range(18):
                t[i, j] += a[i, k] * b[k, j]
    for i in range(20):
        for j in range(18):
            c[i, j] = t[i, j] - a[i, 3]
    for i in range(22, name=\"p\"):
        s: f32 = 0
        for j in range(18, name=\"q\"):
            s += m[i, j] * 0.5
        w[i] = s * 2.0 + v[i]
    for j in range(18, name=\"x\"):
        for i in range(22, name=\"y\"):
            r[j] += m[i, j] * v[i]
";

/// Cycles and multiplier blocks, of the schedule that there is.
fn taken(compiled: &Compilation) -> (u64, u64) {
    let Compilation {
        hardware, schedule, ..
    } = compiled;
    (
        forecast::cycles(hardware, schedule),
        forecast::blocks(hardware, schedule),
    )
}

fn wide(kernel: &str, flags: &[(&str, &str)], partition_args: bool) -> Compilation {
    let mut target = target(flags).expect("directives");
    target.aim.level = Level::Three;
    target.aim.partition_args = partition_args;
    checked_for(kernel, &target)
}

#[test]
fn as_many_iterations_as_the_limits_allow_run_side_by_side() {
    let most = |blocks: u64, partition_args: bool| {
        let mut target = target(&[]).expect("no directives");
        target.aim.level = Level::Three;
        target.aim.limits.blocks = blocks;
        target.aim.partition_args = partition_args;
        let compiled = checked_for(WIDE, &target);
        let header = compiled.design.header.join("\n");
        assert!(header.contains("-O3: "), "{header}");
        let notes = &compiled.warnings.0;
        assert!(
            notes.iter().any(|note| note.code == codes::FORECAST),
            "{header}"
        );
        taken(&compiled)
    };
    let pair = taken(&built_of(WIDE, Level::Two, &[])).0;
    let (inside, _) = most(156, false);
    let (few, few_blocks) = most(24, true);
    let (many, many_blocks) = most(156, true);
    assert!(
        few_blocks <= 24 && many_blocks <= 156,
        "{few_blocks} {many_blocks}"
    );
    assert!(
        5 * many <= 4 * few && 2 * few <= pair && inside <= pair,
        "{many} {few} {inside} {pair}"
    );
}

/// Lanes are looked for from both ends of the kernel and with copies inside, most of them more than once.
#[test]
fn what_is_tried_is_said_once_and_kept_if_it_is_directed_in_the_end() {
    let compiled = wide(WIDE, &[], false);
    let tried = compiled.tried.iter();
    let tried = tried.filter_map(|one| Some((one, one.before?.cycles, one.after?.cycles)));
    let mut seen = BTreeSet::new();
    for (one, before, after) in tried.clone() {
        assert!(seen.insert((&one.what, before, after)), "{}", one.what);
    }
    let kept = tried.filter(|(one, ..)| one.kept);
    let mut kept: Vec<String> = kept
        .map(|(one, before, after)| {
            format!(
                "-O3: {}: about {after} cycles instead of {before}",
                one.what
            )
        })
        .collect();
    let lines = compiled.design.header.iter().map(String::as_str);
    let mut said: Vec<&str> = lines.filter(|line| line.contains(" instead of ")).collect();
    kept.sort_unstable();
    said.sort_unstable();
    assert!(kept == said && said.len() > 2, "{kept:?} {said:?}");
}

/// An inner loop whose iterations share ports with what is around it: as one pipeline with that it takes half as long again.
const CROWDED: &str = "
from allo import *

@kernel
def top(a: \"f32[8]\", b: \"f32[8, 8]\", n: \"u8[8]\") -> f32:
    s: f32 = 0.3
    for i in range(n[2] & 7):
        for j in range(8):
            a[j] = s * a[n[j] & 7]
        if a[4] != s:
            s = a[6] if b[n[i] & 7, i] > s else s
        a[n[i] & 7] = (b[n[i] & 7, i + 1] + a[i + 1]) / a[7 - i]
    return s
";

#[test]
fn two_lanes_are_compared_with_the_best_that_there_is_without() {
    let [one, two] = [Level::One, Level::Two].map(|level| {
        let mut target = target(&[]).expect("no directives");
        target.aim.level = level;
        target.period = 5.0;
        taken(&checked_for(CROWDED, &target)).0
    });
    assert!(two <= one, "{two} cycles instead of {one}");
    let mut flat = target(&[]).expect("no directives");
    flat.aim.level = Level::One;
    flat.period = 5.0;
    flat.skip = vec!["flatten_crowded".into()];
    // The alternative is built where there is no search, too.
    assert_eq!(one, taken(&checked_for(CROWDED, &flat)).0);
}

/// Each iteration changes what the next one loads, which lies in another bank.
const CARRIED: &str = "
from allo import *

@kernel
def top(a: \"i64[8]\", b: \"i64[8, 8]\", c: \"i64[8]\", n: \"u8[8]\") -> i64:
    kept: \"i64[8, 8]\"
    s: i64 = 5
    for i in range(8):
        if b[7 - i, i] != s:
            c[i] += s
        else:
            s = max(kept[3, n[i] & 7], s)
        for j in range(3):
            kept[2 * j + 1, j] += s
        for k in range(3):
            a[i] += s
            s += a[k + 1]
    return s
";

#[test]
fn parameters_that_may_be_split_stay_whole_where_that_is_faster() {
    let [whole, split] = [false, true].map(|partition_args| {
        let mut target = target(&[]).expect("no directives");
        target.aim.level = Level::Three;
        target.aim.partition_args = partition_args;
        target.period = 20.0;
        cycles(&checked_for(CARRIED, &target))
    });
    assert!(split <= whole, "{split} cycles instead of {whole}");
}

/// Kernels that are forecast of one, where each forecast had the scheduler look at so many nodes and found so many cycles.
fn forecasts(text: &str, visits: u64, cycles: impl Fn(&Kernel) -> u64 + Sync) -> Vec<u64> {
    let (mut sources, file) = support::source("kernel.py", text);
    let compiled = frontend::compile(&mut sources, file, Some("top")).expect("a program");
    let program = compiled.program;
    let mut kernel = program.kernels[program.top].clone();
    let found = Mutex::new(Vec::new());
    let forecast = |kernel: Kernel, _: &Worth| {
        let cycles = cycles(&kernel);
        found.lock().expect("no panic").push(cycles);
        Some(Foreseen {
            best: Forecast {
                cycles,
                luts: 1000.0,
                logic: 1000.0,
                blocks: 0,
                ram: 0,
            },
            ways: Ways::default(),
            visits,
        })
    };
    let mut aim = target(&[]).expect("no directives").aim;
    aim.level = Level::Three;
    levels::direct(&mut kernel, &sources, &aim, &forecast, &|_, _| ());
    found.into_inner().expect("no panic")
}

#[test]
fn the_search_ends_sooner_where_schedules_take_long() {
    let [quick, slow] = [0, 100_000_000].map(|visits| forecasts(WIDE, visits, |_| 10_000).len());
    assert!(4 * slow < quick, "{slow} forecasts, {quick} quick ones");
}

/// Both ends of the kernel begin with what is forecast of it as it stands.
#[test]
fn what_is_forecast_again_counts_once() {
    let all = forecasts(KERNEL, 0, |_| 10_000).len();
    // As much as there is effort for, but for the operations.
    let visits = 8_000_000 / all as u64;
    assert_eq!(forecasts(KERNEL, visits, |_| 10_000).len(), all);
}

/// The first forecast of the kernel itself takes all the effort that there is.
#[test]
fn there_is_effort_left_for_kernels_without_their_small_loops() {
    const TAPS: &str = "
from allo import *

@kernel
def top(x: \"f32[68]\", y: \"f32[64]\"):
    for i in range(64):
        for j in range(4):
            y[i] += x[i + j]
";
    let loops = |kernel: &Kernel| {
        let mut loops = 0;
        kernel
            .body
            .for_each_op(&mut |op| loops += u64::from(matches!(op.kind, OpKind::For(_))));
        loops
    };
    let found = forecasts(TAPS, 8_000_000, |kernel| 1000 * loops(kernel));
    let unrolled = found.iter().filter(|cycles| **cycles == 1000).count();
    assert!(unrolled > 1, "{found:?}");
}

/// Without a search of the most that fits, too.
#[test]
fn two_lanes_take_no_more_than_there_is() {
    let limited = |blocks: u64| {
        let mut target = target(&[]).expect("no directives");
        target.aim.level = Level::Two;
        target.aim.limits.blocks = blocks;
        taken(&checked_for(WIDE, &target))
    };
    let [one, two] = [Level::One, Level::Two].map(|level| taken(&built_of(WIDE, level, &[])));
    assert!(one.1 < two.1 && two.0 < one.0, "{one:?} {two:?}");
    assert!(limited(two.1 - 1).1 < two.1);
    assert_eq!(limited(two.1), two);
    // What is too large as it stands is no larger for it.
    assert_eq!(limited(one.1 - 1), two);
}

/// Banks of parameters are ports of the module: only who asks for them gets them.
#[test]
fn parameters_stay_whole_unless_they_may_be_split() {
    for partition_args in [false, true] {
        let compiled = wide(WIDE, &[], partition_args);
        let params = compiled.kernel.arrays.values();
        let mut params = params.filter(|array| matches!(array.kind, ArrayKind::Param(_)));
        let is_split = params.any(|array| !array.partition.is_empty());
        assert_eq!(is_split, partition_args);
    }
}

/// What stands there is not what is counted, nor what is tried.
#[test]
fn long_loops_take_no_longer_to_direct() {
    let kernel = "
from allo import *

@kernel
def top(x: \"i32[64]\"):
    s: i32 = 0
    for i in range(1000000000000):
        s += x[i & 63]
    x[0] = s
";
    let mut target = target(&[]).expect("no directives");
    target.aim.level = Level::Three;
    assert!(compile_for(kernel, &target).is_ok());
}

/// What is read where the data say has no bank for each lane: a port for each, which takes copies.
#[test]
fn arrays_that_are_gathered_are_copied_for_lanes() {
    let text = "
from allo import *

@kernel
def top(x: \"i32[256]\", at: \"u8[512]\", y: \"i32[512]\"):
    t: i32[256] = x
    for i in range(512):
        y[i] = t[at[i]] + t[at[i] ^ 1] + t[255 - at[i]]
";
    let compiled = wide(text, &[], true);
    let said = |line: &String| line.contains("with copies of 't'");
    assert!(compiled.design.header.iter().any(said));
    let memories = compiled
        .design
        .top()
        .map(|top| &compiled.design.modules[top].items);
    let reads = memories
        .into_iter()
        .flatten()
        .filter_map(|item| match item {
            Item::Memory(memory) if memory.name.starts_with('t') => Some(memory.reads.len()),
            _ => None,
        });
    let most = reads.max().expect("the memory of t");
    assert!(most > 2, "{most}");
    let cycles = |compiled: &Compilation| compiled.manifest.latency.max;
    let narrow = wide(text, &[("ports", "t=2")], true);
    assert!(cycles(&compiled).map(|cycles| 2 * cycles) < cycles(&narrow));
}

/// Parts of it would be other memories.
#[test]
fn arrays_that_users_direct_stay_whole() {
    let is_split = |flags: &[(&str, &str)]| {
        let compiled = wide(WIDE, flags, true);
        let mut arrays = compiled.kernel.arrays.values();
        arrays.any(|array| array.name == "t" && !array.partition.is_empty())
    };
    assert!(is_split(&[]));
    assert!(!is_split(&[("storage", "t:bram")]));
}

/// An element says which one is next: no bank helps, and a memory inside that is read without a clock does.
#[test]
fn parameters_that_may_be_split_are_copied_inside_where_banks_gain_nothing() {
    let chased = wide(
        "
from allo import *

@kernel
def top(p: \"u8[8]\", n: u8) -> u8:
    s: u8 = n
    while s != 0:
        s = (p[s & 7] ^ s) >> 1
    return s
",
        &[],
        true,
    );
    let said = "-O3: 'p' copied to memories inside";
    assert!(chased.design.header.iter().any(|line| line == said));
}

/// Parameters stay whole; what is read again and again has a copy in banks inside, what is written a copy that is written back.
#[test]
fn parameters_are_copied_where_a_copy_in_banks_is_faster() {
    const PRODUCT: &str = "
from allo import *

@kernel
def top(A: \"i16[16, 16]\", B: \"i16[16, 16]\", C: \"i32[16, 16]\"):
    for i in range(16):
        for j in range(16):
            for k in range(16):
                C[i, j] += A[i, k] * B[k, j]
";
    let mut target = target(&[]).expect("directives");
    target.aim.level = Level::Three;
    let compiled = checked_for(PRODUCT, &target);
    let said = compiled.design.header.iter();
    let is_said = said
        .clone()
        .any(|line| line.contains("copied to memories inside"));
    assert!(is_said, "{:?}", said.collect::<Vec<_>>());
    assert!(
        compiled
            .manifest
            .args
            .iter()
            .all(|port| port.banks().len() == 1)
    );
    let cycles = cycles(&compiled);
    // Two lanes, for two ports, take half as many as there are products.
    assert!(cycles < 16 * 16 * 16 / 3, "{cycles}");
}

/// Each iteration gathers from parameters of two ports, and reads them in order; both sums share what they are made of.
const GATHER: &str = "
from allo import *

@kernel
def top(sa: \"i32[64]\", sb: \"i32[64]\", p: \"i32[64]\", q: \"i32[64]\", at: \"u8[1024]\"):
    for i in range(64):
        a: i32 = 0
        b: i32 = 0
        for j in range(16):
            o = at[i * 16 + j] & 63
            d = p[i] - p[o]
            e = q[i] - q[o]
            a += d * (e ^ (a >> 3))
            b += e * (d ^ (b >> 3))
        sa[i] = a
        sb[i] = b
";

#[test]
fn parameters_that_are_gathered_from_are_copied_inside_for_lanes() {
    let levels = [Level::One, Level::Two, Level::Three];
    let built = levels.map(|level| built_of(GATHER, level, &[]));
    let [plain, two, three] = built.each_ref().map(cycles);
    let said = decisions(&built[1]);
    assert_eq!(
        said.first(),
        Some(&"-O2: 'p', 'q' copied to memories inside")
    );
    // The copies take as long as a parameter has elements.
    assert!(2 * two < plain + 200, "{two} cycles instead of {plain}");
    assert!(three <= two, "{three} cycles instead of {two}");
    // Banks of parameters are no other way to that.
    let split = cycles(&wide(GATHER, &[], true));
    assert!(split <= two, "{split} cycles instead of {two}");
}

/// Lanes along the inner loop of a product add to as many sums at once; the outer loop put inside, these are fewer, which stay in
/// registers.
const COLUMNS: &str = "
from allo import *

@kernel
def top(a: \"f32[40, 40]\", x: \"f32[40]\", y: \"f32[40]\"):
    for i in range(40):
        for j in range(40):
            y[i] += a[j, i] * x[j]
";

#[test]
fn of_orders_that_take_as_long_the_smallest_one_is_kept() {
    let mut target = target(&[]).expect("directives");
    target.aim.level = Level::Three;
    target.aim.partition_args = true;
    target.aim.limits.blocks = 36;
    let compiled = checked_for(COLUMNS, &target);
    let kept = compiled.tried.iter().rfind(|tried| tried.kept);
    let kept = kept.and_then(|tried| tried.after).expect("lanes");
    let after = compiled.tried.iter().filter_map(|tried| tried.after);
    let as_fast = after.filter(|after| after.cycles == kept.cycles);
    let least = as_fast
        .map(|after| after.luts)
        .fold(f64::INFINITY, f64::min);
    assert_eq!(kept.luts, least);
    assert!(
        compiled
            .tried
            .iter()
            .filter_map(|tried| tried.after)
            .any(|after| { after.cycles == kept.cycles && after.luts > least })
    );
}

/// Three products: room for lanes of all of them only with fewer lanes than each may have alone.
const THREE_PRODUCTS: &str = "
from allo import *

@kernel
def top(
    a: \"f32[36, 38]\", b: \"f32[38, 40]\", c: \"f32[40, 44]\", d: \"f32[44, 42]\", e: \"f32[36, 40]\",
    f: \"f32[40, 42]\", g: \"f32[36, 42]\",
):
    for i in range(36):
        for j in range(40):
            e[i, j] = 0.0
            for k in range(38):
                e[i, j] += a[i, k] * b[k, j]
    for i in range(40):
        for j in range(42):
            f[i, j] = 0.0
            for k in range(44):
                f[i, j] += c[i, k] * d[k, j]
    for i in range(36):
        for j in range(42):
            g[i, j] = 0.0
            for k in range(40):
                g[i, j] += e[i, k] * f[k, j]
";

/// Sums of rows, which take turns where no lane is left over in the end.
const ROWS: &str = "
from allo import *

@kernel
def top(a: \"f32[250, 250]\", b: \"f32[250, 250]\", x: \"f32[250]\", t: \"f32[250]\", y: \"f32[250]\"):
    for i in range(250):
        t[i] = 0.0
        y[i] = 0.0
        for j in range(250):
            t[i] += a[i, j] * x[j]
            y[i] += b[i, j] * x[j]
        y[i] = t[i] + y[i]
";

/// Parameters in banks, with so many lookup tables.
fn wide_within(kernel: &str, luts: u64) -> Compilation {
    let mut target = target(&[]).expect("no directives");
    target.aim.level = Level::Three;
    target.aim.partition_args = true;
    target.aim.limits.luts = luts;
    checked_for(kernel, &target)
}

/// What all nests have together is kept as one decision.
#[test]
fn a_nest_without_room_has_lanes_with_the_others() {
    let compiled = wide_within(THREE_PRODUCTS, 9_600);
    let mut kept = compiled.tried.iter().filter(|tried| tried.kept);
    assert!(kept.any(|tried| tried.what.matches("side by side").count() == 3));
}

#[test]
fn what_may_take_more_takes_hardly_longer() {
    for (text, limits) in [(THREE_PRODUCTS, [7_850, 9_600]), (ROWS, [30_000, 45_000])] {
        let cycles = limits.map(|luts| cycles(&wide_within(text, luts)));
        let most = cycles[0] + cycles[0] / 10;
        assert!(cycles[1] <= most, "{cycles:?} of {limits:?}\n{text}");
    }
}

/// Rows of which some lanes are left over in the last round: sums of all rounds take turns as they do where none is.
#[test]
fn sums_take_turns_where_lanes_are_left_over() {
    let of = |rows: u32| wide(&ROWS.replace("250", &rows.to_string()), &[], true);
    let cycles = [250, 251].map(|rows| cycles(&of(rows)));
    // An element more in each row, and as many rounds with 52 lanes as with 50.
    let most = cycles[0] + cycles[0] / 8;
    assert!(cycles[1] <= most, "{cycles:?}");
}
