//! The netlist as text, one item a line (`--emit rtl`): what the other printers make their languages of.
//!
//! `%name : width = operation operands` is combinational, `reg %name : width <= next when enable reset
//! value` a register; a constant is `value'width`.

use super::netlist::*;
use std::fmt::Write as _;

/// The design as text, modules in order.
pub fn print(design: &Design) -> String {
    let mut out = String::new();
    for line in &design.header {
        comment(&mut out, line);
    }
    for (_, module) in design.modules.iter() {
        if !out.is_empty() {
            out.push('\n');
        }
        let mut printer = Printer {
            design,
            module,
            out: &mut out,
        };
        printer.module();
    }
    out
}

fn comment(out: &mut String, line: &str) {
    out.push_str(format!("// {line}").trim_end());
    out.push('\n');
}

struct Printer<'a> {
    design: &'a Design,
    module: &'a Module,
    out: &'a mut String,
}

impl Printer<'_> {
    fn module(&mut self) {
        let module = self.module;
        for line in &module.comments {
            comment(self.out, line);
        }
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(self.out, "module @{} {{", module.name);
        for port in &module.ports {
            let direction = match port.direction {
                Direction::Input => "input",
                Direction::Output => "output",
            };
            let role = self.role(port.net);
            self.line(&format!("{direction} {}{role}", self.typed(port.net)), None);
        }
        for item in &module.items {
            self.item(item);
        }
        self.out.push_str("}\n");
    }

    fn role(&self, net: NetId) -> &'static str {
        if self.module.clock == Some(net) {
            " clock"
        } else if self.module.reset == Some(net) {
            " reset"
        } else {
            ""
        }
    }

    fn line(&mut self, text: &str, origin: Option<&Origin>) {
        let _ = match origin {
            Some(origin) => writeln!(self.out, "  {text}  // {origin}"),
            None => writeln!(self.out, "  {text}"),
        };
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Comment(text) => self.line(format!("// {text}").trim_end(), None),
            Item::Assign { out, expr, origin } => {
                let text = format!("{} = {}", self.typed(*out), self.expr(expr));
                self.line(&text, origin.as_ref());
            }
            Item::Register(register) => self.register(register),
            Item::Memory(memory) => self.memory(memory),
            Item::Instance(instance) => self.instance(instance),
        }
    }

    fn register(&mut self, register: &Register) {
        let mut text = format!(
            "reg {} <= {}",
            self.typed(register.out),
            self.operand(&register.next)
        );
        if let Some(enable) = register.enable {
            let _ = write!(text, " when {}", self.net(enable));
        }
        if let Some(value) = &register.reset {
            let _ = write!(text, " reset {value}");
        }
        self.line(&text, register.origin.as_ref());
    }

    fn memory(&mut self, memory: &Memory) {
        let style = match memory.style {
            MemoryStyle::Auto => "",
            MemoryStyle::Distributed => " distributed",
            MemoryStyle::Block => " block",
        };
        let kind = if memory.writes.is_empty() {
            "rom"
        } else {
            "memory"
        };
        let mut text = format!(
            "{kind} {} : {} x {}{style}",
            memory.name, memory.depth, memory.width
        );
        if let Some(words) = &memory.init {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let _ = write!(text, " = [{}]", words.join(", "));
        }
        self.line(&text, memory.origin.as_ref());
        for write in &memory.writes {
            let text = format!(
                "  {}[{}] <= {} when {}",
                memory.name,
                self.operand(&write.addr),
                self.operand(&write.data),
                self.operand(&write.enable)
            );
            self.line(&text, None);
        }
        for read in &memory.reads {
            let (out, addr) = (self.typed(read.out), self.operand(&read.addr));
            let name = &memory.name;
            let text = match &read.enable {
                Some(enable) => format!("  {out} <= {name}[{addr}] when {}", self.operand(enable)),
                None => format!("  {out} = {name}[{addr}]"),
            };
            self.line(&text, None);
        }
    }

    fn instance(&mut self, instance: &Instance) {
        let inner = &self.design.modules[instance.module];
        let pins: Vec<String> = self
            .design
            .pins(instance)
            .into_iter()
            .map(|(port, net)| {
                let arrow = match port.direction {
                    Direction::Input => "<-",
                    Direction::Output => "->",
                };
                format!("{} {arrow} {}", inner.nets[port.net].name, self.net(net))
            })
            .collect();
        let text = format!(
            "instance {} of @{} ({})",
            instance.name,
            inner.name,
            pins.join(", ")
        );
        self.line(&text, instance.origin.as_ref());
    }

    fn net(&self, net: NetId) -> String {
        format!("%{}", self.module.nets[net].name)
    }

    fn typed(&self, net: NetId) -> String {
        format!("{} : {}", self.net(net), self.module.nets[net].width)
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Net(net) => self.net(*net),
            Operand::Const { width, value } => format!("{value}'{width}"),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        let operands: Vec<String> = expr.operands().iter().map(|o| self.operand(o)).collect();
        let operands = operands.join(", ");
        match expr {
            Expr::Copy(_) => operands,
            Expr::Slice { lo, .. } => format!("slice {operands} from {lo}"),
            _ => format!("{} {operands}", operation(expr)),
        }
    }
}

