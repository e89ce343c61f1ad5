//! Blocks with AXI interfaces: the netlist in process, with memories, streams and a driver around it.

use crate::sim_modules::verilator;
use crate::support::{allo_hls, ecp5, hardware};
use allo_hls::driver::{Compilation, Target};
use allo_hls::package::{self, Format};
use allo_hls::rtl;
use allo_hls::rtl::axi::{self, Interface, Options};
use allo_hls::rtl::interface::block::{BlockKind, BlockManifest, Outstanding, Via};
use allo_hls::rtl::interface::manifest::{Access, Flow};
use allo_hls::rtl::netlist::Design;
use allo_hls::sim::block::{Bench, BlockEngine, InProcess, timeless};
use allo_hls::sim::cosim::{CosimOptions, Report, cosim_on};
use allo_hls::sim::elements::Elements;
use allo_hls::sim::model::{Engine, Moved, Run, SimOptions, Start, Traffic};
use allo_hls::sim::value::{Signature, Slot, Value};

/// Reads, writes some elements only, both, scalars and a result.
const MIXED: &str = "
from allo import *

@kernel
def mixed(a: i16, x: u8[45], y: i16[45], z: u8[45]) -> i32:
    total: i32 = 0
    for i in range(45):
        total += x[i]
        if i % 3 != 1:
            y[i] = x[i] + a
        z[i] = z[i] + 1
    return total
";

/// Elements that are wider than a beat and no power of two of bytes.
const WIDE: &str = "
from allo import *
u100 = apint(100)

@kernel
def wide(x: u100[7], y: u100[7], k: u100) -> u100:
    for i in range(7):
        if i != 3:
            y[i] = x[i] + k
    return x[2] ^ k
";

pub const COPY: &str = "
from allo import *

@kernel
def copy(x: i64[2048], y: i64[2048]):
    for i in range(2048):
        y[i] = x[i]
";

const DOUBLE: &str = "
from allo import *

@kernel
def double(x: i32[4], y: i32[4]):
    for i in range(4):
        y[i] = x[i] + x[i]
";

const ADD: &str = "
from allo import *

@kernel
def add(a: i32, b: u8) -> i32:
    return a + b
";

fn block(text: &str, options: &Options) -> (Compilation, Design, BlockManifest) {
    streamed_block(text, options, &[])
}

/// A block some of whose arrays are streamed.
pub fn streamed_block(
    text: &str,
    options: &Options,
    streamed: &[&str],
) -> (Compilation, Design, BlockManifest) {
    let mut target = Target::new("ecp5", 10.0).expect("a device");
    target.streamed.asked = streamed.iter().map(ToString::to_string).collect();
    let compiled = hardware(text, None, &target);
    let (design, manifest) = compiled.around(options).expect("a block");
    assert_eq!(rtl::validate::validate(&design), Ok(()));
    (compiled, design, manifest)
}

pub fn compare(compiled: &Compilation, engine: &dyn Engine, vectors: usize) -> Report {
    let options = CosimOptions {
        vectors,
        threads: 1,
        ..CosimOptions::default()
    };
    let manifest = timeless(&compiled.as_written());
    let report = cosim_on(engine, &compiled.program, &manifest, &options, &|_, _| ());
    report.unwrap_or_else(|e| panic!("{:?}", e.to_diagnostic()))
}

pub fn in_process(design: &Design, manifest: &BlockManifest) -> BlockEngine<InProcess> {
    BlockEngine::new(
        InProcess::new(design).expect("a simulator"),
        design,
        manifest,
    )
}

fn check(text: &str, options: &Options, compared: u64) {
    let (compiled, design, manifest) = block(text, options);
    let report = compare(&compiled, &in_process(&design, &manifest), 2);
    assert_eq!((report.compared, report.resets), (compared, 2));
}

