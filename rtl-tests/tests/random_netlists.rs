//! Random netlists: the in-process simulator, Verilator and Icarus agree cycle by cycle, and no tool complains.

use allo_hls::rtl::replicas::{self, Readers};
use allo_hls::rtl::{clean, validate};
use rtl_tests::bench::{Bench, Trace};
use rtl_tests::{lint, random};

const SIZE: usize = 120;
const CYCLES: usize = 200;
/// Memory reads and pipelines are known from here on.
const KNOWN: usize = 6;

fn benches(count: u64) -> impl Iterator<Item = (u64, Bench)> {
    (1..=count).map(|seed| (seed, random::bench(seed, SIZE, CYCLES)))
}

fn same(seed: u64, expected: &Trace, found: &Trace) {
    for (cycle, (expected, found)) in expected.iter().zip(found).enumerate().skip(KNOWN) {
        assert_eq!(expected, found, "seed {seed}, cycle {cycle}");
    }
}

#[test]
fn they_are_valid_and_cleaning_changes_nothing() {
    for (seed, bench) in benches(200) {
        validate::validate(&bench.design).expect("a valid netlist");
        let cleaned = clean::clean(&bench.design);
        validate::validate(&cleaned).expect("a valid netlist after cleaning");
        let again = Bench::new(cleaned, bench.vectors.clone());
        assert_eq!(again.text, bench.text, "seed {seed}");
        same(seed, &bench.in_process(), &again.in_process());
    }
}

/// Of registers that are read by more than one, each reader has a copy of its own, whatever it is.
#[test]
fn copies_of_registers_change_nothing() {
    let few = Readers {
        most: 1,
        each: 1,
        most_bits: 1,
        each_bits: 1,
    };
    let mut copies = 0;
    for (seed, bench) in benches(200) {
        let mut design = bench.design.clone();
        replicas::replicate_beyond(&mut design, few, few);
        validate::validate(&design).expect("a valid netlist with copies");
        let modules = design.modules.values();
        copies += modules.map(|module| module.replicas.len()).sum::<usize>();
        let again = Bench::new(design, bench.vectors.clone());
        same(seed, &bench.in_process(), &again.in_process());
    }
    assert!(copies > 200, "{copies}");
}

#[test]
fn verilator_agrees_and_has_no_complaint() {
    for (seed, bench) in benches(4) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        bench.write(folder.path());
        lint::verilator(folder.path(), &bench.file(), "top").expect("a clean lint");
        if let Some(trace) = bench.verilator(folder.path()) {
            same(seed, &bench.in_process(), &trace);
        }
    }
}

#[test]
fn icarus_agrees() {
    for (seed, bench) in benches(20) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        if let Some(trace) = bench.icarus(folder.path()) {
            same(seed, &bench.in_process(), &trace);
        }
    }
}

#[test]
fn yosys_synthesises() {
    for (_, bench) in benches(2) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        bench.write(folder.path());
        lint::yosys(folder.path(), &bench.file(), "top").expect("synthesis");
    }
}
