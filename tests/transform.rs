//! Every transformation against the reference, and on printed ir where it must and must not act.

use allo_hls::arena::Arena;
use allo_hls::diagnostics::SourceMap;
use allo_hls::ir::{Kernel, Program, print, read, validate};
use allo_hls::sim::reference::{Options, Outcome, run};
use allo_hls::sim::value::{Invocation, Signature};
use allo_hls::sim::vectors;
use allo_hls::transform::{PASSES, Pass, inline::inline};
use allo_hls::{frontend, transform};

const KERNELS: &str = include_str!("transform/kernels.py");

fn compile(text: &str, top: Option<&str>) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("kernels.py", text);
    match frontend::compile(&mut sources, file, top) {
        Ok(compiled) => compiled.program,
        Err(diagnostics) => panic!("{}", diagnostics.render(&sources, false)),
    }
}

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
    let mut kernel = inlined(&compile(KERNELS, Some(top)));
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

/// A program is valid and gives what the original gives.
fn assert_same(name: &str, stage: &str, original: &Program, changed: &Program, count: usize) {
    let text = || print::print(changed, None);
    if let Err(message) = validate::validate(changed) {
        panic!("{name} after {stage} is invalid: {message}\n{}", text());
    }
    assert_reads_back(name, &text());
    let within = |step_limit: u64| Options {
        step_limit,
        ..Options::default()
    };
    let invocations: Vec<Invocation> = vectors::generate(&Signature::of(original), count, 7);
    for invocation in &invocations {
        // Loops as long as the data say: long ones show nothing new.
        let Ok(wanted) = run(original, invocation, &within(5_000)) else {
            continue;
        };
        let got = run(changed, invocation, &within(50_000)).expect("runs");
        if let Err(message) = same(&wanted, &got) {
            panic!(
                "{name} after {stage}: {message}\non {invocation:?}\n{}",
                text()
            );
        }
    }
}

/// Compares after inlining, after each pass alone, and after each prefix of the pipeline.
fn check(name: &str, text: &str, top: Option<&str>, count: usize) {
    let original = compile(text, top);
    let base = inlined(&original);
    assert_same(name, "inline", &original, &alone(base.clone()), count);
    let mut piped = base.clone();
    for pass in PASSES {
        let mut single = base.clone();
        (pass.run)(&mut single);
        assert_same(name, pass.name, &original, &alone(single), count);
        (pass.run)(&mut piped);
        let stage = format!("the pipeline up to {}", pass.name);
        assert_same(name, &stage, &original, &alone(piped.clone()), count);
    }
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
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut paths: Vec<_> = std::fs::read_dir(examples)
        .expect("examples")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 17);
    for path in paths {
        // Smaller sizes do as well, and run much faster.
        let text = std::fs::read_to_string(&path).expect("readable");
        let text = text
            .replace("32, 32", "4, 4")
            .replace("range(32)", "range(4)");
        let text = text.replace("1024", "32").replace("= 64", "= 12");
        let name = path.file_stem().expect("name").to_string_lossy();
        let top = (name == "called").then_some("called");
        check(&name, &text, top, 6);
    }
}

#[test]
fn skipped_passes_do_not_run() {
    let program = compile(KERNELS, Some("filled"));
    let all: Vec<String> = PASSES.iter().map(|p| p.name.to_string()).collect();
    let kernel = transform::run(&program, &all)
        .expect("transforms")
        .swap_remove(0);
    let expanded = after("filled", &["expand"]);
    assert_eq!(print::print(&alone(kernel), None), expanded);
}

// Printed forms: where a pass acts, and where it must not. ----------------------------------------

/// Lines of a text that contain a word, trimmed.
fn lines<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|l| l.contains(word)).collect()
}

/// A pass leaves a kernel of the collection as it is.
fn assert_untouched(top: &str, pass: &str) {
    assert_eq!(after(top, &[pass]), after(top, &[]), "{pass} changes {top}");
}

