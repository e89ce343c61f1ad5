//! Kernel to better kernel: each pass has a name and a one-line contract; [`PASSES`] is the pipeline.

pub mod align;
pub mod assume;
pub mod balance;
pub mod band;
pub mod banks;
mod beyond;
pub mod buffer_at;
pub mod bypass;
pub mod clamps;
pub mod compute_at;
pub mod conditions;
pub mod convert_branches;
pub mod copied_params;
pub mod counters;
pub mod dead;
pub mod delinearize;
pub mod distribute;
pub mod expand;
pub mod fills;
pub mod first_rows;
pub mod flatten;
pub mod fold_calls;
pub mod forward;
pub mod gather;
mod grids;
mod groups;
pub mod hoist;
pub mod inline;
pub mod interleave;
pub mod invariants;
pub mod iterations;
pub mod jam;
pub mod line_buffer;
pub mod lines;
pub mod local_copy;
pub mod lookahead;
pub mod narrow;
pub mod network;
pub mod outline;
mod own_copies;
pub mod prologue;
pub mod promote;
mod readers;
pub mod registers;
pub mod restructure;
pub mod reuse;
pub mod reuse_at;
pub mod scalar_expansion;
pub mod speculate;
pub mod streamed;
pub mod streamline;
pub mod table_elements;
pub mod tables;
pub mod turns;
pub mod unroll;
pub mod walk;
pub mod ways;
pub mod window;
pub mod workers;
pub mod written;

use crate::codes;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::ir::validate::validate_kernel;
use crate::ir::{BinaryOp, Block, Kernel, OpKind, Program};
use ways::Worth;

/// A rewrite of one kernel that keeps its meaning.
pub struct Pass {
    /// Name for dumps and skip lists.
    pub name: &'static str,
    /// What it does, in a line.
    pub contract: &'static str,
    /// Operations of which there is at least one in every kernel that it changes.
    pub concerns: fn(&OpKind) -> bool,
    /// The rewrite.
    pub run: fn(&mut Kernel),
    /// May make a kernel slower: the driver compares.
    pub is_gamble: bool,
    /// Keeps the order in which elements of streams are got and put.
    pub keeps_streams: bool,
}

fn is_any(_: &OpKind) -> bool {
    true
}

fn is_loop(kind: &OpKind) -> bool {
    matches!(kind, OpKind::For(_) | OpKind::While(_))
}

fn is_branch(kind: &OpKind) -> bool {
    matches!(kind, OpKind::If(_))
}

fn is_access(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Load { .. } | OpKind::Store { .. })
}

fn is_conditional(kind: &OpKind) -> bool {
    kind.element().is_some_and(|at| at.when.is_some())
}

fn is_fill(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Fill { .. })
}

fn is_copy(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Copy { .. })
}

fn is_sweep(kind: &OpKind) -> bool {
    is_fill(kind) || is_copy(kind)
}

