//! Evaluation of expressions in which everything is known while compiling.

use super::codes;
use super::error::{Result, closest, fail};
use super::operators::{self, Operator, python};
use super::promote::Style;
use super::surface::{self, Builtin};
use super::types;
use super::values::{ConstValue, Function, KernelRef, Options};
use crate::diagnostics::{Diagnostic, Span};
use crate::ir::types::MAX_WIDTH;
use crate::ir::{FloatFormat, Scalar};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use ruff_python_ast::{self as ast, CmpOp, Expr, Number};
use ruff_text_size::{Ranged, TextRange};

/// Where names come from, and what evaluation may change.
pub trait Names {
    /// The compile-time value of a name; an error if it has none.
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue>;
    /// The place of a range of the current file.
    fn span(&self, range: TextRange) -> Span;
    /// The whole text of the current file.
    fn file_text(&self) -> &str;
    /// A fresh template.
    fn new_template(&mut self, name: &str) -> usize;
    /// Counts steps of computation; an error if there are too many.
    fn tick(&mut self, span: Span, cost: u64) -> Result<()>;
    /// Calls a Python function.
    fn call_function(&mut self, f: &Function, args: &ConstArgs) -> Result<ConstValue>;
    /// Text of a range of the current file.
    fn source(&self, range: TextRange) -> String {
        self.file_text()[range].to_owned()
    }
}

/// Evaluates an expression.
pub fn eval(expr: &Expr, names: &mut dyn Names) -> Result<ConstValue> {
    let span = names.span(expr.range());
    match expr {
        Expr::NumberLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => literal(expr, span),
        Expr::Name(name) => names.lookup(&name.id, span),
        Expr::Tuple(t) => Ok(ConstValue::Tuple(sequence(&t.elts, names)?.into())),
        Expr::List(l) => Ok(ConstValue::List(sequence(&l.elts, names)?.into())),
        Expr::BinOp(e) => {
            let args = [eval(&e.left, names)?, eval(&e.right, names)?];
            let value = fold(operators::of_binary(e.op), e.op.as_str(), &args, span)?;
            names.tick(span, cost(&value))?;
            Ok(value)
        }
        Expr::UnaryOp(e) if e.op == ast::UnaryOp::UAdd => {
            unary_plus(eval(&e.operand, names)?, span)
        }
        Expr::UnaryOp(e) => {
            let args = [eval(&e.operand, names)?];
            fold(operators::of_unary(e.op), e.op.as_str(), &args, span)
        }
        Expr::BoolOp(e) => bool_op(e, names),
        Expr::Compare(e) => compare(e, names),
        Expr::If(e) => {
            let test = eval(&e.test, names)?;
            let chosen = if truth(&test, span)? {
                &e.body
            } else {
                &e.orelse
            };
            eval(chosen, names)
        }
        Expr::Attribute(e) => {
            let object = eval(&e.value, names)?;
            attribute(&object, &e.attr, span)
        }
        Expr::Subscript(e) => {
            let object = eval(&e.value, names)?;
            if let ConstValue::Type(elem) = object {
                return types::shaped(elem, e, names);
            }
            let index = eval(&e.slice, names)?;
            subscript(object, &index, span)
        }
        Expr::Call(e) => {
            let callee = eval(&e.func, names)?;
            let value = call_expr(&callee, e, names)?;
            names.tick(span, cost(&value))?;
            Ok(value)
        }
        Expr::ListComp(e) => {
            let mut overlay = Overlay {
                outer: names,
                locals: Vec::new(),
            };
            let mut items = Vec::new();
            comprehend(&e.elt, &e.generators, &mut overlay, &mut items)?;
            Ok(ConstValue::List(items.into()))
        }
        Expr::Generator(e) => {
            let mut overlay = Overlay {
                outer: names,
                locals: Vec::new(),
            };
            let mut items = Vec::new();
            comprehend(&e.elt, &e.generators, &mut overlay, &mut items)?;
            Ok(ConstValue::List(items.into()))
        }
        other => fail(
            codes::EXPRESSION,
            span,
            format!(
                "{} cannot be evaluated at compile time",
                expression_kind(other)
            ),
        ),
    }
}

