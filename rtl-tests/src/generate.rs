//! Random kernels as text: valid programs that mix every construct with hardware.

use allo_hls::sim::vectors::Rng;
use std::fmt::Write as _;

/// A kernel's text with the name of its top.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// A whole file.
    pub text: String,
    /// The kernel to compile.
    pub top: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Index,
    Float,
}

#[derive(Clone, Debug)]
struct Var {
    name: String,
    kind: Kind,
    /// May be assigned here.
    open: bool,
    /// Declared as a plain scalar (bits can be taken).
    bits: Option<u32>,
}

#[derive(Clone, Debug)]
struct Array {
    name: String,
    kind: Kind,
    ty: String,
    shape: Vec<u64>,
    /// May be stored to.
    open: bool,
    /// Not to be read (a grid stores it elsewhere).
    banned: bool,
    /// Bits of an integer element.
    bits: u32,
}

/// An expression; loosely typed.
struct Expr {
    text: String,
    kind: Kind,
    /// A rough upper bound of its bits.
    bits: u32,
    constant: bool,
}

/// Element type and shape.
type Shaped = (String, Vec<u64>);

#[derive(Clone, Debug)]
struct Callee {
    name: String,
    scalars: Vec<Kind>,
    arrays: Vec<(String, Vec<u64>, bool)>,
    returns: Vec<(Kind, Option<Shaped>)>,
}

struct Gen {
    rng: Rng,
    text: String,
    indent: usize,
    vars: Vec<Var>,
    arrays: Vec<Array>,
    callees: Vec<Callee>,
    counter: usize,
    /// Float formats that occur; empty without any.
    floats: &'static [&'static str],
    types: Vec<String>,
    budget: i32,
    loops: usize,
    /// Iterations of everything so far around, kept small.
    work: u64,
    wild: bool,
    /// Reads inside of subscripts inside of ...
    nested: u32,
    /// Mostly nests of loops with short statements over long arrays.
    loopy: bool,
    /// Neither loops nor arrays: invocations of what comes of it may overlap.
    scalar: bool,
}

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed);
    let floats: &[&str] = match rng.below(4) {
        0 => FLOATS[rng.below(FLOATS.len() as u64) as usize],
        _ => &[],
    };
    let wild = rng.below(6) == 0;
    let scalar = rng.below(10) == 0;
    let mut g = Gen {
        rng,
        text: String::new(),
        indent: 0,
        vars: Vec::new(),
        arrays: Vec::new(),
        callees: Vec::new(),
        counter: 0,
        floats,
        types: Vec::new(),
        budget: 0,
        loops: 0,
        work: 1,
        wild,
        nested: 0,
        loopy: seed.is_multiple_of(2) && !scalar,
        scalar,
    };
    g.file();
    Kernel {
        text: g.text,
        top: "top",
    }
}

/// The same text with a few tokens exchanged, dropped or doubled: mostly invalid, sometimes something new.
pub fn mutated(text: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut tokens = tokens(text);
    for _ in 0..1 + rng.below(2) {
        let at = rng.below(tokens.len() as u64) as usize;
        let other = tokens[rng.below(tokens.len() as u64) as usize].clone();
        match rng.below(4) {
            0 => tokens[at].clear(),
            1 => tokens[at] = other,
            2 => tokens.insert(at, other),
            _ => tokens[at] = STRANGE[rng.below(STRANGE.len() as u64) as usize].into(),
        }
    }
    tokens.concat()
}

const STRANGE: [&str; 24] = [
    "0",
    "-1",
    "4096",
    "9223372036854775807",
    "(",
    ")",
    "[",
    ":",
    "/",
    "//",
    "%",
    "**",
    "1.0",
    "index",
    "bool",
    "f32",
    "u1",
    "None",
    "while",
    "\n",
    "    ",
    "**100000",
    "18446744073709551616",
    "\"",
];

/// Words, and every other character by itself.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let word = c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(last) if word && in_word => last.push(c),
            _ => tokens.push(c.into()),
        }
        in_word = word;
    }
    tokens
}

/// Float formats that meet in one kernel.
const FLOATS: [&[&str]; 13] = [
    &["f32"],
    &["f16"],
    &["bf16"],
    &["f64"],
    &["af"],
    &["small"],
    &["f16", "f32"],
    &["bf16", "f32"],
    &["f32", "f64"],
    &["f8e4m3", "f16"],
    &["f8e5m2", "f32"],
    &["hif8", "f32"],
    &["f4e2m1", "f4e1m2", "f16", "f32"],
];

const NARROW: [u32; 18] = [
    1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 18, 19, 31, 32, 33, 36,
];
const WIDE: [u32; 8] = [48, 63, 64, 65, 96, 128, 129, 300];

