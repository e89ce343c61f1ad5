//! The ir as text: one operation a line, values and arrays numbered in the order in which they are defined, so that what
//! [`super::read`] makes of the text prints the same.

use super::{
    Arg, Array, ArrayId, ArrayKind, ArrayTags, Block, Call, Const, Element, FloatFormat, For, If,
    Kernel, Op, OpKind, Packed, Param, Pipeline, Program, ResultSlot, Scalar, Stream, Tags, Unroll,
    ValueId, While,
};
use crate::arena::Arena;
use crate::diagnostics::{SourceMap, Span};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Most elements of a table that are printed.
const MAX_TABLE: usize = 64;

/// The program as text, kernels in order. With sources, each operation names its line.
pub fn print(program: &Program, sources: Option<&SourceMap>) -> String {
    let mut out = String::new();
    for (i, (id, kernel)) in program.kernels.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let mut printer = Printer {
            program,
            kernel,
            names: Names::of(kernel),
            sources,
            out: &mut out,
            indent: 0,
        };
        printer.kernel(id == program.top);
    }
    out
}

/// A kernel that is part of no program, as text.
pub fn print_kernel(kernel: &Kernel, sources: Option<&SourceMap>) -> String {
    let mut kernels = Arena::new();
    let top = kernels.push(kernel.clone());
    print(&Program { kernels, top }, sources)
}

/// What values and arrays are called in the text.
pub(super) struct Names {
    values: HashMap<ValueId, String>,
    arrays: HashMap<ArrayId, String>,
}

impl Names {
    pub(super) fn of(kernel: &Kernel) -> Names {
        let mut names = Names {
            values: HashMap::new(),
            arrays: HashMap::new(),
        };
        names.arrays(kernel);
        for param in &kernel.params {
            if let Param::Scalar(id) = param {
                names.define(kernel, *id);
            }
        }
        names.block(kernel, &kernel.body);
        names
    }

    /// Parameters, results, then what is inside; of several arrays with one name all have their number beside it.
    fn arrays(&mut self, kernel: &Kernel) {
        let place = |kind: &ArrayKind| match kind {
            ArrayKind::Param(i) => (0, *i),
            ArrayKind::Result(i) => (1, *i),
            ArrayKind::Local | ArrayKind::Table(_) | ArrayKind::State(_) => (2, 0),
        };
        let mut arrays: Vec<(ArrayId, &Array)> = kernel.arrays.iter().collect();
        arrays.sort_by_key(|(id, array)| (place(&array.kind), *id));
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for (_, array) in &arrays {
            *uses.entry(&array.name).or_default() += 1;
        }
        for (number, (id, array)) in arrays.iter().enumerate() {
            let name = match uses[&*array.name] {
                1 => array.name.clone(),
                _ => format!("{}.{number}", array.name),
            };
            self.arrays.insert(*id, name);
        }
    }

    fn define(&mut self, kernel: &Kernel, id: ValueId) {
        let number = self.values.len();
        let text = match kernel.values.get(id).and_then(|v| v.name.as_deref()) {
            Some(name) => format!("%{name}.{number}"),
            None => format!("%{number}"),
        };
        self.values.entry(id).or_insert(text);
    }

    fn block(&mut self, kernel: &Kernel, block: &Block) {
        for op in &block.ops {
            let params: &[ValueId] = match &op.kind {
                OpKind::For(f) => {
                    self.define(kernel, f.iv);
                    &f.carried
                }
                OpKind::While(w) => &w.carried,
                _ => &[],
            };
            for id in params.iter().chain(&op.results) {
                self.define(kernel, *id);
            }
            for inner in op.kind.blocks() {
                self.block(kernel, inner);
            }
        }
    }

    /// A value; those that nothing defines have no number of their own.
    pub(super) fn value(&self, id: ValueId) -> String {
        let known = self.values.get(&id).cloned();
        known.unwrap_or_else(|| format!("%?{}", id.index()))
    }

    /// An array.
    pub(super) fn array(&self, id: ArrayId) -> String {
        let known = self.arrays.get(&id).cloned();
        known.unwrap_or_else(|| format!("?{}", id.index()))
    }
}

struct Printer<'p> {
    program: &'p Program,
    kernel: &'p Kernel,
    names: Names,
    sources: Option<&'p SourceMap>,
    out: &'p mut String,
    indent: usize,
}

