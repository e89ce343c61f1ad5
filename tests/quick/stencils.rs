//! Stencils: an iteration a cycle from two ports, whatever is done at the border, and taps that are loaded once.

use crate::directives::{checked_for, target};
use allo_hls::driver::{Compilation, Target};
use allo_hls::levels::Level;
use allo_hls::schedule::forecast;

/// Rows and columns of the images below.
const EXTENTS: [u64; 2] = [20, 24];

fn at(level: Level, flags: &[(&str, &str)]) -> Target {
    let mut target = target(flags).expect("directives");
    target.aim.level = level;
    target
}

fn built(body: &str, target: &Target) -> Compilation {
    let [rows, columns] = EXTENTS;
    let text = format!(
        "from allo import *\n
@kernel
def top(a: \"i16[{rows}, {columns}]\", w: \"i16[3, 3]\", b: \"i32[{rows}, {columns}]\"):
    for r in range({rows}):
        for c in range({columns}):
{body}"
    );
    checked_for(&text, target)
}

fn cycles(compiled: &Compilation) -> u64 {
    forecast::cycles(&compiled.hardware, &compiled.schedule)
}

/// Cycles of an iteration for each place, and those that lie in the rows and columns before the first ones.
fn one_for_each() -> u64 {
    let [rows, columns] = EXTENTS;
    (rows + 2) * (columns + 2) + 24
}

const BORDER: &str = "
            if r == 0 or c == 0 or r == 19 or c == 23:
                b[r, c] = 0
            else:
                b[r, c] = a[r - 1, c] + a[r + 1, c] + a[r, c - 1] + a[r, c + 1] - 4 * a[r, c]
";

const PADDED: &str = "
            s: i32 = 0
            for i in range(3):
                for j in range(3):
                    if r + i >= 1 and r + i < 21 and c + j >= 1 and c + j < 25:
                        s += a[r + i - 1, c + j - 1] * w[i, j]
            b[r, c] = s
";

#[test]
fn borders_take_no_more_cycles_than_other_places() {
    let compiled = built(BORDER, &at(Level::One, &[]));
    assert!(cycles(&compiled) <= one_for_each(), "{}", cycles(&compiled));
    assert!(compiled.passes.contains(&"speculate"));
    let padded = built(PADDED, &at(Level::One, &[("unroll", "i"), ("unroll", "j")]));
    assert!(cycles(&padded) <= one_for_each(), "{}", cycles(&padded));
    for pass in ["speculate", "promote_reads"] {
        assert!(padded.passes.contains(&pass), "{pass}");
    }
}

/// All of a small loop inside of others at once, and then two places.
#[test]
fn the_third_level_has_all_taps_at_once() {
    let compiled = built(PADDED, &at(Level::Three, &[]));
    assert!(
        cycles(&compiled) <= one_for_each() * 2 / 3,
        "{}",
        cycles(&compiled)
    );
    let header = compiled.design.header.join("\n");
    let said = "-O3: all iterations of 'i', 'j' side by side";
    assert!(header.contains(said), "{header}");
    // Users direct one of them, or there is no room.
    let directed = at(Level::Three, &[("pipeline", "j")]);
    let mut small = at(Level::Three, &[]);
    small.aim.limits.blocks = 3;
    for target in [directed, small] {
        let compiled = built(PADDED, &target);
        let header = compiled.design.header.join("\n");
        assert!(!header.contains("all iterations"), "{header}");
    }
}

/// What is stored in the loop is loaded as late as it was; where iterations wait for one another, no row before the first one is added.
#[test]
fn loads_in_branches_cost_nothing_where_nothing_is_gained() {
    let in_place = "
            if r > 0 and c > 0 and r < 19:
                b[r, c] = b[r - 1, c] + b[r, c - 1] + b[r + 1, c] - b[r + 1, c - 1]
";
    let waiting = "
            if r > 0 and c > 0 and r < 19:
                b[r, c] = b[r, c - 1] // (a[r - 1, c] + 7) + a[r, c - 1] - a[r + 1, c]
";
    let with = at(Level::One, &[]);
    let without = Target {
        skip: vec!["speculate".into()],
        ..at(Level::One, &[])
    };
    for body in [in_place, waiting] {
        let [with, without] = [&with, &without].map(|target| built(body, target));
        assert!(cycles(&with) <= cycles(&without), "{body}");
        assert!(body == waiting || !with.passes.contains(&"speculate"));
    }
}

/// Parameters that are read again and again have copies with as many banks as taps and places side by side need.
#[test]
fn the_third_level_has_copies_for_all_taps() {
    let text = "from allo import *

@kernel
def top(a: \"i8[8, 18, 18]\", w: \"i8[8, 8, 3, 3]\", b: \"i32[8, 16, 16]\"):
    for o in range(8):
        for r in range(16):
            for c in range(16):
                s: i32 = 0
                for n in range(8):
                    for i in range(3):
                        for j in range(3):
                            s += a[n, r + i, c + j] * w[o, n, i, j]
                b[o, r, c] = s
";
    let compiled = checked_for(text, &at(Level::Three, &[]));
    let header = compiled.design.header.join("\n");
    for said in [
        "all iterations of 'i', 'j' side by side",
        "'a', 'w' copied to memories inside",
    ] {
        assert!(header.contains(said), "{header}");
    }
    // A product in a cycle would take 147,456.
    assert!(cycles(&compiled) < 147_456 / 16, "{}", cycles(&compiled));
}

/// A nest that a directive is about stays as it is, whatever is done with small loops of another one.
#[test]
fn taps_that_users_direct_leave_their_nest_alone() {
    let text = "from allo import *

@kernel
def top(a: \"i16[20, 24]\", w: \"i16[3, 3]\", b: \"i32[18, 22]\", x: \"i16[64]\", y: \"i32[64]\"):
    for p in range(64):
        t: i32 = 0
        for q in range(2):
            t += x[p] * (q + 3)
        y[p] = t
    for r in range(18):
        for c in range(22):
            s: i32 = 0
            for i in range(3):
                for j in range(3):
                    s += a[r + i, c + j] * w[i, j]
            b[r, c] = s
";
    let header = |flags: &[(&str, &str)]| {
        let compiled = checked_for(text, &at(Level::Three, flags));
        compiled.design.header.join("\n")
    };
    let said = header(&[]);
    assert!(said.contains("all iterations of 'q', 'i', 'j'"), "{said}");
    assert!(said.contains("loop 'p'"), "{said}");
    let said = header(&[("unroll", "q")]);
    assert!(said.contains("all iterations of 'i', 'j'"), "{said}");
    assert!(!said.contains("loop 'p'"), "{said}");
}
