//! Every kernel of a file, and why one of them is not checked.

use super::codes;
use super::kernel_ref::KernelRef;
use super::session::Session;
use super::world::{Binding, KernelDef, World};
use crate::arena::Arena;
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, Span, closest};
use crate::ir::{Kernel, KernelId, OpKind};
use pyeval::span_of;
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use std::collections::HashSet;

/// What a check has found.
#[derive(Debug)]
pub struct Checked {
    /// What is suspicious but no error.
    pub warnings: Diagnostics,
    /// How many kernels of the file were checked.
    pub count: usize,
    /// What they and those that they call are.
    pub kernels: Arena<Kernel>,
    /// Those that no other one calls.
    pub tops: Vec<KernelId>,
    /// Kernels of the file that were not, and why.
    pub left_out: Vec<(Span, String)>,
}

/// Instantiates kernels, and says what became of every kernel of the file.
///
/// # Errors
/// Every error found, in order of discovery.
pub fn check(
    mut session: Session,
    file: FileId,
    body: &[Stmt],
    kernels: Vec<(KernelRef, Span)>,
) -> Result<Checked, Diagnostics> {
    session.instance_limit += kernels.len();
    // Workers are what the calls of a grid make of it.
    let is_grid = |session: &Session, def: usize| session.world.defs[def].mapping.is_some();
    for (kernel, span) in kernels {
        if is_grid(&session, kernel.def) {
            continue;
        }
        if let Err(failure) = session.instantiate(&kernel, span) {
            session.report(failure);
        }
    }
    let done: HashSet<usize> = session.instances.keys().map(|(def, _)| *def).collect();
    let world = &session.world;
    let mut left_out = Vec::new();
    let mut count = 0;
    for (def, definition) in world.defs.iter().enumerate() {
        if definition.module != 0 || definition.env.is_some() {
            continue;
        }
        match done.contains(&def) {
            true => count += 1,
            false => left_out.push(not_checked(file, definition.ast, unused(definition))),
        }
    }
    let unseen = Unseen::of(world, file, body);
    left_out.extend(unseen.left_out);
    left_out.sort();
    for error in unseen.undefined {
        session.report(error.into());
    }
    match session.into_diagnostics() {
        (_, diagnostics) if diagnostics.has_errors() => Err(diagnostics),
        (kernels, warnings) => Ok(Checked {
            warnings,
            count,
            tops: not_called(&kernels),
            kernels,
            left_out,
        }),
    }
}

/// The kernels that no kernel calls.
fn not_called(kernels: &Arena<Kernel>) -> Vec<KernelId> {
    let mut called = HashSet::new();
    for kernel in kernels.values() {
        kernel.body.for_each_op(&mut |op| {
            if let OpKind::Call(call) = &op.kind {
                called.insert(call.kernel);
            }
        });
    }
    let ids = kernels.iter().map(|(id, _)| id);
    ids.filter(|id| !called.contains(id)).collect()
}

fn not_checked(file: FileId, f: &StmtFunctionDef, reason: String) -> (Span, String) {
    let text = format!("kernel '{}' is not checked: {reason}", f.name.id);
    (span_of(file, f.name.range), text)
}

/// Why a kernel that Python has seen is not used.
fn unused(def: &KernelDef) -> String {
    match &def.template_names()[..] {
        [] if def.mapping.is_some() => "no kernel calls this grid".to_owned(),
        [] => "no name of the module level means it".to_owned(),
        names => format!(
            "its templates are not bound, as in `{}[{}]`",
            def.ast.name.id,
            names.join(", ")
        ),
    }
}

/// Errors of the kernels of a file whose definitions have failed.
pub fn undefined(world: &World, file: FileId, body: &[Stmt]) -> Vec<Diagnostic> {
    Unseen::of(world, file, body).undefined
}

/// The search for kernels that Python has not seen.
struct Unseen<'w, 'a> {
    world: &'w World<'a>,
    file: FileId,
    /// Those that it has seen.
    seen: HashSet<*const StmtFunctionDef>,
    /// Those that nobody needs to see, and why they are not.
    left_out: Vec<(Span, String)>,
    /// The errors of those whose definitions have failed.
    undefined: Vec<Diagnostic>,
}

