//! (room under construction)

pub mod rtl;