#[test]
fn inline_copies_callees_with_their_arrays() {
    let text = after("calls", &[]);
    assert!(lines(&text, "call ").is_empty(), "{text}");
    assert_eq!(
        lines(&text, "local "),
        [
            "local c: i32[4]",
            "local d: i32[4]",
            "local row_sum_acc.5: i32[1]",
            "local row_sum_acc.6: i32[1]",
        ],
        "{text}"
    );
}

#[test]
fn promote_keeps_an_element_in_a_register() {
    let text = after("accumulate", &["promote"]);
    assert_eq!(
        lines(&text, "out"),
        [
            "top kernel @accumulate(x: i32[8], out: i32[4]) {",
            "%out_elem.4: i32 = load out[%3]",
            "%out_elem.7: i32 = for %i.5 = %0 to %1 step %2 \
             carry(%out_elem.6: i32 = %out_elem.4) label \"i\" {",
            "%9: i33 = cast %out_elem.6 : i32",
            "store out[%3], %out_elem.7",
        ],
        "{text}"
    );
    // A certain store first needs no load.
    let text = after("overwrite", &["promote"]);
    assert!(lines(&text, "load out").is_empty(), "{text}");
    assert!(
        text.ends_with("  }\n  store out[%2], %out_elem.6\n}\n"),
        "{text}"
    );
}

#[test]
fn promote_leaves_elements_that_move_and_stores_that_may_not_happen() {
    for top in [
        "moving",
        "two_elements",
        "conditional_store_only",
        "overwrite_maybe",
        "wandering",
        "inside_while",
        "by_own_data",
    ] {
        let text = after(top, &["promote"]);
        assert!(lines(&text, "%out_elem").is_empty(), "{top}: {text}");
    }
}

#[test]
fn promote_follows_indices_that_it_made_registers() {
    let text = after("by_data", &["promote"]);
    let at = lines(&text, "load at");
    assert_eq!(at, ["%at_elem.3: index = load at[%0]"], "{text}");
    assert!(text.contains("load out[%at_elem.3]"), "{text}");
}

#[test]
fn promote_sees_that_other_elements_are_apart() {
    for (top, apart) in [
        ("triangular", true),
        ("triangular_above", true),
        ("triangular_downwards", true),
        ("guarded_apart", true),
        ("by_narrow_counter", true),
        ("triangular_touching", false),
        ("triangular_above_shifted", false),
        ("guarded_together", false),
        ("wrapping_bound", false),
    ] {
        let text = after(top, &["promote"]);
        assert_eq!(text.contains("_elem"), apart, "{top}: {text}");
    }
}

#[test]
fn window_keeps_what_the_next_iterations_read_again() {
    for (top, array, before, after_pass) in [
        ("stencil", "a", 5, 1),
        ("stencil_downwards", "a", 4, 2),
        ("stencil_never", "a", 3, 1),
        ("stencil_of_rows", "a", 5, 3),
        ("stencil_guarded", "a", 5, 1),
        ("shifted_in_place", "a", 2, 1),
        // One stands in for the store before the first iteration.
        ("running", "out", 1, 1),
        ("two_back", "out", 2, 1),
        ("relaxed", "a", 3, 1),
        ("paths", "best", 3, 3),
        ("copied_along", "a", 1, 1),
    ] {
        let loads = |text: &str| lines(text, &format!("load {array}[")).len();
        let (plain, text) = (after(top, &[]), after(top, &["window"]));
        assert_eq!(
            (loads(&plain), loads(&text)),
            (before, after_pass),
            "{text}"
        );
        assert!(text.contains(&format!("%{array}_back1")), "{text}");
    }
}

#[test]
fn window_leaves_elements_that_may_have_been_stored_since() {
    for top in ["stored_maybe", "stored_by_data", "from_far_down"] {
        assert_untouched(top, "window");
    }
}

