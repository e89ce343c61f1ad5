//! Reports: what they say of kernels that are understood, that their forms agree, and that text of the user stays text.

use crate::support;
use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Target};
use allo_hls::levels::Level;
use allo_hls::report::data::{Line, Pipeline, Region, RegionKind, Transfer, Trial};
use allo_hls::report::trials::{Effort, with_trials};
use allo_hls::report::{Build, Report, html, text};
use allo_hls::sim::selfcheck::Budget;
use std::path::Path;

/// The report of a file's kernel, at the level and with the directives that are the command line's default.
fn of_file(path: &str, top: &str, effort: Effort) -> Report {
    let text = support::read(&support::root(path));
    of_text(
        Path::new(path).file_name().unwrap().to_str().unwrap(),
        &text,
        top,
        effort,
    )
}

fn target() -> Target {
    let mut target = Target::new("ecp5", 10.0).expect("a device");
    target.aim.level = Level::Two;
    target
}

fn of_text(name: &str, text: &str, top: &str, effort: Effort) -> Report {
    of_text_for(target(), name, text, top, effort)
}

fn of_text_for(mut target: Target, name: &str, text: &str, top: &str, effort: Effort) -> Report {
    let (mut sources, file): (SourceMap, _) = support::source(name, text);
    // What was checked is said in one test.
    let is_checked = name == "saxpy_f32.py";
    target.check = if is_checked {
        Budget::QUICK
    } else {
        Budget::OFF
    };
    let compilation = driver::compile(&mut sources, file, Some(top), &target)
        .unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
    let build = Build {
        sources: &sources,
        target: &target,
        compilation: &compilation,
        block: None,
    };
    with_trials(&build, effort)
}

fn line(report: &Report, number: usize) -> &Line {
    let mut lines = report.source.iter().flat_map(|file| &file.lines);
    lines
        .find(|line| line.number == number)
        .expect("the line is shown")
}

fn loop_at(report: &Report, number: usize) -> (usize, &Pipeline) {
    let pipelines = report.pipelines.iter().enumerate();
    let mut at = pipelines.filter(|(_, p)| p.loops.iter().any(|dim| dim.place.line == number));
    at.next().expect("there is a loop")
}

#[test]
fn saxpy_is_explained() {
    let report = of_file("examples/saxpy_f32.py", "saxpy", Effort::NONE);
    assert_eq!(report.summary.cycles.exact, Some(19));
    assert_eq!(report.summary.verification.state, "checked");
    let (_, pipeline) = loop_at(&report, 12);
    // Two iterations side by side, one pair a cycle.
    assert_eq!((pipeline.trip, pipeline.ii), (Some(8), Some(1)));
    assert_eq!(pipeline.bound.as_ref().expect("a loop").kind, "rate");
    let names: Vec<&str> = report.units.iter().map(|unit| &*unit.name).collect();
    assert_eq!(names, ["fmul_e8f23", "fadd_e8f23"]);
    assert!(
        report
            .units
            .iter()
            .all(|unit| unit.instances == 2 && unit.luts > 200.0)
    );
    // All that computes is in the last line.
    let body = line(&report, 13);
    assert!(body.cycles > Some(0.9) && body.area > Some(0.9), "{body:?}");
    assert!(body.binds.is_empty() && !body.verilog.is_empty());
    assert_eq!(line(&report, 11).cycles, None);
    let loads = report
        .memories
        .iter()
        .find(|memory| memory.name == "x")
        .expect("x");
    assert_eq!((loads.uses[0].busy, loads.uses[0].available), (2, 2));
    // What the compiler tried and kept.
    let tried = &report.transformations.tried;
    assert!(
        tried
            .iter()
            .any(|tried| tried.kept && tried.cycles == Some(20)),
        "{tried:?}"
    );
}

#[test]
fn the_area_of_lines_is_that_of_the_module() {
    let report = of_file(
        "rtl-tests/kernels/polybench/gemm.py",
        "gemm_f32",
        Effort::NONE,
    );
    let lines = report.source.iter().flat_map(|file| &file.lines);
    let (luts, blocks) = lines.fold((0.0, 0), |(luts, blocks), line| {
        (luts + line.luts, blocks + line.blocks)
    });
    let estimate = |name: &str| {
        let mut all = report.summary.estimates.iter();
        all.find(|estimate| estimate.name == name)
            .expect("it is estimated")
            .value
    };
    // The rest is control.
    assert!(
        luts <= estimate("LUT4") && luts > 0.8 * estimate("LUT4"),
        "{luts}"
    );
    assert_eq!(blocks as f64, estimate("multipliers"));
    let all = report.summary.estimates.iter();
    assert!(
        all.filter(|estimate| estimate.name != "block RAM kbit")
            .all(|e| e.error.is_some())
    );
}