impl Gen {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n.max(1))
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        let i = self.below(list.len() as u64) as usize;
        list[i].clone()
    }
    fn name(&mut self, stem: &str) -> String {
        self.counter += 1;
        format!("{stem}{}", self.counter)
    }
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 4);
    }

    // ----- types -----

    fn has_floats(&self) -> bool {
        !self.floats.is_empty()
    }

    /// Whether values are stored in formats that hold few constants.
    fn has_storage(&self) -> bool {
        self.floats
            .iter()
            .any(|f| f.starts_with("f8") || f.starts_with("f4") || *f == "hif8")
    }

    fn int_type(&mut self) -> (String, u32) {
        let width = if self.wild && self.one_in(3) {
            match self.one_in(3) {
                true => 1 + self.below(300) as u32,
                false => self.pick(&WIDE),
            }
        } else {
            self.pick(&NARROW)
        };
        let sign = self.pick(&["i", "u"]);
        let name = format!("T{sign}{width}");
        if !self.types.contains(&name) {
            self.types.push(name.clone());
        }
        (name, width)
    }

    fn scalar_type(&mut self) -> (String, Kind, u32) {
        if self.has_floats() && self.one_in(2) {
            let float = self.pick(self.floats);
            return (float.to_string(), Kind::Float, 0);
        }
        if self.one_in(12) {
            return ("index".into(), Kind::Index, 64);
        }
        if self.one_in(3) {
            return ("i32".into(), Kind::Int, 32);
        }
        let (name, width) = self.int_type();
        (name, Kind::Int, width)
    }

    fn shape(&mut self) -> Vec<u64> {
        if self.loopy {
            return self.pick(&[
                vec![],
                vec![8],
                vec![13],
                vec![16],
                vec![1],
                vec![5, 4],
                vec![4, 8],
                vec![4, 4],
            ]);
        }
        if self.one_in(8) {
            let n = 2 + self.below(3);
            return vec![n, n];
        }
        let rank = self.pick(&[0, 1, 1, 1, 1, 1, 2, 2, 3]);
        (0..rank)
            .map(|_| match rank {
                1 => self.pick(&[1, 2, 3, 4, 5, 7, 8, 11, 13, 16]),
                _ => self.pick(&[1, 2, 3, 4, 5]),
            })
            .collect()
    }

    fn shaped(ty: &str, shape: &[u64]) -> String {
        let dims: Vec<String> = shape.iter().map(u64::to_string).collect();
        format!("\"{ty}[{}]\"", dims.join(", "))
    }

    // ----- files -----

    fn file(&mut self) {
        let mut body = String::new();
        let callees = if self.loopy || self.scalar {
            0
        } else {
            self.pick(&[0, 0, 0, 1, 1, 2])
        };
        for _ in 0..callees {
            let name = self.name("callee");
            let callee = self.kernel(&name, true);
            self.callees.push(callee);
            body.push_str(&std::mem::take(&mut self.text));
        }
        self.kernel("top", false);
        body.push_str(&std::mem::take(&mut self.text));
        self.text =
            "from allo import *\nimport allo\naf = apfloat(6, 9)\nsmall = apfloat(3, 4)\n".into();
        for ty in std::mem::take(&mut self.types) {
            let signed = if ty.starts_with("Ti") {
                "True"
            } else {
                "False"
            };
            let width = ty[2..].to_string();
            self.line(&format!("{ty} = apint({width}, signed={signed})"));
        }
        self.text.push_str(&body);
    }

    fn kernel(&mut self, name: &str, small: bool) -> Callee {
        self.vars.clear();
        self.arrays.clear();
        self.loops = 0;
        self.work = 1;
        let mut params = Vec::new();
        let mut callee = Callee {
            name: name.to_string(),
            scalars: Vec::new(),
            arrays: Vec::new(),
            returns: Vec::new(),
        };
        for _ in 0..self.below(4) {
            let (ty, kind, bits) = self.scalar_type();
            let name = self.name("s");
            params.push(format!("{name}: {ty}"));
            callee.scalars.push(kind);
            let open = self.one_in(3);
            self.vars.push(Var {
                name,
                kind,
                open,
                bits: (kind == Kind::Int).then_some(bits),
            });
        }
        let arrays = if self.scalar { 0 } else { 1 + self.below(3) };
        for _ in 0..arrays {
            let (ty, kind, bits) = self.scalar_type();
            let shape = self.shape();
            let name = self.name("a");
            params.push(format!("{name}: {}", Self::shaped(&ty, &shape)));
            let open = !self.one_in(4);
            callee.arrays.push((ty.clone(), shape.clone(), open));
            self.arrays.push(Array {
                name,
                kind,
                ty,
                shape,
                open,
                banned: false,
                bits,
            });
        }
        let returned = self.returned();
        let mut options = Vec::new();
        if self.one_in(3) {
            options.push("typing_style=\"cpp\"");
        }
        if self.has_floats() && self.one_in(4) {
            options.push("subnormals=\"ftz\"");
        }
        self.line(&match options.is_empty() {
            true => "@kernel".to_string(),
            false => format!("@kernel(options=KernelOptions({}))", options.join(", ")),
        });
        let annotation = match returned.len() {
            0 => String::new(),
            1 => format!(" -> {}", returned[0].0),
            _ => {
                let list: Vec<&str> = returned.iter().map(|r| r.0.as_str()).collect();
                format!(" -> ({})", list.join(", "))
            }
        };
        self.line(&format!("def {name}({}){annotation}:", params.join(", ")));
        self.indent += 1;
        self.budget = if small { 4 } else { 8 + self.below(14) as i32 };
        for _ in 0..if small {
            1 + self.below(2)
        } else {
            2 + self.below(5)
        } {
            self.statement(0);
        }
        if !returned.is_empty() && self.one_in(4) {
            let cond = self.condition(1);
            self.line(&format!("if {cond}:"));
            self.indent += 1;
            self.return_line(&returned);
            self.indent -= 1;
        }
        if returned.is_empty() {
            self.line("return");
        } else {
            self.return_line(&returned);
        }
        self.indent -= 1;
        let arrays = &self.arrays;
        let shaped = |i: usize| (arrays[i].ty.clone(), arrays[i].shape.clone());
        let results = returned.iter().map(|r| (r.1, r.2.map(shaped)));
        callee.returns = results.collect();
        callee
    }

    /// Annotations of the results; arrays as an index into `arrays` on demand.
    fn returned(&mut self) -> Vec<(String, Kind, Option<usize>)> {
        let mut count = self.pick(&[0, 0, 1, 1, 1, 2]);
        if self.scalar {
            count = count.max(1);
        }
        (0..count)
            .map(|_| {
                if !self.arrays.is_empty() && self.one_in(4) {
                    let i = self.below(self.arrays.len() as u64) as usize;
                    let array = self.arrays[i].clone();
                    return (Self::shaped(&array.ty, &array.shape), array.kind, Some(i));
                }
                let (ty, kind, _) = self.scalar_type();
                (ty, kind, None)
            })
            .collect()
    }

    fn return_line(&mut self, returned: &[(String, Kind, Option<usize>)]) {
        let values: Vec<String> = returned
            .iter()
            .map(|(_, kind, array)| match array {
                Some(i) => self.arrays[*i].name.clone(),
                None => self.expr_for(*kind, 2),
            })
            .collect();
        self.line(&format!("return {}", values.join(", ")));
    }

    // ----- expressions -----

    /// An expression that may be stored in a place of that kind.
    fn expr_for(&mut self, kind: Kind, depth: u32) -> String {
        match kind {
            Kind::Float if self.one_in(6) => match self.int_expr(depth) {
                value if value.kind == Kind::Int => value.text,
                _ => self.float_expr(depth),
            },
            Kind::Float => self.float_expr(depth),
            _ if self.has_floats() && self.one_in(8) => self.float_expr(depth),
            _ => {
                let value = self.int_expr(depth);
                // Constants outside of the place's type are refused.
                if value.constant {
                    "1".into()
                } else {
                    value.text
                }
            }
        }
    }

    fn literal(&mut self) -> Expr {
        let value = match self.below(12) {
            0 => 0,
            1 => 1,
            2 => -1,
            3 => 1 << self.below(20),
            4 => (1 << self.below(20)) - 1,
            5 => -(self.below(200) as i64),
            6 => self.below(30) as i64,
            // Many digits: a factor that becomes several sums, or several blocks.
            7 => {
                let bits = 8 + self.below(33);
                let size = self.below(1 << bits) as i64;
                if self.one_in(2) { -size } else { size }
            }
            _ => self.below(2) as i64,
        };
        let text = if value < 0 {
            format!("({value})")
        } else {
            value.to_string()
        };
        Expr {
            text,
            kind: Kind::Int,
            bits: 64 - value.unsigned_abs().leading_zeros().min(44),
            constant: true,
        }
    }

    fn int_leaf(&mut self) -> Expr {
        for _ in 0..6 {
            if self.one_in(5) {
                return self.literal();
            }
            if self.one_in(3)
                && let Some(read) = self.read(false)
            {
                return read;
            }
            if !self.vars.is_empty() {
                let var = self.pick(&self.vars.clone());
                if var.kind != Kind::Float {
                    return Expr {
                        text: var.name,
                        kind: var.kind,
                        bits: var.bits.unwrap_or(64),
                        constant: false,
                    };
                }
            }
        }
        self.literal()
    }

    fn read(&mut self, float: bool) -> Option<Expr> {
        let fits = |a: &&Array| !a.banned && (a.kind == Kind::Float) == float;
        let arrays: Vec<Array> = self.arrays.iter().filter(fits).cloned().collect();
        if arrays.is_empty() || self.nested > 1 {
            return None;
        }
        let array = self.pick(&arrays);
        self.nested += 1;
        let indices = self.indices(&array, 10);
        self.nested -= 1;
        Some(Expr {
            text: format!("{}[{indices}]", array.name),
            kind: array.kind,
            bits: array.bits.max(1),
            constant: false,
        })
    }

    fn runtime_leaf(&mut self) -> Expr {
        for _ in 0..8 {
            let leaf = self.int_leaf();
            if !leaf.constant {
                return leaf;
            }
        }
        self.literal()
    }

    fn int_expr(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.one_in(6) {
            return self.int_leaf();
        }
        let d = depth - 1;
        match self.below(18) {
            17 => self.quotient(d),
            0..=3 => self.sum(d),
            4 | 5 => self.product(d),
            6 => self.shift(d),
            7 | 8 => self.bitwise(d),
            9 => self.ternary(d),
            10 => self.extreme(d),
            11 => self.unary(d),
            12 => self.bit_read(),
            13 | 14 => Expr {
                text: self.condition(d),
                kind: Kind::Int,
                bits: 1,
                constant: false,
            },
            _ => self.int_leaf(),
        }
    }

    fn mixed(&mut self, parts: &[&Expr], text: String, bits: u32) -> Expr {
        let index = parts.iter().any(|p| p.kind == Kind::Index);
        Expr {
            text,
            kind: if index { Kind::Index } else { Kind::Int },
            bits: if index { 64 } else { bits },
            constant: parts.iter().all(|p| p.constant),
        }
    }

    fn sum(&mut self, depth: u32) -> Expr {
        let mut sum = self.int_expr(depth);
        for _ in 0..1 + self.below(3) {
            let next = self.int_expr(depth);
            let op = self.pick(&["+", "-"]);
            let text = format!("({} {op} {})", sum.text, next.text);
            let bits = sum.bits.max(next.bits) + 2;
            sum = self.mixed(&[&sum, &next], text, bits);
        }
        sum
    }

    /// Two to four factors, a constant often between them, in any association.
    fn product(&mut self, depth: u32) -> Expr {
        let mut product = self.int_expr(depth);
        for _ in 0..1 + self.below(3) {
            let next = match self.one_in(3) {
                true => self.literal(),
                false => self.int_expr(depth),
            };
            let bits = product.bits + next.bits;
            if bits > 700 {
                break;
            }
            let (a, b) = match self.one_in(2) {
                true => (&product, &next),
                false => (&next, &product),
            };
            let text = format!("({} * {})", a.text, b.text);
            product = self.mixed(&[&product, &next], text, bits);
        }
        product
    }

    /// Divisions and powers. Their units are large, so that wide operands are rare.
    fn quotient(&mut self, depth: u32) -> Expr {
        let most = if self.one_in(4) { 300 } else { 40 };
        let a = self.runtime_leaf();
        if a.constant || a.bits > most {
            return a;
        }
        let op = self.pick(&["/", "//", "%", "/", "//", "%", "**"]);
        if op == "**" && a.kind == Kind::Index {
            return a;
        }
        if op == "**" {
            return self.power(a);
        }
        let b = match self.one_in(2) {
            true => self.int_expr(depth),
            false => self.literal(),
        };
        if b.bits > most || (b.constant && !b.text.contains(|c: char| ('1'..='9').contains(&c))) {
            return a;
        }
        let text = format!("({} {op} {})", a.text, b.text);
        let bits = a.bits.max(b.bits) + 1;
        self.mixed(&[&a, &b], text, bits)
    }

    fn power(&mut self, a: Expr) -> Expr {
        let b = self.runtime_leaf();
        let text = match b.constant || b.bits > 16 || b.kind == Kind::Index || self.one_in(2) {
            true => format!("({} ** {})", a.text, self.below(6)),
            false => format!("({} ** {})", a.text, b.text),
        };
        let bits = a.bits.max(b.bits);
        self.mixed(&[&a, &b], text, bits)
    }

    fn shift(&mut self, depth: u32) -> Expr {
        let a = self.runtime_leaf();
        let op = self.pick(&["<<", ">>"]);
        let amount = if a.kind == Kind::Index || self.one_in(3) {
            let n = self.below(40) as i64 - 3;
            format!("({n})")
        } else if self.one_in(2) {
            let leaf = self.runtime_leaf();
            match leaf.kind {
                Kind::Int if self.one_in(2) => format!("({} & 7)", leaf.text),
                _ => leaf.text,
            }
        } else {
            self.int_expr(depth).text
        };
        let (kind, bits) = (a.kind, a.bits);
        Expr {
            text: format!("({} {op} {amount})", a.text),
            kind,
            bits,
            constant: a.constant,
        }
    }

    fn bitwise(&mut self, depth: u32) -> Expr {
        let (a, b) = (self.int_expr(depth), self.int_expr(depth));
        if a.kind != b.kind && !b.constant {
            return a;
        }
        let op = self.pick(&["&", "|", "^"]);
        let text = format!("({} {op} {})", a.text, b.text);
        let bits = a.bits.max(b.bits);
        self.mixed(&[&a, &b], text, bits)
    }

    fn ternary(&mut self, depth: u32) -> Expr {
        let condition = self.condition(depth);
        let (a, b) = (self.runtime_leaf(), self.int_expr(depth));
        let text = format!("({} if {condition} else {})", a.text, b.text);
        let bits = a.bits.max(b.bits) + 1;
        self.mixed(&[&a, &b], text, bits)
    }

    fn extreme(&mut self, depth: u32) -> Expr {
        let (a, b) = (self.runtime_leaf(), self.int_expr(depth));
        let op = self.pick(&["min", "max"]);
        let text = format!("{op}({}, {})", a.text, b.text);
        let bits = a.bits.max(b.bits) + 1;
        self.mixed(&[&a, &b], text, bits)
    }

    fn unary(&mut self, depth: u32) -> Expr {
        let a = self.int_expr(depth);
        let op = self.pick(&["-", "~", "abs", "not ", "+"]);
        let (text, kind, bits) = match op {
            "abs" if a.kind == Kind::Int && !a.constant => {
                (format!("abs({})", a.text), Kind::Int, a.bits)
            }
            "not " => (format!("(not {})", a.text), Kind::Int, 1),
            "-" if a.kind == Kind::Int => (format!("(-{})", a.text), Kind::Int, a.bits + 1),
            "+" => (format!("(+{})", a.text), a.kind, a.bits),
            _ if a.constant => (a.text, a.kind, a.bits),
            _ => (format!("(~{})", a.text), a.kind, a.bits),
        };
        Expr {
            text,
            kind,
            bits,
            constant: a.constant,
        }
    }

    fn bit_read(&mut self) -> Expr {
        let scalars = self.vars.iter().filter(|v| v.bits.is_some());
        let scalars: Vec<Var> = scalars.cloned().collect();
        if scalars.is_empty() {
            return self.int_leaf();
        }
        let var = self.pick(&scalars);
        let width = var.bits.unwrap_or(1);
        let bit = self.below(u64::from(width)) as u32;
        let (text, bits) = match self.below(3) {
            0 => (format!("{}[{bit}]", var.name), 1),
            1 if width > 1 => {
                let end = bit + 1 + self.below(u64::from(width - bit)) as u32;
                (format!("{}[{bit}:{end}]", var.name), end - bit)
            }
            _ => {
                let index = self.runtime_leaf();
                if index.constant {
                    return index;
                }
                let (name, at) = (&var.name, index.text);
                // Ranges may begin below bit 0 and end above the width.
                match self.below(2) {
                    0 => (format!("{name}[{at}]"), 1),
                    _ => {
                        let (below, above) = (self.below(5), 1 + self.below(12));
                        let bits = (below + above) as u32;
                        (format!("{name}[{at} - {below}:{at} + {above}]"), bits)
                    }
                }
            }
        };
        Expr {
            text,
            kind: Kind::Int,
            bits,
            constant: false,
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        if depth > 0 && self.one_in(4) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            let op = self.pick(&["and", "or"]);
            return format!("({a} {op} {b})");
        }
        if self.has_floats() && self.one_in(3) {
            let (a, b) = (self.float_leaf(), self.float_expr(depth));
            let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
            return format!("({a} {op} {b})");
        }
        let a = self.runtime_leaf();
        if a.constant {
            return "(1 < 2)".into();
        }
        let b = self.int_expr(depth);
        let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.below(8) {
            0 if a.kind == Kind::Int => a.text,
            1 if a.kind == Kind::Int => format!("(not {})", a.text),
            _ => format!("({} {op} {})", a.text, b.text),
        }
    }

    fn float_leaf(&mut self) -> String {
        for _ in 0..6 {
            if self.one_in(2)
                && let Some(read) = self.read(true)
            {
                return read.text;
            }
            let floats = self.vars.iter().filter(|v| v.kind == Kind::Float);
            let floats: Vec<Var> = floats.cloned().collect();
            if !floats.is_empty() {
                return self.pick(&floats).name;
            }
        }
        match self.has_storage() {
            true => self.pick(&["1.5", "1.0", "(-0.5)"]).to_string(),
            false => self.pick(&["1.5", "0.1", "(-2.0)", "1e30"]).to_string(),
        }
    }

    fn float_expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.one_in(5) {
            return self.float_leaf();
        }
        let a = self.float_leaf();
        let d = depth - 1;
        match self.below(13) {
            9 => format!("({a} / {})", self.float_expr(d)),
            11 => {
                let (b, c) = (self.float_leaf(), self.float_expr(d));
                format!("allo.math.fma({a}, {b}, {c})")
            }
            12 => {
                let op = self.pick(&["//", "//", "%"]);
                format!("({a} {op} {})", self.float_leaf())
            }
            10 => {
                let function = self.pick(&["sqrt", "floor", "ceil"]);
                format!("allo.math.{function}({a})")
            }
            0..=2 => {
                let op = self.pick(&["+", "-"]);
                format!("({a} {op} {})", self.float_expr(d))
            }
            3 | 4 => format!("({a} * {})", self.float_expr(d)),
            5 => {
                let op = self.pick(&["min", "max"]);
                format!("{op}({a}, {})", self.float_expr(d))
            }
            6 => format!("(-{})", self.float_expr(d)),
            7 => format!("abs({a})"),
            _ => {
                let condition = self.condition(0);
                format!("({a} if {condition} else {})", self.float_expr(d))
            }
        }
    }

    // ----- subscripts -----

    /// Subscripts of an element; one in `wild` may be anything.
    fn indices(&mut self, array: &Array, wild: u64) -> String {
        if array.shape.is_empty() {
            return "()".into();
        }
        let list: Vec<String> = array.shape.iter().map(|&n| self.index(n, wild)).collect();
        list.join(", ")
    }

    fn index(&mut self, extent: u64, wild: u64) -> String {
        let counters = self.vars.iter().filter(|v| v.kind == Kind::Index);
        let counters: Vec<String> = counters.map(|v| v.name.clone()).collect();
        if self.one_in(wild) {
            let any = self.runtime_leaf();
            if !any.constant {
                return any.text;
            }
        }
        if counters.is_empty() || self.one_in(5) {
            let any = self.runtime_leaf();
            if extent.is_power_of_two()
                && extent > 1
                && any.kind == Kind::Int
                && !any.constant
                && self.one_in(2)
            {
                return format!("{} & {}", any.text, extent - 1);
            }
            return self.below(extent).to_string();
        }
        let counter = self.pick(&counters);
        match self.below(9) {
            0 => format!("{counter} + {}", 1 + self.below(2)),
            1 => format!("{counter} - {}", 1 + self.below(2)),
            2 => format!("{counter} * 2 + {}", self.below(2)),
            3 => format!("{} - {counter}", extent - 1),
            4 => {
                let other = self.pick(&counters);
                format!("{counter} + {other}")
            }
            _ => counter,
        }
    }

    // ----- statements -----

    fn statement(&mut self, depth: u32) {
        self.budget -= 1;
        let deep = depth >= 4 || self.budget <= 0;
        let kind = match (self.loopy, deep) {
            _ if self.scalar => self.pick(if deep {
                &[0, 2, 9]
            } else {
                &[0, 2, 3, 4, 9, 10, 12, 13]
            }),
            (true, false) if self.one_in(8) => 20,
            (true, false) if depth < 3 && self.one_in(2) => 15,
            (true, _) if self.one_in(2) => 5,
            (_, true) => self.below(12),
            (_, false) => self.below(22),
        };
        match kind {
            0 | 1 => self.declare(),
            4 if self.one_in(3) => self.exchange(),
            2 | 3 if self.has_floats() => self.running_sum(),
            2..=4 => self.assign(),
            5..=8 => self.store(),
            9 => self.set_bit(),
            10 => self.local_array(),
            11 if self.one_in(3) => self.matrices(),
            11 => self.whole_array(),
            12 if self.one_in(3) => self.matching(depth),
            12..=14 => self.branch(depth),
            15..=18 => self.for_loop(depth),
            19 => self.while_loop(depth),
            20 => match self.below(6) {
                0 => self.triangle(),
                1 | 2 => self.triangular_sums(),
                3 => self.recurrences(),
                _ => self.grid(),
            },
            _ => self.call(),
        }
    }

    /// How deep the expressions of statements are.
    fn size(&mut self) -> u32 {
        if self.loopy { 1 } else { 3 }
    }

    fn block(&mut self, depth: u32, most: u64) {
        let (vars, arrays) = (self.vars.len(), self.arrays.len());
        self.indent += 1;
        for _ in 0..1 + self.below(most) {
            self.statement(depth + 1);
        }
        self.indent -= 1;
        self.vars.truncate(vars);
        self.arrays.truncate(arrays);
    }

    fn declare(&mut self) {
        let name = self.name("v");
        if self.one_in(3) {
            let value = self.runtime_leaf();
            if !value.constant {
                self.line(&format!("{name} = {}", value.text));
                self.vars.push(Var {
                    name,
                    kind: value.kind,
                    open: true,
                    bits: None,
                });
                return;
            }
        }
        let (ty, kind, bits) = self.scalar_type();
        let size = self.size();
        let value = self.expr_for(kind, size);
        self.line(&format!("{name}: {ty} = {value}"));
        self.vars.push(Var {
            name,
            kind,
            open: true,
            bits: (kind == Kind::Int).then_some(bits),
        });
    }

    fn open_vars(&self) -> Vec<Var> {
        self.vars.iter().filter(|v| v.open).cloned().collect()
    }

    fn assign(&mut self) {
        let vars = self.open_vars();
        if vars.is_empty() {
            return self.declare();
        }
        let var = self.pick(&vars);
        let size = self.size();
        let value = self.expr_for(var.kind, size);
        let op = match (self.below(3), var.kind) {
            (0, _) => "",
            (_, Kind::Float) => self.pick(&["+", "-", "*"]),
            (_, Kind::Index) => self.pick(&["+", "-", "*"]),
            _ => self.pick(&["+", "-", "*", "+", "-"]),
        };
        self.line(&format!("{} {op}= {value}", var.name));
    }

    fn open_arrays(&self) -> Vec<Array> {
        let open = self.arrays.iter().filter(|a| a.open && !a.banned);
        open.cloned().collect()
    }

    fn store(&mut self) {
        let arrays = self.open_arrays();
        if arrays.is_empty() {
            return self.declare();
        }
        let array = self.pick(&arrays);
        let indices = self.indices(&array, 6);
        let size = self.size();
        let value = self.expr_for(array.kind, size);
        let op = match self.below(4) {
            0 => self.pick(&["+", "-", "*"]),
            _ => "",
        };
        self.line(&format!("{}[{indices}] {op}= {value}", array.name));
    }

    /// An element, or a constant, which is no NaN from outside, to which a loop adds, maybe nothing and maybe in both arms.
    fn running_sum(&mut self) {
        let mut arrays = self.open_arrays();
        arrays.retain(|array| array.kind == Kind::Float);
        if arrays.is_empty() || self.work > 20 {
            return self.assign();
        }
        let array = self.pick(&arrays);
        let indices = self.indices(&array, 10);
        let (sum, counter) = (self.name("v"), self.name("i"));
        let bound = self.bound();
        match self.one_in(2) {
            true => {
                let begin = self.pick(&["0.0", "-0.0", "1.5"]);
                self.line(&format!("{sum}: {} = {begin}", array.ty));
            }
            false => self.line(&format!("{sum} = {}[{indices}]", array.name)),
        }
        self.line(&format!("for {counter} in range({bound}):"));
        self.vars.push(Var {
            name: counter,
            kind: Kind::Index,
            open: false,
            bits: None,
        });
        let arms: &[&str] = match self.one_in(3) {
            true => &[""],
            false if self.one_in(3) => &["if", "else"],
            false => &["if"],
        };
        for arm in arms {
            match *arm {
                "if" => {
                    let condition = self.condition(1);
                    self.line(&format!("    if {condition}:"));
                }
                "else" => self.line("    else:"),
                _ => {}
            }
            let pad = if arm.is_empty() { "    " } else { "        " };
            for _ in 0..=u32::from(self.one_in(4)) {
                let (op, value) = (self.pick(&["+", "+", "-", "*"]), self.float_expr(1));
                self.line(&format!("{pad}{sum} {op}= {value}"));
            }
        }
        self.vars.pop();
        let indices = self.indices(&array, 10);
        self.line(&format!("{}[{indices}] = {sum}", array.name));
    }

    fn set_bit(&mut self) {
        let vars: Vec<Var> = self
            .open_vars()
            .into_iter()
            .filter(|v| v.bits.is_some())
            .collect();
        if vars.is_empty() {
            return self.store();
        }
        let var = self.pick(&vars);
        let index = self.runtime_leaf();
        let index = if index.constant {
            "0".into()
        } else {
            index.text
        };
        let value = self.int_expr(1).text;
        self.line(&format!("{}[{index}] = {value}", var.name));
    }

    fn local_array(&mut self) {
        let (ty, kind, bits) = self.scalar_type();
        let shape = self.shape();
        let name = self.name("m");
        let annotation = Self::shaped(&ty, &shape);
        let list = shape.len() == 1 && kind != Kind::Float && self.one_in(2);
        let mut open = true;
        match self.below(3) {
            0 if list => {
                let most = 1 << (bits.min(9) - 1);
                let items = (0..shape[0]).map(|_| self.below(most.max(2)).to_string());
                let items: Vec<String> = items.collect();
                self.line(&format!("{name}: {annotation} = [{}]", items.join(", ")));
                open = self.one_in(2);
            }
            0 | 1 => {
                let value = self.expr_for(kind, 1);
                self.line(&format!("{name}: {annotation} = {value}"));
            }
            _ => self.line(&format!("{name}: {annotation}")),
        }
        self.arrays.push(Array {
            name,
            kind,
            ty,
            shape,
            open,
            banned: false,
            bits,
        });
    }

    fn whole_array(&mut self) {
        let arrays = self.open_arrays();
        if arrays.is_empty() || self.work > 40 {
            return self.assign();
        }
        let target = self.pick(&arrays);
        let alike = self.arrays.iter().filter(|a| {
            a.shape == target.shape
                && a.name != target.name
                && !a.banned
                && (a.kind == Kind::Float) == (target.kind == Kind::Float)
        });
        let alike: Vec<Array> = alike.cloned().collect();
        if alike.is_empty() || self.one_in(3) {
            let value = self.expr_for(target.kind, 1);
            return self.line(&format!("{} = {value}", target.name));
        }
        let (one, two) = (self.pick(&alike), self.pick(&alike));
        let value = match self.below(4) {
            0 => one.name,
            1 if one.ty == two.ty => {
                let condition = self.condition(0);
                format!("{} if {condition} else {}", one.name, two.name)
            }
            _ => {
                let op = self.pick(&["+", "-", "*"]);
                format!("{} {op} {}", one.name, two.name)
            }
        };
        self.line(&format!("{} = {value}", target.name));
    }

    /// A product of matrices.
    fn matrices(&mut self) {
        let square = |a: &Array| matches!(a.shape[..], [n, m] if n == m && n <= 4);
        let targets: Vec<Array> = self.open_arrays().into_iter().filter(square).collect();
        if targets.is_empty() || self.work > 4 {
            return self.store();
        }
        let target = self.pick(&targets);
        let one = self.factor(&target, None);
        let two = self.factor(&target, Some(&one.ty));
        let product = format!("allo.linalg.matmul({}, {})", one.name, two.name);
        self.line(&format!("{} = {product}", target.name));
    }

    /// Another array of a shape, and of a type if one is given.
    fn factor(&mut self, target: &Array, ty: Option<&str>) -> Array {
        let fits = |a: &&Array| {
            let apart = a.name != target.name && !a.banned;
            apart && a.shape == target.shape && ty.is_none_or(|ty| a.ty == ty)
        };
        let fitting: Vec<Array> = self.arrays.iter().filter(fits).cloned().collect();
        if !fitting.is_empty() {
            return self.pick(&fitting);
        }
        let ty = ty.unwrap_or(&target.ty).to_string();
        let name = self.fresh_array(&ty, &target.shape);
        Array {
            name,
            ty,
            ..target.clone()
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition(2);
        self.line(&format!("if {condition}:"));
        self.block(depth, 3);
        if self.one_in(4) {
            let condition = self.condition(1);
            self.line(&format!("elif {condition}:"));
            self.block(depth, 2);
        }
        if self.one_in(2) {
            self.line("else:");
            self.block(depth, 3);
        }
    }

    /// Two variables assigned at once.
    fn exchange(&mut self) {
        let vars = self.open_vars();
        if vars.len() < 2 {
            return self.assign();
        }
        let (a, b) = (self.pick(&vars), self.pick(&vars));
        if a.name == b.name || a.kind != b.kind {
            return self.assign();
        }
        let other = self.expr_for(b.kind, 1);
        self.line(&format!("{}, {} = {}, {other}", a.name, b.name, b.name));
    }

    fn matching(&mut self, depth: u32) {
        let ints = self.vars.iter().filter(|v| v.kind == Kind::Int);
        let ints: Vec<Var> = ints.cloned().collect();
        if ints.is_empty() {
            return self.branch(depth);
        }
        let var = self.pick(&ints);
        self.line(&format!("match {}:", var.name));
        self.indent += 1;
        for pattern in ["0", "1 | 3", "_"] {
            self.line(&format!("case {pattern}:"));
            self.block(depth, 2);
        }
        self.indent -= 1;
    }

    /// An expression for a bound, small in value.
    fn bound(&mut self) -> String {
        let leaf = self.runtime_leaf();
        if leaf.constant || leaf.kind == Kind::Float {
            return self.below(9).to_string();
        }
        match leaf.kind {
            Kind::Index => leaf.text,
            _ => format!("({} & {})", leaf.text, self.pick(&[1, 3, 7])),
        }
    }

    fn range(&mut self) -> (String, u64) {
        if self.loopy && self.one_in(2) {
            let n = 1 + self.below(5);
            return (format!("range({n})"), n);
        }
        match self.below(12) {
            0..=3 => {
                let n = self.pick(&[0, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16]);
                let n = if self.work > 60 { n.min(3) } else { n };
                (format!("range({n})"), n)
            }
            4 | 5 => {
                let (lo, n, step) = (self.below(4), self.below(12), 1 + self.below(3));
                (format!("range({lo}, {}, {step})", lo + n), n.div_ceil(step))
            }
            6 => {
                let (n, step) = (self.below(12), 1 + self.below(3));
                (format!("range({n}, -1, -{step})"), (n + 1).div_ceil(step))
            }
            7 => {
                let bound = self.bound();
                (format!("range({bound}, {}, -1)", self.pick(&[-1, 0, 2])), 8)
            }
            8 => {
                let (low, high) = (self.bound(), self.bound());
                let step = self.bound();
                (format!("range({low}, {high}, {step})"), 6)
            }
            9 => {
                let bound = self.bound();
                (format!("range({bound} - 2, {bound} + 2)"), 4)
            }
            _ => {
                let bound = self.bound();
                (format!("range({bound})"), 5)
            }
        }
    }

    fn for_loop(&mut self, depth: u32) {
        let (range, trips) = self.range();
        let name = self.name("i");
        self.line(&format!("for {name} in {range}:"));
        let work = self.work;
        self.work *= trips.max(1);
        let open = self.one_in(6);
        let vars = self.vars.len();
        self.vars.push(Var {
            name,
            kind: Kind::Index,
            open,
            bits: None,
        });
        self.loops += 1;
        if self.work > 200 {
            self.budget = 0;
        }
        self.block(depth, 4);
        self.vars.truncate(vars);
        self.work = work;
    }

    fn while_loop(&mut self, depth: u32) {
        let name = self.name("w");
        let n = 1 + self.below(6);
        self.line(&format!("{name}: i32 = 0"));
        let condition = if self.one_in(2) {
            let condition = self.condition(1);
            format!("({name} < {n} and {condition})")
        } else {
            format!("{name} < {n}")
        };
        self.vars.push(Var {
            name: name.clone(),
            kind: Kind::Int,
            open: false,
            bits: Some(32),
        });
        self.line(&format!("while {condition}:"));
        let work = self.work;
        self.work *= n;
        self.block(depth, 4);
        self.indent += 1;
        self.line(&format!("{name} += 1"));
        self.indent -= 1;
        self.work = work;
    }

    /// Loops whose bounds hang on outer counters, around an element that they come back to, as in decompositions.
    fn triangle(&mut self) {
        let square = |a: &Array| a.shape.len() == 2 && a.shape.iter().all(|&n| n > 2);
        let arrays: Vec<Array> = self.open_arrays().into_iter().filter(square).collect();
        if arrays.is_empty() || self.work > 20 {
            return self.store();
        }
        let target = self.pick(&arrays);
        let [rows, columns] = [target.shape[0], target.shape[1]];
        let [i, j, k] = ["i", "j", "k"].map(|stem| self.name(stem));
        let inner = match self.below(6) {
            0 => format!("range({j})"),
            1 => format!("range({i})"),
            2 => format!("range({j} + 1, {columns})"),
            3 => format!("range({i} + 1, {rows})"),
            4 => format!("range({i}, {j})"),
            _ => format!("range({})", rows.min(columns)),
        };
        let outer = self.pick(&[
            format!("range({i})"),
            format!("range({columns})"),
            format!("range({i} + 1, {columns})"),
        ]);
        self.line(&format!("for {i} in range({rows}):"));
        self.line(&format!("    for {j} in {outer}:"));
        self.line(&format!("        for {k} in {inner}:"));
        let places = [
            format!("{i}, {j}"),
            format!("{i}, {k}"),
            format!("{k}, {j}"),
            format!("{j}, {i}"),
            format!("{k} + 1, {j}"),
            format!("{i}, {k} - 1"),
        ];
        let [to, one, two] = [0, 1, 2].map(|_| self.pick(&places));
        let to = match self.one_in(4) {
            true => to,
            false => places[0].clone(),
        };
        let name = &target.name;
        // Of another one, sums do not wait for those of other elements.
        let source = match self.one_in(2) {
            true => self.pick(&arrays).name,
            false => name.clone(),
        };
        let op = self.pick(&["+", "-", ""]);
        let combine = self.pick(&["*", "+", "-"]);
        let mut pad = "            ".to_string();
        if self.one_in(3) {
            let test = self.pick(&[
                format!("{k} < {j}"),
                format!("{k} > {i}"),
                format!("{k} != {j}"),
                format!("{i} < {k}"),
            ]);
            self.line(&format!("{pad}if {test}:"));
            pad += "    ";
        }
        self.line(&format!(
            "{pad}{name}[{to}] {op}= {source}[{one}] {combine} {source}[{two}]"
        ));
        if self.one_in(3) {
            let two = self.pick(&places);
            self.line(&format!("{pad}{name}[{two}] {op}= {name}[{to}]"));
        }
        if self.one_in(2) {
            self.line(&format!("        {name}[{i}, {j}] {op}= {name}[{j}, {j}]"));
        }
    }

    /// A triangle of sums that have nothing to do with one another, as in covariances.
    fn triangular_sums(&mut self) {
        if self.work > 20 || !self.has_floats() {
            return self.store();
        }
        let ty = self.pick(self.floats);
        let (rows, columns, each) = (4 + self.below(4), 8 + self.below(8), 3 + self.below(3));
        let source = self.fresh_array(ty, &[rows.max(columns), each.max(rows)]);
        let target = self.fresh_array(ty, &[rows, columns]);
        for place in 0..each {
            let value = self.expr_for(Kind::Float, 1);
            self.line(&format!("{source}[1, {place}] = {value}"));
        }
        let [i, j, k, sum] = ["i", "j", "k", "sum"].map(|stem| self.name(stem));
        let outer = self.pick(&[
            format!("range({i})"),
            format!("range({i} + 1, {columns})"),
            format!("range({columns} - 1, {i}, -1)"),
            format!("range({i}, {columns}, 2)"),
        ]);
        let inner = self.pick(&[
            format!("range({each})"),
            format!("range({i})"),
            format!("range({i} + 1, {rows})"),
            format!("range({i}, -1, -1)"),
        ]);
        let product = self.pick(&["*", "-"]);
        self.line(&format!("for {i} in range({rows}):"));
        self.line(&format!("    for {j} in {outer}:"));
        self.line(&format!("        {sum}: {ty} = {target}[{i}, {j}]"));
        let places = [
            format!("{target}[{i}, {j}]"),
            format!("{target}[{i}, 0]"),
            format!("{target}[0, {j}]"),
            format!("{source}[{j}, {i} % {each}]"),
            format!("{source}[{i}, 0]"),
        ];
        self.asides("        ", &places, &sum);
        self.line(&format!("        for {k} in {inner}:"));
        self.line(&format!(
            "            {sum} += {source}[{i}, {k}] {product} {source}[{j}, {k}]"
        ));
        self.asides("        ", &places, &sum);
        self.line(&format!("        {target}[{i}, {j}] = {sum}"));
    }

    /// What is done beside an inner loop that adds to `sum`: stores, loads behind them, branches that store, at
    /// `places`, of which some are an iteration's own.
    fn asides(&mut self, pad: &str, places: &[String], sum: &str) {
        for _ in 0..self.below(5).saturating_sub(2) {
            let [one, other, tested] = [0, 1, 2].map(|_| self.pick(places));
            let op = self.pick(&["+", "-"]);
            let value = self.pick(&[sum, &other]).to_string();
            let store = format!("{one} = {value}");
            let add = format!("{sum} {op}= {other}");
            let [then, otherwise] = [0, 1].map(|_| self.pick(&[&store, &add]).clone());
            match self.below(5) {
                0 | 1 => self.line(&format!("{pad}{store}")),
                2 => self.line(&format!("{pad}{add}")),
                _ => {
                    self.line(&format!("{pad}if {tested} {op} {sum} < 0.0:"));
                    self.line(&format!("{pad}    {then}"));
                    if self.one_in(2) {
                        self.line(&format!("{pad}else:"));
                        self.line(&format!("{pad}    {otherwise}"));
                    }
                }
            }
        }
    }

    /// Recurrences along rows or columns that have nothing to do with one another, one way or there and back.
    fn recurrences(&mut self) {
        if self.work > 20 || !self.has_floats() {
            return self.store();
        }
        let ty = self.pick(self.floats);
        let (rows, columns) = (3 + self.below(6), 4 + self.below(5));
        let is_turned = self.one_in(2);
        let shape = if is_turned {
            [columns, rows]
        } else {
            [rows, columns]
        };
        let [source, target, back] = [0, 1, 2].map(|_| self.fresh_array(ty, &shape));
        let value = self.expr_for(Kind::Float, 1);
        self.line(&format!("{source}[1, 2] = {value}"));
        let [i, j, last] = ["i", "j", "last"].map(|stem| self.name(stem));
        let at = |array: &str, j: &str| match is_turned {
            true => format!("{array}[{j}, {i}]"),
            false => format!("{array}[{i}, {j}]"),
        };
        let ops = ["+", "-", "*"];
        let [one, other] = [self.pick(&ops), self.pick(&ops)];
        let scalar = self.one_in(2);
        let before = format!("{j} - 1");
        self.line(&format!("for {i} in range({rows}):"));
        if scalar {
            self.line(&format!("    {last}: {ty} = {}", at(&source, "0")));
        } else {
            self.line(&format!("    {} = {}", at(&target, "0"), at(&source, "1")));
        }
        let places = [
            at(&target, "0"),
            at(&source, "1"),
            at(&target, "2"),
            format!("{target}[1, 1]"),
            at(&back, "3"),
        ];
        let sum = if scalar { &last } else { &places[0] };
        self.asides("    ", &places, sum);
        self.line(&format!("    for {j} in range(1, {columns}):"));
        let known = if scalar {
            last.clone()
        } else {
            at(&target, &before)
        };
        let next = format!("{known} {one} {} {other} {known}", at(&source, &j));
        self.line(&format!("        {} = {next}", at(&target, &j)));
        if scalar {
            self.line(&format!("        {last} = {}", at(&target, &j)));
        }
        self.asides("    ", &places, sum);
        if self.one_in(2) {
            let after = format!("{j} + 1");
            self.line(&format!("    for {j} in range({columns} - 2, -1, -1):"));
            let next = format!("{} {one} {}", at(&back, &after), at(&target, &j));
            self.line(&format!("        {} = {next}", at(&back, &j)));
        }
    }

    /// A grid whose iterations are independent: each updates its own element.
    fn grid(&mut self) {
        let arrays: Vec<Array> = self
            .open_arrays()
            .into_iter()
            .filter(|a| a.shape.len() >= 2)
            .collect();
        if arrays.is_empty() || self.work > 20 {
            return self.store();
        }
        let target = self.pick(&arrays);
        let names: Vec<String> = target.shape.iter().map(|_| self.name("g")).collect();
        let extents: Vec<String> = target.shape.iter().map(u64::to_string).collect();
        let own = names.join(", ");
        self.line(&format!("for {own} in allo.grid({}):", extents.join(", ")));
        let (vars, saved) = (self.vars.len(), self.vars.clone());
        self.vars.iter_mut().for_each(|v| v.open = false);
        for name in &names {
            self.vars.push(Var {
                name: name.clone(),
                kind: Kind::Index,
                open: false,
                bits: None,
            });
        }
        if let Some(array) = self.arrays.iter_mut().find(|a| a.name == target.name) {
            array.banned = true;
        }
        self.indent += 1;
        let op = self.pick(&["", "+", "*"]);
        let value = self.expr_for(target.kind, 2);
        if self.one_in(3) {
            let inner = self.name("i");
            let trips = 1 + self.below(4);
            self.line(&format!("for {inner} in range({trips}):"));
            self.indent += 1;
            self.line(&format!("{}[{own}] {op}= {value}", target.name));
            self.indent -= 1;
        } else {
            self.line(&format!("{}[{own}] {op}= {value}", target.name));
        }
        self.indent -= 1;
        self.vars.truncate(vars);
        self.vars = saved;
        if let Some(array) = self.arrays.iter_mut().find(|a| a.name == target.name) {
            array.banned = false;
        }
    }

    fn call(&mut self) {
        if self.callees.is_empty() || self.work > 40 {
            return self.store();
        }
        let callee = self.pick(&self.callees.clone());
        let mut args: Vec<String> = Vec::new();
        for &kind in &callee.scalars {
            let value = match kind {
                Kind::Index => self.bound(),
                _ => self.expr_for(kind, 1),
            };
            args.push(value);
        }
        let mut taken: Vec<String> = Vec::new();
        for (ty, shape, open) in &callee.arrays {
            let fits = self.arrays.iter().find(|a| {
                a.ty == *ty
                    && a.shape == *shape
                    && !a.banned
                    && (a.open || !open)
                    && !taken.contains(&a.name)
            });
            let name = match fits {
                Some(array) => array.name.clone(),
                None => self.fresh_array(ty, shape),
            };
            taken.push(name.clone());
            args.push(name);
        }
        let call = format!("{}({})", callee.name, args.join(", "));
        if callee.returns.is_empty() {
            return self.line(&call);
        }
        let names: Vec<String> = callee.returns.iter().map(|_| self.name("r")).collect();
        self.line(&format!("{} = {call}", names.join(", ")));
        for (name, (kind, array)) in names.into_iter().zip(callee.returns) {
            match array {
                Some((ty, shape)) => self.declared(name, &ty, &shape),
                None => self.vars.push(Var {
                    name,
                    kind,
                    open: true,
                    bits: None,
                }),
            }
        }
    }

    fn fresh_array(&mut self, ty: &str, shape: &[u64]) -> String {
        let name = self.name("m");
        self.line(&format!("{name}: {} = 1", Self::shaped(ty, shape)));
        self.declared(name.clone(), ty, shape);
        name
    }

    fn declared(&mut self, name: String, ty: &str, shape: &[u64]) {
        let kind = match ty {
            "index" => Kind::Index,
            _ if self.floats.contains(&ty) => Kind::Float,
            _ => Kind::Int,
        };
        self.arrays.push(Array {
            name,
            kind,
            ty: ty.to_string(),
            shape: shape.to_vec(),
            open: true,
            banned: false,
            bits: 64,
        });
    }
}