/// Under pauses, latency, resets in the middle, and bases anywhere.
#[test]
fn arrays_behind_masters() {
    for width in [32, 128] {
        let one = Outstanding { read: 1, write: 1 };
        let options = Options {
            width,
            bundles: vec![("z".into(), "other".into())],
            outstanding: if width == 32 {
                one
            } else {
                Options::default().outstanding
            },
            ..Options::default()
        };
        check(MIXED, &options, (2 + 2 + 2) * 135 + 8);
    }
    for width in [32, 256] {
        let options = Options {
            width,
            ..Options::default()
        };
        check(WIDE, &options, (2 + 2 + 2) * 14 + 8);
    }
}

#[test]
fn arrays_behind_the_control_slave() {
    let options = Options {
        local: vec!["x".into(), "y".into(), "z".into()],
        ..Options::default()
    };
    check(MIXED, &options, (2 + 2 + 2) * 135 + 8);
    let options = Options {
        local: vec!["x".into()],
        ..Options::default()
    };
    check(WIDE, &options, (2 + 2 + 2) * 14 + 8);
}

/// One word of the slave has no number to choose it by; what the core never touches keeps what it is given.
#[test]
fn small_arrays_and_unused_ones_behind_the_control_slave() {
    const TEXT: &str = "
from allo import *

@kernel
def top(x: \"u8[3]\", one: \"i32[1]\", unused: \"i16[5]\", n: i32) -> i32:
    t: i32 = n + one[0]
    for i in range(3):
        t += x[i]
    x[0] = t
    one[0] = t
    return t
";
    let names = ["x", "one", "unused"];
    for some in [&names[..], &names[..1], &names[1..2]] {
        let options = Options {
            local: some.iter().map(ToString::to_string).collect(),
            ..Options::default()
        };
        let compared = if some.contains(&"unused") { 10 } else { 5 };
        let (compiled, design, manifest) = block(TEXT, &options);
        let report = compare(&compiled, &in_process(&design, &manifest), 2);
        assert!(report.compared >= 2 * compared, "{some:?}");
    }
}

#[test]
fn arrays_as_frames() {
    let options = Options {
        interface: Interface::Axis,
        local: vec!["z".into()],
        ..Options::default()
    };
    check(MIXED, &options, (2 + 2 + 2) * 135 + 8);
    let free = Options {
        interface: Interface::Axis,
        control: false,
        ..Options::default()
    };
    check(DOUBLE, &free, (2 + 2 + 2) * 8);
}

/// Nothing but what streams move says when an invocation of a free running block is done.
/// A result that leaves a block that starts by itself as a frame.
#[test]
fn results_of_free_running_blocks() {
    let text = "
from allo import *

@kernel
def doubled(x: \"i16[4]\") -> \"i16[4]\":
    r: \"i16[4]\"
    for i in range(4):
        r[3 - i] = x[i] + x[i]
    return r
";
    let options = Options {
        interface: Interface::Axis,
        control: false,
        ..Options::default()
    };
    let (compiled, design, manifest) = block(text, &options);
    assert!(compare(&compiled, &in_process(&design, &manifest), 6).compared >= 24);
}

#[test]
fn streams_of_free_running_blocks() {
    let free = Options {
        interface: Interface::Axis,
        control: false,
        ..Options::default()
    };
    for (source, got) in [("Stream[i32]", "s.get()"), ("\"i32[10]\"", "s[i]")] {
        for (sink, put) in [("Stream[i32]", "o.put(v)"), ("\"i32[10]\"", "o[i] = v")] {
            let text = format!(
                "from allo import *\n\n@kernel\ndef top(s: {source}, o: {sink}):\n    for i in range(10):\n        \
                 v: i32 = {got} + 1\n        {put}\n"
            );
            let (compiled, design, manifest) = block(&text, &free);
            let report = compare(&compiled, &in_process(&design, &manifest), 4);
            assert!(report.compared >= 40, "{source} {sink}");
        }
    }
}

/// A bench without pauses, after its reset.
fn bench<'a>(engine: &'a BlockEngine<InProcess>) -> Bench<'a> {
    let mut bench = engine.bench(&SimOptions::default()).expect("a bench");
    bench.change_pace(true);
    bench
}

