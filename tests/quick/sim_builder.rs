//! Builds small kernels of the `ir` by hand, for tests that have no frontend.

use allo_hls::arena::Arena;
use allo_hls::diagnostics::{FileId, Span};
use allo_hls::ir::*;

/// The type names of the tests.
pub const I32: Scalar = Scalar::signed(32);
pub const F32: Scalar = Scalar::Float(FloatFormat::F32);

/// A kernel under construction. Operations go to the innermost open block; each gets a span of its
/// own, `line` being the byte offset.
pub struct Builder {
    pub kernel: Kernel,
    open: Vec<Vec<Op>>,
    line: u32,
}

impl Builder {
    pub fn new(name: &str) -> Builder {
        let kernel = Kernel::new(name.into(), Span::default());
        Builder {
            kernel,
            open: vec![vec![]],
            line: 0,
        }
    }
    fn value(&mut self, ty: Scalar, name: Option<&str>) -> ValueId {
        let name = name.map(str::to_string);
        self.kernel.values.push(Value { ty, name })
    }
    pub fn scalar(&mut self, name: &str, ty: Scalar) -> ValueId {
        let id = self.value(ty, Some(name));
        self.kernel.params.push(Param::Scalar(id));
        id
    }
    fn new_array(&mut self, name: &str, elem: Scalar, shape: &[u64], kind: ArrayKind) -> ArrayId {
        self.kernel.arrays.push(Array {
            name: name.into(),
            elem,
            shape: shape.to_vec(),
            kind,
            partition: Vec::new(),
            tags: Default::default(),
            stream: None,
            span: Span::default(),
        })
    }
    pub fn array(&mut self, name: &str, elem: Scalar, shape: &[u64]) -> ArrayId {
        let kind = ArrayKind::Param(self.kernel.params.len());
        let id = self.new_array(name, elem, shape, kind);
        self.kernel.params.push(Param::Array(id));
        id
    }
    pub fn local(&mut self, name: &str, elem: Scalar, shape: &[u64]) -> ArrayId {
        self.new_array(name, elem, shape, ArrayKind::Local)
    }
    pub fn table(&mut self, name: &str, elem: Scalar, contents: &[i64]) -> ArrayId {
        let shape = [contents.len() as u64];
        let contents = contents.iter().map(|&c| Const::Int(c.into())).collect();
        self.new_array(name, elem, &shape, ArrayKind::Table(contents))
    }
    pub fn result_array(&mut self, elem: Scalar, shape: &[u64]) -> ArrayId {
        let kind = ArrayKind::Result(self.kernel.results.len());
        let id = self.new_array("ap_return", elem, shape, kind);
        self.kernel.results.push(ResultSlot::Array(id));
        id
    }
    /// Whether a value is a negative constant.
    fn is_negative(&self, id: ValueId) -> bool {
        let ops = self.open.iter().flatten();
        ops.filter(|op| op.results.first() == Some(&id))
            .any(|op| matches!(&op.kind, OpKind::Const(Const::Int(c)) if *c < 0.into()))
    }
    /// Adds an operation with one result for each type.
    pub fn op(&mut self, kind: OpKind, types: &[Scalar]) -> Vec<ValueId> {
        let results: Vec<ValueId> = types.iter().map(|&ty| self.value(ty, None)).collect();
        self.line += 1;
        let span = Span {
            file: FileId(0),
            start: self.line,
            end: self.line + 1,
        };
        let op = Op {
            kind,
            results: results.clone(),
            span,
        };
        self.open.last_mut().unwrap().push(op);
        results
    }
    pub fn int(&mut self, ty: Scalar, value: i64) -> ValueId {
        self.op(OpKind::Const(Const::Int(value.into())), &[ty])[0]
    }
    pub fn idx(&mut self, value: i64) -> ValueId {
        self.int(Scalar::Index, value)
    }
    pub fn bin(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = self.kernel.values[lhs].ty;
        self.op(OpKind::Binary { op, lhs, rhs }, &[ty])[0]
    }
    pub fn un(&mut self, op: UnaryOp, arg: ValueId) -> ValueId {
        let ty = self.kernel.values[arg].ty;
        self.op(OpKind::Unary { op, arg }, &[ty])[0]
    }
    pub fn cmp(&mut self, op: CompareOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        self.op(OpKind::Compare { op, lhs, rhs }, &[Scalar::BOOL])[0]
    }
    pub fn cast(&mut self, arg: ValueId, ty: Scalar) -> ValueId {
        self.op(OpKind::Cast { arg }, &[ty])[0]
    }
    pub fn load(&mut self, array: ArrayId, indices: &[ValueId]) -> ValueId {
        let ty = self.kernel.arrays[array].elem;
        self.op(OpKind::load(array, indices.to_vec()), &[ty])[0]
    }
    pub fn store(&mut self, array: ArrayId, indices: &[ValueId], value: ValueId) {
        self.op(OpKind::store(array, indices.to_vec(), value), &[]);
    }
    fn block(&mut self, fill: impl FnOnce(&mut Self) -> Vec<ValueId>) -> Block {
        self.open.push(vec![]);
        let yields = fill(self);
        Block {
            ops: self.open.pop().unwrap(),
            yields,
        }
    }
    fn types(&self, values: &[ValueId]) -> Vec<Scalar> {
        values.iter().map(|&v| self.kernel.values[v].ty).collect()
    }
    fn params_like(&mut self, values: &[ValueId]) -> Vec<ValueId> {
        let types = self.types(values);
        types.into_iter().map(|ty| self.value(ty, None)).collect()
    }
    /// `for iv in range(lo, hi, step)` over values.
    pub fn for_values(
        &mut self,
        [lo, hi, step]: [ValueId; 3],
        inits: &[ValueId],
        body: impl FnOnce(&mut Self, ValueId, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let iv = self.value(Scalar::Index, Some("i"));
        let carried = self.params_like(inits);
        let block = self.block(|b| body(b, iv, &carried));
        let kind = OpKind::For(Box::new(For {
            lo,
            hi,
            step,
            descending: self.is_negative(step),
            inits: inits.to_vec(),
            iv,
            carried,
            body: block,
            parallel: false,
            label: "i".into(),
            tags: Default::default(),
        }));
        let types = self.types(inits);
        self.op(kind, &types)
    }
    /// `for iv in range(n)`.
    pub fn for_n(
        &mut self,
        n: i64,
        inits: &[ValueId],
        body: impl FnOnce(&mut Self, ValueId, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let bounds = [self.idx(0), self.idx(n), self.idx(1)];
        self.for_values(bounds, inits, body)
    }
    pub fn while_loop(
        &mut self,
        inits: &[ValueId],
        cond: impl FnOnce(&mut Self, &[ValueId]) -> ValueId,
        body: impl FnOnce(&mut Self, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let carried = self.params_like(inits);
        let cond = self.block(|b| vec![cond(b, &carried)]);
        let body = self.block(|b| body(b, &carried));
        let types = self.types(inits);
        let kind = OpKind::While(Box::new(While {
            inits: inits.to_vec(),
            carried,
            cond,
            body,
            label: "while".into(),
            tags: Tags::default(),
        }));
        self.op(kind, &types)
    }
    pub fn if_else(
        &mut self,
        cond: ValueId,
        then: impl FnOnce(&mut Self) -> Vec<ValueId>,
        otherwise: impl FnOnce(&mut Self) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let then = self.block(then);
        let otherwise = self.block(otherwise);
        let types = self.types(&then.yields);
        self.op(
            OpKind::If(Box::new(If {
                cond,
                then,
                otherwise,
            })),
            &types,
        )
    }
    /// Ends the body; `yields` are the scalar results.
    pub fn finish(mut self, yields: &[ValueId]) -> Kernel {
        for ty in self.types(yields) {
            self.kernel.results.push(ResultSlot::Scalar(ty));
        }
        let ops = self.open.pop().unwrap();
        self.kernel.body = Block {
            ops,
            yields: yields.to_vec(),
        };
        self.kernel
    }
    /// A program of this kernel alone.
    pub fn program(self, yields: &[ValueId]) -> Program {
        let mut kernels = Arena::new();
        let top = kernels.push(self.finish(yields));
        Program { kernels, top }
    }
}
