//! Reductions of arrays: sums in numpy's order of addition, extrema, and what is made of them.

use crate::error::Exception::{NotImplementedError, ValueError};
use crate::error::raise;
use crate::numpy::operations::{array, dtype_of, reserve, table};
use crate::numpy::table::{Dtype, Num, Table, round_to};
use crate::value::{Call, Names, Result, Value};
use diagnostics::Span;

/// The array that a call is about: what a method is called on, or the first argument.
pub fn subject(c: &mut Call) -> Result<Table> {
    if let Value::Table(t) = &c.this {
        return Ok((**t).clone());
    }
    let value = c.arg(0).clone();
    array(&value, None, c.span, c.names)
}

/// The position of the parameters after the array: methods do not have that one.
pub fn after(c: &Call) -> usize {
    usize::from(!matches!(c.this, Value::Table(_)))
}

/// An axis within the rank.
pub fn axis_of(c: &Call, i: usize, rank: usize) -> Result<Option<usize>> {
    match c.opt(i) {
        None | Some(Value::None) => Ok(None),
        Some(_) => {
            let axis = c.index(i)?;
            let place = if axis < 0 { axis + rank as i64 } else { axis };
            match usize::try_from(place) {
                Ok(place) if place < rank => Ok(Some(place)),
                _ => c.raise(ValueError, format!("there is no axis {axis}")),
            }
        }
    }
}

/// The lanes along an axis, or all elements as one lane, with the shape that remains.
pub fn lanes(t: &Table, axis: Option<usize>) -> (Vec<Vec<Num>>, Vec<usize>) {
    let Some(axis) = axis else {
        return (vec![t.values()], Vec::new());
    };
    let (extent, stride) = (t.shape[axis], t.strides[axis]);
    let mut rest = t.clone();
    rest.shape.remove(axis);
    rest.strides.remove(axis);
    let values = t.buffer.values.borrow();
    let lane = |p: usize| {
        let places = (0..extent).map(|i| (p as isize + i as isize * stride) as usize);
        places.map(|p| values[p]).collect()
    };
    let lanes = if extent == 0 {
        vec![Vec::new(); rest.len()]
    } else {
        rest.places().into_iter().map(lane).collect()
    };
    (lanes, rest.shape)
}

fn reduce(
    c: &mut Call,
    t: &Table,
    axis: Option<usize>,
    dtype: Dtype,
    f: impl Fn(&[Num]) -> Num,
) -> Result<Value> {
    reserve(&t.shape, c.span, c.names)?;
    let (lanes, shape) = lanes(t, axis);
    let values = lanes.iter().map(|lane| dtype.fit(f(lane))).collect();
    Ok(Table::new(dtype, shape, values).wrapped())
}

/// The type in which elements are added up.
fn sum_type(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::Bool | Dtype::Int(_) => Dtype::Int(64),
        Dtype::Uint(_) => Dtype::Uint(64),
        float => float,
    }
}

