//! What objects and classes do: attributes, methods, and new instances.

use crate::equality::equal;
use crate::error::Exception::{AttributeError, TypeError, ValueError};
use crate::error::{Problem, fail, raise};
use crate::value::{
    Args, Attributes, Bound, Class, Data, Descriptor, Names, Native, Object, Result, ScopeOf, Value,
};
use diagnostics::Span;
use std::rc::Rc;

/// Calls a class: a new instance, or the member of an enum.
pub fn instantiate(class: &Rc<Class>, args: Args, names: &mut dyn Names) -> Result<Value> {
    let span = args.span;
    if let Some(members) = class.members() {
        args.expect(1, 1, &class.name)?;
        return member_of(class, &members, &args.positional[0], span);
    }
    names.charge(span, 12)?;
    let object = Object::new(class.clone(), Attributes::new());
    let value = Value::Object(object.clone());
    if class.exception().is_some() {
        object.set("args", Value::tuple(args.positional.clone()));
    }
    if let Some((Value::Function(init), owner)) = class.lookup("__init__") {
        let mut args = args;
        args.positional.insert(0, value.clone());
        names.run(&init, args, &owner)?;
        return Ok(value);
    }
    match class.data() {
        Some(data) => data_init(&object, &data, args, names)?,
        None if class.exception().is_some() => {}
        None => {
            if !args.positional.is_empty() || !args.named.is_empty() {
                let message = format!("'{}' takes no arguments", class.name);
                return raise(TypeError, span, message);
            }
        }
    }
    if let Some((Value::Function(after), owner)) = class.lookup("__post_init__") {
        let args = Args::positional(vec![value.clone()], span);
        names.run(&after, args, &owner)?;
    }
    Ok(value)
}

fn member_of(class: &Class, members: &[Value], wanted: &Value, span: Span) -> Result<Value> {
    let found = members.iter().find(|m| match m {
        Value::Object(o) => {
            let value = o.attrs.get().get("_value_").cloned();
            let equal = |v: Value| equal(&v, wanted).unwrap_or(false);
            value.is_some_and(equal) || matches!(wanted, Value::Object(w) if Rc::ptr_eq(w, o))
        }
        _ => false,
    });
    match found {
        Some(member) => Ok(member.clone()),
        None => {
            let message = format!("{} is no value of '{}'", wanted.text(), class.name);
            raise(ValueError, span, message)
        }
    }
}

fn data_init(object: &Rc<Object>, data: &Data, args: Args, names: &mut dyn Names) -> Result<()> {
    let span = args.span;
    let class = &object.class.name;
    let given = args.positional.len();
    if given > data.fields.len() {
        let message = format!(
            "'{class}' has {} fields, but {given} given",
            data.fields.len()
        );
        return raise(TypeError, span, message);
    }
    let known = |name: &String| data.fields.iter().any(|f| f.name == *name);
    if let Some((name, _)) = args.named.iter().find(|(n, _)| !known(n)) {
        return raise(TypeError, span, format!("'{class}' has no field '{name}'"));
    }
    for (i, field) in data.fields.iter().enumerate() {
        let value = match (args.get(i, &field.name), &field.default, &field.factory) {
            (Some(value), _, _) => value.clone(),
            (None, Some(default), _) => default.clone(),
            (None, None, Some(factory)) => names.call_with(factory, vec![], span)?,
            (None, None, None) => {
                let message = format!("'{class}' needs a value for '{}'", field.name);
                return raise(TypeError, span, message);
            }
        };
        object.set(&field.name, value);
    }
    Ok(())
}

