//! Accesses of an array of which each bank serves one, whichever that is: addresses and data take turns among the banks.
//!
//! Banks of `a[i]`, .., `a[i + 3]`, where nothing is known of `i`, are four different ones of four. Bank b gets the address of the
//! access that it has, and each access the datum of the bank that has it: a rotation, not a memory port for each access and bank.

use super::access::{Choice, Place};
use super::{Lowering, hw_type};
use crate::hwarith::HwType;
use crate::hwarith::graph::{MemId, NodeId, Op as HwOp, Predicate};
use crate::ir::analysis::rotation::Key;
use crate::ir::{Element, Op, OpKind};
use crate::machine::program::{Access, Pin};
use num_traits::Zero;
use std::collections::{BTreeMap, BTreeSet};

/// An access and the banks that it may be of.
struct Member<'o> {
    op: &'o Op,
    at: &'o Element,
    choices: Vec<Choice>,
    places: Vec<Place>,
    /// Whether it takes a turn: one outside of the array could take that of one inside.
    counts: NodeId,
}

/// What one access would do with a bank.
struct Turn {
    /// Whether it is of that bank.
    here: NodeId,
    address: NodeId,
    /// Datum and enable.
    write: Option<(NodeId, NodeId)>,
}

impl Lowering<'_> {
    /// Operations one by one, but for accesses that stand side by side and are of different banks, whichever.
    pub(super) fn runs<'o>(&self, ops: &'o [Op]) -> Vec<&'o [Op]> {
        let mut runs = Vec::new();
        let mut rest = ops;
        while !rest.is_empty() {
            let (run, behind) = rest.split_at(self.run_length(rest));
            runs.push(run);
            rest = behind;
        }
        runs
    }

    fn run_length(&self, ops: &[Op]) -> usize {
        let mut keys: Vec<(bool, &Element, Key)> = Vec::new();
        for op in ops {
            let (is_store, at) = match &op.kind {
                OpKind::Load {
                    at,
                    bypassed: false,
                } => (false, at),
                OpKind::Store { at, .. } => (true, at),
                _ => break,
            };
            let Some(key) = Key::of(&self.values, &self.kernel.arrays[at.array], at) else {
                break;
            };
            let fits = keys.iter().all(|(kind, other, earlier)| {
                *kind == is_store && other.array == at.array && key.differs(earlier)
            });
            if !fits {
                break;
            }
            keys.push((is_store, at, key));
        }
        keys.len().max(1)
    }

    /// The accesses, if each may be of several banks, and some of one bank.
    fn members<'o>(&mut self, run: &'o [Op]) -> Option<Vec<Member<'o>>> {
        let mut members = Vec::new();
        for op in run {
            let (OpKind::Load { at, .. } | OpKind::Store { at, .. }) = &op.kind else {
                return None;
            };
            let choices = self.choices(at);
            if choices.iter().all(|choice| choice.part.is_none()) {
                return None;
            }
            let places = self.places(at, &choices);
            let counts = match choices.iter().all(Choice::wraps) {
                true => self.b().constant(1),
                false => self.is_element(at),
            };
            members.push(Member {
                op,
                at,
                choices,
                places,
                counts,
            });
        }
        let mut mems = BTreeSet::new();
        let mut all = members.iter().flat_map(|member| &member.places);
        let share = all.any(|place| !mems.insert(place.mem));
        share.then_some(members)
    }

    pub(super) fn rotated_loads(&mut self, run: &[Op]) {
        let Some(members) = self.members(run) else {
            return self.one_by_one(run);
        };
        let ty = hw_type(self.kernel.arrays[members[0].at.array].elem);
        let mut data = BTreeMap::new();
        for (mem, turns) in self.turns(&members, &[]) {
            let turn = self.merged(&turns);
            let node = self.b().opaque(HwOp::Load(mem), vec![turn.address], ty);
            self.turned(node, mem, false, run);
            data.insert(mem, node);
        }
        for Member {
            op,
            choices,
            places,
            ..
        } in members
        {
            let loads = places.into_iter();
            let loads: Vec<_> = loads.map(|place| (place.parts, data[&place.mem])).collect();
            let value = self.chosen(&choices, &loads);
            let value = self.b().cast(value, ty);
            self.define(op.results[0], value);
        }
    }

    pub(super) fn rotated_stores(&mut self, run: &[Op]) {
        let Some(members) = self.members(run) else {
            return self.one_by_one(run);
        };
        let ty = hw_type(self.kernel.arrays[members[0].at.array].elem);
        let mut writes = Vec::new();
        for member in &members {
            let OpKind::Store { value, .. } = member.op.kind else {
                continue;
            };
            let enable = self.store_enable(member.at);
            let value = self.node(value);
            writes.push((self.b().cast(value, ty), enable));
        }
        for (mem, turns) in self.turns(&members, &writes) {
            let turn = self.merged(&turns);
            let (value, enable) = turn.write.expect("each store writes");
            if self.b().as_const(enable).is_some_and(Zero::is_zero) {
                continue;
            }
            let enable = self.b().widen(enable, HwType::ui(1));
            let operands = vec![turn.address, value, enable];
            let node = self.b().opaque(HwOp::Store(mem), operands, HwType::ui(1));
            self.turned(node, mem, true, run);
        }
    }

    fn one_by_one(&mut self, run: &[Op]) {
        for op in run {
            self.straight(std::slice::from_ref(op));
        }
    }

    /// Of each bank: the accesses that may be of it.
    fn turns(
        &mut self,
        members: &[Member],
        writes: &[(NodeId, NodeId)],
    ) -> BTreeMap<MemId, Vec<Turn>> {
        let mut turns: BTreeMap<MemId, Vec<Turn>> = BTreeMap::new();
        for (number, member) in members.iter().enumerate() {
            for place in &member.places {
                let mut here = member.counts;
                for (choice, &part) in member.choices.iter().zip(&place.parts) {
                    if let Some(actual) = choice.part {
                        let part = self.b().constant(part);
                        let is_this = self.b().icmp(Predicate::Eq, actual, part);
                        here = self.b().and(here, is_this);
                    }
                }
                let write = writes.get(number).map(|&(value, enable)| {
                    let enable = self.b().and(enable, here);
                    (value, enable)
                });
                let address = place.address;
                let turn = Turn {
                    here,
                    address,
                    write,
                };
                turns.entry(place.mem).or_default().push(turn);
            }
        }
        turns
    }

    /// What a bank does, by halves: at most one of the accesses is of it.
    fn merged(&mut self, turns: &[Turn]) -> Turn {
        if let [
            Turn {
                here,
                address,
                write,
            },
        ] = *turns
        {
            return Turn {
                here,
                address,
                write,
            };
        }
        let (left, right) = turns.split_at(turns.len() / 2);
        let (left, right) = (self.merged(left), self.merged(right));
        let b = self.b();
        let write = left.write.zip(right.write).map(|(one, other)| {
            let value = b.mux(left.here, one.0, other.0);
            (value, b.or(one.1, other.1))
        });
        Turn {
            here: b.or(left.here, right.here),
            address: b.mux(left.here, left.address, right.address),
            write,
        }
    }

    /// An access whose address takes turns: nothing is known of it.
    fn turned(&mut self, node: NodeId, mem: MemId, is_store: bool, run: &[Op]) {
        let access = Access {
            pins: vec![Pin::Any; self.counters.len()],
            node,
            mem,
            is_store,
            address: None,
            bypassed: false,
            span: run[0].span,
        };
        self.leaf().accesses.push(access);
    }
}
