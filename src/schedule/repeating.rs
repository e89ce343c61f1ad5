//! Relaxations that go on for ever as they do now: an interval that leaves too few ports for a recurrence.
//!
//! What moves has moved by the same whole number of intervals twice in the same number of rounds or another one, as it stood the
//! first time, and nothing that stays waits for it. Reservations are the same for any whole number of intervals, and after the
//! first time whatever stays is behind all that moves: so the third time is like the second one. Brent (An improved Monte Carlo
//! factorization algorithm, 1980) looks for cycles in the same way, with one state that is remembered for twice as long each time.

use super::placement::{Placed, Placement};
use crate::hwarith::NodeId;

/// The state that later ones are compared with.
pub struct Repeating {
    before: Placed,
    instances: Vec<Option<u32>>,
    /// What moved since the state before it, and by how many cycles, if that was all that had changed.
    moved: Option<Moved>,
}

#[derive(PartialEq, Eq)]
struct Moved {
    by: i64,
    nodes: Vec<bool>,
}

impl Repeating {
    /// Begins with a state of which no earlier one is known.
    pub fn new(at: &Placement, instances: impl Iterator<Item = Option<u32>>) -> Repeating {
        Repeating {
            before: at.placed.clone(),
            instances: instances.collect(),
            moved: None,
        }
    }

    /// Whether what happens after a round will happen for ever. False where that is not certain.
    pub fn is_proven_by(
        &mut self,
        at: &Placement,
        round: usize,
        instances: impl Iterator<Item = Option<u32>> + Clone,
    ) -> bool {
        let same = self.instances.iter().copied().eq(instances.clone());
        let moved = if same { self.moved(at) } else { None };
        let is_again = moved.is_some() && moved == self.moved;
        if is_again && moved.as_ref().is_some_and(|moved| moved.is_closed(at)) {
            return true;
        }
        if moved.is_some() || round.is_power_of_two() {
            *self = Repeating {
                moved: moved.or(self.moved.take()),
                ..Repeating::new(at, instances)
            };
        }
        false
    }

    /// What has moved since `before`, if all of it has by the same whole number of intervals.
    fn moved(&self, at: &Placement) -> Option<Moved> {
        let interval = i64::from(at.ii?);
        let (old, new) = (&self.before, &at.placed);
        let mut nodes = vec![false; new.start.len()];
        let mut by = 0;
        for (i, has_moved) in nodes.iter_mut().enumerate() {
            let (Some(from), Some(to)) = (old.start[i], new.start[i]) else {
                continue;
            };
            if to != from {
                by = if by == 0 { to - from } else { by };
                *has_moved = true;
            }
            let is_alike = to - from == new.ready[i] - old.ready[i]
                && (to == from || to - from == by)
                && old.arrival[i].to_bits() == new.arrival[i].to_bits()
                && old.cuts[i] == new.cuts[i];
            if !is_alike {
                return None;
            }
        }
        (by > 0 && by % interval == 0).then_some(Moved { by, nodes })
    }
}

impl Moved {
    /// Whether nothing that stays waits for what moves.
    fn is_closed(&self, at: &Placement) -> bool {
        let moves = |node: NodeId| self.nodes[node.index()];
        let stays = |node: NodeId| !moves(node) && at.placed.start[node.index()].is_some();
        let mut moving = at.problem.graph.nodes.ids().filter(|&node| moves(node));
        let mut across = at.problem.across.iter();
        !moving.any(|node| at.problem.users.of(node).iter().any(|&user| stays(user)))
            && !across.any(|edge| moves(edge.from) && stays(edge.to))
    }
}