/// The passes after inlining, in order.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "assume",
        contract: "a value that is assumed to be small is cut to so many bits, and the promise is gone",
        concerns: |kind| matches!(kind, OpKind::Assume { .. }),
        run: assume::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "tables",
        contract: "a local that only takes a table's contents is the table",
        concerns: is_copy,
        run: tables::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "fills",
        contract: "no fill of which nothing is seen: all that is read, or seen outside, is written before",
        concerns: is_fill,
        run: fills::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "conditions",
        contract: "what is always accessed is so under no condition, and what never is, is gone",
        concerns: is_conditional,
        run: conditions::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "table_elements",
        contract: "an element of a table is a constant where its place is one",
        concerns: is_access,
        run: table_elements::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "registers",
        contract: "a local array that is split completely is a register for each element",
        concerns: is_access,
        run: registers::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "delinearize",
        contract: "a loop whose counter is divided by a constant is a nest of two that count quotients and remainders",
        concerns: is_loop,
        run: delinearize::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "narrow",
        contract: "a loop that does something only under a condition on its counter has it as a bound",
        concerns: is_branch,
        run: narrow::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "distribute",
        contract: "a nest that writes arrays which have nothing to do with one another is a nest for each",
        concerns: is_loop,
        run: distribute::run,
        is_gamble: true,
        keeps_streams: false,
    },
    Pass {
        name: "clamps",
        contract: "an element at a place that is held inside of bounds is chosen from those around it",
        concerns: |kind| {
            matches!(
                kind,
                OpKind::Binary {
                    op: BinaryOp::Min | BinaryOp::Max,
                    ..
                }
            )
        },
        run: clamps::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "speculate",
        contract: "what branches load around a place is loaded in every iteration",
        concerns: is_branch,
        run: speculate::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "promote",
        contract: "an array element that a loop keeps coming back to stays in a register",
        concerns: is_loop,
        run: promote::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "promote_reads",
        contract: "elements that a loop reads in every iteration, more than ports serve at once, stay in registers",
        concerns: is_loop,
        run: promote::run_where_ports_are_short,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "scalar_expansion",
        contract: "what comes after a sum is a nest of its own, which takes the sums of all iterations from an array",
        concerns: is_loop,
        run: scalar_expansion::run,
        is_gamble: true,
        keeps_streams: false,
    },
    Pass {
        name: "first_rows",
        contract: "a loop before a nest that visits the same elements in each row is a part of the first row",
        concerns: is_loop,
        run: first_rows::run,
        is_gamble: true,
        keeps_streams: false,
    },
    Pass {
        name: "forward",
        contract: "elements first read after a fill take the fill's value, and the fill goes where nothing reads it",
        concerns: is_fill,
        run: forward::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "reuse",
        contract: "no load of a value that is at hand, no store that is overwritten unread, one store for two branches",
        concerns: is_access,
        run: reuse::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "reuse_sums",
        contract: "the same of elements whose subscripts come to the same, however they are written",
        concerns: is_access,
        run: reuse::run_sums,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "interleave",
        contract: "sums that do not depend on one another take turns, each in a memory of running values",
        concerns: is_loop,
        run: interleave::run,
        is_gamble: true,
        keeps_streams: false,
    },
    Pass {
        name: "align",
        contract: "rows of a stencil load the column that any of them comes to first",
        concerns: is_loop,
        run: align::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "window",
        contract: "a load of what an earlier iteration loaded or stored takes it from registers",
        concerns: is_loop,
        run: window::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "lines",
        contract: "a load of what a row before loaded in the same column takes it from a memory of one row",
        concerns: is_loop,
        run: lines::run,
        is_gamble: true,
        keeps_streams: false,
    },
    Pass {
        name: "bypass",
        contract: "where the data decide the element, a load takes what the iteration before stored from a register",
        concerns: is_loop,
        run: bypass::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "prologue",
        contract: "what is loaded before a loop is so in an iteration of its own, if ports cannot serve both in one",
        concerns: is_loop,
        run: prologue::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "balance",
        contract: "what an iteration adds to a carried integer is summed up first",
        concerns: is_loop,
        run: balance::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "expand",
        contract: "whole-array fills and copies become loops",
        concerns: is_sweep,
        run: expand::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "dead",
        contract: "what influences nothing is removed",
        concerns: is_any,
        run: dead::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "convert_branches",
        contract: "branches without loops become straight-line code with conditions on accesses",
        concerns: is_branch,
        run: convert_branches::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "turns",
        contract: "an iteration that gets several elements of a stream becomes as many, each of which gets one",
        concerns: |kind| matches!(kind, OpKind::Get { .. }),
        run: turns::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "lookahead",
        contract: "what is compared with a choice that a loop carries is compared with both before it is made",
        concerns: |kind| matches!(kind, OpKind::Compare { .. }),
        run: lookahead::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "counters",
        contract: "the remainder and the quotient of a counter by a constant are counted beside it",
        concerns: |kind| {
            matches!(
                kind,
                OpKind::Binary {
                    op: BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod,
                    ..
                }
            )
        },
        run: counters::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "flatten",
        contract: "code around an inner loop moves into it, so that nests are perfect",
        concerns: is_loop,
        run: flatten::run,
        is_gamble: false,
        keeps_streams: true,
    },
    Pass {
        name: "flatten_crowded",
        contract: "the same where what is around the inner loop shares ports of memories with it",
        concerns: is_loop,
        run: flatten::run_where_ports_are_shared,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "banks",
        contract: "a local array that nobody has split is split for the accesses that could be in one cycle",
        concerns: is_access,
        run: banks::run,
        is_gamble: true,
        keeps_streams: true,
    },
    Pass {
        name: "gather",
        contract: "accesses whose banks differ, whichever they are, stand side by side",
        concerns: is_access,
        run: gather::run,
        is_gamble: false,
        keeps_streams: true,
    },
];

/// Passes without which there is no hardware: of whole-array operations, of branches.
pub const REQUIRED: [&str; 2] = ["expand", "convert_branches"];

/// Inlines the top kernel, unrolls what is to be unrolled, and runs all passes but those named in `skip`, or up to the
/// one named `last`. If a gamble among them changed something, the kernel that went on without it follows.
///
/// Errors: a program too large to inline; a loop that cannot be unrolled as directed.
pub fn run(
    program: &Program,
    skip: &[String],
    last: Option<&str>,
) -> Result<Vec<Kernel>, Diagnostics> {
    let kernel = inline::inline(program)?;
    match last {
        Some(INLINE) => Ok(vec![kernel]),
        _ => {
            let offers = run_up_to(kernel, &Look::all(skip), last)?.into_iter();
            Ok(offers.map(|offer| offer.kernel).collect())
        }
    }
}

/// A kernel that the passes offer, and how it came about.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The kernel.
    pub kernel: Kernel,
    /// Passes that changed it, in order.
    pub done: Vec<&'static str>,
    /// Gambles that would have changed it, and did not.
    pub left_out: Vec<&'static str>,
    /// Which of the kernels it was before the last gamble.
    pub root: usize,
    /// Whether it goes on without that gamble: it is worth a look only if the one that goes on with it is the best.
    pub is_alternative: bool,
}

