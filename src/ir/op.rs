//! Operations: what a kernel does, with the operands and blocks of each.

use super::{
    ArrayId, Block, Const, Conversion, Kernel, KernelId, Operate, Param, Promise, ResultSlot, Tags,
    ValueId,
};
use crate::diagnostics::Span;

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

/// Operands of an operation on values alone, at most.
pub const MOST_OPERANDS: usize = 3;

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
    /// Conversion to the result's type, another one, with a rounding of its own.
    Convert { arg: ValueId, how: Conversion },
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
    /// The element; unspecified outside of the array and where it is not accessed.
    Load {
        at: Element,
        /// The result is not used where the iteration before stored to the same element: the load need not wait for that.
        bypassed: bool,
    },
    /// Replaces the element, if it is accessed and inside of the array.
    Store { at: Element, value: ValueId },
    /// Takes the oldest element of a queue; unspecified where it is not accessed.
    Get { at: Element },
    /// Adds an element to a queue, if it is accessed.
    Put { at: Element, value: ValueId },
    /// Asks of a queue what depends on timing, and may transfer an element without waiting. The first result says whether it
    /// could; all results are 0 where it could not, and where the queue is not accessed.
    Attempt { at: Element, what: Attempt },
    /// A promise: the `u1` is 1 whenever this is reached. What is made of the kernel may rely on it.
    Assume { cond: ValueId },
    /// A promise about the accesses of an array.
    Promise(Promise),
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
    /// A module of the user's; pure.
    Operate(Box<Operate>),
    /// Runs another kernel.
    Call(Box<Call>),
}

/// An element of an array, and when it is accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The array.
    pub array: ArrayId,
    /// One subscript for each dimension, of type `index`.
    pub indices: Vec<ValueId>,
    /// A `u1`: it is accessed where that is 1; always, if there is none.
    pub when: Option<ValueId>,
}

impl Element {
    /// An element that is accessed wherever the operation runs.
    pub fn new(array: ArrayId, indices: Vec<ValueId>) -> Element {
        Element {
            array,
            indices,
            when: None,
        }
    }
    /// What it reads: the subscripts, then the condition.
    pub fn operands(&self) -> impl Iterator<Item = ValueId> {
        self.indices.iter().copied().chain(self.when)
    }
    fn operands_mut(&mut self) -> impl Iterator<Item = &mut ValueId> {
        self.indices.iter_mut().chain(&mut self.when)
    }
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
    /// What is directed for it.
    pub tags: Tags,
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
    /// What is directed for it.
    pub tags: Tags,
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
    /// Its number, if it is a worker of a grid; the calls of a grid stand one behind the other, in the order of their numbers.
    pub worker: Option<u32>,
}

impl Call {
    /// The callee's arrays that the caller's stand for, each with the one that does: parameters, then results.
    pub fn arrays(&self, callee: &Kernel) -> Vec<(ArrayId, ArrayId)> {
        let params = callee.params.iter().zip(&self.args);
        let params = params.filter_map(|pair| match pair {
            (Param::Array(param), Arg::Array(array)) => Some((*param, *array)),
            _ => None,
        });
        let results = callee.results.iter().filter_map(|slot| match slot {
            ResultSlot::Array(id) => Some(*id),
            ResultSlot::Scalar(_) => None,
        });
        let results = results.zip(self.result_arrays.iter().copied());
        params.chain(results).collect()
    }

    /// Whether it hands streams of its caller on.
    pub fn passes_streams(&self, caller: &Kernel) -> bool {
        let is_stream =
            |arg: &Arg| matches!(arg, Arg::Array(id) if caller.arrays[*id].stream.is_some());
        self.args.iter().any(is_stream)
    }
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// By value.
    Scalar(ValueId),
    /// By reference.
    Array(ArrayId),
}

/// An enumeration of words.
macro_rules! named_ops {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }
        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant,)*];
            /// Name in printed forms.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}
pub(super) use named_ops;

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
        /// Integral value not above in magnitude; floats only, as all the following.
        Trunc = "trunc",
        /// Nearest integral value, of two the even one.
        RoundEven = "round_even",
        /// Nearest integral value, of two the one of larger magnitude.
        RoundAway = "round_away",
        /// The value if it is integral, else of its two neighbours the odd one.
        RoundOdd = "round_odd",
        /// A subnormal number becomes a zero of its sign.
        Flush = "flush",
        /// Correctly rounded square root.
        Sqrt = "sqrt",
        /// 1 / sqrt(x).
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

