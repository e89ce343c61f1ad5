//! Programs as text: `--emit hwarith`.

use super::program::{LeafId, Phi, Place, Program, Region};
use std::fmt::Write as _;

impl Program {
    /// Text of the whole program (`--emit hwarith`).
    pub fn print(&self) -> String {
        // Writing to a String cannot fail, here and below.
        let mut out = format!("kernel @{} {{\n", self.name);
        for (id, unit) in self.units.iter() {
            let _ = write!(
                out,
                "  unit u{} @{} {{\n{}  }}\n",
                id.index(),
                unit.name,
                unit.graph.print(4)
            );
        }
        for (id, mem) in self.mems.iter() {
            let place = match &mem.place {
                Place::External => "external",
                Place::Stream(_) => "stream",
                Place::Local => "local",
                Place::Rom(_) => "rom",
                Place::State(_) => "state",
            };
            let _ = writeln!(
                out,
                "  mem m{} {place} {} : {} x ui{}",
                id.index(),
                mem.name,
                mem.depth,
                mem.width
            );
        }
        for (id, var) in self.vars.iter() {
            let kind = if var.is_arg { "arg" } else { "reg" };
            let _ = writeln!(
                out,
                "  var v{} {kind} {} : {}",
                id.index(),
                var.name,
                var.ty
            );
        }
        self.print_region(&self.root, 2, &mut out);
        out.push_str("}\n");
        out
    }

    fn print_region(&self, region: &Region, indent: usize, out: &mut String) {
        match region {
            Region::Leaf(id) => self.print_leaf(*id, indent, out),
            Region::Seq(parts) => parts.iter().for_each(|p| self.print_region(p, indent, out)),
            Region::If {
                cond,
                then,
                otherwise,
            } => {
                let _ = writeln!(out, "{:indent$}if v{} {{", "", cond.index());
                self.print_region(then, indent + 2, out);
                let _ = writeln!(out, "{:indent$}}} else {{", "");
                self.print_region(otherwise, indent + 2, out);
                let _ = writeln!(out, "{:indent$}}}", "");
            }
            Region::Repeat {
                head,
                cond,
                body,
                dim,
                ..
            } => {
                let _ = writeln!(out, "{:indent$}repeat {} {{", "", dim.label);
                self.print_region(head, indent + 2, out);
                let _ = writeln!(out, "{:indent$}}} while v{} {{", "", cond.index());
                self.print_region(body, indent + 2, out);
                let _ = writeln!(out, "{:indent$}}}", "");
            }
        }
    }

    fn print_leaf(&self, id: LeafId, indent: usize, out: &mut String) {
        let leaf = &self.leaves[id];
        let kind = match &leaf.repeat {
            None => "block".to_string(),
            Some(repeat) => {
                let dims: Vec<String> = repeat
                    .dims
                    .iter()
                    .map(|d| match d.trip {
                        Some(n) => format!("{} x {n}", d.label),
                        None => d.label.clone(),
                    })
                    .collect();
                format!("loop ({})", dims.join(", "))
            }
        };
        let _ = writeln!(
            out,
            "{:indent$}leaf {} {} {kind} {{",
            "",
            id.index(),
            leaf.label
        );
        out.push_str(&leaf.graph.print(indent + 2));
        if let Some(repeat) = &leaf.repeat {
            for Phi { node, var, .. } in &repeat.phis {
                let (var, node) = (var.index(), node.index());
                let _ = writeln!(out, "{:indent$}  carry v{var} = %{node}", "");
            }
            let _ = writeln!(out, "{:indent$}  last %{}", "", repeat.last.index());
        }
        for (var, node) in &leaf.writes {
            let (var, node) = (var.index(), node.index());
            let _ = writeln!(out, "{:indent$}  write v{var} = %{node}", "");
        }
        let _ = writeln!(out, "{:indent$}}}", "");
    }
}
