//! Every transformation against the reference, and on printed ir where it must and must not act.

use crate::support;
use allo_hls::arena::Arena;
use allo_hls::diagnostics::SourceMap;
use allo_hls::ir::{Block, Kernel, OpKind, Program, Unroll, print, read, validate};
use allo_hls::sim::elements::Invocation;
use allo_hls::sim::reference::{Options, Outcome, run};
use allo_hls::sim::value::Signature;
use allo_hls::sim::vectors::{self, Rng};
use allo_hls::transform;
use allo_hls::transform::{PASSES, Pass, inline::inline, unroll};
use std::collections::HashSet;

const KERNELS: &str = include_str!("kernels.py");

/// The kernel with its calls inlined.
fn inlined(program: &Program) -> Kernel {
    inline(program).unwrap_or_else(|_| panic!("not inlined"))
}

fn alone(kernel: Kernel) -> Program {
    let mut kernels = Arena::new();
    let top = kernels.push(kernel);
    Program { kernels, top }
}

fn pass(name: &str) -> &'static Pass {
    let found = PASSES.iter().find(|p| p.name == name);
    found.unwrap_or_else(|| panic!("no pass '{name}'"))
}

/// The printed ir of a kernel of the collection after inlining and the given passes.
fn after(top: &str, passes: &[&str]) -> String {
    let mut kernel = inlined(&support::program(KERNELS, Some(top)));
    for name in passes {
        (pass(name).run)(&mut kernel);
    }
    print::print(&alone(kernel), None)
}

// Semantics ------------------------------------------------------------------------------------

/// Whether every value that the first run specifies is the same in the second; else where it is not.
fn same(wanted: &Outcome, got: &Outcome) -> Result<(), String> {
    if wanted.unspecified_control.is_some() {
        return Ok(());
    }
    if let Some(span) = got.unspecified_control {
        return Err(format!(
            "control depends on an unspecified value at {span:?}"
        ));
    }
    let slots = |o: &Outcome| [&o.params[..], &o.results[..]].concat();
    for (slot, (wanted, got)) in slots(wanted).iter().zip(slots(got)).enumerate() {
        for (i, (w, g)) in wanted.iter().zip(got.iter()).enumerate() {
            if !w.tainted && w != g {
                return Err(format!("slot {slot}, element {i}: {g:?} instead of {w:?}"));
            }
        }
    }
    Ok(())
}

/// The printed form of a program reads as a program that prints the same.
fn assert_reads_back(name: &str, text: &str) {
    let mut sources = SourceMap::default();
    let file = sources.add("kernel.ir", text);
    match read::read(file, text) {
        Ok(again) => assert_eq!(print::print(&again, None), text, "{name}"),
        Err(error) => panic!("{name}: {}", error.render(&sources, false)),
    }
}

/// A program, what it gives, and the programs that were seen to give the same.
struct Original<'a> {
    name: &'a str,
    program: &'a Program,
    runs: Vec<(Invocation, Outcome)>,
    /// As printed: a pass that changes nothing has nothing to be run again for.
    same: HashSet<String>,
}

impl<'a> Original<'a> {
    fn new(name: &'a str, program: &'a Program, count: usize) -> Self {
        let invocations = vectors::generate(&Signature::of(program), count, 7);
        // Loops as long as the data say: long ones show nothing new.
        let short = within(5_000);
        let runs = invocations.into_iter().filter_map(|invocation| {
            let wanted = run(program, &invocation, &short).ok()?;
            Some((invocation, wanted))
        });
        Original {
            name,
            program,
            runs: runs.collect(),
            same: HashSet::new(),
        }
    }

    /// A kernel is valid and gives what the original gives.
    fn assert_same(&mut self, stage: &str, changed: &Kernel) {
        let (name, changed) = (self.name, alone(changed.clone()));
        let text = print::print(&changed, None);
        if let Err(message) = validate::validate(&changed) {
            panic!("{name} after {stage} is invalid: {message}\n{text}");
        }
        if self.same.contains(&text) {
            return;
        }
        assert_reads_back(name, &text);
        for (invocation, wanted) in &self.runs {
            let got = run(&changed, invocation, &within(50_000)).expect("runs");
            if let Err(message) = same(wanted, &got) {
                panic!("{name} after {stage}: {message}\non {invocation:?}\n{text}");
            }
        }
        self.same.insert(text);
    }
}

