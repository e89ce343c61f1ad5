//! The in-process engine beside Verilator: the same outputs, writes and cycles of every example; waveforms of both.

use allo_hls::diagnostics::SourceMap;
use allo_hls::driver::{self, Target};
use allo_hls::levels::Level;
use allo_hls::sim::cosim::{self, CosimOptions};
use allo_hls::sim::elements::Invocation;
use allo_hls::sim::inprocess::Netlist;
use allo_hls::sim::model::{Engine, Run, SimOptions, Unknown};
use allo_hls::sim::reference;
use allo_hls::sim::value::Signature;
use allo_hls::sim::vectors;
use allo_hls::sim::verilator::{Verilated, Verilator};
use allo_hls::sim::waveform::Names;
use rtl_tests::examples::{self, EXAMPLES};
use rtl_tests::fuzz::{self, Setting, Verdict};

fn engines(compiled: &allo_hls::driver::Compilation) -> (Netlist, Verilated) {
    let verilator = Verilator::find().unwrap_or_else(|e| panic!("{e:?}"));
    let names = Names::of(&compiled.design);
    let text = compiled.systemverilog();
    let verilated = verilator.engine(&compiled.manifest, &text, &names);
    let netlist = Netlist::new(&compiled.design, &compiled.manifest);
    (
        netlist.unwrap_or_else(|e| panic!("{e:?}")),
        verilated.unwrap_or_else(|e| panic!("{e:?}")),
    )
}

/// An input on which the reference ends soon.
fn short_input(program: &allo_hls::ir::Program, number: u64) -> Invocation {
    let options = reference::Options {
        step_limit: 400_000,
        ..reference::Options::default()
    };
    let signature = Signature::of(program);
    let mut attempts = (0..10).map(|attempt| vectors::invocation(&signature, 5, number, attempt));
    let short = attempts.find(|input| reference::run(program, input, &options).is_ok());
    short.expect("small inputs take few steps")
}

/// Timing, results, memories and every write with its cycle, in chains with and without gaps, after a reset in
/// the middle too. What is unknown is 0 in both, so that even unspecified values are alike.
#[test]
fn both_engines_do_the_same_in_every_cycle_of_every_example() {
    for example in EXAMPLES {
        let compiled = example.compile(10.0);
        let (netlist, verilated) = engines(&compiled);
        let signature = Signature::of(&compiled.program);
        let inputs: Vec<_> = (0..8).map(|n| short_input(&compiled.program, n)).collect();
        let small: Vec<_> = inputs.iter().step_by(4).collect();
        let limit = 400_000;
        let mut runs: Vec<Run> = inputs
            .iter()
            .map(|input| Run::of(&signature, [(input, 0)], limit))
            .collect();
        // Big examples in fewer ways.
        runs.truncate(example.vectors.min(8));
        runs.push(Run::of(&signature, small.iter().map(|i| (*i, 0)), limit));
        if example.vectors > 2 {
            runs.push(Run::of(&signature, small.iter().map(|i| (*i, 3)), limit));
        }
        let mut stopped = runs[0].clone();
        stopped.reset_after = Some(7);
        runs.push(stopped);
        let options = SimOptions {
            unknown: Unknown::Zero,
            record: true,
            ..SimOptions::default()
        };
        let ours = netlist
            .run(&runs, &options)
            .unwrap_or_else(|e| panic!("{e:?}"));
        let theirs = verilated
            .run(&runs, &options)
            .unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(ours.len(), runs.len(), "{}", example.file);
        for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert!(!ours.timed_out && ours.violations.is_empty(), "{ours:?}");
            assert!(ours == theirs, "{}, run {number}", example.file);
        }
    }
}

#[test]
fn co_simulation_says_the_same_with_both_engines() {
    for name in ["classify", "count", "fir", "histogram", "saxpy_f32"] {
        let example = examples::find(name);
        let compiled = example.compile(10.0);
        let (netlist, verilated) = engines(&compiled);
        let options = CosimOptions {
            vectors: 6,
            seed: 3,
            ..CosimOptions::default()
        };
        let report = |engine: &dyn Engine, threads| {
            let options = CosimOptions {
                threads,
                ..options.clone()
            };
            let (program, manifest) = (&compiled.program, &compiled.manifest);
            cosim::cosim_on(engine, program, manifest, &options, &|_, _| ())
                .unwrap_or_else(|e| panic!("{name}: {e:?}"))
        };
        let wanted = report(&netlist, 1);
        assert!(wanted.compared > 0);
        assert_eq!(wanted, report(&netlist, 3), "{name}");
        assert_eq!(wanted, report(&verilated, 2), "{name}");
    }
}

