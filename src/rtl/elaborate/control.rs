//! Regions: start and done pulses, valid chains, and the leaves' datapaths.

use super::cells::{Cells, bit};
use super::datapath::{Datapath, Pace, Sources};
use super::operators::{self, CallUse};
use super::ports::AccessUse;
use super::transfers::{Gate, transfers};
use super::units::lookup;
use super::{Top, Units, is_empty};
use crate::hash::FastMap;
use crate::hwarith::NodeId;
use crate::hwarith::graph::{Graph, MemId, Op, VarId};
use crate::machine::program::{Leaf, LeafId, Loop, Place, PortRef, Program, Region, Side};
use crate::rtl::netlist::*;
use crate::schedule::{LeafSchedule, Schedule};
use std::collections::BTreeSet;

/// Carried values that are set by a register, if a loop has so many that may wait for it.
const SET_BY_REGISTER: usize = 16;

/// Whether a carried value is a constant at first, which nothing reads in the first cycle of an iteration.
fn waits(phi: NodeId, schedule: &LeafSchedule, graph: &Graph) -> bool {
    let init = graph.nodes[phi].args.first();
    let is_constant = init.is_some_and(|&init| matches!(graph.nodes[init].op, Op::Const(_)));
    is_constant && schedule.times.start[phi.index()] > 0
}

/// What a leaf's datapath finds outside of its graph.
struct LeafEnv<'t> {
    program: &'t Program,
    design: &'t Design,
    leaf: LeafId,
    schedule: &'t Schedule,
    units: &'t Units,
    /// 1 while the leaf is in that cycle.
    valid: Vec<NetId>,
    /// What vars, phis, loads and calls of shared operators read, of those in this leaf.
    nets: FastMap<NodeId, NetId>,
    /// Calls of operators that are shared.
    calls: Vec<CallUse>,
}

impl Sources for LeafEnv<'_> {
    fn external(&mut self, cells: &mut Cells, path: &mut Datapath, node: NodeId) -> Operand {
        match path.graph().nodes[node].op {
            Op::Var(_) | Op::Phi | Op::Load(_) => Operand::Net(self.nets[&node]),
            Op::Call(_) => self.call(cells, path, node),
            Op::Table(ref table) => lookup(cells, self, path, (node, table), None),
            _ => unreachable!("stores have no value and leaves no inputs"),
        }
    }
}

impl LeafEnv<'_> {
    fn call(&mut self, cells: &mut Cells, path: &mut Datapath, node: NodeId) -> Operand {
        let called = self.schedule.called(self.program, self.leaf, node);
        let called = called.expect("the node is a call");
        let (unit, id) = (called.0, self.units[&called]);
        let inputs = self.program.units[unit].graph.input_types();
        let label = path.label(node);
        let operands = path.call_operands(cells, self, node, &inputs);
        let active = Operand::Net(self.valid[path.times().start[node.index()] as usize]);
        let instance = self.schedule.leaves[self.leaf].instances[node.index()];
        if let Some(instance) = instance {
            let key = (unit, called.1, instance);
            self.calls.push(CallUse {
                key,
                active,
                operands,
            });
            return Operand::Net(self.nets[&node]);
        }
        let result = cells.net(&label, self.program.units[unit].width);
        let starts = self.schedule.units[unit].variants[called.1 as usize].interval > 1;
        let start = starts.then_some(active);
        let module = (id, &self.design.modules[id]);
        let origin = path.origin(node);
        operators::instance(cells, module, &label, start, operands, result, origin);
        Operand::Net(result)
    }
}

/// The memories outside that are accessed in a region.
fn outside(program: &Program, region: &Region, found: &mut BTreeSet<MemId>) {
    match region {
        Region::Leaf(leaf) => {
            let accesses = program.leaves[*leaf]
                .accesses
                .iter()
                .map(|access| access.mem);
            found.extend(accesses.filter(|mem| program.mems[*mem].place == Place::External));
        }
        Region::Seq(parts) => parts.iter().for_each(|part| outside(program, part, found)),
        Region::If {
            then, otherwise, ..
        } => {
            outside(program, then, found);
            outside(program, otherwise, found);
        }
        Region::Repeat { head, body, .. } => {
            outside(program, head, found);
            outside(program, body, found);
        }
    }
}

