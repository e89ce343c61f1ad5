//! Integers under difference constraints with the least weighted sum.
//!
//! The dual is a flow of the least cost, with a unit of cost for each unit that a constraint asks for, and its potentials are the
//! integers: solved by the primal network simplex method with strongly feasible trees, which ends in spite of flows of 0
//! (Cunningham, A network simplex method, Mathematical Programming 11, 1976; Ahuja, Magnanti and Orlin, Network Flows, 1993,
//! sections 11.5 and 11.6).

/// Variables with their constraints. The one of number 0 is 0.
#[derive(Clone, Debug)]
pub struct Differences {
    weights: Vec<i64>,
    arcs: Vec<Arc>,
}

/// `from - to >= least`, and the flow along it in the dual.
#[derive(Clone, Copy, Debug)]
struct Arc {
    from: usize,
    to: usize,
    least: i64,
    flow: i64,
}

/// Constraints and variables that are looked at, again and again, after which nothing is found: some tenths of a second.
const MOST_WORK: usize = 50_000_000;

impl Differences {
    /// Without variables but 0.
    pub fn new() -> Differences {
        Differences {
            weights: vec![0],
            arcs: Vec::new(),
        }
    }

    /// A variable that its weight is multiplied with, between these bounds. One without an upper bound has no negative weight.
    pub fn variable(&mut self, weight: i64, least: i64, most: Option<i64>) -> usize {
        let number = self.weights.len();
        debug_assert!(weight >= 0 || most.is_some());
        self.weights.push(weight);
        self.at_least(number, 0, least);
        if let Some(most) = most {
            self.at_least(0, number, -most);
        }
        number
    }

    /// Has `a - b >= least`. Of a variable and itself that is not asked.
    pub fn at_least(&mut self, a: usize, b: usize, least: i64) {
        if a == b {
            return;
        }
        self.arcs.push(Arc {
            from: a,
            to: b,
            least,
            flow: 0,
        });
    }

    /// The variables; `None` if they contradict one another, or are too many for the time that there is.
    pub fn solve(self) -> Option<Vec<i64>> {
        let mut tree = Tree::of(self);
        while tree.work < MOST_WORK {
            match tree.entering() {
                Some(arc) => tree.pivot(arc)?,
                None => return Some(tree.potentials),
            }
        }
        None
    }
}

/// A spanning tree of the arcs that carry flow, with 0 as its root.
struct Tree {
    arcs: Vec<Arc>,
    potentials: Vec<i64>,
    parents: Vec<usize>,
    /// The arc to the parent, or from it.
    links: Vec<usize>,
    depths: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// Place among the parent's children.
    places: Vec<usize>,
    /// From which arc on the next one is looked for.
    next: usize,
    block: usize,
    /// What was looked at so far.
    work: usize,
}

impl Tree {
    /// Each variable hangs at 0 by one of its bounds: what it is weighted with flows there, or comes from there.
    fn of(of: Differences) -> Tree {
        let count = of.weights.len();
        let block = of.arcs.len().isqrt().max(16);
        let mut tree = Tree {
            arcs: of.arcs,
            potentials: vec![0; count],
            parents: vec![0; count],
            links: vec![0; count],
            depths: vec![0; count],
            children: vec![Vec::new(); count],
            places: vec![0; count],
            next: 0,
            block,
            work: 0,
        };
        for (number, arc) in tree.arcs.iter().enumerate().rev() {
            let (node, is_out) = match (arc.from, arc.to) {
                (0, to) => (to, false),
                (from, 0) => (from, true),
                _ => continue,
            };
            if is_out == (of.weights[node] >= 0) {
                tree.links[node] = number;
            }
        }
        for node in 1..count {
            let arc = &mut tree.arcs[tree.links[node]];
            arc.flow = of.weights[node].abs();
            tree.potentials[node] = if arc.from == node {
                arc.least
            } else {
                -arc.least
            };
            tree.hang(node, 0, tree.links[node]);
        }
        tree
    }

    fn hang(&mut self, node: usize, parent: usize, link: usize) {
        self.parents[node] = parent;
        self.links[node] = link;
        self.places[node] = self.children[parent].len();
        self.children[parent].push(node);
        self.depths[node] = self.depths[parent] + 1;
    }

    fn cut(&mut self, node: usize) {
        let siblings = &mut self.children[self.parents[node]];
        let place = self.places[node];
        siblings.swap_remove(place);
        if let Some(&moved) = siblings.get(place) {
            self.places[moved] = place;
        }
    }

    /// By how much a constraint is missed.
    fn missing(&self, arc: &Arc) -> i64 {
        arc.least - (self.potentials[arc.from] - self.potentials[arc.to])
    }

    /// The constraint that is missed most in the first block of them with one that is.
    fn entering(&mut self) -> Option<usize> {
        let count = self.arcs.len();
        let mut best = (0, None);
        for looked in 1..=count {
            self.work += 1;
            let missing = self.missing(&self.arcs[self.next]);
            if missing > best.0 {
                best = (missing, Some(self.next));
            }
            self.next = (self.next + 1) % count;
            if looked % self.block == 0 && best.1.is_some() {
                break;
            }
        }
        best.1
    }

    /// Whether the link of a node leads to its parent.
    fn is_up(&self, node: usize) -> bool {
        self.arcs[self.links[node]].from == node
    }

