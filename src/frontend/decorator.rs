//! What makes a function a kernel: `@kernel` above it with options and templates, `@consteval(lazy=True)` or
//! `@operator_ip(...)`.

use super::allo::{Allo, Builtin, Template, construct};
use super::codes;
use super::constant::ConstValue;
use super::error::{Result, fail};
use super::foreign::{self, ForeignModule};
use super::options::Options;
use crate::diagnostics::{Diagnostic, Span, suggest};
use pyeval::{Args, Names};
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

/// What a kernel's decorator says.
#[derive(Clone, Default)]
pub struct Decorator {
    /// Options, if given.
    pub options: Option<Options>,
    /// Templates.
    pub templates: Vec<Template>,
    /// Extents of a grid of workers: ints, or templates that are bound to them.
    pub mapping: Option<Mapping>,
    /// It is there for other kernels to call, and no top kernel unless it is named.
    pub is_helper: bool,
    /// The module of the user's that computes it.
    pub foreign: Option<ForeignModule>,
}

impl Decorator {
    /// Of a function for other kernels to call.
    fn helper() -> Decorator {
        Decorator {
            is_helper: true,
            ..Decorator::default()
        }
    }
}

/// What a decorator says where others run the module level: values, without places in the text.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// What `KernelOptions(...)` was given, by name.
    pub options: Option<Vec<(String, ConstValue)>>,
    /// Templates, values of [`super::given::template`].
    pub templates: Vec<ConstValue>,
    /// `mapping=`: ints, or templates.
    pub mapping: Vec<ConstValue>,
    /// What `@operator_ip(...)` was given, by name, if that is the decorator.
    pub foreign: Option<Vec<(String, ConstValue)>>,
    /// It is there for other kernels to call.
    pub is_helper: bool,
}

impl Stated {
    /// The decorator of a function whose name stands at `span`.
    ///
    /// # Errors
    /// What the decorator would be refused for in the text.
    pub fn decorator(self, span: Span) -> Result<Decorator> {
        let templates = self.templates.iter().filter_map(Allo::of);
        let templates = templates.filter_map(|template| match template {
            Allo::Template(template) => Some(template.clone()),
            _ => None,
        });
        let options = match self.options {
            Some(named) => construct::options(&Args {
                positional: Vec::new(),
                named,
                span,
            })
            .map(Some)?,
            None => None,
        };
        let mapping = match self.mapping.is_empty() {
            true => None,
            false => Some((extents(&ConstValue::list(self.mapping), span)?, span)),
        };
        let foreign = self.foreign.map(|named| {
            let named = named.into_iter().map(|(name, value)| (name, value, span));
            foreign::module(&named.collect::<Vec<_>>(), span)
        });
        Ok(Decorator {
            options,
            templates: templates.collect(),
            mapping,
            is_helper: self.is_helper || foreign.is_some(),
            foreign: foreign.transpose()?,
        })
    }
}

/// Extents, and where they stand.
pub type Mapping = (Vec<ConstValue>, Span);

/// The kernel decorator of a function; `None` if it is not a kernel.
pub fn kernel_decorator(
    f: &ast::StmtFunctionDef,
    names: &mut dyn Names,
) -> Result<Option<Decorator>> {
    let mut found = None;
    for decorator in &f.decorator_list {
        let span = names.span(decorator.range);
        let (callee, call) = match &decorator.expression {
            Expr::Call(call) => (&*call.func, Some(call)),
            other => (other, None),
        };
        let callee = names.eval(callee).ok();
        let callee = callee.and_then(|callee| Allo::builtin(&callee));
        let decorator = match (callee, call) {
            (Some(Builtin::Kernel), None) => Decorator::default(),
            (Some(Builtin::Kernel), Some(call)) => decorator_call(call, names)?,
            (Some(Builtin::Consteval), Some(call)) if is_lazy(call, names)? => Decorator::helper(),
            (Some(Builtin::OperatorIp), _) => Decorator {
                foreign: Some(foreign::decorator(call, span, names)?),
                ..Decorator::helper()
            },
            _ => continue,
        };
        if found.is_some() || f.decorator_list.len() > 1 {
            return fail(codes::DECORATOR, span, "a kernel has exactly one decorator");
        }
        found = Some(decorator);
    }
    Ok(found)
}

/// Whether `@consteval(...)` says that the function is in the syntax of kernels.
fn is_lazy(call: &ast::ExprCall, names: &mut dyn Names) -> Result<bool> {
    let mut lazy = false;
    if let Some(arg) = call.arguments.args.first() {
        let span = names.span(arg.range());
        return fail(codes::DECORATOR, span, "@consteval takes lazy= only");
    }
    for keyword in &call.arguments.keywords {
        let span = names.span(keyword.range());
        let name = keyword.arg.as_ref().map_or("**", |n| n.id.as_str());
        if name != "lazy" {
            let message = format!("@consteval has no parameter '{name}'");
            let error = Diagnostic::error(codes::DECORATOR, span, message);
            return Err(suggest(error, name, ["lazy"].into_iter()).into());
        }
        let ConstValue::Bool(value) = names.eval(&keyword.value)? else {
            return fail(codes::DECORATOR, span, "lazy= is True or False");
        };
        lazy = value;
    }
    Ok(lazy)
}

fn decorator_call(call: &ast::ExprCall, names: &mut dyn Names) -> Result<Decorator> {
    let mut result = Decorator::default();
    for arg in &call.arguments.args {
        let span = names.span(arg.range());
        let value = names.eval(arg)?;
        let Some(Allo::Template(template)) = Allo::of(&value) else {
            let message = format!("@kernel takes templates, not {}", value.kind());
            return fail(codes::DECORATOR, span, message);
        };
        result.templates.push(template.clone());
    }
    for keyword in &call.arguments.keywords {
        let span = names.span(keyword.range());
        let value = names.eval(&keyword.value)?;
        let name = keyword.arg.as_ref().map(|n| n.id.as_str());
        match (name, Allo::of(&value)) {
            (Some("options"), Some(Allo::Options(options))) => result.options = Some(*options),
            (Some("mapping"), _) => result.mapping = Some((extents(&value, span)?, span)),
            (Some("options"), _) => {
                return fail(
                    codes::DECORATOR,
                    span,
                    "options= takes a KernelOptions(...)",
                );
            }
            (name, _) => {
                let name = name.unwrap_or("**");
                let message = format!("@kernel has no parameter '{name}'");
                let error = Diagnostic::error(codes::DECORATOR, span, message);
                return Err(suggest(error, name, ["options", "mapping"].into_iter()).into());
            }
        }
    }
    Ok(result)
}

fn extents(value: &ConstValue, span: Span) -> Result<Vec<ConstValue>> {
    let is_extent = |value: &ConstValue| {
        value.as_int().is_some() || matches!(Allo::of(value), Some(Allo::Template(_)))
    };
    match value.sequence() {
        None if is_extent(value) => Ok(vec![value.clone()]),
        Some(items) if !items.is_empty() && items.iter().all(is_extent) => Ok(items.to_vec()),
        _ => fail(
            codes::DECORATOR,
            span,
            "mapping= takes a list of the extents of a grid",
        ),
    }
}
