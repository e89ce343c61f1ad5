//! Co-simulation of kernels built by hand with modules written by hand.

use crate::sim_builder::Builder;
use crate::sim_modules::*;
use allo_hls::diagnostics::SourceMap;
use allo_hls::ir::*;
use allo_hls::rtl::interface::manifest::Latency;
use allo_hls::sim::cosim::{CosimError, CosimOptions, FailureKind, cosim_with, simulate};
use allo_hls::sim::elements::Between;
use allo_hls::sim::reference::{Options, run};
use allo_hls::sim::value::{Data, Signature};
use allo_hls::sim::vectors;

const U8: Scalar = Scalar::unsigned(8);

/// What [`COPY`] does.
fn copy_kernel() -> Program {
    let mut b = Builder::new("copy");
    let x = b.scalar("x", U8);
    let [a, out] = ["a", "b"].map(|name| b.array(name, U8, &[5]));
    b.for_n(5, &[], |b, i, _| {
        let element = b.load(a, &[i]);
        let sum = b.bin(BinaryOp::Add, element, x);
        b.store(out, &[i], sum);
        vec![]
    });
    b.program(&[])
}

fn options(vectors: usize) -> CosimOptions {
    CosimOptions {
        vectors,
        ..CosimOptions::default()
    }
}

#[test]
fn a_right_module_passes() {
    let Some(verilator) = verilator() else { return };
    let (text, mut manifest) = copy_module("5", DONE, "ap_done");
    manifest.latency = Latency {
        min: Some(6),
        max: Some(6),
    };
    let program = copy_kernel();
    let report = cosim_with(&verilator, &program, &manifest, &text, &options(20)).unwrap();
    assert_eq!(report.cycles, vec![6; 20]);
    assert_eq!(report.interval, Some(7));
    // Each input, two chains of four, and four after a reset.
    assert_eq!((report.compared, report.unspecified), (26 * 10, 0));
    assert_eq!(report.resets, 4);
    let model = verilator.build(&manifest, &text, false).unwrap();
    let inputs = vectors::generate(&Signature::of(&program), 3, 4);
    let simulated = simulate(
        &program,
        &manifest,
        &model,
        (&inputs, Between::Nothing),
        1000,
    )
    .unwrap();
    for (input, got) in inputs.iter().zip(simulated) {
        let wanted = run(&program, input, &Options::default()).unwrap();
        assert_eq!(
            (got.params, got.results, got.cycles),
            (wanted.params, wanted.results, 6)
        );
    }
}

#[test]
fn a_wrong_module_is_caught_with_its_line() {
    let Some(verilator) = verilator() else { return };
    let (text, manifest) = copy_module("5", DONE, "ap_done");
    let text = text.replace("a_q0 + xr", "a_q0 + (j == 3 ? 8'd1 : xr)");
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(8);
    options.waveform = Some(folder.path().join("wave.vcd"));
    let program = copy_kernel();
    let error = cosim_with(&verilator, &program, &manifest, &text, &options).unwrap_err();
    let CosimError::Failure(failure) = &error else {
        panic!("{error:?}")
    };
    let FailureKind::Mismatch(mismatch) = &failure.kind else {
        panic!("{failure:?}");
    };
    assert_eq!((mismatch.slot.name.as_str(), mismatch.position), ("b", 3));
    let sum = |by: u8| match failure.inputs[0].args[1].get(3).data {
        Data::Int(a) => Data::Int((a + i128::from(by)) & 255),
        _ => panic!(),
    };
    let Data::Int(x) = failure.inputs[0].args[0].get(0).data else {
        panic!()
    };
    assert_eq!(
        (&mismatch.got.data, &mismatch.wanted.data),
        (&sum(1), &sum(x as u8))
    );
    assert!(mismatch.writer.is_some() && options.waveform.unwrap().is_file());
    let mut sources = SourceMap::default();
    sources.add("copy.py", "some text that is long enough to have the span");
    let shown = error.to_diagnostic().render(&sources, false);
    assert!(shown.starts_with("copy.py:1:"), "{shown}");
    assert!(
        shown.contains("error: mismatch: b[3] is ") && shown.contains("\"a\":["),
        "{shown}"
    );
}

#[test]
fn hangs_breaches_and_wrong_latency_are_failures() {
    let Some(verilator) = verilator() else { return };
    let program = copy_kernel();
    let kind = |last, done, ready, latency| {
        let (text, mut manifest) = copy_module(last, done, ready);
        manifest.latency = Latency {
            min: Some(latency),
            max: None,
        };
        match cosim_with(&verilator, &program, &manifest, &text, &options(2)) {
            Err(CosimError::Failure(failure)) => failure.kind,
            other => panic!("{other:?}"),
        }
    };
    let hang = kind("5", "0", "ap_done", 0);
    assert!(
        matches!(hang, FailureKind::Hang { invocation: 0, .. }),
        "{hang:?}"
    );
    let breach = kind("6", "valid && j == 5", "ap_done", 0);
    assert!(matches!(breach, FailureKind::Protocol(_)), "{breach:?}");
    let latency = kind("5", DONE, "ap_done", 7);
    assert!(
        matches!(latency, FailureKind::Latency { cycles: 6, .. }),
        "{latency:?}"
    );
}

