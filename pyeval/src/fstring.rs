//! Formatted string literals.

use crate::containers::charged;
use crate::format::format;
use crate::text;
use crate::value::{Names, Result, Value};
use diagnostics::Span;
use ruff_python_ast::{
    self as ast, FStringPart, InterpolatedStringElement, InterpolatedStringElements,
};

/// The text of a formatted string literal.
pub fn formatted(e: &ast::ExprFString, span: Span, names: &mut dyn Names) -> Result<Value> {
    let mut out = String::new();
    for part in e.value.iter() {
        match part {
            FStringPart::Literal(literal) => out.push_str(literal.as_str()),
            FStringPart::FString(f) => format_elements(&f.elements, &mut out, names)?,
        }
    }
    charged(Value::Str(out.into()), span, names)
}

fn format_elements(
    elements: &InterpolatedStringElements,
    out: &mut String,
    names: &mut dyn Names,
) -> Result<()> {
    for element in elements {
        let e = match element {
            InterpolatedStringElement::Literal(literal) => {
                out.push_str(&literal.value);
                continue;
            }
            InterpolatedStringElement::Interpolation(e) => e,
        };
        let span = names.span(e.range);
        let mut value = names.eval(&e.expression)?;
        let mut conversion = e.conversion;
        if let Some(debug) = &e.debug_text {
            out.push_str(debug.leading());
            out.push_str(debug.expression());
            out.push_str(debug.trailing());
            if conversion == ast::ConversionFlag::None && e.format_spec.is_none() {
                conversion = ast::ConversionFlag::Repr;
            }
        }
        match conversion {
            ast::ConversionFlag::None => {}
            ast::ConversionFlag::Str => value = Value::Str(text::str(&value, span, names)?),
            ast::ConversionFlag::Repr | ast::ConversionFlag::Ascii => {
                value = Value::Str(text::repr(&value, span, names)?);
            }
        }
        let mut spec = String::new();
        if let Some(parts) = &e.format_spec {
            format_elements(&parts.elements, &mut spec, names)?;
        }
        out.push_str(&format(&value, &spec, span, names)?);
        names.charge(span, out.len() as u64 / 32)?;
    }
    Ok(())
}
