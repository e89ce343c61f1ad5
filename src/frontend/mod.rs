//! Python text to typed kernels: names, types, promotion, operators, diagnostics.

mod allo;
mod builder;
mod check;
pub mod codes;
mod constant;
mod cpython;
mod decorator;
mod error;
mod foreign;
pub mod given;
pub mod hosted;
mod imports;
mod instances;
mod kernel_ref;
mod literals;
mod lost;
mod lower;
mod namespaces;
mod operators;
mod options;
pub mod promote;
mod pto;
pub mod query;
mod scalars;
mod scan;
pub mod schedule;
mod session;
mod source;
mod stream_type;
mod types;
mod values;
mod world;

use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap, Span, suggest};
use crate::directives::Directive;
use crate::ir;
use allo::Allo;
use error::{Failure, Result};
use kernel_ref::KernelRef;
use pyeval::{Frame, Names};
use ruff_python_ast::Stmt;
use schedule::chosen::Chosen;
use session::{Session, Worker};
use std::collections::{BTreeMap, HashSet};
use world::{Binding, Scheduled};

pub use check::Checked;

/// What is compiled of a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice<'t> {
    /// `"name"`, `"name[i32, 4]"`, or `None` for the only concrete kernel of the file, or that of the schedule.
    pub top: Option<&'t str>,
    /// The name of a schedule of it.
    pub schedule: Option<&'t str>,
}

impl<'t> From<Option<&'t str>> for Choice<'t> {
    fn from(top: Option<&'t str>) -> Choice<'t> {
        Choice {
            top,
            schedule: None,
        }
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The kernels reachable from the top.
    pub program: ir::Program,
    /// Which definition each of them was made of, by the numbers of the compilation.
    pub definitions: BTreeMap<String, usize>,
    /// What its schedule says; nothing without one.
    pub directives: Vec<Directive>,
    /// What is suspicious but no error.
    pub warnings: Diagnostics,
}

/// Compiles a kernel of the file.
///
/// # Errors
/// Every error found, in order of discovery.
pub fn compile<'t>(
    sources: &mut SourceMap,
    file: FileId,
    choice: impl Into<Choice<'t>>,
) -> std::result::Result<Compiled, Diagnostics> {
    let Choice { top, schedule } = choice.into();
    let top = top.map(|text| sources.add("--top", text));
    on_big_stack(|| {
        let parsed = source::parse(sources, file)?;
        let units = imports::load(sources, &parsed);
        let mut session = Session::new(sources, &units);
        session.world.scheduling.call = schedule.map(|_| schedule::call as Scheduled);
        let chosen = evaluate(&mut session, file, &parsed.body, schedule);
        let chosen = chosen.transpose().unwrap_or_else(|failure| {
            session.report(failure);
            None
        });
        let named = schedule.zip(chosen);
        let body = (file, &parsed.body[..]);
        compile_top(session, body, top, named)
    })
}

/// Checks every concrete kernel of the file.
///
/// # Errors
/// Every error found, in order of discovery.
pub fn check(sources: &mut SourceMap, file: FileId) -> std::result::Result<Checked, Diagnostics> {
    on_big_stack(|| {
        let parsed = source::parse(sources, file)?;
        let units = imports::load(sources, &parsed);
        let mut session = Session::new(sources, &units);
        evaluate(&mut session, file, &parsed.body, None);
        let kernels = concrete_kernels(&session);
        check::check(session, file, &parsed.body, kernels)
    })
}

/// Runs with the stack that the bounds on nesting are chosen for.
///
/// # Panics
/// If the system gives no thread, or if `f` panics.
pub fn on_big_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let run = std::thread::Builder::new()
            .stack_size(crate::parallel::STACK)
            .spawn_scoped(scope, f);
        match run.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => panic!("the system gives no thread to compile on: {error}"),
        }
    })
}

/// Evaluates the input file, by our evaluator or by the CPython that the user has chosen. Gives the schedule of a name.
fn evaluate<'a>(
    session: &mut Session<'a>,
    file: FileId,
    body: &'a [Stmt],
    schedule: Option<&str>,
) -> Option<Result<Chosen>> {
    session.world.evaluate_input(|world| {
        match world.sources.python.clone() {
            None => world.evaluate(0, file, body),
            Some(python) => {
                if let Err(failure) = cpython::evaluate(world, &python, file, body) {
                    world.report(failure);
                }
                world.all_done();
            }
        }
        schedule.map(|name| schedule::chosen::chosen(world, file, body, name))
    })
}

fn compile_top(
    mut session: Session,
    body: (FileId, &[Stmt]),
    top: Option<FileId>,
    schedule: Option<(&str, Chosen)>,
) -> std::result::Result<Compiled, Diagnostics> {
    let kernel = match (top, &schedule) {
        (Some(top), _) => named_top(&mut session, top),
        (None, Some((_, chosen))) => Ok(located(&session, &chosen.kernel)),
        (None, None) => only_kernel(&mut session, body),
    };
    let checked = kernel.and_then(|(kernel, span)| {
        if let Some((name, chosen)) = &schedule {
            let called = [&chosen.kernel, &kernel].map(|one| session.display_name(one));
            chosen.check(name, &kernel, called)?;
        }
        Ok((kernel, span))
    });
    let mut compiled = lowered(session, checked, None)?;
    compiled.directives = schedule.map_or(Vec::new(), |(_, chosen)| chosen.directives);
    Ok(compiled)
}

