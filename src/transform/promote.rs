//! Scalar replacement: an array element that a loop keeps coming back to lives in a register meanwhile.
//!
//! If every store of a loop body to an array is to one element that does not change in the loop, and every load is
//! of it or certainly of another, the element is loaded before the loop, carried through it, and stored after it
//! (Callahan, Carr and Kennedy, 1990). Loads and stores under conditions become selections of the carried value.

use super::order::{self, Fact, Order, Rewrite};
use crate::diagnostics::Span;
use crate::ir::*;
use std::collections::{HashMap, HashSet};

/// Promotes in all counted loops, innermost first.
pub fn run(kernel: &mut Kernel) {
    let (rewrite, body) = Rewrite::begin(kernel);
    let mut pass = Promote {
        rewrite,
        facts: Vec::new(),
    };
    let body = pass.block(body);
    pass.rewrite.kernel.body = body;
}

struct Promote<'k> {
    rewrite: Rewrite<'k>,
    /// What the loops and conditions around say.
    facts: Vec<Fact>,
}

/// A load or store of an element.
struct Use {
    indices: Vec<ValueId>,
    is_store: bool,
    /// The conditions around it in the body, with the value that they have there.
    conditions: Vec<(ValueId, bool)>,
}

/// How a body uses an array.
#[derive(Default)]
struct Usage {
    /// In the order of the text.
    uses: Vec<Use>,
    /// Accessed inside of a loop of the body, or as a whole.
    blocked: bool,
    /// The first access is a store that every iteration performs.
    stored_first: bool,
}

/// What becomes a register.
struct Element {
    array: ArrayId,
    indices: Vec<ValueId>,
    loaded: bool,
    stored: bool,
}

