//! Objects of Python as values that the compiler knows while compiling, and back.

use crate::scalars::kind_of;
use crate::{arrays, integers};
use allo_hls::diagnostics::Diagnostic;
use allo_hls::frontend::codes;
use allo_hls::frontend::given;
use allo_hls::frontend::hosted::{Attributes, Found};
use pyeval::{Args, Elements, Entries, Failure, HostValue, Key, Names, Range, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyModule, PySet, PyString, PyTuple,
};
use std::any::Any;
use std::fmt;
use std::rc::Rc;

/// Deepest nesting of lists, tuples, dicts and objects.
const MAX_DEPTH: usize = 40;

/// Makes values of objects.
#[derive(Default)]
pub struct Reader {
    /// Templates are equal to themselves only.
    templates: Vec<(Py<PyAny>, Value)>,
}

/// One reading: what is read along the way.
struct Reading<'r> {
    reader: &'r mut Reader,
    attributes: &'r Attributes,
    definitions: &'r mut Vec<Py<PyAny>>,
    depth: usize,
}

impl Reader {
    /// The value of an object, of objects of other classes with these attributes alone. Kernels that are met are
    /// added to the definitions.
    ///
    /// # Errors
    /// Why a kernel cannot use it.
    pub fn read(
        &mut self,
        object: &Bound<'_, PyAny>,
        attributes: &Attributes,
        definitions: &mut Vec<Py<PyAny>>,
    ) -> Found {
        Reading {
            reader: self,
            attributes,
            definitions,
            depth: 0,
        }
        .value(object)
    }

    /// The value of a template.
    pub fn template(&mut self, template: &Bound<'_, PyAny>) -> PyResult<Value> {
        let known = self.templates.iter().find(|(one, _)| one.is(template));
        if let Some((_, value)) = known {
            return Ok(value.clone());
        }
        let name: String = template.getattr("name")?.extract()?;
        let value = given::template(&name);
        self.templates
            .push((template.clone().unbind(), value.clone()));
        Ok(value)
    }
}

/// The words of an exception, where it is the reason for something.
fn reason(error: PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}

