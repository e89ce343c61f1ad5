//! Arrays between calls that become streams: orders that agree, windows, several readers; and what is refused, with the place.

use crate::scheduled::{scheduled, scheduled_or};
use allo_hls::driver::Compilation;
use allo_hls::sim::selfcheck::Checked;

const STAGES: &str = "
from allo import *

@kernel
def rows(A: i32[8, 16], B: i32[8, 16]):
    for i, j in grid(8, 16):
        B[i, j] = A[i, j] * 2

@kernel
def upper(A: i32[8, 16], B: i32[8, 16]):
    for i, j in grid(4, 16):
        B[i, j] = A[i, j] + 4

@kernel
def lower(A: i32[8, 16], B: i32[8, 16]):
    for i in range(4, 8):
        for j in range(16):
            B[i, j] = A[i, j] * 5

@kernel
def lower_still(A: i32[8, 16], B: i32[8, 16]):
    for i in range(5, 8):
        for j in range(16):
            B[i, j] = A[i, j] * 5

@kernel
def columns(A: i32[8, 16], B: i32[8, 16]):
    for j in range(16):
        for i in range(7, -1, -1):
            B[i, j] = A[i, j] * 3

@kernel
def plain(A: i32[8, 16]) -> i32[8, 16]:
    G: i32[8, 16]
    for i in range(4):
        for k in range(2):
            for j in range(16):
                G[2 * i + k, j] = A[2 * i + k, j] + 1
    return G

@kernel
def total(B: i32[8, 16]) -> i32:
    s: i32 = 0
    for i in range(8):
        for j in range(16):
            s += B[i, j] * B[i, j]
    return s

@kernel
def upwards(B: i32[8, 16], C: i32[8, 16]):
    for j in range(16):
        for i in range(8):
            C[i, j] = B[7 - i, j] + 1

@kernel
def blur(B: i32[8, 16], D: i32[8, 14]):
    for i in range(8):
        for j in range(14):
            D[i, j] = B[i, j] + B[i, j + 1] + B[i, j + 2]

@kernel
def corner(B: i32[8, 16], D: i32[8, 14]):
    for i in range(6):
        for j in range(14):
            D[i, j] = B[i, j] + B[i + 1, j + 1] * 2 - B[i + 2, j + 2]

@kernel
def chosen(B: i32[8, 16], D: i32[8, 14]):
    for i in range(8):
        if B[i, 0] > 3:
            D[i, 0] = B[i, 1]

@kernel
def cleared(A: i32[8, 16]) -> i32[8, 16]:
    G: i32[8, 16] = 1
    for i in range(7):
        for j in range(16):
            G[i, j] = A[i, j]
    return G
";

fn top(body: &str) -> String {
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "{STAGES}\n@kernel\ndef top(A: i32[8, 16], C: i32[8, 16], D: i32[8, 14]) -> i32:\n    B: i32[8, 16]\n{lines}\n"
    )
}

fn streams(compiled: &Compilation) -> usize {
    let Some((network, _)) = &compiled.network else {
        return 0;
    };
    let arrays = network.kernel.arrays.values();
    arrays.filter(|array| array.stream.is_some()).count()
}

/// Cycles of an invocation by itself, the most of those that were checked.
fn cycles(compiled: &Compilation) -> u64 {
    match &compiled.checked {
        Checked::Runs(runs) | Checked::Proven(runs) => runs.alone.expect("one came to its end").1,
        other => panic!("{other}"),
    }
}

