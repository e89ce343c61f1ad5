//! What is known of a kernel without running it; each fact is computed once, in program order.

pub mod abreast;
pub mod assumed;
pub mod directions;
pub mod footprint;
pub mod initialised;
pub mod numbers;
pub mod order;
pub mod own;
pub mod ranges;
pub mod rates;
pub mod reduction;
pub mod residue;
pub mod rotation;
pub mod touch;
pub mod trip;
pub mod values;
pub mod varying;

pub use order::Fact;
pub use residue::Residue;
pub use values::{Affine, Subscript, Values};
pub use varying::Varying;
