//! Invariants of the ir.
