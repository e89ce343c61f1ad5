//! Runtime values: exact integers and float bit patterns, with a mark on what is unspecified.

use crate::ir::analysis::assumed::Facts;
use crate::ir::analysis::ranges::Range;
use crate::ir::{
    Array, ArrayKind, Const, Kernel, Op, OpKind, Packed, Param, Program, ResultSlot, Scalar,
};
use crate::rtl::interface::manifest::Flow;
use crate::sim::integer::ExactInt;
use crate::transform::network::Network;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Widest integer type whose values are machine words here.
const WORD: u32 = 64;

/// The number in a [`Value`]. Its type says which variant it is: [`Data::Int`] for integers of at
/// most 64 bits and index, [`Data::Big`] for wider ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A narrow integer, in its type's range.
    Int(i128),
    /// A wide integer, in its type's range.
    Big(Box<BigInt>),
    /// The bit pattern of a float.
    Float(u128),
}

/// A scalar at run time. It does not know its type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The number.
    pub data: Data,
    /// Unspecified by the language: it comes from a read outside an array or of an element that
    /// was never written. Nothing may be concluded from its number.
    pub tainted: bool,
}

impl Default for Data {
    fn default() -> Data {
        Data::Int(0)
    }
}

impl Data {
    /// The low bits of `number` in a type; for a float type they are its bit pattern.
    pub fn wrapped(ty: Scalar, number: BigInt) -> Data {
        match ty {
            Scalar::Float(_) | Scalar::Storage(_) => {
                Data::Float(number.low(ty.width(), false).to_u128().unwrap_or_default())
            }
            _ if ty.width() <= WORD => {
                let low = match number.to_i128() {
                    Some(number) => number.low(ty.width(), ty.is_signed()),
                    None => {
                        let low = number.low(ty.width(), ty.is_signed());
                        low.to_i128().unwrap_or_default()
                    }
                };
                Data::Int(low)
            }
            _ => Data::Big(Box::new(number.low(ty.width(), ty.is_signed()))),
        }
    }
    /// The integer, or a float's bit pattern as an unsigned one.
    pub fn to_bigint(&self) -> BigInt {
        match self {
            Data::Int(i) => BigInt::from(*i),
            Data::Big(b) => (**b).clone(),
            Data::Float(bits) => BigInt::from(*bits),
        }
    }
    /// Whether it is an integer other than 0.
    pub fn is_true(&self) -> bool {
        match self {
            Data::Int(i) => *i != 0,
            Data::Big(b) => b.sign() != num_bigint::Sign::NoSign,
            Data::Float(_) => false,
        }
    }
    /// The integer as `u32`, if it is one.
    pub fn as_u32(&self) -> Option<u32> {
        match self {
            Data::Int(i) => i.as_u32(),
            Data::Big(b) => b.as_u32(),
            Data::Float(_) => None,
        }
    }
}

impl Value {
    /// A specified value.
    pub fn new(data: Data) -> Value {
        Value {
            data,
            tainted: false,
        }
    }
    /// An integer, cut to its type.
    pub fn int(ty: Scalar, number: i128) -> Value {
        match ty.width() <= WORD {
            true => Value::new(Data::Int(number.low(ty.width(), ty.is_signed()))),
            false => Value::wrapped(ty, number),
        }
    }
    /// The value of a type with the low bits of `number`.
    pub fn wrapped(ty: Scalar, number: impl Into<BigInt>) -> Value {
        Value::new(Data::wrapped(ty, number.into()))
    }
    /// A constant of the `ir`.
    pub fn from_const(ty: Scalar, constant: &Const) -> Value {
        match constant {
            Const::Int(i) => Value::wrapped(ty, i.clone()),
            Const::Float(bits) => Value::wrapped(ty, bits.clone()),
        }
    }
    /// An unspecified value of a type.
    pub fn unspecified(ty: Scalar) -> Value {
        Value {
            tainted: true,
            ..Value::wrapped(ty, 0)
        }
    }
    /// The bit pattern in a type, as it stands on a port.
    pub fn pattern(&self, ty: Scalar) -> BigUint {
        self.data
            .to_bigint()
            .low(ty.width(), false)
            .to_biguint()
            .unwrap_or_default()
    }
    /// The same in words, the lowest first; those that it does not need become 0.
    pub fn write_pattern(&self, ty: Scalar, words: &mut [u64]) {
        let put = |words: &mut [u64], digits: &mut dyn Iterator<Item = u64>| {
            for word in words {
                *word = digits.next().unwrap_or(0);
            }
        };
        match &self.data {
            Data::Int(i) => {
                let low = (*i).low(ty.width(), false) as u64;
                put(words, &mut [low].into_iter());
            }
            Data::Float(bits) => {
                put(words, &mut [*bits as u64, (*bits >> 64) as u64].into_iter());
            }
            Data::Big(_) => put(words, &mut self.pattern(ty).iter_u64_digits()),
        }
    }
    /// The value of a type with a bit pattern, given in words, the lowest first, with no bit past the width.
    pub fn of_pattern(ty: Scalar, words: &[u64]) -> Value {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        match ty {
            Scalar::Float(_) | Scalar::Storage(_) => {
                let (low, high) = (u128::from(word(0)), u128::from(word(1)));
                Value::new(Data::Float(high << 64 | low))
            }
            _ if ty.width() <= WORD => Value::int(ty, i128::from(word(0))),
            _ => {
                let halves = words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]);
                Value::wrapped(ty, BigUint::new(halves.collect()))
            }
        }
    }
}

