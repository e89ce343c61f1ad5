//! Integer division, powers and shifts of the kernel: operator modules, or operations in place where a constant operand
//! makes them small.

use super::{Lowering, hw_type};
use crate::arena::Table;
use crate::diagnostics::Diagnostics;
use crate::hwarith::equal::{self, Difference};
use crate::hwarith::graph::{NodeId, Op as HwOp, Predicate, UnitId};
use crate::hwarith::interval::Interval;
use crate::hwarith::{Graph, HwType};
use crate::ir::{BinaryOp, Scalar};
use crate::machine::program::{Program, Unit};
use crate::units::integer_division::{Division, Field};
use crate::units::{power, reciprocal};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// The modules of divisions, each made for all results until it is known which ones are read.
#[derive(Default)]
pub(super) struct Divisions(Vec<(Division, UnitId)>);

/// The result that an operation asks for.
fn field(op: BinaryOp) -> Option<Field> {
    match op {
        BinaryOp::Div => Some(Field::Quotient),
        BinaryOp::FloorDiv => Some(Field::Floor),
        BinaryOp::Mod => Some(Field::Remainder),
        _ => None,
    }
}

impl Lowering<'_> {
    /// The value of an integer operation before it is cast to the type; `None` for operations that integers lack.
    pub(super) fn integer_binary(
        &mut self,
        op: BinaryOp,
        a: NodeId,
        b: NodeId,
        ty: Scalar,
    ) -> Option<NodeId> {
        let ty = hw_type(ty);
        if let Some(field) = field(op) {
            return Some(self.divide(field, a, b, ty));
        }
        Some(match op {
            BinaryOp::Add => self.b().add(a, b),
            BinaryOp::Sub => self.b().sub(a, b),
            BinaryOp::Mul => self.b().mul(a, b),
            BinaryOp::And => self.b().and(a, b),
            BinaryOp::Or => self.b().or(a, b),
            BinaryOp::Xor => self.b().xor(a, b),
            BinaryOp::Min => self.extremum(Predicate::Lt, a, b),
            BinaryOp::Max => self.extremum(Predicate::Gt, a, b),
            BinaryOp::Shl => self.shift_left(a, b, ty),
            BinaryOp::Shr => self.shift_right(a, b, ty),
            BinaryOp::Pow => self.power(a, b, ty),
            _ => return None,
        })
    }

    fn extremum(&mut self, predicate: Predicate, a: NodeId, b: NodeId) -> NodeId {
        let first = self.b().icmp(predicate, a, b);
        self.b().mux(first, a, b)
    }

    // ----- division -----

    pub(super) fn divide(&mut self, field: Field, a: NodeId, b: NodeId, ty: HwType) -> NodeId {
        let divisor = self.b().range(b).as_point().cloned();
        match divisor {
            Some(zero) if zero.is_zero() => match field {
                Field::Remainder => a,
                _ => self.b().constant(ty.wrap(&BigInt::from(-1))),
            },
            Some(divisor) => match reciprocal::divide(self.b(), a, &divisor, field) {
                Some(node) => node,
                None => self.call_division(field, a, b, ty),
            },
            None => self.call_division(field, a, b, ty),
        }
    }

    fn call_division(&mut self, field: Field, a: NodeId, b: NodeId, ty: HwType) -> NodeId {
        let builder = self.b();
        let division = Division::new(builder.range(a), builder.range(b), ty);
        let field = match field {
            Field::Floor if division.is_unsigned() => Field::Quotient,
            other => other,
        };
        let layout = division.layout(&Field::ALL);
        let (_, lo, width) = layout[field as usize];
        let whole = HwType::ui(layout.iter().map(|l| l.2).sum());
        let range = division.range(field).clone();
        if let Some(only) = range.as_point() {
            return self.b().constant(only.clone());
        }
        let unit = self.division_unit(division, whole.width);
        let args = vec![self.b().narrowed(a), self.b().narrowed(b)];
        let call = self.b().call(HwOp::Call(unit), args, whole);
        self.b().field(call, lo, width, range)
    }

    fn division_unit(&mut self, division: Division, width: u32) -> UnitId {
        let known = self.divisions.0.iter().find(|(d, _)| *d == division);
        if let Some((_, unit)) = known {
            return *unit;
        }
        let module = division_unit(&division, &Field::ALL, width, self.warnings);
        let unit = place(&mut self.program.units, module);
        self.divisions.0.push((division, unit));
        unit
    }

    // ----- powers -----

    /// `base ** exponent` modulo 2^width: a negative exponent truncates the reciprocal toward zero.
    fn power(&mut self, base: NodeId, exponent: NodeId, ty: HwType) -> NodeId {
        if let Some(constant) = self.b().range(base).as_point().cloned()
            && let Some(node) = self.power_of_constant(&constant, exponent, ty)
        {
            return node;
        }
        let range = self.b().range(exponent).clone();
        if range.hi.is_negative() {
            return self.power_of_negative(base, exponent);
        }
        let positive = self.power_of_positive(base, exponent, ty);
        if !range.lo.is_negative() {
            return positive;
        }
        let zero = self.b().constant(0);
        let is_negative = self.b().icmp(Predicate::Lt, exponent, zero);
        let reciprocal = self.power_of_negative(base, exponent);
        self.b().mux(is_negative, reciprocal, positive)
    }

    /// 1 for a base of 1, 1 or -1 for a base of -1 by the exponent's lowest bit, else 0.
    fn power_of_negative(&mut self, base: NodeId, exponent: NodeId) -> NodeId {
        let b = self.b();
        let (zero, one, minus_one) = (b.constant(0), b.constant(1), b.constant(-1));
        let odd = b.extract(exponent, 0, 1);
        let is_one = b.icmp(Predicate::Eq, base, one);
        let is_minus_one = b.icmp(Predicate::Eq, base, minus_one);
        let sign = b.mux(odd, minus_one, one);
        let other = b.mux(is_minus_one, sign, zero);
        b.mux(is_one, one, other)
    }

    /// The power for an exponent that is not negative, any value for another.
    fn power_of_positive(&mut self, base: NodeId, exponent: NodeId, ty: HwType) -> NodeId {
        if let Some(constant) = self.b().range(exponent).as_point().cloned()
            && let Some(node) = power::by_constant(self.b(), base, &constant, ty)
        {
            return node;
        }
        let most = self.b().range(exponent).hi.clone();
        let bits = (most.bits() as u32).max(1);
        let word = HwType::ui(ty.width);
        let base = self.b().cast(base, word);
        let exponent = self.b().cast(exponent, HwType::ui(bits));
        let name = format!("pow_ui{}_ui{bits}", ty.width);
        let unit = self.unit(&name, ty.width, || power::unit(ty.width, bits));
        let args = vec![self.b().narrowed(base), self.b().narrowed(exponent)];
        let power = self.b().call(HwOp::Call(unit), args, word);
        self.b().cast(power, ty)
    }

    /// Powers of 0, 1, -1, and of two and its powers, for exponents of either sign.
    fn power_of_constant(&mut self, base: &BigInt, exponent: NodeId, ty: HwType) -> Option<NodeId> {
        let zero = self.b().constant(0);
        let one = self.b().constant(1);
        if base.is_zero() {
            return Some(self.b().icmp(Predicate::Eq, exponent, zero));
        }
        let magnitude = base.abs();
        let k = magnitude.bits() as u32 - 1;
        if magnitude != BigInt::one() << k {
            return None;
        }
        let factor = self.b().constant(k);
        let amount = self.b().mul(exponent, factor);
        let shifted = self.shift_left(one, amount, HwType::ui(ty.width));
        if !base.is_negative() {
            return Some(shifted);
        }
        let odd = self.b().extract(exponent, 0, 1);
        let negated = self.b().sub(zero, shifted);
        Some(self.b().mux(odd, negated, shifted))
    }

    // ----- shifts -----

    /// The low bits of an amount that can move something within `width` bits and, where the amount can have others, whether
    /// one of them is set: it is negative or too large.
    fn shift_amount(&mut self, amount: NodeId, width: u32) -> (NodeId, Option<NodeId>) {
        let bits = u32::BITS - (width.max(2) - 1).leading_zeros();
        let b = self.b();
        if b.range(amount).fits(HwType::ui(bits)) {
            return (b.narrowed(amount), None);
        }
        let low = b.extract(amount, 0, bits);
        let from = b.constant(bits);
        let high = b.shr(amount, from);
        let zero = b.constant(0);
        (low, Some(b.icmp(Predicate::Ne, high, zero)))
    }

    /// `value << amount` in `ty`; 0 for an amount that is negative or not below the width.
    pub(super) fn shift_left(&mut self, value: NodeId, amount: NodeId, ty: HwType) -> NodeId {
        let (low, outside) = self.shift_amount(amount, ty.width);
        // From the width on, the shift itself gives 0.
        let shifted = self.b().shl(value, low, ty);
        let Some(outside) = outside else {
            return shifted;
        };
        let zero = self.b().constant(0);
        self.b().mux(outside, zero, shifted)
    }

    /// `value >> amount`, of a value of type `ty`; for an amount that is negative or not below the width 0, or the sign of a
    /// signed value.
    pub(super) fn shift_right(&mut self, value: NodeId, amount: NodeId, ty: HwType) -> NodeId {
        let (low, outside) = self.shift_amount(amount, ty.width);
        // From the value's own width on, the shift itself gives the sign.
        let shifted = self.b().shr(value, low);
        let Some(outside) = outside else {
            return shifted;
        };
        let fill = if ty.signed {
            let most = self.b().constant(ty.width - 1);
            self.b().shr(value, most)
        } else {
            self.b().constant(0)
        };
        self.b().mux(outside, fill, shifted)
    }
}

