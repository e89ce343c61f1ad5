//! Random kernels of the style "pto" as text: scalars converted in every rounding, vectors and masks that loops and branches carry,
//! tiles with valid regions, layouts and products.

use crate::generate::Kernel;
use allo_hls::sim::vectors::Rng;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Operations that the reference may execute for an invocation of one.
pub const STEPS: u64 = 200_000;

const WIDE: [&str; 3] = ["f32", "f16", "bf16"];
const SIGNED: [&str; 4] = ["i32", "i16", "i8", "i64"];
const UNSIGNED: [&str; 4] = ["u32", "u16", "u8", "u64"];
const SMALL: [&str; 5] = ["f8e4m3", "f8e5m2", "hif8", "f4e2m1", "f4e1m2"];
const ROUNDINGS: [&str; 6] = ["rne", "rna", "rz", "rp", "rm", "ro"];
const PROFILES: [&str; 3] = ["cpu", "a2a3", "a5"];

fn is_wide(ty: &str) -> bool {
    WIDE.contains(&ty)
}

fn is_small(ty: &str) -> bool {
    SMALL.contains(&ty)
}

fn is_unsigned(ty: &str) -> bool {
    ty.starts_with('u')
}

fn width(ty: &str) -> u64 {
    match ty {
        "hif8" => 8,
        "bf16" => 16,
        _ if ty.starts_with("f8") => 8,
        _ if ty.starts_with("f4") => 4,
        _ => ty[1..].parse().expect("a width"),
    }
}

fn lanes(ty: &str) -> u64 {
    2048 / width(ty)
}

/// A variable.
#[derive(Clone, Debug)]
struct Var {
    name: String,
    ty: &'static str,
}

struct Gen {
    rng: Rng,
    profile: &'static str,
    params: Vec<String>,
    /// Arrays by name, with their elements.
    arrays: BTreeMap<String, u64>,
    body: String,
    depth: usize,
    counter: usize,
    scalars: Vec<Var>,
    vectors: Vec<Var>,
    /// Masks; the type is one with as many lanes.
    masks: Vec<(String, u64)>,
}

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed ^ 0x9070);
    let profile = rng.pick(&PROFILES);
    let unroll = rng.pick(&[1, 1, 2, 4, 8]);
    let mut g = Gen {
        rng,
        profile,
        params: vec!["n: i32".to_owned(), "w: f32".to_owned()],
        arrays: BTreeMap::new(),
        body: String::new(),
        depth: 1,
        counter: 0,
        scalars: vec![
            Var {
                name: "n".to_owned(),
                ty: "i32",
            },
            Var {
                name: "w".to_owned(),
                ty: "f32",
            },
        ],
        vectors: Vec::new(),
        masks: Vec::new(),
    };
    if profile == "a5" && g.rng.one_in(3) {
        g.line("sethf32mode(True)");
    }
    match seed % 4 {
        0 => g.scalars(),
        1 => g.tiles(),
        _ => g.vectors(),
    }
    let params = g.params.join(", ");
    let options = format!("typing_style=\"pto\", profile=\"{profile}\", lanes={unroll}");
    Kernel {
        text: format!(
            "from allo import *\nfrom allo.pto import *\n\n\n\
             @kernel(options=KernelOptions({options}))\ndef top({params}):\n{}",
            g.body
        ),
        top: "top",
    }
}

