//! The printed forms of `--emit`: snapshots in `tests/snapshots`, rewritten with `UPDATE_EXPECT=1`.

use crate::support;

/// How what the program prints for an example differs from its snapshot.
fn difference(example: &str, form: &str) -> Result<(), String> {
    let input = format!("examples/{example}.py");
    // Not a measured device, whose delays change with every measurement.
    let device = ["--device", "tests/snapshots/device.toml"];
    let mut args = vec![
        &*input, "--emit", form, device[0], device[1], "--check", "off", "-O1",
    ];
    if let Some(top) = support::top_of(example) {
        args.extend(["--top", top]);
    }
    let output = support::allo_hls(&args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let path = support::root(&format!("tests/snapshots/{example}.{form}"));
    support::difference(&path, &text)
}

#[test]
fn forms_of_saxpy() {
    for form in ["ir", "hwarith", "schedule"] {
        difference("saxpy_i32", form).unwrap_or_else(|why| panic!("{why}"));
    }
}

#[test]
fn a_dash_is_standard_output() {
    let dash = support::allo_hls(&["examples/saxpy_i32.py", "--emit", "ir", "-o", "-"]);
    let plain = support::allo_hls(&["examples/saxpy_i32.py", "--emit", "ir"]);
    assert!(!plain.stdout.is_empty() && dash.stdout == plain.stdout);
    assert!(!support::root("-").exists());
}

/// Verilator takes no net with the name of its module.
#[test]
fn nothing_in_a_module_has_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("scale.py");
    let text =
        "from allo import *\n\n@kernel\ndef scale(scale: i32) -> i32:\n    return scale * 3\n";
    std::fs::write(&file, text).expect("the folder is writable");
    let file = file.to_str().expect("a path");
    let output = support::allo_hls(&[file, "--emit", "manifest", "--check", "off"]);
    let manifest = String::from_utf8_lossy(&output.stdout);
    assert!(manifest.contains("\"port\": \"scale_\""), "{manifest}");
}

/// So that a change of the compiler shows what it changes in the hardware.
#[test]
fn systemverilog_of_every_example() {
    let names = |folder, ending| -> Vec<String> {
        let paths = support::files(folder, ending);
        paths.iter().map(|path| support::stem(path)).collect()
    };
    let examples = names("examples", "py");
    let failures = examples
        .iter()
        .filter_map(|name| difference(name, "sv").err());
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // No snapshot without its example.
    assert_eq!(names("tests/snapshots", "sv"), examples);
}
