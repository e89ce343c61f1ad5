//! Elements of arrays: how numpy holds those of a type, read into values and written from them.

use crate::arrays::{self, Cell};
use crate::scalars::{integer, kind_of, out_of_range};
use crate::{integers, with_cell_type};
use allo_hls::ir::{FloatFormat, Scalar};
use allo_hls::sim::elements::Elements;
use allo_hls::sim::value::{Data, Value};
use numpy::PyReadwriteArrayDyn;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PyList, PyTuple};
use std::borrow::Cow;

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

/// The types of numpy that hold integers.
const INTEGERS: [(&str, u32); 8] = [
    ("int8", 8),
    ("uint8", 8),
    ("int16", 16),
    ("uint16", 16),
    ("int32", 32),
    ("uint32", 32),
    ("int64", 64),
    ("uint64", 64),
];

/// Whether numpy's type of a name has elements for a type: of its width at least. Values are looked at one by one.
fn takes(name: &str, ty: Scalar) -> bool {
    let of_integers = INTEGERS.iter().find(|(own, _)| *own == name);
    match name {
        "bool" => ty == Scalar::BOOL,
        _ => of_integers.is_some_and(|(_, width)| *width >= ty.width()),
    }
}

/// The types of numpy that take a type, for messages.
fn wanted(ty: Scalar) -> String {
    match ty {
        Scalar::Int { .. } | Scalar::Index => {
            let names = INTEGERS.iter().map(|(name, _)| *name);
            let fitting = names.filter(|name| takes(name, ty));
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
            other => takes(other, ty).then(|| Form::Integers(name.clone())),
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
pub fn array(ty: Scalar, shape: &[u64], arg: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
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
    let (arg, _) = &arrays::aligned(arg)?;
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
///
/// Errors: an array has no element of a type that holds it.
pub fn write_array(
    ty: Scalar,
    elements: &Elements,
    positions: impl Iterator<Item = usize>,
    array: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let positions: Vec<usize> = positions.collect();
    if positions.is_empty() {
        return Ok(());
    }
    let original = array;
    let (array, is_copy) = &arrays::aligned(original)?;
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
    match is_copy {
        true => original.set_item(PyEllipsis::get(original.py()), array),
        false => Ok(()),
    }
}

fn write_cells<T: Cell>(
    elements: &Elements,
    positions: &[usize],
    array: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let cell = |&position: &usize| {
        let number = match elements.get(position).data {
            Data::Int(number) => number,
            Data::Float(bits) => bits as i128,
            Data::Big(_) => unreachable!("a type that is wider than 64 bits takes objects"),
        };
        let cell = T::of(number);
        match cell.number() == number {
            true => Ok(cell),
            false => {
                let message = format!("gets {number}, for which its type has no element");
                Err(PyValueError::new_err(message))
            }
        }
    };
    let values = positions.iter().map(cell).collect::<PyResult<Vec<T>>>()?;
    let mut array: PyReadwriteArrayDyn<'_, T> = arrays::writing(array)?;
    let mut view = array.as_array_mut();
    let mut cells = view.iter_mut();
    let mut next = 0;
    for (&position, value) in positions.iter().zip(values) {
        if let Some(cell) = cells.nth(position - next) {
            *cell = value;
        }
        next = position + 1;
    }
    Ok(())
}

/// A new array, of the smallest type of numpy that holds the elements.
pub fn new_array<'py>(
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
