//! What `allo` itself offers at compile time: templates, options, types of any width, assertions.

use super::codes;
use super::consteval::{ConstArgs, Names, truth};
use super::error::{Result, fail, raise};
use super::library;
use super::promote::Style;
use super::surface::Builtin;
use super::values::{ConstValue, Options, Range};
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::types::MAX_WIDTH;
use crate::ir::{FloatFormat, Scalar};
use num_traits::ToPrimitive;

/// Calls a function of the compiler.
pub fn call(builtin: Builtin, args: &ConstArgs, names: &mut dyn Names) -> Result<ConstValue> {
    let span = args.span;
    match builtin {
        Builtin::Template => {
            args.expect(1, 1, "Template")?;
            match &args.positional[0] {
                ConstValue::Str(name) => Ok(ConstValue::Template(names.host().new_template(name))),
                other => fail(
                    codes::TEMPLATE,
                    span,
                    format!("a template's name is a string, not {}", other.kind()),
                ),
            }
        }
        Builtin::KernelOptions => kernel_options(args),
        Builtin::Apint => apint(args, None, names),
        Builtin::SizedInt(signed) => apint(args, Some(signed), names),
        Builtin::Apfloat => apfloat(args),
        Builtin::Len => {
            args.expect(1, 1, "len")?;
            library::length(&args.positional[0], span, names)
        }
        Builtin::StaticAssert => static_assert(args, names),
        Builtin::Range => range(args),
        Builtin::Kernel | Builtin::Consteval | Builtin::Grid => {
            fail(codes::NOT_CALLABLE, span, "this cannot be called here")
        }
    }
}

fn kernel_options(args: &ConstArgs) -> Result<ConstValue> {
    const NAMES: [&str; 4] = ["typing_style", "enable_tensor", "fast_math", "subnormals"];
    args.only_named(&NAMES, "KernelOptions")?;
    args.expect(0, 0, "KernelOptions (by position)")?;
    let mut options = Options::default();
    for (name, value) in &args.named {
        match (name.as_str(), value) {
            ("typing_style", ConstValue::Str(style)) => {
                options.style = Style::named(style).ok_or_else(|| {
                    let message = format!("there is no typing style '{style}'");
                    Diagnostic::error(codes::DECORATOR, args.span, message)
                        .help("the styles are \"hls\" and \"cpp\"")
                })?;
            }
            ("enable_tensor", ConstValue::Bool(v)) => options.enable_tensor = *v,
            ("fast_math", ConstValue::Bool(v)) => options.fast_math = *v,
            ("subnormals", ConstValue::Str(mode)) if &**mode == "ftz" => {
                options.flush_subnormals = true;
            }
            ("subnormals", _) => {
                let message = "the option 'subnormals' can only be \"ftz\"";
                let help = "without it, subnormal numbers are computed with as IEEE 754 says";
                return Err(Diagnostic::error(codes::DECORATOR, args.span, message)
                    .help(help)
                    .into());
            }
            (_, other) => {
                return fail(
                    codes::DECORATOR,
                    args.span,
                    format!("the option '{name}' cannot be {}", other.kind()),
                );
            }
        }
    }
    Ok(ConstValue::Options(options))
}

fn small(value: Option<&ConstValue>, low: u32, high: u32, what: &str, span: Span) -> Result<u32> {
    let found = value.and_then(ConstValue::as_int).and_then(|v| v.to_u32());
    match found {
        Some(v) if (low..=high).contains(&v) => Ok(v),
        _ => fail(
            codes::ANNOTATION,
            span,
            format!("{what} must be an int from {low} to {high}"),
        ),
    }
}

/// `apint(width, signed=False)`, or with a fixed sign `Int(width)` and `UInt(width)`.
fn apint(args: &ConstArgs, sign: Option<bool>, host: &mut dyn Names) -> Result<ConstValue> {
    let (names, count) = match sign {
        None => (&["width", "signed"][..], 2),
        Some(_) => (&["width"][..], 1),
    };
    args.only_named(names, "an integer type")?;
    args.expect(0, count, "an integer type")?;
    let width = small(
        args.get(0, "width"),
        1,
        MAX_WIDTH,
        "the width of an apint",
        args.span,
    )?;
    let signed = match (sign, args.get(1, "signed")) {
        (Some(signed), _) => signed,
        (None, None) => false,
        (None, Some(value)) => truth(value, args.span, host)?,
    };
    Ok(ConstValue::Type(Scalar::Int { signed, width }))
}

fn apfloat(args: &ConstArgs) -> Result<ConstValue> {
    args.only_named(&["exponent", "fraction"], "apfloat")?;
    args.expect(0, 2, "apfloat")?;
    let exp = small(
        args.get(0, "exponent"),
        2,
        15,
        "the exponent width",
        args.span,
    )?;
    let frac = small(
        args.get(1, "fraction"),
        1,
        112,
        "the fraction width",
        args.span,
    )?;
    Ok(ConstValue::Type(Scalar::Float(FloatFormat { exp, frac })))
}

fn static_assert(args: &ConstArgs, names: &mut dyn Names) -> Result<ConstValue> {
    args.expect(1, 2, "static_assert")?;
    if truth(&args.positional[0], args.span, names)? {
        return Ok(ConstValue::None);
    }
    let message = match args.positional.get(1) {
        Some(text) => format!("static assertion failed: {}", text.text()),
        None => "static assertion failed".to_owned(),
    };
    fail(codes::ASSERTION, args.span, message)
}

fn range(args: &ConstArgs) -> Result<ConstValue> {
    args.expect(1, 3, "range")?;
    let mut ints = Vec::new();
    for value in &args.positional {
        match value.as_int().map(|v| v.to_i64()) {
            Some(Some(v)) => ints.push(v),
            Some(None) => {
                return fail(
                    codes::LIMIT,
                    args.span,
                    "the bounds of a range exceed 64 bits",
                );
            }
            None => return raise("TypeError", args.span, "range needs ints"),
        }
    }
    let (start, stop, step) = match ints[..] {
        [stop] => (0, stop, 1),
        [start, stop] => (start, stop, 1),
        [start, stop, step] => (start, stop, step),
        _ => (0, 0, 1),
    };
    if step == 0 {
        return raise("ValueError", args.span, "range with step 0");
    }
    Ok(ConstValue::Range(Range { start, stop, step }))
}
