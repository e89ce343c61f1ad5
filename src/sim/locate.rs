//! Finds where hardware first leaves the reference: writes to arrays against the reference's log of stores.
//!
//! The compiler may leave out stores that later ones overwrite, and may move a store across those to other
//! elements. So the writes to one element have to be a subsequence of its stores; the earliest write that
//! breaks this is the first divergence.

use crate::diagnostics::Span;
use crate::ir::{Block, KernelId, Op, OpKind, Program, ValueId};
use crate::sim::model::Write;
use crate::sim::reference::Stored;
use crate::sim::value::{Slot, Value};
use num_bigint::{BigInt, BigUint};
use std::collections::HashMap;

/// The first wrong write.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Cycle of the run.
    pub cycle: u64,
    /// The array.
    pub slot: Slot,
    /// Row-major position of the element.
    pub position: usize,
    /// What was written.
    pub got: Value,
    /// What should have been.
    pub expected: Option<Expected>,
}

/// A store of the reference.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Which invocation of the run.
    pub invocation: usize,
    /// What was stored.
    pub value: Value,
    /// The store.
    pub span: Span,
    /// Loops around it with the value of their variable.
    pub iteration: Vec<(String, i128)>,
    /// Name and place of the operation that computed the value.
    pub operation: Option<(&'static str, Span)>,
}

impl Expected {
    /// ` in iteration i = 3, j = 4`, or nothing outside of loops.
    pub fn iteration_text(&self) -> String {
        let loops = self.iteration.iter();
        let loops: Vec<String> = loops.map(|(l, at)| format!("{l} = {at}")).collect();
        match loops.is_empty() {
            true => String::new(),
            false => format!(" in iteration {}", loops.join(", ")),
        }
    }
}

/// Stores to one element, with the value before them.
struct Element<'a> {
    initial: Option<BigUint>,
    stores: Vec<(usize, &'a Stored)>,
    /// How many of them hardware has come to.
    at: usize,
    written: usize,
}

/// Looks for the first wrong write. `arrays` are the array parameters and array results with what stood in them
/// before the run, `logs` the stores of each invocation.
pub fn first_divergence(
    program: &Program,
    arrays: &[(Slot, Vec<Value>)],
    logs: &[Vec<Stored>],
    writes: &[Write],
) -> Option<Divergence> {
    let mut elements: HashMap<(usize, usize), Element<'_>> = HashMap::new();
    let element = |array: usize, position: usize| {
        let initial = arrays.get(array).and_then(|(slot, values)| {
            let value = values.get(position).filter(|v| !v.tainted)?;
            Some(value.pattern(slot.ty))
        });
        Element {
            initial,
            stores: Vec::new(),
            at: 0,
            written: 0,
        }
    };
    for (invocation, log) in logs.iter().enumerate() {
        for stored in log {
            // After a store to an unspecified place, any write may be right.
            let position = stored.position?;
            let key = (stored.array, position);
            let known = elements.entry(key).or_insert_with(|| element(key.0, key.1));
            known.stores.push((invocation, stored));
        }
    }
    let mut totals: HashMap<(usize, usize), usize> = HashMap::new();
    for write in writes {
        *totals.entry((write.array, write.position)).or_default() += 1;
    }
    for write in writes {
        let key = (write.array, write.position);
        let (slot, _) = arrays.get(write.array)?;
        let known = elements.entry(key).or_insert_with(|| element(key.0, key.1));
        known.written += 1;
        if known.follow(slot, &write.data) {
            continue;
        }
        // Where nothing was left out, writes and stores pair off.
        let next = match totals.get(&key) == Some(&known.stores.len()) {
            true => known.written - 1,
            false => known.at,
        };
        let expected = known.stores.get(next).or(known.stores.last());
        return Some(Divergence {
            cycle: write.cycle,
            slot: slot.clone(),
            position: write.position,
            got: Value::wrapped(slot.ty, BigInt::from(write.data.clone())),
            expected: expected.map(|(invocation, stored)| describe(program, *invocation, stored)),
        });
    }
    None
}

impl Element<'_> {
    /// Moves on to the next store of this value, or stays if it stands there already; false if neither is so.
    fn follow(&mut self, slot: &Slot, data: &BigUint) -> bool {
        let fits = |value: &Value| value.tainted || value.pattern(slot.ty) == *data;
        let stays = match self
            .at
            .checked_sub(1)
            .and_then(|last| self.stores.get(last))
        {
            Some((_, stored)) => fits(&stored.value),
            None => self.initial.as_ref().is_none_or(|initial| initial == data),
        };
        let ahead = self.stores[self.at..]
            .iter()
            .position(|(_, s)| fits(&s.value));
        match ahead {
            // A store of the value that stands there already is more likely than a second write of it.
            Some(0) => self.at += 1,
            _ if stays => {}
            Some(skipped) => self.at += skipped + 1,
            None => return false,
        }
        true
    }
}

