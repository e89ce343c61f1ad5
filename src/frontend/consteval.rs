//! Evaluation of expressions in which everything is known while compiling, as Python does it.

use super::classes;
use super::codes;
use super::containers::{Elements, Key, Shared};
use super::error::{Failure, Result, fail, raise};
use super::iterate::{self, IterRef};
use super::library;
use super::numpy;
use super::operators::{self, Operator, python};
use super::scope::{Code, Locals, Scope, ScopeOf};
use super::source::span_of;
use super::surface;
use super::text;
use super::types;
use super::values::{ConstValue, Function, KernelRef};
use crate::diagnostics::{Diagnostic, FileId, Span, suggest};
use indexmap::IndexMap;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use ruff_python_ast::{
    self as ast, CmpOp, Expr, FStringPart, InterpolatedStringElement, InterpolatedStringElements,
    Number,
};
use ruff_text_size::{Ranged, TextRange};
use std::rc::Rc;

/// What evaluation needs of the compilation: bounds, modules, functions.
pub trait Host {
    /// Counts steps of computation; an error if there are too many.
    fn tick(&mut self, span: Span, steps: u64) -> Result<()>;
    /// Counts memory taken, in words of 40 bytes; an error if it is too much.
    fn charge(&mut self, span: Span, cells: u64) -> Result<()>;
    /// A call begins; an error if they are nested too deeply.
    fn enter(&mut self, span: Span) -> Result<()>;
    /// A call ends.
    fn leave(&mut self);
    /// The value of a module's global or of a built-in; `None` if there is neither.
    fn global(&self, module: usize, name: &str, span: Span) -> Option<Result<ConstValue>>;
    /// The error for a name that nothing binds.
    fn undefined(&self, module: usize, name: &str, span: Span, locals: &[String]) -> Failure;
    /// Binds a global of a module, or removes it.
    fn set_global(&mut self, module: usize, name: &str, value: Option<ConstValue>) -> bool;
    /// The module of an import statement in the file of `module`.
    fn import(&mut self, module: usize, dotted: &str, level: u32, span: Span)
    -> Result<ConstValue>;
    /// The public names of a module.
    fn exported(&self, module: usize) -> Vec<String>;
    /// A fresh template.
    fn new_template(&mut self, name: &str) -> usize;
    /// The code of the function at a place, made on first use.
    fn code(&mut self, span: Span, make: &dyn Fn() -> Code) -> Rc<Code>;
    /// Text of a file.
    fn text(&self, file: FileId) -> &str;
    /// Calls a function of the user's CPython.
    fn call_remote(&mut self, function: usize, args: &ConstArgs) -> Result<ConstValue>;
}

/// Where code runs: what functions defined there capture.
#[derive(Clone, Debug)]
pub struct Place {
    /// The module whose globals it sees.
    pub module: usize,
    /// The innermost scope of a function, class or comprehension.
    pub scope: Option<Rc<Scope>>,
    /// Whether it is the body of a kernel, whose names functions cannot capture.
    pub kernel: bool,
}

/// Where names come from, and what evaluation may change.
pub trait Names {
    /// The compile-time value of a name; an error if it has none.
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue>;
    /// Binds a name, or removes it.
    fn bind(&mut self, name: &str, value: Option<ConstValue>, span: Span) -> Result<()>;
    /// The current file.
    fn file(&self) -> FileId;
    /// The whole text of the current file.
    fn file_text(&self) -> &str;
    /// Where the code runs.
    fn place(&self) -> Place;
    /// The compilation.
    fn host(&mut self) -> &mut dyn Host;
    /// Calls a Python function.
    fn call_function(&mut self, f: &Rc<Function>, args: ConstArgs) -> Result<ConstValue>;
    /// The place of a range of the current file.
    fn span(&self, range: TextRange) -> Span {
        span_of(self.file(), range)
    }
    /// Counts steps of computation; an error if there are too many.
    fn tick(&mut self, span: Span, cost: u64) -> Result<()> {
        self.host().tick(span, cost)
    }
    /// Text of a range of the current file.
    fn source(&self, range: TextRange) -> String {
        self.file_text()[range].to_owned()
    }
}

