//! The importable namespaces of Allo.

/// An importable namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    /// `allo`, and the same names as `allo.lang`, `allo.exp`, `allo.exp.lang`, `allo.operators`.
    Allo,
    /// `allo.arith`.
    Arith,
    /// `allo.math`.
    Math,
    /// `allo.linalg`.
    Linalg,
    /// `allo.ir`, and `allo.ir.types` with the types' long names.
    IrTypes,
    /// `allo.pto`.
    Pto,
}
