//! Least times under difference constraints, chaining and a modulo reservation table.

use super::depend::{self, Dependence};
use super::device::{Class, Device};
use super::luts::Cuts;
use super::{PortLimit, Times, UnitSchedule, delay_class};
use crate::hwarith::graph::{MemId, Op, VarId};
use crate::hwarith::program::{Leaf, Place, Program};
use crate::hwarith::{Graph, NodeId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Why there is no schedule with the II asked for.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A cycle of dependences through this node takes too long.
    Recurrence(NodeId),
    /// The end of the loop is known too late.
    Control,
    /// Accesses such as this one find no free port.
    Ports(NodeId),
}

/// How a node occupies time.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Wires, constants, vars that do not change: there in every cycle.
    Stable,
    /// Logic of so many ns.
    Logic(f64),
    /// A register's output at a cycle of its own.
    Register,
    /// Starts with `before` ns of logic, is there `latency` cycles later, `after` ns into the cycle.
    Pipelined {
        before: f64,
        latency: u32,
        after: f64,
    },
}

/// A constraint that may span iterations: `cycle(to) >= cycle(from) + latency - II * distance`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: NodeId,
    to: NodeId,
    distance: u64,
    latency: i64,
    /// From the cycle in which the result of `from` is there, not from its start.
    from_ready: bool,
}

/// A graph with its constraints.
pub struct Problem<'g> {
    graph: &'g Graph,
    width: Vec<u32>,
    kinds: Vec<Kind>,
    edges: Vec<Edge>,
    accesses: Vec<(NodeId, MemId, bool)>,
    last: Option<NodeId>,
    budget: f64,
    /// Initiation interval; `None`: executed once.
    pub ii: Option<u32>,
    /// Ports of each memory.
    pub limits: BTreeMap<MemId, PortLimit>,
}

/// Sweeps over the graph before a set of constraints counts as unsolvable, and as many more for each access.
const MAX_SWEEPS: usize = 400;
const SWEEPS_PER_ACCESS: usize = 4;

/// Accesses from which a block is scheduled in one sweep, each taking the first free port in program order.
const MANY_ACCESSES: usize = 100;

