//! Streams of networks in the prover.

use super::sums::Sums;
use super::value::{Value, literal};
use crate::ir::{Scalar, Stream};

/// A stream: all elements that were ever put, and where the process that runs is.
pub(super) struct Queue {
    pub(super) elements: Vec<Value>,
    /// Elements that it has taken.
    taken: usize,
    /// Elements that there were when it had put its last one.
    put: usize,
    /// Elements that there are from the start.
    tokens: usize,
    /// Bits of its elements, if it is an input of the top kernel: there is always one more, of free bits.
    open: Option<u32>,
}

impl Queue {
    pub(super) fn of(stream: &Stream, elem: Scalar, open: bool) -> Queue {
        let tokens = stream.tokens.iter();
        let elements = tokens.map(|token| Value::new(literal(elem, token)));
        let elements: Vec<Value> = elements.collect();
        Queue {
            taken: 0,
            put: elements.len(),
            tokens: elements.len(),
            elements,
            open: open.then_some(elem.width()),
        }
    }

    /// Back to where a process begins.
    pub(super) fn rewind(&mut self) {
        self.taken = 0;
        self.put = self.tokens;
    }

    /// The next element; `None`: nobody has put it yet.
    pub(super) fn get(&mut self, sums: &mut Sums) -> Option<Value> {
        if self.taken == self.elements.len() {
            let width = self.open?;
            self.elements.push(Value::new(sums.free_word(width)));
        }
        self.taken += 1;
        self.elements.get(self.taken - 1).cloned()
    }

    /// One more element, unless the process put it when it ran before.
    pub(super) fn put(&mut self, value: Value) {
        if self.put == self.elements.len() {
            self.elements.push(value);
        }
        self.put += 1;
    }
}
