//! The netlist as SystemVerilog text.

use super::clean::clean;
use super::inline::Inlined;
use super::layout::*;
use super::netlist::*;
use super::stages::staged;
use super::text::{Dialect, ExprText, line_of, literal};
use crate::ir::Foreign;
use num_traits::Zero;

/// The design, which must be valid, as one self-contained file without dead parts (see [`clean`]).
///
/// Every assignment is one operation on operands of exactly its width, so that neither the sizing rules nor the
/// sign rules of the language decide a value, and linters have nothing to say.
pub fn print(design: &Design) -> String {
    let mut design = clean(design);
    design.modules.values_mut().for_each(staged);
    let mut text = String::new();
    for line in &design.header {
        line_of(&mut text, 0, &comment(line));
    }
    // The user chooses the file's name.
    line_of(&mut text, 0, "/* verilator lint_off DECLFILENAME */");
    if design
        .modules
        .iter()
        .any(|(_, module)| has_interrupt(module))
    {
        // The name is the one that users expect.
        line_of(&mut text, 0, "/* verilator lint_off SYMRSVDWORD */");
    }
    if design
        .modules
        .iter()
        .any(|(_, module)| has_doubtful_comparison(module))
    {
        // Verilator sees through assignments to constants and widths.
        line_of(&mut text, 0, "/* verilator lint_off CMPCONST */");
        line_of(&mut text, 0, "/* verilator lint_off UNSIGNED */");
    }
    for (_, module) in design.modules.iter() {
        text.push('\n');
        Printer {
            design: &design,
            module,
            inlined: Inlined::of(&design, module),
            out: &mut text,
        }
        .module();
    }
    text
}

/// `[31:0]`, nothing for one bit.
fn range(width: u32) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0]", width - 1),
    }
}

struct SystemVerilog;

impl Dialect for SystemVerilog {
    fn name(&self, name: &str) -> String {
        name.to_string()
    }
    fn mux(&self, cond: &str, on_true: &str, on_false: &str) -> String {
        format!("{cond} ? {on_true} : {on_false}")
    }
    fn cast(&self, width: u32, value: &str) -> String {
        format!("{width}'({value})")
    }
    fn repeat(&self, count: u32, value: &str) -> String {
        format!("{{{count}{{{value}}}}}")
    }
    fn less(&self) -> [&'static str; 2] {
        ["<", ">"]
    }
}

