//! What keeps the interval of a loop from being lower, with the operations or accesses that do.

use super::operations::{described, is_wiring};
use super::{Gather, Part, rounded};
use crate::hwarith::graph::MemId;
use crate::machine::program::{Access, LeafId};
use crate::report::data::{self, Bound, ChainStep, PortBound};
use crate::schedule::bound::Bound as Why;
use crate::schedule::critical::{self, Chain};
use std::collections::BTreeMap;

impl Gather<'_> {
    pub(super) fn bound(&self, part: &Part, leaf: LeafId) -> Option<Bound> {
        let why = &part.schedule.leaves[leaf].bound_by;
        let kind = match why {
            Why::Nothing => return None,
            Why::Rate => "rate",
            Why::Directive => "directive",
            Why::Port(_) => "port",
            Why::Operator(_) => "operator",
            Why::Recurrence(_) => "recurrence",
            Why::Control => "control",
        };
        let chain = match why {
            Why::Recurrence(_) => {
                let device = &self.build.target.device;
                critical::recurrence(part.program, leaf, part.schedule, device)
            }
            Why::Control => critical::end(part.program, leaf, part.schedule),
            _ => None,
        };
        let cycles = chain.as_ref().map_or(0, |chain| chain.cycles.into());
        let distance = chain.as_ref().map_or(0, |chain| chain.distance);
        Some(Bound {
            kind: kind.into(),
            text: why.to_string(),
            chain: chain.map_or(Vec::new(), |chain| self.steps(part, leaf, &chain)),
            chain_cycles: cycles,
            distance,
            ports: match why {
                Why::Port(memory) => self.port_bound(part, leaf, memory),
                _ => None,
            },
        })
    }

    /// The operations of a chain, without wires between them.
    fn steps(&self, part: &Part, leaf: LeafId, chain: &Chain) -> Vec<ChainStep> {
        let graph = &part.program.leaves[leaf].graph;
        let steps = chain.steps.iter();
        let steps = steps.filter(|step| !is_wiring(&graph.nodes[step.node].op));
        let steps = steps.map(|step| {
            let node = &graph.nodes[step.node];
            let what = described(part.program, leaf, step.node);
            ChainStep {
                what: match &node.name {
                    Some(name) => format!("{what} ({name})"),
                    None => what,
                },
                place: node.span.map(|span| self.place(span)),
                start: step.start.into(),
                ready: step.ready.into(),
                ns: rounded(step.arrival),
            }
        });
        steps.collect()
    }

    /// The ports of one sort, of a memory of that name, that accesses need most.
    fn port_bound(&self, part: &Part, leaf: LeafId, memory: &str) -> Option<PortBound> {
        let accesses = part.program.leaves[leaf].accesses.iter().enumerate();
        let mut sorts: BTreeMap<(MemId, &str), Vec<(usize, &Access)>> = BTreeMap::new();
        for (at, access) in accesses {
            let mem = &part.program.mems[access.mem];
            if mem.name == memory {
                let sort = match (mem.place.is_outside(), access.is_store) {
                    (true, _) => "read or write",
                    (false, true) => "write",
                    (false, false) => "read",
                };
                sorts
                    .entry((access.mem, sort))
                    .or_default()
                    .push((at, access));
            }
        }
        let ports = |(mem, sort): &(MemId, &str)| match *sort {
            "write" => 1,
            _ => u64::from(part.program.mems[*mem].ports.max(1)),
        };
        let (key, uses) = sorts
            .iter()
            .max_by_key(|(key, uses)| (uses.len() as u64).div_ceil(ports(key)))?;
        Some(PortBound {
            memory: memory.to_string(),
            sort: key.1.to_string(),
            ports: ports(key),
            accesses: uses
                .iter()
                .map(|(at, access)| self.access(part, leaf, *at, access))
                .collect(),
        })
    }

    /// An access, the one at that position in the leaf's list.
    pub(super) fn access(
        &self,
        part: &Part,
        leaf: LeafId,
        at: usize,
        access: &Access,
    ) -> data::Access {
        let scheduled = &part.schedule.leaves[leaf];
        let mem = &part.program.mems[access.mem];
        let cycle = u64::from(scheduled.times.start[access.node.index()]);
        let number = scheduled.ports[at];
        let sort = match (mem.place.is_outside(), access.is_store) {
            (true, _) => "port",
            (false, true) => "write",
            (false, false) => "read",
        };
        data::Access {
            what: if access.is_store { "store" } else { "load" }.into(),
            place: self.place(access.span),
            cycle,
            slot: scheduled.ii.map_or(cycle, |ii| cycle % u64::from(ii)),
            port: format!("{sort} {number}"),
        }
    }
}