/// Evaluates an expression.
pub fn eval(expr: &Expr, names: &mut dyn Names) -> Result<ConstValue> {
    let span = names.span(expr.range());
    names.tick(span, 1)?;
    match expr {
        Expr::NumberLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => literal(expr, span),
        Expr::EllipsisLiteral(_) => Ok(ConstValue::Ellipsis),
        Expr::Name(name) => names.lookup(&name.id, span),
        Expr::Tuple(t) => {
            let items = sequence(&t.elts, names)?;
            charged(ConstValue::Tuple(items.into()), span, names)
        }
        Expr::List(l) => {
            let items = sequence(&l.elts, names)?;
            charged(ConstValue::list(items), span, names)
        }
        Expr::Set(s) => {
            let items = sequence(&s.elts, names)?;
            library::set_of(items, false, span, names)
        }
        Expr::Dict(d) => dict(d, span, names),
        Expr::BinOp(e) => {
            let (left, right) = (eval(&e.left, names)?, eval(&e.right, names)?);
            binary(e.op, left, right, span, names)
        }
        Expr::UnaryOp(e) => {
            let operand = eval(&e.operand, names)?;
            unary(e.op, operand, span, names)
        }
        Expr::BoolOp(e) => bool_op(e, names),
        Expr::Compare(e) => compare(e, names),
        Expr::If(e) => {
            let test = eval(&e.test, names)?;
            let chosen = if truth(&test, span, names)? {
                &e.body
            } else {
                &e.orelse
            };
            eval(chosen, names)
        }
        Expr::Named(e) => {
            let value = eval(&e.value, names)?;
            super::interp::assign(&e.target, &value, names)?;
            Ok(value)
        }
        Expr::Attribute(e) => {
            let object = eval(&e.value, names)?;
            attribute(&object, &e.attr, span, names)
        }
        Expr::Subscript(e) => {
            let object = eval(&e.value, names)?;
            if let ConstValue::Type(elem) = object {
                return types::shaped(elem, e, names);
            }
            let index = eval(&e.slice, names)?;
            subscript(object, &index, span, names)
        }
        Expr::Slice(e) => {
            let mut part = |part: &Option<Box<Expr>>| match part {
                Some(expr) => eval(expr, names),
                None => Ok(ConstValue::None),
            };
            Ok(ConstValue::Slice(Rc::new([
                part(&e.lower)?,
                part(&e.upper)?,
                part(&e.step)?,
            ])))
        }
        Expr::Call(e) => {
            let callee = eval(&e.func, names)?;
            call_expr(&callee, e, names)
        }
        Expr::Lambda(e) => lambda(e, span, names),
        Expr::FString(e) => formatted(e, span, names),
        Expr::ListComp(e) => {
            let items = comprehension(&[&e.elt], &e.generators, span, names)?;
            Ok(ConstValue::list(first_of(items)))
        }
        Expr::SetComp(e) => {
            let items = comprehension(&[&e.elt], &e.generators, span, names)?;
            library::set_of(first_of(items), false, span, names)
        }
        Expr::DictComp(e) => match &e.key {
            Some(key) => {
                let pairs = comprehension(&[key, &e.value], &e.generators, span, names)?;
                dict_of(pairs, span, names)
            }
            None => unsupported("a dict comprehension with '**'", span),
        },
        Expr::Generator(e) => {
            if names.place().kernel {
                // Everything that a kernel sees is constant, so it does not matter when it is read.
                let items = comprehension(&[&e.elt], &e.generators, span, names)?;
                return Ok(ConstValue::Iter(IterRef::items(first_of(items))));
            }
            iterate::generator_expression(e, span, names)
        }
        Expr::Starred(e) => fail(
            codes::EXPRESSION,
            names.span(e.range),
            "a starred expression stands in a list, a tuple or a call",
        ),
        other => unsupported(expression_kind(other), span),
    }
}

fn unsupported<T>(what: &str, span: Span) -> Result<T> {
    let message = format!("{what} cannot be evaluated at compile time");
    fail(codes::EXPRESSION, span, message)
}

