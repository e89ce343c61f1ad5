//! Python's mutable containers: shared cells, hashable keys, and freezing.

use super::classes::Class;
use super::scope::Scope;
use super::values::ConstValue;
use indexmap::IndexMap;
use num_bigint::BigInt;
use num_traits::FromPrimitive;
use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::HashSet;
use std::rc::Rc;

/// A value that all its owners see change. Frozen as soon as a kernel can see it: kernels are
/// lowered in an order of their own, so what they see must not change any more.
#[derive(Debug)]
pub struct Shared<T: Contents> {
    value: RefCell<T>,
    frozen: Cell<bool>,
}

/// A Python list.
pub type List = Shared<Vec<ConstValue>>;
/// A Python dict: keys and values by their hash keys.
pub type Dict = Shared<IndexMap<Key, (ConstValue, ConstValue)>>;
/// A Python set or frozenset.
pub type Set = Shared<Elements>;

/// The elements of a set.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// In order of insertion.
    pub items: IndexMap<Key, ConstValue>,
    /// Whether it is a frozenset.
    pub frozenset: bool,
}

impl Elements {
    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<T: Contents> Drop for Shared<T> {
    fn drop(&mut self) {
        bury(
            self.value
                .get_mut()
                .take_all()
                .into_iter()
                .map(Corpse::Value),
        );
    }
}

/// What a shared cell holds.
pub trait Contents {
    /// Takes all values out.
    fn take_all(&mut self) -> Vec<ConstValue>;
}

impl Contents for Vec<ConstValue> {
    fn take_all(&mut self) -> Vec<ConstValue> {
        std::mem::take(self)
    }
}

impl Contents for IndexMap<Key, (ConstValue, ConstValue)> {
    fn take_all(&mut self) -> Vec<ConstValue> {
        self.drain(..).flat_map(|(_, (k, v))| [k, v]).collect()
    }
}

impl Contents for IndexMap<String, ConstValue> {
    fn take_all(&mut self) -> Vec<ConstValue> {
        self.drain(..).map(|(_, v)| v).collect()
    }
}

impl Contents for Elements {
    fn take_all(&mut self) -> Vec<ConstValue> {
        self.items.drain(..).map(|(_, v)| v).collect()
    }
}

/// Something that may hold a long chain of others.
#[expect(dead_code, reason = "held to be dropped")]
pub enum Corpse {
    /// A value.
    Value(ConstValue),
    /// An iterator.
    Iter(Rc<RefCell<super::iterate::Iter>>),
}

thread_local! {
    /// What waits to be dropped; `None` while nothing is being dropped.
    static GRAVE: RefCell<Option<Vec<Corpse>>> = const { RefCell::new(None) };
}

/// Drops values one after the other and not within each other, so that long chains of them, such as
/// a list in a list in a list, do not need a deep stack.
pub fn bury(corpses: impl Iterator<Item = Corpse>) {
    let first = GRAVE.with_borrow_mut(|grave| match grave {
        Some(waiting) => {
            waiting.extend(corpses);
            false
        }
        None => {
            *grave = Some(corpses.collect());
            true
        }
    });
    if !first {
        return;
    }
    loop {
        let next = GRAVE.with_borrow_mut(|grave| grave.as_mut().and_then(Vec::pop));
        if next.is_none() {
            GRAVE.set(None);
            return;
        }
    }
}

impl<T: Contents> Shared<T> {
    /// A cell of its own.
    pub fn new(value: T) -> Self {
        Shared {
            value: RefCell::new(value),
            frozen: Cell::new(false),
        }
    }

    /// To read. No call of Python code may happen while the guard lives.
    pub fn get(&self) -> Ref<'_, T> {
        self.value.borrow()
    }

    /// To write; `None` if it is frozen. No call of Python code may happen while the guard lives.
    pub fn edit(&self) -> Option<RefMut<'_, T>> {
        (!self.frozen.get()).then(|| self.value.borrow_mut())
    }

    /// Whether it may not change any more.
    pub fn is_frozen(&self) -> bool {
        self.frozen.get()
    }

    /// Forbids changes; whether it was allowed until now.
    fn freeze(&self) -> bool {
        !self.frozen.replace(true)
    }
}

/// Bounds walks over values that share parts, whose size as a tree can be exponential.
#[derive(Debug)]
pub struct Fuel(u32);

impl Default for Fuel {
    fn default() -> Self {
        Fuel(1 << 20)
    }
}

impl Fuel {
    /// Counts one visited value.
    ///
    /// # Errors
    /// The message when it is used up.
    pub fn burn(&mut self) -> Result<(), String> {
        self.0 = self.0.checked_sub(1).ok_or(TOO_LARGE)?;
        Ok(())
    }
}

/// The message of exhausted fuel.
pub const TOO_LARGE: &str = "the value has too many parts";

/// What a value is in a dict or set: values that Python calls equal have the same key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Ints, bools and integral floats.
    Int(BigInt),
    /// Other floats, by their bits.
    Float(u64),
    /// Strings.
    Str(Rc<str>),
    /// `None`.
    None,
    /// Tuples.
    Tuple(Vec<Key>),
    /// Types, functions and other constants, by their identity.
    Other(String),
}

impl Key {
    /// The key of a value.
    ///
    /// # Errors
    /// The name of the type of what is not hashable.
    pub fn of(value: &ConstValue) -> Result<Key, String> {
        Key::with(value, &mut Fuel::default())
    }

