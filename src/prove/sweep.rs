//! Decides whether a literal of a graph can be 1: merges nodes that are equal, then asks a SAT solver.
//!
//! Nodes with equal values under many assignments are likely equal; each such pair is proven on its own, from the
//! inputs up, so that the proofs stay small (Mishchenko et al., FRAIGs, 2005). A refuted pair gives an assignment that
//! tells more nodes apart.

use super::aig::{Aig, Lit, Node, value_of};
use super::sums::Sums;
use super::{Limits, Patience, Stop};
use crate::random::mix;
use batsat::{Callbacks, ClauseKind, Solver, SolverInterface, SolverOpts, lbool};
use std::collections::HashMap;

/// What is known of the literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is never 1.
    Never,
    /// It is 1 for these values of the free nodes; others may have any.
    Sometimes(HashMap<usize, bool>),
    /// Not decided within the limits.
    Unknown(Stop),
}

/// Conflicts that a pair of inner nodes is worth, pass by pass.
const EFFORTS: [u64; 3] = [100, 2_000, 30_000];
/// Assignments simulated before the first pass, in words of 64.
const RANDOM_WORDS: u64 = 8;
// What work costs, in operations on words.
/// A node under 64 assignments, with its place in the classes.
const SIMULATION: u64 = 30;
/// A node of a pass.
const MERGE: u64 = 100;
/// A node's variable and clauses.
const VARIABLE: u64 = 150;
/// A decision of the solver, with what it implies.
const DECISION: u64 = 300;
/// A conflict, with the clause that is learnt of it.
const CONFLICT: u64 = 1_500;

/// Variables of a solver that is replaced by a fresh one.
const STALE: usize = 30_000;

/// Decides `root`.
pub fn decide(aig: &Aig, root: Lit, limits: &Limits) -> Verdict {
    let (mut aig, mut root) = (aig.clone(), root);
    let mut origin: HashMap<usize, usize> = (0..aig.len()).map(|n| (n, n)).collect();
    for effort in EFFORTS {
        if let Some(value) = root.as_constant() {
            return match value {
                false => Verdict::Never,
                true => Verdict::Sometimes(HashMap::new()),
            };
        }
        let mut sweep = Sweep::new(&aig, &limits.patience, effort);
        match sweep.run(root) {
            Ok(new_root) => {
                let back = sweep.free.iter();
                origin = back.map(|(new, old)| (*new, origin[old])).collect();
                root = new_root;
                aig = sweep.solver.aig;
            }
            Err(Found::Values(values)) => {
                let named = values.into_iter().map(|(n, v)| (origin[&n], v));
                return Verdict::Sometimes(named.collect());
            }
            Err(Found::Stop(stop)) => return Verdict::Unknown(stop),
        }
    }
    let mut solver = Incremental::new(aig, &limits.patience);
    match solver.solve(&[root], u64::MAX) {
        Some(false) => Verdict::Never,
        Some(true) => {
            let values = solver.model().into_iter();
            Verdict::Sometimes(
                values
                    .filter_map(|(n, v)| Some((*origin.get(&n)?, v)))
                    .collect(),
            )
        }
        None => Verdict::Unknown(Stop::Time),
    }
}

/// Whether a literal is always 1. A question that takes long counts as answered with no.
pub fn is_always(sums: &Sums, lit: Lit, limits: &Limits) -> bool {
    let (aig, roots, _) = sums.lower(&[!lit]);
    decide(&aig, roots[0], &limits.of_a_part()) == Verdict::Never
}

enum Found {
    Values(HashMap<usize, bool>),
    Stop(Stop),
}

/// One pass over a graph, from the inputs up, that builds a smaller equal one.
struct Sweep<'a> {
    old: &'a Aig,
    patience: Patience,
    effort: u64,
    solver: Incremental,
    /// New literal of each old node.
    map: Vec<Lit>,
    /// Old node of each new free node.
    free: HashMap<usize, usize>,
    /// Digest of the values of each old node under all assignments, complemented such that the first is 0.
    digest: Vec<u64>,
    complemented: Vec<bool>,
    /// The first old node of a digest.
    class: HashMap<u64, usize>,
}

impl<'a> Sweep<'a> {
    fn new(old: &'a Aig, patience: &Patience, effort: u64) -> Self {
        Sweep {
            old,
            patience: patience.clone(),
            effort,
            solver: Incremental::new(Aig::default(), patience),
            map: Vec::with_capacity(old.len()),
            free: HashMap::new(),
            digest: vec![0; old.len()],
            complemented: vec![false; old.len()],
            class: HashMap::new(),
        }
    }

