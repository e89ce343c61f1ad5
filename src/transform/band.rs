//! A perfect nest taken apart: its loops, what they carry, and the code inside, to be put together in another way.
//!
//! Nothing but values may stand between the loops, and branches of which only one way does something: they move to the
//! innermost loop.

use crate::diagnostics::Span;
use crate::ir::*;
use std::collections::HashSet;

/// Why a nest cannot be taken apart, and where.
pub type Refusal = (Option<Span>, String);

/// A loop without its body, and without what it carries.
#[derive(Clone, Debug)]
pub struct Level {
    /// The loop.
    pub f: For,
    /// Its origin.
    pub span: Span,
}

/// A perfect nest without its structure.
pub struct Band {
    /// Operations that stay before the nest.
    pub before: Vec<Op>,
    /// Outermost first.
    pub loops: Vec<Level>,
    /// What is carried into the first iteration.
    inits: Vec<ValueId>,
    /// What the code inside calls it.
    pub carried: Vec<ValueId>,
    /// What is carried out of the last iteration.
    results: Vec<ValueId>,
    /// Values that the code inside and the conditions need, made of induction variables.
    pub values: Vec<Op>,
    /// All of these hold where the code inside runs.
    pub guards: Vec<ValueId>,
    /// The code of the innermost loop.
    pub body: Block,
    /// Where it stands.
    pub span: Span,
}

impl Band {
    /// Takes a nest of `depth` loops, the outermost of which is `op`, apart.
    ///
    /// Errors: there are fewer loops; something stands between two of them; the bounds of one depend on another one.
    pub fn take(op: Op, depth: usize) -> Result<Band, Refusal> {
        let OpKind::For(outermost) = op.kind else {
            return Err((Some(op.span), "it has no counter".into()));
        };
        let mut band = Band {
            before: Vec::new(),
            inits: outermost.inits.clone(),
            carried: Vec::new(),
            loops: Vec::new(),
            results: op.results,
            values: Vec::new(),
            guards: Vec::new(),
            body: Block::default(),
            span: op.span,
        };
        let mut made_inside = HashSet::new();
        band.enter(*outermost, op.span, &mut made_inside);
        while band.loops.len() < depth {
            band.inwards(&mut made_inside)?;
        }
        // What is left over of a loop that was split is in a branch.
        while band.is_branch() {
            band.inwards(&mut made_inside)?;
        }
        Ok(band)
    }

    fn enter(&mut self, mut f: For, span: Span, made_inside: &mut HashSet<ValueId>) {
        self.body = std::mem::take(&mut f.body);
        self.carried = std::mem::take(&mut f.carried);
        f.inits.clear();
        made_inside.insert(f.iv);
        made_inside.extend(&self.carried);
        self.loops.push(Level { f, span });
    }

    /// Whether all code is one way of a branch.
    fn is_branch(&self) -> bool {
        let Some((last, others)) = self.body.ops.split_last() else {
            return false;
        };
        match &last.kind {
            OpKind::If(branch) => {
                others.iter().all(is_value)
                    && branch.otherwise.ops.is_empty()
                    && branch.otherwise.yields == self.carried
                    && self.body.yields == last.results
            }
            _ => false,
        }
    }

    /// Goes into the loop, or the branch, that is all that there is.
    fn inwards(&mut self, made_inside: &mut HashSet<ValueId>) -> Result<(), Refusal> {
        let Some(last) = self.body.ops.pop() else {
            return Err((Some(self.span), "there is no loop inside".into()));
        };
        for op in self.body.ops.drain(..) {
            if !is_value(&op) {
                let why = "this stands between its loops, so that the nest is not perfect";
                return Err((Some(op.span), why.into()));
            }
            if op.kind.operands().iter().any(|v| made_inside.contains(v)) {
                made_inside.extend(&op.results);
                self.values.push(op);
            } else {
                self.before.push(op);
            }
        }
        let handed_out = std::mem::take(&mut self.body.yields);
        let is_all = handed_out == last.results;
        let not_all = "what the loop around carries is not what this carries";
        match last.kind {
            OpKind::For(f) => {
                if !is_all || f.inits != self.carried {
                    return Err((Some(last.span), not_all.into()));
                }
                let bounds = [f.lo, f.hi, f.step];
                if bounds.iter().any(|bound| made_inside.contains(bound)) {
                    let why = format!("the bounds of '{}' depend on the loops around it", f.label);
                    return Err((Some(last.span), why));
                }
                self.enter(*f, last.span, made_inside);
            }
            OpKind::If(branch) if branch.otherwise.ops.is_empty() => {
                if !is_all || branch.otherwise.yields != self.carried {
                    return Err((Some(last.span), not_all.into()));
                }
                self.guards.push(branch.cond);
                self.body = branch.then;
            }
            _ => {
                let why = "this is not in a loop inside, so that the nest is not perfect";
                return Err((Some(last.span), why.into()));
            }
        }
        Ok(())
    }

    /// Puts values before those that there are, which may be made of them.
    pub fn begin_with(&mut self, mut values: Vec<Op>) {
        values.append(&mut self.values);
        self.values = values;
    }

    /// Puts the nest together again, appending it to `out`.
    pub fn put(mut self, kernel: &mut Kernel, out: &mut Vec<Op>) {
        out.append(&mut self.before);
        let mut ops = self.values;
        let mut body = match self.guards.split_first() {
            None => {
                ops.append(&mut self.body.ops);
                self.body
            }
            Some((&first, others)) => {
                let otherwise = Block {
                    ops: Vec::new(),
                    yields: self.carried.clone(),
                };
                let mut build = kernel.build(&mut ops, self.span);
                let guard = others
                    .iter()
                    .fold(first, |all, &guard| build.binary(BinaryOp::And, all, guard));
                let yields = build.branch(guard, self.body, otherwise);
                Block {
                    ops: Vec::new(),
                    yields,
                }
            }
        };
        body.ops = ops;
        let mut carried = self.carried;
        let outermost = self.loops.len() - 1;
        for (number, level) in self.loops.into_iter().rev().enumerate() {
            let mut like = |values: &[ValueId]| -> Vec<ValueId> {
                values.iter().map(|&value| kernel.like(value)).collect()
            };
            let (inits, results) = match number == outermost {
                true => (self.inits.clone(), self.results.clone()),
                false => (like(&self.inits), like(&self.results)),
            };
            let f = For {
                inits: inits.clone(),
                carried,
                body,
                ..level.f
            };
            body = Block {
                ops: vec![Op {
                    kind: OpKind::For(Box::new(f)),
                    results: results.clone(),
                    span: level.span,
                }],
                yields: results,
            };
            carried = inits;
        }
        out.append(&mut body.ops);
    }
}

fn is_value(op: &Op) -> bool {
    op.kind.is_pure() && !matches!(op.kind, OpKind::Load { .. })
}
