//! Scalar replacement across iterations: a value that an earlier iteration loaded or stored stays in registers.
//!
//! In an innermost counted loop, an access whose element another load reads `k` iterations later (a dependence of
//! constant distance `k`) feeds a chain of `k` carried values, and that load goes (Callahan, Carr and Kennedy, Improving
//! register allocation for subscripted variables, 1990, section 4). A load that leads takes load off the ports; a store
//! that leads takes the memory out of a recurrence.
//!
//! The chains fill in iterations before the first: the loop starts as many steps earlier as the longest chain is long,
//! with everything but the leading loads under a guard. A leading store has nothing to store there; a load of its
//! element, which later iterations do not use, stands in for it.

use super::order::{self, Rewrite, Subscript};
use crate::diagnostics::Span;
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::{HashMap, HashSet};

/// Longest chain of registers.
const LONGEST: u32 = 16;

/// Ports that a memory is thought to have.
const PORTS: u32 = 2;

/// Rewrites all innermost counted loops in which the ports of a memory or a recurrence through memory may be eased.
pub fn run(kernel: &mut Kernel) {
    let (rewrite, body) = Rewrite::begin(kernel);
    let mut pass = Window { rewrite };
    let body = pass.block(body);
    pass.rewrite.kernel.body = body;
}

struct Window<'k> {
    rewrite: Rewrite<'k>,
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
    followers: Vec<(ValueId, u32)>,
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
    inside: HashSet<ValueId>,
}