impl Reading<'_> {
    fn value(&mut self, object: &Bound<'_, PyAny>) -> Found {
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".into());
        }
        self.depth += 1;
        let value = self.inner(object);
        self.depth -= 1;
        value
    }

    fn inner(&mut self, object: &Bound<'_, PyAny>) -> Found {
        if let Some(value) = plain(object) {
            return value;
        }
        if let Ok(what) = object.getattr_opt("_allo_").map_err(reason)?.ok_or(()) {
            // Classes that make up attributes as they are asked for are none of Allo's.
            if let Ok(what) = what.cast_into::<PyTuple>() {
                return self.thing(object, &what);
            }
        }
        if let Ok(items) = object.cast::<PyTuple>() {
            return self.tuple(items);
        }
        if let Ok(items) = object.cast::<PyList>() {
            return Ok(Value::list(self.items(items.iter())?));
        }
        if let Ok(entries) = object.cast::<PyDict>() {
            return self.dict(entries);
        }
        if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
            return self.set(object);
        }
        if let Some(array) = arrays::table(object) {
            return array;
        }
        if let Ok(module) = object.cast::<PyModule>() {
            return self.module(module);
        }
        self.other(object)
    }

    fn items<'py>(
        &mut self,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
    ) -> Result<Vec<Value>, String> {
        items.map(|item| self.value(&item)).collect()
    }

    /// A tuple; one with names has the attributes that the text mentions as well.
    fn tuple(&mut self, tuple: &Bound<'_, PyTuple>) -> Found {
        let fields = tuple.getattr_opt("_fields").map_err(reason)?;
        let Some(fields) = fields.and_then(|names| names.extract::<Vec<String>>().ok()) else {
            return Ok(Value::tuple(self.items(tuple.iter())?));
        };
        let Ok(items) = self.items(tuple.iter()) else {
            // Some of its attributes may have values all the same.
            return self.other(tuple);
        };
        let (name, others) = (kind_of(tuple), self.mentioned(tuple));
        let fields = fields.into_iter().zip(items).collect();
        Ok(pyeval::named_tuple(&name, fields, others))
    }

    fn dict(&mut self, entries: &Bound<'_, PyDict>) -> Found {
        let mut read = Entries::new();
        for (name, value) in entries.iter() {
            let name = self.value(&name)?;
            let value = self.value(&value)?;
            read.insert(key(&name)?, (name, value));
        }
        Ok(Value::dict(read))
    }

    fn set(&mut self, object: &Bound<'_, PyAny>) -> Found {
        let mut set = Elements::default();
        for item in object.try_iter().map_err(reason)? {
            let item = self.value(&item.map_err(reason)?)?;
            set.items.insert(key(&item)?, item);
        }
        // Python's order is not the same in each run.
        set.items
            .sort_unstable_by(|_, a, _, b| a.text().cmp(&b.text()));
        Ok(Value::set(set))
    }

    /// A thing of the package: its `_allo_` says what it is.
    fn thing(&mut self, object: &Bound<'_, PyAny>, what: &Bound<'_, PyTuple>) -> Found {
        let part = |at: usize| what.get_item(at).map_err(reason);
        let text = |at: usize| part(at)?.extract::<String>().map_err(reason);
        let kind = text(0)?;
        match kind.as_str() {
            "type" => {
                let name = text(1)?;
                given::read_type(&name).ok_or_else(|| format!("'{name}' is not a type"))
            }
            "shaped" => {
                let of = self.value(&part(1)?)?;
                let extents = part(2)?
                    .cast_into::<PyTuple>()
                    .map_err(|e| reason(e.into()))?;
                given::subscript(&of, &self.items(extents.iter())?)
            }
            "stream" => given::stream(self.value(&part(1)?)?, self.value(&part(2)?)?),
            "stateful" => given::stateful(self.value(&part(1)?)?),
            "applied" => {
                let (of, args) = (self.value(&part(1)?)?, part(2)?);
                let args = self.items(args.try_iter().map_err(reason)?.flatten())?;
                let Ok(named) = part(3)?.cast_into::<PyDict>() else {
                    return given::subscript(&of, &args);
                };
                let named = named
                    .iter()
                    .map(|(name, value)| Ok((name.to_string(), self.value(&value)?)));
                given::call(&of, args, named.collect::<Result<_, String>>()?)
            }
            "template" => self.reader.template(object).map_err(reason),
            "kernel" => {
                let number = self.kernel(part(1)?);
                let bindings = part(2)?
                    .cast_into::<PyTuple>()
                    .map_err(|e| reason(e.into()))?;
                given::kernel(number, &self.items(bindings.iter())?)
            }
            "function" => Ok(Value::Host(Rc::new(Callee {
                function: part(1)?.unbind(),
                name: text(2)?,
                consteval: true,
            }))),
            "options" => {
                let named = object.call_method0("items").map_err(reason)?;
                let named = named.extract::<Vec<(String, Bound<'_, PyAny>)>>();
                let named = named.map_err(reason)?.into_iter();
                let named = named.map(|(name, value)| Ok((name, self.value(&value)?)));
                given::options(named.collect::<Result<_, String>>()?)
            }
            _ => {
                let name = text(1)?;
                given::named(&name)
                    .ok_or_else(|| format!("'{name}' is not part of the language yet"))
            }
        }
    }

    /// The number of a kernel's definition.
    fn kernel(&mut self, definition: Bound<'_, PyAny>) -> usize {
        let known = self.definitions.iter().position(|one| one.is(&definition));
        known.unwrap_or_else(|| {
            self.definitions.push(definition.unbind());
            self.definitions.len() - 1
        })
    }

    fn module(&mut self, module: &Bound<'_, PyModule>) -> Found {
        let name = module.name().and_then(|name| name.extract::<String>());
        let name = name.map_err(reason)?;
        match given::module(&name) {
            Some(value) => Ok(value),
            None => self.record(&name, module),
        }
    }

    /// An object by those of its attributes that the text mentions.
    fn record(&mut self, label: &str, object: &Bound<'_, PyAny>) -> Found {
        Ok(pyeval::record(label, self.mentioned(object)))
    }

    /// The attributes of an object that the text mentions, as far as they have values.
    fn mentioned(&mut self, object: &Bound<'_, PyAny>) -> pyeval::Attributes {
        let mut attributes = pyeval::Attributes::new();
        for name in self.attributes {
            let Ok(Some(value)) = object.getattr_opt(name.as_str()) else {
                continue;
            };
            if let Ok(value) = self.value(&value) {
                attributes.insert(name.clone(), value);
            }
        }
        attributes
    }

    /// Functions, classes and their instances.
    fn other(&mut self, object: &Bound<'_, PyAny>) -> Found {
        let label = |of: &Bound<'_, PyAny>| -> Option<String> {
            of.getattr("__name__").ok()?.extract().ok()
        };
        let own = label(object);
        if let Some(name) = &own
            && is_builtin(object)
        {
            return given::named(name)
                .ok_or_else(|| format!("Python's '{name}' is not available at compile time"));
        }
        let class = object.get_type();
        if object.is_callable() && own.is_some() && !object.is_instance_of::<pyo3::types::PyType>()
        {
            return Ok(Value::Host(Rc::new(Callee {
                function: object.clone().unbind(),
                name: own.unwrap_or_default(),
                consteval: false,
            })));
        }
        // Members of enums that are numbers, numbers of other libraries.
        if object.is_instance_of::<PyFloat>() {
            return object.extract().map(Value::Float).map_err(reason);
        }
        if let Some(range) = range(object) {
            return range;
        }
        let name = own.or_else(|| label(&class)).unwrap_or_default();
        self.record(&name, object)
    }
}

