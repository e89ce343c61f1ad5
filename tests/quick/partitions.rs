//! Arrays in banks: what is split, what is refused, and that no split changes a bit.

use crate::directives::{checked, compile_text, target};
use allo_hls::driver::Compilation;
use allo_hls::ir::{OpKind, PartitionKind};
use allo_hls::rtl::interface::manifest::{Port, PortKind};
use allo_hls::sim::selfcheck::Checked;
use std::collections::BTreeSet;

/// Every way to name an element: counters, sums, strides, the data; whole arrays; a callee's parameters. Stores go outside,
/// too, but what is loaded is always there: the rest would depend on something unspecified, and nothing be compared.
const KERNEL: &str = "
from allo import *

TABLE = [3, 1, 4, 1, 5, 9, 2]

@kernel
def shift(v: \"i16[7]\", by: u3):
    for i in range(6):
        v[i] = v[i + 1] + by

@kernel
def top(x: \"i16[7]\", y: \"i16[3, 5]\", k: u2) -> \"i16[3, 5]\":
    t: u4[7] = TABLE
    z: i16[3, 5] = 7
    w: i16[7]
    for i in range(7):
        w[i] = x[6 - i] + t[i]
    for i in range(3):
        for j in range(5):
            z[i, j] += y[i, (j + 2) % 5]
    for i in range(0, 7, 2):
        x[i] = w[k] + z[k % 3, i % 5]
        w[x[i]] = t[x[i]] + i
    for i in range(0, 5):
        y[k, i] = w[i + 1]
    shift(w, 3)
    shift(x, 1)
    r: i16[3, 5] = y
    for i in range(5):
        r[1, i] += w[(i + k) % 7] - z[2, 4 - i]
    for i in range(4):
        w[2 * i - 3 + k] = i
        x[3 * i - 2] += w[i + k]
    u: i16[7] = 9
    u[k] = 3
    for i in range(7):
        x[i] += u[i]
    return r
";

fn built(flags: &[(&str, &str)]) -> Compilation {
    checked(KERNEL, flags)
}

fn refused(array: &str) -> String {
    match compile_text(KERNEL, &[("partition", array)], false) {
        Ok(_) => panic!("{array} is carried out"),
        Err(why) => why,
    }
}

#[test]
fn every_array_can_be_split_without_changing_a_bit() {
    let kinds = [
        "cyclic:2", "cyclic:3", "block:2", "block:4", "complete", "skew:3",
    ];
    let arrays = ["x", "y", "z", "w", "t", "u", "shift/v", "ap_return"];
    for (number, array) in arrays.into_iter().enumerate() {
        for kind in kinds {
            let split = format!("{array}:{kind}");
            built(&[("partition", &split)]);
            let flags = [
                ("partition", &*split),
                ("unroll", "i@16"),
                ("unroll", "i@21=2"),
                ("unroll", "i@24=3"),
                ("unroll", "shift/i=4"),
                ("unroll", "i@29"),
            ];
            built(&flags);
            if number % 2 == 0 {
                continue;
            }
            let along = [format!("{split}:dim=1"), format!("{array}:cyclic:2:dim=2")];
            if !["w", "u", "shift/v"].contains(&array) {
                built(&[("partition", &along[0]), ("partition", &along[1])]);
            }
        }
    }
    let all = arrays.map(|array| format!("{array}:cyclic:3"));
    let all = all.each_ref().map(|split| ("partition", split.as_str()));
    built(&all[..6]);
    // A copy from banks to banks.
    built(&[
        ("partition", "y:cyclic:2"),
        ("partition", "ap_return:cyclic:2"),
    ]);
}

/// Lanes along rows and along columns of the same array.
const BOTH: &str = "
from allo import *

@kernel
def top(x: i32[8, 8], rows: i32[8], columns: i32[8]):
    a: i32[8, 8]
    for i in range(8):
        for j in range(8):
            a[i, j] = x[i, j]
    for p in range(8):
        for q in range(8):
            rows[p] += a[p, q]
    for s in range(8):
        for t in range(8):
            columns[s] += a[t, s]
";

fn intervals(compiled: &Compilation, names: [&str; 2]) -> Vec<Option<u64>> {
    let loops = compiled.manifest.loops.iter();
    let found = loops.filter(|one| names.contains(&one.name.as_str()));
    found.map(|one| one.ii).collect()
}

/// No other kind of banks than skewed ones serves both.
#[test]
fn skewed_banks_serve_rows_and_columns() {
    let lanes = [("unroll", "q=4"), ("unroll", "t=4")];
    let directed = |kind: &str| {
        let banks = format!("a:{kind}");
        let compiled = checked(BOTH, &[("partition", &*banks), lanes[0], lanes[1]]);
        intervals(&compiled, ["q", "t"])
    };
    assert_eq!(directed("skew:4:dim=2"), [Some(1), Some(1)]);
    assert_ne!(directed("cyclic:4:dim=2"), [Some(1), Some(1)]);
}

/// Without a word of banks: they are found, and the head of the module says which.
#[test]
fn local_arrays_get_the_banks_that_their_accesses_need() {
    let compiled = checked(BOTH, &[("unroll", "q"), ("unroll", "t")]);
    assert_eq!(intervals(&compiled, ["p", "s"]), [Some(1), Some(1)]);
    let said = "banks: as --partition a:skew:4:dim=2 would direct";
    assert!(compiled.design.header.iter().any(|line| line == said));
    // What is directed stays as it is.
    let directed = [
        ("unroll", "q"),
        ("unroll", "t"),
        ("partition", "a:cyclic:2:dim=2"),
    ];
    let compiled = checked(BOTH, &directed);
    assert_ne!(intervals(&compiled, ["p", "s"]), [Some(1), Some(1)]);
}

/// Elements that are a large power of two apart are in banks of their own with more banks than there are accesses.
#[test]
fn accesses_far_apart_get_as_many_banks_as_tell_them_apart() {
    let text = "
from allo import *

@kernel
def top(x: \"i32[256]\") -> i32:
    t: i32[256]
    for i in range(256):
        t[i] = x[i]
    s: i32 = 0
    for j in range(208):
        for k in range(4):
            s += t[j + k * 16]
    return s
";
    let compiled = checked(text, &[("unroll", "k")]);
    assert_eq!(intervals(&compiled, ["i", "j"]), [Some(1), Some(1)]);
}

/// Reads and writes of neighbours from a place that only the data tell: a bank each, as long as there are banks.
#[test]
fn neighbours_take_turns_among_the_banks() {
    const SHIFTED: &str = "
from allo import *

@kernel
def top(x: i16[64], from_: u5, to: u5, y: i16[64]):
    for i in range(0, 16, 4):
        for k in range(4):
            y[to + i + k] = x[from_ + i + k] + k
    for i in range(0, 16, 8):
        for l in range(8):
            y[to + i + l] += x[from_ + 16 + i + l]
";
    let banks = [("partition", "x:cyclic:4"), ("partition", "y:cyclic:4")];
    let lanes = [("unroll", "k"), ("unroll", "l")];
    let compiled = checked(SHIFTED, &[&banks[..], &lanes[..]].concat());
    let loops = compiled.manifest.loops.iter();
    let ii: Vec<_> = loops.map(|one| one.ii).collect();
    assert_eq!(ii[0], Some(1));
}

/// Neighbours of which some are outside of the array: they take no turn of one that is inside, whatever the number of banks.
#[test]
fn neighbours_outside_of_the_array_take_no_turn() {
    const EDGES: &str = "
from allo import *

@kernel
def top(x: i16[7], z: i16[7], y: i16[9], w: i16[5, 4]):
    for i in range(9):
        s: i16 = 0
        for k in range(3):
            if i + k >= 2 and i + k < 9:
                s += x[i + k - 2] * (k + 1)
        y[i] = s
    for i in range(9):
        for k in range(3):
            z[i + k - 2] = y[i] + k
    for i in range(7):
        for k in range(3):
            w[i - 1, k + 1] = y[i] + k
    for i in range(5):
        for k in range(3):
            y[i] += w[i, k] * k
";
    for factor in 2..=5 {
        let banks = ["x:cyclic", "z:cyclic", "w:skew"].map(|kind| format!("{kind}:{factor}"));
        let mut flags: Vec<_> = banks.iter().map(|kind| ("partition", &**kind)).collect();
        flags.extend(["k@8", "k@13", "k@16", "k@19"].map(|lanes| ("unroll", lanes)));
        checked(EDGES, &flags);
    }
}

/// Copies of an iteration that a guard never runs may access what no bank has, with the bank of another dimension open.
#[test]
fn guarded_accesses_outside_of_all_banks_are_any_value() {
    let text = "
from allo import *

@kernel
def top(x: \"u8[3, 4]\", y: \"i32[2, 3]\"):
    t: u8[3, 4] = x
    for i in range(2):
        for j in range(4):
            if j < 3:
                y[i, j] = x[i, j] + x[i + 1, j + 1] + t[i + 1, j + 1]
";
    for split in ["complete", "cyclic:2", "block:2"] {
        let [x, t, y] = ["x", "t", "y"].map(|array| format!("{array}:{split}"));
        let flags = [
            ("unroll", "j"),
            ("partition", &*x),
            ("partition", &t),
            ("partition", &y),
        ];
        checked(text, &flags);
    }
}

#[test]
fn parameters_have_a_group_of_ports_for_each_bank() {
    let flags = [
        ("partition", "x:cyclic:3"),
        ("partition", "y:block:2:dim=2"),
    ];
    let compiled = built(&flags);
    let array = |port: &Port| match &port.kind {
        PortKind::Array {
            partition, banks, ..
        } => {
            let splits = partition.iter().flatten();
            let splits: Vec<_> = splits.map(|s| (s.kind, s.dim, s.factor)).collect();
            let depths: Vec<u64> = banks.iter().map(|bank| bank.depth).collect();
            (splits, depths, banks[1].ports[0].address.clone())
        }
        _ => panic!("no array"),
    };
    let args = &compiled.manifest.args;
    let x = (
        vec![(PartitionKind::Cyclic, 0, 3)],
        vec![3, 2, 2],
        "x_1_address0".to_string(),
    );
    assert_eq!(array(&args[0]), x);
    let y = (
        vec![(PartitionKind::Block, 1, 2)],
        vec![9, 6],
        "y_1_address0".to_string(),
    );
    assert_eq!(array(&args[1]), y);
}

#[test]
fn what_cannot_be_split_is_refused() {
    let starts = [
        (
            "q:cyclic:2",
            "there is no array 'q'; the arrays are 'shift/v@7', 'top/x@12'",
        ),
        ("x:cyclic", "a cyclic partition needs a factor"),
        ("x:skew", "a skew partition needs a factor"),
        ("x:block", "a block partition needs a factor"),
        ("x:cyclic:-2", "a cyclic partition needs a factor"),
        ("x:skew:1", "a skew partition has two parts at least"),
        (
            "x:complete:3",
            "a complete partition has as many parts as elements",
        ),
        ("x:cyclic:2:dim=2", "its dimensions are 1 to 1"),
        ("y:cyclic:2:dim=-1", "its dimensions are 1 to 2"),
    ];
    let none = target(&[("partition", "x:cyclic:0")]).err();
    assert_eq!(none.as_deref(), Some("a factor is at least 1"));
    for (array, why) in starts {
        let found = refused(array);
        let start = format!("--partition {array}: {why}");
        assert!(found.starts_with(&start), "{found}");
    }
    let twice = [
        ("partition", "y:cyclic:2:dim=1"),
        ("partition", "y:complete"),
    ];
    let why = compile_text(KERNEL, &twice, false).err();
    let expected = "--partition y:complete: dimension 1 is split already";
    assert_eq!(why.as_deref(), Some(expected));
    let passed = [
        ("partition", "shift/v:cyclic:2"),
        ("partition", "x:cyclic:3"),
    ];
    let why = compile_text(KERNEL, &passed, false).err();
    let expected =
        "--partition shift/v:cyclic:2: 'x', which is passed for 'v', is split in another way";
    assert_eq!(why.as_deref(), Some(expected));
    for wrong in [
        "x",
        "x:even",
        ":cyclic:2",
        "x:cyclic:two",
        "x:cyclic:2:dim=a",
    ] {
        assert!(
            compile_text(KERNEL, &[("partition", wrong)], false).is_err(),
            "{wrong}"
        );
    }
    let many = "from allo import *\n@kernel\ndef top(x: \"i8[64, 64]\"):\n    x[0, 0] = 1\n";
    let why = compile_text(many, &[("partition", "x:complete")], false).err();
    let expected = "--partition x:complete: more than 1024 banks";
    assert_eq!(why.as_deref(), Some(expected));
}

#[test]
fn more_parts_than_elements_are_a_warning() {
    let compiled = built(&[("partition", "y:cyclic:4:dim=1")]);
    let warnings = compiled.warnings.0.iter().map(|w| w.message.as_str());
    let warnings: Vec<&str> = warnings.collect();
    let expected = "--partition y:cyclic:4:dim=1: dimension 1 has 3 parts instead of 4";
    assert!(warnings.contains(&expected), "{warnings:?}");
}

/// Iterations side by side do not wait for one another where each has banks of its own.
#[test]
fn banks_raise_no_interval() {
    let kernel = "
from allo import *

@kernel
def top(x: \"i32[16]\", y: \"i32[12, 4]\", k: i32):
    for i in range(16, name=\"line\"):
        x[i] = x[i] * k
    for i in range(12, name=\"rows\"):
        for j in range(4):
            y[i, j] += x[i]
";
    let intervals = |flags: &[(&str, &str)]| {
        let compiled = compile_text(kernel, flags, false);
        let compiled = compiled.unwrap_or_else(|why| panic!("{flags:?}: {why}"));
        let loops = compiled.manifest.loops.into_iter();
        loops.map(|l| l.ii).collect::<Vec<_>>()
    };
    let line = ("unroll", "line=8");
    assert_eq!(intervals(&[line])[0], Some(8));
    assert_eq!(intervals(&[line, ("partition", "x:cyclic:8")])[0], Some(1));
    assert_eq!(intervals(&[line, ("partition", "x:cyclic:4")])[0], Some(2));
    assert_eq!(intervals(&[line, ("partition", "x:block:8")])[0], Some(2));
    let rows = [
        ("unroll", "rows=3"),
        ("pipeline", "rows"),
        ("partition", "y:cyclic:3:dim=1"),
        ("partition", "y:complete:dim=2"),
        ("partition", "x:cyclic:3"),
    ];
    assert_eq!(intervals(&rows)[1], Some(1));
    // Banks that the data choose: an iteration waits for no other one, as without banks.
    assert_eq!(intervals(&[("partition", "x:cyclic:4")])[0], Some(1));
}

/// A loop whose end the data decide carries an array in registers; test, branch and inner loop see the elements.
#[test]
fn a_while_loop_carries_an_array_in_registers() {
    let kernel = "
from allo import *

@kernel
def top(x: \"i32[8]\", n: u5) -> i32:
    t: i32[4] = 0
    i: i32 = 0
    while t[3] < 100 and i < n:
        t[i & 3] += x[i & 7]
        if x[i & 7] < 0:
            t[0] = t[(i + 1) & 3] - 1
        for k in range(3):
            t[k] ^= t[k + 1]
        i += 1
    return t[0] * 8 + t[1] * 4 + t[2] * 2 + t[3]
";
    for split in ["t:complete", "t:block:4", "t:cyclic:2"] {
        let compiled = checked(kernel, &[("partition", split)]);
        let mut arrays = compiled.kernel.arrays.values();
        let is_memory = arrays.any(|array| array.name == "t");
        assert_eq!(is_memory, split == "t:cyclic:2", "{split}");
    }
}

/// Counts in banks: what an iteration stored is at hand for the next one, whichever bank has it.
#[test]
fn banks_are_bypassed() {
    let kernel = "
from allo import *

@kernel
def top(x: \"u4[64]\", y: \"u4[64]\", count: \"i32[16]\", last: \"i16[16]\"):
    t: i16[16] = 0
    for i in range(64):
        count[x[i]] += i
    for i in range(64, name=\"t\"):
        t[y[i]] += 3
    for i in range(16):
        last[i] = t[i]
";
    let splits = ["cyclic:4", "cyclic:3", "block:4", "block:3"];
    for split in splits {
        let [count, t] = ["count", "t"].map(|array| format!("{array}:{split}"));
        let compiled = checked(kernel, &[("partition", &count), ("partition", &t)]);
        let mut bypassed = BTreeSet::new();
        compiled.kernel.body.for_each_op(&mut |op| {
            if let OpKind::Load { at, bypassed: true } = &op.kind {
                bypassed.insert(compiled.kernel.arrays[at.array].name.as_str());
            }
        });
        assert_eq!(bypassed, BTreeSet::from(["count", "t"]), "{split}");
        let local = compiled.manifest.loops.iter().find(|l| l.name == "t");
        assert_eq!(local.map(|l| l.ii), Some(Some(1)), "{split}");
    }
}

/// A proof sees through banks.
#[test]
fn a_kernel_with_banks_is_proven() {
    let kernel = "
from allo import *

@kernel
def top(x: \"u8[6]\", y: \"u8[2, 3]\", k: u2) -> u8:
    for i in range(6):
        x[i] = x[5 - i] + k
    for i in range(2):
        for j in range(3):
            y[i, j] += x[2 * j + i]
    return y[k & 1, k % 3]
";
    let ways: [&[(&str, &str)]; 4] = [
        &[("partition", "x:cyclic:2"), ("partition", "y:complete")],
        &[("partition", "x:block:3"), ("partition", "y:cyclic:2")],
        &[("partition", "x:complete"), ("unroll", "i@6")],
        &[("partition", "x:cyclic:4"), ("unroll", "j")],
    ];
    for flags in ways {
        let compiled = checked(kernel, flags);
        assert!(
            matches!(compiled.checked, Checked::Proven(_)),
            "{flags:?}: {:?}",
            compiled.checked
        );
    }
}

/// Subscripts that leave the bank open have several elements read all banks that may have them; each of these is read once.
#[test]
fn banks_of_one_element_are_read_once_however_many_may_need_them() {
    let text = "from allo import *\n\n@kernel\ndef top(a: \"i32[6, 4]\", o: \"i32[4, 4]\"):\n    for y in range(4):\n        \
                for x in range(4):\n            o[y, x] = a[y, x] + a[y + 1, x] + a[y + 2, x]\n";
    let compiled = checked(text, &[("partition", "a:complete"), ("pipeline", "x")]);
    let intervals: Vec<_> = compiled.manifest.loops.iter().map(|one| one.ii).collect();
    assert_eq!(intervals.last(), Some(&Some(1)));
}

/// Loads that stand side by side, some of which lie outside of the array where nobody wants them: they must not take the turn of one
/// inside, whichever dimension tells their banks apart.
#[test]
fn loads_outside_of_an_array_take_no_turn() {
    for (rows, columns) in [(8, 8), (7, 6)] {
        let text = format!(
            "from allo import *\n\n@kernel\ndef top(a: \"i16[{rows}, {columns}]\", y: \"i32[{rows}, {columns}]\"):\n    \
             for i in range({rows}):\n        for j in range({columns}):\n            \
             s: i32 = a[i, j]\n            \
             if i + 1 < {rows}:\n                s += a[i + 1, j] * 3\n            \
             if i >= 2:\n                s -= a[i - 2, j]\n            \
             if i + 3 < {rows} and j + 1 < {columns}:\n                s += a[i + 3, j + 1] * 5\n            \
             if j >= 2:\n                s += a[i, j - 2] * 7\n            \
             y[i, j] = s\n"
        );
        let splits: [&[&str]; 7] = [
            &["a:complete"],
            &["a:complete:dim=1"],
            &["a:cyclic:2"],
            &["a:cyclic:3"],
            &["a:cyclic:4"],
            &["a:complete:dim=1", "a:cyclic:4:dim=2"],
            &["a:block:2:dim=1", "a:cyclic:2:dim=2"],
        ];
        for split in splits {
            let flags: Vec<_> = split.iter().map(|one| ("partition", *one)).collect();
            let compiled = checked(&text, &flags);
            let Checked::Runs(runs) = compiled.checked else {
                panic!("{split:?}: {}", compiled.checked);
            };
            assert!(runs.whole > 0, "{split:?}: {runs:?}");
        }
    }
}

/// A name that an array has in common with the parameters that it is passed for means the array; of a parameter that stands for
/// two arrays nothing is known.
#[test]
fn an_array_is_named_as_its_callees_call_it() {
    let text = "
from allo import *

@kernel
def inner(A: \"i16[4]\", B: \"i16[4]\"):
    for i in range(4):
        B[i] += A[3 - i]

@kernel
def top(A: \"i16[4]\", C: \"i16[4]\"):
    B: i16[4] = 1
    inner(A, B)
    inner(A, C)
    for i in range(4):
        A[i] = B[i]
";
    let compiled = checked(text, &[("partition", "A:cyclic:2")]);
    let parts = |port: &Port| match &port.kind {
        PortKind::Array { banks, .. } => banks.len(),
        _ => 0,
    };
    let banks: Vec<usize> = compiled.manifest.args.iter().map(parts).collect();
    assert_eq!(banks, [2, 1]);
    let why = compile_text(text, &[("partition", "B:cyclic:2")], false).expect_err("two arrays");
    assert!(why.contains("'inner/B@5', 'top/B@11'"), "{why}");
}
