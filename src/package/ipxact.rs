//! IP-XACT (IEEE 1685-2014): bus interfaces, registers, ports and files; and the Tcl that packages the block in Vivado.

use super::bench::{pins, streams};
use super::registers::{self, Field, LocalArray, Role};
use super::{File, driver, fill};
use crate::rtl::interface::block::{BlockManifest, Ports, Via};
use std::fmt::Write as _;

/// The files.
pub fn files(manifest: &BlockManifest) -> Vec<File> {
    vec![
        ("component.xml".into(), component(manifest)),
        ("package.tcl".into(), tcl(manifest)),
    ]
}

fn tcl(manifest: &BlockManifest) -> String {
    let mut maps = String::new();
    if manifest.control.is_some() {
        maps.push_str(
            "set maps [ipx::get_memory_maps -of_objects $core]\n\
             set block [lindex [ipx::get_address_blocks -of_objects $maps] 0]\n",
        );
        for register in registers::list(manifest) {
            for word in 0..register.words {
                let name = part_name(&register.name, register.words, word);
                let _ = writeln!(maps, "set register [ipx::add_register {name} $block]");
                let offset = register.offset + 4 * word;
                let _ = writeln!(maps, "set_property address_offset {offset:#x} $register");
                maps.push_str("set_property size 32 $register\n");
            }
        }
    }
    let buses: Vec<String> = buses(manifest).into_iter().map(|bus| bus.name).collect();
    fill(
        include_str!("templates/package.tcl"),
        &[
            ("name", &manifest.module),
            ("buses", &buses.join(" ")),
            ("memory_maps", maps.trim_end()),
        ],
    )
}

fn part_name(name: &str, words: u32, word: u32) -> String {
    match words {
        1 => name.to_string(),
        _ => format!("{name}_{word}"),
    }
}

/// A bus interface.
struct Bus {
    name: String,
    /// `AXI4`, `AXI4Lite` or `AXI4Stream`.
    kind: &'static str,
    mode: Mode,
    /// Logical names, then those of the ports.
    ports: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Master,
    Slave,
}

fn buses(manifest: &BlockManifest) -> Vec<Bus> {
    let logical = |ports: &Ports| -> Vec<(String, String)> {
        let pairs = ports
            .iter()
            .map(|(signal, name)| (signal.to_ascii_uppercase(), name.clone()));
        pairs.collect()
    };
    let mut buses = Vec::new();
    if let Some(control) = &manifest.control {
        buses.push(Bus {
            name: "s_axi_control".into(),
            kind: "AXI4Lite",
            mode: Mode::Slave,
            ports: logical(&control.ports),
        });
    }
    for master in &manifest.masters {
        buses.push(Bus {
            name: format!("m_axi_{}", master.bundle),
            kind: "AXI4",
            mode: Mode::Master,
            ports: logical(&master.ports),
        });
    }
    for (port, direction, _) in streams(manifest) {
        let Some(Via::Axis { ports, .. }) = port.via() else {
            continue;
        };
        buses.push(Bus {
            name: port.name.clone().unwrap_or_default(),
            kind: "AXI4Stream",
            mode: if direction == "in" {
                Mode::Slave
            } else {
                Mode::Master
            },
            ports: logical(ports),
        });
    }
    buses
}

fn component(manifest: &BlockManifest) -> String {
    let name = &manifest.module;
    let mut xml = Xml::default();
    xml.text
        .push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.open(
        "component xmlns:ipxact=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014 \
         http://www.accellera.org/XMLSchema/IPXACT/1685-2014/index.xsd\"",
    );
    for (tag, value) in [
        ("vendor", "user"),
        ("library", "allo"),
        ("name", name),
        ("version", "1.0"),
    ] {
        xml.leaf(tag, value);
    }
    xml.open("busInterfaces");
    for bus in buses(manifest) {
        bus_interface(&mut xml, &bus);
    }
    xml.close("busInterfaces");
    if !manifest.masters.is_empty() {
        xml.open("addressSpaces");
        for master in &manifest.masters {
            xml.open("addressSpace");
            xml.leaf("name", &format!("m_axi_{}_space", master.bundle));
            xml.leaf("range", "'h10000000000000000");
            xml.leaf("width", &master.data_width.to_string());
            xml.close("addressSpace");
        }
        xml.close("addressSpaces");
    }
    if manifest.control.is_some() {
        memory_map(&mut xml, manifest);
    }
    model(&mut xml, manifest);
    xml.open("fileSets");
    xml.open("fileSet");
    xml.leaf("name", "rtl");
    xml.open("file");
    xml.leaf("name", &format!("rtl/{name}.sv"));
    xml.leaf("fileType", "systemVerilogSource");
    xml.close("file");
    xml.close("fileSet");
    xml.close("fileSets");
    xml.leaf(
        "description",
        &format!("{name}: a kernel with the interface {}", manifest.interface),
    );
    xml.close("component");
    xml.text
}