impl<'g> Problem<'g> {
    /// A graph without memory accesses or carried values; `width` are the demanded bits.
    pub fn new(
        graph: &'g Graph,
        width: Vec<u32>,
        units: &[UnitSchedule],
        device: &Device,
        budget: f64,
    ) -> Problem<'g> {
        let mut problem = Problem {
            graph,
            kinds: vec![Kind::Stable; graph.nodes.len()],
            width,
            edges: Vec::new(),
            accesses: Vec::new(),
            last: None,
            budget,
            ii: None,
            limits: BTreeMap::new(),
        };
        for (id, node) in graph.nodes.iter() {
            problem.kinds[id.index()] = match &node.op {
                Op::Const(_) | Op::Var(_) => Kind::Stable,
                Op::Input(_) | Op::Phi | Op::Store(_) | Op::Load(_) => Kind::Register,
                Op::Call(unit) => {
                    let unit = &units[unit.0 as usize];
                    Kind::Pipelined {
                        before: unit.input_delay,
                        latency: unit.latency,
                        after: unit.output_delay,
                    }
                }
                Op::Cast | Op::Extract { .. } | Op::Concat => {
                    let stable = node.args.iter().all(|&a| problem.is_stable(a));
                    if stable {
                        Kind::Stable
                    } else {
                        Kind::Logic(0.0)
                    }
                }
                _ => {
                    let delay = delay_class(graph, id, problem.width[id.index()])
                        .map_or(0.0, |(class, width)| device.delay(class, width));
                    Kind::Logic(delay.min(budget))
                }
            };
        }
        problem
    }

    /// Whether a node has its value in every cycle of a run.
    pub fn is_stable(&self, id: NodeId) -> bool {
        matches!(self.kinds[id.index()], Kind::Stable)
    }

    /// Adds what a leaf has beyond its graph: accesses, dependences, carried values, vars that it overwrites.
    pub fn add_leaf(&mut self, leaf: &Leaf, device: &Device, program: &Program) {
        let written: HashSet<VarId> = leaf.writes.iter().map(|w| w.0).collect();
        for (id, node) in self.graph.nodes.iter() {
            let i = id.index();
            match &node.op {
                // The old value is there only at the start.
                Op::Var(var) if written.contains(var) => self.kinds[i] = Kind::Register,
                Op::Load(mem) => {
                    let mem = &program.mems[mem.0 as usize];
                    let external = mem.place == Place::External;
                    self.kinds[i] = Kind::Pipelined {
                        before: 0.0,
                        latency: 1,
                        after: if external || mem.depth * u64::from(mem.width) > DISTRIBUTED_BITS {
                            device.delay(Class::BlockRam, mem.width).min(self.budget)
                        } else {
                            0.0
                        },
                    };
                }
                Op::Cast | Op::Extract { .. } | Op::Concat => {
                    let stable = node.args.iter().all(|&a| self.is_stable(a));
                    self.kinds[i] = if stable {
                        Kind::Stable
                    } else {
                        Kind::Logic(0.0)
                    };
                }
                _ => {}
            }
        }
        self.accesses = leaf
            .accesses
            .iter()
            .map(|a| (a.node, a.mem, a.is_store))
            .collect();
        for Dependence { from, to, distance } in depend::dependences(leaf) {
            self.edges.push(Edge {
                from,
                to,
                distance,
                latency: 1,
                from_ready: false,
            });
        }
        let Some(repeat) = &leaf.repeat else { return };
        self.last = Some(repeat.last);
        for &(phi, _) in &repeat.phis {
            if self.width[phi.index()] > 0 {
                self.edges.push(Edge {
                    from: self.graph.nodes[phi].args[1],
                    to: phi,
                    distance: 1,
                    latency: 1,
                    from_ready: true,
                });
            }
        }
    }

    /// Times of all nodes for the current II and port limits.
    pub fn solve(&mut self) -> Result<Times, Failure> {
        if self.ii.is_none() && self.accesses.len() > MANY_ACCESSES {
            let bounds = vec![0i64; self.graph.nodes.len()];
            return Ok(self.sweep(&bounds, Some(Reserved::new(self))));
        }
        let mut bounds = vec![0i64; self.graph.nodes.len()];
        let mut culprit = Failure::Control;
        let mut horizon = i64::from(u32::MAX);
        for sweep in 0..MAX_SWEEPS + SWEEPS_PER_ACCESS * self.accesses.len() {
            let times = self.sweep(&bounds, None);
            if sweep == 0 {
                // A feasible recurrence settles within the length of the graph plus what resources add.
                let longest = times.ready.iter().max().copied().unwrap_or(0);
                let slots = self.accesses.len() as i64 * i64::from(self.ii.unwrap_or(1) + 1);
                horizon = 4 * (i64::from(longest) + slots) + i64::from(self.ii.unwrap_or(0)) + 16;
            }
            let raised = self.raise(&times, &mut bounds);
            if let Some(node) = raised {
                if bounds[node.index()] > horizon {
                    return Err(Failure::Recurrence(node));
                }
                culprit = Failure::Recurrence(node);
                continue;
            }
            if let Some(ii) = self.ii
                && let Some(last) = self.last
                && times.ready[last.index()] >= ii
            {
                return Err(Failure::Control);
            }
            match self.conflict(&times) {
                None => return Ok(times),
                Some((node, Some(free))) if i64::from(free) <= horizon => {
                    bounds[node.index()] = i64::from(free);
                    culprit = Failure::Ports(node);
                }
                Some((node, _)) => return Err(Failure::Ports(node)),
            }
        }
        Err(culprit)
    }

    /// Earliest times in one pass over the graph, edges across iterations left out. With `ports`, accesses wait for
    /// a free one.
    fn sweep(&self, bounds: &[i64], mut ports: Option<Reserved>) -> Times {
        let count = self.graph.nodes.len();
        let mut times = Times {
            start: vec![0; count],
            ready: vec![0; count],
            arrival: vec![0.0; count],
            width: self.width.clone(),
            stable: self
                .kinds
                .iter()
                .map(|k| matches!(k, Kind::Stable))
                .collect(),
        };
        let mut after: BTreeMap<NodeId, Vec<Edge>> = BTreeMap::new();
        for edge in self.edges.iter().filter(|e| e.distance == 0) {
            after.entry(edge.to).or_default().push(*edge);
        }
        let mut cuts = Cuts::new(self.graph);
        for (id, node) in self.graph.nodes.iter() {
            let i = id.index();
            let (mut cycle, mut offset) = (bounds[i], 0f64);
            let operands: &[NodeId] = if node.op == Op::Phi { &[] } else { &node.args };
            for &arg in operands {
                if self.is_stable(arg) {
                    continue;
                }
                let ready = i64::from(times.ready[arg.index()]);
                let arrival = times.arrival[arg.index()];
                if ready > cycle {
                    (cycle, offset) = (ready, arrival);
                } else if ready == cycle {
                    offset = offset.max(arrival);
                }
            }
            for edge in after.get(&id).into_iter().flatten() {
                let earliest = i64::from(times.start[edge.from.index()]) + edge.latency;
                if earliest > cycle {
                    (cycle, offset) = (earliest, 0.0);
                }
            }
            if let Kind::Logic(delay) = self.kinds[i] {
                // Gates that fit into one lookup table with their operands' gates start when those do.
                let merged = cuts.start(id, offset, cycle, &times);
                if merged > 0.0 && merged + delay > self.budget {
                    cycle += 1;
                    offset = cuts.start(id, 0.0, cycle, &times);
                } else {
                    offset = merged;
                }
            } else if let Kind::Pipelined { before, .. } = self.kinds[i]
                && offset > 0.0
                && offset + before > self.budget
            {
                (cycle, offset) = (cycle + 1, 0.0);
            }
            // Bounds stay far below u32::MAX: `solve` stops at its horizon.
            let mut cycle = u32::try_from(cycle.max(0)).unwrap_or(u32::MAX);
            if let Some(ports) = &mut ports {
                cycle = ports.first_free(id, cycle).unwrap_or(cycle);
                ports.take(id, cycle);
            }
            times.start[i] = cycle;
            (times.ready[i], times.arrival[i]) = match self.kinds[i] {
                Kind::Stable | Kind::Register => (cycle, 0.0),
                Kind::Logic(delay) => (cycle, offset + delay),
                Kind::Pipelined {
                    before,
                    latency: 0,
                    after,
                } => (cycle, offset + before.max(after)),
                Kind::Pipelined { latency, after, .. } => (cycle + latency, after),
            };
        }
        times
    }

    /// Raises bounds that edges across iterations demand; returns one raised node.
    fn raise(&self, times: &Times, bounds: &mut [i64]) -> Option<NodeId> {
        let ii = i64::from(self.ii.unwrap_or(0));
        let mut raised = None;
        for edge in self.edges.iter().filter(|e| e.distance > 0) {
            let from = if edge.from_ready {
                times.ready[edge.from.index()]
            } else {
                times.start[edge.from.index()]
            };
            let distance = i64::try_from(edge.distance).unwrap_or(i64::MAX);
            let bound =
                (i64::from(from) + edge.latency).saturating_sub(ii.saturating_mul(distance));
            if bound > i64::from(times.start[edge.to.index()]) {
                bounds[edge.to.index()] = bound;
                raised = Some(edge.to);
            }
        }
        raised
    }

    /// An access that finds all ports of its slot taken by earlier ones, and the next cycle that they leave free.
    fn conflict(&self, times: &Times) -> Option<(NodeId, Option<u32>)> {
        let mut order: Vec<NodeId> = self.accesses.iter().map(|a| a.0).collect();
        order.sort_by_key(|node| (times.start[node.index()], *node));
        let mut reserved = Reserved::new(self);
        for node in order {
            let cycle = times.start[node.index()];
            let free = reserved.first_free(node, cycle);
            if free != Some(cycle) {
                return Some((node, free));
            }
            reserved.take(node, cycle);
        }
        None
    }
}

