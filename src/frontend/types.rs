//! Annotations turned into types.

use super::allo::Allo;
use super::builder::state::VectorType;
use super::codes;
use super::constant::ConstValue;
use super::error::{Failure, Result, fail};
use super::pto::thing::Thing;
use super::pto::tile_type::Written;
use super::scalars;
use super::source;
use super::stream_type::StreamType;
use crate::diagnostics::{Diagnostic, FileId, Span};
use crate::ir::Scalar;
use crate::ir::types::MAX_WIDTH;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use pyeval::{Args, Function, Host, Names, Place, Problem};
use ruff_python_ast::{Expr, StringFlags};
use ruff_text_size::{Ranged, TextRange, TextSize};
use std::borrow::Cow;
use std::rc::Rc;

/// Most elements of one array.
pub const MAX_ELEMENTS: u64 = crate::ir::MOST_OUTSIDE;

/// A type as an annotation writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A shaped value; rank 0 has no extents.
    Shaped(Scalar, Rc<[u64]>),
    /// Streams.
    Stream(StreamType),
    /// `Stateful[i32]`, or of a shape.
    Stateful(Scalar, Option<Rc<[u64]>>),
    /// `vreg[f32]` or `mask[64]`.
    Vector(VectorType),
    /// `tile[f32, 16, 16]`.
    Tile(Rc<Written>),
    /// `constexpr`.
    Constexpr,
}

/// Elements that a stream holds if that is not said.
const DEPTH: u64 = 2;

/// Elements that a stream may hold.
const MAX_DEPTH: u64 = 1 << 20;

/// Streams of an array.
const MAX_STREAMS: u64 = 4096;

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
            (Err(Failure::Host(d)), Some(ty)) if d.code == codes::UNDEFINED => {
                Ok(Allo::Type(ty).into())
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
    fn call_function(&mut self, f: &Rc<Function>, args: Args) -> Result<ConstValue> {
        self.names.call_function(f, args)
    }
}

