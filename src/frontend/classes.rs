//! Classes at compile time: definition, instances, methods, dataclasses, enums and exceptions.

use super::codes;
use super::consteval::{ConstArgs, Names, call, eval, named_attribute};
use super::containers::{Fuel, Key, Shared};
use super::error::{Result, fail, raise};
use super::interp::{self, Frame, exec};
use super::library;
use super::operators::python;
use super::scope::{Locals, Scope, ScopeOf};
use super::text;
use super::values::{Bound, ConstValue, Descriptor};
use crate::diagnostics::Span;
use indexmap::IndexMap;
use num_bigint::BigInt;
use ruff_python_ast::{self as ast, CmpOp, Expr, Operator, Stmt, UnaryOp};
use std::cell::RefCell;
use std::rc::Rc;

/// A class.
#[derive(Debug)]
pub struct Class {
    /// Its name.
    pub name: Rc<str>,
    /// The classes that it names as its bases.
    pub bases: Vec<Rc<Class>>,
    /// All classes that it inherits from, nearest first.
    inherited: Vec<Rc<Class>>,
    /// What its body binds.
    pub attrs: Shared<IndexMap<String, ConstValue>>,
    /// Python's own class of the name.
    builtin: Option<&'static str>,
    /// Names annotated in its body, in order.
    annotated: Vec<String>,
    data: RefCell<Option<Rc<Data>>>,
    members: RefCell<Option<Vec<ConstValue>>>,
}

/// What `@dataclass` adds to a class.
#[derive(Debug)]
struct Data {
    fields: Vec<Field>,
    frozen: bool,
    order: bool,
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    default: Option<ConstValue>,
    factory: Option<ConstValue>,
}

/// An instance of a class.
#[derive(Debug)]
pub struct Object {
    /// Its class.
    pub class: Rc<Class>,
    /// Its own attributes.
    pub attrs: Shared<IndexMap<String, ConstValue>>,
}

/// Python's own classes that have no values of a kind of their own, with what they inherit from.
const BUILTIN: &[(&str, &str)] = &[
    ("object", ""),
    ("BaseException", "object"),
    ("Exception", "BaseException"),
    ("ArithmeticError", "Exception"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("OverflowError", "ArithmeticError"),
    ("FloatingPointError", "ArithmeticError"),
    ("LookupError", "Exception"),
    ("IndexError", "LookupError"),
    ("KeyError", "LookupError"),
    ("ValueError", "Exception"),
    ("TypeError", "Exception"),
    ("AttributeError", "Exception"),
    ("NameError", "Exception"),
    ("UnboundLocalError", "NameError"),
    ("ImportError", "Exception"),
    ("ModuleNotFoundError", "ImportError"),
    ("AssertionError", "Exception"),
    ("StopIteration", "Exception"),
    ("RuntimeError", "Exception"),
    ("NotImplementedError", "RuntimeError"),
    ("RecursionError", "RuntimeError"),
    ("OSError", "Exception"),
    ("FileNotFoundError", "OSError"),
    ("Warning", "Exception"),
    ("Enum", "object"),
    ("IntEnum", "Enum"),
];

impl Class {
    /// Python's own class of a name.
    pub fn builtin(name: &str) -> Option<Rc<Class>> {
        let (name, parent) = BUILTIN.iter().find(|(n, _)| *n == name)?;
        let bases: Vec<Rc<Class>> = Class::builtin(parent).into_iter().collect();
        let inherited = bases
            .iter()
            .flat_map(|b| std::iter::once(b.clone()).chain(b.inherited.iter().cloned()))
            .collect();
        Some(Rc::new(Class {
            name: (*name).into(),
            bases,
            inherited,
            attrs: Shared::new(IndexMap::new()),
            builtin: Some(name),
            annotated: Vec::new(),
            data: RefCell::default(),
            members: RefCell::default(),
        }))
    }

    /// Whether two handles mean the same class.
    pub fn same(a: &Rc<Class>, b: &Rc<Class>) -> bool {
        Rc::ptr_eq(a, b) || (a.builtin.is_some() && a.builtin == b.builtin)
    }

    /// Whether it is the other class or inherits from it.
    pub fn is_subclass(self: &Rc<Class>, other: &Rc<Class>) -> bool {
        Class::same(self, other) || self.inherited.iter().any(|c| Class::same(c, other))
    }

    fn inherits(&self, builtin: &str) -> bool {
        self.builtin == Some(builtin) || self.inherited.iter().any(|c| c.builtin == Some(builtin))
    }

    /// The nearest of Python's own exception classes; `None` if it is no exception.
    pub fn exception(&self) -> Option<&'static str> {
        if !self.inherits("BaseException") {
            return None;
        }
        self.builtin
            .or_else(|| self.inherited.iter().find_map(|c| c.builtin))
    }

    /// The members of an enum.
    pub fn members(&self) -> Option<Vec<ConstValue>> {
        self.members.borrow().clone()
    }

    /// An attribute and the class that has it.
    fn lookup(self: &Rc<Class>, name: &str) -> Option<(ConstValue, Rc<Class>)> {
        std::iter::once(self)
            .chain(&self.inherited)
            .find_map(|c| Some((c.attrs.get().get(name)?.clone(), c.clone())))
    }

    fn data(&self) -> Option<Rc<Data>> {
        let own = self.data.borrow().clone();
        own.or_else(|| self.inherited.iter().find_map(|c| c.data.borrow().clone()))
    }
}

