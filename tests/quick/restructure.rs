//! Splits, reorderings, tiles and coalesced loops of random nests change no bit: the reference runs them and the nests as they
//! are written.

use crate::directives::{checked, compile_text};
use crate::support;
use allo_hls::diagnostics::Diagnostics;
use allo_hls::directives::{self, Directive};
use allo_hls::driver::{self, Target};
use allo_hls::frontend;
use allo_hls::ir::Program;
use allo_hls::ir::validate::validate;
use allo_hls::sim::reference::{self, Options};
use allo_hls::sim::selfcheck::{Budget, Checked};
use allo_hls::sim::value::{Signature, Value};
use allo_hls::sim::vectors::{self, Rng};

fn one_of<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.below(all.len() as u64) as usize]
}

/// Subscripts in 0 .. 16 for counters in 0 .. 6.
fn subscript(rng: &mut Rng, counters: &[&str]) -> String {
    let (a, b) = (one_of(rng, counters), one_of(rng, counters));
    let form = [
        "A",
        "A",
        "A",
        "A + 1",
        "6 - A",
        "A + B",
        "2 * A",
        "A - B + 6",
        "A // 2",
        "3",
        "y[A, B] & 7",
    ];
    one_of(rng, &form).replace('A', a).replace('B', b)
}

fn element(rng: &mut Rng, array: &str, counters: &[&str]) -> String {
    let (row, column) = (subscript(rng, counters), subscript(rng, counters));
    format!("{array}[{row}, {column}]")
}

/// A statement; sums most of all, of which the order sometimes matters.
fn statement(rng: &mut Rng, counters: &[&str]) -> String {
    let form = [
        "X += Y * 3",
        "X -= Y",
        "X = Y + 1",
        "X = W + Y",
        "X = X * 3 + Y",
        "s += Y * X",
        "s = max(s, Y)",
        "s ^= X",
        "X = s",
        "s = s * 3 + Y",
        "F += G * 0.5",
        "F = G + 1.0",
        "q += G",
        "if Y > X:\n    X += 1",
        "if i > 2:\n    X += 1",
    ];
    let mut text = one_of(rng, &form).to_string();
    for (name, array) in [("X", "x"), ("Y", "y"), ("W", "x"), ("F", "f"), ("G", "f")] {
        text = text.replace(name, &element(rng, array, counters));
    }
    text
}

fn kernel(rng: &mut Rng) -> String {
    let counters = &["i", "j", "k"][..2 + rng.below(2) as usize];
    let mut text = "from allo import *\n\n@kernel\ndef top(x: \"i32[16, 16]\", y: \"i8[16, 16]\", f: \"f32[16, 16]\", \
                    r: \"f32[1]\", n: u2) -> i32:\n    s: i32 = 0\n    q: f32 = 0\n"
        .to_string();
    let mut indent = "    ".to_string();
    for counter in counters {
        let range = [
            "4",
            "6",
            "1, 5",
            "5, -1, -2",
            "0, 6, 2",
            "n, 5",
            "2, n + 2",
            "5, n, -1",
        ];
        let range = one_of(rng, &range);
        text += &format!("{indent}for {counter} in range({range}):\n");
        indent += "    ";
        if rng.one_in(12) {
            text += &format!("{indent}s += y[{counter}, 3]\n");
        }
    }
    for _ in 0..1 + rng.below(2) {
        for line in statement(rng, counters).lines() {
            text += &format!("{indent}{line}\n");
        }
    }
    if rng.one_in(8) {
        text += "        s = s * 5 + y[i, 2]\n";
    }
    text + "    r[0] = q\n    return s\n"
}

fn step(rng: &mut Rng, text: &str) -> Directive {
    let loops: Vec<&str> = ["i", "j", "k"]
        .into_iter()
        .filter(|name| text.contains(&format!("for {name} ")))
        .collect();
    let factor = |rng: &mut Rng| 1 + rng.below(4);
    let mut some = loops.clone();
    some.rotate_left(rng.below(loops.len() as u64) as usize);
    some.truncate(2 + rng.below(2) as usize);
    let directive = match rng.below(5) {
        0 => format!("split {}={}", some[0], factor(rng)),
        1 => {
            some.sort_unstable();
            let parts = some.iter().map(|one| format!("{one}={}", factor(rng)));
            format!("tile {}", parts.collect::<Vec<_>>().join(","))
        }
        2 => {
            some.sort_unstable();
            format!("flatten {}", some.join(","))
        }
        _ => format!("reorder {}", some.join(",")),
    };
    let (name, value) = directive.split_once(' ').expect("a name and a value");
    directives::flag(name, value).expect("a directive")
}

