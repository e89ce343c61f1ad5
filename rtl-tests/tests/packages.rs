//! The test that a package brings along runs with Verilator alone, and sees what is wrong.

use allo_hls::package::Format;
use allo_hls::rtl::axi::{Interface, Options};
use rtl_tests::remembered::remembered;
use rtl_tests::{package, tools};
use std::path::Path;

/// Masters of two bundles, elements wider than a beat, an array behind the control slave, scalars and a result.
const BEHIND_MASTERS: &str = "
from allo import *
u100 = apint(100)

@kernel
def mixed(a: i16, x: u8[45], y: i16[45], z: u100[7], table: u8[45]) -> u100:
    total: i32 = 0
    for i in range(45):
        if i % 3 != 1:
            y[i] = x[i] + a + table[i]
        total += x[i]
    for i in range(7):
        z[i] = z[i] + total
    return z[3]
";

const FRAMES: &str = "
from allo import *
i24 = apint(24, signed=True)
i48 = apint(48, signed=True)

@kernel
def frames(x: i24[20], a: i32, s: Stream[u16], y: i48[20]):
    for i in range(20):
        s.put(x[i])
        if i != 4:
            y[i] = x[i] * a
";

/// Scalars and arrays among the results, and an argument with the name of a register that every block has.
const RESULTS: &str = "
from allo import *

@kernel
def results(x: i32[4], CTRL: i32) -> (i32, i32[4], i16):
    r: i32[4] = 0
    for i in range(4):
        r[i] = x[i] + CTRL
    return r[0], r, r[1]
";

fn masters() -> Options {
    Options {
        bundles: vec![("z".into(), "other".into())],
        local: vec!["table".into()],
        ..Options::default()
    }
}

fn frames() -> Options {
    Options {
        interface: Interface::Axis,
        ..Options::default()
    }
}

/// Builds programs that are run once.
const UNOPTIMISED: &str = "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 CFG_CXXFLAGS_PCH_I=-include";

/// This file, on which answers depend.
const CHECKS: &str = include_str!("packages.rs");

fn play(bench: &Path, seed: &str) -> Result<tools::Output, String> {
    let make = tools::find("make").expect("make is installed");
    let verilator = tools::find("verilator").expect("verilator is installed");
    let verilator = format!("VERILATOR={}", verilator.display());
    let seed = format!("SEED={seed}");
    let mut args = vec!["run", &verilator, &seed];
    args.extend(UNOPTIMISED.split(' '));
    tools::run(bench, &make, &args)
}

#[test]
fn packages_test_themselves() {
    if tools::find_or_note("verilator").is_none() {
        return;
    }
    for (text, top, options, written) in [
        (BEHIND_MASTERS, "mixed", masters(), "y"),
        (FRAMES, "frames", frames(), "y"),
        (RESULTS, "results", Options::default(), "returns"),
    ] {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        let bench = folder.path().join("bench");
        let vectors =
            package::write(folder.path(), Format::Verilog, text, top, &options, 6).to_string();
        // Another result in the last invocation.
        let written = format!("\"{written}\":[");
        let at = vectors.rfind(&written).expect("an array");
        let digit = at
            + vectors[at..]
                .find(|c: char| c.is_ascii_digit())
                .expect("a number");
        let other = if vectors[digit..].starts_with('1') {
            "2"
        } else {
            "1"
        };
        let wrong = format!("{}{other}{}", &vectors[..digit], &vectors[digit + 1..]);
        let played = remembered(CHECKS, folder.path(), || {
            for seed in ["1", "2", "3"] {
                let said = play(&bench, seed)?;
                assert!(said.stdout.contains("6 invocations in"), "{}", said.stdout);
            }
            std::fs::write(folder.path().join("sim/vectors.json"), &wrong)
                .expect("the folder is writable");
            let said = play(&bench, "1").expect_err("something is wrong");
            assert!(said.contains("of invocation 5 is wrong"), "{said}");
            Ok(Vec::new())
        });
        played.unwrap_or_else(|e| panic!("{top}: {e}"));
    }
}

/// A kernel that keeps what it has seen, in a block that starts by itself.
const KEPT: &str = "
from allo import *

@kernel
def kept(s: Stream[i16], t: Stream[i32]):
    total: Stateful[i32] = 0
    for i in range(16):
        total += s.get()
        t.put(total)
";

