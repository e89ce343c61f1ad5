//! What Python sees: modules and their globals, imports, and the kernels that they define.

use super::allo::{Allo, Template, surface};
use super::codes;
use super::constant::ConstValue;
use super::decorator::{Decorator, Mapping, kernel_decorator};
use super::error::{Failure, Result, diagnostic, fail};
use super::foreign::ForeignModule;
use super::imports::{Unit, absolute};
use super::kernel_ref::KernelRef;
use super::lost::Lost;
use super::options::Options;
use super::scalars;
use super::scan;
use super::schedule::things::Scheduling;
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap, Span, suggest};
use crate::ir::Scalar;
use indexmap::IndexMap;
use pyeval::{Args, Exception, Frame, Host, HostValue, Names, Place, Scope, State, raise, span_of};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::TextRange;
use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

/// Most names that are compared with misspelt ones, so that many unknown names among many known ones take no time.
const MAX_COMPARISONS: u32 = 50_000;

/// What a module-level name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A value.
    Value(ConstValue),
    /// Nothing usable, and why; an empty reason means that an error was reported.
    Poisoned {
        /// The reason.
        reason: String,
        /// The statement.
        span: Span,
    },
    /// Nothing that kernels can use, for a reason; it belongs to the program that holds the kernels.
    Kept(String),
}

/// A module after evaluation.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its names, in order of first binding.
    pub globals: IndexMap<String, Binding>,
    /// How far its evaluation is.
    progress: Progress,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    Waiting,
    Running,
    Done,
    /// Kernels can see it.
    Frozen,
    Failed,
}

/// A kernel definition.
#[derive(Clone)]
pub struct KernelDef<'a> {
    /// Its syntax.
    pub ast: &'a StmtFunctionDef,
    /// Where it is written.
    pub file: FileId,
    /// The module whose globals it sees.
    pub module: usize,
    /// Its own or inherited options.
    pub options: Options,
    /// Templates to be bound, in order.
    pub templates: Vec<Template>,
    /// It is a grid of workers.
    pub mapping: Option<Mapping>,
    /// It is there for other kernels to call.
    pub is_helper: bool,
    /// The module of the user's that computes it.
    pub foreign: Option<ForeignModule>,
    /// Templates bound around it.
    pub outer: Bindings,
    /// For nested kernels.
    pub env: Option<usize>,
    /// The scope of the Python function in which it is defined.
    pub scope: Option<Rc<Scope>>,
    /// Annotations that are values already, by parameter; the result's as `return`.
    pub evaluated: IndexMap<String, ConstValue>,
}

impl KernelDef<'_> {
    /// The names of its templates.
    pub fn template_names(&self) -> Vec<&str> {
        self.templates.iter().map(Template::name).collect()
    }
}

/// Templates and their values.
pub type Bindings = Rc<[(Template, ConstValue)]>;

/// The Python side of a compilation.
pub struct World<'a> {
    /// All files.
    pub sources: &'a SourceMap,
    /// Files that may be imported: the modules after the first.
    pub units: &'a [Unit],
    /// Modules; the first is the input file.
    pub modules: Vec<Module>,
    /// Kernel definitions.
    pub defs: Vec<KernelDef<'a>>,
    /// All definitions of functions in the text of evaluated modules, by the place of their name.
    functions: HashMap<Span, &'a StmtFunctionDef>,
    state: State,
    /// Whether kernels can see the modules.
    frozen: bool,
    /// Modules being imported, outermost first.
    importing: Vec<usize>,
    /// How many names may still be compared with misspelt ones.
    comparisons: Cell<u32>,
    /// What was found wrong so far.
    pub diagnostics: Diagnostics,
    /// What schedules need.
    pub scheduling: Schedules<'a>,
}

/// Calls a thing of schedules; `None` if it cannot be called.
pub type Scheduled = fn(&mut World, &Scheduling, &Args) -> Option<Result<ConstValue>>;

