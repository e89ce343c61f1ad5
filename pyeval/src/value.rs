//! Python's values, and the traits by which the parts of the evaluator and the program around it meet.
//!
//! Values hold functions and objects, whose calls need names, which give values: everything here refers to
//! everything else, and nothing here does anything. What is done with values stands in the other files, each of
//! which imports this one and those before it.

use crate::bounds::Bounds;
use crate::code::{Code, Locals};
use crate::error;
use crate::key::Key;
use crate::numpy::table::{Dtype, Table};
use crate::range::Range;
use crate::shared::Shared;
use diagnostics::{FileId, Span};
use indexmap::IndexMap;
use num_bigint::BigInt;
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::TextRange;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

/// Why a step gave no result.
pub type Failure = error::Failure<Value>;
/// Result of a step.
pub type Result<T> = std::result::Result<T, Failure>;

/// A value of Python.
#[derive(Clone, Debug)]
pub enum Value {
    /// int.
    Int(BigInt),
    /// float.
    Float(f64),
    /// bool.
    Bool(bool),
    /// str.
    Str(Rc<str>),
    /// `None`.
    None,
    /// tuple.
    Tuple(Rc<[Value]>),
    /// list.
    List(Rc<List>),
    /// dict.
    Dict(Rc<Dict>),
    /// set or frozenset.
    Set(Rc<Set>),
    /// `range(start, stop, step)`.
    Range(Range),
    /// `start:stop:step` between brackets; absent parts are `None`.
    Slice(Rc<[Value; 3]>),
    /// `...`.
    Ellipsis,
    /// A numpy array, or a numpy scalar if its rank is 0.
    Table(Rc<Table>),
    /// A numpy element type.
    Dtype(Dtype),
    /// What `iter` returns, also a running generator.
    Iter(IterRef),
    /// A function that the program defines.
    Function(Rc<Function>),
    /// A function or class of the library.
    Native(&'static Native),
    /// A callable with its first arguments: a bound method, or `functools.partial`.
    Bound(Rc<Bound>),
    /// A class.
    Class(Rc<Class>),
    /// An instance of a class.
    Object(Rc<Object>),
    /// `property`, `staticmethod` or `classmethod` of a function.
    Descriptor(Descriptor, Rc<Value>),
    /// `super()`: the class after which the search begins, and the instance.
    Super(Rc<(Rc<Class>, Value)>),
    /// A module of the library.
    Library(Library),
    /// A module of the program, by the host's number.
    Module(usize),
    /// A thing of the host.
    Host(Rc<dyn HostValue>),
}

/// A Python list.
pub type List = Shared<Vec<Value>>;
/// A Python dict: keys and values by their hash keys.
pub type Dict = Shared<Entries>;
/// A Python set or frozenset.
pub type Set = Shared<Elements>;
/// The entries of a dict, in order of insertion.
pub type Entries = IndexMap<Key, (Value, Value)>;
/// Attributes or variables by their names, in order of first binding.
pub type Attributes = IndexMap<String, Value>;

/// The elements of a set.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// In order of insertion.
    pub items: IndexMap<Key, Value>,
    /// Whether it is a frozenset.
    pub frozenset: bool,
}

/// A function that the program defines.
#[derive(Debug)]
pub struct Function {
    /// Its name, parameters and body.
    pub code: Rc<Code>,
    /// Defaults of the parameters that have one, evaluated at the definition, by parameter number.
    pub defaults: Vec<Option<Value>>,
    /// The module whose globals it sees.
    pub module: usize,
    /// The scope in which it is defined.
    pub scope: Option<Rc<Scope>>,
    /// Whether a decorator of the host's has marked it.
    pub marked: bool,
    /// Its results so far, if it keeps them.
    pub memo: Option<Memo>,
}

/// The results of a function so far.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    /// Whether equal arguments of different types are different ones.
    pub typed: bool,
    /// By their arguments, which stay alive with them.
    pub results: Rc<RefCell<Entries>>,
}

/// A callable with its first arguments.
#[derive(Debug)]
pub struct Bound {
    /// What is called.
    pub callee: Value,
    /// The arguments that come before those of the call.
    pub first: Vec<Value>,
    /// Named arguments that those of the call override.
    pub named: Vec<(String, Value)>,
    /// The class in which a method was found, for `super()`.
    pub owner: Option<Rc<Class>>,
}

/// How a class attribute behaves when read from an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Called with the instance.
    Property,
    /// Not bound.
    Static,
    /// Bound to the class.
    Class,
}

/// A class.
#[derive(Debug)]
pub struct Class {
    /// Its name.
    pub name: Rc<str>,
    /// The classes that it names as its bases.
    pub bases: Vec<Rc<Class>>,
    /// All classes that it inherits from, nearest first.
    pub inherited: Vec<Rc<Class>>,
    /// What its body binds.
    pub attrs: Shared<Attributes>,
    /// Python's own class of the name.
    pub builtin: Option<&'static str>,
    /// Names annotated in its body, in order.
    pub annotated: Vec<String>,
    /// What `@dataclass` has added.
    pub data: RefCell<Option<Rc<Data>>>,
    /// The members of an enum.
    pub members: RefCell<Option<Vec<Value>>>,
}