/// Steps that making a value counts for: its size in words.
fn cost(value: &ConstValue) -> u64 {
    match value {
        ConstValue::Int(v) => v.bits() / 64,
        ConstValue::Str(s) => s.len() as u64 / 8,
        ConstValue::List(items) | ConstValue::Tuple(items) => items.len() as u64,
        _ => 1,
    }
}

/// Names of a comprehension before those around it.
struct Overlay<'n> {
    outer: &'n mut dyn Names,
    locals: Vec<(String, ConstValue)>,
}

impl Names for Overlay<'_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue> {
        match self.locals.iter().rev().find(|(n, _)| n == name) {
            Some((_, value)) => Ok(value.clone()),
            None => self.outer.lookup(name, span),
        }
    }
    fn span(&self, range: TextRange) -> Span {
        self.outer.span(range)
    }
    fn file_text(&self) -> &str {
        self.outer.file_text()
    }
    fn new_template(&mut self, name: &str) -> usize {
        self.outer.new_template(name)
    }
    fn tick(&mut self, span: Span, cost: u64) -> Result<()> {
        self.outer.tick(span, cost)
    }
    fn call_function(&mut self, f: &Function, args: &ConstArgs) -> Result<ConstValue> {
        self.outer.call_function(f, args)
    }
}

/// Appends the elements of a comprehension, outermost generator first.
fn comprehend(
    elt: &Expr,
    generators: &[ast::Comprehension],
    names: &mut Overlay,
    out: &mut Vec<ConstValue>,
) -> Result<()> {
    let Some((first, rest)) = generators.split_first() else {
        out.push(eval(elt, names)?);
        return Ok(());
    };
    let span = names.span(first.range);
    let iterable = eval(&first.iter, names)?;
    let (ConstValue::List(items) | ConstValue::Tuple(items)) = &iterable else {
        return fail(
            codes::CONST_EVAL,
            span,
            format!("cannot iterate over {}", iterable.kind()),
        );
    };
    for item in items.iter() {
        names.tick(span, 1)?;
        let before = names.locals.len();
        bind_target(&first.target, item, names)?;
        let mut wanted = true;
        for test in &first.ifs {
            wanted = wanted && truth(&eval(test, names)?, span)?;
        }
        if wanted {
            comprehend(elt, rest, names, out)?;
        }
        names.locals.truncate(before);
    }
    Ok(())
}

fn bind_target(target: &Expr, value: &ConstValue, names: &mut Overlay) -> Result<()> {
    match (target, value) {
        (Expr::Name(name), _) => {
            names.locals.push((name.id.to_string(), value.clone()));
            Ok(())
        }
        (Expr::Tuple(t), ConstValue::Tuple(items) | ConstValue::List(items))
            if t.elts.len() == items.len() =>
        {
            t.elts
                .iter()
                .zip(items.iter())
                .try_for_each(|(t, v)| bind_target(t, v, names))
        }
        _ => fail(
            codes::UNPACK,
            names.span(target.range()),
            "the values do not fit the target",
        ),
    }
}

fn sequence(items: &[Expr], names: &mut dyn Names) -> Result<Vec<ConstValue>> {
    items.iter().map(|item| eval(item, names)).collect()
}

/// The value of a literal expression.
pub fn literal(expr: &Expr, span: Span) -> Result<ConstValue> {
    match expr {
        Expr::NumberLiteral(n) => number(&n.value, span),
        Expr::StringLiteral(s) => Ok(ConstValue::str(s.value.to_str())),
        Expr::BooleanLiteral(b) => Ok(ConstValue::Bool(b.value)),
        _ => Ok(ConstValue::None),
    }
}

fn number(value: &Number, span: Span) -> Result<ConstValue> {
    match value {
        Number::Float(v) => Ok(ConstValue::Float(*v)),
        Number::Complex { .. } => {
            fail(codes::EXPRESSION, span, "complex numbers are not supported")
        }
        Number::Int(v) => match v.as_u64() {
            Some(v) => Ok(ConstValue::Int(v.into())),
            None => big_int(&v.to_string(), span),
        },
    }
}