pub fn rate(moved: &Moved, beats: u64) -> f64 {
    assert_eq!(moved.beats, beats);
    beats as f64 / moved.cycles as f64
}

/// Runs a kernel on the numbers from 0 on in each array, without pauses; what it gave in the last array, the cycles, the traffic.
pub fn measure(text: &str, width: u32, streamed: &[&str]) -> (Elements, u64, Moved, Moved) {
    let options = Options {
        width,
        ..Options::default()
    };
    let (compiled, design, manifest) = streamed_block(text, &options, streamed);
    let engine = in_process(&design, &manifest);
    let mut bench = bench(&engine);
    let signature = Signature::of(&compiled.program);
    let numbers = |slot: &Slot| {
        let values = (0..slot.len()).map(|i| Value::wrapped(slot.ty, i));
        Elements::given(slot.ty, values.collect())
    };
    let (arrays, scalars): (Vec<&Slot>, Vec<&Slot>) =
        signature.params.iter().partition(|slot| slot.is_array());
    let run = Run {
        reach: Vec::new(),
        arrays: arrays.into_iter().map(numbers).collect(),
        starts: vec![Start {
            ends: Vec::new(),
            scalars: scalars.iter().map(|_| 0u32.into()).collect(),
            gap: 0,
        }],
        cycle_limit: 1_000_000,
        reset_after: None,
        loads: false,
        is_steady: true,
    };
    let mut result = bench.run(&run).expect("a run");
    assert_eq!((result.violations, result.timed_out), (vec![], false));
    let Traffic { reads, writes, .. } = result.traffic.remove(0);
    (
        result.arrays.pop().expect("an array"),
        result.timing[0].cycles(),
        reads,
        writes,
    )
}

#[test]
fn a_buffer_moves_a_beat_in_almost_every_cycle() {
    let (copied, _, reads, writes) = measure(COPY, 64, &[]);
    let ty = copied.ty();
    assert_eq!(copied.get(2047).data, Value::int(ty, 2047).data);
    assert!(rate(&reads, 2048) > 0.95 && rate(&writes, 2048) > 0.95);
}

/// Elements that are surely all written need no marks that would have to be cleared before, and those that are written before
/// they are read need not be loaded, wherever the array begins in a beat.
#[test]
fn what_is_overwritten_is_neither_loaded_nor_marked() {
    let text = "
from allo import *

@kernel
def sums(x: i16[61], y: i16[61], z: u12[13], w: u8[5], v: u8[5], u: u8[8]):
    for i in range(61):
        y[60 - i] = x[i]
    for i in range(13):
        z[i] = 0
    for i in range(61):
        z[i % 13] += x[60 - i]
    for i in range(5):
        if x[i] > 0:
            w[4 - i] = w[4 - i] + 1
            v[4 - i] = 1
        else:
            w[4 - i] = 2
        u[4 - i] = x[i]
        u[4 - i] += 1
";
    for width in [32, 256] {
        let options = Options {
            width,
            ..Options::default()
        };
        let (compiled, design, manifest) = block(text, &options);
        let report = compare(&compiled, &in_process(&design, &manifest), 6);
        assert!(report.compared >= 6 * (61 + 13 + 5 + 5 + 5) && report.resets > 0);
        // Of these, elements may be left.
        let names = design.modules.values().map(|module| &module.name);
        let clears: Vec<_> = names.filter(|name| name.ends_with("_clear")).collect();
        assert_eq!(clears, ["sums_v_clear", "sums_u_clear"]);
        let accesses = manifest.args.iter().map(|port| match &port.kind {
            BlockKind::Array { access, .. } => *access,
            _ => Access::None,
        });
        let expected = [
            Access::Read,
            Access::Write,
            Access::Write,
            Access::ReadWrite,
            Access::Write,
            Access::Write,
        ];
        assert_eq!(accesses.collect::<Vec<_>>(), expected);
    }
    let reversed = COPY.replace("y[i]", "y[2047 - i]");
    let (_, cycles, ..) = measure(&reversed, 64, &["x"]);
    assert!(cycles < 2 * 2048 + 100, "{cycles}");
}

