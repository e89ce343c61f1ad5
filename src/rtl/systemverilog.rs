//! The netlist as SystemVerilog text.

use super::clean::clean;
use super::layout::*;
use super::netlist::*;
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

const INDENT: &str = "    ";

/// The design, which must be valid, as one self-contained file without dead parts (see [`clean`]).
///
/// Every assignment is one operation on operands of exactly its width, so that neither the sizing rules nor the
/// sign rules of the language decide a value, and linters have nothing to say.
pub fn print(design: &Design) -> String {
    let design = clean(design);
    let mut text = String::new();
    for line in &design.header {
        line_of(&mut text, 0, &comment(line));
    }
    // The user chooses the file's name.
    line_of(&mut text, 0, "/* verilator lint_off DECLFILENAME */");
    if design.modules.len() > 1 {
        // An instance may be named like a net inside it.
        line_of(&mut text, 0, "/* verilator lint_off VARHIDDEN */");
    }
    for (_, module) in design.modules.iter() {
        if !text.is_empty() {
            text.push('\n');
        }
        Printer {
            design: &design,
            module,
            text: &mut text,
        }
        .module();
    }
    text
}

/// `value` as a literal of `width` bits: decimal where that is short, else hexadecimal.
pub fn literal(width: u32, value: &BigUint) -> String {
    match value.to_u32() {
        Some(0 | 1) if width == 1 => format!("1'b{value}"),
        Some(small) if small < 1000 => format!("{width}'d{small}"),
        _ => format!("{width}'h{}", hex(width, value)),
    }
}

/// All hexadecimal digits of `width` bits, in groups of four.
fn hex(width: u32, value: &BigUint) -> String {
    let digits = width.div_ceil(4) as usize;
    let plain = format!("{value:0>digits$x}");
    let mut grouped = String::with_capacity(plain.len() + plain.len() / 4);
    for (index, digit) in plain.chars().enumerate() {
        if index > 0 && (digits - index).is_multiple_of(4) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped
}

fn line_of(text: &mut String, depth: usize, line: &str) {
    for _ in 0..depth {
        text.push_str(INDENT);
    }
    text.push_str(line);
    text.push('\n');
}

/// `[31:0]`, nothing for one bit.
fn range(width: u32) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0]", width - 1),
    }
}

struct Printer<'a> {
    design: &'a Design,
    module: &'a Module,
    text: &'a mut String,
}

