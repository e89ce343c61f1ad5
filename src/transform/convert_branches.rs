//! If-conversion: branches without loops become straight-line code, with a choice for each result and a condition on each
//! access (Allen, Kennedy, Porterfield and Warren, Conversion of control dependence to data dependence, POPL 1983).
//!
//! Where both arms get from a stream, or put into one, that becomes one get or put, which is always one element if both do it
//! always. Where a loop accesses an array more often than its ports allow in a cycle, a load of either arm becomes one load, at
//! the subscripts of the arm that is taken.

use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use std::collections::{BTreeSet, HashMap};

/// Converts all branches in which there is no loop; every operation in them may run speculatively.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Convert {
        kernel,
        renamed: HashMap::new(),
        crowded: Vec::new(),
    };
    let mut body = rewrite(body, &mut pass);
    if !pass.renamed.is_empty() {
        body.for_each_use(&mut |v| *v = pass.now(*v));
    }
    pass.kernel.body = body;
}

/// Accesses of an arm beyond which none of them is looked at.
const MANY: usize = 64;

struct Convert<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    /// Results of branches that need no choice, and of loads that are one with another.
    renamed: HashMap<ValueId, ValueId>,
    /// For each loop around, if it is an innermost one, the arrays of which it accesses more than their ports allow in a cycle.
    crowded: Vec<BTreeSet<ArrayId>>,
}

impl Rewriter for Convert<'_> {
    fn enter(&mut self, op: &mut Op, block: usize) {
        if matches!(op.kind, OpKind::For(_) | OpKind::While(_)) {
            let ops = &op.kind.blocks()[block].ops;
            let is_innermost = !ops.iter().any(Op::contains_loop);
            let mut accesses = touch::accesses(ops.iter().filter(|_| is_innermost));
            accesses.retain(|array, n| *n > self.kernel.arrays[*array].most_ports());
            self.crowded.push(accesses.into_keys().collect());
        }
    }

    fn exit(&mut self, op: &mut Op, _: usize) {
        if matches!(op.kind, OpKind::For(_) | OpKind::While(_)) {
            self.crowded.pop();
        }
    }

    fn leave(&mut self, op: Op, out: &mut Vec<Op>) {
        match op.kind {
            OpKind::If(_) if !op.contains_loop() => {
                let Op {
                    kind: OpKind::If(branch),
                    results,
                    span,
                } = op
                else {
                    unreachable!("the kind was looked at")
                };
                self.convert(*branch, results, span, out);
            }
            _ => out.push(op),
        }
    }
}

