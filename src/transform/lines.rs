//! Line buffers: what a row of a nest loaded, the rows after it take from memories of one row each, not from the array again.
//!
//! In `for r: for c`, a load of what another one loads `k` rows later at the same column (a dependence of constant distance
//! `(k, 0)`) follows it through a chain of `k` lines, each of which hands its element on in the iteration in which it gets the
//! next one. The nest begins as many rows earlier as the longest chain is long, with everything but the loads that lead under a
//! guard. (Scalar replacement across outer loops: Callahan, Carr and Kennedy, Improving register allocation for subscripted
//! variables, 1990, section 4; with rows in place of registers it is the smart buffer of Guo, Buyukkurt and Najjar, Input data
//! reuse in compiling window operations onto reconfigurable hardware, LCTES 2004.)

use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::analysis::trip::Trip;
use crate::ir::analysis::{Affine, Values, Varying};
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Most lines in a chain.
const LONGEST: i128 = 16;

/// Most bits of the lines of a nest.
const MOST_BITS: u64 = 1 << 18;

/// Fewest rows that are worth it.
const LEAST_ROWS: i128 = 8;

/// Loads of an array in a loop beyond which it is left alone: every two are compared.
const MANY: usize = 64;

/// Rewrites all nests of two loops in which that eases the ports of an array.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Lines { kernel, values });
}

struct Lines<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

/// A load that is in every iteration of both loops.
struct Load {
    value: ValueId,
    array: ArrayId,
    indices: Vec<Affine>,
}

/// A load that leads, and those that follow it, with their distances in rows.
struct Chain {
    array: ArrayId,
    leader: ValueId,
    followers: Vec<(ValueId, u32)>,
}

impl Chain {
    fn length(&self) -> u32 {
        self.followers.iter().map(|f| f.1).max().unwrap_or(0)
    }
}

/// Both loops of a nest.
struct Nest<'f> {
    f: &'f For,
    g: &'f For,
    /// The step of the outer one.
    step: i128,
    /// What changes with it.
    varying: Varying,
}

/// What is done to a nest.
struct Plan {
    chains: Vec<Chain>,
    /// Elements of a line.
    columns: u64,
    /// The row to begin with.
    first: BigInt,
    /// Where the inner loop is.
    at: usize,
}

impl Rewriter for Lines<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind
            && let Some(plan) = self.plan(f)
        {
            self.rewrite(f, plan, op.span, out);
        }
        out.push(op);
    }
}