/// Counts the memory and time of making a value.
pub fn charged(value: ConstValue, span: Span, names: &mut dyn Names) -> Result<ConstValue> {
    /// What any container takes beside its elements.
    const CONTAINER: u64 = 8;
    let cells = match &value {
        ConstValue::Int(v) => v.bits() / 256,
        ConstValue::Str(s) => s.len() as u64 / 32,
        ConstValue::Tuple(items) => CONTAINER + items.len() as u64,
        ConstValue::List(items) => CONTAINER + items.get().len() as u64,
        ConstValue::Dict(items) => CONTAINER + 4 * items.get().len() as u64,
        ConstValue::Set(items) => CONTAINER + 4 * items.get().items.len() as u64,
        ConstValue::Table(table) => CONTAINER + table.len() as u64,
        _ => 0,
    };
    if cells > 0 {
        names.host().charge(span, cells)?;
        names.tick(span, cells)?;
    }
    Ok(value)
}

fn sequence(items: &[Expr], names: &mut dyn Names) -> Result<Vec<ConstValue>> {
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Expr::Starred(s) => {
                let span = names.span(s.range);
                let spread = eval(&s.value, names)?;
                values.extend(iterate::collect(&spread, span, names)?);
            }
            other => values.push(eval(other, names)?),
        }
    }
    Ok(values)
}

fn dict(d: &ast::ExprDict, span: Span, names: &mut dyn Names) -> Result<ConstValue> {
    let mut pairs = Vec::new();
    for item in &d.items {
        match &item.key {
            Some(key) => pairs.push(vec![eval(key, names)?, eval(&item.value, names)?]),
            None => {
                let spread = eval(&item.value, names)?;
                let ConstValue::Dict(other) = &spread else {
                    let message = format!("'**' needs a dict, not {}", spread.kind());
                    return raise("TypeError", span, message);
                };
                let other = other.get();
                pairs.extend(other.values().map(|(k, v)| vec![k.clone(), v.clone()]));
            }
        }
    }
    dict_of(pairs, span, names)
}

/// A dict of pairs, of which later ones override earlier ones.
pub fn dict_of(
    pairs: Vec<Vec<ConstValue>>,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let mut entries = IndexMap::with_capacity(pairs.len());
    for pair in pairs {
        let Ok([key, value]) = <[ConstValue; 2]>::try_from(pair) else {
            return raise("ValueError", span, "a dict is made of pairs");
        };
        insert(&mut entries, key, value, span)?;
    }
    charged(ConstValue::Dict(Rc::new(Shared::new(entries))), span, names)
}

/// Puts an entry into a dict; the key that was there first stays.
pub fn insert(
    entries: &mut IndexMap<Key, (ConstValue, ConstValue)>,
    key: ConstValue,
    value: ConstValue,
    span: Span,
) -> Result<()> {
    let hash = hashable(&key, span)?;
    match entries.get_mut(&hash) {
        Some(entry) => entry.1 = value,
        None => {
            entries.insert(hash, (key, value));
        }
    }
    Ok(())
}

/// The key of a value, or Python's error.
pub fn hashable(value: &ConstValue, span: Span) -> Result<Key> {
    Key::of(value).or_else(|name| raise("TypeError", span, format!("unhashable type: '{name}'")))
}

fn first_of(items: Vec<Vec<ConstValue>>) -> Vec<ConstValue> {
    items.into_iter().flatten().collect()
}

/// Names of a comprehension before those around it.
struct Overlay<'n> {
    outer: &'n mut dyn Names,
    scope: Rc<Scope>,
}

impl Names for Overlay<'_> {
    fn lookup(&mut self, name: &str, span: Span) -> Result<ConstValue> {
        let own = self.scope.vars.borrow().get(name).cloned();
        match own {
            Some(value) => Ok(value),
            None => self.outer.lookup(name, span),
        }
    }
    fn bind(&mut self, name: &str, value: Option<ConstValue>, span: Span) -> Result<()> {
        self.outer.bind(name, value, span)
    }
    fn file(&self) -> FileId {
        self.outer.file()
    }
    fn file_text(&self) -> &str {
        self.outer.file_text()
    }
    fn place(&self) -> Place {
        Place {
            scope: Some(self.scope.clone()),
            ..self.outer.place()
        }
    }
    fn host(&mut self) -> &mut dyn Host {
        self.outer.host()
    }
    fn call_function(&mut self, f: &Rc<Function>, args: ConstArgs) -> Result<ConstValue> {
        self.outer.call_function(f, args)
    }
}

