//! What a sum leaves when it is divided: `of` modulo `by`, whatever the iteration.

use super::Affine;
use crate::ir::ValueId;
use num_integer::Integer;

/// The numbers `of + k * by`, for any integer k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residue {
    /// One of them.
    pub of: i128,
    /// How far they are apart, not negative; 0: there is one only.
    pub by: i128,
}

impl Residue {
    /// All numbers.
    pub const ANY: Residue = Residue { of: 0, by: 1 };

    /// The values of a sum; `counter` gives first value and step of a loop's counter, where both are known.
    pub fn of(sum: &Affine, counter: impl Fn(ValueId) -> Option<(i128, i128)>) -> Residue {
        let mut residue = Residue {
            of: sum.constant,
            by: 0,
        };
        for &(value, coefficient) in &sum.terms {
            let known = counter(value).and_then(|(first, step)| {
                let of = residue.of.checked_add(first.checked_mul(coefficient)?)?;
                Some((of, step.checked_mul(coefficient)?))
            });
            let (of, by) = known.unwrap_or((residue.of, coefficient));
            residue = Residue {
                of,
                by: residue.by.gcd(&by),
            };
        }
        residue
    }

    /// The numbers of both, and others between them.
    pub fn join(self, other: Residue) -> Residue {
        let apart = self.of.checked_sub(other.of);
        let by = apart.map_or(1, |apart| self.by.gcd(&other.by).gcd(&apart));
        Residue { of: self.of, by }
    }

    /// Whether no number is of both.
    pub fn is_apart(self, other: Residue) -> bool {
        let by = self.by.gcd(&other.by);
        match (self.of.checked_sub(other.of), by) {
            (Some(apart), 0) => apart != 0,
            (Some(apart), by) => apart % by != 0,
            (None, _) => false,
        }
    }

    /// What all of them leave when they are divided by a positive number that divides `by`.
    pub fn modulo(self, by: i128) -> i128 {
        self.of.rem_euclid(by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_apart_where_no_multiple_leads_from_one_to_the_other() {
        let of = |of, by| Residue { of, by };
        // 1 + 4 * 2 is 3 + 6 * 1.
        assert!(!of(1, 4).is_apart(of(3, 6)));
        assert!(of(1, 4).is_apart(of(2, 6)) && of(2, 6).is_apart(of(1, 4)));
        assert!(of(-1, 4).is_apart(of(1, 4)) && !of(-1, 4).is_apart(of(3, 4)));
        assert!(of(5, 0).is_apart(of(6, 0)) && !of(5, 0).is_apart(of(5, 0)));
        assert!(of(5, 0).is_apart(of(2, 2)) && !of(6, 0).is_apart(of(2, 2)));
        assert!(!Residue::ANY.is_apart(of(7, 0)));
        // A distance that no number holds is not known.
        assert!(!of(i128::MAX, 2).is_apart(of(-2, 2)));
    }

    /// 3 + 8 x + 6 y, where y counts from 5 in steps of 4: 33 + 8 x + 24 k.
    #[test]
    fn counters_add_where_they_begin_and_their_steps() {
        let (x, y) = (ValueId::new(0), ValueId::new(1));
        let sum = Affine {
            terms: vec![(x, 8), (y, 6)],
            constant: 3,
        };
        let residue = Residue::of(&sum, |value| (value == y).then_some((5, 4)));
        assert_eq!(residue, Residue { of: 33, by: 8 });
        assert_eq!(residue.modulo(8), 1);
        let other = Residue { of: 37, by: 0 };
        assert_eq!(residue.join(other).by, 4);
    }
}
