//! Python's library at compile time: tables of functions, methods and modules, each bounded.

pub mod builtins;
pub mod iterators;
pub mod itertools;
pub mod math;
pub mod members;
pub mod methods;
pub mod modules;
pub mod sorting;
pub mod strings;