/// What a kernel takes or gives in one place: a scalar, or an array of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Source name; of results `ap_return`, in a tuple `ap_return_<i>`.
    pub name: String,
    /// Type of the scalar or of the elements.
    pub ty: Scalar,
    /// Shape of an array, `None` for a scalar.
    pub shape: Option<Vec<u64>>,
    /// Which way elements go if it is a stream, as an array of the elements that may be transferred.
    pub flow: Option<Flow>,
    /// What an element of a stream is, if it is a block: those of the slot are integers of all its bits.
    pub packed: Option<Packed>,
}

/// Elements of a stream of the top kernel that a run can transfer.
pub const MOST_TRANSFERS: u64 = 1 << 20;

impl Slot {
    fn of_array(array: &Array) -> Slot {
        Slot {
            name: array.name.clone(),
            ty: array.elem,
            shape: Some(match array.stream {
                None => array.shape.clone(),
                Some(_) => vec![MOST_TRANSFERS],
            }),
            flow: None,
            packed: array
                .stream
                .as_ref()
                .and_then(|stream| stream.packed.clone()),
        }
    }
    /// Number of elements; 1 for a scalar.
    pub fn len(&self) -> usize {
        self.shape.iter().flatten().product::<u64>() as usize
    }
    /// Whether it has no element, which no valid slot is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether it is a stream.
    pub fn is_stream(&self) -> bool {
        self.flow.is_some()
    }
    /// Type of what files hold: of the elements of blocks, if it is a stream of them.
    pub fn leaf(&self) -> Scalar {
        self.packed.as_ref().map_or(self.ty, |packed| packed.elem)
    }
    /// What stands for an element in files: the elements of a block, or itself.
    pub fn leaves(&self, value: &Value) -> Vec<Value> {
        let Some(packed) = &self.packed else {
            return vec![value.clone()];
        };
        if value.tainted {
            return vec![Value::unspecified(packed.elem); packed.len() as usize];
        }
        let (bits, width) = (value.pattern(self.ty), packed.elem.width());
        let places = 0..packed.len();
        let leaf = |place: u64| {
            let own = (&bits >> (place * u64::from(width))) & ((BigUint::from(1u8) << width) - 1u8);
            Value::of_pattern(packed.elem, &own.to_u64_digits())
        };
        places.map(leaf).collect()
    }
    /// Elements from what stands for them in files, the inverse of [`Slot::leaves`].
    pub fn gathered(&self, leaves: Vec<Value>) -> Vec<Value> {
        let Some(packed) = &self.packed else {
            return leaves;
        };
        let width = packed.elem.width();
        let block = |leaves: &[Value]| {
            let patterns = leaves.iter().rev().map(|leaf| leaf.pattern(packed.elem));
            let bits = patterns.fold(BigUint::default(), |above, own| (above << width) | own);
            Value::of_pattern(self.ty, &bits.to_u64_digits())
        };
        leaves.chunks(packed.len() as usize).map(block).collect()
    }
    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.shape.is_some()
    }
    /// The subscripts of a row-major position.
    pub fn subscripts(&self, mut position: usize) -> Vec<u64> {
        let shape = self.shape.as_deref().unwrap_or(&[]);
        let mut out = vec![0; shape.len()];
        for (index, &extent) in out.iter_mut().zip(shape).rev() {
            *index = position as u64 % extent;
            position /= extent as usize;
        }
        out
    }
    /// `a[1, 2]` for a position of an array, the bare name for a scalar or rank 0.
    pub fn element_name(&self, position: usize) -> String {
        let subscripts: Vec<String> = self
            .subscripts(position)
            .iter()
            .map(u64::to_string)
            .collect();
        if subscripts.is_empty() {
            self.name.clone()
        } else {
            format!("{}[{}]", self.name, subscripts.join(", "))
        }
    }
}

