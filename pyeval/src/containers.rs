//! Dicts and sets as they are made, and the memory that containers take.

use crate::equality::hashable;
use crate::error::Exception::ValueError;
use crate::error::raise;
use crate::key::Key;
use crate::value::{Elements, Entries, Names, Result, Value};
use diagnostics::Span;

/// Counts the memory and time of making a value.
pub fn charged(value: Value, span: Span, names: &mut dyn Names) -> Result<Value> {
    /// What any container takes beside its elements.
    const CONTAINER: u64 = 8;
    let cells = match &value {
        Value::Int(v) => v.bits() / 256,
        Value::Str(s) => s.len() as u64 / 32,
        Value::Tuple(items) => CONTAINER + items.len() as u64,
        Value::List(items) => CONTAINER + items.get().len() as u64,
        Value::Dict(items) => CONTAINER + 4 * items.get().len() as u64,
        Value::Set(items) => CONTAINER + 4 * items.get().items.len() as u64,
        Value::Table(table) => CONTAINER + table.len() as u64,
        _ => 0,
    };
    if cells > 0 {
        names.charge(span, cells)?;
        names.tick(span, cells)?;
    }
    Ok(value)
}

/// A dict of pairs, of which later ones override earlier ones.
pub fn dict_of(pairs: Vec<Vec<Value>>, span: Span, names: &mut dyn Names) -> Result<Value> {
    let mut entries = Entries::with_capacity(pairs.len());
    for pair in pairs {
        let Ok([key, value]) = <[Value; 2]>::try_from(pair) else {
            return raise(ValueError, span, "a dict is made of pairs");
        };
        insert(&mut entries, key, value, span)?;
    }
    charged(Value::dict(entries), span, names)
}

/// Puts an entry into a dict; the key that was there first stays.
pub fn insert(entries: &mut Entries, key: Value, value: Value, span: Span) -> Result<()> {
    let hash = hashable(&key, span)?;
    match entries.get_mut(&hash) {
        Some(entry) => entry.1 = value,
        None => {
            entries.insert(hash, (key, value));
        }
    }
    Ok(())
}

/// A set of values.
pub fn set_of(
    items: Vec<Value>,
    frozenset: bool,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    let mut set = Elements::new(frozenset);
    for item in items {
        let key = hashable(&item, span)?;
        set.items.entry(key).or_insert(item);
    }
    charged(Value::set(set), span, names)
}

impl Elements {
    /// Those of an empty set.
    pub fn new(frozenset: bool) -> Elements {
        Elements {
            frozenset,
            ..Elements::default()
        }
    }

    /// The elements of both sets.
    pub fn union(&self, other: &Elements) -> Elements {
        let mut result = self.clone();
        for (key, value) in &other.items {
            result.items.entry(key.clone()).or_insert(value.clone());
        }
        result
    }

    /// The elements of a set whose key is wanted.
    pub fn select(&self, wanted: impl Fn(&Key) -> bool) -> Elements {
        let kept = self.items.iter().filter(|(key, _)| wanted(key));
        Elements {
            items: kept.map(|(k, v)| (k.clone(), v.clone())).collect(),
            frozenset: self.frozenset,
        }
    }

    /// The elements of one of both sets only.
    pub fn symmetric_difference(&self, other: &Elements) -> Elements {
        let own = self.select(|key| !other.items.contains_key(key));
        own.union(&other.select(|key| !self.items.contains_key(key)))
    }
}
