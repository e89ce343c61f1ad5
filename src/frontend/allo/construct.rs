//! What the functions of `allo` make at compile time: templates, options, types of any width, assertions.

use super::{Allo, Builtin, Template};
use crate::diagnostics::{Diagnostic, Span};
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::options::{Lanes, Options, Profile};
use crate::frontend::promote::Style;
use crate::frontend::{codes, types};
use crate::ir::types::MAX_WIDTH;
use crate::ir::{FloatFormat, Scalar};
use num_traits::ToPrimitive;
use pyeval::{Args, Names, truth};

/// Calls a function of the compiler; `None` for those that are Python's own while compiling.
pub fn call(builtin: Builtin, args: &Args, names: &mut dyn Names) -> Option<Result<ConstValue>> {
    let refused = |message: &str| fail(codes::NOT_CALLABLE, args.span, message);
    Some(match builtin {
        Builtin::Template => template(args),
        Builtin::KernelOptions => options(args).map(|options| Allo::Options(options).into()),
        Builtin::Apint => apint(args, None, names),
        Builtin::SizedInt(signed) => apint(args, Some(signed), names),
        Builtin::Apfloat => apfloat(args),
        Builtin::StaticAssert => static_assert(args, names),
        Builtin::Kernel | Builtin::OperatorIp => {
            refused("a decorator of allo stands above a function, and is not called")
        }
        Builtin::Consteval => consteval(args),
        Builtin::Grid => refused("grid stands in the header of a kernel's for loop only"),
        Builtin::Stream => refused("a stream is declared: `name: Stream[i32]`"),
        Builtin::Stateful => {
            let types = args.positional.iter().map(|ty| (ty.clone(), args.span));
            types::stateful(&types.collect::<Vec<_>>(), args.span)
        }
        Builtin::Worker(_) => refused("only a kernel is a grid of workers"),
        Builtin::Assume => refused("only a kernel assumes something of its values"),
        Builtin::Bufferize => refused("bufferize makes an array of a kernel"),
        Builtin::Range | Builtin::Len => return None,
    })
}

/// `consteval(lazy=False)`: the decorator itself.
fn consteval(args: &Args) -> Result<ConstValue> {
    args.only_named(&["lazy"], "consteval")?;
    args.expect(0, 0, "consteval (by position)")?;
    match args.get(0, "lazy") {
        None | Some(ConstValue::Bool(false)) => Ok(Allo::Builtin(Builtin::Consteval).into()),
        Some(_) => {
            let message = "a lazy helper is defined at module level or in a kernel";
            fail(codes::DECORATOR, args.span, message)
        }
    }
}

fn template(args: &Args) -> Result<ConstValue> {
    args.expect(1, 1, "Template")?;
    match &args.positional[0] {
        ConstValue::Str(name) => Ok(Allo::Template(Template::new(name)).into()),
        other => fail(
            codes::TEMPLATE,
            args.span,
            format!("a template's name is a string, not {}", other.kind()),
        ),
    }
}

/// `KernelOptions(...)`.
pub fn options(args: &Args) -> Result<Options> {
    const NAMES: [&str; 6] = [
        "typing_style",
        "enable_tensor",
        "fast_math",
        "subnormals",
        "profile",
        "lanes",
    ];
    args.only_named(&NAMES, "KernelOptions")?;
    args.expect(0, 0, "KernelOptions (by position)")?;
    let mut options = Options::default();
    for (name, value) in &args.named {
        option(&mut options, name, value, args.span)?;
    }
    let (foreign, own): (&[&str], _) = match options.style {
        Style::Pto => (&["enable_tensor", "fast_math", "subnormals"], "without"),
        _ => (&["profile", "lanes"], "with"),
    };
    if let Some((name, _)) = args.named.iter().find(|one| foreign.contains(&&*one.0)) {
        let message = format!("the option '{name}' stands {own} typing_style=\"pto\" only");
        return fail(codes::DECORATOR, args.span, message);
    }
    options.flush_subnormals |= options.profile.flushes();
    Ok(options)
}

/// Sets one option.
fn option(options: &mut Options, name: &str, value: &ConstValue, span: Span) -> Result<()> {
    let choice = |message: String, help: &str| {
        let error = Diagnostic::error(codes::DECORATOR, span, message);
        error.help(help)
    };
    match (name, value) {
        ("typing_style", ConstValue::Str(style)) => {
            options.style = Style::named(style).ok_or_else(|| {
                let message = format!("there is no typing style '{style}'");
                choice(message, "the styles are \"hls\", \"cpp\" and \"pto\"")
            })?;
        }
        ("enable_tensor", ConstValue::Bool(v)) => options.enable_tensor = *v,
        ("fast_math", ConstValue::Bool(v)) => options.fast_math = *v,
        ("subnormals", ConstValue::Str(mode)) if &**mode == "ftz" => {
            options.flush_subnormals = true;
        }
        ("subnormals", _) => {
            let message = "the option 'subnormals' can only be \"ftz\"".to_owned();
            let help = "without it, subnormal numbers are computed with as IEEE 754 says";
            return Err(choice(message, help).into());
        }
        ("profile", ConstValue::Str(profile)) => {
            options.profile = Profile::named(profile).ok_or_else(|| {
                let message = format!("there is no profile '{profile}'");
                choice(message, "the profiles are \"cpu\", \"a2a3\" and \"a5\"")
            })?;
        }
        ("lanes", ConstValue::Int(lanes)) => match lanes.to_u32() {
            Some(lanes @ 1..=Lanes::MOST) if lanes.is_power_of_two() => {
                options.lanes = Lanes(lanes);
            }
            _ => {
                let message = format!("the option 'lanes' cannot be {}", value.text());
                return Err(choice(message, "lanes is a power of two up to 64").into());
            }
        },
        (_, other) => {
            let message = format!("the option '{name}' cannot be {}", other.kind());
            return fail(codes::DECORATOR, span, message);
        }
    }
    Ok(())
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
fn apint(args: &Args, sign: Option<bool>, host: &mut dyn Names) -> Result<ConstValue> {
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
    Ok(Allo::Type(Scalar::Int { signed, width }).into())
}

fn apfloat(args: &Args) -> Result<ConstValue> {
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
    Ok(Allo::Type(Scalar::Float(FloatFormat { exp, frac })).into())
}

fn static_assert(args: &Args, names: &mut dyn Names) -> Result<ConstValue> {
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
