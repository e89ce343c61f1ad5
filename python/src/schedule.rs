//! Schedules as objects: their methods are those of the compiler, by name.

use crate::compiled::{Compiled, Kernel};
use crate::errors::{self, Kind};
use crate::values::{self, Reader};
use allo_hls::directives::{self, Directive};
use allo_hls::frontend::hosted::Attributes;
use allo_hls::frontend::schedule::held::{self, Held, Open, Part};
use pyeval::{Args, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What Python's class `Schedule` is made of.
#[pyclass(subclass, frozen, module = "allo._native", name = "Schedule")]
pub struct Schedule {
    /// The kernel as it was compiled.
    pub kernel: Arc<Kernel>,
    held: Mutex<Held>,
}

/// A loop, a buffer, a kernel or a call of a schedule.
#[pyclass(frozen, module = "allo._native", name = "Ref")]
pub struct Ref {
    of: Py<Schedule>,
    part: Part,
}

impl Schedule {
    /// What it says.
    ///
    /// # Errors
    /// An earlier call has failed.
    pub fn directives(&self, py: Python<'_>) -> PyResult<Vec<Directive>> {
        let held = self.held();
        if held.is_of_worker() {
            let why = "this schedule is of a grid of workers: it is composed with that of the kernel that calls it";
            return Err(PyTypeError::new_err(why));
        }
        held.directives()
            .map(<[_]>::to_vec)
            .map_err(|wrong| errors::single(py, Kind::Schedule, wrong, &self.kernel.sources))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // After a panic of the compiler it is one that has failed.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Schedule {
    /// Of a compiled kernel; of the first worker of a grid with so many axes.
    #[new]
    #[pyo3(signature = (compiled, axes=0))]
    fn new(compiled: &Compiled, axes: usize) -> Schedule {
        let kernel = compiled.0.clone();
        let held = Mutex::new(Held::new(&kernel.compiled, axes));
        Schedule { kernel, held }
    }

    /// Calls a method of the compiler's by its name.
    fn _call<'py>(
        slf: &Bound<'py, Schedule>,
        method: &str,
        args: &Bound<'py, PyTuple>,
        named: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let schedule = slf.get();
        let mut held = schedule.held();
        let called = held.open(|open| {
            let argument = |object: &Bound<'py, PyAny>| argument(slf, open, object);
            let positional: PyResult<Vec<Value>> = args.iter().map(|arg| argument(&arg)).collect();
            let named: PyResult<Vec<(String, Value)>> = named
                .iter()
                .map(|(name, value)| Ok((name.extract()?, argument(&value)?)))
                .collect();
            let args = Args {
                positional: positional?,
                named: named?,
                span: Default::default(),
            };
            let result = open.call(&schedule.kernel.sources, method, &args);
            let result = result.map_err(|wrong| {
                errors::single(slf.py(), Kind::Schedule, wrong, &schedule.kernel.sources)
            })?;
            answer(slf, &result)
        });
        drop(held);
        called
    }

    /// The text of the kernel in the compiler's first form, as it is scheduled so far.
    #[getter]
    fn payload(&self) -> String {
        self.held().payload()
    }

    /// What it says, as a file for `--directives`.
    #[getter(directives)]
    fn directives_text(&self, py: Python<'_>) -> PyResult<String> {
        Ok(directives::to_toml(&Schedule::directives(self, py)?))
    }
}

#[pymethods]
impl Ref {
    /// What it was called when the reference was made.
    #[getter]
    fn name(&self) -> &str {
        self.part.name()
    }

    /// The schedule of which it is a part.
    #[getter]
    fn schedule(&self, py: Python<'_>) -> Py<Schedule> {
        self.of.clone_ref(py)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Ref>().is_ok_and(|other| {
            let other = other.get();
            other.of.is(&self.of) && other.part == self.part
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.part.name().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<'{}' of a schedule>", self.part.name())
    }
}

/// An argument: references and schedules are those of the compiler's, all else is a value as for kernels.
fn argument(of: &Bound<'_, Schedule>, open: &Open, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(one) = object.cast::<Ref>() {
        let one = one.get();
        return Ok(open.part(&one.part, one.of.is(of)));
    }
    if object.is(of) {
        return Ok(open.value());
    }
    if let Ok(other) = object.cast::<Schedule>() {
        let other = other.get();
        let number = of.get().kernel.number_of(&other.kernel);
        let held = other.held().clone().seen_from(number);
        return Ok(open.other(held));
    }
    let several = |items: &mut dyn Iterator<Item = Bound<'_, PyAny>>| {
        let items = items.map(|item| argument(of, open, &item));
        items.collect::<PyResult<Vec<Value>>>()
    };
    if let Ok(items) = object.cast::<PyList>() {
        return Ok(Value::list(several(&mut items.iter())?));
    }
    if let Ok(items) = object.cast::<PyTuple>() {
        return Ok(Value::tuple(several(&mut items.iter())?));
    }
    if let Ok(items) = object.cast::<PyIterator>() {
        let items = items.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        return Ok(Value::list(several(&mut items.into_iter())?));
    }
    let read = Reader::default().read(object, &Attributes::default(), &mut Vec::new());
    read.map_err(|why| PyTypeError::new_err(format!("an argument of a schedule's method: {why}")))
}

/// A result as an object.
fn answer<'py>(of: &Bound<'py, Schedule>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    if let Some(part) = held::part_of(value) {
        let of = of.clone().unbind();
        return Ok(Bound::new(py, Ref { of, part })?.into_any());
    }
    if held::is_schedule(value) {
        return Ok(of.clone().into_any());
    }
    let several = |items: &[Value]| -> PyResult<Vec<_>> {
        items.iter().map(|item| answer(of, item)).collect()
    };
    match value {
        Value::Tuple(items) => Ok(PyTuple::new(py, several(items)?)?.into_any()),
        Value::List(items) => Ok(PyList::new(py, several(&items.get())?)?.into_any()),
        other => values::to_python(py, other),
    }
}
