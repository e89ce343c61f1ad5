//! A schedule, what belongs to it, and the constants that its primitives take, as values of Python.

use crate::diagnostics::Diagnostic;
use crate::directives::{Asked, Directive};
use crate::frontend::constant::ConstValue;
use crate::frontend::kernel_ref::KernelRef;
use crate::ir::{ArrayId, Program, ValueId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A thing of schedules.
#[derive(Clone, Debug)]
pub enum Scheduling {
    /// `kernel.schedule`.
    Start(KernelRef),
    /// A schedule.
    Schedule(Schedule),
    /// A method of one, by its name.
    Method(Schedule, &'static str),
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
pub struct Schedule(pub(super) Rc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) kernel: KernelRef,
    /// Of a grid, what the names of its workers begin with; the schedule is that of the first one.
    pub(super) grid: Option<String>,
    pub(super) state: RefCell<State>,
    /// The text of the ir, and after how many directives.
    pub(super) payload: RefCell<Option<(usize, ConstValue)>>,
}

/// What the names of a grid's workers begin with, of the name of one of them.
pub(super) fn grid_of(worker: &str, ids: &[u64]) -> String {
    let ids: String = ids.iter().map(|id| format!("_{id}")).collect();
    format!("{}_", worker.strip_suffix(&ids).unwrap_or(worker))
}

/// How far a schedule is.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) program: Program,
    /// Which definition each of its kernels was made of.
    pub(super) definitions: BTreeMap<String, usize>,
    /// Which directive split an array.
    pub(super) asked: Asked,
    /// What was carried out.
    pub(super) directives: Vec<Directive>,
    /// Loops of which nothing stays, though they still stand in the program.
    pub(super) unrolled: BTreeSet<Target>,
    /// Schedules of callees that it says again.
    pub(super) composed: Vec<Schedule>,
    /// Why it is of no use: a call has ended the thread.
    pub(super) spent: Option<Diagnostic>,
}

/// What a reference is to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
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
    pub(super) of: Schedule,
    pub(super) target: Target,
    /// What it was called when the reference was made.
    pub(super) name: String,
}

/// The constants of schedules.
pub(super) const CONSTANTS: &[&str] = &[
    "Complete", "Block", "Cyclic", "Skew", "BRAM", "LUTRAM", "URAM", "ROM", "Register", "RAM_1P",
    "RAM_2P", "RAM_S2P", "RAM_T2P", "RAM_1WNR", "ROM_1P", "ROM_2P", "ROM_NP", "FIFO",
];

pub(super) fn constant(name: &str) -> Option<Scheduling> {
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

    /// Whether Python can call it.
    pub fn callable(&self) -> bool {
        matches!(self, Scheduling::Start(_) | Scheduling::Method(..))
    }
}

impl Schedule {
    pub(super) fn is(&self, other: &Schedule) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The text of the ir as it is scheduled so far, made once for what was said so far.
    pub(super) fn payload(&self) -> ConstValue {
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
    pub(super) fn size(&self) -> u64 {
        let kernels = self.program.kernels.iter();
        kernels.map(|(_, kernel)| kernel.values.len() as u64).sum()
    }
}

impl Ref {
    pub(super) fn kind(&self) -> &'static str {
        match self.target {
            Target::Loop(..) => "a loop of a schedule",
            Target::Array(..) => "a buffer of a schedule",
            Target::Kernel(_) => "a kernel of a schedule",
            Target::Call(_) => "a call of a schedule",
            Target::Copies(_) => "a name in several kernels",
        }
    }
}
