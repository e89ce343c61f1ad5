//! Loop distribution: a nest that writes arrays which have nothing to do with one another becomes a nest for each (Allen
//! and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 6.2.4).
//!
//! Each has then its own initiation interval, and can be interleaved as its own recurrence asks. A nest for an array is a
//! copy of the whole from which the stores to the others are gone, so that what only they need is dead. That is legal where
//! nothing that one writes is read or written on the way to what another does.

use super::dead;
use super::inline::MAX_OPS;
use crate::ir::analysis::touch::{self, Touched};
use crate::ir::copy::Copier;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Stores of a nest beyond which it is left alone: what each needs is looked for.
const MANY: usize = 32;

/// Distributes all outermost nests.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Distribute {
        kernel,
        depth: 0,
        budget: MAX_OPS,
        changed: false,
    };
    let body = rewrite(body, &mut pass);
    let changed = pass.changed;
    kernel.body = body;
    if changed {
        dead::run(kernel);
    }
}

struct Distribute<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    /// Loops around.
    depth: usize,
    /// Operations that may still be made.
    budget: usize,
    changed: bool,
}

impl Rewriter for Distribute<'_> {
    fn enter(&mut self, op: &mut Op, _block: usize) {
        self.depth += usize::from(is_loop(op));
    }

    fn exit(&mut self, op: &mut Op, _block: usize) {
        self.depth -= usize::from(is_loop(op));
    }

    fn leave(&mut self, op: Op, out: &mut Vec<Op>) {
        let groups = match (&op.kind, self.depth) {
            (OpKind::For(_), 0) if op.results.is_empty() => groups(&op),
            _ => None,
        };
        let Some(groups) = groups else {
            return out.push(op);
        };
        let nest = Block {
            ops: vec![op],
            yields: vec![],
        };
        match self.nests(&nest, &groups) {
            Some(nests) => {
                self.changed = true;
                out.extend(nests);
            }
            None => out.extend(nest.ops),
        }
    }
}

impl Distribute<'_> {
    /// A nest for each group; `None` if that is too much code.
    fn nests(&mut self, nest: &Block, groups: &[BTreeSet<ArrayId>]) -> Option<Vec<Op>> {
        let mut made = Vec::new();
        for group in groups {
            let mut copy = Copier::within(self.kernel, &mut self.budget).block(nest)?;
            keep_stores(&mut copy, group);
            made.append(&mut copy.ops);
        }
        Some(made)
    }
}

fn is_loop(op: &Op) -> bool {
    matches!(op.kind, OpKind::For(_) | OpKind::While(_))
}

fn keep_stores(block: &mut Block, arrays: &BTreeSet<ArrayId>) {
    let is_kept = |op: &Op| {
        let (_, writes) = touch::arrays(&op.kind);
        writes.iter().all(|array| arrays.contains(array))
    };
    block.ops.retain(is_kept);
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            keep_stores(inner, arrays);
        }
    }
}

/// The arrays that a nest writes, those together that depend on one another, in the order of their first stores; `None` if
/// all do, or if it is not known.
fn groups(nest: &Op) -> Option<Vec<BTreeSet<ArrayId>>> {
    let written = Touched::by(nest).written;
    if written.len() < 2 {
        return None;
    }
    let mut sources = Sources::default();
    sources.op(nest, &[])?;
    let mut groups: Vec<BTreeSet<ArrayId>> = Vec::new();
    let mut has_recurrence = false;
    for store in &sources.stores {
        let (mut group, is_carried) = sources.reads_of(&store.needs);
        has_recurrence |= is_carried || group.contains(&store.array);
        group.extend(store.copied);
        group.retain(|array| written.contains(array));
        group.insert(store.array);
        // With all groups that it meets.
        let (met, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|other| !other.is_disjoint(&group));
        group.extend(met.into_iter().flatten());
        groups = apart;
        groups.push(group);
    }
    groups.sort_by_key(|group| {
        let mut stores = sources.stores.iter();
        stores.position(|store| group.contains(&store.array))
    });
    // Only a recurrence keeps an interval long that ports do not.
    (has_recurrence && groups.len() > 1).then_some(groups)
}

/// A store, or a fill or copy.
struct Store {
    /// What is written.
    array: ArrayId,
    /// The values that decide what and whether.
    needs: Vec<ValueId>,
    /// The array that it is a copy of.
    copied: Option<ArrayId>,
}

/// What values and stores of a nest depend on.
#[derive(Default)]
struct Sources {
    /// Of each value defined there: the values and the array that it is made of.
    made_of: HashMap<ValueId, (Vec<ValueId>, Option<ArrayId>)>,
    stores: Vec<Store>,
    /// What loops carry.
    carried: HashSet<ValueId>,
}

impl Sources {
    /// Notes an operation and what is inside; `around`: the values that decide whether and how often it runs. `None` where a
    /// loop has no counter.
    fn op(&mut self, op: &Op, around: &[ValueId]) -> Option<()> {
        let mut needs = [&op.kind.operands(), around].concat();
        let (reads, writes) = touch::arrays(&op.kind);
        if writes.len() > 1 || reads.len() > 1 {
            return None;
        }
        match &op.kind {
            OpKind::While(_) | OpKind::Call(_) => return None,
            OpKind::For(f) => {
                // What decides how often it runs.
                needs = [&[f.lo, f.hi, f.step], around].concat();
                self.define(f.iv, &needs, None);
                for (at, &param) in f.carried.iter().enumerate() {
                    let made_of = [f.inits[at], f.body.yields[at], f.iv];
                    self.define(param, &made_of, None);
                    self.carried.insert(param);
                    self.define(op.results[at], &made_of, None);
                }
            }
            OpKind::If(branch) => {
                for (at, &result) in op.results.iter().enumerate() {
                    let (then, otherwise) = (&branch.then, &branch.otherwise);
                    let made_of = [branch.cond, then.yields[at], otherwise.yields[at]];
                    self.define(result, &made_of, None);
                }
            }
            _ => {
                for &result in &op.results {
                    self.define(result, &op.kind.operands(), reads.first().copied());
                }
            }
        }
        if let Some(&array) = writes.first() {
            self.stores.push(Store {
                array,
                needs: needs.clone(),
                copied: reads.first().copied(),
            });
        }
        if self.stores.len() > MANY {
            return None;
        }
        for block in op.kind.blocks() {
            for op in &block.ops {
                self.op(op, &needs)?;
            }
        }
        Some(())
    }

    fn define(&mut self, value: ValueId, made_of: &[ValueId], array: Option<ArrayId>) {
        self.made_of.insert(value, (made_of.to_vec(), array));
    }

    /// Arrays that are read on the way to values, and whether a loop carries something there.
    fn reads_of(&self, values: &[ValueId]) -> (BTreeSet<ArrayId>, bool) {
        let mut found = BTreeSet::new();
        let mut seen: HashSet<ValueId> = values.iter().copied().collect();
        let mut open = values.to_vec();
        while let Some(value) = open.pop() {
            let Some((made_of, array)) = self.made_of.get(&value) else {
                continue;
            };
            found.extend(array);
            open.extend(made_of.iter().filter(|value| seen.insert(**value)));
        }
        (found, !seen.is_disjoint(&self.carried))
    }
}
