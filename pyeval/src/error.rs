//! How evaluation fails: what went wrong, as data, and how it travels to whoever reports or catches it.

use diagnostics::{Diagnostic, Span, closest};
use std::borrow::Cow;
use std::fmt;

/// Defines Python's exceptions: each with the class that it inherits from.
macro_rules! exceptions {
    ($($name:ident: $base:literal,)*) => {
        /// A class of exceptions that Python itself has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Exception {
            $(#[doc = concat!("`", stringify!($name), "`.")] $name,)*
        }

        impl Exception {
            /// Every class, with its name and the name of its base.
            pub const ALL: &[(Exception, &str, &str)] = &[$((Exception::$name, stringify!($name), $base),)*];
        }
    };
}

exceptions! {
    BaseException: "object",
    Exception: "BaseException",
    ArithmeticError: "Exception",
    ZeroDivisionError: "ArithmeticError",
    OverflowError: "ArithmeticError",
    FloatingPointError: "ArithmeticError",
    LookupError: "Exception",
    IndexError: "LookupError",
    KeyError: "LookupError",
    ValueError: "Exception",
    TypeError: "Exception",
    AttributeError: "Exception",
    NameError: "Exception",
    UnboundLocalError: "NameError",
    ImportError: "Exception",
    ModuleNotFoundError: "ImportError",
    AssertionError: "Exception",
    StopIteration: "Exception",
    RuntimeError: "Exception",
    NotImplementedError: "RuntimeError",
    RecursionError: "RuntimeError",
    OSError: "Exception",
    FileNotFoundError: "OSError",
    Warning: "Exception",
}

impl Exception {
    /// The class of a name.
    pub fn named(name: &str) -> Option<Exception> {
        let row = Exception::ALL.iter().find(|row| row.1 == name)?;
        Some(row.0)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let row = Exception::ALL.iter().find(|row| row.0 == self);
        row.map_or("Exception", |row| row.1)
    }
}

/// Text of a problem that has one cause only.
pub type Text = Cow<'static, str>;

/// A bound that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Steps of computation.
    Steps,
    /// Memory taken.
    Memory,
    /// Depth of calls.
    Calls,
    /// Size of an int.
    Int,
    /// Digits of an int in the text of the program.
    Literal,
    /// Elements of a sequence.
    Sequence,
    /// Length of a string.
    String,
    /// Length of the text of a value.
    Text,
    /// Length of formatted text.
    Formatted,
    /// Bounds of a range.
    Range,
    /// Bounds of a range as they are given.
    RangeBounds,
    /// Elements of an array.
    Elements,
    /// Elements or dimensions of an array.
    Array,
    /// Dimensions of an array.
    Dimensions,
    /// Parts of a value that shares them.
    Parts,
}

impl Limit {
    fn text(self) -> &'static str {
        match self {
            Limit::Steps => "compile-time computation takes too many steps",
            Limit::Memory => "compile-time computation takes too much memory",
            Limit::Calls => "compile-time calls are nested too deeply",
            Limit::Int => "a compile-time int exceeds 131072 bits",
            Limit::Literal => "the int literal is too long",
            Limit::Sequence => "a compile-time sequence exceeds 131072 elements",
            Limit::String => "the string exceeds 1 MiB",
            Limit::Text => "the text of the value is too long",
            Limit::Formatted => "the formatted text is too long",
            Limit::Range => "the range exceeds 64 bits",
            Limit::RangeBounds => "the bounds of a range exceed 64 bits",
            Limit::Elements => "the array has more than 2^20 elements",
            Limit::Array => "the array has more than 2^20 elements or 16 dimensions",
            Limit::Dimensions => "the array has more than 16 dimensions",
            Limit::Parts => "the value has too many parts",
        }
    }
}

