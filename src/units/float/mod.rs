//! Floating-point operators as graphs of integer operations, one description for all formats.
//!
//! Every function builds a pure [`Graph`](crate::hwarith::Graph): its inputs are bit patterns as `ui<w>` and so is
//! its one output. Results are those of IEEE 754, rounded once to nearest even, with subnormals, signed
//! zeros, infinities and the canonical NaN of [`FloatFormat::nan`](crate::ir::FloatFormat::nan). The
//! graphs know nothing of time: a scheduler may cut them between any two nodes.
//!
//! The parts: `unpack` splits and classifies, `bits` aligns and normalises, `round` rounds and packs; each
//! operator is what is between them, and `finish` drops what it does not need.
//!
//! ```
//! use allo_hls::hwarith::eval::eval;
//! use allo_hls::ir::FloatFormat;
//! use allo_hls::units::float;
//! use num_bigint::BigInt;
//!
//! let add = float::add(FloatFormat::F32);
//! let bits = |x: f32| BigInt::from(x.to_bits());
//! assert_eq!(eval(&add, &[bits(0.1), bits(0.2)]), [bits(0.1 + 0.2)]);
//! ```

mod add;
mod bits;
mod carried;
mod compare;
mod conversion;
mod convert;
mod div;
pub mod elementary;
mod finish;
mod fma;
mod high_radix;
mod integer;
mod integral;
mod kind;
mod modulo;
mod mul;
mod operators;
mod round;
mod scale;
mod sign;
mod sqrt;
mod storage;
mod unpack;

#[cfg(test)]
mod tests;

pub use add::{add, sub};
pub use carried::{add_carried, add_double_path, carried_width, close, open, sub_double_path};
pub use compare::{compare, min_max};
pub use conversion::{conversion, conversion_tag};
pub use convert::convert;
pub use div::{div, div_flushing, div_high_radix};
pub use fma::fma;
pub use integer::{from_int, to_int};
pub use integral::to_integral;
pub use kind::{Kind, Operator};
pub use modulo::modulo;
pub use mul::{mul, mul_flushing, mul_late};
pub use operators::{OPERATORS, operator};
pub use sign::{abs, flush, neg};
pub use sqrt::{sqrt, sqrt_high_radix};
