//! Scalar replacement: an array element that a loop keeps coming back to lives in a register meanwhile.
//!
//! If every access of a loop body to an array is to one element that does not change in the loop, the element is
//! loaded before the loop, carried through it, and stored after it (Callahan, Carr and Kennedy, 1990). Loads
//! and stores under conditions become selections of the carried value.

use crate::diagnostics::Span;
use crate::ir::*;
use std::collections::{HashMap, HashSet};

/// Promotes in all counted loops, innermost first.
pub fn run(kernel: &mut Kernel) {
    let mut definitions = HashMap::new();
    kernel.body.for_each_op(&mut |op| {
        if let [result] = op.results[..]
            && op.kind.is_pure()
            && !matches!(op.kind, OpKind::Load { .. })
        {
            definitions.insert(result, op.kind.clone());
        }
    });
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Promote {
        kernel,
        definitions,
    };
    let body = pass.block(body);
    kernel.body = body;
}

struct Promote<'k> {
    kernel: &'k mut Kernel,
    /// Pure operations by result, for comparing indices.
    definitions: HashMap<ValueId, OpKind>,
}

/// How a body uses an array.
#[derive(Default)]
struct Usage {
    /// Indices of each access.
    indices: Vec<Vec<ValueId>>,
    loads: usize,
    stores: usize,
    /// Accessed inside of a loop of the body, or as a whole.
    blocked: bool,
    /// The first access is a store that every iteration performs.
    stored_first: bool,
}

