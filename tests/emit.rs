//! The printed forms of `--emit`: snapshots in `tests/snapshots`, rewritten with `UPDATE_EXPECT=1`.

use std::path::Path;
use std::process::Command;

/// Compares what the program prints for an example with its snapshot.
fn assert_snapshot(example: &str, form: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let top: &[&str] = match example {
        "called" => &["--top", "called"],
        _ => &[],
    };
    let output = Command::new(env!("CARGO_BIN_EXE_allo-hls"))
        .current_dir(root)
        .args([&format!("examples/{example}.py"), "--emit", form])
        .args(top)
        // Not a measured device, whose delays change with every measurement.
        .args(["--device", "tests/snapshots/device.toml"])
        .args(["--check", "off"])
        .output()
        .expect("runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let path = root.join(format!("tests/snapshots/{example}.{form}"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(root.join("tests/snapshots")).expect("folder");
        std::fs::write(&path, &text).expect("writable");
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        text,
        wanted.replace("\r\n", "\n"),
        "{} differs; if the change is meant, run with UPDATE_EXPECT=1",
        path.display()
    );
}

#[test]
fn ir_of_saxpy() {
    assert_snapshot("saxpy_i32", "ir");
}

#[test]
fn hwarith_of_saxpy() {
    assert_snapshot("saxpy_i32", "hwarith");
}

#[test]
fn schedule_of_saxpy() {
    assert_snapshot("saxpy_i32", "schedule");
}

/// So that a change of the compiler shows what it changes in the hardware.
#[test]
fn systemverilog_of_every_example() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("examples")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".py")?.to_string()))
        .collect();
    names.sort();
    for name in &names {
        assert_snapshot(name, "sv");
    }
    // No snapshot without its example.
    let snapshots = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");
    let mut kept: Vec<String> = std::fs::read_dir(snapshots)
        .expect("snapshots")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".sv")?.to_string()))
        .collect();
    kept.sort();
    assert_eq!(kept, names);
}
