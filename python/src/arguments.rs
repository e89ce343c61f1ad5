//! Arguments of a call as elements for a run, and what the run leaves behind as results and in the arrays of the
//! caller.

use crate::arrays;
use crate::elements::{array, new_array, write_array};
use crate::scalars::{kind_of, scalar, to_python};
use allo_hls::rtl::interface::manifest::Flow;
use allo_hls::sim::elements::{Elements, Invocation};
use allo_hls::sim::value::{Signature, Slot, Value};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// The arguments of a call in the order of the parameters, those by name put in their places.
///
/// # Errors
/// `TypeError` as of a function of Python.
pub fn in_order<'py>(
    name: &str,
    signature: &Signature,
    args: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let wrong = |message: String| Err(PyTypeError::new_err(format!("{name}() {message}")));
    let params = &signature.params;
    if args.len() > params.len() {
        let (takes, given) = (params.len(), args.len());
        return wrong(format!("takes {takes} arguments, but {given} are given"));
    }
    let mut given = 0;
    let mut all: Vec<Bound<'py, PyAny>> = args.iter().collect();
    for slot in &params[args.len()..] {
        let value = match named {
            Some(named) => named.get_item(&slot.name)?,
            None => None,
        };
        match value {
            Some(value) => all.push(value),
            None => {
                return wrong(format!(
                    "needs an argument for the parameter '{}'",
                    slot.name
                ));
            }
        }
        given += 1;
    }
    match named {
        Some(named) if named.len() > given => {
            let unused = |name: &String| !params[args.len()..].iter().any(|s| s.name == *name);
            let names: Vec<String> = named.keys().extract()?;
            let unknown = names.into_iter().find(unused).unwrap_or_default();
            match params.iter().any(|slot| slot.name == unknown) {
                true => wrong(format!("gets two values for the parameter '{unknown}'")),
                false => wrong(format!("has no parameter '{unknown}'")),
            }
        }
        _ => Ok(all),
    }
}

