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
//!   once, to nearest even, and gives the canonical NaN.
//! - Arrays are distinct row-major memories: no two names alias. Only `Load`, `Store`, `Fill`, `Copy`
//!   and `Call` touch them, in program order. A store outside the bounds of any dimension has no
//!   effect, a load there gives an unspecified value and is harmless.
//! - All other operations are pure and total, so they may be executed speculatively.
//! - `For` computes its trip count before the first iteration; only a loop that `descends`
//!   counts down, any other with a step <= 0 runs no iteration. With `parallel`, the iterations may run in any order.

pub mod print;
pub mod storage;
pub mod types;
pub mod validate;

use crate::arena::{Arena, Id};
use crate::diagnostics::Span;
use num_bigint::{BigInt, BigUint};
use std::collections::HashSet;
pub use storage::StorageFormat;
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
    /// Results of loads whose value is not used where the store of the iteration before was to the same element: they
    /// need not wait for it.
    pub bypassed: HashSet<ValueId>,
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
    /// Its declaration.
    pub span: Span,
}

impl Array {
    /// Number of elements, 1 for rank 0.
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

/// One operation.
#[derive(Clone, Debug)]
pub struct Op {
    /// What it does, with its operands.
    pub kind: OpKind,
    /// Values it defines.
    pub results: Vec<ValueId>,
    /// The expression or statement it comes from.
    pub span: Span,
}

/// What an operation does.
#[derive(Clone, Debug)]
pub enum OpKind {
    /// A constant of the result's type.
    Const(Const),
    /// `op arg`, result of the type of `arg`.
    Unary { op: UnaryOp, arg: ValueId },
    /// `lhs op rhs`: both of the result's type, except that the amount of a shift has a type of its own.
    Binary {
        op: BinaryOp,
        lhs: ValueId,
        rhs: ValueId,
    },
    /// `lhs op rhs` of two values of one type; the result is `u1`.
    Compare {
        op: CompareOp,
        lhs: ValueId,
        rhs: ValueId,
    },
    /// `lhs * rhs + add`, rounded once; floats of one type.
    Fma {
        lhs: ValueId,
        rhs: ValueId,
        add: ValueId,
    },
    /// Conversion to the result's type by the rules of the language's casts.
    Cast { arg: ValueId },
    /// The same bits as a number of the result's type, which has the same width.
    Bitcast { arg: ValueId },
    /// `cond ? on_true : on_false`; `cond` is `u1`, the others have the result's type.
    Select {
        cond: ValueId,
        on_true: ValueId,
        on_false: ValueId,
    },
    /// Bit `index` of an integer, as `u1`; 0 outside its width.
    BitGet { arg: ValueId, index: ValueId },
    /// `arg` with its bits `lo ..` replaced by those of the unsigned `bits`; those outside its width are left out.
    BitSet {
        arg: ValueId,
        lo: ValueId,
        bits: ValueId,
    },
    /// Bits `lo ..` of an integer as the unsigned result type; 0 outside its width.
    BitSlice { arg: ValueId, lo: ValueId },
    /// The element at `indices` (all of type `index`, one per dimension).
    Load {
        array: ArrayId,
        indices: Vec<ValueId>,
    },
    /// Replaces the element at `indices`.
    Store {
        array: ArrayId,
        indices: Vec<ValueId>,
        value: ValueId,
    },
    /// Replaces every element.
    Fill { array: ArrayId, value: ValueId },
    /// Replaces every element of `dst` by that of `src`, of the same shape, cast if the types differ.
    Copy { dst: ArrayId, src: ArrayId },
    /// Counted loop.
    For(Box<For>),
    /// Loop on a condition.
    While(Box<While>),
    /// Branch.
    If(Box<If>),
    /// Runs another kernel.
    Call(Box<Call>),
}

/// `for iv in range(lo, hi, step)`. Results: the carried values after the last iteration.
#[derive(Clone, Debug)]
pub struct For {
    /// First index; type `index`.
    pub lo: ValueId,
    /// Bound; type `index`.
    pub hi: ValueId,
    /// Step; type `index`. A step <= 0 runs no iteration, unless the loop descends.
    pub step: ValueId,
    /// The source gives a negative constant as step: the loop counts down while `iv > hi`.
    pub descending: bool,
    /// Values of the carried parameters in the first iteration.
    pub inits: Vec<ValueId>,
    /// Block parameter: the induction variable, of type `index`.
    pub iv: ValueId,
    /// Block parameters: the carried values.
    pub carried: Vec<ValueId>,
    /// Yields the carried values of the next iteration.
    pub body: Block,
    /// The iterations are declared independent (`grid`).
    pub parallel: bool,
    /// Name for reports: the loop variable, or what `name=` says.
    pub label: String,
}

/// `while`. Results: the carried values when the condition fails.
#[derive(Clone, Debug)]
pub struct While {
    /// Values of the carried parameters at the first test.
    pub inits: Vec<ValueId>,
    /// Parameters of both blocks.
    pub carried: Vec<ValueId>,
    /// Yields one `u1`: whether to run the body.
    pub cond: Block,
    /// Yields the carried values of the next test. Sees the values defined in `cond`.
    pub body: Block,
    /// Name for reports.
    pub label: String,
}

/// `if`. Results: what the block that ran yields.
#[derive(Clone, Debug)]
pub struct If {
    /// A `u1`.
    pub cond: ValueId,
    /// Runs if `cond` is 1.
    pub then: Block,
    /// Runs if `cond` is 0.
    pub otherwise: Block,
}

/// Runs `kernel`. Results: its scalar results.
#[derive(Clone, Debug)]
pub struct Call {
    /// The callee.
    pub kernel: KernelId,
    /// One for each of its parameters.
    pub args: Vec<Arg>,
    /// Arrays of the caller that take its array results, in order.
    pub result_arrays: Vec<ArrayId>,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// By value.
    Scalar(ValueId),
    /// By reference.
    Array(ArrayId),
}

macro_rules! named_ops {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }
        impl $name {
            /// Name in printed forms.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

named_ops! {
    /// Operations of one operand.
    UnaryOp {
        /// Integer: wraps; float: flips the sign bit.
        Neg = "neg",
        /// Flips every bit of an integer.
        Not = "not",
        /// Integer: wraps at the minimum; float: clears the sign bit.
        Abs = "abs",
        /// Largest integral value not above; floats only.
        Floor = "floor",
        /// Smallest integral value not below; floats only.
        Ceil = "ceil",
        /// A subnormal number becomes a zero of its sign; floats only.
        Flush = "flush",
        /// Correctly rounded square root; floats only.
        Sqrt = "sqrt",
        /// 1 / sqrt(x); floats only, as all the following.
        Rsqrt = "rsqrt",
        /// e^x.
        Exp = "exp",
        /// 2^x.
        Exp2 = "exp2",
        /// Natural logarithm.
        Log = "log",
        /// Logarithm to base 2.
        Log2 = "log2",
        /// Sine.
        Sin = "sin",
        /// Cosine.
        Cos = "cos",
        /// Tangent.
        Tan = "tan",
        /// Hyperbolic sine.
        Sinh = "sinh",
        /// Hyperbolic cosine.
        Cosh = "cosh",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// Error function.
        Erf = "erf",
    }
}

named_ops! {
    /// Operations of two operands; the edge cases are those of the language reference.
    BinaryOp {
        /// Sum.
        Add = "add",
        /// Difference.
        Sub = "sub",
        /// Product.
        Mul = "mul",
        /// Quotient, truncated toward zero for integers.
        Div = "div",
        /// Quotient rounded toward minus infinity.
        FloorDiv = "floordiv",
        /// Remainder with the dividend's sign.
        Mod = "mod",
        /// Power.
        Pow = "pow",
        /// Bitwise and of integers.
        And = "and",
        /// Bitwise or of integers.
        Or = "or",
        /// Bitwise exclusive or of integers.
        Xor = "xor",
        /// Left shift; the amount is any integer or index, negative or too large gives 0.
        Shl = "shl",
        /// Right shift, arithmetic if the value is signed; negative or too large gives the fill.
        Shr = "shr",
        /// Smaller; floats: ignores a NaN beside a number, -0 < +0.
        Min = "min",
        /// Larger; floats: ignores a NaN beside a number, -0 < +0.
        Max = "max",
        /// Smaller; a NaN wins; floats only.
        MinNan = "min_nan",
        /// Larger; a NaN wins; floats only.
        MaxNan = "max_nan",
    }
}

named_ops! {
    /// Comparisons. On floats all but `Ne` are false beside a NaN, unless named unordered.
    CompareOp {
        /// Equal.
        Eq = "eq",
        /// Not equal; true beside a NaN.
        Ne = "ne",
        /// Less.
        Lt = "lt",
        /// Less or equal.
        Le = "le",
        /// Greater.
        Gt = "gt",
        /// Greater or equal.
        Ge = "ge",
        /// Equal or unordered; floats only, as all the following.
        Ueq = "ueq",
        /// Ordered and not equal.
        One = "one",
        /// Less or unordered.
        Ult = "ult",
        /// Less, equal or unordered.
        Ule = "ule",
        /// Greater or unordered.
        Ugt = "ugt",
        /// Greater, equal or unordered.
        Uge = "uge",
    }
}

impl OpKind {
    /// Values read directly (not those read inside nested blocks).
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            OpKind::Const(_) | OpKind::Copy { .. } => vec![],
            OpKind::Unary { arg, .. } | OpKind::Cast { arg } | OpKind::Bitcast { arg } => {
                vec![*arg]
            }
            OpKind::Binary { lhs, rhs, .. } | OpKind::Compare { lhs, rhs, .. } => vec![*lhs, *rhs],
            OpKind::Fma { lhs, rhs, add } => vec![*lhs, *rhs, *add],
            OpKind::Select {
                cond,
                on_true,
                on_false,
            } => vec![*cond, *on_true, *on_false],
            OpKind::BitGet { arg, index } => vec![*arg, *index],
            OpKind::BitSet { arg, lo, bits } => vec![*arg, *lo, *bits],
            OpKind::BitSlice { arg, lo } => vec![*arg, *lo],
            OpKind::Load { indices, .. } => indices.clone(),
            OpKind::Store { indices, value, .. } => {
                indices.iter().copied().chain([*value]).collect()
            }
            OpKind::Fill { value, .. } => vec![*value],
            OpKind::For(f) => [f.lo, f.hi, f.step]
                .into_iter()
                .chain(f.inits.iter().copied())
                .collect(),
            OpKind::While(w) => w.inits.clone(),
            OpKind::If(i) => vec![i.cond],
            OpKind::Call(c) => c
                .args
                .iter()
                .filter_map(|a| match a {
                    Arg::Scalar(v) => Some(*v),
                    Arg::Array(_) => None,
                })
                .collect(),
        }
    }

