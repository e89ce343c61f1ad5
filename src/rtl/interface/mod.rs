//! What a module promises to whoever instantiates it: the manifest of a kernel's ports and of an operator's.

pub mod block;
pub mod manifest;
pub mod operator;
