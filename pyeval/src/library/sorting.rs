//! Sorting of any values.

use crate::operators::{compare_pair, truth};
use crate::value::{Names, Result, Value};
use diagnostics::Span;
use ruff_python_ast::CmpOp;

/// A stable sort by `<`; an error of the comparison ends it.
pub fn sort(
    items: Vec<Value>,
    key: Option<Value>,
    reverse: bool,
    span: Span,
    names: &mut dyn Names,
) -> Result<Vec<Value>> {
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let by = match &key {
            None | Some(Value::None) => item.clone(),
            Some(f) => names.call_with(f, vec![item.clone()], span)?,
        };
        keyed.push((by, item));
    }
    if reverse {
        keyed.reverse();
    }
    let mut width = 1;
    while width < keyed.len() {
        let mut merged = Vec::with_capacity(keyed.len());
        let mut rest = keyed.into_iter().peekable();
        while rest.peek().is_some() {
            let left: Vec<_> = rest.by_ref().take(width).collect();
            let right: Vec<_> = rest.by_ref().take(width).collect();
            merge(left, right, &mut merged, span, names)?;
        }
        keyed = merged;
        width *= 2;
    }
    if reverse {
        keyed.reverse();
    }
    Ok(keyed.into_iter().map(|(_, item)| item).collect())
}

type Keyed = (Value, Value);

fn merge(
    left: Vec<Keyed>,
    right: Vec<Keyed>,
    out: &mut Vec<Keyed>,
    span: Span,
    names: &mut dyn Names,
) -> Result<()> {
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some((a, _)), Some((b, _))) = (left.peek(), right.peek()) {
        names.tick(span, 1)?;
        let less = compare_pair(CmpOp::Lt, b.clone(), a.clone(), span, names)?;
        let next = if truth(&less, span, names)? {
            right.next()
        } else {
            left.next()
        };
        out.extend(next);
    }
    out.extend(left);
    out.extend(right);
    Ok(())
}
