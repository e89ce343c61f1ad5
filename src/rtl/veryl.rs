//! The netlist as Veryl source text.

use super::clean::clean;
use super::inline::Inlined;
use super::layout::*;
use super::namer::is_veryl_keyword;
use super::netlist::*;
use super::text::{Dialect, ExprText, line_of, literal};
use crate::ir::Foreign;
use num_bigint::BigUint;

/// The design, which must be valid, as Veryl 0.22 source: the same modules, nets and operations as
/// [`super::systemverilog::print`] gives.
pub fn print(design: &Design) -> String {
    let design = clean(design);
    let mut text = String::new();
    for line in &design.header {
        line_of(&mut text, 0, &comment(line));
    }
    for (_, module) in design.modules.iter() {
        if !text.is_empty() {
            text.push('\n');
        }
        Printer {
            design: &design,
            module,
            inlined: Inlined::default(),
            out: &mut text,
        }
        .module();
    }
    text
}

struct Veryl;

impl Dialect for Veryl {
    fn name(&self, name: &str) -> String {
        escaped(name)
    }
    fn mux(&self, cond: &str, on_true: &str, on_false: &str) -> String {
        format!("if {cond} ? {on_true} : {on_false}")
    }
    fn cast(&self, width: u32, value: &str) -> String {
        format!("({value} as {width})")
    }
    fn repeat(&self, count: u32, value: &str) -> String {
        format!("{{{value} repeat {count}}}")
    }
    fn less(&self) -> [&'static str; 2] {
        ["<:", ">:"]
    }
}

fn escaped(name: &str) -> String {
    match is_veryl_keyword(name) {
        true => format!("r#{name}"),
        false => name.to_string(),
    }
}

struct Printer<'a> {
    design: &'a Design,
    module: &'a Module,
    /// Nothing: each net has its line.
    inlined: Inlined<'a>,
    out: &'a mut String,
}

