//! Iteration: iterators of the containers, of `zip` and its like, and generators, all of them lazy.

use super::classes;
use super::codes;
use super::consteval::{ConstArgs, Host, Names, bind_target, call, eval, named_attribute, truth};
use super::containers::{Corpse, Dict, List, Set, bury};
use super::error::{Failure, Result, fail, raise};
use super::interp::{Flow, Frame, assign, chosen, exec_one};
use super::scope::{Scope, ScopeOf, yields};
use super::values::{ConstValue, Range};
use crate::diagnostics::{FileId, Span};
use num_bigint::BigInt;
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;
use std::cell::RefCell;
use std::rc::Rc;

/// An iterator, shared by all that refer to it.
#[derive(Clone, Debug)]
pub struct IterRef(Rc<RefCell<Iter>>);

/// What an iterator has still to give.
#[derive(Debug)]
pub enum Iter {
    /// Values that are there already.
    Items(std::vec::IntoIter<ConstValue>),
    /// A list, which may grow meanwhile.
    List(Rc<List>, usize),
    /// A dict: what of its entries, the next one, and how many there were.
    Dict(Rc<Dict>, Part, usize, usize),
    /// A set, the next element, and how many there were.
    Set(Rc<Set>, usize, usize),
    /// A range and the number of the next element.
    Range(Range, u64),
    /// `zip`, and whether it is strict.
    Zip(Vec<IterRef>, bool),
    /// `enumerate`.
    Enumerate(IterRef, BigInt),
    /// `map`.
    Map(ConstValue, Vec<IterRef>),
    /// `filter`; keeps what the function, or truth itself, accepts.
    Filter(ConstValue, IterRef),
    /// `itertools.chain`.
    Chain(std::vec::IntoIter<IterRef>, Option<IterRef>),
    /// `itertools.count`: next value and step.
    Count(ConstValue, ConstValue),
    /// `itertools.cycle` and `repeat`: values and the next one.
    Cycle(Vec<ConstValue>, usize),
    /// `itertools.islice`: to skip, to give, and to skip after each.
    Slice(IterRef, usize, usize, usize),
    /// An object with `__next__`.
    Object(ConstValue),
    /// A generator expression.
    Expression(Box<Expression>),
    /// A running generator function.
    Generator(Box<Generator>),
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

/// A generator expression at work.
#[derive(Debug)]
pub struct Expression {
    element: Expr,
    generators: Vec<ast::Comprehension>,
    scope: Rc<Scope>,
    file: FileId,
    module: usize,
    /// Iterators of the loops that are open, outermost first.
    open: Vec<IterRef>,
}

/// A generator function at work: its open blocks, innermost last.
#[derive(Debug)]
pub struct Generator {
    scope: Rc<Scope>,
    file: FileId,
    module: usize,
    open: Vec<Open>,
}

/// A block that a generator is in.
#[derive(Debug)]
enum Open {
    /// Statements and the number of the next one.
    Block(Rc<[Stmt]>, usize),
    /// A `for` over an iterator, with its body and `else`.
    For(Rc<ast::StmtFor>, Rc<[Stmt]>, IterRef),
    /// A `while` with its body.
    While(Rc<ast::StmtWhile>, Rc<[Stmt]>),
    /// A `yield from`.
    From(IterRef),
}

impl Drop for IterRef {
    fn drop(&mut self) {
        if Rc::strong_count(&self.0) == 1 {
            bury(std::iter::once(Corpse::Iter(self.0.clone())));
        }
    }
}

impl IterRef {
    fn new(iter: Iter) -> IterRef {
        IterRef(Rc::new(RefCell::new(iter)))
    }
    /// Over values.
    pub fn items(items: Vec<ConstValue>) -> IterRef {
        IterRef::new(Iter::Items(items.into_iter()))
    }
    /// An iterator of a kind.
    pub fn of(iter: Iter) -> ConstValue {
        ConstValue::Iter(IterRef::new(iter))
    }
    /// A generator of a function's body, with its parameters bound in the scope.
    pub fn generator(body: Rc<[Stmt]>, scope: Rc<Scope>, file: FileId, module: usize) -> IterRef {
        IterRef::new(Iter::Generator(Box::new(Generator {
            scope,
            file,
            module,
            open: vec![Open::Block(body, 0)],
        })))
    }
    /// What tells it from others.
    pub fn address(&self) -> *const () {
        Rc::as_ptr(&self.0).cast()
    }
}

/// An iterator over a value.
pub fn iter(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<IterRef> {
    Ok(IterRef::new(match value {
        ConstValue::Iter(iter) => return Ok(iter.clone()),
        ConstValue::List(items) => Iter::List(items.clone(), 0),
        ConstValue::Tuple(items) => Iter::Items(Vec::from(&**items).into_iter()),
        ConstValue::Range(range) => Iter::Range(*range, 0),
        ConstValue::Dict(dict) => dict_part(dict, Part::Keys),
        ConstValue::Set(set) => Iter::Set(set.clone(), 0, set.get().items.len()),
        ConstValue::Str(s) => {
            let chars: Vec<ConstValue> = s
                .chars()
                .map(|c| ConstValue::str(c.encode_utf8(&mut [0; 4])))
                .collect();
            names.tick(span, chars.len() as u64 / 8)?;
            names.host().charge(span, chars.len() as u64)?;
            Iter::Items(chars.into_iter())
        }
        ConstValue::Table(table) if table.rank() > 0 => {
            names.host().charge(span, table.shape[0] as u64 * 4)?;
            Iter::Items(table.rows().into_iter())
        }
        ConstValue::Class(class) if class.members().is_some() => {
            Iter::Items(class.members().unwrap_or_default().into_iter())
        }
        ConstValue::Object(_) => return iter_object(value, span, names),
        other => {
            let message = format!("cannot iterate over {}", other.kind());
            return raise("TypeError", span, message);
        }
    }))
}

/// The iterator of a dict's keys, values or items.
pub fn dict_part(dict: &Rc<Dict>, part: Part) -> Iter {
    Iter::Dict(dict.clone(), part, 0, dict.get().len())
}

fn iter_object(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<IterRef> {
    if let Some(method) = classes::method(value, "__iter__", span, names)? {
        let result = call(&method, ConstArgs::positional(vec![], span), names)?;
        if let ConstValue::Iter(iter) = result {
            return Ok(iter);
        }
        return Ok(IterRef::new(Iter::Object(result)));
    }
    let message = format!("cannot iterate over {}", value.kind());
    raise("TypeError", span, message)
}

/// Every remaining element.
pub fn collect(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<Vec<ConstValue>> {
    let items = match value {
        ConstValue::List(items) => Some(items.get().clone()),
        ConstValue::Tuple(items) => Some(items.to_vec()),
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
        names.host().charge(span, 1)?;
        items.push(item);
    }
    Ok(items)
}

/// The next element.
pub fn next(iter: &IterRef, span: Span, names: &mut dyn Names) -> Result<Option<ConstValue>> {
    let Ok(mut iter) = iter.0.try_borrow_mut() else {
        return raise("ValueError", span, "the generator is running already");
    };
    if matches!(
        *iter,
        Iter::Items(_) | Iter::List(..) | Iter::Dict(..) | Iter::Set(..) | Iter::Range(..)
    ) {
        return step(&mut iter, span, names);
    }
    // Those that ask others may be piled up to any height.
    names.host().enter(span)?;
    let item = step(&mut iter, span, names);
    names.host().leave();
    item
}

fn step(iter: &mut Iter, span: Span, names: &mut dyn Names) -> Result<Option<ConstValue>> {
    names.tick(span, 1)?;
    match iter {
        Iter::Items(items) => Ok(items.next()),
        Iter::List(list, at) => {
            let item = list.get().get(*at).cloned();
            *at += 1;
            Ok(item)
        }
        Iter::Range(range, at) => {
            let item = (*at < range.len()).then(|| ConstValue::Int(range.at(*at)));
            *at = at.saturating_add(1);
            Ok(item)
        }
        Iter::Dict(dict, part, at, len) => {
            let entries = dict.get();
            unchanged(entries.len() == *len, span)?;
            *at += 1;
            Ok(entries.get_index(*at - 1).map(|(_, (k, v))| match part {
                Part::Keys => k.clone(),
                Part::Values => v.clone(),
                Part::Items => ConstValue::tuple(vec![k.clone(), v.clone()]),
            }))
        }
        Iter::Set(set, at, len) => {
            let elements = set.get();
            unchanged(elements.items.len() == *len, span)?;
            *at += 1;
            Ok(elements.items.get_index(*at - 1).map(|(_, v)| v.clone()))
        }
        Iter::Zip(sources, strict) => zip(sources, *strict, span, names),
        Iter::Enumerate(source, n) => Ok(next(source, span, names)?.map(|item| {
            let index = ConstValue::Int(n.clone());
            *n += 1;
            ConstValue::tuple(vec![index, item])
        })),
        Iter::Map(f, sources) => match zip(sources, false, span, names)? {
            None => Ok(None),
            Some(items) => {
                let items = items.sequence().map_or(vec![], |items| items.to_vec());
                call(f, ConstArgs::positional(items, span), names).map(Some)
            }
        },
        Iter::Filter(f, source) => {
            while let Some(item) = next(source, span, names)? {
                let verdict = match &*f {
                    ConstValue::None => item.clone(),
                    f => call(f, ConstArgs::positional(vec![item.clone()], span), names)?,
                };
                if truth(&verdict, span, names)? {
                    return Ok(Some(item));
                }
            }
            Ok(None)
        }
        Iter::Chain(rest, current) => loop {
            if let Some(source) = current
                && let Some(item) = next(source, span, names)?
            {
                return Ok(Some(item));
            }
            match rest.next() {
                Some(source) => *current = Some(source),
                None => return Ok(None),
            }
        },
        Iter::Count(value, by) => {
            let op = ast::Operator::Add;
            let following = super::consteval::binary(op, value.clone(), by.clone(), span, names)?;
            Ok(Some(std::mem::replace(value, following)))
        }
        Iter::Cycle(items, at) => {
            let item = items.get(*at).cloned();
            *at = (*at + 1) % items.len().max(1);
            Ok(item)
        }
        Iter::Slice(source, skip, left, between) => {
            if *left == 0 {
                return Ok(None);
            }
            for _ in 0..std::mem::replace(skip, *between) {
                if next(source, span, names)?.is_none() {
                    *left = 0;
                    return Ok(None);
                }
            }
            *left -= 1;
            next(source, span, names)
        }
        Iter::Object(object) => {
            let Some(method) = named_attribute(object, "__next__", span, names)? else {
                return raise("TypeError", span, "the object is no iterator");
            };
            match call(&method, ConstArgs::positional(vec![], span), names) {
                Err(Failure::Raised(raised)) if raised.class == "StopIteration" => Ok(None),
                other => other.map(Some),
            }
        }
        Iter::Expression(e) => e.step(span, names.host()),
        Iter::Generator(g) => {
            let item = g.step(span, names.host());
            if !matches!(item, Ok(Some(_))) {
                // After its end or an error it gives no more.
                g.open.clear();
            }
            item
        }
    }
}

fn unchanged(same: bool, span: Span) -> Result<()> {
    if same {
        return Ok(());
    }
    let message = "the dict or set changed its size during iteration";
    raise("RuntimeError", span, message)
}

fn zip(
    sources: &[IterRef],
    strict: bool,
    span: Span,
    names: &mut dyn Names,
) -> Result<Option<ConstValue>> {
    let mut items = Vec::with_capacity(sources.len());
    for (i, source) in sources.iter().enumerate() {
        match next(source, span, names)? {
            Some(item) => items.push(item),
            None if !strict => return Ok(None),
            None => {
                let others = &sources[i + 1..];
                let mut longer = i > 0;
                for other in others {
                    longer = longer || next(other, span, names)?.is_some();
                }
                if longer {
                    let message = "the arguments of zip differ in length";
                    return raise("ValueError", span, message);
                }
                return Ok(None);
            }
        }
    }
    Ok((!sources.is_empty()).then(|| ConstValue::tuple(items)))
}

/// The iterator of a generator expression; its first iterable is evaluated at once, as in Python.
pub fn generator_expression(
    e: &ast::ExprGenerator,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let Some(first) = e.generators.first() else {
        return fail(codes::EXPRESSION, span, "the expression has no loop");
    };
    let iterable = eval(&first.iter, names)?;
    let source = iter(&iterable, names.span(first.iter.range()), names)?;
    let place = names.place();
    // Its text is copied, for it may outlive the statement.
    names.tick(span, u64::from(span.end - span.start) / 16)?;
    names.host().charge(span, 16)?;
    Ok(IterRef::of(Iter::Expression(Box::new(Expression {
        element: (*e.elt).clone(),
        generators: e.generators.clone(),
        scope: Scope::new(ScopeOf::Comprehension, place.scope),
        file: names.file(),
        module: place.module,
        open: vec![source],
    }))))
}

impl Expression {
    fn step(&mut self, span: Span, host: &mut dyn Host) -> Result<Option<ConstValue>> {
        let mut frame = Frame {
            host,
            file: self.file,
            module: self.module,
            scope: Some(self.scope.clone()),
        };
        'next: while let Some(innermost) = self.open.last() {
            let Some(item) = next(innermost, span, &mut frame)? else {
                self.open.pop();
                continue;
            };
            let generator = &self.generators[self.open.len() - 1];
            bind_target(&generator.target, &item, &self.scope, &mut frame)?;
            for test in &generator.ifs {
                let test_span = frame.span(test.range());
                let test = eval(test, &mut frame)?;
                if !truth(&test, test_span, &mut frame)? {
                    continue 'next;
                }
            }
            match self.generators.get(self.open.len()) {
                None => return eval(&self.element, &mut frame).map(Some),
                Some(inner) => {
                    let at = frame.span(inner.iter.range());
                    let iterable = eval(&inner.iter, &mut frame)?;
                    self.open.push(iter(&iterable, at, &mut frame)?);
                }
            }
        }
        Ok(None)
    }
}

impl Generator {
    fn step(&mut self, span: Span, host: &mut dyn Host) -> Result<Option<ConstValue>> {
        let mut frame = Frame {
            host,
            file: self.file,
            module: self.module,
            scope: Some(self.scope.clone()),
        };
        loop {
            frame.tick(span, 1)?;
            let Some(open) = self.open.last_mut() else {
                return Ok(None);
            };
            match open {
                Open::From(source) => match next(&source.clone(), span, &mut frame)? {
                    Some(item) => return Ok(Some(item)),
                    None => {
                        self.open.pop();
                    }
                },
                Open::For(f, body, source) => {
                    let (f, body, source) = (f.clone(), body.clone(), source.clone());
                    match next(&source, span, &mut frame)? {
                        Some(item) => {
                            assign(&f.target, &item, &mut frame)?;
                            self.open.push(Open::Block(body, 0));
                        }
                        None => {
                            self.open.pop();
                            self.enter(&f.orelse, &mut frame)?;
                        }
                    }
                }
                Open::While(w, body) => {
                    let (w, body) = (w.clone(), body.clone());
                    let at = frame.span(w.test.range());
                    let test = eval(&w.test, &mut frame)?;
                    if truth(&test, at, &mut frame)? {
                        self.open.push(Open::Block(body, 0));
                    } else {
                        self.open.pop();
                        self.enter(&w.orelse, &mut frame)?;
                    }
                }
                Open::Block(stmts, at) => {
                    let (stmts, now) = (stmts.clone(), *at);
                    *at += 1;
                    let Some(stmt) = stmts.get(now) else {
                        self.open.pop();
                        continue;
                    };
                    if let Some(item) = self.statement(stmt, &mut frame)? {
                        return Ok(Some(item));
                    }
                }
            }
        }
    }

    /// Enters a block, whose text is copied.
    fn enter(&mut self, stmts: &[Stmt], frame: &mut Frame) -> Result<()> {
        if let (Some(first), Some(last)) = (stmts.first(), stmts.last()) {
            let span = frame.span(first.range().cover(last.range()));
            frame.tick(span, u64::from(span.end - span.start) / 16)?;
            self.open.push(Open::Block(stmts.to_vec().into(), 0));
        }
        Ok(())
    }

    /// Runs a statement until its first `yield`, whose value is returned.
    fn statement(&mut self, stmt: &Stmt, frame: &mut Frame) -> Result<Option<ConstValue>> {
        let span = frame.span(stmt.range());
        let size = u64::from(span.end - span.start) / 16;
        frame.tick(span, size)?;
        if !yields(stmt) {
            match exec_one(stmt, frame)? {
                Flow::Next => {}
                Flow::Return(_) => self.open.clear(),
                Flow::Break => {
                    self.leave_to_loop();
                    self.open.pop();
                }
                Flow::Continue => self.leave_to_loop(),
            }
            return Ok(None);
        }
        match stmt {
            Stmt::Expr(s) => match &*s.value {
                Expr::Yield(y) => self.yielded(y, frame).map(Some),
                Expr::YieldFrom(y) => {
                    let source = eval(&y.value, frame)?;
                    let source = iter(&source, span, frame)?;
                    self.open.push(Open::From(source));
                    Ok(None)
                }
                _ => deep_yield(span),
            },
            Stmt::If(s) => {
                let body = chosen(s, frame)?;
                self.enter(body, frame)?;
                Ok(None)
            }
            Stmt::For(s) => {
                let iterable = eval(&s.iter, frame)?;
                let source = iter(&iterable, span, frame)?;
                let body = s.body.to_vec().into();
                self.open.push(Open::For(Rc::new(s.clone()), body, source));
                Ok(None)
            }
            Stmt::While(s) => {
                let body = s.body.to_vec().into();
                self.open.push(Open::While(Rc::new(s.clone()), body));
                Ok(None)
            }
            _ => deep_yield(span),
        }
    }

    fn yielded(&mut self, y: &ast::ExprYield, frame: &mut Frame) -> Result<ConstValue> {
        match &y.value {
            Some(value) => eval(value, frame),
            None => Ok(ConstValue::None),
        }
    }

    /// Leaves blocks until a loop is the innermost.
    fn leave_to_loop(&mut self) {
        while matches!(self.open.last(), Some(Open::Block(..) | Open::From(_))) {
            self.open.pop();
        }
    }
}

fn deep_yield<T>(span: Span) -> Result<T> {
    fail(
        codes::STATEMENT,
        span,
        "'yield' is supported as a statement of its own, in blocks, loops and branches",
    )
}
