//! The invariants of the ir, checked from scratch.

use super::partition;
use super::print::Names;
use super::types::MAX_WIDTH;
use super::{
    Arg, Array, ArrayId, ArrayKind, Attempt, BinaryOp, Block, Call, CompareOp, Const, Element,
    FloatFormat, For, If, Kernel, KernelId, Op, OpKind, Param, Program, ResultSlot, Scalar,
    UnaryOp, ValueId, While,
};
use crate::arena::Arena;
use crate::diagnostics::Span;
use num_bigint::{BigUint, Sign};
use std::fmt;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The kernel that breaks it.
    pub kernel: KernelId,
    /// Its name.
    pub name: String,
    /// Origin of the operation that breaks it, if it is one.
    pub span: Option<Span>,
    /// What is broken.
    pub violation: Violation,
}

/// What is broken; values and arrays are called as they print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The program has no top kernel.
    NoTop,
    /// Another kernel has the same name.
    TwoOfOneName,
    /// A type of a width or format that there is not.
    NoSuchType(Scalar),
    /// A constant that is no value of its type.
    NoSuchConstant {
        ty: Scalar,
        value: Const,
    },
    /// A handle of nothing.
    NoSuchValue(ValueId),
    /// A handle of nothing.
    NoSuchArray(ArrayId),
    /// A value is read where its definition does not reach.
    NotVisible(String),
    /// A value has several definitions.
    DefinedTwice(String),
    /// An array has an extent of 0, or more elements than can be numbered.
    Extent(String),
    /// A partition that is none of the array's shape.
    Partition(String),
    Ports(String),
    /// A table has not one constant for each element.
    TableLength {
        array: String,
        constants: usize,
        elements: u64,
    },
    /// Parameters or results do not refer to an array as it refers to them.
    Kind(String),
    /// A value of another type than its place needs.
    Type {
        what: &'static str,
        found: Scalar,
        wanted: Scalar,
    },
    /// Another number of things than their place needs.
    Count {
        what: &'static str,
        found: usize,
        wanted: usize,
    },
    /// An operation that there is not on this type.
    NotAccepted {
        operation: &'static str,
        ty: Scalar,
    },
    /// A table is written.
    TableWritten(String),
    /// A copy between arrays of different shapes, or of an array to itself.
    Copy {
        dst: String,
        src: String,
    },
    /// A loop counts down by something else than a negative constant.
    Descends,
    /// A callee that does not come before its caller.
    Callee,
    /// A scalar for an array or the other way round.
    ArgumentKind,
    /// An array is passed for one of another shape or element type.
    ArgumentArray {
        found: String,
        wanted: String,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Violation::*;
        match self {
            NoTop => write!(f, "the top kernel does not exist"),
            TwoOfOneName => write!(f, "another kernel has the same name"),
            NoSuchType(ty) => write!(f, "there is no type {ty}"),
            NoSuchConstant { ty, value } => write!(f, "the constant {value:?} is not a {ty}"),
            NoSuchValue(id) => write!(f, "value {id:?} does not exist"),
            NoSuchArray(id) => write!(f, "array {id:?} does not exist"),
            NotVisible(value) => write!(f, "{value} is not visible where it is used"),
            DefinedTwice(value) => write!(f, "{value} is defined twice"),
            Extent(array) => write!(f, "'{array}' has an extent of 0 or too many elements"),
            Partition(array) => write!(f, "the partition of '{array}' does not fit it"),
            Ports(array) => write!(f, "'{array}' has no such number of ports"),
            TableLength {
                array,
                constants,
                elements,
            } => write!(
                f,
                "table '{array}' has {constants} constants for {elements} elements"
            ),
            Kind(array) => write!(
                f,
                "'{array}' is not what parameters and results take it for"
            ),
            Type {
                what,
                found,
                wanted,
            } => write!(f, "{what} is {found} instead of {wanted}"),
            Count {
                what,
                found,
                wanted,
            } => write!(f, "{found} {what} instead of {wanted}"),
            NotAccepted { operation, ty } => write!(f, "there is no {operation} of {ty}"),
            TableWritten(array) => write!(f, "table '{array}' is written"),
            Copy { dst, src } => write!(f, "'{src}' cannot be copied to '{dst}'"),
            Descends => write!(f, "a loop descends without a negative constant step"),
            Callee => write!(f, "a callee does not come before its caller"),
            ArgumentKind => write!(f, "an argument of the wrong kind"),
            ArgumentArray { found, wanted } => {
                write!(f, "'{found}' is passed for '{wanted}' of another type")
            }
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel '{}': {}", self.name, self.violation)
    }
}