impl CompareOp {
    /// The comparison that says the same of the operands the other way round.
    pub fn swapped(self) -> CompareOp {
        use CompareOp::*;
        match self {
            Lt => Gt,
            Le => Ge,
            Gt => Lt,
            Ge => Le,
            Ult => Ugt,
            Ule => Uge,
            Ugt => Ult,
            Uge => Ule,
            Eq | Ne | Ueq | One => self,
        }
    }
}

impl OpKind {
    /// A load of an element.
    pub fn load(array: ArrayId, indices: Vec<ValueId>) -> OpKind {
        OpKind::Load {
            at: Element::new(array, indices),
            bypassed: false,
        }
    }
    /// A store to an element.
    pub fn store(array: ArrayId, indices: Vec<ValueId>, value: ValueId) -> OpKind {
        OpKind::Store {
            at: Element::new(array, indices),
            value,
        }
    }
    /// The operands of an operation on values alone, as the first of so many; none for other operations.
    pub fn few_operands(&self) -> ([ValueId; MOST_OPERANDS], usize) {
        let none = ValueId::new(0);
        match *self {
            OpKind::Unary { arg, .. }
            | OpKind::Cast { arg }
            | OpKind::Convert { arg, .. }
            | OpKind::Bitcast { arg } => ([arg, none, none], 1),
            OpKind::Binary { lhs, rhs, .. } | OpKind::Compare { lhs, rhs, .. } => {
                ([lhs, rhs, none], 2)
            }
            OpKind::Fma { lhs, rhs, add } => ([lhs, rhs, add], 3),
            OpKind::Select {
                cond,
                on_true,
                on_false,
            } => ([cond, on_true, on_false], 3),
            OpKind::Assume { cond } => ([cond, none, none], 1),
            OpKind::Promise(Promise { iv, .. }) => ([iv, none, none], 1),
            OpKind::BitGet { arg, index } => ([arg, index, none], 2),
            OpKind::BitSet { arg, lo, bits } => ([arg, lo, bits], 3),
            OpKind::BitSlice { arg, lo } => ([arg, lo, none], 2),
            _ => ([none; MOST_OPERANDS], 0),
        }
    }