#[test]
fn a_recurrence_is_shown_and_lifted_by_a_real_trial() {
    // With memory that is read with a clock alone.
    let mut target = target();
    target.device.memory.lut_ram = false;
    let text = support::read(&support::root("rtl-tests/kernels/polybench/gemm.py"));
    let clocked = target.clone();
    let report = of_text_for(clocked, "gemm.py", &text, "gemm_f32", Effort::QUICK);
    let (number, pipeline) = loop_at(&report, 15);
    assert_eq!(pipeline.ii, Some(2));
    let bound = pipeline.bound.as_ref().expect("a loop");
    assert_eq!(bound.kind, "recurrence");
    // A load, two sums and a store of the element that six iterations later is loaded again.
    assert_eq!((bound.chain_cycles, bound.distance), (12, 6));
    let steps: Vec<&str> = bound.chain.iter().map(|step| &*step.what).collect();
    let expected = [
        "load out_AB_elem_running",
        "choose (out_AB_elem)",
        "fadd_e8f23",
        "fadd_e8f23",
        "store out_AB_elem_running",
    ];
    assert_eq!(steps, expected);
    assert!(
        bound
            .chain
            .windows(2)
            .all(|two| two[0].ready <= two[1].ready)
    );
    // The sum itself, not the loop that it is carried by.
    let binding = [15, 16, 22].map(|number| !line(&report, number).binds.is_empty());
    assert_eq!(binding, [false, true, false]);
    let better = |trial: &&Trial| trial.outcome.as_ref().is_some_and(|it| it.ii == Some(1));
    let trials = report
        .trials
        .iter()
        .filter(|trial| trial.pipeline == number);
    let found = trials
        .filter(better)
        .min_by_key(|t| t.outcome.as_ref().map(|it| it.cycles));
    let found = found.expect("an order without the recurrence");
    // The same by hand.
    let outcome = found.outcome.as_ref().expect("it is better");
    let parse = |flag: &String| {
        let (name, value) = flag[2..].split_once(' ').expect("a flag with a value");
        allo_hls::directives::flag(name, value).expect("a directive")
    };
    target.directives = found.flags.iter().map(parse).collect();
    let compiled = support::hardware(&text, Some("gemm_f32"), &target);
    assert_eq!(compiled.manifest.latency.max, Some(outcome.cycles));
}

const PORTS: &str = "from allo import *\n\n@kernel\ndef f(a: \"i32[64]\", b: \"i32[16]\"):\n    for i in range(16):\n        \
                     b[i] = a[4 * i] * a[4 * i + 1] + a[4 * i + 2] * a[4 * i + 3]\n";

#[test]
fn ports_that_bind_are_lifted_by_banks() {
    let report = of_text("ports.py", PORTS, "f", Effort::QUICK);
    let (number, pipeline) = loop_at(&report, 5);
    let bound = pipeline.bound.as_ref().expect("a loop");
    let ports = bound.ports.as_ref().expect("ports bind");
    assert_eq!((&*ports.memory, ports.ports), ("a", 2));
    assert_eq!(
        ports.accesses.len() as u64,
        2 * pipeline.ii.expect("an interval")
    );
    let memory = report
        .memories
        .iter()
        .find(|memory| memory.name == "a")
        .expect("a");
    assert!(memory.uses[0].binds && memory.uses[0].busy == memory.uses[0].available);
    assert!(!line(&report, 6).binds.is_empty());
    let mut trials = report
        .trials
        .iter()
        .filter(|trial| trial.pipeline == number);
    let found = trials.find(|trial| trial.flags == ["--partition a:cyclic:2:dim=1"]);
    let outcome = found
        .and_then(|trial| trial.outcome.as_ref())
        .expect("it was built");
    assert!(outcome.cycles_ratio < 0.9, "{outcome:?}");
}

