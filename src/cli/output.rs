//! Printing: diagnostics to standard error, results to standard output or whole files.

use super::{MessageFormat, WRONG_INPUT, progress};
use allo_hls::codes;
use allo_hls::diagnostics::{Diagnostic, Diagnostics, SourceMap};
use allo_hls::progress::Progress;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Exit status of a failed command.
pub type Status = u8;

/// How to print diagnostics.
pub struct Printer {
    format: MessageFormat,
    color: bool,
    /// What a long run does, for the terminal.
    pub progress: Progress,
}

impl Printer {
    /// Colours only on a terminal, and not against the user's wish.
    pub fn new(format: MessageFormat, quiet: bool) -> Printer {
        let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Printer {
            format,
            color,
            progress: progress::shown(quiet),
        }
    }

    /// Prints messages; a closed standard error is nobody's error.
    pub fn diagnostics(&self, diagnostics: &Diagnostics, sources: &SourceMap) {
        let mut err = std::io::stderr().lock();
        for diagnostic in &diagnostics.0 {
            let _ = match self.format {
                MessageFormat::Human => {
                    write!(err, "{}", diagnostic.render(sources, self.color))
                }
                MessageFormat::Json => writeln!(err, "{}", diagnostic.to_json(sources)),
            };
        }
    }

    /// Prints the last word of a command: a line of its own, or an object like the others.
    pub fn summary(&self, note: Diagnostic, sources: &SourceMap) {
        match self.format {
            MessageFormat::Human => {
                let _ = writeln!(std::io::stderr(), "{}", note.message);
            }
            MessageFormat::Json => self.diagnostics(&note.into(), sources),
        }
    }

    /// Prints errors and gives the status of wrong input.
    pub fn fail(&self, diagnostics: impl Into<Diagnostics>, sources: &SourceMap) -> Status {
        self.diagnostics(&diagnostics.into(), sources);
        WRONG_INPUT
    }
}

/// Whether a path stands for standard output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes to a file that appears whole or not at all, or to standard output.
pub fn emit(path: Option<&Path>, bytes: &[u8]) -> Result<(), Diagnostic> {
    match path.filter(|path| !is_standard(path)) {
        Some(path) => replace_file(path, bytes).map_err(|e| {
            Diagnostic::global(
                codes::OUTPUT_FILE,
                format!("cannot write '{}': {e}", path.display()),
            )
        }),
        None => match std::io::stdout().lock().write_all(bytes) {
            // A reader that stops early, such as `head`, is fine.
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Diagnostic::global(
                codes::OUTPUT_FILE,
                format!("cannot write to standard output: {e}"),
            )),
            _ => Ok(()),
        },
    }
}

fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A device or pipe cannot be replaced.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes);
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As an ordinary new file: the process's mask applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // The temporary name is nobody's concern: only the kind of error is passed on.
    let mut file = builder
        .tempfile_in(folder)
        .map_err(|e| std::io::Error::from(e.kind()))?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}
