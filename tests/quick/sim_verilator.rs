//! The Verilator driver on modules written by hand. `ALLO_HLS_SKIP_VERILATOR` skips these tests.

use crate::sim_modules::*;
use allo_hls::ir::{Partition, PartitionKind, Scalar};
use allo_hls::rtl::interface::manifest::*;
use allo_hls::sim::elements::Elements;
use allo_hls::sim::engine::EngineError;
use allo_hls::sim::model::{Engine as _, Model, Run, RunResult, SimOptions, Start};
use allo_hls::sim::value::Value;
use allo_hls::sim::verilator::{Verilator, VerilatorError};
use num_bigint::BigUint;

fn copy_model(verilator: &Verilator, last: &str, done: &str, ready: &str) -> Model {
    let (text, manifest) = copy_module(last, done, ready);
    build(verilator, &manifest, &text)
}

fn numbers(values: &[u64]) -> Vec<BigUint> {
    values.iter().map(|&v| BigUint::from(v)).collect()
}

/// The elements of an array of bytes.
fn bytes(values: &[u64]) -> Elements {
    let ty = Scalar::unsigned(8);
    let value = |&v: &u64| Value::int(ty, v.into());
    Elements::given(ty, values.iter().map(value).collect())
}

fn run(arrays: &[&[u64]], starts: &[(&[u64], u32)]) -> Run {
    let start = |&(scalars, gap): &(&[u64], u32)| Start {
        ends: Vec::new(),
        scalars: numbers(scalars),
        gap,
    };
    Run {
        reach: Vec::new(),
        arrays: arrays.iter().map(|a| bytes(a)).collect(),
        starts: starts.iter().map(start).collect(),
        cycle_limit: 200,
        reset_after: None,
        loads: false,
        is_steady: false,
    }
}

fn simulate(model: &Model, runs: &[Run]) -> Vec<RunResult> {
    let results = model.run(
        runs,
        &SimOptions {
            seed: 3,
            ..SimOptions::default()
        },
    );
    results.unwrap_or_else(|e| panic!("{:?}", e.to_diagnostic()))
}

fn build(verilator: &Verilator, manifest: &Manifest, text: &str) -> Model {
    let model = verilator.build(manifest, text, false);
    model.unwrap_or_else(|e| panic!("{}", e.to_diagnostic().notes[0].1))
}

