//! Scalar replacement: an array element that a loop keeps coming back to lives in a register meanwhile.
//!
//! If a store of a loop body is to an element that does not change in the loop, and every other access to the array is
//! to it or certainly to another, the element is loaded before the loop, carried through it, and stored after it
//! (Callahan, Carr and Kennedy, 1990). Loads and stores under conditions become selections of the carried value.
//!
//! So are elements that a loop only reads: one of each array, or as many as there are, if these are more than its ports serve in a cycle
//! and the loop around reads the same ones: loaded again before each run of a short loop, they would take as long there.

use crate::diagnostics::Span;
use crate::hash::{FastMap, FastSet};
use crate::ir::analysis::{Fact, Values, Varying, touch};
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;

/// Elements of an array that a loop only reads, of which each takes registers, at most.
const MOST_READ: usize = 32;

/// Promotes in all counted loops, innermost first.
pub fn run(kernel: &mut Kernel) {
    promote(kernel, 1);
}

/// The same, with many elements of an array that a loop reads.
pub fn run_where_ports_are_short(kernel: &mut Kernel) {
    promote(kernel, MOST_READ);
}

fn promote(kernel: &mut Kernel, most_read: usize) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let mut pass = Promote {
        kernel,
        values,
        most_read,
        around: Vec::new(),
        facts: Vec::new(),
        outside: Vec::new(),
    };
    let body = rewrite(body, &mut pass);
    kernel.body = body;
}

struct Promote<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
    /// Elements of an array that a loop reads, at most.
    most_read: usize,
    /// Counters of the loops around, outermost first.
    around: Vec<ValueId>,
    /// What the loops and conditions around say.
    facts: Vec<Fact>,
    /// How many facts there were before each block around.
    outside: Vec<usize>,
}

/// A load or store of an element.
struct Use {
    indices: Vec<ValueId>,
    is_store: bool,
    span: Span,
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
}

/// Accesses of a body to one array beyond which only one element becomes a register: every two are compared.
const MANY: usize = 512;

/// What becomes a register.
struct Element {
    array: ArrayId,
    indices: Vec<ValueId>,
    /// The first load of it; `None`: there is none.
    loaded: Option<Span>,
    /// The last store to it, if there is one.
    stored: Option<Span>,
}

/// What does not change in a loop, as it was once. A value that did not then does not now, since only loads have gone.
struct Fixed {
    varying: Varying,
    /// How many values there were.
    known: usize,
    /// Whether nothing has gone since.
    is_current: bool,
}

impl Fixed {
    fn has(&self, value: ValueId) -> bool {
        value.index() < self.known && self.varying.is_fixed(value)
    }
}

impl Rewriter for Promote<'_> {
    fn enter(&mut self, op: &mut Op, block: usize) {
        self.outside.push(self.facts.len());
        if let OpKind::For(f) = &op.kind {
            self.around.push(f.iv);
        }
        let facts = match &op.kind {
            OpKind::For(f) => self.values.of_loop(f),
            OpKind::If(branch) => self.values.of_condition(branch.cond, block == 0),
            _ => Vec::new(),
        };
        self.facts.extend(facts);
    }

    fn exit(&mut self, op: &mut Op, _block: usize) {
        if let OpKind::For(_) = op.kind {
            self.around.pop();
        }
        self.facts.truncate(self.outside.pop().unwrap_or(0));
    }

    fn leave(&mut self, op: Op, out: &mut Vec<Op>) {
        match op.kind {
            OpKind::For(_) => self.promote_loop(op, out),
            _ => out.push(op),
        }
    }
}