impl<'a> Top<'a> {
    /// Builds all of a kernel as [`Top::region`] does, and notes which arrays are first accessed in which part of it.
    pub(super) fn root(&mut self, region: &Region, start: Operand) -> Operand {
        let Region::Seq(parts) = region else {
            return self.region(region, start);
        };
        let mut known = BTreeSet::new();
        self.parts(parts, start, |top, part, go| {
            let mut accessed = BTreeSet::new();
            outside(top.program, part, &mut accessed);
            let new: Vec<MemId> = accessed.difference(&known).copied().collect();
            if let (Some(go), false) = (go, new.is_empty()) {
                let arrays = top.arrays_of(&new);
                top.cells.module.stages.push((go, arrays));
            }
            known.append(&mut accessed);
        })
    }

    /// Builds regions of which each begins when the one before releases it; `begins` sees each, with the register that begins it if
    /// it is not the first one.
    fn parts(
        &mut self,
        parts: &[Region],
        start: Operand,
        mut begins: impl FnMut(&mut Self, &Region, Option<NetId>),
    ) -> Operand {
        let mut done = start;
        for (number, part) in parts.iter().filter(|part| !is_empty(part)).enumerate() {
            let go = (number > 0).then(|| {
                let done = done.clone();
                self.cells.register("go", 1, done, None, Some(0), None)
            });
            begins(self, part, go);
            done = self.region(part, go.map_or(done, Operand::Net));
        }
        done
    }

    /// The names of the arguments and results that memories are.
    fn arrays_of(&self, mems: &[MemId]) -> Vec<String> {
        let ports = self.program.args.iter().chain(&self.program.returns);
        let named = ports.filter_map(|port| match port {
            PortRef::Array(array) => {
                let is_one = array.banks.iter().any(|mem| mems.contains(mem));
                is_one.then(|| array.name.clone())
            }
            _ => None,
        });
        named.collect()
    }

    /// Builds a region that starts with the pulse `start`; returns the pulse that releases what follows.
    pub(super) fn region(&mut self, region: &Region, start: Operand) -> Operand {
        match region {
            Region::Leaf(index) => self.leaf(*index, start),
            Region::Seq(parts) => self.parts(parts, start, |_, _, _| ()),
            Region::If {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.var_bit(*cond);
                let inverse = self.cells.invert(cond.clone(), "else_cond");
                let then_start = self
                    .cells
                    .gate(BinaryOp::And, start.clone(), cond, "then_start");
                let else_start = self.cells.gate(BinaryOp::And, start, inverse, "else_start");
                let then_done = self.region(then, then_start);
                let else_done = self.region(otherwise, else_start);
                self.cells
                    .gate(BinaryOp::Or, then_done, else_done, "if_done")
            }
            Region::Repeat {
                head, cond, body, ..
            } => self.repeat(head, *cond, body, start),
        }
    }

    fn repeat(&mut self, head: &Region, cond: VarId, body: &Region, start: Operand) -> Operand {
        let again = self.cells.net("again", 1);
        let enter = self
            .cells
            .gate(BinaryOp::Or, start, Operand::Net(again), "head_start");
        let check = if is_empty(head) {
            enter
        } else {
            let done = self.region(head, enter);
            self.delay(done, "check")
        };
        let more = self.var_bit(cond);
        let finished = self.cells.invert(more.clone(), "finished");
        let body_start = self
            .cells
            .gate(BinaryOp::And, check.clone(), more, "body_start");
        let body_done = self.region(body, body_start);
        self.cells
            .drive_register(again, body_done, None, Some(0), None);
        self.cells
            .gate(BinaryOp::And, check, finished, "repeat_done")
    }

    pub(super) fn delay(&mut self, pulse: Operand, name: &str) -> Operand {
        Operand::Net(self.cells.register(name, 1, pulse, None, Some(0), None))
    }