fn division_unit(
    division: &Division,
    fields: &[Field],
    width: u32,
    warnings: &mut Diagnostics,
) -> Unit {
    let graph = equal::rebuilt(division.graph(fields), warnings);
    Unit::new(&division.name(fields), graph, width)
}

/// A result that a module of fewer results has otherwise.
fn special_difference(
    division: &Division,
    general: &Unit,
    special: &Unit,
    fields: &[Field],
) -> Option<Difference> {
    let (all, few) = (division.layout(&Field::ALL), division.layout(fields));
    let (mut before, mut after) = (general.graph.clone(), special.graph.clone());
    for &(field, to, width) in &few {
        let (_, from, _) = all[field as usize];
        let was = before.extract(before.outputs[0], from, width);
        let is = after.extract(after.outputs[0], to, width);
        let [was, is] = [
            where_defined(division, &mut before, was),
            where_defined(division, &mut after, is),
        ];
        before.outputs.push(was);
        after.outputs.push(is);
    }
    before.outputs.remove(0);
    after.outputs.remove(0);
    equal::output_difference(&before, &after)
}

/// A result, but 0 where an operand is outside of what it is within: modules need not agree on it.
fn where_defined(division: &Division, graph: &mut Graph, result: NodeId) -> NodeId {
    let mut defined = result;
    for (number, within) in (0..).zip(division.operands()) {
        let is_it = |id: &NodeId| graph.nodes[*id].op == HwOp::Input(number);
        let Some(operand) = graph.nodes.ids().find(is_it) else {
            continue;
        };
        let all = Interval::of_type(graph.nodes[operand].ty);
        let mut leave_out = |is_needed: bool, predicate, bound: &BigInt| {
            if is_needed {
                let (bound, zero) = (graph.constant(bound.clone()), graph.constant(0));
                let outside = graph.icmp(predicate, operand, bound);
                defined = graph.mux(outside, zero, defined);
            }
        };
        leave_out(all.lo < within.lo, Predicate::Lt, &within.lo);
        leave_out(all.hi > within.hi, Predicate::Gt, &within.hi);
    }
    defined
}

