//! Examples and small kernels in the in-process engine, beside the reference. No tool is needed.

use crate::support;
use allo_hls::driver::Compilation;
use allo_hls::rtl::netlist::{BinaryOp, Expr, Item};
use allo_hls::sim::cosim::{self, CosimError, CosimOptions, FailureKind, Report};
use allo_hls::sim::inprocess::Netlist;
use std::path::Path;

fn compile(path: &Path, top: Option<&str>, period: f64) -> Compilation {
    support::ecp5(&support::read(path), top, period)
}

fn simulate(compiled: &Compilation, vectors: usize) -> Result<Report, CosimError> {
    let engine = Netlist::new(&compiled.design, &compiled.manifest)?;
    let options = CosimOptions {
        vectors,
        ..CosimOptions::default()
    };
    let (program, manifest) = (&compiled.program, &compiled.manifest);
    cosim::cosim_on(&engine, program, manifest, &options, &|_, _| ())
}

fn assert_right(path: &Path, top: Option<&str>, vectors: usize) {
    for period in [10.0, 4.0] {
        let compiled = compile(path, top, period);
        match simulate(&compiled, vectors) {
            Ok(report) => assert!(report.compared > 0, "{}", path.display()),
            Err(error) => {
                let diagnostic = error.to_diagnostic();
                let notes: Vec<&str> = diagnostic.notes.iter().map(|n| n.1.as_str()).collect();
                panic!(
                    "{} at {period} ns: {}\n{}",
                    path.display(),
                    diagnostic.message,
                    notes.join("\n")
                );
            }
        }
    }
}

/// Kernels each of which is made to show one kind of mistake.
#[test]
fn kernels_compute_what_the_reference_does() {
    for path in support::files("tests/kernels", "py") {
        assert_right(&path, Some("top"), 12);
    }
}

#[test]
fn examples_compute_what_the_reference_does() {
    for path in support::files("examples", "py") {
        let name = support::stem(&path);
        // The big ones run in the tests of both engines.
        if !name.starts_with("matmul") {
            assert_right(&path, support::top_of(&name), 4);
        }
    }
}

/// A netlist whose sums are differences: found at the first wrong write, with iteration, operation and line.
#[test]
fn the_first_divergence_names_iteration_operation_and_line() {
    let path = support::root("examples/saxpy_i32.py");
    let mut compiled = compile(&path, None, 10.0);
    let mut changed = 0;
    for id in compiled.design.modules.ids() {
        let module = &mut compiled.design.modules[id];
        let widths: Vec<u32> = module.nets.iter().map(|(_, net)| net.width).collect();
        for item in &mut module.items {
            if let Item::Assign { out, expr, .. } = item
                && let Expr::Binary { op, .. } = expr
                && widths[out.index()] == 32
                && *op == BinaryOp::Add
            {
                *op = BinaryOp::Sub;
                changed += 1;
            }
        }
    }
    assert_eq!(changed, 1);
    let Err(CosimError::Failure(failure)) = simulate(&compiled, 5) else {
        panic!("the fault is seen");
    };
    let FailureKind::Mismatch(mismatch) = &failure.kind else {
        panic!("{failure:?}");
    };
    let first = mismatch.first.as_ref().expect("a first divergence");
    let expected = first.expected.as_ref().expect("a store");
    assert_eq!(first.slot.name, "out");
    assert_eq!(
        expected.iteration,
        [("i".to_string(), first.position as i128)]
    );
    let (name, span) = expected.operation.expect("an operation");
    let text = support::read(&path);
    assert_eq!(name, "add");
    assert_eq!(
        &text[span.start as usize..span.end as usize],
        "a * x[i] + y[i]"
    );
    // In the order of time: nothing was wrong before.
    assert!(first.position <= mismatch.position);
}

#[test]
fn coverage_counts_loops_and_branches() {
    let path = support::root("tests/kernels/no_iterations.py");
    let report = simulate(&compile(&path, Some("top"), 10.0), 12).expect("no difference");
    let most: Vec<(u64, bool)> = report
        .coverage
        .loops
        .values()
        .map(|l| (l.most, l.empty > 0))
        .collect();
    assert_eq!((most[0], most[2]), ((0, true), (0, true)));
    assert!(most[1].0 > 0);
    let path = support::root("tests/kernels/conditional_element.py");
    let report = simulate(&compile(&path, Some("top"), 10.0), 12).expect("no difference");
    assert_eq!(report.coverage.directions(), (6, 6));
    assert_eq!(report.resets, 4);
}
