//! Floating-point operations of the kernel: calls of operator modules, or inlined where they are a few gates.

use super::{Lowering, hw_type, scalar, unit_graph};
use crate::hwarith::HwType;
use crate::hwarith::eval::eval;
use crate::hwarith::graph::{Graph, NodeId, Op as HwOp};
use crate::ir::{BinaryOp, CompareOp, Conversion, FloatFormat, Rounding, Scalar, UnaryOp, ValueId};
use crate::machine::program::Unit;
use crate::units::float::elementary;
use crate::units::float::{self, Kind, OPERATORS};
use num_bigint::BigInt;
use num_traits::One;

/// `e8f23`: the part of a module name that says the format.
pub(super) fn tag(format: FloatFormat) -> String {
    format!("e{}f{}", format.exp, format.frac)
}

/// The name of the operator module of that name for a format.
fn module_name(name: &str, format: FloatFormat) -> String {
    format!("{name}_{}", tag(format))
}

/// The module that adds floats of a format.
pub fn float_adder(format: FloatFormat) -> Unit {
    let name = module_name("fadd", format);
    let (graph, _) = &*unit_graph(&name, || float::add(format));
    Unit::new(&name, graph.clone(), format.width())
}

/// Nodes that may be evaluated for constants of one kernel: some tenths of a second.
const EVALUATED: usize = 1 << 22;

/// Operators that take so many cycles that what waits for them may have a faster one.
const LONG: [&str; 2] = ["fdiv", "fsqrt"];