/// What a program leaves of some arguments, element by element.
fn outcomes(program: &Program) -> Vec<Vec<Value>> {
    let signature = Signature::of(program);
    let invocations = vectors::generate(&signature, 4, 7);
    let ran = invocations.iter().map(|invocation| {
        let outcome = reference::run(program, invocation, &Options::default()).expect("it runs");
        let arrays = outcome.params.iter().chain(&outcome.results);
        arrays.flat_map(|elements| elements.iter()).collect()
    });
    ran.collect()
}

#[test]
fn nests_in_another_structure_compute_the_same() {
    let mut rng = Rng::new(31);
    let (mut carried_out, mut refused) = (0, 0);
    for number in 0..1200 {
        let text = kernel(&mut rng);
        let (mut sources, file) = support::source("kernel.py", &text);
        let plain = frontend::compile(&mut sources, file, None)
            .expect("a kernel")
            .program;
        let steps = [step(&mut rng, &text), step(&mut rng, &text)];
        let steps = &steps[..1 + rng.below(2) as usize];
        let mut directed = plain.clone();
        let mut warnings = Diagnostics::default();
        let shown: Vec<String> = steps.iter().map(ToString::to_string).collect();
        let at = || format!("kernel {number}, {}:\n{text}", shown.join(" "));
        match directives::apply(&mut directed, steps, &sources, &mut warnings) {
            Err(_) => refused += 1,
            Ok(()) => {
                validate(&directed).unwrap_or_else(|why| panic!("{why}: {}", at()));
                assert_eq!(outcomes(&directed), outcomes(&plain), "{}", at());
                carried_out += 1;
            }
        }
    }
    assert!(
        carried_out > 300 && refused > 300,
        "{carried_out} carried out, {refused} refused"
    );
}

const NESTS: &str = "
from allo import *

