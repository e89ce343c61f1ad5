//! Local arrays that are split completely become values: each element is a register.
//!
//! The construction of SSA form in structured code: loops carry the elements that they write, branches yield them. A subscript
//! that is known only at run time chooses among the elements that it may name.

use crate::diagnostics::Span;
use crate::hash::FastMap;
use crate::ir::analysis::{Values, touch};
use crate::ir::grid::{combinations, digits, number};
use crate::ir::*;
use num_bigint::BigInt;
use num_integer::Integer;
use std::collections::{BTreeMap, BTreeSet};

/// Replaces all such arrays.
pub fn run(kernel: &mut Kernel) {
    let chosen = chosen(kernel);
    if chosen.is_empty() {
        return;
    }
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    let span = kernel.span;
    let mut ops = Vec::new();
    let mut now = Now::new();
    for &array in &chosen {
        let Array { elem, .. } = kernel.arrays[array];
        let undefined = kernel.build(&mut ops, span).zero(elem);
        let elements = kernel.arrays[array].len() as usize;
        now.insert(array, vec![undefined; elements]);
    }
    let mut pass = Registers {
        kernel,
        values,
        renamed: FastMap::default(),
    };
    let mut body = pass.block(body, &mut now);
    ops.append(&mut body.ops);
    body.ops = ops;
    kernel.body = body;
    kernel.retain_arrays(|id, _| !chosen.contains(&id));
}

/// Elements times accesses, branches and loops beyond which an array stays banks of one element each.
const MOST_CHOICES: u64 = 200_000;

/// Value of each element of each array, at a place.
type Now = BTreeMap<ArrayId, Vec<ValueId>>;

/// An element of an array, by its row-major position.
type Place = (ArrayId, usize);

fn chosen(kernel: &Kernel) -> BTreeSet<ArrayId> {
    let is_complete = |array: &Array| {
        let is_memory = array.tags.memory.is_some();
        array.kind == ArrayKind::Local && array.is_elementwise() && !is_memory
    };
    // Each of these may choose among all elements, or hand them on.
    let mut places = 0;
    kernel.body.for_each_op(&mut |op| {
        let is_access = touch::element(&op.kind).is_some();
        places += u64::from(is_access || !op.kind.blocks().is_empty());
    });
    let is_small = |array: &Array| array.len().saturating_mul(places) <= MOST_CHOICES;
    let arrays = kernel.arrays.iter();
    let mut chosen: BTreeSet<ArrayId> = arrays
        .filter(|(_, array)| is_complete(array) && is_small(array))
        .map(|(id, _)| id)
        .collect();
    // What the test of a `while` writes, the loop does not carry.
    kernel.body.for_each_op(&mut |op| {
        if let OpKind::While(w) = &op.kind {
            w.cond.for_each_op(&mut |op| {
                for array in touch::arrays(&op.kind).1 {
                    chosen.remove(&array);
                }
            });
        }
    });
    chosen
}

struct Registers<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
    /// Loads that are gone.
    renamed: FastMap<ValueId, ValueId>,
}