impl Promote<'_> {
    fn promote_loop(&mut self, mut op: Op, out: &mut Vec<Op>) {
        let mut after = Vec::new();
        if let OpKind::For(f) = &mut op.kind {
            let mut usages: Vec<(ArrayId, Usage)> = Vec::new();
            collect(&f.body, &mut Vec::new(), &mut usages);
            // Values that are gone, since what they were loaded from now is in a register.
            let mut renamed = FastMap::default();
            let mut fixed = None;
            for (array, mut usage) in usages {
                let indices = usage.uses.iter_mut().flat_map(|u| &mut u.indices);
                indices.for_each(|v| *v = resolve(&renamed, *v));
                for mut element in self.elements(array, &usage, f, &mut fixed) {
                    let indices = element.indices.iter_mut();
                    indices.for_each(|v| *v = resolve(&renamed, *v));
                    let Some(hoisted) = self.hoist(f, &mut fixed, &element.indices) else {
                        continue;
                    };
                    out.extend(hoisted);
                    fixed.iter_mut().for_each(|fixed| fixed.is_current = false);
                    self.promote_element(
                        f,
                        &mut op.results,
                        &element,
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

    /// The elements of an array that the loop can keep in registers: those that it writes, else one that it reads.
    fn elements(
        &self,
        array: ArrayId,
        usage: &Usage,
        f: &For,
        fixed: &mut Option<Fixed>,
    ) -> Vec<Element> {
        if usage.blocked {
            return Vec::new();
        }
        let (stores, loads): (Vec<&Use>, Vec<&Use>) = usage.uses.iter().partition(|u| u.is_store);
        let most = match usage.uses.len() <= MANY {
            true => stores.len(),
            false => 1,
        };
        let mut chosen: Vec<&Use> = Vec::new();
        let is_new = |chosen: &[&Use], one: &Use| {
            let mut others = chosen.iter();
            !others.any(|other| self.values.same_element(&one.indices, &other.indices))
        };
        for one in stores.iter().take(most) {
            if is_new(&chosen, one) {
                chosen.push(one);
            }
        }
        if chosen.is_empty() {
            let varying = &self.current(f, fixed).varying;
            let is_fixed = |one: &Use| one.indices.iter().all(|&index| varying.is_fixed(index));
            let ports = self.kernel.arrays[array].most_ports() as usize;
            let many = self.most_read > 1;
            let is_kept = |one: &Use| is_fixed(one) && (!many || self.is_kept_longer(one));
            for one in loads.into_iter().take(MANY).filter(|one| is_kept(one)) {
                if chosen.len() <= self.most_read && is_new(&chosen, one) {
                    chosen.push(one);
                }
            }
            if !(ports + 1..=self.most_read).contains(&chosen.len()) {
                chosen.truncate(1);
            }
        }
        let mut around = self.facts.clone();
        around.extend(self.values.of_loop(f));
        chosen
            .into_iter()
            .filter_map(|one| self.element(array, one, usage, f, &around))
            .collect()
    }

    /// Whether an element stays the same in the loop around a loop, too: it follows from constants, arguments and counters farther out.
    fn is_kept_longer(&self, one: &Use) -> bool {
        let farther = self
            .around
            .split_last()
            .map_or(&[][..], |(_, farther)| farther);
        let is_known = |value: &ValueId| farther.contains(value) || self.is_argument(*value);
        let sums = one.indices.iter().map(|&index| self.values.affine(index));
        sums.into_iter()
            .all(|sum| sum.terms.iter().all(|(value, _)| is_known(value)))
    }

    fn is_argument(&self, value: ValueId) -> bool {
        let is_it = |param: &Param| matches!(param, Param::Scalar(one) if *one == value);
        self.kernel.params.iter().any(is_it)
    }

    /// What becomes of an element, if all other accesses are to it or certainly to others.
    fn element(
        &self,
        array: ArrayId,
        one: &Use,
        usage: &Usage,
        f: &For,
        around: &[Fact],
    ) -> Option<Element> {
        let indices = &one.indices;
        let mut element = Element {
            array,
            indices: indices.clone(),
            loaded: None,
            stored: None,
        };
        let mut first: Option<&Use> = None;
        for other in &usage.uses {
            if self.values.same_element(indices, &other.indices) {
                match other.is_store {
                    true => element.stored = Some(other.span),
                    false => _ = element.loaded.get_or_insert(other.span),
                }
                first.get_or_insert(other);
                continue;
            }
            let mut facts = around.to_vec();
            for &(condition, holds) in &other.conditions {
                facts.extend(self.values.of_condition(condition, holds));
            }
            if !self.values.distinct(indices, &other.indices, &facts) {
                return None;
            }
        }
        // Without a load of its own, the carried value starts unknown: the store must be certain.
        let stored_first = first.is_some_and(|u| u.is_store && u.conditions.is_empty());
        let certain = self.runs(f) && stored_first;
        (element.loaded.is_some() || certain).then_some(element)
    }

    /// Whether the loop certainly runs an iteration.
    fn runs(&self, f: &For) -> bool {
        use num_traits::Signed;
        let constant = |v: ValueId| self.values.constant(v);
        match (constant(f.lo), constant(f.hi), constant(f.step)) {
            (Some(lo), Some(hi), Some(step)) if step.is_positive() => lo < hi,
            (Some(lo), Some(hi), Some(step)) if f.descending && step.is_negative() => lo > hi,
            _ => false,
        }
    }

    /// What does not change in a loop, as it is now.
    fn current<'f>(&self, f: &For, fixed: &'f mut Option<Fixed>) -> &'f Fixed {
        let now = || Fixed {
            varying: self.values.varying(f),
            known: self.kernel.values.len(),
            is_current: true,
        };
        fixed.take_if(|fixed| !fixed.is_current);
        fixed.get_or_insert_with(now)
    }

    /// Takes out of the body what computes `indices`; `None` if one of them changes in the loop.
    fn hoist(
        &self,
        f: &mut For,
        fixed: &mut Option<Fixed>,
        indices: &[ValueId],
    ) -> Option<Vec<Op>> {
        let are_known = |fixed: &Fixed| indices.iter().all(|&v| fixed.has(v));
        if !fixed.as_ref().is_some_and(are_known) && !are_known(self.current(f, fixed)) {
            return None;
        }
        let mut needed: FastSet<ValueId> = indices.iter().copied().collect();
        let mut hoisted = Vec::new();
        take_needed(&mut f.body, &mut needed, &mut hoisted);
        hoisted.reverse();
        Some(hoisted)
    }

    fn value(&mut self, array: ArrayId) -> ValueId {
        let Array { elem, name, .. } = &self.kernel.arrays[array];
        let (elem, name) = (*elem, format!("{name}_elem"));
        self.kernel.value(elem, Some(&name))
    }

    fn promote_element(
        &mut self,
        f: &mut For,
        results: &mut Vec<ValueId>,
        element: &Element,
        renamed: &mut FastMap<ValueId, ValueId>,
        before: &mut Vec<Op>,
        after: &mut Vec<Op>,
    ) {
        let (array, indices) = (element.array, element.indices.clone());
        let init = self.value(array);
        let kind = match element.loaded {
            Some(_) => OpKind::load(array, indices.clone()),
            None => OpKind::Const(Const::zero(self.kernel.arrays[array].elem)),
        };
        // What is neither loaded nor stored is no element.
        let span = element
            .loaded
            .or(element.stored)
            .unwrap_or(self.kernel.span);
        self.kernel.build(before, span).define(kind, vec![init]);
        let carried = element.stored.map(|span| (self.value(array), span));
        let current = carried.map_or(init, |(param, _)| param);
        let last = self.replace(&mut f.body, element, current, renamed);
        f.body.for_each_use(&mut |v| *v = resolve(renamed, *v));
        let Some((param, span)) = carried else { return };
        let last = resolve(renamed, last);
        f.inits.push(init);
        f.carried.push(param);
        f.body.yields.push(last);
        let result = self.value(array);
        results.push(result);
        self.kernel.build(after, span).store(array, indices, result);
    }

    /// Removes the accesses to the element; `current` is its value at the start. Returns the value at the end.
    fn replace(
        &mut self,
        block: &mut Block,
        element: &Element,
        mut current: ValueId,
        renamed: &mut FastMap<ValueId, ValueId>,
    ) -> ValueId {
        let mut kept = Vec::new();
        let array = element.array;
        for mut op in std::mem::take(&mut block.ops) {
            match &mut op.kind {
                OpKind::Load { at, .. }
                    if at.array == array && self.is_element(element, &at.indices, renamed) =>
                {
                    renamed.insert(op.results[0], current);
                }
                OpKind::Store { at, value }
                    if at.array == array && self.is_element(element, &at.indices, renamed) =>
                {
                    current = *value;
                }
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
        renamed: &FastMap<ValueId, ValueId>,
    ) -> bool {
        let now: Vec<ValueId> = indices.iter().map(|&v| resolve(renamed, v)).collect();
        self.values.same_element(&element.indices, &now)
    }
}

/// Takes the operations that give needed values out of a block, the last one first. What they need stands before them.
fn take_needed(block: &mut Block, needed: &mut FastSet<ValueId>, taken: &mut Vec<Op>) {
    let mut kept = Vec::new();
    for mut op in std::mem::take(&mut block.ops).into_iter().rev() {
        if op.results.first().is_some_and(|r| needed.contains(r)) {
            needed.extend(op.kind.operands());
            taken.push(op);
            continue;
        }
        for inner in op.kind.blocks_mut().into_iter().rev() {
            take_needed(inner, needed, taken);
        }
        kept.push(op);
    }
    kept.reverse();
    block.ops = kept;
}

/// What a value is called now.
fn resolve(renamed: &FastMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
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
            // What is accessed under a condition of its own is no case for branches.
            OpKind::Load { at, .. } | OpKind::Store { at, .. } if at.when.is_some() => {
                entry(usages, at.array).blocked = true;
            }
            OpKind::Load { at, .. } | OpKind::Store { at, .. } => {
                let is_store = matches!(op.kind, OpKind::Store { .. });
                let usage = entry(usages, at.array);
                usage.uses.push(Use {
                    indices: at.indices.clone(),
                    is_store,
                    span: op.span,
                    conditions: conditions.clone(),
                });
            }
            OpKind::If(branch) => {
                for (block, holds) in [(&branch.then, true), (&branch.otherwise, false)] {
                    conditions.push((branch.cond, holds));
                    collect(block, conditions, usages);
                    conditions.pop();
                }
            }
            _ => {
                let touched = touch::Touched::by(op);
                for array in touched.read.union(&touched.written) {
                    entry(usages, *array).blocked = true;
                }
            }
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
