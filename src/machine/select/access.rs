//! Loads and stores: the memory that has the element, its address in there, and when it is accessed.
//!
//! An array that is split into banks is a memory for each of them. Where the subscripts leave open which bank has the
//! element, all that may have it are read and one is chosen; a store goes to the one.

use super::{Lowering, hw_type};
use crate::diagnostics::Span;
use crate::hwarith::HwType;
use crate::hwarith::graph::{MemId, NodeId, Op as HwOp, Predicate};
use crate::hwarith::table::Table;
use crate::ir::analysis::{Affine, Residue};
use crate::ir::grid::combinations;
use crate::ir::partition::{self, Split, bank_of, bank_shape};
use crate::ir::{Array, ArrayId, Element, Op, PartitionKind, Scalar, ValueId};
use crate::machine::program::{Access, Mem, Pin, Place as Where, address_width};
use crate::units::integer_division::Field;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

/// Loads of a table of constants up to which each has logic of its own.
const MOST_LOOKUPS: u64 = 2;

/// The parts of a split that may have an element.
pub(super) struct Choice {
    split: Split,
    /// In ascending order.
    parts: Vec<u64>,
    /// The part that has it; `None` if there is only one.
    pub(super) part: Option<NodeId>,
}

impl Choice {
    /// Whether keys outside of the array have the parts that go on from those within it, so that neighbours have
    /// different ones; where but one part may have an element, all keys have that one.
    pub(super) fn wraps(&self) -> bool {
        let Split { factor, keys, .. } = self.split;
        self.part.is_some() && factor.is_power_of_two() && factor <= keys
    }
}

/// A bank that may have an element.
pub(super) struct Place {
    /// Its part of each split.
    pub(super) parts: Vec<u64>,
    pub(super) mem: MemId,
    pub(super) address: NodeId,
}