/// Arrays that the kernel also reads, but only where it has written, leave the block as frames.
#[test]
fn what_is_written_before_it_is_read_is_a_frame() {
    let text = "
from allo import *

@kernel
def sums(x: i16[9], y: i32[9]):
    for i in range(9):
        y[i] = 0
    for i in range(9):
        for j in range(9):
            y[j] += x[i]
";
    let options = Options {
        interface: Interface::Axis,
        ..Options::default()
    };
    check(text, &options, (2 + 2 + 2) * 18);
    let (_, _, manifest) = block(text, &options);
    let BlockKind::Array { access, via, .. } = &manifest.args[1].kind else {
        panic!("an array");
    };
    assert_eq!(*access, Access::Write);
    assert!(matches!(
        via,
        Via::Axis {
            direction: Flow::Out,
            ..
        }
    ));
}

/// While what a kernel reads is loaded, nothing of what it will write is announced on the bus.
#[test]
fn addresses_of_a_streamed_array_wait_for_its_first_beat() {
    let turned = COPY.replace("x[i]", "x[2047 - i]");
    let (_, cycles, reads, writes) = measure(&turned, 64, &["y"]);
    assert!(rate(&reads, 2048) > 0.95 && rate(&writes, 2048) > 0.95);
    assert!(cycles < 2 * 2048 + 100, "{cycles}");
}

/// What software's reads and writes do to the registers stands in both descriptions.
#[test]
fn descriptions_say_what_reads_and_writes_do() {
    let text = "
from allo import *

i48 = apint(48, signed=True)

@kernel
def k(a: i48) -> i48:
    return a + 1
";
    let (_, _, manifest) = block(text, &Options::default());
    let none = serde_json::Value::Array(Vec::new());
    let files = package::files(Format::Ipxact, &manifest, "", &none);
    let text = |name: &str| {
        let found = files.iter().find(|(path, _)| path.ends_with(name));
        &found.unwrap_or_else(|| panic!("{name}")).1
    };
    let xml: String = text("component.xml").split_whitespace().collect();
    let field = |name: &str, bit: u32, width: u32, rest: &str| {
        format!(
            "<ipxact:name>{name}</ipxact:name><ipxact:bitOffset>{bit}</ipxact:bitOffset>\
             <ipxact:bitWidth>{width}</ipxact:bitWidth><ipxact:access>{rest}"
        )
    };
    for expected in [
        field(
            "ap_done",
            1,
            1,
            "read-only</ipxact:access><ipxact:readAction>clear<",
        ),
        field(
            "ready",
            1,
            1,
            "read-write</ipxact:access><ipxact:modifiedWriteValue>oneToToggle<",
        ),
        field(
            "read_error",
            0,
            1,
            "read-write</ipxact:access><ipxact:modifiedWriteValue>oneToClear<",
        ),
        // The high word of a result, its valid word, the words of an argument.
        field("value", 0, 16, "read-only</ipxact:access></ipxact:field>"),
        field(
            "value",
            0,
            1,
            "read-only</ipxact:access><ipxact:readAction>clear<",
        ),
        field("value", 0, 32, "read-write</ipxact:access></ipxact:field>"),
    ] {
        assert!(xml.contains(&expected), "{expected}");
    }
    let rdl = text("k.rdl");
    for expected in [
        "field { sw = r; onread = rclr; hw = w; } ap_done_f[1:1] = 0;",
        "field { sw = rw; onwrite = woclr; hw = rw; } read_error[0:0] = 0;",
        "reg { field { sw = r; hw = w; } value[15:0] = 0; } ap_return_1_r @ 0x14;",
        "reg { field { sw = rw; hw = r; } value[31:0] = 0; } a_1_r @",
    ] {
        assert!(rdl.contains(expected), "{expected}: {rdl}");
    }
}

