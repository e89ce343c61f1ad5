//! What keeps the initiation interval of a loop from being lower.

use std::fmt;

/// What binds an interval; names are those of the source, or of operator modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is a block, which has no interval.
    Nothing,
    /// An iteration begins in every cycle.
    Rate,
    /// The user asks for it.
    Directive,
    /// The accesses of this memory need more ports than it has.
    Port(String),
    /// This operator takes operands less often.
    Operator(String),
    /// A value, or an element of a memory, is needed by a later iteration; the name is empty where it has none.
    Recurrence(String),
    /// The end of the loop is known only then.
    Control,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Nothing => Ok(()),
            Bound::Rate => f.write_str("one iteration a cycle"),
            Bound::Directive => f.write_str("a directive"),
            Bound::Port(memory) => write!(f, "memory port {memory}"),
            Bound::Operator(unit) => write!(f, "{}", format!("operator {unit}").trim_end()),
            Bound::Recurrence(name) if name.is_empty() => {
                f.write_str("carried dependence through a value")
            }
            Bound::Recurrence(name) => write!(f, "carried dependence through '{name}'"),
            Bound::Control => f.write_str("loop condition"),
        }
    }
}
