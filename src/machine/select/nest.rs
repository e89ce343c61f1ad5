//! Loops: which nests flatten into one pipeline, and their counters, guards and carried values.
//!
//! In a flattened nest every iteration of the pipeline is one iteration of the innermost loop. Code before
//! an inner loop takes effect when the inner counters are all at their first value, code after it when
//! they are all at their last. A scalar carried by an inner loop starts from its initial value there.

use super::Lowering;
use super::affine::Counter;

use crate::hwarith::HwType;
use crate::hwarith::graph::{NodeId, Op as HwOp, Predicate, VarId};
use crate::hwarith::interval::Interval;
use crate::ir::{ArrayId, Block, For, Op, OpKind, ValueId, While};
use crate::machine::program::{Loop, LoopDim, Pin, Region};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::HashMap;

/// How a counted loop is realised.
pub enum Plan<'f> {
    /// No iteration.
    Never,
    /// One pipeline over these loops, outermost first.
    Pipeline(Vec<(&'f For, &'f Op)>),
    /// A sequential region around its body.
    Sequential,
}

/// Bounds and number of iterations known at compile time.
pub struct Trip {
    lo: BigInt,
    step: BigInt,
    /// Iterations.
    pub count: BigInt,
}

impl Trip {
    fn last(&self) -> BigInt {
        &self.lo + &self.step * (&self.count - 1)
    }
    /// Values of the induction variable; of at least one iteration.
    pub fn range(&self) -> Interval {
        let last = self.last().max(self.lo.clone());
        let first = self.last().min(self.lo.clone());
        Interval::new(first, last)
    }
}

/// Iterations of a loop with constant bounds.
pub fn constant_trip(lowering: &Lowering, f: &For) -> Option<Trip> {
    let lo = lowering.constant_of(f.lo)?;
    let hi = lowering.constant_of(f.hi)?;
    let step = lowering.constant_of(f.step)?;
    let span = if f.descending { &lo - hi } else { hi - &lo };
    let runs = f.descending || step.is_positive();
    let count = if runs && span.is_positive() {
        span.div_ceil(&step.abs())
    } else {
        BigInt::zero()
    };
    Some(Trip { lo, step, count })
}

/// Decides how to realise a counted loop.
pub fn plan<'f>(lowering: &Lowering, f: &'f For, op: &'f Op) -> Plan<'f> {
    let trip = constant_trip(lowering, f);
    if trip.as_ref().is_some_and(|t| t.count.is_zero()) {
        return Plan::Never;
    }
    if !f.body.ops.iter().any(Op::contains_loop) {
        return Plan::Pipeline(vec![(f, op)]);
    }
    let mut dims = vec![(f, op)];
    loop {
        let (outer, _) = dims[dims.len() - 1];
        if constant_trip(lowering, outer).is_none_or(|t| t.count.is_zero()) {
            return Plan::Sequential;
        }
        let mut loops = outer.body.ops.iter().filter(|o| o.contains_loop());
        match (loops.next(), loops.next()) {
            (None, _) => return Plan::Pipeline(dims),
            (
                Some(
                    inner @ Op {
                        kind: OpKind::For(f),
                        ..
                    },
                ),
                None,
            ) => dims.push((f, inner)),
            _ => return Plan::Sequential,
        }
    }
}

/// Counter of one dimension, in the open leaf.
struct Dim<'f> {
    f: &'f For,
    op: &'f Op,
    iv: NodeId,
    first: NodeId,
    last: NodeId,
    step: NodeId,
    lo: NodeId,
}

/// The counters of a nest and the guards of each level: all inner counters first, all inner counters last.
struct Nest<'f> {
    dims: Vec<Dim<'f>>,
    inner_first: Vec<NodeId>,
    inner_last: Vec<NodeId>,
    stored: Vec<ArrayId>,
    phis: Vec<(NodeId, VarId)>,
    /// Carried values that an outer level does nothing with but hand them to the loop inside.
    passed: HashMap<ValueId, Origin>,
}

/// Where a carried value starts.
struct Origin {
    level: usize,
    /// Its value there before the first iteration.
    init: NodeId,
    /// What the outermost loop calls it in the end.
    result: Option<ValueId>,
}

/// A carried value of a level.
struct Carried {
    phi: NodeId,
    /// Its value in this iteration.
    current: NodeId,
    /// The level that starts it.
    origin: usize,
    /// The constant that it starts from in each run of an inner loop.
    restart: Option<NodeId>,
}

