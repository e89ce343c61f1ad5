//! Explains one build: what it takes, which line takes it, what binds each loop and what would lift that.
//!
//! [`data::Report`] is all that is known, and [`gather`](gather::gather) makes it of a compilation; [`trials`] adds what
//! other directives would bring, by builds of their own. [`text`] and [`html`] print it, and so does its JSON form. This
//! room reads all others, and none of them knows it.

mod chart;
pub mod data;
pub mod gather;
pub mod html;
pub mod text;
pub mod trials;
mod words;

pub use data::Report;
pub use gather::{Build, gather};