/// The sum of floats in the order of numpy's pairwise summation: eight interleaved sums for up to
/// 128 elements, halves for more; each addition is rounded to the type.
fn pairwise(values: &[f64], round: &dyn Fn(f64) -> f64) -> f64 {
    let n = values.len();
    if n < 8 {
        // numpy starts from -0.0, which is neutral.
        return values.iter().fold(-0.0, |sum, v| round(sum + v));
    }
    if n <= 128 {
        let mut sums: [f64; 8] = std::array::from_fn(|i| values[i]);
        let whole = n - n % 8;
        for chunk in values[8..whole].chunks_exact(8) {
            for (sum, v) in sums.iter_mut().zip(chunk) {
                *sum = round(*sum + v);
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        let low = round(round(a + b) + round(c + d));
        let high = round(round(e + f) + round(g + h));
        let total = round(low + high);
        return values[whole..].iter().fold(total, |sum, v| round(sum + v));
    }
    let half = n / 2;
    let half = half - half % 8;
    round(pairwise(&values[..half], round) + pairwise(&values[half..], round))
}

fn add_up(lane: &[Num], dtype: Dtype, in_order: bool) -> Num {
    let Dtype::Float(bits) = dtype else {
        let ints = lane.iter().map(|v| match dtype.fit(*v) {
            Num::Int(v) => v,
            Num::Float(_) => 0,
        });
        return Num::Int(ints.fold(0i128, i128::wrapping_add));
    };
    // Halves are added in single precision.
    let wide = bits.max(32);
    let round = |v: f64| round_to(wide, v);
    let values: Vec<f64> = lane.iter().map(|v| v.float()).collect();
    Num::Float(if in_order {
        values.iter().fold(0.0, |sum, v| round_to(bits, sum + v))
    } else {
        // The empty sum is 0.0 and not -0.0.
        pairwise(&values, &round) + if values.is_empty() { 0.0 } else { -0.0 }
    })
}

/// Whether numpy adds along the axis one after the other: along all but the last.
fn in_order(t: &Table, axis: Option<usize>) -> bool {
    axis.is_some_and(|axis| axis + 1 < t.rank())
}

/// `sum`.
pub fn sum(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let first = after(c);
    let axis = axis_of(c, first, t.rank())?;
    let dtype = match dtype_of(c.opt(first + 1), c.span)? {
        Some(dtype) => dtype,
        None => sum_type(t.dtype),
    };
    let ordered = in_order(&t, axis);
    reduce(c, &t, axis, dtype, |lane| add_up(lane, dtype, ordered))
}

/// `prod`.
pub fn prod(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let axis = axis_of(c, after(c), t.rank())?;
    let dtype = sum_type(t.dtype);
    reduce(c, &t, axis, dtype, |lane| {
        lane.iter().fold(dtype.fit(Num::Int(1)), |a, b| {
            dtype.fit(match (a, dtype.fit(*b)) {
                (Num::Int(a), Num::Int(b)) => Num::Int(a.wrapping_mul(b)),
                (a, b) => Num::Float(a.float() * b.float()),
            })
        })
    })
}

/// `mean`.
pub fn mean(c: &mut Call) -> Result<Value> {
    let t = subject(c)?;
    let axis = axis_of(c, after(c), t.rank())?;
    let dtype = match t.dtype {
        Dtype::Float(_) => t.dtype,
        _ => Dtype::Float(64),
    };
    let ordered = in_order(&t, axis);
    reduce(c, &t, axis, dtype, |lane| {
        // Halves are divided in single precision as well.
        Num::Float(add_up(lane, dtype, ordered).float() / lane.len() as f64)
    })
}

fn better(a: Num, b: Num, least: bool) -> bool {
    let order = match (a, b) {
        (Num::Int(a), Num::Int(b)) => Some(a.cmp(&b)),
        // The first NaN wins and stays.
        (a, b) if b.float().is_nan() || a.float().is_nan() => {
            return a.float().is_nan() && !b.float().is_nan();
        }
        (a, b) => a.float().partial_cmp(&b.float()),
    };
    order.is_some_and(|o| if least { o.is_lt() } else { o.is_gt() })
}

fn best(lane: &[Num], least: bool) -> usize {
    (1..lane.len()).fold(0, |at, i| {
        if better(lane[i], lane[at], least) {
            i
        } else {
            at
        }
    })
}

/// `min`, `max`, `argmin` and `argmax`.
pub fn extremum(c: &mut Call, least: bool, place: bool) -> Result<Value> {
    let t = subject(c)?;
    let axis = axis_of(c, after(c), t.rank())?;
    if t.is_empty() {
        return c.raise(ValueError, "the array is empty");
    }
    let dtype = if place { Dtype::Int(64) } else { t.dtype };
    reduce(c, &t, axis, dtype, |lane| {
        let at = best(lane, least);
        if place {
            Num::Int(at as i128)
        } else {
            lane[at]
        }
    })
}

/// `any` and `all`.
pub fn quantify(c: &mut Call, all: bool) -> Result<Value> {
    let t = subject(c)?;
    let axis = axis_of(c, after(c), t.rank())?;
    reduce(c, &t, axis, Dtype::Bool, |lane| {
        let holds = match all {
            true => lane.iter().all(|v| v.nonzero()),
            false => lane.iter().any(|v| v.nonzero()),
        };
        Num::Int(i128::from(holds))
    })
}

/// `cumsum` and `cumprod` of all elements, or of the only axis.
pub fn cumulative(c: &mut Call, product: bool) -> Result<Value> {
    let t = subject(c)?;
    let axis = axis_of(c, after(c), t.rank())?;
    if axis.is_some() && t.rank() > 1 {
        return c.raise(
            NotImplementedError,
            "cumulative sums along an axis of several",
        );
    }
    let dtype = sum_type(t.dtype);
    reserve(&t.shape, c.span, c.names)?;
    let mut total = dtype.fit(Num::Int(i128::from(product)));
    let values: Vec<Num> = t
        .values()
        .into_iter()
        .map(|v| {
            total = dtype.fit(match (total, dtype.fit(v)) {
                (Num::Int(a), Num::Int(b)) if product => Num::Int(a.wrapping_mul(b)),
                (Num::Int(a), Num::Int(b)) => Num::Int(a.wrapping_add(b)),
                (a, b) if product => Num::Float(a.float() * b.float()),
                (a, b) => Num::Float(a.float() + b.float()),
            });
            total
        })
        .collect();
    Ok(table(dtype, vec![values.len()], values))
}

/// `sort` of the elements along the last axis.
pub fn sorted(t: &Table, span: Span, names: &mut dyn Names) -> Result<Value> {
    reserve(&t.shape, span, names)?;
    names.tick(span, t.len() as u64 * 2)?;
    if t.rank() == 0 {
        return raise(ValueError, span, "a scalar is not sorted");
    }
    let mut values = t.values();
    let lane = t.shape[t.rank() - 1].max(1);
    for lane in values.chunks_mut(lane) {
        // NaN comes last; otherwise numbers of one type are totally ordered here.
        lane.sort_by(|a, b| match (a, b) {
            (Num::Int(a), Num::Int(b)) => a.cmp(b),
            (a, b) => match (a.float(), b.float()) {
                (a, b) if a.is_nan() || b.is_nan() => a.is_nan().cmp(&b.is_nan()),
                (a, b) => a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal),
            },
        });
    }
    Ok(table(t.dtype, t.shape.clone(), values))
}