impl Promote<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut result = Block {
            ops: Vec::new(),
            yields: block.yields,
        };
        for mut op in block.ops {
            for inner in op.kind.blocks_mut() {
                let taken = std::mem::take(inner);
                *inner = self.block(taken);
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
            collect(&f.body, 0, &mut usages);
            // Values that are gone, since what they were loaded from now is in a register.
            let mut renamed = HashMap::new();
            for (array, mut usage) in usages {
                let indices = usage.indices.iter_mut().flatten();
                indices.for_each(|v| *v = resolve(&renamed, *v));
                if !usage.blocked && self.worthwhile(&usage, f) {
                    let hoisted = self.hoist(f, &usage.indices[0]);
                    if let Some(hoisted) = hoisted {
                        out.extend(hoisted);
                        self.promote_array(
                            f,
                            &mut op.results,
                            array,
                            &usage,
                            op.span,
                            &mut renamed,
                            out,
                            &mut after,
                        );
                    }
                }
            }
        }
        out.push(op);
        out.extend(after);
    }

    fn worthwhile(&self, usage: &Usage, f: &For) -> bool {
        let first = &usage.indices[0];
        let same = usage
            .indices
            .iter()
            .all(|other| first.iter().zip(other).all(|(&a, &b)| self.same(a, b)));
        let runs = self.runs(f);
        // Without a load of its own, the carried value starts unknown: the store must be certain.
        same && (usage.loads > 0 || usage.stores == 0 || (runs && usage.stored_first))
    }

    /// Whether the loop certainly runs an iteration.
    fn runs(&self, f: &For) -> bool {
        use num_traits::Signed;
        let constant = |v: ValueId| match self.definitions.get(&v) {
            Some(OpKind::Const(Const::Int(c))) => Some(c),
            _ => None,
        };
        match (constant(f.lo), constant(f.hi), constant(f.step)) {
            (Some(lo), Some(hi), Some(step)) if step.is_positive() => lo < hi,
            (Some(lo), Some(hi), Some(step)) if f.descending && step.is_negative() => lo > hi,
            _ => false,
        }
    }

    /// Whether two values are computed alike.
    fn same(&self, a: ValueId, b: ValueId) -> bool {
        if a == b {
            return true;
        }
        let (Some(x), Some(y)) = (self.definitions.get(&a), self.definitions.get(&b)) else {
            return false;
        };
        let alike = match (x, y) {
            (OpKind::Const(x), OpKind::Const(y)) => x == y,
            (OpKind::Binary { op: x, .. }, OpKind::Binary { op: y, .. }) => x == y,
            (OpKind::Cast { .. }, OpKind::Cast { .. }) => true,
            _ => false,
        };
        let (xs, ys) = (x.operands(), y.operands());
        alike
            && self.kernel.values[a].ty == self.kernel.values[b].ty
            && xs.iter().zip(&ys).all(|(&x, &y)| self.same(x, y))
    }

    /// Takes out of the body what computes `indices`; `None` if one of them changes in the loop.
    fn hoist(&self, f: &mut For, indices: &[ValueId]) -> Option<Vec<Op>> {
        let mut inside = HashSet::from([f.iv]);
        inside.extend(f.carried.iter().copied());
        f.body.for_each_op(&mut |op| {
            inside.extend(op.results.iter().copied());
            match &op.kind {
                OpKind::For(f) => inside.extend(f.carried.iter().copied().chain([f.iv])),
                OpKind::While(w) => inside.extend(w.carried.iter().copied()),
                _ => {}
            }
        });
        let mut needed: HashSet<ValueId> = HashSet::new();
        let mut work: Vec<ValueId> = indices.to_vec();
        while let Some(value) = work.pop() {
            if !inside.contains(&value) || !needed.insert(value) {
                continue;
            }
            let op = f.body.ops.iter().find(|o| o.results.contains(&value))?;
            if !self.definitions.contains_key(&value) {
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
        let Array { elem, name, .. } = &self.kernel.arrays[array];
        self.kernel.values.push(Value {
            ty: *elem,
            name: Some(format!("{name}_elem")),
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one loop, taken apart for borrowing"
    )]
    fn promote_array(
        &mut self,
        f: &mut For,
        results: &mut Vec<ValueId>,
        array: ArrayId,
        usage: &Usage,
        span: Span,
        renamed: &mut HashMap<ValueId, ValueId>,
        before: &mut Vec<Op>,
        after: &mut Vec<Op>,
    ) {
        let indices = usage.indices[0].clone();
        let init = self.value(array);
        let kind = if usage.loads > 0 {
            OpKind::Load {
                array,
                indices: indices.clone(),
            }
        } else {
            zero(self.kernel.arrays[array].elem)
        };
        before.push(Op {
            kind,
            results: vec![init],
            span,
        });
        let (current, carried) = if usage.stores > 0 {
            let param = self.value(array);
            (param, Some(param))
        } else {
            (init, None)
        };
        let last = self.replace(&mut f.body, array, current, renamed);
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

    /// Removes the accesses to `array`; `current` is its element's value at the start. Returns the value at the end.
    fn replace(
        &mut self,
        block: &mut Block,
        array: ArrayId,
        mut current: ValueId,
        renamed: &mut HashMap<ValueId, ValueId>,
    ) -> ValueId {
        let mut kept = Vec::new();
        for mut op in std::mem::take(&mut block.ops) {
            match &mut op.kind {
                OpKind::Load { array: a, .. } if *a == array => {
                    renamed.insert(op.results[0], current);
                }
                OpKind::Store {
                    array: a, value, ..
                } if *a == array => current = *value,
                OpKind::If(branch) => {
                    let then = self.replace(&mut branch.then, array, current, renamed);
                    let otherwise = self.replace(&mut branch.otherwise, array, current, renamed);
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

/// What a value is called now.
fn resolve(renamed: &HashMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
    while let Some(&new) = renamed.get(&value) {
        value = new;
    }
    value
}

fn zero(ty: Scalar) -> OpKind {
    OpKind::Const(match ty {
        Scalar::Float(_) | Scalar::Storage(_) => Const::Float(0u32.into()),
        _ => Const::Int(0.into()),
    })
}

/// Notes every access of a block; `depth` counts the conditions around it.
fn collect(block: &Block, depth: usize, usages: &mut Vec<(ArrayId, Usage)>) {
    for op in &block.ops {
        match &op.kind {
            OpKind::Load { array, indices } => {
                let usage = entry(usages, *array);
                usage.loads += 1;
                usage.indices.push(indices.clone());
            }
            OpKind::Store { array, indices, .. } => {
                let usage = entry(usages, *array);
                usage.stored_first |= usage.indices.is_empty() && depth == 0;
                usage.stores += 1;
                usage.indices.push(indices.clone());
            }
            OpKind::Fill { array, .. } => entry(usages, *array).blocked = true,
            OpKind::Copy { dst, src } => {
                entry(usages, *dst).blocked = true;
                entry(usages, *src).blocked = true;
            }
            OpKind::If(branch) => {
                collect(&branch.then, depth + 1, usages);
                collect(&branch.otherwise, depth + 1, usages);
            }
            OpKind::For(_) | OpKind::While(_) => {
                let mut inner = Vec::new();
                for block in op.kind.blocks() {
                    collect(block, depth, &mut inner);
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
