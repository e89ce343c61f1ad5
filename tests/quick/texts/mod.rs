//! Tests that are texts: for each question a folder of `tests`, with an input in each file.
//!
//! `UPDATE_EXPECT=1 cargo test --test quick texts` rewrites what is expected of all of them.

mod directed;
mod ir;
mod language;
mod lower;
mod refused;
mod transform;

use crate::support;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An input of a test.
struct Case {
    path: PathBuf,
    /// Without the answer, if that stands below.
    text: String,
}

/// What becomes of the input; or why the test fails, whatever is expected.
type Answer = Result<String, String>;

/// Where the expected answer stands.
enum Place {
    /// Below the input, after a line of the comment sign and `-->`; each line with the sign where the ending is `py`.
    Below,
    /// In a file of the same name with this ending.
    Beside(&'static str),
    /// In lines of the input: the answer is the input as it should be.
    Within,
}

/// One test for each question: its folder, the ending of its inputs, where answers stand and what gives them.
macro_rules! questions {
    ($($(#[$comment:meta])* $folder:ident: $ending:literal, $place:expr;)*) => {
        $($(#[$comment])* #[test] fn $folder() {
            check(concat!("tests/", stringify!($folder)), $ending, &$place, $folder::answer);
        })*
    };
}

questions! {
    /// What constructs compute.
    language: "py", Place::Within;
    /// What is no kernel, in a folder for each code.
    refused: "py", Place::Below;
    /// What the frontend makes of kernels.
    lower: "py", Place::Beside("ir");
    /// What is valid `ir`.
    ir: "ir", Place::Below;
    /// What directives do.
    directed: "ir", Place::Below;
    /// What passes do.
    transform: "ir", Place::Below;
}

impl Case {
    /// What the first line says after the comment sign and `<key>:`.
    fn directive(&self, key: &str) -> Option<&str> {
        let first = self.text.lines().next()?;
        let text = first.strip_prefix("# ").or(first.strip_prefix("// "))?;
        Some(text.strip_prefix(key)?.strip_prefix(':')?.trim())
    }

    /// The name of the file.
    fn name(&self) -> String {
        let name = self.path.file_name().expect("a name");
        name.to_string_lossy().into_owned()
    }
}

/// The sign before the lines of an answer below, and the line that divides it from the input.
fn division(ending: &str) -> (&'static str, &'static str) {
    match ending {
        "py" => ("# ", "# -->\n"),
        _ => ("", "// -->\n"),
    }
}

fn check_file(path: &Path, ending: &str, place: &Place, answer: fn(&Case) -> Answer) -> Answer {
    let whole = support::read(path).replace("\r\n", "\n");
    let (sign, line) = division(ending);
    let text = match place {
        Place::Below => whole.split(line).next().unwrap_or_default(),
        _ => &whole,
    };
    let path = path.to_path_buf();
    let text = text.to_owned();
    let case = Case { path, text };
    let found = answer(&case).map_err(|why| format!("{}: {why}", case.path.display()))?;
    let (path, all) = match place {
        Place::Within => (case.path, found),
        Place::Beside(ending) => (case.path.with_extension(ending), found),
        Place::Below => {
            let lines = found.lines().map(|line| format!("{sign}{line}"));
            let lines = lines.map(|line| line.trim_end().to_owned() + "\n");
            let below: String = lines.collect();
            (case.path, case.text + line + &below)
        }
    };
    support::difference(&path, &all).map(|()| String::new())
}

/// Asks the question of every file in the folder.
fn check(folder: &str, ending: &str, place: &Place, answer: fn(&Case) -> Answer) {
    let paths = support::files_below(folder, ending);
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let paths = taken.map_while(|i| paths.get(i));
        let failures = paths.filter_map(|path| check_file(path, ending, place, answer).err());
        failures.collect::<Vec<String>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut failures: Vec<String> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let each = started.into_iter().map(|thread| thread.join());
        each.flat_map(|failures| failures.expect("no panic"))
            .collect()
    });
    failures.sort();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
