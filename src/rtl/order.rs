//! Topological order of what follows from one another within a cycle (Kahn, Topological sorting of large networks, 1962).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What is left over where there is a circle.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Sources of each that are not in order; some are.
    counts: Vec<usize>,
}

impl Waiting {
    /// The first that waits.
    pub fn first(&self) -> usize {
        self.counts.iter().position(|count| *count > 0).unwrap_or(0)
    }

    /// Whether one is in a circle or behind it.
    pub fn waits(&self, one: usize) -> bool {
        self.counts[one] > 0
    }
}

/// All numbers, sources before what follows from them.
pub type Ordered = Result<Vec<usize>, Waiting>;

/// All numbers, those in `sources[i]` before `i`: first those that follow from nothing, then what follows from these.
///
/// Errors: there is a circle.
pub fn topological(sources: &[Vec<usize>]) -> Ordered {
    let mut ready = VecDeque::new();
    ordered(sources, |freed| {
        ready.extend(freed);
        ready.pop_front()
    })
}

/// The same, but the least number of those that may come next: neighbours stay together.
///
/// Errors: there is a circle.
pub fn least_first(sources: &[Vec<usize>]) -> Ordered {
    let mut ready = BinaryHeap::new();
    ordered(sources, |freed| {
        ready.extend(freed.into_iter().map(Reverse));
        ready.pop().map(|Reverse(one)| one)
    })
}

/// `next` is told which ones may come from now on, and says which one does.
fn ordered(sources: &[Vec<usize>], mut next: impl FnMut(Vec<usize>) -> Option<usize>) -> Ordered {
    let mut followers = vec![Vec::new(); sources.len()];
    let mut counts: Vec<usize> = sources.iter().map(Vec::len).collect();
    for (one, from) in sources.iter().enumerate() {
        for source in from {
            followers[*source].push(one);
        }
    }
    let mut freed: Vec<usize> = (0..counts.len()).filter(|one| counts[*one] == 0).collect();
    let mut order = Vec::with_capacity(sources.len());
    while let Some(one) = next(std::mem::take(&mut freed)) {
        order.push(one);
        for follower in &followers[one] {
            counts[*follower] -= 1;
            if counts[*follower] == 0 {
                freed.push(*follower);
            }
        }
    }
    match order.len() == sources.len() {
        true => Ok(order),
        false => Err(Waiting { counts }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_come_first_and_circles_are_told() {
        let sources = vec![vec![2], vec![0, 2], vec![], vec![1, 1]];
        assert_eq!(topological(&sources).unwrap(), [2, 0, 1, 3]);
        let apart = vec![vec![], vec![0], vec![], vec![2]];
        assert_eq!(topological(&apart).unwrap(), [0, 2, 1, 3]);
        assert_eq!(least_first(&apart).unwrap(), [0, 1, 2, 3]);
        assert!(least_first(&[vec![0]]).is_err());
        let waiting = topological(&[vec![], vec![2, 0], vec![1], vec![2]]).unwrap_err();
        assert_eq!(waiting.first(), 1);
        assert!(!waiting.waits(0) && waiting.waits(2) && waiting.waits(3));
    }
}
