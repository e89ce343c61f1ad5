//! In which order leaves run: what may follow what, and who else touches a variable.

use super::program::{LeafId, Program, Region};
use crate::arena::Table;
use crate::hwarith::graph::{Op, VarId};
use std::collections::BTreeSet;

/// Leaves with which a region may begin or end that are told apart.
const MOST: usize = 64;

/// What may follow each leaf. From the end of one to the start of the next there is at least a cycle.
pub struct Order {
    /// Leaves that may be the next to run.
    pub next: Table<LeafId, BTreeSet<LeafId>>,
    /// Whether they are so many that they were left aside.
    pub is_open: Table<LeafId, bool>,
    /// Whether the program may be done next.
    pub is_last: Table<LeafId, bool>,
    /// Leaves with which the program may begin; `None`: they are so many that they were left aside.
    pub first: Option<BTreeSet<LeafId>>,
}

impl Order {
    /// That of a program.
    pub fn of(program: &Program) -> Order {
        let mut order = Order {
            next: program.leaves.values().map(|_| BTreeSet::new()).collect(),
            is_open: program.leaves.values().map(|_| false).collect(),
            is_last: program.leaves.values().map(|_| false).collect(),
            first: None,
        };
        let whole = order.region(&program.root);
        order.first = whole.first;
        for leaf in whole.last {
            order.is_last[leaf] = true;
        }
        order
    }

    fn region(&mut self, region: &Region) -> Ends {
        match region {
            Region::Leaf(leaf) => Ends {
                first: Some(BTreeSet::from([*leaf])),
                last: BTreeSet::from([*leaf]),
                may_be_none: false,
            },
            Region::Seq(parts) => {
                let mut all = Ends::none();
                for part in parts {
                    let next = self.region(part);
                    all = self.after(all, next);
                }
                all
            }
            Region::If {
                then, otherwise, ..
            } => {
                let mut then = self.region(then);
                let otherwise = self.region(otherwise);
                then.first = either(then.first, otherwise.first);
                then.last = self.some(then.last, otherwise.last);
                then.may_be_none |= otherwise.may_be_none;
                then
            }
            Region::Repeat { head, body, .. } => {
                let head = self.region(head);
                let body = self.region(body);
                let round = self.after(head.clone(), body.clone());
                self.link(&round.last, round.first.as_ref());
                // After the last round there is the head alone.
                let last = match head.may_be_none {
                    true => self.some(head.last, body.last),
                    false => head.last,
                };
                Ends {
                    first: round.first,
                    last,
                    may_be_none: head.may_be_none,
                }
            }
        }
    }

    fn after(&mut self, before: Ends, next: Ends) -> Ends {
        self.link(&before.last, next.first.as_ref());
        let first = match before.may_be_none {
            true => either(before.first, next.first),
            false => before.first,
        };
        let last = match next.may_be_none {
            true => self.some(next.last, before.last),
            false => next.last,
        };
        Ends {
            first,
            last,
            may_be_none: before.may_be_none && next.may_be_none,
        }
    }

    fn link(&mut self, last: &BTreeSet<LeafId>, first: Option<&BTreeSet<LeafId>>) {
        for &leaf in last {
            match first {
                Some(first) => self.next[leaf].extend(first),
                None => self.is_open[leaf] = true,
            }
        }
    }

    /// Both together; none if they are too many.
    fn some(&mut self, mut last: BTreeSet<LeafId>, others: BTreeSet<LeafId>) -> BTreeSet<LeafId> {
        last.extend(others);
        if last.len() > MOST {
            let many = std::mem::take(&mut last);
            many.into_iter().for_each(|leaf| self.is_open[leaf] = true);
        }
        last
    }
}

/// Both together, if they are not too many.
fn either(
    first: Option<BTreeSet<LeafId>>,
    others: Option<BTreeSet<LeafId>>,
) -> Option<BTreeSet<LeafId>> {
    let mut all = first?;
    all.extend(others?);
    (all.len() <= MOST).then_some(all)
}

/// With what a region may begin and end.
#[derive(Clone)]
struct Ends {
    /// `None`: too many.
    first: Option<BTreeSet<LeafId>>,
    last: BTreeSet<LeafId>,
    /// Whether it may be over without a leaf.
    may_be_none: bool,
}

impl Ends {
    fn none() -> Ends {
        Ends {
            first: Some(BTreeSet::new()),
            last: BTreeSet::new(),
            may_be_none: true,
        }
    }
}

/// Who touches each variable: leaves that read or write it, and control.
pub struct Touchers(Table<VarId, Toucher>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Toucher {
    Nobody,
    One(LeafId),
    Several,
}

impl Touchers {
    /// Those of a program.
    pub fn of(program: &Program) -> Touchers {
        let mut touchers = Touchers(program.vars.values().map(|_| Toucher::Nobody).collect());
        for (id, leaf) in program.leaves.iter() {
            let read = leaf.graph.nodes.values().filter_map(|node| match node.op {
                Op::Var(var) => Some(var),
                _ => None,
            });
            let phis = leaf.phis();
            let written = leaf.writes.iter().map(|(var, _)| *var);
            for var in read.chain(written).chain(phis.map(|phi| phi.var)) {
                // Nobody writes arguments.
                if !program.vars[var].is_arg {
                    touchers.touch(var, Toucher::One(id));
                }
            }
            let enter = leaf.repeat.iter().filter_map(|repeat| repeat.enter);
            enter.for_each(|var| touchers.touch(var, Toucher::Several));
        }
        touchers.control(&program.root);
        for var in program.scalar_results() {
            touchers.touch(var, Toucher::Several);
        }
        touchers
    }

    /// Whether a variable is more than one leaf's own.
    pub fn are_several(&self, var: VarId) -> bool {
        self.0[var] == Toucher::Several
    }

    fn touch(&mut self, var: VarId, by: Toucher) {
        let known = &mut self.0[var];
        *known = match *known {
            Toucher::Nobody => by,
            same if same == by => same,
            _ => Toucher::Several,
        };
    }

    fn control(&mut self, region: &Region) {
        match region {
            Region::Leaf(_) => {}
            Region::Seq(parts) => parts.iter().for_each(|part| self.control(part)),
            Region::If {
                cond,
                then,
                otherwise,
            } => {
                self.touch(*cond, Toucher::Several);
                self.control(then);
                self.control(otherwise);
            }
            Region::Repeat {
                head, cond, body, ..
            } => {
                self.touch(*cond, Toucher::Several);
                self.control(head);
                self.control(body);
            }
        }
    }
}
