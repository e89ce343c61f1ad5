//! Calls of which every argument is known become their results. What evaluates a kernel is the caller's to say.

use crate::arena::Arena;
use crate::hash::FastMap;
use crate::ir::{
    Arg, Array, Block, Call, Const, Kernel, KernelId, Op, OpKind, Program, ResultSlot, ValueId,
};
use std::collections::HashMap;

/// The scalar results of the top kernel of a program for scalar arguments; `None` if it is to be called nevertheless.
pub type Evaluate = fn(&Program, &[Const]) -> Option<Vec<Const>>;

/// Replaces calls of which every argument and result is a scalar, and every argument a constant. Kernels that have to do with
/// streams or with what is kept between invocations are called as they were.
pub fn run(program: &mut Program, evaluate: Evaluate) {
    let callers: Vec<KernelId> = program.kernels.ids().collect();
    let mut known = HashMap::new();
    for caller in callers {
        let mut body = std::mem::take(&mut program.kernels[caller].body);
        let mut fold = Fold {
            program,
            evaluate,
            constants: FastMap::default(),
            known: &mut known,
        };
        fold.block(&mut body);
        program.kernels[caller].body = body;
    }
}

/// Results of calls that were evaluated, by what was called with what.
type Known = HashMap<(KernelId, Vec<Const>), Option<Vec<Const>>>;

struct Fold<'p> {
    program: &'p Program,
    evaluate: Evaluate,
    constants: FastMap<ValueId, Const>,
    known: &'p mut Known,
}

impl Fold<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut op in std::mem::take(&mut block.ops) {
            for inner in op.kind.blocks_mut() {
                self.block(inner);
            }
            let results = match &op.kind {
                OpKind::Call(call) => self.results(call),
                _ => None,
            };
            let first = block.ops.len();
            match results {
                None => block.ops.push(op),
                Some(constants) => {
                    let defined = op.results.iter().zip(constants);
                    block.ops.extend(defined.map(|(value, constant)| Op {
                        kind: OpKind::Const(constant),
                        results: vec![*value],
                        span: op.span,
                    }));
                }
            }
            for op in &block.ops[first..] {
                if let OpKind::Const(constant) = &op.kind {
                    self.constants.insert(op.results[0], constant.clone());
                }
            }
        }
    }

    fn results(&mut self, call: &Call) -> Option<Vec<Const>> {
        let arg = |arg: &Arg| match arg {
            Arg::Scalar(value) => self.constants.get(value).cloned(),
            Arg::Array(_) => None,
        };
        let args = call.args.iter().map(arg).collect::<Option<Vec<Const>>>()?;
        if !self.is_function(call.kernel) {
            return None;
        }
        let (program, evaluate) = (self.program, self.evaluate);
        let evaluated = || {
            let mut kernels = Arena::new();
            // Callees come before callers.
            for kernel in program.kernels.values().take(call.kernel.index() + 1) {
                kernels.push(kernel.clone());
            }
            let top = call.kernel;
            evaluate(&Program { kernels, top }, &args)
        };
        let key = (call.kernel, args.clone());
        self.known.entry(key).or_insert_with(evaluated).clone()
    }

    /// Whether a kernel does nothing but give scalars, the same ones for the same arguments, in our hardware.
    fn is_function(&self, id: KernelId) -> bool {
        let Kernel {
            results, foreign, ..
        } = &self.program.kernels[id];
        let is_scalar = |slot: &ResultSlot| matches!(slot, ResultSlot::Scalar(_));
        foreign.is_none() && !results.is_empty() && results.iter().all(is_scalar) && !self.keeps(id)
    }

    /// Whether a kernel, or one that it calls, has to do with streams or with what is kept.
    fn keeps(&self, id: KernelId) -> bool {
        let kernel = &self.program.kernels[id];
        let kept = |array: &Array| array.stream.is_some() || array.kind.is_state();
        let calls = |op: &Op| matches!(&op.kind, OpKind::Call(call) if self.keeps(call.kernel));
        kernel.arrays.values().any(kept) || kernel.body.any_op(&calls)
    }
}
