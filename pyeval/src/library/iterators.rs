//! The iterators that `zip`, `map`, `itertools` and their like give.

use crate::error::Exception::ValueError;
use crate::error::raise;
use crate::iterate::next;
use crate::operators::{binary, truth};
use crate::value::{IterRef, Iterate, Names, Result, Value};
use diagnostics::Span;
use num_bigint::BigInt;
use ruff_python_ast::Operator;

/// `zip`.
#[derive(Debug)]
pub struct Zip {
    /// What it takes elements of.
    pub sources: Vec<IterRef>,
    /// Whether they have to have the same length.
    pub strict: bool,
}

impl Iterate for Zip {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        let items = elements(&self.sources, self.strict, span, names)?;
        Ok(items.map(Value::tuple))
    }
}

/// The next element of each; none as soon as one is at its end.
fn elements(
    sources: &[IterRef],
    strict: bool,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<Vec<Value>>> {
    let mut items = Vec::with_capacity(sources.len());
    for (i, source) in sources.iter().enumerate() {
        match next(source, span, names)? {
            Some(item) => items.push(item),
            None if !strict => return Ok(None),
            None => {
                let mut longer = i > 0;
                for other in &sources[i + 1..] {
                    longer = longer || next(other, span, names)?.is_some();
                }
                if longer {
                    let message = "the arguments of zip differ in length";
                    return raise(ValueError, span, message);
                }
                return Ok(None);
            }
        }
    }
    Ok((!sources.is_empty()).then_some(items))
}

/// `enumerate`: a source, and the number of its next element.
#[derive(Debug)]
pub struct Enumerate(pub IterRef, pub BigInt);

impl Iterate for Enumerate {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        let Some(item) = next(&self.0, span, names)? else {
            return Ok(None);
        };
        let index = Value::Int(self.1.clone());
        self.1 += 1;
        Ok(Some(Value::tuple(vec![index, item])))
    }
}

/// `map` of a function.
#[derive(Debug)]
pub struct Map(pub Value, pub Vec<IterRef>);

impl Iterate for Map {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        match elements(&self.1, false, span, names)? {
            None => Ok(None),
            Some(items) => names.call_with(&self.0, items, span).map(Some),
        }
    }
}

/// `filter`; keeps what the function, or truth itself, accepts.
#[derive(Debug)]
pub struct Filter(pub Value, pub IterRef);

impl Iterate for Filter {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        while let Some(item) = next(&self.1, span, names)? {
            let verdict = match &self.0 {
                Value::None => item.clone(),
                f => names.call_with(f, vec![item.clone()], span)?,
            };
            if truth(&verdict, span, names)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }
}

/// `itertools.chain`: those that wait, and the present one.
#[derive(Debug)]
pub struct Chain(pub std::vec::IntoIter<IterRef>, pub Option<IterRef>);

impl Iterate for Chain {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        loop {
            if let Some(source) = &self.1
                && let Some(item) = next(source, span, names)?
            {
                return Ok(Some(item));
            }
            match self.0.next() {
                Some(source) => self.1 = Some(source),
                None => return Ok(None),
            }
        }
    }
}

/// `itertools.count`: next value and step.
#[derive(Debug)]
pub struct Count(pub Value, pub Value);

impl Iterate for Count {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        let (value, step) = (self.0.clone(), self.1.clone());
        let following = binary(Operator::Add, value, step, span, names)?;
        Ok(Some(std::mem::replace(&mut self.0, following)))
    }
}

/// `itertools.cycle` and `repeat`: values and the next one.
#[derive(Debug)]
pub struct Cycle(pub Vec<Value>, pub usize);

impl Iterate for Cycle {
    fn next(&mut self, _: Span, _: &mut dyn Names) -> Result<Option<Value>> {
        let item = self.0.get(self.1).cloned();
        self.1 = (self.1 + 1) % self.0.len().max(1);
        Ok(item)
    }
}

/// `itertools.islice`.
#[derive(Debug)]
pub struct Slice {
    /// What it takes elements of.
    pub source: IterRef,
    /// How many to skip.
    pub skip: usize,
    /// How many to give.
    pub left: usize,
    /// How many to skip after each.
    pub between: usize,
}

impl Iterate for Slice {
    fn next(&mut self, span: Span, names: &mut dyn Names) -> Result<Option<Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        for _ in 0..std::mem::replace(&mut self.skip, self.between) {
            if next(&self.source, span, names)?.is_none() {
                self.left = 0;
                return Ok(None);
            }
        }
        self.left -= 1;
        next(&self.source, span, names)
    }
}
