//! The invariants of programs, checked from scratch.

use super::program::{LeafId, Place, Program, Region};
use crate::arena::Table;
use crate::hwarith::graph::Op;

impl Program {
    /// Checks every graph and every reference to a var, memory, unit or leaf.
    pub fn validate(&self) -> Result<(), String> {
        for unit in self.units.values() {
            unit.graph
                .validate()
                .map_err(|e| format!("unit {}: {e}", unit.name))?;
            let mut nodes = unit.graph.nodes.iter();
            if nodes.any(|(_, n)| matches!(n.op, Op::Div | Op::Mod)) {
                return Err(format!("unit {} divides", unit.name));
            }
        }
        for (id, leaf) in self.leaves.iter() {
            let fail = |what: String| Err(format!("leaf {}: {what}", id.index()));
            leaf.graph.validate().or_else(fail)?;
            for (node_id, node) in leaf.graph.nodes.iter() {
                let ok = match node.op {
                    Op::Var(v) => self.vars.get(v).is_some_and(|var| var.ty == node.ty),
                    Op::Call(u) => self.units.get(u).is_some(),
                    Op::Load(m) => self.mems.get(m).is_some_and(|m| m.width == node.ty.width),
                    Op::Store(m) => self
                        .mems
                        .get(m)
                        .is_some_and(|m| !matches!(m.place, Place::Rom(_))),
                    Op::Phi => leaf
                        .repeat
                        .as_ref()
                        .is_some_and(|r| r.phis.iter().any(|p| p.node == node_id)),
                    Op::Input(_) | Op::Iterate { .. } => false,
                    Op::Table(ref table) => table.is_logic(),
                    Op::Div | Op::Mod => false,
                    Op::Add => node.args.len() == 2,
                    _ => true,
                };
                if !ok {
                    return fail(format!(
                        "node %{} does not fit the program",
                        node_id.index()
                    ));
                }
            }
            for &(var, _) in &leaf.writes {
                if self.vars.get(var).is_none_or(|v| v.is_arg) {
                    return fail(format!("writes v{}", var.index()));
                }
            }
        }
        let mut seen: Table<LeafId, u32> = self.leaves.values().map(|_| 0).collect();
        count_leaves(&self.root, &mut seen);
        if seen.values().any(|&n| n != 1) {
            return Err("a leaf does not stand exactly once in the region tree".into());
        }
        Ok(())
    }
}

fn count_leaves(region: &Region, seen: &mut Table<LeafId, u32>) {
    match region {
        Region::Leaf(id) => seen[*id] += 1,
        Region::Seq(parts) => parts.iter().for_each(|p| count_leaves(p, seen)),
        Region::If {
            then, otherwise, ..
        } => {
            count_leaves(then, seen);
            count_leaves(otherwise, seen);
        }
        Region::Repeat { head, body, .. } => {
            count_leaves(head, seen);
            count_leaves(body, seen);
        }
    }
}
