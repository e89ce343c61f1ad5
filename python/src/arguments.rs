//! Arguments of a call as elements for a run, and what the run leaves behind as results and in the arrays of the
//! caller.

use crate::arrays::{self, Cell};
use crate::{integers, with_cell_type};
use allo_hls::ir::{FloatFormat, Scalar};
use allo_hls::rtl::interface::manifest::Flow;
use allo_hls::sim::elements::{Elements, Invocation};
use allo_hls::sim::formats;
use allo_hls::sim::value::{Data, Signature, Slot, Value};
use numpy::PyReadwriteArrayDyn;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyTuple};
use std::borrow::Cow;

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
            if !arg
                .getattr("flags")?
                .getattr("writeable")?
                .extract::<bool>()?
            {
                return Err(named(PyValueError::new_err(
                    "is a read-only array that the kernel writes",
                )));
            }
            changed.push(arg.clone());
        }
    }
    check_apart(signature, args, &changed)?;
    Ok(invocation)
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

fn out_of_range(ty: Scalar, shown: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("is out of the range of {ty}: {shown}"))
}

fn kind_of(arg: &Bound<'_, PyAny>) -> String {
    let name = arg.get_type().name();
    name.map_or_else(|_| "an object".into(), |name| name.to_string())
}

/// The value of a scalar.
fn scalar(ty: Scalar, arg: &Bound<'_, PyAny>) -> PyResult<Value> {
    match ty {
        Scalar::Int { .. } | Scalar::Index => integer(ty, arg),
        Scalar::Float(_) | Scalar::Storage(_) => float(ty, arg),
    }
}

fn integer(ty: Scalar, arg: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(small) = arg.extract::<i64>() {
        let value = Value::int(ty, small.into());
        let same = match &value.data {
            Data::Int(kept) if ty.width() <= 64 => *kept == i128::from(small),
            _ => false,
        };
        if same {
            return Ok(value);
        }
    }
    // numpy's own truth values are no ints for Python.
    let is_truth = arg
        .get_type()
        .name()
        .is_ok_and(|name| name == "bool" || name == "bool_");
    let number = match integers::from_python(arg) {
        Ok(number) => number,
        Err(_) if is_truth => i64::from(arg.is_truthy()?).into(),
        Err(_) => {
            let message = format!("is an integer ({ty}), not {}", kind_of(arg));
            return Err(PyTypeError::new_err(message));
        }
    };
    match ty.int_range() {
        Some((least, most)) if number < least || number > most => Err(out_of_range(ty, number)),
        _ => Ok(Value::wrapped(ty, number)),
    }
}

fn float(ty: Scalar, arg: &Bound<'_, PyAny>) -> PyResult<Value> {
    let number = if arg.is_instance_of::<PyInt>() {
        formats::exact_int(integers::from_python(arg)?)
    } else {
        let Ok(number) = arg.extract::<f64>() else {
            let message = format!("is a number ({ty}), not {}", kind_of(arg));
            return Err(PyTypeError::new_err(message));
        };
        match ty {
            Scalar::Float(FloatFormat::F64) => {
                return Ok(Value::new(Data::Float(number.to_bits().into())));
            }
            Scalar::Float(FloatFormat::F32) if !number.is_nan() => {
                let bits = (number as f32).to_bits();
                return Ok(Value::new(Data::Float(bits.into())));
            }
            _ => formats::unpack(Scalar::Float(FloatFormat::F64), number.to_bits().into()),
        }
    };
    let bits = match ty {
        Scalar::Storage(_) => formats::pack_in_range(ty, &number, false),
        _ => Some(formats::pack(ty, &number, false)),
    };
    let bits = bits.ok_or_else(|| out_of_range(ty, arg))?;
    Ok(Value::new(Data::Float(bits)))
}

// Arrays ----------------------------------------------------------------------------------------------