/// The elements of a comprehension: the values of `elements` for each iteration.
fn comprehension(
    elements: &[&Expr],
    generators: &[ast::Comprehension],
    span: Span,
    names: &mut dyn Names,
) -> Result<Vec<Vec<ConstValue>>> {
    let mut out = Vec::new();
    let scope = Scope::new(ScopeOf::Comprehension, names.place().scope);
    let mut overlay = Overlay {
        outer: names,
        scope,
    };
    comprehend(elements, generators, &mut overlay, &mut out)?;
    let cells = 8 + (out.len() * elements.len()) as u64;
    names.host().charge(span, cells)?;
    Ok(out)
}

fn comprehend(
    elements: &[&Expr],
    generators: &[ast::Comprehension],
    names: &mut Overlay,
    out: &mut Vec<Vec<ConstValue>>,
) -> Result<()> {
    let Some((first, rest)) = generators.split_first() else {
        let values = elements.iter().map(|e| eval(e, names));
        out.push(values.collect::<Result<_>>()?);
        let span = names.span(elements[0].range());
        // Charged as it grows, so that an endless one ends.
        return names.host().charge(span, 2 + elements.len() as u64);
    };
    let span = names.span(first.iter.range());
    if first.is_async {
        return unsupported("'async for'", span);
    }
    let iterable = eval(&first.iter, names)?;
    let iter = iterate::iter(&iterable, span, names)?;
    while let Some(item) = iterate::next(&iter, span, names)? {
        names.tick(span, 1)?;
        bind_target(&first.target, &item, &names.scope.clone(), names)?;
        let mut wanted = true;
        for test in &first.ifs {
            let test = eval(test, names)?;
            wanted = wanted && truth(&test, span, names)?;
            if !wanted {
                break;
            }
        }
        if wanted {
            comprehend(elements, rest, names, out)?;
        }
    }
    Ok(())
}

/// Binds the target of a comprehension in its own scope.
pub fn bind_target(
    target: &Expr,
    value: &ConstValue,
    scope: &Rc<Scope>,
    names: &mut dyn Names,
) -> Result<()> {
    match target {
        Expr::Name(name) => {
            let mut vars = scope.vars.borrow_mut();
            vars.insert(name.id.to_string(), value.clone());
            Ok(())
        }
        Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
            let span = names.span(target.range());
            for (target, value) in super::interp::unpack(elts, value, span, names)? {
                let target = match target {
                    Expr::Starred(s) => &*s.value,
                    other => other,
                };
                bind_target(target, &value, scope, names)?;
            }
            Ok(())
        }
        _ => fail(
            codes::TARGET,
            names.span(target.range()),
            "a comprehension binds names only",
        ),
    }
}

fn lambda(e: &ast::ExprLambda, span: Span, names: &mut dyn Names) -> Result<ConstValue> {
    let make = || Code {
        name: "<lambda>".into(),
        params: e.parameters.as_deref().cloned().unwrap_or_default(),
        body: super::scope::Body::Expression(e.body.clone()),
        span,
        locals: Locals::of_lambda(&e.body, e.parameters.as_deref()),
    };
    names.tick(span, 4)?;
    let code = names.host().code(span, &make);
    super::interp::function(code, false, names)
}

fn formatted(e: &ast::ExprFString, span: Span, names: &mut dyn Names) -> Result<ConstValue> {
    let mut out = String::new();
    for part in e.value.iter() {
        match part {
            FStringPart::Literal(literal) => out.push_str(literal.as_str()),
            FStringPart::FString(f) => format_elements(&f.elements, &mut out, names)?,
        }
    }
    charged(ConstValue::Str(out.into()), span, names)
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
        let mut value = eval(&e.expression, names)?;
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
            ast::ConversionFlag::Str => value = ConstValue::Str(text::str(&value, span, names)?),
            ast::ConversionFlag::Repr | ast::ConversionFlag::Ascii => {
                value = ConstValue::Str(text::repr(&value, span, names)?);
            }
        }
        let mut spec = String::new();
        if let Some(format) = &e.format_spec {
            format_elements(&format.elements, &mut spec, names)?;
        }
        out.push_str(&text::format(&value, &spec, span, names)?);
        names.host().charge(span, out.len() as u64 / 32)?;
    }
    Ok(())
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
    match text::parse_int(text, 0) {
        Some(v) => Ok(ConstValue::Int(v)),
        None => fail(codes::CONST_EVAL, span, "the int literal cannot be read"),
    }
}

