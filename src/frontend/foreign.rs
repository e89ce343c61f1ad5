//! `@operator_ip(...)`: a module of the user's that computes a kernel of scalars.

use super::codes;
use super::constant::ConstValue;
use super::error::{Result, fail};
use crate::diagnostics::{Diagnostic, FileId, SourceMap, Span, suggest};
use crate::ir::{Control, Foreign, Kernel, MOST_OPERANDS, Param, ResultSlot};
use num_traits::ToPrimitive;
use pyeval::Names;
use ruff_python_ast as ast;
use ruff_text_size::Ranged;
use std::path::Path;

/// Names of the decorator's parameters.
const PARAMETERS: [&str; 6] = ["optype", "latency", "ii", "module", "style", "source"];

/// Names that the ports of such a module have beside those of operands.
const PORTS: [&str; 7] = [
    "clk",
    "ce",
    "valid",
    "ready",
    "result_valid",
    "result_ready",
    "result",
];

/// Most cycles of a latency or an interval.
const MOST_CYCLES: u32 = 1024;

/// What the decorator says.
#[derive(Clone, Debug)]
pub struct ForeignModule {
    module: String,
    control: Control,
    latency: u32,
    interval: u32,
    source: Option<String>,
    span: Span,
}

/// What a decorator in the text says of a module.
pub fn decorator(
    call: Option<&ast::ExprCall>,
    span: Span,
    names: &mut dyn Names,
) -> Result<ForeignModule> {
    let arguments = call.map(|call| &call.arguments);
    if let Some(arg) = arguments.and_then(|arguments| arguments.args.first()) {
        let span = names.span(arg.range());
        return fail(
            codes::DECORATOR,
            span,
            "the arguments of @operator_ip have names",
        );
    }
    let mut named = Vec::new();
    for keyword in arguments.iter().flat_map(|arguments| &arguments.keywords) {
        let span = names.span(keyword.range());
        let name = keyword.arg.as_ref().map_or("**", |n| n.id.as_str());
        named.push((name.to_owned(), names.eval(&keyword.value)?, span));
    }
    module(&named, span)
}

/// The module of a decorator's arguments: their names, values and places.
///
/// # Errors
/// An argument that there is not, a value that it cannot have, or no latency or module.
pub fn module(named: &[(String, ConstValue, Span)], span: Span) -> Result<ForeignModule> {
    let (mut latency, mut interval, mut module) = (None, 1, None);
    let (mut control, mut source) = (Control::Free, None);
    for (name, value, span) in named {
        let span = *span;
        match name.as_str() {
            // What the operator is like is said by its body.
            "optype" => {}
            "latency" => latency = Some(cycles(value, 0, name, span)?),
            "ii" => interval = cycles(value, 1, name, span)?,
            "module" => module = Some(identifier(value, span)?),
            "style" => control = style(value, span)?,
            "source" => source = path(value, span)?,
            _ => {
                let message = format!("@operator_ip has no parameter '{name}'");
                let error = Diagnostic::error(codes::DECORATOR, span, message);
                return Err(suggest(error, name, PARAMETERS.into_iter()).into());
            }
        }
    }
    match (latency, module) {
        (Some(latency), Some(module)) => Ok(ForeignModule {
            module,
            control,
            latency,
            interval,
            source,
            span,
        }),
        (None, None) => {
            let message = "@operator_ip needs latency= and module=";
            fail(codes::DECORATOR, span, message)
        }
        (None, _) => fail(codes::DECORATOR, span, "@operator_ip needs latency="),
        (_, None) => fail(codes::DECORATOR, span, "@operator_ip needs module="),
    }
}

fn cycles(value: &ConstValue, least: u32, name: &str, span: Span) -> Result<u32> {
    let number = match value {
        ConstValue::Int(number) => number.to_u32(),
        _ => None,
    };
    match number {
        Some(number) if (least..=MOST_CYCLES).contains(&number) => Ok(number),
        _ => {
            let message = format!("{name}= is a number of cycles from {least} to {MOST_CYCLES}");
            fail(codes::DECORATOR, span, message)
        }
    }
}

fn identifier(value: &ConstValue, span: Span) -> Result<String> {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    match value {
        ConstValue::Str(name)
            if name.starts_with(is_letter)
                && name.chars().all(|c| is_letter(c) || c.is_ascii_digit()) =>
        {
            Ok(name.to_string())
        }
        _ => fail(codes::DECORATOR, span, "module= is the name of a module"),
    }
}

fn style(value: &ConstValue, span: Span) -> Result<Control> {
    let named = |name: &str| Control::NAMED.iter().find(|(known, _)| *known == name);
    match value {
        ConstValue::Str(name) if named(name).is_some() => {
            Ok(named(name).map_or(Control::Free, |(_, control)| *control))
        }
        _ => {
            let message = "style= is \"free\", \"ce\" or \"elastic\"";
            fail(codes::DECORATOR, span, message)
        }
    }
}

fn path(value: &ConstValue, span: Span) -> Result<Option<String>> {
    match value {
        ConstValue::None => Ok(None),
        ConstValue::Str(path) if !path.contains(['"', '\n']) => Ok(Some(path.to_string())),
        _ => fail(codes::DECORATOR, span, "source= is the name of a file"),
    }
}

impl ForeignModule {
    /// The module of a kernel in a file; a relative source is looked up beside that.
    ///
    /// # Errors
    /// The kernel does more than compute a scalar of up to three; a name of an operand is that of another port; there is no
    /// such source.
    pub fn of(&self, kernel: &Kernel, sources: &SourceMap, file: FileId) -> Result<Foreign> {
        let scalars = kernel.params.iter().map(|param| match param {
            Param::Scalar(value) => kernel.values[*value].name.clone(),
            Param::Array(_) => None,
        });
        let operands = scalars.collect::<Option<Vec<String>>>().unwrap_or_default();
        let is_plain = matches!(kernel.results[..], [ResultSlot::Scalar(_)])
            && (1..=MOST_OPERANDS).contains(&operands.len())
            && kernel.arrays.is_empty();
        if !is_plain {
            let message = format!("'{}' is no operator", kernel.name);
            return Err(Diagnostic::error(codes::DECORATOR, kernel.span, message)
                .help(
                    "an operator has one to three scalar parameters, a scalar result and no arrays",
                )
                .into());
        }
        if let Some(name) = operands.iter().find(|name| PORTS.contains(&name.as_str())) {
            let message = format!("a module of an operator has a port '{name}' already");
            return fail(codes::DECORATOR, kernel.span, message);
        }
        Ok(Foreign {
            module: self.module.clone(),
            control: self.control,
            latency: self.latency,
            interval: self.interval,
            operands,
            source: self.source_beside(&sources.file(file).name)?,
        })
    }

    fn source_beside(&self, kernel: &str) -> Result<Option<String>> {
        let Some(source) = &self.source else {
            return Ok(None);
        };
        let folder = Path::new(kernel).parent();
        let path = folder.map_or_else(|| source.into(), |folder| folder.join(source));
        match path.is_file() {
            true => Ok(Some(path.to_string_lossy().into_owned())),
            false => {
                let message = format!("there is no file '{}'", path.display());
                fail(codes::DECORATOR, self.span, message)
            }
        }
    }
}
