//! Results of pure functions that a thread keeps: the operator modules of one kernel are those of the next, and of every variant
//! of it that is tried.

use crate::hash::FastMap;
use std::cell::RefCell;

/// Results beyond which all are forgotten, so that no process that compiles for long grows with what it compiles.
const MOST: usize = 256;

/// Results by the name of what they were computed from.
#[derive(Debug)]
pub struct Memo<V>(RefCell<FastMap<String, V>>);

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Memo(RefCell::default())
    }
}

impl<V: Clone> Memo<V> {
    /// What is kept under a name, if it is what is looked for; else what `make` returns, from then on.
    pub fn get(&self, name: String, fits: impl Fn(&V) -> bool, make: impl FnOnce() -> V) -> V {
        if let Some(kept) = self.0.borrow().get(&name).filter(|kept| fits(kept)) {
            return kept.clone();
        }
        let made = make();
        let mut kept = self.0.borrow_mut();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(name, made.clone());
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_made_once_and_again_where_it_does_not_fit() {
        let memo = Memo::default();
        let get = |name: &str, least: u32, make: u32| {
            memo.get(name.to_string(), |kept| *kept >= least, || make)
        };
        assert_eq!(get("a", 0, 1), 1);
        assert_eq!(get("a", 0, 2), 1);
        assert_eq!(get("a", 2, 3), 3);
        assert_eq!(get("b", 0, 4), 4);
        for i in 0..2 * MOST {
            get(&i.to_string(), 0, 5);
        }
        assert!(memo.0.borrow().len() <= MOST);
    }
}
