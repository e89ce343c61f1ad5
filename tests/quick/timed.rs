//! What depends on timing: hardware asks it when it asks, and the reference that is told what it found agrees.

use crate::directives::{checked, compile_text};
use crate::support;
use allo_hls::diagnostics::{Diagnostics, SourceMap};
use allo_hls::driver::{self, Compilation};
use allo_hls::frontend;
use allo_hls::rtl::netlist::{Design, Operand};
use allo_hls::sim::args;
use allo_hls::sim::cosim::{CosimError, CosimOptions, FailureKind, cosim_on};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::reference::{Options, Prepared};
use allo_hls::sim::selfcheck::Checked;
use allo_hls::sim::shell;

fn kernel(name: &str) -> String {
    support::read(&support::root(&format!("tests/timed/{name}.py")))
}

fn built(name: &str) -> Compilation {
    checked(&kernel(name), &[])
}

fn compared(compiled: &Compilation, design: &Design) -> Result<(), CosimError> {
    let (around, manifest) = shell::around(design, &compiled.manifest).expect("a shell");
    let engine = Netlist::new(&around, &manifest).expect("a netlist");
    let options = CosimOptions {
        vectors: 6,
        ..CosimOptions::default()
    };
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    cosim_on(&engine, program, manifest, &options, &|_, _| ()).map(drop)
}

