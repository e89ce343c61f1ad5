//! Yosys proves, by induction over the SystemVerilog, what AXI asks of a block's handshakes, whatever is around it does: what is
//! offered stays until it is taken, with all that belongs to it, and no burst crosses 4 KiB, whatever the kernel inside does.

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Target};
use allo_hls::rtl;
use allo_hls::rtl::axi::{Interface, Options};
use allo_hls::rtl::interface::block::{BlockKind, BlockManifest, Outstanding, Ports, Via};
use allo_hls::rtl::interface::manifest::Flow;
use allo_hls::rtl::netlist::{Design, Direction, Item};
use rtl_tests::remembered::remembered;
use rtl_tests::tools;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Reads, writes of some elements, of all and of both kinds, and a table behind the control slave.
const MASTERS: &str = "
from allo import *

@kernel
def top(a: i16, x: u8[6], y: i16[6], z: u8[6], w: i16[6], table: u8[4]) -> i32:
    total: i32 = 0
    for i in range(6):
        total += x[i] + table[i & 3]
        if i != 2:
            y[5 - i] = x[i] + a
        z[i] = z[i] + 1
        w[5 - i] = x[i]
    return total
";

/// Arrays that are moved while the kernel runs.
const STREAMED: &str = "
from allo import *

@kernel
def top(x: i16[8], y: i16[8], z: i32[8]):
    for i in range(8):
        z[i] = x[i] * y[i]
";

/// Frames with a buffer and without, and a stream.
const FRAMES: &str = "
from allo import *

@kernel
def top(x: i12[5], y: i12[5], z: i12[5], s: Stream[u16]):
    for i in range(5):
        v: i12 = x[i]
        z[i] = v + 1
        s.put(v)
        if i != 3:
            y[4 - i] = v
";

/// Shortest and longest induction that is tried: with a shorter one nothing is proven of any of the blocks.
const STEPS: [u32; 2] = [4, 5];

/// A block, and which of its arrays are streamed.
struct Block<'b> {
    design: &'b Design,
    manifest: &'b BlockManifest,
    streamed: &'b [&'b str],
}

/// A channel on which the block offers something.
struct Offer {
    valid: String,
    ready: String,
    payload: Vec<String>,
}

impl Offer {
    fn of(ports: &Ports, prefix: &str, payload: &[&str]) -> Option<Offer> {
        let port = |signal: &str| ports.get(&format!("{prefix}{signal}")).cloned();
        Some(Offer {
            valid: port("valid")?,
            ready: port("ready")?,
            payload: payload.iter().filter_map(|signal| port(signal)).collect(),
        })
    }

    /// All of a block, some of whose arrays are streamed.
    fn all(manifest: &BlockManifest, streamed: &[&str]) -> Vec<Offer> {
        let address = ["addr", "len", "size", "burst"];
        let mut offers = Vec::new();
        for master in &manifest.masters {
            offers.extend(Offer::of(&master.ports, "ar", &address));
            offers.extend(Offer::of(&master.ports, "aw", &address));
            offers.extend(Offer::of(&master.ports, "w", &["data", "strb", "last"]));
        }
        if let Some(control) = &manifest.control {
            offers.extend(Offer::of(&control.ports, "b", &["resp"]));
            offers.extend(Offer::of(&control.ports, "r", &["data", "resp"]));
        }
        for port in manifest.args.iter().chain(&manifest.returns) {
            if let BlockKind::Array { via, .. } | BlockKind::Stream { via, .. } = &port.kind
                && let Via::Axis {
                    ports,
                    direction: Flow::Out,
                    ..
                } = via
            {
                // Without a buffer, which element is the last one depends on how many the kernel gives.
                let name = port.name.as_deref().unwrap_or_default();
                let payload: &[&str] = match streamed.contains(&name) {
                    true => &["data", "keep"],
                    false => &["data", "last", "keep"],
                };
                offers.extend(Offer::of(ports, "t", payload));
            }
        }
        offers
    }
}

/// A part that issues the bursts of some arrays, with nets of it that statements need.
struct Issuer {
    instance: String,
    /// `ar` or `aw`.
    channel: &'static str,
    /// By name and width.
    nets: Vec<(String, u32)>,
}