#[test]
fn bypass_carries_what_was_stored_last() {
    for (top, loads) in [
        ("histogram", 1),
        ("histogram_of_image", 1),
        ("counted_maybe", 1),
        ("chased", 1),
        ("swapped_by_data", 0),
        ("histogram_in_two", 0),
        ("histogram_reset", 0),
        ("histogram_after_store", 0),
        ("moving", 0),
        ("stencil", 0),
        ("running", 0),
    ] {
        let text = after(top, &["bypass"]);
        assert_eq!(lines(&text, "load bypassed").len(), loads, "{top}");
    }
    let text = after("histogram", &["bypass"]);
    let choices = lines(&text, "select");
    assert!(choices[0].contains("%count_last"), "{text}");
}

#[test]
fn interleave_runs_strips_of_independent_sums_together() {
    let loops = |top: &str| -> String {
        let text = after(top, &["promote", "interleave"]);
        let labels = lines(&text, "label");
        let names = labels.iter().filter_map(|l| l.split('"').nth(1));
        names.collect::<Vec<_>>().join(" ")
    };
    for (top, expected) in [
        ("product_of_matrices", "i k j"),
        ("product_with_vector", "k i"),
        ("many_rows", "i_strips k i"),
        ("polynomials", "k i"),
        ("rows_downwards", "k i"),
        // The next row reads what this one stored; inner bounds that move; nothing slow; all sums are one.
        ("rows_in_a_chain", "i k"),
        ("triangle", "i k"),
        ("sums_of_integers", "i k"),
        ("sum_of_matrix", "i k"),
        ("stores_while_it_sums", "i k"),
    ] {
        assert_eq!(loops(top), expected, "{top}");
    }
}

#[test]
fn reuse_leaves_out_accesses() {
    let count = |top: &str, word: &str| lines(&after(top, &["reuse"]), word).len();
    assert_eq!(count("loaded_twice", "load a"), 3);
    // What the first subscript names may have been overwritten by the second store.
    assert_eq!(count("loaded_after_store", "load a["), 1);
    assert_eq!(count("overwritten", "store a"), 3);
    assert_eq!(count("stored_in_a_branch", "load a"), 1);
    assert_eq!(count("stored_in_a_loop", "load a[%1"), 3);
}

#[test]
fn reuse_stores_once_after_both_branches() {
    let text = after("both_branches", &["reuse"]);
    let stores = lines(&text, "store a");
    // One for the first branches; the second ones end with different elements.
    assert_eq!(stores.len(), 5, "{text}");
}

#[test]
fn forward_replaces_first_reads_by_the_fill() {
    let text = after("filled", &["promote", "forward"]);
    assert!(
        lines(&text, "fill c").is_empty() && lines(&text, "load c").is_empty(),
        "{text}"
    );
    let text = after("filled_by_column", &["forward"]);
    assert!(
        lines(&text, "fill c").is_empty() && lines(&text, "load c").is_empty(),
        "{text}"
    );
}

#[test]
fn forward_leaves_fills_that_are_needed() {
    for top in [
        "filled_transposed",
        "filled_diagonal",
        "filled_half",
        "filled_conditionally",
        "filled_neighbours",
        "filled_and_read_again",
        "filled_outer_reduction",
    ] {
        assert_untouched(top, "forward");
    }
}

#[test]
fn expand_makes_loops_of_whole_array_operations() {
    let text = after("copies", &["expand"]);
    assert!(
        lines(&text, "fill ").is_empty() && lines(&text, "= copy ").is_empty(),
        "{text}"
    );
    let loops = lines(&text, "for %");
    assert_eq!(loops.len(), 4, "{text}");
    assert!(loops.iter().all(|l| l.contains("label \"copy_")), "{text}");
    assert_untouched("accumulate", "expand");
}

#[test]
fn dead_removes_what_nothing_reads() {
    let text = after("unused", &["expand", "dead"]);
    assert!(lines(&text, "store waste").is_empty(), "{text}");
    assert!(lines(&text, "mul").is_empty(), "{text}");
    assert_eq!(lines(&text, "for %").len(), 1, "{text}");
    assert_eq!(lines(&text, "store out").len(), 1, "{text}");
    assert_untouched("moving", "dead");
    assert_untouched("inside_while", "dead");
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
