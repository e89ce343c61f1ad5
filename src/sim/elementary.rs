//! Elementary functions as the language has them: what their hardware computes where there is any, else correctly
//! rounded.
//!
//! For all but the 16-bit formats a result is one of the two floats beside the exact one, and which of them is a
//! matter of
//! tables. So that hardware can be compared bit by bit, the reference evaluates the same description; how far that is
//! from the exact result is judged against [`super::functions`], which shares nothing with it.

use super::softfloat;
use crate::hwarith::fast::Fast;
use crate::ir::{BinaryOp, FloatFormat, UnaryOp};
use crate::units::float::{Kind, elementary};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Evaluators by name and format of the function; none where a word is too wide for one.
type Evaluators = BTreeMap<(&'static str, u32, u32), Option<Fast<'static>>>;

thread_local! {
    /// Those of the functions that were asked for.
    static EVALUATORS: RefCell<Evaluators> = const { RefCell::new(BTreeMap::new()) };
}

/// `op a`; `None` for what floats do not have.
pub fn unary(f: FloatFormat, op: UnaryOp, a: u128) -> Option<u128> {
    match function(Kind::Unary(op), f, &[a]) {
        None => softfloat::unary(f, op, a),
        result => result,
    }
}

/// `a op b`; `None` for what floats do not have.
pub fn binary(f: FloatFormat, op: BinaryOp, a: u128, b: u128) -> Option<u128> {
    match function(Kind::Binary(op), f, &[a, b]) {
        None => softfloat::binary(f, op, a, b),
        result => result,
    }
}

/// The result of a function's hardware; `None` if there is none.
pub fn function(kind: Kind, f: FloatFormat, operands: &[u128]) -> Option<u128> {
    let function = elementary::of(kind, f)?;
    EVALUATORS.with_borrow_mut(|evaluators| {
        let evaluator = evaluators
            .entry((function.name, f.exp, f.frac))
            .or_insert_with(|| Fast::new(elementary::graph(function.name, f)));
        evaluator.as_mut()?.eval(&[operands]).pop()
    })
}
