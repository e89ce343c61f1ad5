//! The type of one expression over names of given types: what `allo-hls typeof` answers.
//!
//! The expression goes the way of every expression in a kernel, so the answer is the compiler's own.

use super::allo::{Allo, surface};
use super::codes;
use super::constant::ConstValue;
use super::error::{Result, diagnostic};
use super::lower::{self, Typing};
use super::namespaces::Namespace;
use super::options::Options;
use super::promote::Style;
use super::scalars;
use super::session::Session;
use super::source::{check_nesting, span_of};
use super::stream_type::{shaped_name, stream_name};
use super::types::{self, Type};
use super::world::Binding;
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use pyeval::Frame;
use ruff_python_ast::Expr;
use ruff_text_size::TextRange;

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// Typing style.
    pub style: Style,
    /// The expression.
    pub expr: &'q str,
    /// Names and their types, as an annotation in a kernel would have them; any `iN` and `uN`.
    pub types: &'q [(String, String)],
}

/// What the compiler makes of the expression.
#[derive(Clone, Debug)]
pub struct Answer {
    /// A type such as `i11` or `f32[4]`; `int`, `float` and the like of an expression that is known
    /// while compiling.
    pub ty: String,
    /// A line for each decision, innermost first: which rule, which widths.
    pub explanation: Vec<String>,
}

/// Answers a question. Works on the stack of the caller: the nesting of the text is bounded, see
/// [`super::on_big_stack`].
///
/// # Errors
/// What is wrong with the expression or a type.
pub fn type_of(sources: &mut SourceMap, query: &Query) -> std::result::Result<Answer, Diagnostics> {
    let file = sources.add("expression", query.expr);
    let annotations: Vec<FileId> = query
        .types
        .iter()
        .map(|(name, text)| sources.add(format!("type of {name}"), text.as_str()))
        .collect();
    let sources: &SourceMap = sources;
    let expr = parse(sources, file);
    let mut session = Session::new(sources, &[]);
    session.world.modules[0].globals = allo_names(query.style);
    let answer = match &expr {
        Ok(expr) => answer(&mut session, query, (file, expr), &annotations),
        Err(diagnostic) => Err(diagnostic.clone().into()),
    };
    answer.map_err(|failure| {
        session.report(failure);
        session.into_diagnostics().1
    })
}

/// `allo` and what `from allo import *` binds; in the style of PTO also what `from allo.pto import *` does.
fn allo_names(style: Style) -> indexmap::IndexMap<String, Binding> {
    let allo = Allo::Namespace(Namespace::Allo).into();
    let operators = [Namespace::Arith, Namespace::Math, Namespace::Linalg];
    let pto = (style == Style::Pto).then_some(Namespace::Pto);
    let spaces = operators.into_iter().chain(pto).flat_map(|space| {
        let members = surface::exported(space).into_iter();
        members.map(move |name| (space, name))
    });
    let exported = surface::exported(Namespace::Allo).into_iter();
    spaces
        .chain(exported.map(|name| (Namespace::Allo, name)))
        .filter_map(|(space, name)| Some((surface::member(space, &name)?, name)))
        .map(|(value, name)| (name, Binding::Value(value)))
        .chain([("allo".to_owned(), Binding::Value(allo))])
        .collect()
}

fn answer<'a>(
    session: &mut Session<'a>,
    query: &Query,
    (file, expr): (FileId, &'a Expr),
    annotations: &[FileId],
) -> Result<Answer> {
    let mut locals: Vec<(String, Type)> = Vec::new();
    for ((name, text), annotation) in query.types.iter().zip(annotations) {
        locals.push((name.clone(), annotated(session, text, *annotation)?));
    }
    let options = Options {
        style: query.style,
        ..Options::default()
    };
    let (typing, explanation) = lower::type_of_expression(session, file, options, &locals, expr)?;
    Ok(Answer {
        ty: shown(&typing),
        explanation,
    })
}

fn whole(sources: &SourceMap, file: FileId) -> Span {
    let end = sources.file(file).text.len() as u32;
    span_of(file, TextRange::up_to(end.into()))
}

fn parse(sources: &SourceMap, file: FileId) -> std::result::Result<Expr, Diagnostic> {
    let (text, span) = (&sources.file(file).text, whole(sources, file));
    if let Err(failure) = check_nesting(text, span)
        && let Some(diagnostic) = diagnostic(failure)
    {
        return Err(diagnostic);
    }
    match ruff_python_parser::parse_expression(text) {
        Ok(parsed) => Ok(parsed.into_expr()),
        Err(error) => {
            let message = format!("syntax error: {}", error.error);
            let span = span_of(file, error.location);
            Err(Diagnostic::error(codes::SYNTAX, span, message))
        }
    }
}

fn annotated(session: &mut Session, text: &str, file: FileId) -> Result<Type> {
    if let Some(scalar) = scalars::scalar_named(text.trim()) {
        return Ok(Type::Scalar(scalar));
    }
    let range = TextRange::up_to((text.len() as u32).into());
    let mut names = Frame::of_module(&mut session.world, file, 0);
    types::quoted(range, &mut names)
}

fn shown(typing: &Typing) -> String {
    match typing {
        Typing::Known(value) => known(value).to_owned(),
        Typing::Type(Type::Scalar(ty)) => ty.to_string(),
        Typing::Type(Type::Shaped(elem, shape)) => shaped_name(*elem, shape),
        Typing::Type(Type::Stream(stream)) => stream_name(stream),
        Typing::Type(Type::Stateful(elem, None)) => elem.to_string(),
        Typing::Type(Type::Stateful(elem, Some(shape))) => shaped_name(*elem, shape),
        Typing::Type(Type::Tile(written)) => written.to_string(),
        Typing::Type(Type::Vector(ty)) => ty.to_string(),
        Typing::Type(Type::Constexpr) => "constexpr".to_owned(),
        Typing::Tile(name) => name.clone(),
        Typing::Tuple(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("({})", items.join(", "))
        }
    }
}

/// Python's name for the type of a value that is known while compiling.
fn known(value: &ConstValue) -> &'static str {
    match value {
        ConstValue::Int(_) => "int",
        ConstValue::Float(_) => "float",
        ConstValue::Bool(_) => "bool",
        ConstValue::Str(_) => "str",
        ConstValue::None => "None",
        ConstValue::Tuple(_) => "tuple",
        ConstValue::List(_) => "list",
        other => other.kind(),
    }
}
