//! Least times under difference constraints, chaining and a modulo reservation table.

use super::depend::{self, Dependence};
use super::device::{Class, Device};
use super::luts::Cuts;
use super::{PortLimit, Times, UnitSchedule, Variant, delay_class};
use crate::arena::Table;
use crate::hwarith::graph::{MemId, Op, UnitId, VarId};
use crate::hwarith::{Graph, NodeId};
use crate::machine::program::{Leaf, Place, Program};
use num_integer::Integer;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Why there is no schedule with the II asked for.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A cycle of dependences through this node takes too long.
    Recurrence(NodeId),
    /// The end of the loop is known too late.
    Control,
    /// This access finds no free port.
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
    /// Edges within an iteration, by their target.
    within: Vec<Vec<Edge>>,
    /// Edges from earlier iterations.
    across: Vec<Edge>,
    accesses: Vec<(NodeId, MemId, bool)>,
    units: Option<&'g Table<UnitId, UnitSchedule>>,
    /// Variant of the operator that each node calls.
    choices: Vec<u32>,
    last: Option<NodeId>,
    budget: f64,
    /// Initiation interval; `None`: executed once.
    pub ii: Option<u32>,
    /// Ports of each memory.
    pub limits: BTreeMap<MemId, PortLimit>,
}

/// Sweeps over the graph before a set of constraints counts as unsolvable.
const MAX_SWEEPS: usize = 400;