/// What went wrong. Only what is an exception in Python can be caught by `except`: for the rest, Python
/// may well have a meaning that is lacking here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Python raises an exception here.
    Exception(Exception, Text),
    /// The text of the program raises an exception: the nearest class of Python's own, and its text.
    Raised(Exception, String),
    /// An assertion of the program failed, with what it says.
    Assertion(Option<String>),
    /// `raise` where no exception is being handled.
    NothingToRaise,
    /// The operands of an operator, by their kinds, do not go with it.
    Operands(&'static str, Vec<&'static str>),
    /// An index is out of range.
    Index,
    /// A dict has no key of this text.
    Key(String),
    /// A bound was exceeded.
    Limit(Limit),
    /// Something that kernels or others rely on cannot change any more: a variable, or a value.
    Frozen(Option<String>),
    /// A function cannot be made where its variables do not live.
    NoClosure,
    /// A name that nothing binds.
    Undefined(String),
    /// A value of the kind has no attribute of the name; perhaps another one was meant.
    NoAttribute {
        /// Kind of the value.
        kind: &'static str,
        /// The attribute.
        name: String,
        /// A name that is close.
        near: Option<String>,
    },
    /// The number of arguments is not that of the parameters.
    ArgumentCount {
        /// What is called.
        callee: String,
        /// Fewest and most.
        takes: (usize, usize),
        /// How many there are.
        given: usize,
    },
    /// An argument for a parameter is missing.
    ArgumentMissing {
        /// What is called.
        callee: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// There is no parameter of the name; perhaps another one was meant.
    NoParameter {
        /// What is called.
        callee: String,
        /// The name given.
        name: String,
        /// A name that is close.
        near: Option<String>,
    },
    /// It cannot be called.
    NotCallable(Text),
    /// A value of the first kind has no elements that one of the second kind names.
    NotIndexable(&'static str, &'static str),
    /// It cannot be assigned or deleted.
    Target(Text),
    /// The statement is not executed, or not in this form.
    Statement(Text),
    /// The expression is not evaluated, or not in this form.
    Expression(Text),
    /// It has a meaning in Python, but none here.
    Unsupported(Text),
}

impl Problem {
    /// An exception of Python, with its text.
    pub fn exception(class: Exception, text: impl Into<Text>) -> Problem {
        Problem::Exception(class, text.into())
    }

    /// The exception that it is in Python, which `except` may catch.
    pub fn class(&self) -> Option<Exception> {
        match self {
            Problem::Exception(class, _) | Problem::Raised(class, _) => Some(*class),
            Problem::Assertion(_) => Some(Exception::AssertionError),
            Problem::NothingToRaise => Some(Exception::RuntimeError),
            Problem::Operands(..) => Some(Exception::TypeError),
            Problem::Index => Some(Exception::IndexError),
            Problem::Key(_) => Some(Exception::KeyError),
            _ => None,
        }
    }

    /// Another name that is likely to be meant.
    pub fn near(&self) -> Option<&str> {
        match self {
            Problem::NoAttribute { near, .. } | Problem::NoParameter { near, .. } => {
                near.as_deref()
            }
            _ => None,
        }
    }

    /// An unknown parameter of a callee that has others.
    pub fn parameter<'a>(
        callee: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Problem {
        Problem::NoParameter {
            callee: callee.to_owned(),
            name: name.to_owned(),
            near: closest(name, known).map(str::to_owned),
        }
    }
}

