//! Random kernels of short loops whose accesses meet: neighbours in place, constant places, elements that decide
//! whether they are stored, histograms, values that iterations hand on.

use crate::generate::Kernel;
use allo_hls::sim::vectors::Rng;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Subscripts stay this far from the ends of arrays, so that everything that is read is defined.
const MARGIN: i64 = 2;
const LOCAL: &str = "m";
/// Extents where there are only stencils: rows that are long enough to keep what was loaded.
const STENCIL: [i64; 2] = [9, 24];

struct Gen {
    rng: Rng,
    text: String,
    indent: usize,
    /// Extents of every array.
    shape: Vec<i64>,
    only_stencils: bool,
    /// Arrays of that shape; each is a parameter or a local one.
    arrays: Vec<String>,
    /// Names of variables that loops carry.
    carried: Vec<String>,
    /// Names and extents of the counters around.
    counters: Vec<(String, i64)>,
    /// Names handed out so far.
    count: usize,
    float: bool,
    /// Words of a table of constants, a power of two; 0 if there is none.
    table: u64,
}

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed ^ 0xacce);
    let shapes: [&[i64]; 8] = [
        &[9],
        &[12],
        &[16],
        &[5, 6],
        &[6, 8],
        &[4, 5, 5],
        &[9, 9],
        &[8, 10],
    ];
    let only_stencils = rng.below(8) == 0;
    let shape = match only_stencils {
        true => STENCIL.to_vec(),
        false => shapes[rng.below(8) as usize].to_vec(),
    };
    let types = ["i32", "u8", "i16", "i64", "T5", "f32"];
    let ty = types[rng.below(6) as usize];
    let mut g = Gen {
        rng,
        text: "from allo import *\nT5 = apint(5, signed=True)\n\n\n@kernel\n".into(),
        indent: 1,
        shape,
        only_stencils,
        arrays: Vec::new(),
        carried: Vec::new(),
        counters: Vec::new(),
        count: 0,
        float: ty == "f32",
        table: 0,
    };
    g.file(ty);
    Kernel {
        text: g.text,
        top: "top",
    }
}

