//! The invariants of the ir, checked from scratch.

use super::types::MAX_WIDTH;
use super::{
    Arg, Array, ArrayId, ArrayKind, BinaryOp, Block, Call, CompareOp, Const, FloatFormat, For, If,
    Kernel, KernelId, Op, OpKind, Param, Program, ResultSlot, Scalar, UnaryOp, ValueId, While,
};
use num_bigint::BigUint;

/// Checks every invariant of the ir; the error says which kernel breaks which.
///
/// - Types: integers 1 ..= 4096 bits wide, floats of 2 ..= 15 exponent and 1 ..= 112 fraction bits.
/// - Kernels: distinct names; `params` and `results` and the arrays' kinds refer to each other; every
///   parameter and result array once. Callees come before callers, hence no recursion.
/// - Arrays: no extent is 0, fewer than 2^32 elements; a table has one constant of the element type
///   for each element, and nothing writes it.
/// - Values: defined exactly once, before use and in a block that encloses the use.
/// - Operations: operand and result types as [`OpKind`] says; as many indices as dimensions, all of
///   type index; constants in range; a loop descends by a negative constant; yields match what they feed in number
///   and type.
///
/// # Errors
/// The first violation.
pub fn validate(program: &Program) -> Result<(), String> {
    if program.kernels.get(program.top).is_none() {
        return Err("the top kernel does not exist".to_owned());
    }
    for (id, kernel) in program.kernels.iter() {
        let twin = program
            .kernels
            .iter()
            .find(|(i, k)| *i < id && k.name == kernel.name);
        if twin.is_some() {
            return Err(format!("two kernels are named '{}'", kernel.name));
        }
        let mut checker = Checker {
            program,
            id,
            kernel,
            visible: vec![false; kernel.values.len()],
            defined: vec![false; kernel.values.len()],
            scope: Vec::new(),
            constants: vec![None; kernel.values.len()],
        };
        checker
            .kernel()
            .map_err(|message| format!("kernel '{}': {message}", kernel.name))?;
    }
    Ok(())
}

type Check = Result<(), String>;

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
}

fn check(condition: bool, message: impl FnOnce() -> String) -> Check {
    if condition { Ok(()) } else { Err(message()) }
}

fn check_type(ty: Scalar) -> Check {
    let ok = match ty {
        Scalar::Int { width, .. } => (1..=MAX_WIDTH).contains(&width),
        Scalar::Index | Scalar::Storage(_) => true,
        Scalar::Float(FloatFormat { exp, frac }) => {
            (2..=15).contains(&exp) && (1..=112).contains(&frac)
        }
    };
    check(ok, || format!("there is no type {ty}"))
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
    check(ok, || format!("the constant {value:?} is not a {ty}"))
}