impl Lines<'_> {
    // Finding ----------------------------------------------------------------------------------------

    fn plan(&self, f: &For) -> Option<Plan> {
        let trip = |f: &For| Trip::of(f, |value| self.values.constant(value).cloned());
        let at = inner(f)?;
        let OpKind::For(g) = &f.body.ops[at].kind else {
            return None;
        };
        let (rows, columns) = (trip(f)?, trip(g)?);
        let is_unit = columns.step.to_i128()?.abs() == 1;
        if !is_unit || rows.count < LEAST_ROWS.into() {
            return None;
        }
        let nest = Nest {
            f,
            g,
            step: rows.step.to_i128()?,
            varying: self.values.varying(f),
        };
        let chains = self.chains(&nest, &f.body.ops[at]);
        let longest = chains.iter().map(Chain::length).max()?;
        let columns = columns.count.to_u64()?;
        let bits = chains.iter().map(|chain| {
            let width = self.kernel.arrays[chain.array].elem.width();
            u64::from(width) * u64::from(chain.length())
        });
        let bits = bits.sum::<u64>().checked_mul(columns)?;
        let back = nest.step.checked_mul(longest.into())?;
        let is_legal = bits <= MOST_BITS && self.values.can_move(f.lo, -back);
        is_legal.then_some(Plan {
            chains,
            columns,
            first: rows.lo - back,
            at,
        })
    }

    /// The chains of arrays of which fewer loads are left for the ports in a cycle.
    fn chains(&self, nest: &Nest, inner: &Op) -> Vec<Chain> {
        let touched = touch::Touched::by(inner);
        let mut loads: BTreeMap<ArrayId, Vec<Load>> = BTreeMap::new();
        for op in &nest.g.body.ops {
            if let OpKind::Load {
                at,
                bypassed: false,
            } = &op.kind
                && at.when.is_none()
                && !touched.written.contains(&at.array)
            {
                let indices = at.indices.iter().map(|&index| self.values.affine(index));
                loads.entry(at.array).or_default().push(Load {
                    value: op.results[0],
                    array: at.array,
                    indices: indices.collect(),
                });
            }
        }
        let all = touch::accesses([inner]);
        let mut chains = Vec::new();
        for (array, loads) in loads {
            let found = self.chains_of(nest, &loads);
            let gone: usize = found.iter().map(|chain| chain.followers.len()).sum();
            let ports = self.kernel.arrays[array].most_ports();
            let cycles = |n: u64| n.div_ceil(ports);
            if cycles(all[&array] - gone as u64) < cycles(all[&array]) {
                chains.extend(found);
            }
        }
        chains
    }

    /// The chains through one array: each load follows the one that is furthest ahead.
    fn chains_of(&self, nest: &Nest, loads: &[Load]) -> Vec<Chain> {
        if loads.len() > MANY {
            return Vec::new();
        }
        let farthest = |follower: &Load| {
            let leaders = loads.iter().filter_map(|leader| {
                let rows = self.rows(nest, leader, follower)?;
                (1..=LONGEST)
                    .contains(&rows)
                    .then_some((rows, leader.value))
            });
            leaders.max_by_key(|leader| leader.0)
        };
        let mut chains: BTreeMap<ValueId, Chain> = BTreeMap::new();
        let followed: Vec<_> = loads.iter().map(|load| (load, farthest(load))).collect();
        let follows: HashSet<ValueId> = followed
            .iter()
            .filter_map(|(load, leader)| leader.map(|_| load.value))
            .collect();
        for (load, leader) in followed {
            let Some((rows, leader)) = leader.filter(|leader| !follows.contains(&leader.1)) else {
                continue;
            };
            let chain = chains.entry(leader).or_insert(Chain {
                array: load.array,
                leader,
                followers: Vec::new(),
            });
            chain.followers.push((load.value, rows as u32));
        }
        chains.into_values().collect()
    }

    /// After how many rows the second one comes to the element of the first, in the same column.
    fn rows(&self, nest: &Nest, first: &Load, second: &Load) -> Option<i128> {
        let mut rows = None;
        for (a, b) in first.indices.iter().zip(&second.indices) {
            let is_known = |term: &(ValueId, i128)| {
                term.0 == nest.f.iv || term.0 == nest.g.iv || nest.varying.is_fixed(term.0)
            };
            let apart = a.plus(b, -1).filter(|sum| sum.terms.is_empty())?.constant;
            let mut terms = a.terms.iter();
            let row = terms.clone().find(|term| term.0 == nest.f.iv);
            let each = row.map_or(0, |term| term.1).checked_mul(nest.step)?;
            if !terms.all(is_known) || (each == 0 && apart != 0) {
                return None;
            }
            if each != 0 {
                let exact = apart % each == 0;
                let here = Some(apart / each);
                if !exact || (rows.is_some() && rows != here) {
                    return None;
                }
                rows = here;
            }
        }
        rows
    }

    // Rewriting --------------------------------------------------------------------------------------

    fn rewrite(&mut self, f: &mut For, plan: Plan, span: Span, before: &mut Vec<Op>) {
        let lo = f.lo;
        f.lo = self.kernel.build(before, span).index(plan.first);
        let row = f.iv;
        let early = match f.descending {
            true => CompareOp::Le,
            false => CompareOp::Ge,
        };
        f.parallel = false;
        let OpKind::For(g) = &mut f.body.ops[plan.at].kind else {
            unreachable!("the inner loop is there")
        };
        let gone: BTreeSet<ValueId> = plan
            .chains
            .iter()
            .flat_map(|chain| chain.followers.iter().map(|follower| follower.0))
            .collect();
        let leaders: HashSet<ValueId> = plan.chains.iter().map(|chain| chain.leader).collect();
        let ops = std::mem::take(&mut g.body.ops);
        let (mut front, rest) = part(ops, &leaders, &gone);
        let column = self.column(g, span, &mut front);
        let mut renamed = HashMap::new();
        for chain in &plan.chains {
            self.lines(chain, plan.columns, column, &mut front, &mut renamed, span);
        }
        self.guard(g, (early, row, lo), front, rest, span);
        f.body
            .for_each_use(&mut |v| *v = *renamed.get(v).unwrap_or(v));
    }

    /// The position in a line.
    fn column(&mut self, g: &For, span: Span, out: &mut Vec<Op>) -> ValueId {
        if self.values.constant(g.lo) == Some(&BigInt::ZERO) && !g.descending {
            return g.iv;
        }
        let mut build = self.kernel.build(out, span);
        match g.descending {
            true => build.binary(BinaryOp::Sub, g.lo, g.iv),
            false => build.binary(BinaryOp::Sub, g.iv, g.lo),
        }
    }

    /// Appends what a chain does in an iteration: each line gives its element, and gets that of the one before it.
    fn lines(
        &mut self,
        chain: &Chain,
        columns: u64,
        column: ValueId,
        out: &mut Vec<Op>,
        renamed: &mut HashMap<ValueId, ValueId>,
        span: Span,
    ) {
        let mut element = chain.leader;
        for rows in 1..=chain.length() {
            let Array { name, elem, .. } = &self.kernel.arrays[chain.array];
            let (name, elem) = (format!("{name}_line{rows}"), *elem);
            let line = self.kernel.arrays.push(Array {
                name,
                elem,
                shape: vec![columns],
                kind: ArrayKind::Local,
                partition: Vec::new(),
                tags: ArrayTags::default(),
                stream: None,
                span: self.kernel.span,
            });
            let mut build = self.kernel.build(out, span);
            let before = build.load(line, vec![column]);
            build.store(line, vec![column], element);
            let followers = chain.followers.iter().filter(|follower| follower.1 == rows);
            renamed.extend(followers.map(|follower| (follower.0, before)));
            element = before;
        }
    }

    /// Puts a body together: `front` in every row, `rest` from the first one on.
    fn guard(
        &mut self,
        g: &mut For,
        (early, row, lo): (CompareOp, ValueId, ValueId),
        front: Vec<Op>,
        rest: Vec<Op>,
        span: Span,
    ) {
        let inside: HashSet<ValueId> = rest.iter().flat_map(|op| op.results.clone()).collect();
        let mut then = Block {
            ops: rest,
            yields: Vec::new(),
        };
        let mut otherwise = Block::default();
        // Each row begins with values of its own, so that what is carried through those before the first is of no account.
        let places: Vec<usize> = (0..g.body.yields.len())
            .filter(|&i| inside.contains(&g.body.yields[i]))
            .collect();
        for &i in &places {
            then.yields.push(g.body.yields[i]);
            otherwise.yields.push(g.carried[i]);
        }
        g.body.ops = front;
        let mut build = self.kernel.build(&mut g.body.ops, span);
        let guard = build.compare(early, row, lo);
        let chosen = build.branch(guard, then, otherwise);
        for (i, value) in places.into_iter().zip(chosen) {
            g.body.yields[i] = value;
        }
    }
}

