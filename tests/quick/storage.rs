//! What memories are: their ports, what they are made of, and that neither changes a bit.

use crate::directives::{checked, compile_text};
use allo_hls::codes;
use allo_hls::directives;
use allo_hls::driver::Compilation;
use allo_hls::hwarith::graph::Op;
use allo_hls::rtl::area::areas;
use allo_hls::rtl::interface::manifest::PortKind;
use allo_hls::rtl::netlist::{Item, Memory, MemoryStyle};
use allo_hls::schedule::{budget, check::check, device::Device, forecast};

/// Two loads of a parameter, of a local array and of a table in each iteration, and in code that runs once.
const KERNEL: &str = "
from allo import *

TABLE = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]

@kernel
def inner(v: \"i16[16]\", w: \"i16[8]\"):
    for p in range(8):
        w[p] += v[2 * p] - v[2 * p + 1]

@kernel
def top(x: \"i16[16]\", y: \"i16[8]\", k: u4) -> \"i16[8]\":
    t: u4[16] = TABLE
    z: i16[16]
    for i in range(16):
        z[i] = x[(i + k) % 16] + 1
    for j in range(8):
        y[j] += x[2 * j] * x[2 * j + 1]
    for m in range(8):
        y[m] -= z[(m + k) % 16] * z[m + 8]
    for n in range(8):
        y[n] += t[(n + k) % 16] * t[n + 8]
    inner(z, y)
    y[1] = x[3] * x[9]
    one: i16[1] = 5
    one[k] = 3
    big: i16[2000]
    for q in range(2000):
        big[q] = q
    for o in range(8):
        y[o] += big[o * 9 + k] ^ big[o] + one[0]
    r: i16[8] = y
    return r
";

fn built(flags: &[(&str, &str)]) -> Compilation {
    checked(KERNEL, flags)
}

fn refused(flags: &[(&str, &str)]) -> String {
    match compile_text(KERNEL, flags, false) {
        Ok(_) => panic!("{flags:?} is carried out"),
        Err(why) => why,
    }
}

/// Port groups of each bank of a parameter.
fn groups(compiled: &Compilation, name: &str) -> Vec<usize> {
    let mut args = compiled.manifest.args.iter();
    let port = args.find(|port| port.name.as_deref() == Some(name));
    match &port.expect("the parameter").kind {
        PortKind::Array { banks, .. } => banks.iter().map(|bank| bank.ports.len()).collect(),
        _ => panic!("'{name}' is no array"),
    }
}

/// The memories inside whose names begin so.
fn memories<'c>(compiled: &'c Compilation, name: &str) -> Vec<&'c Memory> {
    let modules = compiled.design.modules.values();
    let memories = modules.flat_map(|module| &module.items).filter_map(|item| {
        let Item::Memory(memory) = item else {
            return None;
        };
        memory.name.starts_with(name).then_some(memory)
    });
    memories.collect()
}

fn interval(compiled: &Compilation, label: &str) -> Option<u64> {
    let mut loops = compiled.manifest.loops.iter();
    loops.find(|one| one.name == label).expect("the loop").ii
}

#[test]
fn an_array_has_the_ports_that_it_may_have() {
    let plain = built(&[]);
    assert_eq!(groups(&plain, "x"), [2]);
    assert_eq!(interval(&plain, "j"), Some(1));
    let limited = built(&[("ports", "x=1"), ("ports", "z=1"), ("ports", "t=1")]);
    assert_eq!(groups(&limited, "x"), [1]);
    let intervals = ["i", "j", "m", "n"].map(|label| interval(&limited, label));
    assert_eq!(intervals, [1, 2, 2, 2].map(Some));
    // Without a limit a small table has no ports at all.
    for (name, wanted) in [("z_mem", [2, 1]), ("t_mem", [0, 1])] {
        let reads = |compiled| memories(compiled, name).iter().map(|m| m.reads.len()).sum();
        let reads: [usize; 2] = [reads(&plain), reads(&limited)];
        assert_eq!(reads, wanted, "{name}");
    }
    let two = built(&[("ports", "x=2")]);
    assert_eq!(two.systemverilog(), plain.systemverilog());
}

