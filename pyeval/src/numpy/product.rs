//! Products of arrays.

use crate::error::Exception::ValueError;
use crate::error::{Problem, fail, raise};
use crate::numpy::operations::{array, reserve};
use crate::numpy::table::{Num, Table, promote};
use crate::value::{Names, Result, Value};
use diagnostics::Span;

/// `a @ b` and `dot` of ranks 1 and 2; sums are computed in order.
pub fn matmul(left: &Value, right: &Value, span: Span, names: &mut dyn Names) -> Result<Value> {
    let (a, b) = (
        array(left, None, span, names)?,
        array(right, None, span, names)?,
    );
    let ranks = (a.rank(), b.rank());
    if !matches!(ranks, (1 | 2, 1 | 2)) {
        let message = "products of arrays are supported for ranks 1 and 2";
        return fail(span, Problem::Unsupported(message.into()));
    }
    let dtype = promote(a.dtype, b.dtype);
    if dtype.is_float() && a.shape[a.rank() - 1] > 1 {
        // numpy leaves the order of the sum, and with it the last bits, to a library.
        let exact = |t: &Table| {
            t.values()
                .iter()
                .all(|v| v.float().fract() == 0.0 && v.float().abs() < 1e6)
        };
        if !exact(&a) || !exact(&b) {
            let message = "the last bits of a product of float arrays depend on numpy's library";
            return fail(span, Problem::Unsupported(message.into()));
        }
    }
    let (n, k) = match a.rank() {
        1 => (1, a.shape[0]),
        _ => (a.shape[0], a.shape[1]),
    };
    let (k2, m) = match b.rank() {
        1 => (b.shape[0], 1),
        _ => (b.shape[0], b.shape[1]),
    };
    if k != k2 {
        return raise(ValueError, span, "the inner extents differ");
    }
    reserve(&[n, m], span, names)?;
    names.tick(span, (n as u64 * m as u64).saturating_mul(k as u64))?;
    let (x, y) = (a.values(), b.values());
    let mut values = Vec::with_capacity(n * m);
    for i in 0..n {
        for j in 0..m {
            let terms = (0..k).map(|l| match (x[i * k + l], y[l * m + j]) {
                (Num::Int(p), Num::Int(q)) => Num::Int(p.wrapping_mul(q)),
                (p, q) => Num::Float(p.float() * q.float()),
            });
            let zero = dtype.fit(Num::Int(0));
            values.push(dtype.fit(terms.fold(zero, |sum, term| match (sum, term) {
                (Num::Int(p), Num::Int(q)) => Num::Int(p.wrapping_add(q)),
                (p, q) => dtype.fit(Num::Float(p.float() + q.float())),
            })));
        }
    }
    let shape = match ranks {
        (2, 2) => vec![n, m],
        (2, 1) => vec![n],
        (1, 2) => vec![m],
        _ => vec![],
    };
    Ok(Table::new(dtype, shape, values).wrapped())
}
