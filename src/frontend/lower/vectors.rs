//! Variables that hold vectors or masks: declared, assigned, and carried through loops and branches.

use super::lowerer::Lowerer;
use super::scope::Local;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::builder::state::{Builder, Vector, VectorType};
use crate::frontend::error::Result;
use crate::frontend::pto::classes;
use crate::frontend::pto::legality::Family;
use crate::frontend::values::{Operand, Value, describe};
use crate::frontend::{codes, scan};
use crate::ir::ArrayId;
use indexmap::IndexMap;
use ruff_python_ast::{Expr, Stmt};
use std::rc::Rc;

/// Vectors that a block may assign, each with an array that has its lanes whenever the block begins and when it ends.
pub(super) struct Homes(Vec<Home>);

struct Home {
    name: String,
    ty: VectorType,
    array: ArrayId,
}

impl Home {
    /// What the name stands for where a block begins and after it.
    fn vector(&self) -> Local {
        Local::Vector(Builder::vector_in(self.ty, self.array))
    }
}

impl<'a> Lowerer<'_, 'a> {
    /// `name: vreg[T] = value` or `name: mask[N] = value`.
    pub(super) fn declare_vector(
        &mut self,
        name: &str,
        ty: VectorType,
        value: Option<&'a Expr>,
        span: Span,
    ) -> Result<()> {
        self.check_pto(&ty.to_string(), span)?;
        classes::check_profile(ty.elem, self.options.profile, span)?;
        let Some(expr) = value else {
            let message = format!("'{name}' needs an initialiser: a {ty} is a value");
            return Err(Diagnostic::error(codes::UNINITIALISED, span, message).into());
        };
        let operand = self.operand(expr)?;
        let vector = of_type(&operand, ty)?;
        self.check_undeclared(name, span)?;
        self.declare(name, Local::Vector(vector), span);
        Ok(())
    }

    /// `name = value` of a variable that holds vectors of the type.
    pub(super) fn assign_vector(
        &mut self,
        name: &str,
        ty: VectorType,
        operand: &Operand,
    ) -> Result<()> {
        let vector = of_type(operand, ty)?;
        self.scopes.rebind(name, Local::Vector(vector));
        Ok(())
    }

    /// Names of vectors visible here that the statements may assign.
    pub(super) fn assigned_vectors(&self, body: &[Stmt]) -> Vec<(String, Rc<Vector>)> {
        let names = scan::assigned_names(body).into_keys();
        names
            .filter_map(|name| match &self.scopes.get(&name)?.local {
                Local::Vector(vector) => Some((name, vector.clone())),
                _ => None,
            })
            .collect()
    }

    /// Gives the vectors that blocks may assign a home each, before they begin.
    pub(super) fn enter_vectors(&mut self, bodies: &[&[Stmt]], span: Span) -> Homes {
        let mut named: IndexMap<String, Rc<Vector>> = IndexMap::new();
        let assigned = bodies.iter().flat_map(|body| self.assigned_vectors(body));
        for (name, vector) in assigned {
            named.entry(name).or_insert(vector);
        }
        let types: Vec<_> = named.iter().map(|(name, v)| (name.clone(), v.ty)).collect();
        let arrays = self.b.homes(named.into_values().collect(), span);
        let homes = types.into_iter().zip(arrays);
        let homes = homes.map(|((name, ty), array)| Home { name, ty, array });
        let homes = Homes(homes.collect());
        self.at_home(&homes);
        homes
    }

    /// Takes the vectors home at the end of a block; they are as they were at its beginning then, as far as names go.
    pub(super) fn leave_vectors(&mut self, homes: &Homes, span: Span) {
        let mut moved: Vec<(Rc<Vector>, ArrayId)> = Vec::new();
        for home in &homes.0 {
            let now = self.scopes.get(&home.name).map(|declared| &declared.local);
            match now {
                Some(Local::Vector(now)) if now.array() != Some(home.array) => {
                    moved.push((now.clone(), home.array));
                }
                _ => {}
            }
        }
        self.at_home(homes);
        self.b.write_lanes(moved, span);
    }

    fn at_home(&mut self, homes: &Homes) {
        for home in &homes.0 {
            self.scopes.rebind(&home.name, home.vector());
        }
    }

    /// Refuses what belongs to the typing style "pto" in kernels of another one.
    pub(super) fn check_pto(&self, what: &str, span: Span) -> Result<()> {
        use crate::frontend::promote::Style;
        if self.options.style == Style::Pto {
            return Ok(());
        }
        let message = format!("'{what}' stands in kernels of the typing style \"pto\"");
        Err(Diagnostic::error(codes::PTO_PLACE, span, message)
            .help("write `@kernel(options=KernelOptions(typing_style=\"pto\"))`")
            .into())
    }
}

/// The vector that a value is, of exactly the type.
fn of_type(operand: &Operand, ty: VectorType) -> Result<Rc<Vector>> {
    match &operand.value {
        Value::Vector(vector) if vector.ty == ty => Ok(vector.clone()),
        other => {
            let message = format!("{} where {ty} is needed", describe(other));
            Family::Type.refuse(message, operand.span)
        }
    }
}