struct Printer<'a> {
    design: &'a Design,
    module: &'a Module,
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
        let sections = sections(self.module, &self.inlined);
        let mut declared = self.read_ahead(&sections);
        let ahead = self.module.nets.ids().filter(|net| declared[net.index()]);
        let ahead: Vec<NetId> = ahead.collect();
        self.declare(&ahead);
        for port in &self.module.ports {
            declared[port.net.index()] = true;
        }
        let mut after_comment = ahead.is_empty();
        for section in sections {
            if !after_comment {
                self.out.push('\n');
            }
            self.section(&section, &declared);
            after_comment = matches!(section, Section::Comment(_));
        }
        self.sink();
        self.line(0, "endmodule");
    }

    fn header(&mut self) {
        let ports = &self.module.ports;
        if ports.is_empty() {
            self.line(0, &format!("module {};", self.module.name));
            return;
        }
        self.line(0, &format!("module {} (", self.module.name));
        let column = self.range_column(ports.iter().map(|port| port.net));
        for (index, port) in ports.iter().enumerate() {
            let direction = match port.direction {
                Direction::Input => "input ",
                Direction::Output => "output",
            };
            let declaration = self.declaration(port.net, column);
            let comma = if index + 1 < ports.len() { "," } else { "" };
            self.line(1, &format!("{direction} {declaration}{comma}"));
        }
        self.line(0, ");");
    }

    /// By net: whether a line before the one that drives it reads it.
    fn read_ahead(&self, sections: &[Section<'_>]) -> Vec<bool> {
        let count = self.module.nets.len();
        let (mut ahead, mut known) = (vec![false; count], vec![false; count]);
        for port in &self.module.ports {
            known[port.net.index()] = true;
        }
        for section in sections {
            for (driven, read) in self.lines(section) {
                // What a line drives it declares, and may read.
                driven.iter().for_each(|net| known[net.index()] = true);
                let mut names = Vec::new();
                read.iter()
                    .for_each(|&net| self.inlined.names(net, &mut names));
                for name in names {
                    ahead[name.index()] |= !known[name.index()];
                }
            }
        }
        ahead
    }

    /// The nets that each line of a section drives and reads.
    fn lines(&self, section: &Section<'_>) -> Vec<(Vec<NetId>, Vec<NetId>)> {
        let nets = |operand: &Operand| operand.net();
        match section {
            Section::Comment(_) => Vec::new(),
            Section::Assigns(group) => {
                let line = |(out, expr, _): &(NetId, &Expr, _)| {
                    let read = expr.operands().iter().filter_map(nets).collect();
                    (vec![*out], read)
                };
                group.iter().map(line).collect()
            }
            Section::Registers(group) => {
                let read = group
                    .iter()
                    .flat_map(|r| r.next.net().into_iter().chain(r.enable));
                vec![(group.iter().map(|r| r.out).collect(), read.collect())]
            }
            Section::Memory(memory) => {
                let driven = memory.reads.iter().map(|read| read.out);
                vec![(driven.collect(), memory.read_nets())]
            }
            Section::Instance(instance) => {
                let connected = |direction| self.design.connected(instance, direction);
                vec![(connected(Direction::Output), connected(Direction::Input))]
            }
        }
    }

    /// Declares those of the nets that are not declared yet.
    fn declare_new(&mut self, nets: impl Iterator<Item = NetId>, declared: &[bool]) {
        let new: Vec<NetId> = nets.filter(|net| !declared[net.index()]).collect();
        self.declare(&new);
    }

    /// Declarations, several nets of a width in a line.
    fn declare(&mut self, nets: &[NetId]) {
        const COLUMNS: usize = 100;
        let mut by_width: Vec<(u32, Vec<&str>)> = Vec::new();
        for &net in nets {
            let Net { name, width, .. } = &self.module.nets[net];
            match by_width.iter_mut().find(|(known, _)| known == width) {
                Some((_, names)) => names.push(name),
                None => by_width.push((*width, vec![name])),
            }
        }
        for (width, names) in by_width {
            let head = match range(width) {
                range if range.is_empty() => "logic ".to_string(),
                range => format!("logic {range} "),
            };
            let mut line = format!("{head}{}", names[0]);
            for name in &names[1..] {
                if line.len() + name.len() + 3 > COLUMNS {
                    line_of(self.out, 1, &format!("{line};"));
                    line = format!("{head}{name}");
                } else {
                    line = format!("{line}, {name}");
                }
            }
            line_of(self.out, 1, &format!("{line};"));
        }
    }

    fn range_column(&self, nets: impl Iterator<Item = NetId>) -> usize {
        nets.map(|net| range(self.width(net)).len())
            .max()
            .unwrap_or(0)
    }

    fn declaration(&self, net: NetId, column: usize) -> String {
        let range = range(self.width(net));
        let gap = if column > 0 { " " } else { "" };
        format!("logic{gap}{range:<column$} {}", self.name(net))
    }

    fn section(&mut self, section: &Section<'_>, declared: &[bool]) {
        match section {
            Section::Comment(text) => self.line(1, &comment(text)),
            Section::Assigns(group) => self.assigns(group, declared),
            Section::Registers(group) => {
                self.declare_new(group.iter().map(|register| register.out), declared);
                self.registers(group);
            }
            Section::Memory(memory) => {
                self.declare_new(memory.reads.iter().map(|read| read.out), declared);
                self.memory(memory);
            }
            Section::Instance(instance) => {
                let pins = self.design.pins(instance).into_iter();
                let outputs = pins.filter(|(port, _)| port.direction == Direction::Output);
                self.declare_new(outputs.map(|(_, net)| net), declared);
                self.instance(instance);
            }
        }
    }

    /// A net that nothing above reads is declared where it is driven.
    fn assigns(&mut self, group: &[(NetId, &Expr, Option<&str>)], declared: &[bool]) {
        let lines = group.iter().map(|(out, expr, origin)| {
            let head = match declared[out.index()] {
                true => "assign".to_string(),
                false => match range(self.width(*out)) {
                    range if range.is_empty() => "wire".to_string(),
                    range => format!("wire {range}"),
                },
            };
            let value = self.text().expr(expr, self.width(*out));
            format!("{head} {} = {value};{}", self.name(*out), remark(*origin))
        });
        let lines: Vec<String> = lines.collect();
        lines.iter().for_each(|line| self.line(1, line));
    }

    /// All have the first one's enable, and all or none are reset.
    fn registers(&mut self, group: &[&Register]) {
        let Some(first) = group.first() else { return };
        let resets = first.reset.is_some();
        // Yosys takes the attribute of the process for that of its registers.
        self.always(match self.module.replicas.contains(&first.out) {
            true => "(* keep *) always_ff",
            false => "always_ff",
        });
        if let (true, Some(reset)) = (resets, self.module.reset) {
            self.line(2, &format!("if ({}) begin", self.name(reset)));
            for register in group {
                let value = register.reset.clone().unwrap_or_default();
                let value = literal(self.width(register.out), &value);
                self.line(3, &format!("{} <= {value};", self.name(register.out)));
            }
        }
        let depth = match (resets, first.enable) {
            (true, None) => self.open(2, "end else begin"),
            (true, Some(enable)) => {
                self.open(2, &format!("end else if ({}) begin", self.name(enable)))
            }
            (false, Some(enable)) => self.open(2, &format!("if ({}) begin", self.name(enable))),
            (false, None) => 2,
        };
        for register in group {
            let next = self.text().whole(&register.next);
            let remark = remark(register.origin.as_deref());
            let line = format!("{} <= {next};{remark}", self.name(register.out));
            self.line(depth, &line);
        }
        if depth > 2 {
            self.line(2, "end");
        }
        self.line(1, "end");
    }

    fn open(&mut self, depth: usize, line: &str) -> usize {
        self.line(depth, line);
        depth + 1
    }

    fn always(&mut self, kind: &str) {
        let clock = self.module.clock.map_or("", |net| self.name(net));
        let line = format!("{kind} @(posedge {clock}) begin");
        self.line(1, &line);
    }

    fn memory(&mut self, memory: &Memory) {
        let attributes = memory_attributes(memory);
        if !attributes.is_empty() {
            self.line(1, &format!("(* {} *)", attributes.join(", ")));
        }
        let range = match range(memory.width) {
            range if range.is_empty() => range,
            range => format!("{range} "),
        };
        let name = &memory.name;
        let remark = remark(memory.origin.as_deref());
        let last = memory.depth - 1;
        self.line(1, &format!("logic {range}{name} [0:{last}];{remark}"));
        self.initial(memory);
        self.writes(memory);
        self.reads(memory);
    }

    fn initial(&mut self, memory: &Memory) {
        let Some(init) = &memory.init else { return };
        self.line(1, "initial begin");
        for (index, value) in init.iter().enumerate() {
            let value = literal(memory.width, value);
            self.line(2, &format!("{}[{index}] = {value};", memory.name));
        }
        self.line(1, "end");
    }

    /// `always_ff` claims to be the only writer, so memories with initial contents or two write ports do with
    /// `always`; one block a port leaves the ports without priority, as block memories have them.
    fn writes(&mut self, memory: &Memory) {
        let alone = memory.init.is_none() && memory.writes.len() == 1;
        for port in &memory.writes {
            self.always(if alone { "always_ff" } else { "always" });
            let addr = self.text().operand(&port.addr);
            let data = self.text().operand(&port.data);
            let write = format!("{}[{addr}] <= {data};", memory.name);
            self.guarded(&port.enable, &write);
            self.line(1, "end");
        }
    }

    fn reads(&mut self, memory: &Memory) {
        let mut clocked = Vec::new();
        for port in &memory.reads {
            let (out, addr) = (self.name(port.out), self.text().operand(&port.addr));
            let word = format!("{}[{addr}];", memory.name);
            match &port.enable {
                Some(enable) => clocked.push((enable, format!("{out} <= {word}"))),
                None => self.line(1, &format!("assign {out} = {word}")),
            }
        }
        if clocked.is_empty() {
            return;
        }
        self.always("always_ff");
        for (enable, read) in clocked {
            self.guarded(enable, &read);
        }
        self.line(1, "end");
    }

    fn guarded(&mut self, enable: &Operand, action: &str) {
        match enable {
            Operand::Const { value, .. } if !value.is_zero() => self.line(2, action),
            _ => {
                let enable = self.text().operand(enable);
                self.line(2, &format!("if ({enable}) begin"));
                self.line(3, action);
                self.line(2, "end");
            }
        }
    }

    /// The instance of the user's module in place of the items.
    fn foreign(&mut self, foreign: &Foreign) {
        self.line(1, &format!("{} u_{} (", foreign.module, foreign.module));
        let pins = super::foreign::pins(self.module, foreign);
        for (index, (pin, net)) in pins.iter().enumerate() {
            let comma = if index + 1 < pins.len() { "," } else { "" };
            let net = net.as_deref().unwrap_or_default();
            self.line(2, &format!(".{pin}({net}){comma}"));
        }
        self.line(1, ");");
        self.line(0, "endmodule");
    }

    fn instance(&mut self, instance: &Instance) {
        let module = &self.design.modules[instance.module];
        let remark = remark(instance.origin.as_deref());
        let pins = self.design.pins(instance);
        if pins.is_empty() {
            self.line(1, &format!("{} {}();{remark}", module.name, instance.name));
            return;
        }
        self.line(1, &format!("{} {} ({remark}", module.name, instance.name));
        for (index, (port, net)) in pins.iter().enumerate() {
            let comma = if index + 1 < pins.len() { "," } else { "" };
            let pin = &module.nets[port.net].name;
            let net = self.text().whole(&Operand::Net(*net));
            self.line(2, &format!(".{pin}({net}){comma}"));
        }
        self.line(1, ");");
    }

    /// Reads what nothing else reads, under a name that tells linters so.
    fn sink(&mut self) {
        let unused = unused_bits(self.design, self.module, &self.inlined);
        if unused.is_empty() {
            return;
        }
        let name = free_name(self.module, "_unused");
        self.out.push('\n');
        self.line(1, "// Bits that nothing reads.");
        self.line(1, &format!("wire {name} = &{{"));
        self.line(2, "1'b0,");
        for (index, bits) in unused.iter().enumerate() {
            let comma = if index + 1 < unused.len() { "," } else { "" };
            let bits = self.text().bits(bits.net, bits.lo, bits.hi - bits.lo + 1);
            self.line(2, &format!("{bits}{comma}"));
        }
        self.line(1, "};");
    }

    fn text(&self) -> ExprText<'_> {
        ExprText {
            module: self.module,
            dialect: &SystemVerilog,
            inlined: &self.inlined,
        }
    }

    fn name(&self, net: NetId) -> &str {
        &self.module.nets[net].name
    }

    fn width(&self, net: NetId) -> u32 {
        self.module.nets[net].width
    }

    fn line(&mut self, depth: usize, line: &str) {
        line_of(self.out, depth, line);
    }
}