impl Printer<'_> {
    fn module(&mut self) {
        for text in &self.module.comments {
            self.line(0, &comment(text));
        }
        self.header();
        self.declarations();
        for section in sections(self.module) {
            self.text.push('\n');
            self.section(&section);
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

    fn declarations(&mut self) {
        let mut is_port = vec![false; self.module.nets.len()];
        for port in &self.module.ports {
            is_port[port.net.index()] = true;
        }
        let nets: Vec<NetId> = self
            .module
            .nets
            .ids()
            .filter(|net| !is_port[net.index()])
            .collect();
        let column = self.range_column(nets.iter().copied());
        for net in nets {
            let declaration = self.declaration(net, column);
            self.line(1, &format!("{declaration};"));
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

    fn section(&mut self, section: &Section<'_>) {
        match section {
            Section::Comment(text) => self.line(1, &comment(text)),
            Section::Assigns(group) => self.assigns(group),
            Section::Registers(group) => self.registers(group),
            Section::Memory(memory) => self.memory(memory),
            Section::Instance(instance) => self.instance(instance),
        }
    }

    fn assigns(&mut self, group: &[(NetId, &Expr, Option<&str>)]) {
        for (out, expr, origin) in group {
            let value = self.expr(expr, self.width(*out));
            let line = format!("assign {} = {value};{}", self.name(*out), remark(*origin));
            self.line(1, &line);
        }
    }

    /// All have the first one's enable, and all or none are reset.
    fn registers(&mut self, group: &[&Register]) {
        let Some(first) = group.first() else { return };
        let resets = first.reset.is_some();
        self.always("always_ff");
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
            let next = self.operand(&register.next);
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
        let attributes = attributes(memory);
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
            let addr = self.operand(&port.addr);
            let data = self.operand(&port.data);
            let write = format!("{}[{addr}] <= {data};", memory.name);
            self.guarded(&port.enable, &write);
            self.line(1, "end");
        }
    }

    fn reads(&mut self, memory: &Memory) {
        self.always("always_ff");
        for port in &memory.reads {
            let addr = self.operand(&port.addr);
            let read = format!("{} <= {}[{addr}];", self.name(port.out), memory.name);
            self.guarded(&port.enable, &read);
        }
        self.line(1, "end");
    }

    fn guarded(&mut self, enable: &Operand, action: &str) {
        match enable {
            Operand::Const { value, .. } if !value.is_zero() => self.line(2, action),
            _ => {
                let enable = self.operand(enable);
                self.line(2, &format!("if ({enable}) begin"));
                self.line(3, action);
                self.line(2, "end");
            }
        }
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
            self.line(2, &format!(".{pin}({}){comma}", self.name(*net)));
        }
        self.line(1, ");");
    }

    /// Reads what nothing else reads, under a name that tells linters so.
    fn sink(&mut self) {
        let unused = unused_bits(self.design, self.module);
        if unused.is_empty() {
            return;
        }
        let name = names_of(self.module).numbered("_unused");
        self.text.push('\n');
        self.line(1, "// Bits that nothing reads.");
        self.line(1, &format!("wire {name} = &{{"));
        self.line(2, "1'b0,");
        for (index, bits) in unused.iter().enumerate() {
            let comma = if index + 1 < unused.len() { "," } else { "" };
            let bits = self.bits(bits.net, bits.lo, bits.hi - bits.lo + 1);
            self.line(2, &format!("{bits}{comma}"));
        }
        self.line(1, "};");
    }

    fn expr(&self, expr: &Expr, width: u32) -> String {
        match expr {
            Expr::Copy(value) => self.operand(value),
            Expr::Not(value) => format!("~{}", self.operand(value)),
            Expr::Binary { op, lhs, rhs } => {
                let op = binary_symbol(*op);
                format!("{} {op} {}", self.operand(lhs), self.operand(rhs))
            }
            Expr::Multiply {
                lhs,
                lhs_signed,
                rhs,
                rhs_signed,
            } => {
                let signed = *lhs_signed || *rhs_signed;
                let lhs = self.factor(lhs, *lhs_signed, signed, width);
                let rhs = self.factor(rhs, *rhs_signed, signed, width);
                format!("{lhs} * {rhs}")
            }
            Expr::Compare {
                op,
                signed,
                lhs,
                rhs,
            } => {
                let signed = *signed && !matches!(op, CompareOp::Eq | CompareOp::Ne);
                let op = compare_symbol(*op);
                let (lhs, rhs) = (self.compared(lhs, signed), self.compared(rhs, signed));
                format!("{lhs} {op} {rhs}")
            }
            Expr::Shift { op, value, amount } => self.shift(*op, value, amount, width),
            Expr::Mux {
                cond,
                on_true,
                on_false,
            } => format!(
                "{} ? {} : {}",
                self.operand(cond),
                self.operand(on_true),
                self.operand(on_false)
            ),
            Expr::Concat(parts) => match parts.as_slice() {
                [part] => self.operand(part),
                _ => {
                    let parts: Vec<String> = parts.iter().map(|p| self.operand(p)).collect();
                    format!("{{{}}}", parts.join(", "))
                }
            },
            Expr::Slice { value, lo } => self.bits(*value, *lo, width),
            Expr::Extend { value, signed } => {
                let value = self.operand(value);
                match signed {
                    true => format!("{width}'($signed({value}))"),
                    false => format!("{width}'({value})"),
                }
            }
            Expr::Reduce { op, value } => format!("{}{}", binary_symbol(*op), self.operand(value)),
        }
    }

    /// A factor in `width` bits; the product's sign matters to synthesisers only, which then need not multiply
    /// the copies of the top bit.
    fn factor(&self, value: &Operand, value_signed: bool, signed: bool, width: u32) -> String {
        let narrow = self.operand_width(value) < width;
        match value {
            Operand::Const { value, width: own } => {
                let value = match value_signed && narrow && value.bit(u64::from(own - 1)) {
                    true => value | (mask(width) ^ mask(*own)),
                    false => value & mask(width),
                };
                match signed {
                    true => signed_literal(width, &value),
                    false => literal(width, &value),
                }
            }
            Operand::Net(net) => {
                let kept = self.bits(*net, 0, width.min(self.width(*net)));
                match (narrow, value_signed, signed) {
                    (true, true, _) => format!("{width}'($signed({kept}))"),
                    (true, false, true) => format!("$signed({width}'({kept}))"),
                    (true, false, false) => format!("{width}'({kept})"),
                    (false, _, true) => format!("$signed({kept})"),
                    (false, _, false) => kept,
                }
            }
        }
    }

    fn compared(&self, value: &Operand, signed: bool) -> String {
        match value {
            Operand::Const { width, value } if signed => signed_literal(*width, value),
            Operand::Net(net) if signed => format!("$signed({})", self.name(*net)),
            _ => self.operand(value),
        }
    }

    fn shift(&self, op: ShiftOp, value: &Operand, amount: &Operand, width: u32) -> String {
        let shifted = self.operand(value);
        let (left, symbol) = match op {
            ShiftOp::Left => (shifted.clone(), "<<"),
            ShiftOp::Right => (shifted.clone(), ">>"),
            ShiftOp::RightArithmetic => (format!("$signed({shifted})"), ">>>"),
        };
        match (amount, long_amount(width, self.operand_width(amount))) {
            (Operand::Net(net), Some(bits)) => {
                let high = self.bits(*net, bits, self.width(*net) - bits);
                let low = self.bits(*net, 0, bits);
                // Both alternatives must be unsigned or signed; the fill and the shift each stand in a
                // concatenation, which is unsigned and of their own width.
                let fill = self.fill(op, value, width);
                format!("(|{high}) ? {fill} : {{{left} {symbol} {low}}}")
            }
            _ => format!("{left} {symbol} {}", self.operand(amount)),
        }
    }

    /// `width` copies of what a shift brings in.
    fn fill(&self, op: ShiftOp, value: &Operand, width: u32) -> String {
        match (op, value) {
            (ShiftOp::RightArithmetic, Operand::Net(net)) => {
                format!("{{{width}{{{}}}}}", self.bits(*net, width - 1, 1))
            }
            (ShiftOp::RightArithmetic, Operand::Const { value, .. })
                if value.bit(u64::from(width - 1)) =>
            {
                literal(width, &mask(width))
            }
            _ => literal(width, &BigUint::default()),
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Net(net) => self.name(*net).to_string(),
            Operand::Const { width, value } => literal(*width, value),
        }
    }

    /// Bits `lo .. lo + width` of a net; a net of one bit has no select.
    fn bits(&self, net: NetId, lo: u32, width: u32) -> String {
        let name = self.name(net);
        match width {
            _ if width == self.width(net) => name.to_string(),
            1 => format!("{name}[{lo}]"),
            _ => format!("{name}[{}:{lo}]", lo + width - 1),
        }
    }

    fn name(&self, net: NetId) -> &str {
        &self.module.nets[net].name
    }

    fn width(&self, net: NetId) -> u32 {
        self.module.nets[net].width
    }

    fn operand_width(&self, operand: &Operand) -> u32 {
        self.module.operand_width(operand)
    }

    fn line(&mut self, depth: usize, line: &str) {
        line_of(self.text, depth, line);
    }
}

/// What synthesisers should know of a memory. Yosys fails where it cannot follow a style, so only a style that
/// the ports allow is given; without `no_rw_check` it builds logic for reads of words just written.
fn attributes(memory: &Memory) -> Vec<&'static str> {
    let is_rom = memory.writes.is_empty();
    let mut attributes = match memory.style {
        MemoryStyle::Block if is_rom => vec!["rom_style = \"block\""],
        MemoryStyle::Distributed if is_rom => vec!["rom_style = \"distributed\""],
        MemoryStyle::Block if fits_block(memory) => vec!["ram_style = \"block\""],
        MemoryStyle::Distributed if memory.writes.len() == 1 => {
            vec!["ram_style = \"distributed\""]
        }
        _ => Vec::new(),
    };
    if !is_rom {
        attributes.push("no_rw_check");
    }
    attributes
}

/// Whether the accesses fit a block memory: one write port and any reads (of copies), or two ports of one address
/// each.
fn fits_block(memory: &Memory) -> bool {
    match memory.writes.as_slice() {
        [_, _] => {
            let mut free: Vec<&Operand> = memory.writes.iter().map(|port| &port.addr).collect();
            memory.reads.iter().all(|read| {
                let port = free.iter().position(|addr| **addr == read.addr);
                port.map(|port| free.swap_remove(port)).is_some()
            })
        }
        _ => true,
    }
}

fn remark(origin: Option<&str>) -> String {
    origin.map_or(String::new(), |origin| format!("  {}", comment(origin)))
}

fn signed_literal(width: u32, value: &BigUint) -> String {
    match value.to_u32() {
        Some(small) if small < 1000 && !value.bit(u64::from(width - 1)) => {
            format!("{width}'sd{small}")
        }
        _ => format!("{width}'sh{}", hex(width, value)),
    }
}

fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}

fn compare_symbol(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}