fn big_int(text: &str, span: Span) -> Result<ConstValue> {
    if text.len() as u64 > python::MAX_INT_BITS / 4 {
        return fail(codes::LIMIT, span, "the int literal is too long");
    }
    let text = text.replace('_', "");
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0b") => (&lower[2..], 2),
        Some("0o") => (&lower[2..], 8),
        _ => (&lower[..], 10),
    };
    match BigInt::parse_bytes(digits.as_bytes(), radix) {
        Some(v) => Ok(ConstValue::Int(v)),
        None => fail(codes::CONST_EVAL, span, "the int literal cannot be read"),
    }
}

fn fold(
    op: Option<&Operator>,
    symbol: &str,
    args: &[ConstValue],
    span: Span,
) -> Result<ConstValue> {
    let Some(op) = op else {
        return fail(
            codes::EXPRESSION,
            span,
            format!("the operator '{symbol}' is not supported"),
        );
    };
    match (op.fold)(args) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => fail(
            codes::NOT_CONST,
            span,
            format!("operator '{}' has no compile-time value", op.key),
        ),
        Err(message) => fail(codes::CONST_EVAL, span, message),
    }
}

fn unary_plus(value: ConstValue, span: Span) -> Result<ConstValue> {
    if value.is_number() {
        return Ok(value);
    }
    fail(
        codes::CONST_EVAL,
        span,
        format!("unsupported operand of '+': {}", value.kind()),
    )
}

fn truth(value: &ConstValue, span: Span) -> Result<bool> {
    match value.truth() {
        Some(truth) => Ok(truth),
        None => fail(
            codes::CONST_EVAL,
            span,
            format!("{} has no truth value", value.kind()),
        ),
    }
}

fn bool_op(e: &ast::ExprBoolOp, names: &mut dyn Names) -> Result<ConstValue> {
    let mut last = ConstValue::None;
    for value in &e.values {
        last = eval(value, names)?;
        if truth(&last, names.span(value.range()))? == (e.op == ast::BoolOp::Or) {
            break;
        }
    }
    Ok(last)
}

fn compare(e: &ast::ExprCompare, names: &mut dyn Names) -> Result<ConstValue> {
    let span = names.span(e.range);
    let mut left = eval(&e.left, names)?;
    for (op, right) in e.ops.iter().zip(&e.comparators) {
        let right = eval(right, names)?;
        let result = compare_pair(*op, left, right.clone(), span)?;
        if !truth(&result, span)? {
            return Ok(result);
        }
        left = right;
    }
    Ok(ConstValue::Bool(true))
}

/// One comparison of two compile-time values.
pub fn compare_pair(
    op: CmpOp,
    left: ConstValue,
    right: ConstValue,
    span: Span,
) -> Result<ConstValue> {
    let args = [left, right];
    match op {
        CmpOp::Is => Ok(ConstValue::Bool(python::equal(&args[0], &args[1]))),
        CmpOp::IsNot => Ok(ConstValue::Bool(!python::equal(&args[0], &args[1]))),
        CmpOp::In | CmpOp::NotIn => match &args[1] {
            ConstValue::Tuple(items) | ConstValue::List(items) => {
                let found = items.iter().any(|item| python::equal(&args[0], item));
                Ok(ConstValue::Bool(found == (op == CmpOp::In)))
            }
            other => fail(
                codes::CONST_EVAL,
                span,
                format!("'in' needs a sequence, not {}", other.kind()),
            ),
        },
        _ => fold(operators::of_compare(op), op.as_str(), &args, span),
    }
}

