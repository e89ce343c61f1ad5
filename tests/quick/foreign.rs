//! Operators whose hardware is a module of the user's, and what calls of helpers with constants become.

use crate::support::{self, allo_hls};
use allo_hls::driver::{self, Target};
use std::path::Path;

const OPERATORS: &str = "tests/foreign/operators.py";

fn cosim(file: &str, top: &str, engine: &str) -> (bool, String) {
    let output = allo_hls(&["cosim", file, "--top", top, "--engine", engine]);
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn emitted(file: &str, top: &str, what: &str) -> String {
    let output = allo_hls(&[file, "--top", top, "--emit", what]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// In process, the body has the latency: carried through a sum, every three cycles, and in a network that waits.
#[test]
fn bodies_run_with_the_latency_of_their_modules() {
    for top in ["dot", "steps", "doubled", "fixed"] {
        let (right, text) = cosim(OPERATORS, top, "rtl");
        assert!(right, "{top}: {text}");
    }
}

#[test]
fn the_text_has_the_users_modules_and_the_manifest_their_files() {
    let text = emitted(OPERATORS, "dot", "sv");
    for wanted in [
        "mac u_mac (",
        "scale_core u_scale_core (",
        ".ce(1'b1)",
        ".v(a)",
        ".z(c)",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let manifest: serde_json::Value =
        serde_json::from_str(&emitted(OPERATORS, "dot", "manifest")).unwrap();
    let sources: Vec<&str> = manifest["sources"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|s| s.as_str())
        .collect();
    let names: Vec<_> = sources
        .iter()
        .filter_map(|s| Path::new(s).file_name())
        .collect();
    assert_eq!(names, ["scale.sv", "mac.sv"]);
    assert!(
        sources
            .iter()
            .all(|source| support::root(".").join(source).is_file())
    );
    // Constants as operands do not take its place.
    assert!(emitted(OPERATORS, "fixed", "sv").contains("mac u_mac ("));
    let elastic = emitted(OPERATORS, "steps", "sv");
    for wanted in [
        ".valid(start)",
        ".ready()",
        ".result_valid()",
        ".result_ready(1'b1)",
    ] {
        assert!(elastic.contains(wanted), "{wanted}: {elastic}");
    }
}

/// Verilator runs the modules themselves. `ALLO_HLS_SKIP_VERILATOR` skips that.
#[test]
fn verilator_runs_the_users_modules() {
    if std::env::var_os("ALLO_HLS_SKIP_VERILATOR").is_some() {
        return;
    }
    for top in ["dot", "steps"] {
        let (right, text) = cosim(OPERATORS, top, "verilator");
        assert!(right, "{top}: {text}");
    }
    for (top, why) in [("latency", "mac.sv were run as they are"), ("port", "'w'")] {
        let (right, text) = cosim("tests/foreign/wrong.py", top, "verilator");
        assert!(!right && text.contains(why), "{top}: {text}");
    }
}

/// Calls of helpers with constants take no hardware; a helper is no top kernel.
#[test]
fn helpers_with_constants_take_no_hardware() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lazy.py");
    std::fs::write(&file, LAZY).unwrap();
    let file = file.to_str().unwrap();
    let text = emitted(file, "top", "sv");
    assert!(
        text.contains("32'h4") || text.contains("32'd4") || text.contains("35'"),
        "{text}"
    );
    let loops: serde_json::Value = serde_json::from_str(&emitted(file, "top", "manifest")).unwrap();
    assert_eq!(loops["loops"].as_array().map(Vec::len), Some(0));
    let alone = allo_hls(&[file, "--emit", "manifest"]);
    assert!(
        alone.status.success(),
        "{}",
        String::from_utf8_lossy(&alone.stderr)
    );
}

const LAZY: &str = "\
from allo import *


@consteval(lazy=True)
def turned(data: i32, count: i32) -> i32:
    result: i32 = 0
    for i in range(0, count):
        at: i32 = i
        if data & (1 << at):
            result |= 1 << (count - 1 - at)
    return result


@kernel
def top(x: i32) -> i32:
    return x + turned(1, 3)
";

/// Elements far beyond 2^32, read and written where the address says.
#[test]
fn arrays_have_addresses_as_wide_as_they_need() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wide.py");
    std::fs::write(&file, WIDE).unwrap();
    let file = file.to_str().unwrap();
    let output = allo_hls(&["cosim", file, "--engine", "rtl", "--vectors", "2"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let manifest = emitted(file, "far", "sv");
    assert!(manifest.contains("[32:0] a_address0"), "{manifest}");
}

const WIDE: &str = "\
from allo import *


@kernel
def far(a: 'u8[4294967304]', k: u32, v: u8) -> u8:
    last: u8 = a[4294967303]
    a[k] = v + last
    return a[4294967296] + a[k]
";

/// Words of the language, and modules that the compiler writes itself: here the top one.
#[test]
fn a_name_that_another_module_has_is_refused() {
    for module in ["always", "f"] {
        let text = format!(
            "from allo import *\n\n@operator_ip(latency=2, module=\"{module}\")\ndef mul(x: i16, y: i16) -> i32:\n    \
             return x * y\n\n@kernel\ndef f(a: i16, b: i16) -> i32:\n    return mul(a, b)\n"
        );
        let why = compile_named(&text);
        let message = format!("the module of an operator cannot be called '{module}'");
        assert_eq!(why, message);
    }
}

fn compile_named(text: &str) -> String {
    let (mut sources, file) = support::source("named.py", text);
    let target = Target::new("ecp5", 10.0).expect("a device");
    let error = driver::compile(&mut sources, file, Some("f"), &target).expect_err("a name");
    error.0[0].message.clone()
}
