//! Schedules that a running program holds: between two calls of their methods they are data alone, which can go from
//! thread to thread.

use super::errors::{Class, error};
use super::things::{
    CONSTANTS, Inner, Ref, Schedule, Scheduling, State, Target, constant, grid_of,
};
use super::{call, primitives};
use crate::arena::Arena;
use crate::diagnostics::{Diagnostic, SourceMap, Span};
use crate::directives::{Asked, Directive};
use crate::frontend::Compiled;
use crate::frontend::allo::Allo;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::diagnostic;
use crate::frontend::kernel_ref::KernelRef;
use crate::ir::{KernelId, Program};
use pyeval::Args;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A schedule of a compiled kernel.
#[derive(Clone, Debug)]
pub struct Held {
    program: Program,
    definitions: BTreeMap<String, usize>,
    /// The number of the kernel's definition; in an argument of another schedule, the one that it has there, if it has one.
    definition: Option<usize>,
    /// Of a grid, what the names of its workers begin with.
    grid: Option<String>,
    asked: Asked,
    directives: Vec<Directive>,
    unrolled: BTreeSet<Target>,
    spent: Option<Diagnostic>,
}

/// A loop, an array, a kernel or a call of a schedule, as a reference between calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    target: Target,
    name: String,
}

impl Part {
    /// What it was called when the reference was made.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A schedule while a method of it is called.
pub struct Open {
    schedule: Schedule,
}

impl Held {
    /// One that says nothing yet; of the first worker of a grid with so many axes, if there are any.
    pub fn new(compiled: &Compiled, axes: usize) -> Held {
        let program = compiled.program.clone();
        let name = &program.kernels[program.top].name;
        let grid = (axes > 0).then(|| grid_of(name, &vec![0; axes]));
        Held {
            grid,
            definitions: compiled.definitions.clone(),
            ..Held::empty(program)
        }
    }

    /// The same as an argument of another schedule, where the kernel's definition has that number, if it has one.
    pub fn seen_from(self, definition: Option<usize>) -> Held {
        Held { definition, ..self }
    }

    /// Whether it is that of a worker, which stands for all of its grid.
    pub fn is_of_worker(&self) -> bool {
        self.grid.is_some()
    }

    fn empty(program: Program) -> Held {
        Held {
            program,
            definitions: BTreeMap::new(),
            // The kernel that is compiled is the first.
            definition: Some(0),
            grid: None,
            asked: Asked::default(),
            directives: Vec::new(),
            unrolled: BTreeSet::new(),
            spent: None,
        }
    }

    /// What it says.
    ///
    /// # Errors
    /// An earlier call on it has not come to its end.
    pub fn directives(&self) -> Result<&[Directive], Diagnostic> {
        match &self.spent {
            None => Ok(&self.directives),
            Some(spent) => Err(spent.clone()),
        }
    }

    /// The text of the ir as it is scheduled so far.
    pub fn payload(&self) -> String {
        crate::ir::print::print(&self.program, None)
    }

    /// Opens it for calls. References do not outlive this.
    pub fn open<R>(&mut self, calls: impl FnOnce(&Open) -> R) -> R {
        let open = Open {
            schedule: Schedule::of(std::mem::replace(self, Held::spent())),
        };
        let result = calls(&open);
        let state = open.schedule.0.state.replace(Held::spent().into());
        *self = Held {
            program: state.program,
            definitions: state.definitions,
            definition: Some(0),
            grid: open.schedule.0.grid.clone(),
            asked: state.asked,
            directives: state.directives,
            unrolled: state.unrolled,
            spent: state.spent,
        };
        result
    }

    /// What stands in the place of one that is open, and stays there if a call ends the thread.
    fn spent() -> Held {
        let why = "an earlier call has not come to its end";
        let program = Program {
            kernels: Arena::new(),
            top: KernelId::new(0),
        };
        Held {
            spent: Some(without_call(error(Class::State, Span::default(), why))),
            ..Held::empty(program)
        }
    }
}

impl From<Held> for State {
    fn from(held: Held) -> State {
        State {
            program: held.program,
            definitions: held.definitions,
            asked: held.asked,
            directives: held.directives,
            unrolled: held.unrolled,
            composed: Vec::new(),
            spent: held.spent,
        }
    }
}

impl Schedule {
    fn of(held: Held) -> Schedule {
        let kernel = KernelRef {
            def: held.definition.unwrap_or(usize::MAX),
            bindings: Rc::from([]),
        };
        Schedule(Rc::new(Inner {
            kernel,
            grid: held.grid.clone(),
            state: RefCell::new(held.into()),
            payload: RefCell::default(),
        }))
    }
}

impl Open {
    /// The schedule as an argument.
    pub fn value(&self) -> ConstValue {
        Scheduling::Schedule(self.schedule.clone()).into()
    }

    /// Another schedule as an argument.
    pub fn other(&self, other: Held) -> ConstValue {
        Scheduling::Schedule(Schedule::of(other)).into()
    }

    /// A reference as an argument: of this schedule, or of another one.
    pub fn part(&self, part: &Part, own: bool) -> ConstValue {
        let of = match own {
            true => self.schedule.clone(),
            false => Schedule::of(Held::spent()),
        };
        let Part { target, name } = part.clone();
        Scheduling::Ref(Ref { of, target, name }).into()
    }

    /// Calls a method by its name.
    ///
    /// # Errors
    /// There is none of the name; what the method says, with the code of a class of errors.
    pub fn call(
        &self,
        sources: &SourceMap,
        method: &str,
        args: &Args,
    ) -> Result<ConstValue, Diagnostic> {
        let Some(primitive) = primitives::named(method) else {
            let why = format!("a schedule has no method '{method}'");
            return Err(without_call(error(Class::Lookup, args.span, why)));
        };
        call::run(sources, &self.schedule, primitive, args).map_err(|failure| {
            let unknown = || error(Class::State, args.span, "it has errors");
            without_call(diagnostic(failure).unwrap_or_else(unknown))
        })
    }
}

/// The error without the places of calls, which are not in a file of the compilation.
fn without_call(mut wrong: Diagnostic) -> Diagnostic {
    wrong.span = wrong.span.filter(|span| *span != Span::default());
    wrong
        .notes
        .retain(|(span, _)| *span != Some(Span::default()));
    wrong
}

/// The reference that a result is.
pub fn part_of(value: &ConstValue) -> Option<Part> {
    match Allo::of(value) {
        Some(Allo::Scheduling(Scheduling::Ref(one))) => Some(Part {
            target: one.target.clone(),
            name: one.name.clone(),
        }),
        _ => None,
    }
}

/// Whether a result is a schedule: that of the call.
pub fn is_schedule(value: &ConstValue) -> bool {
    let thing = Allo::of(value);
    matches!(thing, Some(Allo::Scheduling(Scheduling::Schedule(_))))
}

/// A constant such as `Cyclic`.
pub fn named_constant(name: &str) -> Option<ConstValue> {
    constant(name).map(ConstValue::from)
}

/// The names of all constants.
pub fn constants() -> &'static [&'static str] {
    CONSTANTS
}

/// The names of all methods.
pub fn methods() -> Vec<&'static str> {
    primitives::names()
}