fn operation(expr: &Expr) -> String {
    let signed = |yes: &bool| if *yes { "signed" } else { "unsigned" };
    match expr {
        Expr::Copy(_) => "copy".into(),
        Expr::Not(_) => "not".into(),
        Expr::Binary { op, .. } => binary(*op).into(),
        Expr::Multiply {
            lhs_signed,
            rhs_signed,
            ..
        } => format!("mul {} {}", signed(lhs_signed), signed(rhs_signed)),
        Expr::Compare {
            op, signed: sign, ..
        } => match op {
            CompareOp::Eq => "eq".into(),
            CompareOp::Ne => "ne".into(),
            CompareOp::Lt => format!("lt {}", signed(sign)),
            CompareOp::Le => format!("le {}", signed(sign)),
            CompareOp::Gt => format!("gt {}", signed(sign)),
            CompareOp::Ge => format!("ge {}", signed(sign)),
        },
        Expr::Shift { op, .. } => match op {
            ShiftOp::Left => "shl".into(),
            ShiftOp::Right => "shr unsigned".into(),
            ShiftOp::RightArithmetic => "shr signed".into(),
        },
        Expr::Mux { .. } => "mux".into(),
        Expr::Concat(_) => "concat".into(),
        Expr::Slice { .. } => "slice".into(),
        Expr::Extend { signed: sign, .. } => format!("extend {}", signed(sign)),
        Expr::Reduce { op, .. } => format!("reduce {}", binary(*op)),
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assign(module: &mut Module, name: &str, width: u32, expr: Expr) -> NetId {
        let out = module.net(name, width);
        module.items.push(Item::Assign {
            out,
            expr,
            origin: Some("k.py:3".into()),
        });
        out
    }

    /// An accumulator with a look-up table, and a module around it.
    fn design() -> Design {
        let mut inner = Module {
            name: "acc".into(),
            comments: vec!["Sums table entries.".into()],
            ..Module::default()
        };
        inner.clock = Some(inner.port(Direction::Input, "clk", 1));
        inner.reset = Some(inner.port(Direction::Input, "rst", 1));
        let at = inner.port(Direction::Input, "at", 2);
        let go = inner.port(Direction::Input, "go", 1);
        let sum = inner.port(Direction::Output, "sum", 8);
        let word = inner.net("word", 4);
        inner.items.push(Item::Memory(Memory {
            name: "table".into(),
            width: 4,
            depth: 3,
            init: Some([3u32, 1, 15].map(Into::into).to_vec()),
            style: MemoryStyle::Distributed,
            writes: vec![],
            reads: vec![ReadPort {
                enable: Some(Operand::constant(1, 1u32)),
                addr: at.into(),
                out: word,
            }],
            origin: None,
        }));
        inner.items.push(Item::Comment("Stage 1".into()));
        let extend = Expr::Extend {
            value: word.into(),
            signed: true,
        };
        let wide = assign(&mut inner, "wide", 8, extend);
        let add = Expr::Binary {
            op: BinaryOp::Add,
            lhs: sum.into(),
            rhs: wide.into(),
        };
        let next = assign(&mut inner, "next", 8, add);
        let less = Expr::Compare {
            op: CompareOp::Lt,
            signed: true,
            lhs: next.into(),
            rhs: Operand::constant(8, 100u32),
        };
        assign(&mut inner, "small", 1, less);
        let slice = Expr::Slice { value: next, lo: 4 };
        assign(&mut inner, "top", 4, slice);
        inner.items.push(Item::Register(Register {
            out: sum,
            next: next.into(),
            enable: Some(go),
            reset: Some(0u32.into()),
            origin: Some("k.py:4".into()),
        }));
        let mut design = Design {
            header: vec!["Made for a test.".into()],
            ..Design::default()
        };
        let module = design.modules.push(inner);
        let mut outer = Module {
            name: "top".into(),
            ..Module::default()
        };
        let widths = [("clk", 1), ("rst", 1), ("at", 2), ("go", 1), ("sum", 8)];
        let connections = widths.map(|(name, width)| outer.net(name, width)).to_vec();
        outer.items.push(Item::Instance(Instance {
            module,
            name: "u0".into(),
            connections,
            origin: None,
        }));
        design.modules.push(outer);
        design
    }

    #[test]
    fn one_line_an_item() {
        assert_eq!(
            print(&design()),
            "\
// Made for a test.

// Sums table entries.
module @acc {
  input %clk : 1 clock
  input %rst : 1 reset
  input %at : 2
  input %go : 1
  output %sum : 8
  rom table : 3 x 4 distributed = [3, 1, 15]
    %word : 4 <= table[%at] when 1'1
  // Stage 1
  %wide : 8 = extend signed %word  // k.py:3
  %next : 8 = add %sum, %wide  // k.py:3
  %small : 1 = lt signed %next, 100'8  // k.py:3
  %top : 4 = slice %next from 4  // k.py:3
  reg %sum : 8 <= %next when %go reset 0  // k.py:4
}

module @top {
  instance u0 of @acc (clk <- %clk, rst <- %rst, at <- %at, go <- %go, sum -> %sum)
}
"
        );
    }
}