    fn var_bit(&mut self, var: VarId) -> Operand {
        let net = self.vars[var];
        self.cells.slice(Operand::Net(net), 0, 1, "cond")
    }

    fn leaf(&mut self, index: LeafId, start: Operand) -> Operand {
        let program = self.program;
        let leaf = &program.leaves[index];
        let schedule = &self.schedule.leaves[index];
        self.heading(leaf, schedule);
        let prefix = format!("{}_", leaf.label);
        let gate = self.gate(leaf, &start);
        let valid = self.valid_chain(leaf, schedule, &start, gate.as_ref());
        if let Some(overlap) = &mut self.overlap {
            overlap.valid.clone_from(&valid);
        }
        let pace = match schedule.ii {
            None => Pace::Once {
                valid: valid.clone(),
            },
            Some(1) => Pace::EveryCycle,
            Some(cycles) => Pace::Interval {
                cycles,
                valid: valid.clone(),
            },
        };
        let mut path = Datapath::new(&leaf.graph, &schedule.times, pace, self.sources, &prefix);
        path.set_stable(schedule.times.stable.clone());
        let mut env = self.leaf_env(index, &valid);
        if let Some(repeat) = &leaf.repeat {
            for phi in repeat.phis.iter().map(|phi| phi.node) {
                path.hold(phi, schedule.times.carried(&leaf.graph, phi));
            }
        }
        path.make_all(&mut self.cells, &mut env);
        let again = gate
            .as_ref()
            .map(|gate| self.wait(leaf, gate, &mut path, &mut env));
        self.calls.append(&mut env.calls);
        self.accesses(index, &mut path, &mut env, &valid);
        self.writes(leaf, &mut path, &mut env, &valid);
        match &leaf.repeat {
            None => {
                if let (Some(gate), Some(again)) = (gate, again) {
                    self.cells
                        .drive_register(gate.pending, again, None, Some(0), None);
                }
                Operand::Net(valid[schedule.release as usize])
            }
            Some(repeat) => {
                let (issued, skip) =
                    self.loop_start(repeat, schedule, start, &mut path, &mut env, &valid);
                let (first, issued) = match (gate, again) {
                    (Some(gate), Some(mut again)) => {
                        // In the same slot of the round, since those before it go on.
                        for _ in 1..schedule.ii.unwrap_or(1) {
                            again = self.delay(again, "again");
                        }
                        let issued = self.cells.gate(BinaryOp::Or, issued, again, "issue");
                        (gate.pending, issued)
                    }
                    _ => (valid[0], issued),
                };
                self.cells
                    .drive_register(first, issued, None, Some(0), None);
                self.loop_end(repeat, schedule, skip, &mut path, &mut env, &valid)
            }
        }
    }

    /// The gate of a leaf that waits for elements of streams, or for room.
    fn gate(&mut self, leaf: &Leaf, start: &Operand) -> Option<Gate> {
        if !transfers(self.program, leaf) {
            return None;
        }
        let name = format!("{}_v", leaf.label);
        let pending = self.cells.net(&format!("{name}_pending"), 1);
        let wants = match leaf.repeat {
            None => {
                let pending = Operand::Net(pending);
                self.cells
                    .gate(BinaryOp::Or, start.clone(), pending, "wants")
            }
            Some(_) => Operand::Net(pending),
        };
        let goes = self.cells.net(&format!("{name}0"), 1);
        Some(Gate {
            wants,
            pending,
            goes,
        })
    }

    fn heading(&mut self, leaf: &Leaf, schedule: &LeafSchedule) {
        let place = self.sources.location(leaf.span);
        self.cells.comment(match schedule.ii {
            Some(ii) if leaf.repeat.is_none() => format!(
                "{} ({place}): {} cycles, an invocation every {ii}",
                leaf.label, schedule.depth
            ),
            Some(ii) => format!(
                "loop {} ({place}): II {ii}, {} cycles an iteration; bound by {}",
                leaf.label, schedule.depth, schedule.bound_by
            ),
            None => format!("{} ({place}): {} cycles", leaf.label, schedule.depth),
        });
    }