#[test]
fn the_reference_agrees_where_it_is_told_what_was_found() {
    for path in support::files("tests/timed", "py") {
        let name = support::stem(&path);
        let compiled = built(&name);
        assert!(matches!(compiled.checked, Checked::Runs(_)), "{name}");
        compared(&compiled, &compiled.design).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

/// Other answers lead somewhere else: what is recorded is what the module acted upon.
#[test]
fn a_record_that_is_not_what_was_found_is_noticed() {
    for name in ["merge", "questions", "pipelined"] {
        let compiled = built(name);
        for flips_found in [false, true] {
            let mut design = compiled.design.clone();
            for module in design.modules.values_mut() {
                for (asked, found) in &mut module.asked {
                    let never = Operand::Const {
                        width: 1,
                        value: 0u32.into(),
                    };
                    *(if flips_found { found } else { asked }) = never;
                }
            }
            let wrong = compared(&compiled, &design);
            assert!(wrong.is_err(), "{name}, found {flips_found}");
            if let (Err(CosimError::Failure(failure)), false) = (wrong, flips_found) {
                assert!(matches!(failure.kind, FailureKind::Protocol(_)), "{name}");
            }
        }
    }
}

/// Nobody is told anything here: what is asked is asked when nobody else can go on.
#[test]
fn the_reference_gives_the_same_in_each_run() {
    let compiled = built("merge");
    let reference = Prepared::of(&compiled.program).expect("a program");
    let given = r#"{"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": [1, 2, 3, 4, 5, 6, 7, 8], "o": []}"#;
    let inputs = args::read_json(&reference.signature, given).expect("arguments");
    let run = || {
        let outcome = reference.run(&inputs[0], &Options::default());
        let mut outcome = outcome.expect("an end");
        for (&number, &count) in &outcome.cursors {
            outcome.params[number] = outcome.params[number].beginning(count);
        }
        let (params, results) = (&outcome.params, &outcome.results);
        let left = args::results_json(&reference.signature, params, results, false);
        left["o"].to_string()
    };
    for _ in 0..20 {
        let all = "[2,4,6,8,10,12,14,16,101,102,103,104,105,106,107,108]";
        assert_eq!(run(), all);
    }
}

/// With queues as short as they are declared, since something is asked: `slow` waits for `late`, meanwhile `fast` for room that
/// `slow` makes when it takes what both get from outside, and `after` for the end of `slow`.
#[test]
fn each_that_waits_goes_on_when_another_makes_that_possible() {
    let text = "from allo import *

@kernel
def slow(x: \"Stream[i32, 2]\", t: \"Stream[i32, 2]\", a: \"i32[4]\"):
    for i in range(0):
        ok, v = t.try_get()
        a[i] = v
    n: i32 = t.get()
    for i in range(4):
        a[i] = x.get() + n

@kernel
def fast(x: \"Stream[i32, 2]\", y: \"i32[4]\"):
    for i in range(4):
        y[i] = x.get()

@kernel
def after(a: \"i32[4]\", b: \"i32[4]\"):
    for i in range(4):
        b[i] = a[i] * 2

@kernel
def late(t: \"Stream[i32, 2]\"):
    t.put(10)

@kernel
def top(x: \"Stream[i32, 2]\", y: \"i32[4]\", b: \"i32[4]\"):
    t: Stream[i32, 2]
    a: i32[4]
    slow(x, t, a)
    fast(x, y)
    after(a, b)
    late(t)
";
    let program = support::program(text, Some("top"));
    let reference = Prepared::of(&program).expect("a program");
    let given = r#"{"x": [1, 2, 3, 4], "y": [0, 0, 0, 0], "b": [0, 0, 0, 0]}"#;
    let inputs = args::read_json(&reference.signature, given);
    let ran = reference.run(&inputs.expect("arguments")[0], &Options::default());
    let ran = ran.expect("an end");
    let left = args::results_json(&reference.signature, &ran.params, &ran.results, false);
    assert_eq!(left["y"].to_string(), "[1,2,3,4]");
    assert_eq!(left["b"].to_string(), "[22,24,26,28]");
}

#[test]
fn each_kernel_that_asks_is_warned_of_once() {
    let mut sources = SourceMap::default();
    let file = sources.add("questions.py", kernel("questions"));
    let mut compiled = frontend::compile(&mut sources, file, Some("top")).expect("a kernel");
    driver::warn_of_timing(&mut compiled);
    let Diagnostics(warnings) = compiled.warnings;
    let said: Vec<&str> = warnings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "what 'source' does depends on timing",
            "what 'sink' does depends on timing"
        ]
    );
}

#[test]
fn only_who_gets_asks_for_elements_and_only_who_puts_for_room() {
    for (question, told) in [
        ("s.empty()", "'empty' is asked by who gets elements of 's'"),
        ("s.full()", "'full' is asked by who puts elements into 's'"),
    ] {
        let text = "
from allo import *

@kernel
def put(s: Stream[i32]) -> u1:
    s.put(1)
    return ASK

@kernel
def top() -> (u1, u1, i32):
    s: Stream[i32]
    a: u1 = put(s)
    v: i32 = s.get()
    b: u1 = ASK
    return a, b, v
";
        let (first, rest) = text.split_once("ASK").expect("two places");
        let wrong = match question {
            "s.empty()" => format!("{first}{question}{}", rest.replace("ASK", "s.empty()")),
            _ => format!("{first}s.full(){}", rest.replace("ASK", question)),
        };
        match compile_text(&wrong, &[], false) {
            Ok(_) => panic!("{question} is accepted"),
            Err(why) => assert!(why.contains(told), "{why}"),
        }
    }
}

/// Unrolled, the loop asks in more places than a word has bits.
#[test]
fn a_process_may_ask_in_many_places() {
    let source = "\
from allo import *

@kernel
def ask(s: Stream[i8], o: Stream[i8]):
    for i in range(70):
        ok, v = s.try_get()
        if ok:
            o.put(v)

@kernel
def tell(s: Stream[i8]):
    for i in range(9):
        s.put(i)

@kernel
def top(o: Stream[i8]):
    s: Stream[i8, 4]
    tell(s)
    ask(s, o)
";
    let compiled = checked(source, &[("unroll", "ask/i")]);
    assert!(matches!(compiled.checked, Checked::Runs(_)));
    compared(&compiled, &compiled.design).expect("equal");
}