/// An attribute of a compile-time value.
pub fn attribute(object: &ConstValue, attr: &ast::Identifier, span: Span) -> Result<ConstValue> {
    let found = match object {
        ConstValue::Namespace(space) => surface::member(*space, &attr.id),
        _ => None,
    };
    found.ok_or_else(|| {
        let message = format!("{} has no attribute '{}'", object.kind(), attr.id);
        let error = Diagnostic::error(codes::ATTRIBUTE, span, message);
        let names = match object {
            ConstValue::Namespace(space) => surface::exported(*space),
            _ => Vec::new(),
        };
        match closest(&attr.id, names.iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean '{near}'?")).into(),
            None => error.into(),
        }
    })
}

/// `object[index]` of compile-time values: sequences, and kernels with templates.
pub fn subscript(object: ConstValue, index: &ConstValue, span: Span) -> Result<ConstValue> {
    match (&object, index) {
        (ConstValue::Kernel(kernel), _) => specialise(kernel, index, span),
        (ConstValue::Tuple(items) | ConstValue::List(items), ConstValue::Int(i)) => {
            let i = if i.is_negative() {
                i + items.len()
            } else {
                i.clone()
            };
            match i.to_usize().and_then(|i| items.get(i)) {
                Some(item) => Ok(item.clone()),
                None => fail(codes::INDEX_RANGE, span, "the index is out of range"),
            }
        }
        _ => fail(
            codes::NOT_INDEXABLE,
            span,
            format!("{} cannot be indexed with {}", object.kind(), index.kind()),
        ),
    }
}

fn specialise(kernel: &KernelRef, index: &ConstValue, span: Span) -> Result<ConstValue> {
    if !kernel.bindings.is_empty() {
        return fail(codes::TEMPLATE, span, "the kernel is specialised already");
    }
    let bindings: Vec<ConstValue> = match index {
        ConstValue::Tuple(items) => items.to_vec(),
        single => vec![single.clone()],
    };
    for binding in &bindings {
        if !binding.is_number() && !matches!(binding, ConstValue::Type(_)) {
            return fail(
                codes::TEMPLATE,
                span,
                format!(
                    "a template is bound to a type or a number, not {}",
                    binding.kind()
                ),
            );
        }
    }
    Ok(ConstValue::Kernel(KernelRef {
        def: kernel.def,
        bindings: bindings.into(),
    }))
}

/// Arguments of a call at compile time.
pub struct ConstArgs {
    /// By position.
    pub positional: Vec<ConstValue>,
    /// By name.
    pub named: Vec<(String, ConstValue)>,
    /// The call.
    pub span: Span,
}

impl ConstArgs {
    fn expect(&self, least: usize, most: usize, callee: &str) -> Result<()> {
        let n = self.positional.len();
        if n < least || n > most {
            return fail(
                codes::ARGUMENTS,
                self.span,
                format!("{callee} takes {}, but {n} given", arity_text(least, most)),
            );
        }
        Ok(())
    }

    fn only_named(&self, allowed: &[&str], callee: &str) -> Result<()> {
        match self
            .named
            .iter()
            .find(|(n, _)| !allowed.contains(&n.as_str()))
        {
            None => Ok(()),
            Some((name, _)) => {
                let mut d = Diagnostic::error(
                    codes::ARGUMENTS,
                    self.span,
                    format!("{callee} has no parameter '{name}'"),
                );
                if let Some(near) = super::error::closest(name, allowed.iter().copied()) {
                    d = d.help(format!("did you mean '{near}'?"));
                }
                Err(d.into())
            }
        }
    }

    /// The argument of a parameter.
    pub fn get(&self, position: usize, name: &str) -> Option<&ConstValue> {
        self.positional
            .get(position)
            .or_else(|| self.named.iter().find(|(n, _)| n == name).map(|(_, v)| v))
    }
}

/// `2 arguments`, `1 to 3 arguments`.
pub fn arity_text(least: usize, most: usize) -> String {
    let plural = if most == 1 { "" } else { "s" };
    if least == most {
        format!("{least} argument{plural}")
    } else if most == usize::MAX {
        format!(
            "at least {least} argument{}",
            if least == 1 { "" } else { "s" }
        )
    } else {
        format!("{least} to {most} arguments")
    }
}

