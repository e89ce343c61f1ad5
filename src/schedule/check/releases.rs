//! Regions that begin while the one before is still at work: whatever both may touch, the first is done with it.
//!
//! Every chain of leaves that may follow is walked with its shortest times, until the leaf that it began with has ended.

use crate::hwarith::NodeId;
use crate::hwarith::graph::{Op, VarId};
use crate::machine::order::{Order, Touchers};
use crate::machine::program::{Access, Leaf, LeafId, Place, Program};
use crate::schedule::{LeafSchedule, Schedule};
use std::collections::BTreeMap;

/// Cycles that are more than any iteration takes, and can be added up.
const FAR: u32 = 1 << 30;

/// Checks what may run side by side, of one invocation and of two.
pub fn check(program: &Program, schedule: &Schedule) -> Result<(), String> {
    let checker = Checker {
        program,
        schedule,
        order: Order::of(program),
        touchers: Touchers::of(program),
    };
    for leaf in program.leaves.ids() {
        let label = &program.leaves[leaf].label;
        checker
            .leaf(leaf)
            .map_err(|why| format!("{label}: its release: {why}"))?;
    }
    checker.results()
}

struct Checker<'a> {
    program: &'a Program,
    schedule: &'a Schedule,
    order: Order,
    touchers: Touchers,
}

/// A leaf that may begin, counted from the last iteration of another one, in the same invocation (0) or a later one.
struct Follower {
    leaf: LeafId,
    start: u32,
    invocation: u32,
}

/// What only one can use in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    /// Position of the memory, port, whether it is one for stores.
    Port(usize, u32, bool),
    /// Positions of unit, variant, instance.
    Unit(usize, u32, u32),
}

