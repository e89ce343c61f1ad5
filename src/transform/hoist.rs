//! What is got from a stream is got before what is put in front of it, where nothing leads from the one to the other: an
//! iteration can then wait for all that it gets as it begins.

use super::network::Network;
use crate::hash::FastSet;
use crate::ir::{Arg, ArrayId, Block, Kernel, Op, OpKind, Param, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// For each stream of a process that elements are got from, those of its streams that lead to it: what it gets may depend on
/// what it puts there.
pub type Depends = BTreeMap<ArrayId, BTreeSet<ArrayId>>;

/// What depends on what in each process of a network. Whoever is outside may answer what it is given.
pub fn dependences(network: &Network) -> Vec<Depends> {
    let leads = leads(network);
    let processes = network.processes.iter();
    let each = processes.map(|process| {
        let params = process.kernel().params.iter().zip(&process.args);
        let streams = params.filter_map(|pair| match pair {
            (Param::Array(own), Arg::Array(outside)) => Some((*own, leads.get(outside)?)),
            _ => None,
        });
        let streams: Vec<_> = streams.collect();
        let of = |&(got, _): &(ArrayId, _)| {
            let outside = process.outside(got).expect("it is a parameter");
            let puts = streams.iter().filter(|(_, to)| to.contains(&outside));
            (got, puts.map(|(put, _)| *put).collect())
        };
        streams.iter().map(of).collect()
    });
    each.collect()
}

/// For each stream those whose elements may depend on what is put into it.
fn leads(network: &Network) -> BTreeMap<ArrayId, BTreeSet<ArrayId>> {
    let users = network.users();
    let is_outside = |id: &ArrayId| {
        let kernel = &network.kernel;
        kernel
            .params
            .iter()
            .any(|param| matches!(param, Param::Array(own) if own == id))
    };
    let mut puts = vec![BTreeSet::new(); network.processes.len()];
    for (&id, users) in &users {
        if let Some(producer) = users.producer {
            puts[producer].insert(id);
        }
    }
    let answers = users
        .iter()
        .filter(|(id, users)| is_outside(id) && users.producer.is_none());
    let answers: Vec<ArrayId> = answers.map(|(id, _)| *id).collect();
    let reached = |from: ArrayId| {
        let mut streams = BTreeSet::new();
        let mut processes = BTreeSet::new();
        let mut open = vec![from];
        while let Some(stream) = open.pop() {
            if is_outside(&stream) && users[&stream].producer.is_some() {
                open.extend(answers.iter().filter(|id| streams.insert(**id)));
            }
            let mut next: Vec<usize> = users[&stream].consumers.clone();
            while let Some(process) = next.pop() {
                if !processes.insert(process) {
                    continue;
                }
                open.extend(puts[process].iter().filter(|id| streams.insert(**id)));
                let later = network.processes.iter().enumerate();
                let later = later.filter(|(_, other)| other.after.contains(&process));
                next.extend(later.map(|(number, _)| number));
            }
        }
        streams
    };
    users.keys().map(|&id| (id, reached(id))).collect()
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

/// In front of which operation an element can be got, and the operations that its condition needs before it, of those behind that.
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
