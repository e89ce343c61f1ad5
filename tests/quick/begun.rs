//! Many carried values are set by a register a cycle after their loop begins, where nothing reads them before.

use crate::directives::{checked_for, target};
use allo_hls::driver::Compilation;
use allo_hls::levels::Level;
use allo_hls::rtl::netlist::Item;

/// A kernel of these statements, with all of `s` and each row of `a` at hand, checked against the reference.
fn compiled(body: &str, level: Level) -> Compilation {
    let flags = [
        ("unroll", "k=20"),
        ("unroll", "l=20"),
        ("partition", "a:complete:dim=2"),
        ("partition", "s:complete"),
        ("partition", "y:complete"),
    ];
    let text = format!(
        "from allo import *\n
@kernel
def top(a: \"f32[9, 20]\", n: \"u2\", y: \"f32[20]\"):
    s: f32[20] = 0.0
{body}"
    );
    let mut target = target(&flags).expect("directives");
    target.aim.level = level;
    checked_for(&text, &target)
}

/// Whether there is such a register.
fn is_set_later(compiled: &Compilation) -> bool {
    let module = &compiled.design.modules[compiled.design.top().expect("a module")];
    module.items.iter().any(|item| match item {
        Item::Register(register) => module.nets[register.out].name.starts_with("begun"),
        _ => false,
    })
}

const SUMS: &str = "
    for j in range(9):
        for k in range(20):
            s[k] += a[j, k]
    for l in range(20):
        y[l] = s[l]
";

/// Who reads these sums does so in the cycle in which there is no iteration, of four invocations in one.
const MAYBE_NONE: &str = "
    for j in range(n):
        for k in range(20):
            s[k] += a[j, k]
    for l in range(20):
        y[l] = s[l]
";

/// `t` is read in the first cycle, and the sums are not.
const MIXED: &str = "
    t: u8 = 3
    for j in range(9):
        t = t * 5 + 1
        for k in range(20):
            s[k] += a[j, k] * t
    for l in range(20):
        y[l] = s[l]
";

#[test]
fn sums_that_are_read_later_are_set_later() {
    // Invocations overlap at the second level.
    for level in [Level::One, Level::Two] {
        for body in [SUMS, MIXED] {
            assert!(is_set_later(&compiled(body, level)), "{level:?} {body}");
        }
    }
}

#[test]
fn sums_of_a_loop_without_an_iteration_are_set_as_it_begins() {
    for level in [Level::One, Level::Two] {
        assert!(!is_set_later(&compiled(MAYBE_NONE, level)), "{level:?}");
    }
}