/// The type that a range of the text denotes.
pub fn quoted(range: TextRange, names: &mut dyn Names) -> Result<Type> {
    let names: &mut dyn Names = &mut TypeNames {
        names,
        known: scalars::predefined,
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
            Some(head) => names.eval(&head)?,
            None => return not_a_type(text, span),
        };
        return match Allo::scalar(&elem) {
            Some(elem) => Ok(Type::Shaped(elem, Rc::from([]))),
            None => not_a_type(text, span),
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
    source::check_nesting(&text[range], names.span(range))?;
    Ok(ruff_python_parser::parse_expression_range(text, range)
        .ok()
        .map(|parsed| parsed.into_expr()))
}

/// Evaluates a type expression.
fn typed_expression(expr: &Expr, names: &mut dyn Names) -> Result<ConstValue> {
    let span = names.span(expr.range());
    names.eval(expr).map_err(|failure| match (&failure, expr) {
        (Failure::Error(error), Expr::Subscript(subscript)) if error.span == span => {
            let Problem::NotIndexable(head, _) = error.problem else {
                return failure;
            };
            let message = format!("the element type of an array is a scalar type, not {head}");
            let head = names.span(subscript.value.range());
            Diagnostic::error(codes::ANNOTATION, head, message)
                .help(ARRAY_HELP)
                .into()
        }
        _ => failure,
    })
}

const ARRAY_HELP: &str = "an array of 4 by 8 elements is written \"i32[4, 8]\"";

/// The types of results that a value says: none, one, or those of a tuple.
pub fn of_results(value: &ConstValue) -> &[ConstValue] {
    match value {
        ConstValue::None => &[],
        ConstValue::Tuple(types) => types,
        single => std::slice::from_ref(single),
    }
}

/// The type that a value is.
pub fn from_value(value: ConstValue, span: Span) -> Result<Type> {
    match Allo::of(&value) {
        Some(Allo::Type(ty)) => return Ok(Type::Scalar(*ty)),
        Some(Allo::Shaped(elem, shape)) => return Ok(Type::Shaped(*elem, shape.clone())),
        Some(Allo::Stream(stream)) => return Ok(Type::Stream(stream.clone())),
        Some(Allo::Stateful(elem, shape)) => return Ok(Type::Stateful(*elem, shape.clone())),
        Some(Allo::Pto(Thing::TileType(tile))) => return Ok(Type::Tile(tile.clone())),
        Some(Allo::Pto(Thing::Vector(ty))) => return Ok(Type::Vector(*ty)),
        Some(Allo::Constexpr) => return Ok(Type::Constexpr),
        _ => {}
    }
    if matches!(value.builtin(), Some("int" | "float")) {
        let message = "Python's int and float are not hardware types";
        return Err(Diagnostic::error(codes::ANNOTATION, span, message)
            .help("use a type of known width, such as i32 or f32")
            .into());
    }
    let message = format!("{} is not a type", value.kind());
    fail(codes::ANNOTATION, span, message)
}

fn not_a_type<T>(text: &str, span: Span) -> Result<T> {
    let message = format!("'{text}' is not a type");
    Err(Diagnostic::error(codes::ANNOTATION, span, message)
        .help(ARRAY_HELP)
        .into())
}

/// The shaped type of a scalar type with extents between brackets.
pub fn shaped(elem: Scalar, extents: &[(ConstValue, Span)], span: Span) -> Result<ConstValue> {
    let mut shape = Vec::new();
    for (value, span) in spread(extents).iter() {
        if matches!(value, ConstValue::Ellipsis) {
            let message = "dynamic '...' shapes are not supported";
            return fail(codes::SHAPE, *span, message);
        }
        shape.push(extent(value, *span)?);
    }
    check_elements(&shape, span)?;
    Ok(Allo::Shaped(elem, shape.into()).into())
}

/// The type of streams of elements of a type, perhaps with a depth.
pub fn stream(parts: &[(ConstValue, Span)], span: Span) -> Result<ConstValue> {
    let (elem, depth) = match parts {
        [elem] => (elem, None),
        [elem, depth] => (elem, Some(depth)),
        _ => {
            return fail(
                codes::ANNOTATION,
                span,
                "a stream has a type of elements and a depth",
            );
        }
    };
    let (value, at) = elem.clone();
    let (elem, block) = match from_value(value, at)? {
        Type::Scalar(elem) => (elem, None),
        Type::Shaped(elem, block) => (elem, Some(block)),
        _ => return fail(codes::ANNOTATION, at, "a stream carries scalars or arrays"),
    };
    let count = block.iter().flat_map(|block| block.iter()).product::<u64>();
    if count.saturating_mul(elem.width().into()) > MAX_WIDTH.into() {
        let message = format!("the elements of a stream have {MAX_WIDTH} bits at most");
        return fail(codes::STREAM, at, message);
    }
    let depth = match depth {
        None => DEPTH,
        Some((value, span)) => match value.as_int().and_then(|depth| depth.to_u64()) {
            Some(depth @ 1..=MAX_DEPTH) => depth,
            _ => {
                let message = format!("the depth of a stream is an int between 1 and {MAX_DEPTH}");
                return fail(codes::STREAM, *span, message);
            }
        },
    };
    let shape = Rc::from([]);
    Ok(Allo::Stream(StreamType {
        elem,
        block,
        depth,
        shape,
    })
    .into())
}

/// The type of what is kept between invocations.
pub fn stateful(parts: &[(ConstValue, Span)], span: Span) -> Result<ConstValue> {
    let [(value, at)] = parts else {
        return fail(codes::ANNOTATION, span, "Stateful takes one type");
    };
    match from_value(value.clone(), *at)? {
        Type::Scalar(elem) => Ok(Allo::Stateful(elem, None).into()),
        Type::Shaped(elem, shape) => Ok(Allo::Stateful(elem, Some(shape)).into()),
        _ => fail(
            codes::ANNOTATION,
            *at,
            "only scalars and arrays are kept between invocations",
        ),
    }
}

/// The type of an array of streams with extents between brackets.
pub fn streams(
    each: &StreamType,
    extents: &[(ConstValue, Span)],
    span: Span,
) -> Result<ConstValue> {
    if !each.shape.is_empty() {
        return fail(codes::ANNOTATION, span, "the streams have extents already");
    }
    let mut shape = Vec::new();
    for (value, span) in spread(extents).iter() {
        shape.push(extent(value, *span)?);
    }
    let count = shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d));
    if count.is_none_or(|count| count > MAX_STREAMS) {
        let message = format!("there are more than {MAX_STREAMS} streams");
        return fail(codes::SHAPE, span, message);
    }
    Ok(Allo::Stream(StreamType {
        shape: shape.into(),
        ..each.clone()
    })
    .into())
}

/// As in Python, a tuple alone in brackets is what it has.
fn spread(extents: &[(ConstValue, Span)]) -> Cow<'_, [(ConstValue, Span)]> {
    match extents {
        [(ConstValue::Tuple(items), span)] => {
            let items = items.iter().map(|item| (item.clone(), *span));
            items.collect()
        }
        _ => extents.into(),
    }
}

fn extent(value: &ConstValue, span: Span) -> Result<u64> {
    let Some(extent) = value.as_int() else {
        let message = format!("the extent of a shape must be an int, not {}", value.kind());
        let error = Diagnostic::error(codes::SHAPE, span, message);
        return Err(match value {
            ConstValue::Float(_) => error.help("ints are divided by `//`"),
            _ => error,
        }
        .into());
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
        _ => fail(codes::SHAPE, span, "the shape has more than 2^62 elements"),
    }
}