    fn run(&mut self, root: Lit) -> Result<Lit, Found> {
        let free = (0..self.old.len()).filter(|&n| self.old.node(n) == Node::Free);
        let order: HashMap<usize, u64> = free.zip(0..).collect();
        let limits: Vec<u64> = (0..64).map(|i| mix(i) % (order.len() as u64 + 1)).collect();
        for word in 0..RANDOM_WORDS {
            let any = |node: usize| mix(word * 0x1_0000_0001 + node as u64);
            let values = self.old.simulate(any);
            self.absorb(&values, word == 0, root)?;
            // Small numbers, and such as differ from -1 in low bits only: words have their low bits first.
            let fill = if word % 2 == 0 { 0 } else { !0 };
            let values = self.old.simulate(|node| {
                let at = order.get(&node).copied().unwrap_or_default();
                let inside = |(i, limit): (usize, &u64)| u64::from(at < *limit) << i;
                let mask = limits.iter().enumerate().map(inside).sum::<u64>();
                any(node) & mask | fill & !mask
            });
            self.absorb(&values, false, root)?;
        }
        for index in 0..self.old.len() {
            if index % 64 == 0 {
                self.patience.spend(64, MERGE);
                if self.patience.is_over() {
                    return Err(Found::Stop(Stop::Time));
                }
            }
            let new = match self.old.node(index) {
                Node::False => Lit::FALSE,
                Node::Free => {
                    let free = self.solver.aig.free();
                    self.free.insert(free.node(), index);
                    free
                }
                Node::And(a, b) => {
                    let (a, b) = (self.mapped(a), self.mapped(b));
                    let new = self.solver.aig.and(a, b);
                    self.merged(index, new, root)?
                }
            };
            self.map.push(new);
            self.class.entry(self.digest[index]).or_insert(index);
        }
        Ok(self.mapped(root))
    }

    fn mapped(&self, old: Lit) -> Lit {
        self.map[old.node()].flip_if(old.is_complemented())
    }

    /// Adds the values under 64 assignments to the digests. An assignment that makes `root` 1 ends the search.
    fn absorb(&mut self, values: &[u64], first: bool, root: Lit) -> Result<(), Found> {
        self.patience.spend(values.len() as u64, SIMULATION);
        let hit = value_of(values, root);
        if hit != 0 {
            let at = hit.trailing_zeros();
            let free = (0..self.old.len()).filter(|&n| self.old.node(n) == Node::Free);
            let assigned = free.map(|n| (n, values[n] >> at & 1 == 1));
            return Err(Found::Values(assigned.collect()));
        }
        for (index, &value) in values.iter().enumerate() {
            if first {
                self.complemented[index] = value & 1 == 1;
            }
            let value = if self.complemented[index] {
                !value
            } else {
                value
            };
            self.digest[index] = mix(self.digest[index].rotate_left(1) ^ value);
        }
        self.class.clear();
        for index in 0..self.map.len() {
            self.class.entry(self.digest[index]).or_insert(index);
        }
        Ok(())
    }

    /// The literal for a node: that of an earlier node of its class if the two are proven equal.
    fn merged(&mut self, index: usize, new: Lit, root: Lit) -> Result<Lit, Found> {
        loop {
            let Some(&other) = self.class.get(&self.digest[index]) else {
                return Ok(new);
            };
            let flip = self.complemented[index] != self.complemented[other];
            let old = self.map[other].flip_if(flip);
            if new == old {
                return Ok(new);
            }
            match self.solver.differ(new, old, self.effort) {
                Some(false) => return Ok(old),
                None => return Ok(new),
                Some(true) => {
                    let model = self.solver.model();
                    let free = &self.free;
                    let given: HashMap<usize, bool> = model
                        .into_iter()
                        .filter_map(|(n, v)| Some((*free.get(&n)?, v)))
                        .collect();
                    // The assignment itself, and 63 in which about an eighth of the bits differ.
                    let values = self.old.simulate(|node| {
                        let base = if given.get(&node) == Some(&true) {
                            !0
                        } else {
                            0
                        };
                        let seed = mix(node as u64 ^ (index as u64) << 32);
                        base ^ (seed & mix(seed) & mix(!seed) & !1)
                    });
                    let before = self.digest[index];
                    self.absorb(&values, false, root)?;
                    debug_assert_ne!(before, self.digest[index]);
                }
            }
        }
    }
}

/// Stops the solver when patience is over or after a number of conflicts.
struct Budget {
    patience: Patience,
    conflicts: u64,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts = self.conflicts.saturating_sub(1);
            self.patience.spend(1, CONFLICT);
        }
    }
    fn stop(&self) -> bool {
        self.patience.spend(1, DECISION);
        self.conflicts == 0 || self.patience.is_over()
    }
}

/// A graph with a solver that knows the cones asked for so far.
struct Incremental {
    aig: Aig,
    patience: Patience,
    solver: Solver<Budget>,
    variables: HashMap<usize, batsat::Var>,
}

impl Incremental {
    fn new(aig: Aig, patience: &Patience) -> Self {
        Incremental {
            aig,
            patience: patience.clone(),
            solver: fresh(patience),
            variables: HashMap::new(),
        }
    }

    /// Whether all literals can be 1 together; `None` if not decided.
    fn solve(&mut self, literals: &[Lit], conflicts: u64) -> Option<bool> {
        if self.variables.len() > STALE {
            self.solver = fresh(&self.patience);
            self.variables.clear();
        }
        let assumptions: Vec<batsat::Lit> = literals.iter().map(|&l| self.encode(l)).collect();
        self.solver.cb_mut().conflicts = conflicts;
        let result = self.solver.solve_limited(&assumptions);
        if result == lbool::TRUE {
            Some(true)
        } else if result == lbool::FALSE {
            Some(false)
        } else {
            None
        }
    }