impl Issuer {
    fn all(design: &Design) -> Vec<Issuer> {
        let top = &design.modules[design.top().expect("a block")];
        let instances = top.items.iter().filter_map(|item| match item {
            Item::Instance(instance) => Some(instance),
            _ => None,
        });
        let issuers = instances.filter_map(|instance| {
            let nets = &design.modules[instance.module].nets;
            let width = |name: &str| {
                nets.values()
                    .find(|net| net.name == name)
                    .map(|net| net.width)
            };
            let mut channels = ["ar", "aw"].into_iter();
            let channel = channels.find(|channel| width(&format!("{channel}valid")).is_some())?;
            let signals = ["valid", "addr", "len"].map(|signal| format!("{channel}{signal}"));
            let wanted = ["issuing".to_string(), "left".to_string()]
                .into_iter()
                .chain(signals);
            let nets: Option<Vec<_>> = wanted
                .map(|name| width(&name).map(|width| (name, width)))
                .collect();
            Some(Issuer {
                instance: instance.name.clone(),
                channel,
                nets: nets?,
            })
        });
        issuers.collect()
    }

    /// The name of a net of it among the statements.
    fn probe(&self, net: &str) -> String {
        format!("{}_{net}", self.instance)
    }
}

/// That a burst stays within its page.
fn page([valid, addr, len]: &[String; 3], bytes: u32) -> String {
    format!(
        "        if (was_reset && {valid})\n            \
         assert({{1'b0, {addr}[11:0]}} + {bytes} * ({len} + 13'd1) <= 4096);\n"
    )
}

/// A module around a block that states what has to hold.
fn statements(block: &Block) -> String {
    let Block {
        design, manifest, ..
    } = block;
    let top = &design.modules[design.top().expect("a block")];
    let mut head = Vec::new();
    let mut nets = String::new();
    let mut pins = Vec::new();
    for port in &top.ports {
        let net = &top.nets[port.net];
        let line = format!("[{}:0] {}", net.width - 1, net.name);
        match port.direction {
            Direction::Input => head.push(format!("input {line}")),
            Direction::Output => nets += &format!("    wire {line};\n"),
        }
        pins.push(format!(".{0}({0})", net.name));
    }
    let mut steps = String::new();
    for (
        number,
        Offer {
            valid,
            ready,
            payload,
        },
    ) in Offer::all(block.manifest, block.streamed)
        .iter()
        .enumerate()
    {
        nets += &format!("    reg waits{number} = 1'b0;\n");
        steps += &format!(
            "        waits{number} <= {valid} && !{ready} && {};\n",
            manifest.reset.port
        );
        steps += &format!("        if (waits{number}) assert({valid});\n");
        for signal in payload {
            steps += &format!("        if (waits{number}) assert({signal} == $past({signal}));\n");
        }
    }
    let beat = manifest
        .masters
        .first()
        .map_or(0, |master| master.data_width / 8);
    for issuer in Issuer::all(design) {
        for (net, width) in &issuer.nets {
            nets += &format!(
                "    (* keep *) wire [{}:0] {};\n",
                width - 1,
                issuer.probe(net)
            );
        }
        let [issuing, left] = ["issuing", "left"].map(|net| issuer.probe(net));
        steps += &format!("        if (was_reset && {issuing}) assert({left} != 0);\n");
        let signals = ["valid", "addr", "len"];
        steps += &page(
            &signals.map(|signal| issuer.probe(&format!("{}{signal}", issuer.channel))),
            beat,
        );
    }
    for master in &manifest.masters {
        for channel in ["ar", "aw"] {
            let signals = ["valid", "addr", "len"].map(|signal| format!("{channel}{signal}"));
            if master.ports.contains_key(&signals[0]) {
                steps += &page(&signals.map(|signal| master.ports[&signal].clone()), beat);
            }
        }
    }
    let mut text = String::new();
    let reset = &manifest.reset.port;
    write!(
        text,
        "module statements({});\n{nets}    reg was_reset = 1'b0;\n    {} block({});\n    \
         always @(posedge {}) begin\n        was_reset <= 1'b1;\n        \
         if (!was_reset) assume(!{reset});\n{steps}    end\nendmodule\n",
        head.join(", "),
        manifest.module,
        pins.join(", "),
        manifest.clock,
    )
    .expect("a text takes it");
    text
}