fn bus_interface(xml: &mut Xml, bus: &Bus) {
    xml.open("busInterface");
    xml.leaf("name", &bus.name);
    let lite = bus.kind == "AXI4Lite";
    let kind = if lite { "AXI4" } else { bus.kind };
    xml.empty(&format!(
        "busType vendor=\"amba.com\" library=\"AMBA4\" name=\"{kind}\" version=\"r0p0_0\""
    ));
    xml.open("abstractionTypes");
    xml.open("abstractionType");
    let rtl = format!("{}_rtl", bus.kind);
    xml.empty(&format!(
        "abstractionRef vendor=\"amba.com\" library=\"AMBA4\" name=\"{rtl}\" version=\"r0p0_0\""
    ));
    xml.open("portMaps");
    for (logical, physical) in &bus.ports {
        xml.open("portMap");
        xml.open("logicalPort");
        xml.leaf("name", logical);
        xml.close("logicalPort");
        xml.open("physicalPort");
        xml.leaf("name", physical);
        xml.close("physicalPort");
        xml.close("portMap");
    }
    xml.close("portMaps");
    xml.close("abstractionType");
    xml.close("abstractionTypes");
    match (bus.kind, bus.mode) {
        ("AXI4Lite", _) => {
            xml.open("slave");
            xml.empty("memoryMapRef memoryMapRef=\"s_axi_control\"");
            xml.close("slave");
        }
        ("AXI4", _) => {
            xml.open("master");
            xml.empty(&format!(
                "addressSpaceRef addressSpaceRef=\"{}_space\"",
                bus.name
            ));
            xml.close("master");
        }
        (_, Mode::Master) => xml.empty("master"),
        (_, Mode::Slave) => xml.empty("slave"),
    }
    xml.close("busInterface");
}

fn memory_map(xml: &mut Xml, manifest: &BlockManifest) {
    xml.open("memoryMaps");
    xml.open("memoryMap");
    xml.leaf("name", "s_axi_control");
    xml.open("addressBlock");
    xml.leaf("name", "registers");
    xml.leaf("baseAddress", "0");
    xml.leaf("range", &driver::span(manifest).to_string());
    xml.leaf("width", "32");
    xml.leaf("usage", "register");
    for register in registers::list(manifest) {
        for word in 0..register.words {
            xml.open("register");
            xml.leaf("name", &part_name(&register.name, register.words, word));
            xml.leaf(
                "addressOffset",
                &format!("'h{:x}", register.offset + 4 * word),
            );
            xml.leaf("size", "32");
            let is_read_only = matches!(register.role, Role::Result | Role::Valid);
            xml.leaf(
                "access",
                if is_read_only {
                    "read-only"
                } else {
                    "read-write"
                },
            );
            for Field {
                name,
                bit,
                width,
                effect,
            } in registers::fields(manifest, &register, word)
            {
                xml.open("field");
                xml.leaf("name", &name);
                xml.leaf("bitOffset", &bit.to_string());
                xml.leaf("bitWidth", &width.to_string());
                for (element, value) in effect.ipxact() {
                    xml.leaf(element, value);
                }
                xml.close("field");
            }
            xml.close("register");
        }
    }
    xml.close("addressBlock");
    for LocalArray {
        name,
        offset,
        bytes,
        length,
    } in registers::arrays(manifest)
    {
        xml.open("addressBlock");
        xml.leaf("name", &format!("{name}_memory"));
        xml.leaf("baseAddress", &format!("'h{offset:x}"));
        xml.leaf(
            "range",
            &(length * u64::from(bytes)).next_multiple_of(4).to_string(),
        );
        xml.leaf("width", "32");
        xml.leaf("usage", "memory");
        xml.close("addressBlock");
    }
    xml.leaf("addressUnitBits", "8");
    xml.close("memoryMap");
    xml.close("memoryMaps");
}

fn model(xml: &mut Xml, manifest: &BlockManifest) {
    xml.open("model");
    xml.open("views");
    xml.open("view");
    xml.leaf("name", "rtl");
    xml.leaf("componentInstantiationRef", "rtl");
    xml.close("view");
    xml.close("views");
    xml.open("instantiations");
    xml.open("componentInstantiation");
    xml.leaf("name", "rtl");
    xml.leaf("language", "systemverilog");
    xml.leaf("moduleName", &manifest.module);
    xml.open("fileSetRef");
    xml.leaf("localName", "rtl");
    xml.close("fileSetRef");
    xml.close("componentInstantiation");
    xml.close("instantiations");
    xml.open("ports");
    for (name, width, is_input) in pins(manifest) {
        xml.open("port");
        xml.leaf("name", &name);
        xml.open("wire");
        xml.leaf("direction", if is_input { "in" } else { "out" });
        if width > 1 {
            xml.open("vectors");
            xml.open("vector");
            xml.leaf("left", &(width - 1).to_string());
            xml.leaf("right", "0");
            xml.close("vector");
            xml.close("vectors");
        }
        xml.close("wire");
        xml.close("port");
    }
    xml.close("ports");
    xml.close("model");
}

/// A text of nested elements. Names and values are identifiers and numbers, so that nothing has to be escaped.
#[derive(Default)]
struct Xml {
    text: String,
    depth: usize,
}

impl Xml {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * self.depth);
    }
    fn open(&mut self, tag: &str) {
        self.line(&format!("<ipxact:{tag}>"));
        self.depth += 1;
    }
    fn close(&mut self, tag: &str) {
        self.depth -= 1;
        self.line(&format!("</ipxact:{tag}>"));
    }
    fn empty(&mut self, tag: &str) {
        self.line(&format!("<ipxact:{tag}/>"));
    }
    fn leaf(&mut self, tag: &str, value: &str) {
        self.line(&format!("<ipxact:{tag}>{value}</ipxact:{tag}>"));
    }
}