fn call_expr(callee: &ConstValue, e: &ast::ExprCall, names: &mut dyn Names) -> Result<ConstValue> {
    let span = names.span(e.range());
    let positional = sequence(&e.arguments.args, names)?;
    let mut named = Vec::new();
    for keyword in &e.arguments.keywords {
        match &keyword.arg {
            Some(name) => named.push((name.id.to_string(), eval(&keyword.value, names)?)),
            None => return fail(codes::ARGUMENTS, span, "'**' arguments are not supported"),
        }
    }
    let args = ConstArgs {
        positional,
        named,
        span,
    };
    call(callee, &args, names)
}

/// Calls a compile-time function.
pub fn call(callee: &ConstValue, args: &ConstArgs, names: &mut dyn Names) -> Result<ConstValue> {
    match callee {
        ConstValue::Builtin(builtin) => call_builtin(*builtin, args, names),
        ConstValue::Function(f) => names.call_function(f, args),
        ConstValue::Operator(op) => {
            args.only_named(&[], op.key)?;
            args.expect(op.arity.0, op.arity.1, op.key)?;
            fold(Some(op), op.key, &args.positional, args.span)
        }
        ConstValue::Type(Scalar::Int {
            signed: false,
            width: 1,
        }) => {
            args.expect(1, 1, "bool")?;
            Ok(ConstValue::Bool(truth(&args.positional[0], args.span)?))
        }
        other => fail(
            codes::NOT_CALLABLE,
            args.span,
            format!("{} cannot be called at compile time", other.kind()),
        ),
    }
}