impl Registers<'_> {
    fn renamed(&self, value: ValueId) -> ValueId {
        self.renamed.get(&value).copied().unwrap_or(value)
    }

    fn block(&mut self, block: Block, now: &mut Now) -> Block {
        let mut out = Vec::with_capacity(block.ops.len());
        for op in block.ops {
            self.op(op, now, &mut out);
        }
        let yields = block.yields.iter().map(|&v| self.renamed(v)).collect();
        Block { ops: out, yields }
    }

    fn op(&mut self, mut op: Op, now: &mut Now, out: &mut Vec<Op>) {
        op.kind.for_each_operand(&mut |v| *v = self.renamed(*v));
        let span = op.span;
        match &mut op.kind {
            OpKind::Load { at, .. } if now.contains_key(&at.array) => {
                let value = self.load(at, now, span, out);
                self.renamed.insert(op.results[0], value);
                return;
            }
            OpKind::Store { at, value } if now.contains_key(&at.array) => {
                return self.store(at, *value, now, span, out);
            }
            OpKind::Fill { array, value } if now.contains_key(array) => {
                let elements = now.entry(*array).or_default();
                elements.iter_mut().for_each(|element| *element = *value);
                return;
            }
            OpKind::Copy { dst, src } if now.contains_key(dst) || now.contains_key(src) => {
                return self.copy(*dst, *src, now, span, out);
            }
            OpKind::For(f) => {
                let results = self.carry(&mut f.inits, &mut f.carried, None, &mut f.body, now);
                op.results.extend(results);
            }
            OpKind::While(w) => {
                let test = Some(&mut w.cond);
                let results = self.carry(&mut w.inits, &mut w.carried, test, &mut w.body, now);
                op.results.extend(results);
            }
            OpKind::If(branch) => {
                let mut places = self.written(&branch.then, now);
                places.extend(self.written(&branch.otherwise, now));
                places.sort_unstable();
                places.dedup();
                for block in [&mut branch.then, &mut branch.otherwise] {
                    let mut inside = now.clone();
                    let taken = std::mem::take(block);
                    *block = self.block(taken, &mut inside);
                    block
                        .yields
                        .extend(places.iter().map(|place| at(&inside, place)));
                }
                let results = self.like(&places, now);
                set(now, &places, &results);
                op.results.extend(results);
            }
            _ => {}
        }
        out.push(op);
    }

    /// Carries the elements that the body of a loop writes through it. Gives what they are behind it: results of the loop.
    fn carry(
        &mut self,
        inits: &mut Vec<ValueId>,
        carried: &mut Vec<ValueId>,
        test: Option<&mut Block>,
        body: &mut Block,
        now: &mut Now,
    ) -> Vec<ValueId> {
        let places = self.written(body, now);
        let (params, results) = (self.like(&places, now), self.like(&places, now));
        inits.extend(places.iter().map(|place| at(now, place)));
        carried.extend(&params);
        let mut inside = now.clone();
        set(&mut inside, &places, &params);
        for block in test.into_iter().chain([&mut *body]) {
            *block = self.block(std::mem::take(block), &mut inside);
        }
        let last = places.iter().map(|place| at(&inside, place));
        body.yields.extend(last);
        set(now, &places, &results);
        results
    }

    /// Values like those of elements.
    fn like(&mut self, places: &[Place], now: &Now) -> Vec<ValueId> {
        let values = places.iter().map(|place| at(now, place));
        values.map(|value| self.element(value)).collect()
    }

    fn element(&mut self, like: ValueId) -> ValueId {
        let ty = self.kernel.values[like].ty;
        self.kernel.value(ty, None)
    }

    /// The elements that a block may write, in order.
    fn written(&self, block: &Block, now: &Now) -> Vec<Place> {
        let chosen = |array: &ArrayId| now.contains_key(array);
        let mut places = BTreeSet::new();
        block.for_each_op(&mut |op| match &op.kind {
            OpKind::Store { at, .. } if chosen(&at.array) => {
                let named = self.candidates(at).into_iter();
                places.extend(named.map(|(place, _)| (at.array, place)));
            }
            OpKind::Fill { array, .. } | OpKind::Copy { dst: array, .. } if chosen(array) => {
                let elements = 0..self.kernel.arrays[*array].len() as usize;
                places.extend(elements.map(|place| (*array, place)));
            }
            _ => {}
        });
        places.into_iter().collect()
    }

    /// The elements that subscripts may name, with their indices.
    fn candidates(&self, at: &Element) -> Vec<(usize, Vec<u64>)> {
        let shape = &self.kernel.arrays[at.array].shape;
        let named = at.indices.iter().zip(shape);
        let places = combinations(named.map(|(&index, &extent)| self.named(index, extent)));
        let numbered = places.into_iter();
        numbered
            .map(|indices| (number(&indices, shape) as usize, indices))
            .collect()
    }

    /// The indices of a dimension that a subscript may be.
    fn named(&self, index: ValueId, extent: u64) -> Vec<u64> {
        let sum = self.values.affine(index);
        let step = sum.terms.iter().fold(0i128, |step, (_, by)| step.gcd(by));
        let is_named = |&i: &u64| match step {
            0 => i128::from(i) == sum.constant,
            step => (i128::from(i) - sum.constant) % step == 0,
        };
        (0..extent).filter(is_named).collect()
    }

    fn load(&mut self, at: &Element, now: &Now, span: Span, out: &mut Vec<Op>) -> ValueId {
        let elements = &now[&at.array];
        let named = self.candidates(at);
        let mut build = self.kernel.build(out, span);
        match &named[..] {
            // No element: any value.
            [] => elements[0],
            named => pick(&mut build, &at.indices, named, elements),
        }
    }

    fn store(
        &mut self,
        at: &Element,
        value: ValueId,
        now: &mut Now,
        span: Span,
        out: &mut Vec<Op>,
    ) {
        let named = self.candidates(at);
        let elements = now.entry(at.array).or_default();
        let constant = |v: ValueId| self.values.constant(v).cloned();
        let known: Vec<Option<BigInt>> = at.indices.iter().map(|&v| constant(v)).collect();
        let mut build = self.kernel.build(out, span);
        for (place, indices) in named {
            let mut when = at.when;
            for ((&index, known), i) in at.indices.iter().zip(&known).zip(indices) {
                if *known == Some(i.into()) {
                    continue;
                }
                let i = build.index(i);
                let hit = build.compare(CompareOp::Eq, index, i);
                when = Some(when.map_or(hit, |when| build.binary(BinaryOp::And, when, hit)));
            }
            elements[place] = match when {
                None => value,
                Some(when) => build.select(when, value, elements[place]),
            };
        }
    }

    /// Element by element.
    fn copy(&mut self, dst: ArrayId, src: ArrayId, now: &mut Now, span: Span, out: &mut Vec<Op>) {
        let Array { shape, elem, .. } = self.kernel.arrays[dst].clone();
        for place in 0..shape.iter().product::<u64>() {
            let mut build = self.kernel.build(out, span);
            let indices = digits(place, &shape).into_iter();
            let indices: Vec<ValueId> = indices.map(|index| build.index(index)).collect();
            let value = match now.get(&src) {
                Some(elements) => elements[place as usize],
                None => build.load(src, indices.clone()),
            };
            let value = build.cast(value, elem);
            match now.get_mut(&dst) {
                Some(elements) => elements[place as usize] = value,
                None => build.store(dst, indices, value),
            }
        }
    }
}

