//! Local names of a kernel: block scopes from the body inwards.

use crate::diagnostics::Span;
use crate::frontend::builder::state::Vector;
use crate::frontend::constant::ConstValue;
use crate::frontend::pto::tile_type::Tile;
use crate::frontend::values::{Streams, Typed};
use crate::ir::ArrayId;
use indexmap::IndexMap;
use std::collections::HashMap;
use std::rc::Rc;

/// What a local name stands for.
#[derive(Clone, Debug)]
pub enum Local {
    /// A scalar variable: its present value, of its declared type.
    Scalar(Typed),
    /// A shaped variable.
    Array(ArrayId),
    /// A scalar that is kept between invocations: the only element of an array without extents.
    State(ArrayId),
    /// Streams.
    Streams(Streams),
    /// A variable that holds vectors or masks: its present value.
    Vector(Rc<Vector>),
    /// A tile.
    Tile(Tile),
    /// A constexpr or a nested kernel.
    Const(ConstValue),
    /// Its declaration had an error.
    Poisoned,
}

/// One declaration.
#[derive(Clone, Debug)]
pub struct Declared {
    /// What it stands for.
    pub local: Local,
    /// Where it was declared.
    pub span: Span,
}

/// The open scopes, outermost first.
#[derive(Clone, Debug)]
pub struct Scopes {
    open: Vec<IndexMap<String, Declared>>,
    /// Where the names of closed scopes were declared, for messages.
    ended: HashMap<String, Span>,
}

impl Scopes {
    /// The body's scope only.
    pub fn new() -> Self {
        Scopes {
            open: vec![IndexMap::new()],
            ended: HashMap::new(),
        }
    }
    /// Opens a scope.
    pub fn push(&mut self) {
        self.open.push(IndexMap::new());
    }
    /// Closes the innermost scope.
    pub fn pop(&mut self) {
        for (name, declared) in self.open.pop().into_iter().flatten() {
            self.ended.insert(name, declared.span);
        }
    }
    /// Whether only the body's scope is open.
    pub fn at_top(&self) -> bool {
        self.open.len() == 1
    }
    /// The innermost declaration of a name.
    pub fn get(&self, name: &str) -> Option<&Declared> {
        self.open.iter().rev().find_map(|s| s.get(name))
    }
    /// Adds a name to the innermost scope.
    pub fn declare(&mut self, name: &str, local: Local, span: Span) {
        if let Some(scope) = self.open.last_mut() {
            scope.insert(name.to_owned(), Declared { local, span });
        }
    }
    /// Replaces what the innermost declaration of a name stands for.
    pub fn rebind(&mut self, name: &str, local: Local) {
        if let Some(found) = self.open.iter_mut().rev().find_map(|s| s.get_mut(name)) {
            found.local = local;
        }
    }
    /// The present value of a scalar variable.
    pub fn scalar(&self, name: &str) -> Option<Typed> {
        match self.get(name)?.local {
            Local::Scalar(typed) => Some(typed),
            _ => None,
        }
    }
    /// Where a name was declared in a scope that is closed.
    pub fn ended(&self, name: &str) -> Option<Span> {
        self.ended.get(name).copied()
    }
    /// All visible names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.open.iter().flat_map(|s| s.keys().map(String::as_str))
    }
}
