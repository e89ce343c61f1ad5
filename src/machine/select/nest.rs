//! Loops: perfect nests of counted loops become one pipeline with a counter for each loop; `while` loops become pipelines
//! whose last iteration changes nothing.

use super::affine::Counter;
use super::transfer::in_turn_because;
use super::{Location, Lowering, hw_type, iterations};
use crate::hwarith::HwType;
use crate::hwarith::graph::{NodeId, Op as HwOp, Predicate, VarId};
use crate::hwarith::interval::Interval;
use crate::ir::analysis::trip::Trip;
use crate::ir::{For, Op, OpKind, Pipeline, ValueId, While};
use crate::machine::program::{Loop, LoopDim, Phi, Region};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// How a counted loop is realised.
pub enum Plan<'f> {
    /// No iteration.
    Never,
    /// One pipeline over these loops, outermost first.
    Pipeline(Vec<(&'f For, &'f Op)>),
    /// A sequential region around its body; why it is none, if the loop has no loop inside, as words after "each iteration".
    Sequential(Option<String>),
}

/// Values of the induction variable; of at least one iteration.
pub fn range_of(trip: &Trip) -> Interval {
    let (lo, last) = (&trip.lo, trip.last());
    Interval::new(lo.min(&last).clone(), lo.max(&last).clone())
}

/// Decides how to realise a counted loop.
pub fn plan<'f>(lowering: &Lowering, f: &'f For, op: &'f Op) -> Plan<'f> {
    let trip = iterations::constant(lowering, f);
    if trip.as_ref().is_some_and(|t| t.count.is_zero()) {
        return Plan::Never;
    }
    let mut dims = vec![(f, op)];
    loop {
        let (outer, _) = dims[dims.len() - 1];
        if !outer.body.ops.iter().any(Op::contains_loop) {
            return match in_turn_because(lowering, true, [&outer.body]) {
                None => Plan::Pipeline(dims),
                why => Plan::Sequential(why),
            };
        }
        match inside(lowering, outer) {
            Some(inner) => dims.push(inner),
            None => return Plan::Sequential(None),
        }
    }
}

/// The loop inside of another, if there is nothing else but constants, all carried values pass through, and it runs a
/// constant number of times.
fn inside<'f>(lowering: &Lowering, outer: &'f For) -> Option<(&'f For, &'f Op)> {
    let is_constant = |op: &&Op| matches!(op.kind, OpKind::Const(_));
    let mut ops = outer.body.ops.iter().filter(|op| !is_constant(op));
    let (Some(op), None) = (ops.next(), ops.next()) else {
        return None;
    };
    let OpKind::For(inner) = &op.kind else {
        return None;
    };
    let passes = inner.inits == outer.carried && op.results == outer.body.yields;
    let runs = iterations::constant(lowering, inner).is_some_and(|trip| trip.count.is_positive());
    (passes && runs).then_some((inner, op))
}

/// Counter of one dimension, in the open leaf.
struct Dim {
    iv: NodeId,
    last: NodeId,
    step: NodeId,
    lo: NodeId,
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
    fn phi(&mut self, name: &str, init: NodeId, ty: HwType) -> Phi {
        let node = self.b().opaque(HwOp::Phi, vec![init, init], ty);
        self.b().graph.name(node, name);
        Phi {
            node,
            var: self.var(name, ty, false),
            range: Interval::of_type(ty),
        }
    }

    /// A phi that takes the values of a range.
    fn counting_phi(&mut self, name: &str, init: NodeId, range: Interval) -> Phi {
        let phi = self.phi(name, init, range.ty());
        self.b().assume(phi.node, range.clone());
        Phi { range, ..phi }
    }