/// The next state is looked up in the cycle in which the last one is there; in a table that is too large for that, a cycle later.
#[test]
fn a_state_machine_by_a_small_table_takes_a_cycle_a_step() {
    for (inputs, wanted) in [(8, 1), (64, 2)] {
        let text = format!(
            "from allo import *\n\nNEXT = [[(i * 3 + j * 5) % 4 - 1 for j in range({inputs})] for i in range(4)]\n\n\n\
             @kernel\ndef top(x: \"u8[32]\") -> i32:\n    next: \"i3[4, {inputs}]\" = NEXT\n    s: i3 = 0\n    \
             n: i32 = 0\n    for i in range(32):\n        s = next[s + 1, x[i] % {inputs}]\n        n += s\n    \
             return n\n"
        );
        let compiled = checked(&text, &[]);
        assert_eq!(interval(&compiled, "i"), Some(wanted));
    }
}

/// Whatever the elements are, however many, and in whichever bank: each is where it was.
#[test]
fn small_tables_give_every_element() {
    for (ty, words, flags) in [
        ("i8", "[-128, 127, -1, 0, 5]", &[][..]),
        (
            "i8",
            "[-128, 127, -1, 0, 5]",
            &[("partition", "t:cyclic:2")],
        ),
        ("i8", "[-128, 127, -1, 0, 5]", &[("partition", "t:block:2")]),
        ("u4", "[15, 8, 0, 1, 7]", &[]),
        ("u4", "[9, 9, 9, 9, 9]", &[]),
        ("f32", "[-1.5, 0.25, 1e30, -0.0, 3.0]", &[]),
        ("f8e4m3", "[-448.0, 0.5, 2.0, -0.0, 1.0]", &[]),
    ] {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(x: \"u8[16]\", y: \"{ty}[16]\"):\n    t: \"{ty}[5]\" = {words}\n    \
             for i in range(16):\n        y[i] = t[x[i] % 5]\n"
        );
        let compiled = checked(&text, flags);
        assert!(memories(&compiled, "t_").is_empty(), "{ty} {flags:?}");
    }
}

/// The address of a lookup and its delay have to fit into the cycle together.
#[test]
fn the_checker_refuses_a_lookup_at_an_address_that_comes_late() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"u8[16]\") -> u4:\n    t: \"u4[16]\" = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 0]\n    \
                s: u4 = 0\n    for i in range(16):\n        s = t[(s + x[i]) & 15]\n    return s\n";
    let compiled = checked(text, &[]);
    let device = Device::load("ecp5").expect("device");
    let mut tried = 0;
    for (leaf, schedule) in compiled.schedule.leaves.iter() {
        let graph = &compiled.hardware.leaves[leaf].graph;
        for (id, node) in graph
            .nodes
            .iter()
            .filter(|(_, node)| matches!(node.op, Op::Table(_)))
        {
            let whole = budget(&device, compiled.schedule.period);
            let mut spoilt = compiled.schedule.clone();
            let times = &mut spoilt.leaves[leaf].times;
            let address = node.args[0].index();
            assert_eq!(
                schedule.times.ready[address],
                schedule.times.start[id.index()]
            );
            times.arrival[address] = whole;
            times.arrival[id.index()] = whole;
            assert_eq!(
                check(&compiled.hardware, &compiled.schedule, &device),
                Ok(())
            );
            assert!(check(&compiled.hardware, &spoilt, &device).is_err());
            tried += 1;
        }
    }
    assert!(tried > 0);
}

