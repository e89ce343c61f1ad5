//! `allo-hls check` as a program: what it says of files in which it finds no error.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What the check of a file says.
fn check(bytes: &[u8], options: &[&str]) -> (Output, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kernel.py"), bytes).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_allo-hls"))
        .current_dir(folder.path())
        .args(["check", "kernel.py"])
        .args(options)
        .output()
        .expect("runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, text)
}

const KERNELS: &str = "from allo import *\nT = Template('T')\n\
    @kernel(T)\ndef fill(x: T) -> T:\n    return x\n\
    @kernel\ndef f(x: i32) -> i32:\n    return x\n\
    @kernel\ndef g(x: i32) -> i32:\n    return f(x)\n";

#[test]
fn it_says_how_many_kernels_it_has_checked() {
    let (output, text) = check(KERNELS.as_bytes(), &[]);
    assert!(output.status.success());
    let why = "note: kernel 'fill' is not checked: its templates are not bound, as in `fill[T]`";
    assert!(text.contains(why), "{text}");
    assert!(text.ends_with("\n2 kernels checked\n"), "{text}");
    let bound = format!("{KERNELS}fill_i = fill[i32]\n");
    assert_eq!(check(bound.as_bytes(), &[]).1, "3 kernels checked\n");
    let (_, json) = check(KERNELS.as_bytes(), &["--message-format", "json"]);
    let last = json.lines().last().unwrap();
    assert!(last.contains("\"message\":\"2 kernels checked\""), "{json}");
    assert_eq!(json.lines().count(), 2);
}

#[test]
fn it_says_why_kernels_are_not_seen() {
    let inside =
        "import allo\ndef test_add():\n    @allo.kernel\n    def add(x: allo.i32):\n        pass\n";
    let table = [
        (
            inside,
            "it is defined inside the Python function 'test_add', which did not run",
        ),
        (
            "from allo import *\ntry:\n    pass\nexcept ImportError:\n    @kernel\n    def add(x: i32):\n        pass\n",
            "it is defined inside a `try` of the module level, which did not run",
        ),
        (
            "from allo import *\n@kernel\ndef add(x: i32):\n    pass\nadd = 1\n",
            "no name of the module level means it",
        ),
    ];
    for (text, why) in table {
        let (output, said) = check(text.as_bytes(), &[]);
        assert!(output.status.success());
        let why = format!("kernel 'add' is not checked: {why}");
        assert!(said.contains(&why), "{said}");
        assert!(said.ends_with("\n0 kernels checked\n"), "{said}");
    }
    assert_eq!(check(b"", &[]).1, "0 kernels checked\n");
}

#[test]
fn kernels_that_could_not_be_defined_are_errors() {
    let table = [
        (
            "from allo import i32\n@kernel\ndef add(x: i32):\n    pass\n",
            "3:5: error: kernel 'add' is not defined: Name 'kernel' is not defined",
        ),
        (
            "from allo import *\n@kernal\ndef add(x: i32):\n    pass\n",
            "3:5: error: kernel 'add' is not defined: Name 'kernal' is not defined",
        ),
        (
            "from somewhere import kernel\n@kernel\ndef add(x):\n    pass\n",
            "3:5: error: kernel 'add' is not defined: 'kernel' has no value at compile time: module 'somewhere' is",
        ),
    ];
    for (text, why) in table {
        let (output, said) = check(text.as_bytes(), &[]);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let (output, text) = check(b"x = 1\ny = '\xc3\xa4\xff'\n", &[]);
    assert!(!output.status.success());
    assert!(
        text.starts_with("kernel.py:2:7: error: the file is not UTF-8\n"),
        "{text}"
    );
}

#[test]
fn files_in_the_repository_are_checked_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO_BIN_EXE_allo-hls"))
        .current_dir(root)
        .args(["check", "examples/saxpy_f32.py"])
        .output()
        .expect("runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(text, "1 kernel checked\n");
}

const GRID: &str = "import allo\nfrom allo import Stream, i32, kernel\n\
    @kernel(mapping=[2])\ndef work(s: Stream[i32][3]):\n    at = allo.get_wid(0)\n    s[at + 1].put(s[at].get())\n";

/// The kernel of a grid is no kernel without the calls that say which worker it is.
#[test]
fn grids_are_checked_where_they_are_called() {
    let (output, text) = check(GRID.as_bytes(), &[]);
    assert!(output.status.success());
    let why = "kernel 'work' is not checked: no kernel calls this grid";
    assert!(
        text.contains(why) && text.ends_with("\n0 kernels checked\n"),
        "{text}"
    );
    let called = format!(
        "{GRID}@kernel\ndef top(x: i32) -> i32:\n    s: Stream[i32][3]\n    s[0].put(x)\n    work(s)\n    return s[2].get()\n"
    );
    assert_eq!(check(called.as_bytes(), &[]).1, "2 kernels checked\n");
}

/// What a build would refuse, for the kernels that no other one calls.
#[test]
fn networks_are_checked_as_networks() {
    let called = format!(
        "{GRID}@kernel\ndef top(x: i32) -> i32:\n    s: Stream[i32][3]\n    s[1].put(x)\n    work(s)\n    return s[2].get()\n"
    );
    let (output, text) = check(called.as_bytes(), &[]);
    assert!(!output.status.success());
    assert!(
        text.contains("two processes put into the stream 's_1'"),
        "{text}"
    );
}
