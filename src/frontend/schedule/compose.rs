//! `compose`: what the schedule of a callee says, said again of the callee in this schedule.

use super::call::{Call, Done};
use super::chosen::schedule_of;
use super::errors::Class;
use super::things::Schedule;
use crate::diagnostics::Span;
use crate::directives::{self, Directive, Found, Named, Names};
use crate::frontend::constant::ConstValue;
use crate::ir::{KernelId, OpKind, Program};
use std::collections::BTreeSet;

impl Call<'_> {
    /// Says of the kernels that the schedule's own one calls what their own schedule says: in all calls, or in the `id`-th.
    ///
    /// Errors: it is no schedule of such a kernel, or of no use; a kernel further inside that others call, too.
    pub fn compose(&mut self, callee: &ConstValue, id: Option<u64>) -> Done<()> {
        let Some(callee) = schedule_of(callee) else {
            let why = format!("a schedule is composed, not {}", callee.kind());
            return Err(self.wrong(Class::Type, why));
        };
        let (name, text, directives) = self.said_by(callee)?;
        let owns = match (&callee.0.grid, id) {
            (Some(grid), None) => self.workers(text, grid),
            (_, None) => vec![self.instance(&self.made_of(callee, &name), None)?],
            (_, Some(id)) => {
                let own = self.made_of(callee, &name);
                let id = self.own_number(&own, &name, id);
                vec![self.instance(&own, Some(id))?]
            }
        };
        for own in owns {
            for mut directive in directives.clone() {
                directive.for_each_name(|kind, text| {
                    if kind != Named::Kernel {
                        *text = self.translated(kind, text, (&name, &own))?;
                    } else if *text == name {
                        text.clone_from(&own);
                    }
                    Ok(())
                })?;
                self.direct(directive)?;
            }
        }
        self.changed().composed.push(callee.clone());
        Ok(())
    }

    /// What this program calls the kernel of a schedule, which calls it `name`.
    fn made_of(&self, callee: &Schedule, name: &str) -> String {
        let definitions = self.state.definitions.iter();
        let made = definitions.filter(|(_, def)| **def == callee.0.kernel.def);
        let made: Vec<&String> = made.map(|(own, _)| own).collect();
        match made[..] {
            [own] => own.clone(),
            _ => name.to_string(),
        }
    }

    /// Which of the calls of `own` is meant by a number: it counts these, or, where there are not so many, the calls of all
    /// kernels that were called `name`.
    fn own_number(&self, own: &str, name: &str, id: u64) -> u64 {
        let program = &self.state.program;
        let caller = &program.kernels[program.top].name;
        let counted = directives::count_calls(program, &self.state.asked, (own, caller));
        if counted.is_ok_and(|count| id < count) {
            return id;
        }
        let (mut of_own, mut of_name) = (0, 0);
        let mut meant = None;
        program.kernels[program.top].body.for_each_op(&mut |op| {
            let OpKind::Call(call) = &op.kind else { return };
            let called = &program.kernels[call.kernel].name;
            if of_name == id && called == own {
                meant = Some(of_own);
            }
            of_own += u64::from(called == own);
            of_name += u64::from(called == name || directives::is_instance(name, called));
        });
        meant.unwrap_or(id)
    }

    /// The workers of a grid that was made of a text.
    fn workers(&self, text: Span, grid: &str) -> Vec<String> {
        let made_of = |is_text: &dyn Fn(Span) -> bool| {
            let kernels = self.state.program.kernels.values();
            let workers = kernels.filter(|one| is_text(one.span) && one.name.starts_with(grid));
            let names: Vec<String> = workers.map(|kernel| kernel.name.clone()).collect();
            names
        };
        match made_of(&|span| span == text) {
            // Of what was compiled by itself files have other numbers.
            none if none.is_empty() => {
                made_of(&|span| (span.start, span.end) == (text.start, text.end))
            }
            workers => workers,
        }
    }

    /// The name and the text of a schedule's kernel, and what was said of it.
    fn said_by(&self, callee: &Schedule) -> Done<(String, Span, Vec<Directive>)> {
        // The own schedule is being changed.
        let state = callee.0.state.try_borrow();
        let Ok(state) = state else {
            return Err(self.wrong(Class::Type, "a schedule is not composed with itself"));
        };
        if let Some(spent) = &state.spent {
            return Err(spent.clone());
        }
        let kernel = &state.program.kernels[state.program.top];
        Ok((kernel.name.clone(), kernel.span, state.directives.clone()))
    }

    /// The kernel of all direct calls, or of the `id`-th, and of no others: a copy, if others share it.
    fn instance(&mut self, name: &str, id: Option<u64>) -> Done<String> {
        let callee = self.kernel(name)?;
        let program = &self.state.program;
        let caller = program.kernels[program.top].name.clone();
        let meant = directives::check_call(program, &self.state.asked, (name, &caller), id)
            .map_err(|(_, why)| self.wrong(Class::Lookup, why))?;
        if meant == directives::calls(program, callee) {
            return Ok(name.to_string());
        }
        self.made_kernel(Directive::Instance {
            kernel: name.to_string(),
            caller,
            id,
        })
    }

    /// What is called so in a callee's schedule, as it is called in this one.
    fn translated(&self, kind: Named, text: &str, (old, new): (&str, &str)) -> Done<String> {
        let text = match text.split_once('/') {
            Some((kernel, rest)) if kernel == old => format!("{new}/{rest}"),
            _ => text.to_string(),
        };
        let top = self.kernel(new)?;
        let inside = reached(&self.state.program, top);
        match kind {
            Named::Loop => self.found_inside(&self.all_loops(), &text, top, &inside),
            _ => self.found_inside(&self.all_arrays(), &text, top, &inside),
        }
    }

    fn found_inside<P>(
        &self,
        names: &Names<P>,
        text: &str,
        top: KernelId,
        inside: &BTreeSet<KernelId>,
    ) -> Done<String> {
        let mut all: Vec<&Found<P>> = names.matching(text);
        all.retain(|found| inside.contains(&found.kernel));
        let found = match all[..] {
            [one] => one,
            [] => return Err(self.wrong(Class::Lookup, names.nothing(text))),
            _ => return Err(self.wrong(Class::Ambiguous, names.several(&all))),
        };
        if found.kernel != top && self.is_shared(found.kernel, inside) {
            let why = format!("'{text}' is in a kernel that is called from elsewhere, too");
            return Err(self.wrong(Class::Transform, why));
        }
        self.shortest(names, found)
    }

    /// Whether a kernel is called from one that is not among these.
    fn is_shared(&self, kernel: KernelId, inside: &BTreeSet<KernelId>) -> bool {
        let mut kernels = self.state.program.kernels.iter();
        kernels.any(|(id, caller)| {
            let calls = |op: &crate::ir::Op| match &op.kind {
                OpKind::Call(call) => call.kernel == kernel,
                _ => false,
            };
            !inside.contains(&id) && caller.body.any_op(&calls)
        })
    }
}

/// A kernel, and those that it calls, at any depth.
fn reached(program: &Program, top: KernelId) -> BTreeSet<KernelId> {
    let mut all = BTreeSet::new();
    let mut work = vec![top];
    while let Some(kernel) = work.pop() {
        if all.insert(kernel) {
            program.kernels[kernel].body.for_each_op(&mut |op| {
                if let OpKind::Call(call) = &op.kind {
                    work.push(call.kernel);
                }
            });
        }
    }
    all
}