impl Promote<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut result = Block {
            ops: Vec::new(),
            yields: block.yields,
        };
        for mut op in block.ops {
            let known = self.facts.len();
            for (position, inner) in op_facts(&self.rewrite.order(), &op.kind)
                .into_iter()
                .enumerate()
            {
                self.facts.extend(inner);
                if let OpKind::For(f) = &op.kind {
                    self.rewrite.enter(f);
                }
                if let Some(inner) = op.kind.blocks_mut().into_iter().nth(position) {
                    let taken = std::mem::take(inner);
                    *inner = self.block(taken);
                }
                self.facts.truncate(known);
            }
            if matches!(op.kind, OpKind::For(_)) {
                self.promote_loop(op, &mut result.ops);
            } else {
                result.ops.push(op);
            }
        }
        result
    }

    fn promote_loop(&mut self, mut op: Op, out: &mut Vec<Op>) {
        let mut after = Vec::new();
        if let OpKind::For(f) = &mut op.kind {
            let mut usages: Vec<(ArrayId, Usage)> = Vec::new();
            collect(&f.body, &mut Vec::new(), &mut usages);
            // Values that are gone, since what they were loaded from now is in a register.
            let mut renamed = HashMap::new();
            for (array, mut usage) in usages {
                let indices = usage.uses.iter_mut().flat_map(|u| &mut u.indices);
                indices.for_each(|v| *v = resolve(&renamed, *v));
                if let Some(element) = self.element(array, &usage, f)
                    && let Some(hoisted) = self.hoist(f, &element.indices)
                {
                    out.extend(hoisted);
                    let span = op.span;
                    self.promote_element(
                        f,
                        &mut op.results,
                        &element,
                        span,
                        &mut renamed,
                        out,
                        &mut after,
                    );
                }
            }
        }
        out.push(op);
        out.extend(after);
    }

    /// The element of an array that the loop can keep in a register.
    fn element(&self, array: ArrayId, usage: &Usage, f: &For) -> Option<Element> {
        if usage.blocked {
            return None;
        }
        let chosen = usage.uses.iter().find(|u| u.is_store);
        let indices = &chosen.or(usage.uses.first())?.indices;
        let order = self.rewrite.order();
        let mut around = self.facts.clone();
        around.extend(order.of_loop(f));
        let mut element = Element {
            array,
            indices: indices.clone(),
            loaded: false,
            stored: chosen.is_some(),
        };
        for other in &usage.uses {
            if order.same_element(indices, &other.indices) {
                element.loaded |= !other.is_store;
                continue;
            }
            let mut facts = around.clone();
            for &(condition, holds) in &other.conditions {
                facts.extend(order.of_condition(condition, holds));
            }
            if other.is_store || !order.distinct(indices, &other.indices, &facts) {
                return None;
            }
        }
        // Without a load of its own, the carried value starts unknown: the store must be certain.
        let certain = self.runs(f) && usage.stored_first;
        (element.loaded || certain).then_some(element)
    }

    /// Whether the loop certainly runs an iteration.
    fn runs(&self, f: &For) -> bool {
        use num_traits::Signed;
        let constant = |v: ValueId| match self.rewrite.definitions.get(&v) {
            Some(OpKind::Const(Const::Int(c))) => Some(c),
            _ => None,
        };
        match (constant(f.lo), constant(f.hi), constant(f.step)) {
            (Some(lo), Some(hi), Some(step)) if step.is_positive() => lo < hi,
            (Some(lo), Some(hi), Some(step)) if f.descending && step.is_negative() => lo > hi,
            _ => false,
        }
    }

    /// Takes out of the body what computes `indices`; `None` if one of them changes in the loop.
    fn hoist(&self, f: &mut For, indices: &[ValueId]) -> Option<Vec<Op>> {
        let inside = order::changing(f);
        let mut needed: HashSet<ValueId> = HashSet::new();
        let mut work: Vec<ValueId> = indices.to_vec();
        while let Some(value) = work.pop() {
            if !inside.contains(&value) || !needed.insert(value) {
                continue;
            }
            let op = f.body.ops.iter().find(|o| o.results.contains(&value))?;
            if !self.rewrite.definitions.contains_key(&value) {
                return None;
            }
            work.extend(op.kind.operands());
        }
        let is_needed = |op: &Op| op.results.first().is_some_and(|r| needed.contains(r));
        let (hoisted, kept) = std::mem::take(&mut f.body.ops)
            .into_iter()
            .partition(is_needed);
        f.body.ops = kept;
        Some(hoisted)
    }

    fn value(&mut self, array: ArrayId) -> ValueId {
        let Array { elem, name, .. } = &self.rewrite.kernel.arrays[array];
        self.rewrite.kernel.values.push(Value {
            ty: *elem,
            name: Some(format!("{name}_elem")),
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one loop, taken apart for borrowing"
    )]
    fn promote_element(
        &mut self,
        f: &mut For,
        results: &mut Vec<ValueId>,
        element: &Element,
        span: Span,
        renamed: &mut HashMap<ValueId, ValueId>,
        before: &mut Vec<Op>,
        after: &mut Vec<Op>,
    ) {
        let (array, indices) = (element.array, element.indices.clone());
        let init = self.value(array);
        let kind = if element.loaded {
            OpKind::Load {
                array,
                indices: indices.clone(),
            }
        } else {
            OpKind::Const(Const::zero(self.rewrite.kernel.arrays[array].elem))
        };
        before.push(Op {
            kind,
            results: vec![init],
            span,
        });
        let (current, carried) = if element.stored {
            let param = self.value(array);
            (param, Some(param))
        } else {
            (init, None)
        };
        let last = self.replace(&mut f.body, element, current, renamed);
        f.body.for_each_use(&mut |v| *v = resolve(renamed, *v));
        let Some(param) = carried else { return };
        let last = resolve(renamed, last);
        f.inits.push(init);
        f.carried.push(param);
        f.body.yields.push(last);
        let result = self.value(array);
        results.push(result);
        after.push(Op {
            kind: OpKind::Store {
                array,
                indices,
                value: result,
            },
            results: vec![],
            span,
        });
    }

    /// Removes the accesses to the element; `current` is its value at the start. Returns the value at the end.
    fn replace(
        &mut self,
        block: &mut Block,
        element: &Element,
        mut current: ValueId,
        renamed: &mut HashMap<ValueId, ValueId>,
    ) -> ValueId {
        let mut kept = Vec::new();
        let array = element.array;
        for mut op in std::mem::take(&mut block.ops) {
            match &mut op.kind {
                OpKind::Load { array: a, indices }
                    if *a == array && self.is_element(element, indices, renamed) =>
                {
                    renamed.insert(op.results[0], current);
                }
                // All stores are to it.
                OpKind::Store {
                    array: a, value, ..
                } if *a == array => current = *value,
                OpKind::If(branch) => {
                    let then = self.replace(&mut branch.then, element, current, renamed);
                    let otherwise = self.replace(&mut branch.otherwise, element, current, renamed);
                    if then != current || otherwise != current {
                        branch.then.yields.push(then);
                        branch.otherwise.yields.push(otherwise);
                        current = self.value(array);
                        op.results.push(current);
                    }
                    kept.push(op);
                }
                _ => kept.push(op),
            }
        }
        block.ops = kept;
        current
    }
}

