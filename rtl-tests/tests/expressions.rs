//! Every kind of expression at many widths: the emitted text and the simulators against exact integers.

use allo_hls::rtl::netlist::*;
use allo_hls::rtl::validate;
use num_bigint::BigUint;
use rtl_tests::bench::{Bench, Env, Trace};
use rtl_tests::expressions::Suite;
use rtl_tests::lint;

const TOP: &str = "expressions";

fn bench(suite: &Suite, vectors: usize) -> Bench {
    Bench::new(suite.design.clone(), suite.vectors(vectors))
}

#[test]
fn the_suite_is_valid() {
    let suite = Suite::new();
    validate::validate(&suite.design).expect("a valid netlist");
}

#[test]
fn the_in_process_simulator_agrees() {
    let suite = Suite::new();
    let bench = bench(&suite, 100);
    compare(&suite, &bench, &bench.in_process());
}

#[test]
fn verilator_agrees_and_has_no_complaint() {
    let suite = Suite::new();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(&suite, 40);
    bench.write(folder.path());
    lint::verilator(folder.path(), &bench.file(), TOP).expect("a clean lint");
    if let Some(trace) = bench.verilator(folder.path()) {
        compare(&suite, &bench, &trace);
    }
}

#[test]
fn icarus_agrees() {
    let suite = Suite::new();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(&suite, 40);
    if let Some(trace) = bench.icarus(folder.path()) {
        compare(&suite, &bench, &trace);
    }
}

#[test]
fn yosys_synthesises() {
    let suite = Suite::of_widths(&[1, 5]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = bench(&suite, 0);
    bench.write(folder.path());
    lint::yosys(folder.path(), &bench.file(), TOP).expect("synthesis");
}

fn compare(suite: &Suite, bench: &Bench, trace: &Trace) {
    for (env, outputs) in bench.vectors.iter().zip(trace) {
        for (case, found) in suite.cases.iter().zip(outputs) {
            assert_eq!(
                *found,
                suite.expected(case, env),
                "{case:?} at {:x?}",
                operands(suite, case.expr.operands(), env),
            );
        }
    }
}

fn operands(suite: &Suite, operands: Vec<Operand>, env: &Env) -> Vec<(u32, BigUint)> {
    let value = |operand: Operand| match operand {
        Operand::Net(net) => (suite.module().nets[net].width, env[&net].clone()),
        Operand::Const { width, value } => (width, value),
    };
    operands.into_iter().map(value).collect()
}
