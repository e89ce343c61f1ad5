//! Grids of workers: one call of a kernel that is as many processes.

use super::lowerer::Lowerer;
use super::scope::Local;
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::allo::{Allo, Builtin};
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::decorator::Mapping;
use crate::frontend::error::{Result, fail};
use crate::frontend::kernel_ref::KernelRef;
use crate::frontend::session::{Session, Worker};
use crate::frontend::values::{Operand, Value};
use crate::frontend::world::Bindings;
use crate::ir::grid::combinations;
use crate::ir::{Call, OpKind};
use num_traits::ToPrimitive;
use pyeval::Names;
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

/// Workers of a grid, at most.
const MOST: u64 = 1024;

impl<'a> Lowerer<'_, 'a> {
    /// A call for each worker; all have the same arguments.
    pub(super) fn call_grid(
        &mut self,
        kernel: &KernelRef,
        mapping: &Mapping,
        inferred: &[ConstValue],
        operands: &[Operand],
        span: Span,
    ) -> Result<Value> {
        let bindings = self.session.bind(kernel, span)?;
        let extents = extents(mapping, &bindings)?;
        let axes: Vec<Vec<u64>> = extents
            .iter()
            .map(|&extent| (0..extent).collect())
            .collect();
        let mut passed = None;
        for (number, ids) in (0..).zip(combinations(axes.iter())) {
            let extents = extents.clone();
            let worker = Worker { ids, extents };
            let id = self
                .session
                .instantiate_with(kernel, inferred, Some(&worker), span)?;
            let signature = self.session.signature(id).clone();
            if !signature.results.is_empty() {
                let message = "a grid of workers has no result: they write arrays or streams";
                return fail(codes::STREAM, span, message);
            }
            let args = match &passed {
                Some(args) => Vec::clone(args),
                None => passed.insert(self.passed(operands, &signature)?).clone(),
            };
            let call = Call {
                kernel: id,
                args,
                result_arrays: Vec::new(),
                worker: Some(number),
            };
            self.b.push(OpKind::Call(Box::new(call)), Vec::new(), span);
        }
        Ok(ConstValue::None.into())
    }

    /// The index of this worker on an axis, or the extent of the grid there.
    pub(super) fn worker_index(&mut self, extent: bool, e: &'a ast::ExprCall) -> Result<Value> {
        let span = self.span(e.range());
        let (what, axis) = match (extent, &*e.arguments.args, &*e.arguments.keywords) {
            (true, [axis], []) => ("get_nw", axis),
            (false, [axis], []) => ("get_wid", axis),
            _ => {
                let message = "an axis of the grid is needed, from 0";
                return fail(codes::ARGUMENTS, span, message);
            }
        };
        let Some(worker) = self.worker.clone() else {
            let message = format!("'{what}' is of a worker, and this kernel is none");
            return Err(Diagnostic::error(codes::STREAM, span, message)
                .help("a grid of workers is a kernel with @kernel(mapping=[...]) that another kernel calls")
                .into());
        };
        let axis_span = self.span(axis.range());
        let at = self.known(axis)?.as_int().and_then(|axis| axis.to_usize());
        let of = match extent {
            true => &worker.extents,
            false => &worker.ids,
        };
        match at.and_then(|at| of.get(at)) {
            Some(&number) => Ok(ConstValue::Int(number.into()).into()),
            None => {
                let message = format!("the grid has {} axes, counted from 0", of.len());
                fail(codes::INDEX_RANGE, axis_span, message)
            }
        }
    }

    /// Declares a name that is assigned a worker's index: it is known while compiling.
    pub(super) fn assign_worker_index(
        &mut self,
        target: &'a Expr,
        value: &'a Expr,
    ) -> Result<bool> {
        let (Expr::Name(name), Expr::Call(call)) = (target, value) else {
            return Ok(false);
        };
        let is_index = match self.known(&call.func) {
            Ok(callee) => matches!(Allo::builtin(&callee), Some(Builtin::Worker(_))),
            Err(_) => false,
        };
        if !is_index || self.scopes.get(&name.id).is_some() {
            return Ok(false);
        }
        if let Value::Const(index) = self.call(call)? {
            let span = self.span(name.range);
            self.declare(&name.id, Local::Const(index), span);
        }
        Ok(true)
    }
}

impl Session<'_> {
    /// The first worker of a grid, which stands for all of them; `None`: the kernel is no grid.
    pub fn first_worker(&mut self, kernel: &KernelRef, span: Span) -> Result<Option<Worker>> {
        let Some(mapping) = self.world.defs[kernel.def].mapping.clone() else {
            return Ok(None);
        };
        let extents = extents(&mapping, &self.bind(kernel, span)?)?;
        let ids = vec![0; extents.len()];
        Ok(Some(Worker { ids, extents }))
    }
}

fn extents(mapping: &Mapping, bindings: &Bindings) -> Result<Vec<u64>> {
    let (values, span) = mapping;
    let mut extents = Vec::new();
    for value in values {
        let value = match Allo::of(value) {
            Some(Allo::Template(template)) => {
                let mut bound = bindings.iter().rev();
                let bound = bound.find(|(one, _)| one == template);
                bound.map_or(value, |(_, bound)| bound)
            }
            _ => value,
        };
        match value.as_int().and_then(|extent| extent.to_u64()) {
            Some(extent) if extent > 0 => extents.push(extent),
            _ => return fail(codes::SHAPE, *span, "an extent of a grid is a positive int"),
        }
    }
    let count = extents.iter().try_fold(1u64, |n, d| n.checked_mul(*d));
    match count {
        Some(count) if count <= MOST => Ok(extents),
        _ => fail(
            codes::SHAPE,
            *span,
            format!("a grid has {MOST} workers at most"),
        ),
    }
}