/// The program of a kernel; a failure to find the kernel is reported like those in it.
fn lowered(
    mut session: Session,
    kernel: Result<(KernelRef, Span)>,
    worker: Option<&Worker>,
) -> std::result::Result<Compiled, Diagnostics> {
    let instance =
        kernel.and_then(|(kernel, span)| session.instantiate_with(&kernel, &[], worker, span));
    let top = match instance {
        Ok(top) if !session.failed() => top,
        other => {
            if let Err(failure) = other {
                session.report(failure);
            }
            return Err(session.into_diagnostics().1);
        }
    };
    let definitions = session.definitions();
    let (kernels, warnings) = session.into_diagnostics();
    let program = ir::Program { kernels, top };
    debug_assert_eq!(ir::validate::validate(&program), Ok(()));
    Ok(Compiled {
        program,
        definitions,
        directives: Vec::new(),
        warnings,
    })
}

/// A kernel with a place for messages.
fn located(session: &Session, kernel: &KernelRef) -> (KernelRef, Span) {
    let def = &session.world.defs[kernel.def];
    let span = source::span_of(def.file, def.ast.name.range);
    (kernel.clone(), span)
}

/// The kernels that can be compiled as they are, each once, with a place for messages.
fn concrete_kernels(session: &Session) -> Vec<(KernelRef, Span)> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for binding in session.world.modules[0].globals.values() {
        let Some(kernel) = kernel_of(binding) else {
            continue;
        };
        let own = session.world.defs[kernel.def].module == 0;
        let new = seen.insert((kernel.def, session.display_name(kernel)));
        if own && new && session.is_concrete(kernel) {
            found.push(located(session, kernel));
        }
    }
    found
}

fn kernel_of(binding: &Binding) -> Option<&KernelRef> {
    match binding {
        Binding::Value(value) => Allo::kernel(value),
        Binding::Poisoned { .. } | Binding::Kept(_) => None,
    }
}

fn kernel_list(session: &Session) -> String {
    let mut names: Vec<String> = Vec::new();
    for (name, binding) in &session.world.modules[0].globals {
        if let Some(kernel) = kernel_of(binding) {
            let def = &session.world.defs[kernel.def];
            if session.is_concrete(kernel) {
                names.push(name.clone());
            } else {
                names.push(format!("{name}[{}]", def.template_names().join(", ")));
            }
        }
    }
    if names.is_empty() {
        "the file defines no kernel".to_owned()
    } else {
        format!("the kernels of the file are: {}", names.join(", "))
    }
}

/// The kernel of a file that has no other; where it has none, those whose definitions have failed are reported.
fn only_kernel(session: &mut Session, body: (FileId, &[Stmt])) -> Result<(KernelRef, Span)> {
    let mut kernels = concrete_kernels(session);
    kernels.retain(|(kernel, _)| !session.world.defs[kernel.def].is_helper);
    if kernels.len() == 1 {
        return Ok(kernels.swap_remove(0));
    }
    if kernels.is_empty() {
        for error in check::undefined(&session.world, body.0, body.1) {
            session.report(error.into());
        }
    }
    if session.failed() {
        return Err(Failure::Reported);
    }
    let message = if kernels.is_empty() {
        "there is no concrete kernel to compile"
    } else {
        "there are several kernels: name one with --top"
    };
    Err(Diagnostic::global(codes::TOP, message)
        .note(kernel_list(session))
        .into())
}

/// Evaluates the text of `--top` in the module.
fn named_top(session: &mut Session, top: FileId) -> Result<(KernelRef, Span)> {
    let text = session.world.sources.file(top).text.trim();
    let whole = Span {
        file: top,
        start: 0,
        end: session.world.sources.file(top).text.len() as u32,
    };
    let unknown = |session: &Session, message: String| -> Failure {
        Diagnostic::global(codes::TOP, message)
            .note(kernel_list(session))
            .into()
    };
    let parsed = source::check_nesting(text, whole).ok().and_then(|()| {
        ruff_python_parser::parse_expression(&session.world.sources.file(top).text).ok()
    });
    let Some(parsed) = parsed else {
        return Err(unknown(session, format!("'{text}' does not name a kernel")));
    };
    let head = text.split(['[', '.']).next().unwrap_or(text).trim();
    if !session.world.modules[0].globals.contains_key(head) {
        let message = format!("there is no kernel '{head}'");
        let names = session.world.modules[0]
            .globals
            .iter()
            .filter_map(|(name, binding)| kernel_of(binding).map(|_| name.as_str()));
        let error = Diagnostic::global(codes::TOP, message).note(kernel_list(session));
        return Err(suggest(error, head, names).into());
    }
    // The command line imports nothing, and still says `fill[i32, 4]`.
    let names: &mut dyn Names = &mut types::TypeNames {
        names: &mut Frame::of_module(&mut session.world, top, 0),
        known: scalars::scalar_named,
    };
    let value = names.eval(parsed.expr())?;
    match Allo::kernel(&value) {
        Some(kernel) if session.is_concrete(kernel) => Ok(located(session, kernel)),
        Some(kernel) => Err(unknown(session, session.template_mismatch(kernel))),
        None => Err(unknown(
            session,
            format!("'{text}' is {}, not a kernel", value.kind()),
        )),
    }
}