impl Printer<'_> {
    fn kernel(&mut self, top: bool) {
        let kernel = self.kernel;
        let params: Vec<String> = kernel
            .params
            .iter()
            .map(|p| match p {
                Param::Scalar(id) => self.typed(*id),
                Param::Array(id) => format!("{}: {}", self.array(*id), self.shape(*id)),
            })
            .collect();
        let results: Vec<String> = kernel
            .results
            .iter()
            .map(|r| match r {
                ResultSlot::Scalar(ty) => ty.to_string(),
                ResultSlot::Array(id) => format!("{}: {}", self.array(*id), self.shape(*id)),
            })
            .collect();
        let arrow = if results.is_empty() {
            String::new()
        } else {
            format!(" -> ({})", results.join(", "))
        };
        let word = if top { "top kernel" } else { "kernel" };
        let word = format!("{word}{}", if kernel.dataflow { " dataflow" } else { "" });
        let word = match &kernel.mapping[..] {
            [] => word,
            mapping => format!("{word} mapping {mapping:?}"),
        };
        let head = format!("{word} @{}({}){arrow} {{", kernel.name, params.join(", "));
        self.line(&head, Some(kernel.span));
        self.indent += 1;
        for (id, array) in kernel.arrays.iter() {
            let text = match &array.kind {
                ArrayKind::Local => format!("local {}: {}", self.array(id), self.shape(id)),
                ArrayKind::Table(contents) | ArrayKind::State(contents) => format!(
                    "{} {}: {} = {}",
                    if array.kind.is_state() {
                        "state"
                    } else {
                        "table"
                    },
                    self.array(id),
                    self.shape(id),
                    table_text(array.elem, contents)
                ),
                ArrayKind::Param(_) | ArrayKind::Result(_) => continue,
            };
            self.line(&text, Some(array.span));
        }
        self.ops(&kernel.body);
        if !kernel.body.yields.is_empty() {
            let text = format!("return {}", self.values(&kernel.body.yields));
            self.line(&text, None);
        }
        self.indent -= 1;
        self.line("}", None);
    }

    fn line(&mut self, text: &str, span: Option<Span>) {
        let pad = self.indent * 2;
        let place = match (self.sources, span) {
            (Some(sources), Some(span)) => format!("  // {}", sources.location(span)),
            _ => String::new(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "{:pad$}{text}{place}", "");
    }

    fn value(&self, id: ValueId) -> String {
        self.names.value(id)
    }

    fn typed(&self, id: ValueId) -> String {
        format!("{}: {}", self.value(id), self.ty(id))
    }

    fn ty(&self, id: ValueId) -> String {
        match self.kernel.values.get(id) {
            Some(value) => value.ty.to_string(),
            None => "?".to_owned(),
        }
    }

    fn values(&self, ids: &[ValueId]) -> String {
        let texts: Vec<String> = ids.iter().map(|id| self.value(*id)).collect();
        texts.join(", ")
    }

    fn array(&self, id: ArrayId) -> String {
        self.names.array(id)
    }

    fn element(&self, at: &Element) -> String {
        let when = at.when.map(|w| format!(" if {}", self.value(w)));
        format!(
            "{}[{}]{}",
            self.array(at.array),
            self.values(&at.indices),
            when.unwrap_or_default()
        )
    }

    fn shape(&self, id: ArrayId) -> String {
        let Some(array) = self.kernel.arrays.get(id) else {
            return "?".to_owned();
        };
        let dims: Vec<String> = array.shape.iter().map(u64::to_string).collect();
        let splits = array.partition.iter();
        let splits: String = splits
            .map(|one| format!(" {} {} dim {}", one.kind.name(), one.factor, one.dim))
            .collect();
        let tags = array_tags(array.tags);
        let stream = array.stream.as_ref();
        let stream = stream.map(|stream| stream_text(array.elem, stream));
        let stream = stream.unwrap_or_default();
        format!("{}[{}]{splits}{tags}{stream}", array.elem, dims.join(", "))
    }

    fn ops(&mut self, block: &Block) {
        block.ops.iter().for_each(|op| self.op(op));
    }

    fn op(&mut self, op: &Op) {
        match &op.kind {
            OpKind::For(f) => self.for_loop(f, op),
            OpKind::While(w) => self.while_loop(w, op),
            OpKind::If(i) => self.branch(i, op),
            other => {
                let text = format!("{}{}", self.results(op), self.simple(other, op));
                self.line(&text, Some(op.span));
            }
        }
    }

    fn results(&self, op: &Op) -> String {
        if op.results.is_empty() {
            return String::new();
        }
        let texts: Vec<String> = op.results.iter().map(|id| self.typed(*id)).collect();
        format!("{} = ", texts.join(", "))
    }

    fn simple(&self, kind: &OpKind, op: &Op) -> String {
        let v = |id: &ValueId| self.value(*id);
        match kind {
            OpKind::Const(c) => {
                let ty = op
                    .results
                    .first()
                    .and_then(|id| self.kernel.values.get(*id));
                format!("const {}", const_text(ty.map(|v| v.ty), c))
            }
            OpKind::Unary { op, arg } => format!("{} {}", op.name(), v(arg)),
            OpKind::Binary { op, lhs, rhs } => format!("{} {}, {}", op.name(), v(lhs), v(rhs)),
            OpKind::Compare { op, lhs, rhs } => {
                format!(
                    "cmp {} {}, {} : {}",
                    op.name(),
                    v(lhs),
                    v(rhs),
                    self.ty(*lhs)
                )
            }
            OpKind::Fma { lhs, rhs, add } => format!("fma {}, {}, {}", v(lhs), v(rhs), v(add)),
            OpKind::Cast { arg } => format!("cast {} : {}", v(arg), self.ty(*arg)),
            OpKind::Convert { arg, how } => {
                let (rounding, overflow) = (how.rounding.name(), how.overflow.name());
                let ty = self.ty(*arg);
                format!("convert {rounding} {overflow} {} : {ty}", v(arg))
            }
            OpKind::Bitcast { arg } => format!("bitcast {} : {}", v(arg), self.ty(*arg)),
            OpKind::Select {
                cond,
                on_true,
                on_false,
            } => format!("select {}, {}, {}", v(cond), v(on_true), v(on_false)),
            OpKind::BitGet { arg, index } => format!("bit_get {}, {}", v(arg), v(index)),
            OpKind::BitSet { arg, lo, bits } => {
                format!("bit_set {}, {}, {}", v(arg), v(lo), v(bits))
            }
            OpKind::BitSlice { arg, lo } => format!("bit_slice {}, {}", v(arg), v(lo)),
            OpKind::Load { at, bypassed } => {
                let word = if *bypassed { "load bypassed" } else { "load" };
                format!("{word} {}", self.element(at))
            }
            OpKind::Store { at, value } => format!("store {}, {}", self.element(at), v(value)),
            OpKind::Get { at } => format!("get {}", self.element(at)),
            OpKind::Put { at, value } => format!("put {}, {}", self.element(at), v(value)),
            OpKind::Attempt { at, what } => {
                let value = what.value().map(|value| format!(", {}", v(&value)));
                format!(
                    "{} {}{}",
                    what.name(),
                    self.element(at),
                    value.unwrap_or_default()
                )
            }
            OpKind::Promise(promise) => {
                let mut text = format!(
                    "promise {} over {} {}",
                    self.array(promise.array),
                    v(&promise.iv),
                    promise.scope.name()
                );
                text += &promise
                    .hazard
                    .map_or(String::new(), |hazard| format!(" {}", hazard.name()));
                let distance = |distance| format!(" distance {distance}");
                text + &promise.distance.map_or(String::new(), distance)
            }
            OpKind::Assume { cond } => format!("assume {}", v(cond)),
            OpKind::Fill { array, value } => format!("fill {}, {}", self.array(*array), v(value)),
            OpKind::Copy { dst, src } => format!("copy {}, {}", self.array(*dst), self.array(*src)),
            OpKind::Operate(o) => {
                let args: Vec<String> = o.args.iter().map(v).collect();
                format!("operate {}({})", o.kernel.name, args.join(", "))
            }
            OpKind::Call(call) => self.call(call),
            OpKind::For(_) | OpKind::While(_) | OpKind::If(_) => String::new(),
        }
    }

    fn call(&self, call: &Call) -> String {
        let name = self
            .program
            .kernels
            .get(call.kernel)
            .map_or("?", |k| &k.name);
        let args: Vec<String> = call
            .args
            .iter()
            .map(|a| match a {
                Arg::Scalar(id) => self.value(*id),
                Arg::Array(id) => self.array(*id),
            })
            .collect();
        let arrays: Vec<String> = call
            .result_arrays
            .iter()
            .map(|id| self.array(*id))
            .collect();
        let into = if arrays.is_empty() {
            String::new()
        } else {
            format!(" into {}", arrays.join(", "))
        };
        let worker = call.worker.map(|number| format!(" worker {number}"));
        let worker = worker.unwrap_or_default();
        format!("call @{name}({}){into}{worker}", args.join(", "))
    }

    fn carried(&self, params: &[ValueId], inits: &[ValueId]) -> String {
        if params.is_empty() {
            return String::new();
        }
        let pairs: Vec<String> = params
            .iter()
            .zip(inits)
            .map(|(p, i)| format!("{} = {}", self.typed(*p), self.value(*i)))
            .collect();
        format!(" carry({})", pairs.join(", "))
    }

    fn body(&mut self, block: &Block) {
        self.indent += 1;
        self.ops(block);
        if !block.yields.is_empty() {
            let text = format!("yield {}", self.values(&block.yields));
            self.line(&text, None);
        }
        self.indent -= 1;
    }

    fn for_loop(&mut self, f: &For, op: &Op) {
        let text = format!(
            "{}{} {} = {} {} {} step {}{} label {:?}{} {{",
            self.results(op),
            if f.parallel { "parallel for" } else { "for" },
            self.value(f.iv),
            self.value(f.lo),
            if f.descending { "down to" } else { "to" },
            self.value(f.hi),
            self.value(f.step),
            self.carried(&f.carried, &f.inits),
            f.label,
            tags(f.tags),
        );
        self.line(&text, Some(op.span));
        self.body(&f.body);
        self.line("}", None);
    }

    fn while_loop(&mut self, w: &While, op: &Op) {
        let text = format!(
            "{}while{} label {:?}{} {{",
            self.results(op),
            self.carried(&w.carried, &w.inits),
            w.label,
            tags(w.tags),
        );
        self.line(&text, Some(op.span));
        self.body(&w.cond);
        self.line("} do {", None);
        self.body(&w.body);
        self.line("}", None);
    }

    fn branch(&mut self, i: &If, op: &Op) {
        let text = format!("{}if {} {{", self.results(op), self.value(i.cond));
        self.line(&text, Some(op.span));
        self.body(&i.then);
        if !i.otherwise.ops.is_empty() || !i.otherwise.yields.is_empty() {
            self.line("} else {", None);
            self.body(&i.otherwise);
        }
        self.line("}", None);
    }
}

