//! The kernel as structured control flow over typed SSA values and named arrays.
//!
//! A [`Program`] holds kernels; a [`Kernel`] owns two arenas, its values and its arrays, and a
//! body [`Block`]. A block is a list of operations in program order plus the values that it
//! yields to the operation around it. Every value is defined once, by an operation's `results` or
//! by a block parameter (the induction variable and the carried values of a loop), and is visible
//! in what follows it in its block and in the blocks nested there.
//!
//! Meaning:
//! - Integers are two's complement of their type's width; arithmetic wraps. `index` is a 64-bit
//!   signed integer. Floats are IEEE 754 of any exponent and fraction width; each operation rounds
//!   once, to nearest even, and gives the canonical NaN; a `Convert` says how it rounds.
//! - Arrays are distinct row-major memories: no two names alias. Only `Load`, `Store`, `Fill`, `Copy`
//!   and `Call` touch them, in program order. A store outside the bounds of any dimension has no
//!   effect, a load there gives an unspecified value and is harmless.
//! - A stream is an array of queues. `Get` waits for an element and takes it, `Put` waits for room: the operations of one
//!   kernel on streams happen in program order, and those of kernels that run at the same time whenever they can.
//! - All other operations are pure and total, so they may be executed speculatively.
//! - `For` computes its trip count before the first iteration; only a loop that `descends`
//!   counts down, any other with a step <= 0 runs no iteration. With `parallel`, the iterations may run in any order.

pub mod analysis;
pub mod build;
pub mod conversion;
pub mod copy;
pub mod grid;
pub mod op;
pub mod operator;
pub mod partition;
pub mod path;
pub mod print;
pub mod promise;
pub mod read;
pub mod rewrite;
pub mod storage;
pub mod tags;
pub mod types;
pub mod validate;

use crate::arena::{Arena, Id};
use crate::diagnostics::Span;
use num_bigint::{BigInt, BigUint};
use std::collections::{BTreeSet, HashMap};

pub use build::Build;
pub use conversion::{Conversion, Overflow, Rounding};
pub use op::*;
pub use operator::{Control, Foreign, Operate};
pub use partition::{Partition, PartitionKind};
pub use path::{Path, leads_to};
pub use promise::{Hazard, Promise, Scope};
pub use storage::StorageFormat;
pub use tags::{
    ArrayTags, DISTRIBUTED_BITS, MOST_PORTS, MOST_READS, MemoryKind, Pipeline, Tags, TileTag,
    Unroll, copies,
};
pub use types::{FloatFormat, Scalar};

/// Handle of a value of a kernel.
pub type ValueId = Id<Value>;
/// Handle of an array of a kernel.
pub type ArrayId = Id<Array>;
/// Handle of a kernel of a program.
pub type KernelId = Id<Kernel>;

/// The kernels reachable from `top`; callees come before callers.
#[derive(Clone, Debug)]
pub struct Program {
    /// All kernels.
    pub kernels: Arena<Kernel>,
    /// The one that becomes the top module.
    pub top: KernelId,
}

/// One concrete kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name as the module will have it (`fill_i32_4` for the template instance `fill[i32, 4]`).
    pub name: String,
    /// The `def` line.
    pub span: Span,
    /// All values.
    pub values: Arena<Value>,
    /// All arrays.
    pub arrays: Arena<Array>,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Results in order.
    pub results: Vec<ResultSlot>,
    /// The body; yields the scalar results in order.
    pub body: Block,
    /// Its calls, and what is between them, run at the same time as far as arrays and scalars allow.
    pub dataflow: bool,
    /// How many workers share the iterations of each of its outermost loops, where it is called in a network; none: it is not shared.
    pub mapping: Vec<u64>,
    /// The module of the user's that computes it wherever it is called; then it has scalars only.
    pub foreign: Option<Box<Foreign>>,
    /// Cycles that an addition of its widest floats takes on the target, if it has some and that is known.
    pub sum_cycles: Option<u32>,
}

/// A typed SSA value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub ty: Scalar,
    /// The source name it was bound to, if any.
    pub name: Option<String>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub enum Param {
    /// Passed by value; the value carries its name.
    Scalar(ValueId),
    /// Passed by reference.
    Array(ArrayId),
}

/// A result of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultSlot {
    /// The next value yielded by the body.
    Scalar(Scalar),
    /// A fresh array, of kind [`ArrayKind::Result`].
    Array(ArrayId),
}

