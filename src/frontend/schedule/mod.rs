//! Schedules as values of Python: a schedule, what belongs to it, and the constants that its primitives take.
//!
//! A schedule has a program of its own, made when `kernel.schedule()` is called, and every primitive is carried out on it at
//! once; what it comes to is the list of directives that flags could say as well. A loop is known by its induction
//! variable and an array by its handle, so that a reference means the same loop for as long as there is one.

mod call;
pub mod chosen;
mod compose;
mod errors;
pub mod held;
mod primitives;
mod start;
pub mod things;

use self::call::Primitive;
use self::things::{Scheduling, constant};
use super::constant::ConstValue;
use super::world::World;
use crate::diagnostics::Span;
use pyeval::{Args, Names, Result};

impl Scheduling {
    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<ConstValue> {
        match self {
            Scheduling::Schedule(one) if name == "payload" => Some(one.payload()),
            Scheduling::Schedule(one) => {
                let method = |p: &Primitive| Scheduling::Method(one.clone(), p.name).into();
                let method = primitives::named(name).map(method);
                method.or_else(|| Some(constant(name)?.into()))
            }
            Scheduling::Class => Some(constant(name)?.into()),
            Scheduling::Ref(one) if name == "name" => Some(ConstValue::str(&one.name)),
            _ => None,
        }
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

/// Calls a thing of schedules; `None` if it cannot be called.
pub fn call(world: &mut World, thing: &Scheduling, args: &Args) -> Option<Result<ConstValue>> {
    match thing {
        Scheduling::Start(kernel) => Some(start::start(world, kernel, args)),
        Scheduling::Method(of, name) => {
            let primitive = primitives::named(name)?;
            Some(call::run(world.sources, of, primitive, args))
        }
        _ => None,
    }
}
