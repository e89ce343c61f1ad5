//! Which of the kernels that passes offer are worth a look, by what those of a kernel much like it were found to take.
//!
//! So many iterations side by side take at best one part in as many of the cycles: of a way that takes longer than that many times the
//! best one, as the kernel stands, nothing better comes.

use super::{LAST_GAMBLE, Offer};
use std::collections::BTreeSet;

/// Names of gambles.
type Gambles = BTreeSet<&'static str>;

/// What the offers of a kernel take.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// Gambles that some of them leave out.
    gambles: Gambles,
    /// By what an offer leaves out, its cycles.
    taken: Vec<(Gambles, u64)>,
}

impl Ways {
    /// Those that were looked at because they were worth it, with the cycles of each that has hardware.
    pub fn of(
        worth: &Worth,
        taken: impl Iterator<Item = (Vec<&'static str>, Option<u64>)>,
    ) -> Ways {
        let mut gambles = worth.gambles.clone();
        let mut found = Vec::new();
        for (left_out, cycles) in taken {
            gambles.extend(&left_out);
            found.extend(cycles.map(|cycles| (Gambles::from_iter(left_out), cycles)));
        }
        Ways {
            gambles,
            taken: found,
        }
    }

    /// Those that take so many times the cycles of the best one at most; all of them where nothing is known.
    pub fn worth(&self, times: u64) -> Worth {
        let least = self.taken.iter().map(|(_, cycles)| *cycles).min();
        let most = least.unwrap_or(0).saturating_mul(times);
        let good = self.taken.iter().filter(|(_, cycles)| *cycles <= most);
        let left_out: Vec<Gambles> = good.map(|(left_out, _)| left_out.clone()).collect();
        let best = self.taken.iter().min_by_key(|(_, cycles)| *cycles);
        match left_out.is_empty() {
            true => Worth::default(),
            false => Worth {
                gambles: self.gambles.clone(),
                left_out,
                has_alternatives: best.is_some_and(|(left_out, _)| left_out.contains(LAST_GAMBLE)),
            },
        }
    }
}

/// The offers that are worth a look; by default, all of them that are no alternatives.
#[derive(Clone, Debug, Default)]
pub struct Worth {
    /// Gambles of which something is known.
    gambles: Gambles,
    /// What of them is left out, in each way that is worth it.
    left_out: Vec<Gambles>,
    /// Whether there are alternatives ([`Offer::is_alternative`]).
    pub has_alternatives: bool,
}

impl Worth {
    /// All offers.
    pub fn all() -> Worth {
        Worth::default().with_alternatives()
    }

    /// The same, and alternatives.
    pub fn with_alternatives(self) -> Worth {
        Worth {
            has_alternatives: true,
            ..self
        }
    }

    /// Whether an offer may become one that is worth a look: as far as passes went, it takes and leaves the gambles that are known as
    /// one of those does.
    pub fn allows(&self, offer: &Offer) -> bool {
        let agrees = |way: &Gambles| {
            self.gambles.iter().all(|gamble| {
                let is_taken = offer.done.contains(gamble);
                let is_left = offer.left_out.contains(gamble);
                match way.contains(gamble) {
                    true => !is_taken,
                    false => !is_left,
                }
            })
        };
        self.left_out.is_empty() || self.left_out.iter().any(agrees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Kernel;

    fn offer(done: &[&'static str], left_out: &[&'static str]) -> Offer {
        Offer {
            kernel: Kernel::new("k".into(), crate::diagnostics::Span::default()),
            done: done.to_vec(),
            left_out: left_out.to_vec(),
            root: 0,
            is_alternative: false,
        }
    }

    fn ways(taken: &[(&[&'static str], Option<u64>)]) -> Ways {
        let taken = taken.iter().map(|(left, cycles)| (left.to_vec(), *cycles));
        Ways::of(&Worth::default(), taken)
    }

    #[test]
    fn what_takes_longer_than_lanes_make_up_for_is_not_looked_at() {
        let ways = ways(&[
            (&[], Some(1200)),
            (&["a"], Some(400)),
            (&["b"], Some(800)),
            (&["a", "b"], Some(801)),
            (&["c"], None),
        ]);
        let two = ways.worth(2);
        for (done, left_out, is_worth) in [
            // On the way to both.
            (&[][..], &[][..], true),
            (&["a", "b"], &[], false),
            (&["b"], &["a"], true),
            (&["a"], &["b"], true),
            (&[], &["a", "b"], false),
            // What had no hardware.
            (&["a"], &["b", "c"], false),
            // A gamble that no longer changes anything is as it is in either.
            (&[], &["b"], true),
            // Of another one nothing is known.
            (&["b"], &["a", "d"], true),
        ] {
            let offer = offer(done, left_out);
            assert_eq!(two.allows(&offer), is_worth, "{done:?} {left_out:?}");
        }
        assert!(ways.worth(3).allows(&offer(&["a", "b"], &[])));
    }

    #[test]
    fn alternatives_are_looked_at_where_one_is_the_best() {
        for (alternative, is_best) in [(300, true), (500, false)] {
            let ways = ways(&[(&[], Some(400)), (&[LAST_GAMBLE], Some(alternative))]);
            assert_eq!(ways.worth(2).has_alternatives, is_best);
        }
    }

    #[test]
    fn what_was_not_looked_at_stays_out() {
        let first = ways(&[(&[], Some(1200)), (&["a"], Some(400))]).worth(2);
        let taken = [(vec!["a", "b"], Some(200)), (vec!["a"], Some(300))];
        let then = Ways::of(&first, taken.into_iter()).worth(2);
        assert!(then.allows(&offer(&["b"], &["a"])));
        assert!(!then.allows(&offer(&["a"], &["b"])));
    }

    #[test]
    fn where_nothing_is_known_everything_is_worth_a_look() {
        for ways in [Ways::default(), ways(&[(&["a"], None)])] {
            assert!(ways.worth(2).allows(&offer(&["a"], &["b"])));
        }
    }
}