fn within(step_limit: u64) -> Options {
    Options {
        step_limit,
        ..Options::default()
    }
}

/// Compares after inlining, after each pass alone, and after each prefix of the pipeline.
fn check(name: &str, text: &str, top: Option<&str>, count: usize) {
    let program = support::program(text, top);
    let mut original = Original::new(name, &program, count);
    let base = inlined(&program);
    original.assert_same("inline", &base);
    for (pass, run) in support::passes() {
        let mut single = base.clone();
        run(&mut single);
        original.assert_same(pass, &single);
    }
    let mut piped = base;
    for pass in PASSES {
        (pass.run)(&mut piped);
        original.assert_same(&format!("the pipeline up to {}", pass.name), &piped);
    }
    abreast(&mut original);
}

/// Runs iterations of one loop after the other side by side, and compares; how often that was legal and how often not.
fn abreast(original: &mut Original) -> (usize, usize) {
    let base = inlined(original.program);
    let (mut legal, mut refused) = (0, 0);
    for number in 0.. {
        let mut kernel = base.clone();
        let factor = 2 + number % 3;
        let mut left = number;
        if !tag(&mut kernel.body, &mut left, Unroll::Abreast(factor)) {
            return (legal, refused);
        }
        match unroll::run(&mut kernel) {
            Ok(()) => {
                legal += 1;
                let stage = format!("loop {number} by {factor} abreast");
                original.assert_same(&stage, &kernel);
            }
            Err(_) => refused += 1,
        }
    }
    (legal, refused)
}

/// Tags the counted loop of a number; none if there are fewer.
fn tag(block: &mut Block, left: &mut u32, unroll: Unroll) -> bool {
    block.ops.iter_mut().any(|op| {
        if let OpKind::For(f) = &mut op.kind {
            if *left == 0 {
                f.tags.unroll = Some(unroll);
                return true;
            }
            *left -= 1;
        }
        let mut blocks = op.kind.blocks_mut().into_iter();
        blocks.any(|block| tag(block, left, unroll))
    })
}

/// Where a nest begins.
const NEST: &str = "from allo import *

