//! Located messages to the user: source files, spans, and their clang-like and JSON renderings.

mod codes;
mod near;

pub use near::{closest, suggest};
use std::fmt::Write as _;
use std::path::PathBuf;
use unicode_width::UnicodeWidthChar as _;

/// Index of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// A byte range of one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A source text with its line index.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Name as the user gave it; shown in messages.
    pub name: String,
    /// Whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// 1-based line and 1-based column (in characters) of a byte offset.
    pub fn line_col(&self, offset: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|&s| s <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let prefix = self.text.get(start..end).unwrap_or("");
        (line + 1, prefix.chars().count() + 1)
    }
    /// Text of a 1-based line without its line end.
    pub fn line(&self, line: usize) -> &str {
        let start = self.line_starts[line - 1] as usize;
        let end = self
            .line_starts
            .get(line)
            .map_or(self.text.len(), |&e| e as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// Every source file of a compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// Folder below which Python files may be imported; none are without it.
    pub root: Option<PathBuf>,
    /// The CPython that evaluates the module level in place of our evaluator. It runs whatever the
    /// file says, so that only the user may choose it.
    pub python: Option<String>,
}

impl SourceMap {
    /// Adds a file and returns its handle.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let bytes = text.as_bytes();
        // As in Python, a carriage return alone ends a line, too.
        let ends = |&at: &usize| {
            bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')
        };
        let line_starts = (0..bytes.len()).filter(ends).map(|at| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(line_starts).collect();
        self.files.push(SourceFile {
            name: name.into(),
            text,
            line_starts,
        });
        FileId(self.files.len() as u32 - 1)
    }
    /// Adds a file of bytes and returns its handle.
    ///
    /// # Errors
    /// The place of the first byte that is not UTF-8, in the text with something else there.
    pub fn add_bytes(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> Result<FileId, Span> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(self.add(name, text)),
            Err(error) => {
                let at = error.utf8_error().valid_up_to() as u32;
                let file = self.add(name, String::from_utf8_lossy(error.as_bytes()));
                Err(Span {
                    file,
                    start: at,
                    end: at + char::REPLACEMENT_CHARACTER.len_utf8() as u32,
                })
            }
        }
    }
    /// The file of a handle made by [`SourceMap::add`].
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }
    /// 1-based line of a span's start.
    pub fn line_of(&self, span: Span) -> usize {
        self.file(span.file).line_col(span.start).0
    }
    /// `file:line`, for comments and reports.
    pub fn location(&self, span: Span) -> String {
        format!("{}:{}", self.file(span.file).name, self.line_of(span))
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// No output is made.
    Error,
    /// Output is made all the same.
    Warning,
    /// Nothing is wrong.
    Note,
}