impl Window<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut ops = Vec::new();
        for mut op in block.ops {
            if let OpKind::For(f) = &op.kind {
                self.rewrite.enter(f);
            }
            for inner in op.kind.blocks_mut() {
                let taken = std::mem::take(inner);
                *inner = self.block(taken);
            }
            self.visit(op, &mut ops);
        }
        Block {
            ops,
            yields: block.yields,
        }
    }

    /// Emits an operation, rewritten if it is a loop with chains.
    fn visit(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind
            && let Some((chains, step)) = self.chains(f)
            && let Some(first) = self.earlier(f, step, &chains)
        {
            self.rewrite(f, &mut op.results, chains, first, op.span, out);
        }
        out.push(op);
    }

    // Finding ----------------------------------------------------------------------------------------

    /// The chains of an innermost loop, and its step.
    fn chains(&self, f: &For) -> Option<(Vec<Chain>, i128)> {
        let step = self.rewrite.order().constant(f.step)?.to_i128()?;
        let runs = if f.descending { step < 0 } else { step > 0 };
        let innermost = !f.body.ops.iter().any(Op::contains_loop);
        if !runs || !innermost {
            return None;
        }
        let inside = order::changing(f);
        let frame = Frame { f, step, inside };
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
            let subscripts = |indices: &[ValueId]| {
                let order = self.rewrite.order();
                let of = |&v: &ValueId| order.subscript(frame.f.iv, &frame.inside, v);
                indices.iter().map(of).collect()
            };
            let access = |indices: &[ValueId], value: ValueId, is_store: bool| Access {
                value,
                subscripts: subscripts(indices),
                indices: indices.to_vec(),
                is_store,
                certain,
            };
            match &op.kind {
                OpKind::Load { array, indices } => {
                    let access = access(indices, op.results[0], false);
                    if let Some(list) = entry(arrays, *array) {
                        list.push(access);
                    }
                }
                OpKind::Store {
                    array,
                    indices,
                    value,
                } => {
                    let access = access(indices, *value, true);
                    if let Some(list) = entry(arrays, *array) {
                        list.push(access);
                    }
                }
                OpKind::Fill { array, .. } => *entry(arrays, *array) = None,
                OpKind::Copy { dst, src } => {
                    *entry(arrays, *dst) = None;
                    *entry(arrays, *src) = None;
                }
                kind => {
                    for inner in kind.blocks() {
                        self.collect(frame, inner, false, arrays);
                    }
                }
            }
        }
    }

    /// When `second` comes to the element of `first`.
    fn relation(&self, frame: &Frame, first: &Access, second: &Access) -> Relation {
        let (Some(first), Some(second)) = (&first.subscripts, &second.subscripts) else {
            return Relation::Unknown;
        };
        let order = self.rewrite.order();
        let (mut unknown, mut after) = (false, None);
        for pair in first.iter().zip(second) {
            match pair {
                (Subscript::Moving(a), Subscript::Moving(b)) => {
                    let (steps, rest) = ((a - b) / frame.step, (a - b) % frame.step);
                    if rest != 0 || after.is_some_and(|k| k != steps) {
                        return Relation::Never;
                    }
                    after = Some(steps);
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
        let mut ports = [list.len(); 2];
        for (position, leader) in list.iter().enumerate() {
            let mut followers: Vec<_> = (0..list.len())
                .filter_map(|i| led.get(&i).filter(|l| l.1 == position).map(|l| (i, l.0)))
                .collect();
            followers.sort_unstable();
            if followers.is_empty() {
                continue;
            }
            let loaded = match leader.is_store {
                true => self.loaded_before(frame, &list, position),
                false => None,
            };
            ports[1] -= followers.len();
            ports[1] += usize::from(leader.is_store && loaded.is_none());
            let followers = followers.iter().map(|&(i, k)| (list[i].value, k));
            chains.push(Chain {
                array,
                followers: followers.collect(),
                loaded: loaded.map(|load| list[load].value),
                delay: loaded.and_then(|load| led.get(&load)).map_or(0, |l| l.0),
                leader: Access {
                    value: leader.value,
                    indices: leader.indices.clone(),
                    subscripts: None,
                    ..*leader
                },
            });
        }
        let [before, after] = ports.map(|n| n.div_ceil(PORTS as usize));
        let eased = before > after;
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
        let order = self.rewrite.order();
        order.can_move(f.lo, -back).then_some(back)
    }

    // Rewriting --------------------------------------------------------------------------------------

    /// `lo - back`, as a constant if `lo` is one.
    fn first(&mut self, lo: ValueId, back: i128, span: Span, out: &mut Vec<Op>) -> ValueId {
        let index = |c: BigInt| OpKind::Const(Const::Int(c));
        if let Some(known) = self.rewrite.order().constant(lo).cloned() {
            let first = index(known - back);
            return self.rewrite.kernel.emit(Scalar::Index, first, span, out);
        }
        let rhs = self
            .rewrite
            .kernel
            .emit(Scalar::Index, index(back.into()), span, out);
        let (op, lhs) = (BinaryOp::Sub, lo);
        let first = OpKind::Binary { op, lhs, rhs };
        self.rewrite.kernel.emit(Scalar::Index, first, span, out)
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
        let mut renamed = HashMap::new();
        for (chain, line) in chains.iter().zip(&registers) {
            let followers = chain.followers.iter();
            renamed.extend(followers.map(|&(load, k)| (load, line[k as usize - 1])));
        }
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
        let guard = self.guard(f, lo, span, &mut front);
        let like = |v: &ValueId| self.rewrite.kernel.values[*v].clone();
        let values: Vec<Value> = then.yields.iter().map(like).collect();
        let values = values
            .into_iter()
            .map(|v| self.rewrite.kernel.values.push(v));
        let chosen: Vec<ValueId> = values.collect();
        front.push(Op {
            kind: OpKind::If(Box::new(If {
                cond: guard,
                then,
                otherwise,
            })),
            results: chosen.clone(),
            span,
        });
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
            let Array { elem, name, .. } = &self.rewrite.kernel.arrays[chain.array];
            let (ty, name) = (*elem, name.clone());
            let zero = OpKind::Const(Const::zero(ty));
            let unknown = self.rewrite.kernel.emit(ty, zero, span, before);
            let mut line = Vec::new();
            for k in 1..=chain.length() {
                let named = Some(format!("{name}_back{k}"));
                line.push(self.rewrite.kernel.values.push(Value { ty, name: named }));
                results.push(self.rewrite.kernel.values.push(Value { ty, name: None }));
                f.inits.push(unknown);
            }
            f.carried.extend(&line);
            registers.push(line);
        }
        registers
    }

    /// Whether the iteration is one of those that there were before the loop started earlier.
    fn guard(&mut self, f: &For, lo: ValueId, span: Span, out: &mut Vec<Op>) -> ValueId {
        let compare = OpKind::Compare {
            op: match f.descending {
                true => CompareOp::Le,
                false => CompareOp::Ge,
            },
            lhs: f.iv,
            rhs: lo,
        };
        self.rewrite.kernel.emit(Scalar::BOOL, compare, span, out)
    }

    /// What a chain takes before the first iteration instead of what its leader stores.
    fn stand_in(&mut self, chain: &Chain, span: Span, out: &mut Vec<Op>) -> ValueId {
        let load = OpKind::Load {
            array: chain.array,
            indices: chain.leader.indices.clone(),
        };
        let elem = self.rewrite.kernel.arrays[chain.array].elem;
        chain
            .loaded
            .unwrap_or_else(|| self.rewrite.kernel.emit(elem, load, span, out))
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
        let leading: HashSet<ValueId> = leading.filter(|l| !gone.contains_key(l)).collect();
        let mut needed: HashSet<ValueId> = HashSet::new();
        let mut work: Vec<ValueId> = chains
            .iter()
            .flat_map(|c| &c.leader.indices)
            .copied()
            .collect();
        while let Some(value) = work.pop() {
            if needed.insert(value)
                && let Some(kind) = self.rewrite.definitions.get(&value)
            {
                work.extend(kind.operands());
            }
        }
        let is_first = |op: &Op| match op.results[..] {
            [result] => {
                leading.contains(&result)
                    || (needed.contains(&result) && self.rewrite.definitions.contains_key(&result))
            }
            _ => false,
        };
        let (first, mut rest): (Vec<Op>, Vec<Op>) = ops.into_iter().partition(is_first);
        drop_loads(&mut rest, gone);
        (first, rest)
    }
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
