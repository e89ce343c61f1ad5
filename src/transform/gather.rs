//! Accesses of an array whose banks differ, whichever they are, come to stand side by side, so that each bank serves one of them:
//! loads where the first of them is, with what their subscripts are made of, stores where the last one is.

use crate::ir::analysis::Values;
use crate::ir::analysis::rotation::Key;
use crate::ir::{ArrayId, Block, Kernel, Op, OpKind, ValueId};
use std::collections::{BTreeMap, HashMap};

/// Moves accesses within their blocks.
pub fn run(kernel: &mut Kernel) {
    if kernel
        .arrays
        .values()
        .all(|array| array.partition.is_empty())
    {
        return;
    }
    let values = Values::of(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    gather(kernel, &values, &mut body);
    kernel.body = body;
}

fn gather(kernel: &Kernel, values: &Values, block: &mut Block) {
    for op in &mut block.ops {
        for inner in op.kind.blocks_mut() {
            gather(kernel, values, inner);
        }
    }
    let groups = groups(kernel, values, &block.ops);
    if groups.is_empty() {
        return;
    }
    // Everything stays in order at its place, but for what has another one.
    let mut places: Vec<usize> = (0..block.ops.len()).collect();
    let definitions = definitions(&block.ops);
    for group in &groups {
        match group.stores {
            true => sink(group, &mut places),
            false => hoist(group, &block.ops, &definitions, &mut places),
        }
    }
    let ops = std::mem::take(&mut block.ops);
    let mut ops: Vec<(usize, Op)> = places.into_iter().zip(ops).collect();
    // At one place, what subscripts are made of comes first, then accesses.
    ops.sort_by_key(|(place, op)| (*place, is_access(&op.kind)));
    block.ops = ops.into_iter().map(|(_, op)| op).collect();
}

fn is_access(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Load { .. } | OpKind::Store { .. })
}

/// Groups of loads of an array that are looked at for one more.
const MOST_OPEN: usize = 4;

/// Accesses of an array with banks that differ.
struct Group {
    stores: bool,
    /// Each access and its key, in the order of the text.
    members: Vec<(usize, Key)>,
}

/// All groups of more than one access, between two of which nothing else touches the array and there is no region.
fn groups(kernel: &Kernel, values: &Values, ops: &[Op]) -> Vec<Group> {
    let mut open: BTreeMap<ArrayId, Vec<Group>> = BTreeMap::new();
    let mut closed = Vec::new();
    for (number, op) in ops.iter().enumerate() {
        let (at, stores) = match &op.kind {
            OpKind::Load {
                at,
                bypassed: false,
            } => (at, false),
            OpKind::Store { at, .. } => (at, true),
            kind if kind.is_pure() && !is_access(kind) => continue,
            _ => {
                closed.extend(std::mem::take(&mut open).into_values().flatten());
                continue;
            }
        };
        let Some(key) = Key::of(values, &kernel.arrays[at.array], at) else {
            closed.extend(open.remove(&at.array).into_iter().flatten());
            continue;
        };
        let groups = open.entry(at.array).or_default();
        let with_room = |group: &&mut Group| group.stores == stores && group.has_room(&key);
        match groups.iter_mut().find(with_room) {
            Some(group) => group.members.push((number, key)),
            None => {
                // Loads change nothing, so that several groups of them can be open.
                if stores || groups.first().is_some_and(|group| group.stores) {
                    closed.append(groups);
                } else if groups.len() == MOST_OPEN {
                    closed.push(groups.remove(0));
                }
                let members = vec![(number, key)];
                groups.push(Group { stores, members });
            }
        }
    }
    closed.extend(open.into_values().flatten());
    closed.retain(|group| group.members.len() > 1);
    closed
}

impl Group {
    fn has_room(&self, key: &Key) -> bool {
        self.members.iter().all(|(_, other)| other.differs(key))
    }
}

/// Which operation of a block makes a value.
fn definitions(ops: &[Op]) -> HashMap<ValueId, usize> {
    let each = ops.iter().enumerate();
    each.flat_map(|(number, op)| op.results.iter().map(move |&result| (result, number)))
        .collect()
}

/// Stores go to the last one's place.
fn sink(group: &Group, places: &mut [usize]) {
    let last = group.members.last().map_or(0, |(number, _)| *number);
    for (number, _) in &group.members {
        places[*number] = last;
    }
}

/// Loads go to the first one's place if all that their subscripts need can, too.
fn hoist(group: &Group, ops: &[Op], definitions: &HashMap<ValueId, usize>, places: &mut [usize]) {
    let first = group.members[0].0;
    for (number, _) in &group.members[1..] {
        let Some(needed) = needed(*number, first, ops, definitions) else {
            continue;
        };
        for number in needed {
            places[number] = places[number].min(first);
        }
    }
}

/// A load and the operations behind `first` that its subscripts and its condition need; `None` if one of them is more than
/// arithmetic, or needs what the first one loads.
fn needed(
    load: usize,
    first: usize,
    ops: &[Op],
    definitions: &HashMap<ValueId, usize>,
) -> Option<Vec<usize>> {
    let mut needed = vec![load];
    let mut next = 0;
    while let Some(&number) = needed.get(next) {
        next += 1;
        let op = &ops[number];
        if number != load && (is_access(&op.kind) || !op.kind.is_pure()) {
            return None;
        }
        for operand in op.kind.operands() {
            let made = definitions.get(&operand).copied();
            if made == Some(first) {
                return None;
            }
            if let Some(made) = made.filter(|made| *made > first && !needed.contains(made)) {
                needed.push(made);
            }
        }
        if needed.len() > MOST_NEEDED {
            return None;
        }
    }
    Some(needed)
}

/// Operations that subscripts of a load are made of, at most.
const MOST_NEEDED: usize = 64;