/// The parameters and results of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// In order.
    pub params: Vec<Slot>,
    /// In order.
    pub results: Vec<Slot>,
    /// Whether an invocation finds what the one before left.
    pub keeps_state: bool,
    /// How many processes ask what depends on timing.
    pub timed: usize,
    /// Whether accesses are promised not to depend on one another.
    pub is_apart: bool,
    /// Within which ranges scalar parameters are assumed to be, by their number.
    pub assumed: BTreeMap<usize, Range>,
}

/// What is assumed of the scalar parameters of a kernel wherever it runs.
fn assumed(kernel: &Kernel) -> BTreeMap<usize, Range> {
    let facts = Facts::of(kernel, &kernel.body);
    let mut assumed: BTreeMap<usize, Range> = BTreeMap::new();
    for op in &kernel.body.ops {
        let OpKind::Assume { cond } = op.kind else {
            continue;
        };
        for (value, (low, high)) in facts.follow(cond) {
            let is_it = |param: &Param| matches!(param, Param::Scalar(own) if *own == value);
            if let Some(number) = kernel.params.iter().position(is_it) {
                let known = assumed.entry(number).or_insert((low, high));
                *known = (known.0.max(low), known.1.min(high));
            }
        }
    }
    assumed
}

impl Signature {
    /// That of a program's top kernel.
    pub fn of(program: &Program) -> Signature {
        let network = Network::as_written(program).ok().flatten();
        Signature::with(program, network.as_ref())
    }

    /// The same, where the network is known that the program is.
    pub fn with(program: &Program, network: Option<&Network>) -> Signature {
        let kernel = &program.kernels[program.top];
        let params = kernel.params.iter().map(|param| match param {
            Param::Array(id) => Slot::of_array(&kernel.arrays[*id]),
            Param::Scalar(id) => Slot {
                name: kernel.values[*id].name.clone().unwrap_or_default(),
                ty: kernel.values[*id].ty,
                shape: None,
                flow: None,
                packed: None,
            },
        });
        let single = kernel.results.len() == 1;
        let results = kernel.results.iter().enumerate().map(|(i, slot)| Slot {
            name: if single {
                "ap_return".into()
            } else {
                format!("ap_return_{i}")
            },
            ..match slot {
                ResultSlot::Array(id) => Slot::of_array(&kernel.arrays[*id]),
                ResultSlot::Scalar(ty) => Slot {
                    name: String::new(),
                    ty: *ty,
                    shape: None,
                    flow: None,
                    packed: None,
                },
            }
        });
        let mut params: Vec<Slot> = params.collect();
        // Of streams, what the network does with them.
        if let Some(network) = network {
            for (id, users) in network.users() {
                if let ArrayKind::Param(number) = network.kernel.arrays[id].kind {
                    params[number].flow = Some(match users.producer {
                        Some(_) => Flow::Out,
                        None => Flow::In,
                    });
                }
            }
        }
        Signature {
            params,
            results: results.collect(),
            keeps_state: program.keeps_state(),
            is_apart: program.kernels.values().any(|kernel| {
                let promises = |op: &Op| matches!(op.kind, OpKind::Promise(_));
                kernel.body.any_op(&promises)
            }),
            assumed: assumed(kernel),
            timed: network.map_or(0, |network| {
                let processes = network.processes.iter();
                processes.filter(|process| process.is_timed()).count()
            }),
        }
    }
}
