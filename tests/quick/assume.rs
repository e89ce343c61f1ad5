//! What is assumed: hardware relies on it, proofs too, and it is checked where arguments are given.

use crate::directives::checked;
use allo_hls::prove::Limits;
use allo_hls::prove::design::{Proof, prove};
use allo_hls::rtl::systemverilog;
use allo_hls::sim::args;
use allo_hls::sim::cosim::{CosimError, CosimOptions, cosim_on};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::reference::{Options, Prepared, RunError};
use allo_hls::sim::selfcheck::Checked;
use std::time::Duration;

const PRODUCT: &str = "
import allo
from allo import *

@kernel
def top(a: i32, b: i32) -> i32:
    allo.assume(a >= -8 and a < 8)
    allo.assume(0 <= b)
    allo.assume(b <= 15)
    return a * b
";

/// Narrow factors, found equal to the kernel's wide ones.
#[test]
fn a_product_of_small_numbers_is_small() {
    let compiled = checked(PRODUCT, &[]);
    let text = systemverilog::print(&compiled.design);
    assert!(text.contains("a[3:0]") && text.contains("b[3:0]"), "{text}");
    let limits = Limits::within(Duration::from_secs(300));
    let proof = prove(&compiled.question(), &limits);
    assert!(matches!(proof, Proof::Proven(_)), "{proof:?}");
}

/// Random arguments keep to what is assumed of them.
#[test]
fn a_kernel_that_assumes_something_is_compared() {
    let text = "
from allo import *

@kernel
def top(x: \"i32[6]\", n: i64, k: u32) -> i32:
    assume(n >= 1000000)
    assume(n < 1000007 and k > 4000000000)
    s: i32 = 0
    for i in range(n - 1000000):
        assume(k - i > 5)
        s += x[i]
    return s
";
    let compiled = checked(text, &[]);
    assert!(matches!(compiled.checked, Checked::Runs(runs) if runs.whole > 10));
}

#[test]
fn what_is_not_so_is_said_where_it_is_asked_for() {
    let compiled = checked(PRODUCT, &[]);
    let reference = Prepared::of(&compiled.program).expect("a program");
    let given = |text: &str| args::read_json(&reference.signature, text).expect("arguments");
    let broken = given(r#"{"a": 8, "b": 3}"#);
    let checking = Options {
        check_assumptions: true,
        ..Options::default()
    };
    let wrong = reference.run(&broken[0], &checking);
    assert!(matches!(wrong, Err(RunError::Broken(_))), "{wrong:?}");
    assert!(reference.run(&broken[0], &Options::default()).is_ok());
    let engine = Netlist::new(&compiled.design, &compiled.manifest).expect("a netlist");
    let compare = |inputs| {
        let options = CosimOptions {
            args: Some(inputs),
            ..CosimOptions::default()
        };
        let (program, manifest) = (&compiled.program, &compiled.manifest);
        cosim_on(&engine, program, manifest, &options, &|_, _| ())
    };
    let wrong = compare(broken);
    assert!(
        matches!(wrong, Err(CosimError::Reference(RunError::Broken(_)))),
        "{wrong:?}"
    );
    compare(given(r#"{"a": -8, "b": 15}"#)).expect("no difference");
}

const UPDATES: &str = "
import allo
from allo import *

@kernel
def top(k: \"u6[32]\", v: \"f32[32]\", h: \"f32[64]\"):
    for i in range(32):
        PROMISE
        h[k[i]] = h[k[i]] * 1.5 + v[i]
";

fn interval(promise: &str) -> Option<u64> {
    let compiled = checked(&UPDATES.replace("PROMISE", promise), &[]);
    let Checked::Runs(runs) = compiled.checked else {
        panic!("{:?}", compiled.checked)
    };
    assert!(runs.whole > 4, "{promise}: {runs:?}");
    compiled.manifest.loops[0].ii
}

/// Elements that are updated at places that only the data know.
#[test]
fn a_promise_lets_iterations_overlap() {
    let (without, all) = (interval("pass").expect("a pipeline"), 1);
    let promises = [
        ("allo.assume(h, i, dependent=False)", all),
        ("assume(h, i, type=\"inter\", direction=\"raw\")", all),
        // Neither is what keeps them apart.
        ("assume(h, i, direction=\"waw\")", without),
        ("assume(h, i, type=\"intra\", direction=\"raw\")", without),
        ("assume(v, i)", without),
    ];
    for (promise, expected) in promises {
        assert_eq!(interval(promise), Some(expected), "{promise}");
    }
    let some = interval("assume(h, i, distance=4, dependent=True)");
    assert!(some > Some(all) && some < Some(without), "{some:?}");
}

#[test]
fn a_promise_that_is_broken_is_found() {
    for (promise, keys, holds) in [
        ("assume(h, i)", [4, 5, 6, 7], true),
        ("assume(h, i)", [4, 5, 4, 7], false),
        ("assume(h, i, distance=3)", [4, 5, 6, 4], true),
        ("assume(h, i, distance=3)", [4, 5, 4, 7], false),
        (
            "assume(h, i, type=\"intra\", direction=\"war\")",
            [4; 4],
            false,
        ),
        (
            "assume(h, i, type=\"intra\", direction=\"raw\")",
            [4; 4],
            true,
        ),
    ] {
        let text = UPDATES.replace("32", "4").replace("PROMISE", promise);
        let text = text.replace("f4", "f32");
        let compiled = crate::directives::compile_text(&text, &[], false).expect("a kernel");
        let reference = Prepared::of(&compiled.program).expect("a program");
        let given = format!(
            "{{\"k\": {keys:?}, \"v\": [1, 1, 1, 1], \"h\": {:?}}}",
            [0; 64]
        );
        let inputs = args::read_json(&reference.signature, &given).expect("arguments");
        let options = Options {
            check_assumptions: true,
            ..Options::default()
        };
        let ended = reference.run(&inputs[0], &options);
        assert_eq!(ended.is_ok(), holds, "{promise} {keys:?}: {ended:?}");
    }
}

#[test]
fn promises_that_mean_nothing_are_refused() {
    for (promise, told) in [
        (
            "assume(h, v)",
            "this is not the variable of a loop around the promise",
        ),
        ("assume(i, i)", "an array is needed here"),
        (
            "assume(h, i, type=\"outer\")",
            "one of 'intra', 'inter' is needed here",
        ),
        (
            "assume(h, i, direction=\"rar\")",
            "one of 'raw', 'war', 'waw' is needed here",
        ),
        (
            "assume(h, i, distance=0)",
            "a distance is an integer from 1 on",
        ),
        (
            "assume(h, i, dependent=True)",
            "a dependence that is there has a distance",
        ),
        (
            "assume(h, i, type=\"intra\", distance=2)",
            "in one iteration there is no distance",
        ),
        ("assume(False)", "what is assumed is never so"),
    ] {
        let text = UPDATES.replace("PROMISE", promise);
        match crate::directives::compile_text(&text, &[], false) {
            Ok(_) => panic!("{promise} is accepted"),
            Err(why) => assert!(why.contains(told), "{promise}: {why}"),
        }
    }
}