impl Gen {
    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.depth);
        writeln!(self.body, "{indent}{text}").expect("a string");
    }

    fn name(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    fn array(&mut self, prefix: &str, ty: &'static str, size: u64) -> String {
        let name = format!("{prefix}_{ty}");
        if !self.arrays.contains_key(&name) {
            self.arrays.insert(name.clone(), size);
            self.params.push(format!("{name}: \"{ty}[{size}]\""));
        }
        name
    }

    fn wide(&mut self) -> &'static str {
        self.rng.pick(&WIDE)
    }

    fn integer(&mut self) -> &'static str {
        match self.rng.one_in(2) {
            true => self.rng.pick(&SIGNED),
            false => self.rng.pick(&UNSIGNED),
        }
    }

    fn number(&mut self) -> &'static str {
        // Those with few lanes run faster.
        match (self.rng.one_in(2), self.rng.one_in(2)) {
            (true, _) => self.rng.pick(&["f32", "i32", "i64", "u32"]),
            (_, true) => self.wide(),
            _ => self.integer(),
        }
    }

    /// A type to which there is a conversion.
    fn converted_to(&mut self, from: &'static str) -> &'static str {
        loop {
            let to = match (self.rng.below(3), is_small(from)) {
                (_, true) => self.wide(),
                (0, false) if is_wide(from) && self.profile != "a2a3" => self.rng.pick(&SMALL),
                (1, false) => self.wide(),
                _ => self.integer(),
            };
            if to != from {
                return to;
            }
        }
    }

    /// The rest of the arguments of a conversion.
    fn rounding(&mut self) -> String {
        let mut text = String::new();
        if !self.rng.one_in(4) {
            text += &format!(", rnd=\"{}\"", self.rng.pick(&ROUNDINGS));
        }
        if self.rng.one_in(3) {
            text += ", sat=True";
        }
        text
    }

    fn literal(&mut self, ty: &str) -> String {
        match is_wide(ty) {
            true => self.rng.pick(&["1.5", "-0.375", "100.0", "0.0078125"]),
            false if is_unsigned(ty) => self.rng.pick(&["1", "3", "100", "0x55"]),
            false => self.rng.pick(&["1", "3", "-7", "100"]),
        }
        .to_owned()
    }

    /// A scalar of the type, or a literal.
    fn scalar(&mut self, ty: &'static str) -> String {
        let fitting: Vec<String> = self
            .scalars
            .iter()
            .filter(|s| s.ty == ty)
            .map(|s| s.name.clone())
            .collect();
        match fitting.is_empty() || self.rng.one_in(3) {
            true => self.literal(ty),
            false => fitting[self.rng.below(fitting.len() as u64) as usize].clone(),
        }
    }

    // Scalars --------------------------------------------------------------------------------------

    fn scalars(&mut self) {
        for _ in 0..4 + self.rng.below(10) {
            let at = self.rng.below(self.scalars.len() as u64) as usize;
            let from = self.scalars[at].clone();
            let name = self.name("s");
            let (ty, value) = match self.rng.below(3) {
                0 if !is_small(from.ty) => {
                    let other = self.scalar(from.ty);
                    let op = match is_wide(from.ty) {
                        true => self.rng.pick(&["+", "-", "*", "/"]),
                        false => self.rng.pick(&["+", "-", "*", "&", "^"]),
                    };
                    (from.ty, format!("{} {op} {other}", from.name))
                }
                _ => {
                    let to = self.converted_to(from.ty);
                    let rest = self.rounding();
                    (to, format!("tcvt({}, {to}{rest})", from.name))
                }
            };
            self.line(&format!("{name} = {value}"));
            let out = self.array("out", ty, 16);
            let place = self.rng.below(16);
            self.line(&format!("{out}[{place}] = {name}"));
            self.scalars.push(Var { name, ty });
        }
    }

    // Vectors --------------------------------------------------------------------------------------

    fn vectors(&mut self) {
        for _ in 0..2 {
            let ty = self.number();
            let value = self.source(ty);
            self.assign(None, ty, &value);
        }
        let count = 2 + self.rng.below(4);
        self.statements(count);
        for vector in self.vectors.clone() {
            self.store(&vector);
        }
    }

    fn statements(&mut self, count: u64) {
        for _ in 0..count {
            match self.rng.below(10) {
                0 | 1 if self.depth < 4 => self.nested(),
                2 => self.mask(),
                3 => {
                    let vector = self.vector();
                    self.store(&vector);
                }
                4 => self.swap(),
                _ => self.operation(),
            }
        }
    }

    /// A loop or a branch; what is declared inside is gone after it.
    fn nested(&mut self) {
        let known = (self.vectors.len(), self.masks.len());
        let count = 1 + self.rng.below(3);
        let header = match self.rng.one_in(2) {
            true => format!(
                "for {} in range({}):",
                self.name("k"),
                2 + self.rng.below(2)
            ),
            false => format!("if n > {}:", self.literal("i32")),
        };
        let is_branch = header.starts_with("if");
        let bodies = 1 + usize::from(is_branch && self.rng.one_in(2));
        for header in [header.as_str(), "else:"].into_iter().take(bodies) {
            self.line(header);
            self.depth += 1;
            self.operation();
            self.statements(count);
            self.depth -= 1;
            self.vectors.truncate(known.0);
            self.masks.truncate(known.1);
        }
    }

    fn vector(&mut self) -> Var {
        let at = self.rng.below(self.vectors.len() as u64) as usize;
        self.vectors[at].clone()
    }

    /// A vector of the type, or something that makes one.
    fn of_type(&mut self, ty: &'static str) -> String {
        let fitting: Vec<String> = self
            .vectors
            .iter()
            .filter(|v| v.ty == ty)
            .map(|v| v.name.clone())
            .collect();
        match fitting.is_empty() || self.rng.one_in(4) {
            true => self.source(ty),
            false => fitting[self.rng.below(fitting.len() as u64) as usize].clone(),
        }
    }

    /// What makes a vector of no other one.
    fn source(&mut self, ty: &'static str) -> String {
        let array = self.array("x", ty, lanes(ty) + 16);
        match self.rng.below(4) {
            0 if !is_wide(ty) && !is_small(ty) => {
                format!("vci(tcvt(n, {ty}))").replace("tcvt(n, i32)", "n")
            }
            1 if !is_small(ty) => format!("vdup({}, {ty})", self.literal(ty)),
            2 => format!("vlds({array}, n)"),
            _ => format!("vlds({array}, {})", self.rng.below(17)),
        }
    }

    /// A mask of so many lanes.
    fn active(&mut self, lanes: u64) -> String {
        let fitting: Vec<String> = self
            .masks
            .iter()
            .filter(|m| m.1 == lanes)
            .map(|m| m.0.clone())
            .collect();
        match fitting.is_empty() || self.rng.one_in(3) {
            true if self.rng.one_in(2) => {
                format!("pset({lanes}, \"PAT_VL{}\")", 1 + self.rng.below(lanes))
            }
            true => format!("plt({lanes}, n)"),
            false => fitting[self.rng.below(fitting.len() as u64) as usize].clone(),
        }
    }

    fn mask(&mut self) {
        let vector = self.vector();
        let lanes = lanes(vector.ty);
        let value = match self.rng.below(4) {
            0 => format!("pnot({})", self.active(lanes)),
            1 => {
                let op = self.rng.pick(&["pand", "por", "pxor"]);
                format!("{op}({}, {})", self.active(lanes), self.active(lanes))
            }
            _ if is_small(vector.ty) => self.active(lanes),
            _ => {
                let op = self.rng.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
                match self.rng.one_in(2) {
                    true => format!(
                        "vcmp({}, {}, \"{op}\")",
                        vector.name,
                        self.of_type(vector.ty)
                    ),
                    false => format!(
                        "vcmps({}, {}, \"{op}\")",
                        vector.name,
                        self.scalar(vector.ty)
                    ),
                }
            }
        };
        let fitting: Vec<String> = self
            .masks
            .iter()
            .filter(|m| m.1 == lanes)
            .map(|m| m.0.clone())
            .collect();
        if !fitting.is_empty() && self.rng.one_in(2) {
            let name = &fitting[self.rng.below(fitting.len() as u64) as usize];
            return self.line(&format!("{name} = {value}"));
        }
        let name = self.name("m");
        self.line(&format!("{name} = {value}"));
        self.masks.push((name, lanes));
    }

    /// Assigns to a vector: a new one, or one of the type that there is.
    fn assign(&mut self, target: Option<&Var>, ty: &'static str, value: &str) {
        if let Some(target) = target {
            return self.line(&format!("{} = {value}", target.name));
        }
        let name = self.name("v");
        self.line(&format!("{name} = {value}"));
        self.vectors.push(Var { name, ty });
    }

    fn swap(&mut self) {
        let one = self.vector();
        let other = self
            .vectors
            .iter()
            .rfind(|v| v.ty == one.ty)
            .expect("the one")
            .clone();
        match self.rng.one_in(2) {
            true => self.line(&format!("{0}, {1} = {1}, {0}", one.name, other.name)),
            false => self.assign(None, one.ty, &one.name.clone()),
        }
    }

    fn store(&mut self, vector: &Var) {
        let out = self.array("out", vector.ty, lanes(vector.ty) + 16);
        let size = self.arrays[&out];
        let fits = size >= lanes(vector.ty);
        let place = match self.rng.one_in(4) || !fits {
            true => "n".to_owned(),
            false => self.rng.below(size - lanes(vector.ty) + 1).to_string(),
        };
        let mask = match self.rng.one_in(2) {
            true => format!(", {}", self.active(lanes(vector.ty))),
            false => String::new(),
        };
        self.line(&format!("vsts({}, {out}, {place}{mask})", vector.name));
    }

    fn operation(&mut self) {
        let a = self.vector();
        let (mut ty, lanes) = (a.ty, lanes(a.ty));
        let mut may_merge = true;
        let value = match self.rng.below(8) {
            0 => {
                ty = self.converted_to(a.ty);
                may_merge = false;
                format!("vcvt({}, {ty}{}", a.name, self.rounding())
            }
            1 => {
                ty = self.number();
                return self.assign_some(ty, &format!("vbitcast({}, {ty})", a.name));
            }
            2 => {
                let (other, active) = (self.of_type(ty), self.active(lanes));
                return self.assign_some(ty, &format!("vsel({}, {other}, {active})", a.name));
            }
            3 | 4 if is_small(ty) => format!("vxor({}, {}", a.name, self.of_type(ty)),
            3 => {
                may_merge = false;
                format!("{}({}", self.rng.pick(&["vcadd", "vcmax", "vcmin"]), a.name)
            }
            4 => {
                let op = self.rng.pick(&["vadds", "vmuls", "vmaxs", "vmins"]);
                format!("{op}({}, {}", a.name, self.scalar(ty))
            }
            5 if is_wide(ty) => {
                let op = self
                    .rng
                    .pick(&["vsqrt", "vabs", "vneg", "vrelu", "vtrc", "vnot"]);
                format!("{op}({}", a.name)
            }
            5 if !is_small(ty) && !is_unsigned(ty) => {
                format!("{}({}", self.rng.pick(&["vabs", "vneg", "vrelu"]), a.name)
            }
            6 if !is_wide(ty) && !is_small(ty) => {
                format!(
                    "{}({}, {}",
                    self.rng.pick(&["vshls", "vshrs"]),
                    a.name,
                    self.rng.below(40)
                )
            }
            _ => {
                let op = match (is_small(ty), is_wide(ty)) {
                    (true, _) => self.rng.pick(&["vand", "vor", "vxor"]),
                    (_, true) => self
                        .rng
                        .pick(&["vadd", "vsub", "vmul", "vmax", "vmin", "vdiv", "vadd"]),
                    _ => self.rng.pick(&[
                        "vadd", "vsub", "vmul", "vmax", "vmin", "vand", "vshr", "vshl",
                    ]),
                };
                format!("{op}({}, {}", a.name, self.of_type(ty))
            }
        };
        let mut rest = String::new();
        if self.rng.one_in(2) {
            rest += &format!(", mask={}", self.active(lanes));
            if may_merge && self.rng.one_in(2) {
                rest += &format!(", merge={}", self.of_type(ty));
            }
        }
        self.assign_some(ty, &format!("{value}{rest})"));
    }

    fn assign_some(&mut self, ty: &'static str, value: &str) {
        let fitting: Vec<Var> = self
            .vectors
            .iter()
            .filter(|v| v.ty == ty)
            .cloned()
            .collect();
        let target = match fitting.is_empty() || self.rng.one_in(3) {
            true => None,
            false => Some(&fitting[self.rng.below(fitting.len() as u64) as usize]),
        };
        self.assign(target, ty, value);
    }

    // Tiles ----------------------------------------------------------------------------------------

    fn element(&mut self) -> &'static str {
        let types: &[&str] = match self.profile {
            "a2a3" => &["f32", "f16", "bf16", "i32", "i16"],
            "a5" => &["f32", "f16", "bf16", "i32", "i16", "i8", "u8", "u16", "u32"],
            _ => &["f32", "f16", "i32", "i8", "i64", "u64", "u16"],
        };
        types[self.rng.below(types.len() as u64) as usize]
    }

    fn tiles(&mut self) {
        let ty = self.element();
        let row = 256 / width(ty);
        let (rows, columns) = (1 + self.rng.below(4), row * (1 + self.rng.below(2)));
        let valid = (1 + self.rng.below(rows), 1 + self.rng.below(columns));
        let pad = self.rng.pick(&["null", "zero", "min", "max"]);
        let plain = format!("{rows}, {columns}, valid=({}, {})", valid.0, valid.1);
        self.params.push(format!("g: \"{ty}[{rows}, {columns}]\""));
        self.params.push(format!("o: \"{ty}[{rows}, {columns}]\""));
        self.params
            .push(format!("p: tile({ty}, {plain}, pad=\"{pad}\")"));
        for name in ["a", "b"] {
            self.line(&format!("{name}: tile({ty}, {plain})"));
        }
        self.line("tload(p, g)");
        self.line("tload(a, g, n)");
        for _ in 0..3 + self.rng.below(5) {
            let line = self.tile_operation(ty, rows, valid);
            self.line(&line);
        }
        let mut place = self.rng.pick(&["", ", 0, 1", ", n", ", n, n"]);
        if valid.1 == columns && place == ", 0, 1" {
            place = "";
        }
        self.line(&format!("tstore(o, b{place})"));
        match self.rng.below(3) {
            0 => self.product(),
            1 => self.converted(ty, rows, valid),
            _ => {}
        }
    }

    fn tile_operation(&mut self, ty: &'static str, rows: u64, valid: (u64, u64)) -> String {
        let dst = self.rng.pick(&["a", "b", "p"]);
        let (x, y) = (
            self.rng.pick(&["a", "b", "p"]),
            self.rng.pick(&["a", "b", "p"]),
        );
        match self.rng.below(6) {
            0 => {
                let op = self
                    .rng
                    .pick(&["tadds", "tsubs", "tmuls", "tmaxs", "tmins"]);
                format!("{op}({dst}, {x}, {})", self.scalar(ty))
            }
            1 if !is_unsigned(ty) => {
                format!("{}({dst}, {x})", self.rng.pick(&["tabs", "tneg", "trelu"]))
            }
            2 if is_wide(ty) => self
                .rng
                .pick(&["tsqrt(b, a)", "tdivs(a, b, 3.0)", "tdiv(b, a, p)"])
                .to_owned(),
            3 => {
                let op = self.rng.pick(&["sum", "max", "min"]);
                let (name, other) = (self.name("r"), self.name("e"));
                let row = 256 / width(ty);
                let (high, wide) = (valid.0, valid.1.min(row));
                self.line(&format!(
                    "{name}: tile({ty}, {rows}, {row}, valid=({high}, 1))"
                ));
                self.line(&format!(
                    "{other}: tile({ty}, {rows}, {row}, valid=({high}, {wide}))"
                ));
                self.line(&format!("trow{op}({name}, {x})"));
                self.line(&format!("trowexpand({other}, {name})"));
                format!("texpands({dst}, {})", self.scalar(ty))
            }
            4 => format!("texpands({dst}, {})", self.scalar(ty)),
            _ => {
                let op = self.rng.pick(&["tadd", "tsub", "tmul", "tmax", "tmin"]);
                format!("{op}({dst}, {x}, {y})")
            }
        }
    }

    /// A conversion of tiles to another type, and back to an array.
    fn converted(&mut self, ty: &'static str, rows: u64, valid: (u64, u64)) {
        let to = self.converted_to(ty);
        let columns = (256 / width(to)) * 2;
        if columns < valid.1 || is_small(to) && self.profile == "a2a3" {
            return;
        }
        let rest = self.rounding();
        // The two have one shape: as many columns as both types have whole rows of.
        let columns = columns.max(512 / width(ty));
        self.params.push(format!("c: \"{to}[{rows}, {columns}]\""));
        self.line(&format!(
            "k: tile({ty}, {rows}, {columns}, valid=({}, {}))",
            valid.0, valid.1
        ));
        self.line(&format!(
            "t: tile({to}, {rows}, {columns}, valid=({}, {}))",
            valid.0, valid.1
        ));
        self.line("tload(k, g)");
        self.line(&format!("tcvt(t, k{rest})"));
        self.line("tstore(c, t)");
    }

    /// A small product, by way of every location.
    fn product(&mut self) {
        let (ty, acc) = match (self.rng.below(4), self.profile) {
            (0, _) => ("i8", "i32"),
            (1, "a5" | "cpu") => (self.rng.pick(&["f8e4m3", "f8e5m2", "hif8"]), "f32"),
            _ => (self.wide(), "f32"),
        };
        let [m, n, k] = [
            1 + self.rng.below(3),
            1 + self.rng.below(3),
            1 + self.rng.below(5),
        ];
        let size = (256 / width(ty)).max(16);
        self.params.push(format!("ga: \"{ty}[{m}, {k}]\""));
        self.params.push(format!("gb: \"{ty}[{k}, {n}]\""));
        self.params.push(format!("gc: \"{acc}[{m}, {n}]\""));
        for (name, elem, loc, rows, columns) in [
            ("ma", ty, "mat", m, k),
            ("mb", ty, "mat", k, n),
            ("left", ty, "left", m, k),
            ("right", ty, "right", k, n),
            ("acc", acc, "acc", m, n),
        ] {
            self.line(&format!(
                "{name}: tile({elem}, {size}, {size}, loc=\"{loc}\", valid=({rows}, {columns}))"
            ));
        }
        for line in [
            "tload(ma, ga)",
            "tload(mb, gb)",
            "tmov(left, ma)",
            "tmov(right, mb)",
        ] {
            self.line(line);
        }
        self.line("tmatmul(acc, left, right)");
        if self.rng.one_in(2) {
            self.line("tmatmul_acc(acc, left, right)");
        }
        self.line("tstore(gc, acc)");
    }
}