/// Makes elements of the arguments. Arrays that the kernel writes have to be writable, and to share memory with no
/// other.
///
/// # Errors
/// `TypeError` and `ValueError` that name the parameter.
pub fn read(
    signature: &Signature,
    written: &[bool],
    args: &[Bound<'_, PyAny>],
) -> PyResult<Invocation> {
    let mut invocation = Invocation::of(Vec::new());
    let mut changed: Vec<Bound<'_, PyAny>> = Vec::new();
    for (number, (slot, arg)) in signature.params.iter().zip(args).enumerate() {
        let named = |error: PyErr| in_parameter(arg.py(), slot, error);
        let values = match (slot.flow, slot.is_array()) {
            (Some(Flow::Out), _) => room(arg).map(|()| Vec::new()),
            (Some(Flow::In), _) => stream(slot, arg),
            (None, true) => array(slot.ty, slot.shape.as_deref().unwrap_or(&[]), arg),
            (None, false) => scalar(slot.ty, arg).map(|value| vec![value]),
        };
        invocation.push(slot, values.map_err(named)?);
        if written[number] && slot.is_array() && !slot.is_stream() {
            check_written(arg).map_err(named)?;
            changed.push(arg.clone());
        }
    }
    check_apart(signature, args, &changed)?;
    Ok(invocation)
}

/// Refuses an array that cannot be written, or of which several elements would change at once.
fn check_written(array: &Bound<'_, PyAny>) -> PyResult<()> {
    let writeable = array.getattr("flags")?.getattr("writeable")?;
    if !writeable.extract::<bool>()? {
        let message = "is a read-only array that the kernel writes";
        return Err(PyValueError::new_err(message));
    }
    match arrays::may_overlap_itself(array)? {
        true => Err(PyValueError::new_err(
            "has elements that share memory with one another, and the kernel writes it",
        )),
        false => Ok(()),
    }
}

/// Refuses an array that the kernel writes and that shares memory with another argument.
fn check_apart(
    signature: &Signature,
    args: &[Bound<'_, PyAny>],
    changed: &[Bound<'_, PyAny>],
) -> PyResult<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let arrays = signature.params.iter().zip(args);
    let arrays = arrays.filter(|(slot, _)| slot.is_array() && !slot.is_stream());
    let arrays: Vec<_> = arrays.collect();
    if arrays.len() < 2 {
        return Ok(());
    }
    for one in changed {
        for (slot, other) in &arrays {
            let same = one.is(*other);
            let count = arrays.iter().filter(|(_, array)| array.is(one)).count();
            let shared = match same {
                true => count > 1,
                false => arrays::may_overlap(one, other)?,
            };
            if shared {
                let message = format!(
                    "parameter '{}' shares memory with another argument, and the kernel writes one of them",
                    slot.name
                );
                return Err(PyValueError::new_err(message));
            }
        }
    }
    Ok(())
}

/// The error with the name of the parameter in front.
fn in_parameter(py: Python<'_>, slot: &Slot, error: PyErr) -> PyErr {
    let message = format!("parameter '{}' {}", slot.name, error.value(py));
    if error.is_instance_of::<PyOverflowError>(py) || error.is_instance_of::<PyValueError>(py) {
        return PyValueError::new_err(message);
    }
    match error.is_instance_of::<PyTypeError>(py) {
        true => PyTypeError::new_err(message),
        false => error,
    }
}

/// The elements that are offered to a stream: those of a list, a tuple or an array.
fn stream(slot: &Slot, arg: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    let Ok(items) = arg.try_iter() else {
        let message = format!(
            "takes the elements of a stream of {}, not {}",
            slot.ty,
            kind_of(arg)
        );
        return Err(PyTypeError::new_err(message));
    };
    let leaves = items.map(|item| match &slot.packed {
        None => scalar(slot.ty, &item?).map(|value| vec![value]),
        Some(block) => array(block.elem, &block.shape, &item?),
    });
    let leaves: PyResult<Vec<Vec<Value>>> = leaves.collect();
    let values = slot.gathered(leaves?.concat());
    match values.len() <= slot.len() {
        true => Ok(values),
        false => Err(PyValueError::new_err(format!(
            "has {} elements, which are more than a run transfers: {}",
            values.len(),
            slot.len()
        ))),
    }
}

/// Whether there is a place for what a stream gives: a list that becomes longer, or an array of one dimension.
fn room(arg: &Bound<'_, PyAny>) -> PyResult<()> {
    if arrays::is_array(arg) {
        return check_written(arg);
    }
    if arg.is_instance_of::<PyList>() {
        return Ok(());
    }
    let message = format!(
        "takes a list or an array for what comes out, not {}",
        kind_of(arg)
    );
    Err(PyTypeError::new_err(message))
}

fn write_stream(slot: &Slot, elements: &Elements, arg: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = arg.py();
    if let Ok(list) = arg.cast::<PyList>() {
        for value in elements.iter() {
            list.append(transferred(py, slot, &value)?)?;
        }
        return Ok(());
    }
    let space = arg.len()?;
    if elements.len() > space {
        let count = elements.len();
        let message = format!(
            "parameter '{}' has room for {space} elements, but {count} came out",
            slot.name
        );
        return Err(PyValueError::new_err(message));
    }
    for (position, value) in elements.iter().enumerate() {
        arg.set_item(position, transferred(py, slot, &value)?)?;
    }
    Ok(())
}

/// An element of a stream: a scalar, or the array of a block.
fn transferred<'py>(py: Python<'py>, slot: &Slot, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match &slot.packed {
        None => to_python(py, slot.ty, value),
        Some(block) => {
            let elements = Elements::given(block.elem, slot.leaves(value));
            new_array(py, block.elem, &block.shape, &elements)
        }
    }
}

/// What a run leaves behind: parameters, then results.
pub struct Outcome {
    /// Elements of each parameter; of a stream those that were transferred.
    pub params: Vec<Elements>,
    /// Elements of each result.
    pub results: Vec<Elements>,
}

/// Puts what was written into the arrays of the caller, and gives the result: nothing, one, or a tuple.
pub fn write<'py>(
    py: Python<'py>,
    signature: &Signature,
    written: &[bool],
    args: &[Bound<'py, PyAny>],
    outcome: &Outcome,
) -> PyResult<Bound<'py, PyAny>> {
    for (number, slot) in signature.params.iter().enumerate() {
        let elements = &outcome.params[number];
        match slot.flow {
            Some(Flow::Out) => write_stream(slot, elements, &args[number])?,
            Some(Flow::In) => {}
            None if slot.is_array() && written[number] => {
                let into = &args[number];
                write_array(slot.ty, elements, elements.touched(), into)
                    .map_err(|error| in_parameter(py, slot, error))?;
            }
            None => {}
        }
    }
    let results = signature.results.iter().zip(&outcome.results);
    let results = results.map(|(slot, elements)| match &slot.shape {
        None => to_python(py, slot.ty, &elements.get(0)),
        Some(shape) => new_array(py, slot.ty, shape, elements),
    });
    let mut results = results.collect::<PyResult<Vec<_>>>()?;
    match results.len() {
        0 => Ok(py.None().into_bound(py)),
        1 => Ok(results.remove(0)),
        _ => Ok(PyTuple::new(py, results)?.into_any()),
    }
}