fn at(now: &Now, (array, place): &Place) -> ValueId {
    now[array][*place]
}

fn set(now: &mut Now, places: &[Place], values: &[ValueId]) {
    for ((array, place), value) in places.iter().zip(values) {
        now.entry(*array).or_default()[*place] = *value;
    }
}

/// The element that subscripts name, of those that they may name, in ascending order: by halves, dimension by dimension.
fn pick(
    build: &mut Build,
    indices: &[ValueId],
    named: &[(usize, Vec<u64>)],
    elements: &[ValueId],
) -> ValueId {
    let (first, last) = (&named[0].1, &named[named.len() - 1].1);
    // The outermost dimension in which they differ.
    let Some(dim) = (0..first.len()).find(|&dim| first[dim] != last[dim]) else {
        return elements[named[0].0];
    };
    let mut starts: Vec<usize> = (1..named.len())
        .filter(|&i| named[i].1[dim] != named[i - 1].1[dim])
        .collect();
    let middle = starts.swap_remove(starts.len() / 2);
    let (below, above) = named.split_at(middle);
    let start = build.index(above[0].1[dim]);
    let below = pick(build, indices, below, elements);
    let above = pick(build, indices, above, elements);
    let is_below = build.compare(CompareOp::Lt, indices[dim], start);
    build.select(is_below, below, above)
}
