//! numpy arrays at compile time, as far as tables of coefficients need them: typed elements, views,
//! broadcasting, and the promotion of numpy 2.

mod functions;
mod reduce;

use super::codes;
use super::consteval::{ConstArgs, Names};
use super::error::{Result, fail, raise};
use super::library;
use super::literals::{Parts, decode, f64_from_int, float_from_f64};
use super::values::ConstValue;
use crate::diagnostics::Span;
use crate::frontend::operators::python::float_divmod;
use crate::ir::FloatFormat;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use ruff_python_ast::{CmpOp, Operator, UnaryOp};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub use functions::{FUNCTIONS, METHODS};
pub use reduce::absolute;

/// Most elements of an array.
const MAX_ELEMENTS: u64 = 1 << 20;
/// Most dimensions of an array.
const MAX_RANK: usize = 16;

/// The type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// `bool`.
    Bool,
    /// `int8` to `int64`.
    Int(u32),
    /// `uint8` to `uint64`.
    Uint(u32),
    /// `float16` to `float64`.
    Float(u32),
}

const DTYPES: &[(&str, Dtype)] = &[
    ("bool", Dtype::Bool),
    ("int8", Dtype::Int(8)),
    ("int16", Dtype::Int(16)),
    ("int32", Dtype::Int(32)),
    ("int64", Dtype::Int(64)),
    ("uint8", Dtype::Uint(8)),
    ("uint16", Dtype::Uint(16)),
    ("uint32", Dtype::Uint(32)),
    ("uint64", Dtype::Uint(64)),
    ("float16", Dtype::Float(16)),
    ("float32", Dtype::Float(32)),
    ("float64", Dtype::Float(64)),
    // Other names of the same.
    ("bool_", Dtype::Bool),
    ("int_", Dtype::Int(64)),
    ("intp", Dtype::Int(64)),
    ("uint", Dtype::Uint(64)),
    ("half", Dtype::Float(16)),
    ("single", Dtype::Float(32)),
    ("double", Dtype::Float(64)),
];

/// One element: an int that fits its type, or a float rounded to its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Num {
    /// Of an integer type or `bool`.
    Int(i128),
    /// Of a float type.
    Float(f64),
}

impl Num {
    fn float(self) -> f64 {
        match self {
            Num::Int(v) => f64_from_int(&v.into()),
            Num::Float(v) => v,
        }
    }
    fn nonzero(self) -> bool {
        match self {
            Num::Int(v) => v != 0,
            Num::Float(v) => v != 0.0,
        }
    }
}

impl Dtype {
    /// Its name.
    pub fn name(self) -> &'static str {
        let row = DTYPES.iter().find(|(_, d)| *d == self);
        row.map_or("object", |(name, _)| name)
    }

    fn named(name: &str) -> Option<Dtype> {
        DTYPES.iter().find(|(n, _)| *n == name).map(|(_, d)| *d)
    }

    fn range(self) -> (i128, i128) {
        match self {
            Dtype::Bool => (0, 1),
            Dtype::Int(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Dtype::Uint(bits) => (0, (1 << bits) - 1),
            Dtype::Float(_) => (i128::MIN, i128::MAX),
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Dtype::Float(_))
    }

    /// The value in this type: ints wrap, floats are rounded to nearest even.
    fn fit(self, value: Num) -> Num {
        match (self, value) {
            (Dtype::Float(bits), value) => Num::Float(round_to(bits, value.float())),
            (Dtype::Bool, value) => Num::Int(i128::from(value.nonzero())),
            (Dtype::Uint(bits), Num::Int(v)) => Num::Int(v & ((1 << bits) - 1)),
            (Dtype::Int(bits), Num::Int(v)) => Num::Int(v << (128 - bits) >> (128 - bits)),
            // Out of range is refused before.
            (_, Num::Float(v)) => self.fit(Num::Int(v as i128)),
        }
    }

    /// The value cast to this type, as `astype` does.
    fn cast(self, value: Num, span: Span) -> Result<Num> {
        if let (Dtype::Int(_) | Dtype::Uint(_), Num::Float(v)) = (self, value) {
            let (low, high) = self.range();
            let fits = v.is_finite() && (low..=high).contains(&(v as i128));
            if !fits {
                let message = format!("the float {v} has no value in {}", self.name());
                return fail(codes::CONST_EVAL, span, message);
            }
        }
        Ok(self.fit(value))
    }

    /// The type of functions such as `sin` of it.
    fn as_float(self) -> Dtype {
        match self {
            Dtype::Float(_) => self,
            Dtype::Bool | Dtype::Int(8) | Dtype::Uint(8) => Dtype::Float(16),
            Dtype::Int(16) | Dtype::Uint(16) => Dtype::Float(32),
            _ => Dtype::Float(64),
        }
    }
}