/// Whether Yosys proves all statements about a text of a block.
fn prove(folder: &Path, yosys: &Path, text: &str, block: &Block) -> bool {
    let Block {
        design, manifest, ..
    } = block;
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("the folder is writable");
    };
    write("block.sv", text);
    write("statements.sv", &statements(block));
    // The core may do what it likes.
    let mut script = format!(
        "read_verilog -sv -formal block.sv statements.sv\nhierarchy -top statements\nblackbox {}\nproc\nflatten\n\
         cutpoint -blackbox\n",
        manifest.core
    );
    for issuer in Issuer::all(design) {
        for (net, _) in &issuer.nets {
            let (probe, instance) = (issuer.probe(net), &issuer.instance);
            script += &format!("connect -set {probe} block.{instance}.{net}\n");
        }
    }
    script += "memory_collect\nmemory_map\nopt -full\nasync2sync\ndffunmap\nopt -full\nchformal -assume -early\n";
    // The length is to exceed the first number, and may be the second.
    let steps = format!("-initsteps {} -maxsteps {}", STEPS[0] - 1, STEPS[1]);
    script += &format!("sat -tempinduct -prove-asserts -set-assumes {steps} statements\n");
    write("prove.ys", &script);
    let answer = remembered(include_str!("handshakes.rs"), folder, || {
        let said = tools::run(folder, yosys, &["-s", "prove.ys"])?;
        let is_proven = said.stdout.contains("Induction step proven: SUCCESS!");
        Ok(vec![is_proven.into()])
    });
    answer.unwrap_or_else(|e| panic!("{e}")) == [1]
}

#[test]
fn what_is_offered_stays_and_bursts_stay_within_their_pages() {
    let Some(yosys) = tools::find_or_note("yosys") else {
        return;
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let masters = Options {
        width: 32,
        outstanding: Outstanding { read: 2, write: 2 },
        local: vec!["table".into()],
        bundles: vec![("z".into(), "other".into())],
        ..Options::default()
    };
    let streamed = Options {
        local: Vec::new(),
        bundles: Vec::new(),
        ..masters.clone()
    };
    let frames = Options {
        interface: Interface::Axis,
        ..Options::default()
    };
    let mut broken = BTreeSet::new();
    for (text, options, streamed) in [
        (MASTERS, masters, &[][..]),
        (STREAMED, streamed, &["x", "y", "z"]),
        (FRAMES, frames, &["x", "z"]),
    ] {
        let mut sources = SourceMap::default();
        let id = sources.add("top.py", text);
        let mut target = Target::new("ecp5", 10.0).expect("a built-in device");
        target.aim.partition_args = false;
        target.streamed.asked = streamed.iter().map(ToString::to_string).collect();
        let compiled = driver::compile(&mut sources, id, Some("top"), &target)
            .unwrap_or_else(|e| panic!("{}", e.render(&sources, false)));
        let (design, manifest) = compiled.around(&options).unwrap_or_else(|e| panic!("{e}"));
        let text = rtl::systemverilog::print(&design);
        let block = Block {
            design: &design,
            manifest: &manifest,
            streamed,
        };
        let is_proven = |text: &str| prove(folder.path(), &yosys, text, &block);
        assert!(is_proven(&text), "{streamed:?}");
        // What is withdrawn before it is taken is seen, and what begins behind the middle of a page and is not cut at its end.
        let breaks = ["ar", "aw", "w", "b", "r", "t"].map(|channel| {
            let held = format!(" | ({channel}valid & ~{channel}ready)");
            (held, "")
        });
        let edge = (" - 9'(address[7:0])".to_string(), " - 9'(address[6:0])");
        for (right, wrong) in breaks.into_iter().chain([edge]) {
            if text.contains(&right) && broken.insert(right.clone()) {
                assert!(!is_proven(&text.replace(&right, wrong)), "{right}");
            }
        }
    }
    assert_eq!(broken.len(), 7);
}