/// Combinational: ready and done in the start cycle. Odd names must not disturb.
#[test]
fn latency_zero_and_odd_names() {
    let Some(verilator) = verilator() else { return };
    let text = format!(
        "module scalar__add ({HEAD}, input logic [31:0] eval, input logic [32:0] a__b,
           output logic [95:0] ap_return);
         logic [95:0] kept;
         assign ap_return = ap_start ? {{31'b0, a__b, eval}} : kept;
         always_ff @(posedge ap_clk) kept <= ap_return;
         assign ap_ready = ap_start; assign ap_done = ap_start; assign ap_idle = !ap_start;
         logic unused; assign unused = ap_rst;
       endmodule"
    );
    let args = vec![
        scalar(Some("eval"), "u32", 32, "eval"),
        scalar(Some("a__b"), "u33", 33, "a__b"),
    ];
    let returns = vec![scalar(None, "u96", 96, "ap_return")];
    let model = build(&verilator, &manifest("scalar__add", args, returns), &text);
    let starts: &[(&[u64], u32)] = &[(&[5, 1 << 32], 0), (&[7, 9], 0), (&[1, 2], 3)];
    let results = simulate(&model, &[run(&[], starts), run(&[], starts)]);
    assert_eq!(results.len(), 2);
    let wanted = |a: u64, b: u64| vec![(BigUint::from(b) << 32u32) + a];
    for result in &results {
        assert_eq!(result.violations, Vec::<String>::new());
        let returned = [wanted(5, 1 << 32), wanted(7, 9), wanted(1, 2)];
        assert_eq!(result.returns, returned);
        assert!(result.timing.iter().all(|t| t.cycles() == 0));
        let starts: Vec<u64> = result.timing.iter().map(|t| t.start).collect();
        assert_eq!(starts, [0, 1, 5]);
    }
}

#[test]
fn arrays_and_timing() {
    let Some(verilator) = verilator() else { return };
    let model = copy_model(&verilator, "5", DONE, "ap_done");
    let a: &[u64] = &[1, 2, 3, 4, 255];
    let many: Vec<Run> = (0..50)
        .map(|n| run(&[a, &[n; 5]], &[(&[n], 0), (&[n + 1], (n % 3) as u32)]))
        .collect();
    for (n, result) in simulate(&model, &many).iter().enumerate() {
        assert_eq!(result.violations, Vec::<String>::new());
        assert!(!result.timed_out);
        assert_eq!(
            result.timing.iter().map(|t| t.cycles()).collect::<Vec<_>>(),
            [6, 6]
        );
        assert_eq!(result.timing[1].start, 7 + n as u64 % 3);
        assert_eq!(result.arrays[0], bytes(a));
        let b: Vec<u64> = a.iter().map(|v| (v + n as u64 + 1) % 256).collect();
        assert_eq!(result.arrays[1], bytes(&b));
    }
    // The scalar is taken in the start cycle, so ready may come then, too.
    let early = copy_model(&verilator, "5", DONE, "ap_idle && ap_start");
    let result = &simulate(&early, &[run(&[a, a], &[(&[1], 0), (&[9], 0)])])[0];
    assert_eq!(result.violations, Vec::<String>::new());
    assert_eq!(result.arrays[1], bytes(&[10, 11, 12, 13, 8]));
    assert_eq!((result.timing[0].ready, result.timing[0].done), (0, 6));
}

#[test]
fn breaches_of_the_protocol_are_reported() {
    let Some(verilator) = verilator() else { return };
    let a: &[u64] = &[1, 2, 3, 4, 5];
    let first = |last, done, ready| {
        let model = copy_model(&verilator, last, done, ready);
        let result = simulate(&model, &[run(&[a, a], &[(&[1], 0)])]).remove(0);
        let text = result.violations.first().cloned().unwrap_or_default();
        (text, result.timed_out)
    };
    let (text, _) = first("6", "valid && j == 5", "ap_done");
    assert_eq!(text, "cycle 7: write to b[5], beyond its depth 5");
    let (text, _) = first("5", "valid && j == 3", "ap_done");
    assert_eq!(text, "cycle 6: write to b[4] while no invocation runs");
    let (text, _) = first("5", DONE, "b_ce0");
    assert_eq!(text, "cycle 3: ap_ready without ap_start");
    let (text, timed_out) = first("5", DONE, "0");
    assert_eq!(
        (text.as_str(), timed_out),
        ("cycle 6: ap_done before ap_ready", true)
    );
    let (text, timed_out) = first("5", "0", "0");
    assert_eq!((text.as_str(), timed_out), ("", true));
}

/// Both ports of one array at the same element at the same edge.
#[test]
fn memories_do_not_favour_any_order() {
    let Some(verilator) = verilator() else { return };
    let text = format!(
        "module clash ({HEAD}, output logic [7:0] ap_return,
           output logic [0:0] m_address0, output logic m_ce0, input logic [7:0] m_q0,
           output logic m_we0, output logic [7:0] m_d0,
           output logic [0:0] m_address1, output logic m_ce1, input logic [7:0] m_q1,
           output logic m_we1, output logic [7:0] m_d1);
         logic [1:0] t; logic [7:0] kept;
         always_ff @(posedge ap_clk) begin
           t <= ap_rst || ap_done ? 0 : ap_start ? t + 1 : 0;
           if (ap_done) kept <= m_q1;
         end
         assign m_address0 = 0; assign m_address1 = 0;
         assign m_ce0 = t == 1; assign m_we0 = 1; assign m_d0 = 8'h55;
         assign m_ce1 = t == 1; assign m_we1 = BOTH; assign m_d1 = 8'h66;
         assign ap_done = t == 2; assign ap_ready = ap_done; assign ap_idle = t == 0;
         assign ap_return = ap_done ? m_q1 : kept;
         logic unused; assign unused = ^m_q0;
       endmodule"
    );
    let ports = [(true, true), (true, true)];
    let args = vec![array("m", 8, &[2], &ports)];
    let returns = vec![scalar(None, "u8", 8, "ap_return")];
    let manifest = manifest("clash", args, returns);
    let once = run(&[&[0x0f, 7]], &[(&[], 0)]);
    let result = |both: &str| {
        let model = build(&verilator, &manifest, &text.replace("BOTH", both));
        simulate(&model, std::slice::from_ref(&once)).remove(0)
    };
    let reading = result("0");
    assert_eq!(reading.violations, Vec::<String>::new());
    assert_eq!(reading.returns[0], numbers(&[0xf0]));
    assert_eq!(reading.arrays[0], bytes(&[0x55, 7]));
    let writing = result("1");
    assert_eq!(
        writing.violations,
        ["cycle 1: both ports write m[0] at one edge"]
    );
}