/// A float rounded to a type of `bits` bits. Rounding a binary64 result of `+ - * /` or `sqrt` once
/// more is innocuous (Figueroa, When is double rounding innocuous?, 1995).
fn round_to(bits: u32, v: f64) -> f64 {
    match bits {
        64 => v,
        32 => f64::from(v as f32),
        _ => match decode(FloatFormat::F16, &float_from_f64(FloatFormat::F16, v)) {
            Parts::Nan => f64::NAN,
            Parts::Infinite { negative } => {
                f64::INFINITY.copysign(if negative { -1.0 } else { 1.0 })
            }
            Parts::Finite {
                negative,
                magnitude,
                exponent,
            } => {
                let size = magnitude.to_f64().unwrap_or(0.0) * 2f64.powi(exponent as i32);
                if negative { -size } else { size }
            }
        },
    }
}

/// The common type of two arrays, by numpy's lattice.
fn promote(a: Dtype, b: Dtype) -> Dtype {
    use Dtype::{Bool, Float, Int, Uint};
    match (a, b) {
        (Bool, other) | (other, Bool) => other,
        (Int(x), Int(y)) => Int(x.max(y)),
        (Uint(x), Uint(y)) => Uint(x.max(y)),
        (Int(s), Uint(u)) | (Uint(u), Int(s)) if s > u => Int(s),
        (Int(_), Uint(64)) | (Uint(64), Int(_)) => Float(64),
        (Int(_), Uint(u)) | (Uint(u), Int(_)) => Int(2 * u),
        (Float(x), Float(y)) => Float(x.max(y)),
        (Float(f), Int(n) | Uint(n)) | (Int(n) | Uint(n), Float(f)) => {
            Float(f.max((2 * n).min(64)))
        }
    }
}

/// The elements of an array, shared with its views.
#[derive(Debug)]
struct Buffer {
    values: RefCell<Vec<Num>>,
    frozen: Cell<bool>,
}

/// An array, or a view of one; rank 0 is a numpy scalar.
#[derive(Clone, Debug)]
pub struct Table {
    /// Type of its elements.
    pub dtype: Dtype,
    /// Extents.
    pub shape: Vec<usize>,
    strides: Vec<isize>,
    offset: isize,
    buffer: Rc<Buffer>,
}

fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as isize;
    }
    strides
}

fn count(shape: &[usize]) -> u64 {
    shape
        .iter()
        .fold(1u64, |n, extent| n.saturating_mul(*extent as u64))
}

impl Table {
    /// A fresh array of elements in row-major order, as many as the shape has.
    fn new(dtype: Dtype, shape: Vec<usize>, values: Vec<Num>) -> Table {
        debug_assert_eq!(count(&shape), values.len() as u64);
        Table {
            dtype,
            strides: row_major(&shape),
            shape,
            offset: 0,
            buffer: Rc::new(Buffer {
                values: RefCell::new(values),
                frozen: Cell::new(false),
            }),
        }
    }

    fn scalar(dtype: Dtype, value: Num) -> Table {
        Table::new(dtype, vec![], vec![dtype.fit(value)])
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forbids changes of it and of all its views.
    pub fn freeze(&self) {
        self.buffer.frozen.set(true);
    }

    /// Positions of its elements in the buffer, in row-major order.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![self.offset];
        for (extent, stride) in self.shape.iter().zip(&self.strides) {
            places = places
                .iter()
                .flat_map(|p| (0..*extent).map(move |i| p + i as isize * stride))
                .collect();
        }
        // Views lie within their buffer.
        places.into_iter().map(|p| p as usize).collect()
    }

    /// Its elements in row-major order.
    fn values(&self) -> Vec<Num> {
        let values = self.buffer.values.borrow();
        if self.strides == row_major(&self.shape) {
            let start = self.offset as usize;
            return values[start..start + self.len()].to_vec();
        }
        self.places().into_iter().map(|p| values[p]).collect()
    }

    fn python(&self, value: Num) -> ConstValue {
        match (self.dtype, value) {
            (Dtype::Bool, value) => ConstValue::Bool(value.nonzero()),
            (_, Num::Int(v)) => ConstValue::Int(v.into()),
            (_, Num::Float(v)) => ConstValue::Float(v),
        }
    }

    /// The Python number of a scalar.
    pub fn item(&self) -> Option<ConstValue> {
        if self.rank() == 0 { self.first() } else { None }
    }