/// Masters, memories, sources and sinks of cocotbext-axi agree with the block: under pauses on each channel, after resets in
/// the middle of bursts and frames, and when memory answers with errors.
#[test]
fn models_that_others_wrote_agree() {
    let Some(cocotb) = tools::find_or_note("cocotb-config") else {
        return;
    };
    let env = tools::find("env").expect("every system has it");
    let bin = cocotb.parent().expect("a file is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("PATH={}:{path}", bin.display());
    let free = Options {
        control: false,
        ..frames()
    };
    for (text, top, options, tests) in [
        (BEHIND_MASTERS, "mixed", masters(), "PASS=3 FAIL=0 SKIP=0"),
        (FRAMES, "frames", frames(), "PASS=2 FAIL=0 SKIP=1"),
        (KEPT, "kept", free, "PASS=2 FAIL=0 SKIP=1"),
    ] {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        package::write(folder.path(), Format::Verilog, text, top, &options, 8);
        let sim = folder.path().join("sim");
        let played = remembered(CHECKS, folder.path(), || {
            for seed in ["1", "2"] {
                let seed = format!("SEED={seed}");
                let args = [&path, "make", &format!("BUILD_ARGS={UNOPTIMISED}"), &seed];
                let said = tools::run(&sim, &env, &args)?;
                assert!(said.stdout.contains(tests), "{top}: {}", said.stdout);
            }
            Ok(Vec::new())
        });
        played.unwrap_or_else(|e| panic!("{top}: {e}"));
    }
}

/// A SoC without a processor on each of LiteX's buses, with the block of a package in it.
const SOC: &str = "
import sys
from litex.build.generic_platform import Pins
from litex.build.lattice import LatticeECP5Platform
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc_core import SoCCore
from migen import ClockDomain, Module
sys.path.insert(0, '.')
import mixed_litex

class Clock(Module):
    def __init__(self, platform):
        self.clock_domains.cd_sys = ClockDomain()
        self.comb += self.cd_sys.clk.eq(platform.request('clk'))

for standard in ('wishbone', 'axi-lite', 'axi'):
    platform = LatticeECP5Platform('LFE5U-45F-6BG381C', [('clk', 0, Pins('A4'))], toolchain='trellis')
    soc = SoCCore(platform, int(1e6), cpu_type=None, bus_standard=standard, integrated_sram_size=4096, with_uart=False,
                  with_timer=False)
    soc.submodules.crg = Clock(platform)
    soc.irq.enable()
    block = next(c for c in vars(mixed_litex).values() if getattr(c, '__module__', '') == 'mixed_litex')(platform)
    block.add_to(soc, 'mixed', 0x90000000)
    Builder(soc, output_dir=standard, compile_software=False, csr_csv=standard + '.csv').build(run=False, build_name='soc')
";

/// LiteX elaborates a SoC with the block on each of its buses, and gives its registers and its interrupt a place.
#[test]
fn blocks_are_parts_of_a_soc_of_litex() {
    let Some(cocotb) = tools::find_or_note("cocotb-config") else {
        return;
    };
    let python = tools::run(Path::new("."), &cocotb, &["--python-bin"]).expect("it says where");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    package::write(
        folder.path(),
        Format::Litex,
        BEHIND_MASTERS,
        "mixed",
        &masters(),
        1,
    );
    let python = Path::new(python.stdout.trim());
    tools::run(folder.path(), python, &["-c", SOC]).unwrap_or_else(|e| panic!("{e}"));
    for standard in ["wishbone", "axi-lite", "axi"] {
        let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).expect(file);
        let map = read(&format!("{standard}.csv"));
        let wanted = [
            "csr_register,mixed_ev_pending,",
            "memory_region,mixed_control,0x90000000,",
        ];
        assert!(wanted.iter().all(|line| map.contains(line)), "{map}");
        let text = read(&format!("{standard}/gateware/soc.v"));
        assert!(text.contains("mixed mixed("), "{standard}");
    }
}

/// A read of the control register takes back that an invocation has ended: whoever asked something else is told later.
const ASKED: &str = "
import importlib.util, sys
spec = importlib.util.spec_from_file_location('driver', sys.argv[1])
driver = importlib.util.module_from_spec(spec)
spec.loader.exec_module(driver)

class Registers:
    control = 0x6
    def read(self, offset):
        value = self.control
        self.control &= ~0x2
        return value

block = next(c for c in vars(driver).values() if hasattr(c, 'is_done'))(Registers())
assert block.is_idle() and block.is_idle()
assert block.is_done() and not block.is_done()
";

#[test]
fn drivers_that_ask_whether_a_block_is_idle_still_see_its_end() {
    let Some(python) = tools::find_or_note("python3") else {
        return;
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    package::write(
        folder.path(),
        Format::Verilog,
        RESULTS,
        "results",
        &Options::default(),
        1,
    );
    let args = ["-c", ASKED, "driver/results.py"];
    tools::run(folder.path(), &python, &args).unwrap_or_else(|e| panic!("{e}"));
}
