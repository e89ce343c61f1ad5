//! Finds where hardware first leaves the reference: writes to arrays against the reference's log of stores.
//!
//! The compiler may leave out stores that later ones overwrite, and may move a store across those to other
//! elements. So the writes to one element have to be a subsequence of its stores; the earliest write that
//! breaks this is the first divergence. Where the log of stores ends early, a write that is not in it is undecided.
//! What the passes made of a kernel has the stores that hardware makes: its log is followed store by store.

use crate::diagnostics::Span;
use crate::ir::{Block, KernelId, Op, OpKind, Program, ValueId};
use crate::sim::elements::Elements;
use crate::sim::model::Write;
use crate::sim::reference::{Log, Stored};
use crate::sim::value::{Slot, Value};
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

/// Which of the stores in a log hardware makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Those that the passes did not find to be overwritten.
    Some,
    All,
}

/// What says which writes are right.
pub struct Expectation<'a> {
    /// Whose stores they are.
    pub program: &'a Program,
    /// Of each invocation; fewer than there are of those count as logs that end early.
    pub logs: Vec<&'a Log>,
    /// Which of the stores are made.
    pub kept: Kept,
}

/// What writes are followed through.
pub struct Followed {
    /// The first wrong write.
    pub divergence: Option<Divergence>,
    /// Writes that are as the reference has them.
    pub right: u64,
    /// Writes beyond what is known of the reference.
    pub undecided: u64,
}

/// Stores to one element, with the value before them.
struct Element<'a> {
    initial: Option<Value>,
    /// Each with its invocation.
    stores: Vec<(usize, &'a Stored)>,
    /// How many of them hardware has come to.
    at: usize,
    written: usize,
    /// A write could not be told to be right or wrong: the next ones may be anything.
    lost: bool,
}

/// All stores of a run.
struct Stores<'a> {
    arrays: &'a [(Slot, Elements)],
    /// In order, with their invocations.
    all: Vec<(usize, &'a Stored)>,
    /// Those to single elements, by array and position.
    single: HashMap<(usize, usize), Vec<usize>>,
    /// Those to whole arrays, by array.
    whole: HashMap<usize, Vec<usize>>,
}

impl<'a> Stores<'a> {
    fn of(arrays: &'a [(Slot, Elements)], logs: &[&'a Log]) -> Stores<'a> {
        let mut stores = Stores {
            arrays,
            all: Vec::new(),
            single: HashMap::new(),
            whole: HashMap::new(),
        };
        // What comes after the end of a log is not the next store.
        let known = logs.iter().take_while(|log| log.whole).count() + 1;
        for (invocation, log) in logs.iter().take(known).enumerate() {
            for stored in &log.stores {
                let number = stores.all.len();
                stores.all.push((invocation, stored));
                let places = match stored.position {
                    Some(position) => stores.single.entry((stored.array, position)).or_default(),
                    None => stores.whole.entry(stored.array).or_default(),
                };
                places.push(number);
            }
        }
        stores
    }

    fn element(&self, array: usize, position: usize) -> Element<'a> {
        let elements = self.arrays.get(array).map(|(_, elements)| elements);
        let initial = elements.map(|elements| elements.get(position));
        let (single, whole) = (self.single.get(&(array, position)), self.whole.get(&array));
        let mut numbers: Vec<usize> = single.into_iter().chain(whole).flatten().copied().collect();
        numbers.sort_unstable();
        Element {
            initial: initial.filter(|value| !value.tainted),
            stores: numbers.into_iter().map(|number| self.all[number]).collect(),
            at: 0,
            written: 0,
            lost: false,
        }
    }
}