    /// The first element as a Python number.
    pub fn first(&self) -> Option<ConstValue> {
        let values = self.buffer.values.borrow();
        let first = (!self.is_empty()).then(|| values.get(self.offset as usize))?;
        first.map(|v| self.python(*v))
    }

    /// All elements as Python numbers, in row-major order.
    pub fn numbers(&self) -> Vec<ConstValue> {
        self.values().into_iter().map(|v| self.python(v)).collect()
    }

    /// The part with a fixed first index.
    fn row(&self, i: usize) -> Table {
        Table {
            shape: self.shape[1..].to_vec(),
            strides: self.strides[1..].to_vec(),
            offset: self.offset + i as isize * self.strides[0],
            ..self.clone()
        }
    }

    /// What iteration gives: scalars, or views.
    pub fn rows(&self) -> Vec<ConstValue> {
        (0..self.shape[0]).map(|i| wrapped(self.row(i))).collect()
    }

    /// As nested lists of Python numbers.
    pub fn nested(&self) -> ConstValue {
        match self.item() {
            Some(item) => item,
            None => {
                let rows = (0..self.shape[0]).map(|i| self.row(i).nested());
                ConstValue::list(rows.collect())
            }
        }
    }

    /// Text for messages; that of a scalar is Python's.
    pub fn text(&self, quoted: bool) -> String {
        let shown = match (self.dtype, self.item()) {
            (_, None) => return format!("array of {} {:?}", self.dtype.name(), self.shape),
            (Dtype::Float(32), Some(ConstValue::Float(v))) => shortest_f32(v as f32),
            (_, Some(item)) => item.text(),
        };
        match (quoted, self.dtype) {
            (false, _) => shown,
            (true, Dtype::Bool) => format!("np.{shown}"),
            (true, dtype) => format!("np.{}({shown})", dtype.name()),
        }
    }

    fn broadcast(&self, shape: &[usize]) -> Table {
        let missing = shape.len() - self.rank();
        let mut strides = vec![0; missing];
        for (i, stride) in self.strides.iter().enumerate() {
            let same = self.shape[i] == shape[missing + i];
            strides.push(if same { *stride } else { 0 });
        }
        Table {
            shape: shape.to_vec(),
            strides,
            ..self.clone()
        }
    }

    fn reshaped(&self, shape: Vec<usize>) -> Table {
        if self.strides == row_major(&self.shape) {
            return Table {
                strides: row_major(&shape),
                shape,
                ..self.clone()
            };
        }
        Table::new(self.dtype, shape, self.values())
    }

    fn transposed(&self) -> Table {
        Table {
            shape: self.shape.iter().rev().copied().collect(),
            strides: self.strides.iter().rev().copied().collect(),
            ..self.clone()
        }
    }
}

fn shortest_f32(v: f32) -> String {
    // The digits are those of the narrower type, the notation Python's.
    let digits: f64 = format!("{v:e}").parse().unwrap_or(f64::from(v));
    super::text::float_text(digits)
}

/// A table as a value; a view of rank 0 becomes a scalar of its own.
fn wrapped(table: Table) -> ConstValue {
    if table.rank() == 0 {
        let value = table.values().first().copied().unwrap_or(Num::Int(0));
        return ConstValue::Table(Rc::new(Table::scalar(table.dtype, value)));
    }
    ConstValue::Table(Rc::new(table))
}

fn table(dtype: Dtype, shape: Vec<usize>, values: Vec<Num>) -> ConstValue {
    ConstValue::Table(Rc::new(Table::new(dtype, shape, values)))
}

/// Checks the size of an array before it is made.
fn reserve(shape: &[usize], span: Span, names: &mut dyn Names) -> Result<()> {
    let elements = count(shape);
    if elements > MAX_ELEMENTS || shape.len() > MAX_RANK {
        let message = "the array has more than 2^20 elements or 16 dimensions";
        return fail(codes::LIMIT, span, message);
    }
    names.host().charge(span, elements)?;
    names.tick(span, elements / 4)
}

/// An operand: an array, or a Python number, whose type gives way.
struct Operand {
    table: Table,
    weak: Option<Weak>,
}

#[derive(Clone, Copy, PartialEq)]
enum Weak {
    Int,
    Float,
}

