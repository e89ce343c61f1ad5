//! Elements at clamped places: what lies beyond a border is the element at it, `a[max(i - 1, 0)]`.
//!
//! Such an element is one of a few that lie as far from it in every iteration, of which a choice takes one: with `i` from 0 it is `a[i]` where
//! `i - 1` is -1, else `a[i - 1]`. These are at hand in a stencil (`window`, `lines`), and one that is elsewhere in each iteration is not.

use crate::diagnostics::Span;
use crate::ir::analysis::Values;
use crate::ir::analysis::touch::Touched;
use crate::ir::rewrite::{Rewriter, rewrite};
use crate::ir::*;
use num_traits::ToPrimitive;

/// Elements that one may be, at most.
const MOST: usize = 9;

/// Rewrites the loads of arrays that nothing in an innermost loop writes.
pub fn run(kernel: &mut Kernel) {
    let values = Values::of(kernel);
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(body, &mut Clamps { kernel, values });
}

struct Clamps<'k> {
    /// Without its body.
    kernel: &'k mut Kernel,
    values: Values,
}

/// A subscript: a value, and how far from it the element is where the value is one of a few.
struct Place {
    value: ValueId,
    /// The value, and what is added to it then.
    beyond: Vec<(i128, i128)>,
}

impl Rewriter for Clamps<'_> {
    fn leave(&mut self, mut op: Op, out: &mut Vec<Op>) {
        if let OpKind::For(f) = &mut op.kind
            && !f.body.ops.iter().any(Op::contains_loop)
        {
            let touched = Touched::by_block(&f.body);
            let is_read = |array: ArrayId| !touched.written.contains(&array);
            self.block(&mut f.body, &is_read);
        }
        out.push(op);
    }
}

impl Clamps<'_> {
    fn block(&mut self, block: &mut Block, is_read: &dyn Fn(ArrayId) -> bool) {
        for mut op in std::mem::take(&mut block.ops) {
            for inner in op.kind.blocks_mut() {
                self.block(inner, is_read);
            }
            let places = match &op.kind {
                OpKind::Load { at, .. } if at.when.is_none() && is_read(at.array) => {
                    self.places(at).map(|places| (at.array, places))
                }
                _ => None,
            };
            match places {
                Some((array, places)) => {
                    let last = self.element(array, &places, &[], op.span, &mut block.ops);
                    // The value keeps its name.
                    if let Some(last) = block.ops.iter_mut().rfind(|op| op.results == [last]) {
                        last.results = op.results;
                    }
                }
                None => block.ops.push(op),
            }
        }
    }

    /// The subscripts of an element, if some are clamped and it may be one of a few.
    fn places(&self, at: &Element) -> Option<Vec<Place>> {
        self.kernel.arrays[at.array]
            .stream
            .is_none()
            .then_some(())?;
        let places: Option<Vec<Place>> =
            at.indices.iter().map(|&index| self.place(index)).collect();
        let places = places?;
        let all = places.iter().map(|place| place.beyond.len() + 1);
        // Where none is ever beyond them, bounds are in the way, too.
        let mut pairs = places.iter().zip(&at.indices);
        let is_held = pairs.any(|(place, index)| place.value != *index);
        (is_held && all.product::<usize>() <= MOST).then_some(places)
    }

    /// What a subscript is without its bounds; `None` if nothing is known of how far it is beyond them.
    fn place(&self, index: ValueId) -> Option<Place> {
        let (mut value, mut low, mut high) = (index, i128::MIN, i128::MAX);
        // One bound that is within the other one: the order in which they hold is of no account.
        while let Some(OpKind::Binary { op, lhs, rhs }) =
            self.values.definition(self.values.uncast(value))
        {
            let constant = |value| self.values.constant(value)?.to_i128();
            let (inside, bound) = match (constant(*lhs), constant(*rhs)) {
                (None, Some(bound)) => (*lhs, bound),
                (Some(bound), None) => (*rhs, bound),
                _ => break,
            };
            match op {
                BinaryOp::Max => low = low.max(bound),
                BinaryOp::Min => high = high.min(bound),
                _ => break,
            }
            value = inside;
        }
        if (low, high) == (i128::MIN, i128::MAX) || low > high {
            return Some(Place {
                value: index,
                beyond: Vec::new(),
            });
        }
        let (least, most) = self.values.range(value)?;
        let below = (least..low).take(MOST).map(|at| (at, low - at));
        let above = (high.saturating_add(1)..=most)
            .take(MOST)
            .map(|at| (at, high - at));
        Some(Place {
            value,
            beyond: below.chain(above).collect(),
        })
    }

    /// Loads each of the elements that one may be, and chooses.
    fn element(
        &mut self,
        array: ArrayId,
        places: &[Place],
        indices: &[ValueId],
        span: Span,
        out: &mut Vec<Op>,
    ) -> ValueId {
        let Some((place, rest)) = places.split_first() else {
            return self.kernel.build(out, span).load(array, indices.to_vec());
        };
        let mut build = self.kernel.build(out, span);
        let index = match build.kernel.values[place.value].ty {
            Scalar::Index => place.value,
            _ => build.cast(place.value, Scalar::Index),
        };
        let with = |index: ValueId| [indices, &[index]].concat();
        let mut chosen = self.element(array, rest, &with(index), span, out);
        for &(at, by) in &place.beyond {
            let mut build = self.kernel.build(out, span);
            let by = build.index(by);
            let nearer = build.binary(BinaryOp::Add, index, by);
            let other = self.element(array, rest, &with(nearer), span, out);
            let mut build = self.kernel.build(out, span);
            let at = build.index(at);
            let is_beyond = build.compare(CompareOp::Eq, index, at);
            chosen = build.select(is_beyond, other, chosen);
        }
        chosen
    }
}