/// Of arrays that a kernel gets to one after the other, all but the first are loaded while it computes.
#[test]
fn arrays_are_loaded_while_the_core_computes() {
    let text = "
from allo import *

@kernel
def phases(x: i64[256], n: i32, z: i64[8], y: i64[256], o: i64[2]):
    s: i64 = 0
    for i in range(256):
        s += x[i] * x[255 - i]
    o[0] = s
    for i in range(n):
        z[i] = z[i] + s
    for i in range(256):
        s += y[i] * y[255 - i]
    o[1] = s
";
    let options = Options::default();
    let (compiled, design, manifest) = block(text, &options);
    let engine = in_process(&design, &manifest);
    assert!(compare(&compiled, &engine, 6).resets > 0);
    let (sums, cycles, ..) = measure(text, 64, &[]);
    assert_eq!(sums.get(1).data, Value::int(sums.ty(), 5_527_040).data);
    // The core takes 521 cycles, each of the two arrays 256 beats.
    assert!(cycles < 256 + 521 + 100, "{cycles}");
    let others = Options {
        bundles: vec![("y".into(), "other".into())],
        ..options
    };
    let frames = Options {
        interface: Interface::Axis,
        local: vec!["z".into()],
        ..others.clone()
    };
    for options in [others, frames] {
        let (compiled, design, manifest) = block(text, &options);
        assert!(compare(&compiled, &in_process(&design, &manifest), 6).resets > 0);
    }
}

#[test]
fn an_error_response_is_told_and_ends_nothing() {
    let (_, design, manifest) = block(DOUBLE, &Options::default());
    let engine = in_process(&design, &manifest);
    let mut bench = bench(&engine);
    let status = manifest.control.as_ref().expect("a slave").status.offset;
    let start = Start {
        ends: Vec::new(),
        scalars: vec![],
        gap: 0,
    };
    let ty = allo_hls::ir::Scalar::signed(32);
    let elements = Elements::same(ty, 4, Value::int(ty, 5));
    let run = Run {
        reach: Vec::new(),
        arrays: vec![elements.clone(), elements],
        starts: vec![start],
        cycle_limit: 10_000,
        reset_after: None,
        loads: false,
        is_steady: true,
    };
    bench.fail_every(1);
    let result = bench.run(&run).expect("a run");
    assert!(!result.timed_out && result.violations.is_empty());
    assert_eq!(bench.read_register(status), Ok(3));
    assert_eq!(bench.write_register(status, 1), Ok(()));
    assert_eq!(bench.read_register(status), Ok(2));
}

#[test]
fn frames_of_a_wrong_length_are_told_and_the_next_is_right() {
    let options = Options {
        interface: Interface::Axis,
        ..Options::default()
    };
    // The end of the third is still being dropped where the fourth is asked for; nothing comes after the fifth.
    let long: Vec<u64> = (7..150).collect();
    for streamed in [&[][..], &["x", "y"]] {
        let (_, design, manifest) = streamed_block(DOUBLE, &options, streamed);
        let engine = in_process(&design, &manifest);
        let mut bench = bench(&engine);
        let status = manifest.control.as_ref().expect("a slave").status.offset;
        let frames = [
            &[1, 2, 3, 4][..],
            &[5, 6],
            &long[..],
            &[13, 14, 15, 16],
            &[17],
        ];
        bench.send_frames("x", &frames.map(<[u64]>::to_vec));
        for (bits, invocation) in [(0, 1), (4, 2), (12, 3), (12, 4), (12, 5)] {
            assert_eq!(bench.write_register(0, 1), Ok(()));
            assert_eq!(bench.pass(if invocation == 4 { 300 } else { 60 }), Ok(()));
            assert_eq!(
                bench.read_register(0).map(|word| word & 6),
                Ok(6),
                "{invocation}"
            );
            assert_eq!(bench.read_register(status), Ok(bits), "{invocation}");
        }
        let taken: Vec<u64> = bench.taken("y").iter().map(|(word, _)| *word).collect();
        assert_eq!(
            taken,
            [
                2, 4, 6, 8, 10, 12, 0, 0, 14, 16, 18, 20, 26, 28, 30, 32, 34, 0, 0, 0
            ]
        );
        let ends: Vec<bool> = bench.taken("y").iter().map(|(_, last)| *last).collect();
        assert_eq!(ends, [false, false, false, true].repeat(5));
    }
}