/// What `@dataclass` adds to a class.
#[derive(Debug)]
pub struct Data {
    /// Fields in order, inherited ones first.
    pub fields: Vec<Field>,
    /// Whether instances do not change.
    pub frozen: bool,
    /// Whether instances are ordered by their fields.
    pub order: bool,
    /// Whether instances are tuples of their fields.
    pub tuple: bool,
}

/// A field of a dataclass.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The value that it has if none is given.
    pub default: Option<Value>,
    /// What makes that value.
    pub factory: Option<Value>,
}

/// An instance of a class.
#[derive(Debug)]
pub struct Object {
    /// Its class.
    pub class: Rc<Class>,
    /// Its own attributes.
    pub attrs: Shared<Attributes>,
}

/// The variables of one call, of a comprehension or of a class body.
#[derive(Debug)]
pub struct Scope {
    /// Variables that have a value.
    pub vars: RefCell<Attributes>,
    /// The scope around it.
    pub parent: Option<Rc<Scope>>,
    /// What it is the scope of.
    pub of: ScopeOf,
    /// Whether nothing may change any more.
    pub frozen: Cell<bool>,
}

/// Kinds of scope.
#[derive(Debug)]
pub enum ScopeOf {
    /// A running function.
    Function(Rc<Code>),
    /// A class body, which functions in it do not see.
    Class(Locals),
    /// A comprehension.
    Comprehension,
}

/// An iterator, shared by all that refer to it.
#[derive(Clone, Debug)]
pub struct IterRef(pub Rc<RefCell<dyn Iterate>>);

/// What an iterator has still to give.
pub trait Iterate: fmt::Debug {
    /// The next element.
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>>;
    /// Whether it asks other iterators or calls functions, so that such may be piled up to any height.
    fn asks(&self) -> bool {
        true
    }
}

/// A module of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// `math`.
    Math,
    /// `numpy`, as far as tables need it.
    Numpy,
    /// `functools`.
    Functools,
    /// `itertools`.
    Itertools,
    /// `dataclasses`.
    Dataclasses,
    /// `enum`.
    Enum,
    /// `operator`.
    Operator,
}

/// A function of the library: one row of a table.
pub struct Native {
    /// Its name; that of a class too, such as `int`.
    pub name: &'static str,
    /// Names of its parameters, those with a star only by name; `**` takes any further names.
    pub params: &'static [&'static str],
    /// How many of them an argument is needed for.
    pub required: usize,
    /// Whether it takes any number of further arguments.
    pub rest: bool,
    /// Whether it is a method, whose first argument is apart.
    pub method: bool,
    /// What it does.
    pub run: fn(&mut Call) -> Result<Value>,
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A call of a native function, with its arguments bound to its parameters.
pub struct Call<'n> {
    /// The caller.
    pub names: &'n mut dyn Names,
    /// The call.
    pub span: Span,
    /// What a method is called on.
    pub this: Value,
    /// Further arguments by position.
    pub rest: Vec<Value>,
    /// Further arguments by name.
    pub named: Vec<(String, Value)>,
    /// The function's name.
    pub name: &'static str,
    /// Arguments by parameter number.
    pub args: Vec<Option<Value>>,
}

/// Arguments of a call.
#[derive(Clone, Debug)]
pub struct Args {
    /// By position.
    pub positional: Vec<Value>,
    /// By name.
    pub named: Vec<(String, Value)>,
    /// The call.
    pub span: Span,
}

/// A thing of the host among the values: a type, a function of its own, and the like. It has what its methods
/// say, and nothing else: no order, no truth, no operators.
pub trait HostValue: Any + fmt::Debug {
    /// What it is, for messages, with an article.
    fn kind(&self) -> &'static str;
    /// Its text, as `print` shows it.
    fn text(&self) -> String {
        format!("<{}>", self.kind())
    }
    /// The built-in of Python that it stands for when Python code uses it.
    fn stands_for(&self) -> Option<&'static str> {
        None
    }
    /// Whether it is the same as another thing of the host.
    fn equals(&self, other: &dyn HostValue) -> bool;
    /// What tells it from others in a dict or set; `None` if it cannot be there.
    fn key(&self) -> Option<String> {
        Some(format!("{} {}", self.kind(), self.text()))
    }
    /// An attribute.
    fn attribute(&self, _name: &str) -> Option<Value> {
        None
    }
    /// Names of all attributes that `from ... import *` binds.
    fn exported(&self) -> Vec<String> {
        Vec::new()
    }
    /// `self[index, ...]`: each index with its place; `None` if it has no elements.
    fn subscript(&self, _index: &[(Value, Span)], _span: Span) -> Option<Result<Value>> {
        None
    }
    /// Whether Python calls it callable.
    fn callable(&self) -> bool {
        false
    }
    /// Calls it; `None` if it cannot be called at compile time.
    fn call(&self, _args: &Args, _names: &mut dyn Names) -> Option<Result<Value>> {
        None
    }
    /// Stands above a function as a decorator; `None` if that is a call with the function.
    fn decorate(&self, _function: &Value, _span: Span) -> Option<Result<Value>> {
        None
    }
}

