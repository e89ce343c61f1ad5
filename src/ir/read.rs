//! Reads the printed form of a program back ([`super::print`] shows it), so that kernels can be written and passes tested
//! as text.
//!
//! Values and arrays get their handles in the order of the text. Comments (`//` to the end of the line) are skipped; each
//! operation's origin is its own place in the text.

use super::{
    Arg, Array, ArrayId, ArrayKind, ArrayTags, Attempt, BinaryOp, Block, Call, CompareOp, Const,
    Conversion, Element, For, Hazard, If, Kernel, KernelId, MemoryKind, Op, OpKind, Overflow,
    Packed, Param, Partition, PartitionKind, Pipeline, Program, Promise, ResultSlot, Rounding,
    Scalar, Scope, Stream, Tags, UnaryOp, Unroll, Value, ValueId, While, validate,
};
use crate::arena::Arena;
use crate::codes;
use crate::diagnostics::{Diagnostic, FileId, Span};
use num_bigint::{BigInt, BigUint};
use num_traits::Num;
use std::collections::HashMap;

/// The program that a text describes; it is valid.
///
/// # Errors
/// The first malformed place, or the first violation of an invariant.
pub fn read(file: FileId, text: &str) -> Result<Program, Diagnostic> {
    let mut reader = Reader {
        file,
        text,
        at: 0,
        kernels: HashMap::new(),
        kernel: Kernel::new(String::new(), Span::default()),
        values: HashMap::new(),
        arrays: HashMap::new(),
        depth: 0,
    };
    let program = reader.program()?;
    match validate::validate(&program) {
        Ok(()) => Ok(program),
        Err(invalid) => {
            let span = program.kernels[invalid.kernel].span;
            Err(Diagnostic::error(codes::IR_TEXT, span, invalid.to_string()))
        }
    }
}

type Result<T, E = Diagnostic> = std::result::Result<T, E>;

/// Blocks in blocks, at most.
const MAX_DEPTH: usize = 200;

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    kernels: HashMap<&'t str, KernelId>,
    /// The one that is being read.
    kernel: Kernel,
    values: HashMap<&'t str, ValueId>,
    arrays: HashMap<&'t str, ArrayId>,
    depth: usize,
}

impl<'t> Reader<'t> {
    // Text ------------------------------------------------------------------------------------------

    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = &self.text[self.at..];
            if !rest.starts_with("//") {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn rest(&mut self) -> &'t str {
        self.skip();
        &self.text[self.at..]
    }

    fn span_from(&self, start: usize) -> Span {
        Span {
            file: self.file,
            start: start as u32,
            end: self.at.max(start) as u32,
        }
    }

    fn wrong<T>(&mut self, wanted: &str) -> Result<T> {
        let rest = self.rest();
        let word = rest.split_whitespace().next().unwrap_or("");
        let start = self.at;
        self.at += word.len();
        let found = match word {
            "" => "the end".to_string(),
            word => format!("'{word}'"),
        };
        let message = format!("{wanted} is needed here, not {found}");
        let span = self.span_from(start);
        Err(Diagnostic::error(codes::IR_TEXT, span, message))
    }