impl Lowering<'_> {
    /// Whether an induction variable's value still lies before the bound.
    pub(super) fn in_range(&mut self, iv: NodeId, f: &For) -> NodeId {
        let bound = self.node(f.hi);
        if f.descending {
            return self.b().icmp(Predicate::Gt, iv, bound);
        }
        let step = self.node(f.step);
        let zero = self.b().constant(0);
        let forward = self.b().icmp(Predicate::Gt, step, zero);
        let below = self.b().icmp(Predicate::Lt, iv, bound);
        self.b().and(forward, below)
    }

    /// A phi of the open leaf with its register; the next value is set later.
    fn phi(&mut self, name: &str, init: NodeId, ty: HwType) -> (NodeId, VarId) {
        let node = self.b().opaque(HwOp::Phi, vec![init, init], ty);
        self.b().graph.name(node, name);
        let var = self.var(name, ty, false);
        (node, var)
    }

    /// Lowers a nest as one pipelined loop.
    pub(super) fn pipelined_nest(&mut self, dims: &[(&For, &Op)], regions: &mut Vec<Region>) {
        let (outer, op) = dims[0];
        let constant = constant_trip(self, outer).is_some();
        // Bounds and initial values come from before the loop.
        let mut enter = None;
        if !constant {
            self.block_leaf(regions, op.span, "bounds");
            let lo = self.node(outer.lo);
            let more = self.in_range(lo, outer);
            match self.b().as_const(more).map(|c| c.is_zero()) {
                Some(true) => {
                    for (&result, &init) in op.results.iter().zip(&outer.inits) {
                        self.alias(result, init);
                    }
                    return;
                }
                Some(false) => {}
                None => {
                    let leaf = self.open.expect("the bounds' block is open");
                    enter = Some(self.export(leaf, more, "enter"));
                }
            }
        }
        self.close();
        let labels: Vec<&str> = dims.iter().map(|(f, _)| f.label.as_str()).collect();
        let index = self.open_leaf(&labels.join("_"), op.span);
        regions.push(Region::Leaf(index));
        self.in_loop_leaf = true;
        let mut nest = self.counters(dims);
        self.b().at(Some(op.span));
        self.level(&mut nest, 0);
        let (inner, outermost) = (nest.inner_last[0], nest.dims[0].last);
        let last = self.b().and(inner, outermost);
        let last = self.b().widen(last, HwType::ui(1));
        let dims = dims.iter().map(|(f, o)| LoopDim {
            label: f.label.clone(),
            span: o.span,
            trip: constant_trip(self, f).and_then(|t| t.count.to_u64()),
        });
        let dims = dims.collect();
        self.leaf().repeat = Some(Loop {
            phis: nest.phis,
            last,
            enter,
            dims,
        });
        self.counters.clear();
        self.pins.clear();
        self.in_loop_leaf = false;
        self.close();
    }

    fn counters<'f>(&mut self, dims: &[(&'f For, &'f Op)]) -> Nest<'f> {
        let mut stored = Vec::new();
        collect_stores(&dims[0].0.body, &mut stored);
        let mut nest = Nest {
            dims: Vec::new(),
            inner_first: Vec::new(),
            inner_last: Vec::new(),
            stored,
            phis: Vec::new(),
            passed: HashMap::new(),
        };
        for (i, &(f, op)) in dims.iter().enumerate() {
            let step = self.constant_of(f.step).and_then(|s| s.to_i128());
            let dim = self.counter(f, op, &mut nest.phis);
            nest.dims.push(dim);
            let counter = Counter {
                dim: i,
                lo: f.lo,
                step,
            };
            self.counters.insert(f.iv, counter);
        }
        let one = self.b().constant(1);
        let (mut first, mut last) = (one, one);
        for dim in nest.dims.iter().rev() {
            nest.inner_first.insert(0, first);
            nest.inner_last.insert(0, last);
            first = self.b().and(first, dim.first);
            last = self.b().and(last, dim.last);
        }
        for (m, dim) in nest.dims.iter().enumerate() {
            if self.b().graph.nodes[dim.iv].op != HwOp::Phi {
                continue;
            }
            let up = self.b().add(dim.iv, dim.step);
            // The outermost counter need not wrap; its value after the last iteration is never read.
            let next = if m == 0 {
                up
            } else {
                self.b().mux(dim.last, dim.lo, up)
            };
            let next = self.b().mux(nest.inner_last[m], next, dim.iv);
            self.b().set_next(dim.iv, next);
        }
        nest
    }

    fn counter<'f>(&mut self, f: &'f For, op: &'f Op, phis: &mut Vec<(NodeId, VarId)>) -> Dim<'f> {
        self.b().at(Some(op.span));
        let (lo, step) = (self.node(f.lo), self.node(f.step));
        let (iv, first, last) = match constant_trip(self, f) {
            Some(trip) if trip.count.is_one() => {
                let one = self.b().constant(1);
                (lo, one, one)
            }
            Some(trip) => {
                let range = trip.range();
                let (iv, var) = self.phi(&f.label, lo, range.ty());
                self.b().assume(iv, range);
                phis.push((iv, var));
                let end = self.b().constant(trip.last());
                let first = self.b().icmp(Predicate::Eq, iv, lo);
                let last = self.b().icmp(Predicate::Eq, iv, end);
                (iv, first, last)
            }
            None => {
                let hi = self.node(f.hi);
                let range = self.runtime_range(lo, hi, f.descending);
                let (iv, var) = self.phi(&f.label, lo, range.ty());
                self.b().assume(iv, range);
                phis.push((iv, var));
                let next = self.b().add(iv, step);
                let more = self.in_range(next, f);
                let last = self.b().not1(more);
                (iv, last, last)
            }
        };
        Dim {
            f,
            op,
            iv,
            first,
            last,
            step,
            lo,
        }
    }

    /// Values that an induction variable takes inside the loop.
    fn runtime_range(&mut self, lo: NodeId, hi: NodeId, descending: bool) -> Interval {
        let (lo, hi) = (self.b().range(lo).clone(), self.b().range(hi).clone());
        let (low, high) = if descending {
            (hi.lo + 1, lo.hi)
        } else {
            (lo.lo, hi.hi - 1)
        };
        let high = high.max(low.clone());
        Interval { lo: low, hi: high }
    }

    /// Lowers level `m`. Returns the values that it yields, valid where its counter is last.
    fn level(&mut self, nest: &mut Nest, m: usize) -> Vec<NodeId> {
        let (f, op) = (nest.dims[m].f, nest.dims[m].op);
        let iv = nest.dims[m].iv;
        self.define(f.iv, iv);
        let phis = self.carried(nest, m);
        let (first, last) = (nest.inner_first[m], nest.inner_last[m]);
        let inner = f.body.ops.iter().position(Op::contains_loop);
        let Some(inner) = inner else {
            self.straight_block(&f.body);
            return self.close_level(nest, m, &phis);
        };
        self.predicate = Some(first);
        self.pin(nest, m, Pin::First);
        self.hold = Some((first, nest.stored.clone()));
        f.body.ops[..inner].iter().for_each(|o| self.straight(o));
        self.predicate = None;
        self.hold = None;
        self.pin(nest, m, Pin::Any);
        nest.phis.append(&mut self.held_phis);
        let yields = self.level(nest, m + 1);
        for (&result, node) in f.body.ops[inner].results.iter().zip(yields) {
            self.define(result, node);
        }
        self.predicate = Some(last);
        self.pin(nest, m, Pin::Last);
        f.body.ops[inner + 1..]
            .iter()
            .for_each(|o| self.straight(o));
        self.pin(nest, m, Pin::Any);
        self.predicate = None;
        self.b().at(Some(op.span));
        self.close_level(nest, m, &phis)
    }

    /// Accesses from now on count in the given iterations of the loops inside level `m`.
    fn pin(&mut self, nest: &Nest, m: usize, inner: Pin) {
        let dims = 0..nest.dims.len();
        self.pins = dims.map(|d| if d > m { inner } else { Pin::Any }).collect();
    }

    /// Defines the carried values of level `m`; `None` for those that an inner level defines.
    ///
    /// An inner loop's value that starts from a constant is set back to it at the end of the inner loop; one that
    /// starts from a computed value is chosen at the start. The first keeps the choice out of the recurrence's way
    /// to its first operation. One that an outer loop only passes through needs neither.
    fn carried(&mut self, nest: &mut Nest, m: usize) -> Vec<Option<Carried>> {
        let (f, op) = (nest.dims[m].f, nest.dims[m].op);
        let mut phis = Vec::new();
        for (i, &param) in f.carried.iter().enumerate() {
            let origin = nest.passed.remove(&param).unwrap_or_else(|| Origin {
                level: m,
                init: self.node(f.inits[i]),
                result: (m == 0).then(|| op.results[i]),
            });
            if let Some(inner) = passed_to(f, i) {
                nest.passed.insert(inner, origin);
                phis.push(None);
                continue;
            }
            let ty = super::hw_type(self.kernel.values[param].ty);
            let name = self.name_of(param, "carried");
            let level = origin.level;
            let is_constant = self.b().as_const(origin.init).is_some();
            let restart = (level > 0 && is_constant).then_some(origin.init);
            let chosen = level > 0 && !is_constant;
            let init = match chosen {
                true => self.b().constant(0),
                false => origin.init,
            };
            let (phi, var) = self.phi(&name, init, ty);
            nest.phis.push((phi, var));
            if let Some(result) = origin.result {
                self.env.insert(result, super::Location::Var(var));
            }
            let current = match chosen {
                true => {
                    let starts = self
                        .b()
                        .and(nest.dims[level].first, nest.inner_first[level]);
                    self.b().mux(starts, origin.init, phi)
                }
                false => phi,
            };
            self.define(param, current);
            phis.push(Some(Carried {
                phi,
                current,
                origin: level,
                restart,
            }));
        }
        phis
    }

    fn close_level(&mut self, nest: &Nest, m: usize, phis: &[Option<Carried>]) -> Vec<NodeId> {
        let yields: Vec<NodeId> = nest.dims[m]
            .f
            .body
            .yields
            .iter()
            .map(|&v| self.node(v))
            .collect();
        for (carried, &value) in phis.iter().zip(&yields) {
            let Some(carried) = carried else { continue };
            let mut next = self.b().mux(nest.inner_last[m], value, carried.current);
            if let Some(init) = carried.restart {
                let level = carried.origin;
                let ends = self.b().and(nest.dims[level].last, nest.inner_last[level]);
                next = self.b().mux(ends, init, next);
            }
            self.b().set_next(carried.phi, next);
        }
        yields
    }

    /// In outer code of a nest that stores to `array`: the value loaded when the inner counters were first.
    pub(super) fn held(&mut self, node: NodeId, array: ArrayId) -> NodeId {
        let Some((first, arrays)) = self.hold.clone() else {
            return node;
        };
        if !arrays.contains(&array) || self.b().as_const(first).is_some() {
            return node;
        }
        let zero = self.b().constant(0);
        let ty = self.b().ty(node);
        let (phi, var) = self.phi("held", zero, ty);
        self.held_phis.push((phi, var));
        let current = self.b().mux(first, node, phi);
        self.b().set_next(phi, current);
        current
    }

    /// Lowers a `while` without inner loops: an iteration whose condition fails changes nothing and is the last.
    pub(super) fn pipelined_while(&mut self, w: &While, op: &Op, regions: &mut Vec<Region>) {
        self.close();
        let index = self.open_leaf(&w.label, op.span);
        regions.push(Region::Leaf(index));
        let mut phis = Vec::new();
        for (&param, &init) in w.carried.iter().zip(&w.inits) {
            let init = self.node(init);
            let (name, ty) = (
                self.name_of(param, "carried"),
                super::hw_type(self.kernel.values[param].ty),
            );
            let (phi, var) = self.phi(&name, init, ty);
            self.define(param, phi);
            phis.push((phi, var));
        }
        self.in_loop_leaf = true;
        self.straight_block(&w.cond);
        let go = self.node(w.cond.yields[0]);
        self.predicate = Some(go);
        self.straight_block(&w.body);
        self.predicate = None;
        for (&(phi, _), &value) in phis.iter().zip(&w.body.yields) {
            let value = self.node(value);
            let next = self.b().mux(go, value, phi);
            self.b().set_next(phi, next);
        }
        let last = self.b().not1(go);
        let last = self.b().widen(last, HwType::ui(1));
        for (&result, &(_, var)) in op.results.iter().zip(&phis) {
            self.env.insert(result, super::Location::Var(var));
        }
        let dim = LoopDim {
            label: w.label.clone(),
            span: op.span,
            trip: None,
        };
        self.leaf().repeat = Some(Loop {
            phis,
            last,
            enter: None,
            dims: vec![dim],
        });
        self.in_loop_leaf = false;
        self.close();
    }
}