/// Numbers, strings and `None`.
fn plain(object: &Bound<'_, PyAny>) -> Option<Found> {
    if object.is_none() {
        return Some(Ok(Value::None));
    }
    if let Ok(value) = object.cast::<PyBool>() {
        return Some(Ok(Value::Bool(value.is_true())));
    }
    if object.is_instance_of::<PyInt>() {
        return Some(
            integers::from_python(object)
                .map(Value::Int)
                .map_err(reason),
        );
    }
    if object.is_exact_instance_of::<PyFloat>() {
        return Some(object.extract().map(Value::Float).map_err(reason));
    }
    let text = object.cast::<PyString>().ok()?;
    Some(
        text.extract::<String>()
            .map(|t| Value::str(&t))
            .map_err(reason),
    )
}

/// One of Python's own ranges; `None` for other objects.
fn range(object: &Bound<'_, PyAny>) -> Option<Found> {
    let class = object.get_type();
    if !is_builtin(&class) || class.name().ok()? != "range" {
        return None;
    }
    let part = |name: &str| object.getattr(name)?.extract::<i64>();
    let read = || -> PyResult<Range> {
        Ok(Range {
            start: part("start")?,
            stop: part("stop")?,
            step: part("step")?,
        })
    };
    Some(read().map(Value::Range).map_err(reason))
}

fn is_builtin(object: &Bound<'_, PyAny>) -> bool {
    let module = object.getattr("__module__");
    module.is_ok_and(|name| {
        name.extract::<String>()
            .is_ok_and(|name| name == "builtins")
    })
}

fn key(value: &Value) -> Result<Key, String> {
    Key::of(value).map_err(|problem| problem.to_string())
}

/// A function of Python: kernels call those that are decorated with `consteval`, while compiling.
struct Callee {
    function: Py<PyAny>,
    name: String,
    consteval: bool,
}