/// Folds an operator; its message becomes the Python exception that it stands for.
pub fn fold(
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
        Err(message) => Err(fold_failure(message, span)),
    }
}

/// The failure that a message of a fold stands for.
pub fn fold_failure(message: String, span: Span) -> Failure {
    let class = if message.contains("exceeds") || message == super::containers::TOO_LARGE {
        return Diagnostic::error(codes::LIMIT, span, message).into();
    } else if message == "division by zero" {
        "ZeroDivisionError"
    } else if message == operators::python::TOO_LARGE {
        "OverflowError"
    } else if message.starts_with("unsupported") {
        "TypeError"
    } else {
        "ValueError"
    };
    super::error::raised(class, span, message)
}

/// `left op right` for any values.
pub fn binary(
    op: ast::Operator,
    left: ConstValue,
    right: ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let args = [left, right];
    let value = match classes::binary_method(op, &args, span, names)? {
        Some(value) => return Ok(value),
        None if args.iter().any(|a| matches!(a, ConstValue::Table(_))) => {
            numpy::binary(op, &args[0], &args[1], span, names)?
        }
        None => match library::binary(op, &args, span, names)? {
            Some(value) => value,
            None => fold(operators::of_binary(op), op.as_str(), &args, span)?,
        },
    };
    charged(value, span, names)
}

/// `left op= right`: changes lists, sets, dicts and arrays in place.
pub fn augment(
    op: ast::Operator,
    left: ConstValue,
    right: ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    match (&left, op) {
        (ConstValue::List(_), ast::Operator::Add) => {
            let items = iterate::collect(&right, span, names)?;
            names.host().charge(span, items.len() as u64)?;
            library::edit_list(&left, span)?.extend(items);
            Ok(left)
        }
        (ConstValue::Dict(_), ast::Operator::BitOr) | (ConstValue::Set(_), _) => {
            let value = binary(op, left.clone(), right, span, names)?;
            library::replace_contents(&left, &value, span)?;
            Ok(match &left {
                ConstValue::Set(set) if set.get().frozenset => value,
                _ => left,
            })
        }
        (ConstValue::Table(table), _) if table.rank() > 0 => {
            let value = binary(op, left.clone(), right, span, names)?;
            numpy::assign_all(table, &value, span, true)?;
            Ok(left)
        }
        _ => binary(op, left, right, span, names),
    }
}

fn unary(
    op: ast::UnaryOp,
    operand: ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    if op == ast::UnaryOp::Not {
        return Ok(ConstValue::Bool(!truth(&operand, span, names)?));
    }
    if let Some(value) = classes::unary_method(op, &operand, span, names)? {
        return Ok(value);
    }
    if let ConstValue::Table(table) = &operand {
        return numpy::unary(op, table, span, names);
    }
    match (op, operand.as_int()) {
        (ast::UnaryOp::UAdd, Some(v)) => Ok(ConstValue::Int(v)),
        (ast::UnaryOp::UAdd, None) if operand.is_number() => Ok(operand),
        (ast::UnaryOp::UAdd, None) => raise(
            "TypeError",
            span,
            format!("unsupported operand of '+': {}", operand.kind()),
        ),
        _ => fold(operators::of_unary(op), op.as_str(), &[operand], span),
    }
}

/// Python's truth of a value.
pub fn truth(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<bool> {
    if let Some(truth) = classes::truth_method(value, span, names)? {
        return Ok(truth);
    }
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
        let span = names.span(value.range());
        if truth(&last, span, names)? == (e.op == ast::BoolOp::Or) {
            break;
        }
    }
    Ok(last)
}

fn compare(e: &ast::ExprCompare, names: &mut dyn Names) -> Result<ConstValue> {
    let span = names.span(e.range);
    let mut left = eval(&e.left, names)?;
    let mut result = ConstValue::Bool(true);
    for (i, (op, right)) in e.ops.iter().zip(&e.comparators).enumerate() {
        let right = eval(right, names)?;
        result = compare_pair(*op, left, right.clone(), span, names)?;
        if i + 1 < e.ops.len() && !truth(&result, span, names)? {
            break;
        }
        left = right;
    }
    Ok(result)
}

