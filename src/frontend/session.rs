//! One compilation: the modules, the kernel definitions and the instances made of them.

use super::codes;
use super::consteval::{ConstArgs, Host};
use super::containers;
use super::cpython;
use super::error::{Failure, Result, fail, raise};
use super::imports::{Unit, absolute};
use super::lower;
use super::module;
use super::scope::Code;
use super::surface;
use super::values::{ConstValue, KernelRef, Options};
use crate::arena::Arena;
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap, Span, suggest};
use crate::ir::{self, Kernel, KernelId, Scalar};
use indexmap::IndexMap;
use ruff_python_ast::StmtFunctionDef;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Most steps of all compile-time computation.
const MAX_STEPS: u64 = 3_000_000;
/// Most memory that compile-time computation takes, in words of 40 bytes; what is freed counts too.
const MAX_CELLS: u64 = 3_000_000;
/// Deepest nesting of compile-time calls.
const MAX_CALLS: usize = 100;

/// Most kernel instances of a program.
const MAX_INSTANCES: usize = 256;

/// Most calls named with a message, besides the outermost.
const MAX_NOTES: usize = 4;

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
}

/// A module after evaluation.
#[derive(Debug, Default)]
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

/// What a nested kernel sees of an enclosing kernel.
#[derive(Debug, Default)]
pub struct Env {
    /// Compile-time names; `None` for runtime ones, which cannot be captured.
    pub names: IndexMap<String, Option<ConstValue>>,
    /// The environment around.
    pub parent: Option<usize>,
}

/// A kernel definition.
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
    pub templates: Vec<usize>,
    /// Templates bound around it.
    pub outer: Bindings,
    /// For nested kernels.
    pub env: Option<usize>,
}

/// Templates and their values.
pub type Bindings = Rc<[(usize, ConstValue)]>;

/// A parameter or result as callers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A scalar.
    Scalar(Scalar),
    /// A shaped value.
    Array(Scalar, Rc<[u64]>),
}

/// What callers need of a lowered kernel.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Parameters: name, type, and whether a shaped one is written.
    pub params: Vec<(String, Slot, bool)>,
    /// Results.
    pub results: Vec<Slot>,
}

enum State {
    Running,
    Done(KernelId),
    Failed,
}

struct Frame {
    kernel: String,
    call: Span,
}

/// The state of a compilation.
pub struct Session<'a> {
    /// All files.
    pub sources: &'a SourceMap,
    /// Files that may be imported: the modules after the first.
    units: &'a [Unit],
    /// Modules; the first is the input file.
    pub modules: Vec<Module>,
    /// Kernel definitions.
    pub defs: Vec<KernelDef<'a>>,
    /// Names of templates.
    pub templates: Vec<String>,
    /// Environments of nested kernels.
    pub envs: Vec<Env>,
    /// Lowered kernels.
    pub kernels: Arena<Kernel>,
    /// Their names, and those of the kernels being lowered.
    kernel_names: HashSet<String>,
    signatures: Vec<Signature>,
    instances: IndexMap<(usize, String), State>,
    stack: Vec<Frame>,
    diagnostics: Vec<Diagnostic>,
    /// Compile-time calls in progress.
    calls: usize,
    steps: u64,
    /// How often the steps were exceeded.
    exceeded: u32,
    cells: u64,
    /// Whether kernels can see the modules.
    frozen: bool,
    /// Modules being imported, outermost first.
    importing: Vec<usize>,
    codes: HashMap<Span, Rc<Code>>,
    /// The CPython that evaluated the modules, if the user chose one.
    pub remote: Option<cpython::Remote>,
    /// Most kernel instances.
    pub instance_limit: usize,
}

impl<'a> Session<'a> {
    /// A compilation of an input with the files that it may import.
    pub fn new(sources: &'a SourceMap, units: &'a [Unit]) -> Self {
        let mut modules = Vec::new();
        modules.resize_with(1 + units.len(), Module::default);
        Session {
            sources,
            units,
            modules,
            defs: Vec::new(),
            templates: Vec::new(),
            envs: Vec::new(),
            kernels: Arena::new(),
            kernel_names: HashSet::new(),
            signatures: Vec::new(),
            instances: IndexMap::new(),
            stack: Vec::new(),
            diagnostics: Vec::new(),
            calls: 0,
            steps: 0,
            exceeded: 0,
            cells: 0,
            frozen: false,
            importing: vec![0],
            codes: HashMap::new(),
            remote: None,
            instance_limit: MAX_INSTANCES,
        }
    }