#[test]
fn a_network_is_simulated() {
    let report = of_file("tests/networks/different_rates.py", "top", Effort::NONE);
    let flow = report.flow.as_ref().expect("it is a network");
    let names: Vec<&str> = flow
        .processes
        .iter()
        .map(|process| &*process.name)
        .collect();
    assert_eq!(names, ["pack", "unpack"]);
    let [pack, unpack] = &flow.processes[..] else {
        panic!("two processes");
    };
    assert!(
        pack.start < pack.done && pack.done < unpack.done,
        "{flow:?}"
    );
    let queue = |name: &str| {
        flow.queues
            .iter()
            .find(|queue| queue.name == name)
            .expect(name)
    };
    // Four bytes are a word, six words go through.
    let between = queue("s");
    assert_eq!((between.from, &between.to[..]), (Some(0), &[1][..]));
    assert_eq!((between.elements, queue("o").elements), (Some(6), Some(24)));
    assert!(between.most <= between.capacity && between.most > Some(0));
    assert_eq!(queue("a").capacity, None, "it is outside");
    assert_eq!(report.regions.len(), 2);
    assert!(
        report
            .regions
            .iter()
            .all(|region| region.kind == RegionKind::Process)
    );
    assert!(html::page(&report).contains("class=\"level\""));
}

/// Every network has a report: its processes and queues are found in its netlist.
#[test]
fn all_networks_are_simulated() {
    for path in support::files("tests/networks", "py") {
        let text = support::read(&path);
        let top = text.rsplit("@kernel").next().and_then(|rest| {
            let (_, rest) = rest.split_once("def ")?;
            rest.split_once(['(', '['])
        });
        let (top, _) = top.expect("a kernel");
        let report = of_text(&support::stem(&path), &text, top, Effort::NONE);
        let flow = report.flow.as_ref().expect("it is a network");
        let simulation = &flow.simulation;
        assert!(
            simulation.starts_with("simulated"),
            "{}: {simulation}",
            path.display()
        );
        assert!(
            flow.processes
                .iter()
                .all(|p| p.start.is_some() && p.done.is_some())
        );
    }
}

#[test]
fn where_the_data_decide_there_are_formulas() {
    let report = of_file("examples/count.py", "count", Effort::NONE);
    assert_eq!(report.summary.cycles.exact, None);
    let formulas = &report.summary.cycles.formulas;
    assert!(
        formulas.iter().all(|formula| formula.cycles.contains('n')),
        "{formulas:?}"
    );
    assert!(!formulas.is_empty());
}

/// What a loop of unknown length takes is found on one input, the same one for what is tried.
#[test]
fn trials_where_the_data_decide_run_on_one_input() {
    let text = "from allo import *\n\n@kernel\ndef f(n: u5, x: \"f32[32]\", y: \"f32[32]\") -> f32:\n    s: f32 = 0\n    \
                for i in range(n):\n        s += x[i] * y[i]\n    return s\n";
    let report = of_text("dot.py", text, "f", Effort::QUICK);
    let simulated = report.summary.cycles.simulated.expect("it is short");
    let outcomes = report
        .trials
        .iter()
        .filter_map(|trial| trial.outcome.as_ref());
    let ratios: Vec<f64> = outcomes.map(|outcome| outcome.cycles_ratio).collect();
    assert!(simulated < 120 && !ratios.is_empty());
    // A sum that is carried gains nothing by rounds, and loses little.
    assert!(
        ratios.iter().all(|ratio| (0.7..1.3).contains(ratio)),
        "{ratios:?}"
    );
}

/// The report of a text, as it is without what the compiler directs by itself.
fn of_plain(text: &str, top: &str) -> Report {
    let mut target = target();
    target.aim.level = Level::One;
    of_text_for(target, "plain.py", text, top, Effort::NONE)
}

/// All regions of a report, outer ones first.
fn all_regions<'r>(regions: &'r [Region]) -> Vec<&'r Region> {
    let with_inner =
        |region: &'r Region| std::iter::once(region).chain(all_regions(&region.inside));
    regions.iter().flat_map(with_inner).collect()
}

fn region<'r>(report: &'r Report, name: &str) -> &'r Region {
    let all = all_regions(&report.regions);
    let found = all.into_iter().find(|region| region.name == name);
    found.expect("there is a region of this name")
}

