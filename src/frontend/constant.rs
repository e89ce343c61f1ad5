//! Values known while compiling: those of the evaluator, among them the things of Allo.

/// A value known while compiling; never in the ir by itself.
pub use pyeval::Value as ConstValue;