@kernel
def top(a: \"i32[8, 6]\", b: \"i32[6, 8]\", c: \"i32[8, 8]\", d: \"f32[8, 6]\", n: u4) -> (i32, f32):
    for i in range(8):
        for k in range(6):
            for j in range(8):
                c[i, j] += a[i, k] * b[k, j]
    s: f32 = 0
    for i in range(8, name=\"p\"):
        for k in range(6, name=\"q\"):
            s += d[i, k]
    t: i32 = 0
    for i in range(8, name=\"u\"):
        for k in range(n, name=\"v\"):
            t += a[i, k] * 3
    for i in range(1, 8, name=\"x\"):
        for k in range(0, 5, name=\"y\"):
            a[i, k] = a[i - 1, k + 1] + t
    for i in range(8, name=\"g\"):
        a[i, 0] = 1
        for k in range(i, name=\"h\"):
            a[i, 1] += k
    return t, s
";

/// The loops of the hardware, which runs beside the reference.
fn loops(flags: &[(&str, &str)]) -> Vec<String> {
    checked(NESTS, flags)
        .manifest
        .loops
        .into_iter()
        .map(|one| one.name)
        .collect()
}

#[test]
fn hardware_has_the_structure_that_is_directed() {
    for (flags, nest) in [
        (&[][..], "i k j"),
        (&[("reorder", "k,j,i")], "k j i"),
        (&[("reorder", "j,i")], "j k i"),
        (&[("split", "j=2")], "i k j.outer j.inner"),
        (&[("tile", "k=3,j=4")], "i k.outer j.outer k.inner j.inner"),
        (
            &[
                ("split", "j=4"),
                ("unroll", "j.inner"),
                ("partition", "c:cyclic:2:dim=2"),
            ],
            "i k j.outer p",
        ),
    ] {
        let found = loops(flags).join(" ");
        assert!(found.starts_with(nest), "{flags:?}: {found}");
    }
    // 8 is no multiple.
    loops(&[("tile", "i=3,k=4,j=5"), ("reorder", "k.inner,i.inner")]);
    loops(&[("flatten", "i,k,j"), ("unroll", "i_k_j=3")]);
    loops(&[("flatten", "k,j"), ("pipeline", "k_j=2")]);
    loops(&[("tile", "u=3,v=2"), ("reorder", "v.inner,u.outer")]);
    loops(&[("split", "q=4"), ("split", "p=3")]);
}

#[test]
fn other_structures_are_refused_with_the_reason() {
    let refused = |name, value| match compile_text(NESTS, &[(name, value)], false) {
        Ok(_) => panic!("--{name} {value} is carried out"),
        Err(why) => why,
    };
    for (name, value, why) in [
        (
            "reorder",
            "q,p",
            "the result of a sum or of what else it carries would change",
        ),
        (
            "reorder",
            "y,x",
            "an iteration would come before one that it depends on, here",
        ),
        (
            "reorder",
            "h,g",
            "this stands between its loops, so that the nest is not perfect",
        ),
        (
            "reorder",
            "i,x",
            "these loops are not inside of one another",
        ),
        ("reorder", "j,j", "two different loops are needed at least"),
        (
            "flatten",
            "u,v",
            "the iterations of 'v' have to be known, and one at least",
        ),
        ("flatten", "i,j", "there is another loop between these"),
        ("tile", "j=2,k=2", "the outermost loop comes first"),
        ("split", "i=0", "a factor is between 1 and 4294967295"),
    ] {
        assert_eq!(refused(name, value), format!("--{name} {value}: {why}"));
    }
    let flags = [("unroll", "j=2"), ("split", "j=2")];
    let why = compile_text(NESTS, &flags, false).err();
    assert_eq!(
        why.as_deref(),
        Some("--split j=2: an earlier directive says something of loop 'j'")
    );
}

/// Then the reference has the other roundings, too.
#[test]
fn a_sum_of_floats_takes_another_order_only_where_that_is_allowed() {
    let nest = "from allo import *\n\n@kernel\ndef top(d: \"f32[3, 5]\") -> f32:\n    s: f32 = 0\n    \
                for i in range(3):\n        for j in range(5):\n            s += d[i, j]\n    return s\n";
    let compile = |text: &str| {
        let (mut sources, file) = support::source("kernel.py", nest);
        let target = Target {
            check: Budget::millions(20),
            directives: directives::read(text).expect("directives"),
            ..Target::new("ecp5", 10.0).expect("a device")
        };
        driver::compile(&mut sources, file, None, &target)
    };
    let text = "[[directive]]\nkind = \"reorder\"\nloops = [\"j\",\"i\"]\n";
    assert!(compile(text).is_err());
    let compiled = compile(&format!("{text}reassociate = true\n")).expect("hardware");
    assert!(!matches!(compiled.checked, Checked::Not(_)));
    let loops = compiled.manifest.loops.into_iter().map(|one| one.name);
    assert_eq!(loops.collect::<Vec<_>>(), ["j", "i"]);
    let notes = compiled.warnings.0.iter();
    let mut notes = notes.map(|note| note.message.as_str());
    assert!(notes.any(|note| note.contains("another order than the kernel says")));
}

/// By columns, the large numbers are not next to each other: hardware and reference agree on what comes of it.
#[test]
fn runs_of_the_reference_know_of_sums_in_another_order() {
    let nest = "from allo import *\n\n@kernel\ndef top(d: \"f32[2, 2]\") -> f32:\n    s: f32 = 0\n    \
                for i in range(2):\n        for j in range(2):\n            s += d[i, j]\n    return s\n";
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("a name").to_owned()
    };
    let file = write("kernel.py", nest);
    let args = write("args.json", r#"{"d": [[1e10, 3], [-1e10, 4]]}"#);
    let directive =
        "[[directive]]\nkind = \"reorder\"\nloops = [\"j\",\"i\"]\nreassociate = true\n";
    let directives = write("order.toml", directive);
    let run = |flags: &[&str]| {
        let fixed = ["run", &file, "--args", &args];
        let out = support::allo_hls(&[&fixed[..], flags].concat());
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        text.split("\"return\":").nth(1).map(str::to_owned)
    };
    let sum = |text: &str| Some(format!("{text}}}\n"));
    assert_eq!(run(&["--engine", "reference"]), sum("4.0"));
    for engine in ["reference", "rtl"] {
        let other = run(&["--engine", engine, "--directives", &directives]);
        assert_eq!(other, sum("7.0"));
    }
}

/// A loop is named as it is called when its turn comes.
#[test]
fn directives_act_in_the_order_of_the_command_line() {
    let file = support::root("examples/dot_i32.py");
    let run = |flags: &[&str]| {
        let file = file.to_str().expect("a path");
        let args = [&[file, "--emit", "directives", "--check", "off"], flags].concat();
        support::allo_hls(&args)
    };
    let out = run(&["--unroll", "i.inner", "--split", "i=4"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&out.stderr)
            .contains("--unroll i.inner: there is no loop 'i.inner'")
    );
    let out = run(&["--split", "i=4", "--unroll", "i.inner"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let expected = "[[directive]]\nkind = \"split\"\nloop = \"i\"\nfactor = 4\n\n\
                    [[directive]]\nkind = \"unroll\"\nloop = \"i.inner\"\nfactor = 0\n\n";
    assert_eq!(text, expected);
}
