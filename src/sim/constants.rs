//! What a kernel computes of constants.

use crate::ir::{Const, Param, Program, Scalar};
use crate::sim::elements::{Elements, Invocation};
use crate::sim::reference::{self, Options};
use crate::sim::value::Value;

/// Operations that one evaluation may take: some seconds.
const STEPS: u64 = 1 << 24;

/// The scalar results of the top kernel, whose parameters are scalars; `None` if it takes too long or a result is unspecified.
pub fn evaluate(program: &Program, args: &[Const]) -> Option<Vec<Const>> {
    let top = &program.kernels[program.top];
    let typed = top
        .params
        .iter()
        .zip(args)
        .map(|(param, constant)| match param {
            Param::Scalar(value) => {
                let ty = top.values[*value].ty;
                Some(Elements::one(ty, Value::from_const(ty, constant)))
            }
            Param::Array(_) => None,
        });
    let invocation = Invocation::of(typed.collect::<Option<_>>()?);
    let options = Options {
        step_limit: STEPS,
        ..Options::default()
    };
    let outcome = reference::run(program, &invocation, &options).ok()?;
    let results = outcome.results.iter();
    results
        .map(|result| constant(result.ty(), &result.get(0)))
        .collect()
}

fn constant(ty: Scalar, value: &Value) -> Option<Const> {
    if value.tainted {
        return None;
    }
    Some(match ty {
        Scalar::Float(_) | Scalar::Storage(_) => Const::Float(value.pattern(ty)),
        _ => Const::Int(value.data.to_bigint()),
    })
}
