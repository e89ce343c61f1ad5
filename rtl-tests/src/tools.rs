//! Where the external tools are, and how tests run them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool: from the environment variable (its name in capitals), from `target/tools/bin`, or from the path.
pub fn find(name: &str) -> Option<PathBuf> {
    let variable = name.to_ascii_uppercase().replace('-', "_");
    if let Some(path) = std::env::var_os(variable) {
        return Some(PathBuf::from(path));
    }
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(tools)
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The tool, or a note in the test's output that it is missing.
pub fn find_or_note(name: &str) -> Option<PathBuf> {
    let found = find(name);
    if found.is_none() {
        eprintln!("{name} is not installed: this part of the test is skipped");
    }
    found
}

/// What a program said.
#[derive(Clone, Debug)]
pub struct Output {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a command in `folder`; a failure is the error, with all that the program said.
pub fn run(folder: &Path, program: &Path, args: &[&str]) -> Result<Output, String> {
    let output = Command::new(program)
        .args(args)
        .current_dir(folder)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let said = Output {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    match output.status.success() {
        true => Ok(said),
        false => Err(format!(
            "{} {} failed:\n{}{}",
            program.display(),
            args.join(" "),
            said.stdout,
            said.stderr
        )),
    }
}