impl Promote<'_> {
    fn is_element(
        &self,
        element: &Element,
        indices: &[ValueId],
        renamed: &HashMap<ValueId, ValueId>,
    ) -> bool {
        let now: Vec<ValueId> = indices.iter().map(|&v| resolve(renamed, v)).collect();
        self.rewrite.order().same_element(&element.indices, &now)
    }
}

/// For each block of an operation what is known in it.
fn op_facts(order: &Order, kind: &OpKind) -> Vec<Vec<Fact>> {
    match kind {
        OpKind::For(f) => vec![order.of_loop(f)],
        OpKind::If(branch) => [true, false]
            .map(|holds| order.of_condition(branch.cond, holds))
            .to_vec(),
        kind => kind.blocks().iter().map(|_| Vec::new()).collect(),
    }
}

/// What a value is called now.
fn resolve(renamed: &HashMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
    while let Some(&new) = renamed.get(&value) {
        value = new;
    }
    value
}

/// Notes every access of a block; `conditions` are those around it.
fn collect(
    block: &Block,
    conditions: &mut Vec<(ValueId, bool)>,
    usages: &mut Vec<(ArrayId, Usage)>,
) {
    for op in &block.ops {
        match &op.kind {
            OpKind::Load { array, indices } | OpKind::Store { array, indices, .. } => {
                let is_store = matches!(op.kind, OpKind::Store { .. });
                let usage = entry(usages, *array);
                usage.stored_first |= is_store && usage.uses.is_empty() && conditions.is_empty();
                usage.uses.push(Use {
                    indices: indices.clone(),
                    is_store,
                    conditions: conditions.clone(),
                });
            }
            OpKind::Fill { array, .. } => entry(usages, *array).blocked = true,
            OpKind::Copy { dst, src } => {
                entry(usages, *dst).blocked = true;
                entry(usages, *src).blocked = true;
            }
            OpKind::If(branch) => {
                for (block, holds) in [(&branch.then, true), (&branch.otherwise, false)] {
                    conditions.push((branch.cond, holds));
                    collect(block, conditions, usages);
                    conditions.pop();
                }
            }
            OpKind::For(_) | OpKind::While(_) => {
                let mut inner = Vec::new();
                for block in op.kind.blocks() {
                    collect(block, conditions, &mut inner);
                }
                for (array, _) in inner {
                    entry(usages, array).blocked = true;
                }
            }
            _ => {}
        }
    }
}

fn entry(usages: &mut Vec<(ArrayId, Usage)>, array: ArrayId) -> &mut Usage {
    let position = match usages.iter().position(|(a, _)| *a == array) {
        Some(position) => position,
        None => {
            usages.push((array, Usage::default()));
            usages.len() - 1
        }
    };
    &mut usages[position].1
}