/// The parameter of the loop inside to which a loop only passes its carried value number `i`, taking the result back.
fn passed_to(f: &For, i: usize) -> Option<ValueId> {
    let op = f.body.ops.iter().find(|op| op.contains_loop())?;
    let OpKind::For(inner) = &op.kind else {
        return None;
    };
    let j = inner.inits.iter().position(|&init| init == f.carried[i])?;
    let returned = op.results[j] == f.body.yields[i];
    (returned && uses(&f.body, f.carried[i]) == 1).then(|| inner.carried[j])
}

/// How often a value is read in a block and the blocks nested there.
fn uses(block: &Block, value: ValueId) -> usize {
    let mut uses = block.yields.iter().filter(|&&v| v == value).count();
    for op in &block.ops {
        uses += op.kind.operands().iter().filter(|&&v| v == value).count();
        let inner = op.kind.blocks();
        uses += inner.iter().map(|b| self::uses(b, value)).sum::<usize>();
    }
    uses
}

fn collect_stores(block: &Block, stored: &mut Vec<ArrayId>) {
    for op in &block.ops {
        if let OpKind::Store { at, .. } = &op.kind
            && !stored.contains(&at.array)
        {
            stored.push(at.array);
        }
        op.kind
            .blocks()
            .iter()
            .for_each(|b| collect_stores(b, stored));
    }
}