    /// `valid[c]` is 1 while the block, or an iteration of the loop, is in cycle c.
    fn valid_chain(
        &mut self,
        leaf: &Leaf,
        schedule: &LeafSchedule,
        start: &Operand,
        gate: Option<&Gate>,
    ) -> Vec<NetId> {
        let length = schedule.depth.max(schedule.ii.unwrap_or(1));
        let name = format!("{}_v", leaf.label);
        let first = match (&leaf.repeat, gate) {
            (_, Some(gate)) => gate.goes,
            (None, None) => self.cells.as_net(start.clone(), &name),
            // Driven by `leaf`.
            (Some(_), None) => self.cells.net(&format!("{name}0"), 1),
        };
        let mut valid = vec![first];
        for cycle in 1..length {
            let previous = Operand::Net(valid[valid.len() - 1]);
            let name = format!("{name}{cycle}");
            valid.push(self.cells.register(&name, 1, previous, None, Some(0), None));
        }
        valid
    }

    fn leaf_env(&self, index: LeafId, valid: &[NetId]) -> LeafEnv<'a> {
        LeafEnv {
            program: self.program,
            design: self.design,
            leaf: index,
            schedule: self.schedule,
            units: self.units,
            valid: valid.to_vec(),
            nets: self.nets_read(index),
            calls: Vec::new(),
        }
    }

    /// The nets of a leaf's nodes that are driven outside of its graph.
    fn nets_read(&self, index: LeafId) -> FastMap<NodeId, NetId> {
        let (leaf, schedule) = (&self.program.leaves[index], &self.schedule.leaves[index]);
        let mut nets = FastMap::default();
        for (id, node) in leaf.graph.nodes.iter() {
            let net = match node.op {
                Op::Var(var) => Some(self.vars[var]),
                Op::Call(unit) => schedule.instances[id.index()].and_then(|instance| {
                    let key = (unit, schedule.variants[id.index()], instance);
                    self.results.get(&key).copied()
                }),
                _ => None,
            };
            nets.extend(net.map(|net| (id, net)));
        }
        let phis = leaf.phis();
        nets.extend(phis.map(|phi| (phi.node, self.vars[phi.var])));
        let accesses = leaf.accesses.iter().zip(&schedule.ports);
        let loads = accesses.filter(|(access, _)| !access.is_store);
        nets.extend(loads.filter_map(|(access, &port)| {
            let data = self.memories[access.mem].read_data(port)?;
            Some((access.node, data))
        }));
        nets
    }

    /// Hands every load and store to its memory's port.
    fn accesses(&mut self, index: LeafId, path: &mut Datapath, env: &mut LeafEnv, valid: &[NetId]) {
        let leaf = &self.program.leaves[index];
        for (access, &port) in leaf.accesses.iter().zip(&self.schedule.leaves[index].ports) {
            let place = &self.program.mems[access.mem].place;
            if matches!(place, Place::Stream(side) if side.is_of_beginning()) {
                // Done as the leaf begins.
                continue;
            }
            let cycle = path.times().start[access.node.index()];
            let args = &leaf.graph.nodes[access.node].args;
            let mem = &self.program.mems[access.mem];
            let address = path.operand(&mut self.cells, env, args[0], cycle, mem.address_width());
            let mut active = Operand::Net(valid[cycle as usize]);
            let mut data = None;
            if access.is_store {
                data = Some(path.operand(&mut self.cells, env, args[1], cycle, mem.width));
                let enable = path.operand(&mut self.cells, env, args[2], cycle, 1);
                if *place == Place::Stream(Side::Put) {
                    self.waive(access.mem, valid[cycle as usize], enable.clone());
                }
                let name = format!("{}_store", leaf.label);
                active = self.cells.gate(BinaryOp::And, active, enable, &name);
            }
            self.memories[access.mem].uses.push(AccessUse {
                port,
                active,
                address,
                data,
            });
        }
    }

    fn writes(&mut self, leaf: &Leaf, path: &mut Datapath, env: &mut LeafEnv, valid: &[NetId]) {
        for &(var, node) in &leaf.writes {
            let cycle = match self.overlap {
                // Results of one invocation come together.
                Some(_) => valid.len() as u32 - 1,
                None => path.times().ready[node.index()],
            };
            self.write(
                var,
                Operand::Net(valid[cycle as usize]),
                node,
                cycle,
                path,
                env,
            );
        }
    }

    fn write(
        &mut self,
        var: VarId,
        guard: Operand,
        node: NodeId,
        cycle: u32,
        path: &mut Datapath,
        env: &mut LeafEnv,
    ) {
        let width = self.cells.module.nets[self.vars[var]].width;
        let value = path.operand(&mut self.cells, env, node, cycle, width);
        self.writers.entry(var).or_default().push((guard, value));
    }

    /// Carried values; whether an iteration is to begin in the next cycle, and whether there is none.
    fn loop_start(
        &mut self,
        repeat: &Loop,
        schedule: &LeafSchedule,
        start: Operand,
        path: &mut Datapath,
        env: &mut LeafEnv,
        valid: &[NetId],
    ) -> (Operand, Operand) {
        let begun = self.begun(repeat, schedule, &start, path.graph());
        for (phi, var) in repeat.phis.iter().map(|phi| (phi.node, phi.var)) {
            if schedule.times.width[phi.index()] == 0 {
                continue;
            }
            let [init, next] = path.graph().nodes[phi].args[..] else {
                continue;
            };
            let begins = match &begun {
                Some(begun) if waits(phi, schedule, path.graph()) => begun,
                _ => &start,
            };
            self.write(var, begins.clone(), init, 0, path, env);
            let cycle = schedule.times.carried(path.graph(), phi);
            self.write(
                var,
                Operand::Net(valid[cycle as usize]),
                next,
                cycle,
                path,
                env,
            );
        }
        let ii = schedule.ii.unwrap_or(1);
        let last = path.operand(&mut self.cells, env, repeat.last, ii - 1, 1);
        let more = self.cells.invert(last, "more");
        let again = Operand::Net(valid[ii as usize - 1]);
        let again = self
            .cells
            .gate(BinaryOp::And, again, more, "next_iteration");
        let (enter, skip) = match repeat.enter {
            None => (start, bit(false)),
            Some(var) => {
                let enter = self.var_bit(var);
                let skip = self.cells.invert(enter.clone(), "skip");
                (
                    self.cells
                        .gate(BinaryOp::And, start.clone(), enter, "enter"),
                    self.cells.gate(BinaryOp::And, start, skip, "skipped"),
                )
            }
        };
        let issued = self.cells.gate(BinaryOp::Or, enter, again, "issue");
        (issued, skip)
    }

    /// The register a cycle behind `start`, which sets the carried values that wait, if they are many: copies of a register stay
    /// close to what they set, and gates do not. A loop that may have no iteration has none: what follows may read at once.
    fn begun(
        &mut self,
        repeat: &Loop,
        schedule: &LeafSchedule,
        start: &Operand,
        graph: &Graph,
    ) -> Option<Operand> {
        let waiting = repeat.phis.iter();
        let waiting = waiting.filter(|phi| waits(phi.node, schedule, graph));
        let many = repeat.enter.is_none() && waiting.count() >= SET_BY_REGISTER;
        many.then(|| self.delay(start.clone(), "begun"))
    }

    /// The pulse with which a loop releases what follows; `skip`: there is no iteration.
    fn loop_end(
        &mut self,
        repeat: &Loop,
        schedule: &LeafSchedule,
        skip: Operand,
        path: &mut Datapath,
        env: &mut LeafEnv,
        valid: &[NetId],
    ) -> Operand {
        let end = schedule.release;
        let last = path.operand(&mut self.cells, env, repeat.last, end, 1);
        let ended = Operand::Net(valid[end as usize]);
        let ended = self.cells.gate(BinaryOp::And, ended, last, "loop_end");
        self.cells.gate(BinaryOp::Or, ended, skip, "loop_done")
    }
}