impl Object {
    /// The value of a member of an `IntEnum`.
    pub fn int(&self) -> Option<BigInt> {
        if !self.class.inherits("IntEnum") {
            return None;
        }
        self.attrs.get().get("_value_").and_then(ConstValue::as_int)
    }

    fn is_enum(&self) -> bool {
        self.class.inherits("Enum")
    }

    fn fields(&self, data: &Data) -> Vec<ConstValue> {
        let attrs = self.attrs.get();
        let of = |f: &Field| attrs.get(&f.name).cloned().unwrap_or(ConstValue::None);
        data.fields.iter().map(of).collect()
    }

    /// What it is in a dict or set.
    ///
    /// # Errors
    /// The name of a class that is not hashable.
    pub fn key(&self, fuel: &mut Fuel) -> std::result::Result<Key, String> {
        let identity = format!("object {:p}", std::ptr::from_ref(self));
        let Some(data) = self.class.data() else {
            let own = self
                .class
                .inherited
                .iter()
                .any(|c| c.attrs.get().contains_key("__eq__"))
                || self.class.attrs.get().contains_key("__eq__");
            return match own && !self.is_enum() {
                true => Err(self.class.name.to_string()),
                false => Ok(Key::Other(identity)),
            };
        };
        if !data.frozen {
            return Err(self.class.name.to_string());
        }
        let fields = self.fields(&data);
        let keys = fields.iter().map(|f| Key::with(f, fuel));
        Ok(Key::Tuple(keys.collect::<std::result::Result<_, _>>()?))
    }

