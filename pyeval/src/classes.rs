//! Classes and their instances as data: Python's own classes, inheritance, and the fields of dataclasses.

use crate::error::Exception;
use crate::shared::Shared;
use crate::value::{Attributes, Class, Data, Field, Object, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Python's own classes besides exceptions that have no values of a kind of their own, with what they inherit from.
const BUILTIN: &[(&str, &str)] = &[("object", ""), ("Enum", "object"), ("IntEnum", "Enum")];

impl Class {
    /// A class of its bases, which inherits from the others, nearest first.
    pub fn new(
        name: &str,
        bases: Vec<Rc<Class>>,
        inherited: Vec<Rc<Class>>,
        attrs: Attributes,
    ) -> Class {
        Class {
            name: name.into(),
            bases,
            inherited,
            attrs: Shared::new(attrs),
            builtin: None,
            annotated: Vec::new(),
            data: RefCell::default(),
            members: RefCell::default(),
        }
    }

    /// Python's own class of a name.
    pub fn builtin(name: &str) -> Option<Rc<Class>> {
        let exceptions = Exception::ALL.iter().map(|(_, name, base)| (*name, *base));
        let mut all = BUILTIN.iter().copied().chain(exceptions);
        let (name, base) = all.find(|(n, _)| *n == name)?;
        let bases: Vec<Rc<Class>> = Class::builtin(base).into_iter().collect();
        let inherited = bases.iter().flat_map(Class::line).collect();
        Some(Rc::new(Class {
            builtin: Some(name),
            ..Class::new(name, bases, inherited, Attributes::new())
        }))
    }

    /// The class itself and all that it inherits from, nearest first.
    pub fn line(self: &Rc<Class>) -> impl Iterator<Item = Rc<Class>> {
        std::iter::once(self.clone()).chain(self.inherited.iter().cloned())
    }

    /// Whether two handles mean the same class.
    pub fn same(a: &Rc<Class>, b: &Rc<Class>) -> bool {
        Rc::ptr_eq(a, b) || (a.builtin.is_some() && a.builtin == b.builtin)
    }

    /// Whether it is the other class or inherits from it.
    pub fn is_subclass(self: &Rc<Class>, other: &Rc<Class>) -> bool {
        Class::same(self, other) || self.inherited.iter().any(|c| Class::same(c, other))
    }

    /// The nearest of Python's own exceptions; `None` if it is no exception.
    pub fn exception(&self) -> Option<Exception> {
        let own = self.builtin.into_iter();
        own.chain(self.inherited.iter().filter_map(|c| c.builtin))
            .find_map(Exception::named)
    }

    /// The members of an enum.
    pub fn members(&self) -> Option<Vec<Value>> {
        self.members.borrow().clone()
    }

    /// An attribute and the class that has it.
    pub fn lookup(self: &Rc<Class>, name: &str) -> Option<(Value, Rc<Class>)> {
        std::iter::once(self)
            .chain(&self.inherited)
            .find_map(|c| Some((c.attrs.get().get(name)?.clone(), c.clone())))
    }

    /// What `@dataclass` has added to it or to what it inherits from.
    pub fn data(&self) -> Option<Rc<Data>> {
        let own = self.data.borrow().clone();
        own.or_else(|| self.inherited.iter().find_map(|c| c.data.borrow().clone()))
    }

    /// Names that positional parts of a class pattern match.
    pub fn match_args(self: &Rc<Class>) -> Vec<String> {
        if let Some((args, _)) = self.lookup("__match_args__") {
            let items = args.sequence();
            let names = items.iter().flat_map(|items| items.iter());
            return names.map(Value::text).collect();
        }
        self.data().map_or(vec![], |data| {
            data.fields.iter().map(|f| f.name.clone()).collect()
        })
    }
}

impl Object {
    /// An instance with attributes.
    pub fn new(class: Rc<Class>, attrs: Attributes) -> Rc<Object> {
        Rc::new(Object {
            class,
            attrs: Shared::new(attrs),
        })
    }

    /// Whether it is a member of an enum.
    pub fn is_enum(&self) -> bool {
        self.class.inherits("Enum")
    }

    /// The values of the fields of a dataclass, in order.
    pub fn fields(&self, data: &Data) -> Vec<Value> {
        let attrs = self.attrs.get();
        let of = |f: &Field| attrs.get(&f.name).cloned().unwrap_or(Value::None);
        data.fields.iter().map(of).collect()
    }

    /// The elements of a named tuple.
    pub fn items(&self) -> Option<Vec<Value>> {
        let data = self.class.data().filter(|data| data.tuple)?;
        Some(self.fields(&data))
    }

    /// The fields of a dataclass instance, by name.
    pub fn named_fields(&self) -> Option<Vec<(String, Value)>> {
        let data = self.class.data()?;
        let names = data.fields.iter().map(|f| f.name.clone());
        Some(names.zip(self.fields(&data)).collect())
    }

    /// Gives it an attribute, unless it is frozen.
    pub fn set(&self, name: &str, value: Value) {
        if let Some(mut attrs) = self.attrs.edit() {
            attrs.insert(name.to_owned(), value);
        }
    }
}

/// An instance of one of Python's own exceptions, with its arguments.
pub fn exception(class: Exception, args: Vec<Value>) -> Value {
    match Class::builtin(class.name()) {
        Some(class) => {
            let attrs = [("args".to_owned(), Value::tuple(args))];
            Value::Object(Object::new(class, attrs.into_iter().collect()))
        }
        None => Value::None,
    }
}

/// A named tuple of fields, with further attributes.
pub fn named_tuple(class: &str, fields: Attributes, others: Attributes) -> Value {
    let of = |name: &String| Field {
        name: name.clone(),
        default: None,
        factory: None,
    };
    let data = Data {
        fields: fields.keys().map(of).collect(),
        frozen: true,
        order: true,
        tuple: true,
    };
    let class = Class::new(class, Vec::new(), Vec::new(), Attributes::new());
    *class.data.borrow_mut() = Some(Rc::new(data));
    let attrs = others.into_iter().chain(fields).collect();
    Value::Object(Object::new(Rc::new(class), attrs))
}

/// An object of attributes, of a class without any.
pub fn record(class: &str, attrs: Attributes) -> Value {
    let class = Class::new(class, Vec::new(), Vec::new(), Attributes::new());
    Value::Object(Object::new(Rc::new(class), attrs))
}
