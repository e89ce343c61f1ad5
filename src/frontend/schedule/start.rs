//! `kernel.schedule()`: the kernel is lowered, with the names of its module as they are then.

use super::errors::{Class, error};
use super::things::{Inner, Schedule, Scheduling, State, grid_of};
use crate::diagnostics::Diagnostic;
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, diagnostic};
use crate::frontend::kernel_ref::KernelRef;
use crate::frontend::session::Session;
use crate::frontend::world::World;
use crate::ir::Program;
use pyeval::Args;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What is counted for the making of a schedule, in steps of evaluation.
pub const STEPS: u64 = 20_000;

/// Most values in the programs of all schedules: each is lowered anew.
const MOST_VALUES: usize = 2_000_000;

/// A schedule of a kernel.
///
/// Errors: a kernel that is not concrete or has errors; too many schedules of large kernels.
pub fn start(world: &mut World, kernel: &KernelRef, args: &Args) -> Result<ConstValue> {
    args.only_named(&[], "schedule")?;
    args.expect(0, 0, "schedule")?;
    if world.scheduling.values > MOST_VALUES {
        let message = "the schedules of the file are too many and too large";
        return Err(Diagnostic::error(codes::LIMIT, args.span, message).into());
    }
    let mut session = Session::of(world.as_it_is());
    if !session.is_concrete(kernel) {
        let why = session.template_mismatch(kernel);
        return Err(error(Class::Type, args.span, why).into());
    }
    let worker = session.first_worker(kernel, args.span)?;
    let top = match session.instantiate_with(kernel, &[], worker.as_ref(), args.span) {
        Ok(top) if !session.failed() => top,
        other => {
            let failed = other.err().and_then(diagnostic);
            let first = session
                .into_diagnostics()
                .1
                .0
                .into_iter()
                .chain(failed)
                .next();
            let why = "the kernel has errors";
            let first = first.unwrap_or_else(|| error(Class::State, args.span, why));
            return Err(first.into());
        }
    };
    let definitions = session.definitions();
    let kernels = session.into_diagnostics().0;
    let program = Program { kernels, top };
    let state = State {
        program,
        definitions,
        asked: Default::default(),
        directives: Vec::new(),
        unrolled: BTreeSet::new(),
        composed: Vec::new(),
        spent: None,
    };
    world.scheduling.values += state.size() as usize;
    let name = &state.program.kernels[top].name;
    let grid = worker.map(|worker| grid_of(name, &worker.ids));
    let inner = Inner {
        kernel: kernel.clone(),
        grid,
        state: RefCell::new(state),
        payload: RefCell::default(),
    };
    Ok(Scheduling::Schedule(Schedule(Rc::new(inner))).into())
}