/// A port that the array may not have is none, though the memory could have it.
#[test]
fn the_checker_refuses_a_port_beyond_the_limit() {
    let compiled = built(&[("ports", "x=1")]);
    let device = Device::load("ecp5").expect("device");
    let mut tried = 0;
    for (leaf, schedule) in compiled.schedule.leaves.iter() {
        let accesses = compiled.hardware.leaves[leaf].accesses.iter();
        for (at, access) in accesses.enumerate() {
            let is_x = compiled.hardware.mems[access.mem].name == "x";
            if !is_x || schedule.ports[at] > 0 {
                continue;
            }
            let mut changed = compiled.schedule.clone();
            changed.leaves[leaf].ports[at] = 1;
            check(&compiled.hardware, &changed, &device).expect_err("it has one port");
            tried += 1;
        }
    }
    assert_eq!(tried, 5);
}

/// Each bank of a partition is a memory with the ports that the array may have.
#[test]
fn banks_have_the_ports_of_their_array() {
    let compiled = built(&[
        ("partition", "x:cyclic:2"),
        ("ports", "x=1"),
        ("ports", "ap_return=1"),
    ]);
    assert_eq!(groups(&compiled, "x"), [1, 1]);
    assert_eq!(interval(&compiled, "j"), Some(1));
}

/// A parameter stands for the arrays that are passed.
#[test]
fn a_limit_of_a_parameter_is_one_of_what_is_passed() {
    let compiled = built(&[("ports", "inner/v=1"), ("ports", "inner/w=2")]);
    assert_eq!(interval(&compiled, "p"), Some(2));
    assert_eq!(interval(&compiled, "m"), Some(2));
    assert_eq!(memories(&compiled, "z_mem")[0].reads.len(), 1);
}

#[test]
fn an_interval_that_the_ports_forbid_names_them() {
    let flags = [("ports", "x=1"), ("pipeline", "j=1")];
    let compiled = built(&flags);
    let mut warnings = compiled.warnings.0.iter();
    let warning = warnings.find(|one| one.code == codes::INTERVAL);
    assert_eq!(
        warning.expect("a warning").message,
        "--pipeline j=1: the least initiation interval is 2, bound by memory port x"
    );
    assert!(compile_text(KERNEL, &flags, true).is_err());
}

#[test]
fn files_say_of_arrays_what_flags_say() {
    let flags = [
        ("ports", "x=1"),
        ("storage", "z:bram"),
        ("storage", "t:rom:ROM_1P"),
    ];
    let text = "[[directive]]\nkind = \"ports\"\narray = \"x\"\nports = 1\n\n\
                [[directive]]\nkind = \"bind_storage\"\narray = \"z\"\nimpl = \"bram\"\n\n\
                [[directive]]\nkind = \"bind_storage\"\narray = \"t\"\nimpl = \"rom\"\nmem_type = \"ROM_1P\"\n\n";
    let said = flags.map(|(name, value)| directives::flag(name, value).expect("a directive"));
    assert_eq!(directives::to_toml(&said), text);
    assert_eq!(directives::read(text), Ok(said.to_vec()));
    let shown = said.each_ref().map(ToString::to_string);
    let flags = flags.map(|(name, value)| format!("--{name} {value}"));
    assert_eq!(shown, flags);
    let published = "[[directive]]\nkind = \"bind_storage\"\nbuffers = \"z\"\nimpl = \"BRAM\"\n";
    assert_eq!(directives::read(published), Ok(vec![said[1].clone()]));
}

