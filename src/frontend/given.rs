//! Things of Allo as values of Python, made for those who run the module level themselves: a CPython, or a program
//! that holds kernels as objects.

use super::allo::{Allo, Template, construct, python, surface};
use super::constant::ConstValue;
use super::kernel_ref::KernelRef;
use super::scalars;
use super::schedule::held;
use super::types;
use crate::diagnostics::Span;
use crate::ir::{FloatFormat, Scalar};
use pyeval::{Args, Failure};
use std::rc::Rc;

/// A value, or why there is none.
pub type Given = Result<ConstValue, String>;

/// Arguments with names.
pub type Named = Vec<(String, ConstValue)>;

/// `i32`, `apfloat(4, 3)`, `f32[4, 4]`.
pub fn read_type(name: &str) -> Option<ConstValue> {
    let Some((elem, dims)) = name.strip_suffix(']').and_then(|n| n.split_once('[')) else {
        return read_scalar(name).map(|ty| Allo::Type(ty).into());
    };
    let dims = dims.split(',').map(|d| d.trim().parse::<u64>().ok());
    let shape = dims.collect::<Option<_>>()?;
    Some(Allo::Shaped(read_scalar(elem)?, shape).into())
}

fn read_scalar(name: &str) -> Option<Scalar> {
    let custom = name.strip_prefix("apfloat(");
    let Some((exp, frac)) = custom.and_then(|n| n.strip_suffix(')')?.split_once(',')) else {
        return scalars::scalar_named(name);
    };
    let (exp, frac) = (exp.trim().parse().ok()?, frac.trim().parse().ok()?);
    let fits = (2..=15).contains(&exp) && (1..=112).contains(&frac);
    fits.then_some(Scalar::Float(FloatFormat { exp, frac }))
}

/// A dotted name of `allo`, or a built-in.
pub fn named(name: &str) -> Option<ConstValue> {
    match name.rsplit_once('.') {
        Some(("allo.Schedule", own)) => held::named_constant(own),
        Some((space, own)) => surface::member(surface::module(space)?, own),
        None => surface::builtin(name).or_else(|| pyeval::builtin(name)),
    }
}

/// A module of Allo's or of Python's library, by its dotted name.
pub fn module(name: &str) -> Option<ConstValue> {
    match surface::module(name) {
        Some(space) => Some(Allo::Namespace(space).into()),
        None => pyeval::library_module(name).map(ConstValue::Library),
    }
}

/// A fresh template, equal to copies of it alone.
pub fn template(name: &str) -> ConstValue {
    Allo::Template(Template::new(name)).into()
}

/// `of[extents]`: a shaped type, an array of streams, a type of `allo.pto`.
pub fn subscript(of: &ConstValue, extents: &[ConstValue]) -> Given {
    let span = Span::default();
    let extents: Vec<_> = extents.iter().map(|value| (value.clone(), span)).collect();
    let made = match Allo::of(of) {
        Some(Allo::Type(elem)) => types::shaped(*elem, &extents, span),
        Some(Allo::Stream(stream)) => types::streams(stream, &extents, span),
        Some(Allo::Pto(thing)) => match thing.subscript(&extents, span) {
            Some(made) => made,
            None => return Err(format!("{} takes no brackets", thing.text())),
        },
        _ => return Err(format!("{} has no extents", of.kind())),
    };
    made.map_err(reason)
}

/// `Stream[elem, depth]`.
pub fn stream(elem: ConstValue, depth: ConstValue) -> Given {
    let span = Span::default();
    types::stream(&[(elem, span), (depth, span)], span).map_err(reason)
}

/// `Stateful[of]`.
pub fn stateful(of: ConstValue) -> Given {
    let span = Span::default();
    types::stateful(&[(of, span)], span).map_err(reason)
}

/// `of(...)`, such as `tile(f32, 16, 16, loc="mat")`.
pub fn call(of: &ConstValue, positional: Vec<ConstValue>, named: Named) -> Given {
    let args = Args {
        positional,
        named,
        span: Span::default(),
    };
    let made = match Allo::of(of) {
        Some(Allo::Pto(thing)) => thing.call(&args),
        _ => None,
    };
    let made = made.ok_or_else(|| format!("{} is not called while compiling", of.text()))?;
    made.map_err(reason)
}

/// `KernelOptions(...)`.
pub fn options(named: Named) -> Given {
    let args = Args {
        positional: Vec::new(),
        named,
        span: Span::default(),
    };
    let made = construct::options(&args).map(|options| Allo::Options(options).into());
    made.map_err(reason)
}

/// A kernel by its number among those of the holder, specialised if there are values for its templates.
pub fn kernel(number: usize, bindings: &[ConstValue]) -> Given {
    let span = Span::default();
    let kernel = KernelRef {
        def: number,
        bindings: Rc::from([]),
    };
    if bindings.is_empty() {
        return Ok(Allo::Kernel(kernel).into());
    }
    let bindings: Vec<_> = bindings.iter().map(|value| (value.clone(), span)).collect();
    python::specialise(&kernel, &bindings, span).map_err(reason)
}

fn reason(failure: Failure) -> String {
    match super::error::diagnostic(failure) {
        Some(diagnostic) => diagnostic.message,
        None => "it has errors".to_owned(),
    }
}

/// Names that `from <module> import *` binds, for a module of Allo's; none for another one.
pub fn exported(module: &str) -> Vec<String> {
    surface::module(module).map_or(Vec::new(), surface::exported)
}

/// The scalar type that a name of a module of Allo's stands for, as it is written in `allo`.
pub fn scalar_in(module: &str, name: &str) -> Option<String> {
    let value = surface::member(surface::module(module)?, name)?;
    Allo::scalar(&value).map(|ty| ty.to_string())
}

/// Width in bits of a scalar type, whether it is signed, and how it is written; `None` if there is no type of the name.
pub fn scalar(name: &str) -> Option<(u32, bool, String)> {
    let ty = read_scalar(name)?;
    Some((ty.width(), ty.is_signed(), ty.to_string()))
}

/// Whether a value is a type that a parameter or a result can have.
pub fn is_type(value: &ConstValue) -> bool {
    types::of_results(value)
        .iter()
        .all(|ty| types::from_value(ty.clone(), Span::default()).is_ok())
}