    /// Whether two objects are equal, without calling methods.
    ///
    /// # Errors
    /// When that takes a call of `__eq__`, or too long.
    pub fn equal(&self, other: &Object, fuel: &mut Fuel) -> std::result::Result<bool, String> {
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        if let (Some(a), Some(b)) = (self.int(), other.int()) {
            return Ok(a == b);
        }
        if self.class.lookup("__eq__").is_some() || other.class.lookup("__eq__").is_some() {
            return Err("unsupported comparison of objects with '__eq__' in a container".into());
        }
        match self.class.data() {
            Some(data) if Class::same(&self.class, &other.class) => {
                let (a, b) = (self.fields(&data), other.fields(&data));
                for (a, b) in a.iter().zip(&b) {
                    if !python::equal_within(a, b, fuel)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// The class of a definition, with its decorators applied.
pub fn define(c: &ast::StmtClassDef, names: &mut dyn Names) -> Result<ConstValue> {
    let span = names.span(c.name.range);
    let place = names.place();
    let mut bases = Vec::new();
    if let Some(arguments) = &c.arguments {
        if let Some(keyword) = arguments.keywords.first() {
            let span = names.span(keyword.range);
            return fail(codes::STATEMENT, span, "a class takes no keywords here");
        }
        for base in &arguments.args {
            match eval(base, names)? {
                ConstValue::Class(base) => bases.push(base),
                other => {
                    let message = format!("a class cannot inherit from {}", other.kind());
                    return fail(codes::STATEMENT, span, message);
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
            eval(&decorator.expression, names)?,
            names.span(decorator.range),
        ));
    }
    let scope = Scope::new(
        ScopeOf::Class(Locals::of_body(&c.body, None)),
        place.scope.clone(),
    );
    let file = names.file();
    exec(
        &c.body,
        &mut Frame {
            host: names.host(),
            file,
            module: place.module,
            scope: Some(scope.clone()),
        },
    )?;
    let attrs = scope.vars.take();
    names.host().charge(span, 16 + 4 * attrs.len() as u64)?;
    let ancestors: u64 = bases.iter().map(|b| 1 + b.inherited.len() as u64).sum();
    // Each ancestor is looked for among all others, unless there is but one line of them.
    let searches = if bases.len() > 1 { ancestors } else { 1 };
    names
        .host()
        .charge(span, ancestors.saturating_mul(searches))?;
    let Some(inherited) = linearise(&bases) else {
        return raise("TypeError", span, "the bases have no consistent order");
    };
    let class = Rc::new(Class {
        name: c.name.id.as_str().into(),
        bases,
        inherited,
        attrs: Shared::new(attrs),
        builtin: None,
        annotated: annotated(&c.body),
        data: RefCell::default(),
        members: RefCell::default(),
    });
    if class.inherits("Enum") {
        make_members(&class, span, names)?;
    }
    let mut value = ConstValue::Class(class);
    for (decorator, span) in decorators.into_iter().rev() {
        value = call(&decorator, ConstArgs::positional(vec![value], span), names)?;
    }
    Ok(value)
}

/// The order of inheritance by C3 (Barrett and others, OOPSLA 1996), as in Python.
fn linearise(bases: &[Rc<Class>]) -> Option<Vec<Rc<Class>>> {
    let line = |base: &Rc<Class>| -> Vec<Rc<Class>> {
        let above = base.inherited.iter().cloned();
        std::iter::once(base.clone()).chain(above).collect()
    };
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
    let plain: Vec<(String, ConstValue)> = class
        .attrs
        .get()
        .iter()
        .filter(|(name, value)| {
            !name.starts_with('_')
                && !matches!(value, ConstValue::Function(_) | ConstValue::Descriptor(..))
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut members: Vec<ConstValue> = Vec::new();
    let mut last = BigInt::ZERO;
    for (name, value) in plain {
        let value = match &value {
            ConstValue::Native(native) if native.name == "auto()" => ConstValue::Int(last + 1u32),
            _ => value,
        };
        last = value.as_int().unwrap_or_default();
        let same = |m: &&ConstValue| match m {
            ConstValue::Object(o) => {
                let known = o.attrs.get().get("_value_").cloned();
                known.is_some_and(|v| python::equal(&v, &value).unwrap_or(false))
            }
            _ => false,
        };
        let member = match members.iter().find(same) {
            Some(first) => first.clone(),
            None => {
                let attrs = [
                    ("_name_".to_owned(), ConstValue::str(&name)),
                    ("_value_".to_owned(), value),
                ];
                let member = ConstValue::Object(Rc::new(Object {
                    class: class.clone(),
                    attrs: Shared::new(attrs.into_iter().collect()),
                }));
                members.push(member.clone());
                member
            }
        };
        names.host().charge(span, 8)?;
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
            Some(ConstValue::Bound(b)) if matches!(b.callee, ConstValue::Native(n) if n.name == "field") =>
            {
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
            Some(ConstValue::List(_) | ConstValue::Dict(_) | ConstValue::Set(_)) => {
                let message = format!("mutable default of field '{name}': use default_factory");
                return raise("ValueError", span, message);
            }
            default => field.default = default,
        }
        put_field(&mut fields, field);
    }
    *class.data.borrow_mut() = Some(Rc::new(Data {
        fields,
        frozen,
        order,
    }));
    Ok(())
}

fn put_field(fields: &mut Vec<Field>, field: Field) {
    match fields.iter_mut().find(|f| f.name == field.name) {
        Some(known) => *known = field,
        None => fields.push(field),
    }
}

/// Names that positional parts of a class pattern match.
pub fn match_args(class: &Rc<Class>) -> Vec<String> {
    if let Some((args, _)) = class.lookup("__match_args__") {
        let items = args.sequence();
        let names = items.iter().flat_map(|items| items.iter());
        return names.map(ConstValue::text).collect();
    }
    class.data().map_or(vec![], |data| {
        data.fields.iter().map(|f| f.name.clone()).collect()
    })
}

/// An instance of one of Python's own exception classes.
pub fn exception(class: &str, message: &str) -> ConstValue {
    let class = Class::builtin(class).or_else(|| Class::builtin("Exception"));
    let Some(class) = class else {
        return ConstValue::None;
    };
    let args = match message {
        "" => vec![],
        message => vec![ConstValue::str(message)],
    };
    let attrs = [("args".to_owned(), ConstValue::tuple(args))];
    ConstValue::Object(Rc::new(Object {
        class,
        attrs: Shared::new(attrs.into_iter().collect()),
    }))
}

/// An object of attributes, as CPython describes it.
pub fn record(name: &str, attrs: IndexMap<String, ConstValue>) -> ConstValue {
    let class = Class {
        name: name.into(),
        bases: Vec::new(),
        inherited: Vec::new(),
        attrs: Shared::new(IndexMap::new()),
        builtin: None,
        annotated: Vec::new(),
        data: RefCell::default(),
        members: RefCell::default(),
    };
    ConstValue::Object(Rc::new(Object {
        class: Rc::new(class),
        attrs: Shared::new(attrs),
    }))
}

/// Calls a class: a new instance, or the member of an enum.
pub fn instantiate(
    class: &Rc<Class>,
    args: ConstArgs,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let span = args.span;
    if let Some(members) = class.members() {
        args.expect(1, 1, &class.name)?;
        return member_of(class, &members, &args.positional[0], span);
    }
    names.host().charge(span, 12)?;
    let object = Rc::new(Object {
        class: class.clone(),
        attrs: Shared::new(IndexMap::new()),
    });
    let value = ConstValue::Object(object.clone());
    if class.exception().is_some() {
        set(&object, "args", ConstValue::tuple(args.positional.clone()));
    }
    if let Some((ConstValue::Function(init), owner)) = class.lookup("__init__") {
        let mut args = args;
        args.positional.insert(0, value.clone());
        interp::call(names.host(), &init, args, Some(&owner))?;
        return Ok(value);
    }
    match class.data() {
        Some(data) => data_init(&object, &data, args, names)?,
        None if class.exception().is_some() => {}
        None => {
            if !args.positional.is_empty() || !args.named.is_empty() {
                let message = format!("'{}' takes no arguments", class.name);
                return raise("TypeError", span, message);
            }
        }
    }
    if let Some((ConstValue::Function(after), owner)) = class.lookup("__post_init__") {
        let args = ConstArgs::positional(vec![value.clone()], span);
        interp::call(names.host(), &after, args, Some(&owner))?;
    }
    Ok(value)
}

fn member_of(
    class: &Class,
    members: &[ConstValue],
    wanted: &ConstValue,
    span: Span,
) -> Result<ConstValue> {
    let found = members.iter().find(|m| match m {
        ConstValue::Object(o) => {
            let value = o.attrs.get().get("_value_").cloned();
            let equal = |v: ConstValue| python::equal(&v, wanted).unwrap_or(false);
            value.is_some_and(equal) || matches!(wanted, ConstValue::Object(w) if Rc::ptr_eq(w, o))
        }
        _ => false,
    });
    match found {
        Some(member) => Ok(member.clone()),
        None => {
            let message = format!("{} is no value of '{}'", wanted.text(), class.name);
            raise("ValueError", span, message)
        }
    }
}

fn set(object: &Object, name: &str, value: ConstValue) {
    if let Some(mut attrs) = object.attrs.edit() {
        attrs.insert(name.to_owned(), value);
    }
}

fn data_init(
    object: &Rc<Object>,
    data: &Data,
    args: ConstArgs,
    names: &mut dyn Names,
) -> Result<()> {
    let span = args.span;
    let class = &object.class.name;
    let given = args.positional.len();
    if given > data.fields.len() {
        let message = format!(
            "'{class}' has {} fields, but {given} given",
            data.fields.len()
        );
        return raise("TypeError", span, message);
    }
    let known = |name: &String| data.fields.iter().any(|f| f.name == *name);
    if let Some((name, _)) = args.named.iter().find(|(n, _)| !known(n)) {
        return raise(
            "TypeError",
            span,
            format!("'{class}' has no field '{name}'"),
        );
    }
    for (i, field) in data.fields.iter().enumerate() {
        let value = match (args.get(i, &field.name), &field.default, &field.factory) {
            (Some(value), _, _) => value.clone(),
            (None, Some(default), _) => default.clone(),
            (None, None, Some(factory)) => {
                call(factory, ConstArgs::positional(vec![], span), names)?
            }
            (None, None, None) => {
                let message = format!("'{class}' needs a value for '{}'", field.name);
                return raise("TypeError", span, message);
            }
        };
        set(object, &field.name, value);
    }
    Ok(())
}

/// An attribute of an object, a class or `super()`.
pub fn attribute(
    value: &ConstValue,
    name: &str,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    match value {
        ConstValue::Object(object) => object_attribute(object, name, span, names),
        ConstValue::Class(class) => Ok(class_attribute(class, name)),
        ConstValue::Super(parts) => {
            let (after, this) = &**parts;
            let ConstValue::Object(object) = this else {
                return Ok(None);
            };
            let mut order = std::iter::once(&object.class).chain(&object.class.inherited);
            order.by_ref().find(|c| Class::same(c, after));
            let found = order.find_map(|c| Some((c.attrs.get().get(name)?.clone(), c.clone())));
            match found {
                Some((found, owner)) => bound(found, owner, this, span, names).map(Some),
                None if name == "__init__" => Ok(Some(library::default_init(this))),
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
) -> Result<Option<ConstValue>> {
    let this = ConstValue::Object(object.clone());
    let in_class = object.class.lookup(name);
    if let Some((ConstValue::Descriptor(Descriptor::Property, f), owner)) = &in_class {
        let property = ConstValue::Descriptor(Descriptor::Property, f.clone());
        return bound(property, owner.clone(), &this, span, names).map(Some);
    }
    let own = match name {
        "name" | "value" if object.is_enum() => {
            object.attrs.get().get(&format!("_{name}_")).cloned()
        }
        "__class__" => Some(ConstValue::Class(object.class.clone())),
        name => object.attrs.get().get(name).cloned(),
    };
    if own.is_some() {
        return Ok(own);
    }
    if let Some((found, owner)) = in_class {
        return bound(found, owner, &this, span, names).map(Some);
    }
    match object.class.lookup("__getattr__") {
        Some((ConstValue::Function(f), owner)) if !name.starts_with("__") => {
            let args = ConstArgs::positional(vec![this, ConstValue::str(name)], span);
            interp::call(names.host(), &f, args, Some(&owner)).map(Some)
        }
        _ => Ok(None),
    }
}

/// A class attribute as read from an instance.
fn bound(
    found: ConstValue,
    owner: Rc<Class>,
    this: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let first = match (&found, this) {
        (ConstValue::Function(_), _) => vec![this.clone()],
        (ConstValue::Descriptor(Descriptor::Static, f), _) => return Ok((**f).clone()),
        (ConstValue::Descriptor(Descriptor::Class, f), ConstValue::Object(o)) => {
            return Ok(bind(f, ConstValue::Class(o.class.clone()), owner));
        }
        (ConstValue::Descriptor(Descriptor::Property, f), _) => {
            let getter = bind(f, this.clone(), owner);
            return call(&getter, ConstArgs::positional(vec![], span), names);
        }
        _ => return Ok(found),
    };
    Ok(ConstValue::Bound(Rc::new(Bound {
        callee: found,
        first,
        named: Vec::new(),
        owner: Some(owner),
    })))
}

fn bind(f: &ConstValue, first: ConstValue, owner: Rc<Class>) -> ConstValue {
    ConstValue::Bound(Rc::new(Bound {
        callee: f.clone(),
        first: vec![first],
        named: Vec::new(),
        owner: Some(owner),
    }))
}

fn class_attribute(class: &Rc<Class>, name: &str) -> Option<ConstValue> {
    if name == "__name__" {
        return Some(ConstValue::Str(class.name.clone()));
    }
    let (found, owner) = class.lookup(name)?;
    Some(match &found {
        ConstValue::Descriptor(Descriptor::Static, f) => (**f).clone(),
        ConstValue::Descriptor(Descriptor::Class, f) => {
            bind(f, ConstValue::Class(class.clone()), owner)
        }
        ConstValue::Function(_) => ConstValue::Bound(Rc::new(Bound {
            callee: found,
            first: Vec::new(),
            named: Vec::new(),
            owner: Some(owner),
        })),
        _ => found,
    })
}

/// A special method of an object, bound to it; `None` for other values.
pub fn method(
    value: &ConstValue,
    name: &str,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    let ConstValue::Object(object) = value else {
        return Ok(None);
    };
    match object.class.lookup(name) {
        Some((found, owner)) => bound(found, owner, value, span, names).map(Some),
        None => Ok(None),
    }
}

/// Calls a special method of an object, if it has it.
pub fn call_method(
    value: &ConstValue,
    name: &str,
    args: Vec<ConstValue>,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    match method(value, name, span, names)? {
        Some(method) => call(&method, ConstArgs::positional(args, span), names).map(Some),
        None => Ok(None),
    }
}

/// Assigns an attribute.
pub fn set_attribute(
    object: &ConstValue,
    name: &str,
    value: ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<()> {
    names.host().charge(span, 4)?;
    let attrs = match object {
        ConstValue::Object(o) => {
            let property = matches!(
                o.class.lookup(name),
                Some((ConstValue::Descriptor(Descriptor::Property, _), _))
            );
            if property || o.is_enum() || o.class.data().is_some_and(|d| d.frozen) {
                return raise("AttributeError", span, format!("cannot assign '{name}'"));
            }
            &o.attrs
        }
        ConstValue::Class(c) if c.builtin.is_none() && c.members().is_none() => &c.attrs,
        other => {
            let message = format!("attributes of {} cannot be assigned", other.kind());
            return fail(codes::TARGET, span, message);
        }
    };
    match attrs.edit() {
        Some(mut attrs) => {
            attrs.insert(name.to_owned(), value);
            Ok(())
        }
        None => library::frozen(span),
    }
}

const BINARY: &[(Operator, &str, &str)] = &[
    (Operator::Add, "__add__", "__radd__"),
    (Operator::Sub, "__sub__", "__rsub__"),
    (Operator::Mult, "__mul__", "__rmul__"),
    (Operator::MatMult, "__matmul__", "__rmatmul__"),
    (Operator::Div, "__truediv__", "__rtruediv__"),
    (Operator::FloorDiv, "__floordiv__", "__rfloordiv__"),
    (Operator::Mod, "__mod__", "__rmod__"),
    (Operator::Pow, "__pow__", "__rpow__"),
    (Operator::LShift, "__lshift__", "__rlshift__"),
    (Operator::RShift, "__rshift__", "__rrshift__"),
    (Operator::BitAnd, "__and__", "__rand__"),
    (Operator::BitOr, "__or__", "__ror__"),
    (Operator::BitXor, "__xor__", "__rxor__"),
];

const COMPARE: &[(CmpOp, &str, &str)] = &[
    (CmpOp::Eq, "__eq__", "__eq__"),
    (CmpOp::NotEq, "__ne__", "__ne__"),
    (CmpOp::Lt, "__lt__", "__gt__"),
    (CmpOp::LtE, "__le__", "__ge__"),
    (CmpOp::Gt, "__gt__", "__lt__"),
    (CmpOp::GtE, "__ge__", "__le__"),
];

fn implemented(value: &ConstValue) -> bool {
    !matches!(value, ConstValue::Native(n) if n.name == "NotImplemented")
}

/// The result of a method of the left operand, or else of the reflected one of the right.
fn either(
    method: &str,
    reflected: &str,
    args: &[ConstValue; 2],
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    for (this, other, name) in [(0, 1, method), (1, 0, reflected)] {
        let other = vec![args[other].clone()];
        let result = call_method(&args[this], name, other, span, names)?;
        if result.as_ref().is_some_and(implemented) {
            return Ok(result);
        }
    }
    Ok(None)
}

/// A binary operator by methods of the operands, if they have them.
pub fn binary_method(
    op: Operator,
    args: &[ConstValue; 2],
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    if !args.iter().any(|a| matches!(a, ConstValue::Object(_))) {
        return Ok(None);
    }
    match BINARY.iter().find(|(o, ..)| *o == op) {
        Some((_, method, reflected)) => either(method, reflected, args, span, names),
        None => Ok(None),
    }
}

/// A unary operator by a method of the operand, if it has it.
pub fn unary_method(
    op: UnaryOp,
    operand: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    let name = match op {
        UnaryOp::USub => "__neg__",
        UnaryOp::UAdd => "__pos__",
        UnaryOp::Invert => "__invert__",
        UnaryOp::Not => return Ok(None),
    };
    call_method(operand, name, vec![], span, names)
}

/// A comparison by methods of the operands, if they have them.
pub fn compare_method(
    op: CmpOp,
    args: &[ConstValue; 2],
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    if !args.iter().any(|a| matches!(a, ConstValue::Object(_))) {
        return Ok(None);
    }
    let Some((_, method, reflected)) = COMPARE.iter().find(|(o, ..)| *o == op) else {
        return Ok(None);
    };
    if let Some(result) = either(method, reflected, args, span, names)? {
        return Ok(Some(result));
    }
    if op == CmpOp::NotEq
        && let Some(equal) = either("__eq__", "__eq__", args, span, names)?
    {
        let equal = super::consteval::truth(&equal, span, names)?;
        return Ok(Some(ConstValue::Bool(!equal)));
    }
    if let [ConstValue::Object(a), ConstValue::Object(b)] = args
        && let Some(data) = a.class.data()
        && data.order
        && Class::same(&a.class, &b.class)
    {
        let fields = |o: &Object| ConstValue::tuple(o.fields(&data));
        let (a, b) = (fields(a), fields(b));
        return super::consteval::compare_pair(op, a, b, span, names).map(Some);
    }
    Ok(None)
}

/// The truth of an object.
pub fn truth_method(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<Option<bool>> {
    let ConstValue::Object(object) = value else {
        return Ok(None);
    };
    if let Some(result) = call_method(value, "__bool__", vec![], span, names)? {
        return Ok(Some(matches!(result, ConstValue::Bool(true))));
    }
    if let Some(length) = call_method(value, "__len__", vec![], span, names)? {
        return Ok(Some(length.as_int() != Some(BigInt::ZERO)));
    }
    Ok(Some(object.int().is_none_or(|v| v != BigInt::ZERO)))
}

/// Calls an object by its `__call__`.
pub fn call_object(
    object: &ConstValue,
    args: ConstArgs,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let span = args.span;
    match method(object, "__call__", span, names)? {
        Some(method) => call(&method, args, names),
        None => fail(codes::NOT_CALLABLE, span, "the object cannot be called"),
    }
}

/// `super()` in a method.
pub fn super_of(span: Span, names: &mut dyn Names) -> Result<ConstValue> {
    let mut next = names.place().scope;
    while let Some(scope) = next {
        let vars = scope.vars.borrow();
        if let (ScopeOf::Function(code), Some(ConstValue::Class(class))) =
            (&scope.of, vars.get("__class__"))
        {
            let first = code.params.iter_non_variadic_params().next();
            let this = first.and_then(|p| vars.get(p.parameter.name.id.as_str()));
            if let Some(this) = this {
                return Ok(ConstValue::Super(Rc::new((class.clone(), this.clone()))));
            }
        }
        next = scope.parent.clone();
    }
    fail(codes::NOT_CALLABLE, span, "super() stands in a method")
}

/// Text of an object: by its methods, or as Python makes it for dataclasses, enums and exceptions.
pub fn object_text(
    object: &Rc<Object>,
    repr: bool,
    span: Span,
    names: &mut dyn Names,
) -> Result<String> {
    let value = ConstValue::Object(object.clone());
    let methods: &[&str] = if repr {
        &["__repr__"]
    } else {
        &["__str__", "__repr__"]
    };
    for name in methods {
        if let Some(ConstValue::Str(text)) = call_method(&value, name, vec![], span, names)? {
            return Ok(text.to_string());
        }
    }
    let class = &object.class.name;
    let attr = |name: &str| object.attrs.get().get(name).cloned();
    if let (true, Some(name), Some(member)) = (object.is_enum(), attr("_name_"), attr("_value_")) {
        let member = text::repr(&member, span, names)?;
        return Ok(match (repr, object.int().is_some()) {
            (true, _) => format!("<{class}.{}: {member}>", name.text()),
            // Since Python 3.11 an IntEnum prints as its number.
            (false, true) => member.to_string(),
            (false, false) => format!("{class}.{}", name.text()),
        });
    }
    if object.class.exception().is_some() {
        let args = attr("args").and_then(|a| a.sequence());
        let args = args.as_deref().unwrap_or_default();
        let parts: Vec<String> = args
            .iter()
            .map(|a| text::repr(a, span, names).map(|t| t.to_string()))
            .collect::<Result<_>>()?;
        return Ok(match (repr, args) {
            (true, _) => format!("{class}({})", parts.join(", ")),
            (false, []) => String::new(),
            (false, [single]) if !object.class.inherits("KeyError") => {
                text::str(single, span, names)?.to_string()
            }
            (false, [_]) => parts.join(", "),
            (false, _) => format!("({})", parts.join(", ")),
        });
    }
    let Some(data) = object.class.data() else {
        return Ok(format!("<{class} object>"));
    };
    let mut parts = Vec::new();
    for (field, value) in data.fields.iter().zip(object.fields(&data)) {
        parts.push(format!(
            "{}={}",
            field.name,
            text::repr(&value, span, names)?
        ));
    }
    Ok(format!("{class}({})", parts.join(", ")))
}

/// The fields of a dataclass instance, by name.
pub fn data_fields(object: &Object) -> Option<Vec<(String, ConstValue)>> {
    let data = object.class.data()?;
    let names = data.fields.iter().map(|f| f.name.clone());
    Some(names.zip(object.fields(&data)).collect())
}

/// Whether a value has an attribute, without reporting why not.
pub fn has_attribute(
    value: &ConstValue,
    name: &str,
    span: Span,
    names: &mut dyn Names,
) -> Result<bool> {
    Ok(named_attribute(value, name, span, names)?.is_some())
}
