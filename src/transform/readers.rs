//! Parameters that several processes access at the same time: each bank has two ports, so that each of two processes gets one, and
//! where more of them read, they read a copy inside, which can have any number of ports.

use super::groups::{Accesses, Group, Note, copying, values, with_local};
use crate::ir::analysis::{Values, touch};
use crate::ir::grid::combinations;
use crate::ir::partition::{self, Split};
use crate::ir::{Array, ArrayId, ArrayKind, Element, Kernel, MOST_PORTS};
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};

/// Hands out the ports of parameters; what that takes, in words.
pub(super) fn share_ports(outer: &mut Kernel, groups: &mut Vec<Group>) -> Vec<Note> {
    let mut accesses = Accesses::of(outer, groups);
    let mut notes = Vec::new();
    // Copies change none of them.
    let mut subscripts: Option<Values> = None;
    let arrays: Vec<ArrayId> = accesses.users.keys().copied().collect();
    for id in arrays {
        let array = &outer.arrays[id];
        let is_outside = matches!(array.kind, ArrayKind::Param(_)) && array.stream.is_none();
        let (ports, users) = (MOST_PORTS as usize, &accesses.users[&id]);
        if !is_outside || at_once(&accesses.behind, users) < ports {
            continue;
        }
        let of_banks = match array.partition.is_empty() {
            true => vec![users.clone()],
            false => {
                let values = subscripts.get_or_insert_with(|| values(outer, groups));
                users_of_banks((id, array), groups, users, values)
            }
        };
        let of_banks = of_banks
            .iter()
            .map(|users| at_once(&accesses.behind, users));
        let most = of_banks.max().unwrap_or(0);
        if most < ports {
            continue;
        }
        if most == ports {
            // What is directed stays, and is refused if it is too much.
            outer.arrays[id].tags.ports.get_or_insert(1);
        } else if !accesses.written.contains(&id) {
            notes.push(copy_for(users[0], most, (outer, groups, id)));
            accesses = Accesses::of(outer, groups);
        }
    }
    notes
}

/// How many of these groups may run at the same time, at most: sets of which all are one after the other are made of them,
/// each put into the first that takes it.
fn at_once(behind: &[BTreeSet<usize>], users: &[usize]) -> usize {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for &user in users {
        let is_apart =
            |other: &usize| behind[user].contains(other) || behind[*other].contains(&user);
        match rows.iter_mut().find(|row| row.iter().all(is_apart)) {
            Some(row) => row.push(user),
            None => rows.push(vec![user]),
        }
    }
    rows.len()
}

/// Of each bank of an array that is accessed, the groups that may do it, of those that access the array.
fn users_of_banks(
    (id, array): (ArrayId, &Array),
    groups: &[Group],
    users: &[usize],
    values: &Values,
) -> Vec<Vec<usize>> {
    let mut of_banks: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for &user in users {
        for bank in banks((id, array), &groups[user], values) {
            of_banks.entry(bank).or_default().push(user);
        }
    }
    of_banks.into_values().collect()
}

/// The banks of an array that a group may access.
fn banks((id, array): (ArrayId, &Array), group: &Group, values: &Values) -> BTreeSet<u64> {
    let splits = partition::splits(&array.shape, &array.partition);
    let mut found = BTreeSet::new();
    for op in &group.ops {
        let mut look = |kind| {
            let (read, written) = touch::arrays(kind);
            if read.contains(&id) || written.contains(&id) {
                found.extend(accessed(&splits, touch::element(kind), values));
            }
        };
        look(&op.kind);
        for block in op.kind.blocks() {
            block.for_each_op(&mut |op| look(&op.kind));
        }
    }
    found
}

/// The banks in which an element may be, or all elements. Subscripts count that are constants: those stay what they are, whatever
/// becomes of the process that they are in.
fn accessed(splits: &[Split], at: Option<&Element>, values: &Values) -> Vec<u64> {
    let key = |split: &Split| {
        let subscripts = split.deciding(&at?.indices).iter();
        let known = subscripts.map(|index| values.constant(*index)?.to_u64());
        known.sum::<Option<u64>>().filter(|key| *key < split.keys)
    };
    let parts = |split: &Split| match key(split) {
        Some(key) => vec![split.part(key)],
        None => (0..split.factor).collect(),
    };
    let places = combinations(splits.iter().map(parts)).into_iter();
    places
        .map(|parts| partition::bank_of(splits, &parts))
        .collect()
}

/// Has all groups read a copy of an array, made by one before the first of them.
fn copy_for(
    first: usize,
    readers: usize,
    (outer, groups, id): (&mut Kernel, &mut Vec<Group>, ArrayId),
) -> Note {
    let array = &outer.arrays[id];
    let elements: u64 = array.shape.iter().product();
    // Banks are copied at the same time.
    let cycles = match elements.div_ceil(array.banks()) {
        1 => "a cycle".to_string(),
        cycles => format!("about {cycles} cycles"),
    };
    let note = format!(
        "'{}' is copied to memories inside for {readers} processes that read it at the same time, {elements} elements, which takes \
         {cycles}",
        array.name
    );
    let span = groups[first].span;
    let name = format!("{}_copy", array.name);
    let local = with_local(outer, groups, id);
    groups.insert(first, copying(&name, span, local, id));
    (span, note)
}