/// Looks for the first wrong write. `arrays` are the array parameters and array results with what stood in them
/// before the run.
pub fn follow(
    expectation: &Expectation<'_>,
    arrays: &[(Slot, Elements)],
    invocations: usize,
    writes: &[Write],
) -> Followed {
    let Expectation {
        program,
        logs,
        kept,
    } = expectation;
    let whole = logs.len() == invocations && logs.iter().all(|log| log.whole);
    let stores = Stores::of(arrays, logs);
    let mut elements: HashMap<(usize, usize), Element<'_>> = HashMap::new();
    let mut out = Followed {
        divergence: None,
        right: 0,
        undecided: 0,
    };
    for write in writes {
        let key = (write.array, write.position);
        let known = elements.entry(key);
        let known = known.or_insert_with(|| stores.element(key.0, key.1));
        known.written += 1;
        let step = match (known.lost, kept) {
            (true, _) => Step::Unknown,
            (false, Kept::Some) => known.follow(&write.data),
            (false, Kept::All) => known.next(&write.data),
        };
        known.lost |= step != Step::Right;
        match (step, whole) {
            (Step::Right, _) => out.right += 1,
            (Step::Unknown, _) | (Step::Beyond, false) => out.undecided += 1,
            (Step::Beyond, true) | (Step::Wrong, _) => {
                let all = writes.iter();
                let total = all.filter(|w| (w.array, w.position) == key).count();
                out.divergence =
                    Some(known.divergence(program, &arrays[write.array].0, write, total));
                return out;
            }
        }
    }
    out
}

/// What a write is in the light of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Right,
    /// Not in the log: wrong if it is whole.
    Beyond,
    /// After something of which nobody knows whether it concerned this element.
    Unknown,
    Wrong,
}

impl Element<'_> {
    /// Moves on to the next store, which has to be of this value.
    fn next(&mut self, data: &Value) -> Step {
        match self.stores.get(self.at) {
            Some((_, stored)) if stored.position.is_none() => Step::Unknown,
            Some((_, stored)) if stored.value.tainted || stored.value.data == data.data => {
                self.at += 1;
                Step::Right
            }
            Some(_) => Step::Wrong,
            None => Step::Beyond,
        }
    }

    /// Moves on to the next store of this value, or stays if it stands there already.
    fn follow(&mut self, data: &Value) -> Step {
        let fits = |value: &Value| value.tainted || value.data == data.data;
        let last = self
            .at
            .checked_sub(1)
            .and_then(|last| self.stores.get(last));
        let stays = match last {
            Some((_, stored)) => fits(&stored.value),
            None => self.initial.as_ref().is_none_or(fits),
        };
        let mut ahead = self.stores[self.at..].iter();
        match ahead.position(|(_, stored)| fits(&stored.value)) {
            // A store of the value that stands there already is more likely than a second write of it.
            Some(0) => self.at += 1,
            _ if stays => {}
            Some(skipped) => self.at += skipped + 1,
            None => return Step::Beyond,
        }
        Step::Right
    }

    fn divergence(
        &self,
        program: &Program,
        slot: &Slot,
        write: &Write,
        total: usize,
    ) -> Divergence {
        // Where nothing was left out, writes and stores pair off.
        let next = match total == self.stores.len() {
            true => self.written - 1,
            false => self.at,
        };
        let expected = self.stores.get(next).or(self.stores.last());
        Divergence {
            cycle: write.cycle,
            slot: slot.clone(),
            position: write.position,
            got: write.data.clone(),
            expected: expected.map(|(invocation, stored)| describe(program, *invocation, stored)),
        }
    }
}

