//! Python as the holder of kernels: what the names of a kernel's function mean is asked of it while the kernel is
//! compiled.

use crate::values::Reader;
use allo_hls::frontend::given::{self, Named};
use allo_hls::frontend::hosted::{Attributes, Definition, Found, Holder, Stated};
use pyeval::Value;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::sync::{Arc, OnceLock};

/// The kernels that were come across, and the values that were made of objects.
pub struct Kernels {
    /// Objects of `allo.lang.kernel.Definition`, by the compiler's numbers.
    definitions: Vec<Py<PyAny>>,
    /// The values of the templates of the first.
    bindings: Vec<Py<PyAny>>,
    /// Gets the definitions once all are known.
    met: Met,
    reader: Reader,
}

/// Definitions of kernels, by the numbers that the compiler gives them.
pub type Met = Arc<OnceLock<Vec<Py<PyAny>>>>;

impl Kernels {
    /// With the kernel to be compiled.
    pub fn new(definition: Py<PyAny>, bindings: Vec<Py<PyAny>>, met: Met) -> Kernels {
        Kernels {
            definitions: vec![definition],
            bindings,
            met,
            reader: Reader::default(),
        }
    }

    fn describe(&mut self, py: Python<'_>, kernel: usize) -> PyResult<Definition> {
        let definition = self.definitions[kernel].bind(py).clone();
        let place = definition.call_method0("place")?;
        let (file, text, line, name) = place.extract()?;
        let templates = definition.getattr("templates")?;
        let templates = templates.cast_into::<PyTuple>()?;
        let templates: Vec<Value> = templates
            .iter()
            .map(|template| self.reader.template(&template))
            .collect::<PyResult<_>>()?;
        let mapping: Vec<Bound<'_, PyAny>> = definition.getattr("mapping")?.extract()?;
        let mapping = mapping.iter().map(|extent| self.value_of(extent));
        let mapping = mapping.collect::<Result<_, _>>();
        let decorator = Stated {
            options: self.if_any(&definition.getattr("options")?)?,
            templates,
            mapping: mapping.map_err(PyTypeError::new_err)?,
            foreign: self.if_any(&definition.getattr("foreign")?)?,
            is_helper: false,
        };
        let annotations = definition
            .call_method0("annotations")?
            .cast_into::<PyDict>()?;
        Ok(Definition {
            file,
            text,
            line,
            name,
            decorator,
            annotations: self.annotations(&annotations),
        })
    }

    /// Annotations that are objects already: no texts, and nothing with a template, which a text has by its name.
    fn annotations(&mut self, given: &Bound<'_, PyDict>) -> Vec<(String, Value)> {
        let mut annotations = Vec::new();
        for (name, object) in given.iter() {
            if !object.is_instance_of::<PyString>()
                && let Ok(name) = name.extract::<String>()
                && let Ok(value) = self.value_of(&object)
                && given::is_type(&value)
            {
                annotations.push((name, value));
            }
        }
        annotations
    }

    /// What an object gives as `items()`, unless it is None.
    fn if_any(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Option<Named>> {
        if object.is_none() {
            return Ok(None);
        }
        let mut named = Named::new();
        for item in object.call_method0("items")?.try_iter()? {
            let (name, value): (String, Bound<'_, PyAny>) = item?.extract()?;
            named.push((name, self.value_of(&value).map_err(PyTypeError::new_err)?));
        }
        Ok(Some(named))
    }

    fn value_of(&mut self, object: &Bound<'_, PyAny>) -> Found {
        let none = Attributes::default();
        self.reader.read(object, &none, &mut self.definitions)
    }
}

impl Holder for Kernels {
    fn known(&self) -> usize {
        self.definitions.len()
    }

    fn definition(&mut self, kernel: usize) -> Result<Definition, String> {
        Python::attach(|py| {
            let described = self.describe(py, kernel);
            described.map_err(|error| error.value(py).to_string())
        })
    }

    fn value(&mut self, kernel: usize, name: &str, attributes: &Attributes) -> Option<Found> {
        Python::attach(|py| {
            let definition = self.definitions[kernel].bind(py).clone();
            let found = definition
                .call_method1("lookup", (name,))
                .and_then(|found| found.extract::<Option<(Bound<'_, PyAny>,)>>());
            match found {
                Ok(None) => None,
                Ok(Some((object,))) => {
                    let read = self.reader.read(&object, attributes, &mut self.definitions);
                    Some(read)
                }
                Err(error) => Some(Err(error.value(py).to_string())),
            }
        })
    }

    fn bindings(&mut self) -> Vec<Value> {
        Python::attach(|py| {
            let met = self.definitions.iter().map(|one| one.clone_ref(py));
            // Asked once.
            let _ = self.met.set(met.collect());
            let bindings = std::mem::take(&mut self.bindings);
            let read = |object: &Py<PyAny>| self.value_of(object.bind(py)).unwrap_or(Value::None);
            bindings.iter().map(read).collect()
        })
    }
}