/// An attribute of an object, a class or `super()`.
pub fn attribute(
    value: &Value,
    name: &str,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    match value {
        Value::Object(object) => object_attribute(object, name, span, names),
        Value::Class(class) => Ok(class_attribute(class, name)),
        Value::Super(parts) => {
            let (after, this) = &**parts;
            let Value::Object(object) = this else {
                return Ok(None);
            };
            let mut order = std::iter::once(&object.class).chain(&object.class.inherited);
            order.by_ref().find(|c| Class::same(c, after));
            let found = order.find_map(|c| Some((c.attrs.get().get(name)?.clone(), c.clone())));
            match found {
                Some((found, owner)) => bound(found, owner, this, span, names).map(Some),
                None if name == "__init__" => Ok(Some(bound_native(&INIT, this))),
                None => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

fn object_attribute(
    object: &Rc<Object>,
    name: &str,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    let this = Value::Object(object.clone());
    let in_class = object.class.lookup(name);
    if let Some((Value::Descriptor(Descriptor::Property, f), owner)) = &in_class {
        let property = Value::Descriptor(Descriptor::Property, f.clone());
        return bound(property, owner.clone(), &this, span, names).map(Some);
    }
    let own = match name {
        "name" | "value" if object.is_enum() => {
            object.attrs.get().get(&format!("_{name}_")).cloned()
        }
        "__class__" => Some(Value::Class(object.class.clone())),
        name => object.attrs.get().get(name).cloned(),
    };
    if own.is_some() {
        return Ok(own);
    }
    if let Some((found, owner)) = in_class {
        return bound(found, owner, &this, span, names).map(Some);
    }
    match object.class.lookup("__getattr__") {
        Some((Value::Function(f), owner)) if !name.starts_with("__") => {
            let args = Args::positional(vec![this, Value::str(name)], span);
            names.run(&f, args, &owner).map(Some)
        }
        _ => Ok(None),
    }
}

/// A class attribute as read from an instance.
fn bound(
    found: Value,
    owner: Rc<Class>,
    this: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<Value> {
    let first = match (&found, this) {
        (Value::Function(_), _) => vec![this.clone()],
        (Value::Descriptor(Descriptor::Static, f), _) => return Ok((**f).clone()),
        (Value::Descriptor(Descriptor::Class, f), Value::Object(o)) => {
            return Ok(bind(f, Value::Class(o.class.clone()), owner));
        }
        (Value::Descriptor(Descriptor::Property, f), _) => {
            let getter = bind(f, this.clone(), owner);
            return names.call_with(&getter, vec![], span);
        }
        _ => return Ok(found),
    };
    Ok(Value::Bound(Rc::new(Bound {
        callee: found,
        first,
        named: Vec::new(),
        owner: Some(owner),
    })))
}

fn bind(f: &Value, first: Value, owner: Rc<Class>) -> Value {
    Value::Bound(Rc::new(Bound {
        callee: f.clone(),
        first: vec![first],
        named: Vec::new(),
        owner: Some(owner),
    }))
}

fn class_attribute(class: &Rc<Class>, name: &str) -> Option<Value> {
    if name == "__name__" {
        return Some(Value::Str(class.name.clone()));
    }
    let (found, owner) = class.lookup(name)?;
    Some(match &found {
        Value::Descriptor(Descriptor::Static, f) => (**f).clone(),
        Value::Descriptor(Descriptor::Class, f) => bind(f, Value::Class(class.clone()), owner),
        Value::Function(_) => Value::Bound(Rc::new(Bound {
            callee: found,
            first: Vec::new(),
            named: Vec::new(),
            owner: Some(owner),
        })),
        _ => found,
    })
}

/// `__init__` where a class inherits none: that of `object`, and of exceptions, which keeps the arguments.
static INIT: Native = Native {
    name: "__init__",
    params: &["**"],
    required: 0,
    rest: true,
    method: false,
    run: |c| {
        let mut args = std::mem::take(&mut c.rest).into_iter();
        if let Some(Value::Object(object)) = args.next()
            && object.class.exception().is_some()
        {
            object.set("args", Value::tuple(args.collect()));
        }
        Ok(Value::None)
    },
};

/// A function of the library with its first argument.
pub fn bound_native(native: &'static Native, this: &Value) -> Value {
    Value::Bound(Rc::new(Bound {
        callee: Value::Native(native),
        first: vec![this.clone()],
        named: Vec::new(),
        owner: None,
    }))
}

/// A special method of an object, bound to it; `None` for other values.
pub fn method(
    value: &Value,
    name: &str,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    let Value::Object(object) = value else {
        return Ok(None);
    };
    match object.class.lookup(name) {
        Some((found, owner)) => bound(found, owner, value, span, names).map(Some),
        None => Ok(None),
    }
}

/// Calls a special method of an object, if it has it.
pub fn call_method(
    value: &Value,
    name: &str,
    args: Vec<Value>,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Value>> {
    match method(value, name, span, names)? {
        Some(method) => names.call_with(&method, args, span).map(Some),
        None => Ok(None),
    }
}

/// Assigns an attribute.
pub fn set_attribute(
    object: &Value,
    name: &str,
    value: Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<()> {
    names.charge(span, 4)?;
    let attrs = match object {
        Value::Object(o) => {
            let property = matches!(
                o.class.lookup(name),
                Some((Value::Descriptor(Descriptor::Property, _), _))
            );
            if property || o.is_enum() || o.class.data().is_some_and(|d| d.frozen) {
                return raise(AttributeError, span, format!("cannot assign '{name}'"));
            }
            &o.attrs
        }
        Value::Class(c) if c.builtin.is_none() && c.members().is_none() => &c.attrs,
        other => {
            let message = format!("attributes of {} cannot be assigned", other.kind());
            return fail(span, Problem::Target(message.into()));
        }
    };
    match attrs.edit() {
        Some(mut attrs) => {
            attrs.insert(name.to_owned(), value);
            Ok(())
        }
        None => fail(span, Problem::Frozen(None)),
    }
}

/// Calls an object by its `__call__`.
pub fn call_object(object: &Value, args: Args, names: &mut dyn Names) -> Result<Value> {
    let span = args.span;
    match method(object, "__call__", span, names)? {
        Some(method) => names.call(&method, args),
        None => fail(
            span,
            Problem::NotCallable("the object cannot be called".into()),
        ),
    }
}

/// `super()` in a method.
pub fn super_of(span: Span, names: &mut dyn Names) -> Result<Value> {
    let mut next = names.place().scope;
    while let Some(scope) = next {
        let vars = scope.vars.borrow();
        if let (ScopeOf::Function(code), Some(Value::Class(class))) =
            (&scope.of, vars.get("__class__"))
        {
            let first = code.params.iter_non_variadic_params().next();
            let this = first.and_then(|p| vars.get(p.parameter.name.id.as_str()));
            if let Some(this) = this {
                return Ok(Value::Super(Rc::new((class.clone(), this.clone()))));
            }
        }
        next = scope.parent.clone();
    }
    fail(
        span,
        Problem::NotCallable("super() stands in a method".into()),
    )
}
