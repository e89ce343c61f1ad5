//! Compile-time Python around kernels: files beside the input, numpy tables in kernels that run, what kernels see, and
//! CPython in place of our evaluator. The evaluator's own tests are in `pyeval/tests`.

use allo_hls::diagnostics::{FileId, SourceMap};
use allo_hls::frontend;
use allo_hls::sim::args;
use allo_hls::sim::reference::{self, Options};
use allo_hls::sim::value::Signature;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python")
}

fn load(path: &Path) -> (SourceMap, FileId) {
    let mut sources = SourceMap::default();
    sources.root = path.parent().map(Path::to_path_buf);
    let name = path.file_name().unwrap().to_string_lossy();
    let file = sources.add(name, fs::read_to_string(path).unwrap());
    (sources, file)
}

/// What the reference returns for JSON arguments, as JSON.
fn run(path: &Path, top: &str, arguments: &str) -> String {
    let (mut sources, file) = load(path);
    let compiled = match frontend::compile(&mut sources, file, Some(top)) {
        Ok(compiled) => compiled,
        Err(errors) => panic!("{top}: {}", errors.render(&sources, false)),
    };
    let signature = Signature::of(&compiled.program);
    let inputs = args::read_json(&signature, arguments).unwrap();
    let outcome = reference::run(&compiled.program, &inputs[0], &Options::default()).unwrap();
    args::results_json(&signature, &outcome.params, &outcome.results, false).to_string()
}

fn refused(path: &Path, top: &str) -> String {
    let (mut sources, file) = load(path);
    match frontend::compile(&mut sources, file, Some(top)) {
        Ok(_) => panic!("{top} is accepted"),
        Err(errors) => errors.render(&sources, false),
    }
}

#[test]
fn kernels_and_tables_of_several_files_run() {
    let main = folder().join("project/main.py");
    let ramp = "{\"x\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15], \"y\": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}";
    let table = [
        ("sine", "{\"i\": 4}", "{\"return\":127}"),
        ("sine", "{\"i\": 13}", "{\"return\":-117}"),
        ("masked", "{\"x\": 255, \"i\": 7}", "{\"return\":128}"),
        // y[i] = x[i] - 2 x[i+1] + 3 x[i+2] + 4 x[i+3] = 6 i + 16
        (
            "filtered",
            ramp,
            "{\"x\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],\"y\":[16,22,28,34,40,46,52,58,64,70,76,82,88,0,0,0]}",
        ),
        // 4 * max(x, 0) + 4 + 100 + 47
        ("layered", "{\"x\": 10}", "{\"return\":191}"),
        ("layered", "{\"x\": -10}", "{\"return\":151}"),
        (
            "product",
            "{\"x\": [1, 2, 3], \"y\": [0, 0]}",
            "{\"x\":[1,2,3],\"y\":[-4,14]}",
        ),
        ("halves", "{\"i\": 3}", "{\"return\":2.5}"),
        ("relu", "{\"x\": -3}", "{\"return\":0}"),
    ];
    for (top, arguments, expected) in table {
        assert_eq!(run(&main, top, arguments), expected, "{top} {arguments}");
    }
}

#[test]
fn cyclic_imports_are_refused_with_the_cycle() {
    let text = refused(&folder().join("project/cyclic.py"), "f");
    assert!(
        text.contains("ring_two.py:1:8: error: the import is cyclic"),
        "{text}"
    );
    assert!(
        text.contains("the input imports ring imports ring_two imports ring"),
        "{text}"
    );
}

#[test]
fn a_package_imports_from_itself_what_is_bound_by_then() {
    let packages = folder().join("project/packages.py");
    assert_eq!(run(&packages, "nine", "{\"x\": 0}"), "{\"return\":9}");
    let text = refused(&packages, "f");
    assert!(text.contains("module 'knot' has no name 'base'"), "{text}");
}

#[test]
fn problems_of_imports_name_their_file() {
    let path = folder().join("project/broken_import.py");
    let text = refused(&path, "f");
    assert!(
        text.contains("broken.py:2:1: error: syntax error"),
        "{text}"
    );
    assert!(
        text.contains("broken_import.py:2:20: note: imported here"),
        "{text}"
    );
    assert!(
        text.contains("'missing' has no value at compile time: module 'nowhere' is not available"),
        "{text}"
    );
    assert!(refused(&path, "g").contains("module 'helpers' has no name 'absent'"));
}

#[test]
fn imports_stay_below_the_folder_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(folder.path().join("secret.py"), "value = 1\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("secret.py"), inner.join("link.py")).unwrap();
    for import in [
        "from ..secret import value",
        "from link import value",
        "from secret import value",
    ] {
        let text = format!(
            "from allo import *\n{import}\n@kernel\ndef f(x: i32) -> i32:\n    return x + value\n"
        );
        let path = inner.join("kernel.py");
        fs::write(&path, text).unwrap();
        let _ = refused(&path, "f");
    }
}