fn describe(program: &Program, invocation: usize, stored: &Stored) -> Expected {
    let operation = stored.source.and_then(|(kernel, value)| {
        let body = &program.kernels[kernel].body;
        let mut op = defining(body, value)?;
        // An assignment's conversion says less than what it converts.
        while let OpKind::Cast { arg } = op.kind
            && let Some(source) = defining(body, arg)
        {
            op = source;
        }
        Some((operation_name(&op.kind), op.span))
    });
    Expected {
        invocation,
        value: stored.value.clone(),
        span: stored.span,
        iteration: stored.iteration.clone(),
        operation,
    }
}

/// The operation that a scalar result of a kernel comes from, looked for inside of loops.
pub fn result_operation(program: &Program, kernel: KernelId, number: usize) -> Option<Span> {
    let mut block = &program.kernels[kernel].body;
    let mut value = *block.yields.get(number)?;
    loop {
        let op = defining(block, value)?;
        let position = op.results.iter().position(|r| *r == value)?;
        let OpKind::For(inner) = &op.kind else {
            return Some(op.span);
        };
        value = *inner.body.yields.get(position)?;
        if defining(&inner.body, value).is_none() {
            return Some(op.span);
        }
        block = &inner.body;
    }
}

/// The operation in a block, or in blocks inside, that defines a value.
fn defining(block: &Block, value: ValueId) -> Option<&Op> {
    block.ops.iter().find_map(|op| {
        if op.results.contains(&value) {
            return Some(op);
        }
        match &op.kind {
            OpKind::For(l) => defining(&l.body, value),
            OpKind::While(l) => defining(&l.cond, value).or_else(|| defining(&l.body, value)),
            OpKind::If(branch) => {
                defining(&branch.then, value).or_else(|| defining(&branch.otherwise, value))
            }
            _ => None,
        }
    })
}

fn operation_name(kind: &OpKind) -> &'static str {
    match kind {
        OpKind::Const(_) => "constant",
        OpKind::Unary { op, .. } => op.name(),
        OpKind::Binary { op, .. } => op.name(),
        OpKind::Compare { op, .. } => op.name(),
        OpKind::Fma { .. } => "fma",
        OpKind::Cast { .. } => "cast",
        OpKind::Bitcast { .. } => "bitcast",
        OpKind::Select { .. } => "select",
        OpKind::BitGet { .. } | OpKind::BitSlice { .. } => "bit slice",
        OpKind::BitSet { .. } => "bit set",
        OpKind::Load { .. } => "load",
        OpKind::For(_) | OpKind::While(_) => "loop",
        OpKind::If(_) => "if",
        OpKind::Call(_) => "call",
        OpKind::Store { .. } | OpKind::Fill { .. } | OpKind::Copy { .. } => "store",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;

    const U8: Scalar = Scalar::unsigned(8);

    fn slot() -> Slot {
        Slot {
            name: "a".into(),
            ty: U8,
            shape: Some(vec![2]),
        }
    }

    fn stored(position: usize, value: i128, i: i128) -> Stored {
        Stored {
            array: 0,
            position: Some(position),
            value: Value::int(U8, value),
            span: Span::default(),
            source: None,
            iteration: vec![("i".into(), i)],
        }
    }

    fn write(cycle: u64, position: usize, data: u32) -> Write {
        Write {
            cycle,
            array: 0,
            position,
            data: data.into(),
        }
    }

    /// The iteration of the store that a wrong write stands for, and its cycle.
    fn found(log: Vec<Stored>, writes: &[Write]) -> Option<(u64, i128)> {
        let arrays = [(slot(), vec![Value::int(U8, 0), Value::int(U8, 0)])];
        let program = Program {
            kernels: crate::arena::Arena::default(),
            top: KernelId::new(0),
        };
        let divergence = first_divergence(&program, &arrays, &[log], writes)?;
        let expected = divergence.expected?;
        Some((divergence.cycle, expected.iteration[0].1))
    }

    #[test]
    fn stores_may_be_left_out_and_reordered_over_elements() {
        let log = || {
            vec![
                stored(0, 1, 0),
                stored(1, 5, 1),
                stored(0, 2, 2),
                stored(0, 3, 3),
            ]
        };
        let all = [
            write(1, 1, 5),
            write(2, 0, 1),
            write(3, 0, 2),
            write(4, 0, 3),
        ];
        assert_eq!(found(log(), &all), None);
        assert_eq!(found(log(), &[write(1, 0, 3), write(2, 1, 5)]), None);
        assert_eq!(found(log(), &[write(1, 0, 0), write(2, 0, 3)]), None);
    }

    #[test]
    fn the_first_wrong_write_names_its_iteration() {
        let log = || vec![stored(0, 1, 0), stored(1, 5, 1), stored(0, 2, 2)];
        let wrong = [write(1, 0, 1), write(2, 0, 9), write(3, 1, 8)];
        assert_eq!(found(log(), &wrong), Some((2, 2)));
        // Going back is wrong, too.
        let back = [write(1, 0, 2), write(2, 0, 1)];
        assert_eq!(found(log(), &back).map(|f| f.0), Some(2));
    }
}
