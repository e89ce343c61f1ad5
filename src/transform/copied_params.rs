//! Arrays outside that are accessed far more often than they have elements are copied to memories inside, which can
//! have as many banks as it takes: the module outside has two ports of each.

use crate::diagnostics::Span;
use crate::ir::analysis::Values;
use crate::ir::analysis::initialised::{Found, follow};
use crate::ir::analysis::touch::{Touched, arrays};
use crate::ir::analysis::trip::Trip;
use crate::ir::*;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Accesses of each element from which on a copy is worth it.
const LEAST: u64 = 8;

/// Iterations of a loop of which the number is not known.
const GUESS: u64 = 64;

/// Copies what is worth it of those that `may` be, of so many bits at most together; the names of these arrays.
pub fn run(kernel: &mut Kernel, mut most_bits: u64, may: impl Fn(ArrayId) -> bool) -> Vec<String> {
    let values = Values::of(kernel);
    let mut counts = BTreeMap::new();
    count(&values, &kernel.body, 1, &mut counts);
    let written = Touched::by_block(&kernel.body).written;
    let mut inside = BTreeMap::new();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut names = Vec::new();
    for (id, count) in counts {
        let array = kernel.arrays[id].clone();
        let bits = array.len().saturating_mul(array.elem.width().into());
        let is_outside = matches!(array.kind, ArrayKind::Param(_)) && array.stream.is_none();
        let is_plain = array.partition.is_empty() && array.tags == ArrayTags::default();
        let often = count / LEAST >= array.len();
        if !is_outside || !is_plain || !often || bits > most_bits || !may(id) {
            continue;
        }
        most_bits -= bits;
        let local = kernel.arrays.push(Array {
            name: format!("{}_inside", array.name),
            kind: ArrayKind::Local,
            ..array.clone()
        });
        let is_read_first = follow(kernel, &values, id, &kernel.body.ops) != Found::All;
        if is_read_first {
            before.push(copy(local, id, array.span));
        }
        if written.contains(&id) {
            after.push(copy(id, local, array.span));
        }
        inside.insert(id, local);
        names.push(array.name);
    }
    kernel
        .body
        .for_each_array(&mut |id| *id = inside.get(id).copied().unwrap_or(*id));
    let body = std::mem::take(&mut kernel.body.ops);
    kernel.body.ops = before.into_iter().chain(body).chain(after).collect();
    names
}

fn copy(dst: ArrayId, src: ArrayId, span: Span) -> Op {
    Op {
        kind: OpKind::Copy { dst, src },
        results: Vec::new(),
        span,
    }
}

/// Adds the accesses of each array by `times` runs of a block.
fn count(values: &Values, block: &Block, times: u64, counts: &mut BTreeMap<ArrayId, u64>) {
    for op in &block.ops {
        if op.kind.element().is_some() {
            let (read, written) = arrays(&op.kind);
            for id in read.into_iter().chain(written) {
                let count = counts.entry(id).or_default();
                *count = count.saturating_add(times);
            }
        }
        let inner = match &op.kind {
            OpKind::For(f) => {
                let trip = Trip::of(f, |value| values.constant(value).cloned());
                trip.map_or(GUESS, |trip| trip.count.to_u64().unwrap_or(u64::MAX))
            }
            OpKind::While(_) => GUESS,
            _ => 1,
        };
        for block in op.kind.blocks() {
            count(values, block, times.saturating_mul(inner), counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::FileId;
    use crate::ir::print::print;
    use crate::ir::read::read;

    const HEAD: &str =
        "%0: index = const 0\n%1: index = const 1\n%4: index = const 4\n%9: index = const 9\n";

    /// What is copied of a kernel of two arrays, and its text afterwards.
    fn copied(body: &str, most_bits: u64) -> (Vec<String>, String) {
        let text = format!("top kernel @f(a: i32[4], b: i32[4]) {{\n{HEAD}{body}\n}}");
        let mut program = read(FileId::default(), &text).expect("a kernel");
        let top = program.top;
        let names = run(&mut program.kernels[top], most_bits, |_| true);
        crate::ir::validate::validate(&program).expect("valid");
        (names, print(&program, None))
    }

    const OFTEN: &str = "for %i = %0 to %9 step %1 label \"i\" {\nfor %j = %0 to %4 step %1 label \"j\" {\n\
                         %v: i32 = load a[%j]\nstore b[%j], %v\n}\n}";

    /// Each element that is read was written before, and one never is.
    const PART: &str = "for %i = %0 to %9 step %1 label \"i\" {\nfor %j = %0 to %3 step %1 label \"j\" {\n\
                        %v: i32 = load a[%j]\nstore b[%j], %v\n%w: i32 = load b[%j]\nstore a[%j], %w\n}\n}";

    #[test]
    fn what_is_written_in_part_keeps_the_rest() {
        let body = format!("%3: index = const 3\n{PART}");
        let (names, text) = copied(&body, 1 << 10);
        assert_eq!(names, ["a", "b"]);
        assert!(text.contains("copy b_inside, b\n"), "{text}");
        assert!(text.contains("copy b, b_inside"), "{text}");
    }

    #[test]
    fn what_is_accessed_often_is_copied_and_what_is_written_is_copied_back() {
        let (names, text) = copied(OFTEN, 1 << 10);
        assert_eq!(names, ["a", "b"]);
        assert!(text.contains("copy a_inside, a"), "{text}");
        assert!(text.contains("copy b, b_inside"), "{text}");
        // All of it is written before it is read.
        assert!(!text.contains("copy b_inside, b\n"), "{text}");
        assert!(text.contains("load a_inside["), "{text}");
    }

    #[test]
    fn what_is_accessed_seldom_or_too_large_stays_outside() {
        let once =
            "for %j = %0 to %4 step %1 label \"j\" {\n%v: i32 = load a[%j]\nstore b[%j], %v\n}";
        assert!(copied(once, 1 << 10).0.is_empty());
        assert_eq!(copied(OFTEN, 200).0, ["a"]);
    }
}
