//! Scalars of calls: numbers of Python as values of a type, and back.

use crate::integers;
use allo_hls::ir::{FloatFormat, Scalar};
use allo_hls::sim::formats;
use allo_hls::sim::value::{Data, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

/// The error of a number that a type does not have.
pub fn out_of_range(ty: Scalar, shown: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("is out of the range of {ty}: {shown}"))
}

/// The name of an object's class.
pub fn kind_of(arg: &Bound<'_, PyAny>) -> String {
    let name = arg.get_type().name();
    name.map_or_else(|_| "an object".into(), |name| name.to_string())
}

/// The value of a scalar.
///
/// # Errors
/// `TypeError` for another kind of object, `ValueError` for a number that the type does not have.
pub fn scalar(ty: Scalar, arg: &Bound<'_, PyAny>) -> PyResult<Value> {
    match ty {
        Scalar::Int { .. } | Scalar::Index => integer(ty, arg),
        Scalar::Float(_) | Scalar::Storage(_) => float(ty, arg),
    }
}

/// The value of an integer.
///
/// # Errors
/// It is none, or out of range.
pub fn integer(ty: Scalar, arg: &Bound<'_, PyAny>) -> PyResult<Value> {
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

/// A scalar as Python's: an int or a float.
pub fn to_python<'py>(py: Python<'py>, ty: Scalar, value: &Value) -> PyResult<Bound<'py, PyAny>> {
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
