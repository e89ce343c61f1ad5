//! The extension of the package `allo`: kernels that Python holds, compiled and run by the library. It makes values
//! of Python out of the library's and the other way round, and nothing else; what has no need of the library is
//! written in Python, in `allo`.

mod arguments;
mod arrays;
mod background;
mod compiled;
mod elements;
mod errors;
mod hardware;
mod holder;
mod integers;
mod json;
mod scalars;
mod schedule;
mod values;

use allo_hls::frontend::given;
use allo_hls::frontend::schedule::held;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command line with these arguments, the first of which is the program's name; gives its exit status.
#[pyfunction]
fn command(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| allo_hls::cli::run(args))
}

/// Names that a module of the language exports.
#[pyfunction]
fn exported(module: &str) -> Vec<String> {
    given::exported(module)
}

/// Width in bits of a scalar type, whether it is signed, and how it is written; None if there is no such type.
#[pyfunction]
fn scalar(name: &str) -> Option<(u32, bool, String)> {
    given::scalar(name)
}

/// The scalar type that a name of a module of the language stands for; None if it is none.
#[pyfunction]
fn scalar_in(module: &str, name: &str) -> Option<String> {
    given::scalar_in(module, name)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("SCHEDULE_METHODS", held::methods())?;
    module.add("SCHEDULE_CONSTANTS", held::constants())?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(exported, module)?)?;
    module.add_function(wrap_pyfunction!(scalar, module)?)?;
    module.add_function(wrap_pyfunction!(scalar_in, module)?)?;
    module.add_function(wrap_pyfunction!(hardware::software, module)?)?;
    module.add_class::<compiled::Compiled>()?;
    module.add_class::<schedule::Schedule>()?;
    module.add_class::<schedule::Ref>()?;
    module.add_class::<hardware::Hardware>()
}
