//! What operations are called, and which are shown: not wires, constants, and what is there in every cycle.

use super::{Gather, Part};
use crate::hwarith::NodeId;
use crate::hwarith::graph::{Op, Predicate};
use crate::machine::program::{LeafId, Program};
use crate::report::data::Operation;

/// Operations of a pipeline that are listed.
const MOST: usize = 2_000;

/// What an operation does, in a few words.
pub fn described(program: &Program, leaf: LeafId, node: NodeId) -> String {
    let mem = |id| &program.mems[id].name;
    let word = match &program.leaves[leaf].graph.nodes[node].op {
        Op::Load(id) => return format!("load {}", mem(*id)),
        Op::Store(id) => return format!("store {}", mem(*id)),
        Op::Call(unit) => return program.units[*unit].name.clone(),
        Op::Var(var) => return format!("read {}", program.vars[*var].name),
        Op::Icmp(predicate) => return format!("compare {}", symbol(*predicate)),
        Op::Const(_) => "constant",
        Op::Input(_) => "input",
        Op::Add => "add",
        Op::Sub => "subtract",
        Op::Mul => "multiply",
        Op::Div => "divide",
        Op::Mod => "remainder",
        Op::Cast | Op::Extract { .. } | Op::Concat => "wires",
        Op::And => "and",
        Op::Or => "or",
        Op::Xor => "exclusive or",
        Op::Not => "not",
        Op::Shl => "shift left",
        Op::Shr => "shift right",
        Op::Mux => "choose",
        Op::Table(_) => "table",
        Op::Iterate { .. } => "iterate",
        Op::Phi => "carried value",
    };
    word.to_string()
}

fn symbol(predicate: Predicate) -> &'static str {
    match predicate {
        Predicate::Eq => "==",
        Predicate::Ne => "!=",
        Predicate::Lt => "<",
        Predicate::Le => "<=",
        Predicate::Gt => ">",
        Predicate::Ge => ">=",
    }
}

/// Whether an operation is only wires or a constant.
pub fn is_wiring(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(_) | Op::Cast | Op::Extract { .. } | Op::Concat | Op::Not
    )
}

impl Gather<'_> {
    /// The operations of a leaf that are shown, in the order of time, and how many there are beyond those.
    pub(super) fn operations(&self, part: &Part, leaf: LeafId) -> (Vec<Operation>, usize) {
        let graph = &part.program.leaves[leaf].graph;
        let scheduled = &part.schedule.leaves[leaf];
        let times = &scheduled.times;
        let is_shown = |id: &NodeId| {
            let op = &graph.nodes[*id].op;
            let is_alive = times.width[id.index()] > 0 || matches!(op, Op::Store(_));
            is_alive && !is_wiring(op) && !(times.stable[id.index()] && matches!(op, Op::Var(_)))
        };
        let mut shown: Vec<NodeId> = graph.nodes.ids().filter(is_shown).collect();
        shown.sort_by_key(|id| (times.start[id.index()], times.ready[id.index()], *id));
        let left_out = shown.len().saturating_sub(MOST);
        shown.truncate(MOST);
        let operations = shown.into_iter().map(|id| {
            let (node, i) = (&graph.nodes[id], id.index());
            Operation {
                what: described(part.program, leaf, id),
                name: node.name.clone(),
                place: node.span.map(|span| self.place(span)),
                bits: times.width[i],
                start: times.start[i].into(),
                ready: times.ready[i].into(),
                ns: super::rounded(times.arrival[i]),
                shared: scheduled.instances[i].map(u64::from),
            }
        });
        (operations.collect(), left_out)
    }
}
