//! Streams: declarations, elements of arrays of streams, and what is done with them.
//!
//! An array of streams is a stream of its own for each element. Where an index is known only at run time, each of them is
//! used under the condition that it is the one.

use super::blocks;
use super::lowerer::Lowerer;
use super::scope::Local;
use super::stmt;
use crate::diagnostics::{Diagnostic, Span, suggest};
use crate::frontend::codes;
use crate::frontend::constant::ConstValue;
use crate::frontend::error::{Result, fail};
use crate::frontend::stream_type::{StreamType, stream_name};
use crate::frontend::values::{Operand, Streams, Typed, Value, describe};
use crate::ir::grid::combinations;
use crate::ir::{
    ArrayId, ArrayKind, Attempt, BinaryOp, CompareOp, Const, Element, OpKind, Scalar, Stream,
    UnaryOp, ValueId,
};
use num_traits::ToPrimitive;
use pyeval::Names;
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;
use std::rc::Rc;

/// What can be done with a stream, and how many arguments it takes.
const METHODS: [(&str, usize); 6] = [
    ("put", 1),
    ("get", 0),
    ("empty", 0),
    ("full", 0),
    ("try_put", 1),
    ("try_get", 0),
];

impl<'a> Lowerer<'_, 'a> {
    /// Makes the streams of a declaration or parameter; `kind` of the first one, and so on.
    pub(super) fn streams(
        &mut self,
        name: &str,
        ty: &StreamType,
        tokens: Vec<Const>,
        kind: impl Fn(usize) -> ArrayKind,
        span: Span,
    ) -> Streams {
        let stream = Stream {
            depth: ty.depth.max(tokens.len() as u64),
            tokens,
            packed: ty.packed(),
        };
        let indices: Vec<Vec<u64>> = ty
            .shape
            .iter()
            .map(|&extent| (0..extent).collect())
            .collect();
        let ids = combinations(indices.iter()).into_iter().enumerate();
        let ids = ids.map(|(number, index)| {
            let index = index.iter().map(|i| format!("_{i}"));
            let name = format!("{name}{}", index.collect::<String>());
            let id = self.b.array(&name, ty.transfer(), &[], kind(number), span);
            self.b.arrays[id].stream = Some(stream.clone());
            id
        });
        Streams {
            ids: ids.collect(),
            shape: ty.shape.clone(),
            chosen: None,
        }
    }

    /// `name: Stream[T, depth] = tokens`.
    pub(super) fn declare_stream(
        &mut self,
        name: &str,
        ty: &StreamType,
        tokens: Option<&'a Expr>,
        span: Span,
    ) -> Result<()> {
        let tokens = match tokens {
            None => Vec::new(),
            Some(expr) => {
                let operand = self.operand(expr)?;
                self.tokens(&operand, ty)?
            }
        };
        self.check_undeclared(name, span)?;
        let streams = self.streams(name, ty, tokens, |_| ArrayKind::Local, span);
        self.declare(name, Local::Streams(streams), span);
        Ok(())
    }

    fn tokens(&mut self, operand: &Operand, ty: &StreamType) -> Result<Vec<Const>> {
        let Value::Const(value) = &operand.value else {
            let message = "what a stream holds at the start is known while compiling";
            return fail(codes::NOT_CONST, operand.span, message);
        };
        let count = match value {
            ConstValue::Table(table) => table.shape.first().copied(),
            other => other.sequence().map(|items| items.len()),
        };
        let Some(count) = count else {
            let message = format!("a stream begins with a list, not with {}", value.kind());
            return fail(codes::STREAM, operand.span, message);
        };
        let mut shape = vec![count as u64];
        shape.extend(ty.block.iter().flat_map(|block| block.iter()));
        let mut tokens = Vec::new();
        stmt::flatten(
            self.options.style,
            value,
            ty.elem,
            &shape,
            operand.span,
            &mut tokens,
        )?;
        Ok(match ty.packed() {
            None => tokens,
            Some(packed) => tokens
                .chunks(packed.len() as usize)
                .map(|block| blocks::constant(block, ty.elem))
                .collect(),
        })
    }

    /// An element of an array of streams.
    pub(super) fn stream_element(
        &mut self,
        streams: &Streams,
        e: &'a ast::ExprSubscript,
    ) -> Result<Value> {
        let span = self.span(e.range);
        let exprs: &'a [Expr] = match &*e.slice {
            Expr::Tuple(t) => &t.elts,
            single => std::slice::from_ref(single),
        };
        if streams.chosen.is_some() || exprs.len() != streams.shape.len() {
            let (rank, given) = (streams.shape.len(), exprs.len());
            let message = format!("{rank} indices tell the streams apart, but {given} are given");
            return fail(codes::INDEX_COUNT, span, message);
        }
        let mut operands = Vec::new();
        for (expr, &extent) in exprs.iter().zip(streams.shape.iter()) {
            let operand = self.operand(expr)?;
            self.check_index(&operand, extent, "index")?;
            operands.push(operand);
        }
        // Those that may be meant.
        let mut known: Vec<Vec<u64>> = Vec::new();
        let mut runtime = Vec::new();
        for (operand, &extent) in operands.iter().zip(streams.shape.iter()) {
            let index = match &operand.value {
                Value::Const(value) => value.as_int().and_then(|index| index.to_u64()),
                // Such as a variable that was computed from the number of a worker.
                Value::Scalar(value) => self.b.integer(value.id).and_then(ToPrimitive::to_u64),
                _ => None,
            };
            let index = index.filter(|index| *index < extent);
            known.push(index.map_or_else(|| (0..extent).collect(), |index| vec![index]));
            runtime.push(match index {
                Some(_) => None,
                None => Some(self.b.as_index(operand, "an index")?),
            });
        }
        let places = combinations(known.iter());
        let ids = places.iter().map(|place| {
            let pairs = place.iter().zip(streams.shape.iter());
            let at = pairs.fold(0, |at, (index, extent)| at * extent + index);
            streams.ids[at as usize]
        });
        let ids = ids.collect();
        let is_known = runtime.iter().all(Option::is_none);
        let chosen = (!is_known).then(|| self.chosen(&places, &runtime, span));
        Ok(Value::Streams(Streams {
            ids,
            shape: Rc::from([]),
            chosen,
        }))
    }

    /// For each place whether the indices, of which the others are known, are its own.
    fn chosen(
        &mut self,
        places: &[Vec<u64>],
        indices: &[Option<ValueId>],
        span: Span,
    ) -> Rc<[ValueId]> {
        let mut chosen = Vec::new();
        for place in places {
            let mut all: Option<ValueId> = None;
            for (lhs, &own) in indices.iter().zip(place) {
                let &Some(lhs) = lhs else { continue };
                let rhs = self.b.index(own as i64, span);
                let op = CompareOp::Eq;
                let kind = OpKind::Compare { op, lhs, rhs };
                let is_own = self.b.emit(kind, Scalar::BOOL, span);
                all = Some(match all {
                    None => is_own,
                    Some(lhs) => self.both(lhs, is_own, span),
                });
            }
            chosen.extend(all);
        }
        chosen.into()
    }

    fn both(&mut self, lhs: ValueId, rhs: ValueId, span: Span) -> ValueId {
        let op = BinaryOp::And;
        let kind = OpKind::Binary { op, lhs, rhs };
        self.b.emit(kind, Scalar::BOOL, span)
    }

    /// A method of a stream.
    pub(super) fn stream_call(
        &mut self,
        streams: &Streams,
        method: &'a ast::ExprAttribute,
        e: &'a ast::ExprCall,
    ) -> Result<Value> {
        let span = self.span(e.range());
        let name = method.attr.id.as_str();
        if !streams.shape.is_empty() {
            let message = "this is an array of streams: an index says which one is meant";
            return fail(codes::INDEX_COUNT, self.span(method.value.range()), message);
        }
        let Some((_, count)) = METHODS.into_iter().find(|(known, _)| *known == name) else {
            let message = format!("a stream has no method '{name}'");
            let error = Diagnostic::error(codes::ATTRIBUTE, self.span(method.attr.range), message);
            return Err(suggest(error, name, METHODS.into_iter().map(|(name, _)| name)).into());
        };
        if !e.arguments.keywords.is_empty() || e.arguments.args.len() != count {
            let takes = ["nothing", "one element"][count];
            return fail(codes::ARGUMENTS, span, format!("{name} takes {takes}"));
        }
        let element = match e.arguments.args.first() {
            Some(value) => {
                let operand = self.operand(value)?;
                Some(self.element(streams, &operand, span)?)
            }
            None => None,
        };
        match (name, element) {
            ("put", Some(value)) => {
                for at in elements(streams) {
                    self.b.push(OpKind::Put { at, value }, vec![], span);
                }
                Ok(ConstValue::None.into())
            }
            ("get", _) => {
                let taken = self.get(streams, span);
                Ok(self.taken(streams, taken, span))
            }
            (_, Some(value)) => {
                let (done, _) = self.attempt(streams, Attempt::Put(value), span);
                Ok(Value::Scalar(done))
            }
            ("try_get", _) => {
                let (done, taken) = self.attempt(streams, Attempt::Get, span);
                let taken = taken.map(|taken| self.taken(streams, taken, span));
                let values = [Value::Scalar(done)].into_iter().chain(taken);
                Ok(Value::Tuple(values.collect()))
            }
            (name, _) => {
                let what = match name {
                    "empty" => Attempt::HasElement,
                    _ => Attempt::HasRoom,
                };
                let (has, _) = self.attempt(streams, what, span);
                let op = UnaryOp::Not;
                let kind = OpKind::Unary { op, arg: has.id };
                let id = self.b.emit(kind, Scalar::BOOL, span);
                Ok(Value::Scalar(Typed { id, ty: has.ty }))
            }
        }
    }

    /// A transfer as what it consists of.
    fn taken(&mut self, streams: &Streams, taken: Typed, span: Span) -> Value {
        match self.stream_type(streams).packed() {
            None => Value::Scalar(taken),
            Some(packed) => self.unpacked(taken.id, &packed, span),
        }
    }

    /// What is asked of the one that is meant; 0 where none is.
    fn attempt(&mut self, streams: &Streams, what: Attempt, span: Span) -> (Typed, Option<Typed>) {
        let elem = self.array(streams.ids[0]).elem;
        let types = match what {
            Attempt::Get => vec![Scalar::BOOL, elem],
            _ => vec![Scalar::BOOL],
        };
        let mut all: Option<Vec<ValueId>> = None;
        for at in elements(streams) {
            let results = types.iter().map(|&ty| self.b.value(ty, None));
            let results: Vec<ValueId> = results.collect();
            let kind = OpKind::Attempt { at, what };
            self.b.push(kind, results.clone(), span);
            all = Some(match all {
                None => results,
                Some(others) => {
                    let cond = results[0];
                    let pairs = results.into_iter().zip(others).zip(&types);
                    let chosen = pairs.map(|((on_true, on_false), &ty)| {
                        let kind = OpKind::Select {
                            cond,
                            on_true,
                            on_false,
                        };
                        self.b.emit(kind, ty, span)
                    });
                    chosen.collect()
                }
            });
        }
        let all = all.unwrap_or_default();
        let mut typed = all.into_iter().zip(types).map(|(id, ty)| Typed { id, ty });
        let first = typed
            .next()
            .expect("there is a stream at least: no extent is 0");
        (first, typed.next())
    }

    /// A value as an element.
    fn element(&mut self, streams: &Streams, operand: &Operand, span: Span) -> Result<ValueId> {
        if let Value::Streams(_) = operand.value {
            let what = describe(&operand.value);
            return fail(codes::STREAM, operand.span, format!("{what} is no element"));
        }
        let ty = self.stream_type(streams);
        match ty.packed() {
            None => self.b.store_as(operand, ty.elem),
            Some(packed) => self.packed(operand, &packed, span),
        }
    }

    /// The element of the one that is meant; 0 where none is.
    fn get(&mut self, streams: &Streams, span: Span) -> Typed {
        let ty = self.array(streams.ids[0]).elem;
        let mut taken = None;
        for at in elements(streams) {
            let when = at.when;
            let got = self.b.value(ty, None);
            self.b.push(OpKind::Get { at }, vec![got], span);
            taken = Some(match when {
                None => got,
                Some(cond) => {
                    let others = taken.unwrap_or_else(|| self.b.zero(ty, span));
                    let kind = OpKind::Select {
                        cond,
                        on_true: got,
                        on_false: others,
                    };
                    self.b.emit(kind, ty, span)
                }
            });
        }
        // There is one stream at least: no extent is 0.
        let id = taken.unwrap_or_else(|| self.b.zero(ty, span));
        Typed { id, ty }
    }
}