    /// The same, within a walk.
    pub fn with(value: &ConstValue, fuel: &mut Fuel) -> Result<Key, String> {
        fuel.burn()?;
        if let Some(v) = value.as_int() {
            return Ok(Key::Int(v));
        }
        Ok(match value {
            ConstValue::Float(v) if v.fract() == 0.0 => {
                Key::Int(BigInt::from_f64(*v).unwrap_or_default())
            }
            ConstValue::Float(v) => Key::Float(v.to_bits()),
            ConstValue::Str(s) => Key::Str(s.clone()),
            ConstValue::None => Key::None,
            ConstValue::Tuple(items) => Key::Tuple(
                items
                    .iter()
                    .map(|item| Key::with(item, fuel))
                    .collect::<Result<_, _>>()?,
            ),
            ConstValue::Table(table) if table.rank() == 0 => match table.item() {
                Some(item) => Key::with(&item, fuel)?,
                None => return Err("numpy.ndarray".into()),
            },
            ConstValue::Set(set) if set.get().frozenset => {
                let mut keys: Vec<String> =
                    set.get().items.keys().map(|k| format!("{k:?}")).collect();
                keys.sort();
                Key::Other(format!("frozenset {keys:?}"))
            }
            ConstValue::List(_)
            | ConstValue::Dict(_)
            | ConstValue::Set(_)
            | ConstValue::Table(_)
            | ConstValue::Slice(_)
            | ConstValue::Options(_) => return Err(super::library::type_name(value).into()),
            ConstValue::Object(object) => return object.key(fuel),
            ConstValue::Function(f) => Key::Other(format!("function {:p}", Rc::as_ptr(f))),
            ConstValue::Class(class) => Key::Other(format!("class {:p}", Rc::as_ptr(class))),
            ConstValue::Iter(iter) => Key::Other(format!("iterator {:p}", iter.address())),
            ConstValue::Type(ty) => Key::Other(format!("type {ty}")),
            other => Key::Other(format!("{} {}", other.kind(), other.text())),
        })
    }
}

/// Forbids changes of everything that can be reached from a value.
pub fn freeze(value: &ConstValue) {
    let mut rest = vec![value.clone()];
    // Values without a flag of their own may be shared any number of times.
    let mut seen: HashSet<*const ()> = HashSet::new();
    while let Some(value) = rest.pop() {
        let address: Option<*const ()> = match &value {
            ConstValue::Tuple(items) => Some(Rc::as_ptr(items).cast()),
            ConstValue::Function(f) => Some(Rc::as_ptr(f).cast()),
            ConstValue::Bound(bound) => Some(Rc::as_ptr(bound).cast()),
            _ => None,
        };
        if address.is_some_and(|address| !seen.insert(address)) {
            continue;
        }
        match &value {
            ConstValue::Tuple(items) => rest.extend(items.iter().filter(|v| compound(v)).cloned()),
            ConstValue::List(items) if items.freeze() => {
                rest.extend(items.get().iter().filter(|v| compound(v)).cloned());
            }
            ConstValue::Dict(items) if items.freeze() => {
                rest.extend(
                    items
                        .get()
                        .values()
                        .flat_map(|(k, v)| [k.clone(), v.clone()]),
                );
            }
            ConstValue::Set(items) => {
                items.freeze();
            }
            ConstValue::Table(table) => table.freeze(),
            ConstValue::Object(object) if object.attrs.freeze() => {
                rest.extend(object.attrs.get().values().cloned());
                rest.push(ConstValue::Class(object.class.clone()));
            }
            ConstValue::Class(class) => freeze_class(class, &mut rest),
            ConstValue::Function(f) => {
                rest.extend(f.defaults.iter().flatten().cloned());
                freeze_scope(f.scope.as_ref(), &mut rest);
            }
            ConstValue::Bound(bound) => {
                rest.push(bound.callee.clone());
                rest.extend(bound.first.iter().cloned());
            }
            ConstValue::Descriptor(_, f) => rest.push((**f).clone()),
            _ => {}
        }
    }
}

/// Whether a value can hold others; saves copying the rest.
fn compound(value: &ConstValue) -> bool {
    !value.is_number() && !matches!(value, ConstValue::Str(_) | ConstValue::None)
}

fn freeze_class(class: &Rc<Class>, rest: &mut Vec<ConstValue>) {
    if class.attrs.freeze() {
        rest.extend(class.attrs.get().values().cloned());
        rest.extend(class.bases.iter().cloned().map(ConstValue::Class));
    }
}

fn freeze_scope(scope: Option<&Rc<Scope>>, rest: &mut Vec<ConstValue>) {
    let mut next = scope.cloned();
    while let Some(scope) = next {
        if scope.frozen.replace(true) {
            return;
        }
        rest.extend(scope.vars.borrow().values().cloned());
        next = scope.parent.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_equal_keys() {
        let one = Key::of(&ConstValue::int(1)).unwrap();
        assert_eq!(Key::of(&ConstValue::Bool(true)).unwrap(), one);
        assert_eq!(Key::of(&ConstValue::Float(1.0)).unwrap(), one);
        assert_ne!(Key::of(&ConstValue::str("1")).unwrap(), one);
        assert!(Key::of(&ConstValue::list(vec![])).is_err());
    }

    #[test]
    fn freezing_reaches_what_lists_hold() {
        let inner = Rc::new(List::new(vec![]));
        let outer = ConstValue::list(vec![ConstValue::List(inner.clone())]);
        freeze(&outer);
        assert!(inner.edit().is_none());
    }
}