impl Lowering<'_> {
    pub(super) fn load(&mut self, op: &Op, at: &Element, bypassed: bool) {
        let ty = hw_type(self.kernel.arrays[at.array].elem);
        let choices = self.choices(at);
        let mut loads = Vec::new();
        for place in self.places(at, &choices) {
            let looked_up = self.looked_up(at.array, &place);
            let node = match looked_up.or_else(|| self.read_before(at.array, &place)) {
                Some(node) => node,
                None => {
                    let operands = vec![place.address];
                    let node = self.b().opaque(HwOp::Load(place.mem), operands, ty);
                    self.access(node, place.mem, at, false, op.span);
                    if let Some(access) = self.leaf().accesses.last_mut() {
                        access.bypassed = bypassed;
                    }
                    node
                }
            };
            loads.push((place.parts, node));
        }
        let value = self.chosen(&choices, &loads);
        let value = self.b().cast(value, ty);
        self.define(op.results[0], value);
    }

    /// An element of a small table of constants, which takes part of a cycle in place of a port and a whole one: if nothing is
    /// said of the array's memory, and no more loads need it than that would have ports.
    fn looked_up(&mut self, array: ArrayId, place: &Place) -> Option<NodeId> {
        let tags = &self.kernel.arrays[array].tags;
        let is_free = tags.memory.is_none() && tags.ports.is_none() && !tags.is_rom;
        if !is_free || self.accesses.get(&array) > Some(&MOST_LOOKUPS) {
            return None;
        }
        let Mem {
            name,
            elem,
            place: Where::Rom(words),
            ..
        } = &self.program.mems[place.mem]
        else {
            return None;
        };
        let ty = hw_type(*elem);
        let words = words
            .iter()
            .map(|word| ty.wrap(&BigInt::from(word.clone())));
        let table = Table::new(words.collect()).filter(Table::is_logic)?;
        let name = name.clone();
        let node = self.b().table(table, place.address);
        self.b().graph.name(node, &name);
        Some(node)
    }

    /// What was read at a place of an array that nobody writes; otherwise the next access of the leaf is noted as that.
    /// (Where subscripts leave the bank open, several elements have banks in common, of which some have a single
    /// element.)
    fn read_before(&mut self, array: ArrayId, place: &Place) -> Option<NodeId> {
        let leaf = self.open.filter(|_| !self.written.contains(&array))?;
        let next = self.leaf().accesses.len();
        let at = *self
            .reads
            .entry((leaf, place.mem, place.address))
            .or_insert(next);
        let access = self.leaf().accesses.get_mut(at)?;
        // It counts in the iterations of both.
        access.pins.fill(Pin::Any);
        Some(access.node)
    }

    pub(super) fn store(&mut self, op: &Op, at: &Element, value: ValueId) {
        let enable = self.store_enable(at);
        if self.b().as_const(enable).is_some_and(Zero::is_zero) {
            return;
        }
        let value = self.node(value);
        let choices = self.choices(at);
        for place in self.places(at, &choices) {
            let mut enable = enable;
            for (choice, &part) in choices.iter().zip(&place.parts) {
                if let Some(actual) = choice.part {
                    let part = self.b().constant(part);
                    let here = self.b().icmp(Predicate::Eq, actual, part);
                    enable = self.b().and(enable, here);
                }
            }
            let enable = self.b().widen(enable, HwType::ui(1));
            let operands = vec![place.address, value, enable];
            let node = self
                .b()
                .opaque(HwOp::Store(place.mem), operands, HwType::ui(1));
            self.access(node, place.mem, at, true, op.span);
        }
    }

    /// Under which condition an element is stored: never outside of the array.
    pub(super) fn store_enable(&mut self, at: &Element) -> NodeId {
        let enable = self.enable(at);
        let inside = self.is_element(at);
        self.b().and(enable, inside)
    }

    /// Whether all subscripts are within the array.
    pub(super) fn is_element(&mut self, at: &Element) -> NodeId {
        let mut all = self.b().constant(1);
        let shape = self.kernel.arrays[at.array].shape.clone();
        for (&index, &extent) in at.indices.iter().zip(&shape) {
            let inside = self.inside(index, extent);
            all = self.b().and(all, inside);
        }
        all
    }

    /// Under which condition an element is accessed.
    pub(super) fn enable(&mut self, at: &Element) -> NodeId {
        let enable = match self.predicate {
            Some(p) => p,
            None => self.b().constant(1),
        };
        match at.when {
            None => enable,
            Some(when) => {
                let when = self.node(when);
                self.b().and(enable, when)
            }
        }
    }

    pub(super) fn access(
        &mut self,
        node: NodeId,
        mem: MemId,
        at: &Element,
        is_store: bool,
        span: Span,
    ) {
        let access = Access {
            pins: self.pins(at),
            node,
            mem,
            is_store,
            // In the whole array: where that differs, so does the place in the bank.
            address: self.affine_address(at),
            bypassed: false,
            span,
        };
        self.leaf().accesses.push(access);
    }

    /// `0 <= index < extent`.
    fn inside(&mut self, index: ValueId, extent: u64) -> NodeId {
        let index = self.node(index);
        let zero = self.b().constant(0);
        let extent = self.b().constant(extent);
        let above = self.b().icmp(Predicate::Ge, index, zero);
        let below = self.b().icmp(Predicate::Lt, index, extent);
        self.b().and(above, below)
    }

    // ----- banks -----

    pub(super) fn choices(&mut self, at: &Element) -> Vec<Choice> {
        let Array {
            shape, partition, ..
        } = &self.kernel.arrays[at.array];
        let splits = partition::splits(shape, partition);
        let splits = splits.into_iter();
        splits
            .map(|split| self.choice(split, split.deciding(&at.indices)))
            .collect()
    }

    /// The parts of the elements whose key is the sum of these subscripts.
    fn choice(&mut self, split: Split, indices: &[ValueId]) -> Choice {
        let mut node = self.node(indices[0]);
        let mut known = self.values.range(indices[0]);
        for &index in &indices[1..] {
            let other = self.values.range(index);
            known = known.zip(other).and_then(|(one, other)| {
                Some((one.0.checked_add(other.0)?, one.1.checked_add(other.1)?))
            });
            let index = self.node(index);
            node = self.b().add(node, index);
        }
        let range = self.b().range(node);
        let (least, most) = known.unwrap_or((i128::MIN, i128::MAX));
        let low = range.lo.to_i128().unwrap_or(i128::MIN).max(least).max(0);
        let high = range.hi.to_i128().unwrap_or(i128::MAX).min(most);
        let residue = self.residue(indices);
        let high = high.min(i128::from(split.keys) - 1);
        let parts = parts(&split, (low, high), residue);
        let part = (parts.len() > 1).then(|| self.part(&split, node));
        Choice { split, parts, part }
    }

    /// What is known of the sum of some subscripts from its form.
    fn residue(&self, indices: &[ValueId]) -> Residue {
        let mut forms = indices.iter().map(|&index| self.values.affine(index));
        let sum = forms.try_fold(Affine::default(), |sum, form| sum.plus(&form, 1));
        let Some(sum) = sum else {
            return Residue::ANY;
        };
        Residue::of(&sum, |value| {
            let counter = self.counters.get(&value)?;
            Some((self.constant_of(counter.lo)?.to_i128()?, counter.step?))
        })
    }

    /// The part with a key; any, outside of the array.
    fn part(&mut self, split: &Split, key: NodeId) -> NodeId {
        let key = self.unsigned(key, split.keys);
        match split.kind {
            PartitionKind::Complete => key,
            PartitionKind::Cyclic | PartitionKind::Skew => {
                self.divided(Field::Remainder, key, split.factor)
            }
            PartitionKind::Block => self.divided(Field::Quotient, key, split.share()),
        }
    }

    /// An index in as many bits as the indices of a dimension need.
    fn unsigned(&mut self, index: NodeId, extent: u64) -> NodeId {
        self.b().cast(index, HwType::ui(address_width(extent)))
    }

    /// What a division of a number that is not negative gives.
    fn divided(&mut self, field: Field, number: NodeId, by: u64) -> NodeId {
        let width = self.b().ty(number).width;
        match (by.is_power_of_two(), by.trailing_zeros(), field) {
            (true, 0, Field::Remainder) => self.b().constant(0),
            (true, low, Field::Remainder) => self.b().extract(number, 0, low.min(width)),
            (true, low, _) if low >= width => self.b().constant(0),
            (true, low, _) => self.b().extract(number, low, width - low),
            (false, ..) => {
                let by = self.b().constant(by);
                self.divide(field, number, by, hw_type(Scalar::Index))
            }
        }
    }

    /// The index in a part.
    fn index_in_part(&mut self, choice: &Choice, index: ValueId) -> NodeId {
        let split = &choice.split;
        let node = self.node(index);
        match (split.kind, &choice.parts[..]) {
            (PartitionKind::Complete, _) => self.b().constant(0),
            (PartitionKind::Cyclic, [_]) | (PartitionKind::Skew, _)
                if let Some(sum) = self.quotient(index, split.factor) =>
            {
                sum
            }
            (PartitionKind::Cyclic | PartitionKind::Skew, _) => {
                let index = self.unsigned(node, split.extent);
                self.divided(Field::Quotient, index, split.factor)
            }
            (PartitionKind::Block, &[part]) if !split.share().is_power_of_two() => {
                let before = self.b().constant(part * split.share());
                self.b().sub(node, before)
            }
            (PartitionKind::Block, _) => {
                let index = self.unsigned(node, split.extent);
                self.divided(Field::Remainder, index, split.share())
            }
        }
    }

    /// The quotient, rounded down, of an index that is a multiple of `by` and a constant.
    fn quotient(&mut self, index: ValueId, by: u64) -> Option<NodeId> {
        let by = i128::from(by);
        let sum = self.values.affine(index);
        if sum.terms.iter().any(|(_, factor)| factor % by != 0) {
            return None;
        }
        let mut quotient = self.b().constant(sum.constant.div_euclid(by));
        for (value, factor) in sum.terms {
            let factor = self.b().constant(factor / by);
            let value = self.node(value);
            let product = self.b().mul(value, factor);
            quotient = self.b().add(quotient, product);
        }
        Some(quotient)
    }

    /// Every bank that may have an element.
    pub(super) fn places(&mut self, at: &Element, choices: &[Choice]) -> Vec<Place> {
        let mut indices: Vec<NodeId> = at.indices.iter().map(|&v| self.node(v)).collect();
        for choice in choices.iter().filter(|choice| !choice.parts.is_empty()) {
            let dim = choice.split.dim;
            indices[dim] = self.index_in_part(choice, at.indices[dim]);
        }
        let Array {
            shape, partition, ..
        } = &self.kernel.arrays[at.array];
        let splits: Vec<Split> = choices.iter().map(|choice| choice.split).collect();
        let mut places = Vec::new();
        for parts in combinations(choices.iter().map(|choice| &choice.parts)) {
            let bank = bank_of(&splits, &parts);
            let mem = self.mem_ids[&at.array][bank as usize];
            let address = self.address(&bank_shape(shape, partition, bank), &indices);
            let width = address_type(&self.program.mems[mem]);
            places.push(Place {
                parts,
                mem,
                address: self.b().cast(address, width),
            });
        }
        places
    }

    /// Row-major address of an element, exact.
    fn address(&mut self, shape: &[u64], indices: &[NodeId]) -> NodeId {
        let mut address = self.b().constant(0);
        for (&index, &extent) in indices.iter().zip(shape) {
            let extent = self.b().constant(extent);
            let row = self.b().mul(address, extent);
            address = self.b().add(row, index);
        }
        address
    }

    /// The one of the loads, given by their parts of the splits, whose bank has the element; any value where none has.
    pub(super) fn chosen(&mut self, choices: &[Choice], loads: &[(Vec<u64>, NodeId)]) -> NodeId {
        if loads.is_empty() {
            return self.b().constant(0);
        }
        let depth = loads[0].0.len() - choices.len();
        let Some((choice, rest)) = choices.split_first() else {
            return loads[0].1;
        };
        let groups = loads.chunk_by(|a, b| a.0[depth] == b.0[depth]);
        let groups: Vec<(u64, NodeId)> = groups
            .map(|group| (group[0].0[depth], self.chosen(rest, group)))
            .collect();
        self.one_of(choice, &groups)
    }

    /// By halves.
    fn one_of(&mut self, choice: &Choice, parts: &[(u64, NodeId)]) -> NodeId {
        let (Some(actual), 2..) = (choice.part, parts.len()) else {
            return parts[0].1;
        };
        let (below, above) = parts.split_at(parts.len() / 2);
        let (first, above) = (above[0].0, self.one_of(choice, above));
        let below = self.one_of(choice, below);
        let first = self.b().constant(first);
        let is_below = self.b().icmp(Predicate::Lt, actual, first);
        self.b().mux(is_below, below, above)
    }
}

/// The parts of the keys between bounds within the dimension, ascending.
fn parts(split: &Split, (low, high): (i128, i128), residue: Residue) -> Vec<u64> {
    let first = match residue.by {
        0 => residue.of,
        by => low + (residue.of - low).rem_euclid(by),
    };
    if !(low..=high).contains(&first) {
        return Vec::new();
    }
    let last = match residue.by {
        0 => first,
        by => high - (high - first).rem_euclid(by),
    };
    let part = |key: i128| split.part(key as u64);
    if split.kind == PartitionKind::Block && residue.by < i128::from(split.share()) {
        return (part(first)..=part(last)).collect();
    }
    // A step beyond all indices leaves the first one.
    let step = usize::try_from(residue.by.max(1)).unwrap_or(usize::MAX);
    let indices = (first..=last).step_by(step);
    // Each part again after so many.
    let mut parts: Vec<u64> = indices.take(split.factor as usize).map(part).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn address_type(mem: &Mem) -> HwType {
    HwType::ui(mem.address_width())
}