#[test]
fn arrays_that_are_read_as_they_are_written_become_streams() {
    for (body, lines) in [
        (
            "rows(A, B)\nreturn total(B)",
            "s.streamline(\"rows\", \"total\")",
        ),
        (
            "columns(A, B)\nupwards(B, C)\nreturn 1",
            "s.streamline(s.op(\"columns\"), s.op(\"upwards\"), depth=7)",
        ),
        // Each reader has all.
        (
            "rows(A, B)\nblur(B, D)\nreturn total(B)",
            "s.streamline(\"rows\", [\"blur\", \"total\"])",
        ),
        // Windows along a row, and of rows.
        (
            "rows(A, B)\nblur(B, D)\nreturn 1",
            "s.streamline(\"rows\", \"blur\")",
        ),
        (
            "rows(A, B)\ncorner(B, D)\nreturn 1",
            "s.streamline(\"rows\", \"corner\")",
        ),
        // Blocks of several, in the order of the text or another one.
        (
            "upper(A, B)\nlower(A, B)\nreturn total(B)",
            "s.streamline([\"lower\", \"upper\"], \"total\")",
        ),
        // A result, and one of two calls.
        (
            "rows(A, B)\nrows(A, C)\nreturn total(B)",
            "s.streamline(\"rows\", \"total\", producer_ids=[0])",
        ),
        // The consumer of one stream is the producer of the next.
        (
            "E: i32[8, 16]\nrows(A, B)\nrows(B, E)\nreturn total(E)",
            "s.streamline(\"rows\", \"rows\", producer_ids=[0], consumer_ids=[1])\n\
             s.streamline(\"rows\", \"total\", producer_ids=[1])",
        ),
        (
            "E = plain(A)\nreturn total(E)",
            "s.streamline(\"plain\", \"total\")",
        ),
        // Banks that there are no more.
        (
            "rows(A, B)\nreturn total(B)",
            "s.partition(\"total/B\", kind=s.Cyclic, factor=2)\ns.streamline(\"rows\", \"total\")",
        ),
        (
            "rows(A, B)\nreturn total(B)",
            "s.partition(\"top/B\", kind=s.Block, factor=2)\ns.streamline(\"rows\", \"total\")",
        ),
    ] {
        let text = top(body);
        let compiled = scheduled(&text, lines);
        let merged = usize::from(body.contains("upper"));
        let wanted = lines.matches("streamline").count() + 2 * merged;
        assert_eq!(streams(&compiled), wanted, "{body}");
    }
}

/// Neighbours go side by side, from one, from several, to several.
#[test]
fn lanes_are_streams_of_their_own() {
    let banks = "s.partition(\"top/A\", kind=s.Cyclic, factor=4, dim=2)";
    let halves = "s.partition(\"top/A\", kind=s.Block, factor=2, dim=1)";
    for (body, lines, count, most) in [
        (
            "rows(A, B)\nreturn total(B)",
            format!("{banks}\ns.streamline(\"rows\", \"total\", lanes=4)"),
            4,
            60,
        ),
        (
            "rows(A, B)\nreturn total(B)",
            "s.streamline(\"rows\", \"total\", lanes=2, depth=5)".to_string(),
            2,
            90,
        ),
        // The interval is that of iterations with an element in each lane.
        (
            "rows(A, B)\nreturn total(B)",
            format!("{banks}\ns.pipeline(\"rows/j\")\ns.streamline(\"rows\", \"total\", lanes=4)"),
            4,
            60,
        ),
        (
            "rows(A, B)\nblur(B, D)\nreturn 1",
            "s.streamline(\"rows\", \"blur\", lanes=2)".to_string(),
            2,
            90,
        ),
        (
            "upper(A, B)\nlower(A, B)\nblur(C, D)\nreturn total(B)",
            format!("{halves}\ns.streamline([\"upper\", \"lower\"], \"total\", lanes=2)"),
            6,
            180,
        ),
    ] {
        let compiled = scheduled(&top(body), &lines);
        assert_eq!(streams(&compiled), count, "{body}");
        let cycles = cycles(&compiled);
        assert!(cycles <= most, "{body}: {cycles}");
    }
}

/// What is said of a loop is said of the one that has an element in each lane.
#[test]
fn an_interval_is_that_of_all_lanes() {
    let lines = "s.pipeline(\"rows/j\", ii=5)\ns.streamline(\"rows\", \"total\", lanes=4)";
    let compiled = scheduled(&top("rows(A, B)\nreturn total(B)"), lines);
    let mut loops = compiled.manifest.loops.iter();
    assert!(loops.any(|one| one.ii == Some(5)));
}

