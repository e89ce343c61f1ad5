//! A comparison with what a carried value may have become in this iteration is made with each value that it may have become,
//! before it is known which: the recurrence is one comparison long, and some choices, where it was one after the other
//! (look-ahead through a multiplexer; Parhi and Messerschmitt, Pipeline interleaving and parallelism in recursive digital
//! filters, IEEE Trans. ASSP 37(7), 1989).

use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use std::collections::{HashMap, HashSet};

/// Most comparisons that one becomes: more rows of choices are no shorter.
const MOST: usize = 8;

/// Looks ahead in all counted loops without loops inside.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Lookahead { kernel });
}

struct Lookahead<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
}

impl Rewriter for Lookahead<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind
            && !f.body.ops.iter().any(Op::contains_loop)
        {
            self.look(f);
        }
        out.push(op);
    }
}

/// `cond ? on_true : on_false`.
type Choice = (ValueId, ValueId, ValueId);

impl Lookahead<'_> {
    fn look(&mut self, f: &mut For) {
        let mut body = Body {
            carried: f.carried.iter().copied().collect(),
            choices: HashMap::new(),
        };
        for op in std::mem::take(&mut f.body.ops) {
            if op.kind.operands().iter().any(|v| body.carried.contains(v)) {
                body.carried.extend(&op.results);
            }
            let choice = match op.kind {
                OpKind::Select {
                    cond,
                    on_true,
                    on_false,
                } => Some((cond, on_true, on_false)),
                OpKind::Compare { op: how, lhs, rhs } => {
                    let mut build = self.kernel.build(&mut f.body.ops, op.span);
                    let choice = body.ahead(&mut build, (how, lhs, rhs), &mut { MOST });
                    if let Some((cond, on_true, on_false)) = choice {
                        let kind = OpKind::Select {
                            cond,
                            on_true,
                            on_false,
                        };
                        build.define(kind, op.results.clone());
                        body.note(&op.results, choice);
                        continue;
                    }
                    None
                }
                _ => None,
            };
            body.note(&op.results, choice);
            f.body.ops.push(op);
        }
    }
}

/// What was seen of a loop.
struct Body {
    /// What it carries, and what depends on it.
    carried: HashSet<ValueId>,
    /// Values that are one of two, and which one depends on what is carried.
    choices: HashMap<ValueId, Choice>,
}

impl Body {
    fn note(&mut self, results: &[ValueId], choice: Option<Choice>) {
        if let (&[result], Some(choice)) = (results, choice)
            && self.carried.contains(&choice.0)
        {
            self.choices.insert(result, choice);
        }
    }

    /// A comparison as the choice between those with either value of its operand; `None` where there is nothing to choose, or no
    /// comparison is left.
    fn ahead(
        &self,
        build: &mut Build,
        (how, lhs, rhs): (CompareOp, ValueId, ValueId),
        left: &mut usize,
    ) -> Option<Choice> {
        let fixed = |value| !self.carried.contains(&value);
        let on_right = fixed(lhs);
        let (cond, yes, no) = match (on_right, fixed(rhs)) {
            (true, false) => *self.choices.get(&rhs)?,
            (false, true) => *self.choices.get(&lhs)?,
            _ => return None,
        };
        *left = left.checked_sub(1)?;
        let mut with = |value| {
            let (lhs, rhs) = if on_right { (lhs, value) } else { (value, rhs) };
            match self.ahead(build, (how, lhs, rhs), left) {
                Some((cond, yes, no)) => build.select(cond, yes, no),
                None => build.compare(how, lhs, rhs),
            }
        };
        Some((cond, with(yes), with(no)))
    }
}