#[test]
fn a_manifest_of_another_kernel_is_refused() {
    let Some(verilator) = verilator() else { return };
    let (text, mut manifest) = copy_module("5", DONE, "ap_done");
    manifest.args.swap(0, 1);
    let error = cosim_with(&verilator, &copy_kernel(), &manifest, &text, &options(1));
    assert!(matches!(error, Err(CosimError::Manifest(_))));
}

/// A shaped result of which one element is never written: that one is not compared.
#[test]
fn result_arrays_and_unspecified_elements() {
    let Some(verilator) = verilator() else { return };
    let mut b = Builder::new("pick");
    let x = b.scalar("x", U8);
    let result = b.result_array(U8, &[2]);
    let one = b.idx(1);
    b.store(result, &[one], x);
    let program = b.program(&[]);
    let text = format!(
        "module pick ({HEAD}, input logic [7:0] x, output logic [0:0] ap_return_address0,
           output logic ap_return_ce0, output logic ap_return_we0, output logic [7:0] ap_return_d0);
         assign ap_return_address0 = 1; assign ap_return_ce0 = ap_start;
         assign ap_return_we0 = ap_start; assign ap_return_d0 = x;
         assign ap_ready = ap_start; assign ap_done = ap_start; assign ap_idle = !ap_start;
         logic unused; assign unused = ap_rst ^ ap_clk;
       endmodule"
    );
    let args = vec![scalar(Some("x"), "u8", 8, "x")];
    let returns = vec![array("ap_return", 8, &[2], &[(false, true)])];
    let manifest = manifest("pick", args, returns);
    let report = cosim_with(&verilator, &program, &manifest, &text, &options(5)).unwrap();
    assert_eq!((report.compared, report.unspecified), (11, 11));
    assert_eq!(report.interval, Some(1));
    let wrong = text.replace("d0 = x", "d0 = ~x");
    let error = cosim_with(&verilator, &program, &manifest, &wrong, &options(5)).unwrap_err();
    let message = error.to_diagnostic().message;
    assert!(
        message.starts_with("mismatch: ap_return[1] is "),
        "{message}"
    );
}

/// Control that hangs on a read out of bounds: nothing is compared, and later inputs still are.
#[test]
fn a_hang_on_unspecified_control_does_not_hide_the_rest() {
    let Some(verilator) = verilator() else { return };
    // `while a[i] != 0: i += 1; return i`, which runs off the end if no element is 0.
    let mut b = Builder::new("find");
    let a = b.array("a", Scalar::unsigned(2), &[2]);
    let (zero, none) = (b.idx(0), b.int(Scalar::unsigned(2), 0));
    let one = b.idx(1);
    let found = b.while_loop(
        &[zero],
        |b, c| {
            let element = b.load(a, &[c[0]]);
            b.cmp(CompareOp::Ne, element, none)
        },
        |b, c| vec![b.bin(BinaryOp::Add, c[0], one)],
    );
    let program = b.program(&[found[0]]);
    let text = format!(
        "module find ({HEAD}, output logic [63:0] ap_return, output logic [0:0] a_address0,
           output logic a_ce0, input logic [1:0] a_q0);
         logic busy, valid; logic [63:0] i;
         always_ff @(posedge ap_clk) begin
           valid <= a_ce0 && !ap_rst;
           if (ap_rst) busy <= 0;
           else if (!busy) begin if (ap_start) begin busy <= 1; i <= 0; end end
           else if (ap_done) busy <= 0;
           else if (valid && i < 2) i <= i + 1;
         end
         assign a_ce0 = busy && !valid; assign a_address0 = i[0];
         assign ap_done = valid && i < 2 && a_q0 == 0;
         assign ap_ready = ap_done; assign ap_idle = !busy; assign ap_return = i;
       endmodule"
    );
    let returns = vec![scalar(None, "index", 64, "ap_return")];
    let manifest = manifest("find", vec![array("a", 2, &[2], &[(true, false)])], returns);
    let report = cosim_with(&verilator, &program, &manifest, &text, &options(40)).unwrap();
    assert!(
        report.unspecified > 0 && report.cycles.len() > 10,
        "{report:?}"
    );
    assert!(
        report.cycles.len() < 40 && !report.out_of_bounds.is_empty(),
        "{report:?}"
    );
}