/// The inner loop has bounds that are not constant, but that no data decide.
#[test]
fn loops_that_are_always_as_long_are_not_guessed() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"i32[64]\", y: \"i32[64]\"):\n    for i in range(64):\n        \
                for j in range(i, i + 2):\n            y[i] = x[j % 64] + 1\n";
    let report = of_plain(text, "top");
    assert_eq!(report.summary.cycles.exact, Some(321));
    assert!(report.summary.cycles.formulas.is_empty());
    let (outer, inner) = (region(&report, "i"), region(&report, "j"));
    assert_eq!((outer.trip, outer.cycles, outer.runs), (Some(64), 321, 1));
    assert_eq!((inner.trip, inner.cycles, inner.runs), (Some(2), 3, 64));
    assert!(outer.is_exact && inner.is_exact);
    let text = text::print(&report, 100);
    assert!(text.contains("by their first run, 321 cycles"), "{text}");
}

#[test]
fn a_loop_in_a_triangle_has_the_fewest_and_the_most_iterations() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"i32[16]\", y: \"i32[16]\"):\n    for i in range(16):\n        \
                for j in range(i):\n            y[i] = y[i] + x[j]\n";
    let report = of_plain(text, "top");
    let inner = region(&report, "j");
    assert_eq!((inner.trip, inner.trips), (None, Some((0, 15))));
    assert_eq!((inner.cycles, inner.spread), (0, Some((0, 16))));
    // 1 to 15 iterations, and each but the first run's two cycles until the last one is done.
    let pipeline = &report.pipelines[inner.pipeline.expect("it is one")];
    assert_eq!((pipeline.runs, pipeline.cycles), (16, 16));
    let text = text::print(&report, 100);
    assert!(
        text.contains("0 to 15 iterations, 0 to 16 cycles"),
        "{text}"
    );
}

/// Of a nest of which only the outermost loop has no constant number, the inner ones are not run through.
#[test]
fn strips_of_long_sums_are_counted_exactly() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"f32[40, 200]\", y: \"f32[40, 40]\"):\n    for i in range(40):\n        \
                for j in range(i):\n            s: f32 = 0.0\n            for k in range(200):\n                \
                s += x[i, k] * x[j, k]\n            y[i, j] = s\n";
    let report = of_plain(text, "top");
    // Strips of 8 rows: 1 for each of the rows 1 to 8, 2 for those to 16, and so on.
    let strips = 8 * (1 + 2 + 3 + 4) + 7 * 5;
    let mut loops = report.pipelines.iter().filter_map(|pipeline| pipeline.ii);
    assert_eq!((loops.next(), loops.next()), (Some(1), None));
    let exact = report.summary.cycles.exact.expect("no data decide");
    let more = exact - strips * 8 * 200;
    assert!(more < 40 * 30, "{exact}: {more} beside the iterations");
}

/// Cycles that are guessed of the first run of a loop with an iteration each cycle.
fn guessed(text: &str, name: &str) -> i64 {
    let report = of_plain(text, "top");
    let region = region(&report, name);
    assert!(!region.is_exact);
    region.cycles as i64
}

/// A string is looked through from its start.
#[test]
fn a_loop_that_walks_an_array_is_expected_to_come_half_as_far() {
    let by = |index: &str, extent: u64| {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(x: \"i8[{extent}]\", most: i32) -> i32:\n    i: i32 = 0\n    \
             s: i32 = 0\n    while s < most:\n        s += x[{index}]\n        i += 1\n    return i\n"
        );
        guessed(&text, "while")
    };
    let of = |extent| by("i", extent);
    assert!(of(64) > of(32));
    assert_eq!(of(64) - of(32), 2 * (of(32) - of(16)));
    assert_eq!(of(1000), of(128));
    assert_eq!(by("i * 2", 64), of(32));
    // What stays as it is walks nowhere.
    assert_eq!(by("most", 16), of(128));
}

/// Rows of a compressed matrix lie one after the other, and all together are as long as the array.
#[test]
fn a_loop_that_goes_on_in_an_array_is_expected_to_walk_it_once() {
    let of = |extent: u64| {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(row: \"i32[17]\", x: \"i32[{extent}]\", y: \"i32[16]\"):\n    \
             for i in range(16):\n        s: i32 = 0\n        for k in range(row[i], row[i + 1]):\n            \
             s += x[k]\n        y[i] = s\n"
        );
        guessed(&text, "k")
    };
    assert_eq!(of(320) - of(64), (320 - 64) / 16);
}