impl Convert<'_> {
    fn convert(&mut self, branch: If, results: Vec<ValueId>, span: Span, out: &mut Vec<Op>) {
        let If {
            cond,
            then,
            otherwise,
        } = branch;
        let mut arms = [then.ops, otherwise.ops];
        let pairs = self.pairs(&arms);
        let rest = arms[1].iter().filter(|op| accesses(op)).count();
        let inverse = (rest > pairs.len()).then(|| {
            let not = UnaryOp::Not;
            let inverse = OpKind::Unary { op: not, arg: cond };
            self.kernel.build(out, span).op(Scalar::BOOL, inverse)
        });
        let mut guards = [Some(cond), inverse].map(|cond| cond.map(|cond| Guards::new(cond, span)));
        // From the last pair on, each side without what comes behind the one before.
        let mut parts = Vec::new();
        for pair in pairs.into_iter().rev() {
            let behind = [0, 1].map(|arm| arms[arm].split_off(pair[arm] + 1));
            let both = [0, 1].map(|arm| arms[arm].pop());
            parts.push((both, behind));
        }
        self.append(arms, &mut guards, out);
        for (both, behind) in parts.into_iter().rev() {
            if let [Some(one), Some(other)] = both {
                self.merge(cond, one, other, out);
            }
            self.append(behind, &mut guards, out);
        }
        let yields = then.yields.into_iter().zip(otherwise.yields);
        for (result, pair) in results.into_iter().zip(yields) {
            let (on_true, on_false) = (self.now(pair.0), self.now(pair.1));
            if on_true == on_false {
                self.renamed.insert(result, on_true);
                continue;
            }
            let choice = OpKind::Select {
                cond,
                on_true,
                on_false,
            };
            self.kernel.build(out, span).define(choice, vec![result]);
        }
    }

    /// What a value is called by now.
    fn now(&self, mut value: ValueId) -> ValueId {
        while let Some(other) = self.renamed.get(&value) {
            value = *other;
        }
        value
    }

    /// Appends operations of both arms, the accesses under their conditions.
    fn append(&mut self, arms: [Vec<Op>; 2], guards: &mut [Option<Guards>; 2], out: &mut Vec<Op>) {
        for (ops, guards) in arms.into_iter().zip(guards) {
            for mut op in ops {
                if let Some(guards) = guards {
                    guards.add(self.kernel, &mut op, out);
                }
                out.push(op);
            }
        }
    }

    /// Positions of loads and transfers in both arms that become one: the longest sequence of them that both do in this order.
    fn pairs(&self, arms: &[Vec<Op>; 2]) -> Vec<[usize; 2]> {
        let crowded = self.crowded.last();
        let of = |op: &Op| match &op.kind {
            OpKind::Load {
                at,
                bypassed: false,
            } if at.when.is_none() && crowded.is_some_and(|all| all.contains(&at.array)) => {
                Some((Access::Load, at.array))
            }
            OpKind::Get { at } if at.indices.is_empty() => Some((Access::Get, at.array)),
            OpKind::Put { at, .. } if at.indices.is_empty() => Some((Access::Put, at.array)),
            _ => None,
        };
        let accesses = |ops: &[Op]| -> Vec<(usize, (Access, ArrayId))> {
            let ops = ops.iter().enumerate();
            ops.filter_map(|(place, op)| Some((place, of(op)?)))
                .collect()
        };
        let [one, other] = [accesses(&arms[0]), accesses(&arms[1])];
        match one.len().max(other.len()) <= MANY {
            true => common(&one, &other),
            false => Vec::new(),
        }
    }

    /// Appends the access that stands for one of each arm.
    fn merge(&mut self, cond: ValueId, one: Op, other: Op, out: &mut Vec<Op>) {
        let mut build = self.kernel.build(out, one.span);
        let [first, second] = [&one, &other].map(|op| {
            let at = op.kind.element().expect("both are accesses");
            at.clone()
        });
        let when = match [first.when, second.when] {
            [None, None] => None,
            whens => {
                let always = build.always();
                let [one, other] = whens.map(|when| when.unwrap_or(always));
                Some(either(&mut build, cond, one, other))
            }
        };
        let pairs = first.indices.into_iter().zip(second.indices);
        let indices = pairs.map(|(one, other)| either(&mut build, cond, one, other));
        let at = Element {
            indices: indices.collect(),
            when,
            array: first.array,
        };
        let kind = match (one.kind, other.kind) {
            (OpKind::Put { value, .. }, OpKind::Put { value: other, .. }) => OpKind::Put {
                at,
                value: either(&mut build, cond, value, other),
            },
            (OpKind::Get { .. }, _) => OpKind::Get { at },
            _ => OpKind::Load {
                at,
                bypassed: false,
            },
        };
        let like = one.results.iter().map(|v| build.kernel.like(*v));
        let results: Vec<ValueId> = like.collect();
        for of_arm in [one.results, other.results] {
            let renamed = of_arm.into_iter().zip(results.iter().copied());
            self.renamed.extend(renamed);
        }
        build.define(kind, results);
    }
}

/// One value where a condition holds, the other where it does not.
fn either(build: &mut Build, cond: ValueId, one: ValueId, other: ValueId) -> ValueId {
    match one == other {
        true => one,
        false => build.select(cond, one, other),
    }
}

/// What both arms of a branch may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Load,
    Get,
    Put,
}

/// The longest common subsequence of two short sequences, as pairs of positions.
fn common<T: PartialEq>(one: &[(usize, T)], other: &[(usize, T)]) -> Vec<[usize; 2]> {
    let mut lengths = vec![vec![0u32; other.len() + 1]; one.len() + 1];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            lengths[i][j] = match one[i].1 == other[j].1 {
                true => lengths[i + 1][j + 1] + 1,
                false => lengths[i + 1][j].max(lengths[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < one.len() && j < other.len() {
        if one[i].1 == other[j].1 {
            pairs.push([one[i].0, other[j].0]);
            (i, j) = (i + 1, j + 1);
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

fn accesses(op: &Op) -> bool {
    op.kind.is_transfer() || touch::element(&op.kind).is_some()
}

/// Adds one condition to accesses; each conjunction with another condition is made once.
pub struct Guards {
    cond: ValueId,
    span: Span,
    known: HashMap<ValueId, ValueId>,
}

impl Guards {
    /// Nothing is made yet.
    pub fn new(cond: ValueId, span: Span) -> Guards {
        Guards {
            cond,
            span,
            known: HashMap::new(),
        }
    }

    /// An access that is left happens under the condition too; what that takes is appended to `out`.
    pub fn add(&mut self, kernel: &mut Kernel, op: &mut Op, out: &mut Vec<Op>) {
        let Some(at) = op.kind.element_mut() else {
            return;
        };
        let (cond, span) = (self.cond, self.span);
        at.when = Some(match at.when {
            None => cond,
            Some(when) => *self.known.entry(when).or_insert_with(|| {
                let mut build = kernel.build(out, span);
                build.binary(BinaryOp::And, cond, when)
            }),
        });
    }
}
