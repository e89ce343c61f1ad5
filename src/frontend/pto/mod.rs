//! The typing style "pto" and `allo.pto`: vectors, masks and tiles, as far as they are more than data of the ordinary language.
//!
//! Operations are rows of tables (`vector`, `masks`, `crosswise`, `tile`): a name, parameters, and a function that checks the operands
//! and adds to the kernel. What a rule of legality says is data in `classes` and `legality`.

pub mod classes;
pub mod conversion;
pub mod crosswise;
pub mod invocation;
pub mod legality;
pub mod literals;
pub mod masks;
pub mod modes;
pub mod operation;
pub mod product;
pub mod surface;
pub mod tcvt;
pub mod thing;
pub mod things;
pub mod tile;
pub mod tile_moves;
pub mod tile_type;
pub mod tiles;
pub mod vector;
