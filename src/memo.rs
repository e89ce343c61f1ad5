//! Results of pure functions that the process keeps: the operator modules of one kernel are those of the next, and of every
//! variant of it that is tried.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Results beyond which all are forgotten, so that no process that compiles for long grows with what it compiles.
const MOST: usize = 256;

/// A result that some thread is about to make, or has made.
type Slot<V> = Arc<OnceLock<Arc<V>>>;

/// Results by the name of what they were computed from, or by that itself.
#[derive(Debug)]
pub struct Memo<V, K = String>(Mutex<HashMap<K, Slot<V>>>);

impl<V, K> Default for Memo<V, K> {
    fn default() -> Self {
        Memo(Mutex::default())
    }
}

impl<V, K: Eq + Hash> Memo<V, K> {
    /// What is kept under a name, which says all that it is made from; else what `make` returns, from then on. As with
    /// [`Memo::get`], `make` must not ask for the name that it is made for.
    pub fn once<Q>(&self, name: &Q, make: impl Fn() -> V) -> Arc<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.get(name, |_| true, make)
    }

    /// What is kept under a name, if it is what is looked for; else what `make` returns, from then on. Who comes while it is made
    /// waits for it, so `make` must not ask for the name that it is made for.
    pub fn get<Q>(&self, name: &Q, fits: impl Fn(&V) -> bool, make: impl Fn() -> V) -> Arc<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let kept = self.slot(name).get_or_init(|| Arc::new(make())).clone();
        if fits(&kept) {
            return kept;
        }
        let made = Arc::new(make());
        self.keep(name.to_owned(), made.clone());
        made
    }

    fn slot<Q>(&self, name: &Q) -> Slot<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        // Slots are whole whenever a thread ends.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = kept.get(name) {
            return slot.clone();
        }
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.entry(name.to_owned()).or_default().clone()
    }

    fn keep(&self, name: K, made: Arc<V>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(name, Arc::new(OnceLock::from(made)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_made_once_and_again_where_it_does_not_fit() {
        let memo = Memo::default();
        let get =
            |name: &str, least: u32, make: u32| *memo.get(name, |kept| *kept >= least, || make);
        assert_eq!(get("a", 0, 1), 1);
        assert_eq!(get("a", 0, 2), 1);
        assert_eq!(get("a", 2, 3), 3);
        assert_eq!(get("b", 0, 4), 4);
        for i in 0..2 * MOST {
            get(&i.to_string(), 0, 5);
        }
        assert!(memo.0.lock().expect("no thread ended").len() <= MOST);
    }
}