impl Lowering<'_> {
    fn call(
        &mut self,
        name: &str,
        args: Vec<NodeId>,
        ty: HwType,
        make: impl Fn() -> Graph,
    ) -> NodeId {
        let builder = self.b();
        let values = args.iter().map(|&arg| builder.as_const(arg).cloned());
        if let Some(values) = values.collect::<Option<Vec<BigInt>>>()
            && self.evaluated < EVALUATED
        {
            let (graph, _) = &*unit_graph(name, &make);
            self.evaluated += work(graph);
            let value = result(graph, values);
            return self.b().constant(ty.wrap(&value));
        }
        let unit = self.unit(name, ty.width, make);
        self.b().call(HwOp::Call(unit), args, ty)
    }

    pub(super) fn float_binary(
        &mut self,
        op: BinaryOp,
        lhs: ValueId,
        rhs: ValueId,
        format: FloatFormat,
    ) -> Option<NodeId> {
        let (a, b) = (self.node(lhs), self.node(rhs));
        let unit = |this: &mut Self, name: &str, args, make: fn(FloatFormat) -> Graph| {
            this.float_unit(name, args, format, make)
        };
        Some(match op {
            BinaryOp::Add => self.float_sum(a, b, format),
            BinaryOp::Sub => {
                let b = self.float_sign(UnaryOp::Neg, b, format);
                self.float_sum(a, b, format)
            }
            BinaryOp::Mul => {
                let product = self.float_flushable("fmul", [a, b], format, float::mul);
                if let HwOp::Call(unit) = self.b().graph.nodes[product].op {
                    self.multipliers.insert(unit, format);
                    self.program.units[unit].commutes = true;
                }
                product
            }
            BinaryOp::Div => self.float_flushable("fdiv", [a, b], format, float::div),
            BinaryOp::FloorDiv => {
                let quotient = unit(self, "fdiv", vec![a, b], float::div);
                unit(self, "ffloor", vec![quotient], |f| {
                    float::to_integral(f, Rounding::Down)
                })
            }
            BinaryOp::Mod => unit(self, "fmod", vec![a, b], float::modulo),
            BinaryOp::Min | BinaryOp::Max | BinaryOp::MinNan | BinaryOp::MaxNan => {
                self.b().inline(&float::min_max(format, op), &[a, b])[0]
            }
            _ => return self.float_function(Kind::Binary(op), vec![a, b], format),
        })
    }

    /// A call of an elementary function's module; `None` if there is none of the format.
    fn float_function(
        &mut self,
        kind: Kind,
        args: Vec<NodeId>,
        format: FloatFormat,
    ) -> Option<NodeId> {
        let function = elementary::of(kind, format)?;
        Some(self.float_unit(function.name, args, format, function.make))
    }

    fn float_sum(&mut self, a: NodeId, b: NodeId, format: FloatFormat) -> NodeId {
        let sum = self.float_unit("fadd", vec![a, b], format, float::add);
        if let HwOp::Call(unit) = self.b().graph.nodes[sum].op {
            self.adders.insert(unit, format);
            self.program.units[unit].commutes = true;
        }
        sum
    }

    /// An operator of which there is also a module that flushes subnormals.
    fn float_flushable(
        &mut self,
        name: &'static str,
        args: [NodeId; 2],
        format: FloatFormat,
        make: fn(FloatFormat) -> Graph,
    ) -> NodeId {
        let result = self.float_unit(name, args.to_vec(), format, make);
        if let HwOp::Call(unit) = self.b().graph.nodes[result].op {
            self.flushable.insert(unit, name);
        }
        result
    }

    /// The number, or a zero in place of a subnormal one. If it is an operation on flushed operands, a module takes
    /// over that does all the flushing itself.
    fn float_flush(&mut self, a: NodeId, format: FloatFormat) -> NodeId {
        let Some(leaf) = self.open else {
            return a;
        };
        let node = self.b().graph.nodes[a].clone();
        let name = match node.op {
            HwOp::Call(unit) => self.flushable.get(&unit).copied(),
            _ => None,
        };
        let sources = node
            .args
            .iter()
            .map(|&arg| self.flushed.get(&(leaf, arg)).copied());
        let sources: Option<Vec<NodeId>> = sources.collect();
        let make: fn(FloatFormat) -> Graph = match name {
            Some("fmul") => float::mul_flushing,
            _ => float::div_flushing,
        };
        let (source, result) = match (name, sources) {
            (Some(name), Some(sources)) => {
                let result = self.float_unit(&format!("{name}_ftz"), sources, format, make);
                (result, result)
            }
            _ => (a, self.b().inline(&float::flush(format), &[a])[0]),
        };
        self.flushed.insert((leaf, result), source);
        result
    }

    /// A call of the operator module of that name and format; its result is a float of the format too.
    fn float_unit(
        &mut self,
        name: &str,
        args: Vec<NodeId>,
        format: FloatFormat,
        make: fn(FloatFormat) -> Graph,
    ) -> NodeId {
        let module = module_name(name, format);
        let result = self.call(&module, args, HwType::ui(format.width()), || make(format));
        if let HwOp::Call(unit) = self.b().graph.nodes[result].op {
            let long = LONG.into_iter().find(|&long| long == name);
            self.long.extend(long.map(|name| (unit, (name, format))));
        }
        result
    }

    /// `lhs * rhs + add`, rounded once.
    pub(super) fn float_fma(&mut self, operands: [ValueId; 3], format: FloatFormat) -> NodeId {
        let args = operands.map(|operand| self.node(operand)).to_vec();
        self.float_unit("fma", args, format, float::fma)
    }

    /// Rounding to an integral value, or a function; `None` for functions without hardware.
    pub(super) fn float_unary(
        &mut self,
        op: UnaryOp,
        a: NodeId,
        format: FloatFormat,
    ) -> Option<NodeId> {
        match op {
            UnaryOp::Neg | UnaryOp::Abs => return Some(self.float_sign(op, a, format)),
            UnaryOp::Flush => return Some(self.float_flush(a, format)),
            _ => {}
        }
        match OPERATORS.iter().find(|row| row.kind == Kind::Unary(op)) {
            Some(row) => Some(self.float_unit(row.name, vec![a], format, row.make)),
            None => self.float_function(Kind::Unary(op), vec![a], format),
        }
    }

    /// Negation or absolute value: only the sign bit changes.
    fn float_sign(&mut self, op: UnaryOp, a: NodeId, format: FloatFormat) -> NodeId {
        let sign = BigInt::one() << (format.width() - 1);
        match op {
            UnaryOp::Neg => {
                let mask = self.b().constant(sign);
                self.b().xor(a, mask)
            }
            _ => {
                let mask = self.b().constant(sign - 1);
                self.b().and(a, mask)
            }
        }
    }

    pub(super) fn float_compare(
        &mut self,
        op: CompareOp,
        lhs: ValueId,
        rhs: ValueId,
        format: FloatFormat,
    ) -> NodeId {
        let (a, b) = (self.node(lhs), self.node(rhs));
        self.b().inline(&float::compare(format, op), &[a, b])[0]
    }

    /// A conversion of which one type is a float. Integers arrive as narrow as their range, and are converted as such.
    pub(super) fn float_conversion(
        &mut self,
        a: NodeId,
        from: Scalar,
        to: Scalar,
        how: Conversion,
    ) -> NodeId {
        let from = match from {
            Scalar::Float(_) | Scalar::Storage(_) => from,
            _ => scalar(self.b().ty(a)),
        };
        let make = || float::conversion(from, to, how);
        // A module for each width of constants would be one for each constant.
        if let Some(value) = self.b().as_const(a).cloned() {
            let value = result(&make(), vec![value]);
            return self.b().constant(hw_type(to).wrap(&value));
        }
        let name = format!(
            "{}_{}_{}{}",
            cast_kind(from, to),
            cast_tag(from),
            cast_tag(to),
            float::conversion_tag(from, to, how)
        );
        self.call(&name, vec![a], hw_type(to), make)
    }
}

/// Nodes that are evaluated for one result of an operator module.
fn work(graph: &Graph) -> usize {
    let nodes = graph.nodes.values().map(|node| match node.op {
        HwOp::Iterate { step, count } => graph.steps[step as usize].nodes.len() * count as usize,
        _ => 1,
    });
    nodes.sum()
}

/// What an operator module gives for its operands, which are adjusted to the types of its inputs.
fn result(graph: &Graph, mut operands: Vec<BigInt>) -> BigInt {
    for node in graph.nodes.values() {
        if let HwOp::Input(i) = node.op {
            operands[i as usize] = node.ty.wrap(&operands[i as usize]);
        }
    }
    eval(graph, &operands).swap_remove(0)
}

fn is_any_float(ty: Scalar) -> bool {
    matches!(ty, Scalar::Float(_) | Scalar::Storage(_))
}

/// The first part of the module name of a conversion.
fn cast_kind(from: Scalar, to: Scalar) -> &'static str {
    match (is_any_float(from), is_any_float(to)) {
        (true, true) => "fcvt",
        (true, false) => "f2i",
        _ => "i2f",
    }
}

/// The part of a module name that says a type.
fn cast_tag(ty: Scalar) -> String {
    match ty {
        Scalar::Float(format) => tag(format),
        Scalar::Storage(format) => format.name().to_string(),
        _ => hw_type(ty).to_string(),
    }
}
