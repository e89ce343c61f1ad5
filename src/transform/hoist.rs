//! What is got from a stream is got before what is put in front of it, where nothing leads from the one to the other:
//! an iteration can then wait for all that it gets as it begins.

use super::network::Network;
use crate::hash::FastSet;
use crate::ir::{Arg, ArrayId, Block, Kernel, Op, OpKind, Param, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// For each stream of a process that elements are got from, those of its streams that lead to it: what it gets may have
/// to wait until what it puts there is got.
pub type Depends = BTreeMap<ArrayId, BTreeSet<ArrayId>>;

/// What waits for what in each process of a network.
pub fn dependences(network: &Network) -> Vec<Depends> {
    let ends = ends(network);
    let neighbours = neighbours(network, &ends);
    let processes = network.processes.iter().enumerate();
    let each = processes.map(|(number, process)| {
        let params = process.kernel().params.iter().zip(&process.args);
        let streams = params.filter_map(|pair| match pair {
            (Param::Array(own), Arg::Array(outside)) => Some((*own, ends.get(outside)?)),
            _ => None,
        });
        let (puts, gets): (Vec<_>, Vec<_>) =
            streams.partition(|(_, ends)| ends.producer == Some(number));
        let held = puts.iter().map(|(put, ends)| {
            let held = held_up(&neighbours, number, &ends.consumers);
            (*put, held)
        });
        let held: Vec<_> = held.collect();
        let of = |(got, ends): &(ArrayId, &Ends)| {
            let from =
                |held: &BTreeSet<usize>| ends.producer.is_some_and(|one| held.contains(&one));
            let leading = held.iter().filter(|(_, held)| from(held));
            (*got, leading.map(|(put, _)| *put).collect())
        };
        // What a process gets of itself, it has put.
        let own = puts
            .iter()
            .filter(|(_, ends)| ends.consumers.contains(&number));
        let own = own.map(|(id, _)| (*id, BTreeSet::from([*id])));
        gets.iter().map(of).chain(own).collect()
    });
    each.collect()
}

/// Who puts into a stream and who gets of it: numbers of processes, and behind them that of whoever is outside.
struct Ends {
    producer: Option<usize>,
    consumers: Vec<usize>,
}

fn ends(network: &Network) -> BTreeMap<ArrayId, Ends> {
    let outside = network.processes.len();
    let params = network.kernel.params.iter();
    let top = params.filter_map(|param| match param {
        Param::Array(own) => Some(*own),
        Param::Scalar(_) => None,
    });
    let top: BTreeSet<ArrayId> = top.collect();
    let users = network.users().into_iter();
    let each = users.map(|(id, users)| {
        let is_top = top.contains(&id);
        let (producer, mut consumers) = (users.producer, users.consumers);
        if is_top && producer.is_some() {
            consumers.push(outside);
        }
        let producer = producer.or(is_top.then_some(outside));
        (
            id,
            Ends {
                producer,
                consumers,
            },
        )
    });
    each.collect()
}

/// Whom each one holds up that waits for an element: those that get of it, those that put to it, as queues are full
/// sooner or later, and those that start after it. Whoever is outside may do the same.
fn neighbours(network: &Network, ends: &BTreeMap<ArrayId, Ends>) -> Vec<BTreeSet<usize>> {
    let mut of = vec![BTreeSet::new(); network.processes.len() + 1];
    for Ends {
        producer,
        consumers,
    } in ends.values()
    {
        for (&one, &other) in producer
            .iter()
            .flat_map(|one| consumers.iter().map(move |other| (one, other)))
        {
            of[one].insert(other);
            of[other].insert(one);
        }
    }
    for (number, process) in network.processes.iter().enumerate() {
        for &before in &process.after {
            of[before].insert(number);
        }
    }
    of
}

/// All that may wait until those have an element for which a process has one, but for itself.
fn held_up(neighbours: &[BTreeSet<usize>], process: usize, first: &[usize]) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([process]);
    let mut open = first.to_vec();
    while let Some(one) = open.pop() {
        if found.insert(one) {
            open.extend(&neighbours[one]);
        }
    }
    found.remove(&process);
    found
}

/// Moves what is got, with the conditions under which it is.
pub fn run(kernel: &mut Kernel, depends: &Depends) {
    let mut body = std::mem::take(&mut kernel.body);
    block(&mut body, depends);
    kernel.body = body;
}

fn block(block: &mut Block, depends: &Depends) {
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            self::block(inner, depends);
        }
    }
    let mut at = 0;
    while at < block.ops.len() {
        if let OpKind::Get { at: element } = &block.ops[at].kind
            && let Some((to, with)) = target(&block.ops[..at], element.array, element.when, depends)
        {
            move_up(&mut block.ops, at, to, &with);
        }
        at += 1;
    }
}

/// In front of which operation an element can be got, and the operations that its condition needs before it, of those
/// behind that.
fn target(
    before: &[Op],
    stream: ArrayId,
    when: Option<ValueId>,
    depends: &Depends,
) -> Option<(usize, FastSet<usize>)> {
    let none = BTreeSet::new();
    let leading = depends.get(&stream).unwrap_or(&none);
    let mut needed: FastSet<ValueId> = when.into_iter().collect();
    let mut with = FastSet::default();
    let mut to = None;
    for (number, op) in before.iter().enumerate().rev() {
        if op.results.iter().any(|result| needed.contains(result)) {
            if !op.kind.is_pure() {
                return to;
            }
            needed.extend(op.kind.operands());
            with.insert(number);
            continue;
        }
        match passes(op, stream, leading) {
            Passes::Never => return to,
            Passes::Freely => {}
            Passes::Put => to = Some((number, with.clone())),
        }
    }
    to
}

/// Whether an element may be got before an operation.
enum Passes {
    /// It may, and nothing is gained.
    Freely,
    /// It may, and something is put there.
    Put,
    /// It may not.
    Never,
}

fn passes(op: &Op, stream: ArrayId, leading: &BTreeSet<ArrayId>) -> Passes {
    match &op.kind {
        OpKind::Get { at } if at.array == stream => Passes::Never,
        OpKind::Put { at, .. } if leading.contains(&at.array) => Passes::Never,
        OpKind::Put { .. } => Passes::Put,
        // What it finds depends on what was done before.
        OpKind::Attempt { .. } => Passes::Never,
        // What it takes to come to their end is not known.
        OpKind::For(_) | OpKind::While(_) | OpKind::If(_) | OpKind::Call(_) => Passes::Never,
        _ => Passes::Freely,
    }
}

/// Moves an operation, and others before it, in front of another one.
fn move_up(ops: &mut Vec<Op>, from: usize, to: usize, with: &FastSet<usize>) {
    let behind = ops.split_off(from + 1);
    let tail = ops.split_off(to);
    let last = tail.len() - 1;
    let (first, rest): (Vec<_>, Vec<_>) = tail
        .into_iter()
        .enumerate()
        .partition(|(number, _)| *number == last || with.contains(&(number + to)));
    ops.extend(first.into_iter().map(|(_, op)| op));
    ops.extend(rest.into_iter().map(|(_, op)| op));
    ops.extend(behind);
}