impl Lowerer<'_, '_> {
    /// The streams that an argument stands for.
    pub(super) fn stream_argument(
        &mut self,
        operand: &Operand,
        param: &str,
        ty: &StreamType,
    ) -> Result<Rc<[ArrayId]>> {
        let wrong = |found: String| {
            let needed = stream_name(&StreamType {
                depth: 0,
                ..ty.clone()
            });
            let message = format!("parameter '{param}' needs {needed}, but this is {found}");
            fail(codes::ARGUMENT_TYPE, operand.span, message)
        };
        let Value::Streams(streams) = &operand.value else {
            return wrong(describe(&operand.value));
        };
        if streams.chosen.is_some() {
            let message = "which stream is passed is known while compiling";
            return fail(codes::NOT_CONST, operand.span, message);
        }
        let found = self.stream_type(streams);
        match found.carries_the_same(ty) {
            true => Ok(streams.ids.clone()),
            false => wrong(stream_name(&StreamType { depth: 0, ..found })),
        }
    }

    /// What streams are declared as.
    pub(super) fn stream_type(&self, streams: &Streams) -> StreamType {
        let array = self.array(streams.ids[0]);
        let stream = array.stream.as_ref();
        let packed = stream.and_then(|stream| stream.packed.as_ref());
        StreamType {
            elem: packed.map_or(array.elem, |packed| packed.elem),
            block: packed.map(|packed| packed.shape.clone().into()),
            depth: stream.map_or(1, |stream| stream.depth),
            shape: streams.shape.clone(),
        }
    }
}

/// The streams as what operations access.
fn elements(streams: &Streams) -> Vec<Element> {
    let ids = streams.ids.iter().enumerate();
    let elements = ids.map(|(number, &id)| Element {
        when: streams.chosen.as_ref().map(|chosen| chosen[number]),
        ..Element::new(id, vec![])
    });
    elements.collect()
}
