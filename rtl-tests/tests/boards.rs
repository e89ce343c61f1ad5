//! The boards of `boards`: no warnings of their tops, and the host's program has a simulated one compute.

use allo_hls::package::Format;
use allo_hls::rtl::axi::Options;
use rtl_tests::remembered::remembered;
use rtl_tests::{examples, package, tools};
use std::path::Path;

/// What the test takes from here and from the boards.
const PARTS: &[&str] = &[
    "boards/play.py",
    "boards/serial.cpp",
    "../boards/host.py",
    "../boards/orangecrab.sv",
    "../boards/saxpy_uart.sv",
    "../boards/uart_bridge.sv",
    "../boards/ulx3s.sv",
];

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
    for part in PARTS {
        let name = Path::new(part).file_name().expect("a file");
        std::fs::copy(root.join(part), folder.join(name)).expect("the folder is writable");
    }
    let version = tools::run(folder, python, &["--version"]).unwrap_or_else(|e| panic!("{e}"));
    let question = include_str!("boards.rs").to_string() + &version.stdout;
    let said = remembered(&question, folder, || {
        Ok(play(folder, verilator, python)?.into())
    });
    let said = String::from_utf8(said.unwrap_or_else(|e| panic!("{e}"))).expect("text");
    assert!(said.contains("16 results are right"), "{said}");
}

/// What the host says that talks with a simulated board, if the tops of all boards are without warnings.
fn play(folder: &Path, verilator: &Path, python: &Path) -> Result<String, String> {
    let common = ["uart_bridge.sv", "saxpy_uart.sv", "rtl/saxpy.sv"];
    for board in ["ulx3s", "orangecrab"] {
        // Pins that stay open are left open on purpose.
        let lint = [
            "--lint-only",
            "-Wall",
            "-Wno-PINCONNECTEMPTY",
            "-Wno-DECLFILENAME",
            "-Wno-UNUSEDSIGNAL",
            "--top-module",
            board,
            &format!("{board}.sv"),
        ];
        tools::run(folder, verilator, &[&lint[..], &common].concat())?;
    }
    let build = [
        "--cc",
        "--exe",
        "--build",
        "-Wno-lint",
        "-CFLAGS",
        "-O0",
        "-GDIVISOR=8",
        "--top-module",
        "saxpy_uart",
        "serial.cpp",
    ];
    tools::run(folder, verilator, &[&build[..], &common].concat())?;
    let talk = [
        "play.py",
        "host.py",
        "driver/saxpy.py",
        "obj_dir/Vsaxpy_uart",
    ];
    Ok(tools::run(folder, python, &talk)?.stdout)
}