/// Checks every invariant of the ir.
///
/// - Types: integers 1 ..= 4096 bits wide, floats of 2 ..= 15 exponent and 1 ..= 112 fraction bits.
/// - Kernels: distinct names; `params` and `results` and the arrays' kinds refer to each other; every
///   parameter and result array once. Callees come before callers, hence no recursion.
/// - Arrays: no extent is 0, no more elements than its kind has at most; a partition splits each dimension at most once, into parts that are
///   not empty; a table has one constant of the element type
///   for each element, and nothing writes it.
/// - Values: defined exactly once, before use and in a block that encloses the use.
/// - Operations: operand and result types as [`OpKind`] says; as many indices as dimensions, all of
///   type index; constants in range; a loop descends by a negative constant; yields match what they feed in number
///   and type.
///
/// # Errors
/// The first violation.
pub fn validate(program: &Program) -> Result<(), Invalid> {
    let invalid = |id: KernelId, span: Option<Span>, violation: Violation| Invalid {
        kernel: id,
        name: program
            .kernels
            .get(id)
            .map_or(String::new(), |k| k.name.clone()),
        span,
        violation,
    };
    if program.kernels.get(program.top).is_none() {
        return Err(invalid(program.top, None, Violation::NoTop));
    }
    for (id, kernel) in program.kernels.iter() {
        let mut others = program.kernels.iter().take(id.index());
        if others.any(|(_, other)| other.name == kernel.name) {
            return Err(invalid(id, None, Violation::TwoOfOneName));
        }
        let mut checker = Checker::new(program, id, kernel);
        checker
            .kernel()
            .map_err(|violation| invalid(id, checker.span, violation))?;
    }
    Ok(())
}

/// Checks a kernel that calls no other.
///
/// # Errors
/// The first violation.
pub fn validate_kernel(kernel: &Kernel) -> Result<(), Invalid> {
    let mut kernels = Arena::new();
    let top = kernels.push(kernel.clone());
    validate(&Program { kernels, top })
}

type Check = Result<(), Violation>;

struct Checker<'p> {
    program: &'p Program,
    id: KernelId,
    kernel: &'p Kernel,
    /// Values visible at the current place.
    visible: Vec<bool>,
    /// The visible ones, in order of definition.
    scope: Vec<ValueId>,
    /// Values defined so far anywhere.
    defined: Vec<bool>,
    /// Constants, for the check of steps.
    constants: Vec<Option<&'p Const>>,
    /// The operation that is being checked.
    span: Option<Span>,
}

fn check(condition: bool, violation: impl FnOnce() -> Violation) -> Check {
    if condition { Ok(()) } else { Err(violation()) }
}

fn count(what: &'static str, found: usize, wanted: usize) -> Check {
    check(found == wanted, || Violation::Count {
        what,
        found,
        wanted,
    })
}

fn accepted(holds: bool, operation: &'static str, ty: Scalar) -> Check {
    check(holds, || Violation::NotAccepted { operation, ty })
}

fn check_type(ty: Scalar) -> Check {
    let ok = match ty {
        Scalar::Int { width, .. } => (1..=MAX_WIDTH).contains(&width),
        Scalar::Index | Scalar::Storage(_) => true,
        Scalar::Float(FloatFormat { exp, frac }) => {
            (2..=15).contains(&exp) && (1..=112).contains(&frac)
        }
    };
    check(ok, || Violation::NoSuchType(ty))
}

