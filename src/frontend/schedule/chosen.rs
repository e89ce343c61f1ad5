//! `--schedule NAME`: the schedule that a name of the file stands for, and whether all that was said of it was carried out.

use super::errors::{Class, error};
use super::things::{Schedule, Scheduling};
use crate::diagnostics::{Diagnostic, FileId, Span};
use crate::directives::Directive;
use crate::frontend::allo::Allo;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::Result;
use crate::frontend::kernel_ref::KernelRef;
use crate::frontend::world::{Binding, World};
use crate::frontend::{codes, scan};
use pyeval::{Frame, HostValue, Names};
use ruff_python_ast::Stmt;
use std::collections::BTreeSet;
use std::fmt::Display;

/// A schedule as it was made.
#[derive(Debug)]
pub struct Chosen {
    /// Whose it is.
    pub kernel: KernelRef,
    /// What it says.
    pub directives: Vec<Directive>,
}

/// The schedule of a name: a variable, or what a function without arguments returns.
///
/// Errors: there is none; a call of it failed, or a statement that has to do with it.
pub fn chosen(world: &mut World, file: FileId, body: &[Stmt], name: &str) -> Result<Chosen> {
    if world.sources.python.is_some() {
        let why = "a schedule is evaluated by the built-in evaluator: leave out --python";
        return Err(nowhere(Class::State, why).into());
    }
    let value = match world.modules[0].globals.get(name) {
        Some(Binding::Value(value)) => value.clone(),
        Some(Binding::Poisoned { reason, span }) => {
            let failed = world.scheduling.failed.iter();
            let mut failed = failed.filter(|(_, wrong)| wrong.message == *reason);
            return Err(match failed.next() {
                Some((_, wrong)) => wrong.clone().into(),
                None => {
                    let why = format!("'{name}' has no value at compile time: {reason}");
                    Diagnostic::error(codes::POISONED, *span, why).into()
                }
            });
        }
        Some(Binding::Kept(_)) | None => return Err(none(world, name).into()),
    };
    let of_call = match &value {
        ConstValue::Function(function) => {
            let span = function.span();
            let names: &mut dyn Names = &mut Frame::of_module(world, file, 0);
            Some(names.call_with(&value, Vec::new(), span)?)
        }
        _ => None,
    };
    let is_variable = of_call.is_none();
    let value = of_call.unwrap_or(value);
    let Some(schedule) = schedule_of(&value) else {
        let why = match is_variable {
            true => format!("'{name}' is {}, not a schedule", value.kind()),
            false => format!("'{name}()' gives {}, not a schedule", value.kind()),
        };
        return Err(nowhere(Class::Type, why).into());
    };
    if is_variable {
        check_statements(world, body, schedule)?;
    }
    let state = schedule.0.state.borrow();
    Ok(Chosen {
        kernel: schedule.0.kernel.clone(),
        directives: state.directives.clone(),
    })
}

fn none(world: &World, name: &str) -> Diagnostic {
    let globals = world.modules[0].globals.iter();
    let known = globals.filter(|(_, binding)| is_schedule(binding));
    let known: Vec<&str> = known.map(|(name, _)| name.as_str()).collect();
    let error = nowhere(Class::Lookup, format!("there is no schedule '{name}'"));
    match known.is_empty() {
        true => error,
        false => error.note(format!(
            "the schedules of the file are: {}",
            known.join(", ")
        )),
    }
}

fn is_schedule(binding: &Binding) -> bool {
    matches!(binding, Binding::Value(value) if schedule_of(value).is_some())
}

/// An error that has no place in the file.
fn nowhere(class: Class, why: impl Display) -> Diagnostic {
    Diagnostic {
        span: None,
        ..error(class, Span::default(), why)
    }
}

/// A statement that could not be executed and has to do with the schedule may have been part of it.
///
/// What the module level cannot execute is left out otherwise.
fn check_statements(world: &World, body: &[Stmt], schedule: &Schedule) -> Result<()> {
    let globals = &world.modules[0].globals;
    let concerned = |name: &str| match globals.get(name) {
        Some(Binding::Value(value)) => has_part(value, schedule),
        _ => false,
    };
    for (stmt, wrong) in &world.scheduling.failed {
        if reads(stmt, body).iter().any(|name| concerned(name)) {
            return Err(wrong.clone().into());
        }
    }
    // Callees are not called by what they call: this ends.
    let composed = &schedule.0.state.borrow().composed;
    let mut composed = composed.iter();
    composed.try_for_each(|callee| check_statements(world, body, callee))
}

/// Whether a value is the schedule or a reference into it, or holds one.
fn has_part(value: &ConstValue, schedule: &Schedule) -> bool {
    let is_part = |value: &ConstValue| match Allo::of(value) {
        Some(Allo::Scheduling(Scheduling::Schedule(one))) => one.is(schedule),
        Some(Allo::Scheduling(Scheduling::Ref(one))) => one.of.is(schedule),
        _ => false,
    };
    match value {
        ConstValue::Tuple(items) => items.iter().any(is_part),
        ConstValue::List(items) => items.get().iter().any(is_part),
        other => is_part(other),
    }
}

/// The names that a statement reads, and those that functions of the file read which it may call.
fn reads(stmt: &Stmt, body: &[Stmt]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut work = vec![stmt];
    while let Some(stmt) = work.pop() {
        for name in scan::names_read(stmt) {
            if all.insert(name.clone()) {
                let defined = |stmt: &&Stmt| match stmt {
                    Stmt::FunctionDef(f) => *f.name.id == *name,
                    _ => false,
                };
                work.extend(body.iter().filter(defined));
            }
        }
    }
    all
}

impl Chosen {
    /// Makes sure that it is the schedule of a kernel.
    ///
    /// Errors: it is another one's.
    pub fn check(&self, name: &str, top: &KernelRef, called: [String; 2]) -> Result<()> {
        let own = Allo::Kernel(self.kernel.clone());
        if own.equals(&Allo::Kernel(top.clone())) {
            return Ok(());
        }
        let [own, top] = called;
        let why = format!("'{name}' is a schedule of '{own}', and the top kernel is '{top}'");
        Err(nowhere(Class::State, why).into())
    }
}

/// The schedule that a value is.
pub fn schedule_of(value: &ConstValue) -> Option<&Schedule> {
    match Allo::of(value) {
        Some(Allo::Scheduling(Scheduling::Schedule(schedule))) => Some(schedule),
        _ => None,
    }
}
