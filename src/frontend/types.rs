//! Names of scalar types, and annotations turned into types.

use super::codes;
use super::consteval::{ConstArgs, Host, Names, Place, eval};
use super::error::{Failure, Result, fail};
use super::values::{ConstValue, Function};
use crate::diagnostics::{FileId, Span};
use crate::ir::types::MAX_WIDTH;
use crate::ir::{FloatFormat, Scalar, StorageFormat};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use ruff_python_ast::{Expr, ExprSubscript, StringFlags};
use ruff_text_size::{Ranged, TextRange, TextSize};
use std::rc::Rc;

/// Most elements of one array.
pub const MAX_ELEMENTS: u64 = (1 << 32) - 1;

/// Widths of the integer types that have a name of their own; `i1` is no such type.
fn has_name(signed: bool, width: u32) -> bool {
    matches!(width, 1..=16 | 32 | 64 | 128 | 256) && (width, signed) != (1, true)
}

/// The scalar type that `allo` gives a name to.
pub fn predefined(name: &str) -> Option<Scalar> {
    scalar_named(name).filter(|ty| match *ty {
        Scalar::Int { signed, width } => has_name(signed, width),
        _ => true,
    })
}

/// The names of [`predefined`].
pub fn predefined_names() -> impl Iterator<Item = String> {
    let integers = (1..=256).flat_map(|width| [(true, width), (false, width)]);
    let floats = ["f16", "bf16", "f32", "f64"].map(str::to_owned).into_iter();
    let storage = StorageFormat::ALL.into_iter().map(|f| f.to_string());
    integers
        .filter(|(signed, width)| has_name(*signed, *width))
        .map(|(signed, width)| Scalar::Int { signed, width }.to_string())
        .chain(floats)
        .chain(storage)
        .chain(["index", "bool"].map(str::to_owned))
}

/// The scalar type of a name that `allo.ir.types` has: `int32`, `uint8`, `float16`, `index`.
pub fn long_named(name: &str) -> Option<Scalar> {
    let prefixes = [
        ("uint", "u"),
        ("int", "i"),
        ("bfloat", "bf"),
        ("float", "f"),
    ];
    match prefixes.iter().find_map(|(long, short)| {
        let width = name.strip_prefix(long)?;
        Some(format!("{short}{width}"))
    }) {
        Some(short) => scalar_named(&short),
        None => predefined(name).filter(|ty| matches!(ty, Scalar::Index) || *ty == Scalar::BOOL),
    }
}

/// The scalar type of a name: any integer width has one.
pub fn scalar_named(name: &str) -> Option<Scalar> {
    match name {
        "f16" => return Some(Scalar::Float(FloatFormat::F16)),
        "bf16" => return Some(Scalar::Float(FloatFormat::BF16)),
        "f32" => return Some(Scalar::Float(FloatFormat::F32)),
        "f64" => return Some(Scalar::Float(FloatFormat::F64)),
        "index" => return Some(Scalar::Index),
        "bool" => return Some(Scalar::BOOL),
        _ => {}
    }
    if let Some(format) = StorageFormat::named(name) {
        return Some(Scalar::Storage(format));
    }
    let signed = match name.as_bytes().first()? {
        b'i' => true,
        b'u' => false,
        _ => return None,
    };
    let digits = &name[1..];
    if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let width: u32 = digits.parse().ok()?;
    (1..=MAX_WIDTH)
        .contains(&width)
        .then_some(Scalar::Int { signed, width })
}

/// A type as an annotation writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A shaped value; rank 0 has no extents.
    Shaped(Scalar, Rc<[u64]>),
    /// `constexpr`.
    Constexpr,
}

/// The type that an annotation denotes: a type expression, or a string of one.
pub fn annotation(expr: &Expr, names: &mut dyn Names) -> Result<Type> {
    if let Expr::StringLiteral(literal) = expr
        && let [part] = literal.value.as_slice()
    {
        let inner = part
            .range()
            .add_start(part.flags.opener_len())
            .sub_end(part.flags.closer_len());
        return quoted(inner, names);
    }
    from_value(typed_expression(expr, names)?, names.span(expr.range()))
}

/// Names of a text outside of the module's statements: those of types need no import there.
pub struct TypeNames<'n> {
    /// All other names.
    pub names: &'n mut dyn Names,
    /// The types that need no import.
    pub known: fn(&str) -> Option<Scalar>,
}

impl Names for TypeNames<'_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue> {
        match (self.names.lookup(name, span), (self.known)(name)) {
            (Err(Failure::Diagnostic(d)), Some(ty)) if d.code == codes::UNDEFINED => {
                Ok(ConstValue::Type(ty))
            }
            (found, _) => found,
        }
    }
    fn bind(&mut self, name: &str, value: Option<ConstValue>, span: Span) -> Result<()> {
        self.names.bind(name, value, span)
    }
    fn file(&self) -> FileId {
        self.names.file()
    }
    fn file_text(&self) -> &str {
        self.names.file_text()
    }
    fn place(&self) -> Place {
        self.names.place()
    }
    fn host(&mut self) -> &mut dyn Host {
        self.names.host()
    }
    fn call_function(&mut self, f: &Rc<Function>, args: ConstArgs) -> Result<ConstValue> {
        self.names.call_function(f, args)
    }
}

