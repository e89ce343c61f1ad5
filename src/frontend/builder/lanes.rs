//! Vectors while a kernel is built: operations on lanes are added to one open loop over the lanes, until something else stands in the way.
//!
//! A vector that is only used inside of that loop is a value of its body and needs no memory; when the loop is closed, each one
//! that is still referred to becomes an array of its lanes. So a chain of operations on vectors is one loop.

use super::state::{Access, Builder, Keeping, LaneLoop, OpenBlock, State, Vector, VectorType};
use crate::diagnostics::Span;
use crate::ir::{
    ArrayId, ArrayKind, Const, For, OpKind, Partition, PartitionKind, Scalar, Unroll, ValueId,
};
use std::rc::{Rc, Weak};

impl Builder {
    /// Adds operations to the body of a loop over so many lanes; they get its variable.
    pub fn over_lanes<T>(
        &mut self,
        lanes: u64,
        access: Option<Access>,
        span: Span,
        add: impl FnOnce(&mut Builder, ValueId) -> T,
    ) -> T {
        let fits = |open: &LaneLoop| {
            let mut earlier = open.accesses.iter();
            open.lanes == lanes
                && !access.is_some_and(|new| earlier.any(|old| old.conflicts(&new, lanes)))
        };
        if !self.lane_loop.as_ref().is_some_and(fits) {
            self.close_lanes();
        }
        let mut open = match self.lane_loop.take() {
            Some(open) => open,
            None => LaneLoop {
                lanes,
                iv: self.value(Scalar::Index, None),
                block: OpenBlock::default(),
                made: Vec::new(),
                accesses: Vec::new(),
                span,
            },
        };
        open.accesses.extend(access);
        self.blocks.push(std::mem::take(&mut open.block));
        let result = add(self, open.iv);
        open.block = self.blocks.pop().unwrap_or_default();
        self.lane_loop = Some(open);
        result
    }

    /// The vector whose lane in the open loop is the value.
    pub fn vector(&mut self, ty: VectorType, lane: ValueId) -> Rc<Vector> {
        let vector = Rc::new(Vector {
            ty,
            state: State::Lane(lane).into(),
        });
        if let Some(open) = &mut self.lane_loop {
            open.made.push(Rc::downgrade(&vector));
        }
        vector
    }

    /// A vector whose lanes are the elements of an array.
    pub fn vector_in(ty: VectorType, array: ArrayId) -> Rc<Vector> {
        let state = State::Array(array).into();
        Rc::new(Vector { ty, state })
    }

    /// A vector whose lanes are computed wherever it is used.
    pub fn vector_by(
        ty: VectorType,
        lane: impl Fn(&mut Builder, ValueId) -> ValueId + 'static,
    ) -> Rc<Vector> {
        let state = State::Formula(Rc::new(lane)).into();
        Rc::new(Vector { ty, state })
    }

    /// A lane of a vector, in the body of a loop over as many lanes.
    pub fn lane(&mut self, vector: &Vector, iv: ValueId, span: Span) -> ValueId {
        let state = vector.state.borrow().clone();
        match state {
            State::Lane(value) => value,
            State::Array(array) => self.append(OpKind::load(array, vec![iv]), vector.ty.elem, span),
            State::Formula(formula) => formula(self, iv),
        }
    }

    /// A new array for the lanes of vectors of the type.
    pub fn lane_array(&mut self, ty: VectorType, span: Span) -> ArrayId {
        let name = if ty.is_mask { "mask" } else { "vreg" };
        let array = self.array(name, ty.elem, &[ty.lanes], ArrayKind::Local, span);
        let factor = self.options.lanes.0.into();
        if factor > 1 && ty.lanes > 1 {
            self.arrays[array].partition = vec![Partition {
                kind: PartitionKind::Cyclic,
                dim: 0,
                factor: ty.lanes.min(factor),
            }];
        }
        array
    }

    /// The lanes of a vector in an array that stays as it is, and is whole when this returns.
    pub fn frozen(&mut self, vector: &Vector, span: Span) -> ArrayId {
        if vector.is_lane() {
            self.close_lanes();
        }
        if let State::Array(array) = *vector.state.borrow()
            && *self.keeping.entry(array).or_insert(Keeping::Lent) == Keeping::Lent
        {
            return array;
        }
        let array = self.lane_array(vector.ty, span);
        self.over_lanes(vector.ty.lanes, None, span, |b, iv| {
            let value = b.lane(vector, iv, span);
            b.push(OpKind::store(array, vec![iv], value), vec![], span);
        });
        self.close_lanes();
        array
    }