fn table_text(elem: Scalar, table: &[Const]) -> String {
    let shown: Vec<String> = table
        .iter()
        .take(MAX_TABLE)
        .map(|c| const_text(Some(elem), c))
        .collect();
    let more = if table.len() > MAX_TABLE {
        format!(", ... {} more", table.len() - MAX_TABLE)
    } else {
        String::new()
    };
    format!("[{}{more}]", shown.join(", "))
}

/// A float as its bit pattern and, where the host has the format, its decimal value.
fn const_text(ty: Option<Scalar>, value: &Const) -> String {
    match value {
        Const::Int(v) => v.to_string(),
        Const::Float(bits) => {
            let decimal = match ty {
                Some(Scalar::Float(FloatFormat::F32)) => u32::try_from(bits)
                    .ok()
                    .map(|b| format!("{:?}", f32::from_bits(b))),
                Some(Scalar::Float(FloatFormat::F64)) => u64::try_from(bits)
                    .ok()
                    .map(|b| format!("{:?}", f64::from_bits(b))),
                _ => None,
            };
            match decimal {
                Some(text) => format!("{text} (0x{bits:x})"),
                None => format!("0x{bits:x}"),
            }
        }
    }
}

/// ` pipeline 2 unroll all`, or nothing.
fn tags(tags: Tags) -> String {
    let pipeline = tags.pipeline.map(|pipeline| match pipeline {
        Pipeline::Off => " pipeline off".to_string(),
        Pipeline::Least => " pipeline least".to_string(),
        Pipeline::Every(cycles) => format!(" pipeline {cycles}"),
    });
    let unroll = tags.unroll.map(|unroll| match unroll {
        Unroll::Fully => " unroll all".to_string(),
        Unroll::By(factor) => format!(" unroll {factor}"),
        Unroll::Abreast(factor) => format!(" unroll abreast {factor}"),
    });
    let shaped = tags.is_shaped.then(|| " shaped".to_string());
    pipeline.into_iter().chain(unroll).chain(shaped).collect()
}

/// ` stream 2 of i8[4] with [0]`, without what it carries if that is no block, and without what it holds if that is nothing.
fn stream_text(elem: Scalar, stream: &Stream) -> String {
    let Stream {
        depth,
        tokens,
        packed,
    } = stream;
    let mut text = format!(" stream {depth}");
    if let Some(Packed { elem, shape }) = packed {
        text += &format!(" of {elem}{shape:?}");
    }
    if !tokens.is_empty() {
        text += &format!(" with {}", table_text(elem, tokens));
    }
    text
}

/// ` ports 1 in lutram rom`, or nothing.
fn array_tags(tags: ArrayTags) -> String {
    let ports = tags.ports.map(|ports| format!(" ports {ports}"));
    let memory = tags.memory.map(|kind| format!(" in {}", kind.name()));
    let rom = tags.is_rom.then(|| " rom".to_string());
    ports.into_iter().chain(memory).chain(rom).collect()
}