/// What is directed decides, else the size does.
#[test]
fn a_memory_is_made_of_what_is_said() {
    let style = |flags: &[(&str, &str)], name: &str| {
        let compiled = built(flags);
        let memories = memories(&compiled, name);
        assert_eq!(memories.len(), 1, "{flags:?}");
        (memories[0].style, memories[0].reads.len())
    };
    use MemoryStyle::{Block, Distributed};
    for (array, memory) in [("z", "z_mem"), ("t", "t_mem"), ("big", "big_mem")] {
        let of = |what: &str| style(&[("storage", &format!("{array}:{what}"))], memory);
        let reads = of("lutram").1;
        if array != "t" {
            let by_size = if array == "big" { Block } else { Distributed };
            assert_eq!(style(&[], memory), (by_size, reads), "{array}");
        }
        assert_eq!(of("bram"), (Block, reads), "{array}");
        assert_eq!(of("lutram"), (Distributed, reads), "{array}");
        assert_eq!(of("bram:RAM_1WNR"), (Block, reads), "{array}");
        for one_port in ["RAM_1P", "RAM_S2P"] {
            assert_eq!(of(&format!("lutram:{one_port}")), (Distributed, 1));
        }
    }
    // A small table of which nothing is said is logic.
    assert!(memories(&built(&[]), "t_mem").is_empty());
    assert_eq!(style(&[("storage", "t:rom")], "t_mem"), (Distributed, 2));
    let one = [("storage", "t:rom:ROM_1P")];
    assert_eq!(style(&one, "t_mem"), (Distributed, 1));
    let two = [("storage", "t:bram:ROM_2P")];
    assert_eq!(style(&two, "t_mem"), (Block, 2));
    let text = built(&[("storage", "t:bram"), ("storage", "big:lutram")]).systemverilog();
    assert!(text.contains("rom_style = \"block\""), "{text}");
    assert!(text.contains("ram_style = \"distributed\""), "{text}");
}