/// How the elements of an array stand in numpy's.
enum Form {
    /// As integers of the type of this name.
    Integers(Cow<'static, str>),
    /// As bit patterns, in floats or unsigned integers of the type of this name.
    Patterns(Cow<'static, str>),
    /// As bit patterns in elements of a type of another library, which are looked at as unsigned integers of this type.
    Foreign(&'static str),
    /// As objects: ints, or bit patterns that are too wide for anything else.
    Objects,
}

/// The name of numpy's or of `ml_dtypes` for a float type, if it has one.
fn float_name(ty: Scalar) -> Option<&'static str> {
    Some(match ty {
        Scalar::Float(FloatFormat::F16) => "float16",
        Scalar::Float(FloatFormat::BF16) => "bfloat16",
        Scalar::Float(FloatFormat::F32) => "float32",
        Scalar::Float(FloatFormat::F64) => "float64",
        Scalar::Storage(format) => match format.name() {
            "f8e4m3" => "float8_e4m3fn",
            "f8e5m2" => "float8_e5m2",
            "f4e2m1" => "float4_e2m1fn",
            _ => return None,
        },
        _ => return None,
    })
}

/// Name of the smallest unsigned integer type of numpy that is at least so wide.
fn unsigned_name(width: u32) -> Option<&'static str> {
    let sizes = [(8, "uint8"), (16, "uint16"), (32, "uint32"), (64, "uint64")];
    let found = sizes.into_iter().find(|(size, _)| *size >= width);
    found.map(|(_, name)| name)
}

/// Whether all integers of a type are among those of numpy's type of a name.
fn holds(name: &str, ty: Scalar) -> bool {
    let range = |ty: Scalar| ty.int_range();
    let of_numpy = match name {
        "bool" => Some(Scalar::BOOL),
        _ => {
            let signed = name.starts_with("int");
            let digits = name.trim_start_matches("uint").trim_start_matches("int");
            digits
                .parse()
                .ok()
                .map(|width| Scalar::Int { signed, width })
        }
    };
    match (of_numpy.and_then(range), range(ty)) {
        (Some(outer), Some(inner)) => outer.0 <= inner.0 && inner.1 <= outer.1,
        _ => false,
    }
}

/// The types of numpy that take a type, for messages.
fn wanted(ty: Scalar) -> String {
    match ty {
        Scalar::Int { .. } | Scalar::Index => {
            let names = [
                "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
            ];
            let fitting = names.into_iter().filter(|name| holds(name, ty));
            match fitting.collect::<Vec<_>>() {
                none if none.is_empty() => "object".into(),
                some => some.join(" or "),
            }
        }
        _ => match (float_name(ty), unsigned_name(ty.width())) {
            (Some(name @ ("float32" | "float64")), _) => name.into(),
            (Some(name), Some(bits)) => format!("{name}, or its bit patterns as {bits}"),
            (None, Some(bits)) => format!("its bit patterns as {bits}"),
            _ => "its bit patterns as object".into(),
        },
    }
}

/// How an array holds elements of a type.
fn form(ty: Scalar, array: &Bound<'_, PyAny>) -> PyResult<Form> {
    let name = arrays::dtype_name(array)?;
    let is_native = arrays::is_native(array)?;
    let found = match ty {
        _ if !is_native => None,
        Scalar::Int { .. } | Scalar::Index => match &*name {
            "object" => Some(Form::Objects),
            other => holds(other, ty).then(|| Form::Integers(name.clone())),
        },
        _ => {
            let bits = unsigned_name(ty.width());
            match (float_name(ty), &*name) {
                (Some(own @ ("float32" | "float64")), name) => {
                    (own == name).then_some(Form::Patterns(own.into()))
                }
                (Some(own), name) if own == name => bits.map(Form::Foreign),
                (_, name) if bits == Some(name) => bits.map(|bits| Form::Patterns(bits.into())),
                (_, name) => (bits.is_none() && name == "object").then_some(Form::Objects),
            }
        }
    };
    found.ok_or_else(|| {
        let order = if is_native {
            ""
        } else {
            " of another byte order"
        };
        let message = format!(
            "is an array of {name}{order}; for {ty} it takes {}",
            wanted(ty)
        );
        PyTypeError::new_err(message)
    })
}

/// The elements of an array.
fn array(ty: Scalar, shape: &[u64], arg: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    if !arrays::is_array(arg) {
        let message = format!("is an array of numpy, not {}", kind_of(arg));
        return Err(PyTypeError::new_err(message));
    }
    let given = arrays::shape_of(arg)?;
    if shape != given {
        let shown = |shape: &[u64]| PyTuple::new(arg.py(), shape).map(|t| t.to_string());
        let message = format!("has the shape {}, not {}", shown(shape)?, shown(&given)?);
        return Err(PyValueError::new_err(message));
    }
    let values = match form(ty, arg)? {
        Form::Integers(name) => with_cell_type!(&*name, T => integers_in::<T>(ty, arg)?),
        Form::Patterns(name) => with_cell_type!(&*name, T => patterns_in::<T>(ty, arg)?),
        Form::Foreign(name) => {
            let bits = arrays::bits_of(arg, name)?;
            with_cell_type!(name, T => patterns_in::<T>(ty, &bits)?)
        }
        Form::Objects => Some(objects_in(ty, arg)?),
    };
    Ok(values.expect("names of forms are those of integers"))
}

fn integers_in<T: Cell>(ty: Scalar, array: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    let array = arrays::reading::<T>(array)?;
    let view = array.as_array();
    let value = |cell: &T| {
        let number = cell.number();
        let value = Value::int(ty, number);
        match value.data {
            Data::Int(kept) if kept == number => Ok(value),
            _ => Err(out_of_range(ty, number)),
        }
    };
    view.iter().map(value).collect()
}

fn patterns_in<T: Cell>(ty: Scalar, array: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    let array = arrays::reading::<T>(array)?;
    let view = array.as_array();
    let value = |cell: &T| {
        let bits = cell.number() as u128;
        match bits >> ty.width() {
            0 => Ok(Value::new(Data::Float(bits))),
            _ => Err(out_of_range(ty, format!("0x{bits:x}"))),
        }
    };
    view.iter().map(value).collect()
}

fn objects_in(ty: Scalar, array: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    let items = array.call_method0("ravel")?.call_method0("tolist")?;
    let items = items.cast_into::<PyList>()?;
    let pattern = Scalar::unsigned(ty.width());
    let is_float = matches!(ty, Scalar::Float(_) | Scalar::Storage(_));
    items
        .iter()
        .map(|item| match is_float {
            false => integer(ty, &item),
            true => {
                let bits = integer(pattern, &item)?;
                Ok(Value::wrapped(ty, bits.data.to_bigint()))
            }
        })
        .collect()
}

/// Puts elements at some positions, in order, into an array.
fn write_array(
    ty: Scalar,
    elements: &Elements,
    positions: impl Iterator<Item = usize>,
    array: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let positions: Vec<usize> = positions.collect();
    if positions.is_empty() {
        return Ok(());
    }
    match form(ty, array)? {
        Form::Integers(name) | Form::Patterns(name) => {
            with_cell_type!(&*name, T => write_cells::<T>(elements, &positions, array)?)
        }
        Form::Foreign(name) => {
            let bits = arrays::bits_of(array, name)?;
            with_cell_type!(name, T => write_cells::<T>(elements, &positions, &bits)?)
        }
        Form::Objects => {
            let flat = array.getattr("flat")?;
            for position in positions {
                let number = elements.get(position).data.to_bigint();
                flat.set_item(position, integers::to_python(array.py(), &number)?)?;
            }
            Some(())
        }
    };
    Ok(())
}

fn write_cells<T: Cell>(
    elements: &Elements,
    positions: &[usize],
    array: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let mut array: PyReadwriteArrayDyn<'_, T> = arrays::writing(array)?;
    let mut view = array.as_array_mut();
    let mut cells = view.iter_mut();
    let mut next = 0;
    for &position in positions {
        let number = match elements.get(position).data {
            Data::Int(number) => number,
            Data::Float(bits) => bits as i128,
            Data::Big(_) => unreachable!("a type that is wider than 64 bits takes objects"),
        };
        if let Some(cell) = cells.nth(position - next) {
            *cell = T::of(number);
        }
        next = position + 1;
    }
    Ok(())
}

// Streams ---------------------------------------------------------------------------------------------

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
    if arg.is_instance_of::<PyList>() || arrays::is_array(arg) {
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

// Results ---------------------------------------------------------------------------------------------

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
                write_array(slot.ty, elements, elements.touched(), &args[number])?;
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

/// A scalar as Python's: an int or a float.
fn to_python<'py>(py: Python<'py>, ty: Scalar, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match &value.data {
        Data::Int(number) => match i64::try_from(*number) {
            Ok(small) => small.into_bound_py_any(py),
            Err(_) => integers::to_python(py, &(*number).into()),
        },
        Data::Big(number) => integers::to_python(py, number),
        Data::Float(bits) => {
            let wide = formats::convert(ty, Scalar::Float(FloatFormat::F64), *bits);
            Ok(PyFloat::new(py, f64::from_bits(wide as u64)).into_any())
        }
    }
}

/// A new array, of the smallest type of numpy that holds the elements.
fn new_array<'py>(
    py: Python<'py>,
    ty: Scalar,
    shape: &[u64],
    elements: &Elements,
) -> PyResult<Bound<'py, PyAny>> {
    let array = arrays::zeros(py, shape, &own_dtype(py, ty)?)?;
    write_array(ty, elements, 0..elements.len(), &array)?;
    Ok(array)
}

fn own_dtype(py: Python<'_>, ty: Scalar) -> PyResult<Bound<'_, PyAny>> {
    let numpy = py.import("numpy")?;
    let named = |name: &str| numpy.call_method1("dtype", (name,));
    match ty {
        Scalar::BOOL => named("bool"),
        Scalar::Int {
            signed: true,
            width,
        } => match unsigned_name(width) {
            Some(name) => named(&name[1..]),
            None => named("object"),
        },
        Scalar::Int { width, .. } => named(unsigned_name(width).unwrap_or("object")),
        Scalar::Index => named("int64"),
        _ => {
            let bits = unsigned_name(ty.width()).unwrap_or("object");
            match float_name(ty) {
                Some(name @ ("float16" | "float32" | "float64")) => named(name),
                Some(name) => match py.import("ml_dtypes") {
                    Ok(further) => numpy.call_method1("dtype", (further.getattr(name)?,)),
                    Err(_) => named(bits),
                },
                None => named(bits),
            }
        }
    }
}