    /// Takes a sign or word if it is next.
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest();
        let Some(after) = rest.strip_prefix(token) else {
            return false;
        };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if token.ends_with(is_word) && after.starts_with(is_word) {
            return false;
        }
        self.at += token.len();
        true
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        match self.eat(token) {
            true => Ok(()),
            false => self.wrong(&format!("'{token}'")),
        }
    }

    /// The longest run of characters of names, numbers and types.
    fn word(&mut self, wanted: &str) -> Result<&'t str> {
        let rest = self.rest();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '?');
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            return self.wrong(wanted);
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// `item, item, ...` up to `close`, which is taken too.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    /// `item, item, ...`, at least one.
    fn many<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn ty(&mut self) -> Result<Scalar> {
        let start = self.at;
        let mut name = self.word("a type")?.to_string();
        if name == "apfloat" {
            self.expect("(")?;
            let fields = self.list(")", |r| r.word("a number of bits"))?;
            name = format!("apfloat({})", fields.join(","));
        }
        match Scalar::named(&name) {
            Some(ty) => Ok(ty),
            None => {
                self.at = start;
                self.wrong("a type")
            }
        }
    }

    fn shaped(&mut self) -> Result<(Scalar, Vec<u64>)> {
        let elem = self.ty()?;
        self.expect("[")?;
        let shape = self.list("]", |r| {
            let extent = r.word("an extent")?.parse();
            extent.or_else(|_| r.wrong("an extent"))
        })?;
        Ok((elem, shape))
    }

    fn constant(&mut self, ty: Scalar) -> Result<Const> {
        let start = self.at;
        let negative = self.eat("-");
        let word = self.word("a constant")?;
        // A float's bits may stand behind its decimal value.
        let bits = match self.eat("(") {
            true => {
                let bits = self.word("the bits of a float")?;
                self.expect(")")?;
                bits
            }
            false => word,
        };
        let value = if ty.is_float() || ty.is_storage() {
            let bits = bits.strip_prefix("0x").unwrap_or("");
            BigUint::from_str_radix(bits, 16).ok().map(Const::Float)
        } else {
            let value = word.parse::<BigInt>().ok();
            value.map(|v| Const::Int(if negative { -v } else { v }))
        };
        match value {
            Some(value) => Ok(value),
            None => {
                self.at = start;
                self.wrong(&format!("a constant of type {ty}"))
            }
        }
    }

    // Names -----------------------------------------------------------------------------------------

    /// `%name.3` or `%3`, without the sign.
    fn label(&mut self) -> Result<&'t str> {
        self.expect("%")?;
        self.word("the name of a value")
    }

    fn value(&mut self) -> Result<ValueId> {
        let start = self.at;
        let label = self.label()?;
        match self.values.get(label) {
            Some(&value) => Ok(value),
            None => {
                self.at = start;
                self.wrong("a value that is defined above")
            }
        }
    }

    fn define(&mut self, label: &'t str, ty: Scalar) -> ValueId {
        let name = label.rsplit_once('.').map(|(name, _)| name);
        let value = self.kernel.values.push(Value {
            ty,
            name: name.map(str::to_string),
        });
        self.values.insert(label, value);
        value
    }

    fn array(&mut self) -> Result<ArrayId> {
        let start = self.at;
        let name = self.word("an array")?;
        match self.arrays.get(name) {
            Some(&array) => Ok(array),
            None => {
                self.at = start;
                self.wrong("an array that is declared above")
            }
        }
    }

    fn declare(&mut self, name: &'t str, kind: ArrayKind, start: usize) -> Result<ArrayId> {
        self.expect(":")?;
        let (elem, shape) = self.shaped()?;
        let partition = self.partition()?;
        let tags = self.array_tags()?;
        let stream = self.stream(elem)?;
        // Of several arrays with one name, each has its number beside it.
        let plain = match name.rsplit_once('.') {
            Some((plain, number)) if number.parse::<usize>().is_ok() => plain,
            _ => name,
        };
        let array = self.kernel.arrays.push(Array {
            name: plain.to_string(),
            elem,
            shape,
            kind,
            partition,
            tags,
            stream,
            span: self.span_from(start),
        });
        self.arrays.insert(name, array);
        Ok(array)
    }

    // Kernels ---------------------------------------------------------------------------------------

    fn program(&mut self) -> Result<Program> {
        let mut kernels: Arena<Kernel> = Arena::new();
        let mut top = None;
        while !self.rest().is_empty() {
            let is_top = self.eat("top");
            let name = self.kernel()?;
            let kernel = std::mem::replace(
                &mut self.kernel,
                Kernel::new(String::new(), Span::default()),
            );
            let id = kernels.push(kernel);
            self.kernels.insert(name, id);
            if is_top {
                top = Some(id);
            }
        }
        match top {
            Some(top) => Ok(Program { kernels, top }),
            None => self.wrong("a top kernel"),
        }
    }

    fn kernel(&mut self) -> Result<&'t str> {
        self.values.clear();
        self.arrays.clear();
        self.skip();
        let start = self.at;
        self.expect("kernel")?;
        self.kernel.dataflow = self.eat("dataflow");
        if self.eat("mapping") {
            self.expect("[")?;
            self.kernel.mapping = self.list("]", |r| r.count(1).map(u64::from))?;
        }
        self.expect("@")?;
        let name = self.word("a name")?;
        self.kernel.name = name.to_string();
        self.expect("(")?;
        let mut count = 0;
        self.kernel.params = self.list(")", |r| {
            count += 1;
            r.param(count - 1)
        })?;
        if self.eat("->") {
            self.expect("(")?;
            let mut count = 0;
            self.kernel.results = self.list(")", |r| {
                count += 1;
                r.result(count - 1)
            })?;
        }
        self.kernel.span = self.span_from(start);
        self.expect("{")?;
        self.tables()?;
        self.kernel.body = self.block("return")?;
        self.expect("}")?;
        Ok(name)
    }

    fn param(&mut self, number: usize) -> Result<Param> {
        if self.rest().starts_with('%') {
            let label = self.label()?;
            self.expect(":")?;
            let ty = self.ty()?;
            return Ok(Param::Scalar(self.define(label, ty)));
        }
        let start = self.at;
        let name = self.word("a parameter")?;
        let kind = ArrayKind::Param(number);
        self.declare(name, kind, start).map(Param::Array)
    }

    fn result(&mut self, number: usize) -> Result<ResultSlot> {
        self.skip();
        let start = self.at;
        let name = self.word("a result")?;
        if self.rest().starts_with(':') {
            let kind = ArrayKind::Result(number);
            return self.declare(name, kind, start).map(ResultSlot::Array);
        }
        self.at = start;
        self.ty().map(ResultSlot::Scalar)
    }

    fn tables(&mut self) -> Result<()> {
        loop {
            self.skip();
            let start = self.at;
            if self.eat("local") {
                let name = self.word("a name")?;
                self.declare(name, ArrayKind::Local, start)?;
            } else if self.eat("table") {
                self.contents(start, ArrayKind::Table)?;
            } else if self.eat("state") {
                self.contents(start, ArrayKind::State)?;
            } else {
                return Ok(());
            }
        }
    }

    /// The rest of an array whose elements are constants at first.
    fn contents(&mut self, start: usize, kind: fn(Vec<Const>) -> ArrayKind) -> Result<()> {
        let name = self.word("a name")?;
        let id = self.declare(name, ArrayKind::Local, start)?;
        let elem = self.kernel.arrays[id].elem;
        self.expect("=")?;
        self.expect("[")?;
        let contents = self.list("]", |r| r.constant(elem))?;
        self.kernel.arrays[id].kind = kind(contents);
        Ok(())
    }

    // Blocks ----------------------------------------------------------------------------------------

    /// Operations up to a `}`, which stays; `last` is the word before what the block yields.
    fn block(&mut self, last: &str) -> Result<Block> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.wrong("a place outside of so many blocks");
        }
        let mut block = Block::default();
        loop {
            if self.eat(last) {
                block.yields = self.many(Self::value)?;
            }
            if self.rest().starts_with('}') {
                self.depth -= 1;
                return Ok(block);
            }
            block.ops.push(self.op()?);
        }
    }

    fn nested(&mut self) -> Result<Block> {
        self.expect("{")?;
        let block = self.block("yield")?;
        self.expect("}")?;
        Ok(block)
    }

    fn op(&mut self) -> Result<Op> {
        self.skip();
        let start = self.at;
        let mut results = Vec::new();
        if self.rest().starts_with('%') {
            results = self.many(|r| {
                let label = r.label()?;
                r.expect(":")?;
                Ok((label, r.ty()?))
            })?;
            self.expect("=")?;
        }
        let ty = results.first().map(|r| r.1);
        let kind = self.kind(ty)?;
        let span = self.span_from(start);
        // Visible from here on, not in the operation itself.
        let results = results.into_iter();
        let results = results.map(|(label, ty)| self.define(label, ty)).collect();
        Ok(Op {
            kind,
            results,
            span,
        })
    }

    /// An operation of which the first result has type `ty`.
    fn kind(&mut self, ty: Option<Scalar>) -> Result<OpKind> {
        self.skip();
        let start = self.at;
        let word = self.word("an operation")?;
        let unary = UnaryOp::ALL.iter().find(|op| op.name() == word);
        let binary = BinaryOp::ALL.iter().find(|op| op.name() == word);
        if let Some(&op) = unary {
            let arg = self.value()?;
            return Ok(OpKind::Unary { op, arg });
        }
        if let Some(&op) = binary {
            let [lhs, rhs] = self.values()?;
            return Ok(OpKind::Binary { op, lhs, rhs });
        }
        Ok(match word {
            "const" => OpKind::Const(self.constant(ty.unwrap_or(Scalar::Index))?),
            "cmp" => return self.compare(),
            "fma" => {
                let [lhs, rhs, add] = self.values()?;
                OpKind::Fma { lhs, rhs, add }
            }
            "cast" => {
                let arg = self.value()?;
                self.type_of(&[arg])?;
                OpKind::Cast { arg }
            }
            "convert" => {
                let how = Conversion {
                    rounding: self.one_of(Rounding::ALL, Rounding::name, "a rounding")?,
                    overflow: self.one_of(Overflow::ALL, Overflow::name, "what is too large")?,
                };
                let arg = self.value()?;
                self.type_of(&[arg])?;
                OpKind::Convert { arg, how }
            }
            "bitcast" => {
                let arg = self.value()?;
                self.type_of(&[arg])?;
                OpKind::Bitcast { arg }
            }
            "select" => {
                let [cond, on_true, on_false] = self.values()?;
                OpKind::Select {
                    cond,
                    on_true,
                    on_false,
                }
            }
            "bit_get" => {
                let [arg, index] = self.values()?;
                OpKind::BitGet { arg, index }
            }
            "bit_set" => {
                let [arg, lo, bits] = self.values()?;
                OpKind::BitSet { arg, lo, bits }
            }
            "bit_slice" => {
                let [arg, lo] = self.values()?;
                OpKind::BitSlice { arg, lo }
            }
            "load" => {
                let bypassed = self.eat("bypassed");
                let at = self.element()?;
                OpKind::Load { at, bypassed }
            }
            "store" => {
                let at = self.element()?;
                self.expect(",")?;
                let value = self.value()?;
                OpKind::Store { at, value }
            }
            "get" => OpKind::Get {
                at: self.element()?,
            },
            "put" => {
                let at = self.element()?;
                self.expect(",")?;
                let value = self.value()?;
                OpKind::Put { at, value }
            }
            "try_get" => self.attempt(|_| Ok(Attempt::Get))?,
            "try_put" => self.attempt(|read| {
                read.expect(",")?;
                Ok(Attempt::Put(read.value()?))
            })?,
            "has_element" => self.attempt(|_| Ok(Attempt::HasElement))?,
            "has_room" => self.attempt(|_| Ok(Attempt::HasRoom))?,
            "promise" => self.promise()?,
            "assume" => OpKind::Assume {
                cond: self.value()?,
            },
            "fill" => {
                let array = self.array()?;
                self.expect(",")?;
                let value = self.value()?;
                OpKind::Fill { array, value }
            }
            "copy" => {
                let dst = self.array()?;
                self.expect(",")?;
                let src = self.array()?;
                OpKind::Copy { dst, src }
            }
            "call" => self.call()?,
            "for" => self.for_loop(false)?,
            "parallel" => {
                self.expect("for")?;
                self.for_loop(true)?
            }
            "while" => self.while_loop()?,
            "if" => self.branch()?,
            _ => {
                self.at = start;
                return self.wrong("an operation");
            }
        })
    }

    /// So many values.
    fn values<const N: usize>(&mut self) -> Result<[ValueId; N]> {
        let values = self.many(Self::value)?;
        let count = values.len();
        let wrong = |_| self.wrong(&format!("a list of {N} values instead of {count}"));
        values.try_into().or_else(wrong)
    }

    /// `: type`, which must be that of the values.
    fn type_of(&mut self, values: &[ValueId]) -> Result<()> {
        self.expect(":")?;
        let start = self.at;
        let ty = self.ty()?;
        match values.iter().find(|v| self.kernel.values[**v].ty != ty) {
            None => Ok(()),
            Some(&other) => {
                let other = self.kernel.values[other].ty;
                self.at = start;
                self.wrong(&format!("the operand's type {other}"))
            }
        }
    }

    fn compare(&mut self) -> Result<OpKind> {
        let op = self.one_of(CompareOp::ALL, CompareOp::name, "a comparison")?;
        let [lhs, rhs] = self.values()?;
        self.type_of(&[lhs, rhs])?;
        Ok(OpKind::Compare { op, lhs, rhs })
    }

    /// `promise ARRAY over IV SCOPE [HAZARD] [distance D]`.
    fn promise(&mut self) -> Result<OpKind> {
        let array = self.array()?;
        self.expect("over")?;
        let iv = self.value()?;
        let scope = self.one_of(Scope::ALL, Scope::name, "'intra' or 'inter'")?;
        let mut hazards = Hazard::ALL.iter().copied();
        let hazard = hazards.find(|hazard| self.eat(hazard.name()));
        let distance = match self.eat("distance") {
            true => Some(self.count(1)?.into()),
            false => None,
        };
        Ok(OpKind::Promise(Promise {
            array,
            iv,
            scope,
            hazard,
            distance,
        }))
    }

    fn attempt(&mut self, what: impl FnOnce(&mut Self) -> Result<Attempt>) -> Result<OpKind> {
        let at = self.element()?;
        let what = what(self)?;
        Ok(OpKind::Attempt { at, what })
    }

    /// One of the words of a table; `what` says which in an error.
    fn one_of<T: Copy>(&mut self, all: &[T], name: fn(T) -> &'static str, what: &str) -> Result<T> {
        self.skip();
        let start = self.at;
        let word = self.word(what)?;
        let Some(&found) = all.iter().find(|&&one| name(one) == word) else {
            self.at = start;
            return self.wrong(what);
        };
        Ok(found)
    }

    fn element(&mut self) -> Result<Element> {
        let array = self.array()?;
        self.expect("[")?;
        let indices = self.list("]", Self::value)?;
        // On another line it begins a branch.
        let line = self.text[self.at..].lines().next().unwrap_or("");
        let when = match line.trim_start().starts_with("if") && self.eat("if") {
            true => Some(self.value()?),
            false => None,
        };
        Ok(Element {
            array,
            indices,
            when,
        })
    }

    fn call(&mut self) -> Result<OpKind> {
        self.expect("@")?;
        let start = self.at;
        let name = self.word("a kernel")?;
        let Some(&kernel) = self.kernels.get(name) else {
            self.at = start;
            return self.wrong("a kernel that is defined above");
        };
        self.expect("(")?;
        let args = self.list(")", |r| match r.rest().starts_with('%') {
            true => r.value().map(Arg::Scalar),
            false => r.array().map(Arg::Array),
        })?;
        let result_arrays = match self.eat("into") {
            true => self.many(Self::array)?,
            false => Vec::new(),
        };
        let worker = match self.eat("worker") {
            true => Some(self.count(0)?),
            false => None,
        };
        Ok(OpKind::Call(Box::new(Call {
            kernel,
            args,
            result_arrays,
            worker,
        })))
    }

    fn for_loop(&mut self, parallel: bool) -> Result<OpKind> {
        let label = self.label()?;
        self.expect("=")?;
        let lo = self.value()?;
        let descending = self.eat("down");
        self.expect("to")?;
        let hi = self.value()?;
        self.expect("step")?;
        let step = self.value()?;
        let iv = self.define(label, Scalar::Index);
        let (carried, inits) = self.carried()?;
        let label = self.text_label()?;
        let tags = self.tags()?;
        Ok(OpKind::For(Box::new(For {
            lo,
            hi,
            step,
            descending,
            inits,
            iv,
            carried,
            body: self.nested()?,
            parallel,
            label,
            tags,
        })))
    }

    /// A number that is at least `least`.
    fn count(&mut self, least: u32) -> Result<u32> {
        let start = self.at;
        let wanted = "a number";
        let count = self.word(wanted)?.parse().ok();
        match count.filter(|&count| count >= least) {
            Some(count) => Ok(count),
            None => {
                self.at = start;
                self.wrong(wanted)
            }
        }
    }

    /// `cyclic 4 dim 0 block 2 dim 1`, or nothing.
    fn partition(&mut self) -> Result<Vec<Partition>> {
        let mut partition = Vec::new();
        while let Some(kind) = PartitionKind::ALL
            .into_iter()
            .find(|kind| self.eat(kind.name()))
        {
            let factor = u64::from(self.count(1)?);
            self.expect("dim")?;
            let dim = self.count(0)? as usize;
            partition.push(Partition { kind, dim, factor });
        }
        Ok(partition)
    }

    /// `ports N in bram|lutram rom`, or nothing.
    fn array_tags(&mut self) -> Result<ArrayTags> {
        let mut tags = ArrayTags::default();
        if self.eat("ports") {
            tags.ports = Some(self.count(1)?);
        }
        if self.eat("in") {
            let kinds = MemoryKind::ALL.into_iter();
            tags.memory = kinds.into_iter().find(|kind| self.eat(kind.name()));
            if tags.memory.is_none() {
                return self.wrong("'bram' or 'lutram'");
            }
        }
        tags.is_rom = self.eat("rom");
        Ok(tags)
    }

    /// `stream DEPTH of BLOCK with [TOKEN, ...]`, or nothing.
    fn stream(&mut self, elem: Scalar) -> Result<Option<Stream>> {
        if !self.eat("stream") {
            return Ok(None);
        }
        let depth = self.count(1)?.into();
        let mut packed = None;
        if self.eat("of") {
            let (elem, shape) = self.shaped()?;
            packed = Some(Packed { elem, shape });
        }
        let mut tokens = Vec::new();
        if self.eat("with") {
            self.expect("[")?;
            tokens = self.list("]", |r| r.constant(elem))?;
        }
        Ok(Some(Stream {
            depth,
            tokens,
            packed,
        }))
    }

    /// `pipeline off|least|N unroll all|N|abreast N`, or nothing.
    fn tags(&mut self) -> Result<Tags> {
        let mut tags = Tags::default();
        if self.eat("pipeline") {
            tags.pipeline = Some(match (self.eat("off"), self.eat("least")) {
                (true, _) => Pipeline::Off,
                (_, true) => Pipeline::Least,
                _ => Pipeline::Every(self.count(1)?),
            });
        }
        if self.eat("unroll") {
            tags.unroll = Some(match (self.eat("all"), self.eat("abreast")) {
                (true, _) => Unroll::Fully,
                (_, true) => Unroll::Abreast(self.count(2)?),
                _ => Unroll::By(self.count(2)?),
            });
        }
        tags.is_shaped = self.eat("shaped");
        Ok(tags)
    }

    fn while_loop(&mut self) -> Result<OpKind> {
        let (carried, inits) = self.carried()?;
        let label = self.text_label()?;
        let tags = self.tags()?;
        let cond = self.nested()?;
        self.expect("do")?;
        Ok(OpKind::While(Box::new(While {
            inits,
            carried,
            cond,
            body: self.nested()?,
            label,
            tags,
        })))
    }

    fn branch(&mut self) -> Result<OpKind> {
        let cond = self.value()?;
        let then = self.nested()?;
        let otherwise = match self.eat("else") {
            true => self.nested()?,
            false => Block::default(),
        };
        Ok(OpKind::If(Box::new(If {
            cond,
            then,
            otherwise,
        })))
    }

    /// `carry(%a: type = %init, ...)`, or nothing.
    fn carried(&mut self) -> Result<(Vec<ValueId>, Vec<ValueId>)> {
        if !self.eat("carry") {
            return Ok((Vec::new(), Vec::new()));
        }
        self.expect("(")?;
        let pairs = self.list(")", |r| {
            let label = r.label()?;
            r.expect(":")?;
            let ty = r.ty()?;
            r.expect("=")?;
            Ok((label, ty, r.value()?))
        })?;
        let pairs = pairs.into_iter();
        Ok(pairs
            .map(|(label, ty, init)| (self.define(label, ty), init))
            .unzip())
    }

    /// `label "text"`.
    fn text_label(&mut self) -> Result<String> {
        self.expect("label")?;
        self.expect("\"")?;
        let rest = &self.text[self.at..];
        let Some(length) = rest.find('"') else {
            return self.wrong("the end of a label");
        };
        self.at += length + 1;
        Ok(rest[..length].to_string())
    }
}