    /// Records a failure's diagnostic, with the calls that led to it.
    pub fn report(&mut self, failure: Failure) {
        let Some(mut diagnostic) = failure.into_diagnostic() else {
            return;
        };
        let calls = self.stack.len().saturating_sub(1);
        for (i, pair) in self.stack.windows(2).rev().enumerate() {
            if (MAX_NOTES..calls - 1).contains(&i) {
                if i == MAX_NOTES {
                    let text = format!("... {} more calls ...", calls - 1 - MAX_NOTES);
                    diagnostic.notes.push((None, text));
                }
                continue;
            }
            let text = format!(
                "in kernel '{}' called from '{}'",
                pair[1].kernel, pair[0].kernel
            );
            diagnostic.notes.push((Some(pair[1].call), text));
        }
        self.diagnostics.push(diagnostic);
    }

    /// Ends the compilation with its messages.
    pub fn into_diagnostics(self) -> (Arena<Kernel>, Diagnostics) {
        (self.kernels, Diagnostics(self.diagnostics))
    }

    /// Number of errors reported so far.
    pub fn errors(&self) -> usize {
        self.diagnostics.len()
    }

    /// Whether an error was reported.
    pub fn failed(&self) -> bool {
        !self.diagnostics.is_empty()
    }

    /// What callers see of a kernel.
    pub fn signature(&self, id: KernelId) -> &Signature {
        &self.signatures[id.index()]
    }

    /// Ends the evaluation of the modules: from now on kernels see them, and nothing changes.
    pub fn freeze(&mut self) {
        self.frozen = true;
        for module in 0..self.modules.len() {
            self.freeze_module(module);
        }
    }

    fn freeze_module(&mut self, module: usize) {
        let module = &mut self.modules[module];
        if matches!(module.progress, Progress::Waiting | Progress::Failed) {
            return;
        }
        module.progress = Progress::Frozen;
        for binding in module.globals.values() {
            if let Binding::Value(value) = binding {
                containers::freeze(value);
            }
        }
    }

    /// Evaluates the input file.
    pub fn evaluate_input(&mut self, file: FileId, body: &'a [ruff_python_ast::Stmt]) {
        self.modules[0].progress = Progress::Running;
        match self.sources.python.clone() {
            None => module::evaluate(self, 0, file, body),
            Some(python) => {
                if let Err(failure) = cpython::evaluate(self, &python, file, body) {
                    self.report(failure);
                }
                self.modules
                    .iter_mut()
                    .for_each(|m| m.progress = Progress::Done);
            }
        }
        self.freeze();
    }

    /// The number of the module of an importable file, evaluated.
    fn import_file(&mut self, name: &str, span: Span) -> Result<Option<usize>> {
        let Some(unit) = self.units.iter().position(|u| u.name == name) else {
            return Ok(None);
        };
        if let Some((parent, _)) = name.rsplit_once('.') {
            self.import_file(parent, span)?;
        }
        let module = unit + 1;
        match self.modules[module].progress {
            Progress::Done | Progress::Frozen => return Ok(Some(module)),
            Progress::Failed => return Err(Failure::Reported),
            Progress::Running => {
                let mut chain: Vec<&str> = self.importing.iter().map(|m| self.name(*m)).collect();
                chain.push(name);
                let message = format!("the import is cyclic: {}", chain.join(" imports "));
                return fail(codes::IMPORT, span, message);
            }
            Progress::Waiting => {}
        }
        let unit = &self.units[unit];
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
        module::evaluate(self, module, unit.file, body);
        self.importing.pop();
        self.modules[module].progress = Progress::Done;
        if self.frozen {
            self.freeze_module(module);
        }
        Ok(Some(module))
    }