    /// Calls `f` on every value read directly (not those read inside nested blocks).
    pub fn for_each_operand(&mut self, f: &mut dyn FnMut(&mut ValueId)) {
        match self {
            OpKind::Const(_) | OpKind::Copy { .. } => {}
            OpKind::Unary { arg, .. } | OpKind::Cast { arg } | OpKind::Bitcast { arg } => f(arg),
            OpKind::Binary { lhs, rhs, .. } | OpKind::Compare { lhs, rhs, .. } => {
                f(lhs);
                f(rhs);
            }
            OpKind::Fma { lhs, rhs, add } => [lhs, rhs, add].into_iter().for_each(f),
            OpKind::Select {
                cond,
                on_true,
                on_false,
            } => [cond, on_true, on_false].into_iter().for_each(f),
            OpKind::BitGet { arg, index } => [arg, index].into_iter().for_each(f),
            OpKind::BitSet { arg, lo, bits } => [arg, lo, bits].into_iter().for_each(f),
            OpKind::BitSlice { arg, lo } => [arg, lo].into_iter().for_each(f),
            OpKind::Load { indices, .. } => indices.iter_mut().for_each(f),
            OpKind::Store { indices, value, .. } => {
                indices.iter_mut().for_each(&mut *f);
                f(value);
            }
            OpKind::Fill { value, .. } => f(value),
            OpKind::For(l) => {
                [&mut l.lo, &mut l.hi, &mut l.step]
                    .into_iter()
                    .for_each(&mut *f);
                l.inits.iter_mut().for_each(f);
            }
            OpKind::While(w) => w.inits.iter_mut().for_each(f),
            OpKind::If(i) => f(&mut i.cond),
            OpKind::Call(c) => c.args.iter_mut().for_each(|a| {
                if let Arg::Scalar(value) = a {
                    f(value);
                }
            }),
        }
    }