/// The two loops are of one guess, not one of the guess and one of the input that was simulated.
#[test]
fn shares_are_parts_of_what_loops_and_timeline_show() {
    let text = "from allo import *\n\n@kernel\ndef k(x: \"i32[64]\", n: i32, y: \"i32[64]\"):\n    s: i32 = 0\n    \
                for i in range(n):\n        s += x[i]\n    for j in range(64):\n        y[j] = s + j\n";
    let report = of_plain(text, "k");
    let cycles = &report.summary.cycles;
    assert!(cycles.exact.is_none() && cycles.simulated.is_some_and(|some| some < cycles.guess));
    let shares = report.pipelines.iter().map(|pipeline| pipeline.share);
    assert!(
        (0.95..=1.0).contains(&shares.sum()),
        "{:?}",
        report.pipelines
    );
    let ends = report.regions.iter().map(Region::end).max();
    assert_eq!((ends, report.end()), (Some(cycles.guess), cycles.guess));
    let text = text::print(&report, 200);
    let said = format!("{} cycles are those with 64 iterations", cycles.guess);
    assert!(text.contains(&said), "{text}");
}

/// The last pipeline is at work after its release; a scalar result is there a cycle after that.
#[test]
fn the_last_region_ends_with_the_invocation() {
    let text = "from allo import *\n\n@kernel\ndef norm(x: \"f32[8]\", y: \"f32[8]\"):\n    s: f32 = 0\n    \
                for i in range(8):\n        s += x[i]\n    for j in range(8):\n        y[j] = x[j] / s\n\n\
                @kernel\ndef total(x: \"i32[8]\") -> i32:\n    s: i32 = 0\n    for i in range(8):\n        \
                s += x[i]\n    return s\n";
    for (top, behind) in [("norm", 0), ("total", 1)] {
        let report = of_plain(text, top);
        let ends = report.regions.iter().map(Region::end).max();
        let ends = ends.map(|end| end + behind);
        assert_eq!(ends, report.summary.cycles.exact, "{top}");
    }
}

/// The last statement of a body stands after lines without any.
#[test]
fn all_lines_of_a_kernel_are_shown() {
    let text = "from allo import *\n\n@kernel\ndef top(a: Stream[i32], b: Stream[i32], o: Stream[i32]):\n    \
                y: i32 = a.get()\n    for i in range(8):\n        if y > 3:\n            o.put(i)\n            \
                y = y - 1\n        else:\n            o.put(y)\n            # One.\n            # Two.\n            \
                # Three.\n            y = b.get()\n";
    let report = of_plain(text, "top");
    let shown: Vec<usize> = report.source[0]
        .lines
        .iter()
        .map(|line| line.number)
        .collect();
    assert_eq!(shown, (1..=15).collect::<Vec<usize>>());
}

/// An element that a loop keeps in a register is loaded and stored where the statement is, not where the loop is.
#[test]
fn accesses_of_a_promoted_element_are_at_their_lines() {
    let text = "from allo import *\n\n@kernel\ndef mv(A: \"i32[8]\", B: \"i32[8]\", C: \"i32[8]\"):\n    \
                for i in range(8):\n        for j in range(8):\n            C[i] += A[i] * B[j]\n";
    let report = of_plain(text, "mv");
    let uses = report.memories.iter().flat_map(|memory| &memory.uses);
    let accesses = uses.flat_map(|one| &one.accesses);
    let lines: Vec<usize> = accesses.map(|access| access.place.line).collect();
    assert_eq!(lines, [7; 4]);
}

/// A `while` ends with an iteration that finds nothing to do.
#[test]
fn the_formula_of_a_while_counts_its_iterations() {
    let text = "from allo import *\n\n@kernel\ndef f(a: u32, b: u32) -> u32:\n    x: u32 = a\n    y: u32 = b\n    \
                while y != 0:\n        t: u32 = x % y\n        x = y\n        y = t\n    return x\n";
    let report = of_text("gcd.py", text, "f", Effort::NONE);
    let [formula] = &report.summary.cycles.formulas[..] else {
        panic!("one loop");
    };
    assert!(formula.cycles.ends_with("* n"), "{}", formula.cycles);
}