    /// The files that may be imported.
    pub fn units(&self) -> &'a [Unit] {
        self.units
    }

    /// A fresh template.
    pub fn add_template(&mut self, name: &str) -> usize {
        self.templates.push(name.to_owned());
        self.templates.len() - 1
    }

    fn name(&self, module: usize) -> &str {
        match module.checked_sub(1) {
            Some(unit) => &self.units[unit].name,
            None => "the input",
        }
    }

    /// The kernel of a definition with its templates bound, lowered on first use.
    ///
    /// # Errors
    /// Also when it was lowered before with errors, or is being lowered: recursion.
    pub fn instantiate(&mut self, kernel: &KernelRef, call: Span) -> Result<KernelId> {
        self.instantiate_with(kernel, &[], call)
    }

    /// As [`Self::instantiate`]; `inferred` are the types of the parameters without annotation, in order.
    pub fn instantiate_with(
        &mut self,
        kernel: &KernelRef,
        inferred: &[ConstValue],
        call: Span,
    ) -> Result<KernelId> {
        let bindings = self.bind(kernel, call)?;
        let suffix = instance_suffix(kernel.bindings.iter().chain(inferred));
        let key = (kernel.def, suffix.clone());
        let name = self.defs[kernel.def].ast.name.id.to_string();
        match self.instances.get(&key) {
            Some(State::Done(id)) => return Ok(*id),
            Some(State::Failed) => return Err(Failure::Reported),
            Some(State::Running) => {
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
        if self.instances.len() >= self.instance_limit {
            return fail(codes::INSTANCES, call, "more than 256 kernel instances");
        }
        let unique = self.unique_name(&format!("{name}{suffix}"));
        self.kernel_names.insert(unique.clone());
        self.instances.insert(key.clone(), State::Running);
        self.stack.push(Frame { kernel: name, call });
        let before = self.diagnostics.len();
        let lowered = lower::kernel(self, kernel.def, unique, bindings, inferred);
        let outcome = match lowered {
            Ok((kernel, signature)) if self.diagnostics.len() == before => {
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
            .insert(key, outcome.map_or(State::Failed, State::Done));
        outcome.ok_or(Failure::Reported)
    }

    fn bind(&self, kernel: &KernelRef, call: Span) -> Result<Bindings> {
        let def = &self.defs[kernel.def];
        let (needed, given) = (def.templates.len(), kernel.bindings.len());
        if needed != given {
            let name = &def.ast.name.id;
            let names: Vec<&str> = def.templates.iter().map(|t| &*self.templates[*t]).collect();
            let message = self.template_mismatch(kernel);
            let mut error = Diagnostic::error(codes::TEMPLATE, call, message);
            if needed > 0 {
                error = error.help(format!("specialise it: `{name}[{}]`", names.join(", ")));
            }
            return Err(error.into());
        }
        let own = def
            .templates
            .iter()
            .copied()
            .zip(kernel.bindings.iter().cloned());
        Ok(def.outer.iter().cloned().chain(own).collect())
    }

    /// What is wrong with the number of values that a kernel's templates are bound to.
    pub fn template_mismatch(&self, kernel: &KernelRef) -> String {
        let def = &self.defs[kernel.def];
        let name = &def.ast.name.id;
        let names: Vec<&str> = def.templates.iter().map(|t| &*self.templates[*t]).collect();
        match (names.len(), kernel.bindings.len()) {
            (_, 0) => format!(
                "kernel '{name}' has unbound templates: {}",
                names.join(", ")
            ),
            (0, _) => format!("kernel '{name}' has no templates to bind"),
            (1, given) => format!("kernel '{name}' has 1 template, but {given} values are given"),
            (needed, given) => {
                format!("kernel '{name}' has {needed} templates, but {given} given")
            }
        }
    }

    fn unique_name(&self, name: &str) -> String {
        let taken = |n: &str| self.kernel_names.contains(n);
        if !taken(name) {
            return name.to_owned();
        }
        (1..)
            .map(|i| format!("{name}_{i}"))
            .find(|n| !taken(n))
            .unwrap_or_default()
    }

    /// Whether every template of a kernel is bound.
    pub fn is_concrete(&self, kernel: &KernelRef) -> bool {
        self.defs[kernel.def].templates.len() == kernel.bindings.len()
    }

    /// Name of a kernel as the command line takes it.
    pub fn display_name(&self, kernel: &KernelRef) -> String {
        let name = &self.defs[kernel.def].ast.name.id;
        if kernel.bindings.is_empty() {
            return name.to_string();
        }
        let values: Vec<String> = kernel.bindings.iter().map(ConstValue::text).collect();
        format!("{name}[{}]", values.join(", "))
    }
}

impl Host for Session<'_> {
    fn tick(&mut self, span: Span, steps: u64) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS {
            // What follows is judged by itself, but with less patience, and not for ever.
            self.exceeded += 1;
            if self.exceeded <= 4 {
                self.steps = MAX_STEPS / 16 * 15;
            }
            return fail(
                codes::LIMIT,
                span,
                "compile-time computation takes too many steps",
            );
        }
        Ok(())
    }

    fn charge(&mut self, span: Span, cells: u64) -> Result<()> {
        self.cells = self.cells.saturating_add(cells);
        if self.cells > MAX_CELLS {
            let message = "compile-time computation takes too much memory";
            return fail(codes::LIMIT, span, message);
        }
        Ok(())
    }

    fn enter(&mut self, span: Span) -> Result<()> {
        if self.calls >= MAX_CALLS {
            let message = "compile-time calls are nested too deeply";
            return fail(codes::LIMIT, span, message);
        }
        self.calls += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.calls -= 1;
    }

    fn global(&self, module: usize, name: &str, span: Span) -> Option<Result<ConstValue>> {
        match self.modules[module].globals.get(name) {
            Some(Binding::Value(value)) => Some(Ok(value.clone())),
            Some(Binding::Poisoned { reason, .. }) if reason.is_empty() => {
                Some(Err(Failure::Reported))
            }
            Some(Binding::Poisoned {
                reason,
                span: origin,
            }) => Some(Err(Diagnostic::error(
                codes::POISONED,
                span,
                format!("'{name}' has no value at compile time: {reason}"),
            )
            .note_at(*origin, format!("'{name}' is bound here"))
            .into())),
            None => surface::builtin(name).map(Ok),
        }
    }

    fn undefined(&self, module: usize, name: &str, span: Span, locals: &[String]) -> Failure {
        let message = if surface::OUTSIDE.contains(&name) {
            format!("Python's '{name}' is not available at compile time")
        } else {
            format!("Name '{name}' is not defined")
        };
        let mut error = Diagnostic::error(codes::UNDEFINED, span, message);
        let mut all: Vec<&str> = locals.iter().map(String::as_str).collect();
        all.extend(self.modules[module].globals.keys().map(String::as_str));
        surface::builtin_names().for_each(|n| all.push(n));
        if surface::member(surface::Namespace::Allo, name).is_some() {
            error = error.help(format!("import it: `from allo import {name}`"));
        } else if let Some(Scalar::Int { signed, width }) = super::types::scalar_named(name) {
            let signed = if signed { ", signed=True" } else { "" };
            error = error.help(format!("define it: `{name} = apint({width}{signed})`"));
        } else if let Some(ty) = super::types::long_named(name) {
            error = error.help(format!(
                "it is called `{ty}`, or import it from allo.ir.types"
            ));
        } else {
            error = suggest(error, name, all.into_iter());
        }
        error.into()
    }

    fn set_global(&mut self, module: usize, name: &str, value: Option<ConstValue>) -> bool {
        let module = &mut self.modules[module];
        if module.progress == Progress::Frozen {
            return false;
        }
        match value {
            Some(value) => {
                let binding = Binding::Value(value);
                module.globals.insert(name.to_owned(), binding);
            }
            None => {
                module.globals.shift_remove(name);
            }
        }
        true
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
            return Ok(ConstValue::Namespace(space));
        }
        let (name, package) = match module.checked_sub(1) {
            Some(unit) => (&*self.units[unit].name, self.units[unit].package),
            None => ("", false),
        };
        if let Some(name) = absolute(name, package, dotted, level)
            && let Some(found) = self.import_file(&name, span)?
        {
            if let Some((parent, own)) = name.rsplit_once('.')
                && let Some(parent) = self.import_file(parent, span)?
                && !self.modules[parent].globals.contains_key(own)
            {
                self.set_global(parent, own, Some(ConstValue::Module(found)));
            }
            return Ok(ConstValue::Module(found));
        }
        let shown = format!("{}{dotted}", ".".repeat(level as usize));
        let message = format!("module '{shown}' is not available at compile time");
        raise("ModuleNotFoundError", span, message)
    }

    fn exported(&self, module: usize) -> Vec<String> {
        let globals = &self.modules[module].globals;
        let public = globals.keys().filter(|name| !name.starts_with('_'));
        public.cloned().collect()
    }

    fn new_template(&mut self, name: &str) -> usize {
        self.add_template(name)
    }

    fn code(&mut self, span: Span, make: &dyn Fn() -> Code) -> Rc<Code> {
        let known = self.codes.entry(span);
        known.or_insert_with(|| Rc::new(make())).clone()
    }

    fn text(&self, file: FileId) -> &str {
        &self.sources.file(file).text
    }

    fn call_remote(&mut self, function: usize, args: &ConstArgs) -> Result<ConstValue> {
        cpython::call(self, function, args)
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

/// A program of the kernels with its top.
pub fn program(kernels: Arena<Kernel>, top: KernelId) -> ir::Program {
    ir::Program { kernels, top }
}