fn describe(program: &Program, invocation: usize, stored: &Stored) -> Expected {
    let operation = stored.source.and_then(|(kernel, value)| {
        let body = &program.kernels[kernel].body;
        let mut op = defining(body, value)?;
        // An assignment's conversion says less than what it converts.
        while let OpKind::Cast { arg } | OpKind::Convert { arg, .. } = op.kind
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
        iteration: {
            let loops = stored.iteration.iter();
            loops.map(|(at, i)| (label(program, *at), *i)).collect()
        },
        operation,
    }
}

/// The name of the loop at a place in the source.
fn label(program: &Program, span: Span) -> String {
    let kernels = program.kernels.iter();
    let mut labels = kernels.filter_map(|(_, kernel)| label_in(&kernel.body, span));
    labels.next().unwrap_or_default()
}

fn label_in(block: &Block, span: Span) -> Option<String> {
    block.ops.iter().find_map(|op| match op.kind.label() {
        Some(label) if op.span == span => Some(label.to_string()),
        _ => {
            let mut inner = op.kind.blocks().into_iter();
            inner.find_map(|block| label_in(block, span))
        }
    })
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
        OpKind::Cast { .. } | OpKind::Convert { .. } => "cast",
        OpKind::Bitcast { .. } => "bitcast",
        OpKind::Select { .. } => "select",
        OpKind::BitGet { .. } | OpKind::BitSlice { .. } => "bit slice",
        OpKind::BitSet { .. } => "bit set",
        OpKind::Load { .. } => "load",
        OpKind::Get { .. } => "get",
        OpKind::Put { .. } => "put",
        OpKind::Attempt { what, .. } => what.name(),
        OpKind::Assume { .. } | OpKind::Promise(_) => "assume",
        OpKind::For(_) | OpKind::While(_) => "loop",
        OpKind::If(_) => "if",
        OpKind::Operate(_) | OpKind::Call(_) => "call",
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
            flow: None,
            packed: None,
        }
    }

    fn stored(position: usize, value: i128, i: i128) -> Stored {
        Stored {
            array: 0,
            position: Some(position),
            value: Value::int(U8, value),
            span: Span::default(),
            source: None,
            iteration: vec![(Span::default(), i)],
        }
    }

    fn write(cycle: u64, position: usize, data: i128) -> Write {
        Write {
            cycle,
            array: 0,
            position,
            data: Value::int(U8, data),
        }
    }

    fn arrays() -> [(Slot, Elements); 1] {
        [(slot(), Elements::same(U8, 2, Value::int(U8, 0)))]
    }

    fn empty() -> Program {
        Program {
            kernels: crate::arena::Arena::default(),
            top: KernelId::new(0),
        }
    }

    fn followed(stores: Vec<Stored>, whole: bool, writes: &[Write], kept: Kept) -> Followed {
        let log = Log { stores, whole };
        let expectation = Expectation {
            program: &empty(),
            logs: vec![&log],
            kept,
        };
        follow(&expectation, &arrays(), 1, writes)
    }

    /// The iteration of the store that a wrong write stands for, and its cycle.
    fn found(log: Vec<Stored>, writes: &[Write]) -> Option<(u64, i128)> {
        let divergence = followed(log, true, writes, Kept::Some).divergence?;
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

    #[test]
    fn what_lies_beyond_a_log_is_undecided() {
        let log = || vec![stored(0, 1, 0), stored(1, 5, 1)];
        let writes = [
            write(1, 0, 1),
            write(2, 0, 9),
            write(3, 0, 1),
            write(4, 1, 5),
        ];
        let cut = followed(log(), false, &writes, Kept::Some);
        assert!(cut.divergence.is_none());
        // After the write that may come of a later store, nothing is known of that element.
        assert_eq!((cut.right, cut.undecided), (2, 2));
        let whole = followed(log(), true, &writes, Kept::Some);
        assert!(whole.divergence.is_some());
    }

    #[test]
    fn after_a_store_to_an_unknown_element_writes_may_be_anything() {
        let mut unknown = stored(0, 7, 1);
        unknown.position = None;
        let log = vec![stored(0, 1, 0), unknown, stored(0, 2, 2)];
        let writes = [write(1, 0, 1), write(2, 0, 9), write(3, 0, 2)];
        let followed = followed(log, true, &writes, Kept::All);
        assert!(followed.divergence.is_none());
        assert_eq!((followed.right, followed.undecided), (1, 2));
    }

    #[test]
    fn where_no_store_is_left_out_each_write_is_the_next_store() {
        let log = || vec![stored(0, 1, 0), stored(1, 5, 1), stored(0, 2, 2)];
        let right = [
            write(1, 1, 5),
            write(2, 0, 1),
            write(3, 0, 2),
            write(4, 0, 7),
        ];
        let cut = followed(log(), false, &right, Kept::All);
        assert!(cut.divergence.is_none());
        assert_eq!((cut.right, cut.undecided), (3, 1));
        let wrong = followed(log(), false, &[write(1, 0, 2)], Kept::All);
        assert!(wrong.divergence.is_some());
        assert!(
            followed(log(), true, &right, Kept::All)
                .divergence
                .is_some()
        );
        // The first invocation stores more than is known.
        let logs = [log(), vec![stored(0, 3, 0)]].map(|stores| Log {
            stores,
            whole: false,
        });
        let expectation = Expectation {
            program: &empty(),
            logs: logs.iter().collect(),
            kept: Kept::All,
        };
        let beyond = follow(&expectation, &arrays(), 2, &right);
        assert!(beyond.divergence.is_none());
    }
}
