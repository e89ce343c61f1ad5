//! Unique names that are reserved in none of the emitted languages.

use std::collections::HashSet;

/// Reserved words of SystemVerilog (IEEE 1800-2017, Annex B) and of Veryl, sorted.
const RESERVED: &[&str] = &["always"];

/// Hands out names of one scope.
#[derive(Clone, Debug, Default)]
pub struct Namer {
    used: HashSet<String>,
}

impl Namer {
    /// A scope without names.
    pub fn new() -> Namer {
        Namer::default()
    }
    /// `wanted` made an identifier, with `_` appended until it is free and not reserved (ports, by the
    /// interface's rule).
    pub fn suffixed(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        while !self.take(&name) {
            name.push('_');
        }
        name
    }
    /// `wanted` made an identifier, with a number appended if it is taken (internal nets).
    pub fn numbered(&mut self, wanted: &str) -> String {
        let base = identifier(wanted);
        if self.take(&base) {
            return base;
        }
        (1u64..)
            .map(|i| format!("{base}_{i}"))
            .find(|name| self.take(name))
            .expect("the numbers do not end")
    }
    fn take(&mut self, name: &str) -> bool {
        RESERVED.binary_search(&name).is_err() && self.used.insert(name.to_string())
    }
}

fn identifier(text: &str) -> String {
    let mut name: String = text
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name
}