impl From<Limit> for Problem {
    fn from(limit: Limit) -> Problem {
        Problem::Limit(limit)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Exception(_, text)
            | Problem::NotCallable(text)
            | Problem::Target(text)
            | Problem::Statement(text)
            | Problem::Expression(text)
            | Problem::Unsupported(text) => f.write_str(text),
            Problem::Raised(_, text) => f.write_str(text),
            Problem::Assertion(None) => f.write_str("assertion failed at compile time"),
            Problem::Assertion(Some(said)) => write!(f, "assertion failed at compile time: {said}"),
            Problem::NothingToRaise => f.write_str("there is no exception to raise again"),
            Problem::Operands(symbol, kinds) => {
                write!(
                    f,
                    "unsupported operands of '{symbol}': {}",
                    kinds.join(" and ")
                )
            }
            Problem::Index => f.write_str("the index is out of range"),
            Problem::Key(shown) => write!(f, "the dict has no key {shown}"),
            Problem::Limit(limit) => f.write_str(limit.text()),
            Problem::Frozen(None) => f.write_str("the value cannot change any more"),
            Problem::Frozen(Some(name)) => write!(f, "'{name}' cannot change any more"),
            Problem::NoClosure => f.write_str("a function cannot be made here"),
            Problem::Undefined(name) => write!(f, "Name '{name}' is not defined"),
            Problem::NoAttribute { kind, name, .. } => {
                write!(f, "{kind} has no attribute '{name}'")
            }
            Problem::ArgumentCount {
                callee,
                takes,
                given,
            } => {
                let takes = arity_text(takes.0, takes.1);
                write!(f, "{callee} takes {takes}, but {given} given")
            }
            Problem::ArgumentMissing { callee, parameter } => {
                write!(f, "{callee} needs an argument for '{parameter}'")
            }
            Problem::NoParameter { callee, name, .. } => {
                write!(f, "{callee} has no parameter '{name}'")
            }
            Problem::NotIndexable(object, index) => {
                write!(f, "{object} cannot be indexed with {index}")
            }
        }
    }
}

/// `2 arguments`, `1 to 3 arguments`.
pub fn arity_text(least: usize, most: usize) -> String {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    if least == most {
        format!("{least} argument{}", plural(most))
    } else if most == usize::MAX {
        format!("at least {least} argument{}", plural(least))
    } else {
        format!("{least} to {most} arguments")
    }
}

/// A problem at a place. `V` is the type of values.
#[derive(Debug)]
pub struct Error<V> {
    /// What went wrong.
    pub problem: Problem,
    /// Where.
    pub span: Span,
    /// The calls that led to it.
    pub notes: Vec<(Span, String)>,
    /// The exception object, where one was made.
    pub object: Option<V>,
}

/// Why a step gave no result.
#[derive(Debug)]
pub enum Failure<V> {
    /// A problem of the evaluator's.
    Error(Box<Error<V>>),
    /// A problem of the host's.
    Host(Box<Diagnostic>),
    /// A consequence of an error that has been reported.
    Reported,
}

impl<V> Failure<V> {
    /// A problem at a place.
    pub fn new(span: Span, problem: impl Into<Problem>) -> Failure<V> {
        Failure::Error(Box::new(Error {
            problem: problem.into(),
            span,
            notes: Vec::new(),
            object: None,
        }))
    }

    /// The problem, if it is one of the evaluator's.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Failure::Error(error) => Some(&error.problem),
            _ => None,
        }
    }

    /// Whether it is an exception in Python, which `except` may catch.
    pub fn is_exception(&self) -> bool {
        self.problem().and_then(Problem::class).is_some()
    }

    /// Adds a located note, unless there are enough of them.
    pub fn note_at(mut self, span: Span, text: impl Into<String>) -> Failure<V> {
        const ENOUGH: usize = 3;
        match &mut self {
            Failure::Error(error) if error.notes.len() < ENOUGH => {
                error.notes.push((span, text.into()));
            }
            Failure::Host(diagnostic) if diagnostic.notes.len() < ENOUGH => {
                diagnostic.notes.push((Some(span), text.into()));
            }
            _ => {}
        }
        self
    }
}

impl<V> From<Diagnostic> for Failure<V> {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Host(Box::new(diagnostic))
    }
}

/// Fails with a problem at a place.
pub fn fail<T, V>(span: Span, problem: impl Into<Problem>) -> Result<T, Failure<V>> {
    Err(Failure::new(span, problem))
}

/// Fails with an exception of Python's at a place.
pub fn raise<T, V>(class: Exception, span: Span, text: impl Into<Text>) -> Result<T, Failure<V>> {
    fail(span, Problem::exception(class, text))
}
