//! Kernel to better kernel: each pass has a name and a one-line contract; [`PASSES`] is the pipeline.

pub mod dead;
pub mod expand;
pub mod forward;
pub mod inline;
pub mod order;
pub mod promote;
pub mod reuse;

use crate::diagnostics::Diagnostics;
use crate::ir::{Kernel, Program};

/// A rewrite of one kernel that keeps its meaning.
pub struct Pass {
    /// Name for dumps and skip lists.
    pub name: &'static str,
    /// What it does, in a line.
    pub contract: &'static str,
    /// The rewrite.
    pub run: fn(&mut Kernel),
}

/// The passes after inlining, in order.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "promote",
        contract: "an array element that a loop keeps coming back to stays in a register",
        run: promote::run,
    },
    Pass {
        name: "forward",
        contract: "elements first read after a fill take the fill's value, and the fill goes where nothing reads it",
        run: forward::run,
    },
    Pass {
        name: "reuse",
        contract: "no load of a value that is at hand, no store that is overwritten unread, one store for two branches",
        run: reuse::run,
    },
    Pass {
        name: "expand",
        contract: "whole-array fills and copies become loops",
        run: expand::run,
    },
    Pass {
        name: "dead",
        contract: "what influences nothing is removed",
        run: dead::run,
    },
];

/// Inlines the top kernel and runs all passes but those named in `skip`.
///
/// Errors: a program too large to inline.
pub fn run(program: &Program, skip: &[String]) -> Result<Kernel, Diagnostics> {
    let mut kernel = inline::inline(program)?;
    for pass in PASSES {
        // Whole-array operations have no hardware: expansion is not optional.
        if pass.name == "expand" || !skip.iter().any(|s| s == pass.name) {
            (pass.run)(&mut kernel);
        }
    }
    Ok(kernel)
}