/// What the evaluation keeps for schedules.
#[derive(Default)]
pub struct Schedules<'a> {
    /// What a call of one does, if one is asked for; kernels have none otherwise.
    pub call: Option<Scheduled>,
    /// Statements of the module level that could not be executed, and why.
    pub failed: Vec<(&'a Stmt, Diagnostic)>,
    /// Values in the programs of all of them.
    pub values: usize,
}

impl<'a> World<'a> {
    /// Of an input with the files that it may import.
    pub fn new(sources: &'a SourceMap, units: &'a [Unit]) -> Self {
        let mut modules = Vec::new();
        modules.resize_with(1 + units.len(), Module::default);
        World {
            sources,
            units,
            modules,
            defs: Vec::new(),
            functions: HashMap::new(),
            state: State::default(),
            frozen: false,
            importing: vec![0],
            comparisons: Cell::new(MAX_COMPARISONS),
            diagnostics: Diagnostics::default(),
            scheduling: Schedules::default(),
        }
    }

    /// The same with modules that do not change any more, for kernels to be seen as they would be now.
    pub fn as_it_is(&self) -> World<'a> {
        let mut modules = self.modules.clone();
        for module in &mut modules {
            if !matches!(module.progress, Progress::Waiting | Progress::Failed) {
                module.progress = Progress::Frozen;
            }
        }
        World {
            modules,
            defs: self.defs.clone(),
            functions: self.functions.clone(),
            frozen: true,
            ..World::new(self.sources, self.units)
        }
    }

    /// Records a failure's diagnostic.
    pub fn report(&mut self, failure: Failure) {
        self.diagnostics.0.extend(diagnostic(failure));
    }

    /// Evaluates the input file by a function, and ends the evaluation of the modules: from now on kernels see
    /// them, and nothing changes.
    pub fn evaluate_input<R>(&mut self, evaluate: impl FnOnce(&mut Self) -> R) -> R {
        self.modules[0].progress = Progress::Running;
        let result = evaluate(self);
        self.frozen = true;
        for module in 0..self.modules.len() {
            self.freeze(module);
        }
        result
    }

    /// Marks every module as evaluated, by somebody else.
    pub fn all_done(&mut self) {
        let modules = self.modules.iter_mut();
        modules.for_each(|m| m.progress = Progress::Done);
    }

    fn freeze(&mut self, module: usize) {
        let module = &mut self.modules[module];
        if matches!(module.progress, Progress::Waiting | Progress::Failed) {
            return;
        }
        module.progress = Progress::Frozen;
        for binding in module.globals.values() {
            if let Binding::Value(value) = binding {
                pyeval::freeze(value);
            }
        }
    }

    /// Adds a module that somebody else has evaluated, and gives its number.
    pub fn add_module(&mut self, globals: IndexMap<String, Binding>) -> usize {
        self.frozen = true;
        self.modules.push(Module {
            globals,
            progress: Progress::Frozen,
        });
        self.modules.len() - 1
    }

    /// Registers a kernel definition; `outer` is what it has of an enclosing kernel.
    pub fn add_def(
        &mut self,
        f: &'a StmtFunctionDef,
        file: FileId,
        module: usize,
        decorator: Decorator,
        outer: Option<(Options, Bindings, usize)>,
    ) -> KernelRef {
        let (inherited, bindings, env) = match outer {
            Some((options, bindings, env)) => (options, bindings, Some(env)),
            None => (Options::default(), Rc::from([]), None),
        };
        self.defs.push(KernelDef {
            ast: f,
            file,
            module,
            options: decorator.options.unwrap_or(inherited),
            templates: decorator.templates,
            mapping: decorator.mapping,
            is_helper: decorator.is_helper,
            foreign: decorator.foreign,
            outer: bindings,
            env,
            scope: None,
            evaluated: IndexMap::new(),
        });
        KernelRef {
            def: self.defs.len() - 1,
            bindings: Rc::from([]),
        }
    }

    /// Evaluates the statements of a file as module number `module`, forgiving what cannot run.
    pub fn evaluate(&mut self, module: usize, file: FileId, body: &'a [Stmt]) {
        let name = Binding::Value(ConstValue::str("kernel_file"));
        self.bind(module, "__name__", name);
        let functions = scan::functions(body).into_iter();
        let placed = functions.map(|f| (span_of(file, f.name.range), f));
        self.functions.extend(placed);
        self.block(module, file, body);
    }

    fn bind(&mut self, module: usize, name: &str, binding: Binding) {
        let globals = &mut self.modules[module].globals;
        globals.insert(name.to_owned(), binding);
    }

    fn block(&mut self, module: usize, file: FileId, stmts: &'a [Stmt]) {
        for stmt in stmts {
            if let Err(failure) = self.statement(module, file, stmt) {
                let wrong = diagnostic(failure);
                if let Some(wrong) = wrong.clone().filter(|_| self.scheduling.call.is_some()) {
                    self.scheduling.failed.push((stmt, wrong));
                }
                let reason = self.reason(wrong.clone());
                self.lose(module, file, stmt, &reason);
                let unknown = wrong.filter(|_| !reason.is_empty() && is_static_assert(stmt));
                unknown.into_iter().for_each(|d| self.diagnostics.push(d));
            }
        }
    }

    /// What a statement would have bound or changed has no value.
    fn lose(&mut self, module: usize, file: FileId, stmt: &Stmt, reason: &str) {
        let functions = |name: &str| {
            let all = self.functions.iter();
            let same = all.filter(|(span, f)| span.file == file && f.name.id == name);
            let mut same: Vec<_> = same.map(|(_, f)| *f).collect();
            same.sort_by_key(|f| f.range.start());
            same
        };
        let Lost {
            bound,
            changed,
            assigned,
            ..
        } = Lost::of(stmt, &functions);
        let globals = &self.modules[module].globals;
        let values = changed
            .iter()
            .filter_map(|(name, range)| match globals.get(name) {
                Some(Binding::Value(value)) => {
                    let is_module = matches!(value, ConstValue::Module(_));
                    let may_be = value.is_mutable() || is_module && assigned.contains(name);
                    may_be.then_some((value, *range))
                }
                _ => None,
            });
        let values: Vec<_> = values.collect();
        // All names of a value that may have changed.
        let others = globals.iter().filter_map(|(name, binding)| {
            let Binding::Value(value) = binding else {
                return None;
            };
            let same = |(other, _): &&(&ConstValue, TextRange)| pyeval::share(value, other);
            let (_, range) = values.iter().find(same)?;
            Some((name.clone(), *range))
        });
        let all: Vec<_> = bound.into_iter().chain(others).collect();
        for (name, range) in all {
            let (reason, span) = (reason.to_owned(), span_of(file, range));
            self.bind(module, &name, Binding::Poisoned { reason, span });
        }
    }

    /// Why names have no value. Exceeded bounds, failed assertions and exceptions that the text
    /// raises are errors at once; the reason is then empty.
    fn reason(&mut self, wrong: Option<Diagnostic>) -> String {
        const AT_ONCE: [&str; 5] = [
            codes::LIMIT,
            codes::ASSERTION,
            codes::NESTING,
            codes::RAISED,
            codes::IMPORT,
        ];
        match wrong {
            None => String::new(),
            Some(d) if AT_ONCE.contains(&d.code) => {
                self.diagnostics.push(d);
                String::new()
            }
            Some(d) => d.message,
        }
    }

    fn statement(&mut self, module: usize, file: FileId, stmt: &'a Stmt) -> Result<()> {
        let names: &mut dyn Names = &mut Frame::of_module(self, file, module);
        match stmt {
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                for (name, span, value) in pyeval::imports(stmt, names) {
                    let binding = match value {
                        Ok(value) => Binding::Value(value),
                        Err(failure) => Binding::Poisoned {
                            reason: self.reason(diagnostic(failure)),
                            span,
                        },
                    };
                    self.bind(module, &name, binding);
                }
                Ok(())
            }
            Stmt::If(s) => {
                let body = pyeval::chosen(s, names)?;
                self.block(module, file, body);
                Ok(())
            }
            other => names.exec(std::slice::from_ref(other)).map(drop),
        }
    }

    /// The number of the module of an importable file, evaluated; that of a package that is being evaluated if one of
    /// its own modules is the `importer`.
    fn import_file(&mut self, importer: usize, name: &str, span: Span) -> Result<Option<usize>> {
        let Some(module) = self.module_named(name) else {
            return Ok(None);
        };
        if let Some((parent, _)) = name.rsplit_once('.')
            && !self.is_running(parent)
        {
            self.import_file(importer, parent, span)?;
        }
        match self.modules[module].progress {
            Progress::Done | Progress::Frozen => return Ok(Some(module)),
            Progress::Failed => return Err(Failure::Reported),
            Progress::Running if self.is_within(importer, name) => return Ok(Some(module)),
            Progress::Running => {
                let mut chain: Vec<&str> = self.importing.iter().map(|m| self.name(*m)).collect();
                chain.push(name);
                let message = format!("the import is cyclic: {}", chain.join(" imports "));
                return fail(codes::IMPORT, span, message);
            }
            Progress::Waiting => {}
        }
        let unit = &self.units[module - 1];
        let body = match &unit.parsed {
            Ok(parsed) => &parsed.body,
            Err(problems) => {
                self.modules[module].progress = Progress::Failed;
                for problem in &problems.0 {
                    let problem = problem.clone().note_at(span, "imported here");
                    self.diagnostics.push(problem);
                }
                return Err(Failure::Reported);
            }
        };
        self.modules[module].progress = Progress::Running;
        self.importing.push(module);
        self.evaluate(module, unit.file, body);
        self.importing.pop();
        self.modules[module].progress = Progress::Done;
        if self.frozen {
            self.freeze(module);
        }
        Ok(Some(module))
    }

    fn name(&self, module: usize) -> &str {
        match module.checked_sub(1) {
            Some(unit) => &self.units[unit].name,
            None => "the input",
        }
    }

    /// The module of an importable file.
    fn module_named(&self, name: &str) -> Option<usize> {
        let unit = self.units.iter().position(|u| u.name == name)?;
        Some(unit + 1)
    }

    fn is_running(&self, name: &str) -> bool {
        let module = self.module_named(name);
        module.is_some_and(|module| self.modules[module].progress == Progress::Running)
    }

    /// Whether a module is a package or belongs to it.
    fn is_within(&self, module: usize, package: &str) -> bool {
        let rest = self.name(module).strip_prefix(package);
        module > 0 && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// An assertion that is not evaluated is not taken to hold.
fn is_static_assert(stmt: &Stmt) -> bool {
    let Stmt::Expr(statement) = stmt else {
        return false;
    };
    let Expr::Call(call) = &*statement.value else {
        return false;
    };
    match &*call.func {
        Expr::Name(name) => name.id == "static_assert",
        Expr::Attribute(part) => part.attr.id == "static_assert",
        _ => false,
    }
}

impl Host for World<'_> {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }

    fn global(&self, module: usize, name: &str, span: Span) -> Option<Result<ConstValue>> {
        Some(match self.modules[module].globals.get(name)? {
            Binding::Value(value) => Ok(value.clone()),
            Binding::Poisoned { reason, .. } if reason.is_empty() => Err(Failure::Reported),
            Binding::Kept(reason) => {
                let message = format!("'{name}' has no value at compile time: {reason}");
                fail(codes::POISONED, span, message)
            }
            Binding::Poisoned {
                reason,
                span: origin,
            } => Err(Diagnostic::error(
                codes::POISONED,
                span,
                format!("'{name}' has no value at compile time: {reason}"),
            )
            .note_at(*origin, format!("'{name}' is bound here"))
            .into()),
        })
    }

    fn set_global(&mut self, module: usize, name: &str, value: Option<ConstValue>) -> bool {
        if self.modules[module].progress == Progress::Frozen {
            return false;
        }
        match value {
            Some(value) => self.bind(module, name, Binding::Value(value)),
            None => {
                self.modules[module].globals.shift_remove(name);
            }
        }
        true
    }

    fn builtin(&self, name: &str) -> Option<ConstValue> {
        surface::builtin(name)
    }

    fn call(&mut self, thing: &dyn HostValue, args: &Args) -> Option<Result<ConstValue>> {
        match (thing as &dyn Any).downcast_ref() {
            Some(Allo::Scheduling(thing)) => self.scheduling.call?(self, thing, args),
            _ => None,
        }
    }

    fn define(
        &mut self,
        f: &StmtFunctionDef,
        file: FileId,
        place: &Place,
    ) -> Option<Result<ConstValue>> {
        let (module, scope) = (place.module, place.scope.clone());
        let is_inside = scope.is_some();
        let around = scope.as_ref().and_then(Scope::around_functions);
        let names: &mut dyn Names = &mut Frame {
            host: self,
            file,
            module,
            scope,
        };
        let decorator = match kernel_decorator(f, names) {
            Ok(decorator) => decorator?,
            // Then what is around it has no value, which matters if it is used.
            Err(failure) if is_inside => return Some(Err(failure)),
            Err(failure) => {
                self.report(failure);
                return Some(Err(Failure::Reported));
            }
        };
        // What runs may be a copy of the text's.
        let f = self.functions.get(&span_of(file, f.name.range)).copied()?;
        let kernel = self.add_def(f, file, module, decorator, None);
        self.defs[kernel.def].scope = around;
        Some(Ok(Allo::Kernel(kernel).into()))
    }

    fn undefined<'n>(
        &'n self,
        module: usize,
        name: &str,
        span: Span,
        locals: &mut dyn Iterator<Item = &'n str>,
    ) -> Failure {
        let message = if surface::OUTSIDE.contains(&name) {
            format!("Python's '{name}' is not available at compile time")
        } else {
            format!("Name '{name}' is not defined")
        };
        let error = Diagnostic::error(codes::UNDEFINED, span, message);
        if let Some(from) = surface::module_of(name) {
            let help = format!("import it: `from {from} import {name}`");
            return error.help(help).into();
        }
        if let Some(Scalar::Int { signed, width }) = scalars::scalar_named(name) {
            let signed = if signed { ", signed=True" } else { "" };
            let help = format!("define it: `{name} = apint({width}{signed})`");
            return error.help(help).into();
        }
        if let Some(ty) = scalars::long_named(name) {
            let help = format!("it is called `{ty}`, or import it from allo.ir.types");
            return error.help(help).into();
        }
        let globals = self.modules[module].globals.keys().map(String::as_str);
        let known = locals.chain(globals).chain(pyeval::builtin_names());
        let mut left = self.comparisons.get();
        let known = known.take_while(|_| {
            left = left.saturating_sub(1);
            left > 0
        });
        let error = suggest(error, name, known);
        self.comparisons.set(left);
        error.into()
    }

    fn import(
        &mut self,
        module: usize,
        dotted: &str,
        level: u32,
        span: Span,
    ) -> Result<ConstValue> {
        if level == 0
            && let Some(space) = surface::module(dotted)
        {
            return Ok(Allo::Namespace(space).into());
        }
        let (name, package) = match module.checked_sub(1) {
            Some(unit) => (&*self.units[unit].name, self.units[unit].package),
            None => ("", false),
        };
        if let Some(name) = absolute(name, package, dotted, level)
            && let Some(found) = self.import_file(module, &name, span)?
        {
            if let Some((parent, own)) = name.rsplit_once('.')
                && let Some(parent) = self.module_named(parent)
                && !self.modules[parent].globals.contains_key(own)
            {
                self.set_global(parent, own, Some(ConstValue::Module(found)));
            }
            return Ok(ConstValue::Module(found));
        }
        let shown = format!("{}{dotted}", ".".repeat(level as usize));
        let message = format!("module '{shown}' is not available at compile time");
        raise(Exception::ModuleNotFoundError, span, message)
    }

    fn exported(&self, module: usize) -> Vec<String> {
        let globals = &self.modules[module].globals;
        let public = globals.keys().filter(|name| !name.starts_with('_'));
        public.cloned().collect()
    }

    fn text(&self, file: FileId) -> &str {
        &self.sources.file(file).text
    }
}