impl<'w, 'a> Unseen<'w, 'a> {
    fn of(world: &'w World<'a>, file: FileId, body: &[Stmt]) -> Unseen<'w, 'a> {
        let seen = world.defs.iter().map(|def| std::ptr::from_ref(def.ast));
        let mut unseen = Unseen {
            world,
            file,
            seen: seen.collect(),
            left_out: Vec::new(),
            undefined: Vec::new(),
        };
        unseen.block(body, None);
        unseen
    }

    /// Looks through statements; `inside` is what around them keeps kernels from being seen.
    fn block(&mut self, stmts: &[Stmt], inside: Option<&str>) {
        for stmt in stmts {
            match stmt {
                Stmt::FunctionDef(f) if self.seen.contains(&std::ptr::from_ref(f)) => {}
                Stmt::FunctionDef(f) if is_decorated(f) => match (inside, self.failure(f)) {
                    (None, Some(error)) => self.undefined.push(error),
                    (None, None) => self.leave_out(f, self.unbound(f)),
                    (Some(inside), _) => {
                        let reason = format!("it is defined inside {inside}, which did not run");
                        self.leave_out(f, reason);
                    }
                },
                Stmt::FunctionDef(f) => {
                    let around = format!("the Python function '{}'", f.name.id);
                    self.block(&f.body, inside.or(Some(&around)));
                }
                Stmt::ClassDef(c) => {
                    let around = format!("the class '{}'", c.name.id);
                    self.block(&c.body, inside.or(Some(&around)));
                }
                other => {
                    let around = match other {
                        Stmt::For(_) | Stmt::While(_) => Some("a loop of the module level"),
                        Stmt::Try(_) => Some("a `try` of the module level"),
                        Stmt::With(_) => Some("a `with` of the module level"),
                        Stmt::Match(_) => Some("a `match` of the module level"),
                        _ => None,
                    };
                    for body in super::scan::children(other) {
                        self.block(body, inside.or(around));
                    }
                }
            }
        }
    }

    fn leave_out(&mut self, f: &StmtFunctionDef, reason: String) {
        self.left_out.push(not_checked(self.file, f, reason));
    }

    fn global(&self, name: &str) -> Option<&Binding> {
        self.world.modules[0].globals.get(name)
    }

    /// The error of a kernel of the module level whose definition has failed, unless it was reported.
    fn failure(&self, f: &StmtFunctionDef) -> Option<Diagnostic> {
        let own = span_of(self.file, f.name.range);
        let reason = match self.global(&f.name.id)? {
            Binding::Poisoned { reason, span } if *span == own && !reason.is_empty() => reason,
            _ => return None,
        };
        let message = format!("kernel '{}' is not defined: {reason}", f.name.id);
        let error = Diagnostic::error(codes::POISONED, own, message);
        let is_unknown = |name: &&str| self.global(name).is_none();
        Some(match decorators(f).find(is_unknown) {
            Some(_) => error.help("import its decorator: `from allo import kernel`"),
            None => error,
        })
    }

    /// Why a kernel of the module level is no kernel for Python.
    fn unbound(&self, f: &StmtFunctionDef) -> String {
        match self.global(&f.name.id) {
            Some(Binding::Poisoned { reason, .. }) if !reason.is_empty() => reason.clone(),
            Some(Binding::Value(_)) => "its decorator is not allo's".to_owned(),
            _ => "the code around it did not run".to_owned(),
        }
    }
}

/// The names of the decorators of a function: of `@a.b(...)`, `b`.
fn decorators(f: &StmtFunctionDef) -> impl Iterator<Item = &str> {
    f.decorator_list.iter().filter_map(|decorator| {
        let callee = match &decorator.expression {
            Expr::Call(call) => &call.func,
            other => other,
        };
        match callee {
            Expr::Name(name) => Some(name.id.as_str()),
            Expr::Attribute(attribute) => Some(attribute.attr.id.as_str()),
            _ => None,
        }
    })
}

/// Whether a decorator is called `kernel`, wherever it is from, or nearly so.
fn is_decorated(f: &StmtFunctionDef) -> bool {
    let means_kernel = |name| name == "kernel" || closest(name, ["kernel"].into_iter()).is_some();
    decorators(f).any(means_kernel)
}
