//! The elements of an array at run time, or the one of a scalar: what stood there first, and what was stored since.

use crate::diagnostics::Span;
use crate::ir::{ArrayId, Scalar};
use crate::rtl::interface::manifest::Flow;
use crate::sim::draw::Draw;
use crate::sim::sparse::Sparse;
use crate::sim::value::{Signature, Slot, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Elements of one type. They take the space of those that were touched.
#[derive(Clone)]
pub struct Elements {
    ty: Scalar,
    length: usize,
    first: First,
    /// Since then; without a writer if it was only read.
    since: Sparse<Cell>,
}

/// What stands in elements that nobody has stored to.
#[derive(Clone)]
enum First {
    /// The same in all, with the operation that put it there.
    Same(Value, Option<Span>),
    Given(Arc<[Value]>),
    /// Decided by the position.
    Drawn(Draw),
}

#[derive(Clone, Default)]
struct Cell {
    value: Value,
    writer: Option<Span>,
}

impl Elements {
    fn new(ty: Scalar, length: usize, first: First) -> Elements {
        Elements {
            ty,
            length,
            first,
            since: Sparse::new(length, 1),
        }
    }
    /// A scalar.
    pub fn one(ty: Scalar, value: Value) -> Elements {
        Elements::same(ty, 1, value)
    }
    /// The same value everywhere.
    pub fn same(ty: Scalar, length: usize, value: Value) -> Elements {
        Elements::new(ty, length, First::Same(value, None))
    }
    /// Values of the language's semantics that nothing says anything of.
    pub fn unspecified(ty: Scalar, length: usize) -> Elements {
        Elements::same(ty, length, Value::unspecified(ty))
    }
    /// These values.
    pub fn given(ty: Scalar, values: Vec<Value>) -> Elements {
        Elements::new(ty, values.len(), First::Given(values.into()))
    }
    /// Values that are drawn when they are asked for.
    pub fn drawn(length: usize, draw: Draw) -> Elements {
        Elements::new(draw.ty(), length, First::Drawn(draw))
    }

    /// The first of them alone.
    pub fn beginning(&self, count: usize) -> Elements {
        let values = self.iter().take(count);
        Elements::given(self.ty, values.collect())
    }

    /// Their type.
    pub fn ty(&self) -> Scalar {
        self.ty
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.length
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
    /// The element at a row-major position below the length.
    pub fn get(&self, position: usize) -> Value {
        match self.since.get(position) {
            Some(cell) => cell[0].value.clone(),
            None => self.first(position),
        }
    }
    fn first(&self, position: usize) -> Value {
        match &self.first {
            First::Same(value, _) => value.clone(),
            First::Given(values) => values[position].clone(),
            First::Drawn(draw) => draw.at(position as u64),
        }
    }
    /// The same, remembered where it takes long to find.
    pub fn read(&mut self, position: usize) -> Value {
        if let Some(cell) = self.since.get(position) {
            return cell[0].value.clone();
        }
        let value = self.first(position);
        if let First::Drawn(_) = self.first {
            self.set(position, value.clone(), None);
        }
        value
    }
    /// The operation that stored the element, if one did.
    pub fn writer(&self, position: usize) -> Option<Span> {
        match (self.since.get(position), &self.first) {
            (Some(cell), _) => cell[0].writer,
            (None, First::Same(_, writer)) => *writer,
            (None, _) => None,
        }
    }
    /// Stores one element.
    pub fn set(&mut self, position: usize, value: Value, writer: Option<Span>) {
        self.since.set(position)[0] = Cell { value, writer };
    }
    /// Stores all of them.
    pub fn fill(&mut self, value: Value, writer: Option<Span>) {
        self.first = First::Same(value, writer);
        self.since.clear();
    }
    /// The same elements, as if nobody had stored them.
    pub fn unwritten(mut self) -> Elements {
        if let First::Same(_, writer) = &mut self.first {
            *writer = None;
        }
        let positions: Vec<usize> = self.since.positions().collect();
        for position in positions {
            self.since.set(position)[0].writer = None;
        }
        self
    }
    /// Stores what was stored in others, as many as these.
    pub fn overlay(&mut self, others: &Elements) {
        if let First::Same(value, Some(writer)) = &others.first {
            self.fill(value.clone(), Some(*writer));
        }
        for position in others.since.positions() {
            if let Some(writer) = others.writer(position) {
                self.set(position, others.get(position), Some(writer));
            }
        }
    }
    /// All values in order.
    pub fn iter(&self) -> impl Iterator<Item = Value> {
        (0..self.length).map(|position| self.get(position))
    }
    /// Where there may be another value than at first, in order. Where all became unspecified, there is nothing to see.
    pub fn touched(&self) -> impl Iterator<Item = usize> {
        let filled = match &self.first {
            First::Same(value, Some(_)) if !value.tainted => self.length,
            _ => 0,
        };
        let since = (filled == 0).then(|| self.since.positions());
        (0..filled).chain(since.into_iter().flatten())
    }
    /// How many are unspecified.
    pub fn count_unspecified(&self) -> usize {
        let tainted = |position: &usize| self.get(*position).tainted;
        match &self.first {
            First::Given(_) => (0..self.length).filter(tainted).count(),
            First::Drawn(_) => self.since.positions().filter(tainted).count(),
            First::Same(first, _) => {
                let (mut touched, mut unspecified) = (0, 0);
                for position in self.since.positions() {
                    touched += 1;
                    unspecified += usize::from(tainted(&position));
                }
                unspecified + usize::from(first.tainted) * (self.length - touched)
            }
        }
    }
}

impl PartialEq for Elements {
    fn eq(&self, other: &Elements) -> bool {
        self.ty == other.ty && self.length == other.length && self.iter().eq(other.iter())
    }
}

impl Eq for Elements {}

impl fmt::Debug for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// What is kept between invocations, by process and array; what is not there is as after a reset.
pub type State = BTreeMap<(usize, ArrayId), Elements>;

/// What happens between the invocations of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// Nothing: each finds the state that the one before left.
    #[default]
    Nothing,
    /// A reset.
    Reset,
}

/// The arguments of one run: for each parameter its elements, one for a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// In the order of the parameters; elements in row-major order.
    pub args: Vec<Elements>,
    /// Of streams, by the number of the parameter, if they are not offered whole.
    pub offers: BTreeMap<usize, Offer>,
    /// What the one before left behind.
    pub state: State,
    /// What depended on timing, where that is known; otherwise the reference decides.
    pub timed: Option<Timed>,
}