/// One comparison of two compile-time values.
pub fn compare_pair(
    op: CmpOp,
    left: ConstValue,
    right: ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    match op {
        CmpOp::Is | CmpOp::IsNot => {
            let same = library::identical(&left, &right);
            return Ok(ConstValue::Bool(same == (op == CmpOp::Is)));
        }
        CmpOp::In | CmpOp::NotIn => {
            let found = library::contains(&right, &left, span, names)?;
            return Ok(ConstValue::Bool(found == (op == CmpOp::In)));
        }
        _ => {}
    }
    let args = [left, right];
    if let Some(value) = classes::compare_method(op, &args, span, names)? {
        return Ok(value);
    }
    if args.iter().any(|a| matches!(a, ConstValue::Table(_))) {
        return numpy::compare(op, &args[0], &args[1], span, names);
    }
    if let Some(value) = library::compare_sets(op, &args) {
        return Ok(ConstValue::Bool(value));
    }
    let length = |v: &ConstValue| v.sequence().map_or(0, |items| items.len());
    names.tick(span, (length(&args[0]).min(length(&args[1])) / 4) as u64)?;
    fold(operators::of_compare(op), op.as_str(), &args, span)
}

/// An attribute of a compile-time value.
pub fn attribute(
    object: &ConstValue,
    attr: &ast::Identifier,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    match named_attribute(object, &attr.id, span, names)? {
        Some(value) => Ok(value),
        None => {
            let message = format!("{} has no attribute '{}'", object.kind(), attr.id);
            // What a class of Python's own lacks here, Python may have: nothing may catch that.
            if matches!(
                object,
                ConstValue::Object(_) | ConstValue::Class(_) | ConstValue::Super(_)
            ) {
                return raise("AttributeError", span, message);
            }
            let error = Diagnostic::error(codes::ATTRIBUTE, span, message);
            let names = match object {
                ConstValue::Namespace(space) => surface::exported(*space),
                _ => Vec::new(),
            };
            Err(suggest(error, &attr.id, names.iter().map(String::as_str)).into())
        }
    }
}

/// An attribute of a value, if it has one of the name.
pub fn named_attribute(
    object: &ConstValue,
    name: &str,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    match object {
        ConstValue::Namespace(space) => Ok(surface::member(*space, name)),
        ConstValue::Module(module) if !name.starts_with("__") => {
            match names.host().global(*module, name, span) {
                Some(value) if surface::builtin(name).is_none() => value.map(Some),
                _ => Ok(None),
            }
        }
        ConstValue::Object(_) | ConstValue::Class(_) | ConstValue::Super(_) => {
            classes::attribute(object, name, span, names)
        }
        _ => Ok(library::attribute(object, name)),
    }
}

/// `object[index]` of compile-time values, kernels with templates included.
pub fn subscript(
    object: ConstValue,
    index: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    if let ConstValue::Kernel(kernel) = &object {
        return specialise(kernel, index, span);
    }
    let value = library::subscript(&object, index, span, names)?;
    if matches!(index, ConstValue::Slice(_)) {
        return charged(value, span, names);
    }
    Ok(value)
}