fn operand(value: &ConstValue, span: Span, names: &mut dyn Names) -> Result<Operand> {
    match value {
        ConstValue::Table(table) => Ok(Operand {
            table: (**table).clone(),
            weak: None,
        }),
        ConstValue::Float(v) => Ok(Operand {
            table: Table::scalar(Dtype::Float(64), Num::Float(*v)),
            weak: Some(Weak::Float),
        }),
        ConstValue::Bool(v) => Ok(Operand {
            table: Table::scalar(Dtype::Bool, Num::Int(i128::from(*v))),
            weak: None,
        }),
        ConstValue::List(_) | ConstValue::Tuple(_) => Ok(Operand {
            table: array(value, None, span, names)?,
            weak: None,
        }),
        other => match other.as_int().map(|v| v.to_i128()) {
            // Not wrapped to 64 bits: what it meets decides.
            Some(Some(v)) => Ok(Operand {
                table: Table::new(Dtype::Int(64), vec![], vec![Num::Int(v)]),
                weak: Some(Weak::Int),
            }),
            Some(None) => raise("OverflowError", span, "the int does not fit 64 bits"),
            None => {
                let message = format!("{} does not go with an array", other.kind());
                raise("TypeError", span, message)
            }
        },
    }
}

/// The type in which two operands are computed.
fn common(a: &Operand, b: &Operand, span: Span) -> Result<Dtype> {
    let (strong, weak, number) = match (a.weak, b.weak) {
        (Some(weak), None) => (b.table.dtype, weak, &a.table),
        (None, Some(weak)) => (a.table.dtype, weak, &b.table),
        (Some(Weak::Int), Some(Weak::Int)) => (Dtype::Int(64), Weak::Int, &a.table),
        _ => return Ok(promote(a.table.dtype, b.table.dtype)),
    };
    match (strong, weak) {
        (Dtype::Float(_), _) => Ok(strong),
        (_, Weak::Float) => Ok(Dtype::Float(64)),
        (Dtype::Bool, Weak::Int) => Ok(Dtype::Int(64)),
        (_, Weak::Int) => {
            let (low, high) = strong.range();
            match number.values()[..] {
                [Num::Int(v)] if !(low..=high).contains(&v) => {
                    let message = format!("the int {v} does not fit {}", strong.name());
                    raise("OverflowError", span, message)
                }
                _ => Ok(strong),
            }
        }
    }
}

fn broadcast_shape(a: &[usize], b: &[usize], span: Span) -> Result<Vec<usize>> {
    let rank = a.len().max(b.len());
    let extent = |shape: &[usize], i: usize| match (i + shape.len()).checked_sub(rank) {
        Some(i) => shape[i],
        None => 1,
    };
    (0..rank)
        .map(|i| match (extent(a, i), extent(b, i)) {
            (x, y) if x == y || y == 1 => Ok(x),
            (1, y) => Ok(y),
            _ => {
                let message = format!("the shapes {a:?} and {b:?} do not broadcast");
                raise("ValueError", span, message)
            }
        })
        .collect()
}

/// Applies a function to the pairs of elements of two operands.
fn elementwise(
    a: &Operand,
    b: &Operand,
    result: Dtype,
    span: Span,
    names: &mut dyn Names,
    f: &dyn Fn(Num, Num) -> Result<Num>,
) -> Result<ConstValue> {
    let shape = broadcast_shape(&a.table.shape, &b.table.shape, span)?;
    reserve(&shape, span, names)?;
    let left = a.table.broadcast(&shape).values();
    let right = b.table.broadcast(&shape).values();
    let values = left
        .into_iter()
        .zip(right)
        .map(|(x, y)| Ok(result.fit(f(x, y)?)))
        .collect::<Result<Vec<_>>>()?;
    Ok(table(result, shape, values))
}

/// `a op b` where one is an array.
pub fn binary(
    op: Operator,
    left: &ConstValue,
    right: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    if op == Operator::MatMult {
        return functions::matmul(left, right, span, names);
    }
    let (a, b) = (operand(left, span, names)?, operand(right, span, names)?);
    let dtype = common(&a, &b, span)?;
    let result = match (op, dtype) {
        (Operator::Div, Dtype::Float(_)) => dtype,
        (Operator::Div, _) => Dtype::Float(64),
        (Operator::Sub, Dtype::Bool) => {
            return raise("TypeError", span, "bool arrays are not subtracted");
        }
        (Operator::LShift | Operator::RShift, Dtype::Bool) => Dtype::Int(8),
        (Operator::FloorDiv | Operator::Mod | Operator::Pow, Dtype::Bool) => Dtype::Int(8),
        _ => dtype,
    };
    let bitwise = matches!(
        op,
        Operator::BitAnd | Operator::BitOr | Operator::BitXor | Operator::LShift | Operator::RShift
    );
    if bitwise && dtype.is_float() {
        return raise("TypeError", span, "floats have no bits to operate on");
    }
    elementwise(&a, &b, result, span, names, &|x, y| {
        let (x, y) = (dtype.fit(x), dtype.fit(y));
        match (x, y) {
            (Num::Int(x), Num::Int(y)) if op != Operator::Div => int_op(op, x, y, dtype, span),
            (x, y) => Ok(Num::Float(float_op(op, x.float(), y.float()))),
        }
    })
}

