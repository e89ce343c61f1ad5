//! What values are in a dict or set: those that Python calls equal have the same key.

use num_bigint::BigInt;
use std::rc::Rc;

/// The key of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Ints, bools and integral floats.
    Int(BigInt),
    /// Other floats, by their bits.
    Float(u64),
    /// Strings.
    Str(Rc<str>),
    /// `None`.
    None,
    /// Tuples.
    Tuple(Vec<Key>),
    /// Functions, classes and other constants, by their identity.
    Other(String),
}