/// The reservation table: how many ports of each memory are taken in each slot.
struct Reserved {
    ii: Option<u32>,
    /// Memory, whether it stores, and the memory's ports, of each access.
    accesses: HashMap<NodeId, (MemId, bool, PortLimit)>,
    /// (reads, writes) by memory and slot.
    used: HashMap<(MemId, u32), (u32, u32)>,
}

impl Reserved {
    fn new(problem: &Problem) -> Reserved {
        let accesses = problem.accesses.iter();
        let accesses = accesses
            .map(|&(node, mem, is_store)| (node, (mem, is_store, problem.limits[&mem])))
            .collect();
        Reserved {
            ii: problem.ii,
            accesses,
            used: HashMap::new(),
        }
    }

    fn slot(&self, cycle: u32) -> u32 {
        self.ii.map_or(cycle, |ii| cycle % ii)
    }

    fn fits(&self, node: NodeId, cycle: u32) -> bool {
        let Some(&(mem, is_store, limit)) = self.accesses.get(&node) else {
            return true;
        };
        let slot = (mem, self.slot(cycle));
        let (reads, writes) = self.used.get(&slot).copied().unwrap_or((0, 0));
        match (limit.shared, is_store) {
            (true, _) => reads + writes < limit.reads,
            (false, true) => writes < limit.writes,
            (false, false) => reads < limit.reads,
        }
    }

    /// The first cycle from `cycle` on with a free port; `None`: every slot is full.
    fn first_free(&self, node: NodeId, cycle: u32) -> Option<u32> {
        let slots = self.ii.unwrap_or(self.accesses.len() as u32 + 1);
        (cycle..cycle.saturating_add(slots)).find(|&c| self.fits(node, c))
    }

    fn take(&mut self, node: NodeId, cycle: u32) {
        if let Some(&(mem, is_store, _)) = self.accesses.get(&node) {
            let slot = (mem, self.slot(cycle));
            let (reads, writes) = self.used.entry(slot).or_default();
            *(if is_store { writes } else { reads }) += 1;
        }
    }
}

/// Inner memories of up to so many bits are built of lookup tables with an output register.
pub const DISTRIBUTED_BITS: u64 = 2048;
