//! Schedules as values of Python: a schedule, what belongs to it, and the constants that its primitives take.
//!
//! A schedule has a program of its own, made when `kernel.schedule()` is called, and every primitive is carried out on it at
//! once; what it comes to is the list of directives that flags could say as well. A loop is known by its induction
//! variable and an array by its handle, so that a reference means the same loop for as long as there is one.

mod call;
mod chosen;
mod compose;
pub mod held;
mod primitives;
mod start;

use super::allo::KernelRef;
use super::codes;
use super::values::ConstValue;
use super::world::World;
use crate::diagnostics::{Diagnostic, Span};
use crate::directives::{Asked, Directive};
use crate::ir::{ArrayId, Program, ValueId};
use pyeval::{Args, Failure, Names, Result};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use chosen::{Chosen, chosen};
pub use primitives::Primitive;

/// A thing of schedules.
#[derive(Clone, Debug)]
pub enum Scheduling {
    /// `kernel.schedule`.
    Start(KernelRef),
    /// A schedule.
    Schedule(Schedule),
    /// A method of one.
    Method(Schedule, &'static Primitive),
    /// A loop, an array or a kernel of one.
    Ref(Ref),
    /// A constant, such as `s.Cyclic`.
    Constant(&'static str),
    /// The class `Schedule`, which has the constants as well.
    Class,
    /// What `export` gives.
    Exported,
}

/// A schedule, shared by all that refer to it.
#[derive(Clone, Debug)]
pub struct Schedule(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    kernel: KernelRef,
    /// Of a grid, what the names of its workers begin with; the schedule is that of the first one.
    grid: Option<String>,
    state: RefCell<State>,
    /// The text of the ir, and after how many directives.
    payload: RefCell<Option<(usize, ConstValue)>>,
}

/// What the names of a grid's workers begin with, of the name of one of them.
fn grid_of(worker: &str, ids: &[u64]) -> String {
    let ids: String = ids.iter().map(|id| format!("_{id}")).collect();
    format!("{}_", worker.strip_suffix(&ids).unwrap_or(worker))
}

/// How far a schedule is.
#[derive(Clone, Debug)]
struct State {
    program: Program,
    /// Which definition each of its kernels was made of.
    definitions: BTreeMap<String, usize>,
    /// Which directive split an array.
    asked: Asked,
    /// What was carried out.
    directives: Vec<Directive>,
    /// Loops of which nothing stays, though they still stand in the program.
    unrolled: BTreeSet<Target>,
    /// Schedules of callees that it says again.
    composed: Vec<Schedule>,
    /// Why it is of no use: a call has ended the thread.
    spent: Option<Diagnostic>,
}

/// What a reference is to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// The loop of a kernel with this mark.
    Loop(String, ValueId),
    Array(String, ArrayId),
    Kernel(String),
    /// Calls of a kernel.
    Call(String),
    /// The loop or array of this name in each kernel that was made of one text: of each worker of a grid.
    Copies(String),
}

/// A reference to a part of a schedule's program.
#[derive(Clone, Debug)]
pub struct Ref {
    of: Schedule,
    target: Target,
    /// What it was called when the reference was made.
    name: String,
}

/// The constants of schedules.
const CONSTANTS: &[&str] = &[
    "Complete", "Block", "Cyclic", "Skew", "BRAM", "LUTRAM", "URAM", "ROM", "Register", "RAM_1P",
    "RAM_2P", "RAM_S2P", "RAM_T2P", "RAM_1WNR", "ROM_1P", "ROM_2P", "ROM_NP", "FIFO",
];

fn constant(name: &str) -> Option<Scheduling> {
    let found = CONSTANTS.iter().find(|known| **known == name)?;
    Some(Scheduling::Constant(found))
}

impl Scheduling {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Scheduling::Start(_) | Scheduling::Method(..) => "a method",
            Scheduling::Schedule(_) => "a schedule",
            Scheduling::Ref(one) => one.kind(),
            Scheduling::Constant(_) => "a constant of schedules",
            Scheduling::Class => "the class 'Schedule'",
            Scheduling::Exported => "an exported kernel, which exists in Python alone",
        }
    }

    /// Its text.
    pub fn text(&self) -> String {
        match self {
            Scheduling::Constant(name) => (*name).to_string(),
            Scheduling::Ref(one) => format!("<{} '{}'>", one.kind(), one.name),
            other => format!("<{}>", other.kind()),
        }
    }

    /// Whether it is the same as another one.
    pub fn equals(&self, other: &Scheduling) -> bool {
        match (self, other) {
            (Scheduling::Schedule(a), Scheduling::Schedule(b)) => a.is(b),
            (Scheduling::Ref(a), Scheduling::Ref(b)) => a.of.is(&b.of) && a.target == b.target,
            (Scheduling::Constant(a), Scheduling::Constant(b)) => a == b,
            _ => false,
        }
    }

    /// What tells it from others in a dict or set.
    pub fn key(&self) -> Option<String> {
        match self {
            Scheduling::Schedule(one) => Some(format!("schedule {:p}", Rc::as_ptr(&one.0))),
            Scheduling::Ref(one) => {
                let of = Rc::as_ptr(&one.of.0);
                Some(format!("part {of:p} {:?}", one.target))
            }
            Scheduling::Constant(name) => Some(format!("constant {name}")),
            _ => None,
        }
    }

    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<ConstValue> {
        match self {
            Scheduling::Schedule(one) if name == "payload" => Some(one.payload()),
            Scheduling::Schedule(one) => {
                let method = |p| Scheduling::Method(one.clone(), p).into();
                let method = primitives::named(name).map(method);
                method.or_else(|| Some(constant(name)?.into()))
            }
            Scheduling::Class => Some(constant(name)?.into()),
            Scheduling::Ref(one) if name == "name" => Some(ConstValue::str(&one.name)),
            _ => None,
        }
    }

    /// Whether Python can call it.
    pub fn callable(&self) -> bool {
        matches!(self, Scheduling::Start(_) | Scheduling::Method(..))
    }

    /// Counts the time that a call takes.
    pub fn charge(&self, span: Span, names: &mut dyn Names) -> Result<()> {
        match self {
            Scheduling::Start(_) => names.tick(span, start::STEPS),
            Scheduling::Method(of, _) => names.tick(span, of.0.state.borrow().size()),
            _ => Ok(()),
        }
    }
}