/// Elements of an array that is passed by the caller, at most.
pub const MOST_OUTSIDE: u64 = 1 << 62;
/// Elements of any other array, at most.
pub const MOST_INSIDE: u64 = (1 << 32) - 1;

/// A named memory.
#[derive(Clone, Debug)]
pub struct Array {
    /// Source name, or `ap_return` (`ap_return_<i>` in a tuple) for results without one.
    pub name: String,
    /// Element type.
    pub elem: Scalar,
    /// Extent of each dimension; empty for rank 0. No extent is 0.
    pub shape: Vec<u64>,
    /// Where it lives.
    pub kind: ArrayKind,
    /// How it is split into banks, if that is directed; each dimension at most once.
    pub partition: Vec<Partition>,
    /// What else is directed for it.
    pub tags: ArrayTags,
    /// Its elements are queues of elements: only `Get` and `Put` touch them.
    pub stream: Option<Stream>,
    /// Its declaration.
    pub span: Span,
}

impl ArrayKind {
    /// The constants that the elements are at first, where that is known.
    pub fn contents(&self) -> Option<&[Const]> {
        match self {
            ArrayKind::Table(contents) | ArrayKind::State(contents) => Some(contents),
            ArrayKind::Param(_) | ArrayKind::Result(_) | ArrayKind::Local => None,
        }
    }
    /// Ports of such an array's memories, at most.
    pub fn most_ports(&self) -> u32 {
        match self {
            ArrayKind::Param(_) | ArrayKind::Result(_) => MOST_PORTS,
            ArrayKind::Local | ArrayKind::Table(_) | ArrayKind::State(_) => MOST_READS,
        }
    }
    /// Elements of such an array, at most.
    pub fn most_elements(&self) -> u64 {
        match self {
            ArrayKind::Param(_) => MOST_OUTSIDE,
            _ => MOST_INSIDE,
        }
    }
    /// Whether it keeps its elements from one invocation to the next.
    pub fn is_state(&self) -> bool {
        matches!(self, ArrayKind::State(_))
    }
}

impl Array {
    /// Makes a queue of its elements: of its storage nothing that was directed holds any more.
    pub fn become_stream(&mut self, depth: u64) {
        self.shape = Vec::new();
        self.partition = Vec::new();
        self.tags = ArrayTags::default();
        self.stream = Some(Stream {
            depth,
            tokens: Vec::new(),
            packed: None,
        });
    }
    /// Memories that it is split into.
    pub fn banks(&self) -> u64 {
        partition::banks(&self.shape, &self.partition)
    }
    /// Accesses that all of them together serve in a cycle.
    pub fn most_ports(&self) -> u64 {
        self.banks().saturating_mul(self.tags.most_ports().into())
    }
    /// Number of elements, 1 for rank 0.
    pub fn len(&self) -> u64 {
        self.shape.iter().product()
    }
    /// Whether it is split into banks of one element each, of several.
    pub fn is_elementwise(&self) -> bool {
        let banks: u64 = self.partition.iter().map(|one| one.factor).product();
        self.len() > 1 && banks == self.len()
    }
    /// Never: extents are positive. Present because `len` is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What queues are like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Elements that each holds, at least 1.
    pub depth: u64,
    /// What each holds at the start, oldest first.
    pub tokens: Vec<Const>,
    /// What an element is, if it is a block.
    pub packed: Option<Packed>,
}

/// A block of elements as one integer: the first of them in the lowest bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Type of each.
    pub elem: Scalar,
    /// Extents of the block.
    pub shape: Vec<u64>,
}

impl Packed {
    /// Elements of a block.
    pub fn len(&self) -> u64 {
        self.shape.iter().product()
    }
    /// Never: extents are positive. Present because `len` is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Where an array lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrayKind {
    /// Passed by the caller: `params[i]`.
    Param(usize),
    /// Made by the kernel for the caller: `results[i]`. Contents undefined at the start.
    Result(usize),
    /// Private. Contents undefined at the start.
    Local,
    /// Private and constant, one constant per element in row-major order.
    Table(Vec<Const>),
    /// Private, and kept from one invocation to the next: what its elements are after a reset, in row-major order.
    State(Vec<Const>),
}

/// A constant of the type of the value it defines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// An integer or index, within its type's range.
    Int(BigInt),
    /// The bit pattern of a float.
    Float(BigUint),
}

impl Const {
    /// The zero of a type.
    pub fn zero(ty: Scalar) -> Const {
        match ty {
            Scalar::Float(_) | Scalar::Storage(_) => Const::Float(0u32.into()),
            _ => Const::Int(0.into()),
        }
    }
}

