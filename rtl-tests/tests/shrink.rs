//! The minimiser: random kernels with a planted property or fault become a few lines that still have it.

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::Compilation;
use allo_hls::frontend;
use allo_hls::ir::{BinaryOp, OpKind, Program};
use allo_hls::levels::Level;
use allo_hls::rtl::netlist::{CompareOp, Expr, Item};
use allo_hls::sim::value::Signature;
use allo_hls::sim::vectors;
use rtl_tests::fuzz::{self, Setting};
use rtl_tests::generate;
use rtl_tests::shrink::shrink;

/// The program of a valid text.
fn program(text: &str) -> Option<Program> {
    let mut sources = SourceMap::default();
    let file = sources.add("kernel.py", text);
    let compiled = frontend::compile(&mut sources, file, Some("top")).ok()?;
    Some(compiled.program)
}

/// Whether an operation of a kernel is such.
fn has(text: &str, wanted: impl Fn(&Program, usize, &OpKind) -> bool) -> bool {
    let Some(program) = program(text) else {
        return false;
    };
    let mut found = false;
    for (number, (_, kernel)) in program.kernels.iter().enumerate() {
        kernel
            .body
            .for_each_op(&mut |op| found |= wanted(&program, number, &op.kind));
    }
    found
}

/// What becomes of the first kernels that have a property.
#[track_caller]
fn shrinks_to(lines: usize, has: impl Fn(&str) -> bool) {
    let mut tried = 0;
    for seed in 1..400 {
        let kernel = generate::kernel(seed);
        // An empty file comes to nothing, however it shrinks.
        if kernel.text.lines().count() < 15 || !has(&kernel.text) {
            continue;
        }
        let small = shrink(&kernel.text, 20_000, &mut |text| has(text));
        assert!(has(&small), "seed {seed}:\n{small}");
        let left = small.lines().filter(|line| !line.trim().is_empty()).count();
        assert!(left <= lines, "seed {seed}, {left} lines:\n{small}");
        tried += 1;
        if tried == 4 {
            return;
        }
    }
    panic!("{tried} kernels have the property");
}

#[test]
fn a_remainder_stays_alone() {
    let remainder = |_: &Program, _, kind: &OpKind| {
        matches!(
            kind,
            OpKind::Binary {
                op: BinaryOp::Mod,
                ..
            }
        )
    };
    // Where it is the condition of a branch, that has a body; where it is of an array of a kernel that is called, there are two.
    shrinks_to(8, |text| has(text, remainder));
}

#[test]
fn a_store_in_two_loops_keeps_the_loops() {
    let nested = |_: &Program, _, kind: &OpKind| {
        let mut found = false;
        if let OpKind::For(outer) = kind {
            outer.body.for_each_op(&mut |op| {
                if let OpKind::For(inner) = &op.kind {
                    let store = |kind: &OpKind| matches!(kind, OpKind::Store { .. });
                    inner.body.for_each_op(&mut |op| found |= store(&op.kind));
                }
            });
        }
        found
    };
    shrinks_to(7, |text| has(text, nested));
}

/// The called kernel loses what the property does not need, and every call with it.
#[test]
fn a_call_with_an_array_keeps_two_kernels() {
    let call = |program: &Program, _, kind: &OpKind| match kind {
        OpKind::Call(call) => {
            let args = &program.kernels[call.kernel].params;
            args.iter()
                .any(|param| matches!(param, allo_hls::ir::Param::Array(_)))
        }
        _ => false,
    };
    shrinks_to(9, |text| has(text, call));
}

/// Widths come down to where the property is lost.
#[test]
fn a_width_becomes_as_small_as_it_may() {
    let wide = |program: &Program, number: usize, kind: &OpKind| match kind {
        OpKind::Binary {
            op: BinaryOp::Mul,
            lhs,
            ..
        } => {
            let (_, kernel) = program.kernels.iter().nth(number).expect("a kernel");
            kernel.values[*lhs].ty.width() > 40
        }
        _ => false,
    };
    shrinks_to(6, |text| has(text, wide));
}

/// Makes comparisons of signed numbers unsigned.
fn damage(compilation: &mut Compilation) -> bool {
    let mut damaged = false;
    for module in compilation.design.modules.values_mut() {
        for item in &mut module.items {
            if let Item::Assign {
                expr:
                    Expr::Compare {
                        signed: signed @ true,
                        op: CompareOp::Lt | CompareOp::Gt | CompareOp::Le | CompareOp::Ge,
                        ..
                    },
                origin: Some(_),
                ..
            } = item
            {
                *signed = false;
                damaged = true;
            }
        }
    }
    damaged
}

fn goes_wrong(text: &str) -> bool {
    let setting = Setting {
        steps: fuzz::STEPS,
        period: 10.0,
        skip: Vec::new(),
        seed: 1,
        vectors: 4,
        directed: false,
        level: Level::One,
    };
    let Ok(mut compilation) = fuzz::compile(text, "top", &setting) else {
        return false;
    };
    let inputs = vectors::generate(&Signature::of(&compilation.program), 4, 1);
    damage(&mut compilation) && fuzz::compare_on(&compilation, &inputs, 1, 1_000).is_err()
}

#[test]
fn a_planted_fault_of_the_netlist_is_found_and_shrunk() {
    let seed = (1..200).find(|&seed| goes_wrong(&generate::kernel(seed).text));
    let kernel = generate::kernel(seed.expect("a kernel that shows the fault"));
    let small = shrink(&kernel.text, 3_000, &mut goes_wrong);
    assert!(goes_wrong(&small));
    let left = small.lines().filter(|line| !line.trim().is_empty());
    assert!(left.count() <= 8, "{small}");
}