/// Whether a port has the name that is also one of C++.
fn has_interrupt(module: &Module) -> bool {
    let mut ports = module.ports.iter();
    ports.any(|port| module.nets[port.net].name == "interrupt")
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    /// An accumulator with a table of weights.
    fn design() -> Design {
        let mut module = Module {
            name: "accumulate".to_string(),
            comments: vec!["verilator may not take this for a directive".to_string()],
            ..Module::default()
        };
        module.clock = Some(module.port(Direction::Input, "ap_clk", 1));
        module.reset = Some(module.port(Direction::Input, "ap_rst", 1));
        let valid = module.port(Direction::Input, "valid", 1);
        let step = module.port(Direction::Input, "step", 6);
        let sum = module.port(Direction::Output, "sum", 16);
        let weight = module.net("weight", 8);
        let unused = module.net("dead", 8);
        let (wide, next, addr) = (
            module.net("wide", 16),
            module.net("next", 16),
            module.net("addr", 2),
        );
        module.items.push(Item::Comment("weights".to_string()));
        module.items.push(Item::Assign {
            out: addr,
            expr: Expr::Slice { value: step, lo: 1 },
            origin: Some("k.py:3".into()),
        });
        module.items.push(Item::Memory(Memory {
            name: "weights".to_string(),
            width: 8,
            depth: 3,
            init: Some([1u32, 0xff, 20].map(BigUint::from).to_vec()),
            style: MemoryStyle::Distributed,
            writes: Vec::new(),
            reads: vec![ReadPort {
                enable: Some(valid.into()),
                addr: addr.into(),
                out: weight,
            }],
            origin: Some("k.py:1".into()),
        }));
        module.items.push(Item::Comment("sum".to_string()));
        module.nets[wide].named = false;
        for (out, expr) in [
            (unused, Expr::Not(weight.into())),
            (
                wide,
                Expr::Extend {
                    value: weight.into(),
                    signed: true,
                },
            ),
            (
                next,
                Expr::Binary {
                    op: BinaryOp::Add,
                    lhs: sum.into(),
                    rhs: wide.into(),
                },
            ),
        ] {
            module.items.push(Item::Assign {
                out,
                expr,
                origin: None,
            });
        }
        module.items.push(Item::Register(Register {
            out: sum,
            next: next.into(),
            enable: Some(valid),
            reset: Some(BigUint::from(0x8000u32)),
            origin: Some("k.py:4".into()),
        }));
        let mut design = Design::default();
        design.header.push("An example.".to_string());
        design.modules.push(module);
        design
    }

    #[test]
    fn prints_a_module() {
        assert_eq!(super::super::validate::validate(&design()), Ok(()));
        let expected = r#"
// An example.
/* verilator lint_off DECLFILENAME */

// - verilator may not take this for a directive
module accumulate (
    input  logic        ap_clk,
    input  logic        ap_rst,
    input  logic        valid,
    input  logic [5:0]  step,
    output logic [15:0] sum
);
    // weights
    wire [1:0] addr = step[2:1];  // k.py:3

    logic [7:0] weight;
    (* syn_romstyle = "logic" *)
    logic [7:0] weights [0:2];  // k.py:1
    initial begin
        weights[0] = 8'd1;
        weights[1] = 8'd255;
        weights[2] = 8'd20;
    end
    always_ff @(posedge ap_clk) begin
        if (valid) begin
            weight <= weights[addr];
        end
    end

    // sum
    wire [15:0] next = sum + 16'($signed(weight));

    always_ff @(posedge ap_clk) begin
        if (ap_rst) begin
            sum <= 16'h8000;
        end else if (valid) begin
            sum <= next;  // k.py:4
        end
    end

    // Bits that nothing reads.
    wire _unused = &{
        1'b0,
        step[0],
        step[5:3]
    };
endmodule
"#;
        assert_eq!(print(&design()), expected.trim_start());
    }
}
