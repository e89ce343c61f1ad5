//! A graph with everything that constrains its times: delays, dependences within and across iterations, resources.

use super::device::Device;
use super::resource::{Pools, Resource, Use};
use super::spread::{Spread, wide_loads};
use super::{
    Schedule, Units, Variant, budget, delay_class, load_delays, store_delay, table_delays,
};
use crate::hash::fingerprint;
use crate::hwarith::graph::{Op, UnitId, VarId};
use crate::hwarith::{Graph, NodeId};
use crate::machine::depend::{self, Dependence};
use crate::machine::program::{Leaf, LeafId, Program};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

/// What of a cycle is taken by logic that is taken to fit into it: a little less than all, since sums are rounded.
pub const FULL_CYCLE: f64 = 0.999;

/// How a node occupies time.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Wires, constants, vars that do not change: there in every cycle.
    Stable,
    /// Logic of so many ns.
    Logic(f64),
    /// A register's output at a cycle of its own.
    Register,
    /// Starts with `before` ns of logic, is there `latency` cycles later, `after` ns into the cycle.
    Pipelined {
        /// ns before the first register.
        before: f64,
        /// Cycles.
        latency: u32,
        /// ns after the last register.
        after: f64,
    },
}

/// A constraint that may span iterations: `cycle(to) >= cycle(from) + latency - II * distance`.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// What comes first.
    pub from: NodeId,
    /// What waits for it.
    pub to: NodeId,
    /// Iterations between them.
    pub distance: u64,
    /// Cycles.
    pub latency: i64,
    /// From the cycle in which the result of `from` is there, not from its start.
    pub from_ready: bool,
}

/// Lists by node, one after the other.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists {
            starts: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T: Copy> Lists<T> {
    /// From pairs of a node and an item of its list, for `count` nodes; the order within a list is kept.
    pub fn new(count: usize, pairs: &[(NodeId, T)]) -> Lists<T> {
        let mut starts = vec![0u32; count + 1];
        for (node, _) in pairs {
            starts[node.index() + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&i| pairs[i].0);
        let items = order.into_iter().map(|i| pairs[i].1).collect();
        Lists { starts, items }
    }

    /// The list of a node.
    pub fn of(&self, node: NodeId) -> &[T] {
        let at = |i: usize| self.starts.get(i).map_or(0, |&s| s as usize);
        &self.items[at(node.index())..at(node.index() + 1)]
    }
}

/// A graph with its constraints.
#[derive(Clone)]
pub struct Problem<'g> {
    /// The operations.
    pub graph: &'g Graph,
    /// Demanded bits.
    pub width: Vec<u32>,
    /// How nodes occupy time.
    pub kinds: Vec<Kind>,
    /// Edges within an iteration, by their target.
    pub within: Lists<Edge>,
    /// Who waits for a node within an iteration: its users, and targets of edges from it.
    pub users: Lists<NodeId>,
    /// Edges from earlier iterations.
    pub across: Vec<Edge>,
    /// What nodes take.
    pub uses: Vec<Option<Use>>,
    /// How many there are of what they take.
    pub pools: Pools,
    /// Ports that there are at most, by their pools.
    most_ports: BTreeMap<usize, u32>,
    /// The end of the loop, which has to be known before the next iteration starts.
    pub last: Option<NodeId>,
    /// ns of a cycle that operations can have.
    pub budget: f64,
    /// ns of it that those which follow one another may take, by cycle; the last one is that of all further cycles. All of the
    /// budget, if there is none.
    pub limits: Vec<f64>,
    /// Cycles before which nodes may not start.
    pub not_before: Vec<i64>,
    /// Variant of the operator that each node calls.
    choices: Vec<u32>,
    /// Cycles from one start of that variant to the next.
    intervals: Vec<u32>,
    /// Nodes that were looked at to solve it, again and again.
    pub visits: Cell<u64>,
}