fn call_builtin(builtin: Builtin, args: &ConstArgs, names: &mut dyn Names) -> Result<ConstValue> {
    let span = args.span;
    match builtin {
        Builtin::Template => {
            args.expect(1, 1, "Template")?;
            match &args.positional[0] {
                ConstValue::Str(name) => Ok(ConstValue::Template(names.new_template(name))),
                other => fail(
                    codes::TEMPLATE,
                    span,
                    format!("a template's name is a string, not {}", other.kind()),
                ),
            }
        }
        Builtin::KernelOptions => kernel_options(args),
        Builtin::Apint => apint(args, None),
        Builtin::SizedInt(signed) => apint(args, Some(signed)),
        Builtin::Apfloat => apfloat(args),
        Builtin::Len => length(args),
        Builtin::Print => {
            let text: Vec<String> = args.positional.iter().map(ConstValue::text).collect();
            eprintln!("{}", text.join(" "));
            Ok(ConstValue::None)
        }
        Builtin::Int => to_int(args),
        Builtin::Float => {
            args.expect(1, 1, "float")?;
            float_of(&args.positional[0], span).map(ConstValue::Float)
        }
        Builtin::Round => round(args),
        Builtin::StaticAssert => static_assert(args),
        Builtin::PythonMath(key) => python_math(key, args),
        Builtin::Range => range_list(args),
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
fn apint(args: &ConstArgs, sign: Option<bool>) -> Result<ConstValue> {
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
        (None, Some(value)) => truth(value, args.span)?,
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

fn length(args: &ConstArgs) -> Result<ConstValue> {
    args.expect(1, 1, "len")?;
    let len = match &args.positional[0] {
        ConstValue::Str(s) => s.chars().count(),
        ConstValue::Tuple(items) | ConstValue::List(items) => items.len(),
        other => {
            return fail(
                codes::CONST_EVAL,
                args.span,
                format!("{} has no length", other.kind()),
            );
        }
    };
    Ok(ConstValue::Int(len.into()))
}

fn float_of(value: &ConstValue, span: Span) -> Result<f64> {
    match (value, value.as_int()) {
        (_, Some(v)) => Ok(super::literals::f64_from_int(&v)),
        (ConstValue::Float(v), _) => Ok(*v),
        _ => fail(
            codes::CONST_EVAL,
            span,
            format!("{} is not a number", value.kind()),
        ),
    }
}

fn int_of_float(value: f64, span: Span) -> Result<ConstValue> {
    match num_traits::FromPrimitive::from_f64(value) {
        Some(v) => Ok(ConstValue::Int(v)),
        None => fail(
            codes::CONST_EVAL,
            span,
            "an infinity or NaN has no int value",
        ),
    }
}

fn to_int(args: &ConstArgs) -> Result<ConstValue> {
    args.expect(1, 1, "int")?;
    match (&args.positional[0], args.positional[0].as_int()) {
        (_, Some(v)) => Ok(ConstValue::Int(v)),
        (value, None) => int_of_float(float_of(value, args.span)?.trunc(), args.span),
    }
}

fn round(args: &ConstArgs) -> Result<ConstValue> {
    args.expect(1, 1, "round")?;
    match (&args.positional[0], args.positional[0].as_int()) {
        (_, Some(v)) => Ok(ConstValue::Int(v)),
        (value, None) => int_of_float(float_of(value, args.span)?.round_ties_even(), args.span),
    }
}

fn static_assert(args: &ConstArgs) -> Result<ConstValue> {
    args.expect(1, 2, "static_assert")?;
    if truth(&args.positional[0], args.span)? {
        return Ok(ConstValue::None);
    }
    let message = match args.positional.get(1) {
        Some(text) => format!("static assertion failed: {}", text.text()),
        None => "static assertion failed".to_owned(),
    };
    fail(codes::ASSERTION, args.span, message)
}

fn python_math(key: &str, args: &ConstArgs) -> Result<ConstValue> {
    let op = operators::by_key(key);
    args.expect(op.arity.0, op.arity.1, key)?;
    let floats: Vec<ConstValue> = args
        .positional
        .iter()
        .map(|v| float_of(v, args.span).map(ConstValue::Float))
        .collect::<Result<_>>()?;
    let value = fold(Some(op), key, &floats, args.span)?;
    match value {
        ConstValue::Float(v) if matches!(key, "floor" | "ceil") => int_of_float(v, args.span),
        other => Ok(other),
    }
}

fn range_list(args: &ConstArgs) -> Result<ConstValue> {
    args.expect(1, 3, "range")?;
    let ints: Vec<i64> = args
        .positional
        .iter()
        .map(|v| match v.as_int().and_then(|v| v.to_i64()) {
            Some(v) => Ok(v),
            None => fail(codes::CONST_EVAL, args.span, "range needs ints"),
        })
        .collect::<Result<_>>()?;
    let (lo, hi, step) = match ints[..] {
        [hi] => (0, hi, 1),
        [lo, hi] => (lo, hi, 1),
        [lo, hi, step] => (lo, hi, step),
        _ => (0, 0, 1),
    };
    if step == 0 {
        return fail(codes::CONST_EVAL, args.span, "range with step 0");
    }
    let mut items = Vec::new();
    let mut i = i128::from(lo);
    while (step > 0 && i < i128::from(hi)) || (step < 0 && i > i128::from(hi)) {
        if items.len() as u64 >= python::MAX_INT_BITS {
            return fail(codes::LIMIT, args.span, "the range has too many elements");
        }
        items.push(ConstValue::Int(i.into()));
        i += i128::from(step);
    }
    Ok(ConstValue::List(items.into()))
}

/// What an expression is called in messages.
pub fn expression_kind(expr: &Expr) -> &'static str {
    match expr {
        Expr::Named(_) => "an assignment expression (':=')",
        Expr::Lambda(_) => "a lambda",
        Expr::Dict(_) => "a dict",
        Expr::Set(_) => "a set",
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) => "a comprehension",
        Expr::Generator(_) => "a generator expression",
        Expr::Await(_) => "'await'",
        Expr::Yield(_) | Expr::YieldFrom(_) => "'yield'",
        Expr::FString(_) | Expr::TString(_) => "a formatted string",
        Expr::BytesLiteral(_) => "a bytes literal",
        Expr::EllipsisLiteral(_) => "'...'",
        Expr::Starred(_) => "a starred expression",
        Expr::Slice(_) => "a slice",
        Expr::List(_) => "a list",
        Expr::Tuple(_) => "a tuple",
        _ => "this expression",
    }
}
