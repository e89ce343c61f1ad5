//! What is made of kernels: the instances of their definitions, what callers see of them, and how errors name them.

use super::codes;
use super::constant::ConstValue;
use super::error::{Failure, Result, diagnostic};
use super::imports::Unit;
use super::kernel_ref::KernelRef;
use super::pto::tile_type::TileType;
use super::stream_type::StreamType;
use super::world::{Bindings, World};
use crate::arena::Arena;
use crate::diagnostics::{Diagnostic, Diagnostics, SourceMap, Span};
use crate::ir::{Kernel, KernelId, Scalar};
use indexmap::IndexMap;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// Most kernel instances of a program.
pub const MAX_INSTANCES: usize = 256;

/// Most calls named with a message, besides the outermost.
const MAX_NOTES: usize = 4;

/// What a nested kernel sees of an enclosing kernel.
#[derive(Debug, Default)]
pub struct Env {
    /// Compile-time names; `None` for runtime ones, which cannot be captured.
    pub names: IndexMap<String, Option<ConstValue>>,
    /// The environment around.
    pub parent: Option<usize>,
}

/// A parameter or result as callers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A scalar.
    Scalar(Scalar),
    /// A shaped value.
    Array(Scalar, Rc<[u64]>),
}

/// What a parameter takes.
#[derive(Clone, Debug)]
pub enum Passing {
    /// A value.
    Value(Slot),
    /// Streams; of one stream, there are no extents.
    Streams(StreamType),
    /// A tile of exactly the type.
    Tile(Rc<TileType>),
}

/// What callers need of a lowered kernel.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Parameters: name, type, and whether a shaped one is written.
    pub params: Vec<(String, Passing, bool)>,
    /// Results.
    pub results: Vec<Slot>,
}

impl Signature {
    /// The parameter that argument number `at` of a call in the ir is for: an array of streams takes one for each.
    pub fn param(&self, at: usize) -> &(String, Passing, bool) {
        let mut rest = at;
        let found = self.params.iter().find(|(_, slot, _)| {
            let count = match slot {
                Passing::Streams(ty) => ty.shape.iter().product::<u64>() as usize,
                Passing::Value(_) | Passing::Tile(_) => 1,
            };
            let is_here = rest < count;
            rest = rest.saturating_sub(count);
            is_here
        });
        found.expect("calls are made by this signature")
    }
}

/// One kernel of a grid of them.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Its index on each axis.
    pub ids: Vec<u64>,
    /// The extents of the grid.
    pub extents: Vec<u64>,
}

/// How far an instance is.
pub enum Progress {
    /// It is being lowered.
    Running,
    /// It is there.
    Done(KernelId),
    /// It had errors, which were reported.
    Failed,
}

/// A kernel being lowered, and the call that asked for it.
pub struct Frame {
    /// Its name.
    pub kernel: String,
    /// The call.
    pub call: Span,
}

/// The kernels of a compilation.
pub struct Session<'a> {
    /// What Python sees.
    pub world: World<'a>,
    /// Environments of nested kernels.
    pub envs: Vec<Env>,
    /// Lowered kernels.
    pub kernels: Arena<Kernel>,
    /// Their names, and those of the kernels being lowered.
    pub kernel_names: HashSet<String>,
    /// What callers see of them.
    pub signatures: Vec<Signature>,
    /// Instances by their definition and the text of what they are bound to.
    pub instances: IndexMap<(usize, String), Progress>,
    /// Kernels being lowered, outermost first.
    pub stack: Vec<Frame>,
    /// Most kernel instances, beside those of workers.
    pub instance_limit: usize,
    /// Instances that are workers.
    pub workers: usize,
}

impl<'a> Session<'a> {
    /// A compilation of an input with the files that it may import.
    pub fn new(sources: &'a SourceMap, units: &'a [Unit]) -> Self {
        Session::of(World::new(sources, units))
    }

    /// A compilation of the kernels of a world.
    pub fn of(world: World<'a>) -> Self {
        Session {
            world,
            envs: Vec::new(),
            kernels: Arena::new(),
            kernel_names: HashSet::new(),
            signatures: Vec::new(),
            instances: IndexMap::new(),
            stack: Vec::new(),
            instance_limit: MAX_INSTANCES,
            workers: 0,
        }
    }

    /// Records a failure's diagnostic, with the calls that led to it.
    pub fn report(&mut self, failure: Failure) {
        let Some(mut diagnostic) = diagnostic(failure) else {
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
        self.world.diagnostics.push(diagnostic);
    }

    /// Ends the compilation with its messages.
    pub fn into_diagnostics(self) -> (Arena<Kernel>, Diagnostics) {
        (self.kernels, self.world.diagnostics)
    }

    /// Number of errors reported so far.
    pub fn errors(&self) -> usize {
        self.world.diagnostics.0.len()
    }

    /// Whether an error was reported.
    pub fn failed(&self) -> bool {
        self.errors() > 0
    }

    /// What callers see of a kernel.
    pub fn signature(&self, id: KernelId) -> &Signature {
        &self.signatures[id.index()]
    }

    /// The templates of a kernel with their values.
    pub fn bind(&self, kernel: &KernelRef, call: Span) -> Result<Bindings> {
        let def = &self.world.defs[kernel.def];
        let (needed, given) = (def.templates.len(), kernel.bindings.len());
        if needed != given {
            let name = &def.ast.name.id;
            let names = def.template_names();
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
            .cloned()
            .zip(kernel.bindings.iter().cloned());
        Ok(def.outer.iter().cloned().chain(own).collect())
    }

    /// What is wrong with the number of values that a kernel's templates are bound to.
    pub fn template_mismatch(&self, kernel: &KernelRef) -> String {
        let def = &self.world.defs[kernel.def];
        let name = &def.ast.name.id;
        let names = def.template_names();
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

    /// Of each kernel that was made, by name, the number of its definition.
    pub fn definitions(&self) -> BTreeMap<String, usize> {
        let instances = self.instances.iter();
        let made = instances.filter_map(|((def, _), progress)| match progress {
            Progress::Done(id) => Some((self.kernels[*id].name.clone(), *def)),
            _ => None,
        });
        made.collect()
    }

    /// A name for an instance that no other has.
    pub fn unique_name(&self, name: &str) -> String {
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
        self.world.defs[kernel.def].templates.len() == kernel.bindings.len()
    }

    /// Name of a kernel as the command line takes it.
    pub fn display_name(&self, kernel: &KernelRef) -> String {
        let name = &self.world.defs[kernel.def].ast.name.id;
        if kernel.bindings.is_empty() {
            return name.to_string();
        }
        let values: Vec<String> = kernel.bindings.iter().map(ConstValue::text).collect();
        format!("{name}[{}]", values.join(", "))
    }
}