/// The type that a range of the text denotes.
pub fn quoted(range: TextRange, names: &mut dyn Names) -> Result<Type> {
    let names: &mut dyn Names = &mut TypeNames {
        names,
        known: predefined,
    };
    let source = names.source(range);
    let text = source.trim();
    let span = names.span(range);
    let start = range.start() + TextSize::of(&source[..source.len() - source.trim_start().len()]);
    if let Some(head) = text
        .strip_suffix(']')
        .and_then(|t| t.trim_end().strip_suffix('['))
    {
        let head_range = TextRange::at(start, TextSize::of(head));
        let elem = match parse(head_range, names)? {
            Some(head) => eval(&head, names)?,
            None => return not_a_type(text, span),
        };
        return match elem {
            ConstValue::Type(elem) => Ok(Type::Shaped(elem, Rc::from([]))),
            _ => not_a_type(text, span),
        };
    }
    match parse(TextRange::at(start, TextSize::of(text)), names)? {
        Some(expr) => {
            let value = typed_expression(&expr, names)?;
            from_value(value, span)
        }
        None => not_a_type(text, span),
    }
}

fn parse(range: TextRange, names: &dyn Names) -> Result<Option<Expr>> {
    let text = names.file_text();
    super::source::check_nesting(&text[range], names.span(range))?;
    Ok(ruff_python_parser::parse_expression_range(text, range)
        .ok()
        .map(|parsed| parsed.into_expr()))
}

/// Evaluates a type expression; a subscript of a scalar type is a shape.
fn typed_expression(expr: &Expr, names: &mut dyn Names) -> Result<ConstValue> {
    match expr {
        Expr::Subscript(subscript) => match eval(&subscript.value, names)? {
            ConstValue::Type(elem) => shaped(elem, subscript, names),
            // `ConstExpr[int32]` says no more than `constexpr` does.
            ConstValue::Constexpr => Ok(ConstValue::Constexpr),
            _ => eval(expr, names),
        },
        _ => eval(expr, names),
    }
}

/// The type that a value is.
pub fn from_value(value: ConstValue, span: Span) -> Result<Type> {
    match value {
        ConstValue::Type(ty) => Ok(Type::Scalar(ty)),
        ConstValue::Shaped(elem, shape) => Ok(Type::Shaped(elem, shape)),
        ConstValue::Constexpr => Ok(Type::Constexpr),
        ConstValue::Native(native) if matches!(native.name, "int" | "float") => {
            Err(crate::diagnostics::Diagnostic::error(
                codes::ANNOTATION,
                span,
                "Python's int and float are not hardware types",
            )
            .help("use a type of known width, such as i32 or f32")
            .into())
        }
        other => fail(
            codes::ANNOTATION,
            span,
            format!("{} is not a type", other.kind()),
        ),
    }
}

fn not_a_type<T>(text: &str, span: Span) -> Result<T> {
    fail(codes::ANNOTATION, span, format!("'{text}' is not a type"))
}

/// The shaped type of a subscript of a scalar type.
pub fn shaped(
    elem: Scalar,
    subscript: &ExprSubscript,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let dims: &[Expr] = match &*subscript.slice {
        Expr::Tuple(tuple) => &tuple.elts,
        other => std::slice::from_ref(other),
    };
    let mut shape = Vec::new();
    for dim in dims {
        let span = names.span(dim.range());
        if matches!(dim, Expr::EllipsisLiteral(_)) {
            return fail(codes::SHAPE, span, "dynamic '...' shapes are not supported");
        }
        shape.push(extent(&eval(dim, names)?, span)?);
    }
    check_elements(&shape, names.span(subscript.range))?;
    Ok(ConstValue::Shaped(elem, shape.into()))
}

fn extent(value: &ConstValue, span: Span) -> Result<u64> {
    let Some(extent) = value.as_int() else {
        return fail(
            codes::SHAPE,
            span,
            format!("the extent of a shape must be an int, not {}", value.kind()),
        );
    };
    match extent.to_u64() {
        Some(extent) if extent > 0 => Ok(extent),
        _ if extent <= BigInt::ZERO => fail(
            codes::SHAPE,
            span,
            format!("the extent of a shape must be positive, not {extent}"),
        ),
        _ => fail(codes::SHAPE, span, "the extent of a shape is too large"),
    }
}

fn check_elements(shape: &[u64], span: Span) -> Result<()> {
    let count = shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d));
    match count {
        Some(count) if count <= MAX_ELEMENTS => Ok(()),
        _ => fail(codes::SHAPE, span, "the shape has 2^32 elements or more"),
    }
}

#[cfg(test)]
mod tests {
    use super::{long_named, predefined, predefined_names, scalar_named};

    #[test]
    fn names_of_scalars() {
        for name in [
            "i2", "i16", "i256", "u1", "u256", "bf16", "f64", "index", "hif8", "f8e4m3",
        ] {
            assert_eq!(scalar_named(name).unwrap().to_string(), name);
        }
        assert_eq!(scalar_named("bool").unwrap().to_string(), "u1");
        for name in ["i0", "u4097", "f8", "i", "i08", "x", "i3x", "u-1", ""] {
            assert_eq!(scalar_named(name), None, "{name}");
        }
        assert_eq!(predefined_names().count(), 20 + 19 + 4 + 5 + 2);
        assert!(predefined_names().all(|name| predefined(&name).is_some()));
        for (long, short) in [("int32", "i32"), ("uint7", "u7"), ("float16", "f16")] {
            assert_eq!(long_named(long), scalar_named(short));
        }
        assert_eq!(long_named("i32"), None);
    }
}
