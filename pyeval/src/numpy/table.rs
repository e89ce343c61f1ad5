//! numpy arrays as data: typed elements, and views of them.

use crate::numbers::{f64_from_int, round_to_half};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

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
    pub fn float(self) -> f64 {
        match self {
            Num::Int(v) => f64_from_int(&v.into()),
            Num::Float(v) => v,
        }
    }
    pub fn nonzero(self) -> bool {
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

    pub fn named(name: &str) -> Option<Dtype> {
        DTYPES.iter().find(|(n, _)| *n == name).map(|(_, d)| *d)
    }

    pub fn range(self) -> (i128, i128) {
        match self {
            Dtype::Bool => (0, 1),
            Dtype::Int(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Dtype::Uint(bits) => (0, (1 << bits) - 1),
            Dtype::Float(_) => (i128::MIN, i128::MAX),
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Dtype::Float(_))
    }

    /// The value in this type: ints wrap, floats are rounded to nearest even.
    pub fn fit(self, value: Num) -> Num {
        match (self, value) {
            (Dtype::Float(bits), value) => Num::Float(round_to(bits, value.float())),
            (Dtype::Bool, value) => Num::Int(i128::from(value.nonzero())),
            (Dtype::Uint(bits), Num::Int(v)) => Num::Int(v & ((1 << bits) - 1)),
            (Dtype::Int(bits), Num::Int(v)) => Num::Int(v << (128 - bits) >> (128 - bits)),
            // Out of range is refused before.
            (_, Num::Float(v)) => self.fit(Num::Int(v as i128)),
        }
    }

    /// The type of functions such as `sin` of it.
    pub fn as_float(self) -> Dtype {
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
pub fn round_to(bits: u32, v: f64) -> f64 {
    match bits {
        64 => v,
        32 => f64::from(v as f32),
        _ => round_to_half(v),
    }
}

/// The common type of two arrays, by numpy's lattice.
pub fn promote(a: Dtype, b: Dtype) -> Dtype {
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
pub struct Buffer {
    /// In the order of memory.
    pub values: RefCell<Vec<Num>>,
    /// Whether they may not change any more.
    pub frozen: Cell<bool>,
}

/// An array, or a view of one; rank 0 is a numpy scalar.
#[derive(Clone, Debug)]
pub struct Table {
    /// Type of its elements.
    pub dtype: Dtype,
    /// Extents.
    pub shape: Vec<usize>,
    /// Distance of neighbours along each dimension.
    pub strides: Vec<isize>,
    /// Place of the first element.
    pub offset: isize,
    /// The elements.
    pub buffer: Rc<Buffer>,
}

pub fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as isize;
    }
    strides
}

pub fn count(shape: &[usize]) -> u64 {
    shape
        .iter()
        .fold(1u64, |n, extent| n.saturating_mul(*extent as u64))
}

impl Table {
    /// A fresh array of elements in row-major order, as many as the shape has.
    pub fn new(dtype: Dtype, shape: Vec<usize>, values: Vec<Num>) -> Table {
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

    pub fn scalar(dtype: Dtype, value: Num) -> Table {
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
    pub fn places(&self) -> Vec<usize> {
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
    pub fn values(&self) -> Vec<Num> {
        let values = self.buffer.values.borrow();
        if self.strides == row_major(&self.shape) {
            let start = self.offset as usize;
            return values[start..start + self.len()].to_vec();
        }
        self.places().into_iter().map(|p| values[p]).collect()
    }

    /// The part with a fixed first index.
    pub fn row(&self, i: usize) -> Table {
        Table {
            shape: self.shape[1..].to_vec(),
            strides: self.strides[1..].to_vec(),
            offset: self.offset + i as isize * self.strides[0],
            ..self.clone()
        }
    }

    pub fn broadcast(&self, shape: &[usize]) -> Table {
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

    pub fn reshaped(&self, shape: Vec<usize>) -> Table {
        if self.strides == row_major(&self.shape) {
            return Table {
                strides: row_major(&shape),
                shape,
                ..self.clone()
            };
        }
        Table::new(self.dtype, shape, self.values())
    }

    pub fn transposed(&self) -> Table {
        Table {
            shape: self.shape.iter().rev().copied().collect(),
            strides: self.strides.iter().rev().copied().collect(),
            ..self.clone()
        }
    }
}
