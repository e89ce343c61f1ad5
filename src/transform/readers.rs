//! Parameters that several processes access at the same time: each has two ports, so that each of two processes gets one, and
//! where more of them read, they read a copy inside, which can have any number of ports.

use super::groups::{Accesses, Group, Note, copying, with_local};
use crate::ir::{ArrayId, ArrayKind, Kernel, MOST_PORTS};
use std::collections::BTreeSet;

/// Hands out the ports of parameters; what that takes, in words.
pub(super) fn share_ports(outer: &mut Kernel, groups: &mut Vec<Group>) -> Vec<Note> {
    let mut accesses = Accesses::of(outer, groups);
    let mut notes = Vec::new();
    let arrays: Vec<ArrayId> = accesses.users.keys().copied().collect();
    for id in arrays {
        let array = &mut outer.arrays[id];
        let is_outside = matches!(array.kind, ArrayKind::Param(_)) && array.stream.is_none();
        let (ports, users) = (MOST_PORTS as usize, &accesses.users[&id]);
        let most = at_once(&accesses.behind, users);
        if !is_outside || most < ports {
            continue;
        }
        if most == ports {
            // What is directed stays, and is refused if it is too much.
            array.tags.ports.get_or_insert(1);
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
