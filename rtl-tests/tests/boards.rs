//! The boards of `boards`: no warnings of their tops, and the host's program has a simulated one compute.

use allo_hls::package::Format;
use allo_hls::rtl::axi::Options;
use rtl_tests::{examples, package, tools};
use std::path::Path;

#[test]
fn a_board_computes_what_its_host_asks_for() {
    let names = ["verilator", "python3"];
    let found: Vec<_> = names.into_iter().filter_map(tools::find_or_note).collect();
    let [verilator, python] = &found[..] else {
        return;
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let folder = folder.path();
    let kernel = examples::folder().join("saxpy_f32.py");
    let kernel = std::fs::read_to_string(kernel).expect("the example is there");
    let options = Options {
        local: ["x", "y", "out"].map(String::from).to_vec(),
        ..Options::default()
    };
    package::write(folder, Format::Verilog, &kernel, "saxpy", &options, 1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let part = |path: &str| root.join(path).display().to_string();
    let boards = |name: &str| part(&format!("../boards/{name}"));
    let common = [
        boards("uart_bridge.sv"),
        boards("saxpy_uart.sv"),
        "rtl/saxpy.sv".into(),
    ];
    let run = |program: &Path, args: &[&str]| {
        let args: Vec<&str> = args.to_vec();
        tools::run(folder, program, &args).unwrap_or_else(|e| panic!("{e}"))
    };
    for board in ["ulx3s", "orangecrab"] {
        let top = boards(&format!("{board}.sv"));
        let [a, b, c] = &common;
        // Pins that stay open are left open on purpose.
        run(
            verilator,
            &[
                "--lint-only",
                "-Wall",
                "-Wno-PINCONNECTEMPTY",
                "-Wno-DECLFILENAME",
                "-Wno-UNUSEDSIGNAL",
                "--top-module",
                board,
                &top,
                a,
                b,
                c,
            ],
        );
    }
    let [a, b, c] = &common;
    let bench = part("boards/serial.cpp");
    run(
        verilator,
        &[
            "--cc",
            "--exe",
            "--build",
            "-Wno-lint",
            "-CFLAGS",
            "-O0",
            "-GDIVISOR=8",
            "--top-module",
            "saxpy_uart",
            a,
            b,
            c,
            &bench,
        ],
    );
    let said = run(
        python,
        &[
            &part("boards/play.py"),
            &boards("host.py"),
            "driver/saxpy.py",
            "obj_dir/Vsaxpy_uart",
        ],
    );
    assert!(said.stdout.contains("16 results are right"), "{said:?}");
}