impl<'g> Problem<'g> {
    /// A graph without memory accesses or carried values; `width` are the demanded bits.
    pub fn new(graph: &'g Graph, width: Vec<u32>, device: &Device, budget: f64) -> Problem<'g> {
        let count = graph.nodes.len();
        let mut problem = Problem {
            graph,
            kinds: vec![Kind::Stable; count],
            width,
            within: Lists::new(count, &[]),
            users: Lists::default(),
            across: Vec::new(),
            uses: vec![None; count],
            pools: Pools::default(),
            most_ports: BTreeMap::new(),
            choices: vec![0; count],
            intervals: vec![1; count],
            last: None,
            budget,
            limits: Vec::new(),
            not_before: vec![0; count],
            visits: Cell::new(0),
        };
        let spread = Spread::new(graph, &problem.width);
        for id in graph.nodes.ids() {
            problem.kinds[id.index()] = problem.kind(id, &spread, device);
        }
        problem.list_users();
        problem
    }

    /// A name for all that times depend on but the interval: the same for loops of several kernels that are alike.
    pub fn fingerprint(&self) -> String {
        let mut text = String::new();
        for (i, node) in self.graph.nodes.values().enumerate() {
            let of_node = (&node.op, &node.args, node.ty, self.width[i], self.kinds[i]);
            // Writing to a string does not fail.
            let _ = write!(text, "{of_node:?}{:?}{}", self.uses[i], self.not_before[i]);
        }
        let counts = self.pools.counts();
        let edges = (&self.within, &self.users, &self.across);
        let _ = write!(
            text,
            "{edges:?}{counts:?}{:?}{:?}",
            self.most_ports, self.last
        );
        let _ = write!(text, "{}{:?}", self.budget, self.limits);
        fingerprint(&[text])
    }

    /// What the schedule of a leaf solves, with the operators that its calls have there.
    pub fn of_schedule(
        program: &'g Program,
        leaf: LeafId,
        schedule: &Schedule,
        device: &Device,
    ) -> Problem<'g> {
        let (of, scheduled) = (&program.leaves[leaf], &schedule.leaves[leaf]);
        let widths = scheduled.times.width.clone();
        let mut problem = Problem::new(&of.graph, widths, device, budget(device, schedule.period));
        problem.add_leaf(of, device, program);
        for call in problem.calls() {
            problem.choose(call, scheduled.variants[call.index()], &schedule.units);
        }
        problem
    }

    /// ns that operations which follow one another may take in a cycle.
    pub fn limit(&self, cycle: i64) -> f64 {
        let last = self.limits.len().saturating_sub(1);
        let place = usize::try_from(cycle).map_or(0, |cycle| cycle.min(last));
        self.limits.get(place).copied().unwrap_or(self.budget)
    }

    fn kind(&self, id: NodeId, spread: &Spread, device: &Device) -> Kind {
        let node = &self.graph.nodes[id];
        match &node.op {
            Op::Const(_) | Op::Var(_) => Kind::Stable,
            // Calls, loads and iterated steps: see `set_calls`, `add_leaf`, and the schedules of operators.
            Op::Input(_)
            | Op::Phi
            | Op::Store(_)
            | Op::Load(_)
            | Op::Call(_)
            | Op::Iterate { .. } => Kind::Register,
            Op::Table(table) => {
                let (before, after) = table_delays(table, device);
                Kind::Pipelined {
                    before: before.min(self.budget),
                    latency: 1,
                    after: after.min(self.budget),
                }
            }
            Op::Cast | Op::Extract { .. } | Op::Concat => self.wires(id),
            _ => {
                let class = delay_class(self.graph, id, self.width[id.index()]);
                let delay = class.map_or(0.0, |(class, width)| device.delay(class, width));
                Kind::Logic((delay + spread.delay(id, device)).min(self.budget))
            }
        }
    }

    /// Wires are as stable as what they connect.
    fn wires(&self, id: NodeId) -> Kind {
        let args = &self.graph.nodes[id].args;
        match args.iter().all(|&a| self.is_stable(a)) {
            true => Kind::Stable,
            false => Kind::Logic(0.0),
        }
    }