impl fmt::Debug for Callee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {} at {:p}", self.name, self.function.as_ptr())
    }
}

impl HostValue for Callee {
    fn kind(&self) -> &'static str {
        "a Python function"
    }
    fn equals(&self, other: &dyn HostValue) -> bool {
        let other = (other as &dyn Any).downcast_ref::<Callee>();
        other.is_some_and(|other| other.function.is(&self.function))
    }
    fn key(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
    fn callable(&self) -> bool {
        true
    }
    fn call(&self, args: &Args, _: &mut dyn Names) -> Option<Result<Value, Failure>> {
        let fail = |code, message: String| Diagnostic::error(code, args.span, message);
        if !self.consteval {
            let message = format!("'{}' is a Python function, not a kernel", self.name);
            let help = "decorate it with @consteval to call it at compile time, or with @kernel";
            return Some(Err(fail(codes::NOT_CALLABLE, message).help(help).into()));
        }
        let called = Python::attach(|py| self.called(py, args));
        Some(called.map_err(|(code, message)| fail(code, message).into()))
    }
}

type Wrong = (&'static str, String);

impl Callee {
    fn called(&self, py: Python<'_>, args: &Args) -> Result<Value, Wrong> {
        let given = |value: &Value| {
            to_python(py, value).map_err(|error| (codes::RAISED, error.value(py).to_string()))
        };
        let positional = args.positional.iter().map(given);
        let positional = positional.collect::<Result<Vec<_>, _>>()?;
        let raised = |error: PyErr| {
            let kind = error.get_type(py).qualname().map(|name| name.to_string());
            let kind = kind.unwrap_or_default();
            (codes::RAISED, format!("{kind}: {}", error.value(py)))
        };
        let named = PyDict::new(py);
        for (name, value) in &args.named {
            named.set_item(name, given(value)?).map_err(raised)?;
        }
        let positional = PyTuple::new(py, positional).map_err(raised)?;
        let function = self.function.bind(py);
        let result = function.call(positional, Some(&named)).map_err(raised)?;
        // Kernels would need numbers: the ones that there are, are gathered by now.
        let (mut reader, mut kernels) = (Reader::default(), Vec::new());
        let value = reader.read(&result, &Attributes::default(), &mut kernels);
        match (value, kernels.is_empty()) {
            (Ok(value), true) => Ok(value),
            (Ok(_), false) => {
                let why = format!("'{}' gives a kernel, which it cannot", self.name);
                Err((codes::CONST_EVAL, why))
            }
            (Err(why), _) => {
                let why = format!("what '{}' gives is no value for a kernel: {why}", self.name);
                Err((codes::CONST_EVAL, why))
            }
        }
    }
}

/// A value as an object.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let several = |values: &[Value]| -> PyResult<Vec<_>> {
        values.iter().map(|value| to_python(py, value)).collect()
    };
    match value {
        Value::None => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::Int(value) => integers::to_python(py, value),
        Value::Float(value) => value.into_bound_py_any(py),
        Value::Str(text) => text.into_bound_py_any(py),
        Value::Tuple(items) => Ok(PyTuple::new(py, several(items)?)?.into_any()),
        Value::List(items) => Ok(PyList::new(py, several(&items.get())?)?.into_any()),
        Value::Table(table) => arrays::to_python(py, table),
        Value::Range(Range { start, stop, step }) => py
            .import("builtins")?
            .call_method1("range", (start, stop, step)),
        Value::Dict(dict) => {
            let made = PyDict::new(py);
            for (name, value) in dict.get().values() {
                made.set_item(to_python(py, name)?, to_python(py, value)?)?;
            }
            Ok(made.into_any())
        }
        Value::Host(_) => {
            let objects = py.import("allo._objects")?;
            objects.call_method1("from_text", (value.text(),))
        }
        other => {
            let message = format!("{} cannot be passed to Python", other.kind());
            Err(pyo3::exceptions::PyTypeError::new_err(message))
        }
    }
}
