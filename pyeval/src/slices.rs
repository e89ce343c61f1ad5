//! Indices and slices of sequences.

use crate::convert::int_of;
use crate::error::Exception::{TypeError, ValueError};
use crate::error::{Problem, fail, raise};
use crate::range::Range;
use crate::value::{Result, Value};
use diagnostics::Span;
use num_traits::{Signed, ToPrimitive};

/// The position that an index means, counted from the end if it is negative.
pub fn at(index: &Value, len: usize, span: Span) -> Result<usize> {
    let Some(i) = index.as_int() else {
        let message = format!("an index is an int, not {}", index.kind());
        return raise(TypeError, span, message);
    };
    let i = if i.is_negative() { i + len } else { i };
    match i.to_usize().filter(|i| *i < len) {
        Some(i) => Ok(i),
        None => fail(span, Problem::Index),
    }
}

/// The positions that a slice of `len` elements selects.
pub fn slice_positions(slice: &[Value; 3], len: usize, span: Span) -> Result<Range> {
    let part = |value: &Value| -> Result<Option<i64>> {
        match value {
            Value::None => Ok(None),
            value => {
                let v = int_of(value, span)?;
                let far = if v.is_negative() {
                    i64::MIN / 4
                } else {
                    i64::MAX / 4
                };
                Ok(Some(
                    v.to_i64().unwrap_or(far).clamp(i64::MIN / 4, i64::MAX / 4),
                ))
            }
        }
    };
    let (start, stop, step) = (part(&slice[0])?, part(&slice[1])?, part(&slice[2])?);
    let step = step.unwrap_or(1);
    if step == 0 {
        return raise(ValueError, span, "the step of a slice is not 0");
    }
    let len = len as i64;
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let place = |v: i64| (if v < 0 { v + len } else { v }).clamp(low, high);
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    Ok(Range {
        start: start.map_or(first, place),
        stop: stop.map_or(last, place),
        step,
    })
}

/// The numbers of a range of positions.
pub fn positions(range: Range) -> impl Iterator<Item = usize> {
    // Positions of a slice lie within the sequence.
    (0..range.len()).map(move |i| range.at(i).to_usize().unwrap_or_default())
}

/// The elements that a slice selects.
pub fn sliced<T: Clone>(items: &[T], slice: &[Value; 3], span: Span) -> Result<Vec<T>> {
    let range = slice_positions(slice, items.len(), span)?;
    Ok(positions(range)
        .filter_map(|i| items.get(i).cloned())
        .collect())
}