fn specialise(kernel: &KernelRef, index: &ConstValue, span: Span) -> Result<ConstValue> {
    if !kernel.bindings.is_empty() {
        return fail(codes::TEMPLATE, span, "the kernel is specialised already");
    }
    let bindings: Vec<ConstValue> = match index {
        ConstValue::Tuple(items) => items.iter().cloned().map(ConstValue::for_kernel).collect(),
        single => vec![single.clone().for_kernel()],
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
#[derive(Clone, Debug)]
pub struct ConstArgs {
    /// By position.
    pub positional: Vec<ConstValue>,
    /// By name.
    pub named: Vec<(String, ConstValue)>,
    /// The call.
    pub span: Span,
}

impl ConstArgs {
    /// Arguments by position only.
    pub fn positional(positional: Vec<ConstValue>, span: Span) -> ConstArgs {
        ConstArgs {
            positional,
            named: Vec::new(),
            span,
        }
    }

    /// Refuses a wrong number of arguments by position.
    pub fn expect(&self, least: usize, most: usize, callee: &str) -> Result<()> {
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

    /// Refuses arguments by names that the callee does not have.
    pub fn only_named(&self, allowed: &[&str], callee: &str) -> Result<()> {
        match self
            .named
            .iter()
            .find(|(n, _)| !allowed.contains(&n.as_str()))
        {
            None => Ok(()),
            Some((name, _)) => {
                let message = format!("{callee} has no parameter '{name}'");
                let error = Diagnostic::error(codes::ARGUMENTS, self.span, message);
                Err(suggest(error, name, allowed.iter().copied()).into())
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

/// The arguments that a call writes.
pub fn arguments(e: &ast::ExprCall, names: &mut dyn Names) -> Result<ConstArgs> {
    let span = names.span(e.range());
    let positional = sequence(&e.arguments.args, names)?;
    let mut named: Vec<(String, ConstValue)> = Vec::new();
    for keyword in &e.arguments.keywords {
        let value = eval(&keyword.value, names)?;
        match (&keyword.arg, value) {
            (Some(name), value) => named.push((name.id.to_string(), value)),
            (None, ConstValue::Dict(entries)) => {
                for (key, value) in entries.get().values() {
                    let ConstValue::Str(name) = key else {
                        return raise("TypeError", span, "keywords must be strings");
                    };
                    named.push((name.to_string(), value.clone()));
                }
            }
            (None, other) => {
                let message = format!("'**' needs a dict, not {}", other.kind());
                return raise("TypeError", span, message);
            }
        }
    }
    for (i, (name, _)) in named.iter().enumerate() {
        if named[..i].iter().any(|(n, _)| n == name) {
            let message = format!("the argument '{name}' is given twice");
            return raise("TypeError", span, message);
        }
    }
    Ok(ConstArgs {
        positional,
        named,
        span,
    })
}

fn call_expr(callee: &ConstValue, e: &ast::ExprCall, names: &mut dyn Names) -> Result<ConstValue> {
    let args = arguments(e, names)?;
    if let (ConstValue::Native(native), true) = (callee, args.positional.is_empty())
        && native.name == "super"
    {
        return classes::super_of(args.span, names);
    }
    call(callee, args, names)
}

/// Calls a compile-time function.
pub fn call(callee: &ConstValue, args: ConstArgs, names: &mut dyn Names) -> Result<ConstValue> {
    let span = args.span;
    match callee {
        ConstValue::Builtin(builtin) => super::allo::call(*builtin, &args, names),
        ConstValue::Native(native) => {
            let value = library::call(native, ConstValue::None, args, names)?;
            charged(value, span, names)
        }
        ConstValue::Function(f) => names.call_function(f, args),
        ConstValue::Bound(bound) => call_bound(bound, args, names),
        ConstValue::Class(class) => classes::instantiate(class, args, names),
        ConstValue::Object(_) => classes::call_object(callee, args, names),
        ConstValue::Remote(function, _) => names.host().call_remote(*function, &args),
        ConstValue::Dtype(dtype) => numpy::scalar(*dtype, &args),
        ConstValue::Operator(op) => library::call_operator(op, args, names),
        ConstValue::Type(crate::ir::Scalar::BOOL) => match args.positional.len() {
            0 => Ok(ConstValue::Bool(false)),
            _ => {
                args.expect(1, 1, "bool")?;
                Ok(ConstValue::Bool(truth(&args.positional[0], span, names)?))
            }
        },
        other => fail(
            codes::NOT_CALLABLE,
            span,
            format!("{} cannot be called at compile time", other.kind()),
        ),
    }
}

fn call_bound(
    bound: &super::values::Bound,
    mut args: ConstArgs,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    if let ConstValue::Native(native) = &bound.callee
        && let [this] = &bound.first[..]
        && native.method
    {
        let span = args.span;
        let value = library::call(native, this.clone(), args, names)?;
        return charged(value, span, names);
    }
    args.positional.splice(0..0, bound.first.iter().cloned());
    for (name, value) in &bound.named {
        if !args.named.iter().any(|(n, _)| n == name) {
            args.named.push((name.clone(), value.clone()));
        }
    }
    match (&bound.callee, &bound.owner) {
        // A method of an object that is known while compiling is itself a compile-time function.
        (ConstValue::Function(f), Some(owner)) => {
            super::interp::call(names.host(), f, args, Some(owner))
        }
        (callee, _) => call(callee, args, names),
    }
}

/// A non-negative int of a machine word.
pub fn as_usize(value: &ConstValue) -> Option<usize> {
    value.as_int().as_ref().and_then(BigInt::to_usize)
}

/// An empty set's elements.
pub fn elements(frozenset: bool) -> Elements {
    Elements {
        frozenset,
        ..Elements::default()
    }
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