impl Gen {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n)
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        let i = self.below(list.len() as u64) as usize;
        list[i].clone()
    }
    fn name(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 4);
    }

    fn file(&mut self, ty: &str) {
        let dims: Vec<String> = self.shape.iter().map(i64::to_string).collect();
        let shaped = format!("\"{ty}[{}]\"", dims.join(", "));
        let params = if self.only_stencils {
            2
        } else {
            1 + self.rng.below(2)
        };
        self.arrays = ["a", "b"][..params as usize]
            .iter()
            .map(ToString::to_string)
            .collect();
        let mut params: Vec<String> = self
            .arrays
            .iter()
            .map(|a| format!("{a}: {shaped}"))
            .collect();
        params.push(format!("x: {ty}"));
        params.push("h: \"i32[4]\"".into());
        let _ = writeln!(self.text, "def top({}) -> {ty}:", params.join(", "));
        for _ in 0..1 + self.below(2) {
            let name = self.name("s");
            self.line(&format!("{name}: {ty} = x"));
            self.carried.push(name);
        }
        if self.only_stencils || self.one_in(3) {
            self.line(&format!("{LOCAL}: {shaped} = 0"));
            self.arrays.push(LOCAL.into());
        }
        if self.one_in(3) {
            self.table = self.pick(&[1, 4, 8, 32, 64, 128]);
            let words: Vec<String> = (0..self.table)
                .map(|_| (self.below(16) as i64 - 8).to_string())
                .collect();
            self.line(&format!(
                "table: \"i4[{}]\" = [{}]",
                self.table,
                words.join(", ")
            ));
        }
        for _ in 0..1 + self.below(3) {
            self.nest();
        }
        let result = self.pick(&self.carried.clone());
        self.line(&format!("return {result}"));
    }

    /// A loop for each dimension, statements inside, now and then also beside an inner loop.
    fn nest(&mut self) {
        let depth = self.indent;
        if self.only_stencils {
            return self.stencil();
        }
        if self.shape.len() == 2 && self.one_in(5) {
            return self.taken_apart();
        }
        if self.one_in(5) {
            return self.rows();
        }
        if self.shape.len() == 2 && self.one_in(5) {
            return self.stencil();
        }
        for extent in self.shape.clone() {
            let name = self.name("i");
            let last = extent - MARGIN;
            let around = self.counters.last().cloned();
            let around = around.filter(|around| around.1 <= extent && self.one_in(3));
            let range = match (self.below(5), around) {
                (0, Some((around, _))) => format!("range({around}, {last})"),
                (1, Some((around, _))) => format!("range({MARGIN}, {around} + 1)"),
                (_, Some((around, _))) => format!("range({MARGIN}, {around})"),
                (0, None) => format!("range({}, {}, -1)", last - 1, MARGIN - 1),
                (1, None) => format!("range({MARGIN}, {last}, 2)"),
                (_, None) => format!("range({MARGIN}, {last})"),
            };
            self.line(&format!("for {name} in {range}:"));
            self.counters.push((name, extent));
            self.indent += 1;
            if self.one_in(5) {
                self.simple();
            }
        }
        for _ in 0..1 + self.below(4) {
            self.statement(2);
        }
        self.indent = depth;
        self.counters.clear();
    }

    /// A loop over the elements of a row, and a nest that goes through them again and again.
    fn rows(&mut self) {
        let depth = self.indent;
        let (last, outer) = self.shape.split_last().expect("one dimension at least");
        let (last, outer) = (*last, outer.to_vec());
        for extent in outer {
            let name = self.name("i");
            self.line(&format!(
                "for {name} in range({MARGIN}, {}):",
                extent - MARGIN
            ));
            self.counters.push((name, extent));
            self.indent += 1;
        }
        let array = self.pick(&self.arrays.clone());
        let around: String = self
            .counters
            .iter()
            .map(|(name, _)| format!("{name}, "))
            .collect();
        let inside = self.indent;
        let range = format!("range({MARGIN}, {})", last - MARGIN);
        for is_nest in [false, true] {
            for _ in 0..if is_nest { 1 + self.below(2) } else { 0 } {
                let name = self.name("k");
                let rows = self.pick(&["2", "3", "1", "2, -1, -1", "5", "1, 4, 2"]);
                self.line(&format!("for {name} in range({rows}):"));
                self.indent += 1;
            }
            let name = self.name("j");
            let other = self.pick(&["range(3, 6)", "range(2, 7, 2)"]);
            let range = if self.one_in(6) {
                other.into()
            } else {
                range.clone()
            };
            self.line(&format!("for {name} in {range}:"));
            self.indent += 1;
            self.counters.push((name.clone(), last));
            let own = format!("{array}[{around}{name}]");
            if self.one_in(6) {
                self.statement(1);
            }
            let value = self.value(1);
            match self.below(4) {
                0 => self.line(&format!("{own} = {value}")),
                _ => self.line(&format!("{own} = {own} * 3 - {value}")),
            }
            if self.one_in(3) {
                self.statement(2);
            }
            self.counters.pop();
            self.indent = inside;
        }
        self.indent = depth;
        self.counters.clear();
    }

    /// Elements around each one, in rows of which some have fewer than others, as in a cross.
    fn stencil(&mut self) {
        if !self.one_in(3) {
            return self.bordered();
        }
        let [from, to] = [0, 1].map(|_| self.pick(&self.arrays.clone()));
        let [i, j] = ["i", "j"].map(|stem| self.name(stem));
        let [rows, columns] = [0, 1].map(|dim| self.shape[dim] - MARGIN);
        let column = self.pick(&[
            format!("range({MARGIN}, {columns})"),
            format!("range({}, {}, -1)", columns - 1, MARGIN - 1),
        ]);
        self.line(&format!("for {i} in range({MARGIN}, {rows}):"));
        self.line(&format!("    for {j} in {column}:"));
        let mut taps = vec![
            format!("{from}[{i}, {j} - 1]"),
            format!("{from}[{i}, {j} + 1]"),
        ];
        for row in ["- 1", "+ 1", "+ 0", "- 1"]
            .into_iter()
            .take(2 + self.below(3) as usize)
        {
            let at = self.pick(&["- 1", "+ 0", "+ 0", "+ 1"]);
            taps.push(format!("{from}[{i} {row}, {j} {at}]"));
        }
        let op = self.pick(&[" + ", " - "]);
        self.line(&format!("        {to}[{i}, {j}] = {}", taps.join(op)));
    }

    /// Elements around each one of all, of those that there are: all of them or none, or each under a condition of its own; or the
    /// nearest that there is.
    fn bordered(&mut self) {
        // What is stored is loaded, too, by one in three at most.
        let to = self.pick(&self.arrays.clone());
        let others = self.arrays.iter().filter(|array| **array != to).cloned();
        let others: Vec<String> = others.collect();
        let sources = match others.is_empty() || self.one_in(3) {
            true => self.arrays.clone(),
            false => others,
        };
        let [from, weights] = [0, 1].map(|_| self.pick(&sources));
        let names = ["i", "j"].map(|stem| self.name(stem));
        let [i, j] = &names;
        let extents = [self.shape[0], self.shape[1]];
        for (depth, (name, extent)) in names.iter().zip(extents).enumerate() {
            let range = match self.one_in(4) {
                true => format!("range({}, -1, -1)", extent - 1),
                false => format!("range({extent})"),
            };
            self.line(&format!("{:1$}for {name} in {range}:", "", 4 * depth));
        }
        let sum = self.pick(&self.carried.clone());
        let is_inside = |distances: &[i64; 2]| {
            let tests = (0..2).map(|dim| match distances[dim] {
                0 => String::new(),
                back @ ..0 => format!(" and {} >= {}", names[dim], -back),
                ahead => format!(" and {} < {}", names[dim], extents[dim] - ahead),
            });
            tests.collect::<String>()
        };
        let taps: Vec<[i64; 2]> = (0..2 + self.below(5))
            .map(|_| [0, 1].map(|_| self.below(5) as i64 / 2 - 1))
            .collect();
        let most_weighted = self.below(7) as usize;
        // What lies beyond a border is the element at it.
        let is_held = self.one_in(3);
        let place = |name: &str, distance: i64, extent: i64| match distance {
            _ if !is_held => format!("{name} + {distance}"),
            ..0 => format!("max({name} + {distance}, 0)"),
            0 => format!("min(max({name}, 0), {})", extent - 1),
            _ => format!("min({}, {name} + {distance})", extent - 1),
        };
        let values = taps.iter().enumerate().map(|(number, [down, right])| {
            let [row, column] = [place(i, *down, extents[0]), place(j, *right, extents[1])];
            let tap = format!("{from}[{row}, {column}]");
            match number < most_weighted {
                true => format!("{tap} * {weights}[0, {number}]"),
                false => tap,
            }
        });
        let values: Vec<String> = values.collect();
        self.indent += 2;
        if is_held {
            self.line(&format!("{to}[{i}, {j}] = {}", values.join(" - ")));
        } else if self.one_in(2) {
            let tests: BTreeSet<String> = taps.iter().map(is_inside).collect();
            let tests: String = tests.into_iter().collect();
            self.line(&format!("if 1 == 1{tests}:"));
            self.line(&format!("    {to}[{i}, {j}] = {}", values.join(" - ")));
            if self.one_in(2) {
                self.line("else:");
                self.line(&format!("    {to}[{i}, {j}] = {from}[{i}, {j}]"));
            }
        } else {
            self.line(&format!("{sum} = {from}[{i}, {j}]"));
            for (tap, value) in taps.iter().zip(&values) {
                self.line(&format!("if 1 == 1{}:", is_inside(tap)));
                self.line(&format!("    {sum} += {value}"));
            }
            self.line(&format!("{to}[{i}, {j}] = {sum}"));
        }
        self.indent -= 2;
    }

    /// One loop over two dimensions: the subscripts are a quotient and a remainder of its counter.
    fn taken_apart(&mut self) {
        let [rows, columns] = [0, 1].map(|dim| self.shape[dim] - 2 * MARGIN);
        let name = self.name("t");
        self.line(&format!("for {name} in range({}):", rows * columns));
        for (dim, op) in ["//", "%"].into_iter().enumerate() {
            let counter = format!("({name} {op} {columns} + {MARGIN})");
            self.counters.push((counter, self.shape[dim]));
        }
        self.indent += 1;
        for _ in 0..1 + self.below(4) {
            self.statement(2);
        }
        self.indent -= 1;
        self.counters.clear();
    }

    fn statement(&mut self, depth: u32) {
        if depth == 0 || !self.one_in(3) {
            return self.simple();
        }
        let condition = self.condition();
        self.line(&format!("if {condition}:"));
        self.block(depth);
        if self.one_in(2) {
            self.line("else:");
            self.block(depth);
        }
    }

    fn block(&mut self, depth: u32) {
        self.indent += 1;
        for _ in 0..1 + self.below(2) {
            self.statement(depth - 1);
        }
        self.indent -= 1;
    }

    fn simple(&mut self) {
        let line = match self.below(12) {
            0 if !self.float => {
                let read = self.element();
                format!("h[{read} & 3] += 1")
            }
            // An element that is stored where it was, which changes nothing.
            1 => {
                let element = self.element();
                format!("{element} = {element}")
            }
            2 => {
                let (one, two) = (self.element(), self.element());
                format!("{one}, {two} = {two}, {one}")
            }
            3..=5 => {
                let variable = self.pick(&self.carried.clone());
                format!("{variable} = {}", self.value(2))
            }
            6 => {
                let (element, value) = (self.element(), self.value(1));
                format!("{element} += {value}")
            }
            _ => {
                let (element, value) = (self.element(), self.value(2));
                format!("{element} = {value}")
            }
        };
        self.line(&line);
    }

    /// An element of one of the arrays.
    fn element(&mut self) -> String {
        let array = self.pick(&self.arrays.clone());
        let fixed = self.one_in(5);
        let shape = self.shape.clone();
        let subscripts = shape.iter().enumerate().map(|(dim, &extent)| {
            if fixed || dim >= self.counters.len() {
                return self.below(extent as u64).to_string();
            }
            let counter = match self.one_in(6) {
                // Across, where that cannot leave the array.
                true => self.pick(&self.counters.clone()),
                false => self.counters[dim].clone(),
            };
            let (counter, far) = match counter.1 <= extent {
                true => counter,
                false => self.counters[dim].clone(),
            };
            match self.below(6) {
                0 => format!("{counter} + {}", 1 + self.below(MARGIN as u64)),
                1 => format!("{counter} - {}", 1 + self.below(MARGIN as u64)),
                2 if far == extent => format!("{} - {counter}", extent - 1),
                _ => counter,
            }
        });
        let subscripts: Vec<String> = subscripts.collect();
        format!("{array}[{}]", subscripts.join(", "))
    }

    fn leaf(&mut self) -> String {
        if self.table > 0 && self.one_in(5) {
            let place = match (self.float, self.one_in(2)) {
                (true, _) => self.below(self.table).to_string(),
                (false, true) => {
                    format!("{} & {}", self.pick(&self.carried.clone()), self.table - 1)
                }
                (false, false) => format!("{} & {}", self.element(), self.table - 1),
            };
            return format!("table[{place}]");
        }
        match self.below(6) {
            0 => "x".into(),
            1 | 2 => self.pick(&self.carried.clone()),
            _ => self.element(),
        }
    }

    fn value(&mut self, depth: u32) -> String {
        let one = self.leaf();
        if depth == 0 {
            return one;
        }
        match self.below(8) {
            0 => one,
            1 => {
                let (condition, two) = (self.condition(), self.leaf());
                format!("{one} if {condition} else {two}")
            }
            2 => format!("max({one}, {})", self.leaf()),
            3 if !self.float => format!("({one} >> {})", 1 + self.below(3)),
            4 => format!("({one} * {})", self.pick(&["3", "x", "2"])),
            _ => {
                let op = self.pick(&["+", "-"]);
                format!("({} {op} {one})", self.value(depth - 1))
            }
        }
    }

    fn condition(&mut self) -> String {
        let one = self.leaf();
        let op = self.pick(&["<", ">=", "==", "!="]);
        match self.below(4) {
            0 => format!("{one} {op} 3"),
            1 if !self.float => format!("{one} & 1"),
            _ => format!("{one} {op} {}", self.leaf()),
        }
    }
}