/// A table, and a copy of a parameter, that are read eight times in each iteration.
#[test]
fn memories_have_as_many_ports_that_read_as_are_needed() {
    let text = "
from allo import *

T = [(i * 7 + 3) % 256 for i in range(256)]

@kernel
def top(x: \"u8[64]\", y: \"u32[64]\"):
    t: u8[256] = T
    c: u8[64] = x
    for i in range(64):
        s: u32 = 0
        for k in range(8):
            s += t[(x[i] + k) & 255] * c[(x[i] * k) & 63]
        y[i] = s
";
    let interval = |flags: &[(&str, &str)]| {
        let flags = [&[("unroll", "k")], flags].concat();
        let compiled = checked(text, &flags);
        let mut loops = compiled.manifest.loops.iter();
        loops.find(|one| one.name == "i").and_then(|one| one.ii)
    };
    assert_eq!(interval(&[]), Some(4));
    let many = [("storage", "t:rom:ROM_NP"), ("storage", "c:bram:RAM_1WNR")];
    assert_eq!(interval(&many), Some(1));
    assert_eq!(interval(&[("ports", "t=4"), ("ports", "c=8")]), Some(2));
}

/// The forecast of a search and the area of what was built count them alike.
#[test]
fn copies_of_memories_take_block_ram() {
    let text = "
from allo import *

@kernel
def top(x: \"u8[1024]\", y: \"u8[1024]\") -> u32:
    c: u8[1024] = x
    s: u32 = 0
    for i in range(1024):
        s += c[y[i]] + c[y[i] * 2] + c[y[i] * 3]
    return s
";
    let bits = |storage: &str| {
        let compiled = checked(text, &[("storage", storage)]);
        let device = Device::load("ecp5").expect("device");
        let built = areas(&compiled.design, &device).total().ram;
        let (program, schedule) = (&compiled.hardware, &compiled.schedule);
        assert_eq!(forecast::ram(program, schedule), built, "{storage}");
        built
    };
    assert_eq!(bits("c:bram"), 8 * 1024);
    assert_eq!(bits("c:bram:RAM_1WNR"), 3 * 8 * 1024);
}

/// Each bank is made of what its array is.
#[test]
fn banks_are_made_of_what_is_said() {
    let compiled = built(&[("storage", "z:bram"), ("partition", "z:cyclic:2")]);
    let styles: Vec<_> = memories(&compiled, "z_").iter().map(|m| m.style).collect();
    assert_eq!(styles, [MemoryStyle::Block; 2]);
}

/// A large memory of lookup tables is read through a choice among many.
#[test]
fn a_large_memory_of_lookup_tables_is_slower_before_its_register() {
    let device = Device::load("ecp5").expect("device");
    for (flags, slower) in [(&[][..], false), (&[("storage", "big:lutram")], true)] {
        let compiled = built(flags);
        check(&compiled.hardware, &compiled.schedule, &device).expect("a valid schedule");
        let mut tight = compiled.schedule.clone();
        tight.period = 6.0;
        assert!(check(&compiled.hardware, &tight, &device).is_err() || !slower);
    }
}

#[test]
fn an_array_can_be_registers() {
    let compiled = built(&[("storage", "z:register")]);
    assert_eq!(memories(&compiled, "z").len(), 0);
    let split = built(&[("partition", "z:complete")]);
    assert_eq!(compiled.systemverilog(), split.systemverilog());
}

#[test]
fn what_no_memory_can_be_is_refused() {
    let refused = |what: &str| refused(&[("storage", what)]);
    let outside = "its memory is outside of the kernel";
    for what in ["x:bram", "ap_return:lutram", "inner/v:register", "x:rom"] {
        assert_eq!(refused(what), format!("--storage {what}: {outside}"));
    }
    let starts = [
        ("q:bram", "there is no array 'q'"),
        (
            "z:uram",
            "the device has no such memory; it has bram and lutram",
        ),
        ("z:rom", "it is written, and a ROM is not"),
        ("one:register", "it has one element"),
        ("big:register", "more than 1024 banks"),
        ("z:register:RAM_1P", "registers are no memory of any type"),
        ("t:rom:RAM_1P", "a ROM is no RAM_1P"),
    ];
    for (what, why) in starts {
        let found = refused(what);
        let expected = format!("--storage {what}: {why}");
        assert!(found.starts_with(&expected), "{found}");
    }
    for name in ["SRL", "FIFO", "ram_1p"] {
        assert_eq!(
            refused(&format!("z:bram:{name}")),
            format!(
                "--storage z:bram:{name}: there is no memory of the type '{name}'; there are RAM_1P, RAM_S2P, \
                 RAM_1WNR, RAM_2P, RAM_T2P, ROM_1P, ROM_2P, ROM_NP"
            )
        );
    }
    assert_eq!(
        refused("z:bram:ROM_1P"),
        "--storage z:rom: it is written, and a ROM is not"
    );
    assert_eq!(refused(":bram"), "an array is needed");
    for what in ["z", "z:dram", "z:BRAM"] {
        let expected = "bram, lutram, register or rom is needed after ':'";
        assert_eq!(refused(what), expected);
    }
}

/// What contradicts an earlier directive is refused, whichever comes first.
#[test]
fn an_array_is_made_of_one_thing() {
    let earlier = "an earlier directive says something else of it";
    let memory = "an earlier directive says what its memory is made of";
    let complete = "it is split completely, so that its elements are registers";
    let cases = [
        (("storage", "z:bram"), ("storage", "z:lutram"), earlier),
        (("storage", "z:bram"), ("storage", "z:register"), earlier),
        (("storage", "t:rom"), ("storage", "t:bram"), earlier),
        (("storage", "z:register"), ("storage", "z:bram"), complete),
        (
            ("partition", "z:complete"),
            ("storage", "z:lutram"),
            complete,
        ),
        (("storage", "z:lutram"), ("partition", "z:complete"), memory),
        (
            ("storage", "z:register"),
            ("partition", "z:cyclic:2"),
            "dimension 1 is split already",
        ),
        (
            ("partition", "z:cyclic:2"),
            ("storage", "z:register"),
            "it is split in another way",
        ),
    ];
    for (first, second, why) in cases {
        let expected = format!("--{} {}: {why}", second.0, second.1);
        assert_eq!(refused(&[first, second]), expected);
    }
}

#[test]
fn limits_of_ports_are_refused_out_of_range_and_twice() {
    assert_eq!(
        refused(&[("ports", "x=3")]),
        "--ports x=3: such an array has 1 to 2 ports"
    );
    assert_eq!(
        refused(&[("ports", "x=1"), ("ports", "x=1")]),
        "--ports x=1: an earlier directive says something else of it"
    );
    assert_eq!(
        refused(&[("ports", "x")]),
        "a number of ports is needed after '='"
    );
    assert_eq!(refused(&[("ports", "=1")]), "an array is needed");
}
