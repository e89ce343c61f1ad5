//! Instances of kernels: each definition with its templates bound is lowered once.

use super::codes;
use super::constant::ConstValue;
use super::error::{Failure, Result, fail};
use super::kernel_ref::KernelRef;
use super::lower;
use super::session::{Frame, Progress, Session, Worker};
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::KernelId;

impl Session<'_> {
    /// The kernel of a definition with its templates bound, lowered on first use.
    ///
    /// # Errors
    /// Also when it was lowered before with errors, or is being lowered: recursion.
    pub fn instantiate(&mut self, kernel: &KernelRef, call: Span) -> Result<KernelId> {
        self.instantiate_with(kernel, &[], None, call)
    }

    /// As [`Self::instantiate`]; `inferred` are the types of the parameters without annotation, in order, `worker` which one of
    /// a grid it is.
    pub fn instantiate_with(
        &mut self,
        kernel: &KernelRef,
        inferred: &[ConstValue],
        worker: Option<&Worker>,
        call: Span,
    ) -> Result<KernelId> {
        let bindings = self.bind(kernel, call)?;
        let mut suffix = instance_suffix(kernel.bindings.iter().chain(inferred));
        let ids = worker.iter().flat_map(|worker| &worker.ids);
        suffix.extend(ids.map(|id| format!("_{id}")));
        let key = (kernel.def, suffix.clone());
        let name = self.world.defs[kernel.def].ast.name.id.to_string();
        match self.instances.get(&key) {
            Some(Progress::Done(id)) => return Ok(*id),
            Some(Progress::Failed) => return Err(Failure::Reported),
            Some(Progress::Running) => {
                return Err(Diagnostic::error(
                    codes::RECURSION,
                    call,
                    format!("recursive call of kernel '{name}'"),
                )
                .help("write a loop instead")
                .into());
            }
            None => {}
        }
        // Of a grid there are as many as it has workers.
        self.workers += usize::from(worker.is_some());
        if self.instances.len() >= self.instance_limit + self.workers {
            return fail(codes::INSTANCES, call, "more than 256 kernel instances");
        }
        let unique = self.unique_name(&format!("{name}{suffix}"));
        self.kernel_names.insert(unique.clone());
        self.instances.insert(key.clone(), Progress::Running);
        self.stack.push(Frame { kernel: name, call });
        let before = self.errors();
        let lowered = lower::kernel(self, kernel.def, unique, bindings, inferred, worker);
        let outcome = match lowered {
            Ok((kernel, signature)) if self.errors() == before => {
                let id = self.kernels.push(kernel);
                self.signatures.push(signature);
                Some(id)
            }
            Ok(_) => None,
            Err(failure) => {
                self.report(failure);
                None
            }
        };
        self.stack.pop();
        self.instances
            .insert(key, outcome.map_or(Progress::Failed, Progress::Done));
        outcome.ok_or(Failure::Reported)
    }
}

fn instance_suffix<'v>(bindings: impl Iterator<Item = &'v ConstValue>) -> String {
    bindings
        .map(|b| {
            let text: String = b
                .text()
                .chars()
                .map(|c| match c {
                    '-' => 'm',
                    '.' => 'p',
                    c if c.is_ascii_alphanumeric() => c,
                    _ => '_',
                })
                .collect();
            format!("_{text}")
        })
        .collect()
}
