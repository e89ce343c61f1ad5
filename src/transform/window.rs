//! Scalar replacement across iterations: a value that an earlier iteration loaded or stored stays in registers.
//!
//! In an innermost counted loop, an access whose element another load reads `k` iterations later (a dependence of
//! constant distance `k`) feeds a chain of `k` carried values, and that load goes (Callahan, Carr and Kennedy, Improving
//! register allocation for subscripted variables, 1990, section 4). A load that leads takes load off the ports; a store
//! that leads takes the memory out of a recurrence.
//!
//! The chains fill in iterations before the first: the loop starts as many steps earlier as the longest chain is long,
//! with everything but the leading loads under a guard. A leading store has nothing to store there; a load of its
//! element, which later iterations do not use, stands in for it. Where that takes a port that the loop needs, and no loop is
//! around, the chains are loaded before the loop instead.

use super::{is_loop, local_copy};
use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::analysis::{Affine, Subscript, Values, Varying};
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::{HashMap, HashSet};

/// Longest chain of registers.
const LONGEST: u32 = 64;

/// Longest one whatever the number of loads that it replaces, and how many registers each of them is worth beyond that.
const SHORT: u32 = 16;
const WORTH: u32 = 4;

/// Accesses to one array beyond which a loop is left alone: every pair of them is looked at, with every third.
const MANY: usize = 64;

/// Rewrites all innermost counted loops in which the ports of a memory or a recurrence through memory may be eased.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let body = rewrite(
        body,
        &mut Window {
            kernel: &mut *kernel,
            values,
            depth: 0,
        },
    );
    kernel.body = body;
}

struct Window<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
    /// How many loops are around.
    depth: usize,
}

/// A load or store in the body.
struct Access {
    /// What is loaded or stored.
    value: ValueId,
    indices: Vec<ValueId>,
    /// `None` where one of them is neither fixed nor moves with the loop.
    subscripts: Option<Vec<Subscript>>,
    is_store: bool,
    /// Every iteration performs it.
    certain: bool,
}

/// How the elements of two accesses are related.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// No iteration of the one meets one of the other.
    Never,
    /// The second comes to an element so many iterations after the first.
    After(i128),
    /// Anything may be.
    Unknown,
}

/// An access and the loads that follow it, each with its distance in iterations.
struct Chain {
    array: ArrayId,
    leader: Access,
    /// If a store leads: a load of the same element that every iteration performs before.
    loaded: Option<ValueId>,
    /// Iterations before that load's value is there, if it follows itself.
    delay: u32,
    /// If a store leads: a load in its place takes a port that the loop needs.
    crowds: bool,
    followers: Vec<(ValueId, u32)>,
    /// Loads of the array that neither lead nor follow and that iterations before the first may do, too: nothing is stored, and rows after
    /// this one may find what they load (`lines`).
    beside: Vec<ValueId>,
}

impl Chain {
    fn length(&self) -> u32 {
        self.followers.iter().map(|f| f.1).max().unwrap_or(0)
    }
}

/// The loop that is being rewritten.
struct Frame<'f> {
    f: &'f For,
    step: i128,
    /// Values that may change from one iteration to the next.
    varying: Varying,
}

/// Of each chain, for each of its registers, the subscripts of what is in there before the first iteration.
type Starts = Vec<Vec<Vec<Affine>>>;

impl Rewriter for Window<'_> {
    fn enter(&mut self, op: &mut Op, _: usize) {
        self.depth += usize::from(is_loop(&op.kind));
    }

    fn exit(&mut self, op: &mut Op, _: usize) {
        self.depth -= usize::from(is_loop(&op.kind));
    }

    /// Emits an operation, rewritten if it is a loop with chains.
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind
            && let Some((chains, step)) = self.chains(f)
            && let Some(first) = self.earlier(f, step, &chains)
        {
            let crowded = self.depth == 0 && chains.iter().any(|chain| chain.crowds);
            let starts = crowded.then(|| self.starts(f, step, &chains)).flatten();
            match starts {
                Some(starts) => {
                    self.fill_before(f, &mut op.results, (&chains, &starts), op.span, out)
                }
                None => self.rewrite(f, &mut op.results, chains, first, op.span, out),
            }
        }
        out.push(op);
    }
}

