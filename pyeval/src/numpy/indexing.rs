//! Elements, rows and views of arrays, read and assigned.

use crate::error::Exception::{IndexError, TypeError, ValueError};
use crate::error::{Problem, fail, raise};
use crate::numpy::operations::{
    Operand, broadcast_shape, cast, checked, number, operand, reserve, table,
};
use crate::numpy::table::{Dtype, Num, Table};
use crate::slices::slice_positions;
use crate::value::{Names, Result, Value};
use diagnostics::Span;
use num_traits::ToPrimitive;
use std::rc::Rc;

/// `table[index]`.
pub fn index(t: &Rc<Table>, index: &Value, span: Span, names: &mut dyn Names) -> Result<Value> {
    match select(t, index, span)? {
        Selection::View(view) => {
            names.tick(span, 1)?;
            Ok(view.wrapped())
        }
        Selection::Rows(rows, shape) => {
            let inner = &t.shape[1..];
            let full: Vec<usize> = shape.iter().chain(inner).copied().collect();
            reserve(&full, span, names)?;
            let values = rows.iter().flat_map(|i| t.row(*i).values()).collect();
            Ok(table(t.dtype, full, values))
        }
        Selection::Elements(places) => {
            reserve(&[places.len()], span, names)?;
            let values = t.buffer.values.borrow();
            let values = places.iter().map(|p| values[*p]).collect::<Vec<_>>();
            Ok(table(t.dtype, vec![places.len()], values))
        }
    }
}

/// What an index selects.
enum Selection {
    View(Table),
    /// Rows by their numbers, arranged in a shape.
    Rows(Vec<usize>, Vec<usize>),
    /// Elements by their places in the buffer.
    Elements(Vec<usize>),
}

fn select(t: &Rc<Table>, index: &Value, span: Span) -> Result<Selection> {
    let lists = match index {
        Value::Table(m) if m.rank() > 0 => Some((**m).clone()),
        Value::List(_) => {
            let items = index.sequence().unwrap_or_else(|| Rc::from([]));
            let numbers = items.iter().map(|i| number(i, span));
            let bools = items.iter().all(|i| matches!(i, Value::Bool(_)));
            let dtype = if bools { Dtype::Bool } else { Dtype::Int(64) };
            let numbers = numbers.collect::<Result<Vec<_>>>()?;
            Some(Table::new(dtype, vec![items.len()], numbers))
        }
        _ => None,
    };
    match lists {
        Some(mask) if mask.dtype == Dtype::Bool && mask.shape == t.shape => {
            let wanted = t.places().into_iter().zip(mask.values());
            let places = wanted.filter(|(_, m)| m.nonzero()).map(|(p, _)| p);
            Ok(Selection::Elements(places.collect()))
        }
        Some(rows) if !rows.dtype.is_float() && rows.dtype != Dtype::Bool && t.rank() > 0 => {
            let len = t.shape[0] as i128;
            let numbers = rows.values().into_iter().map(|v| match v {
                Num::Int(i) if (-len..len).contains(&i) => {
                    Ok((if i < 0 { i + len } else { i }) as usize)
                }
                _ => raise(IndexError, span, "an index is out of range"),
            });
            Ok(Selection::Rows(numbers.collect::<Result<_>>()?, rows.shape))
        }
        Some(_) => raise(IndexError, span, "the array does not fit as an index"),
        None => view(t, index, span).map(Selection::View),
    }
}