impl Checker<'_> {
    fn of(&self, leaf: LeafId) -> (&Leaf, &LeafSchedule) {
        (&self.program.leaves[leaf], &self.schedule.leaves[leaf])
    }

    fn leaf(&self, id: LeafId) -> Result<(), String> {
        let (leaf, times) = self.of(id);
        if times.release >= times.depth {
            return Err("it lies behind the end".into());
        }
        if let Some(repeat) = &leaf.repeat
            && times.times.ready[repeat.last.index()] > times.release
        {
            return Err("the loop's end is not known".into());
        }
        for (var, _, last) in self.written(id) {
            if last > times.release && times.release + 1 < times.depth {
                let name = &self.program.vars[var].name;
                return Err(format!("'{name}' is not written yet"));
            }
        }
        if self.order.is_open[id] && times.release + 1 < times.depth {
            return Err("too much may follow to be looked at".into());
        }
        // Earliest start of what may follow, from the start of the last iteration.
        let mut open: Vec<Follower> = Vec::new();
        self.follow(id, id, (times.release, 0), &mut open)?;
        let mut seen: BTreeMap<(LeafId, u32), u32> = BTreeMap::new();
        while let Some(Follower {
            leaf: next,
            start,
            invocation,
        }) = open.pop()
        {
            let is_known = |known: &u32| *known <= start;
            // The third invocation can be no nearer than the second.
            if start >= times.depth
                || invocation > 1
                || seen.get(&(next, invocation)).is_some_and(is_known)
            {
                continue;
            }
            seen.insert((next, invocation), start);
            match next == id && invocation > 0 {
                true => self.again(id, start)?,
                false => self.pair(id, next, start)?,
            }
            let released = start + self.shortest(next);
            self.follow(id, next, (released, invocation), &mut open)?;
        }
        Ok(())
    }

    /// What may begin once `at` is released, as seen by `id`: what comes after it, or the end and the next invocation.
    fn follow(
        &self,
        id: LeafId,
        at: LeafId,
        (released, invocation): (u32, u32),
        open: &mut Vec<Follower>,
    ) -> Result<(), String> {
        let following = |leaf: &LeafId| Follower {
            leaf: *leaf,
            start: released + 1,
            invocation,
        };
        open.extend(self.order.next[at].iter().map(following));
        if !self.order.is_last[at] {
            return Ok(());
        }
        if invocation == 0 && released + self.schedule.drain + 1 < self.of(id).1.depth {
            return Err("the program ends before it does".to_string());
        }
        let Some(restart) = self.schedule.restart else {
            return Ok(());
        };
        let asked = released + restart;
        if let Some(argument) = self.read_after(id, asked) {
            return Err(format!("'{argument}' may change while it is read"));
        }
        let first = self.order.first.as_ref();
        let first = first.ok_or("the program may begin with too much to be looked at")?;
        open.extend(first.iter().map(|leaf| Follower {
            leaf: *leaf,
            start: asked + 1,
            invocation: invocation + 1,
        }));
        Ok(())
    }

    /// An argument that a leaf reads after a cycle of its last iteration.
    fn read_after(&self, id: LeafId, cycle: u32) -> Option<&str> {
        let vars = self.program.vars.iter().filter(|(_, var)| var.is_arg);
        let late = |&(var, _): &(VarId, _)| self.last_read(id, var).is_some_and(|at| at > cycle);
        vars.filter(late).map(|(_, var)| &*var.name).next()
    }

    /// The same loop starts for the next invocation, `start` cycles after its last iteration: that is an iteration like any other one,
    /// with carried values of its own.
    fn again(&self, id: LeafId, start: u32) -> Result<(), String> {
        let (leaf, times) = self.of(id);
        if leaf.repeat.is_none() || self.waits(id) {
            return Err("it starts again before its end".into());
        }
        if start + 1 < times.ii.unwrap_or(1) {
            return Err("its iterations are too near to one another".into());
        }
        for phi in leaf.phis() {
            if start <= taken(leaf, times, phi.node) {
                return Err("a carried value is still in use".into());
            }
        }
        let reads = |var: VarId| {
            let mut nodes = leaf.graph.nodes.values();
            nodes.any(|node| matches!(node.op, Op::Var(it) if it == var))
        };
        let written = leaf.writes.iter().map(|(var, _)| *var);
        if written.chain(leaf.phis().map(|phi| phi.var)).any(reads) {
            return Err("it keeps a variable".into());
        }
        self.shared(id, id, start)
    }

    /// Results are there until the end, whatever the next invocation begins with.
    fn results(&self) -> Result<(), String> {
        let (Some(restart), Some(first)) = (self.schedule.restart, &self.order.first) else {
            return Ok(());
        };
        let returns: Vec<VarId> = self.program.scalar_results().collect();
        if returns.iter().any(|&var| self.program.vars[var].is_arg) {
            return Err("a result is an argument, which may change".into());
        }
        let end = self.schedule.drain + u32::from(!returns.is_empty());
        if restart >= end {
            return Err("the next invocation is asked for after the end".into());
        }
        let mut open: Vec<(LeafId, u32)> = first.iter().map(|&leaf| (leaf, restart + 1)).collect();
        let mut seen: BTreeMap<LeafId, u32> = BTreeMap::new();
        while let Some((leaf, start)) = open.pop() {
            if start >= end || seen.get(&leaf).is_some_and(|&known| known <= start) {
                continue;
            }
            seen.insert(leaf, start);
            let mut written = self.written(leaf).into_iter();
            if written.any(|(var, from, _)| returns.contains(&var) && start + from < end) {
                return Err("the next invocation writes a result before the end".into());
            }
            if self.order.is_open[leaf] {
                return Err("too much may follow to be looked at".into());
            }
            let released = start + self.shortest(leaf);
            open.extend(
                self.order.next[leaf]
                    .iter()
                    .map(|&next| (next, released + 1)),
            );
        }
        Ok(())
    }

    /// Cycles from a leaf's start to its release, at least.
    fn shortest(&self, id: LeafId) -> u32 {
        let (leaf, times) = self.of(id);
        let Some(repeat) = &leaf.repeat else {
            return times.release;
        };
        if repeat.enter.is_some() {
            return 0;
        }
        let issues =
            u64::from(times.ii.unwrap_or(1)) * (repeat.trip().unwrap_or(1).max(1) - 1).min(1 << 31);
        let cycles = issues + 1 + u64::from(times.release);
        u32::try_from(cycles).map_or(FAR, |cycles| cycles.min(FAR))
    }

    /// The second leaf starts `start` cycles after the last iteration of the first.
    fn pair(&self, first: LeafId, second: LeafId, start: u32) -> Result<(), String> {
        if first == second {
            return Err("it starts again before its end".into());
        }
        if self.order.is_open[second] {
            return Err("too much may follow to be looked at".into());
        }
        if self.waits(first) || self.waits(second) {
            return Err("one of the two waits for a stream".into());
        }
        self.shared(first, second, start)?;
        for (var, from, _) in self.written(second) {
            let from = start + from;
            if self.last_read(first, var).is_some_and(|read| from < read) {
                let name = &self.program.vars[var].name;
                return Err(format!("'{name}' changes while it is read"));
            }
        }
        Ok(())
    }

    /// Memories and operators that both use.
    fn shared(&self, first: LeafId, second: LeafId, start: u32) -> Result<(), String> {
        let (leaf, _) = self.of(second);
        let start = start + u32::from(leaf.repeat.is_some());
        let ends = self.touched(first, u32::max);
        let begins = self.touched(second, u32::min);
        let met = ends
            .iter()
            .find(|(thing, last)| begins.get(thing).is_some_and(|at| start + at <= **last));
        if let Some((thing, _)) = met {
            let label = &self.of(second).0.label;
            return Err(format!("{label} uses {thing:?} at the same time"));
        }
        self.elements(first, second, start)
    }

    /// No element is loaded or stored by the second before the first has done so, if one of the two stores it. The first iteration of
    /// the second begins `start` cycles after the last one of the first.
    fn elements(&self, first: LeafId, second: LeafId, start: u32) -> Result<(), String> {
        let ((leaf, times), (next, next_times)) = (self.of(first), self.of(second));
        for one in &leaf.accesses {
            let late = times.times.start[one.node.index()];
            if late < start {
                continue;
            }
            let others = next
                .accesses
                .iter()
                .filter(|other| other.mem == one.mem && (one.is_store || other.is_store));
            for other in others {
                let early = start + next_times.times.start[other.node.index()];
                let iis = [times, next_times].map(|times| times.ii.unwrap_or(1));
                if early <= late && may_meet((leaf, one), (next, other), late - early, iis) {
                    let name = &self.program.mems[one.mem].name;
                    return Err(format!("{} meets it in '{name}'", next.label));
                }
            }
        }
        Ok(())
    }

    fn waits(&self, id: LeafId) -> bool {
        let mut accesses = self.of(id).0.accesses.iter();
        accesses.any(|access| matches!(self.program.mems[access.mem].place, Place::Stream(_)))
    }

    /// By thing, the first or last cycle of an iteration in which it is touched.
    fn touched(&self, id: LeafId, choose: fn(u32, u32) -> u32) -> BTreeMap<Thing, u32> {
        let (leaf, times) = self.of(id);
        let mut found: BTreeMap<Thing, u32> = BTreeMap::new();
        let mut touch = |thing: Thing, at: u32| {
            let known = found.entry(thing).or_insert(at);
            *known = choose(*known, at);
        };
        for (access, &port) in leaf.accesses.iter().zip(&times.ports) {
            let is_inside = !self.program.mems[access.mem].place.is_outside();
            let thing = Thing::Port(access.mem.index(), port, access.is_store && is_inside);
            touch(thing, times.times.start[access.node.index()]);
        }
        for node in leaf.graph.nodes.ids() {
            let i = node.index();
            if let Some(instance) = times.instances[i]
                && let Some((unit, variant)) = self.schedule.called(self.program, id, node)
            {
                let interval = self.schedule.units[unit].variants[variant as usize].interval;
                let thing = Thing::Unit(unit.index(), variant, instance);
                touch(thing, times.times.start[i]);
                touch(
                    thing,
                    choose(times.times.start[i], times.times.start[i] + interval - 1),
                );
            }
        }
        found
    }

    /// Variables that others touch, too: from when on they are written, counted from the start, and until when, from that of the last
    /// iteration.
    fn written(&self, id: LeafId) -> Vec<(VarId, u32, u32)> {
        let (leaf, times) = self.of(id);
        let ready = |node: NodeId| times.times.ready[node.index()];
        let mut found = Vec::new();
        for &(var, node) in &leaf.writes {
            let from = ready(node) + u32::from(leaf.repeat.is_some());
            found.push((var, from, ready(node)));
        }
        for phi in leaf.phis() {
            found.push((phi.var, 0, taken(leaf, times, phi.node)));
        }
        found.retain(|(var, ..)| self.touchers.are_several(*var));
        found
    }

    /// The last cycle of an iteration in which a variable is read.
    fn last_read(&self, id: LeafId, var: VarId) -> Option<u32> {
        let (leaf, times) = self.of(id);
        if leaf.phis().any(|phi| phi.var == var) {
            return Some(times.depth);
        }
        let mut cone = vec![false; leaf.graph.nodes.len()];
        let mut last = None;
        for (node, about) in leaf.graph.nodes.iter() {
            let i = node.index();
            let is_it = matches!(about.op, Op::Var(it) if it == var);
            let reads = is_it || about.args.iter().any(|arg| cone[arg.index()]);
            let is_dead = times.times.width[i] == 0 && !matches!(about.op, Op::Store(_));
            if reads && !is_dead {
                // What is in registers does not follow the variable any more.
                cone[i] = times.times.stable[i];
                last = last.max(Some(times.times.start[i]));
            }
        }
        let ready = |node: NodeId| times.times.ready[node.index()];
        let written = leaf.writes.iter().map(|&(_, node)| (node, ready(node)));
        let next = leaf.phis().map(|phi| {
            let next = leaf.graph.nodes[phi.node].args[1];
            (next, taken(leaf, times, phi.node))
        });
        let late = written.chain(next).filter(|(node, _)| cone[node.index()]);
        late.map(|(_, taken)| Some(taken)).fold(last, Option::max)
    }
}