/// Operations in program order and the values handed to the operation around them.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In program order.
    pub ops: Vec<Op>,
    /// What they mean is said at each use of `Block`.
    pub yields: Vec<ValueId>,
}

impl Program {
    /// A program of one kernel, which calls no others.
    pub fn alone(kernel: Kernel) -> Program {
        let mut kernels = Arena::new();
        let top = kernels.push(kernel);
        Program { kernels, top }
    }
    /// Whether some array keeps its elements from one invocation to the next.
    pub fn keeps_state(&self) -> bool {
        let mut arrays = self
            .kernels
            .values()
            .flat_map(|kernel| kernel.arrays.values());
        arrays.any(|array| array.kind.is_state())
    }
    /// Puts a kernel before another one, which may call it then; that and those behind get the next handles.
    pub fn insert(&mut self, before: KernelId, kernel: Kernel) {
        let moved = |id: KernelId| match id < before {
            true => id,
            false => KernelId::new(id.index() + 1),
        };
        let mut kernels = Arena::new();
        for (id, mut old) in std::mem::take(&mut self.kernels).into_entries() {
            if id == before {
                kernels.push(kernel.clone());
            }
            old.body.for_each_op_mut(&mut |op| {
                if let OpKind::Call(call) = &mut op.kind {
                    call.kernel = moved(call.kernel);
                }
            });
            kernels.push(old);
        }
        self.kernels = kernels;
        self.top = moved(self.top);
    }
}

impl Kernel {
    /// Removes arrays that nothing refers to, those for which `keep` is false; the others get new handles.
    pub fn retain_arrays(&mut self, keep: impl Fn(ArrayId, &Array) -> bool) {
        let mut arrays = Arena::new();
        let mut moved = HashMap::new();
        for (id, array) in self.arrays.iter().filter(|(id, array)| keep(*id, array)) {
            moved.insert(id, arrays.push(array.clone()));
        }
        if arrays.len() == self.arrays.len() {
            return;
        }
        self.arrays = arrays;
        let rename = &mut |id: &mut ArrayId| *id = moved[id];
        self.body.for_each_array(rename);
        for param in &mut self.params {
            if let Param::Array(id) = param {
                rename(id);
            }
        }
        for slot in &mut self.results {
            if let ResultSlot::Array(id) = slot {
                rename(id);
            }
        }
    }
}

impl Block {
    /// Calls `f` on every value read in the block and the blocks nested in it.
    pub fn for_each_use(&mut self, f: &mut dyn FnMut(&mut ValueId)) {
        for op in &mut self.ops {
            op.kind.for_each_operand(f);
            for inner in op.kind.blocks_mut() {
                inner.for_each_use(f);
            }
        }
        self.yields.iter_mut().for_each(f);
    }

    /// Calls `f` on every operation of the block and of the blocks nested in it, outer ones first.
    pub fn for_each_op<'b>(&'b self, f: &mut dyn FnMut(&'b Op)) {
        for op in &self.ops {
            f(op);
            for inner in op.kind.blocks() {
                inner.for_each_op(f);
            }
        }
    }

    /// The same, to change them.
    pub fn for_each_op_mut(&mut self, f: &mut dyn FnMut(&mut Op)) {
        for op in &mut self.ops {
            f(op);
            for inner in op.kind.blocks_mut() {
                inner.for_each_op_mut(f);
            }
        }
    }

    /// Values that the block and the blocks nested in it define, parameters of loops among them.
    pub fn defined(&self) -> BTreeSet<ValueId> {
        let mut defined = BTreeSet::new();
        self.for_each_op(&mut |op| {
            defined.extend(&op.results);
            match &op.kind {
                OpKind::For(f) => {
                    defined.insert(f.iv);
                    defined.extend(&f.carried);
                }
                OpKind::While(w) => defined.extend(&w.carried),
                _ => {}
            }
        });
        defined
    }

    /// Whether an operation of the block or of the blocks nested in it is as wanted.
    pub fn any_op(&self, wanted: &dyn Fn(&Op) -> bool) -> bool {
        let mut ops = self.ops.iter();
        ops.any(|op| wanted(op) || op.kind.blocks().iter().any(|inner| inner.any_op(wanted)))
    }

    /// Calls `f` on every array named in the block and the blocks nested in it.
    pub fn for_each_array(&mut self, f: &mut dyn FnMut(&mut ArrayId)) {
        for op in &mut self.ops {
            op.kind.for_each_array(f);
            for inner in op.kind.blocks_mut() {
                inner.for_each_array(f);
            }
        }
    }
}