/// Markup in names, comments, strings and file names; what steers a terminal.
#[test]
fn text_of_the_user_stays_text() {
    let name = "<b>&\"'\u{1b}[31m.py";
    let source = "from allo import *\n\n@kernel\ndef f(a: \"i32[8]\"):  # </style><script>alert(1)</script>\u{1b}[31m\n    \
                  for i in range(8, name=\"<img src=x onerror=alert(1)>\"):\n        a[i] = a[i] + 1\n";
    let report = of_text(name, source, "f", Effort::QUICK);
    let page = html::page(&report);
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    assert_eq!(page.matches("</style").count(), 1);
    for never in ["<img", "<b>", "\u{1b}", "alert(1)</script"] {
        assert!(!page.contains(never), "{never}");
    }
    assert!(page.contains("&lt;/style&gt;&lt;script&gt;alert(1)"));
    let text = text::print(&report, 80);
    assert!(!text.contains('\u{1b}') && text.contains("<script>"));
    assert_eq!(Report::from_json(&report.to_json()), Ok(report));
}

#[test]
fn forms_are_the_same_each_time_and_the_data_are_all() {
    let make = || of_file("examples/fir.py", "fir", Effort::QUICK);
    let (one, two) = (make(), make());
    assert_eq!(one.to_json(), two.to_json());
    assert_eq!(html::page(&one), html::page(&two));
    // Page and text are prints of the data.
    let read = Report::from_json(&one.to_json()).expect("what was written");
    assert_eq!(html::page(&read), html::page(&one));
    assert_eq!(text::print(&read, 100), text::print(&one, 100));
    let other = one
        .to_json()
        .replacen("\"version\": 1", "\"version\": 9", 1);
    assert!(Report::from_json(&other).is_err());
}

/// What keeps iterations from overlapping is said at each loop of the nest that would be one pipeline; a loop around several has
/// no reason but these.
#[test]
fn loops_that_are_no_pipelines_say_why() {
    const LATE: &str = "
from allo import *

@kernel
def top(s: Stream[i32], t: Stream[i32], o: Stream[i32]):
    for i in range(4):
        for j in range(8):
            v: i32 = s.get()
            if v * v > 3:
                o.put(t.get())
    for k in range(2):
        for m in range(4):
            o.put(m)
        for n in range(5):
            o.put(k * n)
";
    let report = of_plain(LATE, "top");
    let late = "may need something of stream 't', which is not known as it begins";
    let said = |name: &str| region(&report, name).in_turn.as_deref();
    assert_eq!(["i", "j", "k"].map(said), [Some(late), Some(late), None]);
    let text = text::print(&report, 200);
    let whole = format!("one iteration after the other, since each {late}");
    assert_eq!(text.matches(&whole).count(), 2, "{text}");
    assert!(html::page(&report).contains("which is not known as it begins"));
}

#[test]
fn the_text_keeps_to_its_columns() {
    let report = of_file(
        "rtl-tests/kernels/polybench/gemm.py",
        "gemm_f32",
        Effort::NONE,
    );
    for columns in [60, 80, 132] {
        let text = text::print(&report, columns);
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(columns), "{longest:?} of {columns}");
    }
    let titles = [
        "Source",
        "Loops",
        "Timeline",
        "Memories and ports",
        "Units",
        "Transformations",
    ];
    let text = text::print(&report, 80);
    assert!(
        titles
            .iter()
            .all(|title| text.contains(&format!("\n{title}\n---")))
    );
}

/// Of loops that users cannot name, nothing is tried; what is refused is said without the directive, which stands beside it.
#[test]
fn only_loops_with_names_are_tried() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"i32[4]\", o: \"i32[4]\"):\n    \
        t: \"i32[8, 8]\" = 3\n    for i in range(8):\n        for j in range(4):\n            \
        t[i, j] = t[j, i] + x[j]\n    for i in range(4):\n        o[i] = t[i, 3]\n";
    let report = of_text("kernel.py", text, "top", Effort::QUICK);
    let made = |name: &str| name.starts_with("fill_");
    let mut names = report.pipelines.iter().map(|pipeline| &pipeline.name);
    assert!(names.any(|name| made(name)));
    assert!(!report.trials.is_empty());
    for trial in &report.trials {
        let flags = trial.flags.join(" ");
        assert!(!made(&report.pipelines[trial.pipeline].name), "{flags}");
        let why = trial.refused.as_deref().unwrap_or_default();
        assert!(!why.starts_with("--"), "{why}");
    }
}