/// The view that ints, slices, `...` and `None` select.
fn view(t: &Table, index: &Value, span: Span) -> Result<Table> {
    let parts = match index {
        Value::Tuple(parts) => parts.to_vec(),
        single => vec![single.clone()],
    };
    let consumed = |p: &&Value| !matches!(p, Value::None | Value::Ellipsis);
    let used = parts.iter().filter(consumed).count();
    if used > t.rank() {
        let message = format!("{used} indices for an array of rank {}", t.rank());
        return raise(IndexError, span, message);
    }
    let (mut offset, mut axis) = (t.offset, 0);
    let mut placed: Vec<(usize, isize)> = Vec::new();
    for part in &parts {
        match part {
            Value::Ellipsis => {
                for _ in 0..t.rank() - used {
                    placed.push((t.shape[axis], t.strides[axis]));
                    axis += 1;
                }
            }
            Value::None => placed.push((1, 0)),
            Value::Slice(slice) => {
                let range = slice_positions(slice, t.shape[axis], span)?;
                if !range.is_empty() {
                    offset += range.start as isize * t.strides[axis];
                }
                let len = range.len() as usize;
                placed.push((len, t.strides[axis] * range.step as isize));
                axis += 1;
            }
            other => {
                let Some(i) = other.as_int() else {
                    let message = format!("an array is not indexed with {}", other.kind());
                    return raise(IndexError, span, message);
                };
                let len = t.shape[axis] as i64;
                let i = i.to_i64().filter(|i| (-len..len).contains(i));
                let Some(i) = i else {
                    return raise(IndexError, span, "an index is out of range");
                };
                let i = if i < 0 { i + len } else { i };
                offset += i as isize * t.strides[axis];
                axis += 1;
            }
        }
    }
    placed.extend(
        t.shape[axis..]
            .iter()
            .copied()
            .zip(t.strides[axis..].iter().copied()),
    );
    let (shape, strides) = placed.into_iter().unzip();
    Ok(Table {
        shape,
        strides,
        offset,
        ..t.clone()
    })
}

/// `table[index] = value`.
pub fn set_item(
    t: &Rc<Table>,
    index: &Value,
    value: &Value,
    span: Span,
    names: &mut dyn Names,
) -> Result<()> {
    match select(t, index, span)? {
        Selection::View(view) => {
            let value = operand(value, span, names)?;
            store(&view, &view.places(), &view.shape, &value, span)
        }
        Selection::Rows(rows, shape) => {
            let full: Vec<usize> = shape.iter().chain(&t.shape[1..]).copied().collect();
            reserve(&full, span, names)?;
            let places: Vec<usize> = rows.iter().flat_map(|i| t.row(*i).places()).collect();
            let value = operand(value, span, names)?;
            store(t, &places, &full, &value, span)
        }
        Selection::Elements(places) => {
            let value = operand(value, span, names)?;
            store(t, &places, &[places.len()], &value, span)
        }
    }
}

/// Gives every element of an array a value, for `op=`; results wider in kind are refused.
pub fn assign_all(t: &Rc<Table>, value: &Value, span: Span, same_kind: bool) -> Result<()> {
    let Value::Table(new) = value else {
        return Ok(());
    };
    if same_kind && new.dtype.is_float() && !t.dtype.is_float() {
        let message = format!("an array of {} cannot take floats in place", t.dtype.name());
        return raise(TypeError, span, message);
    }
    let value = Operand {
        table: (**new).clone(),
        weak: None,
    };
    store(t, &t.places(), &t.shape, &value, span)
}

fn store(t: &Table, places: &[usize], shape: &[usize], value: &Operand, span: Span) -> Result<()> {
    if t.buffer.frozen.get() {
        return fail(span, Problem::Frozen(None));
    }
    let fits = broadcast_shape(shape, &value.table.shape, span)?;
    if fits != shape {
        let message = format!("the shape {:?} does not fit {shape:?}", value.table.shape);
        return raise(ValueError, span, message);
    }
    let new = value.table.broadcast(shape).values();
    let new = new.into_iter().map(|v| match value.weak {
        Some(_) => checked(t.dtype, v, span),
        None => cast(t.dtype, v, span),
    });
    let new = new.collect::<Result<Vec<_>>>()?;
    let mut values = t.buffer.values.borrow_mut();
    for (place, v) in places.iter().zip(new) {
        values[*place] = v;
    }
    Ok(())
}