    fn list_users(&mut self) {
        let mut pairs = Vec::new();
        for (id, node) in self.graph.nodes.iter() {
            if node.op == Op::Phi {
                continue;
            }
            pairs.extend(node.args.iter().map(|&arg| (arg, id)));
        }
        for id in self.graph.nodes.ids() {
            pairs.extend(self.within.of(id).iter().map(|edge| (edge.from, id)));
        }
        self.users = Lists::new(self.graph.nodes.len(), &pairs);
    }

    /// Whether a node has its value in every cycle of a run.
    pub fn is_stable(&self, id: NodeId) -> bool {
        matches!(self.kinds[id.index()], Kind::Stable)
    }

    /// What a node reads in its own iteration.
    pub fn operands(&self, id: NodeId) -> &'g [NodeId] {
        let node = &self.graph.nodes[id];
        if node.op == Op::Phi { &[] } else { &node.args }
    }

    // Operators -------------------------------------------------------------------------------------

    /// Has all calls take the first variant of their operators.
    pub fn set_calls(&mut self, units: &Units) {
        for call in self.calls() {
            self.choose(call, 0, units);
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

    /// Those of them that share their operators with none.
    pub fn calls_alone(&self) -> Vec<NodeId> {
        let mut calls = self.calls();
        calls.retain(|call| self.uses[call.index()].is_none());
        calls
    }

    /// The operator that a node calls.
    pub fn called(&self, call: NodeId) -> Option<UnitId> {
        match self.graph.nodes[call].op {
            Op::Call(unit) => Some(unit),
            _ => None,
        }
    }

    /// Has a call use the variant of that number; as many instances of a shared one as its pool has.
    pub fn choose(&mut self, call: NodeId, choice: u32, units: &Units) {
        let Some(unit) = self.called(call) else {
            return;
        };
        let (i, variant) = (call.index(), &units[unit].variants[choice as usize]);
        self.choices[i] = choice;
        self.intervals[i] = variant.interval;
        self.kinds[i] = Kind::Pipelined {
            before: variant.input_delay,
            latency: variant.latency,
            after: variant.output_delay,
        };
        self.uses[i] = variant.shared.map(|shared| Use {
            pool: self
                .pools
                .pool(Resource::Unit(unit, choice), shared.instances),
            slots: variant.interval,
            is_even: shared.is_even,
        });
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
        self.intervals[call.index()]
    }

    /// The last variant of a call that is not shared, hence the smallest, that can start every `interval` cycles.
    pub fn smallest(&self, call: NodeId, interval: u32, units: &Units) -> u32 {
        let variants = self.called(call).map(|unit| &units[unit].variants[..]);
        let fits = |v: &Variant| v.interval <= interval && v.shared.is_none() && !v.is_fast;
        let found = variants.and_then(|variants| variants.iter().rposition(fits));
        found.unwrap_or(0) as u32
    }

    // Ports -----------------------------------------------------------------------------------------

    /// Ports that a memory has at most; `None` for a pool of something else.
    pub fn most_ports(&self, pool: usize) -> Option<u32> {
        self.most_ports.get(&pool).copied()
    }

    // Leaves ----------------------------------------------------------------------------------------

    /// Adds what a leaf has beyond its graph: accesses, dependences, carried values, vars that it overwrites.
    pub fn add_leaf(&mut self, leaf: &Leaf, device: &Device, program: &Program) {
        let written: HashSet<VarId> = leaf.writes.iter().map(|w| w.0).collect();
        let wide = wide_loads(leaf, program);
        for (id, node) in self.graph.nodes.iter() {
            let i = id.index();
            match &node.op {
                // The old value is there only at the start.
                Op::Var(var) if written.contains(var) => self.kinds[i] = Kind::Register,
                Op::Load(mem) => {
                    let mem = &program.mems[*mem];
                    let (mut before, after) = load_delays(mem, device);
                    if wide.contains(&id) {
                        before = self.budget;
                    }
                    self.kinds[i] = match mem.is_asynchronous {
                        true => Kind::Logic(before.min(self.budget)),
                        false => Kind::Pipelined {
                            before: before.min(self.budget),
                            latency: mem.latency(),
                            after: after.min(self.budget),
                        },
                    };
                }
                Op::Store(mem) => {
                    let before = store_delay(&program.mems[*mem], device);
                    if before > 0.0 {
                        self.kinds[i] = Kind::Pipelined {
                            before: before.min(self.budget),
                            latency: 0,
                            after: 0.0,
                        };
                    }
                }
                // No register is behind it there, unlike in operators.
                Op::Table(table) => {
                    let (delay, _) = table_delays(table, device);
                    self.kinds[i] = Kind::Logic(delay.min(self.budget));
                }
                Op::Cast | Op::Extract { .. } | Op::Concat => self.kinds[i] = self.wires(id),
                _ => {}
            }
        }
        for access in &leaf.accesses {
            let mem = &program.mems[access.mem];
            let (resource, most) = match (mem.place.is_outside(), access.is_store) {
                (true, _) => (Resource::Ports(access.mem), mem.ports),
                // Inside: one port writes.
                (false, true) => (Resource::Writes(access.mem), 1),
                (false, false) => (Resource::Reads(access.mem), mem.ports),
            };
            let pool = self.pools.pool(resource, 1);
            self.most_ports.insert(pool, most);
            self.uses[access.node.index()] = Some(Use {
                pool,
                slots: 1,
                is_even: false,
            });
        }
        self.add_dependences(leaf);
        for reset in leaf.resets(&self.width) {
            // No table, that could begin before what it chooses from is there.
            self.kinds[reset.index()] = Kind::Pipelined {
                before: 0.0,
                latency: 0,
                after: 0.0,
            };
        }
        let Some(repeat) = &leaf.repeat else { return };
        self.last = Some(repeat.last);
        let phis = repeat.phis.iter();
        self.fit_initial(leaf);
        for phi in phis.map(|phi| phi.node) {
            if self.width[phi.index()] > 0 {
                self.across.push(Edge {
                    from: self.graph.nodes[phi].args[1],
                    to: phi,
                    distance: 1,
                    latency: 1,
                    from_ready: true,
                });
            }
        }
    }

    /// What a loop's carried values begin with, and what that is computed from: it is there in the first cycle.
    pub fn first_values(&self, leaf: &Leaf) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        let firsts = leaf.phis().map(|phi| self.graph.nodes[phi.node].args[0]);
        let mut reached: Vec<NodeId> = firsts.collect();
        while let Some(node) = reached.pop() {
            if !self.is_stable(node) && found.insert(node) {
                reached.extend(self.operands(node));
            }
        }
        found
    }

    /// Has logic between vars and the registers of carried values take a cycle at most: they are loaded in the first one.
    fn fit_initial(&mut self, leaf: &Leaf) {
        let mut arrivals: BTreeMap<NodeId, f64> = BTreeMap::new();
        for node in self.first_values(leaf) {
            let operands = self.operands(node).iter();
            let latest = operands.filter_map(|operand| arrivals.get(operand));
            let latest = latest.copied().fold(0.0, f64::max);
            if let Kind::Logic(delay) = self.kinds[node.index()] {
                arrivals.insert(node, latest + delay);
            }
        }
        let longest = arrivals.values().copied().fold(0.0, f64::max);
        if longest <= self.budget {
            return;
        }
        for node in arrivals.keys() {
            if let Kind::Logic(delay) = &mut self.kinds[node.index()] {
                *delay *= FULL_CYCLE * self.budget / longest;
            }
        }
    }

    fn add_dependences(&mut self, leaf: &Leaf) {
        let mut within = Vec::new();
        for Dependence { from, to, distance } in depend::dependences(leaf) {
            let edge = Edge {
                from,
                to,
                distance,
                latency: 1,
                from_ready: false,
            };
            match distance {
                0 => within.push((to, edge)),
                _ => self.across.push(edge),
            }
        }
        self.within = Lists::new(self.graph.nodes.len(), &within);
        self.list_users();
    }
}
