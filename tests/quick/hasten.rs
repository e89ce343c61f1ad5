//! Quotients and roots that something waits for take fewer cycles where that is worth the multiplier blocks, and nowhere else.

use crate::directives::{checked_for, target};
use crate::support::instances;
use allo_hls::driver::Compilation;
use allo_hls::schedule::forecast;

/// A kernel of these statements, checked against the reference, with so many multiplier blocks at most.
fn built(body: &str, most_blocks: u64) -> Compilation {
    let text = format!(
        "from allo import *\nfrom allo.math import sqrt\n
@kernel
def top(a: \"f64[40]\", b: \"f64[40]\", x: \"f64[40]\"):
{body}"
    );
    let mut target = target(&[]).expect("directives");
    target.aim.limits.blocks = most_blocks;
    checked_for(&text, &target)
}

/// How many fast quotients and roots there are, and how many others.
fn kinds(compiled: &Compilation) -> [usize; 2] {
    let count = |kind: &str| -> usize {
        let names = ["fdiv", "fsqrt"].map(|name| format!("{name}_e11f52{kind}"));
        names.iter().map(|name| instances(compiled, name)).sum()
    };
    let fast = count("_fast");
    [fast, count("") - fast]
}

fn cycles(compiled: &Compilation) -> u64 {
    forecast::cycles(&compiled.hardware, &compiled.schedule)
}

const CARRIED: &str = "
    s: f64 = 1.0
    for i in range(40):
        s = a[i] / (b[i] + s)
        x[i] = s
";

const PIPELINED: &str = "
    for i in range(40):
        x[i] = a[i] / b[i]
";

const ROOTS: &str = "
    for i in range(40):
        s: f64 = x[i]
        for j in range(i):
            s -= a[j] * b[j]
        x[i] = sqrt(abs(s))
";

const ONCE: &str = "
    for j in range(40):
        for i in range(40):
            x[i] = x[i] * b[j] + a[i]
    x[0] = a[0] / b[0]
";

#[test]
fn what_a_recurrence_waits_for_takes_fewer_cycles() {
    let [fast, slow] = [u64::MAX, 0].map(|most| built(CARRIED, most));
    assert_eq!([kinds(&fast), kinds(&slow)], [[1, 0], [0, 1]]);
    // 12 of 31 cycles of the quotient, in each of 40 iterations.
    assert!(cycles(&fast) + 40 * 12 <= cycles(&slow));
}

#[test]
fn what_a_block_waits_for_takes_fewer_cycles() {
    let [fast, slow] = [u64::MAX, 0].map(|most| built(ROOTS, most));
    assert_eq!([kinds(&fast), kinds(&slow)], [[1, 0], [0, 1]]);
    assert!(cycles(&fast) + 40 * 10 <= cycles(&slow));
}

/// Processes are built one by one, and all of them have to find room.
#[test]
fn processes_of_a_network_share_the_multipliers() {
    let text = "
from allo import *

@kernel
def one(a: \"f64[40]\", b: \"f64[40]\", x: \"Stream[f64, 4]\"):
    s: f64 = 1.0
    for i in range(40):
        s = a[i] / (b[i] + s)
        x.put(s)

@kernel
def top(a: \"f64[40]\", b: \"f64[40]\", c: \"f64[40]\", d: \"f64[40]\", x: \"Stream[f64, 4]\", y: \"Stream[f64, 4]\"):
    one(a, b, x)
    one(c, d, y)
";
    // A fast quotient takes 17.
    let built = [20, 40].map(|most| {
        let mut target = target(&[]).expect("directives");
        target.aim.limits.blocks = most;
        checked_for(text, &target)
    });
    assert_eq!(built.each_ref().map(kinds), [[0, 1], [1, 0]]);
}

#[test]
fn what_nothing_waits_for_takes_no_multiplier() {
    for body in [PIPELINED, ONCE] {
        assert_eq!(kinds(&built(body, u64::MAX)), [0, 1], "{body}");
    }
}
