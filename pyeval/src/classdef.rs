//! Class statements: what a body defines, the order of inheritance, dataclasses and enums.

use crate::code::Locals;
use crate::equality::equal;
use crate::error::Exception::{TypeError, ValueError};
use crate::error::{Problem, fail, raise};
use crate::frame::Frame;
use crate::value::{Class, Data, Field, Names, Object, Result, Scope, ScopeOf, Value};
use diagnostics::Span;
use num_bigint::BigInt;
use ruff_python_ast::{self as ast, Expr, Stmt};
use std::rc::Rc;

/// The class of a definition, with its decorators applied.
pub fn define(c: &ast::StmtClassDef, names: &mut dyn Names) -> Result<Value> {
    let span = names.span(c.name.range);
    let place = names.place();
    let mut bases = Vec::new();
    if let Some(arguments) = &c.arguments {
        if let Some(keyword) = arguments.keywords.first() {
            let span = names.span(keyword.range);
            let text = "a class takes no keywords here";
            return fail(span, Problem::Statement(text.into()));
        }
        for base in &arguments.args {
            match names.eval(base)? {
                Value::Class(base) => bases.push(base),
                other => {
                    let message = format!("a class cannot inherit from {}", other.kind());
                    return fail(span, Problem::Statement(message.into()));
                }
            }
        }
    }
    if bases.is_empty() {
        bases.extend(Class::builtin("object"));
    }
    let mut decorators = Vec::new();
    for decorator in &c.decorator_list {
        decorators.push((
            names.eval(&decorator.expression)?,
            names.span(decorator.range),
        ));
    }
    let scope = Scope::new(
        ScopeOf::Class(Locals::of_body(&c.body, None)),
        place.scope.clone(),
    );
    let file = names.file();
    let body: &mut dyn Names = &mut Frame {
        host: names.host(),
        file,
        module: place.module,
        scope: Some(scope.clone()),
    };
    body.exec(&c.body)?;
    let attrs = scope.vars.take();
    names.charge(span, 16 + 4 * attrs.len() as u64)?;
    let ancestors: u64 = bases.iter().map(|b| 1 + b.inherited.len() as u64).sum();
    // Each ancestor is looked for among all others, unless there is but one line of them.
    let searches = if bases.len() > 1 { ancestors } else { 1 };
    names.charge(span, ancestors.saturating_mul(searches))?;
    let Some(inherited) = linearise(&bases) else {
        return raise(TypeError, span, "the bases have no consistent order");
    };
    let class = Rc::new(Class {
        annotated: annotated(&c.body),
        ..Class::new(&c.name.id, bases, inherited, attrs)
    });
    if class.inherits("Enum") {
        make_members(&class, span, names)?;
    }
    let mut value = Value::Class(class);
    for (decorator, span) in decorators.into_iter().rev() {
        value = names.call_with(&decorator, vec![value], span)?;
    }
    Ok(value)
}

/// The order of inheritance by C3 (Barrett and others, OOPSLA 1996), as in Python.
fn linearise(bases: &[Rc<Class>]) -> Option<Vec<Rc<Class>>> {
    let line = |base: &Rc<Class>| -> Vec<Rc<Class>> { base.line().collect() };
    if let [base] = bases {
        return Some(line(base));
    }
    let mut rows: Vec<Vec<Rc<Class>>> = bases.iter().map(line).collect();
    rows.push(bases.to_vec());
    let mut order = Vec::new();
    loop {
        rows.retain(|row| !row.is_empty());
        if rows.is_empty() {
            return Some(order);
        }
        let in_a_tail = |c: &Rc<Class>| {
            rows.iter()
                .any(|row| row[1..].iter().any(|other| Class::same(c, other)))
        };
        let next = rows
            .iter()
            .map(|row| &row[0])
            .find(|c| !in_a_tail(c))?
            .clone();
        for row in &mut rows {
            if Class::same(&row[0], &next) {
                row.remove(0);
            }
        }
        order.push(next);
    }
}