impl<'p> Checker<'p> {
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
        self.block(&kernel.body, &[], &scalars, "the body")
    }

    fn array(&self, id: ArrayId, array: &Array) -> Check {
        let name = &array.name;
        check_type(array.elem)?;
        let count = array.shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d));
        let count = count.unwrap_or(u64::MAX);
        check(count > 0, || format!("array '{name}' has an extent of 0"))?;
        check(count < 1 << 32, || {
            format!("array '{name}' has 2^32 elements or more")
        })?;
        match &array.kind {
            ArrayKind::Param(i) => {
                let back = matches!(self.kernel.params.get(*i), Some(Param::Array(a)) if *a == id);
                check(back, || format!("array '{name}' is not parameter {i}"))
            }
            ArrayKind::Result(i) => {
                let back =
                    matches!(self.kernel.results.get(*i), Some(ResultSlot::Array(a)) if *a == id);
                check(back, || format!("array '{name}' is not result {i}"))
            }
            ArrayKind::Local => Ok(()),
            ArrayKind::Table(table) => {
                check(table.len() as u64 == count, || {
                    format!(
                        "table '{name}' has {} constants for {count} elements",
                        table.len()
                    )
                })?;
                table.iter().try_for_each(|c| check_const(array.elem, c))
            }
        }
    }

    fn has_kind(&self, id: ArrayId, kind: &ArrayKind) -> Check {
        let array = self.array_of(id)?;
        check(array.kind == *kind, || {
            format!("array '{}' should be of kind {kind:?}", array.name)
        })
    }

    fn array_of(&self, id: ArrayId) -> Result<&'p Array, String> {
        self.kernel
            .arrays
            .get(id)
            .ok_or_else(|| format!("array {id:?} does not exist"))
    }

    fn ty(&self, id: ValueId) -> Result<Scalar, String> {
        match self.kernel.values.get(id) {
            Some(value) if self.visible[id.index()] => Ok(value.ty),
            Some(_) => Err(format!("value {id:?} is not visible where it is used")),
            None => Err(format!("value {id:?} does not exist")),
        }
    }

    fn has_type(&self, id: ValueId, ty: Scalar, what: &str) -> Check {
        let found = self.ty(id)?;
        check(found == ty, || format!("{what} is {found} instead of {ty}"))
    }

    fn define(&mut self, id: ValueId) -> Check {
        check(id.index() < self.defined.len(), || {
            format!("value {id:?} does not exist")
        })?;
        check(!self.defined[id.index()], || {
            format!("value {id:?} is defined twice")
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
        what: &str,
    ) -> Check {
        self.then(block, params, yields, what, |_| Ok(()))
    }

    /// As [`Self::block`], with more to check while the block's values are visible.
    fn then(
        &mut self,
        block: &'p Block,
        params: &[ValueId],
        yields: &[Scalar],
        what: &str,
        more: impl FnOnce(&mut Self) -> Check,
    ) -> Check {
        let outside = self.scope.len();
        params.iter().try_for_each(|id| self.define(*id))?;
        block.ops.iter().try_for_each(|op| self.op(op))?;
        check(block.yields.len() == yields.len(), || {
            format!(
                "{what} yields {} values instead of {}",
                block.yields.len(),
                yields.len()
            )
        })?;
        for (id, ty) in block.yields.iter().zip(yields) {
            self.has_type(*id, *ty, &format!("what {what} yields"))?;
        }
        more(self)?;
        for id in self.scope.drain(outside..) {
            self.visible[id.index()] = false;
        }
        Ok(())
    }

    fn op(&mut self, op: &'p Op) -> Check {
        for id in op.kind.operands() {
            self.ty(id)?;
        }
        match &op.kind {
            OpKind::For(f) => self.for_loop(f, op)?,
            OpKind::While(w) => self.while_loop(w, op)?,
            OpKind::If(i) => self.branch(i, op)?,
            OpKind::Call(call) => self.call(call, op)?,
            OpKind::Store {
                array,
                indices,
                value,
            } => {
                self.indices(*array, indices)?;
                self.has_type(*value, self.array_of(*array)?.elem, "the stored value")?;
                self.writable(*array)?;
                self.results(op, &[])?;
            }
            OpKind::Fill { array, value } => {
                self.has_type(*value, self.array_of(*array)?.elem, "the value of a fill")?;
                self.writable(*array)?;
                self.results(op, &[])?;
            }
            OpKind::Copy { dst, src } => {
                let same = self.array_of(*dst)?.shape == self.array_of(*src)?.shape;
                check(same, || "a copy between different shapes".to_owned())?;
                check(dst != src, || "a copy of an array to itself".to_owned())?;
                self.writable(*dst)?;
                self.results(op, &[])?;
            }
            pure => self.pure(pure, op)?,
        }
        op.results.iter().try_for_each(|id| self.define(*id))
    }

    fn writable(&self, id: ArrayId) -> Check {
        let array = self.array_of(id)?;
        check(!matches!(array.kind, ArrayKind::Table(_)), || {
            format!("table '{}' is written", array.name)
        })
    }

    fn indices(&self, id: ArrayId, indices: &[ValueId]) -> Check {
        let array = self.array_of(id)?;
        check(indices.len() == array.shape.len(), || {
            format!(
                "{} indices for '{}' of rank {}",
                indices.len(),
                array.name,
                array.shape.len()
            )
        })?;
        indices
            .iter()
            .try_for_each(|i| self.has_type(*i, Scalar::Index, "an index"))
    }

    /// Number and types of an operation's results.
    fn results(&self, op: &Op, types: &[Scalar]) -> Check {
        check(op.results.len() == types.len(), || {
            format!(
                "an operation has {} results instead of {}",
                op.results.len(),
                types.len()
            )
        })?;
        for (id, ty) in op.results.iter().zip(types) {
            let value = self.kernel.values.get(*id);
            let value = value.ok_or_else(|| format!("value {id:?} does not exist"))?;
            check(value.ty == *ty, || {
                format!("a result is {} instead of {ty}", value.ty)
            })?;
        }
        Ok(())
    }

    fn pure(&mut self, kind: &'p OpKind, op: &'p Op) -> Check {
        let [result] = op.results[..] else {
            return Err(format!("a pure operation has {} results", op.results.len()));
        };
        let value = self.kernel.values.get(result);
        let ty = value
            .ok_or_else(|| format!("value {result:?} does not exist"))?
            .ty;
        match kind {
            OpKind::Const(value) => {
                self.constants[result.index()] = Some(value);
                check_const(ty, value)
            }
            OpKind::Unary { op, arg } => {
                self.has_type(*arg, ty, op.name())?;
                check(unary_accepts(*op, ty), || format!("{} of {ty}", op.name()))
            }
            OpKind::Binary { op, lhs, rhs } => {
                self.has_type(*lhs, ty, op.name())?;
                check(binary_accepts(*op, ty), || format!("{} of {ty}", op.name()))?;
                if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    let amount = self.ty(*rhs)?;
                    return check(!amount.is_float(), || "a shift by a float".to_owned());
                }
                self.has_type(*rhs, ty, op.name())
            }
            OpKind::Compare { op, lhs, rhs } => {
                let common = self.ty(*lhs)?;
                self.has_type(*rhs, common, op.name())?;
                let float_only = *op >= CompareOp::Ueq;
                check(common.is_float() || !float_only, || {
                    format!("{} of {common}", op.name())
                })?;
                check(ty == Scalar::BOOL, || format!("a comparison gives {ty}"))
            }
            OpKind::Fma { lhs, rhs, add } => {
                check(ty.is_float(), || format!("fma of {ty}"))?;
                [lhs, rhs, add]
                    .iter()
                    .try_for_each(|id| self.has_type(**id, ty, "fma"))
            }
            OpKind::Cast { arg } => self.ty(*arg).map(|_| ()),
            OpKind::Bitcast { arg } => {
                let from = self.ty(*arg)?;
                check(from.width() == ty.width(), || {
                    format!("a bitcast of {from} to {ty}")
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
                check(ty == Scalar::BOOL, || format!("a bit of type {ty}"))
            }
            OpKind::BitSet { arg, lo, bits } => {
                self.bits(*arg, *lo)?;
                self.has_type(*arg, ty, "bit_set")?;
                let bits = self.ty(*bits)?;
                let unsigned = matches!(bits, Scalar::Int { signed: false, .. });
                check(unsigned, || format!("bits of type {bits}"))
            }
            OpKind::BitSlice { arg, lo } => {
                self.bits(*arg, *lo)?;
                let unsigned = matches!(ty, Scalar::Int { signed: false, .. });
                check(unsigned, || format!("a bit range of type {ty}"))
            }
            OpKind::Load { array, indices } => {
                self.indices(*array, indices)?;
                let elem = self.array_of(*array)?.elem;
                check(ty == elem, || format!("a load of {elem} gives {ty}"))
            }
            _ => Err("an operation with effects among the pure ones".to_owned()),
        }
    }

    fn bits(&self, arg: ValueId, index: ValueId) -> Check {
        let ty = self.ty(arg)?;
        check(matches!(ty, Scalar::Int { .. }), || format!("bits of {ty}"))?;
        self.has_type(index, Scalar::Index, "a bit index")
    }

    /// The types of a loop's carried values, after checking the initial ones.
    fn carried(&self, params: &[ValueId], inits: &[ValueId]) -> Result<Vec<Scalar>, String> {
        check(params.len() == inits.len(), || {
            format!(
                "{} carried values with {} initial ones",
                params.len(),
                inits.len()
            )
        })?;
        let types: Vec<Scalar> = params
            .iter()
            .map(|id| self.kernel.values.get(*id).map(|v| v.ty))
            .collect::<Option<_>>()
            .ok_or("a carried value does not exist")?;
        for (id, ty) in inits.iter().zip(&types) {
            self.has_type(*id, *ty, "an initial value")?;
        }
        Ok(types)
    }

    fn for_loop(&mut self, f: &'p For, op: &Op) -> Check {
        for id in [f.lo, f.hi, f.step, f.iv] {
            let found = self.kernel.values.get(id).map(|v| v.ty);
            check(found == Some(Scalar::Index), || {
                "a bound of a loop is no index".to_owned()
            })?;
        }
        let negative = matches!(&self.constants[f.step.index()], Some(Const::Int(v)) if v.sign() == num_bigint::Sign::Minus);
        check(negative || !f.descending, || {
            "a loop descends without a negative constant step".to_owned()
        })?;
        let types = self.carried(&f.carried, &f.inits)?;
        let params: Vec<ValueId> = [f.iv]
            .into_iter()
            .chain(f.carried.iter().copied())
            .collect();
        self.block(&f.body, &params, &types, "a for body")?;
        self.results(op, &types)
    }

    fn while_loop(&mut self, w: &'p While, op: &Op) -> Check {
        let types = self.carried(&w.carried, &w.inits)?;
        self.then(
            &w.cond,
            &w.carried,
            &[Scalar::BOOL],
            "a condition",
            |inner| inner.block(&w.body, &[], &types, "a while body"),
        )?;
        self.results(op, &types)
    }

    fn branch(&mut self, i: &'p If, op: &Op) -> Check {
        self.has_type(i.cond, Scalar::BOOL, "a condition")?;
        let types: Vec<Scalar> = op
            .results
            .iter()
            .map(|id| self.kernel.values.get(*id).map(|v| v.ty))
            .collect::<Option<_>>()
            .ok_or("a result does not exist")?;
        self.block(&i.then, &[], &types, "a branch")?;
        self.block(&i.otherwise, &[], &types, "a branch")
    }

    fn call(&mut self, call: &Call, op: &Op) -> Check {
        let callee = self.program.kernels.get(call.kernel);
        let callee = callee.filter(|_| call.kernel < self.id);
        let callee = callee.ok_or("a callee does not come before its caller")?;
        check(call.args.len() == callee.params.len(), || {
            format!(
                "a call of '{}' with {} arguments",
                callee.name,
                call.args.len()
            )
        })?;
        for (arg, param) in call.args.iter().zip(&callee.params) {
            match (arg, param) {
                (Arg::Scalar(id), Param::Scalar(p)) => {
                    self.has_type(*id, callee.values[*p].ty, "an argument")?;
                }
                (Arg::Array(id), Param::Array(p)) => self.same_array(*id, &callee.arrays[*p])?,
                _ => return Err("an argument of the wrong kind".to_owned()),
            }
        }
        let mut scalars = Vec::new();
        let mut arrays = call.result_arrays.iter();
        for slot in &callee.results {
            match slot {
                ResultSlot::Scalar(ty) => scalars.push(*ty),
                ResultSlot::Array(result) => {
                    let id = arrays.next().ok_or("a result array is missing")?;
                    self.same_array(*id, &callee.arrays[*result])?;
                    self.writable(*id)?;
                }
            }
        }
        check(arrays.next().is_none(), || {
            "too many result arrays".to_owned()
        })?;
        self.results(op, &scalars)
    }

    fn same_array(&self, id: ArrayId, expected: &Array) -> Check {
        let array = self.array_of(id)?;
        check(
            array.elem == expected.elem && array.shape == expected.shape,
            || {
                format!(
                    "'{}' is passed for '{}' of another type",
                    array.name, expected.name
                )
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
        validate(program).unwrap_err()
    }

    #[test]
    fn broken_programs_are_found() {
        assert_eq!(validate(&sum()), Ok(()));
        let mut p = sum();
        loop_of(&mut p).body.yields.clear();
        assert!(error(&p).contains("yields 0 values instead of 1"));
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
        assert!(error(&p).contains("1 indices for 'x' of rank 2"));
    }
}