/// For each process of a network that asks what depends on timing, in order: whether what it asked for could be done, each
/// time.
pub type Timed = Vec<Vec<bool>>;

/// How far a stream has come, and how far it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Elements that were transferred before.
    pub begun: usize,
    /// Elements that there are, with those.
    pub offered: usize,
}

impl Invocation {
    /// Elements without further ado.
    pub fn of(args: Vec<Elements>) -> Invocation {
        Invocation {
            args,
            offers: BTreeMap::new(),
            state: State::new(),
            timed: None,
        }
    }

    /// Adds an argument; of a stream there is room for more elements than are given.
    pub fn push(&mut self, slot: &Slot, values: Vec<Value>) {
        if !slot.is_stream() {
            self.args.push(Elements::given(slot.ty, values));
            return;
        }
        let (begun, offered) = (0, values.len());
        if slot.flow == Some(Flow::In) {
            self.offers
                .insert(self.args.len(), Offer { begun, offered });
        }
        let mut elements = Elements::unspecified(slot.ty, slot.len());
        for (position, value) in values.into_iter().enumerate() {
            elements.set(position, value, None);
        }
        self.args.push(elements);
    }

    /// How many elements of a stream were transferred, and how many there are of `all`.
    pub fn cursor(&self, param: usize, all: usize) -> (usize, usize) {
        let offer = self.offers.get(&param);
        offer.map_or((0, all), |offer| (offer.begun, offer.offered))
    }

    /// Offers, before its own, what another invocation was offered of a stream but for the first elements.
    pub fn offer_before(&mut self, param: usize, other: &Invocation, first: usize) {
        let Some(own) = self.offers.get_mut(&param) else {
            return;
        };
        let end = other.cursor(param, first).1;
        let elements = &mut self.args[param];
        let all = (first..end).map(|at| other.args[param].get(at));
        let all: Vec<Value> = all.chain(elements.iter().take(own.offered)).collect();
        // No run transfers more than a stream has room for.
        own.offered = all.len().min(elements.len());
        for (at, value) in all.into_iter().enumerate().take(own.offered) {
            elements.set(at, value, None);
        }
    }

    /// Given values, of the types of the parameters.
    pub fn given(signature: &Signature, args: Vec<Vec<Value>>) -> Invocation {
        let slots = signature.params.iter().zip(args);
        Invocation::of(
            slots
                .map(|(slot, values)| Elements::given(slot.ty, values))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const U8: Scalar = Scalar::unsigned(8);

    fn number(value: i128) -> Value {
        Value::int(U8, value)
    }

    #[test]
    fn what_was_stored_hides_what_stood_there() {
        let mut array = Elements::given(U8, [1, 2, 3].map(number).to_vec());
        let before = array.clone();
        array.set(1, number(7), Some(Span::default()));
        assert!(array.iter().eq([1, 7, 3].map(number)));
        assert!(before.iter().eq([1, 2, 3].map(number)));
        assert_eq!(array.writer(1), Some(Span::default()));
        assert_eq!((array.writer(0), array.count_unspecified()), (None, 0));
        array.fill(Value::unspecified(U8), Some(Span::default()));
        array.set(2, number(9), None);
        assert_eq!((array.get(2), array.count_unspecified()), (number(9), 2));
        assert_eq!(array.writer(0), Some(Span::default()));
        assert!(array.touched().eq([2]));
        assert_ne!(array, before);
        array.fill(number(4), Some(Span::default()));
        assert!(array.touched().eq([0, 1, 2]));
    }

    /// Four billion elements, of which three are looked at.
    #[test]
    fn large_arrays_cost_what_is_touched() {
        let mut array = Elements::unspecified(U8, 1 << 32);
        array.set(1 << 31, number(5), None);
        assert_eq!(array.get(1 << 31), number(5));
        assert!(array.get(0).tainted && array.get((1 << 32) - 1).tainted);
        assert_eq!(array.count_unspecified(), (1 << 32) - 1);
        assert_eq!(array.touched().count(), 1);
    }
}