    /// Values read directly (not those read inside nested blocks).
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            OpKind::Load { at, .. } => at.operands().collect(),
            OpKind::Get { at } => at.operands().collect(),
            OpKind::Attempt { at, what } => at.operands().chain(what.value()).collect(),
            OpKind::Store { at, value } | OpKind::Put { at, value } => {
                at.operands().chain([*value]).collect()
            }
            OpKind::Fill { value, .. } => vec![*value],
            OpKind::For(f) => [f.lo, f.hi, f.step]
                .into_iter()
                .chain(f.inits.iter().copied())
                .collect(),
            OpKind::While(w) => w.inits.clone(),
            OpKind::If(i) => vec![i.cond],
            OpKind::Operate(o) => o.args.clone(),
            OpKind::Call(c) => c
                .args
                .iter()
                .filter_map(|a| match a {
                    Arg::Scalar(v) => Some(*v),
                    Arg::Array(_) => None,
                })
                .collect(),
            _ => {
                let (operands, count) = self.few_operands();
                operands[..count].to_vec()
            }
        }
    }

    /// Calls `f` on every value read directly (not those read inside nested blocks).
    pub fn for_each_operand(&mut self, f: &mut dyn FnMut(&mut ValueId)) {
        match self {
            OpKind::Const(_) | OpKind::Copy { .. } => {}
            OpKind::Unary { arg, .. }
            | OpKind::Cast { arg }
            | OpKind::Convert { arg, .. }
            | OpKind::Bitcast { arg } => f(arg),
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
            OpKind::Load { at, .. } | OpKind::Get { at } => at.operands_mut().for_each(f),
            OpKind::Store { at, value } | OpKind::Put { at, value } => {
                at.operands_mut().for_each(&mut *f);
                f(value);
            }
            OpKind::Attempt { at, what } => {
                at.operands_mut().for_each(&mut *f);
                if let Attempt::Put(value) = what {
                    f(value);
                }
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
            OpKind::Operate(o) => o.args.iter_mut().for_each(f),
            OpKind::Assume { cond } => f(cond),
            OpKind::Promise(promise) => f(&mut promise.iv),
            OpKind::Call(c) => c.args.iter_mut().for_each(|a| {
                if let Arg::Scalar(value) = a {
                    f(value);
                }
            }),
        }
    }

    /// Calls `f` on every array that the operation itself names.
    pub fn for_each_array(&mut self, f: &mut dyn FnMut(&mut ArrayId)) {
        match self {
            OpKind::Load { at, .. }
            | OpKind::Store { at, .. }
            | OpKind::Get { at }
            | OpKind::Put { at, .. }
            | OpKind::Attempt { at, .. } => f(&mut at.array),
            OpKind::Fill { array, .. } => f(array),
            OpKind::Promise(promise) => f(&mut promise.array),
            OpKind::Copy { dst, src } => [dst, src].into_iter().for_each(f),
            OpKind::Call(call) => {
                for arg in &mut call.args {
                    if let Arg::Array(id) = arg {
                        f(id);
                    }
                }
                call.result_arrays.iter_mut().for_each(f);
            }
            _ => {}
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

    /// Values that each nested block has before its first operation, in the order of the blocks.
    pub fn block_params(&self) -> Vec<Vec<ValueId>> {
        match self {
            OpKind::For(f) => vec![[&[f.iv][..], &f.carried].concat()],
            OpKind::While(w) => vec![w.carried.clone(); 2],
            OpKind::If(_) => vec![Vec::new(); 2],
            _ => Vec::new(),
        }
    }

    /// Whether the operation has no effect beyond its results (nested blocks not considered: control
    /// flow counts as impure).
    pub fn is_pure(&self) -> bool {
        !matches!(
            self,
            OpKind::Store { .. }
                | OpKind::Get { .. }
                | OpKind::Put { .. }
                | OpKind::Attempt { .. }
                | OpKind::Assume { .. }
                | OpKind::Fill { .. }
                | OpKind::Copy { .. }
                | OpKind::For(_)
                | OpKind::While(_)
                | OpKind::If(_)
                | OpKind::Call(_)
        )
    }
}

/// What is asked of a queue, without waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// To take its oldest element, which is the second result.
    Get,
    /// To add this element.
    Put(ValueId),
    /// Whether it has an element.
    HasElement,
    /// Whether it has room for one.
    HasRoom,
}

impl Attempt {
    /// What is to be added.
    pub fn value(self) -> Option<ValueId> {
        match self {
            Attempt::Put(value) => Some(value),
            Attempt::Get | Attempt::HasElement | Attempt::HasRoom => None,
        }
    }

    /// Whether it is about elements that are there, not about room for more.
    pub fn is_of_consumer(self) -> bool {
        matches!(self, Attempt::Get | Attempt::HasElement)
    }

    /// Its name in the printed ir.
    pub fn name(self) -> &'static str {
        match self {
            Attempt::Get => "try_get",
            Attempt::Put(_) => "try_put",
            Attempt::HasElement => "has_element",
            Attempt::HasRoom => "has_room",
        }
    }
}

impl OpKind {
    /// Whether it takes an element of a queue, or adds one, or tries to.
    pub fn is_transfer(&self) -> bool {
        matches!(
            self,
            OpKind::Get { .. } | OpKind::Put { .. } | OpKind::Attempt { .. }
        )
    }

    /// The element that it accesses, and under which condition, if it accesses one.
    pub fn element(&self) -> Option<&Element> {
        match self {
            OpKind::Load { at, .. }
            | OpKind::Store { at, .. }
            | OpKind::Get { at }
            | OpKind::Put { at, .. }
            | OpKind::Attempt { at, .. } => Some(at),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn element_mut(&mut self) -> Option<&mut Element> {
        match self {
            OpKind::Load { at, .. }
            | OpKind::Store { at, .. }
            | OpKind::Get { at }
            | OpKind::Put { at, .. }
            | OpKind::Attempt { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Its name, if it is a loop.
    pub fn label(&self) -> Option<&str> {
        match self {
            OpKind::For(f) => Some(&f.label),
            OpKind::While(w) => Some(&w.label),
            _ => None,
        }
    }

    /// What is directed for it, if it is a loop.
    pub fn tags(&self) -> Option<Tags> {
        match self {
            OpKind::For(f) => Some(f.tags),
            OpKind::While(w) => Some(w.tags),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn tags_mut(&mut self) -> Option<&mut Tags> {
        match self {
            OpKind::For(f) => Some(&mut f.tags),
            OpKind::While(w) => Some(&mut w.tags),
            _ => None,
        }
    }

    /// A value that tells a loop from others: its induction variable, or the condition that a `while` tests.
    pub fn loop_mark(&self) -> Option<ValueId> {
        match self {
            OpKind::For(f) => Some(f.iv),
            OpKind::While(w) => w.cond.yields.first().copied(),
            _ => None,
        }
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