/// Gives each division the module for just the results that are read of it.
pub(super) fn specialise(program: &mut Program, divisions: &Divisions, warnings: &mut Diagnostics) {
    let Program { leaves, units, .. } = program;
    for (division, general) in &divisions.0 {
        let layout = division.layout(&Field::ALL);
        let mut made: Vec<(Vec<Field>, Option<UnitId>)> = Vec::new();
        let whole = units[*general].clone();
        for leaf in leaves.values_mut() {
            let graph = &mut leaf.graph;
            for (call, reads) in calls(graph, *general, &layout) {
                let mut fields: Vec<Field> = reads.iter().map(|r| layout[r.1].0).collect();
                fields.sort();
                fields.dedup();
                let places = division.layout(&fields);
                let width = places.iter().map(|p| p.2).sum();
                let known = made.iter().find(|(f, _)| *f == fields).map(|m| m.1);
                let unit = known.unwrap_or_else(|| {
                    let module = division_unit(division, &fields, width, warnings);
                    let difference = special_difference(division, &whole, &module, &fields);
                    let module =
                        equal::kept("specialise", None, Some(module), difference, warnings);
                    let id = module.map(|module| place(units, module));
                    made.push((fields.clone(), id));
                    id
                });
                let Some(unit) = unit else { continue };
                graph.nodes[call].op = HwOp::Call(unit);
                graph.nodes[call].ty = HwType::ui(width);
                for (read, old) in reads {
                    let (field, from, _) = layout[old];
                    let to = places.iter().find(|p| p.0 == field).map_or(0, |p| p.1);
                    if let HwOp::Extract { lo } = &mut graph.nodes[read].op {
                        *lo = *lo - from + to;
                    }
                }
            }
        }
    }
}

/// Calls of a module with the extractions from their results, each with the place in the layout that it reads. Calls that are
/// read in another way are left out.
fn calls(
    graph: &Graph,
    unit: UnitId,
    layout: &[(Field, u32, u32)],
) -> Vec<(NodeId, Vec<(NodeId, usize)>)> {
    let mut calls: BTreeMap<NodeId, Option<Vec<(NodeId, usize)>>> = BTreeMap::new();
    for (id, node) in graph.nodes.iter() {
        if node.op == HwOp::Call(unit) {
            calls.insert(id, Some(Vec::new()));
        }
        for arg in &node.args {
            let Some(reads) = calls.get_mut(arg) else {
                continue;
            };
            let place = match node.op {
                HwOp::Extract { lo } => layout
                    .iter()
                    .position(|&(_, from, width)| from <= lo && lo + node.ty.width <= from + width),
                _ => None,
            };
            match (place, reads.as_mut()) {
                (Some(place), Some(reads)) => reads.push((id, place)),
                _ => *reads = None,
            }
        }
    }
    let read = |(call, reads): (NodeId, Option<Vec<_>>)| Some((call, reads?));
    calls.into_iter().filter_map(read).collect()
}

/// Adds a module, under a name of its own.
fn place(units: &mut Table<UnitId, Unit>, mut module: Unit) -> UnitId {
    let name = module.name.clone();
    let mut number = 1;
    while units.values().any(|unit| unit.name == module.name) {
        number += 1;
        module.name = format!("{name}_{number}");
    }
    units.push(module)
}
