//! Frames: the names that code at work sees.

use crate::error::{Problem, fail};
use crate::library::builtins::builtin;
use crate::value::{Host, Names, Place, Result, Scope, Value};
use diagnostics::{FileId, Span};
use std::rc::Rc;

/// Code at work: the names of a module, and the scope of a function, class or comprehension in it.
pub struct Frame<'h> {
    /// The program around.
    pub host: &'h mut dyn Host,
    /// Where the code is written.
    pub file: FileId,
    /// The module whose globals it sees.
    pub module: usize,
    /// Its own names.
    pub scope: Option<Rc<Scope>>,
}

impl<'h> Frame<'h> {
    /// Text at the level of a module.
    pub fn of_module(host: &'h mut dyn Host, file: FileId, module: usize) -> Self {
        Frame {
            host,
            file,
            module,
            scope: None,
        }
    }
}

impl Names for Frame<'_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<Value> {
        let own = self.scope.as_ref();
        if let Some(found) = own.and_then(|scope| scope.variable(name, span)) {
            return found;
        }
        if let Some(found) = global(self.host, self.module, name, span) {
            return found;
        }
        let vars = self.scope.as_ref().map(|scope| scope.vars.borrow());
        let mut locals = vars.iter().flat_map(|v| v.keys().map(String::as_str));
        Err(self.host.undefined(self.module, name, span, &mut locals))
    }

    fn bind(&mut self, name: &str, value: Option<Value>, span: Span) -> Result<()> {
        let target = self.scope.as_ref().and_then(|scope| scope.target(name));
        let done = match target {
            Some(scope) if scope.frozen.get() => false,
            Some(scope) => {
                let mut vars = scope.vars.borrow_mut();
                match value {
                    Some(value) => {
                        vars.insert(name.to_owned(), value);
                    }
                    None => {
                        vars.shift_remove(name);
                    }
                }
                true
            }
            None => self.host.set_global(self.module, name, value),
        };
        if done {
            return Ok(());
        }
        fail(span, Problem::Frozen(Some(name.to_owned())))
    }

    fn file(&self) -> FileId {
        self.file
    }
    fn file_text(&self) -> &str {
        self.host.text(self.file)
    }
    fn place(&self) -> Place {
        Place {
            module: self.module,
            scope: self.scope.clone(),
            foreign: false,
        }
    }
    fn host(&mut self) -> &mut dyn Host {
        self.host
    }
}

/// The value of a name of a module: a global, or a built-in.
pub fn global(host: &dyn Host, module: usize, name: &str, span: Span) -> Option<Result<Value>> {
    let own = host.global(module, name, span);
    own.or_else(|| host.builtin(name).or_else(|| builtin(name)).map(Ok))
}