    /// Selects a perfect nest as one pipelined loop.
    pub(super) fn pipelined_nest(&mut self, dims: &[(&For, &Op)], regions: &mut Vec<Region>) {
        let (outer, op) = dims[0];
        // Bounds and initial values come from before the loop.
        let mut enter = None;
        if iterations::constant(self, outer).is_none() {
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
        let mut labels: Vec<&str> = dims.iter().map(|(f, _)| f.label.as_str()).collect();
        labels.dedup();
        let index = self.open_leaf(&labels.join("_"), op.span);
        regions.push(Region::Leaf(index));
        self.in_loop_leaf = true;
        let mut phis = Vec::new();
        let last = self.counters(dims, &mut phis);
        let last = self.b().widen(last, HwType::ui(1));
        let carried = self.carried(dims, &mut phis);
        let (innermost, _) = dims[dims.len() - 1];
        if let [(only, _)] = dims {
            self.note_apart(only);
        }
        self.straight_block(&innermost.body);
        for (phi, &next) in carried.iter().zip(&innermost.body.yields) {
            let next = self.node(next);
            self.b().set_next(*phi, next);
        }
        self.say_turns(dims);
        let directed = dims.iter().rev().find_map(|(f, _)| f.tags.pipeline);
        let dims = dims.iter().map(|(f, o)| LoopDim {
            label: f.label.clone(),
            span: o.span,
            trip: iterations::constant(self, f).and_then(|t| t.count.to_u64()),
            likely: iterations::likely(self, f),
            is_while: false,
        });
        let dims = dims.collect();
        self.leaf().repeat = Some(Loop {
            phis,
            last,
            enter,
            dims,
            directed,
        });
        self.counters.clear();
        self.in_loop_leaf = false;
        self.close();
    }

    /// Warns of a loop whose iterations take more turns (`transform::turns`) than the interval has cycles that is directed.
    fn say_turns(&mut self, dims: &[(&For, &Op)]) {
        let [.., (f, op), (turns, _)] = dims else {
            return;
        };
        let (Some(Pipeline::Every(asked)), Some(_)) = (f.tags.pipeline, turns.tags.pipeline) else {
            return;
        };
        let count = iterations::constant(self, turns).map_or(BigInt::ZERO, |trip| trip.count);
        if count <= asked.into() {
            return;
        }
        let asked = f.tags.cause(&f.label);
        let message = format!(
            "{asked}: the least initiation interval is {count}, bound by the turns in which each iteration gets from streams"
        );
        self.warn_of_interval(op, &message);
    }

    /// Makes the counters of all dimensions. Returns whether all are at their last values.
    fn counters(&mut self, dims: &[(&For, &Op)], phis: &mut Vec<Phi>) -> NodeId {
        let mut counters = Vec::new();
        for (i, &(f, op)) in dims.iter().enumerate() {
            self.b().at(Some(op.span));
            let step = self.constant_of(f.step).and_then(|s| s.to_i128());
            counters.push(self.counter(f, phis));
            let counter = Counter {
                dim: i,
                lo: f.lo,
                step,
            };
            self.counters.insert(f.iv, counter);
        }
        let mut inner_last = self.b().constant(1);
        for (m, dim) in counters.iter().enumerate().rev() {
            self.b().at(Some(dims[m].1.span));
            self.define(dims[m].0.iv, dim.iv);
            if self.b().graph.nodes[dim.iv].op == HwOp::Phi {
                let up = self.b().add(dim.iv, dim.step);
                // The outermost counter need not wrap; its value after the last iteration is never read.
                let next = match m {
                    0 => up,
                    _ => self.b().mux(dim.last, dim.lo, up),
                };
                let next = self.b().mux(inner_last, next, dim.iv);
                self.b().set_next(dim.iv, next);
            }
            inner_last = self.b().and(inner_last, dim.last);
        }
        inner_last
    }

    fn counter(&mut self, f: &For, phis: &mut Vec<Phi>) -> Dim {
        let (lo, step) = (self.node(f.lo), self.node(f.step));
        let (iv, last) = match iterations::constant(self, f) {
            Some(trip) if trip.count.is_one() => (lo, self.b().constant(1)),
            Some(trip) => {
                let phi = self.counting_phi(&f.label, lo, range_of(&trip));
                let iv = phi.node;
                phis.push(phi);
                let end = self.b().constant(trip.last());
                (iv, self.b().icmp(Predicate::Eq, iv, end))
            }
            None => {
                let hi = self.node(f.hi);
                let range = self.runtime_range(lo, hi, f.descending);
                let phi = self.counting_phi(&f.label, lo, range);
                let iv = phi.node;
                phis.push(phi);
                let next = self.b().add(iv, step);
                let more = self.in_range(next, f);
                (iv, self.b().not1(more))
            }
        };
        Dim { iv, last, step, lo }
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

    /// Makes the carried values of a nest, which all its loops pass on.
    fn carried(&mut self, dims: &[(&For, &Op)], phis: &mut Vec<Phi>) -> Vec<NodeId> {
        let ((outer, op), (innermost, _)) = (dims[0], dims[dims.len() - 1]);
        let mut nodes = Vec::new();
        for (i, &init) in outer.inits.iter().enumerate() {
            let init = self.node(init);
            let phi = self.carried_phi(innermost.carried[i], init);
            for (f, _) in dims {
                self.env
                    .insert(f.carried[i], self.env[&innermost.carried[i]].clone());
            }
            self.env.insert(op.results[i], Location::Var(phi.var));
            nodes.push(phi.node);
            phis.push(phi);
        }
        nodes
    }

    fn carried_phi(&mut self, param: ValueId, init: NodeId) -> Phi {
        let ty = hw_type(self.kernel.values[param].ty);
        let name = self.name_of(param, "carried");
        let phi = self.phi(&name, init, ty);
        self.define(param, phi.node);
        phi
    }

    /// Selects a `while` without inner loops: an iteration whose condition fails changes nothing and is the last.
    pub(super) fn pipelined_while(&mut self, w: &While, op: &Op, regions: &mut Vec<Region>) {
        self.close();
        let index = self.open_leaf(&w.label, op.span);
        regions.push(Region::Leaf(index));
        let mut phis = Vec::new();
        for (&param, &init) in w.carried.iter().zip(&w.inits) {
            let init = self.node(init);
            phis.push(self.carried_phi(param, init));
        }
        self.in_loop_leaf = true;
        self.straight_block(&w.cond);
        let go = self.node(w.cond.yields[0]);
        self.predicate = Some(go);
        self.straight_block(&w.body);
        self.predicate = None;
        for (phi, &value) in phis.iter().zip(&w.body.yields) {
            let value = self.node(value);
            let next = self.b().mux(go, value, phi.node);
            self.b().set_next(phi.node, next);
        }
        let last = self.b().not1(go);
        let last = self.b().widen(last, HwType::ui(1));
        let vars: Vec<VarId> = phis.iter().map(|phi| phi.var).collect();
        for (&result, var) in op.results.iter().zip(vars) {
            self.env.insert(result, Location::Var(var));
        }
        let dim = LoopDim {
            label: w.label.clone(),
            span: op.span,
            trip: None,
            likely: iterations::likely_turns(self, w),
            is_while: true,
        };
        self.leaf().repeat = Some(Loop {
            phis,
            last,
            enter: None,
            dims: vec![dim],
            directed: w.tags.pipeline,
        });
        self.in_loop_leaf = false;
        self.close();
    }
}
