//! Directives: names, files, what they do to cycles, and that they change no bit.

use crate::support;
use allo_hls::codes;
use allo_hls::diagnostics::Diagnostics;
use allo_hls::directives::{self, Directive};
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::levels::Level;
use allo_hls::sim::cosim::{CosimOptions, cosim_on};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::selfcheck::{Budget, Checked};

const KERNEL: &str = "
from allo import *

@kernel
def inner(v: \"i32[12]\", k: i32) -> i32:
    s: i32 = 0
    for i in range(12):
        s += v[i] * k
    return s

@kernel
def top(x: \"i32[12]\", y: \"i32[12]\", n: u4, m: i6) -> i32:
    for i in range(12, name=\"first\"):
        y[i] = x[i] + 3
    t: i32 = 0
    for j in range(1, n, 2):
        for i in range(5):
            t += y[i] - j
    for j in range(11, -1, -3):
        x[j] = t
    while t > 100:
        t -= 60
    for d in range(m, -3, -2):
        t = t * 3 + d
    for q in range(5, min(m, 9)):
        t = t * 5 + q
    return t + inner(y, t)
";

fn compile(flags: &[(&str, &str)], strict: bool) -> Result<Compilation, String> {
    compile_text(KERNEL, flags, strict)
}

/// Compiles the kernel `top` with flags as on the command line, checks included.
pub fn compile_text(
    text: &str,
    flags: &[(&str, &str)],
    strict: bool,
) -> Result<Compilation, String> {
    let target = target(flags)?;
    compile_for(text, &Target { strict, ..target })
}

/// What flags ask for, with checks and loops as they are otherwise.
pub fn target(flags: &[(&str, &str)]) -> Result<Target, String> {
    let directive = |&(name, value): &(&str, &str)| directives::flag(name, value);
    let directives: Result<Vec<Directive>, String> = flags.iter().map(directive).collect();
    Ok(Target {
        check: Budget::millions(20),
        directives: directives?,
        ..Target::new("ecp5", 10.0).expect("device")
    })
}

/// Compiles the kernel `top`. Error: the first message.
pub fn compile_for(text: &str, target: &Target) -> Result<Compilation, String> {
    let (mut sources, file) = support::source("kernel.py", text);
    let shown = |errors: Diagnostics| errors.0[0].message.clone();
    driver::compile(&mut sources, file, Some("top"), target).map_err(shown)
}

/// The hardware of the kernel `top`, which ran beside the reference.
pub fn checked_for(text: &str, target: &Target) -> Compilation {
    let directives = &target.directives;
    let compiled = compile_for(text, target);
    let compiled = compiled.unwrap_or_else(|why| panic!("{directives:?}: {why}"));
    let Checked::Not(why) = &compiled.checked else {
        return compiled;
    };
    panic!("{directives:?}: not checked: {why:?}")
}

/// The same with flags as on the command line.
pub fn checked(text: &str, flags: &[(&str, &str)]) -> Compilation {
    checked_for(text, &target(flags).expect("directives"))
}

/// Labels and intervals of the loops.
fn loops(flags: &[(&str, &str)]) -> Vec<(String, Option<u64>)> {
    let loops = checked(KERNEL, flags).manifest.loops.into_iter();
    loops.map(|l| (l.name, l.ii)).collect()
}

fn refused(flags: &[(&str, &str)]) -> String {
    match compile(flags, false) {
        Ok(_) => panic!("{flags:?} is carried out"),
        Err(why) => why,
    }
}

#[test]
fn every_loop_can_be_unrolled_without_changing_a_bit() {
    let all = ["first", "i@17", "j@16", "j@19", "inner/i", "d", "q"];
    for name in all {
        for factor in [2, 3, 5, 100] {
            loops(&[("unroll", &format!("{name}={factor}"))]);
        }
        if !["j@16", "d", "q"].contains(&name) {
            loops(&[("unroll", name)]);
        }
        for interval in [-1, 0, 1, 2, 7, 40] {
            loops(&[("pipeline", &format!("{name}={interval}"))]);
        }
    }
    loops(&[
        ("unroll", "first=4"),
        ("pipeline", "first=3"),
        ("unroll", "j@16=2"),
        ("unroll", "i@17=2"),
    ]);
}

/// Each stream hands out one element at a time, as an iteration begins.
#[test]
fn a_loop_that_streams_keep_from_being_pipelined_is_named_with_the_reason() {
    let of = |body: &str, value: &str, strict| {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(s: Stream[i32], o: Stream[i32], y: \"i32[8]\"):\n{body}    o.put(0)\n"
        );
        compile_text(&text, &[("pipeline", value)], strict)
    };
    let counted = |line: &str| format!("    for i in range(8):\n        {line}\n");
    let twice = counted("y[i] = s.get() - s.get()");
    let known_late = counted("if s.get() > 0:\n            y[i] = s.get()");
    let open =
        "    c: i32 = 0\n    while c < 8:\n        y[c] = s.get() - s.get()\n        c += 1\n"
            .to_string();
    for (body, value, expected) in [
        (
            &twice,
            "i=1",
            "--pipeline i=1: the least initiation interval is 2, bound by the turns in which each iteration gets from streams",
        ),
        (
            &known_late,
            "i=1",
            "--pipeline i=1: one iteration follows the other, since each needs something twice of stream 's'",
        ),
        (
            &open,
            "while@6=2",
            "--pipeline while=2: one iteration follows the other, since each needs something twice of stream 's'",
        ),
    ] {
        let warnings = of(body, value, false).expect("hardware").warnings.0;
        let found: Vec<&str> = warnings.iter().map(|one| one.message.as_str()).collect();
        assert!(found.contains(&expected), "{found:?}");
        assert_eq!(of(body, value, true).err().as_deref(), Some(expected));
    }
    for (body, value) in [
        (&twice, "i=-1"),
        (&twice, "i=2"),
        (&counted("y[i] = s.get()"), "i=1"),
    ] {
        assert!(
            of(body, value, true)
                .expect("hardware")
                .warnings
                .0
                .is_empty()
        );
    }
}

/// The data say in which of the iterations that are one the loop ends; what it carries is that of the last one that ran.
#[test]
fn a_loop_without_a_counter_is_unrolled_without_changing_a_bit() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"i32[16]\", n: u4, y: \"i32[16]\") -> i32:\n    c: i32 = 0\n    s: i32 = 0\n    \
                while c < n:\n        s += x[c] * (c + 1)\n        y[c] = s\n        c += 1\n    return s + c\n";
    for flags in [
        &[("unroll", "while@7=2")][..],
        &[("unroll", "while@7=3")],
        &[("unroll", "while@7=7"), ("pipeline", "while@7=4")],
        &[("no-pipeline", "while@7")],
    ] {
        let compiled = checked(text, flags);
        let Checked::Runs(runs) = compiled.checked else {
            panic!("{flags:?}: {}", compiled.checked);
        };
        assert!(runs.whole > 30, "{flags:?}: {runs:?}");
    }
    // The condition would take an element more where the loop ends.
    let text = "from allo import *\n\n@kernel\ndef top(s: Stream[i32], o: Stream[i32]):\n    c: i32 = 0\n    \
                while s.get() != 0:\n        c += 1\n    o.put(c)\n";
    let why =
        compile_text(text, &[("unroll", "while@6=2")], false).expect_err("a condition that takes");
    assert!(why.contains("its condition uses a stream"), "{why}");
}

/// What `flatten` makes one loop is one in the manifest, though two counters count it.
#[test]
fn a_flattened_loop_has_the_trip_count_of_its_parts() {
    let text = "from allo import *\n\n@kernel\ndef top(a: \"i32[6, 7]\", b: \"i32[7, 6]\"):\n    for i in range(6):\n        \
                for j in range(7):\n            b[j, i] += a[i, j]\n";
    let compiled = checked(text, &[("flatten", "i,j")]);
    let loops = compiled.manifest.loops.iter();
    let loops: Vec<_> = loops
        .map(|one| (one.name.as_str(), one.trip, one.ii))
        .collect();
    assert_eq!(loops, [("i_j", [Some(42); 2], Some(1))]);
}

/// What the user shapes is not widened by the levels.
#[test]
fn loops_that_are_directed_are_not_widened() {
    let text = "from allo import *\n\n@kernel\ndef top(a: \"i32[32]\", o: \"i32[32]\", n: i32):\n    for i in range(32):\n        \
                o[i] = a[i] * n\n";
    let trips = |flags: &[(&str, &str)]| {
        let mut target = target(flags).expect("a target");
        target.aim.level = Level::Two;
        let loops = compile_for(text, &target).expect("hardware").manifest.loops;
        let trips = loops.iter().map(|one| one.trip[0].expect("known"));
        trips.collect::<Vec<u64>>()
    };
    assert_eq!(trips(&[]), [16]);
    assert_eq!(trips(&[("unroll", "i=1")]), [32]);
    assert_eq!(trips(&[("split", "i=8")]), [4, 8]);
    let mut target = target(&[]).expect("a target");
    (target.aim.level, target.aim.effort) = (Level::Two, 0);
    let loops = compile_for(text, &target).expect("hardware").manifest.loops;
    assert_eq!(loops[0].trip[0], Some(32));
}

/// Loops of a kernel that is directed to be processes run at the same time where no array orders them.
#[test]
fn loops_of_a_kernel_are_processes_where_that_is_directed() {
    let text = "from allo import *\n\n@kernel\ndef top(a: \"i32[32]\", b: \"i32[32]\", c: \"i32[32]\", d: \"i32[32]\"):\n    \
                for i in range(32):\n        b[i] = a[i] * 3\n    for j in range(32):\n        d[j] = c[j] + 5\n";
    let cycles = |flags: &[(&str, &str)]| checked(text, flags).manifest.latency.max;
    assert!(cycles(&[]) > Some(64));
    assert!(cycles(&[("dataflow", "top")]) < Some(40));
    // Loops that hand one another arrays and scalars keep their order.
    let text = "from allo import *\n\n@kernel\ndef top(a: \"i32[16]\", b: \"i32[16]\") -> i32:\n    t: \"i32[16]\"\n    \
                s: i32 = 0\n    for i in range(16):\n        t[i] = a[i] * 3\n        s += a[i]\n    m = s * 2 + 1\n    \
                for j in range(16):\n        b[j] = t[15 - j] - m\n    r: i32 = m\n    for k in range(16):\n        \
                r ^= b[k]\n    return r + s\n";
    let processes = checked(text, &[("dataflow", "top")])
        .network
        .expect("a network")
        .0
        .processes;
    assert!(processes.len() >= 3, "{}", processes.len());
}

/// Loops whose numbers of iterations change take as long each time if no data decide them; co-simulation holds the module to that.
#[test]
fn latencies_that_no_data_decide_are_promised() {
    let promised = |lines: &str| {
        let head =
            "from allo import *\n\n@kernel\ndef top(x: \"i32[12]\", y: \"i32[12]\", n: i32):\n";
        let lines: Vec<String> = lines.lines().map(|line| format!("    {line}\n")).collect();
        let text = format!("{head}{}", lines.concat());
        let found = [1, 2].map(|level| {
            let mut target = target(&[]).expect("a target");
            target.aim.level = [Level::One, Level::Two][level - 1];
            let compiled = compile_for(&text, &target).expect("hardware");
            let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("an engine");
            let options = CosimOptions {
                vectors: 5,
                ..CosimOptions::default()
            };
            let (program, manifest) = (&compiled.program, &compiled.manifest);
            let report = cosim_on(&engine, program, manifest, &options, &|_, _| {});
            report.unwrap_or_else(|error| panic!("{text}{}", error.to_diagnostic().message));
            compiled.manifest.latency.max
        });
        found.map(|cycles| cycles.is_some())
    };
    let sums = "for i in range(12):\n    s: i32 = 0\n    for j in range(FROM, TO):\n        s += x[j]\n    y[i] = s";
    let nest = |from: &str, to: &str| promised(&sums.replace("FROM", from).replace("TO", to));
    assert_eq!(nest("0", "i"), [true; 2]);
    assert_eq!(nest("i", "12"), [true; 2]);
    assert_eq!(nest("i // 2", "max(i - 3, 0)"), [true; 2]);
    assert_eq!(nest("0", "n & 7"), [false; 2]);
    // What a loop without an iteration leaves decides how often another one runs.
    let counted = "c: i32 = 0\nfor i in range(12):\n    for j in range(i - 3):\n        c = c + 1 + (c & 2)\n    \
                   for k in range(c & 3):\n        y[k] = y[k] * x[k]";
    assert_eq!(promised(counted), [true; 2]);
    let falling = "k: i32 = 100\nwhile k > 3:\n    if k % 3 == 0:\n        for j in range(k // 10):\n            \
                   y[j] = y[j] * x[j]\n    k = k - 7";
    assert_eq!(promised(falling), [true; 2]);
    assert_eq!(promised(&falling.replace("k % 3", "x[k & 7]")), [false; 2]);
}

#[test]
fn an_interval_is_the_one_asked_for() {
    let interval = |flags: &[(&str, &str)]| {
        let found = loops(flags).into_iter().find(|(label, _)| label == "first");
        found.expect("the loop").1
    };
    assert_eq!(interval(&[]), Some(1));
    assert_eq!(interval(&[("pipeline", "first=3")]), Some(3));
    // Longer than an iteration.
    assert_eq!(interval(&[("pipeline", "first=40")]), Some(40));
    assert!(interval(&[("no-pipeline", "first")]) > Some(1));
}

#[test]
fn an_interval_that_is_too_short_is_a_warning_or_strictly_an_error() {
    let flags = [("unroll", "inner/i=4"), ("pipeline", "inner/i")];
    let compiled = compile(&flags, false).expect("a warning");
    let warnings = compiled.warnings.0.iter().map(|w| w.message.as_str());
    let warnings: Vec<&str> = warnings.collect();
    assert!(
        warnings
            .iter()
            .any(|w| w.starts_with("--pipeline i=1: the least initiation interval is ")),
        "{warnings:?}"
    );
    let error = compile(&flags, true).expect_err("an error");
    assert!(
        error.contains("the least initiation interval is "),
        "{error}"
    );
}

/// What is said strictly is what the schedule that is built has, not one that was tried: here one that reads rows of the image again.
#[test]
fn an_interval_is_said_strictly_as_it_is_in_a_warning() {
    let text = "
from allo import *

@kernel
def top(x: \"u8[6, 8]\", y: \"u8[6, 8]\"):
    for i in range(1, 5):
        for j in range(1, 7):
            s: u16 = 0
            for k in range(3):
                for l in range(3):
                    s += x[i + k - 1, j + l - 1]
            y[i, j] = s // 9
";
    for axis in ["i", "j"] {
        let flags = [("pipeline", axis)];
        let compiled = compile_text(text, &flags, false).expect("a warning");
        let mut warnings = compiled.warnings.0.iter();
        let warning = warnings.find(|w| w.code == codes::INTERVAL);
        let error = compile_text(text, &flags, true).map(drop);
        assert_eq!(error, Err(warning.expect("a warning").message.clone()));
    }
}

#[test]
fn results_are_named_by_their_variables_too_and_copies_of_axes_by_these() {
    let text = "
from allo import *

@kernel
def top(x: \"i32[8]\", n: index) -> \"i32[8]\":
    r: i32[8] = 0
    for i, j in grid(4, 2, name=\"ij\"):
        r[i * 2 + j] = x[i * 2 + j] + 1
    for k in range(n):
        if k < 8:
            r[k] += k
    return r
";
    let split = |name| checked(text, &[("partition", name)]).systemverilog();
    assert_eq!(split("r:complete"), split("ap_return:complete"));
    let flags = [("unroll", "ij=2"), ("pipeline", "j#1=3"), ("unroll", "k=2")];
    let compiled = checked(text, &flags);
    let mut loops = compiled.manifest.loops.iter();
    let axis = loops.find(|one| one.name == "ij.j#1").expect("the copy");
    assert_eq!(axis.ii, Some(3));
}

#[test]
fn copies_of_a_loop_are_directed_one_by_one() {
    let interval = |flags: &[(&str, &str)], label: &str| -> Vec<Option<u64>> {
        let found = loops(flags).into_iter().filter(|(name, _)| name == label);
        found.map(|(_, ii)| ii).collect()
    };
    let flags = [("unroll", "j@16=2"), ("pipeline", "i#1=7")];
    assert_eq!(interval(&flags, "i#0"), [Some(1)]);
    assert_eq!(interval(&flags, "i#1"), [Some(7)]);
    // Of a copy, further copies; iterations that are left over have a loop of their own.
    let flags = [
        ("unroll", "j@16=2"),
        ("split", "j/i#0=2"),
        ("unroll", "i#0.outer=2"),
        ("no-pipeline", "i#0.inner#1"),
        ("pipeline", "j.rest/i=9"),
    ];
    assert!(interval(&flags, "i#0.inner#1") > interval(&flags, "i#0.inner#0"));
    assert_eq!(interval(&flags, "i#1"), [Some(1)]);
    assert!(loops(&flags).contains(&("i".into(), Some(9))));
    let why = refused(&[("unroll", "j@16=2"), ("pipeline", "i#2")]);
    assert!(
        why.contains("no loop 'i#2'") && why.contains("'top/j/i#1@17'"),
        "{why}"
    );
    let why = refused(&[("unroll", "j@16"), ("pipeline", "i#1")]);
    assert!(
        why.contains("number of its iterations is not known"),
        "{why}"
    );
}

#[test]
fn names_are_found_or_the_candidates_listed() {
    assert_eq!(
        refused(&[("unroll", "k")]),
        "--unroll k: there is no loop 'k'; the loops are 'inner/i@7', 'top/first@13', 'top/j@16', 'top/j/i@17', 'top/j@19', 'top/while@21', 'top/d@23', 'top/q@25'"
    );
    assert_eq!(
        refused(&[("unroll", "i=2")]),
        "--unroll i=2: several loops have this name: 'inner/i@7', 'top/j/i@17'"
    );
    for name in ["j/i", "top/i", "inner/i", "i@7", "top/j/i@17", "j@19"] {
        assert!(
            compile(&[("unroll", &format!("{name}=2"))], false).is_ok(),
            "{name}"
        );
    }
    assert!(
        compile(
            &[("unroll", "while@21=2"), ("pipeline", "while@21=3")],
            false
        )
        .is_ok()
    );
    let why = refused(&[("unroll", "while@21=65")]);
    assert!(why.contains("64 times at most"), "{why}");
    let why = refused(&[("unroll", "first=2"), ("unroll", "first=3")]);
    assert!(why.contains("an earlier directive"), "{why}");
    for wrong in ["first=-2", "first=5000000000"] {
        assert!(
            refused(&[("unroll", wrong)]).contains("a factor is"),
            "{wrong}"
        );
    }
    assert!(refused(&[("pipeline", "first=5000")]).contains("between -1 and 4096"));
    let why = refused(&[("unroll", "j@16")]);
    assert!(
        why.contains("the number of its iterations is not known"),
        "{why}"
    );
}

#[test]
fn files_say_what_flags_say() {
    let text = "[[directive]]\nkind = \"unroll\"\nloop = \"i\"\nfactor = 4\n\n\
                [[directive]]\nkind = \"pipeline\"\nloop = \"a \\\"b\\\"\"\nii = -1\n\n";
    let read = directives::read(text).expect("directives");
    let shown: Vec<String> = read.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["--unroll i=4", "--no-pipeline a \"b\""]);
    assert_eq!(directives::to_toml(&read), text);
    let short = "[[directive]]\nkind = \"pipeline\"\nloop = \"i\"\n";
    assert_eq!(
        directives::read(short),
        Ok(vec![directives::flag("pipeline", "i").expect("a loop")])
    );
    let several =
        "[[directive]]\nkind = \"unroll\"\nloops = [\"i\", \"j\"]\nfactor = 2\ntag_only = true\n";
    let flags = ["i=2", "j=2"].map(|one| directives::flag("unroll", one).expect("a loop"));
    assert_eq!(directives::read(several), Ok(flags.to_vec()));
    for wrong in [
        "[[directive]]\nkind = \"unrol\"\nloop = \"i\"\n",
        "[[directive]]\nkind = \"unroll\"\n",
        "[[directive]]\nkind = \"unroll\"\nloop = \"i\"\ntag_only = 1\n",
        "[[directive]]\nkind = \"pipeline\"\nloop = \"i\"\ntag_only = true\n",
        "[[directive]]\nkind = \"split\"\nloops = [\"i\"]\nfactor = 2\n",
        "[[directive]]\nkind = \"unroll\"\nloop = \"i\"\nfaktor = 2\n",
        "[[directives]]\n",
        "=",
    ] {
        assert!(directives::read(wrong).is_err(), "{wrong}");
    }
}

/// The axes of a named grid keep the names of their variables.
#[test]
fn axes_of_a_named_grid_are_found_by_their_variables() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"i8[4, 4]\"):\n    \
                for i, j in grid(4, 4, name=\"ij\"):\n        x[i, j] = i\n";
    // The grid's own name is the nest, which begins with the first axis.
    for name in ["i", "ij.i", "top/i", "j@5", "ij", "top/ij@5", "ij/j"] {
        for flags in [&[("unroll", name)][..], &[("split", &format!("{name}=2"))]] {
            let compiled = compile_text(text, flags, false);
            assert!(compiled.is_ok(), "{flags:?}: {:?}", compiled.err());
        }
    }
    let flags = [
        ("split", "j=2"),
        ("unroll", "j.inner"),
        ("reorder", "ij.j.outer,i"),
    ];
    assert!(compile_text(text, &flags, false).is_ok());
}

/// What cannot be unrolled is refused at the loop, with the directive that asks for it.
#[test]
fn loops_that_cannot_be_unrolled_are_refused() {
    let refused = |body: &str, flag: Directive| {
        let head = "from allo import *\n\n@kernel\ndef top(x: \"i32[64]\", n: i32, m: i64):\n";
        let (mut sources, file) = support::source("kernel.py", &format!("{head}{body}"));
        let target = Target {
            directives: vec![flag],
            ..Target::new("ecp5", 10.0).expect("device")
        };
        let errors = driver::compile(&mut sources, file, None, &target).expect_err("refused");
        errors.0[0].message.clone()
    };
    let unroll = |text: &str| directives::flag("unroll", text).expect("a directive");
    let pipeline = |text: &str| directives::flag("pipeline", text).expect("a directive");
    let triangle =
        "    for i in range(64):\n        for j in range(i):\n            x[j] += x[i]\n";
    let unknown = "the number of its iterations is not known when the hardware is built";
    assert_eq!(
        refused(triangle, unroll("j")),
        format!("--unroll j: {unknown}")
    );
    assert_eq!(
        refused(triangle, pipeline("i")),
        format!("--pipeline i=1: {unknown}")
    );
    let inside = "    for i in range(64):\n        while x[i] > n:\n            x[i] -= 1\n";
    let why = refused(inside, pipeline("i=2"));
    assert_eq!(
        why,
        "--pipeline i=2: the loop inside has no counter and cannot be unrolled"
    );
    let steps = "    for i in range(0, 64, n):\n        x[i] = 1\n";
    assert_eq!(
        refused(steps, unroll("i=2")),
        "--unroll i=2: its step is not known"
    );
    let far = "    for i in range(n, m, 3):\n        x[i] = 1\n";
    let why = refused(far, unroll("i=2"));
    assert_eq!(
        why,
        "--unroll i=2: its bounds may be too far apart for a 64-bit index"
    );
    let many =
        "    for i in range(1000000):\n        for j in range(1000000):\n            x[i] += j\n";
    let why = refused(many, pipeline("i"));
    assert_eq!(why, "--pipeline i=1: more than 2000000 operations");
    // Iterations without operations are some all the same.
    let empty = "    for i in range(1000000000000):\n        pass\n";
    for flag in ["i", "i=4000000000"] {
        let why = refused(empty, unroll(flag));
        assert_eq!(
            why,
            format!("--unroll {flag}: more than 2000000 operations")
        );
    }
}

/// No directive is dropped in silence because another one leaves nothing of its loop.
#[test]
fn directives_for_loops_that_are_gone_are_refused() {
    let gone = |label: &str| {
        format!("loop '{label}' is unrolled, so that its other directive cannot be carried out")
    };
    let why = refused(&[("unroll", "first"), ("pipeline", "first=2")]);
    assert_eq!(why, format!("--unroll first: {}", gone("first")));
    let why = refused(&[("unroll", "first=100"), ("no-pipeline", "first")]);
    assert_eq!(why, format!("--unroll first=100: {}", gone("first")));
    for inner in [("pipeline", "i@17=0"), ("no-pipeline", "i@17")] {
        let why = refused(&[("pipeline", "j@16=0"), inner]);
        assert_eq!(why, format!("--pipeline j=0: {}", gone("i")));
    }
    for factor in ["i@17", "i@17=2"] {
        let unrolled = [("pipeline", "j@16=0"), ("unroll", factor)];
        assert!(compile(&unrolled, false).is_ok(), "{factor}");
    }
    assert!(compile(&[("unroll", "first=3"), ("pipeline", "first=2")], false).is_ok());
}

/// More accesses of an array than are compared two by two: at constant places, and at those that the data say, in code that
/// runs once and in a loop.
#[test]
fn many_accesses_of_an_array_keep_their_order() {
    let kernel = "
from allo import *

@kernel
def top(a: \"i32[64]\", b: \"i32[16]\", at: \"u4[140]\", c: \"i32[128]\"):
    for i in range(140):
        a[i & 63] = a[(i * 7) & 63] + i
    for j in range(140):
        b[at[j]] += j
    for k in range(3):
        for l in range(140):
            b[at[l]] += a[(l * 5 + 1) & 63]
            a[l & 63] = l - k
    for r in range(3):
        for m in range(3):
            for n in range(64):
                c[r * 32 + n] = c[r * 32 + 63 - n] + m
";
    let (mut sources, file) = support::source("kernel.py", kernel);
    let flags = [
        directives::flag("unroll", "i"),
        directives::flag("unroll", "j"),
        directives::flag("pipeline", "k=0"),
        directives::flag("pipeline", "r=0"),
    ];
    let directives: Result<Vec<Directive>, String> = flags.into_iter().collect();
    let target = Target {
        check: Budget::millions(100),
        directives: directives.expect("directives"),
        ..Target::new("ecp5", 10.0).expect("device")
    };
    let compiled = driver::compile(&mut sources, file, None, &target).expect("checked hardware");
    let Checked::Runs(runs) = compiled.checked else {
        panic!("{}", compiled.checked);
    };
    assert!(runs.whole > 1, "{runs:?}");
}

/// Workers of a grid, and what is made of a template, are kernels of their own in the ir, and one kernel for users.
#[test]
fn a_kernel_is_named_for_all_that_is_made_of_it() {
    let text = "from allo import *\n\n@kernel(mapping=[2])\ndef pe(y: \"i32[2, 8]\"):\n    w = get_wid(0)\n    for k in range(8):\n        \
                y[w, k] = k * 3 + w\n\n@kernel\ndef top(y: \"i32[2, 8]\"):\n    s: Stream[i32]\n    pe(y)\n";
    for name in ["pe/k=2", "k=2"] {
        let compiled = compile_text(text, &[("pipeline", name)], false).expect(name);
        let loops = compiled.manifest.loops.iter();
        let workers: Vec<_> = loops
            .filter(|one| one.name == "k")
            .map(|one| one.ii)
            .collect();
        assert_eq!(workers, [Some(2); 2], "{name}");
    }
    let why = compile_text(text, &[("pipeline", "p/k=2")], false).expect_err("no such kernel");
    assert!(why.contains("there is no loop 'p/k'"), "{why}");
}

/// A name that has the sign between the parts of names in it.
#[test]
fn a_loop_with_a_slash_in_its_name_is_addressed() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"i32[8]\", y: \"i32[8]\"):\n    \
                for i in range(8, name=\"load/store\"):\n        y[i] = x[i] + 1\n";
    for name in ["load/store", "load/store@5", "top/load/store"] {
        let compiled = compile_text(text, &[("pipeline", &format!("{name}=3"))], false);
        let found = compiled.map(|compiled| compiled.manifest.loops[0].ii);
        assert_eq!(found, Ok(Some(3)), "{name}");
    }
    let refused = compile_text(text, &[("pipeline", "store=3")], false);
    let message = refused.err().unwrap_or_default();
    assert!(message.contains("there is no loop 'store'"), "{message}");
}
