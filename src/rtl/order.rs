//! Topological order of what follows from one another within a cycle (Kahn, Topological sorting of large networks, 1962).

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

/// All numbers, those in `sources[i]` before `i`.
///
/// Errors: there is a circle.
pub fn topological(sources: &[Vec<usize>]) -> Result<Vec<usize>, Waiting> {
    let mut followers = vec![Vec::new(); sources.len()];
    let mut counts: Vec<usize> = sources.iter().map(Vec::len).collect();
    for (one, from) in sources.iter().enumerate() {
        for source in from {
            followers[*source].push(one);
        }
    }
    let mut order: Vec<usize> = (0..counts.len()).filter(|one| counts[*one] == 0).collect();
    let mut next = 0;
    while let Some(one) = order.get(next).copied() {
        next += 1;
        for follower in &followers[one] {
            counts[*follower] -= 1;
            if counts[*follower] == 0 {
                order.push(*follower);
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
        let waiting = topological(&[vec![], vec![2, 0], vec![1], vec![2]]).unwrap_err();
        assert_eq!(waiting.first(), 1);
        assert!(!waiting.waits(0) && waiting.waits(2) && waiting.waits(3));
    }
}