/// Names with annotations, class variables left out.
fn annotated(body: &[Stmt]) -> Vec<String> {
    let class_variable = |annotation: &Expr| {
        let head = match annotation {
            Expr::Subscript(s) => &s.value,
            other => other,
        };
        match head {
            Expr::Name(name) => name.id == "ClassVar",
            Expr::Attribute(a) => a.attr.id == "ClassVar",
            _ => false,
        }
    };
    body.iter()
        .filter_map(|stmt| match stmt {
            Stmt::AnnAssign(a) if !class_variable(&a.annotation) => match &*a.target {
                Expr::Name(name) => Some(name.id.to_string()),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// Turns the plain attributes of an enum into its members.
fn make_members(class: &Rc<Class>, span: Span, names: &mut dyn Names) -> Result<()> {
    let plain: Vec<(String, Value)> = class
        .attrs
        .get()
        .iter()
        .filter(|(name, value)| {
            !name.starts_with('_') && !matches!(value, Value::Function(_) | Value::Descriptor(..))
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut members: Vec<Value> = Vec::new();
    let mut last = BigInt::ZERO;
    for (name, value) in plain {
        let value = match &value {
            Value::Native(native) if native.name == "auto()" => Value::Int(last + 1u32),
            _ => value,
        };
        last = value.as_int().unwrap_or_default();
        let same = |m: &&Value| match m {
            Value::Object(o) => {
                let known = o.attrs.get().get("_value_").cloned();
                known.is_some_and(|v| equal(&v, &value).unwrap_or(false))
            }
            _ => false,
        };
        let member = match members.iter().find(same) {
            Some(first) => first.clone(),
            None => {
                let attrs = [
                    ("_name_".to_owned(), Value::str(&name)),
                    ("_value_".to_owned(), value),
                ];
                let member = Value::Object(Object::new(class.clone(), attrs.into_iter().collect()));
                members.push(member.clone());
                member
            }
        };
        names.charge(span, 8)?;
        if let Some(mut attrs) = class.attrs.edit() {
            attrs.insert(name, member);
        }
    }
    *class.members.borrow_mut() = Some(members);
    Ok(())
}

/// `dataclass(...)` of a class.
pub fn dataclass(class: &Rc<Class>, frozen: bool, order: bool, span: Span) -> Result<()> {
    let mut fields: Vec<Field> = Vec::new();
    let inherited = class.inherited.iter().rev();
    for base in inherited.filter_map(|c| c.data.borrow().clone()) {
        base.fields
            .iter()
            .for_each(|f| put_field(&mut fields, f.clone()));
    }
    for name in &class.annotated {
        let value = class.attrs.get().get(name).cloned();
        let mut field = Field {
            name: name.clone(),
            default: None,
            factory: None,
        };
        match value {
            Some(Value::Bound(b)) if matches!(b.callee, Value::Native(n) if n.name == "field") => {
                let named = |key: &str| {
                    let found = b.named.iter().find(|(n, _)| n == key);
                    found.map(|(_, v)| v.clone())
                };
                field.default = named("default");
                field.factory = named("default_factory");
                if let Some(mut attrs) = class.attrs.edit() {
                    match &field.default {
                        Some(default) => attrs.insert(name.clone(), default.clone()),
                        None => attrs.shift_remove(name),
                    };
                }
            }
            Some(Value::List(_) | Value::Dict(_) | Value::Set(_)) => {
                let message = format!("mutable default of field '{name}': use default_factory");
                return raise(ValueError, span, message);
            }
            default => field.default = default,
        }
        put_field(&mut fields, field);
    }
    *class.data.borrow_mut() = Some(Rc::new(Data {
        fields,
        frozen,
        order,
        tuple: false,
    }));
    Ok(())
}

fn put_field(fields: &mut Vec<Field>, field: Field) {
    match fields.iter_mut().find(|f| f.name == field.name) {
        Some(known) => *known = field,
        None => fields.push(field),
    }
}
