//! Iteration: the iterators of the containers and of objects, all of them lazy.

use crate::error::Exception::{RuntimeError, StopIteration, TypeError, ValueError};
use crate::error::{Problem, raise};
use crate::objects::method;
use crate::range::Range;
use crate::value::{Dict, IterRef, Iterate, List, Names, Result, Set, Value};
use diagnostics::Span;
use std::cell::RefCell;
use std::rc::Rc;

impl IterRef {
    /// Over values.
    pub fn items(items: Vec<Value>) -> IterRef {
        IterRef::new(Items(items.into_iter()))
    }

    /// An iterator of a kind.
    pub fn new(iter: impl Iterate + 'static) -> IterRef {
        IterRef(Rc::new(RefCell::new(iter)))
    }

    /// An iterator of a kind as a value.
    pub fn value(iter: impl Iterate + 'static) -> Value {
        Value::Iter(IterRef::new(iter))
    }
}

/// Values that are there already.
#[derive(Debug)]
struct Items(std::vec::IntoIter<Value>);

impl Iterate for Items {
    fn next(&mut self, _: Span, _: &mut dyn Names) -> Result<Option<Value>> {
        Ok(self.0.next())
    }
    fn asks(&self) -> bool {
        false
    }
}

/// A list, which may grow meanwhile, and the position of the next element.
#[derive(Debug)]
struct OfList(Rc<List>, usize);

impl Iterate for OfList {
    fn next(&mut self, _: Span, _: &mut dyn Names) -> Result<Option<Value>> {
        let item = self.0.get().get(self.1).cloned();
        self.1 += 1;
        Ok(item)
    }
    fn asks(&self) -> bool {
        false
    }
}

/// A range and the number of the next element.
#[derive(Debug)]
struct OfRange(Range, u64);

impl Iterate for OfRange {
    fn next(&mut self, _: Span, _: &mut dyn Names) -> Result<Option<Value>> {
        let item = (self.1 < self.0.len()).then(|| Value::Int(self.0.at(self.1)));
        self.1 = self.1.saturating_add(1);
        Ok(item)
    }
    fn asks(&self) -> bool {
        false
    }
}

/// What iteration over a dict gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Keys.
    Keys,
    /// Values.
    Values,
    /// Pairs.
    Items,
}

/// A dict, which must keep its size.
#[derive(Debug)]
pub struct OfDict {
    dict: Rc<Dict>,
    part: Part,
    at: usize,
    len: usize,
}

impl OfDict {
    /// Over the keys, values or items of a dict.
    pub fn new(dict: &Rc<Dict>, part: Part) -> OfDict {
        OfDict {
            dict: dict.clone(),
            part,
            at: 0,
            len: dict.get().len(),
        }
    }
}

impl Iterate for OfDict {
    fn next(&mut self, span: Span, _: &mut dyn Names) -> Result<Option<Value>> {
        let entries = self.dict.get();
        unchanged(entries.len() == self.len, span)?;
        self.at += 1;
        let entry = entries.get_index(self.at - 1);
        Ok(entry.map(|(_, (k, v))| match self.part {
            Part::Keys => k.clone(),
            Part::Values => v.clone(),
            Part::Items => Value::tuple(vec![k.clone(), v.clone()]),
        }))
    }
    fn asks(&self) -> bool {
        false
    }
}

/// A set, which must keep its size: the next element, and how many there were.
#[derive(Debug)]
struct OfSet(Rc<Set>, usize, usize);

impl Iterate for OfSet {
    fn next(&mut self, span: Span, _: &mut dyn Names) -> Result<Option<Value>> {
        let elements = self.0.get();
        unchanged(elements.items.len() == self.2, span)?;
        self.1 += 1;
        let element = elements.items.get_index(self.1 - 1);
        Ok(element.map(|(_, v)| v.clone()))
    }
    fn asks(&self) -> bool {
        false
    }
}

fn unchanged(same: bool, span: Span) -> Result<()> {
    if same {
        return Ok(());
    }
    let message = "the dict or set changed its size during iteration";
    raise(RuntimeError, span, message)
}

/// An object with `__next__`.
#[derive(Debug)]
struct OfObject(Value);

impl Iterate for OfObject {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        let Some(method) = names.attribute(&self.0, "__next__", span)? else {
            return raise(TypeError, span, "the object is no iterator");
        };
        match names.call_with(&method, vec![], span) {
            Err(failure) if failure.problem().and_then(Problem::class) == Some(StopIteration) => {
                Ok(None)
            }
            other => other.map(Some),
        }
    }
}

/// An iterator over a value.
pub fn iter(value: &Value, span: Span, names: &mut dyn Names) -> Result<IterRef> {
    Ok(match value {
        Value::Iter(iter) => iter.clone(),
        Value::List(items) => IterRef::new(OfList(items.clone(), 0)),
        Value::Tuple(items) => IterRef::items(items.to_vec()),
        Value::Range(range) => IterRef::new(OfRange(*range, 0)),
        Value::Dict(dict) => IterRef::new(OfDict::new(dict, Part::Keys)),
        Value::Set(set) => IterRef::new(OfSet(set.clone(), 0, set.get().items.len())),
        Value::Str(s) => {
            let mut buffer = [0; 4];
            let chars = s.chars().map(|c| Value::str(c.encode_utf8(&mut buffer)));
            let chars: Vec<Value> = chars.collect();
            names.tick(span, chars.len() as u64 / 8)?;
            names.charge(span, chars.len() as u64)?;
            IterRef::items(chars)
        }
        Value::Table(table) if table.rank() > 0 => {
            names.charge(span, table.shape[0] as u64 * 4)?;
            IterRef::items(table.rows())
        }
        Value::Class(class) if class.members().is_some() => {
            IterRef::items(class.members().unwrap_or_default())
        }
        Value::Object(_) => return iter_object(value, span, names),
        other => return not_iterable(other, span),
    })
}

fn not_iterable<T>(value: &Value, span: Span) -> Result<T> {
    let message = format!("cannot iterate over {}", value.kind());
    raise(TypeError, span, message)
}

fn iter_object(value: &Value, span: Span, names: &mut dyn Names) -> Result<IterRef> {
    if let Some(items) = value.sequence() {
        return Ok(IterRef::items(items.to_vec()));
    }
    let Some(method) = method(value, "__iter__", span, names)? else {
        return not_iterable(value, span);
    };
    match names.call_with(&method, vec![], span)? {
        Value::Iter(iter) => Ok(iter),
        object => Ok(IterRef::new(OfObject(object))),
    }
}

/// Every remaining element.
pub fn collect(value: &Value, span: Span, names: &mut dyn Names) -> Result<Vec<Value>> {
    let items = match value {
        Value::List(items) => Some(items.get().clone()),
        Value::Tuple(items) => Some(items.to_vec()),
        _ => None,
    };
    if let Some(items) = items {
        names.tick(span, items.len() as u64 / 8)?;
        return Ok(items);
    }
    let iter = iter(value, span, names)?;
    let mut items = Vec::new();
    while let Some(item) = next(&iter, span, names)? {
        names.tick(span, 1)?;
        names.charge(span, 1)?;
        items.push(item);
    }
    Ok(items)
}

/// The next element.
pub fn next(iter: &IterRef, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
    let Ok(mut iter) = iter.0.try_borrow_mut() else {
        return raise(ValueError, span, "the generator is running already");
    };
    names.tick(span, 1)?;
    if iter.asks() {
        return names.deeper(span, |names| iter.next(span, names));
    }
    iter.next(span, names)
}
