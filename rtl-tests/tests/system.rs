//! A whole system: a processor runs a C program that has a block compute by way of its generated driver.

use allo_hls::package::Format;
use allo_hls::package::Vectors;
use allo_hls::rtl::axi::Options;
use rtl_tests::remembered::remembered;
use rtl_tests::{package, tools};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Invocations that the program makes.
const INVOCATIONS: usize = 4;

fn parts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("system")
}

/// What the reference was given and what it gave, as a header for the program.
fn header(vectors: &Vectors) -> String {
    let list = vectors.as_array().expect("a list");
    let numbers = |value: &serde_json::Value| {
        let numbers = value.as_array().expect("an array").iter();
        let numbers: Vec<String> = numbers
            .map(|number| format!("(int32_t){number}u"))
            .collect();
        numbers.join(", ")
    };
    let length = list[0]["before"]["a"].as_array().map_or(0, Vec::len);
    let mut text = format!(
        "#include <stdint.h>\nenum {{ LENGTH = {length} }};\n\
         struct vector {{ int32_t weight, a[LENGTH], b[LENGTH], after[LENGTH], total; }};\n\
         static const struct vector vectors[] = {{\n"
    );
    for vector in list {
        let before = &vector["before"];
        let _ = writeln!(
            text,
            "{{ (int32_t){}u, {{ {} }}, {{ {} }}, {{ {} }}, (int32_t){}u }},",
            before["weight"],
            numbers(&before["a"]),
            numbers(&before["b"]),
            numbers(&vector["after"]["b"]),
            vector["returns"][0]
        );
    }
    text + "};\n"
}

/// The program as words of 64 bits that `$readmemh` reads.
fn memory(binary: &[u8]) -> String {
    let word = |bytes: &[u8]| {
        let digits = bytes.iter().rev().map(|byte| format!("{byte:02x}"));
        format!("{:0>16}\n", digits.collect::<String>())
    };
    binary.chunks(8).map(word).collect()
}

/// The program by the processor's compiler: driver, vectors and `main.c`.
fn build(folder: &Path, compiler: &Path, linker: &Path) -> Result<(), String> {
    let options = [
        "-ffreestanding",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-I.",
        "-Idriver",
        "-c",
        "-o",
    ];
    for (object, source) in [
        ("start.o", "start.S"),
        ("main.o", "main.c"),
        ("driver.o", "driver/blend.c"),
    ] {
        tools::run(
            folder,
            compiler,
            &[&options[..], &[object, source]].concat(),
        )?;
    }
    let objects = [
        "-T",
        "link.ld",
        "--oformat",
        "binary",
        "start.o",
        "main.o",
        "driver.o",
        "-o",
        "program.bin",
    ];
    tools::run(folder, linker, &objects)?;
    let binary = fs::read(folder.join("program.bin")).map_err(|e| e.to_string())?;
    fs::write(folder.join("program.hex"), memory(&binary)).map_err(|e| e.to_string())
}

/// What the program prints on the simulated system.
fn play(folder: &Path, verilator: &Path) -> Result<String, String> {
    let options = [
        "--cc",
        "--exe",
        "--build",
        "-Wno-lint",
        "-Wno-TIMESCALEMOD",
        "-CFLAGS",
        "-O0",
        "--top-module",
    ];
    let sources = [
        "system",
        "system.sv",
        "rtl/blend.sv",
        "picorv32.v",
        "bench.cpp",
    ];
    tools::run(folder, verilator, &[&options[..], &sources].concat())?;
    let said = tools::run(folder, &folder.join("obj_dir/Vsystem"), &[])?;
    Ok(said.stdout + &said.stderr)
}

/// By interrupt and by polling, with bases anywhere in a beat; the block's results are the reference's.
#[test]
fn a_processor_has_the_block_compute_by_its_driver() {
    let names = ["verilator", "riscv32-cc", "riscv32-ld"];
    let found: Vec<PathBuf> = names.into_iter().filter_map(tools::find_or_note).collect();
    let processor = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/picorv32.v");
    let ([verilator, compiler, linker], true) = (&found[..], processor.is_file()) else {
        eprintln!("scripts/setup brings a processor and its compiler: this test is skipped");
        return;
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let folder = folder.path();
    let kernel = fs::read_to_string(parts().join("kernel.py")).expect("the kernel is there");
    let vectors = package::write(
        folder,
        Format::Verilog,
        &kernel,
        "blend",
        &Options::default(),
        INVOCATIONS,
    );
    fs::write(folder.join("vectors.h"), header(&vectors)).expect("the folder is writable");
    fs::copy(processor, folder.join("picorv32.v")).expect("the folder is writable");
    for part in ["start.S", "main.c", "link.ld", "system.sv", "bench.cpp"] {
        fs::copy(parts().join(part), folder.join(part)).expect("the folder is writable");
    }
    let said = remembered(include_str!("system.rs"), folder, || {
        build(folder, compiler, linker)?;
        Ok(play(folder, verilator)?.into())
    });
    let said = String::from_utf8(said.unwrap_or_else(|e| panic!("{e}"))).expect("text");
    assert!(said.contains("the program ended with 0 after"), "{said}");
}