/// The cycle of an iteration at the end of which the register of a carried value takes the next one: not before that is there, nor
/// before this one is read.
fn taken(leaf: &Leaf, times: &LeafSchedule, phi: NodeId) -> u32 {
    let nodes = [phi, leaf.graph.nodes[phi].args[1]];
    let ready = nodes.map(|node| times.times.ready[node.index()]);
    ready[0].max(ready[1])
}

/// Whether an access of the last iterations of one leaf and one of the first iterations of another may touch the same element, those
/// in the last and first iteration `cycles` too late for one another; each iteration between takes the leaf's interval off.
fn may_meet(
    (leaf, one): (&Leaf, &Access),
    (next, other): (&Leaf, &Access),
    cycles: u32,
    [ii, next_ii]: [u32; 2],
) -> bool {
    let last = Counters::of(leaf, true);
    let first = Counters::of(next, false);
    let (Some(mut last), Some(first)) = (last, first) else {
        return true;
    };
    let mut left = i64::from(cycles);
    while left >= 0 {
        let Some(element) = last.place(one) else {
            return true;
        };
        let mut first = first.clone();
        let mut rest = left;
        while rest >= 0 {
            if first.place(other).is_none_or(|there| there == element) {
                return true;
            }
            rest -= i64::from(next_ii);
            if !first.step() {
                break;
            }
        }
        left -= i64::from(ii);
        if !last.step() {
            break;
        }
    }
    false
}