fn int_op(op: Operator, x: i128, y: i128, dtype: Dtype, span: Span) -> Result<Num> {
    let bits = match dtype {
        Dtype::Int(bits) | Dtype::Uint(bits) => i128::from(bits),
        _ => 8,
    };
    Ok(Num::Int(match op {
        Operator::Add => x + y,
        Operator::Sub => x - y,
        // Both have at most 64 bits.
        Operator::Mult => x.wrapping_mul(y),
        // As in numpy, with a warning there.
        Operator::FloorDiv | Operator::Mod if y == 0 => 0,
        Operator::FloorDiv => num_integer::Integer::div_floor(&x, &y),
        Operator::Mod => num_integer::Integer::mod_floor(&x, &y),
        Operator::Pow if y < 0 => {
            let message = "ints to negative powers are not allowed in arrays";
            return raise("ValueError", span, message);
        }
        Operator::Pow => wrapping_power(x, y),
        Operator::BitAnd => x & y,
        Operator::BitOr => x | y,
        Operator::BitXor => x ^ y,
        Operator::LShift if (0..bits).contains(&y) => x << y,
        Operator::RShift if (0..bits).contains(&y) => x >> y,
        Operator::RShift if x < 0 => -1,
        _ => 0,
    }))
}

/// `x ** y` modulo 2^128, by squaring.
fn wrapping_power(mut x: i128, mut y: i128) -> i128 {
    let mut power = 1i128;
    while y > 0 {
        if y & 1 == 1 {
            power = power.wrapping_mul(x);
        }
        x = x.wrapping_mul(x);
        y >>= 1;
    }
    power
}

fn float_op(op: Operator, x: f64, y: f64) -> f64 {
    match op {
        Operator::Add => x + y,
        Operator::Sub => x - y,
        Operator::Mult => x * y,
        Operator::Div => x / y,
        Operator::FloorDiv if y == 0.0 => x / y,
        Operator::FloorDiv => float_divmod(x, y).0,
        Operator::Mod if y == 0.0 => f64::NAN,
        Operator::Mod => float_divmod(x, y).1,
        _ => x.powf(y),
    }
}

/// A unary operator of an array.
pub fn unary(op: UnaryOp, t: &Table, span: Span, names: &mut dyn Names) -> Result<ConstValue> {
    let dtype = t.dtype;
    if dtype == Dtype::Bool && op != UnaryOp::Invert {
        return raise("TypeError", span, "a bool array has no sign");
    }
    if op == UnaryOp::Invert && dtype.is_float() {
        return raise("TypeError", span, "floats have no bits to operate on");
    }
    map(t, dtype, span, names, |v| match (op, v) {
        (UnaryOp::USub, Num::Int(v)) => Num::Int(-v),
        (UnaryOp::USub, Num::Float(v)) => Num::Float(-v),
        (UnaryOp::Invert, v) if dtype == Dtype::Bool => Num::Int(i128::from(!v.nonzero())),
        (UnaryOp::Invert, Num::Int(v)) => Num::Int(!v),
        _ => v,
    })
}

/// An array of the function's values.
fn map(
    t: &Table,
    dtype: Dtype,
    span: Span,
    names: &mut dyn Names,
    f: impl Fn(Num) -> Num,
) -> Result<ConstValue> {
    reserve(&t.shape, span, names)?;
    let values = t.values().into_iter().map(|v| dtype.fit(f(v))).collect();
    Ok(table(dtype, t.shape.clone(), values))
}

/// A comparison of which one side is an array: an array of bools.
pub fn compare(
    op: CmpOp,
    left: &ConstValue,
    right: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    let compatible = |v: &ConstValue| {
        v.is_number()
            || v.as_int().is_some()
            || matches!(
                v,
                ConstValue::Table(_) | ConstValue::List(_) | ConstValue::Tuple(_)
            )
    };
    if !compatible(left) || !compatible(right) {
        return Ok(ConstValue::Bool(op == CmpOp::NotEq));
    }
    let (a, b) = (operand(left, span, names)?, operand(right, span, names)?);
    let as_floats = a.table.dtype.is_float() || b.table.dtype.is_float();
    let result = elementwise(&a, &b, Dtype::Bool, span, names, &|x, y| {
        let order = match (x, y) {
            (Num::Int(x), Num::Int(y)) if !as_floats => Some(x.cmp(&y)),
            (x, y) => x.float().partial_cmp(&y.float()),
        };
        let holds = order.map_or(op == CmpOp::NotEq, |order| match op {
            CmpOp::Eq => order.is_eq(),
            CmpOp::NotEq => order.is_ne(),
            CmpOp::Lt => order.is_lt(),
            CmpOp::LtE => order.is_le(),
            CmpOp::Gt => order.is_gt(),
            _ => order.is_ge(),
        });
        Ok(Num::Int(i128::from(holds)))
    })?;
    Ok(result)
}

