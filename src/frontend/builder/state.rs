//! What a kernel under construction consists of: its values and arrays, the blocks that are open, and vectors, whose lanes may be
//! values of an open loop.

use crate::arena::Arena;
use crate::diagnostics::Span;
use crate::frontend::options::Options;
use crate::ir::{self, Array, ArrayId, Const, Op, Scalar, ValueId};
use num_bigint::BigInt;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::rc::{Rc, Weak};

#[derive(Default)]
pub(super) struct OpenBlock {
    pub(super) ops: Vec<Op>,
    pub(super) consts: HashMap<(Scalar, Const), ValueId>,
}

/// The kernel under construction and the blocks that are open in it.
pub struct Builder {
    /// Typing style and other options.
    pub options: Options,
    /// All values so far.
    pub values: Arena<ir::Value>,
    /// All arrays so far.
    pub arrays: Arena<Array>,
    pub(super) blocks: Vec<OpenBlock>,
    /// Constants, which several places may share.
    pub(super) shared: HashSet<ValueId>,
    /// Constants that stand for what a known side of `and` or `or` decides.
    pub(super) decided: HashMap<ValueId, bool>,
    /// Integers that are known: constants, sums and products of such, converted or not.
    pub(super) integers: HashMap<ValueId, BigInt>,
    /// Floats that are no subnormals, where these are flushed.
    pub(super) flushed: HashSet<ValueId>,
    /// The loop over lanes that operations on vectors are added to.
    pub(super) lane_loop: Option<LaneLoop>,
    /// Arrays of lanes that more than one vector needs.
    pub(super) keeping: HashMap<ArrayId, Keeping>,
    /// A line for each typing decision, if anybody asked for them.
    pub explanation: Option<Vec<String>>,
}

impl Builder {
    /// An empty kernel with its body open.
    pub fn new(options: Options) -> Self {
        Builder {
            options,
            values: Arena::new(),
            arrays: Arena::new(),
            blocks: vec![OpenBlock::default()],
            shared: HashSet::new(),
            decided: HashMap::new(),
            integers: HashMap::new(),
            flushed: HashSet::new(),
            lane_loop: None,
            keeping: HashMap::new(),
            explanation: None,
        }
    }
}

/// The type of a vector or a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorType {
    /// Type of the lanes; `u1` of a mask.
    pub elem: Scalar,
    /// Number of lanes.
    pub lanes: u64,
    /// Whether it is a mask.
    pub is_mask: bool,
}

impl VectorType {
    /// Numbers of lanes that masks have.
    pub const MASKS: [u64; 5] = [32, 64, 128, 256, 512];

    /// Bits of a vector.
    const BITS: u64 = 2048;

    /// `vreg[elem]`.
    pub fn vreg(elem: Scalar) -> VectorType {
        VectorType {
            elem,
            lanes: Self::BITS / u64::from(elem.width()),
            is_mask: false,
        }
    }

    /// `mask[lanes]`.
    pub fn mask(lanes: u64) -> VectorType {
        VectorType {
            elem: Scalar::BOOL,
            lanes,
            is_mask: true,
        }
    }
}

impl fmt::Display for VectorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_mask {
            true => write!(f, "mask[{}]", self.lanes),
            false => write!(f, "vreg[{}]", self.elem),
        }
    }
}

/// A vector or a mask: its lanes never change.
pub struct Vector {
    /// Its type.
    pub ty: VectorType,
    pub(super) state: RefCell<State>,
}

impl fmt::Debug for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ty.fmt(f)
    }
}

/// What else than one vector an array of lanes is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeping {
    /// The lanes of a variable whenever a block begins and when it ends: it is written again.
    Home,
    /// Lanes that are read across, by what does not keep the vector.
    Lent,
}

impl Vector {
    /// The array that has its lanes, if there is one.
    pub fn array(&self) -> Option<ArrayId> {
        match *self.state.borrow() {
            State::Array(array) => Some(array),
            _ => None,
        }
    }

    pub(super) fn is_lane(&self) -> bool {
        matches!(*self.state.borrow(), State::Lane(_))
    }
}

/// What gives a lane, in the body of the open loop over lanes and from its variable.
pub(super) type Formula = Rc<dyn Fn(&mut Builder, ValueId) -> ValueId>;

#[derive(Clone)]
pub(super) enum State {
    /// A value in the body of the open loop.
    Lane(ValueId),
    /// Elements of an array that nothing writes while this vector is in use.
    Array(ArrayId),
    /// Computed again wherever it is used.
    Formula(Formula),
}

/// The loop that operations on lanes are added to.
pub(super) struct LaneLoop {
    pub(super) lanes: u64,
    pub(super) iv: ValueId,
    pub(super) block: OpenBlock,
    /// Vectors that are values of the body.
    pub(super) made: Vec<Weak<Vector>>,
    /// Arrays of the kernel that are accessed, from which offset on, and whether they are written.
    pub(super) accesses: Vec<Access>,
    pub(super) span: Span,
}

/// An access of the lanes of an array.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Which array.
    pub array: ArrayId,
    /// The element of lane 0.
    pub offset: ValueId,
    /// The offset, if it is a constant.
    pub known: Option<u64>,
    /// Whether it is written.
    pub writes: bool,
}

impl Access {
    /// Whether the two are not to stand in one loop over so many lanes: another lane of the one may be the element of the other.
    pub(super) fn conflicts(&self, other: &Access, lanes: u64) -> bool {
        let is_apart = match (self.known, other.known) {
            (Some(one), Some(other)) => one == other || one.abs_diff(other) >= lanes,
            _ => self.offset == other.offset,
        };
        self.array == other.array && !is_apart && (self.writes || other.writes)
    }
}
