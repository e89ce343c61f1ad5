//! Examples and small kernels in the in-process engine, beside the reference. No tool is needed.

use crate::{planted, support};
use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Compilation, Target};
use allo_hls::progress::Progress;
use allo_hls::rtl::netlist::{BinaryOp, CompareOp, Expr, Item, Operand, Register};
use allo_hls::sim::cosim::{self, CosimError, CosimOptions, FailureKind, Report};
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::selfcheck::{self, Budget, Checked};
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
fn operations_on_constants_have_no_operators() {
    let path = support::root("tests/kernels/operations_on_constants.py");
    let compiled = compile(&path, Some("top"), 10.0);
    assert_eq!(compiled.design.modules.len(), 1);
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

/// Kernels of elementary functions: activations, norms, rotations, prices, attention.
#[test]
fn programs_of_functions_compute_what_the_reference_does() {
    let path = support::root("tests/functions.py");
    let tops = [
        ("gelu", 4),
        ("gelu_tanh", 4),
        ("layer_norm", 4),
        ("black_scholes", 4),
        ("rotary", 4),
        ("twiddles", 4),
        ("attention", 1),
    ];
    for (top, vectors) in tops {
        let compiled = compile(&path, Some(top), 10.0);
        let report = simulate(&compiled, vectors);
        let report = report.unwrap_or_else(|e| panic!("{top}: {}", e.to_diagnostic().message));
        assert!(report.compared > 0, "{top}");
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

fn checked(compiled: &Compilation, millions: u64) -> Result<Checked, CosimError> {
    let (design, manifest) = (&compiled.design, &compiled.manifest);
    selfcheck::check(
        &compiled.program,
        &compiled.kernel,
        design,
        manifest,
        Budget::millions(millions),
        &Progress::default(),
    )
}

fn example(name: &str) -> Compilation {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    compile(
        &folder.join(format!("{name}.py")),
        (name == "called").then_some("called"),
        10.0,
    )
}

/// The check after a build sees most faults of the netlist within a part of what it may take by default. Some change
/// nothing: an enable of a register that nobody reads later, a condition that holds anyway while ap_start waits. Of long kernels
/// (`matmul_tile`) the budget reaches the first cycles, in which nothing is stored.
#[test]
fn the_check_after_a_build_sees_planted_faults() {
    let (mut seen, mut missed) = (0, Vec::new());
    for path in support::files("examples", "py") {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let mut compiled = example(&name);
        let right = checked(&compiled, 4).map_err(|error| error.to_diagnostic());
        let Ok(Checked::Runs(runs)) = right else {
            panic!("{name}: {right:?}");
        };
        assert!(runs.cycles > 0, "{name}");
        let faults: Vec<_> = planted::all(&compiled.design).collect();
        let step = (faults.len() / 8).max(1);
        for (number, (text, fault)) in faults.into_iter().enumerate().step_by(step) {
            compiled.design = fault;
            match checked(&compiled, 8) {
                Err(CosimError::Failure(_) | CosimError::Engine(_)) => seen += 1,
                Ok(_) => missed.push(format!("{name} {number}: {text}")),
                Err(error) => panic!("{name} {number}: {error:?}"),
            }
        }
    }
    println!("{seen} seen, {} missed: {missed:#?}", missed.len());
    assert!(
        seen > 100 && 2 * seen > 7 * missed.len(),
        "{seen}, {missed:?}"
    );
}

/// A sum that is 0 where a register, which nothing ever sets, holds one of eight values. Cases that began alike would see one of them.
#[test]
fn each_case_of_a_check_begins_in_a_state_of_its_own() {
    let compiled = example("scalar_add");
    for value in 0u32..8 {
        let mut spoilt = compiled.clone();
        let top = spoilt.design.top().expect("a top module");
        let module = &mut spoilt.design.modules[top];
        let is_sum = |item: &Item| match item {
            Item::Assign { out, expr, .. } => matches!(
                expr,
                Expr::Binary {
                    op: BinaryOp::Add,
                    ..
                }
            )
            .then_some(*out),
            _ => None,
        };
        let out = module.items.iter().find_map(is_sum).expect("a sum");
        let [sum, never, is_there] = [("sum_1", 32), ("never", 3), ("is_there", 1)]
            .map(|(name, width)| module.net(name, width));
        for item in &mut module.items {
            if let Item::Assign { out: driven, .. } = item
                && *driven == out
            {
                *driven = sum;
            }
        }
        module.items.push(Item::Register(Register {
            out: never,
            next: never.into(),
            enable: None,
            reset: None,
            origin: None,
        }));
        let assigned = [
            (
                is_there,
                Expr::Compare {
                    op: CompareOp::Eq,
                    signed: false,
                    lhs: never.into(),
                    rhs: Operand::constant(3, value),
                },
            ),
            (
                out,
                Expr::Mux {
                    cond: is_there.into(),
                    on_true: Operand::constant(32, 0u32),
                    on_false: sum.into(),
                },
            ),
        ];
        module
            .items
            .extend(assigned.map(|(out, expr)| Item::Assign {
                out,
                expr,
                origin: None,
            }));
        let found = checked(&spoilt, 4);
        assert!(
            matches!(found, Err(CosimError::Failure(_))),
            "{value}: {found:?}"
        );
    }
}

/// A module of which a cycle takes a good part of the budget is not even prepared, which is said.
#[test]
fn a_module_that_is_too_large_to_run_is_not_checked() {
    let lines = "    x = x * s + c\n".repeat(1900);
    let text = format!(
        "from allo import f32, kernel\n@kernel\ndef top(x: f32, s: f32, c: f32) -> f32:\n{lines}    return x\n"
    );
    let mut sources = SourceMap::default();
    let file = sources.add("long.py", text);
    let target = Target::new("ecp5", 10.0).expect("a built-in device");
    let compiled = driver::compile(&mut sources, file, None, &target).expect("compiles");
    let items = compiled.design.flat_items();
    assert!((62_500..1_250_000).contains(&items), "{items}");
    match checked(&compiled, 1) {
        Ok(Checked::Not(why)) => assert!(why.starts_with("it is too large"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(checked(&compiled, 20), Ok(Checked::Runs(_))));
}

/// An array of 10^8 elements costs what is touched: the beginning of the run is compared.
#[test]
fn a_large_kernel_is_checked_as_far_as_the_budget_goes() {
    let text = "from allo import i32, kernel\n@kernel\ndef top(x: i32[100000000], out: i32[100000000]):\n    \
                for i in range(100000000):\n        out[i] = x[99999999 - i] * 3\n";
    let mut sources = SourceMap::default();
    let file = sources.add("large.py", text);
    let target = Target::new("ecp5", 10.0).expect("a built-in device");
    let mut compiled = driver::compile(&mut sources, file, None, &target).expect("compiles");
    let Ok(Checked::Runs(runs)) = checked(&compiled, 4) else {
        panic!("the module is right");
    };
    assert!(
        runs.whole == 0 && runs.parts > 1 && runs.cycles > 1000,
        "{runs:?}"
    );
    let again = checked(&compiled, 4);
    assert_eq!(again.ok(), Some(Checked::Runs(runs)));
    let right = compiled.design.clone();
    let (mut seen, mut missed) = (0, Vec::new());
    for (text, fault) in planted::all(&right) {
        compiled.design = fault;
        match checked(&compiled, 4) {
            Err(_) => seen += 1,
            Ok(_) => missed.push(text),
        }
    }
    // How the end of the loop is found cannot be seen.
    assert!(seen > missed.len(), "{seen}, {missed:#?}");
}

/// Clearing an array of 10^8 elements takes the reference a step for each, and none of the budget.
#[test]
fn an_array_that_is_never_cleared_leaves_time_for_the_module() {
    let text = "from allo import i32, kernel\n@kernel\ndef top(x: i32) -> i32:\n    \
                a: i32[100000000] = 0\n    a[x & 7] = x\n    return a[3]\n";
    let mut sources = SourceMap::default();
    let file = sources.add("cleared.py", text);
    let target = Target::new("ecp5", 10.0).expect("a built-in device");
    let compiled = driver::compile(&mut sources, file, None, &target).expect("compiles");
    let Ok(Checked::Runs(runs)) = checked(&compiled, 1) else {
        panic!("the module is right");
    };
    assert!(runs.parts > 1 && runs.cycles > 1000, "{runs:?}");
}

#[test]
fn what_a_check_finds_is_an_internal_error_at_a_line() {
    let mut compiled = example("saxpy_i32");
    let faults: Vec<_> = planted::all(&compiled.design).collect();
    let mut located = 0;
    for (_, fault) in faults {
        compiled.design = fault;
        if let Err(error) = checked(&compiled, 4) {
            let found =
                selfcheck::internal_error(error.to_diagnostic(), compiled.kernel.span.into());
            assert_eq!(found.code, "E1212");
            assert!(found.message.starts_with("internal: "), "{}", found.message);
            assert!(found.span.is_some() && found.help.is_some());
            let has_inputs = found
                .notes
                .iter()
                .any(|(_, note)| note.starts_with("inputs: {"));
            assert!(has_inputs, "{found:?}");
            located += usize::from(found.message.contains("mismatch"));
        }
    }
    assert!(located > 2);
}