/// Queues of tables, with a register before them or block memory behind, full and empty; on a device without memory of
/// tables, too.
#[test]
fn queues_of_each_kind_do_the_same_in_both_engines() {
    let path = examples::folder().join("../tests/networks/queues_of_each_kind.py");
    let text = std::fs::read_to_string(path).expect("a network");
    for (device, kinds) in [
        ("ecp5", ["queue_17x32", "queue_32x32", "queue_48x64"]),
        ("ice40up", ["queue_20x32", "queue_36x32", "queue_68x64"]),
    ] {
        let mut sources = SourceMap::default();
        let file = sources.add("queues.py", text.as_str());
        let target = Target::new(device, 50.0).expect("a device");
        let compiled = driver::compile(&mut sources, file, Some("top"), &target);
        let compiled = compiled.expect("hardware");
        for kind in kinds {
            let mut modules = compiled.design.modules.values();
            assert!(modules.any(|module| module.name == kind), "{kind}");
        }
        let (netlist, verilated) = engines(&compiled);
        let report = |engine: &dyn Engine| {
            let options = CosimOptions {
                vectors: 6,
                ..CosimOptions::default()
            };
            let (program, manifest) = (&compiled.program, &compiled.manifest);
            cosim::cosim_on(engine, program, manifest, &options, &|_, _| ())
                .unwrap_or_else(|e| panic!("{device}: {e:?}"))
        };
        assert_eq!(report(&netlist), report(&verilated), "{device}");
    }
}

/// More elements of a stream than a bench holds for short runs.
#[test]
fn streams_of_many_elements_run_in_verilator() {
    let text = "
from allo import *

@kernel
def top(a: Stream[i32, 4], b: Stream[i32, 4]):
    for i in range(70000):
        b.put(a.get())
";
    let setting = Setting {
        period: 10.0,
        skip: Vec::new(),
        seed: 1,
        vectors: 2,
        directed: false,
        level: Level::One,
        steps: fuzz::STEPS,
    };
    match fuzz::check_in_verilator(text, "top", &setting) {
        Verdict::Right(compared) => assert!(compared > 250_000, "{compared}"),
        other => panic!("{other:?}"),
    }
}

/// Behind a reset the module loads what it keeps, in the waveform as elsewhere.
#[test]
fn waveforms_of_what_keeps_something_are_written() {
    let text = "from allo import *\n\n@kernel\ndef top(x: \"i32[4]\") -> i32:\n    c: Stateful[i32[4]] = [1, 2, 3, 4]\n    \
                for i in range(4):\n        c[i] += x[i]\n    return c[3]\n";
    let mut sources = SourceMap::default();
    let file = sources.add("state.py", text);
    let target = Target::new("ecp5", 10.0).expect("a device");
    let compiled = driver::compile(&mut sources, file, Some("top"), &target).expect("hardware");
    let (netlist, verilated) = engines(&compiled);
    let signature = Signature::of(&compiled.program);
    let inputs = vectors::generate(&signature, 1, 5);
    let run = Run::of(&signature, [(&inputs[0], 0)], 1000);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let engines: [&dyn Engine; 2] = [&netlist, &verilated];
    for engine in engines {
        let options = SimOptions {
            waveform: Some(folder.path().join("wave.fst")),
            ..SimOptions::default()
        };
        let traced = engine.trace(&run, &options);
        traced.unwrap_or_else(|e| panic!("{e:?}"));
    }
}

/// FST from both engines, read back by an independent reader: Python names with their lines, and the value of
/// `ap_done` in its cycle.
#[test]
fn waveforms_name_the_source_and_show_the_same() {
    let compiled = examples::find("saxpy_i32").compile(10.0);
    let (netlist, verilated) = engines(&compiled);
    let signature = Signature::of(&compiled.program);
    let inputs = vectors::generate(&signature, 1, 5);
    let run = Run::of(&signature, [(&inputs[0], 0)], 1000);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let mut done_changes = Vec::new();
    let engines: [(&str, &dyn Engine); 2] = [("rtl", &netlist), ("verilator", &verilated)];
    for (name, engine) in engines {
        let path = folder.path().join(format!("{name}.fst"));
        let options = SimOptions {
            waveform: Some(path.clone()),
            ..SimOptions::default()
        };
        engine
            .trace(&run, &options)
            .unwrap_or_else(|e| panic!("{e:?}"));
        let mut wave = wellen::simple::read(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let hierarchy = wave.hierarchy();
        let vars = || hierarchy.all_vars().map(|var| &hierarchy[var]);
        let names: Vec<&str> = vars().map(|var| var.name(hierarchy)).collect();
        assert!(names.contains(&"i_t4@12"), "{name}: {names:?}");
        let done = vars().filter(|var| var.name(hierarchy) == "ap_done");
        let done = done.last().expect("ap_done is a signal").signal_ref();
        wave.load_signals(&[done]);
        let times = wave.time_table().to_vec();
        let signal = wave.get_signal(done).expect("loaded");
        // Cycles in which it becomes 1.
        let rises: Vec<u64> = signal
            .iter_changes()
            .filter(|(_, value)| value.to_bit_string().as_deref() == Some("1"))
            .map(|(at, _)| times[at as usize] / 2)
            .collect();
        done_changes.push(rises);
    }
    // Verilator shows the new value at the edge that makes it, the in-process simulator in the cycle after.
    assert_eq!(done_changes[0].len(), 1);
    assert_eq!(
        done_changes[0][0],
        done_changes[1][0] + 1,
        "{done_changes:?}"
    );
}