/// Counters of a nest, from one end to the other.
#[derive(Clone)]
struct Counters {
    trips: Vec<u64>,
    now: Vec<u64>,
    is_backwards: bool,
}

impl Counters {
    /// `None` if a loop's iterations are not known, or none.
    fn of(leaf: &Leaf, is_backwards: bool) -> Option<Counters> {
        let dims = leaf.repeat.as_ref().map_or(&[][..], |repeat| &repeat.dims);
        let trips: Vec<u64> = dims.iter().map(|dim| dim.trip).collect::<Option<_>>()?;
        let last = trips.iter().map(|trip| trip.checked_sub(1));
        let last: Vec<u64> = last.collect::<Option<_>>()?;
        let now = match is_backwards {
            true => last,
            false => vec![0; trips.len()],
        };
        Some(Counters {
            trips,
            now,
            is_backwards,
        })
    }

    /// The next iteration; whether there is one.
    fn step(&mut self) -> bool {
        for (now, trip) in self.now.iter_mut().zip(&self.trips).rev() {
            match (self.is_backwards, *now) {
                (true, 0) => *now = trip - 1,
                (true, _) => {
                    *now -= 1;
                    return true;
                }
                (false, at) if at + 1 == *trip => *now = 0,
                (false, _) => {
                    *now += 1;
                    return true;
                }
            }
        }
        false
    }

    /// The address of an access, if it is known.
    fn place(&self, access: &Access) -> Option<i128> {
        let affine = access.address.as_ref()?;
        let of_counters = affine.counters.iter().map(|(dim, coefficient)| {
            let count = self.now.get(*dim)?;
            coefficient.checked_mul(i128::from(*count))
        });
        let sum = of_counters.sum::<Option<i128>>()?;
        let is_known = affine.symbols.is_empty();
        is_known.then(|| sum.checked_add(affine.constant))?
    }
}