    /// Has a constraint hold exactly in place of another one; `None` if nothing limits what flows along it.
    fn pivot(&mut self, entering: usize) -> Option<()> {
        let Arc { from, to, .. } = self.arcs[entering];
        let (mut from_side, mut to_side) = (Vec::new(), Vec::new());
        let (mut a, mut b) = (from, to);
        while a != b {
            self.work += 1;
            if self.depths[a] >= self.depths[b] {
                from_side.push(a);
                a = self.parents[a];
            } else {
                to_side.push(b);
                b = self.parents[b];
            }
        }
        // The flow goes down to where the arc begins, along it, and up again. What runs against it limits it; of several such
        // the last one on this way leaves.
        let flow = |tree: &Tree, node: usize| tree.arcs[tree.links[node]].flow;
        let mut leaving: Option<(i64, usize)> = None;
        for &node in from_side.iter().filter(|&&node| self.is_up(node)) {
            if leaving.is_none_or(|(least, _)| flow(self, node) < least) {
                leaving = Some((flow(self, node), node));
            }
        }
        for &node in to_side.iter().filter(|&&node| !self.is_up(node)) {
            if leaving.is_none_or(|(least, _)| flow(self, node) <= least) {
                leaving = Some((flow(self, node), node));
            }
        }
        let (amount, top) = leaving?;
        for &node in &from_side {
            let sign = if self.is_up(node) { -1 } else { 1 };
            self.arcs[self.links[node]].flow += sign * amount;
        }
        for &node in &to_side {
            let sign = if self.is_up(node) { 1 } else { -1 };
            self.arcs[self.links[node]].flow += sign * amount;
        }
        self.arcs[entering].flow = amount;
        let missing = self.missing(&self.arcs[entering]);
        match from_side.contains(&top) {
            true => self.rehang(from, to, entering, top, missing),
            false => self.rehang(to, from, entering, top, -missing),
        }
        Some(())
    }

    /// Has what hangs below `top` hang at `parent` by its node `node`, with other potentials.
    fn rehang(&mut self, node: usize, parent: usize, link: usize, top: usize, more: i64) {
        let (mut node, mut parent, mut link) = (node, parent, link);
        let below = node;
        loop {
            let (next, next_link) = (self.parents[node], self.links[node]);
            self.cut(node);
            self.hang(node, parent, link);
            if node == top {
                break;
            }
            (parent, node, link) = (node, next, next_link);
        }
        let mut reached = vec![below];
        while let Some(node) = reached.pop() {
            self.work += 1;
            self.potentials[node] += more;
            self.depths[node] = self.depths[self.parents[node]] + 1;
            reached.extend(&self.children[node]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hwarith::testing::Random;

    /// The least sum by trying all.
    fn tried(weights: &[i64], most: i64, arcs: &[(usize, usize, i64)]) -> Option<i64> {
        let count = weights.len() as u32;
        let base = most + 1;
        let all = 0..base.pow(count);
        let values = |mut code: i64| -> Vec<i64> {
            let mut values = vec![0];
            for _ in 0..count {
                values.push(code % base);
                code /= base;
            }
            values
        };
        let allowed = all.map(values).filter(|values| {
            let mut arcs = arcs.iter();
            arcs.all(|&(a, b, least)| values[a] - values[b] >= least)
        });
        let sum = |values: Vec<i64>| values[1..].iter().zip(weights).map(|(v, w)| v * w).sum();
        allowed.map(sum).min()
    }

    #[test]
    fn the_least_sum_is_found() {
        let mut random = Random::new(12);
        let mut seen = [0; 2];
        for _ in 0..4_000 {
            let count = 1 + random.below(5) as usize;
            let most = 4;
            let mut weights: Vec<i64> =
                (0..count).map(|_| i64::from(random.below(9)) - 4).collect();
            if random.flip() {
                // Many are equal, or 0: flows of 0.
                weights
                    .iter_mut()
                    .for_each(|weight| *weight = weight.signum());
            }
            let arcs = (0..random.below(12)).map(|_| {
                let [a, b] = [(); 2].map(|()| random.below(count as u32 + 1) as usize);
                (a, b, i64::from(random.below(7)) - 4)
            });
            let arcs: Vec<_> = arcs.filter(|(a, b, _)| a != b).collect();
            let mut differences = Differences::new();
            for &weight in &weights {
                differences.variable(weight, 0, Some(most));
            }
            for &(a, b, least) in &arcs {
                differences.at_least(a, b, least);
            }
            let found = differences.solve();
            let sum = found.as_ref().map(|values| {
                let holds = |&(a, b, least): &(usize, usize, i64)| values[a] - values[b] >= least;
                assert!(arcs.iter().all(holds) && values[0] == 0);
                assert!(values.iter().all(|value| (0..=most).contains(value)));
                values[1..]
                    .iter()
                    .zip(&weights)
                    .map(|(v, w)| v * w)
                    .sum::<i64>()
            });
            assert_eq!(sum, tried(&weights, most, &arcs), "{weights:?} {arcs:?}");
            seen[usize::from(found.is_some())] += 1;
        }
        assert!(seen.iter().all(|count| *count > 300), "{seen:?}");
    }

    #[test]
    fn a_variable_without_an_upper_bound_follows_others() {
        let mut differences = Differences::new();
        let early = differences.variable(-3, 0, Some(10));
        let end = differences.variable(5, 2, None);
        differences.at_least(end, early, 4);
        assert_eq!(differences.solve(), Some(vec![0, 0, 4]));
    }
}
