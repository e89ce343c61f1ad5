//! Text to syntax tree, with guards against text that would overflow the parser.

use super::codes;
use super::error::{Result, diagnostic, fail};
use crate::diagnostics::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use ruff_python_ast::ModModule;

/// Largest accepted file, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// Deepest accepted nesting of brackets and operators.
const MAX_DEPTH: usize = 1000;
/// Deepest accepted nesting of blocks.
const MAX_BLOCKS: usize = 100;

pub use pyeval::span_of;

/// Parses a whole file.
///
/// # Errors
/// Every syntax error, or that the text is unfit for parsing.
pub fn parse(sources: &SourceMap, file: FileId) -> std::result::Result<ModModule, Diagnostics> {
    let text = &sources.file(file).text;
    let at = |offset: usize| Span {
        file,
        start: offset as u32,
        end: offset as u32 + 1,
    };
    if text.len() > MAX_BYTES {
        let message = "the file is larger than 64 MiB";
        return Err(Diagnostic::global(codes::TEXT, message).into());
    }
    if let Some(offset) = text.find('\0') {
        let message = "the file holds a NUL byte";
        return Err(Diagnostic::error(codes::TEXT, at(offset), message).into());
    }
    let whole = Span {
        file,
        start: 0,
        end: text.len() as u32,
    };
    if let Err(failure) = check_nesting(text, whole)
        && let Some(d) = diagnostic(failure)
    {
        return Err(d.into());
    }
    let parsed =
        ruff_python_parser::parse_unchecked_source(text, ruff_python_ast::PySourceType::Python);
    // What is missing at the end of the file follows from an earlier error, if there is one.
    let end = text.trim_end().len();
    let at_end = |e: &&ruff_python_parser::ParseError| e.location.start().to_usize() > end;
    let first = parsed.errors().iter().take(1);
    let others = parsed.errors().iter().skip(1).filter(|e| !at_end(e));
    let errors: Vec<Diagnostic> = first
        .chain(others)
        .map(|e| {
            let message = format!("syntax error: {}", lower_first(&e.error.to_string()));
            Diagnostic::error(codes::SYNTAX, span_of(file, e.location), message)
        })
        .collect();
    if errors.is_empty() {
        Ok(parsed.into_syntax())
    } else {
        Err(Diagnostics(errors))
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let second_upper = text.chars().nth(1).is_some_and(char::is_uppercase);
    match chars.next() {
        Some(first) if !second_upper => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// Refuses text whose syntax tree would be too deep to walk: the tree's depth at any place is at
/// most the number of open brackets and of operators since the last separator in each of them.
pub fn check_nesting(text: &str, whole: Span) -> Result<()> {
    let mut scan = Scan::default();
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        let next = scan.step(bytes, i);
        if scan.depth > MAX_DEPTH {
            let start = whole.start + i as u32;
            let span = Span {
                start,
                end: start + 1,
                ..whole
            };
            return fail(codes::NESTING, span, "the expression is nested too deeply");
        }
        if scan.indents.len() > MAX_BLOCKS {
            let start = whole.start + i as u32;
            let span = Span {
                start,
                end: start + 1,
                ..whole
            };
            return fail(codes::NESTING, span, "the blocks are nested too deeply");
        }
        i = next;
    }
    Ok(())
}

#[derive(Default)]
struct Scan {
    /// Operators since the last separator, for each open bracket.
    open: Vec<Level>,
    here: Level,
    /// Sum of all of them and of the brackets.
    depth: usize,
    indents: Vec<usize>,
}

#[derive(Default)]
struct Level {
    operators: usize,
    lambda: bool,
}

impl Scan {
    /// Handles the token at `i` and returns the place of the next.
    fn step(&mut self, bytes: &[u8], i: usize) -> usize {
        match bytes[i] {
            b'#' => return find(bytes, i, |b| b == b'\n'),
            b'"' | b'\'' => return skip_string(bytes, i),
            b'(' | b'[' | b'{' => {
                self.open.push(std::mem::take(&mut self.here));
                self.depth += 1;
            }
            b')' | b']' | b'}' => {
                if let Some(level) = self.open.pop() {
                    self.depth -= self.here.operators + 1;
                    self.here = level;
                    // A chain such as `a[0][0][0]` nests although its brackets close.
                    self.operator();
                }
            }
            b',' if !self.here.lambda => self.separator(),
            b';' => self.separator(),
            b'\n' if self.open.is_empty() => {
                self.separator();
                self.here.lambda = false;
                return self.indentation(bytes, i + 1);
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'~' | b'&' | b'|' | b'^' | b'<' | b'>' | b'.'
            | b'@' | b':' => self.operator(),
            b if b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 => {
                let end = find(bytes, i, |b| {
                    !(b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80)
                });
                self.word(&bytes[i..end]);
                return end;
            }
            b if b.is_ascii_digit() => {
                return find(bytes, i, |b| {
                    !(b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
                });
            }
            _ => {}
        }
        i + 1
    }

    fn word(&mut self, word: &[u8]) {
        match word {
            b"lambda" => {
                self.here.lambda = true;
                self.operator();
            }
            b"not" | b"if" | b"else" | b"await" | b"and" | b"or" | b"for" | b"in" | b"is"
            | b"yield" | b"elif" => self.operator(),
            _ => {}
        }
    }

    fn operator(&mut self) {
        self.here.operators += 1;
        self.depth += 1;
    }

    fn separator(&mut self) {
        self.depth -= self.here.operators;
        self.here.operators = 0;
    }

    fn indentation(&mut self, bytes: &[u8], start: usize) -> usize {
        let end = find(bytes, start, |b| b != b' ' && b != b'\t' && b != b'\x0c');
        let width = end - start;
        let blank = matches!(bytes.get(end), None | Some(b'\n' | b'\r' | b'#'));
        if !blank {
            while self.indents.last().is_some_and(|&w| w >= width) {
                self.indents.pop();
            }
            if width > 0 {
                self.indents.push(width);
            }
        }
        end
    }
}

fn find(bytes: &[u8], from: usize, stop: impl Fn(u8) -> bool) -> usize {
    bytes[from..]
        .iter()
        .position(|&b| stop(b))
        .map_or(bytes.len(), |n| from + n)
}

fn skip_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let triple = bytes[start..].starts_with(&[quote; 3]);
    let mut i = start + if triple { 3 } else { 1 };
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 1,
            b'\n' if !triple => return i,
            b if b == quote && !triple => return i + 1,
            b if b == quote && bytes[i..].starts_with(&[quote; 3]) => return i + 3,
            _ => {}
        }
        i += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(text: &str) -> bool {
        check_nesting(text, Span::default()).is_ok()
    }

    #[test]
    fn deep_text_is_refused_and_long_text_is_not() {
        let n = 100_000;
        assert!(!accepts(&"(".repeat(n)));
        assert!(!accepts(&"-".repeat(n)));
        assert!(!accepts(&"not ".repeat(n)));
        assert!(!accepts(&format!("x = a{}", ".b".repeat(n))));
        assert!(!accepts(&format!("x = a{}", "[0]".repeat(n))));
        assert!(!accepts(&format!("x = {}", "lambda a, b: ".repeat(n))));
        assert!(!accepts(&format!("x = 1{}", " + 1".repeat(n))));
        let blocks: String = (0..n.min(200))
            .map(|i| format!("{}if x:\n", " ".repeat(i)))
            .collect();
        assert!(!accepts(&blocks));
        assert!(accepts(&format!("x = [{}]", "-1, ".repeat(n))));
        assert!(accepts(&"x = a + b * c\n".repeat(n)));
        assert!(accepts(&format!("x = '{}'", "(".repeat(n))));
        assert!(accepts(&format!("# {}", "(".repeat(n))));
    }
}