    /// Whether two literals can differ.
    fn differ(&mut self, a: Lit, b: Lit, conflicts: u64) -> Option<bool> {
        for pair in [[a, !b], [!a, b]] {
            match self.solve(&pair, conflicts) {
                Some(false) => {}
                other => return other,
            }
        }
        Some(false)
    }

    /// Values of the free nodes after [`Incremental::solve`] found some.
    fn model(&self) -> HashMap<usize, bool> {
        let known = self.variables.iter();
        known
            .filter(|(node, _)| self.aig.node(**node) == Node::Free)
            .map(|(node, var)| (*node, self.solver.value_var(*var) == lbool::TRUE))
            .collect()
    }

    fn encode(&mut self, lit: Lit) -> batsat::Lit {
        let mut stack = vec![lit.node()];
        while let Some(node) = stack.pop() {
            if self.variables.contains_key(&node) {
                continue;
            }
            match self.aig.node(node) {
                Node::And(a, b) => {
                    let missing = [a, b].map(Lit::node);
                    let missing = missing
                        .into_iter()
                        .filter(|n| !self.variables.contains_key(n));
                    let before = stack.len();
                    stack.push(node);
                    stack.extend(missing);
                    if stack.len() > before + 1 {
                        continue;
                    }
                    stack.pop();
                    let (x, y) = (self.literal(a), self.literal(b));
                    let z = self.variable(node);
                    for mut clause in [vec![!z, x], vec![!z, y], vec![z, !x, !y]] {
                        self.solver.add_clause_reuse(&mut clause);
                    }
                }
                Node::Free => {
                    self.variable(node);
                }
                Node::False => {
                    let z = self.variable(node);
                    self.solver.add_clause_reuse(&mut vec![!z]);
                }
            }
        }
        self.literal(lit)
    }

    fn variable(&mut self, node: usize) -> batsat::Lit {
        self.patience.spend(1, VARIABLE);
        let var = self.solver.new_var_default();
        self.variables.insert(node, var);
        batsat::Lit::new(var, true)
    }

    /// Of a node that is encoded.
    fn literal(&self, lit: Lit) -> batsat::Lit {
        batsat::Lit::new(self.variables[&lit.node()], !lit.is_complemented())
    }
}

fn fresh(patience: &Patience) -> Solver<Budget> {
    let budget = Budget {
        patience: patience.clone(),
        conflicts: u64::MAX,
    };
    Solver::new(SolverOpts::default(), budget)
}

#[cfg(test)]
mod tests {
    use super::super::bits;
    use super::*;
    use std::time::Duration;

    fn verdict(sums: &Sums, root: Lit) -> Verdict {
        let (aig, roots, origin) = sums.lower(&[root]);
        match decide(&aig, roots[0], &Limits::within(Duration::from_secs(60))) {
            Verdict::Sometimes(values) => {
                Verdict::Sometimes(values.into_iter().map(|(n, v)| (origin[&n], v)).collect())
            }
            other => other,
        }
    }

    #[test]
    fn two_ways_to_the_greater_number_are_equal() {
        let mut sums = Sums::default();
        let (a, b) = (sums.free_word(24), sums.free_word(24));
        let less = sums.less(&a, &b, true);
        let one = sums.select(less, &b, &a);
        let more = sums.less(&b, &a, true);
        let other = sums.select(more, &a, &b);
        let equal = sums.equal(&one, &other);
        assert_ne!(equal, Lit::TRUE);
        assert_eq!(verdict(&sums, !equal), Verdict::Never);
    }

    #[test]
    fn a_difference_of_one_case_in_many_is_found() {
        let mut sums = Sums::default();
        let a = sums.free_word(40);
        let magic = bits::constant(&0x12_3456_789au64.into(), 40);
        let hit = sums.equal(&a, &magic);
        let Verdict::Sometimes(values) = verdict(&sums, hit) else {
            panic!("not found");
        };
        for (bit, wanted) in a.iter().zip(&magic) {
            let found = values.get(&bit.node()).copied().unwrap_or(false);
            assert_eq!(Some(found), wanted.as_constant());
        }
    }

    #[test]
    fn time_ends_a_search() {
        let mut sums = Sums::default();
        let (a, b) = (sums.free_word(40), sums.free_word(40));
        let product = sums.mul((&a, false), (&b, false), 80);
        let prime = bits::constant(&1_000_000_016_000_000_063u64.into(), 80);
        let equal = sums.equal(&product, &prime);
        let one = bits::constant(&1.into(), 40);
        let (x, y) = (sums.less(&one, &a, false), sums.less(&one, &b, false));
        let both = sums.aig.and(x, y);
        let root = sums.aig.and(both, equal);
        let (aig, roots, _) = sums.lower(&[root]);
        let limits = Limits::within(Duration::from_millis(300));
        assert_eq!(
            decide(&aig, roots[0], &limits),
            Verdict::Unknown(Stop::Time)
        );
    }
}