/// One message: stable code, main span, notes with spans of their own, and a fix where one is known.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Stable code such as `E0101`.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where; `None` only for problems of a whole file or of the invocation.
    pub span: Option<Span>,
    /// Further places and explanations, printed as `note:`.
    pub notes: Vec<(Option<Span>, String)>,
    /// What to write instead, printed as `help:`.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            notes: Vec::new(),
            help: None,
        }
    }
    /// An error that has no place in a source file.
    pub fn global(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic {
            span: None,
            ..Self::error(code, Span::default(), message)
        }
    }
    /// The same as a remark, on which nothing depends.
    pub fn as_note(self) -> Self {
        Diagnostic {
            severity: Severity::Note,
            ..self
        }
    }
    /// The same as a warning: output is made all the same.
    pub fn as_warning(self) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..self
        }
    }
    /// Adds a located note.
    pub fn note_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push((Some(span), text.into()));
        self
    }
    /// Adds a note without a place.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push((None, text.into()));
        self
    }
    /// Sets the fix.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// The clang-like text of the message, ending in a newline; `color` adds ANSI escapes.
    pub fn render(&self, sources: &SourceMap, color: bool) -> String {
        let mut out = String::new();
        let head = match self.severity {
            Severity::Error => ("error", "\x1b[1;31m"),
            Severity::Warning => ("warning", "\x1b[1;35m"),
            Severity::Note => ("note", "\x1b[1;36m"),
        };
        render_part(&mut out, sources, self.span, head, &self.message, color);
        for (span, text) in &self.notes {
            render_part(
                &mut out,
                sources,
                *span,
                ("note", "\x1b[1;36m"),
                text,
                color,
            );
        }
        if let Some(help) = &self.help {
            render_part(&mut out, sources, None, ("help", "\x1b[1;32m"), help, color);
        }
        out
    }

    /// One JSON object: `code`, `severity`, `message`, `file`, `line`, `column`, `end_line`,
    /// `end_column`, `notes`, `help`.
    pub fn to_json(&self, sources: &SourceMap) -> serde_json::Value {
        let place = |span: Option<Span>| match span {
            None => serde_json::json!({}),
            Some(s) => {
                let file = sources.file(s.file);
                let (line, column) = file.line_col(s.start);
                let (end_line, end_column) = file.line_col(s.end);
                serde_json::json!({"file": file.name, "line": line, "column": column,
                    "end_line": end_line, "end_column": end_column})
            }
        };
        let mut object = serde_json::json!({
            "code": self.code,
            "severity": match self.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            "message": self.message,
        });
        let merge = |object: &mut serde_json::Value, more: serde_json::Value| {
            if let (Some(o), serde_json::Value::Object(m)) = (object.as_object_mut(), more) {
                o.extend(m);
            }
        };
        merge(&mut object, place(self.span));
        let notes: Vec<_> = self
            .notes
            .iter()
            .map(|(span, text)| {
                let mut note = serde_json::json!({"message": text});
                merge(&mut note, place(*span));
                note
            })
            .collect();
        merge(
            &mut object,
            serde_json::json!({"notes": notes, "help": self.help}),
        );
        object
    }
}

/// Longest source line shown whole; longer ones are shown as a window around the caret.
const MAX_SHOWN: usize = 160;

fn render_part(
    out: &mut String,
    sources: &SourceMap,
    span: Option<Span>,
    (kind, escape): (&str, &str),
    message: &str,
    color: bool,
) {
    let (on, bold, off) = if color {
        (escape, "\x1b[1m", "\x1b[0m")
    } else {
        ("", "", "")
    };
    let Some(span) = span else {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "{on}{kind}:{off} {message}");
        return;
    };
    let file = sources.file(span.file);
    let (line, col) = file.line_col(span.start);
    let _ = writeln!(
        out,
        "{bold}{}:{line}:{col}:{off} {on}{kind}:{off} {bold}{message}{off}",
        file.name
    );
    let text: Vec<char> = file
        .line(line)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let (end_line, end_col) = file.line_col(span.end.max(span.start));
    let last = if end_line == line {
        end_col - 1
    } else {
        text.len()
    };
    let caret = (col - 1).min(text.len());
    let from = if text.len() > MAX_SHOWN {
        caret.saturating_sub(MAX_SHOWN / 2)
    } else {
        0
    };
    let to = (from + MAX_SHOWN).min(text.len());
    let shown: String = text[from..to].iter().collect();
    let until = last.min(to).max(caret);
    let columns = |part: &[char]| -> usize {
        let widths = part.iter().map(|c| c.width().unwrap_or(0));
        widths.sum()
    };
    let width = columns(&text[caret..until]).max(1);
    let number = line.to_string();
    let _ = writeln!(out, "{number} | {}", shown.trim_end());
    let _ = writeln!(
        out,
        "{} | {}{on}{}{off}",
        " ".repeat(number.len()),
        " ".repeat(columns(&text[from..caret])),
        "^".repeat(width)
    );
}

/// Messages of a run, in order of discovery.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }
    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }
    /// All messages in the clang-like form.
    pub fn render(&self, sources: &SourceMap, color: bool) -> String {
        self.0.iter().map(|d| d.render(sources, color)).collect()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Diagnostics(vec![diagnostic])
    }
}