#[test]
fn every_example_has_a_report() {
    for path in support::files("examples", "py") {
        let name = support::stem(&path);
        let text = support::read(&path);
        let top = text.rsplit("@kernel").next().and_then(|rest| {
            let (_, rest) = rest.split_once("def ")?;
            rest.split_once(['(', '['])
        });
        let (top, _) = top.expect("a kernel");
        let report = of_text(&name, &text, top, Effort::NONE);
        let page = html::page(&report);
        assert!(page.contains("<svg") && page.ends_with("</html>"), "{name}");
        for line in report.source.iter().flat_map(|file| &file.lines) {
            let parts = [line.cycles, line.area].into_iter().flatten();
            assert!(
                parts.into_iter().all(|part| (0.0..=1.0).contains(&part)),
                "{name}"
            );
        }
        let is_whole = |region: &Region| region.end() <= report.end();
        let mut all = all_regions(&report.regions).into_iter();
        assert!(report.flow.is_some() || all.all(is_whole), "{name}");
    }
}

/// 16 f32 in beats of 64 bits, two of which move while the kernel runs.
#[test]
fn what_a_block_moves_is_said_in_beats() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("r.json");
    let path = path.to_str().expect("a path");
    let args = [
        "report",
        "examples/saxpy_f32.py",
        "--trials",
        "0",
        "--interface",
        "axi",
    ];
    let more = [
        "--axi-buffer",
        "y=full",
        "--bundle",
        "out=out",
        "--axi-width",
        "32",
        "-o",
        path,
    ];
    let output = support::allo_hls(&[&args[..], &more[..]].concat());
    assert!(output.status.success(), "{output:?}");
    let read = Report::from_json(&support::read(Path::new(path))).expect("a report");
    let moved = |one: &Transfer| {
        let Transfer { name, through, .. } = one;
        (
            name.clone(),
            through.clone(),
            one.is_streamed,
            one.beat_bits,
            one.read,
            one.written,
        )
    };
    let all: Vec<_> = read.transfers.iter().map(moved).collect();
    let expected = [
        ("x", "m_axi_gmem", true, 32, 16, 0),
        ("y", "m_axi_gmem", false, 32, 16, 0),
        ("out", "m_axi_out", true, 32, 0, 16),
    ];
    let expected = expected.map(|(name, through, is_streamed, bits, read, written)| {
        (
            name.to_string(),
            through.to_string(),
            is_streamed,
            bits,
            read,
            written,
        )
    });
    assert_eq!(all, expected);
    // Of the whole block: the module inside takes 19 cycles and a part of the area.
    let cycles = &read.summary.cycles;
    assert!(
        cycles.exact.is_none() && cycles.simulated > Some(40),
        "{cycles:?}"
    );
    assert!(
        read.notes
            .iter()
            .any(|note| note.message.contains("of the whole block"))
    );
    let core = of_file("examples/saxpy_f32.py", "saxpy", Effort::NONE);
    let luts = |report: &Report| report.summary.estimates[0].value;
    assert!(luts(&read) > luts(&core) + 300.0);
    let output = support::allo_hls(&args);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("out by m_axi_gmem, streamed: 0 beats of 64 bits read, 8 written"));
}

#[test]
fn the_command_line_writes_each_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| {
        folder
            .path()
            .join(name)
            .to_str()
            .expect("a path")
            .to_string()
    };
    let (html, json, sv) = (path("r.html"), path("r.json"), path("out.sv"));
    let args = [
        "examples/fill.py",
        "--report",
        &html,
        "--report",
        &json,
        "--trials",
        "0",
        "-o",
        &sv,
    ];
    let output = support::allo_hls(&args);
    assert!(output.status.success(), "{output:?}");
    assert!(support::read(Path::new(&html)).starts_with("<!DOCTYPE html>"));
    let read = Report::from_json(&support::read(Path::new(&json))).expect("a report");
    assert!(read.trials.is_empty());
    let output = support::allo_hls(&["report", "examples/fill.py"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("fill (examples/fill.py:"));
    let output = support::allo_hls(&["examples/fill.py", "--report", "r.pdf"]);
    assert_eq!(output.status.code(), Some(2));
}