/// A conversion such as `np.int8(x)`.
pub fn scalar(dtype: Dtype, args: &ConstArgs) -> Result<ConstValue> {
    args.expect(0, 1, dtype.name())?;
    let span = args.span;
    let value = match args.positional.first() {
        None => Num::Int(0),
        Some(ConstValue::Table(t)) => {
            let values = t.values().into_iter().map(|v| dtype.cast(v, span));
            let values = values.collect::<Result<Vec<_>>>()?;
            return Ok(table(dtype, t.shape.clone(), values));
        }
        Some(value) => number(value, span)?,
    };
    let value = checked(dtype, value, span)?;
    Ok(ConstValue::Table(Rc::new(Table::scalar(dtype, value))))
}

/// A Python number as an element of a type: ints have to fit.
fn checked(dtype: Dtype, value: Num, span: Span) -> Result<Num> {
    let (low, high) = dtype.range();
    match value {
        Num::Int(v) if dtype != Dtype::Bool && !(low..=high).contains(&v) => {
            let message = format!("the int {v} does not fit {}", dtype.name());
            raise("OverflowError", span, message)
        }
        value => dtype.cast(value, span),
    }
}

fn number(value: &ConstValue, span: Span) -> Result<Num> {
    match value.as_int() {
        Some(v) => match v.to_i128() {
            Some(v) => Ok(Num::Int(v)),
            None => raise("OverflowError", span, "the int does not fit 64 bits"),
        },
        None => Ok(Num::Float(library::to_float(value, span)?)),
    }
}

/// The type that an argument names; `None` if there is none.
fn dtype_of(value: Option<&ConstValue>, span: Span) -> Result<Option<Dtype>> {
    Ok(Some(match value {
        None | Some(ConstValue::None) => return Ok(None),
        Some(ConstValue::Dtype(dtype)) => *dtype,
        Some(ConstValue::Type(crate::ir::Scalar::BOOL)) => Dtype::Bool,
        Some(ConstValue::Native(n)) if n.name == "int" => Dtype::Int(64),
        Some(ConstValue::Native(n)) if n.name == "float" => Dtype::Float(64),
        Some(ConstValue::Str(s)) if Dtype::named(s).is_some() => {
            // Just seen to be there.
            return Ok(Dtype::named(s));
        }
        Some(other) => {
            let message = format!("{} is no dtype", other.text());
            return raise("TypeError", span, message);
        }
    }))
}

/// An array of nested sequences of numbers.
fn array(
    value: &ConstValue,
    dtype: Option<Dtype>,
    span: Span,
    names: &mut dyn Names,
) -> Result<Table> {
    if let ConstValue::Table(t) = value {
        let dtype = dtype.unwrap_or(t.dtype);
        reserve(&t.shape, span, names)?;
        let values = t.values().into_iter().map(|v| dtype.cast(v, span));
        let values = values.collect::<Result<Vec<_>>>()?;
        return Ok(Table::new(dtype, t.shape.clone(), values));
    }
    let mut shape = Vec::new();
    extents(value, &mut shape, span)?;
    reserve(&shape, span, names)?;
    let mut leaves = Vec::new();
    flatten(value, &shape, &mut leaves, span)?;
    let inferred = leaves.iter().map(|(_, d)| *d).reduce(|a, b| match (a, b) {
        (Some(a), Some(b)) => Some(promote(a, b)),
        (known, None) | (None, known) => known,
    });
    let dtype = match (dtype, inferred) {
        (Some(dtype), _) => dtype,
        (None, Some(Some(dtype)))
            if dtype != Dtype::Bool || leaves.iter().all(|l| l.1.is_some()) =>
        {
            let ints = leaves.iter().any(|(_, d)| d.is_none());
            if ints {
                promote(dtype, Dtype::Int(64))
            } else {
                dtype
            }
        }
        (None, None) => Dtype::Float(64),
        (None, _) => {
            let big = |v: &Num| matches!(v, Num::Int(v) if *v > i128::from(i64::MAX));
            match leaves.iter().any(|(v, _)| big(v)) {
                true => Dtype::Uint(64),
                false => Dtype::Int(64),
            }
        }
    };
    let values = leaves.into_iter().map(|(v, _)| checked(dtype, v, span));
    Ok(Table::new(dtype, shape, values.collect::<Result<_>>()?))
}