/// A register that no reset reaches shows another value for each seed.
#[test]
fn unwritten_state_is_random_by_seed() {
    let Some(verilator) = verilator() else { return };
    let text = format!(
        "module state ({HEAD}, output logic [63:0] ap_return);
         logic [63:0] r;
         always_ff @(posedge ap_clk) r <= r;
         assign ap_return = r;
         assign ap_ready = ap_start; assign ap_done = ap_start; assign ap_idle = 1;
         logic unused; assign unused = ap_rst;
       endmodule"
    );
    let returns = vec![scalar(None, "u64", 64, "ap_return")];
    let model = build(&verilator, &manifest("state", vec![], returns), &text);
    let value = |seed| {
        let options = SimOptions {
            seed,
            ..SimOptions::default()
        };
        let results = model.run(&[run(&[], &[(&[], 0)])], &options).unwrap();
        results[0].returns[0][0].clone()
    };
    assert_eq!(value(1), value(1));
    assert_ne!(value(1), value(2));
}

#[test]
fn banks_and_waveforms() {
    let Some(verilator) = verilator() else { return };
    // Adds 1 to element 0 of each of two cyclic banks: elements 0 and 1.
    let text = format!(
        "module banks ({HEAD},
           output logic [0:0] a_0_address0, output logic a_0_ce0, output logic a_0_we0,
           output logic [7:0] a_0_d0, output logic [0:0] a_1_address0, output logic a_1_ce0,
           output logic a_1_we0, output logic [7:0] a_1_d0);
         assign a_0_address0 = 0; assign a_1_address0 = 1;
         assign a_0_ce0 = ap_start; assign a_1_ce0 = ap_start;
         assign a_0_we0 = ap_start; assign a_1_we0 = ap_start;
         assign a_0_d0 = 100; assign a_1_d0 = 200;
         assign ap_ready = ap_start; assign ap_done = ap_start; assign ap_idle = 1;
         logic unused; assign unused = ap_rst ^ ap_clk;
       endmodule"
    );
    let mut port = array("a", 8, &[4], &[(false, true)]);
    if let PortKind::Array {
        partition, banks, ..
    } = &mut port.kind
    {
        *partition = Some(vec![Partition {
            kind: PartitionKind::Cyclic,
            dim: 0,
            factor: 2,
        }]);
        let bank = |number: u64| Bank {
            bank: number,
            depth: 2,
            ports: vec![MemoryPort {
                address: format!("a_{number}_address0"),
                ce: format!("a_{number}_ce0"),
                q: None,
                we: Some(format!("a_{number}_we0")),
                d: Some(format!("a_{number}_d0")),
            }],
        };
        *banks = vec![bank(0), bank(1)];
    }
    let manifest = manifest("banks", vec![port], vec![]);
    let model = verilator.build(&manifest, &text, true).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let wave = folder.path().join("wave.vcd");
    let options = SimOptions {
        seed: 1,
        waveform: Some(wave.clone()),
        ..SimOptions::default()
    };
    let results = model
        .run(&[run(&[&[1, 2, 3, 4]], &[(&[], 0)])], &options)
        .unwrap();
    assert_eq!(results[0].violations, Vec::<String>::new());
    assert_eq!(results[0].arrays[0], bytes(&[100, 2, 3, 200]));
    let text = std::fs::read_to_string(wave).unwrap();
    assert!(text.contains("ap_start") && text.contains("$enddefinitions"));
}

#[test]
fn tools_that_fail_say_why() {
    let Some(verilator) = verilator() else { return };
    let manifest = manifest("broken", vec![], vec![]);
    let error = verilator
        .build(&manifest, "module broken (; endmodule", false)
        .unwrap_err();
    let EngineError::Verilator(VerilatorError::Refused(log)) = error else {
        panic!("{error:?}")
    };
    assert!(log.contains("syntax error"), "{log}");
    let error = Verilator::at("/nonexistent/verilator".as_ref()).unwrap_err();
    let missing = |error| {
        matches!(
            error,
            EngineError::Verilator(VerilatorError::Missing { .. })
        )
    };
    assert!(missing(error));
}
