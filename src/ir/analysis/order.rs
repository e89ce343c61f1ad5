//! Facts `a - b <= k` that loops and conditions state, and what follows from them: short paths through the graph of such
//! difference constraints.

use std::collections::BTreeMap;

/// A sum of multiples of values, by its number among those of a kernel; `None` for the empty sum.
pub type Base = Option<u32>;

/// `above - below <= bound` as exact integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The minuend.
    pub above: Base,
    /// The subtrahend.
    pub below: Base,
    /// Most that the difference is.
    pub bound: i128,
}

/// Facts in one chain.
const CHAIN: usize = 4;

/// The least `k` for which `a - b <= k` follows from at most four of the facts (Bellman and Ford's relaxation).
pub fn least(a: Base, b: Base, facts: &[Fact]) -> Option<i128> {
    let mut best: BTreeMap<Base, i128> = BTreeMap::from([(a, 0)]);
    for _ in 0..CHAIN {
        let before = best.clone();
        for fact in facts {
            if let Some(&bound) = before.get(&fact.above) {
                let bound = bound.saturating_add(fact.bound);
                let known = best.entry(fact.below).or_insert(bound);
                *known = bound.min(*known);
            }
        }
        if best == before {
            break;
        }
    }
    best.get(&b).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn value(i: u32) -> Base {
        Some(i)
    }

    fn fact(above: Base, below: Base, bound: i128) -> Fact {
        Fact {
            above,
            below,
            bound,
        }
    }

    #[test]
    fn bounds_follow_from_chains_of_facts() {
        let (x, y, z) = (value(0), value(1), value(2));
        let facts = [
            fact(x, y, -1),
            fact(y, z, 3),
            fact(z, None, 7),
            fact(x, z, 5),
        ];
        assert_eq!(least(x, x, &facts), Some(0));
        assert_eq!(least(x, z, &facts), Some(2), "the shorter of two ways");
        assert_eq!(least(x, None, &facts), Some(9));
        assert_eq!(least(z, x, &facts), None);
    }

    #[test]
    fn many_facts_of_the_same_values_take_no_longer_than_they_are_many() {
        let x = value(0);
        let both = |k: i128| [fact(x, None, k), fact(None, x, k)];
        let facts: Vec<Fact> = (0..2000).flat_map(both).collect();
        assert_eq!(least(x, None, &facts), Some(0));
    }
}