/// Where the inner loop of a nest of two is, if nothing else is in the outer one that has to be done, and each row begins anew.
fn inner(f: &For) -> Option<usize> {
    let at = f.body.ops.iter().position(Op::contains_loop)?;
    let others = f.body.ops.iter().enumerate().filter(|other| other.0 != at);
    let mut kinds = others.clone().map(|(_, op)| &op.kind);
    let are_pure = kinds.all(|kind| kind.is_pure() && kind.blocks().is_empty());
    let OpKind::For(g) = &f.body.ops[at].kind else {
        return None;
    };
    let is_innermost = !g.body.ops.iter().any(Op::contains_loop);
    let is_one = others.clone().all(|(_, op)| !op.contains_loop());
    (are_pure && is_innermost && is_one && f.carried.is_empty()).then_some(at)
}

/// Parts the operations of a body: the leading loads and pure operations that they may need; all others but the loads that
/// are gone.
fn part(ops: Vec<Op>, leaders: &HashSet<ValueId>, gone: &BTreeSet<ValueId>) -> (Vec<Op>, Vec<Op>) {
    let (mut front, mut rest) = (Vec::new(), Vec::new());
    let mut behind: HashSet<ValueId> = HashSet::new();
    for op in ops {
        let is = |set: &dyn Fn(&ValueId) -> bool| op.results.iter().any(set);
        if is(&|value| gone.contains(value)) {
            behind.extend(&op.results);
            continue;
        }
        let is_leader = is(&|value| leaders.contains(value));
        let is_free =
            op.kind.is_pure() && op.kind.blocks().is_empty() && touch::element(&op.kind).is_none();
        let is_ready = !op
            .kind
            .operands()
            .iter()
            .any(|value| behind.contains(value));
        if is_leader || (is_free && is_ready) {
            front.push(op);
        } else {
            behind.extend(&op.results);
            rest.push(op);
        }
    }
    (front, rest)
}
