//! What tools said about files, so that nobody asks them again about the same ones: most changes of the compiler leave most
//! of its output as it was.

use crate::tools;
use allo_hls::hash::fingerprint;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// The programs that answers come from; not Python, whose path may be that of a script that is written again with every package
/// that somebody installs: who asks with it has its version in the question.
const TOOLS: &[&str] = &[
    "verilator",
    "yosys",
    "iverilog",
    "g++",
    "make",
    "cocotb-config",
    "slang",
    "riscv32-cc",
    "riscv32-ld",
];

/// What `ask` says about the files in `folder`; if it was asked before, the answer it gave then. `question` is all else that the
/// answer depends on, the text of what asks in it. Only answers are kept, no failures.
///
/// Whoever calls this must not rely on what `ask` leaves in the folder.
pub fn remembered(
    question: &str,
    folder: &Path,
    ask: impl FnOnce() -> Result<Vec<u8>, String>,
) -> Result<Vec<u8>, String> {
    let mut asked = vec![question.as_bytes().to_vec(), identities().into()];
    for file in files(folder) {
        let name = file.strip_prefix(folder).expect("it is in the folder");
        asked.push(name.as_os_str().as_encoded_bytes().to_vec());
        asked.push(fs::read(&file).expect("the file is readable"));
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/remembered");
    let place = place.join(fingerprint(&asked));
    if let Ok(answer) = fs::read(&place) {
        return Ok(answer);
    }
    let answer = ask()?;
    keep(&place, &answer).map_err(|error| format!("{}: {error}", place.display()))?;
    Ok(answer)
}

/// What programs print when they are called in `folder` with these arguments, one after the other; empty if all are silent.
pub fn said(folder: &Path, calls: &[(&Path, Vec<&str>)]) -> Result<String, String> {
    let question = format!("{} {calls:?}", include_str!("remembered.rs"));
    let answer = remembered(&question, folder, || {
        let mut all = String::new();
        for (program, args) in calls {
            let said = tools::run(folder, program, args)?;
            let printed = said.stdout + &said.stderr;
            if !printed.is_empty() {
                all += &format!("{}:\n{printed}", args.join(" "));
            }
        }
        Ok(all.into())
    })?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Writes the file as a whole or not at all.
fn keep(place: &Path, answer: &[u8]) -> std::io::Result<()> {
    let folder = place.parent().expect("it is in a folder");
    fs::create_dir_all(folder)?;
    let file = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(file.path(), answer)?;
    file.persist(place)?;
    Ok(())
}

/// All files of a folder and those within, in a fixed order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is readable");
    let paths = entries.map(|entry| entry.expect("the folder is readable").path());
    let mut found: Vec<PathBuf> = paths
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .collect();
    found.sort();
    found
}

/// Tells these tools from other ones, or other versions.
fn identities() -> &'static str {
    static KNOWN: OnceLock<String> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let found = TOOLS.iter().filter_map(|name| tools::find(name));
        found.map(|program| identity(&program)).collect()
    })
}

/// Path, size and date of a program; of a wrapper that `scripts/setup` writes each time, its text and those of what it calls.
fn identity(program: &Path) -> String {
    let Ok(about) = fs::metadata(program) else {
        return String::new();
    };
    let text = fs::read_to_string(program).unwrap_or_default();
    if text.contains("# Written by scripts/setup.") {
        let words = text.split(['"', ' ', '\n']).skip(1);
        let called = words.map(Path::new).filter(|word| word.is_absolute());
        return called.fold(text.clone(), |all, path| all + &identity(path));
    }
    let date = about.modified().ok();
    let date = date.and_then(|date| date.duration_since(UNIX_EPOCH).ok());
    format!("{} {} {date:?}\n", program.display(), about.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks about a folder with these files; whether the tool was called.
    fn is_asked(question: &str, files: &[(&str, &str)], fails: bool) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("within")).expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("writable");
        }
        let mut called = false;
        let answer = remembered(question, folder.path(), || {
            called = true;
            if fails {
                Err("no".into())
            } else {
                Ok(b"yes".to_vec())
            }
        });
        assert_eq!(answer.is_err(), fails && called);
        assert!(answer.is_err() || answer == Ok(b"yes".to_vec()));
        called
    }

    #[test]
    fn a_tool_is_asked_again_if_anything_changed() {
        let question = format!("is it right? {:?}", std::time::SystemTime::now());
        let files = [("a", "1"), ("within/b", "2")];
        assert!(is_asked(&question, &files, true), "never asked");
        assert!(is_asked(&question, &files, false), "failed before");
        assert!(!is_asked(&question, &files, false), "asked before");
        assert!(is_asked("another?", &[("a", &question)], false));
        for others in [
            [("a", "1"), ("within/b", "3")],
            [("a", "1"), ("b", "2")],
            [("a", "12"), ("within/b", "")],
        ] {
            assert!(is_asked(&question, &others, false), "{others:?}");
        }
        assert!(is_asked(&question, &files[..1], false), "a file less");
    }

    #[test]
    fn programs_behind_wrappers_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let (program, wrapper) = (folder.path().join("tool"), folder.path().join("wrapper"));
        fs::write(&program, "1").expect("writable");
        let text = format!(
            "#!/bin/sh\n# Written by scripts/setup.\nexec \"{}\" \"$@\"\n",
            program.display()
        );
        fs::write(&wrapper, text).expect("writable");
        let before = identity(&wrapper);
        assert_eq!(identity(&wrapper), before);
        fs::write(&program, "22").expect("writable");
        assert_ne!(identity(&wrapper), before);
    }
}