#[test]
fn without_a_folder_nothing_is_read() {
    let mut sources = SourceMap::default();
    let text = "from allo import *\nfrom helpers import TAPS\n@kernel\ndef f(x: i32) -> i32:\n    return x + TAPS[0]\n";
    let file = sources.add(folder().join("project/x.py").display().to_string(), text);
    assert!(frontend::compile(&mut sources, file, None).is_err());
}

#[test]
fn what_kernels_see_does_not_change() {
    for body in [
        "STATE.append(1)",
        "TABLE[0] = 1",
        "CONFIG.x = 1",
        "global COUNT\n    COUNT = 2",
        "NAMES['a'] = 1",
    ] {
        let text = format!(
            "import numpy as np\nfrom allo import *\nSTATE = []\nCOUNT = 1\nNAMES = {{}}\n\
             class Config:\n    pass\nCONFIG = Config()\nTABLE = np.zeros(2)\n\
             @consteval\ndef change():\n    {body}\n    return 1\n\
             @kernel\ndef f(x: i32) -> i32:\n    return x + change()\n"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("frozen.py", text);
        let errors = frontend::compile(&mut sources, file, None).unwrap_err();
        let text = errors.render(&sources, false);
        assert!(
            text.contains("visible to kernels and cannot change"),
            "{text}"
        );
    }
}

/// The interpreter to test with, if there is one.
fn python() -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let works = Command::new(&python)
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success());
    works.then_some(python)
}

#[test]
fn cpython_gives_kernels_the_same_program() {
    let Some(python) = python() else { return };
    for (file, tops) in [
        (
            "opt_in.py",
            &["wrapped", "fill[i32, 4]", "fill_four", "mixed", "doubled"][..],
        ),
        ("project/helpers.py", &["relu"]),
        ("../language/pto_vectors.py", &["axpy", "parts"]),
        ("../language/pto_tiles.py", &["edge", "product"]),
    ] {
        for top in tops {
            let [ours, theirs] = [None, Some(python.clone())].map(|python| {
                let (mut sources, file) = load(&folder().join(file));
                sources.python = python;
                match frontend::compile(&mut sources, file, Some(*top)) {
                    Ok(compiled) => allo_hls::ir::print::print(&compiled.program, None),
                    Err(errors) => panic!("{top}: {}", errors.render(&sources, false)),
                }
            });
            assert_eq!(ours, theirs, "{top}");
        }
    }
}

#[test]
fn cpython_runs_what_the_evaluator_refuses() {
    let Some(python) = python() else { return };
    let text = "import decimal\nimport re\nfrom allo import *\n\
                N = int(decimal.Decimal('2.5') * 4)\nM = len(re.findall('a', 'banana'))\n\
                print('to standard error')\n\
                @consteval\ndef digits(n):\n    return len(re.sub('[^0-9]', '', str(n)))\n\
                @kernel\ndef f(x: i32) -> i32:\n    return x + N + M + digits(1234)\n";
    let mut sources = SourceMap::default();
    let file = sources.add("rich.py", text);
    assert!(frontend::compile(&mut sources, file, None).is_err());
    sources.python = Some(python);
    let compiled = frontend::compile(&mut sources, file, None);
    assert!(
        compiled.is_ok(),
        "{}",
        compiled.unwrap_err().render(&sources, false)
    );
}

#[test]
fn problems_in_cpython_are_diagnostics_with_their_line() {
    let Some(python) = python() else { return };
    let table = [
        (
            "x = 1\nN = {}['k']\n",
            "bad.py:2:1: note: 'N' is bound here",
        ),
        (
            "x = 1\nassert x == 2, 'no'\nN = 1\n",
            "bad.py:2:1: error: AssertionError: no",
        ),
        (
            "@consteval\ndef g():\n    return 1 // 0\nN = 1\n",
            "ZeroDivisionError",
        ),
        ("import os\nos._exit(3)\nN = 1\n", "CPython has ended"),
        (
            "from allo import *\nN = 1\n@kernel(options=KernelOptions(lanes=4))\ndef h():\n    pass\n",
            "bad.py:4:5: error: the option 'lanes' stands with typing_style=\"pto\" only",
        ),
        (
            "from allo import *\nN = 1\n@operator_ip(latency=1)\ndef h(x: i32) -> i32:\n    return x\n",
            "bad.py:4:5: error: @operator_ip needs module=",
        ),
    ];
    for (text, expected) in table {
        let call = if text.contains("def g") { "g()" } else { "N" };
        let text = format!(
            "{text}from allo import *\n@kernel\ndef f(x: i32) -> i32:\n    return x + {call}\n"
        );
        let text = match text.strip_prefix("@consteval") {
            Some(_) => format!("from allo import consteval\n{text}"),
            None => text,
        };
        let mut sources = SourceMap::default();
        let file = sources.add("bad.py", text);
        sources.python = Some(python.clone());
        let errors = frontend::compile(&mut sources, file, None).unwrap_err();
        let shown = errors.render(&sources, false);
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    let mut sources = SourceMap::default();
    let file = sources.add("bad.py", "from allo import *\n");
    sources.python = Some("/nowhere/python".into());
    let errors = frontend::check(&mut sources, file).unwrap_err();
    assert!(
        errors
            .render(&sources, false)
            .contains("cannot start '/nowhere/python'")
    );
}
