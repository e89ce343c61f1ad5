//! Python text to typed kernels: names, types, promotion, operators, diagnostics.

mod allo;
mod classes;
pub mod codes;
pub mod consteval;
mod containers;
mod cpython;
pub mod error;
pub mod imports;
pub mod interp;
mod iterate;
mod library;
pub mod literals;
pub mod lower;
pub mod module;
mod numpy;
pub mod operators;
mod patterns;
pub mod promote;
pub mod query;
pub mod scan;
mod scope;
pub mod session;
pub mod source;
pub mod surface;
mod text;
pub mod types;
pub mod values;

use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap, Span, suggest};
use crate::ir;
use error::{Failure, Result};
use session::{Binding, Session};
use std::collections::HashSet;
use values::{ConstValue, KernelRef};

/// Stack of the compiling thread, in bytes: the bounds on nesting are chosen for it.
const STACK: usize = 512 << 20;

/// A compiled program.
#[derive(Debug)]
pub struct Compiled {
    /// The kernels reachable from the top.
    pub program: ir::Program,
    /// What is suspicious but no error.
    pub warnings: Diagnostics,
}

/// Compiles the kernel `top` of the file: `"name"`, `"name[i32, 4]"`, or `None` for the only
/// concrete kernel of the file.
///
/// # Errors
/// Every error found, in order of discovery.
pub fn compile(
    sources: &mut SourceMap,
    file: FileId,
    top: Option<&str>,
) -> std::result::Result<Compiled, Diagnostics> {
    let top = top.map(|text| sources.add("--top", text));
    on_big_stack(|| {
        let parsed = source::parse(sources, file)?;
        let units = imports::load(sources, &parsed);
        let mut session = Session::new(sources, &units);
        session.evaluate_input(file, &parsed.body);
        compile_top(session, top)
    })
}

/// Checks every concrete kernel of the file. The warnings, if there is no error.
///
/// # Errors
/// Every error found, in order of discovery.
pub fn check(
    sources: &mut SourceMap,
    file: FileId,
) -> std::result::Result<Diagnostics, Diagnostics> {
    on_big_stack(|| {
        let parsed = source::parse(sources, file)?;
        let units = imports::load(sources, &parsed);
        let mut session = Session::new(sources, &units);
        session.evaluate_input(file, &parsed.body);
        let kernels = concrete_kernels(&session);
        session.instance_limit += kernels.len();
        for (kernel, span) in kernels {
            if let Err(failure) = session.instantiate(&kernel, span) {
                session.report(failure);
            }
        }
        match session.into_diagnostics() {
            (_, diagnostics) if diagnostics.has_errors() => Err(diagnostics),
            (_, warnings) => Ok(warnings),
        }
    })
}

/// Runs with the stack that the bounds on nesting are chosen for.
///
/// # Panics
/// If the system gives no thread, or if `f` panics.
pub fn on_big_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let run = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, f);
        match run.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => panic!("the system gives no thread to compile on: {error}"),
        }
    })
}

fn compile_top(
    mut session: Session,
    top: Option<FileId>,
) -> std::result::Result<Compiled, Diagnostics> {
    let chosen = match top {
        Some(top) => named_top(&mut session, top),
        None => only_kernel(&session),
    };
    let lowered = chosen.and_then(|(kernel, span)| session.instantiate(&kernel, span));
    let top = match lowered {
        Ok(top) if !session.failed() => top,
        other => {
            if let Err(failure) = other {
                session.report(failure);
            }
            return Err(session.into_diagnostics().1);
        }
    };
    let (kernels, warnings) = session.into_diagnostics();
    let program = session::program(kernels, top);
    debug_assert_eq!(ir::validate::validate(&program), Ok(()));
    Ok(Compiled { program, warnings })
}

/// The kernels that can be compiled as they are, each once, with a place for messages.
fn concrete_kernels(session: &Session) -> Vec<(KernelRef, Span)> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for binding in session.modules[0].globals.values() {
        let Binding::Value(ConstValue::Kernel(kernel)) = binding else {
            continue;
        };
        let own = session.defs[kernel.def].module == 0;
        let new = seen.insert((kernel.def, session.display_name(kernel)));
        if own && new && session.is_concrete(kernel) {
            let def = &session.defs[kernel.def];
            let span = source::span_of(def.file, def.ast.name.range);
            found.push((kernel.clone(), span));
        }
    }
    found
}

fn kernel_list(session: &Session) -> String {
    let mut names: Vec<String> = Vec::new();
    for (name, binding) in &session.modules[0].globals {
        if let Binding::Value(ConstValue::Kernel(kernel)) = binding {
            let def = &session.defs[kernel.def];
            if session.is_concrete(kernel) {
                names.push(name.clone());
            } else {
                let templates: Vec<&str> = def
                    .templates
                    .iter()
                    .map(|t| session.templates[*t].as_str())
                    .collect();
                names.push(format!("{name}[{}]", templates.join(", ")));
            }
        }
    }
    if names.is_empty() {
        "the file defines no kernel".to_owned()
    } else {
        format!("the kernels of the file are: {}", names.join(", "))
    }
}

fn only_kernel(session: &Session) -> Result<(KernelRef, Span)> {
    let mut kernels = concrete_kernels(session);
    if kernels.len() == 1 {
        return Ok(kernels.swap_remove(0));
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
    let text = session.sources.file(top).text.trim();
    let whole = Span {
        file: top,
        start: 0,
        end: session.sources.file(top).text.len() as u32,
    };
    let unknown = |session: &Session, message: String| -> Failure {
        Diagnostic::global(codes::TOP, message)
            .note(kernel_list(session))
            .into()
    };
    let parsed = source::check_nesting(text, whole)
        .ok()
        .and_then(|()| ruff_python_parser::parse_expression(&session.sources.file(top).text).ok());
    let Some(parsed) = parsed else {
        return Err(unknown(session, format!("'{text}' does not name a kernel")));
    };
    let head = text.split('[').next().unwrap_or(text).trim();
    if !session.modules[0].globals.contains_key(head) {
        let message = format!("there is no kernel '{head}'");
        let names = session.modules[0]
            .globals
            .iter()
            .filter_map(|(name, binding)| {
                matches!(binding, Binding::Value(ConstValue::Kernel(_))).then_some(name.as_str())
            });
        let error = Diagnostic::global(codes::TOP, message).note(kernel_list(session));
        return Err(suggest(error, head, names).into());
    }
    let value = {
        let mut names = interp::Frame::of_module(session, top, 0);
        // The command line imports nothing, and still says `fill[i32, 4]`.
        let mut names = types::TypeNames {
            names: &mut names,
            known: types::scalar_named,
        };
        consteval::eval(parsed.expr(), &mut names)?
    };
    match value {
        ConstValue::Kernel(kernel) if session.is_concrete(&kernel) => {
            let def = &session.defs[kernel.def];
            let span = source::span_of(def.file, def.ast.name.range);
            Ok((kernel, span))
        }
        ConstValue::Kernel(kernel) => Err(unknown(session, session.template_mismatch(&kernel))),
        other => Err(unknown(
            session,
            format!("'{text}' is {}, not a kernel", other.kind()),
        )),
    }
}