#[test]
fn streams_let_stages_overlap() {
    let text = top("rows(A, B)\nreturn total(B)");
    let apart = cycles(&scheduled(&text, "pass"));
    let together = cycles(&scheduled(&text, "s.streamline(\"rows\", \"total\")"));
    assert!(together < 150 && apart > 180, "{apart} {together}");
}

/// Through a window that moves along both axes each element is read once, from a buffer no longer than from the first to the last
/// element of the window.
#[test]
fn a_window_in_a_plane_is_a_line_buffer() {
    let text = top("rows(A, B)\ncorner(B, D)\nreturn 1");
    let apart = cycles(&scheduled(&text, "pass"));
    let compiled = scheduled(&text, "s.streamline(\"rows\", \"corner\")");
    assert_eq!(streams(&compiled), 1);
    let together = cycles(&compiled);
    assert!(
        together < 8 * 16 + 40 && together < apart,
        "{apart} {together}"
    );
}

#[test]
fn what_is_not_read_as_it_is_written_is_refused() {
    for (body, lines, message) in [
        (
            "columns(A, B)\nreturn total(B)",
            "s.streamline(\"columns\", \"total\")",
            "'B': element [0, 0] is read when [7, 0] is written, after 0 others",
        ),
        (
            "rows(A, B)\nchosen(B, D)\nreturn 1",
            "s.streamline(\"rows\", \"chosen\")",
            "'B': whether it is accessed here depends on the data",
        ),
        (
            "t = total(B)\nrows(A, B)\nreturn t",
            "s.streamline(\"rows\", \"total\")",
            "'B' is read here, before it is written",
        ),
        (
            "E = cleared(A)\nreturn total(E)",
            "s.streamline(\"cleared\", \"total\")",
            "'cleared' fills it, and does not overwrite all of it",
        ),
        (
            "rows(A, B)\nC[0, 0] = B[1, 1]\nreturn total(B)",
            "s.streamline(\"rows\", \"total\")",
            "'B' is used here, too",
        ),
        (
            "rows(A, C)\nreturn total(C)",
            "s.streamline(\"rows\", \"total\")",
            "there is no array between these calls",
        ),
        (
            "rows(A, B)\nreturn total(B) + total(B)",
            "s.streamline(\"rows\", \"total\")",
            "'top' calls 'total' 2 times: an id says which is meant",
        ),
        (
            "rows(A, B)\nfor n in range(2):\n    blur(B, D)\nreturn 1",
            "s.streamline(\"rows\", \"blur\")",
            "'blur' is called in a loop or branch of 'top', not at the top level",
        ),
        (
            "rows(A, B)\nreturn total(B)",
            "s.streamline(\"rows\", \"total\", lanes=3)",
            "'B': in 3 lanes: its rows are not walked along from a multiple of the lanes on",
        ),
        (
            "columns(A, B)\nupwards(B, C)\nreturn 1",
            "s.streamline(\"columns\", \"upwards\", lanes=2)",
            "'B': in 2 lanes: its rows are not walked along from a multiple of the lanes on",
        ),
        (
            "lower(A, B)\nlower_still(A, B)\nreturn total(B)",
            "s.streamline([\"lower\", \"lower_still\"], \"total\")",
            "'B': what this writes does not begin where the block before it ends",
        ),
        (
            "upper(A, B)\nlower_still(A, B)\nreturn total(B)",
            "s.streamline([\"upper\", \"lower_still\"], \"total\")",
            "'B': what this writes does not begin where the block before it ends",
        ),
        (
            "upper(A, B)\ns = total(B)\nlower(A, B)\nreturn s",
            "s.streamline([\"upper\", \"lower\"], \"total\")",
            "'B' is read here, before it is written",
        ),
    ] {
        let why = scheduled_or(&top(body), lines).expect_err(lines);
        assert!(why.contains(message), "{lines}: {why}");
    }
}