/// The program around the evaluator: modules with their globals, and text.
pub trait Host {
    /// What the evaluator keeps from one statement to the next.
    fn state(&mut self) -> &mut State;
    /// The value of a module's global, if it has one.
    fn global(&self, module: usize, name: &str, span: Span) -> Option<Result<Value>>;
    /// Binds a global of a module, or removes it; whether the module may still change.
    fn set_global(&mut self, module: usize, name: &str, value: Option<Value>) -> bool;
    /// A built-in of the host's own, which comes before Python's.
    fn builtin(&self, name: &str) -> Option<Value>;
    /// The error for a name that nothing binds; `locals` are names that could have been meant.
    fn undefined<'n>(
        &'n self,
        module: usize,
        name: &str,
        span: Span,
        locals: &mut dyn Iterator<Item = &'n str>,
    ) -> Failure;
    /// Calls a thing of the host's that its own [`HostValue::call`] does not: one that needs the host. `None`: it
    /// cannot be called.
    fn call(&mut self, _thing: &dyn HostValue, _args: &Args) -> Option<Result<Value>> {
        None
    }
    /// What a definition of a function makes at a place of a file, if it is a thing of the host's; `None`: a function.
    fn define(
        &mut self,
        _f: &StmtFunctionDef,
        _file: FileId,
        _place: &Place,
    ) -> Option<Result<Value>> {
        None
    }
    /// The module of an import statement in `module`, if it is not one of the library's.
    fn import(&mut self, module: usize, dotted: &str, level: u32, span: Span) -> Result<Value>;
    /// The public names of a module.
    fn exported(&self, module: usize) -> Vec<String>;
    /// Text of a file.
    fn text(&self, file: FileId) -> &str;
}

/// What the evaluator keeps for a whole program.
pub struct State {
    /// What it has used up.
    pub(crate) bounds: Bounds,
    /// The code of functions by the place of their definition.
    pub(crate) codes: HashMap<Span, Rc<Code>>,
    /// The evaluator, for its parts.
    pub(crate) evaluator: &'static dyn Evaluator,
}

/// The evaluator as its parts see it: each of these may need any other.
pub trait Evaluator {
    /// The value of an expression.
    fn eval(&self, expr: &Expr, names: &mut dyn Names) -> Result<Value>;
    /// Runs statements.
    fn exec(&self, stmts: &[Stmt], names: &mut dyn Names) -> Result<Flow>;
    /// Calls a value.
    fn call(&self, callee: &Value, args: Args, names: &mut dyn Names) -> Result<Value>;
    /// Runs a function that the program defines; `owner` is the class of which it is a method.
    fn run(
        &self,
        f: &Rc<Function>,
        args: Args,
        owner: Option<&Rc<Class>>,
        host: &mut dyn Host,
    ) -> Result<Value>;
    /// An attribute of a value, if it has one of the name.
    fn attribute(
        &self,
        object: &Value,
        name: &str,
        span: Span,
        names: &mut dyn Names,
    ) -> Result<Option<Value>>;
}

/// How a statement ended.
#[derive(Debug)]
pub enum Flow {
    /// At its end.
    Next,
    /// By `return`.
    Return(Value),
    /// By `break`.
    Break,
    /// By `continue`.
    Continue,
}

/// Where code runs: what functions defined there capture.
#[derive(Clone, Debug)]
pub struct Place {
    /// The module whose globals it sees.
    pub module: usize,
    /// The innermost scope of a function, class or comprehension.
    pub scope: Option<Rc<Scope>>,
    /// Whether its names are the host's, which functions cannot capture.
    pub foreign: bool,
}

/// Where names come from, and what evaluation may change.
pub trait Names {
    /// The value of a name; an error if it has none.
    fn lookup(&mut self, name: &str, span: Span) -> Result<Value>;
    /// Binds a name, or removes it.
    fn bind(&mut self, name: &str, value: Option<Value>, span: Span) -> Result<()>;
    /// The current file.
    fn file(&self) -> FileId;
    /// The whole text of the current file.
    fn file_text(&self) -> &str;
    /// Where the code runs.
    fn place(&self) -> Place;
    /// The program around.
    fn host(&mut self) -> &mut dyn Host;
    /// Calls a function that the program defines.
    fn call_function(&mut self, f: &Rc<Function>, args: Args) -> Result<Value> {
        let evaluator = self.host().state().evaluator;
        evaluator.run(f, args, None, self.host())
    }
    /// The place of a range of the current file.
    fn span(&self, range: TextRange) -> Span {
        span_of(self.file(), range)
    }
    /// Text of a range of the current file.
    fn source(&self, range: TextRange) -> String {
        self.file_text()[range].to_owned()
    }
}

/// The span of a range of a file.
pub fn span_of(file: FileId, range: TextRange) -> Span {
    Span {
        file,
        start: range.start().to_u32(),
        end: range.end().to_u32(),
    }
}
