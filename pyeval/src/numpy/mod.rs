//! numpy arrays at compile time, as far as tables of coefficients need them: typed elements, views,
//! broadcasting, and the promotion of numpy 2.

pub mod arange;
pub mod attributes;
pub mod functions;
pub mod indexing;
pub mod operations;
pub mod product;
pub mod reduce;
pub mod table;
