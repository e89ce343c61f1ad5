//! If-conversion: branches without loops become straight-line code, with a choice for each result and a condition on each
//! access (Allen, Kennedy, Porterfield and Warren, Conversion of control dependence to data dependence, POPL 1983).

use crate::diagnostics::Span;
use crate::ir::analysis::touch;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use std::collections::HashMap;

/// Converts all branches in which there is no loop; every operation in them may run speculatively.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Convert {
        kernel,
        renamed: HashMap::new(),
    };
    let mut body = rewrite(body, &mut pass);
    let renamed = pass.renamed;
    if !renamed.is_empty() {
        body.for_each_use(&mut |v| *v = renamed.get(v).copied().unwrap_or(*v));
    }
    kernel.body = body;
}

struct Convert<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    /// Results of branches that need no choice.
    renamed: HashMap<ValueId, ValueId>,
}

impl Rewriter for Convert<'_> {
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
        self.arm(cond, then.ops, span, out);
        if otherwise.ops.iter().any(accesses) {
            let not = UnaryOp::Not;
            let inverse = OpKind::Unary { op: not, arg: cond };
            let inverse = self.kernel.build(out, span).op(Scalar::BOOL, inverse);
            self.arm(inverse, otherwise.ops, span, out);
        } else {
            out.extend(otherwise.ops);
        }
        let yields = then.yields.into_iter().zip(otherwise.yields);
        for (result, pair) in results.into_iter().zip(yields) {
            // What an earlier branch needed no choice for has another name by now.
            let now = |value| self.renamed.get(&value).copied().unwrap_or(value);
            let (on_true, on_false) = (now(pair.0), now(pair.1));
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

    /// Appends the operations of an arm, the accesses under the condition.
    fn arm(&mut self, cond: ValueId, ops: Vec<Op>, span: Span, out: &mut Vec<Op>) {
        let mut guards = Guards::new(cond, span);
        for mut op in ops {
            guards.add(self.kernel, &mut op, out);
            out.push(op);
        }
    }
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
