//! Elements of streams: got as a block or an iteration begins, which waits for them; put like stores.

use super::{Location, Lowering, Waits, hw_type};
use crate::hwarith::HwType;
use crate::hwarith::graph::{MemId, NodeId, Op as HwOp};
use crate::ir::{ArrayId, Attempt, Block, Element, Op, OpKind, ValueId};
use crate::machine::program::{Place, Side};
use num_traits::Zero;
use std::collections::BTreeSet;

/// Why iterations with these blocks, one after the other, cannot overlap, as words that follow "each iteration"; `None` if they
/// can: all that they get they get as they begin, one element of a stream at most, and nothing that may depend on what they put;
/// and what they ask, they ask then. `always`: an iteration that begins does all of it.
pub fn in_turn_because<'b>(
    lowering: &Lowering,
    always: bool,
    blocks: impl IntoIterator<Item = &'b Block>,
) -> Option<String> {
    let mut begun: BTreeSet<ArrayId> = BTreeSet::new();
    let mut puts: BTreeSet<ArrayId> = BTreeSet::new();
    let mut why = None;
    for block in blocks {
        block.for_each_op(&mut |op| match &op.kind {
            OpKind::Put { at, .. } => _ = puts.insert(at.array),
            OpKind::Get { at } | OpKind::Attempt { at, .. } => {
                let is_known = always && at.when.is_none();
                let is_first = begun.insert(at.array);
                let what = match () {
                    () if !puts.is_empty() => "needs something of",
                    () if !is_first => "needs something twice of",
                    () if !is_known && lowering.waits == Waits::Always => "may need something of",
                    () => return,
                };
                let when = match (puts.is_empty(), is_first) {
                    (false, _) => " after it put something",
                    (true, true) => ", which is not known as it begins",
                    (true, false) => "",
                };
                why.get_or_insert((what, at.array, when));
            }
            _ => {}
        });
    }
    let name = |array: ArrayId| &lowering.kernel.arrays[array].name;
    if let Some((what, array, when)) = why {
        return Some(format!("{what} stream '{}'{when}", name(array)));
    }
    // Who asks for room counts on what is put by others only.
    let both = begun.intersection(&puts).next();
    both.map(|&array| format!("asks stream '{}' for room and puts into it", name(array)))
}

impl Lowering<'_> {
    /// Closes the open block where an operation has to wait for an element that may depend on what is before it, or to ask;
    /// and where something is put into a stream of which was asked.
    pub(super) fn cut_before(&mut self, op: &Op) {
        let Some(open) = self.open else {
            return;
        };
        let mems = &self.program.mems;
        let accesses = self.program.leaves[open].accesses.iter();
        let mut transfers =
            accesses.filter(|access| matches!(mems[access.mem].place, Place::Stream(_)));
        let at = match &op.kind {
            OpKind::Get { at } | OpKind::Attempt { at, .. } => at,
            OpKind::Put { at, .. } => {
                let asked = self.side(at, Side::Ask);
                if transfers.any(|access| access.mem == asked) {
                    self.close();
                }
                return;
            }
            _ => return,
        };
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
        let node = self.ask(op, at, Side::Data, ty);
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

    /// What depends on timing is asked as the block or the iteration begins.
    pub(super) fn attempt(&mut self, op: &Op, at: &Element, what: Attempt) {
        let enable = self.enable(at);
        let has = match what.is_of_consumer() {
            true => Side::Element,
            false => Side::Room,
        };
        let has = self.ask(op, at, has, HwType::ui(1));
        let asked = self.side(at, Side::Ask);
        self.transfer(op, at, asked, has, enable);
        let done = self.b().and(has, enable);
        let done = self.b().cast(done, HwType::ui(1));
        self.define(op.results[0], done);
        match what {
            Attempt::HasElement | Attempt::HasRoom => {}
            Attempt::Get => {
                let ty = hw_type(self.kernel.arrays[at.array].elem);
                let element = self.ask(op, at, Side::Data, ty);
                let take = self.side(at, Side::TryTake);
                self.transfer(op, at, take, has, enable);
                let nothing = self.b().constant(0);
                let nothing = self.b().cast(nothing, ty);
                let taken = self.b().mux(done, element, nothing);
                self.define(op.results[1], taken);
            }
            Attempt::Put(value) => {
                let claim = self.side(at, Side::Claim);
                self.transfer(op, at, claim, has, enable);
                let value = self.node(value);
                let put = self.side(at, Side::PutClaimed);
                self.transfer(op, at, put, value, done);
            }
        }
    }

    /// What a side of a stream says.
    fn ask(&mut self, op: &Op, at: &Element, side: Side, ty: HwType) -> NodeId {
        let address = self.only_word();
        let mem = self.side(at, side);
        let node = self.b().opaque(HwOp::Load(mem), vec![address], ty);
        self.access(node, mem, at, false, op.span);
        node
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
