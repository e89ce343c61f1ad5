//! If-conversion: branches without loops become straight-line code, with a choice for each result and a condition on each
//! access (Allen, Kennedy, Porterfield and Warren, Conversion of control dependence to data dependence, POPL 1983).
//!
//! Where a loop accesses an array more often than its ports allow in a cycle, a load of either arm becomes one load, at the
//! subscripts of the arm that is taken.

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

/// Loads of an arm beyond which none of them is looked at.
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
            let loads = [0, 1].map(|arm| arms[arm].pop());
            parts.push((loads, behind));
        }
        self.append(arms, &mut guards, out);
        for (loads, behind) in parts.into_iter().rev() {
            if let [Some(one), Some(other)] = loads {
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

    /// Positions of loads in both arms that become one: the longest sequence of arrays of which both load in this order.
    fn pairs(&self, arms: &[Vec<Op>; 2]) -> Vec<[usize; 2]> {
        let Some(crowded) = self.crowded.last().filter(|arrays| !arrays.is_empty()) else {
            return Vec::new();
        };
        let loads = |ops: &[Op]| -> Vec<(usize, ArrayId)> {
            let loaded = ops
                .iter()
                .enumerate()
                .filter_map(|(at, op)| match &op.kind {
                    OpKind::Load {
                        at: element,
                        bypassed: false,
                    } if element.when.is_none() && crowded.contains(&element.array) => {
                        Some((at, element.array))
                    }
                    _ => None,
                });
            loaded.collect()
        };
        let [one, other] = [loads(&arms[0]), loads(&arms[1])];
        match one.len().max(other.len()) <= MANY {
            true => common(&one, &other),
            false => Vec::new(),
        }
    }

    /// Appends the load that stands for one of each arm.
    fn merge(&mut self, cond: ValueId, one: Op, other: Op, out: &mut Vec<Op>) {
        let (OpKind::Load { at, .. }, OpKind::Load { at: otherwise, .. }) =
            (&one.kind, &other.kind)
        else {
            unreachable!("both are loads")
        };
        let pairs = at.indices.iter().zip(&otherwise.indices);
        let mut build = self.kernel.build(out, one.span);
        let indices = pairs.map(|(&one, &other)| match one == other {
            true => one,
            false => build.select(cond, one, other),
        });
        let indices = indices.collect();
        let loaded = build.load(at.array, indices);
        for op in [&one, &other] {
            self.renamed
                .extend(op.results.iter().map(|&result| (result, loaded)));
        }
    }
}

/// The longest common subsequence of two short sequences of arrays, as pairs of positions.
fn common(one: &[(usize, ArrayId)], other: &[(usize, ArrayId)]) -> Vec<[usize; 2]> {
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