#[test]
fn registers_are_those_that_drivers_expect() {
    let (_, design, manifest) = block(ADD, &Options::default());
    let engine = in_process(&design, &manifest);
    let mut bench = bench(&engine);
    let slave = manifest.control.as_ref().expect("a slave");
    // A result and its valid word, two arguments, the status.
    assert_eq!((slave.status.offset, slave.address_width), (0x28, 6));
    let mut write = |offset, data| bench.write_register(offset, data).expect("an answer");
    write(0x18, 0xffff_fff0);
    write(0x20, 0x1234_5678);
    write(4, 1);
    write(8, 3);
    write(0, 1);
    let mut read = |offset| bench.read_register(offset).expect("an answer");
    assert_eq!(
        [read(0x18), read(0x1c), read(0x20), read(0x3c)],
        [0xffff_fff0, 0, 0x1234_5678, 0]
    );
    // Done, idle, ready and the interrupt; the first two clear on reading.
    assert_eq!([read(0), read(0)], [0x20e, 0x204]);
    assert_eq!([read(0x10), read(0x14), read(0x14)], [0x68, 1, 0]);
    assert_eq!([read(0xc), u32::from(bench.interrupts())], [3, 1]);
    bench.write_register(0xc, 3).expect("an answer");
    assert!(!bench.interrupts());
    // Again and again, until that is taken back.
    bench.write_register(0, 0x81).expect("an answer");
    bench.pass(50).expect("no breach");
    assert_eq!(bench.read_register(0).map(|word| word & 0x82), Ok(0x82));
    bench.write_register(0, 0).expect("an answer");
    bench.pass(50).expect("no breach");
    assert_eq!(bench.read_register(0).map(|word| word & 0x85), Ok(4));
}

