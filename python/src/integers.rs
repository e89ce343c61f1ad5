//! Integers of any size, to Python and back.

use num_bigint::{BigInt, Sign};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyType};

/// The integer that an object is; floats are none.
pub fn from_python(value: &Bound<'_, PyAny>) -> PyResult<BigInt> {
    if let Ok(small) = value.extract::<i64>() {
        return Ok(small.into());
    }
    let value = value.call_method0("__index__")?;
    let bits: usize = value.call_method0("bit_length")?.extract()?;
    let signed = PyDict::new(value.py());
    signed.set_item("signed", true)?;
    let bytes = value.call_method("to_bytes", (bits / 8 + 1, "little"), Some(&signed))?;
    Ok(BigInt::from_signed_bytes_le(
        bytes.cast::<PyBytes>()?.as_bytes(),
    ))
}

/// The integer as an object.
pub fn to_python<'py>(py: Python<'py>, value: &BigInt) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(small) = i64::try_from(value) {
        return Ok(small.into_pyobject(py)?.into_any());
    }
    let signed = PyDict::new(py);
    signed.set_item("signed", value.sign() == Sign::Minus)?;
    let bytes = match value.sign() {
        Sign::Minus => value.to_signed_bytes_le(),
        _ => value.magnitude().to_bytes_le(),
    };
    let int: Bound<'_, PyType> = py.get_type::<PyInt>();
    let bytes = PyBytes::new(py, &bytes);
    int.call_method("from_bytes", (bytes, "little"), Some(&signed))
}