fn check_const(ty: Scalar, value: &Const) -> Check {
    let ok = match (ty, value) {
        (Scalar::Float(_) | Scalar::Storage(_), Const::Float(bits)) => {
            bits < &(BigUint::from(1u32) << ty.width())
        }
        (Scalar::Float(_) | Scalar::Storage(_), Const::Int(_)) | (_, Const::Float(_)) => false,
        (_, Const::Int(v)) => ty
            .int_range()
            .is_some_and(|(low, high)| (&low..=&high).contains(&v)),
    };
    check(ok, || Violation::NoSuchConstant {
        ty,
        value: value.clone(),
    })
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program, id: KernelId, kernel: &'p Kernel) -> Self {
        Checker {
            program,
            id,
            kernel,
            visible: vec![false; kernel.values.len()],
            defined: vec![false; kernel.values.len()],
            scope: Vec::new(),
            constants: vec![None; kernel.values.len()],
            span: None,
        }
    }

    /// What a value is called in print.
    fn name(&self, id: ValueId) -> String {
        Names::of(self.kernel).value(id)
    }

    fn kernel(&mut self) -> Check {
        for (_, value) in self.kernel.values.iter() {
            check_type(value.ty)?;
        }
        for (id, array) in self.kernel.arrays.iter() {
            self.array(id, array)?;
        }
        for (i, param) in self.kernel.params.iter().enumerate() {
            match param {
                Param::Scalar(id) => self.define(*id)?,
                Param::Array(id) => self.has_kind(*id, &ArrayKind::Param(i))?,
            }
        }
        let mut scalars = Vec::new();
        for (i, slot) in self.kernel.results.iter().enumerate() {
            match slot {
                ResultSlot::Scalar(ty) => scalars.push(*ty),
                ResultSlot::Array(id) => self.has_kind(*id, &ArrayKind::Result(i))?,
            }
        }
        let kernel = self.kernel;
        self.block(&kernel.body, &[], &scalars, "values yielded by the body")
    }

    fn array(&self, id: ArrayId, array: &Array) -> Check {
        let name = &array.name;
        check_type(array.elem)?;
        let count = array.shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d));
        let count = count.unwrap_or(u64::MAX);
        check((1..=array.kind.most_elements()).contains(&count), || {
            Violation::Extent(name.clone())
        })?;
        check(partition::is_valid(&array.shape, &array.partition), || {
            Violation::Partition(name.clone())
        })?;
        check(
            (1..=array.kind.most_ports()).contains(&array.tags.most_ports()),
            || Violation::Ports(name.clone()),
        )?;
        match &array.kind {
            ArrayKind::Param(i) => {
                let back = matches!(self.kernel.params.get(*i), Some(Param::Array(a)) if *a == id);
                check(back, || Violation::Kind(name.clone()))
            }
            ArrayKind::Result(i) => {
                let back =
                    matches!(self.kernel.results.get(*i), Some(ResultSlot::Array(a)) if *a == id);
                check(back, || Violation::Kind(name.clone()))
            }
            ArrayKind::Local => Ok(()),
            ArrayKind::Table(table) | ArrayKind::State(table) => {
                check(table.len() as u64 == count, || Violation::TableLength {
                    array: name.clone(),
                    constants: table.len(),
                    elements: count,
                })?;
                table.iter().try_for_each(|c| check_const(array.elem, c))
            }
        }
    }

    fn has_kind(&self, id: ArrayId, kind: &ArrayKind) -> Check {
        let array = self.array_of(id)?;
        check(array.kind == *kind, || Violation::Kind(array.name.clone()))
    }

    fn array_of(&self, id: ArrayId) -> Result<&'p Array, Violation> {
        let array = self.kernel.arrays.get(id);
        array.ok_or(Violation::NoSuchArray(id))
    }

    /// The type of a value that may not be visible yet.
    fn declared(&self, id: ValueId) -> Result<Scalar, Violation> {
        let value = self.kernel.values.get(id);
        value.map(|v| v.ty).ok_or(Violation::NoSuchValue(id))
    }

    fn ty(&self, id: ValueId) -> Result<Scalar, Violation> {
        let ty = self.declared(id)?;
        match self.visible[id.index()] {
            true => Ok(ty),
            false => Err(Violation::NotVisible(self.name(id))),
        }
    }

    fn has_type(&self, id: ValueId, wanted: Scalar, what: &'static str) -> Check {
        let found = self.ty(id)?;
        check(found == wanted, || Violation::Type {
            what,
            found,
            wanted,
        })
    }

    fn define(&mut self, id: ValueId) -> Check {
        self.declared(id)?;
        check(!self.defined[id.index()], || {
            Violation::DefinedTwice(self.name(id))
        })?;
        self.defined[id.index()] = true;
        self.visible[id.index()] = true;
        self.scope.push(id);
        Ok(())
    }

    /// Checks a block with its parameters; what it defines goes out of sight after it.
    fn block(
        &mut self,
        block: &'p Block,
        params: &[ValueId],
        yields: &[Scalar],
        what: &'static str,
    ) -> Check {
        self.then(block, params, yields, what, |_| Ok(()))
    }

    /// As [`Self::block`], with more to check while the block's values are visible.
    fn then(
        &mut self,
        block: &'p Block,
        params: &[ValueId],
        yields: &[Scalar],
        what: &'static str,
        more: impl FnOnce(&mut Self) -> Check,
    ) -> Check {
        let outside = self.scope.len();
        params.iter().try_for_each(|id| self.define(*id))?;
        block.ops.iter().try_for_each(|op| self.op(op))?;
        count(what, block.yields.len(), yields.len())?;
        for (id, ty) in block.yields.iter().zip(yields) {
            self.has_type(*id, *ty, what)?;
        }
        more(self)?;
        for id in self.scope.drain(outside..) {
            self.visible[id.index()] = false;
        }
        Ok(())
    }

    fn op(&mut self, op: &'p Op) -> Check {
        self.span = Some(op.span);
        for id in op.kind.operands() {
            self.ty(id)?;
        }
        match &op.kind {
            OpKind::For(f) => self.for_loop(f, op)?,
            OpKind::While(w) => self.while_loop(w, op)?,
            OpKind::If(i) => self.branch(i, op)?,
            OpKind::Call(call) => self.call(call, op)?,
            OpKind::Store { at, value } => {
                self.element(at)?;
                self.has_type(*value, self.array_of(at.array)?.elem, "the stored value")?;
                self.writable(at.array)?;
                self.results(op, &[])?;
            }
            OpKind::Get { at } => {
                self.element(at)?;
                let elem = self.queue(at.array)?.elem;
                self.results(op, &[elem])?;
            }
            OpKind::Put { at, value } => {
                self.element(at)?;
                let elem = self.queue(at.array)?.elem;
                self.has_type(*value, elem, "what is put into a stream")?;
                self.results(op, &[])?;
            }
            OpKind::Attempt { at, what } => {
                self.element(at)?;
                let elem = self.queue(at.array)?.elem;
                if let Some(value) = what.value() {
                    self.has_type(value, elem, "what is put into a stream")?;
                }
                match what {
                    Attempt::Get => self.results(op, &[Scalar::BOOL, elem])?,
                    _ => self.results(op, &[Scalar::BOOL])?,
                }
            }
            OpKind::Promise(promise) => {
                self.array_of(promise.array)?;
                self.has_type(promise.iv, Scalar::Index, "what a promise is over")?;
                self.results(op, &[])?;
            }
            OpKind::Assume { cond } => {
                self.has_type(*cond, Scalar::BOOL, "what is assumed")?;
                self.results(op, &[])?;
            }
            OpKind::Fill { array, value } => {
                self.has_type(*value, self.array_of(*array)?.elem, "the value of a fill")?;
                self.writable(*array)?;
                self.results(op, &[])?;
            }
            OpKind::Copy { dst, src } => {
                let (to, from) = (self.array_of(*dst)?, self.array_of(*src)?);
                check(dst != src && to.shape == from.shape, || Violation::Copy {
                    dst: to.name.clone(),
                    src: from.name.clone(),
                })?;
                self.writable(*dst)?;
                self.results(op, &[])?;
            }
            pure => self.pure(pure, op)?,
        }
        op.results.iter().try_for_each(|id| self.define(*id))
    }

    fn queue(&self, id: ArrayId) -> Result<&'p Array, Violation> {
        let array = self.array_of(id)?;
        check(array.stream.is_some(), || {
            Violation::Kind(array.name.clone())
        })?;
        Ok(array)
    }

    fn memory(&self, id: ArrayId) -> Check {
        let array = self.array_of(id)?;
        check(array.stream.is_none(), || {
            Violation::Kind(array.name.clone())
        })
    }

    fn writable(&self, id: ArrayId) -> Check {
        let array = self.array_of(id)?;
        self.memory(id)?;
        check(!matches!(array.kind, ArrayKind::Table(_)), || {
            Violation::TableWritten(array.name.clone())
        })
    }

    fn element(&self, at: &Element) -> Check {
        let indices = &at.indices;
        if let Some(when) = at.when {
            self.has_type(when, Scalar::BOOL, "the condition of an access")?;
        }
        let array = self.array_of(at.array)?;
        count("indices", indices.len(), array.shape.len())?;
        indices
            .iter()
            .try_for_each(|i| self.has_type(*i, Scalar::Index, "an index"))
    }

    /// Number and types of an operation's results.
    fn results(&self, op: &Op, types: &[Scalar]) -> Check {
        count("results", op.results.len(), types.len())?;
        for (id, &wanted) in op.results.iter().zip(types) {
            let found = self.declared(*id)?;
            check(found == wanted, || Violation::Type {
                what: "a result",
                found,
                wanted,
            })?;
        }
        Ok(())
    }

    fn pure(&mut self, kind: &'p OpKind, whole: &'p Op) -> Check {
        count("results", whole.results.len(), 1)?;
        let result = whole.results[0];
        let ty = self.declared(result)?;
        match kind {
            OpKind::Const(value) => {
                self.constants[result.index()] = Some(value);
                check_const(ty, value)
            }
            OpKind::Unary { op, arg } => {
                self.has_type(*arg, ty, op.name())?;
                accepted(unary_accepts(*op, ty), op.name(), ty)
            }
            OpKind::Binary { op, lhs, rhs } => {
                self.has_type(*lhs, ty, op.name())?;
                accepted(binary_accepts(*op, ty), op.name(), ty)?;
                if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    let amount = self.ty(*rhs)?;
                    return accepted(!amount.is_float(), "shift by a value", amount);
                }
                self.has_type(*rhs, ty, op.name())
            }
            OpKind::Compare { op, lhs, rhs } => {
                let common = self.ty(*lhs)?;
                self.has_type(*rhs, common, op.name())?;
                let float_only = *op >= CompareOp::Ueq;
                accepted(common.is_float() || !float_only, op.name(), common)?;
                self.results(whole, &[Scalar::BOOL])
            }
            OpKind::Fma { lhs, rhs, add } => {
                accepted(ty.is_float(), "fma", ty)?;
                [lhs, rhs, add]
                    .iter()
                    .try_for_each(|id| self.has_type(**id, ty, "fma"))
            }
            OpKind::Cast { arg } => self.ty(*arg).map(|_| ()),
            OpKind::Convert { arg, .. } => {
                let from = self.ty(*arg)?;
                accepted(from != ty, "conversion to the same type", ty)
            }
            OpKind::Bitcast { arg } => {
                let from = self.ty(*arg)?;
                check(from.width() == ty.width(), || Violation::Type {
                    what: "the operand of a bitcast",
                    found: from,
                    wanted: ty,
                })
            }
            OpKind::Select {
                cond,
                on_true,
                on_false,
            } => {
                self.has_type(*cond, Scalar::BOOL, "a condition")?;
                self.has_type(*on_true, ty, "select")?;
                self.has_type(*on_false, ty, "select")
            }
            OpKind::BitGet { arg, index } => {
                self.bits(*arg, *index)?;
                self.results(whole, &[Scalar::BOOL])
            }
            OpKind::BitSet { arg, lo, bits } => {
                self.bits(*arg, *lo)?;
                self.has_type(*arg, ty, "bit_set")?;
                let bits = self.ty(*bits)?;
                let unsigned = matches!(bits, Scalar::Int { signed: false, .. });
                accepted(unsigned, "bits", bits)
            }
            OpKind::BitSlice { arg, lo } => {
                self.bits(*arg, *lo)?;
                let unsigned = matches!(ty, Scalar::Int { signed: false, .. });
                accepted(unsigned, "bit range", ty)
            }
            OpKind::Operate(operate) => {
                let (params, result) = operate.types();
                count("operands", operate.args.len(), params.len())?;
                for (arg, param) in operate.args.iter().zip(params) {
                    self.has_type(*arg, param, "an operand")?;
                }
                self.results(whole, result.as_slice())
            }
            OpKind::Load { at, .. } => {
                self.element(at)?;
                self.memory(at.array)?;
                let elem = self.array_of(at.array)?.elem;
                self.results(whole, &[elem])
            }
            _ => unreachable!("`op` takes what has effects or blocks"),
        }
    }

    fn bits(&self, arg: ValueId, index: ValueId) -> Check {
        let ty = self.ty(arg)?;
        accepted(matches!(ty, Scalar::Int { .. }), "bit", ty)?;
        self.has_type(index, Scalar::Index, "a bit index")
    }

    /// The types of a loop's carried values, after checking the initial ones.
    fn carried(&self, params: &[ValueId], inits: &[ValueId]) -> Result<Vec<Scalar>, Violation> {
        count("initial values", inits.len(), params.len())?;
        let types = params.iter().map(|id| self.declared(*id));
        let types: Vec<Scalar> = types.collect::<Result<_, _>>()?;
        for (id, ty) in inits.iter().zip(&types) {
            self.has_type(*id, *ty, "an initial value")?;
        }
        Ok(types)
    }

    fn for_loop(&mut self, f: &'p For, op: &Op) -> Check {
        for id in [f.lo, f.hi, f.step, f.iv] {
            let found = self.declared(id)?;
            check(found == Scalar::Index, || Violation::Type {
                what: "a bound of a loop",
                found,
                wanted: Scalar::Index,
            })?;
        }
        let negative = matches!(&self.constants[f.step.index()], Some(Const::Int(v)) if v.sign() == Sign::Minus);
        check(negative || !f.descending, || Violation::Descends)?;
        let types = self.carried(&f.carried, &f.inits)?;
        let params: Vec<ValueId> = [f.iv]
            .into_iter()
            .chain(f.carried.iter().copied())
            .collect();
        self.block(&f.body, &params, &types, "values yielded by a loop")?;
        self.results(op, &types)
    }

    fn while_loop(&mut self, w: &'p While, op: &Op) -> Check {
        let types = self.carried(&w.carried, &w.inits)?;
        self.then(
            &w.cond,
            &w.carried,
            &[Scalar::BOOL],
            "values yielded by a condition",
            |inner| inner.block(&w.body, &[], &types, "values yielded by a loop"),
        )?;
        self.results(op, &types)
    }

    fn branch(&mut self, i: &'p If, op: &Op) -> Check {
        self.has_type(i.cond, Scalar::BOOL, "a condition")?;
        let types = op.results.iter().map(|id| self.declared(*id));
        let types: Vec<Scalar> = types.collect::<Result<_, _>>()?;
        self.block(&i.then, &[], &types, "values yielded by a branch")?;
        self.block(&i.otherwise, &[], &types, "values yielded by a branch")
    }

    fn call(&mut self, call: &Call, op: &Op) -> Check {
        let callee = self.program.kernels.get(call.kernel);
        let callee = callee.filter(|_| call.kernel < self.id);
        let callee = callee.ok_or(Violation::Callee)?;
        count("arguments", call.args.len(), callee.params.len())?;
        for (arg, param) in call.args.iter().zip(&callee.params) {
            match (arg, param) {
                (Arg::Scalar(id), Param::Scalar(p)) => {
                    self.has_type(*id, callee.values[*p].ty, "an argument")?;
                }
                (Arg::Array(id), Param::Array(p)) => self.same_array(*id, &callee.arrays[*p])?,
                _ => return Err(Violation::ArgumentKind),
            }
        }
        let (mut scalars, mut arrays) = (Vec::new(), Vec::new());
        for slot in &callee.results {
            match slot {
                ResultSlot::Scalar(ty) => scalars.push(*ty),
                ResultSlot::Array(result) => arrays.push(&callee.arrays[*result]),
            }
        }
        count("result arrays", call.result_arrays.len(), arrays.len())?;
        for (&id, result) in call.result_arrays.iter().zip(arrays) {
            self.same_array(id, result)?;
            self.writable(id)?;
        }
        self.results(op, &scalars)
    }

    fn same_array(&self, id: ArrayId, expected: &Array) -> Check {
        let array = self.array_of(id)?;
        check(
            array.elem == expected.elem
                && array.shape == expected.shape
                && array.stream.is_some() == expected.stream.is_some(),
            || Violation::ArgumentArray {
                found: array.name.clone(),
                wanted: expected.name.clone(),
            },
        )
    }
}