/// What is looked at of the kernels that the passes could offer.
#[derive(Clone, Debug)]
pub struct Look<'s> {
    /// Passes that do not run.
    pub skip: &'s [String],
    /// The offers that are worth it.
    pub worth: Worth,
}

impl<'s> Look<'s> {
    /// At all of them.
    pub fn all(skip: &'s [String]) -> Look<'s> {
        Look {
            skip,
            worth: Worth::all(),
        }
    }
}

/// As [`run`], of a kernel without calls, to the last pass.
pub fn run_on(kernel: Kernel, look: &Look) -> Result<Vec<Offer>, Diagnostic> {
    run_up_to(kernel, look, None)
}

fn run_up_to(kernel: Kernel, look: &Look, last: Option<&str>) -> Result<Vec<Offer>, Diagnostic> {
    let mut offers = vec![Offer {
        kernel,
        done: Vec::new(),
        left_out: Vec::new(),
        root: 0,
        is_alternative: false,
    }];
    for pass in PASSES {
        if pass.name == FIRST_UNROLLED {
            let concerned = offers.iter_mut().filter(|o| unroll::concerns(&o.kernel));
            for offer in concerned {
                unroll::run(&mut offer.kernel)?;
                offer.done.push(UNROLL);
                debug_check(&offer.kernel, UNROLL);
            }
            if last == Some(UNROLL) {
                break;
            }
        }
        let has_streams = |offer: &Offer| network::has_streams(&offer.kernel);
        let is_safe = pass.keeps_streams || !offers.iter().any(has_streams);
        if is_safe && (REQUIRED.contains(&pass.name) || !look.skip.iter().any(|s| s == pass.name)) {
            run_pass(pass, look, &mut offers);
        }
        if last == Some(pass.name) {
            break;
        }
    }
    for offer in &offers {
        validate_kernel(&offer.kernel).map_err(|invalid| {
            let message = format!("internal: the passes made an invalid kernel: {invalid}");
            let error = Diagnostic::error(codes::INTERNAL, offer.kernel.span, message);
            error.help("this is a bug of the compiler: please report it with the source")
        })?;
    }
    Ok(offers)
}

/// The first pass that sees loops unrolled. Those before it know a loop that visits all elements when they see it; this
/// one keeps the elements apart that unrolling tells apart.
const FIRST_UNROLLED: &str = "conditions";

/// What is no pass, as [`run`] calls it: the inlining of all calls, and the unrolling of loops for which it is
/// directed.
pub const FIRST: [&str; 2] = [INLINE, UNROLL];

const INLINE: &str = "inline";
/// The second of them.
pub const UNROLL: &str = "unroll";

/// The gamble that is taken with the best kernel alone: most kernels are concerned, and it hardly ever decides.
const LAST_GAMBLE: &str = "flatten_crowded";

fn run_pass(pass: &'static Pass, look: &Look, offers: &mut Vec<Offer>) {
    // What is known of the values of a long kernel, and a copy of it, take longer than to see that there is nothing to
    // do.
    let concerned = |offer: &Offer| offer.kernel.body.any_op(&|op| (pass.concerns)(&op.kind));
    if !offers.iter().any(concerned) {
        return;
    }
    let mut others = Vec::new();
    let is_last = pass.name == LAST_GAMBLE;
    for (number, offer) in offers.iter_mut().enumerate() {
        if is_last {
            offer.root = number;
        }
        let size = size(&offer.kernel);
        let is_wanted = pass.is_gamble && (look.worth.has_alternatives || !is_last);
        let before = is_wanted.then(|| offer.clone());
        (pass.run)(&mut offer.kernel);
        debug_check(&offer.kernel, pass.name);
        if size != self::size(&offer.kernel) {
            offer.done.push(pass.name);
            others.extend(before.map(|mut other| {
                other.left_out.push(pass.name);
                other.is_alternative |= is_last;
                other
            }));
        }
    }
    offers.extend(others);
    if pass.is_gamble {
        offers.retain(|offer| look.worth.allows(offer));
    }
}

/// What a pass that does something changes: values are never taken away, operations hardly ever replaced one by one, and those that
/// move do so from one block to another.
fn size(kernel: &Kernel) -> (usize, usize, usize, usize) {
    let splits = kernel.arrays.values().map(|array| array.partition.len());
    (
        kernel.values.len(),
        kernel.arrays.len(),
        operations(&kernel.body),
        splits.sum(),
    )
}

/// Operations of a block, those inside of others twice for each that they are in.
fn operations(block: &Block) -> usize {
    let each = block.ops.iter().map(|op| {
        let inner = op.kind.blocks().into_iter().map(operations);
        let inner = inner.fold(0, usize::wrapping_add);
        1 + inner.wrapping_mul(2)
    });
    each.fold(0, usize::wrapping_add)
}

fn debug_check(kernel: &Kernel, pass: &str) {
    if cfg!(debug_assertions)
        && let Err(invalid) = validate_kernel(kernel)
    {
        panic!("invalid ir after '{pass}': {invalid}");
    }
}
