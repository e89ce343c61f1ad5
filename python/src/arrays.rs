//! Arrays of numpy: as tables that the compiler knows, and their elements as bit patterns or integers.

use crate::integers;
use num_bigint::BigInt;
use numpy::ndarray::{ArrayD, IxDyn};
use numpy::{
    Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyReadwriteArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyeval::{Dtype, Num, Table, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};
use std::borrow::Cow;
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

macro_rules! patterns {
    ($($ty:ty),*) => {$(
        /// As its bit pattern.
        impl Cell for $ty {
            fn number(self) -> i128 {
                i128::from(self.to_bits())
            }
            fn of(number: i128) -> Self {
                <$ty>::from_bits(number as _)
            }
        }
    )*};
}

patterns!(f32, f64);

impl Cell for bool {
    fn number(self) -> i128 {
        i128::from(self)
    }
    fn of(number: i128) -> Self {
        number != 0
    }
}

/// Runs an expression with the type that numpy calls by a name: `bool`, an integer type, and, as bit patterns,
/// `float32` and `float64`. `None` for other names.
#[macro_export]
macro_rules! with_cell_type {
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
            "float32" => {
                type $ty = f32;
                Some($body)
            }
            "float64" => {
                type $ty = f64;
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
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = object.py();
    // Without numpy there is none, and importing it takes long.
    let loaded = || py.import("sys")?.getattr("modules")?.contains("numpy");
    if CLASS.get(py).is_none() && !loaded().unwrap_or(false) {
        return false;
    }
    let class = CLASS.import(py, "numpy", "ndarray");
    class.is_ok_and(|class| object.is_instance(class).unwrap_or(false))
}

/// From this number on, element types are those of other libraries.
const FURTHER: i32 = 256;

/// Whether the elements are real numbers of a format of `ml_dtypes`.
fn is_of_ml_dtypes(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let dtype = array.cast::<PyUntypedArray>()?.dtype();
    Ok(dtype.num() >= FURTHER && dtype.kind() != b'c')
}

/// The name of an array's element type.
pub fn dtype_name(array: &Bound<'_, PyAny>) -> PyResult<Cow<'static, str>> {
    let dtype = array.cast::<PyUntypedArray>()?.dtype();
    let own = match (dtype.kind(), dtype.itemsize()) {
        _ if dtype.num() >= FURTHER => None,
        (b'b', 1) => Some("bool"),
        (b'i', 1) => Some("int8"),
        (b'i', 2) => Some("int16"),
        (b'i', 4) => Some("int32"),
        (b'i', 8) => Some("int64"),
        (b'u', 1) => Some("uint8"),
        (b'u', 2) => Some("uint16"),
        (b'u', 4) => Some("uint32"),
        (b'u', 8) => Some("uint64"),
        (b'f', 2) => Some("float16"),
        (b'f', 4) => Some("float32"),
        (b'f', 8) => Some("float64"),
        (b'O', _) => Some("object"),
        _ => None,
    };
    match own {
        // Asking numpy takes longer than all else.
        Some(name) => Ok(name.into()),
        None => Ok(dtype.getattr("name")?.extract::<String>()?.into()),
    }
}

/// Whether the bytes of the elements are in the order of the machine.
pub fn is_native(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let dtype = array.cast::<PyUntypedArray>()?.dtype();
    Ok(dtype.is_native_byteorder() != Some(false))
}

/// Whether two arrays may have elements in common.
pub fn may_overlap(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    static TEST: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let test = TEST.import(one.py(), "numpy", "may_share_memory")?;
    test.call1((one, other))?.is_truthy()
}

/// Whether elements of an array may lie on one another: those of a step along one dimension within what smaller steps
/// along the others reach.
pub fn may_overlap_itself(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let array = array.cast::<PyUntypedArray>()?;
    let mut steps: Vec<(usize, usize)> = array
        .strides()
        .iter()
        .zip(array.shape())
        .map(|(stride, extent)| (stride.unsigned_abs(), *extent))
        .filter(|(_, extent)| *extent != 1)
        .collect();
    if array.is_empty() {
        return Ok(false);
    }
    steps.sort_unstable();
    let mut reach = array.dtype().itemsize();
    for (step, extent) in steps {
        if step < reach {
            return Ok(true);
        }
        reach += step * (extent - 1);
    }
    Ok(false)
}

/// The extents of an array.
pub fn shape_of(array: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    let array = array.cast::<PyUntypedArray>()?;
    Ok(array.shape().iter().map(|extent| *extent as u64).collect())
}

/// The array, or a copy of one whose elements do not begin where their type's do, such as a field of packed records; and
/// whether it is a copy.
pub fn aligned<'py>(array: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, bool)> {
    let flags = array.getattr("flags")?;
    match flags.getattr("aligned")?.is_truthy()? {
        true => Ok((array.clone(), false)),
        false => Ok((array.call_method0("copy")?, true)),
    }
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

/// The same memory with its elements as unsigned integers of their size, of which the type's name is given.
pub fn bits_of<'py>(array: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    array.call_method1("view", (name,))
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
    if !is_native(&array)? {
        let native = array
            .getattr("dtype")?
            .call_method1("newbyteorder", ("=",))?;
        array = array.call_method1("astype", (native,))?;
    }
    let mut name = dtype_name(&array)?.into_owned();
    if name == "object" {
        return read_objects(&array);
    }
    let wider = match name.as_str() {
        "float16" => Some("float64"),
        // Formats that only `ml_dtypes` has: each of their numbers is one of float32.
        _ if is_of_ml_dtypes(&array)? => Some("float32"),
        _ => None,
    };
    if let Some(wider) = wider {
        array = array.call_method1("astype", (wider,))?;
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let read = dtype_name(&array)?.into_owned();
    let values: Vec<Num> = match read.as_str() {
        "float32" => floats::<f32>(&array)?,
        "float64" => floats::<f64>(&array)?,
        other => {
            let integers = with_cell_type!(other, T => integers_of::<T>(&array)?);
            integers.ok_or_else(|| {
                let message = format!("arrays of {other} are not known to kernels");
                PyTypeError::new_err(message)
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