    /// Blocks nested in the operation, in order.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            OpKind::For(f) => vec![&f.body],
            OpKind::While(w) => vec![&w.cond, &w.body],
            OpKind::If(i) => vec![&i.then, &i.otherwise],
            _ => vec![],
        }
    }

    /// Blocks nested in the operation, mutable.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            OpKind::For(f) => vec![&mut f.body],
            OpKind::While(w) => vec![&mut w.cond, &mut w.body],
            OpKind::If(i) => vec![&mut i.then, &mut i.otherwise],
            _ => vec![],
        }
    }

    /// Whether the operation has no effect beyond its results (nested blocks not considered: control
    /// flow counts as impure).
    pub fn is_pure(&self) -> bool {
        !matches!(
            self,
            OpKind::Store { .. }
                | OpKind::Fill { .. }
                | OpKind::Copy { .. }
                | OpKind::For(_)
                | OpKind::While(_)
                | OpKind::If(_)
                | OpKind::Call(_)
        )
    }
}

impl Op {
    /// Whether it is a loop or has one inside.
    pub fn contains_loop(&self) -> bool {
        let inside = |block: &&Block| block.ops.iter().any(Op::contains_loop);
        matches!(self.kind, OpKind::For(_) | OpKind::While(_))
            || self.kind.blocks().iter().any(inside)
    }
}

impl Kernel {
    /// Appends an operation with one result to `out`.
    pub fn emit(&mut self, ty: Scalar, kind: OpKind, span: Span, out: &mut Vec<Op>) -> ValueId {
        let result = self.values.push(Value { ty, name: None });
        out.push(Op {
            kind,
            results: vec![result],
            span,
        });
        result
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
}
