//! Arrays of numpy: as tables that the compiler knows, and their elements as bit patterns or integers.

use crate::integers;
use num_bigint::BigInt;
use numpy::ndarray::{ArrayD, IxDyn};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyeval::{Dtype, Num, Table, Value};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::rc::Rc;

/// What an array of an integer type gives and takes: `i128` has room for all of them.
pub trait Cell: Element + Copy {
    /// The number.
    fn number(self) -> i128;
    /// The element of a number that it has room for.
    fn of(number: i128) -> Self;
}

macro_rules! cells {
    ($($ty:ty),*) => {$(
        impl Cell for $ty {
            fn number(self) -> i128 {
                i128::from(self)
            }
            fn of(number: i128) -> Self {
                number as $ty
            }
        }
    )*};
}

cells!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Cell for bool {
    fn number(self) -> i128 {
        i128::from(self)
    }
    fn of(number: i128) -> Self {
        number != 0
    }
}

/// Runs an expression with the type that numpy calls by a name; `None` for other names than those of integers and
/// `bool`.
#[macro_export]
macro_rules! with_integer_type {
    ($name:expr, $ty:ident => $body:expr) => {
        match $name {
            "bool" => {
                type $ty = bool;
                Some($body)
            }
            "int8" => {
                type $ty = i8;
                Some($body)
            }
            "int16" => {
                type $ty = i16;
                Some($body)
            }
            "int32" => {
                type $ty = i32;
                Some($body)
            }
            "int64" => {
                type $ty = i64;
                Some($body)
            }
            "uint8" => {
                type $ty = u8;
                Some($body)
            }
            "uint16" => {
                type $ty = u16;
                Some($body)
            }
            "uint32" => {
                type $ty = u32;
                Some($body)
            }
            "uint64" => {
                type $ty = u64;
                Some($body)
            }
            _ => None,
        }
    };
}

/// Whether an object is an array or a scalar of numpy, or of a library of further element types.
fn is_numpy(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    let module = class.module();
    let known = |name: &str| name == "numpy" || name == "ml_dtypes";
    module.is_ok_and(|name| name.to_str().is_ok_and(known))
}

/// Whether an object is an array of numpy.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    // Without numpy there is none, and its functions are not to be called.
    object.hasattr("__array_interface__").unwrap_or(false)
        && object.cast::<numpy::PyUntypedArray>().is_ok()
}

/// The name of an array's element type.
pub fn dtype_name(array: &Bound<'_, PyAny>) -> PyResult<String> {
    array.getattr("dtype")?.getattr("name")?.extract()
}

/// The extents of an array.
pub fn shape_of(array: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    array.getattr("shape")?.extract()
}

/// An array with its elements to be read.
pub fn reading<'py, T: Element>(array: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let array = array.cast::<PyArrayDyn<T>>()?;
    Ok(array.try_readonly()?)
}

/// An array with its elements to be changed.
pub fn writing<'py, T: Element>(
    array: &Bound<'py, PyAny>,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let array = array.cast::<PyArrayDyn<T>>()?;
    Ok(array.try_readwrite()?)
}

/// The same memory with its elements as unsigned integers of their size.
pub fn bits_of<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let bytes: usize = array.getattr("dtype")?.getattr("itemsize")?.extract()?;
    array.call_method1("view", (format!("uint{}", 8 * bytes),))
}

/// A new array of zeros.
pub fn zeros<'py>(
    py: Python<'py>,
    shape: &[u64],
    dtype: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let shape = pyo3::types::PyTuple::new(py, shape)?;
    numpy.call_method1("zeros", (shape, dtype))
}

/// The table of an array, or of a scalar of numpy: of rank 0. `None` for other objects.
pub fn table(object: &Bound<'_, PyAny>) -> Option<Result<Value, String>> {
    if !is_numpy(object) || !object.hasattr("dtype").unwrap_or(false) {
        return None;
    }
    Some(read_table(object).map_err(|error| error.value(object.py()).to_string()))
}

fn read_table(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = object.py();
    let mut array = py.import("numpy")?.call_method1("asarray", (object,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let mut name = dtype_name(&array)?;
    if name == "object" {
        return read_objects(&array);
    }
    // Formats that only `ml_dtypes` has: each of their numbers is one of float32.
    if kind == "V" || Dtype::named(&name).is_none() || name == "float16" {
        let wider = if name == "float16" {
            "float64"
        } else {
            "float32"
        };
        array = array.call_method1("astype", (wider,))?;
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let read = dtype_name(&array)?;
    let values: Vec<Num> = match read.as_str() {
        "float32" => floats::<f32>(&array)?,
        "float64" => floats::<f64>(&array)?,
        other => {
            let integers = with_integer_type!(other, T => integers_of::<T>(&array)?);
            integers.ok_or_else(|| {
                let message = format!("arrays of {other} are not known to kernels");
                pyo3::exceptions::PyTypeError::new_err(message)
            })?
        }
    };
    if name != "float16" {
        name = read;
    }
    let dtype = Dtype::named(&name).expect("names of integers and floats are known");
    Ok(Value::Table(Rc::new(Table::new(dtype, shape, values))))
}

fn floats<T: Element + Copy + Into<f64>>(array: &Bound<'_, PyAny>) -> PyResult<Vec<Num>> {
    let array = reading::<T>(array)?;
    let view = array.as_array();
    Ok(view.iter().map(|v| Num::Float((*v).into())).collect())
}

fn integers_of<T: Cell>(array: &Bound<'_, PyAny>) -> PyResult<Vec<Num>> {
    let array = reading::<T>(array)?;
    let view = array.as_array();
    Ok(view.iter().map(|v| Num::Int(v.number())).collect())
}

/// Nested lists of ints of any size, which is what tables beyond 64 bits are.
fn read_objects(array: &Bound<'_, PyAny>) -> PyResult<Value> {
    fn nested(object: &Bound<'_, PyAny>) -> PyResult<Value> {
        match object.cast::<PyList>() {
            Ok(items) => {
                let items = items.iter().map(|item| nested(&item));
                Ok(Value::list(items.collect::<PyResult<_>>()?))
            }
            Err(_) => Ok(Value::Int(integers::from_python(object)?)),
        }
    }
    nested(&array.call_method0("tolist")?)
}

/// A table as an array.
pub fn to_python<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyAny>> {
    let values = table.values();
    let shape = IxDyn(&table.shape);
    let array = match table.dtype {
        Dtype::Float(_) => {
            let floats = values.iter().map(|v| v.float()).collect();
            let array = ArrayD::from_shape_vec(shape, floats);
            PyArrayDyn::from_owned_array(py, array.expect(FULL)).into_any()
        }
        _ => {
            let objects = values.iter().map(|v| match v {
                Num::Int(v) => integers::to_python(py, &BigInt::from(*v)).map(Bound::unbind),
                Num::Float(v) => Ok(v.into_pyobject(py)?.into_any().unbind()),
            });
            let objects = objects.collect::<PyResult<Vec<Py<PyAny>>>>()?;
            let array = ArrayD::from_shape_vec(shape, objects);
            PyArrayDyn::from_owned_object_array(py, array.expect(FULL)).into_any()
        }
    };
    array.call_method1("astype", (table.dtype.name(),))
}

/// What holds of every table.
const FULL: &str = "a table has as many elements as its shape";