impl Schedule {
    fn is(&self, other: &Schedule) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The text of the ir as it is scheduled so far, made once for what was said so far.
    fn payload(&self) -> ConstValue {
        let state = self.0.state.borrow();
        let mut payload = self.0.payload.borrow_mut();
        match &*payload {
            Some((said, text)) if *said == state.directives.len() => text.clone(),
            _ => {
                let text = ConstValue::str(&crate::ir::print::print(&state.program, None));
                *payload = Some((state.directives.len(), text.clone()));
                text
            }
        }
    }
}

impl State {
    /// Operations, which is what looking for a loop takes.
    fn size(&self) -> u64 {
        let kernels = self.program.kernels.iter();
        kernels.map(|(_, kernel)| kernel.values.len() as u64).sum()
    }
}

impl Ref {
    fn kind(&self) -> &'static str {
        match self.target {
            Target::Loop(..) => "a loop of a schedule",
            Target::Array(..) => "a buffer of a schedule",
            Target::Kernel(_) => "a kernel of a schedule",
            Target::Call(_) => "a call of a schedule",
            Target::Copies(_) => "a name in several kernels",
        }
    }
}

impl From<Scheduling> for ConstValue {
    fn from(thing: Scheduling) -> ConstValue {
        super::allo::Allo::Scheduling(thing).into()
    }
}

/// Calls a thing of schedules; `None` if it cannot be called, or if no schedule is asked for.
pub fn call(
    world: &mut World,
    thing: &Scheduling,
    args: &Args,
) -> Option<std::result::Result<ConstValue, Failure>> {
    if !world.scheduling.wanted {
        return None;
    }
    match thing {
        Scheduling::Start(kernel) => Some(start::start(world, kernel, args)),
        Scheduling::Method(of, primitive) => Some(call::run(world.sources, of, primitive, args)),
        _ => None,
    }
}

/// The classes of errors, as published, each with its code.
#[derive(Clone, Copy, Debug)]
pub enum Class {
    Lookup,
    Ambiguous,
    Consumed,
    State,
    Type,
    Argument,
    Transform,
}

/// An error of a class.
fn error(class: Class, span: Span, why: impl std::fmt::Display) -> Diagnostic {
    let (name, code) = match class {
        Class::Lookup => ("ScheduleLookupError", codes::SCHEDULE_LOOKUP),
        Class::Ambiguous => ("AmbiguousLookupError", codes::SCHEDULE_AMBIGUOUS),
        Class::Consumed => ("ConsumedHandleError", codes::SCHEDULE_CONSUMED),
        Class::State => ("ScheduleStateError", codes::SCHEDULE_STATE),
        Class::Type => ("ScheduleTypeError", codes::SCHEDULE_TYPE),
        Class::Argument => ("InvalidScheduleArgumentError", codes::SCHEDULE_ARGUMENT),
        Class::Transform => ("ScheduleTransformError", codes::SCHEDULE_TRANSFORM),
    };
    Diagnostic::error(code, span, format!("{name}: {why}"))
}