fn unary_accepts(op: UnaryOp, ty: Scalar) -> bool {
    match op {
        _ if ty.is_storage() => false,
        UnaryOp::Neg | UnaryOp::Abs => true,
        UnaryOp::Not => !ty.is_float(),
        _ => ty.is_float(),
    }
}

fn binary_accepts(op: BinaryOp, ty: Scalar) -> bool {
    match op {
        _ if ty.is_storage() => false,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => {
            !ty.is_float()
        }
        BinaryOp::MinNan | BinaryOp::MaxNan => ty.is_float(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceMap;

    fn program(text: &str) -> Program {
        let mut sources = SourceMap::default();
        let file = sources.add("test.py", text);
        match crate::frontend::compile(&mut sources, file, None) {
            Ok(compiled) => compiled.program,
            Err(errors) => panic!("{}", errors.render(&sources, false)),
        }
    }

    fn sum() -> Program {
        program(
            "from allo import *\n@kernel\ndef f(x: \"i8[4]\") -> i32:\n    s: i32 = 0\n    for i in range(4):\n        s += x[i]\n    return s\n",
        )
    }

    fn loop_of(program: &mut Program) -> &mut For {
        let top = program.top;
        let body = &mut program.kernels[top].body;
        body.ops
            .iter_mut()
            .find_map(|op| match &mut op.kind {
                OpKind::For(f) => Some(&mut **f),
                _ => None,
            })
            .unwrap()
    }

    fn error(program: &Program) -> String {
        validate(program).unwrap_err().to_string()
    }

    #[test]
    fn broken_programs_are_found() {
        assert_eq!(validate(&sum()), Ok(()));
        let mut p = sum();
        loop_of(&mut p).body.yields.clear();
        assert!(error(&p).contains("0 values yielded by a loop instead of 1"));
        let mut p = sum();
        loop_of(&mut p).body.ops.reverse();
        assert!(error(&p).contains("not visible"));
        let mut p = sum();
        let f = loop_of(&mut p);
        let twice = f.body.ops[0].clone();
        f.body.ops.push(twice);
        assert!(error(&p).contains("defined twice"));
        let mut p = sum();
        let f = loop_of(&mut p);
        f.descending = true;
        assert!(error(&p).contains("descends"));
        let mut p = sum();
        let top = p.top;
        p.kernels[top]
            .arrays
            .values_mut()
            .for_each(|a| a.shape.push(2));
        assert!(error(&p).contains("1 indices instead of 2"));
    }
}
