//! Elements of streams: got as a block or an iteration begins, which waits for them; put like stores.

use super::{Location, Lowering, Waits, hw_type};
use crate::hwarith::HwType;
use crate::hwarith::graph::{MemId, NodeId, Op as HwOp};
use crate::ir::{ArrayId, Block, Element, Op, OpKind, ValueId};
use crate::machine::program::{Place, Side};
use num_traits::Zero;
use std::collections::BTreeSet;

/// Whether iterations with these blocks, one after the other, can overlap: all that they get they get as they begin, one
/// element of a stream at most, and nothing that may depend on what they put. `always`: an iteration that begins does all of it.
pub fn may_wait<'b>(
    lowering: &Lowering,
    always: bool,
    blocks: impl IntoIterator<Item = &'b Block>,
) -> bool {
    let mut got: BTreeSet<ArrayId> = BTreeSet::new();
    let mut has_put = false;
    let mut fits = true;
    for block in blocks {
        block.for_each_op(&mut |op| match &op.kind {
            OpKind::Put { .. } => has_put = true,
            OpKind::Get { at } => {
                let is_known = always && at.when.is_none();
                let knows = lowering.waits == Waits::UnderConditions || is_known;
                fits &= !has_put && knows && got.insert(at.array);
            }
            _ => {}
        });
    }
    fits
}

impl Lowering<'_> {
    /// Closes the open block where an operation has to wait for an element that may depend on what is before it.
    pub(super) fn cut_before(&mut self, op: &Op) {
        let (OpKind::Get { at }, Some(open)) = (&op.kind, self.open) else {
            return;
        };
        let mems = &self.program.mems;
        let accesses = self.program.leaves[open].accesses.iter();
        let mut transfers =
            accesses.filter(|access| matches!(mems[access.mem].place, Place::Stream(_)));
        let computed = at.when.and_then(|when| self.env.get(&when));
        let is_late = matches!(computed, Some(Location::Node { leaf, .. }) if *leaf == open);
        if transfers.next().is_some() || is_late {
            self.close();
        }
    }

    pub(super) fn get(&mut self, op: &Op, at: &Element) {
        let ty = hw_type(self.kernel.arrays[at.array].elem);
        let enable = self.enable(at);
        if self.b().as_const(enable).is_some_and(Zero::is_zero) {
            let zero = self.b().constant(0);
            let zero = self.b().cast(zero, ty);
            return self.define(op.results[0], zero);
        }
        let address = self.only_word();
        let data = self.side(at, Side::Data);
        let node = self.b().opaque(HwOp::Load(data), vec![address], ty);
        self.access(node, data, at, false, op.span);
        let nothing = self.b().constant(0);
        let nothing = self.b().cast(nothing, HwType::ui(1));
        let take = self.side(at, Side::Take);
        self.transfer(op, at, take, nothing, enable);
        self.define(op.results[0], node);
    }

    pub(super) fn put(&mut self, op: &Op, at: &Element, value: ValueId) {
        let enable = self.enable(at);
        if self.b().as_const(enable).is_some_and(Zero::is_zero) {
            return;
        }
        let value = self.node(value);
        let put = self.side(at, Side::Put);
        self.transfer(op, at, put, value, enable);
    }

    fn transfer(&mut self, op: &Op, at: &Element, mem: MemId, value: NodeId, enable: NodeId) {
        let address = self.only_word();
        let enable = self.b().widen(enable, HwType::ui(1));
        let operands = vec![address, value, enable];
        let node = self.b().opaque(HwOp::Store(mem), operands, HwType::ui(1));
        self.access(node, mem, at, true, op.span);
    }

    fn only_word(&mut self) -> NodeId {
        let zero = self.b().constant(0);
        self.b().cast(zero, HwType::ui(1))
    }

    fn side(&self, at: &Element, side: Side) -> MemId {
        self.mem_ids[&at.array][side as usize]
    }
}