impl Window<'_> {
    // Finding ----------------------------------------------------------------------------------------

    /// The chains of an innermost loop, and its step.
    fn chains(&self, f: &For) -> Option<(Vec<Chain>, i128)> {
        let step = self.values.constant(f.step)?.to_i128()?;
        let runs = if f.descending { step < 0 } else { step > 0 };
        let innermost = !f.body.ops.iter().any(Op::contains_loop);
        if !runs || !innermost {
            return None;
        }
        let varying = self.values.varying(f);
        let frame = Frame { f, step, varying };
        let mut accesses = Vec::new();
        self.collect(&frame, &f.body, true, &mut accesses);
        let chains = accesses.into_iter().flat_map(|(array, accesses)| {
            accesses.map_or(Vec::new(), |list| self.chains_of(&frame, array, list))
        });
        let chains: Vec<Chain> = chains.collect();
        (!chains.is_empty()).then_some((chains, step))
    }

    /// Lists the accesses of each array in the order of the text; `None` for one that is accessed as a whole.
    fn collect(
        &self,
        frame: &Frame,
        block: &Block,
        certain: bool,
        arrays: &mut Vec<(ArrayId, Option<Vec<Access>>)>,
    ) {
        for op in &block.ops {
            let value = match &op.kind {
                OpKind::Load { .. } => op.results[0],
                OpKind::Store { value, .. } => *value,
                kind if kind.is_pure() => continue,
                OpKind::If(branch) => {
                    self.collect(frame, &branch.then, false, arrays);
                    self.collect(frame, &branch.otherwise, false, arrays);
                    continue;
                }
                _ => {
                    let touched = touch::Touched::by(op);
                    for array in touched.read.union(&touched.written) {
                        *entry(arrays, *array) = None;
                    }
                    continue;
                }
            };
            let Some(at) = touch::element(&op.kind) else {
                continue;
            };
            let of = |&v: &ValueId| self.values.subscript(frame.f.iv, &frame.varying, v);
            let access = Access {
                value,
                subscripts: at.indices.iter().map(of).collect(),
                indices: at.indices.clone(),
                is_store: matches!(op.kind, OpKind::Store { .. }),
                certain: certain && at.when.is_none(),
            };
            if let Some(list) = entry(arrays, at.array) {
                list.push(access);
            }
        }
    }

    /// When `second` comes to the element of `first`.
    fn relation(&self, frame: &Frame, first: &Access, second: &Access) -> Relation {
        let (Some(first), Some(second)) = (&first.subscripts, &second.subscripts) else {
            return Relation::Unknown;
        };
        let order = &self.values;
        let (mut unknown, mut after) = (false, None);
        for pair in first.iter().zip(second) {
            match pair {
                (Subscript::Moving(by, a), Subscript::Moving(other, b)) if by == other => {
                    let apart = a.plus(b, -1).filter(|sum| sum.terms.is_empty());
                    let each = by.checked_mul(frame.step);
                    let Some((apart, each)) = apart.map(|sum| sum.constant).zip(each) else {
                        unknown = true;
                        continue;
                    };
                    if apart % each != 0 || after.is_some_and(|k| k != apart / each) {
                        return Relation::Never;
                    }
                    after = Some(apart / each);
                }
                (Subscript::Fixed(a), Subscript::Fixed(b)) if order.same(*a, *b) => {}
                (Subscript::Fixed(a), Subscript::Fixed(b)) => match order.distance(*a, *b) {
                    Some(0) => {}
                    Some(_) => return Relation::Never,
                    None if order.distinct(&[*a], &[*b], &[]) => return Relation::Never,
                    None => unknown = true,
                },
                _ => unknown = true,
            }
        }
        match after {
            Some(k) if !unknown => Relation::After(k),
            _ => Relation::Unknown,
        }
    }

    /// The distance at which the load at `follower` may take the value of the access at `leader`.
    fn follows(
        &self,
        frame: &Frame,
        list: &[Access],
        leader: usize,
        follower: usize,
    ) -> Option<u32> {
        let Relation::After(distance) = self.relation(frame, &list[leader], &list[follower]) else {
            return None;
        };
        let kept = |store: usize| match self.relation(frame, &list[store], &list[follower]) {
            _ if store == leader => true,
            Relation::Never => true,
            // The store of this iteration comes later, or the element is stored before it was read, or after.
            Relation::After(0) => follower < store,
            Relation::After(k) => k > distance || k < 0,
            Relation::Unknown => false,
        };
        let allowed = (1..=i128::from(LONGEST)).contains(&distance)
            && (0..list.len()).all(|i| !list[i].is_store || kept(i));
        distance.to_u32().filter(|_| allowed)
    }

    /// The chains through one array.
    fn chains_of(&self, frame: &Frame, array: ArrayId, list: Vec<Access>) -> Vec<Chain> {
        if list.len() > MANY {
            return Vec::new();
        }
        let leaders = |follower: usize| -> Vec<(u32, usize)> {
            let certain = (0..list.len()).filter(|&l| list[l].certain && l != follower);
            let found = certain.filter_map(|l| Some((self.follows(frame, &list, l, follower)?, l)));
            found.collect()
        };
        let loads = (0..list.len()).filter(|&i| !list[i].is_store);
        let mut candidates: Vec<_> = loads.map(|i| (i, leaders(i))).collect();
        // Those furthest ahead are decided first, so that a leader never follows itself.
        candidates.sort_by_key(|(_, leaders)| leaders.len());
        let mut led: HashMap<usize, (u32, usize)> = HashMap::new();
        for (follower, leaders) in candidates {
            let heads = leaders.into_iter().filter(|(_, l)| !led.contains_key(l));
            if let Some(farthest) = heads.max() {
                led.insert(follower, farthest);
            }
        }
        // An access that leads must not follow.
        let follow: Vec<usize> = led.keys().copied().collect();
        led.retain(|_, (_, leader)| !follow.contains(leader));
        let mut chains: Vec<Chain> = Vec::new();
        let is_read = list.iter().all(|access| !access.is_store);
        let beside =
            (0..list.len()).filter(|&i| is_read && list[i].certain && !led.contains_key(&i));
        let beside = beside.filter(|&i| list[i].subscripts.is_some());
        let mut beside: Vec<ValueId> = beside.map(|i| list[i].value).collect();
        let most_ports = self.kernel.arrays[array].tags.most_ports() as usize;
        let mut ports = [list.len(); 2];
        let mut stand_ins = 0;
        for (position, leader) in list.iter().enumerate() {
            let mut followers: Vec<_> = (0..list.len())
                .filter_map(|i| led.get(&i).filter(|l| l.1 == position).map(|l| (i, l.0)))
                .collect();
            followers.sort_unstable_by_key(|&(_, distance)| distance);
            while followers
                .last()
                .is_some_and(|&(_, far)| far > SHORT.max(WORTH * followers.len() as u32))
            {
                followers.pop();
            }
            followers.sort_unstable();
            if followers.is_empty() {
                continue;
            }
            let loaded = match leader.is_store {
                true => self.loaded_before(frame, &list, position),
                false => None,
            };
            ports[1] -= followers.len();
            stand_ins += usize::from(leader.is_store && loaded.is_none());
            let followers = followers.iter().map(|&(i, k)| (list[i].value, k));
            chains.push(Chain {
                array,
                followers: followers.collect(),
                loaded: loaded.map(|load| list[load].value),
                delay: loaded.and_then(|load| led.get(&load)).map_or(0, |l| l.0),
                crowds: false,
                // Of all chains, which are left out together.
                beside: std::mem::take(&mut beside),
                leader: Access {
                    value: leader.value,
                    indices: leader.indices.clone(),
                    subscripts: leader.subscripts.clone(),
                    ..*leader
                },
            });
        }
        let cycles = |accesses: usize| accesses.div_ceil(most_ports);
        let [before, after] = [ports[0], ports[1] + stand_ins].map(cycles);
        let eased = before > after;
        let crowds = after > cycles(ports[1]);
        for chain in &mut chains {
            chain.crowds = crowds && chain.leader.is_store && chain.loaded.is_none();
        }
        chains.retain(|chain| eased || chain.leader.is_store);
        chains
    }

    /// A load that every iteration performs of the element that it later stores, the only store to the array.
    fn loaded_before(&self, frame: &Frame, list: &[Access], store: usize) -> Option<usize> {
        let alone = list.iter().filter(|a| a.is_store).count() == 1;
        let same = |load: usize| {
            let relation = self.relation(frame, &list[load], &list[store]);
            list[load].certain && relation == Relation::After(0)
        };
        (0..store).find(|&load| alone && same(load))
    }

    /// How far the first value of the induction variable moves back to fill the chains; `None` where it might wrap.
    fn earlier(&self, f: &For, step: i128, chains: &[Chain]) -> Option<i128> {
        let length = chains.iter().map(|c| c.length() + c.delay).max()?;
        let back = step.checked_mul(i128::from(length))?;
        self.values.can_move(f.lo, -back).then_some(back)
    }

    /// Where the leaders would have been before the first iteration; `None` where that depends on what the loop computes.
    fn starts(&self, f: &For, step: i128, chains: &[Chain]) -> Option<Starts> {
        let inside = f.body.defined();
        let is_outside = |sum: &Affine| {
            let mut values = sum.terms.iter().map(|(value, _)| value);
            values.all(|value| !inside.contains(value) && !f.carried.contains(value))
        };
        let lo = self.values.affine(f.lo);
        let subscript = |subscript: &Subscript, back: i128| {
            let sum = match subscript {
                Subscript::Fixed(value) => self.values.affine(*value),
                Subscript::Moving(by, rest) => {
                    let mut sum = rest.plus(&lo, *by)?;
                    let moved = by.checked_mul(step)?.checked_mul(back)?;
                    sum.constant = sum.constant.checked_sub(moved)?;
                    sum
                }
            };
            Some(sum).filter(is_outside)
        };
        let of_chain = |chain: &Chain| {
            let subscripts = chain.leader.subscripts.as_ref()?;
            let each = (1..=i128::from(chain.length())).map(|back| {
                let each = subscripts.iter().map(|one| subscript(one, back));
                each.collect()
            });
            each.collect()
        };
        chains.iter().map(of_chain).collect()
    }

    // Rewriting --------------------------------------------------------------------------------------

    /// Rewrites a loop of which the chains are loaded before it.
    fn fill_before(
        &mut self,
        f: &mut For,
        results: &mut Vec<ValueId>,
        (chains, starts): (&[Chain], &Starts),
        span: Span,
        before: &mut Vec<Op>,
    ) {
        let first = f.inits.len();
        let registers = self.registers(f, results, chains, span, before);
        let mut build = self.kernel.build(before, span);
        let places = chains.iter().zip(starts);
        let places = places.flat_map(|(chain, starts)| starts.iter().map(|at| (chain.array, at)));
        for (init, (array, at)) in f.inits[first..].iter_mut().zip(places) {
            let indices = at.iter().map(|sum| local_copy::sum(&mut build, sum));
            let indices = indices.collect();
            *init = build.load(array, indices);
        }
        let renamed = followers(chains, &registers);
        drop_loads(&mut f.body.ops, &renamed);
        for (chain, line) in chains.iter().zip(&registers) {
            f.body.yields.push(chain.leader.value);
            f.body.yields.extend(&line[..line.len() - 1]);
        }
        f.body
            .for_each_use(&mut |v| *v = *renamed.get(v).unwrap_or(v));
    }

    /// `lo - back`, as a constant if `lo` is one.
    fn first(&mut self, lo: ValueId, back: i128, span: Span, out: &mut Vec<Op>) -> ValueId {
        let known = self.values.constant(lo).map(|known| known - back);
        let mut build = self.kernel.build(out, span);
        match known {
            Some(first) => build.index(first),
            None => {
                let back = build.index(BigInt::from(back));
                build.binary(BinaryOp::Sub, lo, back)
            }
        }
    }

    /// Rewrites a loop that starts `back` earlier; what it needs from before goes to `before`.
    fn rewrite(
        &mut self,
        f: &mut For,
        results: &mut Vec<ValueId>,
        chains: Vec<Chain>,
        back: i128,
        span: Span,
        before: &mut Vec<Op>,
    ) {
        let lo = f.lo;
        f.lo = self.first(lo, back, span, before);
        let own = f.carried.len();
        let registers = self.registers(f, results, &chains, span, before);
        let renamed = followers(&chains, &registers);
        let ops = std::mem::take(&mut f.body.ops);
        let (mut front, rest) = self.part(ops, &chains, &renamed);
        // What the guarded part yields: the loop's own values, and what leading stores store.
        let mut then = Block {
            ops: rest,
            yields: std::mem::take(&mut f.body.yields),
        };
        let mut otherwise = Block {
            ops: Vec::new(),
            yields: f.carried[..own].to_vec(),
        };
        for chain in chains.iter().filter(|c| c.leader.is_store) {
            then.yields.push(chain.leader.value);
            let loaded = self.stand_in(chain, span, &mut front);
            otherwise.yields.push(loaded);
        }
        let early = match f.descending {
            true => CompareOp::Le,
            false => CompareOp::Ge,
        };
        let mut build = self.kernel.build(&mut front, span);
        let guard = build.compare(early, f.iv, lo);
        let chosen = build.branch(guard, then, otherwise);
        f.body.ops = front;
        f.body.yields = chosen[..own].to_vec();
        let mut stored = chosen[own..].iter().copied();
        for (chain, line) in chains.iter().zip(&registers) {
            let head = match chain.leader.is_store {
                true => stored.next().unwrap_or(chain.leader.value),
                false => chain.leader.value,
            };
            f.body.yields.push(head);
            f.body.yields.extend(&line[..line.len() - 1]);
        }
        f.body
            .for_each_use(&mut |v| *v = *renamed.get(v).unwrap_or(v));
    }

    /// Has the loop carry the registers of each chain, the latest value first.
    fn registers(
        &mut self,
        f: &mut For,
        results: &mut Vec<ValueId>,
        chains: &[Chain],
        span: Span,
        before: &mut Vec<Op>,
    ) -> Vec<Vec<ValueId>> {
        let mut registers = Vec::new();
        for chain in chains {
            let Array { elem, name, .. } = &self.kernel.arrays[chain.array];
            let (ty, name) = (*elem, name.clone());
            let unknown = self.kernel.build(before, span).zero(ty);
            let mut line = Vec::new();
            for k in 1..=chain.length() {
                line.push(self.kernel.value(ty, Some(&format!("{name}_back{k}"))));
                results.push(self.kernel.value(ty, None));
                f.inits.push(unknown);
            }
            f.carried.extend(&line);
            registers.push(line);
        }
        registers
    }

    /// What a chain takes before the first iteration instead of what its leader stores.
    fn stand_in(&mut self, chain: &Chain, span: Span, out: &mut Vec<Op>) -> ValueId {
        match chain.loaded {
            Some(loaded) => loaded,
            None => {
                let indices = chain.leader.indices.clone();
                self.kernel.build(out, span).load(chain.array, indices)
            }
        }
    }

    /// Parts the operations of a body: the leading loads with the subscripts of all leaders; all others but the loads that
    /// are gone.
    fn part(
        &self,
        ops: Vec<Op>,
        chains: &[Chain],
        gone: &HashMap<ValueId, ValueId>,
    ) -> (Vec<Op>, Vec<Op>) {
        let leading = chains.iter().filter_map(|c| match c.leader.is_store {
            true => c.loaded,
            false => Some(c.leader.value),
        });
        let leading = leading.chain(chains.iter().flat_map(|c| c.beside.iter().copied()));
        let leading: HashSet<ValueId> = leading.filter(|l| !gone.contains_key(l)).collect();
        let mut needed: HashSet<ValueId> = HashSet::new();
        let mut work: Vec<ValueId> = chains
            .iter()
            .flat_map(|c| &c.leader.indices)
            .copied()
            .collect();
        // A load that stands in for a store may have subscripts of its own.
        let loads = ops
            .iter()
            .filter(|op| op.results.iter().any(|r| leading.contains(r)));
        work.extend(loads.flat_map(|op| op.kind.operands()));
        while let Some(value) = work.pop() {
            if needed.insert(value)
                && let Some(kind) = self.values.definition(value)
            {
                work.extend(kind.operands());
            }
        }
        let is_first = |op: &Op| match op.results[..] {
            [result] => {
                leading.contains(&result)
                    || (needed.contains(&result) && self.values.definition(result).is_some())
            }
            _ => false,
        };
        let (first, mut rest): (Vec<Op>, Vec<Op>) = ops.into_iter().partition(is_first);
        drop_loads(&mut rest, gone);
        (first, rest)
    }
}

/// The loads that are gone, each with the register that has its value.
fn followers(chains: &[Chain], registers: &[Vec<ValueId>]) -> HashMap<ValueId, ValueId> {
    let mut renamed = HashMap::new();
    for (chain, line) in chains.iter().zip(registers) {
        let followers = chain.followers.iter();
        renamed.extend(followers.map(|&(load, k)| (load, line[k as usize - 1])));
    }
    renamed
}

/// Removes the loads whose results have another name now.
fn drop_loads(ops: &mut Vec<Op>, gone: &HashMap<ValueId, ValueId>) {
    ops.retain(|op| op.results.first().is_none_or(|r| !gone.contains_key(r)));
    for op in ops {
        for inner in op.kind.blocks_mut() {
            drop_loads(&mut inner.ops, gone);
        }
    }
}

fn entry(
    arrays: &mut Vec<(ArrayId, Option<Vec<Access>>)>,
    array: ArrayId,
) -> &mut Option<Vec<Access>> {
    let position = match arrays.iter().position(|(a, _)| *a == array) {
        Some(position) => position,
        None => {
            arrays.push((array, Some(Vec::new())));
            arrays.len() - 1
        }
    };
    &mut arrays[position].1
}
