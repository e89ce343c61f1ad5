//! Random programs of vectors that loops and branches carry, with what they come to: the vectors are those of this file, plain
//! lists of numbers, so that a fault of the frontend shows which the reference and the hardware share.

use allo_hls::sim::vectors::Rng;
use std::fmt::Write as _;

/// Variables that are declared before everything else.
const OUTER: usize = 4;
const LANES: usize = 64;

type Lanes = Vec<i32>;

/// What gives a vector; variables by number.
#[derive(Clone, Debug)]
enum Value {
    /// Another name of it.
    Same(usize),
    Add(usize, usize),
    AddScalar(usize, i32),
    /// The sum of all lanes, in lane 0.
    Sum(usize),
    /// The low halves of the lanes, as the high ones: read across lanes.
    Halves(usize),
}

#[derive(Clone, Debug)]
enum Statement {
    Assign(usize, Value),
    /// A variable of this block.
    Declare(Value),
    Swap(usize, usize),
    /// On a bit of the argument.
    If(u32, Vec<Statement>, Vec<Statement>),
    Repeat(u32, Vec<Statement>),
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program(Vec<Statement>);

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Same(a) => format!("v{a}"),
            Value::Add(a, b) => format!("vadd(v{a}, v{b})"),
            Value::AddScalar(a, s) => format!("vadds(v{a}, {s})"),
            Value::Sum(a) => format!("vcadd(v{a})"),
            Value::Halves(a) => format!("vbitcast(vcvt(v{a}, i16, part=1), i32)"),
        }
    }

    fn value(&self, all: &[Lanes]) -> Lanes {
        match self {
            Value::Same(a) => all[*a].clone(),
            Value::Add(a, b) => {
                let pairs = all[*a].iter().zip(&all[*b]);
                pairs.map(|(a, b)| a.wrapping_add(*b)).collect()
            }
            Value::AddScalar(a, s) => all[*a].iter().map(|a| a.wrapping_add(*s)).collect(),
            Value::Sum(a) => {
                let mut lanes = vec![0; LANES];
                lanes[0] = all[*a].iter().fold(0, |sum: i32, a| sum.wrapping_add(*a));
                lanes
            }
            Value::Halves(a) => all[*a].iter().map(|a| a << 16).collect(),
        }
    }
}

impl Program {
    /// The program of a seed.
    pub fn random(seed: u64) -> Program {
        let mut rng = Rng::new(seed ^ 0xca44);
        Program(block(&mut rng, OUTER, 3))
    }

    /// A file with the kernel `top(n: i32, y: i32[4, 64])`, which stores the variables.
    pub fn text(&self) -> String {
        let mut text = "from allo import *\nfrom allo.pto import *\n\n\n\
                        @kernel(options=KernelOptions(typing_style=\"pto\"))\n\
                        def top(n: i32, y: \"i32[4, 64]\"):\n"
            .to_owned();
        for v in 0..OUTER {
            writeln!(text, "    v{v} = vci({})", v * 100).expect("a string");
        }
        write(&mut text, &self.0, OUTER, 1);
        for v in 0..OUTER {
            writeln!(text, "    vsts(v{v}, y, {})", v * LANES).expect("a string");
        }
        text
    }

    /// What it stores for an argument.
    pub fn result(&self, n: i32) -> Vec<i32> {
        let start = |v: usize| (0..LANES).map(|lane| (v * 100 + lane) as i32).collect();
        let mut all: Vec<Lanes> = (0..OUTER).map(start).collect();
        run(&self.0, &mut all, n);
        all.concat()
    }
}

fn block(rng: &mut Rng, known: usize, depth: u32) -> Vec<Statement> {
    let mut known = known;
    let count = 1 + rng.below(4);
    let statements = (0..count).map(|_| {
        let any = |rng: &mut Rng| rng.below(known as u64) as usize;
        let (a, b) = (any(rng), any(rng));
        match rng.below(8) {
            0 | 1 if depth > 0 => {
                let then = block(rng, known, depth - 1);
                let bit = rng.below(4) as u32;
                match rng.one_in(2) {
                    true => Statement::If(bit, then, block(rng, known, depth - 1)),
                    false => Statement::If(bit, then, Vec::new()),
                }
            }
            2 | 3 if depth > 0 => {
                Statement::Repeat(1 + rng.below(3) as u32, block(rng, known, depth - 1))
            }
            4 => Statement::Swap(a, b),
            5 => {
                let value = value(rng, known);
                known += 1;
                Statement::Declare(value)
            }
            _ => Statement::Assign(a, value(rng, known)),
        }
    });
    statements.collect()
}

fn value(rng: &mut Rng, known: usize) -> Value {
    let any = |rng: &mut Rng| rng.below(known as u64) as usize;
    let (a, b) = (any(rng), any(rng));
    match rng.below(8) {
        0 | 1 => Value::Same(a),
        2 => Value::Sum(a),
        3 => Value::Halves(a),
        4 => Value::AddScalar(a, rng.below(1000) as i32),
        _ => Value::Add(a, b),
    }
}

fn write(text: &mut String, block: &[Statement], known: usize, depth: usize) {
    let indent = "    ".repeat(depth);
    let mut known = known;
    for statement in block {
        let line = match statement {
            Statement::Assign(v, value) => format!("v{v} = {}", value.text()),
            Statement::Declare(value) => {
                known += 1;
                format!("v{} = {}", known - 1, value.text())
            }
            Statement::Swap(a, b) => format!("v{a}, v{b} = v{b}, v{a}"),
            Statement::If(bit, ..) => format!("if (n >> {bit}) & 1:"),
            Statement::Repeat(count, _) => format!("for _ in range({count}):"),
        };
        writeln!(text, "{indent}{line}").expect("a string");
        match statement {
            Statement::If(_, then, otherwise) => {
                write(text, then, known, depth + 1);
                if !otherwise.is_empty() {
                    writeln!(text, "{indent}else:").expect("a string");
                    write(text, otherwise, known, depth + 1);
                }
            }
            Statement::Repeat(_, body) => write(text, body, known, depth + 1),
            _ => {}
        }
    }
}

fn run(block: &[Statement], all: &mut Vec<Lanes>, n: i32) {
    let known = all.len();
    for statement in block {
        match statement {
            Statement::Assign(v, value) => all[*v] = value.value(all),
            Statement::Declare(value) => all.push(value.value(all)),
            Statement::Swap(a, b) => all.swap(*a, *b),
            Statement::If(bit, then, otherwise) => match (n >> bit) & 1 {
                0 => run(otherwise, all, n),
                _ => run(then, all, n),
            },
            Statement::Repeat(count, body) => (0..*count).for_each(|_| run(body, all, n)),
        }
    }
    all.truncate(known);
}