#[test]
fn what_cannot_be_reached_is_refused() {
    let refused = |text: &str, options: &Options| {
        let compiled = ecp5(text, None, 10.0);
        axi::around(&compiled.design, &compiled.manifest, options)
            .map(|_| ())
            .expect_err("no block")
    };
    let axis = Options {
        interface: Interface::Axis,
        ..Options::default()
    };
    assert!(refused(MIXED, &axis).contains("'z' is read and written"));
    let free = Options {
        control: false,
        ..axis
    };
    assert!(refused(ADD, &free).contains("needs the control slave"));
    let masters = Options {
        control: false,
        ..Options::default()
    };
    assert!(refused(COPY, &masters).contains("'x' needs the control slave, which has its base"));
    let clash = "
from allo import *

@kernel
def clash(ap_return: \"i16[4]\") -> \"i16[4]\":
    r: \"i16[4]\" = 1
    for i in range(4):
        ap_return[3 - i] = 1
    return r
";
    assert!(refused(clash, &Options::default()).contains("'ap_return' has the name of the result"));
    let unknown = Options {
        local: vec!["q".into()],
        ..Options::default()
    };
    assert_eq!(refused(DOUBLE, &unknown), "there is no array argument 'q'");
}

/// The text of it all in Verilator.
#[test]
fn the_text_of_a_block_does_the_same() {
    let Some(verilator) = verilator() else { return };
    let (compiled, design, manifest) = block(MIXED, &Options::default());
    let text = rtl::systemverilog::print(&design);
    let socket = verilator.socket(&design, &text).expect("a model");
    let report = compare(&compiled, &BlockEngine::new(socket, &design, &manifest), 2);
    assert!(report.compared > 0);
}

/// What a user does with a folder: compile, import and parse what is in it.
#[test]
fn packages_are_whole_and_their_files_can_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("mixed.py");
    std::fs::write(&input, MIXED).expect("a file");
    for (format, extra) in [
        ("verilog", None),
        ("ipxact", Some("component.xml")),
        ("fusesoc", Some("mixed.core")),
        ("litex", Some("mixed_litex.py")),
    ] {
        let output = folder.path().join(format);
        let [input, out] = [&input, &output].map(|path| path.to_str().expect("a name"));
        let arguments = [
            "package",
            input,
            "--interface",
            "axi",
            "--axi-local",
            "x",
            "--check",
            "off",
            "--format",
            format,
            "-o",
            out,
        ];
        let ran = allo_hls(&arguments);
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let again = allo_hls(&arguments);
        assert_eq!(again.status.code(), Some(1), "a folder with contents stays");
        let wanted = [
            "rtl/mixed.sv",
            "manifest.json",
            "mixed.rdl",
            "sim/test_block.py",
            "sim/vectors.json",
            "bench/bench.cpp",
            "bench/top.sv",
        ];
        for file in wanted.into_iter().chain(extra) {
            assert!(output.join(file).is_file(), "{format}: {file}");
        }
        let read = "import ast, glob, json, xml.dom.minidom as dom
for name in glob.glob('**/*.py', recursive=True): ast.parse(open(name).read(), name)
for name in glob.glob('**/*.json', recursive=True): json.load(open(name))
for name in glob.glob('*.xml'): dom.parse(name)
import importlib.util as util
spec = util.spec_from_file_location('driver', 'driver/mixed.py')
driver = util.module_from_spec(spec)
spec.loader.exec_module(driver)
class Words(dict):
    read = dict.get
    write = dict.__setitem__
block = driver.Mixed(Words())
block.write('y', 1 << 40)
block.write_array('x', list(range(45)))
block.start()
assert block.read('y') == 1 << 40 and block.io[0] == 1 and block.read_array('x') == list(range(45))
";
        let mut python = std::process::Command::new("python3");
        let status = python
            .args(["-c", read])
            .current_dir(&output)
            .status()
            .expect("python3");
        assert!(status.success(), "{format}");
    }
    let mut compiler = std::process::Command::new("g++");
    let options = [
        "-x",
        "c",
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        "driver/mixed.c",
    ];
    let status = compiler
        .args(options)
        .current_dir(folder.path().join("verilog"))
        .status();
    assert!(status.expect("g++").success());
}

#[test]
fn flags_of_another_interface_and_two_about_one_array_are_refused() {
    let kernel = "examples/saxpy_i32.py";
    for (flags, why) in [
        ("--axi-width 64", "--axi-width: that is of --interface axi"),
        (
            "--interface axis --bundle x=m",
            "--bundle: that is of --interface axi",
        ),
        (
            "--interface axi --axis-buffer x",
            "--axis-buffer: that is of --interface axis",
        ),
        (
            "--control none",
            "--control: that is of --interface axi or axis",
        ),
        (
            "--interface axi --bundle x=m --bundle x=n",
            "--bundle: two are about 'x'",
        ),
        (
            "--interface axi --axi-buffer x=full --axi-buffer x=none",
            "--axi-buffer: two are about 'x'",
        ),
        (
            "--interface axi --axi-local x --axi-buffer x=full",
            "--axi-buffer: 'x' is behind the control slave",
        ),
        (
            "--interface axis --axi-local x --axis-buffer x",
            "--axis-buffer: 'x' is behind the control slave",
        ),
    ] {
        let args: Vec<&str> = [kernel].into_iter().chain(flags.split(' ')).collect();
        let output = allo_hls(&args);
        assert_eq!(output.status.code(), Some(2), "{flags}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(why), "{flags}: {message}");
    }
}