@kernel
def top(x: \"i32[9, 9]\", y: \"i32[9]\", z: \"i32[9, 9]\"):
";

/// A nest of two or three loops with assignments between and in them, on subscripts that go up and down.
fn nest(rng: &mut Rng) -> String {
    let mut text = format!("{NEST}    for i in range(4):\n");
    let depth = 2 + rng.below(2) as usize;
    for level in 1..depth {
        let indent = "    ".repeat(level + 1);
        for _ in 0..rng.below(2) {
            text += &assignment(rng, level, &indent);
        }
        let name = ["j", "k"][level - 1];
        text += &format!("{indent}for {name} in range({}):\n", 2 + rng.below(3));
        text += &assignment(rng, level + 1, &format!("{indent}    "));
        if rng.below(3) == 0 {
            text += &assignment(rng, level + 1, &format!("{indent}    "));
        }
    }
    text
}

fn assignment(rng: &mut Rng, depth: usize, indent: &str) -> String {
    let target = element(rng, depth, &["x", "y"]);
    // The target again, another element of its array, or none.
    let first = match rng.below(3) {
        0 => target.clone(),
        1 => element(rng, depth, &["x", "y", "z"]),
        _ => element(rng, depth, &["z"]),
    };
    let second = element(rng, depth, &["z"]);
    let op = ["=", "+="][rng.below(2) as usize];
    format!("{indent}{target} {op} {first} - 3 * {second}\n")
}

fn element(rng: &mut Rng, depth: usize, arrays: &[&str]) -> String {
    let mut subscript = || {
        let name = ["i", "j", "k"][rng.below(depth as u64) as usize];
        let other = ["i", "j", "k"][rng.below(depth as u64) as usize];
        let start = rng.below(3);
        match rng.below(7) {
            0..=2 => format!("{name} + {start}"),
            3 => format!("2 * {name} + {start}"),
            4 => format!("3 - {name} + {start}"),
            5 => format!("{name} + {other}"),
            _ => format!("{start}"),
        }
    };
    let (one, other) = (subscript(), subscript());
    match arrays[rng.below(arrays.len() as u64) as usize] {
        "y" => format!("y[{one}]"),
        array => format!("{array}[{one}, {other}]"),
    }
}

/// An iteration reads what one before it wrote in a later, in an earlier, or in the same iteration of the loop inside.
#[test]
fn distances_say_which_iterations_run_side_by_side() {
    for (assignment, factor, is_legal) in [
        ("x[i + 1, j] = x[i, j + 1]", 2, false),
        ("x[i + 1, j + 1] = x[i, j]", 2, true),
        ("x[i + 1, j] = x[i, j]", 2, true),
        ("x[i + 2, j] = x[i, j + 1]", 2, true),
        ("x[i + 2, j] = x[i, j + 1]", 3, false),
        ("x[i, j] = x[i, j + 1]", 4, true),
        ("x[i, j] = x[i + 1, j + 1]", 2, true),
        ("x[i, j + 1] = x[i + 1, j]", 2, false),
        ("x[i, j] = x[j, i]", 2, false),
        ("x[0, j] += z[i, j]", 4, true),
        ("x[0, 3 - j] = x[0, j]", 2, false),
        ("y[i + j] += z[i, j]", 2, false),
        ("y[2 * i] = y[2 * j + 1]", 4, false),
        ("x[i, 5] = x[i + 1, 5]", 2, false),
        ("x[i + 1, j + 5] = x[i, j]", 2, true),
    ] {
        let text = format!(
            "{NEST}    for i in range(4):\n        for j in range(4):\n            {assignment}\n"
        );
        let original = support::program(&text, None);
        let mut kernel = inlined(&original);
        tag(&mut kernel.body, &mut 0, Unroll::Abreast(factor));
        let carried_out = unroll::run(&mut kernel);
        assert_eq!(carried_out.is_ok(), is_legal, "{assignment} by {factor}");
        if is_legal {
            Original::new(assignment, &original, 2).assert_same("abreast", &kernel);
        }
    }
}

#[test]
fn iterations_run_side_by_side_only_where_no_element_shows_it() {
    let (mut legal, mut refused) = (0, 0);
    for seed in 0..300 {
        let text = nest(&mut Rng::new(seed));
        let original = support::program(&text, None);
        let (some, others) = abreast(&mut Original::new(&text, &original, 1));
        legal += some;
        refused += others;
    }
    // Innermost loops always may.
    assert!(legal > 360 && refused > 200, "{legal}, {refused}");
}

/// Names of the kernels of the collection.
fn tops() -> Vec<&'static str> {
    let lines = KERNELS.lines().filter_map(|l| l.strip_prefix("def "));
    lines.filter_map(|l| l.split('(').next()).collect()
}

#[test]
fn every_pass_keeps_the_meaning_of_the_collection() {
    for top in tops() {
        check(top, KERNELS, Some(top), 16);
    }
}

#[test]
fn every_pass_keeps_the_meaning_of_the_examples() {
    for path in support::files("examples", "py") {
        // Smaller sizes do as well, and run much faster.
        let text = support::read(&path);
        let text = text
            .replace("32, 32", "4, 4")
            .replace("range(32)", "range(4)");
        let text = text.replace("1024", "32").replace("= 64", "= 12");
        let name = support::stem(&path);
        check(&name, &text, support::top_of(&name), 6);
    }
}