    /// An array for each of the vectors that names stand for, with its lanes, which may be written: its own one if nothing but
    /// the name refers to the vector, or else a copy.
    pub fn homes(&mut self, vectors: Vec<Rc<Vector>>, span: Span) -> Vec<ArrayId> {
        let copies: Vec<Option<ArrayId>> = vectors
            .iter()
            .map(|vector| {
                // The name's own reference and this one.
                let is_shared = Rc::strong_count(vector) > 2;
                let is_needed = match *vector.state.borrow() {
                    State::Lane(_) => is_shared,
                    State::Array(array) => {
                        is_shared || self.keeping.get(&array) == Some(&Keeping::Lent)
                    }
                    State::Formula(_) => true,
                };
                is_needed.then(|| self.lane_array(vector.ty, span))
            })
            .collect();
        let moves = vectors.iter().zip(&copies);
        let moves = moves.filter_map(|(vector, array)| Some((vector.clone(), (*array)?)));
        self.write_lanes(moves.collect(), span);
        self.close_lanes();
        let homes = vectors.iter().zip(copies);
        let homes = homes.filter_map(|(vector, copy)| copy.or(vector.array()));
        let homes: Vec<ArrayId> = homes.collect();
        self.keeping
            .extend(homes.iter().map(|home| (*home, Keeping::Home)));
        homes
    }

    /// Writes vectors into arrays, of those with as many lanes all being read before any is written.
    pub fn write_lanes(&mut self, mut moves: Vec<(Rc<Vector>, ArrayId)>, span: Span) {
        while let Some((first, _)) = moves.first() {
            let lanes = first.ty.lanes;
            let own = moves.extract_if(.., |(v, _)| v.ty.lanes == lanes);
            let own: Vec<_> = own.collect();
            self.over_lanes(lanes, None, span, |b, iv| {
                let values: Vec<ValueId> = own.iter().map(|(v, _)| b.lane(v, iv, span)).collect();
                for ((_, array), value) in own.iter().zip(values) {
                    b.push(OpKind::store(*array, vec![iv], value), vec![], span);
                }
            });
            self.close_lanes();
        }
    }

    /// Closes the open loop over lanes, if there is one.
    pub fn close_lanes(&mut self) {
        let Some(mut open) = self.lane_loop.take() else {
            return;
        };
        let span = open.span;
        self.blocks.push(std::mem::take(&mut open.block));
        for vector in open.made.iter().filter_map(Weak::upgrade) {
            let State::Lane(value) = *vector.state.borrow() else {
                continue;
            };
            let array = self.lane_array(vector.ty, span);
            self.push(OpKind::store(array, vec![open.iv], value), vec![], span);
            *vector.state.borrow_mut() = State::Array(array);
        }
        let body = self.close(vec![]);
        if body
            .ops
            .iter()
            .any(|op| matches!(op.kind, OpKind::Store { .. }))
        {
            self.push_lane_loop(open.lanes, open.iv, body, span);
        }
    }

    fn push_lane_loop(&mut self, lanes: u64, iv: ValueId, body: crate::ir::Block, span: Span) {
        let factor = u64::from(self.options.lanes.0).min(lanes);
        let lo = self.index(0, span);
        let hi = self.constant(Scalar::Index, Const::Int(lanes.into()), span);
        let step = self.index(1, span);
        let unroll = (factor > 1).then_some(Unroll::By(factor as u32));
        let mut lanes = For::over(iv, [lo, hi, step], "lanes", body);
        lanes.parallel = true;
        lanes.tags.unroll = unroll;
        self.push(OpKind::For(Box::new(lanes)), vec![], span);
    }

    /// Whether an operation outside of the open loop over lanes has to come after it.
    pub(super) fn ends_lanes(&self, kind: &OpKind) -> bool {
        let Some(open) = &self.lane_loop else {
            return false;
        };
        let mut accesses = open.accesses.iter();
        match kind {
            OpKind::Load { at, .. } => accesses.any(|one| one.array == at.array && one.writes),
            OpKind::Store { at, .. } => accesses.any(|one| one.array == at.array),
            OpKind::Fill { array, .. } => accesses.any(|one| one.array == *array),
            OpKind::Get { .. }
            | OpKind::Put { .. }
            | OpKind::Attempt { .. }
            | OpKind::Copy { .. }
            | OpKind::For(_)
            | OpKind::While(_)
            | OpKind::If(_)
            | OpKind::Call(_) => true,
            _ => false,
        }
    }
}