impl Printer<'_> {
    fn module(&mut self) {
        for text in &self.module.comments {
            self.line(0, &comment(text));
        }
        self.header();
        if let Some(foreign) = &self.module.foreign {
            return self.foreign(foreign);
        }
        self.declarations();
        let mut after_comment = false;
        for section in sections(self.module, &self.inlined) {
            if !after_comment {
                self.out.push('\n');
            }
            self.section(&section);
            after_comment = matches!(section, Section::Comment(_));
        }
        self.sink();
        self.line(0, "}");
    }

    fn header(&mut self) {
        self.line(0, &format!("module {} (", escaped(&self.module.name)));
        for port in &self.module.ports {
            let direction = match port.direction {
                Direction::Input => "input",
                Direction::Output => "output",
            };
            let kind = self.kind(port.net);
            let name = self.name(port.net);
            self.line(1, &format!("{name}: {direction} {kind},"));
        }
        self.line(0, ") {");
    }

    fn kind(&self, net: NetId) -> String {
        if self.module.clock == Some(net) {
            "clock".to_string()
        } else if self.module.reset == Some(net) {
            "reset_sync_high".to_string()
        } else {
            logic(self.module.nets[net].width)
        }
    }

    fn declarations(&mut self) {
        let mut is_port = vec![false; self.module.nets.len()];
        for port in &self.module.ports {
            is_port[port.net.index()] = true;
        }
        for net in self.module.nets.ids().filter(|net| !is_port[net.index()]) {
            let kind = logic(self.module.nets[net].width);
            self.line(1, &format!("var {}: {kind};", self.name(net)));
        }
    }

    fn section(&mut self, section: &Section<'_>) {
        match section {
            Section::Comment(text) => self.line(1, &comment(text)),
            Section::Assigns(group) => {
                for (out, expr, origin) in group {
                    let value = self.text().expr(expr, self.module.nets[*out].width);
                    let name = self.name(*out);
                    self.line(1, &format!("assign {name} = {value};{}", remark(*origin)));
                }
            }
            Section::Registers(group) => self.registers(group),
            Section::Memory(memory) => self.memory(memory),
            Section::Instance(instance) => self.instance(instance),
        }
    }

    /// All have the first one's enable, and all or none are reset.
    fn registers(&mut self, group: &[&Register]) {
        let Some(first) = group.first() else { return };
        let reset = self.module.reset.filter(|_| first.reset.is_some());
        self.always(reset);
        if reset.is_some() {
            self.line(2, "if_reset {");
            for register in group {
                let value = register.reset.clone().unwrap_or_default();
                let value = literal(self.module.nets[register.out].width, &value);
                self.line(3, &format!("{} = {value};", self.name(register.out)));
            }
        }
        let enable = first.enable.map(|net| self.name(net));
        let opening = match (reset, enable) {
            (Some(_), None) => Some("} else {".to_string()),
            (Some(_), Some(enable)) => Some(format!("}} else if {enable} {{")),
            (None, Some(enable)) => Some(format!("if {enable} {{")),
            (None, None) => None,
        };
        if let Some(opening) = &opening {
            self.line(2, opening);
        }
        let depth = if opening.is_some() { 3 } else { 2 };
        for register in group {
            let next = self.text().operand(&register.next);
            let remark = remark(register.origin.as_deref());
            let name = self.name(register.out);
            self.line(depth, &format!("{name} = {next};{remark}"));
        }
        if opening.is_some() {
            self.line(2, "}");
        }
        self.line(1, "}");
    }

    fn always(&mut self, reset: Option<NetId>) {
        let clock = self
            .module
            .clock
            .map_or(String::new(), |net| self.name(net));
        match reset {
            Some(reset) => {
                let reset = self.name(reset);
                self.line(1, &format!("always_ff ({clock}, {reset}) {{"));
            }
            None => self.line(1, &format!("always_ff ({clock}) {{")),
        }
    }

    fn memory(&mut self, memory: &Memory) {
        let name = escaped(&memory.name);
        match &memory.init {
            Some(init) if memory.writes.is_empty() => self.table(memory, init),
            _ => self.ram(memory),
        }
        if !memory.writes.is_empty() {
            self.always(None);
            for port in &memory.writes {
                let (addr, data) = (
                    self.text().operand(&port.addr),
                    self.text().operand(&port.data),
                );
                self.guarded(&port.enable, &format!("{name}[{addr}] = {data};"));
            }
            self.line(1, "}");
        }
        for port in &memory.reads {
            let addr = self.text().operand(&port.addr);
            let read = format!("{} = {name}[{addr}];", self.name(port.out));
            match &port.enable {
                None => self.line(1, &format!("assign {read}")),
                Some(enable) => {
                    self.always(None);
                    self.guarded(enable, &read);
                    self.line(1, "}");
                }
            }
        }
    }

    /// A table is a constant: Veryl has no initial block for what `always_ff` reads.
    fn table(&mut self, memory: &Memory, init: &[BigUint]) {
        let (name, kind, depth) = (escaped(&memory.name), logic(memory.width), memory.depth);
        let remark = remark(memory.origin.as_deref());
        self.line(1, &format!("const {name}: {kind} [{depth}] = '{{{remark}"));
        for value in init {
            let value = literal(memory.width, value);
            self.line(2, &format!("{value},"));
        }
        self.line(1, "};");
    }

    /// A memory that is written; its initial contents can only be given in SystemVerilog.
    fn ram(&mut self, memory: &Memory) {
        let (name, kind, depth) = (escaped(&memory.name), logic(memory.width), memory.depth);
        let remark = remark(memory.origin.as_deref());
        for attribute in memory_attributes(memory) {
            let quoted = attribute.replace('"', "\\\"");
            self.line(1, &format!("#[sv(\"{quoted}\")]"));
        }
        self.line(1, &format!("var {name}: {kind} [{depth}];{remark}"));
        let Some(init) = &memory.init else { return };
        self.line(1, "embed (inline) sv {{{");
        self.line(1, "initial begin");
        for (index, value) in init.iter().enumerate() {
            let value = literal(memory.width, value);
            self.line(2, &format!("{}[{index}] = {value};", memory.name));
        }
        self.line(1, "end");
        self.line(1, "}}}");
    }

    fn guarded(&mut self, enable: &Operand, action: &str) {
        let enable = self.text().operand(enable);
        self.line(2, &format!("if {enable} {{"));
        self.line(3, action);
        self.line(2, "}");
    }

    /// The instance of the user's module in place of the items.
    fn foreign(&mut self, foreign: &Foreign) {
        let name = &foreign.module;
        self.line(1, &format!("inst u_{name}: $sv::{name} ("));
        for (pin, net) in super::foreign::pins(self.module, foreign) {
            let net = net.as_deref().unwrap_or("_");
            self.line(2, &format!("{}: {},", escaped(&pin), escaped(net)));
        }
        self.line(1, ");");
        self.line(0, "}");
    }

    fn instance(&mut self, instance: &Instance) {
        let module = &self.design.modules[instance.module];
        let remark = remark(instance.origin.as_deref());
        let (name, kind) = (escaped(&instance.name), escaped(&module.name));
        self.line(1, &format!("inst {name}: {kind} ({remark}"));
        for (port, net) in self.design.pins(instance) {
            let pin = escaped(&module.nets[port.net].name);
            self.line(2, &format!("{pin}: {},", self.name(net)));
        }
        self.line(1, ");");
    }

    /// Reads what nothing else reads, under a name that tells linters so.
    fn sink(&mut self) {
        let unused = unused_bits(self.design, self.module, &self.inlined);
        let is_event = |net| self.module.clock == Some(net) || self.module.reset == Some(net);
        let bits: Vec<String> = unused
            .iter()
            .filter(|bits| !is_event(bits.net))
            .map(|bits| self.text().bits(bits.net, bits.lo, bits.hi - bits.lo + 1))
            .collect();
        if bits.is_empty() {
            return;
        }
        let name = free_name(self.module, "_unused");
        self.out.push('\n');
        self.line(1, "// Bits that nothing reads.");
        self.line(
            1,
            &format!("let {name}: logic = &{{1'b0, {}}};", bits.join(", ")),
        );
    }

    fn text(&self) -> ExprText<'_> {
        ExprText {
            module: self.module,
            dialect: &Veryl,
            inlined: &self.inlined,
        }
    }

    fn name(&self, net: NetId) -> String {
        escaped(&self.module.nets[net].name)
    }

    fn line(&mut self, depth: usize, line: &str) {
        line_of(self.out, depth, line);
    }
}

fn logic(width: u32) -> String {
    match width {
        1 => "logic".to_string(),
        _ => format!("logic<{width}>"),
    }
}