impl<'g> Problem<'g> {
    /// A graph without memory accesses or carried values; `width` are the demanded bits.
    pub fn new(graph: &'g Graph, width: Vec<u32>, device: &Device, budget: f64) -> Problem<'g> {
        let mut problem = Problem {
            graph,
            kinds: vec![Kind::Stable; graph.nodes.len()],
            width,
            within: vec![Vec::new(); graph.nodes.len()],
            across: Vec::new(),
            accesses: Vec::new(),
            units: None,
            choices: vec![0; graph.nodes.len()],
            last: None,
            budget,
            ii: None,
            limits: BTreeMap::new(),
        };
        for (id, node) in graph.nodes.iter() {
            problem.kinds[id.index()] = match &node.op {
                Op::Const(_) | Op::Var(_) => Kind::Stable,
                // Calls and loads: see `set_calls` and `add_leaf`.
                Op::Input(_) | Op::Phi | Op::Store(_) | Op::Load(_) | Op::Call(_) => Kind::Register,
                Op::Iterate { step, count } => {
                    let step = &graph.steps[*step as usize];
                    let times = step_times(step, device, budget);
                    Kind::Pipelined {
                        before: first_cycle_delay(&times),
                        latency: count * step_cycles(step, &times),
                        after: 0.0,
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

    /// States how the operators are implemented that the graph calls; all calls take the first variant.
    pub fn set_calls(&mut self, units: &'g Table<UnitId, UnitSchedule>) {
        self.units = Some(units);
        for call in self.calls() {
            self.choose(call, 0);
        }
    }

    /// The nodes that call operators and whose results are used.
    pub fn calls(&self) -> Vec<NodeId> {
        let nodes = self.graph.nodes.iter();
        nodes
            .filter(|(id, node)| matches!(node.op, Op::Call(_)) && self.width[id.index()] > 0)
            .map(|(id, _)| id)
            .collect()
    }

    /// Has a call use the variant of that number.
    pub fn choose(&mut self, call: NodeId, variant: u32) {
        self.choices[call.index()] = variant;
        let variant = self.variant(call);
        self.kinds[call.index()] = Kind::Pipelined {
            before: variant.input_delay,
            latency: variant.latency,
            after: variant.output_delay,
        };
    }

    /// The variant that a call uses.
    pub fn choice(&self, call: NodeId) -> u32 {
        self.choices[call.index()]
    }

    /// The variant that each node uses, 0 where it calls nothing.
    pub fn choices(&self) -> Vec<u32> {
        self.choices.clone()
    }

    /// Cycles from one start of a call to the next.
    pub fn interval(&self, call: NodeId) -> u32 {
        self.variant(call).interval
    }

    /// The last variant of a call, hence the smallest, that can start every `interval` cycles.
    pub fn smallest(&self, call: NodeId, interval: u32) -> u32 {
        let variants = &self.variants(call);
        let fits = variants.iter().rposition(|v| v.interval <= interval);
        fits.unwrap_or(0) as u32
    }

    fn variant(&self, call: NodeId) -> &'g Variant {
        &self.variants(call)[self.choices[call.index()] as usize]
    }

    /// Empty for nodes that are no calls, which no caller asks about.
    fn variants(&self, call: NodeId) -> &'g [Variant] {
        match (&self.graph.nodes[call].op, self.units) {
            (Op::Call(unit), Some(units)) => &units[*unit].variants,
            _ => &[],
        }
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
                    let mem = &program.mems[*mem];
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
            let edges = match distance {
                0 => &mut self.within[to.index()],
                _ => &mut self.across,
            };
            edges.push(Edge {
                from,
                to,
                distance,
                latency: 1,
                from_ready: false,
            });
        }
        let Some(repeat) = &leaf.repeat else { return };
        self.last = Some(repeat.last);
        for phi in &repeat.phis {
            if self.width[phi.node.index()] > 0 {
                self.across.push(Edge {
                    from: self.graph.nodes[phi.node].args[1],
                    to: phi.node,
                    distance: 1,
                    latency: 1,
                    from_ready: true,
                });
            }
        }
    }

    /// An II below which no schedule exists: the longest way around a recurrence of one edge across iterations, in whole
    /// cycles, for those edges that lead to the first few nodes.
    pub fn recurrence_bound(&self) -> u32 {
        const TARGETS: usize = 16;
        let targets: BTreeSet<NodeId> = self.across.iter().map(|edge| edge.to).collect();
        let bounds = targets
            .into_iter()
            .take(TARGETS)
            .map(|to| self.way_around(to));
        u32::try_from(bounds.max().unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// Cycles from the start of `to` to its next start that edges across iterations to it demand.
    fn way_around(&self, to: NodeId) -> i64 {
        // Least cycles from the start of `to` to start and result of each node; `None` for those that do not depend on it.
        let mut ways: Vec<Option<(i64, i64)>> = vec![None; self.graph.nodes.len()];
        for (id, node) in self.graph.nodes.iter().skip(to.index()) {
            let i = id.index();
            let operands: &[NodeId] = if node.op == Op::Phi { &[] } else { &node.args };
            let operands = operands.iter().filter(|&&arg| !self.is_stable(arg));
            let results = operands.filter_map(|arg| Some(ways[arg.index()]?.1));
            let edges = self.within[i].iter();
            let starts = edges.filter_map(|e| Some(ways[e.from.index()]?.0 + e.latency));
            let start = match id == to {
                true => Some(0),
                false => results.chain(starts).max(),
            };
            let latency = match self.kinds[i] {
                Kind::Pipelined { latency, .. } => i64::from(latency),
                _ => 0,
            };
            ways[i] = start.map(|start| (start, start + latency));
        }
        let edges = self.across.iter().filter(|edge| edge.to == to);
        let demands = edges.filter_map(|edge| {
            let (start, ready) = ways[edge.from.index()]?;
            let from = if edge.from_ready { ready } else { start };
            let distance = i64::try_from(edge.distance).unwrap_or(i64::MAX);
            Some(Integer::div_ceil(&(from + edge.latency), &distance))
        });
        demands.max().unwrap_or(0)
    }

    /// Times of all nodes for the current II and port limits.
    pub fn solve(&mut self) -> Result<Times, Failure> {
        let mut bounds = vec![0i64; self.graph.nodes.len()];
        let mut culprit = Failure::Control;
        let mut horizon = i64::from(u32::MAX);
        for sweep in 0..MAX_SWEEPS {
            let times = self.sweep(&bounds)?;
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
            return Ok(times);
        }
        Err(culprit)
    }

    /// Earliest times in one pass over the graph, edges across iterations left out. Accesses take the ports of their
    /// slot in program order.
    fn sweep(&self, bounds: &[i64]) -> Result<Times, Failure> {
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
        let mut table = Reservations::default();
        let mut accesses = self.accesses.iter().peekable();
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
            for edge in &self.within[i] {
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
            if let Some(&(_, mem, is_store)) = accesses.next_if(|a| a.0 == id) {
                let free = table.reserve(mem, is_store, cycle, self.ii, self.limits[&mem]);
                let free = free.ok_or(Failure::Ports(id))?;
                if free > cycle {
                    (cycle, offset) = (free, 0.0);
                }
            }
            // Bounds stay far below u32::MAX: `solve` stops at its horizon.
            let cycle = u32::try_from(cycle.max(0)).unwrap_or(u32::MAX);
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
        Ok(times)
    }

    /// Raises bounds that edges across iterations demand; returns one raised node.
    fn raise(&self, times: &Times, bounds: &mut [i64]) -> Option<NodeId> {
        let ii = i64::from(self.ii.unwrap_or(0));
        let mut raised = None;
        for edge in &self.across {
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
}

/// Cycles of the operations of one application of a step. Its operands come after the choice between the first state
/// and the last one.
pub fn step_times(step: &Graph, device: &Device, budget: f64) -> Times {
    let roots: Vec<(NodeId, u32)> = step.outputs.iter().map(|&o| (o, u32::MAX)).collect();
    let width = crate::hwarith::demand::demanded(step, &roots, None);
    let mut problem = Problem::new(step, width, device, budget);
    for (id, node) in step.nodes.iter() {
        if matches!(node.op, Op::Input(_)) {
            let choice = device.delay(Class::Mux, node.ty.width);
            problem.kinds[id.index()] = Kind::Logic(choice.min(budget));
        }
    }
    let times = problem.sweep(&vec![0; step.nodes.len()]);
    times.expect("only accesses to memories can fail, and a step has none")
}

/// Cycles from one state of an iterated step to the next: the state is a register.
pub fn step_cycles(step: &Graph, times: &Times) -> u32 {
    times.ready[step.outputs[0].index()] + 1
}

/// Longest time of cycle 0 in which something is still busy.
pub fn first_cycle_delay(times: &Times) -> f64 {
    let nodes = 0..times.ready.len();
    let busy = nodes.filter(|&i| times.width[i] > 0 && times.ready[i] == 0 && !times.stable[i]);
    busy.map(|i| times.arrival[i]).fold(0.0, f64::max)
}

/// The modulo reservation table of the memories' ports: reads and writes in each slot.
#[derive(Default)]
struct Reservations {
    used: HashMap<(MemId, i64), (u32, u32)>,
    /// In straight-line code: a cycle before which a memory has no free port.
    full_before: HashMap<(MemId, bool), i64>,
}

impl Reservations {
    /// Takes a port in the first cycle from `earliest` on that has one; `None` if no slot has.
    fn reserve(
        &mut self,
        mem: MemId,
        is_store: bool,
        earliest: i64,
        ii: Option<u32>,
        limit: PortLimit,
    ) -> Option<i64> {
        let hint = self.full_before.get(&(mem, is_store)).copied().unwrap_or(0);
        let first = if ii.is_none() {
            earliest.max(hint)
        } else {
            earliest
        };
        let tries = ii.map_or(i64::MAX - first, i64::from);
        let mut cycles = first..first + tries;
        let cycle = cycles.find(|&cycle| {
            let slot = ii.map_or(cycle, |ii| cycle.rem_euclid(i64::from(ii)));
            let (reads, writes) = self.used.entry((mem, slot)).or_insert((0, 0));
            let (r, w) = (*reads + u32::from(!is_store), *writes + u32::from(is_store));
            let fits = if limit.shared {
                r + w <= limit.reads
            } else {
                r <= limit.reads && w <= limit.writes
            };
            if fits {
                (*reads, *writes) = (r, w);
            }
            fits
        })?;
        // Accesses of one memory that could start early find the cycles filled from the front.
        if ii.is_none() && earliest <= hint {
            self.full_before.insert((mem, is_store), cycle);
        }
        Some(cycle)
    }
}

/// Inner memories of up to so many bits are built of lookup tables with an output register.
pub const DISTRIBUTED_BITS: u64 = 2048;