fn extents(value: &ConstValue, shape: &mut Vec<usize>, span: Span) -> Result<()> {
    if shape.len() > MAX_RANK {
        return fail(codes::LIMIT, span, "the array has more than 16 dimensions");
    }
    match (value, value.sequence()) {
        (ConstValue::Table(t), _) => shape.extend(&t.shape),
        (ConstValue::Range(r), _) => shape.push(usize::try_from(r.len()).unwrap_or(usize::MAX)),
        (_, Some(items)) => {
            shape.push(items.len());
            if let Some(first) = items.first() {
                extents(first, shape, span)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The numbers in a nested sequence, each with its type; Python's ints have none of their own.
fn flatten(
    value: &ConstValue,
    shape: &[usize],
    out: &mut Vec<(Num, Option<Dtype>)>,
    span: Span,
) -> Result<()> {
    let ragged = || raise("ValueError", span, "the rows of the array differ in shape");
    match (value, value.sequence()) {
        (ConstValue::Table(t), _) if t.shape == shape => {
            out.extend(t.values().into_iter().map(|v| (v, Some(t.dtype))));
            Ok(())
        }
        (ConstValue::Range(r), _) if shape.len() == 1 && r.len() == shape[0] as u64 => {
            for i in 0..r.len() {
                out.push((Num::Int(r.at(i).to_i128().unwrap_or(0)), None));
            }
            Ok(())
        }
        (_, Some(items)) => match shape.split_first() {
            Some((extent, inner)) if items.len() == *extent => items
                .iter()
                .try_for_each(|item| flatten(item, inner, out, span)),
            _ => ragged(),
        },
        _ if shape.is_empty() => {
            let dtype = match value {
                ConstValue::Bool(_) => Some(Dtype::Bool),
                ConstValue::Float(_) => Some(Dtype::Float(64)),
                _ => None,
            };
            out.push((number(value, span)?, dtype));
            Ok(())
        }
        _ => ragged(),
    }
}

/// An array of the type of a name with elements in row-major order.
///
/// # Errors
/// What does not fit.
pub fn from_parts(
    dtype: &str,
    shape: Vec<usize>,
    numbers: &[ConstValue],
) -> std::result::Result<ConstValue, String> {
    let Some(dtype) = Dtype::named(dtype) else {
        return Err(format!("arrays of {dtype} are not supported"));
    };
    if count(&shape) != numbers.len() as u64 {
        return Err("the array is incomplete".into());
    }
    let span = Span::default();
    let values = numbers
        .iter()
        .map(|v| number(v, span).map(|v| dtype.fit(v)));
    match values.collect::<Result<Vec<_>>>() {
        Ok(values) => Ok(table(dtype, shape, values)),
        Err(_) => Err("the array holds something else than numbers".into()),
    }
}

/// `table[index]`.
pub fn index(
    t: &Rc<Table>,
    index: &ConstValue,
    span: Span,
    names: &mut dyn Names,
) -> Result<ConstValue> {
    match select(t, index, span)? {
        Selection::View(view) => {
            names.tick(span, 1)?;
            Ok(wrapped(view))
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

fn select(t: &Rc<Table>, index: &ConstValue, span: Span) -> Result<Selection> {
    let lists = match index {
        ConstValue::Table(m) if m.rank() > 0 => Some((**m).clone()),
        ConstValue::List(_) => {
            let items = index.sequence().unwrap_or_else(|| Rc::from([]));
            let numbers = items.iter().map(|i| number(i, span));
            let bools = items.iter().all(|i| matches!(i, ConstValue::Bool(_)));
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
                _ => raise("IndexError", span, "an index is out of range"),
            });
            Ok(Selection::Rows(numbers.collect::<Result<_>>()?, rows.shape))
        }
        Some(_) => raise("IndexError", span, "the array does not fit as an index"),
        None => view(t, index, span).map(Selection::View),
    }
}

/// The view that ints, slices, `...` and `None` select.
fn view(t: &Table, index: &ConstValue, span: Span) -> Result<Table> {
    let parts = match index {
        ConstValue::Tuple(parts) => parts.to_vec(),
        single => vec![single.clone()],
    };
    let consumed = |p: &&ConstValue| !matches!(p, ConstValue::None | ConstValue::Ellipsis);
    let used = parts.iter().filter(consumed).count();
    if used > t.rank() {
        let message = format!("{used} indices for an array of rank {}", t.rank());
        return raise("IndexError", span, message);
    }
    let (mut offset, mut axis) = (t.offset, 0);
    let mut placed: Vec<(usize, isize)> = Vec::new();
    for part in &parts {
        match part {
            ConstValue::Ellipsis => {
                for _ in 0..t.rank() - used {
                    placed.push((t.shape[axis], t.strides[axis]));
                    axis += 1;
                }
            }
            ConstValue::None => placed.push((1, 0)),
            ConstValue::Slice(slice) => {
                let range = library::slice_positions(slice, t.shape[axis], span)?;
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
                    return raise("IndexError", span, message);
                };
                let len = t.shape[axis] as i64;
                let i = i.to_i64().filter(|i| (-len..len).contains(i));
                let Some(i) = i else {
                    return raise("IndexError", span, "an index is out of range");
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
    index: &ConstValue,
    value: &ConstValue,
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
pub fn assign_all(t: &Rc<Table>, value: &ConstValue, span: Span, same_kind: bool) -> Result<()> {
    let ConstValue::Table(new) = value else {
        return Ok(());
    };
    if same_kind && new.dtype.is_float() && !t.dtype.is_float() {
        let message = format!("an array of {} cannot take floats in place", t.dtype.name());
        return raise("TypeError", span, message);
    }
    let value = Operand {
        table: (**new).clone(),
        weak: None,
    };
    store(t, &t.places(), &t.shape, &value, span)
}

fn store(t: &Table, places: &[usize], shape: &[usize], value: &Operand, span: Span) -> Result<()> {
    if t.buffer.frozen.get() {
        return library::frozen(span);
    }
    let fits = broadcast_shape(shape, &value.table.shape, span)?;
    if fits != shape {
        let message = format!("the shape {:?} does not fit {shape:?}", value.table.shape);
        return raise("ValueError", span, message);
    }
    let new = value.table.broadcast(shape).values();
    let new = new.into_iter().map(|v| match value.weak {
        Some(_) => checked(t.dtype, v, span),
        None => t.dtype.cast(v, span),
    });
    let new = new.collect::<Result<Vec<_>>>()?;
    let mut values = t.buffer.values.borrow_mut();
    for (place, v) in places.iter().zip(new) {
        values[*place] = v;
    }
    Ok(())
}

/// A plain attribute of an array.
pub fn attribute(t: &Rc<Table>, name: &str) -> Option<ConstValue> {
    Some(match name {
        "shape" => {
            let extents = t.shape.iter().map(|n| ConstValue::int(*n));
            ConstValue::tuple(extents.collect())
        }
        "dtype" => ConstValue::Dtype(t.dtype),
        "size" => ConstValue::int(t.len()),
        "ndim" => ConstValue::int(t.rank()),
        "T" => wrapped(t.transposed()),
        _ => return None,
    })
}

/// An attribute of a dtype.
pub fn dtype_attribute(dtype: Dtype, name: &str) -> Option<ConstValue> {
    let bits = match dtype {
        Dtype::Bool => 8,
        Dtype::Int(bits) | Dtype::Uint(bits) | Dtype::Float(bits) => bits,
    };
    Some(match name {
        "itemsize" => ConstValue::int(bits / 8),
        "type" => ConstValue::Dtype(dtype),
        _ => return None,
    })
}

/// A dtype or constant of the module.
pub fn member(name: &str) -> Option<ConstValue> {
    if name == "newaxis" {
        return Some(ConstValue::None);
    }
    Dtype::named(name).map(ConstValue::Dtype)
}

/// An int as a BigInt, for messages and shapes.
fn extent(value: &ConstValue, span: Span) -> Result<i64> {
    match value.as_int().as_ref().and_then(BigInt::to_i64) {
        Some(v) => Ok(v),
        None => raise("TypeError", span, "an extent is an int"),
    }
}

/// A shape argument: an int or a sequence of ints.
fn shape_of(value: &ConstValue, span: Span) -> Result<Vec<i64>> {
    match value.sequence() {
        Some(items) => items.iter().map(|v| extent(v, span)).collect(),
        None => Ok(vec![extent(value, span)?]),
    }
}

fn natural(shape: &[i64], span: Span) -> Result<Vec<usize>> {
    shape
        .iter()
        .map(|n| match usize::try_from(*n) {
            Ok(n) => Ok(n),
            Err(_) => raise("ValueError", span, "an extent is negative"),
        })
        .collect()
}