#[test]
fn skipped_passes_do_not_run() {
    let program = support::program(KERNELS, Some("filled"));
    let all: Vec<String> = PASSES.iter().map(|p| p.name.to_string()).collect();
    let kernel = transform::run(&program, &all, None)
        .expect("transforms")
        .swap_remove(0);
    let expanded = after("filled", &["expand"]);
    assert_eq!(print::print(&alone(kernel), None), expanded);
}

// Random kernels ---------------------------------------------------------------------------------

/// Writes kernels of loops, branches and accesses whose elements often meet.
struct Writer {
    random: vectors::Rng,
    text: String,
    /// Loop variables in scope.
    loops: Vec<String>,
    /// Arrays of rank 1 and of rank 2 in scope.
    arrays: [Vec<String>; 2],
    names: u32,
}

impl Writer {
    fn kernel(seed: u64) -> String {
        let mut writer = Writer {
            random: vectors::Rng::new(seed),
            text: "from allo import i32, kernel, u2\n\n\n@kernel\ndef k(x: \"i32[4, 4]\", \
                   y: \"i32[4]\", n: u2, o: \"i32[4]\", p: \"i32[4, 4]\"):\n"
                .into(),
            loops: Vec::new(),
            arrays: [["y", "o"], ["x", "p"]].map(|names| names.map(String::from).to_vec()),
            names: 0,
        };
        writer.block(1, 3);
        writer.text
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&format!("{:1$}{text}\n", "", depth * 4));
    }

    fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn block(&mut self, depth: usize, statements: u64) {
        let (loops, arrays) = (self.loops.clone(), self.arrays.clone());
        for _ in 0..1 + self.below(statements) {
            self.statement(depth);
        }
        (self.loops, self.arrays) = (loops, arrays);
    }

    fn statement(&mut self, depth: usize) {
        let deep = depth >= 4;
        match self.below(8) {
            0..=2 if !deep => {
                let range = ["4", "4", "4", "n", "1, 4"][self.below(5) as usize];
                let variable = self.name('i');
                self.line(depth, &format!("for {variable} in range({range}):"));
                self.loops.push(variable);
                self.block(depth + 1, 3);
                self.loops.pop();
            }
            3 if !deep => {
                let condition = self.expression();
                self.line(depth, &format!("if {condition} > 1:"));
                self.block(depth + 1, 2);
                if self.below(2) == 0 {
                    self.line(depth, "else:");
                    self.block(depth + 1, 2);
                }
            }
            4 => {
                let rank = self.below(2) as usize;
                let (name, value) = (self.name('c'), self.below(9));
                let shape = ["4", "4, 4"][rank];
                self.line(depth, &format!("{name}: \"i32[{shape}]\" = {value}"));
                self.arrays[rank].push(name);
            }
            _ => {
                let place = self.element();
                let operator = ["=", "+=", "-="][self.below(3) as usize];
                let value = self.expression();
                self.line(depth, &format!("{place} {operator} {value}"));
            }
        }
    }

    fn element(&mut self) -> String {
        let rank = self.below(2) as usize;
        let recent = self.arrays[rank].len() as u64;
        let array = self.arrays[rank][self.random.below(recent) as usize].clone();
        let indices: Vec<String> = (0..=rank).map(|_| self.index()).collect();
        format!("{array}[{}]", indices.join(", "))
    }

    fn index(&mut self) -> String {
        if self.loops.is_empty() || self.below(4) == 0 {
            return self.below(4).to_string();
        }
        let count = self.loops.len() as u64;
        let variable = self.loops[self.random.below(count) as usize].clone();
        match self.below(6) {
            0 => format!("({variable} + 1) & 3"),
            _ => variable,
        }
    }

    fn expression(&mut self) -> String {
        match self.below(5) {
            0 => self.below(7).to_string(),
            1 => format!("{} + {}", self.element(), self.element()),
            2 => format!("{} - {}", self.element(), self.below(5)),
            _ => self.element(),
        }
    }
}

#[test]
fn every_pass_keeps_the_meaning_of_random_kernels() {
    for seed in 0..250 {
        check(&format!("seed {seed}"), &Writer::kernel(seed), None, 3);
    }
}
