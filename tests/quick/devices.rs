//! Device models: each one loads, and what is built for it is right; what a device does not have is not used, and said.

use crate::directives::{checked_for, compile_for};
use crate::support;
use allo_hls::codes;
use allo_hls::directives;
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::rtl::area::areas;
use allo_hls::rtl::netlist::{Expr, Item};
use allo_hls::schedule::device::{Class, Device};
use allo_hls::sim::cosim::{CosimOptions, cosim_on};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::selfcheck::Budget;

/// Products of two variables of all signs and widths, and by a constant; a local array that is read and written.
const KERNEL: &str = "
from allo import *

@kernel
def top(x: \"i32[16]\", y: \"u16[16]\", f: \"f32[16]\", z: \"i64[16]\", g: \"f32[16]\"):
    t: i32[16]
    for i in range(16):
        t[15 - i] = x[i] * x[15 - i]
    for j in range(16):
        z[j] = t[j] * y[j] - 77 * y[15 - j]
        g[j] = f[j] * f[15 - j] + f[j]
";

fn target(device: &str, mhz: f64) -> Target {
    Target {
        check: Budget::millions(2),
        ..Target::new(device, 1000.0 / mhz).expect("a built-in device")
    }
}

fn items(compiled: &Compilation) -> impl Iterator<Item = &Item> {
    let modules = compiled.design.modules.values();
    modules.flat_map(|module| &module.items)
}

fn products(compiled: &Compilation) -> usize {
    let is_product = |item: &&Item| {
        let Item::Assign { expr, .. } = item else {
            return false;
        };
        matches!(expr, Expr::Multiply { .. })
    };
    items(compiled).filter(is_product).count()
}

fn warning(compiled: &Compilation, code: &str) -> Option<String> {
    let mut warnings = compiled.warnings.0.iter();
    let found = warnings.find(|warning| warning.code == code);
    found.map(|warning| warning.message.clone())
}

/// Beyond the clock at which one lookup table fits into a cycle, nothing is any faster; operators are as long as they were scheduled to
/// be, whatever becomes of their cycles.
#[test]
fn clocks_beyond_all_reach_have_hardware_all_the_same() {
    for (ty, op) in [("f64", "+"), ("f32", "/")] {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(x: \"{ty}[8]\", y: \"{ty}[8]\", z: \"{ty}[8]\"):\n    for i in range(8):\n        z[i] = x[i] {op} y[i]\n"
        );
        for (device, mhz) in [
            ("ice40up", 250.0),
            ("ice40up", 10_000.0),
            ("gatemate", 250.0),
        ] {
            let compiled = checked_for(&text, &target(device, mhz));
            let warned = warning(&compiled, codes::CLOCK);
            assert!(warned.is_some(), "{device}");
        }
    }
}

#[test]
fn every_model_has_what_the_scheduler_asks_for() {
    for name in Device::built_in() {
        let device = Device::load(name).expect("a model");
        assert_eq!(device.name, name);
        let classes = [
            Class::Add,
            Class::Compare,
            Class::Equal,
            Class::Logic,
            Class::Mux,
            Class::Shift,
            Class::Reduce,
            Class::LutRam,
            Class::BlockRam,
        ];
        for class in classes {
            let [narrow, wide] = [8, 64].map(|width| device.delay(class, width));
            assert!(0.0 < narrow && narrow <= wide, "{name}: {class:?}");
        }
        assert_eq!(
            device.delay.get(Class::Mul).is_some(),
            device.dsp.is_some(),
            "{name}"
        );
        assert!(device.least_period() < 10.0, "{name}");
        assert!(
            device.total.luts < u64::MAX && device.total.ram < u64::MAX,
            "{name}"
        );
    }
}

/// The schedule checker runs in every test, and the netlist beside the reference.
#[test]
fn examples_compute_what_the_reference_does_on_every_device() {
    for name in Device::built_in() {
        for example in ["saxpy_i32", "saxpy_f32", "fir", "histogram"] {
            let text = support::read(&support::root(&format!("examples/{example}.py")));
            let compiled = support::hardware(&text, None, &target(name, 100.0));
            let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("an engine");
            let options = CosimOptions {
                vectors: 2,
                ..CosimOptions::default()
            };
            let (program, manifest) = (&compiled.program, &compiled.manifest);
            let report = cosim_on(&engine, program, manifest, &options, &|_, _| ());
            let report = report.unwrap_or_else(|error| {
                panic!("{name}, {example}: {}", error.to_diagnostic().message)
            });
            assert!(report.compared > 0, "{name}, {example}");
        }
    }
}

#[test]
fn products_and_memories_are_right_on_every_device() {
    for name in Device::built_in() {
        for mhz in [50.0, 150.0] {
            checked_for(KERNEL, &target(name, mhz));
        }
    }
}

#[test]
fn products_are_sums_where_there_are_no_multipliers() {
    let compiled = checked_for(KERNEL, &target("ice40hx", 100.0));
    assert_eq!(products(&compiled), 0);
    let device = Device::load("ice40hx").expect("a model");
    let area = areas(&compiled.design, &device).total();
    assert!(area.blocks == 0 && area.luts > 1000.0, "{area:?}");
    let with = checked_for(KERNEL, &target("ice40up", 50.0));
    assert!(products(&with) > 0);
}

/// Of the 24 bits of an f32, 24 x 17 and 24 x 7 are a block each.
#[test]
fn blocks_are_used_to_their_longer_side() {
    let text = "
from allo import *

@kernel
def top(x: f32, y: f32) -> f32:
    return x * y
";
    let blocks = |name: &str| {
        let compiled = checked_for(text, &target(name, 100.0));
        let device = Device::load(name).expect("a model");
        areas(&compiled.design, &device).total().blocks
    };
    assert_eq!(blocks("xc7"), 2);
    assert_eq!(blocks("ecp5"), 3);
}

#[test]
fn lookup_tables_are_no_memory_where_they_cannot_be() {
    let style = "ram_style = \"distributed\"";
    let text = |name| checked_for(KERNEL, &target(name, 50.0)).systemverilog();
    assert!(text("ecp5").contains(style));
    assert!(!text("ice40hx").contains(style));
    let directed = |name| {
        let directive = directives::flag("storage", "t:lutram").expect("a directive");
        compile_for(
            KERNEL,
            &Target {
                directives: vec![directive],
                ..target(name, 50.0)
            },
        )
    };
    assert!(directed("ecp5").is_ok());
    let refused = directed("ice40hx").map(drop);
    let why = "--storage t:lutram: ice40hx has no such memory; it has bram, register and rom";
    assert_eq!(refused, Err(why.to_owned()));
}

#[test]
fn a_clock_beyond_a_lookup_table_is_warned_of() {
    let text = "
from allo import *

@kernel
def top(x: u8) -> u8:
    return x + 1
";
    let clock = |mhz| warning(&checked_for(text, &target("ecp5", mhz)), codes::CLOCK);
    assert_eq!(clock(500.0), None);
    let expected = "ecp5 does not reach 900 MHz: a lookup table between two registers takes 1.82 ns, which is 549 MHz";
    assert_eq!(clock(900.0).as_deref(), Some(expected));
}

#[test]
fn a_design_beyond_the_device_is_warned_of() {
    let text = "
from allo import *

@kernel
def top(k: u16) -> i32:
    big: i32[100000000]
    for i in range(4):
        big[i] = i
    return big[k]
";
    let size = |text, name| {
        let (mut sources, file) = support::source("kernel.py", text);
        let target = Target::new(name, 10.0).expect("a built-in device");
        let compiled = driver::compile(&mut sources, file, Some("top"), &target);
        let compiled =
            compiled.unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
        warning(&compiled, codes::SIZE)
    };
    let expected =
        "the hardware does not fit on ecp5: it takes about 3125000 of 3744 kbit of block RAM";
    assert_eq!(size(text, "ecp5").as_deref(), Some(expected));
    assert_eq!(size(KERNEL, "ecp5"), None);
    let double = KERNEL.replace("f32", "f64");
    let small = size(&double, "ice40up").expect("a warning");
    assert!(
        small.contains("LUT4") || small.contains("multipliers"),
        "{small}"
    );
    // Every element starts on its way in each cycle, through 30 stages of registers.
    let lanes = "
from allo import *

@kernel
def top(a: \"f32[64]\", b: \"f32[64]\", c: \"f32[64]\"):
    for i in range(64):
        c[i] = a[i] / b[i] / a[i] / b[i] / a[i]
";
    let flip_flops = |text: &str| text.contains("flip-flops");
    assert!(size(lanes, "ice40hx").is_some_and(|warning| flip_flops(&warning)));
    assert!(size(lanes, "ecp5").is_none());
}

#[test]
fn an_unknown_or_malformed_model_is_refused() {
    let unknown = Device::load("ecp6").expect_err("unknown");
    assert_eq!(unknown.message, "unknown device 'ecp6'");
    let known: Vec<&str> = Device::built_in().collect();
    let shown = format!("{unknown:?}");
    assert!(shown.contains(&known.join(", ")), "{shown}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("device.toml");
    let model = support::read(&support::root("devices/ecp5.toml"));
    let changes = [
        (
            "overhead = 0.40",
            "overhead = -1.0",
            "-1 is no time or area",
        ),
        ("margin = 0.1", "margin = 1.5", "the margin is from 0 to 1"),
        (
            "width_a = 18",
            "width_a = 1",
            "a multiplier block has operands of 2 bits at least",
        ),
        (
            "[dsp]",
            "[other]",
            "there are multiplier blocks, and [dsp] does not say which",
        ),
    ];
    for (from, to, why) in changes {
        std::fs::write(&path, model.replace(from, to)).expect("writable");
        let name = path.display().to_string();
        let refused = Device::load(&name).expect_err(to);
        assert_eq!(refused.message, format!("malformed device '{name}': {why}"));
    }
}

/// A value waits beside a divider: in memory of lookup tables where the device has it and its synthesiser makes no shift registers by
/// itself, and where tables are not what is scarce.
#[test]
fn values_wait_in_lookup_tables_where_that_is_what_the_device_has() {
    let text = "
from allo import *

@kernel
def top(x: \"f32[24]\", y: \"f32[24]\", z: \"f32[24]\"):
    for i in range(24):
        z[i] = x[i] / y[i] - x[i]
";
    let lines = |lut_ram: bool, shift_registers: bool| {
        let mut target = target("ecp5", 100.0);
        let memory = &mut target.device.memory;
        (memory.lut_ram, memory.shift_registers) = (lut_ram, shift_registers);
        let tables = target.device.area.values_mut();
        tables.for_each(|tables| *tables /= 100.0);
        let compiled = checked_for(text, &target);
        let memories = items(&compiled).filter(|item| matches!(item, Item::Memory(_)));
        memories.count()
    };
    assert!(lines(true, false) > 0);
    assert_eq!([lines(true, true), lines(false, false)], [0, 0]);
}
